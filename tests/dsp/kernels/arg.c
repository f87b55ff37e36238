// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of ARG, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t in[4] = { random_rows(), random_range(1, 9), random_range(1, 20),
			   random_range(1, 5) };
	uint32_t rank = random_range(2, 4), out[2] = { in[0], 1 }, mask = PICK(0xff, 0x83, 0x80);
	uint32_t long_one = random_range(1, 3);

	/* Rows that fill vectors, many short ones, and more lines than a byte can count. */
	if (random_below(3))
		in[long_one] = SIZE_TO(1100, 21, 127, 128, 129, 200, 256, 257, 300, 513, 1000);
	for (uint32_t i = 1; i < 4; i++) {
		if (i != long_one && in[long_one] > 200)
			in[i] = random_range(1, 3);
	}
	/* As many rows as a vector has bytes, of fewer or more elements than that. */
	if (random_below(10) == 0) {
		in[0] = out[0] = 1;
		in[1] = random_range(100, 200);
		in[2] = SIZE_TO(300, 21, 127, 128, 129, 150, 256);
		rank = 3;
	}
	begin_call(NN_OPCODE_ARG);
	op.arg.axis = random_range(in[1] < 100 ? 1 : rank - 1, rank - 1);
	op.arg.form = random_below(NN_ARG_FORMS);
	op.arg.last = random_below(2);
	for (uint32_t i = 1; i < rank; i++)
		out[1] *= i == op.arg.axis ? 1 : in[i];
	random_input(0, random_below(8) ? random_8bit() : NN_TYPE_FLOAT32, rank, in);
	/* Few different ones. */
	for (uint64_t i = 0; i < call.input[0].bytes; i++)
		call.input[0].data[i] &= mask;
	random_output(NN_TYPE_INT32, 2, out);
}

/* The input's dimensions behind the first, and the axis. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ARG);
	large_input(0, NN_TYPE_UINT8, DIMS(2, p[0], p[1]));
	large_output(NN_TYPE_INT32, DIMS(2, p[2] == 1 ? p[1] : p[0]));
	op.arg = (struct nn_arg_params){ p[2], NN_ARG_MIN, 1 };
}

static const struct large_call large[] = {
	{ "arg", make_large, { 1 << 14, 1024, 2 } },
	{ "arg of distant elements", make_large, { 512, 16384, 1 } },
	{ "arg of short vectors", make_large, { 1 << 17, 2, 2 } },
	{ "arg of one vector", make_large, { 1 << 24, 1, 1 } },
};

const struct kernel_test nn_arg_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
