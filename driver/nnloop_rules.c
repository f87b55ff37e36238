// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's rules: whose turn it is, and who makes room for others. They are plain data and
 * functions. Further rules are in nnloop_rules_gang.c (which workers help with a job),
 * nnloop_rules_limit.c (whose pass has taken too long) and nnloop_rules_hang.c (which worker
 * hangs). nnloop_sched.c and nnloop_worker.c apply them.
 *
 * Time is shared as a fair scheduler of processes does it: each client has a clock of the worker
 * time that it has used, the one that is furthest behind comes next, and one that had nothing to do
 * comes back with the clock of those that had. A job that begins counts as 10 ms until it is known
 * how long it was, so that one client does not take all workers at once.
 *
 * A job is left off between two passes, all of its state being in memory then, and goes on later on
 * any worker. That happens at once where a job of a higher priority waits, and after a slice where
 * a client waits that has had less. Which of those that wait gets a worker that was asked is known
 * by the order alone.
 *
 * To come from one client to another costs a worker its translations, and the memory behind them. A
 * slice is long enough for that to be a small part of it, by what it cost the last time. A slice is
 * the client's, whether it uses it for one job or for many short ones; and no worker is taken from
 * a client for one that has another worker, unless that one has fallen behind by more than a slice.
 *
 * A job can be given further workers that nobody else has a use for (nnloop_rules_gang.c). They
 * count for its client as if each had a job of its own, and are on loan: where somebody comes who
 * would have got one, the job is asked to make room at once, whatever its slice.
 */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "nnloop_rules.h"

/*
 * A slice is this many times what it costs to come to a client, up to the most that others can be
 * made to wait.
 */
#define NNLOOP_SLICE_SWITCHES	20
#define NNLOOP_SLICE_MOST_NS	(5ull * NSEC_PER_SEC)

/* A job that begins counts as so long, until it is known how long it was. */
#define NNLOOP_ADVANCE_NS	(10ull * NSEC_PER_MSEC)

static bool nnloop_share_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct nnloop_share, node)->used <
	       rb_entry(b, struct nnloop_share, node)->used;
}

/**
 * nnloop_rules_init - nothing is ready, and there are no slots
 * @rules: the rules
 */
void nnloop_rules_init(struct nnloop_rules *rules)
{
	unsigned int i;

	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		rules->ready[i] = RB_ROOT_CACHED;
		rules->least[i] = 0;
	}
	rules->slot_count = 0;
}

/**
 * nnloop_client_init - a client that has used nothing
 * @client: the client
 */
void nnloop_client_init(struct nnloop_client *client)
{
	unsigned int i;

	client->switch_ns = 0;
	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		RB_CLEAR_NODE(&client->share[i].node);
		INIT_LIST_HEAD(&client->share[i].entities);
		client->share[i].client = client;
		client->share[i].used = 0;
		client->share[i].idle_since = 0;
	}
}

/**
 * nnloop_client_fini - a client goes, whose last job is gone
 * @rules: the rules
 * @client: the client
 */
void nnloop_client_fini(struct nnloop_rules *rules, const struct nnloop_client *client)
{
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		if (rules->slots[i]->client == client)
			rules->slots[i]->client = NULL;
	}
}

/**
 * nnloop_entity_init - an entity without a job
 * @entity: the entity
 * @client: whose it is
 * @priority: its priority
 */
void nnloop_entity_init(struct nnloop_entity *entity, struct nnloop_client *client,
			enum nnloop_priority priority)
{
	INIT_LIST_HEAD(&entity->link);
	entity->share = &client->share[priority];
	entity->priority = priority;
}

/* Changes what a share has used and keeps it in its place. */
static void nnloop_share_use(struct nnloop_rules *rules, struct nnloop_entity *entity, s64 ns)
{
	struct rb_root_cached *ready = &rules->ready[entity->priority];
	u64 *least = &rules->least[entity->priority];
	struct nnloop_share *share = entity->share;

	if (!RB_EMPTY_NODE(&share->node))
		rb_erase_cached(&share->node, ready);
	share->used += ns;
	if (!RB_EMPTY_NODE(&share->node))
		rb_add_cached(&share->node, ready, nnloop_share_before);
	/* Nobody waited for this time, so it is no debt to those who come later. */
	else if (RB_EMPTY_ROOT(&ready->rb_root))
		*least = max(*least, share->used);
}

/**
 * nnloop_rules_charge - a job has used time, and may use more
 * @rules: the rules
 * @slot: where it runs
 * @now: the time
 */
void nnloop_rules_charge(struct nnloop_rules *rules, struct nnloop_slot *slot, u64 now)
{
	u64 used = nnloop_slot_ns(slot, now);

	if (used <= slot->charged)
		return;
	nnloop_share_use(rules, slot->entity, used - slot->charged);
	slot->charged = used;
}

static bool nnloop_rules_has_slot(const struct nnloop_rules *rules,
				  const struct nnloop_share *share)
{
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		if (rules->slots[i]->entity && rules->slots[i]->entity->share == share)
			return true;
	}
	return false;
}

/* Charges all running jobs with the time that they have used until now. */
static void nnloop_rules_charge_all(struct nnloop_rules *rules, u64 now)
{
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		if (rules->slots[i]->entity)
			nnloop_rules_charge(rules, rules->slots[i], now);
	}
}

/**
 * nnloop_rules_add - an entity's first job could begin
 * @rules: the rules
 * @entity: the entity, which is not there yet
 * @now: the time
 */
void nnloop_rules_add(struct nnloop_rules *rules, struct nnloop_entity *entity, u64 now)
{
	struct rb_root_cached *ready = &rules->ready[entity->priority];
	bool nobody_waits = RB_EMPTY_ROOT(&ready->rb_root);
	struct nnloop_share *share = entity->share;
	u64 lost;

	list_add_tail(&entity->link, &share->entities);
	if (!RB_EMPTY_NODE(&share->node))
		return;
	/* What running jobs have used until now is no debt of theirs if nobody waited. */
	if (nobody_waits)
		nnloop_rules_charge_all(rules, now);
	/*
	 * What a share of high priority did not have before gives it no claim over those who wait.
	 */
	if (nobody_waits || entity->priority == NNLOOP_PRIORITY_HIGH)
		lost = U64_MAX - share->used;
	/* What a client did not use while there was nothing to do is not saved up; */
	else if (!nnloop_rules_has_slot(rules, share))
		lost = (now - share->idle_since) * rules->slot_count;
	/* what it did not have while there was is owed to it. */
	else
		lost = 0;
	share->used = max(share->used, min(share->used + lost, rules->least[entity->priority]));
	rb_add_cached(&share->node, ready, nnloop_share_before);
}

/**
 * nnloop_rules_remove - an entity's first job has begun, or will not
 * @rules: the rules
 * @entity: the entity, which is there
 */
void nnloop_rules_remove(struct nnloop_rules *rules, struct nnloop_entity *entity)
{
	struct nnloop_share *share = entity->share;

	list_del_init(&entity->link);
	if (list_empty(&share->entities)) {
		rb_erase_cached(&share->node, &rules->ready[entity->priority]);
		RB_CLEAR_NODE(&share->node);
	}
}

/**
 * nnloop_rules_next - whose turn is it?
 * @rules: the rules
 *
 * Return: the entity, which stays where it is; or NULL.
 */
struct nnloop_entity *nnloop_rules_next(struct nnloop_rules *rules)
{
	struct nnloop_share *share;
	struct rb_node *node;
	unsigned int i;

	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		node = rb_first_cached(&rules->ready[i]);
		if (!node)
			continue;
		share = rb_entry(node, struct nnloop_share, node);
		return list_first_entry(&share->entities, struct nnloop_entity, link);
	}
	return NULL;
}

/**
 * nnloop_rules_find_slot - where can a job begin?
 * @rules: the rules; &nnloop_slot.free of all slots without a job is right
 * @entity: whose job
 *
 * Return: if possible the slot that has the client's translations; NULL if none is free.
 */
struct nnloop_slot *nnloop_rules_find_slot(struct nnloop_rules *rules,
					   const struct nnloop_entity *entity)
{
	struct nnloop_slot *found = NULL;
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		struct nnloop_slot *slot = rules->slots[i];

		if (slot->entity || !slot->free)
			continue;
		if (slot->client == entity->share->client)
			return slot;
		if (!found)
			found = slot;
	}
	return found;
}

/*
 * Returns how long a client keeps a slot from others of the same priority: @slice_ns, or longer if
 * that pays.
 */
static u64 nnloop_rules_slice(const struct nnloop_share *share, u64 slice_ns)
{
	return max(min(NNLOOP_SLICE_SWITCHES * share->client->switch_ns, NNLOOP_SLICE_MOST_NS),
		   slice_ns);
}

/*
 * Returns for how many nanoseconds a slot with a job has been its client's, without another's
 * between.
 */
static u64 nnloop_slot_had(const struct nnloop_slot *slot, u64 now)
{
	return slot->had_ns + nnloop_slot_ns(slot, now);
}

/*
 * Returns how much the share that has a slot must have used for another one of the same priority to
 * take it: as much as that one, or a slice more if that one has another slot, for it may well go on
 * there.
 */
static u64 nnloop_rules_claim(const struct nnloop_rules *rules, const struct nnloop_share *other,
			      u64 slice)
{
	return other->used + (nnloop_rules_has_slot(rules, other) ? slice : 0);
}

/**
 * nnloop_rules_choose - a slot is free: whose job does it take?
 * @rules: the rules
 * @slot: the slot
 * @entity: whose turn it is
 * @now: the time
 * @slice_ns: the shortest slice
 *
 * A job of high priority waits for nobody's slice.
 *
 * Return: @entity; or as long as the client that has had the slot has had no slice of it, or no
 * more than is fair, one of its own of the same priority; or who comes next that has a claim.
 */
struct nnloop_entity *nnloop_rules_choose(struct nnloop_rules *rules,
					  const struct nnloop_slot *slot,
					  struct nnloop_entity *entity, u64 now, u64 slice_ns)
{
	struct rb_root_cached *ready = &rules->ready[entity->priority];
	struct nnloop_share *own, *share;
	struct rb_node *node;
	u64 slice;

	if (entity->priority == NNLOOP_PRIORITY_HIGH || !slot->client)
		return entity;
	own = &slot->client->share[entity->priority];
	if (entity->share == own || RB_EMPTY_NODE(&own->node))
		return entity;
	nnloop_rules_charge_all(rules, now);
	slice = nnloop_rules_slice(own, slice_ns);
	/* The end of a slice is where whole jobs come nearest to it. */
	if (slot->had_ns + slot->last_ns / 2 < slice)
		return list_first_entry(&own->entities, struct nnloop_entity, link);
	/* The shares before it that have no claim have a slot, so they are few. */
	for (node = rb_first_cached(ready); ; node = rb_next(node)) {
		share = rb_entry(node, struct nnloop_share, node);
		if (share == own || own->used >= nnloop_rules_claim(rules, share, slice))
			return list_first_entry(&share->entities, struct nnloop_entity, link);
	}
}

/**
 * nnloop_slot_begin - a slot gets a job
 * @rules: the rules
 * @slot: the slot, which has none
 * @first: the first of the slots that get it: itself, or one that has got it just now
 * @entity: whose job; it is not ready any more
 * @now: the time
 */
void nnloop_slot_begin(struct nnloop_rules *rules, struct nnloop_slot *slot,
		       struct nnloop_slot *first, struct nnloop_entity *entity, u64 now)
{
	struct nnloop_client *client = entity->share->client;
	bool switched = slot->client != client;

	*slot = (struct nnloop_slot){
		.entity = entity,
		.first = first,
		.client = client,
		.switched = switched,
		.had_ns = switched ? 0 : slot->had_ns,
		.begin = now,
		.charged = NNLOOP_ADVANCE_NS,
		.watch_time = now,
	};
	nnloop_share_use(rules, entity, NNLOOP_ADVANCE_NS);
}

/**
 * nnloop_rules_begin - a slot gets an entity's first job
 * @rules: the rules
 * @slot: the slot, which has none
 * @entity: the entity, which is ready and then is not
 * @now: the time
 */
void nnloop_rules_begin(struct nnloop_rules *rules, struct nnloop_slot *slot,
			struct nnloop_entity *entity, u64 now)
{
	const struct rb_node *first = rb_first_cached(&rules->ready[entity->priority]);
	u64 *least = &rules->least[entity->priority];

	/* The slot's own client may go on with more than the least. */
	*least = max(*least, rb_entry(first, struct nnloop_share, node)->used);
	nnloop_rules_remove(rules, entity);
	nnloop_slot_begin(rules, slot, slot, entity, now);
}

/**
 * nnloop_rules_end - a job that had begun has ended, or was left off
 * @rules: the rules
 * @slot: the slot, which has it no more; all that have it are told so in the same moment
 * @now: the time
 *
 * Return: nanoseconds that it took.
 */
u64 nnloop_rules_end(struct nnloop_rules *rules, struct nnloop_slot *slot, u64 now)
{
	u64 used = nnloop_slot_ns(slot, now);

	nnloop_share_use(rules, slot->entity, used - slot->charged);
	slot->had_ns += used;
	slot->last_ns = used;
	slot->entity->share->idle_since = now;
	slot->entity = NULL;
	return used;
}

/**
 * nnloop_rules_yield - a job is told to leave its slots
 * @rules: the rules
 * @first: the slot that has it, the first of them
 * @now: the time
 */
void nnloop_rules_yield(struct nnloop_rules *rules, struct nnloop_slot *first, u64 now)
{
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		struct nnloop_slot *slot = rules->slots[i];

		if (!slot->entity || slot->first != first)
			continue;
		slot->yielding = true;
		slot->yield_time = now;
	}
}

/**
 * nnloop_slot_goes_first - who gives its slot back first?
 * @slot: one that has a job, the first of several
 * @other: another one
 *
 * Return: true if @slot's job has less of a claim: a lower priority, or the same and slots on loan,
 * or its share has used more.
 */
bool nnloop_slot_goes_first(const struct nnloop_slot *slot, const struct nnloop_slot *other)
{
	const struct nnloop_entity *entity = slot->entity, *than = other->entity;

	if (entity->priority != than->priority)
		return entity->priority > than->priority;
	if (!slot->helpers != !other->helpers)
		return slot->helpers;
	return entity->share->used > than->share->used;
}

/*
 * Says whether a slot's job has had what it may have while @entity of the same priority waits. For
 * slots on loan that is nothing. The entities of a client take turns with their jobs; others wait
 * for the client's slice, and for who has had less. The end of the pass is not waited for, because
 * it could be long, and the next one too.
 */
static bool nnloop_rules_is_over(const struct nnloop_rules *rules, const struct nnloop_slot *slot,
				 const struct nnloop_entity *entity, u64 now, u64 slice_ns,
				 u64 *soonest)
{
	const struct nnloop_share *share = slot->entity->share;
	u64 slice = nnloop_rules_slice(share, slice_ns), had, claim = 0, least;

	if (slot->helpers)
		return true;
	if (share == entity->share) {
		had = nnloop_slot_ns(slot, now);
	} else {
		had = nnloop_slot_had(slot, now);
		claim = nnloop_rules_claim(rules, entity->share, slice);
	}
	if (had < slice)
		least = slice - had;
	else if (share->used >= claim)
		return true;
	/* A job of several slots may use as much as all of them have. */
	else
		least = max(NNLOOP_ADVANCE_NS, div_u64(claim - share->used, rules->slot_count));
	*soonest = min(*soonest, least);
	return false;
}

/*
 * Returns the slot whose job should make room for @entity's, or NULL. *@soonest becomes less if
 * there could be one in so many nanoseconds.
 */
static struct nnloop_slot *nnloop_rules_find_victim(struct nnloop_rules *rules,
						    const struct nnloop_entity *entity, u64 now,
						    u64 slice_ns, u64 *soonest)
{
	struct nnloop_slot *victim = NULL;
	unsigned int i;

	for (i = 0; i < rules->slot_count; i++) {
		struct nnloop_slot *slot = rules->slots[i];
		const struct nnloop_entity *running = slot->entity;

		if (!nnloop_slot_is_first(slot) || slot->yielding ||
		    running->priority < entity->priority)
			continue;
		if (running->priority == entity->priority &&
		    !nnloop_rules_is_over(rules, slot, entity, now, slice_ns, soonest))
			continue;
		if (!victim || nnloop_slot_goes_first(slot, victim))
			victim = slot;
	}
	return victim;
}

/**
 * nnloop_rules_make_room - no slot is free, or none may take a job: who makes room for those that
 * wait?
 * @rules: the rules
 * @now: the time
 * @slice_ns: the shortest slice
 * @soonest: becomes less if more could be asked in so many nanoseconds
 *
 * Return: a bit for each slot that is to leave its job off, and was not told yet: of several that
 * have one job, for the first.
 */
unsigned long nnloop_rules_make_room(struct nnloop_rules *rules, u64 now, u64 slice_ns,
				     u64 *soonest)
{
	struct nnloop_entity *entity;
	unsigned int asked = 0, i, k;
	struct nnloop_share *share;
	struct nnloop_slot *victim;
	unsigned long told = 0;
	struct rb_node *node;
	u64 slice, had;

	nnloop_rules_charge_all(rules, now);
	for (i = 0; i < rules->slot_count; i++) {
		struct nnloop_slot *slot = rules->slots[i];

		if (!slot->entity || !slot->yielding)
			continue;
		/*
		 * A pass may be long. Once a slice has passed since the slot was asked, nobody
		 * waits for it alone.
		 */
		slice = nnloop_rules_slice(slot->entity->share, slice_ns);
		had = now - slot->yield_time;
		if (had < slice) {
			asked++;
			*soonest = min(*soonest, slice - had);
		}
	}
	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		for (node = rb_first_cached(&rules->ready[i]); node; node = rb_next(node)) {
			share = rb_entry(node, struct nnloop_share, node);
			list_for_each_entry(entity, &share->entities, link) {
				/* Slots that were asked are for those who come first. */
				if (asked) {
					asked--;
					continue;
				}
				victim = nnloop_rules_find_victim(rules, entity, now, slice_ns,
								  soonest);
				/* Who has a slot has less of a claim than who comes next, */
				if (!victim && nnloop_rules_has_slot(rules, share))
					break;
				/* and else who comes later has less. */
				if (!victim)
					return told;
				nnloop_rules_yield(rules, victim, now);
				/*
				 * If the pass of this slot is a long one, somebody else is asked
				 * then.
				 */
				*soonest = min(*soonest, nnloop_rules_slice(victim->entity->share,
									    slice_ns));
				asked += victim->helpers;
				for (k = 0; rules->slots[k] != victim;)
					k++;
				told |= BIT(k);
			}
		}
	}
	return told;
}
