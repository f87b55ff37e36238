/* SPDX-License-Identifier: MIT */
/*
 * Elements of any type of integers, as numbers of 64 bits. A bool is 0 or 1, whatever its byte is;
 * of uint64 these are the bits.
 */
#ifndef NN_INTEGER_H
#define NN_INTEGER_H

#include "dsp/program/kernels.h"

static inline bool is_integer(const struct nn_tensor *tensor)
{
	return nn_type_size(tensor->type) && tensor->type != NN_TYPE_FLOAT32;
}

static inline int64_t load_integer(const uint8_t *at, uint8_t type)
{
	switch (type) {
	case NN_TYPE_INT8:
		return *(const int8_t *)at;
	case NN_TYPE_UINT8:
		return *at;
	case NN_TYPE_INT16:
		return *(const int16_t *)at;
	case NN_TYPE_UINT16:
		return *(const uint16_t *)at;
	case NN_TYPE_INT32:
		return *(const int32_t *)at;
	case NN_TYPE_UINT32:
		return *(const uint32_t *)at;
	case NN_TYPE_BOOL:
		return *at != 0;
	default:
		return *(const int64_t *)at;
	}
}

/* A number by which, with ^, elements of the type are ordered as they are read: of uint64 2^63. */
static inline int64_t integer_order(uint8_t type)
{
	return type == NN_TYPE_UINT64 ? INT64_MIN : 0;
}

#define NN_ORDERED_NONE INT32_MAX

/* A float32 as a number that is ordered as it is: 0 and -0 are one, and what is no number is the
 * greatest, NN_ORDERED_NONE. */
static inline int32_t load_ordered(const uint8_t *at)
{
	uint32_t bits = *(const uint32_t *)at, magnitude = bits & 0x7fffffff;

	if (magnitude > 0x7f800000)
		return NN_ORDERED_NONE;
	return bits >> 31 ? -(int32_t)magnitude : (int32_t)magnitude;
}

/* The low bits of the value; of a bool, whether it is not 0. */
static inline void store_integer(uint8_t *at, uint8_t type, int64_t value)
{
	switch (nn_type_size(type)) {
	case 1:
		*at = type == NN_TYPE_BOOL ? value != 0 : (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = (uint64_t)value;
	}
}

/* An element as it is, of 1, 2, 4 or 8 bytes. */
static inline void move_element(uint8_t *to, const uint8_t *from, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		to[i] = from[i];
}

#endif
