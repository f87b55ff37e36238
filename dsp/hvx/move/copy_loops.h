/* SPDX-License-Identifier: MIT */
/*
 * Loops that move vectors and do nothing else, in assembly (copy_loops.S): compiled, each vector
 * takes two or three packets more. COPY, TRANSPOSE and whatever else moves bytes call them
 * (fill_rows.c and 3x3s2_narrow.c of depthwise/, common/strided.c, elementwise/add_float.c). Counts
 * are at least 1. Addresses may have any alignment unless said.
 */
#ifndef NN_COPY_LOOPS_H
#define NN_COPY_LOOPS_H

#include <stdint.h>

/* Copies 128 * count bytes; `to` is aligned. A packet for each vector. */
void nn_copy_vectors(uint8_t *to, const uint8_t *from, uint32_t count);

/* Copies `count` times 128 bytes, one after another; they may overlap. Two packets each. */
void nn_copy_steps(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		   uint32_t count);

/* Does the same where addresses and steps are multiples of 128. A packet each. */
void nn_copy_aligned_steps(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
			   uint32_t count);

/*
 * Splits `count` times 256 bytes: blocks of `block` bytes, a power of two of at most 64, go to
 * `even` and `odd` in turn. Five packets each.
 *
 *	from  |a0 b0 a1 b1 a2 b2 ...|   even  |a0 a1 a2 ...|   odd  |b0 b1 b2 ...|
 */
void nn_copy_deal(uint8_t *even, uint8_t *odd, const uint8_t *from, uint32_t block, uint32_t count);

/*
 * Copies `count` blocks of `block` bytes, at most 128. It reads and stores 128 bytes from each
 * block's beginning on, all of which must be the caller's; those behind the block keep what they
 * have. Three packets each.
 */
void nn_copy_blend(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		   uint32_t block, uint32_t count);

/*
 * Does the same where to_step is a multiple of 128 and no block crosses a multiple of 128 in `to`:
 * nothing but the blocks is stored, and 128 bytes are read from `from` - `to` % 128 on. Two packets
 * each.
 */
void nn_copy_masked(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		    uint32_t block, uint32_t count);

/*
 * Does the same where no block crosses a multiple of 128 in `from` either, whatever from_step is:
 * the aligned 128 bytes around each block are read. A packet each.
 */
void nn_copy_within(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		    uint32_t block, uint32_t count);

/*
 * Puts blocks of `block` bytes side by side, `count` times two of them, or three, which are at most
 * 128 bytes together.
 *
 *	from  |aaa.......|bbb.......|ccc.......|   to  |aaabbbccc|
 *
 * 128 bytes are read from each block's beginning on, or from as many bytes before it as the blocks
 * in front of it have. 128 bytes are stored from the first one's beginning on: the next store
 * overwrites what is no block's, and behind the last one there must be as much room. from_step is
 * at least `block`. Three packets each, or four.
 */
void nn_copy_concat_two(uint8_t *to, const uint8_t *from, uint32_t from_step, uint32_t block,
			uint32_t count);
void nn_copy_concat_three(uint8_t *to, const uint8_t *from, uint32_t from_step, uint32_t block,
			  uint32_t count);

/*
 * Pass `count` times 128 bytes through a delta network with this control: nn_spread_vectors from
 * any address to aligned ones, side by side, by vdelta; nn_gather_vectors the way back by vrdelta.
 * Two packets each.
 */
void nn_spread_vectors(uint8_t *to, const uint8_t *from, const void *control, uint32_t from_step,
		       uint32_t count);
void nn_gather_vectors(uint8_t *to, const uint8_t *from, const void *control, uint32_t to_step,
		       uint32_t count);

/*
 * Passes `count` times 128 aligned bytes through two networks by vrdelta, and stores at any address
 * what the first network makes where bytes of the third vector at `networks` are all ones,
 * elsewhere what the second makes. Three packets each. It reads a vector too many.
 */
void nn_gather_halves(uint8_t *to, const uint8_t *from, const void *networks, uint32_t to_step,
		      uint32_t count);

/*
 * Copies `count` times 128 bytes: blocks of `block` bytes, a power of two of at most 64, to every
 * other block from `to` on, the second of a pair if `odd` is 1, the first if it is 0. Both
 * addresses are aligned. Nothing else is stored. Two packets each.
 *
 *	from  |a b c d|   to, odd 0  |a . b . c . d .|   to, odd 1  |. a . b . c . d|
 */
void nn_copy_shuffled(uint8_t *to, const uint8_t *from, uint32_t block, uint32_t odd,
		      uint32_t count);

/*
 * Copies the way back: 128 * count bytes to `to`, of every other block from `from` on; twice as
 * many bytes are read. Both addresses are aligned. Two packets each.
 */
void nn_copy_dealt(uint8_t *to, const uint8_t *from, uint32_t block, uint32_t odd, uint32_t count);

#endif
