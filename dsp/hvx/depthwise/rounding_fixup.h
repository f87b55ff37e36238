/* SPDX-License-Identifier: MIT */
/*
 * The rounding fixup of DEPTHWISE_CONV2D: rows of results that the assembly could not tell, because
 * a product may have been a tie, are made again exactly. Called by 3x3s1.c, also for 5x5, and by
 * 3x3s2.c after the assembly has made results.
 */
#ifndef NN_DEPTHWISE_ROUNDING_FIXUP_H
#define NN_DEPTHWISE_ROUNDING_FIXUP_H

#include "dsp/hvx/common/vector.h"

/* A function that makes row y of a position (`position`) again. */
typedef void (*nn_depthwise_finish_fp)(const void *opaque, uint32_t position, uint32_t y);

/*
 * Calls `finish` for each row to be made again. `ties` has a vector for each position. A word of
 * it has bits for rows in which a product may be a tie: bit i modulo 32 stands for the i-th row of
 * all, each position having `rows`. Where several rows share a bit all of them are made again.
 *
 *	position 0, 20 rows	bits 0 .. 19
 *	position 1		bits 20 .. 31, 0 .. 7
 *	position 2		bits 8 .. 27
 */
void nn_depthwise_finish_ties(const HVX_Vector *ties, uint32_t positions, uint32_t rows,
			      nn_depthwise_finish_fp finish, const void *opaque);

#endif
