/* SPDX-License-Identifier: MIT */
/*
 * The host's own kernels, for one kind of processor: whoever includes this has said, by LANES and
 * so on, which, and gives the set its name, SET.
 */
#include "convolution.h"
#include "depthwise.h"
#include "elements.h"
#include "kernels.h"
#include "max_pool.h"

const struct nn_host_set SET = {
#define NN_HOST_KERNEL(ID, name) .name = { name##_units, name },
	NN_HOST_KERNELS
#undef NN_HOST_KERNEL
};
