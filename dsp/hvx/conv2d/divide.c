// SPDX-License-Identifier: MIT
/*
 * How a convolution's work is divided (divide.h): strips, groups, blocks and parts of windows.
 *
 * No division here keeps this in the L2 cache: inputs of about its size beside weights of 64
 * outputs that are more than half of it. With 256 channels, 3x3, 28x28 and 256 KiB, bytes are
 * fetched 1.74 times, of which docs/performance.md has the account (Memory).
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/conv2d/constants.h"
#include "dsp/hvx/conv2d/divide.h"
#include "dsp/hvx/conv2d/group.h"
#include "dsp/hvx/conv2d/tiles.h"

#define FEW_PIXELS	128	/* of a group that has many weights, */
#define COPIED_PIXELS	72	/* and whose inputs fill much of the L2 cache */

#define WINDOW_MAX	(512u << 10)	/* bytes of a window */

/* The size of the L2 cache is taken to be this where nobody says how large it is. */
#define L2_BYTES	(256u << 10)

bool conv2d_measure_layer(struct layer *layer)
{
	const struct nn_window_params *window = layer->window;
	uint64_t bytes = window->kernel_h * conv2d_row_length(window->kernel_w, layer->channels);
	uint64_t jump = layer->source == IN_PLACE ? 4 * NN_PAGE_WORK : 4;

	layer->progress.call = layer->call;
	if (bytes > WINDOW_MAX)
		return false;
	/* Eight bytes of each pixel take 8 packets, finishing four times 64 results 300. */
	layer->tile_work = bytes + layer->segments * jump + 300;
	if (layer->pitch != conv2d_pixel_bytes(layer))
		layer->tile_work += 4 * stride_work(layer->pitch);
	layer->weights_work = memory_work(bytes * 64);
	layer->block_bytes = bytes * 32;
	layer->weight_bytes = bytes * round_up(layer->outputs, 32);
	layer->l2_bytes = layer->call->run->l2_bytes;
	if (!layer->l2_bytes)
		layer->l2_bytes = L2_BYTES;
	layer->l2_kept = layer->l2_bytes / 16 * 13;
	return true;
}

/* Scratch memory */

static uint64_t columns_of(const struct layer *layer, uint32_t out_columns)
{
	return (out_columns - 1ull) * layer->window->stride_w +
	       (layer->window->kernel_w - 1) * layer->window->dilation_w + 1;
}

/* The bytes of scratch memory that a strip needs, as they are divided below. */
static inline uint64_t __attribute__((always_inline))
strip_bytes(const struct layer *layer, uint32_t out_rows, uint32_t out_columns)
{
	const struct nn_window_params *window = layer->window;
	uint64_t rows = (out_rows - 1ull) * window->stride_h +
			(window->kernel_h - 1) * window->dilation_h + 1;
	uint64_t columns = columns_of(layer, out_columns);
	uint64_t elements = layer->source == EXPANDED ? out_columns : columns;
	uint64_t bytes = 4 * (round_up(elements, 32) + 32) * (rows + out_rows);

	if (layer->source == EXPANDED)
		bytes += round_up(columns * layer->channels + VECTOR, VECTOR) +
			 round_up(rows * elements * conv2d_expanded_pitch(layer) +
					  conv2d_slack(layer), VECTOR);
	else if (layer->source == PADDED)
		bytes += round_up(rows * columns * layer->channels + conv2d_slack(layer), VECTOR);
	return bytes;
}

/* The rows of the output that fit, at least one. */
static uint32_t rows_that_fit(const struct layer *layer, uint32_t columns, uint32_t bytes)
{
	uint64_t first, more;
	uint32_t rows;

	if (layer->out_height == 1 || strip_bytes(layer, layer->out_height, columns) <= bytes)
		return layer->out_height;
	first = strip_bytes(layer, 1, columns);
	more = strip_bytes(layer, 2, columns) - first;
	if (more > bytes)
		return 1;
	rows = 1 + (bytes - (uint32_t)first) / (uint32_t)more;
	/* Rounding up may take more for some numbers of rows. */
	while (strip_bytes(layer, rows, columns) > bytes)
		rows--;
	return rows;
}

/* The bytes of the L2 cache that a strip's inputs, or copies of them, and their sums take. */
static uint64_t l2_inputs(const struct layer *layer, uint32_t out_rows, uint32_t out_columns)
{
	uint64_t rows = (out_rows - 1ull) * layer->window->stride_h +
			(layer->window->kernel_h - 1) * layer->window->dilation_h + 1;
	uint64_t inputs = rows * columns_of(layer, out_columns) * layer->channels;

	return strip_bytes(layer, out_rows, out_columns) +
	       (layer->source == IN_PLACE ? inputs : 0);
}

/*
 * The bytes of the L2 cache that a strip takes: its inputs, and if all outputs of a group are made
 * in turn, also the results and what was copied, so that they do not drive out what is still to be
 * read.
 */
static uint64_t l2_bytes_of(const struct layer *layer, const struct memory *memory,
			    uint32_t out_rows, uint32_t out_columns)
{
	uint64_t rows = (out_rows - 1ull) * layer->window->stride_h +
			(layer->window->kernel_h - 1) * layer->window->dilation_h + 1;
	uint64_t inputs = rows * columns_of(layer, out_columns) * layer->channels;

	if (memory->block < layer->outputs)
		return l2_inputs(layer, out_rows, out_columns);
	return strip_bytes(layer, out_rows, out_columns) + inputs +
	       (uint64_t)out_rows * out_columns * layer->outputs * (layer->is_raw ? 4 : 1);
}

/*
 * Limits a strip's rows, or the columns of a single row, to so many that what it reads again is
 * still in the L2 cache. Strips are nearly of one size.
 */
static void limit_strip(const struct layer *layer, struct memory *memory)
{
	uint32_t rows = memory->out_rows, columns = memory->out_columns, strips;
	uint32_t most = memory->block < layer->outputs ? NN_SCRATCH_SIZE : layer->l2_kept;
	uint64_t first, bytes;

	/* Windows that are laid out are most of the work, and more with more strips. */
	if (layer->source == EXPANDED)
		return;
	bytes = l2_bytes_of(layer, memory, rows, columns);
	if (bytes <= most)
		return;
	if (layer->out_height == 1) {
		strips = (bytes + most - 1) / most;
		if (columns > 2 * CONV2D_GROUP_MAX)
			memory->out_columns = round_up((columns + strips - 1) / strips,
						       CONV2D_GROUP_MAX);
		return;
	}
	first = l2_bytes_of(layer, memory, 1, columns);
	rows = 1;
	if (first < most)
		rows += (most - first) / (l2_bytes_of(layer, memory, 2, columns) - first);
	strips = (layer->out_height + rows - 1) / rows;
	memory->out_rows = (layer->out_height + strips - 1) / strips;
}

/* Tells whether weights are still in the L2 cache after a group of which all outputs are made. */
static bool stays_in_l2(const struct layer *layer, const struct memory *memory)
{
	uint64_t group = (uint64_t)memory->group * (layer->channels + layer->outputs);

	return memory->block < layer->outputs || layer->weight_bytes + group < layer->l2_kept;
}

/*
 * Weights are heavy if those of 64 outputs do not stay in the L2 cache while a tile goes through
 * all of them, and so would be fetched again for each tile.
 */
static bool is_heavy(const struct layer *layer)
{
	return conv2d_has_tiles(layer) && layer->outputs > 32 &&
	       2 * layer->block_bytes > layer->l2_kept / 4 * 3;
}

/*
 * The number of parts into which the products of a group's tiles are divided, if weights are heavy.
 */
static uint32_t parts_of(const struct layer *layer, const struct memory *memory)
{
	uint32_t pixels = min_u32(memory->group, memory->out_rows * memory->out_columns);
	uint64_t others = l2_inputs(layer, memory->out_rows, memory->out_columns) +
			  pixels * 64 * 4;
	uint32_t most = min_u32(CONV2D_PARTS_MAX, layer->steps / CONV2D_PART_STEPS), parts = 1;

	while (parts < most && 2 * layer->block_bytes / parts + others > layer->l2_kept)
		parts++;
	return parts;
}

/*
 * Decides which outputs are made of all groups of a strip before others.
 *
 * Inputs are read again with the next block's weights, back and forth, so the last block's come
 * between, which nobody needs any more, and which have been read last. Those inputs that would go
 * because of them, and would not without them, are read once more before the next block begins.
 */
static void divide_outputs(const struct layer *layer, struct memory *memory)
{
	uint32_t pixels = memory->out_rows * memory->out_columns, piece, weights;
	uint32_t inputs = l2_inputs(layer, memory->out_rows, memory->out_columns);
	uint32_t results = pixels * min_u32(layer->step, VECTOR);

	weights = 2 * layer->block_bytes;
	memory->kept_from = memory->kept_end = 0;
	if (!memory->sums_of_parts && weights <= layer->l2_bytes &&
	    2 * weights + inputs + results > layer->l2_kept) {
		/*
		 * Where the cache's size is known, not just taken for granted, inputs that fill
		 * more than half of it are kept in it with fewer weights if they can be, for some
		 * more packets.
		 */
		if (layer->call->run->l2_bytes && conv2d_has_tiles(layer) &&
		    layer->outputs % 64 == 0 && layer->step % VECTOR == 0 &&
		    (uintptr_t)layer->call->output[0].data % VECTOR == 0 &&
		    inputs > layer->l2_kept / 2 &&
		    weights / 2 + inputs + results <= layer->l2_kept) {
			memory->block = memory->tile_outputs = 32;
			weights = layer->block_bytes;
		}
		/*
		 * The cache's sets are not even: some inputs that would stay by this account go,
		 * too.
		 */
		piece = (inputs + results) / KEPT_PIECES + 1;
		if (layer->l2_kept > 2 * weights)
			memory->kept_from = (layer->l2_kept - 2 * weights) / piece / 2;
		memory->kept_end = min_u32((layer->l2_bytes - weights) / piece, KEPT_PIECES);
	}
	/* Weights of a single group are read once in any case. */
	if (pixels <= memory->group && !memory->kept_end)
		memory->block = layer->outputs;
}

/*
 * Settles how a pixel's results are staged, and returns in how many bytes. The last few, up to 32,
 * are not with the others, but side by side: all, what is more than 64, or more than a multiple of
 * 128.
 */
static uint32_t stage_results(struct memory *memory, uint32_t outputs)
{
	uint32_t last = outputs % (outputs < 128 ? 64 : 128), wide = outputs;

	if (last <= 32)
		wide -= last;
	memory->wide = wide;
	memory->wide_pitch = round_up(wide, wide <= 64 ? 64 : 128);
	return memory->wide_pitch + (wide < outputs ? 32 : 0);
}

bool conv2d_divide(const struct layer *layer, struct memory *memory)
{
	uint8_t *scratch = layer->call->scratch;
	uint64_t left = layer->scratch_size, bytes;
	uint64_t staged = layer->is_direct ? 0 : stage_results(memory, layer->outputs);
	uint64_t gathered = layer->is_gathered ? conv2d_pixel_bytes(layer) : 0;
	uint32_t columns = layer->out_width;

	/* Weights that are not found again are read once for a strip rather than for each group. */
	memory->block = layer->outputs;
	memory->tile_outputs = 64;
	if (layer->is_direct && !layer->is_gathered && layer->weight_bytes > layer->l2_kept)
		memory->block = layer->is_raw || conv2d_has_tiles(layer) ? 64 : 128;

	bytes = round_up((layer->segments + 2ull) * sizeof(struct segment), VECTOR);
	if (bytes > left / 4)
		return false;
	memory->segments = (struct segment *)scratch;
	scratch += bytes;
	left -= bytes;

	if (conv2d_has_tiles(layer)) {
		bytes = round_up((layer->steps + 1ull) * sizeof(*memory->advances), VECTOR);
		if (bytes > left / 4)
			return false;
		memory->advances = (int32_t *)scratch;
		scratch += bytes;
		left -= bytes;
	}

	bytes = sizeof(*memory->tiles) + 4 * 64;
	if (bytes > left / 4)
		return false;
	memory->tiles = (struct conv2d_tiles *)scratch;
	memory->rest = scratch + sizeof(*memory->tiles);
	scratch += bytes;
	left -= bytes;

	memory->constants_count = (layer->outputs + 63ull) / 64;
	if (memory->constants_count * (uint64_t)sizeof(*memory->constants) > left / 8)
		memory->constants_count = left / 8 / sizeof(*memory->constants);
	if (!memory->constants_count)
		memory->constants_count = 1;
	memory->constants_made = 0;
	memory->fetched = 0;
	memory->has_packing = false;
	memory->constants = (struct conv2d_constants *)scratch;
	bytes = memory->constants_count * sizeof(*memory->constants);
	if (bytes > left / 4)
		return false;
	scratch += bytes;
	left -= bytes;

	/*
	 * The more pixels in a group, the less often are the weights read, and the longer do 64
	 * outputs of them take. Beside many weights, what is copied for a group should be in the L2
	 * cache until it is read.
	 */
	memory->group = CONV2D_GROUP_MAX;
	if (is_heavy(layer))
		memory->group = FEW_PIXELS;
	else if (layer->block_bytes > layer->l2_kept / 4 &&
		 (uint64_t)layer->height * layer->width * layer->channels > layer->l2_kept / 2)
		memory->group = COPIED_PIXELS;
	if (5 * memory->group * (staged + gathered) > 2 * left)
		memory->group = 2 * left / 5 / (staged + gathered) / 8 * 8 ?: 4;
	while (memory->group > 4 && (memory->group / 4 * layer->tile_work > NN_TILE ||
				     (memory->group > FEW_PIXELS && !stays_in_l2(layer, memory))))
		memory->group = memory->group / 8 * 4;
	bytes = round_up((memory->group / 4 + 12ull) * sizeof(struct four_pixels), VECTOR);
	if (bytes > left / 4)
		return false;
	memory->fours = (struct four_pixels *)scratch;
	scratch += bytes;
	left -= bytes;
	bytes = round_up(memory->group * staged + VECTOR, VECTOR);
	if (bytes > left / 2)
		return false;
	memory->staging = scratch;
	memory->narrow = scratch + memory->group * memory->wide_pitch;
	scratch += bytes;
	left -= bytes;
	bytes = gathered ? round_up(memory->group * gathered + VECTOR, VECTOR) : 0;
	if (bytes > left / 2)
		return false;
	memory->gathered = scratch;
	scratch += bytes;
	left -= bytes;

	bytes = (memory->group / 4 + 1ull) * 8 * VECTOR;
	memory->sums_of_parts = NULL;
	if (is_heavy(layer) && bytes <= left / 4) {
		memory->sums_of_parts = (HVX_Vector *)scratch;
		scratch += bytes;
		left -= bytes;
	}

	while (columns > 4 && strip_bytes(layer, 1, columns) > left)
		columns = round_up((columns + 1) / 2, 4);
	if (strip_bytes(layer, 1, columns) > left)
		return false;
	memory->out_columns = columns;
	memory->out_rows = rows_that_fit(layer, columns, left);

	if (memory->out_rows * columns > memory->group)
		limit_strip(layer, memory);
	columns = memory->out_columns;
	if (memory->block < layer->outputs)
		divide_outputs(layer, memory);
	memory->part_count = memory->sums_of_parts ? parts_of(layer, memory) : 1;

	/* Memory is divided in the order of strip_bytes(). */
	{
		uint32_t rows = (memory->out_rows - 1) * layer->window->stride_h +
				(layer->window->kernel_h - 1) * layer->window->dilation_h + 1;
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

