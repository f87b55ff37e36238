// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of CUMULATE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	const uint32_t dims[4] = { random_range(0, 2), random_range(1, 9),
				   SIZE_TO(150, 1, 20, 32, 64), SIZE_TO(140, 1, 2, 3, 16, 32) };
	uint32_t rank = random_range(2, 4);
	uint8_t type;

	begin_call(NN_OPCODE_CUMULATE);
	op.cumulate.axis = random_range(1, rank - 1);
	op.cumulate.form = random_below(NN_CUMULATE_FORMS);
	op.cumulate.exclusive = random_below(2);
	op.cumulate.backwards = random_below(2);
	op.cumulate.scale_input = random_scale_like(0.05f);
	op.cumulate.scale_output = random_scale_like(op.cumulate.scale_input * 4);
	type = op.cumulate.form == NN_CUMULATE_FLOAT ? random_8bit() :
						       PICK(NN_TYPE_INT8, NN_TYPE_UINT16,
							    NN_TYPE_INT32, NN_TYPE_INT64,
							    NN_TYPE_UINT32, NN_TYPE_BOOL);
	random_input(0, type, rank, dims);
	random_output(op.cumulate.form == NN_CUMULATE_FLOAT ? random_8bit() : type, rank, dims);
}

/* Dimensions behind the first, the axis, the form and the type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_CUMULATE);
	large_input(0, p[4], DIMS(2, p[0], p[1]));
	large_output(p[4], DIMS(2, p[0], p[1]));
	op.cumulate = (struct nn_cumulate_params){ p[2], p[3], 0, 1, 0.5f, 0.25f };
}

static const struct large_call large[] = {
	{ "cumulate", make_large, { 256, 1024, 2, NN_CUMULATE_FLOAT, NN_TYPE_UINT8 } },
	{ "cumulate distant elements", make_large, { 512, 16384, 1, NN_CUMULATE_INTEGERS, NN_TYPE_INT64 } },
	{ "cumulate short vectors", make_large, { 1 << 17, 2, 2, NN_CUMULATE_FLOAT, NN_TYPE_UINT8 } },
	{ "cumulate one vector", make_large, { 1 << 20, 1, 1, NN_CUMULATE_INTEGERS, NN_TYPE_INT32 } },
};

const struct kernel_test nn_cumulate_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
