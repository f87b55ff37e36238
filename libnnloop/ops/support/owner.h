/* SPDX-License-Identifier: MIT */
/*
 * Loops that can have one output more than inputs (BatchLoop, CountLoop; attribute `owner`): which
 * outer row each row of a pass belongs to.
 */
#ifndef NN_OWNER_H
#define NN_OWNER_H

#include "graph/graph.h"

/* Set and lower that output; both do nothing for a node without it. */
int nn_owner_set(struct nn_node *node);
int nn_owner_lower(struct nn_lowering *lowering, struct nn_node *node);

#endif
