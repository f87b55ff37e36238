// SPDX-License-Identifier: MIT
/*
 * Means of 2x2 in float32 between equal scales (average_2x2s2_low.h). An element of a mean is one
 * with a weight of a quarter, which float32 multiplies exactly; the sum of four such ones is an
 * integer and no, one, two or three quarters. So means are float32's sums, rounded, and only half an
 * integer's rounding is up to the sum's lowest bits.
 */
#include "dsp/hvx/pool/average_2x2s2_low.h"

/* Elements or sums of 64 lanes. */
struct numbers {
	HVX_Vector low;		/* quarters in float32, as float_low.h has them */
	HVX_Vector eighths;	/* of sixteenths: 32 times the integers */
};

struct common {
	const struct low_scale *low;
	bool in_columns, has_critical;
	HVX_Vector zero_out;
};

static inline struct numbers numbers_of(const struct common *common, HVX_Vector integers)
{
	struct numbers numbers = { .eighths = Q6_Vh_vasl_VhR(integers, 5) };
	HVX_Vector low = Q6_Vh_vmpyi_VhVh(integers, splat_h(4 * common->low->twice));

	numbers.low = low_round(low, low_size(common->low, numbers.eighths), splat_h(LOW_STEPS));
	return numbers;
}

static inline __attribute__((always_inline)) struct numbers
add(const struct common *common, struct numbers a, struct numbers b, HVX_Vector *marks)
{
	struct numbers sum = { .eighths = Q6_Vh_vadd_VhVh(a.eighths, b.eighths) };

	sum.low = low_add(common->low, a.low, b.low, sum.eighths);
	if (common->has_critical)
		*marks = low_mark(common->low, *marks, sum.eighths);
	return sum;
}

/*
 * Makes 64 means, as halfwords, of elements above left and right and below left and right. Adds
 * those that are half an integer, and have a critical sum, to `marks`.
 */
static inline __attribute__((always_inline)) HVX_Vector
make_half(const struct common *common, HVX_Vector left, HVX_Vector right, HVX_Vector below_left,
	  HVX_Vector below_right, HVX_Vector *marks)
{
	struct numbers a = numbers_of(common, left), b = numbers_of(common, right);
	struct numbers c = numbers_of(common, below_left), d = numbers_of(common, below_right), sum;
	HVX_Vector critical = Q6_V_vzero(), half = splat_h(64), fraction, down;
	HVX_VectorPred is_half, up;

	if (common->in_columns)
		sum = add(common, add(common, a, c, &critical), add(common, b, d, &critical),
			  &critical);
	else
		sum = add(common, add(common, add(common, a, b, &critical), c, &critical), d,
			  &critical);
	fraction = Q6_V_vand_VV(sum.eighths, splat_h(127));
	is_half = Q6_Q_vcmp_eq_VhVh(fraction, half);
	if (common->has_critical)
		*marks = Q6_V_vand_VV(critical, Q6_V_vand_QR(is_half, 0x00010001));
	up = Q6_Q_and_QQ(low_goes_up(common->low, sum.low, sum.eighths), is_half);
	up = Q6_Q_or_QQ(up, Q6_Q_vcmp_gt_VhVh(fraction, half));
	down = Q6_Vh_vadd_VhVh(Q6_Vh_vasr_VhR(sum.eighths, 7), common->zero_out);
	return Q6_Vh_condnac_QVhVh(up, down, splat_w(-1));
}

static inline __attribute__((always_inline)) uint32_t
make_vectors(const struct average_loop *loop, const struct average_low *low, bool in_columns,
	     bool has_critical, uint32_t offset, uint8_t *to, uint32_t at, uint32_t end)
{
	const struct common common = {
		.low = &low->scale,
		.in_columns = in_columns,
		.has_critical = has_critical,
		.zero_out = splat_h(low->zero_out),
	};
	HVX_Vector flip = Q6_V_vsplat_R(loop->flip), zero = splat_b(low->zero_in);
	HVX_Vector min = Q6_V_vsplat_R(loop->min), max = Q6_V_vsplat_R(loop->max);
	HVX_Vector flip_out = Q6_V_vsplat_R(loop->flip_out);
	const uint8_t *above = loop->row[0] + offset + at * loop->step;
	const uint8_t *below = loop->row[1] + offset + at * loop->step;
	uint32_t beside = loop->beside, step = loop->step, deal = loop->deal;

	for (to += at * loop->to_step; at < end; at++) {
		HVX_VectorPair top = Q6_W_vdeal_VVR(load(above + beside), load(above), deal);
		HVX_VectorPair bottom = Q6_W_vdeal_VVR(load(below + beside), load(below), deal);
		HVX_Vector even_marks = Q6_V_vzero(), odd_marks = even_marks, even, odd;
		HVX_VectorPair left, right, below_left, below_right;

		left = Q6_Wh_vsub_VubVub(Q6_V_vxor_VV(Q6_V_lo_W(top), flip), zero);
		right = Q6_Wh_vsub_VubVub(Q6_V_vxor_VV(Q6_V_hi_W(top), flip), zero);
		below_left = Q6_Wh_vsub_VubVub(Q6_V_vxor_VV(Q6_V_lo_W(bottom), flip), zero);
		below_right = Q6_Wh_vsub_VubVub(Q6_V_vxor_VV(Q6_V_hi_W(bottom), flip), zero);
		even = make_half(&common, Q6_V_lo_W(left), Q6_V_lo_W(right), Q6_V_lo_W(below_left),
				 Q6_V_lo_W(below_right), &even_marks);
		odd = make_half(&common, Q6_V_hi_W(left), Q6_V_hi_W(right), Q6_V_hi_W(below_left),
				Q6_V_hi_W(below_right), &odd_marks);
		even = Q6_Vub_vsat_VhVh(odd, even);
		even = Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(even, min), max);
		store(to, Q6_V_vxor_VV(even, flip_out));
		above += step;
		below += step;
		to += loop->to_step;
		if (has_critical &&
		    any_lane(Q6_Q_vand_VR(Q6_V_vor_VV(even_marks, odd_marks), -1))) {
			/* Bytes behind a window's have no marks. */
			((HVX_Vector *)loop->marks)[0] = Q6_V_vand_QV(first_bytes(loop->even),
								      even_marks);
			((HVX_Vector *)loop->marks)[1] = Q6_V_vand_QV(first_bytes(loop->odd),
								      odd_marks);
			return at;
		}
	}
	return end;
}

static __attribute__((noinline)) uint32_t make_columns(const struct average_loop *loop,
						       const struct average_low *low,
						       uint32_t offset, uint8_t *to, uint32_t at,
						       uint32_t end)
{
	return make_vectors(loop, low, true, false, offset, to, at, end);
}

static __attribute__((noinline)) uint32_t make_rows(const struct average_loop *loop,
						    const struct average_low *low, uint32_t offset,
						    uint8_t *to, uint32_t at, uint32_t end)
{
	return make_vectors(loop, low, false, false, offset, to, at, end);
}

uint32_t nn_average_2x2s2_low(const struct average_loop *loop, const struct average_low *low,
			      uint32_t offset, uint8_t *to, uint32_t at, uint32_t end)
{
	if (low->scale.critical)
		return make_vectors(loop, low, low->in_columns, true, offset, to, at, end);
	if (low->in_columns)
		return make_columns(loop, low, offset, to, at, end);
	return make_rows(loop, low, offset, to, at, end);
}
