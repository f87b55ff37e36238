/* SPDX-License-Identifier: MIT */
/*
 * SOFTMAX on HVX where results are powers times a number: element by element.
 */
#ifndef NN_HVX_SOFTMAX_ROWS_H
#define NN_HVX_SOFTMAX_ROWS_H

#include "dsp/kernels.h"

/* What rows have in common. */
struct softmax_rows {
	const struct nn_call *call;
	const float *powers;		/* the table */
	uint8_t *results;		/* room for SOFTMAX_PART of them */
};

#define SOFTMAX_PART	256u

/* False: the call is none that this is for. */
bool nn_softmax_settle_rows(struct softmax_rows *rows, const struct nn_call *call,
			    uint8_t *results);

/* Whether it is for rows with this sum of powers. */
bool nn_softmax_has_sum(const struct softmax_rows *rows, float sum);

/*
 * Results of `count` elements, at most SOFTMAX_PART, of a row whose largest byte, which `flip` has
 * made unsigned, is `max`. In place.
 */
void nn_softmax_part(const struct softmax_rows *rows, float sum, uint32_t max, const uint8_t *from,
		     uint8_t *to, uint32_t count);

#endif
