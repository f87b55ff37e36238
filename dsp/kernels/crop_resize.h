/* SPDX-License-Identifier: MIT */
/*
 * The positions that CROP_RESIZE reads (crop_resize.c), for the portable kernel and the vector one.
 */
#ifndef NN_CROP_RESIZE_H
#define NN_CROP_RESIZE_H

#include "dsp/kernels/numbers.h"

/* One axis of a box: position 0, 1, ... of the output, one after another. */
struct axis {
	int64_t start;			/* 16 * low - 128 */
	uint32_t whole, rest;		/* of (high - low) * (2 i + 1) * 8 / count */
	uint32_t step_whole, step_rest;	/* of (high - low) * 16 / count */
	uint32_t count;
	int64_t last;			/* 256 * (size - 1) */
};

static inline struct axis axis_of(int32_t low, int32_t high, uint32_t size, uint32_t count)
{
	int32_t limit = 16 * (int32_t)size;
	uint32_t length;
	struct axis axis;

	low = clamp_int(low, 0, limit);
	high = clamp_int(high, 0, limit);
	length = high > low ? high - low : 0;	/* at most 2^20 */
	axis.start = 16ll * low - 128;
	axis.whole = length * 8 / count;
	axis.rest = length * 8 % count;
	axis.step_whole = length * 16 / count;
	axis.step_rest = length * 16 % count;
	axis.count = count;
	axis.last = 256 * ((int64_t)size - 1);
	return axis;
}

/* The position's neighbours and how much of 256 the second has. */
struct position {
	uint32_t near, far, part;
};

static inline struct position next_position(struct axis *axis)
{
	int64_t at = axis->start + axis->whole;
	struct position position;

	at = at < 0 ? 0 : at > axis->last ? axis->last : at;
	position.near = at >> 8;
	position.far = position.near + (position.near < axis->last >> 8);
	position.part = at & 255;

	axis->whole += axis->step_whole;
	axis->rest += axis->step_rest;
	if (axis->rest >= axis->count) {
		axis->rest -= axis->count;
		axis->whole++;
	}
	return position;
}

#endif
