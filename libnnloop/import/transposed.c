// SPDX-License-Identifier: MIT
/*
 * Transposed convolutions, for importers. Each is a convolution of an image whose pixels are
 * spread, with its kernel turned around: sums of integers do not depend on their order, so nothing
 * is rounded in another way.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

#include "dsp/program/pack.h"

/* Returns weights as they are read: of input i of a group and output o, from the first on. */
static const uint8_t *find_weights(const struct nn_build_weights *w, uint32_t group, uint32_t o,
				   uint64_t i)
{
	uint32_t of_group = w->outputs / group;

	return (const uint8_t *)w->parameter.values->data +
	       ((uint64_t)(o / of_group) * w->inputs + i) * w->input_stride +
	       (uint64_t)(o % of_group) * w->output_stride;
}

/* The window and the groups have been found to fit: no dimension is 0. */
static int check_extent(struct nn_builder *builder, const struct nn_build_weights *w,
			uint32_t group)
{
	const struct nn_const *values = w->parameter.values;
	uint64_t last;

	if (nn_element_size(values->element) != 1)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its weights are not of 8 bits");
	last = ((uint64_t)group * w->inputs - 1) * w->input_stride +
	       (w->outputs / group - 1) * w->output_stride + (w->height - 1) * w->row_stride +
	       (w->width - 1) * w->column_stride;
	if (last >= values->count || values->count != (uint64_t)w->outputs * w->inputs *
							      w->height * w->width)
		return nn_builder_fail(builder, -EINVAL,
				       "its weights have %" PRIu64
				       " elements, which is not what their shape says",
				       values->count);
	return 0;
}

/* The same weights output after output, each with its last row and column first, inputs last. */
static int turn_weights(struct nn_builder *builder, const struct nn_build_weights *w,
			uint32_t group, struct nn_const *values, struct nn_build_weights *out)
{
	int err = check_extent(builder, w, group);
	uint8_t *to;

	if (err)
		return err;
	*values = *w->parameter.values;
	to = nn_builder_alloc(builder, values->count, 1);
	if (!to)
		return -ENOMEM;
	values->data = to;
	for (uint32_t o = 0; o < w->outputs; o++) {
		for (uint32_t y = w->height; y-- > 0;) {
			for (uint32_t x = w->width; x-- > 0;) {
				for (uint64_t i = 0; i < w->inputs; i++)
					*to++ = find_weights(w, group, o, i)[y * w->row_stride +
									     x * w->column_stride];
			}
		}
	}
	*out = *w;
	out->parameter.values = values;
	out->input_stride = 1;
	out->column_stride = w->inputs;
	out->row_stride = (uint64_t)w->width * w->inputs;
	out->output_stride = out->row_stride * w->height;
	return 0;
}

/* The image whose windows are the outputs; its shape and the window's place. */
static int spread(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const struct nn_transposed *transposed, struct nn_window *window,
		  struct nn_build_tensor *out)
{
	int64_t stride[2], padding[4];
	struct nn_attr attrs[] = {
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "padding", .type = NN_ATTR_INTS, .count = 4, .ints = padding },
	};
	struct nn_build_tensor image;
	uint32_t size[2];
	int err = nn_build_image(builder, x, &image);

	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		uint32_t axis = nn_image_axis(builder, i ? NN_IMAGE_WIDTH : NN_IMAGE_HEIGHT);
		int64_t reach = (int64_t)(window->kernel[i] - 1) * window->dilation[i];
		int64_t pixels = ((int64_t)x->dims[axis] - 1) * transposed->stride[i] + 1;

		size[i] = transposed->outputs[i] + reach;
		if (pixels > INT32_MAX / 2 || transposed->outputs[i] + reach > INT32_MAX / 2)
			return nn_builder_fail(builder, -EOPNOTSUPP, "its output is too large");
		stride[i] = transposed->stride[i];
		padding[i] = reach - transposed->before[i];
		padding[i + 2] = size[i] - padding[i] - pixels;
		window->windows[i] = transposed->outputs[i];
		image.dims[axis] = size[i];
	}
	err = nn_build_node(builder, "Spread", &image, 1, attrs, 2, &x->quant, out);
	memcpy(out->dims, image.dims, sizeof(out->dims));
	nn_build_keep_layout(out, &image);
	return err;
}

/* Sums of 8 bits in the output's quantization: a multiplier for each output. */
static int rescale(struct nn_builder *builder, const struct nn_build_tensor *x,
		   const struct nn_quant *weights, const struct nn_build_tensor *sums,
		   const struct nn_quant *quant, struct nn_build_tensor *out)
{
	uint32_t outputs = sums->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)];
	struct nn_tensor_info info = { .type = NN_INT32, .rank = 2, .dims = { outputs, 2 } };
	int32_t *scales = nn_builder_alloc(builder, outputs, 2 * sizeof(*scales));
	struct nn_build_tensor inputs[2] = { *sums };
	int err;

	if (!scales)
		return -ENOMEM;
	for (uint32_t o = 0; o < outputs; o++) {
		double real = (double)x->quant.scale * (double)nn_quant_scale(weights, o) /
			      (double)quant->scale;
		struct nn_fixed by;

		if (!(real < 0x1p30))
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "the scales of its input, weights and output differ "
					       "too much");
		by = nn_pack_fixed(real);
		scales[2 * o] = by.multiplier;
		scales[2 * o + 1] = by.exponent;
	}
	err = nn_build_const(builder, &info, scales, &inputs[1]);
	if (!err)
		err = nn_build_node(builder, "Rescale", inputs, 2, NULL, 0, quant, out);
	nn_build_keep_layout(out, sums);
	return err;
}

int nn_build_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			const struct nn_build_weights *weights, uint32_t group,
			const struct nn_parameter *bias, const struct nn_transposed *transposed,
			enum nn_transposed_rounding rounding, const char *activation,
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct nn_window window = {
		.stride = { 1, 1 },
		.dilation = { transposed->dilation[0], transposed->dilation[1] },
	};
	static const struct nn_quant sum = { .type = NN_INT32 };
	bool wide = x->quant.type == NN_INT16, twice = rounding == NN_TRANSPOSED_TWICE;
	struct nn_build_tensor image, made;
	struct nn_build_weights turned;
	struct nn_const values;
	int err;

	err = nn_window_set(builder, &window.kernel[0], "height", weights->height);
	if (!err)
		err = nn_window_set(builder, &window.kernel[1], "width", weights->width);
	if (!err)
		err = turn_weights(builder, weights, group, &values, &turned);
	if (!err)
		err = spread(builder, x, transposed, &window, &image);
	if (err)
		return err;
	window.rounding = twice && wide ? "twice" : NULL;
	err = nn_build_conv(builder, &image, &turned, group, bias, &window, activation,
			    twice && !wide ? &sum : quant, &made);
	if (!err && twice && !wide)
		err = rescale(builder, x, weights->parameter.quant, &made, quant, &made);
	*out = made;
	return err;
}
