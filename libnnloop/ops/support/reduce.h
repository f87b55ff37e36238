/* SPDX-License-Identifier: MIT */
/*
 * Reduce of int16 (reduce_int16.c), for reduce.c.
 */
#ifndef NN_REDUCE_H
#define NN_REDUCE_H

#include "graph/op.h"
#include "ops/ops.h"

/* Functions of graphs that are none of opcode REDUCE. */
#define NN_REDUCE_MEAN_FIXED	NN_REDUCE_FORMS
#define NN_REDUCE_MEAN_SCALED	(NN_REDUCE_FORMS + 1)

/* form: an enum nn_reduce_form, or that; axes: a bit for each. Makes the node's state. */
int nn_check_reduce_int16(struct nn_node *node, uint32_t form, uint32_t axes);
int nn_lower_reduce_int16(struct nn_lowering *lowering, struct nn_node *node);

#endif
