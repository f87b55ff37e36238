// SPDX-License-Identifier: MIT
/*
 * Scales as kernels want them, see enum nn_scale_row of dsp/program/nn_program.h and dsp/program/pack.h. In
 * integers alone: tests on the DSP make them, too.
 */
#include "dsp/kernels/scales.h"
#include "dsp/kernels/weights.h"
#include "dsp/program/pack.h"

#define BLOCK	32u	/* lanes that share their flags */

uint32_t nn_pack_lanes(uint32_t outputs)
{
	return (uint32_t)weight_lanes(outputs);
}

uint32_t nn_pack_repeated_lanes(uint32_t outputs)
{
	return (uint32_t)repeated_lanes(outputs);
}

/* Whether a product's fraction, of `bits` bits, is within 2^-12 of a half. */
static bool is_tie(uint64_t product, uint32_t bits)
{
	const uint64_t half = 1ull << (bits - 1), margin = half >> 11;

	return ((product + half + margin) & (2 * half - 1)) < 2 * margin;
}

/*
 * Returns NN_SCALE_GREATEST for a scale. Vector kernels make a result again that may be a tie. Very
 * many sums may be clamped to this one and its complement, so it is one whose results are no ties,
 * if there are such: with a scale of a half, say, every other is a tie. The results are past 2^9,
 * so that those of half as much are past 8 bits as well.
 */
static int32_t find_greatest(const struct scale_words *words)
{
	const uint64_t mantissa = (uint64_t)words->multiplier >> 7;
	const uint32_t bits = (uint32_t)(40 - words->shift);	/* of a product's fraction */
	uint32_t sum;

	/* Small scales' sums have no such results, and of large ones few sums have others. */
	if (words->shift < -4 || words->shift > 20)
		return words->greatest;
	sum = (uint32_t)INT32_MAX >> (words->shift + 4);
	for (uint32_t tries = 0; tries < 16; tries++, sum -= sum / 256 + 1) {
		if (!is_tie(sum * mantissa, bits) &&
		    !is_tie((sum + 1) * mantissa, bits))
			break;
	}
	return (int32_t)sum;
}

/* One lane, whose place in row 0 is `lane`; rows are `lanes` apart. Returns its flags. */
static uint32_t pack_lane(int32_t *lane, uint32_t lanes, float scale, uint32_t reach)
{
	const struct scale_words words = describe_scale(scale);

	lane[NN_SCALE_FLOAT * lanes] = words.bits;
	lane[NN_SCALE_MULTIPLIER * lanes] = words.multiplier;
	lane[NN_SCALE_SHIFT * lanes] = words.shift;
	lane[NN_SCALE_GREATEST * lanes] = find_greatest(&words);
	lane[NN_SCALE_EXACT * lanes] = words.exact;
	return describe_flags(&words, reach);
}

void nn_pack_scale_block(int32_t *block, uint32_t lanes, uint32_t count, const float *scale,
			 const uint32_t *reach)
{
	uint32_t flags = 0, i;

	for (i = 0; i < count; i++)
		flags |= pack_lane(block + i, lanes, scale[i], reach[i]);
	/* The products are 0, far from any tie. */
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
