// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's rules, continued: whose pass has kept others waiting for longer than the
 * administrator allows. Those who wait by the rules of nnloop_rules.c wait for the end of a pass,
 * and that may take long.
 */
#include <linux/minmax.h>

#include "nnloop_rules.h"

/* How often a pass is looked at before its limit is over, at least. */
#define NNLOOP_LIMIT_LOOKS	4

/* Says whether another client waits that comes before the one that has the slot. */
static bool nnloop_rules_is_in_way(const struct nnloop_rules *rules,
				   const struct nnloop_slot *slot)
{
	const struct nnloop_entity *running = slot->entity;
	const struct nnloop_share *share;
	struct rb_node *node;
	unsigned int i;

	for (i = 0; i <= running->priority; i++) {
		for (node = rb_first_cached(&rules->ready[i]); node; node = rb_next(node)) {
			share = rb_entry(node, struct nnloop_share, node);
			/*
			 * At most one share of a priority is the client's own, so the next one
			 * decides.
			 */
			if (share->client == running->share->client)
				continue;
			if (i < running->priority || share->used <= running->share->used)
				return true;
			break;
		}
	}
	return false;
}

/* Says whether the slot's job was told to end, and the slot cannot be had yet. */
static bool nnloop_slot_is_ending(struct nnloop_slot *slot)
{
	/*
	 * A worker that did not hear of it is started again. When it is up, the slot can be had
	 * like any other.
	 */
	if (!slot->entity && slot->free)
		slot->overdue = false;
	return slot->overdue;
}

/* Notes that a job is to end, on all slots that have it. */
static void nnloop_rules_set_overdue(struct nnloop_rules *rules, struct nnloop_slot *first, u64 now)
{
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		struct nnloop_slot *slot = rules->slots[i];

		if (!slot->entity || slot->first != first)
			continue;
		slot->overdue = true;
		slot->overdue_time = now;
	}
}

/**
 * nnloop_rules_watch - has somebody's pass kept other clients waiting for too long?
 * @rules: the rules; &nnloop_slot.passes of all slots with a job is right, or of the first of those
 *         that have the same one; if somebody waits, what they have used is known
 *         (nnloop_rules_make_room()), and &nnloop_slot.free of those without a job is right
 * @now: the time
 * @limit_ns: the limit of a pass, or 0 if there is none at present
 * @soonest: becomes less if one could be over in so many nanoseconds
 *
 * This is to be called whenever it may have changed who waits, and as @soonest says. Time counts
 * between two calls that find the same pass, from one that has found somebody waiting. Of a time in
 * which nobody has looked, because the machine stood still, no more than a part of the limit
 * counts.
 *
 * Return: the slot whose job is to end, the first of those that have it, once; or NULL. Not before
 * that has ended, and its slots can be had, is there another one: who waits may need no more.
 */
struct nnloop_slot *nnloop_rules_watch(struct nnloop_rules *rules, u64 now, u64 limit_ns,
				       u64 *soonest)
{
	u64 look_ns = limit_ns / NNLOOP_LIMIT_LOOKS;
	struct nnloop_slot *found = NULL;
	bool ending = false;
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		struct nnloop_slot *slot = rules->slots[i];

		ending |= nnloop_slot_is_ending(slot);
		if (!nnloop_slot_is_first(slot))
			continue;
		if (slot->watched_passes != slot->passes)
			slot->in_way_ns = 0;
		else if (slot->in_way)
			slot->in_way_ns += min(now - slot->watch_time, look_ns);
		slot->watched_passes = slot->passes;
		slot->watch_time = now;
		slot->in_way = limit_ns && nnloop_rules_is_in_way(rules, slot);
		if (!slot->in_way)
			continue;
		if (slot->in_way_ns < limit_ns)
			*soonest = min(*soonest, min(limit_ns - slot->in_way_ns, look_ns));
		else if (!found || nnloop_slot_goes_first(slot, found))
			found = slot;
	}
	if (!found || ending)
		return NULL;
	nnloop_rules_set_overdue(rules, found, now);
	return found;
}
