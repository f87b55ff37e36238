/* SPDX-License-Identifier: MIT */
/* Operators that slide a window over images: convolutions (layer.h) and pools (pooling.h). */
#ifndef NN_WINDOW_H
#define NN_WINDOW_H

#include "dsp/program/nn_program.h"
#include "graph/graph.h"

#define NN_WINDOW_ATTRS                                                                            \
	{ .name = "stride", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },                \
	{                                                                                          \
		.name = "padding", .type = NN_ATTR_INTS, .min_count = 4, .max_count = 4,           \
		.or_string = true                                                                  \
	}

/*
 * One direction of an image: `size` elements, and windows that reach over `extent` of them,
 * dilation included. How many there are with this padding, before and behind together; 0 if not one
 * fits.
 */
uint64_t nn_window_count(uint64_t size, uint64_t padding, uint64_t extent, uint64_t stride);
/* The padding that is enough for ceil(size / stride) windows. Half of it goes on each side; which
 * side an odd one goes to, formats have rules of their own for. */
uint64_t nn_window_same_padding(uint64_t size, uint64_t extent, uint64_t stride);

/* Input 0 must be images, 8-bit NHWC; whoever needs a scale looks itself. */
int nn_node_need_image(struct nn_node *node);
/* The same of any type. */
int nn_node_need_any_image(struct nn_node *node);
/* How large kernels and strides over the node's input 0 may be. */
uint32_t nn_node_most_window(const struct nn_node *node);
/* A size in both directions, from one number or two, of 1 to `most`. */
int nn_node_get_pair(struct nn_node *node, const char *name, uint32_t otherwise, uint32_t most,
		     uint32_t *h, uint32_t *w);
/*
 * Fills in, from the node's attributes, all of `window` but the kernel, which is known, and the
 * output's height and width.
 */
int nn_node_place_window(struct nn_node *node, struct nn_window_params *window, uint32_t *out_h,
			 uint32_t *out_w);

/*
 * Whether a kernel of windows that gathers and scatters pixels (struct nn_node) takes no longer for
 * those of the node's input 0 and output 0 than it takes to copy them: an image and what is made of
 * it have room in scratch memory. Else they go in strips, and rows that two of these see are copied
 * twice.
 */
bool nn_window_can_move(const struct nn_node *node);

#endif
