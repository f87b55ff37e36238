/* SPDX-License-Identifier: MIT */
/*
 * AVERAGE_POOL of 3x3 elements with stride 1 and padding all around, line by line
 * (average_3x3s1.c), with the loop of average_2x2s2_loop.S. average_pool.c calls it.
 */
#ifndef NN_AVERAGE_3X3S1_H
#define NN_AVERAGE_3X3S1_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/pool/average_2x2s2.h"

struct plan_3x3s1 {
	struct average_loop whole;	/* of nine elements */
	struct average_loop cut;	/* of six */
	struct average_loop corner;	/* of four */
};

/* Tells whether a call's windows are such, and its lines not too long for a report after each. */
bool nn_average_is_3x3s1(const struct nn_call *call);

/* Makes the output of an image. */
int nn_average_3x3s1_image(struct progress *progress, struct plan_3x3s1 *plan, const uint8_t *image,
			   uint8_t *out);

#endif
