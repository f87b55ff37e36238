// SPDX-License-Identifier: MIT
/*
 * Sink: the library puts one at the end of a graph with loops, and its inputs are what must
 * outlive the passes of loops in between (plan/partition.c).
 */
#include "ops/support/check.h"
#include "ops.h"

const struct nn_op nn_op_sink = {
	.name = "Sink",
	.flags = NN_OP_INTERNAL | NN_OP_MIXED_LEVELS,
	.max_inputs = NN_ANY_NUMBER,
	.check = nn_check_nothing,
};
