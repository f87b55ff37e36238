// SPDX-License-Identifier: MIT
/*
 * Resize: images of another height and width, of the nearest pixels or bilinear.
 *
 * docs/operators.md:
 * | `Resize` | images, 8-bit; `linear`, `linear_fixed`: or int16; `linear`: or float32; `nearest`: any
 * | `size` (required: H,W), `mode` (`nearest`, `linear`, `linear_fixed`, `linear_stored`), `coordinates` (`half_pixel`, see below),
 * `round` (`half_down`, `half_up`, `floor`, `ceil`, `ceil_if_smaller`), `scale_height`,
 * `scale_width` (size / size of the images) | as the images; `linear`: 8-bit or int16, scale and
 * zero point as the images unless given; of float32 float32 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FRACTION 2048 /* 1, as a weight of linear_fixed of 8 bits, */
#define WIDE_FRACTION 1024 /* and of int16 */
#define NEAR_HALF 1e-6f /* what ONNX Runtime takes for a half, measured */

enum mode { NEAREST, LINEAR, LINEAR_FIXED, LINEAR_STORED, MODES };

static const char *const mode_names[MODES] = { "nearest", "linear", "linear_fixed",
					       "linear_stored" };

/*
 * The ways in which position i of an output of `size` becomes one of the image; the last three are
 * TensorFlow Lite's, which multiplies where ONNX divides.
 */
enum coordinates {
	HALF_PIXEL,
	HALF_PIXEL_SYMMETRIC,
	PYTORCH_HALF_PIXEL,
	HALF_PIXEL_FOR_NEAREST,
	ASYMMETRIC,
	ALIGN_CORNERS,
	TENSORFLOW,
	TENSORFLOW_HALF_PIXEL,
	TENSORFLOW_ALIGN_CORNERS,
	COORDINATES
};

static const char *const coordinate_names[COORDINATES] = {
	"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "half_pixel_for_nearest",
	"asymmetric", "align_corners", "tensorflow", "tensorflow_half_pixel",
	"tensorflow_align_corners",
};

enum rounding { HALF_DOWN, HALF_UP, FLOOR, CEIL, CEIL_IF_SMALLER, ROUNDINGS };

static const char *const rounding_names[ROUNDINGS] = {
	"half_down", "half_up", "floor", "ceil", "ceil_if_smaller",
};

/* One direction. */
struct axis {
	uint32_t from, to; /* how many pixels */
	float scale;
};

/* The node's state, which check leaves for lower. */
struct resize {
	int mode, coordinates, rounding;
	struct axis axes[2]; /* height, width */
	bool is_wide; /* LINEAR_FIXED of int16 */
	bool is_float; /* LINEAR of float32 */
};

/* The number of a word that an attribute has; an error if it is none of the list. */
static int choose(struct nn_node *node, const char *attr, const char *const *names, int count)
{
	const char *word = nn_node_get_string(node, attr, names[0]);

	for (int i = 0; i < count; i++) {
		if (!strcmp(word, names[i]))
			return i;
	}
	return nn_node_fail(node, -EINVAL, "has no %s \"%s\"", attr, word);
}

static int read_axis(struct nn_node *node, struct axis *axis, uint32_t from, int64_t to,
		     const char *scale)
{
	if (to < 1 || to > UINT16_MAX || from > UINT16_MAX)
		return nn_node_fail(node, -EINVAL,
				    "resizes %" PRIu32 " pixels to %" PRId64 "; 1 to %d can be",
				    from, to, UINT16_MAX);
	axis->from = from;
	axis->to = to;
	axis->scale = nn_node_get_float(node, scale, (float)axis->to / (float)from);
	if (!isnormal(axis->scale) || axis->scale < 0)
		return nn_node_fail(node, -EINVAL, "%s must be a positive number", scale);
	return 0;
}

static int read_attrs(struct nn_node *node, struct resize *resize)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int64_t size[2] = { 0 };
	bool is_tensorflow;
	int error;

	nn_node_get_ints(node, "size", 2, size);
	error = read_axis(node, &resize->axes[0], from->dims[1], size[0], "scale_height");
	if (!error)
		error = read_axis(node, &resize->axes[1], from->dims[2], size[1], "scale_width");
	if (error)
		return error;
	resize->mode = choose(node, "mode", mode_names, MODES);
	if (resize->mode < 0)
		return resize->mode;
	resize->coordinates = choose(node, "coordinates", coordinate_names, COORDINATES);
	if (resize->coordinates < 0)
		return resize->coordinates;
	resize->rounding = choose(node, "round", rounding_names, ROUNDINGS);
	if (resize->rounding < 0)
		return resize->rounding;
	is_tensorflow = resize->coordinates >= TENSORFLOW;
	if (resize->mode != NEAREST && (resize->mode == LINEAR_FIXED) != is_tensorflow)
		return nn_node_fail(node, -EINVAL, "mode %s does not go with coordinates %s",
				    mode_names[resize->mode],
				    coordinate_names[resize->coordinates]);
	return 0;
}

static int check_resize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_tensor_info *to = &node->outputs[0].info;
	struct resize *resize = nn_node_make_state(node, sizeof(*resize));
	uint32_t dims[4] = { 0 };
	int error;

	(void)graph;
	(void)opaque;
	if (!resize)
		return -ENOMEM;
	if (from->rank != 4)
		return nn_node_fail(node, -EINVAL, "needs images of rank 4 (NHWC), not %" PRIu32,
				    from->rank);
	error = read_attrs(node, resize);
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	resize->is_wide = resize->mode == LINEAR_FIXED && from->type == NN_INT16;
	if (resize->mode == LINEAR_STORED)
		error = nn_node_need_bytes(node, from, "input");
	resize->is_float = resize->mode == LINEAR && from->type == NN_FLOAT32;
	if (resize->mode == LINEAR && !resize->is_float) {
		error = nn_node_need_real(node, from, "input");
		if (!error)
			error = nn_node_need_real(node, to, "output");
	}
	if (resize->is_wide) {
		error = nn_node_need_quantized(node, from, "input");
	} else if (resize->mode == LINEAR_FIXED) {
		error = nn_node_need_8bit(node, from, "input");
		if (!error)
			error = nn_node_need_8bit(node, to, "output");
	}
	if (error)
		return error;
	if (resize->mode == LINEAR && !resize->is_float && (!isnormal(from->scale) || !isnormal(to->scale)))
		return nn_node_fail(node, -EOPNOTSUPP, "needs scales of at least 2^-126");
	if ((resize->mode != LINEAR || resize->is_float) && !nn_info_same_quantization(to, from))
		return nn_node_fail(node, -EINVAL, "cannot change type or quantization");
	node->may_be_strided = resize->mode == NEAREST;
	dims[1] = resize->axes[0].to;
	dims[2] = resize->axes[1].to;
	dims[3] = from->dims[3];
	return nn_node_infer_shape(node, 0, from, 4, dims);
}

/* ---- Positions. In float32, each operation rounded, as the runtimes work them out. */

static float position_of(int coordinates, const struct axis *axis, uint32_t i)
{
	float from = axis->from, to = axis->to, scale = axis->scale, at = i;

	switch (coordinates) {
	case HALF_PIXEL_SYMMETRIC:
		return (float)((from / 2 * (1 - to / (scale * from)) + ((double)at + 0.5) / scale) -
			       0.5);
	case PYTORCH_HALF_PIXEL:
		return axis->to > 1 ? (at + 0.5f) / scale - 0.5f : 0;
	case HALF_PIXEL_FOR_NEAREST:
		return (at + 0.5f) / scale;
	case ASYMMETRIC:
		return at / scale;
	case ALIGN_CORNERS:
		return axis->to == 1 ? 0 : at * (from - 1) / (to - 1);
	case TENSORFLOW:
		return at * (from / to);
	case TENSORFLOW_HALF_PIXEL:
		return (at + 0.5f) * (from / to);
	case TENSORFLOW_ALIGN_CORNERS:
		return at * (axis->to > 1 ? (from - 1) / (to - 1) : from / to);
	}
	return (at + 0.5f) / scale - 0.5f;
}

static int32_t round_position(const struct resize *resize, const struct axis *axis, float at)
{
	bool is_half = fabsf(at - (truncf(at) + 0.5f)) < NEAR_HALF;

	switch (resize->coordinates) {
	case TENSORFLOW:
	case TENSORFLOW_HALF_PIXEL:
		return floorf(at);
	case TENSORFLOW_ALIGN_CORNERS:
		return roundf(at);
	}
	switch (resize->rounding) {
	case HALF_DOWN:
		return is_half ? floorf(at) : roundf(at);
	case HALF_UP:
		return is_half ? ceilf(at) : roundf(at);
	case CEIL:
		return ceilf(at);
	case CEIL_IF_SMALLER:
		return axis->scale < 1 ? ceilf(at) : floorf(at);
	}
	return floorf(at);
}

/* A direction whose scale is 1 keeps its pixels by ONNX's definition, whatever the coordinates. */
static bool is_kept(const struct resize *resize, const struct axis *axis)
{
	return resize->coordinates < TENSORFLOW && axis->scale == 1;
}

static void find_nearest(const struct resize *resize, const struct axis *axis, int32_t *near)
{
	int32_t last = axis->from - 1;

	for (uint32_t i = 0; i < axis->to; i++) {
		float at = position_of(resize->coordinates, axis, i);
		int32_t pixel = is_kept(resize, axis) ? (int32_t)i :
							round_position(resize, axis, at);

		near[i] = pixel < 0 ? 0 : pixel > last ? last : pixel;
	}
}

static void find_linear(const struct resize *resize, const struct axis *axis, int32_t *near,
			float *weights)
{
	float last = (float)axis->from - 1;

	for (uint32_t i = 0; i < axis->to; i++) {
		float at = is_kept(resize, axis) ? (float)i :
						   position_of(resize->coordinates, axis, i);

		at = fmaxf(0, fminf(at, last));
		near[i] = (int32_t)at;
		if (at < last) {
			weights[2 * i] = fabsf(at - (float)(near[i] + 1));
			weights[2 * i + 1] = fabsf(at - (float)near[i]);
		} else {
			weights[2 * i] = weights[2 * i + 1] = 0.5f;
		}
	}
}

/* Neighbours and weights in fixed point, found as XNNPACK finds them. */
static void find_fixed(const struct resize *resize, const struct axis *axis, int32_t *near,
		       int32_t *weights)
{
	bool align = resize->coordinates == TENSORFLOW_ALIGN_CORNERS && axis->to > 1;
	float scale = (float)(axis->from - align) / (float)(axis->to - align);
	float offset = resize->coordinates == TENSORFLOW_HALF_PIXEL ? 0.5f * scale - 0.5f : 0;
	float last = (float)axis->from - 1;

	for (uint32_t i = 0; i < axis->to; i++) {
		float at = fmaxf(0, fminf((float)i * scale + offset, last));

		near[i] = (int32_t)at;
		weights[i] = lrintf((at - (float)near[i]) * FRACTION);
	}
}

/* Neighbours and weights of int16, found as TensorFlow Lite's own kernel finds them. */
static void find_wide(const struct resize *resize, const struct axis *axis, int32_t *near,
		      int32_t *weights)
{
	bool align = resize->coordinates == TENSORFLOW_ALIGN_CORNERS && axis->to > 1;
	bool half = resize->coordinates == TENSORFLOW_HALF_PIXEL;
	int64_t from = axis->from - align, to = axis->to - align;
	int64_t scale = (WIDE_FRACTION * from + to / 2) / to, last = axis->from - 1;

	for (uint32_t i = 0; i < axis->to; i++) {
		int64_t at = i * scale + (half ? scale / 2 - WIDE_FRACTION / 2 : 0);

		at = at < 0 ? 0 : at > last * WIDE_FRACTION ? last * WIDE_FRACTION : at;
		near[i] = at / WIDE_FRACTION;
		weights[i] = at % WIDE_FRACTION;
	}
}

/* Adds the constants of a direction: positions, and weights but for nearest. */
static int lower_axis(struct nn_lowering *lowering, const struct resize *resize,
		      const struct axis *axis, int *near, int *weights)
{
	bool is_float = resize->mode != LINEAR_FIXED;
	void *positions, *data = NULL;

	*near = nn_lower_constant(lowering, NN_TYPE_INT32, axis->to, &positions);
	if (*near < 0)
		return *near;
	*weights = 0;
	if (resize->mode != NEAREST)
		*weights = nn_lower_constant(lowering, is_float ? NN_TYPE_FLOAT32 : NN_TYPE_INT32,
					     axis->to * (is_float ? 2 : 1), &data);
	if (*weights < 0)
		return *weights;
	if (!positions)
		return 0;
	if (resize->mode == NEAREST)
		find_nearest(resize, axis, positions);
	else if (is_float)
		find_linear(resize, axis, positions, data);
	else if (resize->is_wide)
		find_wide(resize, axis, positions, data);
	else
		find_fixed(resize, axis, positions, data);
	return 0;
}

static int lower_resize(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct resize *resize = node->state;
	int near[2], weights[2], error = 0;
	struct nn_program_op *op;

	for (int i = 0; i < 2 && !error; i++)
		error = lower_axis(lowering, resize, &resize->axes[i], &near[i], &weights[i]);
	if (error)
		return error;
	error = nn_lower_unary(lowering, node,
			       resize->mode == NEAREST ? NN_OPCODE_RESIZE :
			       resize->is_float ? NN_OPCODE_FLOAT_RESIZE : NN_OPCODE_RESIZE_LINEAR,
			       node->inputs[0], &node->outputs[0], &op);
	if (error)
		return error;
	op->input[1] = near[0];
	op->input[2] = near[1];
	if (resize->mode == NEAREST)
		return 0;
	op->input[3] = weights[0];
	op->input[4] = weights[1];
	if (resize->is_float)
		return 0;
	if (resize->mode == LINEAR) {
		op->resize_linear.scale_input = node->inputs[0]->info.scale;
		op->resize_linear.scale_output = node->outputs[0].info.scale;
	}
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "size", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ .name = "mode", .type = NN_ATTR_STRING },
	{ .name = "coordinates", .type = NN_ATTR_STRING },
	{ .name = "round", .type = NN_ATTR_STRING },
	{ .name = "scale_height", .type = NN_ATTR_FLOAT },
	{ .name = "scale_width", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_resize = {
	.name = "Resize",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_resize,
	.lower = lower_resize,
};
