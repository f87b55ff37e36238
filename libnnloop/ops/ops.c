// SPDX-License-Identifier: MIT
#include "ops.h"

const struct nn_op *const nn_ops[] = {
#define NN_OPERATOR(ID, name) &nn_op_##name,
#include "dsp/program/operators.h"
	NULL
};
