/* SPDX-License-Identifier: MIT */
/* The placing of the labels of a page's numbers. */
#ifndef NNLOOP_TOOL_LABELS_H
#define NNLOOP_TOOL_LABELS_H

#include <stdbool.h>
#include <stdint.h>

/* The size of a label at size 1, in pixels: glyphs of 5 x 7 with one pixel around each. */
#define LABEL_WIDTH(length)	(6 * (int64_t)(length) + 1)
#define LABEL_HEIGHT		9

/* An area in pixels; the second corner is excluded. */
struct area {
	int64_t y0, x0, y1, x1;
};

struct labels {
	int64_t width, height;		/* of the picture */
	const struct area *boxes;	/* of all digits; never covered */
	uint32_t box_count;
	struct area *places;		/* of the labels so far, with room for all */
	uint32_t count;
};

/* Finds a place for the label, of @length digits, of a number whose digits are in @around: above or
 * below it, to its right or its left, of @size or, where that finds no room, smaller. Returns its
 * size; 0 if there is no room at all. */
int64_t labels_place(struct labels *labels, const struct area *around, uint32_t length,
		     int64_t size, struct area *place);

#endif
