/* SPDX-License-Identifier: MIT */
/*
 * Layers that make a single pixel, or a single row of a fully connected layer: of these a window is
 * all that there is, so nothing is divided, listed or staged.
 */
#ifndef NN_CONV2D_ROW_H
#define NN_CONV2D_ROW_H

#include <stdbool.h>
#include <stdint.h>

struct nn_call;

/* The window: rows of inputs that lie side by side. */
struct row_window {
	uint32_t rows, bytes;	/* of each; */
	uint32_t pitch;		/* from each to the next */
};

/* Tells whether a convolution makes a single pixel of such a window, and describes that. */
bool conv2d_is_row(const struct nn_call *call, struct row_window *window);

/*
 * Runs such a layer, with what is fused with it. False, and nothing is done, if it is too large.
 * *ret is what a report of progress returned.
 */
bool conv2d_run_row(const struct nn_call *call, const struct row_window *window, int *ret);

#endif
