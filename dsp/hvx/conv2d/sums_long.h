/* SPDX-License-Identifier: MIT */
/*
 * Sums of elements that are larger than a vector, or whose pitch is, in assembly, for sums.c.
 *
 *	to	| e0 e0 e0 e0 | e1 e1 e1 e1 | ... | e7 e7 e7 e7 |	a word each, to be added up
 */
#ifndef NN_CONV2D_SUMS_EIGHTS_H
#define NN_CONV2D_SUMS_EIGHTS_H

#include "dsp/hvx/common/vector.h"

#define SUM_EIGHTS_PITCH 24	/* at least: no more is read than up to the eighth's end */

/*
 * Each stores sums of `count` times eight elements, of which one begins every `pitch` bytes. An
 * element's is that of the bytes of `vectors` (1 or more) vectors for which `ones` has ones, and of
 * the vector that is `last` bytes behind its beginning those for which `ones_last` has. Each
 * eight's are one vector at `to`, four lanes for each; the two vectors before `to` are written,
 * too. As much is read of each element, and of the first of eight one vector more.
 */
void nn_conv2d_sum_eights_uint8(const uint8_t *at, uint32_t last, uint32_t vectors, uint32_t pitch,
				HVX_Vector *to, uint32_t count, HVX_Vector ones_last,
				HVX_Vector ones);
void nn_conv2d_sum_eights_int8(const uint8_t *at, uint32_t last, uint32_t vectors, uint32_t pitch,
			       HVX_Vector *to, uint32_t count, HVX_Vector ones_last,
			       HVX_Vector ones);

#endif
