// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of TABLE_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static uint8_t random_16_bits(void)
{
	return random_below(2) ? NN_TYPE_INT16 : NN_TYPE_UINT16;
}

static void make_random(void)
{
	uint32_t n = random_rows(), size = random_size();
	bool is_wide = !random_below(3);

	begin_call(NN_OPCODE_TABLE_INT16);
	random_input(0, is_wide ? random_16_bits() : random_8bit(), DIMS(n, size));
	random_constant(1, NN_TYPE_INT16, is_wide ? 65536 : 256);
	if (random_below(2))
		random_output(is_wide ? random_16_bits() : NN_TYPE_INT16, DIMS(n, size));
	else
		random_output(random_8bit(), DIMS(n, size));
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_TABLE_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(p[0], p[1]));
	large_constant(1, NN_TYPE_INT16, 65536);
	large_output(NN_TYPE_INT16, DIMS(p[0], p[1]));
}

static const struct large_call large[] = {
	{ "table_int16", make_large, { 2, 8 << 20 } },
	{ "table_int16 of many rows", make_large, { 8 << 20, 1 } },
};

const struct kernel_test nn_table_int16_test = {
	.make_random = make_random,
	.in_place = 1,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
