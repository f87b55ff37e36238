// SPDX-License-Identifier: MIT
/*
 * TensorFlow Lite operators of which each element is a function of one element or two, and those that
 * are along dimensions, as ONNX has them.
 */
#include <string.h>

#include "quantize/tflite/convert.h"

/* ---- One element ---- */

/* A node of one input, or of one and a number. */
static const char *add_step(struct conversion *c, const char *op, const char *x, const char *other,
			    const char *made)
{
	const char *inputs[2] = { x, other };

	convert_add(c, op, inputs, other ? 2 : 1, made);
	return made;
}

static const char *add_inner(struct conversion *c, const char *op, const char *x, const char *other)
{
	return add_step(c, op, x, other, convert_new_name(c, convert_output(c, 0)->name));
}

/* x * f(x). */
static void write_gate(struct conversion *c, const char *x, const char *gate,
		       enum convert_layout layout)
{
	add_step(c, "Mul", x, gate, convert_define(c, 0, layout));
}

static void write_hard_swish(struct conversion *c, const char *x, enum convert_layout layout)
{
	const char *gate = convert_new_name(c, convert_output(c, 0)->name);
	Onnx__NodeProto *node = convert_add(c, "HardSigmoid", &x, 1, gate);

	convert_set_float(c, node, "alpha", 1.0f / 6);
	convert_set_float(c, node, "beta", 0.5f);
	write_gate(c, x, gate, layout);
}

/* x / 2 * (1 + erf(x / sqrt(2))), or with a hyperbolic tangent that is near to it. */
static void write_gelu(struct conversion *c, const char *x, enum convert_layout layout)
{
	const char *inner, *half;

	if (c->now->option[0]) {
		inner = add_inner(c, "Mul", x, x);
		inner = add_inner(c, "Mul", inner, convert_number(c, 0.044715f));
		inner = add_inner(c, "Add", inner, convert_number(c, 1));
		inner = add_inner(c, "Mul", inner, x);
		inner = add_inner(c, "Mul", inner, convert_number(c, 0.797884561f));
		inner = add_inner(c, "Tanh", inner, NULL);
	} else {
		inner = add_inner(c, "Mul", x, convert_number(c, 0.707106781f));
		inner = add_inner(c, "Erf", inner, NULL);
	}
	inner = add_inner(c, "Add", inner, convert_number(c, 1));
	half = add_inner(c, "Mul", x, convert_number(c, 0.5f));
	write_gate(c, half, inner, layout);
}

void convert_each(struct conversion *c)
{
	const enum convert_layout layout = convert_find_layout(c);
	const char *name = c->now->op->name, *x = convert_read(c, 0, layout);
	Onnx__NodeProto *node;

	if (!strcmp(name, "HARD_SWISH")) {
		write_hard_swish(c, x, layout);
	} else if (!strcmp(name, "GELU")) {
		write_gelu(c, x, layout);
	} else if (!strcmp(name, "SQUARE")) {
		write_gate(c, x, x, layout);
	} else if (!strcmp(name, "RSQRT")) {
		const char *root = add_inner(c, "Sqrt", x, NULL);

		add_step(c, "Div", convert_number(c, 1), root, convert_define(c, 0, layout));
	} else if (!strncmp(name, "RELU", 4)) {
		convert_activate(c, !strcmp(name, "RELU") ? TFLITE_ACTIVATION_RELU :
				    !strcmp(name, "RELU6") ? TFLITE_ACTIVATION_RELU6 :
							     TFLITE_ACTIVATION_RELU_N1_TO_1,
				 x, layout);
	} else {
		node = convert_add(c, c->becomes, &x, 1, convert_define(c, 0, layout));
		if (!strcmp(name, "LEAKY_RELU"))
			convert_set_float(c, node, "alpha", c->now->float_option[0]);
	}
}

/* ---- Two elements ---- */

void convert_two(struct conversion *c)
{
	const enum convert_layout layout = convert_find_layout(c);
	const char *name = c->now->op->name, *made, *inputs[2];
	int64_t activation = TFLITE_ACTIVATION_NONE;
	bool is_squared = !strcmp(name, "SQUARED_DIFFERENCE");

	if (!strcmp(name, "ADD") || !strcmp(name, "SUB") || !strcmp(name, "MUL"))
		activation = c->now->option[0];
	for (uint32_t i = 0; i < 2; i++)
		inputs[i] = convert_read(c, i, layout);
	made = is_squared ? convert_new_name(c, convert_output(c, 0)->name) :
			    convert_inner(c, activation, layout);
	convert_add(c, c->becomes, inputs, 2, made);
	if (is_squared)
		write_gate(c, made, made, layout);
	else
		convert_activate(c, activation, made, layout);
}

/* ---- Along dimensions ---- */

/* The layout in which the dimensions that are left have the file's order, if there are fewer. */
static enum convert_layout find_reduced_layout(const struct conversion *c, uint32_t axes, bool keeps)
{
	const struct convert_tensor *names = &c->tensors[c->now->inputs[0]];

	if (convert_input(c, 0)->rank != 4 || !names->names[CONVERT_TURNED] ||
	    names->names[CONVERT_PLAIN])
		return CONVERT_PLAIN;
	if (keeps)
		return c->tensors[c->now->outputs[0]].is_output ? CONVERT_PLAIN : CONVERT_TURNED;
	/* The channels, or both dimensions of an image, are gone. */
	return axes & 1 << 3 || (axes & 6) == 6 ? CONVERT_TURNED : CONVERT_PLAIN;
}

void convert_reduce(struct conversion *c)
{
	const struct nn_const *numbers = convert_ints(c, 1);
	const struct tflite_tensor *x = convert_input(c, 0);
	const bool keeps = c->now->option[0];
	const char *inputs[2] = { NULL };
	int64_t list[NN_MAX_RANK];
	enum convert_layout layout;
	uint32_t axes = 0, count = 0;
	Onnx__NodeProto *node;

	for (uint64_t i = 0; i < numbers->count; i++) {
		int64_t axis = nn_const_int(numbers, i);

		axes |= 1u << (axis < 0 ? axis + x->rank : axis);
	}
	layout = find_reduced_layout(c, axes, keeps);
	for (uint32_t i = 0; i < x->rank; i++) {
		for (uint32_t k = 0; k < x->rank; k++) {
			if (axes & 1u << k && convert_place(k, layout) == i)
				list[count++] = i;
		}
	}
	inputs[0] = convert_read(c, 0, layout);
	if (!strcmp(c->becomes, "ReduceSum"))
		inputs[1] = convert_list(c, list, count);
	node = convert_add(c, c->becomes, inputs, inputs[1] ? 2 : 1,
			   convert_define(c, 0, keeps ? layout : CONVERT_PLAIN));
	if (!inputs[1])
		convert_set_ints(c, node, "axes", list, count);
	convert_set_int(c, node, "keepdims", keeps);
}

/* SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION: of the last dimension. */
void convert_softmax(struct conversion *c)
{
	const char *x = convert_read(c, 0, CONVERT_PLAIN);
	Onnx__NodeProto *node;

	if (!strcmp(c->becomes, "Softmax") && c->now->float_option[0] != 1)
		x = add_inner(c, "Mul", x, convert_number(c, c->now->float_option[0]));
	node = convert_add(c, c->becomes, &x, 1, convert_define(c, 0, CONVERT_PLAIN));
	convert_set_int(c, node, "axis", -1);
}

/* ---- Others ---- */

void convert_select(struct conversion *c)
{
	const char *inputs[3];

	if (convert_input(c, 0)->rank < convert_output(c, 0)->rank && convert_input(c, 0)->rank == 1 &&
	    !strcmp(c->now->op->name, "SELECT")) {
		convert_refuse(c, "its condition is of whole items");
		return;
	}
	for (uint32_t i = 0; i < 3; i++)
		inputs[i] = convert_read(c, i, CONVERT_PLAIN);
	convert_add(c, "Where", inputs, 3, convert_define(c, 0, CONVERT_PLAIN));
}

static void add_cast(struct conversion *c, const char *x, const struct tflite_tensor *to)
{
	const int type = convert_type(to->element);
	Onnx__NodeProto *node;

	if (!type) {
		convert_refuse(c, "it makes integers of a type that it has no operator for");
		return;
	}
	node = convert_add(c, "Cast", &x, 1, convert_define(c, 0, CONVERT_PLAIN));
	convert_set_int(c, node, "to", type);
}

void convert_cast(struct conversion *c)
{
	add_cast(c, convert_read(c, 0, CONVERT_PLAIN), convert_output(c, 0));
}

/* ONNX's indices are of int64. */
void convert_arg(struct conversion *c)
{
	const struct nn_const *axis = convert_ints(c, 1);
	const struct tflite_tensor *made = convert_output(c, 0);
	const char *x = convert_read(c, 0, CONVERT_PLAIN), *inner;
	Onnx__NodeProto *node;

	if (c->err)
		return;
	inner = made->element == NN_ELEMENT_INT64 ? convert_define(c, 0, CONVERT_PLAIN) :
						    convert_new_name(c, made->name);
	node = convert_add(c, c->becomes, &x, 1, inner);
	convert_set_int(c, node, "axis", nn_const_int(axis, 0));
	convert_set_int(c, node, "keepdims", 0);
	if (made->element != NN_ELEMENT_INT64)
		add_cast(c, inner, made);
}
