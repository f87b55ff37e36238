/* SPDX-License-Identifier: MIT */
/*
 * Aliases: operators whose outputs are other names of their inputs (Nop, Copy, Reshape, Assign).
 */
#ifndef NN_ALIAS_H
#define NN_ALIAS_H

#include "graph/graph.h"

/* The output has the same elements as the input, in the same order: it is where that is, if it can
 * be. nn_lower_aliases() is the lower function to go with it. */
void nn_node_alias(struct nn_node *node, uint32_t output, uint32_t input);

/* check: output i is as input i modulo their number. */
int nn_check_aliases(struct nn_graph *graph, struct nn_node *node, void *opaque);
/* lower: copies where outputs cannot be other names. */
int nn_lower_aliases(struct nn_lowering *lowering, struct nn_node *node);

#endif
