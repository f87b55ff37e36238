// SPDX-License-Identifier: MIT
/* Constants of a model, as protobuf-c has them: reading those that there are, and making new ones. */
#include <string.h>

#include "quantize/quantizer.h"

uint64_t quantizer_constant_count(const Onnx__TensorProto *constant)
{
	uint64_t count = 1;

	for (size_t i = 0; i < constant->n_dims; i++) {
		if (constant->dims[i] < 0 || constant->dims[i] > INT32_MAX || count > INT32_MAX)
			return 0;
		count *= constant->dims[i];
	}
	return count;
}

const float *quantizer_constant_floats(const Onnx__TensorProto *constant)
{
	uint64_t count = quantizer_constant_count(constant);

	if (constant->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT || !count)
		return NULL;
	/* It is in the quantizer's pool, by itself, and so at an address that is good for floats. */
	if (constant->has_raw_data)
		return constant->raw_data.len == count * sizeof(float) ?
			       (const float *)(const void *)constant->raw_data.data : NULL;
	return constant->n_float_data == count ? constant->float_data : NULL;
}

static size_t element_size(int type)
{
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
		return 8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		return 4;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
		return 2;
	default:
		return 1;
	}
}

Onnx__TensorProto *quantizer_constant_new(struct nn_pool *pool, const char *name, int type,
					  uint32_t rank, const int64_t *dims, const void *data)
{
	Onnx__TensorProto *constant = nn_pool_alloc(pool, sizeof(*constant));
	uint64_t count;

	if (!constant)
		return NULL;
	onnx__tensor_proto__init(constant);
	constant->name = nn_pool_string(pool, name);
	constant->has_data_type = true;
	constant->data_type = type;
	constant->n_dims = rank;
	constant->dims = nn_pool_copy(pool, dims, rank * sizeof(*dims));
	if (!constant->name || !constant->dims)
		return NULL;
	count = quantizer_constant_count(constant);
	constant->has_raw_data = true;
	constant->raw_data.len = count * element_size(type);
	constant->raw_data.data = data ? nn_pool_copy(pool, data, constant->raw_data.len) :
					 nn_pool_alloc(pool, constant->raw_data.len);
	return constant->raw_data.data ? constant : NULL;
}

void *quantizer_constant_data(Onnx__TensorProto *constant)
{
	return constant->raw_data.data;
}

bool quantizer_push(struct nn_pool *pool, struct quantizer_list *list, void *pointer)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		void **larger = nn_pool_array(pool, room, sizeof(*larger));

		if (!larger)
			return false;
		if (list->count)
			memcpy(larger, list->items, list->count * sizeof(*larger));
		list->items = larger;
		list->room = room;
	}
	list->items[list->count++] = pointer;
	return true;
}
