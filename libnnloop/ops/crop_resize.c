// SPDX-License-Identifier: MIT
/*
 * CropResize: cuts boxes out of images and resizes each. docs/reader.md defines it.
 *
 * docs/operators.md:
 * | `CropResize` | images, boxes int32 `[M, 4]`, owner int32 `[M]` | `height`, `width`
 * (required) | as the images, of the level of the boxes |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

enum { IMAGE, BOXES, OWNER };

#define MAX_POSITIONS	65536	/* of an image or an output, in each direction */

static int check_crop_resize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[IMAGE]->info;
	const struct nn_tensor_info *boxes = &node->inputs[BOXES]->info;
	const struct nn_tensor_info *owner = &node->inputs[OWNER]->info;
	int64_t height = nn_node_get_attr_int(node, "height", 0);
	int64_t width = nn_node_get_attr_int(node, "width", 0);
	uint32_t dims[4] = { 0 };
	char text[NN_SHAPE_TEXT];
	int error;

	(void)graph;
	(void)opaque;
	if (image->rank != 4 || image->dims[1] > MAX_POSITIONS || image->dims[2] > MAX_POSITIONS)
		return nn_node_fail(node, -EINVAL,
				    "needs images of rank 4 (NHWC), at most %d high and wide, not %s",
				    MAX_POSITIONS, nn_info_format_shape(image, text, sizeof(text)));
	if (!nn_type_is_8bit(image->type))
		return nn_node_fail(node, -EINVAL, "the images must be int8 or uint8, not %s",
				    nn_data_type_name(image->type));
	if (boxes->type != NN_INT32 || boxes->rank != 2 || boxes->dims[1] != 4)
		return nn_node_fail(node, -EINVAL, "the boxes must be int32 [boxes, 4], not %s",
				    nn_info_format_shape(boxes, text, sizeof(text)));
	if (owner->type != NN_INT32 || owner->rank != 1 || owner->level != boxes->level ||
	    owner->dims[0] != boxes->dims[0])
		return nn_node_fail(node, -EINVAL, "there must be one int32 owner for each box");
	if (height < 1 || height > MAX_POSITIONS || width < 1 || width > MAX_POSITIONS)
		return nn_node_fail(node, -EINVAL, "height and width must be 1 to %d", MAX_POSITIONS);

	dims[1] = height;
	dims[2] = width;
	dims[3] = image->dims[3];
	error = nn_node_keep_quantization(node, 0, image);
	return error ? error : nn_node_infer_shape(node, 0, boxes, 4, dims);
}

static int lower_crop_resize(struct nn_lowering *lowering, struct nn_node *node)
{
	int inputs[3], output = nn_lower_value(lowering, &node->outputs[0]);
	struct nn_program_op *op;
	uint32_t i;

	if (output < 0)
		return output;
	for (i = 0; i < 3; i++) {
		inputs[i] = nn_lower_value(lowering, node->inputs[i]);
		if (inputs[i] < 0)
			return inputs[i];
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_CROP_RESIZE);
	if (!op)
		return -ENOMEM;
	for (i = 0; i < 3; i++)
		op->input[i] = inputs[i];
	op->output[0] = output;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "height", .type = NN_ATTR_INT },
	{ .name = "width", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_crop_resize = {
	.name = "CropResize",
	.flags = NN_OP_MIXED_LEVELS,
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = attrs,
	.check = check_crop_resize,
	.lower = lower_crop_resize,
};
