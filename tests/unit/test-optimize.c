// SPDX-License-Identifier: MIT
/*
 * Which nodes an optimized plan is without: those that nothing uses, and those that the operator
 * before them does for them. That the result is the same either way is test-graph's to see.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define IMAGE	"1 Input shape=1,6,6,2 type=int8 scale=0.5\n2 Const shape=3,3,3,2 type=int8 scale=0.1\n"
#define CONV	IMAGE "3 Conv2d 1:0 2:0 type=uint8 scale=1 zero_point=5\n"
#define SUMS	IMAGE "3 Conv2d 1:0 2:0 type=int32\n"
#define FLOATS	"1 Input shape=1,6,6,2 type=float32\n2 Const shape=3,3,2,3 type=float32\n" \
		"5 Const shape=3 type=float32\n3 FloatConv2d 1:0 2:0 5:0\n"
#define END	"9 OUTPUT 4:0\n"

static const struct {
	const char *name, *text;
	uint32_t gone;
} cases[] = {
	{ "an activation", CONV "4 Relu 3:0\n" END, 1 },
	{ "one that says again what it gives", CONV "4 Relu 3:0 type=uint8 scale=1 zero_point=5\n" END, 1 },
	{ "one that has two users itself", CONV "4 Relu 3:0\n9 OUTPUT 4:0 4:0\n", 1 },
	{ "two of them", CONV "5 Relu 3:0\n4 Clamp 5:0 min=1 max=3\n" END, 2 },
	{ "behind a sum", IMAGE "3 Add 1:0 1:0 type=int8 scale=1\n4 Relu6 3:0\n" END, 1 },
	{ "behind what has another user", CONV "4 Relu 3:0\n9 OUTPUT 4:0 3:0\n", 0 },
	{ "behind what is used twice by one", CONV "5 Relu 3:0\n4 Concat 5:0 3:0 axis=3\n" END, 0 },
	{ "to another scale", CONV "4 Relu 3:0 type=uint8 scale=2 zero_point=5\n" END, 0 },
	{ "to another zero point", CONV "4 Relu 3:0 type=uint8 scale=1 zero_point=4\n" END, 0 },
	{ "to another type", CONV "4 Relu 3:0 type=int8 scale=1 zero_point=5\n" END, 0 },
	{ "behind an input", IMAGE "4 Relu 1:0\n" END, 0 },
	{ "behind what cannot limit", IMAGE "3 MaxPool 1:0 kernel=2\n4 Relu 3:0\n" END, 0 },
	{ "a Requantize of sums", SUMS "4 Requantize 3:0 type=int8 scale=1\n" END, 1 },
	{ "and an activation behind it", SUMS "5 Requantize 3:0 type=int8 scale=1\n4 Relu 5:0\n" END, 2 },
	{ "a Requantize of sums that have another user",
	  SUMS "4 Requantize 3:0 type=int8 scale=1\n9 OUTPUT 4:0 3:0\n", 0 },
	{ "a Requantize of what is no sum", CONV "4 Requantize 3:0 type=int8 scale=1\n" END, 0 },
	{ "a clamp of floats", FLOATS "4 FloatEach 3:0 function=clamp alpha=-1 beta=6\n" END, 1 },
	{ "a Relu of floats, and a clamp", FLOATS "6 FloatEach 3:0 function=Relu\n"
	  "4 FloatEach 6:0 function=clamp alpha=1\n" END, 2 },
	{ "a clamp of what has another user", FLOATS "4 FloatEach 3:0 function=Relu\n9 OUTPUT 4:0 3:0\n", 0 },
	{ "another function of floats", FLOATS "4 FloatEach 3:0 function=LeakyRelu alpha=0.1\n" END, 0 },
	{ "a clamp of other floats", FLOATS "6 FloatEach 3:0 function=Abs\n"
	  "4 FloatEach 6:0 function=Relu\n" END, 0 },
	{ "what nothing uses", CONV "4 MaxPool 3:0 kernel=2\n5 MaxPool 4:0 kernel=2\n6 Relu 5:0\n" END, 2 },
};

static uint32_t count_nodes(const char *text, uint32_t flags)
{
	struct nn_prepare_options options = { .flags = flags };
	struct nn_plan_info info = { 0 };
	struct nn_graph *graph = new_graph();

	if (!CHECK(!nn_graph_import_text(graph, text, strlen(text)) && !nn_graph_prepare(graph, device, &options) &&
		   !nn_graph_get_plan(graph, &info)))
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	return info.node_count;
}

static void test_nodes(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t all = count_nodes(cases[i].text, NN_PREPARE_NO_OPTIMIZE);
		uint32_t left = count_nodes(cases[i].text, 0);

		if (!CHECK(all - left == cases[i].gone))
			printf("# %s: of %u nodes %u are left\n", cases[i].name, all, left);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("nodes that are not there when optimized", test_nodes);
	nn_device_close(device);
	return tap_end();
}
