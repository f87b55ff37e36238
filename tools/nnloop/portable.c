// SPDX-License-Identifier: MIT
/*
 * Operators that a DSP has no vectors for and runs in portable C, which is many times as slow: the
 * sentence about them that info, plan and bench print.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

/* Nodes of one operator that run in portable C. */
struct kind {
	const char *op;
	uint32_t count;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct kind *)a)->op, ((const struct kind *)b)->op);
}

static int compare_counts(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) :
				      strcmp(x->op, y->op);
}

/* Puts the nodes of one operator together. Returns how many operators there are. */
static uint32_t join(struct kind *kinds, uint32_t count)
{
	uint32_t last = 0;

	if (!count)
		return 0;
	qsort(kinds, count, sizeof(*kinds), compare_names);
	for (uint32_t i = 1; i < count; i++) {
		if (strcmp(kinds[i].op, kinds[last].op))
			kinds[++last] = kinds[i];
		else
			kinds[last].count++;
	}
	qsort(kinds, last + 1, sizeof(*kinds), compare_counts);
	return last + 1;
}

static void print_sentence(const char *before, uint32_t on_device, const struct kind *kinds,
			   uint32_t count)
{
	uint32_t portable = 0;

	for (uint32_t i = 0; i < count; i++)
		portable += kinds[i].count;
	printf("%s%u of %u operator%s run%s in portable C on the DSP", before, portable, on_device,
	       on_device == 1 ? "" : "s", portable == 1 || on_device == 1 ? "s" : "");
	for (uint32_t i = 0; i < count; i++)
		printf("%s %s (%u)", i ? "," : ":", kinds[i].op, kinds[i].count);
	putchar('\n');
}

/* Prints how much of a full pass is of float32, which a quantized model would not be. */
static void print_floats(const char *before, const struct nn_plan_info *plan)
{
	if (!plan->float_ops)
		return;
	printf("%s%u operator%s compute%s in float32", before, plan->float_ops,
	       plan->float_ops == 1 ? "" : "s", plan->float_ops == 1 ? "s" : "");
	if (plan->float_macs)
		printf(", with %" PRIu64 " of %" PRIu64 " multiplications", plan->float_macs,
		       plan->macs);
	printf(": some %" PRIu64 " packets of the DSP in a full pass; quantized to 8 bits they take a "
	       "small part of that\n", plan->float_packets);
}

int print_portable(const struct nn_graph *graph, const char *before)
{
	uint32_t portable = 0, on_device = 0;
	struct nn_plan_info plan;
	struct kind *kinds;

	if (nn_graph_get_plan(graph, &plan))
		return fail_graph(graph);
	kinds = calloc(plan.node_count + 1, sizeof(*kinds));
	if (!kinds)
		return fail("out of memory");
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node)) {
			free(kinds);
			return fail_graph(graph);
		}
		/* The rows of some loops are made by the device, too. */
		on_device += node.runs_on == NN_RUNS_DEVICE || node.flags & NN_NODE_FLAG_PORTABLE;
		if (node.flags & NN_NODE_FLAG_PORTABLE)
			kinds[portable++] = (struct kind) { node.op, 1 };
	}
	if (on_device)
		print_sentence(before, on_device, kinds, join(kinds, portable));
	print_floats(before, &plan);
	free(kinds);
	return 0;
}
