// SPDX-License-Identifier: MIT
/*
 * RoiAlign: boxes out of images, each divided into bins, of which every one becomes the mean or the
 * greatest of some samples. dsp/kernels/roi_align.c defines it.
 *
 * docs/operators.md:
 * | `RoiAlign` | images 8-bit `[rows, images, height, width, channels]`; boxes `[rows, n, 4]` (x0,
 * y0, x1, y1), 8-bit or a constant of float32; indices int32 or int64 `[rows, n]`: which of its
 * row's images each box is of; where boxes have rows of a loop, images can be one row | `size` (required: H,W), `function` (`average`, `max`), `samples`
 * (0: as many as a bin has pixels; else 1 to 1024): of a bin in each direction, `spatial_scale`
 * (1): what boxes are multiplied by, `half_pixel` (1; 0: boxes are not moved by half a pixel, and 1
 * pixel large or more) | 8-bit `[rows, n, H, W, channels]`, scale and zero point as the images
 * unless given; what is no index makes zero points |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/indices.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_POSITIONS	65536	/* of an image, of the bins of a box, in each direction */
#define MOST_SAMPLES	1024	/* of a bin, in each direction */
/* Without a number of samples; to what reaches no further, rounding adds less than one. */
#define MOST_PIXELS	1023.0
#define MOST_REACH	0x1p20
#define MOST_SCALE	0x1p100f	/* of the images: all that is summed is finite */

enum { IMAGES, BOXES, INDICES, INPUTS };

static const char *const functions[NN_ROI_ALIGN_FORMS] = {
	[NN_ROI_ALIGN_AVERAGE] = "average",
	[NN_ROI_ALIGN_MAX] = "max",
};

static int check_shapes(struct nn_node *node)
{
	const struct nn_tensor_info *images = &node->inputs[IMAGES]->info;
	const struct nn_tensor_info *boxes = &node->inputs[BOXES]->info;
	const struct nn_tensor_info *indices = &node->inputs[INDICES]->info;
	char text[NN_SHAPE_TEXT];

	if (images->rank != 5 || images->dims[2] > MOST_POSITIONS ||
	    images->dims[3] > MOST_POSITIONS)
		return nn_node_fail(node, -EINVAL,
				    "needs rows of images (rank 5), at most %d high and wide, "
				    "not %s", MOST_POSITIONS,
				    nn_info_format_shape(images, text, sizeof(text)));
	if (boxes->rank != 3 || boxes->dims[2] != 4)
		return nn_node_fail(node, -EINVAL, "the boxes must be [rows, boxes, 4], not %s",
				    nn_info_format_shape(boxes, text, sizeof(text)));
	if (indices->rank != 2 || indices->dims[1] != boxes->dims[1])
		return nn_node_fail(node, -EINVAL, "there must be one index for each box");
	for (uint32_t i = 0; i < INPUTS; i++) {
		if (!nn_fits_rows(node->inputs[i], nn_node_rows(node)))
			return nn_node_fail(node, -EINVAL,
					    "images, boxes and indices must have as many rows, "
					    "unless one is a constant of one row");
	}
	return 0;
}

static int check_types(struct nn_node *node)
{
	const struct nn_value *boxes = node->inputs[BOXES];
	const struct nn_tensor_info *images = &node->inputs[IMAGES]->info;
	const struct nn_tensor_info *indices = &node->inputs[INDICES]->info;
	const struct nn_tensor_info *to = &node->outputs[0].info;
	bool are_floats = nn_value_is_const(boxes) && boxes->info.type == NN_FLOAT32;
	int error = nn_node_need_8bit(node, images, "images");

	if (!error && !are_floats)
		error = nn_node_need_8bit(node, &boxes->info,
					  "boxes, which are no constant of float32,");
	if (error)
		return error;
	if (indices->type != NN_INT32 && indices->type != NN_INT64)
		return nn_node_fail(node, -EINVAL, "the indices must be of int32 or int64, not %s",
				    nn_data_type_name(indices->type));
	nn_node_default_quantization(node, 0, images);
	error = nn_node_need_8bit(node, to, "output");
	if (error)
		return error;
	if (!isnormal(images->scale) || !isnormal(to->scale) ||
	    (!are_floats && !isnormal(boxes->info.scale)))
		return nn_node_fail(node, -EOPNOTSUPP, "needs scales of at least 2^-126");
	if (images->scale > MOST_SCALE)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "needs images with a scale of at most 2^100");
	return 0;
}

static int read_attrs(struct nn_node *node, struct nn_roi_align_params *params, int64_t size[2])
{
	const char *function = nn_node_get_string(node, "function", functions[0]);
	int64_t samples = nn_node_get_attr_int(node, "samples", 0);

	while (strcmp(function, functions[params->form])) {
		if (++params->form == NN_ROI_ALIGN_FORMS)
			return nn_node_fail(node, -EINVAL, "has no function \"%s\"", function);
	}
	nn_node_get_ints(node, "size", 2, size);
	for (uint32_t i = 0; i < 2; i++) {
		if (size[i] < 1 || size[i] > MOST_POSITIONS)
			return nn_node_fail(node, -EINVAL,
					    "size must be 1 to %d in both directions",
					    MOST_POSITIONS);
	}
	if (samples < 0 || samples > MOST_SAMPLES)
		return nn_node_fail(node, -EINVAL, "samples are 0 to %d", MOST_SAMPLES);
	params->samples = samples;
	params->half_pixel = nn_node_get_attr_int(node, "half_pixel", 1);
	params->spatial_scale = nn_node_get_float(node, "spatial_scale", 1);
	if (!isnormal(params->spatial_scale) || params->spatial_scale < 0)
		return nn_node_fail(node, -EINVAL,
				    "spatial_scale must be a positive number of at least 2^-126");
	return 0;
}

/* The distance of boxes from 0, and their length: width and height. */
struct extent {
	double reach, length[2];
};

static void find_extent(const struct nn_value *boxes, struct extent *extent)
{
	const struct nn_tensor_info *info = &boxes->info;
	const float *numbers = (const float *)boxes->node->data;
	uint64_t count = info->dims[0] * nn_info_row_elements(info);
	int32_t min, max;

	*extent = (struct extent){ 0 };
	if (info->type != NN_FLOAT32) {
		nn_type_range(info->type, &min, &max);
		extent->reach = fmax(info->zero_point - min, max - info->zero_point) *
				(double)info->scale;
		extent->length[0] = extent->length[1] = (max - min) * (double)info->scale;
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		/* Negated, so that what is no number counts as well. */
		if (!(fabsf(numbers[i]) <= extent->reach))
			extent->reach = isnan(numbers[i]) ? INFINITY : fabsf(numbers[i]);
		if (i % 4 >= 2)
			extent->length[i % 2] = fmax(extent->length[i % 2],
						     (double)numbers[i] - numbers[i - 2]);
	}
}

/* Checks that positions are numbers which float32 tells apart, and that samples are some. */
static int check_extent(struct nn_node *node, const struct nn_roi_align_params *params,
			const int64_t size[2])
{
	double scale = params->spatial_scale;
	struct extent extent;

	find_extent(node->inputs[BOXES], &extent);
	if (!(extent.reach * scale <= MOST_REACH))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "may have boxes %g pixels from the first one; 2^20 can be",
				    extent.reach * scale);
	for (uint32_t i = 0; i < 2 && !params->samples; i++) {
		double pixels = extent.length[i] * scale / size[1 - i];

		if (pixels > MOST_PIXELS)
			return nn_node_fail(node, -EOPNOTSUPP,
					    "may have bins of %g pixels, and takes %g samples at "
					    "most: say how many",
					    pixels, MOST_PIXELS);
	}
	return 0;
}

static int check_roi_align(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *images = &node->inputs[IMAGES]->info;
	const struct nn_tensor_info *boxes = &node->inputs[BOXES]->info;
	struct nn_roi_align_params *params = nn_node_make_state(node, sizeof(*params));
	uint32_t dims[5] = { 0 };
	int64_t size[2] = { 0 };
	int error = params ? check_shapes(node) : -ENOMEM;

	(void)graph;
	(void)opaque;
	if (!error)
		error = check_types(node);
	if (!error)
		error = read_attrs(node, params, size);
	if (!error)
		error = check_extent(node, params, size);
	if (error)
		return error;
	params->scale_input = images->scale;
	params->scale_boxes = boxes->type == NN_FLOAT32 ? 1 : boxes->scale;
	params->scale_output = node->outputs[0].info.scale;
	dims[1] = boxes->dims[1];
	dims[2] = size[0];
	dims[3] = size[1];
	dims[4] = images->dims[4];
	return nn_node_infer_shape(node, 0, nn_node_rows(node), 5, dims);
}

static int lower_roi_align(struct nn_lowering *lowering, struct nn_node *node)
{
	int inputs[INPUTS], error;
	struct nn_program_op *op;

	for (uint32_t i = BOXES; i < INPUTS; i++) {
		inputs[i] = nn_lower_value(lowering, node->inputs[i]);
		if (inputs[i] < 0)
			return inputs[i];
	}
	error = nn_lower_unary(lowering, node, NN_OPCODE_ROI_ALIGN, node->inputs[IMAGES],
			       &node->outputs[0], &op);
	if (error)
		return error;
	for (uint32_t i = BOXES; i < INPUTS; i++)
		op->input[i] = inputs[i];
	op->roi_align = *(const struct nn_roi_align_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "half_pixel", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "samples", .type = NN_ATTR_INT },
	{ .name = "size", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ .name = "spatial_scale", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_roi_align = {
	.name = "RoiAlign",
	.min_inputs = 3,
	.max_inputs = 3,
	.takes_one_row = true,
	.outputs = 1,
	.attrs = attrs,
	.check = check_roi_align,
	.lower = lower_roi_align,
};
