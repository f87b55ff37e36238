/* SPDX-License-Identifier: MIT */
/*
 * Convolutions and the fully connected layer, which is a convolution with one window: weights and
 * bias that are constants, an int32 accumulator, requantization to 8 bit. Convolutions of int16
 * have an accumulator of 64 bits, and become operators of their own (layer_int16.c).
 */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include "dsp/program/nn_program.h"
#include "dsp/program/pack.h"
#include "graph/graph.h"

#define NN_LAYER_MOST_JOINED	128u	/* outputs of pixels that are made as one */

/* A layer: the node's state, which check leaves for lower. */
struct nn_layer {
	enum nn_opcode opcode;
	bool depthwise;			/* an output has weights for one input channel only */
	struct nn_window_params window;
	struct nn_weights weights;
	/*
	 * Set by nn_layer_merge_pixels(): how many pixels are made as one, at least 1, and with
	 * more the weights for that.
	 */
	uint32_t pixels;
	struct nn_weights merged;
	/*
	 * A scale for each output, NULL if the output is the accumulator; made by nn_layer_lower().
	 */
	float *scale;
};

/* Attributes of a layer with windows. */
extern const struct nn_attr_spec nn_layer_attrs[];

/* NULL after reporting an error. */
struct nn_layer *nn_layer_make(struct nn_node *node, enum nn_opcode opcode);
/* `layout` is how they must be, in words. */
int nn_layer_need_weights(struct nn_node *node, uint32_t rank, const char *layout);
/* The output's shape, of a layer with windows whose kernel and weights are known. */
int nn_layer_infer_shape(struct nn_node *node, struct nn_layer *layer);
/* Weights, bias, activation and the output's type; shape and window are known. `output_axis` is the
 * dimension of the weights that counts outputs. */
int nn_layer_check(struct nn_node *node, struct nn_layer *layer, uint32_t output_axis);
int nn_layer_lower(struct nn_lowering *lowering, struct nn_node *node);

/*
 * Several pixels of few outputs at a time (conv2d_pixels.c): how many would be merged, and merging
 * them. When that is done, the program's input, output and window are these. 0 or -ENOMEM; the
 * numbers of tensors or -errno.
 */
uint32_t nn_layer_count_pixels(const struct nn_node *node, const struct nn_layer *layer);
/* Whether pixels of the input are merged, too, and not only those of the output. */
bool nn_layer_merges_input(const struct nn_node *node, const struct nn_layer *layer);
int nn_layer_merge_pixels(struct nn_node *node, struct nn_layer *layer);
int nn_layer_lower_input(struct nn_lowering *lowering, const struct nn_node *node,
			 const struct nn_layer *layer);
int nn_layer_lower_output(struct nn_lowering *lowering, struct nn_node *node,
			  const struct nn_layer *layer);
struct nn_window_params nn_layer_window(const struct nn_layer *layer);
/* The multiplications that count, of those that a program does for a node of any operator. */
uint64_t nn_layer_count_macs(const struct nn_node *node, uint64_t macs);

/* Checks that the node has an image, 8-bit or int16. */
int nn_layer_need_image(struct nn_node *node);
/* Check and lower of layers of int16, which nn_layer_check() and nn_layer_lower() call. */
int nn_layer_check_int16(struct nn_node *node);
int nn_layer_lower_int16(struct nn_lowering *lowering, struct nn_node *node);

#endif
