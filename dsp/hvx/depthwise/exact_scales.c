// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D's results where all scales are exact: which of the loops of exact_scales_loops.S
 * makes them, by the output's type, the order of sums, and whether the zero point is odd.
 */
#include "dsp/hvx/depthwise/exact_scales.h"

typedef void (*scale_fp)(const struct depthwise_exact *exact);

void nn_depthwise_scale_exact_u8_even(const struct depthwise_exact *exact);
void nn_depthwise_scale_exact_u8_odd(const struct depthwise_exact *exact);
void nn_depthwise_scale_exact_s8_even(const struct depthwise_exact *exact);
void nn_depthwise_scale_exact_s8_odd(const struct depthwise_exact *exact);
void nn_depthwise_scale_dealt_u8_even(const struct depthwise_exact *exact);
void nn_depthwise_scale_dealt_u8_odd(const struct depthwise_exact *exact);
void nn_depthwise_scale_dealt_s8_even(const struct depthwise_exact *exact);
void nn_depthwise_scale_dealt_s8_odd(const struct depthwise_exact *exact);

void nn_depthwise_scale_exact(struct depthwise_exact *exact, bool is_signed, bool is_dealt)
{
	/* [is_dealt][is_signed][the zero point is odd] */
	static const scale_fp scale[2][2][2] = {
		{ { nn_depthwise_scale_exact_u8_even, nn_depthwise_scale_exact_u8_odd },
		  { nn_depthwise_scale_exact_s8_even, nn_depthwise_scale_exact_s8_odd } },
		{ { nn_depthwise_scale_dealt_u8_even, nn_depthwise_scale_dealt_u8_odd },
		  { nn_depthwise_scale_dealt_s8_even, nn_depthwise_scale_dealt_s8_odd } },
	};

	exact->offset = ((uint32_t)exact->zero_point << 16) + 0x8000;
	scale[is_dealt][is_signed][exact->zero_point & 1](exact);
}
