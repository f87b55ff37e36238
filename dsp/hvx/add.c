// SPDX-License-Identifier: MIT
/*
 * ADD on HVX.
 */
#include "../kernels/checks.h"
#include "../kernels/numbers.h"
#include "elementwise.h"
#include "kernels.h"
#include "requant.h"

struct add {
	HVX_Vector flip_a, flip_b;		/* makes bytes unsigned */
	HVX_Vector multiplier_a, multiplier_b;
	HVX_Vector base;			/* zero points' products and half of 1 */
	uint32_t shift;
};

/* 64 sums from halfwords: even ones from the low halves of words, odd ones from the high halves. */
static inline HVX_Vector add_halves(HVX_Vector a, HVX_Vector b, const struct add *add)
{
	HVX_Vector even = add->base, odd = add->base;

	even = Q6_Vw_vmpyieacc_VwVwVuh(even, add->multiplier_a, a);
	even = Q6_Vw_vmpyieacc_VwVwVuh(even, add->multiplier_b, b);
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, add->multiplier_a, Q6_Vuw_vlsr_VuwR(a, 16));
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, add->multiplier_b, Q6_Vuw_vlsr_VuwR(b, 16));
	return Q6_Vh_vsat_VwVw(Q6_Vw_vasr_VwR(odd, add->shift), Q6_Vw_vasr_VwR(even, add->shift));
}

int nn_add_hvx(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	int32_t flip_a = flip_of(a), flip_b = flip_of(b);
	int32_t zero_a = a->zero_point + flip_a, zero_b = b->zero_point + flip_b;
	struct add add = {
		.flip_a = splat_b((uint32_t)flip_a),
		.flip_b = splat_b((uint32_t)flip_b),
		.multiplier_a = splat_w(params->multiplier_a),
		.multiplier_b = splat_w(params->multiplier_b),
		.base = splat_w((1 << (params->shift - 1)) - zero_a * params->multiplier_a -
				zero_b * params->multiplier_b),
		.shift = params->shift,
	};

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector va = Q6_V_vxor_VV(load_part(a->data + i, bytes), add.flip_a);
		HVX_Vector vb = Q6_V_vxor_VV(load_part(b->data + i, bytes), add.flip_b);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(va), pb = Q6_Wuh_vunpack_Vub(vb);

		if (i % ELEMENTWISE_TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		store_part(output->data + i,
			   finish_8bit(add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &add),
				       add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &add), &finish),
			   bytes);
	}
	return 0;
}
