// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of ADD, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t size = random_below(3) ? random_size() : random_range(1500, 5000);
	uint32_t dims[NN_MAX_RANK], rank = random_dims(random_rows(), size, dims);

	begin_call(NN_OPCODE_ADD);
	random_input(0, random_8bit(), rank, dims);
	random_input(1, random_8bit(), rank, dims);
	random_output(random_8bit(), rank, dims);
	op.add.shift = random_below(4) ? random_range(15, 24) : random_range(1, 30);
	op.add.multiplier_a = (int32_t)random_below((1 << 22) + 1) - (1 << 21);
	op.add.multiplier_b = random_below(4) ? (int32_t)random_below((1 << 22) + 1) - (1 << 21) :
						(int32_t)PICK(1 << 21, -(1 << 21));
}

/*
 * With three vectors and more the assembly runs it if sums stay within 32 bits. What is left takes
 * 28 packets for a vector, and beside that are some hundred.
 */
static uint32_t most_packets(void)
{
	uint32_t vectors = call.output[0].bytes / 128;

	return vectors > 11 ? 500 + 11 * vectors : 0;
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ADD);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT8, DIMS(p[0], p[1]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	op.add = (struct nn_add_params){ 1 << 19, 1 << 19, 20 };
}

static const struct large_call large[] = {
	{ "add", make_large, { 2, 16 << 20 } },
	{ "add of many rows", make_large, { 16 << 20, 1 } },
};

const struct kernel_test nn_add_test = {
	.make_random = make_random,
	.in_place = 2,
	.random_calls = 150,
	.most_packets = most_packets,
	.quick_calls = 32,
	.large = large,
	.large_calls = COUNT(large),
};
