// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of RESIZE_LINEAR, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Weights of one direction, mostly as they are meant. */
static void random_weights(uint32_t operand, bool in_float, uint32_t count)
{
	random_constant(operand, in_float ? NN_TYPE_FLOAT32 : NN_TYPE_INT32,
			in_float ? 2 * count : count);
	for (uint32_t i = 0; i < count && random_below(9); i++) {
		int32_t part = random_below(2049);

		if (in_float) {
			((float *)call.input[operand].data)[2 * i] = (2048 - part) / 2048.0f;
			((float *)call.input[operand].data)[2 * i + 1] = part / 2048.0f;
		} else {
			((int32_t *)call.input[operand].data)[i] = part;
		}
	}
}

static void random_positions(uint32_t operand, uint32_t count, uint32_t size)
{
	random_constant(operand, NN_TYPE_INT32, count);
	for (uint32_t i = 0; i < count && random_below(9); i++)
		((int32_t *)call.input[operand].data)[i] = random_below(size);
}

static void make_random(void)
{
	uint32_t n = random_below(3), h = random_range(1, 9), w = random_range(1, 9);
	uint32_t oh = random_range(1, 9), ow = random_range(1, 9), c = SIZE_TO(40, 1, 3, 17);
	uint8_t type = random_8bit();
	bool in_float = random_below(2);

	begin_call(NN_OPCODE_RESIZE_LINEAR);
	random_input(0, type, DIMS(n, h, w, c));
	random_positions(1, oh, h);
	random_positions(2, ow, w);
	random_weights(3, in_float, oh);
	random_weights(4, in_float, ow);
	random_output(in_float ? random_8bit() : type, DIMS(n, oh, ow, c));
	op.resize_linear.scale_input = random_scale_like(0.05f);
	op.resize_linear.scale_output = random_scale_like(op.resize_linear.scale_input);
}

/* Rows, size of the images and of the output, channels, type of the weights. */
static void make_large(const uint32_t *p)
{
	uint32_t count = p[2] * (p[4] == NN_TYPE_FLOAT32 ? 2 : 1);

	begin_call(NN_OPCODE_RESIZE_LINEAR);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1], p[1], p[3]));
	large_constant(1, NN_TYPE_INT32, p[2]);
	large_constant(2, NN_TYPE_INT32, p[2]);
	large_constant(3, p[4], count);
	large_constant(4, p[4], count);
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[2], p[2], p[3]));
	op.resize_linear = (struct nn_resize_linear_params){ 0.5f, 0.25f };
}

static const struct large_call large[] = {
	{ "resize_linear", make_large, { 1, 64, 128, 64, NN_TYPE_FLOAT32 } },
	{ "resize_linear of long pixels", make_large, { 1, 2, 2, 1 << 18, NN_TYPE_FLOAT32 } },
	{ "resize_linear of integers", make_large, { 4, 64, 128, 16, NN_TYPE_INT32 } },
};

const struct kernel_test nn_resize_linear_test = {
	.make_random = make_random,
	.random_calls = 200,
	.is_scalar = true,
	.large = large,
	.large_calls = COUNT(large),
};
