// SPDX-License-Identifier: MIT
/*
 * Proposal against its definition in docs/reader.md, written down here once more: all candidates are
 * sorted, and each is compared with all that are kept. Random pages: with many equal scores, with no
 * box, with as many as there may be; of a loop around it, and of none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define MOST_PAGES	5u
#define MOST_CELLS	600u		/* of a page, times anchors */
#define MOST_ANCHORS	4u

struct grid {
	uint32_t pages, step, h, w, anchors, stride[2], image[2];
	int32_t size[MOST_ANCHORS][2];
	int32_t zero, shift, score_min, min_size, before, after, iou, box_step;
	uint8_t scores[MOST_PAGES * MOST_CELLS], deltas[MOST_PAGES * MOST_CELLS * 4];
};

struct candidate {
	int64_t edge[4];		/* y0, x0, y1, x1 */
	uint32_t index;
	uint8_t score;
};

struct results {
	uint32_t count;
	int32_t boxes[MOST_PAGES * MOST_CELLS][4], owner[MOST_PAGES * MOST_CELLS];
	uint8_t scores[MOST_PAGES * MOST_CELLS];
};

static uint32_t between(uint32_t low, uint32_t high)
{
	return low + (uint32_t)rand() % (high - low + 1);
}

/* ---- The definition ---- */

static int64_t clip(int64_t value, int64_t most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

static int64_t floor_shift(int64_t value, int32_t shift)
{
	int64_t divisor = (int64_t)1 << shift;

	return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

static struct candidate make_candidate(const struct grid *grid, uint32_t page, uint32_t index)
{
	uint32_t anchor = index % grid->anchors, cell = index / grid->anchors;
	uint64_t at = (uint64_t)page * grid->h * grid->w * grid->anchors + index;
	uint32_t place[2] = { cell / grid->w, cell % grid->w };
	struct candidate candidate = { .index = index, .score = grid->scores[at] };
	int64_t half = (int64_t)1 << (grid->shift - 1);

	for (uint32_t i = 0; i < 2; i++) {
		int64_t size = grid->size[anchor][i], centre, length;

		centre = (2 * (int64_t)place[i] + 1) * grid->stride[i] * 8 +
			 floor_shift((grid->deltas[4 * at + i] - grid->zero) * size + half, grid->shift);
		length = size + floor_shift((grid->deltas[4 * at + 2 + i] - grid->zero) * size + half, grid->shift);
		length = length < 0 ? 0 : length;
		candidate.edge[i] = clip(centre - length / 2, 16 * grid->image[i]);
		candidate.edge[2 + i] = clip(centre - length / 2 + length, 16 * grid->image[i]);
	}
	return candidate;
}

static int by_score(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->score != b->score)
		return b->score - a->score;
	return a->index < b->index ? -1 : 1;
}

static int64_t area(const struct candidate *a)
{
	return (a->edge[2] - a->edge[0]) * (a->edge[3] - a->edge[1]);
}

static bool overlap(const struct grid *grid, const struct candidate *a, const struct candidate *b)
{
	int64_t both = 1;

	for (uint32_t i = 0; i < 2; i++) {
		int64_t low = a->edge[i] > b->edge[i] ? a->edge[i] : b->edge[i];
		int64_t high = a->edge[2 + i] < b->edge[2 + i] ? a->edge[2 + i] : b->edge[2 + i];

		both *= high > low ? high - low : 0;
	}
	return both * 256 > grid->iou * (area(a) + area(b) - both);
}

static void propose(const struct grid *grid, struct results *results)
{
	static struct candidate list[MOST_CELLS], kept[MOST_CELLS];

	results->count = 0;
	for (uint32_t page = 0; page < grid->pages; page++) {
		uint32_t all = grid->h * grid->w * grid->anchors, count = 0, kept_count = 0;

		for (uint32_t i = 0; i < all; i++) {
			list[count] = make_candidate(grid, page, i);
			count += list[count].score >= grid->score_min &&
				 list[count].edge[2] - list[count].edge[0] >= grid->min_size &&
				 list[count].edge[3] - list[count].edge[1] >= grid->min_size;
		}
		qsort(list, count, sizeof(*list), by_score);
		for (uint32_t i = 0; i < count && i < (uint32_t)grid->before && kept_count < (uint32_t)grid->after; i++) {
			bool good = true;

			for (uint32_t k = 0; k < kept_count; k++)
				good &= !overlap(grid, &kept[k], &list[i]);
			if (good)
				kept[kept_count++] = list[i];
		}
		for (uint32_t i = 0; i < kept_count; i++, results->count++) {
			for (uint32_t k = 0; k < 4; k++)
				results->boxes[results->count][k] = (int32_t)kept[i].edge[k];
			results->scores[results->count] = kept[i].score;
			results->owner[results->count] = (int32_t)page;
		}
	}
}

/* ---- The library ---- */

/* A graph whose lines behind the Proposal, node 6, are `rest`. */
static struct nn_graph *make_stages(const struct grid *grid, const char *rest)
{
	char text[4096], sizes[256] = "", loop[64] = "";

	for (uint32_t i = 0; i < 2 * grid->anchors; i++)
		snprintf(sizes + strlen(sizes), sizeof(sizes) - strlen(sizes), "%s%d", i ? "," : "", grid->size[i / 2][i % 2]);
	if (grid->step)
		snprintf(loop, sizeof(loop), "5 BatchLoop 1:0 2:0 step=%u\n", grid->step);
	snprintf(text, sizeof(text),
		 "1 Input shape=0,%u,%u,%u\n2 Input shape=0,%u,%u,%u\n"
		 "3 Const shape=%u,2 type=int32 values=%s\n4 Const shape=2 type=int32 values=%u,%u\n"
		 "%s6 Proposal %s 3:0 4:0 stride=%u,%u delta_zero=%d delta_shift=%d score_min=%d min_size=%d "
		 "before=%d after=%d iou=%d step=%d\n"
		 "%s",
		 grid->h, grid->w, grid->anchors, grid->h, grid->w, 4 * grid->anchors, grid->anchors, sizes,
		 grid->image[0], grid->image[1], loop, grid->step ? "5:0 5:1" : "1:0 2:0",
		 grid->stride[0], grid->stride[1], grid->zero, grid->shift, grid->score_min, grid->min_size,
		 grid->before, grid->after, grid->iou, grid->box_step, rest);
	return make_graph(text);
}

static struct nn_graph *make(const struct grid *grid)
{
	return make_stages(grid, "7 OUTPUT 6:0 6:1 6:2\n");
}

/* Whether it gives what it should, in one submission if there is room for all that there may be. */
static bool is_equal(struct grid *grid, const struct results *wanted, bool roomy)
{
	static struct results got;
	uint32_t page = grid->h * grid->w * grid->anchors;
	uint32_t room = roomy ? MOST_PAGES * MOST_CELLS : wanted->count;
	struct nn_buffer in[2] = {
		{ .data = grid->scores, .size = (size_t)grid->pages * page, .rows = grid->pages },
		{ .data = grid->deltas, .size = (size_t)grid->pages * page * 4, .rows = grid->pages },
	};
	struct nn_buffer out[3] = {
		{ .data = got.boxes, .size = room * sizeof(*got.boxes) },
		{ .data = got.scores, .size = room },
		{ .data = got.owner, .size = room * sizeof(*got.owner) },
	};
	const struct nn_prepare_options options = { .input_rows = (uint32_t[]){ grid->pages, grid->pages }, .input_count = 2 };
	struct nn_graph *graph = make(grid);
	struct nn_execution_stats stats = { 0 };
	bool good;

	memset(&got, 0x55, sizeof(got));
	good = !nn_graph_prepare(graph, device, &options) && !nn_graph_execute(graph, in, 2, out, 3);
	if (!good)
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_get_stats(graph, &stats);
	good = good && out[0].rows == wanted->count && out[1].rows == wanted->count && out[2].rows == wanted->count &&
	       !memcmp(got.boxes, wanted->boxes, wanted->count * sizeof(*got.boxes)) &&
	       !memcmp(got.scores, wanted->scores, wanted->count) &&
	       !memcmp(got.owner, wanted->owner, wanted->count * sizeof(*got.owner)) && stats.submissions == 1;
	if (!good)
		printf("# %u boxes of %u, %llu submissions: %u pages of %ux%ux%u\n", (unsigned int)out[0].rows, wanted->count,
		       (unsigned long long)stats.submissions, grid->pages, grid->h, grid->w, grid->anchors);
	/* One box less is an error that says how many there are. */
	if (good && !roomy && wanted->count) {
		out[0].size -= sizeof(*got.boxes);
		good = nn_graph_execute(graph, in, 2, out, 3) == -ENOSPC &&
		       strstr(nn_graph_error(graph)->text, "output 0 has room for");
	}
	nn_graph_destroy(graph);
	return good;
}

static void make_random(struct grid *grid)
{
	uint32_t kind = between(0, 3), cells;

	*grid = (struct grid){
		.pages = between(0, MOST_PAGES), .h = between(1, 12), .w = between(1, 12), .anchors = between(1, MOST_ANCHORS),
		.stride = { between(1, 16), between(1, 16) }, .image = { between(1, 200), between(1, 200) },
		.zero = between(0, 255), .shift = between(1, 8), .score_min = kind == 3 ? 255 : between(0, 255),
		.min_size = between(1, 100), .before = between(0, 1) ? 1000 : between(1, 60), .after = kind == 1 ? 600 : between(1, 150),
		.iou = kind == 1 ? 256 : between(0, 256), .box_step = between(1, 40), .step = between(0, 3),
	};
	cells = grid->pages * grid->h * grid->w * grid->anchors;
	for (uint32_t i = 0; i < 2 * MOST_ANCHORS; i++)
		grid->size[i / 2][i % 2] = between(0, 3) ? between(1, 500) : between(1, 4096);
	for (uint32_t i = 0; i < cells; i++)
		grid->scores[i] = kind == 1 ? 255 : kind == 2 ? between(250, 255) : between(0, 255);
	for (uint32_t i = 0; i < 4 * cells; i++)
		grid->deltas[i] = between(0, 2) ? (int32_t)between(0, 255) : grid->zero;
}

static void test_random(void)
{
	static struct results wanted;
	static struct grid grid;
	uint32_t most = 0;

	srand(1);
	for (uint32_t i = 0; i < 400; i++) {
		make_random(&grid);
		propose(&grid, &wanted);
		most = wanted.count > most ? wanted.count : most;
		if (!CHECK(is_equal(&grid, &wanted, i % 2)))
			printf("# case %u\n", i);
	}
	CHECK(most > 300);
}

/*
 * A detector of three stages: the second is in the loop of a page's boxes, and the third, behind both
 * loops, takes what that has made of the boxes of all pages, 8 at a time.
 */
static bool has_third_stage(struct grid *grid, const struct results *wanted)
{
	static int32_t got[MOST_PAGES * MOST_CELLS][4];
	uint32_t page = grid->h * grid->w * grid->anchors;
	struct nn_buffer in[2] = {
		{ .data = grid->scores, .size = (size_t)grid->pages * page, .rows = grid->pages },
		{ .data = grid->deltas, .size = (size_t)grid->pages * page * 4, .rows = grid->pages },
	};
	struct nn_buffer out = { .data = got, .size = sizeof(got) };
	const struct nn_prepare_options options = { .input_rows = (uint32_t[]){ grid->pages, grid->pages }, .input_count = 2 };
	struct nn_graph *graph = make_stages(grid,
					     "10 Integers 6:0 6:0 function=add\n11 Collect 10:0\n12 Collect 11:0\n"
					     "13 BatchLoop 12:0 step=8\n14 Integers 13:0 13:0 function=mul\n"
					     "15 Collect 14:0\n16 OUTPUT 15:0\n");
	struct nn_execution_stats stats = { 0 };
	bool good = !nn_graph_prepare(graph, device, &options) && !nn_graph_execute(graph, in, 2, &out, 1);

	if (!good)
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_get_stats(graph, &stats);
	good = good && out.rows == wanted->count && stats.submissions == 1;
	for (uint32_t i = 0; i < 4 * wanted->count && good; i++)
		good = got[i / 4][i % 4] == 4 * wanted->boxes[i / 4][i % 4] * wanted->boxes[i / 4][i % 4];
	nn_graph_destroy(graph);
	return good;
}

static void test_stages(void)
{
	static struct results wanted;
	static struct grid grid;

	srand(2);
	for (uint32_t i = 0; i < 100; i++) {
		make_random(&grid);
		grid.pages = grid.pages ? grid.pages : 1;
		grid.step = grid.step ? grid.step : 1;
		grid.after = grid.after < 60 ? grid.after : 60;
		propose(&grid, &wanted);
		if (!CHECK(has_third_stage(&grid, &wanted)))
			printf("# case %u\n", i);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("random pages, against the definition", test_random);
	tap_run("a third stage behind both loops", test_stages);
	nn_device_close(device);
	return tap_end();
}
