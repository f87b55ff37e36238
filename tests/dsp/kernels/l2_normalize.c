// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of L2_NORMALIZE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t length = random_size(), n, width;
	uint8_t type = random_8bit();

	random_vectors(length, &n, &width);
	begin_call(NN_OPCODE_L2_NORMALIZE);
	random_input(0, type, DIMS(n, width, length));
	random_output(type, DIMS(n, width, length));
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_L2_NORMALIZE);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
}

static const struct large_call large[] = {
	{ "l2_normalize", make_large, { 1 << 14, 64 } },
	{ "l2_normalize of long vectors", make_large, { 100, 33025 } },
	{ "l2_normalize of short vectors", make_large, { 1 << 18, 1 } },
};

const struct kernel_test nn_l2_normalize_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
