// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the scheduler's rules, one at a time: whose turn it is, who makes room and when,
 * and how time is counted. (nnloop_rules_random_test.c tests what comes together.)
 */
#include "nnloop_rules_test.h"

static u64 used_by(struct rule_test *test, unsigned int client)
{
	return test->client[client].share[NNLOOP_PRIORITY_NORMAL].used;
}

/* Returns who is told to make room, as bits, and notes when the rules want to be asked again. */
static unsigned long told(struct rule_test *test)
{
	u64 soonest = NEVER;
	unsigned long slots = nnloop_rules_make_room(&test->rules, test->now, SLICE, &soonest);

	test->again = soonest;
	return slots;
}

static void rule_slice(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 1);
	ready(test, 0);
	begins(test, 0, 0);
	ready(test, 1);
	test->now += SLICE - 1;
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, 1ull);
	test->now++;
	/* A job is told in its first pass as in any other. */
	KUNIT_EXPECT_EQ(kunit, told(test), 1ul);
	KUNIT_EXPECT_EQ(kunit, test->again, SLICE);
	/* A job is told once. */
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, SLICE);
	test->now += SLICE;
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, NEVER);
	KUNIT_EXPECT_EQ(kunit, ends(test, 0), 2 * SLICE);
	begins(test, 1, 0);
}

/* A slice is at least 20 times what it cost to come to the client, and at most 5 s for that. */
static void rule_slice_of_switch(struct kunit *kunit)
{
	static const struct {
		u64 cost, slice;
	} of[] = { { 0, SLICE }, { MS / 2, SLICE }, { MS, 20 * MS }, { 300 * MS, 5000 * MS } };
	struct rule_test *test = kunit->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		rule_start(test, 1);
		test->client[0].switch_ns = of[i].cost;
		ready(test, 0);
		begins(test, 0, 0);
		ready(test, 1);
		test->now += of[i].slice - 1;
		KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
		test->now++;
		KUNIT_EXPECT_EQ(kunit, told(test), 1ul);
	}
}

/* Others wait for who has had less, and for nobody of a lower priority. */
static void rule_claim(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 1);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_HIGH);
	nnloop_entity_init(entity_of(test, 30), &test->client[3], NNLOOP_PRIORITY_LOW);
	test->client[1].share[NNLOOP_PRIORITY_NORMAL].used = 100 * MS;
	ready(test, 0);
	begins(test, 0, 0);
	ready(test, 30);
	test->now += 90 * MS;
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	ready(test, 10);
	test->now += 10 * MS - 1;
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, 10 * MS);
	test->now++;
	KUNIT_EXPECT_EQ(kunit, told(test), 1ul);

	/* No slice is kept from a higher priority, nor a first pass. */
	ends(test, 0);
	nnloop_rules_remove(&test->rules, entity_of(test, 30));
	begins(test, 10, 0);
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, told(test), 1ul);
	ends(test, 0);
	begins(test, 20, 0);
	ready(test, 0);
	test->now += 1000 * MS;
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, NEVER);
}

/*
 * One of several jobs that could make room goes: the one with the lowest priority, and then the one
 * whose client has had most.
 */
static void rule_victim(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	unsigned int i;

	rule_start(test, 4);
	nnloop_entity_init(entity_of(test, 30), &test->client[3], NNLOOP_PRIORITY_LOW);
	nnloop_entity_init(entity_of(test, 40), &test->client[4], NNLOOP_PRIORITY_HIGH);
	nnloop_entity_init(entity_of(test, 41), &test->client[4], NNLOOP_PRIORITY_HIGH);
	nnloop_entity_init(entity_of(test, 42), &test->client[4], NNLOOP_PRIORITY_HIGH);
	test->client[1].share[NNLOOP_PRIORITY_NORMAL].used = 500 * MS;
	for (i = 0; i < 3; i++)
		ready(test, 10 * i);
	begins(test, 0, 0);
	begins(test, 20, 1);
	begins(test, 10, 2);
	ready(test, 30);
	begins(test, 30, 3);
	test->now += MS;
	ready(test, 40);
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(3));
	ready(test, 41);
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(2));
	ready(test, 42);
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(0));
	/* The slots are for these three; a slice later nobody counts on them. */
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, SLICE);
	test->now += SLICE;
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(1));
}

/* One client does not take all that is free; a slot with a client's translations is preferred. */
static void rule_slots(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 3);
	ready(test, 0);
	ready(test, 1);
	ready(test, 10);
	begins(test, 0, 0);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 10 * MS);
	test->slot[1].free = false;
	begins(test, 10, 2);
	KUNIT_EXPECT_TRUE(kunit, test->slot[2].switched);
	KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_find_slot(&test->rules, entity_of(test, 1)));
	test->slot[1].free = true;
	begins(test, 1, 1);
	test->now += MS;
	/* The client gets back what it did not use of what the job counted as. */
	KUNIT_EXPECT_EQ(kunit, ends(test, 2), MS);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 1), MS);
	ends(test, 0);
	ready(test, 10);
	begins(test, 10, 2);
	KUNIT_EXPECT_FALSE(kunit, test->slot[2].switched);
}

/*
 * Time that nobody waited for is no debt, time that others waited for is one, and nothing is saved
 * up.
 */
static void rule_debt(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 1);
	ready(test, 0);
	begins(test, 0, 0);
	test->now += 1000 * MS;
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 1000 * MS);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 1), 1000 * MS);
	test->now += 100 * MS;
	told(test);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 1100 * MS);
	test->client[2].share[NNLOOP_PRIORITY_NORMAL].used = 1020 * MS;
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 2), 1020 * MS);
	ends(test, 0);
	ready(test, 0);
	begins(test, 10, 0);
	test->now += 50 * MS;
	ends(test, 0);
	begins(test, 20, 0);
	/* Who comes now, and is not alone, begins where the one was that was taken last. */
	ready(test, 30);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 3), 1020 * MS);
	nnloop_rules_remove(&test->rules, entity_of(test, 30));
	test->now += 90 * MS;
	ends(test, 0);
	begins(test, 0, 0);
	/* Who comes and is alone begins where those are that run. */
	ready(test, 40);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 4), 1110 * MS);
}

/*
 * Has the slot, which is free, take a job as nnloop_sched_dispatch() does. Returns the job's name.
 */
static unsigned int takes(struct rule_test *test, unsigned int slot)
{
	struct nnloop_entity *entity = nnloop_rules_next(&test->rules);
	unsigned int name;

	entity = nnloop_rules_choose(&test->rules, &test->slot[slot], entity, test->now, SLICE);
	for (name = 0; entity_of(test, name) != entity;)
		name += name % 10 == QUEUES - 1 ? 11 - QUEUES : 1;
	nnloop_rules_begin(&test->rules, &test->slot[slot], entity, test->now);
	return name;
}

/* The slot's job ends, there is another one behind it, and the slot takes a job. */
static unsigned int takes_next(struct rule_test *test, unsigned int slot)
{
	unsigned int i = test->slot[slot].entity - &test->entity[0][0];

	ends(test, slot);
	ready(test, i / QUEUES * 10 + i % QUEUES);
	i = takes(test, slot);
	return i;
}

/* Who was kept waiting is owed it, also after a moment without a job; who had none is not. */
static void rule_owed(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	unsigned int i;

	rule_start(test, 1);
	test->client[0].switch_ns = 50 * MS;
	ready(test, 0);
	begins(test, 0, 0);
	ready(test, 10);
	/* The one client has a slice of short jobs, */
	for (i = 0; i < 1000; i++) {
		test->now += MS;
		ends(test, 0);
		ready(test, 0);
		KUNIT_EXPECT_EQ(kunit, takes(test, 0), i == 999 ? 10u : 0u);
	}
	/* and the other one as much (but for its 10 ms at the beginning), job by job. */
	for (i = 0; i < 989; i++) {
		test->now += MS;
		ends(test, 0);
		ready(test, 10);
		KUNIT_EXPECT_EQ(kunit, takes(test, 0), 10u);
	}
	test->now += MS;
	ends(test, 0);
	/* The client has nothing to do for longer than that, so nothing is owed to it. */
	KUNIT_EXPECT_EQ(kunit, takes(test, 0), 0u);
	test->now += 1000 * MS;
	ready(test, 10);
	test->now += 100 * MS;
	KUNIT_EXPECT_EQ(kunit, told(test), 1ul);
	ends(test, 0);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0) - used_by(test, 1), 100 * MS);
	/* A client on one of two workers, with none to wait for, loses nothing. */
	rule_start(test, 2);
	ready(test, 0);
	ready(test, 10);
	ready(test, 20);
	takes(test, 0);
	takes(test, 1);
	test->client[1].share[NNLOOP_PRIORITY_NORMAL].used = 0;
	test->rules.least[NNLOOP_PRIORITY_NORMAL] = 500 * MS;
	ready(test, 11);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 1), 0ull);
	/* A client that had nothing to do loses what it could have had of the others' time. */
	nnloop_rules_remove(&test->rules, entity_of(test, 11));
	test->now += 10 * MS;
	ends(test, 1);
	test->now += 30 * MS;
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 1), 60 * MS);
}

/* Begins with two clients that have a job each, on two slots. */
static void start_two(struct rule_test *test)
{
	unsigned int i;

	rule_start(test, 2);
	ready(test, 0);
	ready(test, 10);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test->kunit, takes(test, i), 10 * i);
}

/* Short jobs of a client keep a worker for a slice, as a long one does, and no longer. */
static void rule_short_jobs(struct kunit *kunit)
{
	static const struct {
		u64 cost, slice;
	} of[] = { { 0, SLICE }, { 5 * MS, 100 * MS } };
	struct rule_test *test = kunit->priv;
	unsigned int i, k, name;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		unsigned int switches = 0;
		u64 had[2] = { 0, 0 };

		rule_start(test, 1);
		for (k = 0; k < 2; k++) {
			test->client[k].switch_ns = of[i].cost;
			ready(test, 10 * k);
		}
		for (k = 0; k < 2000; k++) {
			name = takes(test, 0);
			switches += test->slot[0].switched;
			test->now += MS;
			had[name / 10] += ends(test, 0);
			ready(test, name);
			KUNIT_EXPECT_TRUE(kunit, had[name / 10] <=
					  had[!(name / 10)] + of[i].slice + MS);
		}
		KUNIT_EXPECT_TRUE(kunit, (switches - 1) * of[i].slice <= 2000 * MS);
		KUNIT_EXPECT_TRUE(kunit, switches * of[i].slice * 2 >= 2000 * MS);
	}

	/*
	 * A client that has nothing more to do keeps nobody waiting; nor does any keep one of high
	 * priority.
	 */
	rule_start(test, 1);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_HIGH);
	nnloop_entity_init(entity_of(test, 1), &test->client[0], NNLOOP_PRIORITY_HIGH);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, takes(test, 0), 0u);
	ends(test, 0);
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, takes(test, 0), 10u);
	ends(test, 0);
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, takes(test, 0), 20u);
	ready(test, 1);
	ends(test, 0);
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, takes(test, 0), 1u);
	ends(test, 0);
	nnloop_client_fini(&test->rules, &test->client[0]);
	KUNIT_EXPECT_TRUE(kunit, !test->slot[0].client);
}

/* Two clients of several queues each, on two workers: each keeps its own. */
static void rule_own_slots(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	unsigned int i;

	start_two(test);
	for (i = 0; i < 2; i++) {
		test->client[i].switch_ns = MS;
		ready(test, 10 * i + 1);
	}
	/* Jobs that are long take turns, where their client is, */
	for (i = 0; i < 200; i++) {
		test->now += 10 * MS;
		if (told(test) & BIT(i % 2))
			KUNIT_EXPECT_EQ(kunit, takes_next(test, i % 2) / 10, i % 2);
	}
	/* and so do short ones, */
	for (i = 0; i < 200; i++) {
		test->now += MS;
		KUNIT_EXPECT_EQ(kunit, takes_next(test, i % 2) / 10, i % 2);
		KUNIT_EXPECT_FALSE(kunit, test->slot[i % 2].switched);
	}
	/* until one has had a slice less than the other. */
	test->client[0].share[NNLOOP_PRIORITY_NORMAL].used += 40 * MS;
	KUNIT_EXPECT_EQ(kunit, takes_next(test, 0) / 10, 1u);
}

/* Who has no worker waits for no more than a slice, though the others keep theirs. */
static void rule_no_slot(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	start_two(test);
	ready(test, 1);
	ready(test, 11);
	test->now += SLICE - 1;
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	KUNIT_EXPECT_EQ(kunit, test->again, 1ull);
	test->now++;
	/* Slots are asked for the three that wait. */
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(0) | BIT(1));
	ends(test, 1);
	KUNIT_EXPECT_EQ(kunit, takes(test, 1), 20u);
	/* Its slice is its own, whatever the one before has had. */
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);

	/*
	 * A client does not wait behind one that comes first and has no claim, as it has a worker.
	 */
	start_two(test);
	test->client[0].switch_ns = 20 * MS;
	test->now += SLICE;
	ends(test, 0);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, takes(test, 0), 0u);
	ready(test, 1);
	ready(test, 20);
	/* The client began where the others were. */
	test->now += 2 * SLICE;
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(1));
}

/* Entities of a client take turns, whoever came first. */
static void rule_turns(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	unsigned int i;

	rule_start(test, 1);
	for (i = 0; i < 3; i++)
		ready(test, i);
	for (i = 0; i < 9; i++) {
		begins(test, i % 3, 0);
		ends(test, 0);
		ready(test, i % 3);
	}
	nnloop_rules_remove(&test->rules, entity_of(test, 0));
	KUNIT_EXPECT_FALSE(kunit, nnloop_entity_is_ready(entity_of(test, 0)));
	begins(test, 1, 0);
}

static struct kunit_case rule_cases[] = {
	KUNIT_CASE(rule_slice),
	KUNIT_CASE(rule_slice_of_switch),
	KUNIT_CASE(rule_claim),
	KUNIT_CASE(rule_victim),
	KUNIT_CASE(rule_slots),
	KUNIT_CASE(rule_debt),
	KUNIT_CASE(rule_owed),
	KUNIT_CASE(rule_short_jobs),
	KUNIT_CASE(rule_own_slots),
	KUNIT_CASE(rule_no_slot),
	KUNIT_CASE(rule_turns),
	{}
};

static struct kunit_suite rule_suite = {
	.name = "nnloop_rules",
	.init = rule_test_init,
	.test_cases = rule_cases,
};

kunit_test_suite(rule_suite);
