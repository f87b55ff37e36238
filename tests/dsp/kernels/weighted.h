/* SPDX-License-Identifier: MIT */
/*
 * Operands of CONV2D and FULLY_CONNECTED, whose weights are packed alike.
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "dsp/kernels/weights.h"

#include "../large-call.h"
#include "../random-call.h"

/* Weights, biases and, if the output is not the accumulator, scales. */
static inline void random_weighted(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w,
				   uint32_t inputs)
{
	uint32_t row = conv2d_row_length(kernel_w, inputs), magnitude = 1 << 12;

	random_constant(1, NN_TYPE_UINT8,
			conv2d_weight_bytes(outputs, kernel_h, kernel_w, inputs));
	call.input[1].zero_point = random_below(2) ? 128 : random_below(256);
	/* What fills up a row is 0. */
	for (uint32_t block = 0; block < (outputs + 31) / 32 * kernel_h; block++) {
		for (uint32_t k = kernel_w * inputs; k < row; k++) {
			for (uint32_t m = 0; m < 32; m++)
				call.input[1].data[block * row * 32 + conv2d_weight_offset(m, k)] =
					0;
		}
	}
	while ((uint64_t)magnitude * magnitude >> 26 < kernel_h * kernel_w * inputs)
		magnitude *= 2;
	random_biases(2, (outputs + 31) / 32 * 32, magnitude);
	if (call.output[0].type != NN_TYPE_INT32)
		random_scales(3, (outputs + 31) / 32 * 32, magnitude);
}

#endif
