// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5 and stride 2, straight from the image.
 *
 * As with a kernel of 3x3 (depthwise_pixels.c), whose results these are, each pixel's channels are
 * vectors of their own, the last of them overlapping the one before; or with less than 128, vectors
 * follow each other whatever pixels they are of, where none is of more than two.
 *
 * Columns of padding are only those of a row's first and last pixel. There their weights are 0, and
 * what they would add, which is the same in all rows, is part of the bias.
 */
#include "depthwise_five_pixels.h"
#include "depthwise_pixels.h"

#define MOST_STRIPS	32	/* of rows: so the last one has three, too */
#define MORE_SUMS	(2 * 4 * VECTOR)

/* What all vectors of an image have in common, and where scratch memory is. */
struct image {
	struct depthwise *d;
	struct depthwise_five_pixels *five;
	struct depthwise_pixels *pixels;	/* of results */
	const uint8_t *image;
	uint8_t *out;
	uint32_t width, pitch, out_pitch;	/* of the output; bytes of a row */
	uint8_t *padding;			/* a row */
	int32_t *steps;
	uint32_t listed;			/* the row whose steps these are */
	uint32_t most;				/* places at a time */
	HVX_Vector weights[2][7][2], bias[4];	/* without columns of padding */
};

/* Constants of 128 channels from `channel` on. */
static __attribute__((noinline)) void list_constants(struct image *image, uint32_t channel)
{
	const struct depthwise *d = image->d;
	HVX_Vector words[4], fifth[4];
	uint32_t lane[4];

	nn_depthwise_list_results(image->pixels, d, channel);
	list_lanes(lane, d, channel);
	for (uint32_t i = 0; i < 4; i++) {
		image->bias[i] = image->pixels->bias[i];
		fifth[i] = Q6_V_vzero();
	}
	for (uint32_t y = 0; y < 5; y++) {
		const int32_t *weights = d->weights + 2 * y * d->period;

		list_words(words, weights, lane);
		for (uint32_t i = 0; i < 4; i++)
			image->weights[i / 2][y][i % 2] = words[i];
		list_words(words, weights + d->period, lane);
		for (uint32_t i = 0; i < 4 && y < 4; i++)
			fifth[i] = Q6_V_vor_VV(fifth[i], Q6_Vw_vasl_VwR(words[i], 8 * y));
	}
	/* Channels 0, 4, ..., then 2, 6, ..., 1, 5, ... and 3, 7, ... */
	for (uint32_t i = 0; i < 4; i++) {
		image->weights[i / 2][5][i % 2] = fifth[i];
		image->weights[i / 2][6][i % 2] =
			Q6_Vw_vasl_VwR(words[i], 16 * (i % 2) + 8 * (i / 2));
	}
}

/* Those where columns of `padded` bits are padding. */
static __attribute__((noinline)) void pad_columns(struct image *image, uint32_t padded)
{
	const struct depthwise *d = image->d;
	HVX_Vector zero = splat_b((uint32_t)d->call->input[0].zero_point);
	HVX_Vector fifth = splat_w(padded & 16 ? -1 : 0), four;
	uint32_t bytes = 0;

	for (uint32_t k = 0; k < 4; k++)
		bytes |= padded >> k & 1 ? 0xffu << 8 * k : 0;
	four = splat_w(bytes);
#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		HVX_Vector bias = image->bias[i];

#pragma unroll
		for (uint32_t j = 0; j < 7; j++) {
			HVX_Vector weights = image->weights[i / 2][j][i % 2];
			HVX_Vector out = Q6_V_vand_VV(weights, j < 5 ? four : fifth);

			bias = d->is_signed ? Q6_Vw_vrmpyacc_VwVbVb(bias, zero, out)
					    : Q6_Vw_vrmpyacc_VwVubVb(bias, zero, out);
			image->five->weights[i / 2][j][i % 2] = Q6_V_vxor_VV(weights, out);
		}
		image->pixels->bias[i] = bias;
	}
}

/* Which columns of pixel x's windows are padding, as bits. */
static uint32_t padded_columns(const struct image *image, uint32_t x)
{
	int32_t column = 2 * x - image->d->window.pad_left;
	int32_t width = image->d->call->input[0].dims[2];
	uint32_t padded = 0;

	for (int32_t k = 0; k < 5; k++)
		padded |= column + k < 0 || column + k >= width ? 1u << k : 0;
	return padded;
}

static const uint8_t *row_of(const struct image *image, int32_t y)
{
	int32_t height = image->d->call->input[0].dims[1];

	return y >= 0 && y < height ? image->image + y * image->pitch : image->padding;
}

/* For `rows` rows of output from y on: the first row of input, and how far it is from row to row. */
static const uint8_t *list_rows(struct image *image, uint32_t y, uint32_t rows)
{
	struct depthwise_five_pixels *five = image->five;
	int32_t top = 2 * y - image->d->window.pad_top;
	const uint8_t *first = row_of(image, top), *row = row_of(image, top + 1);

	/* Most often all rows are done at once. */
	if (image->listed == y)
		return first;
	image->listed = y;
	image->pixels->rows = rows;
	five->rounds = rows + 2;
	five->steps = image->steps;
	five->first_step = row - first;
	for (uint32_t i = 1; i < 2 * five->rounds - 1; i++) {
		const uint8_t *next = row_of(image, top + i + 1);

		image->steps[i - 1] = next - row;
		row = next;
	}
	return first;
}

static void sum(const struct depthwise *d, const struct depthwise_five_pixels *five, bool is_two)
{
	if (is_two && d->is_signed) {
		nn_depthwise_sum_five_two_even_s8(five);
		nn_depthwise_sum_five_two_odd_s8(five);
	} else if (is_two) {
		nn_depthwise_sum_five_two_even_u8(five);
		nn_depthwise_sum_five_two_odd_u8(five);
	} else if (d->is_signed) {
		nn_depthwise_sum_five_even_s8(five);
		nn_depthwise_sum_five_odd_s8(five);
	} else {
		nn_depthwise_sum_five_even_u8(five);
		nn_depthwise_sum_five_odd_u8(five);
	}
}

/*
 * All rows of `count` vectors, `step` bytes apart, the first from byte `at` of pixel x on, whose
 * channels are those from `channel` on. If `is_end`, it is one that ends where the pixel's channels
 * do, and goes to where it belongs by way of scratch memory.
 */
static int run_places(struct image *image, uint32_t x, uint32_t at, uint32_t channel,
		      uint32_t count, uint32_t step, bool is_two, bool is_end)
{
	struct depthwise *d = image->d;
	struct depthwise_five_pixels *five = image->five;
	struct depthwise_pixels *pixels = image->pixels;
	uint32_t height = d->call->output[0].dims[1], most = pixel_rows(d), channels = d->channels;
	uint32_t before = is_end ? VECTOR - channels : 0;
	int32_t column = 2 * x - d->window.pad_left, last = d->call->input[0].dims[2] - 1;
	uint8_t *parts = (uint8_t *)(pixels->sums + image->most * most * 4) + MORE_SUMS;

	five->count = pixels->count = count;
	five->step = 2 * step;
	pixels->out_step = is_end ? most * VECTOR : step;
	pixels->pitch = is_end ? VECTOR : image->out_pitch;
	for (uint32_t y = 0; y < height; y += most) {
		uint32_t rows = min_u32(height - y, most);
		const uint8_t *from = list_rows(image, y, rows);
		uint8_t *to = image->out + y * image->out_pitch + x * channels + at;
		int ret = progress_add(&d->progress,
				       2000 + rows * 20 + count * (150 + rows * 70) +
					       memory_work(count * rows * 4 * step) +
					       rows * 3 * NN_PAGE_WORK / 4);

		if (ret)
			return ret;
		for (int32_t k = 0; k < 6; k++) {
			/* What is read there has weight 0. */
			int32_t inside = column + k < 0 ? 0 : column + k > last ? last : column + k;

			five->column[k] = from + inside * channels + at - before;
		}
		pixels->out = is_end ? parts : to;
		sum(d, five, is_two);
		nn_depthwise_finish_pixels(d, pixels, channel);
		for (uint32_t i = 0; is_end && i < rows; i++)
			store_bytes(to + i * image->out_pitch,
				    Q6_V_vror_VR(load(parts + i * VECTOR), before), channels);
	}
	return 0;
}

/* `count` places, at most image->most at a time. */
static int run_inside(struct image *image, uint32_t x, uint32_t at, uint32_t count, uint32_t step,
		      uint32_t pixels_apart, bool is_two)
{
	for (uint32_t part; count; count -= part, x += part * pixels_apart) {
		int ret;

		part = min_u32(count, image->most);
		ret = run_places(image, x, at, at, part, step, is_two, false);
		if (ret)
			return ret;
	}
	return 0;
}

/* Pixels `first` to `end`, as vectors of any pixels, of which none is of more than two. */
static int run_any(struct image *image, uint32_t first, uint32_t end)
{
	uint32_t channels = image->d->channels, period = period_of(channels);
	uint32_t bytes = (end - first) * channels, vectors = bytes / VECTOR;
	uint32_t pixels_apart = VECTOR >> min_u32(__builtin_ctz(channels), 7);

	for (uint32_t i = 0; i < period + 1; i++) {
		uint32_t at = i < period ? i * VECTOR : bytes - VECTOR, count = 0, x = first;
		int ret;

		for (uint32_t v = i; i < period && v < vectors; v += period)
			count++;
		/* The last vector overlaps the one before it. */
		if (i == period)
			count = bytes % VECTOR != 0;
		if (!count)
			continue;
		for (; at >= channels; at -= channels)
			x++;
		list_constants(image, at);
		pad_columns(image, 0);
		image->five->is_first = Q6_V_vand_QR(Q6_Q_vsetq_R(channels - at), -1);
		ret = run_inside(image, x, at, count, period * VECTOR, pixels_apart,
				 channels - at < VECTOR);
		if (ret)
			return ret;
	}
	return 0;
}

/* Pixel x, of the channels listed from `at` on. */
static int run_pixel(struct image *image, uint32_t x, uint32_t at, bool is_end)
{
	uint32_t channels = image->d->channels;

	pad_columns(image, padded_columns(image, x));
	return run_places(image, x, at, is_end ? 2 * channels - VECTOR : at, 1, channels, false,
			  is_end);
}

/*
 * How many pixels at the end of a row are not like the others: they have columns of padding, or
 * with few channels the vector of their last column would end behind the row.
 */
static uint32_t last_pixels(const struct image *image, bool is_narrow, bool is_any)
{
	uint32_t last = image->width - 1, padded = padded_columns(image, last);

	if (!is_narrow || is_any)
		return is_narrow || padded ? 1 : 0;
	return padded & 8 ? 2 : 1;
}

static int run_image(struct image *image)
{
	uint32_t channels = image->d->channels, width = image->width;
	bool is_narrow = channels < VECTOR, is_left = padded_columns(image, 0);
	uint32_t first = is_left ? 1 : 0;
	/* No vector is of more than two pixels. */
	bool is_any = is_narrow && channels + (channels & -channels) >= VECTOR &&
		      (width - 1 - first) * channels >= VECTOR;
	uint32_t end = width - last_pixels(image, is_narrow, is_any);

	for (uint32_t c = 0; c < channels; c += VECTOR) {
		uint32_t at = c && channels - c < VECTOR ? channels - VECTOR : c;
		int ret = 0;

		list_constants(image, at);
		if (is_left)
			ret = run_pixel(image, 0, at, false);
		pad_columns(image, 0);
		if (!ret && is_any)
			ret = run_any(image, first, end);
		else if (!ret && end > first)
			ret = run_inside(image, first, at, end - first, channels, 1, false);
		if (is_narrow)
			list_constants(image, 2 * channels - VECTOR);
		for (uint32_t x = end > first ? end : first; x < width && !ret; x++)
			ret = run_pixel(image, x, is_narrow ? 0 : at, is_narrow);
		if (ret)
			return ret;
	}
	return 0;
}

/* Whether the layer is one that this is for. */
static bool is_suitable(const struct depthwise *d)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	const struct nn_window_params *window = &d->window;
	uint32_t height = output->dims[1], width = output->dims[2];

	/*
	 * With few channels the first pixel's vectors end behind a column, which is not the last,
	 * and the last two pixels' begin before one, which is not the first.
	 */
	return d->sums == FIVE_ROWS && window->stride_h == 2 && window->stride_w == 2 &&
	       window->dilation_w == 1 && d->repeat == 1 && d->channels >= VECTOR / 2 &&
	       height >= 3 && height <= MOST_STRIPS * PIXELS_MOST_ROWS &&
	       width >= (d->channels < VECTOR ? 4 : 2) &&
	       window->pad_top <= 2 && window->pad_left <= 2 &&
	       2ull * height <= input->dims[1] + window->pad_top + 1ull &&
	       2ull * width <= input->dims[2] + window->pad_left - 1ull;
}

/* False if there is no room for a place. */
static bool divide_scratch(struct image *image)
{
	const struct depthwise *d = image->d;
	uint32_t rows = pixel_rows(d), left = d->call->scratch + d->call->scratch_size - d->rows;
	uint32_t padding_bytes = round_up(image->pitch + VECTOR, VECTOR);
	uint32_t steps_bytes = round_up(2 * (rows + 3) * sizeof(int32_t), VECTOR);
	uint32_t place_bytes = (1 + rows * 4) * VECTOR;
	/* With results of the last pixel, and two rows of sums that are read, but mean nothing. */
	uint32_t before = sizeof(*image->five) + sizeof(*image->pixels) + padding_bytes +
			  steps_bytes + MORE_SUMS + rows * VECTOR;

	if (left < before + place_bytes)
		return false;
	image->most = min_u32((left - before) / place_bytes, NN_TILE / 2 / (150 + rows * 70));
	image->five = (struct depthwise_five_pixels *)d->rows;
	image->pixels = (struct depthwise_pixels *)(image->five + 1);
	image->padding = (uint8_t *)(image->pixels + 1);
	image->steps = (int32_t *)(image->padding + padding_bytes);
	image->pixels->unsure = (HVX_Vector *)(image->padding + padding_bytes + steps_bytes);
	image->pixels->sums = image->five->sums = image->pixels->unsure + image->most;
	for (uint32_t i = 0; i < padding_bytes; i += VECTOR)
		store(image->padding + i, splat_b((uint32_t)d->call->input[0].zero_point));
	return true;
}

static __attribute__((noinline)) int run(struct depthwise *d, const uint8_t *image, uint8_t *out,
					 bool *done)
{
	const struct nn_call *call = d->call;
	struct image all = {
		.d = d,
		.image = image,
		.out = out,
		.listed = UINT32_MAX,
		.width = call->output[0].dims[2],
		.pitch = call->input[0].dims[2] * d->channels,
		.out_pitch = call->output[0].dims[2] * d->channels,
	};

	*done = all.pitch < call->scratch_size / 2 && divide_scratch(&all);
	if (!*done)
		return 0;
	nn_depthwise_settle_pixels(all.pixels, d);
	return run_image(&all);
}

int nn_depthwise_run_five_pixels(struct depthwise *d, const uint8_t *image, uint8_t *out,
				 bool *done)
{
	*done = false;
	return is_suitable(d) ? run(d, image, out, done) : 0;
}
