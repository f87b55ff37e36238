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
#include "ops/support/slices.h"

/* Attributes' names end up in messages. */
static bool is_word(const char *name)
{
	return name && *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")];
}

/* The current node's attributes, integers, lists of them and words, as they are, but for axis: that is
 * a dimension of the model, and becomes `axis`, the one that is stored. */
static int copy_attrs(struct onnx_import *import, uint32_t axis, struct nn_attr **attrs,
		      uint32_t *count)
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
		if (attr->has_s) {
			list[i].type = NN_ATTR_STRING;
			list[i].string = onnx_attr_string(import, attr->name, "");
		} else if (attr->has_i) {
			list[i].type = NN_ATTR_INT;
			list[i].i = strcmp(attr->name, "axis") ? attr->i : axis;
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
static int append(struct onnx_import *import, const char *op, uint32_t axis,
		  const struct nn_build_tensor *inputs, uint32_t input_count,
		  struct onnx_value *values, uint32_t value_count)
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
	err = copy_attrs(import, axis, &attrs, &attr_count);
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

/* ---- Loops, and what is collected of them ---- */

const struct onnx_cut *onnx_find_cut(struct onnx_import *import)
{
	const struct onnx_cut *deepest = NULL;

	for (uint32_t i = 0; import->node && i < import->node->n_input; i++) {
		const struct onnx_cut *cut = onnx_input(import, i)->cut;

		if (cut && (!deepest || cut->depth > deepest->depth))
			deepest = cut;
	}
	return deepest;
}

/* The dimension of the model that the attribute axis of the current node is, of inputs of that rank. */
static int find_axis(struct onnx_import *import, uint32_t rank, uint32_t *axis)
{
	int64_t at = onnx_attr_int(import->node, "axis", 0);

	at += at < 0 ? rank : 0;
	if (at < 0 || at >= rank)
		return onnx_fail(import, -EINVAL, "its axis is none of %" PRIu32 " dimensions", rank);
	*axis = at;
	return 0;
}

/* A loop that the current node begins, over rows or over so many windows. */
static int begin_cut(struct onnx_import *import, uint32_t windows)
{
	const struct onnx_cut *around = onnx_find_cut(import);
	struct onnx_cut *cut = onnx_alloc(import, 1, sizeof(*cut));

	if (!cut)
		return -ENOMEM;
	*cut = (struct onnx_cut){ .around = around,
				  .depth = around ? around->depth + 1 : 1,
				  .windows = windows };
	for (uint32_t i = 0; i < import->node->n_output; i++) {
		struct onnx_value *value = onnx_output(import, i);

		if (value)
			value->cut = cut;
	}
	import->loop_count++;
	return 0;
}

int onnx_begin_found(struct onnx_import *import)
{
	int err = begin_cut(import, 0);
	struct onnx_value *value = onnx_output(import, 0);
	struct onnx_cut *cut;

	if (err || !value)
		return err;
	cut = onnx_alloc(import, 1, sizeof(*cut));
	if (!cut)
		return -ENOMEM;
	*cut = *value->cut;
	cut->is_of_found = true;
	value->cut = cut;
	return 0;
}

/* How many windows of `size` the current node hands out, and how large each is. */
static int count_windows(struct onnx_import *import, uint32_t size, uint32_t *window,
			 uint32_t *count)
{
	bool stepped = onnx_attr(import->node, "step");
	int64_t wide = onnx_attr_int(import->node, stepped ? "step" : "window", 0);
	int64_t stride = onnx_attr_int(import->node, "stride", wide);
	struct nn_slices slices = { 0 };

	if (wide < 1 || wide > INT32_MAX || stride < 1 || stride > INT32_MAX)
		return onnx_fail(import, -EINVAL,
				 "its step, or window and stride, must be from 1 to 2^31 - 1");
	slices.window = wide;
	slices.stride = stride;
	if (!nn_slices_read_tail(onnx_attr_string(import, "tail", "short"), &slices.tail))
		return onnx_fail(import, -EINVAL, "its tail is none of short, pad and drop");
	*window = wide;
	*count = nn_slices_count(&slices, size);
	if (!*count)
		return onnx_fail(import, -EINVAL,
				 "it has no window: there are %" PRIu32 " of %" PRIu32, size,
				 *window);
	return 0;
}

/* Input i as a loop takes it along a dimension of the model: it keeps the order that it is stored in,
 * where `like` has the same; NULL: this is the first. */
static int loop_input(struct onnx_import *import, uint32_t i, uint32_t axis,
		      const struct nn_build_tensor *like, struct onnx_value *out)
{
	const struct onnx_value *x = onnx_movable_input(import, i);
	bool as_it_is;

	if (!x)
		return onnx_failed(import);
	*out = *x;
	as_it_is = !axis || (x->tensor.layout != NN_LAYOUT_FLAT_NHWC &&
			     (!like || like->layout == x->tensor.layout));
	if (as_it_is)
		return 0;
	return nn_build_layout(&import->builder, &x->tensor, like ? like->layout : NN_LAYOUT_PLAIN,
			       &out->tensor);
}

/* BatchLoop and CountLoop: each output is rows of an input, or a window of its dimension `axis`; one
 * more is the owner of each row. */
int onnx_lower_loop(struct onnx_import *import)
{
	uint32_t count = import->node->n_input, axis = 0, window = 0, windows = 0;
	bool owner = onnx_attr_int(import->node, "owner", 0);
	struct nn_build_tensor *inputs = onnx_alloc(import, count, sizeof(*inputs));
	struct onnx_value *values = onnx_alloc(import, count + owner, sizeof(*values));
	int err = 0;

	if (!inputs || !values)
		return -ENOMEM;
	if (!count)
		return onnx_fail(import, -EINVAL, "it has no inputs");
	if (onnx_attr(import->node, "axis"))
		err = find_axis(import, onnx_input(import, 0)->tensor.rank, &axis);
	for (uint32_t i = 0; i < count && !err; i++) {
		err = loop_input(import, i, axis, i ? &inputs[0] : NULL, &values[i]);
		if (err)
			break;
		inputs[i] = values[i].tensor;
		if (axis >= inputs[i].rank)
			return onnx_fail(import, -EINVAL, "its input %" PRIu32 " has no dimension %" PRIu32,
					 i, axis);
		if (axis && !i)
			err = count_windows(import, inputs[i].dims[axis], &window, &windows);
		values[i].tensor.dims[axis] = axis ? window : NN_ROWS;
	}
	if (err)
		return err;
	if (owner)
		values[count] = (struct onnx_value){
			.kind = ONNX_STORED,
			.tensor.rank = 1,
			.tensor.quant.type = NN_INT32,
		};
	err = append(import, import->node->op_type, nn_layout_axis(inputs[0].layout, axis), inputs,
		     count, values, count + owner);
	return err ? err : begin_cut(import, windows);
}

/*
 * Collect, along another dimension than rows: of the loop over windows that its first input is made in.
 * What has no loops tells by its second input, a value of the loop around, how many rows an iteration
 * had.
 */
int onnx_lower_collect(struct onnx_import *import)
{
	const struct onnx_value *around = onnx_input(import, 1);
	const struct onnx_cut *cut = onnx_input(import, 0)->cut;
	struct onnx_value value, *output = onnx_output(import, 0);
	struct nn_build_tensor input;
	uint32_t axis = 0;
	int err;

	err = find_axis(import, onnx_input(import, 0)->tensor.rank, &axis);
	if (err)
		return err;
	if (!axis || !cut || !cut->windows)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it collects rows, or of no BatchLoop over windows of another dimension");
	if (!onnx_is_tensor(around) || around->cut != cut->around)
		return onnx_fail(import, -EINVAL,
				 "its second input is no value of the loop around the one that it leaves");
	err = loop_input(import, 0, axis, NULL, &value);
	if (err)
		return err;
	input = value.tensor;
	if (__builtin_mul_overflow(input.dims[axis], cut->windows, &value.tensor.dims[axis]))
		return onnx_fail(import, -EOVERFLOW, "it collects more than 2^32 - 1 of dimension %" PRIu32,
				 axis);
	err = append(import, "Collect", nn_layout_axis(input.layout, axis), &input, 1, &value, 1);
	if (!err && output)
		output->cut = cut->around;
	return err;
}

/* ---- What runs in them ---- */

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
	int err;

	if (import->node->n_input != 4)
		return onnx_fail(import, -EINVAL, "it has %zu inputs, not 4",
				 import->node->n_input);
	for (uint32_t i = 0; i < 4; i++) {
		err = stored_input(import, i, layouts[i], &inputs[i]);
		if (err)
			return err;
	}
	err = append(import, "Proposal", 0, inputs, 4, values, 3);
	return err ? err : begin_cut(import, 0);
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
	return err ? err : append(import, "CropResize", 0, inputs, 3, &value, 1);
}
