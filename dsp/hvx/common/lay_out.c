// SPDX-License-Identifier: MIT
/*
 * Lays out inputs that are broadcast (lay_out.h). Blocks and elements that are used for long are
 * laid out once and held. Of short ones as many as fill a vector are made at once, by a table whose
 * entries are the input's bytes:
 *
 *	input		|c0 c1 c2 ... c41|
 *	indices		| 0  0  0  1  1  1  2 ...  41|	a value for each of 42 pixels of three
 *	laid out	|c0 c0 c0 c1 c1 c1 c2 ... c41|
 */
#include "dsp/kernels/broadcast.h"
#include "dsp/hvx/common/lay_out.h"

#include <stddef.h>

#define IN_VECTOR	(VECTOR / 2)	/* bytes of a unit, at most, of which vectors have several */

static bool level_varies(const struct laid_out *laid, uint32_t level)
{
	return laid->varies == !(level & 1);
}

static void find_levels(struct laid_out *laid, const struct nn_tensor *input,
			const struct nn_tensor *output)
{
	bool varied = false;

	laid->levels = 0;
	for (uint32_t d = output->rank; d-- > 0;) {
		uint32_t extent = output->dims[d];
		bool varies = input->dims[d] != 1;

		if (extent == 1)
			continue;
		if (!laid->levels)
			laid->varies = varies;
		if (laid->levels && varies == varied)
			laid->extent[laid->levels - 1] *= extent;
		else
			laid->extent[laid->levels++] = extent;
		varied = varies;
	}
	if (!laid->levels) {
		laid->varies = true;
		laid->extent[laid->levels++] = 1;
	}
}

/* Makes units of more levels while vectors have several. */
static void find_unit(struct laid_out *laid)
{
	const uint32_t *extent = laid->extent;
	uint32_t size = laid->size;

	laid->upper = laid->varies ? 2 : 1;
	laid->unit_from = laid->varies ? extent[0] : 1;
	laid->unit = laid->varies ? extent[0] * extent[1] : extent[0];
	while (laid->upper + 1 < laid->levels &&
	       (uint64_t)laid->unit * extent[laid->upper] * extent[laid->upper + 1] * size <=
		       IN_VECTOR) {
		laid->unit_from *= extent[laid->upper];
		laid->unit *= extent[laid->upper] * extent[laid->upper + 1];
		laid->upper += 2;
	}
	if (laid->upper > laid->levels)
		laid->upper = laid->levels;
}

/* Returns which element of a unit's input its element i is of. */
static uint32_t source_in_unit(const struct laid_out *laid, uint32_t i)
{
	uint32_t source = 0, scale = 1;

	for (uint32_t level = 0; level < laid->upper; level++) {
		uint32_t digit = i % laid->extent[level];

		i /= laid->extent[level];
		if (!level_varies(laid, level))
			continue;
		source += digit * scale;
		scale *= laid->extent[level];
	}
	return source;
}

/* Lists the bytes of an input's vector that make one of the output. */
static void list_indices(struct laid_out *laid)
{
	uint32_t bytes = laid->unit * laid->size, at = 0;

	laid->in_vector = 0;
	if (bytes > IN_VECTOR)
		return;
	laid->in_vector = VECTOR / bytes;
	for (uint32_t i = 0; i < laid->unit; i++) {
		for (uint32_t k = 0; k < laid->size; k++)
			laid->room[at++] = source_in_unit(laid, i) * laid->size + k;
	}
	for (; at < laid->in_vector * bytes; at++)
		laid->room[at] = laid->room[at - bytes] + laid->unit_from * laid->size;
	for (; at < VECTOR; at++)
		laid->room[at] = 0;
}

void nn_lay_out_begin(struct laid_out *laid, const struct nn_tensor *input,
		      const struct nn_tensor *output, uint8_t *room, uint32_t most)
{
	laid->data = input->data;
	laid->size = nn_type_size(input->type);
	laid->most = most;
	laid->room = room;
	laid->held = NULL;
	find_levels(laid, input, output);
	laid->is_dense = laid->levels == 1 && laid->varies;
	if (laid->is_dense)
		return;
	find_unit(laid);
	list_indices(laid);
}

/* Tells whether what begins after so many elements is done by itself, not with its neighbours. */
static bool is_long(const struct laid_out *laid, uint32_t elements)
{
	return elements >= laid->most / 4;
}

/* The elements for which one block, or one element, is used. */
static uint32_t run_of(const struct laid_out *laid)
{
	return laid->varies ? laid->extent[0] * laid->extent[1] : laid->extent[0];
}

uint32_t nn_lay_out_span(const struct laid_out *laid, uint32_t at)
{
	uint32_t run, left;

	if (laid->is_dense)
		return UINT32_MAX;
	if (laid->varies && is_long(laid, laid->extent[0]))
		return laid->extent[0] - at % laid->extent[0];
	run = run_of(laid);
	if (!is_long(laid, run))
		return laid->most;
	left = run - at % run;
	return left < laid->most ? left : laid->most;
}

/* Returns the input's element at which unit `index` of those at `level` begins. */
static uint32_t source_of(const struct laid_out *laid, uint32_t level, uint32_t index,
			  uint32_t from)
{
	uint32_t source = 0;

	for (; level < laid->levels && index; level++) {
		uint32_t extent = laid->extent[level], rest = index;

		index = 0;
		if (level + 1 < laid->levels) {
			index = rest / extent;
			rest -= index * extent;
		}
		if (!level_varies(laid, level))
			continue;
		source += rest * from;
		from *= extent;
	}
	return source;
}

/* Makes a vector of one element. */
static HVX_Vector splat_element(const uint8_t *from, uint32_t size)
{
	const uint32_t *words = (const uint32_t *)from;

	switch (size) {
	case 1:
		return splat_b(*from);
	case 2:
		return splat_h(*(const uint16_t *)from);
	case 4:
		return splat_w(*words);
	}
	return Q6_V_lo_W(Q6_W_vshuff_VVR(splat_w(words[1]), splat_w(words[0]), -4));
}

/* Repeats a block until at least `bytes` bytes are full, and less than 128 more. */
static void repeat_block(uint8_t *to, const uint8_t *from, uint32_t block, uint32_t bytes)
{
	uint32_t done = block;

	for (uint32_t i = 0; i < block; i += VECTOR)
		store(to + i, load_bytes(from + i, block - i < VECTOR ? block - i : VECTOR));
	for (; done < VECTOR && done < bytes; done *= 2)
		store(to + done, load(to));
	block = done;
	for (; done < bytes; done += VECTOR)
		store(to + done, load(to + done - block));
}

static void repeat_element(uint8_t *to, const uint8_t *from, uint32_t size, uint32_t bytes)
{
	HVX_Vector element = splat_element(from, size);

	for (uint32_t i = 0; i < bytes; i += VECTOR)
		store(to + i, element);
}

/*
 * Makes whole vectors of a few units. A vector of the input has what several of the output are made
 * of, and indices go on from one to the next.
 */
static void make_in_vectors(const struct laid_out *laid, uint8_t *to, const uint8_t *from,
			    uint32_t units)
{
	const HVX_Vector first = load(laid->room);
	const uint32_t take = laid->in_vector * laid->unit_from * laid->size;
	const uint32_t make = laid->in_vector * laid->unit * laid->size;
	const HVX_Vector step = splat_b(take);
	uint32_t left = units * laid->unit_from * laid->size, all = take;

	while (all + take <= VECTOR)
		all += take;
	for (; left; from += all) {
		HVX_Vector table, indices = first;

		all = left < all ? left : all;
		table = Q6_Vb_vshuff_Vb(load_bytes(from, all));
		for (uint32_t done = 0; done < all; done += take) {
			HVX_Vector made = Q6_Vb_vlut32_VbVbI(indices, table, 0);

			made = Q6_Vb_vlut32or_VbVbVbI(made, indices, table, 1);
			made = Q6_Vb_vlut32or_VbVbVbI(made, indices, table, 2);
			made = Q6_Vb_vlut32or_VbVbVbI(made, indices, table, 3);
			store(to, made);
			to += make;
			indices = Q6_Vb_vadd_VbVb(indices, step);
		}
		left -= all;
	}
}

/* Makes `units` units of an input's elements that lie side by side. */
static void make_units(const struct laid_out *laid, uint8_t *to, const uint8_t *from,
		       uint32_t units)
{
	uint32_t unit = laid->unit * laid->size, unit_from = laid->unit_from * laid->size;

	if (laid->in_vector) {
		make_in_vectors(laid, to, from, units);
		return;
	}
	for (; units; units--, to += unit, from += unit_from) {
		if (laid->varies)
			repeat_block(to, from, unit_from, unit);
		else
			repeat_element(to, from, laid->size, unit);
	}
}

/* Lays out units until all of `count` elements are there, the first in the first unit. */
static const uint8_t *lay_out_units(struct laid_out *laid, uint32_t at, uint32_t count)
{
	uint8_t *to = laid->room + VECTOR;
	uint32_t unit = laid->unit, index = at / unit, into = at - index * unit;
	uint32_t units = (into + count + unit - 1) / unit;
	uint32_t row = laid->upper < laid->levels ? laid->extent[laid->upper] : 1;
	uint32_t digit = index % row;

	while (units) {
		uint32_t some = row - digit < units ? row - digit : units;

		make_units(laid, to,
			   laid->data + source_of(laid, laid->upper, index, laid->unit_from) *
						laid->size,
			   some);
		to += some * unit * laid->size;
		index += some;
		units -= some;
		digit = 0;
	}
	return laid->room + VECTOR + into * laid->size;
}

const uint8_t *nn_lay_out(struct laid_out *laid, uint32_t at, uint32_t count)
{
	uint32_t size = laid->size, block = laid->extent[0], index, into;
	const uint8_t *from;

	if (laid->is_dense)
		return laid->data + at * size;
	if (laid->varies && is_long(laid, block)) {
		index = at / block;
		return laid->data + source_of(laid, 1, index, block) * size +
		       (at - index * block) * size;
	}
	if (!is_long(laid, run_of(laid)))
		return lay_out_units(laid, at, count);

	/* One block or element for all of it. */
	index = at / block;
	into = at - index * block;
	from = laid->data + source_of(laid, 1, index, laid->varies ? block : 1) * size;
	if (from != laid->held) {
		if (laid->varies)
			repeat_block(laid->room + VECTOR, from, block * size,
				     (laid->most + block) * size);
		else
			repeat_element(laid->room + VECTOR, from, size, laid->most * size);
		laid->held = from;
	}
	return laid->room + VECTOR + (laid->varies ? into * size : 0);
}
