// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3, stride 1 and an output as wide as the input, straight from
 * the image: which positions there are (see 3x3s1.h), and their rounding fixups. Where there is no
 * padding above or below, as in a share of the rows, the sums there are made all the same and left
 * out.
 *
 * A row is as many vectors as its bytes fill, whatever pixels and channels these are of. At its
 * ends, where a column is padding, vectors are of one pixel each if they have that many channels;
 * with fewer, the two vectors there are from copies of the row's ends with their padding. Where two
 * vectors overlap, both have all that is in them right.
 *
 *	128 channels or more	[pixel 0][ vectors of any pixels ...    ][last pixel]
 *	fewer			[128 B *][ vectors of any pixels ... ][128 B *]	*: from the copy
 */
#include "dsp/hvx/depthwise/exact_scales.h"
#include "dsp/hvx/depthwise/3x3s1.h"
#include "dsp/hvx/depthwise/rounding_fixup.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/depthwise/flat.h"
#include "dsp/hvx/depthwise/limit.h"

#define MOST_ROWS	256u
#define STAGE_PITCH	(3 * VECTOR)	/* bytes of a row's end */
#define MOST_POSITIONS	64u

/* The state that all positions of an image have in common, and where scratch memory is. */
struct positions {
	struct depthwise *d;
	struct depthwise_image job;
	uint8_t *padding, *stage;	/* stage: [rows][STAGE_PITCH] */
	uint32_t most;			/* at a time */
	uint32_t width, row_bytes;	/* of the image */
	uint32_t row_work;		/* of a position; where all results are ties 100 more */
	struct finish finish;
	const uint8_t *next, *then;	/* columns needed after a call, and after all; NULL: none */
};

/* The arguments of the functions that make results again. */
struct results {
	const struct depthwise *d;
	const struct depthwise_image *job;
	const struct finish *finish;
};

static void finish_exactly(const void *opaque, uint32_t position, uint32_t y)
{
	const struct results *results = opaque;
	const struct depthwise *d = results->d;
	const struct depthwise_image *job = results->job;
	uint32_t row_bytes = 3 * VECTOR + job->sum_step;
	const uint8_t *at = (const uint8_t *)job->scaled + y * row_bytes +
			    position * (row_bytes + job->next_sums);
	const HVX_Vector *sums = (const HVX_Vector *)at;
	HVX_Vector half[4];

	/* The four are computed side by side, as each is one long chain. */
#pragma unroll
	for (uint32_t j = 0; j < 4; j++) {
		uint32_t lane = job->weights[j] - d->weights;
		struct requant requant = requant_lanes(d->scales, lane);

		half[j] = requant_exact(Q6_Vw_vadd_VwVw(sums[j], load(d->bias + lane)), &requant);
	}
	store(job->out + position * job->out_step + y * job->pitch,
	      finish_8bit(Q6_Vh_vpack_VwVw_sat(half[1], half[0]),
			  Q6_Vh_vpack_VwVw_sat(half[3], half[2]), results->finish));
}

/* The same where positions overlap, and the next one is done. */
static void finish_beside(const void *opaque, uint32_t position, uint32_t y)
{
	const struct depthwise_image *job = ((const struct results *)opaque)->job;
	uint8_t *to = job->out + position * job->out_step + y * job->pitch;
	HVX_Vector next = load(to);

	finish_exactly(opaque, position, y);
	store(to, Q6_V_vmux_QVV(first_bytes(job->out_step), load(to), next));
}

static __attribute__((noinline)) void finish_exact_positions(const struct depthwise *d,
							  const struct depthwise_image *job)
{
	struct depthwise_exact exact = {
		.sums = (const HVX_Vector *)job->scaled,
		.sum_step = job->sum_step,
		.next_sums = job->next_sums,
		.count = job->count,
		.out = job->out,
		.out_step = job->out_step,
		.pitch = job->pitch,
		.rows = job->rows,
		.min = job->min,
		.max = job->max,
		.zero_point = d->call->output[0].zero_point,
	};

	for (uint32_t j = 0; j < 4; j++) {
		uint32_t lane = job->weights[j] - d->weights;

		exact.scale[j] = load(scale_row(d->scales, NN_SCALE_EXACT, lane));
		exact.bias[j] = load(d->bias + lane);
	}
	nn_depthwise_scale_exact(&exact, d->call->output[0].type == NN_TYPE_INT8, false);
}

static __attribute__((noinline)) void limit_positions(const struct depthwise *d,
						   const struct depthwise_image *job)
{
	uint32_t step = (3 * VECTOR + job->sum_step) / VECTOR;
	HVX_Vector *sums = (HVX_Vector *)job->scaled;
	struct depthwise_limit limit;

	for (uint32_t j = 0; j < 4; j++) {
		uint32_t lane = job->weights[j] - d->weights;

		limit.bias[j] = load(d->bias + lane);
		limit.greatest[j] = load(scale_row(d->scales, NN_SCALE_GREATEST, lane));
	}
	for (uint32_t i = 0; i < job->count; i++, sums += step + job->next_sums / VECTOR)
		nn_depthwise_limit_sums(&limit, sums, job->rows, job->sum_step);
}

void nn_depthwise_finish_positions(const struct depthwise *d, const struct depthwise_image *job,
				const struct finish *finish)
{
	const struct results results = { d, job, finish };

	if (__builtin_expect(d->is_limited, 0))
		limit_positions(d, job);
	if (d->is_exact) {
		finish_exact_positions(d, job);
		return;
	}
	if (finish->is_signed)
		nn_depthwise_scale_image_s8(job);
	else
		nn_depthwise_scale_image_u8(job);
	nn_depthwise_finish_ties(job->ties, job->count, job->rows,
				 job->out_step && job->out_step < VECTOR ? finish_beside :
									     finish_exactly,
				 &results);
}

static inline __attribute__((always_inline)) void sum_positions(const struct depthwise *d,
							     const struct depthwise_image *job)
{
	if (d->is_signed)
		nn_depthwise_sum_image_s8(job);
	else
		nn_depthwise_sum_image_u8(job);
}

/* Adds the sums of flat weights. */
static __attribute__((noinline)) void add_flat(const struct depthwise *d,
					       const struct depthwise_image *job)
{
	struct depthwise_image flat = *job;

	for (uint32_t j = 0; j < 4; j++)
		flat.weights[j] = d->flat_lanes;
	flat.period_bytes = VECTOR;
	flat.sums = (int32_t *)d->flat_sums;
	flat.box = 0;
	sum_positions(d, &flat);
	nn_depthwise_add_flat(d, (HVX_Vector *)job->sums,
			      IMAGE_SUMS_BEFORE + job->count * (4 * job->in_rows + 1));
}

/*
 * Does `count` positions from the one with its center at `center` and its first channel `channel`
 * on. The first or the last of them may have padding beside it. While results are made, the column
 * is asked for that is needed next.
 */
static __attribute__((noinline)) int run_positions(struct positions *positions, uint32_t channel,
						const uint8_t *center, uint8_t *out, uint32_t count,
						uint32_t step, bool is_left, bool is_right)
{
	struct depthwise_image *job = &positions->job;
	struct depthwise *d = positions->d;
	uint32_t rows = job->in_rows;

	for (uint32_t j = 0; j < 4; j++) {
		job->weights[j] = d->weights + channel;
		channel += d->next;
		channel = min_u32(channel, channel - d->channels);
	}
	job->step = job->out_step = step;
	while (count) {
		uint32_t part = min_u32(count, positions->most), work;
		int ret;

		for (;; part /= 2) {
			work = 800 +
			       part * (100 + rows * (positions->row_work + 2 * stride_work(step))) +
			       2 * rows * NN_PAGE_WORK;
			if (work <= NN_TILE || part == 1)
				break;
		}
		ret = progress_add(&d->progress, work);
		if (ret)
			return ret;
		job->count = part;
		job->center = center;
		job->out = out;
		job->is_left = is_left;
		job->is_right = is_right && part == count;
		job->until = center + (part - job->is_right) * step;
		sum_positions(d, job);
		if (__builtin_expect(d->flat_times, 0))
			add_flat(d, job);
		is_left = false;
		count -= part;
		center += part * step;
		if (count > is_right)
			fetch_column(center + d->channels, job->box);
		else if (positions->next)
			fetch_column(positions->next, job->box);
		nn_depthwise_finish_positions(d, job, &positions->finish);
		out += part * step;
	}
	return 0;
}

/* Does bytes `first` to `end` of all rows, none of which has padding beside it. */
static int run_inside(struct positions *positions, const uint8_t *image, uint8_t *out,
		      uint32_t first, uint32_t end)
{
	uint32_t channels = positions->d->channels, vectors = (end - first) / VECTOR;
	uint32_t period = period_of(channels), each = vectors / period, more = vectors % period;
	uint32_t channel = first % channels, kinds = min_u32(period, vectors);

	/* Positions with the same channels are done together. */
	for (uint32_t i = 0; i < kinds; i++) {
		uint32_t at = first + i * VECTOR;
		int ret;

		positions->next = i + 1 < kinds ? image + at + VECTOR + channels : positions->then;
		ret = run_positions(positions, channel, image + at, out + at, each + (i < more),
				 period * VECTOR, false, false);
		if (ret)
			return ret;
		channel = (channel + VECTOR) % channels;
	}
	if (first + vectors * VECTOR == end)
		return 0;
	end -= VECTOR;
	return run_positions(positions, end % channels, image + end, out + end, 1, 0, false, false);
}

/*
 * Does pixels from the first of each row to the last, `step` bytes from one to the next, with a
 * vector of their own.
 */
static int run_pixels(struct positions *positions, const uint8_t *image, uint8_t *out,
		      uint32_t count, uint32_t step)
{
	uint32_t channels = positions->d->channels;

	for (uint32_t c = 0; c < channels; c += VECTOR) {
		uint32_t at = min_u32(c, channels - VECTOR);
		int ret;

		positions->next = channels - c > VECTOR ? image + c + VECTOR : positions->then;
		ret = run_positions(positions, at, image + at, out + at, count, step, true, true);
		if (ret)
			return ret;
	}
	return 0;
}

/* Does the first 128 bytes of all rows, or the last, from a copy with padding. */
static int run_end(struct positions *positions, const uint8_t *image, uint8_t *out, bool is_right)
{
	struct depthwise_image *job = &positions->job;
	struct depthwise *d = positions->d;
	uint32_t row_bytes = positions->row_bytes, channels = d->channels;
	uint32_t at = is_right ? row_bytes - VECTOR : 0, channel = at % channels;
	HVX_Vector padding = load(positions->padding), *to = (HVX_Vector *)positions->stage;
	int ret = progress_add(&d->progress, job->in_rows * (20 + NN_PAGE_WORK));

	if (ret)
		return ret;
	for (uint32_t y = 0; y < job->in_rows;
	     y++, image += row_bytes, to += STAGE_PITCH / VECTOR) {
		if (is_right) {
			to[0] = load(image + at - channels);
			to[1] = Q6_V_valign_VVR(padding, load(image + at), VECTOR - channels);
			to[2] = padding;
		} else {
			to[0] = Q6_V_vlalign_VVR(load(image), padding, channels);
			to[1] = load(image + VECTOR - channels);
			to[2] = load(image + 2 * VECTOR - channels);
		}
	}
	job->row_step = STAGE_PITCH;
	ret = run_positions(positions, channel, positions->stage + channels, out + at, 1, 0, false,
			    false);
	job->row_step = row_bytes;
	return ret;
}

/* Whether vectors that end with their pixel are less work than vectors of any pixels. */
static bool pixels_are_better(const struct positions *positions)
{
	uint32_t channels = positions->d->channels, vectors = (channels + VECTOR - 1) / VECTOR;
	uint32_t position_work = 19 * positions->job.in_rows + 4, call_work = 150;
	uint32_t inside = (positions->row_bytes + VECTOR - 1) / VECTOR;

	return positions->width <= 2 ||
	       (vectors * positions->width - inside) * position_work <=
		       min_u32(inside, period_of(channels)) * call_work;
}

/* The number of rows of the input that all rows of the output need. */
static uint32_t rows_needed(const struct depthwise *d)
{
	return min_u32(d->call->output[0].dims[1] + 2 - d->window.pad_top,
		       d->call->input[0].dims[1]);
}

static bool is_suitable(const struct depthwise *d)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	const struct nn_window_params *window = &d->window;
	uint64_t row_bytes = (uint64_t)input->dims[2] * d->channels;

	return d->sums == ROWS && window->kernel_w == 3 && window->stride_w == 1 &&
	       window->dilation_h == 1 && window->dilation_w == 1 && d->repeat == 1 &&
	       window->pad_top <= 1 && window->pad_left == 1 && input->dims[2] == output->dims[2] &&
	       output->dims[1] <= MOST_ROWS && input->dims[1] >= 2 &&
	       input->dims[1] + window->pad_top > output->dims[1] && row_bytes < 1u << 24 &&
	       (d->channels >= VECTOR ||
		(row_bytes >= 2 * VECTOR && row_bytes + d->channels >= STAGE_PITCH));
}

/* Divides scratch memory. False if there is no room for a position. */
static bool divide_positions(struct positions *positions)
{
	struct depthwise *d = positions->d;
	struct depthwise_image *job = &positions->job;
	uint8_t *end = d->call->scratch + d->call->scratch_size;
	uint32_t position_bytes = (job->in_rows * 4 + 1) * VECTOR, before, left;
	uint32_t scaled = IMAGE_SUMS_BEFORE + 4 * (1 - d->window.pad_top);	/* vectors */
	uint32_t kinds = d->flat_times ? 2 : 1;	/* of sums */

	positions->padding = d->rows;
	positions->stage = positions->padding + VECTOR;
	job->ties = (HVX_Vector *)(positions->stage +
				   (d->channels < VECTOR ? job->in_rows * STAGE_PITCH : 0));
	job->sums = (int32_t *)(job->ties + MOST_POSITIONS);
	job->scaled = job->sums + scaled * VECTOR / 4;
	/* A row more is read, as that of one more position, but means nothing. */
	before = (uint8_t *)job->sums - d->rows + kinds * (scaled + 4) * VECTOR;
	left = end - d->rows;
	if (left < before + kinds * position_bytes)
		return false;
	positions->most = min_u32((left - before) / (kinds * position_bytes), MOST_POSITIONS);
	d->flat_sums = (HVX_Vector *)job->sums + (scaled + 4) +
		       positions->most * position_bytes / VECTOR;
	job->padding = positions->padding;
	return true;
}

/* Does one image. `then`: a column that is needed when all is done. */
static __attribute__((noinline)) int run_image(struct positions *positions, const uint8_t *image,
					       uint8_t *out, const uint8_t *then)
{
	uint32_t channels = positions->d->channels, row_bytes = positions->row_bytes;
	int ret;

	positions->then = then;
	if (channels < VECTOR) {
		positions->next = image + VECTOR + channels;
		ret = run_end(positions, image, out, false);
		ret = ret ? ret : run_end(positions, image, out, true);
		return ret ? ret : run_inside(positions, image, out, VECTOR, row_bytes - VECTOR);
	}
	if (pixels_are_better(positions))
		return run_pixels(positions, image, out, positions->width, channels);
	positions->then = image + 2 * channels;
	ret = run_pixels(positions, image, out, 2, row_bytes - channels);
	positions->then = then;
	return ret ? ret : run_inside(positions, image, out, channels, row_bytes - channels);
}

static __attribute__((noinline)) int run_images(struct depthwise *d, bool *done)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	uint32_t width = output->dims[2], channels = d->channels, row_bytes = width * channels;
	uint32_t in_rows = rows_needed(d);
	struct positions positions = {
		.d = d,
		.width = width,
		.row_bytes = row_bytes,
		.row_work = 130 + flat_work(d),
		.job = {
			.period_bytes = d->period * 4,
			.channels = channels,
			.row_step = row_bytes,
			.in_rows = in_rows,
			.rows = output->dims[1],
			.bias_bytes = d->bias_bytes,
			.scales_bytes = d->scales_bytes,
			.pitch = row_bytes,
			.offset = ((uint32_t)output->zero_point << 16) + 0x8001,
			.min = four_bytes(d->call->op->out_min),
			.max = four_bytes(d->call->op->out_max),
			.limit = 3 << 16,
			.next_sums = ((in_rows - 1) * 4 + 1) * VECTOR,
			.sum_step = VECTOR,
			.box = fetch_column_box(row_bytes, VECTOR, in_rows),
		},
	};

	*done = divide_positions(&positions);
	if (!*done)
		return 0;
	positions.finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				  d->call->op->out_min, d->call->op->out_max);
	store(positions.padding, splat_b((uint32_t)input->zero_point));
	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;
		int ret = run_image(&positions, image, output->data + n * output->row_bytes,
				    n + 1 < output->dims[0] ? image + input->row_bytes : NULL);

		if (ret)
			return ret;
	}
	return 0;
}

int nn_depthwise_run_images(struct depthwise *d, bool *done)
{
	*done = false;
	return is_suitable(d) ? run_images(d, done) : 0;
}
