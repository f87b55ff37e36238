// SPDX-License-Identifier: MIT
/* Constants of a model: elements of any type, wherever the file has them. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/build.h"

static const struct element {
	enum nn_element element;
	uint32_t size;
	const char *name;
	enum nn_data_type type; /* of a tensor; 0: none */
} elements[] = {
	{ NN_ELEMENT_FLOAT, 4, "float", NN_FLOAT32 }, { NN_ELEMENT_UINT8, 1, "uint8", NN_UINT8 },
	{ NN_ELEMENT_INT8, 1, "int8", NN_INT8 },      { NN_ELEMENT_UINT16, 2, "uint16", NN_UINT16 },
	{ NN_ELEMENT_INT16, 2, "int16", NN_INT16 },   { NN_ELEMENT_INT32, 4, "int32", NN_INT32 },
	{ NN_ELEMENT_INT64, 8, "int64", NN_INT64 },  { NN_ELEMENT_BOOL, 1, "bool", NN_BOOL },
	{ NN_ELEMENT_UINT32, 4, "uint32", NN_UINT32 }, { NN_ELEMENT_UINT64, 8, "uint64", NN_UINT64 },
};

static const struct element *find_element(enum nn_element element)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
		if (elements[i].element == element)
			return &elements[i];
	}
	return NULL;
}

uint32_t nn_element_size(enum nn_element element)
{
	const struct element *found = find_element(element);

	return found ? found->size : 0;
}

const char *nn_element_name(enum nn_element element)
{
	const struct element *found = find_element(element);

	return found ? found->name : "a type that nnloop does not know";
}

enum nn_data_type nn_element_to_type(enum nn_element element)
{
	const struct element *found = find_element(element);

	return found ? found->type : 0;
}

/* ---- Access ---- */

int64_t nn_const_int(const struct nn_const *c, uint64_t i)
{
	const uint8_t *data = c->data;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (c->element) {
	case NN_ELEMENT_UINT8:
	case NN_ELEMENT_BOOL:
		return data[i];
	case NN_ELEMENT_INT8:
		return (int8_t)data[i];
	case NN_ELEMENT_UINT16:
		memcpy(&i16, data + 2 * i, 2);
		return (uint16_t)i16;
	case NN_ELEMENT_INT16:
		memcpy(&i16, data + 2 * i, 2);
		return i16;
	case NN_ELEMENT_INT32:
		memcpy(&i32, data + 4 * i, 4);
		return i32;
	case NN_ELEMENT_UINT32:
		memcpy(&i32, data + 4 * i, 4);
		return (uint32_t)i32;
	case NN_ELEMENT_INT64:
	case NN_ELEMENT_UINT64:
		memcpy(&i64, data + 8 * i, 8);
		return i64;
	default:
		return 0;
	}
}

float nn_const_float(const struct nn_const *c, uint64_t i)
{
	float value;

	memcpy(&value, (const uint8_t *)c->data + 4 * i, 4);
	return value;
}

/* ---- Constants made of constants ---- */

void nn_const_reshape(struct nn_const *c, uint32_t rank, const uint32_t *dims)
{
	c->rank = rank;
	memcpy(c->dims, dims, rank * sizeof(*dims));
}

int nn_const_transpose(struct nn_builder *builder, const struct nn_const *c, const uint32_t *perm,
		       struct nn_const *out)
{
	uint32_t size = nn_element_size(c->element), index[NN_MAX_RANK] = { 0 };
	uint64_t strides[NN_MAX_RANK], stride = 1, from = 0;
	struct nn_const made = *c;
	uint8_t *data = nn_builder_alloc(builder, c->count, size);

	if (!data)
		return -ENOMEM;
	for (uint32_t i = c->rank; i-- > 0; stride *= c->dims[i])
		strides[i] = stride;
	for (uint32_t i = 0; i < c->rank; i++)
		made.dims[i] = c->dims[perm[i]];
	/* The index of the result counts up; `from` is where its element was. */
	for (uint64_t to = 0; to < c->count; to++) {
		memcpy(data + to * size, (const uint8_t *)c->data + from * size, size);
		for (uint32_t i = c->rank; i-- > 0;) {
			from += strides[perm[i]];
			if (++index[i] < made.dims[i])
				break;
			from -= strides[perm[i]] * index[i];
			index[i] = 0;
		}
	}
	made.data = data;
	*out = made;
	return 0;
}

/* The upper bit is turned around. */
static int turn_sign(struct nn_builder *builder, const struct nn_const *from,
		     enum nn_element element, struct nn_const *out)
{
	uint16_t *data = nn_builder_alloc(builder, from->count, sizeof(*data));

	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < from->count; i++)
		data[i] = (uint16_t)nn_const_int(from, i) ^ NN_UNSIGNED;
	*out = *from;
	out->element = element;
	out->data = data;
	return 0;
}

int nn_const_sign(struct nn_builder *builder, const struct nn_const *from, struct nn_const *out)
{
	return turn_sign(builder, from, NN_ELEMENT_INT16, out);
}

int nn_const_unsign(struct nn_builder *builder, const struct nn_const *from, struct nn_const *out)
{
	return turn_sign(builder, from, NN_ELEMENT_UINT16, out);
}

/* Elements that have the scale of one index of its dimension, one behind the other. */
static uint64_t elements_inside(const struct nn_const *c, const struct nn_quant *quant)
{
	uint64_t inner = 1;

	for (uint32_t i = quant->axis + 1; quant->scales && i < c->rank; i++)
		inner *= c->dims[i];
	return inner;
}

int nn_const_dequantize(struct nn_builder *builder, const struct nn_const *from,
			const struct nn_quant *quant, struct nn_const *out)
{
	uint64_t inner = elements_inside(from, quant);
	struct nn_const to = *from;
	float *data = nn_builder_alloc(builder, from->count, sizeof(*data));

	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < from->count; i++) {
		uint64_t index = quant->scales ? i / inner % from->dims[quant->axis] : 0;
		int64_t stored = nn_const_int(from, i) - nn_quant_zero_point(quant, index);

		data[i] = (float)stored * nn_quant_scale(quant, index);
	}
	to.element = NN_ELEMENT_FLOAT;
	to.data = data;
	*out = to;
	return 0;
}

int nn_const_quantize(struct nn_builder *builder, const struct nn_const *from,
		      const struct nn_quant *quant, struct nn_const *out)
{
	uint64_t inner = elements_inside(from, quant);
	struct nn_const to = *from;
	int32_t min, max;
	void *data;

	if (from->element != NN_ELEMENT_FLOAT ||
	    (!nn_type_is_8bit(quant->type) && quant->type != NN_INT16))
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it quantizes a constant from %s to %s",
				       nn_element_name(from->element),
				       nn_data_type_name(quant->type));
	data = nn_builder_alloc(builder, from->count, nn_data_type_size(quant->type));
	if (!data)
		return -ENOMEM;
	nn_type_range(quant->type, &min, &max);
	for (uint64_t i = 0; i < from->count; i++) {
		uint64_t index = quant->scales ? i / inner % from->dims[quant->axis] : 0;
		int32_t zero = nn_quant_zero_point(quant, index);
		float value =
			nearbyintf(nn_const_float(from, i) / nn_quant_scale(quant, index)) + zero;

		value = fminf(fmaxf(value, min), max);
		if (quant->type == NN_INT16)
			((int16_t *)data)[i] = (int32_t)value;
		else
			((int8_t *)data)[i] = (int32_t)value;
	}
	to.element = (enum nn_element)quant->type;
	to.data = data;
	*out = to;
	return 0;
}
