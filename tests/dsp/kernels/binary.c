// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of BINARY, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static struct nn_fixed random_fixed(int most)
{
	return (struct nn_fixed){ (int32_t)((1u << 30) + random_below(1u << 30)),
				  most - (int32_t)random_below(12) };
}

static void random_params(struct nn_binary_params *params)
{
	params->function = random_below(NN_BINARY_FUNCTIONS);
	params->scale_output = random_below(30) ? (float)random_range(1, 99) / 64 :
						  random_any_scale();
	params->scale_a = random_scale_like(params->scale_output);
	params->scale_b = random_scale_like(params->scale_output);
	for (uint32_t i = 0; i < 3; i++)
		params->by[i] = random_fixed(i < 2 ? 0 : 1);
	params->add = (struct nn_add_params){ random_range(-(1 << 21), 1 << 21),
					      random_range(-(1 << 21), 1 << 21),
					      (uint32_t)random_range(13, 30) };
}

/* Each dimension of an input is the output's, or 1. */
static void random_operand(uint32_t i, const uint32_t *dims, uint32_t rank)
{
	uint32_t own[4];

	for (uint32_t d = 0; d < rank; d++)
		own[d] = random_below(3) ? dims[d] : 1;
	random_input(i, random_8bit(), rank, own);
}

static void make_random(void)
{
	const uint32_t dims[4] = { PICK(0, 1, 2, 3), PICK(1, 2, 5), PICK(1, 3, 4),
				   PICK(1, 2, 7, 31) };
	uint32_t rank = PICK(1, 2, 3, 4, 4);

	begin_call(NN_OPCODE_BINARY);
	random_operand(0, dims, rank);
	random_operand(1, dims, rank);
	random_output(random_8bit(), rank, dims);
	do {
		random_params(&op.binary);
	} while (nn_kernels[NN_OPCODE_BINARY].check(&call));
}

/* Rows and elements of one; those of the second operand. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_BINARY);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT8, DIMS(p[2], p[3]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	op.binary.function = NN_BINARY_DIV;
	op.binary.scale_a = op.binary.scale_b = op.binary.scale_output = 0.3f;
}

static const struct large_call large[] = {
	{ "binary", make_large, { 2, 1 << 18, 2, 1 << 18 } },
	{ "binary, one row for all", make_large, { 1 << 18, 2, 1, 2 } },
	{ "binary, one element for all", make_large, { 2, 1 << 18, 1, 1 } },
};

const struct kernel_test nn_binary_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 1000,
	.large = large,
	.large_calls = COUNT(large),
};
