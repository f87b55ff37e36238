// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of ROTATE_ROWS, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t size = random_size(), rows = random_range(1, 7);

	begin_call(NN_OPCODE_ROTATE_ROWS);
	random_input(0, NN_TYPE_UINT8, DIMS(rows, size));
	random_output(NN_TYPE_UINT8, DIMS(random_below(20), size));
	call.output[0].level = 1;
	call.first = random_below(4) ? random_below(10) : random_bits();
}

/* Rows of the input, rows of the output, and bytes of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ROTATE_ROWS);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[2]));
	large_output(NN_TYPE_UINT8, DIMS(p[1], p[2]));
	call.output[0].level = 1;
}

static const struct large_call large[] = {
	{ "rotate_rows", make_large, { 7, 32, 1 << 20 } },
	{ "rotate_rows of one row", make_large, { 1, 32 << 20, 1 } },
	{ "rotate_rows of nothing", make_large, { 0, 96, 1 << 20 } },
};

const struct kernel_test nn_rotate_rows_test = {
	.make_random = make_random,
	.random_calls = 100,
	.large = large,
	.large_calls = COUNT(large),
};
