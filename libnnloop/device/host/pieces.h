/* SPDX-License-Identifier: MIT */
/* The pieces in which a depthwise convolution is made, 32 outputs at a time. */
#ifndef NN_HOST_PIECES_H
#define NN_HOST_PIECES_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "numbers.h"
#include "results.h"

#define MOST_COLUMNS	96u	/* of a piece of the output */
#define MOST_CELLS	1696u	/* and of the input */

struct depthwise_room;

struct depthwise {
	const struct nn_call *call;
	struct depthwise_room *room;
	struct results results;
	const struct nn_window_params *window;
	uint32_t blocks;	/* of outputs */
	uint32_t columns;	/* of a piece, at most */
	uint32_t rows, strips;	/* of a piece, and how many have all; 0: no room for a window */
};

/* Pixels of the output, and where they are in the image: from y, x on, which may be outside. */
struct piece {
	uint32_t row, oy, ox, rows, columns;
	int64_t y, x;
	uint32_t high, wide;
};

#endif
