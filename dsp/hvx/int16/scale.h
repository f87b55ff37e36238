/* SPDX-License-Identifier: MIT */
/*
 * The scaling of CONV2D_INT16's sums, conv2d_int16_scale() of dsp/kernels/conv2d_int16.h, for 32
 * outputs.
 */
#ifndef NN_INT16_SCALE_H
#define NN_INT16_SCALE_H

#include "dsp/hvx/common/fixed.h"
#include "dsp/program/kernels.h"

enum int16_form {
	INT16_WORDS,	/* of 32 bits, bias included, by multipliers of 15 bits, */
	INT16_LONG_WORDS,	/* or of 31, rounded once */
	INT16_SUMS,	/* of 64 bits, by multipliers of 15 bits, */
	INT16_TWICE,	/* and their low 32 bits by others, rounded twice, */
	INT16_ONCE,	/* or once */
	INT16_MIXED,	/* one output after another */
};

/*
 * Bias and scale of 32 outputs. A sum is that of two, 256 * high + low, and the bias likewise.
 * The multiplier's product with the high sum, and with the low one's rest / 256, has 46 bits, and
 * is shifted by 1 or more.
 */
struct int16_outputs {
	HVX_Vector bias_high, bias_low;
	HVX_Vector multiplier;
	HVX_Vector left, right, half;	/* INT16_SUMS, INT16_ONCE: of shifts that are short */
					/* words: what is added, and a shift */
	HVX_Vector long_shift, is_long;
	struct fixed_lanes by;		/* INT16_TWICE */
	enum int16_form form;
	uint32_t first, count;		/* outputs */
};

/* Describes `count` outputs from `first` on, at most 32, each the sum of so many products. */
void nn_int16_describe(const struct nn_call *call, struct int16_outputs *to, uint32_t first,
		       uint32_t count, uint64_t products);

/* Scales sums of INT16_WORDS or INT16_LONG_WORDS, which have their bias, before they are clamped. */
static inline HVX_Vector int16_scale_words(HVX_Vector sum, HVX_Vector multiplier, HVX_Vector half,
					   HVX_Vector shift, bool is_long)
{
	HVX_VectorPair product = Q6_W_vmpye_VwVuh(sum, multiplier);

	if (is_long)
		product = Q6_W_vmpyoacc_WVwVh(product, sum, multiplier);
	return Q6_Vw_vasr_VwVw(Q6_Vw_vadd_VwVw(Q6_V_hi_W(product), half), shift);
}

/*
 * Scales the sums of `pixels` pixels, each `pitch` words behind the last one's, of one or two
 * blocks of outputs; results are out_pitch elements apart.
 */
void nn_int16_scale(const struct nn_call *call, const struct int16_outputs *outputs,
		    const int32_t *high, const int32_t *low, uint32_t pitch, uint32_t pixels,
		    int16_t *out, uint32_t out_pitch, uint32_t blocks);

#endif
