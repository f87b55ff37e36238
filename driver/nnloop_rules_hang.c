// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's rules, continued: when a worker hangs, and what is to be done about it. A worker
 * hangs if its job makes no progress for the hang timeout, or if it does not end a job that it was
 * told to end because of the limit of a pass (nnloop_rules_limit.c).
 *
 * A job's progress is a number that changes while any of its workers gets on. Each worker looks at
 * it NNLOOP_HANG_LOOKS times in a hang timeout. What counts is how many looks in a row have found
 * the same number, not the clock, which jumps when the machine has stood still: then one look is
 * lost, not the job.
 *
 * Of several workers, all but one may only be waiting for that one. So when none of them gets on,
 * all are told to give the job up, which those that wait do; and who has not done so at the next
 * look but one is the one to be started again.
 */
#include <linux/time64.h>

#include "nnloop_rules.h"

/**
 * nnloop_hang_look - a worker looks at the progress of its job
 * @hang: what the worker has seen
 * @progress: the job's progress
 * @workers: how many workers have the job
 * @given_up: all of them were told to give the job up, by an earlier verdict of any of them
 * @ended: this worker is done with the job, and others are not
 *
 * nnloop_hang_begin() has been called since the worker got the job, since the hang timeout is what
 * it is, and if the job was given up, since then.
 *
 * Return: what is to be done.
 */
enum nnloop_hang_verdict nnloop_hang_look(struct nnloop_hang *hang, u32 progress,
					  unsigned int workers, bool given_up, bool ended)
{
	/* The first look may be one that was due anyway, right after they were told. */
	if (given_up)
		return hang->looks++ && !ended ? NNLOOP_HANG_RESET : NNLOOP_HANG_WAIT;

	if (progress != hang->progress) {
		hang->progress = progress;
		hang->looks = 1;
		return NNLOOP_HANG_WAIT;
	}
	/*
	 * From the first look that found this number to this one are NNLOOP_HANG_LOOKS periods. The
	 * job's begin is not counted as a look, because the next one may come right after it.
	 */
	if (hang->looks++ != NNLOOP_HANG_LOOKS)
		return NNLOOP_HANG_WAIT;
	return workers > 1 ? NNLOOP_HANG_GIVE_UP : NNLOOP_HANG_RESET;
}

/**
 * nnloop_slot_is_deaf - has a slot kept a job that was to end for longer than ending it takes?
 * @slot: the slot, which has a job
 * @now: the time
 */
bool nnloop_slot_is_deaf(const struct nnloop_slot *slot, u64 now)
{
	return slot->overdue && now - slot->overdue_time >= NNLOOP_OVERDUE_MS * NSEC_PER_MSEC;
}
