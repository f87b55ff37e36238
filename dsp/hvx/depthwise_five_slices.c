// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5, in slices of 128 channels.
 *
 * A slice's rows of input are copied with their padding, which all slices have in common, and as
 * their pixels lie side by side there, all places of a slice have the same constants. The last
 * slice overlaps the one before.
 *
 * With stride 2 columns are copied in pairs, the bytes of which alternate: then what the assembly
 * interleaves is in the order of the results. With less than 128 channels such a slice is all of
 * them, and places are vectors of any pixels.
 */
#include "depthwise_five.h"
#include "fetch.h"

#define MOST_PLACES	32u
#define FEW_CHANNELS	8u
#define MORE_COLUMNS	(2 * VECTOR)	/* bytes that are written behind a row's last pair */

/* An image, how scratch memory is divided, and the part that is done at a time. */
struct slices {
	struct five_rows rows;
	const uint8_t *image;
	uint8_t *out;
	uint32_t width, height, pitch;		/* of the input; bytes of a row */
	uint32_t out_width, out_height;
	uint32_t stride;
	uint32_t least;				/* channels of a slice */
	uint8_t *padding;			/* 128 bytes */
	uint8_t *stage;				/* [rows of input][row_bytes] */
	uint32_t pixel_bytes;			/* there, of a column or a pair of them */
	uint32_t columns, out_rows;		/* of output, at a time */

	/* The part: what it is of the output, and where its rows and columns of input begin. */
	uint32_t x, y, count_x, count_y;
	int32_t in_x, in_y;
	uint32_t above, inside, all;	/* rows of padding, of the image, and with those below */
};

/* Columns of `out_columns` of output, or pairs of columns. */
static uint64_t columns_of(const struct slices *slices, uint32_t out_columns)
{
	return out_columns + (slices->stride == 2 ? 2 : 4);
}

static uint64_t row_bytes_of(const struct slices *slices, uint32_t out_columns)
{
	uint32_t more = slices->least < VECTOR ? MORE_COLUMNS : 0;

	return round_up(columns_of(slices, out_columns) * slices->pixel_bytes + more, VECTOR);
}

/* Rounds of a place, see struct depthwise_five. */
static uint32_t rounds_of(const struct slices *slices, uint32_t out_rows)
{
	return (out_rows < 2 ? 2 : out_rows) + (slices->stride == 2 ? 2 : 4);
}

/* With those that are read, but mean nothing. */
static uint64_t stage_bytes_of(const struct slices *slices, uint32_t out_rows, uint32_t out_columns)
{
	return (rounds_of(slices, out_rows) * slices->stride + 2) * row_bytes_of(slices, out_columns);
}

static uint32_t place_bytes_of(const struct slices *slices, uint32_t out_rows)
{
	return rounds_of(slices, out_rows) * 4 * VECTOR;
}

/* Whether there is room, and for how many places at a time. */
static uint32_t count_places(const struct slices *slices, uint64_t left, uint32_t out_rows,
			     uint32_t out_columns)
{
	uint64_t stage_bytes = stage_bytes_of(slices, out_rows, out_columns);
	uint32_t place_bytes = place_bytes_of(slices, out_rows);

	return left < stage_bytes ? 0 : min_u32((left - stage_bytes) / place_bytes, MOST_PLACES);
}

/* How many columns of output there is room for, with a few places, or 0. */
static uint32_t fitting_columns(const struct slices *slices, uint64_t left, uint32_t out_rows)
{
	for (uint32_t columns = slices->out_width; columns > 1; columns = (columns + 1) / 2) {
		if (count_places(slices, left, out_rows, columns) >= min_u32(columns, 4))
			return columns;
	}
	return count_places(slices, left, out_rows, 1) ? 1 : 0;
}

/* Even parts of at most `most`. */
static uint32_t even_part(uint32_t all, uint32_t most)
{
	uint32_t parts = (all + most - 1) / most;

	return (all + parts - 1) / parts;
}

/* False if a few columns do not fit. */
static bool divide_scratch(struct slices *slices)
{
	struct depthwise *d = slices->rows.d;
	uint32_t before = (28 + FIVE_MOST_ROWS + MOST_PLACES + 1) * VECTOR, places;
	/* And a row of sums that is read, but means nothing. */
	uint32_t left = d->call->scratch + d->call->scratch_size - d->rows, more = 8 * VECTOR;
	HVX_Vector *memory = (HVX_Vector *)d->rows;

	if (left < before + more)
		return false;
	left -= before + more;
	for (uint32_t most = FIVE_MOST_ROWS; most; most = slices->out_rows - 1) {
		slices->out_rows = even_part(slices->out_height, most);
		slices->columns = fitting_columns(slices, left, slices->out_rows);
		/* Parts should be high, but not narrow. */
		if (slices->columns >= min_u32(slices->out_width, 12) || slices->out_rows <= 12)
			break;
	}
	if (!slices->columns)
		return false;
	slices->columns = even_part(slices->out_width, slices->columns);
	slices->rows.five.row_bytes = row_bytes_of(slices, slices->columns);
	places = count_places(slices, left, slices->out_rows, slices->columns);
	slices->padding = (uint8_t *)memory;
	slices->stage = (uint8_t *)(memory + 1);
	memory += 1 + stage_bytes_of(slices, slices->out_rows, slices->columns) / VECTOR;
	nn_depthwise_settle_five(&slices->rows, d, memory, places);
	return true;
}

/* Columns, or pairs, of the stage from `first` to `end`, of the rows of `stage` from `from` on. */
static void copy_columns(const struct slices *slices, struct depthwise_five_stage stage,
			 int32_t first, int32_t end)
{
	if (first >= end || !stage.rows)
		return;
	stage.to += first * slices->pixel_bytes;
	for (uint32_t k = 0; k < 2; k++)
		stage.from[k] += first * stage.from_step;
	stage.count = end - first;
	if (slices->stride == 1)
		nn_depthwise_stage_pixels(&stage);
	else if (slices->least == VECTOR)
		nn_depthwise_stage_aligned_pairs(&stage);
	else if (slices->least > VECTOR / 2)
		nn_depthwise_stage_pairs(&stage);
	else
		nn_depthwise_stage_short_pairs(&stage);
}

/* Where it is padding that is copied to. */
static struct depthwise_five_stage pad_rows(const struct slices *slices, uint32_t row, uint32_t rows)
{
	return (struct depthwise_five_stage){
		.to = slices->stage + row * slices->rows.five.row_bytes,
		.from = { slices->padding, slices->padding },
		.pitch = slices->rows.five.row_bytes,
		.step = slices->pixel_bytes,
		.rows = rows,
	};
}

/* A pair of the image's last row, both vectors of which would end behind it. */
static void copy_last_pair(const struct slices *slices, uint8_t *to, int32_t pair)
{
	uint32_t channels = slices->least;
	int32_t column = slices->in_x + 2 * pair, width = slices->width;
	const uint8_t *from = slices->image + (slices->height - 1) * slices->pitch +
			      column * (int32_t)channels;
	HVX_Vector second = column + 1 < width ? load_bytes(from + channels, channels)
					       : load(slices->padding);
	HVX_VectorPair both = Q6_W_vshuff_VVR(second, load_bytes(from, channels), -1);

	to += pair * slices->pixel_bytes;
	store_bytes(to, Q6_V_lo_W(both), min_u32(2 * channels, VECTOR));
	if (2 * channels > VECTOR)
		store_bytes(to + VECTOR, Q6_V_hi_W(both), 2 * channels - VECTOR);
}

/*
 * Rows `row` to `row` + `rows` of those that are in the image, of channels from `channel` on. Columns
 * of padding are the same for all slices.
 */
static void copy_rows(const struct slices *slices, uint32_t channel, uint32_t row, uint32_t rows)
{
	uint32_t channels = slices->rows.d->channels, stride = slices->stride;
	int32_t count = columns_of(slices, slices->count_x), width = slices->width, x = slices->in_x;
	int32_t above_y = slices->in_y < 0 ? 0 : slices->in_y;
	/* Whole ones in the image; beside these may be one whose first or second half is. */
	int32_t left = x < 0 ? ((uint32_t)-x + stride - 1) / stride : 0;
	int32_t right = (uint32_t)(width - x) / stride, safe;
	struct depthwise_five_stage padding = pad_rows(slices, slices->above + row, rows);
	struct depthwise_five_stage stage = padding, half;
	bool is_half_left = x < 0 && -x % stride, is_half_right = right < count &&
								    (width - x) % stride;
	bool is_last = channels < VECTOR && above_y + row + rows == slices->height;

	right = right > count ? count : right;
	stage.from[0] = slices->image + (above_y + row) * slices->pitch + x * (int32_t)channels +
			channel;
	stage.from[1] = stage.from[0] + channels;
	stage.from_pitch[0] = stage.from_pitch[1] = slices->pitch;
	stage.from_step = stride * channels;
	if (!channel)
		copy_columns(slices, padding, 0, left - is_half_left);
	if (is_half_left) {
		half = stage;
		half.from[0] = slices->padding - (left - 1) * half.from_step;
		half.from_pitch[0] = 0;
		copy_columns(slices, half, left - 1, left);
	}
	half = stage;
	stage.rows -= is_last;
	copy_columns(slices, stage, left, right);
	if (is_half_right) {
		half.rows = stage.rows;
		half.from[1] = slices->padding - right * half.from_step;
		half.from_pitch[1] = 0;
		copy_columns(slices, half, right, right + 1);
	}
	if (is_last) {
		uint8_t *to = stage.to + stage.rows * stage.pitch;

		for (safe = right; safe > left; safe--) {
			if ((x + 2 * safe - 1) * channels + VECTOR <= slices->pitch)
				break;
		}
		half = stage;
		half.to = to;
		half.rows = 1;
		for (uint32_t k = 0; k < 2; k++)
			half.from[k] += stage.rows * slices->pitch;
		copy_columns(slices, half, left, safe);
		for (; safe < right + is_half_right; safe++)
			copy_last_pair(slices, to, safe);
	}
	if (!channel)
		copy_columns(slices, padding, right + is_half_right, count);
}

/* A slice to the stage. */
static int copy_slice(struct slices *slices, uint32_t channel)
{
	struct depthwise *d = slices->rows.d;
	uint32_t count = columns_of(slices, slices->count_x), row_bytes = slices->rows.five.row_bytes;
	uint32_t column_work = 6 + stride_work((uint64_t)slices->stride * d->channels);
	uint32_t row_work = 60 + count * column_work + memory_work(row_bytes);
	uint32_t most = NN_TILE / 2 / row_work + 1, part;
	struct depthwise_five_stage padding = pad_rows(slices, 0, slices->above);

	if (!channel) {
		uint32_t behind = slices->above + slices->inside;
		int ret = progress_add(&d->progress, (slices->all - slices->inside) * row_work);

		if (ret)
			return ret;
		copy_columns(slices, padding, 0, count);
		padding = pad_rows(slices, behind, slices->all - behind);
		copy_columns(slices, padding, 0, count);
	}
	for (uint32_t row = 0; row < slices->inside; row += part) {
		int ret;

		part = min_u32(slices->inside - row, most);
		ret = progress_add(&d->progress, part * row_work);
		if (ret)
			return ret;
		copy_rows(slices, channel, row, part);
	}
	return 0;
}

/* All slices of a part of the image. */
static int run_part(struct slices *slices)
{
	struct five_rows *rows = &slices->rows;
	uint32_t channels = rows->d->channels, stride = slices->stride, below;
	uint8_t *out = slices->out + (slices->y * slices->out_width + slices->x) * channels;

	slices->in_x = slices->x * stride - rows->d->window.pad_left;
	slices->in_y = slices->y * stride - rows->d->window.pad_top;
	slices->all = (slices->count_y - 1) * stride + 5;
	slices->above = slices->in_y < 0 ? min_u32(-slices->in_y, slices->all) : 0;
	below = slices->height - (slices->in_y < 0 ? 0 : slices->in_y);
	slices->inside = min_u32(slices->all - slices->above, below);
	nn_depthwise_count_rounds(rows, slices->y, slices->count_y);
	for (uint32_t c = 0; c < channels; c += VECTOR) {
		int ret;

		/* The last one overlaps the one before it. */
		rows->first = channels < VECTOR ? 0 : min_u32(c, channels - VECTOR);
		ret = copy_slice(slices, rows->first);
		if (!ret)
			ret = nn_depthwise_run_five_rows(rows, slices->stage, slices->count_y,
							 slices->count_x * slices->least,
							 out + rows->first);
		if (ret)
			return ret;
	}
	return 0;
}

/* Whether the layer is one that this is for. */
static bool is_suitable(const struct depthwise *d)
{
	const struct nn_tensor *input = &d->call->input[0];
	const struct nn_window_params *window = &d->window;

	/* Rows are so long that a vector does not end behind the second last one. */
	return d->sums == FIVE_ROWS && window->stride_h == window->stride_w &&
	       window->dilation_w == 1 && d->repeat == 1 &&
	       d->channels >= (window->stride_h == 2 ? FEW_CHANNELS : VECTOR) &&
	       (uint64_t)input->dims[2] * d->channels >= VECTOR;
}

/* Whether with stride 1 slices are less work than vectors of any pixels. */
static bool slices_are_better(const struct depthwise *d)
{
	const struct nn_tensor *output = &d->call->output[0];
	uint64_t row_bytes = (uint64_t)output->dims[2] * d->channels;
	uint64_t vectors = (row_bytes + VECTOR - 1) / VECTOR, sets = (d->channels + VECTOR - 1) / VECTOR;
	uint32_t rows = min_u32(output->dims[1], FIVE_MOST_ROWS), row_work = 40;
	uint64_t any_sets = period_of(d->channels);

	any_sets = any_sets < vectors ? any_sets : vectors;
	return sets * output->dims[2] * row_work * (rows + 1) + sets * 250 <
	       vectors * row_work * (rows + 2) + any_sets * 250;
}

static __attribute__((noinline)) int run(struct depthwise *d, const uint8_t *image, uint8_t *out,
					 bool *done)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	uint32_t least = min_u32(d->channels, VECTOR), stride = d->window.stride_h;
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
		.least = least,
		.pixel_bytes = least * stride,
	};

	*done = divide_scratch(&slices);
	if (!*done)
		return 0;
	store(slices.padding, splat_b((uint32_t)input->zero_point));
	nn_depthwise_place_columns(&slices.rows, least, stride == 2);
	slices.rows.apart = d->channels < VECTOR ? VECTOR : d->channels;
	for (slices.x = 0; slices.x < slices.out_width; slices.x += slices.count_x) {
		slices.count_x = min_u32(slices.out_width - slices.x, slices.columns);
		for (slices.y = 0; slices.y < slices.out_height; slices.y += slices.count_y) {
			int ret;

			slices.count_y = min_u32(slices.out_height - slices.y, slices.out_rows);
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
	if (!is_suitable(d) || (d->window.stride_h == 1 && !slices_are_better(d)))
		return 0;
	return run(d, image, out, done);
}
