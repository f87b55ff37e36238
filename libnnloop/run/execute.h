/* SPDX-License-Identifier: MIT */
/*
 * An execution of a graph, in three steps that the API calls (execute.c).
 */
#ifndef NN_EXECUTE_H
#define NN_EXECUTE_H

#include "graph/graph.h"

/*
 * An execution in three steps, so that a started one can run in a thread: begin checks the buffers
 * and plans again if rows changed (the lock is held); run does the work (`busy` is set, the lock is
 * not held); end is for the lock's holder again.
 */
struct nn_execution;

/* Buffers are the program's, `size` bytes each. */
int nn_execution_begin(struct nn_graph *graph, const struct nn_buffer *inputs, uint32_t input_count,
		       struct nn_buffer *outputs, uint32_t output_count, size_t size,
		       struct nn_execution **execution);
int nn_execution_run(struct nn_execution *execution);
void nn_execution_end(struct nn_execution *execution);

#endif
