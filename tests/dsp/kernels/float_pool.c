// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_POOL, see kernel-test.h.
 */
#include "floats.h"

static void make_random(void)
{
	uint32_t channels = random_range(1, 40), n, h, w;

	do {
		begin_call(NN_OPCODE_FLOAT_POOL);
		random_window_of(NN_TYPE_FLOAT32, 1, channels, &n, &h, &w);
	} while (n * h * w * channels * op.window.kernel_h * op.window.kernel_w > RANDOM_WORK);
	if (random_below(4))
		make_numbers(0);
	random_float_output(4, (uint32_t[]){ n, h, w, channels });
	op.float_pool.form = random_below(NN_FLOAT_POOL_FORMS);
	op.window.count_padding = op.float_pool.form == NN_FLOAT_POOL_AVERAGE && random_below(2);
	op.float_pool.far_h = call.input[0].dims[1] + random_below(3);
	op.float_pool.far_w = call.input[0].dims[2] + random_below(3);
}

/* Size, channels, kernel, form. */
static void make_large(const uint32_t *p)
{
	uint32_t left = p[0] - p[2] + 1;

	begin_call(NN_OPCODE_FLOAT_POOL);
	large_input(0, NN_TYPE_FLOAT32, DIMS(1, p[0], p[0], p[1]));
	large_output(NN_TYPE_FLOAT32, DIMS(1, left, left, p[1]));
	op.window = (struct nn_window_params){ .kernel_h = p[2], .kernel_w = p[2], .stride_h = 1, .stride_w = 1,
				       .dilation_h = 1, .dilation_w = 1 };
	op.float_pool.form = p[3];
	op.float_pool.far_h = op.float_pool.far_w = p[0];
}

static const struct large_call large[] = {
	{ "float_pool", make_large, { 128, 256, 3, NN_FLOAT_POOL_MAX } },
	{ "float_pool of averages", make_large, { 64, 1024, 9, NN_FLOAT_POOL_AVERAGE } },
	{ "float_pool of many channels", make_large, { 2, 1 << 22, 2, NN_FLOAT_POOL_MAX } },
	{ "float_pool of large windows", make_large, { 256, 16, 255, NN_FLOAT_POOL_AVERAGE } },
};

const struct kernel_test nn_float_pool_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
