// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of AVERAGE_POOL_FLOAT, see kernel-test.h.
 */
#include "pool.h"

static void make_random(void)
{
	struct nn_average_float_params *params = &op.average_float;

	make_random_pool(NN_OPCODE_AVERAGE_POOL_FLOAT);
	params->window.multiplier = params->window.shift = 0;
	do {
		params->scale_output = random_below(30) ? (float)random_range(1, 99) / 64
							: random_any_scale();
		params->scale_input = random_scale_like(params->scale_output);
		params->order = random_below(NN_AVERAGE_ORDERS);
	} while (nn_kernels[NN_OPCODE_AVERAGE_POOL_FLOAT].check(&call));
}

/* Image, channels, kernel, stride; order, and whether all results are ties. */
static void make_large(const uint32_t *p)
{
	make_large_pool(NN_OPCODE_AVERAGE_POOL_FLOAT, p);
	call.input[0].zero_point = p[5];
	op.window.multiplier = op.window.shift = 0;
	op.average_float.scale_input = 0.25f;
	op.average_float.scale_output = p[5] ? 0.5f : 0.25f;
	op.average_float.order = p[4];
}

static const struct large_call large[] = {
	{ "average_pool_float", make_large, { 256, 64, 3, 2, NN_AVERAGE_COLUMNS, 0 } },
	{ "average_pool_float with ties alone", make_large,
	  { 256, 64, 3, 2, NN_AVERAGE_COLUMNS, 1 } },
	{ "average_pool_float of large windows", make_large,
	  { 800, 16, 255, 1, NN_AVERAGE_COLUMNS, 1 } },
	{ "average_pool_float of large windows in rows", make_large,
	  { 800, 16, 255, 1, NN_AVERAGE_ROWS, 0 } },
	{ "average_pool_float of large windows in one channel", make_large,
	  { 4000, 1, 255, 1, NN_AVERAGE_QUARTERS, 0 } },
	{ "average_pool_float of large windows, exactly", make_large,
	  { 800, 16, 255, 1, NN_AVERAGE_EXACT, 0 } },
	{ "average_pool_float of many channels", make_large,
	  { 4, 1 << 20, 2, 1, NN_AVERAGE_COLUMNS, 1 } },
	{ "average_pool_float of many channels, exactly", make_large,
	  { 4, 1 << 20, 2, 1, NN_AVERAGE_EXACT, 1 } },
};

const struct kernel_test nn_average_pool_float_test = {
	.make_random = make_random,
	.random_calls = 400,
	.large = large,
	.large_calls = COUNT(large),
};
