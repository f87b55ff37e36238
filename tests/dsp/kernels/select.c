// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of SELECT, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	const uint32_t dims[4] = { random_rows(), random_range(1, 5), SIZE_TO(12, 1, 4),
				   SIZE_TO(160, 1, 2, 3, 8, 31, 64, 128) };
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT16, NN_TYPE_INT32, NN_TYPE_INT64);
	uint32_t rank = PICK(1, 2, 3, 4, 4), own[4];

	begin_call(NN_OPCODE_SELECT);
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t d = 0; d < rank; d++)
			own[d] = random_below(3) ? dims[d] : 1;
		random_input(i, i ? type : NN_TYPE_BOOL, rank, own);
	}
	for (uint64_t i = 0; i < call.input[0].bytes; i++)
		call.input[0].data[i] &= random_below(2) ? 0 : 0xff;
	random_output(type, rank, dims);
}

/* Rows and elements of one; those of the condition; the type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_SELECT);
	large_input(0, NN_TYPE_BOOL, DIMS(p[2], p[3]));
	large_input(1, p[4], DIMS(p[0], p[1]));
	large_input(2, p[4], DIMS(1, 1));
	large_output(p[4], DIMS(p[0], p[1]));
}

static const struct large_call large[] = {
	{ "select", make_large, { 2, 1 << 20, 2, 1 << 20, NN_TYPE_INT8 } },
	{ "select, one row for all", make_large, { 1 << 18, 2, 1, 2, NN_TYPE_INT64 } },
};

const struct kernel_test nn_select_test = {
	.make_random = make_random,
	.random_calls = 400,
	.large = large,
	.large_calls = COUNT(large),
};
