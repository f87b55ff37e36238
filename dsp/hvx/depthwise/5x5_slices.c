// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5, in slices of 128 channels: nn_depthwise_run_five_slices()
 * of 5x5.h, which convolve_image() of depthwise_conv2d.c calls.
 *
 * A slice's rows of input are copied with their padding, which all slices have in common, and as
 * their pixels lie side by side there, all positions of a slice have the same constants.
 *
 *	image		|p0: 0 .. 127|128 .. 255|p1: 0 .. 127|128 .. 255|p2: ...
 *	slice 0		|padding|p0: 0 .. 127|p1: 0 .. 127|p2: 0 .. 127| ...
 *
 * The last slice overlaps the one before, or has vectors of two or four pixels. Or all channels are
 * one slice, and positions are vectors of any pixels: where there are at most 96 channels, and with
 * stride 1 also where that is less work. With 97 to 127 channels pixels have vectors that overlap.
 *
 * Columns are copied in pairs, the bytes of which alternate (5x5.h): with stride 1 each column with
 * the next one, with stride 2 every other one. What the assembly interleaves is then in the order
 * of the results.
 *
 * For 128 outputs copies are 3 packets at least with stride 1, and 8 with stride 2: two columns of
 * a row are two loads and two stores, which no packet has together if they are not aligned. With
 * the loops' 22 to 28 and 10 to 12 for results that leaves less of 48 than the 5 to 10 that calls
 * for each slice and rounding fixups take where images are small or stride is 2. So 7x7 takes 54 to
 * 58 and stride 2 51 to 61; the others take 39 to 45.
 */
#include "dsp/hvx/depthwise/5x5_slices.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/strided.h"

#define FEW_CHANNELS	8u

/* Whether pairs have 64 channels and a power of two, for which there is a loop of their own. */
static bool is_dense(const struct slices *slices)
{
	uint32_t more = slices->channels - VECTOR / 2;

	return slices->is_whole && slices->stride == 2 && slices->channels > VECTOR / 2 &&
	       !(more & (more - 1));
}

static void copy_dense(const struct slices *slices, struct depthwise_five_stage *stage)
{
	uint32_t shift = 6 - __builtin_ctz(slices->channels);

	stage->group = 1u << shift;
	stage->groups = (stage->count - 1) >> shift;
	stage->rest = (stage->count - 1) & (stage->group - 1);
	nn_depthwise_stage_dense_pairs(stage);
}

/* Copies pairs to the stage, by the loop that fits. */
static void copy_block(const struct slices *slices, struct depthwise_five_stage *stage)
{
	bool is_aligned = !(((uintptr_t)stage->to | stage->step) % VECTOR);
	bool is_image = stage->from_pitch[0] && stage->from_pitch[1];
	bool is_next = slices->stride == 1 && !slices->is_whole;

	if (!stage->rows || !stage->count)
		return;
	if (stage->step <= VECTOR)
		nn_depthwise_stage_short_pairs(stage);
	else if (is_image && stage->count > 2 && is_dense(slices) &&
		 !((uintptr_t)stage->to % VECTOR))
		copy_dense(slices, stage);
	else if (!is_aligned)
		nn_depthwise_stage_pairs(stage);
	else if (is_image && is_next && stage->padding)
		nn_depthwise_stage_row_pairs(stage);
	else if (is_image && is_next)
		nn_depthwise_stage_next_pairs(stage);
	else
		nn_depthwise_stage_aligned_pairs(stage);
}

/* Copies pairs of the image's last row, whose end is `end`: no load is of what is behind it. */
static void copy_last_row(const struct slices *slices, struct depthwise_five_stage stage,
			  const uint8_t *end)
{
	uint32_t last = stage.from_pitch[1] ? 1 : 0, count = stage.count;

	while (stage.count && stage.from[last] + (stage.count - 1) * stage.from_step + VECTOR > end)
		stage.count--;
	copy_block(slices, &stage);
	for (uint32_t i = stage.count; i < count; i++) {
		uint8_t *to = stage.to + i * stage.step;
		HVX_Vector columns[2];
		HVX_VectorPair both;

		for (uint32_t k = 0; k < 2; k++) {
			const uint8_t *from = stage.from[k] + i * stage.from_step;

			columns[k] = !stage.from_pitch[k] || from + VECTOR <= end
					     ? load(from) : load_bytes(from, end - from);
		}
		both = Q6_W_vshuff_VVR(columns[1], columns[0], -1);
		store(to, Q6_V_lo_W(both));
		store(to + VECTOR, Q6_V_hi_W(both));
	}
}

/*
 * Copies pairs `first` to `end` of the rows of `stage`, which says where pair 0 would be. If the
 * last of these rows is the image's, `row_end` is its end. What is written behind them is to be
 * overwritten.
 */
static void copy_pairs(const struct slices *slices, struct depthwise_five_stage stage,
		       int32_t first, int32_t end, const uint8_t *row_end)
{
	int32_t channels = slices->channels, step = slices->stride * slices->rows.d->channels;

	if (first >= end || !stage.rows)
		return;
	stage.to += first * 2 * channels;
	for (uint32_t k = 0; k < 2; k++)
		stage.from[k] += stage.from_pitch[k] ? first * step : 0;
	stage.count = end - first;
	stage.step = 2 * channels;
	stage.from_step = step;
	/* The second columns are then the next pixels of the same bytes. */
	if (slices->is_whole && slices->stride == 1) {
		stage.count = (stage.count * channels + VECTOR - 1) / VECTOR;
		stage.step = 2 * VECTOR;
		stage.from_step = VECTOR;
	}
	if (row_end)
		stage.rows--;
	copy_block(slices, &stage);
	if (!row_end)
		return;
	for (uint32_t k = 0; k < 2; k++)
		stage.from[k] += stage.rows * stage.from_pitch[k];
	stage.to += stage.rows * stage.pitch;
	stage.rows = 1;
	copy_last_row(slices, stage, row_end);
}

/* Copies a pair whose first (k is 0) or second column is padding. */
static void copy_half(const struct slices *slices, struct depthwise_five_stage stage, uint32_t k,
		      int32_t pair, const uint8_t *row_end)
{
	stage.from[k] = slices->padding;
	stage.from_pitch[k] = 0;
	copy_pairs(slices, stage, pair, pair + 1, row_end);
}

/* Fills pairs `first` to `end` of `rows` rows of the stage, from `row` on, with padding. */
static void pad_pairs(const struct slices *slices, uint32_t row, uint32_t rows, int32_t first,
		      int32_t end)
{
	uint32_t row_bytes = slices->rows.five.row_bytes, pair_bytes = 2 * slices->channels;
	HVX_Vector padding = load(slices->padding);
	uint8_t *begin = slices->stage + row * row_bytes;

	for (uint32_t at = first * pair_bytes; first < end && at < end * pair_bytes; at += VECTOR) {
		uint8_t *to = begin + at;

		for (uint32_t i = 0; i < rows; i++, to += row_bytes)
			store(to, padding);
	}
}

/*
 * Copies rows `row` to `row` + `rows` of those that are in the image, of channels from `channel`
 * on. Columns of padding are the same for all slices.
 */
static void copy_rows(const struct slices *slices, uint32_t channel, uint32_t row, uint32_t rows,
		      bool is_first)
{
	uint32_t channels = slices->rows.d->channels;
	uint32_t y = slices->in_y < 0 ? row : slices->in_y + row;
	int32_t left = slices->left, right = slices->right;
	struct depthwise_five_stage stage = {
		.to = slices->stage + (slices->above + row) * slices->rows.five.row_bytes,
		.pitch = slices->rows.five.row_bytes,
		.from_pitch = { slices->pitch, slices->pitch },
		.rows = rows,
	};
	const uint8_t *row_end = NULL;

	/* Loads that are not of a pixel alone must not leave the image. */
	if ((slices->is_whole || channels < VECTOR || slices->channels < VECTOR) &&
	    y + rows == slices->height)
		row_end = slices->image + slices->height * slices->pitch;
	stage.from[0] = slices->image + y * slices->pitch + channel +
			slices->in_x * (int32_t)channels;
	stage.from[1] = stage.from[0] + channels;
	if (is_first)
		pad_pairs(slices, slices->above + row, rows, 0, left - slices->is_half_left);
	if (slices->channels == VECTOR && !row_end && slices->stride == 1 &&
	    slices->is_half_left && slices->is_half_right && left < right) {
		/* The pairs beside them, with padding, are copied together with these. */
		stage.padding = slices->padding;
		copy_pairs(slices, stage, left, right, NULL);
		if (is_first)
			pad_pairs(slices, slices->above + row, rows, right + 1, slices->count);
		return;
	}
	if (slices->is_half_left)
		copy_half(slices, stage, 0, left - 1, row_end);
	copy_pairs(slices, stage, left, right, row_end);
	if (slices->is_half_right)
		copy_half(slices, stage, 1, right, row_end);
	if (is_first)
		pad_pairs(slices, slices->above + row, rows, right + slices->is_half_right,
			  slices->count);
}

/* Fills rows of the stage with padding. */
static inline void fill_rows(const struct slices *slices, uint32_t row, uint32_t rows)
{
	uint32_t row_bytes = slices->rows.five.row_bytes;
	HVX_Vector *to = (HVX_Vector *)(slices->memory + row * row_bytes);
	HVX_Vector padding = load(slices->padding);

	for (uint32_t count = rows * row_bytes / VECTOR; count; count--)
		*to++ = padding;
}

/*
 * Copies a slice to the stage, so many rows between reports. The first one, and the first of
 * another size, with padding.
 */
static int copy_slice(struct slices *slices, uint32_t channel, bool is_first, uint32_t most,
		      uint32_t row_work)
{
	struct progress *progress = &slices->rows.d->progress;
	uint32_t behind = slices->above + slices->inside, part;
	int ret;

	if (is_first) {
		ret = progress_add(progress, (slices->all - slices->inside) * row_work);
		if (ret)
			return ret;
		fill_rows(slices, 0, slices->above);
		fill_rows(slices, behind, slices->all - behind);
	}
	for (uint32_t row = 0; row < slices->inside; row += part) {
		part = min_u32(slices->inside - row, most);
		ret = progress_add(progress, part * row_work);
		if (ret)
			return ret;
		copy_rows(slices, channel, row, part, is_first);
	}
	return 0;
}

/* Sets where a part's rows and columns of input are, and what of them is padding. */
static void place_part(struct slices *slices)
{
	const struct nn_window_params *window = &slices->rows.d->window;
	uint32_t stride = slices->stride, shift = stride - 1, below;
	int32_t x = slices->x * stride - window->pad_left, y = slices->y * stride - window->pad_top;
	int32_t last = slices->width - 1, second = last - x;	/* pair that begins with it */

	slices->in_x = x;
	slices->in_y = y;
	slices->all = (slices->count_y - 1) * stride + 5;
	slices->above = y < 0 ? min_u32(-y, slices->all) : 0;
	below = slices->height - (y < 0 ? 0 : y);
	slices->inside = min_u32(slices->all - slices->above, below);
	slices->count = pairs_of(slices, slices->count_x);
	slices->left = x < 0 ? (-x + shift) >> shift : 0;
	slices->is_half_left = x < 0 && !((-1 - x) & shift);
	slices->right = (second + (int32_t)shift) >> shift;
	slices->is_half_right = !(second & shift) && slices->right < slices->count;
	if (slices->right > slices->count)
		slices->right = slices->count;
	/* Whole pairs as vectors of any pixels begin where a vector does. */
	slices->stage = slices->memory;
	if (slices->is_whole && (stride == 1 || is_dense(slices)))
		slices->stage += -(slices->left * 2 * slices->channels) % VECTOR;
}

/* Returns the box to fetch all pixels of this part's rows, 128 channels of each, or no box. */
static uint64_t slice_box(const struct slices *slices)
{
	/* Some columns of an image are no box. */
	if (slices->columns < slices->out_width)
		return 0;
	return fetch_slice_box(slices->rows.d->channels, slices->inside * slices->width);
}

/*
 * Fetches what the part behind this one reads, and this one does not, where all channels are one
 * slice.
 */
static __attribute__((noinline)) void fetch_part(const struct slices *slices)
{
	const struct nn_window_params *window = &slices->rows.d->window;
	uint32_t stride = slices->stride, channels = slices->channels, left = 0, top = 0;
	uint32_t x = slices->x, y = slices->y + slices->count_y, right, bottom, width;

	if (y == slices->out_height) {
		x += slices->count_x;
		y = 0;
	}
	if (x)
		left = (x - 1) * stride + 5 - window->pad_left;
	if (y)
		top = (y - 1) * stride + 5 - window->pad_top;
	right = min_u32(slices->width, (x + slices->columns - 1) * stride + 5 - window->pad_left);
	bottom = min_u32(slices->height, (y + slices->out_rows - 1) * stride + 5 - window->pad_top);
	width = (right - left) * channels;
	if (x < slices->out_width && right > left && bottom > top &&
	    (width | slices->pitch | (bottom - top)) <= FETCH_MAX)
		fetch_rows(slices->image + top * slices->pitch + left * channels, slices->pitch,
			   width, bottom - top);
}

/*
 * Does the last slice, of less channels, whose vectors are of several pixels: their results go to
 * the end of the stage, where there is room for them, and from there to where they belong.
 */
static int run_last_slice(struct slices *slices, uint8_t *out)
{
	struct five_rows *rows = &slices->rows;
	uint32_t channels = slices->channels;
	uint32_t outputs = round_up(slices->count_x * channels, VECTOR);
	uint32_t apart = rows->job.rows * VECTOR, pitch = rows->job.pitch;
	uint8_t *results = (uint8_t *)rows->weights - outputs / VECTOR * apart;
	int ret;

	rows->apart = apart;
	rows->job.pitch = VECTOR;
	ret = nn_depthwise_run_five_rows(rows, slices->stage, slices->count_y, outputs, results);
	rows->job.pitch = pitch;
	if (!ret)
		ret = progress_add(&rows->d->progress,
				   slices->count_x *
					   (60 + slices->count_y * (8 + NN_PAGE_WORK / 4)));
	for (uint32_t x = 0; x < slices->count_x && !ret; x++) {
		uint32_t at = x * channels;

		nn_scatter_pixels(out + x * rows->d->channels, pitch,
				  results + at / VECTOR * apart + at % VECTOR, VECTOR, channels,
				  slices->count_y);
	}
	return ret;
}

/*
 * Does pixels of less than 128 channels with a vector each, which overlap. Behind the last one of a
 * row are results that are done, or none.
 */
static int run_wide_pixels(struct slices *slices, uint8_t *out)
{
	struct five_rows *rows = &slices->rows;
	uint32_t inside = slices->count_x - (slices->x + slices->count_x == slices->out_width);
	int ret = 0;

	if (inside)
		ret = nn_depthwise_run_five_rows(rows, slices->stage, slices->count_y,
						 inside * VECTOR, out);
	if (ret || inside == slices->count_x)
		return ret;
	return nn_depthwise_run_five_parts(rows, slices->stage + inside * 2 * VECTOR,
					   slices->count_y, VECTOR, out + inside * rows->apart);
}

/* Does all slices of a part of the image. */
static int run_part(struct slices *slices)
{
	struct five_rows *rows = &slices->rows;
	uint32_t channels = rows->d->channels, left = channels, each = slices->channels;
	uint32_t row_bytes = rows->five.row_bytes;
	uint32_t step_work = stride_work((uint64_t)slices->stride * channels), most;
	uint32_t row_work;
	const uint8_t *ahead;
	uint64_t box;
	uint8_t *out = slices->out + (slices->y * slices->out_width + slices->x) * channels;
	int ret = 0;

	place_part(slices);
	row_work = 60 + slices->count * (6 + step_work) + memory_work(rows->five.row_bytes);
	most = slices->inside;
	if (most * (uint64_t)row_work > NN_TILE / 2)
		most = NN_TILE / 2 / row_work + 1;
	nn_depthwise_pair_columns(rows, each);
	nn_depthwise_count_rounds(rows, slices->y, slices->count_y);
	rows->apart = slices->is_whole ? VECTOR : channels;
	ahead = slices->image + (slices->in_y < 0 ? 0 : slices->in_y) * slices->pitch;
	box = slice_box(slices);
	for (; left && !ret; left -= min_u32(left, each)) {
		bool is_last = left == slices->last_channels;

		/* The last one overlaps the one before it. */
		slices->channels = is_last ? left : each;
		rows->first = channels - (left < slices->channels && channels >= each ?
						  slices->channels : left);
		if (is_last) {
			nn_depthwise_pair_columns(rows, left);
			rows->five.row_bytes = row_bytes_of(slices, slices->columns);
		}
		ret = copy_slice(slices, rows->first, left == channels || is_last, most, row_work);
		/* The next slice is fetched meanwhile, or nothing. */
		fetch_one(ahead += each, left > each ? box : 0);
		if (!ret && is_last)
			ret = run_last_slice(slices, out + rows->first);
		else if (!ret && channels < each)
			ret = run_wide_pixels(slices, out);
		else if (!ret)
			ret = nn_depthwise_run_five_rows(rows, slices->stage, slices->count_y,
							 slices->count_x * each, out + rows->first);
	}
	slices->channels = each;
	rows->five.row_bytes = row_bytes;
	return ret;
}

/* Whether the layer is one that this is for. */
static bool is_suitable(const struct depthwise *d)
{
	const struct nn_tensor *input = &d->call->input[0];
	const struct nn_window_params *window = &d->window;

	/* Rows are so long that a vector does not end behind the second last one. */
	return d->sums == FIVE_ROWS && window->stride_h == window->stride_w &&
	       window->dilation_w == 1 && d->repeat == 1 && d->channels >= FEW_CHANNELS &&
	       (uint64_t)input->dims[2] * d->channels >= VECTOR &&
	       (uint64_t)input->dims[2] * d->channels < d->call->scratch_size;
}

/* Whether with stride 1 vectors of any pixels are less work than slices. */
static bool whole_is_better(const struct depthwise *d)
{
	uint32_t width = d->call->output[0].dims[2], height = d->call->output[0].dims[1];
	uint32_t vectors = (width * d->channels + VECTOR - 1) / VECTOR;
	uint32_t slices = (d->channels + VECTOR - 1) / VECTOR;
	uint32_t row_work = 35 * min_u32(height, FIVE_MOST_ROWS), sets = period_of(d->channels);

	return vectors * row_work + min_u32(sets, vectors) * 300 <
	       slices * (width * row_work + 300);
}

/*
 * Whether it pays to take several pixels' last channels for a vector, which have to be put where
 * they belong. Two or four pixels fill it, and four times 32 outputs have constants.
 */
static bool last_is_better(const struct slices *slices)
{
	uint32_t channels = slices->rows.d->channels % VECTOR, columns = slices->columns;
	uint32_t saved = columns - (columns * channels + VECTOR - 1) / VECTOR;

	return (channels == VECTOR / 2 || channels == VECTOR / 4) &&
	       saved * slices->out_rows * 32 > columns * 50 + 500;
}

static __attribute__((noinline)) int run(struct depthwise *d, const uint8_t *image, uint8_t *out,
					 bool *done)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	uint32_t stride = d->window.stride_h;
	struct slices slices = {
		.rows.d = d,
		.image = image,
		.out = out,
		.width = input->dims[2],
		.height = input->dims[1],
		.pitch = input->dims[2] * d->channels,
		.out_width = output->dims[2],
		.out_height = output->dims[1],
		.stride = stride,
		.is_whole = d->channels <= VECTOR - 32 ||
			    (d->channels >= VECTOR && stride == 1 && whole_is_better(d)),
	};

	slices.channels = slices.is_whole ? d->channels : VECTOR;
	*done = nn_depthwise_divide_slices(&slices);
	/* Where an image is done in parts, all channels would list their constants too often. */
	if (slices.is_whole && d->channels >= VECTOR &&
	    (!*done || slices.columns < slices.out_width || slices.out_rows < slices.out_height)) {
		slices.is_whole = false;
		slices.channels = VECTOR;
		*done = nn_depthwise_divide_slices(&slices);
	}
	if (!*done)
		return 0;
	if (!slices.is_whole && last_is_better(&slices))
		slices.last_channels = d->channels % VECTOR;
	for (slices.x = 0; slices.x < slices.out_width; slices.x += slices.count_x) {
		slices.count_x = min_u32(slices.out_width - slices.x, slices.columns);
		for (slices.y = 0; slices.y < slices.out_height; slices.y += slices.count_y) {
			int ret;

			slices.count_y = min_u32(slices.out_height - slices.y, slices.out_rows);
			if (slices.is_whole)
				fetch_part(&slices);
			ret = run_part(&slices);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int nn_depthwise_run_five_slices(struct depthwise *d, const uint8_t *image, uint8_t *out,
				 bool *done)
{
	*done = false;
	return is_suitable(d) ? run(d, image, out, done) : 0;
}
