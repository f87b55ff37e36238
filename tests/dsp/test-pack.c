// SPDX-License-Identifier: MIT
/*
 * The numbers that dsp/pack.h makes of real ones: at the ends of what they can express, and on both sides of where they are
 * rounded. What they are here is worked out by hand. (Packed weights and biases: test-golden.)
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../unit/tap.h"
#include "dsp/pack.h"

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
	float packed[64], all[33];
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++)
		good &= nn_pack_scale(packed, 1, cases[i].input, &cases[i].weight, 1, cases[i].output) == cases[i].ret;
	CHECK(good);

	memset(packed, 0, sizeof(packed));
	good = !nn_pack_scale(packed, 33, 2, weights, 0, 1);
	for (size_t i = 0; i < COUNT(packed); i++)
		good &= packed[i] == 1;
	for (size_t i = 0; i < COUNT(all); i++)
		all[i] = (float)(i + 1);
	good &= !nn_pack_scale(packed, 33, 3, all, 1, 1.5f);
	for (size_t i = 0; i < COUNT(packed); i++)
		good &= packed[i] == (i < 33 ? 2 * (float)(i + 1) : 1);
	CHECK(good);
}

int main(void)
{
	tap_run("multipliers of 31 bits", test_fixed);
	tap_run("multipliers of 15 bits", test_fixed_sum);
	tap_run("sums", test_add);
	tap_run("averages", test_average_pool);
	tap_run("scales, one for all outputs and one for each", test_scale);
	return tap_end();
}
