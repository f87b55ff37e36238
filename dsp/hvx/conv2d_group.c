// SPDX-License-Identifier: MIT
/*
 * See conv2d_group.h.
 *
 * Four pixels and 64 outputs, or eight and 32, are a tile, which assembly makes (conv2d_tiles.S).
 * Results go where they belong if that is a multiple of 64 for all of them, or if there are 32; else
 * to staging, with room for whole vectors for each pixel, and from there to the output. What is left
 * over of a multiple of four pixels is done by itself.
 */
#include "../kernels/checks.h"
#include "../kernels/numbers.h"
#include "../kernels/weights.h"
#include "conv2d_group.h"
#include "conv2d_tiles.h"
#include "requant.h"

/* Pixels */

static void set_pixel(struct quad *quad, uint32_t p, const uint8_t *pixel, int32_t sum)
{
	if (p)
		quad->offset[p - 1] = pixel - quad->base;
	else
		quad->base = pixel;
	quad->sum[p] = sum;
}

/*
 * `count` quads of pixels `step` bytes apart whose sums follow each other, in four packets each, and in
 * three if the sums are aligned to 8.
 */
static struct quad *list_run(struct quad *quad, const uint8_t *pixel, uint32_t step,
			     const int32_t *sum, uint32_t count)
{
	uint64_t first = (uint64_t)step << 32 | (uintptr_t)pixel;
	uint64_t second = (uint64_t)(3 * step) << 32 | 2 * step;

	if ((uintptr_t)sum % 8 == 0) {
		asm volatile("{ r5:4 = %[first]; loop0(1f,%[count]) }\n"
			     "1:\n"
			     "{ r7:6 = memd(%[sum]+#0); r9:8 = memd(%[sum]+#8);"
			     "  %[sum] = add(%[sum],#16) }\n"
			     "{ memd(%[quad]+#0) = r5:4; memd(%[quad]+#8) = %[second];"
			     "  r4 = add(r4,%[step]) }\n"
			     "{ memd(%[quad]+#16) = r7:6; memd(%[quad]+#24) = r9:8;"
			     "  %[quad] = add(%[quad],#32) }:endloop0\n"
			     : [quad] "+r"(quad), [sum] "+r"(sum)
			     : [first] "r"(first), [second] "r"(second), [step] "r"(4 * step),
			       [count] "r"(count)
			     : "r4", "r5", "r6", "r7", "r8", "r9", "lc0", "sa0", "memory");
		return quad;
	}
	asm volatile("{ r5:4 = %[first]; loop0(1f,%[count]) }\n"
		     "1:\n"
		     "{ r6 = memw(%[sum]+#0); r7 = memw(%[sum]+#4) }\n"
		     "{ r8 = memw(%[sum]+#8); r9 = memw(%[sum]+#12); %[sum] = add(%[sum],#16) }\n"
		     "{ memd(%[quad]+#0) = r5:4; memd(%[quad]+#8) = %[second];"
		     "  r4 = add(r4,%[step]) }\n"
		     "{ memd(%[quad]+#16) = r7:6; memd(%[quad]+#24) = r9:8;"
		     "  %[quad] = add(%[quad],#32) }:endloop0\n"
		     : [quad] "+r"(quad), [sum] "+r"(sum)
		     : [first] "r"(first), [second] "r"(second), [step] "r"(4 * step),
		       [count] "r"(count)
		     : "r4", "r5", "r6", "r7", "r8", "r9", "lc0", "sa0", "memory");
	return quad;
}

/*
 * `pixels` of them from column x of row y of the strip on, in reading order; the last again up to a
 * multiple of 4, and the last quad twice again.
 */
static void list_quads(const struct layer *layer, const struct strip *strip, struct quad *quad,
		       uint32_t y, uint32_t x, uint32_t pixels)
{
	uint32_t sums = strip->step, step = sums * strip->element_pitch, p = 0;
	uint32_t row = layer->window.stride_h * strip->row_pitch;
	const uint8_t *begin = strip->base + y * row, *pixel = begin + x * step;
	const int32_t *sum_row = strip->sums + y * strip->sums_pitch, *sum = sum_row + x * sums;

	while (pixels) {
		uint32_t run = min_u32(strip->out_columns - x, pixels);

		pixels -= run;
		x += run;
		for (; p && run; run--, p = (p + 1) % 4, pixel += step, sum += sums) {
			set_pixel(quad, p, pixel, *sum);
			quad += p == 3;
		}
		if (sums == 1 && run >= 4) {
			quad = list_run(quad, pixel, step, sum, run / 4);
			pixel += (run & -4) * step;
			sum += run & -4;
			run %= 4;
		}
		for (; run >= 4; run -= 4, quad++, pixel += 4 * step, sum += 4 * sums) {
			quad->base = pixel;
			quad->offset[0] = step;
			quad->offset[1] = 2 * step;
			quad->offset[2] = 3 * step;
			quad->sum[0] = sum[0];
			quad->sum[1] = sum[sums];
			quad->sum[2] = sum[2 * sums];
			quad->sum[3] = sum[3 * sums];
		}
		for (; run; run--, p++, pixel += step, sum += sums)
			set_pixel(quad, p, pixel, *sum);
		if (pixels) {
			x = 0;
			begin += row;
			sum_row += strip->sums_pitch;
			pixel = begin;
			sum = sum_row;
		}
	}
	for (; p && p < 4; p++)
		set_pixel(quad, p, pixel - step, sum[-(int32_t)sums]);
	quad += p == 4;
	quad[0] = quad[1] = quad[-1];
}

/* Constants */

static void make_constants(const struct layer *layer, struct conv2d_constants *to, uint32_t m)
{
	const struct nn_tensor *scales = &layer->call->input[3];
	uint32_t lane[2] = { m, m + (layer->outputs - m > 32 ? 32 : 0) };
	uint32_t flags = *scale_row(scales, NN_SCALE_FLAGS, lane[0]) |
			 *scale_row(scales, NN_SCALE_FLAGS, lane[1]);

	to->is_exact = !(flags & NN_SCALES_INEXACT);
	to->is_clamped = flags & NN_SCALES_CLAMPED;
	to->is_rough = flags & NN_SCALES_ROUGH;
	for (uint32_t b = 0; b < 2; b++) {
		enum nn_scale_row multiplier = to->is_exact ? NN_SCALE_EXACT : NN_SCALE_MULTIPLIER;

		to->bias[b] = *(const HVX_Vector *)(layer->call->input[2].data + 4 * lane[b]);
		to->multiplier[b] = *(const HVX_Vector *)scale_row(scales, multiplier, lane[b]);
		to->shift[b] = *(const HVX_Vector *)scale_row(scales, NN_SCALE_SHIFT, lane[b]);
		if (to->is_exact)
			to->shift[b] = b ? splat_w(0x80008000) : splat_w(0x10001);
		to->max[b] = *(const HVX_Vector *)scale_row(scales, NN_SCALE_GREATEST, lane[b]);
		to->min[b] = Q6_V_vnot_V(to->max[b]);
	}
}

/* Those of outputs m to m + 63. They are made once, except for those for which there is no room. */
static const struct conv2d_constants *constants_of(const struct layer *layer,
						   struct memory *memory, uint32_t m)
{
	uint32_t i = min_u32(m / 64, memory->constants_count - 1);
	struct conv2d_constants *constants = &memory->constants[i];

	if (i >= memory->constants_made || constants->first != m) {
		make_constants(layer, constants, m);
		constants->first = m;
		memory->constants_made = i + 1;
	}
	return constants;
}

/* Tiles */

static HVX_Vector half_mask(const uint8_t *p)
{
	HVX_VectorPred first = first_bytes(64);

	return (uintptr_t)p & 64 ? Q6_V_vand_QnR(first, -1) : Q6_V_vand_QR(first, -1);
}

static void settle_tiles(const struct layer *layer, const struct memory *memory,
			 struct conv2d_tiles *tiles)
{
	const struct nn_call *call = layer->call;

	tiles->out_min = splat_b(call->op->out_min);
	tiles->out_max = splat_b(call->op->out_max);
	tiles->segments = memory->segments;
	tiles->segment_count = layer->segments;
}

/* The results of a tile in lanes in which a product was near a half. */
static inline __attribute__((always_inline)) void
finish_exactly(const struct layer *layer, const struct conv2d_tiles *tiles, bool two, bool is_octets,
	       uint32_t m, uint8_t *out)
{
	const struct nn_call *call = layer->call;
	const float *scale = (const float *)call->input[3].data + m;
	int32_t zero = call->output[0].zero_point, min = call->op->out_min, max = call->op->out_max;
	uint32_t lanes = tiles->unsure_lanes[0] | tiles->unsure_lanes[16] << 16;

	for (; lanes; lanes &= lanes - 1) {
		uint32_t lane = __builtin_ctz(lanes);

		/* Of octets they are the sums of pixels, else of pixels and blocks. */
#pragma unroll
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t block = is_octets ? 0 : 32 * (i % 2), pixel = is_octets ? i : i / 2;
			int32_t value = requant(tiles->sum_lanes[i][lane], scale[block + lane], zero);

			if (two || !block)
				out[pixel * tiles->pitch + block + lane] = clamp_int(value, min, max);
		}
	}
}

static __attribute__((noinline)) void
finish_quad(const struct layer *layer, const struct conv2d_tiles *tiles, bool two, uint32_t m,
	    uint8_t *out)
{
	finish_exactly(layer, tiles, two, false, m, out);
}

static __attribute__((noinline)) void
finish_octet(const struct layer *layer, const struct conv2d_tiles *tiles, uint32_t m, uint8_t *out)
{
	finish_exactly(layer, tiles, false, true, m, out);
}

/* `count` tiles of outputs m to m + 63. */
static void run_form(const struct layer *layer, struct conv2d_tiles *tiles, enum conv2d_form form,
		     const struct quad *quads, uint32_t count, uint32_t m, uint8_t *out)
{
	const struct nn_call *call = layer->call;
	const struct conv2d_constants *constants = tiles->constants;
	bool is_octets = form == FORM_OCTETS || form == FORM_OCTETS_APART;
	uint32_t pixels = is_octets ? 8 : 4, done = 0;

	tiles->multiply = nn_conv2d_multiply[form][layer->is_signed];
	tiles->finish = nn_conv2d_finish[form][constants->is_exact]
					[call->output[0].type == NN_TYPE_INT8]
					[constants->is_clamped];
	while (done < count) {
		uint8_t *unsure;

		tiles->quads = quads + done * pixels / 4;
		tiles->count = count - done;
		tiles->out = out + done * pixels * tiles->pitch;
		done = count - nn_conv2d_tiles(tiles);
		if (done == count)
			return;
		unsure = out + done * pixels * tiles->pitch;
		if (is_octets)
			finish_octet(layer, tiles, m, unsure);
		else
			finish_quad(layer, tiles, form == FORM_64, m, unsure);
		done++;
	}
}

/* Outputs m to m + 63 of quads; with FORM_32_DENSE the pitch is 32, else all is a multiple of 64. */
static void run_tiles(const struct layer *layer, struct memory *memory, const struct quad *quads,
		      uint32_t count, uint32_t m, uint8_t *out, uint32_t pitch)
{
	struct conv2d_tiles *tiles = memory->tiles;
	const struct nn_call *call = layer->call;
	const struct conv2d_constants *constants = constants_of(layer, memory, m);
	bool two = layer->outputs - m > 32;
	enum conv2d_form form = two ? FORM_64 : pitch == 32 ? FORM_32_DENSE : FORM_32;
	uint32_t block = conv2d_weight_bytes(1, layer->window.kernel_h, layer->window.kernel_w,
					     layer->channels);
	uint32_t rough = constants->is_rough ? 2 : 1, half[2];

	tiles->more = constants->is_exact
			      ? splat_h(call->output[0].zero_point)
			      : splat_w(call->output[0].zero_point * 0x10000 + 0x8000 + rough);
	tiles->unsure = splat_w(2 * rough + 1);
	tiles->pitch = pitch;
	for (uint32_t i = 0; i < 2; i++) {
		half[i] = (uintptr_t)(out + i * pitch) & 64;
		tiles->mask[i] = half_mask(out + i * pitch);
		tiles->turn[i] = (two ? 64 : 32) * i - half[i];
	}
	tiles->weights[0] = call->input[1].data + m / 32 * block;
	tiles->weights[1] = tiles->weights[0] + (two ? block : 0);
	tiles->constants = constants;
	if (!two && (pitch == 32 || pitch % VECTOR == 0) && !constants->is_exact && count > 1) {
		run_form(layer, tiles, pitch == 32 ? FORM_OCTETS : FORM_OCTETS_APART, quads,
			 count / 2, m, out);
		quads += count & -2;
		out += (count & -2) * 4 * pitch;
		count %= 2;
	}
	if (count)
		run_form(layer, tiles, form, quads, count, m, out);
}

/* Results of a multiple of 64 outputs or of 32 a pixel from staging to the output. */
static void copy_staging(const struct layer *layer, const struct memory *memory, uint8_t *out,
			 uint32_t pixels)
{
	uint32_t outputs = layer->outputs, pitch = conv2d_staging_pitch(outputs);
	const uint8_t *from = memory->staging;
	uint8_t *end = out + pixels * outputs;
	uint32_t stored = round_up(outputs, VECTOR), whole = 0;

	/*
	 * What is stored too much, behind a pixel's last results, is overwritten by what comes next,
	 * except at the end.
	 */
	if (pixels * outputs >= stored)
		whole = (pixels * outputs - stored) / outputs + 1;
	for (uint32_t m = stored; m && whole; m -= VECTOR)
		copy_vectors(out + m - VECTOR, outputs, from + m - VECTOR, pitch, whole);
	out += whole * outputs;
	from += whole * pitch;
	for (; out < end; from += pitch, out += outputs) {
		for (uint32_t m = 0; m < outputs; m += VECTOR) {
			uint32_t bytes = min_u32(outputs - m, VECTOR);

			store_bytes(out + m, load_bytes(from + m, bytes), bytes);
		}
	}
}

/* What is left over */

/* Outputs m to m + 127 of the first one or two pixels of a quad. */
static void run_two(const struct layer *layer, const struct memory *memory,
		    const struct quad *quad, uint32_t m, uint8_t *out, uint32_t pixels)
{
	const struct nn_call *call = layer->call;
	const HVX_Vector *bias = (const HVX_Vector *)call->input[2].data;
	uint32_t blocks = (layer->outputs + 31) / 32;
	uint32_t block_bytes = conv2d_weight_bytes(1, layer->window.kernel_h,
						   layer->window.kernel_w, layer->channels);
	struct finish finish = finish_of(call->output[0].type == NN_TYPE_INT8,
					 call->output[0].zero_point, call->op->out_min,
					 call->op->out_max);
	const uint8_t *weights[4];
	struct requant requant[4];
	HVX_Vector sum[8];

	for (uint32_t b = 0; b < 4; b++) {
		uint32_t block = min_u32(m / 32 + b, blocks - 1);

		weights[b] = call->input[1].data + block * block_bytes;
		requant[b] = requant_lanes(&call->input[3], 32 * block);
		sum[b] = Q6_Vw_vsub_VwVw(bias[block], splat_w(quad->sum[0]));
		sum[4 + b] = Q6_Vw_vsub_VwVw(bias[block], splat_w(quad->sum[1]));
	}
	accumulate_two(sum, quad, weights, memory->segments, layer->segments, layer->is_signed);
	for (uint32_t p = 0; p < pixels; p++)
		store_bytes(out + p * layer->outputs + m, requant_128(&sum[4 * p], requant, &finish),
			    min_u32(layer->outputs - m, VECTOR));
}

/* Outputs m to m + 63 of the first pixels of a quad, and of one or two up to m + 127. */
static void run_rest(const struct layer *layer, struct memory *memory, const struct quad *quad,
		     uint32_t m, uint8_t *out, uint32_t pixels)
{
	uint32_t bytes = min_u32(layer->outputs - m, 64), pitch = bytes <= 32 ? 32 : 64;

	if (pixels <= 2 && m % 128)
		return;
	if (pixels <= 2 && layer->outputs - m > 64) {
		run_two(layer, memory, quad, m, out, pixels);
		return;
	}
	run_tiles(layer, memory, quad, 1, m, memory->rest, pitch);
	for (uint32_t p = 0; p < pixels; p++)
		store_bytes(out + p * layer->outputs + m,
			    load_bytes(memory->rest + p * pitch, bytes), bytes);
}

/* Groups */

/* Accumulators of four pixels and one or two blocks, beginning with output m. */
static void store_raw(const struct layer *layer, const HVX_Vector *sum, int32_t *out, uint32_t m,
		      uint32_t pixels)
{
	for (uint32_t p = 0; p < pixels; p++) {
		for (uint32_t block = 0; block < 2 && m + block * 32 < layer->outputs; block++) {
			uint32_t left = layer->outputs - m - block * 32;

			store_bytes(out + p * layer->outputs + m + block * 32, sum[2 * p + block],
				    left < 32 ? left * 4 : VECTOR);
		}
	}
}

/* The accumulators of outputs m to m + 63. */
static void run_raw(const struct layer *layer, const struct memory *memory,
		    const struct quad *quad, uint32_t m, int32_t *out, uint32_t pixels)
{
	const HVX_Vector *bias = (const HVX_Vector *)layer->call->input[2].data + m / 32;
	uint32_t block = conv2d_weight_bytes(1, layer->window.kernel_h, layer->window.kernel_w,
					     layer->channels);
	const uint8_t *weights = layer->call->input[1].data + m / 32 * block;
	bool two = layer->outputs - m > 32;
	HVX_Vector bias0 = bias[0], bias1 = two ? bias[1] : bias0;

	for (uint32_t p = 0; p < pixels; p += 4, quad++) {
		HVX_Vector sum[8];

#pragma unroll
		for (uint32_t i = 0; i < 4; i++) {
			HVX_Vector inputs = splat_w(quad->sum[i]);

			sum[2 * i] = Q6_Vw_vsub_VwVw(bias0, inputs);
			sum[2 * i + 1] = Q6_Vw_vsub_VwVw(bias1, inputs);
		}
		if (layer->is_signed)
			accumulate(sum, quad, weights, weights + (two ? block : 0),
				   memory->segments, layer->segments, true, true);
		else
			accumulate(sum, quad, weights, weights + (two ? block : 0),
				   memory->segments, layer->segments, true, false);
		store_raw(layer, sum, out + p * layer->outputs, m, min_u32(pixels - p, 4));
	}
}

int conv2d_run_group(struct layer *layer, const struct strip *strip, struct memory *memory,
		     uint8_t *out, uint32_t y, uint32_t x, uint32_t pixels, uint32_t m)
{
	uint32_t work = (pixels + 3) / 4 * layer->quad_work + layer->weights_work;
	uint32_t outputs = layer->outputs, quads = pixels / 4, pitch = outputs;
	uint32_t end = min_u32(outputs, m + memory->block);
	uint8_t *rest = out + quads * 4 * outputs, *to = out;
	struct quad *quad = memory->quads;

	list_quads(layer, strip, quad, y, x, pixels);
	if (!layer->is_raw)
		settle_tiles(layer, memory, memory->tiles);
	if (!layer->is_direct) {
		to = memory->staging;
		pitch = conv2d_staging_pitch(outputs);
	}
	for (; m < end; m += 64) {
		int ret = progress_add(&layer->progress, work);

		if (ret)
			return ret;
		if (layer->is_raw) {
			run_raw(layer, memory, quad, m, (int32_t *)out, pixels);
			continue;
		}
		if (quads)
			run_tiles(layer, memory, quad, quads, m, to + m, pitch);
		if (pixels % 4)
			run_rest(layer, memory, quad + quads, m, rest, pixels % 4);
	}
	if (!layer->is_direct)
		copy_staging(layer, memory, out, quads * 4);
	return 0;
}
