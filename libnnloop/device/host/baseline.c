// SPDX-License-Identifier: MIT
/*
 * The host's kernels compiled for any processor of the architecture.
 */
#define SET		nn_host_baseline
#define LANES		4
#define VECTORS		4
#define PIXELS		3
#if defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
#define ONE_INSTRUCTION
#endif

#include "set.h"
