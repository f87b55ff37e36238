// SPDX-License-Identifier: MIT
/* Images of another size, for importers. */
#include <errno.h>
#include <inttypes.h>

#include "import/build.h"

int nn_build_resize(struct nn_builder *builder, const struct nn_build_tensor *x,
		    const struct nn_resize *resize, const struct nn_quant *quant,
		    struct nn_build_tensor *out)
{
	int64_t size[2] = { resize->size[0], resize->size[1] };
	struct nn_attr attrs[6] = {
		{ .name = "size", .type = NN_ATTR_INTS, .count = 2, .ints = size },
		{ .name = "mode", .type = NN_ATTR_STRING, .string = resize->mode },
		{ .name = "coordinates", .type = NN_ATTR_STRING, .string = resize->coordinates },
	};
	uint32_t count = 3;
	struct nn_build_tensor image;
	int err = nn_build_image(builder, x, &image);

	if (err)
		return err;
	if (resize->round)
		attrs[count++] = (struct nn_attr){ .name = "round",
						   .type = NN_ATTR_STRING,
						   .string = resize->round };
	if (resize->scale[0]) {
		attrs[count++] = (struct nn_attr){ .name = "scale_height",
						   .type = NN_ATTR_FLOAT,
						   .f = resize->scale[0] };
		attrs[count++] = (struct nn_attr){ .name = "scale_width",
						   .type = NN_ATTR_FLOAT,
						   .f = resize->scale[1] };
	}
	err = nn_build_node(builder, "Resize", &image, 1, attrs, count, quant, out);
	out->layout = nn_image_layout(builder);
	out->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)] = resize->size[0];
	out->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)] = resize->size[1];
	return err;
}
