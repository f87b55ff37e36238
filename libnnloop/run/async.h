/* SPDX-License-Identifier: MIT */
/*
 * Executions that were started: a thread runs them, an eventfd tells when they are done.
 */
#ifndef NN_ASYNC_H
#define NN_ASYNC_H

#include "graph/graph.h"

/* Cancel, wait, free. */
void nn_async_destroy(struct nn_graph *graph);

#endif
