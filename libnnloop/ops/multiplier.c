// SPDX-License-Identifier: MIT
#include "multiplier.h"

#include <math.h>

struct nn_fixed_point nn_multiplier_of(double real)
{
	int exponent;
	int64_t multiplier = llround(frexp(real, &exponent) * 0x1p31);

	if (multiplier == 1ll << 31 || multiplier == -(1ll << 31)) {
		multiplier /= 2;
		exponent++;
	}
	if (exponent < -31)
		return (struct nn_fixed_point){ 0, 0 };
	return (struct nn_fixed_point){ multiplier, exponent };
}

bool nn_multiplier_of_sum(double real, int32_t *multiplier, int32_t *shift)
{
	struct nn_fixed_point by;

	/* Where 15 bits and no shift are left. */
	if (!(real > 0) || !(real < 0x1p14))
		return false;
	by = nn_multiplier_of(real);
	*multiplier = by.multiplier < 0x7fff0000 ? (by.multiplier + (1 << 15)) >> 16 : 0x7fff;
	*shift = 15 - by.shift;
	return *shift > 0;
}
