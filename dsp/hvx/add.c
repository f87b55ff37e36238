// SPDX-License-Identifier: MIT
/*
 * ADD on HVX.
 */
#include "../kernels/checks.h"
#include "add.h"
#include "elementwise.h"
#include "kernels.h"
#include "requant.h"

int nn_add_hvx(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	const struct weighted_sum sum =
		weighted_sum_of(call, params->multiplier_a, params->multiplier_b,
				1 << (params->shift - 1));

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector va = Q6_V_vxor_VV(load_part(a->data + i, bytes), sum.flip_a);
		HVX_Vector vb = Q6_V_vxor_VV(load_part(b->data + i, bytes), sum.flip_b);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(va), pb = Q6_Wuh_vunpack_Vub(vb);
		HVX_VectorPair low = add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &sum);
		HVX_VectorPair high = add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &sum);

		if (i % ELEMENTWISE_TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		store_part(output->data + i,
			   finish_8bit(round_halves(low, params->shift),
				       round_halves(high, params->shift), &finish),
			   bytes);
	}
	return 0;
}
