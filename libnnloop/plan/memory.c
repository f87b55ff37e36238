// SPDX-License-Identifier: MIT
/*
 * Memory: where each tensor is.
 *
 * Renamed tensors, views of rows and channels of others are where their source is. What OUTPUT
 * takes is computed in the caller's buffer if it can be. Everything else is in the arena, where
 * tensors share memory if they are not alive at the same time. "Time" is the position in the list
 * of nodes. A loop runs its nodes again from its LCN on: what is made and read among them is computed
 * anew then. What they read and is made outside of them is alive until the last of them, so nothing
 * takes its place in any pass, and what a Collect fills is alive from the LCN on.
 */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>

#include "offsets.h"

#define ARENA_ALIGNMENT	128u

/* ---- Storage */

/*
 * Whether it is made where OUTPUT runs, in the same iterations. Those that count rows are made in
 * the partition that makes sure of the room for these.
 */
static bool is_made_for_output(const struct nn_plan *plan, const struct nn_value *value)
{
	const struct nn_node *node = value->node;

	return nn_node_is_lowered(node) && node->scope == plan->output->scope &&
	       (node->refs == plan->output->refs || !value->info.level);
}

/* Tensors that OUTPUT takes from the last partition are written where they are to end up. */
static void place_outputs(struct nn_plan *plan)
{
	uint32_t slot;

	for (slot = 0; slot < plan->output->input_count; slot++) {
		struct nn_value *root = nn_value_root(plan->output->inputs[slot]);

		if (root->storage != NN_STORAGE_NONE || nn_value_is_const(root) || root->persistent)
			continue;
		if (!is_made_for_output(plan, root))
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

/* Where the nodes of each scope are in the list. */
static void find_extents(struct nn_plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->scope_count; i++)
		plan->scopes[i].first = plan->scopes[i].last = UINT32_MAX;
	for (i = 0; i < plan->node_count; i++) {
		struct nn_scope *scope = plan->nodes[i]->runs_in;

		for (; scope; scope = scope->parent) {
			if (scope->first == UINT32_MAX)
				scope->first = i;
			scope->last = i;
		}
	}
}

/* Returns from which position on an output is alive: a loop's last iterations add to what its first
 * ones have collected. */
static uint32_t first_use(const struct nn_node *node, uint32_t position)
{
	if (nn_scope_has(node->scope, node->runs_in) && node->scope != node->runs_in)
		return nn_scope_below(node->scope, node->runs_in)->first;
	return position;
}

/* Returns the last position at which a node at `position` reads a value: if that is made outside of
 * loops that the node is in, these do not compute it anew. */
static uint32_t find_last_read(const struct nn_node *node, uint32_t position,
			       const struct nn_value *value)
{
	const struct nn_scope *made = value->node->scope;

	if (nn_value_is_const(value) || node->runs_in == made || !nn_scope_has(made, node->runs_in))
		return position;
	return nn_scope_below(made, node->runs_in)->last;
}

static void find_lifetimes(struct nn_plan *plan)
{
	uint32_t i, j;

	find_extents(plan);

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++) {
			node->outputs[j].first_use = first_use(node, i);
			extend_life(&node->outputs[j], i);
		}
		/* Their loop's later iterations do not compute them anew, and run all that comes
		 * behind. */
		for (j = 0; j < node->hidden_count; j++) {
			node->hidden[j].first_use = i;
			extend_life(&node->hidden[j], node->runs_in->last);
		}
		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j])
				extend_life(node->inputs[j],
					    find_last_read(node, i, node->inputs[j]));
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

/* `rows`: of each level; NULL: as many as the plan is for. */
static uint64_t arena_size(const struct nn_value *value, const uint64_t *rows)
{
	uint64_t count = value->info.dims[0], bytes;

	if (rows && value->info.level)
		count = rows[value->info.level];
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
	int error;

	place_outputs(plan);
	place_rest(plan);
	find_lifetimes(plan);
	error = lay_out(plan, NULL, true, &plan->arena_bytes);
	if (error == -EOVERFLOW || (!error && plan->arena_bytes > UINT32_MAX))
		return nn_graph_fail(plan->graph, NULL, -EOVERFLOW,
				     "the tensors need more memory than a device can address");
	return error ? nn_graph_no_memory(plan->graph) : 0;
}
