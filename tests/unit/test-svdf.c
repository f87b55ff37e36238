// SPDX-License-Identifier: MIT
/*
 * SVDF, which changes a Variable itself, against the same layer in operators that do one thing each:
 * a fully connected one, whose results a Concat puts behind the state without its oldest step, and a
 * WeightedSum. Their outputs and their states have the same bytes, in whatever executions the rows
 * come; and each error.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define ROWS	9u
#define MOST	96u		/* inputs and units */
#define TEXT	(256u << 10)

struct form {
	uint32_t inputs, units, rank, memory;
};

static uint32_t seed;

static int32_t draw(int32_t most)
{
	seed = seed * 1664525 + 1013904223;
	return (int32_t)((uint64_t)(seed >> 8) * (2 * most + 1) >> 24) - most;
}

struct text {
	char *at;
	size_t used;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->used += vsnprintf(text->at + text->used, TEXT - text->used, format, args);
	va_end(args);
}

static void add_values(struct text *text, uint32_t count, int32_t most)
{
	for (uint32_t i = 0; i < count; i++)
		add(text, "%c%d", i ? ',' : '=', draw(most));
	add(text, "\n");
}

/* Returns the seed of the weights of time, which are there once more in other dimensions. */
static uint32_t add_layer(struct text *text, const struct form *form)
{
	uint32_t filters = form->units * form->rank, of_time;

	seed = filters * form->memory + form->inputs;
	add(text, "1 Input shape=0,%u type=int8 scale=0.5 zero_point=-7\n2 BatchLoop 1:0 step=1\n",
	    form->inputs);
	add(text, "3 Const shape=1,%u type=int16 scale=0.25 values", filters * form->memory);
	add_values(text, filters * form->memory, INT16_MAX);
	add(text, "4 Variable 3:0 level=1 persist=1\n5 Const shape=%u,%u type=int8 scale=0.75 values",
	    filters, form->inputs);
	add_values(text, filters * form->inputs, 127);
	of_time = seed;
	add(text, "6 Const shape=%u,%u type=int16 scale=0.125 values", form->memory, filters);
	add_values(text, filters * form->memory, 3000);
	add(text, "7 Const shape=%u type=int32 values", form->units);
	add_values(text, form->units, 1 << 20);
	return of_time;
}

#define OUTPUT_SCALE	"type=int8 scale=65536 zero_point=-28\n"

static struct nn_graph *make_whole(const struct form *form)
{
	struct text text = { .at = malloc(TEXT) };
	struct nn_graph *graph;

	add_layer(&text, form);
	add(&text, "8 SVDF 4:0 2:0 5:0 6:0 7:0 " OUTPUT_SCALE "9 OUTPUT 8:0\n");
	graph = make_graph(text.at);
	free(text.at);
	return graph;
}

/* Multipliers of 2^31 and exponents, of so many channels. */
static void add_scales(struct text *text, uint32_t id, uint32_t count, uint32_t multiplier, int exponent)
{
	add(text, "%u Const shape=%u,2 type=int32 values", id, count);
	for (uint32_t i = 0; i < count; i++)
		add(text, "%c%u,%d", i ? ',' : '=', multiplier, exponent);
	add(text, "\n");
}

static struct nn_graph *make_parts(const struct form *form)
{
	uint32_t filters = form->units * form->rank, length = form->memory * form->rank;
	uint32_t of_time;
	struct text text = { .at = malloc(TEXT) };
	struct nn_graph *graph;

	of_time = add_layer(&text, form);
	/* 0.5 * 0.75 / 0.25 = 1.5 = 0.75 * 2^1, and 0.25 * 0.125 / 65536 = 0.5 * 2^-20. */
	add_scales(&text, 10, filters, 3u << 29, 1);
	add_scales(&text, 11, form->units, 1u << 30, -20);
	add(&text, "12 FullyConnected 2:0 5:0 type=int32\n13 Rescale 12:0 10:0 type=int16 scale=0.25\n");
	if (form->memory > 1)
		add(&text, "14 Slice 4:0 axis=1 begin=%u size=%u\n15 Concat 14:0 13:0 axis=1\n", filters,
		    filters * (form->memory - 1));
	add(&text, "16 Assign 4:0 %u:0\n17 Reshape 16:0 shape=0,%u,%u\n", form->memory > 1 ? 15 : 13,
	    length, form->units);
	add(&text, "18 Const shape=%u,%u type=int16 scale=0.125 values", length, form->units);
	seed = of_time;
	add_values(&text, length * form->units, 3000);
	add(&text, "19 WeightedSum 17:0 18:0 7:0\n20 Rescale 19:0 11:0 " OUTPUT_SCALE "9 OUTPUT 20:0\n");
	graph = make_graph(text.at);
	free(text.at);
	return graph;
}

/* ---- Both ---- */

/* Runs rows of the input, and tells whether there are as many of the output. */
static bool run(struct nn_graph *graph, const int8_t *x, const struct form *form, uint32_t rows,
		int8_t *out)
{
	struct nn_buffer input = { .data = (void *)x, .size = rows * form->inputs, .rows = rows };
	struct nn_buffer output = { .data = out, .size = rows * form->units };
	int error = nn_graph_execute(graph, &input, 1, &output, 1);

	if (error)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return !error && output.rows == rows;
}

static bool has_state(struct nn_graph *graph, void *state, size_t size)
{
	return nn_graph_get_state_size(graph) == size && !nn_graph_get_state(graph, state, size);
}

/* Each number of rows as one execution; both graphs give the same, and then have the same state. */
static bool are_equal(struct nn_graph *whole, struct nn_graph *parts, const struct form *form,
		      const uint32_t *executions, uint32_t count)
{
	static int8_t x[ROWS * MOST], of_whole[ROWS * MOST], of_parts[ROWS * MOST];
	size_t size = nn_graph_get_state_size(parts);
	uint8_t *a = calloc(2, size), *b = a + size;
	uint32_t different = 0, first = 0;
	bool same = a && size;

	for (uint32_t i = 0; i < ROWS * form->inputs; i++)
		x[i] = (int8_t)draw(127);
	for (uint32_t i = 0; i < count && same; i++) {
		const int8_t *from = x + first * form->inputs;

		same = run(whole, from, form, executions[i], of_whole + first * form->units) &&
		       run(parts, from, form, executions[i], of_parts + first * form->units) &&
		       has_state(whole, a, size) && has_state(parts, b, size) && !memcmp(a, b, size);
		first += executions[i];
	}
	for (uint32_t i = 0; i < first * form->units; i++)
		different += of_whole[i] != of_whole[0];
	same = same && !memcmp(of_whole, of_parts, first * form->units) && different;
	if (!same)
		printf("# %u inputs, %u units, rank %u, memory %u; %u numbers differ from the first\n",
		       form->inputs, form->units, form->rank, form->memory, different);
	free(a);
	return same;
}

static void test_forms(void)
{
	static const struct form forms[] = {
		{ 5, 6, 1, 1 }, { 16, 64, 1, 8 }, { 33, 32, 2, 3 }, { 96, 32, 1, 32 }, { 7, 5, 3, 4 },
		{ 3, 1, 1, 2 }, { 8, 67, 2, 5 },
	};

	for (uint32_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct nn_graph *whole = make_whole(&forms[i]), *parts = make_parts(&forms[i]);

		CHECK(!nn_graph_prepare(whole, device, NULL) && !nn_graph_prepare(parts, device, NULL));
		if (nn_graph_error(parts)->text[0])
			printf("# %s\n", nn_graph_error(parts)->text);
		CHECK(are_equal(whole, parts, &forms[i], (uint32_t[]){ 3, 1, 5 }, 3));
		/* From the beginning, and from a state that another graph has left. */
		CHECK(!nn_graph_reset_state(whole) && !nn_graph_reset_state(parts));
		CHECK(are_equal(whole, parts, &forms[i], (uint32_t[]){ 1, 1, 1, 6 }, 4));
		nn_graph_destroy(whole);
		nn_graph_destroy(parts);
	}
}

/* Puts back what a graph had, and gives the rows behind that once more. */
static void test_rewound(void)
{
	static const struct form form = { 16, 32, 1, 8 };
	static int8_t x[ROWS * MOST], once[ROWS * MOST], again[ROWS * MOST];
	struct nn_graph *graph = make_whole(&form);
	uint8_t *state = NULL;
	size_t size;

	CHECK(!nn_graph_prepare(graph, device, NULL));
	for (uint32_t i = 0; i < sizeof(x); i++)
		x[i] = (int8_t)draw(127);
	CHECK(run(graph, x, &form, 4, once));
	size = nn_graph_get_state_size(graph);
	state = calloc(1, size);
	CHECK(state && has_state(graph, state, size));
	CHECK(run(graph, x + 4 * form.inputs, &form, 5, once));
	CHECK(!nn_graph_set_state(graph, state, size));
	CHECK(run(graph, x + 4 * form.inputs, &form, 5, again));
	CHECK(!memcmp(once, again, 5 * form.units));
	free(state);
	nn_graph_destroy(graph);
}

/* ---- Errors ---- */

#define X	"1 Input shape=0,3 type=int8 scale=0.5\n2 BatchLoop 1:0 step=1\n"
#define STATE	"3 Const shape=1,8 type=int16 scale=0.001 values=7\n4 Variable 3:0 level=1\n"
#define WEIGHTS	"5 Const shape=4,3 type=int8 scale=0.02 values=3\n"
#define TIME	"6 Const shape=2,4 type=int16 scale=0.0001 values=4000\n"
#define BIAS	"7 Const shape=2 type=int32 values=900\n"
#define LAYER	"8 SVDF 4:0 2:0 5:0 6:0 7:0 type=int8 scale=0.1\n9 OUTPUT 8:0\n"

static void test_errors(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ X STATE WEIGHTS TIME BIAS LAYER, NULL },
		{ X "4 Copy 2:0\n" WEIGHTS TIME BIAS LAYER, "input 0 must be a Variable, not node 4 (Copy)" },
		{ X STATE "5 Const shape=4,2 type=int8 scale=0.02 values=3\n" TIME BIAS LAYER,
		  "x must be int8 with a scale, [rows, 2] as its weights are" },
		{ X STATE "5 Const shape=4,3 type=int8 scale=0.02 zero_point=1 values=3\n" TIME BIAS LAYER,
		  "the weights of x must be a constant of int8 with 2 dimensions, one scale and zero point 0" },
		{ X STATE WEIGHTS "6 Const shape=3,4 type=int16 scale=0.0001 values=4000\n" BIAS LAYER,
		  "the Variable must be int16 with a scale and zero point 0, [rows, 12] as the weights of time are" },
		{ X STATE WEIGHTS "6 Const shape=4,2 type=int16 scale=0.0001 values=4000\n" BIAS LAYER,
		  "there are weights of x for 4 filters, weights of time for 2, and a bias for 2 units" },
		{ X STATE WEIGHTS TIME "7 Const shape=3 type=int32 values=900\n" LAYER,
		  "there are weights of x for 4 filters, weights of time for 4, and a bias for 3 units" },
		{ X STATE WEIGHTS TIME BIAS "8 SVDF 4:0 2:0 5:0 6:0 7:0 type=uint8 scale=0.1\n9 OUTPUT 8:0\n",
		  "the output must be int8 with one scale" },
		{ X STATE WEIGHTS TIME BIAS "8 SVDF 4:0 2:0 5:0 6:0 7:0 type=int8 scale=1e-20\n9 OUTPUT 8:0\n",
		  "the scales of inputs, weights and output differ too much" },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nn_graph *graph = make_graph(cases[i].text);
		int error = nn_graph_prepare(graph, device, NULL);
		const char *text = nn_graph_error(graph)->text;

		CHECK(cases[i].error ? error && strstr(text, cases[i].error) : !error);
		if (cases[i].error ? !error || !strstr(text, cases[i].error) : error)
			printf("# case %u: %s\n", i, text);
		nn_graph_destroy(graph);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("SVDF has the bytes and the state of the operators that it is made of", test_forms);
	tap_run("a state that is put back goes on as it did", test_rewound);
	tap_run("an SVDF of which something does not fit", test_errors);
	nn_device_close(device);
	return tap_end();
}
