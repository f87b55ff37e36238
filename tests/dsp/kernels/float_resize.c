// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_RESIZE, see kernel-test.h.
 */
#include "floats.h"

/* Positions in the image, or far from it. */
static void make_positions(uint32_t i, uint32_t size)
{
	int32_t *at = (int32_t *)call.input[i].data;

	for (uint32_t k = 0; k < call.input[i].dims[0]; k++) {
		if (random_below(8))
			at[k] = (int32_t)random_below(size);
	}
}

static void make_random(void)
{
	uint32_t rows = random_below(3), h = random_range(1, 9), w = random_range(1, 9);
	uint32_t out_h = random_range(1, 12), out_w = random_range(1, 12), c = random_range(1, 20);

	begin_call(NN_OPCODE_FLOAT_RESIZE);
	random_floats(0, 4, (uint32_t[]){ rows, h, w, c });
	random_constant(1, NN_TYPE_INT32, out_h);
	random_constant(2, NN_TYPE_INT32, out_w);
	make_positions(1, h);
	make_positions(2, w);
	random_float_constant(3, 2 * out_h);
	random_float_constant(4, 2 * out_w);
	random_float_output(4, (uint32_t[]){ rows, out_h, out_w, c });
}

/* Size, size of the output, channels. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FLOAT_RESIZE);
	large_input(0, NN_TYPE_FLOAT32, DIMS(1, p[0], p[0], p[2]));
	large_constant(1, NN_TYPE_INT32, p[1]);
	large_constant(2, NN_TYPE_INT32, p[1]);
	large_constant(3, NN_TYPE_FLOAT32, 2 * p[1]);
	large_constant(4, NN_TYPE_FLOAT32, 2 * p[1]);
	large_output(NN_TYPE_FLOAT32, DIMS(1, p[1], p[1], p[2]));
}

static const struct large_call large[] = {
	{ "float_resize", make_large, { 64, 128, 64 } },
	{ "float_resize of many channels", make_large, { 2, 3, 1 << 18 } },
	{ "float_resize of few channels", make_large, { 128, 512, 1 } },
};

const struct kernel_test nn_float_resize_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
