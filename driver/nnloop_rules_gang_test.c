// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the scheduler's rules on gangs: which slots help with a job, how their time is
 * counted, and when they are given back.
 */
#include "nnloop_rules_test.h"

/*
 * Begins the job of this name in this slot, which can use so many. Returns a bit for each slot that
 * it gets.
 */
static unsigned long begins_with(struct rule_test *test, unsigned int name, unsigned int slot,
				 unsigned int workers)
{
	unsigned long got = BIT(slot);
	struct nnloop_slot *helper;

	begins(test, name, slot);
	while (--workers) {
		helper = nnloop_rules_find_helper(&test->rules, &test->slot[slot]);
		if (!helper)
			break;
		nnloop_rules_help(&test->rules, helper, &test->slot[slot], test->now);
		got |= BIT(helper - test->slot);
	}
	return got;
}

/* Ends the job on all slots that have it together with this one. */
static void gang_ends(struct rule_test *test, unsigned int first)
{
	unsigned int i;

	for (i = 0; i < test->rules.slot_count; i++) {
		if (test->slot[i].entity && test->slot[i].first == &test->slot[first])
			ends(test, i);
	}
}

static unsigned long told(struct rule_test *test)
{
	test->again = NEVER;
	return nnloop_rules_make_room(&test->rules, test->now, SLICE, &test->again);
}

static u64 used_by(struct rule_test *test, unsigned int client)
{
	return test->client[client].share[NNLOOP_PRIORITY_NORMAL].used;
}

/*
 * A gang gets slots that are free and that nobody waits for, up to what the job can use; the
 * client's own ones first.
 */
static void gang_of_free(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 4);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 4), 0xful);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].helpers, 3u);
	KUNIT_EXPECT_TRUE(kunit, nnloop_slot_is_first(&test->slot[0]));
	KUNIT_EXPECT_FALSE(kunit, nnloop_slot_is_first(&test->slot[3]));
	gang_ends(test, 0);
	KUNIT_EXPECT_FALSE(kunit, nnloop_slot_is_first(&test->slot[0]));
	ready(test, 0);
	test->slot[1].free = false;
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 4), 0xdul);
	gang_ends(test, 0);
	test->slot[1].free = true;
	/* Nothing is left of the gang before. */
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 1), 1ul);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].helpers, 0u);
	gang_ends(test, 0);
	test->slot[1].client = &test->client[1];
	test->slot[2].client = NULL;
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 2), BIT(0) | BIT(3));
	KUNIT_EXPECT_FALSE(kunit, test->slot[3].switched);
	gang_ends(test, 0);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 4), 0xful);
	KUNIT_EXPECT_TRUE(kunit, test->slot[1].switched && test->slot[2].switched);
}

/* Whoever is ready comes before helpers, of whatever client and priority. */
static void gang_and_those_that_wait(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 4);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_LOW);
	ready(test, 0);
	ready(test, 1);
	ready(test, 20);
	/* There is one for each of them, and one that is left. */
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 4), 3ul);
	ready(test, 21);
	begins(test, 21, 2);
	begins(test, 1, 3);
	gang_ends(test, 0);
	ready(test, 30);
	ready(test, 31);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 30, 0, 4), 1ul);

	rule_start(test, 1);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 4), 1ul);
}

/* Each slot's time counts, from its 10 ms in advance on. */
static void gang_is_charged(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;

	rule_start(test, 3);
	ready(test, 0);
	begins_with(test, 0, 0, 3);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 30 * MS);
	test->now += 100 * MS;
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 300 * MS);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 1), 300 * MS);
	test->now += 5 * MS;
	told(test);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 315 * MS);
	KUNIT_EXPECT_EQ(kunit, ends(test, 2), 105 * MS);
	KUNIT_EXPECT_EQ(kunit, ends(test, 1), 105 * MS);
	KUNIT_EXPECT_EQ(kunit, ends(test, 0), 105 * MS);
	KUNIT_EXPECT_EQ(kunit, used_by(test, 0), 315 * MS);
}

/*
 * No client gets more than is even among those that have jobs, and what is left is for who has had
 * least.
 */
static void gang_is_even(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	unsigned int i;

	rule_start(test, 4);
	ready(test, 0);
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 4), 3ul);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 10, 2, 4), 0xcul);
	/* That stays so, though there are three free when this one begins again. */
	test->now += MS;
	gang_ends(test, 2);
	ready(test, 20);
	begins(test, 20, 2);
	ends(test, 2);
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 10, 3, 4), 0xcul);

	/* One of three clients on four slots has two, but none that has had more than another. */
	for (i = 0; i < 3; i++) {
		rule_start(test, 4);
		nnloop_entity_init(entity_of(test, 11), &test->client[1], NNLOOP_PRIORITY_LOW);
		ready(test, 0);
		ready(test, 10);
		ready(test, 20);
		begins(test, 0, 0);
		begins(test, 10, 1);
		/* This includes its own 10 ms. */
		test->client[0].share[NNLOOP_PRIORITY_NORMAL].used = i == 1 ? 9 * MS : 10 * MS;
		test->client[1].share[NNLOOP_PRIORITY_NORMAL].used = i == 2 ? 9 * MS : 10 * MS;
		KUNIT_EXPECT_EQ(kunit, begins_with(test, 20, 2, 4), i ? BIT(2) : BIT(2) | BIT(3));
	}
	/* A client's further queue or priority is no further client, whether it runs or waits. */
	rule_start(test, 4);
	nnloop_entity_init(entity_of(test, 1), &test->client[0], NNLOOP_PRIORITY_LOW);
	nnloop_entity_init(entity_of(test, 11), &test->client[1], NNLOOP_PRIORITY_LOW);
	ready(test, 0);
	ready(test, 2);
	begins(test, 0, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 2, 1, 4), 0xeul);
	gang_ends(test, 1);
	for (i = 1; i < 4; i++)
		test->slot[i].client = NULL;
	ready(test, 10);
	ready(test, 11);
	begins(test, 10, 1);
	ready(test, 1);
	begins(test, 11, 2);
	test->slot[3].free = false;
	ends(test, 0);
	test->slot[3].free = true;
	/* One of two clients has two slots, and the other's second is even. */
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 1, 0, 4), BIT(0) | BIT(3));
}

/* Slots on loan are asked for at once: for the same priority or a higher one. */
static void gang_gives_back(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	unsigned int i;

	rule_start(test, 4);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_LOW);
	nnloop_entity_init(entity_of(test, 30), &test->client[3], NNLOOP_PRIORITY_HIGH);
	test->client[0].switch_ns = 1000 * MS;
	ready(test, 0);
	begins_with(test, 0, 0, 3);
	ready(test, 10);
	begins(test, 10, 3);
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	ready(test, 11);
	/* The one that has none on loan is not asked, though its slice need not be waited for. */
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(0));
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(kunit, test->slot[i].yielding);
		KUNIT_EXPECT_EQ(kunit, test->slot[i].yield_time, test->now);
	}
	KUNIT_EXPECT_FALSE(kunit, test->slot[3].yielding);
	/* The gang's three slots are enough for this one and two more. */
	ready(test, 12);
	ready(test, 30);
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
	/* Its own job goes on with one of them. */
	gang_ends(test, 0);
	ready(test, 0);
	begins(test, 30, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 1, 3), BIT(1));
	begins(test, 11, 2);

	/* A gang that is asked gives up slots for all that wait, in the same moment. */
	rule_start(test, 4);
	ready(test, 0);
	begins_with(test, 0, 0, 3);
	ready(test, 10);
	begins(test, 10, 3);
	ready(test, 20);
	ready(test, 21);
	test->now += 3 * SLICE;
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(0));

	/* That is so where the client's own job waits, too. */
	rule_start(test, 2);
	ready(test, 0);
	begins_with(test, 0, 0, 2);
	ready(test, 1);
	KUNIT_EXPECT_EQ(kunit, told(test), BIT(0));
	gang_ends(test, 0);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 1, 0, 2), 1ul);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 1, 2), 2ul);
	KUNIT_EXPECT_EQ(kunit, told(test), 0ul);
}

/* A pass that keeps others waiting for too long is one, however many have it. */
static void gang_limit(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	const u64 limit = 4 * MS;
	u64 soonest = NEVER;
	unsigned int i;

	rule_start(test, 2);
	ready(test, 0);
	begins_with(test, 0, 0, 2);
	ready(test, 10);
	told(test);
	KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_watch(&test->rules, test->now, limit, &soonest));
	for (i = 0; i < 3; i++) {
		test->now += MS;
		/* The first slot tells how far they are. */
		test->slot[1].passes = i;
		told(test);
		KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_watch(&test->rules, test->now, limit,
							     &soonest));
	}
	test->now += MS;
	KUNIT_EXPECT_TRUE(kunit, nnloop_rules_watch(&test->rules, test->now, limit, &soonest) ==
			  &test->slot[0]);
	KUNIT_EXPECT_TRUE(kunit, test->slot[1].overdue);
	KUNIT_EXPECT_EQ(kunit, test->slot[1].overdue_time, test->now);
	test->now += limit;
	KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_watch(&test->rules, test->now, limit, &soonest));
}

/*
 * If one of several workers that were told did not hear it and is started again, it is waited for.
 */
static void gang_limit_restart(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	const u64 limit = 4 * MS;
	u64 soonest = NEVER;
	unsigned int i;

	rule_start(test, 3);
	ready(test, 0);
	KUNIT_EXPECT_EQ(kunit, begins_with(test, 0, 0, 2), 3ul);
	ready(test, 1);
	begins(test, 1, 2);
	nnloop_entity_init(entity_of(test, 10), &test->client[1], NNLOOP_PRIORITY_HIGH);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_HIGH);
	ready(test, 10);
	ready(test, 20);
	for (i = 0; i < 4; i++) {
		told(test);
		KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_watch(&test->rules, test->now, limit,
							     &soonest));
		test->now += MS;
	}
	told(test);
	KUNIT_EXPECT_TRUE(kunit, nnloop_rules_watch(&test->rules, test->now, limit, &soonest) ==
			  &test->slot[0]);
	KUNIT_EXPECT_FALSE(kunit, test->slot[2].overdue);
	gang_ends(test, 0);
	test->slot[1].free = false;
	begins(test, 10, 0);
	test->now += limit;
	told(test);
	KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_watch(&test->rules, test->now, limit, &soonest));
	/* That is so once; what becomes of the slot later is another matter. */
	test->slot[1].free = true;
	KUNIT_EXPECT_TRUE(kunit, !nnloop_rules_watch(&test->rules, test->now, 0, &soonest));
	test->slot[1].free = false;
	KUNIT_EXPECT_TRUE(kunit, nnloop_rules_watch(&test->rules, test->now, limit, &soonest) ==
			  &test->slot[2]);
}

static struct kunit_case gang_cases[] = {
	KUNIT_CASE(gang_of_free),
	KUNIT_CASE(gang_and_those_that_wait),
	KUNIT_CASE(gang_is_charged),
	KUNIT_CASE(gang_is_even),
	KUNIT_CASE(gang_gives_back),
	KUNIT_CASE(gang_limit),
	KUNIT_CASE(gang_limit_restart),
	{}
};

static struct kunit_suite gang_suite = {
	.name = "nnloop_rules_gang",
	.init = rule_test_init,
	.test_cases = gang_cases,
};

kunit_test_suite(gang_suite);
