// SPDX-License-Identifier: MIT
/* The public calls of a quantizer, in their order, and its life. */
#include "nn_quantize.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "device/device.h"
#include "quantize/quantizer.h"

/* ---- Errors ---- */

int quantizer_fail(struct nn_quantizer *quantizer, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	nn_error_format(&quantizer->error, code, 0, "", format, arguments);
	va_end(arguments);
	return code;
}

int quantizer_no_memory(struct nn_quantizer *quantizer)
{
	return quantizer_fail(quantizer, -ENOMEM, "out of memory");
}

int quantizer_fail_graph(struct nn_quantizer *quantizer, const struct nn_graph *graph, int code)
{
	quantizer->error = *nn_graph_error(graph);
	quantizer->error.node = 0;
	return code;
}

const struct nn_error *nn_quantizer_error(const struct nn_quantizer *quantizer)
{
	return &quantizer->error;
}

/* ---- Life ---- */

int nn_quantizer_create(struct nn_device *device, struct nn_quantizer **quantizer)
{
	*quantizer = calloc(1, sizeof(**quantizer));
	if (!*quantizer)
		return -ENOMEM;
	atomic_fetch_add(&device->references, 1);
	(*quantizer)->device = device;
	return 0;
}

/* Drops the model and all that was made of it. */
static void clear(struct nn_quantizer *quantizer)
{
	quantizer_run_close(&quantizer->observer);
	nn_graph_destroy(quantizer->graph);
	nn_pool_free(&quantizer->pool);
	free(quantizer->bytes);
	*quantizer = (struct nn_quantizer){ .device = quantizer->device, .error = quantizer->error };
}

void nn_quantizer_destroy(struct nn_quantizer *quantizer)
{
	if (!quantizer)
		return;
	clear(quantizer);
	nn_device_close(quantizer->device);
	free(quantizer);
}

/* ---- The model ---- */

/* Copies of options, which are needed whenever a model is imported. */
static bool copy_options(struct nn_quantizer *quantizer, const struct nn_import_options *from)
{
	struct nn_pool *pool = &quantizer->pool;
	struct nn_import_shape *shapes = nn_pool_copy(pool, from->shapes,
						      from->shape_count * sizeof(*shapes));
	struct nn_import_value *values = nn_pool_copy(pool, from->values,
						      from->value_count * sizeof(*values));
	bool good = shapes && values;

	for (uint32_t i = 0; good && i < from->shape_count; i++) {
		if (shapes[i].name)
			shapes[i].name = nn_pool_string(pool, shapes[i].name);
		good = !from->shapes[i].name || shapes[i].name;
	}
	for (uint32_t i = 0; good && i < from->value_count; i++) {
		if (values[i].name)
			values[i].name = nn_pool_string(pool, values[i].name);
		good = !from->values[i].name || values[i].name;
		if (good && values[i].text)
			values[i].text = nn_pool_string(pool, values[i].text);
	}
	quantizer->options = *from;
	quantizer->options.shapes = shapes;
	quantizer->options.values = values;
	return good;
}

static int read_model(struct nn_quantizer *quantizer, const char *path,
		      const struct nn_import_options *options)
{
	enum nn_model_format format;
	int err;

	if (!copy_options(quantizer, options) || nn_graph_create(&quantizer->graph))
		return quantizer_no_memory(quantizer);
	err = nn_graph_import_file_with(quantizer->graph, path, options, &format);
	if (err)
		return quantizer_fail_graph(quantizer, quantizer->graph, err);
	if (format == NN_MODEL_TEXT)
		return quantizer_fail(quantizer, -EOPNOTSUPP,
				      "only ONNX and TensorFlow Lite models are quantized, and this is none");
	return quantizer_read(quantizer, path, format);
}

int nn_quantizer_read_file_sized(struct nn_quantizer *quantizer, const char *path,
				 const struct nn_import_options *theirs, size_t size)
{
	struct nn_import_options options = { 0 };
	int err;

	if (quantizer->model)
		return quantizer_fail(quantizer, -EINVAL, "the quantizer has a model already");
	if (theirs && !nn_sized_take(&options, sizeof(options), theirs, size))
		return quantizer_fail(quantizer, -E2BIG,
				      "struct nn_import_options has fields that this library does not know");
	err = read_model(quantizer, path, &options);
	if (err)
		clear(quantizer);
	return err;
}

const struct nn_graph *nn_quantizer_get_graph(const struct nn_quantizer *quantizer)
{
	return quantizer->graph;
}

/* ---- Examples ---- */

int nn_quantizer_feed(struct nn_quantizer *quantizer, const struct nn_buffer *inputs,
		      uint32_t count)
{
	if (!quantizer->model)
		return quantizer_fail(quantizer, -EINVAL, "the quantizer has no model");
	if (quantizer->bytes)
		return quantizer_fail(quantizer, -EINVAL, "it has been chosen already");
	if (count != nn_graph_get_input_count(quantizer->graph))
		return quantizer_fail(quantizer, -EINVAL, "the model has %u inputs, not %u",
				      nn_graph_get_input_count(quantizer->graph), count);
	for (uint32_t i = 0; i < count; i++) {
		if (inputs[i].flags)
			return quantizer_fail(quantizer, -EINVAL, "input %u is no memory", i);
	}
	return quantizer_observe(quantizer, inputs);
}

int nn_quantizer_choose_sized(struct nn_quantizer *quantizer,
			      const struct nn_quantize_options *theirs, size_t size)
{
	struct nn_quantize_options options = { 0 };

	if (theirs && !nn_sized_take(&options, sizeof(options), theirs, size))
		return quantizer_fail(quantizer, -E2BIG,
				      "struct nn_quantize_options has fields that this library does not know");
	if (!quantizer->model)
		return quantizer_fail(quantizer, -EINVAL, "the quantizer has no model");
	if (!quantizer->example_count)
		return quantizer_fail(quantizer, -ENODATA, "there are no examples");
	if (options.method > NN_QUANTIZE_EACH)
		return quantizer_fail(quantizer, -EINVAL, "there is no method %u", options.method);
	if (options.activations && options.activations != NN_UINT8 && options.activations != NN_INT8)
		return quantizer_fail(quantizer, -EINVAL, "activations are of uint8 or int8");
	if (options.pixel_channels && (!options.pixel_factors || !options.pixel_terms))
		return quantizer_fail(quantizer, -EINVAL, "channels have no factors, or no terms");
	return quantizer_choose(quantizer, &options);
}

int nn_quantizer_measure_layers(struct nn_quantizer *quantizer)
{
	if (!quantizer->bytes)
		return quantizer_fail(quantizer, -EINVAL, "nothing was chosen yet");
	return quantizer_measure_layers(quantizer, 0);
}

void nn_quantizer_set_progress(struct nn_quantizer *quantizer, nn_progress_fp function, void *opaque)
{
	quantizer->progress = function;
	quantizer->progress_opaque = opaque;
}

/* ---- What was chosen ---- */

int nn_quantizer_get_model(const struct nn_quantizer *quantizer, const void **data, size_t *size)
{
	if (!quantizer->bytes)
		return -EINVAL;
	*data = quantizer->bytes;
	*size = quantizer->size;
	return 0;
}

/* A layer is a node that makes floats of what is computed. */
static bool is_layer(const struct nn_quantizer *quantizer, const struct quantizer_node *node)
{
	return node->proto->n_output && node->outputs[0] != NO_TENSOR &&
	       quantizer->tensors[node->outputs[0]].is_float;
}

int nn_quantizer_get_info_sized(const struct nn_quantizer *quantizer,
				struct nn_quantized_info *theirs, size_t size)
{
	struct nn_quantized_info info = { 0 };

	if (!quantizer->bytes)
		return -EINVAL;
	info.example_count = quantizer->example_count;
	info.measured_count = quantizer->example_count < NN_QUANTIZE_MEASURED ?
				      quantizer->example_count : NN_QUANTIZE_MEASURED;
	info.output_count = quantizer->model->graph->n_output;
	info.float_packets_before = quantizer->packets.floats;
	info.float_packets_after = quantizer->packets_after.floats;
	info.packets_before = quantizer->packets.all;
	info.packets_after = quantizer->packets_after.all;
	info.method = quantizer->method;
	info.equalized_count = quantizer->is_equalized ? quantizer->pair_count : 0;
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		info.tensor_count += quantizer->tensors[i].is_quantized;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		info.layer_count += is_layer(quantizer, &quantizer->nodes[i]);
		info.float_count += is_layer(quantizer, &quantizer->nodes[i]) &&
				    !quantizer->nodes[i].is_quantized;
		info.int16_count += is_layer(quantizer, &quantizer->nodes[i]) &&
				    quantizer->nodes[i].is_wide;
	}
	nn_sized_give(theirs, size, &info, sizeof(info));
	return 0;
}

int nn_quantizer_get_output_sized(const struct nn_quantizer *quantizer, uint32_t index,
				  struct nn_quantized_output *output, size_t size)
{
	if (!quantizer->bytes)
		return -EINVAL;
	if (index >= quantizer->model->graph->n_output)
		return -ENOENT;
	nn_sized_give(output, size, &quantizer->outputs[index], sizeof(*quantizer->outputs));
	return 0;
}

/* The tensor of an index of nn_quantizer_get_tensor(). */
static uint32_t find_tensor(const struct nn_quantizer *quantizer, uint32_t index)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		if (quantizer->tensors[i].is_quantized && !index--)
			return i;
	}
	return NO_TENSOR;
}

int nn_quantizer_get_tensor_sized(const struct nn_quantizer *quantizer, uint32_t index,
				  struct nn_quantized_tensor *theirs, size_t size)
{
	const uint32_t found = quantizer->bytes ? find_tensor(quantizer, index) : NO_TENSOR;
	const struct quantizer_tensor *tensor, *group;
	struct nn_quantized_tensor own = { 0 };

	if (found == NO_TENSOR)
		return quantizer->bytes ? -ENOENT : -EINVAL;
	tensor = &quantizer->tensors[found];
	group = quantizer_group(quantizer, found);
	own.name = tensor->name;
	own.low = tensor->halves[0].low;
	own.high = tensor->halves[0].high;
	if (tensor->halves[1].count) {
		own.low = fminf(own.low, tensor->halves[1].low);
		own.high = fmaxf(own.high, tensor->halves[1].high);
	}
	own.scale = group->steps[tensor->is_wide].scale;
	own.zero_point = group->steps[tensor->is_wide].zero_point;
	own.method = tensor->is_wide ? NN_QUANTIZE_MIN_MAX : group->method;
	own.type = quantizer_type(quantizer, tensor->is_wide);
	nn_sized_give(theirs, size, &own, sizeof(own));
	return 0;
}

int nn_quantizer_get_histogram(const struct nn_quantizer *quantizer, uint32_t index,
			       uint64_t *bins, uint32_t count)
{
	const uint32_t found = quantizer->bytes ? find_tensor(quantizer, index) : NO_TENSOR;
	struct quantizer_statistics all;
	struct nn_pool pool = { 0 };
	bool good;

	if (found == NO_TENSOR)
		return quantizer->bytes ? -ENOENT : -EINVAL;
	good = quantizer_statistics_of(&pool, &quantizer->tensors[found], &all);
	if (good)
		quantizer_statistics_spread(&all, bins, count);
	nn_pool_free(&pool);
	return good ? 0 : -ENOMEM;
}

/* The node of an index of nn_quantizer_get_layer(). */
static uint32_t find_layer(const struct nn_quantizer *quantizer, uint32_t index)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		if (is_layer(quantizer, &quantizer->nodes[i]) && !index--)
			return i;
	}
	return NO_TENSOR;
}

int nn_quantizer_get_layer_sized(const struct nn_quantizer *quantizer, uint32_t index,
				 struct nn_quantized_layer *theirs, size_t size)
{
	const uint32_t found = quantizer->bytes ? find_layer(quantizer, index) : NO_TENSOR;
	const struct quantizer_node *node;
	struct nn_quantized_layer own = { 0 };

	if (found == NO_TENSOR)
		return quantizer->bytes ? -ENOENT : -EINVAL;
	node = &quantizer->nodes[found];
	own.name = quantizer_node_name(node);
	own.op = node->proto->op_type;
	own.kept = node->reason;
	own.sqnr = node->noise > 0 ? -10 * log10(node->noise) : 0;
	own.cost = node->cost;
	own.type = node->is_quantized ? quantizer_type(quantizer, node->is_wide) : NN_FLOAT32;
	if (node->is_wide)
		own.widened = node->widened ? node->widened : "what it goes with has them";
	nn_sized_give(theirs, size, &own, sizeof(own));
	return 0;
}

/* The index of the layer that a node is. */
static uint32_t index_of(const struct nn_quantizer *quantizer, const struct quantizer_node *node)
{
	uint32_t index = 0;

	for (const struct quantizer_node *at = quantizer->nodes; at < node; at++)
		index += is_layer(quantizer, at);
	return index;
}

int nn_quantizer_get_layer_input(const struct nn_quantizer *quantizer, uint32_t index,
				 uint32_t input, uint32_t *layer)
{
	const uint32_t found = quantizer->bytes ? find_layer(quantizer, index) : NO_TENSOR;
	const struct quantizer_node *node;

	if (found == NO_TENSOR)
		return quantizer->bytes ? -ENOENT : -EINVAL;
	node = &quantizer->nodes[found];
	for (size_t k = 0; k < node->proto->n_input; k++) {
		const struct quantizer_node *maker = quantizer_maker(quantizer, node, k);

		if (!maker || !is_layer(quantizer, maker) || input--)
			continue;
		*layer = index_of(quantizer, maker);
		return 0;
	}
	return -ENOENT;
}
