// SPDX-License-Identifier: MIT
/*
 * Bilinear resizing: a row of the output from two rows of the image that are blended between
 * columns (resize_linear_gather.c). resize_linear.c calls this.
 *
 * Blended elements have the order of widened bytes: those of even places first, and each half of
 * them once more so. What narrows two vectors takes elements of both in turn, which undoes it.
 */
#include <stddef.h>

#include "dsp/hvx/move/resize_linear.h"

/* The numbers that all vectors of a row have in common. */
struct row {
	uint32_t pitch, vectors, last;	/* of blocks; the bytes of the last vector */
	uint32_t near_weight, far_weight;
	uint32_t flip, min, max, up, down;
	uint8_t *to;
};

static inline HVX_Vector clamp(HVX_Vector v, HVX_Vector min, HVX_Vector max, HVX_Vector flip)
{
	return Q6_V_vxor_VV(Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, min), max), flip);
}

static inline void store_part(uint8_t *to, HVX_Vector v, uint32_t left, uint32_t last)
{
	if (__builtin_expect(left > 1, 1))
		store(to, v);
	else
		store_bytes(to, v, last);
}

/* Of sums of 16 bits with 8 bits of fraction. With `near`, those are kept there. */
static __attribute__((noinline)) void make_coarse(const struct row *row, const uint8_t *top,
						  const uint8_t *bottom, uint8_t *near)
{
	HVX_Vector half = splat_h(128), flip = splat_b(row->flip);
	HVX_Vector min = splat_b(row->min), max = splat_b(row->max);
	HVX_Vector up = splat_b(row->up), down = splat_b(row->down);
	uint32_t near_weight = row->near_weight * 0x1010101, pitch = row->pitch;
	uint32_t far_weight = row->far_weight * 0x1010101;
	uint8_t *to = row->to;

	for (uint32_t left = row->vectors; left; left--) {
		const HVX_Vector *above = (const HVX_Vector *)top, *below = (const HVX_Vector *)bottom;
		HVX_Vector even = Q6_Vh_vmpyiacc_VhVhRb(half, above[0], near_weight);
		HVX_Vector odd = Q6_Vh_vmpyiacc_VhVhRb(half, above[1], near_weight), v;

		even = Q6_Vh_vmpyiacc_VhVhRb(even, below[0], far_weight);
		odd = Q6_Vh_vmpyiacc_VhVhRb(odd, below[1], far_weight);
		v = Q6_Vb_vshuffo_VbVb(odd, even);
		v = Q6_Vub_vsub_VubVub_sat(Q6_Vub_vadd_VubVub_sat(v, up), down);
		if (near) {
			*(HVX_Vector *)near = Q6_Vb_vshuffe_VbVb(odd, even);
			near += pitch;
		}
		store_part(to, clamp(v, min, max, flip), left, row->last);
		to += VECTOR;
		top += pitch;
		bottom += pitch;
	}
}

/* Of sums of 32 bits with 22 bits of fraction. */
static __attribute__((noinline)) void make_fixed(const struct row *row, const uint8_t *top,
						 const uint8_t *bottom)
{
	HVX_Vector half = splat_w(1 << (2 * RESIZE_FRACTION - 1)), flip = splat_b(row->flip);
	HVX_Vector min = splat_b(row->min), max = splat_b(row->max);
	uint32_t near_weight = row->near_weight * 0x10001, far_weight = row->far_weight * 0x10001;
	uint32_t pitch = row->pitch;
	uint8_t *to = row->to;

	for (uint32_t left = row->vectors; left; left--) {
		const HVX_Vector *above = (const HVX_Vector *)top, *below = (const HVX_Vector *)bottom;
		HVX_Vector sum0 = Q6_Vw_vmpyiacc_VwVwRh(half, above[0], near_weight);
		HVX_Vector sum1 = Q6_Vw_vmpyiacc_VwVwRh(half, above[1], near_weight);
		HVX_Vector sum2 = Q6_Vw_vmpyiacc_VwVwRh(half, above[2], near_weight);
		HVX_Vector sum3 = Q6_Vw_vmpyiacc_VwVwRh(half, above[3], near_weight);
		HVX_Vector even, odd;

		sum0 = Q6_Vw_vmpyiacc_VwVwRh(sum0, below[0], far_weight);
		sum1 = Q6_Vw_vmpyiacc_VwVwRh(sum1, below[1], far_weight);
		sum2 = Q6_Vw_vmpyiacc_VwVwRh(sum2, below[2], far_weight);
		sum3 = Q6_Vw_vmpyiacc_VwVwRh(sum3, below[3], far_weight);
		even = Q6_Vh_vshuffo_VhVh(sum1, sum0);
		odd = Q6_Vh_vshuffo_VhVh(sum3, sum2);
		store_part(to, clamp(Q6_Vub_vasr_VhVhR_sat(odd, even, 2 * RESIZE_FRACTION - 16), min,
				     max, flip), left, row->last);
		to += VECTOR;
		top += pitch;
		bottom += pitch;
	}
}

/* top + (bottom - top) * weight / 2^31, and a half and the margin more. */
static inline HVX_Vector blend_rows(HVX_Vector top, HVX_Vector bottom, HVX_Vector weight,
				    HVX_Vector more)
{
	HVX_Vector difference = Q6_Vw_vsub_VwVw(bottom, top);
	HVX_Vector product = Q6_Vw_vmpye_VwVuh(difference, weight);

	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, difference, weight);
	return Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(top, more), product);
}

/* Of sums of 32 bits with 16 bits of fraction, of which the lesser of each two are kept. */
static __attribute__((noinline)) HVX_Vector make_float(const struct row *row, const uint8_t *top,
						       const uint8_t *bottom, uint8_t *near,
						       uint32_t margin, int32_t zero_out)
{
	HVX_Vector more = splat_w(RESIZE_NEAR_HALF + margin), weight = splat_w(row->far_weight);
	HVX_Vector min = splat_b(row->min), max = splat_b(row->max), flip = splat_b(row->flip);
	HVX_Vector zero = splat_h(zero_out), least = splat_w(-1);
	uint32_t pitch = row->pitch;
	uint8_t *to = row->to;

	for (uint32_t left = row->vectors; left; left--) {
		const HVX_Vector *above = (const HVX_Vector *)top, *below = (const HVX_Vector *)bottom;
		HVX_Vector sum0 = blend_rows(above[0], below[0], weight, more);
		HVX_Vector sum1 = blend_rows(above[1], below[1], weight, more);
		HVX_Vector sum2 = blend_rows(above[2], below[2], weight, more);
		HVX_Vector sum3 = blend_rows(above[3], below[3], weight, more);
		HVX_Vector fraction = Q6_Vuh_vmin_VuhVuh(Q6_Vh_vshuffe_VhVh(sum1, sum0),
							 Q6_Vh_vshuffe_VhVh(sum3, sum2));
		HVX_Vector even = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum1, sum0), zero);
		HVX_Vector odd = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum3, sum2), zero);

		*(HVX_Vector *)near = fraction;
		least = Q6_Vuh_vmin_VuhVuh(least, fraction);
		store_part(to, clamp(Q6_Vub_vsat_VhVh(odd, even), min, max, flip), left, row->last);
		to += VECTOR;
		near += pitch;
		top += pitch;
		bottom += pitch;
	}
	return least;
}

/*
 * Multiplies blended elements, below 2^24 in magnitude, by the quotient of scales / 2^26, which is
 * at most 16.
 */
static inline HVX_Vector rescale(HVX_Vector v, HVX_Vector factor)
{
	HVX_Vector product;

	v = Q6_Vw_vasl_VwR(v, 6);
	product = Q6_Vw_vmpye_VwVuh(v, factor);
	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, v, factor);
	return Q6_Vw_vasr_VwR(product, 1);
}

/* The same between two scales. */
static __attribute__((noinline)) HVX_Vector make_rescaled(const struct row *row,
							  const uint8_t *top,
							  const uint8_t *bottom, uint8_t *near,
							  uint32_t margin, int32_t zero_out,
							  uint32_t factor_bits)
{
	HVX_Vector more = splat_w(RESIZE_NEAR_HALF + margin), weight = splat_w(row->far_weight);
	HVX_Vector min = splat_b(row->min), max = splat_b(row->max), flip = splat_b(row->flip);
	HVX_Vector zero = splat_h(zero_out), least = splat_w(-1), factor = splat_w(factor_bits);
	HVX_Vector none = Q6_V_vzero();
	uint32_t pitch = row->pitch;
	uint8_t *to = row->to;

	for (uint32_t left = row->vectors; left; left--) {
		const HVX_Vector *above = (const HVX_Vector *)top, *below = (const HVX_Vector *)bottom;
		HVX_Vector sum0 = rescale(blend_rows(above[0], below[0], weight, none), factor);
		HVX_Vector sum1 = rescale(blend_rows(above[1], below[1], weight, none), factor);
		HVX_Vector sum2 = rescale(blend_rows(above[2], below[2], weight, none), factor);
		HVX_Vector sum3 = rescale(blend_rows(above[3], below[3], weight, none), factor);
		HVX_Vector fraction, even, odd;

		sum0 = Q6_Vw_vadd_VwVw(sum0, more);
		sum1 = Q6_Vw_vadd_VwVw(sum1, more);
		sum2 = Q6_Vw_vadd_VwVw(sum2, more);
		sum3 = Q6_Vw_vadd_VwVw(sum3, more);
		fraction = Q6_Vuh_vmin_VuhVuh(Q6_Vh_vshuffe_VhVh(sum1, sum0),
					      Q6_Vh_vshuffe_VhVh(sum3, sum2));
		even = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum1, sum0), zero);
		odd = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum3, sum2), zero);
		*(HVX_Vector *)near = fraction;
		least = Q6_Vuh_vmin_VuhVuh(least, fraction);
		store_part(to, clamp(Q6_Vub_vsat_VhVh(odd, even), min, max, flip), left, row->last);
		to += VECTOR;
		near += pitch;
		top += pitch;
		bottom += pitch;
	}
	return least;
}

bool resize_make_row(const struct resize_strip *strip, const struct resize_position *position,
		     const uint32_t slot[2], uint8_t *to)
{
	const struct resize_job *job = strip->job;
	const struct resize_layout *layout = &strip->layout;
	const uint8_t *top = strip->blocks + layout->slot[slot[0]] + 2 * VECTOR;
	const uint8_t *bottom = strip->blocks + layout->slot[slot[1]] + 2 * VECTOR;
	uint8_t *near = job->in_float ? strip->blocks + layout->near : NULL;
	struct row row = {
		.pitch = layout->bytes,
		.vectors = strip->vectors,
		.last = strip->bytes - (strip->vectors - 1) * VECTOR,
		.near_weight = position->near_weight,
		.far_weight = position->far_weight,
		.flip = job->flip_out,
		.min = job->min,
		.max = job->max,
		.up = job->up,
		.down = job->down,
		.to = to,
	};
	HVX_Vector least;

	if (job->way == RESIZE_COARSE) {
		make_coarse(&row, top, bottom, near);
		return job->in_float;
	}
	if (job->way == RESIZE_FIXED) {
		make_fixed(&row, top, bottom);
		return false;
	}
	if (job->is_rescaled)
		least = make_rescaled(&row, top, bottom, near, job->margin, job->zero_out,
				      job->factor);
	else
		least = make_float(&row, top, bottom, near, job->margin, job->zero_out);
	return any_lane(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * job->margin + 1), least));
}
