// SPDX-License-Identifier: MIT
/*
 * Copies of the rows of a convolution's inputs (rows.h), with their padding, or with each window's
 * row laid out by itself.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/conv2d/rows.h"
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/common/strided.h"
#include "dsp/hvx/common/vector.h"

/*
 * Copies inputs. Bytes that are written too much, up to a vector, are overwritten by what comes
 * next.
 */
static void copy_ahead(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	uint32_t vectors = (bytes - 1) / VECTOR, whole = vectors * VECTOR;

	/* The last two are left out, because copy_vectors() reads one more. */
	if (vectors > 1)
		copy_vectors(to, VECTOR, from, VECTOR, vectors - 1);
	if (vectors)
		store(to + whole - VECTOR, load(from + whole - VECTOR));
	store(to + whole, load_bytes(from + whole, bytes - whole));
}

/* Copies strided pixels so, of which each may be on a page of its own. */
static __attribute__((noinline)) int gather_ahead(struct layer *layer, uint8_t *to,
						  const uint8_t *from, uint32_t pixels)
{
	const uint32_t most = NN_TILE / NN_PAGE_WORK / 2;
	uint32_t channels = layer->channels, pitch = layer->input_pitch;

	while (pixels) {
		uint32_t count = min_u32(pixels, most);
		int ret = progress_add(&layer->progress, count * stride_work(pitch));

		if (ret)
			return ret;
		nn_gather_pixels(to, from, pitch, channels, count);
		to += count * channels;
		from += count * pitch;
		pixels -= count;
	}
	return 0;
}

static void fill_ahead(uint8_t *to, HVX_Vector value, uint32_t bytes)
{
	/* The padding of a row has few vectors. */
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < bytes; i += VECTOR)
		store(to + i, value);
}

/* Copies row y of an image, which may be outside of it, with its padding. */
static int pad_row(struct layer *layer, uint8_t *to, const uint8_t *image, int64_t y,
		   const struct padding *padding)
{
	HVX_Vector zero = splat_b(layer->call->input[0].zero_point);
	int ret = 0;

	if (y < 0 || y >= layer->height) {
		fill_ahead(to, zero, padding->before + padding->inside + padding->behind);
		return 0;
	}
	fill_ahead(to, zero, padding->before);
	to += padding->before;
	image += y * padding->row_pitch + padding->from;
	if (layer->input_pitch != layer->channels)
		ret = gather_ahead(layer, to, image, padding->pixels);
	else if (padding->inside)
		copy_ahead(to, image, padding->inside);
	fill_ahead(to + padding->inside, zero, padding->behind);
	return ret;
}

/*
 * Windows' bytes are turned out of one vector into another, several windows at a time: vdelta, a
 * network that moves bytes by 64, 32, ..., 1, can do that if no two of them meet on their way.
 *
 *	row	| w0 w0 w0 w1 w1 w1 ... |	(one every `step` bytes, overlapping)
 *	copy	| w0 w0 w0 -- w1 w1 w1 -- ... |	(one every `length` bytes)
 */
#define EXPANSION_MIN	400	/* windows from which on it is worth the control's making */

/*
 * Makes the control: place k of the copy has byte k / length * step + k % length of the row. Those
 * of `move` places that begin at a multiple of so many are less than `move` apart, if windows are
 * no farther apart than their copies.
 */
static HVX_Vector expand_control(uint32_t length, uint32_t step)
{
	uint32_t shift = __builtin_ctz(length);
	HVX_Vector control[4];

	for (uint32_t i = 0; i < 4; i++) {
		HVX_Vector place = delta_words(i);

		control[i] = Q6_V_vzero();
		for (uint32_t move = VECTOR / 2; move; move /= 2) {
			HVX_Vector first = Q6_V_vand_VV(place, splat_w(-move));
			HVX_Vector window = Q6_Vuw_vlsr_VuwR(first, shift);

			first = Q6_V_vand_VV(first, splat_w(length - 1));
			first = Q6_Vw_vadd_VwVw(first, Q6_Vw_vmpyi_VwRub(window, four_bytes(step)));
			control[i] = Q6_V_vor_VV(control[i], delta_stage(place, first, move));
		}
	}
	return delta_pack(control);
}

static struct expansion expansion_of(const struct layer *layer)
{
	uint32_t length = conv2d_expanded_pitch(layer);
	uint32_t bytes = layer->window->kernel_w * layer->channels;
	uint32_t step = layer->window->stride_w * layer->channels;
	uint32_t windows = VECTOR / length;

	if (layer->window->dilation_w != 1 || windows < 2 || step > length ||
	    (windows - 1) * step + bytes > VECTOR ||
	    (uint64_t)layer->images * layer->height * layer->out_width < EXPANSION_MIN)
		return (struct expansion){ 0 };
	return (struct expansion){
		.windows = windows,
		.control = expand_control(length, step),
	};
}

/*
 * Turns `count` vectors, one every `from_pitch` bytes, and stores them side by side, in two packets
 * each if that is at a multiple of a vector, and else in three.
 */
static void turn_vectors(uint8_t *to, const uint8_t *from, uint32_t from_pitch, HVX_Vector control,
			 uint32_t count)
{
	HVX_Vector v;

	if ((uintptr_t)to % VECTOR == 0) {
		asm volatile("{ m0 = %[from_pitch] }\n"
			     "{ loop0(1f,%[count]) }\n"
			     "1:\n"
			     "{ %[v] = vmemu(%[from]++m0) }\n"
			     "{ %[v] = vdelta(%[v],%[control]);"
			     "  vmem(%[to]++#1) = %[v].new }:endloop0\n"
			     : [v] "=&v"(v), [to] "+r"(to), [from] "+r"(from)
			     : [from_pitch] "r"(from_pitch), [control] "v"(control),
			       [count] "r"(count)
			     : "m0", "lc0", "sa0", "memory");
		return;
	}
	asm volatile("{ m0 = %[from_pitch] }\n"
		     "{ loop0(1f,%[count]) }\n"
		     "1:\n"
		     "{ %[v] = vmemu(%[from]++m0) }\n"
		     "{ %[v] = vdelta(%[v],%[control]) }\n"
		     "{ vmemu(%[to]++#1) = %[v] }:endloop0\n"
		     : [v] "=&v"(v), [to] "+r"(to), [from] "+r"(from)
		     : [from_pitch] "r"(from_pitch), [control] "v"(control), [count] "r"(count)
		     : "m0", "lc0", "sa0", "memory");
}

void conv2d_prepare_rows(const struct layer *layer, struct memory *memory)
{
	memory->expansion.windows = 0;
	if (layer->source == EXPANDED)
		memory->expansion = expansion_of(layer);
}

/* Copies each window's row by itself. Stores past a piece's end are overwritten by the next. */
static int expand_row(struct layer *layer, uint8_t *to, const uint8_t *row, uint32_t windows,
		      uint32_t length, const struct expansion *expansion)
{
	const struct nn_window_params *window = layer->window;
	uint32_t pieces = window->dilation_w == 1 ? 1 : window->kernel_w;
	uint32_t bytes = pieces == 1 ? window->kernel_w * layer->channels : layer->channels;
	uint32_t step = window->stride_w * layer->channels;

	if (expansion->windows) {
		turn_vectors(to, row, expansion->windows * step, expansion->control,
			     ((windows - 1) >> __builtin_ctz(expansion->windows)) + 1);
		return 0;
	}
	if (pieces == 1 && bytes <= VECTOR) {
		copy_vectors(to, length, row, step, windows);
		return 0;
	}
	for (uint32_t x = 0; x < windows; x++, to += length, row += step) {
		int ret = progress_add(&layer->progress, pieces * (8 + bytes / 32));

		if (ret)
			return ret;
		for (uint32_t k = 0; k < pieces; k++) {
			for (uint32_t i = 0; i < bytes; i += VECTOR)
				store(to + k * bytes + i,
				      load(row + k * window->dilation_w * layer->channels + i));
		}
	}
	return 0;
}

/* Fills in one more row of inputs. */
static __attribute__((noinline)) int
fill_row(struct layer *layer, struct strip *strip, const struct memory *memory)
{
	int64_t y = (int64_t)strip->out_y * layer->window->stride_h - layer->window->pad_top +
		    strip->filled;
	uint8_t *row = memory->rows + strip->filled * strip->row_pitch;
	uint32_t bytes = strip->padding.before + strip->padding.inside + strip->padding.behind;
	int ret = progress_add(&layer->progress, 200 + memory_work(bytes));

	if (ret)
		return ret;
	strip->filled++;
	/* Between the rows of a window with dilation there may be some that no window has. */
	if (layer->source == PADDED)
		return pad_row(layer, row, strip->image, y, &strip->padding);
	ret = pad_row(layer, memory->padded, strip->image, y, &strip->padding);
	if (ret)
		return ret;
	return expand_row(layer, row, memory->padded, strip->out_columns, strip->element_pitch,
			  &memory->expansion);
}

#define INNER_ROWS	8	/* at a time, at most */

static uint32_t rows_at_a_time(uint32_t rows, uint32_t work)
{
	return work <= NN_TILE / 4 / INNER_ROWS ? min_u32(rows, INNER_ROWS) : 1;
}

/*
 * Copies `count` rows with their padding, side by side, of which a vector or more is inside. What
 * is written too much is overwritten by what comes next.
 */
static void pad_inner_rows(uint8_t *to, const uint8_t *from, const struct padding *padding,
			   uint32_t count, HVX_Vector zero)
{
	uint32_t before = padding->before, inside = padding->inside, behind = padding->behind;
	uint32_t whole = inside / VECTOR * VECTOR;

	for (; count; count--, from += padding->row_pitch) {
		fill_ahead(to, zero, before);
		to += before;
		/* The last one is left out, because copy_vectors() reads one more. */
		if (whole > VECTOR)
			copy_vectors(to, VECTOR, from, VECTOR, whole / VECTOR - 1);
		store(to + whole - VECTOR, load(from + whole - VECTOR));
		store(to + inside - VECTOR, load(from + inside - VECTOR));
		to += inside;
		fill_ahead(to, zero, behind);
		to += behind;
	}
}

/* Does what fill_row() does for rows up to `rows` - 1 of pixels side by side, several at a time. */
static __attribute__((noinline)) int
pad_rows(struct layer *layer, struct strip *strip, const struct memory *memory, uint32_t rows)
{
	const struct padding padding = strip->padding;
	uint32_t work = 200 + memory_work(padding.before + padding.inside + padding.behind), count;
	int64_t y = (int64_t)strip->out_y * layer->window->stride_h - layer->window->pad_top +
		    strip->filled;
	HVX_Vector zero = splat_b(layer->call->input[0].zero_point);

	for (; strip->filled < rows; strip->filled += count, y += count) {
		uint8_t *to = memory->rows + strip->filled * strip->row_pitch;
		bool is_inner;
		int ret;

		count = rows_at_a_time(rows - strip->filled, work);
		is_inner = padding.inside >= VECTOR && y >= 0 && y + count <= layer->height;
		if (!is_inner)
			count = 1;
		ret = progress_add(&layer->progress, count * work);
		if (!ret && is_inner)
			pad_inner_rows(to, strip->image + y * padding.row_pitch + padding.from,
				       &padding, count, zero);
		else if (!ret)
			ret = pad_row(layer, to, strip->image, y, &padding);
		if (ret)
			return ret;
	}
	return 0;
}

/* Rows of windows that are laid out with a permutation. */
struct permuted {
	uint32_t vectors, step;	/* of a row, and the bytes from what one loads to the next */
	HVX_Vector control, zero;
	uint8_t *padded;
};

/*
 * Lays out `count` rows of two vectors or more right from the image, in which all is that they
 * load. Of the first vector the padding before a row is what is before it there, and of the last
 * one, that behind it what is behind the `inside` bytes of the row that it has.
 */
static void expand_inner_rows(const struct permuted *permuted, uint32_t before, uint32_t inside,
			      uint8_t *to, uint32_t to_pitch, const uint8_t *from,
			      uint32_t from_pitch, uint32_t count)
{
	uint32_t step = permuted->step, between = permuted->vectors - 2;
	/* There may be no byte before, which vsetq takes, and all inside, which vsetq2 does. */
	HVX_VectorPred is_before = Q6_Q_vsetq_R(before);
	HVX_VectorPred is_inside = Q6_Q_vsetq2_R(inside < VECTOR ? inside : VECTOR);
	HVX_Vector zero = permuted->zero, control = permuted->control;

	for (; count; count--, to += to_pitch, from += from_pitch) {
		const uint8_t *last_from = from + (between + 1) * step;
		HVX_Vector first = Q6_V_vmux_QVV(is_before, zero, load(from));
		HVX_Vector last = Q6_V_vmux_QVV(is_inside, load(last_from), zero);

		store(to, Q6_V_vdelta_VV(first, control));
		store(to + (between + 1) * VECTOR, Q6_V_vdelta_VV(last, control));
		if (between)
			turn_vectors(to + VECTOR, from + step, step, control, between);
	}
}

/* Lays out any row by way of a copy with padding. */
static void expand_outer_row(const struct permuted *permuted, const struct padding *padding,
			     uint8_t *to, const uint8_t *from, bool is_outside)
{
	uint8_t *inside = permuted->padded + padding->before;

	if (is_outside) {
		fill_ahead(to, permuted->zero, permuted->vectors * VECTOR);
		return;
	}
	fill_ahead(permuted->padded, permuted->zero, padding->before);
	copy_ahead(inside, from, padding->inside);
	if (padding->behind)
		fill_ahead(inside + padding->inside, permuted->zero, padding->behind);
	turn_vectors(to, permuted->padded, permuted->step, permuted->control, permuted->vectors);
}

/*
 * Does what fill_row() does for rows up to `rows` - 1 where windows are laid out with a permutation
 * and pixels are side by side: of few channels a row is so little that each step of it counts.
 */
static __attribute__((noinline)) int
expand_rows(struct layer *layer, struct strip *strip, const struct memory *memory, uint32_t rows)
{
	const struct padding padding = strip->padding;
	const struct expansion *expansion = &memory->expansion;
	const struct permuted permuted = {
		.vectors = ((strip->out_columns - 1) >> __builtin_ctz(expansion->windows)) + 1,
		.step = expansion->windows * layer->window->stride_w * layer->channels,
		.control = expansion->control,
		.zero = splat_b(layer->call->input[0].zero_point),
		.padded = memory->padded,
	};
	uint32_t loaded = (permuted.vectors - 1) * permuted.step + VECTOR;
	uint32_t work = 200 + memory_work(padding.before + padding.inside + padding.behind);
	uint32_t pitch = padding.row_pitch, before = padding.before, count;
	/* What the last vector has of the row. The windows of that before it have to be inside. */
	uint32_t used = (expansion->windows - 1) * layer->window->stride_w * layer->channels +
			strip->element_bytes;
	int32_t inside = before + padding.inside - (permuted.vectors - 1) * permuted.step;
	bool has_inner = padding.inside && before < VECTOR && permuted.vectors > 1 && inside > 0 &&
			 inside + permuted.step >= used;
	int64_t y = (int64_t)strip->out_y * layer->window->stride_h - layer->window->pad_top +
		    strip->filled;
	const uint8_t *from = strip->image + y * pitch + padding.from;
	const uint8_t *end = strip->image + (uint64_t)layer->height * pitch;

	for (; strip->filled < rows; strip->filled += count, y += count, from += count * pitch) {
		uint8_t *to = memory->rows + strip->filled * strip->row_pitch;
		bool is_inner;
		int ret;

		count = rows_at_a_time(rows - strip->filled, work);
		is_inner = has_inner && y >= 0 && from - before >= strip->image &&
			   from - before + (uint64_t)(count - 1) * pitch + loaded <= end;
		if (!is_inner)
			count = 1;
		ret = progress_add(&layer->progress, count * work);
		if (ret)
			return ret;
		if (is_inner)
			expand_inner_rows(&permuted, before, inside, to, strip->row_pitch,
					  from - before, pitch, count);
		else
			expand_outer_row(&permuted, &padding, to, from,
					 y < 0 || y >= layer->height || !padding.inside);
	}
	return 0;
}

int conv2d_fill_rows(struct layer *layer, struct strip *strip, const struct memory *memory,
		     uint32_t rows)
{
	int ret = 0;

	if (layer->source == IN_PLACE) {
		if (strip->filled < rows)
			strip->filled = rows;
		return 0;
	}
	if (layer->input_pitch == layer->channels) {
		if (layer->source == PADDED)
			ret = pad_rows(layer, strip, memory, rows);
		else if (memory->expansion.windows)
			ret = expand_rows(layer, strip, memory, rows);
	}
	while (!ret && strip->filled < rows)
		ret = fill_row(layer, strip, memory);
	return ret;
}
