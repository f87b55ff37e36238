// SPDX-License-Identifier: MIT
/*
 * Streams: iterations of a loop that run side by side, on as many workers of the device.
 *
 * A stream is a queue with an arena and copies of the programs, which have the arena's address.
 * The passes of one iteration of the outermost loop, with all of its inner loops, stay in one
 * stream, in order. So iterations can be dealt out to streams where none of them uses what
 * another one left behind: the loops do not depend on data, nothing is computed in front of the
 * outermost loop (it would be in one arena only) and no Variable keeps a value from one
 * iteration to the next. And each iteration has rows of the outputs that no other one writes.
 *
 * The library makes as many streams as the device has workers, if each gets at least two
 * iterations, and the further arenas an eighth of the device's memory at most.
 */
#include "plan.h"

#include <errno.h>

#define LEAST_ITERATIONS	2u	/* of a stream, where the library chooses */
#define MEMORY_SHARE		8u	/* of which further arenas take one */

_Static_assert(NN_MAX_STREAMS == NN_MAX_JOBS, "a stream is a job of a submission");

uint64_t nn_plan_program_bytes(const struct nn_plan *plan)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < plan->part_count; i++)
		if (plan->parts[i].program)
			bytes += nn_program_room(plan->parts[i].program);
	return bytes;
}

/* Why iterations have to run one after the other, or NULL. */
static const char *find_reason(const struct nn_plan *plan)
{
	uint32_t i;

	if (!nn_plan_count_loops(plan))
		return "there is no loop";
	if (plan->is_tree)
		return "nodes come behind loops";
	for (i = 0; i < plan->node_count; i++)
		if (nn_node_has(plan->nodes[i], NN_OP_STATE))
			return "a Variable keeps its value from one iteration to the next";
	for (i = 0; i < plan->part_count; i++) {
		if (plan->parts[i].host_node)
			return "an operator executes on the host";
		if (plan->parts[i].program && !plan->parts[i].partition)
			return "operators in front of the loop make what it reads";
	}
	if (plan->walk_error)
		return plan->walk_error == -EOPNOTSUPP ? "the loops depend on data"
						       : "an execution would fail";
	for (i = 0; i < plan->output->input_count; i++)
		if (!plan->output->inputs[i]->info.level)
			return "each iteration writes all of an output";
	if (plan->rows_overlap)
		return "iterations write the same rows of the outputs";
	if (plan->outer_pushes < 2)
		return "the outermost loop has one iteration";
	return NULL;
}

static uint32_t choose(const struct nn_plan *plan, const struct nn_device *device)
{
	uint64_t iterations = plan->outer_pushes / LEAST_ITERATIONS;
	uint32_t count = device ? device->info.workers : 1;

	if (count > iterations)
		count = iterations;
	while (count > 1 && device->memory &&
	       (count - 1) * plan->arena_bytes > device->memory / MEMORY_SHARE)
		count--;
	/* All workers are busy with one stream, and with some streams not all. */
	if (device && device->divides && count < device->info.workers)
		count = 1;
	return count ? count : 1;
}

void nn_plan_choose_streams(struct nn_plan *plan, const struct nn_device *device)
{
	plan->single_reason = find_reason(plan);
	plan->max_streams = 1;
	if (!plan->single_reason)
		plan->max_streams = plan->outer_pushes < NN_MAX_STREAMS ? plan->outer_pushes
									: NN_MAX_STREAMS;
	plan->stream_count = plan->streams_wanted ? plan->streams_wanted : choose(plan, device);
	if (plan->stream_count > plan->max_streams)
		plan->stream_count = plan->max_streams;
}
