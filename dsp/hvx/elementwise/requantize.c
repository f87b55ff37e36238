// SPDX-License-Identifier: MIT
/*
 * REQUANTIZE: sums of 32 bits become bytes, each channel with a scale. nn_requantize_hvx() is its
 * vector kernel, in the table of kernels.c. It makes 128 elements at a time. Scales repeat after as
 * many elements as there are channels, so vectors at a distance of whole pixels, a group, are made
 * one after another with the same constants:
 *
 *	3 channels   |rgbr .. rg|brgb .. br|gbrg .. gb|rgbr .. rg|brgb .. br|gbrg .. gb|
 *	groups       |            128 pixels          |            128 pixels          |
 *	first loop   |vector    |                     |vector    |
 *
 * A group's last vector ends where the group does, so that it need not be a multiple of 128
 * elements: what that vector has in common with the one before it is made twice.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/requantize.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/elementwise/requantize_vectors.h"

#define VECTOR_WORK	300	/* for one that is made exactly */
#define VECTOR_PACKETS	13	/* for all others, */
#define BEGIN_PACKETS	110	/* and until constants are loaded */

/* The loops, by whether scales are exact, and results signed. */
static uint32_t (*const loops[2][2])(struct requantize_vectors *) = {
	{ nn_requantize_uint8, nn_requantize_int8 },
	{ nn_requantize_exact_uint8, nn_requantize_exact_int8 },
};

/* Lists where the scales of four times 32 lanes begin, of which the first is `channel`. */
static void list_lanes(uint32_t *lane, uint32_t channels, uint32_t channel)
{
	for (uint32_t i = 0; i < 4; i++) {
		lane[i] = channel;
		for (channel += 32; channel >= channels;)
			channel -= channels;
	}
}

/* Requantizes up to 128 elements. */
static void requantize(const struct nn_call *call, uint32_t at, const uint32_t *lane,
		       uint32_t count, const struct finish *finish)
{
	const uint8_t *from = call->input[0].data + 4 * at;
	HVX_Vector acc[4];
	struct requant requant[4];

#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		acc[i] = Q6_V_vzero();
		if (i * 32 < count)
			acc[i] = load_bytes(from + i * VECTOR,
					    min_u32((count - i * 32) * 4, VECTOR));
		requant[i] = requant_lanes(&call->input[1], lane[i]);
	}
	store_bytes(call->output[0].data + at, requant_128(acc, requant, finish), count);
}

/*
 * Requantizes 128 elements exactly. It is not inline, so that calls that never come here load no
 * constants for it.
 */
static __attribute__((noinline)) void requantize_exactly(const struct nn_call *call, uint32_t at,
							 const uint32_t *lane,
							 const struct finish *finish)
{
	const uint8_t *from = call->input[0].data + 4 * at;
	HVX_Vector result[4];

	for (uint32_t i = 0; i < 4; i++) {
		struct requant requant = requant_lanes(&call->input[1], lane[i]);

		result[i] = requant_exact(load(from + i * VECTOR), &requant);
	}
	store(call->output[0].data + at, finish_8bit(Q6_Vh_vpack_VwVw_sat(result[1], result[0]),
						     Q6_Vh_vpack_VwVw_sat(result[3], result[2]),
						     finish));
}

/*
 * Requantizes a single pixel of 128 channels or more, of which no other has the constants: for that
 * the assembly would take longer.
 */
static int requantize_pixel(struct progress *progress, const struct finish *finish)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *scales = &call->input[1];
	const int32_t *multiplier = scale_row(scales, NN_SCALE_MULTIPLIER, 0);
	const int32_t *shift = scale_row(scales, NN_SCALE_SHIFT, 0);
	const int32_t *greatest = scale_row(scales, NN_SCALE_GREATEST, 0);
	const uint8_t *from = call->input[0].data;
	uint8_t *to = call->output[0].data;
	uint32_t bytes = call->output[0].bytes, at = 0;

	for (; at + VECTOR <= bytes; at += VECTOR) {
		HVX_Vector fraction = splat_w(-1), half[2];
		int ret = progress_add(progress, VECTOR_WORK);

		if (ret)
			return ret;
#pragma unroll
		for (uint32_t i = 0; i < 2; i++) {
			struct requant requant[2];

#pragma unroll
			for (uint32_t k = 0; k < 2; k++) {
				uint32_t lane = at + (2 * i + k) * 32;

				requant[k].multiplier = load(multiplier + lane);
				requant[k].shift = load(shift + lane);
				requant[k].max = load(greatest + lane);
				requant[k].min = Q6_V_vnot_V(requant[k].max);
			}
			half[i] = requant_fast(load(from + 4 * at + 2 * i * VECTOR),
					       load(from + 4 * at + (2 * i + 1) * VECTOR),
					       &requant[0], &requant[1], &fraction);
		}
		store(to + at, finish_8bit(half[0], half[1], finish));
		if (requant_is_tie(fraction)) {
			const uint32_t lane[4] = { at, at + 32, at + 64, at + 96 };

			requantize_exactly(call, at, lane, finish);
		}
	}
	if (at < bytes) {
		uint32_t lane[4];

		list_lanes(lane, bytes, bytes - VECTOR);
		requantize(call, bytes - VECTOR, lane, VECTOR, finish);
	}
	return 0;
}

/* Returns NN_SCALES_* of the lanes, and of those that share them. */
static uint32_t flags_of(const struct nn_tensor *scales, const uint32_t *lane)
{
	const int32_t *flags = scale_row(scales, NN_SCALE_FLAGS, 0);
	uint32_t any = 0;

	for (uint32_t i = 0; i < 4; i++)
		any |= flags[lane[i]] | flags[lane[i] + 31];
	return any;
}

/*
 * Requantizes `count` vectors, the first at element `at`, each `period` elements behind the one
 * before.
 */
static int run_vectors(struct progress *progress, struct requantize_vectors *vectors,
		       const uint32_t *lane, const struct finish *finish, uint32_t at,
		       uint32_t period, uint32_t count)
{
	const struct nn_call *call = progress->call;
	uint32_t work = VECTOR_WORK + stride_work(4 * period) + stride_work(period);
	uint32_t flags = flags_of(&call->input[1], lane);
	bool is_exact = !(flags & NN_SCALES_INEXACT);
	/* Sums that are shifted to the right lose bits, as struct conv2d_constants says. */
	int32_t rough = is_exact ? 0 : flags & NN_SCALES_ROUGH ? 2 : 1;
	int32_t zero_point = call->output[0].zero_point;

	vectors->more = splat_w(zero_point * 0x10000 + 0x8000 + rough);
	vectors->tie_or_odd = splat_w(is_exact ? (zero_point & 1) * 0x10001 : 2 * rough + 1);
	for (uint32_t i = 0; i < 4; i++)
		vectors->lane[i] = scale_row(&call->input[1], NN_SCALE_MULTIPLIER, lane[i]);
	vectors->from_step = 4 * period;
	vectors->to_step = period;
	while (count) {
		uint32_t tile = min_u32(count, NN_TILE / VECTOR_WORK), done;
		int ret;

		/* A division takes as long as three vectors. */
		if (tile * work > NN_TILE)
			tile = NN_TILE / work;
		ret = progress_add(progress, tile * work);
		if (ret)
			return ret;
		vectors->from = call->input[0].data + 4 * at;
		vectors->to = call->output[0].data + at;
		vectors->count = tile;
		done = tile - loops[is_exact][finish->is_signed](vectors);
		at += done * period;
		count -= done;
		if (done < tile) {
			requantize_exactly(call, at, lane, finish);
			at += period;
			count--;
		}
	}
	return 0;
}

/* A group: its pixels, and how many vectors they are. */
struct group {
	uint32_t pixels, vectors;
};

/*
 * Finds, of the groups that have a vector, that which takes least: more pixels make less of a
 * vector twice, but have more constants to load. `pixels` have a vector or more. 128 pixels have no
 * waste.
 */
static struct group find_group(uint32_t channels, uint32_t pixels)
{
	const uint32_t least = pixels * channels / VECTOR * VECTOR_PACKETS;
	struct group found = { 0 };
	uint32_t best = UINT32_MAX, found_waste = 0;

	for (struct group group = { 0 }; group.pixels < pixels;) {
		uint32_t bytes = ++group.pixels * channels, waste = -bytes % VECTOR, cost;

		if (bytes < VECTOR)
			continue;
		group.vectors = (bytes + waste) / VECTOR;
		if (least + group.vectors * BEGIN_PACKETS >= best)
			break;
		/* A division takes as long as two vectors: only for less waste of a pixel. */
		if (found.pixels && 8 * waste * found.pixels >= 7 * found_waste * group.pixels)
			continue;
		cost = pixels / group.pixels * group.vectors * VECTOR_PACKETS +
		       group.vectors * BEGIN_PACKETS;
		if (cost < best) {
			best = cost;
			found = group;
			found_waste = waste;
		}
		if (!waste)
			break;
	}
	return found;
}

int nn_requantize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	struct requantize_vectors *vectors = (struct requantize_vectors *)call->scratch;
	struct progress progress = { .call = call };
	uint32_t channels = requantize_period(call), channel = 0, lane[4];
	/* Sums are four times as many bytes, and in memory. */
	uint32_t bytes = output->bytes, pixels, period, whole, more;
	struct group group;

	if (sizeof(*vectors) > call->scratch_size || !channels)
		return nn_kernels_portable[NN_OPCODE_REQUANTIZE].run(call);
	if (!bytes)
		return 0;
	if (bytes < VECTOR) {
		list_lanes(lane, channels, 0);
		requantize(call, 0, lane, bytes, &finish);
		return 0;
	}
	if (bytes == channels)
		return requantize_pixel(&progress, &finish);
	vectors->out_min = finish.min;
	vectors->out_max = finish.max;
	vectors->row_bytes = call->input[1].row_bytes;

	pixels = bytes / channels;
	group = find_group(channels, pixels);
	whole = pixels / group.pixels;
	period = group.pixels * channels;
	more = bytes - whole * period;
	for (uint32_t i = 0; i < group.vectors; i++) {
		uint32_t at = i * VECTOR;
		int ret;

		/* The last vector ends where the group does. */
		for (; at + VECTOR > period; at--)
			channel = (channel ? channel : channels) - 1;
		list_lanes(lane, channels, channel);
		for (channel += VECTOR; channel >= channels;)
			channel -= channels;
		ret = run_vectors(&progress, vectors, lane, &finish, at, period,
				  whole + (at + VECTOR <= more));
		if (ret)
			return ret;
	}
	if (more % VECTOR) {
		uint32_t at = bytes - VECTOR;

		list_lanes(lane, channels, at % channels);
		requantize(call, at, lane, VECTOR, &finish);
	}
	return 0;
}
