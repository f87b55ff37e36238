// SPDX-License-Identifier: MIT
/*
 * Strips of windows over strided pixels (strips.h): how high they are, and what is copied for each.
 *
 * Strips are as high as there is room for, because rows that two of them see are copied twice, and
 * all as high as each other.
 */
#include <stddef.h>

#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/strided.h"
#include "dsp/hvx/common/strips.h"
#include "dsp/hvx/common/vector.h"

#define KERNEL_BYTES	(64u << 10)	/* of scratch memory that are enough for any; else half */
#define ENOUGH_ROWS	8u	/* of a strip: else it is made narrower, */
#define ENOUGH_COLUMNS	16u	/* if that has twice as many columns at least */

struct strips {
	const struct nn_call *call;
	struct progress progress;	/* of what copies and kernels may have left to report */
	uint32_t rows, columns;		/* of the output, at most */
	bool gathers, scatters;		/* else the operand is where it is */
	uint8_t *in, *out;		/* in scratch memory */
	struct nn_program_op op;	/* of a strip, */
	struct nn_call piece;		/* as a call */
};

/* A view is what some windows see of an input, in one of its two directions. */
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

/* The most that so many windows see. */
static uint32_t most_seen(uint32_t windows, uint32_t kernel, uint32_t stride, uint32_t dilation,
			  uint32_t size)
{
	uint64_t count = (windows - 1ull) * stride + (kernel - 1ull) * dilation + 1;

	return count < size ? count : size;
}

/*
 * The memory of staged pixels, with a vector behind them that may be written, or read. No operand
 * has 2^32 bytes in an item.
 */
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

/* The most rows of the output that fit; 0: not even one does. */
static uint32_t fitting_rows(const struct strips *strips, uint32_t bytes)
{
	uint32_t low = 0, high = strips->call->output[0].dims[1], rows = high;

	/* All do most often. */
	while (low < high) {
		if (in_bytes(strips, rows) + out_bytes(strips, rows) <= bytes)
			low = rows;
		else
			high = rows - 1;
		rows = high - (high - low) / 2;
	}
	return low;
}

/*
 * A strip that has not all columns is no run of bytes in operands, whether these are dense or not.
 */
static void take_columns(struct strips *strips, uint32_t columns)
{
	const struct nn_tensor *input = &strips->call->input[0];
	const struct nn_tensor *output = &strips->call->output[0];
	bool is_whole = columns == output->dims[2];

	strips->columns = columns;
	strips->gathers = !is_whole || !nn_tensor_is_dense(input);
	strips->scatters = !is_whole || !nn_tensor_is_dense(output);
}

/* Divides the image into strips. False: there is no room for a window. */
static bool divide(struct strips *strips)
{
	const struct nn_call *call = strips->call;
	uint32_t height = call->output[0].dims[1], width = call->output[0].dims[2];
	uint32_t most = call->scratch_size / 2;
	uint8_t *end = call->scratch + call->scratch_size / VECTOR * VECTOR;

	if (most > KERNEL_BYTES)
		most = call->scratch_size - KERNEL_BYTES;
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
	strips->rows = even_part(height, strips->rows);
	strips->out = end - out_bytes(strips, strips->rows);
	strips->in = strips->out - in_bytes(strips, strips->rows);
	return true;
}

/* A block is `rows` rows of `columns` pixels of `bytes` bytes. */
struct block {
	uint32_t rows, columns, bytes;
};

/* The places of a block's pixels: rows of `row` bytes, and in each a pixel every `pitch` bytes. */
struct places {
	uint8_t *first;
	uint32_t row, pitch;
};

/* The bytes from a row's first to its last. */
static uint32_t reach_of(const struct block *block, const struct places *places)
{
	return (block->columns - 1) * places->pitch + block->bytes;
}

/* Describes places as an operand of COPY, which ends where the last row does. */
static void describe_staging(struct nn_tensor *tensor, const struct block *block,
			    const struct places *places)
{
	tensor->data = places->first;
	tensor->dims[0] = block->rows;
	tensor->row_bytes = places->row;
	tensor->bytes = (uint64_t)(block->rows - 1) * places->row + reach_of(block, places);
}

/* Tells whether whole vectors go to whole vectors: a packet each, of which COPY knows nothing. */
static bool are_vectors(const struct block *block, const struct places *to,
			const struct places *from)
{
	return ((uintptr_t)to->first | to->row | to->pitch | (uintptr_t)from->first | from->row |
		from->pitch | block->bytes) % VECTOR == 0;
}

static int copy_whole_vectors(const struct nn_call *call, const struct block *block,
			      const struct places *to, const struct places *from)
{
	struct progress progress = { .call = call };
	uint32_t work = 16 + block->columns * (block->bytes / 64 + memory_work(2 * block->bytes) +
					       stride_work(to->pitch - block->bytes) +
					       stride_work(from->pitch - block->bytes));

	for (uint32_t y = 0; y < block->rows; y++) {
		int ret = progress_add(&progress, work);

		if (ret)
			return ret;
		nn_scatter_pixels(to->first + y * to->row, to->pitch, from->first + y * from->row,
				  from->pitch, block->bytes, block->columns);
	}
	return 0;
}

/* Reports the work of a copy that may be left over when COPY has reported for itself. */
static int expect_work(struct strips *strips, const struct block *block, uint32_t pitch)
{
	uint64_t work = (uint64_t)block->rows * block->columns *
			(16 + block->bytes / 32 + stride_work(pitch));

	return progress_add(&strips->progress, work < NN_TILE ? work : NN_TILE);
}

/* Copies a block as COPY does it, which has a way for each size. */
static int copy_block(struct strips *strips, struct block block, struct places to,
		      struct places from)
{
	struct nn_program_op op;
	struct nn_call copy;	/* of which COPY's kernel needs but this */
	int ret;

	ret = expect_work(strips, &block, to.pitch > from.pitch ? to.pitch : from.pitch);
	if (ret)
		return ret;
	if (are_vectors(&block, &to, &from))
		return copy_whole_vectors(strips->call, &block, &to, &from);
	/* A row that is side by side in both is one. */
	if (to.pitch == block.bytes && from.pitch == block.bytes) {
		block.bytes *= block.columns;
		block.columns = 1;
		to.pitch = from.pitch = block.bytes;
	}
	/* Whole rows that follow each other at the same pitch are one. */
	if (to.row == block.columns * to.pitch && from.row == block.columns * from.pitch) {
		block.columns *= block.rows;
		block.rows = 1;
	}
	op.copy = (struct nn_copy_params){ block.columns, block.bytes, 0, from.pitch, 0, to.pitch };
	copy.op = &op;
	copy.run = strips->call->run;
	copy.scratch = strips->call->scratch;
	copy.scratch_size = strips->piece.scratch_size;
	describe_staging(&copy.output[0], &block, &to);
	describe_staging(&copy.input[0], &block, &from);
	return nn_copy_hvx(&copy);
}

/* The places of an operand's pixels from this one on. */
static struct places staging_of(const struct nn_tensor *tensor, uint8_t *first)
{
	return (struct places){ first, tensor->dims[2] * tensor->pitch, tensor->pitch };
}

/* The places of pixels side by side. */
static struct places staged_operands(uint8_t *first, const struct block *block)
{
	return (struct places){ first, block->columns * block->bytes, block->bytes };
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
	struct block seen = { down.count, across.count, nn_pixel_bytes(input) };
	struct block made = { rows, columns, nn_pixel_bytes(output) };
	uint8_t *from = pixel_at(input, item, down.first, across.first);
	uint8_t *to = pixel_at(output, item, y, x);
	int ret = 0;

	if (strips->gathers) {
		ret = copy_block(strips, seen, staged_operands(strips->in, &seen),
				 staging_of(input, from));
		from = strips->in;
	}
	/* The kernel begins to count anew, and may leave as much. */
	if (!ret && strips->progress.work > NN_TILE / 2)
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
	if (ret || !strips->scatters)
		return ret;
	return copy_block(strips, made, staging_of(output, to),
			  staged_operands(strips->out, &made));
}

/* No kernel with windows has more operands, and what is absent none looks at. */
static void settle_piece(struct strips *strips)
{
	const struct nn_call *call = strips->call;
	struct nn_call *piece = &strips->piece;

	strips->op = *call->op;
	piece->input[0] = call->input[0];
	for (uint32_t i = 1; i < 4 && call->input[i].type; i++)
		piece->input[i] = call->input[i];
	piece->output[0] = call->output[0];
	piece->op = &strips->op;
	piece->run = call->run;
	piece->next = NULL;
	piece->first = call->first;
	piece->scratch = call->scratch;
	piece->scratch_size = strips->in - call->scratch;
}

int nn_strips_run(const struct nn_call *call, int (*run)(const struct nn_call *call))
{
	const struct nn_tensor *output = &call->output[0];
	struct strips strips;

	strips.call = call;
	strips.progress = (struct progress){ .call = call };
	if (!divide(&strips))
		return nn_kernels_portable[call->op->opcode].run(call);
	settle_piece(&strips);
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
