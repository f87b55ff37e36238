// SPDX-License-Identifier: MIT
/*
 * Scatters small dense blocks to where they have gaps between them in the output:
 * nn_copy_scatter(), which copy.c calls.
 *
 *	input   |aaabbbccc|
 *	output  |aaa....bbb....ccc....|		the gaps keep what they have
 *
 * An aligned vector of the output has bytes of some blocks: a delta network (delta.h) takes these
 * to where they belong from 128 bytes of the input, and a mask stores them. After as many vectors
 * as are a whole number of blocks, control and mask are the same again; so one loop makes all
 * vectors at that distance before the next loop begins. Two vectors whose bytes are together in 128
 * bytes of the input share one load.
 *
 * A load that is not aligned and a network each take the one permutation that a packet has: so
 * three vectors of 24 of 48 channels take five packets, 3.3 for 128 bytes of input. With the 300
 * for controls and calls that is 3.9 for 56x56 pixels.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/move/copy_blocks.h"
#include "dsp/hvx/move/copy_scatter.h"

#define VECTOR_WORK	100	/* packets until a vector's control and mask are known */

/* The number of vectors after which one begins at the same byte of a block again. */
static uint32_t period_of(uint32_t step)
{
	return step >> (7 - block_bits(step));
}

bool nn_copy_should_scatter(const struct nn_call *call, uint32_t count)
{
	uint32_t block = call->op->copy.block, step = call->op->copy.dst_stride, vectors;

	if (step > MOST_BLOCK_STEP || step <= block || count > 1u << 20 ||
	    call->scratch_size < COPY_SCATTER_SCRATCH)
		return false;
	/* Where gaps are at least as long as blocks, two vectors share a load: 5 packets for 3. */
	vectors = count * step / VECTOR;
	return vectors >= 2 * period_of(step) &&
	       period_of(step) * VECTOR_WORK + vectors * (2 * block <= step ? 5 : 6) / 3 <
		       3 * count;
}

/*
 * Makes controls and masks of two vectors. The first one's bytes are those from `source` on of the
 * 128 that are loaded, and the second one's follow.
 */
static inline void list_parts(struct copy_scatter_vectors *vectors, const struct blocks_part *first,
			      const struct blocks_part *second, uint32_t source)
{
	HVX_Vector from0 = Q6_Vb_vadd_VbVb(first->before, splat_b(source - 1));
	HVX_Vector from1 = Q6_Vb_vadd_VbVb(second->before, splat_b(source + first->count - 1));
	HVX_VectorPair controls = nn_delta_spread_two(delta_away(from0, first->is_here),
						      delta_away(from1, second->is_here));

	vectors->control[0] = Q6_V_lo_W(controls);
	vectors->control[1] = Q6_V_hi_W(controls);
	vectors->mask[0] = Q6_V_vand_QR(first->is_here, -1);
	vectors->mask[1] = Q6_V_vand_QR(second->is_here, -1);
}

struct block_range nn_copy_scatter(const struct nn_call *call, uint8_t *to, const uint8_t *from,
				   uint32_t count)
{
	struct copy_scatter_vectors *vectors = (struct copy_scatter_vectors *)call->scratch;
	const uint8_t *end = call->input[0].data + call->input[0].bytes;
	uint32_t block = call->op->copy.block, step = call->op->copy.dst_stride;
	uint32_t before = -(uintptr_t)to % VECTOR, period = period_of(step);
	uint32_t first = before / step, behind = before % step;
	uint32_t bits = block_bits(step), blocks = 1u << bits, times, last, done = 0;
	struct blocks_at at = blocks_at(block, step, behind);
	struct blocks_part part, next;
	bool are_two;

	times = (count - first - (behind > 0)) >> bits;
	from += first * block + min_u32(behind, block);
	vectors->from_step = blocks * block;
	/* A period loads no more than its own bytes, if these are at least 128. */
	last = vectors->from_step < VECTOR ? 0 : vectors->from_step - VECTOR;
	while (times && from + (times - 1) * vectors->from_step + last + VECTOR > end)
		times--;
	if (!times)
		return (struct block_range){ 0, 0 };
	vectors->to_step = period * VECTOR;
	vectors->count = times;
	vectors->to = to + before;
	next = blocks_next(&at);
	for (uint32_t i = 0; i < period; i += are_two ? 2 : 1) {
		uint32_t skipped = min_u32(done, last);

		part = next;
		next = blocks_next(&at);
		are_two = i + 1 < period && part.count + next.count <= VECTOR;
		vectors->from = from + skipped;
		list_parts(vectors, &part, &next, done - skipped);
		done += part.count;
		if (!are_two) {
			nn_copy_scatter_one(vectors);
			vectors->to += VECTOR;
			continue;
		}
		nn_copy_scatter_two(vectors);
		vectors->to += 2 * VECTOR;
		done += next.count;
		next = blocks_next(&at);
	}
	/* The blocks before and behind these may have been copied in part. */
	return (struct block_range){ first + (behind > 0), first + times * blocks };
}
