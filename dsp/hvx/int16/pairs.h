/* SPDX-License-Identifier: MIT */
/*
 * Two inputs of 16 bits that are broadcast, for operators that make an element of an element of
 * each: a piece at a time, of which both are side by side.
 */
#ifndef NN_INT16_PAIRS_H
#define NN_INT16_PAIRS_H

#include "dsp/kernels/int16_pattern.h"

struct int16_pairs {
	const struct nn_call *call;
	struct int16_pattern pattern[2];
	uint32_t work;		/* of 64 results */
	void (*compute)(const struct int16_pairs *pairs, const int16_t *a, const int16_t *b,
			int16_t *out, uint32_t count);
	const void *context;	/* its own */
};

/*
 * Computes all elements of the output. Returns what a report of progress did, or false in
 * *has_room, if scratch memory is too little.
 */
int nn_int16_run_pairs(const struct int16_pairs *pairs, bool *has_room);

#endif
