// SPDX-License-Identifier: MIT
/*
 * The loop stack's public functions: reading counts, pushing, and the standard loop end. Who calls
 * them when is in run/loop.c.
 */
#include "graph.h"

#include <errno.h>

struct nn_loopcounts const *nn_loopstack_get_counts(struct nn_graph const *nn)
{
	static const struct nn_loopcounts none;
	const struct nn_loopstack *stack = &nn->loopstack;

	/* An LCN that executes, or whose loop end is called, sees its own: the topmost until it has
	 * pushed. */
	if (nn->running.node && nn_node_is_lcn(nn->running.node) && nn->running.passes &&
	    !nn->running.pushed)
		return &stack->entries[stack->n].counts;
	return stack->n ? &stack->entries[stack->n - 1].counts : &none;
}

uint32_t nn_loopstack_get_itercount(struct nn_graph const *nn)
{
	return nn_loopstack_get_counts(nn)->itercount;
}

uint32_t nn_loopstack_get_prev_batches(struct nn_graph const *nn)
{
	return nn_loopstack_get_counts(nn)->prev_batches;
}

void nn_loop_skip(struct nn_graph *graph)
{
	graph->running.skipped = true;
}

int nn_loopend_default(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
		       void *opaque)
{
	uint32_t new_batches = counts->prev_batches + counts->current_batches;

	(void)nn;
	(void)node;
	(void)opaque;
	if (new_batches < counts->total_batches) {
		counts->itercount++;
		counts->prev_batches = new_batches;
		return 1;
	}
	counts->prev_outer_batches += new_batches;
	counts->itercount = 0;
	counts->prev_batches = 0;
	return 0;
}

int nn_loopstack_push(struct nn_graph *nn, struct nn_node *self, unsigned current_batches,
		      unsigned total_batches)
{
	return nn_loopstack_push_withfunc(nn, self, current_batches, total_batches,
					  nn_loopend_default, NULL);
}

int nn_loopstack_push_withfunc(struct nn_graph *nn, struct nn_node *self, unsigned current_batches,
			       unsigned total_batches, nn_loopend_fp loopend_function, void *opaque)
{
	struct nn_loopstack *stack = &nn->loopstack;
	struct nn_running *running = &nn->running;
	struct nn_loopstack_entry *entry;
	uint32_t sum;
	int error;

	if (!self)
		return -EINVAL;
	if (!running->passes || running->node != self || running->check || !nn_node_is_lcn(self) ||
	    running->ending)
		return nn_node_fail(self, -EINVAL,
				    "pushed a loop although its execute was not called");
	error = -EINVAL;
	if (running->pushed) {
		nn_node_fail(self, error, "pushed its loop twice in one execute");
		goto fail;
	}
	if (!loopend_function) {
		nn_node_fail(self, error, "pushed its loop without a loop-end function");
		goto fail;
	}
	if (current_batches > self->max_rows) {
		nn_node_fail(self, error, "pushed %u rows, but declared at most %u for a pass",
			     current_batches, self->max_rows);
		goto fail;
	}
	entry = &stack->entries[stack->n];
	error = -EOVERFLOW;
	if (__builtin_add_overflow(entry->counts.prev_batches, current_batches, &sum) ||
	    __builtin_add_overflow(sum, entry->counts.prev_outer_batches, &sum)) {
		nn_node_fail(self, error, "its loop counts more than 2^32 - 1 rows");
		goto fail;
	}
	error = -EINVAL;
	if (loopend_function == nn_loopend_default && !current_batches &&
	    entry->counts.prev_batches < total_batches) {
		nn_node_fail(self, error,
			     "the loop makes no progress: it pushed 0 rows after %u of %u",
			     entry->counts.prev_batches, total_batches);
		goto fail;
	}

	entry->loopend_function = loopend_function;
	entry->nodep = self;
	entry->opaque = opaque;
	entry->counts.current_batches = current_batches;
	entry->counts.total_batches = total_batches;
	stack->n++;
	running->pushed = true;
	return 0;

fail:
	/* One that the LCN's execute swallows still ends the execution. */
	running->push_error = error;
	return error;
}
