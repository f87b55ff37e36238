// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of AVERAGE_POOL_FLOAT, see kernel-test.h.
 */
#include "dsp/kernels/average_float.h"
#include "pool.h"

#define LARGE_AREA	4096	/* elements of a window */

/*
 * A first window whose first half is high and the other low, the same in all channels, and an
 * output scale with which its mean, of which little is left, is close to a half: the sums on the
 * way are far from the result, and the same element is added again and again, so that roundings add
 * up.
 */
static void make_ties(struct nn_average_float_params *params)
{
	struct nn_tensor *input = &call.input[0];
	struct pool_window window = pool_window(&call, 0, 0);
	uint32_t width = window.right - window.left;
	uint32_t area = (window.bottom - window.top) * width;
	/* Large scales make a large window's margin one that is not worth it. */
	uint32_t whole = random_below(area > LARGE_AREA ? 2 : 60);
	int32_t low = input->type == NN_TYPE_INT8 ? -128 : 0, sum = 0;
	int32_t high = low + 255 - (int32_t)random_below(4);
	float mean, near;

	if (!call.output[0].bytes)
		return;
	input->zero_point = low + 127 + (int32_t)random_below(3);
	low += random_below(4);
	for (uint32_t i = 0; i < area; i++) {
		uint32_t y = window.top + i / width, x = window.left + i % width;
		int32_t value = i < area / 2 ? high : low;

		if (area % 2 && i == area / 2)
			value = input->zero_point;
		memset(input->data + (y * input->dims[2] + x) * input->dims[3], value,
		       input->dims[3]);
		sum += value - input->zero_point;
	}
	mean = (float)(sum < 0 ? -sum : sum) / (float)average_count(&params->window, &window);
	near = 0.5f + (float)random_range(9, 40) / (1 << 16) * (random_below(2) ? 1 : -1);
	params->scale_input *= 1 + (float)random_below(1 << 23) / (1 << 23);
	params->scale_output = mean * params->scale_input / ((float)whole + near);
}

/* One window of so many elements that float32's roundings add up to more than the least margin. */
static void make_large_window(void)
{
	uint32_t height = random_range(150, 255), width = random_range(150, 255);

	begin_call(NN_OPCODE_AVERAGE_POOL_FLOAT);
	op.window = window_of(height, width, 1, 1);
	random_input(0, random_8bit(), DIMS(1, height, width, 1));
	random_output(random_8bit(), DIMS(1, 1, 1, 1));
}

static void make_random(void)
{
	struct nn_average_float_params *params = &op.average_float;

	bool is_large = random_below(10) == 0;

	if (is_large)
		make_large_window();
	else if (random_below(2))
		make_random_2x2s2(NN_OPCODE_AVERAGE_POOL_FLOAT);
	else
		make_random_pool(NN_OPCODE_AVERAGE_POOL_FLOAT);
	params->window.multiplier = params->window.shift = 0;
	do {
		params->scale_output = random_below(30) ? (float)random_range(1, 99) / 64
							: random_any_scale();
		params->scale_input = random_scale_like(params->scale_output);
		params->order = random_below(NN_AVERAGE_ORDERS);
		if (is_large || random_below(2))
			make_ties(params);
		/* A quarter of all means of four are ties. */
		else if (random_below(4) == 0)
			params->scale_output = params->scale_input;
		/* An integer times such a scale is a power of two, or next to one. */
		else if (random_below(2))
			params->scale_output = params->scale_input = float_of(
				bits_of(1.0f / random_range(1, 1020)) + random_below(3) - 1);
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
	{ "average_pool_float of large windows, zero point before rounding", make_large,
	  { 800, 16, 255, 1, NN_AVERAGE_ZERO_POINT, 1 } },
	{ "average_pool_float of many channels", make_large,
	  { 4, 1 << 20, 2, 1, NN_AVERAGE_COLUMNS, 1 } },
	{ "average_pool_float of many channels, exactly", make_large,
	  { 4, 1 << 20, 2, 1, NN_AVERAGE_EXACT, 1 } },
};

const struct kernel_test nn_average_pool_float_test = {
	.make_random = make_random,
	.random_calls = 250,
	.large = large,
	.large_calls = COUNT(large),
};
