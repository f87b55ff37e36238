// SPDX-License-Identifier: MIT
/* Constants and attributes of an ONNX model: the many ways to store them, checked and made one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define SHORT 4096 /* bytes of data in another file that are copied */

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
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
		return NN_ELEMENT_UINT32;
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
		return NN_ELEMENT_UINT64;
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

/* A model stores elements of uint32 as those of uint64. */
static int halve(struct onnx_import *import, const Onnx__TensorProto *tensor, uint32_t *to)
{
	for (size_t i = 0; i < tensor->n_uint64_data; i++) {
		if (tensor->uint64_data[i] > UINT32_MAX)
			return onnx_fail(import, -EINVAL,
					 "element %zu of tensor %s is %" PRIu64 ", which is no uint32",
					 i, onnx_quote(import, tensor->name),
					 tensor->uint64_data[i]);
		to[i] = tensor->uint64_data[i];
	}
	return 0;
}

/* ---- Data in another file ---- */

/* Where in which file the data are. */
struct external {
	const char *location;
	uint64_t offset, length;
};

static bool read_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Reads what the model says of it; without a length it is all that the tensor needs. */
static int find_external(struct onnx_import *import, const Onnx__TensorProto *tensor,
			 uint64_t needed, struct external *external)
{
	const char *name = onnx_quote(import, tensor->name);

	*external = (struct external){ .length = needed };
	if (tensor->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
		return onnx_fail(import, -EINVAL,
				 "tensor %s has its data both in the model and in another file", name);
	for (size_t i = 0; i < tensor->n_external_data; i++) {
		const char *key = tensor->external_data[i]->key;
		const char *value = tensor->external_data[i]->value;
		bool is_good = key && value;

		if (is_good && !strcmp(key, "location"))
			external->location = value;
		else if (is_good && !strcmp(key, "offset"))
			is_good = read_number(value, &external->offset);
		else if (is_good && !strcmp(key, "length"))
			is_good = read_number(value, &external->length);
		/* The checksum is of the whole file, and optional. */
		else if (!is_good || strcmp(key, "checksum"))
			return onnx_fail(import, -EOPNOTSUPP,
					 "of the data of tensor %s in another file, %s is unknown", name,
					 onnx_quote(import, key));
		if (!is_good)
			return onnx_fail(import, -EINVAL,
					 "of the data of tensor %s in another file, %s is %s, no number",
					 name, key, onnx_quote(import, value));
	}
	if (!external->location)
		return onnx_fail(import, -EINVAL,
				 "tensor %s has its data in another file, and does not say which", name);
	if (external->length != needed)
		return onnx_fail(import, -EINVAL,
				 "tensor %s has %" PRIu64 " bytes of data in another file, its shape "
				 "takes %" PRIu64, name, external->length, needed);
	return 0;
}

static int fail_external(struct onnx_import *import, const char *name, const char *location,
			 int err)
{
	if (err == -EXDEV || err == -ELOOP)
		return onnx_fail(import, -EINVAL,
				 "the data of tensor %s is in file %s, which is not in the model's folder: "
				 "nnloop reads no others, nor what links lead to elsewhere",
				 name, onnx_quote(import, location));
	if (err == -ENOMEM)
		return nn_graph_no_memory(import->builder.graph);
	return onnx_fail(import, err == -ENOSYS ? -EOPNOTSUPP : err == -EISDIR ? -EINVAL : err,
			 "the data of tensor %s is in file %s beside the model, which cannot be read: %s",
			 name, onnx_quote(import, location),
			 err == -EISDIR ? "it is no regular file" : strerror(-err));
}

/* The data of a tensor in another file. NULL: the error is set. */
static const void *read_external(struct onnx_import *import, const Onnx__TensorProto *tensor,
				 uint64_t needed)
{
	const char *name = onnx_quote(import, tensor->name);
	struct external external;
	const void *data;
	void *copied;
	size_t size;
	int err;

	if (!import->source->folder) {
		onnx_fail(import, -EOPNOTSUPP,
			  "the data of tensor %s is in another file, and the model is not imported from "
			  "one\nimport it by its path: nn_graph_import_file()", name);
		return NULL;
	}
	if (find_external(import, tensor, needed, &external))
		return NULL;
	err = nn_folder_get(import->source->folder, external.location, &data, &size);
	if (err) {
		fail_external(import, name, external.location, err);
		return NULL;
	}
	if (external.offset > size || needed > size - external.offset) {
		onnx_fail(import, -EINVAL,
			  "file %s ends before the data of tensor %s: it has %zu bytes, and %" PRIu64
			  " from %" PRIu64 " on are needed",
			  onnx_quote(import, external.location), name, size, needed,
			  external.offset);
		return NULL;
	}
	data = (const uint8_t *)data + external.offset;
	/* Shapes and axes are looked at more than once, and the file may be written to. */
	copied = needed && needed <= SHORT ? onnx_alloc(import, needed, 1) : NULL;
	if (needed && needed <= SHORT)
		return copied ? memcpy(copied, data, needed) : NULL;
	return data;
}

/* ---- Elements of 4 bits ---- */

/* ONNX's numbers of their types, which not every version of its header has. */
#define UINT4	21
#define INT4	22

/* The type of 8 bits that holds them. */
static enum nn_element find_narrow(int32_t type)
{
	switch (type) {
	case UINT4:
		return NN_ELEMENT_UINT8;
	case INT4:
		return NN_ELEMENT_INT8;
	}
	return NN_ELEMENT_NONE;
}

/* Gives each of them, of which a byte has two, the low one first, a byte of its own. */
static int widen(struct onnx_import *import, struct nn_const *c)
{
	const uint8_t *bytes = c->data;
	uint8_t *data = onnx_alloc(import, c->count ? c->count : 1, 1);

	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < c->count; i++) {
		uint8_t value = (i % 2 ? bytes[i / 2] >> 4 : bytes[i / 2]) & 15;

		if (c->element == NN_ELEMENT_INT8)
			value = (uint8_t)((value ^ 8) - 8);
		data[i] = value;
	}
	c->data = data;
	c->is_narrow = true;
	return 0;
}

/* ---- Tensors ---- */

static int read_elements(struct onnx_import *import, const Onnx__TensorProto *tensor,
			 uint64_t count, enum nn_element element, const void **out)
{
	uint32_t size = nn_element_size(element);
	const char *name = onnx_quote(import, tensor->name);
	const void *data = NULL;
	uint64_t stored = 0;
	void *narrowed;

	if (tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL ||
	    tensor->n_external_data) {
		*out = read_external(import, tensor, count * size);
		return *out ? 0 : onnx_failed(import);
	}
	if (onnx_raw_data(import, tensor, &data, &stored)) {
		if (stored != count * size)
			return onnx_fail(import, -EINVAL,
					 "tensor %s has %" PRIu64
					 " bytes of data, its shape takes %" PRIu64,
					 name, stored, count * size);
		*out = data;
		return 0;
	}
	if (element == NN_ELEMENT_FLOAT) {
		stored = tensor->n_float_data;
		data = tensor->float_data;
	} else if (element == NN_ELEMENT_INT64) {
		stored = tensor->n_int64_data;
		data = tensor->int64_data;
	} else if (element == NN_ELEMENT_UINT64 || element == NN_ELEMENT_UINT32) {
		stored = tensor->n_uint64_data;
		data = tensor->uint64_data;
	} else {
		stored = tensor->n_int32_data;
		data = tensor->int32_data;
	}
	if (stored != count)
		return onnx_fail(import, -EINVAL,
				 "tensor %s has %" PRIu64
				 " elements of data, its shape takes %" PRIu64,
				 name, stored, count);
	*out = data;
	if (size >= 4 && element != NN_ELEMENT_UINT32)
		return 0;
	narrowed = onnx_alloc(import, count, size);
	if (!narrowed)
		return -ENOMEM;
	*out = narrowed;
	return size == 4 ? halve(import, tensor, narrowed) :
			   narrow(import, tensor, element, narrowed);
}

int onnx_const_read(struct onnx_import *import, const Onnx__TensorProto *tensor,
		    struct nn_const *out)
{
	const char *name = onnx_quote(import, tensor->name);
	enum nn_element narrow_element = find_narrow(tensor->data_type);
	enum nn_element element = narrow_element ? narrow_element :
						   onnx_to_element(tensor->data_type);
	int err;

	memset(out, 0, sizeof(*out));
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
	if (!narrow_element)
		return read_elements(import, tensor, out->count, element, &out->data);
	/* Data that are no bytes have one of these in each number. */
	err = read_elements(import, tensor, (out->count + 1) / 2, NN_ELEMENT_UINT8, &out->data);
	return err ? err : widen(import, out);
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
