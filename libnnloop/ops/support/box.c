// SPDX-License-Identifier: MIT
/*
 * Boxes in float32 (box.h): how much two of them overlap.
 */
#include "box.h"

static float min(float a, float b)
{
	return b < a ? b : a;
}

static float max(float a, float b)
{
	return a < b ? b : a;
}

float nn_box_overlap(const struct nn_box *a, const struct nn_box *b)
{
	float area_a = (a->y1 - a->y0) * (a->x1 - a->x0);
	float area_b = (b->y1 - b->y0) * (b->x1 - b->x0);
	float height, width, both;

	if (area_a <= 0 || area_b <= 0)
		return 0;
	height = max(min(a->y1, b->y1) - max(a->y0, b->y0), 0);
	width = max(min(a->x1, b->x1) - max(a->x0, b->x0), 0);
	both = height * width;
	return both / (area_a + area_b - both);
}
