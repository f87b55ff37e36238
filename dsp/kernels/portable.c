// SPDX-License-Identifier: MIT
/*
 * The table of portable kernels.
 */
#include "dsp/kernels/checks.h"

const struct nn_kernel nn_kernels_portable[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) \
	[NN_OPCODE_##ID] = { #name, nn_##name##_check, nn_##name##_portable },
#include "dsp/program/operators.h"
};
