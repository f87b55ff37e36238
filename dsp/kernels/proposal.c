// SPDX-License-Identifier: MIT
/*
 * PROPOSAL: scores UINT8 [P, H, W, A], deltas UINT8 [P, H, W, 4 A], anchors INT32 of 2 A elements;
 * outputs of level 0: count INT32 [1], boxes INT32 [M, 4], their scores UINT8 [M], owner INT32 [M].
 * docs/reader.md defines it. Boxes of all pages are one behind the other; the owner of one of page
 * p is out_first[K] + p, K the pages' level (0 in level 0). Rows behind the last box stay as they
 * are, and boxes for which there is no room are left out. At most 2^24 anchors of a page.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

#define MOST_SIZE	4096	/* of images in pixels, and strides */
#define SCAN_WORK	8	/* of a score that is looked at, */
#define PIECE		1024	/* so many of them at a time */
#define BOX_WORK	200
#define OVERLAP_WORK	24
#define FAR		(1 << 24)

enum { SCORES, DELTAS, ANCHORS, INPUTS };
enum { COUNT, BOXES, BOX_SCORES, OWNER, OUTPUTS };

/* y0, x0, y1, x1 */
struct box {
	int32_t edge[4];
};

/* A page that is looked at, and the boxes that have come of it. */
struct page {
	struct progress progress;
	const struct nn_proposal_params *params;
	const uint8_t *scores, *deltas;
	const int32_t *anchors;
	uint32_t columns, anchor_count, candidates;
	uint32_t *waiting;		/* indices, in scratch memory, */
	uint32_t room;			/* for so many */
	struct box *kept;		/* in the output, where there is room for `most` */
	uint32_t kept_count, most;
	uint32_t seen;			/* candidates that count */
};

static bool params_are_valid(const struct nn_proposal_params *params)
{
	return params->stride_y - 1 < MOST_SIZE && params->stride_x - 1 < MOST_SIZE &&
	       params->image_h - 1 < MOST_SIZE && params->image_w - 1 < MOST_SIZE &&
	       params->delta_zero <= UINT8_MAX && params->delta_shift - 1 < 8 &&
	       params->score_min <= UINT8_MAX && params->min_size - 1 < 16 * MOST_SIZE &&
	       params->before && params->after && params->iou <= 256;
}

static bool is_list(const struct nn_tensor *output, uint32_t rows)
{
	return !output->level && output->dims[0] == rows;
}

enum nn_program_reason nn_proposal_check(const struct nn_call *call)
{
	const struct nn_tensor *scores = &call->input[SCORES], *deltas = &call->input[DELTAS];
	const struct nn_tensor *anchors = &call->input[ANCHORS], *output = call->output;

	if (!operands_are(call, INPUTS, OUTPUTS) || scores->type != NN_TYPE_UINT8 ||
	    deltas->type != NN_TYPE_UINT8 || anchors->type != NN_TYPE_INT32 ||
	    output[COUNT].type != NN_TYPE_INT32 || output[BOXES].type != NN_TYPE_INT32 ||
	    output[BOX_SCORES].type != NN_TYPE_UINT8 || output[OWNER].type != NN_TYPE_INT32)
		return NN_REASON_OPERAND;
	if (!params_are_valid(&call->op->proposal))
		return NN_REASON_PARAMETER;
	if (scores->rank != 4 || deltas->rank != 4 || !same_rows(scores, deltas) ||
	    scores->dims[1] != deltas->dims[1] || scores->dims[2] != deltas->dims[2] ||
	    4ull * scores->dims[3] != deltas->dims[3] || scores->row_bytes > 1u << 24 ||
	    anchors->level || anchors->bytes != 8ull * scores->dims[3])
		return NN_REASON_SHAPE;
	if (output[COUNT].rank != 1 || output[BOXES].rank != 2 || output[BOXES].dims[1] != 4 ||
	    output[BOX_SCORES].rank != 1 || output[OWNER].rank != 1 ||
	    !is_list(&output[COUNT], 1) || !is_list(&output[BOXES], output[BOXES].dims[0]) ||
	    !is_list(&output[BOX_SCORES], output[BOXES].dims[0]) ||
	    !is_list(&output[OWNER], output[BOXES].dims[0]))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* Boxes */

static int32_t clip(int32_t value, int32_t most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

/* The part of an anchor that a delta means; the shift rounds down, also below 0. */
static int32_t scale(const struct nn_proposal_params *params, uint8_t delta, int32_t anchor)
{
	int32_t steps = (int32_t)delta - (int32_t)params->delta_zero;

	return (steps * anchor + (1 << (params->delta_shift - 1))) >> params->delta_shift;
}

/*
 * One direction of a box: its edges are those of y or of x. Anchors are at most 4096, or any of 13
 * bits. A box whose centre would be past FAR lies behind the image, which ends at 2^16.
 */
static void find_edges(const struct nn_proposal_params *params, uint32_t cell, uint32_t stride,
		       int32_t anchor, uint32_t limit, const uint8_t *delta, int32_t *edge)
{
	uint64_t centre = (uint64_t)(2 * cell + 1) * (8 * stride);
	int32_t size, first;

	anchor &= 0x1fff;
	size = anchor + scale(params, delta[2], anchor);
	if (size < 0)
		size = 0;
	first = (centre < FAR ? (int32_t)centre : FAR) + scale(params, delta[0], anchor) -
		(size >> 1);
	edge[0] = clip(first, 16 * limit);
	edge[2] = clip(first + size, 16 * limit);
}

/* The box of a candidate. False: it is too small. */
static bool find_box(const struct page *page, uint32_t index, struct box *box)
{
	const struct nn_proposal_params *params = page->params;
	uint32_t cell = index / page->anchor_count, anchor = index - cell * page->anchor_count;
	uint32_t row = cell / page->columns, column = cell - row * page->columns;
	const uint8_t *delta = page->deltas + 4 * (uint64_t)index;

	find_edges(params, row, params->stride_y, page->anchors[2 * anchor],
		   params->image_h, delta, &box->edge[0]);
	find_edges(params, column, params->stride_x, page->anchors[2 * anchor + 1],
		   params->image_w, delta + 1, &box->edge[1]);
	return box->edge[2] - box->edge[0] >= (int32_t)params->min_size &&
	       box->edge[3] - box->edge[1] >= (int32_t)params->min_size;
}

/* Boxes in the client's memory may become anything, hence no signed difference. */
static int32_t distance(int32_t from, int32_t to)
{
	return (int32_t)((uint32_t)to - (uint32_t)from);
}

static int64_t area(const struct box *box)
{
	return (int64_t)distance(box->edge[0], box->edge[2]) *
	       distance(box->edge[1], box->edge[3]);
}

/* Boxes that do not touch overlap by nothing, which is never too much: none is empty. */
static inline bool overlap_too_much(const struct box *a, const struct box *b, uint32_t iou)
{
	int32_t y0 = a->edge[0] > b->edge[0] ? a->edge[0] : b->edge[0];
	int32_t y1 = a->edge[2] < b->edge[2] ? a->edge[2] : b->edge[2];
	int32_t x0 = a->edge[1] > b->edge[1] ? a->edge[1] : b->edge[1];
	int32_t x1 = a->edge[3] < b->edge[3] ? a->edge[3] : b->edge[3];
	int64_t both;

	if (y1 <= y0 || x1 <= x0)
		return false;
	both = (int64_t)distance(y0, y1) * distance(x0, x1);
	return both * 256 > (int64_t)iou * (area(a) + area(b) - both);
}

/* Candidates */

static bool is_complete(const struct page *page)
{
	return page->kept_count >= page->most || page->seen >= page->params->before;
}

/*
 * The next best candidate is kept, unless one that is kept overlaps it too much. What has been kept
 * is read from the client's memory: if that changes meanwhile, the results are the client's matter.
 */
static int consider(struct page *page, uint32_t index, uint8_t *kept_scores)
{
	const uint32_t iou = page->params->iou;
	struct box box;
	int ret = progress_add(&page->progress, BOX_WORK + 4 * NN_PAGE_WORK);

	if (ret || index >= page->candidates || !find_box(page, index, &box))
		return ret;
	page->seen++;
	for (uint32_t i = 0; i < page->kept_count; i++) {
		ret = i % PIECE ? 0 : progress_add(&page->progress, PIECE * OVERLAP_WORK);
		if (ret)
			return ret;
		if (overlap_too_much(&page->kept[i], &box, iou))
			return 0;
	}
	kept_scores[page->kept_count] = page->scores[index];
	page->kept[page->kept_count++] = box;
	return 0;
}

/* Eight scores at once, where they are aligned: whether any is as high as the least that counts. */
typedef uint64_t __attribute__((may_alias)) eight_scores;

#define LANES	0x0001000100010001ull	/* 1 in each of four lanes */

static bool any_counts(const uint8_t *scores, uint32_t score_min)
{
	const uint64_t eight = *(const eight_scores *)scores, least = (256 - score_min) * LANES;
	uint64_t even = (eight & 0xff * LANES) + least, odd = (eight >> 8 & 0xff * LANES) + least;

	return (even | odd) & 256 * LANES;
}

/*
 * Lists the candidates whose scores count, in the order of the grid, as far as there is room for so
 * many, and counts them by their scores. *found: how many there are.
 */
static int list_all(struct page *page, uint32_t *list, uint32_t room, uint32_t count[256],
		    uint32_t *found)
{
	const uint8_t *scores = page->scores;
	const uint32_t least = page->params->score_min;

	*found = 0;
	for (uint32_t i = 0; i < page->candidates;) {
		uint32_t end = page->candidates - i > PIECE ? i + PIECE : page->candidates;
		int ret = progress_add(&page->progress, PIECE * SCAN_WORK);

		if (ret)
			return ret;
		while (i < end) {
			if (!((uintptr_t)&scores[i] % 8) && end - i >= 8 &&
			    !any_counts(&scores[i], least)) {
				i += 8;
				continue;
			}
			if (scores[i] >= least) {
				count[scores[i]]++;
				if (*found < room)
					list[*found] = i;
				++*found;
			}
			i++;
		}
	}
	return 0;
}

/* Where candidates of these scores begin, if the best come first. */
static void find_places(const uint32_t count[256], uint32_t low, uint32_t high,
			uint32_t place[256])
{
	uint32_t end = 0;

	for (uint32_t score = high + 1; score-- > low;) {
		place[score] = end;
		end += count[score];
	}
}

/* All candidates, which are listed: the best first, and of equals the first in the grid. */
static int take_list(struct page *page, const uint32_t *list, uint32_t found,
		     const uint32_t count[256], uint8_t *kept_scores)
{
	uint32_t place[256], *sorted = page->waiting;
	int ret = progress_add(&page->progress, found * SCAN_WORK);

	find_places(count, page->params->score_min, UINT8_MAX, place);
	for (uint32_t i = 0; i < found && !ret; i++) {
		uint32_t score = page->scores[list[i]];

		/* Scores may change while they are read. */
		if (score >= page->params->score_min && place[score] < found)
			sorted[place[score]++] = list[i];
	}
	for (uint32_t i = 0; i < found && !ret && !is_complete(page); i++)
		ret = consider(page, sorted[i], kept_scores);
	return ret;
}

/*
 * Lists candidates with scores from `low` to `high`, the best first, and of equals the first in the
 * grid: those from *from on, as many as there is room for, after which *from is where to go on.
 * Only of a single score can there be too many.
 */
static int list_some(struct page *page, const uint32_t count[256], uint32_t low, uint32_t high,
		     uint32_t *from, uint32_t *listed)
{
	uint32_t place[256], i;

	find_places(count, low, high, place);
	*listed = 0;
	for (i = *from; i < page->candidates && *listed < page->room; i++) {
		uint32_t score = page->scores[i];
		int ret = i % PIECE ? 0 : progress_add(&page->progress, 2 * PIECE * SCAN_WORK);

		if (ret)
			return ret;
		if (score < low || score > high || place[score] >= page->room)
			continue;
		page->waiting[place[score]++] = i;
		++*listed;
	}
	*from = i;
	return 0;
}

/* All candidates of these scores. */
static int take_scores(struct page *page, const uint32_t count[256], uint32_t low, uint32_t high,
		       uint8_t *kept_scores)
{
	uint32_t from = 0, listed = 0;
	int ret = 0;

	while (!ret && from < page->candidates && !is_complete(page)) {
		ret = list_some(page, count, low, high, &from, &listed);
		for (uint32_t i = 0; i < listed && !ret && !is_complete(page); i++)
			ret = consider(page, page->waiting[i], kept_scores);
	}
	return ret;
}

/*
 * The boxes of a page. Where half of scratch memory has no room for all candidates, as many scores
 * at a time, from the best down, as all of it has room for.
 */
static int find_boxes(struct page *page, uint8_t *kept_scores)
{
	uint32_t count[256] = { 0 }, high = 256, half = page->room / 2, found;
	int ret = list_all(page, page->waiting + half, half, count, &found);

	if (!ret && found <= half)
		return take_list(page, page->waiting + half, found, count, kept_scores);
	while (!ret && high > page->params->score_min && !is_complete(page)) {
		uint32_t low = high - 1, all = count[low];

		while (low > page->params->score_min && all + count[low - 1] <= page->room)
			all += count[--low];
		if (all)
			ret = take_scores(page, count, low, high - 1, kept_scores);
		high = low;
	}
	return ret;
}

/*
 * The DSP has no vectors for this: scores are looked at twice, and few of them are more than looked
 * at; boxes are compared with those before them, one after the other.
 */
int nn_proposal_portable(const struct nn_call *call)
{
	const struct nn_tensor *scores = &call->input[SCORES], *output = call->output;
	const uint32_t first = scores->level ? call->run->arg[nn_out_first_args[scores->level]] : 0;
	uint32_t done = 0;
	struct page page = {
		.progress.call = call,
		.params = &call->op->proposal,
		.anchors = (const int32_t *)call->input[ANCHORS].data,
		.columns = scores->dims[2],
		.anchor_count = scores->dims[3],
		.candidates = (uint32_t)scores->row_bytes,
		.waiting = (uint32_t *)call->scratch,
		.room = call->scratch_size / sizeof(*page.waiting),
	};
	int ret = 0;

	for (uint32_t row = 0; row < scores->dims[0] && !ret; row++) {
		page.scores = scores->data + row * scores->row_bytes;
		page.deltas = call->input[DELTAS].data + row * call->input[DELTAS].row_bytes;
		page.kept = (struct box *)output[BOXES].data + done;
		page.kept_count = page.seen = 0;
		page.most = min_u32(page.params->after, output[BOXES].dims[0] - done);
		ret = find_boxes(&page, output[BOX_SCORES].data + done);
		for (uint32_t i = 0; i < page.kept_count; i++)
			((uint32_t *)output[OWNER].data)[done + i] = first + row;
		done += page.kept_count;
	}
	if (!ret)
		*(uint32_t *)output[COUNT].data = done;
	return ret;
}
