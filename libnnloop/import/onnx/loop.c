// SPDX-License-Identifier: MIT
/*
 * Operators of nnloop's own domain, org.nnloop: loop-control nodes, and what runs in their loops.
 * In a model they are functions with a body of standard operators that does the same without a
 * loop; the body is for other runtimes and is not looked at here.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* Attributes' names end up in messages. */
static bool is_word(const char *name)
{
	return name && *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")];
}

/* The current node's attributes, integers and lists of them, as they are. */
static int copy_attrs(struct onnx_import *import, struct nn_attr **attrs, uint32_t *count)
{
	const Onnx__NodeProto *node = import->node;
	struct nn_attr *list = onnx_alloc(import, node->n_attribute, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < node->n_attribute; i++) {
		const Onnx__AttributeProto *attr = node->attribute[i];

		if (!is_word(attr->name))
			return onnx_fail(import, -EINVAL, "it has no attribute %s",
					 onnx_quote(import, attr->name));
		list[i].name = attr->name;
		if (attr->has_i) {
			list[i].type = NN_ATTR_INT;
			list[i].i = attr->i;
		} else if (attr->n_ints && attr->n_ints <= NN_MAX_RANK) {
			list[i].type = NN_ATTR_INTS;
			list[i].count = attr->n_ints;
			list[i].ints = attr->ints;
		} else {
			return onnx_fail(import, -EINVAL, "its attribute %s is no number",
					 onnx_quote(import, attr->name));
		}
	}
	*attrs = list;
	*count = node->n_attribute;
	return 0;
}

/* Appends the current node, and gives its outputs the values, all but where they are filled in. */
static int append(struct onnx_import *import, const char *op, const struct nn_build_tensor *inputs,
		  uint32_t input_count, struct onnx_value *values, uint32_t value_count)
{
	const Onnx__NodeProto *node = import->node;
	struct nn_build_tensor *outputs = onnx_alloc(import, value_count, sizeof(*outputs));
	struct nn_attr *attrs = NULL;
	uint32_t attr_count = 0;
	int err;

	if (!outputs)
		return -ENOMEM;
	if (node->n_output > value_count)
		return onnx_fail(import, -EINVAL, "it has %zu outputs, and makes %" PRIu32,
				 node->n_output, value_count);
	err = copy_attrs(import, &attrs, &attr_count);
	if (err)
		return err;
	for (uint32_t i = 0; i < value_count; i++) {
		outputs[i] = values[i].tensor;
		outputs[i].name = i < node->n_output ? node->output[i] : NULL;
	}
	err = nn_build_outputs(&import->builder, op, inputs, input_count, attrs, attr_count,
			       outputs, value_count);
	for (uint32_t i = 0; i < value_count && !err; i++) {
		values[i].tensor = outputs[i];
		err = onnx_define(import, i, &values[i]);
	}
	return err;
}

/* BatchLoop and CountLoop: each output is rows of an input; one more is the owner of each row. */
int onnx_lower_loop(struct onnx_import *import)
{
	uint32_t count = import->node->n_input;
	bool owner = onnx_attr_int(import->node, "owner", 0);
	struct nn_build_tensor *inputs = onnx_alloc(import, count, sizeof(*inputs));
	struct onnx_value *values = onnx_alloc(import, count + owner, sizeof(*values));

	if (!inputs || !values)
		return -ENOMEM;
	if (!count)
		return onnx_fail(import, -EINVAL, "it has no inputs");
	for (uint32_t i = 0; i < count; i++) {
		const struct onnx_value *x = onnx_movable_input(import, i);

		if (!x)
			return onnx_failed(import);
		inputs[i] = x->tensor;
		values[i] = *x;
		values[i].tensor.dims[0] = NN_ROWS;
	}
	if (owner)
		values[count] = (struct onnx_value){
			.kind = ONNX_STORED,
			.tensor.rank = 1,
			.tensor.quant.type = NN_INT32,
		};
	import->loop_count++;
	return append(import, import->node->op_type, inputs, count, values, count + owner);
}

/* Input i as a node's input: a stored tensor in a layout, or a constant of integers. */
static int stored_input(struct onnx_import *import, uint32_t i, enum nn_layout layout,
			struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	struct nn_tensor_info info = { .name = value->tensor.name };

	if (value->kind == ONNX_CONST) {
		info.type = nn_element_to_type(value->constant.element);
		info.rank = value->tensor.rank;
		memcpy(info.dims, value->tensor.dims, sizeof(info.dims));
		if (!info.type || !info.rank)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input %" PRIu32 " is a constant of %s", i,
					 nn_element_name(value->constant.element));
		return nn_build_const(&import->builder, &info, value->constant.data, out);
	}
	value = onnx_movable_input(import, i);
	return value ? nn_build_layout(&import->builder, &value->tensor, layout, out) :
		       onnx_failed(import);
}

/* docs/reader.md; images and grids are N, C, H, W in ONNX. */
int onnx_lower_proposal(struct onnx_import *import)
{
	static const enum nn_layout layouts[4] = { NN_LAYOUT_NHWC, NN_LAYOUT_NHWC, NN_LAYOUT_PLAIN,
						   NN_LAYOUT_PLAIN };
	struct onnx_value values[3] = {
		{ .kind = ONNX_STORED,
		  .tensor.rank = 2,
		  .tensor.dims = { 0, 4 },
		  .tensor.quant.type = NN_INT32 },
		{ .kind = ONNX_STORED, .tensor.rank = 1, .tensor.quant.type = NN_UINT8 },
		{ .kind = ONNX_STORED, .tensor.rank = 1, .tensor.quant.type = NN_INT32 },
	};
	struct nn_build_tensor inputs[4];

	if (import->node->n_input != 4)
		return onnx_fail(import, -EINVAL, "it has %zu inputs, not 4",
				 import->node->n_input);
	for (uint32_t i = 0; i < 4; i++) {
		int err = stored_input(import, i, layouts[i], &inputs[i]);

		if (err)
			return err;
	}
	import->loop_count++;
	return append(import, "Proposal", inputs, 4, values, 3);
}

int onnx_lower_crop_resize(struct onnx_import *import)
{
	static const enum nn_layout layouts[3] = { NN_LAYOUT_NHWC, NN_LAYOUT_PLAIN,
						   NN_LAYOUT_PLAIN };
	int64_t height = onnx_attr_int(import->node, "height", 0);
	int64_t width = onnx_attr_int(import->node, "width", 0);
	const struct onnx_value *image = onnx_movable_input(import, 0);
	struct nn_build_tensor inputs[3];
	struct onnx_value value;
	uint64_t elements;
	int err;

	if (!image)
		return onnx_failed(import);
	if (height < 1 || height > UINT16_MAX || width < 1 || width > UINT16_MAX)
		return onnx_fail(import, -EINVAL, "it makes images of %" PRId64 " x %" PRId64,
				 height, width);
	if (import->node->n_input != 3 || image->tensor.rank != 4)
		return onnx_fail(import, -EINVAL, "it has %zu inputs, not images, boxes and owners",
				 import->node->n_input);
	for (uint32_t i = 0; i < 3; i++) {
		err = stored_input(import, i, layouts[i], &inputs[i]);
		if (err)
			return err;
	}
	value = *image;
	value.tensor.dims[0] = NN_ROWS;
	value.tensor.dims[2] = height;
	value.tensor.dims[3] = width;
	value.tensor.layout = NN_LAYOUT_NHWC;
	err = nn_item_elements(&import->builder, 4, value.tensor.dims, &elements);
	return err ? err : append(import, "CropResize", inputs, 3, &value, 1);
}
