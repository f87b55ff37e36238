// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: GEM objects on shmem, mapped for the DSP in the space of each file that has a handle.
 * Pages stay resident for as long as they are mapped. This file has the life of a buffer and its
 * CPU mappings; nnloop_bo.c has the calls, nnloop_prime.c what is shared with other drivers.
 *
 * A CPU mapping made without PROT_WRITE can never be given it by mprotect(), and the others are
 * counted, because a buffer that has one cannot be sealed.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/kmemleak.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_gem.h"
#include "nnloop_memory.h"

/**
 * nnloop_bo_find_mapping - where a buffer is in a space
 * @bo: the buffer; its lock is held
 * @space: a file's
 *
 * Return: the mapping, valid as long as the lock is held; or NULL.
 */
struct nnloop_mapping *nnloop_bo_find_mapping(struct nnloop_bo *bo, struct nnloop_space *space)
{
	struct nnloop_mapping *mapping;

	lockdep_assert_held(&bo->lock);
	list_for_each_entry(mapping, &bo->mappings, bo_link) {
		if (mapping->space == space)
			return mapping;
	}
	return NULL;
}

/**
 * nnloop_device_hold - keep the removal of the device waiting
 * @ndev: the device, with DMA memory of which the caller may be slow
 *
 * Return: false if the removal has come too far; else up_read() of &nnloop_device.import_lock ends
 * it.
 */
bool nnloop_device_hold(struct nnloop_device *ndev)
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

static int nnloop_gem_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nnloop_bo *bo = to_nnloop_bo(obj);
	int ret;

	if (bo->imported)
		return nnloop_prime_mmap(bo, vma);

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

static const struct drm_gem_object_funcs nnloop_gem_funcs = {
	.open = nnloop_gem_open,
	.close = nnloop_gem_close,
	.free = nnloop_gem_free,
	.export = nnloop_prime_export,
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

/**
 * nnloop_bo_register - have the removal of the device find a buffer
 * @bo: the buffer, which has no handle yet
 */
void nnloop_bo_register(struct nnloop_bo *bo)
{
	struct nnloop_device *ndev = to_nnloop(bo->base.base.dev);

	mutex_lock(&ndev->bos_lock);
	list_add_tail(&bo->link, &ndev->bos);
	mutex_unlock(&ndev->bos_lock);
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
	struct sg_table *sgt = bo->base.sgt;

	if (!sgt || bo->leaked)
		return;
	bo->base.sgt = NULL;
	if (bo->imported) {
		nnloop_prime_unmap(bo, sgt);
		return;
	}
	dma_unmap_sgtable(bo->base.base.dev->dev, sgt, DMA_BIDIRECTIONAL, 0);
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
