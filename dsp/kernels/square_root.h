/* SPDX-License-Identifier: MIT */
/*
 * The square root of a float32, to the nearest, ties to even: the DSP has neither an instruction
 * nor a library for it, and every processor is to have the same.
 */
#ifndef NN_SQUARE_ROOT_H
#define NN_SQUARE_ROOT_H

#include <stdint.h>

static inline uint32_t whole_root(uint64_t x)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ull << 48; bit; bit >>= 2) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return root;
}

/* The square root of x. An x that is not above 0 is returned as it is: nobody takes such roots. */
static inline float square_root(float x)
{
	union {
		float value;
		uint32_t bits;
	} number = { .value = x };
	uint32_t digits, root;
	int32_t exponent;

	if (!(x > 0) || x > __FLT_MAX__)
		return x;
	exponent = number.bits >> 23;
	digits = number.bits & 0x7fffff;
	if (exponent) {
		digits |= 0x800000;
	} else {
		exponent = 9 - __builtin_clz(digits);
		digits <<= 1 - exponent;
	}
	/* x = digits * 2^(exponent - 150). An even power of 2 leaves a root of 25 bits. */
	exponent -= 150;
	root = whole_root((uint64_t)digits << (exponent & 1 ? 25 : 26));
	exponent = (exponent - (exponent & 1 ? 25 : 26)) / 2;
	/* The last bit is one more than there is room for. A root is never half way. */
	root = (root >> 1) + (root & 1);
	number.bits = ((uint32_t)(exponent + 1 + 23 + 127) << 23) + (root - 0x800000);
	return number.value;
}

#endif
