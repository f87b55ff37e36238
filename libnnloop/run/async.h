/* SPDX-License-Identifier: MIT */
/*
 * Executions that were started: a thread runs them, an eventfd tells when they are done.
 */
#ifndef NN_ASYNC_H
#define NN_ASYNC_H

#include "graph/graph.h"

struct nn_async;

/* Cancel, wait, free. */
void nn_async_destroy(struct nn_graph *graph);
/* A started execution has not been waited for. The lock is held. */
bool nn_async_is_running(const struct nn_graph *graph);
/* A condition variable that waits by CLOCK_MONOTONIC. Positive errno, as pthread functions. */
int nn_condition_init(pthread_cond_t *condition);

#endif
