// SPDX-License-Identifier: MIT
/*
 * The host device: the interpreter and the host's kernels in this process. It computes in the
 * caller's memory.
 */
#include "host.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

#define MAX_PASSES	4096u

static void host_close(struct nn_device *device)
{
	struct nn_host_device *host = nn_host_of(device);

	nn_team_destroy(host->team);
	free(host->scratch);
	free(host);
}

/* ---- Memory */

static int host_constant_create(struct nn_device *device, uint64_t size, struct nn_block *block,
				struct nn_error *error)
{
	uint64_t rounded = (size + NN_HOST_ALIGNMENT - 1) & ~(uint64_t)(NN_HOST_ALIGNMENT - 1);

	(void)device;
	*block = (struct nn_block){ .size = size };
	if (rounded < size || rounded > SIZE_MAX)
		goto no_memory;
	block->data = aligned_alloc(NN_HOST_ALIGNMENT, rounded ? rounded : NN_HOST_ALIGNMENT);
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
	/* A file's memory behind its end can be mapped but not touched. */
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

/* A dma-buf alone has a device behind it that this process has to be in step with. */
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
	.queue_create = nn_host_queue_create,
	.queue_destroy = nn_host_queue_destroy,
	.jobs_run = nn_host_jobs_run,
};

/* 0: how much there is is not known. */
static uint64_t count_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * page : 0;
}

int nn_device_open_host(uint32_t threads, struct nn_device **result, struct nn_error *error)
{
	struct nn_host_device *host = calloc(1, sizeof(*host));
	struct nn_device *device;

	if (!host)
		goto no_memory;
	if (!threads)
		threads = nn_team_default_size();
	host->team = nn_team_create(threads);
	if (threads > 1)
		host->scratch = aligned_alloc(NN_HOST_ALIGNMENT,
					      (size_t)(threads - 1) * NN_SCRATCH_SIZE);
	if (!host->team || (threads > 1 && !host->scratch))
		goto close;
	device = &host->device;
	device->ops = &host_ops;
	device->references = 1;
	device->memory = count_memory();
	device->in_place = true;
	device->divides = true;
	device->controls = true;
	device->pass_counts = NN_MAX_COUNTS;
	device->info.kind = NN_DEVICE_HOST;
	device->info.workers = threads;
	device->info.max_passes = MAX_PASSES;
	snprintf(device->info.name, sizeof(device->info.name), "host processor, %u thread%s",
		 threads, threads > 1 ? "s" : "");
	*result = device;
	return 0;

close:
	host_close(&host->device);
no_memory:
	nn_error_set(error, -ENOMEM, "out of memory");
	return -ENOMEM;
}
