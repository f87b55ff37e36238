/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_FENCE_H
#define NNLOOP_FENCE_H

#include <linux/dma-fence.h>
#include <linux/kref.h>

struct nnloop_worker;

/**
 * struct nnloop_timeline - what the fences of one queue share
 *
 * The queue holds a reference and so does each fence: see nnloop_fence.c.
 */
struct nnloop_timeline {
	/** @ref: references */
	struct kref ref;
	/** @pinned: the module is held for fences that outlive their queue */
	bool pinned;
};

struct nnloop_timeline *nnloop_timeline_create(void);
void nnloop_timeline_abandon(struct nnloop_timeline *timeline);

struct dma_fence *nnloop_fence_alloc(struct nnloop_timeline *timeline);
void nnloop_fence_init(struct dma_fence *fence, struct nnloop_worker *worker);
void nnloop_fence_free(struct dma_fence *fence);
void nnloop_fences_wait_gone(void);

#endif
