// SPDX-License-Identifier: MIT
/* Weights as integers of 8 bits, symmetric, with a scale for each output. */
#include <math.h>

#include "quantize/quantizer.h"

#define MOST 127 /* of the integers: -128 has no counterpart */

/* Adds that many to it and takes them away again: what is between is rounded to the nearest, ties to even. */
#define ROUNDING 0x1.8p23f

static inline int8_t round_weight(float value)
{
	value = value > -MOST ? value : -MOST;
	value = value < MOST ? value : MOST;
	return (int8_t)(value + ROUNDING - ROUNDING);
}

int quantizer_quantize_weights(struct nn_pool *pool, const Onnx__TensorProto *constant, int axis,
			       const float *least, float most, int8_t **integers,
			       float **scales, uint32_t *count)
{
	const uint64_t elements = quantizer_constant_count(constant);
	const float *values = quantizer_constant_floats(constant);
	uint64_t inner = 1;

	*count = axis < 0 ? 1 : constant->dims[axis];
	for (size_t i = axis + 1; axis >= 0 && i < constant->n_dims; i++)
		inner *= constant->dims[i];
	if (axis < 0)
		inner = elements;
	*integers = nn_pool_array(pool, elements, sizeof(**integers));
	*scales = nn_pool_array(pool, *count, sizeof(**scales));
	if (!*integers || !*scales)
		return -1;
	for (uint64_t i = 0, c = 0; i < elements; i += inner, c = c + 1 == *count ? 0 : c + 1) {
		float greatest = (*scales)[c];

		for (uint64_t k = 0; k < inner; k++) {
			float size = fabsf(values[i + k]);

			greatest = size > greatest ? size : greatest;
		}
		(*scales)[c] = greatest;
	}
	for (uint32_t c = 0; c < *count; c++) {
		float scale = fminf((*scales)[c] / MOST, most);

		if (least)
			scale = fmaxf(scale, least[c]);
		(*scales)[c] = scale >= 0x1p-60f ? scale : 1;
	}
	for (uint64_t i = 0, c = 0; i < elements; i += inner, c = c + 1 == *count ? 0 : c + 1) {
		for (uint64_t k = 0; k < inner; k++)
			(*integers)[i + k] = round_weight(values[i + k] / (*scales)[c]);
	}
	return 0;
}
