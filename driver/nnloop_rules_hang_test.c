// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of the scheduler's rules on hangs: which worker hangs, and what is done about it. */
#include <linux/prandom.h>

#include "nnloop_rules_test.h"

/* A job that makes no progress is ended by this look at it: four periods after the first one. */
#define LAST_LOOK	5

/* Has a worker look that has its job alone. */
static enum nnloop_hang_verdict look(struct nnloop_hang *hang, u32 progress)
{
	return nnloop_hang_look(hang, progress, 1, false, false);
}

/* Has a worker look so often, which finds the same and decides nothing. */
static void wait_looks(struct kunit *kunit, struct nnloop_hang *hang, u32 progress,
		       unsigned int looks)
{
	while (looks--)
		KUNIT_EXPECT_EQ(kunit, (int)look(hang, progress), (int)NNLOOP_HANG_WAIT);
}

/* A worker that never gets on is reset once, after the whole of the timeout. */
static void rule_hang(struct kunit *kunit)
{
	struct nnloop_hang hang = { 77, 3 };

	nnloop_hang_begin(&hang);
	wait_looks(kunit, &hang, 77, LAST_LOOK - 1);
	KUNIT_EXPECT_EQ(kunit, (int)look(&hang, 77), (int)NNLOOP_HANG_RESET);
	wait_looks(kunit, &hang, 77, 20);
	/* The next job is another matter, even where it begins with the same number. */
	nnloop_hang_begin(&hang);
	wait_looks(kunit, &hang, 77, LAST_LOOK - 1);
	KUNIT_EXPECT_EQ(kunit, (int)look(&hang, 77), (int)NNLOOP_HANG_RESET);
}

/* Any other number is progress, also a smaller one. The look that finds it is the first. */
static void rule_hang_progress(struct kunit *kunit)
{
	struct nnloop_hang hang;
	unsigned int i;

	nnloop_hang_begin(&hang);
	for (i = 0; i < 50; i++)
		wait_looks(kunit, &hang, U32_MAX + i, LAST_LOOK - 1);
	KUNIT_EXPECT_EQ(kunit, (int)look(&hang, U32_MAX + 49), (int)NNLOOP_HANG_RESET);

	nnloop_hang_begin(&hang);
	wait_looks(kunit, &hang, 1, LAST_LOOK - 1);
	wait_looks(kunit, &hang, 0, LAST_LOOK - 1);
	KUNIT_EXPECT_EQ(kunit, (int)look(&hang, 0), (int)NNLOOP_HANG_RESET);
}

/* With another timeout no earlier look counts, whatever it found. */
static void rule_hang_timeout(struct kunit *kunit)
{
	struct nnloop_hang hang;

	nnloop_hang_begin(&hang);
	wait_looks(kunit, &hang, 9, LAST_LOOK - 1);
	nnloop_hang_begin(&hang);
	wait_looks(kunit, &hang, 9, LAST_LOOK - 1);
	KUNIT_EXPECT_EQ(kunit, (int)look(&hang, 9), (int)NNLOOP_HANG_RESET);
}

/* Several workers are told first; who has not ended at the second look after that is reset. */
static void rule_hang_gang(struct kunit *kunit)
{
	struct nnloop_hang hang, other;
	unsigned int i, workers;

	for (workers = 2; workers <= 4; workers++) {
		nnloop_hang_begin(&hang);
		nnloop_hang_begin(&other);
		for (i = 1; i < LAST_LOOK; i++)
			KUNIT_EXPECT_EQ(kunit,
					(int)nnloop_hang_look(&hang, 3, workers, false, i & 1),
					(int)NNLOOP_HANG_WAIT);
		/* One that is done with its part of the job watches the others all the same. */
		KUNIT_EXPECT_EQ(kunit, (int)nnloop_hang_look(&hang, 3, workers, false, true),
				(int)NNLOOP_HANG_GIVE_UP);
		nnloop_hang_begin(&hang);
		nnloop_hang_begin(&other);
		/* That others end is progress, which makes no difference now. */
		KUNIT_EXPECT_EQ(kunit, (int)nnloop_hang_look(&other, 4, workers, true, false),
				(int)NNLOOP_HANG_WAIT);
		KUNIT_EXPECT_EQ(kunit, (int)nnloop_hang_look(&other, 5, workers, true, false),
				(int)NNLOOP_HANG_RESET);
		KUNIT_EXPECT_EQ(kunit, (int)nnloop_hang_look(&other, 5, workers, true, false),
				(int)NNLOOP_HANG_RESET);
		for (i = 0; i < 20; i++)
			KUNIT_EXPECT_EQ(kunit, (int)nnloop_hang_look(&hang, 3, workers, true, true),
					(int)NNLOOP_HANG_WAIT);
	}
}

/*
 * Verdicts on random sequences of a few numbers are those that the list of all that was found
 * gives.
 */
static void rule_hang_random(struct kunit *kunit)
{
	unsigned int round, looks, same, i, workers, verdicts = 0;
	u32 found[40], progress;
	enum nnloop_hang_verdict verdict;
	struct nnloop_hang hang;
	struct rnd_state random;

	prandom_seed_state(&random, 1);
	for (round = 0; round < 500; round++) {
		progress = prandom_u32_state(&random) % 3;
		workers = 1 + round % 2;
		nnloop_hang_begin(&hang);
		for (looks = 0; looks < ARRAY_SIZE(found); looks++) {
			if (prandom_u32_state(&random) % 4 == 0)
				progress = prandom_u32_state(&random) % 3;
			found[looks] = progress;
			for (i = looks, same = 1; i > 0 && found[i - 1] == progress; i--)
				same++;
			verdict = nnloop_hang_look(&hang, progress, workers, false, false);
			if (same != LAST_LOOK) {
				KUNIT_EXPECT_EQ(kunit, (int)verdict, (int)NNLOOP_HANG_WAIT);
				continue;
			}
			KUNIT_EXPECT_EQ(kunit, (int)verdict,
					workers == 1 ? (int)NNLOOP_HANG_RESET :
						       (int)NNLOOP_HANG_GIVE_UP);
			verdicts++;
		}
	}
	KUNIT_EXPECT_TRUE(kunit, verdicts > 500);
}

/* A job that was told to end has a second for that, and any other one as long as it likes. */
static void rule_hang_overdue(struct kunit *kunit)
{
	struct nnloop_slot slot = { .overdue_time = 700 * MS };

	KUNIT_EXPECT_FALSE(kunit, nnloop_slot_is_deaf(&slot, 100000 * MS));
	slot.overdue = true;
	KUNIT_EXPECT_FALSE(kunit, nnloop_slot_is_deaf(&slot, 700 * MS));
	KUNIT_EXPECT_FALSE(kunit, nnloop_slot_is_deaf(&slot, 1700 * MS - 1));
	KUNIT_EXPECT_TRUE(kunit, nnloop_slot_is_deaf(&slot, 1700 * MS));
	KUNIT_EXPECT_TRUE(kunit, nnloop_slot_is_deaf(&slot, 100000 * MS));
}

static struct kunit_case hang_cases[] = {
	KUNIT_CASE(rule_hang),
	KUNIT_CASE(rule_hang_progress),
	KUNIT_CASE(rule_hang_timeout),
	KUNIT_CASE(rule_hang_gang),
	KUNIT_CASE(rule_hang_random),
	KUNIT_CASE(rule_hang_overdue),
	{}
};

static struct kunit_suite hang_suite = {
	.name = "nnloop_rules_hang",
	.init = rule_test_init,
	.test_cases = hang_cases,
};

kunit_test_suite(hang_suite);
