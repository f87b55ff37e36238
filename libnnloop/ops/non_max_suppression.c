// SPDX-License-Identifier: MIT
/*
 * NonMaxSuppression: of boxes and their scores those that no better one overlaps too much, of each
 * item: their indices and scores, the best first, and how many there are. It is TensorFlow Lite's
 * NON_MAX_SUPPRESSION_V5, and V4 where `soft_nms_sigma` is 0: step by step in float32, and equal
 * scores come in the order in which its queue leaves them. It runs on the host's processor.
 *
 * A box overlaps another by their intersection as a part of their union; its corners are any two
 * that are opposite. What overlaps a better one by `iou_threshold` or more goes; with
 * `soft_nms_sigma` s what does so by less, o, has its score times exp(-o * o / (2 * s)) (Bodla and
 * others, Soft-NMS, 2017), and waits for its turn again. A box that is empty overlaps nothing,
 * itself neither: from its turn on it is there again and again, as with TensorFlow Lite.
 *
 * docs/operators.md:
 * | `NonMaxSuppression` | boxes 8-bit `[rows, N, 4]` (two corners, y before x), scores 8-bit
 * `[rows, N]` | `max_output_size` (required): M; `iou_threshold`, `score_threshold` (required):
 * what does not score more goes; `soft_nms_sigma` (0: none) | indices int32 `[rows, M]`, scores
 * float32 `[rows, M]`, how many there are int32 `[rows]`; behind the last one 0 |
 */
#include "ops/support/box.h"
#include "ops/support/check.h"
#include "ops/support/heap.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

enum { BOXES, SCORES };
enum { OUT_INDICES, OUT_SCORES, OUT_COUNT, OUTPUTS };

#define MAX_BOXES	(1u << 18)
#define MAX_OUTPUTS	(1u << 16)

/* Parameters, checked, and what one item needs, of each box. In the plan's pool. */
struct suppression {
	uint32_t count, most;
	float iou_max, score_min, exponent;	/* exponent 0: nothing is soft */
	float box_real[256], score_real[256];	/* by the stored byte */
	struct nn_box *boxes;
	float *keys;		/* scores, below 0, for the heap */
	uint32_t *seen;		/* with how many of the best it has been compared */
	uint32_t *waiting;
};

/* ---- Check */

static int get_parameters(struct nn_node *node, struct suppression *s)
{
	int64_t most = nn_node_get_attr_int(node, "max_output_size", 0);
	float sigma = nn_node_get_float(node, "soft_nms_sigma", 0);

	if (most < 1 || most > MAX_OUTPUTS)
		return nn_node_fail(node, -EINVAL, "max_output_size must be 1 to %u", MAX_OUTPUTS);
	s->most = most;
	s->iou_max = nn_node_get_float(node, "iou_threshold", NAN);
	if (!(s->iou_max >= 0) || !(s->iou_max <= 1))
		return nn_node_fail(node, -EINVAL, "iou_threshold must be 0 to 1");
	s->score_min = nn_node_get_float(node, "score_threshold", NAN);
	if (!isfinite(s->score_min))
		return nn_node_fail(node, -EINVAL, "score_threshold must be a finite number");
	s->exponent = sigma ? -0.5f / sigma : 0;
	if (!(sigma >= 0) || !isfinite(sigma) || !isfinite(s->exponent))
		return nn_node_fail(node, -EINVAL,
				    "soft_nms_sigma must be 0, or above it and not so small that its inverse is infinite");
	return 0;
}

static int check_inputs(struct nn_node *node, struct suppression *s)
{
	const struct nn_tensor_info *boxes = &node->inputs[BOXES]->info;
	const struct nn_tensor_info *scores = &node->inputs[SCORES]->info;
	char text[2][NN_SHAPE_TEXT];
	int error = nn_node_need_8bit(node, boxes, "boxes");

	if (!error)
		error = nn_node_need_8bit(node, scores, "scores");
	if (error)
		return error;
	if (boxes->rank != 3 || boxes->dims[2] != 4 || scores->rank != 2 ||
	    boxes->dims[1] != scores->dims[1] || boxes->dims[0] != scores->dims[0] ||
	    boxes->level != scores->level)
		return nn_node_fail(node, -EINVAL,
				    "boxes [rows, N, 4] and scores [rows, N] do not fit: %s and %s",
				    nn_info_format_shape(boxes, text[0], sizeof(text[0])),
				    nn_info_format_shape(scores, text[1], sizeof(text[1])));
	if (boxes->dims[1] > MAX_BOXES)
		return nn_node_fail(node, -EOPNOTSUPP, "there are more than %u boxes", MAX_BOXES);
	s->count = boxes->dims[1];
	return 0;
}

static int infer_outputs(struct nn_node *node, const struct suppression *s)
{
	static const enum nn_data_type types[OUTPUTS] = { NN_INT32, NN_FLOAT32, NN_INT32 };
	const uint32_t dims[2] = { 0, s->most };
	int error = 0;

	for (uint32_t i = 0; i < OUTPUTS && !error; i++)
		error = nn_node_infer_unquantized(node, i, types[i], &node->inputs[BOXES]->info,
						  i == OUT_COUNT ? 1 : 2, dims);
	return error;
}

static int check_suppression(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct suppression *s = nn_node_make_state(node, sizeof(*s));
	int error;

	(void)graph;
	(void)opaque;
	if (!s)
		return -ENOMEM;
	error = get_parameters(node, s);
	if (!error)
		error = check_inputs(node, s);
	if (!error)
		error = infer_outputs(node, s);
	if (error)
		return error;
	nn_host_fill_reals(s->box_real, &node->inputs[BOXES]->info);
	nn_host_fill_reals(s->score_real, &node->inputs[SCORES]->info);
	s->boxes = nn_node_alloc(node, s->count, sizeof(*s->boxes));
	s->keys = nn_node_alloc(node, s->count, sizeof(*s->keys));
	s->seen = nn_node_alloc(node, s->count, sizeof(*s->seen));
	s->waiting = nn_node_alloc(node, s->count, sizeof(*s->waiting));
	return s->boxes && s->keys && s->seen && s->waiting ? 0 : -ENOMEM;
}

/* ---- Execute */

/* Makes a box from two corners that are opposite. */
static struct nn_box make_box(const struct suppression *s, const uint8_t stored[4])
{
	float y0 = s->box_real[stored[0]], x0 = s->box_real[stored[1]];
	float y1 = s->box_real[stored[2]], x1 = s->box_real[stored[3]];

	return (struct nn_box) { fminf(y0, y1), fminf(x0, x1), fmaxf(y0, y1), fmaxf(x0, x1) };
}

/*
 * Weighs what is left of a box's score beside the best so far that it was not yet compared with;
 * nothing, if it overlaps one too much. The last of these are most likely to.
 */
static bool weigh(const struct suppression *s, uint32_t box, const int32_t *best, uint32_t count,
		  float *score)
{
	for (uint32_t i = count; i-- > s->seen[box] && *score > s->score_min;) {
		float overlap = nn_box_overlap(&s->boxes[box], &s->boxes[best[i]]);

		if (overlap >= s->iou_max)
			return false;
		if (s->exponent)
			*score *= expf(s->exponent * overlap * overlap);
	}
	return *score > s->score_min;
}

static uint32_t suppress(const struct suppression *s, int32_t *indices, float *scores)
{
	struct nn_heap heap = { .at = s->waiting, .keys = s->keys };
	uint32_t most, count = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		s->seen[i] = 0;
		if (-s->keys[i] > s->score_min)
			nn_heap_push(&heap, i);
	}
	most = heap.count < s->most ? heap.count : s->most;
	while (count < most && heap.count) {
		uint32_t box = nn_heap_pop(&heap);
		float score = -s->keys[box];

		if (!weigh(s, box, indices, count, &score))
			continue;
		s->seen[box] = count;
		if (score == -s->keys[box]) {
			indices[count] = box;
			scores[count++] = score;
		}
		/* One of the best, too: it overlaps itself, unless it is empty. */
		s->keys[box] = -score;
		nn_heap_push(&heap, box);
	}
	return count;
}

static int execute_suppression(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct suppression *s = node->state;
	const uint8_t *boxes = nn_graph_locate(graph, node->inputs[BOXES]);
	const uint8_t *scores = nn_graph_locate(graph, node->inputs[SCORES]);
	uint32_t rows = nn_graph_rows(graph, node->inputs[BOXES]);
	void *out[OUTPUTS];
	int error;

	(void)opaque;
	if (!rows)
		return 0;
	if (!boxes || !scores)
		return nn_host_deny(node);
	error = nn_host_clear_outputs(graph, node, rows, out);
	if (error)
		return error;
	for (uint32_t row = 0; row < rows; row++) {
		int32_t *count = (int32_t *)out[OUT_COUNT] + row;
		uint64_t first = (uint64_t)row * s->most;

		for (uint32_t i = 0; i < s->count; i++, boxes += 4, scores++) {
			s->boxes[i] = make_box(s, boxes);
			s->keys[i] = -s->score_real[*scores];
		}
		*count = suppress(s, (int32_t *)out[OUT_INDICES] + first,
				  (float *)out[OUT_SCORES] + first);
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "max_output_size", .type = NN_ATTR_INT },
	{ .name = "iou_threshold", .type = NN_ATTR_FLOAT },
	{ .name = "score_threshold", .type = NN_ATTR_FLOAT },
	{ .name = "soft_nms_sigma", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_non_max_suppression = {
	.name = "NonMaxSuppression",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = OUTPUTS,
	.attrs = attrs,
	.check = check_suppression,
	.execute = execute_suppression,
};
