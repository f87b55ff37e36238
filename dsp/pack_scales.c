// SPDX-License-Identifier: MIT
/*
 * Scales as kernels want them, see enum nn_scale_row of dsp/nn_program.h and dsp/pack.h. In integers
 * alone: tests on the DSP make them, too.
 */
#include "kernels/scales.h"
#include "kernels/weights.h"
#include "pack.h"

#define BLOCK	32u	/* lanes that share their flags */

#define SMALL_SCALE	0x37800000	/* 2^-16, a float32; no scale is negative */

uint32_t nn_pack_lanes(uint32_t outputs)
{
	return (uint32_t)weight_lanes(outputs);
}

uint32_t nn_pack_repeated_lanes(uint32_t outputs)
{
	return (uint32_t)repeated_lanes(outputs);
}

/* One lane, whose place in row 0 is `lane`; rows are `lanes` apart. Returns its flags. */
static uint32_t pack_lane(int32_t *lane, uint32_t lanes, float scale, uint32_t reach)
{
	const struct scale_words words = describe_scale(scale);

	lane[NN_SCALE_FLOAT * lanes] = words.bits;
	lane[NN_SCALE_MULTIPLIER * lanes] = words.multiplier;
	lane[NN_SCALE_SHIFT * lanes] = words.shift;
	lane[NN_SCALE_GREATEST * lanes] = words.greatest;
	lane[NN_SCALE_EXACT * lanes] = words.exact;
	return (words.exact ? 0 : NN_SCALES_INEXACT) |
	       (reach > (uint32_t)words.greatest ? NN_SCALES_CLAMPED : 0) |
	       (words.shift < 0 ? NN_SCALES_ROUGH : 0) |
	       (words.bits < SMALL_SCALE ? NN_SCALES_SMALL : 0) |
	       (words.multiplier > MOST_HIGH ? NN_SCALES_WIDE : 0);
}

void nn_pack_scale_block(int32_t *block, uint32_t lanes, uint32_t count, const float *scale,
			 const uint32_t *reach)
{
	uint32_t flags = 0, i;

	for (i = 0; i < count; i++)
		flags |= pack_lane(block + i, lanes, scale[i], reach[i]);
	/* Products of 0, which are nowhere near a half. */
	for (; i < BLOCK; i++) {
		block[NN_SCALE_FLOAT * lanes + i] = 0x3f800000;
		block[NN_SCALE_MULTIPLIER * lanes + i] = 0;
		block[NN_SCALE_SHIFT * lanes + i] = 0;
		block[NN_SCALE_GREATEST * lanes + i] = INT32_MAX;
		block[NN_SCALE_EXACT * lanes + i] = 0;
	}
	for (i = 0; i < BLOCK; i++)
		block[NN_SCALE_FLAGS * lanes + i] = (int32_t)flags;
}

void nn_pack_scales(int32_t *packed, uint32_t lanes, uint32_t used, const float *scale,
		    const uint32_t *reach, uint32_t outputs)
{
	uint32_t output = 0;

	for (uint32_t first = 0; first < lanes; first += BLOCK) {
		const uint32_t count = used - first < BLOCK ? used - first : BLOCK;
		float scales[BLOCK];
		uint32_t reaches[BLOCK];

		for (uint32_t i = 0; i < count; i++) {
			scales[i] = scale[output];
			reaches[i] = reach ? reach[output] : NN_ANY_SUM;
			if (++output == outputs)
				output = 0;
		}
		nn_pack_scale_block(packed + first, lanes, count, scales, reaches);
	}
}
