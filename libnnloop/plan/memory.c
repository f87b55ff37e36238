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

#include "arena.h"

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
	/* What has channels that are made before the rest. */
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

/* What keeps its elements has a place that nothing else ever gets. */
static int take_persistent(const struct nn_plan *plan, const uint64_t *rows, bool keep,
			   struct nn_arena *arena)
{
	uint64_t offset;
	uint32_t i, j;
	int error;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++) {
			if (!node->outputs[j].persistent)
				continue;
			error = nn_arena_take(arena, arena_size(&node->outputs[j], rows), &offset);
			if (error)
				return error;
			if (keep)
				node->outputs[j].offset = offset;
		}
	}
	return 0;
}

/* What has a place in the arena for some time, listed by when that begins. Returns how many. */
static uint32_t list_beginning(const struct nn_plan *plan, struct nn_value **beginning)
{
	uint32_t i, j, count = 0;

	/* From the end, because each becomes the first of its list. */
	for (i = plan->node_count; i-- > 0;) {
		for (j = count_values(plan->nodes[i]); j-- > 0;) {
			struct nn_value *value = value_at(plan->nodes[i], j);

			if (value->storage != NN_STORAGE_ARENA || value->persistent)
				continue;
			value->next = beginning[value->first_use];
			beginning[value->first_use] = value;
			count++;
		}
	}
	return count;
}

/* Lay out all values of the arena for these rows. Offsets are kept if `keep` is set. */
static int lay_out(const struct nn_plan *plan, const uint64_t *rows, bool keep, uint64_t *bytes)
{
	struct nn_value **beginning = calloc(plan->node_count + 1, sizeof(*beginning));
	struct nn_value **expiring = calloc(plan->node_count + 1, sizeof(*expiring));
	struct nn_arena *arena = nn_arena_create();
	uint64_t *offsets = NULL;
	uint32_t i, count;
	int error = -ENOMEM;

	if (!beginning || !expiring || !arena)
		goto free_lists;
	count = list_beginning(plan, beginning);
	offsets = calloc(count + 1, sizeof(*offsets));
	if (!offsets)
		goto free_lists;

	count = 0;
	error = take_persistent(plan, rows, keep, arena);
	if (error)
		goto free_lists;
	for (i = 0; i < plan->node_count; i++) {
		struct nn_value *value, *next;

		for (value = beginning[i]; value; value = next) {
			next = value->next;
			error = nn_arena_take(arena, arena_size(value, rows), &offsets[count]);
			if (error)
				goto free_lists;
			value->slot = count++;
			value->next = expiring[value->last_use];
			expiring[value->last_use] = value;
			if (keep)
				value->offset = offsets[value->slot];
		}
		for (value = expiring[i]; value; value = value->next) {
			error = nn_arena_give(arena, offsets[value->slot],
					      arena_size(value, rows));
			if (error)
				goto free_lists;
		}
	}
	*bytes = nn_arena_bytes(arena);
	error = 0;
free_lists:
	nn_arena_destroy(arena);
	free(offsets);
	free(expiring);
	free(beginning);
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
