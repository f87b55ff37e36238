// SPDX-License-Identifier: MIT
/*
 * RESIZE_LINEAR scales images, each result a blend of four pixels. nn_resize_linear_hvx() is its
 * vector kernel, in the table of kernels.c. resize_linear.h says how it divides a call.
 *
 * Blending between columns comes first, so that rows of the output that lie between the same rows
 * of the image share it; then a result is two elements that are side by side in every row. A row
 * whose neighbours and weights are those of the row before it, as all are where the image has only
 * one row, is a copy of that.
 *
 * XNNPACK's whole numbers are computed as they are, in 32 bits, or in 16 if their lowest bits are 0
 * in all weights. So are float32's where all weights are such numbers and both scales are the same;
 * where others, results have 16 bits of fraction. Seven of their roundings are of 24 bits, so that
 * a result differs by less than 7 / 2^24 of the largest element from what is defined; one that is
 * as near to a half is made again (resize_linear_ties.c).
 *
 * Weights that are none, below 0 or not 1 together, are left to the portable kernel.
 */
#include "dsp/hvx/move/resize_linear.h"
#include "dsp/hvx/common/kernels.h"

#define ROW_WORK	200u
#define TAKE_WORK	64u	/* a vector's neighbours, blended */
#define MAKE_WORK	48u
#define WEIGHTS		4096u	/* that are looked at between two reports */
#define WEIGHT_WORK	24u
#define SAMPLE		32u	/* columns that are taken for all */
#define FINE		26	/* bits of columns' weights that are float32 */
#define MOST_BITS	8	/* of both directions' weights together, in 16 bits */

enum { IMAGES, ROWS, COLUMNS, ROW_WEIGHTS, COLUMN_WEIGHTS };

static uint32_t count_of(const struct resize_job *job, bool is_row)
{
	return job->call->output[0].dims[is_row ? 1 : 2];
}

/* Returns a weight as a whole number, of which 1 is 2^bits. */
static int32_t whole_of(float weight, uint32_t bits)
{
	return (int32_t)(weight * (float)(1 << bits));
}

struct resize_position resize_position_of(const struct resize_job *job, bool is_row, uint32_t i)
{
	const struct nn_call *call = job->call;
	uint32_t size = call->input[IMAGES].dims[is_row ? 1 : 2];
	const int32_t *numbers = (const int32_t *)call->input[is_row ? ROWS : COLUMNS].data;
	const uint8_t *weights = call->input[is_row ? ROW_WEIGHTS : COLUMN_WEIGHTS].data;
	uint32_t bits = is_row ? job->row_bits : job->column_bits;
	struct resize_position at;

	at.near = clamp_int(numbers[i], 0, size - 1);
	at.far = at.near + (at.near + 1 < size);
	at.near_weight = at.far_weight = 0;
	if (job->way == RESIZE_NEAREST)
		return at;
	if (!job->in_float) {
		int32_t far = clamp_int(((const int32_t *)weights)[i], 0, 1 << RESIZE_FRACTION);

		if (job->way == RESIZE_COARSE)
			far = far << bits >> RESIZE_FRACTION;
		at.far_weight = far;
		at.near_weight = (1 << (job->way == RESIZE_COARSE ? bits : RESIZE_FRACTION)) - far;
	} else if (job->way == RESIZE_COARSE) {
		at.near_weight = whole_of(((const float *)weights)[2 * i], bits);
		at.far_weight = whole_of(((const float *)weights)[2 * i + 1], bits);
	} else {
		float far = ((const float *)weights)[2 * i + 1];

		at.far_weight = is_row ? far < 1 ? (int32_t)(far * 0x1p31f) : INT32_MAX :
					 whole_of(far, FINE);
	}
	return at;
}

/* The weights of a direction, as far as they have been looked at. */
struct seen_weights {
	bool are_usable;	/* none below 0, and 1 together */
	bool are_whole;		/* with MOST_BITS bits, */
	uint32_t bits;		/* of which these are set in any, and that of 1 */
};

static void look_at_floats(const float *weights, uint32_t begin, uint32_t end,
			   struct seen_weights *seen)
{
	for (uint32_t i = begin; i < end; i++) {
		float near = weights[2 * i], far = weights[2 * i + 1];
		int32_t number;

		if (!(near >= 0 && far >= 0 && near + far == 1)) {
			seen->are_usable = false;
			return;
		}
		number = whole_of(far, MOST_BITS);
		seen->are_whole &= (float)number == far * (1 << MOST_BITS) && near == 1 - far;
		seen->bits |= number;
	}
}

static void look_at_numbers(const int32_t *weights, uint32_t begin, uint32_t end,
			    struct seen_weights *seen)
{
	for (uint32_t i = begin; i < end; i++) {
		int32_t far = clamp_int(weights[i], 0, 1 << RESIZE_FRACTION);

		seen->are_whole &= far % (1 << (RESIZE_FRACTION - MOST_BITS)) == 0;
		seen->bits |= far >> (RESIZE_FRACTION - MOST_BITS);
	}
}

/*
 * Finds with how many bits all weights of a direction are whole numbers, more than MOST_BITS if
 * they are none; and clears `usable` if there are some for the portable kernel.
 */
static int find_bits(const struct resize_job *job, struct progress *progress, bool is_row,
		     uint32_t *bits, bool *usable)
{
	const uint8_t *data = job->call->input[is_row ? ROW_WEIGHTS : COLUMN_WEIGHTS].data;
	struct seen_weights seen = { true, true, 1 << MOST_BITS };
	uint32_t count = count_of(job, is_row);

	for (uint32_t i = 0, end; i < count && seen.are_usable; i = end) {
		int ret;

		end = i + min_u32(count - i, WEIGHTS);
		ret = progress_add(progress, (end - i) * WEIGHT_WORK);
		if (ret)
			return ret;
		if (job->in_float)
			look_at_floats((const float *)data, i, end, &seen);
		else
			look_at_numbers((const int32_t *)data, i, end, &seen);
	}
	*usable &= seen.are_usable;
	*bits = seen.are_whole ? MOST_BITS - __builtin_ctz(seen.bits) : MOST_BITS + 1;
	return 0;
}

/* Settles what 16 bits of fraction need between scales whose quotient, at most 16, is `factor`. */
static void settle_factor(struct resize_job *job, float factor)
{
	job->is_rescaled = factor != 1;
	job->factor = (int32_t)(factor * 0x1p26f);
	/*
	 * In 2^-16: 7 * 2^-24 * 255 of float32, 3 of the blended rows, 3 of weights; times the
	 * factor, if that is above 1. The factor itself rounds twice.
	 */
	job->margin = (factor > 1 ? (uint32_t)(14 * factor) : 14) + 3;
}

/* Tells whether most of the first columns have weights that are odd, so that few are ties. */
static bool are_mostly_odd(const struct resize_job *job)
{
	uint32_t count = min_u32(count_of(job, false), SAMPLE), odd = 0;

	for (uint32_t i = 0; i < count; i++)
		odd += resize_position_of(job, false, i).far_weight & 1;
	return odd >= count - count / 8;
}

/* Finds the way; clears `usable` if this is for the portable kernel. */
static int settle_way(struct resize_job *job, struct progress *progress, bool *usable)
{
	const struct nn_resize_linear_params *params = &job->call->op->resize_linear;
	uint32_t columns = 0, rows = 0;
	int ret = find_bits(job, progress, false, &columns, usable);

	if (!ret)
		ret = find_bits(job, progress, true, &rows, usable);
	if (ret || !*usable)
		return ret;
	job->way = job->in_float ? RESIZE_FLOAT : RESIZE_FIXED;
	if (job->in_float) {
		settle_factor(job, params->scale_input / params->scale_output);
		job->inverse = 1 / params->scale_output;
	}
	/* Weights of columns are below 2^8, those of rows below 2^7. */
	columns = columns < 2 ? 2 : columns;
	if (columns < MOST_BITS && rows + columns <= MOST_BITS &&
	    (!job->in_float || params->scale_input == params->scale_output)) {
		job->way = RESIZE_COARSE;
		job->column_bits = columns;
		job->row_bits = MOST_BITS - columns;
		job->are_odd = job->in_float && are_mostly_odd(job);
	}
	return 0;
}

static int settle_job(struct resize_job *job, struct progress *progress,
		      const struct nn_call *call, bool *usable)
{
	const struct nn_tensor *images = &call->input[IMAGES], *output = &call->output[0];
	int32_t delta;

	*job = (struct resize_job){
		.call = call,
		.in_float = call->input[ROW_WEIGHTS].type == NN_TYPE_FLOAT32,
		.channels = images->dims[3],
		.flip_in = flip_of(images),
		.flip_out = flip_of(output),
	};
	job->min = call->op->out_min + job->flip_out;
	job->max = call->op->out_max + job->flip_out;
	job->zero_in = images->zero_point + job->flip_in;
	job->zero_out = output->zero_point + job->flip_out;
	delta = job->in_float ? job->zero_out - job->zero_in : 0;
	job->up = delta > 0 ? delta : 0;
	job->down = delta < 0 ? -delta : 0;
	return settle_way(job, progress, usable);
}

static void settle_strip(struct resize_strip *strip, const struct resize_job *job)
{
	struct resize_layout *layout = &strip->layout;
	uint32_t weights = job->way == RESIZE_FLOAT ? 4 : 2;
	uint32_t slot = 2 + (job->way == RESIZE_COARSE ? 2 : 4);
	uint32_t tables = job->tables ? round_up(sizeof(*job->tables), VECTOR) : 0;

	*strip = (struct resize_strip){ .job = job };
	layout->slot[0] = weights * VECTOR;
	layout->slot[1] = (weights + slot) * VECTOR;
	layout->near = (weights + 2 * slot) * VECTOR;
	layout->piece = layout->near + VECTOR;
	layout->bytes = layout->near + (job->in_float ? 2 * VECTOR : 0);
	resize_settle_room(strip, job->call->scratch + tables);
}

/* Has a slot have a row of the image. Returns it; the other one keeps what it has. */
static int take_row(struct resize_strip *strip, struct progress *progress, const uint8_t *image,
		    uint32_t number, int64_t keep, uint32_t *slot)
{
	const struct nn_tensor *images = &strip->job->call->input[IMAGES];
	uint64_t pitch = (uint64_t)images->dims[2] * images->dims[3];
	int ret;

	*slot = strip->held[1] == number || (strip->held[0] == keep && strip->held[0] != number);
	if (strip->held[*slot] == number)
		return 0;
	ret = progress_add(progress, strip->vectors * TAKE_WORK + stride_work(pitch) +
					     memory_work(strip->bytes));
	if (ret)
		return ret;
	strip->held[*slot] = number;
	resize_take_row(strip, *slot, image + number * pitch, images->data + images->bytes);
	return 0;
}

/* Tells whether row y is as the one before it. */
static bool is_same(const struct resize_job *job, uint32_t y, const struct resize_position *at,
		    const struct resize_position *before)
{
	const float *weights = (const float *)job->call->input[ROW_WEIGHTS].data + 2 * y;

	if (!y || at->near != before->near)
		return false;
	if (job->way == RESIZE_FLOAT)
		return weights[0] == weights[-2] && weights[1] == weights[-1];
	return at->near_weight == before->near_weight;
}

/* Makes the rows of a strip of an image. */
static int make_rows(struct resize_strip *strip, struct progress *progress, const uint8_t *image,
		     uint8_t *to, uint64_t pitch)
{
	const struct resize_job *job = strip->job;
	uint32_t rows = count_of(job, true);
	struct resize_position before = { 0 };
	uint32_t work = ROW_WORK + strip->vectors * MAKE_WORK +
			memory_work(strip->bytes) + stride_work(pitch);

	strip->held[0] = strip->held[1] = -1;
	for (uint32_t y = 0; y < rows; y++, to += pitch) {
		struct resize_position at = resize_position_of(job, true, y);
		uint32_t slot[2];
		int ret;

		if (is_same(job, y, &at, &before)) {
			ret = progress_add(progress, ROW_WORK);
			if (!ret)
				ret = progress_copy(progress, to, to - pitch, strip->bytes);
			if (ret)
				return ret;
			continue;
		}
		before = at;
		ret = take_row(strip, progress, image, at.near, at.far, &slot[0]);
		if (!ret)
			ret = take_row(strip, progress, image, at.far, at.near, &slot[1]);
		if (!ret)
			ret = progress_add(progress, work);
		if (ret)
			return ret;
		if (resize_make_row(strip, &at, slot, to))
			ret = resize_settle_ties(strip, progress, y, slot, to);
		if (ret)
			return ret;
	}
	return 0;
}

int nn_resize_linear_hvx(const struct nn_call *call)
{
	const struct nn_tensor *images = &call->input[IMAGES], *output = &call->output[0];
	uint32_t row_bytes = output->dims[2] * output->dims[3];
	struct progress progress = { .call = call };
	struct resize_strip strip;
	struct resize_job job;
	bool usable = nn_resize_linear_has_vectors(call);
	int ret = 0;

	if (usable)
		ret = settle_job(&job, &progress, call, &usable);
	if (ret)
		return ret;
	if (!usable)
		return nn_resize_linear_portable(call);
	if (job.way == RESIZE_COARSE && job.in_float) {
		if (call->scratch_size < 2 * sizeof(struct resize_tables))
			return nn_resize_linear_portable(call);
		job.tables = (struct resize_tables *)call->scratch;
		resize_empty_tables(job.tables);
	}
	settle_strip(&strip, &job);
	for (; strip.begin < row_bytes; strip.begin += strip.bytes) {
		ret = resize_begin_strip(&strip, &progress, row_bytes);
		if (ret)
			return ret;
		if (!strip.vectors)
			return nn_resize_linear_portable(call);
		for (uint32_t n = 0; n < output->dims[0]; n++) {
			ret = make_rows(&strip, &progress, images->data + n * images->row_bytes,
					output->data + n * output->row_bytes + strip.begin,
					row_bytes);
			if (ret)
				return ret;
		}
	}
	return 0;
}
