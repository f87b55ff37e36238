// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5: which vectors of a strip of rows have the same channels, and
 * so the same weights, and go through the assembly together. Where stride 2 is not done straight
 * from the image (depthwise_five_pixels.h), every other row's sums are left out.
 */
#include "depthwise_five.h"
#include "depthwise_image.h"
#include "requant.h"

#define MOST_PLACES	8u
#define MOST_ROUNDS	(2 * (FIVE_MOST_ROWS + 4))

/* What all places of a strip have in common. */
struct strip {
	struct depthwise *d;
	struct depthwise_five five;
	struct depthwise_image job;	/* of results */
	struct finish finish;
	HVX_Vector *weights;		/* [28] */
	uint8_t *parts;			/* [FIVE_MOST_ROWS][VECTOR] */
	uint32_t most;			/* places at a time */
};

/* Constants of 128 outputs, the first of which is `channel`. */
static __attribute__((noinline)) void list_constants(struct strip *strip, uint32_t channel)
{
	const struct depthwise *d = strip->d;
	uint32_t period = d->period;

#pragma clang loop unroll(disable)
	for (uint32_t j = 0; j < 4; j++) {
		HVX_Vector *to = strip->weights + j / 2 * 14 + j % 2, fifth = Q6_V_vzero();
		const int32_t *weights = d->weights + channel;

		strip->job.weights[j] = weights;
#pragma unroll
		for (uint32_t y = 0; y < 5; y++, weights += 2 * period) {
			HVX_Vector last = Q6_Vw_vasl_VwR(load(weights + period), 24);

			to[y < 4 ? 2 * (3 - y) : 12] = load(weights);
			if (y < 4)
				fifth = Q6_V_vor_VV(Q6_Vuw_vlsr_VuwR(fifth, 8), last);
			else
				to[10] = last;
		}
		to[8] = fifth;
		channel += d->next;
		channel = min_u32(channel, channel - d->channels);
	}
}

/* `count` places, `step` bytes apart, the first at `in` and `out`, of the channels listed. */
static int run_places(struct strip *strip, const uint8_t *in, uint8_t *out, uint32_t count,
		      uint32_t step)
{
	struct depthwise *d = strip->d;
	struct depthwise_five *five = &strip->five;
	struct depthwise_image *job = &strip->job;
	five->jump = step - five->next_rounds * five->row_bytes;
	job->out_step = step;
	while (count) {
		uint32_t part = min_u32(count, strip->most);
		int ret;

		/* Where all results are ties a row takes a hundred more. */
		ret = progress_add(&d->progress,
				   800 + part * (200 + job->rows * (150 + 2 * stride_work(step))) +
					   2 * job->rows * NN_PAGE_WORK);
		if (ret)
			return ret;
		five->count = job->count = part;
		for (uint32_t k = 0; k < 5; k++)
			five->column[k] = in + d->column[k];
		job->out = out;
		if (d->is_signed)
			nn_depthwise_sum_five_s8(five);
		else
			nn_depthwise_sum_five_u8(five);
		nn_depthwise_finish_places(d, job, &strip->finish);
		count -= part;
		in += part * step;
		out += part * step;
	}
	return 0;
}

/* At most FIVE_MOST_ROWS, whose first row of input is at `in`. */
static int run_rows(struct strip *strip, const uint8_t *in, uint32_t rows, uint32_t outputs,
		    uint8_t *out)
{
	uint32_t channels = strip->d->channels, vectors = outputs / VECTOR;
	uint32_t period = period_of(channels), each = vectors / period, more = vectors % period;
	uint32_t at = outputs < VECTOR ? 0 : outputs - VECTOR, pitch = strip->job.pitch;
	uint32_t channel = 0;
	int ret;

	if (rows == 1)
		vectors = 0;
	for (uint32_t i = 0; i < min_u32(period, vectors); i++) {
		list_constants(strip, channel);
		ret = run_places(strip, in + i * VECTOR, out + i * VECTOR, each + (i < more),
				 period * VECTOR);
		if (ret)
			return ret;
		for (channel += VECTOR; channel >= channels;)
			channel -= channels;
	}
	if (vectors) {
		if (outputs % VECTOR == 0)
			return 0;
		/* The last vector overlaps the one before it. */
		list_constants(strip, at % channels);
		return run_places(strip, in + at, out + at, 1, 0);
	}
	/* What results have no room for, or are too few rows, by way of scratch memory. */
	strip->job.pitch = VECTOR;
	for (at = 0; at < outputs; at += VECTOR) {
		list_constants(strip, at % channels);
		ret = run_places(strip, in + at, strip->parts, 1, 0);
		if (ret)
			return ret;
		for (uint32_t y = 0; y < rows; y++)
			store_bytes(out + at + y * pitch, load(strip->parts + y * VECTOR),
				    min_u32(outputs - at, VECTOR));
	}
	strip->job.pitch = pitch;
	return 0;
}

int nn_depthwise_run_five(struct depthwise *d, uint32_t y, uint32_t rows, uint32_t outputs,
			  uint8_t *out, uint32_t out_pitch)
{
	const struct nn_tensor *input = &d->call->input[0], *output = &d->call->output[0];
	HVX_Vector *memory = (HVX_Vector *)d->job_memory;
	struct strip strip = {
		.d = d,
		.weights = memory,
		.parts = (uint8_t *)(memory + 28),
		.five = {
			.row_bytes = d->window.stride_w * d->phase_bytes,
			.sums = memory + 28 + FIVE_MOST_ROWS + MOST_PLACES,
			.weights = memory,
		},
		.job = {
			.period_bytes = d->period * 4,
			.bias_bytes = d->bias_bytes,
			.scales_bytes = d->scales_bytes,
			.pitch = out_pitch,
			.unsure = memory + 28 + FIVE_MOST_ROWS,
			.offset = ((uint32_t)output->zero_point << 16) + 0x8001,
			.min = four_bytes(d->call->op->out_min),
			.max = four_bytes(d->call->op->out_max),
			.limit = 3 << 16,
		},
	};
	uint32_t stride = d->window.stride_h, most = (FIVE_MOST_ROWS - 1) / stride + 1, count;

	strip.job.scaled = (int32_t *)(strip.five.sums + 4 * 4);
	strip.job.sum_step = (4 * stride - 3) * VECTOR;
	strip.finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				 d->call->op->out_min, d->call->op->out_max);
	for (uint32_t i = 0; i < rows; i += count) {
		int32_t top = (y + i) * stride - d->window.pad_top, bottom;
		uint32_t sums, padding;
		int ret;

		count = min_u32(rows - i, most);
		strip.job.rows = count < 2 ? 2 : count;
		sums = (strip.job.rows - 1) * stride + 1;
		/* Two rows of padding below are those above the next place. */
		bottom = top + (count - 1) * stride + 5;
		padding = top <= -2 && bottom >= (int32_t)input->dims[1] + 2 ? 2 : 0;
		strip.five.rounds = sums + 4;
		strip.five.next_rounds = sums + 4 - padding;
		strip.job.next_sums = (strip.five.next_rounds - stride) * 4 * VECTOR;
		strip.most = min_u32((MOST_ROUNDS - 4) / strip.five.next_rounds, MOST_PLACES);
		ret = run_rows(&strip, d->rows + i * stride * strip.five.row_bytes, count, outputs,
			       out + i * out_pitch);
		if (ret)
			return ret;
	}
	return 0;
}
