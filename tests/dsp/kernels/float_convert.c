// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_CONVERT, see kernel-test.h.
 */
#include "floats.h"

static void make_random(void)
{
	uint32_t rows = random_below(3), elements = random_range(1, 200), dims[NN_MAX_RANK];
	uint32_t rank = random_dims(rows, elements, dims);
	uint32_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_INT32, NN_TYPE_INT64,
			     NN_TYPE_BOOL);

	begin_call(NN_OPCODE_FLOAT_CONVERT);
	op.float_convert.form = random_below(NN_FLOAT_CONVERSIONS);
	op.float_convert.scale = op.float_convert.form == NN_FLOAT_CUT ?
					 1 : (float)random_range(1, 500) / 256;
	if (op.float_convert.form == NN_FLOAT_QUANTIZE)
		type = PICK(NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16);
	if (op.float_convert.form == NN_FLOAT_FROM) {
		random_input(0, type, rank, dims);
		random_float_output(rank, dims);
		return;
	}
	random_floats(0, rank, dims);
	random_output(type, rank, dims);
	if (op.float_convert.form == NN_FLOAT_CUT)
		call.output[0].zero_point = 0;
}

static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FLOAT_CONVERT);
	large_input(0, p[0], DIMS(4, 1 << 18));
	large_output(p[1], DIMS(4, 1 << 18));
	op.float_convert = (struct nn_float_convert_params){ p[2], 1 };
}

static const struct large_call large[] = {
	{ "float_convert", make_large, { NN_TYPE_INT64, NN_TYPE_FLOAT32, NN_FLOAT_FROM } },
	{ "float_convert that quantizes", make_large, { NN_TYPE_FLOAT32, NN_TYPE_INT8, NN_FLOAT_QUANTIZE } },
	{ "float_convert that cuts", make_large, { NN_TYPE_FLOAT32, NN_TYPE_INT64, NN_FLOAT_CUT } },
};

const struct kernel_test nn_float_convert_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
