/* SPDX-License-Identifier: MIT */
/*
 * AVERAGE_POOL_FLOAT's rows of windows of any size and stride (average_float_row.c), for
 * average_pool_float.c.
 */
#ifndef NN_AVERAGE_FLOAT_ROW_H
#define NN_AVERAGE_FLOAT_ROW_H

#include "dsp/kernels/average_float.h"
#include "dsp/hvx/pool/average.h"

/*
 * Returns how near to a half a fraction may be a tie, in steps of 2^-16, of usual scales. With
 * AVERAGE_MOST_MARGIN any result may be one.
 */
#define AVERAGE_MOST_MARGIN	0x7000u

uint32_t nn_average_float_margin(const struct nn_average_float_params *params);

/* The numbers that all rows of a call have in common. */
struct float_rows {
	float inverse_scale;
	uint32_t margin;
	uint32_t over_channels;		/* 2^32 / channels, or 0 */
	struct known_means known;
	float inverse_count[KNOWN_MEANS];	/* of the same */
	struct window_groups groups;
	/* Each byte's q(a) * scale_input, made when so many have been computed one by one. */
	uint32_t computed;
	float product[256];
	uint8_t marks[MEANS_MOST_CHUNKS][VECTOR] __attribute__((aligned(8)));
};

void nn_average_float_begin(struct float_rows *rows, const struct nn_call *call);

/* Makes the windows of a part of row y: an average_row_function with struct float_rows. */
int nn_average_float_row(struct progress *progress, void *float_rows, const uint8_t *image,
			 uint32_t y, const struct column_part *part, uint8_t *out);

#endif
