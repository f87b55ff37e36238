// SPDX-License-Identifier: MIT
/*
 * L2_NORMALIZE: vectors over their length, in integers. nn_l2_normalize_hvx() is its vector kernel,
 * in the table of kernels.c. A vector here is the elements along the last dimension. HVX sums up
 * their squares, the scalar unit makes the inverse of the root, and nn_fixed_multiply() by that is
 * computed as it is defined, with words of 32 lanes.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/reduce/normalize_fixed.h"

#define VECTOR_WORK	512u
#define CHUNK_WORK	128u	/* for 128 elements */

/* The numbers of all elements of a vector, repeated where bytes or halfwords are meant. */
struct lanes {
	int32_t flip, zero;		/* bytes */
	uint32_t left, right;		/* shifts before and after the product */
	int32_t multiplier, half;
	int32_t zero_output;		/* halfwords */
	int32_t min, max;		/* of results as unsigned bytes, which flip_output makes right */
	int32_t flip_output;
};

/* nn_fixed_multiply() of words. */
static inline HVX_Vector multiply_words(HVX_Vector words, const struct lanes *lanes)
{
	HVX_Vector multiplier = splat_w(lanes->multiplier), high;
	HVX_VectorPred is_less;

	words = Q6_Vw_vasl_VwR(words, lanes->left);
	high = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(Q6_Vw_vmpye_VwVuh(words, multiplier), words,
						      multiplier);
	is_less = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), high);
	high = Q6_Vw_vadd_VwVw(Q6_Vw_vabs_Vw(high), splat_w(lanes->half));
	high = Q6_Vuw_vlsr_VuwR(high, lanes->right);
	return Q6_V_vmux_QVV(is_less, Q6_Vw_vsub_VwVw(Q6_V_vzero(), high), high);
}

/* The results of 64 elements that are halfwords, with the zero point. */
static inline HVX_Vector make_64(HVX_Vector halves, const struct lanes *lanes)
{
	HVX_VectorPair words = Q6_Ww_vmpy_VhRh(halves, 0x10001);

	return Q6_Vh_vadd_VhVh_sat(
		Q6_Vh_vsat_VwVw(multiply_words(Q6_V_hi_W(words), lanes),
				multiply_words(Q6_V_lo_W(words), lanes)),
		Q6_V_vsplat_R(lanes->zero_output));
}

static inline HVX_Vector make_128(HVX_Vector v, const struct lanes *lanes)
{
	HVX_VectorPair halves;

	v = Q6_V_vxor_VV(v, Q6_V_vsplat_R(lanes->flip));
	halves = Q6_Wh_vsub_VubVub(v, Q6_V_vsplat_R(lanes->zero));
	v = Q6_Vub_vsat_VhVh(make_64(Q6_V_hi_W(halves), lanes), make_64(Q6_V_lo_W(halves), lanes));
	v = Q6_Vub_vmax_VubVub(v, Q6_V_vsplat_R(lanes->min));
	v = Q6_Vub_vmin_VubVub(v, Q6_V_vsplat_R(lanes->max));
	return Q6_V_vxor_VV(v, Q6_V_vsplat_R(lanes->flip_output));
}

static __attribute__((noinline)) void make_elements(const struct lanes *lanes,
						    const uint8_t *from, uint8_t *to,
						    uint32_t elements)
{
	for (; elements >= VECTOR; elements -= VECTOR, from += VECTOR, to += VECTOR)
		store(to, make_128(load(from), lanes));
	if (elements)
		store_bytes(to, make_128(load_bytes(from, elements), lanes), elements);
}

static struct lanes lanes_of(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	int32_t flip = flip_of(input);

	return (struct lanes){
		.flip = flip * 0x1010101,
		.zero = ((input->zero_point + flip) & 0xff) * 0x1010101,
		.zero_output = (output->zero_point + flip) * 0x10001,
		.min = ((call->op->out_min + flip) & 0xff) * 0x1010101,
		.max = ((call->op->out_max + flip) & 0xff) * 0x1010101,
		.flip_output = flip * 0x1010101,
	};
}

static void set_factor(struct lanes *lanes, struct nn_fixed by, bool is_signed)
{
	/* Signed elements go in as they are, the others times 2^7. */
	by.exponent += is_signed ? 7 : 0;
	lanes->left = by.exponent > 0 ? by.exponent : 0;
	lanes->right = lanes->left - by.exponent;
	lanes->left += is_signed ? 0 : 7;
	lanes->half = lanes->right ? 1 << (lanes->right - 1) : 0;
	lanes->multiplier = by.multiplier;
}

int nn_l2_normalize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct progress progress = { .call = call };
	struct lanes lanes = lanes_of(call);

	for (uint64_t i = 0; i < output->bytes; i += length) {
		struct normalize_sums sums = { 0 };
		int ret = progress_add(&progress, VECTOR_WORK);

		if (!ret)
			ret = nn_normalize_sum(&progress, input->data + i, length, false, &sums);
		if (!ret)
			ret = progress_add(&progress, (length / VECTOR + 1) * CHUNK_WORK +
						      memory_work(2 * length) + 2 * NN_PAGE_WORK);
		if (ret)
			return ret;
		set_factor(&lanes, nn_fixed_inverse_root((int32_t)sums.squares),
			   input->type == NN_TYPE_INT8);
		make_elements(&lanes, input->data + i, output->data + i, length);
	}
	return 0;
}
