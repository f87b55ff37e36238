// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE of images of three channels, between pixels and planes, for transpose.c.
 *
 *	pixels   |rgbrgbrgb...|   planes   |rrr...| |ggg...| |bbb...|
 *
 * A delta network spreads a plane to every third element, or gathers it from there, and masks put
 * three of these together. For a permutation that takes the byte at index p from source(p) = factor
 * * (p - first) modulo a power of two, the switches at p are p ^ source(p), because each bit of the
 * source depends on none of the higher bits of p.
 */
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/move/transpose.h"

/* The sources factor * (index - first), in bytes; `first` is in bytes. */
static inline HVX_Vector sources(uint32_t factor, uint32_t first, uint32_t size)
{
	HVX_Vector in_element = Q6_V_vand_VV(delta_indices(), splat_b(size - 1));
	HVX_Vector element = Q6_Vb_vsub_VbVb(delta_indices(), in_element);
	HVX_Vector from_first = Q6_Vb_vsub_VbVb(element, splat_b(first));
	HVX_VectorPair product = Q6_Wuh_vmpy_VubRub(from_first, factor * 0x1010101);
	HVX_Vector low = Q6_Vb_vshuffe_VbVb(Q6_V_hi_W(product), Q6_V_lo_W(product));

	return Q6_V_vand_VV(Q6_V_vor_VV(low, in_element), splat_b(VECTOR - 1));
}

/* The control with which vrdelta takes each byte from its source. */
static inline HVX_Vector switches(HVX_Vector sources)
{
	return Q6_V_vxor_VV(sources, delta_indices());
}

static inline HVX_Vector load_before(const uint8_t *from, const uint8_t *end)
{
	return end - from >= VECTOR ? load(from) : load_bytes(from, end - from);
}

#define THIRD	43	/* times 3 is 1, modulo 128 */

void nn_transpose_three_rows(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			     uint32_t tiles)
{
	const uint32_t size = matrix->size, count = VECTOR / size, thirds = (count + 2) / 3;
	const HVX_Vector source0 = sources(THIRD, 0, size), source1 = sources(THIRD, size, size);
	const HVX_Vector source2 = sources(THIRD, 2 * size, size);
	const HVX_Vector switch0 = switches(source0), switch1 = switches(source1);
	const HVX_Vector switch2 = switches(source2);
	const HVX_VectorPred is0 = Q6_Q_vcmp_gt_VubVub(splat_b(thirds * size), source0);
	const HVX_VectorPred is1 = Q6_Q_vcmp_gt_VubVub(splat_b(thirds * size), source1);
	const uint8_t *end = matrix->from_end;
	const uint8_t *at[3][3];

	/* The addresses of the elements at indices 0, 1 and 2 of each vector. */
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t element = i * count + k;

			at[i][k] = from + element % 3 * (uint32_t)matrix->from_pitch +
				   element / 3 * size;
		}
	}
	/* The last tile's vectors may reach past the end. */
	for (uint32_t i = 0; i < 3; i++) {
		const uint8_t *from0 = at[i][0], *from1 = at[i][1], *from2 = at[i][2];
		uint8_t *next = to + i * VECTOR;
		HVX_Vector v0, v1, v2;

		for (uint32_t tile = 1; tile < tiles; tile++, next += 3 * VECTOR) {
			v0 = Q6_V_vrdelta_VV(load(from0), switch0);
			v1 = Q6_V_vrdelta_VV(load(from1), switch1);
			v2 = Q6_V_vrdelta_VV(load(from2), switch2);
			store(next, Q6_V_vmux_QVV(is0, v0, Q6_V_vmux_QVV(is1, v1, v2)));
			from0 += VECTOR;
			from1 += VECTOR;
			from2 += VECTOR;
		}
		v0 = Q6_V_vrdelta_VV(load_before(from0, end), switch0);
		v1 = Q6_V_vrdelta_VV(load_before(from1, end), switch1);
		v2 = Q6_V_vrdelta_VV(load_before(from2, end), switch2);
		store(next, Q6_V_vmux_QVV(is0, v0, Q6_V_vmux_QVV(is1, v1, v2)));
	}
}

void nn_transpose_three_columns(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
				uint32_t tiles)
{
	const uint32_t size = matrix->size, count = VECTOR / size, thirds = (count + 2) / 3;
	const HVX_Vector switch0 = switches(sources(3, 0, size));
	const HVX_Vector switch1 = switches(sources(3, thirds * size, size));
	const HVX_Vector switch2 = switches(sources(3, 2 * thirds * size, size));
	const HVX_VectorPred is0 = Q6_Q_vsetq_R(thirds * size);
	const HVX_VectorPred is1 = Q6_Q_vsetq_R(2 * thirds * size);
	const uint32_t part = thirds * 3 * size, row = matrix->to_pitch;
	const uint8_t *end = matrix->from_end;

	for (uint32_t i = 0; i < 3; i++, from += size, to += row) {
		const uint8_t *first = from;
		uint8_t *next = to;

		for (uint32_t tile = 0; tile < tiles; tile++, next += VECTOR) {
			HVX_Vector v0 = Q6_V_vrdelta_VV(load(first), switch0);
			HVX_Vector v1 = Q6_V_vrdelta_VV(load(first + part), switch1);
			HVX_Vector v2 = Q6_V_vrdelta_VV(load_before(first + 2 * part, end),
							switch2);

			store(next, Q6_V_vmux_QVV(is0, v0, Q6_V_vmux_QVV(is1, v1, v2)));
			first += 3 * VECTOR;
		}
	}
}
