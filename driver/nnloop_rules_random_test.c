// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the scheduler's rules in random sequences of arrivals, ends, failures, cancels and
 * closes. They must hold what docs/driver.md promises, whatever comes. There is no device: the
 * clock is a number, and workers are done with a pass when it says so.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "nnloop_rules.h"

#define MS		((u64)NSEC_PER_MSEC)
#define NEVER		U64_MAX
#define SLICE		(10 * MS)
#define CLIENTS		5
#define QUEUES		4	/* of each client */
#define SLOTS		4	/* at most */
/* insmod waits for all sequences, so there are fewer where each takes a hundred times as long. */
#define SEQUENCES	(IS_ENABLED(CONFIG_KASAN) ? 200 : 10000)

/* A client's queue: jobs one after the other. */
struct test_queue {
	struct nnloop_entity entity;
	struct test_slot *slot;	/* where its first job runs: the first of several */
	unsigned int workers;	/* how many its jobs can use */
	unsigned int jobs;	/* jobs that have not ended */
	unsigned int passes;	/* that are left of the first one; 0: it has not begun */
	u64 begun;		/* how many jobs have ever begun */
	u64 ended;
	u64 since;		/* when it became ready last */
	bool crowded;		/* not every job of high priority has had a worker since then */
	bool open;
};

struct test_client {
	struct nnloop_client client;
	struct test_queue queue[QUEUES];
	u64 had;		/* worker time */
	u64 cost;		/* cost to come to it, as it is counted */
};

struct test_slot {
	struct nnloop_slot slot;
	struct test_queue *queue;
	u64 pass_begin, pass_end;
	u32 passes;
	bool cancelled;
	bool helps;		/* another one is the first that has the job */
	bool up;		/* it takes jobs */
};

struct rules_test {
	struct kunit *kunit;
	struct rnd_state random;
	struct nnloop_rules rules;
	struct test_slot slot[SLOTS];
	struct test_client client[CLIENTS];
	unsigned int client_count, queue_count;
	bool busy;		/* there is always another job */
	bool slow_first;	/* client 0 is slow on purpose when a worker comes to it */
	u64 now, timer;		/* @timer: when the rules want to be asked again */
	u64 longest;		/* pass */
	u64 limit;		/* of a pass, or 0 */
	unsigned int workers;	/* that each job can use; 0: they differ */
	unsigned int helped;	/* how often any slot has */
	unsigned int failed;
};

static u32 below(struct rules_test *test, u32 count)
{
	return prandom_u32_state(&test->random) % count;
}

/* The first thing that is wrong in a sequence is enough. */
static void expect(struct rules_test *test, bool condition, const char *what)
{
	if (condition || test->failed)
		return;
	test->failed++;
	KUNIT_EXPECT_TRUE_MSG(test->kunit, condition, "after %llu ms: %s", test->now / MS, what);
}

static struct test_client *client_of(struct test_queue *queue)
{
	return container_of(queue->entity.share->client, struct test_client, client);
}

static void slot_begins_pass(struct rules_test *test, struct test_slot *slot)
{
	u32 length = below(test, 1000);

	if (test->slow_first)
		length /= 4;
	if (test->slow_first && client_of(slot->queue) == test->client && slot->slot.switched &&
	    !slot->passes)
		length = 999;
	slot->pass_begin = test->now;
	slot->pass_end = test->now + 1 + div_u64((u64)length * test->longest,
						 1000 * (1 + slot->slot.helpers));
}

/* Settles a queue whose first job has changed, as nnloop_queue_settle() does it: could it begin? */
static void queue_settle(struct rules_test *test, struct test_queue *queue)
{
	bool ready = queue->jobs && !queue->slot;

	if (ready && !nnloop_entity_is_ready(&queue->entity)) {
		nnloop_rules_add(&test->rules, &queue->entity, test->now);
		queue->since = test->now;
		queue->crowded = false;
	} else if (!ready && nnloop_entity_is_ready(&queue->entity)) {
		nnloop_rules_remove(&test->rules, &queue->entity);
	}
}

/* Sees how many queues of the highest priority have a job that runs or could. */
static void see_whether_crowded(struct rules_test *test)
{
	unsigned int i, k, high = 0, slots = 0;
	struct test_queue *queue;

	for (i = 0; i < test->rules.slot_count; i++)
		slots += test->slot[i].up;
	for (i = 0; i < CLIENTS; i++) {
		for (k = 0; k < QUEUES; k++) {
			queue = &test->client[i].queue[k];
			high += queue->open && queue->jobs &&
				queue->entity.priority == NNLOOP_PRIORITY_HIGH;
		}
	}
	for (i = 0; i < CLIENTS && high > slots; i++) {
		for (k = 0; k < QUEUES; k++)
			test->client[i].queue[k].crowded = true;
	}
}

static struct test_slot *to_test_slot(struct nnloop_slot *slot)
{
	return container_of(slot, struct test_slot, slot);
}

/*
 * Checks that a slot is given to a job that has one only where no other job or client could claim
 * it.
 */
static void expect_spare(struct rules_test *test, struct test_client *client)
{
	unsigned int spare = 0, waiting = 0, clients = 0, held = 0, i, k;

	for (i = 0; i < test->rules.slot_count; i++) {
		spare += test->slot[i].up && !test->slot[i].queue;
		held += test->slot[i].queue && client_of(test->slot[i].queue) == client;
	}
	for (i = 0; i < test->client_count; i++) {
		bool active = false;

		for (k = 0; k < test->queue_count; k++) {
			struct test_queue *queue = &test->client[i].queue[k];

			waiting += nnloop_entity_is_ready(&queue->entity);
			active |= queue->slot || nnloop_entity_is_ready(&queue->entity);
		}
		clients += active;
	}
	expect(test, spare > waiting, "a worker helps that a job waits for");
	expect(test, held * clients < test->rules.slot_count,
	       "a client gets more workers than is even");
}

/* Gives a slot helpers, as nnloop_sched_begin() does it. */
static void slot_is_helped(struct rules_test *test, struct test_slot *slot)
{
	struct test_queue *queue = slot->queue;
	struct nnloop_slot *helper;
	unsigned int count;

	for (count = 1; count < queue->workers; count++) {
		helper = nnloop_rules_find_helper(&test->rules, &slot->slot);
		if (!helper)
			break;
		expect_spare(test, client_of(queue));
		nnloop_rules_help(&test->rules, helper, &slot->slot, test->now);
		expect(test, !to_test_slot(helper)->queue, "a worker helps that has a job");
		to_test_slot(helper)->queue = queue;
		to_test_slot(helper)->helps = true;
		test->helped++;
	}
}

static void slot_begins(struct rules_test *test, struct test_slot *slot, struct test_queue *queue)
{
	expect(test, !queue->slot && queue->jobs, "a job begins that is not there, or runs");
	expect(test, !slot->queue, "two jobs are on one worker");
	if (queue->entity.priority == NNLOOP_PRIORITY_HIGH && !queue->crowded)
		expect(test, test->now - queue->since <= test->longest,
		       "a job of high priority has waited for more than a pass");
	if (!queue->passes) {
		expect(test, queue->begun == queue->ended,
		       "a job begins before the one before it has ended");
		queue->begun++;
		queue->passes = 1 + below(test, 6);
	}
	nnloop_rules_begin(&test->rules, &slot->slot, &queue->entity, test->now);
	slot->queue = queue;
	slot->passes = 0;
	slot->cancelled = false;
	slot->helps = false;
	queue->slot = slot;
	slot_is_helped(test, slot);
	slot_begins_pass(test, slot);
}

static void slot_leaves(struct rules_test *test, struct test_slot *slot)
{
	struct test_queue *queue = slot->queue;
	struct test_client *client = client_of(queue);
	unsigned int i;

	for (i = 0; i < test->rules.slot_count; i++) {
		struct test_slot *one = &test->slot[i];

		if (one->queue != queue)
			continue;
		client->had += nnloop_rules_end(&test->rules, &one->slot, test->now);
		one->queue = NULL;
	}
	/*
	 * The cost is counted as nnloop_gang_take_back() does it: what was counted, not how long
	 * passes took.
	 */
	if (test->busy)
		client->client.switch_ns = client->cost;
	queue->slot = NULL;
}

static void queue_first_ends(struct test_queue *queue)
{
	/* A job that has not begun is over, too. */
	queue->begun += !queue->passes;
	queue->passes = 0;
	queue->jobs--;
	queue->ended++;
}

/* Gives up all jobs but one that runs, which is told. */
static void queue_cancel(struct rules_test *test, struct test_queue *queue)
{
	struct test_slot *slot = queue->slot;

	while (queue->jobs > !!slot) {
		/* Jobs end in order: the one that runs is the first. */
		if (slot) {
			queue->jobs--;
			continue;
		}
		queue_first_ends(queue);
	}
	if (slot && !slot->cancelled) {
		slot->cancelled = true;
		slot->pass_end = min(slot->pass_end, test->now + 1 + below(test, MS));
	}
	queue_settle(test, queue);
}

static bool somebody_else_waits(struct rules_test *test, struct test_slot *slot)
{
	struct test_queue *queue;
	unsigned int i, k;

	for (i = 0; i < CLIENTS; i++) {
		for (k = 0; k < QUEUES; k++) {
			queue = &test->client[i].queue[k];
			if (queue->open && nnloop_entity_is_ready(&queue->entity) &&
			    client_of(queue) != client_of(slot->queue) &&
			    queue->entity.priority <= slot->queue->entity.priority)
				return true;
		}
	}
	return false;
}

/* Checks that where a job waits, gangs make room whose helpers it could have had. */
static void expect_loans_back(struct rules_test *test)
{
	enum nnloop_priority waits = NNLOOP_PRIORITY_COUNT;
	bool yielding = false, helped = false;
	unsigned int i;

	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		if (!RB_EMPTY_ROOT(&test->rules.ready[i].rb_root)) {
			waits = i;
			break;
		}
	}
	for (i = 0; i < test->rules.slot_count; i++) {
		struct test_slot *slot = &test->slot[i];

		if (!slot->queue)
			continue;
		yielding |= slot->slot.yielding;
		helped |= slot->slot.helpers && slot->queue->entity.priority >= waits;
	}
	expect(test, yielding || !helped, "a job waits, and workers help that are not asked");
}

/* Gives ready jobs to free slots, as nnloop_sched_dispatch() does it. */
static void dispatch(struct rules_test *test)
{
	struct nnloop_entity *entity;
	struct nnloop_slot *slot;
	unsigned long told;
	u64 soonest = NEVER;
	unsigned int i;

	see_whether_crowded(test);
	for (i = 0; i < test->rules.slot_count; i++) {
		test->slot[i].slot.passes = test->slot[i].passes;
		test->slot[i].slot.free = test->slot[i].up && !test->slot[i].queue;
	}
	while ((entity = nnloop_rules_next(&test->rules))) {
		slot = nnloop_rules_find_slot(&test->rules, entity);
		if (!slot) {
			told = nnloop_rules_make_room(&test->rules, test->now, SLICE, &soonest);
			for (i = 0; i < test->rules.slot_count; i++)
				expect(test, !(told & BIT(i)) ||
				       (test->slot[i].queue && test->slot[i].slot.yielding &&
					!test->slot[i].helps),
				       "who has no job is asked to make room");
			expect_loans_back(test);
			break;
		}
		entity = nnloop_rules_choose(&test->rules, slot, entity, test->now, SLICE);
		slot_begins(test, to_test_slot(slot),
			    container_of(entity, struct test_queue, entity));
	}
	for (i = 0; i < test->rules.slot_count; i++)
		expect(test, !entity || test->slot[i].queue || !test->slot[i].up,
		       "a job waits and a worker is free");
	slot = nnloop_rules_watch(&test->rules, test->now, test->limit, &soonest);
	if (slot) {
		struct test_slot *over = to_test_slot(slot);

		expect(test, !over->helps, "a pass is ended by who helps with it");
		expect(test, test->now - over->pass_begin >= test->limit,
		       "a pass that is shorter than the limit is ended");
		expect(test, somebody_else_waits(test, over),
		       "a pass is ended, and nobody waits for it");
		over->cancelled = true;
		over->pass_end = min(over->pass_end, test->now + 1 + below(test, MS));
	}
	expect(test, soonest, "they want to be asked again without end");
	test->timer = soonest == NEVER ? NEVER : test->now + soonest;
}

static void slot_ends_pass(struct rules_test *test, struct test_slot *slot)
{
	struct test_queue *queue = slot->queue;

	slot->passes++;
	queue->passes--;
	if (slot->cancelled || !queue->passes || !below(test, 30)) {
		/* Every other one that fails takes its queue with it. */
		bool lost = queue->passes && !slot->cancelled && below(test, 2);

		slot_leaves(test, slot);
		queue->passes = 1;
		queue_first_ends(queue);
		if (test->busy)
			queue->jobs++;
		else if (lost)
			queue_cancel(test, queue);
	} else if (slot->slot.yielding) {
		slot_leaves(test, slot);
	} else {
		slot_begins_pass(test, slot);
		return;
	}
	queue_settle(test, queue);
	dispatch(test);
}

static void client_opens(struct rules_test *test, struct test_client *client)
{
	static const enum nnloop_priority priority[] = {
		NNLOOP_PRIORITY_NORMAL, NNLOOP_PRIORITY_NORMAL, NNLOOP_PRIORITY_LOW,
		NNLOOP_PRIORITY_HIGH,
	};
	unsigned int i;

	memset(client, 0, sizeof(*client));
	nnloop_client_init(&client->client);
	for (i = 0; i < test->queue_count; i++) {
		nnloop_entity_init(&client->queue[i].entity, &client->client,
				   test->busy ? NNLOOP_PRIORITY_NORMAL : priority[below(test, 4)]);
		client->queue[i].workers = test->workers ?: 1 + below(test, SLOTS);
		client->queue[i].open = true;
	}
}

/*
 * Closes a client. It is gone when its last job is, and nothing of it may be looked at from then
 * on.
 */
static void client_closes(struct rules_test *test, struct test_client *client)
{
	bool busy = false;
	unsigned int i;

	for (i = 0; i < test->queue_count; i++) {
		queue_cancel(test, &client->queue[i]);
		busy |= client->queue[i].jobs;
	}
	if (busy)
		return;
	nnloop_client_fini(&test->rules, &client->client);
	memset(client, 0x5a, sizeof(*client));
	client_opens(test, client);
}

static void test_start(struct rules_test *test, u32 seed, bool busy)
{
	struct kunit *kunit = test->kunit;
	unsigned int i;

	memset(test, 0, sizeof(*test));
	test->kunit = kunit;
	prandom_seed_state(&test->random, seed);
	test->busy = busy;
	test->now = 1000 * MS;
	test->timer = NEVER;
	test->longest = MS << below(test, 12);
	test->client_count = 2 + below(test, CLIENTS - 1);
	test->queue_count = busy ? 1 + below(test, QUEUES) : QUEUES;
	test->workers = busy ? 1 + below(test, SLOTS) : below(test, 2);
	nnloop_rules_init(&test->rules);
	test->rules.slot_count = 1 + below(test, SLOTS);
	for (i = 0; i < test->rules.slot_count; i++) {
		test->rules.slots[i] = &test->slot[i].slot;
		test->slot[i].up = true;
	}
	for (i = 0; i < test->client_count; i++)
		client_opens(test, &test->client[i]);
}

/* Does the next thing that happens by itself, unless it is after @until. */
static bool test_goes_on(struct rules_test *test, u64 until)
{
	struct test_slot *next = NULL;
	unsigned int i;

	for (i = 0; i < test->rules.slot_count; i++) {
		if (test->slot[i].queue && !test->slot[i].helps &&
		    (!next || test->slot[i].pass_end < next->pass_end))
			next = &test->slot[i];
	}
	if (next && next->pass_end <= until && next->pass_end <= test->timer) {
		test->now = next->pass_end;
		slot_ends_pass(test, next);
		return true;
	}
	if (test->timer <= until) {
		test->now = test->timer;
		dispatch(test);
		return true;
	}
	test->now = until;
	return false;
}

/* Does something that comes from outside. */
static void test_event(struct rules_test *test)
{
	struct test_client *client = &test->client[below(test, test->client_count)];
	struct test_queue *queue = &client->queue[below(test, test->queue_count)];
	struct test_slot *slot;

	switch (below(test, 20)) {
	case 0:
		client_closes(test, client);
		break;
	case 1 ... 2:
		queue_cancel(test, queue);
		break;
	case 3:
		/*
		 * A worker goes, or is there again. If it has a job, that comes to its end first.
		 */
		slot = &test->slot[below(test, test->rules.slot_count)];
		if (!slot->queue)
			slot->up = !slot->up;
		break;
	case 4:
		client->client.switch_ns = below(test, 2) ? (u64)below(test, 300) * MS : 0;
		break;
	case 5:
		test->limit = below(test, 2) ? test->longest / 2 + 1 : 0;
		break;
	default:
		queue->jobs += 1 + below(test, 3);
		queue_settle(test, queue);
	}
	dispatch(test);
}

/* Whatever comes, it all comes to an end. */
static void rules_random(struct kunit *kunit)
{
	struct rules_test *test = kunit->priv;
	unsigned int helped = 0;
	u32 seed, i;
	u64 until;

	for (seed = 0; seed < SEQUENCES && !test->failed; seed++) {
		test_start(test, seed, false);
		for (i = 0; i < 60 && !test->failed; i++) {
			until = test->now + (u64)below(test, 3000) * test->longest / 1000;
			while (!test->failed && test_goes_on(test, until))
				;
			test_event(test);
		}
		for (i = 0; i < test->rules.slot_count; i++)
			test->slot[i].up = true;
		dispatch(test);
		for (i = 0; i < 20000 && !test->failed && test_goes_on(test, NEVER - 1); i++)
			;
		expect(test, !nnloop_rules_next(&test->rules), "a job never begins");
		for (i = 0; i < test->rules.slot_count; i++)
			expect(test, !test->slot[i].queue, "a job never ends");
		helped += test->helped;
		KUNIT_EXPECT_TRUE_MSG(kunit, !test->failed, "that was sequence %u", seed);
	}
	/* Helping is what is tested, too. */
	KUNIT_EXPECT_TRUE(kunit, helped > 2u * SEQUENCES);
}

/*
 * Begins with clients that have something to do at any time. Returns how long they are to be
 * watched.
 */
static u64 shares_start(struct rules_test *test)
{
	struct test_client *client;
	u64 slice = SLICE;
	unsigned int i, k;

	test->longest = max(test->longest, SLICE);
	test->slow_first = below(test, 2);
	for (i = 0; i < test->client_count; i++) {
		client = &test->client[i];
		/*
		 * The memory of every other client costs a slice of up to two of the longest
		 * passes.
		 */
		if (below(test, 2))
			client->cost = (u64)below(test, 100) * test->longest / 1000;
		slice = max(slice, 20 * client->cost);
		for (k = 0; k < test->queue_count; k++) {
			client->queue[k].jobs = 2;
			queue_settle(test, &client->queue[k]);
		}
	}
	dispatch(test);
	return 20 * max(slice, test->longest) * test->client_count;
}

/* Returns the worker time that a client has had, with what its running jobs have until now. */
static u64 client_had(struct rules_test *test, struct test_client *client)
{
	u64 had = client->had;
	unsigned int i;

	for (i = 0; i < test->rules.slot_count; i++) {
		if (test->slot[i].queue && client_of(test->slot[i].queue) == client)
			had += nnloop_slot_ns(&test->slot[i].slot, test->now);
	}
	return had;
}

/*
 * Clients that always have something to do get the same time of workers, within 20 of the longest
 * passes or slices each: whatever the lengths of their jobs, how many queues they have, how many
 * workers their jobs can use, and what it costs to come to them; and if one is slow on purpose in
 * the first pass after that.
 */
static void rules_shares(struct kunit *kunit)
{
	struct rules_test *test = kunit->priv;
	u64 until, had, most, fewest;
	unsigned int helped = 0, i;
	u32 seed;

	for (seed = 0; seed < SEQUENCES && !test->failed; seed++) {
		test_start(test, seed, true);
		until = test->now + shares_start(test);
		while (!test->failed && test_goes_on(test, until))
			;
		most = 0;
		fewest = U64_MAX;
		for (i = 0; i < test->client_count; i++) {
			had = client_had(test, &test->client[i]);
			most = max(most, had);
			fewest = min(fewest, had);
		}
		helped += test->helped;
		test->failed |= (most - fewest) * 10 > most;
		KUNIT_EXPECT_TRUE_MSG(kunit, !test->failed,
				      "sequence %u: %llu and %llu ms on %u workers for %u clients of %u queues, passes up to %llu ms%s",
				      seed, fewest / MS, most / MS, test->rules.slot_count,
				      test->client_count, test->queue_count, test->longest / MS,
				      test->slow_first ? ", slow ones first" : "");
	}
	KUNIT_EXPECT_TRUE(kunit, helped > 2u * SEQUENCES);
}

static int rules_test_init(struct kunit *kunit)
{
	struct rules_test *test = kunit_kzalloc(kunit, sizeof(*test), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(kunit, test);
	test->kunit = kunit;
	kunit->priv = test;
	return 0;
}

static struct kunit_case rules_cases[] = {
	KUNIT_CASE(rules_random),
	KUNIT_CASE(rules_shares),
	{}
};

static struct kunit_suite rules_random_suite = {
	.name = "nnloop_rules_random",
	.init = rules_test_init,
	.test_cases = rules_cases,
};

kunit_test_suite(rules_random_suite);
