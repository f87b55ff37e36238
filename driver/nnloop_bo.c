// SPDX-License-Identifier: GPL-2.0
/*
 * The calls for buffers: making one, asking about it, sealing and naming it, and access by the CPU.
 *
 * A sealed buffer is read-only for the DSP in every space, and no CPU mapping can write to it. A
 * buffer can also be made with entries that are read-only from the first one on, and be sealed
 * later or not.
 */
#include <linux/ctype.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_gem.h"
#include "nnloop_memory.h"

/* The flags that a client can ask for; the others are only reported. */
#define NNLOOP_BO_CREATE_FLAGS	(DRM_NNLOOP_BO_WRITE_COMBINE | DRM_NNLOOP_BO_DSP_READ_ONLY)

/* Finds a buffer by its handle, with a reference; or returns NULL, and the call is refused. */
static struct drm_gem_object *nnloop_gem_find(struct drm_file *filp, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(filp, handle);

	if (!obj)
		return nnloop_refuse(filp->minor->dev, NULL, "handle %u is no buffer's", handle);
	return obj;
}

/**
 * nnloop_ioctl_bo_create - DRM_IOCTL_NNLOOP_BO_CREATE
 * @drm: the device
 * @data: struct drm_nnloop_bo_create
 * @filp: the file
 */
int nnloop_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct nnloop_file *file = filp->driver_priv;
	struct drm_nnloop_bo_create *args = data;
	struct drm_gem_shmem_object *shmem;
	struct nnloop_mapping *mapping;
	struct nnloop_bo *bo;
	size_t size;
	int ret;

	if (args->flags & ~NNLOOP_BO_CREATE_FLAGS)
		return nnloop_refuse(drm, -EOPNOTSUPP, "flags %#x: only %#x are known", args->flags,
				     NNLOOP_BO_CREATE_FLAGS);
	if (!args->size)
		return nnloop_refuse(drm, -EINVAL, "size is 0");
	if (args->size > U64_MAX - PAGE_SIZE + 1)
		return nnloop_refuse(drm, -EOVERFLOW, "size %#llx cannot be rounded up to pages",
				     args->size);
	if (args->size > NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE)
		return nnloop_refuse(drm, -ENOSPC, "size %#llx: at most %#x fit the window",
				     args->size, NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE);

	size = PAGE_ALIGN(args->size);
	ret = nnloop_memory_charge(file->memory, drm, size);
	if (ret)
		return ret;
	shmem = drm_gem_shmem_create(drm, size);
	if (IS_ERR(shmem)) {
		nnloop_memory_uncharge(file->memory, size);
		return PTR_ERR(shmem);
	}
	bo = to_nnloop_bo(&shmem->base);
	nnloop_memory_add_bo(file->memory, bo);
	nnloop_bo_register(bo);
	bo->write_combine = args->flags & DRM_NNLOOP_BO_WRITE_COMBINE;
	bo->dsp_read_only = args->flags & DRM_NNLOOP_BO_DSP_READ_ONLY;
	/*
	 * x86 takes pages out of the kernel's own cached mapping when they become write-combining.
	 * Other architectures do not, and a DSP that looks into the caches could find old lines
	 * there.
	 */
	shmem->map_wc = bo->write_combine && IS_ENABLED(CONFIG_X86);

	/*
	 * A client whose memory cgroup is over its memory.high sleeps here, so none of our locks is
	 * held.
	 */
	ret = drm_gem_shmem_pin(shmem);
	if (ret)
		goto out_put;
	ret = drm_gem_handle_create(filp, &shmem->base, &args->handle);
	/* The mapping for the DSP keeps the pages for as long as it is there. */
	drm_gem_shmem_unpin(shmem);
	if (ret)
		goto out_put;

	mutex_lock(&bo->lock);
	mapping = nnloop_bo_find_mapping(bo, &file->space);
	args->iova = mapping ? nnloop_mapping_iova(mapping) : 0;
	mutex_unlock(&bo->lock);
	args->size = shmem->base.size;
	args->mmap_offset = drm_vma_node_offset_addr(&shmem->base.vma_node);
out_put:
	drm_gem_object_put(&shmem->base);
	return ret;
}

static bool nnloop_bo_can_mmap(struct nnloop_bo *bo)
{
	return !bo->imported || bo->imported->ops->mmap;
}

/**
 * nnloop_ioctl_bo_info - DRM_IOCTL_NNLOOP_BO_INFO
 * @drm: the device
 * @data: struct drm_nnloop_bo_info
 * @filp: the file
 */
int nnloop_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct nnloop_file *file = filp->driver_priv;
	struct drm_nnloop_bo_info *args = data;
	struct nnloop_mapping *mapping;
	struct drm_gem_object *obj;
	struct nnloop_bo *bo;
	int ret = 0;

	obj = nnloop_gem_find(filp, args->handle);
	if (!obj)
		return -ENOENT;
	bo = to_nnloop_bo(obj);

	mutex_lock(&bo->lock);
	mapping = nnloop_bo_find_mapping(bo, &file->space);
	if (!mapping) {
		ret = nnloop_refuse(drm, -ENOENT, "handle %u is being closed", args->handle);
		goto out_unlock;
	}
	args->flags = 0;
	if (bo->write_combine)
		args->flags |= DRM_NNLOOP_BO_WRITE_COMBINE;
	if (bo->sealed)
		args->flags |= DRM_NNLOOP_BO_SEALED;
	if (bo->imported)
		args->flags |= DRM_NNLOOP_BO_IMPORTED;
	if (bo->dsp_read_only)
		args->flags |= DRM_NNLOOP_BO_DSP_READ_ONLY;
	args->size = obj->size;
	args->iova = nnloop_mapping_iova(mapping);
	args->mmap_offset = nnloop_bo_can_mmap(bo) ?
			    drm_vma_node_offset_addr(&obj->vma_node) : 0;
out_unlock:
	mutex_unlock(&bo->lock);
	drm_gem_object_put(obj);
	return ret;
}

static int nnloop_bo_seal(struct nnloop_bo *bo, u32 handle)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct drm_device *drm = obj->dev;
	struct nnloop_mapping *mapping;
	int ret;

	lockdep_assert_held(&drm->object_name_lock);
	lockdep_assert_held(&bo->lock);

	if (bo->sealed)
		return 0;
	if (bo->writable_vmas)
		return nnloop_refuse(drm, -EBUSY, "handle %u has %u writable CPU mappings", handle,
				     bo->writable_vmas);
	/*
	 * This looks at no other file's jobs. A file that has got the buffer by an export may have
	 * closed it again, which takes its mapping from @mappings at once, while a job goes on to
	 * write by it. So what counts is whether there ever was an export. Without one, no other
	 * file has had the buffer, and this file has had one mapping of it.
	 */
	if (bo->exported)
		return nnloop_refuse(drm, -EBUSY, "handle %u has been exported", handle);
	mapping = list_first_entry_or_null(&bo->mappings, struct nnloop_mapping, bo_link);
	if (!mapping)
		return nnloop_refuse(drm, -ENOENT, "handle %u is being closed", handle);

	/* The DSP's entries of other buffers have always been read-only, so jobs do not matter. */
	if (!bo->dsp_read_only) {
		ret = nnloop_mapping_seal(mapping);
		if (ret)
			return ret;
	}
	WRITE_ONCE(bo->sealed, true);
	return 0;
}

/**
 * nnloop_ioctl_bo_seal - DRM_IOCTL_NNLOOP_BO_SEAL
 * @drm: the device
 * @data: struct drm_nnloop_bo_seal
 * @filp: the file
 */
int nnloop_ioctl_bo_seal(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_nnloop_bo_seal *args = data;
	struct drm_gem_object *obj;
	struct nnloop_bo *bo;
	int ret;

	if (args->flags)
		return nnloop_refuse(drm, -EOPNOTSUPP, "flags %#x: none is known", args->flags);

	obj = nnloop_gem_find(filp, args->handle);
	if (!obj)
		return -ENOENT;
	bo = to_nnloop_bo(obj);
	if (bo->imported) {
		ret = nnloop_refuse(drm, -EACCES, "handle %u is an import", args->handle);
		goto out_put;
	}

	/* The buffer does not become exported under this lock. */
	mutex_lock(&drm->object_name_lock);
	mutex_lock(&bo->lock);
	ret = nnloop_bo_seal(bo, args->handle);
	mutex_unlock(&bo->lock);
	mutex_unlock(&drm->object_name_lock);
out_put:
	drm_gem_object_put(obj);
	return ret;
}

/**
 * nnloop_ioctl_bo_set_name - DRM_IOCTL_NNLOOP_BO_SET_NAME
 * @drm: the device
 * @data: struct drm_nnloop_bo_set_name
 * @filp: the file
 */
int nnloop_ioctl_bo_set_name(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_nnloop_bo_set_name *args = data;
	struct nnloop_device *ndev = to_nnloop(drm);
	char name[DRM_NNLOOP_BO_NAME_SIZE] = {};
	struct drm_gem_object *obj;
	unsigned int i;

	if (args->size >= sizeof(name))
		return nnloop_refuse(drm, -EINVAL, "size %u of the name: at most %zu", args->size,
				     sizeof(name) - 1);
	if (copy_from_user(name, u64_to_user_ptr(args->name), args->size))
		return nnloop_refuse(drm, -EFAULT, "name %#llx is not readable", args->name);
	for (i = 0; i < args->size; i++) {
		if (!isascii(name[i]) || !isprint(name[i]))
			return nnloop_refuse(drm, -EINVAL, "name[%u] is %#x, not printable", i,
					     (u8)name[i]);
	}

	obj = nnloop_gem_find(filp, args->handle);
	if (!obj)
		return -ENOENT;
	mutex_lock(&ndev->bos_lock);
	memcpy(to_nnloop_bo(obj)->name, name, sizeof(name));
	mutex_unlock(&ndev->bos_lock);
	drm_gem_object_put(obj);
	return 0;
}

static enum dma_data_direction nnloop_direction(u32 access)
{
	switch (access) {
	case DRM_NNLOOP_ACCESS_READ:
		return DMA_FROM_DEVICE;
	case DRM_NNLOOP_ACCESS_WRITE:
		return DMA_TO_DEVICE;
	default:
		return DMA_BIDIRECTIONAL;
	}
}

/* Syncs a buffer of our own. */
static int nnloop_bo_sync(struct nnloop_bo *bo, enum dma_data_direction direction, bool begin)
{
	struct drm_device *drm = bo->base.base.dev;
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	/* The table is there for as long as the device is. */
	if (begin)
		dma_sync_sgtable_for_cpu(drm->dev, bo->base.sgt, direction);
	else
		dma_sync_sgtable_for_device(drm->dev, bo->base.sgt, direction);
	drm_dev_exit(idx);
	return 0;
}

static int nnloop_bo_cpu_access(struct drm_file *filp, struct drm_nnloop_bo_cpu_access *args,
				bool begin)
{
	enum dma_data_direction direction = nnloop_direction(args->access);
	struct drm_device *drm = filp->minor->dev;
	struct drm_gem_object *obj;
	struct dma_buf *dma_buf;
	int ret = 0;

	if (args->access & ~(DRM_NNLOOP_ACCESS_READ | DRM_NNLOOP_ACCESS_WRITE))
		return nnloop_refuse(drm, -EOPNOTSUPP, "access %#x: only read and write are known",
				     args->access);
	if (!args->access)
		return nnloop_refuse(drm, -EINVAL, "access is 0, neither read nor write");

	obj = nnloop_gem_find(filp, args->handle);
	if (!obj)
		return -ENOENT;

	dma_buf = to_nnloop_bo(obj)->imported;
	if (args->access & DRM_NNLOOP_ACCESS_WRITE && READ_ONCE(to_nnloop_bo(obj)->sealed))
		ret = nnloop_refuse(drm, -EACCES, "handle %u is sealed, access %#x would write",
				    args->handle, args->access);
	else if (args->access & DRM_NNLOOP_ACCESS_WRITE && dma_buf &&
		 !nnloop_prime_is_writable(dma_buf))
		ret = nnloop_refuse(drm, -EACCES,
				    "handle %u is from a dma-buf without write access, access %#x would write",
				    args->handle, args->access);
	else if (dma_buf && begin)
		ret = dma_buf_begin_cpu_access(dma_buf, direction);
	else if (dma_buf)
		ret = dma_buf_end_cpu_access(dma_buf, direction);
	else
		ret = nnloop_bo_sync(to_nnloop_bo(obj), direction, begin);

	drm_gem_object_put(obj);
	return ret;
}

/**
 * nnloop_ioctl_bo_begin_cpu - DRM_IOCTL_NNLOOP_BO_BEGIN_CPU
 * @drm: the device
 * @data: struct drm_nnloop_bo_cpu_access
 * @filp: the file
 */
int nnloop_ioctl_bo_begin_cpu(struct drm_device *drm, void *data, struct drm_file *filp)
{
	return nnloop_bo_cpu_access(filp, data, true);
}

/**
 * nnloop_ioctl_bo_end_cpu - DRM_IOCTL_NNLOOP_BO_END_CPU
 * @drm: the device
 * @data: struct drm_nnloop_bo_cpu_access
 * @filp: the file
 */
int nnloop_ioctl_bo_end_cpu(struct drm_device *drm, void *data, struct drm_file *filp)
{
	return nnloop_bo_cpu_access(filp, data, false);
}
