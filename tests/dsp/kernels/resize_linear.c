// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of RESIZE_LINEAR, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/*
 * Weights of one direction: of `bits` bits, or of any where that is 0; once in a while a few are
 * anything at all, or not 1 together.
 */
static void random_weights(uint32_t operand, bool in_float, uint32_t count, uint32_t bits)
{
	uint32_t one = 1 << (bits ? bits : 24), is_any = random_below(16) == 0;
	float more = random_below(16) ? 1 : 0.75f;

	random_constant(operand, in_float ? NN_TYPE_FLOAT32 : NN_TYPE_INT32,
			in_float ? 2 * count : count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t part = random_below(5) ? random_below(one + 1) : random_below(2) * one;
		float *real = (float *)call.input[operand].data + 2 * i;

		if (is_any && random_below(4) == 0)
			continue;
		if (in_float) {
			real[0] = (float)(one - part) / one * more;
			real[1] = (float)part / one;
		} else {
			((int32_t *)call.input[operand].data)[i] = (uint64_t)part * 2048 / one;
		}
	}
}

/*
 * Elements are two numbers, and weights of float32 such that what is between them is an integer and
 * a half, or next to that: `direction` is 0 for rows, which are then of one bit in the other one.
 */
static void make_halves(uint32_t direction)
{
	uint32_t difference = random_range(1, 255), low = random_below(256 - difference);
	struct nn_tensor *weights = &call.input[3 + direction];
	struct nn_tensor *images = &call.input[0];

	for (uint64_t i = 0; i < images->bytes; i++)
		images->data[i] = random_below(2) ? low : low + difference;
	for (uint32_t i = 0; i < weights->dims[0]; i += 2) {
		uint32_t part = 2 * random_below(difference) + 1;
		float far = (float)part / (float)(2 * difference);

		for (uint32_t more = random_below(3); more; more--)
			far = float_of(bits_of(far) + (random_below(2) ? 1 : -1));
		((float *)weights->data)[i] = 1 - far;
		((float *)weights->data)[i + 1] = far;
	}
}

/* Positions of one direction: as they are where something is resized, or anywhere. */
static void random_positions(uint32_t operand, uint32_t count, uint32_t size)
{
	uint32_t is_meant = random_below(4), is_any = random_below(16) == 0;

	random_constant(operand, NN_TYPE_INT32, count);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_any || random_below(4))
			((int32_t *)call.input[operand].data)[i] =
				is_meant ? i * size / count : random_below(size);
	}
}

/* Elements that are often in the middle of two others, and of which some are all there can be. */
static void make_few_numbers(struct nn_tensor *tensor)
{
	uint32_t mask = PICK(0x7, 0x3, 0x83, 0x80);

	for (uint64_t i = 0; i < tensor->bytes; i++)
		tensor->data[i] = random_below(9) ? tensor->data[i] & mask : 0xff;
}

static void make_random(void)
{
	uint32_t c = SIZE_TO(340, 1, 3, 17, 21, 64, 65, 128, 129, 256, 320);
	uint32_t most = c < 30 ? 40 : 12, n = random_below(3);
	uint32_t h = random_range(1, 9), w = SIZE_TO(most, 1, 2, 8);
	uint32_t oh = random_range(1, 9), ow = SIZE_TO(most, 1, 8, 16);
	uint32_t row_bits = PICK(0, 1, 2, 4), column_bits = PICK(0, 1, 2, 4, 6);
	bool in_float = random_below(2), is_wide = !in_float && !random_below(4);
	uint8_t type = is_wide ? NN_TYPE_INT16 : random_8bit();

	if (n * oh * ow * c > RANDOM_WORK)
		n = 1;
	begin_call(NN_OPCODE_RESIZE_LINEAR);
	random_input(0, type, DIMS(n, h, w, c));
	if (random_below(3) == 0)
		make_few_numbers(&call.input[0]);
	random_positions(1, oh, h);
	random_positions(2, ow, w);
	random_weights(3, in_float, oh, row_bits);
	random_weights(4, in_float, ow, column_bits);
	if (in_float && random_below(4) == 0)
		make_halves(random_below(2));
	random_output(in_float ? random_8bit() : type, DIMS(n, oh, ow, c));
	op.resize_linear.scale_input = random_scale_like(0.05f);
	op.resize_linear.scale_output = random_scale_like(op.resize_linear.scale_input);
	/* Few are results of 8 bits else. */
	if (random_below(2))
		op.resize_linear.scale_output = op.resize_linear.scale_input;
}

/* Rows, size of the images and of the output, channels, type of the weights. */
static void make_large(const uint32_t *p)
{
	static float real[2 * 512] __attribute__((aligned(128)));
	uint32_t count = p[2] * (p[4] == NN_TYPE_FLOAT32 ? 2 : 1);

	begin_call(NN_OPCODE_RESIZE_LINEAR);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1], p[1], p[3]));
	large_constant(1, NN_TYPE_INT32, p[2]);
	large_constant(2, NN_TYPE_INT32, p[2]);
	large_constant(3, p[4], count);
	large_constant(4, p[4], count);
	for (uint32_t i = 0; i < p[2]; i++) {
		const uint32_t part = i * 1000 % 2049;

		if (p[4] == NN_TYPE_FLOAT32) {
			real[2 * i] = (float)(2048 - part) / 2048;
			real[2 * i + 1] = (float)part / 2048;
		} else {
			((int32_t *)real)[i] = part;
		}
	}
	call.input[3].data = call.input[4].data = (uint8_t *)real;
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[2], p[2], p[3]));
	op.resize_linear = (struct nn_resize_linear_params){ 0.5f, 0.25f };
}

static const struct large_call large[] = {
	{ "resize_linear", make_large, { 4, 64, 512, 64, NN_TYPE_FLOAT32 } },
	{ "resize_linear of long pixels", make_large, { 1, 2, 4, 1 << 20, NN_TYPE_FLOAT32 } },
	{ "resize_linear of integers", make_large, { 4, 64, 512, 64, NN_TYPE_INT32 } },
};

const struct kernel_test nn_resize_linear_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
