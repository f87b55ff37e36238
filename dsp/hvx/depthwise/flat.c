// SPDX-License-Identifier: MIT
/*
 * Flat weights of DEPTHWISE_CONV2D whose weights have a zero point: their values in scratch memory,
 * and their sums added to the others. flat.h says what they are for; depthwise_conv2d.c and each
 * way that makes sums call it.
 */
#include "dsp/hvx/depthwise/flat.h"

#include "dsp/hvx/depthwise/3x3s2.h"

/* Fills in flat weights as struct depthwise_pixels has them. */
static void list_pixels(struct depthwise_pixels *pixels, uint32_t columns)
{
	/* Odd channels have their third weight in the fourth byte, see 3x3s2.h. */
	uint32_t moved = (columns & 0xffff) | (columns & 0xff0000) << 8;

	for (uint32_t i = 0; i < 12; i++)
		pixels->weights[i] = splat_w(i % 4 < 2 ? columns : moved);
}

void nn_depthwise_settle_flat(struct depthwise *d)
{
	const int32_t zero = d->call->input[1].zero_point;
	uint32_t vectors = d->window.kernel_h * d->words, bytes = vectors * VECTOR;
	uint8_t *weights = d->rows;

	if (!zero)
		return;
	d->flat_times = zero == -128 ? 2 : 1;
	d->flat_weights = four_bytes(-zero / (int32_t)d->flat_times);
	if (d->sums == STRIDED_ROWS)
		bytes += sizeof(struct depthwise_pixels);
	if (d->sums == COMPILED || bytes > d->call->scratch_size / 4) {
		d->sums = COMPILED;
		return;
	}
	d->flat_lanes = (const int32_t *)weights;
	for (uint32_t i = 0; i < vectors; i++)
		((HVX_Vector *)weights)[i] = splat_w(flat_columns(d, i % d->words));
	if (d->sums == STRIDED_ROWS) {
		d->flat_pixels = (struct depthwise_pixels *)(weights + vectors * VECTOR);
		list_pixels(d->flat_pixels, flat_columns(d, 0));
	}
	d->rows += bytes;
}

void nn_depthwise_add_flat(const struct depthwise *d, HVX_Vector *sums, uint32_t count)
{
	for (uint32_t i = 0; i < d->flat_times; i++)
		nn_depthwise_add_sums(sums, d->flat_sums, count);
}
