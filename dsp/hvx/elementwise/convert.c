// SPDX-License-Identifier: MIT
/*
 * CONVERT: integers of one type become those of another. nn_convert_hvx() is its vector kernel, in
 * the table of kernels.c. 128 elements at a time are made wider or narrower step by step (lanes.h);
 * to a type of the same size, but bool, elements are copied.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/elementwise/lanes.h"

#include <stddef.h>

#define TILE	(16u << 10)	/* elements between two reports */

/* A conversion, all of it constant in its loop. */
struct conversion {
	uint32_t from, to;	/* sizes */
	bool is_signed;
	bool is_of_bool, is_to_bool;
};

/* Bools are made of bytes that are -1 or 0. */
lanes_inline HVX_Vector one_of(HVX_Vector v, const struct conversion *c)
{
	return c->is_of_bool || c->is_to_bool ? Q6_V_vand_VV(v, splat_b(1)) : v;
}

lanes_inline void convert_lanes(const uint8_t *from, uint8_t *to, uint32_t elements,
				const struct conversion *c)
{
	const struct lanes lanes = { from, c->from, elements, c->is_of_bool || c->is_to_bool };
	const struct lanes_to result = { to, c->to, elements, c->is_signed, false, NULL, NULL };
	uint32_t size = c->from < c->to ? c->from : c->to;

#pragma unroll
	for (uint32_t i = 0; i < size; i++) {
		if (size == 1)
			put_lane_of_1(&result, i, one_of(lane_of_1(&lanes, i), c));
		else if (size == 2)
			put_lane_of_2(&result, i, lane_of_2(&lanes, i));
		else
			put_lane_of_4(&result, i, lane_of_4(&lanes, i));
	}
}

lanes_inline void convert_all(const uint8_t *from, uint8_t *to, uint32_t elements,
			      const struct conversion c)
{
	for (; elements >= VECTOR; elements -= VECTOR) {
		convert_lanes(from, to, VECTOR, &c);
		from += c.from * VECTOR;
		to += c.to * VECTOR;
	}
	if (elements)
		convert_lanes(from, to, elements, &c);
}

/* Converts integers that are no bool, by their sizes. */
lanes_inline void convert_integers(const uint8_t *from, uint8_t *to, uint32_t elements,
				   uint32_t to_size, uint32_t from_size, bool is_signed)
{
	switch (from_size) {
	case 1:
		if (is_signed)
			convert_all(from, to, elements,
				    (struct conversion){ 1, to_size, true, false, false });
		else
			convert_all(from, to, elements,
				    (struct conversion){ 1, to_size, false, false, false });
		break;
	case 2:
		if (is_signed || to_size < 2)
			convert_all(from, to, elements,
				    (struct conversion){ 2, to_size, true, false, false });
		else
			convert_all(from, to, elements,
				    (struct conversion){ 2, to_size, false, false, false });
		break;
	case 4:
		convert_all(from, to, elements,
			    (struct conversion){ 4, to_size, true, false, false });
		break;
	default:
		convert_all(from, to, elements,
			    (struct conversion){ 8, to_size, true, false, false });
	}
}

static void convert_to_bool(const uint8_t *from, uint8_t *to, uint32_t elements, uint32_t from_size)
{
	switch (from_size) {
	case 1:
		convert_all(from, to, elements, (struct conversion){ 1, 1, false, false, true });
		break;
	case 2:
		convert_all(from, to, elements, (struct conversion){ 2, 1, false, false, true });
		break;
	case 4:
		convert_all(from, to, elements, (struct conversion){ 4, 1, false, false, true });
		break;
	default:
		convert_all(from, to, elements, (struct conversion){ 8, 1, false, false, true });
	}
}

static void convert_of_bool(const uint8_t *from, uint8_t *to, uint32_t elements, uint32_t to_size)
{
	switch (to_size) {
	case 1:
		convert_all(from, to, elements, (struct conversion){ 1, 1, false, true, false });
		break;
	case 2:
		convert_all(from, to, elements, (struct conversion){ 1, 2, false, true, false });
		break;
	case 4:
		convert_all(from, to, elements, (struct conversion){ 1, 4, false, true, false });
		break;
	default:
		convert_all(from, to, elements, (struct conversion){ 1, 8, false, true, false });
	}
}

static bool type_is_signed(uint8_t type)
{
	return type != NN_TYPE_UINT8 && type != NN_TYPE_UINT16 && type != NN_TYPE_BOOL;
}

static void convert(const struct nn_call *call, const uint8_t *from, uint8_t *to, uint32_t elements)
{
	const uint8_t from_type = call->input[0].type, to_type = call->output[0].type;
	const uint32_t from_size = nn_type_size(from_type), to_size = nn_type_size(to_type);
	const bool is_signed = type_is_signed(from_type);

	if (to_type == NN_TYPE_BOOL) {
		convert_to_bool(from, to, elements, from_size);
		return;
	}
	if (from_type == NN_TYPE_BOOL) {
		convert_of_bool(from, to, elements, to_size);
		return;
	}
	switch (to_size) {
	case 1:
		convert_integers(from, to, elements, 1, from_size, is_signed);
		break;
	case 2:
		convert_integers(from, to, elements, 2, from_size, is_signed);
		break;
	case 4:
		convert_integers(from, to, elements, 4, from_size, is_signed);
		break;
	default:
		convert_integers(from, to, elements, 8, from_size, is_signed);
	}
}

int nn_convert_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t from = nn_type_size(input->type), to = nn_type_size(output->type);
	uint64_t elements = output->bytes / to;
	struct progress progress = { .call = call };

	if (!nn_convert_has_vectors(call))
		return nn_convert_portable(call);
	if (from == to && input->type != NN_TYPE_BOOL && output->type != NN_TYPE_BOOL)
		return progress_copy(&progress, output->data, input->data, output->bytes);
	for (uint64_t i = 0; i < elements; i += TILE) {
		uint32_t part = elements - i < TILE ? elements - i : TILE;
		int ret = progress_add(&progress, part + memory_work(part * (from + to)));

		if (ret)
			return ret;
		convert(call, input->data + i * from, output->data + i * to, part);
	}
	return 0;
}
