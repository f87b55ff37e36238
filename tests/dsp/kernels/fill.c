// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of FILL, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT16, NN_TYPE_INT32);

	begin_call(NN_OPCODE_FILL);
	op.fill.value = random_bits() >> (32 - 8 * nn_type_size(type));
	random_output(type, DIMS(random_below(4), random_size()));
}

/* Elements, and their type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FILL);
	op.fill.value = 7;
	large_output(p[1], DIMS(1, p[0]));
}

static const struct large_call large[] = {
	{ "fill", make_large, { 64 << 20, NN_TYPE_INT8 } },
	{ "fill of 16 bits", make_large, { 32 << 20, NN_TYPE_INT16 } },
};

const struct kernel_test nn_fill_test = {
	.make_random = make_random,
	.random_calls = 100,
	.large = large,
	.large_calls = COUNT(large),
};
