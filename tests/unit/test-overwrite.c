// SPDX-License-Identifier: MIT
/*
 * Outputs that are written over an input: which, and that nobody can tell. A value is written over
 * when its only reader is a function of its elements or a sum, of as many elements, in the same
 * partition; of two inputs it is the one that was made last.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "libnnloop/plan/plan.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

/* ---- Which ---- */

#define IMAGE	"1 Input shape=1,6,6,2 type=int8 scale=0.5\n" \
		"2 Const shape=2,3,3,2 type=int8 scale=0.1\n"
#define CONV	IMAGE "3 Conv2d 1:0 2:0 type=int8 scale=1 padding=1,1,1,1\n"
#define TWO	CONV "4 Conv2d 1:0 2:0 type=int8 scale=2 padding=1,1,1,1\n"
#define WIDE	"1 Input shape=1,6,6,2 type=int16 scale=0.5\n" \
		"2 Const shape=2,3,3,2 type=int8 scale=0.1\n" \
		"3 Conv2d 1:0 2:0 type=int16 scale=1 padding=1,1,1,1\n"
#define LOOP	"1 Input shape=0,4 type=int8 scale=0.5\n"
#define END	"9 OUTPUT 8:0\n"

static const struct {
	const char *name, *text;
	uint32_t over;		/* what node 8 is written over; 0: nothing */
} cases[] = {
	{ "a function of a convolution's result", CONV "8 LeakyRelu 3:0\n" END, 3 },
	{ "of another scale", CONV "8 Relu 3:0 type=uint8 scale=2\n" END, 3 },
	{ "that is a table", CONV "4 Const shape=256 type=uint8\n8 Table 3:0 4:0\n" END, 3 },
	{ "that is requantization", CONV "8 Requantize 3:0 type=uint8 scale=2\n" END, 3 },
	{ "as TensorFlow Lite does it", CONV "8 Rescale 3:0 type=uint8 scale=2\n" END, 3 },
	{ "of what nobody made", IMAGE "8 LeakyRelu 1:0\n" END, 0 },
	{ "of a constant", IMAGE "8 LeakyRelu 2:0\n" END, 0 },
	{ "of what another one reads", CONV "4 Sigmoid 3:0\n8 LeakyRelu 3:0\n9 OUTPUT 8:0 4:0\n", 0 },
	{ "of an output", CONV "8 LeakyRelu 3:0\n9 OUTPUT 8:0 3:0\n", 0 },
	{ "of what is another name", CONV "4 Reshape 3:0 shape=1,72\n8 LeakyRelu 4:0\n" END, 3 },
	{ "of a name with other rows", CONV "4 Reshape 3:0 shape=72,1\n8 LeakyRelu 4:0\n" END, 0 },
	{ "of what has another name", CONV "4 Reshape 3:0 shape=1,72\n8 LeakyRelu 3:0\n9 OUTPUT 8:0 4:0\n", 0 },
	{ "of a name, and another reads the other", CONV "4 Nop 3:0 outputs=2\n8 LeakyRelu 4:0\n9 OUTPUT 8:0 4:1\n", 0 },
	{ "of a name whose other has no reader", CONV "4 Nop 3:0 outputs=2\n8 LeakyRelu 4:0\n" END, 3 },
	{ "of 16 bits", WIDE "4 Const shape=65536 type=int16\n8 Table 3:0 4:0\n" END, 0 },
	{ "from 16 bits to 8", WIDE "8 Rescale 3:0 type=int8 scale=2\n" END, 0 },
	{ "a sum in place of the first", CONV "8 Add 3:0 1:0 type=int8 scale=1\n" END, 3 },
	{ "in place of the second", CONV "8 Add 1:0 3:0 type=int8 scale=1\n" END, 3 },
	{ "of two, in place of the last one", TWO "8 Add 3:0 4:0 type=int8 scale=1\n" END, 4 },
	{ "whatever their order", TWO "8 Add 4:0 3:0 type=int8 scale=1\n" END, 4 },
	{ "unless another one reads that", TWO "8 Add 4:0 3:0 type=int8 scale=1\n9 OUTPUT 8:0 4:0\n", 3 },
	{ "in float32", TWO "8 Add 3:0 4:0 type=int8 scale=1 rounding=float32\n" END, 4 },
	{ "in float32, fused", TWO "8 Add 3:0 4:0 type=int8 scale=1 rounding=float32_fused\n" END, 4 },
	{ "of the same twice", CONV "8 Add 3:0 3:0 type=int8 scale=1\n" END, 0 },
	{ "with one of a channel", CONV "4 Const shape=1,1,1,2 type=int8 scale=1\n8 Add 3:0 4:0 type=int8 scale=1\n" END, 0 },
	{ "a difference in integers", TWO "8 Sub 3:0 4:0 type=int8 scale=1\n" END, 4 },
	{ "one in float32", TWO "8 Sub 3:0 4:0 type=int8 scale=1 rounding=float32\n" END, 0 },
	{ "a product", TWO "8 Mul 3:0 4:0 type=int8 scale=1\n" END, 0 },
	{ "a function of a sum", TWO "5 Add 3:0 4:0 type=int8 scale=1\n8 LeakyRelu 5:0\n" END, 5 },
	{ "what is assigned", LOOP "2 BatchLoop 1:0 step=1\n3 Const shape=1,4 type=int8 scale=0.5\n"
	  "4 Variable 3:0 level=1\n5 LeakyRelu 2:0\n6 Assign 4:0 5:0\n8 LeakyRelu 6:0\n" END, 0 },
	{ "a variable", LOOP "2 BatchLoop 1:0 step=1\n3 Const shape=1,4 type=int8 scale=0.5\n"
	  "4 Variable 3:0 level=1\n8 LeakyRelu 4:0\n" END, 0 },
	{ "in a loop", LOOP "2 BatchLoop 1:0 step=1\n3 LeakyRelu 2:0\n8 Sigmoid 3:0\n" END, 3 },
	{ "rows that a loop hands out", LOOP "2 BatchLoop 1:0 step=1\n8 Sigmoid 2:0\n" END, 0 },
};

/* The node whose result is lost when node 8 is run. */
static uint32_t find_overwritten(const char *text, uint32_t flags)
{
	struct nn_prepare_options options = { .flags = flags };
	struct nn_graph *graph = make_graph(text);
	uint32_t id = 0;

	if (!CHECK(!nn_graph_prepare(graph, device, &options))) {
		printf("# %s\n", nn_graph_error(graph)->text);
	} else {
		const struct nn_node *node = nn_plan_find(graph->plan, 8);

		if (node->overwritten)
			id = node->overwritten->node->id;
		/* What it is written over is what it is then another name of. */
		CHECK(!id == (node->outputs[0].storage != NN_STORAGE_ALIAS));
		if (id)
			CHECK(nn_value_root(&node->outputs[0])->storage != NN_STORAGE_ALIAS);
	}
	nn_graph_destroy(graph);
	return id;
}

static void test_which(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t over = find_overwritten(cases[i].text, 0);

		if (!CHECK(over == cases[i].over))
			printf("# %s: it is written over %u, not %u\n", cases[i].name, over,
			       cases[i].over);
		CHECK(!find_overwritten(cases[i].text, NN_PREPARE_NO_OPTIMIZE));
		CHECK(!find_overwritten(cases[i].text, NN_PREPARE_ALL_TENSORS));
	}
}

/* ---- Nobody can tell ---- */

#define GRAPHS		1500
#define MAX_NODES	24
#define ROWS		5
#define WIDTH		24
#define MAX_OUTPUTS	6

static uint32_t seed, overwritten, chains;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/* An earlier node from `first` on, a recent one more often. */
static uint32_t source(uint32_t first, uint32_t i)
{
	return draw(3) ? i - 1 - draw(i - first < 3 ? i - first : 3) : first + draw(i - first);
}

/*
 * Nodes 3 and after are of rows of 24 elements, under a loop or not; each takes what it likes of
 * those before. Behind the loop its input, and what was made of that before, must not be taken.
 */
static void write_graph(char *text, size_t size)
{
	static const char *const functions[] = { "LeakyRelu", "Sigmoid", "Tanh", "Relu6" };
	uint32_t count = 6 + draw(MAX_NODES - 6), i, first = 1, used;
	int level = draw(2);

	used = snprintf(text, size, "1 Input shape=0,%u type=int8 scale=0.1\n", WIDTH);
	if (level) {
		used += snprintf(text + used, size - used, "2 BatchLoop 1:0 step=%u\n", 1 + draw(3));
		first = 2;
	}
	for (i = first + 1; i <= count; i++) {
		uint32_t a = source(first, i), b = source(first, i);

		switch (draw(7)) {
		case 0:
			used += snprintf(text + used, size - used, "%u Nop %u:0\n", i, a);
			break;
		case 1:
		case 2:
			used += snprintf(text + used, size - used,
					 "%u Add %u:0 %u:0 type=int8 scale=0.1%s\n", i, a, b,
					 draw(2) ? " rounding=float32_fused" : "");
			break;
		case 3:
			used += snprintf(text + used, size - used,
					 "%u Mul %u:0 %u:0 type=int8 scale=0.1\n", i, a, b);
			break;
		default:
			used += snprintf(text + used, size - used,
					 "%u %s %u:0 type=int8 scale=0.1 zero_point=%d\n", i,
					 functions[draw(4)], a, (int)draw(9) - 4);
		}
	}
	used += snprintf(text + used, size - used, "%u OUTPUT %u:0", count + 1, count);
	for (i = 1 + draw(MAX_OUTPUTS - 1); i; i--)
		used += snprintf(text + used, size - used, " %u:0", first + 1 + draw(count - first));
	snprintf(text + used, size - used, "\n");
}

static void count_overwritten(const struct nn_plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct nn_value *over = plan->nodes[i]->overwritten;

		overwritten += over != NULL;
		chains += over && over->node->overwritten;
	}
}

static void run(const char *text, uint32_t flags, int8_t outputs[MAX_OUTPUTS][ROWS * WIDTH])
{
	struct nn_prepare_options options = {
		.flags = flags, .input_rows = &(uint32_t) { ROWS }, .input_count = 1
	};
	struct nn_buffer in, out[MAX_OUTPUTS];
	struct nn_graph *graph = make_graph(text);
	static int8_t rows[ROWS * WIDTH];

	for (uint32_t i = 0; i < sizeof(rows); i++)
		rows[i] = (int8_t)(i * 89 + 3);
	in = (struct nn_buffer){ .data = rows, .size = sizeof(rows), .rows = ROWS };
	for (uint32_t i = 0; i < MAX_OUTPUTS; i++)
		out[i] = (struct nn_buffer){ .data = outputs[i], .size = ROWS * WIDTH };
	if (!CHECK(!nn_graph_prepare(graph, device, &options) &&
		   !nn_graph_execute(graph, &in, 1, out, nn_graph_get_output_count(graph))))
		printf("# %s\n%s", nn_graph_error(graph)->text, text);
	else
		count_overwritten(graph->plan);
	nn_graph_destroy(graph);
}

static void test_random(void)
{
	static int8_t plain[MAX_OUTPUTS][ROWS * WIDTH], optimized[MAX_OUTPUTS][ROWS * WIDTH];
	char text[4096];
	uint32_t i;

	for (i = 0; i < GRAPHS && tap_good; i++) {
		seed = i * 31 + 7;
		write_graph(text, sizeof(text));
		memset(plain, 0, sizeof(plain));
		memset(optimized, 0, sizeof(optimized));
		run(text, NN_PREPARE_NO_OPTIMIZE, plain);
		CHECK(!overwritten || i);
		run(text, 0, optimized);
		if (!CHECK(!memcmp(plain, optimized, sizeof(plain))))
			printf("# graph %u:\n%s", i, text);
	}
	printf("# %u graphs; %u tensors are written over another, %u of them over such a one\n", i,
	       overwritten, chains);
	CHECK(overwritten > GRAPHS && chains > GRAPHS / 4);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("what is written over what", test_which);
	tap_run("results are the same", test_random);
	nn_device_close(device);
	return tap_end();
}
