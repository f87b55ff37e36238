// SPDX-License-Identifier: MIT
/*
 * The table of the built-in operators (ops.h).
 */
#include "ops.h"

const struct nn_op *const nn_ops[] = {
#define NN_OPERATOR(ID, name) &nn_op_##name,
#include "dsp/program/operators.h"
	NULL
};
