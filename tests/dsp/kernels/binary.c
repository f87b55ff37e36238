// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of BINARY, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static struct nn_fixed random_fixed(int most)
{
	return (struct nn_fixed){ (int32_t)((1u << 30) + random_below(1u << 30)),
				  most - (int32_t)random_below(random_below(4) ? 12 : 32) };
}

static void random_params(struct nn_binary_params *params)
{
	params->function = random_below(NN_BINARY_FUNCTIONS);
	params->scale_output = random_below(30) ? (float)random_range(1, 99) / PICK(64, 1024) :
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

/* A call that has every pair of two bytes. */
static void make_all_pairs(void)
{
	const uint32_t dims[2] = { 256, 256 };

	random_input(0, random_8bit(), 2, dims);
	random_input(1, random_8bit(), 2, dims);
	for (uint32_t i = 0; i < 1u << 16; i++) {
		call.input[0].data[i] = i >> 8;
		call.input[1].data[i] = i;
	}
	random_output(random_8bit(), 2, dims);
}

/* Enough of them that most of the time is spent where they are multiplied. */
static void make_many(void)
{
	const uint32_t dims[2] = { 2, random_range(4000, 5000) };

	random_input(0, random_8bit(), 2, dims);
	random_input(1, random_8bit(), 2, dims);
	random_output(random_8bit(), 2, dims);
}

/* Products of which few are ties, so that the assembly runs. */
static void make_products(struct nn_binary_params *params)
{
	params->function = PICK(NN_BINARY_MUL, NN_BINARY_MUL_ONCE, NN_BINARY_MUL_FUSED);
	params->scale_output = (float)random_range(1, 99) / 64;
	params->scale_a = (float)random_range(1 << 20, 1 << 23) / (1 << 23);
	params->scale_b = params->scale_output * (float)random_range(1 << 15, 1 << 23) / (1 << 23);
}

/* Products whose scales are powers of two, of which many are ties. */
static void make_exact_products(struct nn_binary_params *params)
{
	params->function = PICK(NN_BINARY_MUL, NN_BINARY_PRELU);
	params->scale_output = 1.0f / 16;
	params->scale_a = params->scale_output * (float)PICK(1, 2, 4) / 8;
	params->scale_b = 1.0f / (float)(1 << random_below(10));
}

/*
 * Products of which many would be ties if nothing was rounded, such as those by a hard sigmoid's
 * results: half an odd number of 255ths. Float32's roundings say what they become.
 */
static void make_near_ties(struct nn_binary_params *params)
{
	params->function = PICK(NN_BINARY_MUL, NN_BINARY_MUL, NN_BINARY_PRELU);
	params->scale_a = (float)random_range(1, 9) / (random_below(2) ? 255 : 127);
	params->scale_b = 1.0f / PICK(255, 15, 5);
	params->scale_output = params->scale_a * PICK(2, 6, 2.0f / 3);
}

/* One input, often, has all elements; the other may repeat some. */
static void make_shapes(void)
{
	const uint32_t dims[4] = { random_rows(), random_range(1, 5), random_range(1, 4),
				   SIZE_TO(700, 1, 2, 7, 31, 130, 700) };
	uint32_t rank = PICK(1, 2, 3, 4, 4), full = random_below(8);

	for (uint32_t i = 0; i < 2; i++) {
		if (full % 4 == i || full > 5)
			random_input(i, random_8bit(), rank, dims);
		else
			random_operand(i, dims, rank);
	}
	random_output(random_8bit(), rank, dims);
}

/*
 * Any dimensions are broadcast, of either input or both, and there may be as many elements as are
 * laid out at a time.
 */
static void make_broadcast(void)
{
	const uint32_t dims[4] = { random_range(1, 3), SIZE_TO(24, 1, 2, 3),
				   SIZE_TO(40, 1, 2, 7, 32), SIZE_TO(200, 1, 2, 3, 24, 64, 128) };

	uint32_t one = random_below(16);	/* a single element, for all of the other input */

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t own[4];

		for (uint32_t d = 0; d < 4; d++)
			own[d] = one < 2 ? (i == one ? 1 : dims[d]) :
				 random_below(2) ? dims[d] : 1;
		random_input(i, random_8bit(), 4, own);
	}
	random_output(random_8bit(), 4, dims);
}

static void make_random(void)
{
	bool is_many = random_below(4) == 0;

	begin_call(NN_OPCODE_BINARY);
	if (is_many)
		make_many();
	else if (random_below(3) == 0)
		make_broadcast();
	else if (random_below(20))
		make_shapes();
	else
		make_all_pairs();
	do {
		random_params(&op.binary);
		if (is_many && random_below(2))
			make_products(&op.binary);
		else if (random_below(12) == 0)
			make_exact_products(&op.binary);
		else if (random_below(8) == 0)
			make_near_ties(&op.binary);
	} while (nn_kernels[NN_OPCODE_BINARY].check(&call));
}

/* Products of many elements, if few of them are ties: compiled, 128 take 62. */
static uint32_t most_packets(void)
{
	uint32_t function = op.binary.function, bytes = call.output[0].bytes;
	bool is_product = function == NN_BINARY_MUL || function == NN_BINARY_MUL_ONCE ||
			  function == NN_BINARY_MUL_FUSED;

	return is_product && bytes >= 2048 ? 1500 + bytes / 128 * 30 : 0;
}

/* Rows and elements of one; those of the second operand; and the function. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_BINARY);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT8, DIMS(p[2], p[3]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	op.binary.function = p[4];
	op.binary.scale_a = op.binary.scale_b = op.binary.scale_output = 0.3f;
}

static const struct large_call large[] = {
	{ "binary", make_large, { 2, 4 << 20, 2, 4 << 20, NN_BINARY_DIV } },
	{ "binary, one row for all", make_large, { 1 << 18, 2, 1, 2, NN_BINARY_DIV } },
	{ "binary, one element for all", make_large, { 2, 4 << 20, 1, 1, NN_BINARY_DIV } },
	{ "binary, the greater", make_large, { 2, 4 << 20, 2, 4 << 20, NN_BINARY_MAX } },
	{ "binary, slopes of a row", make_large, { 1 << 18, 3, 1 << 18, 1, NN_BINARY_PRELU } },
	{ "binary, products", make_large, { 2, 4 << 20, 2, 4 << 20, NN_BINARY_MUL } },
	{ "binary, products with one row for all", make_large,
	  { 2 << 20, 2, 1, 2, NN_BINARY_MUL } },
	{ "binary, products with one of a row", make_large,
	  { 1 << 18, 2, 1 << 18, 1, NN_BINARY_MUL } },
};

const struct kernel_test nn_binary_test = {
	.make_random = make_random,
	.random_calls = 600,
	.most_packets = most_packets,
	.quick_calls = 8,
	.large = large,
	.large_calls = COUNT(large),
};
