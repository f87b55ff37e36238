// SPDX-License-Identifier: MIT
/*
 * Operators of nnloop's own domain, org.nnloop: loop-control nodes, and what runs in their loops.
 * In a model they are functions with a body of standard operators that does the same without a
 * loop; the body is for other runtimes and is not looked at here.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "onnx.h"

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
static int append(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		  uint32_t input_count, struct onnx_value *values, uint32_t value_count)
{
	struct nn_input *sources = onnx_alloc(import, input_count, sizeof(*sources));
	struct nn_tensor_info *infos = onnx_alloc(import, value_count, sizeof(*infos));
	struct nn_node_desc node = {
		.id = import->next_id,
		.op = op,
		.name = import->node->name,
		.inputs = sources,
		.input_count = input_count,
		.outputs = infos,
		.output_count = value_count,
	};
	struct nn_attr *attrs = NULL;
	int err;

	if (!sources || !infos)
		return -ENOMEM;
	if (import->node->n_output > value_count)
		return onnx_fail(import, -EINVAL, "it has %zu outputs, and makes %" PRIu32,
				 import->node->n_output, value_count);
	for (uint32_t i = 0; i < input_count; i++)
		sources[i] = inputs[i].source;
	for (uint32_t i = 0; i < value_count; i++) {
		const struct onnx_quant *quant = &values[i].stored.quant;

		values[i].stored.source = (struct nn_input) { import->next_id, i };
		infos[i].name = i < import->node->n_output ? import->node->output[i] : NULL;
		infos[i].type = quant->type;
		infos[i].scale = quant->scale;
		infos[i].zero_point = quant->zero_point;
		onnx_define(import, i, &values[i]);
	}
	err = copy_attrs(import, &attrs, &node.attr_count);
	if (err)
		return err;
	node.attrs = attrs;
	err = nn_graph_append_locked(import->graph, &node);
	if (!err)
		import->next_id++;
	return err;
}

int onnx_append_loop(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		     uint32_t count, const struct nn_attr *attrs, uint32_t attr_count,
		     struct onnx_stored *outputs)
{
	struct nn_input *sources = onnx_alloc(import, count, sizeof(*sources));
	struct nn_node_desc node = {
		.id = import->next_id,
		.op = op,
		.name = import->node->name,
		.inputs = sources,
		.input_count = count,
		.attrs = attrs,
		.attr_count = attr_count,
	};
	int err;

	if (!sources)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		sources[i] = inputs[i].source;
		outputs[i] = inputs[i];
		outputs[i].source = (struct nn_input) { import->next_id, i };
	}
	err = nn_graph_append_locked(import->graph, &node);
	if (err)
		return err;
	import->next_id++;
	import->loop_count++;
	return 0;
}

/* BatchLoop and CountLoop: each output is rows of an input; one more is the owner of each row. */
int onnx_lower_loop(struct onnx_import *import)
{
	uint32_t count = import->node->n_input;
	bool owner = onnx_attr_int(import->node, "owner", 0);
	struct onnx_stored *inputs = onnx_alloc(import, count, sizeof(*inputs));
	struct onnx_value *values = onnx_alloc(import, count + owner, sizeof(*values));

	if (!inputs || !values)
		return -ENOMEM;
	if (!count)
		return onnx_fail(import, -EINVAL, "it has no inputs");
	for (uint32_t i = 0; i < count; i++) {
		const struct onnx_value *x = onnx_movable_input(import, i);

		if (!x)
			return onnx_failed(import);
		inputs[i] = x->stored;
		values[i] = *x;
		values[i].dims[0] = ONNX_ROWS;
	}
	if (owner)
		values[count] = (struct onnx_value) {
			.kind = ONNX_STORED,
			.rank = 1,
			.stored.quant.type = NN_INT32,
		};
	import->loop_count++;
	return append(import, import->node->op_type, inputs, count, values, count + owner);
}

/* Input i as a node's input: a stored tensor in a layout, or a constant of integers. */
static int stored_input(struct onnx_import *import, uint32_t i, enum onnx_layout layout,
			struct onnx_stored *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	struct nn_tensor_info info = { .name = value->name };

	if (value->kind == ONNX_CONST) {
		info.type = onnx_to_nn_type(value->constant.type);
		info.rank = value->rank;
		memcpy(info.dims, value->dims, sizeof(info.dims));
		if (!info.type || !info.rank)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input %" PRIu32 " is a constant of %s", i,
					 onnx_type_name(value->constant.type));
		return onnx_append_const(import, &info, value->constant.data, out);
	}
	value = onnx_movable_input(import, i);
	return value ? onnx_in_layout(import, value, layout, out) : onnx_failed(import);
}

/* docs/reader.md; images and grids are N, C, H, W in ONNX. */
int onnx_lower_proposal(struct onnx_import *import)
{
	static const enum onnx_layout layouts[4] = { ONNX_NHWC, ONNX_NHWC, ONNX_PLAIN, ONNX_PLAIN };
	struct onnx_value values[3] = {
		{ .kind = ONNX_STORED, .rank = 2, .dims = { 0, 4 }, .stored.quant.type = NN_INT32 },
		{ .kind = ONNX_STORED, .rank = 1, .stored.quant.type = NN_UINT8 },
		{ .kind = ONNX_STORED, .rank = 1, .stored.quant.type = NN_INT32 },
	};
	struct onnx_stored inputs[4];

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
	static const enum onnx_layout layouts[3] = { ONNX_NHWC, ONNX_PLAIN, ONNX_PLAIN };
	int64_t height = onnx_attr_int(import->node, "height", 0);
	int64_t width = onnx_attr_int(import->node, "width", 0);
	const struct onnx_value *image = onnx_movable_input(import, 0);
	struct onnx_stored inputs[3];
	struct onnx_value value;
	uint64_t elements;
	int err;

	if (!image)
		return onnx_failed(import);
	if (height < 1 || height > UINT16_MAX || width < 1 || width > UINT16_MAX)
		return onnx_fail(import, -EINVAL, "it makes images of %" PRId64 " x %" PRId64,
				 height, width);
	if (import->node->n_input != 3 || image->rank != 4)
		return onnx_fail(import, -EINVAL, "it has %zu inputs, not images, boxes and owners",
				 import->node->n_input);
	for (uint32_t i = 0; i < 3; i++) {
		err = stored_input(import, i, layouts[i], &inputs[i]);
		if (err)
			return err;
	}
	value = *image;
	value.dims[0] = ONNX_ROWS;
	value.dims[2] = height;
	value.dims[3] = width;
	value.stored.layout = ONNX_NHWC;
	err = onnx_item_elements(import, 4, value.dims, &elements);
	return err ? err : append(import, "CropResize", inputs, 3, &value, 1);
}
