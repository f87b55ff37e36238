// SPDX-License-Identifier: MIT
/*
 * Observes the tensors of the float model while it runs on examples: they are outputs of a model that
 * is otherwise the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "quantize/quantizer.h"

/* Opens the float model with these tensors as outputs behind its own. */
static int open_with(struct nn_quantizer *quantizer, const struct nn_buffer *inputs,
		     const uint32_t *tensors, uint32_t count, struct quantizer_run *run)
{
	const Onnx__GraphProto *own = quantizer->model->graph;
	Onnx__ModelProto model = *quantizer->model;
	Onnx__GraphProto graph = *own;
	Onnx__ValueInfoProto *infos = calloc(count + 1, sizeof(*infos));
	Onnx__ValueInfoProto **outputs = calloc(own->n_output + count + 1, sizeof(*outputs));
	int err;

	model.graph = &graph;
	if (infos && outputs) {
		memcpy(outputs, own->output, own->n_output * sizeof(*outputs));
		for (uint32_t i = 0; i < count; i++) {
			onnx__value_info_proto__init(&infos[i]);
			infos[i].name = (char *)quantizer->tensors[tensors[i]].name;
			outputs[own->n_output + i] = &infos[i];
		}
		graph.output = outputs;
		graph.n_output = own->n_output + count;
		err = quantizer_run_model(quantizer, &model, inputs, own->n_output, run);
	} else {
		*run = (struct quantizer_run){ 0 };
		err = quantizer_no_memory(quantizer);
	}
	free(outputs);
	free(infos);
	return err;
}

/*
 * Adds as many of `tensors` to those that can be observed as there can be: all of them or, if one of
 * them cannot be an output, those of each half.
 */
static int add_half(struct nn_quantizer *quantizer, const struct nn_buffer *inputs,
		    const uint32_t *tensors, uint32_t count, uint32_t *good, uint32_t *good_count)
{
	struct quantizer_run run;
	int err;

	if (!count)
		return 0;
	memcpy(good + *good_count, tensors, count * sizeof(*good));
	err = open_with(quantizer, inputs, good, *good_count + count, &run);
	quantizer_run_close(&run);
	if (!err)
		*good_count += count;
	if (err != -EOPNOTSUPP && err != -EINVAL)
		return err;
	if (count == 1)
		return 0;
	err = add_half(quantizer, inputs, tensors, count / 2, good, good_count);
	return err ? err : add_half(quantizer, inputs, tensors + count / 2, count - count / 2, good,
				    good_count);
}

/* Counts the tensors of each scale, at the index of its group, that nodes make which do not only move them. */
static void count_makers(const struct nn_quantizer *quantizer, uint32_t *counts)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		const struct quantizer_node *producer = quantizer->tensors[i].producer;

		if (!producer || producer->role != QUANTIZER_MOVE)
			counts[quantizer_group(quantizer, i) - quantizer->tensors]++;
	}
}

/*
 * Takes note of tensors that a clamp reads which will be left out, whatever the examples are: nothing
 * has its scale but what it makes.
 */
static int find_unrounded(struct nn_quantizer *quantizer, bool *is_unrounded)
{
	uint32_t *counts = calloc(quantizer->tensor_count + 1, sizeof(*counts));

	if (!counts)
		return quantizer_no_memory(quantizer);
	count_makers(quantizer, counts);
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];

		if (node->is_merged && counts[quantizer_group(quantizer, node->outputs[0]) -
					      quantizer->tensors] == 1)
			is_unrounded[node->inputs[0]] = true;
	}
	free(counts);
	return 0;
}

/* Opens the model whose tensors are observed, for the first example. */
static int open_observer(struct nn_quantizer *quantizer, const struct nn_buffer *inputs)
{
	uint32_t *wanted = calloc(quantizer->tensor_count + 1, sizeof(*wanted));
	uint32_t *good = nn_pool_array(&quantizer->pool, quantizer->tensor_count + 1, sizeof(*good));
	uint32_t count = 0, good_count = 0;
	bool *is_unrounded = calloc(quantizer->tensor_count + 1, sizeof(*is_unrounded));
	int err = wanted && good && is_unrounded ? quantizer_plan(quantizer) :
						   quantizer_no_memory(quantizer);

	if (!err)
		err = find_unrounded(quantizer, is_unrounded);
	for (uint32_t i = 0; i < quantizer->tensor_count && !err; i++) {
		const struct quantizer_tensor *tensor = &quantizer->tensors[i];

		if (tensor->is_float && tensor->producer && !is_unrounded[i])
			wanted[count++] = i;
	}
	if (!err) {
		memcpy(good, wanted, count * sizeof(*good));
		good_count = count;
		err = open_with(quantizer, inputs, good, count, &quantizer->observer);
	}
	/* Some of them cannot be outputs. */
	if (count && (err == -EOPNOTSUPP || err == -EINVAL)) {
		quantizer_run_close(&quantizer->observer);
		good_count = 0;
		err = add_half(quantizer, inputs, wanted, count / 2, good, &good_count);
		if (!err)
			err = add_half(quantizer, inputs, wanted + count / 2, count - count / 2,
				       good, &good_count);
		if (!err)
			err = open_with(quantizer, inputs, good, good_count, &quantizer->observer);
	}
	if (!err) {
		quantizer->observed = good;
		quantizer->observed_count = good_count;
		for (uint32_t i = 0; i < good_count; i++)
			quantizer->tensors[good[i]].is_observed = true;
		quantizer->packets = quantizer_count_packets(quantizer->observer.graph);
	}
	free(is_unrounded);
	free(wanted);
	return err;
}

/* Notes the inputs of float32; returns how many there are. infos: of each. */
static uint32_t note_inputs(struct nn_quantizer *quantizer, const struct nn_buffer *inputs,
			    struct nn_tensor_info *infos, struct quantizer_elements *elements)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < quantizer->observer.input_count; i++) {
		uint32_t tensor;

		nn_graph_get_input_info(quantizer->graph, i, &infos[i]);
		tensor = infos[i].name ? quantizer_find(quantizer, infos[i].name) : NO_TENSOR;
		if (tensor == NO_TENSOR || infos[i].type != NN_FLOAT32)
			continue;
		quantizer->tensors[tensor].is_observed = true;
		elements[count++] = (struct quantizer_elements){
			.tensor = tensor, .info = &infos[i], .values = inputs[i].data,
			.count = inputs[i].size / sizeof(float),
		};
	}
	return count;
}

/* Adds all that is observed of an example that was run. */
static int add_example(struct nn_quantizer *quantizer, const struct nn_buffer *inputs)
{
	const struct quantizer_run *run = &quantizer->observer;
	const uint32_t own = quantizer->model->graph->n_output;
	struct nn_tensor_info *infos = calloc(run->input_count + 1, sizeof(*infos));
	struct quantizer_elements *elements =
		calloc(run->input_count + run->output_count + 1, sizeof(*elements));
	int err = infos && elements ? 0 : quantizer_no_memory(quantizer);
	uint32_t count = err ? 0 : note_inputs(quantizer, inputs, infos, elements);

	for (uint32_t i = own; i < run->output_count && !err; i++) {
		if (run->infos[i].type != NN_FLOAT32)
			continue;
		elements[count++] = (struct quantizer_elements){
			.tensor = quantizer->observed[i - own], .info = &run->infos[i],
			.is_image = run->is_image[i - own], .values = run->reals[i],
			.count = run->counts[i],
		};
	}
	if (!err)
		err = quantizer_add_elements(quantizer, elements, count);
	free(elements);
	free(infos);
	return err;
}

/* Keeps an example and what the float model makes of it. */
static int keep(struct nn_quantizer *quantizer, const struct nn_buffer *inputs)
{
	const struct quantizer_run *run = &quantizer->observer;
	struct quantizer_example *example = &quantizer->examples[quantizer->example_count];
	uint32_t count = quantizer->model->graph->n_output;

	example->inputs = nn_pool_array(&quantizer->pool, run->input_count + 1, sizeof(*inputs));
	example->outputs = nn_pool_array(&quantizer->pool, count, sizeof(*example->outputs));
	example->counts = nn_pool_array(&quantizer->pool, count, sizeof(*example->counts));
	if (!example->inputs || !example->outputs || !example->counts)
		return quantizer_no_memory(quantizer);
	for (uint32_t i = 0; i < run->input_count; i++) {
		example->inputs[i] = inputs[i];
		example->inputs[i].data = nn_pool_copy(&quantizer->pool, inputs[i].data, inputs[i].size);
		if (!example->inputs[i].data)
			return quantizer_no_memory(quantizer);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!run->reals[i])
			continue;
		example->counts[i] = run->counts[i];
		example->outputs[i] = nn_pool_copy(&quantizer->pool, run->reals[i],
						   run->counts[i] * sizeof(float));
		if (!example->outputs[i])
			return quantizer_no_memory(quantizer);
	}
	return 0;
}

int quantizer_observe(struct nn_quantizer *quantizer, const struct nn_buffer *inputs)
{
	struct quantizer_run *run = &quantizer->observer;
	int err = 0;

	/* A choice that failed may have left it otherwise. */
	quantizer_equalize(quantizer, false);
	/* It was closed when a choice began. */
	if (!run->graph && quantizer->observed)
		err = open_with(quantizer, inputs, quantizer->observed, quantizer->observed_count, run);
	else if (!run->graph)
		err = open_observer(quantizer, inputs);
	if (!err)
		err = quantizer_run_execute(quantizer, run, inputs);
	if (!err)
		err = add_example(quantizer, inputs);
	if (!err && quantizer->example_count < NN_QUANTIZE_MEASURED)
		err = keep(quantizer, inputs);
	if (!err)
		quantizer->example_count++;
	return err;
}
