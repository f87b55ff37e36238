// SPDX-License-Identifier: MIT
/*
 * Functions of one element that are written as operators of two: x * sigmoid(x), x * hard
 * sigmoid(x), and whatever else takes a tensor and a table of it, or two tables of it. An 8-bit
 * element has 256 values, so the result is a table of x as well, and the same to the last bit:
 * portable kernels say what it has, for each value. What nobody else reads of the tables before
 * it goes.
 *
 *	x -> TABLE -> BINARY -> y   x -> TABLE -> y
 *	  ------------^
 *
 * Which operators are tables is seen by what they are lowered to, in a program of their own.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "ops/support/compute.h"

#define VALUES 256u

/* A node that is lowered by itself, with its constants. */
struct lowered {
	struct nn_constants constants;
	struct nn_lowering lowering;
};

static int lower_merged(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	void *data;
	int error, table = nn_lower_constant(lowering, NN_TYPE_UINT8, VALUES, &data);

	if (table < 0)
		return table;
	if (data)
		memcpy(data, node->state, VALUES);
	error = nn_lower_unary(lowering, node, NN_OPCODE_TABLE, node->inputs[0], &node->outputs[0],
			       &op);
	if (!error)
		op->input[1] = table;
	return error;
}

static const struct nn_op merged = {
	.name = "Table",
	.flags = NN_OP_INTERNAL,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.lower = lower_merged,
};

static bool is_alike(const struct nn_value *a, const struct nn_value *b)
{
	return nn_type_is_8bit(a->info.type) && nn_type_is_8bit(b->info.type) &&
	       a->info.level == b->info.level && a->info.rank == b->info.rank &&
	       !memcmp(a->info.dims, b->info.dims, a->info.rank * sizeof(*a->info.dims));
}

/* The value that a value may be a function of, in the same pass; NULL: there is none. */
static struct nn_value *source_of(const struct nn_node *user, const struct nn_value *value)
{
	const struct nn_node *node = value->node;

	if (node->output_count != 1 || !node->input_count || !node->inputs[0] ||
	    node->runs_on != NN_RUNS_DEVICE || node->refs != user->refs || nn_node_is_lcn(node) ||
	    !nn_node_is_lowered(node) || !is_alike(value, node->inputs[0]))
		return NULL;
	return node->inputs[0];
}

/*
 * The value that both inputs of a node may be functions of, one of them maybe that itself. What a
 * variable keeps may be another one when the node comes to it.
 */
static struct nn_value *find_base(const struct nn_node *node)
{
	struct nn_value *a = node->inputs[0], *b = node->inputs[1], *base = NULL;

	if (!a || !b || !is_alike(a, b) || !is_alike(a, &node->outputs[0]))
		return NULL;
	if (a == b || source_of(node, b) == a)
		base = a;
	else if (source_of(node, a) == b || source_of(node, a) == source_of(node, b))
		base = source_of(node, a);
	if (!base || nn_value_is_const(base) ||
	    nn_node_has(nn_value_root(base)->node, NN_OP_STATE))
		return NULL;
	return base;
}

/*
 * Lowers a copy of a node, whose tensors are anywhere: nothing of the plan knows that. True if that
 * is a single operator.
 */
static int lower_copy(struct nn_plan *plan, const struct nn_node *node, struct lowered *to,
		      bool *is_one)
{
	struct nn_value values[2], output = node->outputs[0], *inputs[2] = { 0 };
	struct nn_node copy = *node;
	int error;

	*is_one = false;
	*to = (struct lowered){ .lowering = { .graph = plan->graph, .number = 1 } };
	to->lowering.constants = &to->constants;
	if (node->input_count > 2)
		return 0;
	for (uint32_t i = 0; i < node->input_count; i++) {
		if (!node->inputs[i])
			continue;
		values[i] = *node->inputs[i];
		values[i].storage = nn_value_is_const(&values[i]) ? NN_STORAGE_CONST :
								    NN_STORAGE_ARENA;
		values[i].base = NULL;
		values[i].stored = false;
		values[i].program = 0;
		inputs[i] = &values[i];
	}
	/* One tensor has one number. */
	if (node->input_count == 2 && node->inputs[0] == node->inputs[1])
		inputs[1] = inputs[0];
	output.storage = NN_STORAGE_ARENA;
	output.base = NULL;
	output.program = 0;
	copy.inputs = inputs;
	copy.outputs = &output;
	error = node->op->lower(&to->lowering, &copy);
	*is_one = !error && to->lowering.op_count == 1;
	return error;
}

static void free_lowered(struct lowered *lowered)
{
	free(lowered->lowering.tensors);
	free(lowered->lowering.ops);
	nn_pool_free(&lowered->constants.pool);
}

/* The bytes of the table that operator 0 looks up; NULL: it is none. */
static const uint8_t *find_table(const struct lowered *lowered)
{
	const struct nn_program_op *op = lowered->lowering.ops;
	const struct nn_program_tensor *table;

	if (op->opcode != NN_OPCODE_TABLE)
		return NULL;
	table = &lowered->lowering.tensors[op->input[1]];
	for (const struct nn_constant *at = lowered->constants.first; at; at = at->next) {
		if (at->offset == table->offset)
			return at->data;
	}
	return NULL;
}

/* Gives the results of a value for each of the base's. False in *known: it is no table of it. */
static int find_function(struct nn_plan *plan, const struct nn_value *value,
			 const struct nn_value *base, uint8_t *results, bool *known)
{
	const uint8_t *table = NULL;
	struct lowered lowered;
	int error;

	*known = value == base;
	for (uint32_t i = 0; i < VALUES && *known; i++)
		results[i] = i;
	if (*known)
		return 0;
	error = lower_copy(plan, value->node, &lowered, known);
	if (*known)
		table = find_table(&lowered);
	*known = table;
	if (table)
		memcpy(results, table, VALUES);
	free_lowered(&lowered);
	return error;
}

/* Makes a table of a node that is one. */
static int merge(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_value *base = find_base(node);
	uint8_t inputs[2][VALUES], *results;
	struct lowered lowered;
	bool known = base;
	int error = 0;

	for (uint32_t i = 0; i < 2 && known && !error; i++)
		error = find_function(plan, node->inputs[i], base, inputs[i], &known);
	if (error || !known)
		return error;
	results = nn_pool_alloc(&plan->pool, VALUES);
	if (!results)
		return nn_graph_no_memory(plan->graph);
	error = lower_copy(plan, node, &lowered, &known);
	known = known && nn_compute_two(lowered.lowering.ops, lowered.lowering.tensors, inputs[0],
				       inputs[1], results, VALUES);
	free_lowered(&lowered);
	if (error || !known)
		return error;
	node->op = &merged;
	node->state = results;
	node->inputs[0] = base;
	node->input_count = 1;
	node->may_overwrite = node->may_read_strided = 1;
	node->may_be_strided = true;
	node->gathers = 0;
	node->scatters = false;
	return 0;
}

/* Removes nodes that made a table for another one, which are marked, and are read no more. */
static void remove_unread(struct nn_plan *plan)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		for (uint32_t j = 0; j < plan->nodes[i]->input_count; j++)
			if (plan->nodes[i]->inputs[j])
				plan->nodes[i]->inputs[j]->last_use++;
	}
	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		if (!node->live || node->outputs[0].last_use)
			plan->nodes[kept++] = node;
		for (uint32_t j = 0; j < node->output_count; j++)
			node->outputs[j].last_use = 0;
	}
	plan->node_count = kept;
}

int nn_plan_merge_functions(struct nn_plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		plan->nodes[i]->live = false;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];
		struct nn_value *before[2];
		int error;

		if (node->input_count != 2 || node->output_count != 1 || nn_node_is_lcn(node) ||
		    node->runs_on != NN_RUNS_DEVICE || !nn_node_is_lowered(node))
			continue;
		memcpy(before, node->inputs, sizeof(before));
		error = merge(plan, node);
		if (error)
			return error;
		for (uint32_t j = 0; j < 2 && node->op == &merged; j++)
			if (before[j] && before[j] != node->inputs[0])
				before[j]->node->live = true;
	}
	remove_unread(plan);
	return 0;
}
