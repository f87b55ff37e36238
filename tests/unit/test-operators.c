// SPDX-License-Identifier: MIT
/*
 * How many inputs and outputs each operator has, as docs/operators.md says: no node with another number of them gets into a
 * graph.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"
#include "tap.h"

#define ANY	100	/* stands for any number of inputs */

static const struct {
	const char *name;
	unsigned int min, max, outputs;
} operators[] = {
	{ "Add", 2, 2, 1 },
	{ "Assign", 2, 2, 1 },
	{ "AveragePool", 1, 1, 1 },
	{ "BatchLoop", 1, ANY, 1 },
	{ "Clamp", 1, 1, 1 },
	{ "Concat", 1, ANY, 1 },
	{ "Conv2d", 2, 3, 1 },
	{ "Copy", 1, 1, 1 },
	{ "CountLoop", 1, ANY, 1 },
	{ "CropResize", 3, 3, 1 },
	{ "DepthwiseConv2d", 2, 3, 1 },
	{ "FullyConnected", 2, 3, 1 },
	{ "Input", 0, 0, 1 },
	{ "LeakyRelu", 1, 1, 1 },
	{ "MaxPool", 1, 1, 1 },
	{ "Nop", 1, ANY, 1 },
	{ "OUTPUT", 1, ANY, 0 },
	{ "Proposal", 4, 4, 3 },
	{ "Relu", 1, 1, 1 },
	{ "Relu6", 1, 1, 1 },
	{ "Requantize", 1, 1, 1 },
	{ "Reshape", 1, 1, 1 },
	{ "Sigmoid", 1, 1, 1 },
	{ "Tanh", 1, 1, 1 },
	{ "Transpose", 1, 1, 1 },
	{ "Variable", 1, 1, 1 },
};

/* Whether a node with so many inputs is taken, and then a user of its output `output`, if that is not negative. */
static bool is_taken(const char *name, unsigned int inputs, int output, const char *word)
{
	char text[2048] = "1 Input shape=1,2,2,1 type=int8 scale=1\n2 ";
	struct nn_graph *graph;
	bool taken;

	strcat(text, name);
	for (unsigned int i = 0; i < inputs; i++)
		strcat(text, " 1:0");
	if (output >= 0)
		snprintf(text + strlen(text), 32, "\n3 Nop 2:%d", output);
	if (nn_graph_create(&graph))
		exit(1);
	taken = !nn_graph_import_text(graph, text, strlen(text));
	if (!taken && !strstr(nn_graph_error(graph)->text, word)) {
		printf("# %s\n", nn_graph_error(graph)->text);
		CHECK(!"the sentence says why");
	}
	nn_graph_destroy(graph);
	return taken;
}

static void test_inputs(void)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		const char *name = operators[i].name;
		unsigned int min = operators[i].min, max = operators[i].max;

		if (!CHECK(is_taken(name, min, -1, "") && is_taken(name, max, -1, "") &&
			   (!min || !is_taken(name, min - 1, -1, "takes ")) &&
			   (max == ANY || !is_taken(name, max + 1, -1, "takes "))))
			printf("# %s\n", name);
	}
}

static void test_outputs(void)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		const char *name = operators[i].name;
		int outputs = operators[i].outputs;

		if (!CHECK(!is_taken(name, operators[i].min, outputs, "which has ") &&
			   (!outputs || is_taken(name, operators[i].min, outputs - 1, ""))))
			printf("# %s\n", name);
	}
}

int main(void)
{
	tap_run("inputs", test_inputs);
	tap_run("outputs", test_outputs);
	return tap_end();
}
