// SPDX-License-Identifier: MIT
/*
 * Windows that are longer than the graph's, as those of sound: the window of a convolution is
 * divided in parts, which become channels, one behind the other, of a convolution with a shorter
 * window. The sums are of the same products. That of MAX_POOL_2D is covered by shorter windows. Of
 * AVERAGE_POOL_2D there is a reduction for each window, of the elements that are no padding.
 */
#include <errno.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define MOST_PARTS 256 /* so that a small file cannot take much memory */
/* The quotient in float32 of the sum of so many is a tie where the mean is one. */
#define MOST_AVERAGED 32768

/* A direction of a window, 0 for height and 1 for width, in parts of `length` places. */
struct parts {
	uint32_t direction, count, length, whole;
};

static int divide(struct tflite_import *import, const struct nn_window *window, uint32_t direction,
		  struct parts *out)
{
	const uint32_t whole = window->kernel[direction];
	const uint32_t count = (whole + NN_MAX_WINDOW - 1) / NN_MAX_WINDOW;

	*out = (struct parts){ .direction = direction, .count = count, .whole = whole,
			       .length = (whole + count - 1) / count };
	if (count > MOST_PARTS)
		return tflite_fail(import, -EOPNOTSUPP, "its window is %u long", whole);
	return 0;
}

/* x with `value` where the window is padded in its direction, and where the last part reaches. */
static int pad(struct tflite_import *import, const struct nn_window *window,
	       const struct parts *parts, int32_t value, struct nn_build_tensor *x)
{
	const uint32_t i = parts->direction;
	const uint64_t size = (uint64_t)window->padding[i] + x->dims[1 + i];
	const uint64_t reach = (uint64_t)(window->windows[i] - 1) * window->stride[i] +
			       (uint64_t)window->dilation[i] *
				       ((uint64_t)parts->count * parts->length - 1) + 1;
	uint32_t before[NN_MAX_RANK] = { 0 }, after[NN_MAX_RANK] = { 0 };

	if (reach > INT32_MAX)
		return tflite_fail(import, -EOPNOTSUPP, "its window reaches too far");
	before[1 + i] = window->padding[i];
	after[1 + i] = reach > size ? reach - size : 0;
	return nn_build_pad(&import->builder, x, before, after, "constant", value, x);
}

/* The elements that place `first` of the window, and as many as a part has behind it, meet. */
static int slice(struct tflite_import *import, const struct nn_window *window,
		 const struct parts *parts, uint32_t first, const struct nn_build_tensor *x,
		 struct nn_build_tensor *out)
{
	const uint32_t i = parts->direction;

	return nn_build_slice(&import->builder, x, 1 + i, first * window->dilation[i],
			      (window->windows[i] - 1) * window->stride[i] +
				      window->dilation[i] * (parts->length - 1) + 1, out);
}

/* The parts of x as channels. */
static int build_parts(struct tflite_import *import, const struct nn_window *window,
		       const struct parts *parts, struct nn_build_tensor *x)
{
	struct nn_build_tensor *made = tflite_alloc(import, parts->count, sizeof(*made));
	uint32_t axis, dims[NN_MAX_RANK];
	int err = made ? pad(import, window, parts, x->quant.zero_point, x) : -ENOMEM;

	for (uint32_t p = 0; p < parts->count && !err; p++)
		err = slice(import, window, parts, p * parts->length, x, &made[p]);
	if (!err)
		err = nn_concat_shape(&import->builder, made, parts->count, 3, &axis, dims);
	return err ? err : nn_build_concat(&import->builder, made, parts->count, axis, x);
}

/* The weights of output o at a place of the window, of the whole one; NULL: there is no such. */
static const uint8_t *find_weights(const struct nn_build_weights *weights,
				   const struct parts *parts, const uint32_t at[2], uint32_t o)
{
	if (at[parts->direction] >= parts->whole)
		return NULL;
	return (const uint8_t *)weights->parameter.values->data + o * weights->output_stride +
	       at[0] * weights->row_stride + at[1] * weights->column_stride;
}

/* The weights with the parts' channels: where the window has no such place, zero points. */
static int divide_weights(struct tflite_import *import, const struct parts *parts,
			  struct nn_build_weights *weights)
{
	const uint32_t inputs = weights->inputs, channels = inputs * parts->count;
	const uint32_t size[2] = { parts->direction ? weights->height : parts->length,
				   parts->direction ? parts->length : weights->width };
	const uint64_t count = (uint64_t)weights->outputs * size[0] * size[1] * channels;
	struct nn_const *values = tflite_alloc(import, 1, sizeof(*values));
	uint8_t *data = count > INT32_MAX ? NULL : tflite_alloc(import, count, 1);

	if (!values || !data)
		return -ENOMEM;
	for (uint64_t k = 0; k < count / inputs; k++) {
		const uint32_t p = k % parts->count, place = k / parts->count % (size[0] * size[1]);
		const uint32_t o = k / parts->count / (size[0] * size[1]);
		uint32_t at[2] = { place / size[1], place % size[1] };
		const uint8_t *from;

		at[parts->direction] += p * parts->length;
		from = find_weights(weights, parts, at, o);
		if (from)
			memcpy(data + k * inputs, from, inputs);
		else
			memset(data + k * inputs,
			       (int)nn_quant_zero_point(weights->parameter.quant, o), inputs);
	}
	*values = (struct nn_const){ .element = weights->parameter.values->element, .rank = 4,
				     .dims = { weights->outputs, size[0], size[1], channels },
				     .count = count, .data = data };
	weights->parameter.values = values;
	weights->inputs = weights->column_stride = channels;
	weights->height = size[0];
	weights->width = size[1];
	weights->row_stride = (uint64_t)size[1] * channels;
	weights->output_stride = weights->row_stride * size[0];
	return 0;
}

int tflite_shorten_conv(struct tflite_import *import, uint32_t group, struct nn_build_tensor *x,
			struct nn_build_weights *weights, struct nn_window *window)
{
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++) {
		struct parts parts;

		if (window->kernel[i] <= NN_MAX_WINDOW)
			continue;
		if (group > 1 || weights->input_stride != 1)
			return tflite_fail(import, -EOPNOTSUPP,
					   "its window is %u long, and its channels are in groups",
					   window->kernel[i]);
		err = divide(import, window, i, &parts);
		if (!err)
			err = build_parts(import, window, &parts, x);
		if (!err)
			err = divide_weights(import, &parts, weights);
		window->kernel[i] = parts.length;
		window->padding[i] = window->padding[2 + i] = 0;
	}
	return err;
}

/* The greatest elements of two pools. */
static int join(struct tflite_import *import, const struct nn_build_tensor *a,
		const struct nn_build_tensor *b, struct nn_build_tensor *out)
{
	const struct nn_operand operands[2] = { { .tensor = a }, { .tensor = b } };

	return nn_build_binary(&import->builder, "Maximum", operands, NULL, NULL, &a->quant, out);
}

/* Windows of a part's length that together cover the whole one, the last two perhaps twice. */
int tflite_build_long_pool(struct tflite_import *import, const struct nn_build_tensor *x,
			   const struct nn_window *window, struct nn_build_tensor *out)
{
	const uint32_t i = window->kernel[0] > NN_MAX_WINDOW ? 0 : 1;
	struct nn_window part = *window;
	struct nn_build_tensor image = *x, made;
	struct parts parts;
	int32_t low, high;
	int err = divide(import, window, i, &parts);

	nn_type_range(x->quant.type, &low, &high);
	if (!err)
		err = pad(import, window, &parts, low, &image);
	part.kernel[i] = parts.length;
	part.padding[i] = part.padding[2 + i] = 0;
	for (uint32_t p = 0; p < parts.count && !err; p++) {
		const uint32_t last = parts.whole - parts.length;
		const uint32_t first = p * parts.length < last ? p * parts.length : last;
		struct nn_build_tensor pool;

		err = slice(import, window, &parts, first, &image, &made);
		if (!err)
			err = part.kernel[!i] > NN_MAX_WINDOW ?
				      tflite_build_long_pool(import, &made, &part, &pool) :
				      nn_build_pool(&import->builder, "MaxPool", &made, &part,
						    &x->quant, &pool);
		if (!err && p)
			err = join(import, out, &pool, &made);
		if (!err)
			*out = p ? made : pool;
	}
	return err;
}

/* The part of dimension 1 + i that window w meets. */
static void find_met(const struct nn_window *window, const struct nn_build_tensor *x, uint32_t i,
		     uint32_t w, uint32_t *first, uint32_t *size)
{
	const int64_t begin = (int64_t)w * window->stride[i] - window->padding[i];
	const int64_t end = begin + window->kernel[i], most = x->dims[1 + i];

	*first = begin < 0 ? 0 : begin;
	*size = (end > most ? most : end) - *first;
}

/* The mean of what one window meets; zero is 0, so that ties go away from the stored 0. */
static int build_mean(struct tflite_import *import, const struct nn_build_tensor *x,
		      const struct nn_window *window, const uint32_t at[2],
		      struct nn_build_tensor *out)
{
	struct nn_build_tensor part = *x;
	uint32_t first, size;
	uint64_t count = 1;
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++) {
		find_met(window, x, i, at[i], &first, &size);
		count *= size;
		err = nn_build_slice(&import->builder, &part, 1 + i, first, size, &part);
	}
	if (!err && count > MOST_AVERAGED)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its window has %u elements, and nnloop knows averages of up to %d",
				  (unsigned int)count, MOST_AVERAGED);
	return err ? err :
		     nn_build_reduce(&import->builder, "Reduce", &part, 1 << 1 | 1 << 2, true,
				     "mean_away", &x->quant, out);
}

/* The windows of one row, side by side. */
static int build_mean_row(struct tflite_import *import, const struct nn_build_tensor *x,
			  const struct nn_window *window, uint32_t row, struct nn_build_tensor *out)
{
	struct nn_build_tensor *made = tflite_alloc(import, window->windows[1], sizeof(*made));
	int err = made ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < window->windows[1] && !err; i++)
		err = build_mean(import, x, window, (const uint32_t[]){ row, i }, &made[i]);
	return err ? err : nn_build_concat(&import->builder, made, window->windows[1], 2, out);
}

/* The same integers with another zero point. */
static int restate(struct tflite_import *import, const struct nn_build_tensor *x, int32_t zero_point,
		   struct nn_build_tensor *out)
{
	struct nn_quant quant = x->quant;

	quant.zero_point = zero_point;
	return tflite_build_stored(import, x, &quant, out);
}

int tflite_build_long_average(struct tflite_import *import, const struct nn_build_tensor *x,
			      const struct nn_window *window, struct nn_build_tensor *out)
{
	struct nn_build_tensor *rows, image, made;
	int err;

	if (x->quant.type == NN_INT16 ||
	    (uint64_t)window->windows[0] * window->windows[1] > MOST_PARTS)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its window is %u x %u; nnloop knows averages of more than %d in a "
				   "direction of 8 bits, and up to %d of them",
				   window->kernel[0], window->kernel[1], NN_MAX_WINDOW, MOST_PARTS);
	rows = tflite_alloc(import, window->windows[0], sizeof(*rows));
	err = rows ? restate(import, x, 0, &image) : -ENOMEM;
	for (uint32_t i = 0; i < window->windows[0] && !err; i++)
		err = build_mean_row(import, &image, window, i, &rows[i]);
	if (!err)
		err = nn_build_concat(&import->builder, rows, window->windows[0], 1, &made);
	return err ? err : restate(import, &made, x->quant.zero_point, out);
}
