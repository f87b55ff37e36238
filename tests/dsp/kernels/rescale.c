// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of RESCALE, see kernel-test.h.
 */
#include "dsp/program/fixed.h"

#include "../large-call.h"
#include "../random-call.h"

static struct nn_fixed random_scale(void)
{
	int32_t multiplier = (int32_t)(1u << 30 | random_below(1u << 30));

	return (struct nn_fixed){
		.multiplier = random_below(4) ? multiplier : -multiplier,
		.exponent = (int32_t)random_below(random_below(4) ? 20 : 46) - 31,
	};
}

static uint8_t random_type(void)
{
	return random_below(2) ? NN_TYPE_INT16 : random_8bit();
}

static void make_random(void)
{
	uint32_t n = random_rows(), size = random_range(1, 300), width = random_range(1, 5);
	bool is_sum = !random_below(3);

	begin_call(NN_OPCODE_RESCALE);
	random_input(0, is_sum ? NN_TYPE_INT32 : random_type(), DIMS(n, width, size));
	random_output(random_type(), DIMS(n, width, size));
	if (!is_sum) {
		op.rescale = (struct nn_rescale_params){ random_scale(), random_scale() };
		if (random_below(2))
			op.rescale.by_below = op.rescale.by;
		return;
	}
	/* Some of them any bits at all. */
	random_constant(1, NN_TYPE_INT32, 2 * size);
	for (uint32_t c = 0; c < size && random_below(8); c++) {
		struct nn_fixed *scale = (struct nn_fixed *)call.input[1].data + c;

		*scale = random_scale();
		if (random_below(2))
			scale->exponent += NN_TIES_UP;
	}
}

/* Rows, elements of one, and the type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_RESCALE);
	large_input(0, p[2], DIMS(p[0], p[1], 1));
	if (p[2] == NN_TYPE_INT32)
		large_constant(1, NN_TYPE_INT32, 2);
	large_output(NN_TYPE_INT8, DIMS(p[0], p[1], 1));
	op.out_max = 127;
}

static const struct large_call large[] = {
	{ "rescale", make_large, { 2, 4 << 20, NN_TYPE_INT16 } },
	{ "rescale of sums", make_large, { 2, 4 << 20, NN_TYPE_INT32 } },
	{ "rescale of many rows", make_large, { 4 << 20, 1, NN_TYPE_INT16 } },
};

const struct kernel_test nn_rescale_test = {
	.make_random = make_random,
	.in_place = 1,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
