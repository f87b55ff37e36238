// SPDX-License-Identifier: MIT
/*
 * On the host the interpreter runs the portable kernels. Not part of the firmware, see
 * dsp/hvx/kernels.c and join.c.
 */
#include "../kernels.h"

const struct nn_kernel *const nn_kernels = nn_kernels_portable;

bool nn_call_joins(const struct nn_call *call, const struct nn_call *next)
{
	(void)call;
	(void)next;
	return false;
}
