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
 * vectors of 24 of 48 channels take five packets, 3.3 for 128 bytes of input. With the 600 for
 * controls and ends that is 4.3 of 56x56 pixels, and less than 4 from 69x69 on.
 */
#include "../kernels/checks.h"
#include "copy_loops.h"
#include "copy_spread.h"
#include "delta.h"
#include "vector.h"

#define VECTOR_WORK	120	/* until a vector's control and mask are known */

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

/*
 * A vector that begins `at` bytes behind a block's beginning. Its bytes are those from `source` on of
 * the 128 that are loaded. How many they are.
 */
static uint32_t list_vector(HVX_Vector *control, HVX_Vector *mask, uint32_t block, uint32_t step,
			    uint32_t at, uint32_t source)
{
	HVX_Vector sources = Q6_V_vzero(), is_wanted = Q6_V_vzero();
	uint32_t place = 0, bytes = 0;

	while (true) {
		if (at < block) {
			uint32_t length = min_u32(block - at, VECTOR - place);
			HVX_VectorPred here = Q6_Q_and_QQn(Q6_Q_vsetq2_R(place + length),
							   Q6_Q_vsetq_R(place));
			HVX_Vector from = Q6_Vb_vadd_VbVb(delta_places(),
							  splat_b(source + bytes - place));

			sources = Q6_V_vmux_QVV(here, from, sources);
			is_wanted = Q6_V_vmux_QVV(here, splat_w(-1), is_wanted);
			bytes += length;
			place += length;
			at += length;
		}
		if (place + step - at >= VECTOR)
			break;
		place += step - at;
		at = 0;
	}
	*control = delta_spread(sources, is_wanted);
	*mask = is_wanted;
	return bytes;
}

/* How many bytes of blocks such a vector has. */
static uint32_t count_bytes(uint32_t block, uint32_t step, uint32_t at)
{
	uint32_t place = 0, bytes = 0;

	for (; place < VECTOR; place += step - at, at = 0) {
		if (at < block)
			bytes += min_u32(block - at, VECTOR - place);
	}
	return bytes;
}

static uint32_t next_vector(uint32_t at, uint32_t step)
{
	for (at += VECTOR; at >= step;)
		at -= step;
	return at;
}

/* One vector of each period, or two. What is loaded for them begins at `from`; how many bytes. */
static uint32_t copy_vectors_of(struct copy_spread_vectors *vectors, uint32_t block, uint32_t step,
				uint32_t at, bool *are_two)
{
	uint32_t first = list_vector(&vectors->control[0], &vectors->mask[0], block, step, at, 0);
	uint32_t next = next_vector(at, step), second;

	if (*are_two) {
		second = count_bytes(block, step, next);
		*are_two = first + second <= VECTOR;
	}
	if (!*are_two) {
		nn_copy_spread_one(vectors);
		return first;
	}
	list_vector(&vectors->control[1], &vectors->mask[1], block, step, next, first);
	nn_copy_spread_two(vectors);
	return first + second;
}

struct copy_spread nn_copy_spread(const struct nn_call *call, uint8_t *to, const uint8_t *from,
				  uint32_t count)
{
	struct copy_spread_vectors *vectors = (struct copy_spread_vectors *)call->scratch;
	const uint8_t *end = call->input[0].data + call->input[0].bytes;
	uint32_t block = call->op->copy.block, step = call->op->copy.dst_stride;
	uint32_t before = -(uintptr_t)to % VECTOR, period = period_of(step), at = before, first = 0;
	uint32_t bits = block_bits(step), blocks = 1u << bits, times;

	for (; at >= step; at -= step)
		first++;
	times = (count - first - (at > 0)) >> bits;
	from += first * block + min_u32(at, block);
	/* The last one's 128 bytes of input are not more than there are. */
	while (times && from + times * blocks * block + VECTOR > end)
		times--;
	if (!times)
		return (struct copy_spread){ 0, 0 };
	vectors->to_step = period * VECTOR;
	vectors->from_step = blocks * block;
	vectors->count = times;
	vectors->to = to + before;
	for (uint32_t i = 0; i < period; i++) {
		bool are_two = i + 1 < period;

		vectors->from = from;
		from += copy_vectors_of(vectors, block, step, at, &are_two);
		for (uint32_t done = 0; done <= are_two; done++) {
			at = next_vector(at, step);
			vectors->to += VECTOR;
		}
		i += are_two;
	}
	/* Of these blocks, those at the ends may be cut. */
	return (struct copy_spread){ first + (before > first * step), first + times * blocks };
}
