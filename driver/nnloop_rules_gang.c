// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's rules, continued: which further slots a job gets when it begins.
 *
 * A gang gets only slots that are free in this moment and that no ready job could have: a gang
 * waits for nobody, and nobody waits for it who need not. Its client then has no more slots than
 * come out even among the clients that have jobs now. A client that has a job on a slot cannot take
 * another slot for that job, but it can for the next.
 */
#include "nnloop_rules.h"

/* Says whether there are more slots that could take a job than entities that have one. */
static bool nnloop_rules_has_spare(const struct nnloop_rules *rules)
{
	const struct nnloop_entity *entity;
	const struct nnloop_share *share;
	unsigned int spare = 0, i;
	struct rb_node *node;

	for (i = 0; i < rules->slot_count; i++)
		spare += !rules->slots[i]->entity && rules->slots[i]->free;
	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		for (node = rb_first_cached(&rules->ready[i]); node; node = rb_next(node)) {
			share = rb_entry(node, struct nnloop_share, node);
			list_for_each_entry(entity, &share->entities, link) {
				/* As many ready entities as slots are enough to know. */
				if (!spare--)
					return false;
			}
		}
	}
	return spare;
}

/* Counts those of the first @count slots that have a job of the client. */
static unsigned int nnloop_rules_count_slots(const struct nnloop_rules *rules, unsigned int count,
					     const struct nnloop_client *client)
{
	unsigned int found = 0, i;

	for (i = 0; i < count; i++)
		found += rules->slots[i]->entity &&
			 rules->slots[i]->entity->share->client == client;
	return found;
}

/* Says whether a client has a job that is ready, of a higher priority than this. */
static bool nnloop_client_is_ready_above(const struct nnloop_client *client, unsigned int priority)
{
	unsigned int i;

	for (i = 0; i < priority; i++) {
		if (!RB_EMPTY_NODE(&client->share[i].node))
			return true;
	}
	return false;
}

/*
 * Says whether one more slot would be no more than even for the client. Where slots do not come out
 * even, those that are left are for who has used least. Called where few are ready.
 */
static bool nnloop_rules_is_even(const struct nnloop_rules *rules,
				 const struct nnloop_entity *entity)
{
	const struct nnloop_client *own = entity->share->client, *client;
	enum nnloop_priority priority = entity->priority;
	unsigned int clients = 1, held, i;
	const struct nnloop_share *share;
	bool has_least = true;
	struct rb_node *node;

	/* Every other client that has a job counts once. */
	for (i = 0; i < rules->slot_count; i++) {
		if (!rules->slots[i]->entity)
			continue;
		client = rules->slots[i]->entity->share->client;
		if (client == own || nnloop_rules_count_slots(rules, i, client))
			continue;
		clients++;
		has_least &= entity->share->used <= client->share[priority].used;
	}
	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		for (node = rb_first_cached(&rules->ready[i]); node; node = rb_next(node)) {
			share = rb_entry(node, struct nnloop_share, node);
			client = share->client;
			if (client == own || nnloop_client_is_ready_above(client, i) ||
			    nnloop_rules_count_slots(rules, rules->slot_count, client))
				continue;
			clients++;
			has_least &= entity->share->used <= client->share[priority].used;
		}
	}
	held = nnloop_rules_count_slots(rules, rules->slot_count, own);
	return (held + 1) * clients <= rules->slot_count ||
	       (has_least && held * clients < rules->slot_count);
}

/**
 * nnloop_rules_find_helper - which slot could help with a job that begins?
 * @rules: the rules; &nnloop_slot.free of all slots without a job is right
 * @first: the slot that the job has got
 *
 * Return: if possible one that has the client's translations; NULL if there is none that it may
 * have.
 */
struct nnloop_slot *nnloop_rules_find_helper(struct nnloop_rules *rules,
					     const struct nnloop_slot *first)
{
	if (!nnloop_rules_has_spare(rules) || !nnloop_rules_is_even(rules, first->entity))
		return NULL;
	return nnloop_rules_find_slot(rules, first->entity);
}

/**
 * nnloop_rules_help - a slot gets a job that another one has got just now, too
 * @rules: the rules
 * @slot: the slot, which has none
 * @first: the other one
 * @now: the time
 */
void nnloop_rules_help(struct nnloop_rules *rules, struct nnloop_slot *slot,
		       struct nnloop_slot *first, u64 now)
{
	nnloop_slot_begin(rules, slot, first, first->entity, now);
	first->helpers++;
}
