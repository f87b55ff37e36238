/* SPDX-License-Identifier: MIT */
/*
 * The natural logarithm, in integers: there are no functions of real numbers on the DSP, and both
 * sides must have the same bits.
 */
#ifndef NN_LOG_H
#define NN_LOG_H

#include <stdint.h>

#define LOG_WORK	300

/*
 * The logarithm of x, for x that is 1 or more and finite: a number within 2^-28 of it, rounded to
 * float32. For any other x the result is arbitrary.
 *
 * The mantissa, squared again and again, gives the digits of its logarithm to the base 2: one,
 * where the square has come to 2 or more and is halved.
 */
static inline float log_of(float x)
{
	const uint64_t log_2 = 2977044472u;	/* in units of 2^-32, as the result */
	union {
		float value;
		uint32_t bits;
	} of = { .value = x };
	uint64_t power = of.bits >> 23 & 0xff, whole = power > 127 ? power - 127 : 0;
	uint32_t mantissa = ((of.bits & 0x7fffff) | 0x800000) << 8, digits = 0;

	for (int i = 0; i < 31; i++) {
		uint64_t square = (uint64_t)mantissa * mantissa;
		uint32_t digit = square >> 63;

		mantissa = square >> (31 + digit);
		digits = digits << 1 | digit;
	}
	return (float)(whole * log_2 + (digits * log_2 >> 31)) * 0x1p-32f;
}

#endif
