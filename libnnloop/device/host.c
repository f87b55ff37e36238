// SPDX-License-Identifier: MIT
/*
 * The host device: the interpreter and the portable kernels in this process. It computes in the
 * caller's memory.
 */
#include "device.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define ALIGNMENT	128u
#define MAX_PASSES	4096u

struct nn_queue {
	void *scratch;
	void *prepared;			/* memory of the program that was prepared last */
	uint64_t prepared_size;
	/* Of the run that is under way, and its pass. */
	const struct nn_watch *watch;
	uint64_t *times;
	uint64_t began;			/* the operator, or the one before was done */
};

static void host_close(struct nn_device *device)
{
	free(device);
}

/* ---- Memory */

static int host_constant_create(struct nn_device *device, uint64_t size, struct nn_block *block,
				struct nn_error *error)
{
	uint64_t rounded = (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);

	(void)device;
	*block = (struct nn_block){ .size = size };
	if (rounded < size || rounded > SIZE_MAX)
		goto no_memory;
	block->data = aligned_alloc(ALIGNMENT, rounded ? rounded : ALIGNMENT);
	if (!block->data)
		goto no_memory;
	return 0;
no_memory:
	nn_error_set(error, -ENOMEM, "out of memory: %llu bytes are needed",
		     (unsigned long long)size);
	return -ENOMEM;
}

static int host_block_create(struct nn_device *device, uint64_t size, struct nn_block *block,
			     struct nn_error *error)
{
	int code = host_constant_create(device, size, block, error);

	if (!code)
		memset(block->data, 0, size);
	return code;
}

static int host_dmabuf_create(struct nn_device *device, uint64_t size, int *fd,
			      struct nn_error *error)
{
	int code;

	(void)device;
	*fd = memfd_create("nnloop", MFD_CLOEXEC);
	if (*fd >= 0 && size <= INT64_MAX && !ftruncate(*fd, size))
		return 0;
	code = size <= INT64_MAX ? -errno : -ENOMEM;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	nn_error_set(error, code, "no memory for %llu bytes: %s", (unsigned long long)size,
		     strerror(-code));
	return code;
}

static int host_block_import(struct nn_device *device, int fd, uint64_t offset, uint64_t size,
			     bool write, struct nn_block *block, struct nn_error *error)
{
	uint64_t page = sysconf(_SC_PAGESIZE), lead = offset % page;
	off_t end = lseek(fd, 0, SEEK_END);
	int code;

	(void)device;
	*block = (struct nn_block){ .size = size, .handle = fd };
	/* Behind the end, memory can be mapped but not touched. */
	if (end >= 0 && (offset > (uint64_t)end || size > (uint64_t)end - offset)) {
		nn_error_set(
			error, -EINVAL,
			"the dma-buf %d is too small: %llu bytes from %llu on are needed, and it has %llu",
			fd, (unsigned long long)size, (unsigned long long)offset,
			(unsigned long long)end);
		return -EINVAL;
	}
	block->mapping_size = lead + size ? lead + size : 1;
	block->mapping = mmap(NULL, block->mapping_size, PROT_READ | (write ? PROT_WRITE : 0),
			      MAP_SHARED, fd, offset - lead);
	if (block->mapping == MAP_FAILED) {
		code = -errno;
		nn_error_set(error, code, "cannot map the dma-buf %d: %s", fd, strerror(-code));
		return code;
	}
	block->data = (uint8_t *)block->mapping + lead;
	return 0;
}

static int host_block_seal(struct nn_device *device, struct nn_block *block, struct nn_error *error)
{
	(void)device;
	(void)block;
	(void)error;
	return 0;
}

static void host_block_destroy(struct nn_device *device, struct nn_block *block)
{
	(void)device;
	if (block->mapping)
		munmap(block->mapping, block->mapping_size);
	else if (!block->callers)
		free(block->data);
	*block = (struct nn_block){ 0 };
}

/* Only a dma-buf has a device behind it that this process would have to be in step with. */
static void sync_dmabuf(const struct nn_block *block, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	if (block->mapping)
		ioctl((int)block->handle, DMA_BUF_IOCTL_SYNC, &sync);
}

static void host_block_begin(struct nn_device *device, const struct nn_block *block, bool write)
{
	(void)device;
	sync_dmabuf(block, DMA_BUF_SYNC_START | (write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ));
}

static void host_block_end(struct nn_device *device, const struct nn_block *block, bool write)
{
	(void)device;
	sync_dmabuf(block, DMA_BUF_SYNC_END | (write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ));
}

/* ---- Queues */

static int host_queue_create(struct nn_device *device, struct nn_queue **result,
			     struct nn_error *error)
{
	struct nn_queue *queue = calloc(1, sizeof(*queue));

	(void)device;
	if (queue)
		queue->scratch = aligned_alloc(ALIGNMENT, NN_SCRATCH_SIZE);
	if (!queue || !queue->scratch) {
		free(queue);
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	*result = queue;
	return 0;
}

static void host_queue_destroy(struct nn_queue *queue)
{
	free(queue->prepared);
	free(queue->scratch);
	free(queue);
}

static int host_progress(struct nn_run *run, uint32_t op)
{
	struct nn_queue *queue = run->context;

	(void)op;
	return atomic_load(queue->watch->cancelled) ? -ECANCELED : 0;
}

static void host_finished(struct nn_run *run, uint32_t op)
{
	struct nn_queue *queue = run->context;
	uint64_t now = nn_clock_ns();

	queue->times[op] += now - queue->began;
	queue->began = now;
}

/* 0 or why not. */
static int prepare_program(struct nn_queue *queue, const struct nn_bound_program *program,
			   struct nn_prepared **prepared, struct nn_failure *failure)
{
	uint64_t size = nn_program_prepared_size(program->program);

	if (size > queue->prepared_size) {
		free(queue->prepared);
		queue->prepared = malloc(size);
		queue->prepared_size = queue->prepared ? size : 0;
		if (!queue->prepared)
			return -ENOMEM;
	}
	*prepared = nn_program_prepare(program->program, program->memory, queue->prepared, failure);
	return *prepared ? 0 : -EINVAL;
}

/* Jobs before this one have done `before` passes. */
static int run_job(struct nn_job *job, const struct nn_watch *watch, uint32_t before)
{
	const struct nn_bound_program *program = NULL;
	struct nn_run_result *result = &job->result;
	struct nn_failure failure;
	struct nn_run run = {
		.scratch = job->queue->scratch,
		.scratch_size = NN_SCRATCH_SIZE,
		.progress = host_progress,
		.context = job->queue,
	};
	uint32_t i;
	int error;

	job->queue->watch = watch;
	for (i = 0; i < job->count; i++) {
		const struct nn_pass *pass = &job->passes[i];

		run.arg = pass->args;
		error = host_progress(&run, 0);
		if (!error && pass->program != program)
			error = prepare_program(job->queue, pass->program, &run.prepared, &failure);
		program = pass->program;
		job->queue->times = pass->times;
		job->queue->began = pass->times ? nn_clock_ns() : 0;
		run.finished = pass->times ? host_finished : NULL;
		if (!error)
			error = nn_program_run(&run, &failure);
		if (error == -ECANCELED || error == -ENOMEM)
			return error;
		if (error) {
			result->fail_op = failure.op;
			result->fail_reason = failure.reason;
			return -EINVAL;
		}
		result->passes_done++;
		watch->progress(watch->opaque, before + result->passes_done);
	}
	return 0;
}

/* One after the other. What comes after one that failed is not run. */
static void host_jobs_run(struct nn_device *device, struct nn_job *jobs, uint32_t count,
			  const struct nn_watch *watch)
{
	uint32_t i, done = 0;
	bool failed = false;

	(void)device;
	for (i = 0; i < count; i++) {
		jobs[i].result = (struct nn_run_result){ .fail_op = NN_SAME_OP };
		jobs[i].error = failed ? -ECANCELED : run_job(&jobs[i], watch, done);
		failed = jobs[i].error;
		done += jobs[i].result.passes_done;
	}
}

static const struct nn_device_ops host_ops = {
	.close = host_close,
	.block_create = host_block_create,
	.constant_create = host_constant_create,
	.dmabuf_create = host_dmabuf_create,
	.block_import = host_block_import,
	.block_seal = host_block_seal,
	.block_destroy = host_block_destroy,
	.block_begin = host_block_begin,
	.block_end = host_block_end,
	.queue_create = host_queue_create,
	.queue_destroy = host_queue_destroy,
	.jobs_run = host_jobs_run,
};

int nn_device_open_host(struct nn_device **result, struct nn_error *error)
{
	struct nn_device *device = calloc(1, sizeof(*device));

	if (!device) {
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	device->ops = &host_ops;
	device->references = 1;
	device->in_place = true;
	device->info.kind = NN_DEVICE_HOST;
	device->info.workers = 1;
	device->info.max_passes = MAX_PASSES;
	strcpy(device->info.name, "host processor, portable kernels");
	*result = device;
	return 0;
}
