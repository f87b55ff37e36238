// SPDX-License-Identifier: MIT
/*
 * Outputs that are written over an input: which, and that nobody can tell. A value is written over
 * when its only reader is a function of its elements or a sum, of as many elements, in the same
 * partition; of two inputs it is the one that was made last.
 */
#include "random-graph.h"

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
	{ "of the same twice, which is a table", CONV "8 Add 3:0 3:0 type=int8 scale=1\n" END, 3 },
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
	struct nn_graph *graph = prepare_text(text, flags, NULL);
	const struct nn_node *node;
	uint32_t id = 0;

	if (!graph)
		return 0;
	node = nn_plan_find(graph->plan, 8);
	if (node->overwritten)
		id = node->overwritten->node->id;
	/* A value that is written over another one is then another name of that. */
	CHECK(!id == (node->outputs[0].storage != NN_STORAGE_ALIAS));
	if (id)
		CHECK(nn_value_root(&node->outputs[0])->storage != NN_STORAGE_ALIAS);
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

static uint32_t overwritten, chains;

/* An earlier node from `first` on, a recent one more often. */
static uint32_t source(uint32_t first)
{
	uint32_t count = node_count + 1 - first;

	return draw(3) ? node_count - draw(count < 3 ? count : 3) : first + draw(count);
}

/*
 * A random graph of rows of 24 elements, under a loop or not; each node takes any of those before.
 * Behind the loop its input, and what was made of that before, must not be taken.
 */
static void write_graph(void)
{
	static const char *const functions[] = { "LeakyRelu", "Sigmoid", "Tanh", "Relu6" };
	uint32_t count = 6 + draw(MAX_NODES - 6), i, first;

	first = write_node("Input shape=0,24 type=int8 scale=0.1");
	if (draw(2))
		first = write_node("BatchLoop %u:0 step=%u", first, 1 + draw(3));
	while (node_count < count) {
		uint32_t a = source(first), b = source(first);

		switch (draw(7)) {
		case 0:
			write_node("Nop %u:0", a);
			break;
		case 1:
		case 2:
			write_node("Add %u:0 %u:0 type=int8 scale=0.1%s", a, b,
				   draw(2) ? " rounding=float32_fused" : "");
			break;
		case 3:
			write_node("Mul %u:0 %u:0 type=int8 scale=0.1", a, b);
			break;
		default:
			write_node("%s %u:0 type=int8 scale=0.1 zero_point=%d",
				   functions[draw(4)], a, (int)draw(9) - 4);
		}
	}
	write_node("OUTPUT %u:0", count);
	for (i = 1 + draw(5); i; i--)
		append(" %u:0", first + 1 + draw(count - first));
}

static void count_overwritten(const struct nn_plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct nn_value *over = plan->nodes[i]->overwritten;

		overwritten += over != NULL;
		chains += over && over->node->overwritten;
	}
}

static void test_random(void)
{
	run_random_graphs(GRAPHS, write_graph, count_overwritten);
	printf("# %u tensors are written over another, %u of them over such a one\n", overwritten,
	       chains);
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
