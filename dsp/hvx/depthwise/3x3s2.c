// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3 and stride 2, straight from the image:
 * nn_depthwise_run_pixels() of 3x3s2.h, which convolve_image() calls, and how a job is run.
 *
 * Each pixel's channels are vectors of their own, the last of them overlapping the one before.
 * Where that leaves too much of them empty, vectors follow each other whatever pixels they are of,
 * but for those that have a column of padding. Padding is a row in scratch memory.
 *
 *	192 channels	| pixel 0           | pixel 1           |
 *	own vectors	|0 .. 127|          |0 .. 127|          |
 *			    |64 .. 191|         |64 .. 191|
 *	of any pixels	|0 .. 127|128 .. 63|64 .. 191|...
 */
#include "dsp/hvx/depthwise/exact_scales.h"
#include "dsp/hvx/depthwise/3x3s2.h"
#include "dsp/hvx/depthwise/rounding_fixup.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/depthwise/flat.h"
#include "dsp/hvx/depthwise/limit.h"

#define MORE_SUMS	(2 * 4 * VECTOR)
#define MOST_STRIPS	32	/* with no more of them, the last one has three rows, too */

/* Bytes that vectors of a pixel's channels take. */
static uint32_t vector_bytes(const struct depthwise *d)
{
	return round_up(d->channels, VECTOR);
}

/* Puts four vectors of 32 words, whose channels are in order, into the order of sums. */
static inline void deal_words(HVX_Vector *to, const HVX_Vector *from)
{
	HVX_VectorPair low = Q6_W_vdeal_VVR(from[1], from[0], -4);
	HVX_VectorPair high = Q6_W_vdeal_VVR(from[3], from[2], -4);
	HVX_VectorPair even = Q6_W_vdeal_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -4);
	HVX_VectorPair odd = Q6_W_vdeal_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -4);

	to[0] = Q6_V_lo_W(even);
	to[1] = Q6_V_hi_W(even);
	to[2] = Q6_V_lo_W(odd);
	to[3] = Q6_V_hi_W(odd);
}

/* Lists where four times 32 lanes begin, of which the first is `channel`. */
static inline void list_lanes(uint32_t *lane, const struct depthwise *d, uint32_t channel)
{
	for (uint32_t i = 0; i < 4; i++) {
		lane[i] = channel;
		channel += d->next;
		channel = min_u32(channel, channel - d->channels);
	}
}

/* Loads the words of these lanes, in the order of sums. */
static inline void list_words(HVX_Vector *to, const int32_t *words, const uint32_t *lane)
{
	HVX_Vector in_order[4];

	for (uint32_t i = 0; i < 4; i++)
		in_order[i] = load(words + lane[i]);
	deal_words(to, in_order);
}

void nn_depthwise_list_pixels(struct depthwise_pixels *pixels, const struct depthwise *d,
			      uint32_t channel)
{
	uint32_t lane[4];


	list_lanes(lane, d, channel);
	list_words(pixels->multiplier, scale_row(d->scales, NN_SCALE_MULTIPLIER, 0), lane);
	list_words(pixels->shift, scale_row(d->scales, NN_SCALE_SHIFT, 0), lane);
	list_words(pixels->bias, d->bias, lane);
	for (uint32_t y = 0; y < 3; y++) {
		HVX_Vector *weights = &pixels->weights[4 * y];

		list_words(weights, d->weights + y * d->period, lane);
		/* The fourth byte is 0: see struct depthwise_pixels. */
		for (uint32_t i = 2; i < 4; i++)
			weights[i] = Q6_Vh_vasl_VhVh(weights[i], splat_w(8 << 16));
	}
}

/* The arguments of the functions that make results. */
struct results {
	const struct depthwise *d;
	const struct depthwise_pixels *pixels;
	uint32_t lane[4];
};

static void finish_exactly(const void *opaque, uint32_t p, uint32_t y)
{
	const struct results *results = opaque;
	const struct depthwise *d = results->d;
	const struct depthwise_pixels *pixels = results->pixels;
	const HVX_Vector *sums = pixels->sums + (p * pixels->rows + y) * 4;
	uint8_t *to = pixels->out + p * pixels->out_step + y * pixels->pitch;
	const struct nn_tensor *output = &d->call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 d->call->op->out_min, d->call->op->out_max);
	HVX_Vector scale[4], half[4], bytes;

	list_words(scale, scale_row(d->scales, NN_SCALE_FLOAT, 0), results->lane);
#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		struct requant requant = { .multiplier = pixels->multiplier[i],
					   .exponent = requant_exponent(scale[i]) };

		half[i] = requant_exact(Q6_Vw_vadd_VwVw(sums[i], pixels->bias[i]), &requant);
	}
	/* Halfwords of even channels come first, then those of odd ones. */
	bytes = Q6_Vb_vshuff_Vb(finish_8bit(Q6_Vh_vsat_VwVw(half[1], half[0]),
					    Q6_Vh_vsat_VwVw(half[3], half[2]), &finish));
	/* The pixels to the right are done. */
	if (pixels->out_step < VECTOR)
		bytes = Q6_V_vmux_QVV(first_bytes(pixels->out_step), bytes, load(to));
	store(to, bytes);
}

/* Makes results where all scales are exact. */
static __attribute__((noinline)) void scale_exact(const struct results *results)
{
	const struct depthwise *d = results->d;
	const struct depthwise_pixels *pixels = results->pixels;
	struct depthwise_exact exact = {
		.sums = pixels->sums,
		.sum_step = VECTOR,
		.next_sums = (pixels->rows - 1) * 4 * VECTOR,
		.count = pixels->count,
		.out = pixels->out,
		.out_step = pixels->out_step,
		.pitch = pixels->pitch,
		.rows = pixels->rows,
		.min = pixels->min,
		.max = pixels->max,
		.zero_point = d->call->output[0].zero_point,
	};

	list_words(exact.scale, scale_row(d->scales, NN_SCALE_EXACT, 0), results->lane);
	for (uint32_t j = 0; j < 4; j++)
		exact.bias[j] = pixels->bias[j];
	nn_depthwise_scale_exact(&exact, d->call->output[0].type == NN_TYPE_INT8, true);
}

void nn_depthwise_settle_pixels(struct depthwise_pixels *pixels, const struct depthwise *d)
{
	pixels->offset = ((uint32_t)d->call->output[0].zero_point << 16) + 0x8001;
	pixels->min = four_bytes(d->call->op->out_min);
	pixels->max = four_bytes(d->call->op->out_max);
	pixels->limit = 3 << 16;
	pixels->apart = 0;
}

/* Makes sums where vectors are of more than one pixel. */
static void sum_two(const struct depthwise *d, const struct depthwise_pixels *pixels)
{
	bool is_far = pixels->apart > d->channels;

	if (is_far && d->is_signed)
		nn_depthwise_sum_far_pixels_s8(pixels);
	else if (is_far)
		nn_depthwise_sum_far_pixels_u8(pixels);
	else if (d->is_signed)
		nn_depthwise_sum_two_pixels_s8(pixels);
	else
		nn_depthwise_sum_two_pixels_u8(pixels);
}

static void sum(const struct depthwise *d, const struct depthwise_pixels *pixels)
{
	if (pixels->apart)
		sum_two(d, pixels);
	else if (d->is_signed)
		nn_depthwise_sum_pixels_s8(pixels);
	else
		nn_depthwise_sum_pixels_u8(pixels);
}

/* Adds sums of flat weights. */
static __attribute__((noinline)) void add_flat(const struct depthwise *d,
					       const struct depthwise_pixels *pixels)
{
	struct depthwise_pixels *flat = d->flat_pixels;
	/* The scalars are copied as words. */
	const uint32_t *from = (const uint32_t *)((const uint8_t *)pixels + PIXELS_SCALARS);
	uint32_t *to = (uint32_t *)((uint8_t *)flat + PIXELS_SCALARS);

	for (uint32_t i = 0; i < (PIXELS_LEFT_RIGHT + 8) / 4; i++)
		to[i] = from[i];
	flat->is_first = pixels->is_first;
	flat->sums = d->flat_sums;
	sum(d, flat);
	nn_depthwise_add_flat(d, pixels->sums, pixels->count * pixels->rows * 4);
}

static __attribute__((noinline)) void limit_pixels(const struct results *results)
{
	const struct depthwise *d = results->d;
	const struct depthwise_pixels *pixels = results->pixels;
	struct depthwise_limit limit;

	list_words(limit.greatest, scale_row(d->scales, NN_SCALE_GREATEST, 0), results->lane);
	for (uint32_t j = 0; j < 4; j++)
		limit.bias[j] = pixels->bias[j];
	nn_depthwise_limit_sums(&limit, pixels->sums, pixels->count * pixels->rows, VECTOR);
}

static inline void run_job(const struct depthwise *d, const struct depthwise_pixels *pixels,
			   uint32_t channel)
{
	struct results results = { .d = d, .pixels = pixels };

	list_lanes(results.lane, d, channel);
	sum(d, pixels);
	if (d->flat_times)
		add_flat(d, pixels);
	if (d->is_limited)
		limit_pixels(&results);
	if (d->is_exact) {
		scale_exact(&results);
		return;
	}
	if (d->call->output[0].type == NN_TYPE_INT8)
		nn_depthwise_scale_pixels_s8(pixels);
	else
		nn_depthwise_scale_pixels_u8(pixels);
	nn_depthwise_finish_ties(pixels->ties, pixels->count, pixels->rows, finish_exactly,
				 &results);
}

void nn_depthwise_run_pixel_job(const struct depthwise *d, const struct depthwise_pixels *pixels,
				uint32_t channel)
{
	run_job(d, pixels, channel);
}

/*
 * Sets where the window's columns are, and which of `count` such windows have padding in one of
 * them.
 */
static void place_windows(struct depthwise_pixels *pixels, const struct depthwise *d,
			  const uint8_t *row, uint32_t x, uint32_t count)
{
	uint32_t width = d->call->input[0].dims[2];
	int32_t column = 2 * x - d->window.pad_left;

	place_columns(pixels, row + column * (int32_t)d->channels, d->channels);
	pixels->left_at = column < 0 ? count : 0;
	pixels->right_at = column + 2 * count >= width;
}

/*
 * Returns how many columns from the first on can be done: no load of theirs leaves an operand, and
 * no store reaches the next row, which may be done.
 */
static uint32_t safe_columns(const struct depthwise *d, const uint8_t *image)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	const uint8_t *end = input->data + input->bytes;
	uint32_t channels = d->channels, columns = output->dims[2];
	const uint8_t *last = image + (uint64_t)(input->dims[1] - 1) * input->dims[2] * channels;

	while (channels < VECTOR && columns &&
	       ((columns - 1) * channels + VECTOR > output->dims[2] * channels ||
		last + min_u32(2 * columns, input->dims[2]) * channels + VECTOR > end))
		columns--;
	return columns;
}

bool nn_depthwise_is_halved(const struct depthwise *d)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	const struct nn_window_params *window = &d->window;
	uint32_t height = output->dims[1];

	return d->sums == STRIDED_ROWS && window->kernel_w == 3 && d->repeat == 1 && height >= 3 &&
	       height <= MOST_STRIPS * PIXELS_MOST_ROWS && window->pad_top <= 1 &&
	       window->pad_left <= 1 && 2ull * height - window->pad_top <= input->dims[1] &&
	       2ull * output->dims[2] - window->pad_left <= input->dims[2];
}

/*
 * Does all rows of `count` vectors, `step` bytes from one to the next in a row of the output, the
 * first from byte `at` of pixel x on, whose channels are those from `channel` on. If `is_end`, a
 * vector is one that ends where the pixel's channels do, and goes to where it belongs by way of
 * scratch memory.
 */
static int run_columns(struct depthwise *d, struct depthwise_pixels *pixels, uint8_t *padding_row,
		       const uint8_t *image, uint8_t *out, uint32_t at, uint32_t channel,
		       uint32_t x, uint32_t count, uint32_t step, bool is_end)
{
	uint32_t height = d->call->output[0].dims[1], most = pixel_rows(d);
	uint32_t before = is_end ? VECTOR - d->channels : 0;
	uint32_t out_pitch = d->call->output[0].dims[2] * d->channels;
	uint8_t *parts = (uint8_t *)(pixels->sums + count * most * 4);

	pixels->count = count;
	pixels->pitch = is_end ? VECTOR : out_pitch;
	pixels->out_step = is_end ? most * VECTOR : step;
	pixels->pixel_step = 2 * step;

	for (uint32_t y = 0; y < height; y += most) {
		const uint8_t *from = place_rows(pixels, d, image, padding_row, y,
							      min_u32(height - y, most));
		uint8_t *to;
		int ret;

		ret = progress_add(&d->progress,
				   1500 + count * (100 + pixels->rows * (40 + flat_work(d))) +
					   memory_work(count * pixels->rows * 4 * step) +
					   pixels->rows * 3 * NN_PAGE_WORK / 4);
		if (ret)
			return ret;
		place_windows(pixels, d, from + at - before, x, count);
		to = out + y * out_pitch + x * d->channels;
		pixels->out = is_end ? parts : to + at;
		run_job(d, pixels, channel);
		for (uint32_t i = 0; is_end && i < pixels->rows; i++)
			store_bytes(to + i * out_pitch,
				    Q6_V_vror_VR(load(parts + i * VECTOR), before), d->channels);
	}
	return 0;
}

/*
 * Does columns `first` to `end`, no column of whose windows is padding, as vectors of any pixels,
 * of which at most `most` at a time.
 */
static int run_inside(struct depthwise *d, struct depthwise_pixels *pixels, uint8_t *padding_row,
		      const uint8_t *image, uint8_t *out, uint32_t first, uint32_t end,
		      uint32_t most)
{
	uint32_t channels = d->channels, period = period_of(channels), step = period * VECTOR;
	uint32_t bytes = (end - first) * channels, vectors = bytes / VECTOR;
	uint32_t pixels_apart = VECTOR >> min_u32(__builtin_ctz(channels), 7);

	for (uint32_t i = 0; i < period + 1; i++) {
		uint32_t at = i < period ? i * VECTOR : bytes - VECTOR, count = 0, part;
		uint32_t x = first;

		for (uint32_t v = i; i < period && v < vectors; v += period)
			count++;
		/* The last vector overlaps the one before it. */
		if (i == period)
			count = bytes % VECTOR != 0;
		if (!count)
			continue;
		for (; at >= channels; at -= channels)
			x++;
		nn_depthwise_list_pixels(pixels, d, at);
		pixels->apart = channels - at < VECTOR ? channels : 0;
		pixels->is_first = Q6_V_vand_QR(Q6_Q_vsetq_R(channels - at), -1);
		for (uint32_t done = 0; done < count; done += part) {
			int ret;

			part = min_u32(count - done, most);
			ret = run_columns(d, pixels, padding_row, image, out, at, at,
					  x + done * pixels_apart, part, step, false);
			if (ret)
				return ret;
		}
	}
	pixels->apart = 0;
	return 0;
}

/*
 * Whether for `count` pixels of a row vectors of any pixels, of which none is of more than two, are
 * less work than vectors that end with their pixel. Both need their constants listed.
 */
static bool pixels_are_poor(const struct depthwise *d, uint32_t count)
{
	uint32_t channels = d->channels, rows = d->call->output[0].dims[1];
	uint32_t of_pixel = vector_bytes(d) / VECTOR, of_row = count * channels / VECTOR + 1;

	return channels % VECTOR && channels + (channels & -channels) >= VECTOR &&
	       of_row * (24 * rows + 24) + min_u32(of_row, period_of(channels) + 1) * 400 <
		       of_pixel * (count * (23 * rows + 12) + 400);
}

static inline void fill_vectors(HVX_Vector *to, HVX_Vector value, uint32_t count)
{
	for (; count; count--)
		*to++ = value;
}

int nn_depthwise_run_pixels(struct depthwise *d, const uint8_t *image, uint8_t *out,
			    uint32_t *done)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	uint32_t pitch = input->dims[2] * d->channels, columns, most, x = 0;
	struct depthwise_pixels *pixels = (struct depthwise_pixels *)d->rows;
	uint8_t *padding_row = (uint8_t *)(pixels + 1);
	uint32_t padding_bytes = round_up(pitch + VECTOR, VECTOR);
	uint8_t *end = d->call->scratch + d->call->scratch_size;
	uint32_t left = padding_row < end ? end - padding_row : 0;
	uint32_t rows = min_u32(output->dims[1], PIXELS_MOST_ROWS);
	uint32_t kinds = d->flat_times ? 2 : 1;	/* of sums */
	uint32_t pixel_bytes = VECTOR + kinds * rows * 4 * VECTOR;
	/* The first columns whose windows do not begin, and end, in padding. */
	uint32_t first = d->window.pad_left, inside = 0;
	uint64_t box = 0;
	uint32_t padded = min_u32((input->dims[2] + d->window.pad_left - 1) / 2, output->dims[2]);
	/* Vectors that end with a pixel begin here. */
	uint32_t end_channel = d->channels < VECTOR ? 2 * d->channels - VECTOR : 0;

	*done = 0;
	/* Two rows more are read, but mean nothing. */
	if (!nn_depthwise_is_halved(d) || d->channels * 2 < vector_bytes(d) || pitch > left ||
	    padding_bytes + 2 * pixel_bytes + MORE_SUMS > left)
		return 0;
	left -= MORE_SUMS;
	columns = safe_columns(d, image);
	/* A division takes 20 packets: it is done only where not all have room. */
	most = output->dims[2];
	if (most > 256 || most * pixel_bytes > left - padding_bytes)
		most = min_u32((left - padding_bytes) / pixel_bytes, most);
	if (most * (100 + rows * (40 + flat_work(d))) > NN_TILE / 2)
		most = NN_TILE / 2 / (100 + rows * (40 + flat_work(d)));
	fill_vectors((HVX_Vector *)padding_row, splat_b((uint32_t)input->zero_point),
		     padding_bytes / VECTOR);
	pixels->ties = (HVX_Vector *)(padding_row + padding_bytes);
	d->flat_sums = pixels->ties + most;
	pixels->sums = d->flat_sums + (kinds - 1) * most * rows * 4;
	nn_depthwise_settle_pixels(pixels, d);
	pixels->padding = padding_row;
	if (columns >= first && padded > first + 2 && pixels_are_poor(d, padded - first))
		inside = padded;
	else
		box = fetch_slice_box(d->channels, input->dims[1] * input->dims[2]);
	for (uint32_t c = 0; c < d->channels && columns; c += VECTOR) {
		/* The last vector overlaps the one before it rather than the next pixel. */
		uint32_t at = c && d->channels - c < VECTOR ? d->channels - VECTOR : c, count;

		nn_depthwise_list_pixels(pixels, d, at);
		/* The next channels of all pixels are fetched meanwhile, or nothing. */
		fetch_one(image + min_u32(c + VECTOR, d->channels - VECTOR),
			  d->channels - c > VECTOR ? box : 0);
		for (x = 0; x < columns; x += count) {
			int ret;

			if (x == first && inside > first) {
				count = inside - first;
				continue;
			}
			count = min_u32((x < first && inside ? first : columns) - x, most);
			ret = run_columns(d, pixels, padding_row, image, out, at, at, x, count,
					  d->channels, false);
			if (ret)
				return ret;
		}
	}
	/* The other columns are done one by one, if what is read with them is of the same row. */
	if (x < output->dims[2] && 2 * x >= d->window.pad_left + VECTOR / d->channels)
		nn_depthwise_list_pixels(pixels, d, end_channel);
	for (; x < output->dims[2] && 2 * x >= d->window.pad_left + VECTOR / d->channels; x++) {
		int ret;

		ret = run_columns(d, pixels, padding_row, image, out, 0, end_channel, x, 1,
				  d->channels, true);
		if (ret)
			return ret;
	}
	*done = x;
	/* These come after the pixel left of them, whose vector may reach into them. */
	return inside > first ? run_inside(d, pixels, padding_row, image, out, first, inside,
					   most) : 0;
}
