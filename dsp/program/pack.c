// SPDX-License-Identifier: MIT
/*
 * Constants as the kernels want them, made when a graph is prepared. See dsp/program/pack.h for the
 * layouts.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/kernels/weights.h"
#include "dsp/program/pack.h"

#define LINE	64u	/* bytes of a processor's cache line, or nearly */

uint64_t nn_pack_conv2d_size(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w,
			     uint32_t inputs)
{
	return conv2d_weight_bytes(outputs, kernel_h, kernel_w, inputs);
}

uint64_t nn_pack_depthwise_size(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w)
{
	return depthwise_weight_bytes(outputs, kernel_h, kernel_w);
}

static int8_t weight(const struct nn_weights *weights, uint32_t m, uint32_t y, uint32_t x,
		     uint32_t c)
{
	return weights->data[m * weights->stride_output + y * weights->stride_h +
			     x * weights->stride_w + c * weights->stride_input];
}

/* The weights of a kernel row lie end to end, as they are packed; else NULL. */
static const int8_t *kernel_row(const struct nn_weights *weights, uint32_t m, uint32_t y)
{
	if (weights->stride_input != 1 ||
	    (weights->kernel_w > 1 && weights->stride_w != weights->inputs))
		return NULL;
	return weights->data + m * weights->stride_output + y * weights->stride_h;
}

/* Four weights of a kernel row, from position k on; 0 beyond its end. */
static uint32_t pack_four(const struct nn_weights *weights, uint32_t m, uint32_t y, uint64_t k)
{
	uint64_t length = (uint64_t)weights->kernel_w * weights->inputs;
	uint8_t bytes[4] = { 0 };
	uint32_t four, i;

	for (i = 0; i < 4 && k + i < length; i++)
		bytes[i] = (uint8_t)(weight(weights, m, y, (uint32_t)((k + i) / weights->inputs),
					    (uint32_t)((k + i) % weights->inputs)) +
				     128);
	memcpy(&four, bytes, 4);
	return four;
}

/* Positions k to end of an output's kernel row, to every 32nd place for four weights. */
static void pack_stretch(uint8_t *packed, const struct nn_weights *weights, uint32_t m, uint32_t y,
			 uint64_t k, uint64_t end)
{
	uint64_t length = (uint64_t)weights->kernel_w * weights->inputs;
	const int8_t *row = kernel_row(weights, m, y);
	uint32_t four;

	for (; row && k < end && k + 4 <= length; k += 4, packed += 128) {
		memcpy(&four, row + k, 4);
		four ^= 0x80808080u;	/* adds 128 to each */
		memcpy(packed, &four, 4);
	}
	for (; k < end; k += 4, packed += 128) {
		four = pack_four(weights, m, y, k);
		memcpy(packed, &four, 4);
	}
}

/* Kernel row y of the 32 outputs from m on: a cache line of each at a time, which end up side by
 * side. */
static void pack_rows(uint8_t *packed, const struct nn_weights *weights, uint32_t m, uint32_t y)
{
	uint64_t length = conv2d_row_length(weights->kernel_w, weights->inputs), k;
	uint32_t outputs = weights->outputs - m < 32 ? weights->outputs - m : 32, i;

	if (outputs < 32)
		memset(packed, 0, length * 32);
	for (k = 0; k < length; k += LINE) {
		for (i = 0; i < outputs; i++)
			pack_stretch(packed + k * 32 + i * 4, weights, m + i, y, k,
				     k + LINE < length ? k + LINE : length);
	}
}

void nn_pack_conv2d(uint8_t *packed, const struct nn_weights *weights)
{
	uint64_t row = conv2d_row_length(weights->kernel_w, weights->inputs) * 32;

	for (uint32_t m = 0; m < weights->outputs; m += 32) {
		for (uint32_t y = 0; y < weights->kernel_h; y++, packed += row)
			pack_rows(packed, weights, m, y);
	}
}

/* Four columns of an output's kernel row, from column x on; 0 beyond its end. */
static void pack_columns(int8_t *packed, const struct nn_weights *weights, uint32_t m, uint32_t y,
			 uint32_t x)
{
	for (uint32_t i = 0; i < 4; i++)
		packed[i] = x + i < weights->kernel_w ? weight(weights, m, y, x + i, 0) : 0;
}

void nn_pack_depthwise(int8_t *packed, const struct nn_weights *weights)
{
	const uint32_t lanes = nn_pack_repeated_lanes(weights->outputs);

	for (uint32_t y = 0; y < weights->kernel_h; y++) {
		for (uint32_t x = 0; x < weights->kernel_w; x += 4) {
			for (uint32_t i = 0, m = 0; i < lanes; i++, packed += 4) {
				pack_columns(packed, weights, m, y, x);
				if (++m == weights->outputs)
					m = 0;
			}
		}
	}
}

/* Sums over the weights of an output, each less the zero point. */
struct sums {
	int64_t sum;
	int64_t magnitude;	/* the sum of their magnitudes */
};

static inline void add_weight(struct sums *sums, int weight)
{
	sums->sum += weight;
	sums->magnitude += weight < 0 ? -weight : weight;
}

/* A kernel row's. */
static void sum_row(struct sums *sums, const struct nn_weights *weights, uint32_t m, uint32_t y)
{
	uint64_t length = (uint64_t)weights->kernel_w * weights->inputs, k = 0;
	const int8_t *row = kernel_row(weights, m, y);
	const int zero = weights->zero_point;

	for (; row && k + LINE <= length; k += LINE) {
		int sum = 0, magnitude = 0;

		for (uint32_t i = 0; i < LINE; i++) {
			sum += row[k + i] - zero;
			magnitude += abs(row[k + i] - zero);
		}
		sums->sum += sum;
		sums->magnitude += magnitude;
	}
	for (; row && k < length; k++)
		add_weight(sums, row[k] - zero);
	for (uint32_t x = 0; !row && x < weights->kernel_w; x++) {
		for (uint32_t c = 0; c < weights->inputs; c++)
			add_weight(sums, weight(weights, m, y, x, c) - zero);
	}
}

/* The bias that the kernels add to output m's products. *reach: the most that this can be. */
static int32_t fold_bias(const struct nn_outputs *outputs, uint32_t m, uint32_t *reach)
{
	int64_t bias = outputs->bias ? outputs->bias[m] : 0, positive, negative, most, least;
	struct sums sums = { 0 };

	for (uint32_t y = 0; y < outputs->weights->kernel_h; y++)
		sum_row(&sums, outputs->weights, m, y);
	bias -= outputs->zero_point * sums.sum;
	positive = (sums.magnitude + sums.sum) / 2;
	negative = (sums.magnitude - sums.sum) / 2;
	most = bias + outputs->greatest * positive - outputs->least * negative;
	least = bias + outputs->least * positive - outputs->greatest * negative;
	most = most > -least ? most : -least;
	*reach = most < NN_ANY_SUM ? (uint32_t)most : NN_ANY_SUM;
	return (int32_t)(uint32_t)(uint64_t)bias;
}

void nn_pack_outputs(int32_t *bias, int32_t *scales, const struct nn_outputs *outputs)
{
	uint32_t m = 0;

	for (uint32_t first = 0; first < outputs->lanes; first += 32) {
		uint32_t reach[32], i;
		uint32_t count = outputs->used - first < 32 ? outputs->used - first : 32;
		float scale[32];

		for (i = 0; i < count; i++) {
			bias[first + i] = fold_bias(outputs, m, &reach[i]);
			scale[i] = outputs->scale ? outputs->scale[m] : 0;
			if (++m == outputs->weights->outputs)
				m = 0;
		}
		for (; i < 32; i++)
			bias[first + i] = 0;
		if (outputs->scale)
			nn_pack_scale_block(scales + first, outputs->lanes, count, scale, reach);
	}
}

static int is_normal_scale(float scale)
{
	return scale >= FLT_MIN && scale <= FLT_MAX;
}

int nn_pack_scale(float *scale, uint32_t outputs, float input_scale, const float *weight_scale,
		  int per_output, float output_scale)
{
	for (uint32_t m = 0; m < outputs; m++) {
		scale[m] = input_scale * weight_scale[per_output ? m : 0] / output_scale;
		if (!is_normal_scale(scale[m]))
			return -1;
	}
	return 0;
}

int nn_pack_add_params(struct nn_add_params *params, float scale_a, float scale_b,
		       float scale_output)
{
	float a = scale_a / scale_output, b = scale_b / scale_output;
	float max = a > b ? a : b;
	int shift = 30;

	if (!(a > 0) || !(b > 0) || !(max < 1 << 20))
		return -1;
	/* The finest steps that keep both multipliers below 2^21, before they are rounded. */
	while (ldexp(max, shift) >= 1 << 21)
		shift--;
	params->multiplier_a = (int32_t)rint(ldexp(a, shift));
	params->multiplier_b = (int32_t)rint(ldexp(b, shift));
	params->shift = (uint32_t)shift;
	return 0;
}

struct nn_fixed nn_pack_fixed(double real)
{
	int exponent;
	int64_t multiplier = llround(frexp(real, &exponent) * 0x1p31);

	if (multiplier == 1ll << 31 || multiplier == -(1ll << 31)) {
		multiplier /= 2;
		exponent++;
	}
	if (exponent < -31)
		return (struct nn_fixed){ 0, 0 };
	return (struct nn_fixed){ (int32_t)multiplier, exponent };
}

int nn_pack_fixed_sum(double real, int32_t *multiplier, int32_t *shift)
{
	struct nn_fixed by;

	if (!(real > 0) || !(real < 0x1p14))
		return -1;
	by = nn_pack_fixed(real);
	*multiplier = by.multiplier < 0x7fff0000 ? (by.multiplier + (1 << 15)) >> 16 : 0x7fff;
	*shift = 15 - by.exponent;
	/* 0 just below 2^14, where 31 bits are rounded up to it. */
	return *shift > 0 ? 0 : -1;
}

int nn_pack_average_pool_params(struct nn_window_params *params, float scale_input,
				float scale_output)
{
	double ratio = (double)scale_input / scale_output;
	int exponent;
	double fraction = frexp(ratio, &exponent);	/* in [0.5, 1) */
	double multiplier = rint(ldexp(fraction, 31));

	if (!(ratio >= ldexp(1, -20)) || !(ratio <= 8))
		return -1;
	if (multiplier == ldexp(1, 31)) {
		multiplier = ldexp(1, 30);
		exponent++;
	}
	/*
	 * sum * 64 * multiplier / 2^shift = sum * ratio with multiplier = ratio * 2^(31 -
	 * exponent).
	 */
	params->multiplier = (int32_t)multiplier;
	params->shift = 37 - exponent;
	return 0;
}
