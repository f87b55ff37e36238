// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of TOP, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT32,
			    NN_TYPE_INT64, NN_TYPE_FLOAT32, NN_TYPE_UINT32, NN_TYPE_UINT64);
	bool is_8bit = nn_type_size(type) == 1, is_any = random_below(4) == 0;
	uint32_t n = random_below(3), rows = random_range(1, 4), length = random_range(1, random_below(8) ? 20 : 200);
	uint32_t count;

	if (is_8bit)
		length = SIZE_TO(700, 24, 100, 127, 128, 129, 256);
	if (length > 100)
		n = rows = 1;
	count = random_range(1, length);
	if (is_8bit && length > 100 && random_below(3))
		count = random_range(1, 60);
	begin_call(NN_OPCODE_TOP);
	op.top.least = random_below(2);
	random_input(0, type, DIMS(n, rows, length));
	/* Mostly few different ones. */
	for (uint64_t i = 0; i < call.input[0].bytes; i++)
		call.input[0].data[i] &= is_8bit ? is_any ? 0xff : 0x83 : 0x80;
	random_output(PICK(NN_TYPE_INT32, NN_TYPE_INT64), DIMS(n, rows, count));
}

/* Vectors, elements of one, and how many are wanted. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_TOP);
	large_input(0, NN_TYPE_INT8, DIMS(1, p[0], p[1]));
	large_output(NN_TYPE_INT64, DIMS(1, p[0], p[2]));
}

static const struct large_call large[] = {
	{ "top of one vector", make_large, { 1, 1 << 26, 1 } },
	{ "top of many of one vector", make_large, { 1, 1 << 22, 1 << 20 } },
	{ "top of short vectors", make_large, { 1 << 15, 4, 4 } },
};

const struct kernel_test nn_top_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
