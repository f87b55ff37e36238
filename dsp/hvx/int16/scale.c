// SPDX-License-Identifier: MIT
/*
 * The scaling of sums to 16 bits (scale.h), exactly as it is defined.
 *
 * With a multiplier m of 15 bits, and a sum 256 * h + l with l in 0 .. 255,
 *
 *	floor((sum * m + 2^(s - 1)) / 2^s) = floor((h * m + floor(l * m / 256) + 2^(t - 1)) / 2^t)
 *
 * where t = s - 8 is 1 or more. The numerator is v * 2^16 + w with w in 0 .. 2^16 - 1, and so
 *
 *	t <= 16		v * 2^(16 - t) + floor((w + 2^(t - 1)) / 2^t)
 *	t > 16		floor((floor(v / 2^(t - 17)) + 1) / 2)
 *
 * of which only the low 32 bits count. INT16_ONCE is the same with words for halfwords: the low sum
 * is unsigned.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/conv2d_int16.h"
#include "dsp/hvx/int16/scale.h"

#define LEAST_SHIFT	9	/* of INT16_SUMS */
#define MOST_LONG	31

static HVX_Vector clamp_words(HVX_Vector v, int32_t low, int32_t high)
{
	return Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(v, splat_w(low)), splat_w(high));
}

static bool is_everywhere(HVX_VectorPred lanes, HVX_VectorPred used)
{
	return !any_lane(Q6_Q_and_QQn(used, lanes));
}

/* Pairs of words, of a constant that has one for each output. */
static HVX_VectorPair load_pairs(const struct nn_tensor *tensor, uint32_t first, uint32_t count)
{
	const uint8_t *at = tensor->data + 8 * first;
	HVX_Vector low = load_bytes(at, min_u32(8 * count, VECTOR)), high = low;

	if (count > 16)
		high = load_bytes(at + VECTOR, 8 * count - VECTOR);
	return Q6_W_vdeal_VVR(high, low, -4);
}

/* Divides shifts by 1 .. 62 into those up to `words` and longer ones. */
static void divide_shifts(struct int16_outputs *to, HVX_Vector shift, uint32_t word)
{
	HVX_VectorPred is_long = Q6_Q_vcmp_gt_VwVw(shift, splat_w(word));

	to->is_long = Q6_V_vand_QR(is_long, -1);
	to->left = Q6_Vw_vmax_VwVw(Q6_Vw_vsub_VwVw(splat_w(word), shift), Q6_V_vzero());
	to->right = Q6_Vw_vsub_VwVw(Q6_Vw_vmin_VwVw(shift, splat_w(word)), splat_w(1));
	to->half = Q6_Vw_vasl_VwVw(splat_w(1), to->right);
	to->long_shift = clamp_words(Q6_Vw_vsub_VwVw(shift, splat_w(word + 1)), 0, MOST_LONG);
}

void nn_int16_describe(const struct nn_call *call, struct int16_outputs *to, uint32_t first,
		       uint32_t count)
{
	HVX_VectorPair bias = load_pairs(&call->input[2], first, count);
	HVX_VectorPair scale = load_pairs(&call->input[3], first, count);
	HVX_Vector low = Q6_V_lo_W(bias), high = Q6_V_hi_W(bias);
	HVX_Vector multiplier = Q6_V_lo_W(scale), shift = Q6_V_hi_W(scale);
	HVX_VectorPred used = first_bytes(4 * count);
	HVX_VectorPred is_short = Q6_Q_vcmp_gt_VwVw(splat_w(1 << 15), multiplier);
	HVX_VectorPred is_once = Q6_Q_vcmp_gt_VwVw(shift, splat_w(NN_ROUNDED_ONCE - 1));
	/* Biases of 39 bits, of which 31 are the high sum's, and shifts of LEAST_SHIFT or more. */
	HVX_VectorPred fits = Q6_Q_vcmp_gt_VuwVuw(splat_w(128), Q6_Vw_vadd_VwVw(high, splat_w(64)));

	fits = Q6_Q_and_QQ(fits, Q6_Q_vcmp_gt_VwVw(shift, splat_w(LEAST_SHIFT - 1)));
	fits = Q6_Q_and_QQn(fits, Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), multiplier));
	to->first = first;
	to->count = count;
	to->multiplier = multiplier;
	to->form = INT16_MIXED;
	if (is_everywhere(Q6_Q_and_QQ(is_short, fits), used)) {
		to->form = INT16_SUMS;
		to->bias_low = Q6_V_vand_VV(low, splat_w(255));
		to->bias_high = Q6_V_vor_VV(Q6_Vw_vasl_VwR(high, 24), Q6_Vuw_vlsr_VuwR(low, 8));
		divide_shifts(to, Q6_Vw_vsub_VwVw(clamp_words(shift, 1, 62), splat_w(8)), 16);
		return;
	}
	to->bias_low = low;
	if (is_everywhere(Q6_Q_and_QQn(is_once, is_short), used) &&
	    is_everywhere(Q6_Q_vcmp_gt_VwVw(shift, splat_w(NN_ROUNDED_ONCE + 1)), used)) {
		to->form = INT16_ONCE;
		shift = Q6_Vw_vsub_VwVw(shift, splat_w(NN_ROUNDED_ONCE));
		divide_shifts(to, clamp_words(shift, 1, 62), 32);
	} else if (is_everywhere(Q6_Q_not_Q(Q6_Q_or_QQ(is_once, is_short)), used)) {
		to->form = INT16_TWICE;
		to->by = fixed_lanes_of(multiplier, clamp_words(shift, -31, 30));
	}
}

static inline __attribute__((always_inline)) HVX_Vector
scale_sums(HVX_Vector high, HVX_Vector low, const struct int16_outputs *to)
{
	HVX_Vector m = to->multiplier, v, w, rest, whole;

	low = Q6_Vw_vadd_VwVw(low, to->bias_low);
	high = Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(high, to->bias_high), Q6_Vw_vasr_VwR(low, 8));
	low = Q6_V_vand_VV(low, splat_w(255));
	/* The lower half of `high`, the upper one, and what is carried. */
	w = Q6_Vw_vmpyie_VwVuh(m, high);
	w = Q6_Vw_vadd_VwVw(w, Q6_Vuw_vlsr_VuwR(Q6_Vw_vmpyie_VwVuh(low, m), 8));
	v = Q6_Vw_vmpyie_VwVuh(Q6_Vw_vasr_VwR(high, 16), m);
	v = Q6_Vw_vadd_VwVw(v, Q6_Vuw_vlsr_VuwR(w, 16));
	w = Q6_V_vand_VV(w, splat_w(0xffff));
	/* right is t - 1, so that no shift is as long as a halfword. */
	rest = Q6_Vw_vlsr_VwVw(Q6_Vw_vadd_VwVw(w, to->half), to->right);
	whole = Q6_Vw_vadd_VwVw(Q6_Vw_vasl_VwVw(v, to->left), Q6_Vuw_vlsr_VuwR(rest, 1));
	v = Q6_Vw_vavg_VwVw_rnd(Q6_Vw_vasr_VwVw(v, to->long_shift), Q6_V_vzero());
	return Q6_V_vmux_QVV(Q6_Q_vand_VR(to->is_long, -1), v, whole);
}

static inline __attribute__((always_inline)) HVX_Vector
scale_once(HVX_Vector high, HVX_Vector low, const struct int16_outputs *to)
{
	HVX_Vector sum, rest, whole, v;
	HVX_VectorPair product;

	sum = Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(low, to->bias_low), Q6_Vw_vasl_VwR(high, 8));
	product = Q6_W_vmpye_VwVuh(sum, to->multiplier);
	product = Q6_W_vmpyoacc_WVwVh(product, sum, to->multiplier);
	v = Q6_V_hi_W(product);
	/* The lower word, shifted by all but one bit: there is room for a carry. */
	rest = Q6_Vw_vlsr_VwVw(Q6_V_lo_W(product), to->right);
	rest = Q6_Vuw_vlsr_VuwR(Q6_Vw_vadd_VwVw(rest, splat_w(1)), 1);
	whole = Q6_Vw_vadd_VwVw(Q6_Vw_vasl_VwVw(v, to->left), rest);
	v = Q6_Vw_vavg_VwVw_rnd(Q6_Vw_vasr_VwVw(v, to->long_shift), Q6_V_vzero());
	return Q6_V_vmux_QVV(Q6_Q_vand_VR(to->is_long, -1), v, whole);
}

static inline __attribute__((always_inline)) HVX_Vector
scale_twice(HVX_Vector high, HVX_Vector low, const struct int16_outputs *to)
{
	HVX_Vector sum =
		Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(low, to->bias_low), Q6_Vw_vasl_VwR(high, 8));

	return fixed_multiply_up(sum, &to->by);
}

/* Outputs that have nothing in common. */
static __attribute__((noinline)) void scale_mixed(const struct nn_call *call,
						  const struct int16_outputs *to,
						  const int32_t *high, const int32_t *low,
						  uint32_t pitch, uint32_t pixels, int16_t *out,
						  uint32_t out_pitch)
{
	const uint32_t *bias = (const uint32_t *)call->input[2].data + 2 * to->first;
	const int32_t *scale = (const int32_t *)call->input[3].data + 2 * to->first;

	for (; pixels; pixels--, high += pitch, low += pitch, out += out_pitch) {
		for (uint32_t m = 0; m < to->count; m++) {
			uint64_t sum = (uint64_t)((int64_t)high[m] * 256 + low[m]);

			sum += bias[2 * m] | (uint64_t)bias[2 * m + 1] << 32;
			out[m] = clamp_int(conv2d_int16_scale((int64_t)sum, &scale[2 * m]),
					   call->op->out_min, call->op->out_max);
		}
	}
}

static inline __attribute__((always_inline)) HVX_Vector
scale_32(const struct int16_outputs *to, enum int16_form form, const int32_t *high,
	 const int32_t *low)
{
	HVX_Vector h = *(const HVX_Vector *)high, l = *(const HVX_Vector *)low;

	return form == INT16_SUMS ? scale_sums(h, l, to) :
	       form == INT16_ONCE ? scale_once(h, l, to) :
				    scale_twice(h, l, to);
}

/* Scales one block, or two, whose results are stored together. */
static inline __attribute__((always_inline)) void
scale_blocks(const struct nn_call *call, const struct int16_outputs *outputs, uint32_t blocks,
	     enum int16_form form, const int32_t *high, const int32_t *low, uint32_t pitch,
	     uint32_t pixels, int16_t *out, uint32_t out_pitch)
{
	const struct int16_outputs first = outputs[0], second = outputs[blocks - 1];
	HVX_Vector least = splat_h(call->op->out_min), most = splat_h(call->op->out_max);
	uint32_t bytes = 2 * (blocks == 2 ? 32 + second.count : first.count);

	for (; pixels; pixels--, high += pitch, low += pitch, out += out_pitch) {
		HVX_Vector v = scale_32(&first, form, high, low), w = v;

		if (blocks == 2)
			w = scale_32(&second, form, high + 32, low + 32);
		v = Q6_Vh_vpack_VwVw_sat(w, v);
		v = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(v, least), most);
		if (bytes == VECTOR)
			store(out, v);
		else
			store_bytes(out, v, bytes);
	}
}

void nn_int16_scale(const struct nn_call *call, const struct int16_outputs *outputs,
		    const int32_t *high, const int32_t *low, uint32_t pitch, uint32_t pixels,
		    int16_t *out, uint32_t out_pitch, uint32_t blocks)
{
	enum int16_form form = outputs[0].form;

	if (blocks == 2 && form == outputs[1].form && form != INT16_MIXED) {
		if (form == INT16_SUMS)
			scale_blocks(call, outputs, 2, INT16_SUMS, high, low, pitch, pixels, out,
				     out_pitch);
		else if (form == INT16_ONCE)
			scale_blocks(call, outputs, 2, INT16_ONCE, high, low, pitch, pixels, out,
				     out_pitch);
		else
			scale_blocks(call, outputs, 2, INT16_TWICE, high, low, pitch, pixels, out,
				     out_pitch);
		return;
	}
	for (; blocks; blocks--, outputs++, high += 32, low += 32, out += 32) {
		form = outputs->form;
		if (form == INT16_SUMS)
			scale_blocks(call, outputs, 1, INT16_SUMS, high, low, pitch, pixels, out,
				     out_pitch);
		else if (form == INT16_ONCE)
			scale_blocks(call, outputs, 1, INT16_ONCE, high, low, pitch, pixels, out,
				     out_pitch);
		else if (form == INT16_TWICE)
			scale_blocks(call, outputs, 1, INT16_TWICE, high, low, pitch, pixels, out,
				     out_pitch);
		else
			scale_mixed(call, outputs, high, low, pitch, pixels, out, out_pitch);
	}
}
