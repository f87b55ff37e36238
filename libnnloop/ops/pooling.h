/* SPDX-License-Identifier: MIT */
/*
 * What pools share: MaxPool, AveragePool.
 */
#ifndef NN_POOLING_H
#define NN_POOLING_H

#include "window.h"

#define NN_KERNEL_ATTR                                                                             \
	{ .name = "kernel", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 }

/* For check: shape, and quantization as the input's unless it is given. The window is the node's
 * state. */
int nn_pooling_check(struct nn_node *node);
int nn_pooling_lower(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode);

#endif
