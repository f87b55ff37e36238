// SPDX-License-Identifier: MIT
/* Boxes out of images, for importers. */
#include <errno.h>
#include <string.h>

#include "import/build.h"

/* The images as a single row, each as the graph's operators want it. */
static int lift_images(struct nn_builder *builder, const struct nn_build_tensor *x,
		       struct nn_build_tensor *out)
{
	struct nn_build_tensor images;
	int err = nn_build_image(builder, x, &images);

	if (err)
		return err;
	images.dims[1] = x->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)];
	images.dims[2] = x->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)];
	images.dims[3] = x->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)];
	images.layout = NN_LAYOUT_PLAIN;
	return nn_build_lift(builder, &images, out);
}

int nn_build_roi_align(struct nn_builder *builder, const struct nn_build_tensor inputs[3],
		       const struct nn_roi_align *align, const struct nn_quant *quant,
		       struct nn_build_tensor *out)
{
	const int64_t size[2] = { align->size[0], align->size[1] };
	const struct nn_attr attrs[] = {
		{ .name = "size", .type = NN_ATTR_INTS, .count = 2, .ints = size },
		{ .name = "function", .type = NN_ATTR_STRING, .string = align->function },
		{ .name = "samples", .type = NN_ATTR_INT, .i = align->samples },
		{ .name = "spatial_scale", .type = NN_ATTR_FLOAT, .f = align->spatial_scale },
		{ .name = "half_pixel", .type = NN_ATTR_INT, .i = align->half_pixel },
	};
	struct nn_build_tensor operands[3] = { inputs[0], inputs[1], inputs[2] }, made;
	int err = lift_images(builder, &inputs[0], &operands[0]);

	if (!err)
		err = nn_build_node(builder, "RoiAlign", operands, 3, attrs,
				    sizeof(attrs) / sizeof(*attrs), quant, &made);
	if (err)
		return err;
	made.dims[1] = inputs[1].dims[1];
	memcpy(made.dims + 2, align->size, sizeof(align->size));
	if (nn_is_rows(inputs[1].dims[0])) {
		const uint32_t dims[4] = { inputs[1].dims[0], made.dims[2], made.dims[3],
					   made.dims[4] };

		made.dims[0] = dims[0];
		err = nn_build_reshape(builder, &made, 4, dims, out);
	} else {
		err = nn_build_lower(builder, &made, out);
	}
	if (err)
		return err;
	out->layout = nn_image_layout(builder);
	out->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)] = made.dims[2];
	out->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)] = made.dims[3];
	out->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)] = made.dims[4];
	return 0;
}
