// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of PROPOSAL, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static struct nn_proposal_params random_params(void)
{
	return (struct nn_proposal_params){
		.stride_y = random_range(1, 16),
		.stride_x = random_range(1, 16),
		.image_h = random_range(1, 300),
		.image_w = random_range(1, 300),
		.delta_zero = random_below(256),
		.delta_shift = random_range(1, 8),
		.score_min = random_below(256),
		.min_size = random_range(1, 200),
		.before = random_range(1, 300),
		.after = random_range(1, 40),
		.iou = random_below(257),
	};
}

/* Anchors mostly of sizes that are right, and any numbers else: they are the client's. */
static void make_anchors(uint32_t anchors)
{
	int32_t *size = (int32_t *)call.input[2].data;

	for (uint32_t i = 0; i < 2 * anchors; i++) {
		if (random_below(50))
			size[i] = random_range(1, 4096);
	}
}

static void make_random(void)
{
	uint32_t pages = random_below(3), h = random_range(1, 9), w = random_range(1, 9);
	uint32_t anchors = random_range(1, 5), most = random_below(8) ? pages * 40 : random_below(5);

	begin_call(NN_OPCODE_PROPOSAL);
	op.proposal = random_params();
	random_input(0, NN_TYPE_UINT8, DIMS(pages, h, w, anchors));
	random_input(1, NN_TYPE_UINT8, DIMS(pages, h, w, 4 * anchors));
	random_constant(2, NN_TYPE_INT32, 2 * anchors);
	make_anchors(anchors);
	/* Many of one score, and all of it. */
	for (uint32_t i = random_below(2) ? call.input[0].bytes : 0; i-- > 0;)
		call.input[0].data[i] = random_below(4) ? 200 : call.input[0].data[i];
	random_output(NN_TYPE_INT32, DIMS(1));
	random_more_output(1, NN_TYPE_INT32, DIMS(most, 4));
	random_more_output(2, NN_TYPE_UINT8, DIMS(most));
	random_more_output(3, NN_TYPE_INT32, DIMS(most));
}

/*
 * Pages of so many rows, columns and anchors, and the least score: if that is 0 all boxes count, each of
 * which is too small.
 */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_PROPOSAL);
	op.proposal = (struct nn_proposal_params){ 8, 8, 4096, 4096, 0, 1, p[4], 16, 1u << 20, 64, 128 };
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1], p[2], p[3]));
	large_input(1, NN_TYPE_UINT8, DIMS(p[0], p[1], p[2], 4 * p[3]));
	large_constant(2, NN_TYPE_INT32, 2 * p[3]);
	large_output(NN_TYPE_INT32, DIMS(1));
	large_more_output(1, NN_TYPE_INT32, DIMS(64, 4));
	large_more_output(2, NN_TYPE_UINT8, DIMS(64));
	large_more_output(3, NN_TYPE_INT32, DIMS(64));
}

static const struct large_call large[] = {
	{ "proposal of small boxes", make_large, { 4, 1024, 1024, 2, 0 } },
	{ "proposal of a small page", make_large, { 100000, 4, 4, 2, 0 } },
	{ "proposal of no scores", make_large, { 16, 1024, 1024, 1, 255 } },
};

const struct kernel_test nn_proposal_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
