// SPDX-License-Identifier: MIT
/*
 * MAX_POOL and AVERAGE_POOL on HVX.
 *
 * Each output row in two steps: first the rows of its windows are combined to one row, whole
 * vectors at a time however many channels there are, with neutral columns where the padding is;
 * then the columns of each window.
 */
#include "../kernels/checks.h"
#include "../kernels/pool.h"
#include "../kernels/progress.h"
#include "kernels.h"
#include "requant.h"

/* Output columns out_x and after, `columns` of them, with the input columns they see. */
struct part {
	uint32_t out_x, columns;
	uint32_t width;		/* input columns, padding included */
	uint32_t left, inside;	/* columns of padding before, columns of input */
	uint32_t first;		/* the input column after the padding */
};

static struct part part_of(const struct nn_call *call, uint32_t out_x, uint32_t columns)
{
	const struct nn_window_params *window = &call->op->window;
	struct part part = { .out_x = out_x, .columns = columns };
	int64_t begin = (int64_t)out_x * window->stride_w - window->pad_left, end;

	part.width = (columns - 1) * window->stride_w + window->kernel_w;
	end = begin + part.width;
	if (end > call->input[0].dims[2])
		end = call->input[0].dims[2];
	part.left = begin < 0 ? -begin : 0;
	part.first = begin < 0 ? 0 : begin;
	part.inside = end - part.first;
	return part;
}

/*
 * How many output columns fit: their input columns at `size` bytes an element, twice, must fit
 * scratch memory. 0: not even one.
 */
static uint32_t fitting_columns(const struct nn_call *call, uint32_t size)
{
	const struct nn_window_params *window = &call->op->window;
	uint64_t most =
		(call->scratch_size / 2 - 4 * VECTOR) / ((uint64_t)call->output[0].dims[3] * size);
	uint64_t columns;

	if (most < window->kernel_w)
		return 0;
	columns = (most - window->kernel_w) / window->stride_w + 1;
	return columns < call->output[0].dims[2] ? columns : call->output[0].dims[2];
}

/* What it is to combine the rows of a part's windows. */
static uint32_t row_work(const struct part *part, const struct pool_window *rows,
			 uint32_t channels)
{
	uint32_t height = rows->bottom - rows->top, bytes = part->width * channels;

	return (bytes / VECTOR + 1) * (height + 2) * 4 + height * (NN_PAGE_WORK + memory_work(bytes));
}

static inline HVX_Vector max_bytes(HVX_Vector a, HVX_Vector b, bool is_signed)
{
	return is_signed ? Q6_Vb_vmax_VbVb(a, b) : Q6_Vub_vmax_VubVub(a, b);
}

/* `bytes` bytes, the last vector perhaps in part. */
static inline HVX_Vector load_row(const uint8_t *p, uint32_t bytes)
{
	return bytes < VECTOR ? load_bytes(p, bytes) : load(p);
}

static inline __attribute__((always_inline)) int
max_row(struct progress *progress, const uint8_t *image, const struct pool_window *rows,
	const struct part *part, uint8_t *out, bool is_signed)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *window = &call->op->window;
	uint32_t channels = call->input[0].dims[3], bytes = part->width * channels;
	uint32_t lead = part->left * channels;
	uint32_t inside = part->inside * channels, pitch = call->input[0].dims[2] * channels;
	uint8_t *down = call->scratch,
		*across = call->scratch + (round_up(bytes, VECTOR) + 2 * VECTOR);
	const uint8_t *from = image + rows->top * pitch + part->first * channels;
	HVX_Vector min = splat_b(call->op->out_min), max = splat_b(call->op->out_max);
	int ret = progress_add(progress, row_work(part, rows, channels));

	if (ret)
		return ret;
	__builtin_memset(down, is_signed ? 0x80 : 0, lead);
	for (uint32_t i = 0; i < inside; i += VECTOR) {
		HVX_Vector v = load_row(from + i, inside - i);

		for (uint32_t y = 1; y < rows->bottom - rows->top; y++)
			v = max_bytes(v, load_row(from + y * pitch + i, inside - i), is_signed);
		store(down + lead + i, v);
	}
	__builtin_memset(down + lead + inside, is_signed ? 0x80 : 0, bytes - lead - inside);

	ret = progress_add(progress, (bytes / VECTOR + 1) * (window->kernel_w + 3) * 4);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < bytes; i += VECTOR) {
		HVX_Vector v = load(down + i);

		/* What lies past the row's end makes results that no window uses. */
		for (uint32_t x = 1; x < window->kernel_w && i + x * channels < bytes; x++)
			v = max_bytes(v, load(down + i + x * channels), is_signed);
		v = max_bytes(v, min, is_signed);
		v = is_signed ? Q6_Vb_vmin_VbVb(v, max) : Q6_Vub_vmin_VubVub(v, max);
		store(across + i, v);
	}

	if (window->stride_w == 1) {
		__builtin_memcpy(out, across, part->columns * channels);
		return 0;
	}
	ret = progress_add(progress, part->columns * (channels / VECTOR + 1) * 12);
	if (ret)
		return ret;
	for (uint32_t x = 0; x < part->columns; x++) {
		const uint8_t *column = across + x * window->stride_w * channels;

		for (uint32_t c = 0; c < channels; c += VECTOR)
			store_bytes(out + x * channels + c, load(column + c),
				    min_u32(channels - c, VECTOR));
	}
	return 0;
}

int nn_max_pool_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = fitting_columns(call, 1);
	struct progress progress = { .call = call };

	if (!columns)
		return nn_max_pool_portable(call);

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		for (uint32_t y = 0; y < output->dims[1]; y++) {
			struct pool_window rows = pool_window(call, y, 0);

			for (uint32_t x = 0; x < output->dims[2]; x += columns) {
				struct part part =
					part_of(call, x, min_u32(output->dims[2] - x, columns));
				uint8_t *out = output->data + n * output->row_bytes +
					       (y * output->dims[2] + x) * output->dims[3];
				int ret;

				if (input->type == NN_TYPE_INT8)
					ret = max_row(&progress, input->data + n * input->row_bytes,
						      &rows, &part, out, true);
				else
					ret = max_row(&progress, input->data + n * input->row_bytes,
						      &rows, &part, out, false);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

/* Sums of a window's rows, unsigned halfwords. Padding is 0. */
static void add_rows(const struct nn_call *call, const uint8_t *image,
		     const struct pool_window *rows, const struct part *part, uint16_t *down)
{
	uint32_t channels = call->input[0].dims[3], bytes = part->width * channels;
	uint32_t lead = part->left * channels;
	uint32_t inside = part->inside * channels, pitch = call->input[0].dims[2] * channels;
	const uint8_t *from = image + rows->top * pitch + part->first * channels;
	HVX_Vector flip = splat_b(call->input[0].type == NN_TYPE_INT8 ? 0x80 : 0);
	HVX_Vector zero = Q6_V_vzero();

	__builtin_memset(down, 0, lead * 2);
	for (uint32_t i = 0; i < inside; i += VECTOR) {
		HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero);

		for (uint32_t y = 0; y < rows->bottom - rows->top; y++) {
			HVX_Vector v =
				Q6_V_vxor_VV(load_row(from + y * pitch + i, inside - i), flip);

			sum = Q6_Wh_vaddacc_WhVubVub(sum, v, zero);
		}
		sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -2);
		store(down + lead + i, Q6_V_lo_W(sum));
		store(down + lead + i + 64, Q6_V_hi_W(sum));
	}
	__builtin_memset(down + lead + inside, 0, (bytes - lead - inside) * 2);
}

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
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero);

	for (uint32_t x = 0; x < columns; x++)
		sum = Q6_Ww_vaddacc_WwVuhVuh(sum, load(column + x * channels), zero);
	return Q6_Vh_vsat_VwVw(average_words(Q6_V_hi_W(sum), average),
			       average_words(Q6_V_lo_W(sum), average));
}

/* What one column of the output takes. */
static uint32_t column_work(const struct nn_call *call)
{
	return 150 + (call->output[0].dims[3] / VECTOR + 1) * (call->op->window.kernel_w + 8) * 8;
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
