/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timelines (nnloop_timeline.c): how the points of a queue ended, for those who ask later.
 */
#ifndef NNLOOP_TIMELINE_H
#define NNLOOP_TIMELINE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct drm_file;
struct drm_syncobj;
struct drm_syncobj_transfer;
struct file;

/* How many stretches of failed points a timeline can remember. */
#define NNLOOP_MAX_FAILURES	1024

/**
 * struct nnloop_failed_points - jobs one after the other that ended with the same error
 */
struct nnloop_failed_points {
	/** @node: in &nnloop_timeline.failures */
	struct rb_node node;
	/** @first: the first of them */
	u64 first;
	/** @last: the last of them */
	u64 last;
	/** @error: how they ended */
	int error;
};

/**
 * struct nnloop_timeline - the points of one queue, and which of them failed
 *
 * A point's fence has its error, but the DRM core forgets fences: a point that has signalled and is
 * not the newest is replaced by one that says "signalled" and nothing else. So what failed is
 * remembered here, and found by the syncobj that user space knows the queue's points by, from other
 * files and devices, too, and when the queue is gone.
 *
 * References are held by the queue, each fence, each job that waits for a point, and the table in
 * which it is found. It stays in the table until its queue is gone and nobody else has the syncobj.
 */
struct nnloop_timeline {
	/** @ref: references */
	struct kref ref;

	/** @name: for people */
	char name[32];

	/** @context: the context of its fences */
	u64 context;

	/** @syncobj: what user space waits on; the table's reference keeps it */
	struct drm_syncobj *syncobj;

	/** @table_node: finds it by @syncobj */
	struct rhash_head table_node;

	/** @orphan_link: in the list of those whose queue is gone, until their syncobj is */
	struct list_head orphan_link;

	/** @lock: protects what follows; taken in interrupts, inside everything else */
	spinlock_t lock;

	/** @submitted: the newest point there is */
	u64 submitted;

	/** @failures: &struct nnloop_failed_points, by point */
	struct rb_root failures;

	/** @newest: the last of @failures, or NULL */
	struct nnloop_failed_points *newest;

	/** @failure_count: how many @failures has */
	unsigned int failure_count;
};

static inline struct nnloop_timeline *nnloop_timeline_get(struct nnloop_timeline *timeline)
{
	kref_get(&timeline->ref);
	return timeline;
}

void nnloop_timeline_put(struct nnloop_timeline *timeline);

struct nnloop_timeline *nnloop_timeline_create(u64 client);
void nnloop_timeline_retire(struct nnloop_timeline *timeline);
struct nnloop_timeline *nnloop_timeline_find(struct drm_syncobj *syncobj, u64 point);

const char *nnloop_timeline_name(const struct nnloop_timeline *timeline);
u64 nnloop_timeline_context(const struct nnloop_timeline *timeline);

void nnloop_timeline_submitted(struct nnloop_timeline *timeline, u64 point);
bool nnloop_timeline_is_full(struct nnloop_timeline *timeline);
struct nnloop_failed_points *
nnloop_timeline_failed(struct nnloop_timeline *timeline, u64 point, int error,
		       struct nnloop_failed_points *room);
int nnloop_timeline_error(struct nnloop_timeline *timeline, u64 point);

int nnloop_timeline_transfer(struct drm_file *filp, const struct drm_syncobj_transfer *args,
			     struct file *pin);

int nnloop_timelines_init(void);
void nnloop_timelines_fini(void);
void nnloop_timelines_reap_soon(void);

#endif
