// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of REDUCE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static bool is_moderate(float scale)
{
	return scale >= 0x1p-20f && scale <= 0x1p20f;
}

static void make_random(void)
{
	uint32_t in[5] = { random_below(3), random_range(1, 9), random_range(1, 9),
			   random_range(1, 9), SIZE_TO(300, 1, 3, 17, 32, 64, 130, 300) };
	uint32_t rank = random_range(2, 5), left = 1, out[2];
	uint8_t type = random_8bit();
	bool is_whole;

	begin_call(NN_OPCODE_REDUCE);
	op.reduce.form = random_below(NN_REDUCE_FORMS);
	op.reduce.axes = 2u << random_below(rank - 1);
	/* Means of lines, a vector at a time. */
	if (random_below(8) == 0) {
		op.reduce.form = PICK(NN_REDUCE_MEAN_ONCE, NN_REDUCE_MEAN_AWAY,
				      NN_REDUCE_MEAN_LINEAR);
		op.reduce.axes = 2;
		in[rank - 1] = SIZE_TO(500, 130, 300);
	}
	/* Rows of so many elements that they go part by part. */
	if (random_below(30) == 0) {
		in[0] = 1;
		rank = 3;
		in[1] = random_range(1, 3);
		in[2] = random_range(16000, 40000);
		op.reduce.axes = 4;
	}
	for (uint32_t i = 1; i < rank; i++) {
		op.reduce.axes |= random_below(2) << i;
		if (!(op.reduce.axes >> i & 1))
			left *= in[i];
	}
	is_whole = op.reduce.form == NN_REDUCE_MAX || op.reduce.form == NN_REDUCE_MIN ||
		   op.reduce.form == NN_REDUCE_MEAN_WHOLE;
	op.reduce.scale_input = random_scale_like(0.05f);
	op.reduce.scale_output = random_scale_like(op.reduce.scale_input);
	/* Sums and means that are nearly halves: what floats lose on the way decides. */
	if (is_moderate(op.reduce.scale_input) && !random_below(3)) {
		static const float are_near_ties[] = { 2 / 3.0f, 2 / 5.0f, 2 / 7.0f, 2 / 9.0f };

		op.reduce.scale_output = op.reduce.scale_input * are_near_ties[random_below(4)];
		op.reduce.scale_output *= 1 + 0x1p-23f * (float)random_below(4);
		for (uint32_t i = 1; i < rank && op.reduce.form == NN_REDUCE_MEAN; i++)
			op.reduce.scale_output /= op.reduce.axes >> i & 1 ? in[i] : 1;
	}
	out[0] = in[0];
	out[1] = left;
	random_input(0, type, rank, in);
	random_output(is_whole ? type : random_8bit(), 2, out);
}

/* The most packets for dimensions that go one behind the other; some sums of floats take longer. */
static uint32_t most_packets(void)
{
	const struct nn_tensor *input = &call.input[0];
	uint32_t form = op.reduce.form, count = 1, inner = 1, results = call.output[0].bytes;

	if (form == NN_REDUCE_PROD || form == NN_REDUCE_SUM || form == NN_REDUCE_MEAN ||
	    !is_moderate(op.reduce.scale_input) || !is_moderate(op.reduce.scale_output))
		return 0;
	for (uint32_t i = 1; i < input->rank; i++) {
		if (op.reduce.axes >> i & 1 && inner > 1)
			return 0;
		if (op.reduce.axes >> i & 1)
			count *= input->dims[i];
		else if (count > 1)
			inner *= input->dims[i];
	}
	/* A vector of means at a time, unless they are ties. */
	if ((form == NN_REDUCE_MEAN_ONCE || form == NN_REDUCE_MEAN_AWAY ||
	     form == NN_REDUCE_MEAN_LINEAR) && inner > 100)
		return 700 + results * 8 +
		       results / inner * ((inner + 127) / 128 * (count * 16 + 150));
	if (count < 64)
		return 0;
	return 500 + results * 250 + results / inner * ((inner + 127) / 128 * count * 16 + 100);
}

/* The input's dimensions behind the first, which of them go, and the form. */
static void make_large(const uint32_t *p)
{
	uint32_t left = 1;

	begin_call(NN_OPCODE_REDUCE);
	for (uint32_t i = 0; i < 3; i++)
		left *= p[3] >> (i + 1) & 1 ? 1 : p[i];
	large_input(0, NN_TYPE_UINT8, DIMS(1, p[0], p[1], p[2]));
	large_output(NN_TYPE_UINT8, DIMS(1, left));
	op.reduce = (struct nn_reduce_params){ p[3], p[4], 0.5f, 0.25f };
}

static const struct large_call large[] = {
	{ "reduce", make_large, { 16, 1024, 512, 6, NN_REDUCE_MEAN } },
	{ "reduce of distant elements", make_large, { 512, 1, 16384, 2, NN_REDUCE_MEAN_ONCE } },
	{ "reduce of short vectors", make_large, { 64, 1024, 2, 8, NN_REDUCE_PROD } },
	{ "reduce to lengths", make_large, { 64, 1024, 2, 8, NN_REDUCE_LENGTH } },
	{ "reduce to one", make_large, { 8, 1024, 1024, 14, NN_REDUCE_MEAN } },
};

const struct kernel_test nn_reduce_test = {
	.make_random = make_random,
	.random_calls = 300,
	.most_packets = most_packets,
	.quick_calls = 27,
	.large = large,
	.large_calls = COUNT(large),
};
