// SPDX-License-Identifier: MIT
/*
 * Functions of one element of int16: tables of what comes of each of the 65536 elements that there
 * are. TensorFlow Lite's own kernels compute them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "import/tflite/tflite.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

/* They are larger than what a file has for its operator, so that there is an end to them. */
#define MOST_TABLES 256

int16_t *tflite_begin_wide_table(struct tflite_import *import)
{
	if (import->wide_tables++ == MOST_TABLES) {
		tflite_fail(import, -EOPNOTSUPP, "the model has more than %d functions of int16",
			    MOST_TABLES);
		return NULL;
	}
	if (!import->wide_table)
		import->wide_table = tflite_alloc(import, 65536, sizeof(*import->wide_table));
	return import->wide_table;
}

int tflite_build_wide_rescale(struct tflite_import *import, const struct nn_build_tensor *x,
			      const struct tflite_wide_rescale *rescale,
			      const struct nn_quant *quant, struct nn_build_tensor *made)
{
	struct nn_fixed by;
	int32_t min, max, from_min, from_max;
	int16_t *table;

	if (!(rescale->ratio < 0x1p15))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale is 2^15 times its output scale, or more");
	table = tflite_begin_wide_table(import);
	if (!table)
		return tflite_failed(import);
	by = nn_pack_fixed(rescale->ratio);
	nn_type_range(quant->type, &min, &max);
	nn_type_range(x->quant.type, &from_min, &from_max);
	for (int32_t i = from_min; i <= from_max; i++) {
		int32_t q = i - x->quant.zero_point;
		int64_t y = nn_fixed_multiply(rescale->is_abs && q < 0 ? -q : q, by);

		y = y < rescale->low ? rescale->low : y > rescale->high ? rescale->high : y;
		y += quant->zero_point;
		table[i & (x->quant.type == NN_INT16 ? 0xffff : 0xff)] =
			(int16_t)(y < min ? min : y > max ? max : y);
	}
	return nn_build_wide_table(&import->builder, x, table, quant, made);
}

static int lower_rescale(struct tflite_import *import, enum tflite_activation activation,
			 bool is_abs)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	struct nn_range range = tflite_activation_range(activation);
	struct tflite_wide_rescale rescale = { .is_abs = is_abs };
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_wide_output_quant(import, x, &quant);
	if (err)
		return err;
	rescale.ratio = x->quant.scale / quant.scale;
	rescale.low = nn_range_is_bounded(&range) ? 0 : INT32_MIN;
	rescale.high = activation == TFLITE_ACTIVATION_RELU6 && 6 / quant.scale < INT16_MAX ?
			       (int32_t)roundf(6 / quant.scale) :
			       INT16_MAX;
	err = tflite_build_wide_rescale(import, x, &rescale, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_wide_relu(struct tflite_import *import)
{
	return lower_rescale(import, TFLITE_ACTIVATION_RELU, false);
}

int tflite_lower_wide_relu6(struct tflite_import *import)
{
	return lower_rescale(import, TFLITE_ACTIVATION_RELU6, false);
}

int tflite_lower_wide_abs(struct tflite_import *import)
{
	return lower_rescale(import, TFLITE_ACTIVATION_NONE, true);
}

/* ---- LOGISTIC, TANH: between places of a table, 1/24 apart, of the logistic function ---- */

#define PLACES 256

/* TensorFlow Lite's table has these places one higher than to the nearest. */
static const uint8_t higher[] = {
	4,  8,	12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30,	 31,  33,  34,	35,  37,  39,
	40, 41, 43, 44, 45, 46, 49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255,
};

struct curve {
	uint32_t places[PLACES];
	int32_t multiplier, shift; /* of an element, to be in steps of 1/24/512 */
};

/* 65536 / (1 + e^-(i / 24)). */
static void fill_places(struct curve *curve)
{
	for (uint32_t i = 0; i < PLACES; i++)
		curve->places[i] = (uint32_t)(65536 / (1 + exp(-(double)i / 24)) + 0.5);
	for (uint32_t k = 0; k < sizeof(higher); k++)
		curve->places[higher[k]]++;
}

/* A power of two, or nearly so. */
static bool find_exponent(float scale, int *exponent)
{
	float log2 = logf(scale) * (1.0f / logf(2.0f)), nearest = roundf(log2);

	*exponent = (int)nearest;
	return fabsf(log2 - nearest) < 1e-3f;
}

/* 15 bits, as the scale is below 1. */
static void find_multiplier(float scale, struct curve *curve)
{
	double real = (double)scale * 4096 * 3;

	curve->shift = 0;
	while (real <= 32767.0 / 2 && curve->shift <= 30) {
		curve->shift++;
		real *= 2;
	}
	curve->multiplier = (int16_t)real;
}

/* An element in those steps. */
static int32_t place_element(const struct curve *curve, int32_t q)
{
	int64_t half = curve->shift ? 1ll << (curve->shift - 1) : 0;

	return (int32_t)(((int64_t)q * curve->multiplier + half) >> curve->shift);
}

/* The logistic function of what lies `at` places in steps of 2^-bits, times 2^(16 + bits). */
static int32_t interpolate(const struct curve *curve, uint32_t at, uint32_t bits)
{
	const uint32_t *place = &curve->places[at >> bits];

	return (int32_t)((place[0] << bits) + (at & ((1u << bits) - 1)) * (place[1] - place[0]));
}

static int32_t compute_logistic(const struct curve *curve, int32_t q)
{
	int32_t x = place_element(curve, q), y = 0x7fff << 10;

	if ((uint32_t)abs(x) >> 9 < PLACES - 1)
		y = interpolate(curve, (uint32_t)abs(x), 9);
	y = x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
	return y >> 10;
}

/* tanh(x) is 2 * logistic(2 * x) - 1. */
static int32_t compute_tanh(const struct curve *curve, int32_t q)
{
	int32_t x = place_element(curve, q), y = 0xffff << 8;

	if ((uint32_t)abs(x) >> 8 < PLACES - 1)
		y = interpolate(curve, (uint32_t)abs(x), 8);
	y = x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1;
	return y >> 8;
}

static int build_curve(struct tflite_import *import, const struct nn_build_tensor *x, bool is_tanh,
		       const struct nn_quant *quant, struct nn_build_tensor *made)
{
	int16_t *table = tflite_begin_wide_table(import);
	struct curve curve;

	if (!table)
		return tflite_failed(import);
	fill_places(&curve);
	find_multiplier(x->quant.scale, &curve);
	for (int32_t i = INT16_MIN; i <= INT16_MAX; i++) {
		int32_t y = is_tanh ? compute_tanh(&curve, i) : compute_logistic(&curve, i);

		table[(uint16_t)i] = (int16_t)y;
	}
	return nn_build_wide_table(&import->builder, x, table, quant, made);
}

int tflite_lower_wide_curve(struct tflite_import *import, bool is_tanh)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int exponent, err;

	if (!x)
		return tflite_failed(import);
	err = tflite_wide_output_quant(import, x, &quant);
	if (err)
		return err;
	if (find_exponent(x->quant.scale, &exponent) &&
	    (exponent == -12 || (is_tanh && exponent == -11)))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale is 2^%d, or nearly so, of which its kernel computes "
				   "in another way",
				   exponent);
	if (!find_exponent(quant.scale, &exponent) || exponent != -15)
		return tflite_fail(import, -EINVAL, "its output scale is %g, not 2^-15",
				   (double)quant.scale);
	if (!(x->quant.scale < 1))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale is %g; nnloop knows it below 1",
				   (double)x->quant.scale);
	err = build_curve(import, x, is_tanh, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Other functions: between places of a table, 128 elements apart ---- */

#define STEPS 512

/* To the nearest, ties away from 0, and one that there is. */
static int16_t fit(float y)
{
	return (int16_t)fminf(fmaxf(y, INT16_MIN), INT16_MAX);
}

/* A place is half of the error in the middle behind it away from the function. */
static void fill_steps(const struct nn_quant *from, const struct nn_quant *to,
		       tflite_real_fp function, int16_t *steps)
{
	const float ends[2] = { to->scale * INT16_MIN, to->scale * INT16_MAX };
	const float low = from->scale * INT16_MIN, high = from->scale * INT16_MAX;
	const float step = (high - low) / STEPS, half = step / 2;
	const float by = 65536 / (ends[1] - ends[0]);

	for (uint32_t i = 0; i < STEPS; i++) {
		const float x = low + (float)i * step;
		const float here = roundf(function(x, ends) * by);
		const float next = function(low + (float)(i + 1) * step, ends) * by;
		const float error = roundf((next + here) / 2) - roundf(function(x + half, ends) * by);

		steps[i] = fit(here - roundf(error / 2));
	}
	steps[STEPS] = fit(roundf(function(high, ends) * by));
}

int tflite_lower_between_places(struct tflite_import *import, tflite_real_fp function)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	int16_t *table, steps[STEPS + 1];
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_wide_output_quant(import, x, &quant);
	if (!err)
		err = tflite_typed_output_quant(import, NN_INT16, &quant);
	if (err)
		return err;
	table = tflite_begin_wide_table(import);
	if (!table)
		return tflite_failed(import);
	fill_steps(&x->quant, &quant, function, steps);
	for (int32_t i = INT16_MIN; i <= INT16_MAX; i++) {
		const int16_t *step = &steps[STEPS / 2 + (i >> 7)];
		const int32_t slope = (int16_t)(step[1] - step[0]);

		table[(uint16_t)i] = (int16_t)(step[0] + ((slope * (i & 127) + 64) >> 7));
	}
	err = nn_build_wide_table(&import->builder, x, table, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}
