// SPDX-License-Identifier: MIT
/*
 * Operators of float32 between a DEQUANTIZE and a QUANTIZE, which converters leave where they have
 * no quantized form.
 *
 * A tensor of 8 bits that was dequantized has 256 different elements, and one of int16 65536.
 * Functions of one element are computed of each of these, in float32, and the QUANTIZE behind makes
 * a table of what came of it. If a constant has a number for each channel, there is a table for
 * each. Operators that move elements, or take the greatest, are done to the integers.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define MOST_NUMBERS (1 << 24) /* in all tables of reals of a model */

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

/* As XNNPACK has it: a sixth of x and a half, rounded once. */
static float compute_hard_swish(float x, float option)
{
	(void)option;
	return x * fminf(fmaxf(fmaf(x, 1 / 6.0f, 0.5f), 0), 1);
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

static float compute_prelu(float x, float slope)
{
	return x < 0 ? x * slope : x;
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
	{ "PRELU", compute_prelu },
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

uint32_t tflite_count_integers(const struct tflite_tensor *tensor)
{
	return tensor->made->quant.type == NN_INT16 ? 65536 : 256;
}

/* The real number that a stored integer stands for where nothing has been computed yet. */
static float read_element(const struct nn_quant *quant, uint32_t stored)
{
	int32_t integer = quant->type == NN_INT16 ? (int16_t)stored :
			  quant->type == NN_INT8  ? (int8_t)stored :
						    (int32_t)stored;

	return (float)(integer - quant->zero_point) * quant->scale;
}

float tflite_read_real(const struct tflite_tensor *tensor, uint32_t set, uint32_t stored)
{
	return tensor->reals ? tensor->reals[set * tflite_count_integers(tensor) + stored] :
			       read_element(&tensor->made->quant, stored);
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
		if (!tensor->is_real || tensor->is_unrounded || !tensor->made)
			continue;
		if (found)
			return NULL;
		found = tensor;
		*at = i;
	}
	if (!found || found->is_item ||
	    (!nn_type_is_8bit(found->made->quant.type) && found->made->quant.type != NN_INT16))
		return NULL;
	return found;
}

/* Room for so many sets of reals of x's integers; NULL: the error is set. */
static float *alloc_sets(struct tflite_import *import, const struct tflite_tensor *x, uint32_t sets)
{
	uint64_t count = (uint64_t)sets * tflite_count_integers(x);

	import->real_numbers += count;
	if (import->real_numbers <= MOST_NUMBERS)
		return tflite_alloc(import, count, sizeof(float));
	tflite_fail(import, -EOPNOTSUPP,
		    "what is computed in float32 between DEQUANTIZE and QUANTIZE takes more than %d "
		    "numbers of tables" QUANTIZE_ALL, MOST_NUMBERS);
	return NULL;
}

/*
 * Defines output 0 as the same integers as those of x, which stand for other reals: so many sets of
 * them, by the last `dims` dimensions.
 */
static int define_reals(struct tflite_import *import, const struct tflite_tensor *x, float *reals,
			uint32_t sets, uint32_t dims)
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
	output->real_sets = sets;
	output->real_dims = dims;
	return 0;
}

static uint32_t count_sets(const struct tflite_tensor *x)
{
	return x->reals ? x->real_sets : 1;
}

static int lower_function(struct tflite_import *import, const struct tflite_tensor *x,
			  function_fp function)
{
	const struct tflite_operator *now = import->now;
	float option = !strcmp(now->op->name, "GELU") ? (float)now->option[0] : now->float_option[0];
	uint32_t sets = count_sets(x), count = tflite_count_integers(x);
	float *reals = alloc_sets(import, x, sets);

	if (!reals)
		return tflite_failed(import);
	for (uint32_t set = 0; set < sets; set++) {
		for (uint32_t i = 0; i < count; i++)
			reals[set * count + i] = function(tflite_read_real(x, set, i), option);
	}
	return define_reals(import, x, reals, sets, x->real_dims);
}

/*
 * A constant of reals, of one number, or with as many dimensions as are needed of the last ones of
 * x: gives how many these are, 0 for one number.
 */
static const struct nn_const *read_reals(struct tflite_import *import,
					 const struct tflite_tensor *x, uint32_t i, uint32_t *dims)
{
	const struct nn_const *values;
	struct nn_parameter parameter;
	uint32_t first = 0;

	if (tflite_real_parameter_input(import, i, &parameter))
		return NULL;
	values = parameter.values;
	while (first < values->rank && values->dims[first] == 1)
		first++;
	*dims = values->rank - first;
	if (values->element == NN_ELEMENT_FLOAT && *dims < x->made->rank &&
	    !memcmp(values->dims + first, x->made->dims + x->made->rank - *dims,
		    *dims * sizeof(*values->dims)))
		return values;
	tflite_fail(import, -EOPNOTSUPP,
		    "between DEQUANTIZE and QUANTIZE, nnloop knows it with a constant of one number, "
		    "or of the last dimensions of the other input" QUANTIZE_ALL);
	return NULL;
}

static int lower_two(struct tflite_import *import, const struct tflite_tensor *x, uint32_t at,
		     two_fp function)
{
	const struct tflite_operator *now = import->now;
	struct nn_range range = nn_range_unbounded;
	uint32_t dims, sets = count_sets(x), count = tflite_count_integers(x);
	const struct nn_const *numbers = read_reals(import, x, !at, &dims);
	float *reals;

	if (!numbers)
		return tflite_failed(import);
	if (!dims || !x->reals || !x->real_dims) {
		sets = dims ? numbers->count : sets;
		dims = dims ? dims : x->real_dims;
	} else if (dims != x->real_dims || numbers->count != sets) {
		return tflite_fail(import, -EOPNOTSUPP,
				   "between DEQUANTIZE and QUANTIZE, it has a constant of other "
				   "dimensions than an operator in front of it" QUANTIZE_ALL);
	}
	if (now->op->option_count && !strcmp(now->op->options[0].name, "fused_activation_function"))
		range = tflite_activation_range(now->option[0]);
	reals = alloc_sets(import, x, sets);
	if (!reals)
		return tflite_failed(import);
	for (uint32_t set = 0; set < sets; set++) {
		float number = nn_const_float(numbers, numbers->count == 1 ? 0 : set);

		for (uint32_t i = 0; i < count; i++) {
			float real = tflite_read_real(x, x->real_sets == 1 ? 0 : set, i);

			real = at ? function(number, real) : function(real, number);
			reals[set * count + i] = fminf(fmaxf(real, range.low), range.high);
		}
	}
	return define_reals(import, x, reals, sets, dims);
}

/* ---- Tables ---- */

/* Where each set of a table begins, for an index that is an integer as it is stored, signed or not. */
static int make_starts(struct tflite_import *import, const struct tflite_tensor *x,
		       struct nn_const *starts)
{
	uint32_t count = tflite_count_integers(x), dims = x->real_dims;
	int32_t first = x->made->quant.type == NN_UINT8 ? 0 : (int32_t)count / 2;
	int32_t *numbers = tflite_alloc(import, x->real_sets, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->real_sets; i++)
		numbers[i] = (int32_t)(i * count) + first;
	*starts = (struct nn_const){
		.element = NN_ELEMENT_INT32, .rank = dims ? dims : 1, .dims = { 1 },
		.count = x->real_sets, .data = numbers,
	};
	memcpy(starts->dims, x->made->dims + x->made->rank - dims, dims * sizeof(*starts->dims));
	return 0;
}

/* The sets as a constant, in the order of the integers, not of how they are stored. */
static int make_table(struct tflite_import *import, const struct tflite_tensor *x,
		      const void *table, uint32_t size, struct nn_const *out)
{
	uint32_t count = tflite_count_integers(x), half = count / 2, total = x->real_sets * count;
	uint32_t turn = x->made->quant.type == NN_UINT8 ? 0 : half;
	uint8_t *data = tflite_alloc(import, total, size);

	if (!data)
		return -ENOMEM;
	for (uint32_t i = 0; i < total; i++)
		memcpy(data + (i ^ turn) * size, (const uint8_t *)table + i * size, size);
	*out = (struct nn_const){
		.rank = 1, .dims = { total }, .count = total, .data = data,
	};
	return 0;
}

int tflite_build_sets(struct tflite_import *import, const struct tflite_tensor *tensor,
		      const void *table, const struct nn_quant *quant, struct nn_build_tensor *made)
{
	const struct nn_attr add = { .name = "function", .type = NN_ATTR_STRING, .string = "add" };
	const struct nn_take take = { .axis = 1 };
	struct nn_build_tensor indices, data;
	struct nn_operand operands[2] = { { .tensor = &indices } }, from = { 0 };
	struct nn_const starts, values;
	int err;

	if (quant->type != NN_INT32 && quant->type != NN_FLOAT32 && (!tensor->reals || tensor->real_sets == 1))
		return quant->type == NN_INT16 || tensor->made->quant.type == NN_INT16 ?
			       nn_build_wide_table(&import->builder, tensor->made, table, quant,
						   made) :
			       nn_build_table(&import->builder, tensor->made, table, quant, made);
	err = make_starts(import, tensor, &starts);
	if (!err)
		err = make_table(import, tensor, table, nn_data_type_size(quant->type), &values);
	if (err)
		return err;
	values.element = (enum nn_element)quant->type;
	operands[1].constant = (struct nn_parameter){
		.name = "starts", .values = &starts, .quant = &nn_quant_int32,
	};
	from.constant = (struct nn_parameter){ .name = "table", .values = &values, .quant = quant };
	err = nn_build_unary(&import->builder, "Cast", tensor->made, NULL, 0, &nn_quant_int32,
			     &indices);
	if (!err)
		err = nn_build_broadcast(&import->builder, "Integers", operands, 2, &add, 1,
					 &nn_quant_int32,
					 &indices);
	if (!err)
		err = nn_build_row_constant(&import->builder, &from, &data);
	return err ? err : nn_build_take(&import->builder, &data, &indices, &take, made);
}

/* ---- What moves elements ---- */

/*
 * Whether the operator makes nothing but elements of input 0. is_picking: it makes the greatest
 * ones, or 0 beside them, so integers must be in the reals' order, or as their quantization says.
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
		output->real_sets = x->real_sets;
	}
	return err;
}

/* Whether the greatest integer stands for the greatest real; there is one set of them. */
static bool keeps_order(const struct tflite_tensor *x)
{
	uint32_t count = tflite_count_integers(x);
	uint32_t turn = x->made->quant.type == NN_UINT8 ? 0 : count / 2;

	for (uint32_t i = 1; x->reals && i < count; i++) {
		if (!(tflite_read_real(x, 0, (i - 1) ^ turn) <= tflite_read_real(x, 0, i ^ turn)))
			return false;
	}
	return true;
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
	if ((find_two(name) || tflite_has_truths(import)) && tflite_has_input(import, !at) &&
	    import->tensors[import->now->inputs[!at]].is_constant)
		return true;
	if (!moves(name, &is_picking) || x->real_dims)
		return false;
	if (is_picking && x->reals && (!strcmp(name, "PAD") || !keeps_order(x)))
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
	if (tflite_has_truths(import))
		return tflite_lower_truths(import, x, at);
	return lower_move(import, x);
}
