// SPDX-License-Identifier: MIT
/*
 * The constants that tiles scale sums with (constants.h), from the rows of enum nn_scale_row.
 *
 * The assembly rounds a product once, from 16 bits of fraction, and asks whether it may be a tie,
 * that is, near to a half: then the result is made again as float32 makes it. How near that is
 * depends on how much the two can differ, in units of 2^-16. The product is off by less than 1.5:
 * 1/2 is rounding, and 1 what the sum's lower half and `low` make together, which is left out; and
 * by another 1 where the sum is shifted to the right. Of results of 8 bits, float32 rounds the
 * product by at most 1/2, and by another 1/2 the sum, if that can be 2^24 or more, for which the
 * scale has to be below 2^-16, as it is for a shift to the right.
 */
#include "dsp/hvx/conv2d/constants.h"
#include "dsp/hvx/common/requant.h"

static HVX_Vector scale_lanes(const struct nn_tensor *scales, enum nn_scale_row row, uint32_t lane)
{
	return *(const HVX_Vector *)scale_row(scales, row, lane);
}

/* Halves multipliers that would be rounded up to 2^31, so that sums are shifted one further. */
static void halve_greatest(struct conv2d_constants *to, uint32_t b, HVX_Vector *multiplier)
{
	HVX_VectorPred is_past = Q6_Q_vcmp_gt_VwVw(*multiplier, splat_w(MOST_HIGH));
	HVX_Vector shift = Q6_Vw_condacc_QVwVw(is_past, to->shift[b], splat_w(1));

	*multiplier = Q6_V_vmux_QVV(is_past, Q6_Vuw_vlsr_VuwR(*multiplier, 1), *multiplier);
	to->shift[b] = Q6_Vw_vmin_VwVw(shift, splat_w(30));
	to->max[b] = Q6_V_vmux_QVV(is_past, Q6_Vuw_vlsr_VuwR(to->max[b], 1), to->max[b]);
}

static void set_inexact(const struct nn_tensor *scales, struct conv2d_constants *to,
			const uint32_t *lane, uint32_t flags)
{
	HVX_Vector multiplier[2], low[2];

	for (uint32_t b = 0; b < 2; b++) {
		multiplier[b] = scale_lanes(scales, NN_SCALE_MULTIPLIER, lane[b]);
		to->shift[b] = scale_lanes(scales, NN_SCALE_SHIFT, lane[b]);
	}
	if (flags & NN_SCALES_WIDE) {
		halve_greatest(to, 0, &multiplier[0]);
		halve_greatest(to, 1, &multiplier[1]);
		to->is_clamped = true;
	}
	for (uint32_t b = 0; b < 2; b++) {
		to->high[b] = Q6_V_vand_VV(Q6_Vw_vadd_VwVw(multiplier[b], splat_w(0x8000)),
					   splat_w(-0x10000));
		low[b] = Q6_Vw_vsub_VwVw(multiplier[b], to->high[b]);
	}
	to->low = Q6_Vh_vshuffe_VhVh(low[1], low[0]);
}

void conv2d_make_constants(const struct layer *layer, struct conv2d_constants *to, uint32_t m,
			   uint32_t outputs)
{
	const struct nn_call *call = layer->call;
	/* They are copied, so that the compiler knows that no store below changes them. */
	const struct nn_tensor scales = { .data = call->input[3].data,
					  .row_bytes = call->input[3].row_bytes };
	const uint8_t *bias = call->input[2].data;
	uint32_t lane[2] = { m, m + (outputs > 32 ? 32 : 0) };
	uint32_t flags = *scale_row(&scales, NN_SCALE_FLAGS, lane[0]) |
			 *scale_row(&scales, NN_SCALE_FLAGS, lane[1]);

	to->first = m;
	to->is_exact = !(flags & NN_SCALES_INEXACT);
	to->is_clamped = flags & NN_SCALES_CLAMPED;
	to->error = flags & NN_SCALES_ROUGH ? 4 : flags & NN_SCALES_SMALL ? 3 : 2;
	for (uint32_t b = 0; b < 2; b++) {
		to->bias[b] = *(const HVX_Vector *)(bias + 4 * lane[b]);
		to->max[b] = scale_lanes(&scales, NN_SCALE_GREATEST, lane[b]);
	}
	if (!to->is_exact) {
		set_inexact(&scales, to, lane, flags);
		return;
	}
	for (uint32_t b = 0; b < 2; b++) {
		to->high[b] = scale_lanes(&scales, NN_SCALE_EXACT, lane[b]);
		to->shift[b] = splat_h(1);
	}
	to->low = splat_h(0x8000);
}
