// SPDX-License-Identifier: MIT
/*
 * Requantization on HVX, both ways, against the float32 arithmetic that defines it, densely:
 * accumulators whose products lie on ties and next to them, scales of few bits and of many, of
 * every magnitude, zeros and the ends of the range. Runs in qemu-hexagon, whose scalar float unit
 * is the reference.
 */
#include "dsp/hvx/common/requant.h"
#include "dsp/program/pack.h"
#include "../../dsp/kernels/numbers.h"
#include "harness.h"
#include "tensor.h"

static int32_t acc[128] __attribute__((aligned(128)));
static float scale[128] __attribute__((aligned(128)));
static uint8_t got[128] __attribute__((aligned(128)));

static uint32_t pairs, ties;

/* 128 pairs through the way that kernels take, and the exact way alone. */
static bool compare(int32_t zero_point, bool is_signed, int32_t min, int32_t max)
{
	struct finish finish = finish_of(is_signed, zero_point, min, max);
	HVX_Vector *sums = (HVX_Vector *)acc, exact[4], fraction = splat_w(-1);
	static int32_t packed[NN_SCALE_ROWS * 128] __attribute__((aligned(128)));
	struct nn_tensor tensor;
	struct requant scales[4];

	describe_tensor(&tensor, NN_TYPE_INT32, DIMS(NN_SCALE_ROWS, 128), packed);
	nn_pack_scales(packed, 128, 128, scale, NULL, 128);
	for (uint32_t i = 0; i < 4; i++) {
		scales[i] = requant_lanes(&tensor, 32 * i);
		exact[i] = requant_exact(sums[i], &scales[i]);
	}
	requant_fast(sums[0], sums[1], &scales[0], &scales[1], &fraction);
	requant_fast(sums[2], sums[3], &scales[2], &scales[3], &fraction);
	ties += requant_is_tie(fraction);
	pairs += 128;

	for (uint32_t way = 0; way < 2; way++) {
		if (way == 0)
			*(HVX_Vector *)got = requant_128(sums, scales, &finish);
		else
			*(HVX_Vector *)got = finish_8bit(Q6_Vh_vpack_VwVw_sat(exact[1], exact[0]),
							 Q6_Vh_vpack_VwVw_sat(exact[3], exact[2]),
							 &finish);
		for (uint32_t i = 0; i < 128; i++) {
			int32_t wanted = clamp_int(requant(acc[i], scale[i], zero_point), min, max);

			if (got[i] != (wanted & 0xff)) {
				print("# way %u: %d * %x is %d, should be %d\n", way, acc[i],
				      ((uint32_t *)scale)[i], is_signed ? (int8_t)got[i] : got[i],
				      wanted);
				return false;
			}
		}
	}
	return true;
}

static bool compare_types(void)
{
	int32_t zero = random_below(256), a = random_below(256), b = random_below(256),
		low = a < b ? a : b;

	switch (random_below(3)) {
	case 0:
		return compare(zero, false, 0, 255);
	case 1:
		return compare(zero - 128, true, -128, 127);
	}
	return compare(zero, false, low, low == a ? b : a);
}

/* Any accumulator of some size, any scale that brings it to the range of bytes or thereabouts. */
static bool test_random(uint32_t rounds, bool few_bits)
{
	while (rounds--) {
		for (uint32_t i = 0; i < 128; i++) {
			uint32_t shift = random_below(32);
			uint32_t mantissa = random_bits() & (few_bits ? 0x7c0000 : 0x7fffff);
			uint32_t exponent = 127 + 8 - 32 + shift + random_below(4) - 2;

			acc[i] = (int32_t)random_bits() >> shift;
			scale[i] = float_of((exponent < 1 ? 1 : exponent) << 23 | mantissa);
		}
		if (!compare_types())
			return false;
	}
	return true;
}

/* acc * scale is n + 1/2, as near as float32 comes: scale is the quotient or one of its neighbours.
 */
static bool test_ties(uint32_t rounds)
{
	while (rounds--) {
		for (uint32_t i = 0; i < 128; i++) {
			uint32_t size = random_below(31);
			int32_t n = (int32_t)random_below(300);

			acc[i] = (int32_t)(random_bits() >> (31 - size)) | 1 << size;
			/* The quotient of two floats needs no library: it is found bit by bit. */
			{
				uint32_t bits = 0;
				float half = (float)n + 0.5f;

				for (uint32_t bit = 1u << 30; bit; bit >>= 1) {
					if ((bits | bit) < 0x7f800000 &&
					    (float)acc[i] * float_of(bits | bit) <= half)
						bits |= bit;
				}
				bits += random_below(3) - 1;
				scale[i] = float_of(bits);
			}
			if (random_below(2))
				acc[i] = -acc[i];
		}
		if (!compare_types())
			return false;
	}
	return true;
}

/*
 * Each accumulator from -2^17 on, with scales near powers of two, and the ends of the range with
 * every exponent.
 */
static bool test_sweep(void)
{
	for (int32_t from = -(1 << 17); from < 1 << 17; from += 128) {
		for (uint32_t i = 0; i < 128; i++) {
			acc[i] = from + i;
			scale[i] = float_of((127 - 10) << 23 | (i % 3 ? i % 3 - 1 : 0x400000));
		}
		if (!compare_types())
			return false;
	}
	for (uint32_t exponent = 1; exponent < 255; exponent++) {
		static const int32_t ends[] = { INT32_MIN, INT32_MIN + 1,  -1,	   0, 1,
						INT32_MAX, INT32_MAX - 63, 1 << 24 };

		for (uint32_t i = 0; i < 128; i++) {
			acc[i] = ends[i % 8];
			scale[i] =
				float_of(exponent << 23 | (i < 64 ? 0 : random_bits() & 0x7fffff));
		}
		if (!compare_types())
			return false;
	}
	return true;
}

static void report(bool ok, const char *name)
{
	print("# %u pairs, %u of %u vectors near a half\n", pairs, ties, pairs / 128);
	pairs = ties = 0;
	result(ok, name);
}

int main(void)
{
	plan(4);
	report(test_random(4000, false), "random pairs");
	report(test_random(2000, true), "scales of few bits");
	report(test_ties(1500), "products on and next to ties");
	report(test_sweep(), "small accumulators, the ends of the range, every exponent");
	return finish_tests();
}
