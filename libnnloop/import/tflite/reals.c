// SPDX-License-Identifier: MIT
/*
 * Operators of float32 between a DEQUANTIZE and a QUANTIZE, which converters leave where they have
 * no quantized form.
 *
 * A tensor of 8 bits that was dequantized has 256 different elements. Functions of one element are
 * computed of each of these, in float32, and the QUANTIZE behind makes a table of what came of it.
 * Operators that move elements, or take the greatest, are done to the integers.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define ELEMENTS 256 /* by their stored bytes */

/* ---- Functions ---- */

typedef float (*function_fp)(float x, float option);

static float compute_neg(float x, float option)
{
	(void)option;
	return -x;
}

static float compute_abs(float x, float option)
{
	(void)option;
	return fabsf(x);
}

static float compute_square(float x, float option)
{
	(void)option;
	return x * x;
}

static float compute_sqrt(float x, float option)
{
	(void)option;
	return sqrtf(x);
}

static float compute_rsqrt(float x, float option)
{
	(void)option;
	return 1 / sqrtf(x);
}

static float compute_exp(float x, float option)
{
	(void)option;
	return (float)exp((double)x);
}

static float compute_log(float x, float option)
{
	(void)option;
	return (float)log((double)x);
}

static float compute_sin(float x, float option)
{
	(void)option;
	return (float)sin((double)x);
}

static float compute_cos(float x, float option)
{
	(void)option;
	return (float)cos((double)x);
}

static float compute_ceil(float x, float option)
{
	(void)option;
	return ceilf(x);
}

static float compute_floor(float x, float option)
{
	(void)option;
	return floorf(x);
}

static float compute_round(float x, float option)
{
	(void)option;
	return rintf(x);
}

static float compute_elu(float x, float option)
{
	(void)option;
	return x > 0 ? x : (float)expm1((double)x);
}

static float compute_logistic(float x, float option)
{
	(void)option;
	return (float)(1 / (1 + exp(-(double)x)));
}

static float compute_tanh(float x, float option)
{
	(void)option;
	return (float)tanh((double)x);
}

static float compute_relu(float x, float option)
{
	(void)option;
	return fmaxf(x, 0);
}

static float compute_relu6(float x, float option)
{
	(void)option;
	return fminf(fmaxf(x, 0), 6);
}

static float compute_relu_n1_to_1(float x, float option)
{
	(void)option;
	return fminf(fmaxf(x, -1), 1);
}

static float compute_leaky_relu(float x, float alpha)
{
	return x < 0 ? x * alpha : x;
}

static float compute_hard_swish(float x, float option)
{
	(void)option;
	return x * compute_relu6(x + 3, 0) / 6;
}

/* approximate: 1 is by the hyperbolic tangent. */
static float compute_gelu(float x, float approximate)
{
	double gate = (double)x * M_SQRT1_2;

	if (approximate != 0)
		return (float)(0.5 * (double)x *
			       (1 + tanh(M_2_SQRTPI * M_SQRT1_2 *
					 ((double)x + 0.044715 * pow((double)x, 3)))));
	return (float)(0.5 * (double)x * (1 + erf(gate)));
}

static const struct {
	const char *name;
	function_fp function;
} functions[] = {
	{ "ABS", compute_abs },
	{ "CEIL", compute_ceil },
	{ "COS", compute_cos },
	{ "ELU", compute_elu },
	{ "EXP", compute_exp },
	{ "FLOOR", compute_floor },
	{ "GELU", compute_gelu },
	{ "HARD_SWISH", compute_hard_swish },
	{ "LEAKY_RELU", compute_leaky_relu },
	{ "LOG", compute_log },
	{ "LOGISTIC", compute_logistic },
	{ "NEG", compute_neg },
	{ "RELU", compute_relu },
	{ "RELU6", compute_relu6 },
	{ "RELU_N1_TO_1", compute_relu_n1_to_1 },
	{ "ROUND", compute_round },
	{ "RSQRT", compute_rsqrt },
	{ "SIN", compute_sin },
	{ "SQRT", compute_sqrt },
	{ "SQUARE", compute_square },
	{ "TANH", compute_tanh },
};

static function_fp find_function(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}

/* ---- Functions of two, of which one is a number of the model ---- */

typedef float (*two_fp)(float a, float b);

static float compute_add(float a, float b)
{
	return a + b;
}

static float compute_sub(float a, float b)
{
	return a - b;
}

static float compute_mul(float a, float b)
{
	return a * b;
}

static float compute_div(float a, float b)
{
	return a / b;
}

static float compute_squared_difference(float a, float b)
{
	return (a - b) * (a - b);
}

static const struct {
	const char *name;
	two_fp function;
} twos[] = {
	{ "ADD", compute_add },
	{ "DIV", compute_div },
	{ "MAXIMUM", fmaxf },
	{ "MINIMUM", fminf },
	{ "MUL", compute_mul },
	{ "SQUARED_DIFFERENCE", compute_squared_difference },
	{ "SUB", compute_sub },
};

static two_fp find_two(const char *name)
{
	for (size_t i = 0; i < sizeof(twos) / sizeof(*twos); i++) {
		if (!strcmp(twos[i].name, name))
			return twos[i].function;
	}
	return NULL;
}

/* ---- Tensors ---- */

/* The real number that a stored byte stands for where nothing has been computed yet. */
static float read_element(const struct nn_quant *quant, uint32_t byte)
{
	int32_t stored = quant->type == NN_INT8 ? (int8_t)byte : (int32_t)byte;

	return (float)(stored - quant->zero_point) * quant->scale;
}

float tflite_read_real(const struct tflite_tensor *tensor, uint32_t byte)
{
	return tensor->reals ? tensor->reals[byte] : read_element(&tensor->made->quant, byte);
}

/* The one input of the current operator that is of reals, and not a model's input; NULL: none. */
static struct tflite_tensor *find_real(struct tflite_import *import, uint32_t *at)
{
	struct tflite_tensor *found = NULL;

	for (uint32_t i = 0; i < import->now->input_count; i++) {
		struct tflite_tensor *tensor;

		if (!tflite_has_input(import, i))
			continue;
		tensor = &import->tensors[import->now->inputs[i]];
		if (!tensor->is_real || tensor->is_unrounded)
			continue;
		if (found)
			return NULL;
		found = tensor;
		*at = i;
	}
	return found && nn_type_is_8bit(found->made->quant.type) && !found->is_item ? found : NULL;
}

/* Defines output 0 as the same integers as those of x, which stand for other reals. */
static int define_reals(struct tflite_import *import, const struct tflite_tensor *x, float *reals)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	int err;

	if (output->element != NN_ELEMENT_FLOAT)
		return tflite_fail(import, -EINVAL, "it makes %s of float32",
				   tflite_type_name(output->type));
	err = tflite_define(import, 0, x->made);
	if (err)
		return err;
	output->is_real = true;
	output->reals = reals;
	return 0;
}

static int lower_function(struct tflite_import *import, const struct tflite_tensor *x,
			  function_fp function)
{
	const struct tflite_operator *now = import->now;
	float option = !strcmp(now->op->name, "GELU") ? (float)now->option[0] : now->float_option;
	float *reals = tflite_alloc(import, ELEMENTS, sizeof(*reals));

	if (!reals)
		return -ENOMEM;
	for (uint32_t i = 0; i < ELEMENTS; i++)
		reals[i] = function(tflite_read_real(x, i), option);
	return define_reals(import, x, reals);
}

/* The constant's one number. */
static int read_number(struct tflite_import *import, uint32_t i, float *number)
{
	struct nn_parameter parameter;
	int err = tflite_real_parameter_input(import, i, &parameter);

	if (err)
		return err;
	if (parameter.values->element != NN_ELEMENT_FLOAT || parameter.values->count != 1)
		return tflite_fail(import, -EOPNOTSUPP,
				   "between DEQUANTIZE and QUANTIZE, nnloop knows it with a constant "
				   "of one number" QUANTIZE_ALL);
	*number = nn_const_float(parameter.values, 0);
	return 0;
}

static int lower_two(struct tflite_import *import, const struct tflite_tensor *x, uint32_t at,
		     two_fp function)
{
	const struct tflite_operator *now = import->now;
	struct nn_range range = nn_range_unbounded;
	float number = 0, *reals;
	int err = read_number(import, !at, &number);

	if (err)
		return err;
	if (now->op->option_count && !strcmp(now->op->options[0].name, "fused_activation_function"))
		range = tflite_activation_range(now->option[0]);
	reals = tflite_alloc(import, ELEMENTS, sizeof(*reals));
	if (!reals)
		return -ENOMEM;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		float real = tflite_read_real(x, i);

		real = at ? function(number, real) : function(real, number);
		reals[i] = fminf(fmaxf(real, range.low), range.high);
	}
	return define_reals(import, x, reals);
}

/* ---- What moves elements ---- */

/*
 * Whether the operator makes nothing but elements of input 0. is_picking: it makes the greatest
 * ones, or 0 beside them, so integers must be as their quantization says.
 */
static bool moves(const char *name, bool *is_picking)
{
	static const char *const names[] = {
		"BROADCAST_TO", "DEPTH_TO_SPACE", "EXPAND_DIMS", "GATHER", "GATHER_ND",
		"MIRROR_PAD", "RESHAPE", "RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2", "SLICE",
		"SPACE_TO_DEPTH", "SPLIT", "SPLIT_V", "SQUEEZE", "STRIDED_SLICE", "TILE",
		"TRANSPOSE", "UNPACK",
	};
	static const char *const picking[] = { "MAX_POOL_2D", "PAD", "REDUCE_MAX", "REDUCE_MIN" };

	*is_picking = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	*is_picking = true;
	for (size_t i = 0; i < sizeof(picking) / sizeof(*picking); i++) {
		if (!strcmp(picking[i], name))
			return true;
	}
	return false;
}

/* Lowers an operator as if it were one of the integers, and its outputs are of the same reals. */
static int lower_move(struct tflite_import *import, const struct tflite_tensor *x)
{
	const struct tflite_operator *now = import->now;
	int err;

	for (uint32_t i = 0; i < now->output_count; i++) {
		if (import->tensors[now->outputs[i]].element != NN_ELEMENT_FLOAT)
			return tflite_fail(import, -EINVAL, "it makes %s of float32",
					   tflite_type_name(import->tensors[now->outputs[i]].type));
	}
	import->real_quant = &x->made->quant;
	err = now->op->lower(import);
	import->real_quant = NULL;
	for (uint32_t i = 0; i < now->output_count && !err; i++) {
		struct tflite_tensor *output = &import->tensors[now->outputs[i]];

		output->is_real = true;
		output->reals = x->reals;
	}
	return err;
}

bool tflite_has_reals(struct tflite_import *import)
{
	const char *name = import->now->op->name;
	bool is_picking;
	uint32_t at;
	const struct tflite_tensor *x = find_real(import, &at);

	if (!x)
		return false;
	if (find_function(name) && import->now->input_count == 1)
		return true;
	if (find_two(name) && tflite_has_input(import, !at) &&
	    import->tensors[import->now->inputs[!at]].is_constant)
		return true;
	if (!moves(name, &is_picking) || (is_picking && x->reals))
		return false;
	/* An activation ends at real numbers, which may be no integers. */
	return strcmp(name, "MAX_POOL_2D") || !import->now->option[TFLITE_POOL_ACTIVATION];
}

int tflite_lower_real(struct tflite_import *import)
{
	if (!tflite_tensor_input(import, 0))
		return tflite_failed(import);
	return tflite_fail(import, -EOPNOTSUPP,
			   "its input is of integers; nnloop knows it between DEQUANTIZE and QUANTIZE");
}

int tflite_lower_reals(struct tflite_import *import)
{
	const char *name = import->now->op->name;
	uint32_t at = 0;
	const struct tflite_tensor *x = find_real(import, &at);

	if (find_function(name))
		return lower_function(import, x, find_function(name));
	if (find_two(name))
		return lower_two(import, x, at, find_two(name));
	return lower_move(import, x);
}
