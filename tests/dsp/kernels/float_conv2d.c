// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_CONV2D, see kernel-test.h.
 */
#include "floats.h"

static void make_random(void)
{
	uint32_t groups = random_below(2) ? 1 : random_range(2, 17), n, h, w, count;
	uint32_t inputs = random_below(2) ? 1 : random_range(1, 9);
	uint32_t outputs = groups * (random_below(2) ? 1 : random_range(1, 19));

	do {
		begin_call(NN_OPCODE_FLOAT_CONV2D);
		random_window_of(NN_TYPE_FLOAT32, 3, groups * inputs, &n, &h, &w);
		count = op.window.kernel_h * op.window.kernel_w * inputs * outputs;
	} while (n * h * w * count > RANDOM_WORK || count > 8000);
	make_numbers(0);
	random_float_constant(1, count);
	random_float_constant(2, outputs);
	random_float_output(4, (uint32_t[]){ n, h, w, outputs });
	op.float_conv2d.groups = groups;
	op.float_conv2d.low = random_below(2) ? 0 : -__builtin_inff();
	op.float_conv2d.high = random_below(2) ? 6 : __builtin_inff();
}

/* Size, channels, outputs, kernel, groups. */
static void make_large(const uint32_t *p)
{
	uint32_t left = p[0] - p[3] + 1;

	begin_call(NN_OPCODE_FLOAT_CONV2D);
	large_input(0, NN_TYPE_FLOAT32, DIMS(1, p[0], p[0], p[1]));
	large_constant(1, NN_TYPE_FLOAT32, p[3] * p[3] * (p[1] / p[4]) * p[2]);
	large_constant(2, NN_TYPE_FLOAT32, p[2]);
	large_output(NN_TYPE_FLOAT32, DIMS(1, left, left, p[2]));
	op.window = (struct nn_window_params){ .kernel_h = p[3], .kernel_w = p[3], .stride_h = 1, .stride_w = 1,
				       .dilation_h = 1, .dilation_w = 1 };
	op.float_conv2d.groups = p[4];
	op.float_conv2d.high = 6;
}

static const struct large_call large[] = {
	{ "float_conv2d", make_large, { 64, 64, 64, 3, 1 } },
	{ "float_conv2d of many channels", make_large, { 2, 1 << 20, 8, 1, 1 } },
	{ "float_conv2d of many outputs", make_large, { 2, 8, 1 << 20, 1, 1 } },
	{ "float_conv2d of each channel", make_large, { 64, 1024, 1024, 3, 1024 } },
	{ "float_conv2d of groups", make_large, { 64, 96, 96, 3, 32 } },
};

const struct kernel_test nn_float_conv2d_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
