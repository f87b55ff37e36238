// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: GEM objects on shmem, mapped for the DSP in the space of each file
 * that has a handle. Pages stay resident for as long as they are mapped.
 *
 * A sealed buffer is read-only for the DSP in every space, and no CPU mapping can write to it. For
 * that, a CPU mapping made without PROT_WRITE can never be given it by mprotect(), and the others
 * are counted. A buffer can also be made with entries that are read-only from the first one on, and
 * be sealed later or not.
 *
 * Exports of such buffers are mapped for other devices so that those can only read, and an import
 * gets no more than what the dma-buf gives.
 */
#include <linux/ctype.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/kmemleak.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_gem.h"
#include "nnloop_memory.h"

/* The flags that a client can ask for; the others are only reported. */
#define NNLOOP_BO_CREATE_FLAGS	(DRM_NNLOOP_BO_WRITE_COMBINE | DRM_NNLOOP_BO_DSP_READ_ONLY)

static struct nnloop_mapping *nnloop_bo_find_mapping(struct nnloop_bo *bo,
						     struct nnloop_space *space)
{
	struct nnloop_mapping *mapping;

	lockdep_assert_held(&bo->lock);
	list_for_each_entry(mapping, &bo->mappings, bo_link) {
		if (mapping->space == space)
			return mapping;
	}
	return NULL;
}

/* Finds a buffer by its handle, with a reference; or returns NULL, and the call is refused. */
static struct drm_gem_object *nnloop_gem_find(struct drm_file *filp, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(filp, handle);

	if (!obj)
		return nnloop_refuse(filp->minor->dev, NULL, "handle %u is no buffer's", handle);
	return obj;
}

/*
 * Keeps the removal of the device waiting, for a caller that may be slow with DMA memory of it.
 * Returns false if the removal has come too far; else up_read() ends it.
 */
static bool nnloop_device_hold(struct nnloop_device *ndev)
{
	if (!down_read_trylock(&ndev->import_lock))
		return false;
	if (!drm_dev_is_unplugged(&ndev->drm))
		return true;
	up_read(&ndev->import_lock);
	return false;
}

/*
 * Puts the buffer into the file's space, unless it is there already. What is charged to the client
 * is allocated without a lock: a client whose memory cgroup is over memory.high sleeps for seconds
 * there, and others may need the buffer, or wait for one who does.
 */
static int nnloop_bo_map(struct nnloop_bo *bo, struct nnloop_file *file)
{
	struct nnloop_board *board = &file->ndev->board;
	struct nnloop_mapping *mapping, *there = NULL;
	struct nnloop_pt_spares spares;
	int ret;

	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return -ENOMEM;
	nnloop_pt_spares_init(&spares);
	do {
		ret = nnloop_pt_spares_fill(&spares, board);
		if (ret)
			break;
		mutex_lock(&bo->lock);
		there = nnloop_bo_find_mapping(bo, &file->space);
		if (there)
			there->handles++;
		else
			ret = nnloop_mapping_create(mapping, &file->space, bo, &spares);
		mutex_unlock(&bo->lock);
	} while (ret == -EAGAIN);

	nnloop_pt_spares_fini(&spares, board);
	if (ret || there)
		kfree(mapping);
	return ret;
}

/* Called when a file gets a handle of the buffer. */
static int nnloop_gem_open(struct drm_gem_object *obj, struct drm_file *filp)
{
	struct nnloop_device *ndev = to_nnloop(obj->dev);
	int ret;

	/* The tables are DMA memory of the device until they are used or freed. */
	if (!nnloop_device_hold(ndev))
		return -ENODEV;
	ret = nnloop_bo_map(to_nnloop_bo(obj), filp->driver_priv);
	up_read(&ndev->import_lock);
	return ret;
}

/* Called when a file gives up a handle of the buffer. */
static void nnloop_gem_close(struct drm_gem_object *obj, struct drm_file *filp)
{
	struct nnloop_file *file = filp->driver_priv;
	struct nnloop_bo *bo = to_nnloop_bo(obj);
	struct nnloop_mapping *mapping;

	mutex_lock(&bo->lock);
	mapping = nnloop_bo_find_mapping(bo, &file->space);
	if (mapping && !--mapping->handles)
		nnloop_mapping_retire(mapping);
	mutex_unlock(&bo->lock);

	nnloop_space_reap(&file->space);
}

static void nnloop_gem_free(struct drm_gem_object *obj)
{
	struct nnloop_device *ndev = to_nnloop(obj->dev);
	struct nnloop_bo *bo = to_nnloop_bo(obj);
	struct nnloop_memory *memory = bo->memory;
	struct dma_buf *imported = bo->imported;
	size_t size = obj->size;
	bool held;

	if (memory)
		nnloop_memory_remove_bo(memory, bo);

	/*
	 * The removal of the device finds the buffer, or finds it unmapped, or waits. It is not
	 * kept away by @bos_lock where that can be helped: an import's exporter may be slow, and
	 * other clients need that lock.
	 */
	held = nnloop_device_hold(ndev);
	mutex_lock(&ndev->bos_lock);
	list_del(&bo->link);
	if (!held)
		nnloop_bo_unmap_dma(bo);
	mutex_unlock(&ndev->bos_lock);
	if (held) {
		nnloop_bo_unmap_dma(bo);
		up_read(&ndev->import_lock);
	}

	mutex_destroy(&bo->lock);
	drm_gem_shmem_free(&bo->base);
	/* The helper does not know that the buffer was an import. */
	if (imported)
		dma_buf_put(imported);
	if (memory) {
		nnloop_memory_uncharge(memory, size);
		nnloop_memory_put(memory);
	}
}

static void nnloop_gem_vm_open(struct vm_area_struct *vma)
{
	struct nnloop_bo *bo = to_nnloop_bo(vma->vm_private_data);

	if (vma->vm_flags & VM_MAYWRITE) {
		mutex_lock(&bo->lock);
		bo->writable_vmas++;
		mutex_unlock(&bo->lock);
	}
	drm_gem_shmem_vm_ops.open(vma);
}

static void nnloop_gem_vm_close(struct vm_area_struct *vma)
{
	struct nnloop_bo *bo = to_nnloop_bo(vma->vm_private_data);

	if (vma->vm_flags & VM_MAYWRITE) {
		mutex_lock(&bo->lock);
		bo->writable_vmas--;
		mutex_unlock(&bo->lock);
	}
	drm_gem_shmem_vm_ops.close(vma);
}

/*
 * Serves a page fault. The memory does not go away with the device, so a mapping works on after a
 * surprise removal: user space could not handle a SIGBUS.
 *
 * The helper's own handler counts pages from where the mapping begins. That is not the buffer's
 * beginning once the mapping was split, or when it is a dma-buf's from a later page on. And it
 * holds a lock, for which others wait, while a page table is allocated: that can take long where
 * the client's memory cgroup is full. No lock is needed, because the mapping keeps the pages.
 */
static vm_fault_t nnloop_gem_vm_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	struct drm_gem_shmem_object *shmem = to_drm_gem_shmem_obj(obj);

	if (vmf->pgoff >= obj->size >> PAGE_SHIFT)
		return VM_FAULT_SIGBUS;
	return vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(shmem->pages[vmf->pgoff]));
}

static const struct vm_operations_struct nnloop_gem_vm_ops = {
	.fault = nnloop_gem_vm_fault,
	.open = nnloop_gem_vm_open,
	.close = nnloop_gem_vm_close,
};

/* Says whether the dma-buf was exported or opened so that it can be written. */
static bool nnloop_dma_buf_is_writable(const struct dma_buf *dma_buf)
{
	return dma_buf->file->f_mode & FMODE_WRITE;
}

/*
 * Maps an import by the exporter's rules, with the exporter's vm_ops. The DRM helper would look at
 * what two others undo meanwhile: the closing of the last handle in another thread, and the removal
 * of the device.
 */
static int nnloop_gem_mmap_import(struct nnloop_bo *bo, struct vm_area_struct *vma)
{
	int ret;

	/* A dma-buf without write access cannot be mapped writable in any other way either. */
	if (!nnloop_dma_buf_is_writable(bo->imported)) {
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

static int nnloop_gem_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nnloop_bo *bo = to_nnloop_bo(obj);
	int ret;

	if (bo->imported)
		return nnloop_gem_mmap_import(bo, vma);

	mutex_lock(&bo->lock);
	if (bo->sealed && vma->vm_flags & VM_WRITE) {
		ret = nnloop_refuse(obj->dev, -EACCES,
				    "mmap at %#llx: the buffer is sealed, PROT_WRITE is not possible",
				    drm_vma_node_offset_addr(&obj->vma_node));
		goto out_unlock;
	}
	ret = drm_gem_shmem_mmap(&bo->base, vma);
	if (ret)
		goto out_unlock;
	/*
	 * From here on the offset counts pages of the buffer, because the node goes when a lost DSP
	 * has the buffer leaked.
	 */
	vma->vm_pgoff -= drm_vma_node_start(&obj->vma_node);
	if (!(vma->vm_flags & VM_WRITE))
		nnloop_vm_flags_clear(vma, VM_MAYWRITE);
	if (vma->vm_flags & VM_MAYWRITE)
		bo->writable_vmas++;
out_unlock:
	mutex_unlock(&bo->lock);
	return ret;
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

static struct sg_table *nnloop_gem_map_dma_buf(struct dma_buf_attachment *attach,
					       enum dma_data_direction direction)
{
	direction = nnloop_export_direction(attach->dmabuf->priv, direction);
	return drm_gem_map_dma_buf(attach, direction);
}

static void nnloop_gem_unmap_dma_buf(struct dma_buf_attachment *attach, struct sg_table *sgt,
				     enum dma_data_direction direction)
{
	direction = nnloop_export_direction(attach->dmabuf->priv, direction);
	drm_gem_unmap_dma_buf(attach, sgt, direction);
}

/*
 * Maps an export for the kernel. Such a mapping can write, and another driver's user may have it do
 * so, so a sealed buffer gets none.
 */
static int nnloop_gem_vmap_dma_buf(struct dma_buf *dma_buf, struct iosys_map *map)
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
	.map_dma_buf = nnloop_gem_map_dma_buf,
	.unmap_dma_buf = nnloop_gem_unmap_dma_buf,
	.release = drm_gem_dmabuf_release,
	.mmap = drm_gem_dmabuf_mmap,
	.vmap = nnloop_gem_vmap_dma_buf,
	.vunmap = drm_gem_dmabuf_vunmap,
};

static struct dma_buf *nnloop_gem_export(struct drm_gem_object *obj, int flags)
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

static const struct drm_gem_object_funcs nnloop_gem_funcs = {
	.open = nnloop_gem_open,
	.close = nnloop_gem_close,
	.free = nnloop_gem_free,
	.export = nnloop_gem_export,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = nnloop_gem_mmap,
	.vm_ops = &nnloop_gem_vm_ops,
};

/**
 * nnloop_gem_create_object - &drm_driver.gem_create_object
 * @drm: the device
 * @size: bytes
 */
struct drm_gem_object *nnloop_gem_create_object(struct drm_device *drm, size_t size)
{
	struct nnloop_bo *bo;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	mutex_init(&bo->lock);
	INIT_LIST_HEAD(&bo->mappings);
	INIT_LIST_HEAD(&bo->link);
	bo->base.base.funcs = &nnloop_gem_funcs;
	return &bo->base.base;
}

static void nnloop_bo_register(struct nnloop_bo *bo)
{
	struct nnloop_device *ndev = to_nnloop(bo->base.base.dev);

	mutex_lock(&ndev->bos_lock);
	list_add_tail(&bo->link, &ndev->bos);
	mutex_unlock(&ndev->bos_lock);
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
	bool dsp_read_only = !nnloop_dma_buf_is_writable(dma_buf);
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

/**
 * nnloop_bo_is_shared - may others than one file have it?
 * @bo: the buffer
 *
 * No lock is taken: this is for statistics.
 */
bool nnloop_bo_is_shared(const struct nnloop_bo *bo)
{
	const struct drm_gem_object *obj = &bo->base.base;

	return READ_ONCE(obj->handle_count) > 1 || READ_ONCE(obj->dma_buf);
}

/**
 * nnloop_bo_pages - the buffer's memory as the DSP sees it
 * @bo: the buffer, on its way into a space that is not dead; its lock is held
 *
 * Return: a DMA-mapped table that lives as long as the buffer, or an error.
 */
struct sg_table *nnloop_bo_pages(struct nnloop_bo *bo)
{
	lockdep_assert_held(&bo->lock);

	/*
	 * An import has it from the beginning. The helper would wait for the exporter's reservation
	 * lock, which others may hold for long.
	 */
	if (bo->base.sgt)
		return bo->base.sgt;
	return drm_gem_shmem_get_pages_sgt(&bo->base);
}

/**
 * nnloop_bo_unmap_dma - undo the DMA mapping, because the device or the buffer goes
 * @bo: the buffer; no space maps it any more; &nnloop_device.bos_lock is held, or it is not in the
 *	list that this protects
 */
void nnloop_bo_unmap_dma(struct nnloop_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct dma_buf_attachment *attach = obj->import_attach;
	struct sg_table *sgt = bo->base.sgt;

	if (!sgt || bo->leaked)
		return;
	bo->base.sgt = NULL;
	if (bo->imported) {
		dma_buf_unmap_attachment_unlocked(attach, sgt,
						  nnloop_import_direction(bo->dsp_read_only));
		/* DRM's exporters keep the mapping for as long as the attachment is there. */
		obj->import_attach = NULL;
		dma_buf_detach(bo->imported, attach);
		return;
	}
	dma_unmap_sgtable(obj->dev->dev, sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

/**
 * nnloop_bo_leak - never give the memory back
 * @bo: the buffer, which a lost DSP may still reach
 */
void nnloop_bo_leak(struct nnloop_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct nnloop_device *ndev = to_nnloop(obj->dev);

	mutex_lock(&ndev->bos_lock);
	if (!bo->leaked) {
		bo->leaked = true;
		atomic_long_add(obj->size >> PAGE_SHIFT, &ndev->leaked_pages);
		/*
		 * The buffer keeps a reference for ever, and gives up what would be left over in
		 * the device's own bookkeeping.
		 */
		drm_gem_object_get(obj);
		drm_gem_free_mmap_offset(obj);
		list_del_init(&bo->link);
		kmemleak_not_leak(bo);
	}
	mutex_unlock(&ndev->bos_lock);
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
		 !nnloop_dma_buf_is_writable(dma_buf))
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
