// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of CONV2D_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"
#include "dsp/program/fixed.h"

/* Multipliers of one form, or of each; some of them are any bits at all. */
static void random_multipliers(uint32_t outputs)
{
	uint32_t form = random_below(5), rare = random_below(4);

	random_constant(3, NN_TYPE_INT32, 2 * outputs);
	for (uint32_t m = 0; m < outputs && (form < 4 || random_below(8)); m++) {
		int32_t *scale = (int32_t *)call.input[3].data + 2 * m;

		switch (form < 4 ? form : random_below(4)) {
		case 0:
			scale[0] = random_below(1 << 15);
			scale[1] = rare ? random_range(15, 40) : random_range(9, 62);
			break;
		case 1:
			scale[0] = (int32_t)(1u << 30 | random_below(1u << 30));
			scale[1] = rare ? -(int32_t)random_below(16) :
					  15 - (int32_t)random_below(47);
			break;
		case 2:
			scale[0] = (int32_t)(1u << 30 | random_below(1u << 30));
			scale[1] = NN_ROUNDED_WIDE + (rare ? random_range(30, 60) : random_range(1, 94));
			break;
		default:
			scale[0] = (int32_t)(1u << 30 | random_below(1u << 30));
			scale[1] = 64 + (rare ? random_range(15, 50) : random_range(1, 62));
		}
	}
}

static void make_random(void)
{
	/* One group, each channel by itself, or others. */
	uint32_t kind = random_below(3);
	uint32_t groups = !kind ? 1 : kind == 1 ? SIZE_TO(150, 32, 64, 65, 128) : SIZE_TO(9, 2, 5);
	uint32_t inputs = kind == 1 ? 1 : SIZE_TO(20, 1, 3, 8, 13, 16);
	uint32_t outputs = !kind ? SIZE_TO(100, 32, 64) :
				   kind == 1 ? groups : groups * random_range(1, 4);
	bool is_small = random_below(4);
	uint32_t n, h, w;

	do {
		begin_call(NN_OPCODE_CONV2D_INT16);
		random_window_of(NN_TYPE_INT16, 3, groups * inputs, &n, &h, &w);
	} while ((n * h * w ?: 1) * outputs * inputs * op.window.kernel_h * op.window.kernel_w >
			 RANDOM_WORK ||
		 n * h * w * outputs > RANDOM_WORK / 2);
	random_output(NN_TYPE_INT16, DIMS(n, h, w, outputs));
	random_constant(1, NN_TYPE_INT8,
			outputs * op.window.kernel_h * op.window.kernel_w * inputs);
	random_constant(2, NN_TYPE_INT32, 2 * outputs);
	/* Some of 32 bits, and of these some with which all sums have no more. */
	for (uint32_t m = 0; m < outputs && random_below(is_small ? 1000 : 8); m++) {
		int32_t *bias = (int32_t *)call.input[2].data + 2 * m;

		if (is_small)
			bias[0] >>= 4;
		bias[1] = is_small ? bias[0] >> 31 : -(int32_t)random_below(2);
	}
	if (random_below(4) == 0)
		call.output[0].zero_point = random_range(-32768, 32767);
	if (random_below(16) == 0)
		call.input[1].zero_point = random_range(-128, 127);
	random_multipliers(outputs);
}

/* Image, channels, inputs of a group, outputs, kernel, stride. */
static void make_large(const uint32_t *p)
{
	uint32_t out = (p[0] - p[4]) / p[5] + 1;

	begin_call(NN_OPCODE_CONV2D_INT16);
	op.window = window_of(p[4], p[4], p[5], p[5]);
	large_input(0, NN_TYPE_INT16, DIMS(4, p[0], p[0], p[1]));
	large_constant(1, NN_TYPE_INT8, p[3] * p[4] * p[4] * p[2]);
	large_constant(2, NN_TYPE_INT32, 2 * p[3]);
	large_constant(3, NN_TYPE_INT32, 2 * p[3]);
	large_output(NN_TYPE_INT16, DIMS(4, out, out, p[3]));
}

static const struct large_call large[] = {
	{ "conv2d_int16", make_large, { 32, 64, 64, 64, 3, 1 } },
	{ "conv2d_int16 of one channel", make_large, { 300, 1, 1, 1, 255, 1 } },
	{ "conv2d_int16 of many channels", make_large, { 2, 1 << 19, 1 << 19, 1, 2, 1 } },
	{ "conv2d_int16 of each channel", make_large, { 32, 1024, 1, 1024, 3, 1 } },
};

const struct kernel_test nn_conv2d_int16_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
