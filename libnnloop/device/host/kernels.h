/* SPDX-License-Identifier: MIT */
/*
 * The host's own kernels, of the operators that take most of the time. Each equals its portable
 * twin in dsp/kernels/ bit for bit and shares its check().
 */
#ifndef NN_HOST_KERNELS_H
#define NN_HOST_KERNELS_H

#include "dsp/program/share.h"

/*
 * The work of a call is in so many units (nn_run.divide() of dsp/program/interpreter.h), maybe
 * none.
 */
struct nn_host_kernel {
	uint32_t (*count_units)(const struct nn_call *call);
	nn_run_units *run_units;
};

/* The opcodes that have kernels of the host's own. */
#define NN_HOST_KERNELS \
	NN_HOST_KERNEL(CONV2D, conv2d) \
	NN_HOST_KERNEL(FULLY_CONNECTED, fully_connected) \
	NN_HOST_KERNEL(DEPTHWISE_CONV2D, depthwise_conv2d) \
	NN_HOST_KERNEL(MATMUL, matmul) \
	NN_HOST_KERNEL(MAX_POOL, max_pool) \
	NN_HOST_KERNEL(ADD, add) \
	NN_HOST_KERNEL(ADD_FLOAT, add_float) \
	NN_HOST_KERNEL(TABLE, table) \
	NN_HOST_KERNEL(FLOAT_CONV2D, float_conv2d) \
	NN_HOST_KERNEL(FLOAT_MATMUL, float_matmul)

/* The kernels, compiled for one kind of processor. */
struct nn_host_set {
#define NN_HOST_KERNEL(ID, name) struct nn_host_kernel name;
	NN_HOST_KERNELS
#undef NN_HOST_KERNEL
};

extern const struct nn_host_set nn_host_baseline;
#ifdef __x86_64__
extern const struct nn_host_set nn_host_avx2;
extern const struct nn_host_set nn_host_vnni;

static inline bool nn_host_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline bool nn_host_has_vnni(void)
{
	return nn_host_has_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}
#endif

/* Units that are the parts of dsp/program/share.h, of a kernel that knows nothing of them. */
int nn_host_run_parts(const struct nn_call *call, uint32_t begin, uint32_t end,
		      int (*run)(const struct nn_call *call));

#endif
