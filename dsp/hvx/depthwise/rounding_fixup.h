/* SPDX-License-Identifier: MIT */
/*
 * Rows of DEPTHWISE_CONV2D's results that the assembly could not tell, to be made again exactly.
 */
#ifndef NN_DEPTHWISE_ROUNDING_FIXUP_H
#define NN_DEPTHWISE_ROUNDING_FIXUP_H

#include "dsp/hvx/common/vector.h"

/* Makes row y of a place again. */
typedef void (*nn_depthwise_finish_fp)(const void *opaque, uint32_t place, uint32_t y);

/*
 * `ties` has a vector for each place. A word of it has bits for rows in which a product was near
 * a half: bit i modulo 32 stands for the i-th row of all, each place having `rows`. Where several
 * rows share a bit all of them are made again.
 */
void nn_depthwise_finish_ties(const HVX_Vector *ties, uint32_t places, uint32_t rows,
			      nn_depthwise_finish_fp finish, const void *opaque);

#endif
