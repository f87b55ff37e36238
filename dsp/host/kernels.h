/* SPDX-License-Identifier: MIT */
/*
 * The host's own kernels, of the operators that take most of the time. Each equals its portable
 * twin in dsp/kernels/ bit for bit and shares its check().
 */
#ifndef NN_HOST_KERNELS_H
#define NN_HOST_KERNELS_H

#include "../kernels.h"

/* The opcodes' names. */
#define NN_HOST_KERNELS \
	NN_HOST_KERNEL(conv2d) \
	NN_HOST_KERNEL(fully_connected) \
	NN_HOST_KERNEL(depthwise_conv2d) \
	NN_HOST_KERNEL(max_pool) \
	NN_HOST_KERNEL(add) \
	NN_HOST_KERNEL(add_float) \
	NN_HOST_KERNEL(table)

/* As they were compiled for one kind of processor. */
struct nn_host_set {
#define NN_HOST_KERNEL(name) int (*name)(const struct nn_call *call);
	NN_HOST_KERNELS
#undef NN_HOST_KERNEL
};

extern const struct nn_host_set nn_host_baseline;
#ifdef __x86_64__
extern const struct nn_host_set nn_host_avx2;
#endif

#endif
