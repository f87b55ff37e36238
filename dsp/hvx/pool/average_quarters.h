/* SPDX-License-Identifier: MIT */
/*
 * How far the float sums of NN_AVERAGE_QUARTERS can be off, from what a window has in it
 * (average_quarters.c), for average_float_row.c.
 */
#ifndef NN_AVERAGE_QUARTERS_H
#define NN_AVERAGE_QUARTERS_H

#include "dsp/kernels/pool.h"
#include "dsp/hvx/common/vector.h"

/* Sums of up to 128 channels, and how large they were on the way. */
struct quarter_sums {
	int32_t sum[4][VECTOR];		/* of q, of every fourth element */
	uint32_t size[VECTOR];		/* the magnitudes of all four after each row, added up */
};

/* Returns the word of a channel in these. */
static inline uint32_t quarter_word(uint32_t channel)
{
	return (channel & 1) * 64 + (channel >> 1 & 1) * 32 + channel / 4;
}

/* Tells whether a window has whole rows, of which each begins with the first quarter. */
static inline bool has_quarter_rows(const struct nn_call *call, const struct pool_window *window)
{
	uint32_t width = call->input[0].dims[2];

	return call->op->average_float.order == NN_AVERAGE_QUARTERS && width % 4 == 0 &&
	       width <= 1024 && window->right - window->left == width;
}

/* Makes these of `bytes` (1 .. 128) channels from c on. Returns what a report of progress did. */
int nn_average_quarters(struct progress *progress, const uint8_t *image,
			const struct pool_window *window, uint32_t c, uint32_t bytes,
			struct quarter_sums *sums);

/*
 * Returns the float sum of a window's channel less the exact one, at most, in q times 2^24: an
 * addition is off by 2^-24 of its result. In a row of w elements, 255 at most, no sum on the way of
 * a quarter is more than 255 * w / 4 from what it is at the row's end. The last additions have
 * sums of quarters, and the last row's are counted once more for each of two of them; a product is
 * off by 2^-24 of itself.
 */
static inline float quarters_error(const struct quarter_sums *sums, uint32_t channel,
				   uint32_t area, uint32_t width)
{
	return (float)(width / 4 + 2) * (float)sums->size[quarter_word(channel)] +
	       (float)area * 255.0f * (float)(width / 4 + 2);
}

#endif
