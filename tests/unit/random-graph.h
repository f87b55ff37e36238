/* SPDX-License-Identifier: MIT */
/*
 * Random graphs, written as text: each is prepared with optimization and without and executed both
 * ways, of a full batch, a shorter one and an empty one. The same bytes must come out. And graphs
 * of a test's own that are prepared so, for who looks at the plan.
 */
#ifndef RANDOM_GRAPH_H
#define RANDOM_GRAPH_H

#include <stdarg.h>
#include <stdint.h>

#include "device.h"
#include "libnnloop/plan/plan.h"
#include "make-graph.h"

#define RANDOM_ROWS	4		/* of a full batch */
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_INPUTS	2
#define MAX_OUTPUTS	8
#define INPUT_SIZE	(2u << 10)
#define OUTPUT_SIZE	(32u << 10)

/* The graph that is being written. Each node has the number of its line for an id, from 1. */
static char graph_text[256u << 10];
static uint32_t text_used, node_count;

static uint32_t seed;

static inline uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

static inline void append_list(const char *format, va_list list)
{
	int used = vsnprintf(graph_text + text_used, sizeof(graph_text) - text_used, format, list);

	text_used += used;
	if (text_used >= sizeof(graph_text)) {
		printf("Bail out! a graph's text is too long\n");
		exit(1);
	}
}

static inline void __attribute__((format(printf, 1, 2))) append(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	append_list(format, list);
	va_end(list);
}

/* A line, but for its end, which append() may come before. Returns the node's id. */
static inline uint32_t __attribute__((format(printf, 1, 2))) write_node(const char *format, ...)
{
	va_list list;

	append(node_count ? "\n%u " : "%u ", node_count + 1);
	va_start(list, format);
	append_list(format, list);
	va_end(list);
	return ++node_count;
}

/*
 * The text's graph, prepared for so many rows of each input, NULL: for what is meant without them.
 * NULL: it cannot be, which is a failure of the test.
 */
static inline struct nn_graph *prepare_text(const char *text, uint32_t flags, const uint32_t *rows)
{
	struct nn_prepare_options options = { .flags = flags, .input_rows = rows };
	struct nn_graph *graph = make_graph(text);

	if (rows)
		options.input_count = nn_graph_get_input_count(graph);
	if (CHECK(!nn_graph_prepare(graph, device, &options)))
		return graph;
	printf("# %s\n%s\n", nn_graph_error(graph)->text, text);
	nn_graph_destroy(graph);
	return NULL;
}

/* The inputs' bytes, row by row. */
static uint8_t random_inputs[MAX_INPUTS][INPUT_SIZE];

static inline void execute_batch(struct nn_graph *graph, uint32_t rows, struct nn_buffer *outputs)
{
	uint32_t inputs = nn_graph_get_input_count(graph), i;
	struct nn_buffer in[MAX_INPUTS];
	struct nn_tensor_info info;

	for (i = 0; i < inputs; i++) {
		CHECK(!nn_graph_get_input_info(graph, i, &info));
		in[i] = (struct nn_buffer){
			.data = random_inputs[i],
			.size = rows * nn_info_row_bytes(&info),
			.rows = rows,
		};
	}
	if (!CHECK(!nn_graph_execute(graph, in, inputs, outputs, nn_graph_get_output_count(graph))))
		printf("# of %u rows: %s\n", rows, nn_graph_error(graph)->text);
}

/* The same outputs of a batch of so many rows. */
static inline void compare_batch(struct nn_graph *const *graphs, uint32_t rows)
{
	static uint8_t bytes[2][MAX_OUTPUTS][OUTPUT_SIZE];
	struct nn_buffer outputs[2][MAX_OUTPUTS];
	struct nn_tensor_info info;

	for (uint32_t way = 0; way < 2; way++) {
		/* What nobody writes is not the same. */
		memset(bytes[way], 0x11 << way, sizeof(bytes[way]));
		for (uint32_t i = 0; i < MAX_OUTPUTS; i++)
			outputs[way][i] = (struct nn_buffer){
				.data = bytes[way][i],
				.size = OUTPUT_SIZE,
			};
		execute_batch(graphs[way], rows, outputs[way]);
	}
	for (uint32_t i = 0; i < nn_graph_get_output_count(graphs[0]); i++) {
		CHECK(!nn_graph_get_output_info(graphs[0], i, &info));
		CHECK(outputs[0][i].rows == outputs[1][i].rows);
		if (!CHECK(!memcmp(bytes[0][i], bytes[1][i],
				   outputs[0][i].rows * nn_info_row_bytes(&info))))
			printf("# output %u of %u rows\n", i, rows);
	}
}

/* The graph that was written: `look` sees the plan with optimization. */
static inline void run_both_ways(uint32_t planned_rows, void (*look)(const struct nn_plan *plan))
{
	const uint32_t rows[MAX_INPUTS] = { planned_rows, planned_rows };
	struct nn_graph *graphs[2];

	graphs[0] = prepare_text(graph_text, NN_PREPARE_NO_OPTIMIZE, rows);
	graphs[1] = prepare_text(graph_text, 0, rows);
	if (graphs[0] && graphs[1]) {
		look(graphs[1]->plan);
		compare_batch(graphs, RANDOM_ROWS);
		/* Without rows the caller's buffers have no place for anything. */
		compare_batch(graphs, draw(2));
	}
	nn_graph_destroy(graphs[0]);
	nn_graph_destroy(graphs[1]);
}

/* So many graphs, until one is not the same both ways. */
static inline void run_random_graphs(uint32_t count, void (*write)(void),
				     void (*look)(const struct nn_plan *plan))
{
	for (uint32_t i = 0; i < count && tap_good; i++) {
		seed = i * 31 + 7;
		text_used = node_count = 0;
		for (uint32_t k = 0; k < INPUT_SIZE; k++)
			for (uint32_t n = 0; n < MAX_INPUTS; n++)
				random_inputs[n][k] = draw(256);
		write();
		append("\n");
		/* Few are planned for a batch that grows afterwards. */
		run_both_ways(draw(8) ? RANDOM_ROWS : draw(2), look);
		if (!tap_good)
			printf("# graph %u:\n%s", i, graph_text);
	}
}

#endif
