// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of MOVE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* A stride, and how far its indices reach in front of the first and behind it. */
static int32_t random_stride(uint32_t count, uint32_t *before, uint32_t *behind)
{
	int32_t stride = (int32_t)random_below(12) - 4;

	if (stride < 0)
		*before += (count - 1) * -stride;
	else
		*behind += (count - 1) * stride;
	return stride;
}

/*
 * Makes moves as of blocks of channels that become pixels, of pixels that become channels, or of
 * dimensions that change places: the output is dense but for a gap here and there, and the input
 * has the same dimensions in any order, with gaps, turned around, or once for all indices.
 */
static void make_rearranged(uint8_t type, uint32_t n)
{
	uint32_t order[4] = { 2, 3, 4, 5 }, size = nn_type_size(type), left = 30000 / size;
	uint32_t from = 1, to = 1, first = 0;

	for (uint32_t k = NN_MOVE_DIMS; k-- > 0;) {
		uint32_t count = k < 2 ? 1 : SIZE_TO(60, 1, 2, 3, 4, 9, 14, 29, 58);

		if (random_below(4) == 0 && k == 2)
			count = random_range(100, 600);
		if (count > left)
			count = 1;
		left /= count;
		op.move.count[k] = count;
		op.move.dst_stride[k] = to;
		to = to * count + (random_below(6) ? 0 : random_below(5));
	}
	for (uint32_t i = 3; i > 0; i--) {
		uint32_t j = random_below(2) ? i : random_below(i + 1), t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (uint32_t i = 4; i-- > 0;) {
		uint32_t k = order[i], count = op.move.count[k];
		int32_t stride = from * (random_below(6) ? 1 : 2);

		if (random_below(8) == 0) {
			op.move.src_stride[k] = 0;
			continue;
		}
		from = stride * count + (random_below(6) ? 0 : random_below(5));
		op.move.src_stride[k] = stride;
		if (random_below(8) == 0) {
			first += (count - 1) * stride;
			op.move.src_stride[k] = -stride;
		}
	}
	op.move.src_offset = first + random_below(2);
	op.move.dst_offset = random_below(2);
	random_input(0, type, DIMS(n, from + op.move.src_offset - first + random_below(2) * 200));
	random_output(type, DIMS(n, to + op.move.dst_offset + random_below(2)));
}

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT16, NN_TYPE_INT32, NN_TYPE_FLOAT32,
			    NN_TYPE_INT64);
	uint32_t n = PICK(0, 1, 1, 2), indices = 1, before = 0, behind = 1, first = 0, last = 1;

	begin_call(NN_OPCODE_MOVE);
	if (random_below(2)) {
		make_rearranged(random_below(2) ? NN_TYPE_INT8 : type, n);
		return;
	}
	for (uint32_t k = 0; k < NN_MOVE_DIMS; k++) {
		uint32_t count = SIZE_TO(8, 1, 2, 3);

		if (k == NN_MOVE_DIMS - 1 && random_below(2))
			count = random_range(1, 600);
		if (indices * count > 5000)
			count = 1;
		op.move.count[k] = count;
		indices *= count;
		op.move.src_stride[k] = random_stride(count, &before, &behind);
		op.move.dst_stride[k] = random_stride(count, &first, &last);
	}
	if (random_below(3) == 0) {
		op.move.src_stride[5] = op.move.dst_stride[5] = 1;
		behind += op.move.count[5];
		last += op.move.count[5];
	}
	op.move.src_offset = before + random_below(3);
	op.move.dst_offset = first + random_below(3);
	last += op.move.dst_offset + random_below(3);
	random_input(0, type, DIMS(n, op.move.src_offset + behind + random_below(3)));
	random_output(type, DIMS(n, last > indices ? last : indices));
}

/* Counts of the last three dimensions, strides of the last two in the input, and the type. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_MOVE);
	op.move = (struct nn_move_params){
		.count = { 1, 1, 1, p[0], p[1], p[2] },
		.src_stride = { 0, 0, 0, 1, p[3], p[4] },
		.dst_stride = { 0, 0, 0, p[1] * p[2], p[2], 1 },
	};
	large_input(0, p[5], DIMS(1, p[0] + p[1] * p[3] + p[2] * p[4]));
	large_output(p[5], DIMS(1, p[0] * p[1] * p[2]));
}

static const struct large_call large[] = {
	{ "move of one element to many", make_large, { 1, 1, 32 << 20, 0, 0, NN_TYPE_INT8 } },
	{ "move of every other", make_large, { 1, 1, 16 << 20, 0, 2, NN_TYPE_INT32 } },
	{ "move of runs of one", make_large, { 3, 4 << 20, 1, 3, 1, NN_TYPE_UINT16 } },
	{ "move of blocks", make_large, { 1 << 10, 64, 16, 4096, 1, NN_TYPE_INT8 } },
	{ "move of scattered elements", make_large, { 1, 1, 100000, 1, 4096, NN_TYPE_UINT8 } },
};

const struct kernel_test nn_move_test = {
	.make_random = make_random,
	.random_calls = 400,
	.large = large,
	.large_calls = COUNT(large),
};
