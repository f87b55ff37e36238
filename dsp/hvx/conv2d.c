// SPDX-License-Identifier: MIT
/*
 * CONV2D on HVX, and with it FULLY_CONNECTED.
 *
 * A vector accumulator holds 32 outputs of one pixel. vrmpy multiplies a vector of weights, 4
 * inputs of each of 32 outputs, with a scalar register that holds 4 inputs of the pixel, and two of
 * them fit a packet. The weights are stored unsigned, with a zero point, so an accumulator begins at
 * bias - zero point * the sum of the pixel's inputs; the sums are made beforehand, by adding the channels of each input
 * pixel and then the pixels of each window.
 *
 * Inputs are read 8 bytes at a time from aligned addresses. Where the tensor has them so and no
 * window reaches into the padding they are read in place; else a strip of rows is copied to scratch
 * memory with padding around it, and if the channels are no multiple of 8 with each window's row
 * laid out by itself.
 *
 * Operators that join it (join.h) follow each group of pixels of which all outputs are made.
 */
#include "../kernels/checks.h"
#include "../kernels/weights.h"
#include "conv2d_group.h"
#include "conv2d_strip.h"
#include "conv2d_tiles.h"
#include "join.h"
#include "kernels.h"

#define WINDOW_MAX	(512u << 10)	/* bytes of a window */

/*
 * What is read again after so many bytes of others may have to be fetched again: the memory nearest
 * to the DSP has at least 256 KiB, and holds more than these.
 */
#define NEAR		(208u << 10)

/*
 * Outputs m to m + memory->block - 1, or fewer: of every other block from the last group to the
 * first, because what the block before read last is still near.
 */
static int convolve_block(struct layer *layer, const struct strip *strip,
			  struct memory *memory, uint8_t *image, uint32_t m)
{
	/* Whole rows are one run of pixels. */
	bool whole = strip->out_columns == layer->out_width, back = m / 64 % 2;
	uint32_t runs = whole ? 1 : strip->out_rows, group = memory->group;
	uint32_t length = whole ? strip->out_rows * strip->out_columns : strip->out_columns;
	uint32_t pitch = layer->outputs * (layer->is_raw ? 4 : 1);
	uint32_t last = back ? (length - 1) / group * group : 0;
	bool ends = m + memory->block >= layer->outputs;
	int ret;

	for (uint32_t run = 0; run < runs; run++) {
		uint8_t *out = image + ((uint64_t)(strip->out_y + run) * layer->out_width +
					strip->out_x) * pitch;
		uint32_t y = run, x = 0;

		if (back) {
			y += last / strip->out_columns;
			x = last % strip->out_columns;
		}
		for (uint32_t done = 0; done < length; done += group) {
			uint32_t p = back ? last - done : done;
			uint32_t pixels = min_u32(length - p, group);
			uint8_t *to = out + (uint64_t)p * pitch;

			ret = conv2d_run_group(layer, strip, memory, to, y, x, pixels, m);
			/* All outputs of these pixels are there now. */
			if (!ret && ends && layer->join)
				ret = nn_join_run(layer->join, &layer->progress, to, pixels * pitch);
			if (ret)
				return ret;
			if (!back) {
				for (x += group; x >= strip->out_columns; y++)
					x -= strip->out_columns;
			} else if (p) {
				for (; x < group; y--)
					x += strip->out_columns;
				x -= group;
			}
		}
	}
	return 0;
}

static int convolve_strip(struct layer *layer, const struct strip *strip,
			  struct memory *memory, uint8_t *image)
{
	for (uint32_t m = 0; m < layer->outputs; m += memory->block) {
		int ret = convolve_block(layer, strip, memory, image, m);

		if (ret)
			return ret;
	}
	return 0;
}

/* Scratch memory */

static uint64_t columns_of(const struct layer *layer, uint32_t out_columns)
{
	return (out_columns - 1ull) * layer->window.stride_w +
	       (layer->window.kernel_w - 1) * layer->window.dilation_w + 1;
}

/* Bytes that a strip needs, as divided below. */
static inline uint64_t __attribute__((always_inline))
strip_bytes(const struct layer *layer, uint32_t out_rows, uint32_t out_columns)
{
	const struct nn_window_params *window = &layer->window;
	uint64_t rows = (out_rows - 1ull) * window->stride_h +
			(window->kernel_h - 1) * window->dilation_h + 1;
	uint64_t columns = columns_of(layer, out_columns);
	uint64_t elements = layer->source == EXPANDED ? out_columns : columns;
	uint64_t bytes = 4 * (round_up(elements, 32) + 32) * (rows + out_rows);

	if (layer->source == EXPANDED)
		bytes += round_up(columns * layer->channels + VECTOR, VECTOR) +
			 round_up(rows * elements * conv2d_expanded_pitch(layer) + CONV2D_SLACK,
				  VECTOR);
	else if (layer->source == PADDED)
		bytes += round_up(rows * columns * layer->channels + CONV2D_SLACK, VECTOR);
	return bytes;
}

/*
 * What a strip takes of the memory near the DSP, which is read more than once: inputs or copies of
 * them, and their sums. If all outputs of a group are made in turn, also the results and what was
 * copied, so that they do not drive out what is still to be read.
 */
static uint64_t near_bytes(const struct layer *layer, const struct memory *memory,
			   uint32_t out_rows, uint32_t out_columns)
{
	uint64_t rows = (out_rows - 1ull) * layer->window.stride_h +
			(layer->window.kernel_h - 1) * layer->window.dilation_h + 1;
	uint64_t inputs = rows * columns_of(layer, out_columns) * layer->channels;
	uint64_t bytes = strip_bytes(layer, out_rows, out_columns);

	if (memory->block < layer->outputs)
		return layer->source == IN_PLACE ? bytes + inputs : bytes;
	return bytes + inputs +
	       (uint64_t)out_rows * out_columns * layer->outputs * (layer->is_raw ? 4 : 1);
}

/*
 * How many rows a strip has, or of a single row how many columns: not so many that what it reads
 * again has gone. Strips are nearly of one size.
 */
static void limit_strip(const struct layer *layer, struct memory *memory)
{
	uint32_t rows = memory->out_rows, columns = memory->out_columns, strips;
	uint32_t most = memory->block < layer->outputs ? NN_SCRATCH_SIZE : NEAR;
	uint64_t first;

	/* Windows that are laid out are most of the work, and more with more strips. */
	if (layer->source == EXPANDED)
		return;
	if (layer->out_height == 1) {
		strips = (near_bytes(layer, memory, 1, columns) + most - 1) / most;
		if (strips > 1 && columns > 2 * CONV2D_GROUP_MAX)
			memory->out_columns = round_up((columns + strips - 1) / strips,
						       CONV2D_GROUP_MAX);
		return;
	}
	if (near_bytes(layer, memory, rows, columns) <= most)
		return;
	first = near_bytes(layer, memory, 1, columns);
	rows = 1;
	if (first < most)
		rows += (most - first) / (near_bytes(layer, memory, 2, columns) - first);
	strips = (layer->out_height + rows - 1) / rows;
	memory->out_rows = (layer->out_height + strips - 1) / strips;
}

/* Are weights still near after a group, of which all outputs are made? */
static bool is_near(const struct layer *layer, const struct memory *memory)
{
	uint64_t group = (uint64_t)memory->group * (layer->channels + layer->outputs);

	return memory->block < layer->outputs || layer->weight_bytes + group < NEAR;
}

/* Divide scratch memory; false if not even four pixels fit. */
static bool divide_scratch(const struct layer *layer, struct memory *memory)
{
	uint8_t *scratch = layer->call->scratch;
	uint64_t left = layer->scratch_size, bytes;
	uint64_t pitch = layer->is_direct ? 0 : conv2d_staging_pitch(layer->outputs);
	uint32_t columns = layer->out_width;

	/* Weights that are not found again are read once for a strip rather than for each group. */
	memory->block = layer->is_direct && layer->weight_bytes > NEAR ? 64 : layer->outputs;

	bytes = round_up((layer->segments + 2ull) * sizeof(struct segment), VECTOR);
	if (bytes > left / 4)
		return false;
	memory->segments = (struct segment *)scratch;
	scratch += bytes;
	left -= bytes;

	bytes = sizeof(*memory->tiles) + 4 * 64;
	if (bytes > left / 4)
		return false;
	memory->tiles = (struct conv2d_tiles *)scratch;
	memory->rest = scratch + sizeof(*memory->tiles);
	scratch += bytes;
	left -= bytes;

	memory->constants_count = (layer->outputs + 63ull) / 64;
	if (memory->constants_count > left / 8 / sizeof(*memory->constants))
		memory->constants_count = left / 8 / sizeof(*memory->constants);
	if (!memory->constants_count)
		memory->constants_count = 1;
	memory->constants_made = 0;
	memory->constants = (struct conv2d_constants *)scratch;
	bytes = memory->constants_count * sizeof(*memory->constants);
	if (bytes > left / 4)
		return false;
	scratch += bytes;
	left -= bytes;

	/*
	 * The more pixels in a group, the less often are the weights read, and the longer do 64
	 * outputs of them take.
	 */
	memory->group = CONV2D_GROUP_MAX;
	while (memory->group > 4 && (memory->group * pitch > left / 3 ||
				     memory->group / 4 * layer->quad_work > NN_TILE ||
				     (memory->group > 128 && !is_near(layer, memory))))
		memory->group /= 2;
	bytes = round_up((memory->group / 4 + 3ull) * sizeof(struct quad), VECTOR);
	if (bytes > left / 4)
		return false;
	memory->quads = (struct quad *)scratch;
	scratch += bytes;
	left -= bytes;
	bytes = round_up(memory->group * pitch + VECTOR, VECTOR);
	if (bytes > left / 2)
		return false;
	memory->staging = scratch;
	scratch += bytes;
	left -= bytes;

	while (columns > 4 && strip_bytes(layer, 1, columns) > left)
		columns = (columns + 1) / 2;
	if (strip_bytes(layer, 1, columns) > left)
		return false;
	memory->out_columns = columns;
	memory->out_rows = 1;
	while (memory->out_rows < layer->out_height &&
	       strip_bytes(layer, memory->out_rows + 1, columns) <= left)
		memory->out_rows++;

	if (memory->out_rows * columns > memory->group)
		limit_strip(layer, memory);
	columns = memory->out_columns;
	/* Weights of a single group are read once in any case. */
	if (memory->out_rows * columns <= memory->group)
		memory->block = layer->outputs;

	/* In the order of strip_bytes(). */
	{
		uint32_t rows = (memory->out_rows - 1) * layer->window.stride_h +
				(layer->window.kernel_h - 1) * layer->window.dilation_h + 1;
		uint64_t elements = layer->source == EXPANDED ? columns
							      : columns_of(layer, columns);

		memory->sums_pitch = round_up(elements, 32) + 32;
		memory->element_sums = (int32_t *)scratch;
		memory->sums = memory->element_sums + rows * memory->sums_pitch;
		memory->padded = (uint8_t *)(memory->sums + memory->out_rows * memory->sums_pitch);
		memory->rows = memory->padded;
		if (layer->source == EXPANDED)
			memory->rows += round_up(
				columns_of(layer, columns) * layer->channels + VECTOR, VECTOR);
	}
	return true;
}

/* How a window's inputs follow each other in a strip. */
static void list_segments(const struct layer *layer, struct segment *segments, uint32_t row_pitch)
{
	const struct nn_window_params *window = &layer->window;
	bool by_rows = layer->source == EXPANDED || window->dilation_w == 1;
	uint32_t columns = by_rows ? 1 : window->kernel_w;
	uint32_t bytes = by_rows ? conv2d_row_length(window->kernel_w, layer->channels)
				 : layer->channels;
	uint32_t n = 0;

	for (uint32_t y = 0; y < window->kernel_h; y++) {
		for (uint32_t x = 0; x < columns; x++, n++) {
			segments[n].more_steps = bytes / 8 - 1;
			if (x + 1 < columns)
				segments[n].advance =
					window->dilation_w * layer->channels - (bytes - 8);
			else
				segments[n].advance = window->dilation_h * row_pitch -
						      x * window->dilation_w * layer->channels -
						      (bytes - 8);
		}
	}
	/* The loop reads eight bytes more: the last ones again. */
	segments[n - 1].advance = 0;
	segments[n] = segments[n - 1];
}

/*
 * What 64 outputs of four pixels take. False if that is too much between two reports of progress,
 * for windows so large that nobody has them.
 */
static bool estimate_work(struct layer *layer)
{
	const struct nn_window_params *window = &layer->window;
	uint64_t bytes = window->kernel_h * conv2d_row_length(window->kernel_w, layer->channels);
	uint64_t jump = layer->source == IN_PLACE ? 4 * NN_PAGE_WORK : 4;

	if (bytes > WINDOW_MAX)
		return false;
	layer->progress.call = layer->call;
	/* 8 bytes of each take 8 packets, finishing four times 64 results 300. */
	layer->quad_work = bytes + layer->segments * jump + 300;
	layer->weights_work = memory_work(bytes * 64);
	layer->weight_bytes = bytes * round_up(layer->outputs, 32);
	return true;
}

int conv2d_run_layer(struct layer *layer)
{
	const struct nn_call *call = layer->call;
	uint64_t in_image = (uint64_t)layer->height * layer->width * layer->channels;
	uint64_t out_image = (uint64_t)layer->out_height * layer->out_width * layer->outputs *
			     (layer->is_raw ? 4 : 1);
	struct memory memory;
	struct strip strip;
	struct join join;
	int ret;

	layer->join = nn_join_settle(&join, call) ? &join : NULL;
	layer->scratch_size = call->scratch_size - (layer->join ? join.scratch_size : 0);
	layer->is_direct = layer->is_raw || layer->outputs == 32 ||
			   (layer->outputs % 64 == 0 &&
			    (uintptr_t)call->output[0].data % 64 == 0);
	if (!estimate_work(layer) || !divide_scratch(layer, &memory)) {
		ret = nn_kernels_portable[call->op->opcode].run(call);
		if (ret || !layer->join)
			return ret;
		return nn_join_run(layer->join, &layer->progress, call->output[0].data,
				   call->output[0].bytes);
	}
	conv2d_prepare_strips(layer, &memory);

	for (uint32_t n = 0; n < layer->images; n++) {
		for (uint32_t x = 0; x < layer->out_width; x += memory.out_columns) {
			strip.out_x = x;
			strip.out_columns = min_u32(layer->out_width - x, memory.out_columns);
			for (uint32_t y = 0; y < layer->out_height; y += memory.out_rows) {
				strip.out_y = y;
				strip.out_rows = min_u32(layer->out_height - y, memory.out_rows);
				ret = conv2d_fill_strip(layer, &strip, &memory,
							call->input[0].data + n * in_image);
				if (ret)
					return ret;
				list_segments(layer, memory.segments, strip.row_pitch);
				ret = convolve_strip(layer, &strip, &memory,
						     call->output[0].data + n * out_image);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

int nn_conv2d_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_window_params *window = &call->op->window;
	struct layer layer = {
		.call = call,
		.window = *window,
		.images = output->dims[0],
		.height = input->dims[1],
		.width = input->dims[2],
		.channels = input->dims[3],
		.out_height = output->dims[1],
		.out_width = output->dims[2],
		.outputs = output->dims[3],
	};

	/* Pixel by pixel: all images are one row. */
	if (window->kernel_h == 1 && window->kernel_w == 1 && window->stride_h == 1 &&
	    window->stride_w == 1 && layer.out_height == layer.height &&
	    layer.out_width == layer.width) {
		layer.width *= layer.height * layer.images;
		layer.out_width = layer.width;
		layer.height = layer.out_height = layer.images = 1;
	}
	conv2d_settle_layer(&layer);
	return conv2d_run_layer(&layer);
}
