// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D on HVX: the entry, nn_depthwise_conv2d_hvx(), which the interpreter calls by
 * dsp/hvx/common/kernels.c, and the way that does every layer. Layers that have a faster one are
 * handed to 3x3s1.c, 3x3s2_narrow.c, 5x5_slices.c, 3x3s2.c and 5x5.c.
 *
 * An output row is one run of bytes, channel after channel and pixel after pixel, and so is
 * everything it is made from: the input at the same column of the kernel is the same run from
 * another byte on. So vectors need not begin with a pixel, and few channels fill them as well as
 * many do. For that, constants can be read from any channel on (dsp/program/pack.h), and input rows
 * are copied with padding, the columns that belong together next to each other when the stride is
 * not 1 (fill_rows.c).
 *
 * vrmpy multiplies four columns of 32 outputs: four vectors of inputs are interleaved to have an
 * output's four bytes side by side.
 *
 *	columns		a0 a1 a2 ..., b0 b1 b2 ..., c0 c1 c2 ..., d0 d1 d2 ...
 *	interleaved	a0 b0 c0 d0, a1 b1 c1 d1, a2 b2 c2 d2, ...
 */
#include "dsp/kernels/depthwise_conv2d.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/depthwise/dilated.h"
#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/depthwise/5x5.h"
#include "dsp/hvx/depthwise/3x3s2_narrow.h"
#include "dsp/hvx/depthwise/3x3s1.h"
#include "dsp/hvx/depthwise/job.h"
#include "dsp/hvx/depthwise/3x3s2.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/common/strips.h"
#include "dsp/hvx/depthwise/flat.h"
#include "dsp/hvx/depthwise/limit.h"
#include "dsp/hvx/depthwise/words.h"

/*
 * The assembly goes down this many rows at once, or WORDS_MOST_ROWS; what their sums, and results
 * in parts, take.
 */
#define JOB_MOST	64

static uint32_t most_rows(const struct depthwise *d)
{
	return d->sums == WORDS ? WORDS_MOST_ROWS : JOB_MOST;
}

static uint32_t sum_bytes(const struct depthwise *d)
{
	return (most_rows(d) + 4) * 4 * VECTOR;
}

static uint32_t part_bytes(const struct depthwise *d)
{
	return most_rows(d) * VECTOR;
}

static uint64_t columns_of(const struct depthwise *d, uint32_t out_columns)
{
	return (out_columns - 1ull) * d->window.stride_w +
	       (d->window.kernel_w - 1) * d->window.dilation_w + 1;
}

static uint64_t rows_of(const struct depthwise *d, uint32_t out_rows)
{
	return (out_rows - 1ull) * d->window.stride_h +
	       (d->window.kernel_h - 1) * d->window.dilation_h + 1;
}

/*
 * A phase is columns x, x + stride, ... of a row, with room to read a vector and four columns too
 * many.
 */
static uint64_t phase_bytes_of(const struct depthwise *d, uint32_t out_columns)
{
	uint64_t columns =
		(columns_of(d, out_columns) + d->window.stride_w - 1) / d->window.stride_w;

	return round_up(columns * d->channels + VECTOR, VECTOR);
}

/*
 * Rows that are read behind the last one: the last row's columns past its end lie in the row after
 * it, and the assembly reads one more.
 */
static uint32_t rows_behind(const struct depthwise *d)
{
	return 1 + d->window.dilation_h;
}

static uint64_t strip_bytes_of(const struct depthwise *d, uint32_t out_rows, uint32_t out_columns)
{
	return (rows_of(d, out_rows) + rows_behind(d)) * d->window.stride_w *
	       phase_bytes_of(d, out_columns);
}

/* Rows of d->out_columns columns that fit in `bytes`. At least one row does. */
static uint32_t fitting_rows(const struct depthwise *d, uint32_t bytes)
{
	uint32_t row_bytes = d->window.stride_w * phase_bytes_of(d, d->out_columns);
	uint32_t more = bytes / row_bytes - rows_behind(d) - rows_of(d, 1);

	return min_u32(more / d->window.stride_h + 1, d->call->output[0].dims[1]);
}

/* Divides scratch memory. False if a few columns do not fit. */
static bool divide_scratch(struct depthwise *d)
{
	uint32_t left = d->call->scratch + d->call->scratch_size - d->rows, columns;
	uint32_t out_height = d->call->output[0].dims[1];
	uint32_t together = VECTOR >> min_u32(__builtin_ctz(d->channels), 7);
	uint32_t job_bytes = d->sums == FIVE_ROWS ? FIVE_BYTES : sum_bytes(d) + part_bytes(d);

	if (d->flat_times)
		job_bytes += d->sums == FIVE_ROWS ? FIVE_SUM_BYTES : sum_bytes(d);
	if (d->sums == WORDS)
		job_bytes += words_bytes(d);
	left = nn_depthwise_settle_rows(d, left);

	if (d->sums != COMPILED && left >= 2 * job_bytes) {
		left -= job_bytes;
		d->job_memory = d->rows + left / VECTOR * VECTOR;
	} else {
		d->sums = COMPILED;
	}
	d->out_columns = d->call->output[0].dims[2];
	while (d->out_columns > 1 && strip_bytes_of(d, 1, d->out_columns) > left)
		d->out_columns = (d->out_columns + 1) / 2;
	if (strip_bytes_of(d, 1, d->out_columns) > left)
		return false;
	d->out_rows = fitting_rows(d, left);
	/* The assembly's parts should be high. */
	while (d->sums != COMPILED && d->out_columns >= 16 &&
	       d->out_rows < min_u32(out_height, most_rows(d))) {
		d->out_columns = (d->out_columns + 1) / 2;
		d->out_rows = fitting_rows(d, left);
	}
	d->out_rows = even_part(out_height, d->out_rows);
	/* Vectors should be full, too, if there is room. */
	columns = round_up(d->out_columns, together);
	if (columns < d->call->output[0].dims[2] && strip_bytes_of(d, d->out_rows, columns) <= left)
		d->out_columns = columns;
	d->phase_bytes = phase_bytes_of(d, d->out_columns);
	/* Columns past the kernel's end have weight 0. */
	for (uint32_t k = 0; k < 4 * d->words; k++) {
		uint32_t x = min_u32(k, d->window.kernel_w - 1) * d->window.dilation_w;

		d->column[k] = x % d->window.stride_w * d->phase_bytes +
			       x / d->window.stride_w * d->channels;
	}
	return true;
}

static inline HVX_Vector multiply(HVX_Vector sum, HVX_Vector inputs, HVX_Vector weights,
				  bool is_signed)
{
	return is_signed ? Q6_Vw_vrmpyacc_VwVbVb(sum, inputs, weights)
			 : Q6_Vw_vrmpyacc_VwVubVb(sum, inputs, weights);
}

/* 128 outputs of a row, or what is left of it: from byte `at` on, and their constants. */
struct depthwise_part {
	uint32_t at, count;
	uint32_t channel[4];	/* of the first, the 33rd, the 65th and the 97th of them */
	struct requant requant[4];
	struct finish finish;
};

static inline void list_constants(const struct depthwise *d, struct depthwise_part *part)
{
#pragma unroll
	for (uint32_t j = 0; j < 4; j++)
		part->requant[j] = requant_lanes(d->scales, part->channel[j]);
}

/* Interleaves four columns of a row: 32 outputs' four bytes to a vector. */
static inline void interleave(HVX_Vector *words, const uint8_t *row, const uint32_t *column)
{
	HVX_VectorPair low = Q6_W_vshuff_VVR(load(row + column[1]), load(row + column[0]), -1);
	HVX_VectorPair high = Q6_W_vshuff_VVR(load(row + column[3]), load(row + column[2]), -1);
	HVX_VectorPair first = Q6_W_vshuff_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -2);
	HVX_VectorPair second = Q6_W_vshuff_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -2);

	words[0] = Q6_V_lo_W(first);
	words[1] = Q6_V_hi_W(first);
	words[2] = Q6_V_lo_W(second);
	words[3] = Q6_V_hi_W(second);
}

static inline void finish_part(const struct depthwise *d, const struct depthwise_part *part,
			       uint8_t *to, const HVX_Vector *sum)
{
	HVX_Vector result;

	if (d->is_raw) {
		for (uint32_t j = 0; j * 32 < part->count; j++)
			store_bytes(to + j * VECTOR, sum[j],
				    min_u32(part->count * 4 - j * VECTOR, VECTOR));
		return;
	}
	result = requant_128(sum, part->requant, &part->finish);
	if (part->count < VECTOR)
		store_bytes(to, result, part->count);
	else
		store(to, result);
}

/*
 * Computes the part in `rows` output rows, for any kernel. `in`: the first of their rows of input.
 */
static inline __attribute__((always_inline)) void
convolve_any(const struct depthwise *d, const struct depthwise_part *part, const uint8_t *in,
	     uint32_t rows, uint8_t *out, uint32_t out_pitch, bool is_signed, bool is_flat)
{
	uint32_t row_bytes = d->window.stride_w * d->phase_bytes;

	for (uint32_t y = 0; y < rows; y++, out += out_pitch) {
		const uint8_t *row = in + y * d->window.stride_h * row_bytes + part->at;
		const int32_t *weights = d->weights;
		HVX_Vector sum[4], words[4];

#pragma unroll
		for (uint32_t j = 0; j < 4; j++)
			sum[j] = load(d->bias + part->channel[j]);
		for (uint32_t ky = 0; ky < d->window.kernel_h; ky++) {
			for (uint32_t q = 0; q < d->words; q++, weights += d->period) {
				interleave(words, row, &d->column[4 * q]);
#pragma unroll
				for (uint32_t j = 0; j < 4; j++)
					sum[j] = multiply(sum[j], words[j],
							  load(weights + part->channel[j]),
							  is_signed);
				for (uint32_t i = 0; is_flat && i < d->flat_times; i++) {
					HVX_Vector flat = splat_w(flat_columns(d, q));

#pragma unroll
					for (uint32_t j = 0; j < 4; j++)
						sum[j] = multiply(sum[j], words[j], flat,
								  is_signed);
				}
			}
			row += d->window.dilation_h * row_bytes;
		}
		finish_part(d, part, out, sum);
	}
}

/* This is a function of its own because clang would store the sums each time. */
static __attribute__((noinline)) void convolve_plain(const struct depthwise *d,
						     const struct depthwise_part *part,
						     const uint8_t *in, uint32_t rows,
						     uint8_t *out, uint32_t out_pitch)
{
	if (d->is_signed)
		convolve_any(d, part, in, rows, out, out_pitch, true, false);
	else
		convolve_any(d, part, in, rows, out, out_pitch, false, false);
}

/* The same for weights with a zero point. */
static __attribute__((noinline)) void convolve_flat(const struct depthwise *d,
						    const struct depthwise_part *part,
						    const uint8_t *in, uint32_t rows,
						    uint8_t *out, uint32_t out_pitch)
{
	if (d->is_signed)
		convolve_any(d, part, in, rows, out, out_pitch, true, true);
	else
		convolve_any(d, part, in, rows, out, out_pitch, false, true);
}

/*
 * Does what convolve_any() does for kernels of three rows and at most four columns with stride 1
 * down: each row of input is interleaved once, for the three rows of output that it is part of.
 */
static inline __attribute__((always_inline)) void
convolve_three(const struct depthwise *d, const struct depthwise_part *part, const uint8_t *in,
	       uint32_t rows, uint8_t *out, uint32_t out_pitch, bool is_signed)
{
	uint32_t row_bytes = d->window.stride_w * d->phase_bytes;
	const uint8_t *row = in + part->at;
	HVX_Vector weights[3][4], bias[4], second[4], third[4], sum[4], words[4];

#pragma unroll
	for (uint32_t j = 0; j < 4; j++) {
		bias[j] = second[j] = third[j] = load(d->bias + part->channel[j]);
		for (uint32_t ky = 0; ky < 3; ky++)
			weights[ky][j] = load(d->weights + ky * d->period + part->channel[j]);
	}
	/* `second` and `third` are output rows y - 1 and y - 2 before input row y is added. */
	for (uint32_t y = 0; y < rows + 2; y++, row += row_bytes) {
		interleave(words, row, d->column);
#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			sum[j] = multiply(third[j], words[j], weights[2][j], is_signed);
			third[j] = multiply(second[j], words[j], weights[1][j], is_signed);
			second[j] = multiply(bias[j], words[j], weights[0][j], is_signed);
		}
		if (y >= 2) {
			finish_part(d, part, out, sum);
			out += out_pitch;
		}
	}
}

/* Makes rows y, y + 32, ... once more, exactly. */
static __attribute__((noinline)) void finish_again(const struct depthwise *d,
						   struct depthwise_part *part,
						   const struct depthwise_job *job, uint32_t y,
						   uint32_t rows)
{
	const HVX_Vector *sums = (const HVX_Vector *)job->scaled + 4 * y;
	uint8_t *to = job->out + y * job->pitch;

	list_constants(d, part);
	for (; y < rows; y += 32, sums += 4 * 32, to += 32 * job->pitch) {
		HVX_Vector half[4];

		/* The four are computed side by side, as each is one long chain. */
#pragma unroll
		for (uint32_t j = 0; j < 4; j++)
			half[j] = requant_exact(
				Q6_Vw_vadd_VwVw(sums[j], load(d->bias + part->channel[j])),
				&part->requant[j]);
		store(to, finish_8bit(Q6_Vh_vpack_VwVw_sat(half[1], half[0]),
				      Q6_Vh_vpack_VwVw_sat(half[3], half[2]), &part->finish));
	}
}

/* Makes the sums of a job. */
static void sum_job(const struct depthwise *d, const struct depthwise_job *job)
{
	if (d->sums == WORDS)
		nn_depthwise_sum_words(d, job, job->rounds, d->words_memory);
	else if (d->sums == ROWS && d->is_signed)
		nn_depthwise_sum_s8(job);
	else if (d->sums == ROWS)
		nn_depthwise_sum_u8(job);
	else if (d->is_signed)
		nn_depthwise_sum_strided_s8(job);
	else
		nn_depthwise_sum_strided_u8(job);
}

/* Adds the sums of flat weights. */
static __attribute__((noinline)) void add_flat(const struct depthwise *d,
					       const struct depthwise_job *job)
{
	/* One row more where results are behind what comes first. */
	uint32_t rows = d->sums == ROWS ? 2 * job->rounds : job->rounds + (d->sums == WORDS);
	struct depthwise_job flat = *job;

	for (uint32_t j = 0; j < 4; j++)
		flat.weights[j] = d->flat_lanes;
	flat.period_bytes = VECTOR;
	flat.sums = (int32_t *)d->flat_sums;
	flat.scaled = flat.sums + VECTOR;
	sum_job(d, &flat);
	nn_depthwise_add_flat(d, (HVX_Vector *)job->sums, 4 * rows);
}

static __attribute__((noinline)) void limit_sums(const struct depthwise *d,
						 const struct depthwise_part *part,
						 const struct depthwise_job *job)
{
	struct depthwise_limit limit;

	for (uint32_t j = 0; j < 4; j++) {
		limit.bias[j] = load(d->bias + part->channel[j]);
		limit.greatest[j] =
			load(scale_row(d->scales, NN_SCALE_GREATEST, part->channel[j]));
	}
	nn_depthwise_limit_sums(&limit, (HVX_Vector *)job->scaled, job->rows, VECTOR);
}

/* Computes the part in `rows` output rows, at most JOB_MOST, by the assembly. */
static void run_job(const struct depthwise *d, struct depthwise_part *part,
		    struct depthwise_job *job, const uint8_t *in, uint32_t rows, uint8_t *out,
		    uint32_t out_pitch)
{
	bool is_whole = part->count == VECTOR && rows >= 3;
	uint32_t ties;

	for (uint32_t i = 0; i < 3; i++)
		job->column[i] = in + part->at + d->column[i];
	job->rows = rows < 3 ? 3 : rows;
	job->out = is_whole ? out : d->job_memory + sum_bytes(d);
	job->pitch = is_whole ? out_pitch : VECTOR;
	if (d->sums == WORDS) {
		job->rounds = rows;
		job->scaled = job->sums + VECTOR;
		nn_depthwise_make_words(d, in + part->at, rows, d->words_memory);
	} else if (d->sums == ROWS) {
		job->rounds = (rows + 3) / 2;
		job->scaled = job->sums + 2 * VECTOR;
	} else {
		job->rounds = rows + 1;
		job->scaled = job->sums + VECTOR;
	}
	sum_job(d, job);
	if (d->flat_times)
		add_flat(d, job);
	if (d->is_limited)
		limit_sums(d, part, job);
	ties = part->finish.is_signed ? nn_depthwise_scale_s8(job) : nn_depthwise_scale_u8(job);
	for (; ties; ties &= ties - 1)
		finish_again(d, part, job, __builtin_ctz(ties), rows);
	for (uint32_t y = 0; !is_whole && y < rows; y++)
		store_bytes(out + y * out_pitch, load(job->out + y * VECTOR), part->count);
}

/* The work of 128 outputs of a row, and of loading their constants. */
static uint32_t work_of(const struct depthwise *d)
{
	return (d->window.kernel_h * d->words + 4) *
	       (32 + 8 * d->flat_times + stride_work(4ull * d->period));
}

/*
 * Computes the part in `rows` output rows, as many at a time as lie between two reports. `in_pitch`
 * is the distance from one's first row of input to the next one's.
 */
static int convolve_rows(struct depthwise *d, struct depthwise_part *part,
			 struct depthwise_job *job,
			 const uint8_t *in, uint32_t in_pitch, uint32_t rows, uint8_t *out,
			 uint32_t out_pitch)
{
	bool three = d->window.kernel_h == 3 && d->words == 1 && d->window.stride_h == 1 &&
		     d->window.dilation_h == 1 && !d->flat_times;
	uint32_t row_work = work_of(d), most = NN_TILE / row_work, count;

	if (d->sums != COMPILED)
		most = min_u32(most, most_rows(d));
	for (; rows; rows -= count, in += count * in_pitch, out += count * out_pitch) {
		int ret;

		count = min_u32(rows, most);
		ret = progress_add(&d->progress, count * row_work);
		if (ret)
			return ret;
		if (d->sums != COMPILED)
			run_job(d, part, job, in, count, out, out_pitch);
		else if (three && d->is_signed)
			convolve_three(d, part, in, count, out, out_pitch, true);
		else if (three)
			convolve_three(d, part, in, count, out, out_pitch, false);
		else if (d->flat_times)
			convolve_flat(d, part, in, count, out, out_pitch);
		else
			convolve_plain(d, part, in, count, out, out_pitch);
	}
	return 0;
}

/* Computes `rows` output rows of `outputs` each, from the input rows in scratch memory. */
static int convolve_strip(struct depthwise *d, uint32_t rows, uint32_t outputs, uint8_t *out,
			  uint32_t out_pitch)
{
	const struct nn_tensor *output = &d->call->output[0];
	uint32_t in_pitch = d->window.stride_h * d->window.stride_w * d->phase_bytes;
	/* The assembly goes down rows that are as far from each other as the kernel's. */
	uint32_t apart = d->sums == ROWS ? d->window.dilation_h : 1;
	struct depthwise_job job = {
		.row_bytes = apart * d->window.stride_w * d->phase_bytes,
		.sums = (int32_t *)d->job_memory,
		.period_bytes = d->period * 4,
		.offset = ((uint32_t)output->zero_point << 16) + 0x8001,
		.min = four_bytes(d->call->op->out_min),
		.max = four_bytes(d->call->op->out_max),
		.limit = 3 << 16,
		.bias_bytes = d->bias_bytes,
		.scales_bytes = d->scales_bytes,
	};
	struct depthwise_part part;
	uint32_t first = 0;

	d->flat_sums = (HVX_Vector *)(d->job_memory + sum_bytes(d) + part_bytes(d));
	d->words_memory = (uint8_t *)d->flat_sums + (d->flat_times ? sum_bytes(d) : 0);
	part.finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				d->call->op->out_min, d->call->op->out_max);
	for (part.at = 0; part.at < outputs; part.at += VECTOR) {
		uint8_t *to = out + part.at * (d->is_raw ? 4 : 1);

		part.count = min_u32(outputs - part.at, VECTOR);
#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			part.channel[j] = first;
			job.weights[j] = d->weights + first;
			first += d->next;
			first = min_u32(first, first - d->channels);
		}
		if (d->sums == COMPILED && !d->is_raw)
			list_constants(d, &part);
		for (uint32_t y = 0; y < min_u32(apart, rows); y++) {
			uint32_t count = apart > 1 ? (rows - y - 1) / apart + 1 : rows;
			int ret = convolve_rows(d, &part, &job, d->rows + y * in_pitch,
						apart * in_pitch, count, to + y * out_pitch,
						apart * out_pitch);

			if (ret)
				return ret;
		}
	}
	return 0;
}

static __attribute__((noinline)) int convolve_image(struct depthwise *d, const uint8_t *image,
						    uint8_t *out_image)
{
	const struct nn_tensor *output = &d->call->output[0];
	uint32_t out_height = output->dims[1], out_width = output->dims[2];
	uint32_t pixel_bytes = d->channels * (d->is_raw ? 4 : 1);
	uint32_t done;
	bool is_done;
	int ret = nn_depthwise_run_groups(d, image, out_image, &is_done);

	if (!ret && !is_done)
		ret = nn_depthwise_run_five_slices(d, image, out_image, &is_done);
	if (ret || is_done)
		return ret;
	ret = nn_depthwise_run_pixels(d, image, out_image, &done);
	if (ret || done == out_width)
		return ret;
	if (!d->out_rows && !divide_scratch(d))
		return nn_depthwise_conv2d_portable(d->call);
	for (uint32_t x = done; x < out_width; x += d->out_columns) {
		uint32_t columns = min_u32(out_width - x, d->out_columns);

		for (uint32_t y = 0; y < out_height; y += d->out_rows) {
			uint32_t rows = min_u32(out_height - y, d->out_rows);
			uint8_t *to;

			ret = nn_depthwise_fill_rows(
				d, image, (int64_t)y * d->window.stride_h - d->window.pad_top,
				(int64_t)x * d->window.stride_w - d->window.pad_left,
				rows_of(d, rows), columns_of(d, columns));
			if (ret)
				return ret;
			to = out_image + ((uint64_t)y * out_width + x) * pixel_bytes;
			if (d->sums == FIVE_ROWS)
				ret = nn_depthwise_run_five(d, y, rows, columns * d->channels, to,
							    out_width * pixel_bytes);
			else
				ret = convolve_strip(d, rows, columns * d->channels, to,
						     out_width * pixel_bytes);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/*
 * Rows that are a kernel's dilation apart are a job for the assembly. With fewer of them what
 * begins a job takes longer than making words of all rows does.
 */
#define FEW_ROWS	12u

/* Returns how the assembly can make this layer's sums. */
static enum sums sums_of(const struct depthwise *d)
{
	const struct nn_window_params *window = &d->window;

	if (window->kernel_h == 5 && window->kernel_w == 5 && window->dilation_h == 1 &&
	    window->stride_h <= 2 && !d->is_raw)
		return FIVE_ROWS;
	if (d->is_raw)
		return COMPILED;
	if (window->kernel_h == 3 && window->kernel_w <= 3) {
		if (window->stride_h == 1 &&
		    (window->dilation_h == 1 ||
		     d->call->output[0].dims[1] >= FEW_ROWS * window->dilation_h))
			return ROWS;
		if (window->stride_h == 2 && window->stride_w == 2 && window->dilation_h == 1 &&
		    window->dilation_w == 1)
			return STRIDED_ROWS;
	}
	return has_words(d) ? WORDS : COMPILED;
}

static void settle_constants(struct depthwise *d)
{
	const struct nn_call *call = d->call;
	const int32_t *multipliers = NULL;

	d->next = d->channels > 32 ? 32 : 32 % d->channels;
	d->period = call->input[2].dims[0];
	d->weights = (const int32_t *)call->input[1].data;
	d->bias = (const int32_t *)call->input[2].data;
	d->bias_bytes = (uintptr_t)d->bias - (uintptr_t)d->weights;
	if (!d->is_raw) {
		d->scales = &call->input[3];
		multipliers = scale_row(d->scales, NN_SCALE_MULTIPLIER, 0);
	}
	d->scales_bytes = (uintptr_t)multipliers - (uintptr_t)d->bias;
}

static int run_dense(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t column[256];
	struct depthwise d = {
		.call = call,
		.progress = { .call = call },
		.window = call->op->window,
		.channels = output->dims[3],
		.repeat = output->dims[3] == input->dims[3] ? 1 :
							      output->dims[3] / input->dims[3],
		.words = (call->op->window.kernel_w + 3) / 4,
		.is_signed = input->type == NN_TYPE_INT8,
		.is_raw = output->type == NN_TYPE_INT32,
		.column = column,
		.rows = call->scratch,
	};
	uint32_t flags;
	bool is_done;
	int ret;

	settle_constants(&d);
	d.sums = sums_of(&d);
	flags = d.sums == COMPILED ? 0 : scale_flags(d.scales);
	/* The assembly loses no bits of sums. */
	if (flags & NN_SCALES_ROUGH)
		d.sums = COMPILED;
	d.is_limited = flags & NN_SCALES_CLAMPED;
	d.is_exact = !(flags & NN_SCALES_INEXACT);
	if (call->input[1].zero_point)
		nn_depthwise_settle_flat(&d);
	if (work_of(&d) > NN_TILE)
		return nn_depthwise_conv2d_portable(call);
	ret = nn_depthwise_run_images(&d, &is_done);
	if (ret || is_done)
		return ret;
	for (uint32_t n = 0; n < output->dims[0]; n++) {
		ret = convolve_image(&d, input->data + n * input->row_bytes,
				     output->data + n * output->row_bytes);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Bytes of a part of the output without dilation from which on it is worth what begins it, of 3x3
 * windows; of one row or two, which take more with it than others do.
 */
#define DIVIDED_BYTES		4096u
#define DIVIDED_ROW_BYTES	900u

/* Tells whether a call with dilation, of which there is room for windows, is done without it. */
static bool is_divided(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const uint32_t *dims = call->output[0].dims;
	uint32_t parts = min_u32(window->dilation_h, dims[1]) * min_u32(window->dilation_w, dims[2]);
	uint32_t taps = window->kernel_h * window->kernel_w;
	uint64_t bytes = (uint64_t)dims[1] * dims[2] * dims[3];

	/* Three rows that are many times as far apart are quicker where they are. */
	if (window->kernel_h == 3 && window->kernel_w <= 3 && window->stride_h == 1 &&
	    dims[1] >= FEW_ROWS * window->dilation_h)
		return false;
	return bytes * taps >= 9ull * parts * (dims[1] > 2 ? DIVIDED_BYTES : DIVIDED_ROW_BYTES);
}

int nn_depthwise_conv2d_hvx(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	bool is_dilated = (window->dilation_h > 1 && window->kernel_h > 1) ||
			  (window->dilation_w > 1 && window->kernel_w > 1);

	/* The rule of what has vectors is asked last, because a small call is worth so few packets. */
	if (nn_depthwise_conv2d_fits(call) && nn_depthwise_conv2d_has_words(call)) {
		if (!is_dilated || !is_divided(call))
			return windows_are_dense(call) ? run_dense(call)
						       : nn_strips_run(call, run_dense);
	} else if (!nn_depthwise_conv2d_has_vectors(call)) {
		return nn_depthwise_conv2d_portable(call);
	}
	return nn_depthwise_run_dilated(call, run_dense);
}
