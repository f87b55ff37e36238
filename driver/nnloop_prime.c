// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that are shared with other drivers and devices, as dma-bufs: exports and imports.
 *
 * Exports of buffers that the DSP may only read are mapped for other devices so that those can only
 * read, too, and an import gets no more than what the dma-buf gives.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>

#include <drm/drm_drv.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_gem.h"

/**
 * nnloop_prime_is_writable - was a dma-buf exported or opened so that it can be written?
 * @dma_buf: the dma-buf
 */
bool nnloop_prime_is_writable(const struct dma_buf *dma_buf)
{
	return dma_buf->file->f_mode & FMODE_WRITE;
}

/*
 * Returns the direction in which an export is mapped. DRM's importers always map for both. What the
 * DSP must not write, other devices must not write either: it is mapped for them to read, so that
 * an IOMMU refuses the rest.
 *
 * The direction is the same when the export is unmapped, because what has been exported cannot be
 * sealed any more.
 */
static enum dma_data_direction nnloop_export_direction(struct drm_gem_object *obj,
						       enum dma_data_direction direction)
{
	return nnloop_bo_is_dsp_read_only(to_nnloop_bo(obj)) ? DMA_TO_DEVICE : direction;
}

static struct sg_table *nnloop_prime_map_export(struct dma_buf_attachment *attach,
						enum dma_data_direction direction)
{
	direction = nnloop_export_direction(attach->dmabuf->priv, direction);
	return drm_gem_map_dma_buf(attach, direction);
}

static void nnloop_prime_unmap_export(struct dma_buf_attachment *attach, struct sg_table *sgt,
				      enum dma_data_direction direction)
{
	direction = nnloop_export_direction(attach->dmabuf->priv, direction);
	drm_gem_unmap_dma_buf(attach, sgt, direction);
}

/*
 * Maps an export for the kernel. Such a mapping can write, and another driver's user may have it do
 * so, so a sealed buffer gets none.
 */
static int nnloop_prime_vmap_export(struct dma_buf *dma_buf, struct iosys_map *map)
{
	struct drm_gem_object *obj = dma_buf->priv;

	if (READ_ONCE(to_nnloop_bo(obj)->sealed))
		return nnloop_refuse(obj->dev, -EACCES,
				     "the buffer is sealed, no driver can have it mapped");
	return drm_gem_dmabuf_vmap(dma_buf, map);
}

/* Exports of all our devices are told from those of other drivers by these. */
static const struct dma_buf_ops nnloop_dma_buf_ops = {
	.attach = drm_gem_map_attach,
	.detach = drm_gem_map_detach,
	.map_dma_buf = nnloop_prime_map_export,
	.unmap_dma_buf = nnloop_prime_unmap_export,
	.release = drm_gem_dmabuf_release,
	.mmap = drm_gem_dmabuf_mmap,
	.vmap = nnloop_prime_vmap_export,
	.vunmap = drm_gem_dmabuf_vunmap,
};

/**
 * nnloop_prime_export - &drm_gem_object_funcs.export
 * @obj: the buffer
 * @flags: of the descriptor
 *
 * Return: a dma-buf that has a reference on the buffer, or an error.
 */
struct dma_buf *nnloop_prime_export(struct drm_gem_object *obj, int flags)
{
	struct dma_buf_export_info info = {
		.exp_name = KBUILD_MODNAME,
		.owner = THIS_MODULE,
		.ops = &nnloop_dma_buf_ops,
		.size = obj->size,
		.flags = flags,
		.resv = obj->resv,
		.priv = obj,
	};

	lockdep_assert_held(&obj->dev->object_name_lock);
	to_nnloop_bo(obj)->exported = true;
	return drm_gem_dmabuf_export(obj->dev, &info);
}

/* Returns the direction in which an import is mapped. */
static enum dma_data_direction nnloop_import_direction(bool dsp_read_only)
{
	return dsp_read_only ? DMA_TO_DEVICE : DMA_BIDIRECTIONAL;
}

/* Returns the buffer of one of our devices that a dma-buf is, or NULL. */
static struct nnloop_bo *nnloop_bo_of_dma_buf(const struct dma_buf *dma_buf)
{
	return dma_buf->ops == &nnloop_dma_buf_ops ? to_nnloop_bo(dma_buf->priv) : NULL;
}

static struct nnloop_bo *nnloop_bo_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	const struct nnloop_bo *theirs = nnloop_bo_of_dma_buf(dma_buf);
	bool dsp_read_only = !nnloop_prime_is_writable(dma_buf);
	struct dma_buf_attachment *attach;
	struct drm_gem_object *obj;
	struct sg_table *sgt;
	struct nnloop_bo *bo;
	int ret;

	if (theirs)
		dsp_read_only |= nnloop_bo_is_dsp_read_only(theirs);

	attach = dma_buf_attach(dma_buf, drm->dev);
	if (IS_ERR(attach))
		return ERR_CAST(attach);
	sgt = dma_buf_map_attachment_unlocked(attach, nnloop_import_direction(dsp_read_only));
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
		goto err_detach;
	}
	obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);
	if (IS_ERR(obj)) {
		ret = PTR_ERR(obj);
		goto err_unmap;
	}
	obj->import_attach = attach;
	obj->resv = dma_buf->resv;

	bo = to_nnloop_bo(obj);
	get_dma_buf(dma_buf);
	bo->imported = dma_buf;
	bo->dsp_read_only = dsp_read_only;
	bo->sealed = theirs && theirs->sealed;
	nnloop_bo_register(bo);
	return bo;

err_unmap:
	dma_buf_unmap_attachment_unlocked(attach, sgt, nnloop_import_direction(dsp_read_only));
err_detach:
	dma_buf_detach(dma_buf, attach);
	return ERR_PTR(ret);
}

/*
 * Makes a buffer of another driver's memory, mapped as it may be used, for which DRM has no helper.
 *
 * The exporter may take its time, or a client's, to map the memory. Only the removal of this device
 * waits for that: a mapping must not be made, nor undone, when the device has no driver any more.
 */
static struct nnloop_bo *nnloop_import_map(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct nnloop_device *ndev = to_nnloop(drm);
	struct nnloop_bo *bo;

	if (!nnloop_device_hold(ndev))
		return ERR_PTR(-ENODEV);
	bo = nnloop_bo_import(drm, dma_buf);
	up_read(&ndev->import_lock);
	return bo;
}

/**
 * nnloop_prime_mmap - map an import by the exporter's rules, with the exporter's vm_ops
 * @bo: the import
 * @vma: the mapping
 *
 * The DRM helper would look at what two others undo meanwhile: the closing of the last handle in
 * another thread, and the removal of the device.
 *
 * Return: 0 or an error.
 */
int nnloop_prime_mmap(struct nnloop_bo *bo, struct vm_area_struct *vma)
{
	int ret;

	/* A dma-buf without write access cannot be mapped writable in any other way either. */
	if (!nnloop_prime_is_writable(bo->imported)) {
		if (vma->vm_flags & VM_WRITE)
			return nnloop_refuse(bo->base.base.dev, -EACCES,
					     "mmap at %#llx: the import is from a dma-buf without write access, PROT_WRITE is not possible",
					     drm_vma_node_offset_addr(&bo->base.base.vma_node));
		nnloop_vm_flags_clear(vma, VM_MAYWRITE);
	}
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	ret = dma_buf_mmap(bo->imported, vma, 0);
	if (ret)
		return ret;
	/* DRM wants this flag, and not all exporters set it. */
	nnloop_vm_flags_set(vma, VM_DONTEXPAND);
	/* This is the reference that DRM has taken for vm_ops of ours. */
	drm_gem_object_put(&bo->base.base);
	return 0;
}

/**
 * nnloop_prime_unmap - give up what an import has mapped of its dma-buf
 * @bo: the import
 * @sgt: the mapping
 */
void nnloop_prime_unmap(struct nnloop_bo *bo, struct sg_table *sgt)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct dma_buf_attachment *attach = obj->import_attach;

	dma_buf_unmap_attachment_unlocked(attach, sgt, nnloop_import_direction(bo->dsp_read_only));
	/* DRM's exporters keep the mapping for as long as the attachment is there. */
	obj->import_attach = NULL;
	dma_buf_detach(bo->imported, attach);
}

/**
 * struct nnloop_import - a task that imports
 *
 * The DRM core asks for the buffer under object_name_lock, for which all clients wait. So the core
 * is told to come again, and what it asked for is mapped in between.
 */
struct nnloop_import {
	/** @link: in &nnloop_device.imports */
	struct list_head link;
	/** @task: the task */
	struct task_struct *task;
	/** @dma_buf: what the core has asked for, with a reference; or NULL */
	struct dma_buf *dma_buf;
	/** @bo: @dma_buf as a buffer, mapped, with a reference; or NULL */
	struct nnloop_bo *bo;
};

static struct nnloop_import *nnloop_import_find(struct nnloop_device *ndev)
{
	struct nnloop_import *import, *found = NULL;

	spin_lock(&ndev->imports_lock);
	list_for_each_entry(import, &ndev->imports, link) {
		if (import->task == current)
			found = import;
	}
	spin_unlock(&ndev->imports_lock);
	return found;
}

/**
 * nnloop_gem_prime_import - &drm_driver.gem_prime_import
 * @drm: the device
 * @dma_buf: the buffer
 *
 * A dma-buf that this device has exported is the buffer that it always was.
 *
 * Return: the buffer, with a reference; or an error: -EAGAIN has the caller map it first.
 */
struct drm_gem_object *nnloop_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct nnloop_bo *bo = nnloop_bo_of_dma_buf(dma_buf);
	struct nnloop_import *import;

	if (bo && bo->base.base.dev == drm) {
		drm_gem_object_get(&bo->base.base);
		return &bo->base.base;
	}
	import = nnloop_import_find(to_nnloop(drm));
	if (WARN_ON_ONCE(!import))
		return ERR_PTR(-EINVAL);
	if (import->dma_buf == dma_buf) {
		bo = import->bo;
		import->bo = NULL;
		return &bo->base.base;
	}
	/* The descriptor has become another buffer's since the core was told to come again. */
	if (import->dma_buf)
		return ERR_PTR(-EBUSY);
	get_dma_buf(dma_buf);
	import->dma_buf = dma_buf;
	return ERR_PTR(-EAGAIN);
}

/**
 * nnloop_gem_prime_fd_to_handle - &drm_driver.prime_fd_to_handle
 * @drm: the device
 * @filp: the file
 * @fd: of a dma-buf
 * @handle: of the buffer, if this succeeds
 *
 * Return: 0 or an error.
 */
int nnloop_gem_prime_fd_to_handle(struct drm_device *drm, struct drm_file *filp, int fd,
				  u32 *handle)
{
	struct nnloop_device *ndev = to_nnloop(drm);
	struct nnloop_import import = { .task = current };
	struct nnloop_bo *bo;
	int ret;

	spin_lock(&ndev->imports_lock);
	list_add(&import.link, &ndev->imports);
	spin_unlock(&ndev->imports_lock);

	ret = drm_gem_prime_fd_to_handle(drm, filp, fd, handle);
	if (import.dma_buf) {
		bo = nnloop_import_map(drm, import.dma_buf);
		ret = PTR_ERR_OR_ZERO(bo);
		if (!ret) {
			import.bo = bo;
			ret = drm_gem_prime_fd_to_handle(drm, filp, fd, handle);
		}
	}

	spin_lock(&ndev->imports_lock);
	list_del(&import.link);
	spin_unlock(&ndev->imports_lock);
	/*
	 * The core has not asked again if another thread has made a handle of the buffer meanwhile.
	 */
	if (import.bo)
		drm_gem_object_put(&import.bo->base.base);
	if (import.dma_buf)
		dma_buf_put(import.dma_buf);
	return ret;
}
