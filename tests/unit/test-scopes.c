// SPDX-License-Identifier: MIT
/*
 * Loops as a tree, rule by rule: what leaves a loop, loops that decide themselves whether they go on,
 * the order of nodes, and each error. Random trees are in tests/unit/loop-trees.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define MOST	64u

/* A batch of int32 with one number a row, and constants. */
#define BATCH	"1 Input shape=0,1 type=int32\n2 Const shape=1,1 type=int32 values=100\n"
/* One number, and whether it is below 100. */
#define NUMBER	"1 Input shape=1,1 type=int32\n2 Const shape=1,1 type=int32 values=100\n"           \
		"3 Compare 1:0 2:0 function=less\n"

/* Whether these rows give these numbers. */
static bool gives(const char *text, const int32_t *in, uint32_t rows, const int32_t *want,
		  uint32_t count)
{
	struct nn_graph *graph = make_graph(text);
	int32_t out[MOST] = { 0 };
	struct nn_buffer input = { .data = (void *)in, .size = rows * sizeof(*in), .rows = rows };
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
	/* Rows of any length here: the last number is the last one. */
	if (same && count && count < MOST && out[count]) {
		printf("# there are more than %u numbers\n", count);
		same = false;
	}
	nn_graph_destroy(graph);
	return same;
}

#define GIVES(text, in, ...)                                                                       \
	CHECK(gives(text, in, sizeof(in) / sizeof(*(in)), (int32_t[]){ __VA_ARGS__ },              \
		    sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)))

/* Whether it is refused, or else fails when it runs with this number, for this node and so. */
static bool fails(const char *text, int32_t number, uint32_t node, const char *words)
{
	struct nn_graph *graph = make_graph(text);
	int32_t in[2] = { number, number }, out[MOST];
	struct nn_buffer input = { .data = in, .size = sizeof(in), .rows = 1 };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	const struct nn_error *error;
	bool right;

	right = nn_graph_prepare(graph, device, NULL) ||
		nn_graph_execute(graph, &input, 1, &output, 1);
	error = nn_graph_error(graph);
	right = right && error->node == node && strstr(error->text, words);
	if (!right)
		printf("# node %u: %s\n", error->node, error->text);
	nn_graph_destroy(graph);
	return right;
}

/* ---- Exits */

static void test_behind(void)
{
	const int32_t in[] = { 1, 2, 3, 4, 5 };

	/* A loop, a node behind it, a loop over all that, and one more node. */
	GIVES(BATCH "10 BatchLoop 1:0 step=2\n11 Integers 10:0 10:0 function=add\n12 Collect 11:0\n"
		    "13 Integers 12:0 1:0 function=add\n14 BatchLoop 13:0 step=3\n"
		    "15 Integers 14:0 14:0 function=mul\n16 Collect 15:0\n"
		    "17 Integers 16:0 2:0 function=add\n20 OUTPUT 17:0\n",
	      in, 109, 136, 181, 244, 325);
	/* Without a row. */
	CHECK(gives(BATCH "10 BatchLoop 1:0 step=2\n12 Collect 10:0\n20 OUTPUT 12:0\n", in, 0, NULL, 0));
}

static void test_inner_collect(void)
{
	const int32_t in[] = { 1, 2, 3, 4, 5 };

	/* The rows of an inner loop are those of the outer iteration; those go out in turn. */
	GIVES(BATCH "10 BatchLoop 1:0 step=3\n11 BatchLoop 10:0 step=2\n"
		    "12 Integers 11:0 11:0 function=mul\n13 Collect 12:0\n"
		    "14 Integers 13:0 10:0 function=add\n15 BatchLoop 14:0 step=2\n"
		    "16 Integers 15:0 15:0 function=add\n17 Collect 16:0\n18 Collect 17:0\n"
		    "20 OUTPUT 18:0\n",
	      in, 4, 12, 24, 40, 60);
}

static void test_stack(void)
{
	const int32_t in[] = { 3 };
	const char *text = "1 Input shape=1,1 type=int32\n4 Const shape=2,1 type=int32 values=7,5\n"
			   "10 CountLoop 1:0 current=1 total=2 squeeze=0\n"
			   "11 Variable 4:0 loop=10 fixed=1\n12 Integers 11:0 11:0 function=add\n"
			   "13 Assign 11:0 12:0\n14 Collect 12:0%s\n%s20 OUTPUT 14:0\n";
	char line[500];

	snprintf(line, sizeof(line), text, "", "");
	GIVES(line, in, 14, 10, 28, 20);
	snprintf(line, sizeof(line), text, " stack=1", "");
	GIVES(line, in, 14, 10, 28, 20);
	/* A value from outside is there once for each iteration. */
	GIVES("1 Input shape=1,1 type=int32\n10 CountLoop 1:0 current=1 total=3\n"
	      "14 Collect 1:0 loop=10\n20 OUTPUT 14:0\n", in, 3, 3, 3);
}

static void test_last(void)
{
	const int32_t in[] = { 3, 4, 5 };
	const char *text = BATCH "4 Const shape=1,1 type=int32 values=0\n10 BatchLoop 1:0 step=2\n"
				 "11 Variable 4:0 loop=10%s\n12 Integers 11:0 10:0 function=add\n"
				 "13 Assign 11:0 12:0\n14 Last 11:0\n"
				 "15 Integers 14:0 2:0 function=add\n20 OUTPUT 15:0\n";
	char line[600];

	/* With the loop's rows: those of a full pass, which the last one has set in part. */
	snprintf(line, sizeof(line), text, "");
	GIVES(line, in, 108, 104);
	/* The Variable of an inner loop begins anew in each iteration of the outer one. */
	GIVES(BATCH "4 Const shape=1,1 type=int32 values=0\n10 BatchLoop 1:0 step=1\n"
		    "20 CountLoop 10:0 current=1 total=3 squeeze=0\n21 Variable 10:0 loop=20 fixed=1\n"
		    "22 Integers 21:0 21:0 function=add\n23 Assign 21:0 22:0\n24 Last 21:0\n"
		    "25 Collect 24:0\n30 OUTPUT 25:0\n",
	      in, 24, 32, 40);
}

/* ---- Loops that decide themselves */

static void test_while(void)
{
	const char *text = NUMBER "10 WhileLoop 3:0 most=%d%s\n11 Variable 1:0 loop=10 fixed=1\n"
				  "12 Integers 11:0 11:0 function=add\n13 Assign 11:0 12:0\n"
				  "14 Compare 12:0 2:0 function=less\n15 Continue 14:0\n16 Last 11:0\n"
				  "20 OUTPUT 16:0\n";
	const int32_t many[] = { 3 }, one[] = { 99 }, none[] = { 200 };
	char line[600];

	snprintf(line, sizeof(line), text, 50, "");
	GIVES(line, many, 192);
	GIVES(line, one, 198);
	GIVES(line, none, 200);
	snprintf(line, sizeof(line), text, 2, "");
	GIVES(line, many, 12);
	snprintf(line, sizeof(line), text, 2, " strict=1");
	CHECK(fails(line, 3, 10, "the condition of the loop is still true behind 2 iterations"));
	GIVES(line, one, 198);
}

static void test_counted(void)
{
	const char *text = "1 Input shape=1,1 type=int32\n4 Const shape=1,1 type=int32 values=7\n"
			   "10 CountLoop 1:0 counted=1 most=5\n11 Variable 4:0 loop=10 fixed=1\n"
			   "12 Integers 11:0 1:0 function=add\n13 Assign 11:0 12:0\n14 Last 11:0\n"
			   "20 OUTPUT 14:0\n";
	const int32_t zero[] = { 0 }, one[] = { 1 }, five[] = { 5 };

	GIVES(text, zero, 7);
	GIVES(text, one, 8);
	GIVES(text, five, 32);
	CHECK(fails(text, 6, 10, "the total of the loop is 6, which is not from 0 to most=5"));
	CHECK(fails(text, -1, 10, "the total of the loop is -1, which is not from 0 to most=5"));
}

/* Two loops of one iteration at most, whose results meet. */
static void test_if(void)
{
	const char *text =
		NUMBER "4 Const shape=1,1 type=bool values=1\n5 Integers 3:0 4:0 function=xor\n"
		       "6 Const shape=1,1 type=int32 values=0\n"
		       "10 CountLoop 3:0 counted=1 most=1\n11 Variable 6:0 loop=10 fixed=1\n"
		       "12 Variable 1:0 loop=10 fixed=1\n13 Integers 12:0 12:0 function=mul\n"
		       "14 Assign 11:0 13:0\n15 Last 11:0\n"
		       "20 CountLoop 5:0 counted=1 most=1\n21 Variable 15:0 loop=20 fixed=1\n"
		       "22 Variable 1:0 loop=20 fixed=1\n23 Integers 22:0 2:0 function=sub\n"
		       "24 Assign 21:0 23:0\n25 Last 21:0\n30 OUTPUT 25:0\n";
	const int32_t below[] = { 9 }, above[] = { 109 };

	GIVES(text, below, 81);
	GIVES(text, above, 9);
}

/* ---- Row counts */

static void test_counts(void)
{
	const char *text = "1 Input shape=1,1 type=int32\n4 Const shape=3,1 type=int32 values=5,6,7\n"
			   "10 CountLoop 1:0 4:0 counted=1 most=5\n11 Collect 10:0\n"
			   "12 Integers 11:0 11:0 function=add\n13 BatchLoop 12:0 step=2\n"
			   "14 Integers 13:0 13:0 function=mul\n15 Collect 14:0\n20 OUTPUT 15:0\n";
	const int32_t none[] = { 0 }, three[] = { 3 }, five[] = { 5 };

	CHECK(gives(text, none, 1, NULL, 0));
	GIVES(text, three, 100, 144, 196);
	GIVES(text, five, 100, 144, 196, 100, 144);
}

/* Counts of an inner loop, by OUTPUT in the outer one and by a Collect out of that. */
static void test_nested_counts(void)
{
	const char *text = BATCH "10 BatchLoop 1:0 step=1\n11 Reshape 10:0 shape=0,1\n"
				 "20 CountLoop 11:0 10:0 counted=1 most=3\n21 Collect 20:0\n"
				 "22 Integers 21:0 21:0 function=add\n%s\n";
	const int32_t in[] = { 2, 0, 3, 1 };
	char line[500];

	snprintf(line, sizeof(line), text, "30 OUTPUT 22:0");
	GIVES(line, in, 4, 4, 6, 6, 6, 2);
	/* Out of an inner loop, in each iteration of the outer one, and out of that. */
	GIVES(BATCH "9 BatchLoop 1:0 step=2\n10 BatchLoop 9:0 step=1\n11 Reshape 10:0 shape=0,1\n"
		    "20 CountLoop 11:0 10:0 counted=1 most=3\n21 Collect 20:0\n"
		    "22 Integers 21:0 21:0 function=add\n23 Collect 22:0\n24 Integers 23:0 23:0 function=mul\n"
		    "25 Collect 24:0\n30 OUTPUT 25:0\n",
	      in, 16, 16, 36, 36, 36, 4);
	snprintf(line, sizeof(line), text,
		 "25 Collect 22:0\n26 Integers 25:0 25:0 function=add\n30 OUTPUT 26:0");
	GIVES(line, in, 8, 8, 12, 12, 12, 4);
}

/* Three pages, of which a detector finds two boxes, none and three. */
static void test_boxes(void)
{
	static const uint8_t scores[3][4] = { { 200, 10, 150, 99 }, { 1, 2, 3, 4 }, { 101, 102, 0, 110 } };
	static const uint8_t wanted[5] = { 200, 150, 110, 102, 101 };
	struct nn_graph *graph = make_graph(
		"1 Input shape=0,2,2,1 type=uint8\n2 BatchLoop 1:0 step=1\n"
		"3 Const shape=1,2 type=int32 values=128,128\n4 Const shape=1,2 type=int32 values=16,16\n"
		"5 Const shape=1,1,1,4 type=uint8 values=0\n6 Const shape=1,1,1,4 type=uint8 values=128\n"
		"7 Concat 2:0 2:0 2:0 2:0 axis=3\n8 Integers 7:0 5:0 function=min\n"
		"9 Integers 8:0 6:0 function=max\n"
		"10 Proposal 2:0 9:0 3:0 4:0 stride=8,8 delta_zero=128 delta_shift=6 score_min=100 "
		"min_size=1 before=9 after=4 iou=255 step=1\n"
		"11 Collect 10:1\n12 Collect 11:0\n20 OUTPUT 12:0\n");
	uint8_t out[16] = { 0 };
	struct nn_buffer input = { .data = (void *)scores, .size = sizeof(scores), .rows = 3 };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };

	CHECK(!nn_graph_prepare(graph, device, NULL));
	if (!CHECK(!nn_graph_execute(graph, &input, 1, &output, 1)))
		printf("# %s\n", nn_graph_error(graph)->text);
	CHECK(output.rows == 5 && !memcmp(out, wanted, sizeof(wanted)));
	nn_graph_destroy(graph);
}

/* Plans for other numbers of rows share constants, also if one has no rows. */
static void test_other_rows(void)
{
	struct nn_graph *graph =
		make_graph(BATCH "3 Const shape=1,1 type=int32 values=7\n10 BatchLoop 1:0 step=1\n"
				 "11 Collect 3:0 loop=10\n12 Integers 11:0 2:0 function=add\n"
				 "20 OUTPUT 12:0\n");
	static const uint32_t rows[] = { 0, 3, 1, 0, 2 };
	int32_t in[3] = { 0 }, out[3];
	uint32_t i, k;

	CHECK(!nn_graph_prepare(graph, device, &(struct nn_prepare_options){ .input_rows = rows, .input_count = 1 }));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct nn_buffer input = { .data = in, .size = sizeof(in), .rows = rows[i] };
		struct nn_buffer output = { .data = out, .size = sizeof(out) };

		CHECK(!nn_graph_execute(graph, &input, 1, &output, 1) && output.rows == rows[i]);
		for (k = 0; k < rows[i]; k++)
			CHECK(out[k] == 107);
	}
	nn_graph_destroy(graph);
}

/* ---- Order and memory */

static void test_order(void)
{
	const int32_t in[] = { 1, 2, 3 };

	/* It is listed before the loop that it names; a reader before the Assign reads the old. */
	GIVES(BATCH "3 Const shape=1,1 type=int32 values=10\n4 Variable 3:0 loop=10\n"
		    "5 Nop 4:0\n10 BatchLoop 1:0 step=1\n6 Integers 4:0 10:0 function=add\n"
		    "7 Assign 4:0 6:0\n8 Collect 5:0\n20 OUTPUT 8:0\n",
	      in, 10, 11, 13);
	/* It is read in an inner loop, and assigned behind that. */
	GIVES(BATCH "3 Const shape=1,1 type=int32 values=10\n10 BatchLoop 1:0 step=1\n"
		    "4 Variable 3:0 loop=10 fixed=1\n20 CountLoop 10:0 4:0 current=1 total=2 squeeze=1\n"
		    "21 Integers 4:0 4:0 function=add\n22 Collect 4:0 loop=20\n"
		    "23 Slice 2:0 axis=1\n24 Assign 4:0 21:0\n25 Collect 22:0 loop=10 stack=1\n"
		    "30 OUTPUT 25:0\n",
	      in, 10, 10, 20, 20, 40, 40);
}

/* The sum is taken in an inner loop and behind it: it is there in all iterations. */
static void test_life(void)
{
	const int32_t in[] = { 1, 2, 3, 4 };

	GIVES(BATCH "3 Integers 1:0 2:0 function=add\n10 BatchLoop 3:0 step=1\n"
		    "11 Integers 10:0 10:0 function=mul\n12 Integers 11:0 10:0 function=sub\n"
		    "13 Collect 12:0\n14 Integers 3:0 13:0 function=add\n"
		    "15 CountLoop 13:0 14:0 current=3 total=4\n16 Integers 15:0 15:1 function=sub\n"
		    "17 Collect 16:0\n20 OUTPUT 17:0\n",
	      in, -101, -102, -103, -104, -101, -102);
}

/* ---- Errors */

static void test_exit_errors(void)
{
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n14 Collect 1:0\n20 OUTPUT 14:0\n", 1, 14,
		    "leaves a loop, but takes nothing that is made in one"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n14 Last 10:0\n20 OUTPUT 14:0\n", 1, 14,
		    "takes a Variable, not node 10"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n14 Collect 10:0 loop=1\n20 OUTPUT 14:0\n", 1, 14,
		    "names loop=1, but node 1 is no loop-control node"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n11 BatchLoop 10:0 step=1\n14 Collect 11:0 loop=10\n"
			  "20 OUTPUT 14:0\n", 1, 14, "leave that one first"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=2\n14 Collect 2:0 1:0 loop=10\n20 OUTPUT 14:0\n", 1, 14,
		    "needs a loop with one row in each iteration"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=2\n14 Collect 10:0 stack=1\n20 OUTPUT 14:0\n", 1, 14,
		    "counts rows, and cannot be stacked"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n11 BatchLoop 10:0 step=1\n14 Collect 10:0 loop=11\n"
			  "15 Collect 14:0\n20 OUTPUT 15:0\n", 1, 14, "counts rows of loop level 1"));
}

static void test_scope_errors(void)
{
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n11 BatchLoop 1:0 step=1\n"
			  "12 Integers 10:0 11:0 function=add\n14 Collect 12:0\n20 OUTPUT 14:0\n", 1, 12,
		    "takes node 10 of the loop of node 10 and node 11 of the loop of node 11, which are side by side"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n14 Collect 10:0\n15 Integers 10:0 14:0 function=add\n"
			  "16 Collect 15:0\n20 OUTPUT 16:0\n", 1, 14,
		    "is taken inside of the loop of node 10 (BatchLoop), but made behind it"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n3 Variable 2:0 loop=10 fixed=1\n4 Last 3:0\n"
			  "5 Integers 3:0 4:0 function=add\n6 Assign 3:0 5:0\n20 OUTPUT 4:0\n", 1, 4,
		    "is taken inside of the loop of node 10 (BatchLoop), but made behind it"));
	CHECK(fails(BATCH "3 Variable 2:0 loop=10 fixed=1\n10 BatchLoop 1:0 3:0 step=1\n14 Collect 10:0\n"
			  "20 OUTPUT 14:0\n", 1, 10, "takes a value that is made inside of its own loop"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n11 BatchLoop 10:0 step=1\n12 BatchLoop 11:0 step=1\n"
			  "13 BatchLoop 12:0 step=1\n14 BatchLoop 13:0 step=1\n15 Collect 14:0\n"
			  "20 OUTPUT 15:0\n", 1, 14, "is inside of 4 loops already"));
}

static void test_variable_errors(void)
{
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n11 BatchLoop 1:0 step=1\n4 Variable 2:0 level=1\n"
			  "5 Last 4:0\n20 OUTPUT 5:0\n", 1, 4, "both node 10 and node 11 are such loops"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n4 Variable 2:0 level=1 loop=10\n5 Last 4:0\n"
			  "20 OUTPUT 5:0\n", 1, 4, "has both level and loop"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n4 Variable 2:0 level=3\n5 Last 4:0\n20 OUTPUT 5:0\n", 1,
		    4, "no loop is inside of so many others"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n11 BatchLoop 1:0 step=1\n4 Variable 10:0 loop=11 fixed=1\n"
			  "5 Last 4:0\n20 OUTPUT 5:0\n", 1, 4, "which is not around it"));
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=1\n4 Variable 2:0 loop=10 fixed=1\n"
			  "5 Concat 4:0 4:0 axis=1\n6 Assign 4:0 5:0\n7 Last 4:0\n20 OUTPUT 7:0\n", 1, 6,
		    "does not fit the variable"));
	CHECK(fails(NUMBER "10 CountLoop 3:0 1:0 counted=1 most=1 squeeze=0\n"
			   "11 Reshape 10:0 shape=0,1\n4 Variable 11:0 loop=10\n5 Last 4:0\n"
			   "20 OUTPUT 5:0\n", 1, 5, "that may have no iteration"));
}

static void test_decision_errors(void)
{
	CHECK(fails(NUMBER "10 WhileLoop 3:0 most=2\n4 Variable 1:0 loop=10 fixed=1\n5 Last 4:0\n"
			   "20 OUTPUT 5:0\n", 1, 10, "has no Continue in its loop"));
	CHECK(fails(NUMBER "10 WhileLoop 1:0 most=2\n11 Continue 3:0 loop=10\n"
			   "4 Variable 1:0 loop=10 fixed=1\n5 Last 4:0\n20 OUTPUT 5:0\n", 1, 10,
		    "needs a condition that is bool"));
	CHECK(fails(NUMBER "10 WhileLoop 3:0 most=2\n11 Continue 1:0 loop=10\n"
			   "4 Variable 1:0 loop=10 fixed=1\n5 Last 4:0\n20 OUTPUT 5:0\n", 1, 11,
		    "needs a condition that is bool"));
	CHECK(fails(NUMBER "10 WhileLoop 3:0 most=2\n11 Continue 3:0 loop=10\n12 Continue 3:0 loop=10\n"
			   "4 Variable 1:0 loop=10 fixed=1\n5 Last 4:0\n20 OUTPUT 5:0\n", 1, 12,
		    "is a second Continue in the loop of node 10"));
	CHECK(fails(NUMBER "10 CountLoop 3:0 counted=1 most=2\n11 Continue 3:0 loop=10\n"
			   "4 Variable 1:0 loop=10 fixed=1\n5 Last 4:0\n20 OUTPUT 5:0\n", 1, 11,
		    "which is no WhileLoop"));
	CHECK(fails(NUMBER "11 Continue 3:0\n20 OUTPUT 1:0\n", 1, 11, "is in no loop"));
	CHECK(fails(NUMBER "10 CountLoop 3:0 counted=1\n4 Variable 1:0 level=1 fixed=1\n5 Last 4:0\n"
			   "20 OUTPUT 5:0\n", 1, 10, "needs most"));
	CHECK(fails(NUMBER "10 CountLoop 1:0 current=1 total=1 most=2\n4 Variable 1:0 level=1 fixed=1\n"
			   "5 Last 4:0\n20 OUTPUT 5:0\n", 1, 10, "most goes with counted"));
	CHECK(fails(NUMBER "10 CountLoop 1:0 current=2 total=4 squeeze=1\n11 Collect 10:0\n20 OUTPUT 11:0\n",
		    1, 10, "needs current=1 for squeeze"));
}

static void test_count_errors(void)
{
	/* OUTPUT counts rows over all iterations, and an inner loop packs them anew. */
	CHECK(fails(BATCH "10 BatchLoop 1:0 step=2\n11 BatchLoop 10:0 step=1\n"
			  "20 CountLoop 11:0 11:0 counted=1 most=3\n21 Collect 20:0\n22 Collect 21:0\n"
			  "23 BatchLoop 22:0 step=1\n24 Copy 21:0\n30 OUTPUT 24:0\n", 1, 30,
		    "they also leave the loop of node 11, which is inside of another: take them behind that loop"));
	CHECK(fails(NUMBER "9 CountLoop 3:0 1:0 counted=1 most=3\n8 Collect 9:0\n"
			   "10 CountLoop 1:0 current=1 total=2\n11 Collect 8:0 loop=10\n30 OUTPUT 11:0\n", 1,
		    11, "made outside of the loop"));
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("nodes behind loops, and loops behind these", test_behind);
	tap_run("what an inner loop collects is handed out by another", test_inner_collect);
	tap_run("values that count no rows are collected", test_stack);
	tap_run("the last value of a Variable", test_last);
	tap_run("a loop with a condition", test_while);
	tap_run("a loop with a total that is computed", test_counted);
	tap_run("two branches", test_if);
	tap_run("as many rows as only the run knows", test_counts);
	tap_run("the same in an inner loop", test_nested_counts);
	tap_run("the boxes of a detector", test_boxes);
	tap_run("other numbers of rows", test_other_rows);
	tap_run("the order of the list", test_order);
	tap_run("values live through loops", test_life);
	tap_run("errors of exits", test_exit_errors);
	tap_run("errors of scopes", test_scope_errors);
	tap_run("errors of Variables", test_variable_errors);
	tap_run("errors of conditions and totals", test_decision_errors);
	tap_run("errors of row counts", test_count_errors);
	nn_device_close(device);
	return tap_end();
}
