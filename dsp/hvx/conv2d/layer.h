/* SPDX-License-Identifier: MIT */
/*
 * A layer is what CONV2D and FULLY_CONNECTED on HVX have in common. Both describe theirs, and run
 * it with conv2d_run_layer().
 */
#ifndef NN_CONV2D_LAYER_H
#define NN_CONV2D_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/kernels/progress.h"
#include "dsp/kernels/weights.h"

struct fusion;

/*
 * The source of inputs: they are read where they are, or copied with padding, or each window is
 * copied by itself. In copies pixels are side by side.
 */
enum source { IN_PLACE, PADDED, EXPANDED };

struct layer {
	/* The caller's. */
	const struct nn_call *call;
	const struct nn_window_params *window;
	uint32_t images, height, width, channels;
	uint32_t out_height, out_width, outputs;
	uint32_t pitch;		/* bytes from a pixel of the output to the next, */
	uint32_t input_pitch;	/* and of the input */
	/*
	 * Sums are multiplied by this one number as nn_fixed_multiply() does it, or NULL. Then
	 * results whose product, which has 16 bits of fraction, is within `rounding` of the middle
	 * between two integers are made one by one.
	 */
	const struct nn_fixed *fixed;
	uint32_t rounding;
	/* Called before a group of pixels, which may have constants of its own; or NULL. */
	int (*begin_group)(struct layer *layer);

	/* conv2d_settle_layer()'s. */
	bool is_signed;		/* the input */
	bool is_raw;		/* the output is INT32 */
	enum source source;
	uint32_t segments;	/* of a window */
	uint32_t steps;		/* of all of them: 8 inputs each */

	/* conv2d_measure_layer()'s. */
	struct progress progress;
	uint32_t tile_work;	/* of 64 outputs of four pixels; */
	uint32_t weights_work;	/* of the memory of their weights */
	uint32_t block_bytes;	/* of 32 outputs' weights; */
	uint64_t weight_bytes;	/* of all outputs' */
	uint32_t l2_bytes;	/* bytes of the L2 cache; */
	uint32_t l2_kept;	/* read again after so many others, bytes are still there */

	/* conv2d_run_layer()'s. */
	struct fusion *fusion;	/* what comes behind it, or NULL */
	uint32_t scratch_size;	/* that is its own */
	/*
	 * The output's pixels have a pitch, and fused operators want them side by side: a group's
	 * are made in scratch memory.
	 */
	bool is_gathered;
	uint32_t step;		/* bytes from a pixel's results to the next where they are made */
	bool is_direct;		/* results go there, without staging */
};

static inline uint32_t conv2d_pixel_bytes(const struct layer *layer)
{
	return layer->outputs * (layer->is_raw ? 4 : 1);
}

/*
 * The pitch of EXPANDED inputs, from a window's row to the next's. As many of 16, 32 or 64 bytes as
 * there are fill a vector, and so are laid out and added up together.
 */
static inline uint32_t conv2d_expanded_pitch(const struct layer *layer)
{
	uint32_t length = conv2d_row_length(layer->window->kernel_w, layer->channels), pitch = 8;

	if (length > 64)
		return length;
	while (pitch < length)
		pitch *= 2;
	return pitch;
}

#define CONV2D_STEPS_MAX 4096	/* of a tile */

/* Pixels with a larger pitch are not read in place. */
#define CONV2D_PITCH_MAX (512u << 10)

/*
 * Tells whether results are made by the assembly: not if they are sums, or if windows are so large
 * that it does not matter.
 */
static inline bool conv2d_has_tiles(const struct layer *layer)
{
	return !layer->is_raw && layer->steps <= CONV2D_STEPS_MAX;
}

/*
 * Tells whether inputs are where the loads of eight bytes find them. Strided pixels, but for one in
 * each row of a window, would each be a segment of their own.
 */
static inline bool conv2d_is_aligned(const struct layer *layer)
{
	bool is_dense = layer->input_pitch == layer->channels;

	return ((uintptr_t)layer->call->input[0].data | layer->input_pitch) % 8 == 0 &&
	       layer->input_pitch <= CONV2D_PITCH_MAX &&
	       (is_dense || layer->window->kernel_w == 1);
}

/* Settles what follows from the operands' types and the geometry. */
static inline void conv2d_settle_layer(struct layer *layer)
{
	const struct nn_window_params *window = layer->window;
	bool inside = !window->pad_top && !window->pad_left &&
		      (layer->out_height - 1) * window->stride_h +
				      (window->kernel_h - 1) * window->dilation_h <
			      layer->height &&
		      (layer->out_width - 1) * window->stride_w +
				      (window->kernel_w - 1) * window->dilation_w <
			      layer->width;

	layer->is_signed = layer->call->input[0].type == NN_TYPE_INT8;
	layer->is_raw = layer->call->output[0].type == NN_TYPE_INT32;
	if (layer->channels % 8)
		layer->source = EXPANDED;
	else if (inside && conv2d_is_aligned(layer))
		layer->source = IN_PLACE;
	else
		layer->source = conv2d_is_wide(window, layer->channels) ? EXPANDED : PADDED;
	layer->segments = window->kernel_h;
	if (layer->source != EXPANDED && window->dilation_w != 1)
		layer->segments *= window->kernel_w;
	layer->steps = window->kernel_h * conv2d_row_length(window->kernel_w, layer->channels) / 8;
}

/*
 * Measures the work of a layer. False if 64 outputs of four pixels are too much between two reports
 * of progress, of windows so large that nobody has them.
 */
bool conv2d_measure_layer(struct layer *layer);

/*
 * A layer that is run again and again, with other data and constants in the same operands, is
 * prepared once for all runs whose input and output begin at the same places in a vector. False: it
 * cannot be run so. Nothing is fused with it.
 */
struct memory;
bool conv2d_prepare_layer(struct layer *layer, struct memory *memory);
int conv2d_run_prepared(struct layer *layer, struct memory *memory);

/* Runs a layer. Returns what a report of progress did. */
int conv2d_run_layer(struct layer *layer);

#endif
