/* SPDX-License-Identifier: MIT */
/*
 * Strided pixels: those that have a pitch in an operand (struct nn_tensor) are copied to scratch
 * memory, where they are side by side, and back.
 *
 *	operand		|aaaa........|bbbb........|cccc........|	`pitch` bytes each
 *	scratch memory	|aaaa|bbbb|cccc|
 *
 * A block of up to 128 bytes takes a packet where each lies within an aligned vector on either
 * side, and so do 128 bytes where all are aligned; else two. Convolutions, strips.c, fuse.c and the
 * elementwise kernels call this.
 */
#ifndef NN_PIXELS_H
#define NN_PIXELS_H

#include <stdint.h>

/*
 * Gathers `count` (1 or more) pixels of `bytes` bytes, one every `pitch` bytes. `to` has room for
 * 128 bytes more, which may be written. Nothing is read behind the last pixel, but in an aligned
 * vector that has some of it.
 */
void nn_gather_pixels(uint8_t *to, const uint8_t *from, uint32_t pitch, uint32_t bytes,
		      uint32_t count);

/*
 * Scatters them again, from pixels of which one begins every `from_pitch` bytes. 128 bytes more are
 * read; nothing else is written.
 */
void nn_scatter_pixels(uint8_t *to, uint32_t pitch, const uint8_t *from, uint32_t from_pitch,
		       uint32_t bytes, uint32_t count);

#endif
