/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_FENCE_H
#define NNLOOP_FENCE_H

#include <linux/dma-fence.h>
#include <linux/kref.h>

struct nnloop_worker;

/**
 * struct nnloop_timeline - what the fences of one queue share: a reference on the module
 */
struct nnloop_timeline {
	/** @ref: the queue's, and one for each fence */
	struct kref ref;
};

struct nnloop_timeline *nnloop_timeline_create(void);
void nnloop_timeline_put(struct nnloop_timeline *timeline);

struct dma_fence *nnloop_fence_alloc(struct nnloop_timeline *timeline);
void nnloop_fence_init(struct dma_fence *fence, struct nnloop_worker *worker);
void nnloop_fence_free(struct dma_fence *fence);
void nnloop_fences_wait_gone(void);

#endif
