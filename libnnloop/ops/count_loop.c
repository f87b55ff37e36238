// SPDX-License-Identifier: MIT
/*
 * CountLoop: a loop-control node that only counts. Each output goes round the rows of its input.
 *
 * With counted=1 input 0 says how many rows there are in all, and the loop has no iteration where that
 * is 0.
 *
 * docs/operators.md:
 * | `CountLoop` | 1 or more, levels may mix; with `counted` the total before them: int32, int64 or
 * bool, one element | `current` (1 with `counted`), `total` (both required without); `counted` (0);
 * `most` (required with it): the greatest total; `squeeze` (0); `owner` (0) | output i: `current`
 * rows of the loop's level; row r of a pass is row (prev_batches + r) mod B of input i, which has B
 * rows; with `squeeze` that row without dimension 0 |
 */
#include "ops/support/emit.h"
#include "ops/support/handing.h"
#include "ops/support/owner.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static bool is_counted(const struct nn_node *node)
{
	return nn_node_get_attr_int(node, "counted", 0);
}

bool nn_loop_is_counted(const struct nn_node *lcn)
{
	return lcn->op == &nn_op_count_loop && lcn->looks_at_data;
}

int64_t nn_total_read(const struct nn_value *value, const void *data)
{
	int64_t number;
	int32_t word;

	if (value->info.type == NN_INT64) {
		memcpy(&number, data, sizeof(number));
		return number;
	}
	if (value->info.type == NN_INT32) {
		memcpy(&word, data, sizeof(word));
		return word;
	}
	return *(const uint8_t *)data != 0;
}

/* Rows of all iterations, the last of which may have more than are left. */
static uint64_t count_rows(int64_t current, int64_t total)
{
	if (total <= current)
		return current;
	if (!current)
		return NN_ROWS_UNKNOWN;
	return (total + current - 1) / current * current;
}

static int check_counted(struct nn_node *node, int64_t current)
{
	const struct nn_tensor_info *total = &node->inputs[0]->info;
	int64_t most = nn_node_get_attr_int(node, "most", -1);

	if (nn_node_get_attr(node, "total"))
		return nn_node_fail(node, -EINVAL, "has a total, but input 0 says it with counted");
	if (current < 1 || current > UINT32_MAX || most < 0 || most > UINT32_MAX)
		return nn_node_fail(node, -EINVAL,
				    "needs most, from 0 to %u, and current, from 1 on", UINT32_MAX);
	if (nn_node_get_attr_int(node, "owner", 0))
		return nn_node_fail(node, -EINVAL, "cannot have an owner output with counted");
	if ((total->type != NN_INT32 && total->type != NN_INT64 && total->type != NN_BOOL) ||
	    !nn_info_is_single(total))
		return nn_node_fail(node, -EINVAL,
				    "needs a total of one element, int32, int64 or bool");
	node->looks_at_data = node->may_skip = true;
	node->most_trips = (most + current - 1) / current;
	node->most_rows = node->most_trips * current;
	return 0;
}

static int check_count_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	bool counted = is_counted(node);
	int64_t current = nn_node_get_attr_int(node, "current", counted ? 1 : -1),
		total = nn_node_get_attr_int(node, "total", -1);
	int error;

	(void)graph;
	(void)opaque;
	if (counted) {
		error = check_counted(node, current);
		if (error)
			return error;
	} else if (nn_node_get_attr(node, "most")) {
		return nn_node_fail(node, -EINVAL, "most goes with counted");
	} else if (current < 0 || current > UINT32_MAX || total < 0 || total > UINT32_MAX) {
		return nn_node_fail(node, -EINVAL, "needs current and total, from 0 to %u",
				    UINT32_MAX);
	} else {
		node->total_rows = count_rows(current, total);
		node->most_trips = current ? node->total_rows / current : 1;
		node->trips = current ? node->most_trips : 0;
		node->same_rows = true;
	}
	if (current != 1 && nn_node_get_attr_int(node, "squeeze", 0))
		return nn_node_fail(node, -EINVAL, "needs current=1 for squeeze");
	error = nn_hand_out_set(node, counted);
	if (error)
		return error;
	error = nn_owner_set(node);
	if (error)
		return error;
	return nn_node_set_max_rows(node, current);
}

int nn_count_loop_fail(struct nn_node *node, int64_t total)
{
	return nn_node_fail(node, -ERANGE,
			    "the total of the loop is %" PRId64
			    ", which is not from 0 to most=%" PRId64,
			    total, nn_node_get_attr_int(node, "most", 0));
}

/* The total that input 0 has. */
static int read_total(struct nn_graph *graph, struct nn_node *node, int64_t *total)
{
	const void *data = nn_graph_locate(graph, node->inputs[0]);
	int64_t most = nn_node_get_attr_int(node, "most", 0);

	if (!data)
		return nn_node_fail(node, -EOPNOTSUPP, "cannot look at its total");
	*total = nn_total_read(node->inputs[0], data);
	if (*total < 0 || *total > most)
		return nn_count_loop_fail(node, *total);
	return 0;
}

static int execute_count_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_loopcounts *counts = nn_loopstack_get_counts(graph);
	int64_t total = counts->total_batches;
	int error;

	(void)opaque;
	if (!is_counted(node))
		return nn_loopstack_push(graph, node, nn_node_get_attr_int(node, "current", 0),
					 nn_node_get_attr_int(node, "total", 0));
	if (!counts->itercount) {
		error = read_total(graph, node, &total);
		if (error)
			return error;
		if (!total) {
			nn_loop_skip(graph);
			return 0;
		}
	}
	return nn_loopstack_push(graph, node, nn_node_get_attr_int(node, "current", 1), total);
}

static int lower_count_loop(struct nn_lowering *lowering, struct nn_node *node)
{
	int error = nn_hand_out_lower(lowering, node, is_counted(node));

	return error || is_counted(node) ? error : nn_owner_lower(lowering, node);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "current", .type = NN_ATTR_INT },
	{ .name = "total", .type = NN_ATTR_INT },
	{ .name = "counted", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "most", .type = NN_ATTR_INT },
	{ .name = "squeeze", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "owner", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_count_loop = {
	.name = "CountLoop",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC | NN_OP_BODY | NN_OP_MIXED_LEVELS |
		 NN_OP_LOOKS_ONCE,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.check = check_count_loop,
	.execute = execute_count_loop,
	.lower = lower_count_loop,
};
