// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of RESIZE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t n = random_below(3), h = random_range(1, 9), w = random_range(1, 9);
	uint32_t oh = random_range(1, 12), ow = random_range(1, 12);
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_INT32,
			    NN_TYPE_INT64);
	uint32_t c = SIZE_TO(600 / nn_type_size(type), 1, 3, 32, 64, 65, 75);

	/* Rows of several vectors, whose pixels are near each other or far. */
	if (random_below(3) == 0) {
		c = random_range(1, 40) / nn_type_size(type) + 1;
		w = random_range(1, 200);
		ow = random_range(10, 100);
	}
	begin_call(NN_OPCODE_RESIZE);
	random_input(0, type, DIMS(n, h, w, c));
	random_constant(1, NN_TYPE_INT32, oh);
	random_constant(2, NN_TYPE_INT32, ow);
	/* Half of the numbers are any, which are clamped. */
	for (uint32_t i = 0; i < oh; i++) {
		if (random_below(2))
			((int32_t *)call.input[1].data)[i] = random_below(h);
		/* A third are like the one before, as those of larger images are. */
		if (i && random_below(3) == 0)
			((int32_t *)call.input[1].data)[i] = ((int32_t *)call.input[1].data)[i - 1];
	}
	for (uint32_t i = 0; i < ow; i++) {
		if (random_below(2))
			((int32_t *)call.input[2].data)[i] = random_below(w);
		if (w > 9 && random_below(8))
			((int32_t *)call.input[2].data)[i] = i * w / ow;
	}
	random_output(type, DIMS(n, oh, ow, c));
}

/* Compiled without vectors, a pixel of 128 bytes takes 26, one of 1 byte as many. */
static uint32_t most_packets(void)
{
	const uint32_t *dims = call.output[0].dims;
	uint32_t pixel = dims[3] * nn_type_size(call.output[0].type);

	if (call.output[0].bytes < 1000)
		return 0;
	return 100 + dims[0] * dims[1] * (60 + dims[2] * (14 + pixel / 32));
}

/* Rows, size of the images and of the output, channels. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_RESIZE);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1], p[1], p[3]));
	large_constant(1, NN_TYPE_INT32, p[2]);
	large_constant(2, NN_TYPE_INT32, p[2]);
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[2], p[2], p[3]));
}

static const struct large_call large[] = {
	{ "resize", make_large, { 1, 512, 1024, 64 } },
	{ "resize of many small ones", make_large, { 1 << 14, 2, 4, 1 } },
	{ "resize of long pixels", make_large, { 1, 2, 3, 8 << 20 } },
};

const struct kernel_test nn_resize_test = {
	.make_random = make_random,
	.random_calls = 200,
	.most_packets = most_packets,
	.quick_calls = 84,
	.large = large,
	.large_calls = COUNT(large),
};
