// SPDX-License-Identifier: MIT
/*
 * Loops that the device runs by itself: one submission whatever data decide, the same bytes, counts
 * and errors as where each pass is seen, and progress.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

/* A number below 10 counts up to 10, at most `most` times. */
#define WHILE(most)                                                                                \
	"1 Input shape=1,1 type=int32\n2 Const shape=1,1 type=int32 values=10\n"                   \
	"3 Compare 1:0 2:0 function=less\n4 Const shape=1,1,1 type=int32 values=1\n"              \
	"5 Variable 1:0 loop=6 fixed=1\n6 WhileLoop 3:0 4:0 squeeze=1 " most "\n"                  \
	"7 Integers 5:0 6:0 function=add\n8 Assign 5:0 7:0\n"                                      \
	"10 Compare 7:0 2:0 function=less\n11 Continue 10:0\n12 Last 5:0\n13 OUTPUT 12:0\n"

/* The input is added to itself so many times as it says, in each of three iterations. */
#define COUNTED                                                                                    \
	"1 Input shape=1,1 type=int32\n2 Const shape=1,1,1 type=int32 values=1\n"                  \
	"3 Variable 1:0 loop=4 fixed=1\n4 CountLoop 2:0 current=1 total=3 squeeze=1\n"             \
	"5 Variable 3:0 loop=6 fixed=1\n6 CountLoop 1:0 4:0 counted=1 most=5\n"                    \
	"7 Integers 5:0 1:0 function=add\n8 Assign 5:0 7:0\n9 Last 5:0\n"                          \
	"10 Integers 9:0 4:0 function=add\n11 Assign 3:0 10:0\n12 Last 3:0\n13 OUTPUT 12:0\n"

static uint64_t progress_calls, last_done, last_total;

static void count_progress(uint64_t done, uint64_t total, void *opaque)
{
	(void)opaque;
	progress_calls++;
	last_done = done;
	last_total = total;
}

static void see(const struct nn_pass_record *record, void *opaque)
{
	(void)record;
	(void)opaque;
}

static int execute(struct nn_graph *graph, int32_t in, int32_t *out)
{
	struct nn_buffer input = { .data = &in, .size = sizeof(in), .rows = 1 };
	struct nn_buffer output = { .data = out, .size = sizeof(*out) };

	return nn_graph_execute(graph, &input, 1, &output, 1);
}

static struct nn_graph *prepared(const char *text)
{
	struct nn_graph *graph = make_graph(text);
	int error = nn_graph_prepare(graph, device, NULL);

	if (error)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	CHECK(!error);
	return graph;
}

/*
 * An execution that the device controls, and one in which each pass is seen, which it does not: the
 * same result or error, as many passes and pushes, and as many submissions as each of them needs.
 */
static void compare(struct nn_graph *graph, int32_t in, int want_error, int32_t want, uint64_t pushes)
{
	struct nn_execution_stats controlled, seen;
	char text[sizeof(nn_graph_error(graph)->text)];
	int32_t out[2] = { -1, -1 };
	int error;

	nn_graph_set_trace(graph, NULL, NULL);
	error = execute(graph, in, &out[0]);
	CHECK(error == want_error);
	nn_graph_get_stats(graph, &controlled);
	strcpy(text, nn_graph_error(graph)->text);
	CHECK(controlled.submissions == 1);

	nn_graph_set_trace(graph, see, NULL);
	CHECK(execute(graph, in, &out[1]) == want_error);
	nn_graph_get_stats(graph, &seen);
	CHECK(!strcmp(text, nn_graph_error(graph)->text));
	if (strcmp(text, nn_graph_error(graph)->text))
		printf("# \"%s\", not \"%s\"\n", text, nn_graph_error(graph)->text);
	if (want_error)
		return;
	CHECK(out[0] == want && out[1] == want);
	CHECK(controlled.pushes == pushes && seen.pushes == pushes);
	CHECK(controlled.passes == seen.passes);
	CHECK(pushes < 2 || seen.submissions > 1);
}

static void test_while(void)
{
	struct nn_graph *graph = prepared(WHILE("most=20"));

	compare(graph, 3, 0, 10, 7);
	compare(graph, 9, 0, 10, 1);
	compare(graph, 10, 0, 10, 0);
	compare(graph, -50, 0, -30, 20);
	nn_graph_destroy(graph);
	graph = prepared(WHILE("most=20 strict=1"));
	compare(graph, -9, 0, 10, 19);
	compare(graph, -10, 0, 10, 20);
	compare(graph, -11, -ERANGE, 0, 0);
	CHECK(strstr(nn_graph_error(graph)->text, "still true behind 20 iterations"));
	CHECK(nn_graph_error(graph)->node == 6);
	nn_graph_destroy(graph);
}

static void test_counted(void)
{
	struct nn_graph *graph = prepared(COUNTED);

	compare(graph, 2, 0, 2 + 3 * (2 * 2 + 1), 3 + 6);
	compare(graph, 0, 0, 3, 3);
	compare(graph, 5, 0, 5 + 3 * (25 + 1), 3 + 15);
	compare(graph, 6, -ERANGE, 0, 0);
	CHECK(strstr(nn_graph_error(graph)->text, "is 6, which is not from 0 to most=5"));
	compare(graph, -1, -ERANGE, 0, 0);
	CHECK(nn_graph_error(graph)->node == 6);
	nn_graph_destroy(graph);
}

static void test_limit(void)
{
	struct nn_graph *graph = prepared(WHILE("most=20"));

	CHECK(!nn_graph_set_pass_limit(graph, 7));
	compare(graph, 3, 0, 10, 7);
	compare(graph, 2, -ELOOP, 0, 0);
	CHECK(strstr(nn_graph_error(graph)->text, "more than 7 passes"));
	nn_graph_destroy(graph);
}

static void test_progress(void)
{
	struct nn_graph *graph = prepared(WHILE("most=20"));
	struct nn_execution_stats stats;
	int32_t out;

	nn_graph_set_progress(graph, count_progress, NULL);
	CHECK(!execute(graph, 1, &out) && out == 10);
	nn_graph_get_stats(graph, &stats);
	CHECK(progress_calls >= 9 && last_done == stats.passes && !last_total);
	nn_graph_destroy(graph);
}

static void cancel(uint64_t done, uint64_t total, void *graph)
{
	(void)total;
	if (done == 5)
		nn_graph_cancel(graph);
}

static void test_cancel(void)
{
	struct nn_graph *graph = prepared(WHILE("most=20"));
	int32_t out;

	nn_graph_set_progress(graph, cancel, graph);
	CHECK(execute(graph, -10, &out) == -ECANCELED);
	CHECK(strstr(nn_graph_error(graph)->text, "cancelled after 5 passes"));
	nn_graph_set_progress(graph, NULL, NULL);
	CHECK(!execute(graph, -10, &out) && out == 10);
	nn_graph_destroy(graph);
}

/* Two rows of each of seven loops: 1 .. 7 times the input. */
static bool execute_many(struct nn_graph *graph, int error)
{
	int32_t in = 2, out[7][4];
	struct nn_buffer input = { .data = &in, .size = sizeof(in), .rows = 1 }, outputs[7];
	bool good;

	for (uint32_t i = 0; i < 7; i++)
		outputs[i] = (struct nn_buffer){ .data = out[i], .size = sizeof(out[i]) };
	good = nn_graph_execute(graph, &input, 1, outputs, 7) == error;
	for (int32_t i = 0; i < 7 && !error; i++)
		good = good && outputs[i].rows == 2 && out[i][0] == 2 * (i + 1) && out[i][1] == out[i][0];
	return good;
}

/* More row counts than a pass of the driver's has room for: the DSP itself keeps them. */
static void test_many_counts(void)
{
	char text[2048] = "1 Input shape=1,1 type=int32\n", outputs[128] = "";
	const uint32_t room = device->pass_counts;
	struct nn_execution_stats stats;
	struct nn_graph *graph;

	for (uint32_t i = 1; i <= 7; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%u0 CountLoop 1:0 1:0 counted=1 most=4\n%u1 Const shape=1,1 type=int32 values=%u\n"
			 "%u2 Integers %u0:0 %u1:0 function=mul\n%u3 Collect %u2:0\n", i, i, i, i, i, i, i, i);
		snprintf(outputs + strlen(outputs), sizeof(outputs) - strlen(outputs), " %u3:0", i);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "80 OUTPUT%s\n", outputs);
	graph = prepared(text);
	device->pass_counts = 5;
	CHECK(execute_many(graph, 0));
	nn_graph_get_stats(graph, &stats);
	CHECK(stats.submissions == 1);
	nn_graph_set_trace(graph, see, NULL);
	CHECK(execute_many(graph, -E2BIG));
	CHECK(nn_graph_error(graph)->node == 60);
	CHECK(strstr(nn_graph_error(graph)->text, "more than 5 loops like this one") &&
	      strstr(nn_graph_error(graph)->text, "run the model without a trace"));
	device->pass_counts = room;
	CHECK(execute_many(graph, room < 7 ? -E2BIG : 0));
	nn_graph_destroy(graph);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("a while that data end", test_while);
	tap_run("a count from data, in a loop that is known", test_counted);
	tap_run("the limit of passes", test_limit);
	tap_run("more row counts than a pass has room for", test_many_counts);
	/* The DSP is asked only now and then. */
	if (on_host) {
		tap_run("progress counts programs, without a total", test_progress);
		tap_run("cancelled between two of them", test_cancel);
	}
	nn_device_close(device);
	return tap_end();
}
