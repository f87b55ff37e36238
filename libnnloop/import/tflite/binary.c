// SPDX-License-Identifier: MIT
/*
 * Operators of two elements, and of two matrices. ADD, SUB and MUL round as XNNPACK does, which
 * takes them for scales that do not differ too much; what rounds otherwise for others is refused.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

struct two {
	struct nn_operand operands[2];
	const struct nn_quant *quants[2];
	struct nn_quant output;
};

/* An operand of 8 bits; a filled one is a number beside a tensor that is none. */
static int read_operand(struct tflite_import *import, uint32_t i, struct nn_operand *out)
{
	const struct tflite_tensor *filled = tflite_filled_input(import, i);

	*out = (struct nn_operand){ 0 };
	if (filled && !filled->is_real && !tflite_filled_input(import, !i) &&
	    tflite_has_input(import, !i) &&
	    !import->tensors[import->now->inputs[!i]].is_constant)
		return tflite_filled_operand(import, filled, &out->constant);
	return tflite_operand_input(import, i, out);
}

int tflite_widen(struct tflite_import *import, uint32_t i, struct nn_operand operands[2])
{
	const struct nn_operand *other = &operands[!i];
	const struct nn_build_tensor *x = operands[i].tensor;
	struct nn_build_tensor *wide;
	uint32_t dims[NN_MAX_RANK], ones;

	if (!import->one_is_batch || !x || !other->tensor || x->rank >= other->tensor->rank ||
	    x->dims[0] != NN_ROWS || other->tensor->dims[0] != NN_ROWS ||
	    (import->tensors[import->now->inputs[i]].open & 1))
		return 0;
	wide = tflite_alloc(import, 1, sizeof(*wide));
	if (!wide)
		return -ENOMEM;
	ones = other->tensor->rank - x->rank;
	for (uint32_t k = 0; k < other->tensor->rank; k++)
		dims[k] = k && k <= ones ? 1 : x->dims[k ? k - ones : 0];
	operands[i].tensor = wide;
	return nn_build_reshape(&import->builder, x, other->tensor->rank, dims, wide);
}

static int read_two(struct tflite_import *import, struct two *two)
{
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++) {
		struct nn_operand *operand = &two->operands[i];

		err = read_operand(import, i, operand);
		two->quants[i] = operand->tensor ? &operand->tensor->quant :
						   operand->constant.quant;
		if (!err && two->quants[i]->type != two->quants[0]->type)
			err = tflite_fail(import, -EINVAL, "its inputs are of %s and %s",
					  nn_data_type_name(two->quants[0]->type),
					  nn_data_type_name(two->quants[i]->type));
	}
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_widen(import, i, two->operands);
	if (!err)
		err = tflite_typed_output_quant(import, two->quants[0]->type, &two->output);
	return err;
}

static int lower_two(struct tflite_import *import, const struct two *two, const char *rounding,
		     int64_t activation)
{
	struct nn_range range = tflite_activation_range(activation);
	const char *inside = nn_range_activation(&range);
	struct nn_build_tensor made;
	int err = tflite_need_range(import, &range, &two->output);

	if (!err)
		err = nn_build_binary(&import->builder, import->now->op->becomes, two->operands,
				      inside, rounding, &two->output, &made);
	if (!err && !inside && nn_range_is_bounded(&range))
		err = nn_build_clamp(&import->builder, &made, &range, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static int need_ratio(struct tflite_import *import, float ratio, float least)
{
	if (ratio >= least && ratio < 0x1p8f)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its input scales over its output scale are %g, and nnloop knows how it "
			   "rounds from %g to 256",
			   (double)ratio, (double)least);
}

/* Lowers int32 and int64, which have no activation. */
static int lower_plain(struct tflite_import *import, int64_t activation)
{
	if (activation != TFLITE_ACTIVATION_NONE)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its inputs are no quantized tensors, and it has an activation");
	return tflite_lower_integers(import);
}

/* Checks the scales of int16, whose products become less. */
static int need_wide_scales(struct tflite_import *import, const struct nn_operand operands[2],
			    const struct nn_quant *output)
{
	float a = nn_operand_quant(&operands[0])->scale, b = nn_operand_quant(&operands[1])->scale;

	if (a * b / output->scale < 1)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "the product of its input scales over its output scale is %g; of int16, "
			   "nnloop knows it below 1", (double)(a * b / output->scale));
}

/* The quantization of output 0, of int16. */
static int wide_output_quant(struct tflite_import *import, struct nn_quant *quant)
{
	int err = tflite_typed_output_quant(import, NN_INT16, quant);

	if (!err && quant->zero_point)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its output is of int16, which needs zero point 0");
	return err;
}

/* An operand whose integers are taken for the output's, whatever it says of them itself. */
static int take_as_stored(struct tflite_import *import, struct nn_operand *operand,
			  const struct nn_quant *quant)
{
	struct nn_build_tensor *stored;

	if (!operand->tensor) {
		operand->constant.quant = quant;
		return 0;
	}
	stored = tflite_alloc(import, 1, sizeof(*stored));
	if (!stored)
		return -ENOMEM;
	*stored = *operand->tensor;
	operand->tensor = stored;
	return tflite_keep_stored(import, 0, stored);
}

/* Lowers int16, with an activation. */
static int lower_wide(struct tflite_import *import, int64_t activation)
{
	struct nn_range range = tflite_activation_range(activation);
	struct nn_operand operands[2];
	struct nn_build_tensor made;
	struct nn_attr attrs[1];
	struct nn_quant quant;
	uint32_t count = 0;
	int err = tflite_need_wide_activation(import, &range);

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_wide_operand_input(import, i, &operands[i]);
	if (!err)
		err = wide_output_quant(import, &quant);
	for (uint32_t i = 0; i < 2 && !err && import->now->op->stored; i++)
		err = take_as_stored(import, &operands[i], &quant);
	if (!err && !import->now->op->stored)
		err = need_wide_scales(import, operands, &quant);
	if (!err)
		err = tflite_need_broadcast(import, operands, 2);
	if (err)
		return err;
	nn_add_string(attrs, &count, "activation", nn_range_activation(&range));
	err = nn_build_broadcast(&import->builder, import->now->op->becomes, operands, 2, attrs,
				 count, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* XNNPACK has up to 6 dimensions; other kernels round in another way. */
static int need_xnnpack_rank(struct tflite_import *import)
{
	uint32_t rank = import->tensors[import->now->outputs[0]].rank;

	if (rank <= 6)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its output has %" PRIu32 " dimensions; nnloop knows up to 6", rank);
}

/* How the kernels of TensorFlow Lite add: operands become 2^20 times as fine as the coarser one. */
struct fine_sum {
	struct nn_fixed by[2], to_output;
	int32_t sign; /* of the second operand */
};

#define MOST_RATIO 255.75f /* of products to an output; one step of it is 255 or more */
#define FINE_BITS 20

static int32_t add_finely(const struct fine_sum *sum, const int32_t q[2])
{
	int32_t a = nn_fixed_multiply(q[0] * (1 << FINE_BITS), sum->by[0]);
	int32_t b = nn_fixed_multiply(q[1] * (1 << FINE_BITS), sum->by[1]);

	return nn_fixed_multiply(a + sum->sign * b, sum->to_output);
}

static struct fine_sum find_fine_sum(const struct two *two, bool subtract)
{
	double a = two->quants[0]->scale, b = two->quants[1]->scale, twice = 2 * fmax(a, b);

	return (struct fine_sum){
		.by = { nn_pack_fixed(a / twice), nn_pack_fixed(b / twice) },
		.to_output = nn_pack_fixed(twice / ((1 << FINE_BITS) * (double)two->output.scale)),
		.sign = subtract ? -1 : 1,
	};
}

/* Whether an operand is too fine for XNNPACK, and none too coarse for the other kernels as well. */
static bool has_fine_scale(const struct two *two)
{
	float a = two->quants[0]->scale / two->output.scale;
	float b = two->quants[1]->scale / two->output.scale;

	return fminf(a, b) < 0x1p-10f && fmaxf(a, b) < 0x1p8f;
}

/* The constant's one number, less its zero point; `at` is which operand is the tensor. */
static bool find_number(const struct two *two, uint32_t *at, int32_t *number)
{
	*at = !two->operands[0].tensor;
	if (!two->operands[*at].tensor || two->operands[!*at].tensor ||
	    two->operands[!*at].constant.values->count != 1)
		return false;
	*number = (int32_t)(nn_const_int(two->operands[!*at].constant.values, 0) -
			    two->quants[!*at]->zero_point);
	return true;
}

/* Lowers a sum with a number, such as the epsilon that a normalization adds, to a table. */
static int lower_sum_with_number(struct tflite_import *import, const struct two *two, uint32_t at,
				 int32_t number, bool subtract)
{
	struct nn_range range = tflite_activation_range(import->now->option[0]);
	const struct nn_build_tensor *x = two->operands[at].tensor;
	const struct fine_sum sum = find_fine_sum(two, subtract);
	int32_t min, max, from_min, from_max;
	struct nn_build_tensor made;
	uint8_t table[256];
	int err;

	if (!nn_fixed_fits(sum.to_output, FINE_BITS + 10))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its scales, %g, %g and %g, are too far apart",
				   (double)two->quants[0]->scale, (double)two->quants[1]->scale,
				   (double)two->output.scale);
	nn_type_range(x->quant.type, &from_min, &from_max);
	nn_type_range(two->output.type, &min, &max);
	for (int32_t i = from_min; i <= from_max; i++) {
		int32_t q[2] = { number, number }, y;

		q[at] = i - x->quant.zero_point;
		y = add_finely(&sum, q) + two->output.zero_point;
		table[(uint8_t)i] = (uint8_t)(y < min ? min : y > max ? max : y);
	}
	err = tflite_need_range(import, &range, &two->output);
	if (!err)
		err = nn_build_table(&import->builder, x, table, &two->output, &made);
	if (!err && nn_range_is_bounded(&range))
		err = nn_build_clamp(&import->builder, &made, &range, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* The sum of operand `at`, whose element is i, with any of the other operand's elements: 8 bits. */
static int32_t add_end(const struct two *two, const struct fine_sum *sum, uint32_t at, int32_t i,
		       int32_t other)
{
	int32_t q[2], min, max, y;

	q[at] = i - two->quants[at]->zero_point;
	q[!at] = other - two->quants[!at]->zero_point;
	nn_type_range(two->output.type, &min, &max);
	y = add_finely(sum, q) + two->output.zero_point;
	return y < min ? min : y > max ? max : y;
}

/*
 * Whether the coarser operand, `at`, makes all of the sum: it has all of its shape, and no element of
 * the other one is enough to make another result, as behind a layer whose scale was not trained.
 */
static bool is_all(const struct tflite_import *import, const struct two *two, bool subtract,
		   uint32_t *at)
{
	const struct fine_sum sum = find_fine_sum(two, subtract);
	const struct nn_build_tensor *x, *y;
	int32_t min, max;

	*at = two->quants[0]->scale < two->quants[1]->scale;
	x = two->operands[*at].tensor;
	y = two->operands[!*at].tensor;
	if (!x || !y || x->rank != y->rank || import->is_lifted ||
	    !nn_fixed_fits(sum.to_output, FINE_BITS + 10))
		return false;
	for (uint32_t i = 0; i < x->rank; i++) {
		if (y->dims[i] != x->dims[i] && y->dims[i] != 1)
			return false;
	}
	nn_type_range(x->quant.type, &min, &max);
	for (int32_t i = min; i <= max; i++) {
		if (add_end(two, &sum, *at, i, min) != add_end(two, &sum, *at, i, max))
			return false;
	}
	return true;
}

/* ADD, SUB. */
int tflite_lower_sum(struct tflite_import *import)
{
	bool subtract = !strcmp(import->now->op->becomes, "Sub");
	struct two two;
	int32_t number;
	uint32_t at;
	int err;

	if (tflite_is_plain(import))
		return lower_plain(import, import->now->option[0]);
	if (tflite_is_int16(import, 0))
		return tflite_lower_add_int16(import, subtract);
	err = read_two(import, &two);
	if (!err)
		err = need_xnnpack_rank(import);
	if (!err && has_fine_scale(&two) && find_number(&two, &at, &number))
		return lower_sum_with_number(import, &two, at, number, subtract);
	if (!err && has_fine_scale(&two) && is_all(import, &two, subtract, &at))
		return lower_sum_with_number(import, &two, at, 0, subtract);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = need_ratio(import, two.quants[i]->scale / two.output.scale, 0x1p-10f);
	return err ? err : lower_two(import, &two, "half_up", import->now->option[0]);
}

/* To the nearest stored integer, ties to even. */
static int64_t compute_square(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	float x = (float)q * from->scale;

	return tflite_whole(rintf(x * x * (1 / to->scale) + (float)to->zero_point)) - to->zero_point;
}

/* Lowers MUL of a tensor by itself, of which XNNPACK makes a function of one element. */
static int lower_square(struct tflite_import *import, const struct two *two)
{
	struct nn_range range = tflite_activation_range(import->now->option[0]);
	struct nn_build_tensor made;
	int err = tflite_need_range(import, &range, &two->output);

	if (!err)
		err = tflite_build_table(import, two->operands[0].tensor, compute_square,
					 &two->output, &made);
	if (!err && nn_range_is_bounded(&range))
		err = nn_build_clamp(&import->builder, &made, &range, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* Whether an input is 0 everywhere, and the other a tensor of the same shape. */
static bool makes_zeros(const struct tflite_import *import)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct tflite_tensor *filled = tflite_filled_input(import, i), *other;

		if (!filled || filled->is_real || !tflite_has_input(import, !i) ||
		    filled->filler != tflite_first_zero_point(filled))
			continue;
		other = &import->tensors[import->now->inputs[!i]];
		if ((other->made || other->is_filled) && !other->is_real &&
		    other->element == filled->element && other->rank == filled->rank &&
		    !memcmp(other->dims, filled->dims, other->rank * sizeof(*other->dims)))
			return true;
	}
	return false;
}

static int lower_zeros(struct tflite_import *import)
{
	const struct tflite_tensor *input = &import->tensors[import->now->inputs[0]];
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];

	tflite_fill_open(import, 0, input->rank, input->dims);
	if (output->rank != input->rank || output->element != input->element ||
	    memcmp(output->dims, input->dims, input->rank * sizeof(*input->dims)))
		return tflite_fail(import, -EINVAL,
				   "its output has another type or shape than its inputs");
	tflite_define_filled(import, (int32_t)tflite_first_zero_point(output));
	return 0;
}

/*
 * Lowers a product so fine that no elements make half of an output's step, as of the scales that
 * layers begin with: 0 everywhere, of the product's shape, which is made with a step of any size.
 */
static int lower_vanished(struct tflite_import *import, const struct two *two)
{
	struct nn_quant coarse = two->output;
	struct nn_build_tensor made;
	uint8_t table[256];
	int err;

	coarse.scale = two->quants[0]->scale * two->quants[1]->scale;
	if (!(coarse.scale >= FLT_MIN))
		return tflite_fail(import, -EOPNOTSUPP, "the product of its input scales is too small");
	memset(table, two->output.zero_point, sizeof(table));
	err = nn_build_binary(&import->builder, import->now->op->becomes, two->operands, NULL,
			      "float32_once", &coarse, &made);
	if (!err)
		err = nn_build_table(&import->builder, &made, table, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/*
 * TensorFlow Lite adds the zero point to products that 16 bits hold, without a look at what comes of
 * that: a product at their end gets to the output's other end.
 */
static int need_sums(struct tflite_import *import, const struct two *two, float ratio)
{
	const int32_t zero = two->output.zero_point;
	int32_t low[2], high[2], least = INT32_MAX, most = INT32_MIN;

	for (int i = 0; i < 2; i++) {
		nn_type_range(two->quants[i]->type, &low[i], &high[i]);
		low[i] -= two->quants[i]->zero_point;
		high[i] -= two->quants[i]->zero_point;
	}
	for (int i = 0; i < 4; i++) {
		int32_t product = (i & 1 ? low[0] : high[0]) * (i & 2 ? low[1] : high[1]);

		least = product < least ? product : least;
		most = product > most ? product : most;
	}
	if (import->now->inputs[0] == import->now->inputs[1])
		least = 0;
	if ((zero <= 0 || (double)most * ratio + zero < INT16_MAX) &&
	    (zero >= 0 || (double)least * ratio + zero > INT16_MIN))
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its input scales over its output scale are %g, and with an output's zero "
			   "point of %d products overflow in TensorFlow Lite",
			   (double)ratio, (int)zero);
}

/*
 * Lowers a product so coarse that each one but 0 is at an end of what the output can be, as of scales
 * that were never trained: any such step makes the same.
 */
static int lower_ends(struct tflite_import *import, const struct two *two, float ratio)
{
	struct nn_range range = tflite_activation_range(import->now->option[0]);
	struct nn_quant coarse = two->output;
	struct nn_build_tensor made;
	uint8_t table[256];
	int err = need_sums(import, two, ratio);

	if (!err)
		err = tflite_need_range(import, &range, &two->output);
	coarse.scale = two->quants[0]->scale * two->quants[1]->scale / MOST_RATIO;
	if (!err && !(coarse.scale >= FLT_MIN))
		err = tflite_fail(import, -EOPNOTSUPP, "the product of its input scales is too small");
	for (uint32_t i = 0; i < sizeof(table); i++)
		table[i] = i;
	if (!err)
		err = nn_build_binary(&import->builder, import->now->op->becomes, two->operands,
				      NULL, "float32_once", &coarse, &made);
	if (!err)
		err = nn_build_table(&import->builder, &made, table, &two->output, &made);
	if (!err && nn_range_is_bounded(&range))
		err = nn_build_clamp(&import->builder, &made, &range, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_mul(struct tflite_import *import)
{
	struct two two;
	float ratio;
	int err;

	if (makes_zeros(import))
		return lower_zeros(import);
	if (tflite_is_plain(import))
		return lower_plain(import, import->now->option[0]);
	if (tflite_is_int16(import, 0))
		return lower_wide(import, import->now->option[0]);
	err = read_two(import, &two);
	if (!err)
		err = need_xnnpack_rank(import);
	if (!err) {
		ratio = two.quants[0]->scale * two.quants[1]->scale / two.output.scale;
		if (ratio < 0x1p-17f)
			return lower_vanished(import, &two);
		if (ratio >= 0x1p8f)
			return lower_ends(import, &two, ratio);
		err = need_ratio(import, ratio, 0x1p-16f);
	}
	if (!err && two.operands[0].tensor && import->now->inputs[0] == import->now->inputs[1])
		return lower_square(import, &two);
	return err ? err : lower_two(import, &two, "float32_once", import->now->option[0]);
}

/* DIV: of int32 toward 0; of 8 bits as reals. */
int tflite_lower_div(struct tflite_import *import)
{
	struct nn_build_tensor made;
	struct two two;
	int err;

	if (tflite_has_input(import, 0) &&
	    import->tensors[import->now->inputs[0]].element == NN_ELEMENT_INT32)
		return lower_plain(import, import->now->option[0]);
	err = read_two(import, &two);
	if (!err)
		err = tflite_build_quotient(import, two.operands, &two.output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* MAXIMUM, MINIMUM: they compare the stored integers. */
int tflite_lower_extreme(struct tflite_import *import)
{
	struct two two;
	int err;

	if (tflite_is_plain(import))
		return tflite_lower_integers(import);
	if (tflite_is_int16(import, 0))
		return lower_wide(import, TFLITE_ACTIVATION_NONE);
	err = read_two(import, &two);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = take_as_stored(import, &two.operands[i], &two.output);
	return err ? err : lower_two(import, &two, "float32", TFLITE_ACTIVATION_NONE);
}

int tflite_lower_prelu(struct tflite_import *import)
{
	struct two two;
	int err = read_two(import, &two);

	return err ? err : lower_two(import, &two, "fixed_point", TFLITE_ACTIVATION_NONE);
}

int tflite_lower_squared_difference(struct tflite_import *import)
{
	struct two two;
	int err;

	if (tflite_has_input(import, 0) &&
	    import->tensors[import->now->inputs[0]].element == NN_ELEMENT_INT32)
		return tflite_lower_plain_squared_difference(import);
	err = read_two(import, &two);
	if (!err)
		err = tflite_need_int8(import, two.output.type);
	return err ? err : lower_two(import, &two, "fixed_point", TFLITE_ACTIVATION_NONE);
}

/* Multiplies int16, by the kernels of TensorFlow Lite. */
static int lower_wide_product(struct tflite_import *import, struct nn_product *product)
{
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_wide_operand_input(import, i, &product->operands[i]);
	if (!err)
		err = wide_output_quant(import, &quant);
	if (!err)
		err = nn_build_product(&import->builder, product, NULL, "fixed_point", &quant,
				       &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* Lowers BatchMatMul, with the options that transpose the one or the other. */
int tflite_lower_batch_matmul(struct tflite_import *import)
{
	struct nn_product product = {
		.transpose = { import->now->option[0], import->now->option[1] },
	};
	struct nn_build_tensor made;
	struct two two;
	int err;

	if (tflite_is_int16(import, 0))
		return lower_wide_product(import, &product);
	err = read_two(import, &two);
	if (!err && two.output.type != NN_INT8)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it multiplies uint8, which TensorFlow Lite does not know");
	if (err)
		return err;
	memcpy(product.operands, two.operands, sizeof(product.operands));
	/* XNNPACK multiplies by what is around 0. */
	err = nn_build_product(&import->builder, &product, NULL,
			       two.quants[1]->zero_point ? "fixed_point" : "float32_once",
			       &two.output, &made);
	return err ? err : tflite_define(import, 0, &made);
}
