// SPDX-License-Identifier: MIT
/*
 * The Hexagon device: buffers, queues and passes through /dev/nnloop.
 *
 * One open file is one client of the driver, with one DSP address space that all graphs on this
 * device share. Each graph has queues of its own.
 */
#include "hexagon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "base/error.h"
#include "drm/nnloop_accel.h"

/* The header of 1.0 lacks this. */
#ifndef DRM_NNLOOP_BO_DSP_READ_ONLY
#define DRM_NNLOOP_BO_DSP_READ_ONLY	0
#endif

#define WAIT_SLICE_NS		10000000 /* how often a wait looks whether it was cancelled */
#define PROGRESS_NS		50000000	/* how often it asks how far the job is */

/* A dma-buf that is imported twice has one handle, which closes with the last. */
struct import {
	struct import *next;
	uint32_t handle;
	uint32_t count;
};

struct nn_queue {
	struct hexagon *hexagon;
	uint32_t id;
	uint32_t syncobj;
	uint64_t point;			/* of the last job */
};

static struct hexagon *to_hexagon(struct nn_device *device)
{
	return (struct hexagon *)device;
}

int nn_hexagon_call(struct hexagon *hexagon, unsigned long request, void *argument)
{
	return drmIoctl(hexagon->fd, request, argument) ? -errno : 0;
}

/* ---- Memory */

static void close_handle(struct hexagon *hexagon, uint32_t handle)
{
	drmCloseBufferHandle(hexagon->fd, handle);
}

static int create_buffer(struct hexagon *hexagon, struct drm_nnloop_bo_create *create,
			 struct nn_error *error)
{
	int code = nn_hexagon_call(hexagon, DRM_IOCTL_NNLOOP_BO_CREATE, create);
	unsigned long long size = create->size, used = atomic_load(&hexagon->used);
	unsigned long long window = hexagon->window_size;

	if (code == -ENODEV)
		nn_error_set(error, code, "the device is gone");
	else if (code == -ENOSPC && (size > window || used > window - size))
		nn_error_set(error, code,
			     "no memory on the DSP for %llu bytes: it has %llu in all, and %llu in use, which is %llu too few; passes of fewer items need less",
			     size, window, used, size + used - window);
	else if (code)
		nn_error_set(error, code, "no memory on the DSP for %llu bytes: %s", size,
			     strerror(-code));
	return code;
}

/*
 * Returns the flags for what will be sealed. A driver of 1.0 does not know the flag: there, sealing
 * fails while a job of any graph on this device runs.
 */
static uint32_t constant_flags(const struct nn_device *device)
{
	return device->info.uapi_minor >= 1 ? DRM_NNLOOP_BO_DSP_READ_ONLY : 0;
}

static int hexagon_dmabuf_create(struct nn_device *device, uint64_t size, int *fd,
				 struct nn_error *error)
{
	struct hexagon *hexagon = to_hexagon(device);
	struct drm_nnloop_bo_create create = { .size = size };
	int code;

	code = create_buffer(hexagon, &create, error);
	if (code)
		return code;
	if (drmPrimeHandleToFD(hexagon->fd, create.handle, DRM_CLOEXEC | DRM_RDWR, fd)) {
		code = -errno;
		*fd = -1;
		nn_error_set(error, code, "cannot export a buffer of %llu bytes: %s",
			     (unsigned long long)size, strerror(-code));
	}
	/* The dma-buf has a reference of its own. */
	close_handle(hexagon, create.handle);
	return code;
}

static int create_block(struct hexagon *hexagon, uint64_t size, uint32_t flags,
			struct nn_block *block, struct nn_error *error)
{
	struct drm_nnloop_bo_create create = { .size = size, .flags = flags };
	int code;

	*block = (struct nn_block){ 0 };
	code = create_buffer(hexagon, &create, error);
	if (code)
		return code;
	block->data = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, hexagon->fd,
			   create.mmap_offset);
	if (block->data == MAP_FAILED) {
		code = -errno;
		close_handle(hexagon, create.handle);
		*block = (struct nn_block){ 0 };
		nn_error_set(error, code, "cannot map a buffer of %llu bytes: %s",
			     (unsigned long long)size, strerror(-code));
		return code;
	}
	atomic_fetch_add(&hexagon->used, create.size);
	block->size = create.size;
	block->address = create.iova;
	block->handle = create.handle;
	block->mapping = block->data;
	block->mapping_size = create.size;
	return 0;
}

static int hexagon_block_create(struct nn_device *device, uint64_t size, struct nn_block *block,
				struct nn_error *error)
{
	return create_block(to_hexagon(device), size, 0, block, error);
}

static int hexagon_constant_create(struct nn_device *device, uint64_t size, struct nn_block *block,
				   struct nn_error *error)
{
	int code = create_block(to_hexagon(device), size, constant_flags(device), block, error);

	/*
	 * A child of this process would have a writable mapping, too, and nothing could be sealed.
	 */
	if (!code)
		madvise(block->mapping, block->mapping_size, MADV_DONTFORK);
	return code;
}

static int import_handle(struct hexagon *hexagon, int fd, uint32_t *handle)
{
	struct import *import;
	int code = 0;

	pthread_mutex_lock(&hexagon->lock);
	if (drmPrimeFDToHandle(hexagon->fd, fd, handle)) {
		code = -errno;
		goto unlock;
	}
	for (import = hexagon->imports; import; import = import->next)
		if (import->handle == *handle)
			break;
	if (!import) {
		import = calloc(1, sizeof(*import));
		if (!import) {
			close_handle(hexagon, *handle);
			code = -ENOMEM;
			goto unlock;
		}
		import->handle = *handle;
		import->next = hexagon->imports;
		hexagon->imports = import;
	}
	import->count++;
unlock:
	pthread_mutex_unlock(&hexagon->lock);
	return code;
}

/* False if the handle is not an import. */
static bool release_import(struct hexagon *hexagon, uint32_t handle)
{
	struct import **link, *import;

	pthread_mutex_lock(&hexagon->lock);
	for (link = &hexagon->imports; *link && (*link)->handle != handle; link = &(*link)->next)
		;
	import = *link;
	if (import && !--import->count) {
		*link = import->next;
		close_handle(hexagon, handle);
		free(import);
	}
	pthread_mutex_unlock(&hexagon->lock);
	return import;
}

static int hexagon_block_import(struct nn_device *device, int fd, uint64_t offset, uint64_t size,
				bool write, struct nn_block *block, struct nn_error *error)
{
	struct hexagon *hexagon = to_hexagon(device);
	struct drm_nnloop_bo_info info = { 0 };
	void *mapping;
	int code;

	*block = (struct nn_block){ 0 };
	code = import_handle(hexagon, fd, &info.handle);
	if (code) {
		nn_error_set(error, code, "cannot import the dma-buf %d: %s", fd, strerror(-code));
		return code;
	}
	code = nn_hexagon_call(hexagon, DRM_IOCTL_NNLOOP_BO_INFO, &info);
	if (!code && (offset > info.size || size > info.size - offset))
		code = -EINVAL;
	if (code) {
		release_import(hexagon, info.handle);
		nn_error_set(
			error, code,
			code == -EINVAL
				? "the dma-buf %d is too small: %llu bytes from %llu on are needed"
				: "cannot use the dma-buf %d",
			fd, (unsigned long long)size, (unsigned long long)offset);
		return code;
	}
	if (write && info.flags & DRM_NNLOOP_BO_DSP_READ_ONLY) {
		release_import(hexagon, info.handle);
		nn_error_set(error, -EACCES,
			     "the dma-buf %d can only be read, but an output is written to it", fd);
		return -EACCES;
	}
	block->size = size;
	block->address = info.iova + offset;
	block->handle = info.handle;
	/*
	 * The mapping is only for operators on the host; who exported the buffer may not allow one.
	 */
	mapping = mmap(NULL, info.size, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (mapping != MAP_FAILED) {
		block->mapping = mapping;
		block->mapping_size = info.size;
		block->data = (uint8_t *)mapping + offset;
	}
	return 0;
}

static int hexagon_block_seal(struct nn_device *device, struct nn_block *block,
			      struct nn_error *error)
{
	struct drm_nnloop_bo_seal seal = { .handle = block->handle };
	int code;

	/* While a CPU could still write, a buffer cannot be sealed. */
	munmap(block->mapping, block->mapping_size);
	block->mapping = NULL;
	block->data = NULL;
	code = nn_hexagon_call(to_hexagon(device), DRM_IOCTL_NNLOOP_BO_SEAL, &seal);
	if (code)
		nn_error_set(error, code, "cannot seal a buffer: %s", strerror(-code));
	return code;
}

static void hexagon_block_destroy(struct nn_device *device, struct nn_block *block)
{
	struct hexagon *hexagon = to_hexagon(device);

	if (block->mapping)
		munmap(block->mapping, block->mapping_size);
	if (!release_import(hexagon, block->handle)) {
		close_handle(hexagon, block->handle);
		atomic_fetch_sub(&hexagon->used, block->size);
	}
	*block = (struct nn_block){ 0 };
}

static void cpu_access(struct nn_device *device, const struct nn_block *block,
		       unsigned long request, bool write)
{
	struct drm_nnloop_bo_cpu_access access = {
		.handle = block->handle,
		.access = DRM_NNLOOP_ACCESS_READ | (write ? DRM_NNLOOP_ACCESS_WRITE : 0),
	};

	/* It fails only when the device is gone, which the next submission finds out. */
	if (block->handle)
		nn_hexagon_call(to_hexagon(device), request, &access);
}

static void hexagon_block_begin(struct nn_device *device, const struct nn_block *block, bool write)
{
	cpu_access(device, block, DRM_IOCTL_NNLOOP_BO_BEGIN_CPU, write);
}

static void hexagon_block_end(struct nn_device *device, const struct nn_block *block, bool write)
{
	cpu_access(device, block, DRM_IOCTL_NNLOOP_BO_END_CPU, write);
}

/* ---- Queues */

static int hexagon_queue_create(struct nn_device *device, struct nn_queue **result,
				struct nn_error *error)
{
	struct hexagon *hexagon = to_hexagon(device);
	struct drm_nnloop_queue_create create = { .priority = DRM_NNLOOP_PRIORITY_NORMAL };
	struct nn_queue *queue = calloc(1, sizeof(*queue));
	int code;

	if (!queue) {
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	code = nn_hexagon_call(hexagon, DRM_IOCTL_NNLOOP_QUEUE_CREATE, &create);
	if (code) {
		free(queue);
		nn_error_set(error, code,
			     code == -ENODEV  ? "the device is gone"
			     : code == -EBUSY ? "too many graphs are prepared on this device"
					      : "cannot make a queue on the device");
		return code;
	}
	queue->hexagon = hexagon;
	queue->id = create.queue;
	queue->syncobj = create.syncobj;
	*result = queue;
	return 0;
}

static void hexagon_queue_destroy(struct nn_queue *queue)
{
	struct drm_nnloop_queue_destroy destroy = { .queue = queue->id };

	nn_hexagon_call(queue->hexagon, DRM_IOCTL_NNLOOP_QUEUE_DESTROY, &destroy);
	drmSyncobjDestroy(queue->hexagon->fd, queue->syncobj);
	free(queue);
}

/* A pass that is a control program has no arguments but its flags, and where it is counted. */
static void take_control(struct drm_nnloop_pass *entry, const struct nn_pass *pass)
{
	const struct nn_bound_control *control = pass->control;

	entry->program = control->address;
	entry->program_size = control->control->size;
	entry->arg_count = NN_ARG_COUNT;
	entry->args[NN_ARG_PROFILE] = pass->args[NN_ARG_PROFILE];
	entry->args[NN_ARG_FLAGS] = NN_PASS_CONSTANT | NN_PASS_CONTROL;
}

/* A pass's arguments, of row counts no more than the driver carries (pass_counts). */
static void take_arguments(struct drm_nnloop_pass *entry, const struct nn_pass *pass)
{
	uint32_t i;

	entry->arg_count = NN_ARG_COUNT;
	for (i = NN_ARG_COUNT; i < DRM_NNLOOP_MAX_ARGS; i++)
		if (pass->args[i])
			entry->arg_count = i + 1;
	memcpy(entry->args, pass->args, entry->arg_count * sizeof(*entry->args));
	/* Programs are in sealed buffers. */
	entry->args[NN_ARG_FLAGS] = NN_PASS_CONSTANT;
	if (entry->args[NN_ARG_PROFILE])
		entry->args[NN_ARG_FLAGS] |= NN_PASS_MEMORY;
}

static int submit(const struct nn_job *job)
{
	struct nn_queue *queue = job->queue;
	const struct nn_pass *passes = job->passes;
	struct drm_nnloop_pass *list = calloc(job->count, sizeof(*list));
	struct drm_nnloop_submit call = {
		.queue = queue->id,
		.passes = (uintptr_t)list,
		.pass_count = job->count,
		.pass_stride = sizeof(*list),
	};
	int code;
	uint32_t i;

	if (!list)
		return -ENOMEM;
#ifdef DRM_NNLOOP_SUBMIT_WORKERS
	if (queue->hexagon->device.info.uapi_minor >= 2)
		call.workers = job->workers;
#endif
	for (i = 0; i < job->count; i++) {
		if (passes[i].control) {
			take_control(&list[i], &passes[i]);
			continue;
		}
		list[i].program = passes[i].program->address;
		list[i].program_size = passes[i].program->program->size;
		take_arguments(&list[i], &passes[i]);
	}
	code = nn_hexagon_call(queue->hexagon, DRM_IOCTL_NNLOOP_SUBMIT, &call);
	queue->point = call.point;
	free(list);
	return code;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The status of a queue's last job. */
static int get_status(struct nn_queue *queue, struct drm_nnloop_status *status)
{
	*status = (struct drm_nnloop_status){ .queue = queue->id, .point = queue->point };
	return nn_hexagon_call(queue->hexagon, DRM_IOCTL_NNLOOP_STATUS, status);
}

static void cancel(struct nn_queue *queue)
{
	struct drm_nnloop_cancel cancel = { .queue = queue->id };

	nn_hexagon_call(queue->hexagon, DRM_IOCTL_NNLOOP_CANCEL, &cancel);
}

/* The programs that the control programs of a job have run; other passes count as one. */
static uint32_t count_passes(const struct nn_job *job)
{
	uint32_t i, count = job->result.passes_done;

	for (i = 0; i < job->count; i++)
		if (job->passes[i].control)
			count += job->passes[i].control->state->running.passes -
				 (i < job->result.passes_done);
	return count;
}

/* Reports how many passes the jobs have done together, as far as it can be found out. */
static void report_progress(struct nn_job *jobs, uint32_t count, const struct nn_watch *watch)
{
	struct drm_nnloop_status status;
	uint32_t i, done = 0;

	for (i = 0; i < count; i++) {
		if (!get_status(jobs[i].queue, &status))
			jobs[i].result.passes_done = status.passes_done;
		done += count_passes(&jobs[i]);
	}
	watch->progress(watch->opaque, done);
}

/*
 * Waits until all jobs have ended, which the driver makes sure they do. A cancel is passed on once.
 */
static int wait_for(struct hexagon *hexagon, struct nn_job *jobs, uint32_t count,
		    const struct nn_watch *watch)
{
	uint32_t syncobjs[NN_MAX_JOBS], i;
	uint64_t points[NN_MAX_JOBS];
	int64_t asked = now_ns(), now;
	bool cancelled = false;
	int code;

	for (i = 0; i < count; i++) {
		syncobjs[i] = jobs[i].queue->syncobj;
		points[i] = jobs[i].queue->point;
	}
	for (;;) {
		if (!cancelled && atomic_load(watch->cancelled)) {
			cancelled = true;
			for (i = 0; i < count; i++)
				cancel(jobs[i].queue);
		}
		now = now_ns();
		code = drmSyncobjTimelineWait(hexagon->fd, syncobjs, points, count,
					      now + WAIT_SLICE_NS,
					      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, NULL);
		if (code != -ETIME)
			return code;
		if (now - asked < PROGRESS_NS)
			continue;
		asked = now;
		report_progress(jobs, count, watch);
	}
}

/* Notes how a job ended that was waited for. A wait tells nothing of that. */
static void finish(struct nn_job *job, const struct nn_watch *watch)
{
	struct nn_run_result *result = &job->result;
	struct drm_nnloop_status status;

	job->error = get_status(job->queue, &status);
	if (job->error) {
		result->queue_lost = true;
		return;
	}
	job->error = status.error;
	result->passes_done = status.passes_done < job->count ? status.passes_done : job->count;
	if (!status.error)
		return;
	result->fail_op = status.fail_op;
	result->fail_reason = status.fail_reason;
	result->fault_access = status.fault_access;
	result->fault_address = status.fault_address;
	result->queue_lost = status.error != -ECANCELED || !atomic_load(watch->cancelled);
}

/* The number of jobs that were submitted. Those behind one that could not be are not: what comes
 * before it is to be complete. */
static uint32_t submit_all(struct nn_job *jobs, uint32_t count, const struct nn_watch *watch)
{
	uint32_t i, submitted = 0;
	int code = atomic_load(watch->cancelled) ? -ECANCELED : 0;

	for (i = 0; i < count; i++) {
		struct nn_job *job = &jobs[i];

		job->result = (struct nn_run_result){ .fail_op = NN_SAME_OP };
		job->error = code ? -ECANCELED : 0;
		if (code)
			continue;
		code = submit(job);
		job->error = code;
		job->result.queue_lost = code;
		submitted += !code;
	}
	return submitted;
}

static void hexagon_jobs_run(struct nn_device *device, struct nn_job *jobs, uint32_t count,
			     const struct nn_watch *watch)
{
	uint32_t i, submitted = submit_all(jobs, count, watch), done = 0;
	int code;

	if (!submitted)
		return;
	code = wait_for(to_hexagon(device), jobs, submitted, watch);
	for (i = 0; i < submitted; i++) {
		jobs[i].error = code;
		jobs[i].result.queue_lost = code;
		if (!code)
			finish(&jobs[i], watch);
		done += count_passes(&jobs[i]);
	}
	if (!code)
		watch->progress(watch->opaque, done);
}

/* ---- The device */

static void hexagon_close(struct nn_device *device)
{
	struct hexagon *hexagon = to_hexagon(device);

	close(hexagon->fd);
	pthread_mutex_destroy(&hexagon->lock);
	free(hexagon);
}

const struct nn_device_ops nn_hexagon_ops = {
	.close = hexagon_close,
	.block_create = hexagon_block_create,
	.constant_create = hexagon_constant_create,
	.dmabuf_create = hexagon_dmabuf_create,
	.block_import = hexagon_block_import,
	.block_seal = hexagon_block_seal,
	.block_destroy = hexagon_block_destroy,
	.block_begin = hexagon_block_begin,
	.block_end = hexagon_block_end,
	.queue_create = hexagon_queue_create,
	.queue_destroy = hexagon_queue_destroy,
	.jobs_run = hexagon_jobs_run,
};
