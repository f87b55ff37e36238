// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the scheduler's rules on long passes: whose pass has taken too long, and what
 * counts as that.
 */
#include "nnloop_rules_test.h"

/* Returns what nnloop_rules_watch() says after so much more time: a slot or -1. */
static int watched(struct rule_test *test, u64 ns, u64 limit)
{
	struct nnloop_slot *slot;
	u64 soonest = NEVER;
	int i;

	test->now += ns;
	for (i = 0; i < (int)test->rules.slot_count; i++) {
		if (test->slot[i].entity)
			nnloop_rules_charge(&test->rules, &test->slot[i], test->now);
	}
	slot = nnloop_rules_watch(&test->rules, test->now, limit, &soonest);
	test->again = soonest;
	for (i = 0; i < (int)test->rules.slot_count; i++) {
		if (slot == &test->slot[i])
			return i;
	}
	return -1;
}

static void rule_limit(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	const u64 limit = 100 * MS;
	unsigned int i;

	rule_start(test, 1);
	ready(test, 0);
	begins(test, 0, 0);
	/* Nobody waits at first, and then only the client's own job. */
	KUNIT_EXPECT_EQ(kunit, watched(test, 500 * MS, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->again, NEVER);
	ready(test, 1);
	KUNIT_EXPECT_EQ(kunit, watched(test, 500 * MS, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->again, NEVER);
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, watched(test, 0, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->again, limit / 4);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(kunit, watched(test, limit / 4, limit), -1);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit / 4 - 1, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->again, 1ull);
	/* A new pass begins anew; and it takes no note of a time in which nobody looked. */
	test->slot[0].passes = 1;
	KUNIT_EXPECT_EQ(kunit, watched(test, 1, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->again, limit / 4);
	KUNIT_EXPECT_EQ(kunit, watched(test, 1000 * limit, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].in_way_ns, limit / 4);
	/* Time in which nobody waits does not count. */
	nnloop_rules_remove(&test->rules, entity_of(test, 10));
	KUNIT_EXPECT_EQ(kunit, watched(test, 0, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->again, NEVER);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit, limit), -1);
	ready(test, 10);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit / 4, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].in_way_ns, limit / 4);
	/* Without a limit nothing counts. */
	KUNIT_EXPECT_EQ(kunit, watched(test, 0, 0), -1);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit / 4, limit), -1);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].in_way_ns, limit / 4);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(kunit, watched(test, limit / 4, limit), -1);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit / 4, limit), 0);
	KUNIT_EXPECT_TRUE(kunit, test->slot[0].overdue);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].overdue_time, test->now);
	/* The job is told once. */
	KUNIT_EXPECT_EQ(kunit, watched(test, limit, limit), -1);
	ends(test, 0);
	begins(test, 10, 0);
	KUNIT_EXPECT_FALSE(kunit, test->slot[0].overdue);
	KUNIT_EXPECT_EQ(kunit, test->slot[0].in_way_ns, 0ull);
}

/* A pass is in the way of those that come first, and one pass at a time ends for them. */
static void rule_limit_order(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	const u64 limit = 4 * MS;
	unsigned int i;

	rule_start(test, 3);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_LOW);
	nnloop_entity_init(entity_of(test, 30), &test->client[3], NNLOOP_PRIORITY_LOW);
	nnloop_entity_init(entity_of(test, 40), &test->client[4], NNLOOP_PRIORITY_HIGH);
	test->client[1].share[NNLOOP_PRIORITY_NORMAL].used = 500 * MS;
	ready(test, 0);
	begins(test, 0, 0);
	ready(test, 10);
	begins(test, 10, 1);
	ready(test, 20);
	begins(test, 20, 2);
	/* Only a slot of the low priority itself is in that one's way, if it has had as much. */
	ready(test, 30);
	test->client[2].share[NNLOOP_PRIORITY_LOW].used = 0;
	watched(test, 0, limit);
	KUNIT_EXPECT_FALSE(kunit, test->slot[2].in_way);
	test->client[2].share[NNLOOP_PRIORITY_LOW].used =
		test->client[3].share[NNLOOP_PRIORITY_LOW].used;
	watched(test, 0, limit);
	KUNIT_EXPECT_TRUE(kunit, test->slot[2].in_way);
	KUNIT_EXPECT_FALSE(kunit, test->slot[0].in_way || test->slot[1].in_way);
	nnloop_rules_remove(&test->rules, entity_of(test, 30));
	watched(test, 0, limit);
	KUNIT_EXPECT_FALSE(kunit, test->slot[2].in_way);

	ready(test, 40);
	watched(test, 0, limit);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(kunit, watched(test, MS, limit), -1);
	KUNIT_EXPECT_EQ(kunit, watched(test, MS, limit), 2);
	KUNIT_EXPECT_EQ(kunit, watched(test, MS, limit), -1);
	ends(test, 2);
	KUNIT_EXPECT_EQ(kunit, watched(test, 0, limit), 1);
	ends(test, 1);
	KUNIT_EXPECT_EQ(kunit, watched(test, 0, limit), 0);
}

/* Who waits has the slot when its worker has been started again; no other pass ends for that. */
static void rule_limit_restart(struct kunit *kunit)
{
	struct rule_test *test = kunit->priv;
	const u64 limit = 4 * MS;
	unsigned int i;

	rule_start(test, 2);
	nnloop_entity_init(entity_of(test, 20), &test->client[2], NNLOOP_PRIORITY_HIGH);
	ready(test, 0);
	begins(test, 0, 0);
	ready(test, 1);
	begins(test, 1, 1);
	ready(test, 10);
	watched(test, 0, limit);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(kunit, watched(test, MS, limit), -1);
	KUNIT_EXPECT_EQ(kunit, watched(test, MS, limit), 0);
	test->now += limit;
	ends(test, 0);
	test->slot[0].free = false;
	KUNIT_EXPECT_EQ(kunit, watched(test, limit, limit), -1);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit, limit), -1);
	test->slot[0].free = true;
	begins(test, 10, 0);
	KUNIT_EXPECT_EQ(kunit, watched(test, limit, limit), -1);
	/* A worker that was started again for another reason is no promise. */
	ends(test, 0);
	test->slot[0].free = false;
	ready(test, 20);
	KUNIT_EXPECT_EQ(kunit, watched(test, 0, limit), 1);
}

static struct kunit_case limit_cases[] = {
	KUNIT_CASE(rule_limit),
	KUNIT_CASE(rule_limit_order),
	KUNIT_CASE(rule_limit_restart),
	{}
};

static struct kunit_suite limit_suite = {
	.name = "nnloop_rules_limit",
	.init = rule_test_init,
	.test_cases = limit_cases,
};

kunit_test_suite(limit_suite);
