/* SPDX-License-Identifier: MIT */
/* Helpers of operators that run on the host's processor, between passes of the device. */
#ifndef NN_OPS_HOST_H
#define NN_OPS_HOST_H

#include "graph/graph.h"

/* Reports that a buffer cannot be reached from here: -EACCES. */
int nn_host_deny(struct nn_node *node);
/* Sets where each of the node's outputs is, with so many rows of zeros. 0 or the error. */
int nn_host_clear_outputs(struct nn_graph *graph, struct nn_node *node, uint32_t rows, void **out);
/* Fills in the real value that each stored byte stands for, of 8 bits with one scale. */
void nn_host_fill_reals(float real[256], const struct nn_tensor_info *info);

#endif
