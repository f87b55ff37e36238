// SPDX-License-Identifier: MIT
/* TFLite_Detection_PostProcess, the operator that most detectors end with. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/flexbuffer.h"
#include "import/tflite/tflite.h"

enum { BOXES, SCORES, ANCHORS, INPUTS };

/* ---- Options ---- */

/* Its entry's list has the names; each becomes an attribute of that name. */
static const struct tflite_option *find_option(const struct tflite_op *op, const char *name)
{
	for (uint32_t i = 0; i < op->option_count; i++) {
		if (!strcmp(op->options[i].name, name))
			return &op->options[i];
	}
	return NULL;
}

static int read_option(struct tflite_import *import, struct flexbuffer_map *map, uint32_t i,
		       const char *name, struct nn_attr *attr)
{
	const struct tflite_option *option = find_option(import->now->op, name);
	struct flexbuffer_number number = flexbuffer_value(map, i);

	if (!option)
		return tflite_fail(import, -EOPNOTSUPP, "it has an option %s, which nnloop does not know",
				   tflite_quote(import, name));
	if (number.kind == FLEXBUFFER_OTHER ||
	    (number.kind == FLEXBUFFER_REAL && option->kind == TFLITE_INT))
		return tflite_fail(import, -EINVAL, "its option %s is no %s", option->name,
				   option->kind == TFLITE_INT ? "whole number" : "number");
	attr->name = option->name;
	attr->type = option->kind == TFLITE_INT ? NN_ATTR_INT : NN_ATTR_FLOAT;
	if (option->kind == TFLITE_FLOAT) {
		attr->f = (float)number.real;
		return 0;
	}
	attr->i = number.integer;
	return tflite_check_option(import, option, number.integer);
}

/* Reads the options. Those whose names begin with _ are notes of the converter, and ignored. */
static int read_options(struct tflite_import *import, struct nn_attr *attrs, uint32_t *count)
{
	struct flexbuffer_map map;
	int err = 0;

	*count = 0;
	flexbuffer_open_map(&map, import->now->custom_options, import->now->custom_size);
	for (uint32_t i = 0; i < map.count && !map.wrong && !err; i++) {
		const char *name = flexbuffer_key(&map, i);

		/* No two are the same, so that there is room for each that is known. */
		if (name && *name != '_')
			err = read_option(import, &map, i, name, &attrs[*count]);
		*count += name && *name != '_' && !err;
	}
	if (map.wrong)
		return tflite_fail(import, -EINVAL, "its options cannot be read: %s", map.wrong);
	return err;
}

/* ---- Inputs ---- */

/* The values that the operator dequantizes itself, or a DEQUANTIZE did. */
static const struct nn_build_tensor *find_values(struct tflite_import *import, uint32_t i)
{
	const struct tflite_tensor *tensor;
	const struct nn_build_tensor *made;

	if (!tflite_has_input(import, i)) {
		tflite_tensor_input(import, i);
		return NULL;
	}
	tensor = &import->tensors[import->now->inputs[i]];
	made = tensor->made;
	if (made && tensor->is_real && !tensor->is_unrounded && nn_type_is_8bit(made->quant.type))
		return made;
	made = tflite_8bit_input(import, i);
	if (!made || made->quant.type == NN_UINT8)
		return made;
	tflite_fail(import, -EOPNOTSUPP, "its input %s is of int8; it is known for uint8 and float32",
		    tflite_quote(import, tensor->name));
	return NULL;
}

/* Builds anchors as reals: as they are, or dequantized if the boxes are uint8. */
static int build_anchors(struct tflite_import *import, struct nn_build_tensor *out)
{
	const struct tflite_tensor *boxes = &import->tensors[import->now->inputs[BOXES]];
	struct nn_tensor_info info = { .type = NN_FLOAT32 };
	struct nn_parameter anchors;
	float *values;
	int err;

	err = tflite_real_parameter_input(import, ANCHORS, &anchors);
	if (err)
		return err;
	if (boxes->is_real != (anchors.values->element == NN_ELEMENT_FLOAT) ||
	    (!boxes->is_real && (anchors.values->element != NN_ELEMENT_UINT8 ||
				 !anchors.quant->scale)))
		return tflite_fail(import, -EOPNOTSUPP, "its anchors are of %s, other than its boxes",
				   nn_element_name(anchors.values->element));
	values = tflite_alloc(import, anchors.values->count, sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (uint64_t i = 0; i < anchors.values->count; i++)
		values[i] = boxes->is_real ? nn_const_float(anchors.values, i) :
					     (nn_const_int(anchors.values, i) -
					      anchors.quant->zero_point) * anchors.quant->scale;
	info.rank = anchors.values->rank;
	memcpy(info.dims, anchors.values->dims, sizeof(info.dims));
	return nn_build_const(&import->builder, &info, values, out);
}

/* ---- The operator ---- */

static int define(struct tflite_import *import, uint32_t i, struct nn_build_tensor *made)
{
	struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];
	int err;

	if (tensor->element != NN_ELEMENT_FLOAT)
		return tflite_fail(import, -EOPNOTSUPP, "its output %s is of %s",
				   tflite_quote(import, tensor->name),
				   tflite_type_name(tensor->type));
	/* Converters do not know the shapes, and TensorFlow Lite does not look at them. */
	if (!tensor->rank) {
		tensor->rank = made->rank;
		memcpy(tensor->dims, made->dims, sizeof(tensor->dims));
	}
	err = tflite_define(import, i, made);
	tensor->is_real = !err;
	return err;
}

int tflite_lower_detection(struct tflite_import *import)
{
	const struct nn_build_tensor *boxes = find_values(import, BOXES);
	const struct nn_build_tensor *scores = boxes ? find_values(import, SCORES) : NULL;
	struct nn_attr *attrs = tflite_alloc(import, import->now->op->option_count, sizeof(*attrs));
	struct nn_build_tensor inputs[INPUTS], made[4];
	int64_t places = 1;
	uint32_t count;
	int err;

	if (!scores || !attrs)
		return tflite_failed(import);
	err = read_options(import, attrs, &count);
	if (err)
		return err;
	inputs[BOXES] = *boxes;
	inputs[SCORES] = *scores;
	err = build_anchors(import, &inputs[ANCHORS]);
	if (err)
		return err;
	for (uint32_t i = 0; i < count; i++) {
		if (!strncmp(attrs[i].name, "max_", 4)) /* detections, classes for each */
			places *= attrs[i].i;
	}
	if (places > INT32_MAX / 16)
		return tflite_fail(import, -EOPNOTSUPP, "it makes %" PRId64 " boxes", places);
	for (uint32_t i = 0; i < 4; i++)
		made[i] = (struct nn_build_tensor){
			.name = import->tensors[import->now->outputs[i]].name,
			.rank = i ? (i < 3 ? 2 : 1) : 3,
			.dims = { boxes->dims[0], i < 3 ? places : 0, i ? 0 : 4 },
			.quant = { .type = NN_FLOAT32 },
		};
	err = nn_build_outputs(&import->builder, "DetectionPostProcess", inputs, INPUTS, attrs, count,
			       made, 4);
	for (uint32_t i = 0; i < 4 && !err; i++)
		err = define(import, i, &made[i]);
	return err;
}
