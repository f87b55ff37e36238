/* SPDX-License-Identifier: MIT */
/*
 * Facts about tensors: sizes, ranges of types, quantization, shapes as text.
 */
#ifndef NN_TENSOR_H
#define NN_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "nn_graph.h"

#define NN_MAX_TENSOR_BYTES	((uint64_t)1 << 31)
#define NN_SHAPE_TEXT		96

/* Elements of one row; all dimensions but the first. */
uint64_t nn_info_row_elements(const struct nn_tensor_info *info);
uint64_t nn_info_row_bytes(const struct nn_tensor_info *info);
/* Around dimension `axis`: the product of a row's dimensions before it, and of those behind it. */
void nn_info_around(const struct nn_tensor_info *info, uint32_t axis, uint32_t *outer,
		    uint32_t *inner);
uint64_t nn_info_bytes(const struct nn_tensor_info *info);
bool nn_info_same_quantization(const struct nn_tensor_info *a, const struct nn_tensor_info *b);
/* "1x28x28x1", for messages. */
const char *nn_info_format_shape(const struct nn_tensor_info *info, char *text, size_t size);

/* The integers that a zero point can be; 0 alone for a type that has none. False for an unknown
 * type. */
bool nn_type_range(enum nn_data_type type, int32_t *min, int32_t *max);
static inline bool nn_type_is_8bit(enum nn_data_type type)
{
	return type == NN_INT8 || type == NN_UINT8;
}
/* Integers that can stand for reals, by a scale. */
static inline bool nn_type_has_scale(enum nn_data_type type)
{
	return type >= NN_INT8 && type <= NN_INT32;
}
/* Types that nnloop makes no float32 of, nor the other way around. */
static inline bool nn_type_is_only_integer(enum nn_data_type type)
{
	return type == NN_UINT16 || type == NN_UINT32 || type == NN_UINT64;
}
/* All integers, bool among them: 0 and 1. */
static inline bool nn_type_is_integer(enum nn_data_type type)
{
	return nn_type_has_scale(type) || (type >= NN_BOOL && type <= NN_UINT64);
}

#endif
