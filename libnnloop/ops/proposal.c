// SPDX-License-Identifier: MIT
/*
 * Proposal: turns what a detector says about the cells of a grid into boxes, drops those that
 * overlap, and loops over the boxes that are left.
 *
 * docs/reader.md defines it, in integers. In the first iteration of its loop it works out all
 * boxes of the outer pass, into hidden tensors; its outputs are views of those, so that later
 * iterations need nothing from the host and go down to the device together.
 *
 * docs/operators.md:
 * | `Proposal` | scores, deltas, anchors, image size | `stride`, `delta_zero`, `delta_shift`,
 * `score_min`, `min_size`, `before`, `after`, `iou`, `step` (all required) | boxes int32 `[M,
 * 4]`, their scores uint8 `[M]`, owner int32 `[M]` |
 */
#include "ops/support/check.h"
#include "ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Inputs, and outputs with the hidden tensor that each is a view of. */
enum { SCORES, DELTAS, ANCHORS, IMAGE_SIZE };
enum { BOXES, BOX_SCORES, OWNER, OUTPUTS };

#define MAX_SIZE	4096	/* of anchors (1/16 pixel), images (pixels) and strides */

struct box {
	int32_t y0, x0, y1, x1;
};

struct candidate {
	struct box box;
	uint32_t index;
	uint8_t score;
};

/* Parameters, checked, and what one page needs. In the plan's pool. */
struct proposal {
	uint32_t rows, columns, anchors;	/* of the grid */
	int32_t stride_y, stride_x;
	int32_t image_h, image_w;
	int32_t delta_zero, delta_shift;
	int32_t score_min, min_size;
	uint32_t before, after;
	int64_t iou;
	uint32_t step;
	struct candidate *candidates;		/* one for each anchor of each cell */
	const struct candidate **kept;
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
	proposal->stride_y = stride[0];
	proposal->stride_x = stride[1];
	proposal->delta_zero = value[0];
	proposal->delta_shift = value[1];
	proposal->score_min = value[2];
	proposal->min_size = value[3];
	proposal->before = value[4];
	proposal->after = value[5];
	proposal->iou = value[6];
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

static int check_grid(struct nn_node *node, struct proposal *proposal)
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
	proposal->rows = scores->dims[1];
	proposal->columns = scores->dims[2];
	proposal->anchors = scores->dims[3];
	return 0;
}

/* The hidden tensors have room for all boxes of the largest outer pass. */
static int make_outputs(struct nn_node *node, const struct proposal *proposal)
{
	uint64_t most = (uint64_t)node->inputs[SCORES]->info.dims[0] * proposal->after;
	static const struct nn_tensor_info infos[OUTPUTS] = {
		[BOXES] = { .type = NN_INT32, .rank = 2, .dims = { 0, 4 } },
		[BOX_SCORES] = { .type = NN_UINT8, .rank = 1 },
		[OWNER] = { .type = NN_INT32, .rank = 1 },
	};
	uint32_t i;

	if (most > UINT32_MAX / 16)
		return nn_node_fail(node, -EOVERFLOW,
				    "can have more boxes in a pass than fit in memory");
	node->most_rows = most;
	node->most_trips = most ? most : 1;
	node->hidden = nn_node_alloc(node, OUTPUTS, sizeof(*node->hidden));
	if (!node->hidden)
		return -ENOMEM;
	node->hidden_count = OUTPUTS;
	for (i = 0; i < OUTPUTS; i++) {
		node->hidden[i].info = infos[i];
		node->hidden[i].info.dims[0] = most;
		node->hidden[i].node = node;
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
	uint64_t candidates;
	int error;

	(void)graph;
	(void)opaque;
	if (!proposal)
		return -ENOMEM;
	error = get_parameters(node, proposal);
	if (error)
		return error;
	error = check_grid(node, proposal);
	if (error)
		return error;
	error = check_sizes(node, ANCHORS, proposal->anchors, "anchors");
	if (error)
		return error;
	error = check_sizes(node, IMAGE_SIZE, 1, "image size");
	if (error)
		return error;
	proposal->image_h = ((const int32_t *)node->inputs[IMAGE_SIZE]->node->data)[0];
	proposal->image_w = ((const int32_t *)node->inputs[IMAGE_SIZE]->node->data)[1];

	candidates = nn_info_row_elements(&node->inputs[SCORES]->info);
	proposal->candidates = nn_node_alloc(node, candidates, sizeof(*proposal->candidates));
	proposal->kept = nn_node_alloc(node, proposal->after, sizeof(*proposal->kept));
	if (!proposal->candidates || !proposal->kept)
		return -ENOMEM;
	return make_outputs(node, proposal);
}

/* ---- Boxes */

static int64_t clip(int64_t value, int64_t max)
{
	return value < 0 ? 0 : value > max ? max : value;
}

/* One direction of a box: the edges that cell, anchor and two deltas make. The shift rounds down,
 * also below 0. */
static void find_edges(const struct proposal *proposal, uint32_t cell, int32_t stride,
		       int32_t anchor, int32_t limit, uint8_t delta_centre, uint8_t delta_size,
		       int32_t *low, int32_t *high)
{
	int64_t half = (int64_t)1 << (proposal->delta_shift - 1);
	int64_t centre = (2 * (int64_t)cell + 1) * stride * 8 +
			 (((delta_centre - proposal->delta_zero) * (int64_t)anchor + half) >>
			  proposal->delta_shift);
	int64_t size = anchor + (((delta_size - proposal->delta_zero) * (int64_t)anchor + half) >>
				 proposal->delta_shift);
	int64_t edge;

	if (size < 0)
		size = 0;
	edge = centre - (size >> 1);
	*low = clip(edge, 16 * (int64_t)limit);
	*high = clip(edge + size, 16 * (int64_t)limit);
}

static int64_t area(const struct box *box)
{
	return (int64_t)(box->y1 - box->y0) * (box->x1 - box->x0);
}

static bool overlap_too_much(const struct box *a, const struct box *b, int64_t iou)
{
	int64_t height = (a->y1 < b->y1 ? a->y1 : b->y1) - (a->y0 > b->y0 ? a->y0 : b->y0);
	int64_t width = (a->x1 < b->x1 ? a->x1 : b->x1) - (a->x0 > b->x0 ? a->x0 : b->x0);
	int64_t both = height > 0 && width > 0 ? height * width : 0;

	return both * 256 > iou * (area(a) + area(b) - both);
}

/* The best first; of equals, the first in the grid. */
static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->score != b->score)
		return a->score < b->score ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static uint32_t find_candidates(const struct proposal *proposal, const int32_t *anchors,
				const uint8_t *scores, const uint8_t *deltas)
{
	uint32_t row, column, anchor, index = 0, count = 0;

	for (row = 0; row < proposal->rows; row++)
		for (column = 0; column < proposal->columns; column++)
			for (anchor = 0; anchor < proposal->anchors; anchor++, index++) {
				struct candidate *found = &proposal->candidates[count];
				const uint8_t *delta = &deltas[4 * (size_t)index];
				struct box *box = &found->box;

				if (scores[index] < proposal->score_min)
					continue;
				find_edges(proposal, row, proposal->stride_y, anchors[2 * anchor],
					   proposal->image_h, delta[0], delta[2], &box->y0,
					   &box->y1);
				find_edges(proposal, column, proposal->stride_x,
					   anchors[2 * anchor + 1], proposal->image_w, delta[1],
					   delta[3], &box->x0, &box->x1);
				if (box->y1 - box->y0 < proposal->min_size ||
				    box->x1 - box->x0 < proposal->min_size)
					continue;
				found->index = index;
				found->score = scores[index];
				count++;
			}
	qsort(proposal->candidates, count, sizeof(*proposal->candidates), compare_candidates);
	return count < proposal->before ? count : proposal->before;
}

static uint32_t suppress(const struct proposal *proposal, uint32_t candidates)
{
	uint32_t i, j, kept = 0;

	for (i = 0; i < candidates && kept < proposal->after; i++) {
		const struct candidate *candidate = &proposal->candidates[i];

		for (j = 0; j < kept; j++)
			if (overlap_too_much(&proposal->kept[j]->box, &candidate->box,
					     proposal->iou))
				break;
		if (j == kept)
			proposal->kept[kept++] = candidate;
	}
	return kept;
}

/* All boxes of the outer pass, page by page. */
static void propose(struct nn_graph *graph, struct nn_node *node)
{
	struct proposal *proposal = node->state;
	const struct nn_value *scores = node->inputs[SCORES], *deltas = node->inputs[DELTAS];
	const uint8_t *score = nn_graph_locate(graph, node->inputs[SCORES]);
	const uint8_t *delta = nn_graph_locate(graph, node->inputs[DELTAS]);
	struct box *boxes = nn_graph_locate(graph, &node->hidden[BOXES]);
	uint8_t *box_scores = nn_graph_locate(graph, &node->hidden[BOX_SCORES]);
	int32_t *owner = nn_graph_locate(graph, &node->hidden[OWNER]);
	uint32_t level = scores->info.level, first = 0, page, i;

	if (level)
		first = nn_graph_counts(graph, level)->prev_batches +
			nn_graph_counts(graph, level)->prev_outer_batches;
	proposal->count = 0;
	for (page = 0; page < nn_graph_rows(graph, scores); page++) {
		uint32_t kept = suppress(
			proposal,
			find_candidates(proposal, node->inputs[ANCHORS]->node->data, score, delta));

		for (i = 0; i < kept; i++) {
			boxes[proposal->count] = proposal->kept[i]->box;
			box_scores[proposal->count] = proposal->kept[i]->score;
			owner[proposal->count] = first + page;
			proposal->count++;
		}
		score += nn_info_row_bytes(&scores->info);
		delta += nn_info_row_bytes(&deltas->info);
	}
}

static int execute_proposal(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_loopcounts *counts = nn_loopstack_get_counts(graph);
	struct proposal *proposal = node->state;
	uint32_t left;

	(void)opaque;
	if (!counts->itercount)
		propose(graph, node);
	left = proposal->count - counts->prev_batches;
	return nn_loopstack_push(graph, node, left < proposal->step ? left : proposal->step,
				 proposal->count);
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
};
