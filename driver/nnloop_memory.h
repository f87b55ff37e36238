/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The account of whose memory a buffer is (nnloop_memory.c). The limit of a file and fdinfo use it.
 */
#ifndef NNLOOP_MEMORY_H
#define NNLOOP_MEMORY_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct drm_device;
struct nnloop_bo;

/**
 * struct nnloop_memory - the memory of the buffers that one file has made
 *
 * A buffer is charged to the file that made it until its pages are gone: handles, CPU mappings,
 * exports and imports by other files make no difference. So the file has one reference to this, and
 * each of its buffers has one, with which this outlives the file. Memory of other drivers is
 * charged to nobody.
 */
struct nnloop_memory {
	/** @ref: references */
	struct kref ref;

	/** @lock: protects what follows; nothing is taken inside it */
	struct mutex lock;

	/** @size: bytes charged */
	u64 size;

	/** @bos: the buffers, &struct nnloop_bo */
	struct list_head bos;
};

struct nnloop_memory *nnloop_memory_create(void);
void nnloop_memory_put(struct nnloop_memory *memory);

int nnloop_memory_charge(struct nnloop_memory *memory, struct drm_device *drm, u64 size);
void nnloop_memory_uncharge(struct nnloop_memory *memory, u64 size);
void nnloop_memory_add_bo(struct nnloop_memory *memory, struct nnloop_bo *bo);
void nnloop_memory_remove_bo(struct nnloop_memory *memory, struct nnloop_bo *bo);
void nnloop_memory_count(struct nnloop_memory *memory, u64 *total, u64 *shared);

#endif
