// SPDX-License-Identifier: MIT
/*
 * The numbers that dsp/program/pack.h makes of real ones: at the ends of what they can express, and on both
 * sides of where they are rounded. What they are here is worked out by hand. (Packed weights and
 * biases: test-golden.) And what is said of scales and sums.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../unit/tap.h"
#include "dsp/program/pack.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void test_fixed(void)
{
	static const struct {
		double real;
		struct nn_fixed fixed;
	} cases[] = {
		{ 1, { 1 << 30, 1 } },
		{ 0.5, { 1 << 30, 0 } },
		{ -0.75, { -(3 << 29), 0 } },
		{ 0, { 0, 0 } },
		/* A mantissa that is rounded to 1. */
		{ 1 - 0x1p-40, { 1 << 30, 1 } },
		{ -1 + 0x1p-40, { -(1 << 30), 1 } },
		{ 1 - 0x1p-31, { INT32_MAX, 0 } },
		/* The least, what is rounded up to it, and what is less. */
		{ 0x1p-32, { 1 << 30, -31 } },
		{ 0x1p-32 - 0x1p-72, { 1 << 30, -31 } },
		{ 0x1p-32 - 0x1p-63, { 0, 0 } },
		{ 0x1p-33, { 0, 0 } },
		{ 0x1p29, { 1 << 30, 30 } },
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct nn_fixed fixed = nn_pack_fixed(cases[i].real);

		if (fixed.multiplier == cases[i].fixed.multiplier && fixed.exponent == cases[i].fixed.exponent)
			continue;
		printf("# %a: %d, %d\n", cases[i].real, fixed.multiplier, fixed.exponent);
		good = false;
	}
	CHECK(good);
}

static void test_fixed_sum(void)
{
	static const struct {
		double real;
		int ret;
		int32_t multiplier, shift;
	} cases[] = {
		{ 0.5, 0, 1 << 14, 15 },
		{ 0x1p13, 0, 1 << 14, 1 },
		/* 16 bits more are rounded to the nearest, up in the middle. */
		{ 0x40008000p-31, 0, 0x4001, 15 },
		{ 0x40007fffp-31, 0, 0x4000, 15 },
		{ 0x7ffe8000p-31, 0, 0x7fff, 15 },
		{ 0x7fff8000p-31, 0, 0x7fff, 15 },
		{ 0x7fffc000p-17, 0, 0x7fff, 1 },
		{ 0x1p14, -1, 0, 0 },
		{ 0x1p14 - 0x1p-30, -1, 0, 0 },
		{ 0, -1, 0, 0 },
		{ -1, -1, 0, 0 },
		{ NAN, -1, 0, 0 },
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int32_t multiplier = 0, shift = 0;
		int ret = nn_pack_fixed_sum(cases[i].real, &multiplier, &shift);

		if (ret == cases[i].ret && (ret || (multiplier == cases[i].multiplier && shift == cases[i].shift)))
			continue;
		printf("# %a: %d, %d, %d\n", cases[i].real, ret, multiplier, shift);
		good = false;
	}
	CHECK(good);
}

static void test_add(void)
{
	static const struct {
		float a, b, output;
		int ret;
		struct nn_add_params params;
	} cases[] = {
		/* The greater multiplier has 21 bits, if 30 are enough for that. */
		{ 1, 1, 1, 0, { 1 << 20, 1 << 20, 20 } },
		{ 1, 2, 1, 0, { 1 << 19, 1 << 20, 19 } },
		{ 2, 1, 1, 0, { 1 << 20, 1 << 19, 19 } },
		{ 1, 1, 0x1p10f, 0, { 1 << 20, 1 << 20, 30 } },
		{ 1, 1, 0x1p12f, 0, { 1 << 18, 1 << 18, 30 } },
		{ 0xfffffp0f, 1, 1, 0, { 2 * 0xfffff, 2, 1 } },
		{ 0x1p20f, 1, 1, -1, { 0, 0, 0 } },
		{ 1, 0x1p20f, 1, -1, { 0, 0, 0 } },
		{ 0, 1, 1, -1, { 0, 0, 0 } },
		{ 1, 0, 1, -1, { 0, 0, 0 } },
		{ NAN, 1, 1, -1, { 0, 0, 0 } },
		{ 1, NAN, 1, -1, { 0, 0, 0 } },
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct nn_add_params params = { 0 };
		int ret = nn_pack_add_params(&params, cases[i].a, cases[i].b, cases[i].output);

		if (ret == cases[i].ret && (ret || !memcmp(&params, &cases[i].params, sizeof(params))))
			continue;
		printf("# %a, %a, %a: %d, %d, %d, %u\n", cases[i].a, cases[i].b, cases[i].output, ret, params.multiplier_a,
		       params.multiplier_b, params.shift);
		good = false;
	}
	CHECK(good);
}

static void test_average_pool(void)
{
	static const struct {
		float input, output;
		int ret;
		int32_t multiplier, shift;
	} cases[] = {
		{ 1, 1, 0, 1 << 30, 36 },
		{ 3, 4, 0, 3 << 29, 37 },
		{ 8, 1, 0, 1 << 30, 33 },
		{ 0x800001p-20f, 1, -1, 0, 0 },
		{ 1, 0x1p20f, 0, 1 << 30, 56 },
		{ 1 - 0x1p-24f, 0x1p20f, -1, 0, 0 },
		{ NAN, 1, -1, 0, 0 },
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct nn_window_params params = { 0 };
		int ret = nn_pack_average_pool_params(&params, cases[i].input, cases[i].output);

		if (ret == cases[i].ret &&
		    (ret || ((int32_t)params.multiplier == cases[i].multiplier && (int32_t)params.shift == cases[i].shift)))
			continue;
		printf("# %a, %a: %d, %d, %d\n", cases[i].input, cases[i].output, ret, (int32_t)params.multiplier,
		       (int32_t)params.shift);
		good = false;
	}
	CHECK(good);
}

static void test_scale(void)
{
	static const float weights[33] = { [0] = 0.5f, [32] = 3 };
	static const struct {
		float input, weight, output;
		int ret;
	} cases[] = {
		{ FLT_MIN, 1, 1, 0 },	   { FLT_MIN, 0.5f, 1, -1 }, { FLT_MAX, 1, 1, 0 },
		{ FLT_MAX, 2, 1, -1 },	   { 1, 1, 0, -1 },	     { 1, 0, 1, -1 },
		{ 1, -1, 1, -1 },	   { 1, NAN, 1, -1 },
		/* Rounded after the product: it is too large before the quotient is not. */
		{ FLT_MAX, 2, 2, -1 },
	};
	float scale[33], all[33];
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++)
		good &= nn_pack_scale(scale, 1, cases[i].input, &cases[i].weight, 1, cases[i].output) == cases[i].ret;
	CHECK(good);

	memset(scale, 0, sizeof(scale));
	good = !nn_pack_scale(scale, 33, 2, weights, 0, 1);
	for (size_t i = 0; i < COUNT(scale); i++)
		good &= scale[i] == 1;
	for (size_t i = 0; i < COUNT(all); i++)
		all[i] = (float)(i + 1);
	good &= !nn_pack_scale(scale, 33, 3, all, 1, 1.5f);
	for (size_t i = 0; i < COUNT(scale); i++)
		good &= scale[i] == 2 * (float)(i + 1);
	CHECK(good);
}

#define INEXACT_SMALL	(NN_SCALES_INEXACT | NN_SCALES_SMALL)

/* A scale is packed for sums that reach as far as they do. */
static void test_scale_rows(void)
{
	static const struct {
		float scale;
		uint32_t reach;
		int32_t multiplier, shift, greatest, exact;
		uint32_t flags;
	} cases[] = {
		{ 1, 0, 1 << 30, 17, 0x3ff, 0, NN_SCALES_INEXACT },
		{ 1.5f, 0x3fff, 3 << 29, 17, 0x3bf, 0, NN_SCALES_INEXACT },
		{ 1.5f, 0x4000, 3 << 29, 17, 0x3bf, 0, NN_SCALES_INEXACT | NN_SCALES_CLAMPED },
		/* Below 1, and multiples of 2^-16 or not. */
		{ 0.75f, 0x7fff, 3 << 29, 16, 0x7ff, 0xc000, 0 },
		{ 0.75f, 0x8000, 3 << 29, 16, 0x7ff, 0xc000, NN_SCALES_CLAMPED },
		{ 0x1p-16f, 0x3fffffff, 1 << 30, 1, 0x3ffffff, 1, 0 },
		{ 0x1.fffffep-17f, 0, 0x7fffff80, 0, 0x7ffffff, 0, INEXACT_SMALL | NN_SCALES_WIDE },
		{ 0x1.8p-16f, 0, 3 << 29, 1, 0x3ffffff, 0, NN_SCALES_INEXACT },
		{ 0x1.fffep-1f, 0, 0x7fff8000, 16, 0x7ff, 0xffff, NN_SCALES_WIDE },
		{ 0x1.fffdfep-1f, 0, 0x7fff7f80, 16, 0x7ff, 0, NN_SCALES_INEXACT },
		{ 0x1.fffd8p-1f, 0, 0x7fff6000, 16, 0x7ff, 0, NN_SCALES_INEXACT },
		/*
		 * The least that is not shifted to the right, and those below; NN_ANY_SUM is -2^31.
		 */
		{ 0x1p-17f, INT32_MAX, 1 << 30, 0, 0x7ffffff, 0, INEXACT_SMALL },
		{ 0x1p-17f, NN_ANY_SUM, 1 << 30, 0, 0x7ffffff, 0, INEXACT_SMALL | NN_SCALES_CLAMPED },
		{ 0x1p-18f, 0, 1 << 30, -1, 0xfffffff, 0, INEXACT_SMALL | NN_SCALES_ROUGH },
		/* Shifts that have no more room. */
		{ 0x1p13f, 1, 1 << 30, 30, 1, 0, NN_SCALES_INEXACT },
		{ FLT_MAX, 0, INT32_MAX - 0x7f, 30, 1, 0, NN_SCALES_INEXACT | NN_SCALES_WIDE },
		{ 0x1p-48f, 0, 1 << 30, -31, INT32_MAX, 0, INEXACT_SMALL | NN_SCALES_ROUGH },
		{ FLT_MIN, 0, 1 << 30, -31, INT32_MAX, 0, INEXACT_SMALL | NN_SCALES_ROUGH },
	};
	int32_t packed[NN_SCALE_ROWS][32];
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		float scale;

		nn_pack_scales(packed[0], 32, 32, &cases[i].scale, &cases[i].reach, 1);
		for (size_t k = 0; k < 32; k++) {
			memcpy(&scale, &packed[NN_SCALE_FLOAT][k], sizeof(scale));
			if (scale != cases[i].scale || packed[NN_SCALE_MULTIPLIER][k] != cases[i].multiplier ||
			    packed[NN_SCALE_SHIFT][k] != cases[i].shift ||
			    packed[NN_SCALE_GREATEST][k] != cases[i].greatest ||
			    packed[NN_SCALE_EXACT][k] != cases[i].exact ||
			    (uint32_t)packed[NN_SCALE_FLAGS][k] != cases[i].flags) {
				printf("# %a, lane %zu: %x %d %x %x %x\n", cases[i].scale, k, packed[NN_SCALE_MULTIPLIER][k],
				       packed[NN_SCALE_SHIFT][k], packed[NN_SCALE_GREATEST][k],
				       packed[NN_SCALE_EXACT][k], packed[NN_SCALE_FLAGS][k]);
				good = false;
				break;
			}
		}
	}
	CHECK(good);
}

/* Sums are clamped to what has results past 9 bits, or there are none, and is no tie. */
static void test_greatest(void)
{
	int32_t packed[NN_SCALE_ROWS][32];
	uint32_t random = 1;
	bool good = true;

	for (size_t i = 0; i < 20000; i++) {
		float scale;
		double result;

		random = random * 1664525 + 1013904223;
		/* From 2^-34 to 2^14, and every other one without its lowest bits. */
		scale = ldexpf((float)(0x800000 | (random >> 9 & (i % 2 ? ~0x1ffu : ~0u))), (int)(i % 48) - 57);
		nn_pack_scales(packed[0], 32, 32, &scale, NULL, 1);
		for (int k = 0; k < 2; k++) {
			result = ((double)packed[NN_SCALE_GREATEST][0] + k) * (double)scale;
			if (result < 512)
				good &= packed[NN_SCALE_GREATEST][0] == INT32_MAX;
			else if (packed[NN_SCALE_SHIFT][0] <= 20)
				good &= fabs(result - floor(result) - 0.5) >= 0x1p-12;
		}
	}
	CHECK(good);
}

/*
 * Flags are those of 32 lanes, not of what fills them up. Lanes are outputs, again behind the last.
 */
static void test_lanes(void)
{
	static int32_t packed[NN_SCALE_ROWS * 96];
	float scale[50];
	uint32_t reach[50];
	bool good;

	for (size_t m = 0; m < COUNT(scale); m++) {
		scale[m] = 0.5f;
		reach[m] = 9;
	}
	scale[31] = 0.3f;
	scale[40] = 0x1p-20f;
	reach[49] = 1 << 20;
	CHECK(nn_pack_lanes(50) == 64 && nn_pack_lanes(64) == 64 && nn_pack_lanes(1) == 32);
	nn_pack_scales(packed, 64, 50, scale, reach, 50);
	good = packed[NN_SCALE_FLAGS * 64] == NN_SCALES_INEXACT;
	for (size_t i = 32; i < 64; i++)
		good &= packed[NN_SCALE_FLAGS * 64 + i] ==
			(INEXACT_SMALL | NN_SCALES_CLAMPED | NN_SCALES_ROUGH);
	/* Scales that fill up make no product, whatever the sum is. */
	for (size_t i = 50; i < 64; i++)
		good &= !packed[NN_SCALE_MULTIPLIER * 64 + i] && !packed[NN_SCALE_EXACT * 64 + i];
	CHECK(good);
	scale[40] = 0.5f;
	nn_pack_scales(packed, 64, 50, scale, NULL, 50);
	CHECK(packed[NN_SCALE_FLAGS * 64 + 63] == NN_SCALES_CLAMPED);

	CHECK(nn_pack_repeated_lanes(50) == 96 && nn_pack_repeated_lanes(33) == 96 && nn_pack_repeated_lanes(32) == 64);
	for (size_t m = 0; m < COUNT(scale); m++)
		scale[m] = (float)(m + 1);
	nn_pack_scales(packed, 96, 96, scale, reach, 50);
	good = true;
	for (size_t i = 0; i < 96; i++) {
		float lane;

		memcpy(&lane, &packed[NN_SCALE_FLOAT * 96 + i], sizeof(lane));
		good &= lane == (float)(i % 50 + 1);
	}
	CHECK(good);
}

/*
 * Outputs of two rows of 67 weights: what they add is what the least and the greatest inputs say.
 */
#define LENGTH	67

static int32_t greatest_sum(const int8_t *weights, int32_t zero, int32_t bias, int32_t input_zero, int32_t least,
			    int32_t greatest)
{
	int64_t most = bias, fewest = bias;

	for (size_t k = 0; k < 2 * LENGTH; k++) {
		const int32_t w = weights[k] - zero, low = least - input_zero, high = greatest - input_zero;

		most += w > 0 ? w * high : w * low;
		fewest += w > 0 ? w * low : w * high;
	}
	return (int32_t)(most > -fewest ? most : -fewest);
}

static void test_outputs(void)
{
	static int8_t data[40][2 * LENGTH];
	static const int32_t ends[2][2] = { { 0, 255 }, { -128, 127 } };
	struct nn_weights weights = {
		.data = data[0], .outputs = 40, .kernel_h = 2, .kernel_w = 1, .inputs = LENGTH,
		.stride_output = sizeof(*data), .stride_h = LENGTH, .stride_w = LENGTH, .stride_input = 1,
	};
	static int32_t packed[1 + NN_SCALE_ROWS][64];
	int32_t bias[40], reach[40];
	uint32_t state = 1;
	float scale[40];
	bool good = true;

	for (size_t k = 0; k < sizeof(data); k++) {
		state = state * 1664525 + 1013904223;
		data[k / (2 * LENGTH)][k % (2 * LENGTH)] = (int8_t)(state >> 24) >> (k / 1000);
	}
	for (size_t m = 0; m < 40; m++)
		bias[m] = (int32_t)(m % 3 - 1) * 100000 * (int32_t)m;
	for (size_t i = 0; i < 24; i++) {
		struct nn_outputs outputs = {
			.weights = &weights, .bias = i % 2 ? bias : NULL, .scale = scale,
			.zero_point = ends[i / 2 % 2][0] + (int32_t)i * 11, .least = ends[i / 2 % 2][0],
			.greatest = ends[i / 2 % 2][1], .lanes = 64, .used = 40,
		};

		weights.zero_point = i % 4 ? 0 : (int32_t)i - 7;
		/* So that the greatest sum is the greatest of all, or one beyond it. */
		for (size_t m = 0; m < 40; m++) {
			int32_t greatest = 1 << 14;

			reach[m] = greatest_sum(data[m], weights.zero_point, outputs.bias ? bias[m] : 0,
						outputs.zero_point, outputs.least, outputs.greatest);
			scale[m] = 1;
			for (; greatest - 1 < reach[m]; greatest *= 2)
				scale[m] /= 2;
		}
		nn_pack_outputs(packed[0], packed[1], &outputs);
		for (size_t m = 0; m < 64; m += 32)
			good &= !(packed[1 + NN_SCALE_FLAGS][m] & NN_SCALES_CLAMPED);
		for (size_t m = 0; m < 40; m++) {
			const int32_t greatest = INT32_MAX >> packed[1 + NN_SCALE_SHIFT][m];

			good &= greatest >= reach[m] && greatest / 2 < reach[m];
		}
		/* An output whose sums reach farther is found, by one step of its scale. */
		for (size_t m = 0; m < 40; m++) {
			scale[m] *= 2;
			nn_pack_outputs(packed[0], packed[1], &outputs);
			good &= !!(packed[1 + NN_SCALE_FLAGS][m] & NN_SCALES_CLAMPED);
			scale[m] /= 2;
		}
	}
	CHECK(good);
}

int main(void)
{
	tap_run("multipliers of 31 bits", test_fixed);
	tap_run("multipliers of 15 bits", test_fixed_sum);
	tap_run("sums", test_add);
	tap_run("averages", test_average_pool);
	tap_run("scales, one for all outputs and one for each", test_scale);
	tap_run("what vector kernels need of a scale", test_scale_rows);
	tap_run("what sums are clamped to", test_greatest);
	tap_run("lanes of scales", test_lanes);
	tap_run("how far sums reach", test_outputs);
	return tap_end();
}
