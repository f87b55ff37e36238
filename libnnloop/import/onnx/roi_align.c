// SPDX-License-Identifier: MIT
/*
 * ONNX's RoiAlign: boxes out of images, each of the image that its index says.
 *
 * What comes out has a row for each box, not for each image: so all of it is one row of the graph,
 * and images are no batch that may vary. Boxes that a NonMaxSuppression finds are rows, each of which
 * has one box, and the images one row for all of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

enum { IMAGES, BOXES, INDICES, OPERANDS };

struct onnx_boxes {
	struct nn_operand operands[OPERANDS];
	struct nn_roi_align align;
};

/* A tensor, or a constant as floats. */
static int read_boxes(struct onnx_import *import, const struct onnx_value *value,
		      struct nn_operand *out)
{
	static const struct nn_quant floats = { .type = NN_FLOAT32 };
	struct nn_const *constant;

	if (!onnx_is_const(value)) {
		*out = (struct nn_operand){ .tensor = &value->tensor };
		return 0;
	}
	constant = onnx_alloc(import, 1, sizeof(*constant));
	if (!constant)
		return -ENOMEM;
	out->tensor = NULL;
	out->constant = (struct nn_parameter){
		.name = value->tensor.name, .values = constant, .quant = &floats
	};
	return onnx_read_floats(import, value, "rois", constant);
}

static int need_8_bits(struct onnx_import *import, const struct onnx_value *value, const char *what)
{
	enum nn_data_type type = value->tensor.quant.type;

	if (nn_type_is_8bit(type))
		return 0;
	return onnx_fail(import, -EOPNOTSUPP, "its %s are of %s" ONNX_8_BITS, what,
			 nn_data_type_name(type));
}

static int read_operands(struct onnx_import *import, struct nn_operand operands[OPERANDS])
{
	const struct onnx_value *images = onnx_real_input(import, IMAGES);
	const struct onnx_value *boxes = onnx_input(import, BOXES);
	const struct onnx_value *indices = onnx_input(import, INDICES);
	int err;

	if (images && !onnx_is_const(boxes))
		boxes = onnx_real_input(import, BOXES);
	if (!images || !boxes)
		return onnx_failed(import);
	operands[IMAGES].tensor = &images->tensor;
	err = need_8_bits(import, images, "images");
	if (!err && !onnx_is_const(boxes))
		err = need_8_bits(import, boxes, "rois");
	if (!err)
		err = read_boxes(import, boxes, &operands[BOXES]);
	if (!err && onnx_stored_operand(import, indices, &operands[INDICES]) != NN_INT64)
		err = onnx_fail(import, -EINVAL, "its batch_indices are not of int64");
	return err ? err : nn_need_image(&import->builder, &images->tensor);
}

/* Whether it has rows that vary. */
static bool are_rows(const struct nn_operand *operand)
{
	return operand->tensor && nn_is_rows(operand->tensor->dims[0]);
}

/* One box and one index for each row that comes out. */
static int check_shapes(struct onnx_import *import, const struct nn_operand operands[OPERANDS],
			uint32_t *count)
{
	const struct nn_const *numbers = operands[INDICES].constant.values;
	uint32_t images = operands[IMAGES].tensor->dims[0], ranks[OPERANDS];
	const uint32_t *boxes = onnx_dims_of(&operands[BOXES], &ranks[BOXES]);
	const uint32_t *indices = onnx_dims_of(&operands[INDICES], &ranks[INDICES]);

	if (ranks[BOXES] != 2 || boxes[1] != 4 || ranks[INDICES] != 1)
		return onnx_fail(import, -EINVAL,
				 "its rois are not 4 numbers each, or its batch_indices have "
				 "%" PRIu32 " dimensions, not 1", ranks[INDICES]);
	if (nn_is_rows(images) || (are_rows(&operands[BOXES]) != are_rows(&operands[INDICES])) ||
	    (are_rows(&operands[BOXES]) && !onnx_find_cut(import)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it has a batch of images or a number of rois that may vary"
				 "\nexport the model with fixed shapes, the first dimension too");
	if (are_rows(&operands[BOXES])) {
		*count = boxes[0];
		return 0;
	}
	if (!boxes[0] || boxes[0] != indices[0])
		return onnx_fail(import, -EINVAL,
				 "it has %" PRIu32 " rois and %" PRIu32 " batch_indices", boxes[0],
				 indices[0]);
	for (uint64_t i = 0; !operands[INDICES].tensor && i < numbers->count; i++) {
		int64_t index = nn_const_int(numbers, i);

		if (index < 0 || index >= images)
			return onnx_fail(import, -EINVAL,
					 "its batch index %" PRId64 " is not one of %" PRIu32
					 " images", index, images);
	}
	*count = boxes[0];
	return 0;
}

static int read_attrs(struct onnx_import *import, struct nn_roi_align *align)
{
	const Onnx__NodeProto *node = import->node;
	bool is_old = onnx_get_opset(import, import->op) < 16;
	const char *coordinates = onnx_attr_string(import, "coordinate_transformation_mode",
						   is_old ? "output_half_pixel" : "half_pixel");
	const char *mode = onnx_attr_string(import, "mode", "avg");

	align->size[0] = onnx_attr_int(node, "output_height", 1);
	align->size[1] = onnx_attr_int(node, "output_width", 1);
	align->samples = onnx_attr_int(node, "sampling_ratio", 0);
	align->spatial_scale = onnx_attr_float(node, "spatial_scale", 1);
	align->half_pixel = !strcmp(coordinates, "half_pixel");
	align->function = strcmp(mode, "max") ? "average" : "max";
	if (!(align->spatial_scale > 0))
		return onnx_fail(import, -EOPNOTSUPP, "its spatial_scale is %g, not above 0",
				 (double)align->spatial_scale);
	return 0;
}

static int emit_roi_align(struct onnx_import *import, const struct onnx_pending *pending,
			  const struct nn_quant *quant, const char *activation,
			  struct nn_build_tensor *out)
{
	const struct onnx_boxes *boxes = pending->boxes;
	struct nn_build_tensor inputs[OPERANDS] = { *boxes->operands[IMAGES].tensor };
	int err = 0;

	(void)activation;
	for (uint32_t i = BOXES; i < OPERANDS && !err; i++) {
		const uint32_t dims[3] = { NN_ROWS, 1, 4 };

		if (are_rows(&boxes->operands[i]))
			err = nn_build_reshape(&import->builder, boxes->operands[i].tensor,
					       i == BOXES ? 3 : 2, dims, &inputs[i]);
		else
			err = onnx_lift(import, &boxes->operands[i], &inputs[i]);
	}
	return err ? err :
		     nn_build_roi_align(&import->builder, inputs, &boxes->align, quant, out);
}

int onnx_lower_roi_align(struct onnx_import *import)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_roi_align, OPERANDS);
	struct onnx_boxes *boxes = onnx_alloc(import, 1, sizeof(*boxes));
	uint32_t count = 0;
	int err;

	if (!pending || !boxes)
		return -ENOMEM;
	err = read_operands(import, boxes->operands);
	if (!err)
		err = check_shapes(import, boxes->operands, &count);
	if (!err)
		err = read_attrs(import, &boxes->align);
	if (err)
		return err;
	for (uint32_t i = 0; i < OPERANDS; i++)
		pending->operands[i] = onnx_input(import, i);
	pending->boxes = boxes;
	pending->rank = 4;
	pending->dims[0] = count;
	pending->dims[1] = boxes->operands[IMAGES].tensor->dims[1];
	memcpy(&pending->dims[2], boxes->align.size, sizeof(boxes->align.size));
	return onnx_define_pending(import, pending);
}
