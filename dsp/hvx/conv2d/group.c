// SPDX-License-Identifier: MIT
/*
 * Groups of up to CONV2D_GROUP_MAX pixels (group.h): the list of their windows, all blocks of
 * outputs, and the way of the results to the output.
 *
 * Results go where they belong if the assembly can store them there, all of them or those of whole
 * tiles; else to staging, and from there to the output. A store that is not aligned takes a
 * packet's accesses to memory and its permutation, so that two packets for each are the least that
 * moving takes.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/conv2d/block.h"
#include "dsp/hvx/conv2d/group.h"
#include "dsp/hvx/conv2d/tiles.h"
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/strided.h"

/* Pixels */

static void set_pixel(struct four_pixels *four, uint32_t p, const uint8_t *pixel, int32_t sum)
{
	if (p)
		four->offset[p - 1] = pixel - four->base;
	else
		four->base = pixel;
	four->sum[p] = sum;
}

/*
 * Lists `count` times four pixels, one every `step` bytes, whose sums follow each other, and others
 * up to a multiple of eight times four. Addresses and sums are a vector each, which become two
 * vectors of struct four_pixels when they are shuffled by 16 bytes:
 *
 *	addresses	| a0 1 2 3 | a4 1 2 3 | ...
 *	sums		| s0 - s3  | s4 - s7  | ...
 *			-> | a0 1 2 3 | s0 - s3 | a4 1 2 3 | s4 - s7 | ...
 */
static struct four_pixels *list_run(struct four_pixels *four, const uint8_t *pixel, uint32_t step,
				    const int32_t *sum, uint32_t count)
{
	static const uint32_t pixels[32] __attribute__((aligned(VECTOR))) = {
#define FOUR(i) 4 * (i), 1, 2, 3
		FOUR(0), FOUR(1), FOUR(2), FOUR(3), FOUR(4), FOUR(5), FOUR(6), FOUR(7),
#undef FOUR
	};
	HVX_Vector which = *(const HVX_Vector *)pixels, more = splat_w(32 * step);
	HVX_VectorPred is_base =
		Q6_Q_vcmp_eq_VwVw(Q6_V_vand_VV(which, splat_w(3)), Q6_V_vzero());
	HVX_Vector at = Q6_Vw_vmpyie_VwVuh(splat_w(step), which);
	HVX_VectorPair eight;

	at = Q6_Vw_condacc_QVwVw(is_base, at, splat_w((uintptr_t)pixel));
	for (uint32_t i = 0; i < count; i += 8, sum += 32) {
		eight = Q6_W_vshuff_VVR(load(sum), at, -16);
		store(four + i, Q6_V_lo_W(eight));
		store(four + i + 4, Q6_V_hi_W(eight));
		at = Q6_Vw_condacc_QVwVw(is_base, at, more);
	}
	return four + count;
}

/*
 * Lists `pixels` pixels from column x of row y of the strip on, in reading order; the last again up
 * to a multiple of 4, and what is loaded of another behind them.
 */
static __attribute__((noinline)) void list_fours(const struct layer *layer,
						 const struct strip *strip,
						 struct four_pixels *four, uint32_t y, uint32_t x,
						 uint32_t pixels)
{
	uint32_t sums = strip->sum_step, step = strip->step, p = 0;
	uint32_t row = layer->window->stride_h * strip->row_pitch;
	const uint8_t *begin = strip->base + y * row, *pixel = begin + x * step;
	const int32_t *sum_row = strip->sums + y * strip->sums_pitch, *sum = sum_row + x * sums;

	while (pixels) {
		uint32_t run = min_u32(strip->out_columns - x, pixels);

		pixels -= run;
		x += run;
		for (; p && run; run--, p = (p + 1) % 4, pixel += step, sum += sums) {
			set_pixel(four, p, pixel, *sum);
			four += p == 3;
		}
		if (sums == 1 && run >= 4) {
			four = list_run(four, pixel, step, sum, run / 4);
			pixel += (run & -4) * step;
			sum += run & -4;
			run %= 4;
		}
		for (; run >= 4; run -= 4, four++, pixel += 4 * step, sum += 4 * sums) {
			four->base = pixel;
			four->offset[0] = step;
			four->offset[1] = 2 * step;
			four->offset[2] = 3 * step;
			four->sum[0] = sum[0];
			four->sum[1] = sum[sums];
			four->sum[2] = sum[2 * sums];
			four->sum[3] = sum[3 * sums];
		}
		for (; run; run--, p++, pixel += step, sum += sums)
			set_pixel(four, p, pixel, *sum);
		if (pixels) {
			x = 0;
			begin += row;
			sum_row += strip->sums_pitch;
			pixel = begin;
			sum = sum_row;
		}
	}
	for (; p && p < 4; p++)
		set_pixel(four, p, pixel - step, sum[-(int32_t)sums]);
	four += p == 4;
	four->base = four[-1].base;
	for (uint32_t i = 0; i < 3; i++)
		four->offset[i] = four[-1].offset[i];
}

/* Staging */

/* Prepares how the results of pixels are brought together. */
static __attribute__((noinline)) void prepare_packing(const struct layer *layer,
						      struct memory *memory)
{
	uint32_t pitch = layer->outputs <= 32 ? 32 : 64;
	HVX_VectorPred is_result;

	is_result = Q6_Q_vcmp_gt_VubVub(splat_b(layer->outputs),
					Q6_V_vand_VV(delta_indices(), splat_b(pitch - 1)));
	memory->packing = delta_spread(
		Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(is_result), splat_b(1)),
		Q6_V_vand_QR(is_result, -1));
	memory->has_packing = true;
}

/*
 * Moves results of less than 64 outputs from staging, two or four of a multiple of four pixels at a
 * time, in two packets. What is stored too much is overwritten by what comes next, except at the
 * end.
 */
static void pack_staging(const struct layer *layer, struct memory *memory, uint8_t *out,
			 uint32_t pixels)
{
	uint32_t bytes = (layer->outputs <= 32 ? 4 : 2) * layer->outputs;
	uint32_t left = pixels * layer->outputs;
	const uint8_t *from = memory->staging;

	if (!memory->has_packing)
		prepare_packing(layer, memory);
	if (left >= VECTOR + bytes) {
		uint32_t count = (left - VECTOR) / bytes;
		HVX_Vector v, packed;

		asm volatile("{ m0 = %[bytes] }\n"
			     "{ %[v] = vmem(%[from]++#1); loop0(1f,%[count]) }\n"
			     "1:\n"
			     "{ %[packed] = vrdelta(%[v],%[packing]); %[v] = vmem(%[from]++#1) }\n"
			     "{ vmemu(%[to]++m0) = %[packed] }:endloop0\n"
			     : [v] "=&v"(v), [packed] "=&v"(packed), [from] "+r"(from),
			       [to] "+r"(out)
			     : [bytes] "r"(bytes), [packing] "v"(memory->packing),
			       [count] "r"(count)
			     : "m0", "lc0", "sa0", "memory");
		from -= VECTOR;
		left -= count * bytes;
	}
	for (; left; from += VECTOR, out += bytes, left -= bytes)
		store_bytes(out, Q6_V_vrdelta_VV(load(from), memory->packing), bytes);
}

/*
 * Moves results of 96 outputs where four pixels' are three whole vectors: four pixels in four
 * packets. Of what is in staging each vector takes quarters, turned so that they are in place:
 *
 *	w0 w0 w1 w1, w2 w2 w3 w3, n0 n1 n2 n3 -> w0 w0 n0 w1, w1 n1 w2 w2, n2 w3 w3 n3
 */
static void merge_whole(const struct memory *memory, uint8_t *out, uint32_t count)
{
	const uint8_t *wide = memory->staging, *narrow = memory->narrow;
	uint8_t *to = out + VECTOR;	/* the second vector of three */

	/* q0: the first quarter; q1: the first half; q2, q3: the third quarter, and the last. */
	asm volatile("{ r6 = #96; r7 = #64; r8 = #32; v0 = vmem(%[narrow]++#1) }\n"
		     "{ q0 = vsetq(r8) }\n"
		     "{ q1 = vsetq(r7) }\n"
		     "{ q3 = vsetq(r6) }\n"
		     "{ q2 = and(q3,!q1) }\n"
		     "{ q3 = not(q3) }\n"
		     "{ v3 = vror(v0,r7); v1 = vmem(%[wide]++#1) }\n"
		     "{ v4 = vror(v1,r6); v7 = vmux(q2,v3,v1) }\n"
		     "{ v2.cur = vmem(%[wide]++#1); v5 = vror(v2,r8); v7 = vmux(q3,v4,v7);"
		     "  loop0(1f,%[more]) }\n"
		     "{ v6 = vror(v2,r7); v9 = vmux(q3,v0,v5); v8 = vmux(q0,v4,v0);"
		     "  vmem(%[to]+#-1) = v7 }\n"
		     "{ p0 = cmp.eq(%[more],#0); if (p0.new) jump:nt 2f }\n"
		     "1:\n"
		     "{ v0.cur = vmem(%[narrow]++#1); v3 = vror(v0,r7); v9 = vmux(q0,v3,v9);"
		     "  vmem(%[to]+#1) = v9.new }\n"
		     "{ v1.cur = vmem(%[wide]++#1); v4 = vror(v1,r6); v7 = vmux(q2,v3,v1);"
		     "  v8 = vmux(q1,v8,v6) }\n"
		     "{ v2.cur = vmem(%[wide]++#1); v5 = vror(v2,r8); v7 = vmux(q3,v4,v7);"
		     "  vmem(%[to]++#3) = v8 }\n"
		     "{ v6 = vror(v2,r7); v9 = vmux(q3,v0,v5); v8 = vmux(q0,v4,v0);"
		     "  vmem(%[to]+#-1) = v7 }:endloop0\n"
		     "2:\n"
		     "{ v9 = vmux(q0,v3,v9); vmem(%[to]+#1) = v9.new;"
		     "  v8 = vmux(q1,v8,v6) }\n"
		     "{ vmem(%[to]+#0) = v8 }\n"
		     : [wide] "+r"(wide), [narrow] "+r"(narrow), [to] "+r"(to)
		     : [more] "r"(count - 1)
		     : "r6", "r7", "r8", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",
		       "q0", "q1", "q2", "q3", "p0", "lc0", "sa0", "memory");
}

/*
 * Moves results of 65 to 96 outputs, of which 64 are in `staging` and the others in `narrow`, four
 * pixels in seven packets: all but the last four, whose excess nothing would overwrite. Returns how
 * many times four.
 */
static uint32_t merge_staging(const struct layer *layer, const struct memory *memory, uint8_t *out,
			      uint32_t pixels)
{
	const uint8_t *wide = memory->staging, *narrow = memory->narrow;
	uint32_t outputs = layer->outputs, count;

	if (pixels * outputs < VECTOR)
		return 0;
	count = ((pixels * outputs - VECTOR) / outputs + 1) / 4;
	if (!count)
		return 0;
	asm volatile("{ m0 = %[outputs]; r6 = #-32; r7 = #-64 }\n"
		     "{ v0 = vmem(%[narrow]++#1); loop0(1f,%[count]) }\n"
		     "1:\n"
		     "{ v3:2 = vshuff(v0,v0,r6); v4 = vmem(%[wide]++#1) }\n"
		     "{ v5:4 = vshuff(v2,v4,r7); v6 = vmem(%[wide]++#1) }\n"
		     "{ vmemu(%[to]++m0) = v4 }\n"
		     "{ v7:6 = vshuff(v3,v6,r7); v0 = vmem(%[narrow]++#1) }\n"
		     "{ vmemu(%[to]++m0) = v5 }\n"
		     "{ vmemu(%[to]++m0) = v6 }\n"
		     "{ vmemu(%[to]++m0) = v7 }:endloop0\n"
		     : [wide] "+r"(wide), [narrow] "+r"(narrow), [to] "+r"(out)
		     : [outputs] "r"(outputs), [count] "r"(count)
		     : "r6", "r7", "v0", "v2", "v3", "v4", "v5", "v6", "v7", "m0", "lc0", "sa0",
		       "memory");
	return count;
}

/*
 * Moves results of more outputs, a vector of all pixels after another: of all but the last pixels,
 * whose excess nothing would overwrite. Returns of how many pixels.
 */
static uint32_t move_staging(const struct layer *layer, const struct memory *memory, uint8_t *out,
			     uint32_t pixels)
{
	uint32_t outputs = layer->outputs, pitch = memory->wide_pitch;
	uint32_t stored = round_up(outputs, VECTOR), count;

	if (pixels * outputs < stored)
		return 0;
	count = (pixels * outputs - stored) / outputs + 1;
	if (stored > pitch)
		copy_vectors(out + pitch, outputs, memory->narrow, 32, count);
	for (uint32_t m = pitch; m; m -= VECTOR)
		copy_vectors(out + m - VECTOR, outputs, memory->staging + m - VECTOR, pitch, count);
	return count;
}

/* Moves the results of a multiple of four pixels from staging to the output. */
static void copy_staging(const struct layer *layer, struct memory *memory, uint8_t *out,
			 uint32_t pixels)
{
	uint32_t outputs = layer->outputs, pitch = memory->wide_pitch;
	uint32_t wide = memory->wide, p = 0;

	if (!pixels)
		return;
	if (layer->step != outputs) {
		if (wide)
			nn_scatter_pixels(out, layer->step, memory->staging, pitch, wide, pixels);
		if (wide < outputs)
			nn_scatter_pixels(out + wide, layer->step, memory->narrow, 32,
					  outputs - wide, pixels);
		return;
	}
	/* Four pixels of 32 outputs are a vector in staging and in the output. */
	if (outputs == 32) {
		copy_vectors(out, VECTOR, memory->narrow, VECTOR, pixels / 4);
		return;
	}
	if (outputs < 64) {
		pack_staging(layer, memory, out, pixels);
		return;
	}
	if (outputs == 96 && (uintptr_t)out % VECTOR == 0) {
		merge_whole(memory, out, pixels / 4);
		return;
	}
	if (wide == 64)
		p = 4 * merge_staging(layer, memory, out, pixels);
	else
		p = move_staging(layer, memory, out, pixels);
	for (; p < pixels; p++) {
		uint8_t *to = out + p * outputs;

		for (uint32_t m = 0; m < wide; m += VECTOR)
			store_bytes(to + m, load(memory->staging + p * pitch + m),
				    min_u32(wide - m, VECTOR));
		if (wide < outputs)
			store_bytes(to + wide, load(memory->narrow + p * 32), outputs - wide);
	}
}

/* Groups */

/* Stores accumulators of four pixels and one or two blocks, beginning with output m. */
static void store_raw(const struct layer *layer, const HVX_Vector *sum, int32_t *out, uint32_t m,
		      uint32_t pixels)
{
	if (m + 64 <= layer->outputs && ((uintptr_t)(out + m) | layer->step) % VECTOR == 0) {
		for (uint32_t p = 0; p < pixels; p++) {
			HVX_Vector *to = (HVX_Vector *)(out + p * layer->step / 4 + m);

			to[0] = sum[2 * p];
			to[1] = sum[2 * p + 1];
		}
		return;
	}
	for (uint32_t p = 0; p < pixels; p++) {
		for (uint32_t block = 0; block < 2 && m + block * 32 < layer->outputs; block++) {
			uint32_t left = layer->outputs - m - block * 32;

			store_bytes(out + p * layer->step / 4 + m + block * 32, sum[2 * p + block],
				    left < 32 ? left * 4 : VECTOR);
		}
	}
}

/*
 * Makes the accumulators of outputs m to m + 63, which are the results, or with `two` false of 32 at
 * most. `is_whole`: four pixels of 64 outputs are vectors.
 */
static inline __attribute__((always_inline)) void
make_raw(const struct layer *layer, const struct memory *memory, uint32_t pixels, uint32_t m,
	 int32_t *out, bool is_signed, bool two, bool is_whole)
{
	const HVX_Vector *bias = (const HVX_Vector *)layer->call->input[2].data + m / 32;
	uint32_t block = layer->block_bytes, step = layer->step / 4, segments = layer->segments;
	const uint8_t *weights = layer->call->input[1].data + m / 32 * block;
	const struct four_pixels *four = memory->fours;
	HVX_Vector bias0 = bias[0], bias1 = two ? bias[1] : bias0;

	for (uint32_t p = 0; p < pixels; p += 4, four++, out += 4 * step) {
		HVX_Vector sum[8];

#pragma unroll
		for (uint32_t i = 0; i < 4; i++) {
			HVX_Vector inputs = splat_w(four->sum[i]);

			sum[2 * i] = Q6_Vw_vsub_VwVw(bias0, inputs);
			sum[2 * i + 1] = Q6_Vw_vsub_VwVw(bias1, inputs);
		}
		accumulate(sum, four, weights, weights + (two ? block : 0), memory->segments,
			   segments, two, is_signed);
		if (!is_whole || pixels - p < 4) {
			/* A copy, because those whose address is taken are stored. */
			const HVX_Vector sums[8] = { sum[0], sum[1], sum[2], sum[3],
						     sum[4], sum[5], sum[6], sum[7] };

			store_raw(layer, sums, out, m, min_u32(pixels - p, 4));
			continue;
		}
#pragma unroll
		for (uint32_t i = 0; i < 4; i++) {
			HVX_Vector *to = (HVX_Vector *)(out + i * step + m);

			to[0] = sum[2 * i];
			to[1] = sum[2 * i + 1];
		}
	}
}

static __attribute__((noinline)) void run_raw(const struct layer *layer,
					      const struct memory *memory, uint32_t pixels,
					      uint32_t m, int32_t *out)
{
	bool is_whole = m + 64 <= layer->outputs &&
			((uintptr_t)(out + m) | layer->step) % VECTOR == 0;

	if (layer->outputs - m <= 32) {
		if (layer->is_signed)
			make_raw(layer, memory, pixels, m, out, true, false, false);
		else
			make_raw(layer, memory, pixels, m, out, false, false, false);
	} else if (is_whole) {
		if (layer->is_signed)
			make_raw(layer, memory, pixels, m, out, true, true, true);
		else
			make_raw(layer, memory, pixels, m, out, false, true, true);
	} else if (layer->is_signed) {
		make_raw(layer, memory, pixels, m, out, true, true, false);
	} else {
		make_raw(layer, memory, pixels, m, out, false, true, false);
	}
}

void conv2d_fetch_weights(const struct layer *layer, uint32_t m, uint32_t outputs)
{
	if (m < layer->outputs)
		fetch_ahead(layer->call->input[1].data + m / 32 * layer->block_bytes,
			    min_u32(outputs / 32 * layer->block_bytes, layer->l2_kept / 4));
}

/* Tells whether the assembly packs 24 outputs: with fewer steps there is no room for it. */
static bool packs_tiles(const struct layer *layer, const uint8_t *out)
{
	return layer->outputs == CONV2D_PACKED && layer->step == CONV2D_PACKED &&
	       conv2d_has_tiles(layer) && layer->steps > CONV2D_PACKED_LONG &&
	       (uintptr_t)out % 64 == 0;
}

int conv2d_run_group(struct layer *layer, const struct strip *strip, struct memory *memory,
		     uint8_t *out, uint32_t y, uint32_t x, uint32_t pixels, uint32_t m)
{
	uint32_t work = (pixels + 3) / 4 * layer->tile_work + layer->weights_work;
	uint32_t outputs = layer->outputs, pitch = layer->step;
	uint32_t end = min_u32(outputs, m + memory->block);
	bool is_large = !layer->is_raw && !conv2d_has_tiles(layer);
	uint32_t step = is_large ? 128 : memory->tile_outputs;
	uint8_t *to = out;
	bool is_staged = !layer->is_direct && !packs_tiles(layer, out);

	if (memory->listed != pixels || memory->listed_y != y || memory->listed_x != x) {
		list_fours(layer, strip, memory->fours, y, x, pixels);
		memory->listed = pixels;
		memory->listed_y = y;
		memory->listed_x = x;
	}
	if (is_staged) {
		to = memory->staging;
		pitch = memory->wide_pitch;
	}
	while (m < end) {
		bool is_narrow = is_staged && m >= memory->wide;
		int ret;

		if (is_large)
			ret = conv2d_run_twos(layer, memory->fours, memory->segments, pixels, m,
					      out);
		else
			ret = progress_add(&layer->progress, work);
		if (ret)
			return ret;
		if (memory->fetched < m + step) {
			memory->fetched = m + step;
			conv2d_fetch_weights(layer, m + step, step);
		}
		if (layer->is_raw)
			run_raw(layer, memory, pixels, m, (int32_t *)out);
		else if (!is_large)
			conv2d_run_block(layer, memory, pixels, m,
					 is_narrow ? memory->narrow : to + m,
					 is_narrow ? 32 : pitch, out);
		m += step;
	}
	if (memory->block >= outputs && layer->weight_bytes > layer->l2_kept)
		memory->fetched = 0;
	if (is_staged)
		copy_staging(layer, memory, out, pixels / 4 * 4);
	return 0;
}
