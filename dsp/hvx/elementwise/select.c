// SPDX-License-Identifier: MIT
/*
 * SELECT: elements of one input or another, by a condition. nn_select_hvx() is its vector kernel,
 * in the table of kernels.c. Inputs are laid out (lay_out.h), and a byte of the condition is
 * repeated as often as an element has bytes.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/lay_out.h"
#include "dsp/hvx/elementwise/lanes.h"

#define WORK	120	/* for 128 elements of 8 bytes */

lanes_inline void select_lanes(const uint8_t *condition, const uint8_t *a, const uint8_t *b,
			       uint8_t *to, uint32_t size, uint32_t elements)
{
	const struct lanes conditions = { condition, 1, elements, true };
	const struct lanes_to result = { to, size, elements, true, true, a, b };

	put_lane_of_1(&result, 0, lane_of_1(&conditions, 0));
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
