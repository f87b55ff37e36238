// SPDX-License-Identifier: MIT
/*
 * Writes the quantized model: the float model's nodes with QuantizeLinear and DequantizeLinear
 * between them, and constants of integers.
 *
 * What a quantized node makes gets another name, and what DequantizeLinear makes of it the old one,
 * so that all that reads it, graphs in nodes and the model's outputs too, reads the rounded values.
 * What is an input, or made in float, keeps its name, and quantized nodes read what is made of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantize/quantizer.h"

#define LEAST_IR 7 /* version of the format that has opset 13, */
#define LATER_IR 8 /* and opset 15 and later */
#define MOST_BIAS 0x1p30f /* in steps: beside it a sum has room */
/*
 * The most steps of its result that a product may be, for nnloop to know what a sum is: of 8 bits and
 * of 16.
 */
static const double most_steps[] = { 0x1p19, 0x1p23 };
#define WIDE_OPSET 21 /* the first whose QuantizeLinear makes 16 bits; that of WIDE_DOMAIN always does */
#define WIDE_DOMAIN "com.microsoft"

struct writing {
	struct nn_quantizer *quantizer;
	struct nn_pool *pool;
	struct quantizer_list nodes, constants;
	/* The name of each tensor for nodes of 8 bits, and of 16, if it is not made so; NULL: none yet. */
	const char **rounded[2];
	bool has_wide;		/* something has 16 bits */
	bool failed;		/* no memory */
};

/* ---- Parts of a model ---- */

static char *new_name(struct writing *writing, const char *name, const char *behind)
{
	char *made = quantizer_new_name(writing->quantizer, writing->pool, name, behind);

	writing->failed |= !made;
	return made;
}

static char *add_constant(struct writing *writing, char *name, int type, uint32_t rank,
			  const int64_t *dims, const void *data)
{
	Onnx__TensorProto *constant =
		name ? quantizer_constant_new(writing->pool, name, type, rank, dims, data) : NULL;

	if (!constant || !quantizer_push(writing->pool, &writing->constants, constant))
		writing->failed = true;
	return name;
}

/* A node with up to three inputs, up to the first that is NULL; NULL: no memory. axis -1: without. */
static Onnx__NodeProto *add_node(struct writing *writing, const char *op, const char *a, const char *b,
		     const char *c, const char *made, int axis)
{
	Onnx__NodeProto *node = nn_pool_alloc(writing->pool, sizeof(*node));
	char **inputs = nn_pool_array(writing->pool, 3, sizeof(*inputs));
	char **outputs = nn_pool_array(writing->pool, 1, sizeof(*outputs));
	Onnx__AttributeProto *attribute = nn_pool_alloc(writing->pool, sizeof(*attribute));
	Onnx__AttributeProto **attributes = nn_pool_array(writing->pool, 1, sizeof(*attributes));

	if (!node || !inputs || !outputs || !attribute || !attributes || !a || !b || !made) {
		writing->failed = true;
		return NULL;
	}
	onnx__node_proto__init(node);
	node->op_type = (char *)op;
	node->name = new_name(writing, made, "_node");
	inputs[0] = (char *)a;
	inputs[1] = (char *)b;
	inputs[2] = (char *)c;
	outputs[0] = (char *)made;
	node->input = inputs;
	node->n_input = c ? 3 : 2;
	node->output = outputs;
	node->n_output = 1;
	if (axis >= 0) {
		onnx__attribute_proto__init(attribute);
		attribute->name = nn_pool_string(writing->pool, "axis");
		attribute->has_type = attribute->has_i = true;
		attribute->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
		attribute->i = axis;
		attributes[0] = attribute;
		node->attribute = attributes;
		node->n_attribute = 1;
	}
	writing->failed |= !quantizer_push(writing->pool, &writing->nodes, node);
	return node;
}

/* A QuantizeLinear or DequantizeLinear of activations. */
static void add_conversion(struct writing *writing, const char *op, const char *from,
			   const char *scale, const char *zero_point, const char *to, bool is_wide)
{
	Onnx__NodeProto *node = add_node(writing, op, from, scale, zero_point, to, -1);

	if (!node || !is_wide)
		return;
	writing->has_wide = true;
	if (quantizer_opset(writing->quantizer)->version >= WIDE_OPSET)
		return;
	node->domain = nn_pool_string(writing->pool, WIDE_DOMAIN);
	writing->failed |= !node->domain;
}

static int activation_type(const struct writing *writing, bool is_wide)
{
	switch (quantizer_type(writing->quantizer, is_wide)) {
	case NN_INT8:
		return ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
	case NN_INT16:
		return ONNX__TENSOR_PROTO__DATA_TYPE__INT16;
	case NN_UINT16:
		return ONNX__TENSOR_PROTO__DATA_TYPE__UINT16;
	default:
		return ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
	}
}

/* The zero point of activations. */
static char *add_zero_point(struct writing *writing, const char *name, const char *behind,
			    int32_t zero_point, bool is_wide)
{
	const uint16_t wide = (uint16_t)zero_point;
	const uint8_t narrow = (uint8_t)zero_point;
	const int64_t none = 0;

	return add_constant(writing, new_name(writing, name, behind),
			    activation_type(writing, is_wide), 0, &none,
			    is_wide ? (const void *)&wide : &narrow);
}

/* ---- Tensors ---- */

/* Whether what makes a tensor is written with another name, so that all read it rounded. */
static bool is_renamed(const struct quantizer_tensor *tensor)
{
	return tensor->is_quantized && tensor->producer && tensor->producer->is_quantized;
}

/* Rounds a tensor to 8 or 16 bits: from one name to another. */
static void add_rounding(struct writing *writing, uint32_t index, const char *from, const char *to,
			 bool is_wide)
{
	const struct quantizer_steps *steps =
		&quantizer_group(writing->quantizer, index)->steps[is_wide];
	const char *name = writing->quantizer->tensors[index].name;
	const int64_t none = 0;
	char *scale, *zero_point, *integers;

	scale = add_constant(writing, new_name(writing, name, is_wide ? "_wide_scale" : "_scale"),
			     ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, &none, &steps->scale);
	zero_point = add_zero_point(writing, name, is_wide ? "_wide_zero_point" : "_zero_point",
				    steps->zero_point, is_wide);
	integers = new_name(writing, name, is_wide ? "_wide" : "_quantized");
	if (writing->failed)
		return;
	add_conversion(writing, "QuantizeLinear", from, scale, zero_point, integers, is_wide);
	add_conversion(writing, "DequantizeLinear", integers, scale, zero_point, to, is_wide);
}

/* The name of a tensor for a quantized node that reads it. */
static const char *read_tensor(struct writing *writing, uint32_t index, bool is_wide)
{
	const struct quantizer_tensor *tensor = &writing->quantizer->tensors[index];
	const char **rounded = &writing->rounded[is_wide][index];

	if (!tensor->is_quantized || (is_renamed(tensor) && tensor->is_wide == is_wide))
		return tensor->name;
	if (!*rounded) {
		*rounded = new_name(writing, tensor->name, is_wide ? "_widened" : "_rounded");
		if (!writing->failed)
			add_rounding(writing, index, tensor->name, *rounded, is_wide);
	}
	return *rounded;
}

/* ---- Weights, bias and other constants ---- */

static const Onnx__TensorProto *constant_input(const struct writing *writing,
					       const struct quantizer_node *node, size_t i)
{
	const struct quantizer_tensor *tensor = quantizer_input(writing->quantizer, node, i);

	return tensor ? tensor->constant : NULL;
}

/* Scales of weights with which a bias is not too many steps; NULL: there is none, or no memory. */
static float *find_least_scales(struct writing *writing, const struct quantizer_node *node,
				float input_scale)
{
	const Onnx__TensorProto *bias = constant_input(writing, node, 2);
	uint64_t count = bias ? quantizer_constant_count(bias) : 0;
	const float *values = bias ? quantizer_constant_floats(bias) : NULL;
	float *least = values ? nn_pool_array(writing->pool, count, sizeof(*least)) : NULL;

	writing->failed |= values && !least;
	for (uint64_t i = 0; least && i < count; i++)
		least[i] = fabsf(values[i]) / (input_scale * MOST_BIAS);
	return least;
}

/* The tensor that a node's output is, behind a clamp that is left out. */
static uint32_t find_made(const struct nn_quantizer *quantizer, uint32_t tensor)
{
	while (quantizer->tensors[tensor].limited != NO_TENSOR)
		tensor = quantizer->tensors[tensor].limited;
	return tensor;
}

/*
 * The greatest scale of weights: with it the least change of an input may be several times the whole
 * range of the result. So greater ones are of inputs that are as good as always 0.
 */
static float find_most_scale(const struct writing *writing, const struct quantizer_node *node,
			     float input_scale)
{
	const struct nn_quantizer *quantizer = writing->quantizer;
	const uint32_t made = find_made(quantizer, node->outputs[0]);

	if (!quantizer->tensors[made].is_quantized)
		return INFINITY;
	return (float)(most_steps[node->is_wide] * (1 - 0x1p-20) *
		       (double)quantizer_group(quantizer, made)->steps[node->is_wide].scale /
		       (255.0 * quantizer_step_count(node->is_wide) * (double)input_scale));
}

/* bias, correction: either may be NULL. */
static char *add_bias(struct writing *writing, const struct quantizer_node *node,
		      const Onnx__TensorProto *bias, const double *correction, float input_scale,
		      const float *scales, uint32_t scale_count)
{
	const int64_t count = bias ? (int64_t)quantizer_constant_count(bias) : scale_count;
	const float *values = bias ? quantizer_constant_floats(bias) : NULL;
	int32_t *integers = nn_pool_array(writing->pool, count, sizeof(*integers));
	float *steps = nn_pool_array(writing->pool, count, sizeof(*steps));
	char *made = new_name(writing, node->proto->output[0], "_bias_rounded");
	char *data, *scale;

	if (!integers || !steps || !made) {
		writing->failed = true;
		return NULL;
	}
	for (int64_t i = 0; i < count; i++) {
		steps[i] = input_scale * scales[scale_count == 1 ? 0 : i];
		integers[i] = (int32_t)rint(((values ? (double)values[i] : 0) +
					     (correction ? correction[i] : 0)) / steps[i]);
	}
	data = add_constant(writing, new_name(writing, node->proto->output[0], "_bias_quantized"),
			    ONNX__TENSOR_PROTO__DATA_TYPE__INT32, 1, &count, integers);
	scale = add_constant(writing, new_name(writing, node->proto->output[0], "_bias_scale"),
			     ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, scale_count > 1, &count, steps);
	if (!writing->failed)
		add_node(writing, "DequantizeLinear", data, scale, NULL, made,
			 scale_count > 1 ? 0 : -1);
	return made;
}

/* Sets inputs 1 and 2 of a product with constant weights. */
static void write_weights(struct writing *writing, const struct quantizer_node *node, char **inputs)
{
	const Onnx__TensorProto *weights = constant_input(writing, node, 1);
	const Onnx__TensorProto *bias = constant_input(writing, node, 2);
	float input_scale =
		quantizer_group(writing->quantizer, node->inputs[0])->steps[node->is_wide].scale;
	int axis = quantizer_outputs_axis(node->proto, weights);
	const char *name = node->proto->output[0];
	double *correction = NULL;
	float *least = find_least_scales(writing, node, input_scale), *scales;
	float most = find_most_scale(writing, node, input_scale);
	char *data, *scale, *zero_point, *made;
	int64_t count;
	int8_t *integers;
	uint32_t scale_count;

	if (axis >= 0 && bias && quantizer_constant_count(bias) != (uint64_t)weights->dims[axis])
		least = NULL;
	if (axis < 0)
		least = NULL;
	if (writing->failed || quantizer_quantize_weights(writing->pool, weights, axis, least, most,
							  &integers, &scales, &scale_count)) {
		writing->failed = true;
		return;
	}
	count = scale_count;
	data = add_constant(writing, new_name(writing, name, "_weights_quantized"),
			    ONNX__TENSOR_PROTO__DATA_TYPE__INT8, weights->n_dims, weights->dims, integers);
	scale = add_constant(writing, new_name(writing, name, "_weights_scale"),
			     ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, axis >= 0, &count, scales);
	zero_point = add_constant(writing, new_name(writing, name, "_weights_zero_point"),
				  ONNX__TENSOR_PROTO__DATA_TYPE__INT8, axis >= 0, &count, NULL);
	made = new_name(writing, name, "_weights_rounded");
	if (writing->failed)
		return;
	add_node(writing, "DequantizeLinear", data, scale, zero_point, made, axis);
	inputs[1] = made;
	if (strcmp(node->proto->op_type, "MatMul") && axis >= 0 &&
	    (!bias || quantizer_constant_count(bias) == scale_count))
		correction = quantizer_find_correction(
			writing->pool, node, &writing->quantizer->tensors[node->inputs[0]], weights,
			integers, scales, scale_count);
	if (bias || correction)
		inputs[2] = add_bias(writing, node, bias, correction, input_scale, scales,
				     scale_count);
}

/* An operand that is a constant of several elements, of the type that activations are. */
static char *write_operand(struct writing *writing, const struct quantizer_node *node, size_t i,
			   const Onnx__TensorProto *constant)
{
	const uint64_t count = quantizer_constant_count(constant);
	const float *values = quantizer_constant_floats(constant);
	const bool is_wide = node->is_wide;
	float least = quantizer_least(writing->quantizer, is_wide), low = 0, high = 0, step;
	int32_t steps = quantizer_step_count(is_wide);
	uint8_t *integers = nn_pool_array(writing->pool, count, is_wide ? 2 : 1);
	char *data, *scale, *zero_point, *made, behind[32] = "_operand";
	const int64_t none = 0;
	int32_t zero;

	behind[strlen(behind)] = '0' + i % 10;
	if (!integers) {
		writing->failed = true;
		return NULL;
	}
	for (uint64_t k = 0; k < count; k++) {
		low = fminf(low, values[k]);
		high = fmaxf(high, values[k]);
	}
	step = (float)(((double)high - low) / steps);
	if (!(step >= 0x1p-60f))
		step = 1;
	zero = (int32_t)(least + rintf(-low / step));
	for (uint64_t k = 0; k < count; k++) {
		int32_t integer = (int32_t)fminf(fmaxf(rintf(values[k] / step) + zero, least),
						 least + steps);

		if (is_wide)
			((uint16_t *)integers)[k] = (uint16_t)integer;
		else
			integers[k] = (uint8_t)integer;
	}
	made = new_name(writing, node->proto->output[0], behind);
	if (!made)
		return NULL;
	data = add_constant(writing, new_name(writing, made, "_quantized"),
			    activation_type(writing, is_wide), constant->n_dims, constant->dims,
			    integers);
	scale = add_constant(writing, new_name(writing, made, "_scale"),
			     ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, &none, &step);
	zero_point = add_zero_point(writing, made, "_zero_point", zero, is_wide);
	if (!writing->failed)
		add_conversion(writing, "DequantizeLinear", data, scale, zero_point, made, is_wide);
	return made;
}

/* ---- Nodes ---- */

static void write_inputs(struct writing *writing, const struct quantizer_node *node, char **inputs)
{
	for (size_t i = 0; i < node->proto->n_input; i++) {
		const Onnx__TensorProto *constant = constant_input(writing, node, i);

		inputs[i] = node->proto->input[i];
		if (!node->is_quantized || node->inputs[i] == NO_TENSOR)
			continue;
		if (!constant)
			inputs[i] = (char *)read_tensor(writing, node->inputs[i], node->is_wide);
		else if (node->role == QUANTIZER_BINARY && quantizer_constant_count(constant) > 1)
			inputs[i] = write_operand(writing, node, i, constant);
	}
}

static void write_node(struct writing *writing, const struct quantizer_node *node)
{
	const struct nn_quantizer *quantizer = writing->quantizer;
	Onnx__NodeProto *copy = nn_pool_copy(writing->pool, node->proto, sizeof(*copy));
	/* With room for a bias that there was not. */
	char **inputs = nn_pool_array(writing->pool, node->proto->n_input + 1, sizeof(*inputs));
	char **outputs = nn_pool_array(writing->pool, node->proto->n_output + 1, sizeof(*outputs));
	uint32_t made = NO_TENSOR;

	if (!copy || !inputs || !outputs) {
		writing->failed = true;
		return;
	}
	copy->input = inputs;
	copy->output = outputs;
	/* Constant weights set the bias, too. */
	write_inputs(writing, node, inputs);
	if (node->is_quantized && node->role == QUANTIZER_PRODUCT && constant_input(writing, node, 1))
		write_weights(writing, node, inputs);
	if (copy->n_input == 2 && inputs[2])
		copy->n_input = 3;
	for (size_t k = 0; k < node->proto->n_output; k++)
		outputs[k] = node->proto->output[k];
	writing->failed |= !quantizer_push(writing->pool, &writing->nodes, copy);
	for (size_t k = 0; k < node->proto->n_output && !writing->failed; k++) {
		if (node->outputs[k] == NO_TENSOR)
			continue;
		made = find_made(quantizer, node->outputs[k]);
		if (!is_renamed(&quantizer->tensors[made]) || !node->is_quantized)
			continue;
		outputs[k] = new_name(writing, quantizer->tensors[made].name, "_float");
		if (!writing->failed)
			add_rounding(writing, made, outputs[k], quantizer->tensors[made].name,
				     node->is_wide);
	}
}

/* ---- Bytes of pictures ---- */

/* Whether the model has one input, of floats, with as many channels as there are said to be. */
static bool takes_pixels(const struct nn_quantizer *quantizer)
{
	const struct nn_quantize_options *pixels = quantizer->pixels;
	const Onnx__GraphProto *graph = quantizer->model->graph;
	const Onnx__TensorShapeProto *shape;
	uint32_t tensor;

	if (graph->n_input != 1)
		return false;
	tensor = quantizer_find(quantizer, graph->input[0]->name);
	if (tensor == NO_TENSOR || !quantizer->tensors[tensor].is_float ||
	    quantizer->tensors[tensor].is_captured || quantizer->tensors[tensor].is_output)
		return false;
	shape = graph->input[0]->type->tensor_type->shape;
	if (pixels->pixel_channels == 1)
		return true;
	return shape && pixels->pixel_axis < shape->n_dim &&
	       shape->dim[pixels->pixel_axis]->value_case ==
		       ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
	       shape->dim[pixels->pixel_axis]->dim_value == pixels->pixel_channels;
}

/* A constant with a number for each channel. */
static char *add_channels(struct writing *writing, char *name, const float *numbers)
{
	const struct nn_quantizer *quantizer = writing->quantizer;
	const struct nn_quantize_options *pixels = quantizer->pixels;
	uint32_t rank = 0;
	int64_t *dims;

	if (pixels->pixel_channels > 1)
		rank = quantizer->model->graph->input[0]->type->tensor_type->shape->n_dim;
	dims = nn_pool_array(writing->pool, rank + 1, sizeof(*dims));
	if (!dims) {
		writing->failed = true;
		return NULL;
	}
	for (uint32_t i = 0; i < rank; i++)
		dims[i] = i == pixels->pixel_axis ? pixels->pixel_channels : 1;
	return add_constant(writing, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dims, numbers);
}

/*
 * Adds what makes of bytes the floats that the model takes: between integers and integers that is
 * a table for each channel. The name of what it makes; NULL: no memory.
 */
static char *add_pixels(struct writing *writing)
{
	const struct nn_quantize_options *pixels = writing->quantizer->pixels;
	char *input = writing->quantizer->model->graph->input[0]->name;
	char *bytes = new_name(writing, input, "_bytes"), *scaled = new_name(writing, input, "_scaled");
	char *made = new_name(writing, input, "_float"), *scale, *zero_point, *factors, *terms;
	const int64_t none = 0;

	scale = add_constant(writing, new_name(writing, input, "_byte_scale"),
			     ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, &none, &(float){ 1 });
	zero_point = add_constant(writing, new_name(writing, input, "_byte_zero_point"),
				  ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 0, &none, NULL);
	factors = add_channels(writing, new_name(writing, input, "_factors"), pixels->pixel_factors);
	terms = add_channels(writing, new_name(writing, input, "_terms"), pixels->pixel_terms);
	if (writing->failed)
		return NULL;
	add_node(writing, "DequantizeLinear", input, scale, zero_point, bytes, -1);
	add_node(writing, "Mul", bytes, factors, NULL, scaled, -1);
	add_node(writing, "Add", scaled, terms, NULL, made, -1);
	return made;
}

/* Has all nodes but those of add_pixels() read what these make, and the input be of bytes. */
static void set_pixels(struct writing *writing, Onnx__GraphProto *graph, size_t first, char *made)
{
	Onnx__ValueInfoProto *info = nn_pool_copy(writing->pool, graph->input[0], sizeof(*info));
	Onnx__TypeProto *type = nn_pool_copy(writing->pool, graph->input[0]->type, sizeof(*type));
	Onnx__TypeProto__Tensor *tensor =
		nn_pool_copy(writing->pool, graph->input[0]->type->tensor_type, sizeof(*tensor));
	Onnx__ValueInfoProto **inputs = nn_pool_array(writing->pool, 1, sizeof(*inputs));

	if (!info || !type || !tensor || !inputs) {
		writing->failed = true;
		return;
	}
	for (size_t i = first; i < writing->nodes.count; i++) {
		Onnx__NodeProto *node = writing->nodes.items[i];

		for (size_t k = 0; k < node->n_input; k++) {
			if (!strcmp(node->input[k], info->name))
				node->input[k] = made;
		}
	}
	tensor->elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
	type->tensor_type = tensor;
	info->type = type;
	inputs[0] = info;
	graph->input = inputs;
}

/* Constants that something still reads. */
static void write_constants(struct writing *writing)
{
	const struct nn_quantizer *quantizer = writing->quantizer;
	bool *is_read = nn_pool_array(writing->pool, quantizer->tensor_count + 1, sizeof(*is_read));

	if (!is_read) {
		writing->failed = true;
		return;
	}
	for (size_t i = 0; i < writing->nodes.count; i++) {
		const Onnx__NodeProto *node = writing->nodes.items[i];

		for (size_t k = 0; k < node->n_input; k++) {
			uint32_t tensor = quantizer_find(quantizer, node->input[k]);

			if (tensor != NO_TENSOR)
				is_read[tensor] = true;
		}
	}
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		const struct quantizer_tensor *tensor = &quantizer->tensors[i];

		if (tensor->constant && (is_read[i] || tensor->is_output || tensor->is_captured))
			writing->failed |= !quantizer_push(writing->pool, &writing->constants,
							   (void *)tensor->constant);
	}
}

/* Has the model know the domain of 16 bits, if it is of an opset that has none. */
static void add_domain(struct writing *writing, Onnx__ModelProto *model)
{
	struct quantizer_list list = { (void **)model->opset_import, model->n_opset_import,
				       model->n_opset_import };
	Onnx__OperatorSetIdProto *opset;

	if (quantizer_opset(writing->quantizer)->version >= WIDE_OPSET)
		return;
	for (size_t i = 0; i < model->n_opset_import; i++) {
		if (model->opset_import[i]->domain &&
		    !strcmp(model->opset_import[i]->domain, WIDE_DOMAIN))
			return;
	}
	opset = nn_pool_alloc(writing->pool, sizeof(*opset));
	if (!opset) {
		writing->failed = true;
		return;
	}
	onnx__operator_set_id_proto__init(opset);
	opset->domain = nn_pool_string(writing->pool, WIDE_DOMAIN);
	opset->has_version = true;
	opset->version = 1;
	writing->failed |= !opset->domain || !quantizer_push(writing->pool, &list, opset);
	model->opset_import = (Onnx__OperatorSetIdProto **)list.items;
	model->n_opset_import = list.count;
}

int quantizer_pack(struct nn_quantizer *quantizer, const Onnx__ModelProto *model, uint8_t **bytes,
		   size_t *size)
{
	*size = onnx__model_proto__get_packed_size(model);
	*bytes = NULL;
	if (*size > INT32_MAX)
		return quantizer_fail(quantizer, -EOVERFLOW, "the model has more than 2 GiB");
	*bytes = malloc(*size + 1);
	if (!*bytes)
		return quantizer_no_memory(quantizer);
	onnx__model_proto__pack(model, *bytes);
	return 0;
}

int quantizer_write(struct nn_quantizer *quantizer, uint8_t **bytes, size_t *size)
{
	static char producer[] = "nnloop quantize";
	struct nn_pool_mark mark = nn_pool_get_mark(&quantizer->pool);
	struct writing writing = { .quantizer = quantizer, .pool = &quantizer->pool };
	Onnx__ModelProto model = *quantizer->model;
	Onnx__GraphProto graph = *quantizer->model->graph;
	char *pixels = NULL;
	int64_t least;
	size_t first;
	int err = 0;

	if (quantizer->pixels && !takes_pixels(quantizer))
		return quantizer_fail(quantizer, -EOPNOTSUPP,
				      "the model has not one input of float32 with %u channels, for the bytes of pictures",
				      quantizer->pixels->pixel_channels);
	for (int i = 0; i < 2; i++) {
		writing.rounded[i] = nn_pool_array(writing.pool, quantizer->tensor_count + 1,
						   sizeof(*writing.rounded[i]));
		writing.failed |= !writing.rounded[i];
	}
	if (quantizer->pixels && !writing.failed)
		pixels = add_pixels(&writing);
	first = writing.nodes.count;
	for (uint32_t i = 0; i < quantizer->node_count && !writing.failed; i++) {
		if (!quantizer->nodes[i].is_merged)
			write_node(&writing, &quantizer->nodes[i]);
	}
	if (pixels && !writing.failed)
		set_pixels(&writing, &graph, first, pixels);
	if (!writing.failed)
		write_constants(&writing);
	if (!writing.failed && writing.has_wide)
		add_domain(&writing, &model);
	if (writing.failed) {
		err = quantizer_no_memory(quantizer);
	} else {
		graph.node = (Onnx__NodeProto **)writing.nodes.items;
		graph.n_node = writing.nodes.count;
		graph.initializer = (Onnx__TensorProto **)writing.constants.items;
		graph.n_initializer = writing.constants.count;
		graph.n_value_info = 0;
		graph.n_quantization_annotation = 0;
		model.graph = &graph;
		model.producer_name = producer;
		model.producer_version = NULL;
		least = quantizer_opset(quantizer)->version < 15 ? LEAST_IR : LATER_IR;
		if (model.ir_version < least)
			model.ir_version = least;
		err = quantizer_pack(quantizer, &model, bytes, size);
	}
	nn_pool_rewind(&quantizer->pool, mark);
	return err;
}
