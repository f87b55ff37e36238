/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's rules (nnloop_rules*.c): which job comes next, on which workers, who makes room,
 * whose pass took too long, and which worker hangs. They are plain data and functions without a
 * device, a clock or a lock, which KUnit suites test.
 */
#ifndef NNLOOP_RULES_H
#define NNLOOP_RULES_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "nnloop_hw.h"

enum nnloop_priority {
	NNLOOP_PRIORITY_HIGH,
	NNLOOP_PRIORITY_NORMAL,
	NNLOOP_PRIORITY_LOW,
	NNLOOP_PRIORITY_COUNT,
};

/* How often a worker looks at its job's progress in a hang timeout. */
#define NNLOOP_HANG_LOOKS	4

/* How long a job may take to end that was told to do so: it does that with its next tile. */
#define NNLOOP_OVERDUE_MS	1000

struct nnloop_client;

/**
 * struct nnloop_share - what one client has had of the workers, with one priority
 */
struct nnloop_share {
	/** @node: in &nnloop_rules.ready while @entities is not empty */
	struct rb_node node;
	/** @entities: its entities with a job that could begin, in turn */
	struct list_head entities;
	/** @client: whose it is */
	struct nnloop_client *client;
	/**
	 * @used: nanoseconds of worker time, on a clock that all shares of the same priority have
	 * in common
	 */
	u64 used;
	/** @idle_since: when a job of it last left a slot; 0 if none did */
	u64 idle_since;
};

/**
 * struct nnloop_client - whom time is shared with: an open file
 */
struct nnloop_client {
	/** @switch_ns: what it cost a worker last to come to it from another */
	u64 switch_ns;
	/** @share: what its jobs have used */
	struct nnloop_share share[NNLOOP_PRIORITY_COUNT];
};

/**
 * struct nnloop_entity - jobs that run one after the other: a queue
 */
struct nnloop_entity {
	/** @link: in &nnloop_share.entities while its first job could begin */
	struct list_head link;
	/** @share: what its jobs are counted to */
	struct nnloop_share *share;
	/** @priority: the priority of @share */
	enum nnloop_priority priority;
};

/**
 * struct nnloop_slot - where a job runs: a worker
 *
 * A job may have several slots: a gang. All but the first are on loan: none was taken that another
 * job could have used then, and when a job waits that has no less of a right to one, they are given
 * back first.
 */
struct nnloop_slot {
	/** @entity: whose job it has, or NULL */
	struct nnloop_entity *entity;
	/** @first: the first of the slots that have its job; itself if it has it alone */
	struct nnloop_slot *first;
	/** @helpers: if it is the first: how many other slots have the job */
	unsigned int helpers;
	/** @free: if it has no job: it could take one at once */
	bool free;
	/** @client: whose job it had last, NULL if there was none or that one is gone */
	struct nnloop_client *client;
	/** @switched: it was another client's before its job */
	bool switched;
	/** @had_ns: nanoseconds for which @client's jobs had it before, with no other's between */
	u64 had_ns;
	/** @last_ns: nanoseconds that its last job took */
	u64 last_ns;
	/** @begin: when it got its job */
	u64 begin;
	/** @charged: nanoseconds that the share has been charged with for it */
	u64 charged;
	/** @passes: passes that were done since then, with its helpers, as was last seen */
	u32 passes;
	/** @yielding: it was told to leave the job off */
	bool yielding;
	/** @yield_time: when it was told that */
	u64 yield_time;
	/** @watched_passes: @passes when last looked at for the limit of a pass */
	u32 watched_passes;
	/** @watch_time: when @watched_passes was looked at */
	u64 watch_time;
	/** @in_way: another client waited for the slot then */
	bool in_way;
	/** @in_way_ns: for how long one has waited, since the pass that it is in began */
	u64 in_way_ns;
	/**
	 * @overdue: that was too long, and the job is to end. It stays set, for helpers as well,
	 * until the slot is seen to be free
	 */
	bool overdue;
	/** @overdue_time: when @overdue was set */
	u64 overdue_time;
};

/**
 * struct nnloop_hang - what a worker has seen of the progress of its job
 */
struct nnloop_hang {
	/** @progress: what the last look found */
	u32 progress;
	/** @looks: how many in a row have found that; of a job that was given up, all of them */
	unsigned int looks;
};

enum nnloop_hang_verdict {
	NNLOOP_HANG_WAIT,	/* the job gets on, or may yet do so */
	NNLOOP_HANG_GIVE_UP,	/* all workers that have the job are to be told to give it up */
	NNLOOP_HANG_RESET,	/* this worker is to be stopped and started again */
};

/**
 * struct nnloop_rules - who comes next
 *
 * All times are nanoseconds of the caller's clock, which does not go backwards.
 */
struct nnloop_rules {
	/** @ready: &struct nnloop_share with ready entities, the one that has used least first */
	struct rb_root_cached ready[NNLOOP_PRIORITY_COUNT];
	/** @least: what the share had used whose turn it was last; who comes back begins there */
	u64 least[NNLOOP_PRIORITY_COUNT];
	/** @slots: all slots that there are */
	struct nnloop_slot *slots[NNLOOP_MAX_WORKERS];
	/** @slot_count: of @slots */
	unsigned int slot_count;
};

/* Nanoseconds that a slot has had its job. */
static inline u64 nnloop_slot_ns(const struct nnloop_slot *slot, u64 now)
{
	return now - slot->begin;
}

/* Does a slot have a job, and no other one before it? */
static inline bool nnloop_slot_is_first(const struct nnloop_slot *slot)
{
	return slot->entity && slot->first == slot;
}

static inline bool nnloop_entity_is_ready(const struct nnloop_entity *entity)
{
	return !list_empty(&entity->link);
}

void nnloop_rules_init(struct nnloop_rules *rules);
void nnloop_client_init(struct nnloop_client *client);
void nnloop_client_fini(struct nnloop_rules *rules, const struct nnloop_client *client);
void nnloop_entity_init(struct nnloop_entity *entity, struct nnloop_client *client,
			enum nnloop_priority priority);

void nnloop_rules_add(struct nnloop_rules *rules, struct nnloop_entity *entity, u64 now);
void nnloop_rules_remove(struct nnloop_rules *rules, struct nnloop_entity *entity);
struct nnloop_entity *nnloop_rules_next(struct nnloop_rules *rules);
struct nnloop_slot *nnloop_rules_find_slot(struct nnloop_rules *rules,
					   const struct nnloop_entity *entity);
struct nnloop_entity *nnloop_rules_choose(struct nnloop_rules *rules,
					  const struct nnloop_slot *slot,
					  struct nnloop_entity *entity, u64 now, u64 slice_ns);
void nnloop_rules_begin(struct nnloop_rules *rules, struct nnloop_slot *slot,
			struct nnloop_entity *entity, u64 now);
void nnloop_slot_begin(struct nnloop_rules *rules, struct nnloop_slot *slot,
		       struct nnloop_slot *first, struct nnloop_entity *entity, u64 now);
struct nnloop_slot *nnloop_rules_find_helper(struct nnloop_rules *rules,
					     const struct nnloop_slot *first);
void nnloop_rules_help(struct nnloop_rules *rules, struct nnloop_slot *slot,
		       struct nnloop_slot *first, u64 now);
void nnloop_rules_charge(struct nnloop_rules *rules, struct nnloop_slot *slot, u64 now);
u64 nnloop_rules_end(struct nnloop_rules *rules, struct nnloop_slot *slot, u64 now);
bool nnloop_slot_goes_first(const struct nnloop_slot *slot, const struct nnloop_slot *other);
void nnloop_rules_yield(struct nnloop_rules *rules, struct nnloop_slot *first, u64 now);
unsigned long nnloop_rules_make_room(struct nnloop_rules *rules, u64 now, u64 slice_ns,
				     u64 *soonest);
struct nnloop_slot *nnloop_rules_watch(struct nnloop_rules *rules, u64 now, u64 limit_ns,
				       u64 *soonest);

enum nnloop_hang_verdict nnloop_hang_look(struct nnloop_hang *hang, u32 progress,
					  unsigned int workers, bool given_up, bool ended);
bool nnloop_slot_is_deaf(const struct nnloop_slot *slot, u64 now);

/* No look that the worker has had until now counts. */
static inline void nnloop_hang_begin(struct nnloop_hang *hang)
{
	hang->looks = 0;
}

#endif
