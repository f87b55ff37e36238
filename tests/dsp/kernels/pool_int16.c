// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of POOL_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t kernel_h = random_range(1, 5), kernel_w = random_range(1, 5);
	uint32_t height = random_range(5, 12), width = random_range(5, 12);
	uint32_t n = random_rows(), channels = SIZE_TO(140, 3, 4, 64, 65);

	begin_call(NN_OPCODE_POOL_INT16);
	op.pool_int16 = (struct nn_pool_int16_params){
		.window = {
			.kernel_h = kernel_h,
			.kernel_w = kernel_w,
			.stride_h = random_range(1, 3),
			.stride_w = random_range(1, 3),
			.dilation_h = 1,
			.dilation_w = 1,
			.pad_top = random_below(kernel_h),
			.pad_left = random_below(kernel_w),
		},
		.average = random_below(2),
	};
	random_input(0, NN_TYPE_INT16, DIMS(n, height, width, channels));
	random_output(NN_TYPE_INT16,
		      DIMS(n, (height + op.window.pad_top - 1) / op.window.stride_h + 1,
			   (width + op.window.pad_left - 1) / op.window.stride_w + 1, channels));
}

/* Image, channels, kernel, stride. */
static void make_large(const uint32_t *p)
{
	uint32_t size = (p[0] - 1) / p[3] + 1;

	begin_call(NN_OPCODE_POOL_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(1, p[0], p[0], p[1]));
	large_output(NN_TYPE_INT16, DIMS(1, size, size, p[1]));
	op.pool_int16 = (struct nn_pool_int16_params){
		.window = { p[2], p[2], p[3], p[3], 1, 1, p[2] / 2, p[2] / 2, 0, 0, 0 },
		.average = 1,
	};
}

static const struct large_call large[] = {
	{ "pool_int16", make_large, { 256, 64, 3, 2 } },
	{ "pool_int16 of large windows", make_large, { 400, 4, 255, 3 } },
	{ "pool_int16 of many channels", make_large, { 4, 1 << 18, 2, 1 } },
};

const struct kernel_test nn_pool_int16_test = {
	.make_random = make_random,
	.random_calls = 150,
	.large = large,
	.large_calls = COUNT(large),
};
