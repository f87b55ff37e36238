/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other drivers to share memory and fences with: vgem (both kernels), the system dma-heap and
 * udmabuf (6.12). Each gives a dma-buf; vgem also gives a fence that is signalled on command.
 */
#ifndef NNLOOP_TEST_PARTNER_H
#define NNLOOP_TEST_PARTNER_H

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>

#include <drm_mode.h>

#include "nnloop_test.h"

/* vgem's own two calls; its header is in no Debian package. */
struct vgem_fence_attach {
	__u32 handle;
	__u32 flags;
	__u32 out_fence;
	__u32 pad;
};

struct vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define VGEM_FENCE_WRITE	1
#define VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

/* -ENOENT if there is none (and none could be loaded). */
static inline int vgem_open(void)
{
	char path[32];
	int i;

	if (system("modprobe -q vgem 2>/dev/null"))
		return -ENOENT;
	for (i = 0; i < 64; i++) {
		char name[16] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!device_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "vgem"))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

static inline int vgem_bo(int fd, __u64 size, __u32 *handle)
{
	struct drm_mode_create_dumb create = {
		.width = 1024,
		.height = (size + 4095) / 4096,
		.bpp = 32,
	};
	int ret = device_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &create);

	*handle = create.handle;
	return ret;
}

static inline int prime_export_flags(int fd, __u32 handle, __u32 flags)
{
	struct drm_prime_handle prime = { .handle = handle, .flags = DRM_CLOEXEC | flags };
	int ret = device_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	return ret ?: prime.fd;
}

static inline int prime_export(int fd, __u32 handle)
{
	return prime_export_flags(fd, handle, DRM_RDWR);
}

/* Exports a buffer without write access. It is the first export of a buffer that decides. */
static inline int prime_export_read_only(int fd, __u32 handle)
{
	return prime_export_flags(fd, handle, 0);
}

static inline int prime_import(int fd, int dmabuf, __u32 *handle)
{
	struct drm_prime_handle prime = { .fd = dmabuf };
	int ret = device_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	*handle = prime.handle;
	return ret;
}

/* A dma-buf of another driver, -ENOENT if this kernel has not got that driver. */

static inline int dmabuf_from_vgem(__u64 size)
{
	__u32 handle;
	int fd = vgem_open(), ret;

	if (fd < 0)
		return fd;
	ret = vgem_bo(fd, size, &handle);
	ret = ret ?: prime_export(fd, handle);
	close(fd);
	return ret;
}

static inline int dmabuf_from_heap(__u64 size)
{
	struct dma_heap_allocation_data data = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	int fd = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = device_ioctl(fd, DMA_HEAP_IOCTL_ALLOC, &data);
	close(fd);
	return ret ?: (int)data.fd;
}

static inline int dmabuf_from_udmabuf(__u64 size)
{
	struct udmabuf_create create = { .size = size };
	int fd = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	create.memfd = memfd_create("partner", MFD_ALLOW_SEALING);
	if (ftruncate(create.memfd, size) || fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		close(fd);
		return -errno;
	}
	ret = ioctl(fd, UDMABUF_CREATE, &create);
	if (ret < 0)
		ret = -errno;
	close(create.memfd);
	close(fd);
	return ret;
}

static inline int dmabuf_sync(int dmabuf, __u64 flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	return device_ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync);
}

/* A fence that somebody else signals: sync_file of a vgem fence. */
struct gate {
	int vgem;
	__u32 fence;
};

/* Returns the sync_file. */
static inline int gate_new(struct gate *gate)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW };
	struct vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	int dmabuf, ret;

	gate->vgem = vgem_open();
	if (gate->vgem < 0)
		return gate->vgem;
	ret = vgem_bo(gate->vgem, 4096, &attach.handle);
	ret = ret ?: device_ioctl(gate->vgem, VGEM_FENCE_ATTACH, &attach);
	if (ret)
		return ret;
	gate->fence = attach.out_fence;
	dmabuf = prime_export(gate->vgem, attach.handle);
	if (dmabuf < 0)
		return dmabuf;
	ret = device_ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export);
	close(dmabuf);
	return ret ?: export.fd;
}

static inline int gate_open(struct gate *gate)
{
	struct vgem_fence_signal signal = { .fence = gate->fence };

	return device_ioctl(gate->vgem, VGEM_FENCE_SIGNAL, &signal);
}

static inline int syncobj_import_sync_file(int fd, __u32 handle, int file)
{
	struct drm_syncobj_handle args = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
		.fd = file,
	};

	return device_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
}

/* The fence of a binary syncobj as a sync_file. (A timeline's would not tell its error.) */
static inline int syncobj_export_sync_file(int fd, __u32 handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};
	int ret = device_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	return ret ?: args.fd;
}

/* Submit a job; returns the sync_file of its end. */
static inline int queue_submit_sync_file(struct queue *queue, const struct drm_nnloop_pass *passes,
					 __u32 pass_count, __u64 *point)
{
	struct drm_nnloop_sync signal = { 0 };
	int ret = syncobj_create(queue->fd, &signal.handle);

	ret = ret ?: queue_submit_syncs(queue, passes, pass_count, NULL, 0, &signal, 1, point);
	ret = ret ?: syncobj_export_sync_file(queue->fd, signal.handle);
	syncobj_destroy(queue->fd, signal.handle);
	return ret;
}

/* 1: signalled, 0: not yet, negative: its error. */
static inline int sync_file_status(int file)
{
	struct sync_file_info info = { 0 };
	int ret = device_ioctl(file, SYNC_IOC_FILE_INFO, &info);

	return ret ?: info.status;
}

/* The single fence in a sync_file, with its driver's name. */
static inline int sync_file_fence(int file, struct sync_fence_info *fence)
{
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)fence };

	memset(fence, 0, sizeof(*fence));
	return device_ioctl(file, SYNC_IOC_FILE_INFO, &info);
}

#endif
