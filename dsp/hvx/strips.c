// SPDX-License-Identifier: MIT
/*
 * See strips.h.
 *
 * Strips are as high as there is room for, because rows that two of them see are copied twice, and
 * all as high as each other.
 */
#include <stddef.h>

#include "../kernels/checks.h"
#include "../kernels/progress.h"
#include "pixels.h"
#include "strips.h"
#include "vector.h"

#define ENOUGH_ROWS	8u	/* of a strip: else it is made narrower, */
#define ENOUGH_COLUMNS	16u	/* if that has twice as many columns at least */

struct strips {
	const struct nn_call *call;
	struct progress progress;
	uint32_t rows, columns;		/* of the output, at most */
	bool gathers, scatters;		/* else the operand is where it is */
	uint8_t *in, *out;		/* in scratch memory */
	struct nn_program_op op;	/* of a strip, */
	struct nn_call piece;		/* as a call */
};

/* What some windows see of an input, in one of its two directions. */
struct view {
	uint32_t first, count, padding;		/* that is before the first */
};

static struct view view_of(uint32_t begin, uint32_t windows, uint32_t kernel, uint32_t stride,
			   uint32_t dilation, uint32_t padding, uint32_t size)
{
	int64_t at = (int64_t)begin * stride - padding;
	int64_t end = at + (windows - 1ll) * stride + (kernel - 1ll) * dilation + 1;
	struct view view = { .first = at < 0 ? 0 : at, .padding = at < 0 ? -at : 0 };

	view.count = (end < size ? end : size) - view.first;
	return view;
}

/* What so many windows see at most. */
static uint32_t most_seen(uint32_t windows, uint32_t kernel, uint32_t stride, uint32_t dilation,
			  uint32_t size)
{
	uint64_t count = (windows - 1ull) * stride + (kernel - 1ull) * dilation + 1;

	return count < size ? count : size;
}

/* With a vector behind them that may be written, or read. No operand has 2^32 bytes in an item. */
static uint64_t staged_bytes(const struct nn_tensor *tensor, uint32_t rows, uint32_t columns)
{
	return round_up((uint64_t)rows * columns * nn_pixel_bytes(tensor) + VECTOR, VECTOR);
}

static uint64_t in_bytes(const struct strips *strips, uint32_t rows)
{
	const struct nn_window_params *window = &strips->call->op->window;
	const struct nn_tensor *input = &strips->call->input[0];

	if (!strips->gathers)
		return 0;
	return staged_bytes(input,
			    most_seen(rows, window->kernel_h, window->stride_h, window->dilation_h,
				      input->dims[1]),
			    most_seen(strips->columns, window->kernel_w, window->stride_w,
				      window->dilation_w, input->dims[2]));
}

static uint64_t out_bytes(const struct strips *strips, uint32_t rows)
{
	return strips->scatters ?
		       staged_bytes(&strips->call->output[0], rows, strips->columns) : 0;
}

/* 0: not even one row of the output does. */
static uint32_t fitting_rows(const struct strips *strips, uint32_t bytes)
{
	uint32_t low = 0, high = strips->call->output[0].dims[1];

	while (low < high) {
		uint32_t rows = high - (high - low) / 2;

		if (in_bytes(strips, rows) + out_bytes(strips, rows) <= bytes)
			low = rows;
		else
			high = rows - 1;
	}
	return low;
}

/* A strip that has not all columns is no run of bytes in operands, whether these are dense or not. */
static void take_columns(struct strips *strips, uint32_t columns)
{
	const struct nn_tensor *input = &strips->call->input[0];
	const struct nn_tensor *output = &strips->call->output[0];
	bool is_whole = columns == output->dims[2];

	strips->columns = columns;
	strips->gathers = !is_whole || !nn_tensor_is_dense(input);
	strips->scatters = !is_whole || !nn_tensor_is_dense(output);
}

/* False: there is no room for a window. */
static bool divide(struct strips *strips)
{
	const struct nn_call *call = strips->call;
	uint32_t height = call->output[0].dims[1], width = call->output[0].dims[2], count;
	uint32_t most = call->scratch_size / 2;
	uint8_t *end = call->scratch + call->scratch_size / VECTOR * VECTOR;

	take_columns(strips, width);
	for (;;) {
		strips->rows = fitting_rows(strips, most);
		if (strips->rows >= min_u32(height, ENOUGH_ROWS))
			break;
		if (strips->rows ? strips->columns < 2 * ENOUGH_COLUMNS : strips->columns == 1)
			break;
		take_columns(strips, (strips->columns + 1) / 2);
	}
	if (!strips->rows)
		return false;
	count = (height - 1) / strips->rows + 1;
	strips->rows = (height - 1) / count + 1;
	strips->out = end - out_bytes(strips, strips->rows);
	strips->in = strips->out - in_bytes(strips, strips->rows);
	return true;
}

/* Between reports lie as many pixels as make half a tile: the rest of it is the kernel's. */
static uint32_t pixels_at_once(uint32_t bytes, uint32_t pitch, uint32_t *work)
{
	*work = 16 + bytes / VECTOR * 4 + memory_work(2 * bytes) + stride_work(pitch - bytes);
	return NN_TILE / 2 / *work;
}

static int gather(struct progress *progress, uint8_t *to, const uint8_t *from, uint32_t pitch,
		  uint32_t bytes, uint32_t count)
{
	uint32_t work, most = pixels_at_once(bytes, pitch, &work), part;

	for (; count; count -= part, to += part * bytes, from += (uint64_t)part * pitch) {
		int ret;

		part = min_u32(count, most);
		ret = progress_add(progress, part * work);
		if (ret)
			return ret;
		nn_gather_pixels(to, from, pitch, bytes, part);
	}
	return 0;
}

static int scatter(struct progress *progress, uint8_t *to, uint32_t pitch, const uint8_t *from,
		   uint32_t bytes, uint32_t count)
{
	uint32_t work, most = pixels_at_once(bytes, pitch, &work), part;

	for (; count; count -= part, to += (uint64_t)part * pitch, from += part * bytes) {
		int ret;

		part = min_u32(count, most);
		ret = progress_add(progress, part * work);
		if (ret)
			return ret;
		nn_scatter_pixels(to, pitch, from, bytes, bytes, part);
	}
	return 0;
}

static uint8_t *place(const struct nn_tensor *tensor, uint32_t item, uint32_t y, uint32_t x)
{
	return tensor->data + item * tensor->row_pitch +
	       ((uint64_t)y * tensor->dims[2] + x) * tensor->pitch;
}

/* Rows of a tensor, and of these some columns or all, to where they are side by side. */
static int gather_block(struct strips *strips, uint32_t item, const struct view *rows,
			const struct view *columns)
{
	const struct nn_tensor *input = &strips->call->input[0];
	const uint8_t *from = place(input, item, rows->first, columns->first);
	uint32_t pixel = nn_pixel_bytes(input), row = columns->count * pixel;
	uint8_t *to = strips->in;

	if (nn_tensor_is_dense(input))
		return gather(&strips->progress, to, from, input->dims[2] * pixel, row,
			      rows->count);
	if (columns->count == input->dims[2])
		return gather(&strips->progress, to, from, input->pitch, pixel,
			      rows->count * columns->count);
	for (uint32_t y = 0; y < rows->count; y++) {
		int ret = gather(&strips->progress, to, from, input->pitch, pixel, columns->count);

		if (ret)
			return ret;
		to += row;
		from += (uint64_t)input->dims[2] * input->pitch;
	}
	return 0;
}

/* The way back. */
static int scatter_block(struct strips *strips, uint8_t *to, uint32_t rows, uint32_t columns)
{
	const struct nn_tensor *output = &strips->call->output[0];
	uint32_t pixel = nn_pixel_bytes(output), row = columns * pixel;
	const uint8_t *from = strips->out;

	if (nn_tensor_is_dense(output))
		return scatter(&strips->progress, to, output->dims[2] * pixel, from, row, rows);
	if (columns == output->dims[2])
		return scatter(&strips->progress, to, output->pitch, from, pixel, rows * columns);
	for (uint32_t y = 0; y < rows; y++) {
		int ret = scatter(&strips->progress, to, output->pitch, from, pixel, columns);

		if (ret)
			return ret;
		from += row;
		to += (uint64_t)output->dims[2] * output->pitch;
	}
	return 0;
}

/* A dense block of an item of `whole`, which is at `data`. */
static void describe(struct nn_tensor *block, const struct nn_tensor *whole, uint8_t *data,
		     uint32_t rows, uint32_t columns)
{
	block->data = data;
	block->dims[0] = 1;
	block->dims[1] = rows;
	block->dims[2] = columns;
	block->pitch = nn_pixel_bytes(whole);
	block->bytes = (uint64_t)rows * columns * block->pitch;
	block->row_bytes = block->row_pitch = block->bytes;
}

/* The windows of `rows` rows from y on, and in these of `columns` columns from x on. */
static int run_strip(struct strips *strips, uint32_t item, uint32_t y, uint32_t rows, uint32_t x,
		     uint32_t columns, int (*run)(const struct nn_call *call))
{
	const struct nn_call *call = strips->call;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_window_params *window = &call->op->window;
	struct view down = view_of(y, rows, window->kernel_h, window->stride_h, window->dilation_h,
				   window->pad_top, input->dims[1]);
	struct view across = view_of(x, columns, window->kernel_w, window->stride_w,
				     window->dilation_w, window->pad_left, input->dims[2]);
	uint8_t *from = strips->in, *to = place(output, item, y, x);
	int ret;

	if (!strips->gathers)
		from = place(input, item, down.first, 0);
	ret = strips->gathers ? gather_block(strips, item, &down, &across) : 0;
	if (ret)
		return ret;
	/* The kernel counts from 0 on, and may end before its first report. */
	ret = nn_call_progress(call);
	if (ret)
		return ret;
	strips->progress.work = NN_TILE / 2;
	strips->op.window.pad_top = down.padding;
	strips->op.window.pad_left = across.padding;
	describe(&strips->piece.input[0], input, from, down.count,
		 strips->gathers ? across.count : input->dims[2]);
	describe(&strips->piece.output[0], output, strips->scatters ? strips->out : to, rows,
		 columns);
	ret = run(&strips->piece);
	return ret || !strips->scatters ? ret : scatter_block(strips, to, rows, columns);
}

int nn_strips_run(const struct nn_call *call, int (*run)(const struct nn_call *call))
{
	const struct nn_tensor *output = &call->output[0];
	struct strips strips = {
		.call = call,
		.progress = { .call = call },
		.op = *call->op,
		.piece = *call,
	};

	if (!divide(&strips))
		return nn_kernels_portable[call->op->opcode].run(call);
	strips.piece.op = &strips.op;
	strips.piece.next = NULL;
	strips.piece.scratch_size = strips.in - call->scratch;
	for (uint32_t item = 0; item < output->dims[0]; item++) {
		for (uint32_t x = 0; x < output->dims[2]; x += strips.columns) {
			uint32_t columns = min_u32(output->dims[2] - x, strips.columns);

			for (uint32_t y = 0; y < output->dims[1]; y += strips.rows) {
				int ret = run_strip(&strips, item, y,
						    min_u32(output->dims[1] - y, strips.rows), x,
						    columns, run);

				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
