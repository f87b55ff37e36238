/* SPDX-License-Identifier: MIT */
/*
 * Sums of elements that fill vectors, alone or several together, in assembly, for sums.c.
 *
 *	elements of 16 bytes	| e0 | e1 | ... | e7 |	a vector has eight, of 128 bytes one
 *	sums			| e0 | e1 | ... | e31 |	a word each
 */
#ifndef NN_CONV2D_SUMS_FOLDS_H
#define NN_CONV2D_SUMS_FOLDS_H

#include "dsp/hvx/common/vector.h"

/*
 * Each stores sums of `count` (1 or more) times 32 elements of 128, 64 or 32 bytes, or of `count`
 * times 64 elements of 16 bytes, which are side by side from a vector's beginning on: the sums of
 * those bytes for which `ones` has ones, times the bytes of `zeros`, which are four times the same.
 */
void nn_conv2d_sum_128_uint8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			     HVX_Vector ones);
void nn_conv2d_sum_64_uint8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			    HVX_Vector ones);
void nn_conv2d_sum_32_uint8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			    HVX_Vector ones);
void nn_conv2d_sum_16_uint8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			    HVX_Vector ones);
void nn_conv2d_sum_128_int8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			    HVX_Vector ones);
void nn_conv2d_sum_64_int8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			   HVX_Vector ones);
void nn_conv2d_sum_32_int8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			   HVX_Vector ones);
void nn_conv2d_sum_16_int8(const uint8_t *at, int32_t *to, uint32_t count, uint32_t zeros,
			   HVX_Vector ones);

#endif
