/* SPDX-License-Identifier: MIT */
/*
 * A layer of DEPTHWISE_CONV2D on HVX, and the rows of input that it keeps in scratch memory.
 * depthwise_conv2d.c fills struct depthwise, and all of this folder reads it.
 */
#ifndef NN_DEPTHWISE_H
#define NN_DEPTHWISE_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

struct depthwise_pixels;

/*
 * The ways to make sums: by compiled code, by sum.S (see job.h) with stride 1 or 2, by 5x5.h, or by
 * words.h.
 */
enum sums { COMPILED, ROWS, STRIDED_ROWS, FIVE_ROWS, WORDS };

/* The layer and how scratch memory is divided. */
struct depthwise {
	const struct nn_call *call;
	struct progress progress;
	struct nn_window_params window;
	uint32_t channels;	/* of the output */
	uint32_t repeat;	/* channels of the output for each of the input */
	uint32_t next;		/* by how much 32 lanes further is another channel */
	uint32_t words;		/* of a row of the kernel, four columns each */
	bool is_signed, is_raw;
	bool is_exact;		/* all scales are, see exact_scales.h */
	bool is_limited;	/* the assembly's sums are to be, see limit.h */
	enum sums sums;

	/* Constants have `period` lanes: channels 0, 1, ..., channels - 1, 0, 1, ... */
	uint32_t period;
	const int32_t *weights;	/* [kernel_h][words][period] */
	const int32_t *bias;
	const struct nn_tensor *scales;	/* NULL: is_raw */
	uint32_t bias_bytes, scales_bytes;	/* from weights to bias, and on to multipliers */

	/* Members for weights with a zero point, see flat.h. */
	uint32_t flat_times;	/* how often flat sums are added; 0: there is no zero point */
	uint32_t flat_weights;	/* four */
	const int32_t *flat_lanes;	/* [kernel_h][words][32] */
	struct depthwise_pixels *flat_pixels;	/* with these weights */
	HVX_Vector *flat_sums;	/* where flat sums go; set where the memory of sums is */

	uint32_t out_columns;	/* at a time */
	uint32_t out_rows;
	uint32_t phase_bytes;	/* columns x, x + stride, ... of a row of input */
	uint8_t *rows;		/* scratch memory: [input rows][stride_w][phase_bytes] */
	uint32_t *column;	/* [256]: where the kernel's columns are in a row */

	/* Members for what fill_rows.c moves by permutations. */
	HVX_Vector repeating;	/* the control of each channel repeated */
	uint32_t repeated;	/* elements of the input that a vector then has; 0: there is none */
	HVX_Vector gathering;	/* the control of every stride_w-th pixel */
	uint32_t gathered;	/* pixels that a vector then has; 0: there is none */
	uint8_t *repeated_row;	/* memory of a row of columns with repeated channels */

	uint8_t *job_memory;	/* of the assembly: sums, then results in parts, */
	uint8_t *words_memory;	/* and words, see words.h */
};

/* Returns after how many vectors of 128 channels the channels are the same again. */
static inline uint32_t period_of(uint32_t channels)
{
	uint32_t twos = __builtin_ctz(channels);

	return channels >> (twos < 7 ? twos : 7);
}

/*
 * Settles how rows are copied: takes memory from the end of the `bytes` bytes of scratch memory at
 * d->rows if there is room, and returns what is left.
 */
uint32_t nn_depthwise_settle_rows(struct depthwise *d, uint32_t bytes);

/*
 * Copies rows of input to d->rows, from the image's row y and column x on, padding included.
 * Reports progress.
 */
int nn_depthwise_fill_rows(struct depthwise *d, const uint8_t *image, int64_t y, int64_t x,
			   uint32_t rows, uint32_t columns);

#endif
