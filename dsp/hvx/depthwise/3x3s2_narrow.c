// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3, stride 2 and few channels, straight from the image:
 * nn_depthwise_run_groups(), which convolve_image() of depthwise_conv2d.c calls.
 *
 * 128 bytes of a row are several pixels, of which every other one is a column of the windows of so
 * many outputs. As many pixels further on, or one less to have an odd number, these are between
 * them: so two loads and a choice make a full vector, for any number of channels. Sums and results
 * are those of 3x3s2.h; results are of pixels 0, n, 1, n + 1, ... of the group, and two delta
 * networks put them into order. With 32 channels:
 *
 *	load			pixels 0 1 2 3
 *	load, 3 pixels on	pixels 3 4 5 6
 *	chosen			pixels 0 4 2 6, the left columns of outputs 0 2 1 3
 *
 * The first and the last group of a row, which may have a column of padding, are made from copies
 * of the row's ends. Where groups overlap, both have all that is in them right. With less than 128
 * bytes to a group what is stored behind it is overwritten by the next one.
 *
 * Or groups are 128 bytes each that follow each other whatever channel they begin with, if then,
 * too, results from between come behind all others: if there is an even number of pixels in each.
 * After as many groups as are a number of pixels, constants and orders are the same again, and
 * groups with that distance are made together. With 24 channels these are three, and rows of 56
 * pixels take 11 groups, not 12 of five pixels.
 *
 * For 128 outputs of 16 or 32 channels that is 16 packets of sums, 11 of results, 4 to put them
 * into order, and for both ends 2 with rows of 56 pixels of 32 channels. With 48 channels two
 * pixels are a group, whose results are in order and whose sums take 13 packets, but fill three
 * quarters of it.
 */
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/depthwise/3x3s2_narrow.h"
#include "dsp/hvx/depthwise/3x3s2.h"
#include "dsp/hvx/depthwise/flat.h"

#define STAGE_PITCH	(3 * VECTOR)	/* bytes of a row's end */
#define LEAST_CHANNELS	8u

/* The state that all groups of an image have in common, and where scratch memory is. */
struct groups {
	struct depthwise *d;
	struct depthwise_pixels *pixels;
	const uint8_t *image;
	uint8_t *out;
	uint32_t each;			/* pixels of a group that begins with one */
	uint32_t bytes;			/* of a group's results; 128: of any pixels */
	uint32_t channel;		/* that groups begin with */
	uint32_t width, height;		/* of the output */
	uint32_t in_pitch, out_pitch;	/* bytes of a row */
	uint8_t *padding, *stage;	/* a row, [rows][STAGE_PITCH] */
	uint8_t *parts;			/* [groups at a time][rows][VECTOR] */
	uint32_t most, most_rows;	/* groups and rows at a time */
	HVX_Vector order[3];		/* see nn_gather_halves() */
};

/* Returns how many pixels, or parts of them, are in 128 bytes from a pixel's channel on. */
static uint32_t pixels_from(const struct groups *groups, uint32_t channel)
{
	uint32_t channels = groups->d->channels;
	uint32_t others = channel + VECTOR - groups->each * channels;

	return groups->each + (others > 0) + (others > channels);
}

/*
 * Settles the order of groups of `count` pixels, of which the first is from groups->channel on:
 * every other pixel of a vector, side by side; those between them behind those. The distance is an
 * odd number of pixels, so that these are where the first ones are not.
 */
static void settle_order(struct groups *groups, uint32_t count)
{
	uint32_t channels = groups->d->channels, first = groups->channel, half = (count + 1) / 2;
	HVX_Vector low = delta_indices(), high, is_low = splat_w(-1);

	high = Q6_Vb_vadd_VbVb(low, splat_b((half - 1) * channels));
	for (uint32_t p = 1; p < count; p++) {
		HVX_Vector behind = Q6_V_vand_QnR(Q6_Q_vsetq_R(p * channels - first), -1);
		HVX_Vector step = Q6_V_vand_VV(behind, splat_b(channels));

		is_low = Q6_V_vxor_VV(is_low, behind);
		if (p % 2)
			low = Q6_Vb_vsub_VbVb(low, step);
		else
			high = Q6_Vb_vsub_VbVb(high, step);
	}
	groups->order[0] = delta_spread(low, is_low);
	groups->order[1] = delta_spread(high, Q6_V_vnot_V(is_low));
	groups->order[2] = Q6_V_vand_QR(Q6_Q_vsetq_R(half * channels - first), -1);
	groups->pixels->is_first = is_low;
	groups->pixels->apart = (2 * half - 1) * channels;
}

/* Puts results from groups->parts where they belong. */
static void order_results(const struct groups *groups, uint8_t *to, uint32_t step, uint32_t bytes)
{
	const struct depthwise_pixels *pixels = groups->pixels;
	uint32_t rows = pixels->rows;
	uint8_t *parts = groups->parts;

	if (bytes < VECTOR) {
		/*
		 * They are put into order in position first. Behind all rows but the last one are
		 * those below.
		 */
		nn_gather_halves(parts, parts, groups->order, VECTOR, rows);
		nn_copy_blend(to, parts, groups->out_pitch, VECTOR, bytes, rows - 1);
		store_bytes(to + (rows - 1) * groups->out_pitch, load(parts + (rows - 1) * VECTOR),
			    bytes);
		return;
	}
	for (uint32_t p = 0; p < pixels->count; p++)
		nn_gather_halves(to + p * step, parts + p * rows * VECTOR, groups->order,
				 groups->out_pitch, rows);
}

/*
 * Does `count` groups, `step` bytes from one to the next, whose rows of input are known, from row y
 * and byte `at` of the output's rows on. If `is_end` nothing may be stored behind them.
 */
static void run_job(const struct groups *groups, uint32_t y, uint32_t at, uint32_t count,
		    uint32_t step, bool is_end)
{
	struct depthwise_pixels *pixels = groups->pixels;
	uint8_t *to = groups->out + y * groups->out_pitch + at;
	bool is_direct = groups->bytes < VECTOR && groups->each == 2 && !is_end;

	pixels->count = count;
	pixels->pixel_step = 2 * step;
	pixels->out = is_direct ? to : groups->parts;
	pixels->pitch = is_direct ? groups->out_pitch : VECTOR;
	pixels->out_step = is_direct ? step : pixels->rows * VECTOR;
	nn_depthwise_run_pixel_job(groups->d, pixels, groups->channel);
	if (!is_direct)
		order_results(groups, to, step, is_end ? groups->bytes : VECTOR);
}

/*
 * Copies 128 bytes of `rows` rows of the image, from byte `at` on. Bytes beside a row are padding.
 */
static void stage_bytes(const struct groups *groups, uint8_t *to, const uint8_t *from, int32_t at,
			uint32_t rows)
{
	int32_t pitch = groups->in_pitch;
	HVX_Vector padding = load(groups->padding);

	if (at >= 0 && at + VECTOR <= pitch) {
		nn_copy_steps(to, from + at, STAGE_PITCH, pitch, rows);
		return;
	}
	for (; rows; rows--, to += STAGE_PITCH, from += pitch) {
		HVX_Vector bytes = padding;

		if (at < 0)
			bytes = Q6_V_vlalign_VVR(load(from), padding, -at);
		else if (at < pitch)
			bytes = Q6_V_valign_VVR(padding, load(from + pitch - VECTOR),
						at + VECTOR - pitch);
		store(to, bytes);
	}
}

/*
 * Returns where the first column of the group at byte `at` of the output's rows is in the input's.
 */
static int32_t column_of(const struct groups *groups, uint32_t at)
{
	const struct depthwise *d = groups->d;

	return 2 * (at - groups->channel) + groups->channel - d->window.pad_left * d->channels;
}

/* Does `rows` rows of groups that lie in the image, with all that is loaded for them. */
static void run_inside(const struct groups *groups, uint32_t y, uint32_t rows, uint32_t at,
		       uint32_t count, uint32_t step)
{
	struct depthwise_pixels *pixels = groups->pixels;
	const struct depthwise *d = groups->d;
	const uint8_t *from = place_rows(pixels, d, groups->image, groups->padding, y, rows);

	place_columns(pixels, from + column_of(groups, at), d->channels);
	run_job(groups, y, at, count, step, false);
}

/* The same for the first group, or the last, where these do not: from copies of what they need. */
static void run_end(const struct groups *groups, uint32_t y, uint32_t rows, bool is_right)
{
	const struct depthwise *d = groups->d;
	uint32_t at = is_right ? groups->out_pitch - groups->bytes : 0, channels = d->channels;
	uint32_t above = y == 0 ? d->window.pad_top : 0, in_rows = 2 * rows + 1 - above;
	uint32_t first = 2 * y + above - d->window.pad_top, in_height = d->call->input[0].dims[1];
	uint32_t below = first + in_rows > in_height ? 1 : 0;
	int32_t column = column_of(groups, at);
	uint8_t *stage = groups->stage + above * STAGE_PITCH;

	for (uint32_t i = 0; i < STAGE_PITCH; i += VECTOR) {
		store(groups->stage + i, load(groups->padding));
		stage_bytes(groups, stage + i, groups->image + first * groups->in_pitch, column + i,
			    in_rows - below);
		if (below)
			store(groups->stage + 2 * rows * STAGE_PITCH + i, load(groups->padding));
	}
	groups->pixels->rows = rows;
	groups->pixels->first_step = groups->pixels->row_step = STAGE_PITCH;
	groups->pixels->last_step = STAGE_PITCH;
	place_columns(groups->pixels, groups->stage, channels);
	run_job(groups, y, at, 1, VECTOR, is_right && groups->bytes < VECTOR);
}

/*
 * Does `count` groups that lie in the image, `step` bytes from one to the next, as many at a time
 * as have room.
 */
static int run_many(const struct groups *groups, uint32_t y, uint32_t rows, uint32_t at,
		    uint32_t count, uint32_t step)
{
	uint32_t work = 100 + rows * (50 + flat_work(groups->d)), part;

	for (; count; count -= part, at += part * step) {
		int ret;

		part = min_u32(count, groups->most);
		ret = progress_add(&groups->d->progress, part * work + 3 * rows * NN_PAGE_WORK);
		if (ret)
			return ret;
		run_inside(groups, y, rows, at, part, step);
	}
	return 0;
}

/* Whether a row's last window has a column of padding. */
static bool is_right_padded(const struct groups *groups)
{
	const struct depthwise *d = groups->d;

	return 2 * groups->width - d->window.pad_left == d->call->input[0].dims[2];
}

/* Does `rows` rows from y on, in groups of some pixels each. */
static int run_whole_pixels(const struct groups *groups, uint32_t y, uint32_t rows)
{
	uint32_t each = groups->each, channels = groups->d->channels;
	/* Loads of full vectors end with the last column. */
	uint32_t right = is_right_padded(groups) || groups->bytes < VECTOR ? 1 : 0;
	/*
	 * Groups inside lie beside the first one, side by side, the last one before that at the
	 * row's end.
	 */
	uint32_t inside = (groups->width - (right + 1) * each + each - 1) / each;
	uint32_t x = groups->width - (inside + right) * each;
	int ret;

	if (groups->d->window.pad_left)
		run_end(groups, y, rows, false);
	else
		run_inside(groups, y, rows, 0, 1, VECTOR);
	ret = run_many(groups, y, rows, x * channels, inside, groups->bytes);
	if (!ret && right)
		run_end(groups, y, rows, true);
	return ret;
}

/* The same in groups of any pixels: for each channel that they begin with, as many as there are. */
static int run_any_pixels(struct groups *groups, uint32_t y, uint32_t rows)
{
	struct depthwise *d = groups->d;
	uint32_t channels = d->channels, period = period_of(channels);
	bool right = is_right_padded(groups);
	/* Groups inside end here, the last of them by itself. */
	uint32_t end = groups->out_pitch - (right ? channels : 0);

	groups->channel = 0;
	for (uint32_t i = 0; i < period; i++) {
		uint32_t first = i || !d->window.pad_left ? i : period, at = first * VECTOR;
		uint32_t count = at + VECTOR > end ? 0 : (end / VECTOR - first - 1) / period + 1;
		int ret;

		nn_depthwise_list_pixels(groups->pixels, d, groups->channel);
		settle_order(groups, pixels_from(groups, groups->channel));
		if (first != i)
			run_end(groups, y, rows, false);
		ret = run_many(groups, y, rows, at, count, period * VECTOR);
		if (ret)
			return ret;
		groups->channel += VECTOR;
		while (groups->channel >= channels)
			groups->channel -= channels;
		if (groups->channel)
			continue;
		/* This time they begin where those that end with a pixel do. */
		groups->channel = (channels - VECTOR % channels) % channels;
		if (end % VECTOR)
			run_inside(groups, y, rows, end - VECTOR, 1, VECTOR);
		if (right)
			run_end(groups, y, rows, true);
	}
	return 0;
}

/* Does `rows` rows from y on. */
static int run_rows(struct groups *groups, uint32_t y, uint32_t rows)
{
	int ret = progress_add(&groups->d->progress,
			       6000 + rows * (250 + 3 * flat_work(groups->d) + 4 * NN_PAGE_WORK));

	if (ret)
		return ret;
	return groups->bytes == VECTOR && VECTOR % groups->d->channels
		       ? run_any_pixels(groups, y, rows)
		       : run_whole_pixels(groups, y, rows);
}

/*
 * Whether groups of any pixels can be made, and are less work than those of some: each channel that
 * they begin with has constants and an order.
 */
static bool should_be_any(const struct groups *groups)
{
	uint32_t channels = groups->d->channels, period = period_of(channels);
	uint32_t bytes = groups->each * channels, row = groups->out_pitch;
	uint32_t fewer, channel = 0;

	if (bytes == VECTOR || row < STAGE_PITCH)
		return false;
	fewer = (row + bytes - 1) / bytes - (row + VECTOR - 1) / VECTOR;
	if (fewer * min_u32(groups->height, PIXELS_MOST_ROWS) * 30 < period * 400)
		return false;
	for (uint32_t i = 0; i < period; i++) {
		uint32_t pixels = pixels_from(groups, channel);

		/* All that is loaded for them has room among what is copied of a row's end. */
		if (pixels % 2 || (pixels + 1) * channels + VECTOR > STAGE_PITCH)
			return false;
		channel += VECTOR;
		while (channel >= channels)
			channel -= channels;
	}
	return true;
}

/* Divides scratch memory. False if there is no room for a group. */
static bool divide_scratch(struct groups *groups)
{
	struct depthwise *d = groups->d;
	uint32_t rows = pixel_rows(d), padding_bytes, left, before;
	uint32_t flat = d->flat_times ? rows * 4 : 0;	/* vectors of a group's flat sums */
	/*
	 * The count includes two rows of sums that are read, but mean nothing, and a vector behind
	 * all parts.
	 */
	uint32_t group_bytes = (1 + rows * 5 + flat) * VECTOR, more = 2 * 4 * VECTOR;

	padding_bytes = round_up(groups->in_pitch + VECTOR, VECTOR);
	groups->pixels = (struct depthwise_pixels *)d->rows;
	groups->padding = (uint8_t *)(groups->pixels + 1);
	groups->stage = groups->padding + padding_bytes;
	left = d->call->scratch + d->call->scratch_size - d->rows;
	before = sizeof(*groups->pixels) + padding_bytes + (2 * rows + 1) * STAGE_PITCH + more +
		 VECTOR;
	if (left < before + group_bytes)
		return false;
	groups->most = min_u32((left - before) / group_bytes,
			       NN_TILE / 2 / (100 + rows * (50 + flat_work(d))));
	groups->most_rows = rows;
	groups->pixels->ties = (HVX_Vector *)(groups->stage + (2 * rows + 1) * STAGE_PITCH);
	d->flat_sums = groups->pixels->ties + groups->most;
	groups->pixels->sums = d->flat_sums + groups->most * flat;
	groups->parts = (uint8_t *)(groups->pixels->sums + groups->most * rows * 4) + more;
	for (uint32_t i = 0; i < padding_bytes; i += VECTOR)
		store(groups->padding + i, splat_b((uint32_t)d->call->input[0].zero_point));
	return true;
}

static __attribute__((noinline)) int run_groups(struct depthwise *d, const uint8_t *image,
						uint8_t *out, bool *done)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	struct groups groups = {
		.d = d,
		.image = image,
		.out = out,
		.each = VECTOR / d->channels,
		.width = output->dims[2],
		.height = output->dims[1],
		.in_pitch = input->dims[2] * d->channels,
		.out_pitch = output->dims[2] * d->channels,
	};
	uint32_t count;

	/* Rows have the bytes that their ends' copies take, and more than a vector of results. */
	if (groups.in_pitch < STAGE_PITCH || groups.out_pitch <= VECTOR ||
	    groups.in_pitch >= d->call->scratch_size / 2)
		return 0;
	*done = divide_scratch(&groups);
	if (!*done)
		return 0;
	nn_depthwise_settle_pixels(groups.pixels, d);
	groups.bytes = should_be_any(&groups) ? VECTOR : groups.each * d->channels;
	nn_depthwise_list_pixels(groups.pixels, d, 0);
	settle_order(&groups, groups.each);
	for (uint32_t y = 0; y < groups.height; y += count) {
		int ret;

		count = min_u32(groups.height - y, groups.most_rows);
		ret = run_rows(&groups, y, count);
		if (ret)
			return ret;
	}
	return 0;
}

int nn_depthwise_run_groups(struct depthwise *d, const uint8_t *image, uint8_t *out, bool *done)
{
	*done = false;
	if (d->channels < LEAST_CHANNELS || d->channels >= VECTOR / 2 || !nn_depthwise_is_halved(d))
		return 0;
	return run_groups(d, image, out, done);
}
