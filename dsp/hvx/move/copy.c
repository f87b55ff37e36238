// SPDX-License-Identifier: MIT
/*
 * COPY on HVX: blocks of any size, without a call for each.
 *
 * A block of at most 128 bytes is one load and one masked store where each lies within an
 * aligned vector, as most do that make a concatenation: in both tensors, or in the output alone
 * and all alike. Otherwise it is read, changed and written with its neighbours, which a mask for
 * each would take longer for. Where two tensors with as many channels each are put together, or
 * a tensor is taken apart so, a whole vector of blocks is made at once, and where blocks of any
 * size are put together or taken out of more, what a vector has of them (copy_scatter.c,
 * copy_gather.c), if there are enough of them for the controls that it takes.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/move/copy_gather.h"
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/move/copy_scatter.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"

#define ROW_WORK	64	/* of a row, until it is known how its blocks are copied */

static inline void copy_block(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (; bytes > VECTOR; bytes -= VECTOR, to += VECTOR, from += VECTOR)
		store(to, load(from));
	store_bytes(to, load_bytes(from, bytes), bytes);
}

/*
 * Blocks that are `step` apart begin at 2^this places of an aligned vector in turn: each place has
 * its block after as many.
 */
static uint32_t period_bits(uint32_t step)
{
	return 7 - (uint32_t)__builtin_ctz(step | VECTOR);
}

/* Whether each block lies within an aligned vector, wherever in it. */
static bool lie_within(const uint8_t *first, uint32_t step, uint32_t block)
{
	uint32_t part = VECTOR >> period_bits(step);

	return ((uintptr_t)first & (part - 1)) + block <= part;
}

/*
 * Blocks that lie within vectors, in the input as in the output. Those that begin at the same place
 * of the output's vectors have a mask together.
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
 * `count` blocks, which are at most 128 bytes: past an operand's end a vector more would not be
 * its.
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

/* How many stores copy_side_by_side() has for `count` blocks: of one, two or three of them. */
static uint32_t count_stores(uint32_t block, uint32_t count)
{
	return block > VECTOR / 2 ? count : block > VECTOR / 3 ? count / 2 : count / 3;
}

/*
 * Blocks that come to lie side by side: how many are copied. Each store is of 128 bytes, of
 * which the next overwrites what is no block's. There are as many to store from the last one's
 * place on, and so as many to load.
 *
 * 40 of 100 channels take 4.3 packets for 128 bytes, three loads and a store for 120 of them,
 * and the goal is 4. copy_gather.c takes 3.4, but 25 controls and their loops in 860 more: with
 * 112x112 pixels that is less, with 56x56, which have 980 vectors, 3.4 and 0.9 are not.
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
		nn_copy_join_two(to, from, step, block, times);
	else
		nn_copy_join_three(to, from, step, block, times);
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

/* The same by vectors, where that is less work. */
static void copy_small_blocks(const struct nn_call *call, uint8_t *to, const uint8_t *from,
			      uint32_t count)
{
	const struct nn_copy_params *copy = &call->op->copy;
	uint32_t to_step = copy->dst_stride, from_step = copy->src_stride;
	uint32_t period = 1u << period_bits(to_step);
	struct block_range done = { 0, 0 };
	/* A call takes as long as ten blocks one after another. */
	bool within = (period == 1 || count >= 16 * period) &&
		      lie_within(to, to_step, copy->block) &&
		      lie_within(from, from_step, copy->block);

	if (nn_copy_should_gather(copy, count,
				  within ? count : count + count_stores(copy->block, count))) {
		done = nn_copy_gather(copy, to, from, count);
	} else if (within) {
		copy_blocks_within(copy, to, from, count);
		return;
	} else if (from_step == copy->block && nn_copy_should_spread(call, count)) {
		done = nn_copy_spread(call, to, from, count);
	}
	if (done.first)
		copy_each(call, to, from, done.first);
	if (done.end < count)
		copy_each(call, to + (uint64_t)done.end * to_step,
			  from + (uint64_t)done.end * from_step, count - done.end);
}

/* Whether the first or the second block of a pair is at p, and the pair at a vector's beginning. */
static bool is_in_first_pair(const uint8_t *p, uint32_t block)
{
	uint32_t offset = (uintptr_t)p % VECTOR;

	return !offset || offset == block;
}

/* Whether every other block is written or read, and a vector has a number of pairs. */
static bool are_pairs(const struct nn_copy_params *copy)
{
	uint32_t block = copy->block;

	return block <= VECTOR / 2 && !(block & (block - 1)) &&
	       ((copy->src_stride == block && copy->dst_stride == 2 * block) ||
		(copy->src_stride == 2 * block && copy->dst_stride == block));
}

/*
 * Of `count` blocks those that are copied as whole vectors of them, from or to every other place:
 * how many. What is read beside them is in vectors that have one of them.
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

int nn_copy_hvx(const struct nn_call *call)
{
	const struct nn_copy_params *copy = &call->op->copy;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t block_work = 8 + copy->block / 32 + memory_work(2 * copy->block) +
			      stride_work(copy->src_stride) + stride_work(copy->dst_stride);
	uint32_t row_work = ROW_WORK + stride_work(input->row_bytes) +
			    stride_work(output->row_bytes);
	/* At a time; block_work is less than NN_TILE. */
	uint32_t most = NN_TILE >> (32 - __builtin_clz(block_work));
	struct progress progress = { .call = call };
	bool pairs = are_pairs(copy);

	/* Whole rows and large blocks are well served by memmove(). */
	if (copy->block > 4096 || (copy->count == 1 && copy->block == input->row_bytes &&
				   copy->block == output->row_bytes))
		return nn_copy_portable(call);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = input->data + row * input->row_bytes + copy->src_offset;
		uint8_t *to = output->data + row * output->row_bytes + copy->dst_offset;

		int ret = progress_add(&progress, row_work);

		if (ret)
			return ret;
		for (uint32_t i = 0, blocks; i < copy->count; i += blocks) {
			uint32_t done;

			blocks = min_u32(copy->count - i, most);
			ret = progress_add(&progress, blocks * block_work);
			if (ret)
				return ret;
			done = pairs ? copy_pairs(copy, to, from, blocks) : 0;
			if (copy->block > VECTOR)
				copy_large_blocks(copy, to, from, blocks);
			else if (done < blocks)
				copy_small_blocks(call, to + (uint64_t)done * copy->dst_stride,
						  from + (uint64_t)done * copy->src_stride,
						  blocks - done);
			from += (uint64_t)blocks * copy->src_stride;
			to += (uint64_t)blocks * copy->dst_stride;
		}
	}
	return 0;
}
