// SPDX-License-Identifier: MIT
/*
 * CONV2D_INT16 of each channel by itself: 64 channels at a time, which are a vector; of fewer
 * channels as many pixels as a vector has room for. Windows have so few elements
 * (dsp/kernels/conv2d_int16.c) that their sums fit 32 bits.
 *
 * Rows of the input are copied to scratch memory with zeros around them, so that no window is
 * special. A product of halfwords is a word, and a product of two vectors is words of even
 * lanes and words of odd ones: biases and scales are in that order as well, and saturating results
 * to halfwords puts them back.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/int16/depthwise.h"
#include "dsp/hvx/int16/scale.h"
#include "dsp/hvx/move/copy_loops.h"

#define CHANNELS	64u	/* at a time */
#define VECTORS		32u	/* of results in a row, likewise */
#define ENOUGH_ROWS	8u	/* of a strip: else it is made narrower */
#define VECTOR_WORK	32u	/* of 64 results beside their products, of sums that are words, */
#define SUMS_WORK	480u	/* and of others, */
#define TAP_WORK	3u	/* of 64 products */

/* Lanes say what 64 sums begin with, and how they are scaled: even ones, then odd ones. */
struct lanes {
	HVX_Vector bias[2], multiplier[2], half[2], shift[2];
	HVX_Vector least, most;
};

struct depthwise {
	const struct nn_call *call;
	struct progress progress;
	uint32_t taps;		/* elements of a window */
	uint32_t channels;	/* of a block */
	uint32_t group;		/* pixels of a vector */
	uint32_t pixel;		/* bytes of one in scratch memory: a vector, or with groups less */
	enum int16_form form;	/* of all channels of the block, or INT16_MIXED */
	uint32_t rows, columns;	/* of the output at a time */
	uint32_t row_bytes;	/* of a row in scratch memory */
	const uint8_t *end;	/* of the input */

	/* Scratch memory. */
	struct int16_outputs *constants;	/* of 64 channels */
	struct lanes *lanes;
	HVX_Vector *weights;	/* halfwords, of each tap */
	int32_t *high, *low;	/* sums of VECTORS pixels */
	int32_t *words;		/* 128 of them */
	uint8_t *stage;		/* the rows */
	uint32_t room;		/* for them */
};

static bool divide(struct depthwise *d)
{
	const struct nn_window_params *window = &d->call->op->window;
	uint8_t *at = d->call->scratch;
	uint32_t sums = 4 * VECTORS * CHANNELS, used;

	d->taps = window->kernel_h * window->kernel_w;
	d->constants = (struct int16_outputs *)at;
	at += 2 * sizeof(*d->constants);
	d->lanes = (struct lanes *)at;
	at += sizeof(*d->lanes);
	d->weights = (HVX_Vector *)at;
	at += d->taps * VECTOR;
	d->high = (int32_t *)at;
	d->low = d->high + VECTORS * CHANNELS;
	at += 2 * sums;
	d->words = (int32_t *)at;
	at += 4 * VECTOR;
	d->stage = at;
	used = at - d->call->scratch;
	d->room = d->call->scratch_size > used ? d->call->scratch_size - used : 0;
	return d->room != 0;
}

/* Widens the weights of a channel, which are next to each other, into a lane of each tap's. */
static inline __attribute__((always_inline)) void
widen(int16_t *restrict to, const int8_t *restrict from, uint32_t channels, uint32_t taps)
{
	for (; channels; channels--, to++) {
		int16_t *lane = to;

		for (uint32_t tap = 0; tap < taps; tap++, lane += CHANNELS)
			*lane = *from++;
	}
}

/* Puts the weights of channels c to c + d->channels - 1 in place, and describes their scales. */
static int pack_weights(struct depthwise *d, uint32_t c)
{
	uint32_t channels = d->channels, taps = d->taps;
	const int8_t *from = (const int8_t *)d->call->input[1].data + (uint64_t)c * taps;
	int ret = progress_add(&d->progress, 2 * taps * channels + memory_work(taps * channels));

	if (ret)
		return ret;
	if (taps == 9)
		widen((int16_t *)d->weights, from, channels, 9);
	else
		widen((int16_t *)d->weights, from, channels, taps);
	for (uint32_t i = 0; i < channels; i += 32)
		nn_int16_describe(d->call, &d->constants[i / 32], c + i,
				  min_u32(channels - i, 32), taps);
	return 0;
}

/* Repeats a vector's first `bytes` in all of `times` places, and what is behind them is anything. */
static HVX_Vector repeat(struct depthwise *d, HVX_Vector v, uint32_t bytes, uint32_t times)
{
	uint8_t *at = (uint8_t *)d->words;

	for (uint32_t i = 0; i < times; i++)
		store(at + i * bytes, v);
	return *(const HVX_Vector *)at;
}

/* The same of two vectors of words, in the order that sums have. */
static void repeat_words(struct depthwise *d, HVX_Vector *to, HVX_Vector first, HVX_Vector second)
{
	uint8_t *at = (uint8_t *)d->words;
	uint32_t bytes = 4 * d->channels;
	HVX_VectorPair dealt;

	for (uint32_t i = 0; i < d->group; i++) {
		store(at + i * bytes, first);
		if (bytes > VECTOR)
			store(at + i * bytes + VECTOR, second);
	}
	dealt = Q6_W_vdeal_VVR(((const HVX_Vector *)at)[1], ((const HVX_Vector *)at)[0], -4);
	to[0] = Q6_V_lo_W(dealt);
	to[1] = Q6_V_hi_W(dealt);
}

/* Settles how the block's sums are scaled, and of how many pixels vectors are. */
static void settle_lanes(struct depthwise *d)
{
	const struct int16_outputs *first = &d->constants[0];
	const struct int16_outputs *second = &d->constants[d->channels > 32];

	d->form = first->form == second->form ? first->form : INT16_MIXED;
	d->group = 1;
	d->pixel = VECTOR;
	if (d->form != INT16_WORDS && d->form != INT16_LONG_WORDS)
		return;
	if (d->channels <= CHANNELS / 2 && d->call->op->window.stride_w == 1) {
		d->group = CHANNELS / d->channels;
		d->pixel = 2 * d->channels;
		for (uint32_t tap = 0; tap < d->taps; tap++)
			d->weights[tap] = repeat(d, d->weights[tap], d->pixel, d->group);
	}
	repeat_words(d, d->lanes->bias, first->bias_low, second->bias_low);
	repeat_words(d, d->lanes->multiplier, first->multiplier, second->multiplier);
	repeat_words(d, d->lanes->half, first->half, second->half);
	repeat_words(d, d->lanes->shift, first->right, second->right);
	d->lanes->least = splat_h(d->call->op->out_min);
	d->lanes->most = splat_h(d->call->op->out_max);
}

/* Strips of the input */

static uint32_t in_columns(const struct depthwise *d, uint32_t columns)
{
	const struct nn_window_params *window = &d->call->op->window;

	return (columns - 1) * window->stride_w + (window->kernel_w - 1) * window->dilation_w + 1;
}

static uint32_t in_rows(const struct depthwise *d, uint32_t rows)
{
	const struct nn_window_params *window = &d->call->op->window;

	return (rows - 1) * window->stride_h + (window->kernel_h - 1) * window->dilation_h + 1;
}

/* A row, with a vector behind it that may be read and written. */
static uint64_t row_bytes_of(const struct depthwise *d, uint32_t columns)
{
	return round_up((uint64_t)in_columns(d, columns) * d->pixel + VECTOR, VECTOR);
}

/* Finds strips that fit. False: there is no room for one window. */
static bool divide_image(struct depthwise *d)
{
	const struct nn_tensor *output = &d->call->output[0];
	uint32_t enough = min_u32(output->dims[1], ENOUGH_ROWS), fit;

	d->columns = output->dims[2];
	for (;;) {
		uint64_t bytes = row_bytes_of(d, d->columns);

		fit = bytes <= d->room ? d->room / (uint32_t)bytes : 0;
		if (fit >= in_rows(d, enough))
			break;
		if (fit >= in_rows(d, 1) && d->columns < 2 * VECTORS)
			break;
		if (d->columns == 1)
			return false;
		d->columns = (d->columns + 1) / 2;
	}
	d->row_bytes = row_bytes_of(d, d->columns);
	d->rows = min_u32((fit - in_rows(d, 1)) / d->call->op->window.stride_h + 1,
			  output->dims[1]);
	return true;
}

static void fill(uint8_t *to, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += VECTOR)
		store(to + i, Q6_V_vzero());
}

/* Copies `count` pixels. Up to a vector more is written behind them. */
static void copy_pixels(const struct depthwise *d, uint8_t *to, const uint8_t *from, uint32_t count)
{
	uint32_t pitch = 2 * d->call->input[0].dims[3], bytes = 2 * d->channels, whole;

	if (d->pixel < VECTOR) {
		bytes = count * pitch;
		for (; bytes > VECTOR; bytes -= VECTOR, from += VECTOR, to += VECTOR)
			store(to, load(from));
		store(to, load_bytes(from, bytes));
		return;
	}
	/* A whole vector is read of each pixel where that is within the input. */
	whole = d->end - from < VECTOR ? 0 : min_u32((d->end - from - VECTOR) / pitch + 1, count);
	if (((uintptr_t)from | pitch) % VECTOR == 0 && whole)
		nn_copy_aligned_steps(to, from, VECTOR, pitch, whole);
	else if (whole)
		nn_copy_steps(to, from, VECTOR, pitch, whole);
	for (uint32_t i = whole; i < count; i++)
		store(to + i * VECTOR, load_bytes(from + i * pitch, bytes));
}

/* Copies rows of channels c, ..., from the image's row y and column x on, with zeros around it. */
static int fill_strip(struct depthwise *d, uint32_t n, uint32_t c, int32_t y, int32_t x,
		      uint32_t rows, uint32_t columns)
{
	const struct nn_tensor *input = &d->call->input[0];
	uint32_t pitch = 2 * input->dims[3], width = input->dims[2], inside = 0;
	uint32_t left = x < 0 ? min_u32(-x, columns) : 0;
	uint32_t work = 64 + columns * (d->pixel / 32 + stride_work(pitch)), right;
	const uint8_t *from;
	uint8_t *to = d->stage;

	if ((int32_t)width > x + (int32_t)left)
		inside = min_u32(width - (x + left), columns - left);
	right = columns - left - inside;
	from = input->data + n * input->row_bytes + 2 * c +
	       ((int64_t)y * width + x + left) * pitch;
	for (; rows; rows--, y++, to += d->row_bytes, from += width * pitch) {
		int ret = progress_add(&d->progress, work);

		if (ret)
			return ret;
		if (y < 0 || y >= (int32_t)input->dims[1] || !inside) {
			fill(to, columns * d->pixel);
			continue;
		}
		fill(to, left * d->pixel);
		copy_pixels(d, to + left * d->pixel, from, inside);
		fill(to + (left + inside) * d->pixel, right * d->pixel);
	}
	return 0;
}

/* Sums and results */

/* Some vectors of results of a row. */
struct part {
	const struct depthwise *d;
	const uint8_t *at;	/* the first one's first tap */
	uint32_t next;		/* bytes to the next one's, */
	uint32_t step, row_step;	/* and to the next tap's in a row, and to the next row's */
	uint32_t count;
	uint8_t *out;
	uint32_t out_step;
};

/* Sums of 64 lanes, from those in `sum` on, with these weights. */
static inline __attribute__((always_inline)) HVX_VectorPair
add_taps(HVX_VectorPair sum, const uint8_t *at, const HVX_Vector *weights, uint32_t kernel_h,
	 uint32_t kernel_w, uint32_t step, uint32_t row_step)
{
	for (; kernel_h; kernel_h--, at += row_step) {
		const uint8_t *tap = at;

		for (uint32_t kx = 0; kx < kernel_w; kx++, tap += step)
			sum = Q6_Ww_vmpyacc_WwVhVh(sum, load(tap), *weights++);
	}
	return sum;
}

static inline __attribute__((always_inline)) HVX_Vector
scale_lanes(HVX_VectorPair sum, const struct lanes *lanes, bool is_long)
{
	HVX_Vector even = int16_scale_words(Q6_V_lo_W(sum), lanes->multiplier[0], lanes->half[0],
					    lanes->shift[0], is_long);
	HVX_Vector odd = int16_scale_words(Q6_V_hi_W(sum), lanes->multiplier[1], lanes->half[1],
					   lanes->shift[1], is_long);
	HVX_Vector v = Q6_Vh_vsat_VwVw(odd, even);

	return Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(v, lanes->least), lanes->most);
}

/* 3x3, whose weights are in registers. */
static inline __attribute__((always_inline)) void convolve_three(const struct part *part,
								 bool is_aligned, bool is_long)
{
	const struct lanes lanes = *part->d->lanes;
	const HVX_Vector *weights = part->d->weights;
	const HVX_Vector w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3],
			 w4 = weights[4], w5 = weights[5], w6 = weights[6], w7 = weights[7],
			 w8 = weights[8];
	const uint8_t *r0 = part->at, *r1 = r0 + part->row_step, *r2 = r1 + part->row_step;
	uint32_t step = is_aligned ? VECTOR : part->step;
	uint32_t next = part->next, out_step = part->out_step, i = part->count;
	HVX_VectorPair bias = Q6_W_vcombine_VV(lanes.bias[1], lanes.bias[0]), first, second;
	uint8_t *out = part->out;
	HVX_Vector v;

#define TAP(row, x) \
	(is_aligned ? *(const HVX_Vector *)((row) + (x) * step) : load((row) + (x) * step))
#define ADD_TAPS(sum) \
	do { \
		sum = Q6_Ww_vmpyacc_WwVhVh(bias, TAP(r0, 0), w0); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r0, 1), w1); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r0, 2), w2); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r1, 0), w3); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r1, 1), w4); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r1, 2), w5); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r2, 0), w6); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r2, 1), w7); \
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, TAP(r2, 2), w8); \
		r0 += next; \
		r1 += next; \
		r2 += next; \
	} while (0)
	/* One is scaled while the next one's products are added up. */
	for (; i >= 2; i -= 2) {
		ADD_TAPS(first);
		ADD_TAPS(second);
		v = scale_lanes(first, &lanes, is_long);
		store(out, v);
		v = scale_lanes(second, &lanes, is_long);
		store(out + out_step, v);
		out += 2 * out_step;
	}
	if (i) {
		ADD_TAPS(first);
		store(out, scale_lanes(first, &lanes, is_long));
	}
#undef ADD_TAPS
#undef TAP
}

static inline __attribute__((always_inline)) void convolve_any(const struct part *part,
							       bool is_long)
{
	const struct lanes lanes = *part->d->lanes;
	const HVX_Vector *weights = part->d->weights;
	uint32_t kernel_h = part->d->call->op->window.kernel_h, step = part->step;
	uint32_t kernel_w = part->d->call->op->window.kernel_w;
	uint32_t row_step = part->row_step, next = part->next, out_step = part->out_step;
	HVX_VectorPair bias = Q6_W_vcombine_VV(lanes.bias[1], lanes.bias[0]), first, second;
	const uint8_t *at = part->at;
	uint8_t *out = part->out;
	uint32_t i = part->count;
	HVX_Vector v;

	/* Two at a time load weights once. */
	for (; i >= 2; i -= 2, at += 2 * next, out += 2 * out_step) {
		const HVX_Vector *weight = weights;
		const uint8_t *row = at;

		first = second = bias;
		for (uint32_t ky = kernel_h; ky; ky--, row += row_step) {
			const uint8_t *tap = row;

			for (uint32_t kx = kernel_w; kx; kx--, tap += step, weight++) {
				first = Q6_Ww_vmpyacc_WwVhVh(first, load(tap), *weight);
				second = Q6_Ww_vmpyacc_WwVhVh(second, load(tap + next), *weight);
			}
		}
		v = scale_lanes(first, &lanes, is_long);
		store(out, v);
		v = scale_lanes(second, &lanes, is_long);
		store(out + out_step, v);
	}
	if (i) {
		first = add_taps(bias, at, weights, kernel_h, kernel_w, step, row_step);
		store(out, scale_lanes(first, &lanes, is_long));
	}
}

static __attribute__((noinline)) void convolve_aligned(const struct part *part)
{
	convolve_three(part, true, false);
}

static __attribute__((noinline)) void convolve_aligned_long(const struct part *part)
{
	convolve_three(part, true, true);
}

static __attribute__((noinline)) void convolve_unaligned(const struct part *part)
{
	convolve_three(part, false, false);
}

static __attribute__((noinline)) void convolve_unaligned_long(const struct part *part)
{
	convolve_three(part, false, true);
}

static __attribute__((noinline)) void convolve_taps(const struct part *part)
{
	convolve_any(part, false);
}

static __attribute__((noinline)) void convolve_taps_long(const struct part *part)
{
	convolve_any(part, true);
}

/* Makes whole vectors, whatever of them is wanted. */
static void convolve(const struct part *part)
{
	const struct nn_window_params *window = &part->d->call->op->window;
	bool is_long = part->d->form == INT16_LONG_WORDS;

	if (window->kernel_h != 3 || window->kernel_w != 3)
		(is_long ? convolve_taps_long : convolve_taps)(part);
	else if (part->step == VECTOR)
		(is_long ? convolve_aligned_long : convolve_aligned)(part);
	else
		(is_long ? convolve_unaligned_long : convolve_unaligned)(part);
}

/*
 * Makes the last vectors of a row, which are one after another of `bytes` bytes each, and `last` of
 * the last one.
 */
static void convolve_bytes(struct part part, uint32_t bytes, uint32_t last)
{
	HVX_Vector result;
	uint8_t *out = part.out;

	part.out = (uint8_t *)part.d->words;
	for (uint32_t i = part.count; i; i--, part.at += part.next, out += part.out_step) {
		part.count = 1;
		convolve(&part);
		result = *(const HVX_Vector *)part.d->words;
		store_bytes(out, result, i > 1 ? bytes : last);
	}
}

/* Makes sums that are scaled otherwise, of a pixel each. */
static void convolve_sums(const struct part *part, uint32_t blocks)
{
	const struct depthwise *d = part->d;
	const struct nn_window_params *window = &d->call->op->window;
	const uint8_t *at = part->at;

	for (uint32_t i = 0; i < part->count; i++, at += part->next) {
		HVX_VectorPair sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
		HVX_Vector *high = (HVX_Vector *)(d->high + i * CHANNELS);
		HVX_Vector *low = (HVX_Vector *)(d->low + i * CHANNELS);

		sum = add_taps(sum, at, d->weights, window->kernel_h, window->kernel_w, part->step,
			       part->row_step);
		sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -4);
		high[0] = Q6_Vw_vasr_VwR(Q6_V_lo_W(sum), 8);
		high[1] = Q6_Vw_vasr_VwR(Q6_V_hi_W(sum), 8);
		low[0] = Q6_V_vand_VV(Q6_V_lo_W(sum), splat_w(255));
		low[1] = Q6_V_vand_VV(Q6_V_hi_W(sum), splat_w(255));
	}
	nn_int16_scale(d->call, d->constants, d->high, d->low, CHANNELS, part->count,
		       (int16_t *)part->out, part->out_step / 2, blocks);
}

/* Makes a row of a strip, from its rows in scratch memory. */
static int convolve_row(struct depthwise *d, const uint8_t *from, uint32_t columns, uint8_t *out)
{
	const struct nn_window_params *window = &d->call->op->window;
	uint32_t pixel = 2 * d->call->output[0].dims[3], bytes = 2 * d->channels * d->group;
	uint32_t vectors = d->group == 1 ? columns : (columns + d->group - 1) / d->group;
	uint32_t last = 2 * d->channels * (columns - (vectors - 1) * d->group);
	/* What is stored behind a vector's results the next one overwrites, if it is whole. */
	uint32_t whole = bytes == VECTOR && last == VECTOR ? vectors :
			 bytes == VECTOR ? vectors - 1 :
			 2 * bytes < VECTOR || pixel > VECTOR || vectors < 2 ? 0 : vectors - 2;
	bool is_words = d->form == INT16_WORDS || d->form == INT16_LONG_WORDS;
	struct part part = {
		.d = d,
		.at = from,
		.next = d->group * window->stride_w * d->pixel,
		.step = window->dilation_w * d->pixel,
		.row_step = window->dilation_h * d->row_bytes,
		.out = out,
		.out_step = d->group * pixel,
	};

	for (uint32_t x = 0; x < vectors; x += part.count) {
		bool is_whole = x < whole;
		int ret;

		part.count = min_u32((is_whole ? whole : vectors) - x, VECTORS);
		ret = progress_add(&d->progress,
				   part.count * ((is_words ? VECTOR_WORK : SUMS_WORK) +
						 d->taps * TAP_WORK + stride_work(part.out_step)));
		if (ret)
			return ret;
		if (!is_words)
			convolve_sums(&part, d->channels > 32 ? 2 : 1);
		else if (is_whole)
			convolve(&part);
		else
			convolve_bytes(part, bytes,
				       x + part.count == vectors ? last : bytes);
		part.at += part.count * part.next;
		part.out += part.count * part.out_step;
	}
	return 0;
}

/* Makes channels c, ... of an image. */
static int convolve_image(struct depthwise *d, uint32_t n, uint32_t c)
{
	const struct nn_window_params *window = &d->call->op->window;
	const struct nn_tensor *output = &d->call->output[0];
	uint32_t height = output->dims[1], width = output->dims[2], pixel = 2 * output->dims[3];
	uint8_t *image = output->data + n * output->row_bytes + 2 * c;

	for (uint32_t x = 0; x < width; x += d->columns) {
		uint32_t columns = min_u32(width - x, d->columns);

		for (uint32_t y = 0; y < height; y += d->rows) {
			uint32_t rows = min_u32(height - y, d->rows);
			int ret = fill_strip(d, n, c,
					     (int32_t)(y * window->stride_h) - window->pad_top,
					     (int32_t)(x * window->stride_w) - window->pad_left,
					     in_rows(d, rows), in_columns(d, columns));

			for (uint32_t i = 0; i < rows && !ret; i++)
				ret = convolve_row(d, d->stage + i * window->stride_h * d->row_bytes,
						   columns,
						   image + ((y + i) * width + x) * pixel);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* The last channels overlap those before them. */
int nn_int16_depthwise(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t channels = output->dims[3];
	struct depthwise d = {
		.call = call,
		.progress.call = call,
		.end = nn_tensor_end(&call->input[0]),
		.channels = min_u32(channels, CHANNELS),
	};

	if (!divide(&d))
		return nn_conv2d_int16_portable(call);
	for (uint32_t c = 0; c < channels; c += CHANNELS) {
		uint32_t first = min_u32(c, channels - d.channels);
		int ret = pack_weights(&d, first);

		if (ret)
			return ret;
		settle_lanes(&d);
		if (!d.rows && !divide_image(&d))
			return nn_conv2d_int16_portable(call);
		for (uint32_t n = 0; n < output->dims[0] && !ret; n++)
			ret = convolve_image(&d, n, first);
		if (ret)
			return ret;
	}
	return 0;
}
