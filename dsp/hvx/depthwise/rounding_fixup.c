// SPDX-License-Identifier: MIT
/*
 * The rounding fixup of DEPTHWISE_CONV2D: which rows of results the assembly's bits tell to make
 * again. rounding_fixup.h says how the bits are laid out.
 */
#include "dsp/hvx/depthwise/rounding_fixup.h"

#include "dsp/kernels/checks.h"

/* Returns the OR of `count` vectors, word by word. */
static HVX_Vector or_all(const HVX_Vector *vectors, uint32_t count)
{
	HVX_Vector all = Q6_V_vzero();

	for (; count; count--)
		all = Q6_V_vor_VV(all, *vectors++);
	return all;
}

static bool is_any(HVX_Vector words)
{
	return any_lane(Q6_Q_vcmp_gt_VuwVuw(words, Q6_V_vzero()));
}

static uint32_t any_word(HVX_Vector words)
{
	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2)
		words = Q6_V_vor_VV(words, Q6_V_vror_VR(words, i));
	return Q6_R_vextract_VR(words, 0);
}

/* Looks at the bits of several positions with few rows together. */
static __attribute__((noinline)) void finish_positions(const HVX_Vector *ties, uint32_t positions,
						    uint32_t rows, nn_depthwise_finish_fp finish,
						    const void *opaque)
{
	uint32_t together = rows > 16 ? 1 : rows > 8 ? 2 : 4, first = 0;

	for (uint32_t p = 0; p < positions; p += together) {
		HVX_Vector words = or_all(ties + p, min_u32(together, positions - p));
		uint32_t bits = is_any(words) ? any_word(words) : 0;

		/*
		 * The bit of the first of these rows becomes bit 0. This is not in C: of a rotation
		 * clang 14 and 19 both take no modulo, and 19 drops this one from `first`, too.
		 */
		bits = Q6_P_lsr_PR(Q6_P_combine_RR(bits, bits), first);
		first = (first + together * rows) % 32;
		for (; bits; bits &= bits - 1) {
			uint32_t position = p, y = __builtin_ctz(bits);

			for (; together > 1 && y >= rows; y -= rows)
				position++;
			for (; y < rows; y += 32)
				finish(opaque, position, y);
		}
	}
}

void nn_depthwise_finish_ties(const HVX_Vector *ties, uint32_t positions, uint32_t rows,
			      nn_depthwise_finish_fp finish, const void *opaque)
{
	/* Most often there is none. */
	if (is_any(or_all(ties, positions)))
		finish_positions(ties, positions, rows, finish, opaque);
}
