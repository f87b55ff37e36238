// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the command rings: where entries go, that nothing is written
 * beside them, and how a job's end is recognized, over the end of a ring and over
 * the end of 32 bits. Registers are ordinary memory here.
 */
#include <kunit/test.h>

#include "nnloop_board.h"

#define WORKER	1
#define REGS	(NNLOOP_WORKER(NNLOOP_MAX_WORKERS) + 0x1000)

struct board_test {
	struct nnloop_board board;
	struct nnloop_cmd *cmds;
	u32 doorbell;
	u8 *regs;
};

static u32 reg(struct board_test *test, u32 offset)
{
	return readl((void __iomem __force *)(test->regs + NNLOOP_WORKER(WORKER) + offset));
}

static void set_reg(struct board_test *test, u32 offset, u32 value)
{
	writel(value, (void __iomem __force *)(test->regs + NNLOOP_WORKER(WORKER) + offset));
}

static int board_test_init(struct kunit *kunit)
{
	struct board_test *test = kunit_kzalloc(kunit, sizeof(*test), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(kunit, test);
	kunit->priv = test;
	test->regs = kunit_kzalloc(kunit, REGS, GFP_KERNEL);
	test->cmds = kunit_kcalloc(kunit, NNLOOP_RING_ENTRIES, sizeof(*test->cmds), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(kunit, test->regs);
	KUNIT_ASSERT_NOT_NULL(kunit, test->cmds);
	test->board.regs = (void __iomem __force *)test->regs;
	test->board.doorbell = (void __iomem __force *)&test->doorbell;
	test->board.peer = 7;
	test->board.worker_count = WORKER + 1;
	/* No guard behind the ring but KASAN's: an entry too many is a report. */
	test->board.rings[WORKER].cmds = kunit_kcalloc(kunit, NNLOOP_RING_ENTRIES,
						       sizeof(*test->cmds), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(kunit, test->board.rings[WORKER].cmds);
	return 0;
}

/* Entries that can be told from each other. */
static void submit(struct board_test *test, unsigned int count, u32 mark)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		test->cmds[i].count = cpu_to_le32(mark + i);
	nnloop_board_submit(&test->board, WORKER, test->cmds, count);
}

static void ring_order(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_cmd *ring = test->board.rings[WORKER].cmds;
	unsigned int i;

	submit(test, 5, 100);
	submit(test, 3, 200);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[i].count), 100 + i);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[5 + i].count), 200 + i);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[8].count), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_RING_TAIL), 8u);
	KUNIT_EXPECT_EQ(kunit, test->doorbell, 7u << 16 | WORKER);
}

static void ring_wraps(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_cmd *ring = test->board.rings[WORKER].cmds;

	submit(test, NNLOOP_RING_ENTRIES - 2, 1000000);
	submit(test, 5, 100);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[NNLOOP_RING_ENTRIES - 3].count),
			1000000u + NNLOOP_RING_ENTRIES - 3);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[NNLOOP_RING_ENTRIES - 2].count), 100u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[NNLOOP_RING_ENTRIES - 1].count), 101u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[0].count), 102u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[2].count), 104u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[3].count), 1000003u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_RING_TAIL), NNLOOP_RING_ENTRIES + 3u);
}

static void ring_full(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_cmd *ring = test->board.rings[WORKER].cmds;
	unsigned int i, wrong = 0;

	submit(test, 7, 0);
	submit(test, NNLOOP_RING_ENTRIES, 500);
	for (i = 0; i < NNLOOP_RING_ENTRIES; i++)
		wrong += le32_to_cpu(ring[(7 + i) % NNLOOP_RING_ENTRIES].count) != 500 + i;
	KUNIT_EXPECT_EQ(kunit, wrong, 0u);
}

/* The tail counts modulo 2^32, and slots go on where they were. */
static void ring_tail_overflows(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_cmd *ring = test->board.rings[WORKER].cmds;

	test->board.rings[WORKER].tail = U32_MAX - 1;
	submit(test, 4, 100);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_RING_TAIL), 2u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[NNLOOP_RING_ENTRIES - 2].count), 100u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[NNLOOP_RING_ENTRIES - 1].count), 101u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[0].count), 102u);
	KUNIT_EXPECT_EQ(kunit, le32_to_cpu(ring[1].count), 103u);
}

/* A job has ended when its id is there and its entries are consumed, not before. */
static void ring_result(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_result result;
	u64 job = 0x1234567890ull;

	test->board.rings[WORKER].tail = U32_MAX - 1;
	submit(test, 4, 0);
	KUNIT_EXPECT_FALSE(kunit, nnloop_board_result(&test->board, WORKER, job, &result));
	set_reg(test, NNLOOP_WREG_DONE_ID_LO, lower_32_bits(job));
	set_reg(test, NNLOOP_WREG_DONE_ID_HI, upper_32_bits(job));
	set_reg(test, NNLOOP_WREG_RING_HEAD, U32_MAX);
	KUNIT_EXPECT_FALSE(kunit, nnloop_board_result(&test->board, WORKER, job, &result));
	set_reg(test, NNLOOP_WREG_RING_HEAD, 2);
	set_reg(test, NNLOOP_WREG_STATUS, NNLOOP_STATUS_FAULT);
	set_reg(test, NNLOOP_WREG_PASSES_DONE, 3);
	set_reg(test, NNLOOP_WREG_FAIL_OP, 4);
	set_reg(test, NNLOOP_WREG_FAULT_ADDR, 0x80001000);
	set_reg(test, NNLOOP_WREG_FAULT_ACCESS, NNLOOP_ACCESS_WRITE);
	KUNIT_ASSERT_TRUE(kunit, nnloop_board_result(&test->board, WORKER, job, &result));
	KUNIT_EXPECT_EQ(kunit, result.error, -EFAULT);
	KUNIT_EXPECT_EQ(kunit, result.passes_done, 3u);
	KUNIT_EXPECT_EQ(kunit, result.fail_op, 4u);
	KUNIT_EXPECT_EQ(kunit, result.fault_address, 0x80001000u);
	KUNIT_EXPECT_FALSE(kunit, nnloop_board_result(&test->board, WORKER, job + 1, &result));
	KUNIT_EXPECT_FALSE(kunit,
			   nnloop_board_result(&test->board, WORKER, job + BIT_ULL(32), &result));
}

/* A worker that was stopped: what it had not ended ends with the reason it was stopped for. */
static void ring_wreck(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_result result;

	submit(test, 3, 0);
	set_reg(test, NNLOOP_WREG_PASSES_DONE, 1);
	set_reg(test, NNLOOP_WREG_CURRENT_OP, 9);
	result = nnloop_board_wreck(&test->board, WORKER, 5, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(kunit, result.error, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(kunit, result.passes_done, 1u);
	KUNIT_EXPECT_EQ(kunit, result.fail_op, 9u);

	set_reg(test, NNLOOP_WREG_DONE_ID_LO, 5);
	set_reg(test, NNLOOP_WREG_RING_HEAD, 3);
	set_reg(test, NNLOOP_WREG_STATUS, NNLOOP_STATUS_OK);
	result = nnloop_board_wreck(&test->board, WORKER, 5, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(kunit, result.error, 0);
}

static struct kunit_case board_cases[] = {
	KUNIT_CASE(ring_order),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(ring_full),
	KUNIT_CASE(ring_tail_overflows),
	KUNIT_CASE(ring_result),
	KUNIT_CASE(ring_wreck),
	{}
};

static struct kunit_suite board_suite = {
	.name = "nnloop_ring",
	.init = board_test_init,
	.test_cases = board_cases,
};

kunit_test_suite(board_suite);
