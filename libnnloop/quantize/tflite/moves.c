// SPDX-License-Identifier: MIT
/* TensorFlow Lite operators that only move elements, as ONNX has them. */
#include <string.h>

#include "quantize/tflite/convert.h"

/* A dimension, from the last one if negative. */
static uint32_t find_dim(int64_t axis, uint32_t rank)
{
	return axis < 0 ? axis + rank : axis;
}

/* RESHAPE, SQUEEZE, EXPAND_DIMS: all shapes are known. */
void convert_same_elements(struct conversion *c)
{
	const char *x = convert_read(c, 0, CONVERT_PLAIN);

	convert_reshape(c, x, convert_output(c, 0), convert_define(c, 0, CONVERT_PLAIN));
}

void convert_transpose(struct conversion *c)
{
	const struct nn_const *order = convert_ints(c, 1);
	const char *x = convert_read(c, 0, CONVERT_PLAIN);
	int64_t perm[NN_MAX_RANK];
	Onnx__NodeProto *node;

	for (uint64_t i = 0; i < order->count && i < NN_MAX_RANK; i++)
		perm[i] = nn_const_int(order, i);
	node = convert_add(c, "Transpose", &x, 1, convert_define(c, 0, CONVERT_PLAIN));
	convert_set_ints(c, node, "perm", perm, order->count);
}

void convert_concatenation(struct conversion *c)
{
	const enum convert_layout layout = convert_find_layout(c);
	const uint32_t axis = find_dim(c->now->option[0], convert_output(c, 0)->rank);
	const char *inputs[UINT8_MAX];
	Onnx__NodeProto *node;

	for (uint32_t i = 0; i < c->now->input_count; i++) {
		/* Ones in front of a constant would be no part of it. */
		if (layout == CONVERT_TURNED && convert_input(c, i)->rank != 4)
			convert_refuse(c, "its inputs have different numbers of dimensions");
		inputs[i] = convert_read(c, i, layout);
	}
	node = convert_add(c, "Concat", inputs, c->now->input_count, convert_define(c, 0, layout));
	convert_set_int(c, node, "axis", convert_place(axis, layout));
}

void convert_pad(struct conversion *c)
{
	const bool is_mirror = !strcmp(c->now->op->name, "MIRROR_PAD");
	const enum convert_layout layout = c->now->input_count == 2 ? convert_find_layout(c) :
								      CONVERT_PLAIN;
	const struct nn_const *pads = convert_ints(c, 1);
	const uint32_t rank = convert_input(c, 0)->rank;
	const char *inputs[3] = { NULL };
	int64_t list[2 * NN_MAX_RANK];
	Onnx__NodeProto *node;

	if (c->err)
		return;
	if (is_mirror && c->now->option[0]) {
		convert_refuse(c, "it repeats the elements at the edge, too");
		return;
	}
	for (uint32_t i = 0; i < rank; i++) {
		list[convert_place(i, layout)] = nn_const_int(pads, 2 * i);
		list[rank + convert_place(i, layout)] = nn_const_int(pads, 2 * i + 1);
	}
	inputs[0] = convert_read(c, 0, layout);
	inputs[1] = convert_list(c, list, 2 * rank);
	if (c->now->input_count == 3)
		inputs[2] = convert_read(c, 2, CONVERT_PLAIN);
	node = convert_add(c, "Pad", inputs, c->now->input_count, convert_define(c, 0, layout));
	if (is_mirror)
		convert_set_string(c, node, "mode", "reflect");
}

/* ---- Parts ---- */

/* Takes elements of each dimension; made: what they are, of as many dimensions. */
static void add_slice(struct conversion *c, const int64_t *begins, const int64_t *ends,
		      const int64_t *steps, uint32_t rank, const char *made)
{
	int64_t axes[NN_MAX_RANK];
	const char *inputs[5];

	for (uint32_t i = 0; i < rank; i++)
		axes[i] = i;
	inputs[0] = convert_read(c, 0, CONVERT_PLAIN);
	inputs[1] = convert_list(c, begins, rank);
	inputs[2] = convert_list(c, ends, rank);
	inputs[3] = convert_list(c, axes, rank);
	inputs[4] = convert_list(c, steps, rank);
	convert_add(c, "Slice", inputs, 5, made);
}

void convert_slice(struct conversion *c)
{
	const struct nn_const *begin = convert_ints(c, 1), *size = convert_ints(c, 2);
	const struct tflite_tensor *x = convert_input(c, 0);
	int64_t begins[NN_MAX_RANK], ends[NN_MAX_RANK], steps[NN_MAX_RANK];

	if (c->err)
		return;
	for (uint32_t i = 0; i < x->rank; i++) {
		int64_t count = nn_const_int(size, i);

		begins[i] = nn_const_int(begin, i);
		ends[i] = count < 0 ? x->dims[i] : begins[i] + count;
		steps[i] = 1;
	}
	add_slice(c, begins, ends, steps, x->rank, convert_define(c, 0, CONVERT_PLAIN));
}

void convert_strided_slice(struct conversion *c)
{
	enum { BEGIN, END, ELLIPSIS, NEW_AXIS, SHRINK };
	const struct nn_const *bounds[3] = { convert_ints(c, 1), convert_ints(c, 2),
					     convert_ints(c, 3) };
	const struct tflite_tensor *x = convert_input(c, 0), *made = convert_output(c, 0);
	int64_t begins[NN_MAX_RANK], ends[NN_MAX_RANK], steps[NN_MAX_RANK];
	const char *inner;

	if (c->err)
		return;
	if (c->now->option[ELLIPSIS] || c->now->option[NEW_AXIS]) {
		convert_refuse(c, "it has an ellipsis or a new dimension");
		return;
	}
	tflite_look_at(c->import, c->now);
	for (uint32_t i = 0; i < x->rank; i++) {
		struct nn_steps part = { 0, 1, x->dims[i] };

		if (i < bounds[0]->count &&
		    tflite_find_steps(c->import, bounds, i, x->dims[i], &part))
			convert_refuse(c, "its bounds are not in its input");
		begins[i] = part.begin;
		steps[i] = part.step;
		/* Before the first element there is no index of one. */
		ends[i] = part.begin + part.step * (int64_t)part.count;
		if (ends[i] < 0)
			ends[i] = INT32_MIN;
	}
	inner = c->now->option[SHRINK] ? convert_new_name(c, made->name) :
					 convert_define(c, 0, CONVERT_PLAIN);
	add_slice(c, begins, ends, steps, x->rank, inner);
	if (c->now->option[SHRINK])
		convert_reshape(c, inner, made, convert_define(c, 0, CONVERT_PLAIN));
}

/* Splits an input along a dimension; sizes: of each part. made: names of the parts. */
static void add_split(struct conversion *c, uint32_t input, int64_t axis, const int64_t *sizes,
		      const char **made)
{
	const uint32_t count = c->now->output_count;
	const char *inputs[2] = { convert_read(c, input, CONVERT_PLAIN), convert_list(c, sizes, count) };
	Onnx__NodeProto *node = convert_add(c, "Split", inputs, 2, made[0]);
	char **outputs = nn_pool_copy(c->pool, made, count * sizeof(*made));

	convert_set_int(c, node, "axis", axis);
	if (!node || !outputs) {
		convert_no_memory(c);
		return;
	}
	node->output = outputs;
	node->n_output = count;
}

/* The parts are the outputs. */
static void split(struct conversion *c, uint32_t input, uint32_t axis)
{
	const uint32_t count = c->now->output_count;
	const char **made = nn_pool_array(c->pool, count, sizeof(*made));
	int64_t *sizes = nn_pool_array(c->pool, count, sizeof(*sizes));

	if (!made || !sizes) {
		convert_no_memory(c);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		sizes[i] = convert_output(c, i)->dims[axis];
		made[i] = convert_define(c, i, CONVERT_PLAIN);
	}
	add_split(c, input, axis, sizes, made);
}

void convert_split(struct conversion *c)
{
	const struct nn_const *axis = convert_ints(c, 0);

	if (!c->err)
		split(c, 1, find_dim(nn_const_int(axis, 0), convert_input(c, 1)->rank));
}

void convert_split_v(struct conversion *c)
{
	const struct nn_const *axis = convert_ints(c, 2);

	if (!c->err)
		split(c, 0, find_dim(nn_const_int(axis, 0), convert_input(c, 0)->rank));
}

void convert_unpack(struct conversion *c)
{
	const uint32_t count = c->now->output_count;
	const uint32_t axis = find_dim(c->now->option[1], convert_input(c, 0)->rank);
	const char **made = nn_pool_array(c->pool, count, sizeof(*made));
	int64_t *sizes = nn_pool_array(c->pool, count, sizeof(*sizes));

	if (!made || !sizes) {
		convert_no_memory(c);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		sizes[i] = 1;
		made[i] = convert_new_name(c, convert_output(c, i)->name);
	}
	add_split(c, 0, axis, sizes, made);
	for (uint32_t i = 0; i < count; i++)
		convert_reshape(c, made[i], convert_output(c, i),
				convert_define(c, i, CONVERT_PLAIN));
}

void convert_pack(struct conversion *c)
{
	const struct tflite_tensor *made = convert_output(c, 0);
	const uint32_t axis = find_dim(c->now->option[1], made->rank);
	struct tflite_tensor part = *made;
	const char *inputs[UINT8_MAX];
	Onnx__NodeProto *node;

	part.dims[axis] = 1;
	for (uint32_t i = 0; i < c->now->input_count; i++) {
		inputs[i] = convert_new_name(c, made->name);
		convert_reshape(c, convert_read(c, i, CONVERT_PLAIN), &part, inputs[i]);
	}
	node = convert_add(c, "Concat", inputs, c->now->input_count,
			   convert_define(c, 0, CONVERT_PLAIN));
	convert_set_int(c, node, "axis", axis);
}

/* ---- Others ---- */

void convert_gather(struct conversion *c)
{
	const char *inputs[2];
	Onnx__NodeProto *node;

	if (c->now->option[1]) {
		convert_refuse(c, "its indices are other ones for each item");
		return;
	}
	for (uint32_t i = 0; i < 2; i++)
		inputs[i] = convert_read(c, i, CONVERT_PLAIN);
	node = convert_add(c, "Gather", inputs, 2, convert_define(c, 0, CONVERT_PLAIN));
	convert_set_int(c, node, "axis", c->now->option[0]);
}

/* A node whose second input is a list of so many numbers. */
static void add_listed(struct conversion *c, const char *op, const int64_t *values, uint32_t count)
{
	const char *inputs[2] = { convert_read(c, 0, CONVERT_PLAIN), convert_list(c, values, count) };

	convert_add(c, op, inputs, 2, convert_define(c, 0, CONVERT_PLAIN));
}

void convert_tile(struct conversion *c)
{
	const struct nn_const *times = convert_ints(c, 1);
	int64_t list[NN_MAX_RANK];

	for (uint64_t i = 0; i < times->count && i < NN_MAX_RANK; i++)
		list[i] = nn_const_int(times, i);
	add_listed(c, "Tile", list, times->count);
}

void convert_broadcast_to(struct conversion *c)
{
	const struct tflite_tensor *made = convert_output(c, 0);
	int64_t dims[NN_MAX_RANK];

	convert_shape(made, CONVERT_PLAIN, dims);
	add_listed(c, "Expand", dims, made->rank);
}

/*
 * DEPTH_TO_SPACE, SPACE_TO_DEPTH: as ONNX's have the elements of a block in the order of its pixels, all
 * channels of each together.
 */
void convert_blocks(struct conversion *c)
{
	const char *x = convert_read(c, 0, CONVERT_TURNED);
	Onnx__NodeProto *node = convert_add(c, c->becomes, &x, 1, convert_define(c, 0, CONVERT_TURNED));

	convert_set_int(c, node, "blocksize", c->now->option[0]);
}
