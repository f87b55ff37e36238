// SPDX-License-Identifier: MIT
/*
 * NON_MAX_SUPPRESSION: boxes [rows, N, 4], or one row of level 0 for all, or of level 0 fewer rows, of
 * which each is for as many rows of scores; and scores [rows, N], of 8 bits or FLOAT32; outputs: indices INT32 [rows, M], their scores FLOAT32 [rows, M], how many
 * there are INT32 [rows], and room for work, INT32 [3, N] of level 0, of which nobody reads anything.
 * libnnloop/ops/non_max_suppression.c defines it.
 *
 * The room is the client's memory: whatever is read from there may be anything, hence every index
 * is compared with N.
 */
#include "dsp/kernels/box.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/float.h"
#include "dsp/kernels/heap.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/reals.h"

#define MOST_BOXES	(1u << 18)
#define MOST_RESULTS	(1u << 16)
#define PIECE		1024	/* scores that are looked at, and so many packets for each */
#define SCAN_WORK	8
#define HEAP_WORK	512	/* a box that enters the heap, or leaves it */
#define BOX_WORK	128
#define OVERLAP_WORK	448	/* most of it a division */

enum { BOXES, SCORES, INPUTS };
enum { OUT_INDICES, OUT_SCORES, OUT_COUNT, ROOM, OUTPUTS };
enum { KEYS, SEEN, WAITING, ROOMS };

/* The reals that 8 bits stand for, in scratch memory. */
struct reals {
	float box[256], score[256];
};

/* The boxes of one item, and what has come of them. */
struct item {
	struct progress progress;
	const struct nn_non_max_suppression_params *params;
	const struct reals *real;
	const uint8_t *boxes, *scores;
	bool boxes_are_reals, scores_are_reals;
	bool are_other_boxes;		/* than two corners of 8 bits */
	bool is_ordered;
	uint32_t box_count;
	float *keys;			/* scores, below 0, for the heap */
	uint32_t *seen;			/* with how many of the best it has been compared */
	struct nn_heap heap;
	uint32_t *best;			/* indices, */
	float *best_scores;
	uint32_t best_count;
};

static bool is_finite(float x)
{
	return (bits_of_float(x) & 0x7fffffff) < 0x7f800000;
}

/* Rows of scores that a row of boxes is for; 0: they do not fit. */
static uint32_t rows_of_boxes(const struct nn_tensor *boxes, const struct nn_tensor *scores)
{
	if (same_rows(boxes, scores))
		return 1;
	if (boxes->level || !boxes->dims[0])
		return 0;
	if (boxes->dims[0] == 1)
		return UINT32_MAX;
	return scores->level || scores->dims[0] % boxes->dims[0] ? 0 :
								   scores->dims[0] / boxes->dims[0];
}

enum nn_program_reason nn_non_max_suppression_check(const struct nn_call *call)
{
	const struct nn_non_max_suppression_params *params = &call->op->non_max_suppression;
	const struct nn_tensor *boxes = &call->input[BOXES], *scores = &call->input[SCORES];
	const struct nn_tensor *output = call->output;

	if (!operands_are(call, INPUTS, OUTPUTS) || !(is_8bit(boxes) || is_float(boxes)) ||
	    !(is_8bit(scores) || is_float(scores)) ||
	    output[OUT_INDICES].type != NN_TYPE_INT32 || !is_float(&output[OUT_SCORES]) ||
	    output[OUT_COUNT].type != NN_TYPE_INT32 || output[ROOM].type != NN_TYPE_INT32)
		return NN_REASON_OPERAND;
	if (!is_finite(params->iou_max) || !is_finite(params->score_min) ||
	    !is_finite(params->exponent) || params->exponent > 0 ||
	    params->form >= NN_SUPPRESSION_FORMS ||
	    (params->form & NN_SUPPRESSION_ORDERED && params->exponent != 0) ||
	    (!is_float(boxes) && !is_scale(params->scale_boxes)) ||
	    (!is_float(scores) && !is_scale(params->scale_scores)))
		return NN_REASON_PARAMETER;
	if (boxes->rank != 3 || boxes->dims[2] != 4 || scores->rank != 2 ||
	    boxes->dims[1] != scores->dims[1] || boxes->dims[1] > MOST_BOXES ||
	    output[OUT_INDICES].rank != 2 || output[OUT_INDICES].dims[1] > MOST_RESULTS ||
	    !same_dims(&output[OUT_INDICES], &output[OUT_SCORES]) || output[OUT_COUNT].rank != 1)
		return NN_REASON_SHAPE;
	if (!rows_of_boxes(boxes, scores) || !same_rows(scores, &output[OUT_INDICES]) ||
	    !same_rows(scores, &output[OUT_COUNT]) || output[ROOM].rank != 2 ||
	    output[ROOM].level || output[ROOM].dims[0] != ROOMS ||
	    output[ROOM].dims[1] != boxes->dims[1])
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* ---- Soft suppression */

/* 2^(i / 32), less i / 32 in the exponent. */
static const uint64_t powers[32] = {
	0x3ff0000000000000, 0x3fefd9b0d3158574, 0x3fefb5586cf9890f, 0x3fef9301d0125b51,
	0x3fef72b83c7d517b, 0x3fef54873168b9aa, 0x3fef387a6e756238, 0x3fef1e9df51fdee1,
	0x3fef06fe0a31b715, 0x3feef1a7373aa9cb, 0x3feedea64c123422, 0x3feece086061892d,
	0x3feebfdad5362a27, 0x3feeb42b569d4f82, 0x3feeab07dd485429, 0x3feea47eb03a5585,
	0x3feea09e667f3bcd, 0x3fee9f75e8ec5f74, 0x3feea11473eb0187, 0x3feea589994cce13,
	0x3feeace5422aa0db, 0x3feeb737b0cdc5e5, 0x3feec49182a3f090, 0x3feed503b23e255d,
	0x3feee89f995ad3ad, 0x3feeff76f2fb5e47, 0x3fef199bdd85529c, 0x3fef3720dcef9069,
	0x3fef5818dcfba487, 0x3fef7c97337b9b5f, 0x3fefa4afa2a490da, 0x3fefd0765b6e4540,
};

/*
 * exp(x) of x <= 0 as GNU's C library computes it, by which TensorFlow Lite does: 2^(k / 32) with k
 * the nearest to 32 x / ln 2, times a polynomial of the rest, in double; rounded once.
 */
static float exponential(float x)
{
	const double to_integer = 0x1.8p52;
	double z, whole, rest, square, sum;
	uint64_t k, power;

	if (x < -104)
		return 0;
	z = 0x1.71547652b82fep+0 * 32 * (double)x;
	whole = z + to_integer;
	k = bits_of_real(whole);
	rest = z - (whole - to_integer);
	power = powers[k % 32] + (k << 47);
	sum = 0x1.c6af84b912394p-5 / 32768 * rest + 0x1.ebfce50fac4f3p-3 / 1024;
	square = rest * rest;
	sum = sum * square + (0x1.62e42ff0c52d6p-1 / 32 * rest + 1);
	return (float)(sum * (union real_bits){ .bits = power }.value);
}

/* ---- One item */

static inline struct nn_box from_corners(float y0, float x0, float y1, float x1)
{
	return (struct nn_box){ nn_box_lesser(y0, y1), nn_box_lesser(x0, x1),
				nn_box_greater(y0, y1), nn_box_greater(x0, x1) };
}

/* Makes a box of float32, or one that is its middle and its lengths. */
static struct nn_box __attribute__((noinline)) make_other_box(const struct item *item, uint32_t index)
{
	const float *real = (const float *)item->boxes + 4 * index;
	float at[4];

	for (uint32_t i = 0; i < 4; i++)
		at[i] = item->boxes_are_reals ? real[i] :
						item->real->box[item->boxes[4 * index + i]];
	if (item->params->form & NN_SUPPRESSION_CENTERS) {
		float width = at[2] / 2, height = at[3] / 2;

		return (struct nn_box){ at[1] - height, at[0] - width, at[1] + height,
					at[0] + width };
	}
	return from_corners(at[0], at[1], at[2], at[3]);
}

/* Makes a box from two corners that are opposite, of 8 bits, or in another way: that is known. */
static inline struct nn_box make_box(const struct item *item, uint32_t index, bool is_other)
{
	const uint32_t known = index < item->box_count ? index : 0;
	const uint8_t *stored = item->boxes + 4 * known;
	const float *real = item->real->box;

	if (is_other)
		return make_other_box(item, known);
	return from_corners(real[stored[0]], real[stored[1]], real[stored[2]], real[stored[3]]);
}

/*
 * Weighs what is left of a box's score beside the best so far that it was not yet compared with;
 * nothing, if it overlaps one too much, and then *stays is false. The last of these are most likely
 * to.
 */
static inline int weigh_boxes(struct item *item, uint32_t index, float *score, bool *stays,
			      bool are_others)
{
	const struct nn_non_max_suppression_params *params = item->params;
	struct nn_box box = make_box(item, index, are_others);

	*stays = false;
	for (uint32_t i = item->best_count;
	     i-- > item->seen[index] && *score > params->score_min;) {
		struct nn_box other = make_box(item, item->best[i], are_others);
		float overlap = nn_box_overlap(&box, &other);
		int ret = progress_add(&item->progress, OVERLAP_WORK + BOX_WORK);

		if (ret || overlap >= params->iou_max)
			return ret;
		if (params->exponent != 0) {
			ret = progress_add(&item->progress, REAL_WORK);
			*score *= exponential(params->exponent * overlap * overlap);
		}
		if (ret || !float_is_number(*score))
			return ret;
	}
	*stays = *score > params->score_min;
	return 0;
}

static int weigh(struct item *item, uint32_t index, float *score, bool *stays)
{
	return item->are_other_boxes ? weigh_boxes(item, index, score, stays, true) :
				       weigh_boxes(item, index, score, stays, false);
}

/* Puts all boxes into the heap whose scores are above the least; what the scores are is known. */
static inline int list_scores(struct item *item, bool are_reals, bool is_ordered)
{
	const float *real = are_reals ? (const float *)item->scores : item->real->score;
	const float least = item->params->score_min;

	for (uint32_t i = 0; i < item->box_count; i++) {
		float score = real[are_reals ? i : item->scores[i]];
		int ret = i % PIECE ? 0 :
				      progress_add(&item->progress, PIECE * SCAN_WORK +
							memory_work(PIECE));

		if (!ret && score > least) {
			ret = progress_add(&item->progress, HEAP_WORK);
			item->seen[i] = 0;
			item->keys[i] = -score;
			nn_heap_push(&item->heap, i, is_ordered);
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int list_candidates(struct item *item)
{
	if (item->is_ordered)
		return item->scores_are_reals ? list_scores(item, true, true) :
						list_scores(item, false, true);
	return item->scores_are_reals ? list_scores(item, true, false) :
					list_scores(item, false, false);
}

static int suppress(struct item *item, uint32_t most)
{
	int ret = list_candidates(item);

	if (item->heap.count < most)
		most = item->heap.count;
	while (!ret && item->best_count < most && item->heap.count) {
		uint32_t index = item->is_ordered ? nn_heap_pop(&item->heap, true) :
						    nn_heap_pop(&item->heap, false);
		float key = item->keys[index], score = -key;
		bool stays;

		ret = progress_add(&item->progress, 2 * HEAP_WORK + BOX_WORK);
		if (!ret)
			ret = weigh(item, index, &score, &stays);
		if (ret || !stays)
			continue;
		item->seen[index] = item->best_count;
		if (score == -key) {
			item->best[item->best_count] = index;
			item->best_scores[item->best_count++] = score;
		}
		/* One of the best, too: it overlaps itself, unless it is empty. */
		if (item->is_ordered)
			continue;
		item->keys[index] = -score;
		nn_heap_push(&item->heap, index, false);
	}
	return ret;
}

static void fill_reals(float real[256], const struct nn_tensor *tensor, float scale)
{
	for (int32_t i = 0; i < 256; i++) {
		int32_t stored = tensor->type == NN_TYPE_INT8 ? (int8_t)i : i;

		real[i] = (float)(stored - tensor->zero_point) * scale;
	}
}

static int clear(struct progress *progress, const struct nn_tensor *output)
{
	return progress_fill(progress, output->data, 0, output->bytes);
}

/*
 * The DSP has no vectors for this: boxes are compared with those before them, one after the other.
 */
int nn_non_max_suppression_portable(const struct nn_call *call)
{
	const struct nn_tensor *boxes = &call->input[BOXES], *scores = &call->input[SCORES];
	const struct nn_tensor *output = call->output;
	const uint32_t most = output[OUT_INDICES].dims[1], count = boxes->dims[1];
	const uint32_t rows_of_one = rows_of_boxes(boxes, scores);
	struct reals *real = (struct reals *)call->scratch;
	float *room = (float *)output[ROOM].data;
	struct item item = {
		.progress.call = call,
		.params = &call->op->non_max_suppression,
		.real = real,
		.boxes_are_reals = is_float(boxes),
		.are_other_boxes = is_float(boxes) ||
				   call->op->non_max_suppression.form & NN_SUPPRESSION_CENTERS,
		.scores_are_reals = is_float(scores),
		.is_ordered = call->op->non_max_suppression.form & NN_SUPPRESSION_ORDERED,
		.box_count = count,
		.keys = room + (uint64_t)KEYS * count,
		.seen = (uint32_t *)(room + (uint64_t)SEEN * count),
	};
	int ret = clear(&item.progress, &output[OUT_INDICES]);

	if (!ret)
		ret = clear(&item.progress, &output[OUT_SCORES]);
	fill_reals(real->box, boxes, item.params->scale_boxes);
	fill_reals(real->score, scores, item.params->scale_scores);
	for (uint32_t row = 0; row < scores->dims[0] && !ret; row++) {
		item.boxes = boxes->data + row / rows_of_one * boxes->row_bytes;
		item.scores = scores->data + row * scores->row_bytes;
		item.best = (uint32_t *)output[OUT_INDICES].data + (uint64_t)row * most;
		item.best_scores = (float *)output[OUT_SCORES].data + (uint64_t)row * most;
		item.best_count = 0;
		item.heap = (struct nn_heap){
			.at = (uint32_t *)room + (uint64_t)WAITING * count,
			.keys = item.keys,
			.key_count = count,
		};
		ret = progress_add(&item.progress, BOX_WORK);
		if (!ret)
			ret = suppress(&item, most);
		((uint32_t *)output[OUT_COUNT].data)[row] = item.best_count;
	}
	return ret;
}
