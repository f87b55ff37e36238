// SPDX-License-Identifier: MIT
/*
 * DetectionPostProcess: what a single-shot detector says about its anchors, as the best boxes,
 * their classes and scores, of each image. It is TensorFlow Lite's TFLite_Detection_PostProcess,
 * step by step in float32, where that computes in double also in double, and equals of a sort come
 * in the order in which it leaves them. It runs on the host's processor.
 *
 * A box is decoded from four values and its anchor (centre and size, y before x), then boxes are
 * taken by their scores, and those that overlap a better one too much are dropped: per class with
 * use_regular_nms, else by the best class of each box. What TensorFlow Lite leaves as it was in
 * memory, behind the last box, is 0.
 *
 * docs/operators.md:
 * | `DetectionPostProcess` | boxes 8-bit `[rows, N, 4 or more]`, scores 8-bit `[rows, N, classes]`,
 * with one for the background in front or not, anchors float32 `[N, 4]`, a constant |
 * `max_detections`, `max_classes_per_detection`, `num_classes`, `nms_score_threshold`,
 * `nms_iou_threshold`, `y_scale`, `x_scale`, `h_scale`, `w_scale` (all required),
 * `detections_per_class` (100), `use_regular_nms` (0) | float32, D is `max_detections` times
 * `max_classes_per_detection`: boxes `[rows, D, 4]`, classes `[rows, D]`, scores `[rows, D]`, how
 * many there are `[rows]` |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "dsp/kernels/box.h"
#include "dsp/kernels/heap.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES, SCORES, ANCHORS };
enum { OUT_BOXES, OUT_CLASSES, OUT_SCORES, OUT_COUNT, OUTPUTS };

#define MAX_ANCHORS	(1u << 18)
#define MAX_DETECTIONS	(1u << 16)

struct anchor {
	float y, x, h, w;
};

/* A box of a class: index is (box * all classes + class, that of the background counted). */
struct found {
	float score;
	uint32_t index;
};

/* Parameters, checked, and what one image needs. In the plan's pool. */
struct detection {
	uint32_t anchors, box_values, classes, all_classes, offset;
	uint32_t most, most_classes, per_class;
	float score_min, iou_max;
	struct anchor scale;
	bool per_class_suppression;
	float box_real[256], score_real[256]; /* by the stored byte */
	double exp_h[256], exp_w[256];
	struct nn_box *boxes;			/* of each anchor */
	float *scores;				/* of each anchor, for one class or the best */
	float *class_scores;			/* of one box */
	uint32_t *order, *selected, *classes_of;
	struct found *kept, *merged;
};

/* ---- Check */

static int get_number(struct nn_node *node, const char *name, int64_t otherwise, int64_t most,
		      uint32_t *value)
{
	int64_t number = nn_node_get_attr_int(node, name, otherwise);

	if (number < 1 || number > most)
		return nn_node_fail(node, -EINVAL, "%s must be 1 to %lld", name, (long long)most);
	*value = number;
	return 0;
}

static int get_scale(struct nn_node *node, const char *name, float *value)
{
	*value = nn_node_get_float(node, name, 0);
	if (!isfinite(*value) || !*value)
		return nn_node_fail(node, -EINVAL, "%s must be a finite number, and not 0", name);
	return 0;
}

static int get_parameters(struct nn_node *node, struct detection *d)
{
	struct {
		const char *name;
		uint32_t *value;
		int64_t otherwise, most;
	} numbers[] = {
		{ "max_detections", &d->most, 0, MAX_DETECTIONS },
		{ "max_classes_per_detection", &d->most_classes, 0, MAX_DETECTIONS },
		{ "num_classes", &d->classes, 0, MAX_DETECTIONS },
		{ "detections_per_class", &d->per_class, 100, INT32_MAX },
	};
	struct {
		const char *name;
		float *value;
	} scales[] = {
		{ "y_scale", &d->scale.y },
		{ "x_scale", &d->scale.x },
		{ "h_scale", &d->scale.h },
		{ "w_scale", &d->scale.w },
	};
	int error = 0;

	for (uint32_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !error; i++)
		error = get_number(node, numbers[i].name, numbers[i].otherwise, numbers[i].most,
				   numbers[i].value);
	for (uint32_t i = 0; i < sizeof(scales) / sizeof(*scales) && !error; i++)
		error = get_scale(node, scales[i].name, scales[i].value);
	if (error)
		return error;
	d->score_min = nn_node_get_float(node, "nms_score_threshold", NAN);
	if (!isfinite(d->score_min))
		return nn_node_fail(node, -EINVAL, "nms_score_threshold must be a finite number");
	d->iou_max = nn_node_get_float(node, "nms_iou_threshold", 0);
	if (!(d->iou_max > 0) || !(d->iou_max <= 1))
		return nn_node_fail(node, -EINVAL, "nms_iou_threshold must be above 0, and 1 at most");
	d->per_class_suppression = nn_node_get_attr_int(node, "use_regular_nms", 0);
	return 0;
}

static int check_inputs(struct nn_node *node, struct detection *d)
{
	const struct nn_tensor_info *boxes = &node->inputs[BOXES]->info;
	const struct nn_tensor_info *scores = &node->inputs[SCORES]->info;
	const struct nn_tensor_info *anchors = &node->inputs[ANCHORS]->info;
	char text[3][NN_SHAPE_TEXT];
	int error = nn_node_need_8bit(node, boxes, "boxes");

	if (!error)
		error = nn_node_need_8bit(node, scores, "scores");
	if (error)
		return error;
	if (!node->inputs[ANCHORS]->node->data || anchors->type != NN_FLOAT32)
		return nn_node_fail(node, -EINVAL, "anchors must be a constant of float32");
	if (boxes->rank != 3 || boxes->dims[2] < 4 || scores->rank != 3 || anchors->rank != 2 ||
	    anchors->dims[1] != 4 || boxes->dims[1] != scores->dims[1] ||
	    boxes->dims[1] != anchors->dims[0] || boxes->dims[0] != scores->dims[0] ||
	    boxes->level != scores->level)
		return nn_node_fail(
			node, -EINVAL,
			"boxes [rows, N, 4], scores [rows, N, classes] and anchors [N, 4] do not fit: %s, %s and %s",
			nn_info_format_shape(boxes, text[0], sizeof(text[0])),
			nn_info_format_shape(scores, text[1], sizeof(text[1])),
			nn_info_format_shape(anchors, text[2], sizeof(text[2])));
	if (scores->dims[2] != d->classes && scores->dims[2] != (uint64_t)d->classes + 1)
		return nn_node_fail(node, -EINVAL,
				    "there are scores of %u classes, and num_classes is %u",
				    scores->dims[2], d->classes);
	if (boxes->dims[1] > MAX_ANCHORS)
		return nn_node_fail(node, -EOPNOTSUPP, "there are more than %u anchors", MAX_ANCHORS);
	d->anchors = boxes->dims[1];
	d->box_values = boxes->dims[2];
	d->all_classes = scores->dims[2];
	d->offset = d->all_classes - d->classes;
	return 0;
}

static int infer_outputs(struct nn_node *node, const struct detection *d)
{
	uint64_t count = (uint64_t)d->most * d->most_classes;
	const uint32_t dims[OUTPUTS][3] = { { 0, count, 4 }, { 0, count }, { 0, count }, { 0 } };
	static const uint32_t ranks[OUTPUTS] = { 3, 2, 2, 1 };
	int error = 0;

	if (count > INT32_MAX / 16)
		return nn_node_fail(node, -EOPNOTSUPP, "it makes too many boxes");
	for (uint32_t i = 0; i < OUTPUTS && !error; i++)
		error = nn_node_infer_unquantized(node, i, NN_FLOAT32, &node->inputs[BOXES]->info,
						  ranks[i], dims[i]);
	return error;
}

static int allocate(struct nn_node *node, struct detection *d)
{
	d->boxes = nn_node_alloc(node, d->anchors, sizeof(*d->boxes));
	d->scores = nn_node_alloc(node, d->anchors, sizeof(*d->scores));
	d->order = nn_node_alloc(node, 2ull * d->anchors, sizeof(*d->order));
	d->selected = nn_node_alloc(node, d->anchors, sizeof(*d->selected));
	d->classes_of = nn_node_alloc(node, d->classes, sizeof(*d->classes_of));
	d->class_scores = nn_node_alloc(node, d->classes, sizeof(*d->class_scores));
	d->kept = nn_node_alloc(node, d->most, sizeof(*d->kept));
	d->merged = nn_node_alloc(node, d->most, sizeof(*d->merged));
	if (!d->boxes || !d->scores || !d->order || !d->selected || !d->classes_of ||
	    !d->class_scores || !d->kept || !d->merged)
		return -ENOMEM;
	return 0;
}

static int check_detection(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct detection *d = nn_node_make_state(node, sizeof(*d));
	int error;

	(void)graph;
	(void)opaque;
	if (!d)
		return -ENOMEM;
	error = get_parameters(node, d);
	if (!error)
		error = check_inputs(node, d);
	if (!error)
		error = infer_outputs(node, d);
	if (!error)
		error = allocate(node, d);
	if (error)
		return error;
	nn_host_fill_reals(d->box_real, &node->inputs[BOXES]->info);
	nn_host_fill_reals(d->score_real, &node->inputs[SCORES]->info);
	for (uint32_t i = 0; i < 256; i++) {
		d->exp_h[i] = exp((double)d->box_real[i] / (double)d->scale.h);
		d->exp_w[i] = exp((double)d->box_real[i] / (double)d->scale.w);
	}
	return 0;
}

/* ---- Boxes */

static void decode_boxes(const struct detection *d, const uint8_t *stored,
			 const struct anchor *anchors)
{
	for (uint32_t i = 0; i < d->anchors; i++, stored += d->box_values) {
		const struct anchor *anchor = &anchors[i];
		double y = d->box_real[stored[0]], x = d->box_real[stored[1]];
		float centre_y = y / (double)d->scale.y * (double)anchor->h + (double)anchor->y;
		float centre_x = x / (double)d->scale.x * (double)anchor->w + (double)anchor->x;
		float half_h = 0.5 * d->exp_h[stored[2]] * (double)anchor->h;
		float half_w = 0.5 * d->exp_w[stored[3]] * (double)anchor->w;

		d->boxes[i] = (struct nn_box) { centre_y - half_h, centre_x - half_w,
						 centre_y + half_h, centre_x + half_w };
	}
}

/* ---- Order */

/* Indices of scores by these, the greatest first, equals as they were: merges runs that double. */
static const uint32_t *sort_stably(uint32_t *order, uint32_t *other, const float *scores,
				   uint32_t count)
{
	for (uint64_t run = 1; run < count; run *= 2) {
		uint32_t *swap = order;

		for (uint64_t begin = 0; begin < count; begin += 2 * run) {
			uint64_t a = begin, a_end = begin + run < count ? begin + run : count;
			uint64_t b = a_end, b_end = a_end + run < count ? a_end + run : count;

			for (uint64_t to = begin; to < b_end; to++) {
				bool from_b = a == a_end ||
					      (b < b_end && scores[order[b]] > scores[order[a]]);

				other[to] = from_b ? order[b++] : order[a++];
			}
		}
		order = other;
		other = swap;
	}
	return order;
}

/*
 * The best `most` of all classes, the best first: the root is the least of the best so far (the C++
 * library's std::partial_sort). Keys are scores.
 */
static void sort_best_classes(struct nn_heap *heap, uint32_t count, uint32_t most)
{
	for (uint32_t i = 0; i < count; i++)
		heap->at[i] = i;
	heap->count = most;
	nn_heap_make(heap);
	for (uint32_t i = most; i < count; i++) {
		uint32_t other = heap->at[i];

		if (heap->keys[other] <= heap->keys[heap->at[0]])
			continue;
		heap->at[i] = heap->at[0];
		nn_heap_replace(heap, other);
	}
	while (heap->count) {
		uint32_t least = nn_heap_pop(heap, false);

		heap->at[heap->count] = least;
	}
}

/* ---- Suppression */

/*
 * Suppresses boxes by d->scores: those that are left, at most so many, the best first, go to
 * d->selected.
 */
static uint32_t suppress(const struct detection *d, uint32_t most)
{
	uint32_t candidates = 0, count = 0;
	const uint32_t *order;

	for (uint32_t i = 0; i < d->anchors; i++)
		if (d->scores[i] >= d->score_min)
			d->order[candidates++] = i;
	order = sort_stably(d->order, d->order + d->anchors, d->scores, candidates);
	for (uint32_t i = 0; i < candidates && count < most; i++) {
		uint32_t k = 0;

		while (k < count && !(nn_box_overlap(&d->boxes[d->selected[k]],
						     &d->boxes[order[i]]) > d->iou_max))
			k++;
		if (k == count)
			d->selected[count++] = order[i];
	}
	return count;
}

/* The buffers that the results of one image go to. */
struct results {
	struct nn_box *boxes;
	float *classes, *scores, *count;
};

static void write_result(const struct results *to, uint32_t at, const struct nn_box *box,
			 uint32_t class, float score)
{
	to->boxes[at] = *box;
	to->classes[at] = class;
	to->scores[at] = score;
}

/* The fast way takes the best classes of each box, and compares boxes by the best of these. */
static void detect_fast(const struct detection *d, const uint8_t *stored, const struct results *to)
{
	uint32_t most = d->most_classes < d->classes ? d->most_classes : d->classes;
	struct nn_heap heap = { .at = d->classes_of, .keys = d->class_scores, .key_count = d->classes };
	uint32_t count;

	for (uint32_t i = 0; i < d->anchors; i++) {
		const uint8_t *row = stored + (uint64_t)i * d->all_classes + d->offset;

		d->scores[i] = d->score_real[row[0]];
		for (uint32_t c = 1; c < d->classes; c++)
			d->scores[i] = fmaxf(d->scores[i], d->score_real[row[c]]);
	}
	count = suppress(d, d->most);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t box = d->selected[i];

		for (uint32_t c = 0; c < d->classes; c++)
			d->class_scores[c] = d->score_real[stored[(uint64_t)box * d->all_classes +
								  d->offset + c]];
		sort_best_classes(&heap, d->classes, most);
		for (uint32_t k = 0; k < most; k++)
			write_result(to, i * d->most_classes + k, &d->boxes[box], heap.at[k],
				     d->class_scores[heap.at[k]]);
	}
	*to->count = count;
}

/* Adds what suppression left of a class to the best so far, behind its equals there. */
static uint32_t merge(const struct detection *d, uint32_t kept, uint32_t selected, uint32_t class)
{
	uint32_t count = 0, a = 0, b = 0;

	while (count < d->most && (a < kept || b < selected)) {
		bool from_b = a == kept ||
			      (b < selected && d->scores[d->selected[b]] > d->kept[a].score);

		if (!from_b) {
			d->merged[count++] = d->kept[a++];
			continue;
		}
		d->merged[count++] = (struct found) { d->scores[d->selected[b]],
						      d->selected[b] * d->classes + class };
		b++;
	}
	memcpy(d->kept, d->merged, count * sizeof(*d->kept));
	return count;
}

static void detect_per_class(const struct detection *d, const uint8_t *stored,
			     const struct results *to)
{
	uint32_t count = 0;

	for (uint32_t class = 0; class < d->classes; class++) {
		for (uint32_t i = 0; i < d->anchors; i++)
			d->scores[i] = d->score_real[stored[(uint64_t)i * d->all_classes + class +
							    d->offset]];
		count = merge(d, count, suppress(d, d->per_class), class);
	}
	for (uint32_t i = 0; i < count; i++)
		write_result(to, i, &d->boxes[d->kept[i].index / d->classes],
			     d->kept[i].index % d->classes, d->kept[i].score);
	*to->count = count;
}

static int execute_detection(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct detection *d = node->state;
	const uint8_t *boxes = nn_graph_locate(graph, node->inputs[BOXES]);
	const uint8_t *scores = nn_graph_locate(graph, node->inputs[SCORES]);
	uint32_t rows = nn_graph_rows(graph, node->inputs[BOXES]);
	uint32_t places = d->most * d->most_classes;
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
		struct results to = {
			(struct nn_box *)out[OUT_BOXES] + (uint64_t)row * places,
			(float *)out[OUT_CLASSES] + (uint64_t)row * places,
			(float *)out[OUT_SCORES] + (uint64_t)row * places,
			(float *)out[OUT_COUNT] + row,
		};

		decode_boxes(d, boxes, node->inputs[ANCHORS]->node->data);
		(d->per_class_suppression ? detect_per_class : detect_fast)(d, scores, &to);
		boxes += nn_info_row_bytes(&node->inputs[BOXES]->info);
		scores += nn_info_row_bytes(&node->inputs[SCORES]->info);
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "max_detections", .type = NN_ATTR_INT },
	{ .name = "max_classes_per_detection", .type = NN_ATTR_INT },
	{ .name = "detections_per_class", .type = NN_ATTR_INT },
	{ .name = "use_regular_nms", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "nms_score_threshold", .type = NN_ATTR_FLOAT },
	{ .name = "nms_iou_threshold", .type = NN_ATTR_FLOAT },
	{ .name = "num_classes", .type = NN_ATTR_INT },
	{ .name = "y_scale", .type = NN_ATTR_FLOAT },
	{ .name = "x_scale", .type = NN_ATTR_FLOAT },
	{ .name = "h_scale", .type = NN_ATTR_FLOAT },
	{ .name = "w_scale", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_detection_post_process = {
	.name = "DetectionPostProcess",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = OUTPUTS,
	.attrs = attrs,
	.check = check_detection,
	.execute = execute_detection,
};
