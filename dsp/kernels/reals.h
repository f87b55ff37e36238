/* SPDX-License-Identifier: MIT */
/*
 * Functions of real numbers in double, for the kernels of float32: host and DSP must have the same
 * bits, and the DSP has no library of functions.
 *
 * They are made of additions, subtractions, multiplications and comparisons of doubles, and
 * conversions, which are correctly rounded on both; not of divisions, which the DSP has no
 * instruction for. A result is within 2^-48 of the function's, relative to it, so that rounded to
 * float32 it is the nearest float32, or where two are as near up to a part of 2^-24 of their
 * distance, one of them.
 */
#ifndef NN_REALS_H
#define NN_REALS_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/kernels/square_root.h"

#define REAL_INFINITY __builtin_inf()
#define REAL_PI 3.14159265358979323846

/* The packets that a function takes, roughly; those that divide step by step take more. */
#define REAL_WORK	400
#define REAL_LONG_WORK	4096

union real_bits {
	double value;
	uint64_t bits;
};

static inline uint64_t bits_of_real(double x)
{
	return (union real_bits){ .value = x }.bits;
}

static inline bool real_is_number(double x)
{
	return (bits_of_real(x) & ~(1ull << 63)) <= 0x7ffull << 52;
}

static inline double real_not_a_number(void)
{
	return (union real_bits){ .bits = 0x7ff8ull << 48 }.value;
}

static inline bool real_is_negative(double x)
{
	return bits_of_real(x) >> 63;
}

static inline double real_magnitude(double x)
{
	return (union real_bits){ .bits = bits_of_real(x) & ~(1ull << 63) }.value;
}

static inline double real_with_sign(double x, bool negative)
{
	return negative ? -x : x;
}

static inline bool real_is_infinite(double x)
{
	return real_magnitude(x) == REAL_INFINITY;
}

/* 2^n, for n from -1022 to 1023. */
static inline double real_power_of_two(int32_t n)
{
	return (union real_bits){ .bits = (uint64_t)(n + 1023) << 52 }.value;
}

/* The exponent of a number that is neither 0 nor subnormal; *mantissa is 1 or more, and below 2. */
static inline int32_t real_take_apart(double x, double *mantissa)
{
	uint64_t bits = bits_of_real(x) & ~(1ull << 63);

	*mantissa = (union real_bits){ .bits = (bits & ~(0x7ffull << 52)) | 1023ull << 52 }.value;
	return (int32_t)(bits >> 52) - 1023;
}

/* a / b, where b is neither 0, infinite nor subnormal. */
static inline double real_quotient(double a, double b)
{
	double mantissa, inverse;
	int32_t exponent = real_take_apart(b, &mantissa);

	inverse = 1.0f / (float)mantissa;
	inverse = inverse * (2 - mantissa * inverse);
	inverse = inverse * (2 - mantissa * inverse);
	/* The exponent in two halves, so that neither is out of range. */
	a = a * inverse * real_power_of_two(-exponent / 2);
	return real_with_sign(a * real_power_of_two(-exponent - -exponent / 2),
			      real_is_negative(b));
}

/* a / b, of any two numbers. */
static inline double real_divide(double a, double b)
{
	bool negative = real_is_negative(a) != real_is_negative(b);

	if (!real_is_number(a) || !real_is_number(b) || (a == 0 && b == 0) ||
	    (real_is_infinite(a) && real_is_infinite(b)))
		return real_not_a_number();
	if (b == 0 || real_is_infinite(a))
		return real_with_sign(REAL_INFINITY, negative);
	if (a == 0 || real_is_infinite(b))
		return real_with_sign(0, negative);
	if (real_magnitude(b) < 0x1p-1000)
		return real_quotient(a * 0x1p200, b * 0x1p200);
	return real_quotient(a, b);
}

/* The square root of a number that is 0 or above. */
static inline double real_square_root(double x)
{
	double mantissa, root;
	int32_t exponent;

	if (!(x > 0) || real_is_infinite(x) || x < 0x1p-1000)
		return x > 0 && x < 0x1p-1000 ? 0 : x;
	exponent = real_take_apart(x, &mantissa);
	if (exponent & 1)
		mantissa *= 2;
	root = square_root((float)mantissa);
	root = 0.5 * (root + real_quotient(mantissa, root));
	root = 0.5 * (root + real_quotient(mantissa, root));
	return root * real_power_of_two((exponent - (exponent & 1)) / 2);
}

#define REAL_LOG_2_HIGH 6.93147180369123816490e-01	/* of 33 bits */
#define REAL_LOG_2_LOW 1.90821492927058770002e-10

/* Powers of e, from so many terms of the series, the last divided first. */
static inline double real_exponential(double x)
{
	static const double inverse[] = {
		1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8,
		1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14
	};
	double rest, sum = 1;
	int32_t power;

	if (!real_is_number(x))
		return x;
	if (x > 709)
		return REAL_INFINITY;
	if (x < -700)
		return 0;
	power = (int32_t)(x * 1.44269504088896340736 + (x < 0 ? -0.5 : 0.5));
	rest = x - power * REAL_LOG_2_HIGH - power * REAL_LOG_2_LOW;
	for (int i = sizeof(inverse) / sizeof(*inverse) - 1; i >= 0; i--)
		sum = 1 + rest * inverse[i] * sum;
	return (1 + rest * sum) * real_power_of_two(power);
}

/* The power of e, less 1. */
static inline double real_exponential_less_1(double x)
{
	static const double inverse[] = {
		1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8, 1.0 / 9,
		1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17
	};
	double sum = 1;

	if (!(x > -0.5 && x < 0.5))
		return real_exponential(x) - 1;
	for (int i = sizeof(inverse) / sizeof(*inverse) - 1; i >= 0; i--)
		sum = 1 + x * inverse[i] * sum;
	return x * sum;
}

/* The logarithm of (1 + s) / (1 - s), less 2 * s, for s up to 0.18. */
static inline double real_log_series(double s)
{
	static const double inverse[] = {
		1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
		1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25
	};
	double square = s * s, sum = 0;

	for (int i = sizeof(inverse) / sizeof(*inverse) - 1; i >= 0; i--)
		sum = square * (inverse[i] + sum);
	return 2 * s * sum;
}

static inline double real_logarithm(double x)
{
	double mantissa, s;
	int32_t exponent;

	if (!real_is_number(x) || x < 0)
		return real_not_a_number();
	if (x == 0 || real_is_infinite(x))
		return x == 0 ? -REAL_INFINITY : x;
	exponent = real_take_apart(x, &mantissa);
	if (mantissa > 1.41421356237309504880) {
		mantissa *= 0.5;
		exponent++;
	}
	s = real_quotient(mantissa - 1, mantissa + 1);
	return exponent * REAL_LOG_2_HIGH +
	       (2 * s + (real_log_series(s) + exponent * REAL_LOG_2_LOW));
}

/* The logarithm of 1 + x. */
static inline double real_logarithm_of_1_and(double x)
{
	double s;

	if (!(x > -0.3 && x < 0.4))
		return real_logarithm(1 + x);
	s = real_quotient(x, 2 + x);
	return 2 * s + real_log_series(s);
}

static inline double real_hyperbolic_tangent(double x)
{
	double less_1;

	if (!real_is_number(x))
		return x;
	if (real_magnitude(x) > 20)
		return real_with_sign(1, x < 0);
	less_1 = real_exponential_less_1(2 * x);
	return real_quotient(less_1, less_1 + 2);
}

static inline double real_sigmoid(double x)
{
	if (!real_is_number(x))
		return x;
	if (x < -700)
		return 0;
	return real_quotient(1, 1 + real_exponential(-x));
}

/* The integral of the bell curve beyond x, which is 3 or more: a continued fraction. */
static inline double real_error_beyond(double x)
{
	double below = x;

	if (x > 26)
		return 0;
	for (int i = 60; i > 0; i--)
		below = x + real_quotient(0.5 * i, below);
	return real_quotient(real_exponential(-x * x) * 0.56418958354775628695, below);
}

/* Its error function, below 3 by a series without cancellation. */
static inline double real_error_function(double x)
{
	double size = real_magnitude(x), square = x * x, term, sum;

	if (!real_is_number(x))
		return x;
	if (size >= 3)
		return real_with_sign(1 - real_error_beyond(size), x < 0);
	term = sum = 1;
	for (int i = 1; i < 64 && term > 0x1p-60; i++) {
		static const double inverse[] = {
#define EIGHT(n) 1.0 / ((n) + 1), 1.0 / ((n) + 3), 1.0 / ((n) + 5), 1.0 / ((n) + 7), \
		 1.0 / ((n) + 9), 1.0 / ((n) + 11), 1.0 / ((n) + 13), 1.0 / ((n) + 15)
			EIGHT(0), EIGHT(16), EIGHT(32), EIGHT(48), EIGHT(64), EIGHT(80), EIGHT(96),
			EIGHT(112)
#undef EIGHT
		};

		term *= 2 * square * inverse[i];
		sum += term;
	}
	return 1.12837916709551257390 * x * real_exponential(-square) * sum;
}

/* 1 + the error function, also where that is nearly -1. */
static inline double real_error_and_1(double x)
{
	return x <= -3 ? real_error_beyond(-x) : 1 + real_error_function(x);
}

/* ---- Angles ---- */

/* Bits 1 and on behind the point of 2 / pi. */
static inline uint32_t real_bits_of_2_by_pi(int32_t from)
{
	static const uint32_t words[] = {
		0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
		0xdebbc561
	};
	int32_t word = (from - 1) >> 5;
	uint32_t shift = (from - 1) & 31;
	uint64_t two = (uint64_t)(word < 0 ? 0 : words[word]) << 32 |
		       (word + 1 < 0 ? 0 : words[word + 1]);

	return (uint32_t)(two >> (32 - shift));
}

/* Returns the angle that is left of x, a float32 of 2^20 or more, behind *quadrant quarter turns. */
static inline double real_reduce_great(double x, uint32_t *quadrant)
{
	double mantissa;
	int32_t exponent = real_take_apart(x, &mantissa) - 23;
	uint64_t digits = (uint64_t)(mantissa * 0x1p23), low, middle, high, fraction;
	double rest;

	/* Whole turns fall away: 96 bits, of which 2 are in front of the point, are enough. */
	low = digits * real_bits_of_2_by_pi(exponent - 1 + 64);
	middle = digits * real_bits_of_2_by_pi(exponent - 1 + 32) + (low >> 32);
	high = digits * real_bits_of_2_by_pi(exponent - 1) + (middle >> 32);
	*quadrant = (uint32_t)high >> 30;
	fraction = high << 34 | (middle & 0xffffffff) << 2 | (low & 0xffffffff) >> 30;
	if (fraction >> 63) {
		*quadrant += 1;
		rest = -(double)(int64_t)((~fraction + 1) >> 1) * 0x1p-63;
	} else {
		rest = (double)(int64_t)(fraction >> 1) * 0x1p-63;
	}
	return rest * (REAL_PI / 2);
}

static inline double real_reduce(double x, uint32_t *quadrant)
{
	double turns, rest;
	int32_t whole;

	if (x >= 0x1p20)
		return real_reduce_great(x, quadrant);
	whole = (int32_t)(x * (2 / REAL_PI) + 0.5);
	turns = whole;
	*quadrant = whole;
	rest = x - turns * 1.57079632673412561417e+00;
	rest -= turns * 6.07710050630396597660e-11;
	return rest - turns * 2.02226624879595063154e-21;
}

static inline double real_sine_of_small(double x)
{
	static const double inverse[] = { 1.0 / 6, 1.0 / 20, 1.0 / 42, 1.0 / 72, 1.0 / 110,
					  1.0 / 156, 1.0 / 210, 1.0 / 272 };
	double square = x * x, sum = 1;

	for (int i = 7; i >= 0; i--)
		sum = 1 - square * inverse[i] * sum;
	return x * sum;
}

static inline double real_cosine_of_small(double x)
{
	static const double inverse[] = { 1.0 / 2, 1.0 / 12, 1.0 / 30, 1.0 / 56, 1.0 / 90,
					  1.0 / 132, 1.0 / 182, 1.0 / 240 };
	double square = x * x, sum = 1;

	for (int i = 7; i >= 0; i--)
		sum = 1 - square * inverse[i] * sum;
	return sum;
}

/* Sine and cosine of a float32. */
static inline void real_circle(double x, double *sine, double *cosine)
{
	uint32_t quadrant;
	double rest, s, c;

	if (!real_is_number(x) || real_is_infinite(x)) {
		*sine = *cosine = real_not_a_number();
		return;
	}
	rest = real_reduce(real_magnitude(x), &quadrant);
	s = real_sine_of_small(rest);
	c = real_cosine_of_small(rest);
	*sine = quadrant & 1 ? c : s;
	*cosine = quadrant & 1 ? s : c;
	*sine = real_with_sign(*sine, ((quadrant >> 1) & 1) != real_is_negative(x));
	*cosine = real_with_sign(*cosine, ((quadrant + 1) >> 1) & 1);
}

static inline double real_arc_tangent(double x)
{
	double size = real_magnitude(x), from = 0, square, sum = 0;
	bool inverted = size > 1;

	if (!real_is_number(x))
		return x;
	if (inverted)
		size = real_divide(1, size);
	if (size > 0.41421356237309504880) {
		size = real_quotient(size - 1, size + 1);
		from = REAL_PI / 4;
	}
	square = size * size;
	for (int i = 20; i > 0; i--) {
		static const double inverse[] = {
			1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15,
			1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29,
			1.0 / 31, 1.0 / 33, 1.0 / 35, 1.0 / 37, 1.0 / 39, 1.0 / 41
		};

		sum = square * (inverse[i] - sum);
	}
	size = from + (size - size * sum);
	return real_with_sign(inverted ? REAL_PI / 2 - size : size, real_is_negative(x));
}

/* The angle of a sine from -1 to 1; other numbers have none. */
static inline double real_arc_sine(double x)
{
	if (!(real_magnitude(x) <= 1))
		return real_not_a_number();
	return real_arc_tangent(real_divide(x, real_square_root((1 - x) * (1 + x))));
}

static inline double real_arc_cosine(double x)
{
	if (!(real_magnitude(x) <= 1))
		return real_not_a_number();
	return 2 * real_arc_tangent(real_square_root(real_divide(1 - x, 1 + x)));
}

/* ---- Powers ---- */

/* Whether a float32 is whole; *odd: and odd. */
static inline bool real_is_whole(double x, bool *odd)
{
	double size = real_magnitude(x);
	int64_t whole;

	*odd = false;
	if (size >= 0x1p24)
		return true;
	whole = (int64_t)size;
	*odd = whole & 1;
	return (double)whole == size;
}

/* x to the power of y, both of float32, as C defines it. */
static inline double real_power(double x, double y)
{
	bool odd, whole = real_is_whole(y, &odd);
	double size = real_magnitude(x), power;

	if (x == 1 || y == 0)
		return 1;
	if (!real_is_number(x) || !real_is_number(y))
		return real_not_a_number();
	if (real_is_infinite(y)) {
		if (size == 1)
			return 1;
		return (size > 1) == (y > 0) ? REAL_INFINITY : 0;
	}
	if (x == 0 || real_is_infinite(x))
		return real_with_sign((size > 1) == (y > 0) ? REAL_INFINITY : 0,
				      real_is_negative(x) && whole && odd);
	if (x < 0 && !whole)
		return real_not_a_number();
	power = real_exponential(y * real_logarithm(size));
	return real_with_sign(power, x < 0 && odd);
}

#endif
