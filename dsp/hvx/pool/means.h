/* SPDX-License-Identifier: MIT */
/*
 * Means of windows of a row that are equally large, made of sums of columns (average.h): for
 * AVERAGE_POOL, AVERAGE_POOL_AWAY and AVERAGE_POOL_FLOAT.
 *
 *	down	|a0 a1 a2 ...|	halfwords, a column's channels side by side
 *		a window's sum is a0 + a(channels) + a(2 * channels), the next one's begins at
 *		a(stride * channels)
 *
 * With S the sum of a window, which has 15 bits, a mean is bits 32 and up of S * multiplier + base,
 * saturated to 8 bits and clamped.
 */
#ifndef NN_MEANS_H
#define NN_MEANS_H

#include "dsp/hvx/pool/pool.h"

#define MEANS_MOST	128u	/* elements of a window, whose sum has 15 bits */
#define MEANS_CHUNK	1024u	/* results of which marks are a vector */
#define MEANS_MOST_CHUNKS	8u

struct means {
	uint32_t low, high;		/* halves of the multiplier, both twice */
	int32_t base_low, base_high;	/* 16 bits of the base, and the others */
	uint32_t flip, min, max;	/* bytes, four times: for results that are unsigned first */
	uint32_t ties;			/* fractions below may be ties; twice. 0: nobody asks */
};

/* The means of windows with so many elements, some of which may be padding: a few are kept. */
#define KNOWN_MEANS	4u

struct known_means {
	uint32_t count[KNOWN_MEANS], area[KNOWN_MEANS];	/* 0: none */
	bool has_means[KNOWN_MEANS];			/* else they cannot be made so */
	struct means means[KNOWN_MEANS];
};

/*
 * Sets *means, of windows with `area` elements that are not padding, where `more` / 2^32 is added
 * before all is rounded down. Returns false if results are not made so.
 */
bool nn_means_settle(struct means *means, const struct nn_call *call, uint32_t multiplier,
		     uint32_t area, uint64_t more);

struct mean_windows {
	const uint16_t *down;		/* of the first window */
	uint16_t *sums;			/* room for all windows' sums, and a vector more */
	uint8_t *to;
	uint32_t windows, channels, columns, stride;
};

/* Whether sums of windows are to be stored before nn_means_make(), and that. */
static inline bool means_are_added(const struct mean_windows *windows)
{
	return windows->stride > 1 && windows->channels % (VECTOR / 2);
}

void nn_means_add(const struct mean_windows *windows);

/*
 * Makes results first to first + count - 1 of these windows, at most MEANS_MOST_CHUNKS *
 * MEANS_CHUNK; `first` is a multiple of that. Where ties are asked for, each MEANS_CHUNK results
 * have marks, a vector in memory, with a halfword for each of 64 results: bits 0 to 7 are of
 * results 0, 128, .. from it on, and bits 8 to 15 of 64, 192, .. Marks behind the last result are
 * anything. Returns whether there is any.
 */
bool nn_means_make(const struct mean_windows *windows, const struct means *means, uint32_t first,
		   uint32_t count, uint8_t (*marks)[VECTOR]);

/* The result that a bit of the marks is of. */
static inline uint32_t marked_result(uint32_t lane, uint32_t bit)
{
	return bit % 8 * VECTOR + bit / 8 * (VECTOR / 2) + lane;
}

#endif
