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

static inline __attribute__((always_inline)) void add_vectors(uint16_t *down, const uint8_t *from,
							      uint32_t rows, uint32_t pitch,
							      uint32_t vectors, HVX_Vector flip)
{
	for (uint32_t i = 0; i < vectors; i++, from += VECTOR, down += VECTOR)
		add_vector(down, from, rows, pitch, VECTOR, flip);
}

/* Adds up a window's rows to unsigned halfwords. Padding is 0. */
static inline void add_rows(const struct nn_call *call, const uint8_t *image,
		     const struct pool_window *rows, const struct column_part *part, uint16_t *down)
{
	uint32_t channels = call->input[0].dims[3], bytes = part->width * channels;
	uint32_t lead = part->left * channels, height = rows->bottom - rows->top;
	uint32_t inside = part->inside * channels, pitch = call->input[0].dims[2] * channels;
	uint32_t whole = inside / VECTOR * VECTOR;
	const uint8_t *from = image + rows->top * pitch + part->first * channels;
	HVX_Vector flip = splat_b(call->input[0].type == NN_TYPE_INT8 ? 0x80 : 0);

	__builtin_memset(down, 0, lead * 2);
	/* A constant number of rows leaves loops out. */
	if (height == 3)
		add_vectors(down + lead, from, 3, pitch, inside / VECTOR, flip);
	else
		add_vectors(down + lead, from, height, pitch, inside / VECTOR, flip);
	if (whole < inside)
		add_vector(down + lead + whole, from + whole, height, pitch, inside - whole, flip);
	__builtin_memset(down + lead + inside, 0, (bytes - lead - inside) * 2);
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
