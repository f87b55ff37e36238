// SPDX-License-Identifier: MIT
/*
 * Inputs of a Concat that are made where they belong in its output, and Slices that are read where
 * they are in their input: which, and that nobody can tell. Who writes and reads them can have
 * pixels apart.
 */
#include "channel-graph.h"

/* ---- Which ---- */

#define IMAGE	"1 Input shape=1,4,6,8 type=int8 scale=0.5\n" \
		"2 Const shape=64,1,1,8 type=int8 scale=0.1 values=1\n"
#define CONV	IMAGE "3 Conv2d 1:0 2:0 type=int8 scale=1\n"
#define TWO	CONV "4 Conv2d 1:0 2:0 type=int8 scale=1\n"
#define END	"9 OUTPUT 8:0\n"
/* The halves of a convolution, and one that reads 32 channels. */
#define HALVES	CONV "4 Slice 3:0 size=32\n5 Slice 3:0 begin=32\n" \
		"20 Const shape=64,1,1,32 type=int8 scale=0.1 values=1\n"

/* A convolution of so many outputs, a pool of what it makes, and one of that. */
#define MAKES(outputs)	"1 Input shape=1,4,6,8 type=int8 scale=0.5\n" \
		"2 Const shape=" #outputs ",1,1,8 type=int8 scale=0.1 values=1\n3 Conv2d 1:0 2:0 type=int8 scale=1\n"
#define POOLS(outputs, pool) MAKES(outputs) "4 " pool " 3:0 kernel=3 padding=1,1,1,1\n" \
		"5 " pool " 4:0 kernel=3 padding=1,1,1,1\n8 Concat 3:0 4:0 5:0\n" END
/* GhostNet's. */
#define CHEAP(outputs)	MAKES(outputs) "20 Const shape=1,3,3," #outputs " type=int8 scale=0.1 values=1\n" \
		"4 DepthwiseConv2d 3:0 20:0 type=int8 scale=1 padding=1,1,1,1\n8 Concat 3:0 4:0\n" END
/* An image of 48 rows: with 64 columns and 32 channels both are 192 KB. */
#define LARGE(columns, outputs, pool) "1 Input shape=1,48," columns ",8 type=int8 scale=0.5\n" \
		"2 Const shape=" outputs ",1,1,8 type=int8 scale=0.1 values=1\n3 Conv2d 1:0 2:0 type=int8 scale=1\n" \
		"4 " pool " 3:0 kernel=3 padding=1,1,1,1\n8 Concat 3:0 4:0\n" END

static const struct {
	const char *name, *text;
	uint32_t strided;		/* a bit for each input of node 8 */
	uint32_t views;		/* a bit for each node that is a Slice */
} cases[] = {
	{ "two convolutions", TWO "8 Concat 3:0 4:0\n" END, 3, 0 },
	{ "of which another one reads one", TWO "8 Concat 3:0 4:0\n9 OUTPUT 8:0 4:0\n", 1, 0 },
	{ "one twice", CONV "8 Concat 3:0 3:0\n" END, 0, 0 },
	{ "a single one", CONV "8 Concat 3:0\n" END, 1, 0 },
	{ "one and an input", CONV "4 Input shape=1,4,6,2 type=int8 scale=1\n8 Concat 4:0 3:0\n" END, 2, 0 },
	{ "one and a constant", CONV "4 Const shape=1,4,6,2 type=int8 scale=1\n8 Concat 3:0 4:0\n" END, 1, 0 },
	{ "along the width", TWO "8 Concat 3:0 4:0 axis=2\n" END, 0, 0 },
	{ "what has few outputs, which joins pixels",
	  IMAGE "3 Const shape=16,1,1,8 type=int8 scale=0.1\n4 Conv2d 1:0 3:0 type=int8 scale=1\n8 Concat 4:0\n" END, 0, 0 },
	{ "functions in place of them", TWO "5 LeakyRelu 3:0\n6 Sigmoid 4:0 type=int8 scale=1 zero_point=0\n8 Concat 5:0 6:0\n" END, 3, 0 },
	{ "a function of an input", CONV "4 LeakyRelu 1:0 type=int8 scale=1\n8 Concat 4:0 3:0\n" END, 3, 0 },
	{ "a sum in place of one", TWO "5 Add 3:0 4:0 type=int8 scale=1\n8 Concat 5:0\n" END, 1, 0 },
	{ "a sum of others", TWO "5 Add 3:0 4:0 type=int8 scale=1\n8 Concat 5:0 4:0\n" END, 3, 0 },
	{ "of which another one reads one later",
	  TWO "8 Concat 3:0 4:0\n5 LeakyRelu 4:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "of which a pool reads one", TWO "5 MaxPool 4:0 kernel=1\n8 Concat 3:0 4:0\n9 OUTPUT 8:0 5:0\n", 3, 0 },
	{ "of which two pools read one",
	  TWO "5 MaxPool 4:0 kernel=1\n6 MaxPool 4:0 kernel=3\n8 Concat 3:0 4:0\n9 OUTPUT 8:0 5:0 6:0\n", 1, 0 },
	{ "of which a pool and a depthwise convolution read one",
	  TWO "20 Const shape=1,1,1,64 type=int8 scale=0.1 values=1\n5 DepthwiseConv2d 4:0 20:0 type=int8 scale=1\n"
	  "6 AveragePool 4:0 kernel=3\n8 Concat 3:0 4:0\n9 OUTPUT 8:0 5:0 6:0\n", 1, 0 },
	{ "of which a function and a pool read one, with the function",
	  TWO "5 MaxPool 4:0 kernel=1\n6 LeakyRelu 4:0\n8 Concat 4:0 6:0\n9 OUTPUT 8:0 5:0\n", 3, 0 },
	{ "of which a convolution that joins pixels reads one", TWO
	  "20 Const shape=16,1,1,64 type=int8 scale=0.1 values=1\n5 Conv2d 4:0 20:0 type=int8 scale=1\n"
	  "8 Concat 3:0 4:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "nearest pixels", CONV "4 Resize 3:0 size=4,6\n8 Concat 4:0\n" END, 1, 0 },
	{ "of a linear function", CONV "4 Resize 3:0 size=4,6 mode=linear\n8 Concat 4:0\n" END, 0, 0 },
	{ "a pool", CONV "4 MaxPool 3:0 kernel=1\n8 Concat 4:0\n" END, 1, 0 },
	{ "a pool of 16 bits", "3 Input shape=1,4,6,8 type=int16 scale=1\n4 MaxPool 3:0 kernel=1\n8 Concat 4:0\n" END, 0, 0 },
	{ "pools of pools, where they move pixels", POOLS(64, "MaxPool"), 1 << 0 | 1 << 2, 0 },
	{ "averages of averages", POOLS(128, "AveragePool"), 1 << 0 | 1 << 2, 0 },
	{ "pools of pools, where pixels stay", POOLS(128, "MaxPool"), 7, 0 },
	{ "and where they are long", POOLS(384, "MaxPool"), 7, 0 },
	{ "and where the last vector would not be full", POOLS(192, "MaxPool"), 1 << 0 | 1 << 2, 0 },
	{ "a depthwise convolution, and what it reads", CHEAP(64), 3, 0 },
	{ "of outputs that a convolution would not store so", CHEAP(40), 2, 0 },
	{ "of 32 outputs", CHEAP(32), 3, 0 },
	{ "of 144", CHEAP(144), 3, 0 },
	{ "a pool that has room in scratch memory", LARGE("64", "32", "MaxPool"), 3, 0 },
	{ "one that has not", LARGE("65", "32", "MaxPool"), 0, 0 },
	{ "one that need not", LARGE("64", "128", "MaxPool"), 3, 0 },
	{ "an average that has no room", LARGE("64", "128", "AveragePool"), 0, 0 },
	{ "a product", TWO "5 Mul 3:0 4:0 type=int8 scale=1\n8 Concat 5:0\n" END, 0, 0 },
	{ "another Concat", TWO "5 Concat 3:0 4:0\n8 Concat 5:0\n" END, 0, 0 },
	{ "with another shape", CONV "4 Reshape 3:0 shape=1,24,64\n8 Concat 4:0\n" END, 0, 0 },
	{ "another name", CONV "4 Nop 3:0\n8 Concat 4:0\n" END, 0, 0 },
	{ "functions of rows", "1 Input shape=0,4 type=int8 scale=1\n3 LeakyRelu 1:0\n8 Concat 3:0 1:0\n" END, 1, 0 },
	{ "in a loop", "1 Input shape=0,4 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n3 LeakyRelu 2:0\n8 Concat 3:0 2:0\n" END, 1, 0 },
	{ "before a loop, and in it", "1 Input shape=0,4 type=int8 scale=1\n3 LeakyRelu 1:0\n2 BatchLoop 3:0 step=2\n"
	  "4 LeakyRelu 2:0\n8 Concat 4:0 2:0\n" END, 1, 0 },
	{ "of a variable", "1 Input shape=0,4 type=int8 scale=0.5\n2 BatchLoop 1:0 step=1\n"
	  "3 Const shape=1,4 type=int8 scale=0.5\n4 Variable 3:0 level=1\n5 LeakyRelu 2:0\n6 Assign 4:0 5:0\n"
	  "8 Concat 6:0\n" END, 0, 0 },

	{ "a half for a convolution", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "both, one of them for two", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n7 Add 4:0 5:0 type=int8 scale=1\n"
	  "8 Concat 6:0 7:0\n" END, 3, 1 << 4 | 1 << 5 },
	{ "for a function, which is not in place of it", HALVES "6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "for a pool", HALVES "6 MaxPool 5:0 kernel=1\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "for two pools", HALVES "6 MaxPool 5:0 kernel=1\n7 AveragePool 5:0 kernel=1\n8 Concat 6:0 7:0\n" END, 3, 0 },
	{ "for a pool, under two names", HALVES "6 Nop 5:0\n7 MaxPool 6:0 kernel=1\n8 Concat 7:0\n" END, 1, 0 },
	{ "for a function and a pool", HALVES "6 MaxPool 5:0 kernel=1\n7 LeakyRelu 5:0\n8 Concat 6:0 7:0\n" END, 3, 1 << 5 },
	{ "for a function and a Softmax", HALVES "6 Softmax 5:0 type=int8 scale=1\n7 LeakyRelu 5:0\n8 Concat 6:0 7:0\n" END, 2, 0 },
	{ "for OUTPUT, too", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 6:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "of what OUTPUT takes, too",
	  HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 6:0\n9 OUTPUT 8:0 3:0\n", 1, 1 << 5 },
	{ "under another name", HALVES "6 Nop 5:0\n7 Conv2d 6:0 20:0 type=int8 scale=1\n8 Concat 7:0\n" END, 1, 0 },
	{ "of another name",
	  CONV "4 Nop 3:0\n5 Slice 4:0 size=8\n6 Conv2d 5:0 2:0 type=int8 scale=1\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "of another shape",
	  CONV "4 Reshape 3:0 shape=1,4,12,32\n5 Slice 4:0 begin=24\n6 Conv2d 5:0 2:0 type=int8 scale=1\n8 Concat 6:0\n" END,
	  1, 1 << 5 },
	{ "along the width", CONV "5 Slice 3:0 axis=2 size=3\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 0, 0 },
	{ "of a half", HALVES "6 Slice 5:0 begin=24\n7 Conv2d 6:0 2:0 type=int8 scale=1\n8 Concat 7:0\n" END, 1,
	  1 << 5 | 1 << 6 },
	{ "of a half, for a pool", HALVES "6 Slice 5:0 begin=24\n7 MaxPool 6:0 kernel=1\n8 Concat 7:0\n" END, 1,
	  1 << 5 | 1 << 6 },
	{ "of a half, for a Softmax", HALVES "6 Slice 5:0 begin=24\n7 Softmax 6:0 type=int8 scale=1\n8 Concat 7:0\n" END, 0,
	  1 << 5 },
	{ "of an input", IMAGE "5 Slice 1:0 begin=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "of a constant", "4 Const shape=1,4,6,8 type=int8 scale=0.5\n5 Slice 4:0 begin=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END,
	  0, 0 },
	{ "of rows, as a loop hands them out",
	  "1 Input shape=0,8 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n5 Slice 2:0 size=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 0, 0 },
	{ "of a function of them",
	  "1 Input shape=0,8 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n3 LeakyRelu 2:0\n5 Slice 3:0 size=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END,
	  1, 1 << 5 },
	{ "that crosses to a loop", "1 Input shape=0,8 type=int8 scale=1\n3 LeakyRelu 1:0\n5 Slice 3:0 size=4\n"
	  "2 BatchLoop 5:0 step=2\n6 LeakyRelu 2:0\n8 Concat 6:0\n" END, 1, 0 },
	{ "of a variable", "1 Input shape=0,4 type=int8 scale=0.5\n2 BatchLoop 1:0 step=1\n"
	  "3 Const shape=1,4 type=int8 scale=0.5\n4 Variable 3:0 level=1\n5 Slice 4:0 begin=2\n6 LeakyRelu 5:0\n"
	  "7 Assign 4:0 2:0\n8 Concat 6:0\n9 OUTPUT 8:0 7:0\n", 0, 0 },

	{ "one half is copied", HALVES "8 Concat 5:0\n" END, 0, 1 << 5 },
	{ "two that are a whole are there", HALVES "8 Concat 4:0 5:0\n" END, 3, 1 << 4 | 1 << 5 },
	{ "and others between which they are",
	  HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n7 Conv2d 4:0 20:0 type=int8 scale=1\n8 Concat 6:0 4:0 5:0 7:0\n" END,
	  15, 1 << 4 | 1 << 5 },
	{ "but not the other way around", HALVES "8 Concat 5:0 4:0\n" END, 0, 1 << 4 | 1 << 5 },
	{ "nor with one once more", HALVES "8 Concat 4:0 5:0 5:0\n" END, 0, 1 << 4 | 1 << 5 },
	{ "nor with the whole", HALVES "8 Concat 3:0 4:0 5:0\n" END, 0, 1 << 4 | 1 << 5 },
	{ "nor apart", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 4:0 6:0 5:0\n" END, 2, 1 << 4 | 1 << 5 },
	{ "nor where one is read later", HALVES "8 Concat 4:0 5:0\n6 LeakyRelu 5:0\n9 OUTPUT 8:0 6:0\n", 0,
	  1 << 4 | 1 << 5 },
	{ "a half in halves is a whole with the other", HALVES "6 Slice 5:0 size=16\n7 Slice 5:0 begin=16\n"
	  "8 Concat 4:0 6:0 7:0\n" END, 7, 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 },
	{ "halves of a Concat", TWO "10 Concat 3:0 4:0\n5 Slice 10:0 size=64\n6 LeakyRelu 5:0\n8 Concat 6:0 5:0\n" END, 1,
	  1 << 5 },
	{ "a half of what is made in a Concat", CONV "4 Slice 3:0 size=8\n5 Conv2d 4:0 2:0 type=int8 scale=1\n8 Concat 5:0 3:0\n" END,
	  3, 1 << 4 },
};

/* Whether a value is some channels of an output. */
static bool is_in(const struct nn_value *value, const struct nn_value *output)
{
	while (value->storage == NN_STORAGE_CHANNELS && value->base != output)
		value = nn_value_root(value->base);
	return value->storage == NN_STORAGE_CHANNELS;
}

/* Slices that are views: a bit for each node. They have nothing to do, the others are copies. */
static uint32_t find_views(const struct nn_plan *plan)
{
	uint32_t views = 0, i;

	for (i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		if (strcmp(node->op->name, "Slice"))
			continue;
		if (node->outputs[0].storage == NN_STORAGE_CHANNELS) {
			const struct nn_value *base = node->outputs[0].base;

			/* A view is of its input or of what that is a view of: no chain is long. */
			CHECK(base == node->inputs[0] || base == node->inputs[0]->base);
			CHECK(!base->node->takes_channels || base->storage != NN_STORAGE_CHANNELS);
			views |= 1u << node->id;
		}
		CHECK((node->outputs[0].storage == NN_STORAGE_CHANNELS) ==
		      (node->runs_on == NN_RUNS_NOWHERE));
	}
	return views;
}

/* Inputs of node 8 that are made in its output. */
static uint32_t find_strided(const char *text, uint32_t flags, uint32_t *views)
{
	struct nn_graph *graph = prepare_text(text, flags, NULL);
	const struct nn_node *node;
	uint32_t apart = 0, i;

	if (!graph)
		return 0;
	node = nn_plan_find(graph->plan, 8);
	for (i = 0; i < node->input_count; i++) {
		if (is_in(nn_value_root(node->inputs[i]), &node->outputs[0]))
			apart |= 1u << i;
	}
	*views = find_views(graph->plan);
	/* There is nothing to do for it then. */
	CHECK((apart + 1 == 1u << node->input_count) == (node->runs_on == NN_RUNS_NOWHERE));
	nn_graph_destroy(graph);
	return apart;
}

static void test_which(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t views = 0, apart = find_strided(cases[i].text, 0, &views);

		if (!CHECK(apart == cases[i].strided && views == cases[i].views))
			printf("# %s: %#x are made there, not %#x; %#x are views, not %#x\n",
			       cases[i].name, apart, cases[i].strided, views, cases[i].views);
		CHECK(!find_strided(cases[i].text, NN_PREPARE_NO_OPTIMIZE, &views) && !views);
		CHECK(!find_strided(cases[i].text, NN_PREPARE_ALL_TENSORS, &views) && !views);
	}
}

/* ---- What random graphs have ---- */

#define GRAPHS		3000

static bool is_wide(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 || node->outputs[0].info.type == NN_INT16;
}

static bool is_raw(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT32 || node->outputs[0].info.type == NN_INT32;
}

static bool has_windows(const struct nn_node *node)
{
	return node->inputs[1]->info.dims[1] > 1;
}

/* A convolution of 16 outputs makes two pixels as one, and reads them so. */
static bool merges_pixels(const struct nn_node *node)
{
	return node->outputs[0].info.dims[3] == 16 && node->outputs[0].info.dims[2] % 2 == 0;
}

static bool is_rounded(const struct nn_node *node)
{
	return nn_node_get_attr(node, "rounding");
}

static bool is_of_channels(const struct nn_node *node)
{
	return node->concats_channels || node->takes_channels;
}

/*
 * Who reads Slices: whether what it reads can be a view, and how many there were that were one or
 * not. Of an operator those that are so first.
 */
static struct reader {
	const char *op;
	bool (*is_so)(const struct nn_node *node);
	bool reads_views;
	bool moves;		/* pixels, before it does */
	const char *name;
	uint32_t views, copies;
} readers[] = {
	{ .op = "Conv2d", .is_so = is_wide, .name = "of 16 bits" },
	{ .op = "Conv2d", .is_so = has_windows, .name = "of windows", .reads_views = true },
	{ .op = "Conv2d", .is_so = merges_pixels, .name = "that joins pixels" },
	{ .op = "Conv2d", .is_so = is_raw, .name = "to int32", .reads_views = true },
	{ .op = "Conv2d", .name = "of a pixel", .reads_views = true },
	{ .op = "DepthwiseConv2d", .reads_views = true, .moves = true },
	{ .op = "FullyConnected" },
	{ .op = "MaxPool", .is_so = is_wide, .name = "of 16 bits" },
	{ .op = "MaxPool", .reads_views = true, .moves = true },
	{ .op = "AveragePool", .reads_views = true, .moves = true },
	{ .op = "LeakyRelu", .reads_views = true },
	{ .op = "Tanh", .reads_views = true },
	{ .op = "Relu6", .reads_views = true },
	{ .op = "Clamp", .reads_views = true },
	{ .op = "Table", .reads_views = true },
	{ .op = "Requantize", .is_so = is_raw, .name = "of int32" },
	{ .op = "Requantize", .reads_views = true },
	{ .op = "Rescale", .is_so = is_wide, .name = "of 16 bits" },
	{ .op = "Rescale", .reads_views = true },
	{ .op = "Add", .is_so = is_rounded, .name = "in float32", .reads_views = true },
	{ .op = "Add", .reads_views = true },
	{ .op = "Sub", .is_so = is_rounded, .name = "in float32" },
	{ .op = "Sub", .reads_views = true },
	{ .op = "Mul" },
	{ .op = "AddInt16" },
	{ .op = "Resize" },
	{ .op = "Softmax" },
	{ .op = "Transpose" },
	{ .op = "Pad" },
	{ .op = "Concat", .is_so = is_of_channels, .name = "along channels", .reads_views = true },
	{ .op = "Concat" },
	{ .op = "Slice", .is_so = is_of_channels, .name = "along channels", .reads_views = true },
	{ .op = "Slice" },
	{ .op = "Reshape" },
	{ .op = "Nop" },
	{ .op = "Copy" },
	{ .op = "BatchLoop" },
	{ .op = "CountLoop" },
	{ .op = "Variable" },
	{ .op = "Assign" },
	{ .op = "Sink" },
	{ .op = "OUTPUT" },
};

/* Sources of Slices, and whether these can be views of them. */
static struct source {
	const char *op;
	bool has_views;
	uint32_t views, copies;
} sources[] = {
	{ .op = "Input", .has_views = true },
	{ .op = "Conv2d", .has_views = true },
	{ .op = "DepthwiseConv2d", .has_views = true },
	{ .op = "MaxPool", .has_views = true },
	{ .op = "FullyConnected", .has_views = true },
	{ .op = "LeakyRelu", .has_views = true },
	{ .op = "Rescale", .has_views = true },
	{ .op = "Add", .has_views = true },
	{ .op = "Mul", .has_views = true },
	{ .op = "Resize", .has_views = true },
	{ .op = "Concat", .has_views = true },
	{ .op = "Slice", .has_views = true },
	{ .op = "Reshape", .has_views = true },
	{ .op = "Nop", .has_views = true },
	{ .op = "CountLoop", .has_views = true },
	{ .op = "Assign", .has_views = true },
	{ .op = "BatchLoop" },
	{ .op = "Variable" },
};

static struct {
	uint32_t in_loops[1 + MAX_LOOPS];	/* views, by how many loops are around them, */
	uint32_t with_readers;			/* of two or more, */
	uint32_t of_views;			/* of views, */
	uint32_t there, copied;			/* that a Concat has where they belong, or copies, */
	uint32_t in_concat;			/* and of what was made in one */
	uint32_t mixed;		/* copies, one reader of which could have a view */
	uint32_t moved;		/* views that one reader moves, */
	uint32_t moved_twice;	/* and copies because two would */
	uint32_t strided;		/* inputs of Concats that were made there, */
	uint32_t in_place;	/* written over what was, */
	uint32_t partly;	/* and Concats that copy others */
} seen;

static struct reader *find_reader(const struct nn_node *node)
{
	for (size_t i = 0; i < COUNT(readers); i++) {
		if (!strcmp(readers[i].op, node->op->name) &&
		    (!readers[i].is_so || readers[i].is_so(node)))
			return &readers[i];
	}
	printf("# nobody knows how %s reads\n", node->op->name);
	tap_good = false;
	return NULL;
}

/* The Slice along channels that a value is, or NULL. */
static const struct nn_node *slice_of(const struct nn_value *value)
{
	return value && value->node->takes_channels ? value->node : NULL;
}

static bool is_view(const struct nn_node *slice)
{
	return slice->outputs[0].storage == NN_STORAGE_CHANNELS &&
	       slice->runs_on == NN_RUNS_NOWHERE;
}

static void count_source(const struct nn_node *slice)
{
	for (size_t i = 0; i < COUNT(sources); i++) {
		if (strcmp(sources[i].op, slice->inputs[0]->node->op->name))
			continue;
		sources[i].views += is_view(slice);
		sources[i].copies += !is_view(slice);
	}
}

static void count_readers(const struct nn_plan *plan, const struct nn_node *slice)
{
	uint32_t count = 0, could = 0, moves = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		for (uint32_t j = 0; j < node->input_count; j++) {
			struct reader *reader;

			if (slice_of(node->inputs[j]) != slice)
				continue;
			reader = find_reader(node);
			if (!reader)
				return;
			reader->views += is_view(slice);
			reader->copies += !is_view(slice);
			count++;
			could += reader->reads_views;
			moves += reader->moves;
			if (!CHECK(reader->reads_views || !is_view(slice)))
				printf("# %s %u reads a view\n", node->op->name, node->id);
		}
	}
	seen.with_readers += is_view(slice) && count > 1;
	seen.mixed += !is_view(slice) && could && could < count;
	seen.moved += is_view(slice) && moves;
	seen.moved_twice += !is_view(slice) && moves > 1 && could == count;
	if (!CHECK(!is_view(slice) || moves <= 1))
		printf("# Slice %u is moved by %u readers\n", slice->id, moves);
}

static void count_view(const struct nn_node *slice)
{
	struct nn_value *base = slice->outputs[0].base;

	seen.in_loops[slice->refs]++;
	seen.of_views += slice_of(slice->inputs[0]) && is_view(slice_of(slice->inputs[0]));
	seen.in_concat += nn_value_root(base)->storage == NN_STORAGE_CHANNELS;
}

static void count_concat(const struct nn_node *concat)
{
	uint32_t there = 0;

	for (uint32_t i = 0; i < concat->input_count; i++) {
		struct nn_value *value = concat->inputs[i];
		bool is_there = is_in(nn_value_root(value), &concat->outputs[0]);
		bool of_view = slice_of(value) && is_view(slice_of(value));

		there += is_there;
		seen.there += of_view && is_there;
		seen.copied += of_view && !is_there;
		seen.in_place += is_there && value->storage == NN_STORAGE_ALIAS;
	}
	seen.strided += there;
	seen.partly += there && there < concat->input_count;
}

static void look_at_plan(const struct nn_plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		if (node->takes_channels) {
			count_source(node);
			count_readers(plan, node);
			if (is_view(node))
				count_view(node);
		}
		if (node->concats_channels)
			count_concat(node);
	}
}

/* ---- And that nobody can tell ---- */

#define ENOUGH	(GRAPHS / 300)

static void check_readers(void)
{
	for (size_t i = 0; i < COUNT(readers); i++) {
		const struct reader *reader = &readers[i];
		const char *name = reader->name ? reader->name : "";

		printf("# %s %s reads %u views and %u copies\n", reader->op, name, reader->views,
		       reader->copies);
		CHECK((reader->reads_views ? reader->views : reader->copies) >= ENOUGH);
	}
}

static void check_sources(void)
{
	for (size_t i = 0; i < COUNT(sources); i++) {
		const struct source *source = &sources[i];

		printf("# of %s: %u views and %u copies\n", source->op, source->views,
		       source->copies);
		CHECK(source->has_views ? source->views >= ENOUGH :
					  !source->views && source->copies >= ENOUGH);
	}
}

static void test_random(void)
{
	run_random_graphs(GRAPHS, write_graph, look_at_plan);
	if (!tap_good)
		return;
	check_readers();
	check_sources();
	printf("# views: %u outside of loops, %u in one, %u in two; %u have several readers, %u are of views, %u of what is made in a Concat\n",
	       seen.in_loops[0], seen.in_loops[1], seen.in_loops[2], seen.with_readers,
	       seen.of_views, seen.in_concat);
	printf("# %u are where Concats have them, which copy %u; %u copies have a reader for views, too\n",
	       seen.there, seen.copied, seen.mixed);
	printf("# %u views have a reader that moves pixels, %u are copies because two do\n", seen.moved,
	       seen.moved_twice);
	printf("# %u tensors are made in another, %u of them in place; %u Concats copy others\n",
	       seen.strided, seen.in_place, seen.partly);
	for (uint32_t i = 0; i <= MAX_LOOPS; i++)
		CHECK(seen.in_loops[i] > GRAPHS / 4);
	CHECK(seen.with_readers > GRAPHS / 10 && seen.of_views > GRAPHS / 10 &&
	      seen.in_concat > GRAPHS / 20 && seen.there > GRAPHS / 20 &&
	      seen.copied > GRAPHS / 20 && seen.mixed > GRAPHS / 10);
	CHECK(seen.moved > GRAPHS / 60 && seen.moved_twice > GRAPHS / 1000);
	CHECK(seen.strided > GRAPHS / 4 && seen.in_place > GRAPHS / 60 && seen.partly > GRAPHS / 8);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("what is made where it belongs", test_which);
	tap_run("results are the same", test_random);
	nn_device_close(device);
	return tap_end();
}
