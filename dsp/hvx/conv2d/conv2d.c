// SPDX-License-Identifier: MIT
/*
 * CONV2D on HVX, and with it FULLY_CONNECTED.
 *
 * A vector accumulator holds 32 outputs of one pixel. vrmpy multiplies a vector of weights, 4
 * inputs of each of 32 outputs, with a scalar register that holds 4 inputs of the pixel, and two of
 * them fit a packet. The weights are stored unsigned, with a zero point, so an accumulator begins
 * at bias - zero point * the sum of the pixel's inputs; the sums are made beforehand, by adding the
 * channels of each input pixel and then the pixels of each window.
 *
 * Inputs are read 8 bytes at a time from aligned addresses. Where the tensor has them so and no
 * window reaches into the padding they are read in place; else a strip of rows is copied to scratch
 * memory with padding around it, and if the channels are no multiple of 8 with each window's row
 * laid out by itself. Strided pixels are read in place if a window has one in a row, and else are
 * side by side in the copy.
 *
 *	image -> strips of rows (strip.c, rows.c) -> groups of pixels (group.c)
 *	      -> blocks of 64 or 32 outputs (block.c) -> tiles of 4x64 or 8x32 (tile_*.S)
 *
 * Operators that are fused with it (dsp/hvx/common/fuse.h) follow each group of pixels of which all
 * outputs are made.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/conv2d/block.h"
#include "dsp/hvx/conv2d/divide.h"
#include "dsp/hvx/conv2d/group.h"
#include "dsp/hvx/conv2d/row.h"
#include "dsp/hvx/conv2d/rows.h"
#include "dsp/hvx/conv2d/tiles.h"
#include "dsp/hvx/common/fuse.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/strided.h"

/*
 * Runs the fused operators on pixels of which all outputs have been made, and whose place is `to`.
 */
static int finish_group(struct layer *layer, const struct memory *memory, uint8_t *to,
			uint32_t pixels)
{
	uint32_t pixel = conv2d_pixel_bytes(layer);
	int ret;

	if (!layer->fusion)
		return 0;
	if (!layer->is_gathered)
		return nn_fuse_run(layer->fusion, &layer->progress, to, to, pixels * pixel);
	ret = nn_fuse_run(layer->fusion, &layer->progress, memory->gathered, to, pixels * pixel);
	if (!ret)
		nn_scatter_pixels(to, layer->pitch, memory->gathered, pixel, pixel, pixels);
	return ret;
}

/* The groups of a strip's pixels, or where its rows are not whole, of each of its rows. */
struct groups {
	uint32_t runs, length;	/* of pixels one after another in the output */
	uint32_t pixels;	/* of a group, but the last, */
	uint32_t last;		/* which begins here */
};

static struct groups group_strip(const struct layer *layer, const struct strip *strip,
				 const struct memory *memory)
{
	/* Whole rows are one run of pixels. */
	bool whole = strip->out_columns == layer->out_width;
	struct groups groups = {
		.runs = whole ? 1 : strip->out_rows,
		.length = whole ? strip->out_rows * strip->out_columns : strip->out_columns,
		.pixels = memory->group,
	};
	uint32_t count;

	if (groups.length <= memory->group)
		return groups;
	count = (groups.length + memory->group - 1) / memory->group;
	/*
	 * Groups are of nearly one size: the fewer pixels, the less is read before those of the
	 * next.
	 */
	if (memory->block < layer->outputs)
		groups.pixels = round_up((groups.length + count - 1) / count, 8);
	groups.last = (count - 1) * groups.pixels;
	return groups;
}

/* Makes outputs m to m + memory->block - 1, or fewer; `back`: from the last group to the first. */
static int convolve_block(struct layer *layer, struct strip *strip, struct memory *memory,
			  const struct groups *groups, uint8_t *image, uint32_t m, bool back)
{
	uint32_t pitch = layer->pitch, length = groups->length, group = groups->pixels;
	uint32_t last = back ? groups->last : 0;
	bool ends = m + memory->block >= layer->outputs;
	int ret;

	for (uint32_t run = 0; run < groups->runs; run++) {
		uint8_t *out = image + ((uint64_t)(strip->out_y + run) * layer->out_width +
					strip->out_x) * pitch;
		uint32_t y = run, x = 0;

		if (last) {
			y += last / strip->out_columns;
			x = last % strip->out_columns;
		}
		for (uint32_t done = 0; done < length; done += group) {
			uint32_t p = back ? last - done : done, pixels = min_u32(length - p, group);
			uint8_t *to = out + (uint64_t)p * pitch;

			if (strip->ready < strip->out_rows) {
				uint32_t rows = y + (x + pixels - 1) / strip->out_columns + 1;

				ret = conv2d_fill_strip(layer, strip, memory, rows);
				if (ret)
					return ret;
			}
			ret = layer->begin_group ? layer->begin_group(layer) : 0;
			if (ret)
				return ret;
			ret = conv2d_run_group(layer, strip, memory,
					       layer->is_gathered ? memory->gathered : to, y, x,
					       pixels, m);
			if (!ret && ends)
				ret = finish_group(layer, memory, to, pixels);
			if (ret)
				return ret;
			if (done + group >= length)
				break;
			if (!back) {
				for (x += group; x >= strip->out_columns; y++)
					x -= strip->out_columns;
			} else {
				for (; x < group; y--)
					x += strip->out_columns;
				x -= group;
			}
		}
	}
	return 0;
}

static int convolve_strip(struct layer *layer, struct strip *strip, struct memory *memory,
			  uint8_t *image)
{
	struct groups groups = group_strip(layer, strip, memory);
	bool back = memory->tile_outputs == 32, all = back || memory->block >= layer->outputs;
	int ret = 0;

	memory->listed = 0;
	if (layer->weight_bytes > layer->l2_kept)
		memory->fetched = 0;
	/*
	 * The first of several blocks copies rows just before it reads them, while they are in the
	 * L2 cache. If copies are to stay there for all blocks, all are made first, so that what
	 * they were made of goes before them.
	 */
	if (all)
		ret = conv2d_fill_strip(layer, strip, memory, strip->out_rows);
	/*
	 * Blocks go back and forth, because what the last one read last is still in the L2 cache.
	 */
	for (uint32_t m = 0; !ret && m < layer->outputs; m += memory->block, back = !back) {
		if (m + memory->block >= layer->outputs)
			conv2d_fetch_strip(layer, strip, strip->out_y + strip->out_rows);
		if (m || back)
			ret = conv2d_keep_strip(layer, strip, memory, !back);
		if (!ret)
			ret = convolve_block(layer, strip, memory, &groups, image, m, back);
	}
	return ret;
}

/* Lists how a window's inputs follow each other in a strip. */
static void list_segments(const struct layer *layer, struct segment *segments, uint32_t row_pitch)
{
	const struct nn_window_params *window = layer->window;
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

/* Lists the same by steps, for the assembly. */
static void list_advances(const struct layer *layer, struct memory *memory)
{
	int32_t *advances = memory->advances, *at = advances;

	for (uint32_t i = 0; i <= layer->steps; i += VECTOR / 4)
		*(HVX_Vector *)(advances + i) = splat_w(8);
	for (uint32_t n = 0; n < layer->segments; n++) {
		at += memory->segments[n].more_steps;
		*at++ = memory->segments[n].advance;
	}
	*at = advances[0];
}

/*
 * Lists where the parts of a window begin: `memory->part_count` of nearly one size. The assembly
 * relies on it that the last one's first advance is that of the window.
 */
static void list_parts(const struct layer *layer, struct memory *memory)
{
	uint32_t segment_steps = memory->segments[0].more_steps + 1;
	struct window_part *part = memory->parts;

	part->step = part->offset = 0;
	for (uint32_t i = 1; i < memory->part_count; i++) {
		uint32_t step = layer->steps * i / memory->part_count, offset = 0, segment;

		if (segment_steps > 1 && step % segment_steps == segment_steps - 1)
			step++;
		segment = step / segment_steps;
		for (uint32_t n = 0; n < segment; n++)
			offset += 8 * (segment_steps - 1) + memory->segments[n].advance;
		part[i].step = step;
		part[i].offset = offset + 8 * (step % segment_steps);
	}
}

static __attribute__((noinline)) void list_window(const struct layer *layer,
						  struct memory *memory, uint32_t row_pitch)
{
	memory->listed_pitch = row_pitch;
	list_segments(layer, memory->segments, row_pitch);
	if (conv2d_has_tiles(layer)) {
		list_advances(layer, memory);
		list_parts(layer, memory);
	}
}

/* Can results be stored where they belong? */
static bool is_direct(const struct layer *layer)
{
	uintptr_t out = layer->is_gathered ? 0 : (uintptr_t)layer->call->output[0].data;

	if (!conv2d_has_tiles(layer))
		return true;
	/* Four pixels fill a vector, so that rows have to be a multiple of four, but for a single one. */
	if (layer->outputs == 32)
		return layer->step == 32 && out % 128 == 0 &&
		       (layer->is_gathered || (layer->out_height == 1 && layer->images == 1) ||
			layer->out_width % 4 == 0);
	return layer->outputs % 64 == 0 && layer->step % 64 == 0 && out % 64 == 0;
}

/* Runs the portable kernel. Operators fused with it take strided pixels one by one. */
static int run_portable(struct layer *layer)
{
	const struct nn_call *call = layer->call;
	uint32_t pixel = conv2d_pixel_bytes(layer);
	uint8_t *at = call->output[0].data;
	int ret = nn_kernels_portable[call->op->opcode].run(call);

	if (ret || !layer->fusion)
		return ret;
	if (!layer->is_gathered)
		return nn_fuse_run(layer->fusion, &layer->progress, at, at, call->output[0].bytes);
	for (uint64_t left = call->output[0].bytes; left && !ret; left -= pixel, at += layer->pitch)
		ret = nn_fuse_run(layer->fusion, &layer->progress, at, at, pixel);
	return ret;
}

/* Settles where results go, and divides the work. False: there is no way, or no room. */
static bool prepare(struct layer *layer, struct memory *memory)
{
	layer->is_gathered = layer->fusion && layer->pitch != conv2d_pixel_bytes(layer);
	layer->step = layer->is_gathered ? conv2d_pixel_bytes(layer) : layer->pitch;
	layer->is_direct = is_direct(layer);
	if (!conv2d_measure_layer(layer) || !conv2d_divide(layer, memory))
		return false;
	memory->listed_pitch = 0;
	conv2d_prepare_rows(layer, memory);
	if (conv2d_has_tiles(layer))
		conv2d_settle_tiles(layer, memory);
	return true;
}

bool conv2d_prepare_layer(struct layer *layer, struct memory *memory)
{
	layer->fusion = NULL;
	layer->scratch_size = layer->call->scratch_size;
	return prepare(layer, memory);
}

int conv2d_run_prepared(struct layer *layer, struct memory *memory)
{
	const struct nn_call *call = layer->call;
	uint64_t in_image = (uint64_t)layer->height * layer->width * layer->input_pitch;
	uint64_t out_image = (uint64_t)layer->out_height * layer->out_width * layer->pitch;
	struct strip strip;
	int ret;

	memory->constants_made = 0;
	memory->fetched = 0;
	for (uint32_t n = 0; n < layer->images; n++) {
		strip.image = call->input[0].data + n * in_image;
		for (uint32_t x = 0; x < layer->out_width; x += memory->out_columns) {
			strip.out_x = x;
			strip.out_columns = min_u32(layer->out_width - x, memory->out_columns);
			for (uint32_t y = 0; y < layer->out_height; y += memory->out_rows) {
				strip.out_y = y;
				strip.out_rows = min_u32(layer->out_height - y, memory->out_rows);
				conv2d_begin_strip(layer, &strip, memory);
				if (!y)
					conv2d_fetch_strip(layer, &strip, 0);
				if (memory->listed_pitch != strip.row_pitch)
					list_window(layer, memory, strip.row_pitch);
				ret = convolve_strip(layer, &strip, memory,
						     call->output[0].data + n * out_image);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

int conv2d_run_layer(struct layer *layer)
{
	const struct nn_call *call = layer->call;
	struct memory memory;
	struct fusion fusion;

	layer->fusion = nn_fuse_settle(&fusion, call) ? &fusion : NULL;
	layer->scratch_size = call->scratch_size - (layer->fusion ? fusion.scratch_size : 0);
	if (!nn_call_has_vectors(call) || !prepare(layer, &memory))
		return run_portable(layer);
	return conv2d_run_prepared(layer, &memory);
}

int nn_conv2d_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_window_params *window = &call->op->window;
	struct row_window row;
	struct layer layer;
	int ret;

	if (conv2d_is_row(call, &row) && conv2d_run_row(call, &row, &ret))
		return ret;
	layer = (struct layer){
		.call = call,
		.window = window,
		.images = output->dims[0],
		.height = input->dims[1],
		.width = input->dims[2],
		.channels = input->dims[3],
		.out_height = output->dims[1],
		.out_width = output->dims[2],
		.outputs = output->dims[3],
		.pitch = output->pitch,
		.input_pitch = input->pitch,
	};

	/* A convolution pixel by pixel takes all images as one row. */
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
