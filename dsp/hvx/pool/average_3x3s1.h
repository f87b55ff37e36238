/* SPDX-License-Identifier: MIT */
/*
 * AVERAGE_POOL of 3x3 elements with stride 1 and padding all around, line by line
 * (average_3x3s1.c), with the loop of average_2x2s2_loop.S. average_pool.c calls it.
 */
#ifndef NN_AVERAGE_NINES_H
#define NN_AVERAGE_NINES_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/pool/average_2x2s2.h"

struct nines_plan {
	struct average_fours whole;	/* of nine elements */
	struct average_fours cut;	/* of six */
	struct average_fours corner;	/* of four */
};

/* Tells whether a call's windows are such, and its lines not too long for a report after each. */
bool nn_nines_are(const struct nn_call *call);

/* Makes the output of an image. */
int nn_nines_image(struct progress *progress, struct nines_plan *plan, const uint8_t *image,
		   uint8_t *out);

#endif
