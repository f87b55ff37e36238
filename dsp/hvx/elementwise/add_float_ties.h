/* SPDX-License-Identifier: MIT */
/*
 * ADD_FLOAT of scales that are one number times powers of two, as of two equal ones, where up to
 * half of the sums are rounding ties: add_float_ties.c, which add_float.c calls.
 */
#ifndef NN_ADD_FLOAT_TIES_H
#define NN_ADD_FLOAT_TIES_H

#include "dsp/kernels/add_float.h"
#include "dsp/kernels/progress.h"

#define TIE_TABLE	256

struct add_float_ties {
	uint32_t shift;		/* sums are in steps of 2^-shift */
	uint32_t factors;	/* of both operands in these: bytes, twice */
	int32_t base;		/* zero points' products, a half, and the output's zero point */
	uint32_t out_flip;	/* for INT8 results, which are unsigned until they are stored */
	uint8_t error_a[TIE_TABLE], error_b[TIE_TABLE];
	uint8_t least_low[TIE_TABLE], least_high[TIE_TABLE];
};

/*
 * Settles what all sums of a call have in common. Returns false if its scales are not such, or none
 * of its sums can be ties.
 */
bool nn_add_float_ties_settle(struct add_float_ties *ties, const struct nn_call *call,
			      const struct nn_add_float_params *params);

/* Computes all of the call. In place of either operand. Returns what a report of progress did. */
int nn_add_float_ties_run(struct progress *progress, const struct add_float_ties *ties);

#endif
