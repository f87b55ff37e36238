// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of ROW_NUMBERS, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	begin_call(NN_OPCODE_ROW_NUMBERS);
	random_input(0, random_8bit(), DIMS(random_below(8), 3));
	random_output(NN_TYPE_INT32, DIMS(random_below(2000)));
	call.output[0].level = 1;
	call.first = random_below(4) ? random_below(10) : random_bits();
}

/* Rows of the input and of the output. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ROW_NUMBERS);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], 1));
	large_output(NN_TYPE_INT32, DIMS(p[1]));
	call.output[0].level = 1;
}

static const struct large_call large[] = {
	{ "row_numbers", make_large, { 1 << 20, 16 << 20 } },
	{ "row_numbers of one row", make_large, { 1, 16 << 20 } },
	{ "row_numbers of nothing", make_large, { 0, 16 << 20 } },
};

const struct kernel_test nn_row_numbers_test = {
	.make_random = make_random,
	.random_calls = 100,
	.large = large,
	.large_calls = COUNT(large),
};
