// SPDX-License-Identifier: MIT
/*
 * MAX_POOL on HVX.
 */
#include "../kernels/checks.h"
#include "kernels.h"
#include "max_windows.h"
#include "pool.h"

static inline HVX_Vector max_bytes(HVX_Vector a, HVX_Vector b, bool is_signed)
{
	return is_signed ? Q6_Vb_vmax_VbVb(a, b) : Q6_Vub_vmax_VubVub(a, b);
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

/* Whether the assembly has windows of this shape. */
static bool has_windows(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;

	return window->kernel_h == window->kernel_w &&
	       (window->kernel_h == 2 || window->kernel_h == 3) && window->stride_w == 2 &&
	       window->pad_left <= (window->kernel_w == 3) && call->input[0].dims[3] >= 16;
}

/*
 * The first windows of an output row, straight from the input: as many as this can do, perhaps none.
 * Those that are cut off at the right it cannot, and, with fewer than 128 channels, not those whose
 * vectors leave an operand.
 */
static uint32_t max_whole_windows(const struct nn_call *call, const uint8_t *image,
				  const struct pool_window *rows, uint8_t *out)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t channels = input->dims[3], width = input->dims[2], kernel = params->kernel_w;
	uint32_t before = kernel - 2;
	const uint8_t *end = input->data + input->bytes;
	struct max_windows windows = {
		.count = min_u32((width + params->pad_left - kernel) / 2 + 1, output->dims[2]),
		.pixel = channels,
		.min = (call->op->out_min & 0xff) * 0x1010101u,
		.max = (call->op->out_max & 0xff) * 0x1010101u,
	};
	const uint8_t *row[3];

	if (width + params->pad_left < kernel)
		return 0;
	/* Rows that are padding are others once more. */
	for (uint32_t i = 0; i < 3; i++)
		row[i] = image + min_u32(rows->top + i, rows->bottom - 1) * width * channels;
	while (channels < VECTOR && windows.count &&
	       (row[2] + ((windows.count - 1) * 2 + kernel - 1 - params->pad_left) * channels +
				VECTOR > end ||
		out + (windows.count - 1) * channels + VECTOR > output->data + output->bytes))
		windows.count--;
	if (!windows.count)
		return 0;
	for (uint32_t c = 0; c < channels; c += VECTOR) {
		/* The last vector overlaps the one before it rather than the next pixel. */
		uint32_t at = c && channels - c < VECTOR ? channels - VECTOR : c;

		windows.to = out + at;
		for (uint32_t i = 0; i < 3; i++) {
			windows.before[i] = row[i] + at;
			windows.row[i] = row[i] + at + (before - params->pad_left) * channels;
		}
		if (kernel == 2 && input->type == NN_TYPE_INT8)
			nn_max_windows_2_s8(&windows);
		else if (kernel == 2)
			nn_max_windows_2_u8(&windows);
		else if (input->type == NN_TYPE_INT8)
			nn_max_windows_3_s8(&windows);
		else
			nn_max_windows_3_u8(&windows);
	}
	return windows.count;
}

int nn_max_pool_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = fitting_columns(call, 1);
	uint64_t work = 64 + (uint64_t)output->dims[2] * (output->dims[3] / VECTOR + 1) * 8 +
			3 * NN_PAGE_WORK + 4ull * memory_work(input->dims[2] * input->dims[3]);
	bool at_once = has_windows(call) && work <= NN_TILE;
	struct progress progress = { .call = call };

	if (!columns)
		return nn_max_pool_portable(call);

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		for (uint32_t y = 0; y < output->dims[1]; y++) {
			struct pool_window rows = pool_window(call, y, 0);

			uint32_t first = 0;

			if (at_once) {
				int ret = progress_add(&progress, work);

				if (ret)
					return ret;
				first = max_whole_windows(call, input->data + n * input->row_bytes,
							  &rows,
							  output->data + n * output->row_bytes +
								  y * output->dims[2] *
									  output->dims[3]);
			}
			for (uint32_t x = first; x < output->dims[2]; x += columns) {
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
