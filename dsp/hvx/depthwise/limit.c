// SPDX-License-Identifier: MIT
/*
 * Sums of DEPTHWISE_CONV2D are limited here, a row of four vectors after the other (limit.h).
 */
#include "dsp/hvx/depthwise/limit.h"

void nn_depthwise_limit_sums(const struct depthwise_limit *from, HVX_Vector *sums, uint32_t rows,
			     uint32_t step)
{
	const struct depthwise_limit limit = *from;

	for (; rows; rows--, sums += 3 + step / VECTOR) {
#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			HVX_Vector v = Q6_Vw_vadd_VwVw(sums[j], limit.bias[j]);

			v = Q6_Vw_vmax_VwVw(v, Q6_V_vnot_V(limit.greatest[j]));
			v = Q6_Vw_vmin_VwVw(v, limit.greatest[j]);
			sums[j] = Q6_Vw_vsub_VwVw(v, limit.bias[j]);
		}
	}
}
