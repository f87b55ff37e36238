// SPDX-License-Identifier: MIT
/*
 * Rows at the edges: batches of none or of fewer than a pass, rows that were grouped anew before a
 * loop takes them, and rows that no pass writes. What is expected is written out here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "one-operator.h"
#include "tap.h"

#define ROOM	64
#define GUARD	0x55

static int prepare(struct nn_graph *graph, const struct nn_prepare_options *options)
{
	int err = nn_graph_prepare(graph, device, options);

	if (err)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return err;
}

/*
 * One input, whose rows have `row` bytes, one output. What comes out must be `want`, `want_size`
 * bytes, and nothing behind it. Returns the rows of the output or the error.
 */
static int execute(struct nn_graph *graph, const int8_t *in, uint32_t rows, uint32_t row,
		   const int8_t *want, uint32_t want_size)
{
	int8_t out[ROOM];
	struct nn_buffer input = { .data = (void *)in, .size = rows * row, .rows = rows };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	uint32_t i;
	int err;

	memset(out, GUARD, sizeof(out));
	err = nn_graph_execute(graph, &input, 1, &output, 1);
	if (err) {
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
		return err;
	}
	for (i = 0; i < sizeof(out); i++)
		if (!CHECK(out[i] == (i < want_size ? want[i] : GUARD)))
			printf("# %u rows: byte %u is %d\n", rows, i, out[i]);
	return (int)output.rows;
}

/* ---- A loop over rows that a Reshape has made ---- */

static void test_reshape(void)
{
	static const int8_t in[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,
				     10, 11, 12, 13, 14, 15, 16, 17, 18 };
	static const char *const texts[] = {
		"1 Input shape=2,3,2 type=int8\n2 Reshape 1:0 shape=6,2\n"
		"3 BatchLoop 2:0 step=3\n4 OUTPUT 3:0\n",
		/* Computed, so that it is in the library's memory. */
		"1 Input shape=2,3,2 type=int8\n5 Transpose 1:0 perm=0,2,1\n"
		"6 Transpose 5:0 perm=0,2,1\n2 Reshape 6:0 shape=6,2\n"
		"3 BatchLoop 2:0 step=4\n4 OUTPUT 3:0\n",
		/* One loop in the other, each behind a name of its own. */
		"1 Input shape=2,3,2 type=int8\n2 Reshape 1:0 shape=6,1,2\n"
		"3 BatchLoop 2:0 step=4\n5 Reshape 3:0 shape=0,2,1\n"
		"6 BatchLoop 5:0 step=3\n7 Reshape 6:0 shape=0,-1\n4 OUTPUT 7:0\n",
	};
	const char *variable = "1 Input shape=0,3,2 type=int8\n2 Reshape 1:0 shape=-1,2\n"
			       "3 BatchLoop 2:0 step=4\n4 OUTPUT 3:0\n";
	struct nn_graph *graph;
	uint32_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		graph = make_graph(texts[i]);
		if (CHECK(!prepare(graph, NULL)))
			CHECK(execute(graph, in, 2, 6, in, 12) == 6);
		nn_graph_destroy(graph);
	}
	graph = make_graph(variable);
	if (CHECK(!prepare(graph, NULL)))
		for (i = 0; i < 4; i++)
			CHECK(execute(graph, in, i, 6, in, 6 * i) == (int)(3 * i));
	nn_graph_destroy(graph);
	/* A loop's rows stay what they are, even where there are none. */
	graph = make_graph("1 Input shape=0,6 type=int8\n2 BatchLoop 1:0 step=2\n"
			   "3 Reshape 2:0 shape=-1,5\n4 OUTPUT 3:0\n");
	for (i = 0; i < 2; i++) {
		struct nn_prepare_options options = { .input_rows = &i, .input_count = 1 };

		CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL &&
		      nn_graph_error(graph)->node == 3);
	}
	nn_graph_destroy(graph);
	/* A constant. */
	graph = make_graph("1 Input shape=1,2 type=int8\n"
			   "5 Const shape=1,6 type=int8 values=1,2,3,4,5,6\n"
			   "2 Reshape 5:0 shape=3,2\n3 BatchLoop 2:0 step=2\n4 OUTPUT 3:0\n");
	if (CHECK(!prepare(graph, NULL)))
		CHECK(execute(graph, in, 1, 2, in, 6) == 3);
	nn_graph_destroy(graph);
}

/* ---- A Variable that begins with the rows of a full pass ---- */

#define SUMS(LOOPS)                                                                  \
	"1 Input shape=0,1 type=int8 scale=1\n" LOOPS                                \
	"3 Const shape=4,1 type=int8 scale=1 values=10,20,30,40\n"                   \
	"4 Variable 3:0 level=1\n5 Add 4:0 2:0 type=int8 scale=1\n6 Assign 4:0 5:0\n" \
	"7 OUTPUT 5:0\n"

static void check_sums(const char *text, const uint32_t *batches, uint32_t count)
{
	static const int8_t in[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	/* The second pass adds to what the first one left. */
	static const int8_t want[] = { 11, 22, 33, 44, 16, 28, 40, 52 };
	struct nn_prepare_options options = { .input_rows = batches, .input_count = 1 };
	struct nn_graph *graph = make_graph(text);
	uint32_t i;

	if (CHECK(!prepare(graph, &options)))
		for (i = 0; i < count; i++)
			CHECK(execute(graph, in, batches[i], 1, want, batches[i]) ==
			      (int)batches[i]);
	nn_graph_destroy(graph);
}

static void test_variable(void)
{
	/* Planned for one of them, and for the others afterwards: what is constant stays. */
	static const uint32_t batches[][6] = { { 0, 1, 3, 4, 5, 8 },
					       { 8, 5, 4, 3, 1, 0 },
					       { 1, 8, 0, 3, 4, 5 } };
	struct nn_graph *graph;
	uint32_t i;

	for (i = 0; i < 3; i++) {
		check_sums(SUMS("2 BatchLoop 1:0 step=4\n"), batches[i], 6);
		check_sums(SUMS("2 BatchLoop 1:0 graph_batch=4 options=1\n"), batches[i], 4);
	}
	/* The constant that is needed only where there are rows. */
	for (i = 0; i < 2; i++) {
		static const uint32_t rows[2][2] = { { 0, 4 }, { 4, 0 } };
		static const int8_t want[] = { 3, 4, 5, 6 };
		struct nn_prepare_options options = { .input_rows = rows[i], .input_count = 1 };

		graph = make_graph("1 Input shape=0,1 type=int8 scale=1\n2 BatchLoop 1:0 step=4\n"
				   "3 Const shape=1,1 type=int8 scale=1 values=2\n"
				   "4 Variable 3:0 level=1\n5 Add 4:0 2:0 type=int8 scale=1\n"
				   "6 OUTPUT 5:0\n");
		CHECK(!prepare(graph, &options));
		CHECK(execute(graph, (const int8_t[]){ 1, 2, 3, 4 }, rows[i][1], 1, want,
			      rows[i][1]) == (int)rows[i][1]);
		nn_graph_destroy(graph);
	}
	/* Neither one row nor those of a full pass: more than there are does not help. */
	graph = make_graph(SUMS("2 BatchLoop 1:0 step=3\n"));
	for (i = 0; i < 6; i++) {
		struct nn_prepare_options options = { .input_rows = &batches[0][i],
						      .input_count = 1 };

		CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
		CHECK(nn_graph_error(graph)->node == 4 &&
		      strstr(nn_graph_error(graph)->text, "1 row, or the 3 of a full pass"));
	}
	nn_graph_destroy(graph);
}

/* ---- Rows that no pass writes ---- */

/*
 * A loop whose passes have `rows` rows each, all of them the number of the pass, from 1. Its loop
 * end goes on `skip` rows behind them.
 */
static struct skipper {
	uint32_t rows[4], skip[4], passes;
} skipper;

static uint32_t skip_executed;

static int skip_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor_info info = { .type = NN_INT8, .rank = 2, .dims = { 1, 2 } };

	(void)graph;
	(void)opaque;
	return nn_node_set_output(self, 0, &info, NN_LEVEL_OWN) || nn_node_set_max_rows(self, 2) ?
		       -EINVAL : 0;
}

static int skip_loopend(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
			void *opaque)
{
	uint32_t pass = counts->itercount;

	(void)nn;
	(void)node;
	(void)opaque;
	counts->prev_batches += counts->current_batches + skipper.skip[pass];
	if (++counts->itercount < skipper.passes)
		return 1;
	counts->prev_outer_batches += counts->prev_batches;
	counts->prev_batches = 0;
	counts->itercount = 0;
	return 0;
}

static int skip_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	uint32_t rows = skipper.rows[nn_loopstack_get_itercount(graph)];
	struct nn_tensor output;

	(void)opaque;
	if (nn_node_get_output(self, 0, &output))
		return -EINVAL;
	memset(output.data, (int)++skip_executed, 4);
	return nn_loopstack_push_withfunc(graph, self, rows, 100, skip_loopend, NULL);
}

static const struct nn_node_ops skip_ops = {
	.name = "Skip",
	.flags = NN_NODE_FLAG_LCN,
	.check = skip_check,
	.execute = skip_execute,
};

static void check_skips(const char *text, uint32_t inputs, struct skipper how, const int8_t *want,
			uint32_t rows)
{
	static const int8_t in[] = { 1, 2 }, full[] = { 1, 1, 1, 1, 2, 2, 2, 2,
							3, 3, 3, 3, 4, 4, 4, 4 };
	struct nn_graph *graph = new_graph();
	unsigned int i;

	CHECK(!nn_graph_register_op(graph, &skip_ops, NULL));
	import_text(graph, text);
	CHECK(!prepare(graph, NULL));
	/* The device's memory has nothing in it at first, and then what was skipped before. */
	for (i = 0; i < 2; i++) {
		skipper = how;
		skip_executed = 0;
		CHECK(execute(graph, in, inputs, 1, want, 2 * rows) == (int)rows);
		/* The same number of rows, but without a gap. */
		skipper = (struct skipper){ .rows = { 2, 2, 2, 2 }, .passes = 4 };
		skip_executed = 0;
		CHECK(execute(graph, in, 1, 1, full, sizeof(full)) == 8);
	}
	nn_graph_destroy(graph);
}

static void test_skipped_rows(void)
{
	/* Where a pass writes to the output by itself, and where OUTPUT copies. */
	static const char *const texts[] = {
		"1 Input shape=0,1 type=int8\n2 Skip 1:0\n3 OUTPUT 2:0\n",
		"1 Input shape=0,1 type=int8\n2 Skip 1:0\n4 Transpose 2:0 perm=0,1\n3 OUTPUT 4:0\n",
	};
	const char *nest = "1 Input shape=0,1 type=int8\n4 BatchLoop 1:0 step=1\n2 Skip 4:0\n"
			   "3 OUTPUT 2:0\n";
	unsigned int i;

	for (i = 0; i < 2; i++) {
		check_skips(texts[i], 1, (struct skipper){ { 2, 1, 2 }, { 1, 3, 0 }, 3 },
			    (int8_t[]){ 1, 1, 1, 1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3 }, 9);
		/* None at the end: what was skipped before it counts. */
		check_skips(texts[i], 1, (struct skipper){ { 2, 0 }, { 2, 0 }, 2 },
			    (int8_t[]){ 1, 1, 1, 1, 0, 0, 0, 0 }, 4);
	}
	/* What an iteration skips at its end, the next one is behind. */
	check_skips(nest, 2, (struct skipper){ { 1 }, { 2 }, 1 },
		    (int8_t[]){ 1, 1, 0, 0, 0, 0, 2, 2 }, 4);
}

/* ---- As many rows as the inputs have ---- */

static int whole_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor_info info = { .type = NN_INT8, .rank = 2, .dims = { 1, 2 } };

	(void)graph;
	(void)opaque;
	return nn_node_set_output(self, 0, &info, NN_LEVEL_OWN);
}

/* One pass of as many rows as there is room for. */
static int whole_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor output;

	(void)opaque;
	if (nn_node_get_output(self, 0, &output))
		return -EINVAL;
	memset(output.data, 7, 2 * output.info.dims[0]);
	return nn_loopstack_push(graph, self, output.info.dims[0], output.info.dims[0]);
}

static const struct nn_node_ops whole_ops = {
	.name = "Whole",
	.flags = NN_NODE_FLAG_LCN,
	.check = whole_check,
	.execute = whole_execute,
};

static void test_default_rows(void)
{
	static const char *const texts[] = {
		"1 Input shape=5,1 type=int8\n3 Whole 1:0\n4 OUTPUT 3:0\n",
		"1 Input shape=5,1 type=int8\n2 Const shape=3,1 type=int8\n3 Whole 1:0 2:0\n4 OUTPUT 3:0\n",
		"1 Input shape=5,1 type=int8\n2 Const shape=3,1 type=int8\n3 Whole 2:0 1:0\n4 OUTPUT 3:0\n",
	};
	static const int8_t in[5], want[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct nn_graph *graph = new_graph();

		CHECK(!nn_graph_register_op(graph, &whole_ops, NULL));
		import_text(graph, texts[i]);
		CHECK(!prepare(graph, NULL));
		CHECK(execute(graph, in, 5, 1, want, sizeof(want)) == 5);
		nn_graph_destroy(graph);
	}
}

/* ---- Where a Variable may be ---- */

static void test_variable_levels(void)
{
	/*
	 * In the innermost loop that can be; begun in the loop that it belongs to. Both give what
	 * they begin with.
	 */
	static const char *const texts[] = {
		"1 Input shape=1,2 type=int8 scale=1\n2 CountLoop 1:0 current=1 total=1\n"
		"3 CountLoop 2:0 current=1 total=1\n4 CountLoop 3:0 current=1 total=1\n"
		"5 CountLoop 4:0 current=1 total=1\n6 Variable 1:0 level=4\n7 Nop 6:0 5:0\n8 OUTPUT 7:0\n",
		"1 Input shape=1,2 type=int8 scale=1\n2 BatchLoop 1:0 step=1\n3 Clamp 2:0\n"
		"6 Variable 3:0 level=1\n8 OUTPUT 6:0\n",
	};
	static const int8_t in[] = { 5, -6 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct nn_graph *graph = make_graph(texts[i]);

		if (CHECK(!prepare(graph, NULL)))
			CHECK(execute(graph, in, 1, 2, in, sizeof(in)) == 1);
		nn_graph_destroy(graph);
	}
}

/* ---- One item after the other */

#define ITEMS		5
#define MOST_BYTES	4096

/*
 * Runs items `first` on. Returns the bytes of one item that come out, or the error. Inputs of a graph
 * have different bytes.
 */
static int execute_items(struct nn_graph *graph, uint32_t first, uint32_t items, uint8_t *out)
{
	static uint8_t in[3][MOST_BYTES];
	struct nn_buffer inputs[3] = { 0 }, output = { .data = out, .size = MOST_BYTES };
	uint32_t count = nn_graph_get_input_count(graph), i, k;
	struct nn_tensor_info info;
	int err;

	for (i = 0; i < count; i++) {
		uint32_t row = 1;

		nn_graph_get_input_info(graph, i, &info);
		for (k = 1; k < info.rank; k++)
			row *= info.dims[k];
		row *= nn_data_type_size(info.type);
		for (k = 0; k < items * row; k++)
			in[i][k] = info.type == NN_INT32 && k % 4 > 1 ? 0 : (uint8_t)((first * row + k) * (37 + i));
		inputs[i] = (struct nn_buffer){ .data = in[i], .size = items * row, .rows = items };
	}
	memset(out, GUARD, MOST_BYTES);
	err = nn_graph_execute(graph, inputs, count, &output, 1);
	if (err) {
		printf("# %s\n", nn_graph_error(graph)->text);
		return err;
	}
	CHECK(output.rows == items);
	nn_graph_get_output_info(graph, 0, &info);
	err = (int)nn_data_type_size(info.type);
	for (k = 1; k < info.rank; k++)
		err *= (int)info.dims[k];
	for (k = items * (uint32_t)err; k < MOST_BYTES; k++)
		CHECK(out[k] == GUARD);
	return err;
}

/*
 * What one operator makes of an item does not depend on those beside it, and of none it makes none.
 */
static void test_items(void)
{
	static uint8_t all[MOST_BYTES], one[MOST_BYTES];

	for (size_t i = 0; i < ONE_OPERATOR_COUNT; i++) {
		struct nn_graph *graph;
		int size;

		if (strstr(one_operator[i], "CropResize"))
			continue;
		graph = make_graph(one_operator[i]);
		CHECK(!prepare(graph, NULL));
		CHECK(execute_items(graph, 0, 0, all) > 0);
		size = execute_items(graph, 0, ITEMS, all);
		CHECK(size > 0);
		for (uint32_t item = 0; item < ITEMS && tap_good; item++) {
			CHECK(execute_items(graph, item, 1, one) == size);
			CHECK(!memcmp(one, all + item * (uint32_t)size, size));
		}
		if (!tap_good) {
			printf("# in %s", one_operator[i]);
			nn_graph_destroy(graph);
			break;
		}
		nn_graph_destroy(graph);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("a loop goes over the rows that a Reshape has made", test_reshape);
	tap_run("a Variable with the rows of a full pass suits a shorter one, and none",
		test_variable);
	tap_run("rows that a loop-end function skips are zeros", test_skipped_rows);
	tap_run("a loop that says nothing of its rows has those of its inputs", test_default_rows);
	tap_run("a Variable of the innermost loop, and one that begins in its own", test_variable_levels);
	tap_run("an item is the same alone and among others, and none is none", test_items);
	nn_device_close(device);
	return tap_end();
}
