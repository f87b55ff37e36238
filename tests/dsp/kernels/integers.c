// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of INTEGERS, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

#define INTEGER_TYPES \
	NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_UINT16, NN_TYPE_INT32, NN_TYPE_INT64, \
		NN_TYPE_BOOL, NN_TYPE_UINT32, NN_TYPE_UINT64

static struct nn_fixed random_fixed(void)
{
	return (struct nn_fixed){ (int32_t)((1u << 30) + random_below(1u << 30)),
				  15 - (int32_t)random_below(40) };
}

/* Each dimension of an input is the output's, or 1. */
static void random_operand(uint32_t i, uint8_t type, const uint32_t *dims, uint32_t rank)
{
	uint32_t own[4];

	for (uint32_t d = 0; d < rank; d++)
		own[d] = random_below(3) ? dims[d] : 1;
	random_input(i, type, rank, own);
}

/*
 * Some elements of the second input are those of the first, or none but the sign and the lowest
 * bits are set: equal ones, quotients of all sizes, divisors of 0 and -1.
 */
static void make_alike(void)
{
	struct nn_tensor *a = &call.input[0], *b = &call.input[1];
	uint32_t size = nn_type_size(b->type);

	for (uint64_t i = 0; i < b->bytes; i += size) {
		uint32_t kind = random_below(8);

		if (kind == 0 && i + size <= a->bytes)
			memcpy(b->data + i, a->data + i, size);
		if (kind < 1 || kind > 3)
			continue;
		memset(b->data + i, random_below(2) ? 0xff : 0, size);
		b->data[i] ^= random_below(2) ? random_below(4) : 0;
	}
	/* The number that has no positive one. */
	for (uint64_t i = 0; i < a->bytes; i += size) {
		if (random_below(16))
			continue;
		memset(a->data + i, 0, size);
		a->data[i + size - 1] = 0x80;
	}
}

static void make_random(void)
{
	const uint32_t dims[4] = { random_rows(), random_range(1, 5), SIZE_TO(12, 1, 4),
				   SIZE_TO(160, 1, 2, 3, 8, 31, 64, 128) };
	uint32_t rank = PICK(1, 2, 3, 4, 4), function = random_below(NN_INTEGERS_FUNCTIONS);
	uint8_t type = PICK(INTEGER_TYPES);

	begin_call(NN_OPCODE_INTEGERS);
	if (function >= NN_INTEGERS_EQUAL_FLOAT)
		type = random_8bit();
	random_operand(0, type, dims, rank);
	if (function >= NN_INTEGERS_EQUAL_FLOAT)
		type = random_8bit();
	random_operand(1, type, dims, rank);
	if (type == call.input[0].type && random_below(2))
		call.input[1].zero_point = call.input[0].zero_point;
	make_alike();
	random_output(function >= NN_INTEGERS_EQUAL ? NN_TYPE_BOOL : type, rank, dims);
	do {
		op.integers.function = function;
		op.integers.scale_a = (float)random_range(1, 99) / 64;
		op.integers.scale_b = random_scale_like(op.integers.scale_a);
		op.integers.by[0] = random_fixed();
		if (random_below(16) == 0)
			op.integers.by[0].multiplier = -op.integers.by[0].multiplier;
		op.integers.by[1] = random_below(2) ? op.integers.by[0] : random_fixed();
	} while (nn_kernels[NN_OPCODE_INTEGERS].check(&call));
}

/* Rows and elements of one; those of the second operand; the type and the function. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_INTEGERS);
	large_input(0, p[4], DIMS(p[0], p[1]));
	large_input(1, p[4], DIMS(p[2], p[3]));
	large_output(p[5] < NN_INTEGERS_EQUAL ? p[4] : NN_TYPE_BOOL, DIMS(p[0], p[1]));
	op.integers.function = p[5];
}

static const struct large_call large[] = {
	{ "integers, divided", make_large,
	  { 2, 1 << 17, 2, 1 << 17, NN_TYPE_INT64, NN_INTEGERS_FLOOR_MOD } },
	{ "integers, one row for all", make_large,
	  { 1 << 20, 2, 1, 2, NN_TYPE_INT32, NN_INTEGERS_ADD } },
	{ "integers, compared", make_large,
	  { 2, 1 << 19, 1, 1, NN_TYPE_INT64, NN_INTEGERS_LESS } },
};

const struct kernel_test nn_integers_test = {
	.make_random = make_random,
	.random_calls = 600,
	.large = large,
	.large_calls = COUNT(large),
};
