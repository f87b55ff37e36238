// SPDX-License-Identifier: MIT
/*
 * Blocks of 64 or 32 outputs of a group's pixels (block.h): all tiles of a block, and what they
 * leave over.
 *
 * Four pixels and 64 outputs, or eight and 32, are a tile, which assembly makes (tile_4x64.S,
 * tile_8x32.S). Pixels beyond a multiple of four, and four pixels alone of 32 outputs, are done by
 * themselves. Results of sums that may be rounding ties, which the assembly only notes, are made
 * again here.
 */
#include <hexagon_protos.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/hvx/conv2d/block.h"
#include "dsp/hvx/conv2d/tiles.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/requant.h"

/* How many outputs from m on are made at a time. */
static uint32_t outputs_from(const struct layer *layer, const struct memory *memory, uint32_t m)
{
	return min_u32(layer->outputs - m, memory->tile_outputs);
}

/*
 * The constants of the outputs from m on. They are made once, but for those that there is no room
 * for.
 */
static const struct conv2d_constants *constants_of(const struct layer *layer,
						   struct memory *memory, uint32_t m)
{
	uint32_t i = min_u32(m / 64, memory->constants_count - 1);
	struct conv2d_constants *constants = &memory->constants[i];

	if (i >= memory->constants_made || constants->first != m) {
		conv2d_make_constants(layer, constants, m, outputs_from(layer, memory, m));
		memory->constants_made = i + 1;
	}
	return constants;
}

/* Rounding ties */

/* Returns a bit for each lane that is not 0. */
static uint32_t lane_bits(HVX_Vector lanes)
{
	static const uint32_t bits[32] __attribute__((aligned(VECTOR))) = {
#define FOUR(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i)
		FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28),
#undef FOUR
	};
	HVX_VectorPred zero = Q6_Q_vcmp_eq_VwVw(lanes, Q6_V_vzero());
	HVX_Vector v = Q6_V_vmux_QVV(zero, Q6_V_vzero(), *(const HVX_Vector *)bits);

	for (uint32_t bytes = VECTOR / 2; bytes >= 4; bytes /= 2)
		v = Q6_V_vor_VV(v, Q6_V_vror_VR(v, bytes));
	return Q6_R_vextract_VR(v, 0);
}

/*
 * This is requant() without the clamp. The conversion rounds to the nearest, ties to even, and
 * keeps what is too large at the end of its range.
 */
static inline int32_t requant_nearest(int32_t sum, float scale, int32_t zero)
{
	return Q6_R_add_RR_sat(__builtin_HEXAGON_F2_conv_sf2w((float)sum * scale), zero);
}

/* This is nn_fixed_multiply() without the clamp. */
static inline int32_t multiply_fixed(int32_t sum, const struct nn_fixed *fixed, int32_t zero)
{
	return cut_int(nn_fixed_multiply(sum, *fixed)) + zero;
}

/* Makes the results of a tile again, in the lanes in which a product may have been a tie. */
static inline __attribute__((always_inline)) void
finish_lanes(const struct layer *layer, const struct conv2d_ties *ties, bool is_8x32,
	     uint32_t m, uint8_t *out, uint32_t pitch)
{
	const struct nn_call *call = layer->call;
	const float *scale = (const float *)scale_row(&call->input[3], NN_SCALE_FLOAT, m);
	int32_t zero = call->output[0].zero_point, min = call->op->out_min, max = call->op->out_max;
	const struct nn_fixed *fixed = layer->fixed;
	uint32_t lanes = lane_bits(ties->flags);

	/* The lanes behind the last output are the next pixel's bytes. */
	if (is_8x32 && pitch == CONV2D_PACKED)
		lanes &= (1u << CONV2D_PACKED) - 1;
	for (; lanes; lanes &= lanes - 1) {
		uint32_t lane = __builtin_ctz(lanes);
		float scales[2] = { scale[lane], scale[is_8x32 ? lane : 32 + lane] };
		int32_t value[8];

		/* All are made before the first is stored, so that they are made side by side. */
#pragma unroll
		for (uint32_t i = 0; i < 8; i++)
			value[i] = clamp_int(
				fixed ? multiply_fixed(ties->sum_lanes[i][lane], fixed, zero)
				      : requant_nearest(ties->sum_lanes[i][lane],
							scales[i % 2], zero),
				min, max);
		/* Tiles of 8x32 have [pixel] sums, those of 4x64 [pixel][block]. */
#pragma unroll
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t pixel = is_8x32 ? i : i / 2, block = is_8x32 ? 0 : 32 * (i % 2);

			out[pixel * pitch + block + lane] = value[i];
		}
	}
}

static __attribute__((noinline)) void finish_4x64(const struct layer *layer,
						  const struct conv2d_ties *ties, uint32_t m,
						  uint8_t *out, uint32_t pitch)
{
	finish_lanes(layer, ties, false, m, out, pitch);
}

static __attribute__((noinline)) void finish_8x32(const struct layer *layer,
						  const struct conv2d_ties *ties, uint32_t m,
						  uint8_t *out, uint32_t pitch)
{
	finish_lanes(layer, ties, true, m, out, pitch);
}

/* Tiles */

void conv2d_settle_tiles(const struct layer *layer, struct memory *memory)
{
	struct conv2d_tiles *tiles = memory->tiles;

	tiles->out_min = splat_b(layer->call->op->out_min);
	tiles->out_max = splat_b(layer->call->op->out_max);
	tiles->half[0] = Q6_V_vand_QR(first_bytes(64), -1);
	tiles->half[1] = Q6_V_vand_QnR(first_bytes(64), -1);
	tiles->first = tiles->queue[0].sum;
	tiles->full = tiles->queue[CONV2D_TIES_MAX - 2].sum;
}

/* Describes outputs m to m + 63, or m + 31, for the tiles. */
static inline __attribute__((always_inline)) void
settle_block(const struct layer *layer, struct memory *memory, uint32_t m)
{
	const struct conv2d_constants *constants = constants_of(layer, memory, m);
	struct conv2d_tiles *tiles = memory->tiles;
	const struct nn_call *call = layer->call;
	uint32_t margin = constants->error - 1 + layer->rounding;
	bool two = outputs_from(layer, memory, m) > 32;

	tiles->more = constants->is_exact
			      ? splat_h(call->output[0].zero_point)
			      : splat_w(call->output[0].zero_point * 0x10000 + 0x8000 + margin);
	tiles->ties = splat_w(2 * margin + 1);
	tiles->constants = constants;
	tiles->is_clamped = constants->is_clamped;
	tiles->parts = NULL;
	tiles->advances = memory->advances;
	tiles->steps = layer->steps;
	tiles->weights[0] = call->input[1].data + m / 32 * layer->block_bytes;
	tiles->weights[1] = tiles->weights[0] + (two ? layer->block_bytes : 0);
}

/*
 * Settles how many steps of a tile also finish the tile before it: `many`, or if a tile has no
 * more, a few if `short_too`, or none.
 */
static void divide_steps(struct conv2d_tiles *tiles, uint32_t count, uint32_t many, bool short_too)
{
	uint32_t shared = 0;

	if (tiles->steps > many)
		shared = many;
	else if (short_too && tiles->steps >= CONV2D_SHORT)
		shared = CONV2D_SHORT;
	tiles->more_steps = tiles->steps - shared;
	tiles->count = shared ? count : 1;
}

/* Runs `count` tiles of outputs m to m + 63, or m + 31. */
static inline __attribute__((always_inline)) void
run_tiles(const struct layer *layer, struct conv2d_tiles *tiles, const struct four_pixels *fours,
	  uint32_t count, uint32_t m, uint8_t *out, bool is_8x32)
{
	uint32_t tile_fours = is_8x32 ? 2 : 1, tile_bytes = tile_fours * 4 * tiles->pitch;
	const struct four_pixels *next = fours, *end = fours + count * tile_fours;
	const HVX_Vector *parts = tiles->parts;

	tiles->end = end;
	do {
		count = (end - next) / tile_fours;
		tiles->fours = next;
		tiles->out = out + (next - fours) / tile_fours * tile_bytes;
		if (parts)
			tiles->parts = parts + (next - fours) * 8;
		if (is_8x32) {
			bool is_packed = tiles->pitch == CONV2D_PACKED;

			if (is_packed)
				tiles->turn[0] = (uintptr_t)tiles->out / 64 % 2;
			divide_steps(tiles, count,
				     is_packed ? CONV2D_PACKED_LONG : CONV2D_8X32_LONG,
				     tiles->pitch == 32);
			next = nn_conv2d_tiles_8x32(tiles);
		} else {
			divide_steps(tiles, count, CONV2D_4X64_LONG, true);
			next = nn_conv2d_tiles_4x64(tiles);
		}
		for (struct conv2d_ties *ties = tiles->queue; ties->sum != tiles->behind;
		     ties++) {
			uint32_t tile = (ties->next - fours) / tile_fours - 2;
			uint8_t *to = out + tile * tile_bytes;

			if (is_8x32)
				finish_8x32(layer, ties, m, to, tiles->pitch);
			else
				finish_4x64(layer, ties, m, to, tiles->pitch);
		}
	} while (next != end);
}

static void move_fours(struct four_pixels *fours, uint32_t count, uint32_t bytes)
{
	for (uint32_t i = 0; i < count; i++)
		fours[i].base += bytes;
}

/*
 * Makes all but the last part of the products of `count` tiles, where weights would not stay in the
 * L2 cache while tiles go by: each part is made of all tiles before the next is. Leaves the last
 * part to the tiles, and `fours` moved to it.
 */
static __attribute__((noinline)) void run_parts(const struct layer *layer,
						const struct memory *memory,
						struct four_pixels *fours, uint32_t count)
{
	static const HVX_Vector zeros;
	struct conv2d_tiles *tiles = memory->tiles;
	const struct window_part *part = memory->parts, *last = part + memory->part_count - 1;
	struct conv2d_parts parts = {
		.fours = fours,
		.count = count,
		.sums = memory->sums_of_parts,
		.before = &zeros,
	};

	for (; part < last; part++) {
		parts.steps = part[1].step - part->step;
		parts.advances = memory->advances + part->step;
		for (uint32_t b = 0; b < 2; b++)
			parts.weights[b] = tiles->weights[b] + part->step * CONV2D_STEP_BYTES;
		if (layer->is_signed)
			nn_conv2d_parts_int8(&parts);
		else
			nn_conv2d_parts_uint8(&parts);
		parts.before = memory->sums_of_parts;
		parts.before_pitch = VECTOR;
		move_fours(fours, count, part[1].offset - part->offset);
	}
	tiles->parts = memory->sums_of_parts;
	tiles->is_clamped = true;
	tiles->steps = layer->steps - last->step;
	tiles->advances = memory->advances + last->step;
	for (uint32_t b = 0; b < 2; b++)
		tiles->weights[b] += last->step * CONV2D_STEP_BYTES;
}

static void run_4x64(const struct layer *layer, struct memory *memory, struct four_pixels *fours,
		     uint32_t count, uint32_t m, uint8_t *out, uint32_t pitch)
{
	const struct window_part *last = &memory->parts[memory->part_count - 1];
	bool has_parts = memory->part_count > 1 && count > 1;
	struct conv2d_tiles *tiles = memory->tiles;
	uint32_t half;

	settle_block(layer, memory, m);
	if (has_parts)
		run_parts(layer, memory, fours, count);
	for (uint32_t i = 0; i < 2; i++) {
		half = (uintptr_t)(out + i * pitch) & 64;
		tiles->mask[i] = &tiles->half[half / 64];
		tiles->turn[i] = 64 * i - half;
	}
	tiles->pitch = pitch;
	tiles->entry = nn_conv2d_tiles_4x64_entry[tiles->constants->is_exact][layer->is_signed]
					    [layer->call->output[0].type == NN_TYPE_INT8];
	run_tiles(layer, tiles, fours, count, m, out, false);
	if (has_parts)
		move_fours(fours, count, -last->offset);
}

static void run_8x32(const struct layer *layer, struct memory *memory,
		     const struct four_pixels *fours, uint32_t count, uint32_t m, uint8_t *out,
		     uint32_t pitch)
{
	struct conv2d_tiles *tiles = memory->tiles;
	uint32_t at = (uintptr_t)out % VECTOR;
	enum conv2d_8x32_form form = pitch == 32 ? TILES_DENSE : TILES_STRIDED;

	settle_block(layer, memory, m);
	tiles->turn[0] = -at % VECTOR;
	tiles->mask[0] = tiles->mask[1] = &tiles->half[at / 64];
	if (pitch == CONV2D_PACKED) {
		form = TILES_PACKED;
		tiles->part = Q6_V_vand_QR(first_bytes(96), -1);
		tiles->mask[0] = &tiles->half[0];
		tiles->mask[1] = &tiles->part;
	} else if (memory->tile_outputs == 32) {
		/* Other outputs are, or will be, beside these. */
		tiles->part = Q6_V_vand_QR(Q6_Q_and_QQn(first_bytes(at + 32),
							Q6_Q_vsetq_R(at)), -1);
		tiles->mask[0] = tiles->mask[1] = &tiles->part;
	}
	tiles->pitch = pitch;
	tiles->entry = nn_conv2d_tiles_8x32_entry[form][tiles->constants->is_exact]
					     [layer->is_signed]
					     [layer->call->output[0].type == NN_TYPE_INT8];
	run_tiles(layer, tiles, fours, count, m, out, true);
}

/* ---- the pixels that are left over ---- */

/* Brings 128 sums to bytes: 32 with the scales of each of four outputs and those after it. */
static inline __attribute__((always_inline)) HVX_Vector
results_of(const struct layer *layer, const HVX_Vector *sum, const uint32_t *outputs)
{
	const struct nn_call *call = layer->call;
	struct finish finish = finish_of(call->output[0].type == NN_TYPE_INT8,
					 call->output[0].zero_point, call->op->out_min,
					 call->op->out_max);
	struct requant requant[4];

	if (layer->fixed) {
		struct fixed_lanes by = fixed_splat(*layer->fixed);
		HVX_Vector value[4];

		for (uint32_t b = 0; b < 4; b++)
			value[b] = fixed_multiply(sum[b], &by);
		return finish_8bit(Q6_Vh_vpack_VwVw_sat(value[1], value[0]),
				   Q6_Vh_vpack_VwVw_sat(value[3], value[2]), &finish);
	}
	for (uint32_t b = 0; b < 4; b++)
		requant[b] = requant_lanes(&call->input[3], outputs[b]);
	return requant_128(sum, requant, &finish);
}

/* Makes outputs from m on, at most 32, of up to four pixels, one every `pitch` bytes. */
static void run_four(const struct layer *layer, const struct memory *memory,
		     const struct four_pixels *four, uint32_t m, uint8_t *out, uint32_t pitch,
		     uint32_t pixels)
{
	const struct nn_call *call = layer->call;
	const uint8_t *weights = call->input[1].data + m / 32 * layer->block_bytes;
	HVX_Vector bias = *(const HVX_Vector *)(call->input[2].data + 4 * m), sum[8], results;
	uint32_t outputs[4] = { m, m, m, m };

	/* With one block, every other sum is used. */
	for (uint32_t i = 0; i < 8; i++)
		sum[i] = Q6_Vw_vsub_VwVw(bias, splat_w(four->sum[i / 2]));
	if (layer->is_signed)
		accumulate(sum, four, weights, weights, memory->segments, layer->segments, false,
			   true);
	else
		accumulate(sum, four, weights, weights, memory->segments, layer->segments, false,
			   false);
	for (uint32_t p = 1; p < 4; p++)
		sum[p] = sum[2 * p];
	results = results_of(layer, sum, outputs);
	for (uint32_t p = 0; p < pixels; p++, out += pitch)
		store_bytes(out, Q6_V_vror_VR(results, 32 * p),
			    min_u32(layer->outputs - m, 32));
}

/* Makes outputs m to m + 127 of the first one or two of four pixels. */
static void run_two(const struct layer *layer, const struct segment *segments,
		    const struct four_pixels *four, uint32_t m, uint8_t *out, uint32_t pixels)
{
	const struct nn_call *call = layer->call;
	uint32_t last = (layer->outputs - 1) / 32 * 32, outputs[4];
	const uint8_t *weights[4];
	HVX_Vector sum[8];

	for (uint32_t b = 0; b < 4; b++) {
		uint32_t from = outputs[b] = min_u32(m + 32 * b, last);
		HVX_Vector bias = *(const HVX_Vector *)(call->input[2].data + 4 * from);

		weights[b] = call->input[1].data + from / 32 * layer->block_bytes;
		sum[b] = Q6_Vw_vsub_VwVw(bias, splat_w(four->sum[0]));
		sum[4 + b] = Q6_Vw_vsub_VwVw(bias, splat_w(four->sum[1]));
	}
	accumulate_two(sum, four, weights, segments, layer->segments, layer->is_signed);
	for (uint32_t p = 0; p < pixels; p++)
		store_bytes(out + p * layer->step + m, results_of(layer, &sum[4 * p], outputs),
			    min_u32(layer->outputs - m, VECTOR));
}

/* Makes outputs m to m + 63 of the first of four pixels, and of one or two up to m + 127. */
static void run_rest(const struct layer *layer, struct memory *memory, struct four_pixels *four,
		     uint32_t m, uint8_t *out, uint32_t pixels)
{
	uint32_t outputs = layer->outputs;

	if (memory->tile_outputs == 64 && pixels <= 2 && m % 128)
		return;
	if (outputs_from(layer, memory, m) <= 32) {
		run_four(layer, memory, four, m, out + m, layer->step, pixels);
		return;
	}
	if (pixels <= 2 && outputs - m > 64) {
		run_two(layer, memory->segments, four, m, out, pixels);
		return;
	}
	run_4x64(layer, memory, four, 1, m, memory->rest, 64);
	for (uint32_t p = 0; p < pixels; p++)
		store_bytes(out + p * layer->step + m, load(memory->rest + p * 64),
			    min_u32(outputs - m, 64));
}

int conv2d_run_twos(struct layer *layer, const struct four_pixels *four,
		    const struct segment *segments, uint32_t pixels, uint32_t m, uint8_t *out)
{
	for (uint32_t p = 0; p < pixels; p += 2, out += 2 * layer->step) {
		struct four_pixels second;
		int ret = progress_add(&layer->progress,
				       layer->tile_work + 2 * layer->weights_work);

		if (ret)
			return ret;
		if (p % 4 == 0) {
			run_two(layer, segments, four, m, out, min_u32(pixels - p, 2));
			continue;
		}
		second.base = four->base + four->offset[1];
		second.offset[0] = four->offset[2] - four->offset[1];
		second.sum[0] = four->sum[2];
		second.sum[1] = four->sum[3];
		run_two(layer, segments, &second, m, out, min_u32(pixels - p, 2));
		four++;
	}
	return 0;
}

void conv2d_run_block(const struct layer *layer, struct memory *memory, uint32_t pixels, uint32_t m,
		      uint8_t *to, uint32_t pitch, uint8_t *out)
{
	uint32_t count = pixels / 4;
	struct four_pixels *fours = memory->fours;

	if (outputs_from(layer, memory, m) > 32) {
		if (count)
			run_4x64(layer, memory, fours, count, m, to, pitch);
	} else {
		if (count > 1)
			run_8x32(layer, memory, fours, count / 2, m, to, pitch);
		if (count % 2)
			run_four(layer, memory, fours + count - 1, m,
				 to + (count - 1) * 4 * pitch, pitch, 4);
	}
	if (pixels % 4)
		run_rest(layer, memory, fours + count, m, out + count * 4 * layer->step,
			 pixels % 4);
}
