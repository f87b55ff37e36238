// SPDX-License-Identifier: MIT
/*
 * Division in float32, which is software on the DSP: the compiler's (dsp/firmware/float32.c) and
 * the vector kernels' by an inverse (dsp/hvx/common/float32.h). What is right is told by integers: twice
 * the remainder is not greater than the divisor. Square roots (dsp/kernels/square_root.h) likewise.
 * Runs in qemu-hexagon.
 */
#include "dsp/hvx/common/float32.h"
#include "../../dsp/kernels/square_root.h"
#include "harness.h"

/* The nearest to a / b, ties to even; a, b and the result positive and normal. */
static uint32_t quotient(uint32_t a, uint32_t b)
{
	uint64_t dividend = (uint64_t)((a & 0x7fffff) | 0x800000) << 24;
	uint32_t divisor = (b & 0x7fffff) | 0x800000, exponent = (a >> 23) - (b >> 23) + 127;
	uint64_t result, rest;

	/* 24 bits, which are 2^23 at least. */
	if ((a & 0x7fffff) >= (b & 0x7fffff))
		dividend >>= 1;
	else
		exponent--;
	result = dividend / divisor;
	rest = 2 * (dividend - result * divisor);
	result += rest > divisor || (rest == divisor && (result & 1));
	return (exponent << 23) + (uint32_t)(result - 0x800000);
}

static bool is_right(uint32_t a, uint32_t b, uint32_t got, const char *which)
{
	uint32_t wanted = quotient(a, b);

	if (got != wanted)
		print("# %s: %x / %x is %x, should be %x\n", which, a, b, got, wanted);
	return got == wanted;
}

static uint32_t random_number(uint32_t low, uint32_t high)
{
	uint32_t mantissa = random_bits() & 0x7fffff;

	switch (random_below(4)) {
	case 0:
		mantissa &= 0x7c0000;
		break;
	case 1:
		mantissa = random_below(2) ? random_below(4) : 0x7fffff - random_below(4);
		break;
	}
	return random_range(low, high) << 23 | mantissa;
}

/* Quotients of numbers of these exponents, as they are stored, that are normal numbers. */
static bool test_quotients(uint32_t count, int low_a, int high_a, int low_b, int high_b)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = random_number(low_a, high_a), b = random_number(low_b, high_b);

		if (!is_right(a, b, bits_of(float_of(a) / float_of(b)), "division"))
			return false;
		if (bits_of(-float_of(a) / float_of(b)) != (quotient(a, b) | 0x80000000u))
			return false;
	}
	return true;
}

/* Either number is usual, too small or too great for the quick way, or near one of these. */
static bool test_division(void)
{
	return test_quotients(200000, 70, 184, 70, 184) &&
	       test_quotients(20000, 60, 75, 100, 150) && test_quotients(20000, 180, 195, 100, 150) &&
	       test_quotients(20000, 100, 150, 60, 75) && test_quotients(20000, 100, 150, 180, 195);
}

static bool test_inverse(void)
{
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t b = random_number(70, 184);
		double inverse = inverse_of(float_of(b));

		for (uint32_t k = 0; k < 100; k++) {
			uint32_t a = random_number(70, 184);

			if (!is_right(a, b, bits_of(divide(float_of(a), inverse)), "by inverse"))
				return false;
			if (!is_right(a, b, bits_of(divide_fused(float_of(a), float_of(b),
								 1 / float_of(b))),
				      "by fused steps"))
				return false;
			if (!is_right(a, b, bits_of(divide_quickly(float_of(a), float_of(b))),
				      "quickly"))
				return false;
		}
		if (bits_of(divide(0, inverse)) || bits_of(divide_fused(0, float_of(b), 1)))
			return false;
	}
	return true;
}

/* Quotients of which a processor of IEEE 754 gives these. */
static bool test_special(void)
{
	static const volatile uint32_t cases[][3] = {
		{ 0x00000000, 0x3f800000, 0x00000000 }, { 0x80000000, 0x3f800000, 0x80000000 },
		{ 0x3f800000, 0x00000000, 0x7f800000 }, { 0xbf800000, 0x00000000, 0xff800000 },
		{ 0x7f800000, 0x3f800000, 0x7f800000 }, { 0x3f800000, 0x7f800000, 0x00000000 },
		{ 0x7f7fffff, 0x00800000, 0x7f800000 }, { 0x7f7fffff, 0x3f7fffff, 0x7f800000 },
		{ 0x00800000, 0x40000000, 0x00400000 }, { 0x00000001, 0x40000000, 0x00000000 },
		{ 0x00000003, 0x40000000, 0x00000002 }, { 0x00000001, 0x3f000000, 0x00000002 },
		{ 0x00000001, 0x00000001, 0x3f800000 }, { 0x00ffffff, 0x40000000, 0x00800000 },
		{ 0x007fffff, 0x00000001, 0x4afffffe }, { 0x00800000, 0x7f7fffff, 0x00000000 },
		{ 0x7f7fffff, 0x3f400000, 0x7f800000 }, { 0x7f000000, 0x3f2aaaab, 0x7f400000 },
		{ 0x7f800000, 0x7f7fffff, 0x7f800000 }, { 0xff800000, 0x00000001, 0xff800000 },
		{ 0x00000001, 0x00000000, 0x7f800000 }, { 0x7f800000, 0x00000000, 0x7f800000 },
		{ 0x00000000, 0x00000001, 0x00000000 }, { 0x00000000, 0x7f7fffff, 0x00000000 },
		{ 0x00000000, 0x7f800000, 0x00000000 }, { 0x7f7fffff, 0x7f800000, 0x00000000 },
		{ 0x00000005, 0x40000000, 0x00000002 }, { 0x00000007, 0x40800000, 0x00000002 },
		{ 0x00000001, 0x3fffffff, 0x00000001 }, { 0x00800000, 0x4b800000, 0x00000000 },
		{ 0x00800001, 0x4b800000, 0x00000001 }, { 0x00800000, 0x4c000000, 0x00000000 },
		{ 0x00ffffff, 0x4c000000, 0x00000000 }, { 0x00ffffff, 0x4b800000, 0x00000001 },
		{ 0x7f7fffff, 0x7f7fffff, 0x3f800000 }, { 0x7f7fffff, 0x00000001, 0x7f800000 },
		{ 0x00400000, 0x00800000, 0x3f000000 }, { 0x007fffff, 0x00800000, 0x3f7ffffe },
		{ 0x7effffff, 0x3f000000, 0x7f7fffff }, { 0x7f7fffff, 0x40000000, 0x7effffff },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t got = bits_of(float_of(cases[i][0]) / float_of(cases[i][1]));

		if (got != cases[i][2]) {
			print("# %x / %x is %x\n", cases[i][0], cases[i][1], got);
			return false;
		}
	}
	return true;
}

/* Quotients that are no number. Volatile: the DSP is to find that out, not the compiler. */
static bool test_no_number(void)
{
	static const volatile uint32_t cases[][2] = {
		{ 0x00000000, 0x00000000 }, { 0x80000000, 0x00000000 }, { 0x7f800000, 0x7f800000 },
		{ 0x7f800000, 0xff800000 }, { 0x7fc00000, 0x3f800000 }, { 0x3f800000, 0x7fc00000 },
		{ 0x7f800001, 0x7f800000 }, { 0x00000000, 0x7f800001 },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (bits_of(float_of(cases[i][0]) / float_of(cases[i][1])) << 1 <= 0xff000000)
			return false;
	}
	return true;
}

/* A root is the nearest if the number is between the squares of half a step less and more. */
static bool test_roots(void)
{
	static const uint32_t cases[][2] = {
		{ 0x00000000, 0x00000000 }, { 0x80000000, 0x80000000 }, { 0x7f800000, 0x7f800000 },
		{ 0x00000001, 0x1a3504f3 }, { 0x00000002, 0x1a800000 }, { 0x007fffff, 0x1fffffff },
		{ 0x00800000, 0x20000000 }, { 0x7f7fffff, 0x5f7fffff }, { 0x3f7fffff, 0x3f7fffff },
		{ 0x40000000, 0x3fb504f3 }, { 0x40800000, 0x40000000 }, { 0xbf800000, 0xbf800000 },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t got = bits_of(square_root(float_of(cases[i][0])));

		if (got != cases[i][1]) {
			print("# the root of %x is %x\n", cases[i][0], got);
			return false;
		}
	}
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t x = random_number(1, 254), got = bits_of(square_root(float_of(x)));
		uint32_t quick = bits_of(root_quickly(float_of(x)));
		uint64_t digits = (x & 0x7fffff) | 0x800000, root = (got & 0x7fffff) | 0x800000;
		int32_t exponent = (int32_t)(x >> 23) - 150 - 23;

		if (exponent & 1) {
			digits <<= 1;
			exponent--;
		}
		digits <<= 25;
		if ((int32_t)(got >> 23) != exponent / 2 + 150 ||
		    (2 * root - 1) * (2 * root - 1) > digits ||
		    (2 * root + 1) * (2 * root + 1) < digits) {
			print("# the root of %x is %x\n", x, got);
			return false;
		}
		if (quick != got) {
			print("# the root of %x is %x, quickly %x\n", x, got, quick);
			return false;
		}
	}
	return true;
}

int main(void)
{
	plan(5);
	result(test_division(), "division");
	result(test_inverse(), "division by an inverse");
	result(test_special(), "zero, infinity, subnormal numbers");
	result(test_no_number(), "no numbers");
	result(test_roots(), "square roots");
	return finish_tests();
}
