// SPDX-License-Identifier: MIT
/* Constants and attributes of an ONNX model: the many ways to store them, checked and made one. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "onnx.h"

struct element {
	int32_t type;
	uint32_t size;
	const char *name;
};

static const struct element elements[] = {
	{ ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, "float" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 1, "uint8" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 1, "int8" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT16, 2, "uint16" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT16, 2, "int16" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT32, 4, "int32" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 8, "int64" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 1, "bool" },
};

static const struct element *find_element(int32_t type)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
		if (elements[i].type == type)
			return &elements[i];
	}
	return NULL;
}

const char *onnx_type_name(int32_t type)
{
	const struct element *element = find_element(type);

	return element ? element->name : "a type that nnloop does not know";
}

enum nn_data_type onnx_to_nn_type(int32_t type)
{
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
		return NN_INT8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
		return NN_UINT8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
		return NN_INT16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
		return NN_UINT16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		return NN_INT32;
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
		return NN_FLOAT32;
	}
	return 0;
}

/* Small integers are stored one to a varint; what does not fit the type is a malformed file. */
static int narrow(struct onnx_import *import, const Onnx__TensorProto *tensor,
		  const struct element *element, void *to)
{
	for (size_t i = 0; i < tensor->n_int32_data; i++) {
		int32_t value = tensor->int32_data[i];
		bool fits = true;

		switch (element->type) {
		case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
		case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
			fits = value >= 0 && value <= UINT8_MAX;
			((uint8_t *)to)[i] = value;
			break;
		case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
			fits = value >= INT8_MIN && value <= INT8_MAX;
			((int8_t *)to)[i] = value;
			break;
		case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
			fits = value >= 0 && value <= UINT16_MAX;
			((uint16_t *)to)[i] = value;
			break;
		case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
			fits = value >= INT16_MIN && value <= INT16_MAX;
			((int16_t *)to)[i] = value;
			break;
		}
		if (!fits)
			return onnx_fail(import, -EINVAL,
					 "element %zu of tensor %s is %" PRId32 ", which is no %s",
					 i, onnx_quote(import, tensor->name), value, element->name);
	}
	return 0;
}

int onnx_const_read(struct onnx_import *import, const Onnx__TensorProto *tensor,
		    struct onnx_const *out)
{
	const char *name = onnx_quote(import, tensor->name);
	const struct element *element = find_element(tensor->data_type);
	const void *data = NULL;
	uint64_t stored = 0;
	void *narrowed;
	int err;

	memset(out, 0, sizeof(*out));
	if (tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL ||
	    tensor->n_external_data)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"the data of tensor %s is in another file; save the model as one file",
			name);
	if (tensor->segment)
		return onnx_fail(import, -EOPNOTSUPP, "tensor %s is stored in segments", name);
	if (!element)
		return onnx_fail(import, -EOPNOTSUPP,
				 "tensor %s has element type %" PRId32
				 ", which nnloop does not know",
				 name, tensor->data_type);
	if (tensor->n_dims > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP, "tensor %s has %zu dimensions, more than %d",
				 name, tensor->n_dims, NN_MAX_RANK);
	out->type = tensor->data_type;
	out->rank = tensor->n_dims;
	out->count = 1;
	for (size_t i = 0; i < tensor->n_dims; i++) {
		if (tensor->dims[i] < 0 || tensor->dims[i] > INT32_MAX)
			return onnx_fail(import, -EINVAL, "tensor %s has a dimension of %" PRId64,
					 name, tensor->dims[i]);
		out->dims[i] = tensor->dims[i];
		out->count *= out->dims[i];
		if (out->count > INT32_MAX)
			return onnx_fail(import, -EINVAL, "tensor %s is too large", name);
	}
	if (tensor->has_raw_data) {
		if (tensor->raw_data.len != out->count * element->size)
			return onnx_fail(
				import, -EINVAL,
				"tensor %s has %zu bytes of data, its shape takes %" PRIu64, name,
				tensor->raw_data.len, out->count * element->size);
		out->data = tensor->raw_data.data;
		return 0;
	}
	if (element->type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT) {
		stored = tensor->n_float_data;
		data = tensor->float_data;
	} else if (element->type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64) {
		stored = tensor->n_int64_data;
		data = tensor->int64_data;
	} else {
		stored = tensor->n_int32_data;
		data = tensor->int32_data;
	}
	if (stored != out->count)
		return onnx_fail(import, -EINVAL,
				 "tensor %s has %" PRIu64
				 " elements of data, its shape takes %" PRIu64,
				 name, stored, out->count);
	out->data = data;
	if (element->size >= 4)
		return 0;
	narrowed = onnx_alloc(import, out->count, element->size);
	if (!narrowed)
		return -ENOMEM;
	out->data = narrowed;
	err = narrow(import, tensor, element, narrowed);
	return err;
}

/* The data may be anywhere in the file: no alignment is assumed. */
int64_t onnx_const_int(const struct onnx_const *c, uint64_t i)
{
	const uint8_t *data = c->data;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (c->type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
	case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
		return data[i];
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
		return (int8_t)data[i];
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
		memcpy(&i16, data + 2 * i, 2);
		return (uint16_t)i16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
		memcpy(&i16, data + 2 * i, 2);
		return i16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		memcpy(&i32, data + 4 * i, 4);
		return i32;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
		memcpy(&i64, data + 8 * i, 8);
		return i64;
	}
	return 0;
}

float onnx_const_float(const struct onnx_const *c, uint64_t i)
{
	float value;

	memcpy(&value, (const uint8_t *)c->data + 4 * i, 4);
	return value;
}

const Onnx__AttributeProto *onnx_attr(const Onnx__NodeProto *node, const char *name)
{
	for (size_t i = 0; i < node->n_attribute; i++) {
		if (node->attribute[i]->name && !strcmp(node->attribute[i]->name, name))
			return node->attribute[i];
	}
	return NULL;
}

int64_t onnx_attr_int(const Onnx__NodeProto *node, const char *name, int64_t otherwise)
{
	const Onnx__AttributeProto *attr = onnx_attr(node, name);

	return attr && attr->has_i ? attr->i : otherwise;
}

float onnx_attr_float(const Onnx__NodeProto *node, const char *name, float otherwise)
{
	const Onnx__AttributeProto *attr = onnx_attr(node, name);

	return attr && attr->has_f ? attr->f : otherwise;
}

const char *onnx_attr_string(struct onnx_import *import, const char *name, const char *otherwise)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);
	char *string;

	if (!attr || !attr->has_s)
		return otherwise;
	string = onnx_alloc(import, attr->s.len + 1, 1);
	if (!string)
		return otherwise;
	memcpy(string, attr->s.data, attr->s.len);
	return string;
}
