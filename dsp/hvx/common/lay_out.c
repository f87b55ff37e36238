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
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/lay_out.h"

#include <stddef.h>

#define IN_VECTOR	(VECTOR / 2)	/* bytes of a unit of which vectors have several */

static struct divisor divisor_of(uint32_t value)
{
	return (struct divisor){ value, reciprocal_of((float)value) };
}

/* Divides, quicker than the DSP without an instruction for it, if numbers are not great. */
static uint32_t quotient_of(uint32_t x, const struct divisor *by)
{
	uint32_t quotient;
	int32_t rest;

	if (x >= 1u << 20)
		return x / by->value;
	/* This is off by 1 at most. */
	quotient = (uint32_t)((float)x * by->inverse);
	rest = (int32_t)(x - quotient * by->value);
	if (rest < 0)
		return quotient - 1;
	return (uint32_t)rest >= by->value ? quotient + 1 : quotient;
}

static uint32_t rest_of(uint32_t x, const struct divisor *by)
{
	return x - quotient_of(x, by) * by->value;
}

static bool level_varies(const struct laid_out *laid, uint32_t level)
{
	return laid->varies == !(level & 1);
}

static void find_levels(struct laid_out *laid, const struct nn_tensor *input,
			const struct nn_tensor *output)
{
	bool varied = false;
	uint32_t extents[NN_MAX_RANK];

	laid->levels = 0;
	for (uint32_t d = output->rank; d-- > 0;) {
		uint32_t extent = output->dims[d];
		bool varies = input->dims[d] != 1;

		if (extent == 1)
			continue;
		if (!laid->levels)
			laid->varies = varies;
		if (laid->levels && varies == varied)
			extents[laid->levels - 1] *= extent;
		else
			extents[laid->levels++] = extent;
		varied = varies;
	}
	if (!laid->levels) {
		laid->varies = true;
		extents[laid->levels++] = 1;
	}
	for (uint32_t i = 0; i < laid->levels; i++)
		laid->extent[i] = divisor_of(extents[i]);
}

/* Makes units of more levels while vectors have several. */
static void find_unit(struct laid_out *laid)
{
	const struct divisor *extent = laid->extent;
	uint32_t unit = extent[0].value;

	laid->upper = laid->varies ? 2 : 1;
	laid->unit_from = laid->varies ? unit : 1;
	unit = laid->varies ? unit * extent[1].value : unit;
	laid->run = divisor_of(unit);
	while (laid->upper + 1 < laid->levels) {
		uint32_t from = extent[laid->upper].value;
		uint32_t next = from * extent[laid->upper + 1].value;

		if ((uint64_t)unit * next * laid->size > IN_VECTOR)
			break;
		laid->unit_from *= from;
		unit *= next;
		laid->upper += 2;
	}
	laid->unit = divisor_of(unit);
}

/* Returns which element of a unit's input its element i is of. */
static uint32_t source_in_unit(const struct laid_out *laid, uint32_t i)
{
	uint32_t source = 0, scale = 1;

	for (uint32_t level = 0; level < laid->upper; level++) {
		uint32_t digit = rest_of(i, &laid->extent[level]);

		i = quotient_of(i, &laid->extent[level]);
		if (!level_varies(laid, level))
			continue;
		source += digit * scale;
		scale *= laid->extent[level].value;
	}
	return source;
}

/* Lists the bytes of an input's vector that make one of the output. */
static void list_indices(struct laid_out *laid)
{
	uint32_t bytes = laid->unit.value * laid->size, at = 0;

	laid->in_vector = 0;
	if (bytes > IN_VECTOR)
		return;
	laid->in_vector = VECTOR / bytes;
	for (uint32_t i = 0; i < laid->unit.value; i++) {
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

uint32_t nn_lay_out_span(const struct laid_out *laid, uint32_t at)
{
	uint32_t left;

	if (laid->is_dense)
		return UINT32_MAX;
	if (laid->varies && is_long(laid, laid->extent[0].value))
		return laid->extent[0].value - rest_of(at, &laid->extent[0]);
	if (!is_long(laid, laid->run.value))
		return laid->most;
	left = laid->run.value - rest_of(at, &laid->run);
	return left < laid->most ? left : laid->most;
}

/* Returns the input's element at which unit `index` of those at `level` begins. */
static uint32_t source_of(const struct laid_out *laid, uint32_t level, uint32_t index,
			  uint32_t from)
{
	uint32_t source = 0;

	for (; level < laid->levels && index; level++) {
		const struct divisor *extent = &laid->extent[level];
		uint32_t rest = index;

		index = 0;
		if (level + 1 < laid->levels) {
			index = quotient_of(rest, extent);
			rest -= index * extent->value;
		}
		if (!level_varies(laid, level))
			continue;
		source += rest * from;
		from *= extent->value;
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
 * Makes vectors, each of `take` bytes of a vector of the input, of which indices go on from one to
 * the next. `nearby`: bytes of one are in one of four parts of the input's vector.
 */
static inline __attribute__((always_inline)) uint8_t *
make_of_vector(uint8_t *to, uint32_t make, HVX_Vector from, HVX_Vector indices, uint32_t take,
	       uint32_t bytes, bool nearby)
{
	const HVX_Vector table = Q6_Vb_vshuff_Vb(from), step = splat_b(take);

	for (uint32_t done = 0; done < bytes; done += take) {
		HVX_Vector made;

		if (nearby) {
			made = Q6_Vb_vlut32_VbVbR_nomatch(indices, table, done / 32);
		} else {
			made = Q6_Vb_vlut32_VbVbI(indices, table, 0);
			made = Q6_Vb_vlut32or_VbVbVbI(made, indices, table, 1);
			made = Q6_Vb_vlut32or_VbVbVbI(made, indices, table, 2);
			made = Q6_Vb_vlut32or_VbVbVbI(made, indices, table, 3);
		}
		store(to, made);
		to += make;
		indices = Q6_Vb_vadd_VbVb(indices, step);
	}
	return to;
}

/* Makes whole vectors of a few units. */
static void make_in_vectors(const struct laid_out *laid, uint8_t *to, const uint8_t *from,
			    uint32_t units)
{
	const HVX_Vector indices = load(laid->room);
	const uint32_t take = laid->in_vector * laid->unit_from * laid->size;
	const uint32_t make = laid->in_vector * laid->unit.value * laid->size;
	/* Few bytes are taken of a part of 32 bytes; others of all the vector. */
	const bool divides = !(take & (take - 1)) && take <= 32, nearby = divides || take <= 8;
	const uint32_t most = nearby && !divides ? 32 : VECTOR;
	uint32_t left = units * laid->unit_from * laid->size, all = take;

	while (all + take <= most)
		all += take;
	for (; left; from += all, left -= all) {
		HVX_Vector bytes;

		all = left < all ? left : all;
		bytes = load_bytes(from, all);
		if (nearby)
			to = make_of_vector(to, make, bytes, indices, take, all, true);
		else
			to = make_of_vector(to, make, bytes, indices, take, all, false);
	}
}

/* Makes `units` units of an input's elements that lie side by side. */
static void make_units(const struct laid_out *laid, uint8_t *to, const uint8_t *from,
		       uint32_t units)
{
	uint32_t unit = laid->unit.value * laid->size, unit_from = laid->unit_from * laid->size;

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
	uint32_t unit = laid->unit.value, index = quotient_of(at, &laid->unit);
	uint32_t into = at - index * unit;
	uint32_t units = quotient_of(into + count + unit - 1, &laid->unit), row = units, digit = 0;

	if (laid->upper < laid->levels) {
		row = laid->extent[laid->upper].value;
		digit = rest_of(index, &laid->extent[laid->upper]);
	}
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
	uint32_t size = laid->size, block = laid->extent[0].value, index, into;
	const uint8_t *from;

	if (laid->is_dense)
		return laid->data + at * size;
	if (laid->varies && is_long(laid, block)) {
		index = quotient_of(at, &laid->extent[0]);
		return laid->data + source_of(laid, 1, index, block) * size +
		       (at - index * block) * size;
	}
	if (!is_long(laid, laid->run.value))
		return lay_out_units(laid, at, count);

	/* One block or element for all of it. */
	index = quotient_of(at, &laid->extent[0]);
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

#define PART		8192u	/* most elements that are laid out at a time, */
#define LEAST_PART	256u	/* and fewest */
#define PART_WORK	400

/* Divides scratch memory. Returns false if there is too little. */
static bool begin_all(const struct nn_call *call, uint32_t inputs, struct laid_out *laid)
{
	uint32_t sizes = 0, most, left = call->scratch_size;
	uint64_t elements = call->output[0].bytes / nn_type_size(call->output[0].type);
	uint8_t *at = call->scratch;

	for (uint32_t i = 0; i < inputs; i++)
		sizes += nn_type_size(call->input[i].type);
	if (left < inputs * 4 * VECTOR)
		return false;
	left -= inputs * 4 * VECTOR;
	most = min_u32(PART, left * 2 / (3 * sizes) / LEAST_PART * LEAST_PART);
	if (most < LEAST_PART)
		return false;
	if (most > elements)
		most = round_up(elements, LEAST_PART);
	for (uint32_t i = 0; i < inputs; i++) {
		nn_lay_out_begin(&laid[i], &call->input[i], &call->output[0], at, most);
		at += LAY_OUT_ROOM(most, laid[i].size);
	}
	return true;
}

int nn_lay_out_run(const struct nn_call *call, uint32_t inputs, laid_out_function run,
		   uint32_t work)
{
	struct progress progress = { .call = call };
	struct laid_out laid[LAY_OUT_INPUTS];
	uint32_t size = nn_type_size(call->output[0].type);
	uint32_t elements = call->output[0].bytes / size, part;

	if (!elements)
		return 0;
	if (!begin_all(call, inputs, laid))
		return nn_kernels_portable[call->op->opcode].run(call);
	for (uint32_t at = 0; at < elements; at += part) {
		const uint8_t *from[LAY_OUT_INPUTS];
		uint32_t bytes = size, part_work;
		int ret;

		part = min_u32(elements - at, NN_TILE / 2 / work * VECTOR);
		for (uint32_t i = 0; i < inputs; i++) {
			part = min_u32(part, nn_lay_out_span(&laid[i], at));
			bytes += laid[i].size;
		}
		part_work = PART_WORK + part / VECTOR * work + memory_work(part * bytes);
		for (uint32_t i = 0; i < inputs; i++)
			part_work += laid[i].is_dense ? 0 : min_u32(part, laid[i].most) *
							    LAY_OUT_ELEMENT_WORK;
		ret = progress_add(&progress, part_work);
		if (ret)
			return ret;
		for (uint32_t i = 0; i < inputs; i++)
			from[i] = nn_lay_out(&laid[i], at, part);
		run(call, from, call->output[0].data + at * size, part);
	}
	return 0;
}
