// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the board. It tests the command rings: where entries go, that nothing is written
 * beside them, and how a job's end is recognized, over the end of a ring and over the end of 32
 * bits. And it tests what the driver writes to the board's registers and reads from them. Registers
 * are ordinary memory here.
 */
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>

#include "nnloop_board.h"
#include "nnloop_transport.h"

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

static void ring_doorbell(struct nnloop_board *board, unsigned int vector)
{
	u32 *doorbell = board->bus;

	*doorbell = vector;
}

static const struct nnloop_transport transport = {
	.ring_doorbell = ring_doorbell,
};

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
	test->board.transport = &transport;
	test->board.bus = &test->doorbell;
	test->doorbell = ~0u;
	test->board.worker_count = WORKER + 1;
	/* The ring has no guard behind it but KASAN's: an entry too many is a report. */
	test->board.rings[WORKER].cmds = kunit_kcalloc(kunit, NNLOOP_RING_ENTRIES,
						       sizeof(*test->cmds), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(kunit, test->board.rings[WORKER].cmds);
	return 0;
}

/* Submits entries that can be told from each other. */
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
	KUNIT_EXPECT_EQ(kunit, test->doorbell, (u32)WORKER);
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

/* Each status has its own fields of a result; the others say nothing. */
static void ring_statuses(struct kunit *kunit)
{
	static const struct {
		u32 status;
		int error;
		u32 fail_op, fail_reason, fault_address, fault_access;
	} ends[] = {
		{ NNLOOP_STATUS_OK, 0, ~0u, 0, 0, 0 },
		{ NNLOOP_STATUS_CANCELLED, -ECANCELED, ~0u, 0, 0, 0 },
		{ NNLOOP_STATUS_YIELDED, -EAGAIN, ~0u, 0, 0, 0 },
		{ NNLOOP_STATUS_ALONE, NNLOOP_ALONE, ~0u, 0, 0, 0 },
		{ NNLOOP_STATUS_BAD_PROGRAM, -EINVAL, 21, 22, 0, 0 },
		{ NNLOOP_STATUS_FAULT, -EFAULT, 21, 0, 23, 24 },
		{ 1000, -EIO, 21, 0, 0, 0 },
	};
	struct board_test *test = kunit->priv;
	struct nnloop_result result;
	unsigned int i;

	set_reg(test, NNLOOP_WREG_DONE_ID_LO, 9);
	set_reg(test, NNLOOP_WREG_PASSES_DONE, 20);
	set_reg(test, NNLOOP_WREG_FAIL_OP, 21);
	set_reg(test, NNLOOP_WREG_FAIL_REASON, 22);
	set_reg(test, NNLOOP_WREG_FAULT_ADDR, 23);
	set_reg(test, NNLOOP_WREG_FAULT_ACCESS, 24);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		set_reg(test, NNLOOP_WREG_STATUS, ends[i].status);
		KUNIT_ASSERT_TRUE(kunit, nnloop_board_result(&test->board, WORKER, 9, &result));
		KUNIT_EXPECT_EQ(kunit, result.error, ends[i].error);
		KUNIT_EXPECT_EQ(kunit, result.passes_done, 20u);
		KUNIT_EXPECT_EQ(kunit, result.fail_op, ends[i].fail_op);
		KUNIT_EXPECT_EQ(kunit, result.fail_reason, ends[i].fail_reason);
		KUNIT_EXPECT_EQ(kunit, result.fault_address, ends[i].fault_address);
		KUNIT_EXPECT_EQ(kunit, result.fault_access, ends[i].fault_access);
	}
}

/* A job that has been given to a worker, which has not begun, tells nothing of the one before. */
static void ring_forgets(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_result result;

	set_reg(test, NNLOOP_WREG_PASSES_DONE, 6);
	set_reg(test, NNLOOP_WREG_CURRENT_OP, 9);
	submit(test, 3, 0);
	result = nnloop_board_wreck(&test->board, WORKER, 5, -EIO);
	KUNIT_EXPECT_EQ(kunit, result.passes_done, 0u);
	KUNIT_EXPECT_EQ(kunit, result.fail_op, ~0u);
}

static void board_cancel(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;

	nnloop_board_cancel(&test->board, WORKER, 0x1234567890ull);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_CANCEL_LO), 0x34567890u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_CANCEL_HI), 0x12u);
	/* The worker may be asleep. */
	KUNIT_EXPECT_EQ(kunit, test->doorbell, (u32)WORKER);
}

static void board_yield(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;

	nnloop_board_yield(&test->board, WORKER, 0x1234567890ull);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_YIELD_LO), 0x34567890u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_YIELD_HI), 0x12u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_CANCEL_LO), 0u);

	/* The register has microseconds, here more than 32 bits of nanoseconds. */
	set_reg(test, NNLOOP_WREG_REFILL_TIME, 5000000);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_switch_ns(&test->board, WORKER), 5000000000ull);
}

static void board_reads_registers(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	u32 values[NNLOOP_BOARD_REGISTERS];
	unsigned int i;

	for (i = 0; i < NNLOOP_BOARD_REGISTERS; i++)
		set_reg(test, nnloop_board_registers[i].offset, 100 + i);
	nnloop_board_read_registers(&test->board, WORKER, values);
	for (i = 0; i < NNLOOP_BOARD_REGISTERS; i++)
		KUNIT_EXPECT_EQ(kunit, values[i], 100 + i);

	set_reg(test, NNLOOP_WREG_PROGRESS, 1);
	set_reg(test, NNLOOP_WREG_RING_HEAD, 2);
	set_reg(test, NNLOOP_WREG_PASSES_DONE, 3);
	set_reg(test, NNLOOP_WREG_STATE, NNLOOP_STATE_READY);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_progress(&test->board, WORKER), 1u);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_ring_head(&test->board, WORKER), 2u);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_passes_done(&test->board, WORKER), 3u);
	KUNIT_EXPECT_FALSE(kunit, nnloop_board_worker_died(&test->board, WORKER));
	set_reg(test, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD);
	KUNIT_EXPECT_TRUE(kunit, nnloop_board_worker_died(&test->board, WORKER));
}

/* Probes with one of the board's registers changed. */
static int probe(struct board_test *test, u32 offset, u32 value)
{
	static const u32 good[][2] = {
		{ NNLOOP_REG_MAGIC, NNLOOP_MAGIC },
		{ NNLOOP_REG_VERSION, NNLOOP_HW_VERSION },
		{ NNLOOP_REG_WORKERS, NNLOOP_MAX_WORKERS },
		{ NNLOOP_REG_DSP_PEER, 5 },
		{ NNLOOP_REG_BOARD_EPOCH, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		writel(good[i][1], (void __iomem __force *)(test->regs + good[i][0]));
	writel(value, (void __iomem __force *)(test->regs + offset));
	return nnloop_board_probe(&test->board);
}

static void board_probe(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	u32 version = NNLOOP_HW_VERSION;

	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_MAGIC, 0), -ENODEV);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_MAGIC, NNLOOP_MAGIC), 0);
	KUNIT_EXPECT_EQ(kunit, test->board.worker_count, (unsigned int)NNLOOP_MAX_WORKERS);
	KUNIT_EXPECT_EQ(kunit, test->board.peer, 5u);
	/* Another minor version is understood, another major one is not. */
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_VERSION, version ^ 1), 0);
	KUNIT_EXPECT_EQ(kunit, test->board.hardware_version, version ^ 1);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_VERSION, version + 0x10000), -EPROTO);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_VERSION, version - 0x10000), -EPROTO);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_WORKERS, 0), -EPROTO);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_WORKERS, 1), 0);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_WORKERS, NNLOOP_MAX_WORKERS + 1), -EPROTO);
	KUNIT_EXPECT_EQ(kunit, probe(test, NNLOOP_REG_BOARD_EPOCH, 0), -EPROTO);
}

static void board_firmware(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	void __iomem *version = (void __iomem __force *)(test->regs + NNLOOP_REG_FIRMWARE_VERSION);

	writel(NNLOOP_FIRMWARE_VERSION + 1, version);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_check_firmware(&test->board), 0);
	KUNIT_EXPECT_EQ(kunit, test->board.firmware_version, NNLOOP_FIRMWARE_VERSION + 1u);
	writel(NNLOOP_FIRMWARE_VERSION + 0x10000, version);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_check_firmware(&test->board), -EPROTO);
	writel(0xffff, version);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_check_firmware(&test->board), -EPROTO);
}

/* Both versions have to be new enough for barriers. */
static void board_gangs(struct kunit *kunit)
{
	static const struct {
		u32 hardware, firmware;
		bool has;
	} of[] = {
		{ 0x10002, 0x10006, true }, { 0x10001, 0x10006, false },
		{ 0x10002, 0x10005, false }, { 0x10000, 0x10000, false },
		{ 0x10003, 0x10007, true }, { NNLOOP_HW_VERSION, NNLOOP_FIRMWARE_VERSION, true },
	};
	struct board_test *test = kunit->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		test->board.hardware_version = of[i].hardware;
		test->board.firmware_version = of[i].firmware;
		KUNIT_EXPECT_EQ(kunit, nnloop_board_has_gangs(&test->board), of[i].has);
	}
}

/* Each request has a new tag, never 0, and the board's own bell is behind the workers'. */
static void board_requests(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;

	nnloop_board_request_stop(&test->board, WORKER);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_REQUEST), 1u << 8 | NNLOOP_REQUEST_RESET);
	KUNIT_EXPECT_EQ(kunit, test->doorbell, WORKER + 1u);
	nnloop_board_request_stop(&test->board, WORKER);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_REQUEST), 2u << 8 | NNLOOP_REQUEST_RESET);
	set_reg(test, NNLOOP_WREG_REQUEST, 0xffffffu << 8 | NNLOOP_REQUEST_RESET);
	nnloop_board_request_stop(&test->board, WORKER);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_REQUEST), 1u << 8 | NNLOOP_REQUEST_RESET);
}

/* The answers are there already when they are asked for. */
static void board_answers(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;

	nnloop_board_request_stop(&test->board, WORKER);
	set_reg(test, NNLOOP_WREG_ACK, reg(test, NNLOOP_WREG_REQUEST));
	KUNIT_EXPECT_EQ(kunit, nnloop_board_wait_stopped(&test->board, WORKER), 0);
	set_reg(test, NNLOOP_WREG_STATE, NNLOOP_STATE_READY);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_wait_started(&test->board, WORKER), 0);
	set_reg(test, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD);
	KUNIT_EXPECT_EQ(kunit, nnloop_board_wait_started(&test->board, WORKER), -EIO);
}

#define PAGE		BIT(NNLOOP_PAGE_SHIFT)
#define RING_PAGES	(NNLOOP_RING_ENTRIES * sizeof(struct nnloop_cmd) / PAGE)

/* The rings are where the workers are told that they are, for reading, and nothing else is. */
static void board_rings(struct kunit *kunit)
{
	struct board_test *test = kunit->priv;
	struct nnloop_board *board = kunit_kzalloc(kunit, sizeof(*board), GFP_KERNEL);
	struct device *dev = __root_device_register("nnloop-kunit", NULL);
	struct nnloop_cmd *cmds[3];
	unsigned long leaked = 100;
	unsigned int i, k;
	dma_addr_t table;
	__le64 *entries;
	u32 address;
	u64 entry;

	KUNIT_ASSERT_NOT_NULL(kunit, board);
	KUNIT_ASSERT_EQ(kunit, PTR_ERR_OR_ZERO(dev), 0);
	KUNIT_ASSERT_EQ(kunit, dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64)), 0);
	board->dev = dev;
	board->regs = test->board.regs;
	board->transport = test->board.transport;
	board->bus = test->board.bus;
	board->worker_count = 3;
	KUNIT_ASSERT_EQ(kunit, nnloop_board_init(board), 0);

	for (i = 0; i < 3; i++) {
		for (k = 0; k < RING_PAGES; k++) {
			address = NNLOOP_SYSTEM_BASE + (i * RING_PAGES + k) * PAGE;
			KUNIT_EXPECT_EQ(kunit, nnloop_pt_lookup(&board->system_pt, address),
					nnloop_pte(board->rings[i].dma + k * PAGE,
						   NNLOOP_PTE_READ_ONLY));
		}
	}
	address = NNLOOP_SYSTEM_BASE + 3 * RING_PAGES * PAGE;
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_lookup(&board->system_pt, address), 0ull);

	board->rings[WORKER].tail = 77;
	set_reg(test, NNLOOP_WREG_RING_TAIL, 77);
	set_reg(test, NNLOOP_WREG_RING_HEAD, 77);
	nnloop_board_cancel(board, WORKER, ~0ull);
	nnloop_board_yield(board, WORKER, ~0ull);
	nnloop_board_request_start(board, WORKER);
	KUNIT_EXPECT_EQ(kunit, board->rings[WORKER].tail, 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_SYSTEM_ROOT_LO),
			lower_32_bits(nnloop_pt_root(&board->system_pt)));
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_SYSTEM_ROOT_HI),
			upper_32_bits(nnloop_pt_root(&board->system_pt)));
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_RING_BASE),
			(u32)(NNLOOP_SYSTEM_BASE + RING_PAGES * PAGE));
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_RING_TAIL), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_RING_HEAD), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_CANCEL_LO), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_CANCEL_HI), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_YIELD_LO), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_YIELD_HI), 0u);
	KUNIT_EXPECT_EQ(kunit, reg(test, NNLOOP_WREG_REQUEST), 1u << 8 | NNLOOP_REQUEST_START);

	nnloop_board_fini(board, NULL);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(kunit, !board->rings[i].cmds);

	/*
	 * The rings are made once more and given up: three rings, and a page table of as many
	 * tables as levels.
	 */
	KUNIT_ASSERT_EQ(kunit, nnloop_board_init(board), 0);
	entry = nnloop_pt_root(&board->system_pt);
	for (i = 0; i < 3; i++)
		cmds[i] = board->rings[i].cmds;
	nnloop_board_fini(board, &leaked);
	KUNIT_EXPECT_EQ(kunit, leaked, 100 + 3 * RING_PAGES + 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(kunit, !board->rings[i].cmds);
		dma_free_coherent(dev, RING_PAGES * PAGE, cmds[i], board->rings[i].dma);
		table = entry & NNLOOP_PTE_ADDRESS;
		entries = phys_to_virt(table);
		entry = le64_to_cpu(entries[(NNLOOP_SYSTEM_BASE >> NNLOOP_PT_SHIFT(i)) %
					    NNLOOP_PT_ENTRIES]);
		dma_free_coherent(dev, PAGE, entries, table);
	}
	root_device_unregister(dev);
}

/* A job that had not ended when its worker was stopped ends with the reason for the stop. */
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
	KUNIT_CASE(ring_statuses),
	KUNIT_CASE(ring_forgets),
	KUNIT_CASE(ring_wreck),
	KUNIT_CASE(board_cancel),
	KUNIT_CASE(board_yield),
	KUNIT_CASE(board_reads_registers),
	KUNIT_CASE(board_probe),
	KUNIT_CASE(board_firmware),
	KUNIT_CASE(board_gangs),
	KUNIT_CASE(board_requests),
	KUNIT_CASE(board_answers),
	KUNIT_CASE(board_rings),
	{}
};

static struct kunit_suite board_suite = {
	.name = "nnloop_ring",
	.init = board_test_init,
	.test_cases = board_cases,
};

kunit_test_suite(board_suite);
