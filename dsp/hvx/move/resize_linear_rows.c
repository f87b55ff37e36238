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
	uint32_t margin, factor, zero_out;
	uint8_t *to;
};

/* The same in vectors and multipliers; what they are a way's function says. */
struct constants {
	HVX_Vector min, max, flip;
	HVX_Vector more, weight, zero, factor, up, down;
	uint32_t near_weight, far_weight;
};

/* Makes a vector of a row, and maybe what says how near results are to a half. */
typedef HVX_Vector make_function(const struct constants *row, const HVX_Vector *top,
				 const HVX_Vector *bottom, HVX_Vector *near);

static inline HVX_Vector clamp(const struct constants *row, HVX_Vector v)
{
	return Q6_V_vxor_VV(Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, row->min), row->max),
			    row->flip);
}

/*
 * Makes a row, two vectors at a time, so that neither waits for its own operations, but for the
 * last, which may have fewer bytes. Returns the least of what says how near results are to a half;
 * with `near` all of that is kept there.
 */
static inline __attribute__((always_inline)) HVX_Vector
make_vectors(const struct row *row, struct constants constants, const uint8_t *top,
	     const uint8_t *bottom, uint8_t *near, make_function *make)
{
	uint32_t pitch = row->pitch, pairs = (row->vectors - 1) / 2;
	HVX_Vector least = splat_w(-1);
	uint8_t *to = row->to;

	constants.min = splat_b(row->min);
	constants.max = splat_b(row->max);
	constants.flip = splat_b(row->flip);
	for (uint32_t left = pairs; left; left--) {
		HVX_Vector near0 = least, near1 = least, v0, v1;

		v0 = make(&constants, (const HVX_Vector *)top, (const HVX_Vector *)bottom, &near0);
		v1 = make(&constants, (const HVX_Vector *)(top + pitch),
			  (const HVX_Vector *)(bottom + pitch), &near1);
		if (near) {
			*(HVX_Vector *)near = near0;
			*(HVX_Vector *)(near + pitch) = near1;
			near += 2 * pitch;
			least = Q6_Vuh_vmin_VuhVuh(least, Q6_Vuh_vmin_VuhVuh(near0, near1));
		}
		store(to, v0);
		store(to + VECTOR, v1);
		to += 2 * VECTOR;
		top += 2 * pitch;
		bottom += 2 * pitch;
	}
	for (uint32_t left = row->vectors - 2 * pairs; left; left--) {
		HVX_Vector near0 = least, v0;

		v0 = make(&constants, (const HVX_Vector *)top, (const HVX_Vector *)bottom, &near0);
		if (near) {
			*(HVX_Vector *)near = near0;
			near += pitch;
			least = Q6_Vuh_vmin_VuhVuh(least, near0);
		}
		if (left > 1)
			store(to, v0);
		else
			store_bytes(to, v0, row->last);
		to += VECTOR;
		top += pitch;
		bottom += pitch;
	}
	return least;
}

/* ---- Sums of 16 bits with 8 bits of fraction */

static inline HVX_Vector coarse_vector(const struct constants *row, const HVX_Vector *top,
				       const HVX_Vector *bottom, HVX_Vector *near)
{
	HVX_Vector even = Q6_Vh_vmpyiacc_VhVhRb(row->more, top[0], row->near_weight);
	HVX_Vector odd = Q6_Vh_vmpyiacc_VhVhRb(row->more, top[1], row->near_weight), v;

	even = Q6_Vh_vmpyiacc_VhVhRb(even, bottom[0], row->far_weight);
	odd = Q6_Vh_vmpyiacc_VhVhRb(odd, bottom[1], row->far_weight);
	*near = Q6_Vb_vshuffe_VbVb(odd, even);
	v = Q6_Vb_vshuffo_VbVb(odd, even);
	return clamp(row, Q6_Vub_vsub_VubVub_sat(Q6_Vub_vadd_VubVub_sat(v, row->up), row->down));
}

static __attribute__((noinline)) void make_coarse(const struct row *row, const uint8_t *top,
						  const uint8_t *bottom, uint8_t *near)
{
	struct constants constants = {
		.more = splat_h(128),
		.up = splat_b(row->up),
		.down = splat_b(row->down),
		.near_weight = row->near_weight * 0x1010101,
		.far_weight = row->far_weight * 0x1010101,
	};

	if (near)
		make_vectors(row, constants, top, bottom, near, coarse_vector);
	else
		make_vectors(row, constants, top, bottom, NULL, coarse_vector);
}

/* ---- Sums of 32 bits with 22 bits of fraction */

static inline HVX_Vector fixed_sum(const struct constants *row, HVX_Vector top, HVX_Vector bottom)
{
	return Q6_Vw_vmpyiacc_VwVwRh(Q6_Vw_vmpyiacc_VwVwRh(row->more, top, row->near_weight),
				     bottom, row->far_weight);
}

static inline HVX_Vector fixed_vector(const struct constants *row, const HVX_Vector *top,
				      const HVX_Vector *bottom, HVX_Vector *near)
{
	HVX_Vector even = Q6_Vh_vshuffo_VhVh(fixed_sum(row, top[1], bottom[1]),
					     fixed_sum(row, top[0], bottom[0]));
	HVX_Vector odd = Q6_Vh_vshuffo_VhVh(fixed_sum(row, top[3], bottom[3]),
					    fixed_sum(row, top[2], bottom[2]));

	(void)near;
	return clamp(row, Q6_Vub_vasr_VhVhR_sat(odd, even, 2 * RESIZE_FRACTION - 16));
}

static __attribute__((noinline)) void make_fixed(const struct row *row, const uint8_t *top,
						 const uint8_t *bottom)
{
	struct constants constants = {
		.more = splat_w(1 << (2 * RESIZE_FRACTION - 1)),
		.near_weight = row->near_weight * 0x10001,
		.far_weight = row->far_weight * 0x10001,
	};

	make_vectors(row, constants, top, bottom, NULL, fixed_vector);
}

/* ---- Sums of 32 bits with 16 bits of fraction */

/* Computes top + (bottom - top) * weight / 2^31. */
static inline HVX_Vector blend_rows(const struct constants *row, HVX_Vector top, HVX_Vector bottom)
{
	HVX_Vector difference = Q6_Vw_vsub_VwVw(bottom, top);
	HVX_Vector product = Q6_Vw_vmpye_VwVuh(difference, row->weight);

	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, difference, row->weight);
	return Q6_Vw_vadd_VwVw(top, product);
}

/*
 * Narrows sums to results. The lesser of each two fractions, with a half and the margin more, is
 * `near`.
 */
static inline HVX_Vector narrow(const struct constants *row, HVX_Vector sum0, HVX_Vector sum1,
				HVX_Vector sum2, HVX_Vector sum3, HVX_Vector *near)
{
	HVX_Vector even, odd;

	sum0 = Q6_Vw_vadd_VwVw(sum0, row->more);
	sum1 = Q6_Vw_vadd_VwVw(sum1, row->more);
	sum2 = Q6_Vw_vadd_VwVw(sum2, row->more);
	sum3 = Q6_Vw_vadd_VwVw(sum3, row->more);
	*near = Q6_Vuh_vmin_VuhVuh(Q6_Vh_vshuffe_VhVh(sum1, sum0), Q6_Vh_vshuffe_VhVh(sum3, sum2));
	even = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum1, sum0), row->zero);
	odd = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum3, sum2), row->zero);
	return clamp(row, Q6_Vub_vsat_VhVh(odd, even));
}

static inline HVX_Vector float_vector(const struct constants *row, const HVX_Vector *top,
				      const HVX_Vector *bottom, HVX_Vector *near)
{
	return narrow(row, blend_rows(row, top[0], bottom[0]), blend_rows(row, top[1], bottom[1]),
		      blend_rows(row, top[2], bottom[2]), blend_rows(row, top[3], bottom[3]), near);
}

/*
 * Multiplies sums, below 2^24 in magnitude, by the quotient of scales / 2^26, which is at most 16.
 */
static inline HVX_Vector rescale(const struct constants *row, HVX_Vector v)
{
	HVX_Vector product;

	v = Q6_Vw_vasl_VwR(v, 6);
	product = Q6_Vw_vmpye_VwVuh(v, row->factor);
	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, v, row->factor);
	return Q6_Vw_vasr_VwR(product, 1);
}

static inline HVX_Vector rescaled_vector(const struct constants *row, const HVX_Vector *top,
					 const HVX_Vector *bottom, HVX_Vector *near)
{
	return narrow(row, rescale(row, blend_rows(row, top[0], bottom[0])),
		      rescale(row, blend_rows(row, top[1], bottom[1])),
		      rescale(row, blend_rows(row, top[2], bottom[2])),
		      rescale(row, blend_rows(row, top[3], bottom[3])), near);
}

static inline struct constants float_constants(const struct row *row)
{
	return (struct constants){
		.more = splat_w(RESIZE_NEAR_HALF + row->margin),
		.weight = splat_w(row->far_weight),
		.zero = splat_h(row->zero_out),
		.factor = splat_w(row->factor),
	};
}

static __attribute__((noinline)) HVX_Vector make_float(const struct row *row, const uint8_t *top,
						       const uint8_t *bottom, uint8_t *near)
{
	return make_vectors(row, float_constants(row), top, bottom, near, float_vector);
}

static __attribute__((noinline)) HVX_Vector make_rescaled(const struct row *row,
							  const uint8_t *top,
							  const uint8_t *bottom, uint8_t *near)
{
	return make_vectors(row, float_constants(row), top, bottom, near, rescaled_vector);
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
		.margin = job->margin,
		.factor = job->factor,
		.zero_out = job->zero_out,
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
		least = make_rescaled(&row, top, bottom, near);
	else
		least = make_float(&row, top, bottom, near);
	return any_lane(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * job->margin + 1), least));
}
