// SPDX-License-Identifier: MIT
/*
 * SELECT: elements of one input or another, by a condition. nn_select_hvx() is its vector kernel, in
 * the table of kernels.c. Inputs are laid out (lay_out.h), and a byte of the condition is repeated
 * as often as an element has bytes.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/lay_out.h"
#include "dsp/hvx/elementwise/lanes.h"

#define WORK	120	/* for 128 elements of 8 bytes */

lanes_inline void select_lanes(const uint8_t *condition, const uint8_t *a, const uint8_t *b,
			       uint8_t *to, uint32_t size, uint32_t elements)
{
	HVX_Vector mask[MOST_LANES], x[MOST_LANES], y[MOST_LANES];

	load_lanes(mask, condition, 1, elements);
	find_nonzero(mask, 1);
	for (uint32_t wide = 1; wide < size; wide *= 2)
		widen_lanes(mask, wide, true);
	load_lanes(x, a, size, elements);
	load_lanes(y, b, size, elements);
#pragma unroll
	for (uint32_t i = 0; i < size; i++)
		x[i] = Q6_V_vmux_QVV(Q6_Q_vand_VR(mask[i], 0x1010101), x[i], y[i]);
	store_lanes(to, x, size, elements);
}

lanes_inline void select_all(const uint8_t *const *from, uint8_t *to, uint32_t elements,
			     uint32_t size)
{
	const uint8_t *condition = from[0], *a = from[1], *b = from[2];

	for (; elements >= VECTOR; elements -= VECTOR) {
		select_lanes(condition, a, b, to, size, VECTOR);
		condition += VECTOR;
		a += size * VECTOR;
		b += size * VECTOR;
		to += size * VECTOR;
	}
	if (elements)
		select_lanes(condition, a, b, to, size, elements);
}

static void run_select(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
		       uint32_t elements)
{
	switch (nn_type_size(call->output[0].type)) {
	case 1:
		select_all(from, to, elements, 1);
		break;
	case 2:
		select_all(from, to, elements, 2);
		break;
	case 4:
		select_all(from, to, elements, 4);
		break;
	default:
		select_all(from, to, elements, 8);
	}
}

int nn_select_hvx(const struct nn_call *call)
{
	return nn_lay_out_run(call, 3, run_select, WORK);
}
