// SPDX-License-Identifier: MIT
/*
 * Facts about tensors: types, sizes, quantization, shapes as text.
 */
#include "tensor.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t size;
	int32_t min, max;	/* of what there is a zero point of */
} types[] = {
	[NN_INT8] = { "int8", 1, INT8_MIN, INT8_MAX },
	[NN_UINT8] = { "uint8", 1, 0, UINT8_MAX },
	[NN_INT16] = { "int16", 2, INT16_MIN, INT16_MAX },
	[NN_UINT16] = { "uint16", 2, 0, UINT16_MAX },
	[NN_INT32] = { "int32", 4, INT32_MIN, INT32_MAX },
	[NN_FLOAT32] = { "float32", 4, 0, 0 },
	[NN_BOOL] = { "bool", 1, 0, 0 },
	[NN_INT64] = { "int64", 8, 0, 0 },
	[NN_UINT32] = { "uint32", 4, 0, 0 },
	[NN_UINT64] = { "uint64", 8, 0, 0 },
};

static bool type_known(enum nn_data_type type)
{
	return (unsigned)type < sizeof(types) / sizeof(types[0]) && types[type].name;
}

uint32_t nn_data_type_size(enum nn_data_type type)
{
	return type_known(type) ? types[type].size : 0;
}

const char *nn_data_type_name(enum nn_data_type type)
{
	return type_known(type) ? types[type].name : "?";
}

bool nn_type_range(enum nn_data_type type, int32_t *min, int32_t *max)
{
	if (!type_known(type))
		return false;
	*min = types[type].min;
	*max = types[type].max;
	return true;
}

/* Products saturate: tensors that large are refused where they are made. */
uint64_t nn_info_row_elements(const struct nn_tensor_info *info)
{
	uint64_t elements = 1;
	uint32_t i;

	for (i = 1; i < info->rank; i++)
		if (__builtin_mul_overflow(elements, info->dims[i], &elements))
			return UINT64_MAX;
	return elements;
}

void nn_info_around(const struct nn_tensor_info *info, uint32_t axis, uint32_t *outer,
		    uint32_t *inner)
{
	uint32_t i;

	*outer = *inner = 1;
	for (i = 1; i < axis; i++)
		*outer *= info->dims[i];
	for (i = axis + 1; i < info->rank; i++)
		*inner *= info->dims[i];
}

uint64_t nn_info_row_bytes(const struct nn_tensor_info *info)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(nn_info_row_elements(info), nn_data_type_size(info->type),
				   &bytes))
		return UINT64_MAX;
	return bytes;
}

uint64_t nn_info_bytes(const struct nn_tensor_info *info)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(nn_info_row_bytes(info), info->dims[0], &bytes))
		return UINT64_MAX;
	return bytes;
}

uint64_t nn_tensor_info_bytes(const struct nn_tensor_info *info)
{
	if (!info->rank)
		return 0;
	return info->dims[0] == NN_VARIABLE ? nn_info_row_bytes(info) : nn_info_bytes(info);
}

bool nn_info_same_quantization(const struct nn_tensor_info *a, const struct nn_tensor_info *b)
{
	if (a->type != b->type || a->scale != b->scale || a->zero_point != b->zero_point)
		return false;
	if (!a->scales && !b->scales)
		return true;
	return a->scales && b->scales && a->scale_count == b->scale_count && a->axis == b->axis &&
	       !memcmp(a->scales, b->scales, a->scale_count * sizeof(float));
}

const char *nn_info_format_shape(const struct nn_tensor_info *info, char *text, size_t size)
{
	size_t used = 0;
	uint32_t i;

	snprintf(text, size, "scalar");
	for (i = 0; i < info->rank && used < size; i++)
		used += snprintf(text + used, size - used, "%s%u", i ? "x" : "", info->dims[i]);
	return text;
}
