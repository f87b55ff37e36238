// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of SPREAD, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_INT32,
			    NN_TYPE_INT64);
	uint32_t n = random_below(3), channels = SIZE_TO(130, 1, 2, 7, 33, 128);

	begin_call(NN_OPCODE_SPREAD);
	op.spread = (struct nn_spread_params){
		.stride_h = random_range(1, 4),
		.stride_w = random_range(1, 4),
		.pad_top = (int32_t)random_below(9) - 4,
		.pad_left = (int32_t)random_below(9) - 4,
	};
	random_input(0, type, DIMS(n, random_range(1, 6), random_range(1, 6), channels));
	random_output(type, DIMS(n, random_range(1, 16), random_range(1, 16), channels));
	call.output[0].zero_point = call.input[0].zero_point;
}

/* Height and width of the input, channels, how far pixels are apart, and the type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_SPREAD);
	op.spread = (struct nn_spread_params){ .stride_h = p[3], .stride_w = p[3] };
	large_input(0, p[4], DIMS(1, p[0], p[1], p[2]));
	large_output(p[4], DIMS(1, p[0] * p[3], p[1] * p[3], p[2]));
}

static const struct large_call large[] = {
	{ "spread", make_large, { 256, 256, 64, 2, NN_TYPE_INT8 } },
	{ "spread of one channel", make_large, { 1024, 1024, 1, 2, NN_TYPE_INT16 } },
	{ "spread far", make_large, { 4, 4, 4096, 16, NN_TYPE_INT16 } },
	{ "spread of a row", make_large, { 1, 1 << 19, 8, 3, NN_TYPE_INT8 } },
};

const struct kernel_test nn_spread_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
