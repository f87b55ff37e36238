// SPDX-License-Identifier: GPL-2.0
/*
 * The fence that a worker signals when a job has left it. It is the parent of the
 * scheduler's fences, which user space holds in syncobjs and sync_files, perhaps
 * long after queue, file and device are gone; and the scheduler's fences point to
 * the scheduler for their name. So each of ours holds
 *
 * - a reference on the worker, in which the scheduler is embedded;
 * - a reference on its queue's timeline, which holds the module, because the fence's
 *   release function is in it. So as long as anybody holds a fence, the module is in
 *   use; and module exit never waits for user space.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "nnloop_fence.h"
#include "nnloop_worker.h"

struct nnloop_fence {
	struct dma_fence base;
	spinlock_t lock;	/* for base */
	struct nnloop_worker *worker;
	struct nnloop_timeline *timeline;
};

/* Fences that have been initialised and not freed, of all devices. */
static atomic_t nnloop_fence_count;
static DECLARE_WAIT_QUEUE_HEAD(nnloop_fences_gone);

static struct nnloop_fence *to_nnloop_fence(struct dma_fence *fence)
{
	return container_of(fence, struct nnloop_fence, base);
}

static void nnloop_timeline_release(struct kref *ref)
{
	struct nnloop_timeline *timeline = container_of(ref, struct nnloop_timeline, ref);

	kfree(timeline);
	module_put(THIS_MODULE);
}

/**
 * nnloop_timeline_create - for a new queue, whose file is open
 *
 * Return: the timeline or NULL.
 */
struct nnloop_timeline *nnloop_timeline_create(void)
{
	struct nnloop_timeline *timeline = kzalloc(sizeof(*timeline), GFP_KERNEL);

	if (!timeline)
		return NULL;
	kref_init(&timeline->ref);
	__module_get(THIS_MODULE);
	return timeline;
}

/**
 * nnloop_timeline_put - the queue has gone
 * @timeline: its timeline
 */
void nnloop_timeline_put(struct nnloop_timeline *timeline)
{
	kref_put(&timeline->ref, nnloop_timeline_release);
}

static const char *nnloop_fence_driver_name(struct dma_fence *fence)
{
	return "nnloop";
}

static const char *nnloop_fence_timeline_name(struct dma_fence *fence)
{
	return to_nnloop_fence(fence)->worker->name;
}

static void nnloop_fence_free_rcu(struct rcu_head *rcu)
{
	struct dma_fence *base = container_of(rcu, struct dma_fence, rcu);
	struct nnloop_fence *fence = to_nnloop_fence(base);

	nnloop_worker_put(fence->worker);
	kfree(fence);
	if (atomic_dec_and_test(&nnloop_fence_count))
		wake_up_all(&nnloop_fences_gone);
}

static void nnloop_fence_release(struct dma_fence *base)
{
	struct nnloop_fence *fence = to_nnloop_fence(base);

	nnloop_timeline_put(fence->timeline);
	call_rcu(&base->rcu, nnloop_fence_free_rcu);
}

static const struct dma_fence_ops nnloop_fence_ops = {
	.get_driver_name = nnloop_fence_driver_name,
	.get_timeline_name = nnloop_fence_timeline_name,
	.release = nnloop_fence_release,
};

/**
 * nnloop_fence_alloc - a fence to be initialised later
 * @timeline: of the queue
 *
 * Return: the fence, for nnloop_fence_init() or nnloop_fence_free(); or NULL.
 */
struct dma_fence *nnloop_fence_alloc(struct nnloop_timeline *timeline)
{
	struct nnloop_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	kref_get(&timeline->ref);
	fence->timeline = timeline;
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
	kfree(fence);
}

/**
 * nnloop_fence_init - the job has reached its worker
 * @base: the fence; an ordinary reference-counted dma_fence from now on
 * @worker: the worker
 */
void nnloop_fence_init(struct dma_fence *base, struct nnloop_worker *worker)
{
	struct nnloop_fence *fence = to_nnloop_fence(base);

	atomic_inc(&nnloop_fence_count);
	fence->worker = nnloop_worker_get(worker);
	spin_lock_init(&fence->lock);
	dma_fence_init(base, &nnloop_fence_ops, &fence->lock, worker->fence_context,
		       ++worker->fence_seqno);
}

/**
 * nnloop_fences_wait_gone - for module exit: nobody holds a fence, wait for their memory
 */
void nnloop_fences_wait_gone(void)
{
	wait_event(nnloop_fences_gone, !atomic_read(&nnloop_fence_count));
	/* And for the last callback's return. */
	rcu_barrier();
}
