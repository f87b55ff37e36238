/* SPDX-License-Identifier: MIT */
/*
 * Softmax of int16 (softmax_int16.c), for softmax.c, which has checked beta and the number of
 * dimensions.
 */
#ifndef NN_SOFTMAX_H
#define NN_SOFTMAX_H

#include "graph/op.h"
#include "ops/ops.h"

int nn_check_softmax_int16(struct nn_node *node);
int nn_lower_softmax_int16(struct nn_lowering *lowering, struct nn_node *node);

#endif
