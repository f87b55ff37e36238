// SPDX-License-Identifier: MIT
/*
 * RESIZE copies, for each pixel of the output, the pixel of the image that two tables of rows and
 * columns name (nearest neighbours). nn_resize_hvx() is its vector kernel, in the table of
 * kernels.c: it copies pixels with vectors, without a call for each. A row of the output that is
 * made of the same row of the image as the one before it is a copy of that.
 *
 * Pixels of less than a vector are copied as whole vectors, from the first to the last, so that
 * each overwrites what is too much behind the one before. Pixels whose vectors would leave an
 * operand are copied exactly, and so are all where the output has a pitch: the bytes between its
 * pixels are another tensor's. Pixels of few bytes are gathered several at a time
 * (resize_narrow.c).
 */
#include <stddef.h>

#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/move/resize_narrow.h"

#define MOST_PIXEL	4096u	/* bytes: more are well served by memmove() */
#define NARROW_PIXEL	32u	/* bytes: these are gathered, several at a time */
#define FEW_PIXELS	16u	/* of a row, */
#define FEW_ROWS	8u	/* and rows, for which it takes longer to prepare that */
#define ROW_WORK	40u
#define PIXEL_WORK	16u
#define STRIDED_WORK	40u	/* of a pixel of an output that has a pitch */
#define VECTOR_WORK	8u

struct resize {
	const struct nn_call *call;
	const uint8_t *from_end, *to_end;
	uint32_t pixel;		/* bytes */
	uint32_t pitch;		/* of the output's pixels */
	bool is_dense;		/* the output has no pitch */
};

static inline const uint8_t *find_pixel(const struct resize *resize, const uint8_t *row, uint32_t x)
{
	const int32_t *columns = (const int32_t *)resize->call->input[2].data;
	int32_t last = resize->call->input[0].dims[2] - 1;

	return row + (uint64_t)clamp_int(columns[x], 0, last) * resize->pixel;
}

/* Copies pixels of at least a vector. The last vector of a pixel overlaps the one before it. */
static void copy_wide(const struct resize *resize, const uint8_t *row, uint32_t x, uint32_t count,
		      uint8_t *to)
{
	uint32_t last = resize->pixel - VECTOR;

	for (; count; count--, x++, to += resize->pitch) {
		const uint8_t *from = find_pixel(resize, row, x);

		for (uint32_t i = 0; i < last; i += VECTOR)
			store(to + i, load(from + i));
		store(to + last, load(from + last));
	}
}

static void copy_narrow(const struct resize *resize, const uint8_t *row, uint32_t x, uint32_t count,
			uint8_t *to)
{
	uint32_t pixel = resize->pixel;

	for (; count; count--, x++, to += resize->pitch) {
		const uint8_t *from = find_pixel(resize, row, x);

		if (resize->is_dense && resize->from_end - from >= VECTOR &&
		    resize->to_end - to >= VECTOR)
			store(to, load(from));
		else
			store_bytes(to, load_bytes(from, pixel), pixel);
	}
}

/* Makes a row of the output. */
static int resize_row(const struct resize *resize, struct progress *progress, const uint8_t *row,
		      uint8_t *to)
{
	const struct nn_call *call = resize->call;
	const uint32_t pixel = resize->pixel, width = call->output[0].dims[2];
	const uint32_t work = (resize->is_dense ? PIXEL_WORK : STRIDED_WORK) +
			      pixel / VECTOR * VECTOR_WORK + memory_work(2 * pixel) +
			      stride_work((uint64_t)pixel * call->input[0].dims[2]) +
			      stride_work(resize->pitch - pixel);

	for (uint32_t x = 0, count; x < width; x += count) {
		int ret;

		count = min_u32(width - x, NN_TILE / work);
		ret = progress_add(progress, ROW_WORK + count * work);
		if (ret)
			return ret;
		if (pixel >= VECTOR)
			copy_wide(resize, row, x, count, to);
		else
			copy_narrow(resize, row, x, count, to);
		to += (uint64_t)count * resize->pitch;
	}
	return 0;
}

int nn_resize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const int32_t *rows = (const int32_t *)call->input[1].data;
	uint64_t pixel = (uint64_t)output->dims[3] * nn_type_size(output->type);
	uint64_t row_pitch = (uint64_t)output->pitch * output->dims[2];
	struct resize resize = {
		.call = call,
		.from_end = input->data + input->bytes,
		.to_end = output->data + output->bytes,
		.pixel = pixel,
		.pitch = output->pitch,
		.is_dense = nn_tensor_is_dense(output),
	};
	struct progress progress = { .call = call };
	uint8_t *to = output->data;

	if (pixel > MOST_PIXEL)
		return nn_resize_pixels(call);
	if (resize.is_dense && pixel <= NARROW_PIXEL && output->dims[2] >= FEW_PIXELS &&
	    (uint64_t)output->dims[0] * output->dims[1] >= FEW_ROWS) {
		bool is_done;
		int ret = nn_resize_narrow(call, &is_done);

		if (ret || is_done)
			return ret;
	}
	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes, *before = NULL;

		for (uint32_t y = 0; y < output->dims[1]; y++, to += row_pitch) {
			uint32_t number = clamp_int(rows[y], 0, input->dims[1] - 1);
			const uint8_t *row = image + number * pixel * input->dims[2];
			int ret;

			if (row == before && resize.is_dense)
				ret = progress_copy(&progress, to, to - row_pitch, row_pitch);
			else
				ret = resize_row(&resize, &progress, row, to);
			if (ret)
				return ret;
			before = row;
		}
	}
	return 0;
}
