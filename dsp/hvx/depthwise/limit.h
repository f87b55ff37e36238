/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D on HVX where sums can be past what is shifted without loss (NN_SCALES_CLAMPED):
 * these are brought to their limits, with which results are past 8 bits as well.
 */
#ifndef NN_DEPTHWISE_LIMIT_H
#define NN_DEPTHWISE_LIMIT_H

#include "dsp/hvx/common/vector.h"

/* Limits of four vectors of sums: the biases, and the greatest magnitude of a sum and its bias. */
struct depthwise_limit {
	HVX_Vector bias[4], greatest[4];
};

/* Limits the sums of `rows` rows, each four vectors, `step` bytes from one's last to the next. */
void nn_depthwise_limit_sums(const struct depthwise_limit *limit, HVX_Vector *sums, uint32_t rows,
			     uint32_t step);

#endif
