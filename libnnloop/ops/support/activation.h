/* SPDX-License-Identifier: MIT */
/*
 * Activations that limit real values: the attribute `activation` of an operator, and operators that
 * do nothing else (Relu, Relu6, Clamp), which say what to with get_limits. A fused one is in the
 * node's limits, and nn_lower_limits() (emit.h) turns those into stored values.
 */
#ifndef NN_ACTIVATION_H
#define NN_ACTIVATION_H

#include "graph/graph.h"

#define NN_ACTIVATION_ATTR	{ .name = "activation", .type = NN_ATTR_STRING }

/* check: the attribute becomes limits of the node. */
int nn_check_activation(struct nn_node *node);
/* Limits that come behind those that the node has. */
void nn_node_limit(struct nn_node *node, struct nn_limits limits);
/* lower, for operators with get_limits that were not fused. */
int nn_lower_activation(struct nn_lowering *lowering, struct nn_node *node);

#endif
