// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: which points of a queue have failed. nnloop_timeline.h says why that is remembered
 * beside the fences, and for how long.
 */
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm.h>
#include <drm/drm_syncobj.h>

#include "nnloop_fence.h"
#include "nnloop_timeline.h"

/* How many orphans are looked at under the lock, and how often all of them are. */
#define NNLOOP_REAP_ORPHANS	64
#define NNLOOP_REAP_PERIOD	HZ

static const struct rhashtable_params nnloop_timeline_params = {
	.key_len = sizeof(struct drm_syncobj *),
	.key_offset = offsetof(struct nnloop_timeline, syncobj),
	.head_offset = offsetof(struct nnloop_timeline, table_node),
	.automatic_shrinking = true,
};

/*
 * The table of all timelines, by syncobj and of all devices, because a job may wait for another
 * board's. Each entry holds a reference.
 */
static struct rhashtable nnloop_timeline_table;

/*
 * The lock makes finding a timeline and taking a reference one step. It protects the table and
 * @nnloop_orphans.
 */
static DEFINE_MUTEX(nnloop_timelines_lock);

/* The list of timelines whose queue is gone, with the one that was looked at last at the end. */
static LIST_HEAD(nnloop_orphans);
static unsigned int nnloop_orphan_count;

/*
 * The work queue on which orphans are looked at, which takes long when there are many. The system's
 * queues have other names from kernel to kernel and are bound to a processor, and others wait for
 * the jobs' one.
 */
static struct workqueue_struct *nnloop_reap_wq;

static void nnloop_timeline_release(struct kref *ref)
{
	struct nnloop_timeline *timeline = container_of(ref, struct nnloop_timeline, ref);
	struct nnloop_failed_points *failed, *next;

	rbtree_postorder_for_each_entry_safe(failed, next, &timeline->failures, node)
		kfree(failed);
	kfree(timeline);
}

/**
 * nnloop_timeline_put - drop a reference
 * @timeline: the timeline
 *
 * Context: any.
 */
void nnloop_timeline_put(struct nnloop_timeline *timeline)
{
	kref_put(&timeline->ref, nnloop_timeline_release);
}

/* Moves a timeline from the table to @forgotten, for nnloop_timelines_free(). */
static void nnloop_timeline_forget(struct nnloop_timeline *timeline, struct list_head *forgotten)
{
	lockdep_assert_held(&nnloop_timelines_lock);

	rhashtable_remove_fast(&nnloop_timeline_table, &timeline->table_node,
			       nnloop_timeline_params);
	list_move_tail(&timeline->orphan_link, forgotten);
}

/*
 * Frees timelines without the lock, because a syncobj takes all the fences with it that a client
 * has put into it.
 */
static void nnloop_timelines_free(struct list_head *forgotten)
{
	struct nnloop_timeline *timeline, *next;

	list_for_each_entry_safe(timeline, next, forgotten, orphan_link) {
		list_del_init(&timeline->orphan_link);
		drm_syncobj_put(timeline->syncobj);
		nnloop_timeline_put(timeline);
	}
}

/*
 * Looks at some orphans, drops those that nobody can ask about any more, and returns how many it
 * looked at.
 */
static unsigned int nnloop_timelines_reap(unsigned int max)
{
	struct nnloop_timeline *timeline;
	LIST_HEAD(forgotten);
	unsigned int i;

	mutex_lock(&nnloop_timelines_lock);
	for (i = 0; i < max && !list_empty(&nnloop_orphans); i++) {
		timeline = list_first_entry(&nnloop_orphans, struct nnloop_timeline, orphan_link);
		/*
		 * The last reference to the syncobj is ours, and nobody can take another one
		 * without having one.
		 */
		if (kref_read(&timeline->syncobj->refcount) == 1) {
			nnloop_timeline_forget(timeline, &forgotten);
			nnloop_orphan_count--;
		} else {
			list_move_tail(&timeline->orphan_link, &nnloop_orphans);
		}
	}
	mutex_unlock(&nnloop_timelines_lock);
	nnloop_timelines_free(&forgotten);
	return i;
}

/* Looks at all orphans once, and comes again as long as there are any. */
static void nnloop_timelines_reap_work(struct work_struct *work)
{
	unsigned int left = READ_ONCE(nnloop_orphan_count);
	unsigned int looked;

	while (left) {
		looked = nnloop_timelines_reap(min(left, NNLOOP_REAP_ORPHANS));
		if (!looked)
			break;
		left -= looked;
		cond_resched();
	}
	if (READ_ONCE(nnloop_orphan_count))
		queue_delayed_work(nnloop_reap_wq, to_delayed_work(work), NNLOOP_REAP_PERIOD);
}

static DECLARE_DELAYED_WORK(nnloop_reap_work, nnloop_timelines_reap_work);

/**
 * nnloop_timelines_reap_soon - somebody may have been the last to know of some points
 *
 * Context: any.
 */
void nnloop_timelines_reap_soon(void)
{
	if (READ_ONCE(nnloop_orphan_count))
		mod_delayed_work(nnloop_reap_wq, &nnloop_reap_work, 0);
}

/**
 * nnloop_timeline_create - make a timeline for a new queue
 * @client: whose it is
 *
 * Return: the timeline, with its syncobj, for nnloop_timeline_retire(); or an error.
 */
struct nnloop_timeline *nnloop_timeline_create(u64 client)
{
	struct nnloop_timeline *timeline = kzalloc(sizeof(*timeline), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!timeline)
		return ERR_PTR(-ENOMEM);
	kref_init(&timeline->ref);
	timeline->context = dma_fence_context_alloc(1);
	snprintf(timeline->name, sizeof(timeline->name), "nnloop-%llu", client);
	INIT_LIST_HEAD(&timeline->orphan_link);
	spin_lock_init(&timeline->lock);
	timeline->failures = RB_ROOT;

	ret = drm_syncobj_create(&timeline->syncobj, 0, NULL);
	if (ret)
		goto err_free;
	mutex_lock(&nnloop_timelines_lock);
	ret = rhashtable_insert_fast(&nnloop_timeline_table, &timeline->table_node,
				     nnloop_timeline_params);
	mutex_unlock(&nnloop_timelines_lock);
	if (ret)
		goto err_put_syncobj;
	/* This is the table's reference, beside the queue's. */
	nnloop_timeline_get(timeline);
	return timeline;

err_put_syncobj:
	drm_syncobj_put(timeline->syncobj);
err_free:
	kfree(timeline);
	return ERR_PTR(ret);
}

/**
 * nnloop_timeline_retire - its queue is gone
 * @timeline: the timeline; the queue's reference is dropped
 *
 * Context: may sleep.
 */
void nnloop_timeline_retire(struct nnloop_timeline *timeline)
{
	mutex_lock(&nnloop_timelines_lock);
	list_add_tail(&timeline->orphan_link, &nnloop_orphans);
	nnloop_orphan_count++;
	mutex_unlock(&nnloop_timelines_lock);
	nnloop_timeline_put(timeline);
	nnloop_timelines_reap_soon();
}

/**
 * nnloop_timeline_find - is a point of a syncobj one of a queue?
 * @syncobj: the syncobj, which the caller holds
 * @point: the point
 *
 * Return: its timeline, with a reference; or NULL: it is not, or not one that was submitted.
 */
struct nnloop_timeline *nnloop_timeline_find(struct drm_syncobj *syncobj, u64 point)
{
	struct nnloop_timeline *timeline;
	bool submitted = false;

	mutex_lock(&nnloop_timelines_lock);
	timeline = rhashtable_lookup_fast(&nnloop_timeline_table, &syncobj,
					  nnloop_timeline_params);
	if (timeline) {
		spin_lock_irq(&timeline->lock);
		submitted = point && point <= timeline->submitted;
		spin_unlock_irq(&timeline->lock);
	}
	if (submitted)
		nnloop_timeline_get(timeline);
	mutex_unlock(&nnloop_timelines_lock);
	return submitted ? timeline : NULL;
}

/**
 * nnloop_timeline_name - what its fences are called in /sys/kernel/debug and sync_files
 * @timeline: the timeline
 */
const char *nnloop_timeline_name(const struct nnloop_timeline *timeline)
{
	return timeline->name;
}

/**
 * nnloop_timeline_context - of its fences
 * @timeline: the timeline
 */
u64 nnloop_timeline_context(const struct nnloop_timeline *timeline)
{
	return timeline->context;
}

/**
 * nnloop_timeline_submitted - there is a new point
 * @timeline: the timeline
 * @point: the point
 */
void nnloop_timeline_submitted(struct nnloop_timeline *timeline, u64 point)
{
	spin_lock_irq(&timeline->lock);
	timeline->submitted = point;
	spin_unlock_irq(&timeline->lock);
}

/**
 * nnloop_timeline_is_full - have so many points failed that no more can be remembered?
 * @timeline: the timeline
 */
bool nnloop_timeline_is_full(struct nnloop_timeline *timeline)
{
	return READ_ONCE(timeline->failure_count) >= NNLOOP_MAX_FAILURES;
}

static bool nnloop_failed_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct nnloop_failed_points, node)->first <
	       rb_entry(b, struct nnloop_failed_points, node)->first;
}

static int nnloop_failed_compare(const void *point, const struct rb_node *node)
{
	const struct nnloop_failed_points *failed =
		rb_entry(node, struct nnloop_failed_points, node);
	u64 wanted = *(const u64 *)point;

	return wanted < failed->first ? -1 : wanted > failed->last;
}

/**
 * nnloop_timeline_failed - remember that a point has failed
 * @timeline: the timeline
 * @point: the point; later than those that failed before
 * @error: how
 * @room: memory for it
 *
 * Context: any.
 *
 * Return: @room if it was not needed, for the caller to free, else NULL.
 */
struct nnloop_failed_points *
nnloop_timeline_failed(struct nnloop_timeline *timeline, u64 point, int error,
		       struct nnloop_failed_points *room)
{
	struct nnloop_failed_points *newest;
	unsigned long flags;

	spin_lock_irqsave(&timeline->lock, flags);
	newest = timeline->newest;
	if (newest && newest->error == error && newest->last + 1 == point) {
		newest->last = point;
	} else {
		room->first = point;
		room->last = point;
		room->error = error;
		rb_add(&room->node, &timeline->failures, nnloop_failed_before);
		timeline->newest = room;
		timeline->failure_count++;
		room = NULL;
	}
	spin_unlock_irqrestore(&timeline->lock, flags);
	return room;
}

/**
 * nnloop_timeline_error - how did a point end?
 * @timeline: the timeline
 * @point: a point that has signalled
 *
 * Context: any.
 *
 * Return: 0 or its error.
 */
int nnloop_timeline_error(struct nnloop_timeline *timeline, u64 point)
{
	struct rb_node *node;
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&timeline->lock, flags);
	node = rb_find(&point, &timeline->failures, nnloop_failed_compare);
	if (node)
		error = rb_entry(node, struct nnloop_failed_points, node)->error;
	spin_unlock_irqrestore(&timeline->lock, flags);
	return error;
}

/* Puts @fence where the transfer is to put it. */
static int nnloop_timeline_put_fence(struct drm_file *filp, const struct drm_syncobj_transfer *args,
				     struct dma_fence *fence)
{
	struct drm_syncobj *syncobj = drm_syncobj_find(filp, args->dst_handle);
	struct dma_fence_chain *chain;
	int ret = 0;

	if (!syncobj)
		return -ENOENT;
	if (!args->dst_point) {
		drm_syncobj_replace_fence(syncobj, fence);
		goto out_put;
	}
	chain = dma_fence_chain_alloc();
	if (!chain) {
		ret = -ENOMEM;
		goto out_put;
	}
	drm_syncobj_add_point(syncobj, chain, fence, args->dst_point);
out_put:
	drm_syncobj_put(syncobj);
	return ret;
}

/* Returns a fence that says that the point has failed. */
static struct dma_fence *nnloop_timeline_failed_fence(struct nnloop_timeline *timeline, u64 point,
						      int error, struct file *pin)
{
	struct dma_fence *fence = nnloop_fence_alloc(timeline, pin);

	if (!fence)
		return NULL;
	nnloop_fence_init(fence, point);
	dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	return fence;
}

/**
 * nnloop_timeline_transfer - DRM_IOCTL_SYNCOBJ_TRANSFER of a queue's point
 * @filp: the file
 * @args: from where to where
 * @pin: holds the module
 *
 * For a point that has failed, the DRM core may put a fence there that says "signalled" and has no
 * error: when it has forgotten the point, and when it puts it on a timeline. So it is done here,
 * and once: a second fence at the same point would begin a timeline anew, and the points before it
 * would wait for this one.
 *
 * Context: may sleep, and wait for the point to be submitted, if @args say so.
 *
 * Return: 0 or an error; 1: the point is no queue's: the core can do it.
 */
int nnloop_timeline_transfer(struct drm_file *filp, const struct drm_syncobj_transfer *args,
			     struct file *pin)
{
	struct nnloop_timeline *timeline;
	struct dma_fence *fence, *found;
	struct drm_syncobj *source;
	u64 point = args->src_point;
	int error, ret;

	source = drm_syncobj_find(filp, args->src_handle);
	if (!source || args->pad) {
		ret = 1;
		goto out_put_source;
	}
	ret = drm_syncobj_find_fence(filp, args->src_handle, point, args->flags, &found);
	if (ret)
		goto out_put_source;
	/* Point 0 of a timeline is its newest one. */
	if (!point && dma_fence_is_chain(found))
		point = found->seqno;
	timeline = nnloop_timeline_find(source, point);
	if (!timeline) {
		ret = 1;
		goto out_put_found;
	}

	/* Points are nodes of a chain, and no chain is to be in another one. */
	fence = args->dst_point ? dma_fence_unwrap_merge(found) : dma_fence_get(found);
	/*
	 * This comes last: if the point fails from here on, it does so in @fence, which has not
	 * signalled.
	 */
	error = nnloop_timeline_error(timeline, point);
	if (error) {
		dma_fence_put(fence);
		fence = nnloop_timeline_failed_fence(timeline, point, error, pin);
	}
	ret = fence ? nnloop_timeline_put_fence(filp, args, fence) : -ENOMEM;
	dma_fence_put(fence);
	nnloop_timeline_put(timeline);
out_put_found:
	dma_fence_put(found);
out_put_source:
	if (source)
		drm_syncobj_put(source);
	return ret;
}

/**
 * nnloop_timelines_init - for module init
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_timelines_init(void)
{
	int ret;

	nnloop_reap_wq = alloc_workqueue("nnloop-timelines", WQ_UNBOUND, 1);
	if (!nnloop_reap_wq)
		return -ENOMEM;
	ret = rhashtable_init(&nnloop_timeline_table, &nnloop_timeline_params);
	if (ret)
		destroy_workqueue(nnloop_reap_wq);
	return ret;
}

/**
 * nnloop_timelines_fini - for module exit: no queue is left, and nobody holds a fence
 */
void nnloop_timelines_fini(void)
{
	struct nnloop_timeline *timeline, *next;
	LIST_HEAD(forgotten);

	cancel_delayed_work_sync(&nnloop_reap_work);
	destroy_workqueue(nnloop_reap_wq);
	mutex_lock(&nnloop_timelines_lock);
	list_for_each_entry_safe(timeline, next, &nnloop_orphans, orphan_link)
		nnloop_timeline_forget(timeline, &forgotten);
	mutex_unlock(&nnloop_timelines_lock);
	nnloop_timelines_free(&forgotten);
	rhashtable_destroy(&nnloop_timeline_table);
}
