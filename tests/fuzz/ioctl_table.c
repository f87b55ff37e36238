// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that the fuzzer knows, how often it makes each, and what their fields mean: all of the
 * driver's, and those of the DRM core that belong to them.
 */
#include "ioctl.h"

#include <assert.h>

/* drm.h of Debian 12 is older than this call. */
#ifndef DRM_IOCTL_SYNCOBJ_EVENTFD
struct drm_syncobj_eventfd {
	__u32 handle;
	__u32 flags;
	__u64 point;
	__s32 fd;
	__u32 pad;
};

#define DRM_IOCTL_SYNCOBJ_EVENTFD DRM_IOWR(0xcf, struct drm_syncobj_eventfd)
#endif

#define F(type, name, what, ...) \
	{ .offset = offsetof(struct drm_##type, name), \
	  .size = sizeof(((struct drm_##type *)0)->name), .kind = what, __VA_ARGS__ }
#define CALL(NAME, weight, ...) { #NAME, weight, DRM_IOCTL_##NAME, { __VA_ARGS__ }, NULL }
#define WAIT_FLAGS 7

const struct call calls[] = {
	CALL(NNLOOP_QUERY, 2, F(nnloop_query, type, BITS, 0), F(nnloop_query, size, NUMBER, 64),
	     F(nnloop_query, pointer, BYTES)),
	CALL(NNLOOP_BO_CREATE, 12, F(nnloop_bo_create, size, NUMBER, 16384),
	     F(nnloop_bo_create, flags, BITS,
	       DRM_NNLOOP_BO_WRITE_COMBINE | DRM_NNLOOP_BO_DSP_READ_ONLY)),
	CALL(NNLOOP_BO_INFO, 4, F(nnloop_bo_info, handle, BO)),
	CALL(NNLOOP_BO_SEAL, 1, F(nnloop_bo_seal, handle, BO), F(nnloop_bo_seal, flags, BITS, 0)),
	CALL(NNLOOP_BO_BEGIN_CPU, 4, F(nnloop_bo_cpu_access, handle, BO),
	     F(nnloop_bo_cpu_access, access, NUMBER, 3)),
	CALL(NNLOOP_BO_END_CPU, 4, F(nnloop_bo_cpu_access, handle, BO),
	     F(nnloop_bo_cpu_access, access, NUMBER, 3)),
	CALL(NNLOOP_BO_SET_NAME, 2, F(nnloop_bo_set_name, handle, BO),
	     F(nnloop_bo_set_name, size, NUMBER, DRM_NNLOOP_BO_NAME_SIZE),
	     F(nnloop_bo_set_name, name, BYTES)),
	CALL(NNLOOP_QUEUE_CREATE, 10, F(nnloop_queue_create, priority, FEW, 2),
	     F(nnloop_queue_create, flags, BITS, 0)),
	CALL(NNLOOP_QUEUE_DESTROY, 2, F(nnloop_queue_destroy, queue, QUEUE),
	     F(nnloop_queue_destroy, pad, BITS, 0)),
	CALL(NNLOOP_SUBMIT, 30, F(nnloop_submit, queue, QUEUE), F(nnloop_submit, flags, BITS, 0),
	     F(nnloop_submit, passes, PASSES), F(nnloop_submit, pass_count, NUMBER, 4),
	     F(nnloop_submit, pass_stride, FIXED, sizeof(struct drm_nnloop_pass)),
	     F(nnloop_submit, waits, SYNCS), F(nnloop_submit, wait_count, FEW, 2),
	     F(nnloop_submit, signals, SYNCS), F(nnloop_submit, signal_count, FEW, 2),
	     F(nnloop_submit, workers, FEW, 2), F(nnloop_submit, pad, BITS, 0)),
	CALL(NNLOOP_STATUS, 8, F(nnloop_status, queue, QUEUE), F(nnloop_status, pad, BITS, 0),
	     F(nnloop_status, point, POINT)),
	CALL(NNLOOP_CANCEL, 2, F(nnloop_cancel, queue, QUEUE), F(nnloop_cancel, pad, BITS, 0)),
	CALL(GEM_CLOSE, 6, F(gem_close, handle, BO), F(gem_close, pad, BITS, 0)),
	CALL(PRIME_HANDLE_TO_FD, 4, F(prime_handle, handle, BO),
	     F(prime_handle, flags, BITS, DRM_CLOEXEC | DRM_RDWR)),
	CALL(PRIME_FD_TO_HANDLE, 4, F(prime_handle, fd, FD, FD_DMABUF)),
	CALL(SYNCOBJ_CREATE, 5, F(syncobj_create, flags, BITS, DRM_SYNCOBJ_CREATE_SIGNALED)),
	CALL(SYNCOBJ_DESTROY, 2, F(syncobj_destroy, handle, SYNCOBJ),
	     F(syncobj_destroy, pad, BITS, 0)),
	CALL(SYNCOBJ_HANDLE_TO_FD, 3, F(syncobj_handle, handle, SYNCOBJ),
	     F(syncobj_handle, flags, BITS, 1), F(syncobj_handle, pad, BITS, 0)),
	CALL(SYNCOBJ_FD_TO_HANDLE, 3, F(syncobj_handle, handle, SYNCOBJ),
	     F(syncobj_handle, flags, BITS, 1), F(syncobj_handle, fd, FD, FD_SYNC),
	     F(syncobj_handle, pad, BITS, 0)),
	CALL(SYNCOBJ_WAIT, 3, F(syncobj_wait, handles, HANDLES),
	     F(syncobj_wait, timeout_nsec, TIMEOUT), F(syncobj_wait, count_handles, COUNT, 4),
	     F(syncobj_wait, flags, BITS, WAIT_FLAGS), F(syncobj_wait, pad, BITS, 0)),
	CALL(SYNCOBJ_TIMELINE_WAIT, 5, F(syncobj_timeline_wait, handles, HANDLES),
	     F(syncobj_timeline_wait, points, POINTS),
	     F(syncobj_timeline_wait, timeout_nsec, TIMEOUT),
	     F(syncobj_timeline_wait, count_handles, COUNT, 4),
	     F(syncobj_timeline_wait, flags, BITS, WAIT_FLAGS),
	     F(syncobj_timeline_wait, pad, BITS, 0)),
	CALL(SYNCOBJ_RESET, 2, F(syncobj_array, handles, HANDLES),
	     F(syncobj_array, count_handles, COUNT, 2), F(syncobj_array, pad, BITS, 0)),
	CALL(SYNCOBJ_SIGNAL, 2, F(syncobj_array, handles, HANDLES),
	     F(syncobj_array, count_handles, COUNT, 2), F(syncobj_array, pad, BITS, 0)),
	CALL(SYNCOBJ_TIMELINE_SIGNAL, 2, F(syncobj_timeline_array, handles, HANDLES),
	     F(syncobj_timeline_array, points, POINTS),
	     F(syncobj_timeline_array, count_handles, COUNT, 2)),
	CALL(SYNCOBJ_QUERY, 2, F(syncobj_timeline_array, handles, HANDLES),
	     F(syncobj_timeline_array, points, POINTS),
	     F(syncobj_timeline_array, count_handles, COUNT, 4),
	     F(syncobj_timeline_array, flags, BITS, 1)),
	/* Its only flag waits up to 5 s for a fence to come. */
	CALL(SYNCOBJ_TRANSFER, 2, F(syncobj_transfer, src_handle, SYNCOBJ),
	     F(syncobj_transfer, dst_handle, SYNCOBJ), F(syncobj_transfer, src_point, POINT),
	     F(syncobj_transfer, dst_point, POINT), F(syncobj_transfer, flags, NEVER),
	     F(syncobj_transfer, pad, BITS, 0)),
	CALL(SYNCOBJ_EVENTFD, 1, F(syncobj_eventfd, handle, SYNCOBJ),
	     F(syncobj_eventfd, flags, BITS, WAIT_FLAGS), F(syncobj_eventfd, point, POINT),
	     F(syncobj_eventfd, fd, FD, FD_EVENT), F(syncobj_eventfd, pad, BITS, 0)),
	CALL(VERSION, 1, F(version, name_len, NUMBER, 16), F(version, name, BYTES),
	     F(version, date_len, NUMBER, 16), F(version, date, BYTES)),
	CALL(GET_CAP, 1, F(get_cap, capability, NUMBER, 20)),
	{ "unknown", 1, 0, {}, call_unknown },
	{ "map", 6, 0, {}, call_map },
	{ "write a program", 12, 0, {}, call_program },
	{ "write a control program", 6, 0, {}, call_control },
	{ "reopen", 1, 0, {}, call_reopen },
	{ "close an fd", 3, 0, {}, call_close_fd },
	{ "foreign memory", 2, 0, {}, call_foreign },
	{ "look on", 2, 0, {}, call_look },
	{ "fork", 1, 0, {}, call_fork },
};

const unsigned int call_count = ARRAY_SIZE(calls);

static_assert(ARRAY_SIZE(calls) <= MAX_CALLS);
