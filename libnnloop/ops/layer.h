/* SPDX-License-Identifier: MIT */
/*
 * What convolutions and the fully connected layer share, which is a convolution with one window:
 * weights and bias that are constants, an int32 accumulator, requantization to 8 bit.
 */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include "dsp/nn_program.h"
#include "dsp/pack.h"
#include "graph/graph.h"

/* What lower needs: made by check, the node's state. */
struct nn_layer {
	enum nn_opcode opcode;
	bool depthwise;			/* an output has weights for one input channel only */
	struct nn_window_params window;
	struct nn_weights weights;
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

#endif
