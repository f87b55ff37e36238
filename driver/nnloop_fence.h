/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fences of jobs, and what holds the module for them (nnloop_fence.c).
 */
#ifndef NNLOOP_FENCE_H
#define NNLOOP_FENCE_H

#include <linux/dma-fence.h>
#include <linux/types.h>

struct file;
struct nnloop_timeline;

struct file *nnloop_module_pin_create(void);

struct dma_fence *nnloop_fence_alloc(struct nnloop_timeline *timeline, struct file *pin);
void nnloop_fence_init(struct dma_fence *fence, u64 point);
void nnloop_fence_free(struct dma_fence *fence);
int nnloop_fence_error(struct dma_fence *fence);

#endif
