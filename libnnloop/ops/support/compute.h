/* SPDX-License-Identifier: MIT */
/*
 * Operators of a program, computed for a few elements while a graph is prepared.
 */
#ifndef NN_COMPUTE_H
#define NN_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/nn_program.h"

/*
 * Computes an operator of two tensors of 8 bits, element by element, whose tensors these are by
 * their numbers: `count` results of as many elements of each. False: it is none of the kind, or
 * cannot be done.
 */
bool nn_compute_two(const struct nn_program_op *op, const struct nn_program_tensor *tensors,
		    const uint8_t *a, const uint8_t *b, uint8_t *results, uint32_t count);

#endif
