// SPDX-License-Identifier: MIT
/*
 * See conv2d_constants.h.
 *
 * The assembly rounds a product once, from 16 bits of fraction, and asks whether it was near a
 * half: then the result is made again as float32 makes it. How near depends on how much the two can
 * differ, in units of 2^-16. The product is off by less than 1.5: 1/2 is rounding, and 1 what the
 * sum's lower half and `low` make together, which is left out; and by another 1 where the sum is
 * shifted to the right. Of results of 8 bits, float32 rounds the product by at most 1/2, and by
 * another 1/2 the sum, if that can be 2^24 or more, for which the scale has to be below 2^-16, as
 * it is for a shift to the right.
 */
#include "conv2d_constants.h"
#include "requant.h"

/*
 * The scale as a multiple of 2^-16 below 1: every product has 16 bits of fraction then, and what is
 * below 2^8 fits a float32. False if one of the `outputs` lanes is not.
 */
static bool scale_is_exact(HVX_Vector scale, uint32_t outputs, HVX_Vector *multiplier)
{
	HVX_Vector mantissa = Q6_V_vor_VV(Q6_V_vand_VV(scale, splat_w(0x7fffff)), splat_w(1 << 23));
	HVX_Vector shift = Q6_Vw_vsub_VwVw(splat_w(134), Q6_Vuw_vlsr_VuwR(scale, 23));
	HVX_VectorPred bad;

	bad = Q6_Q_or_QQ(Q6_Q_vcmp_gt_VwVw(splat_w(8), shift),
			 Q6_Q_vcmp_gt_VwVw(shift, splat_w(23)));
	*multiplier = Q6_Vw_vlsr_VwVw(mantissa, shift);
	bad = Q6_Q_or_QQn(bad, Q6_Q_vcmp_eq_VwVw(Q6_Vw_vasl_VwVw(*multiplier, shift), mantissa));
	return !any_lane(outputs < 32 ? Q6_Q_and_QQ(bad, first_bytes(outputs * 4)) : bad);
}

/* Of block b: scales that are exact. */
static void set_exact(struct conv2d_constants *to, uint32_t b, HVX_Vector multiplier)
{
	HVX_Vector zeros = Q6_Vuw_vcl0_Vuw(multiplier);

	to->high[b] = multiplier;
	/* Products stay below 2^31, and past the limits they are past 8 bits. */
	to->max[b] = Q6_Vw_vlsr_VwVw(splat_w(0x7fffffff), Q6_Vw_vsub_VwVw(splat_w(32), zeros));
	to->shift[b] = splat_h(1);
	to->low = splat_h(0x8000);
}

/* And any others. Returns `low`, sign-extended. */
static HVX_Vector set_block(struct conv2d_constants *to, uint32_t b, HVX_Vector scale)
{
	struct requant requant = requant_scales(scale);
	HVX_Vector multiplier = requant.multiplier, shift = requant.shift;
	/* Of those that would be rounded up to 2^31, half. */
	HVX_VectorPred is_most = Q6_Q_vcmp_gt_VwVw(multiplier, splat_w(0x7fff7fff));

	multiplier = Q6_V_vmux_QVV(is_most, Q6_Vuw_vlsr_VuwR(multiplier, 1), multiplier);
	shift = Q6_Vw_condacc_QVwVw(is_most, shift, splat_w(1));
	to->high[b] = Q6_V_vand_VV(Q6_Vw_vadd_VwVw(multiplier, splat_w(0x8000)),
				   splat_w(-0x10000));
	to->shift[b] = Q6_Vw_vmin_VwVw(shift, splat_w(30));
	to->max[b] = Q6_Vw_vlsr_VwVw(splat_w(0x7fffffff),
				     Q6_Vw_vmax_VwVw(to->shift[b], Q6_V_vzero()));
	return Q6_Vw_vsub_VwVw(multiplier, to->high[b]);
}

/* See the head of this file. */
static uint32_t error_of(HVX_Vector least_scale, HVX_Vector least_shift)
{
	if (!any_lane(Q6_Q_vcmp_gt_VwVw(splat_w((127 - 16) << 23), least_scale)))
		return 2;
	return any_lane(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), least_shift)) ? 4 : 3;
}

void conv2d_make_constants(const struct layer *layer, struct conv2d_constants *to, uint32_t m)
{
	const struct nn_call *call = layer->call;
	uint32_t second = m + (layer->outputs - m > 32 ? 32 : 0), from[2] = { m, second };
	HVX_Vector products = splat_w(layer->greatest_sum), past, scale[2], multiplier[2], low[2];

	to->first = m;
	for (uint32_t b = 0; b < 2; b++) {
		to->bias[b] = *(const HVX_Vector *)(call->input[2].data + 4 * from[b]);
		scale[b] = *(const HVX_Vector *)(call->input[3].data + 4 * from[b]);
	}
	to->is_exact = scale_is_exact(scale[0], layer->outputs - m, &multiplier[0]) &&
		       scale_is_exact(scale[1], layer->outputs - second, &multiplier[1]);
	past = Q6_V_vzero();
	for (uint32_t b = 0; b < 2; b++) {
		HVX_Vector sum = Q6_Vuw_vadd_VuwVuw_sat(Q6_Vw_vabs_Vw(to->bias[b]), products);

		if (to->is_exact)
			set_exact(to, b, multiplier[b]);
		else
			low[b] = set_block(to, b, scale[b]);
		past = Q6_V_vor_VV(past, Q6_Vuw_vsub_VuwVuw_sat(sum, to->max[b]));
	}
	to->is_clamped = any_lane(Q6_Q_vcmp_gt_VuwVuw(past, Q6_V_vzero()));
	to->error = 1;
	if (to->is_exact)
		return;
	to->low = Q6_Vh_vshuffe_VhVh(low[1], low[0]);
	to->error = error_of(Q6_Vw_vmin_VwVw(scale[0], scale[1]),
			     Q6_Vw_vmin_VwVw(to->shift[0], to->shift[1]));
}
