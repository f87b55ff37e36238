// SPDX-License-Identifier: MIT
/*
 * Windows of a BatchLoop, and Collect along another dimension than rows: results written out by hand,
 * a recurrent layer step by step, and each error. Random ones are in tests/unit/loop-trees.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define MOST	64u
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* A batch of int32 with one number a row, and a picture of 2 rows of 5. */
#define BATCH	"1 Input shape=0,1 type=int32 scale=1 zero_point=7\n"
#define PICTURE	"1 Input shape=0,2,5 type=int32 scale=1 zero_point=7\n"

/* Whether these rows give these numbers, in so many rows. */
static bool gives(const char *text, const int32_t *in, uint32_t rows, uint32_t row,
		  const int32_t *want, uint32_t count, uint32_t want_rows)
{
	struct nn_graph *graph = make_graph(text);
	int32_t out[MOST] = { 0 };
	struct nn_buffer input = { .data = (void *)in, .size = rows * row * sizeof(*in), .rows = rows };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	bool same;
	uint32_t i;

	same = !nn_graph_prepare(graph, device, NULL) &&
	       !nn_graph_execute(graph, &input, 1, &output, 1);
	if (!same)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	for (i = 0; i < count && same; i++) {
		same = out[i] == want[i];
		if (!same)
			printf("# number %u: %d, not %d\n", i, out[i], want[i]);
	}
	if (same && output.rows != want_rows) {
		printf("# %u rows, not %u\n", output.rows, want_rows);
		same = false;
	}
	nn_graph_destroy(graph);
	return same;
}

#define GIVES(text, in, rows, want_rows, ...)                                                      \
	CHECK(gives(text, in, rows, COUNT(in) / (rows), (int32_t[]){ __VA_ARGS__ },                \
		    COUNT(((int32_t[]){ __VA_ARGS__ })), want_rows))

static void check_rows(const char *attrs, const int32_t *in, const int32_t *want, uint32_t count)
{
	char text[300];

	snprintf(text, sizeof(text), BATCH "2 BatchLoop 1:0 %s\n3 Copy 2:0\n4 OUTPUT 3:0\n", attrs);
	CHECK(gives(text, in, 5, 1, want, count, count));
	snprintf(text, sizeof(text), BATCH "2 BatchLoop 1:0 %s\n3 Copy 2:0\n4 Collect 3:0\n5 OUTPUT 4:0\n",
		 attrs);
	CHECK(gives(text, in, 5, 1, want, count, count));
}

#define ROWS(attrs, ...) \
	check_rows(attrs, in, (int32_t[]){ __VA_ARGS__ }, COUNT(((int32_t[]){ __VA_ARGS__ })))

static void test_rows(void)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5 };

	ROWS("window=2", 1, 2, 3, 4, 5);
	ROWS("window=2 tail=drop", 1, 2, 3, 4);
	ROWS("window=2 tail=pad", 1, 2, 3, 4, 5, 7);
	ROWS("window=3 stride=1", 1, 2, 3, 2, 3, 4, 3, 4, 5);
	ROWS("window=3 stride=2", 1, 2, 3, 3, 4, 5);
	ROWS("window=4 stride=2", 1, 2, 3, 4, 3, 4, 5);
	ROWS("window=4 stride=2 tail=pad", 1, 2, 3, 4, 3, 4, 5, 7);
	ROWS("window=4 stride=2 tail=drop", 1, 2, 3, 4);
	/* Between windows that are apart rows are left out. */
	ROWS("window=1 stride=2", 1, 3, 5);
	ROWS("window=2 stride=3", 1, 2, 4, 5);
	ROWS("window=2 stride=4", 1, 2, 5);
	ROWS("window=2 stride=4 tail=pad", 1, 2, 5, 7);
	ROWS("window=2 stride=4 tail=drop", 1, 2);
	/* One that is longer than all. */
	ROWS("window=9 stride=4", 1, 2, 3, 4, 5);
	ROWS("window=7 tail=pad", 1, 2, 3, 4, 5, 7, 7);
	CHECK(gives(BATCH "2 BatchLoop 1:0 window=7 tail=drop\n3 Copy 2:0\n4 OUTPUT 3:0\n", in, 5, 1, NULL, 0, 0));
	CHECK(gives(BATCH "2 BatchLoop 1:0 window=2 stride=1 tail=pad\n3 Copy 2:0\n4 OUTPUT 3:0\n", in, 0, 1, NULL, 0, 0));
}

static void test_dimensions(void)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5, 11, 12, 13, 14, 15 };
	static const int32_t two[] = { 1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 31, 32, 33, 34, 35 };
	static const char *const loops[] = { "step=3", "step=2", "window=2", "window=2 tail=drop" };

	/* Rows of all iterations, one behind the other. */
	GIVES(PICTURE "2 BatchLoop 1:0 axis=2 window=3 stride=2\n3 Copy 2:0\n4 OUTPUT 3:0\n", in, 1, 2,
	      1, 2, 3, 11, 12, 13, 3, 4, 5, 13, 14, 15);
	GIVES(PICTURE "2 BatchLoop 1:0 axis=-1 window=4 tail=pad\n3 Copy 2:0\n4 OUTPUT 3:0\n", in, 1, 2,
	      1, 2, 3, 4, 11, 12, 13, 14, 5, 7, 7, 7, 15, 7, 7, 7);
	GIVES(PICTURE "2 BatchLoop 1:0 axis=2 window=2 tail=drop\n3 Copy 2:0\n4 Collect 3:0\n5 OUTPUT 4:0\n",
	      in, 1, 2, 1, 2, 11, 12, 3, 4, 13, 14);
	/* Each iteration has all rows of the batch. */
	GIVES(PICTURE "2 BatchLoop 1:0 axis=1 step=1\n3 Copy 2:0\n4 OUTPUT 3:0\n", two, 2, 4,
	      1, 2, 3, 4, 5, 21, 22, 23, 24, 25, 11, 12, 13, 14, 15, 31, 32, 33, 34, 35);
	/* In a loop over pages, and collected along the dimension again. */
	GIVES(PICTURE "2 BatchLoop 1:0 step=1\n3 BatchLoop 2:0 axis=2 window=3 stride=2\n"
		      "4 Integers 3:0 3:0 function=add\n5 Collect 4:0 axis=2\n6 Collect 5:0\n7 OUTPUT 6:0\n",
	      two, 2, 2, 2, 4, 6, 6, 8, 10, 22, 24, 26, 26, 28, 30, 42, 44, 46, 46, 48, 50, 62, 64, 66, 66, 68, 70);
	/*
	 * Rows of such a loop in others are as many as only the run knows, where pages may be fewer, and also
	 * where these are as many as the step says.
	 */
	for (uint32_t i = 0; i < COUNT(loops); i++) {
		char text[300];

		snprintf(text, sizeof(text), PICTURE "2 BatchLoop 1:0 %s\n3 BatchLoop 2:0 axis=1 step=1\n4 Copy 3:0\n"
			 "5 Collect 4:0\n6 Collect 5:0\n7 OUTPUT 6:0\n", loops[i]);
		GIVES(text, two, 2, 4, 1, 2, 3, 4, 5, 21, 22, 23, 24, 25, 11, 12, 13, 14, 15, 31, 32, 33, 34, 35);
	}
	/* What is collected in each page, and taken there, is of all of them. */
	GIVES(PICTURE "2 BatchLoop 1:0 step=1\n3 BatchLoop 2:0 axis=1 step=1\n4 Copy 3:0\n5 Collect 4:0\n6 OUTPUT 5:0\n",
	      two, 2, 4, 1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 31, 32, 33, 34, 35);
}

static void test_along(void)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5, 11, 12, 13, 14, 15 };
	static const int32_t one[] = { 5 };

	GIVES(PICTURE "2 BatchLoop 1:0 axis=2 step=1\n3 Integers 2:0 2:0 function=add\n"
		      "4 Collect 3:0 axis=-1\n5 OUTPUT 4:0\n", in, 1, 1,
	      2, 4, 6, 8, 10, 22, 24, 26, 28, 30);
	/* A value that counts no rows, of a loop that counts. */
	GIVES("1 Input shape=1,1 type=int32\n2 Const shape=2,1 type=int32 values=3,4\n"
	      "3 CountLoop 1:0 current=1 total=3 squeeze=0\n4 Variable 2:0 loop=3 fixed=1\n"
	      "5 Integers 4:0 4:0 function=add\n6 Assign 4:0 5:0\n7 Collect 5:0 axis=1\n8 OUTPUT 7:0\n",
	      one, 1, 2, 6, 12, 24, 8, 16, 32);
	/* Rows of a loop that counts: each goes on with its own. */
	GIVES("1 Input shape=0,1 type=int32\n3 CountLoop 1:0 current=2 total=4\n4 Collect 3:0 axis=1\n"
	      "8 OUTPUT 4:0\n", in, 10, 2, 1, 3, 2, 4);
}

/* Tiles of both dimensions, and a picture of what is made of them. */
static void test_tiles(void)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

	GIVES("1 Input shape=0,4,4,1 type=int32\n2 BatchLoop 1:0 axis=1 window=2\n3 BatchLoop 2:0 axis=2 window=2\n"
	      "4 Integers 3:0 3:0 function=add\n5 OUTPUT 4:0\n", in, 1, 4,
	      2, 4, 10, 12, 6, 8, 14, 16, 18, 20, 26, 28, 22, 24, 30, 32);
	GIVES("1 Input shape=0,4,4,1 type=int32\n2 BatchLoop 1:0 axis=1 window=2\n3 BatchLoop 2:0 axis=2 window=2\n"
	      "4 Integers 3:0 3:0 function=add\n5 Collect 4:0 axis=2\n6 Collect 5:0 axis=1\n7 OUTPUT 6:0\n",
	      in, 1, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32);
	/* They overlap, and what is collected of both loops is packed. */
	GIVES("1 Input shape=1,4,4,1 type=int32\n2 BatchLoop 1:0 axis=1 window=3 stride=1\n"
	      "3 BatchLoop 2:0 axis=2 window=3 stride=1\n4 Slice 3:0 axis=1 begin=1 size=1\n"
	      "5 Slice 4:0 axis=2 begin=2 size=1\n6 Collect 5:0\n7 Collect 6:0\n8 OUTPUT 7:0\n",
	      in, 1, 4, 7, 8, 11, 12);
}

/* ---- A recurrent layer, as a whole and step by step */

#define STEPS	7
#define CELLS	4
#define ITEMS	3

#define WEIGHTS                                                                                    \
	"11 Const shape=4,2 type=int8 scale=0.02 values=50,-70,90,12,-33,45,67,-120\n"             \
	"12 Const shape=4,2 type=int8 scale=0.03 values=-50,70,-90,120,33,-45,67,12\n"             \
	"13 Const shape=4,2 type=int8 scale=0.02 values=5,-7,99,-102,103,54,-67,20\n"              \
	"14 Const shape=4,2 type=int8 scale=0.01 values=110,-17,29,12,-3,45,127,-1\n"              \
	"15 Const shape=4,4 type=int8 scale=0.02 values=5,-7,99,-102,103,54,-67,20,1,2,3,4,-5,60,7,-80\n" \
	"16 Const shape=4,4 type=int8 scale=0.02 values=50,-70,9,-10,13,-54,67,-20,1,20,-3,40,5,6,-70,8\n" \
	"17 Const shape=4,4 type=int8 scale=0.02 values=-5,7,-99,102,-103,-54,67,-20,11,2,3,4,5,6,7,8\n" \
	"18 Const shape=4,4 type=int8 scale=0.02 values=1,2,-3,4,5,-6,7,8,9,-100,11,12,13,14,15,-16\n" \
	"21 Const shape=4 type=int32 values=100,-200,300,-400\n22 Const shape=4 type=int32 values=500\n" \
	"23 Const shape=4 type=int32 values=-50,60,-70,80\n24 Const shape=4 type=int32 values=0\n"
#define GATES	"11:0 12:0 13:0 14:0 15:0 16:0 17:0 18:0 21:0 22:0 23:0 24:0"
#define SEQUENCE                                                                                   \
	"1 Input shape=0,7,2 type=int8 scale=0.05 zero_point=-3\n"                                 \
	"2 Input shape=0,4 type=int8 scale=0.0078125\n3 Input shape=0,4 type=int16 scale=0.00048828125\n"

struct layer {
	int8_t all[ITEMS][STEPS][CELLS], last[ITEMS][CELLS];
	int16_t cell[ITEMS][CELLS];
};

static bool run_layer(const char *text, struct layer *layer)
{
	static int8_t x[ITEMS][STEPS][2], last[ITEMS][CELLS];
	static int16_t cell[ITEMS][CELLS];
	struct nn_buffer inputs[] = { { .data = x, .size = sizeof(x), .rows = ITEMS },
				      { .data = last, .size = sizeof(last), .rows = ITEMS },
				      { .data = cell, .size = sizeof(cell), .rows = ITEMS } };
	struct nn_buffer outputs[] = { { .data = layer->all, .size = sizeof(layer->all) },
				       { .data = layer->last, .size = sizeof(layer->last) },
				       { .data = layer->cell, .size = sizeof(layer->cell) } };
	struct nn_graph *graph = make_graph(text);
	uint32_t i, random = 1;
	bool good;

	for (i = 0; i < sizeof(x); i++)
		(&x[0][0][0])[i] = (int8_t)((random = random * 1664525 + 1013904223) >> 24);
	for (i = 0; i < ITEMS * CELLS; i++) {
		(&last[0][0])[i] = (int8_t)((random = random * 1664525 + 1013904223) >> 24);
		(&cell[0][0])[i] = (int16_t)((random = random * 1664525 + 1013904223) >> 18);
	}
	good = !nn_graph_prepare(graph, device, NULL) &&
	       !nn_graph_execute(graph, inputs, 3, outputs, 3) && outputs[0].rows == ITEMS &&
	       outputs[1].rows == ITEMS && outputs[2].rows == ITEMS;
	if (!good)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	return good;
}

static void test_steps(void)
{
	static struct layer whole, steps;
	uint32_t i, zeros = 0;

	CHECK(run_layer(SEQUENCE WEIGHTS "30 LSTM 1:0 2:0 3:0 " GATES "\n40 OUTPUT 30:0 30:1 30:2\n", &whole));
	CHECK(run_layer(SEQUENCE WEIGHTS "5 BatchLoop 1:0 axis=1 step=1\n6 Variable 2:0 loop=5\n"
			"7 Variable 3:0 loop=5\n30 LSTM 5:0 6:0 7:0 " GATES "\n31 Assign 6:0 30:1\n"
			"32 Assign 7:0 30:2\n33 Collect 30:0 axis=1\n34 Last 6:0\n35 Last 7:0\n"
			"40 OUTPUT 33:0 34:0 35:0\n", &steps));
	CHECK(!memcmp(&whole, &steps, sizeof(whole)));
	for (i = 0; i < sizeof(whole.all); i++)
		zeros += !(&whole.all[0][0][0])[i];
	CHECK(zeros < sizeof(whole.all) / 4);
}

/* ---- Plans */

/* Whether a plan has as many passes, in one submission, and whether its loop is a view. */
static void test_plan(void)
{
	static const int32_t in[ITEMS * 10] = { 0 };
	struct nn_graph *graph = make_graph(PICTURE "2 BatchLoop 1:0 axis=2 window=3 stride=1\n"
						    "3 BatchLoop 2:0 axis=1 step=1\n4 Copy 3:0\n5 OUTPUT 4:0\n");
	struct nn_buffer input = { .data = (void *)in, .size = sizeof(in), .rows = ITEMS };
	int32_t out[200];
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	struct nn_execution_stats stats;

	CHECK(!nn_graph_prepare(graph, device, NULL) && !nn_graph_execute(graph, &input, 1, &output, 1));
	nn_graph_get_stats(graph, &stats);
	CHECK(stats.submissions == 1 && stats.pushes == 9 && output.rows == 18);
	nn_graph_destroy(graph);
}

static void count_pass(const struct nn_pass_record *record, void *opaque)
{
	(void)record;
	(*(uint32_t *)opaque)++;
}

/* Loops that data decide, in windows: in one submission, and the same where the host sees each pass. */
static void check_decided(const char *text, const int32_t *in, const int32_t *want, uint32_t count,
			  uint32_t submissions)
{
	struct nn_graph *graph = make_graph(text);
	struct nn_buffer input = { .data = (void *)in, .size = 9 * sizeof(*in), .rows = 1 };
	struct nn_execution_stats stats;
	uint32_t passes = 0, i;

	CHECK(!nn_graph_prepare(graph, device, NULL));
	for (i = 0; i < 2; i++) {
		int32_t out[MOST] = { 0 };
		struct nn_buffer output = { .data = out, .size = sizeof(out) };

		if (!CHECK(!nn_graph_execute(graph, &input, 1, &output, 1)))
			printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
		nn_graph_get_stats(graph, &stats);
		CHECK(output.rows == count && !memcmp(out, want, count * sizeof(*want)));
		if (!i && submissions)
			CHECK(stats.submissions == submissions);
		nn_graph_set_trace(graph, count_pass, &passes);
	}
	CHECK(passes);
	nn_graph_destroy(graph);
}

static void test_decided(void)
{
	static const int32_t in[] = { 0, 1, 2, 3, 1, 5, 1, 0, 2 };
	static const int32_t of_windows[] = { 0, 0, 1, 1, 2, 2, 3, 3, 1, 1, 5, 5, 1, 1, 0, 0 };
	static const int32_t of_tiles[] = { 1, 3, 3, 3, 1 };

	/* The last number says how often, in each window. */
	check_decided("1 Input shape=1,9 type=int32\n2 BatchLoop 1:0 axis=1 window=2 stride=1 tail=drop\n"
		      "3 Slice 2:0 axis=1 begin=0 size=1\n4 Slice 1:0 axis=1 begin=8 size=1\n"
		      "7 CountLoop 4:0 3:0 counted=1 most=3\n8 Collect 7:0\n9 Collect 8:0\n10 OUTPUT 9:0\n",
		      in, of_windows, 16, 1);
	/* The same of each page: its windows are a control program, too. */
	check_decided("1 Input shape=1,9 type=int32\n2 BatchLoop 1:0 step=1\n"
		      "3 BatchLoop 2:0 axis=1 window=2 stride=1 tail=drop\n"
		      "4 Slice 3:0 axis=1 begin=0 size=1\n5 Slice 2:0 axis=1 begin=8 size=1\n"
		      "7 CountLoop 5:0 4:0 counted=1 most=3\n8 Collect 7:0\n9 Collect 8:0\n10 Collect 9:0\n"
		      "11 OUTPUT 10:0\n", in, of_windows, 16, 1);
	/* Tiles of both dimensions: rows leave three loops. */
	check_decided("1 Input shape=0,3,3 type=int32\n2 BatchLoop 1:0 axis=1 window=2 stride=1\n"
		      "3 BatchLoop 2:0 axis=2 window=2 stride=1\n4 Slice 3:0 axis=1 begin=0 size=1\n"
		      "5 Slice 4:0 axis=2 begin=0 size=1\n6 Reshape 5:0 shape=0,1\n"
		      "7 CountLoop 6:0 6:0 counted=1 most=9\n8 Collect 7:0\n9 Collect 8:0\n10 Collect 9:0\n"
		      "11 OUTPUT 10:0\n", in, of_tiles, 5, 0);
}

/* ---- Errors */

/* Whether it is refused for this node and so. */
static bool fails(const char *text, uint32_t node, const char *words)
{
	struct nn_graph *graph = make_graph(text);
	const struct nn_error *error;
	bool right = nn_graph_prepare(graph, device, NULL);

	error = nn_graph_error(graph);
	right = right && error->node == node && strstr(error->text, words);
	if (!right)
		printf("# node %u: %s\n", error->node, error->text);
	nn_graph_destroy(graph);
	return right;
}

static bool loop_fails(const char *attrs, const char *words)
{
	char text[300];

	snprintf(text, sizeof(text), PICTURE "2 BatchLoop 1:0 %s\n3 Copy 2:0\n4 OUTPUT 3:0\n", attrs);
	return fails(text, 2, words);
}

static void test_loop_errors(void)
{
	CHECK(loop_fails("axis=2", "needs window, or step"));
	CHECK(loop_fails("window=1 step=1", "needs window, or step"));
	CHECK(loop_fails("step=1 stride=1", "stride and tail go with window"));
	CHECK(loop_fails("step=1 tail=pad", "stride and tail go with window"));
	CHECK(loop_fails("graph_batch=2 axis=1", "graph_batch, quantum and options go without axis"));
	CHECK(loop_fails("window=2 quantum=2", "graph_batch, quantum and options go without axis"));
	CHECK(loop_fails("window=0", "must be from 1 to 4294967295"));
	CHECK(loop_fails("window=1 stride=0", "must be from 1 to 4294967295"));
	CHECK(loop_fails("axis=3 window=1", "axis is not one of the dimensions of input 0"));
	CHECK(loop_fails("axis=-4 window=1", "axis is not one of the dimensions of input 0"));
	CHECK(loop_fails("axis=1 window=1 tail=cut", "tail must be short, pad or drop, not cut"));
	CHECK(loop_fails("axis=2 window=2", "the last window of dimension 2 would have 1 of 2"));
	CHECK(loop_fails("axis=2 window=6", "the last window of dimension 2 would have 5 of 6"));
	CHECK(loop_fails("axis=2 window=6 tail=drop", "has no iteration: dimension 2 has 5"));
	CHECK(loop_fails("axis=2 window=1 owner=1", "has owner=1, but only rows that are handed out once"));
	CHECK(fails(PICTURE "2 Input shape=0,2,4 type=int32\n3 BatchLoop 1:0 2:0 axis=2 window=1\n"
			    "4 OUTPUT 3:0 3:1\n", 3, "input 1 has 4 in dimension 2, but input 0 has 5"));
	CHECK(fails(PICTURE "2 Input shape=0,2 type=int32\n3 BatchLoop 1:0 2:0 axis=2 window=1\n"
			    "4 OUTPUT 3:0 3:1\n", 3, "input 1 has 0 in dimension 2, but input 0 has 5"));
	CHECK(fails(PICTURE "2 BatchLoop 1:0 step=1\n3 Variable 2:0 level=1\n4 BatchLoop 3:0 axis=1 step=1\n"
			    "5 OUTPUT 4:0\n", 4, "cannot loop over a Variable"));
}

static void test_collect_errors(void)
{
	CHECK(fails(PICTURE "2 BatchLoop 1:0 axis=1 step=1\n3 Collect 2:0 axis=3\n4 OUTPUT 3:0\n", 3,
		    "axis is not one of the dimensions of input 0"));
	CHECK(fails(PICTURE "2 BatchLoop 1:0 axis=1 step=1\n3 Collect 2:0 axis=1 stack=1\n4 OUTPUT 3:0\n", 3,
		    "has both axis and stack"));
	CHECK(fails(PICTURE "2 BatchLoop 1:0 step=1\n3 Collect 2:0 axis=1\n4 OUTPUT 3:0\n", 3,
		    "collects along dimension 1, but how many iterations the loop of node 2 (BatchLoop) has"));
	CHECK(fails("1 Input shape=1,1 type=int32\n2 CountLoop 1:0 1:0 counted=1 most=3\n3 Collect 2:0 axis=1\n"
		    "4 OUTPUT 3:0\n", 3, "the loop of node 2 (CountLoop) has depends on rows or data"));
	CHECK(fails(PICTURE "2 BatchLoop 1:0 step=1\n3 BatchLoop 2:0 axis=1 step=1\n4 Collect 2:0 loop=3 axis=1\n"
			    "5 OUTPUT 4:0\n", 4, "counts rows of loop level 1, not of the loop of node 3"));
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("windows of rows", test_rows);
	tap_run("windows of other dimensions", test_dimensions);
	tap_run("what is collected along a dimension", test_along);
	tap_run("tiles of two dimensions", test_tiles);
	tap_run("a recurrent layer step by step", test_steps);
	tap_run("all passes are one submission", test_plan);
	tap_run("loops that data decide, in windows", test_decided);
	tap_run("errors of loops", test_loop_errors);
	tap_run("errors of what is collected", test_collect_errors);
	return tap_end();
}
