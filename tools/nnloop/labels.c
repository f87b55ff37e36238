// SPDX-License-Identifier: MIT
/*
 * The placing of labels: that of a number goes beside its digits, and on no digit and no other
 * label.
 */
#include "labels.h"

static bool overlaps(const struct area *a, const struct area *b)
{
	return a->y0 < b->y1 && b->y0 < a->y1 && a->x0 < b->x1 && b->x0 < a->x1;
}

static bool is_free(const struct labels *labels, const struct area *place)
{
	if (place->y0 < 0 || place->x0 < 0 || place->y1 > labels->height ||
	    place->x1 > labels->width)
		return false;
	for (uint32_t i = 0; i < labels->box_count; i++) {
		if (overlaps(place, &labels->boxes[i]))
			return false;
	}
	for (uint32_t i = 0; i < labels->count; i++) {
		if (overlaps(place, &labels->places[i]))
			return false;
	}
	return true;
}

int64_t labels_place(struct labels *labels, const struct area *around, uint32_t length,
		     int64_t size, struct area *place)
{
	for (; size > 0; size--) {
		int64_t high = LABEL_HEIGHT * size, wide = LABEL_WIDTH(length) * size;
		/* Above and below, each from its left edge or to its right one; beside it. */
		const struct area places[] = {
			{ around->y0 - high, around->x0, around->y0, around->x0 + wide },
			{ around->y0 - high, around->x1 - wide, around->y0, around->x1 },
			{ around->y1, around->x0, around->y1 + high, around->x0 + wide },
			{ around->y1, around->x1 - wide, around->y1 + high, around->x1 },
			{ around->y0, around->x1, around->y0 + high, around->x1 + wide },
			{ around->y0, around->x0 - wide, around->y0 + high, around->x0 },
		};

		for (uint32_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			if (!is_free(labels, &places[i]))
				continue;
			*place = places[i];
			labels->places[labels->count++] = *place;
			return size;
		}
	}
	return 0;
}
