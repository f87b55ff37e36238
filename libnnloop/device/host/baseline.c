// SPDX-License-Identifier: MIT
/*
 * What any processor has that this is compiled for.
 */
#define SET		nn_host_baseline
#define LANES		4
#define VECTORS		4
#define PIXELS		3
#if defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
#define ONE_INSTRUCTION
#endif

#include "set.h"
