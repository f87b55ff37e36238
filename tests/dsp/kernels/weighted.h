/* SPDX-License-Identifier: MIT */
/*
 * Operands of CONV2D and FULLY_CONNECTED, whose weights are packed alike.
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "dsp/kernels/weights.h"

#include "../large-call.h"
#include "../random-call.h"

/*
 * Scales for the weights and biases that there are. Now and then not the least that sums can reach
 * is said of them, but anything.
 */
static inline void pack_weighted_scales(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w,
					uint32_t inputs)
{
	static uint32_t reach[MOST_OUTPUTS];
	uint32_t row = conv2d_row_length(kernel_w, inputs);

	for (uint32_t m = 0; m < outputs; m++) {
		const uint8_t *weights = call.input[1].data + m / 32 * kernel_h * row * 32;
		int64_t positive = 0, negative = 0;

		for (uint32_t y = 0; y < kernel_h; y++, weights += row * 32) {
			for (uint32_t k = 0; k < kernel_w * inputs; k++) {
				int32_t weight = weights[conv2d_weight_offset(m, k)] -
						 call.input[1].zero_point;

				positive += weight > 0 ? weight : 0;
				negative -= weight < 0 ? weight : 0;
			}
		}
		reach[m] = reach_of(&call.input[0], ((int32_t *)call.input[2].data)[m], positive,
				    negative);
	}
	pack_scales(3, outputs, random_below(8) ? reach : NULL, false);
}

/* Operand i: packed weights, with any zero point. */
static inline void random_packed_weights(uint32_t i, uint32_t outputs, uint32_t kernel_h,
					 uint32_t kernel_w, uint32_t inputs)
{
	uint32_t row = conv2d_row_length(kernel_w, inputs);

	random_constant(i, NN_TYPE_UINT8,
			conv2d_weight_bytes(outputs, kernel_h, kernel_w, inputs));
	call.input[i].zero_point = random_below(2) ? 128 : random_below(256);
	/* Bytes that fill up a row are 0. */
	for (uint32_t block = 0; block < (outputs + 31) / 32 * kernel_h; block++) {
		for (uint32_t k = kernel_w * inputs; k < row; k++) {
			for (uint32_t m = 0; m < 32; m++)
				call.input[i].data[block * row * 32 + conv2d_weight_offset(m, k)] =
					0;
		}
	}
}

/* Weights, biases and, if the output is not the accumulator, scales. */
static inline void random_weighted(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w,
				   uint32_t inputs)
{
	uint32_t magnitude = 1 << 12;

	random_packed_weights(1, outputs, kernel_h, kernel_w, inputs);
	while ((uint64_t)magnitude * magnitude >> 26 < kernel_h * kernel_w * inputs)
		magnitude *= 2;
	random_biases(2, weight_lanes(outputs), magnitude);
	if (call.output[0].type == NN_TYPE_INT32)
		return;
	random_scales(outputs, magnitude);
	pack_weighted_scales(outputs, kernel_h, kernel_w, inputs);
}

#endif
