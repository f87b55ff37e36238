// SPDX-License-Identifier: MIT
/*
 * Preparing: a plan with its passes and its memory.
 */
#include "prepare.h"

#include <errno.h>

#include "base/sized.h"
#include "plan/bind.h"
#include "walk.h"

int nn_prepare_plan(struct nn_graph *graph, struct nn_device *device,
		    const struct nn_prepare_options *options, const struct nn_plan *earlier,
		    struct nn_plan **result)
{
	struct nn_plan *plan;
	int error;

	error = nn_plan_create(graph, options->flags, options->step, options->input_rows, earlier,
			       &plan);
	if (error)
		return error;
	nn_plan_walk(plan);
	plan->streams_wanted = options->streams;
	plan->workers_wanted = options->workers;
	nn_plan_choose_streams(plan, device);
	nn_plan_choose_workers(plan, device);
	if (device)
		error = nn_plan_bind(plan, device, earlier ? earlier->binding : NULL);
	if (error) {
		nn_plan_destroy(plan);
		return error;
	}
	*result = plan;
	return 0;
}

int nn_graph_prepare_sized(struct nn_graph *graph, struct nn_device *device,
			   const struct nn_prepare_options *theirs, size_t size)
{
	struct nn_prepare_options options = { 0 };
	struct nn_plan *plan;
	int error;

	nn_graph_lock(graph);
	if (theirs && !nn_sized_take(&options, sizeof(options), theirs, size)) {
		error = nn_graph_fail_newer(graph, "struct nn_prepare_options");
		goto unlock;
	}
	error = -EINVAL;
	if (options.flags &
	    ~(NN_PREPARE_NO_OPTIMIZE | NN_PREPARE_PROFILE | NN_PREPARE_ALL_TENSORS)) {
		nn_graph_fail(graph, NULL, error, "unknown flags 0x%x", options.flags);
		goto unlock;
	}
	if (options.input_rows && options.input_count != nn_graph_get_input_count(graph)) {
		nn_graph_fail(graph, NULL, error,
			      "row counts are given for %u inputs, but the graph has %u",
			      options.input_count, nn_graph_get_input_count(graph));
		goto unlock;
	}
	if (options.streams > NN_MAX_STREAMS) {
		nn_graph_fail(graph, NULL, error, "%u streams are wanted, and there can be %u",
			      options.streams, NN_MAX_STREAMS);
		goto unlock;
	}
	if (options.workers > NN_MAX_PASS_WORKERS) {
		nn_graph_fail(graph, NULL, error, "%u workers are wanted, and there can be %u",
			      options.workers, NN_MAX_PASS_WORKERS);
		goto unlock;
	}
	/* The graph's old plan needs room until the new one is made, but no more than it must. */
	nn_plan_release_streams(graph->plan);
	error = nn_prepare_plan(graph, device, &options, NULL, &plan);
	if (error)
		goto unlock;
	nn_plan_destroy(graph->plan);
	graph->plan = plan;
unlock:
	nn_graph_unlock(graph);
	return error;
}
