/* SPDX-License-Identifier: MIT */
/*
 * Real numbers as TensorFlow Lite's own kernels multiply by them: dsp/fixed_point.h.
 */
#ifndef NN_MULTIPLIER_H
#define NN_MULTIPLIER_H

#include <stdbool.h>

#include "dsp/nn_program.h"

/* The nearest, of 31 bits; 0 where real is below 2^-32. real is finite, below 2^31 and above
 * -2^31. */
struct nn_fixed_point nn_multiplier_of(double real);

/* real = multiplier / 2^shift with 15 bits, for sums of 64. False where real is too large or no
 * positive number. */
bool nn_multiplier_of_sum(double real, int32_t *multiplier, int32_t *shift);

#endif
