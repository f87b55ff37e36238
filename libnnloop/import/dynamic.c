// SPDX-License-Identifier: MIT
/* Quantization by what a tensor holds when it is there, and the sums behind it (dynamic.h). */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/dynamic.h"
#include "import/floats.h"

/* ---- Of float32 ---- */

/* Numbers that are operands. */
static const float number_zero = 0, number_one = 1, number_of_steps = 255;

static struct nn_operand of_tensor(const struct nn_build_tensor *x)
{
	return (struct nn_operand){ .tensor = x };
}

static int build(struct nn_builder *builder, const char *function, struct nn_operand a,
		 struct nn_operand b, struct nn_build_tensor *out)
{
	const bool compares = !strcmp(function, "Equal") || !strcmp(function, "Greater");
	const struct nn_operand operands[2] = { a, b };
	struct nn_build_tensor made;
	int err = nn_build_float_binary(builder, function, operands,
					compares ? &nn_quant_truth : &nn_quant_float, &made);

	*out = made; /* which may be an operand */
	return err;
}

/* A constant of one number. */
static struct nn_operand of_number(const float *number, struct nn_const *constant)
{
	*constant = (struct nn_const){
		.element = NN_ELEMENT_FLOAT, .rank = 1, .count = 1, .dims = { 1 }, .data = number
	};
	return (struct nn_operand){
		.constant = { .name = "number", .values = constant, .quant = &nn_quant_float }
	};
}

static int build_by(struct nn_builder *builder, const char *function,
		    const struct nn_build_tensor *x, const float *number,
		    struct nn_build_tensor *out)
{
	struct nn_const constant;

	return build(builder, function, of_tensor(x), of_number(number, &constant), out);
}

static int build_two(struct nn_builder *builder, const char *function,
		     const struct nn_build_tensor *a, const struct nn_build_tensor *b,
		     struct nn_build_tensor *out)
{
	return build(builder, function, of_tensor(a), of_tensor(b), out);
}

static int choose(struct nn_builder *builder, const struct nn_build_tensor *condition,
		  struct nn_operand then, const struct nn_build_tensor *otherwise,
		  struct nn_build_tensor *out)
{
	const struct nn_operand choice[3] = { of_tensor(condition), then, of_tensor(otherwise) };
	struct nn_build_tensor made;
	int err = nn_build_whole_broadcast(builder, "Select", choice, 3, NULL, 0, &nn_quant_float,
					   &made);

	*out = made;
	return err;
}

/* The range of the elements along the axes, which has 0. */
struct range {
	struct nn_build_tensor low, high, extent, is_none;
};

static int build_range(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axes,
		       struct range *out)
{
	struct nn_float_along along = { .function = "min", .axes = axes, .makes_one = true };
	int err = nn_build_float_reduce(builder, x, &along, &out->low);

	along.function = "max";
	if (!err)
		err = nn_build_float_reduce(builder, x, &along, &out->high);
	if (!err)
		err = build_by(builder, "Min", &out->low, &number_zero, &out->low);
	if (!err)
		err = build_by(builder, "Max", &out->high, &number_zero, &out->high);
	if (!err)
		err = build_two(builder, "Sub", &out->high, &out->low, &out->extent);
	return err ? err : build_by(builder, "Equal", &out->extent, &number_zero, &out->is_none);
}

/* A number that elements are divided or multiplied by, and a zero point of float32. */
struct grid {
	const char *function;
	struct nn_build_tensor by, scale, zero;
};

static int round_zero(struct nn_builder *builder, float low, float high, struct nn_build_tensor *at)
{
	struct nn_build_tensor made;
	int err = nn_build_float_each(builder, "clamp", &low, &high, at, &made);

	return err ? err : nn_build_float_each(builder, "Round", NULL, NULL, &made, at);
}

/* The scale is the range by the number of steps, or 1; the zero point is where 0 is. */
static int find_onnx(struct nn_builder *builder, const struct range *range, struct grid *out)
{
	struct nn_const constant;
	int err = build_by(builder, "Div", &range->extent, &number_of_steps, &out->scale);

	out->function = "Div";
	if (!err)
		err = choose(builder, &range->is_none, of_number(&number_one, &constant),
			     &out->scale, &out->scale);
	out->by = out->scale;
	if (!err)
		err = build_two(builder, "Div", &range->low, &out->scale, &out->zero);
	if (!err)
		err = build(builder, "Sub", of_number(&number_zero, &constant),
			    of_tensor(&out->zero), &out->zero);
	return err ? err : round_zero(builder, 0, UINT8_MAX, &out->zero);
}

/*
 * Elements are multiplied by the number of steps by the range, or 1. The zero point is counted from
 * that end of the range at which rounding is less wrong.
 */
static int find_xnnpack(struct nn_builder *builder, const struct range *range, struct grid *out)
{
	static const float least = INT8_MIN, most = INT8_MAX;
	struct nn_build_tensor low, high, from_low, from_high, wrong;
	struct nn_const constant;
	int err = build(builder, "Div", of_number(&number_of_steps, &constant),
			of_tensor(&range->extent), &out->by);

	out->function = "Mul";
	if (!err)
		err = choose(builder, &range->is_none, of_number(&number_one, &constant), &out->by,
			     &out->by);
	if (!err)
		err = build(builder, "Div", of_number(&number_one, &constant), of_tensor(&out->by),
			    &out->scale);
	if (!err)
		err = build_two(builder, "Mul", &range->low, &out->by, &low);
	if (!err)
		err = build_two(builder, "Mul", &range->high, &out->by, &high);
	if (!err)
		err = build_by(builder, "Add", &low, &least, &from_low);
	if (!err)
		err = build_by(builder, "Add", &high, &most, &from_high);
	if (!err)
		err = build_two(builder, "Add", &from_low, &from_high, &wrong);
	if (!err)
		err = build_by(builder, "Greater", &wrong, &number_zero, &wrong);
	if (!err)
		err = build(builder, "Sub", of_number(&least, &constant), of_tensor(&low), &low);
	if (!err)
		err = build(builder, "Sub", of_number(&most, &constant), of_tensor(&high), &high);
	if (!err)
		err = choose(builder, &wrong, of_tensor(&low), &high, &out->zero);
	return err ? err : round_zero(builder, INT8_MIN, INT8_MAX, &out->zero);
}

int nn_build_dynamic(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axes,
		     enum nn_dynamic_form form, struct nn_dynamic *out)
{
	const bool is_onnx = form == NN_DYNAMIC_ONNX;
	const struct nn_quant plain = { .type = is_onnx ? NN_UINT8 : NN_INT8 };
	const struct nn_quant scaled = { .type = plain.type, .scale = is_onnx ? 0 : 1 };
	struct nn_build_tensor at, rounded;
	struct range range;
	struct grid grid;
	int err = build_range(builder, x, axes, &range);

	if (!err)
		err = is_onnx ? find_onnx(builder, &range, &grid) :
				find_xnnpack(builder, &range, &grid);
	if (!err)
		err = nn_build_float_convert(builder, &grid.zero, &plain, &out->zero);
	out->scale = grid.scale;
	if (!err)
		err = build_two(builder, grid.function, x, &grid.by, &at);
	if (!err)
		err = nn_build_float_each(builder, "Round", NULL, NULL, &at, &rounded);
	if (!err)
		err = build_two(builder, "Add", &rounded, &grid.zero, &at);
	return err ? err : nn_build_float_convert(builder, &at, &scaled, &out->integers);
}

/* ---- Of integers ---- */

static int build_integers(struct nn_builder *builder, const char *function,
			  const struct nn_operand operands[2], struct nn_build_tensor *out)
{
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = function
	};

	return nn_build_whole_broadcast(builder, "Integers", operands, 2, &attr, 1, &nn_quant_int32,
					out);
}

int nn_build_shift(struct nn_builder *builder, const struct nn_build_tensor *zero,
		   struct nn_build_tensor *out)
{
	struct nn_operand operands[2] = { { 0 } };
	struct nn_build_tensor wide;
	int err = nn_build_unary(builder, "Cast", zero, NULL, 0, &nn_quant_int32, &wide);

	operands[1].tensor = &wide;
	if (!err)
		err = nn_number_operand(builder, nn_fixed_zero(zero->quant.type), &nn_quant_int32,
					&operands[0]);
	return err ? err : build_integers(builder, "sub", operands, out);
}

int nn_build_sum_of(struct nn_builder *builder, const struct nn_build_tensor *a,
		    const struct nn_build_tensor *b, struct nn_build_tensor *out)
{
	/* A copy, because *out may be an operand. */
	const struct nn_build_tensor two[2] = { *a, *b };
	const struct nn_operand operands[2] = { { .tensor = &two[0] }, { .tensor = &two[1] } };

	return build_integers(builder, "add", operands, out);
}

int nn_build_product_of(struct nn_builder *builder, const struct nn_build_tensor *a,
			const struct nn_operand *b, struct nn_build_tensor *out)
{
	const struct nn_operand operands[2] = { { .tensor = a }, *b };

	return build_integers(builder, "mul", operands, out);
}

int nn_build_shifted(struct nn_builder *builder, const struct nn_build_tensor *sums,
		     const struct nn_build_tensor *shift, const struct nn_const *of_weights,
		     struct nn_build_tensor *out)
{
	const struct nn_operand constant = {
		.constant = { .name = "sums", .values = of_weights, .quant = &nn_quant_int32 }
	};
	struct nn_build_tensor lacks;
	int err = nn_build_product_of(builder, shift, &constant, &lacks);

	return err ? err : nn_build_sum_of(builder, sums, &lacks, out);
}

/* ---- Sums of weights ---- */

/* Room for a constant of these dimensions; NULL: the error is set. */
static int32_t *make_sums(struct nn_builder *builder, uint32_t rank, const uint32_t *dims,
			  struct nn_const *out)
{
	int32_t *sums;

	*out = (struct nn_const){ .element = NN_ELEMENT_INT32, .rank = rank, .count = 1 };
	for (uint32_t i = 0; i < rank; i++) {
		out->dims[i] = dims[i];
		if (out->count > INT32_MAX / (dims[i] ? dims[i] : 1)) {
			nn_builder_fail(builder, -EOPNOTSUPP,
					"what it makes has more than 2^31 elements");
			return NULL;
		}
		out->count *= dims[i];
	}
	sums = nn_builder_alloc(builder, out->count, sizeof(*sums));
	out->data = sums;
	return sums;
}

/* The sum of output o, of the places of a window from y0 and x0 to before y1 and x1. */
static int32_t sum_part(const struct nn_build_weights *w, uint32_t o, uint32_t y0, uint32_t y1,
			uint32_t x0, uint32_t x1)
{
	int64_t zero = nn_quant_zero_point(w->parameter.quant, o), sum = 0;

	for (uint32_t y = y0; y < y1; y++) {
		for (uint32_t x = x0; x < x1; x++) {
			for (uint32_t i = 0; i < w->inputs; i++)
				sum += nn_const_int(w->parameter.values,
						    o * w->output_stride + y * w->row_stride +
							    x * w->column_stride +
							    i * w->input_stride) - zero;
		}
	}
	return (int32_t)sum;
}

int nn_sum_weights(struct nn_builder *builder, const struct nn_build_weights *weights,
		   struct nn_const *out)
{
	int32_t *sums = make_sums(builder, 1, &weights->outputs, out);

	for (uint32_t o = 0; sums && o < weights->outputs; o++)
		sums[o] = sum_part(weights, o, 0, weights->height, 0, weights->width);
	return sums ? 0 : nn_builder_failed(builder);
}

/* The places of a window in direction i that are in the image, when the window is at `at`. */
static void find_inside(const struct nn_window *window, uint32_t i, uint32_t size, uint32_t at,
			uint32_t *first, uint32_t *end)
{
	int64_t begin = (int64_t)at * window->stride[i] - window->padding[i];

	*first = 0;
	*end = window->kernel[i];
	while (*first < *end && begin + (int64_t)*first * window->dilation[i] < 0)
		++*first;
	while (*end > *first && begin + (int64_t)(*end - 1) * window->dilation[i] >= size)
		--*end;
}

int nn_sum_window(struct nn_builder *builder, const struct nn_build_weights *weights,
		  const struct nn_window *window, const struct nn_build_tensor *image,
		  struct nn_const *out)
{
	const uint32_t axes[3] = { nn_image_axis(builder, NN_IMAGE_CHANNELS),
				   nn_image_axis(builder, NN_IMAGE_HEIGHT),
				   nn_image_axis(builder, NN_IMAGE_WIDTH) };
	uint32_t dims[4] = { 1, 1, 1, 1 }, rows, columns, strides[4] = { 0, 0, 0, 1 };
	uint32_t above[2] = { 0 };
	bool padded = false;
	int32_t *sums;

	for (int i = 0; i < 4; i++)
		padded |= window->padding[i] != 0;
	rows = padded ? window->windows[0] : 1;
	columns = padded ? window->windows[1] : 1;
	dims[axes[0]] = weights->outputs;
	dims[axes[1]] = rows;
	dims[axes[2]] = columns;
	for (uint32_t i = 3; i > 1; i--)
		strides[i - 1] = strides[i] * dims[i];
	sums = make_sums(builder, 4, dims, out);
	for (uint32_t y = 0; sums && y < rows; y++) {
		uint32_t y0, y1, was[4] = { 0 };
		bool like_above;

		find_inside(window, 0, image->dims[axes[1]], padded ? y : 0, &y0, &y1);
		like_above = y && above[0] == y0 && above[1] == y1;
		for (uint32_t x = 0; x < columns; x++) {
			int32_t *to = sums + y * strides[axes[1]] + x * strides[axes[2]];
			uint32_t now[4] = { y0, y1 };

			find_inside(window, 1, image->dims[axes[2]], padded ? x : 0, &now[2],
				    &now[3]);
			/* Most are as that above or beside them. */
			for (uint32_t o = 0; o < weights->outputs; o++, to += strides[axes[0]])
				*to = like_above ? to[-(int64_t)strides[axes[1]]] :
				      x && !memcmp(was, now, sizeof(was)) ?
					      to[-(int64_t)strides[axes[2]]] :
					      sum_part(weights, o, y0, y1, now[2], now[3]);
			memcpy(was, now, sizeof(was));
		}
		above[0] = y0;
		above[1] = y1;
	}
	return sums ? 0 : nn_builder_failed(builder);
}
