// SPDX-License-Identifier: MIT
/* Windows that go over images, for importers: their padding, how many there are, and pools. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"
#include "ops/support/window.h"

int nn_window_set(struct nn_builder *builder, uint32_t *to, const char *attr, int64_t value,
		  uint32_t most)
{
	if (!most)
		most = NN_MAX_WINDOW;
	if (value < 1 || value > most)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "its attribute %s is %" PRId64 ", not 1 to %" PRIu32, attr,
				       value, most);
	*to = value;
	return 0;
}

/* One direction of the image: `size` elements. */
static int place(struct nn_builder *builder, struct nn_window *window, int direction, int64_t size,
		 enum nn_padding padding, const int64_t given[4], bool ceil_mode)
{
	int64_t extent = (int64_t)window->dilation[direction] * (window->kernel[direction] - 1) + 1;
	int64_t stride = window->stride[direction], before, after, windows, padded;

	if (padding == NN_PADDING_GIVEN) {
		before = given[direction];
		after = given[2 + direction];
		if (before < 0 || after < 0 || before >= extent || after >= extent)
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "its padding of %" PRId64 " and %" PRId64
					       " is not less than its window of %" PRId64,
					       before, after, extent);
		windows = nn_window_count(size, before + after, extent, stride);
		if (!windows)
			return nn_builder_fail(builder, -EINVAL,
					       "its window of %" PRId64
					       " does not fit an input of %" PRId64,
					       extent, size);
		/* One more window where some is left, if it begins inside of the input. */
		padded = size + before + after;
		if (ceil_mode && (padded - extent) % stride && windows * stride < size + before) {
			if (window->count_padding)
				return nn_builder_fail(
					builder, -EOPNOTSUPP,
					"it has both ceil_mode and count_include_pad");
			windows++;
			after = (windows - 1) * stride + extent - size - before;
		}
	} else {
		padded = size + nn_window_same_padding(size, extent, stride);
		windows = nn_window_count(padded, 0, extent, stride);
		before = (padded - size + (padding == NN_PADDING_SAME_LOWER)) / 2;
		after = padded - size - before;
	}
	window->padding[direction] = before;
	window->padding[2 + direction] = after;
	window->windows[direction] = windows;
	return 0;
}

int nn_window_place(struct nn_builder *builder, struct nn_window *window,
		    const struct nn_build_tensor *image, enum nn_padding padding,
		    const int64_t given[4], bool ceil_mode)
{
	int err;

	err = place(builder, window, 0, image->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)],
		    padding, given, ceil_mode);
	if (err)
		return err;
	return place(builder, window, 1, image->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)],
		     padding, given, ceil_mode);
}

int nn_window_cover(struct nn_builder *builder, struct nn_window *window,
		    const struct nn_build_tensor *image)
{
	uint32_t height = image->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)];
	uint32_t width = image->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)];

	if (image->rank != 4 || height > NN_MAX_WINDOW || width > NN_MAX_WINDOW)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "nnloop knows it for images of up to %d x %d only",
				       NN_MAX_WINDOW, NN_MAX_WINDOW);
	*window = (struct nn_window){
		.kernel = { height, width },
		.stride = { 1, 1 },
		.dilation = { 1, 1 },
		.windows = { 1, 1 },
	};
	return 0;
}

void nn_window_shape(const struct nn_builder *builder, const struct nn_window *window,
		     const struct nn_build_tensor *image, uint32_t channels, uint32_t dims[4])
{
	dims[0] = image->dims[0];
	dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)] = channels;
	dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)] = window->windows[0];
	dims[nn_image_axis(builder, NN_IMAGE_WIDTH)] = window->windows[1];
}

int nn_build_window(struct nn_builder *builder, const char *op,
		    const struct nn_build_tensor *inputs, uint32_t input_count,
		    const struct nn_window *window, uint32_t channels, const char *activation,
		    const struct nn_quant *quant, struct nn_build_tensor *out)
{
	bool has_weights = input_count > 1;
	int64_t size[2], stride[2], padding[4];
	struct nn_attr attrs[6] = {
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "padding", .type = NN_ATTR_INTS, .count = 4, .ints = padding },
		{ .name = has_weights ? "dilation" : "kernel",
		  .type = NN_ATTR_INTS,
		  .count = 2,
		  .ints = size },
	};
	uint32_t count = 3;
	int err;

	for (int i = 0; i < 2; i++) {
		size[i] = has_weights ? window->dilation[i] : window->kernel[i];
		stride[i] = window->stride[i];
	}
	for (int i = 0; i < 4; i++)
		padding[i] = window->padding[i];
	if (window->count_padding)
		attrs[count++] =
			(struct nn_attr){ .name = "count_padding", .type = NN_ATTR_INT, .i = 1 };
	nn_add_string(attrs, &count, "rounding", window->rounding);
	nn_add_string(attrs, &count, "activation", activation);
	err = nn_build_node(builder, op, inputs, input_count, attrs, count, quant, out);
	if (err)
		return err;
	nn_window_shape(builder, window, &inputs[0], channels, out->dims);
	out->layout = nn_image_layout(builder);
	return 0;
}

int nn_build_pool(struct nn_builder *builder, const char *op, const struct nn_build_tensor *x,
		  const struct nn_window *window, const struct nn_quant *quant,
		  struct nn_build_tensor *out)
{
	struct nn_build_tensor image;
	int err = nn_build_image(builder, x, &image);

	if (err)
		return err;
	return nn_build_window(builder, op, &image, 1, window,
			       x->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)], NULL, quant,
			       out);
}
