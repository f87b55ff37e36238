// SPDX-License-Identifier: MIT
/*
 * See copy_spread.h.
 *
 * An aligned vector of the output has the bytes of some blocks, in which a delta network puts 128 bytes
 * of the input (delta.h), and a mask stores them. After as many vectors as are a number of blocks all
 * is the same again, so vectors that far apart are made one after another; and of two vectors whose
 * bytes are together in 128 of the input those are loaded once.
 *
 * A load that is not aligned and a network take the one permutation that a packet has: so three
 * vectors of 24 of 48 channels take five packets, 3.3 for 128 bytes of input. With the 390 for
 * controls and calls that is 4.0 of 56x56 pixels.
 */
#include "../kernels/checks.h"
#include "copy_loops.h"
#include "copy_spread.h"
#include "delta.h"
#include "vector.h"

#define VECTOR_WORK	100	/* until a vector's control and mask are known */

/* After 2^this blocks vectors begin at the same place of a block again. */
static uint32_t block_bits(uint32_t step)
{
	return 7 - (uint32_t)__builtin_ctz(step | VECTOR);
}

/* As many vectors are that many blocks. */
static uint32_t period_of(uint32_t step)
{
	return step >> (7 - block_bits(step));
}

bool nn_copy_should_spread(const struct nn_call *call, uint32_t count)
{
	uint32_t block = call->op->copy.block, step = call->op->copy.dst_stride, vectors;

	if (step > 2 * VECTOR || step <= block || count > 1u << 20 ||
	    call->scratch_size < COPY_SPREAD_SCRATCH)
		return false;
	/* Of vectors of which a half is left out, every other one has its bytes with the next. */
	vectors = count * step / VECTOR;
	return vectors >= 2 * period_of(step) &&
	       period_of(step) * VECTOR_WORK + vectors * (2 * block <= step ? 5 : 6) / 3 < 3 * count;
}

/* The bytes of blocks in a vector of the output. */
struct blocks_part {
	HVX_VectorPred is_here;
	HVX_Vector before;	/* how many are at a place and before it */
	uint32_t count;
};

/* Of a vector that begins `at` bytes behind a block's beginning. */
static inline struct blocks_part part_of(uint32_t block, uint32_t step, uint32_t at)
{
	struct blocks_part part = { .is_here = Q6_Q_vsetq_R(0) };

	if (at < block)
		part.is_here = first_bytes(min_u32(block - at, VECTOR));
	for (uint32_t place = step - at; place < VECTOR; place += step) {
		HVX_VectorPred upto = first_bytes(min_u32(place + block, VECTOR));

		part.is_here = Q6_Q_or_QQ(part.is_here,
					  Q6_Q_and_QQn(upto, Q6_Q_vsetq_R(place)));
	}
	part.before = Q6_Vb_prefixsum_Q(part.is_here);
	part.count = (uint32_t)Q6_R_vextract_VR(part.before, VECTOR - 4) >> 24;
	return part;
}

/* The first one's bytes are those from `source` on of the 128 that are loaded, then the second's. */
static inline void list_parts(struct copy_spread_vectors *vectors, const struct blocks_part *first,
			      const struct blocks_part *second, uint32_t source)
{
	HVX_Vector from0 = Q6_Vb_vadd_VbVb(first->before, splat_b(source - 1));
	HVX_Vector from1 = Q6_Vb_vadd_VbVb(second->before, splat_b(source + first->count - 1));
	HVX_Vector mask0 = Q6_V_vand_QR(first->is_here, -1);
	HVX_Vector mask1 = Q6_V_vand_QR(second->is_here, -1);

	/* Side by side, as each is one long chain. */
	vectors->control[0] = delta_spread(from0, mask0);
	vectors->control[1] = delta_spread(from1, mask1);
	vectors->mask[0] = mask0;
	vectors->mask[1] = mask1;
}

static uint32_t next_vector(uint32_t at, uint32_t step)
{
	for (at += VECTOR; at >= step;)
		at -= step;
	return at;
}

struct copy_spread nn_copy_spread(const struct nn_call *call, uint8_t *to, const uint8_t *from,
				  uint32_t count)
{
	struct copy_spread_vectors *vectors = (struct copy_spread_vectors *)call->scratch;
	const uint8_t *end = call->input[0].data + call->input[0].bytes;
	uint32_t block = call->op->copy.block, step = call->op->copy.dst_stride;
	uint32_t before = -(uintptr_t)to % VECTOR, period = period_of(step), at = before, first = 0;
	uint32_t bits = block_bits(step), blocks = 1u << bits, times, last, done = 0;
	struct blocks_part part, next;

	for (; at >= step; at -= step)
		first++;
	times = (count - first - (at > 0)) >> bits;
	from += first * block + min_u32(at, block);
	vectors->from_step = blocks * block;
	/* What is loaded for a period's vectors is of its own bytes, if these are as many. */
	last = vectors->from_step < VECTOR ? 0 : vectors->from_step - VECTOR;
	while (times && from + (times - 1) * vectors->from_step + last + VECTOR > end)
		times--;
	if (!times)
		return (struct copy_spread){ 0, 0 };
	vectors->to_step = period * VECTOR;
	vectors->count = times;
	vectors->to = to + before;
	next = part_of(block, step, at);
	for (uint32_t i = 0; i < period; i++) {
		uint32_t skipped = min_u32(done, last);
		bool are_two = false;

		part = next;
		if (i + 1 < period) {
			at = next_vector(at, step);
			next = part_of(block, step, at);
			are_two = part.count + next.count <= VECTOR;
		}
		vectors->from = from + skipped;
		list_parts(vectors, &part, &next, done - skipped);
		done += part.count;
		if (!are_two) {
			nn_copy_spread_one(vectors);
			vectors->to += VECTOR;
			continue;
		}
		nn_copy_spread_two(vectors);
		vectors->to += 2 * VECTOR;
		done += next.count;
		if (++i + 1 < period) {
			at = next_vector(at, step);
			next = part_of(block, step, at);
		}
	}
	/* Of these blocks, those at the ends may be cut. */
	return (struct copy_spread){ first + (before > first * step), first + times * blocks };
}
