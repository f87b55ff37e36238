// SPDX-License-Identifier: MIT
/*
 * Tests of what nnloop does where the loop design leaves room: one test for each decision, under
 * the decision's name. docs/architecture.md has the table.
 *
 * Graphs are written in the text format. Most loops are run by operators of this file: `Loop`,
 * whose pushes are scripted, and `Body`, which copies its input and notes the counts it sees.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define MAX_STEPS	64
#define MAX_NOTES	256
#define GUARD		0x5a

/* A script of what `Loop` does the n-th time it executes, and its loop end. */
struct script {
	unsigned int current[MAX_STEPS], total[MAX_STEPS];
	unsigned int length;		/* the last step is repeated */
	unsigned int pushes;		/* pushes in one execute; 1 if 0 is not asked for */
	bool no_push;
	nn_loopend_fp loopend;		/* NULL: the default */
	int loopend_results[MAX_STEPS];
	unsigned int executed, ended;
	int fail_at;			/* execute number that fails, from 1 */
};

static struct script script;
static struct nn_loopcounts body_notes[MAX_NOTES], lcn_notes[MAX_NOTES];
static unsigned int body_count, lcn_count;

/* ---- Operators ---- */

static int loop_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	unsigned int max = 1, i;

	for (i = 0; i < script.length; i++)
		if (script.current[i] > max)
			max = script.current[i];
	for (i = 0; i < nn_node_get_output_count(self); i++) {
		struct nn_tensor input = { .info = {
						   .type = NN_INT8, .rank = 2, .dims = { 1, 1 } } };

		if (nn_node_get_input_count(self))
			nn_node_get_input(self, 0, &input);
		if (nn_node_set_output(self, i, &input.info, NN_LEVEL_OWN))
			return -EINVAL;
	}
	(void)graph;
	(void)opaque;
	return nn_node_set_max_rows(self, max);
}

static int loop_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	unsigned int step = script.executed < script.length ? script.executed : script.length - 1;
	unsigned int pushes = script.no_push ? 0 : script.pushes ? script.pushes : 1;
	struct nn_tensor output;
	int err = 0;

	(void)opaque;
	if (lcn_count < MAX_NOTES)
		lcn_notes[lcn_count++] = *nn_loopstack_get_counts(graph);
	script.executed++;
	if (script.fail_at && (int)script.executed == script.fail_at)
		return nn_node_fail(self, -EPROTO, "was told to fail");
	if (nn_node_get_output_count(self) && !nn_node_get_output(self, 0, &output))
		memset(output.data, (int)script.executed, output.max_rows);
	while (pushes--) {
		if (script.loopend)
			err = nn_loopstack_push_withfunc(graph, self, script.current[step],
							 script.total[step], script.loopend,
							 &script);
		else
			err = nn_loopstack_push(graph, self, script.current[step],
						script.total[step]);
	}
	return err;
}

static const struct nn_node_ops loop_ops = {
	.name = "Loop",
	.flags = NN_NODE_FLAG_LCN,
	.check = loop_check,
	.execute = loop_execute,
};

/* A static one: rows of its input as views, `current` of `total` at a time. */
static int view_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)graph;
	(void)opaque;
	if (nn_node_set_output_view(self, 0, 0))
		return -EINVAL;
	return nn_node_set_max_rows(self, (uint32_t)nn_node_get_attr_int(self, "current", 1));
}

static int view_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)opaque;
	return nn_loopstack_push(graph, self, (unsigned int)nn_node_get_attr_int(self, "current", 1),
				 (unsigned int)nn_node_get_attr_int(self, "total", 1));
}

static const struct nn_node_ops view_ops = {
	.name = "View",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC,
	.check = view_check,
	.execute = view_execute,
};

static int body_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor input, output;

	(void)opaque;
	if (body_count < MAX_NOTES)
		body_notes[body_count++] = *nn_loopstack_get_counts(graph);
	if (nn_node_get_input(self, 0, &input) || nn_node_get_output(self, 0, &output))
		return -EINVAL;
	memcpy(output.data, input.data, (size_t)input.info.dims[0] * input.info.dims[1]);
	return 0;
}

static const struct nn_node_ops body_ops = {
	.name = "Body",
	.execute = body_execute,
};

/* ---- Graphs ---- */

static void set_script(struct script value)
{
	script = value;
	body_count = 0;
	lcn_count = 0;
}

static struct nn_graph *make_loop_graph(const char *text)
{
	struct nn_graph *graph = new_graph();

	CHECK(!nn_graph_register_op(graph, &loop_ops, NULL));
	CHECK(!nn_graph_register_op(graph, &view_ops, NULL));
	CHECK(!nn_graph_register_op(graph, &body_ops, NULL));
	import_text(graph, text);
	return graph;
}

static int prepare(struct nn_graph *graph)
{
	int err = nn_graph_prepare(graph, device, NULL);

	if (err && !CHECK(nn_graph_error(graph)->code == err && *nn_graph_error(graph)->text))
		printf("# an error without a sentence\n");
	return err;
}

/* Execute with bytes 0, 1, 2, ... as input 0; rows of two bytes. Returns the rows that came out, or
 * the error. */
static int execute(struct nn_graph *graph, uint32_t in_rows, int8_t *out, uint32_t out_rows)
{
	int8_t in[512];
	struct nn_buffer input = { .data = in, .size = in_rows, .rows = in_rows };
	struct nn_buffer output = { .data = out, .size = out_rows };
	struct nn_tensor_info info;
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(in); i++)
		in[i] = (int8_t)i;
	nn_graph_get_input_info(graph, 0, &info);
	input.size = (size_t)in_rows * info.dims[1];
	output.size = (size_t)out_rows * info.dims[1];
	err = nn_graph_execute(graph, &input, nn_graph_get_input_count(graph), &output, 1);
	if (err && !CHECK(nn_graph_error(graph)->code == err && *nn_graph_error(graph)->text))
		printf("# an error without a sentence\n");
	return err ? err : (int)output.rows;
}

/* One loop around a body: rows of one byte. */
#define ONE_LOOP \
	"1 Input shape=0,1 type=int8\n" \
	"2 Loop 1:0\n" \
	"3 Body 2:0\n" \
	"4 OUTPUT 3:0\n"

static int run_script(const char *text, struct script value)
{
	struct nn_graph *graph = make_loop_graph(text);
	int8_t out[256];
	int result;

	set_script(value);
	result = prepare(graph);
	if (!result)
		result = execute(graph, 4, out, sizeof(out));
	nn_graph_destroy(graph);
	return result;
}

/* ---- The decisions ---- */

static void test_one_pass(void)
{
	CHECK(run_script(ONE_LOOP,
			 (struct script){ .current = { 0 }, .total = { 0 }, .length = 1 }) == 0);
	CHECK(body_count == 1 && script.executed == 1);
	CHECK(run_script(ONE_LOOP,
			 (struct script){ .current = { 3 }, .total = { 0 }, .length = 1 }) == 3);
	CHECK(body_count == 1 && script.executed == 1);
	CHECK(run_script(ONE_LOOP,
			 (struct script){ .current = { 5 }, .total = { 5 }, .length = 1 }) == 5);
	CHECK(body_count == 1 && script.executed == 1);
	CHECK(run_script(ONE_LOOP,
			 (struct script){ .current = { 7 }, .total = { 5 }, .length = 1 }) == 7);
	CHECK(body_count == 1 && script.executed == 1);
}

static void test_no_progress(void)
{
	struct nn_graph *graph = make_loop_graph(ONE_LOOP);
	int8_t out[64];

	set_script((struct script){ .current = { 2, 0 }, .total = { 5, 5 }, .length = 2 });
	CHECK(!prepare(graph));
	CHECK(execute(graph, 4, out, sizeof(out)) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 2);
	CHECK(strstr(nn_graph_error(graph)->text, "no progress"));
	CHECK(body_count == 1);
	nn_graph_destroy(graph);

	/* At the end of the total, 0 rows are fine. */
	CHECK(run_script(ONE_LOOP,
			 (struct script){ .current = { 5, 0 }, .total = { 6, 5 }, .length = 2 }) ==
	      5);
	CHECK(body_count == 2);
}

static int loopend_near_overflow(struct nn_graph *nn, struct nn_node *node,
				 struct nn_loopcounts *counts, void *opaque)
{
	(void)nn;
	(void)node;
	(void)opaque;
	script.ended++;
	counts->prev_batches = UINT32_MAX - 4;
	return 1;
}

static int loopend_outer_near_overflow(struct nn_graph *nn, struct nn_node *node,
				       struct nn_loopcounts *counts, void *opaque)
{
	(void)nn;
	(void)node;
	(void)opaque;
	script.ended++;
	counts->prev_batches = 2;
	counts->prev_outer_batches = UINT32_MAX - 6;
	return 1;
}

/* Output rows are counted by a level-0 copy here, so that only the counts can overflow. */
#define LOOP_WITHOUT_ROWS \
	"1 Input shape=4,1 type=int8\n" \
	"2 Loop 1:0\n" \
	"3 Nop 1:0 2:0\n" \
	"4 OUTPUT 3:0\n"

static void test_overflow(void)
{
	CHECK(run_script(LOOP_WITHOUT_ROWS, (struct script){ .current = { 5 },
							     .total = { 5 },
							     .length = 1,
							     .loopend = loopend_near_overflow }) ==
	      -EOVERFLOW);
	CHECK(script.executed == 2);
	CHECK(run_script(LOOP_WITHOUT_ROWS, (struct script){ .current = { 5, 4, 5 },
							     .total = { 5, 5, 5 },
							     .length = 3,
							     .loopend = loopend_near_overflow }) ==
	      -EOVERFLOW);
	CHECK(script.executed == 3);
	CHECK(run_script(LOOP_WITHOUT_ROWS,
			 (struct script){ .current = { 4, 4, 5 },
					  .total = { 5, 5, 5 },
					  .length = 3,
					  .loopend = loopend_outer_near_overflow }) == -EOVERFLOW);
	CHECK(script.executed == 3);
}

#define OVERSHOOT \
	"1 Input shape=0,1 type=int8\n" \
	"2 View 1:0 current=4 total=10\n" \
	"3 OUTPUT 2:0\n"

static void test_overshoot(void)
{
	struct nn_graph *graph = make_loop_graph(OVERSHOOT);
	int8_t out[64];
	unsigned int i;

	CHECK(!prepare(graph));
	CHECK(execute(graph, 12, out, 64) == 12);
	for (i = 0; i < 12; i++)
		CHECK(out[i] == (int8_t)i);
	CHECK(execute(graph, 10, out, 64) == -ERANGE);
	CHECK(nn_graph_error(graph)->node == 2);
	memset(out, GUARD, sizeof(out));
	CHECK(execute(graph, 12, out, 11) == -ENOSPC);
	for (i = 11; i < sizeof(out); i++)
		CHECK(out[i] == GUARD);
	nn_graph_destroy(graph);
}

static void test_estimate_changes(void)
{
	CHECK(run_script(ONE_LOOP, (struct script){ .current = { 3, 3, 3 },
						    .total = { 100, 4, 9 },
						    .length = 3 }) == 6);
	CHECK(body_count == 2);
	CHECK(run_script(ONE_LOOP, (struct script){ .current = { 3, 3, 3 },
						    .total = { 4, 100, 9 },
						    .length = 3 }) == 9);
	CHECK(body_count == 3);
	CHECK(body_notes[1].total_batches == 100 && body_notes[2].total_batches == 9);
}

static void test_pushes(void)
{
	struct nn_graph *graph = make_loop_graph(ONE_LOOP);
	int8_t out[64];

	set_script(
		(struct script){ .current = { 2 }, .total = { 4 }, .length = 1, .no_push = true });
	CHECK(!prepare(graph));
	CHECK(execute(graph, 4, out, sizeof(out)) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 2 &&
	      strstr(nn_graph_error(graph)->text, "without pushing"));
	set_script((struct script){ .current = { 2 }, .total = { 4 }, .length = 1, .pushes = 2 });
	CHECK(execute(graph, 4, out, sizeof(out)) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 2 && strstr(nn_graph_error(graph)->text, "twice"));
	CHECK(body_count == 0);
	nn_graph_destroy(graph);
}

static int loopend_scripted(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
			    void *opaque)
{
	struct script *s = opaque;
	int result = s->loopend_results[s->ended++];

	(void)nn;
	CHECK(nn_node_get_id(node) == 2);
	if (result > 0) {
		counts->prev_batches += 10;
		counts->itercount += 7;
	} else {
		counts->prev_outer_batches += counts->prev_batches + counts->current_batches;
		counts->prev_batches = 0;
		counts->itercount = 0;
	}
	return result;
}

static void test_custom_loopend(void)
{
	struct script base = {
		.current = { 2 }, .total = { 2 }, .length = 1, .loopend = loopend_scripted
	};
	struct nn_graph *graph = make_loop_graph(LOOP_WITHOUT_ROWS);
	int8_t out[64];

	/* > 0: again, with the counts it edited; 0: done. */
	CHECK(!prepare(graph));
	base.loopend_results[0] = 5;
	base.loopend_results[1] = 1;
	set_script(base);
	CHECK(execute(graph, 4, out, sizeof(out)) == 4);
	CHECK(script.executed == 3 && script.ended == 3);
	CHECK(lcn_notes[1].prev_batches == 10 && lcn_notes[1].itercount == 7);
	CHECK(lcn_notes[2].prev_batches == 20 && lcn_notes[2].itercount == 14);

	/* < 0: that error, even if it says nothing. */
	base.loopend_results[1] = -EXDEV;
	set_script(base);
	CHECK(execute(graph, 4, out, sizeof(out)) == -EXDEV);
	CHECK(nn_graph_error(graph)->node == 2);
	CHECK(script.executed == 2 && script.ended == 2);
	nn_graph_destroy(graph);
}

/* Goes on every other time; itercount is not what it should be. */
static int loopend_careless(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
			    void *opaque)
{
	struct script *s = opaque;

	(void)nn;
	(void)node;
	if (++s->ended % 2)
		return 1;
	counts->itercount = 3;
	counts->prev_outer_batches += counts->current_batches;
	return 0;
}

static void test_careless_loopend(void)
{
	struct nn_graph *graph = make_loop_graph("1 Input shape=0,1 type=int8 scale=1\n"
					    "2 BatchLoop 1:0 step=1\n"
					    "3 Loop 2:0\n"
					    "4 Const shape=1,1 type=int8 scale=1\n"
					    "5 Variable 4:0 level=2\n"
					    "6 Add 5:0 3:0 type=int8 scale=1\n"
					    "7 Assign 5:0 6:0\n"
					    "8 OUTPUT 6:0\n");
	int8_t out[2];

	set_script((struct script){ .current = { 1 },
				    .total = { 1 },
				    .length = 1,
				    .loopend = loopend_careless });
	CHECK(!prepare(graph));
	CHECK(execute(graph, 2, out, sizeof(out)) == 2);
	/* The loop hands out 1, 2, then, anew, 3, 4. */
	CHECK(out[0] == 1 + 2 && out[1] == 3 + 4);
	nn_graph_destroy(graph);
}

static struct nn_loopcounts loopend_seen;

static int loopend_looks(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
			 void *opaque)
{
	loopend_seen = *nn_loopstack_get_counts(nn);
	return nn_loopend_default(nn, node, counts, opaque);
}

static void test_getters(void)
{
	unsigned int i;

	CHECK(run_script(ONE_LOOP, (struct script){ .current = { 3, 2, 4 },
						    .total = { 9, 9, 9 },
						    .length = 3 }) == 9);
	CHECK(lcn_count == 3 && body_count == 3);
	/* In the LCN: what it pushed last time, and what the loop end made of it. */
	CHECK(lcn_notes[0].itercount == 0 && lcn_notes[0].prev_batches == 0 &&
	      lcn_notes[0].current_batches == 0);
	CHECK(lcn_notes[1].itercount == 1 && lcn_notes[1].prev_batches == 3 &&
	      lcn_notes[1].current_batches == 3);
	CHECK(lcn_notes[2].itercount == 2 && lcn_notes[2].prev_batches == 5 &&
	      lcn_notes[2].current_batches == 2);
	/* In a node of the loop: the record that was pushed. */
	for (i = 0; i < 3; i++)
		CHECK(body_notes[i].itercount == i && body_notes[i].total_batches == 9);
	CHECK(body_notes[0].prev_batches == 0 && body_notes[1].prev_batches == 3 &&
	      body_notes[2].prev_batches == 5);
	CHECK(body_notes[2].current_batches == 4);
	/* In a loop-end function: the same. */
	CHECK(run_script(ONE_LOOP, (struct script){ .current = { 3 }, .total = { 3 }, .length = 1,
						    .loopend = loopend_looks }) == 3);
	CHECK(loopend_seen.current_batches == 3 && loopend_seen.total_batches == 3);
}

static void test_no_loop_active(void)
{
	static const struct nn_loopcounts zero;
	struct nn_graph *graph =
		make_loop_graph("1 Input shape=4,1 type=int8\n2 Body 1:0\n3 OUTPUT 2:0\n");
	int8_t out[4];

	set_script((struct script){ 0 });
	CHECK(!memcmp(nn_loopstack_get_counts(graph), &zero, sizeof(zero)));
	CHECK(!prepare(graph));
	CHECK(execute(graph, 4, out, 4) == 4);
	CHECK(body_count == 1 && !memcmp(&body_notes[0], &zero, sizeof(zero)));
	CHECK(nn_loopstack_get_itercount(graph) == 0 && nn_loopstack_get_prev_batches(graph) == 0);
	nn_graph_destroy(graph);
}

static void test_not_yet_appended(void)
{
	struct nn_input input = { .src_id = 17 };
	struct nn_node_desc desc = { .id = 5, .op = "Nop", .inputs = &input, .input_count = 1 };
	struct nn_graph *graph;

	CHECK(!nn_graph_create(&graph));
	CHECK(nn_graph_append(graph, &desc) == -ENOENT);
	CHECK(nn_graph_error(graph)->node == 5);
	CHECK(strstr(nn_graph_error(graph)->text, "17"));
	desc.inputs = &(struct nn_input){ .src_id = 5 };
	CHECK(nn_graph_append(graph, &desc) == -ENOENT);
	nn_graph_destroy(graph);
}

static int prepare_text(const char *text, uint32_t *node)
{
	struct nn_graph *graph = make_loop_graph(text);
	int err = prepare(graph);

	*node = nn_graph_error(graph)->node;
	nn_graph_destroy(graph);
	return err;
}

static void test_output_partition(void)
{
	static const struct nn_prepare_options as_written = { .flags = NN_PREPARE_NO_OPTIMIZE };
	struct nn_graph *graph;
	int8_t out[16];
	uint32_t node;

	set_script((struct script){ .current = { 2 }, .total = { 2 }, .length = 1 });
	/*
	 * Upstream of the loop, which is not left out for it although nothing uses what is in it.
	 */
	graph = make_loop_graph("1 Input shape=4,1 type=int8\n2 Loop 1:0\n3 Body 2:0\n4 OUTPUT 1:0\n");
	CHECK(nn_graph_prepare(graph, device, &as_written) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 4);
	CHECK(prepare(graph) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 4);
	/* The failed prepare has changed nothing: it is as if there had been none. */
	CHECK(nn_graph_execute(graph, NULL, 0, NULL, 0) == -EINVAL);
	CHECK(prepare(graph) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 4);
	nn_graph_destroy(graph);

	/* A prepare that fails leaves the plan of the one before. */
	graph = make_loop_graph("1 Input shape=4,1 type=int8\n2 Loop 1:0\n3 OUTPUT 2:0\n");
	CHECK(!prepare(graph));
	CHECK(execute(graph, 4, out, 4) == 2);
	CHECK(nn_graph_prepare(graph, device, &(struct nn_prepare_options){ .step = 1 }) ==
	      -EINVAL);
	CHECK(execute(graph, 4, out, 4) == 2);
	nn_graph_destroy(graph);

	/* Listed before an LCN. */
	graph = make_loop_graph("1 Input shape=4,1 type=int8\n2 OUTPUT 1:0\n3 Loop 1:0\n");
	CHECK(nn_graph_prepare(graph, device, &as_written) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 2);
	CHECK(prepare(graph) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 2);
	nn_graph_destroy(graph);
	CHECK(prepare_text("1 Input shape=4,1 type=int8\n2 Loop 1:0\n3 OUTPUT 2:0\n", &node) == 0);
	/* Inside of the last loop by its Variable alone. */
	CHECK(prepare_text("1 Input shape=4,1 type=int8\n2 Loop 1:0\n3 Const shape=1,1 type=int8\n"
			   "4 Variable 3:0 level=1\n5 OUTPUT 4:0\n",
			   &node) == 0);
}

static void test_output_count(void)
{
	uint32_t node;

	CHECK(prepare_text("1 Input shape=4,1 type=int8\n2 Nop 1:0\n", &node) == -EINVAL);
	CHECK(node == 0);
	CHECK(prepare_text("1 Input shape=4,1 type=int8\n2 OUTPUT 1:0\n3 OUTPUT 1:0\n", &node) ==
	      -EINVAL);
	CHECK(node == 3);
}

static void test_lcn_without_input(void)
{
	uint32_t node;

	set_script((struct script){ .current = { 1 }, .total = { 1 }, .length = 1 });
	CHECK(!prepare_text("1 Const shape=4,1\n2 Loop 1:0\n3 OUTPUT 2:0\n", &node));
	CHECK(!prepare_text("2 Loop\n3 OUTPUT 2:0\n", &node));
	CHECK(prepare_text(
		      "1 Const shape=4,1\n2 Loop 1:0\n3 Loop 1:0\n4 Nop 2:0 3:0\n5 OUTPUT 4:0\n",
		      &node) == -EINVAL);
	CHECK(node == 3);
}

static void test_lcn_topology(void)
{
	struct nn_graph *graph;
	uint32_t node;

	set_script((struct script){ .current = { 1 }, .total = { 1 }, .length = 1 });
	CHECK(!prepare_text(
		"1 Input\n2 Loop 1:0\n3 Loop 2:0\n4 Loop 3:0\n5 Loop 4:0\n6 OUTPUT 5:0\n", &node));
	CHECK(prepare_text(
		      "1 Input\n2 Loop 1:0\n3 Loop 2:0\n4 Loop 3:0\n5 Loop 4:0\n6 Loop 5:0\n7 OUTPUT 6:0\n",
		      &node) == -EINVAL);
	CHECK(node == 6);
	CHECK(prepare_text("1 Input\n2 Loop 1:0\n3 Loop 1:0\n4 Nop 2:0 3:0\n5 OUTPUT 4:0\n",
			   &node) == -EINVAL);
	CHECK(node == 3);
	/* A fifth that is also parallel. */
	graph = make_loop_graph("1 Input\n2 Loop 1:0\n3 Loop 2:0\n4 Loop 3:0\n5 Loop 4:0\n6 Loop 2:0\n"
			   "7 Nop 5:0 6:0\n8 OUTPUT 7:0\n");
	CHECK(prepare(graph) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 6);
	CHECK(strstr(nn_graph_error(graph)->text, "nested"));
	nn_graph_destroy(graph);
}

static void check_order(struct nn_graph *graph, const uint32_t *ids, const uint32_t *partitions,
			uint32_t count)
{
	struct nn_plan_node node;
	struct nn_plan_info info;
	uint32_t i;

	CHECK(!nn_graph_get_plan(graph, &info) && info.node_count == count);
	for (i = 0; i < count; i++) {
		CHECK(!nn_graph_get_plan_node(graph, i, &node));
		CHECK(node.id == ids[i] && node.partition == partitions[i]);
	}
	CHECK(nn_graph_get_plan_node(graph, count, &node) == -ENOENT);
}

static void test_sort_when_needed(void)
{
	struct nn_graph *graph;

	set_script((struct script){ .current = { 1 }, .total = { 1 }, .length = 1 });
	/* In order already: nothing moves. */
	graph = make_loop_graph(
		"1 Input\n9 Body 1:0\n2 Loop 9:0\n7 Body 2:0\n3 Body 7:0\n4 OUTPUT 3:0\n");
	CHECK(!prepare(graph));
	check_order(graph, (uint32_t[]){ 1, 9, 2, 7, 3, 4 }, (uint32_t[]){ 0, 0, 1, 1, 1, 1 }, 6);
	nn_graph_destroy(graph);
	/* Not in order. */
	graph = make_loop_graph("1 Input\n2 Loop 1:0\n3 Body 1:0\n4 Nop 2:0 3:0\n5 OUTPUT 4:0\n");
	CHECK(!prepare(graph));
	check_order(graph, (uint32_t[]){ 1, 3, 2, 4, 5 }, (uint32_t[]){ 0, 0, 1, 1, 1 }, 5);
	nn_graph_destroy(graph);
}

static void test_stable_sort(void)
{
	struct nn_graph *graph = make_loop_graph(
		"1 Input\n2 Loop 1:0\n10 Body 2:0\n11 Body 1:0\n3 Loop 10:0\n12 Body 1:0\n"
		"13 Body 3:0\n14 Body 2:0\n15 Body 11:0\n16 Body 10:0\n"
		"20 OUTPUT 13:0 14:0 12:0 15:0 16:0 14:0\n");
	struct nn_input
		sink[] = { { 1, 0 }, { 10, 0 }, { 14, 0 }, { 12, 0 }, { 15, 0 }, { 16, 0 } },
		got;
	struct nn_plan_info info;
	uint32_t i;

	set_script((struct script){ .current = { 1 }, .total = { 1 }, .length = 1 });
	CHECK(!prepare(graph));
	check_order(graph, (uint32_t[]){ 1, 11, 12, 15, 2, 10, 14, 16, 3, 13, 20 },
		    (uint32_t[]){ 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2 }, 11);
	CHECK(!nn_graph_get_plan(graph, &info) && info.sink_count == 6 && info.sink_id > 20);
	for (i = 0; i < 6; i++) {
		CHECK(!nn_graph_get_plan_sink(graph, i, &got));
		CHECK(got.src_id == sink[i].src_id && got.output_idx == sink[i].output_idx);
	}
	nn_graph_destroy(graph);
}

static int in_order(struct nn_graph *graph, uint32_t rows)
{
	int8_t out[64];
	uint32_t i;

	if (execute(graph, rows, out, sizeof(out)) != (int)rows)
		return 0;
	for (i = 0; i < rows; i++)
		if (out[i] != (int8_t)i)
			return 0;
	return 1;
}

static void cancel_in_body(uint64_t done, uint64_t total, void *opaque)
{
	(void)total;
	if (done == 2)
		nn_graph_cancel(opaque);
}

static void test_error_in_the_middle(void)
{
	struct nn_graph *graph = make_loop_graph(ONE_LOOP);
	static const struct nn_loopcounts zero;
	int8_t out[64];

	CHECK(!prepare(graph));
	set_script((struct script){ .current = { 1 }, .total = { 4 }, .length = 1, .fail_at = 3 });
	CHECK(execute(graph, 4, out, sizeof(out)) == -EPROTO);
	CHECK(nn_graph_error(graph)->node == 2);
	CHECK(body_count == 2);
	CHECK(!memcmp(nn_loopstack_get_counts(graph), &zero, sizeof(zero)));
	set_script((struct script){ .current = { 1 }, .total = { 4 }, .length = 1 });
	CHECK(execute(graph, 4, out, sizeof(out)) == 4);
	CHECK(body_count == 4 && body_notes[0].itercount == 0 && body_notes[3].prev_batches == 3);
	nn_graph_destroy(graph);

	/* Cancelled between two passes. */
	graph = make_loop_graph(ONE_LOOP);
	CHECK(!prepare(graph));
	set_script((struct script){ .current = { 1 }, .total = { 8 }, .length = 1 });
	nn_graph_set_progress(graph, cancel_in_body, graph);
	CHECK(execute(graph, 8, out, sizeof(out)) == -ECANCELED);
	CHECK(script.executed < 8);
	nn_graph_set_progress(graph, NULL, NULL);
	CHECK(execute(graph, 8, out, sizeof(out)) == 8);
	nn_graph_destroy(graph);

	/* The same in one submission, which the DSP may be through with before it is told. */
	graph = make_loop_graph("1 Input shape=0,1 type=int8\n2 BatchLoop 1:0 step=1\n3 OUTPUT 2:0\n");
	CHECK(!prepare(graph));
	nn_graph_set_progress(graph, cancel_in_body, graph);
	CHECK(execute(graph, 8, out, sizeof(out)) == -ECANCELED || !on_host);
	nn_graph_set_progress(graph, NULL, NULL);
	CHECK(in_order(graph, 8));
	nn_graph_destroy(graph);
}

static void test_output_too_small(void)
{
	struct nn_graph *graph =
		make_loop_graph("1 Input shape=0,3 type=int8\n2 BatchLoop 1:0 step=2\n3 OUTPUT 2:0\n");
	int8_t out[64];
	unsigned int i;

	memset(out, GUARD, sizeof(out));
	CHECK(!prepare(graph));
	CHECK(execute(graph, 5, out, 4) == -ENOSPC);
	for (i = 12; i < sizeof(out); i++)
		CHECK(out[i] == GUARD);
	CHECK(execute(graph, 5, out, 5) == 5);
	nn_graph_destroy(graph);

	/* Where only running tells how many rows there are. */
	graph = make_loop_graph(ONE_LOOP);
	memset(out, GUARD, sizeof(out));
	set_script((struct script){ .current = { 2 }, .total = { 6 }, .length = 1 });
	CHECK(!prepare(graph));
	CHECK(execute(graph, 4, out, 5) == -ENOSPC);
	for (i = 5; i < sizeof(out); i++)
		CHECK(out[i] == GUARD);
	CHECK(nn_graph_error(graph)->node == 4);
	nn_graph_destroy(graph);
}

static atomic_bool looping;

static int loopend_for_ever(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
			    void *opaque)
{
	(void)nn;
	(void)node;
	(void)counts;
	(void)opaque;
	looping = true;
	return 1;
}

static void *cancel_looping(void *opaque)
{
	while (!looping)
		usleep(1000);
	nn_graph_cancel(opaque);
	return NULL;
}

static void test_runaway(void)
{
	struct nn_graph *graph = make_loop_graph(LOOP_WITHOUT_ROWS);
	struct script forever = {
		.current = { 1 }, .total = { 1 }, .length = 1, .loopend = loopend_for_ever
	};
	pthread_t thread;
	int8_t out[64];

	CHECK(!prepare(graph));
	set_script(forever);
	/* A million passes are for the host, the DSP being emulated. */
	if (on_host) {
		CHECK(execute(graph, 4, out, sizeof(out)) == -ELOOP);
		CHECK(script.executed == 1u << 20);
		CHECK(nn_graph_error(graph)->node == 2);
	}
	CHECK(!nn_graph_set_pass_limit(graph, 100));
	set_script(forever);
	CHECK(execute(graph, 4, out, sizeof(out)) == -ELOOP);
	CHECK(script.executed == 100);
	CHECK(nn_graph_set_pass_limit(graph, 0) == -EINVAL);

	CHECK(!nn_graph_set_pass_limit(graph, UINT64_MAX));
	set_script(forever);
	looping = false;
	pthread_create(&thread, NULL, cancel_looping, graph);
	CHECK(execute(graph, 4, out, sizeof(out)) == -ECANCELED);
	pthread_join(thread, NULL);
	nn_graph_destroy(graph);
}

static void count_progress(uint64_t done, uint64_t total, void *opaque)
{
	(void)done;
	(void)total;
	++*(unsigned int *)opaque;
}

/* 5 pushes of the outer loop, each with 4 of the inner. */
static void test_known_to_be_too_long(void)
{
	struct nn_graph *graph = make_loop_graph("1 Input shape=0,1 type=int8\n2 BatchLoop 1:0 step=1\n"
					    "3 CountLoop 2:0 current=1 total=4\n4 OUTPUT 3:0\n");
	unsigned int called = 0;
	int8_t out[64];

	CHECK(!nn_graph_set_progress(graph, count_progress, &called));
	CHECK(!nn_graph_set_pass_limit(graph, 24));
	CHECK(!prepare(graph));
	CHECK(execute(graph, 5, out, sizeof(out)) == -ELOOP && !called);
	CHECK(nn_graph_error(graph)->node == 3 &&
	      strstr(nn_graph_error(graph)->text, "more than 24 passes"));
	/* The limit can be raised, and lowered again, without preparing anew. */
	CHECK(!nn_graph_set_pass_limit(graph, 25));
	CHECK(execute(graph, 5, out, sizeof(out)) == 20 && called);
	called = 0;
	CHECK(!nn_graph_set_pass_limit(graph, 24));
	CHECK(execute(graph, 5, out, sizeof(out)) == -ELOOP && !called);
	CHECK(execute(graph, 4, out, sizeof(out)) == 16 && called);
	nn_graph_destroy(graph);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("total is 0 or current reaches it: exactly one pass", test_one_pass);
	tap_run("current is 0 while the default loop end would go on: an error that names the LCN",
		test_no_progress);
	tap_run("prev + current or prev + prev_outer + current past 2^32: EOVERFLOW",
		test_overflow);
	tap_run("overshoot: legal where source and output have the rows, else an error",
		test_overshoot);
	tap_run("the estimate changes from pass to pass: the newest push counts",
		test_estimate_changes);
	tap_run("an LCN pushes zero or two times in one execute: an error that names it",
		test_pushes);
	tap_run("a custom loop end returns < 0, 0 or > 0, and may edit its counts",
		test_custom_loopend);
	tap_run("a Variable starts anew with its loop, whatever a loop end left in the counts",
		test_careless_loopend);
	tap_run("getters: an LCN sees its own counts, other nodes the record below the dummy",
		test_getters);
	tap_run("no loop active: the getters return a zero record", test_no_loop_active);
	tap_run("a node that refers to one not yet appended: an error that names both",
		test_not_yet_appended);
	tap_run("OUTPUT not in the last partition: an error, and the graph is unchanged",
		test_output_partition);
	tap_run("no OUTPUT, two OUTPUT nodes: errors at prepare", test_output_count);
	tap_run("an LCN with no non-const input: legal only as the first LCN",
		test_lcn_without_input);
	tap_run("five LCNs, parallel LCNs: errors, topology before count", test_lcn_topology);
	tap_run("the seed's slip: sort when need_sort is 1", test_sort_when_needed);
	tap_run("a node after an LCN but in a lower partition: stable sort, Sink last",
		test_stable_sort);
	tap_run("error or cancel in the middle of a loop: the next execute is clean",
		test_error_in_the_middle);
	tap_run("output buffer too small: an error before any byte past its end",
		test_output_too_small);
	tap_run("a runaway custom loop: bounded by the pass limit, and killable", test_runaway);
	tap_run("a loop that is known to be longer than the limit: refused before it runs",
		test_known_to_be_too_long);
	nn_device_close(device);
	return tap_end();
}
