/* SPDX-License-Identifier: MIT */
/* Boxes in float32, as detectors of TensorFlow Lite have them. */
#ifndef NN_BOX_H
#define NN_BOX_H

#include "dsp/kernels/float_bits.h"

struct nn_box {
	float y0, x0, y1, x1;
};

static inline float nn_box_lesser(float a, float b)
{
	return b < a ? b : a;
}

static inline float nn_box_greater(float a, float b)
{
	return a < b ? b : a;
}

/*
 * The intersection of two boxes as a part of their union; 0 where one is empty, or turned round, or
 * so large that there is no such number.
 */
static inline float nn_box_overlap(const struct nn_box *a, const struct nn_box *b)
{
	float area_a = (a->y1 - a->y0) * (a->x1 - a->x0);
	float area_b = (b->y1 - b->y0) * (b->x1 - b->x0);
	float height, width, both, part;

	if (area_a <= 0 || area_b <= 0)
		return 0;
	height = nn_box_lesser(a->y1, b->y1) - nn_box_greater(a->y0, b->y0);
	width = nn_box_lesser(a->x1, b->x1) - nn_box_greater(a->x0, b->x0);
	/* Most boxes are apart, and a division takes long. */
	if (height <= 0 || width <= 0)
		return 0;
	both = height * width;
	part = both / (area_a + area_b - both);
	return float_is_number(part) ? part : 0;
}

#endif
