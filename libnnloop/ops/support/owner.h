/* SPDX-License-Identifier: MIT */
/*
 * What loops share that can have one output more than inputs (BatchLoop, CountLoop; attribute
 * `owner`): which outer row each row of a pass belongs to.
 */
#ifndef NN_OWNER_H
#define NN_OWNER_H

#include "graph/graph.h"

/* Both do nothing for a node without that output. */
int nn_owner_set(struct nn_node *node);
int nn_owner_lower(struct nn_lowering *lowering, struct nn_node *node);

#endif
