// SPDX-License-Identifier: MIT
/*
 * Proposal: turns what a detector says about the cells of a grid into boxes, drops those that
 * overlap, and loops over the boxes that are left.
 *
 * docs/reader.md defines it, in integers. Before its loop begins the device works out all boxes of
 * the outer pass, into hidden tensors, and how many there are (dsp/kernels/proposal.c). Its outputs
 * are views of those, and its loop has as many rows: where a control program runs the loop, nothing
 * of it needs the host.
 *
 * docs/operators.md:
 * | `Proposal` | scores, deltas, anchors, image size | `stride`, `delta_zero`, `delta_shift`,
 * `score_min`, `min_size`, `before`, `after`, `iou`, `step` (all required) | boxes int32 `[M,
 * 4]`, their scores uint8 `[M]`, owner int32 `[M]` |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/handing.h"
#include "ops.h"

#include <errno.h>

/* Inputs, and outputs with the hidden tensor that each is a view of; one more is their count. */
enum { SCORES, DELTAS, ANCHORS, IMAGE_SIZE };
enum { BOXES, BOX_SCORES, OWNER, OUTPUTS, COUNT = OUTPUTS, HIDDEN };

#define MAX_SIZE	4096	/* of anchors (1/16 pixel), images (pixels) and strides */

/* Parameters, checked. In the plan's pool. */
struct proposal {
	struct nn_proposal_params params;	/* for the device */
	uint32_t step;
	uint32_t count;				/* boxes of this outer pass */
};

/* ---- Check */

static int get_parameter(struct nn_node *node, const char *name, int64_t min, int64_t max,
			 int64_t *value)
{
	if (!nn_node_get_attr(node, name))
		return nn_node_fail(node, -EINVAL, "needs the attribute %s", name);
	*value = nn_node_get_attr_int(node, name, min - 1);
	if (*value < min || *value > max)
		return nn_node_fail(node, -EINVAL, "%s must be %lld to %lld", name, (long long)min,
				    (long long)max);
	return 0;
}

static int get_parameters(struct nn_node *node, struct proposal *proposal)
{
	int64_t stride[2] = { 0 }, value[8];
	static const struct {
		const char *name;
		int64_t min, max;
	} list[8] = {
		{ "delta_zero", 0, 255 }, { "delta_shift", 1, 8 }, { "score_min", 0, 255 },
		{ "min_size", 1, 16 * MAX_SIZE }, { "before", 1, 1 << 20 }, { "after", 1, 1 << 16 },
		{ "iou", 0, 256 }, { "step", 1, UINT32_MAX },
	};
	uint32_t i;
	int error;

	for (i = 0; i < 8; i++) {
		error = get_parameter(node, list[i].name, list[i].min, list[i].max, &value[i]);
		if (error)
			return error;
	}
	nn_node_get_ints(node, "stride", 2, stride);
	if (stride[0] < 1 || stride[0] > MAX_SIZE || stride[1] < 1 || stride[1] > MAX_SIZE)
		return nn_node_fail(node, -EINVAL, "stride must be 1 to %d, down and across",
				    MAX_SIZE);
	proposal->params = (struct nn_proposal_params){
		.stride_y = stride[0],
		.stride_x = stride[1],
		.delta_zero = value[0],
		.delta_shift = value[1],
		.score_min = value[2],
		.min_size = value[3],
		.before = value[4],
		.after = value[5],
		.iou = value[6],
	};
	proposal->step = value[7];
	return 0;
}

/* A constant of `count` pairs of int32 from 1 to MAX_SIZE. */
static int check_sizes(struct nn_node *node, uint32_t input, uint32_t count, const char *what)
{
	const struct nn_value *value = node->inputs[input];
	const int32_t *sizes = value->node->data;
	uint32_t i;

	if (!sizes || value->info.type != NN_INT32 ||
	    nn_info_bytes(&value->info) != 2ull * count * sizeof(*sizes))
		return nn_node_fail(node, -EINVAL, "the %s must be a constant of %u pairs of int32",
				    what, count);
	for (i = 0; i < 2 * count; i++)
		if (sizes[i] < 1 || sizes[i] > MAX_SIZE)
			return nn_node_fail(node, -EINVAL, "the %s must be 1 to %d", what,
					    MAX_SIZE);
	return 0;
}

static int check_grid(struct nn_node *node)
{
	const struct nn_tensor_info *scores = &node->inputs[SCORES]->info,
				    *deltas = &node->inputs[DELTAS]->info;
	char text[2][NN_SHAPE_TEXT];

	if (scores->type != NN_UINT8 || deltas->type != NN_UINT8)
		return nn_node_fail(node, -EINVAL, "scores and deltas must be uint8");
	if (scores->rank != 4 || deltas->rank != 4 || scores->dims[0] != deltas->dims[0] ||
	    scores->level != deltas->level || scores->dims[1] != deltas->dims[1] ||
	    scores->dims[2] != deltas->dims[2] || 4ull * scores->dims[3] != deltas->dims[3])
		return nn_node_fail(
			node, -EINVAL,
			"scores [pages, rows, columns, anchors] and deltas [pages, rows, columns, 4 * anchors] do not fit: %s and %s",
			nn_info_format_shape(scores, text[0], sizeof(text[0])),
			nn_info_format_shape(deltas, text[1], sizeof(text[1])));
	if (nn_info_row_elements(scores) > 1u << 24)
		return nn_node_fail(node, -EOPNOTSUPP, "has more than 2^24 candidates in a page");
	return 0;
}

/* The hidden tensors have room for all boxes of the largest outer pass. */
static int make_outputs(struct nn_node *node, const struct proposal *proposal)
{
	uint64_t most = (uint64_t)node->inputs[SCORES]->info.dims[0] * proposal->params.after;
	static const struct nn_tensor_info infos[HIDDEN] = {
		[BOXES] = { .type = NN_INT32, .rank = 2, .dims = { 0, 4 } },
		[BOX_SCORES] = { .type = NN_UINT8, .rank = 1 },
		[OWNER] = { .type = NN_INT32, .rank = 1 },
		[COUNT] = { .type = NN_INT32, .rank = 1 },
	};
	uint32_t i;

	if (most > UINT32_MAX / 16)
		return nn_node_fail(node, -EOVERFLOW,
				    "can have more boxes in a pass than fit in memory");
	node->most_rows = most;
	node->most_trips = most ? (most - 1) / proposal->step + 1 : 1;
	node->hidden = nn_node_alloc(node, HIDDEN, sizeof(*node->hidden));
	if (!node->hidden)
		return -ENOMEM;
	node->hidden_count = HIDDEN;
	for (i = 0; i < HIDDEN; i++) {
		node->hidden[i].info = infos[i];
		node->hidden[i].info.dims[0] = i == COUNT ? 1 : most;
		node->hidden[i].node = node;
	}
	for (i = 0; i < OUTPUTS; i++) {
		node->hidden[i].info.name = node->outputs[i].info.name;
		node->outputs[i].info = infos[i];
		node->outputs[i].info.name = node->hidden[i].info.name;
		node->outputs[i].info.level = nn_node_level(node);
		node->outputs[i].storage = NN_STORAGE_VIEW;
		node->outputs[i].base = &node->hidden[i];
	}
	return nn_node_set_max_rows(node, most < proposal->step ? most : proposal->step);
}

static int check_proposal(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct proposal *proposal = nn_node_make_state(node, sizeof(*proposal));
	int error;

	(void)graph;
	(void)opaque;
	if (!proposal)
		return -ENOMEM;
	error = get_parameters(node, proposal);
	if (error)
		return error;
	error = check_grid(node);
	if (error)
		return error;
	error = check_sizes(node, ANCHORS, node->inputs[SCORES]->info.dims[3], "anchors");
	if (error)
		return error;
	error = check_sizes(node, IMAGE_SIZE, 1, "image size");
	if (error)
		return error;
	proposal->params.image_h = ((const int32_t *)node->inputs[IMAGE_SIZE]->node->data)[0];
	proposal->params.image_w = ((const int32_t *)node->inputs[IMAGE_SIZE]->node->data)[1];
	return make_outputs(node, proposal);
}

/* ---- Loop */

struct nn_value *nn_proposal_count(const struct nn_node *node)
{
	return &node->hidden[COUNT];
}

static int execute_proposal(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_loopcounts *counts = nn_loopstack_get_counts(graph);
	struct proposal *proposal = node->state;
	uint32_t left;

	(void)opaque;
	if (!counts->itercount) {
		const uint32_t *count = nn_graph_locate(graph, nn_proposal_count(node));

		proposal->count = *count;
	}
	left = proposal->count - counts->prev_batches;
	return nn_loopstack_push(graph, node, left < proposal->step ? left : proposal->step,
				 proposal->count);
}

static int lower_proposal(struct nn_lowering *lowering, struct nn_node *node)
{
	static const uint8_t inputs[] = { SCORES, DELTAS, ANCHORS };
	static const uint8_t outputs[] = { COUNT, BOXES, BOX_SCORES, OWNER };
	const struct proposal *proposal = node->state;
	struct nn_program_op *op;
	int number[sizeof(inputs) + sizeof(outputs)];
	uint32_t i;

	for (i = 0; i < sizeof(number) / sizeof(*number); i++) {
		number[i] = i < sizeof(inputs) ?
				    nn_lower_value(lowering, node->inputs[inputs[i]]) :
				    nn_lower_value(lowering,
						   &node->hidden[outputs[i - sizeof(inputs)]]);
		if (number[i] < 0)
			return number[i];
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_PROPOSAL);
	if (!op)
		return -ENOMEM;
	for (i = 0; i < sizeof(inputs); i++)
		op->input[i] = number[i];
	for (i = 0; i < sizeof(outputs); i++)
		op->output[i] = number[sizeof(inputs) + i];
	op->proposal = proposal->params;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "stride", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	{ .name = "delta_zero", .type = NN_ATTR_INT },
	{ .name = "delta_shift", .type = NN_ATTR_INT },
	{ .name = "score_min", .type = NN_ATTR_INT },
	{ .name = "min_size", .type = NN_ATTR_INT },
	{ .name = "before", .type = NN_ATTR_INT },
	{ .name = "after", .type = NN_ATTR_INT },
	{ .name = "iou", .type = NN_ATTR_INT },
	{ .name = "step", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_proposal = {
	.name = "Proposal",
	.flags = NN_NODE_FLAG_LCN | NN_OP_LOOKS_ONCE,
	.min_inputs = 4,
	.max_inputs = 4,
	.outputs = OUTPUTS,
	.attrs = attrs,
	.check = check_proposal,
	.execute = execute_proposal,
	.lower = lower_proposal,
};
