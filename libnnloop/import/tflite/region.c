// SPDX-License-Identifier: MIT
/* Operators whose results come from many elements each, without weights. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* ---- Images of another size ---- */

/* align_corners is option `first`, half_pixel_centers the next. */
static int lower_resize(struct tflite_import *import, const char *mode, uint32_t first)
{
	bool is_nearest = !strcmp(mode, "nearest");
	/* The nearest pixels only move, whatever they are of. */
	const struct nn_build_tensor *x = import->floats && is_nearest ?
						  tflite_tensor_input(import, 0) :
						  tflite_quantized_input(import, 0);
	const struct nn_const *size = x ? tflite_ints_input(import, 1) : NULL;
	bool align = import->now->option[first], half = import->now->option[first + 1];
	struct nn_resize resize = {
		.mode = mode,
		.coordinates = align ? "tensorflow_align_corners" :
			       half  ? "tensorflow_half_pixel" :
				       "tensorflow",
	};
	struct nn_build_tensor made;
	int err;

	if (!size)
		return tflite_failed(import);
	if (align && half)
		return tflite_fail(import, -EINVAL,
				   "it has both align_corners and half_pixel_centers");
	if (size->count != 2)
		return tflite_fail(import, -EINVAL, "its size is %" PRIu64 " numbers, not 2",
				   size->count);
	for (uint32_t i = 0; i < 2; i++) {
		int64_t pixels = nn_const_int(size, i);

		if (pixels < 1 || pixels > UINT16_MAX)
			return tflite_fail(import, -EOPNOTSUPP,
					   "it makes %" PRId64 " pixels; nnloop knows 1 to %d",
					   pixels, UINT16_MAX);
		resize.size[i] = pixels;
	}
	err = nn_need_image(&import->builder, x);
	if (!err)
		err = tflite_same_quant(import, 0, &x->quant);
	if (!err)
		err = nn_build_resize(&import->builder, x, &resize, &x->quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_resize_bilinear(struct tflite_import *import)
{
	return lower_resize(import, "linear_fixed", 2);
}

int tflite_lower_resize_nearest(struct tflite_import *import)
{
	return lower_resize(import, "nearest", 0);
}

/* ---- Reductions ---- */

/* The dimensions that input 1 names, a bit for each. */
int tflite_read_axes(struct tflite_import *import, const struct nn_build_tensor *x, uint32_t *axes)
{
	const struct nn_const *numbers = tflite_ints_input(import, 1);
	int64_t values[NN_MAX_RANK];

	if (!numbers)
		return tflite_failed(import);
	if (!numbers->count || numbers->count > NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP, "it has %" PRIu64 " axes", numbers->count);
	for (uint64_t i = 0; i < numbers->count; i++)
		values[i] = nn_const_int(numbers, i);
	return nn_read_axes(&import->builder, x, values, numbers->count, axes);
}

static int lower_reduce(struct tflite_import *import, const struct nn_build_tensor *x,
			uint32_t axes, const char *function, const struct nn_quant *quant)
{
	struct nn_build_tensor made;
	int err = nn_build_reduce(&import->builder, "Reduce", x, axes, import->now->option[0],
				  function, quant, &made);

	return err ? err : tflite_define(import, 0, &made);
}

#define MOST_WIDE_ELEMENTS 65535

/* Whether the axes are dimensions one behind the other. */
static bool are_joined(uint32_t axes)
{
	return !((axes + (axes & -axes)) & axes);
}

/* A reduction over dimensions with others between them: these come first, and they last. */
static int lower_turned(struct tflite_import *import, const struct nn_build_tensor *x,
			uint32_t axes, const char *function, const struct nn_quant *quant)
{
	uint32_t perm[NN_MAX_RANK], rank, dims[NN_MAX_RANK], count = 0, last;
	struct nn_build_tensor turned, made;
	int err;

	for (uint32_t i = 0; i < x->rank; i++) {
		if (!(axes >> i & 1))
			perm[count++] = i;
	}
	last = (1u << x->rank) - (1u << count);
	for (uint32_t i = 0; i < x->rank; i++) {
		if (axes >> i & 1)
			perm[count++] = i;
	}
	nn_reduced_shape(x, axes, import->now->option[0], &rank, dims);
	err = nn_build_transpose(&import->builder, x, perm, &turned);
	if (!err)
		err = nn_build_reduce(&import->builder, "Reduce", &turned, last, false, function,
				      quant, &made);
	if (!err)
		err = nn_build_reshape(&import->builder, &made, rank, dims, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* A reduction of int16. */
static int lower_wide_reduce(struct tflite_import *import, const struct nn_build_tensor *x,
			     uint32_t axes, const char *function, const struct nn_quant *quant)
{
	return are_joined(axes) ? lower_reduce(import, x, axes, function, quant) :
				  lower_turned(import, x, axes, function, quant);
}

/* Checks the axes of a reduction of int16, of which *count elements become one. */
static int need_wide_axes(struct tflite_import *import, const struct nn_build_tensor *x,
			  uint32_t axes, uint64_t *count)
{
	*count = 1;
	for (uint32_t i = 0; i < x->rank; i++) {
		if (axes >> i & 1)
			*count *= x->dims[i];
	}
	if (axes & 1 || *count > MOST_WIDE_ELEMENTS)
		return tflite_fail(import, -EOPNOTSUPP,
				   "of int16, it goes over the first dimension, or over more than %d "
				   "elements", MOST_WIDE_ELEMENTS);
	return 0;
}

/* The input of one whose output has a scale of its own, of int16 as well; NULL: the error is set. */
static const struct nn_build_tensor *read_wide(struct tflite_import *import, uint32_t *axes,
					       uint64_t *count, struct nn_quant *quant)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);

	if (!x || tflite_read_axes(import, x, axes) || need_wide_axes(import, x, *axes, count) ||
	    tflite_wide_output_quant(import, x, quant))
		return NULL;
	return x;
}

/* Lowers MEAN of int16. */
static int lower_wide_mean(struct tflite_import *import)
{
	struct nn_quant quant;
	uint64_t count;
	uint32_t axes;
	const struct nn_build_tensor *x = read_wide(import, &axes, &count, &quant);
	float ratio;

	if (!x)
		return tflite_failed(import);
	ratio = x->quant.scale / quant.scale;
	/* Sums have 31 bits. */
	if (!(ratio > 0x1p-15f && (ratio < 0x1p14f || ratio * (float)count < 0x1p14f)))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale over its output scale is %g, for which nnloop "
				   "does not know how it rounds so many elements", (double)ratio);
	return lower_wide_reduce(import, x, axes, "mean_scaled", &quant);
}

/* Lowers Mean as XNNPACK computes it. */
static int lower_mean(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_quant quant;
	uint32_t axes;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_read_axes(import, x, &axes);
	if (!err)
		err = tflite_typed_output_quant(import, x->quant.type, &quant);
	return err ? err : lower_reduce(import, x, axes, "mean_linear", &quant);
}

int tflite_lower_mean(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? lower_wide_mean(import) : lower_mean(import);
}

/* How many zeros make a dimension a power of two. */
static uint32_t count_zeros(uint32_t dim)
{
	uint32_t power = 1;

	while (power < dim)
		power *= 2;
	return power - dim;
}

/*
 * Lowers SUM of int16, which TensorFlow Lite multiplies by a float32 and rounds, ties away from 0.
 * A mean of as many elements as a power of two, some of which are 0, divides what it multiplies
 * without rounding; tflite_define() takes its integers for those of the output.
 */
static int lower_wide_sum(struct tflite_import *import)
{
	uint32_t before[NN_MAX_RANK] = { 0 }, after[NN_MAX_RANK] = { 0 }, axes;
	struct nn_quant quant;
	uint64_t count;
	const struct nn_build_tensor *x = read_wide(import, &axes, &count, &quant);
	struct nn_build_tensor padded;
	int err;

	if (!x)
		return tflite_failed(import);
	for (uint32_t i = 1; i < x->rank; i++)
		after[i] = axes >> i & 1 ? count_zeros(x->dims[i]) : 0;
	err = nn_build_pad(&import->builder, x, before, after, "constant", 0, &padded);
	if (!err)
		err = need_wide_axes(import, &padded, axes, &count);
	if (err)
		return err;
	quant.scale /= (float)count;
	return lower_wide_reduce(import, &padded, axes, "mean_away", &quant);
}

/* Lowers Sum as XNNPACK computes it, of 8 bits. */
int tflite_lower_reduce_sum(struct tflite_import *import)
{
	const struct nn_build_tensor *x;
	struct nn_quant quant;
	uint32_t axes;
	int err;

	if (tflite_is_int16(import, 0))
		return lower_wide_sum(import);
	x = tflite_8bit_input(import, 0);
	if (!x)
		return tflite_failed(import);
	err = tflite_read_axes(import, x, &axes);
	if (!err)
		err = tflite_typed_output_quant(import, x->quant.type, &quant);
	return err ? err : lower_reduce(import, x, axes, "sum_linear", &quant);
}

int tflite_lower_reduce_extreme(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	uint64_t count;
	uint32_t axes;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_same_quant(import, 0, &x->quant);
	if (!err)
		err = tflite_read_axes(import, x, &axes);
	if (!err && x->quant.type == NN_INT16)
		err = need_wide_axes(import, x, axes, &count);
	if (err)
		return err;
	return x->quant.type == NN_INT16 ?
		       lower_wide_reduce(import, x, axes, import->now->op->becomes, &x->quant) :
		       lower_reduce(import, x, axes, import->now->op->becomes, &x->quant);
}

/* ---- ARG_MAX, ARG_MIN ---- */

/* The stored integers are compared; int64 is int32 in the graph, in which each index fits. */
int tflite_lower_arg(struct tflite_import *import)
{
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	const struct nn_const *numbers = x ? tflite_ints_input(import, 1) : NULL;
	struct nn_arg arg = { .function = import->now->op->becomes };
	struct nn_build_tensor made;
	int64_t axis;
	uint32_t axes;
	int err;

	if (!numbers)
		return tflite_failed(import);
	if (!nn_type_is_8bit(x->quant.type) && x->quant.type != NN_FLOAT32)
		return tflite_fail(import, -EOPNOTSUPP, "its input is of %s",
				   nn_data_type_name(x->quant.type));
	if ((output->element != NN_ELEMENT_INT32 && output->element != NN_ELEMENT_INT64) ||
	    import->now->option[0] != output->type)
		return tflite_fail(import, -EINVAL,
				   "it makes neither int32 nor int64, or its option output_type says "
				   "another of them");
	if (numbers->count != 1)
		return tflite_fail(import, -EINVAL, "it has %" PRIu64 " axes", numbers->count);
	axis = nn_const_int(numbers, 0);
	err = nn_read_axes(&import->builder, x, &axis, 1, &axes);
	if (err)
		return err;
	arg.axis = axis + (axis < 0 ? x->rank : 0);
	err = nn_build_arg(&import->builder, x, &arg, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- LOG_SOFTMAX ---- */

/* Its kernels are made for results from -16 to 0. */
int tflite_lower_log_softmax(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	const struct nn_attr log = { .name = "log", .type = NN_ATTR_INT, .i = 1 };
	struct nn_build_tensor made;
	struct nn_quant quant;
	int32_t low, high;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_typed_output_quant(import, x->quant.type, &quant);
	if (err)
		return err;
	nn_type_range(quant.type, &low, &high);
	if (quant.scale != 1 / 16.0f || quant.zero_point != high)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its output has scale %g and zero point %" PRId32
				   "; TensorFlow Lite knows 1/16 and %" PRId32,
				   (double)quant.scale, quant.zero_point, high);
	err = nn_build_unary(&import->builder, "Softmax", x, &log, 1, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}
