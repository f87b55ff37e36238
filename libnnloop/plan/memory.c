// SPDX-License-Identifier: MIT
/*
 * Memory: where each tensor is.
 *
 * Renamed tensors, views of rows and channels of others are where their source is. What OUTPUT
 * takes is computed in the caller's buffer if it can be. Everything else is in the arena, where
 * tensors share memory if they are not alive at the same time. "Time" is the position in the list
 * of nodes. A loop runs a partition again from its LCN on: what is alive within one partition only
 * is computed anew then, and what crosses a boundary is an input of the Sink, at the end of the
 * list, so nothing takes its place in any pass.
 */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>

#include "offsets.h"

#define ARENA_ALIGNMENT	128u

/* ---- Storage */

/* Tensors that OUTPUT takes from the last partition are written where they are to end up. */
static void place_outputs(struct nn_plan *plan)
{
	uint32_t slot;

	for (slot = 0; slot < plan->output->input_count; slot++) {
		struct nn_value *root = nn_value_root(plan->output->inputs[slot]);

		if (root->storage != NN_STORAGE_NONE || nn_value_is_const(root) || root->persistent)
			continue;
		if (root->node->refs != plan->lcn_count || !nn_node_is_lowered(root->node))
			continue;
		root->storage = NN_STORAGE_OUTPUT;
		root->slot = slot;
	}
}

/* Outputs, then hidden values. */
static uint32_t count_values(const struct nn_node *node)
{
	return node->output_count + node->hidden_count;
}

static struct nn_value *value_at(const struct nn_node *node, uint32_t index)
{
	return index < node->output_count ? &node->outputs[index]
					  : &node->hidden[index - node->output_count];
}

static void place_rest(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		node->order = i;
		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j] && nn_value_is_const(nn_value_root(node->inputs[j])))
				nn_value_root(node->inputs[j])->storage = NN_STORAGE_CONST;
		for (j = 0; j < count_values(node); j++)
			if (value_at(node, j)->storage == NN_STORAGE_NONE)
				value_at(node, j)->storage = NN_STORAGE_ARENA;
	}
}

/* ---- Lifetimes */

/* A value, and what it is a name, a view or channels of, is needed at `position`. Chains are short:
 * aliases are made of roots, views by LCNs, of values that can be aliases. */
static void extend_life(struct nn_value *value, uint32_t position)
{
	for (;;) {
		if (position > value->last_use)
			value->last_use = position;
		if (value->storage != NN_STORAGE_ALIAS && value->storage != NN_STORAGE_VIEW &&
		    value->storage != NN_STORAGE_CHANNELS)
			return;
		value = value->base;
	}
}

static void find_lifetimes(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++) {
			node->outputs[j].first_use = i;
			extend_life(&node->outputs[j], i);
		}
		/* Their loop's later iterations do not compute them anew, and run all that comes
		 * behind. */
		for (j = 0; j < node->hidden_count; j++) {
			node->hidden[j].first_use = i;
			node->hidden[j].last_use = plan->node_count - 1;
		}
		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j])
				extend_life(node->inputs[j], i);
	}
	/* A value whose channels are made before the rest is alive from the first of them on. */
	for (i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++)
			if (node->outputs[j].storage == NN_STORAGE_CHANNELS &&
			    node->outputs[j].base->first_use > i)
				node->outputs[j].base->first_use = i;
	}
}

/* ---- The arena */

static uint64_t arena_size(const struct nn_value *value, const uint64_t *rows)
{
	uint64_t count = value->info.level ? rows[value->info.level] : value->info.dims[0], bytes;

	if (__builtin_mul_overflow(count, nn_info_row_bytes(&value->info), &bytes) ||
	    bytes > UINT64_MAX / 2)
		return UINT64_MAX / 2;
	return (bytes + ARENA_ALIGNMENT - 1) & ~(uint64_t)(ARENA_ALIGNMENT - 1);
}

/* Lists the values of the arena, of those that keep their elements or the others, from `count` on. */
static uint32_t list_values(const struct nn_plan *plan, bool persistent, struct nn_value **values,
			    uint32_t count)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		for (j = 0; j < count_values(plan->nodes[i]); j++) {
			struct nn_value *value = value_at(plan->nodes[i], j);

			if (value->storage == NN_STORAGE_ARENA && value->persistent == persistent)
				values[count++] = value;
		}
	}
	return count;
}

/*
 * Returns a value's lifetime: one that keeps its elements has memory that nothing else ever gets.
 */
static struct nn_lifetime lifetime_of(const struct nn_value *value, const uint64_t *rows)
{
	return (struct nn_lifetime){
		.size = arena_size(value, rows),
		.first_use = value->persistent ? 0 : value->first_use,
		.last_use = value->persistent ? UINT32_MAX : value->last_use,
	};
}

/* Lay out all values of the arena for these rows. Offsets are kept if `keep` is set. */
static int lay_out(const struct nn_plan *plan, const uint64_t *rows, bool keep, uint64_t *bytes)
{
	struct nn_lifetime *blocks;
	struct nn_value **values;
	uint32_t i, count = 0;
	int error = -ENOMEM;

	for (i = 0; i < plan->node_count; i++)
		count += count_values(plan->nodes[i]);
	values = calloc((size_t)count + 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	/* Values that keep their elements come first, so where they are depends on no others. */
	count = list_values(plan, true, values, 0);
	count = list_values(plan, false, values, count);
	blocks = calloc((size_t)count + 1, sizeof(*blocks));
	if (!blocks)
		goto free_values;
	for (i = 0; i < count; i++)
		blocks[i] = lifetime_of(values[i], rows);
	error = nn_assign_offsets(blocks, count, bytes);
	for (i = 0; i < count && keep && !error; i++)
		values[i]->offset = blocks[i].offset;
	free(blocks);
free_values:
	free(values);
	return error;
}

uint64_t nn_plan_arena_bytes(const struct nn_plan *plan, const uint64_t *rows)
{
	uint64_t bytes;

	return lay_out(plan, rows, false, &bytes) ? 0 : bytes;
}

int nn_plan_memory(struct nn_plan *plan)
{
	uint64_t rows[NN_MAX_LOOPSTACK + 1];
	uint32_t i;
	int error;

	place_outputs(plan);
	place_rest(plan);
	find_lifetimes(plan);
	for (i = 0; i <= NN_MAX_LOOPSTACK; i++)
		rows[i] = plan->max_rows[i];
	error = lay_out(plan, rows, true, &plan->arena_bytes);
	if (error == -EOVERFLOW || (!error && plan->arena_bytes > UINT32_MAX))
		return nn_graph_fail(plan->graph, NULL, -EOVERFLOW,
				     "the tensors need more memory than a device can address");
	return error ? nn_graph_no_memory(plan->graph) : 0;
}
