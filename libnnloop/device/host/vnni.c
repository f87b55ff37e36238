// SPDX-License-Identifier: MIT
/*
 * The host's own kernels for x86 with AVX-512 and VNNI: 32 vectors of 512 bits, and an instruction
 * for sums of products of bytes.
 */
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl," \
						   "avx512vnni,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#endif

#define SET		nn_host_vnni
#define LANES		16
#define VECTORS		2
#define PIXELS		12
#define ONE_INSTRUCTION
#define DOT

#include "set.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
