// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of COPY, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Blocks that go to or come from every other place, the first or the second of a pair. */
static void make_pairs(uint32_t n)
{
	struct nn_copy_params *copy = &op.copy;
	uint32_t block = SIZE_TO(128, 1, 2, 4, 8, 16, 24, 32, 64), odd = random_below(2);
	uint32_t count = PICK(1, 1, 2, 3, 5) * 128 / block + PICK(0, 0, 0, 1, 3);

	if (random_below(3) == 0)
		count += 256;
	*copy = (struct nn_copy_params){
		.count = count, .block = block, .src_stride = block, .dst_stride = block,
	};
	if (random_below(2)) {
		copy->dst_stride *= 2;
		copy->dst_offset = odd * block;
	} else {
		copy->src_stride *= 2;
		copy->src_offset = odd * block;
	}
	random_input(0, NN_TYPE_INT8, DIMS(n, count * copy->src_stride));
	random_output(NN_TYPE_INT8, DIMS(n, count * copy->dst_stride));
}

/* Many small blocks of any size that lie side by side and are put apart, or the other way. */
static void make_strided(uint32_t n)
{
	struct nn_copy_params *copy = &op.copy;
	uint32_t step = SIZE_FROM(2, 300, 6, 20, 24, 36, 40, 48, 56, 96, 100, 116, 144, 160, 192,
				  224, 256, 300);
	uint32_t block = random_range(1, step < 128 ? step - 1 : 128);
	uint32_t start = random_below(step - block + 1);
	uint32_t before = random_below(3) ? 0 : random_below(100);

	*copy = (struct nn_copy_params){
		.count = random_range(200, n > 1 ? 600 : 900),
		.block = block,
		.src_offset = before,
		.src_stride = block,
		.dst_offset = start,
		.dst_stride = step,
	};
	if (random_below(2)) {
		copy->src_offset = start;
		copy->src_stride = step;
		copy->dst_offset = before;
		copy->dst_stride = block;
	}
	random_input(0, NN_TYPE_INT8,
		     DIMS(n, copy->src_offset + (copy->count - 1) * copy->src_stride + block));
	random_output(NN_TYPE_INT8,
		      DIMS(n, copy->dst_offset + (copy->count - 1) * copy->dst_stride + block));
}

static void make_random(void)
{
	struct nn_copy_params *copy = &op.copy;
	uint32_t n = PICK(0, 1, 1, 2, 2, 3);

	begin_call(NN_OPCODE_COPY);
	if (random_below(4) == 0) {
		make_strided(random_below(6) ? 1 : n);
		return;
	}
	copy->count = SIZE_TO(60, 1, 1, 2, 7, 50);
	copy->block = random_below(2) ? random_range(1, 200)
				      : PICK(1, 4, 32, 64, 127, 128, 129, 1000);
	copy->src_offset = random_below(3) ? 0 : random_below(100);
	copy->dst_offset = random_below(3) ? 0 : random_below(100);
	copy->src_stride = random_below(3) ? copy->block : random_below(300);
	copy->dst_stride = copy->block + (random_below(3) ? 0 : random_below(100));
	/* A third are like channels of images that are put together and taken apart. */
	if (random_below(3) == 0) {
		copy->count = SIZE_TO(400, 1, 7, 50, 290, 300, 400);
		copy->block = SIZE_TO(192, 8, 16, 24, 32, 64, 96, 128, 192);
		copy->dst_stride = PICK(256, 256, 128, 192) + (copy->block > 128 ? 64 : 0);
		if (random_below(2))
			copy->dst_stride = copy->block + random_below(200);
		if (copy->block <= 32 && random_below(3))
			copy->dst_stride = PICK(32, 64, 96, 160);
		copy->src_stride = copy->block * random_range(1, 2);
		copy->dst_offset = PICK(0, 8, 32, 64, 96);
	}
	/* Two of as many channels each: of whole vectors, which are aligned, or nearly so. */
	if (random_below(2)) {
		make_pairs(n);
		return;
	}
	random_input(0, NN_TYPE_INT8,
		     DIMS(n, copy->src_offset + (copy->count - 1) * copy->src_stride + copy->block +
				     random_below(2) * 5));
	random_output(NN_TYPE_INT8,
		      DIMS(n, copy->dst_offset + (copy->count - 1) * copy->dst_stride +
				      copy->block + random_below(2) * 5));
}

/* Whether each block lies within an aligned vector. */
static bool lie_within(const uint8_t *first, uint32_t step)
{
	uint32_t part = 128;

	while (step % part)
		part /= 2;
	return (uintptr_t)first % part + op.copy.block <= part;
}

/*
 * Returns the most packets: for the blocks that make_pairs() makes less than one each, and for
 * others, many, each within a vector of either tensor, less than two. By themselves they take four.
 */
static uint32_t most_packets(void)
{
	const struct nn_copy_params *copy = &op.copy;

	if (copy->dst_stride + copy->src_stride == 3 * copy->block && copy->dst_stride &&
	    copy->src_stride && copy->block <= 32 && copy->count >= 128)
		return 150 + call.output[0].dims[0] * (100 + copy->count);
	/* Copies that make_strided() makes take less; each element by itself takes three. */
	if (copy->count > 500 && copy->src_stride == copy->block && copy->dst_stride <= 100)
		return call.output[0].dims[0] * (100 + copy->count * 5 / 2);
	if (copy->count > 500 && copy->dst_stride == copy->block && copy->src_stride > copy->block)
		return call.output[0].dims[0] * (250 + copy->count * 2);
	if (copy->count < 290 || copy->dst_stride % 32 ||
	    !lie_within(call.input[0].data + copy->src_offset, copy->src_stride) ||
	    !lie_within(call.output[0].data + copy->dst_offset, copy->dst_stride))
		return 0;
	return 100 + call.output[0].dims[0] * (100 + copy->count * 3 / 2);
}

/* Rows, blocks of one, bytes of one, and how far apart they are in the input. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_COPY);
	op.copy = (struct nn_copy_params){
		.count = p[1], .block = p[2], .src_stride = p[3], .dst_stride = p[2],
	};
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], (p[1] - 1) * p[3] + p[2]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1] * p[2]));
}

static const struct large_call large[] = {
	{ "copy", make_large, { 4, 1, 16 << 20, 0 } },
	{ "copy of bytes", make_large, { 1, 4 << 20, 1, 7 } },
	{ "copy of large blocks", make_large, { 1, 16, 4 << 20, 5 << 20 } },
	{ "copy of many rows", make_large, { 1 << 20, 2, 1, 30 } },
	{ "copy of scattered bytes", make_large, { 1, 100000, 1, 4096 } },
};

const struct kernel_test nn_copy_test = {
	.make_random = make_random,
	.random_calls = 420,
	.most_packets = most_packets,
	.quick_calls = 28,
	.large = large,
	.large_calls = COUNT(large),
};
