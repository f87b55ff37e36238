// SPDX-License-Identifier: MIT
/*
 * On the host the interpreter runs these kernels: the host's own where there are some, else the
 * portable ones. Not part of the firmware, see dsp/hvx/kernels.c.
 */
#include "../kernels/checks.h"
#include "kernels.h"

static const struct nn_host_set *find_set(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &nn_host_avx2;
#endif
	return &nn_host_baseline;
}

#define NN_HOST_KERNEL(name) \
	static int run_##name(const struct nn_call *call) \
	{ \
		return find_set()->name(call); \
	}
NN_HOST_KERNELS
#undef NN_HOST_KERNEL

/* In place of the portable ones of the same names. */
#define nn_conv2d_portable		run_conv2d
#define nn_fully_connected_portable	run_fully_connected
#define nn_depthwise_conv2d_portable	run_depthwise_conv2d
#define nn_max_pool_portable		run_max_pool
#define nn_add_portable			run_add
#define nn_add_float_portable		run_add_float
#define nn_table_portable		run_table

static const struct nn_kernel kernels[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) \
	[NN_OPCODE_##ID] = { #name, nn_##name##_check, nn_##name##_portable },
#include "../operators.h"
};

const struct nn_kernel *const nn_kernels = kernels;
