// SPDX-License-Identifier: MIT
/*
 * How many inputs and outputs each operator has, as docs/operators.md says: no node with another
 * number of them gets into a graph. And what an output is that is not described, or described in
 * part.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "ops/ops.h"
#include "tap.h"

#define ANY	100	/* stands for any number of inputs */

static const struct {
	const char *name;
	unsigned int min, max, outputs;
} operators[] = {
	{ "Add", 2, 2, 1 },
	{ "AddInt16", 2, 2, 1 },
	{ "Arg", 1, 1, 1 },
	{ "Assign", 2, 2, 1 },
	{ "Attention", 3, 5, 1 },
	{ "AveragePool", 1, 1, 1 },
	{ "BatchLoop", 1, ANY, 1 },
	{ "Cast", 1, 1, 1 },
	{ "Clamp", 1, 1, 1 },
	{ "Collect", 1, ANY, 1 },
	{ "Compare", 2, 2, 1 },
	{ "Concat", 1, ANY, 1 },
	{ "Continue", 1, 1, 0 },
	{ "Conv2d", 2, 3, 1 },
	{ "Copy", 1, 1, 1 },
	{ "CountLoop", 1, ANY, 1 },
	{ "CropResize", 3, 3, 1 },
	{ "Cumulate", 1, 1, 1 },
	{ "DepthwiseConv2d", 2, 3, 1 },
	{ "DetectionPostProcess", 3, 3, 4 },
	{ "Div", 2, 2, 1 },
	{ "Expect", 2, 2, 1 },
	{ "FloatBinary", 2, 2, 1 },
	{ "FloatConv2d", 3, 3, 1 },
	{ "FloatConvert", 1, 1, 1 },
	{ "FloatEach", 1, 1, 1 },
	{ "FloatMatMul", 2, 2, 1 },
	{ "FloatPool", 1, 1, 1 },
	{ "FloatReduce", 1, 1, 1 },
	{ "FullyConnected", 2, 3, 1 },
	{ "Gather", 1, 1, 1 },
	{ "GridSample", 2, 2, 1 },
	{ "Input", 0, 0, 1 },
	{ "Integers", 2, 2, 1 },
	{ "L2Normalize", 1, 1, 1 },
	{ "LSTM", 15, 15, 3 },
	{ "Last", 1, 1, 1 },
	{ "LeakyRelu", 1, 1, 1 },
	{ "MatMul", 2, 2, 1 },
	{ "MaxPool", 1, 1, 1 },
	{ "Maximum", 2, 2, 1 },
	{ "Minimum", 2, 2, 1 },
	{ "Move", 1, 1, 1 },
	{ "Mul", 2, 2, 1 },
	{ "NegativeLogLikelihood", 2, 3, 1 },
	{ "NonMaxSuppression", 2, 2, 3 },
	{ "Nop", 1, ANY, 1 },
	{ "Normalize", 3, 5, 1 },
	{ "OUTPUT", 1, ANY, 0 },
	{ "PRelu", 2, 2, 1 },
	{ "Pad", 1, 1, 1 },
	{ "Proposal", 4, 4, 3 },
	{ "Quantize", 1, 1, 1 },
	{ "Real", 1, 2, 1 },
	{ "RealEach", 1, 2, 1 },
	{ "RealRecurrent", 4, 7, 3 },
	{ "RealScale", 3, 3, 1 },
	{ "RealTransposed", 3, 3, 1 },
	{ "Reduce", 1, 1, 1 },
	{ "Relu", 1, 1, 1 },
	{ "Relu6", 1, 1, 1 },
	{ "Requantize", 1, 1, 1 },
	{ "Rescale", 1, 2, 1 },
	{ "Resample", 4, 4, 1 },
	{ "Reshape", 1, 1, 1 },
	{ "Resize", 1, 1, 1 },
	{ "RoiAlign", 3, 3, 1 },
	{ "RotaryEmbedding", 3, 4, 1 },
	{ "SVDF", 5, 5, 1 },
	{ "Scatter", 3, 3, 1 },
	{ "Select", 3, 3, 1 },
	{ "Sigmoid", 1, 1, 1 },
	{ "Slice", 1, 1, 1 },
	{ "Softmax", 1, 1, 1 },
	{ "Spread", 1, 1, 1 },
	{ "SquaredDifference", 2, 2, 1 },
	{ "Sub", 2, 2, 1 },
	{ "Table", 2, 2, 1 },
	{ "Take", 2, 2, 1 },
	{ "Tanh", 1, 1, 1 },
	{ "Top", 1, 1, 1 },
	{ "Transpose", 1, 1, 1 },
	{ "Variable", 1, 1, 1 },
	{ "WeightedSum", 3, 3, 1 },
	{ "WhileLoop", 1, ANY, 0 },
};

/*
 * Whether a node with so many inputs is taken, and then a user of its output `output`, if that is
 * not negative.
 */
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
	graph = new_graph();
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

/* An attribute that no operator has, and all have their own. */
static void test_attributes(void)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		char inputs[64] = "", text[128];
		struct nn_graph *graph;

		for (unsigned int k = 0; k < operators[i].min; k++)
			strcat(inputs, " 1:0");
		snprintf(text, sizeof(text), "1 Input shape=1,2,2,1 type=int8 scale=1\n2 %s%s made_up=1", operators[i].name, inputs);
		graph = new_graph();
		if (!CHECK(nn_graph_import_text(graph, text, strlen(text)) == -EINVAL &&
			   strstr(nn_graph_error(graph)->text, "has no attribute made_up")))
			printf("# %s: %s\n", operators[i].name, nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

/*
 * All that there are, but for those that the library alone makes, and constants, which have
 * elements.
 */
static void test_complete(void)
{
	for (size_t i = 0; nn_ops[i]; i++) {
		bool found = nn_ops[i]->flags & NN_OP_INTERNAL || !strcmp(nn_ops[i]->name, "Const");

		for (size_t k = 0; k < sizeof(operators) / sizeof(*operators) && !found; k++)
			found = !strcmp(operators[k].name, nn_ops[i]->name);
		if (!CHECK(found))
			printf("# %s\n", nn_ops[i]->name);
	}
}

/* Numbers that are 0 or 1: another one is refused. */
static void test_flags(void)
{
	static const char flags[] =
		" AddInt16.subtract AddInt16.shift Arg.keep_dims Arg.last Attention.causal AveragePool.count_padding BatchLoop.options BatchLoop.owner Collect.stack CountLoop.counted CountLoop.owner CountLoop.squeeze"
		" Cumulate.backwards Cumulate.exclusive DetectionPostProcess.use_regular_nms FloatMatMul.transpose_a FloatMatMul.transpose_b FloatPool.count_padding GridSample.align_corners MatMul.transpose_a MatMul.transpose_b Reduce.keep_dims"
		" NonMaxSuppression.centers RealRecurrent.input_forget RealRecurrent.linear_before_reset RealRecurrent.relu"
		" RoiAlign.half_pixel RotaryEmbedding.interleaved Scatter.each Softmax.log Take.each Top.least Variable.fixed Variable.persist WhileLoop.squeeze WhileLoop.strict ";

	for (size_t i = 0; nn_ops[i]; i++) {
		for (const struct nn_attr_spec *attr = nn_ops[i]->attrs; attr && attr->name; attr++) {
			char name[80];

			snprintf(name, sizeof(name), " %s.%s ", nn_ops[i]->name, attr->name);
			if (!CHECK(attr->is_flag == !!strstr(flags, name)))
				printf("#%s\n", name);
		}
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

/* The line of a node that takes 1:0, and what its output is then; without a type, it is refused. */
static const struct {
	const char *line;
	enum nn_data_type type;
	float scale;
	int32_t zero_point;
} described[] = {
	{ "Copy", NN_INT8, 0.5f, 3 },
	{ "Copy type=int8", NN_INT8, 0.5f, 3 },
	{ "Copy type=int8 scale=2", NN_INT8, 2, 0 },
	{ "Copy scale=2 zero_point=1", NN_INT8, 2, 1 },
	{ "Copy type=uint8", 0, 0, 0 },
	{ "Relu type=int8", NN_INT8, 0.5f, 3 },
	{ "Requantize type=uint8 scale=0.25 zero_point=7", NN_UINT8, 0.25f, 7 },
	{ "Requantize type=uint8", 0, 0, 0 },
};

static void test_described(void)
{
	for (size_t i = 0; i < sizeof(described) / sizeof(*described); i++) {
		char text[256];
		struct nn_tensor_info info = { 0 };
		struct nn_graph *graph;
		bool good;

		snprintf(text, sizeof(text),
			 "1 Input shape=1,4 type=int8 scale=0.5 zero_point=3\n2 %.*s 1:0%s\n3 OUTPUT 2:0\n",
			 (int)strcspn(described[i].line, " "), described[i].line,
			 described[i].line + strcspn(described[i].line, " "));
		graph = new_graph();
		CHECK(!nn_graph_import_text(graph, text, strlen(text)));
		good = !nn_graph_prepare(graph, device, NULL);
		if (good)
			good = !nn_graph_get_output_info(graph, 0, &info);
		if (!CHECK(good == (described[i].type != 0) && info.type == described[i].type &&
			   info.scale == described[i].scale && info.zero_point == described[i].zero_point))
			printf("# %s: %s\n", described[i].line, nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("inputs", test_inputs);
	tap_run("outputs", test_outputs);
	tap_run("attributes that are none", test_attributes);
	tap_run("all operators", test_complete);
	tap_run("numbers that are 0 or 1", test_flags);
	tap_run("type and quantization of an output", test_described);
	nn_device_close(device);
	return tap_end();
}
