/* SPDX-License-Identifier: MIT */
/*
 * Add and Sub: of tensors of one shape an operator of its own with vector code, else one that
 * broadcasts.
 */
#ifndef NN_SUM_H
#define NN_SUM_H

#include "graph/graph.h"

int nn_check_add(struct nn_graph *graph, struct nn_node *node, void *opaque);
int nn_check_sub(struct nn_graph *graph, struct nn_node *node, void *opaque);
/* Lowers either of the two. */
int nn_lower_sum(struct nn_lowering *lowering, struct nn_node *node);

#endif
