// SPDX-License-Identifier: MIT
/* ONNX operators that normalize. Their parameters are constants, of floats or dequantized. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define EPSILON 1e-5f /* where a model does not say */

int onnx_read_floats(struct onnx_import *import, const struct onnx_value *value, const char *what,
		     struct nn_const *out)
{
	*out = value->constant;
	if (value->kind == ONNX_REAL_CONST)
		return nn_const_dequantize(&import->builder, &value->constant, &value->tensor.quant,
					   out);
	if (value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "its %s is no constant of floats, nor a dequantized one", what);
}

/*
 * ---- What ONNX Runtime's sums of floats differ by ----
 *
 * nnloop's sums are exact. ONNX Runtime's mean of n elements of one value v is wrong by up to v * n
 * / 2^26 where it adds one after the other, and by an eighth of it along dimensions at the end, in
 * eight sums; each further rounding adds a few of v / 2^24. What is left of a vector of such
 * elements is divided by no more than the root of epsilon.
 */

/* Steps of an output of 8 bits that the error may be, and of 16 bits as much of their range. */
#define MOST_STEPS 0.5
#define MOST_WIDE_STEPS (256 * MOST_STEPS)

static double find_greatest_scale(const struct nn_const *scale)
{
	double greatest = scale->data ? 0 : 1;

	for (uint64_t i = 0; scale->data && i < scale->count; i++)
		greatest = fmax(greatest, fabsf(nn_const_float(scale, i)));
	return greatest;
}

static double find_mean_error(const struct nn_build_tensor *x, uint32_t axes, double length)
{
	const uint32_t ones = (1u << x->rank) - 1;
	bool at_end = !((axes + (axes & -axes)) & ones);
	int32_t min, max;

	nn_type_range(x->quant.type, &min, &max);
	return fmax(x->quant.zero_point - min, max - x->quant.zero_point) * x->quant.scale *
	       (length / (at_end ? 8 : 1) * 0x1p-26 + 0x1p-22);
}

/* The least that a deviation is divided by, but 0; infinite: it is of no mean, or exact. */
static double find_least_divisor(const struct onnx_pending *pending)
{
	const struct nn_normalization *normalization = pending->normalization;
	double least = INFINITY;

	if (!strcmp(pending->node->op_type, "LayerNormalization"))
		return INFINITY;
	if (!strcmp(normalization->function, "center"))
		return 1;
	if (!strcmp(normalization->function, "deviation"))
		return sqrt(normalization->epsilon);
	for (int i = 0; normalization->divisors && i < 256; i++) {
		if (normalization->divisors[i] > 0)
			least = fmin(least, normalization->divisors[i]);
	}
	return least;
}

static double count_elements(const struct nn_build_tensor *x, uint32_t axes)
{
	double length = 1;

	for (uint32_t i = 0; i < x->rank; i++)
		length *= axes >> i & 1 ? x->dims[i] : 1;
	return length;
}

/* nnloop's squares are of integers; ONNX Runtime's, and their sums, are of float32. */
int onnx_check_squares(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t axes)
{
	double scale = x->quant.scale, most = onnx_find_span(&x->quant) + scale;

	if (scale >= 0x1p-63 && count_elements(x, axes) * most * most < FLT_MAX)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "its input's scale is %g, and squares of such elements, or their sums, are "
			 "not in float32's range\nscale what it is made of",
			 scale);
}

static int check_errors(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	const uint32_t axes = pending->normalization->axes;
	double length = count_elements(x, axes), part, steps;

	part = find_mean_error(x, axes, length) / find_least_divisor(pending);
	/* A wrong mean also adds its square to a variance, which is at most that of one element. */
	steps = part * (1 + 0.2 * sqrt(length) * part) *
		find_greatest_scale(&pending->normalization->scale) / quant->scale;
	if (steps <= (quant->type == NN_INT16 ? MOST_WIDE_STEPS : MOST_STEPS))
		return 0;
	return onnx_fail(
		import, -EOPNOTSUPP,
		"it is of %.0f elements, and where they are nearly the same, the rounding errors of "
		"float sums are up to %.1f steps of its result\n"
		"train or export it with a greater epsilon, or with LayerNormalization where it is that",
		length, steps);
}

int onnx_emit_normalization(struct onnx_import *import, const struct onnx_pending *pending,
			    const struct nn_quant *quant, const char *activation,
			    struct nn_build_tensor *out)
{
	const struct nn_normalization *normalization = pending->normalization;
	int err = check_errors(import, pending, quant);

	(void)activation;
	if (!err && strcmp(normalization->function, "scale"))
		err = onnx_check_squares(import, &pending->operands[0]->tensor,
					 normalization->axes);
	if (err)
		return err;
	return nn_build_normalize(&import->builder, &pending->operands[0]->tensor,
				  normalization, quant, out);
}

/* The same in float32. */
static int make_real(struct onnx_import *import, const struct onnx_pending *pending,
		     struct nn_build_tensor *out)
{
	struct nn_normalization normalization = *pending->normalization;
	struct nn_build_tensor x;
	int err = onnx_build_float(import, pending, &x);

	normalization.axes = pending->axis;
	return err ? err : nn_build_real_normalize(&import->builder, &x, &normalization, out);
}

static bool fits_vector(const struct nn_const *values, double length)
{
	return !values->data || values->count == 1 || (double)values->count == length;
}

/*
 * Gives a normalization the form in float32, where scale and bias are one number for each element of
 * a vector. Of reals it has no other.
 */
static int set_float(struct onnx_import *import, struct onnx_pending *pending, uint32_t axes)
{
	const struct nn_normalization *normalization = pending->normalization;
	double length = count_elements(&pending->operands[0]->tensor, axes);

	pending->axis = axes;
	if (fits_vector(&normalization->scale, length) && fits_vector(&normalization->bias, length)) {
		onnx_set_float(pending, pending->reals, make_real);
		return 0;
	}
	if (!pending->reals && !onnx_is_float(pending->operands[0]))
		return 0;
	return onnx_fail_float(import,
			       "its scale or bias has not one number for each element of a vector, "
			       "and its input 0 is computed in float");
}

/* A normalization of input 0, that waits for its QuantizeLinear. */
static struct onnx_pending *new_normalization(struct onnx_import *import, const char *function,
					      bool may_be_float)
{
	const float *reals = NULL;
	const struct onnx_value *x = may_be_float ? onnx_results_input(import, 0, &reals) :
						    onnx_real_input(import, 0);
	struct onnx_pending *pending =
		x ? onnx_new_pending(import, onnx_emit_normalization, 1) : NULL;

	if (!pending)
		return NULL;
	pending->normalization = onnx_alloc(import, 1, sizeof(*pending->normalization));
	if (!pending->normalization)
		return NULL;
	if (!onnx_is_computed(x->tensor.quant.type) && !(may_be_float && onnx_is_float(x))) {
		onnx_fail(import, -EOPNOTSUPP, "its input is quantized to %s" ONNX_8_BITS,
			  nn_data_type_name(x->tensor.quant.type));
		return NULL;
	}
	pending->normalization->function = function;
	pending->reals = reals;
	pending->operands[0] = x;
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	return pending;
}

static int read_epsilon(struct onnx_import *import, struct nn_normalization *normalization)
{
	float epsilon = onnx_attr_float(import->node, "epsilon", EPSILON);

	normalization->epsilon = epsilon;
	if (epsilon > 0)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "its epsilon is %g; nnloop knows numbers above 0, so that nothing is "
			 "divided by 0",
			 (double)epsilon);
}

/* Input i, one number for each index of dimension 1. */
static int read_channels(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t i,
			 const char *what, struct nn_const *out)
{
	const uint32_t channels = x->dims[1];
	uint32_t dims[NN_MAX_RANK] = { 1, channels, 1, 1, 1, 1, 1, 1 };
	int err = onnx_read_floats(import, onnx_input(import, i), what, out);

	if (err)
		return err;
	if (out->rank != 1 || out->dims[0] != channels)
		return onnx_fail(import, -EINVAL,
				 "its %s has another shape than one number for each of %" PRIu32
				 " channels",
				 what, channels);
	nn_const_reshape(out, x->rank, dims);
	return 0;
}

static int read_scale_and_bias(struct onnx_import *import, const struct nn_build_tensor *x,
			       struct nn_normalization *normalization)
{
	int err = read_channels(import, x, 1, "scale", &normalization->scale);

	return err ? err : read_channels(import, x, 2, "bias", &normalization->bias);
}

static int need_rank(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t least)
{
	if (x->rank >= least)
		return 0;
	return onnx_fail(import, -EINVAL,
			 "its input has %" PRIu32 " dimensions, and at least %" PRIu32
			 " are needed",
			 x->rank, least);
}

/* All dimensions behind the first ones. */
static uint32_t axes_from(const struct nn_build_tensor *x, uint32_t axis)
{
	return (1u << x->rank) - (1u << axis);
}

/* ---- The operators ---- */

/* A normalization of vectors along the axis and the dimensions behind it. */

static int lower_last(struct onnx_import *import, const char *function)
{
	struct onnx_pending *pending = new_normalization(import, function, true);
	int64_t axis = onnx_attr_int(import->node, "axis", -1);
	const struct onnx_value *bias = onnx_input(import, 2);
	struct nn_normalization *normalization;
	const struct nn_build_tensor *x;
	uint32_t axes;
	int err;

	if (!pending)
		return onnx_failed(import);
	normalization = pending->normalization;
	x = &pending->operands[0]->tensor;
	err = nn_read_axes(&import->builder, x, &axis, 1, &axes);
	if (!err)
		err = read_epsilon(import, normalization);
	if (!err)
		err = onnx_read_floats(import, onnx_input(import, 1), "scale",
				       &normalization->scale);
	if (!err)
		err = nn_fit_constant(&import->builder, x, "scale", &normalization->scale);
	if (!err && bias->kind != ONNX_ABSENT)
		err = onnx_read_floats(import, bias, "bias", &normalization->bias);
	if (!err && bias->kind != ONNX_ABSENT)
		err = nn_fit_constant(&import->builder, x, "bias", &normalization->bias);
	if (err)
		return err;
	normalization->axes = axes_from(x, axis + (axis < 0 ? x->rank : 0));
	if (set_float(import, pending, normalization->axes))
		return onnx_failed(import);
	return onnx_define_pending(import, pending);
}

int onnx_lower_layer_normalization(struct onnx_import *import)
{
	return lower_last(import, "deviation");
}

int onnx_lower_rms_normalization(struct onnx_import *import)
{
	return lower_last(import, "rms");
}

int onnx_lower_instance_normalization(struct onnx_import *import)
{
	struct onnx_pending *pending = new_normalization(import, "deviation", false);
	struct nn_normalization *normalization;
	const struct nn_build_tensor *x;
	int err;

	if (!pending)
		return onnx_failed(import);
	normalization = pending->normalization;
	x = &pending->operands[0]->tensor;
	err = need_rank(import, x, 3);
	if (!err)
		err = read_epsilon(import, normalization);
	if (!err)
		err = read_scale_and_bias(import, x, normalization);
	if (err)
		return err;
	normalization->axes = axes_from(x, 2);
	return onnx_define_pending(import, pending);
}

int onnx_lower_lp_normalization(struct onnx_import *import)
{
	bool is_sum = onnx_attr_int(import->node, "p", 2) == 1;
	struct onnx_pending *pending = new_normalization(import, is_sum ? "l1" : "l2", false);
	int64_t axis = onnx_attr_int(import->node, "axis", -1);
	int err;

	if (!pending)
		return onnx_failed(import);
	err = nn_read_axes(&import->builder, &pending->operands[0]->tensor, &axis, 1,
			   &pending->normalization->axes);
	if (err)
		return err;
	onnx_set_real(pending, NULL, pending->normalization->function,
		      pending->normalization->axes);
	return onnx_define_pending(import, pending);
}

/* (x - mean) / sqrt(variance + epsilon) * scale + bias, as x times one number plus another, which
 * are made step by step in float32. */
static void join_factors(struct nn_normalization *normalization, const struct nn_const *mean,
			 const struct nn_const *variance, float epsilon, float *scales,
			 float *biases)
{
	for (uint64_t c = 0; c < mean->count; c++) {
		float deviation = sqrtf(nn_const_float(variance, c) + epsilon);

		scales[c] = nn_const_float(&normalization->scale, c) * (1 / deviation);
		biases[c] = nn_const_float(&normalization->bias, c) -
			    nn_const_float(mean, c) * scales[c];
	}
	normalization->scale.data = scales;
	normalization->bias.data = biases;
}

/*
 * Before opset 14 it has the other outputs in training, and only then: it normalizes by the mean
 * and variance of its input, all items of it. Later on that is an attribute, and they are invalid
 * without.
 */
static int check_training(struct onnx_import *import)
{
	for (size_t i = 1; i < import->node->n_output; i++) {
		if (*import->node->output[i])
			return onnx_fail(import, -EOPNOTSUPP,
					 "it has more than one output, which is its form in training\n"
					 "export the model for inference");
	}
	return 0;
}

int onnx_lower_batch_normalization(struct onnx_import *import)
{
	struct onnx_pending *pending = new_normalization(import, "scale", true);
	float epsilon = onnx_attr_float(import->node, "epsilon", EPSILON), *made;
	struct nn_normalization *normalization;
	struct nn_const mean, variance;
	const struct nn_build_tensor *x;
	int err;

	if (!pending || check_training(import))
		return onnx_failed(import);
	normalization = pending->normalization;
	x = &pending->operands[0]->tensor;
	err = need_rank(import, x, 2);
	if (!err)
		err = read_scale_and_bias(import, x, normalization);
	if (!err)
		err = read_channels(import, x, 3, "mean", &mean);
	if (!err)
		err = read_channels(import, x, 4, "variance", &variance);
	if (err)
		return err;
	made = onnx_alloc(import, 2 * mean.count, sizeof(*made));
	if (!made)
		return -ENOMEM;
	join_factors(normalization, &mean, &variance, epsilon, made, made + mean.count);
	if (set_float(import, pending, 2))
		return onnx_failed(import);
	return onnx_define_pending(import, pending);
}
