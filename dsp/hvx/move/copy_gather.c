// SPDX-License-Identifier: MIT
/*
 * Gathers small blocks, which have gaps between them in the input, into dense memory:
 * nn_copy_gather(), which copy.c calls.
 *
 *	input, by aligned vectors    |aaaa....bbbb....c|ccc....dddd....ee|
 *	output, by aligned vectors   |aaaabbbbccccddddee ...|
 *
 * A delta network (delta.h) moves the bytes that an aligned vector of the input has of blocks to
 * where they belong in a vector of the output, and what comes past its end to its beginning; a mask
 * stores them there, and another mask stores the rest in the next vector. After as many vectors as
 * are a whole number of blocks, on either side, control and masks are the same again; so one loop
 * takes all vectors at that distance before the next loop begins.
 *
 * A load, a network and a masked store, all aligned, fit a packet. So it takes one packet for each
 * piece that a vector of the input and one of the output have in common: 2.67 for 128 bytes of 24
 * of 48 channels, where 16 blocks are six vectors and become three, in eight pieces.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/move/copy_gather.h"

#define VECTOR_WORK	35	/* packets until a vector's control is known and its loop begins */

/*
 * Every 2^(what is returned) blocks, input and output are both at the same byte of a vector again.
 */
static uint32_t both_bits(const struct nn_copy_params *copy)
{
	return block_bits(copy->src_stride | copy->block);
}

bool nn_copy_should_gather(const struct nn_copy_params *copy, uint32_t count, uint32_t others)
{
	uint32_t block = copy->block, step = copy->src_stride, period;

	/* A gap is shorter than a vector, so that each vector has some bytes to copy. */
	if (copy->dst_stride != block || step <= block || step >= block + VECTOR ||
	    step > MOST_BLOCK_STEP || count > 1u << 20)
		return false;
	period = (step << both_bits(copy)) / VECTOR;
	return count * step / VECTOR > period &&
	       period * VECTOR_WORK + (uint64_t)count * (step + block) / VECTOR < others;
}

/*
 * For each byte of a part, the bits by which its index differs from that in the output, whose
 * vector has the part's first byte at `to`.
 */
static inline HVX_Vector away_of(const struct blocks_part *part, const uint8_t *to)
{
	HVX_Vector place = Q6_Vb_vadd_VbVb(part->before, splat_b((uintptr_t)to - 1));

	return delta_away(place, part->is_here);
}

struct block_range nn_copy_gather(const struct nn_copy_params *copy, uint8_t *to,
				  const uint8_t *from, uint32_t count)
{
	uint32_t block = copy->block, step = copy->src_stride;
	uint32_t before = -(uintptr_t)from % VECTOR, behind = before, first = 0, end = count;
	/* The last vector may end where the next block would begin. */
	uint32_t bytes = count * step - before, rest = bytes % VECTOR;
	uint32_t from_step = step << both_bits(copy), to_step = block << both_bits(copy);
	uint32_t period = from_step / VECTOR, times, more;
	struct blocks_at at;

	for (; behind >= step; behind -= step)
		first++;
	for (; rest; rest -= min_u32(rest, step))
		end--;
	times = (count - first - (behind > 0)) >> both_bits(copy);
	more = bytes / VECTOR - times * period;
	from += before;
	to += first * block + min_u32(behind, block);
	at = blocks_at(block, step, behind);
	/* Two controls are made at a time, because each is a long chain of instructions. */
	for (uint32_t i = 0; i < period; i += 2) {
		struct blocks_part one = blocks_next(&at), two = blocks_next(&at);
		uint8_t *next = to + one.count;
		HVX_VectorPair controls = nn_delta_spread_two(away_of(&one, to),
							      away_of(&two, next));

		nn_gather(to, from, to_step, from_step, one.count, times + (i < more),
			  Q6_V_lo_W(controls));
		if (i + 1 < period)
			nn_gather(next, from + VECTOR, to_step, from_step, two.count,
				  times + (i + 1 < more), Q6_V_hi_W(controls));
		to = next + two.count;
		from += 2 * VECTOR;
	}
	return (struct block_range){ first + (behind > 0), end };
}
