// SPDX-License-Identifier: MIT
/*
 * Operators of a tensor and of tables of it, which become one table of it: which, and that nobody
 * can tell.
 */
#include "random-graph.h"

/* ---- Which ---- */

#define ROW	"1 Input shape=0,256 type=int8 scale=0.05 zero_point=-7\n"
#define OF_ROW	ROW "2 Sigmoid 1:0 type=uint8 scale=0.00390625\n"
#define TANH	"3 Tanh 1:0 type=int8 scale=0.0078125\n"
#define LOOP	ROW "2 BatchLoop 1:0 step=3\n"
#define TYPE	" type=int8 scale=0.04 zero_point=11\n"
#define END	"9 OUTPUT 8:0\n"

/*
 * Node 8 becomes a table of node `of`, or none, if that is 0, and so many nodes are gone: those whose
 * tables nothing else reads.
 */
static const struct {
	const char *name, *text;
	uint32_t of, gone;
} cases[] = {
	{ "a product", OF_ROW "8 Mul 1:0 2:0" TYPE END, 1, 1 },
	{ "the other way round", OF_ROW "8 Mul 2:0 1:0" TYPE END, 1, 1 },
	{ "a sum", OF_ROW "8 Add 1:0 2:0" TYPE END, 1, 1 },
	{ "a sum in float32", OF_ROW "8 Add 1:0 2:0 rounding=float32" TYPE END, 1, 1 },
	{ "a sum in float32, fused", OF_ROW "8 Add 1:0 2:0 rounding=float32_fused" TYPE END, 1, 1 },
	{ "a difference", OF_ROW "8 Sub 1:0 2:0" TYPE END, 1, 1 },
	{ "a difference in float32", OF_ROW "8 Sub 2:0 1:0 rounding=float32" TYPE END, 1, 1 },
	{ "a quotient", OF_ROW "8 Div 1:0 2:0" TYPE END, 1, 1 },
	{ "the square of a difference", OF_ROW "8 SquaredDifference 1:0 2:0" TYPE END, 1, 1 },
	{ "limited", OF_ROW "8 Mul 1:0 2:0 activation=relu6" TYPE END, 1, 1 },
	{ "of two tables", OF_ROW TANH "8 Mul 3:0 2:0" TYPE END, 1, 2 },
	{ "of itself", ROW "8 Mul 1:0 1:0" TYPE END, 1, 0 },
	{ "of a table twice", OF_ROW "8 Mul 2:0 2:0" TYPE END, 2, 0 },
	{ "of what is such a table", OF_ROW "3 Mul 1:0 2:0" TYPE "8 Add 1:0 3:0" TYPE END, 1, 2 },
	{ "of a table that another one reads", OF_ROW "8 Mul 1:0 2:0" TYPE "9 OUTPUT 8:0 2:0\n", 1, 0 },
	{ "in a loop", LOOP "3 Sigmoid 2:0 type=int8 scale=0.01\n8 Mul 3:0 2:0" TYPE END, 2, 1 },
	{ "of tables of two tensors", OF_ROW "3 Input shape=0,256 type=int8 scale=0.1\n8 Mul 2:0 3:0" TYPE END, 0, 0 },
	{ "of a table of a table", OF_ROW "3 Tanh 2:0 type=int8 scale=0.01\n8 Mul 3:0 1:0" TYPE END, 0, 0 },
	{ "of what is not by element",
	  ROW "2 Softmax 1:0 type=uint8 scale=0.00390625\n8 Mul 2:0 1:0" TYPE END, 0, 0 },
	{ "of another shape", OF_ROW "3 Slice 2:0 axis=1 begin=3 size=1\n8 Mul 1:0 3:0" TYPE END, 0, 0 },
	{ "of 16 bits", "1 Input shape=0,256 type=int16 scale=0.05\n8 AddInt16 1:0 1:0 type=int16 scale=0.1\n" END, 0, 0 },
	{ "of a variable", LOOP "3 Const shape=1,256 type=int8 scale=0.05 zero_point=-7\n4 Variable 3:0 level=1\n"
			   "5 Tanh 4:0 type=int8 scale=0.01\n6 Assign 4:0 2:0\n8 Mul 4:0 5:0" TYPE END, 0, 0 },
};

static uint32_t count_nodes(const char *text, uint32_t flags, uint32_t *of)
{
	struct nn_graph *graph = prepare_text(text, flags, NULL);
	const struct nn_node *node;
	uint32_t count;

	if (!graph)
		return 0;
	count = graph->plan->node_count;
	node = nn_plan_find(graph->plan, 8);
	*of = node->input_count == 1 ? node->inputs[0]->node->id : 0;
	nn_graph_destroy(graph);
	return count;
}

static void test_which(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t of, all = count_nodes(cases[i].text, NN_PREPARE_NO_OPTIMIZE, &of), left;

		CHECK(!of);
		left = count_nodes(cases[i].text, 0, &of);
		if (!CHECK(of == cases[i].of && all - left == cases[i].gone))
			printf("# %s: of node %u, and of %u nodes %u are left\n", cases[i].name, of,
			       all, left);
	}
}

/* ---- All values ---- */

static uint32_t written;

static void write_case(void)
{
	append("%.*s", (int)strlen(cases[written].text) - 1, cases[written].text);
	/* Each row has all elements there are, from another one on. */
	for (uint32_t i = 0; i < RANDOM_ROWS * 256; i++)
		random_inputs[0][i] = i * 7 + i / 256 * 31;
	written++;
}

static void ignore(const struct nn_plan *plan)
{
	(void)plan;
}

static void test_values(void)
{
	run_random_graphs(COUNT(cases), write_case, ignore);
	CHECK(written == COUNT(cases));
}

/* ---- Nobody can tell ---- */

#define GRAPHS	1000

static uint32_t merged;

/*
 * A random graph of rows of 24 elements, of several types and zero points, in a loop or not. Half of
 * the operators of two tensors take one that was made of the other.
 */
static void write_graph(void)
{
	static const char *const functions[] = { "LeakyRelu", "Sigmoid", "Tanh", "Relu6", "Rescale" };
	static const char *const pairs[] = {
		"Add", "Mul", "Sub", "Maximum", "Minimum", "Div", "SquaredDifference",
	};
	static const char *const types[] = {
		"type=int8 scale=0.1 zero_point=3", "type=uint8 scale=0.02 zero_point=128",
	};
	uint32_t made_of[64], first, count = 8 + draw(16);

	first = write_node("Input shape=0,24 %s", types[draw(2)]);
	if (draw(2))
		first = write_node("BatchLoop %u:0 step=%u", first, 1 + draw(3));
	made_of[first] = first;
	while (node_count < count) {
		uint32_t a = first + draw(node_count + 1 - first), b;

		if (draw(2)) {
			b = write_node("%s %u:0 %s", functions[draw(5)], a, types[draw(2)]);
			made_of[b] = a;
			continue;
		}
		b = draw(2) ? made_of[a] : first + draw(node_count + 1 - first);
		made_of[node_count + 1] = a;
		write_node("%s %u:0 %u:0 %s", pairs[draw(7)], draw(2) ? a : b, draw(2) ? b : a,
			   types[draw(2)]);
	}
	write_node("OUTPUT %u:0", count);
	for (uint32_t i = 1 + draw(5); i; i--)
		append(" %u:0", first + draw(count + 1 - first));
}

static void count_merged(const struct nn_plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		merged += !strcmp(plan->nodes[i]->op->name, "Table");
}

static void test_random(void)
{
	run_random_graphs(GRAPHS, write_graph, count_merged);
	printf("# %u operators became tables\n", merged);
	CHECK(merged > GRAPHS);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("what becomes a table", test_which);
	tap_run("all values of these are the same", test_values);
	tap_run("results of random graphs are the same", test_random);
	nn_device_close(device);
	return tap_end();
}
