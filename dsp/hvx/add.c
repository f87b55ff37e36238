// SPDX-License-Identifier: MIT
/*
 * ADD on HVX.
 */
#include "../kernels/checks.h"
#include "add.h"
#include "add_vectors.h"
#include "elementwise.h"
#include "kernels.h"
#include "requant.h"

/* Whether the assembly can: false where sums with the zero point leave 32 bits. */
static bool settle_vectors(struct add_vectors *vectors, const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *operand[2] = { &call->input[0], &call->input[1] };
	const int32_t multiplier[2] = { params->multiplier_a, params->multiplier_b };
	int64_t base = 1ll << (params->shift - 1), low, high;

	if (params->shift < 16 || params->shift > 23)
		return false;
	base += (int64_t)call->output[0].zero_point << params->shift;
	low = high = base;
	for (uint32_t i = 0; i < 2; i++) {
		int32_t zero = operand[i]->zero_point + flip_of(operand[i]);
		int64_t first = -(int64_t)zero * multiplier[i];
		int64_t last = first + 255ll * multiplier[i];

		low += first < last ? first : last;
		high += first < last ? last : first;
		base += first;
	}
	if (low < INT32_MIN || high > INT32_MAX)
		return false;
	*vectors = (struct add_vectors){
		.high = (multiplier[0] >> ADD_LOW_BITS & 0xffff) |
			(uint32_t)(multiplier[1] >> ADD_LOW_BITS) << 16,
		.low = (multiplier[0] & ((1 << ADD_LOW_BITS) - 1)) |
		       (multiplier[1] & ((1 << ADD_LOW_BITS) - 1)) << 16,
		.shift = params->shift - 16,
		.base = (int32_t)(uint32_t)base,
		.flip_a = flip_of(operand[0]) ? 0x80808080 : 0,
		.flip_b = flip_of(operand[1]) ? 0x80808080 : 0,
		.min = (call->op->out_min & 0xff) * 0x1010101u,
		.max = (call->op->out_max & 0xff) * 0x1010101u,
	};
	return true;
}

/* The first vectors by the assembly, as many as it does. */
static int add_vectors(const struct nn_call *call, uint64_t *done)
{
	const struct nn_tensor *output = &call->output[0];
	struct add_vectors vectors;
	uint64_t count = output->bytes / VECTOR;

	if (!settle_vectors(&vectors, call))
		return 0;
	while (count >= 3) {
		/* What is left for the next time must be as many, or none. */
		uint32_t most = ELEMENTWISE_TILE / VECTOR;
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		vectors.count = count < most + 3 ? count : most;
		vectors.a = call->input[0].data + *done;
		vectors.b = call->input[1].data + *done;
		vectors.to = output->data + *done;
		if (output->type == NN_TYPE_INT8)
			nn_add_vectors_s8(&vectors);
		else
			nn_add_vectors_u8(&vectors);
		count -= vectors.count;
		*done += vectors.count * VECTOR;
	}
	return 0;
}

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
	uint64_t done = 0;
	int ret;

	ret = add_vectors(call, &done);
	if (ret)
		return ret;
	for (uint64_t i = done; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector va = Q6_V_vxor_VV(load_part(a->data + i, bytes), sum.flip_a);
		HVX_Vector vb = Q6_V_vxor_VV(load_part(b->data + i, bytes), sum.flip_b);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(va), pb = Q6_Wuh_vunpack_Vub(vb);
		HVX_VectorPair low = add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &sum);
		HVX_VectorPair high = add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &sum);

		if (i % ELEMENTWISE_TILE == 0) {
			ret = nn_call_progress(call);
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
