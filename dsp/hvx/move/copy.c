// SPDX-License-Identifier: MIT
/*
 * COPY moves blocks of bytes that have a step, in the input and in the output, which need not be
 * the same: what Concat, Split, Slice and Pad become in a program. nn_copy_hvx() is its vector
 * kernel, in the table of kernels.c, and decides how the blocks of a call are moved:
 *
 *	input   |aaaa----bbbb----cccc----|	blocks of 4 bytes, a step of 8
 *	output  |aaaabbbbcccc|			blocks of 4 bytes, side by side
 *
 * A block of at most 128 bytes is one load and one masked store if it lies within an aligned vector
 * of the output, and all blocks do at the same offset, or within one in both tensors. Other blocks
 * are read, changed and written with their neighbours, because a mask for each would take longer.
 * Where every other block is written or read and blocks are powers of two (two tensors with as many
 * channels each), whole vectors are shuffled. Where blocks of any size are put between others or
 * taken from between others, copy_scatter.c and copy_gather.c move all that a vector has of them at
 * once, if there are enough blocks to pay for the controls of their delta networks.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/move/copy.h"
#include "dsp/hvx/move/copy_gather.h"
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/move/copy_scatter.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"

#define ROW_WORK	64	/* for a row, until it is known how its blocks are copied */

static inline void copy_block(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (; bytes > VECTOR; bytes -= VECTOR, to += VECTOR, from += VECTOR)
		store(to, load(from));
	store_bytes(to, load_bytes(from, bytes), bytes);
}

/*
 * Blocks with this step begin at 2^(what is returned) different offsets of aligned vectors, in
 * turn: a block has the same offset as the one that many blocks before it.
 */
static uint32_t period_bits(uint32_t step)
{
	return 7 - (uint32_t)__builtin_ctz(step | VECTOR);
}

/* Tells whether each block lies within an aligned vector, at any offset. */
static bool lie_within(const uint8_t *first, uint32_t step, uint32_t block)
{
	uint32_t part = VECTOR >> period_bits(step);

	return ((uintptr_t)first & (part - 1)) + block <= part;
}

/*
 * Copies blocks that lie within vectors, in the input as in the output. Blocks with the same offset
 * in the output's vectors have one mask and so one call.
 */
static void copy_blocks_within(const struct nn_copy_params *copy, uint8_t *to, const uint8_t *from,
			       uint32_t count)
{
	uint32_t bits = period_bits(copy->dst_stride), period = 1u << bits;

	for (uint32_t i = 0; i < min_u32(period, count); i++)
		nn_copy_within(to + i * copy->dst_stride, from + i * copy->src_stride,
			       copy->dst_stride << bits, copy->src_stride << bits, copy->block,
			       (count - i + period - 1) >> bits);
}

/*
 * Copies `count` blocks of at most 128 bytes. The loops read and write whole vectors, so the last
 * blocks, where such a vector would leave its tensor, are copied without them.
 */
static void copy_one_by_one(const struct nn_call *call, uint8_t *to, const uint8_t *from,
			      uint32_t count)
{
	const struct nn_copy_params *copy = &call->op->copy;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t to_step = copy->dst_stride, from_step = copy->src_stride, inside = count;
	uint32_t offset = (uintptr_t)to % VECTOR;
	bool fits = to_step % VECTOR == 0 && offset + copy->block <= VECTOR &&
		    from >= input->data + offset;
	const uint8_t *from_end = input->data + input->bytes - VECTOR + (fits ? offset : 0);
	const uint8_t *to_end = output->data + output->bytes - (fits ? 0 : VECTOR);

	if (input->bytes < VECTOR || output->bytes < VECTOR)
		inside = 0;
	while (inside && (from + (inside - 1ull) * from_step > from_end ||
			  to + (inside - 1ull) * to_step > to_end))
		inside--;
	if (inside && fits)
		nn_copy_masked(to, from, to_step, from_step, copy->block, inside);
	else if (inside)
		nn_copy_blend(to, from, to_step, from_step, copy->block, inside);
	for (uint32_t i = inside; i < count; i++)
		copy_block(to + (uint64_t)i * to_step, from + (uint64_t)i * from_step, copy->block);
}

/*
 * The number of stores of copy_side_by_side() for `count` blocks: it stores one, two or three at a
 * time.
 */
static uint32_t count_stores(uint32_t block, uint32_t count)
{
	return block > VECTOR / 2 ? count : block > VECTOR / 3 ? count / 2 : count / 3;
}

/*
 * Copies blocks that lie side by side in the output, and returns how many it has copied. Each store
 * is of 128 bytes, and the next one overwrites what is no block's in it. So 128 bytes must be left
 * from the last store on, and as many to load.
 *
 * 40 of 100 channels take 4.3 packets for 128 bytes this way: three loads and a store for 120 of
 * them. copy_gather.c takes 3.4, and 860 more for 25 controls and their loops: with 112x112 pixels
 * that is less, with 56x56 pixels, which have 980 vectors, it is not (3.4 + 0.9).
 */
static uint32_t copy_side_by_side(const struct nn_copy_params *copy, uint8_t *to,
				  const uint8_t *from, uint32_t count)
{
	uint32_t block = copy->block, step = copy->src_stride, times = count_stores(block, count);
	uint32_t at_once = block > VECTOR / 2 ? 1 : block > VECTOR / 3 ? 2 : 3;

	if (copy->dst_stride != block || step < block)
		return 0;
	while (times && (count - (times - 1) * at_once) * block < VECTOR)
		times--;
	if (!times)
		return 0;
	if (at_once == 1)
		nn_copy_steps(to, from, block, step, times);
	else if (at_once == 2)
		nn_copy_concat_two(to, from, step, block, times);
	else
		nn_copy_concat_three(to, from, step, block, times);
	return times * at_once;
}

static void copy_each(const struct nn_call *call, uint8_t *to, const uint8_t *from, uint32_t count)
{
	const struct nn_copy_params *copy = &call->op->copy;
	uint32_t done = copy_side_by_side(copy, to, from, count);

	if (done < count)
		copy_one_by_one(call, to + (uint64_t)done * copy->dst_stride,
				from + (uint64_t)done * copy->src_stride, count - done);
}

/* Copies blocks of at most 128 bytes in the way that takes the fewest packets. */
static void copy_small_blocks(const struct nn_call *call, uint8_t *to, const uint8_t *from,
			      uint32_t count)
{
	const struct nn_copy_params *copy = &call->op->copy;
	uint32_t to_step = copy->dst_stride, from_step = copy->src_stride;
	uint32_t period = 1u << period_bits(to_step);
	struct block_range done = { 0, 0 };
	/* The call of a loop takes as long as ten blocks one after another. */
	bool within = (period == 1 || count >= 16 * period) &&
		      lie_within(to, to_step, copy->block) &&
		      lie_within(from, from_step, copy->block);

	if (nn_copy_should_gather(copy, count,
				  within ? count : count + count_stores(copy->block, count))) {
		done = nn_copy_gather(copy, to, from, count);
	} else if (within) {
		copy_blocks_within(copy, to, from, count);
		return;
	} else if (from_step == copy->block && nn_copy_should_scatter(call, count)) {
		done = nn_copy_scatter(call, to, from, count);
	}
	if (done.first)
		copy_each(call, to, from, done.first);
	if (done.end < count)
		copy_each(call, to + (uint64_t)done.end * to_step,
			  from + (uint64_t)done.end * from_step, count - done.end);
}

/*
 * Tells whether a pair of blocks begins at a vector's first byte and p is at its first block, or
 * its second one.
 */
static bool is_in_first_pair(const uint8_t *p, uint32_t block)
{
	uint32_t offset = (uintptr_t)p % VECTOR;

	return !offset || offset == block;
}

/* Tells whether every other block is written, or read, and a vector has a whole number of pairs. */
static bool are_pairs(const struct nn_copy_params *copy)
{
	uint32_t block = copy->block;

	return block <= VECTOR / 2 && !(block & (block - 1)) &&
	       ((copy->src_stride == block && copy->dst_stride == 2 * block) ||
		(copy->src_stride == 2 * block && copy->dst_stride == block));
}

/*
 * Copies as many of `count` blocks as whole vectors have, from or to every other block, and returns
 * how many. The vectors that are read have at least one of these blocks each.
 */
static uint32_t copy_pairs(const struct nn_copy_params *copy, uint8_t *to, const uint8_t *from,
			   uint32_t count)
{
	uint32_t block = copy->block, vectors = (uint64_t)count * block / VECTOR;
	uint32_t to_offset = (uintptr_t)to % VECTOR, from_offset = (uintptr_t)from % VECTOR;

	if (!vectors)
		return 0;
	if (copy->src_stride == block && !from_offset && is_in_first_pair(to, block))
		nn_copy_shuffled(to - to_offset, from, block, to_offset != 0, vectors);
	else if (copy->dst_stride == block && !to_offset && is_in_first_pair(from, block))
		nn_copy_dealt(to, from - from_offset, block, from_offset != 0, vectors);
	else
		return 0;
	return vectors * (VECTOR / block);
}

static void copy_large_blocks(const struct nn_copy_params *copy, uint8_t *to, const uint8_t *from,
			      uint32_t count)
{
	for (uint32_t at = 0; at < copy->block; at += VECTOR) {
		/* The last vector ends where the block does. */
		uint32_t first = min_u32(at, copy->block - VECTOR);

		nn_copy_steps(to + first, from + first, copy->dst_stride, copy->src_stride, count);
	}
}

int nn_copy_strided(struct progress *progress, const struct nn_call *call, uint8_t *to,
		    const uint8_t *from)
{
	const struct nn_copy_params *copy = &call->op->copy;
	uint32_t block_work = 8 + copy->block / 32 + memory_work(2 * copy->block) +
			      stride_work(copy->src_stride) + stride_work(copy->dst_stride);
	/* The blocks that are done at a time; block_work is less than NN_TILE. */
	uint32_t most = NN_TILE >> (32 - __builtin_clz(block_work));
	bool pairs = are_pairs(copy);

	for (uint32_t i = 0, blocks; i < copy->count; i += blocks) {
		uint32_t done;
		int ret;

		blocks = min_u32(copy->count - i, most);
		ret = progress_add(progress, blocks * block_work);
		if (ret)
			return ret;
		done = pairs ? copy_pairs(copy, to, from, blocks) : 0;
		if (copy->block > VECTOR)
			copy_large_blocks(copy, to, from, blocks);
		else if (done < blocks)
			copy_small_blocks(call, to + (uint64_t)done * copy->dst_stride,
					  from + (uint64_t)done * copy->src_stride, blocks - done);
		from += (uint64_t)blocks * copy->src_stride;
		to += (uint64_t)blocks * copy->dst_stride;
	}
	return 0;
}

int nn_copy_hvx(const struct nn_call *call)
{
	const struct nn_copy_params *copy = &call->op->copy;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t row_work = ROW_WORK + stride_work(input->row_bytes) +
			    stride_work(output->row_bytes);
	struct progress progress = { .call = call };

	/* Whole rows and large blocks are well served by memmove(). */
	if (copy->block > COPY_MOST_BLOCK ||
	    (copy->count == 1 && copy->block == input->row_bytes &&
	     copy->block == output->row_bytes))
		return nn_copy_blocks(call);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		int ret = progress_add(&progress, row_work);

		if (ret)
			return ret;
		ret = nn_copy_strided(&progress, call,
				      output->data + row * output->row_bytes + copy->dst_offset,
				      input->data + row * input->row_bytes + copy->src_offset);
		if (ret)
			return ret;
	}
	return 0;
}
