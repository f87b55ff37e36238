/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
#ifndef _UAPI_NNLOOP_ACCEL_H_
#define _UAPI_NNLOOP_ACCEL_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: nnloop user-space interface
 *
 * An open file of /dev/nnloop (or of the DRM node behind it) is one client
 * with one DSP address space. It creates buffers, each of which has a fixed
 * address in that space (its IOVA) for as long as its handle lives, and
 * queues, to which it submits jobs. A job is an array of passes that run in
 * order on one DSP worker, or on several together; a pass names a program by
 * IOVA and carries 32-bit arguments that only the program's author and the
 * firmware interpret.
 *
 * Completion is a point on the queue's timeline syncobj. A syncobj wait does
 * not report errors: ask DRM_IOCTL_NNLOOP_STATUS when the wait has returned.
 *
 * Rules for every call:
 *
 * - Structures only grow, at their end. A shorter one is filled up with
 *   zeros, a longer one is accepted if what the driver does not know is zero.
 * - Flags and padding that are not described here must be zero.
 * - New ioctls are added at the end; numbers are never used again.
 *
 * Errors that every call can return:
 *
 * ========== ==========================================================
 * ENOTTY     not an nnloop ioctl
 * E2BIG      a longer structure with non-zero bytes the driver does not know
 * EINVAL     a field has a value that is wrong in itself
 * EOPNOTSUPP a flag, type or priority this driver does not know
 * ENOENT     no such buffer, queue or syncobj handle
 * EFAULT     a pointer in the structure cannot be read or written
 * EOVERFLOW  a sum or product of fields does not fit its type
 * ENOMEM     out of memory
 * ENODEV     the device is gone; nothing but close() is of use any more
 * ========== ==========================================================
 *
 * Versions, as DRM_IOCTL_VERSION reports them:
 *
 * - 1.0 - initial interface
 * - 1.1 - DRM_NNLOOP_BO_DSP_READ_ONLY
 * - 1.2 - workers in struct drm_nnloop_submit
 * - 1.3 - a job can make room in the middle of a pass, if the firmware can: control programs
 */

enum drm_nnloop_ioctl_id {
	/** @DRM_NNLOOP_QUERY: facts about the device. */
	DRM_NNLOOP_QUERY = 0,
	/** @DRM_NNLOOP_BO_CREATE: make a buffer. */
	DRM_NNLOOP_BO_CREATE,
	/** @DRM_NNLOOP_BO_INFO: size, IOVA and mmap offset of a buffer. */
	DRM_NNLOOP_BO_INFO,
	/** @DRM_NNLOOP_BO_SEAL: make a buffer read-only for good. */
	DRM_NNLOOP_BO_SEAL,
	/** @DRM_NNLOOP_BO_BEGIN_CPU: before the CPU touches a buffer. */
	DRM_NNLOOP_BO_BEGIN_CPU,
	/** @DRM_NNLOOP_BO_END_CPU: after the CPU touched a buffer. */
	DRM_NNLOOP_BO_END_CPU,
	/** @DRM_NNLOOP_QUEUE_CREATE: make a queue. */
	DRM_NNLOOP_QUEUE_CREATE,
	/** @DRM_NNLOOP_QUEUE_DESTROY: cancel and destroy a queue. */
	DRM_NNLOOP_QUEUE_DESTROY,
	/** @DRM_NNLOOP_SUBMIT: add a job to a queue. */
	DRM_NNLOOP_SUBMIT,
	/** @DRM_NNLOOP_STATUS: how a job ended. */
	DRM_NNLOOP_STATUS,
	/** @DRM_NNLOOP_CANCEL: give up what a queue has been given so far. */
	DRM_NNLOOP_CANCEL,
	/** @DRM_NNLOOP_BO_SET_NAME: name a buffer, for people. */
	DRM_NNLOOP_BO_SET_NAME,
};

/** enum drm_nnloop_query_type - what DRM_IOCTL_NNLOOP_QUERY is asked for */
enum drm_nnloop_query_type {
	/** @DRM_NNLOOP_QUERY_DEVICE: a struct drm_nnloop_device_info. */
	DRM_NNLOOP_QUERY_DEVICE = 0,
};

/**
 * struct drm_nnloop_query - DRM_IOCTL_NNLOOP_QUERY
 *
 * EOPNOTSUPP: unknown type.
 */
struct drm_nnloop_query {
	/** @type: enum drm_nnloop_query_type. */
	__u32 type;
	/**
	 * @size: in: bytes that @pointer has room for; out: bytes the driver
	 * has. The smaller of both is copied.
	 */
	__u32 size;
	/** @pointer: where the answer goes; 0 to ask for the size only. */
	__u64 pointer;
};

/** struct drm_nnloop_device_info - answer to DRM_NNLOOP_QUERY_DEVICE */
struct drm_nnloop_device_info {
	/** @hardware_version: of the register map, major << 16 | minor. */
	__u32 hardware_version;
	/** @firmware_version: of the running firmware, major << 16 | minor. */
	__u32 firmware_version;
	/** @worker_count: hardware threads that run jobs side by side. */
	__u32 worker_count;
	/** @max_passes: most passes in one submit. */
	__u32 max_passes;
	/** @max_args: most arguments of a pass. */
	__u32 max_args;
	/** @page_size: granularity of buffers and translations in bytes. */
	__u32 page_size;
	/** @window_base: lowest IOVA a buffer can have. */
	__u64 window_base;
	/** @window_size: bytes of IOVA that a client's buffers share. */
	__u64 window_size;
	/** @hang_timeout_ms: time without progress after which a job is taken for hung. */
	__u32 hang_timeout_ms;
	/** @max_queues: most queues of one client. */
	__u32 max_queues;
};

/**
 * @DRM_NNLOOP_BO_WRITE_COMBINE: a wish: CPU mappings are uncached, write-combining. Granted on x86;
 * elsewhere they are cached.
 */
#define DRM_NNLOOP_BO_WRITE_COMBINE	(1u << 0)
/** @DRM_NNLOOP_BO_SEALED: only reported: the buffer was sealed. */
#define DRM_NNLOOP_BO_SEALED		(1u << 1)
/** @DRM_NNLOOP_BO_IMPORTED: only reported: the memory is another driver's. */
#define DRM_NNLOOP_BO_IMPORTED		(1u << 2)
/**
 * @DRM_NNLOOP_BO_DSP_READ_ONLY: the DSP can never write to the buffer, from no client's space and
 * through no other device that imports it. The CPU can, until it is sealed. Reported also of an
 * import that is so by its nature: of a dma-buf without write access, or of such a buffer or a
 * sealed one of another nnloop device. Since 1.1.
 */
#define DRM_NNLOOP_BO_DSP_READ_ONLY	(1u << 3)

/**
 * struct drm_nnloop_bo_create - DRM_IOCTL_NNLOOP_BO_CREATE
 *
 * The memory is zero, and stays resident. Free it with DRM_IOCTL_GEM_CLOSE:
 * its IOVA is invalid from then on, and its pages are given back when every
 * job of this client submitted before has ended.
 *
 * EINVAL: size is 0. EOVERFLOW: size rounded up to pages does not fit 64
 * bits. ENOSPC: no room in the window, or the size exceeds it, or the client
 * would have more than the administrator allows.
 */
struct drm_nnloop_bo_create {
	/** @size: in: bytes wanted; out: bytes got, a multiple of the page size. */
	__u64 size;
	/** @flags: DRM_NNLOOP_BO_WRITE_COMBINE, DRM_NNLOOP_BO_DSP_READ_ONLY. */
	__u32 flags;
	/** @handle: out: GEM handle. */
	__u32 handle;
	/** @iova: out: address in this client's space, page aligned. */
	__u64 iova;
	/** @mmap_offset: out: offset for mmap() of this file. */
	__u64 mmap_offset;
};

/**
 * struct drm_nnloop_bo_info - DRM_IOCTL_NNLOOP_BO_INFO
 *
 * For a buffer from DRM_IOCTL_PRIME_FD_TO_HANDLE this is how to learn its IOVA.
 */
struct drm_nnloop_bo_info {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @flags: out: DRM_NNLOOP_BO_*. */
	__u32 flags;
	/** @size: out: bytes. */
	__u64 size;
	/** @iova: out: address in this client's space. */
	__u64 iova;
	/** @mmap_offset: out: offset for mmap(), 0 if it cannot be mapped here. */
	__u64 mmap_offset;
};

/**
 * struct drm_nnloop_bo_seal - DRM_IOCTL_NNLOOP_BO_SEAL
 *
 * From now on the DSP cannot write to the buffer, from no client's space, and
 * no writable CPU mapping of it can be made. Sealing twice is no error. (A CPU
 * mapping made without PROT_WRITE can never be given it by mprotect(), so such
 * mappings are not in the way.)
 *
 * EBUSY: it is still mapped writable by a CPU, was exported, or jobs of this
 * client that might write it have not ended; that is no matter when it was made
 * with DRM_NNLOOP_BO_DSP_READ_ONLY. EACCES: an imported buffer.
 */
struct drm_nnloop_bo_seal {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @flags: 0. */
	__u32 flags;
};

#define DRM_NNLOOP_ACCESS_READ		(1u << 0)
#define DRM_NNLOOP_ACCESS_WRITE		(1u << 1)

/**
 * struct drm_nnloop_bo_cpu_access - DRM_IOCTL_NNLOOP_BO_BEGIN_CPU and _END_CPU
 *
 * CPU accesses to a buffer belong between the two, with the same @access, so
 * that caches are written back and invalidated where the DSP is not coherent.
 * They do not wait for jobs: wait for the queue's point first.
 *
 * EINVAL: no access bit. EACCES: WRITE to a sealed buffer, or to an import of a
 * dma-buf without write access.
 */
struct drm_nnloop_bo_cpu_access {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @access: DRM_NNLOOP_ACCESS_*, at least one. */
	__u32 access;
};

enum drm_nnloop_priority {
	DRM_NNLOOP_PRIORITY_NORMAL = 0,
	DRM_NNLOOP_PRIORITY_LOW = 1,
	/** @DRM_NNLOOP_PRIORITY_HIGH: needs CAP_SYS_NICE, else EACCES. */
	DRM_NNLOOP_PRIORITY_HIGH = 2,
};

/**
 * struct drm_nnloop_queue_create - DRM_IOCTL_NNLOOP_QUEUE_CREATE
 *
 * Jobs of one queue run in order. Jobs of different queues may run side by
 * side or in any order; the higher priority is taken first.
 *
 * EBUSY: the client has max_queues queues. A destroyed one counts until its
 * last job has ended.
 */
struct drm_nnloop_queue_create {
	/** @priority: enum drm_nnloop_priority. */
	__u32 priority;
	/** @flags: 0. */
	__u32 flags;
	/** @queue: out: queue id, never 0. */
	__u32 queue;
	/**
	 * @syncobj: out: handle of the queue's timeline syncobj. Its points
	 * are the jobs, 1, 2, 3, ... The client owns the handle and destroys
	 * it with DRM_IOCTL_SYNCOBJ_DESTROY; the queue does not need it.
	 */
	__u32 syncobj;
};

/**
 * struct drm_nnloop_queue_destroy - DRM_IOCTL_NNLOOP_QUEUE_DESTROY
 *
 * What has not run ends with ECANCELED; fences already handed out signal.
 */
struct drm_nnloop_queue_destroy {
	/** @queue: queue id. */
	__u32 queue;
	/** @pad: 0. */
	__u32 pad;
};

#define DRM_NNLOOP_MAX_ARGS	24

/** struct drm_nnloop_pass - one pass of a job */
struct drm_nnloop_pass {
	/** @program: IOVA of the program, a multiple of 8. */
	__u64 program;
	/** @program_size: bytes, not 0. */
	__u32 program_size;
	/** @arg_count: arguments in use, at most max_args. */
	__u32 arg_count;
	/** @args: for the program; beyond @arg_count: 0. */
	__u32 args[DRM_NNLOOP_MAX_ARGS];
};

/**
 * struct drm_nnloop_sync - a syncobj to wait for or to signal
 *
 * It comes in arrays that have no stride, so this structure alone never grows.
 */
struct drm_nnloop_sync {
	/** @handle: syncobj handle. */
	__u32 handle;
	/** @flags: 0. */
	__u32 flags;
	/** @point: point of a timeline syncobj, 0: a binary one. */
	__u64 point;
};

/**
 * @DRM_NNLOOP_SUBMIT_WORKERS: for programs that are built with older headers, too: struct
 * drm_nnloop_submit has @workers.
 */
#define DRM_NNLOOP_SUBMIT_WORKERS	1

/**
 * struct drm_nnloop_submit - DRM_IOCTL_NNLOOP_SUBMIT
 *
 * The job starts when all of @waits have signalled and the queue's earlier
 * jobs have ended, and signals all of @signals and the queue's next timeline
 * point when it has ended, one way or another. On an error nothing was
 * submitted and no syncobj was changed.
 *
 * EINVAL: no pass, or more than max_passes; more than 64 waits or signals; a
 * stride that is no multiple of 8, shorter than the first interface's pass or
 * longer than 4096; a program that is not within the window, misaligned or of size 0; a point
 * to wait for that has no fence yet; more workers than worker_count. ECANCELED:
 * the queue was lost by an earlier fault or hang, or has had 1024 separate
 * failures: make a new one.
 * EBUSY: 1024 jobs of the queue, or 262144 passes of the client, have not
 * ended.
 */
struct drm_nnloop_submit {
	/** @queue: queue id. */
	__u32 queue;
	/** @flags: 0. */
	__u32 flags;
	/** @passes: pointer to an array of struct drm_nnloop_pass. */
	__u64 passes;
	/** @pass_count: its length, 1 to max_passes. */
	__u32 pass_count;
	/** @pass_stride: sizeof(struct drm_nnloop_pass) as the caller knows it. */
	__u32 pass_stride;
	/** @waits: pointer to an array of struct drm_nnloop_sync. */
	__u64 waits;
	/** @signals: pointer to an array of struct drm_nnloop_sync. */
	__u64 signals;
	/** @wait_count: length of @waits, at most 64. */
	__u32 wait_count;
	/** @signal_count: length of @signals, at most 64. */
	__u32 signal_count;
	/** @point: out: the job's point on the queue's timeline. */
	__u64 point;
	/**
	 * @workers: the most workers that may run each pass of the job together,
	 * at most worker_count; 0 or 1: one. It is a wish: the job never waits
	 * for a second one, and gets as many as are idle when it begins, or goes on,
	 * and no other job could use. What it computes does not depend on that. Its
	 * time counts once for each. A program that changes while several
	 * workers run it may end the job with -EIO. Since 1.2.
	 */
	__u32 workers;
	/** @pad: 0. Since 1.2. */
	__u32 pad;
};

enum drm_nnloop_job_state {
	/** @DRM_NNLOOP_JOB_QUEUED: waits for fences, for its turn or for a worker. */
	DRM_NNLOOP_JOB_QUEUED = 0,
	/** @DRM_NNLOOP_JOB_RUNNING: on a worker, or several. */
	DRM_NNLOOP_JOB_RUNNING = 1,
	/** @DRM_NNLOOP_JOB_ENDED: its fences have signalled, or are about to; @error is final. */
	DRM_NNLOOP_JOB_ENDED = 2,
};

/**
 * struct drm_nnloop_status - DRM_IOCTL_NNLOOP_STATUS
 *
 * The driver remembers the last 256 jobs that ended on a queue.
 *
 * EINVAL: the point is 0 or has not been submitted. ENODATA: it ended too
 * long ago to be remembered.
 */
struct drm_nnloop_status {
	/** @queue: queue id. */
	__u32 queue;
	/** @pad: 0. */
	__u32 pad;
	/** @point: point of the queue's timeline. */
	__u64 point;
	/** @state: out: enum drm_nnloop_job_state. */
	__u32 state;
	/**
	 * @error: out: 0, or how it failed: -ECANCELED cancelled, or not run
	 * because the queue was lost or destroyed; -EINVAL the firmware
	 * refused a program; -EFAULT an access outside the client's buffers
	 * or a write to one that the DSP may only read; -ETIMEDOUT no progress,
	 * or a pass that kept others waiting beyond the administrator's limit;
	 * -EIO the worker died, or several that ran it together found
	 * different programs; -ENODEV the device is gone. Or the error of a
	 * fence it waited for.
	 */
	__s32 error;
	/** @passes_done: out: complete passes; the next one is the one that failed. */
	__u32 passes_done;
	/** @fail_op: out: index of the failing operator in its program, ~0: none. */
	__u32 fail_op;
	/** @fail_reason: out: of -EINVAL: the firmware's reason. */
	__u32 fail_reason;
	/** @fault_access: out: of -EFAULT: DRM_NNLOOP_ACCESS_READ or _WRITE. */
	__u32 fault_access;
	/** @fault_address: out: of -EFAULT: the IOVA that was touched. */
	__u64 fault_address;
};

/**
 * struct drm_nnloop_cancel - DRM_IOCTL_NNLOOP_CANCEL
 *
 * Jobs submitted to the queue before this call and not yet ended end with
 * ECANCELED, a running one after its current operator. Later ones run.
 * The call does not wait.
 */
struct drm_nnloop_cancel {
	/** @queue: queue id. */
	__u32 queue;
	/** @pad: 0. */
	__u32 pad;
};

#define DRM_NNLOOP_BO_NAME_SIZE	64

/**
 * struct drm_nnloop_bo_set_name - DRM_IOCTL_NNLOOP_BO_SET_NAME
 *
 * The name is seen in debugfs. All clients that share a buffer share its name.
 *
 * EINVAL: the name is too long, or not printable ASCII.
 */
struct drm_nnloop_bo_set_name {
	/** @handle: GEM handle. */
	__u32 handle;
	/** @size: bytes of the name, less than DRM_NNLOOP_BO_NAME_SIZE; 0: none. */
	__u32 size;
	/** @name: pointer to it; it need not end with 0. */
	__u64 name;
};

#define DRM_IOCTL_NNLOOP(__access, __id, __type) \
	DRM_IO ## __access(DRM_COMMAND_BASE + DRM_NNLOOP_ ## __id, \
			   struct drm_nnloop_ ## __type)

#define DRM_IOCTL_NNLOOP_QUERY \
	DRM_IOCTL_NNLOOP(WR, QUERY, query)
#define DRM_IOCTL_NNLOOP_BO_CREATE \
	DRM_IOCTL_NNLOOP(WR, BO_CREATE, bo_create)
#define DRM_IOCTL_NNLOOP_BO_INFO \
	DRM_IOCTL_NNLOOP(WR, BO_INFO, bo_info)
#define DRM_IOCTL_NNLOOP_BO_SEAL \
	DRM_IOCTL_NNLOOP(W, BO_SEAL, bo_seal)
#define DRM_IOCTL_NNLOOP_BO_BEGIN_CPU \
	DRM_IOCTL_NNLOOP(W, BO_BEGIN_CPU, bo_cpu_access)
#define DRM_IOCTL_NNLOOP_BO_END_CPU \
	DRM_IOCTL_NNLOOP(W, BO_END_CPU, bo_cpu_access)
#define DRM_IOCTL_NNLOOP_QUEUE_CREATE \
	DRM_IOCTL_NNLOOP(WR, QUEUE_CREATE, queue_create)
#define DRM_IOCTL_NNLOOP_QUEUE_DESTROY \
	DRM_IOCTL_NNLOOP(W, QUEUE_DESTROY, queue_destroy)
#define DRM_IOCTL_NNLOOP_SUBMIT \
	DRM_IOCTL_NNLOOP(WR, SUBMIT, submit)
#define DRM_IOCTL_NNLOOP_STATUS \
	DRM_IOCTL_NNLOOP(WR, STATUS, status)
#define DRM_IOCTL_NNLOOP_CANCEL \
	DRM_IOCTL_NNLOOP(W, CANCEL, cancel)
#define DRM_IOCTL_NNLOOP_BO_SET_NAME \
	DRM_IOCTL_NNLOOP(W, BO_SET_NAME, bo_set_name)

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_NNLOOP_ACCEL_H_ */
