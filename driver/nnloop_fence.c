// SPDX-License-Identifier: GPL-2.0
/*
 * Fences: each job has one, which signals when the job has ended. User space holds it in syncobjs
 * and sync_files, perhaps long after queue, file and device are gone, so it holds what its
 * operations need and nothing else: its queue's timeline and the module.
 */
#include <linux/anon_inodes.h>
#include <linux/dma-fence-array.h>
#include <linux/dma-fence-chain.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "nnloop_fence.h"
#include "nnloop_timeline.h"

/* The deepest nesting of fence arrays and chains that is looked into. */
#define NNLOOP_FENCE_DEPTH	8

struct nnloop_fence {
	struct dma_fence base;	/* first: it is freed by the core */
	spinlock_t lock;	/* for base */
	struct nnloop_timeline *timeline;
	struct file *pin;	/* nnloop_module_pin_create() */
};

static const struct file_operations nnloop_module_pin_fops = {
	.owner = THIS_MODULE,
};

/**
 * nnloop_module_pin_create - something that holds the module
 *
 * The module may not drop its own last reference: it would go away under the function that does. So
 * what outlives every open file (fences, and the jobs that have them) holds a file without
 * operations. When its last holder puts it, the VFS drops the module, later and from code of its
 * own.
 *
 * Return: the file, for get_file() and fput(), which may be called in any context; or an error.
 */
struct file *nnloop_module_pin_create(void)
{
	return anon_inode_getfile("[nnloop]", &nnloop_module_pin_fops, NULL, 0);
}

static struct nnloop_fence *to_nnloop_fence(struct dma_fence *fence)
{
	return container_of(fence, struct nnloop_fence, base);
}

static const char *nnloop_fence_driver_name(struct dma_fence *fence)
{
	return "nnloop";
}

static const char *nnloop_fence_timeline_name(struct dma_fence *fence)
{
	return nnloop_timeline_name(to_nnloop_fence(fence)->timeline);
}

static void nnloop_fence_release(struct dma_fence *base)
{
	struct nnloop_fence *fence = to_nnloop_fence(base);
	struct file *pin = fence->pin;

	nnloop_timeline_put(fence->timeline);
	/* The core frees it after a grace period. */
	dma_fence_free(base);
	fput(pin);
}

static const struct dma_fence_ops nnloop_fence_ops = {
	.get_driver_name = nnloop_fence_driver_name,
	.get_timeline_name = nnloop_fence_timeline_name,
	.release = nnloop_fence_release,
};

/**
 * nnloop_fence_alloc - a fence to be initialised later
 * @timeline: of the queue
 * @pin: of the file
 *
 * Return: the fence, for nnloop_fence_init() or nnloop_fence_free(); or NULL.
 */
struct dma_fence *nnloop_fence_alloc(struct nnloop_timeline *timeline, struct file *pin)
{
	struct nnloop_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	fence->timeline = nnloop_timeline_get(timeline);
	fence->pin = get_file(pin);
	return &fence->base;
}

/**
 * nnloop_fence_free - free a fence that was never initialised
 * @base: the fence
 */
void nnloop_fence_free(struct dma_fence *base)
{
	struct nnloop_fence *fence = to_nnloop_fence(base);

	nnloop_timeline_put(fence->timeline);
	fput(fence->pin);
	kfree(fence);
}

/**
 * nnloop_fence_init - from now on an ordinary reference-counted dma_fence
 * @base: the fence
 * @point: of its timeline
 */
void nnloop_fence_init(struct dma_fence *base, u64 point)
{
	struct nnloop_fence *fence = to_nnloop_fence(base);

	spin_lock_init(&fence->lock);
	dma_fence_init(base, &nnloop_fence_ops, &fence->lock,
		       nnloop_timeline_context(fence->timeline), point);
}

/**
 * nnloop_fence_error - did what a fence stands for end with an error?
 * @fence: the fence, signalled
 *
 * Points of syncobjs are nodes of a chain, which have no error themselves. An older core makes an
 * array of such nodes when a point is transferred, with the transferred point first.
 *
 * Context: any.
 *
 * Return: 0 or the error.
 */
int nnloop_fence_error(struct dma_fence *fence)
{
	struct dma_fence_array *array;
	unsigned int depth;

	for (depth = 0; depth < NNLOOP_FENCE_DEPTH; depth++) {
		fence = dma_fence_chain_contained(fence);
		if (fence->error)
			break;
		array = to_dma_fence_array(fence);
		if (!array || !array->num_fences || !dma_fence_is_chain(array->fences[0]))
			break;
		fence = array->fences[0];
	}
	return min(fence->error, 0);
}
