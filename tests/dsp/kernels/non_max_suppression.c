// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of NON_MAX_SUPPRESSION, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static float random_part(uint32_t parts)
{
	return (float)random_below(parts + 1) / (float)parts;
}

static struct nn_non_max_suppression_params random_params(void)
{
	bool is_ordered = random_below(3) == 0;

	return (struct nn_non_max_suppression_params){
		.form = (is_ordered ? NN_SUPPRESSION_ORDERED : 0) | (random_below(3) ? 0 : NN_SUPPRESSION_CENTERS),
		.iou_max = random_part(16),
		.score_min = random_below(4) ? random_part(8) : -1,
		.exponent = !is_ordered && random_below(2) ? -0.5f - 100 * random_part(50) : 0,
		.scale_boxes = random_below(20) ? random_part(3) + 0.01f : 3e38f,
		.scale_scores = random_below(20) ? random_part(3) / 128 + 0.001f : 3e38f,
	};
}

/* Few values, so that boxes are alike and scores equal. */
static void make_reals(struct nn_tensor *tensor)
{
	float *real = (float *)tensor->data;

	for (uint32_t i = 0; tensor->type == NN_TYPE_FLOAT32 && i < tensor->bytes / sizeof(*real); i++)
		real[i] = random_below(40) / 16.0f;
}

static void make_random(void)
{
	uint32_t items = random_below(5), boxes = random_range(1, 90), most = random_range(1, 60);

	begin_call(NN_OPCODE_NON_MAX_SUPPRESSION);
	op.non_max_suppression = random_params();
	random_input(0, random_below(3) ? random_8bit() : NN_TYPE_FLOAT32, DIMS(random_below(3) ? items : items == 4 ? 2 : 1, boxes, 4));
	random_input(1, random_below(3) ? random_8bit() : NN_TYPE_FLOAT32, DIMS(items, boxes));
	for (uint32_t i = 0; i < 2; i++)
		make_reals(&call.input[i]);
	/* Many boxes that are alike, and some that are the same; scores that are equal. */
	for (uint32_t i = random_below(4) || call.input[0].type == NN_TYPE_FLOAT32 ? 0 : call.input[0].bytes; i-- > 0;)
		call.input[0].data[i] &= 0x1f;
	for (uint32_t i = random_below(2) || call.input[1].type == NN_TYPE_FLOAT32 ? 0 : call.input[1].bytes; i-- > 0;)
		call.input[1].data[i] &= 0x71;
	random_output(NN_TYPE_INT32, DIMS(items, most));
	random_more_output(1, NN_TYPE_FLOAT32, DIMS(items, most));
	random_more_output(2, NN_TYPE_INT32, DIMS(items));
	random_more_output(3, NN_TYPE_INT32, DIMS(3, boxes));
}

/*
 * Items, boxes and most results; whether scores are such that all boxes count, each of which is empty, or
 * none does; and whether it is soft, or in float with each box once.
 */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_NON_MAX_SUPPRESSION);
	op.non_max_suppression = (struct nn_non_max_suppression_params){ 0.5f, 0.5f, p[4] ? -1 : 0, 1, 1, 0 };
	/* In float, as ONNX has it: zeros, which score 0. */
	if (p[4] == 2) {
		op.non_max_suppression = (struct nn_non_max_suppression_params){ 0.5f, -1, 0, 0, 0, NN_SUPPRESSION_ORDERED };
		large_input(0, NN_TYPE_FLOAT32, DIMS(1, p[1], 4));
		large_input(1, NN_TYPE_FLOAT32, DIMS(p[0], p[1]));
	} else {
		large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1], 4));
		large_input(1, NN_TYPE_INT8, DIMS(p[0], p[1]));
	}
	call.input[1].zero_point = p[3] && p[4] < 2 ? -1 : 0;
	large_output(NN_TYPE_INT32, DIMS(p[0], p[2]));
	large_more_output(1, NN_TYPE_FLOAT32, DIMS(p[0], p[2]));
	large_more_output(2, NN_TYPE_INT32, DIMS(p[0]));
	large_more_output(3, NN_TYPE_INT32, DIMS(3, p[1]));
}

static const struct large_call large[] = {
	{ "non_max_suppression of empty boxes", make_large, { 1, 3000, 3000, 1, 0 } },
	{ "non_max_suppression of empty boxes, soft", make_large, { 1, 3000, 2000, 1, 1 } },
	{ "non_max_suppression of few results", make_large, { 4, 1 << 18, 1, 1, 0 } },
	{ "non_max_suppression of small items", make_large, { 100000, 4, 2, 1, 0 } },
	{ "non_max_suppression of float32, ordered", make_large, { 3, 2000, 2000, 1, 2 } },
	{ "non_max_suppression of no scores", make_large, { 64, 1 << 18, 8, 0, 0 } },
};

const struct kernel_test nn_non_max_suppression_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
