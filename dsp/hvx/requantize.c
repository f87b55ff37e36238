// SPDX-License-Identifier: MIT
/*
 * REQUANTIZE on HVX.
 */
#include "../kernels/checks.h"
#include "elementwise.h"
#include "kernels.h"
#include "requant.h"

/* Up to 128 elements; `scale` is for the first of them, or one vector for all. */
static inline void requantize(uint8_t *to, const uint8_t *from, const uint8_t *scale,
			      bool per_element, uint32_t count, const struct finish *finish)
{
	HVX_Vector acc[4], scales[4];
	struct requant requant[4];

#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t bytes = count < i * 32 + 32 ? (count - i * 32) * 4 : VECTOR;

		acc[i] = scales[i] = Q6_V_vzero();
		if (i * 32 < count) {
			acc[i] = load_part(from + i * VECTOR, bytes);
			scales[i] = per_element ? load_part(scale + i * VECTOR, bytes)
						: *(const HVX_Vector *)scale;
		}
		requant[i] = requant_scales(scales[i]);
	}
	store_part(to, requant_128(acc, requant, finish), count);
}

int nn_requantize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *scale = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	bool per_element = scale->dims[0] > 1;
	uint64_t run = per_element ? scale->dims[0] : output->bytes;
	HVX_Vector all = splat_w(*(const uint32_t *)scale->data);
	uint64_t work = 0;

	for (uint64_t at = 0; at < output->bytes; at += run) {
		for (uint64_t i = 0; i < run; i += VECTOR, work += VECTOR) {
			if (work % ELEMENTWISE_TILE == 0) {
				int ret = nn_call_progress(call);

				if (ret)
					return ret;
			}
			requantize(output->data + at + i, input->data + 4 * (at + i),
				   per_element ? scale->data + 4 * i : (const uint8_t *)&all,
				   per_element, min_u32(run - i, VECTOR), &finish);
		}
	}
	return 0;
}
