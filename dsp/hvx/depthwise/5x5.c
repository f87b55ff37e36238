// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5: which vectors of rows in scratch memory have the same
 * channels, and so the same weights, and go through the assembly together. Called by 5x5_slices.c,
 * and by depthwise_conv2d.c for rows without pairs. With stride 2 and without pairs of columns
 * every other row's sums are left out.
 */
#include "dsp/hvx/depthwise/5x5.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/depthwise/flat.h"

#define MOST_POSITIONS	8u
#define MOST_ROUNDS	(2 * (FIVE_MOST_ROWS + 4))

/* Whether a round is two rows of input. */
static bool is_strided(const struct five_rows *rows)
{
	return rows->is_paired && rows->d->window.stride_h == 2;
}

/* Lists the lanes of 128 outputs, the first of which is `lane` of those that a pixel has there. */
static inline void list_lanes(struct five_rows *rows, uint32_t lane)
{
	uint32_t channels = rows->channels, next = channels > 32 ? 32 : 32 % channels;

#pragma unroll
	for (uint32_t j = 0; j < 4; j++) {
		rows->five.lanes[j] = rows->job.weights[j] = rows->d->weights + rows->first + lane;
		lane += next;
		lane = min_u32(lane, lane - channels);
	}
}

/*
 * Arranges the weights of these lanes as the assembly without pairs loads them; that of pairs loads
 * them as they are packed.
 */
static __attribute__((noinline)) void list_weights(const struct five_rows *rows,
						   const int32_t *const *lanes, uint32_t period)
{
#pragma clang loop unroll(disable)
	for (uint32_t j = 0; j < 4; j++) {
		HVX_Vector *to = rows->weights + j / 2 * 14 + j % 2, fifth = Q6_V_vzero();
		const int32_t *weights = lanes[j];

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
	}
}

static inline void list_constants(struct five_rows *rows, uint32_t lane)
{
	list_lanes(rows, lane);
	if (!rows->is_paired)
		list_weights(rows, rows->job.weights, rows->d->period);
}

static void sum(const struct five_rows *rows, const struct depthwise_five *five)
{
	bool is_signed = rows->d->is_signed;

	if (is_strided(rows) && is_signed)
		nn_depthwise_sum_strided_pairs_s8(five);
	else if (is_strided(rows))
		nn_depthwise_sum_strided_pairs_u8(five);
	else if (rows->is_paired && is_signed)
		nn_depthwise_sum_pairs_s8(five);
	else if (rows->is_paired)
		nn_depthwise_sum_pairs_u8(five);
	else if (is_signed)
		nn_depthwise_sum_five_s8(five);
	else
		nn_depthwise_sum_five_u8(five);
}

/* Adds the sums of flat weights. */
static __attribute__((noinline)) void add_flat(const struct five_rows *rows)
{
	const struct depthwise *d = rows->d;
	struct depthwise_five flat = rows->five;

	for (uint32_t j = 0; j < 4; j++)
		flat.lanes[j] = d->flat_lanes;
	flat.period_bytes = VECTOR;
	flat.sums = d->flat_sums;
	if (!rows->is_paired)
		list_weights(rows, flat.lanes, VECTOR / 4);
	sum(rows, &flat);
	if (!rows->is_paired)
		list_weights(rows, rows->job.weights, d->period);
	nn_depthwise_add_flat(d, rows->five.sums,
			      4 * ((flat.count - 1) * flat.next_rounds + flat.rounds));
}

/*
 * Does `count` positions, `in_step` and `out_step` bytes from one to the next, the first at `in`
 * and `out`, of the channels listed.
 */
static int run_positions(struct five_rows *rows, const uint8_t *in, uint8_t *out, uint32_t count,
		      uint32_t in_step, uint32_t out_step)
{
	struct depthwise *d = rows->d;
	struct depthwise_five *five = &rows->five;
	struct depthwise_image *job = &rows->job;
	uint32_t passed = five->next_rounds << is_strided(rows);

	/* With pairs the jump is from a position's last row on. */
	passed -= rows->is_paired;

	five->jump = in_step - passed * five->row_bytes;
	job->out_step = out_step;
	while (count) {
		uint32_t part = min_u32(count, rows->most);
		int ret;

		/* Where all results are ties a row takes a hundred more. */
		ret = progress_add(&d->progress,
				   800 + part * (200 + job->rows * (150 + flat_work(d) +
								    stride_work(in_step) +
								    stride_work(out_step))) +
					   2 * job->rows * NN_PAGE_WORK);
		if (ret)
			return ret;
		five->count = job->count = part;
		for (uint32_t k = 0; k < 5; k++)
			five->column[k] = in + rows->column[k];
		job->out = out;
		sum(rows, five);
		if (d->flat_times)
			add_flat(rows);
		nn_depthwise_finish_positions(d, job, &rows->finish);
		count -= part;
		in += part * in_step;
		out += part * out_step;
	}
	return 0;
}

int nn_depthwise_run_five_parts(struct five_rows *rows, const uint8_t *in, uint32_t count,
				uint32_t outputs, uint8_t *out)
{
	uint32_t in_vector = rows->is_paired ? 2 * VECTOR : VECTOR, pitch = rows->job.pitch;

	rows->job.pitch = VECTOR;
	for (uint32_t v = 0; v * VECTOR < outputs; v++) {
		uint32_t bytes = min_u32(outputs - v * VECTOR, rows->apart);
		int ret;

		list_constants(rows, v * VECTOR % rows->channels);
		ret = run_positions(rows, in + v * in_vector, rows->parts, 1, 0, 0);
		if (ret)
			return ret;
		for (uint32_t y = 0; y < count; y++)
			store_bytes(out + v * rows->apart + y * pitch,
				    load(rows->parts + y * VECTOR), min_u32(bytes, VECTOR));
	}
	rows->job.pitch = pitch;
	return 0;
}

int nn_depthwise_run_five_rows(struct five_rows *rows, const uint8_t *in, uint32_t count,
			       uint32_t outputs, uint8_t *out)
{
	uint32_t channels = rows->channels, vectors = outputs / VECTOR, lane = 0;
	uint32_t period = period_of(channels), each = vectors, more = 0;
	uint32_t in_vector = rows->is_paired ? 2 * VECTOR : VECTOR, apart = rows->apart;
	uint32_t at = outputs < VECTOR ? 0 : outputs - VECTOR;
	int ret;

	if (count == 1)
		vectors = 0;
	if (period > 1) {
		each = vectors / period;
		more = vectors - each * period;
	}
	for (uint32_t i = 0; i < min_u32(period, vectors); i++) {
		list_constants(rows, lane);
		ret = run_positions(rows, in + i * in_vector, out + i * apart, each + (i < more),
				 period * in_vector, period * apart);
		if (ret)
			return ret;
		for (lane += VECTOR; lane >= channels;)
			lane -= channels;
	}
	if (vectors) {
		if (outputs % VECTOR == 0)
			return 0;
		/* The last vector overlaps the one before it. */
		list_constants(rows, at % channels);
		return run_positions(rows, in + at * (in_vector / VECTOR), out + at, 1, 0, 0);
	}
	return nn_depthwise_run_five_parts(rows, in, count, outputs, out);
}

void nn_depthwise_settle_five(struct five_rows *rows, struct depthwise *d, HVX_Vector *memory,
			      uint32_t positions)
{
	const struct nn_tensor *output = &d->call->output[0];

	rows->d = d;
	rows->weights = memory;
	rows->parts = (uint8_t *)(memory + 28);
	rows->five.weights = memory;
	rows->five.period_bytes = d->period * 4;
	rows->five.sums = memory + 28 + FIVE_MOST_ROWS + positions;
	rows->job = (struct depthwise_image){
		.period_bytes = d->period * 4,
		.bias_bytes = d->bias_bytes,
		.scales_bytes = d->scales_bytes,
		.pitch = output->dims[2] * d->channels,
		.ties = memory + 28 + FIVE_MOST_ROWS,
		.offset = ((uint32_t)output->zero_point << 16) + 0x8001,
		.min = four_bytes(d->call->op->out_min),
		.max = four_bytes(d->call->op->out_max),
		.limit = 3 << 16,
	};
	rows->finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				 d->call->op->out_min, d->call->op->out_max);
	rows->most = positions;
	rows->first = 0;
	rows->channels = d->channels;
	rows->apart = VECTOR;
	rows->is_paired = false;
}

void nn_depthwise_pair_columns(struct five_rows *rows, uint32_t channels)
{
	uint32_t next = rows->d->window.stride_w == 2 ? 2 : 4;

	rows->channels = channels;
	rows->is_paired = true;
	for (uint32_t k = 0; k < 3; k++)
		rows->column[k] = k * next * channels;
}

void nn_depthwise_count_rounds(struct five_rows *rows, uint32_t y, uint32_t count)
{
	const struct depthwise *d = rows->d;
	/*
	 * A row of output is `stride` rounds below the one above; the first `before` rounds end
	 * none.
	 */
	uint32_t stride = rows->is_paired ? 1 : d->window.stride_h;
	uint32_t before = is_strided(rows) ? 2 : 4;
	int32_t height = d->call->input[0].dims[1];
	int32_t top = y * d->window.stride_h - d->window.pad_top;
	int32_t bottom = top + (count - 1) * d->window.stride_h + 5;
	uint32_t sums, padding;

	rows->job.rows = count < 2 ? 2 : count;
	sums = (rows->job.rows - 1) * stride + 1;
	/* Rows of padding below are those above the next position: two, or the first of a round. */
	if (is_strided(rows))
		padding = top <= -1 && bottom >= height + 1 ? 1 : 0;
	else
		padding = top <= -2 && bottom >= height + 2 ? 2 : 0;
	rows->five.rounds = sums + before;
	rows->five.next_rounds = sums + before - padding;
	rows->job.scaled = (int32_t *)(rows->five.sums + 4 * before);
	rows->job.sum_step = (4 * stride - 3) * VECTOR;
	rows->job.next_sums = (rows->five.next_rounds - stride) * 4 * VECTOR;
}

int nn_depthwise_run_five(struct depthwise *d, uint32_t y, uint32_t rows, uint32_t outputs,
			  uint8_t *out, uint32_t out_pitch)
{
	uint32_t stride = d->window.stride_h, most = (FIVE_MOST_ROWS - 1) / stride + 1, count;
	struct five_rows five;

	nn_depthwise_settle_five(&five, d, (HVX_Vector *)d->job_memory, MOST_POSITIONS);
	d->flat_sums = (HVX_Vector *)(d->job_memory + FIVE_BYTES);
	five.five.row_bytes = d->window.stride_w * d->phase_bytes;
	five.job.pitch = out_pitch;
	for (uint32_t k = 0; k < 5; k++)
		five.column[k] = d->column[k];
	for (uint32_t i = 0; i < rows; i += count) {
		int ret;

		count = min_u32(rows - i, most);
		nn_depthwise_count_rounds(&five, y + i, count);
		five.most = min_u32((MOST_ROUNDS - 4) / five.five.next_rounds, MOST_POSITIONS);
		ret = nn_depthwise_run_five_rows(&five, d->rows + i * stride * five.five.row_bytes,
						 count, outputs, out + i * out_pitch);
		if (ret)
			return ret;
	}
	return 0;
}
