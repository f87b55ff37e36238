// SPDX-License-Identifier: MIT
/* Nodes of the ONNX model that a TensorFlow Lite model becomes, and constants. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantize/tflite/convert.h"

/* ---- Names ---- */

static int compare_names(const void *a, const void *b)
{
	const struct convert_name *first = a, *second = b;
	int order = strcmp(first->name, second->name);

	return order ? order : first->tensor < second->tensor ? -1 : 1;
}

void convert_list_names(struct conversion *c)
{
	c->file_names = nn_pool_array(c->pool, c->import->tensor_count + 1, sizeof(*c->file_names));
	if (!c->file_names) {
		convert_no_memory(c);
		return;
	}
	for (uint32_t i = 0; i < c->import->tensor_count; i++) {
		const char *name = c->import->tensors[i].name;

		if (name && *name)
			c->file_names[c->file_name_count++] = (struct convert_name){ name, i };
	}
	qsort(c->file_names, c->file_name_count, sizeof(*c->file_names), compare_names);
}

uint32_t convert_find_name(const struct conversion *c, const char *name)
{
	uint32_t low = 0, high = c->file_name_count;

	/* The first that is not before it. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(c->file_names[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->file_name_count || strcmp(c->file_names[low].name, name))
		return NO_TENSOR;
	return c->file_names[low].tensor;
}

const char *convert_new_name(struct conversion *c, const char *name)
{
	size_t room = (name ? strlen(name) : 0) + 16;
	char *made = nn_pool_alloc(c->pool, room);

	if (!made) {
		convert_no_memory(c);
		return "";
	}
	/* The numbers differ, and so do all that are made. */
	do {
		snprintf(made, room, "%s_%u", name ? name : "tensor", c->made_names++);
	} while (convert_find_name(c, made) != NO_TENSOR);
	return made;
}

/* ---- Nodes ---- */

Onnx__NodeProto *convert_add(struct conversion *c, const char *op, const char *const *inputs,
			     uint32_t count, const char *made)
{
	Onnx__NodeProto *node = nn_pool_alloc(c->pool, sizeof(*node));
	char **names = nn_pool_copy(c->pool, inputs, count * sizeof(*names));
	char **outputs = nn_pool_copy(c->pool, &made, sizeof(made));

	if (!node || !names || !outputs) {
		convert_no_memory(c);
		return NULL;
	}
	onnx__node_proto__init(node);
	node->op_type = (char *)op;
	node->input = names;
	node->n_input = count;
	node->output = outputs;
	node->n_output = 1;
	/* By it somebody can say that the operator is to be kept in float. */
	if (!c->is_named && strcmp(op, "Transpose") && c->now->output_count)
		node->name = (char *)convert_output(c, 0)->name;
	c->is_named |= !!node->name;
	if (!quantizer_push(c->pool, &c->nodes, node))
		convert_no_memory(c);
	return node;
}

static Onnx__AttributeProto *add_attribute(struct conversion *c, Onnx__NodeProto *node,
					   const char *name, int type)
{
	struct quantizer_list list;
	Onnx__AttributeProto *attribute = nn_pool_alloc(c->pool, sizeof(*attribute));

	if (!node || !attribute) {
		convert_no_memory(c);
		return NULL;
	}
	onnx__attribute_proto__init(attribute);
	attribute->name = (char *)name;
	attribute->has_type = true;
	attribute->type = type;
	list = (struct quantizer_list){ (void **)node->attribute, node->n_attribute,
					node->n_attribute };
	if (!quantizer_push(c->pool, &list, attribute)) {
		convert_no_memory(c);
		return NULL;
	}
	node->attribute = (Onnx__AttributeProto **)list.items;
	node->n_attribute = list.count;
	return attribute;
}

void convert_set_int(struct conversion *c, Onnx__NodeProto *node, const char *name, int64_t value)
{
	Onnx__AttributeProto *attribute =
		add_attribute(c, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	if (!attribute)
		return;
	attribute->has_i = true;
	attribute->i = value;
}

void convert_set_ints(struct conversion *c, Onnx__NodeProto *node, const char *name,
		      const int64_t *values, uint32_t count)
{
	Onnx__AttributeProto *attribute =
		add_attribute(c, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

	if (!attribute)
		return;
	attribute->n_ints = count;
	attribute->ints = nn_pool_copy(c->pool, values, count * sizeof(*values));
	if (!attribute->ints)
		convert_no_memory(c);
}

void convert_set_float(struct conversion *c, Onnx__NodeProto *node, const char *name, float value)
{
	Onnx__AttributeProto *attribute =
		add_attribute(c, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

	if (!attribute)
		return;
	attribute->has_f = true;
	attribute->f = value;
}

void convert_set_string(struct conversion *c, Onnx__NodeProto *node, const char *name,
			const char *value)
{
	Onnx__AttributeProto *attribute =
		add_attribute(c, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);

	if (!attribute)
		return;
	attribute->has_s = true;
	attribute->s.len = strlen(value);
	attribute->s.data = (uint8_t *)value;
}

/* ---- Constants ---- */

int convert_type(enum nn_element element)
{
	switch (element) {
	case NN_ELEMENT_FLOAT:
		return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	case NN_ELEMENT_INT32:
		return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
	case NN_ELEMENT_INT64:
		return ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
	case NN_ELEMENT_BOOL:
		return ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
	default:
		return 0;
	}
}

static const char *add_constant(struct conversion *c, const char *name, int type, uint32_t rank,
				const int64_t *dims, const void *data)
{
	Onnx__TensorProto *constant = quantizer_constant_new(c->pool, name, type, rank, dims, data);

	if (!constant || !quantizer_push(c->pool, &c->constants, constant))
		convert_no_memory(c);
	return name;
}

const char *convert_constant(struct conversion *c, const char *name, const struct nn_const *values)
{
	int64_t dims[NN_MAX_RANK];

	if (!convert_type(values->element)) {
		convert_refuse(c, "a constant of it is of a type that ONNX has no operator for");
		return "";
	}
	for (uint32_t i = 0; i < values->rank; i++)
		dims[i] = values->dims[i];
	return add_constant(c, convert_new_name(c, name), convert_type(values->element), values->rank,
			    dims, values->data);
}

const char *convert_number(struct conversion *c, float number)
{
	const int64_t none = 0;

	return add_constant(c, convert_new_name(c, "number"), ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0,
			    &none, &number);
}

const char *convert_list(struct conversion *c, const int64_t *values, uint32_t count)
{
	const int64_t dim = count;

	return add_constant(c, convert_new_name(c, "list"), ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1,
			    &dim, values);
}

struct nn_const convert_permute(struct conversion *c, const struct nn_const *values,
				const uint32_t *perm)
{
	struct nn_const out = *values;

	if (!c->err && nn_const_transpose(&c->import->builder, values, perm, &out))
		convert_no_memory(c);
	return out;
}

/* ---- Steps that many operators end with ---- */

void convert_reshape(struct conversion *c, const char *from, const struct tflite_tensor *to,
		     const char *made)
{
	const char *inputs[2] = { from };
	int64_t dims[NN_MAX_RANK];

	convert_shape(to, CONVERT_PLAIN, dims);
	inputs[1] = convert_list(c, dims, to->rank);
	convert_add(c, "Reshape", inputs, 2, made);
}

const char *convert_inner(struct conversion *c, int64_t activation, enum convert_layout layout)
{
	if (activation == TFLITE_ACTIVATION_NONE)
		return convert_define(c, 0, layout);
	return convert_new_name(c, convert_output(c, 0)->name);
}

void convert_activate(struct conversion *c, int64_t activation, const char *inner,
		      enum convert_layout layout)
{
	const struct nn_range range = tflite_activation_range(activation);
	const char *inputs[3] = { inner };

	if (activation == TFLITE_ACTIVATION_NONE)
		return;
	if (activation == TFLITE_ACTIVATION_RELU) {
		convert_add(c, "Relu", inputs, 1, convert_define(c, 0, layout));
		return;
	}
	inputs[1] = convert_number(c, range.low);
	inputs[2] = convert_number(c, range.high);
	convert_add(c, "Clip", inputs, 3, convert_define(c, 0, layout));
}
