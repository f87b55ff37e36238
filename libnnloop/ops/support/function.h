/* SPDX-License-Identifier: MIT */
/*
 * Operators that are a real function of one 8-bit element: 256 inputs are possible, and a table has
 * their results.
 */
#ifndef NN_FUNCTION_H
#define NN_FUNCTION_H

#include "graph/graph.h"

/* check: 8-bit in and out, of the same shape; quantization as the input's unless it is given. */
int nn_check_function(struct nn_graph *graph, struct nn_node *node, void *opaque);

/*
 * For lower: the function applied to every possible input,
 *
 *	rint(fl(fl(f(x)) / scale)) + zero point, saturated, where x = fl((q - zero point) * scale)
 *
 * which is what dequantizing, computing in float32 and quantizing again would give.
 */
int nn_lower_table(struct nn_lowering *lowering, struct nn_node *node,
		   double (*function)(double x, const void *opaque), const void *opaque);

#endif
