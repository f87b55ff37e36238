/* SPDX-License-Identifier: MIT */
/*
 * The host's own kernels, for one kind of processor, and the set's name, SET. Whoever includes this
 * says how many LANES the processor's vectors have, and of how many VECTORS and PIXELS a tile is
 * (products.h); by ONE_INSTRUCTION, that it multiplies and adds in one; and by DOT, that it has
 * VNNI (dot_sums.h).
 */
#include "convolution.h"
#include "depthwise.h"
#include "elements.h"
#include "float_conv2d.h"
#include "float_matmul.h"
#include "kernels.h"
#include "matmul.h"
#include "max_pool.h"

const struct nn_host_set SET = {
#define NN_HOST_KERNEL(ID, name) .name = { name##_units, name },
	NN_HOST_KERNELS
#undef NN_HOST_KERNEL
};
