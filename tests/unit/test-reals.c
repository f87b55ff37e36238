// SPDX-License-Identifier: MIT
/*
 * The functions of dsp/kernels/reals.h against those of C's library, rounded to float32: every one of
 * many float32 numbers, of all magnitudes, and some that are special. Where the two differ, they are
 * neighbours that the real result is between.
 */
#include <math.h>
#include <string.h>

#include "dsp/kernels/reals.h"
#include "tap.h"

#define STEP 40009 /* from the bits of one number to those of the next */

static double sine(double x)
{
	double s, c;

	real_circle(x, &s, &c);
	return s;
}

static double cosine(double x)
{
	double s, c;

	real_circle(x, &s, &c);
	return c;
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double root(double x)
{
	return x < 0 ? real_not_a_number() : real_square_root(x);
}

static const struct {
	const char *name;
	double (*own)(double x);
	double (*theirs)(double x);
} functions[] = {
	{ "exponential", real_exponential, exp },
	{ "exponential less 1", real_exponential_less_1, expm1 },
	{ "logarithm", real_logarithm, log },
	{ "logarithm of 1 and", real_logarithm_of_1_and, log1p },
	{ "hyperbolic tangent", real_hyperbolic_tangent, tanh },
	{ "sigmoid", real_sigmoid, sigmoid },
	{ "error function", real_error_function, erf },
	{ "sine", sine, sin },
	{ "cosine", cosine, cos },
	{ "arc tangent", real_arc_tangent, atan },
	{ "arc sine", real_arc_sine, asin },
	{ "arc cosine", real_arc_cosine, acos },
	{ "square root", root, sqrt },
};

static float number(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Whether two results are the same float32, or within 2^-43 of each other. */
static bool is_near(double own, double theirs)
{
	if (isnan(own) || isnan(theirs))
		return isnan(own) && isnan(theirs);
	if ((float)own == (float)theirs)
		return true;
	return fabs(own - theirs) <= fabs(theirs) * 0x1p-43;
}

static void test_function(size_t i)
{
	static const float special[] = { 0, -0.0f, INFINITY, -INFINITY, NAN, 1, -1, 0.5f, -0.5f };
	unsigned int wrong = 0;

	for (uint64_t bits = 0; bits < 1ull << 32; bits += STEP) {
		float x = number(bits);

		if (is_near(functions[i].own(x), functions[i].theirs(x)))
			continue;
		if (!wrong++)
			printf("# %s of %.9g: %.17g, not %.17g\n", functions[i].name, (double)x,
			       functions[i].own(x), functions[i].theirs(x));
	}
	for (size_t k = 0; k < sizeof(special) / sizeof(*special); k++)
		wrong += !is_near(functions[i].own(special[k]), functions[i].theirs(special[k]));
	CHECK(!wrong);
}

static void test_functions(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		test_function(i);
}

static void test_powers(void)
{
	unsigned int wrong = 0;

	for (uint64_t bits = 0; bits < 1ull << 32; bits += 3 * STEP) {
		float x = number(bits), y = (float)((int32_t)(bits >> 7 & 0xffff) - 0x8000) / 512;

		wrong += !is_near(real_power(x, y), pow(x, y));
		wrong += !is_near(real_power(x, (int32_t)y), pow(x, (int32_t)y));
	}
	CHECK(!wrong);
}

static void test_quotients(void)
{
	unsigned int wrong = 0;

	for (uint64_t bits = 0; bits < 1ull << 32; bits += STEP) {
		float x = number(bits), y = number((uint32_t)(bits * 2654435761u));

		wrong += !is_near(real_divide(x, y), (double)x / y);
	}
	CHECK(!wrong);
}

int main(void)
{
	tap_run("functions", test_functions);
	tap_run("powers", test_powers);
	tap_run("quotients", test_quotients);
	return tap_end();
}
