// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL on HVX.
 */
#include "../kernels/checks.h"
#include "average.h"
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

int nn_average_pool_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = fitting_columns(call, 2);
	struct progress progress = { .call = call };

	if (!columns)
		return nn_average_pool_portable(call);
	while (columns > 1 && columns * column_work(call) > NN_TILE)
		columns = (columns + 1) / 2;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		for (uint32_t y = 0; y < output->dims[1]; y++) {
			for (uint32_t x = 0; x < output->dims[2]; x += columns) {
				struct part part =
					part_of(call, x, min_u32(output->dims[2] - x, columns));
				int ret = average_row(&progress,
						      input->data + n * input->row_bytes, y, &part,
						      output->data + n * output->row_bytes +
							      (y * output->dims[2] + x) *
								      output->dims[3]);

				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
