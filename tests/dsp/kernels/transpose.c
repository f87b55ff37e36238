// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of TRANSPOSE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_any(uint32_t *in, uint32_t *permutation)
{
	in[1] = random_range(1, 40);
	in[2] = random_range(1, 40);
	in[3] = random_range(1, 8);
	for (uint32_t i = 3; i > 1; i--) {
		uint32_t j = random_range(1, i), t = permutation[i];

		permutation[i] = permutation[j];
		permutation[j] = t;
	}
}

/* Rows or columns of at least a vector each, as a rule, and of the others any number. */
static void make_image(uint32_t *in, uint32_t *permutation, uint32_t size)
{
	uint32_t pixels = random_range(random_below(4) ? 128 : 8, 300) / size;
	uint32_t channels = PICK(2, 3, 3, 4, 16, 64, 128);

	if (random_below(2) == 0)
		channels = random_range(1, 270 / size);
	/* Eight channels have an assembly loop of their own. */
	if (random_below(6) == 0) {
		channels = 8;
		pixels = PICK(1, 2, 3, 6, 70) * 128 / size;
	}
	in[1] = random_below(2) ? pixels : channels;
	in[2] = in[1] == pixels ? channels : pixels;
	in[3] = random_below(20) ? 1 : 3;
	permutation[1] = 2;
	permutation[2] = 1;
	if (random_below(3) == 0) {
		permutation[2] = 3;
		permutation[3] = 1;
	}
}

/* Images of bytes with channels that are a multiple of eight, to channels first or last. */
static void make_8bytes(uint32_t *in, uint32_t *permutation)
{
	/* Some with one pixel more than whole vectors of them. */
	uint32_t pixels = random_below(2) ? random_range(120, 300)
					  : 8 * random_range(15, 40) + random_below(3) / 2;
	uint32_t channels = 8 * SIZE_TO(40, 3, 3, 5, 6, 7, 10, 12, 15, 18, 25, 65);
	bool is_first = random_below(2);

	in[1] = is_first ? channels : pixels;
	in[2] = channels > 200 ? 1 : PICK(1, 1, 2, 3);
	in[3] = is_first ? pixels : channels;
	/* The second is with the third, or by itself. */
	permutation[1] = PICK(2, 3);
	permutation[2] = 5 - permutation[1];
	permutation[3] = 1;
}

/* Images of bytes with 33 to 63 pixels, such as 7x7, or a few less or more, to channels first. */
static void make_few(uint32_t *in, uint32_t *permutation)
{
	in[1] = random_below(3) ? random_range(30, 66) : 49;
	in[2] = 1;
	in[3] = random_below(3) ? random_range(100, 420) : 128 * random_range(1, 3) + 1;
	permutation[1] = 3;
	permutation[2] = 1;
	permutation[3] = 2;
}

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_INT8, NN_TYPE_INT16, NN_TYPE_INT32, NN_TYPE_INT64);
	uint32_t in[4] = { PICK(0, 1, 1, 2) }, out[4];

	begin_call(NN_OPCODE_TRANSPOSE);
	for (uint32_t i = 1; i < 4; i++)
		op.transpose.permutation[i] = i;
	if (random_below(4) == 0) {
		type = NN_TYPE_INT8;
		make_8bytes(in, op.transpose.permutation);
	} else if (random_below(6) == 0) {
		type = NN_TYPE_INT8;
		make_few(in, op.transpose.permutation);
	} else if (random_below(4)) {
		make_image(in, op.transpose.permutation, nn_type_size(type));
	} else {
		make_any(in, op.transpose.permutation);
	}
	for (uint32_t i = 0; i < 4; i++)
		out[i] = in[op.transpose.permutation[i]];
	random_input(0, type, 4, in);
	random_output(type, 4, out);
}

/* A vector takes 7 to 19 packets, and twice that where a tile ends and another has begun. */
static uint32_t most_packets(void)
{
	uint32_t vectors = call.output[0].bytes / 128;

	return vectors > 20 ? 500 + 30 * vectors : 0;
}

/* Two dimensions of the input that change places, and its type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_TRANSPOSE);
	op.transpose = (struct nn_transpose_params){ { 0, 2, 1 } };
	large_input(0, p[2], DIMS(1, p[0], p[1]));
	large_output(p[2], DIMS(1, p[1], p[0]));
}

static const struct large_call large[] = {
	{ "transpose", make_large, { 16, 1 << 20, NN_TYPE_UINT8 } },
	{ "transpose of long rows", make_large, { 8 << 20, 2, NN_TYPE_UINT8 } },
	{ "transpose of eight columns", make_large, { 2 << 20, 8, NN_TYPE_UINT8 } },
	{ "transpose of eight rows", make_large, { 8, 2 << 20, NN_TYPE_UINT8 } },
	{ "transpose of one row", make_large, { 1, 16 << 20, NN_TYPE_UINT8 } },
	{ "transpose of one column", make_large, { 4 << 20, 1, NN_TYPE_INT32 } },
};

const struct kernel_test nn_transpose_test = {
	.make_random = make_random,
	.random_calls = 400,
	.most_packets = most_packets,
	.quick_calls = 70,
	.large = large,
	.large_calls = COUNT(large),
};
