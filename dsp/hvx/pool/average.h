/* SPDX-License-Identifier: MIT */
/*
 * Sums of windows in integers, for AVERAGE_POOL and AVERAGE_POOL_FLOAT (average_pool.c,
 * average_pool_float.c): first down the rows of a window, 128 bytes of a row at a time, then across
 * its columns.
 *
 *	rows of the image   |a0 a1 a2 ...|	bytes, a column's channels side by side
 *	                    |b0 b1 b2 ...|
 *	`down`              |a0+b0 a1+b1 ...|	halfwords, columns of padding 0
 */
#ifndef NN_HVX_AVERAGE_H
#define NN_HVX_AVERAGE_H

#include <stddef.h>
#include "dsp/hvx/pool/means.h"
#include "dsp/hvx/pool/pool.h"

/*
 * Adds up `rows` rows, `pitch` bytes from one to the next: 128 bytes of each, or, in parts, fewer.
 */
static inline __attribute__((always_inline)) void add_vector(uint16_t *down, const uint8_t *from,
							     uint32_t rows, uint32_t pitch,
							     uint32_t bytes, HVX_Vector flip)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero);

	/* One instruction adds two rows. */
	for (; rows >= 2; rows -= 2, from += 2 * pitch)
		sum = Q6_Wh_vaddacc_WhVubVub(sum, Q6_V_vxor_VV(load_row(from, bytes), flip),
					     Q6_V_vxor_VV(load_row(from + pitch, bytes), flip));
	if (rows)
		sum = Q6_Wh_vaddacc_WhVubVub(sum, Q6_V_vxor_VV(load_row(from, bytes), flip), zero);
	sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -2);
	store(down, Q6_V_lo_W(sum));
	store(down + 64, Q6_V_hi_W(sum));
}

/* The same of two vectors side by side: the second's loads need not wait for the first's stores. */
static inline __attribute__((always_inline)) void add_two(uint16_t *down, const uint8_t *from,
							  uint32_t rows, uint32_t pitch,
							  HVX_Vector flip)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPair sum0 = Q6_W_vcombine_VV(zero, zero), sum1 = sum0;

	for (; rows >= 2; rows -= 2, from += 2 * pitch) {
		sum0 = Q6_Wh_vaddacc_WhVubVub(sum0, Q6_V_vxor_VV(load(from), flip),
					      Q6_V_vxor_VV(load(from + pitch), flip));
		sum1 = Q6_Wh_vaddacc_WhVubVub(sum1, Q6_V_vxor_VV(load(from + VECTOR), flip),
					      Q6_V_vxor_VV(load(from + pitch + VECTOR), flip));
	}
	if (rows) {
		sum0 = Q6_Wh_vaddacc_WhVubVub(sum0, Q6_V_vxor_VV(load(from), flip), zero);
		sum1 = Q6_Wh_vaddacc_WhVubVub(sum1, Q6_V_vxor_VV(load(from + VECTOR), flip), zero);
	}
	sum0 = Q6_W_vshuff_VVR(Q6_V_hi_W(sum0), Q6_V_lo_W(sum0), -2);
	sum1 = Q6_W_vshuff_VVR(Q6_V_hi_W(sum1), Q6_V_lo_W(sum1), -2);
	store(down, Q6_V_lo_W(sum0));
	store(down + 64, Q6_V_hi_W(sum0));
	store(down + 128, Q6_V_lo_W(sum1));
	store(down + 192, Q6_V_hi_W(sum1));
}

static inline __attribute__((always_inline)) void add_vectors(uint16_t *down, const uint8_t *from,
							      uint32_t rows, uint32_t pitch,
							      uint32_t vectors, HVX_Vector flip)
{
	uint32_t pairs = vectors / 2;

	for (uint32_t i = 0; i < pairs; i++, from += 2 * VECTOR, down += 2 * VECTOR)
		add_two(down, from, rows, pitch, flip);
	if (vectors % 2)
		add_vector(down, from, rows, pitch, VECTOR, flip);
}

/* Fills `count` halfwords, and up to a vector more. */
static inline void fill_halves(uint16_t *to, uint32_t count, HVX_Vector v)
{
	for (uint32_t i = 0; i < count; i += VECTOR / 2)
		store(to + i, v);
}

/*
 * Adds up a window's rows to unsigned halfwords. Padding is 0; where it counts, it is the zero
 * point, so that all windows of a row have as many elements.
 */
static inline void add_rows(const struct nn_call *call, const uint8_t *image,
		     const struct pool_window *rows, const struct column_part *part, uint16_t *down)
{
	uint32_t channels = call->input[0].dims[3], bytes = part->width * channels;
	uint32_t lead = part->left * channels, height = rows->bottom - rows->top;
	uint32_t inside = part->inside * channels, pitch = call->input[0].dims[2] * channels;
	uint32_t whole = inside / VECTOR * VECTOR;
	const uint8_t *from = image + rows->top * pitch + part->first * channels;
	uint32_t flip_in = call->input[0].type == NN_TYPE_INT8 ? 0x80 : 0;
	uint32_t zero = (call->input[0].zero_point + flip_in) * height;
	HVX_Vector flip = splat_b(flip_in);
	HVX_Vector padding = splat_h(call->op->window.count_padding ? zero : 0);

	fill_halves(down, lead, padding);
	/* A constant number of rows leaves loops out. */
	if (height == 3)
		add_vectors(down + lead, from, 3, pitch, inside / VECTOR, flip);
	else if (height == 5)
		add_vectors(down + lead, from, 5, pitch, inside / VECTOR, flip);
	else
		add_vectors(down + lead, from, height, pitch, inside / VECTOR, flip);
	if (whole < inside)
		add_vector(down + lead + whole, from + whole, height, pitch, inside - whole, flip);
	fill_halves(down + lead + inside, bytes - lead - inside, padding);
}

/* Windows x to end - 1 of a part. The second half of scratch memory has room for their sums. */
static inline struct mean_windows windows_of(const struct nn_call *call, const uint16_t *down,
					     uint8_t *out, uint32_t x, uint32_t end)
{
	const struct nn_window_params *params = &call->op->window;
	uint32_t channels = call->input[0].dims[3];

	return (struct mean_windows){
		.down = down + x * params->stride_w * channels,
		.sums = (uint16_t *)(call->scratch + call->scratch_size / 2 / VECTOR * VECTOR),
		.to = out + x * channels,
		.windows = end - x,
		.channels = channels,
		.columns = params->kernel_w,
		.stride = params->stride_w,
	};
}

/* The elements that a window has in the sums of add_rows(). */
static inline uint32_t window_area(const struct nn_window_params *params,
				   const struct pool_window *window)
{
	uint32_t columns = window->right - window->left;

	return (window->bottom - window->top) * (params->count_padding ? params->kernel_w : columns);
}

/*
 * Windows of a row's part that are equally large: x to end - 1, or two, one at each edge, whose
 * results are made side by side in scratch memory.
 */
struct window_group {
	uint32_t x, end;	/* the first one, and the one behind the last */
	uint32_t other;		/* the one at the right edge, or 0 */
	uint32_t columns;	/* of each, that are not padding, or count */
	uint32_t means;		/* a number of known means */
	struct mean_windows windows;	/* all but where they go */
};

#define MOST_GROUPS	8u

/* The groups of the last part, which are the same in rows whose windows are as high. */
struct window_groups {
	uint32_t out_x, columns, height;	/* columns 0: there are none */
	uint32_t paired;	/* windows at the right edge, from the last on, that others have */
	uint32_t count;
	struct window_group group[MOST_GROUPS];
};

/* Returns how many columns window x of a part has that are not padding. */
static inline uint32_t columns_of(const struct nn_call *call, const struct column_part *part,
				  uint32_t x)
{
	const struct nn_window_params *params = &call->op->window;
	uint32_t left, right;

	pool_window_axis(part->out_x + x, params->stride_w, params->pad_left, params->kernel_w,
			 call->input[0].dims[2], &left, &right);
	return right - left;
}

#define MOST_PAIRED	32u	/* windows at an edge */
#define PAIR_CHANNELS	512u	/* above, another call takes less than a copy */

/*
 * Pairs window x of a whole row, at its left edge, with one at the right that has as many columns.
 * There is room for the sums of kernel_w windows, and so for those of two and their results.
 */
static inline void pair_windows(const struct nn_call *call, const struct column_part *part,
				struct window_group *group, uint32_t *paired)
{
	const struct nn_window_params *params = &call->op->window;
	uint32_t channels = call->input[0].dims[3];
	uint32_t most = min_u32(part->columns - 1 - group->x, MOST_PAIRED);

	if (part->columns != call->output[0].dims[2] || params->kernel_w < 3 ||
	    channels > PAIR_CHANNELS || group->x * params->stride_w >= params->pad_left)
		return;
	for (uint32_t i = 0; i < most; i++) {
		uint32_t other = part->columns - 1 - i, columns = columns_of(call, part, other);

		if (columns == params->kernel_w || columns > group->columns)
			return;
		if (columns < group->columns || *paired >> i & 1)
			continue;
		*paired |= 1u << i;
		group->other = other;
		group->windows.windows = 2;
		group->windows.stride *= other - group->x;
		group->windows.to = (uint8_t *)group->windows.sums +
				    round_up(4 * channels + VECTOR, VECTOR);
		return;
	}
}

/*
 * Returns the group of windows that begins with window x of a part. It has no windows if they are
 * the other ones of pairs.
 */
static inline struct window_group group_of(const struct nn_call *call,
					   const struct column_part *part, uint32_t x,
					   uint32_t *paired)
{
	const struct nn_window_params *params = &call->op->window;
	struct window_group group = { .x = x, .end = x + 1 };
	uint32_t last = part->columns - 1 - x, end;

	if (!x)
		*paired = 0;
	if (last < MOST_PAIRED && *paired >> last & 1)
		return group;
	group.columns = params->count_padding ? params->kernel_w : columns_of(call, part, x);
	/* Windows are whole until the first that is cut off. */
	if (params->count_padding) {
		group.end = part->columns;
	} else if (group.columns == params->kernel_w) {
		end = call->input[0].dims[2] + params->pad_left - params->kernel_w;
		end = divide_by_stride(end, params->stride_w);
		group.end = min_u32(end + 1 - part->out_x, part->columns);
	}
	group.windows = windows_of(call, (const uint16_t *)call->scratch, NULL, x, group.end);
	if (group.columns < params->kernel_w)
		pair_windows(call, part, &group, paired);
	return group;
}

/* Has a group's results go to where the part's do, or, if it is a pair, to scratch memory. */
static inline void place_group(struct window_group *group, uint8_t *out)
{
	if (!group->other)
		group->windows.to = out + group->x * group->windows.channels;
}

/* Copies a pair's results to where they go. */
static inline void part_pair(const struct window_group *group, uint8_t *out)
{
	uint32_t channels = group->windows.channels;
	const uint8_t *from = group->windows.to;

	if (!group->other)
		return;
	for (uint32_t c = 0; c < channels; c += VECTOR) {
		uint32_t bytes = min_u32(channels - c, VECTOR);

		store_bytes(out + group->x * channels + c, load(from + c), bytes);
		store_bytes(out + group->other * channels + c, load(from + channels + c), bytes);
	}
}

/* Whether a part's groups in rows of this height are kept. */
static inline bool groups_are_kept(const struct window_groups *groups,
				   const struct column_part *part, uint32_t height)
{
	return groups->columns == part->columns && groups->out_x == part->out_x &&
	       groups->height == height;
}

/* Keeps a group behind those before it; finish_groups() keeps them all. */
static inline void keep_group(struct window_groups *groups, const struct window_group *group)
{
	if (!group->x) {
		groups->count = 0;
		groups->columns = 0;
	}
	if (groups->count < MOST_GROUPS)
		groups->group[groups->count] = *group;
	groups->count++;
}

/* Keeps the groups of a part whose last one there has been. */
static inline void finish_groups(struct window_groups *groups, const struct column_part *part,
				 uint32_t height)
{
	if (groups->count > MOST_GROUPS)
		return;
	/* Means that others have taken the place of cannot be kept. */
	for (uint32_t i = 0; i < groups->count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (groups->group[i].means == groups->group[k].means &&
			    groups->group[i].columns != groups->group[k].columns)
				return;
		}
	}
	groups->columns = part->columns;
	groups->out_x = part->out_x;
	groups->height = height;
}

/*
 * Adds up `columns` columns of 64 channels, which are `channels` halfwords from one to the next:
 * words, the even channels' in the low vector, the odd ones' in the high one.
 */
static inline HVX_VectorPair add_columns(const uint16_t *column, uint32_t columns,
					 uint32_t channels)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero);

	for (uint32_t x = 0; x < columns; x++)
		sum = Q6_Ww_vaddacc_WwVuhVuh(sum, load(column + x * channels), zero);
	return sum;
}

/* The work of one column of the output. */
static inline uint32_t column_work(const struct nn_call *call)
{
	return 150 + (call->output[0].dims[3] / VECTOR + 1) * (call->op->window.kernel_w + 8) * 8;
}

/* Columns of the output that are made at a time; 0 if scratch memory has no room for one. */
static inline uint32_t average_columns(const struct nn_call *call)
{
	uint32_t columns = fitting_columns(call, 2);

	while (columns > 1 && columns * column_work(call) > NN_TILE)
		columns = (columns + 1) / 2;
	return columns;
}

/* Makes the windows of a part of row y; 0, or what ends the operator. */
typedef int average_row_function(struct progress *progress, void *context, const uint8_t *image,
				 uint32_t y, const struct column_part *part, uint8_t *out);

/*
 * Makes the windows of row y from `first` on, so many columns at once, by a function that is known
 * where this is inlined.
 */
static inline __attribute__((always_inline)) int
average_rest(average_row_function *make, struct progress *progress, void *context,
	     const uint8_t *image, uint32_t y, uint32_t first, uint32_t columns, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];

	for (uint32_t x = first; x < output->dims[2]; x += columns) {
		struct column_part part = part_of(call, x, min_u32(output->dims[2] - x, columns));
		int ret = make(progress, context, image, y, &part, out + x * output->dims[3]);

		if (ret)
			return ret;
	}
	return 0;
}

#endif
