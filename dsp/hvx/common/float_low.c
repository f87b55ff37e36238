// SPDX-License-Identifier: MIT
/*
 * The scale of sums in float32 by their lowest bits (float_low.h): its mantissa M's multiples that
 * are next to powers of two, up to 4096 * M. Kernels that make ties settle it once.
 */
#include "dsp/hvx/common/float_low.h"

static void add_critical(struct low_scale *low, uint32_t integer)
{
	uint32_t digits = integer << (__builtin_clz(integer) - 16);

	if (!low->number || low->critical != digits)
		low->number++;
	low->critical = digits;
}

/* Returns the greatest integer whose product with m is below 2^bit; `quotient` is 2^36 / m. */
static uint64_t integer_below(uint32_t m, uint32_t quotient, uint32_t bit)
{
	uint64_t below = quotient >> (36 - bit);

	return below * m == 1ull << bit ? below - 1 : below;
}

bool nn_low_settle(struct low_scale *low, float scale)
{
	union {
		float value;
		uint32_t bits;
	} number = { .value = scale };
	uint32_t m = (number.bits & 0x7fffff) | 0x800000, quotient = (1ull << 36) / m, more = 0;

	*low = (struct low_scale){ .twice = 2 * m, .half_bit = m >> 11 };
	/* With the upper bits alone a product may not reach the power of two that it has. */
	for (uint32_t bit = 23; bit <= 35; bit++) {
		uint64_t power = 1ull << bit, below = integer_below(m, quotient, bit);

		more |= (below + 1) * (m >> 9) << 9 < power;
		if ((below + 1) * m - power <= LOW_NEAR)
			add_critical(low, below + 1);
		if (below && power - below * m <= LOW_NEAR)
			add_critical(low, below);
	}
	low->upper = (m >> 9) + more;
	/* With one more it may reach one that it has not. */
	for (uint32_t bit = 23; bit <= 35 && more; bit++) {
		if (integer_below(m, quotient, bit) * low->upper << 9 >= 1ull << bit)
			return false;
	}
	/* Products with a power of two need not be rounded down. */
	return low->upper > 1 << 14 && low->upper <= INT16_MAX && low->number <= 1;
}
