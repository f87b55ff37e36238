// SPDX-License-Identifier: MIT
/* The host's own kernels for x86 with AVX2: 16 vectors of 256 bits. */
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define SET		nn_host_avx2
#define LANES		8
#define VECTORS		2
#define PIXELS		6
#define ONE_INSTRUCTION

#include "set.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
