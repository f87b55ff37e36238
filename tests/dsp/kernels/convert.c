// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of CONVERT, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

#define INTEGER_TYPES \
	NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_UINT16, NN_TYPE_INT32, NN_TYPE_INT64, \
		NN_TYPE_BOOL, NN_TYPE_UINT32, NN_TYPE_UINT64

static void make_random(void)
{
	uint32_t n = PICK(0, 1, 2), size = random_size();

	begin_call(NN_OPCODE_CONVERT);
	random_input(0, PICK(INTEGER_TYPES), DIMS(n, size));
	random_output(PICK(INTEGER_TYPES), DIMS(n, size));
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_CONVERT);
	large_input(0, NN_TYPE_INT64, DIMS(p[0], p[1]));
	large_output(NN_TYPE_INT32, DIMS(p[0], p[1]));
}

static const struct large_call large[] = {
	{ "convert", make_large, { 2, 1 << 20 } },
};

const struct kernel_test nn_convert_test = {
	.make_random = make_random,
	.random_calls = 400,
	.large = large,
	.large_calls = COUNT(large),
};
