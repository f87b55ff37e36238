// SPDX-License-Identifier: MIT
/*
 * Strips of a convolution's inputs (strip.h): the sums of windows, and what is fetched ahead.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/conv2d/rows.h"
#include "dsp/hvx/conv2d/strip.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/vector.h"

/* Sums of inputs */

/*
 * Adds up the elements of rows `first` to `end` - 1 of inputs, or where an element is a window, of
 * the output. Rows that lie end to end are one.
 */
static inline __attribute__((always_inline)) int
add_rows(struct layer *layer, const struct strip *strip, const struct memory *memory,
		    uint32_t first, uint32_t end)
{
	uint32_t slack = layer->source == IN_PLACE ? 0 : conv2d_slack(layer);
	uint32_t elements = strip->is_element ? strip->out_columns : strip->elements;
	uint32_t pitch = strip->is_element ? strip->step : strip->element_pitch;
	uint32_t row_pitch = strip->row_pitch * (strip->is_element ? layer->window->stride_h : 1);
	uint32_t together = row_pitch == elements * pitch ? end - first : 1;

	for (; first < end; first += together) {
		int ret = conv2d_add_elements(&layer->progress,
					      memory->element_sums + first * elements,
					      strip->base + first * row_pitch, together * elements,
					      pitch, strip->element_bytes, slack, layer->is_signed);

		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Adds up `n` (2 or more) vectors of sums of which one begins every `step` bytes: `count` times,
 * side by side. They may be in place, because what is read is not yet written.
 */
static void add_strided(int32_t *to, const int32_t *from, uint32_t step, uint32_t n, uint32_t count)
{
	const int32_t *at = from;

	asm volatile("{ m0 = %[step] }\n"
		     "{ loop1(1f,%[count]) }\n"
		     "1:\n"
		     "{ v0 = vmemu(%[at]++m0); %[from] = add(%[from],#128); loop0(2f,%[more]) }\n"
		     "2:\n"
		     "{ v1 = vmemu(%[at]++m0) }\n"
		     "{ v0.w = vadd(v0.w,v1.w) }:endloop0\n"
		     "{ vmem(%[to]++#1) = v0; %[at] = %[from] }:endloop1\n"
		     : [to] "+r"(to), [at] "+r"(at), [from] "+r"(from)
		     : [step] "r"(step), [more] "r"(n - 1), [count] "r"(count)
		     : "v0", "v1", "m0", "lc0", "sa0", "lc1", "sa1", "memory");
}

/*
 * Makes the sums of windows from those of elements, of rows `first` to `end` - 1 of the output:
 * first down, then along the row. Windows have more than one element. Behind the last one that
 * begins in a row, sums are anything.
 */
static int add_windows(struct layer *layer, const struct strip *strip, const struct memory *memory,
		       uint32_t first, uint32_t end)
{
	uint32_t row = strip->elements, rows = layer->window->kernel_h;
	uint32_t columns = layer->source == EXPANDED ? 1 : layer->window->kernel_w;
	uint32_t windows = row - (columns - 1) * layer->window->dilation_w;
	uint32_t row_work = (row / 32 + 1) * (rows + columns) * 4;

	for (uint32_t y = first; y < end; y++) {
		const int32_t *from = memory->element_sums + y * layer->window->stride_h * row;
		int32_t *to = memory->sums + y * memory->sums_pitch;
		int ret = progress_add(&layer->progress, row_work);

		if (ret)
			return ret;
		if (rows > 1) {
			add_strided(to, from, 4 * layer->window->dilation_h * row, rows,
				    (row + 31) / 32);
			from = to;
		}
		if (columns > 1)
			add_strided(to, from, 4 * layer->window->dilation_w, columns,
				    (windows + 31) / 32);
	}
	return 0;
}

/* The padding of `columns` columns from x = first on, which may be negative. */
static struct padding padding_of(const struct layer *layer, int64_t first, uint32_t columns)
{
	int64_t begin = first < 0 ? -first : 0, end = layer->width - first;
	uint32_t channels = layer->channels;

	if (end > columns)
		end = columns;
	if (begin >= end)
		return (struct padding){ .before = columns * channels };
	return (struct padding){
		.before = begin * channels,
		.inside = (end - begin) * channels,
		.behind = (columns - end) * channels,
		.pixels = end - begin,
		.from = (first + begin) * layer->input_pitch,
		.row_pitch = layer->width * layer->input_pitch,
	};
}

void conv2d_begin_strip(const struct layer *layer, struct strip *strip,
			const struct memory *memory)
{
	const struct nn_window_params *window = layer->window;
	int64_t x = (int64_t)strip->out_x * window->stride_w - window->pad_left;
	int64_t y = (int64_t)strip->out_y * window->stride_h - window->pad_top;
	uint32_t columns = (strip->out_columns - 1) * window->stride_w +
			   (window->kernel_w - 1) * window->dilation_w + 1;

	strip->padding = padding_of(layer, x, columns);
	if (layer->source == EXPANDED) {
		strip->elements = strip->out_columns;
		strip->element_bytes = window->kernel_w * layer->channels;
		strip->element_pitch = conv2d_expanded_pitch(layer);
		strip->step = strip->element_pitch;
	} else {
		strip->elements = columns;
		strip->element_bytes = layer->channels;
		strip->element_pitch =
			layer->source == IN_PLACE ? layer->input_pitch : layer->channels;
		strip->step = window->stride_w * strip->element_pitch;
	}
	if (layer->source == IN_PLACE) {
		strip->row_pitch = layer->width * layer->input_pitch;
		strip->base = strip->image + y * strip->row_pitch + x * layer->input_pitch;
	} else {
		strip->row_pitch = strip->elements * strip->element_pitch;
		strip->base = memory->rows;
	}
	strip->is_element = window->kernel_h == 1 &&
			    (layer->source == EXPANDED || window->kernel_w == 1);
	strip->sums = strip->is_element ? memory->element_sums : memory->sums;
	strip->sums_pitch = strip->is_element ? strip->out_columns : memory->sums_pitch;
	strip->sum_step = strip->is_element ? 1 : strip->step / strip->element_pitch;
	strip->filled = strip->ready = 0;
}

void conv2d_fetch_strip(const struct layer *layer, const struct strip *strip, uint32_t out_y)
{
	const struct padding *padding = &strip->padding;
	uint32_t pitch = padding->row_pitch;
	uint32_t y = out_y * layer->window->stride_h, top = layer->window->pad_top;
	uint32_t first = y < top ? 0 : y - top, end, rows;
	uint32_t span = (padding->pixels - 1) * layer->input_pitch + layer->channels;

	if (out_y >= layer->out_height || first >= layer->height || !padding->inside)
		return;
	end = y + (strip->out_rows - 1) * layer->window->stride_h +
	      (layer->window->kernel_h - 1) * layer->window->dilation_h + 1;
	rows = min_u32(end - top, layer->height) - first;
	/* One row is all pixels of a layer without rows: the others come when these are read. */
	if (rows == 1)
		fetch_ahead(strip->image + first * pitch + padding->from,
			    min_u32(span, layer->l2_kept / 2));
	else if (pitch <= FETCH_MAX && rows <= FETCH_MAX)
		fetch_rows(strip->image + first * pitch + padding->from, pitch, span, rows);
}

int conv2d_fill_strip(struct layer *layer, struct strip *strip, const struct memory *memory,
		      uint32_t out_rows)
{
	const struct nn_window_params *window = layer->window;
	uint32_t rows = (out_rows - 1) * window->stride_h +
			(window->kernel_h - 1) * window->dilation_h + 1;
	uint32_t filled = strip->filled, ready = strip->ready;
	int ret;

	if (ready >= out_rows)
		return 0;
	ret = conv2d_fill_rows(layer, strip, memory, rows);
	if (ret)
		return ret;
	strip->ready = out_rows;
	if (strip->is_element)
		return add_rows(layer, strip, memory, ready, out_rows);
	ret = add_rows(layer, strip, memory, filled, rows);
	return ret ? ret : add_windows(layer, strip, memory, ready, out_rows);
}

int conv2d_keep_strip(struct layer *layer, const struct strip *strip, const struct memory *memory,
		      bool back)
{
	uint32_t row = strip->elements * strip->element_pitch, from, end, lines, count;
	uint32_t piece = strip->filled * row / KEPT_PIECES;
	const uint8_t *at = strip->base, *half;
	int ret;

	from = memory->kept_from * piece;
	end = memory->kept_end * piece;
	/*
	 * This is done only where rows lie end to end, and pixels: behind the last one there need
	 * be nothing.
	 */
	if (from >= end || (row != strip->row_pitch && strip->filled > 1) ||
	    (layer->source == IN_PLACE && layer->input_pitch != layer->channels))
		return 0;
	at += back ? from : strip->filled * row - end;
	lines = (end - from + VECTOR - 1) / VECTOR;
	count = (lines + 1) / 2;
	half = at + (lines - count) * VECTOR;
	ret = progress_add(&layer->progress, 200 + count);
	if (ret)
		return ret;
	asm volatile("{ m0 = %[line] }\n"
		     "{ loop0(1f,%[count]) }\n"
		     "1:\n"
		     "{ r6 = memub(%[at]++m0); r7 = memub(%[half]++m0) }:endloop0\n"
		     : [at] "+r"(at), [half] "+r"(half)
		     : [line] "r"(VECTOR), [count] "r"(count)
		     : "r6", "r7", "m0", "lc0", "sa0", "memory");
	return 0;
}
