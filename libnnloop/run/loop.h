/* SPDX-License-Identifier: MIT */
/*
 * The run loop over the partitions of a plan: push, pop, loop end, rerun. It knows nothing of
 * devices; execute.c runs passes with it, walk.c finds out what passes there would be.
 */
#ifndef NN_LOOP_H
#define NN_LOOP_H

#include "plan/plan.h"

struct nn_loop {
	struct nn_plan *plan;
	uint64_t pass_limit;

	/*
	 * Before something runs that may look at data: an LCN that is not static, or a loop end
	 * that is not the default. All passes so far are to be complete then. `node` is the LCN.
	 */
	int (*synchronize)(struct nn_loop *loop, struct nn_node *node);
	/* Run a partition's parts, with the loop stack as it is. */
	int (*run)(struct nn_loop *loop, uint32_t partition);
	/* Run the part of an LCN that comes before its loop, which begins. */
	int (*begin)(struct nn_loop *loop, const struct nn_part *part);
	/* After each push; may be NULL. */
	int (*pushed_hook)(struct nn_loop *loop, const struct nn_scope *scope);
	/* Elements of a value as the CPU sees them, or NULL if they must not be looked at now. Its
	 * argument is the loop. */
	void *(*locate)(void *loop, struct nn_value *value);

	uint64_t pushes, outer_pushes;	/* of all loops, of the outermost one */
	/*
	 * Whether the iteration is not the loop's first, by level. Its counts need not say so,
	 * because a loop-end function of the application's may leave them alone.
	 */
	bool goes_on[NN_MAX_LOOPSTACK + 1];
	/* Counts of loops that are not running, by scope: those of one depth take turns in the
	 * stack. */
	struct nn_loopcounts kept[NN_MAX_SCOPES + 1];
};

/* Run all partitions until no loop goes on. The loop stack is clear before, and again after. */
int nn_loop_run(struct nn_loop *loop);

/* Whether a part is run in this iteration, with its partition. */
static inline bool nn_loop_runs_part(const struct nn_loop *loop, const struct nn_part *part)
{
	return !part->before_loop && (!part->first_only || !loop->goes_on[part->first_only]);
}

#endif
