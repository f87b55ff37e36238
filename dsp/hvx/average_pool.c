// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL on HVX.
 */
#include "../kernels/checks.h"
#include "average.h"
#include "average_fours.h"
#include "kernels.h"
#include "requant.h"

struct average {
	HVX_Vector multiplier;
	HVX_Vector zero;	/* the elements' zero points added up */
	HVX_Vector half;
	uint32_t shift;
};

static inline HVX_Vector average_words(HVX_Vector sum, const struct average *average)
{
	HVX_VectorPair product;

	sum = Q6_Vw_vasl_VwR(Q6_Vw_vsub_VwVw(sum, average->zero), 6);
	product = Q6_W_vmpye_VwVuh(sum, average->multiplier);
	product = Q6_W_vmpyoacc_WVwVh(product, sum, average->multiplier);
	return Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(Q6_V_hi_W(product), average->half), average->shift);
}

/* The means of 64 channels. */
static inline HVX_Vector average_channels(const uint16_t *column, uint32_t columns,
					  uint32_t channels, const struct average *average)
{
	HVX_VectorPair sum = add_columns(column, columns, channels);

	return Q6_Vh_vsat_VwVw(average_words(Q6_V_hi_W(sum), average),
			       average_words(Q6_V_lo_W(sum), average));
}

/*
 * Sums of windows, unsigned halfwords, so of at most 257 elements, channel after channel and window
 * after window. Writes up to a vector too much.
 */
static void add_windows(uint16_t *to, const uint16_t *down, const struct nn_window_params *params,
			uint32_t windows, uint32_t channels)
{
	for (uint32_t x = 0; x < windows; x++, down += params->stride_w * channels, to += channels) {
		for (uint32_t c = 0; c < channels; c += VECTOR / 2) {
			const uint16_t *column = down + c;
			HVX_Vector sum = load(column);

			for (uint32_t k = 1; k < params->kernel_w; k++) {
				column += channels;
				sum = Q6_Vh_vadd_VhVh(sum, load(column));
			}
			store(to + c, sum);
		}
	}
}

/* 64 sums, in the order that they have. */
static inline HVX_Vector average_halves(HVX_Vector sums, const struct average *average)
{
	HVX_VectorPair words = Q6_Wuw_vzxt_Vuh(sums);

	return Q6_Vh_vsat_VwVw(average_words(Q6_V_hi_W(words), average),
			       average_words(Q6_V_lo_W(words), average));
}

/* The means of `count` sums. */
static void average_sums(uint8_t *out, const uint16_t *sums, uint32_t count,
			 const struct average *average, const struct finish *finish)
{
	for (; count >= VECTOR; count -= VECTOR, sums += VECTOR, out += VECTOR)
		store(out, finish_8bit(average_halves(load(sums), average),
				       average_halves(load(sums + VECTOR / 2), average), finish));
	if (count)
		store_bytes(out, finish_8bit(average_halves(load(sums), average),
					     average_halves(load(sums + VECTOR / 2), average),
					     finish), count);
}

/* Windows of at most 257 elements, those that are equally large together. */
static void average_windows(const struct nn_call *call, uint32_t y, const struct part *part,
			    const uint16_t *down, struct average *average, uint8_t *out,
			    const struct finish *finish)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	int32_t zero_point = input->zero_point + (input->type == NN_TYPE_INT8 ? 128 : 0);
	uint16_t *sums = (uint16_t *)(call->scratch + call->scratch_size / 2 / VECTOR * VECTOR);
	uint32_t channels = input->dims[3], end;

	add_windows(sums, down, params, part->columns, channels);
	for (uint32_t x = 0; x < part->columns; x = end) {
		struct pool_window window = pool_window(call, y, part->out_x + x);
		uint32_t area = (window.bottom - window.top) * (window.right - window.left);
		uint32_t count = params->count_padding ? params->kernel_h * params->kernel_w : area;

		/* Whole ones end where the first is cut off. */
		end = x + 1;
		if (window.right - window.left == params->kernel_w)
			end = min_u32((input->dims[2] + params->pad_left - params->kernel_w) /
						      params->stride_w + 1 - part->out_x,
				      part->columns);
		average->multiplier = splat_w(average_multiplier(params->multiplier, count));
		average->zero = splat_w(area * zero_point);
		average_sums(out + x * channels, sums + x * channels, (end - x) * channels, average,
			     finish);
	}
}

static int average_row(struct progress *progress, const uint8_t *image, uint32_t y,
		       const struct part *part, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	int32_t zero_point = input->zero_point + (input->type == NN_TYPE_INT8 ? 128 : 0);
	uint32_t channels = input->dims[3], last_count = 0;
	uint16_t *down = (uint16_t *)call->scratch;
	struct pool_window rows = pool_window(call, y, part->out_x);
	struct average average;
	int ret = progress_add(progress, row_work(part, &rows, channels));

	if (ret)
		return ret;
	add_rows(call, image, &rows, part, down);
	ret = progress_add(progress, part->columns * column_work(call));
	if (ret)
		return ret;
	average.shift = params->shift - 32;
	average.half = splat_w(1 << (average.shift - 1));
	if (params->kernel_h * params->kernel_w <= 257) {
		average_windows(call, y, part, down, &average, out, &finish);
		return 0;
	}
	for (uint32_t x = 0; x < part->columns; x++) {
		struct pool_window window = pool_window(call, y, part->out_x + x);
		uint32_t area = (window.bottom - window.top) * (window.right - window.left);
		uint32_t count = params->count_padding ? params->kernel_h * params->kernel_w : area;

		if (count != last_count)
			average.multiplier = splat_w(average_multiplier(params->multiplier, count));
		last_count = count;
		average.zero = splat_w(area * zero_point);
		for (uint32_t c = 0; c < channels; c += VECTOR) {
			const uint16_t *column = down + x * params->stride_w * channels + c;
			HVX_Vector low = average_channels(column, params->kernel_w, channels,
							  &average),
				   high = low;

			if (channels - c > 64)
				high = average_channels(column + 64, params->kernel_w, channels,
							&average);
			store_bytes(out + x * channels + c, finish_8bit(low, high, &finish),
				    min_u32(channels - c, VECTOR));
		}
	}
	return 0;
}

/*
 * Windows of 2x2 with stride 2 that are not cut off. multiplier / 4 and shift as the operator has
 * them are a factor of 2^-32, if it is less than 1 and the shift leaves nothing out; that it rounds
 * down twice, with a half in between, is to round down once.
 */
static bool settle_fours(struct fours_plan *plan, const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	uint64_t multiplier = average_multiplier(window->multiplier, 4);

	if (window->shift > 38)
		return false;
	multiplier <<= 38 - window->shift;
	return multiplier >> 32 == 0 && nn_fours_settle(plan, call, multiplier, 1u << 31);
}

int nn_average_pool_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = fitting_columns(call, 2);
	struct progress progress = { .call = call };
	uint8_t *out = output->data;
	struct fours_plan fours;
	bool has_fours = settle_fours(&fours, call);

	if (!columns)
		return nn_average_pool_portable(call);
	while (columns > 1 && columns * column_work(call) > NN_TILE)
		columns = (columns + 1) / 2;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0; y < output->dims[1]; y++) {
			uint32_t first = 0;
			int ret;

			if (has_fours && nn_fours_row(call, y)) {
				first = fours.whole;
				for (uint32_t run = 0; run < fours.runs; run++) {
					ret = progress_add(&progress, fours.work);
					if (ret)
						return ret;
					nn_fours_run(&fours, call, run, image, y, out);
					nn_average_fours(&fours.loop);
				}
			}
			for (uint32_t x = first; x < output->dims[2]; x += columns) {
				struct part part =
					part_of(call, x, min_u32(output->dims[2] - x, columns));

				ret = average_row(&progress, image, y, &part,
						  out + x * output->dims[3]);
				if (ret)
					return ret;
			}
			out += output->dims[2] * output->dims[3];
		}
	}
	return 0;
}
