/* SPDX-License-Identifier: MIT */
/*
 * Elements that may be rounding ties, one at a time. The integers of a vector kernel cannot tell
 * how these are rounded, so the kernel finds them among its 128 bytes (next_set()) and makes them
 * again with the float32 arithmetic that defines them, on the scalar unit, which has no division.
 */
#ifndef NN_HVX_FLOAT32_H
#define NN_HVX_FLOAT32_H

#include "dsp/kernels/numbers.h"
#include "dsp/kernels/square_root.h"
#include "dsp/hvx/common/vector.h"

/*
 * 1 / x to 2^-51, by Newton's method from float32's quotient. With it divide() gives float32's own
 * quotient: a quotient of two numbers of 24 bits is nowhere nearer than 2^-49 to where its rounding
 * changes. For results that float32 has as normal numbers.
 */
static inline double inverse_of(float x)
{
	double y = 1.0f / x;

	y *= 2.0 - y * x;
	y *= 2.0 - y * x;
	return y;
}

static inline float divide(float a, double inverse)
{
	return (float)(a * inverse);
}

/*
 * x / y as float32 has it, with inverse = 1 / y: of a quotient that is off by one unit at most,
 * what is left of x is exact, and with it the next quotient is the right one (Markstein). For
 * results that are normal numbers, or 0.
 */
static inline float divide_fused(float x, float y, float inverse)
{
	float quotient = x * inverse;

	for (uint32_t i = 0; i < 2; i++) {
		float rest = __builtin_HEXAGON_F2_sffms(x, quotient, y);

		quotient = __builtin_HEXAGON_F2_sffma(quotient, rest, inverse);
	}
	return quotient;
}

/*
 * x / y as float32 has it, by Newton's method from a guess that the bits of y make. Of every y but
 * those whose digits are all ones, for which the compiler divides, four steps give the float that
 * is nearest to 1 / y, as a program that went through all digits has told; what divide_fused()
 * makes of that is right (Markstein).
 */
static inline float divide_quickly(float x, float y)
{
	union {
		float value;
		uint32_t bits;
	} divisor = { .value = y }, inverse;

	if (!(x >= 0x1p-60f && x <= 0x1p60f && y >= 0x1p-60f && y <= 0x1p60f) ||
	    !(~divisor.bits & 0x7fffff))
		return x / y;
	inverse.bits = 0x7ef311c7 - divisor.bits;
	for (uint32_t i = 0; i < 4; i++) {
		float rest = __builtin_HEXAGON_F2_sffms(1, inverse.value, y);

		inverse.value = __builtin_HEXAGON_F2_sffma(inverse.value, inverse.value, rest);
	}
	return divide_fused(x, y, inverse.value);
}

/*
 * square_root(x), by Newton's method for 1 / root from a guess that the bits of x make. What is
 * left of x when the root is squared corrects the last bit: of all digits, with even and odd
 * exponents, that program found no other root than the nearest.
 */
static inline float root_quickly(float x)
{
	union {
		float value;
		uint32_t bits;
	} number = { .value = x }, inverse;
	float half, root;

	if (!(x >= 0x1p-60f && x <= 0x1p60f))
		return square_root(x);
	inverse.bits = 0x5f3759df - (number.bits >> 1);
	half = x * 0.5f;
	for (uint32_t i = 0; i < 3; i++) {
		float rest = __builtin_HEXAGON_F2_sffms(0.5f, half * inverse.value, inverse.value);

		inverse.value = __builtin_HEXAGON_F2_sffma(inverse.value, inverse.value, rest);
	}
	root = x * inverse.value;
	return __builtin_HEXAGON_F2_sffma(root, __builtin_HEXAGON_F2_sffms(x, root, root),
					  inverse.value * 0.5f);
}

/*
 * Returns 1 / x to 2^-22 of it, by Newton's method from what the exponent's bits make of it. x is 1
 * .. 2^32.
 */
static inline float reciprocal_of(float x)
{
	union {
		float value;
		uint32_t bits;
	} y = { .value = x };

	y.bits = 0x7ef311c7 - y.bits;
	for (uint32_t i = 0; i < 4; i++)
		y.value = __builtin_HEXAGON_F2_sffma(
			y.value, y.value, __builtin_HEXAGON_F2_sffms(1.0f, x, y.value));
	return y.value;
}

/*
 * Adds to `total`, one after the other, what a table has for each of `count` bytes, 3 at least,
 * which are `step` bytes apart: a packet each, where the compiler takes three.
 */
static inline float add_products(float total, const float *table, const uint8_t *from,
				 uint32_t step, uint32_t count)
{
	uint32_t byte;
	float value;

	asm("{ m0 = %[step] }\n"
	    "{ %[byte] = memub(%[from]++m0) }\n"
	    "{ %[value] = memw(%[table]+%[byte]<<#2)\n"
	    "  %[byte] = memub(%[from]++m0); loop0(1f,%[count]) }\n"
	    "1:\n"
	    "{ %[total] = sfadd(%[total],%[value])\n"
	    "  %[value] = memw(%[table]+%[byte]<<#2)\n"
	    "  %[byte] = memub(%[from]++m0) }:endloop0\n"
	    "{ %[total] = sfadd(%[total],%[value])\n"
	    "  %[value] = memw(%[table]+%[byte]<<#2) }\n"
	    "{ %[total] = sfadd(%[total],%[value]) }\n"
	    : [total] "+r"(total), [from] "+r"(from), [byte] "=&r"(byte), [value] "=&r"(value)
	    : [table] "r"(table), [step] "r"(step), [count] "r"(count - 2)
	    : "m0", "lc0", "sa0", "memory");
	return total;
}

/* Is a bit set anywhere? */
static inline bool is_any_set(HVX_Vector v)
{
	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2)
		v = Q6_V_vor_VV(v, Q6_V_vror_VR(v, i));
	return Q6_R_vextract_VR(v, 0) != 0;
}

/*
 * next_set() goes through those of 128 bytes, aligned to 8, that are not 0: for (at = -1; (at =
 * next_set(bytes, at)) >= 0;). Callers keep such bytes, as all vectors of which they want an
 * element, in scratch memory: clang 14 lays vectors on the stack whose address is taken over one
 * another.
 */
typedef uint64_t set_word __attribute__((may_alias));

static inline int32_t next_set(const uint8_t *bytes, int32_t at)
{
	const set_word *words = (const set_word *)bytes;
	uint32_t word = (uint32_t)++at / 8;
	uint64_t rest;

	if (at >= VECTOR)
		return -1;
	rest = words[word] >> (at % 8 * 8);
	if (rest)
		return at + __builtin_ctzll(rest) / 8;
	while (++word < VECTOR / 8) {
		if (words[word])
			return word * 8 + __builtin_ctzll(words[word]) / 8;
	}
	return -1;
}

#endif
