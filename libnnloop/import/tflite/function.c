// SPDX-License-Identifier: MIT
/*
 * Functions of one element that TensorFlow Lite's own kernels compute in a way of their own: tables
 * of what comes of each of the 256 elements that there are.
 */
#include <errno.h>
#include <math.h>

#include "import/tflite/tflite.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

/* Whether nn_fixed_multiply() can do it; what is too small for that is 0. */
static bool has_ratio(const struct nn_quant *from, const struct nn_quant *to)
{
	return from->scale / to->scale < 0x1p15f;
}

int tflite_build_table(struct tflite_import *import, const struct nn_build_tensor *x,
		       tflite_function_fp function, const struct nn_quant *quant,
		       struct nn_build_tensor *made)
{
	int32_t min, max, from_min, from_max;
	uint8_t table[256];

	if (!has_ratio(&x->quant, quant))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale is 2^15 times its output scale, or more");
	nn_type_range(x->quant.type, &from_min, &from_max);
	nn_type_range(quant->type, &min, &max);
	for (int32_t i = from_min; i <= from_max; i++) {
		int64_t y = function(i - x->quant.zero_point, &x->quant, quant) + quant->zero_point;

		table[(uint8_t)i] = (uint8_t)(y < min ? min : y > max ? max : y);
	}
	return nn_build_table(&import->builder, x, table, quant, made);
}

#define TOGETHER 16 /* elements that LiteRT's loop has at a time */

static int64_t requantize_up(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	return nn_fixed_multiply_up(q, nn_pack_fixed((double)from->scale / to->scale));
}

static bool is_same(tflite_function_fp one, tflite_function_fp other, const struct nn_quant *from,
		    const struct nn_quant *to)
{
	for (int32_t q = -255; q <= 255; q++) {
		if (one(q, from, to) != other(q, from, to))
			return false;
	}
	return true;
}

int tflite_build_requantized(struct tflite_import *import, const struct nn_build_tensor *x,
			     tflite_function_fp last, const struct nn_quant *quant,
			     struct nn_build_tensor *made)
{
	struct nn_build_tensor flat, parts[2];
	uint32_t dims[2] = { x->dims[0], 1 }, whole;
	int err;

	for (uint32_t i = 1; i < x->rank; i++)
		dims[1] *= x->dims[i];
	whole = dims[1] / TOGETHER * TOGETHER;
	if (!whole || whole == dims[1] || !has_ratio(&x->quant, quant) ||
	    is_same(last, requantize_up, &x->quant, quant))
		return tflite_build_table(import, x, whole ? requantize_up : last, quant, made);
	err = nn_build_reshape(&import->builder, x, 2, dims, &flat);
	if (!err)
		err = nn_build_slice(&import->builder, &flat, 1, 0, whole, &parts[0]);
	if (!err)
		err = nn_build_slice(&import->builder, &flat, 1, whole, dims[1] - whole, &parts[1]);
	if (!err)
		err = tflite_build_table(import, &parts[0], requantize_up, quant, &parts[0]);
	if (!err)
		err = tflite_build_table(import, &parts[1], last, quant, &parts[1]);
	if (!err)
		err = nn_build_concat(&import->builder, parts, 2, 1, &flat);
	return err ? err : nn_build_reshape(&import->builder, &flat, x->rank, x->dims, made);
}

static int lower_table(struct tflite_import *import, tflite_function_fp function)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_typed_output_quant(import, x->quant.type, &quant);
	if (!err)
		err = tflite_build_table(import, x, function, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* Lowers a function that TensorFlow Lite has no kernel of uint8 for. */
static int lower_int8_table(struct tflite_import *import, tflite_function_fp function)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);

	if (!x || tflite_need_int8(import, x->quant.type))
		return tflite_failed(import);
	return lower_table(import, function);
}

/* Numbers far beyond any output become less, so that they fit. */
int64_t tflite_whole(float y)
{
	return (int64_t)fminf(fmaxf(y, -0x1p40f), 0x1p40f);
}

static int64_t compute_abs(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	int32_t size = q < 0 ? -q : q;

	if (from->scale == to->scale)
		return size;
	return nn_fixed_multiply(size, nn_pack_fixed(from->scale / to->scale));
}

int tflite_lower_abs(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? tflite_lower_wide_abs(import) :
					    lower_int8_table(import, compute_abs);
}

/* ---- HARD_SWISH: x * relu6(x + 3) / 6, with 16 bits ---- */

static int64_t saturate16(int64_t value)
{
	return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value;
}

/* The upper half of 2 * a * b, to the nearest, ties up. */
static int64_t multiply_high(int64_t a, int64_t b)
{
	return (a * b + (1 << 14)) >> 15;
}

/* A multiplier of 16 bits, with the same exponent. */
static int64_t upper_half(struct nn_fixed by)
{
	int64_t high = ((int64_t)by.multiplier + (1 << 15)) >> 16;

	return high > INT16_MAX ? INT16_MAX : high;
}

/*
 * Finds the multipliers of an element that is 2^7 times as fine: to be one of the output, and to be
 * 1 where x is 3.
 */
static void find_multipliers(const struct nn_quant *from, const struct nn_quant *to,
			     struct nn_fixed *to_output, struct nn_fixed *to_gate)
{
	const float fine = 1 / 128.0f * from->scale;

	*to_output = nn_pack_fixed((double)fine / to->scale);
	*to_gate = nn_pack_fixed((double)fine / (3.0f / 32768.0f));
}

static int64_t compute_hard_swish(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	int64_t x = (int64_t)q * 128, scaled, gate = x;
	struct nn_fixed to_output, to_gate;

	find_multipliers(from, to, &to_output, &to_gate);
	scaled = multiply_high(x, upper_half(to_output));
	/* -3 .. 3 becomes -1 .. 1, and what is outside of that is cut off; then 0 .. 1. */
	if (to_gate.exponent > 0)
		gate = saturate16(gate * (1 << (to_gate.exponent - 1)));
	gate = multiply_high(gate, upper_half(to_gate));
	if (to_gate.exponent > 0)
		gate = saturate16(gate * 2);
	else
		gate = nn_divide_away(gate, -to_gate.exponent);
	gate = (gate + (1 << 15)) >> 1;
	/* The division is towards 0. */
	return nn_divide_away(gate * scaled / 32768, -to_output.exponent);
}

int tflite_lower_hard_swish(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_fixed to_output, to_gate;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_output_quant(import, 0, &quant);
	if (err)
		return err;
	find_multipliers(&x->quant, &quant, &to_output, &to_gate);
	/* Shifts of 16 bits. */
	if (!to_output.multiplier || to_output.exponent > 0 || to_output.exponent < -14 ||
	    !to_gate.multiplier || to_gate.exponent > 15 || to_gate.exponent < -14)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its scales, %g and %g, are outside of what its 16 bits are for",
				   (double)x->quant.scale, (double)quant.scale);
	return lower_table(import, compute_hard_swish);
}

/* ---- LEAKY_RELU ---- */

/* Finds what elements are multiplied by, those from 0 on and those below: 8 bits are a fraction. */
static void find_slopes(float alpha, const struct nn_quant *from, const struct nn_quant *to,
			float *ratio, float *ratio_below)
{
	*ratio = from->scale / to->scale;
	*ratio_below = *ratio * alpha;
}

bool tflite_has_xnnpack_leaky_relu(struct tflite_import *import)
{
	const struct tflite_operator *now = import->now;
	const struct nn_build_tensor *x;
	float ratio, ratio_below;
	struct nn_quant quant;

	if (!tflite_has_input(import, 0) || tflite_is_int16(import, 0))
		return false;
	x = tflite_8bit_input(import, 0);
	if (!x || tflite_output_quant(import, 0, &quant) || quant.type != x->quant.type)
		return false;
	find_slopes(now->float_option[0], &x->quant, &quant, &ratio, &ratio_below);
	return isnormal(now->float_option[0]) && ratio >= 0x1p-8f && ratio <= 0x1p7f &&
	       ratio_below >= -127.99609375f && ratio_below <= 0x1p7f &&
	       fabsf(ratio_below) >= 0x1p-8f;
}

int tflite_lower_xnnpack_leaky_relu(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_build_tensor made;
	float ratio, ratio_below;
	struct nn_quant quant;
	uint8_t table[256];
	int32_t min, max;
	int err = tflite_typed_output_quant(import, x->quant.type, &quant);

	if (err)
		return err;
	find_slopes(import->now->float_option[0], &x->quant, &quant, &ratio, &ratio_below);
	nn_type_range(quant.type, &min, &max);
	for (int32_t i = min; i <= max; i++) {
		int32_t q = i - x->quant.zero_point;
		int32_t by = (int32_t)rintf(256 * (q < 0 ? ratio_below : ratio));
		int32_t y = ((q * by + 128) >> 8) + quant.zero_point;

		table[(uint8_t)i] = (uint8_t)(y < min ? min : y > max ? max : y);
	}
	err = nn_build_table(&import->builder, x, table, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- ELU ---- */

/* As XNNPACK's tables: to the nearest stored integer, ties to even. */
static int64_t compute_elu(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	float x = (float)q * from->scale, y = x > 0 ? x : (float)expm1((double)x);

	return tflite_whole(rintf(y * (1 / to->scale) + (float)to->zero_point)) - to->zero_point;
}

int tflite_lower_elu(struct tflite_import *import)
{
	return lower_int8_table(import, compute_elu);
}

/* ---- GELU ---- */

/* Rounded as TensorFlow Lite's tables are: to the nearest, ties away from 0. */
static int64_t round_away(float y, const struct nn_quant *to)
{
	return tflite_whole(roundf(y * (1 / to->scale)));
}

static float compute_gelu_real(float x, const float ends[2])
{
	(void)ends;
	return 0.5f * x * (1 + (float)erf((double)(x * (float)M_SQRT1_2)));
}

static float compute_gelu_real_by_tanh(float x, const float ends[2])
{
	const float root_2_over_pi = (float)(M_2_SQRTPI * M_SQRT1_2);
	float inner = root_2_over_pi * (x + 0.044715f * (x * x * x));

	(void)ends;
	return 0.5f * x * (1 + (float)tanh((double)inner));
}

static int64_t compute_gelu(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	return round_away(compute_gelu_real((float)q * from->scale, NULL), to);
}

static int64_t compute_gelu_by_tanh(int32_t q, const struct nn_quant *from,
				    const struct nn_quant *to)
{
	return round_away(compute_gelu_real_by_tanh((float)q * from->scale, NULL), to);
}

int tflite_lower_gelu(struct tflite_import *import)
{
	bool by_tanh = import->now->option[0];

	if (tflite_is_int16(import, 0))
		return tflite_lower_between_places(import, by_tanh ? compute_gelu_real_by_tanh :
								     compute_gelu_real);
	return lower_table(import, by_tanh ? compute_gelu_by_tanh : compute_gelu);
}

/* ---- EXP, LOG, SQRT ---- */

static int64_t compute_exp(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	return round_away((float)exp((double)((float)q * from->scale)), to);
}

static float compute_exp_real(float x, const float ends[2])
{
	(void)ends;
	return (float)exp((double)x);
}

int tflite_lower_exp(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? tflite_lower_between_places(import, compute_exp_real) :
					    lower_int8_table(import, compute_exp);
}

/* An element without a logarithm becomes the least that there is. */
static int64_t compute_log(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	float x = (float)q * from->scale;

	return x > 0 ? round_away((float)log((double)x), to) : INT8_MIN - to->zero_point;
}

static float compute_log_real(float x, const float ends[2])
{
	return x > 0 ? (float)log((double)x) : ends[0];
}

int tflite_lower_log(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? tflite_lower_between_places(import, compute_log_real) :
					    lower_int8_table(import, compute_log);
}

/* A run in TensorFlow Lite fails where an element is below 0. */
static int need_roots(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);

	if (!x)
		return tflite_failed(import);
	if (x->quant.type != NN_INT8 || x->quant.zero_point == INT8_MIN)
		return tflite_need_int8(import, x->quant.type);
	return tflite_fail(import, -EOPNOTSUPP,
			   "its input can be below 0, with a zero point of %d; what is there has no "
			   "root", x->quant.zero_point);
}

/* Without its fraction. What is below 0, with which a run in TensorFlow Lite fails, has 0. */
static int64_t compute_sqrt(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	return q < 0 ? 0 : tflite_whole(sqrtf((float)q * from->scale) / to->scale);
}

static int lower_wide_sqrt(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int16_t *table;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_wide_output_quant(import, x, &quant);
	if (err)
		return err;
	table = tflite_begin_wide_table(import);
	if (!table)
		return tflite_failed(import);
	for (int32_t i = INT16_MIN; i <= INT16_MAX; i++) {
		int64_t y = compute_sqrt(i, &x->quant, &quant);

		table[(uint16_t)i] = (int16_t)(y > INT16_MAX ? INT16_MAX : y);
	}
	err = nn_build_wide_table(&import->builder, x, table, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_sqrt(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? lower_wide_sqrt(import) :
					    lower_int8_table(import, compute_sqrt);
}

/* ---- RSQRT ---- */

#define ROOT_BITS 20 /* of a root's inverse, which is 1 at most */

static struct nn_fixed find_root_multiplier(const struct nn_quant *from, const struct nn_quant *to)
{
	struct nn_fixed by = nn_pack_fixed(1.0 / (double)(sqrtf(from->scale) * to->scale));

	by.exponent -= ROOT_BITS;
	return by;
}

static int64_t compute_rsqrt(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	struct nn_fixed root = nn_fixed_inverse_root(q);

	/* Whatever the zero point is, the greatest that there is. */
	if (!q)
		return INT16_MAX;
	root.exponent += ROOT_BITS;
	return nn_fixed_multiply(nn_fixed_multiply(1, root), find_root_multiplier(from, to));
}

/* A number of int16 that has no root becomes the greatest that there is. */
static float compute_rsqrt_real(float x, const float ends[2])
{
	return x > 0 ? 1 / sqrtf(x) : ends[1];
}

int tflite_lower_rsqrt(struct tflite_import *import)
{
	const struct nn_build_tensor *x;
	struct nn_quant quant;
	int err;

	if (tflite_is_int16(import, 0))
		return tflite_lower_between_places(import, compute_rsqrt_real);
	x = tflite_8bit_input(import, 0);
	if (!x)
		return tflite_failed(import);
	err = tflite_typed_output_quant(import, x->quant.type, &quant);
	if (err)
		return err;
	if (need_roots(import))
		return tflite_failed(import);
	if (!nn_fixed_fits(find_root_multiplier(&x->quant, &quant), ROOT_BITS + 1))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its scales, %g and %g, are outside of what its 32 bits are for",
				   (double)x->quant.scale, (double)quant.scale);
	return lower_table(import, compute_rsqrt);
}
