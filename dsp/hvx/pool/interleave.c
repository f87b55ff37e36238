// SPDX-License-Identifier: MIT
/*
 * Makes the controls and masks with which MAX_POOL's assembly brings left and right pixels of
 * narrow windows together: interleave.h draws the ways. max_s2_narrow.c calls nn_woven_settle()
 * once for a call.
 */
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/pool/interleave.h"

#define BYTES	(WOVEN_WINDOWS * WOVEN_CHANNELS)
#define EARLY	(3 * WOVEN_CHANNELS)	/* bytes of results from even pixels of the vector */

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

static inline HVX_Vector place(uint32_t i)
{
	return bytes_between(i * WOVEN_CHANNELS, (i + 1) * WOVEN_CHANNELS);
}

/* The control of vrdelta that gathers bytes to `to` and those behind it. */
static inline HVX_Vector gather(HVX_Vector bytes, uint32_t to)
{
	HVX_Vector number = Q6_Vb_prefixsum_Q(Q6_Q_vand_VR(bytes, -1));

	return delta_spread(Q6_Vb_vadd_VbVb(number, splat_b(to - 1)), bytes);
}

static void settle_fives(struct woven *woven)
{
	HVX_Vector all = bytes_between(0, BYTES), number = delta_places();
	HVX_Vector even = Q6_V_vor_VV(Q6_V_vor_VV(place(0), place(2)), place(4));
	HVX_Vector turned = Q6_V_vmux_QVV(
		Q6_Q_vsetq_R(BYTES - WOVEN_CHANNELS),
		Q6_Vb_vadd_VbVb(number, splat_b(WOVEN_CHANNELS)),
		Q6_Vb_vsub_VbVb(number, splat_b(BYTES - WOVEN_CHANNELS)));

	woven->turn = delta_spread(turned, all);
	woven->even = gather(even, 0);
	woven->odd = gather(Q6_V_vxor_VV(even, all), EARLY);
	woven->first = even;
	woven->late = bytes_between(EARLY, BYTES);
}

/*
 * Sets the networks of windows in pairs, which take every other pixel out of a vector, as many as
 * half of the windows.
 */
static void settle_pairs(struct woven *woven)
{
	uint32_t channels = woven->pixel, half = woven->bytes / 2;
	HVX_Vector left = Q6_V_vzero(), right;

	for (uint32_t i = 0; i < 2 * half; i += 2 * channels)
		left = Q6_V_vor_VV(left, bytes_between(i, i + channels));
	right = Q6_V_vxor_VV(left, bytes_between(0, 2 * half));
	woven->pairs[0] = gather(left, 0);
	woven->pairs[1] = gather(left, half);
	woven->pairs[2] = gather(right, 0);
	woven->pairs[3] = gather(right, half);
	woven->late = bytes_between(half, VECTOR);
}

void nn_woven_settle(struct woven *woven, uint32_t channels, uint32_t windows)
{
	woven->begin = bytes_between(0, channels);
	woven->pixel = channels;
	woven->bytes = windows * channels;
	if (channels == WOVEN_CHANNELS)
		settle_fives(woven);
	else if (channels <= PAIRED_CHANNELS)
		settle_pairs(woven);
}
