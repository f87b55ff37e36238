/* SPDX-License-Identifier: MIT */
/*
 * Pools: what MaxPool and AveragePool share.
 */
#ifndef NN_POOLING_H
#define NN_POOLING_H

#include "window.h"

#define NN_KERNEL_ATTR                                                                             \
	{ .name = "kernel", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 }

/* For check: shape, and quantization as the input's unless it is given. The node's state is a
 * struct nn_average_float_params, of which the window is filled in and the rest is 0. */
int nn_pooling_check(struct nn_node *node);
int nn_pooling_lower(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode);
/* Lowers a pool of int16: the mean, or the greatest. */
int nn_pooling_lower_int16(struct nn_lowering *lowering, struct nn_node *node, bool average);

#endif
