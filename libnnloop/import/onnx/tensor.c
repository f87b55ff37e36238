// SPDX-License-Identifier: MIT
/* Constants and attributes of an ONNX model: the many ways to store them, checked and made one. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

enum nn_element onnx_to_element(int32_t type)
{
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
		return NN_ELEMENT_FLOAT;
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
		return NN_ELEMENT_UINT8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
		return NN_ELEMENT_INT8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
		return NN_ELEMENT_UINT16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
		return NN_ELEMENT_INT16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		return NN_ELEMENT_INT32;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
		return NN_ELEMENT_INT64;
	case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
		return NN_ELEMENT_BOOL;
	}
	return NN_ELEMENT_NONE;
}

/* Small integers are stored one to a varint; what does not fit the type is a malformed file. */
static int narrow(struct onnx_import *import, const Onnx__TensorProto *tensor,
		  enum nn_element element, void *to)
{
	for (size_t i = 0; i < tensor->n_int32_data; i++) {
		int32_t value = tensor->int32_data[i];
		bool fits = true;

		switch (element) {
		case NN_ELEMENT_UINT8:
		case NN_ELEMENT_BOOL:
			fits = value >= 0 && value <= UINT8_MAX;
			((uint8_t *)to)[i] = value;
			break;
		case NN_ELEMENT_INT8:
			fits = value >= INT8_MIN && value <= INT8_MAX;
			((int8_t *)to)[i] = value;
			break;
		case NN_ELEMENT_UINT16:
			fits = value >= 0 && value <= UINT16_MAX;
			((uint16_t *)to)[i] = value;
			break;
		case NN_ELEMENT_INT16:
			fits = value >= INT16_MIN && value <= INT16_MAX;
			((int16_t *)to)[i] = value;
			break;
		default:
			break;
		}
		if (!fits)
			return onnx_fail(import, -EINVAL,
					 "element %zu of tensor %s is %" PRId32 ", which is no %s",
					 i, onnx_quote(import, tensor->name), value,
					 nn_element_name(element));
	}
	return 0;
}

int onnx_const_read(struct onnx_import *import, const Onnx__TensorProto *tensor,
		    struct nn_const *out)
{
	const char *name = onnx_quote(import, tensor->name);
	enum nn_element element = onnx_to_element(tensor->data_type);
	uint32_t size = nn_element_size(element);
	const void *data = NULL;
	uint64_t stored = 0;
	void *narrowed;

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
	out->element = element;
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
	if (onnx_raw_data(import, tensor, &data, &stored)) {
		if (stored != out->count * size)
			return onnx_fail(import, -EINVAL,
					 "tensor %s has %" PRIu64
					 " bytes of data, its shape takes %" PRIu64,
					 name, stored, out->count * size);
		out->data = data;
		return 0;
	}
	if (element == NN_ELEMENT_FLOAT) {
		stored = tensor->n_float_data;
		data = tensor->float_data;
	} else if (element == NN_ELEMENT_INT64) {
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
	if (size >= 4)
		return 0;
	narrowed = onnx_alloc(import, out->count, size);
	if (!narrowed)
		return -ENOMEM;
	out->data = narrowed;
	return narrow(import, tensor, element, narrowed);
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

	return attr ? attr->i : otherwise; /* some writers leave out a field that is 0 */
}

float onnx_attr_float(const Onnx__NodeProto *node, const char *name, float otherwise)
{
	const Onnx__AttributeProto *attr = onnx_attr(node, name);

	return attr ? attr->f : otherwise;
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
