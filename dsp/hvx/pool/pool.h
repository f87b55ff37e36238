/* SPDX-License-Identifier: MIT */
/*
 * Windows of any kind, for MAX_POOL and AVERAGE_POOL: max_pool.c, average.h and the files about 2x2
 * and 3x3 include it.
 *
 * Each output row takes two steps: first the rows of its windows are combined to one row, whole
 * vectors at a time however many channels there are, with neutral columns where the padding is;
 * then the columns of each window are. A row that scratch memory has no room for is done in parts.
 */
#ifndef NN_HVX_POOL_H
#define NN_HVX_POOL_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

/* Divides by a stride, which is mostly 1 or 2, without the 30 packets of a division. */
static inline uint32_t divide_by_stride(uint32_t n, uint32_t stride)
{
	return stride == 1 ? n : stride == 2 ? n / 2 : n / stride;
}

/* Returns the number of output rows before the first one whose windows are cut off below. */
static inline uint32_t pool_whole_rows(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t height = call->input[0].dims[1] + window->pad_top;

	if (height < window->kernel_h)
		return 0;
	return min_u32(divide_by_stride(height - window->kernel_h, window->stride_h) + 1,
		       call->output[0].dims[1]);
}

/*
 * Returns how many of these rows another row follows, in the output and, behind their windows, in
 * the input: so many may read and write past their ends.
 */
static inline uint32_t pool_followed_rows(const struct nn_call *call, uint32_t whole)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t height = call->input[0].dims[1] + window->pad_top;
	bool is_last = whole == call->output[0].dims[1] ||
		       (whole - 1) * window->stride_h + window->kernel_h == height;

	return whole && is_last ? whole - 1 : whole;
}

/*
 * A part of an output row: columns out_x and after, `columns` of them, with the input columns they
 * see.
 */
struct column_part {
	uint32_t out_x, columns;
	uint32_t width;		/* input columns, padding included */
	uint32_t left, inside;	/* columns of padding before, columns of input */
	uint32_t first;		/* the input column after the padding */
};

static inline struct column_part part_of(const struct nn_call *call, uint32_t out_x,
					 uint32_t columns)
{
	const struct nn_window_params *window = &call->op->window;
	struct column_part part = { .out_x = out_x, .columns = columns };
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
 * Returns how many output columns fit: their input columns at `size` bytes an element, twice, must
 * fit scratch memory. 0: not even one.
 */
static inline uint32_t fitting_columns(const struct nn_call *call, uint32_t size)
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

/* A call whose images are one column, as it is with one row: the same elements in memory. */
struct laid_down {
	struct nn_call call;
	struct nn_program_op op;
};

/*
 * Returns the call, or one in *down where images of one column have one row. Sums of a column are
 * those of a row, whatever their order in float32.
 */
static inline const struct nn_call *lay_down(const struct nn_call *call, struct laid_down *down)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t width = (uint64_t)params->kernel_h * output->dims[3];

	if (input->dims[2] != 1 || output->dims[2] != 1 || output->dims[1] == 1 ||
	    width > MOST_IN_WIDTH)
		return call;
	down->call = *call;
	down->op = *call->op;
	down->call.op = &down->op;
	down->call.input[0].dims[1] = down->call.output[0].dims[1] = 1;
	down->call.input[0].dims[2] = input->dims[1];
	down->call.output[0].dims[2] = output->dims[1];
	down->op.window.kernel_h = params->kernel_w;
	down->op.window.kernel_w = params->kernel_h;
	down->op.window.stride_h = params->stride_w;
	down->op.window.stride_w = params->stride_h;
	down->op.window.pad_top = params->pad_left;
	down->op.window.pad_left = params->pad_top;
	return &down->call;
}

/* The work of combining the rows of a part's windows. */
static inline uint32_t row_work(const struct column_part *part, const struct pool_window *rows,
				uint32_t channels)
{
	uint32_t height = rows->bottom - rows->top, bytes = part->width * channels;

	return (bytes / VECTOR + 1) * (height + 2) * 4 +
	       height * (NN_PAGE_WORK + memory_work(bytes));
}

/* Loads `bytes` bytes, the last vector perhaps in part. */
static inline HVX_Vector load_row(const uint8_t *p, uint32_t bytes)
{
	return bytes < VECTOR ? load_bytes(p, bytes) : load(p);
}

#endif
