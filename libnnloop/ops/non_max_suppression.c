// SPDX-License-Identifier: MIT
/*
 * NonMaxSuppression: of boxes and their scores those that no better one overlaps too much, of each
 * item: their indices and scores, the best first, and how many there are. It is TensorFlow Lite's
 * NON_MAX_SUPPRESSION_V5, and V4 where `soft_nms_sigma` is 0: step by step in float32, and equal
 * scores come in the order in which its queue leaves them. dsp/kernels/non_max_suppression.c computes
 * it, with a hidden tensor as room for its work.
 *
 * A box overlaps another by their intersection as a part of their union; its corners are any two
 * that are opposite. What overlaps a better one by `iou_threshold` or more goes; with
 * `soft_nms_sigma` s what does so by less, o, has its score times exp(-o * o / (2 * s)) (Bodla and
 * others, Soft-NMS, 2017), and waits for its turn again. A box that is empty overlaps nothing,
 * itself neither: from its turn on it is there again and again, as with TensorFlow Lite.
 *
 * With `form=onnx` it is ONNX's: a box goes that overlaps a better one by more than `iou_threshold`, of
 * equal scores the least index comes first, and each box is there once. There a box can also be its
 * middle and its lengths (`centers`).
 *
 * docs/operators.md:
 * | `NonMaxSuppression` | boxes 8-bit or float32 `[rows, N, 4]` (two corners, y before x), or
 * without a loop's rows fewer, each for as many of scores; scores 8-bit or float32 `[rows, N]` | `max_output_size` (required): M; `iou_threshold`,
 * `score_threshold` (required): what does not score more goes; `soft_nms_sigma` (0: none); `form`
 * (`tflite`, `onnx`); `centers` (0; 1: x and y of the middle, width, height) | indices int32 `[rows, M]`, scores
 * float32 `[rows, M]`, how many there are int32 `[rows]`; behind the last one 0 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { BOXES, SCORES, INPUTS };
enum { OUT_INDICES, OUT_SCORES, OUT_COUNT, OUTPUTS };

#define MAX_BOXES	(1u << 18)
#define MAX_OUTPUTS	(1u << 16)

/* Rows of the hidden tensor: of each box its key, with how many it was compared, and the heap. */
#define ROOMS		3

static int get_parameters(struct nn_node *node, struct nn_non_max_suppression_params *params)
{
	int64_t most = nn_node_get_attr_int(node, "max_output_size", 0);
	const char *form = nn_node_get_string(node, "form", "tflite");
	float sigma = nn_node_get_float(node, "soft_nms_sigma", 0);

	if (most < 1 || most > MAX_OUTPUTS)
		return nn_node_fail(node, -EINVAL, "max_output_size must be 1 to %u", MAX_OUTPUTS);
	params->iou_max = nn_node_get_float(node, "iou_threshold", NAN);
	if (!(params->iou_max >= 0) || !(params->iou_max <= 1))
		return nn_node_fail(node, -EINVAL, "iou_threshold must be 0 to 1");
	params->score_min = nn_node_get_float(node, "score_threshold", NAN);
	if (!isfinite(params->score_min))
		return nn_node_fail(node, -EINVAL, "score_threshold must be a finite number");
	params->exponent = sigma ? -0.5f / sigma : 0;
	if (strcmp(form, "tflite") && strcmp(form, "onnx"))
		return nn_node_fail(node, -EINVAL, "has no form \"%s\": that is tflite or onnx", form);
	if (!strcmp(form, "onnx")) {
		params->form = NN_SUPPRESSION_ORDERED;
		params->iou_max = nextafterf(params->iou_max, INFINITY);
		if (sigma)
			return nn_node_fail(node, -EINVAL, "has no soft_nms_sigma with form=onnx");
	}
	if (nn_node_get_attr_int(node, "centers", 0))
		params->form |= NN_SUPPRESSION_CENTERS;
	if (!(sigma >= 0) || !isfinite(sigma) || !isfinite(params->exponent))
		return nn_node_fail(node, -EINVAL,
				    "soft_nms_sigma must be 0, or above it and not so small that its inverse is infinite");
	return 0;
}

/* Checks that it is of 8 bits with a scale, or of float32. */
static int check_type(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	int error;

	if (info->type == NN_FLOAT32)
		return 0;
	if (!nn_type_is_8bit(info->type))
		return nn_node_fail(node, -EINVAL, "the %s must be int8, uint8 or float32, not %s", what,
				    nn_data_type_name(info->type));
	error = nn_node_need_8bit(node, info, what);
	if (!error && !isnormal(info->scale))
		error = nn_node_fail(node, -EOPNOTSUPP, "needs scales of at least 2^-126");
	return error;
}

static int check_inputs(struct nn_node *node, struct nn_non_max_suppression_params *params)
{
	const struct nn_tensor_info *boxes = &node->inputs[BOXES]->info;
	const struct nn_tensor_info *scores = &node->inputs[SCORES]->info;
	char text[2][NN_SHAPE_TEXT];
	int error = check_type(node, boxes, "boxes");

	if (!error)
		error = check_type(node, scores, "scores");
	if (error)
		return error;
	if (boxes->rank != 3 || boxes->dims[2] != 4 || scores->rank != 2 ||
	    boxes->dims[1] != scores->dims[1] || boxes->level != scores->level ||
	    (boxes->dims[0] != scores->dims[0] &&
	     (boxes->level || !boxes->dims[0] || scores->dims[0] % boxes->dims[0])))
		return nn_node_fail(node, -EINVAL,
				    "boxes [rows, N, 4] and scores [rows, N] do not fit: %s and %s",
				    nn_info_format_shape(boxes, text[0], sizeof(text[0])),
				    nn_info_format_shape(scores, text[1], sizeof(text[1])));
	if (boxes->dims[1] > MAX_BOXES)
		return nn_node_fail(node, -EOPNOTSUPP, "there are more than %u boxes", MAX_BOXES);
	params->scale_boxes = boxes->scale;
	params->scale_scores = scores->scale;
	return 0;
}

static int infer_outputs(struct nn_node *node)
{
	static const enum nn_data_type types[OUTPUTS] = { NN_INT32, NN_FLOAT32, NN_INT32 };
	const uint32_t dims[2] = { 0, nn_node_get_attr_int(node, "max_output_size", 0) };
	int error = 0;

	for (uint32_t i = 0; i < OUTPUTS && !error; i++)
		error = nn_node_infer_unquantized(node, i, types[i], &node->inputs[SCORES]->info,
						  i == OUT_COUNT ? 1 : 2, dims);
	return error;
}

static int make_room(struct nn_node *node)
{
	node->hidden = nn_node_alloc(node, 1, sizeof(*node->hidden));
	if (!node->hidden)
		return -ENOMEM;
	node->hidden_count = 1;
	node->hidden[0].node = node;
	node->hidden[0].info = (struct nn_tensor_info){
		.name = node->outputs[OUT_INDICES].info.name,
		.type = NN_INT32,
		.rank = 2,
		.dims = { ROOMS, node->inputs[BOXES]->info.dims[1] },
	};
	return 0;
}

static int check_suppression(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_non_max_suppression_params *params = nn_node_make_state(node, sizeof(*params));
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = get_parameters(node, params);
	if (!error)
		error = check_inputs(node, params);
	if (!error)
		error = infer_outputs(node);
	return error ? error : make_room(node);
}

static int lower_suppression(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_value *const operands[] = {
		node->inputs[BOXES],	    node->inputs[SCORES],
		&node->outputs[OUT_INDICES], &node->outputs[OUT_SCORES],
		&node->outputs[OUT_COUNT],   &node->hidden[0],
	};
	int number[sizeof(operands) / sizeof(*operands)];
	struct nn_program_op *op;

	for (uint32_t i = 0; i < sizeof(operands) / sizeof(*operands); i++) {
		number[i] = nn_lower_value(lowering, operands[i]);
		if (number[i] < 0)
			return number[i];
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_NON_MAX_SUPPRESSION);
	if (!op)
		return -ENOMEM;
	for (uint32_t i = 0; i < INPUTS; i++)
		op->input[i] = number[i];
	for (uint32_t i = 0; i <= OUTPUTS; i++)
		op->output[i] = number[INPUTS + i];
	op->non_max_suppression = *(const struct nn_non_max_suppression_params *)node->state;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "max_output_size", .type = NN_ATTR_INT },
	{ .name = "iou_threshold", .type = NN_ATTR_FLOAT },
	{ .name = "score_threshold", .type = NN_ATTR_FLOAT },
	{ .name = "soft_nms_sigma", .type = NN_ATTR_FLOAT },
	{ .name = "form", .type = NN_ATTR_STRING },
	{ .name = "centers", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_non_max_suppression = {
	.name = "NonMaxSuppression",
	.min_inputs = INPUTS,
	.max_inputs = INPUTS,
	.outputs = OUTPUTS,
	.attrs = attrs,
	.check = check_suppression,
	.lower = lower_suppression,
};
