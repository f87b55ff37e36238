// SPDX-License-Identifier: MIT
/*
 * Preparing: a plan with its passes and its memory.
 */
#include "prepare.h"

#include <errno.h>

#include "plan/bind.h"
#include "walk.h"

int nn_prepare_plan(struct nn_graph *graph, struct nn_device *device, uint32_t flags, uint32_t step,
		    uint32_t streams, const uint32_t *input_rows, const struct nn_plan *earlier,
		    struct nn_plan **result)
{
	struct nn_plan *plan;
	int error;

	error = nn_plan_create(graph, flags, step, input_rows, earlier, &plan);
	if (error)
		return error;
	nn_plan_walk(plan);
	plan->streams_wanted = streams;
	nn_plan_choose_streams(plan, device);
	if (device)
		error = nn_plan_bind(plan, device, earlier ? earlier->binding : NULL);
	if (error) {
		nn_plan_destroy(plan);
		return error;
	}
	*result = plan;
	return 0;
}

int nn_graph_prepare(struct nn_graph *graph, struct nn_device *device,
		     const struct nn_prepare_options *options)
{
	static const struct nn_prepare_options defaults;
	struct nn_plan *plan;
	int error;

	if (!options)
		options = &defaults;
	nn_graph_lock(graph);
	error = -EINVAL;
	if (options->flags &
	    ~(NN_PREPARE_NO_OPTIMIZE | NN_PREPARE_PROFILE | NN_PREPARE_ALL_TENSORS)) {
		nn_graph_fail(graph, NULL, error, "unknown flags 0x%x", options->flags);
		goto unlock;
	}
	if (options->input_rows && options->input_count != nn_graph_get_input_count(graph)) {
		nn_graph_fail(graph, NULL, error,
			      "row counts are given for %u inputs, but the graph has %u",
			      options->input_count, nn_graph_get_input_count(graph));
		goto unlock;
	}
	if (options->streams > NN_MAX_STREAMS) {
		nn_graph_fail(graph, NULL, error, "%u streams are wanted, and there can be %u",
			      options->streams, NN_MAX_STREAMS);
		goto unlock;
	}
	/* What the graph had needs room until the new plan is made, but no more than it must. */
	nn_plan_release_streams(graph->plan);
	error = nn_prepare_plan(graph, device, options->flags, options->step, options->streams,
				options->input_rows, NULL, &plan);
	if (error)
		goto unlock;
	nn_plan_destroy(graph->plan);
	graph->plan = plan;
unlock:
	nn_graph_unlock(graph);
	return error;
}
