// SPDX-License-Identifier: MIT
/*
 * ADD_FLOAT on HVX.
 *
 * The sum is made of integers, as ADD's is, with multipliers of 21 bits. In steps of 2^-shift it is
 * off from the real one by less than 2 * 255 * 5/8, and float32's roundings move the result by less
 * than 3 * 2 * 255 / 8 (NN_ADD_DEQUANTIZED), or 2 * 255 / 2 + 11 * 255 / 8 and, of zero points, 3 *
 * 255 * 2^(shift - 24) (NN_ADD_FUSED). Where the sum is not as near as that to a half, it rounds
 * to the same integer. The others are computed as they are defined.
 *
 * Scale b may be negative, which BINARY makes use of for differences.
 */
#include "../kernels/add_float.h"
#include "../kernels/checks.h"
#include "../kernels/progress.h"
#include "add.h"
#include "elementwise.h"
#include "float32.h"
#include "kernels.h"
#include "requant.h"

#define VECTOR_WORK	96	/* of 128 elements */
#define UNSURE_WORK	64	/* of one that is computed as it is defined */

struct add_float {
	struct weighted_sum sum;	/* and half of 1, and the margin */
	HVX_Vector fraction;		/* a mask */
	HVX_Vector unsure;		/* fractions below are near a half */
	uint32_t shift;
};

static int32_t exponent_of(float x)
{
	union {
		float value;
		uint32_t bits;
	} u = { .value = x };

	return (int32_t)(u.bits >> 23 & 255) - 127;
}

/* 2^exponent. */
static float power_of_two(int32_t exponent)
{
	union {
		uint32_t bits;
		float value;
	} u = { .bits = (uint32_t)(127 + exponent) << 23 };

	return u.value;
}

static int32_t nearest(float x)
{
	return x < 0 ? -(int32_t)(0.5f - x) : (int32_t)(x + 0.5f);
}

/* False: the scales are too far apart for integers. */
static inline bool prepare(struct add_float *add, const struct nn_call *call,
			   const struct float_sum *sum)
{
	const struct nn_add_float_params *params = &call->op->add_float;
	int32_t shift, multiplier_a, multiplier_b, margin;
	float ratio_a = sum->ratio_a, ratio_b = sum->ratio_b;
	float size_b = __builtin_fabsf(ratio_b);

	if (!is_usual_scale(params->scale_a) ||
	    !is_usual_scale(__builtin_fabsf(params->scale_b)) ||
	    !is_usual_scale(params->scale_output))
		return false;
	shift = 20 - exponent_of(ratio_a > size_b ? ratio_a : size_b);
	shift = shift > 30 ? 30 : shift;
	if (shift < 1)
		return false;
	multiplier_a = nearest(ratio_a * power_of_two(shift));
	multiplier_b = nearest(ratio_b * power_of_two(shift));
	margin = params->form == NN_ADD_FUSED ? 1024 + (1 << shift >> 14) : 512;

	add->sum = weighted_sum_of(call, multiplier_a, multiplier_b, (1 << (shift - 1)) + margin);
	add->fraction = splat_w((1 << shift) - 1);
	add->unsure = splat_w(2 * margin);
	add->shift = shift;
	return true;
}

static inline HVX_Vector least_fraction(HVX_VectorPair sum, const struct add_float *add)
{
	return Q6_Vw_vmin_VwVw(Q6_V_vand_VV(Q6_V_hi_W(sum), add->fraction),
			       Q6_V_vand_VV(Q6_V_lo_W(sum), add->fraction));
}

/* Which sums are near a half: all bits of them. */
static inline HVX_Vector near_half(HVX_Vector sum, const struct add_float *add)
{
	HVX_VectorPred unsure = Q6_Q_vcmp_gt_VuwVuw(add->unsure, Q6_V_vand_VV(sum, add->fraction));

	return Q6_V_vmux_QVV(unsure, splat_w(-1), Q6_V_vzero());
}

/* Which of 128 sums are near a half: a bit of their byte. */
static inline HVX_Vector near_bytes(HVX_VectorPair low, HVX_VectorPair high,
				    const struct add_float *add)
{
	return Q6_Vb_vpack_VhVh_sat(
		Q6_Vh_vsat_VwVw(near_half(Q6_V_hi_W(high), add), near_half(Q6_V_lo_W(high), add)),
		Q6_Vh_vsat_VwVw(near_half(Q6_V_hi_W(low), add), near_half(Q6_V_lo_W(low), add)));
}

/* In scratch memory, where elements of vectors can be reached: their places. */
enum {
	NEAR = 0,
	OPERAND_A = VECTOR,
	OPERAND_B = 2 * VECTOR,
	RESULTS = 3 * VECTOR,
};

/* Those of the first `bytes` results that are near a half, as they are defined. */
static int add_unsure(struct progress *progress, const struct float_sum *sum, double inverse,
		      uint32_t bytes)
{
	const struct nn_call *call = progress->call;
	const uint8_t *a = call->scratch + OPERAND_A, *b = call->scratch + OPERAND_B;
	int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]), result;
	bool is_fused = sum->params->form == NN_ADD_FUSED;

	for (int32_t i = -1; (i = next_set(call->scratch + NEAR, i)) >= 0 && i < (int32_t)bytes;) {
		int32_t x = load_8bit(&a[i], flip_a), y = load_8bit(&b[i], flip_b);
		int ret = progress_add(progress, UNSURE_WORK);

		if (ret)
			return ret;
		if (is_fused)
			result = add_fused(sum, x, y);
		else
			result = round_float(divide(add_dequantized(sum, x, y), inverse)) +
				 sum->zero_output;
		call->scratch[RESULTS + i] = clamp_int(result, call->op->out_min,
						       call->op->out_max);
	}
	return 0;
}

int nn_add_float_hvx(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	const struct float_sum sum = float_sum_of(call, &call->op->add_float);
	const double inverse = inverse_of(sum.params->scale_output);
	struct progress progress = { .call = call };
	struct add_float add;

	if (!prepare(&add, call, &sum))
		return nn_add_float_portable(call);

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector stored_a = load_part(a->data + i, bytes);
		HVX_Vector stored_b = load_part(b->data + i, bytes);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_a, add.sum.flip_a));
		HVX_VectorPair pb = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_b, add.sum.flip_b));
		HVX_VectorPair low = add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &add.sum);
		HVX_VectorPair high = add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &add.sum);
		HVX_Vector least = Q6_Vw_vmin_VwVw(least_fraction(low, &add),
						   least_fraction(high, &add));
		HVX_Vector results = finish_8bit(round_halves(low, add.shift),
						 round_halves(high, add.shift), &finish);
		int ret = progress_add(&progress, VECTOR_WORK);

		if (ret)
			return ret;
		if (is_any_set(near_half(least, &add))) {
			store(call->scratch + NEAR, near_bytes(low, high, &add));
			store(call->scratch + OPERAND_A, stored_a);
			store(call->scratch + OPERAND_B, stored_b);
			store(call->scratch + RESULTS, results);
			ret = add_unsure(&progress, &sum, inverse, bytes);
			if (ret)
				return ret;
			results = load(call->scratch + RESULTS);
		}
		store_part(output->data + i, results, bytes);
	}
	return 0;
}
