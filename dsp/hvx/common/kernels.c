// SPDX-License-Identifier: MIT
/*
 * The table of kernels that the interpreter runs on the DSP: vector code where an operator has
 * some, else the portable kernel.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"

static const struct nn_kernel kernels[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) \
	[NN_OPCODE_##ID] = { #name, nn_##name##_check, nn_##name##_##where },
#include "dsp/program/operators.h"
};

const struct nn_kernel *const nn_kernels = kernels;
