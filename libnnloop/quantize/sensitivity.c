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
#define NEAR_BUDGET 0.5 /* those that cost this part of it */

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
			if (quantizer_is_joined(quantizer, node, k))
				join(quantizer, i, quantizer_maker(quantizer, node, k) - quantizer->nodes);
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

/*
 * The outputs' noise with the nodes quantized that are not kept, and what that takes; *noise is 0 if
 * nnloop refuses that.
 */
static int measure(struct nn_quantizer *quantizer, uint32_t examples, double *noise,
		   struct quantizer_packets *packets)
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
		err = quantizer_measure(quantizer, bytes, size, examples, outputs, packets, noise);
	if (!err)
		*noise = pow(10, -*noise / 10);
	free(bytes);
	free(outputs);
	return err == -EOPNOTSUPP ? 0 : err;
}

/* Whether each node is quantized and what is said of it, while others are tried. */
struct kept {
	bool is_quantized, is_kept, is_wide;
	const char *reason, *widened;
};

/* The state of nodes before, the layers to measure, and how many of all that there are were. */
struct measuring {
	const struct kept *kept;
	bool *wanted, *again, *costly;
	uint32_t done, count;
};

/* Measures one layer after the other; is_wide: with 16 bits. */
static int measure_all(struct nn_quantizer *quantizer, struct measuring *measuring,
		       const bool *wanted, uint32_t examples, bool is_wide)
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
			node->widened = is_wide ? "" : measuring->kept[k].widened;
		}
		err = measure(quantizer, examples, is_wide ? &layer->wide_noise : &layer->noise,
			      is_wide ? &layer->wide_packets : &layer->packets);
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

/* ---- What a budget buys ---- */

/*
 * Layers that leave the outputs so much, in dB, are good: they are not worth what floats cost, nor 16
 * bits because they are the worst that there is when others have become better.
 */
#define GOOD 40

static double sum_left(const struct nn_quantizer *quantizer)
{
	double sum = 0;

	for (uint32_t i = 0; i < quantizer->node_count; i++)
		sum += quantizer->nodes[i].layer == i ? quantizer->nodes[i].left : 0;
	return sum;
}

/*
 * The form that brings a layer within the budget for the fewest packets, beside what noise is left of
 * others. 16 bits take more than 8 in the layer and where it meets others alike; what it takes in float,
 * the model that is all in float takes, and what converts numbers in front of it and behind it. 16 bits
 * may not be enough for the budget, but good all the same.
 */
static enum nn_data_type choose_form(const struct nn_quantizer *quantizer,
				     const struct quantizer_node *layer, double others, float budget)
{
	const double wide = layer->wide_noise, good = pow(10, -GOOD / 10.0);
	const int64_t narrow = layer->packets.all;
	const int64_t more = (int64_t)layer->wide_packets.all - narrow;
	const int64_t more_float = (int64_t)quantizer->packets.all - narrow +
				   2 * (int64_t)layer->packets.conversions;
	bool is_good = wide > 0 && wide < layer->noise &&
		       (wide <= good || 10 * log10((others + wide) / others) <= budget);

	if (is_good && more <= more_float)
		return NN_INT16;
	if (layer->noise > good)
		return NN_FLOAT32;
	return is_good ? NN_INT16 : NN_INT8;
}

/*
 * Finds the layers, of those for which no form was chosen yet, that cost more than the budget: at first, or
 * of the noise that is left. Whether there are some.
 */
static bool find_costly(const struct nn_quantizer *quantizer, struct measuring *measuring, float budget)
{
	const double sum = sum_left(quantizer), good = pow(10, -GOOD / 10.0);
	bool found = false;

	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *layer = &quantizer->nodes[i];
		bool is_worst = layer->noise > good &&
				10 * log10(sum / (sum - layer->left)) > budget;

		/* Where somebody wanted 16 bits it has these. */
		measuring->costly[i] = measuring->wanted[i] && layer->noise > 0 && !layer->form &&
				       !measuring->kept[i].is_wide &&
				       (layer->cost > budget || is_worst);
		found |= measuring->costly[i];
		measuring->count += measuring->costly[i];
	}
	return found;
}

/* Chooses forms for costly layers, those first that take the fewest packets more. */
static void choose_forms(struct nn_quantizer *quantizer, struct measuring *measuring, float budget)
{
	for (;;) {
		struct quantizer_node *next = NULL;
		int64_t least = INT64_MAX;

		for (uint32_t i = 0; i < quantizer->node_count; i++) {
			struct quantizer_node *layer = &quantizer->nodes[i];
			int64_t more = (int64_t)layer->wide_packets.all - (int64_t)layer->packets.all;

			if (!measuring->costly[i] || more >= least)
				continue;
			least = more;
			next = layer;
		}
		if (!next)
			return;
		measuring->costly[next - quantizer->nodes] = false;
		next->form = choose_form(quantizer, next, sum_left(quantizer) - next->left, budget);
		if (next->form == NN_INT16)
			next->left = next->wide_noise;
		else if (next->form == NN_FLOAT32)
			next->left = 0;
	}
}

/* Measures layers that cost too much with 16 bits, until none is left for which no form was chosen. */
static int spend_budget(struct nn_quantizer *quantizer, struct measuring *measuring, float budget)
{
	int err = 0;

	for (uint32_t i = 0; i < quantizer->node_count; i++)
		quantizer->nodes[i].left = measuring->wanted[i] ? quantizer->nodes[i].noise : 0;
	while (!err && find_costly(quantizer, measuring, budget)) {
		err = measure_all(quantizer, measuring, measuring->costly, MOST_EXAMPLES, true);
		if (!err)
			choose_forms(quantizer, measuring, budget);
	}
	return err;
}

/* ---- All of it ---- */

/* Measures all layers on one example, and those on more that may cost most. */
static int measure_twice(struct nn_quantizer *quantizer, struct measuring *measuring, float budget)
{
	int err;

	measuring->count += quantizer->example_count > FIRST_EXAMPLES ? AGAIN : 0;
	err = measure_all(quantizer, measuring, measuring->wanted, FIRST_EXAMPLES, false);
	if (err)
		return err;
	set_costs(quantizer, measuring->wanted);
	find_again(quantizer, measuring, budget);
	err = measure_all(quantizer, measuring, measuring->again, MOST_EXAMPLES, false);
	if (!err)
		set_costs(quantizer, measuring->wanted);
	return err || !(budget > 0) ? err : spend_budget(quantizer, measuring, budget);
}

int quantizer_measure_layers(struct nn_quantizer *quantizer, float budget)
{
	struct kept *kept = calloc(quantizer->node_count + 1, sizeof(*kept));
	struct measuring measuring = {
		.kept = kept,
		.wanted = calloc(quantizer->node_count + 1, sizeof(*measuring.wanted)),
		.again = calloc(quantizer->node_count + 1, sizeof(*measuring.again)),
		.costly = calloc(quantizer->node_count + 1, sizeof(*measuring.costly)),
	};
	int err = kept && measuring.wanted && measuring.again && measuring.costly ?
			  0 : quantizer_no_memory(quantizer);
	int failed;

	if (!err)
		find_layers(quantizer);
	for (uint32_t i = 0; i < quantizer->node_count && !err; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		kept[i] = (struct kept){ node->is_quantized, node->is_kept, node->is_wide,
					 node->reason, node->widened };
		measuring.wanted[i] = is_measured(node, i);
		measuring.count += measuring.wanted[i];
		node->noise = node->cost = node->wide_noise = node->left = 0;
		node->form = 0;
		node->packets = node->wide_packets = (struct quantizer_packets){ 0 };
	}
	if (!err) {
		err = measure_twice(quantizer, &measuring, budget);
		for (uint32_t i = 0; i < quantizer->node_count; i++) {
			quantizer->nodes[i].is_kept = kept[i].is_kept;
			quantizer->nodes[i].reason = kept[i].reason;
			quantizer->nodes[i].widened = kept[i].widened;
		}
		failed = quantizer_plan(quantizer);
		if (!failed)
			failed = quantizer_set_scales(quantizer);
		err = err ? err : failed;
	}
	free(measuring.costly);
	free(measuring.again);
	free(measuring.wanted);
	free(kept);
	return err;
}

void quantizer_spend_packets(struct nn_quantizer *quantizer, bool *any)
{
	static const char reason[] = "it costs more than the budget";

	*any = false;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];
		uint32_t form = node->is_quantized ? quantizer->nodes[node->layer].form : 0;

		*any |= form == NN_INT16 || form == NN_FLOAT32;
		if (form == NN_INT16)
			node->widened = reason;
		if (form != NN_FLOAT32)
			continue;
		node->is_kept = true;
		node->reason = reason;
	}
}
