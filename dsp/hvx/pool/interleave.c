// SPDX-License-Identifier: MIT
/*
 * Makes the controls and masks with which MAX_POOL's assembly brings left and right pixels of
 * narrow windows together: interleave.h draws the ways. max_s2_narrow.c calls
 * nn_max_s2_narrow_settle() once for a call.
 */
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/pool/interleave.h"

#define BYTES	(INTERLEAVED_WINDOWS * INTERLEAVED_CHANNELS)
#define EARLY	(3 * INTERLEAVED_CHANNELS)	/* bytes of results from even pixels */

const uint8_t nn_paired_windows[PAIRED_CHANNELS + 1] = {
#define PAIRS(channels) (VECTOR / 2 / (channels) * 2)
#define FOUR(c) PAIRS(c), PAIRS((c) + 1), PAIRS((c) + 2), PAIRS((c) + 3)
	0, FOUR(1), FOUR(5), FOUR(9), FOUR(13), FOUR(17), FOUR(21), FOUR(25), FOUR(29),
#undef FOUR
#undef PAIRS
};

/* A mask: all ones from byte `begin` to before `end`. */
static inline HVX_Vector bytes_between(uint32_t begin, uint32_t end)
{
	return Q6_V_vand_QR(Q6_Q_and_QQn(first_bytes(end), Q6_Q_vsetq_R(begin)), -1);
}

static inline HVX_Vector pixel_mask(uint32_t i)
{
	return bytes_between(i * INTERLEAVED_CHANNELS, (i + 1) * INTERLEAVED_CHANNELS);
}

/* The control of vrdelta that gathers bytes to `to` and those behind it. */
static inline HVX_Vector gather(HVX_Vector bytes, uint32_t to)
{
	HVX_Vector number = Q6_Vb_prefixsum_Q(Q6_Q_vand_VR(bytes, -1));

	return delta_spread(Q6_Vb_vadd_VbVb(number, splat_b(to - 1)), bytes);
}

static void settle_fives(struct narrow_windows *narrow)
{
	HVX_Vector all = bytes_between(0, BYTES), number = delta_indices();
	HVX_Vector even = Q6_V_vor_VV(Q6_V_vor_VV(pixel_mask(0), pixel_mask(2)), pixel_mask(4));
	HVX_Vector turned = Q6_V_vmux_QVV(
		Q6_Q_vsetq_R(BYTES - INTERLEAVED_CHANNELS),
		Q6_Vb_vadd_VbVb(number, splat_b(INTERLEAVED_CHANNELS)),
		Q6_Vb_vsub_VbVb(number, splat_b(BYTES - INTERLEAVED_CHANNELS)));

	narrow->turn = delta_spread(turned, all);
	narrow->even = gather(even, 0);
	narrow->odd = gather(Q6_V_vxor_VV(even, all), EARLY);
	narrow->first = even;
	narrow->late = bytes_between(EARLY, BYTES);
}

/*
 * Sets the networks of windows in pairs, which take every other pixel out of a vector, as many as
 * half of the windows.
 */
static void settle_pairs(struct narrow_windows *narrow)
{
	uint32_t channels = narrow->pixel, half = narrow->bytes / 2;
	HVX_Vector left = Q6_V_vzero(), right;

	for (uint32_t i = 0; i < 2 * half; i += 2 * channels)
		left = Q6_V_vor_VV(left, bytes_between(i, i + channels));
	right = Q6_V_vxor_VV(left, bytes_between(0, 2 * half));
	narrow->pairs[0] = gather(left, 0);
	narrow->pairs[1] = gather(left, half);
	narrow->pairs[2] = gather(right, 0);
	narrow->pairs[3] = gather(right, half);
	narrow->late = bytes_between(half, VECTOR);
}

void nn_max_s2_narrow_settle(struct narrow_windows *narrow, uint32_t channels, uint32_t windows)
{
	narrow->begin = bytes_between(0, channels);
	narrow->pixel = channels;
	narrow->bytes = windows * channels;
	if (channels == INTERLEAVED_CHANNELS)
		settle_fives(narrow);
	else if (channels <= PAIRED_CHANNELS)
		settle_pairs(narrow);
}
