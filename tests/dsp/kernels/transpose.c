// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of TRANSPOSE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_INT32, NN_TYPE_INT64);
	uint32_t in[4] = { PICK(0, 1, 2), random_range(1, 40), random_range(1, 40),
			   random_range(1, 8) },
		 out[4];

	begin_call(NN_OPCODE_TRANSPOSE);
	for (uint32_t i = 1; i < 4; i++)
		op.transpose.permutation[i] = i;
	for (uint32_t i = 3; i > 1; i--) {
		uint32_t j = random_range(1, i), t = op.transpose.permutation[i];

		op.transpose.permutation[i] = op.transpose.permutation[j];
		op.transpose.permutation[j] = t;
	}
	for (uint32_t i = 0; i < 4; i++)
		out[i] = in[op.transpose.permutation[i]];
	random_input(0, type, 4, in);
	random_output(type, 4, out);
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
	{ "transpose of one row", make_large, { 1, 16 << 20, NN_TYPE_UINT8 } },
	{ "transpose of one column", make_large, { 4 << 20, 1, NN_TYPE_INT32 } },
};

const struct kernel_test nn_transpose_test = {
	.make_random = make_random,
	.random_calls = 100,
	.is_scalar = true,
	.large = large,
	.large_calls = COUNT(large),
};
