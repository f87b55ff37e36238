// SPDX-License-Identifier: MIT
/*
 * Transposed convolutions, for importers. Sums of integers do not depend on their order, so nothing
 * is rounded in another way than that of the model.
 *
 * Outputs that are a stride apart are a phase: they use the same places of the kernel, and are an
 * ordinary convolution of the image with these, turned around. Columns of phases that look at the
 * same inputs are outputs of one convolution; others go side by side as channels. What a row of
 * phases makes is a row of the result, so that whole rows are all that is left to bring together.
 *
 * Phases that no place of the kernel makes, and padding of which a convolution knows nothing, are
 * left to Spread: a convolution of an image whose pixels are a stride apart, with zero points in
 * between, of which most products are for nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

#include "dsp/program/fixed.h"
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

/* Places of the kernel in one direction: `count`, from `first` on, one every `step`. */
struct places {
	uint32_t first, count, step;
};

/*
 * The weights of some places, output after output, each with its last row and column first, inputs
 * last: of all outputs, once for each of `columns` places along the row.
 */
static int turn_weights(struct nn_builder *builder, const struct nn_build_weights *w,
			uint32_t group, const struct places *row, const struct places *column,
			uint32_t columns, struct nn_const *values, struct nn_build_weights *out)
{
	uint64_t each = (uint64_t)row->count * column->count * w->inputs;
	uint8_t *to;

	*values = *w->parameter.values;
	values->count = each * w->outputs * columns;
	if (values->count > INT32_MAX)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its weights are too large");
	to = nn_builder_alloc(builder, values->count, 1);
	if (!to)
		return -ENOMEM;
	values->data = to;
	for (uint64_t o = 0; o < (uint64_t)w->outputs * columns; o++) {
		const struct places *at = &column[o / w->outputs];

		for (uint32_t v = row->count; v-- > 0;) {
			for (uint32_t u = at->count; u-- > 0;) {
				uint64_t y = row->first + (uint64_t)v * row->step;
				uint64_t x = at->first + (uint64_t)u * at->step;

				for (uint64_t i = 0; i < w->inputs; i++)
					*to++ = find_weights(w, group, o % w->outputs,
							     i)[y * w->row_stride +
								x * w->column_stride];
			}
		}
	}
	*out = *w;
	out->parameter.values = values;
	out->outputs = w->outputs * columns;
	out->height = row->count;
	out->width = column->count;
	out->input_stride = 1;
	out->column_stride = w->inputs;
	out->row_stride = (uint64_t)out->width * w->inputs;
	out->output_stride = each;
	return 0;
}

/* ---- Phases ---- */

#define MOST_PHASES 64 /* of all outputs; and so of those of a row */

/* A phase in one direction. */
struct side {
	struct places places;
	int64_t before, after; /* padding that its windows need */
};

struct phases {
	uint32_t stride[2];
	uint32_t windows[2]; /* of each phase, rounded up to the most that one of them has */
	uint32_t dilation[2];
	uint32_t more[2]; /* zero points behind the image, beyond the padding of windows */
	struct side sides[2][MOST_PHASES];
};

static uint32_t find_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Finds the phases of one direction of an image of `size` pixels. False if they cannot be made. */
static bool find_sides(const struct nn_transposed *transposed, int i, uint32_t kernel,
		       uint32_t size, struct phases *phases)
{
	uint32_t stride = transposed->stride[i], dilation = transposed->dilation[i];
	uint32_t step = stride / find_divisor(stride, dilation);
	int64_t apart = (int64_t)step * dilation / stride; /* of the places' inputs */

	phases->stride[i] = stride;
	phases->windows[i] = (transposed->outputs[i] + stride - 1) / stride;
	phases->dilation[i] = apart;
	phases->more[i] = 0;
	for (uint32_t p = 0; p < stride; p++) {
		struct side *side = &phases->sides[i][p];
		struct places *places = &side->places;
		int64_t output = (int64_t)p + transposed->before[i], reach, last;

		*places = (struct places){ .step = step };
		while (places->first < kernel &&
		       (output - (int64_t)places->first * dilation) % stride)
			places->first++;
		if (places->first == kernel)
			return false;
		places->count = (kernel - 1 - places->first) / step + 1;
		reach = (places->count - 1) * apart;
		/* The first place has the last input of a window. */
		last = (output - (int64_t)places->first * dilation) / stride;
		side->before = reach - last;
		side->after = phases->windows[i] + last - size;
		if (side->before < 0 || side->before > reach)
			return false;
		if (side->after - reach > phases->more[i])
			phases->more[i] = side->after - reach;
	}
	for (uint32_t p = 0; p < stride; p++) {
		phases->sides[i][p].after -= phases->more[i];
		if (phases->sides[i][p].after < 0)
			return false;
	}
	return true;
}

static bool find_phases(struct nn_builder *builder, const struct nn_transposed *transposed,
			const struct nn_build_tensor *x, const struct nn_build_weights *w,
			struct phases *phases)
{
	const uint32_t *stride = transposed->stride;

	return x->rank == 4 && (uint64_t)stride[0] * stride[1] <= MOST_PHASES &&
	       find_sides(transposed, 0, w->height,
			  x->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)], phases) &&
	       find_sides(transposed, 1, w->width,
			  x->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)], phases);
}

/* How many columns of phases from `first` on look at the same inputs. */
static uint32_t count_like(const struct phases *phases, uint32_t first)
{
	const struct side *sides = phases->sides[1], *side = &sides[first];
	uint32_t end = first + 1;

	while (end < phases->stride[1] && sides[end].places.count == side->places.count &&
	       sides[end].before == side->before)
		end++;
	return end - first;
}

/* `elements` elements of `size` bytes once for each of `columns`. */
static void *repeat(struct nn_builder *builder, const void *data, uint64_t elements, uint32_t size,
		    uint32_t columns)
{
	uint8_t *to = nn_builder_alloc(builder, elements * columns, size);

	for (uint32_t i = 0; i < columns && to; i++)
		memcpy(to + i * elements * size, data, elements * size);
	return to;
}

/* A constant of an element for each output, or of one for all. */
static int repeat_const(struct nn_builder *builder, const struct nn_const *from, uint32_t outputs,
			uint32_t columns, struct nn_const *out)
{
	*out = *from;
	if (from->count != outputs || columns == 1)
		return 0;
	out->rank = 1;
	out->dims[0] = out->count = (uint64_t)outputs * columns;
	out->data = repeat(builder, from->data, outputs, nn_element_size(from->element), columns);
	return out->data ? 0 : -ENOMEM;
}

/* A parameter that has an element for each output: these, once for each of some columns. */
struct repeated {
	struct nn_quant quant;
	struct nn_const values, zero_points;
};

static int repeat_quant(struct nn_builder *builder, uint32_t outputs, uint32_t columns,
			struct repeated *repeated, struct nn_parameter *parameter)
{
	struct nn_quant *quant = &repeated->quant;
	int err = 0;

	if (!parameter->quant || columns == 1)
		return 0;
	*quant = *parameter->quant;
	parameter->quant = quant;
	if (!quant->scales)
		return 0;
	quant->scales = repeat(builder, quant->scales, outputs, sizeof(float), columns);
	if (!quant->scales)
		return -ENOMEM;
	if (quant->zero_points) {
		err = repeat_const(builder, quant->zero_points, outputs, columns,
				   &repeated->zero_points);
		quant->zero_points = &repeated->zero_points;
	}
	return err;
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

/*
 * Sums of 8 bits in the output's quantization: a multiplier for each output. TensorFlow Lite has
 * vectors of eight channels, whose ties go up, and does what is left of them otherwise.
 */
static int rescale(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t channels,
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
		scales[2 * o + 1] = by.exponent + (o % channels < channels / 8 * 8 ? NN_TIES_UP : 0);
	}
	err = nn_build_const(builder, &info, scales, &inputs[1]);
	if (!err)
		err = nn_build_node(builder, "Rescale", inputs, 2, NULL, 0, quant, out);
	nn_build_keep_layout(out, sums);
	return err;
}

/* All that a transposed convolution is made of. */
struct job {
	struct nn_builder *builder;
	const struct nn_build_weights *weights;
	const struct nn_parameter *bias; /* or NULL */
	const struct nn_transposed *transposed;
	const char *activation;
	const struct nn_quant *quant; /* the result's */
	uint32_t group;
	bool twice;
};

/* A convolution of x with some places of the kernel, as above. */
static int build_places(const struct job *job, const struct nn_build_tensor *x,
			struct nn_window *window, const struct places *row,
			const struct places *column, uint32_t columns, struct nn_build_tensor *out)
{
	struct nn_builder *builder = job->builder;
	bool sums = job->twice;
	uint32_t outputs = job->weights->outputs;
	struct repeated of_weights, of_bias;
	struct nn_build_weights turned;
	struct nn_parameter bias;
	struct nn_const values;
	int err = turn_weights(builder, job->weights, job->group, row, column, columns, &values,
			       &turned);

	if (!err)
		err = repeat_quant(builder, outputs, columns, &of_weights, &turned.parameter);
	if (!err && job->bias) {
		bias = *job->bias;
		err = repeat_quant(builder, outputs, columns, &of_bias, &bias);
		if (!err && bias.values)
			err = repeat_const(builder, bias.values, outputs, columns, &of_bias.values);
		if (bias.values)
			bias.values = &of_bias.values;
	}
	if (err)
		return err;
	window->kernel[0] = row->count;
	window->kernel[1] = column->count;
	window->stride[0] = window->stride[1] = 1;
	window->rounding = NULL;
	err = nn_build_conv(builder, x, &turned, job->group, job->bias ? &bias : NULL, window,
			    job->activation, sums ? &nn_quant_int32 : job->quant, out);
	if (!err && sums)
		err = rescale(builder, x, outputs, turned.parameter.quant, out, job->quant, out);
	return err;
}

/* One row of phases: columns of phases are channels of a pixel. */
static int build_row(const struct job *job, const struct nn_build_tensor *x,
		     const struct phases *phases, uint32_t p, struct nn_build_tensor *out)
{
	const struct side *row = &phases->sides[0][p];
	struct nn_build_tensor parts[MOST_PHASES];
	uint32_t count = 0;

	for (uint32_t i = 0, like; i < phases->stride[1]; i += like) {
		const struct side *side = &phases->sides[1][i];
		struct places columns[MOST_PHASES];
		struct nn_window window = {
			.dilation = { phases->dilation[0], phases->dilation[1] },
			.padding = { row->before, side->before, row->after, side->after },
			.windows = { phases->windows[0], phases->windows[1] },
		};
		int err;

		/* Groups want their own outputs side by side. */
		like = job->group == 1 ? count_like(phases, i) : 1;
		for (uint32_t k = 0; k < like; k++)
			columns[k] = side[k].places;
		err = build_places(job, x, &window, &row->places, columns, like, &parts[count++]);
		if (err)
			return err;
	}
	*out = parts[0];
	if (count == 1)
		return 0;
	return nn_build_concat(job->builder, parts, count,
			       nn_image_axis(job->builder, NN_IMAGE_CHANNELS), out);
}

/* Rows of the result, one after another of each row of phases; without what is too much. */
static int join_rows(const struct job *job, const struct phases *phases,
		     const struct nn_build_tensor *rows, struct nn_build_tensor *out)
{
	uint32_t height = phases->windows[0], width = phases->windows[1];
	uint32_t channels = job->weights->outputs, count = phases->stride[0];
	const struct nn_attr axis = { .name = "axis", .type = NN_ATTR_INT, .i = 2 };
	struct nn_window window = { .windows = { height * count, width * phases->stride[1] } };
	struct nn_build_tensor flat[MOST_PHASES], made = rows[0];
	struct nn_builder *builder = job->builder;
	int err = 0;

	for (uint32_t p = 0; p < count && count > 1 && !err; p++)
		err = nn_build_stored_reshape(
			builder, &rows[p], 4,
			(uint32_t[]){ 0, height, 1, window.windows[1] * channels }, &flat[p]);
	if (!err && count > 1)
		err = nn_build_node(builder, "Concat", flat, count, &axis, 1, job->quant, &made);
	if (!err)
		err = nn_build_stored_reshape(
			builder, &made, 4,
			(uint32_t[]){ 0, window.windows[0], window.windows[1], channels }, &made);
	if (err)
		return err;
	nn_window_shape(builder, &window, &rows[0], channels, made.dims);
	made.layout = nn_image_layout(builder);
	err = nn_build_slice(builder, &made, nn_image_axis(builder, NN_IMAGE_HEIGHT), 0,
			     job->transposed->outputs[0], &made);
	return err ? err : nn_build_slice(builder, &made, nn_image_axis(builder, NN_IMAGE_WIDTH), 0,
					  job->transposed->outputs[1], out);
}

static int build_phases(const struct job *job, const struct nn_build_tensor *x,
			const struct phases *phases, struct nn_build_tensor *out)
{
	struct nn_builder *builder = job->builder;
	uint32_t before[4] = { 0 }, after[4] = { 0 };
	struct nn_build_tensor rows[MOST_PHASES], image;
	int err;

	after[nn_image_axis(builder, NN_IMAGE_HEIGHT)] = phases->more[0];
	after[nn_image_axis(builder, NN_IMAGE_WIDTH)] = phases->more[1];
	err = nn_build_image(builder, x, &image);
	if (!err)
		err = nn_build_pad(builder, &image, before, after, "constant", x->quant.zero_point,
				   &image);
	for (uint32_t p = 0; p < phases->stride[0] && !err; p++)
		err = build_row(job, &image, phases, p, &rows[p]);
	return err ? err : join_rows(job, phases, rows, out);
}

static int build_spread(const struct job *job, const struct nn_build_tensor *x,
			struct nn_build_tensor *out)
{
	const struct nn_transposed *transposed = job->transposed;
	const struct places row = { 0, job->weights->height, 1 };
	const struct places column = { 0, job->weights->width, 1 };
	struct nn_window window = {
		.kernel = { row.count, column.count },
		.dilation = { transposed->dilation[0], transposed->dilation[1] },
	};
	struct nn_build_tensor image;
	int err = spread(job->builder, x, transposed, &window, &image);

	return err ? err : build_places(job, &image, &window, &row, &column, 1, out);
}

int nn_build_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			const struct nn_build_weights *weights, uint32_t group,
			const struct nn_parameter *bias, const struct nn_transposed *transposed,
			enum nn_transposed_rounding rounding, const char *activation,
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	const struct job job = {
		.builder = builder,
		.weights = weights,
		.bias = bias,
		.transposed = transposed,
		.activation = activation,
		.quant = quant,
		.group = group,
		.twice = rounding == NN_TRANSPOSED_TWICE,
	};
	struct phases phases;
	uint32_t size;
	int err;

	err = nn_window_set(builder, &size, "height", weights->height, NN_MAX_WINDOW);
	if (!err)
		err = nn_window_set(builder, &size, "width", weights->width, NN_MAX_WINDOW);
	if (!err)
		err = nn_need_image(builder, x);
	if (!err)
		err = check_extent(builder, weights, group);
	if (err)
		return err;
	return find_phases(builder, transposed, x, weights, &phases) ?
		       build_phases(&job, x, &phases, out) :
		       build_spread(&job, x, out);
}
