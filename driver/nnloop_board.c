// SPDX-License-Identifier: GPL-2.0
/*
 * This file speaks the register protocol of nnloop_hw.h: it starts and stops workers, writes jobs
 * to their rings, and reads how they ended. How registers are reached is the transport's business
 * (nnloop_transport.h). There are no locks here: a worker's registers belong to whoever holds the
 * locks that nnloop_worker.h describes.
 */
#include <linux/build_bug.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/sizes.h>

#include "nnloop_board.h"
#include "nnloop_transport.h"

#define NNLOOP_RING_SIZE	(NNLOOP_RING_ENTRIES * sizeof(struct nnloop_cmd))

/*
 * For a stop the board kills a process, and for a start it boots firmware, perhaps on a busy host.
 * The driver waits as long as the board shows that it lives (SILENCE), but not for ever (PATIENCE).
 */
#define NNLOOP_SILENCE_S	10
#define NNLOOP_PATIENCE_S	60
/* A board of register map 1.0 has no sign of life, so it gets these times. */
#define NNLOOP_STOP_TIMEOUT_S	10
#define NNLOOP_START_TIMEOUT_S	30
#define NNLOOP_POLL_US		200
/* Polls are further apart when the board has not answered within a second. */
#define NNLOOP_LATE_POLL_US	10000

/* Versions from which on workers have barriers, so that several can run one job. */
#define NNLOOP_GANG_HW_MINOR		2
#define NNLOOP_GANG_FIRMWARE_MINOR	6

static_assert(sizeof(struct nnloop_cmd) == 128);
static_assert(NNLOOP_MAX_WORKERS * NNLOOP_RING_SIZE <= NNLOOP_SYSTEM_END - NNLOOP_SYSTEM_BASE);

#define NNLOOP_REGISTER(name)	{ #name, NNLOOP_WREG_##name }

const struct nnloop_board_register nnloop_board_registers[] = {
	NNLOOP_REGISTER(REQUEST),
	NNLOOP_REGISTER(ACK),
	NNLOOP_REGISTER(STATE),
	NNLOOP_REGISTER(EPOCH),
	NNLOOP_REGISTER(SYSTEM_ROOT_LO),
	NNLOOP_REGISTER(SYSTEM_ROOT_HI),
	NNLOOP_REGISTER(RING_BASE),
	NNLOOP_REGISTER(RING_TAIL),
	NNLOOP_REGISTER(RING_HEAD),
	NNLOOP_REGISTER(CANCEL_LO),
	NNLOOP_REGISTER(CANCEL_HI),
	NNLOOP_REGISTER(PROGRESS),
	NNLOOP_REGISTER(YIELD_LO),
	NNLOOP_REGISTER(YIELD_HI),
	NNLOOP_REGISTER(DONE_ID_LO),
	NNLOOP_REGISTER(DONE_ID_HI),
	NNLOOP_REGISTER(STATUS),
	NNLOOP_REGISTER(PASSES_DONE),
	NNLOOP_REGISTER(FAIL_OP),
	NNLOOP_REGISTER(FAIL_REASON),
	NNLOOP_REGISTER(FAULT_ADDR),
	NNLOOP_REGISTER(FAULT_ACCESS),
	NNLOOP_REGISTER(CURRENT_OP),
	NNLOOP_REGISTER(CURRENT_PASS),
	NNLOOP_REGISTER(REFILL_TIME),
	NNLOOP_REGISTER(PHASE_JOB_LO),
	NNLOOP_REGISTER(PHASE_JOB_HI),
	NNLOOP_REGISTER(PHASE),
};

static u32 nnloop_read(struct nnloop_board *board, u32 reg)
{
	return readl(board->regs + reg);
}

static void __iomem *nnloop_wreg(struct nnloop_board *board, unsigned int worker, u32 reg)
{
	return board->regs + NNLOOP_WORKER(worker) + reg;
}

static u32 nnloop_wread(struct nnloop_board *board, unsigned int worker, u32 reg)
{
	return readl(nnloop_wreg(board, worker, reg));
}

static void nnloop_wwrite(struct nnloop_board *board, unsigned int worker, u32 reg, u32 value)
{
	writel(value, nnloop_wreg(board, worker, reg));
}

/* Writes a pair of registers, the lower half first. */
static void nnloop_wwrite64(struct nnloop_board *board, unsigned int worker, u32 reg_lo, u64 value)
{
	nnloop_wwrite(board, worker, reg_lo, lower_32_bits(value));
	nnloop_wwrite(board, worker, reg_lo + 4, upper_32_bits(value));
}

static void nnloop_ring_doorbell(struct nnloop_board *board, unsigned int vector)
{
	board->transport->ring_doorbell(board, vector);
}

/**
 * nnloop_board_is_gone - does the transport know that there is no board any more?
 * @board: the board
 *
 * Return: true, and the DSP reaches no memory any more.
 */
bool nnloop_board_is_gone(struct nnloop_board *board)
{
	return board->transport->is_gone && board->transport->is_gone(board);
}

/**
 * nnloop_board_asks - is it the transport that lets the DSP at memory, and takes it away?
 * @board: the board
 *
 * Return: true, and memory that was taken away can be freed whatever the board does.
 */
bool nnloop_board_asks(const struct nnloop_board *board)
{
	return board->transport->unmap;
}

/**
 * nnloop_board_map - let the DSP at some memory, where that is up to the transport
 * @board: the board
 * @dma: where it begins, at a page
 * @size: bytes, whole pages
 * @read_only: the DSP must not write there, as far as this call is concerned
 *
 * Return: 0 or an error, see &nnloop_transport.map.
 */
int nnloop_board_map(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only)
{
	return board->transport->map ? board->transport->map(board, dma, size, read_only) : 0;
}

/**
 * nnloop_board_unmap - undo nnloop_board_map()
 * @board: the board
 * @dma: as there
 * @size: as there
 * @read_only: as there
 */
void nnloop_board_unmap(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only)
{
	if (board->transport->unmap)
		board->transport->unmap(board, dma, size, read_only);
}

/**
 * nnloop_board_alloc - memory that the driver writes and the DSP reads
 * @board: the board
 * @size: bytes, whole pages
 * @dma: its DMA address
 * @gfp: how to allocate
 *
 * Return: the memory, zeroed; or NULL.
 */
void *nnloop_board_alloc(struct nnloop_board *board, size_t size, dma_addr_t *dma, gfp_t gfp)
{
	void *memory = dma_alloc_coherent(board->dev, size, dma, gfp);

	if (memory && nnloop_board_map(board, *dma, size, true)) {
		dma_free_coherent(board->dev, size, memory, *dma);
		memory = NULL;
	}
	return memory;
}

/**
 * nnloop_board_free - undo nnloop_board_alloc()
 * @board: the board
 * @size: as there
 * @memory: what that has returned
 * @dma: its DMA address
 */
void nnloop_board_free(struct nnloop_board *board, size_t size, void *memory, dma_addr_t dma)
{
	nnloop_board_unmap(board, dma, size, true);
	dma_free_coherent(board->dev, size, memory, dma);
}

static u32 nnloop_ring_address(unsigned int worker)
{
	return NNLOOP_SYSTEM_BASE + worker * NNLOOP_RING_SIZE;
}

/**
 * nnloop_board_probe - is this an nnloop board that we understand?
 * @board: with @regs set
 *
 * Return: 0; -ENODEV, quietly, if it is something else: the PCI id is shared by
 * every ivshmem device; -EPROTO, with a line in the log, if it is an nnloop
 * board with another register map.
 */
int nnloop_board_probe(struct nnloop_board *board)
{
	if (nnloop_read(board, NNLOOP_REG_MAGIC) != NNLOOP_MAGIC)
		return -ENODEV;

	board->hardware_version = nnloop_read(board, NNLOOP_REG_VERSION);
	if (board->hardware_version >> 16 != NNLOOP_HW_VERSION >> 16) {
		dev_err(board->dev,
			"nnloop board has register map %u.%u, this driver knows %u.x: use a matching pair\n",
			board->hardware_version >> 16, board->hardware_version & 0xffff,
			NNLOOP_HW_VERSION >> 16);
		return -EPROTO;
	}

	board->worker_count = nnloop_read(board, NNLOOP_REG_WORKERS);
	board->peer = nnloop_read(board, NNLOOP_REG_DSP_PEER);
	if (!board->worker_count || board->worker_count > NNLOOP_MAX_WORKERS ||
	    !nnloop_read(board, NNLOOP_REG_BOARD_EPOCH)) {
		dev_err(board->dev, "nnloop board describes itself wrongly: %u workers, epoch %u\n",
			board->worker_count, nnloop_read(board, NNLOOP_REG_BOARD_EPOCH));
		return -EPROTO;
	}
	return 0;
}

/**
 * nnloop_board_init - make rings and the system window
 * @board: probed
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_board_init(struct nnloop_board *board)
{
	unsigned int pages = NNLOOP_RING_SIZE >> NNLOOP_PAGE_SHIFT;
	unsigned int i;
	int ret;

	ret = nnloop_pt_init(&board->system_pt, board);
	if (ret)
		return ret;

	ret = nnloop_pt_reserve(&board->system_pt, NNLOOP_SYSTEM_BASE,
				pages * board->worker_count);
	if (ret)
		goto err_fini;

	for (i = 0; i < board->worker_count; i++) {
		struct nnloop_ring *ring = &board->rings[i];

		ring->cmds = nnloop_board_alloc(board, NNLOOP_RING_SIZE, &ring->dma, GFP_KERNEL);
		if (!ring->cmds) {
			ret = -ENOMEM;
			goto err_fini;
		}
		nnloop_pt_set(&board->system_pt, nnloop_ring_address(i), ring->dma, pages,
			      NNLOOP_PTE_READ_ONLY);
	}
	return 0;

err_fini:
	nnloop_board_fini(board, NULL);
	return ret;
}

/**
 * nnloop_board_fini - give back rings and system window
 * @board: the board; every worker is stopped, or @leaked_pages is given
 * @leaked_pages: if not NULL, keep the memory for ever, because the DSP may still
 *                reach it, and add its pages here
 */
void nnloop_board_fini(struct nnloop_board *board, unsigned long *leaked_pages)
{
	unsigned int i;

	for (i = 0; i < board->worker_count; i++) {
		struct nnloop_ring *ring = &board->rings[i];

		if (!ring->cmds)
			continue;
		if (leaked_pages)
			*leaked_pages += NNLOOP_RING_SIZE >> NNLOOP_PAGE_SHIFT;
		else
			nnloop_board_free(board, NNLOOP_RING_SIZE, ring->cmds, ring->dma);
		ring->cmds = NULL;
	}
	if (leaked_pages)
		*leaked_pages += nnloop_pt_leak(&board->system_pt);
	else
		nnloop_pt_fini(&board->system_pt);
}

static void nnloop_board_request(struct nnloop_board *board, unsigned int worker, u32 request)
{
	u32 tag = (nnloop_wread(board, worker, NNLOOP_WREG_REQUEST) >> 8) + 1;

	tag &= 0xffffff;
	if (!tag)
		tag = 1;
	nnloop_wwrite(board, worker, NNLOOP_WREG_REQUEST, tag << 8 | request);
	nnloop_ring_doorbell(board, board->worker_count);
}

/* How long an answer of the board is still waited for. */
struct nnloop_patience {
	bool has_sign;		/* the board has a sign of life */
	u32 sign;		/* that sign, a second ago */
	unsigned int silent;	/* seconds for which it has not changed */
	unsigned int left;	/* seconds that are left, whatever the sign */
};

static struct nnloop_patience nnloop_board_patience(struct nnloop_board *board,
						    unsigned int seconds)
{
	struct nnloop_patience patience = {
		.has_sign = (board->hardware_version & 0xffff) >= 1,
	};

	patience.left = patience.has_sign ? NNLOOP_PATIENCE_S : seconds;
	if (patience.has_sign)
		patience.sign = nnloop_read(board, NNLOOP_REG_ALIVE);
	return patience;
}

/* Counts another second without an answer, and says whether to wait for one more. */
static bool nnloop_board_has_hope(struct nnloop_board *board, struct nnloop_patience *patience)
{
	u32 sign;

	if (!--patience->left)
		return false;
	if (!patience->has_sign)
		return true;

	sign = nnloop_read(board, NNLOOP_REG_ALIVE);
	if (sign != patience->sign) {
		patience->sign = sign;
		patience->silent = 0;
		return true;
	}
	if (++patience->silent < NNLOOP_SILENCE_S)
		return true;
	dev_err(board->dev, "the board has shown no sign of life for %u s\n", NNLOOP_SILENCE_S);
	return false;
}

/*
 * Calls readl_poll_timeout() for a second at a time. A virtual machine that stood still for a while
 * finds one of these seconds over, and the board still has the others. @seconds is how long a board
 * without a sign of life may take. A board that is gone is not waited for: -ENODEV.
 */
#define nnloop_poll_timeout(board, address, value, condition, seconds) ({			\
	struct nnloop_board *asked = (board);							\
	struct nnloop_patience patience = nnloop_board_patience(asked, seconds);		\
	unsigned int poll_us = NNLOOP_POLL_US;							\
	int error;										\
												\
	do {											\
		error = readl_poll_timeout(address, value,					\
					   (condition) || nnloop_board_is_gone(asked),		\
					   poll_us, USEC_PER_SEC);				\
		poll_us = NNLOOP_LATE_POLL_US;							\
	} while (error && nnloop_board_has_hope(asked, &patience));				\
	nnloop_board_is_gone(asked) ? -ENODEV : error;						\
})

static int nnloop_board_wait_ack(struct nnloop_board *board, unsigned int worker,
				 unsigned int seconds)
{
	u32 want = nnloop_wread(board, worker, NNLOOP_WREG_REQUEST);
	u32 ack;

	return nnloop_poll_timeout(board, nnloop_wreg(board, worker, NNLOOP_WREG_ACK), ack,
				   ack == want, seconds);
}

/**
 * nnloop_board_request_stop - ask for a worker's end, whatever it does
 * @board: the board
 * @worker: index
 */
void nnloop_board_request_stop(struct nnloop_board *board, unsigned int worker)
{
	nnloop_board_request(board, worker, NNLOOP_REQUEST_RESET);
}

/**
 * nnloop_board_wait_stopped - wait until a worker has been stopped
 * @board: the board
 * @worker: index
 *
 * Return: 0, and the worker touches no memory any more, perhaps because the board is gone;
 * -ETIMEDOUT, and nobody knows what it does.
 */
int nnloop_board_wait_stopped(struct nnloop_board *board, unsigned int worker)
{
	int ret = nnloop_board_wait_ack(board, worker, NNLOOP_STOP_TIMEOUT_S);

	return ret == -ENODEV ? 0 : ret;
}

/**
 * nnloop_board_request_start - start a stopped worker with an empty ring
 * @board: the board
 * @worker: index
 */
void nnloop_board_request_start(struct nnloop_board *board, unsigned int worker)
{
	u64 root = nnloop_pt_root(&board->system_pt);

	board->rings[worker].tail = 0;
	nnloop_wwrite64(board, worker, NNLOOP_WREG_SYSTEM_ROOT_LO, root);
	nnloop_wwrite(board, worker, NNLOOP_WREG_RING_BASE, nnloop_ring_address(worker));
	nnloop_wwrite(board, worker, NNLOOP_WREG_RING_TAIL, 0);
	nnloop_wwrite(board, worker, NNLOOP_WREG_RING_HEAD, 0);
	nnloop_wwrite64(board, worker, NNLOOP_WREG_CANCEL_LO, 0);
	nnloop_wwrite64(board, worker, NNLOOP_WREG_YIELD_LO, 0);
	nnloop_board_request(board, worker, NNLOOP_REQUEST_START);
}

/**
 * nnloop_board_wait_started - wait until a started worker takes jobs
 * @board: the board
 * @worker: index
 *
 * Return: 0; -EIO if it died while it booted; -ETIMEDOUT; -ENODEV, the board is gone.
 */
int nnloop_board_wait_started(struct nnloop_board *board, unsigned int worker)
{
	u32 state;
	int ret;

	ret = nnloop_board_wait_ack(board, worker, NNLOOP_START_TIMEOUT_S);
	if (ret)
		return ret;
	ret = nnloop_poll_timeout(board, nnloop_wreg(board, worker, NNLOOP_WREG_STATE), state,
				  state == NNLOOP_STATE_READY || state == NNLOOP_STATE_DEAD,
				  NNLOOP_START_TIMEOUT_S);
	if (ret)
		return ret;
	return state == NNLOOP_STATE_READY ? 0 : -EIO;
}

/**
 * nnloop_board_check_firmware - is the firmware one that we understand?
 * @board: with a worker that has started
 *
 * Return: 0 or -EPROTO, with a line in the log.
 */
int nnloop_board_check_firmware(struct nnloop_board *board)
{
	u32 version = nnloop_read(board, NNLOOP_REG_FIRMWARE_VERSION);

	board->firmware_version = version;
	if (version >> 16 == NNLOOP_FIRMWARE_VERSION >> 16)
		return 0;

	dev_err(board->dev,
		"nnloop firmware is version %u.%u, this driver needs %u.x: use a matching pair\n",
		version >> 16, version & 0xffff, NNLOOP_FIRMWARE_VERSION >> 16);
	return -EPROTO;
}

/**
 * nnloop_board_has_gangs - can several workers run a job together?
 * @board: the board, whose firmware was checked
 */
bool nnloop_board_has_gangs(const struct nnloop_board *board)
{
	return (board->hardware_version & 0xffff) >= NNLOOP_GANG_HW_MINOR &&
	       (board->firmware_version & 0xffff) >= NNLOOP_GANG_FIRMWARE_MINOR;
}

/**
 * nnloop_board_worker_died - has a worker died by itself?
 * @board: the board
 * @worker: index
 */
bool nnloop_board_worker_died(struct nnloop_board *board, unsigned int worker)
{
	return nnloop_wread(board, worker, NNLOOP_WREG_STATE) == NNLOOP_STATE_DEAD;
}

/**
 * nnloop_board_read_registers - all of a worker's registers
 * @board: the board
 * @worker: index
 * @values: NNLOOP_BOARD_REGISTERS of them, in the order of nnloop_board_registers
 */
void nnloop_board_read_registers(struct nnloop_board *board, unsigned int worker, u32 *values)
{
	unsigned int i;

	for (i = 0; i < NNLOOP_BOARD_REGISTERS; i++)
		values[i] = nnloop_wread(board, worker, nnloop_board_registers[i].offset);
}

/**
 * nnloop_board_progress - a number that changes while a worker gets on with a job
 * @board: the board
 * @worker: index
 */
u32 nnloop_board_progress(struct nnloop_board *board, unsigned int worker)
{
	return nnloop_wread(board, worker, NNLOOP_WREG_PROGRESS);
}

/**
 * nnloop_board_ring_head - ring entries that a worker has consumed
 * @board: the board
 * @worker: index
 */
u32 nnloop_board_ring_head(struct nnloop_board *board, unsigned int worker)
{
	return nnloop_wread(board, worker, NNLOOP_WREG_RING_HEAD);
}

/**
 * nnloop_board_passes_done - complete passes of the running job
 * @board: the board
 * @worker: index
 */
u32 nnloop_board_passes_done(struct nnloop_board *board, unsigned int worker)
{
	return nnloop_wread(board, worker, NNLOOP_WREG_PASSES_DONE);
}

/**
 * nnloop_board_submit - give a job to an idle worker
 * @board: the board
 * @worker: index
 * @cmds: JOB entry and PASS entries
 * @count: how many, at most NNLOOP_RING_ENTRIES
 */
void nnloop_board_submit(struct nnloop_board *board, unsigned int worker,
			 const struct nnloop_cmd *cmds, unsigned int count)
{
	struct nnloop_ring *ring = &board->rings[worker];
	unsigned int slot = ring->tail % NNLOOP_RING_ENTRIES;
	unsigned int first = min(count, NNLOOP_RING_ENTRIES - slot);

	memcpy(&ring->cmds[slot], cmds, first * sizeof(*cmds));
	memcpy(ring->cmds, cmds + first, (count - first) * sizeof(*cmds));
	ring->tail += count;

	/*
	 * A worker that dies before it begins this job must not seem to have done passes of the job
	 * before.
	 */
	nnloop_wwrite(board, worker, NNLOOP_WREG_PASSES_DONE, 0);
	nnloop_wwrite(board, worker, NNLOOP_WREG_CURRENT_OP, ~0u);

	/*
	 * Entries, page tables and buffers are visible before the tail, and the tail before the
	 * doorbell rings.
	 */
	dma_wmb();
	nnloop_wwrite(board, worker, NNLOOP_WREG_RING_TAIL, ring->tail);
	nnloop_ring_doorbell(board, worker);
}

/**
 * nnloop_board_cancel - have a worker give up a job
 * @board: the board
 * @worker: index
 * @job: id; nothing happens if the worker runs another one
 */
void nnloop_board_cancel(struct nnloop_board *board, unsigned int worker, u64 job)
{
	nnloop_wwrite64(board, worker, NNLOOP_WREG_CANCEL_LO, job);
	/* The worker may be asleep at a barrier. */
	nnloop_ring_doorbell(board, worker);
}

/**
 * nnloop_board_yield - have a worker leave a job off after a pass
 * @board: the board
 * @worker: index
 * @job: id; nothing happens if the worker runs another one, or its last pass
 */
void nnloop_board_yield(struct nnloop_board *board, unsigned int worker, u64 job)
{
	nnloop_wwrite64(board, worker, NNLOOP_WREG_YIELD_LO, job);
}

static u64 nnloop_board_done_id(struct nnloop_board *board, unsigned int worker)
{
	return (u64)nnloop_wread(board, worker, NNLOOP_WREG_DONE_ID_HI) << 32 |
	       nnloop_wread(board, worker, NNLOOP_WREG_DONE_ID_LO);
}

/**
 * nnloop_board_result - how did a job end?
 * @board: the board
 * @worker: index
 * @job: id
 * @result: the answer
 *
 * Return: false if the worker has not ended this job. An error of -EAGAIN says that it has left it
 * off, as it was told to; NNLOOP_ALONE that the others of its gang have.
 */
bool nnloop_board_result(struct nnloop_board *board, unsigned int worker, u64 job,
			 struct nnloop_result *result)
{
	u32 status;

	if (nnloop_board_done_id(board, worker) != job ||
	    nnloop_wread(board, worker, NNLOOP_WREG_RING_HEAD) != board->rings[worker].tail)
		return false;

	/*
	 * What the DSP has written to memory can be read once it has said that the job has ended.
	 */
	dma_rmb();
	status = nnloop_wread(board, worker, NNLOOP_WREG_STATUS);
	*result = NNLOOP_RESULT(0);
	result->passes_done = nnloop_wread(board, worker, NNLOOP_WREG_PASSES_DONE);

	switch (status) {
	case NNLOOP_STATUS_OK:
		return true;
	case NNLOOP_STATUS_CANCELLED:
		result->error = -ECANCELED;
		return true;
	case NNLOOP_STATUS_YIELDED:
		result->error = -EAGAIN;
		return true;
	case NNLOOP_STATUS_ALONE:
		result->error = NNLOOP_ALONE;
		return true;
	case NNLOOP_STATUS_BAD_PROGRAM:
		result->error = -EINVAL;
		result->fail_reason = nnloop_wread(board, worker, NNLOOP_WREG_FAIL_REASON);
		break;
	case NNLOOP_STATUS_FAULT:
		result->error = -EFAULT;
		result->fault_address = nnloop_wread(board, worker, NNLOOP_WREG_FAULT_ADDR);
		result->fault_access = nnloop_wread(board, worker, NNLOOP_WREG_FAULT_ACCESS);
		break;
	default:
		result->error = -EIO;
		break;
	}
	result->fail_op = nnloop_wread(board, worker, NNLOOP_WREG_FAIL_OP);
	return true;
}

/**
 * nnloop_board_switch_ns - what it has cost a worker to come to the space of its last job
 * @board: the board
 * @worker: index; it has ended the job, or left it off
 *
 * Return: nanoseconds, for all jobs since the worker had to drop its translations.
 */
u64 nnloop_board_switch_ns(struct nnloop_board *board, unsigned int worker)
{
	return (u64)nnloop_wread(board, worker, NNLOOP_WREG_REFILL_TIME) * NSEC_PER_USEC;
}

/**
 * nnloop_board_wreck - what became of a job whose worker was stopped
 * @board: the board
 * @worker: index
 * @job: id
 * @error: why it was stopped
 *
 * Return: the job's own result if it ended just before, else @error and how far
 * it had come.
 */
struct nnloop_result nnloop_board_wreck(struct nnloop_board *board, unsigned int worker,
					u64 job, int error)
{
	struct nnloop_result result;

	if (nnloop_board_result(board, worker, job, &result))
		return result;

	result = NNLOOP_RESULT(error);
	result.passes_done = nnloop_wread(board, worker, NNLOOP_WREG_PASSES_DONE);
	result.fail_op = nnloop_wread(board, worker, NNLOOP_WREG_CURRENT_OP);
	return result;
}
