// SPDX-License-Identifier: MIT
/*
 * Constants as the kernels want them, made when a graph is prepared. See dsp/pack.h for the
 * layouts.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/weights.h"
#include "pack.h"

#define LINE	64u	/* bytes of a processor's cache line, or nearly */

uint32_t nn_pack_outputs(uint32_t outputs)
{
	return (outputs + 31) / 32 * 32;
}

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

void nn_pack_depthwise(int8_t *packed, const struct nn_weights *weights)
{
	uint32_t columns = (weights->kernel_w + 3) / 4 * 4;

	memset(packed, 0,
	       nn_pack_depthwise_size(weights->outputs, weights->kernel_h, weights->kernel_w));
	for (uint32_t m = 0; m < weights->outputs; m += 32) {
		uint32_t outputs = weights->outputs - m < 32 ? weights->outputs - m : 32;

		for (uint32_t y = 0; y < weights->kernel_h; y++, packed += columns * 32) {
			for (uint32_t x = 0; x < weights->kernel_w; x++) {
				for (uint32_t i = 0; i < outputs; i++)
					packed[x / 4 * 128 + i * 4 + x % 4] =
						weight(weights, m + i, y, x, 0);
			}
		}
	}
}

/* Of the weights of an output's kernel row. */
static uint32_t sum_row(const struct nn_weights *weights, uint32_t m, uint32_t y)
{
	uint64_t length = (uint64_t)weights->kernel_w * weights->inputs, k;
	const int8_t *row = kernel_row(weights, m, y);
	uint32_t sum = 0;

	if (row) {
		for (k = 0; k + LINE <= length; k += LINE) {
			for (uint32_t i = 0; i < LINE; i++)
				sum += (uint32_t)row[k + i];
		}
		for (; k < length; k++)
			sum += (uint32_t)row[k];
		return sum;
	}
	for (uint32_t x = 0; x < weights->kernel_w; x++) {
		for (uint32_t c = 0; c < weights->inputs; c++)
			sum += (uint32_t)weight(weights, m, y, x, c);
	}
	return sum;
}

void nn_pack_bias(int32_t *packed, const int32_t *bias, const struct nn_weights *weights,
		  int32_t zero_point)
{
	uint32_t zeros = weights->kernel_h * weights->kernel_w * weights->inputs *
			 (uint32_t)weights->zero_point;

	memset(packed, 0, nn_pack_outputs(weights->outputs) * sizeof(*packed));
	for (uint32_t m = 0; m < weights->outputs; m++) {
		uint32_t sum = -zeros;

		for (uint32_t y = 0; zero_point && y < weights->kernel_h; y++)
			sum += sum_row(weights, m, y);
		packed[m] = (int32_t)((bias ? (uint32_t)bias[m] : 0) - (uint32_t)zero_point * sum);
	}
}

static int is_normal_scale(float scale)
{
	return scale >= FLT_MIN && scale <= FLT_MAX;
}

int nn_pack_scale(float *packed, uint32_t outputs, float input_scale, const float *weight_scale,
		  int per_output, float output_scale)
{
	uint32_t m;

	for (m = 0; m < outputs; m++) {
		float scale = input_scale * weight_scale[per_output ? m : 0];

		scale = scale / output_scale;
		if (!is_normal_scale(scale))
			return -1;
		packed[m] = scale;
	}
	for (; m < nn_pack_outputs(outputs); m++)
		packed[m] = 1.0f;
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
