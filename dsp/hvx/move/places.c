// SPDX-License-Identifier: MIT
/* Finds the places that indices say (places.h). */
#include "dsp/hvx/move/places.h"

/* Numbers of 32 bits, one for each index, 32 of them at a time. */
static uint32_t find_words(uint32_t end, const uint8_t *numbers, uint32_t count, uint32_t *place)
{
	HVX_Vector greatest = Q6_V_vzero(), any = Q6_V_vzero();
	HVX_Vector *to = (HVX_Vector *)place;

	for (uint32_t left = 4 * count, bytes; left; left -= bytes, numbers += bytes) {
		HVX_Vector number, after;

		bytes = min_u32(left, VECTOR);
		number = load_bytes(numbers, bytes);
		after = Q6_Vw_vadd_VwVw(number, splat_w(end));
		/* What is below -end is, as a number without sign, not below the end. */
		number = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), number), after, number);
		number = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuwVuw(splat_w(end), number), number,
				       splat_w(NO_PLACE));
		number = Q6_V_vand_QV(first_bytes(bytes), number);
		greatest = Q6_Vw_vmax_VwVw(greatest, number);
		any = Q6_V_vor_VV(any, number);
		*to++ = number;
	}
	for (uint32_t by = 4; by < VECTOR; by *= 2) {
		greatest = Q6_Vw_vmax_VwVw(greatest, Q6_V_vror_VR(greatest, by));
		any = Q6_V_vor_VV(any, Q6_V_vror_VR(any, by));
	}
	return Q6_R_vextract_VR(any, 0) < 0 ? NO_PLACE : (uint32_t)Q6_R_vextract_VR(greatest, 0);
}

uint32_t nn_find_places(const struct nn_take_params *params, uint8_t type, const uint8_t *numbers,
			uint32_t count, uint32_t *place)
{
	uint32_t bytes = params->depth * nn_type_size(type), greatest = 0;

	if (params->depth == 1 && type == NN_TYPE_INT32)
		return find_words(params->sizes[0], numbers, count, place);
	for (uint32_t i = 0; i < count; i++) {
		int64_t at = find_place(params, type, numbers + (uint64_t)i * bytes);

		place[i] = at < 0 ? NO_PLACE : (uint32_t)at;
		if (place[i] > greatest)
			greatest = place[i];
	}
	return greatest <= INT32_MAX ? greatest : NO_PLACE;
}
