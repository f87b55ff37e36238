/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the KUnit suites of single rules: slots and clients without a device, and a
 * clock that is a number.
 */
#ifndef NNLOOP_RULES_TEST_H
#define NNLOOP_RULES_TEST_H

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/time64.h>

#include "nnloop_rules.h"

#define MS		((u64)NSEC_PER_MSEC)
#define NEVER		U64_MAX
#define SLICE		(10 * MS)
#define CLIENTS		5
#define QUEUES		3	/* of each client */
#define SLOTS		4	/* at most */

struct rule_test {
	struct kunit *kunit;
	struct nnloop_rules rules;
	struct nnloop_slot slot[SLOTS];
	struct nnloop_client client[CLIENTS];
	struct nnloop_entity entity[CLIENTS][QUEUES];
	u64 now;
	u64 again;		/* when the rules want to be asked again, from now */
};

/*
 * Begins a case: slots that are free, and clients of one priority unless said otherwise. Client 0's
 * queue 0 is named 00, and so on.
 */
static inline void rule_start(struct rule_test *test, unsigned int slots)
{
	unsigned int i, k;

	nnloop_rules_init(&test->rules);
	/* With no slots yet, the rules look at none. */
	KUNIT_EXPECT_EQ(test->kunit, test->rules.slot_count, 0u);
	test->now = 1000 * MS;
	test->rules.slot_count = slots;
	for (i = 0; i < slots; i++) {
		memset(&test->slot[i], 0, sizeof(test->slot[i]));
		test->rules.slots[i] = &test->slot[i];
		test->slot[i].free = true;
	}
	for (i = 0; i < CLIENTS; i++) {
		nnloop_client_init(&test->client[i]);
		KUNIT_EXPECT_EQ(test->kunit, test->client[i].switch_ns, 0ull);
		for (k = 0; k < QUEUES; k++)
			nnloop_entity_init(&test->entity[i][k], &test->client[i],
					   NNLOOP_PRIORITY_NORMAL);
	}
}

static inline struct nnloop_entity *entity_of(struct rule_test *test, unsigned int name)
{
	return &test->entity[name / 10][name % 10];
}

static inline void ready(struct rule_test *test, unsigned int name)
{
	nnloop_rules_add(&test->rules, entity_of(test, name), test->now);
}

/* Expects that it is this entity's turn and that it gets this slot, and begins its job there. */
static inline void begins(struct rule_test *test, unsigned int name, unsigned int slot)
{
	struct nnloop_entity *entity = entity_of(test, name);

	KUNIT_EXPECT_TRUE(test->kunit, nnloop_rules_next(&test->rules) == entity);
	KUNIT_EXPECT_TRUE(test->kunit, nnloop_rules_find_slot(&test->rules, entity) ==
			  &test->slot[slot]);
	KUNIT_EXPECT_TRUE(test->kunit, nnloop_rules_choose(&test->rules, &test->slot[slot], entity,
							   test->now, SLICE) == entity);
	nnloop_rules_begin(&test->rules, &test->slot[slot], entity, test->now);
}

static inline u64 ends(struct rule_test *test, unsigned int slot)
{
	u64 used = nnloop_rules_end(&test->rules, &test->slot[slot], test->now);

	test->slot[slot].free = true;
	return used;
}

static inline int rule_test_init(struct kunit *kunit)
{
	struct rule_test *test = kunit_kzalloc(kunit, sizeof(*test), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(kunit, test);
	test->kunit = kunit;
	kunit->priv = test;
	return 0;
}

#endif
