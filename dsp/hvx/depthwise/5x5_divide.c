// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5: how many columns and rows of output scratch memory has
 * room for at a time. 5x5_slices.c calls it before the first slice of an image. In this order, from
 * d->rows on:
 *
 *	padding | a slice's rows of input | weights, results, bits | flat sums | sums
 *
 * Of the positions in a slice some have room for their sums at a time.
 */
#include "dsp/hvx/depthwise/5x5_slices.h"

#define MOST_POSITIONS	32u

/* Returns the rounds of a position, see struct depthwise_five. */
static uint32_t rounds_of(const struct slices *slices, uint32_t out_rows)
{
	return (out_rows < 2 ? 2 : out_rows) + (slices->stride == 2 ? 2 : 4);
}

/* Returns the bytes of a slice's rows, with those that are read, but mean nothing. */
static uint64_t stage_bytes_of(const struct slices *slices, uint32_t out_rows, uint32_t out_columns)
{
	uint32_t rows = rounds_of(slices, out_rows) * slices->stride + 2;

	return rows * row_bytes_of(slices, out_columns);
}

/* Returns for how many positions at a time there is room, 0 if for none. */
static uint32_t count_indices(const struct slices *slices, uint32_t left, uint32_t out_rows,
			     uint32_t out_columns)
{
	uint64_t stage_bytes = stage_bytes_of(slices, out_rows, out_columns);
	uint32_t position_bytes = rounds_of(slices, out_rows) * 4 * VECTOR;

	if (slices->rows.d->flat_times)
		position_bytes *= 2;
	if (left < stage_bytes)
		return 0;
	left -= stage_bytes;
	/* Most often this needs no division, which takes 30 packets. */
	return left >= MOST_POSITIONS * position_bytes ? MOST_POSITIONS : left / position_bytes;
}

/* Returns how many columns of output there is room for, with a few positions, or 0. */
static uint32_t fitting_columns(const struct slices *slices, uint32_t left, uint32_t out_rows)
{
	for (uint32_t columns = slices->out_width; columns > 1; columns = (columns + 1) / 2) {
		if (count_indices(slices, left, out_rows, columns) >= min_u32(columns, 4))
			return columns;
	}
	return count_indices(slices, left, out_rows, 1) ? 1 : 0;
}

bool nn_depthwise_divide_slices(struct slices *slices)
{
	struct depthwise *d = slices->rows.d;
	uint32_t padding = round_up(slices->channels, VECTOR) / VECTOR, positions;
	/* A row of sums more is read, but means nothing. */
	uint32_t before = (28 + FIVE_MOST_ROWS + MOST_POSITIONS + 8 + padding) * VECTOR;
	uint32_t left = d->call->scratch + d->call->scratch_size - d->rows;
	HVX_Vector *memory = (HVX_Vector *)d->rows;

	if (left < before)
		return false;
	left -= before;
	for (uint32_t most = FIVE_MOST_ROWS; most; most = slices->out_rows - 1) {
		slices->out_rows = even_part(slices->out_height, most);
		slices->columns = fitting_columns(slices, left, slices->out_rows);
		/* Parts should be high, but not narrow. */
		if (slices->columns >= min_u32(slices->out_width, 12) || slices->out_rows <= 12)
			break;
	}
	if (!slices->columns)
		return false;
	slices->columns = even_part(slices->out_width, slices->columns);
	slices->rows.five.row_bytes = row_bytes_of(slices, slices->columns);
	positions = count_indices(slices, left, slices->out_rows, slices->columns);
	slices->padding = (uint8_t *)memory;
	for (uint32_t i = 0; i < padding; i++)
		memory[i] = splat_b((uint32_t)d->call->input[0].zero_point);
	slices->memory = (uint8_t *)(memory + padding);
	memory += padding + stage_bytes_of(slices, slices->out_rows, slices->columns) / VECTOR;
	nn_depthwise_settle_five(&slices->rows, d, memory, positions);
	d->flat_sums = slices->rows.five.sums;
	if (d->flat_times)
		slices->rows.five.sums += positions * rounds_of(slices, slices->out_rows) * 4;
	return true;
}
