// SPDX-License-Identifier: MIT
/*
 * On the host the interpreter runs the portable kernels. Not part of the firmware, see
 * dsp/hvx/kernels.c.
 */
#include "../kernels.h"

const struct nn_kernel *const nn_kernels = nn_kernels_portable;
