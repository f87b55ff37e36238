/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers (nnloop_gem.c, nnloop_prime.c, nnloop_bo.c): GEM objects that the DSP has in the spaces
 * of all files with a handle.
 */
#ifndef NNLOOP_GEM_H
#define NNLOOP_GEM_H

#include <linux/mutex.h>

#include <drm/drm_gem_shmem_helper.h>
#include <drm/nnloop_accel.h>

struct dma_buf;
struct drm_device;
struct drm_file;
struct nnloop_device;
struct nnloop_mapping;
struct nnloop_memory;
struct nnloop_space;

/**
 * struct nnloop_bo - a buffer
 */
struct nnloop_bo {
	/** @base: base; its sgt is the DMA mapping */
	struct drm_gem_shmem_object base;

	/**
	 * @lock: protects everything below; outside &nnloop_space.lock, inside
	 * mmap_lock
	 */
	struct mutex lock;

	/** @mappings: &struct nnloop_mapping, one for each file with a handle */
	struct list_head mappings;

	/**
	 * @imported: the other driver's or device's buffer that this is, or NULL; constant.
	 * Holds a reference
	 */
	struct dma_buf *imported;

	/** @memory: of the file that made it; holds a reference; NULL for an import; constant */
	struct nnloop_memory *memory;

	/** @memory_link: in &nnloop_memory.bos */
	struct list_head memory_link;

	/** @write_combine: its owner asked for such mappings; constant once it has a handle */
	bool write_combine;

	/**
	 * @dsp_read_only: no space ever has an entry that can be written, because its owner wanted
	 * it so, or because it is an import that must not be; constant once it has a handle
	 */
	bool dsp_read_only;

	/** @writable_vmas: CPU mappings that can write or can be made to */
	unsigned int writable_vmas;

	/**
	 * @exported: others may have it, or have had it and still run jobs that use it; once set it
	 * stays; protected by &drm_device.object_name_lock
	 */
	bool exported;

	/** @sealed: read-only for good; constant for an import: its owner has sealed it */
	bool sealed;

	/** @name: for people, given by its owner; protected by &nnloop_device.bos_lock */
	char name[DRM_NNLOOP_BO_NAME_SIZE];

	/** @leaked: never given back, because the DSP was lost */
	bool leaked;

	/** @link: in &nnloop_device.bos */
	struct list_head link;
};

static inline struct nnloop_bo *to_nnloop_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct nnloop_bo, base);
}

static inline bool nnloop_bo_is_dsp_read_only(const struct nnloop_bo *bo)
{
	return bo->dsp_read_only || READ_ONCE(bo->sealed);
}

/* nnloop_gem.c: a buffer's life */
struct drm_gem_object *nnloop_gem_create_object(struct drm_device *drm, size_t size);
bool nnloop_device_hold(struct nnloop_device *ndev);
void nnloop_bo_register(struct nnloop_bo *bo);
struct nnloop_mapping *nnloop_bo_find_mapping(struct nnloop_bo *bo, struct nnloop_space *space);
bool nnloop_bo_is_shared(const struct nnloop_bo *bo);
struct sg_table *nnloop_bo_pages(struct nnloop_bo *bo);
void nnloop_bo_unmap_dma(struct nnloop_bo *bo);
void nnloop_bo_leak(struct nnloop_bo *bo);

/* nnloop_prime.c: exports and imports */
bool nnloop_prime_is_writable(const struct dma_buf *dma_buf);
struct dma_buf *nnloop_prime_export(struct drm_gem_object *obj, int flags);
int nnloop_prime_mmap(struct nnloop_bo *bo, struct vm_area_struct *vma);
void nnloop_prime_unmap(struct nnloop_bo *bo, struct sg_table *sgt);
struct drm_gem_object *nnloop_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf);
int nnloop_gem_prime_fd_to_handle(struct drm_device *drm, struct drm_file *filp, int fd,
				  u32 *handle);

/* nnloop_bo.c: the calls */
int nnloop_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_bo_set_name(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_bo_seal(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_bo_begin_cpu(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_bo_end_cpu(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
