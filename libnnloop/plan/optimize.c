// SPDX-License-Identifier: MIT
/*
 * Optimizing: dead nodes go; what can be part of the operator before it becomes part of it, where
 * the result is the same to the last bit.
 *
 * Works on what the descriptions say, before anything is inferred. Fused nodes keep the id of the
 * node that computes.
 */
#include "plan.h"

#include "ops/ops.h"
#include "ops/support/activation.h"

static void mark_root(struct nn_node *node, struct nn_node **waiting, uint32_t *count)
{
	node->live = true;
	waiting[(*count)++] = node;
}

/* Marks what OUTPUT depends on: what it takes, what is assigned to a variable that something live
 * reads, and loops with what says whether they go on, because they say how often it is taken: one
 * that OUTPUT is not inside of is for the partitioner to refuse, not to be left out. */
static int mark_live(struct nn_plan *plan)
{
	struct nn_node **waiting = nn_pool_array(&plan->pool, plan->node_count, sizeof(*waiting));
	uint32_t i, count = 0;

	if (!waiting)
		return nn_graph_no_memory(plan->graph);
	/* Assigns to one variable are a list that begins at the variable. */
	for (i = plan->node_count; i-- > 0;) {
		struct nn_node *node = plan->nodes[i];

		if (nn_node_has(node, NN_OP_ASSIGNS)) {
			node->next_assign = node->inputs[0]->node->next_assign;
			node->inputs[0]->node->next_assign = node;
		}
		if (nn_node_is_lcn(node) || nn_node_has(node, NN_OP_CONTINUES))
			mark_root(node, waiting, &count);
	}

	mark_root(plan->output, waiting, &count);
	while (count) {
		struct nn_node *node = waiting[--count], *assign;

		for (i = 0; i < node->input_count; i++) {
			if (!node->inputs[i] || node->inputs[i]->node->live)
				continue;
			node->inputs[i]->node->live = true;
			waiting[count++] = node->inputs[i]->node;
		}
		if (!nn_node_has(node, NN_OP_STATE))
			continue;
		for (assign = node->next_assign; assign; assign = assign->next_assign) {
			if (assign->live)
				continue;
			assign->live = true;
			waiting[count++] = assign;
		}
	}
	return 0;
}

static void remove_dead(struct nn_plan *plan)
{
	uint32_t i, kept = 0;

	for (i = 0; i < plan->node_count; i++)
		if (plan->nodes[i]->live)
			plan->nodes[kept++] = plan->nodes[i];
	plan->node_count = kept;
}

static void remove_constants(struct nn_plan *plan)
{
	uint32_t i, kept = 0;

	for (i = 0; i < plan->node_count; i++)
		if (!nn_node_has(plan->nodes[i], NN_OP_CONST))
			plan->nodes[kept++] = plan->nodes[i];
	plan->node_count = kept;
}

/* While optimizing, last_use counts a value's users and base is the value that replaces it. */

static void count_users(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++)
		for (j = 0; j < plan->nodes[i]->input_count; j++)
			if (plan->nodes[i]->inputs[j])
				plan->nodes[i]->inputs[j]->last_use++;
}

static struct nn_value *replacement(struct nn_value *value)
{
	while (value->base)
		value = value->base;
	return value;
}

/* A clamp of float32 behind a convolution, which clamps its sums itself. */
static bool fuse_clamp(struct nn_node *producer, struct nn_node *node)
{
	struct nn_limits limits;

	if (producer->op != &nn_op_float_conv2d || node->op != &nn_op_float_each)
		return false;
	limits = node->op->get_limits(node);
	if (limits.min > limits.max)
		return false;
	nn_node_limit(producer, limits);
	return true;
}

/* An activation whose result has the quantization of its input only narrows the range that the
 * operator before it writes. */
static bool fuse_activation(struct nn_node *producer, struct nn_node *node)
{
	struct nn_tensor_info *before = &producer->outputs[0].info, *after = &node->outputs[0].info;
	struct nn_limits limits;

	if (!nn_node_has(producer, NN_OP_LIMITS) || !node->op->get_limits)
		return false;
	limits = node->op->get_limits(node);
	if (!nn_type_is_8bit(before->type) || limits.min > limits.max)
		return false;
	if (after->type && (after->type != before->type ||
			    (after->scale && (after->scale != before->scale ||
					      after->zero_point != before->zero_point))))
		return false;
	nn_node_limit(producer, limits);
	return true;
}

/* An accumulator that is requantized at once: the operator does it. */
static bool fuse_requantize(struct nn_node *producer, struct nn_node *node)
{
	struct nn_tensor_info *before = &producer->outputs[0].info, *after = &node->outputs[0].info;

	if (!nn_node_has(producer, NN_OP_ACCUMULATES) || !nn_node_has(node, NN_OP_REQUANTIZES) ||
	    before->type != NN_INT32)
		return false;
	/* A scale that contradicts input and weights would be lost. */
	if (before->scale || before->scales || !nn_type_is_8bit(after->type))
		return false;
	before->type = after->type;
	before->scale = after->scale;
	before->zero_point = after->zero_point;
	return true;
}

static void fuse(struct nn_plan *plan)
{
	uint32_t i, j, kept = 0;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];
		struct nn_value *before;

		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j])
				node->inputs[j] = replacement(node->inputs[j]);
		before = node->input_count ? node->inputs[0] : NULL;
		if (before && before->last_use == 1 && node->output_count &&
		    !node->outputs[0].info.rank &&
		    (fuse_requantize(before->node, node) || fuse_activation(before->node, node) ||
		     fuse_clamp(before->node, node))) {
			node->outputs[0].base = before;
			before->last_use = node->outputs[0].last_use;
			continue;
		}
		plan->nodes[kept++] = node;
	}
	plan->node_count = kept;
}

static void clear_scratch(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++)
		for (j = 0; j < plan->nodes[i]->output_count; j++) {
			plan->nodes[i]->outputs[j].last_use = 0;
			plan->nodes[i]->outputs[j].base = NULL;
		}
}

int nn_plan_optimize(struct nn_plan *plan)
{
	int error;

	if (!(plan->flags & NN_PREPARE_NO_OPTIMIZE)) {
		error = mark_live(plan);
		if (error)
			return error;
		remove_dead(plan);
		count_users(plan);
		fuse(plan);
		clear_scratch(plan);
	}
	remove_constants(plan);
	return 0;
}
