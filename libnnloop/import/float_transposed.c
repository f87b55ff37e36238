// SPDX-License-Identifier: MIT
/*
 * Transposed convolutions of float32, for importers: a convolution of an image whose pixels are
 * spread, with its window turned around; most of its products are with zeros in between.
 *
 * Of lines with a long window or stride, as those that make sound of a spectrum have, there would be
 * too many of these. The elements of a line that are a stride apart use the same places of the window:
 * one convolution makes all that is between two of them, as channels of one element.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"
#include "import/floats.h"

/* ---- Of an image whose pixels are spread ---- */

/* The image with stride - 1 pixels of 0 behind each but the last, and what is added all around. */
static int spread(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const struct nn_transposed *transposed, const uint32_t kernel[2],
		  struct nn_build_tensor *out)
{
	const uint32_t axes[2] = { nn_image_axis(builder, NN_IMAGE_HEIGHT),
				   nn_image_axis(builder, NN_IMAGE_WIDTH) };
	int64_t stride[2], padding[4];
	const struct nn_attr attrs[] = {
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "padding", .type = NN_ATTR_INTS, .count = 4, .ints = padding },
	};
	struct nn_build_tensor image;
	int err = nn_build_image(builder, x, &image);

	for (int i = 0; i < 2; i++) {
		int64_t extent = (int64_t)transposed->dilation[i] * (kernel[i] - 1);
		int64_t size = ((int64_t)x->dims[axes[i]] - 1) * transposed->stride[i] + 1;

		stride[i] = transposed->stride[i];
		padding[i] = extent - transposed->before[i];
		/* A window ends `extent` behind where it begins. */
		padding[2 + i] = transposed->outputs[i] + extent - size - padding[i];
	}
	if (!err)
		err = nn_build_node(builder, "Spread", &image, 1, attrs, 2, &nn_quant_float, out);
	if (err)
		return err;
	nn_build_keep_layout(out, &image);
	for (int i = 0; i < 2; i++)
		out->dims[axes[i]] = transposed->outputs[i] +
				     transposed->dilation[i] * (kernel[i] - 1);
	return 0;
}

/* Weights as [outputs, inputs of a group, height, width], turned around. */
static int turn_weights(struct nn_builder *builder, const struct nn_float_weights *from,
			uint32_t groups, struct nn_const *values, struct nn_float_weights *out)
{
	uint32_t size = from->height * from->width, of_group = from->outputs / groups;
	uint64_t count = (uint64_t)from->outputs * from->inputs * size;
	float *to = nn_builder_alloc(builder, count, sizeof(*to));

	if (!to)
		return -ENOMEM;
	*values = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = 1, .count = count,
				     .dims = { count }, .data = to };
	*out = *from;
	out->values = values;
	out->column_stride = 1;
	out->row_stride = from->width;
	out->input_stride = size;
	out->output_stride = (uint64_t)size * from->inputs;
	for (uint32_t o = 0; o < from->outputs; o++) {
		for (uint32_t i = 0; i < from->inputs; i++) {
			uint64_t at = (uint64_t)(o / of_group * from->inputs + i) *
					      from->input_stride +
				      o % of_group * from->output_stride;

			for (uint32_t k = size; k-- > 0;)
				*to++ = nn_const_float(from->values,
						       at + k / from->width * from->row_stride +
							       k % from->width *
								       from->column_stride);
		}
	}
	return 0;
}

/* ---- Of lines, a stride at a time ---- */

#define LONG_STRIDE 16u /* from which on that is worth it */

/* Whether it goes along a line only, and how: the windows of the convolution, and their padding. */
static bool find_steps(struct nn_builder *builder, const struct nn_build_tensor *x,
		       const struct nn_float_weights *weights, uint32_t groups,
		       const struct nn_transposed *transposed, struct nn_window *window)
{
	const uint32_t size = x->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)];
	const uint32_t height = x->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)];
	const uint32_t stride = transposed->stride[1];
	uint32_t places = (weights->width + stride - 1) / stride, steps;

	if (stride < LONG_STRIDE || groups != 1 || weights->height != 1 ||
	    transposed->stride[0] != 1 || transposed->before[0] ||
	    transposed->outputs[0] != height || transposed->dilation[1] != 1 ||
	    (uint64_t)stride * weights->outputs > INT32_MAX)
		return false;
	steps = (transposed->before[1] + transposed->outputs[1] + stride - 1) / stride;
	if (steps < size)
		steps = size;
	/* Elements behind the end of the last window are made of padding alone. */
	if (steps - size >= places)
		places = steps - size + 1;
	*window = (struct nn_window){
		.kernel = { 1, places },
		.stride = { 1, 1 },
		.dilation = { 1, 1 },
		.windows = { height, steps },
		.padding = { 0, places - 1, 0, steps - size },
	};
	return true;
}

/*
 * The weights of that convolution, from the last place of its window on: of the original's they are a
 * stride apart, and 0 behind its end.
 */
static int part_weights(struct nn_builder *builder, const struct nn_float_weights *from,
			uint32_t stride, uint32_t places, struct nn_const *values,
			struct nn_float_weights *out)
{
	uint64_t count = (uint64_t)stride * places * from->outputs * from->inputs;
	float *to = count <= INT32_MAX ? nn_builder_alloc(builder, count, sizeof(*to)) : NULL;

	if (count > INT32_MAX)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its weights are too large");
	if (!to)
		return -ENOMEM;
	*values = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = 1, .count = count,
				     .dims = { count }, .data = to };
	*out = *from;
	out->values = values;
	out->outputs = stride * from->outputs;
	out->width = places;
	out->column_stride = 1;
	out->row_stride = out->input_stride = places;
	out->output_stride = (uint64_t)places * from->inputs;
	for (uint32_t o = 0; o < out->outputs; o++) {
		for (uint32_t i = 0; i < from->inputs; i++) {
			for (uint32_t at = places; at-- > 0;) {
				uint32_t k = at * stride + o / from->outputs;

				*to++ = k < from->width ?
						nn_const_float(from->values,
							       i * from->input_stride +
								       o % from->outputs *
									       from->output_stride +
								       k * from->column_stride) :
						0;
			}
		}
	}
	return 0;
}

/* The bias once for each of the outputs that a step makes. */
static int repeat_bias(struct nn_builder *builder, const struct nn_float_weights *from,
		       struct nn_const *bias, struct nn_float_weights *out)
{
	float *to;

	if (!from->bias || from->bias->count != from->outputs)
		return 0;
	to = nn_builder_alloc(builder, out->outputs, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (uint32_t o = 0; o < out->outputs; o++)
		to[o] = nn_const_float(from->bias, o % from->outputs);
	*bias = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = 1, .count = out->outputs,
				   .dims = { out->outputs }, .data = to };
	out->bias = bias;
	return 0;
}

static int build_steps(struct nn_builder *builder, const struct nn_build_tensor *x,
		       const struct nn_float_weights *weights,
		       const struct nn_transposed *transposed, const struct nn_window *window,
		       struct nn_build_tensor *out)
{
	const uint32_t stride = transposed->stride[1];
	struct nn_window whole = { .windows = { window->windows[0], window->windows[1] * stride } };
	struct nn_float_weights parts;
	struct nn_const values, bias;
	struct nn_build_tensor made;
	int err = part_weights(builder, weights, stride, window->kernel[1], &values, &parts);

	if (!err)
		err = repeat_bias(builder, weights, &bias, &parts);
	if (!err)
		err = nn_build_float_conv(builder, x, &parts, 1, window, &made);
	if (!err)
		err = nn_build_stored_reshape(builder, &made, 4,
					      (uint32_t[]){ 0, whole.windows[0], whole.windows[1],
							    weights->outputs },
					      &made);
	if (err)
		return err;
	nn_window_shape(builder, &whole, x, weights->outputs, made.dims);
	made.layout = nn_image_layout(builder);
	return nn_build_slice(builder, &made, nn_image_axis(builder, NN_IMAGE_WIDTH),
			      transposed->before[1], transposed->outputs[1], out);
}

/* Pixels are spread by shorter strides only. */
static int need_short(struct nn_builder *builder, const struct nn_transposed *transposed)
{
	for (int i = 0; i < 2; i++) {
		if (transposed->stride[i] > NN_MAX_WINDOW)
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "its stride is %" PRIu32 "; nnloop knows more than %d "
					       "of lines without groups and dilation only",
					       transposed->stride[i], NN_MAX_WINDOW);
	}
	return 0;
}

int nn_build_float_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			      const struct nn_float_weights *weights, uint32_t groups,
			      const struct nn_transposed *transposed, struct nn_build_tensor *out)
{
	const uint32_t kernel[2] = { weights->height, weights->width };
	struct nn_window window = { .stride = { 1, 1 } }, steps;
	struct nn_float_weights turned;
	struct nn_build_tensor wide;
	struct nn_const values;
	int err;

	if (find_steps(builder, x, weights, groups, transposed, &steps))
		return build_steps(builder, x, weights, transposed, &steps, out);
	err = need_short(builder, transposed);
	if (!err)
		err = turn_weights(builder, weights, groups, &values, &turned);
	for (int i = 0; i < 2; i++) {
		window.kernel[i] = kernel[i];
		window.dilation[i] = transposed->dilation[i];
		window.windows[i] = transposed->outputs[i];
	}
	if (!err)
		err = spread(builder, x, transposed, kernel, &wide);
	return err ? err : nn_build_float_conv(builder, &wide, &turned, groups, &window, out);
}
