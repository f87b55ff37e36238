/* SPDX-License-Identifier: MIT */
/*
 * Windows of 2x2 and 3x3 with stride 2 of less than 128 channels that are no power of two, for
 * MAX_POOL: as many to a vector of results as it has room for, or one less to have an even number.
 * max_s2_narrow.c calls the assembly, which brings left and right pixels of windows together in one
 * of four ways. C and assembly include this file.
 *
 * Windows of 24 channels, five to a vector, are interleaved (max_s2_narrow_interleave.S): a vector
 * has the first five pixels of ten, another one the rest. One that has the even pixels of the first
 * and the odd ones of the second has one pixel of each window, the left or the right one; the other
 * way around it has the other ones:
 *
 *	first, second	0 1 2 3 4	5 6 7 8 9
 *	left, right	0 6 2 8 4	5 1 7 3 9
 *
 * Rotated left by a pixel, the right ones are beside the left ones; rotated right, those of the
 * window before are, but for the first. So results are those of windows 0 3 1 4 2, which two delta
 * networks and a mask put in order. A network can rotate only by a step for which its paths do not
 * collide, as behind 96 bytes, so other numbers of channels would need two rotations and a mask.
 *
 * Windows of 33 to 63 channels, two or three to a vector, are shifted (max_s2_narrow_shift.S):
 * masks make them of pixels that are shifted by one pixel and more:
 *
 *	0 1 2	1 2 3	2 3 4	3 4 5
 *	left and right, or right and left	0 3 4	1 2 5
 *	right ones of the window before		. 1 3
 *
 * Windows of at most 32 other channels come in pairs of vectors (max_s2_narrow_delta.S): each
 * vector has the pixels of half of the windows, and delta networks bring its left pixels to where
 * its results are, and its right ones:
 *
 *	first, second	0 1 2 3		4 5 6 7
 *	left, right	0 2 4 6		1 3 5 7
 *
 * Windows of more than 64 channels have a vector of results each (max_s2_narrow_single.S).
 */
#ifndef NN_HVX_INTERLEAVE_H
#define NN_HVX_INTERLEAVE_H

#define INTERLEAVED_CHANNELS	24
#define INTERLEAVED_WINDOWS	5

#define PAIRED_CHANNELS	32	/* at most, and not 24 */

/* Offsets of the members of struct narrow_windows. */
#define NARROW_PAIRS	0	/* for pairs, in place of the next four */
#define NARROW_TURN	0
#define NARROW_EVEN	128
#define NARROW_ODD	256
#define NARROW_FIRST	384
#define NARROW_LATE	512
#define NARROW_BEGIN	640
#define NARROW_BEFORE	768
#define NARROW_TO	896
#define NARROW_ROWS	900	/* three addresses */
#define NARROW_COUNT	912
#define NARROW_ACROSS	916
#define NARROW_PIXEL	920
#define NARROW_BYTES	924
#define NARROW_NEXT	928
#define NARROW_TO_NEXT	932
#define NARROW_MIN	936
#define NARROW_MAX	940
#define NARROW_OUT_ROWS	944
#define NARROW_LAST	948

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>
#include "dsp/hvx/common/vector.h"

/* The windows of a vector by channels, where they come in pairs: VECTOR / 2 / channels * 2. */
extern const uint8_t nn_paired_windows[PAIRED_CHANNELS + 1];

/* The windows of a vector of results, or 0 if there are other loops for so many channels. */
static inline uint32_t max_s2_narrow_windows(uint32_t channels)
{
	if (channels >= VECTOR || !(channels & (channels - 1)))
		return 0;
	if (channels > PAIRED_CHANNELS)
		return channels > VECTOR / 2 ? 1 : channels > VECTOR / 3 ? 2 : 3;
	return channels == INTERLEAVED_CHANNELS ? INTERLEAVED_WINDOWS : nn_paired_windows[channels];
}

/*
 * The number of vectors at the end of the last row that would store behind it: one, or where a
 * vector has room for a pixel more than it has results, two.
 */
static inline uint32_t max_s2_narrow_last(uint32_t channels, uint32_t windows)
{
	return (windows + 1) * channels <= VECTOR ? 2 : 1;
}

struct narrow_windows {
	union {
		/* The next four are for 24 channels. */
		struct {
			HVX_Vector turn;	/* vdelta: to the left, vrdelta: to the right */
			HVX_Vector even, odd;	/* vrdelta puts these results in order */
			HVX_Vector first;	/* bytes of even pixels: all ones */
		};
		/*
		 * The networks of pairs: left pixels of the first vector and of the second, then
		 * right ones.
		 */
		HVX_Vector pairs[4];
	};
	/* A mask for 24 channels and for pairs. */
	HVX_Vector late;	/* results from odd pixels, or from the second vector */
	/* The rest is for all; `begin` is a mask, too. */
	HVX_Vector begin;	/* bytes of the first pixel */
	HVX_Vector before;	/* of 3x3: what the first window has in its column 0 */
	uint8_t *to;		/* 128 bytes are stored */
	const uint8_t *row[3];	/* the first window's column 0 of 2, or 1 of 3 */
	uint32_t count;		/* of vectors, at least 1 */
	uint32_t across;	/* vectors of a row of the output */
	uint32_t pixel, bytes;	/* bytes of a pixel, and of a vector's results */
	uint32_t next, to_next;	/* from behind a row's last vector to the next row */
	uint32_t min, max;	/* the clamp, four times; rows of 3x3 begin with the least */
	uint32_t out_rows, last;	/* the same as `count`: rows, and vectors of the last one */
};

_Static_assert(offsetof(struct narrow_windows, to) == NARROW_TO, "as the assembly has it");
_Static_assert(offsetof(struct narrow_windows, last) == NARROW_LAST, "as the assembly has it");

/* Sets controls and masks, `pixel` and `bytes`. */
void nn_max_s2_narrow_settle(struct narrow_windows *narrow, uint32_t channels, uint32_t windows);

typedef void nn_max_s2_narrow(const struct narrow_windows *narrow);

nn_max_s2_narrow nn_max_interleaved_2_u8, nn_max_interleaved_2_s8;
nn_max_s2_narrow nn_max_interleaved_3_u8, nn_max_interleaved_3_s8;
/* The loops for two windows to a vector, and three. */
nn_max_s2_narrow nn_max_shifted2_2_u8, nn_max_shifted2_2_s8;
nn_max_s2_narrow nn_max_shifted2_3_u8, nn_max_shifted2_3_s8;
nn_max_s2_narrow nn_max_shifted3_2_u8, nn_max_shifted3_2_s8;
nn_max_s2_narrow nn_max_shifted3_3_u8, nn_max_shifted3_3_s8;
/* The loops for pairs, and for one window to a vector. */
nn_max_s2_narrow nn_max_delta_2_u8, nn_max_delta_2_s8, nn_max_delta_3_u8, nn_max_delta_3_s8;
nn_max_s2_narrow nn_max_single_2_u8, nn_max_single_2_s8, nn_max_single_3_u8, nn_max_single_3_s8;

#endif

#endif
