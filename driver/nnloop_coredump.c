// SPDX-License-Identifier: GPL-2.0
/*
 * Core dumps of jobs, through the kernel's devcoredump: a file for whoever wants to know why a job
 * failed, with registers, the job's ring entries, and the program that failed. docs/driver.md
 * describes its lines.
 *
 * A dump is made in two steps. The registers are read when the job fails, perhaps in an interrupt,
 * and the file is written when the job is freed, where one may sleep. In between, memory that its
 * owner gave up may be gone; the file says so.
 */
#include <linux/devcoredump.h>
#include <linux/highmem.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include <drm/drm_print.h>

#include "nnloop_compat.h"
#include "nnloop_coredump.h"
#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_gem.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_worker.h"

/* A program is a few KiB long. Of a larger one the file shows a part. */
#define NNLOOP_COREDUMP_PROGRAM_MAX	SZ_256K
#define NNLOOP_COREDUMP_LINE		32

/*
 * The most bytes that each kind of line can take: all fixed lines together, a pass, a line of
 * program bytes.
 */
#define NNLOOP_COREDUMP_HEAD_SIZE	SZ_4K
#define NNLOOP_COREDUMP_PASS_SIZE	(64 + NNLOOP_MAX_ARGS * 11)
#define NNLOOP_COREDUMP_LINE_SIZE	(12 + NNLOOP_COREDUMP_LINE * 3)

/*
 * The kernel keeps a dump for minutes, and jobs can fail thousands of times in that time. So there
 * is one dump in this interval at most.
 */
#define NNLOOP_COREDUMP_INTERVAL	HZ

/* Says whether another dump may be made now, and counts it. */
static bool nnloop_coredump_is_due(struct nnloop_device *ndev)
{
	unsigned long flags;
	bool due;

	spin_lock_irqsave(&ndev->failure_lock, flags);
	due = !ndev->coredump_taken || time_after_eq(jiffies, ndev->next_coredump);
	if (due) {
		ndev->coredump_taken = true;
		ndev->next_coredump = jiffies + NNLOOP_COREDUMP_INTERVAL;
	}
	spin_unlock_irqrestore(&ndev->failure_lock, flags);
	return due;
}

/**
 * nnloop_coredump_take - remember what the hardware says about a job that failed
 * @job: the job
 * @worker: where it was; &nnloop_sched.lock is held
 * @result: how the job ended, or one worker's part of it. A good end, and one that was asked for,
 *	    are not remembered, and of several the first is
 *
 * Context: any.
 */
void nnloop_coredump_take(struct nnloop_job *job, struct nnloop_worker *worker,
			  const struct nnloop_result *result)
{
	struct nnloop_board *board = &worker->ndev->board;
	struct nnloop_snapshot *snapshot = &job->snapshot;

	if (snapshot->taken || !result->error || result->error == -ECANCELED ||
	    !nnloop_coredump_is_due(worker->ndev))
		return;
	snapshot->taken = true;
	snapshot->worker = worker->index;
	snapshot->ring_tail = board->rings[worker->index].tail;
	snapshot->result = *result;
	snapshot->result.passes_done += job->passes_done;
	nnloop_board_read_registers(board, worker->index, snapshot->registers);
}

/* Returns the index of the pass that failed. */
static unsigned int nnloop_coredump_failed_pass(const struct nnloop_job *job)
{
	return min(job->snapshot.result.passes_done, job->pass_count - 1);
}

static void nnloop_coredump_head(struct drm_printer *p, const struct nnloop_job *job)
{
	const struct nnloop_snapshot *snapshot = &job->snapshot;
	const struct nnloop_result *result = &snapshot->result;
	const struct nnloop_file *file = job->queue->file;
	const struct nnloop_board *board = &file->ndev->board;
	unsigned int i;

	drm_puts(p, "nnloop coredump 1\n");
	drm_printf(p, "kernel %s\n", init_utsname()->release);
	drm_printf(p, "device %s\n", dev_name(board->dev));
	drm_printf(p, "hardware %u.%u\n", board->hardware_version >> 16,
		   board->hardware_version & 0xffff);
	drm_printf(p, "firmware %u.%u\n", board->firmware_version >> 16,
		   board->firmware_version & 0xffff);
	drm_printf(p, "client %llu\n", file->id);
	drm_printf(p, "job %llu\n", job->id);
	drm_printf(p, "point %llu\n", job->point);
	drm_printf(p, "error %d\n", result->error);
	drm_printf(p, "passes_done %u\n", result->passes_done);
	drm_printf(p, "operator %d\n", (int)result->fail_op);
	drm_printf(p, "reason %u\n", result->fail_reason);
	drm_printf(p, "fault_address %#x\n", result->fault_address);
	drm_printf(p, "fault_access %u\n", result->fault_access);
	drm_printf(p, "worker %u\n", snapshot->worker);
	drm_printf(p, "ring_tail %u\n", snapshot->ring_tail);
	for (i = 0; i < NNLOOP_BOARD_REGISTERS; i++)
		drm_printf(p, "register %s %#x\n", nnloop_board_registers[i].name,
			   snapshot->registers[i]);
}

static void nnloop_coredump_passes(struct drm_printer *p, const struct nnloop_job *job)
{
	unsigned int i, j;

	for (i = 0; i < job->pass_count; i++) {
		const struct nnloop_cmd *cmd = &job->cmds[i + 1];

		drm_printf(p, "pass %u program %#x size %u args", i,
			   le32_to_cpu(cmd->pass.program), le32_to_cpu(cmd->pass.program_size));
		for (j = 0; j < le32_to_cpu(cmd->count); j++)
			drm_printf(p, " %u", le32_to_cpu(cmd->pass.arg[j]));
		drm_puts(p, "\n");
	}
}

/* Copies bytes of a buffer, which may go over the end of a page. */
static void nnloop_coredump_copy(struct nnloop_bo *bo, size_t offset, u8 *to, size_t size)
{
	while (size) {
		size_t in_page = offset_in_page(offset);
		size_t part = min(size, PAGE_SIZE - in_page);

		memcpy_from_page(to, bo->base.pages[offset >> PAGE_SHIFT], in_page, part);
		offset += part;
		to += part;
		size -= part;
	}
}

static void nnloop_coredump_program(struct drm_printer *p, const struct nnloop_job *job)
{
	const struct nnloop_cmd *cmd = &job->cmds[nnloop_coredump_failed_pass(job) + 1];
	u64 iova = le32_to_cpu(cmd->pass.program);
	u32 size = le32_to_cpu(cmd->pass.program_size);
	u8 bytes[NNLOOP_COREDUMP_LINE];
	struct nnloop_bo *bo;
	u64 offset;
	u32 at;

	drm_printf(p, "program %#llx size %u\n", iova, size);
	bo = nnloop_space_find_bo(&job->queue->file->space, iova, &offset);
	if (!bo || !bo->base.pages) {
		drm_puts(p, bo ? "is in another driver's memory\n" : "is in no buffer any more\n");
		goto out_put;
	}
	size = min_t(u64, size, bo->base.base.size - offset);
	size = min_t(u32, size, NNLOOP_COREDUMP_PROGRAM_MAX);
	for (at = 0; at < size; at += sizeof(bytes)) {
		u32 part = min_t(u32, size - at, sizeof(bytes));

		nnloop_coredump_copy(bo, offset + at, bytes, part);
		drm_printf(p, "%08x: %*ph\n", at, part, bytes);
	}
out_put:
	if (bo)
		drm_gem_object_put(&bo->base.base);
}

static size_t nnloop_coredump_size(const struct nnloop_job *job)
{
	const struct nnloop_cmd *cmd = &job->cmds[nnloop_coredump_failed_pass(job) + 1];
	size_t program = min_t(size_t, le32_to_cpu(cmd->pass.program_size),
			       NNLOOP_COREDUMP_PROGRAM_MAX);

	return NNLOOP_COREDUMP_HEAD_SIZE + job->pass_count * NNLOOP_COREDUMP_PASS_SIZE +
	       DIV_ROUND_UP(program, NNLOOP_COREDUMP_LINE) * NNLOOP_COREDUMP_LINE_SIZE;
}

/**
 * nnloop_coredump_write - make the file, if the job failed in a way that calls for one
 * @job: the job, ended
 *
 * Context: may sleep. Nothing waits for memory that this needs.
 */
void nnloop_coredump_write(struct nnloop_job *job)
{
	struct nnloop_device *ndev = job->queue->file->ndev;
	struct drm_print_iterator iterator = {};
	struct drm_printer p;
	size_t size;

	if (!job->snapshot.taken)
		return;
	size = nnloop_coredump_size(job);
	iterator.data = vmalloc(size);
	if (!iterator.data)
		return;
	iterator.remain = size;
	p = drm_coredump_printer(&iterator);
	nnloop_coredump_head(&p, job);
	nnloop_coredump_passes(&p, job);
	nnloop_coredump_program(&p, job);
	/*
	 * The data belongs to the devcoredump core now. If this device has a dump already, the core
	 * frees the new one.
	 */
	dev_coredumpv(ndev->board.dev, iterator.data, size - iterator.remain, GFP_KERNEL);
}
