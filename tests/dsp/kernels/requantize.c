// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of REQUANTIZE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t channels = random_size(), shift = random_below(32), n, width;

	random_vectors(channels, &n, &width);
	/* Scales that repeat often: many vectors have the same. */
	if (random_below(3) == 0) {
		channels = SIZE_TO(150, 1, 3, 16, 24, 64, 96, 144);
		width = random_range(30, 200);
		n = n < 4 ? n : 1;
	}
	begin_call(NN_OPCODE_REQUANTIZE);
	random_input(0, NN_TYPE_INT32, DIMS(n, width, channels));
	for (uint32_t i = 0; i < call.input[0].bytes / 4; i++)
		((int32_t *)call.input[0].data)[i] >>= shift;
	random_output(random_8bit(), DIMS(n, width, channels));
	random_scales(channels, 0x80000000u >> shift);
	pack_scales(1, random_below(2) ? channels : 1, NULL, true);
}

/* Many vectors, if few results may be ties: compiled, one takes more than 100. */
static uint32_t most_packets(void)
{
	uint32_t vectors = call.output[0].bytes / 128;

	return vectors > 64 ? vectors * 40 : 0;
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_REQUANTIZE);
	large_input(0, NN_TYPE_INT32, DIMS(p[0], p[1]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_scales(1, p[1], true, true);
}

static const struct large_call large[] = {
	{ "requantize", make_large, { 16, 1 << 20 } },
	{ "requantize of few channels", make_large, { 4 << 20, 3 } },
};

const struct kernel_test nn_requantize_test = {
	.make_random = make_random,
	.scales = 1,
	.in_place = 1,
	.random_calls = 200,
	.most_packets = most_packets,
	.quick_calls = 8,
	.large = large,
	.large_calls = COUNT(large),
};
