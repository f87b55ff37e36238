// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of AVERAGE_POOL_AWAY, see kernel-test.h.
 */
#include "pool.h"

/*
 * One window over all of an image, of so many elements that each step of a sum is little of the
 * mean: with a tie in each channel if the number is even, or a step more or less.
 */
static void make_random_whole(void)
{
	uint32_t height = random_range(1, random_below(2) ? 20 : 255);
	uint32_t width = random_range(1, random_below(2) ? 20 : 255), channels;
	uint32_t most = 2 * RANDOM_WORK / (height * width), step = random_below(3);
	uint8_t *data;

	channels = random_range(1, most < 1 ? 1 : most < 200 ? most : 200);
	if (channels > 8 && random_below(4))
		channels = channels / 8 * 8;
	begin_call(NN_OPCODE_AVERAGE_POOL_AWAY);
	op.window = window_of(height, width, 1, 1);
	random_input(0, random_8bit(), DIMS(1, height, width, channels));
	random_output(random_8bit(), DIMS(1, 1, 1, channels));
	data = call.input[0].data;
	for (uint32_t i = channels; i < height * width * channels; i++)
		data[i] = data[i % channels] + (i / channels & 1);
	for (uint32_t c = 0; c < channels && step; c++)
		data[c] += step == 1 ? 1 : -1;
}

static void make_random(void)
{
	switch (random_below(7)) {
	case 0:
		make_random_2x2s2(NN_OPCODE_AVERAGE_POOL_AWAY);
		break;
	case 1:
		make_random_3x3s1(NN_OPCODE_AVERAGE_POOL_AWAY);
		break;
	case 2:
	case 3:
		make_random_whole();
		break;
	default:
		make_random_pool(NN_OPCODE_AVERAGE_POOL_AWAY);
	}
	op.window.multiplier = op.window.shift = 0;
	op.window.count_padding = 0;
	call.output[0].type = call.input[0].type;
	call.output[0].zero_point = call.input[0].zero_point;
	op.out_min = call.input[0].type == NN_TYPE_INT8 ? -128 : 0;
	op.out_max = op.out_min + 255;
	if (random_below(3) == 0) {
		op.out_min += random_below(40);
		op.out_max = op.out_min + random_below(200);
	}
}

/* Image, channels, kernel, stride. */
static void make_large(const uint32_t *p)
{
	make_large_pool(NN_OPCODE_AVERAGE_POOL_AWAY, p);
	op.window.multiplier = op.window.shift = 0;
	call.output[0].type = call.input[0].type;
	call.output[0].zero_point = call.input[0].zero_point;
}

static const struct large_call large[] = {
	{ "average_pool_away", make_large, { 256, 64, 3, 2 } },
	{ "average_pool_away of large windows", make_large, { 800, 16, 255, 1 } },
	{ "average_pool_away of many channels", make_large, { 4, 1 << 20, 2, 1 } },
};

const struct kernel_test nn_average_pool_away_test = {
	.make_random = make_random,
	.random_calls = 200,
	.pitched_calls = 120,
	.large = large,
	.large_calls = COUNT(large),
};
