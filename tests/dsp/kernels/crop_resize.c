// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of CROP_RESIZE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t n = random_below(5), channels = SIZE_TO(260, 1, 1, 3, 20, 32, 33, 64, 130);
	uint32_t h = random_range(1, 20), w = random_range(1, 20);
	uint32_t out_h = random_range(1, 12), out_w = random_range(1, 12);
	bool is_wide = channels <= 3 && random_below(2);

	/* Rows of several vectors, which read near places and places far from each other. */
	if (is_wide) {
		w = random_range(50, 700);
		out_w = random_range(1, 300);
	}
	if (channels < 64 && random_below(6) == 0)
		out_h = random_range(60, 140);
	begin_call(NN_OPCODE_CROP_RESIZE);
	random_input(0, random_8bit(), DIMS(2, h, w, channels));
	random_input(1, NN_TYPE_INT32, DIMS(n, 4));
	random_input(2, NN_TYPE_INT32, DIMS(n));
	for (uint32_t i = 0; i < 4 * n; i++)
		((int32_t *)call.input[1].data)[i] >>= is_wide && i % 2 ? PICK(0, 18, 19, 20) :
							    PICK(0, 22, 22, 23);
	for (uint32_t i = 0; i < n; i++)
		((int32_t *)call.input[2].data)[i] = random_below(8) ? (int32_t)random_below(2)
								     : (int32_t)random_bits();
	random_output(call.input[0].type, DIMS(n, out_h, out_w, channels));
}

/* Boxes, and the channels, height and width of each; the images that there are, 0 or 1. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_CROP_RESIZE);
	large_input(0, NN_TYPE_UINT8, DIMS(p[4], 32, 32, p[1]));
	large_input(1, NN_TYPE_INT32, DIMS(p[0], 4));
	large_input(2, NN_TYPE_INT32, DIMS(p[0]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[2], p[3], p[1]));
}

static const struct large_call large[] = {
	{ "crop_resize", make_large, { 400, 3, 64, 64, 1 } },
	{ "crop_resize to long rows", make_large, { 1, 64, 2, 65536, 1 } },
	{ "crop_resize of many channels", make_large, { 2, 256 << 10, 2, 4, 1 } },
	{ "crop_resize of points", make_large, { 100000, 1, 1, 1, 1 } },
	{ "crop_resize of nothing", make_large, { 1, 700, 2, 65536, 0 } },
};

const struct kernel_test nn_crop_resize_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
