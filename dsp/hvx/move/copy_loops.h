/* SPDX-License-Identifier: MIT */
/*
 * Loops that move vectors and do nothing else, in assembly: compiled, each vector takes two or
 * three packets more. Counts are at least 1. Addresses may have any alignment unless said.
 */
#ifndef NN_COPY_LOOPS_H
#define NN_COPY_LOOPS_H

#include <stdint.h>

/* 128 * count bytes; `to` is aligned. A packet each. */
void nn_copy_vectors(uint8_t *to, const uint8_t *from, uint32_t count);

/* `count` times 128 bytes, one after another, which may overlap. Two packets each. */
void nn_copy_steps(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		   uint32_t count);

/* The same where addresses and steps are multiples of 128. A packet each. */
void nn_copy_aligned_steps(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
			   uint32_t count);

/*
 * `count` times 256 bytes: blocks of `block` bytes, a power of two of at most 64, to `even`
 * and `odd` in turn. Five packets each.
 */
void nn_copy_deal(uint8_t *even, uint8_t *odd, const uint8_t *from, uint32_t block, uint32_t count);

/*
 * `count` blocks of `block` bytes, at most 128. What is stored is what was there but for the
 * block, 128 bytes from its beginning on, all of which must be the caller's; as many are read.
 * Three packets each.
 */
void nn_copy_blend(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		   uint32_t block, uint32_t count);

/*
 * The same where to_step is a multiple of 128 and no block crosses one in `to`: nothing else
 * is stored, and what is read is 128 bytes from `from` - `to` % 128 on. Two packets each.
 */
void nn_copy_masked(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		    uint32_t block, uint32_t count);

/*
 * The same where no block crosses a multiple of 128 in `from` either, whatever from_step is; what
 * is read are the aligned 128 bytes around each block. A packet each.
 */
void nn_copy_within(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
		    uint32_t block, uint32_t count);

/*
 * `count` times two blocks of `block` bytes, or three, which are at most 128 together: to the
 * bytes behind those before. 128 bytes are read from each block's beginning on, or as many
 * before as the blocks before it have, and stored from the first one's on: what is too much
 * there is overwritten by the next, or the last is not the last that the caller has. from_step
 * is at least `block`. Three packets each, or four.
 */
void nn_copy_join_two(uint8_t *to, const uint8_t *from, uint32_t from_step, uint32_t block,
		      uint32_t count);
void nn_copy_join_three(uint8_t *to, const uint8_t *from, uint32_t from_step, uint32_t block,
			uint32_t count);

/*
 * `count` times 128 bytes through a delta network, whose control is `control`: from any address to
 * aligned ones, side by side, by vdelta, and the way back by vrdelta. Two packets each.
 */
void nn_spread_vectors(uint8_t *to, const uint8_t *from, const void *control, uint32_t from_step,
		       uint32_t count);
void nn_gather_vectors(uint8_t *to, const uint8_t *from, const void *control, uint32_t to_step,
		       uint32_t count);

/*
 * `count` aligned times 128 bytes, each through two networks by vrdelta, to any address: what the
 * first makes where bytes of the third vector at `networks` are all ones, elsewhere what the second
 * makes. Three packets each. Reads a vector too many.
 */
void nn_gather_halves(uint8_t *to, const uint8_t *from, const void *networks, uint32_t to_step,
		      uint32_t count);

/*
 * `count` times 128 bytes: blocks of `block` bytes, a power of two of at most 64, to every other
 * block from `to` on, the second of a pair if `odd` is 1, the first if it is 0. Both are aligned.
 * Nothing else is stored. Two packets each.
 */
void nn_copy_shuffled(uint8_t *to, const uint8_t *from, uint32_t block, uint32_t odd,
		      uint32_t count);

/*
 * The way back: 128 * count bytes to `to` of every other block from `from` on, of which twice as
 * many bytes are read. Both are aligned. Two packets each.
 */
void nn_copy_dealt(uint8_t *to, const uint8_t *from, uint32_t block, uint32_t odd, uint32_t count);

#endif
