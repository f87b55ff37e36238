// SPDX-License-Identifier: MIT
/*
 * Normalizations that an ONNX model computes step by step, as exporters write LayerNormalization
 * where the opset has none:
 *
 *	mean = ReduceMean(x)			variance = ReduceMean(Pow(x - mean, 2))
 *	y = (x - mean) / Sqrt(variance + epsilon) * scale + bias
 *
 * A QuantizeLinear may come behind the mean, behind x - mean, the variance, the quotient and what
 * follows it; the tool that quantizes such models puts one behind the variance, and behind the sum
 * with epsilon, and the quotient is then that of x - mean and a root of a quantized tensor. Steps
 * that none comes behind are kept here as what they are of x, up to where they are an operator that
 * nnloop has. What is not one of these steps is refused by the operator that reads it.
 *
 * So is what PyTorch's normalize() becomes, whose clamp keeps vectors of zeros as they are:
 *
 *	y = x / Expand(Clip(ReduceL2(x), epsilon))
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

enum stage {
	LENGTH, /* of the vectors */
	CLAMPED, /* that, but `least` at least */
	EXPANDED, /* that, in x's shape */
	MEAN,
	CENTERED, /* x - mean */
	SQUARED, /* that times itself */
	VARIANCE,
	WITH_EPSILON, /* variance + epsilon */
	DEVIATION, /* its root */
	QUOTIENT, /* x - mean over that, or over a function of a quantized tensor */
	SCALED,
	MOVED,
};

struct onnx_moment {
	enum stage stage;
	uint32_t axes;
	bool keeps_dims; /* 1 for each of the axes, by which it fits x */
	float least; /* CLAMPED, EXPANDED */
	struct nn_normalization normalization;
};

/* The moment of a tensor that a value is, if it is that and nothing else. */
static const struct onnx_moment *get_moment(const struct onnx_value *value)
{
	const struct onnx_moment *moment;
	const struct nn_range *range;

	if (value->kind != ONNX_PENDING || !value->pending->moment)
		return NULL;
	moment = value->pending->moment;
	range = &value->pending->range;
	if (moment->stage == CLAMPED && range->low == moment->least && range->high == INFINITY)
		return moment;
	return nn_range_is_bounded(range) ? NULL : moment;
}

static const struct onnx_moment *get_stage(const struct onnx_value *value, enum stage stage)
{
	const struct onnx_moment *moment = get_moment(value);

	return moment && moment->stage == stage ? moment : NULL;
}

static const struct nn_build_tensor *tensor_of(const struct onnx_value *value)
{
	return &value->pending->operands[0]->tensor;
}

/* Whether two steps are of one tensor, along the same dimensions. */
static bool goes_with(const struct onnx_value *a, const struct onnx_value *b)
{
	return get_moment(a)->axes == get_moment(b)->axes &&
	       onnx_is_same_tensor(tensor_of(a), tensor_of(b));
}

/* One number; of no more dimensions than a tensor. */
static bool is_number(const struct onnx_value *value, uint32_t rank, float *number)
{
	const struct nn_quant *quant = &value->tensor.quant;

	if (!onnx_is_const(value) || value->constant.count != 1 || value->constant.rank > rank)
		return false;
	if (value->kind == ONNX_REAL_CONST)
		*number = (float)(nn_const_int(&value->constant, 0) -
				  nn_quant_zero_point(quant, 0)) *
			  nn_quant_scale(quant, 0);
	else if (value->constant.element == NN_ELEMENT_FLOAT)
		*number = nn_const_float(&value->constant, 0);
	else
		return false;
	return true;
}

/* A tensor that may be read, of 8 bits. */
static bool is_readable(const struct onnx_value *value)
{
	return value->kind == ONNX_REAL && !value->unrounded && !value->promised &&
	       nn_type_is_8bit(value->tensor.quant.type);
}

/* ---- What a step makes of its operands; false: it is none ---- */

static bool subtract(const struct onnx_value *x, const struct onnx_value *mean,
		     struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_stage(mean, MEAN);

	if (!moment || !moment->keeps_dims || !is_readable(x) ||
	    !onnx_is_same_tensor(&x->tensor, tensor_of(mean)))
		return false;
	*made = *moment;
	made->stage = CENTERED;
	made->normalization.function = "center";
	return true;
}

static bool square(const struct onnx_value *a, const struct onnx_value *b,
		   struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_stage(a, CENTERED);

	if (!moment || !get_stage(b, CENTERED) || !goes_with(a, b))
		return false;
	*made = *moment;
	made->stage = SQUARED;
	return true;
}

static bool raise(const struct onnx_value *a, const struct onnx_value *b,
		  struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_moment(a);
	float exponent;

	if (!moment || !is_number(b, tensor_of(a)->rank, &exponent))
		return false;
	*made = *moment;
	made->stage = moment->stage == CENTERED ? SQUARED : DEVIATION;
	return (moment->stage == CENTERED && exponent == 2) ||
	       (moment->stage == WITH_EPSILON && exponent == 0.5f);
}

static bool add_epsilon(const struct onnx_value *variance, const struct onnx_value *epsilon,
			struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_stage(variance, VARIANCE);
	float number;

	if (!moment || !is_number(epsilon, tensor_of(variance)->rank, &number) || !(number > 0) ||
	    !isfinite(number))
		return false;
	*made = *moment;
	made->stage = WITH_EPSILON;
	made->normalization.epsilon = number;
	return true;
}

/* Whether a value has x's shape, but 1 for each of the axes. */
static bool is_reduced(const struct onnx_value *value, const struct nn_build_tensor *x,
		       uint32_t axes)
{
	const struct nn_build_tensor *tensor = &value->tensor;
	uint32_t rank, dims[NN_MAX_RANK];

	nn_reduced_shape(x, axes, true, &rank, dims);
	return tensor->rank == rank && !memcmp(tensor->dims, dims, rank * sizeof(*dims));
}

/*
 * Divides a tensor by its own lengths. What clamps these changes none but 0, by which nothing may be
 * divided.
 */
static bool divide_by_length(const struct onnx_value *x, const struct onnx_value *length,
			     struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_stage(length, EXPANDED);

	if (!moment)
		moment = get_stage(length, CLAMPED);
	if (!moment || !moment->keeps_dims || !is_readable(x) ||
	    !onnx_is_same_tensor(&x->tensor, tensor_of(length)))
		return false;
	*made = *moment;
	made->stage = QUOTIENT;
	return moment->least > 0 && moment->least <= x->tensor.quant.scale;
}

/* Divides by its own deviation, or by a function of another tensor's elements. */
static bool divide(const struct onnx_value *a, const struct onnx_value *b,
		   struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_stage(a, CENTERED);

	if (!moment)
		return false;
	*made = *moment;
	made->stage = QUOTIENT;
	if (get_stage(b, DEVIATION)) {
		made->normalization.function = "deviation";
		made->normalization.epsilon = get_moment(b)->normalization.epsilon;
		return get_moment(b)->keeps_dims && goes_with(a, b);
	}
	if (b->kind != ONNX_PENDING || !b->pending->results ||
	    nn_range_is_bounded(&b->pending->range) ||
	    !is_reduced(b, tensor_of(a), moment->axes))
		return false;
	made->normalization.function = "given";
	made->normalization.divisor = &b->pending->operands[0]->tensor;
	made->normalization.divisors = b->pending->results;
	return true;
}

/* Multiplies by a constant, or adds one; fills in which of them. */
static bool scale_or_move(struct onnx_import *import, const struct onnx_value *a,
			  const struct onnx_value *b, struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_moment(a);
	bool is_scale = !strcmp(import->node->op_type, "Mul");

	if (!moment || !onnx_is_const(b) || moment->stage < QUOTIENT ||
	    moment->stage >= (is_scale ? SCALED : MOVED))
		return false;
	*made = *moment;
	made->stage = is_scale ? SCALED : MOVED;
	return true;
}

/* *of: the operand that is of a tensor; *other: the other one. */
static bool take_step(struct onnx_import *import, const struct onnx_value **of,
		      const struct onnx_value **other, struct onnx_moment *made)
{
	const struct onnx_value *a = onnx_input(import, 0), *b = onnx_input(import, 1);
	const char *name = import->node->op_type;
	bool is_product = !strcmp(name, "Mul");

	*of = a;
	*other = b;
	if (!strcmp(name, "Sub")) {
		*of = b;
		*other = a;
		return subtract(a, b, made);
	}
	if (!strcmp(name, "Pow"))
		return raise(a, b, made);
	if (!strcmp(name, "Div") && divide_by_length(a, b, made)) {
		*of = b;
		*other = a;
		return true;
	}
	if (!strcmp(name, "Div"))
		return divide(a, b, made);
	if (!is_product && strcmp(name, "Add"))
		return false;
	if (!get_moment(a)) {
		*of = b;
		*other = a;
	}
	if (is_product && square(*of, *other, made))
		return true;
	return (!is_product && add_epsilon(*of, *other, made)) ||
	       scale_or_move(import, *of, *other, made);
}

/* Clamps lengths from below. */
static bool clamp(struct onnx_import *import, const struct onnx_value *length,
		  struct onnx_moment *made)
{
	const struct onnx_value *max = onnx_input(import, 2);

	return get_stage(length, LENGTH) && max->kind == ONNX_ABSENT &&
	       is_number(onnx_input(import, 1), 0, &made->least);
}

/* Whether all nodes that read output 0 of the current node divide by it. */
static bool is_divisor(struct onnx_import *import)
{
	const struct onnx_value *value = onnx_output(import, 0);

	for (uint32_t i = 0; value && i < value->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[value->users[i]].node;

		if (strcmp(user->op_type, "Div") || user->n_input != 2 ||
		    strcmp(user->input[1], value->tensor.name))
			return false;
	}
	return value && value->user_count;
}

/* Gives lengths the shape of what they are the lengths of. */
static bool expand(struct onnx_import *import, const struct onnx_value *length,
		   struct onnx_moment *made)
{
	const struct onnx_value *shape = onnx_input(import, 1);
	const struct nn_build_tensor *x;
	bool is_batch;

	if (!get_stage(length, CLAMPED) || !get_moment(length)->keeps_dims || !is_divisor(import))
		return false;
	x = tensor_of(length);
	if ((shape->kind != ONNX_CONST && shape->kind != ONNX_ROW_COUNT) ||
	    shape->constant.element != NN_ELEMENT_INT64 || shape->constant.count != x->rank)
		return false;
	for (uint32_t i = 0; i < x->rank; i++) {
		int64_t wanted = nn_const_int(&shape->constant, i);

		is_batch = shape->kind == ONNX_ROW_COUNT && shape->batch[i] && !import->apart;
		if (is_batch && (i || x->dims[0] != NN_ROWS || wanted != 1 ||
				 !onnx_same_rows(import, length, shape->rows_of)))
			return false;
		if (!is_batch && wanted != 1 && wanted != x->dims[i])
			return false;
	}
	made->stage = EXPANDED;
	return true;
}

/* Steps of one operand. */
static bool take_single_step(struct onnx_import *import, const struct onnx_value *a,
			     struct onnx_moment *made)
{
	const struct onnx_moment *moment = get_moment(a);

	if (!moment)
		return false;
	*made = *moment;
	if (!strcmp(import->node->op_type, "Clip")) {
		made->stage = CLAMPED;
		return clamp(import, a, made);
	}
	if (!strcmp(import->node->op_type, "Expand"))
		return expand(import, a, made);
	if (!strcmp(import->node->op_type, "Sqrt")) {
		made->stage = DEVIATION;
		return moment->stage == WITH_EPSILON;
	}
	made->stage = VARIANCE;
	return moment->stage == SQUARED && !strcmp(import->node->op_type, "ReduceMean");
}

bool onnx_is_moment(struct onnx_import *import)
{
	const struct onnx_value *of, *other;
	struct onnx_moment made;

	if (import->op->domain)
		return false;
	return take_single_step(import, onnx_input(import, 0), &made) ||
	       take_step(import, &of, &other, &made);
}

/* ---- The operators ---- */

static int emit_variance(struct onnx_import *import, const struct onnx_pending *pending,
			 const struct nn_quant *quant, const char *activation,
			 struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	int err = onnx_check_squares(import, x, pending->moment->axes);

	(void)activation;
	if (err)
		return err;
	return nn_build_reduce(&import->builder, "Reduce", x, pending->moment->axes,
			       pending->moment->keeps_dims, "variance", quant, out);
}

static int emit_nothing(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	(void)pending;
	(void)quant;
	(void)activation;
	(void)out;
	return onnx_fail(import, -EOPNOTSUPP,
			 "its result is a step of a normalization that nnloop cannot round\n"
			 "quantize the model so that this operator stays in float");
}

static onnx_emit_fp choose_emit(enum stage stage)
{
	if (stage == VARIANCE)
		return emit_variance;
	return stage == CENTERED || stage >= QUOTIENT ? onnx_emit_normalization : emit_nothing;
}

static int begin(struct onnx_import *import, struct onnx_pending *pending, enum stage stage,
		 const char *function)
{
	struct onnx_moment *moment = onnx_alloc(import, 1, sizeof(*moment));

	if (!moment)
		return -ENOMEM;
	moment->stage = stage;
	moment->axes = moment->normalization.axes = pending->axis;
	moment->keeps_dims = pending->keep_dims;
	moment->normalization.function = function;
	pending->moment = moment;
	return 0;
}

int onnx_begin_moment(struct onnx_import *import, struct onnx_pending *mean)
{
	return begin(import, mean, MEAN, NULL);
}

int onnx_begin_length(struct onnx_import *import, struct onnx_pending *length, bool is_of_squares)
{
	return begin(import, length, LENGTH, is_of_squares ? "l2" : "l1");
}

/* A variance goes along the same dimensions as the mean. */
static int read_variance(struct onnx_import *import, const struct nn_build_tensor *x,
			 struct onnx_moment *moment)
{
	uint32_t axes;
	int err = onnx_read_axes(import, x, &axes);

	if (err)
		return err;
	if (axes != moment->axes)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it goes over other dimensions than the mean that its input is "
				 "without");
	moment->keeps_dims = onnx_attr_int(import->node, "keepdims", 1);
	return 0;
}

static int read_factor(struct onnx_import *import, const struct nn_build_tensor *x,
		       const struct onnx_value *value, struct onnx_moment *moment)
{
	bool is_scale = moment->stage == SCALED;
	const char *what = is_scale ? "scale" : "bias";
	struct nn_const *constant = is_scale ? &moment->normalization.scale :
					       &moment->normalization.bias;
	int err = onnx_read_floats(import, value, what, constant);

	return err ? err : nn_fit_constant(&import->builder, x, what, constant);
}

/* Whether it divides by what a rounded variance stands for, and that can be 0 or no root. */
static bool may_divide_by_none(const struct nn_normalization *normalization)
{
	for (int i = 0; normalization->divisors && i < 256; i++) {
		if (!(normalization->divisors[i] > 0))
			return true;
	}
	return false;
}

/* Lengths wait when they are clamped, too: a QuantizeLinear may come behind that. */
static int lower_clamp(struct onnx_import *import, const struct onnx_moment *moment)
{
	struct onnx_value value = *onnx_input(import, 0);
	struct onnx_pending *pending = onnx_alloc(import, 1, sizeof(*pending));

	if (!pending)
		return -ENOMEM;
	*pending = *value.pending;
	pending->moment = moment;
	pending->range.low = moment->least;
	value.pending = pending;
	return onnx_define(import, 0, &value);
}

int onnx_lower_moment(struct onnx_import *import)
{
	struct onnx_moment *moment = onnx_alloc(import, 1, sizeof(*moment));
	const struct onnx_value *of = onnx_input(import, 0), *other;
	struct onnx_pending *pending = onnx_new_pending(import, NULL, 1);
	const struct nn_build_tensor *x;
	int err = 0;

	if (!moment || !pending)
		return -ENOMEM;
	if (!take_single_step(import, of, moment))
		take_step(import, &of, &other, moment);
	if (moment->stage == CLAMPED)
		return lower_clamp(import, moment);
	pending->moment = moment;
	pending->normalization = &moment->normalization;
	pending->may_be_nan = may_divide_by_none(pending->normalization);
	pending->operands[0] = of->pending->operands[0];
	pending->emit = choose_emit(moment->stage);
	x = tensor_of(of);
	if (moment->stage == QUOTIENT && moment->least > 0)
		onnx_set_real(pending, NULL, moment->normalization.function, moment->axes);
	if (moment->stage == VARIANCE)
		err = read_variance(import, x, moment);
	else if (moment->stage == SCALED || moment->stage == MOVED)
		err = read_factor(import, x, other, moment);
	if (err)
		return err;
	pending->rank = x->rank;
	memcpy(pending->dims, x->dims, sizeof(pending->dims));
	if (moment->stage == VARIANCE)
		nn_reduced_shape(x, moment->axes, moment->keeps_dims, &pending->rank,
				 pending->dims);
	else if (moment->stage == WITH_EPSILON || moment->stage == DEVIATION) {
		pending->rank = of->tensor.rank;
		memcpy(pending->dims, of->tensor.dims, sizeof(pending->dims));
	}
	return onnx_define_pending(import, pending);
}
