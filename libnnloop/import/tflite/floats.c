// SPDX-License-Identifier: MIT
/*
 * Models that compute in float32: a model that is refused as a quantized one, and quantizes nothing
 * that it computes, is imported again with tensors of float32. Weights may be of float16, or
 * integers that a DEQUANTIZE makes floats of. What only moves elements is the same as of integers.
 *
 * One that does quantize is imported again as well, with parts that compute in float32, between a
 * DEQUANTIZE and a QUANTIZE, where reals.c has no tables for them: what integers stand for becomes
 * float32 in front of the first operator that needs it so.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/tflite/tflite.h"

#define GATHER 36 /* as the format numbers it */

/* Whether it is what a GATHER takes of a constant, such as the vectors of an embedding. */
static bool is_of_constant(const struct tflite_import *import, uint32_t tensor)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];
		const struct tflite_tensor *from;

		if (operator->code != GATHER || operator->input_count < 2 ||
		    operator->output_count != 1 || operator->outputs[0] != (int32_t)tensor ||
		    operator->inputs[0] < 0)
			continue;
		from = &import->tensors[operator->inputs[0]];
		return from->is_constant && !from->is_worked_out;
	}
	return false;
}

bool tflite_is_of_floats(const struct tflite_import *import)
{
	bool any = false;

	for (uint32_t i = 0; i < import->tensor_count; i++) {
		const struct tflite_tensor *tensor = &import->tensors[i];

		if ((tensor->is_constant && !tensor->is_worked_out) || is_of_constant(import, i))
			continue;
		if (tensor->scales.count && tensor->element != NN_ELEMENT_FLOAT)
			return false;
		any |= tensor->element == NN_ELEMENT_FLOAT;
	}
	return any;
}

bool tflite_has_float_parts(const struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		if (operator->code == TFLITE_CODE_QUANTIZE)
			continue;
		for (uint32_t k = 0; k < operator->input_count; k++) {
			const int32_t x = operator->inputs[k];

			if (x >= 0 && import->tensors[x].element == NN_ELEMENT_FLOAT &&
			    !import->tensors[x].is_constant)
				return true;
		}
	}
	return false;
}

/* ---- From integers, and to them ---- */

const struct nn_build_tensor *tflite_as_floats(struct tflite_import *import,
					       struct tflite_tensor *tensor)
{
	struct nn_build_tensor *floats = tensor->as_floats;
	int err;

	if (floats)
		return floats;
	floats = tflite_alloc(import, 1, sizeof(*floats));
	if (!floats)
		return NULL;
	err = tensor->reals ?
		      tflite_build_sets(import, tensor, tensor->reals, &nn_quant_float, floats) :
		      nn_build_float_convert(&import->builder, tensor->made, &nn_quant_float, floats);
	if (err)
		return NULL;
	floats->name = tensor->name;
	tensor->as_floats = floats;
	return floats;
}

/*
 * FloatConvert divides by the scale, which may round to the other side of a tie: so the quotient is
 * rounded in front of it, and then made a multiple of the scale.
 */
int tflite_quantize_floats(struct tflite_import *import, const struct nn_build_tensor *x,
			   const struct nn_quant *quant, struct nn_build_tensor *made)
{
	struct nn_builder *builder = &import->builder;
	struct nn_build_tensor quotient, whole;
	int err;

	if (!isfinite(1 / quant->scale))
		return tflite_fail(import, -EOPNOTSUPP, "the scale of its output is too small");
	err = nn_build_float_by_number(builder, "Mul", x, 1 / quant->scale, &quotient);
	if (!err)
		err = nn_build_float_each(builder, "Round", NULL, NULL, &quotient, &whole);
	if (!err)
		err = nn_build_float_by_number(builder, "Mul", &whole, quant->scale, &whole);
	return err ? err : nn_build_float_convert(builder, &whole, quant, made);
}

/* ---- Operands ---- */

static const struct tflite_tensor *find_input(const struct tflite_import *import, uint32_t i)
{
	return tflite_has_input(import, i) ? &import->tensors[import->now->inputs[i]] : NULL;
}

static bool is_float_constant(const struct tflite_tensor *tensor)
{
	return tensor && tensor->is_constant && tensor->constant.element == NN_ELEMENT_FLOAT;
}

int tflite_float_tensor(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, i);

	if (!x)
		return tflite_failed(import);
	if (!nn_is_float(x))
		return tflite_fail(import, -EOPNOTSUPP, "its input %s is of %s, beside float32",
				   tflite_quote(import, x->name), nn_data_type_name(x->quant.type));
	*out = *x;
	return 0;
}

int tflite_float_constant(struct tflite_import *import, uint32_t i, struct nn_const *out)
{
	const struct tflite_tensor *tensor = find_input(import, i);

	if (!is_float_constant(tensor))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input %" PRIu32 " is no constant of float32, which nnloop "
				   "needs beside an input of float32", i);
	*out = tensor->constant;
	return 0;
}

int tflite_float_operand(struct tflite_import *import, uint32_t i, struct nn_build_tensor *tensor,
			struct nn_operand *out)
{
	const struct tflite_tensor *input = find_input(import, i);

	*out = (struct nn_operand){ .tensor = tensor };
	if (!is_float_constant(input))
		return tflite_float_tensor(import, i, tensor);
	*out = (struct nn_operand){ .constant = { .name = input->name, .values = &input->constant,
						  .quant = &nn_quant_float } };
	return 0;
}

/* Puts an activation behind what was made. */
int tflite_limit_float(struct tflite_import *import, int64_t activation, struct nn_build_tensor *made)
{
	const struct nn_range range = tflite_activation_range(activation);
	const struct nn_build_tensor from = *made;

	if (!nn_range_is_bounded(&range))
		return 0;
	return nn_build_float_each(&import->builder, "clamp", &range.low, &range.high, &from, made);
}

/* ---- Each element, and two ---- */

static int define_each(struct tflite_import *import, const char *function, const float *alpha,
		       const float *beta)
{
	struct nn_build_tensor x, made;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err)
		err = nn_build_float_each(&import->builder, function, alpha, beta, &x, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static int lower_each(struct tflite_import *import)
{
	static const char *const names[][2] = {
		{ "ABS", "Abs" },	{ "CEIL", "Ceil" },	   { "COS", "Cos" },
		{ "ELU", "Elu" },	{ "EXP", "Exp" },	   { "FLOOR", "Floor" },
		{ "HARD_SWISH", "HardSwish" }, { "LOG", "Log" },   { "LOGISTIC", "Sigmoid" },
		{ "NEG", "Neg" },	{ "RELU", "Relu" },	   { "ROUND", "Round" },
		{ "RSQRT", "rsqrt" },	{ "SIN", "Sin" },	   { "SQRT", "Sqrt" },
		{ "SQUARE", "square" }, { "TANH", "Tanh" },
	};
	const char *name = import->now->op->name;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], name))
			return define_each(import, names[i][1], NULL, NULL);
	}
	if (!strcmp(name, "GELU"))
		return define_each(import, import->now->option[0] ? "GeluTanh" : "Gelu", NULL, NULL);
	if (!strcmp(name, "LEAKY_RELU"))
		return define_each(import, "LeakyRelu", &import->now->float_option[0], NULL);
	return define_each(import, "clamp", &(const float){ strcmp(name, "RELU6") ? -1 : 0 },
			   &(const float){ strcmp(name, "RELU6") ? 1 : 6 });
}

static int lower_two(struct tflite_import *import)
{
	static const char *const names[][2] = {
		{ "ADD", "Add" },	  { "SUB", "Sub" },	{ "MUL", "Mul" },
		{ "DIV", "Div" },	  { "MAXIMUM", "Max" }, { "MINIMUM", "Min" },
		{ "PRELU", "PRelu" },	  { "SQUARED_DIFFERENCE", "SquaredDifference" },
		{ "EQUAL", "Equal" },	  { "LESS", "Less" },	{ "LESS_EQUAL", "LessOrEqual" },
		{ "GREATER", "Greater" }, { "GREATER_EQUAL", "GreaterOrEqual" },
	};
	const char *function = NULL;
	struct nn_build_tensor tensors[2], made;
	struct nn_operand operands[2];
	bool compares, has_activation;
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], import->now->op->name))
			function = names[i][1];
	}
	compares = !strcmp(function, "Equal") || !strncmp(function, "Less", 4) ||
		   !strncmp(function, "Greater", 7);
	has_activation = !strcmp(function, "Add") || !strcmp(function, "Sub") ||
			 !strcmp(function, "Mul");
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_float_operand(import, i, &tensors[i], &operands[i]);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_widen(import, i, operands);
	if (!err)
		err = nn_build_float_binary(&import->builder, function, operands,
					    compares ? &nn_quant_truth : &nn_quant_float, &made);
	if (!err && has_activation)
		err = tflite_limit_float(import, import->now->option[0], &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Along dimensions ---- */

static int define_reduced(struct tflite_import *import, const struct nn_build_tensor *x,
			  const struct nn_float_along *reduction, bool keep_dims)
{
	uint32_t rank, dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err = nn_build_float_reduce(&import->builder, x, reduction, &made);

	nn_reduced_shape(x, reduction->axes, keep_dims, &rank, dims);
	if (!err && !keep_dims)
		err = nn_build_reshape(&import->builder, &made, rank, dims, &made);
	if (err)
		return err;
	/* The only number of an item is a tensor without dimensions in the file. */
	return import->one_is_batch && made.rank == 1 && made.dims[0] == NN_ROWS &&
			       !import->tensors[import->now->outputs[0]].rank ?
		       tflite_define_item(import, 0, &made) :
		       tflite_define(import, 0, &made);
}

/* The dimensions that input 1 names; a batch of the one item that the file has is left as it is. */
static int read_axes(struct tflite_import *import, const struct nn_build_tensor *x, uint32_t *axes)
{
	const struct nn_const *numbers = tflite_ints_input(import, 1);
	bool is_of_one = import->one_is_batch && x->dims[0] == NN_ROWS;
	int64_t values[NN_MAX_RANK];
	uint32_t count = 0;

	if (!numbers)
		return tflite_failed(import);
	if (!numbers->count || numbers->count > NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP, "it has %" PRIu64 " axes", numbers->count);
	for (uint64_t i = 0; i < numbers->count; i++) {
		int64_t axis = nn_const_int(numbers, i);

		if (!is_of_one || (axis && axis != -(int64_t)x->rank))
			values[count++] = axis;
	}
	return nn_read_axes(&import->builder, x, values, count, axes);
}

static int lower_reduce(struct tflite_import *import)
{
	static const char *const names[][2] = {
		{ "MEAN", "mean" },	  { "SUM", "sum" },	    { "REDUCE_MAX", "max" },
		{ "REDUCE_MIN", "min" },  { "REDUCE_PROD", "prod" },
	};
	struct nn_float_along reduction = { .makes_one = true };
	struct nn_build_tensor x;
	int err = tflite_float_tensor(import, 0, &x);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], import->now->op->name))
			reduction.function = names[i][1];
	}
	if (!err)
		err = read_axes(import, &x, &reduction.axes);
	if (!err && !reduction.axes)
		return tflite_define(import, 0, &x);
	return err ? err : define_reduced(import, &x, &reduction, import->now->option[0]);
}

/* SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION: of the last dimension. */
static int lower_vectors(struct tflite_import *import)
{
	bool is_softmax = !strcmp(import->now->op->name, "SOFTMAX");
	struct nn_float_along reduction = {
		.function = is_softmax ? "softmax" :
			    !strcmp(import->now->op->name, "LOG_SOFTMAX") ? "log_softmax" : "l2",
	};
	float beta = is_softmax ? import->now->float_option[0] : 1;
	struct nn_build_tensor x;
	int err = tflite_float_tensor(import, 0, &x);

	if (err)
		return err;
	/* TensorFlow Lite's least length of a vector. */
	if (!strcmp(reduction.function, "l2"))
		reduction.epsilon = 1e-6f;
	if (beta != 1)
		err = nn_build_float_by_number(&import->builder, "Mul", &x, beta, &x);
	reduction.axes = 1u << (x.rank - 1);
	return err ? err : define_reduced(import, &x, &reduction, true);
}

/* ---- Others ---- */

/* Integers that a GATHER has taken, as the floats that they stand for. */
static int dequantize(struct tflite_import *import)
{
	const struct nn_build_tensor *x;
	struct nn_build_tensor made;
	int err;

	if (import->stands)
		return tflite_lower_dequantize(import);
	x = tflite_tensor_input(import, 0);
	if (!x)
		return tflite_failed(import);
	if (!x->quant.scale)
		return tflite_lower_dequantize(import);
	err = nn_build_float_convert(&import->builder, x, &nn_quant_float, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* A constant stays one; integers that are computed become floats. */
static int lower_dequantize(struct tflite_import *import)
{
	const struct tflite_tensor *input = find_input(import, 0);
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	struct nn_quant quant;
	int err = 0;

	if (!input || !input->is_constant || !input->constant.element)
		return dequantize(import);
	output->constant = input->constant;
	if (input->constant.element != NN_ELEMENT_FLOAT) {
		struct nn_parameter weights;

		err = tflite_parameter_input(import, 0, &weights);
		if (err)
			return err;
		quant = *weights.quant;
		if (!quant.scale && !quant.scales)
			return tflite_fail(import, -EOPNOTSUPP, "its input has no scale");
		err = nn_const_dequantize(&import->builder, &input->constant, &quant,
					  &output->constant);
	}
	output->is_constant = !err;
	output->is_worked_out = true;
	return err;
}

/* A constant that was sparse, which is dense since it was read (sparse.c). */
static int lower_densify(struct tflite_import *import)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	int err = tflite_float_constant(import, 0, &output->constant);

	output->is_constant = output->is_worked_out = !err;
	return err;
}

static int lower_resize(struct tflite_import *import)
{
	const struct nn_const *size = tflite_ints_input(import, 1);
	bool align = import->now->option[2], half = import->now->option[3];
	struct nn_resize resize = {
		.mode = "linear",
		/* ONNX's names for the same positions. */
		.coordinates = align ? "align_corners" : half ? "half_pixel" : "asymmetric",
	};
	struct nn_build_tensor x, made;
	int err = size ? tflite_float_tensor(import, 0, &x) : tflite_failed(import);

	if (!err)
		err = nn_need_image(&import->builder, &x);
	if (!err && size->count != 2)
		err = tflite_fail(import, -EINVAL, "its size is %" PRIu64 " numbers, not 2",
				  size->count);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		int64_t pixels = nn_const_int(size, i);

		if (pixels < 1 || pixels > UINT16_MAX)
			return tflite_fail(import, -EOPNOTSUPP,
					   "it makes %" PRId64 " pixels; nnloop knows 1 to %d",
					   pixels, UINT16_MAX);
		resize.size[i] = pixels;
	}
	if (!err)
		err = nn_build_resize(&import->builder, &x, &resize, &nn_quant_float, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- The table ---- */

static const struct form {
	const char *name;
	int (*lower)(struct tflite_import *import);
} forms[] = {
	{ "ABS", lower_each },
	{ "ADD", lower_two },
	{ "AVERAGE_POOL_2D", tflite_lower_float_pool },
	{ "BATCH_MATMUL", tflite_lower_float_batch_matmul },
	{ "BIDIRECTIONAL_SEQUENCE_LSTM", tflite_lower_float_lstm_both },
	{ "CAST", tflite_lower_float_cast },
	{ "CEIL", lower_each },
	{ "CONV_2D", tflite_lower_float_conv },
	{ "Convolution2DTransposeBias", tflite_lower_float_transpose_bias },
	{ "COS", lower_each },
	{ "CUMSUM", tflite_lower_float_cumsum },
	{ "DEPTHWISE_CONV_2D", tflite_lower_float_conv },
	{ "DIV", lower_two },
	{ "ELU", lower_each },
	{ "EQUAL", lower_two },
	{ "EXP", lower_each },
	{ "FLOOR", lower_each },
	{ "FLOOR_DIV", tflite_lower_float_floor_div },
	{ "FLOOR_MOD", tflite_lower_float_floor_mod },
	{ "FULLY_CONNECTED", tflite_lower_float_fully_connected },
	{ "GELU", lower_each },
	{ "GREATER", lower_two },
	{ "GREATER_EQUAL", lower_two },
	{ "HARD_SWISH", lower_each },
	{ "L2_NORMALIZATION", lower_vectors },
	{ "LEAKY_RELU", lower_each },
	{ "LESS", lower_two },
	{ "LESS_EQUAL", lower_two },
	{ "LOG", lower_each },
	{ "LOGISTIC", lower_each },
	{ "LOG_SOFTMAX", lower_vectors },
	{ "MAXIMUM", lower_two },
	{ "MAX_POOL_2D", tflite_lower_float_pool },
	{ "MEAN", lower_reduce },
	{ "MINIMUM", lower_two },
	{ "MUL", lower_two },
	{ "NEG", lower_each },
	{ "NON_MAX_SUPPRESSION_V4", tflite_lower_non_max_suppression },
	{ "NON_MAX_SUPPRESSION_V5", tflite_lower_non_max_suppression },
	{ "NOT_EQUAL", tflite_lower_float_not_equal },
	{ "PRELU", lower_two },
	{ "REDUCE_MAX", lower_reduce },
	{ "REDUCE_MIN", lower_reduce },
	{ "REDUCE_PROD", lower_reduce },
	{ "RELU", lower_each },
	{ "RELU6", lower_each },
	{ "RELU_N1_TO_1", lower_each },
	{ "RESIZE_BILINEAR", lower_resize },
	{ "ROUND", lower_each },
	{ "RSQRT", lower_each },
	{ "SIN", lower_each },
	{ "SOFTMAX", lower_vectors },
	{ "SQRT", lower_each },
	{ "SQUARE", lower_each },
	{ "SQUARED_DIFFERENCE", lower_two },
	{ "SUB", lower_two },
	{ "SUM", lower_reduce },
	{ "TANH", lower_each },
	{ "TRANSPOSE_CONV", tflite_lower_float_transpose_conv },
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM", tflite_lower_float_lstm },
	{ "UNIDIRECTIONAL_SEQUENCE_RNN", tflite_lower_float_rnn },
};

/* Refuses, in a quantized model, what the format has for float32 only. */
int tflite_lower_only_in_float(struct tflite_import *import)
{
	return tflite_fail(import, -EOPNOTSUPP, "nnloop knows it in models that compute in float32");
}

static const struct form *find_form(const struct tflite_import *import)
{
	static const struct form of_constants[] = { { "DENSIFY", lower_densify },
						    { "DEQUANTIZE", lower_dequantize } };

	for (size_t i = 0; i < sizeof(of_constants) / sizeof(*of_constants); i++) {
		if (!strcmp(import->now->op->name, of_constants[i].name))
			return &of_constants[i];
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!strcmp(forms[i].name, import->now->op->name))
			return &forms[i];
	}
	return NULL;
}

bool tflite_has_floats(const struct tflite_import *import)
{
	const struct form *form = import->floats ? find_form(import) : NULL;

	if (!form || form->lower == lower_densify || form->lower == lower_dequantize)
		return form;
	for (uint32_t i = 0; i < import->now->input_count; i++) {
		const struct tflite_tensor *tensor = find_input(import, i);

		if (tensor && tensor->element == NN_ELEMENT_FLOAT)
			return true;
	}
	return form->lower == tflite_lower_float_cast &&
	       import->tensors[import->now->outputs[0]].element == NN_ELEMENT_FLOAT;
}

int tflite_lower_floats(struct tflite_import *import)
{
	return find_form(import)->lower(import);
}
