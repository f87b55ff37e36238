// SPDX-License-Identifier: MIT
/*
 * Variables that persist: what an execution leaves is what the next one begins with, over other
 * numbers of rows, other plans and failures; and the state can be taken out, put in and reset.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

/* Each row is added to what the rows before it came to, of all executions. */
#define SUM                                                                                        \
	"1 Input shape=0,1 type=int32\n2 BatchLoop 1:0 step=1\n"                                   \
	"3 Const shape=1,1 type=int32 values=100\n4 Variable 3:0 level=1 persist=1\n"              \
	"5 Integers 4:0 2:0 function=add\n6 Assign 4:0 5:0\n9 OUTPUT 6:0\n"

static int execute(struct nn_graph *graph, const int32_t *in, uint32_t rows, int32_t *out)
{
	struct nn_buffer input = { .data = (void *)in, .size = rows * sizeof(*in), .rows = rows };
	struct nn_buffer output = { .data = out, .size = rows * sizeof(*out) };
	int error = nn_graph_execute(graph, &input, 1, &output, 1);

	if (error)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return error ? error : (int)output.rows;
}

/* Whether an execution of these rows gives these. */
static bool gives(struct nn_graph *graph, const int32_t *in, uint32_t rows, const int32_t *want)
{
	int32_t out[16] = { 0 };
	bool same = execute(graph, in, rows, out) == (int)rows &&
		    !memcmp(out, want, rows * sizeof(*want));
	uint32_t i;

	for (i = 0; i < rows && !same; i++)
		printf("# row %u: %d, not %d\n", i, out[i], want[i]);
	return same;
}

static int prepare(struct nn_graph *graph)
{
	int error = nn_graph_prepare(graph, device, NULL);

	if (error)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return error;
}

static void test_goes_on(void)
{
	struct nn_graph *graph = make_graph(SUM);

	CHECK(!prepare(graph));
	CHECK(gives(graph, (int32_t[]){ 1 }, 1, (int32_t[]){ 101 }));
	CHECK(gives(graph, (int32_t[]){ 2, 3, 4 }, 3, (int32_t[]){ 103, 106, 110 }));
	CHECK(gives(graph, (int32_t[]){ 0 }, 0, (int32_t[]){ 0 }));
	CHECK(gives(graph, (int32_t[]){ 5, 6 }, 2, (int32_t[]){ 115, 121 }));
	/* The state is the graph's, not the plan's. */
	CHECK(!prepare(graph));
	CHECK(gives(graph, (int32_t[]){ 1 }, 1, (int32_t[]){ 122 }));
	CHECK(!nn_graph_reset_state(graph));
	CHECK(gives(graph, (int32_t[]){ 7 }, 1, (int32_t[]){ 107 }));
	nn_graph_destroy(graph);
}

static void test_without_a_loop(void)
{
	struct nn_graph *graph = make_graph(
		"1 Input shape=2,1 type=int32\n3 Const shape=2,1 type=int32 values=10,20\n"
		"4 Variable 3:0 persist=1\n5 Integers 4:0 1:0 function=sub\n7 Nop 4:0\n"
		"6 Assign 4:0 5:0\n9 OUTPUT 7:0\n");

	CHECK(!prepare(graph));
	/* Read before it is assigned: one execution late. */
	CHECK(gives(graph, (int32_t[]){ 1, 2 }, 2, (int32_t[]){ 10, 20 }));
	CHECK(gives(graph, (int32_t[]){ 1, 2 }, 2, (int32_t[]){ 9, 18 }));
	CHECK(gives(graph, (int32_t[]){ 5, 5 }, 2, (int32_t[]){ 8, 16 }));
	CHECK(gives(graph, (int32_t[]){ 5, 5 }, 2, (int32_t[]){ 3, 11 }));
	nn_graph_destroy(graph);
}

/* The inner loop's Variable is not set anew for each row of the outer one, as others are. */
static void test_inner_loop(void)
{
	const char *text =
		"1 Input shape=0,1 type=int32\n2 BatchLoop 1:0 step=2\n3 BatchLoop 2:0 step=1\n"
		"4 Const shape=1,1 type=int32 values=0\n5 Variable 4:0 level=2 persist=%d\n"
		"6 Integers 5:0 3:0 function=add\n7 Assign 5:0 6:0\n9 OUTPUT 7:0\n";
	const int32_t in[] = { 1, 2, 3, 4 };
	const int32_t want[2][2][4] = { { { 1, 3, 3, 7 }, { 1, 3, 3, 7 } },
					{ { 1, 3, 6, 10 }, { 11, 13, 16, 20 } } };
	struct nn_graph *graph;
	char line[500];
	int persist;

	for (persist = 0; persist < 2; persist++) {
		snprintf(line, sizeof(line), text, persist);
		graph = make_graph(line);
		CHECK(!prepare(graph));
		CHECK(gives(graph, in, 4, want[persist][0]));
		CHECK(gives(graph, in, 4, want[persist][1]));
		nn_graph_destroy(graph);
	}
}

/* ---- Taking it out and putting it in ---- */

static void *get_state(struct nn_graph *graph, size_t *size)
{
	void *state;

	*size = nn_graph_get_state_size(graph);
	state = calloc(1, *size + 1);
	if (!state)
		exit(1);
	CHECK(!nn_graph_get_state(graph, state, *size));
	return state;
}

static void test_moved(void)
{
	struct nn_graph *graph = make_graph(SUM), *other = make_graph(SUM);
	void *first, *later;
	size_t size;

	CHECK(!prepare(graph) && !prepare(other));
	first = get_state(graph, &size);
	CHECK(size == 16 + 16 + 8);
	CHECK(gives(graph, (int32_t[]){ 1, 2 }, 2, (int32_t[]){ 101, 103 }));
	later = get_state(graph, &size);
	CHECK(gives(graph, (int32_t[]){ 3 }, 1, (int32_t[]){ 106 }));
	/* Another graph goes on, this one is rewound. */
	CHECK(!nn_graph_set_state(other, later, size));
	CHECK(gives(other, (int32_t[]){ 4 }, 1, (int32_t[]){ 107 }));
	CHECK(!nn_graph_set_state(graph, first, size));
	CHECK(gives(graph, (int32_t[]){ 9 }, 1, (int32_t[]){ 109 }));
	free(first);
	free(later);
	nn_graph_destroy(graph);
	nn_graph_destroy(other);
}

static bool is_refused(struct nn_graph *graph, const void *state, size_t size, const char *word)
{
	int error = nn_graph_set_state(graph, state, size);
	const char *text = nn_graph_error(graph)->text;

	if (error == -EINVAL && strstr(text, word))
		return true;
	printf("# %d, not \"%s\": %s\n", error, word, text);
	return false;
}

static void test_states_of_others(void)
{
	struct nn_graph *graph = make_graph(SUM), *none = make_graph("1 Input\n2 OUTPUT 1:0\n");
	uint32_t *state;
	size_t size;

	CHECK(!prepare(graph));
	CHECK(gives(graph, (int32_t[]){ 1 }, 1, (int32_t[]){ 101 }));
	state = get_state(graph, &size);
	CHECK(nn_graph_get_state(graph, state, size - 1) == -EINVAL);
	CHECK(!nn_graph_get_state_size(none) && !nn_graph_get_state(none, NULL, 0));
	CHECK(is_refused(none, state, size, "keeps no state"));
	CHECK(is_refused(graph, state, size - 8, "has 32 bytes, and that of the graph has 40"));
	CHECK(is_refused(graph, state, 3, "no state of a graph"));
	CHECK(is_refused(graph, NULL, 0, "no state of a graph"));
	state[0]++;
	CHECK(is_refused(graph, state, size, "no state of a graph"));
	state[0]--;
	state[2] = 2;
	CHECK(is_refused(graph, state, size, "of version 2"));
	state[2] = 1;
	state[3] = 3;
	CHECK(is_refused(graph, state, size, "of 3 Variables"));
	state[3] = 1;
	state[4] = 5;
	CHECK(is_refused(graph, state, size, "4 bytes of int32 for node 5"));
	state[4] = 4;
	state[5] = NN_INT8;
	CHECK(is_refused(graph, state, size, "4 bytes of int8 for node 4"));
	state[5] = 77;
	CHECK(is_refused(graph, state, size, "another graph"));
	/* None of them has changed anything. */
	CHECK(gives(graph, (int32_t[]){ 1 }, 1, (int32_t[]){ 102 }));
	free(state);
	nn_graph_destroy(graph);
	nn_graph_destroy(none);
}

/* ---- Failures ---- */

static int count_down(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor input, output;
	int *left = opaque;

	if (nn_node_get_input(self, 0, &input) || nn_node_get_output(self, 0, &output))
		return -EINVAL;
	memcpy(output.data, input.data, sizeof(int32_t));
	if (*left == -1)
		nn_graph_cancel(graph);
	return *left > 0 && !--*left ? -EDOM : 0;
}

static void test_failures(void)
{
	const struct nn_node_ops ops = { .name = "CountDown", .execute = count_down };
	const char *text =
		"1 Input shape=0,1 type=int32\n2 BatchLoop 1:0 step=1\n"
		"3 Const shape=1,1 type=int32 values=100\n4 Variable 3:0 level=1 persist=1\n"
		"5 Integers 4:0 2:0 function=add\n6 Assign 4:0 5:0\n7 CountDown 6:0\n9 OUTPUT 7:0\n";
	struct nn_graph *graph = new_graph();
	int32_t in[] = { 1, 2, 3 }, out[3];
	int left = 0;

	CHECK(!nn_graph_register_op(graph, &ops, &left));
	import_text(graph, text);
	CHECK(!prepare(graph));
	CHECK(gives(graph, in, 3, (int32_t[]){ 101, 103, 106 }));
	left = 2;
	CHECK(execute(graph, in, 3, out) == -EDOM);
	left = 0;
	CHECK(gives(graph, in, 3, (int32_t[]){ 107, 109, 112 }));
	left = -1;
	CHECK(execute(graph, in, 3, out) == -ECANCELED);
	left = 0;
	CHECK(gives(graph, in, 3, (int32_t[]){ 113, 115, 118 }));
	nn_graph_destroy(graph);
}

static void test_started(void)
{
	struct nn_graph *graph = make_graph(SUM);
	struct nn_buffer input = { .data = (int32_t[]){ 1 }, .size = 4, .rows = 1 }, output;
	char state[40];
	int32_t out;

	output = (struct nn_buffer){ .data = &out, .size = sizeof(out) };
	CHECK(!prepare(graph));
	CHECK(!nn_graph_start(graph, &input, 1, &output, 1));
	CHECK(nn_graph_get_state(graph, state, sizeof(state)) == -EBUSY);
	CHECK(nn_graph_set_state(graph, state, sizeof(state)) == -EBUSY);
	CHECK(nn_graph_reset_state(graph) == -EBUSY);
	CHECK(!nn_graph_wait(graph, -1));
	CHECK(out == 101 && !nn_graph_get_state(graph, state, sizeof(state)));
	nn_graph_destroy(graph);
}

static const struct {
	const char *text, *word;
} bad_graphs[] = {
	{ "1 Input shape=1,1\n2 Variable 1:0 persist=1\n9 OUTPUT 2:0\n", "needs a constant" },
	{ "1 Input shape=0,1\n2 BatchLoop 1:0 step=4\n3 Const shape=1,1\n4 Variable 3:0 level=1 persist=1\n"
	  "5 Nop 4:0 2:0\n9 OUTPUT 5:0\n", "must have the 4 rows of a full pass" },
	{ "1 Input shape=1,1\n2 Const\n3 Variable 2:0 level=-1 persist=1\n9 OUTPUT 3:0\n",
	  "needs level=0 to 4" },
	{ "1 Input shape=1,1\n2 Const\n3 Variable 2:0\n9 OUTPUT 3:0\n", "needs level=1 to 4" },
	{ "1 Input shape=1,1\n2 Const\n3 Variable 2:0 level=1 persist=1\n9 OUTPUT 3:0\n",
	  "has only 0" },
};

static void test_bad_graphs(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(bad_graphs) / sizeof(*bad_graphs); i++) {
		struct nn_graph *graph = make_graph(bad_graphs[i].text);

		CHECK(nn_graph_prepare(graph, device, NULL) == -EINVAL);
		if (!CHECK(strstr(nn_graph_error(graph)->text, bad_graphs[i].word)))
			printf("# %s\n", nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("a Variable that persists goes on where the last execution left it", test_goes_on);
	tap_run("in a graph without loops, too", test_without_a_loop);
	tap_run("an inner loop that begins again leaves it as it is", test_inner_loop);
	tap_run("the state can be taken out and put into the same or an equal graph", test_moved);
	tap_run("a state of another graph is refused, and changes nothing", test_states_of_others);
	tap_run("an execution that fails or is cancelled leaves the state as it was", test_failures);
	tap_run("the state of an execution that runs cannot be looked at", test_started);
	tap_run("Variables that cannot persist", test_bad_graphs);
	nn_device_close(device);
	return tap_end();
}
