// SPDX-License-Identifier: MIT
/*
 * Float32 functions that compiled code calls, because the DSP has no instruction for them, or the
 * compiler does not use it: division, and multiplication and addition in one.
 */
#include <stdbool.h>
#include <stdint.h>

union float32 {
	float value;
	uint32_t bits;
};

#define SIGN		0x80000000u
#define INFINITE	0x7f800000u
#define NOT_A_NUMBER	0x7fc00000u
#define ONE		0x00800000u	/* the highest bit of 24, which is not stored */

/* 24 bits of a positive number, and its exponent: 1 .. 254 as it is stored, less for subnormals. */
static inline uint32_t take_apart(uint32_t bits, int32_t *exponent)
{
	int32_t shift;

	*exponent = bits >> 23;
	if (*exponent)
		return (bits & (ONE - 1)) | ONE;
	shift = __builtin_clz(bits) - 8;
	*exponent = 1 - shift;
	return bits << shift;
}

static inline uint32_t divide_positive(uint32_t a, uint32_t b)
{
	int32_t exponent_a, exponent_b, exponent;
	uint32_t rest, divisor, quotient = 1;

	if (!b || a == INFINITE)
		return (!a && !b) || (a == INFINITE && b == INFINITE) ? NOT_A_NUMBER : INFINITE;
	if (!a || b == INFINITE)
		return 0;
	rest = take_apart(a, &exponent_a);
	divisor = take_apart(b, &exponent_b);
	exponent = exponent_a - exponent_b + 127;
	if (rest < divisor) {
		rest <<= 1;
		exponent--;
	}

	/* 24 bits, one more to round by, and one that stands for all below. */
	rest -= divisor;
	for (uint32_t i = 0; i < 24; i++) {
		rest <<= 1;
		quotient <<= 1;
		if (rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}
	quotient = quotient << 1 | (rest != 0);

	if (exponent >= 255)
		return INFINITE;
	if (exponent < 1) {
		uint32_t shift = exponent < -25 ? 26 : 1 - exponent;

		quotient = quotient >> shift | ((quotient & ((1u << shift) - 1)) != 0);
		exponent = 1;
		/* A number without its highest bit is one of exponent 0. */
	}
	a = quotient >> 2;
	a += (quotient >> 1) & (quotient | a) & 1;
	return a + ((uint32_t)(exponent - 1) << 23);
}

#define LEAST		0x21800000u	/* 2^-60 */
#define GREATEST	0x5d800000u	/* 2^60 */

/* Tells whether a positive number is neither so small nor so great that a step might lose bits. */
static inline bool is_usual(uint32_t bits)
{
	return bits - LEAST <= GREATEST - LEAST;
}

/*
 * The same of usual numbers, by Newton's method from a guess that the bits of b make: four steps
 * give the float that is nearest to 1 / b, unless all digits of b are ones. With that what is left
 * of a, which is exact, makes a quotient that is near the right one, and then that (Markstein).
 */
static inline float divide_usual(float a, float b)
{
	union float32 divisor = { .value = b }, inverse;
	float quotient;

	inverse.bits = 0x7ef311c7 - divisor.bits;
	for (uint32_t i = 0; i < 4; i++)
		inverse.value = __builtin_HEXAGON_F2_sffma(
			inverse.value, inverse.value,
			__builtin_HEXAGON_F2_sffms(1, inverse.value, b));
	quotient = a * inverse.value;
	for (uint32_t i = 0; i < 2; i++)
		quotient = __builtin_HEXAGON_F2_sffma(
			quotient, __builtin_HEXAGON_F2_sffms(a, quotient, b), inverse.value);
	return quotient;
}

float __hexagon_divsf3(float a, float b);
float fmaf(float a, float b, float c);

/* a / b, rounded to nearest, ties to even. */
float __hexagon_divsf3(float a, float b)
{
	union float32 x = { .value = a }, y = { .value = b }, result;
	uint32_t sign = (x.bits ^ y.bits) & SIGN;

	x.bits &= ~SIGN;
	y.bits &= ~SIGN;
	if (is_usual(x.bits) && is_usual(y.bits) && (~y.bits & (ONE - 1))) {
		result.value = divide_usual(x.value, y.value);
		result.bits |= sign;
		return result.value;
	}
	if (x.bits > INFINITE || y.bits > INFINITE)
		result.bits = NOT_A_NUMBER;
	else
		result.bits = divide_positive(x.bits, y.bits) | sign;
	return result.value;
}

/* a * b + c, rounded once. */
float fmaf(float a, float b, float c)
{
	return __builtin_HEXAGON_F2_sffma(c, a, b);
}
