// SPDX-License-Identifier: MIT
/*
 * Measures what each layer costs: the outputs' noise when it is the only one that is quantized. Noise of
 * different layers is taken to add up, so that a layer's cost is what the SQNR would gain if it
 * stayed in float.
 *
 * A layer is a node, with the clamp behind it that its range does, or the nodes of one function. What
 * only moves elements has no cost of its own.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantize/quantizer.h"

#define FIRST_EXAMPLES 1 /* each layer is run on */
#define MOST_EXAMPLES 4 /* those are run on again that may cost most, */
#define AGAIN 6 /* so many of them, and with a budget also */
#define NEAR_BUDGET 0.25 /* those that cost this part of it */

/* ---- Layers ---- */

static uint32_t find(const struct nn_quantizer *quantizer, uint32_t node)
{
	while (quantizer->nodes[node].layer != node)
		node = quantizer->nodes[node].layer;
	return node;
}

/* The layer of both begins with the earlier one. */
static void join(struct nn_quantizer *quantizer, uint32_t a, uint32_t b)
{
	uint32_t first = find(quantizer, a), second = find(quantizer, b);

	if (first < second)
		quantizer->nodes[second].layer = first;
	else
		quantizer->nodes[first].layer = second;
}

/* Numbers the layers of the plan by their first nodes. */
static void find_layers(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++)
		quantizer->nodes[i].layer = i;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];

		for (size_t k = 0; k < node->proto->n_input && node->is_quantized; k++) {
			const struct quantizer_tensor *tensor =
				node->inputs[k] == NO_TENSOR ? NULL : &quantizer->tensors[node->inputs[k]];

			if (tensor && tensor->producer && (tensor->is_inner || (node->is_merged && !k)))
				join(quantizer, i, tensor->producer - quantizer->nodes);
		}
	}
	for (uint32_t i = 0; i < quantizer->node_count; i++)
		quantizer->nodes[i].layer = find(quantizer, i);
}

static bool is_measured(const struct quantizer_node *node, uint32_t index)
{
	return node->layer == index && node->is_quantized && node->role != QUANTIZER_MOVE;
}

/* ---- Noise ---- */

/* The outputs' noise with the nodes quantized that are not kept; *noise is 0 if nnloop refuses that. */
static int measure(struct nn_quantizer *quantizer, uint32_t examples, double *noise)
{
	struct nn_quantized_output *outputs =
		calloc(quantizer->model->graph->n_output + 1, sizeof(*outputs));
	uint8_t *bytes = NULL;
	size_t size;
	int err = outputs ? quantizer_plan(quantizer) : quantizer_no_memory(quantizer);

	*noise = 0;
	if (!err)
		err = quantizer_set_scales(quantizer);
	if (!err)
		err = quantizer_write(quantizer, &bytes, &size);
	if (!err)
		err = quantizer_measure(quantizer, bytes, size, examples, outputs, NULL, noise);
	if (!err)
		*noise = pow(10, -*noise / 10);
	free(bytes);
	free(outputs);
	return err == -EOPNOTSUPP ? 0 : err;
}

/* Whether each node is quantized and what is said of it, while others are tried. */
struct kept {
	bool is_quantized, is_kept;
	const char *reason;
};

/* The state of nodes before, the layers to measure, and how many of all that there are were. */
struct measuring {
	const struct kept *kept;
	bool *wanted, *again;
	uint32_t done, count;
};

/* Measures one layer after the other. */
static int measure_all(struct nn_quantizer *quantizer, struct measuring *measuring,
		       const bool *wanted, uint32_t examples)
{
	int err = 0;

	for (uint32_t i = 0; i < quantizer->node_count && !err; i++) {
		struct quantizer_node *layer = &quantizer->nodes[i];

		if (!wanted[i])
			continue;
		for (uint32_t k = 0; k < quantizer->node_count; k++) {
			struct quantizer_node *node = &quantizer->nodes[k];

			node->is_kept = !measuring->kept[k].is_quantized || node->layer != i;
			node->reason = "";
		}
		err = measure(quantizer, examples, &layer->noise);
		if (quantizer->progress)
			quantizer->progress(++measuring->done, measuring->count,
					    quantizer->progress_opaque);
	}
	return err;
}

static void set_costs(struct nn_quantizer *quantizer, const bool *wanted)
{
	double sum = 0;

	for (uint32_t i = 0; i < quantizer->node_count; i++)
		sum += wanted[i] ? quantizer->nodes[i].noise : 0;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];
		double others = sum - node->noise;

		if (wanted[i] && node->noise > 0)
			node->cost = others > 0 ? 10 * log10(sum / others) : INFINITY;
	}
}

/* Finds the layers that one example does not tell enough of. */
static void find_again(struct nn_quantizer *quantizer, struct measuring *measuring, float budget)
{
	uint32_t count = quantizer->example_count > FIRST_EXAMPLES ? AGAIN : 0;

	for (uint32_t i = 0; i < quantizer->node_count && count; i++)
		measuring->again[i] = measuring->wanted[i] && budget > 0 &&
				      quantizer->nodes[i].cost > budget * NEAR_BUDGET;
	for (; count; count--) {
		uint32_t most = quantizer->node_count;

		for (uint32_t i = 0; i < quantizer->node_count; i++) {
			if (measuring->wanted[i] && !measuring->again[i] &&
			    (most == quantizer->node_count ||
			     quantizer->nodes[i].noise > quantizer->nodes[most].noise))
				most = i;
		}
		if (most == quantizer->node_count)
			break;
		measuring->again[most] = true;
	}
	measuring->count = measuring->done;
	for (uint32_t i = 0; i < quantizer->node_count; i++)
		measuring->count += measuring->again[i];
}

/* Measures all layers on one example, and those on more that may cost most. */
static int measure_twice(struct nn_quantizer *quantizer, struct measuring *measuring, float budget)
{
	int err;

	measuring->count += quantizer->example_count > FIRST_EXAMPLES ? AGAIN : 0;
	err = measure_all(quantizer, measuring, measuring->wanted, FIRST_EXAMPLES);

	if (err)
		return err;
	set_costs(quantizer, measuring->wanted);
	find_again(quantizer, measuring, budget);
	err = measure_all(quantizer, measuring, measuring->again, MOST_EXAMPLES);
	if (!err)
		set_costs(quantizer, measuring->wanted);
	return err;
}

int quantizer_measure_layers(struct nn_quantizer *quantizer, float budget)
{
	struct kept *kept = calloc(quantizer->node_count + 1, sizeof(*kept));
	struct measuring measuring = {
		.kept = kept,
		.wanted = calloc(quantizer->node_count + 1, sizeof(*measuring.wanted)),
		.again = calloc(quantizer->node_count + 1, sizeof(*measuring.again)),
	};
	int err = kept && measuring.wanted && measuring.again ? 0 : quantizer_no_memory(quantizer);
	int failed;

	if (!err)
		find_layers(quantizer);
	for (uint32_t i = 0; i < quantizer->node_count && !err; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		kept[i] = (struct kept){ node->is_quantized, node->is_kept, node->reason };
		measuring.wanted[i] = is_measured(node, i);
		measuring.count += measuring.wanted[i];
		node->noise = node->cost = 0;
	}
	if (!err) {
		err = measure_twice(quantizer, &measuring, budget);
		for (uint32_t i = 0; i < quantizer->node_count; i++) {
			quantizer->nodes[i].is_kept = kept[i].is_kept;
			quantizer->nodes[i].reason = kept[i].reason;
		}
		failed = quantizer_plan(quantizer);
		if (!failed)
			failed = quantizer_set_scales(quantizer);
		err = err ? err : failed;
	}
	free(measuring.again);
	free(measuring.wanted);
	free(kept);
	return err;
}

/* ---- What is kept ---- */

void quantizer_keep_costly(struct nn_quantizer *quantizer, float budget, bool *any)
{
	*any = false;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		if (!node->is_quantized || !(quantizer->nodes[node->layer].cost > budget))
			continue;
		node->is_kept = true;
		node->reason = "it costs more than the budget";
		*any = true;
	}
}
