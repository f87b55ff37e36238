// SPDX-License-Identifier: MIT
/*
 * NON_MAX_SUPPRESSION_V4 and V5. They are of the boxes of one image, and know no batch: what they
 * read is an item's, or all that there is.
 */
#include <errno.h>
#include <string.h>

#include "import/floats.h"
#include "import/tflite/tflite.h"

enum { BOXES, SCORES, MAX_OUTPUT_SIZE, IOU_THRESHOLD, SCORE_THRESHOLD, SOFT_NMS_SIGMA };
enum { MADE_INDICES, MADE_SCORES, MADE_COUNT, MADE };

static bool is_of_8bit(const struct tflite_tensor *tensor)
{
	return tensor->is_real && !tensor->is_unrounded && nn_type_is_8bit(tensor->made->quant.type);
}

/* Reads values that a DEQUANTIZE made of 8 bits, or those of float32, with the batch in front. */
static int read_values(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct nn_build_tensor *made = tflite_item_input(import, i, true);
	const struct tflite_tensor *tensor;

	if (!made)
		return tflite_failed(import);
	tensor = &import->tensors[import->now->inputs[i]];
	if (import->floats && !is_of_8bit(tensor)) {
		made = tflite_item_input(import, i, false);
		if (!made)
			return tflite_failed(import);
	}
	if (!nn_is_float(made) && !is_of_8bit(tensor))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input %s is not what a DEQUANTIZE makes of int8 or uint8",
				   tflite_quote(import, tensor->name));
	if (!tensor->is_item)
		return nn_build_lift(&import->builder, made, out);
	*out = *made;
	return 0;
}

static int read_size(struct tflite_import *import, struct nn_attr *attr)
{
	const struct nn_const *size = tflite_ints_input(import, MAX_OUTPUT_SIZE);

	if (!size)
		return tflite_failed(import);
	*attr = (struct nn_attr){ .name = "max_output_size", .type = NN_ATTR_INT };
	attr->i = size->count == 1 ? nn_const_int(size, 0) : 0;
	if (attr->i >= 1 && attr->i <= TFLITE_MAX_BOXES)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP, "its max_output_size is not one number from 1 to %d",
			   TFLITE_MAX_BOXES);
}

static int read_float(struct tflite_import *import, uint32_t i, const char *name,
		      struct nn_attr *attr)
{
	struct nn_parameter number;
	int err = tflite_real_parameter_input(import, i, &number);

	if (err)
		return err;
	if (number.values->element != NN_ELEMENT_FLOAT || number.values->count != 1)
		return tflite_fail(import, -EINVAL, "its %s is not one number of float32", name);
	*attr = (struct nn_attr){ .name = name, .type = NN_ATTR_FLOAT };
	attr->f = nn_const_float(number.values, 0);
	return 0;
}

static int read_attrs(struct tflite_import *import, struct nn_attr *attrs, uint32_t *count)
{
	static const char *const names[] = {
		[IOU_THRESHOLD] = "iou_threshold",
		[SCORE_THRESHOLD] = "score_threshold",
		[SOFT_NMS_SIGMA] = "soft_nms_sigma",
	};
	int err = read_size(import, attrs);

	*count = 1;
	for (uint32_t i = IOU_THRESHOLD; i < import->now->op->max_inputs && !err; i++)
		err = read_float(import, i, names[i], &attrs[(*count)++]);
	return err;
}

/* Output i, of the file's type. How many there are is a single number there. */
static int define(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *made)
{
	struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];
	bool is_item = made->dims[0] == NN_ROWS || made->rank == 1;
	struct nn_build_tensor lowered = *made;
	int err = 0;

	if (made->quant.type == NN_INT32)
		err = tflite_same_quant(import, i, &made->quant);
	else if (tensor->element != NN_ELEMENT_FLOAT)
		err = tflite_fail(import, -EINVAL, "its output %s is of %s",
				  tflite_quote(import, tensor->name),
				  tflite_type_name(tensor->type));
	if (!err && !is_item)
		err = nn_build_lower(&import->builder, made, &lowered);
	if (!err)
		err = is_item ? tflite_define_item(import, i, made) :
				tflite_define(import, i, &lowered);
	tensor->is_real = !err && made->quant.type == NN_FLOAT32;
	return err;
}

int tflite_lower_non_max_suppression(struct tflite_import *import)
{
	struct nn_build_tensor inputs[2], made[MADE];
	struct nn_attr attrs[4];
	uint32_t count, output = 0;
	int err = read_values(import, BOXES, &inputs[BOXES]);

	if (!err)
		err = read_values(import, SCORES, &inputs[SCORES]);
	if (!err && inputs[BOXES].dims[0] != inputs[SCORES].dims[0])
		err = tflite_fail(import, -EINVAL, "of its boxes and scores only one has a batch");
	if (!err)
		err = read_attrs(import, attrs, &count);
	if (err)
		return err;
	for (uint32_t i = 0; i < MADE; i++)
		made[i] = (struct nn_build_tensor){
			.rank = i == MADE_COUNT ? 1 : 2,
			.dims = { inputs[BOXES].dims[0], i == MADE_COUNT ? 0 : attrs[0].i },
			.quant = { .type = i == MADE_SCORES ? NN_FLOAT32 : NN_INT32 },
		};
	err = nn_build_outputs(&import->builder, "NonMaxSuppression", inputs, 2, attrs, count, made,
			       MADE);
	/* Version 4 gives no scores. */
	for (uint32_t i = 0; i < MADE && !err; i++) {
		if (i != MADE_SCORES || import->now->op->outputs == MADE)
			err = define(import, output++, &made[i]);
	}
	return err;
}
