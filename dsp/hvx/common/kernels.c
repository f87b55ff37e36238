// SPDX-License-Identifier: MIT
/*
 * On the DSP the interpreter runs these kernels: vector code where there is some, else the portable
 * one.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"

static const struct nn_kernel kernels[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) \
	[NN_OPCODE_##ID] = { #name, nn_##name##_check, nn_##name##_##where },
#include "dsp/program/operators.h"
};

const struct nn_kernel *const nn_kernels = kernels;
