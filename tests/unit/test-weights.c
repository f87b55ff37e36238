// SPDX-License-Identifier: MIT
/*
 * Weights of ONNX models in every order that importers turn: each item of the input is 1 at one
 * place and 0 elsewhere, so that what comes out is the weights themselves. Sizes are no multiples
 * of what is packed at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "nn_device.h"
#include "nn_graph.h"
#include "onnx_writer.h"
#include "tap.h"

/* Readers of weights, and the order that these are in. */
enum kind {
	GEMM_OUTPUTS_FIRST,	/* [outputs, inputs] */
	GEMM_INPUTS_FIRST,	/* [inputs, outputs] */
	MATMUL,			/* the same */
	FLAT_OUTPUTS_FIRST,	/* Gemm behind a Flatten of an image that is N, H, W, C inside */
	FLAT_INPUTS_FIRST,
	CONV,			/* [outputs, inputs of a group, height, width] */
};

static const struct weights {
	const char *name;
	enum kind kind;
	uint32_t outputs, channels, height, width, groups;
	bool is_unsigned;
	int zero;		/* point */
	bool per_output;	/* zero points: zero, zero + 1, zero, ... */
} cases[] = {
	{ "Gemm, outputs first", GEMM_OUTPUTS_FIRST, 130, 70, 1, 1, 1, false, 0, false },
	{ "Gemm, outputs first, unsigned", GEMM_OUTPUTS_FIRST, 5, 67, 1, 1, 1, true, 128, false },
	{ "Gemm, outputs first, another zero point", GEMM_OUTPUTS_FIRST, 33, 9, 1, 1, 1, true, 120,
	  false },
	{ "Gemm, 15 bytes", GEMM_OUTPUTS_FIRST, 3, 5, 1, 1, 1, false, 0, false },
	{ "Gemm, 16 bytes", GEMM_OUTPUTS_FIRST, 2, 8, 1, 1, 1, false, 0, false },
	{ "Gemm, 17 bytes", GEMM_OUTPUTS_FIRST, 1, 17, 1, 1, 1, false, 0, false },
	{ "Gemm, inputs first", GEMM_INPUTS_FIRST, 130, 70, 1, 1, 1, false, 0, false },
	{ "Gemm, inputs first, unsigned", GEMM_INPUTS_FIRST, 65, 3, 1, 1, 1, true, 128, false },
	{ "Gemm, one output", GEMM_INPUTS_FIRST, 1, 66, 1, 1, 1, false, 0, false },
	{ "MatMul", MATMUL, 64, 129, 1, 1, 1, false, 0, false },
	{ "MatMul, zero points for each output", MATMUL, 66, 5, 1, 1, 1, true, 125, true },
	{ "Gemm behind Flatten, outputs first", FLAT_OUTPUTS_FIRST, 67, 5, 3, 2, 1, false, 0,
	  false },
	{ "Gemm behind Flatten, inputs first", FLAT_INPUTS_FIRST, 67, 5, 3, 2, 1, false, 0, false },
	{ "Conv", CONV, 35, 7, 3, 2, 1, false, 0, false },
	{ "Conv, unsigned, zero points for each output", CONV, 6, 3, 2, 3, 1, true, 128, true },
	{ "Conv, 3 x 3 and more inputs than are turned at a time", CONV, 5, 70, 3, 3, 1, false, 0,
	  false },
	{ "Conv, 5 x 5 in groups, zero points for each output", CONV, 6, 130, 5, 5, 2, true, 127,
	  true },
	{ "Conv, 4 x 4, another zero point", CONV, 3, 64, 4, 4, 1, true, 3, false },
	{ "Conv, 13 x 41, more places than are turned at a time", CONV, 3, 2, 13, 41, 1, false, 0,
	  false },
	{ "Conv in groups", CONV, 12, 6, 2, 2, 3, false, 0, false },
	{ "depthwise", CONV, 68, 68, 2, 3, 68, false, 0, false },
	{ "depthwise with a multiplier", CONV, 6, 3, 5, 1, 3, true, 127, false },
};
static const struct weights *w;

/* ---- The model */

static uint32_t input_count(void)
{
	return w->channels / w->groups * w->height * w->width;
}

static int zero_point(uint32_t output)
{
	return w->zero + (w->per_output ? output % 2 : 0);
}

/* Element `input` of output `output`, as the model stores it: few enough steps from its zero point
 * for int8. */
static int stored(uint32_t output, uint32_t input)
{
	uint32_t noise = (output * 7919 + input + 1) * 2654435761u >> 16;
	int value = (int)(noise % 256) - (w->is_unsigned ? 0 : 128), zero = zero_point(output);

	if (value - zero > 127)
		return zero + 127;
	return value - zero < -128 ? zero - 128 : value;
}

static bool inputs_first(void)
{
	return w->kind == GEMM_INPUTS_FIRST || w->kind == MATMUL || w->kind == FLAT_INPUTS_FIRST;
}

static void put_weights(struct message *graph)
{
	uint32_t type = w->is_unsigned ? ELEMENT_UINT8 : ELEMENT_INT8, inputs = input_count();
	uint32_t dims[4] = { w->outputs, w->channels / w->groups, w->height, w->width };
	uint8_t *data = malloc((size_t)w->outputs * inputs), zeros[256];
	float scales[256];

	for (uint32_t o = 0; o < w->outputs; o++) {
		zeros[o] = zero_point(o);
		scales[o] = 1;
		for (uint32_t i = 0; i < inputs; i++)
			data[inputs_first() ? i * w->outputs + o : o * inputs + i] = stored(o, i);
	}
	if (w->kind != CONV) {
		dims[inputs_first()] = w->outputs;
		dims[!inputs_first()] = inputs;
	}
	put_constant(graph, "stored", type, w->kind == CONV ? 4 : 2, dims, data,
		     (size_t)w->outputs * inputs);
	put_constant(graph, "zeros", type, w->per_output, &w->outputs, zeros,
		     w->per_output ? w->outputs : 1);
	put_constant(graph, "scales", ELEMENT_FLOAT, w->per_output, &w->outputs, scales,
		     w->per_output ? 4 * w->outputs : 4);
	put_node_with(graph, "DequantizeLinear", "axis", 0, &(int64_t){ inputs_first() }, "w",
		      "stored", "scales", "zeros", NULL);
	free(data);
}

static char *write_model(size_t *size)
{
	const uint32_t image[] = { 0, w->channels, w->height, w->width };
	const uint32_t row[] = { 0, w->channels }, result[] = { 0, w->outputs, 1, 1 };
	bool flat = w->kind == FLAT_OUTPUTS_FIRST || w->kind == FLAT_INPUTS_FIRST;
	const int64_t transposed = !inputs_first(), groups = w->groups, one[] = { 1, 1 };
	struct message graph;

	begin(&graph);
	put_float(&graph, "one", 1);
	put_constant(&graph, "signed", ELEMENT_INT8, 0, NULL, "", 1);
	put_info(&graph, GRAPH_INPUT, "bytes", flat || w->kind == CONV ? 4 : 2,
		 flat || w->kind == CONV ? image : row);
	put_node(&graph, "DequantizeLinear", flat ? "image" : "x", "bytes", "one", NULL);
	if (flat) {
		put_node_with(&graph, "MaxPool", "kernel_shape", 2, one, "turned", "image", NULL);
		put_node(&graph, "Flatten", "x", "turned", NULL);
	}
	put_weights(&graph);
	if (w->kind == CONV)
		put_node_with(&graph, "Conv", "group", 0, &groups, "y", "x", "w", NULL);
	else if (w->kind == MATMUL)
		put_node(&graph, "MatMul", "y", "x", "w", NULL);
	else
		put_node_with(&graph, "Gemm", "transB", 0, &transposed, "y", "x", "w", NULL);
	put_node(&graph, "QuantizeLinear", "result", "y", "one", "signed", NULL);
	put_info(&graph, GRAPH_OUTPUT, "result", w->kind == CONV ? 4 : 2, result);
	return end_model(&graph, size);
}

/* ---- What comes out */

/*
 * The result of the item whose element i is 1: the weight, or 0 where the output's group does not
 * look.
 */
static int expected(uint32_t i, uint32_t output)
{
	uint32_t inputs = input_count(), group = i / inputs;

	if (group != output / (w->outputs / w->groups))
		return 0;
	return stored(output, i % inputs) - zero_point(output);
}

static void check_result(const int8_t *result, uint32_t items)
{
	for (uint32_t i = 0; i < items; i++)
		for (uint32_t o = 0; o < w->outputs; o++)
			if (!CHECK(result[i * w->outputs + o] == expected(i, o))) {
				printf("# item %u output %u: %d, should be %d\n", i, o,
				       result[i * w->outputs + o], expected(i, o));
				return;
			}
}

/* The file may be mapped, to be read only, and gone when the import has returned. */
static int import(struct nn_graph *graph)
{
	size_t size;
	char *model = write_model(&size);
	void *file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (file == MAP_FAILED)
		exit(1);
	memcpy(file, model, size);
	free(model);
	mprotect(file, size, PROT_READ);
	error = nn_graph_import_onnx(graph, file, size);
	munmap(file, size);
	return error;
}

static void test_case(void)
{
	uint32_t items = w->channels * w->height * w->width;
	struct nn_buffer input = { .size = (size_t)items * items, .rows = items },
			 output = { .size = (size_t)items * w->outputs };
	struct nn_device *device;
	struct nn_graph *graph;

	input.data = calloc(items, items);
	output.data = malloc(output.size);
	for (uint32_t i = 0; i < items; i++)
		((uint8_t *)input.data)[i * items + i] = 1;
	if (nn_device_open("host", &device, NULL) || nn_graph_create(&graph))
		exit(1);
	if (CHECK(!import(graph)) &&
	    CHECK(!nn_graph_prepare(graph, device, &(struct nn_prepare_options){
							   .input_rows = &items,
							   .input_count = 1,
						   })) &&
	    CHECK(!nn_graph_execute(graph, &input, 1, &output, 1)))
		check_result(output.data, items);
	else
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	nn_device_close(device);
	free(input.data);
	free(output.data);
}

/* ---- Sums of 32 bits ---- */

/*
 * A QLinearConv of one weight and one channel, of which an item is the least and one the greatest
 * byte. Worked out by hand: (bias + byte * weight) / 2^25, to the nearest, + 128.
 */
static const struct sums {
	int32_t bias;
	int8_t weight;
	float scale; /* of the result */
	bool taken;
	uint8_t result[2];
} sums[] = {
	{ INT32_MAX - 255 * 127, 127, 0x1p25f, true, { 192, 192 } },
	{ INT32_MAX - 255 * 127 + 1, 127, 0x1p25f, false, { 0 } },
	{ INT32_MAX, 0, 0x1p25f, true, { 192, 192 } },
	{ INT32_MAX, -128, 0x1p25f, true, { 192, 192 } },
	{ INT32_MAX, 1, 0x1p25f, false, { 0 } },
	{ INT32_MIN + 255 * 128, -128, 0x1p25f, true, { 64, 64 } },
	{ INT32_MIN + 255 * 128 - 1, -128, 0x1p25f, false, { 0 } },
	{ INT32_MIN, 127, 0x1p25f, true, { 64, 64 } },
	{ INT32_MIN, -1, 0x1p25f, false, { 0 } },
	/* All 32 bits are a part of a step. */
	{ INT32_MAX, 127, 0x1p34f, true, { 128, 128 } },
	{ INT32_MAX, 127, 0x1p33f, false, { 0 } },
};

static char *write_sums(const struct sums *at, size_t *size)
{
	const uint32_t one = 1, weight[] = { 1, 1, 1, 1 }, image[] = { 0, 1, 1, 1 };
	struct message graph;

	begin(&graph);
	put_float(&graph, "one", 1);
	put_float(&graph, "scale", at->scale);
	put_constant(&graph, "zero", ELEMENT_UINT8, 0, NULL, "", 1);
	put_constant(&graph, "middle", ELEMENT_UINT8, 0, NULL, "\200", 1);
	put_constant(&graph, "signed", ELEMENT_INT8, 0, NULL, "", 1);
	put_constant(&graph, "weight", ELEMENT_INT8, 4, weight, &at->weight, 1);
	put_constant(&graph, "bias", ELEMENT_INT32, 1, &one, &at->bias, sizeof(at->bias));
	put_info(&graph, GRAPH_INPUT, "bytes", 4, image);
	put_node(&graph, "QLinearConv", "result", "bytes", "one", "zero", "weight", "one", "signed",
		 "scale", "middle", "bias", NULL);
	put_info(&graph, GRAPH_OUTPUT, "result", 4, image);
	return end_model(&graph, size);
}

static void check_sums(const struct sums *at)
{
	uint8_t in[2] = { 0, 255 }, out[2];
	struct nn_buffer input = { .data = in, .size = 2, .rows = 2 };
	struct nn_buffer output = { .data = out, .size = 2 };
	struct nn_device *device;
	struct nn_graph *graph;
	size_t size;
	char *model = write_sums(at, &size);
	int err;

	if (nn_device_open("host", &device, NULL) || nn_graph_create(&graph))
		exit(1);
	err = nn_graph_import_onnx(graph, model, size);
	if (!CHECK(!err == at->taken))
		printf("# bias %d, weight %d: %s\n", at->bias, at->weight,
		       nn_graph_error(graph)->text);
	else if (err)
		CHECK(err == -EOPNOTSUPP && strstr(nn_graph_error(graph)->text,
						   "which their 32 bits cannot hold"));
	else
		CHECK(!nn_graph_prepare(graph, device, NULL) &&
		      !nn_graph_execute(graph, &input, 1, &output, 1) &&
		      !memcmp(out, at->result, sizeof(out)));
	nn_graph_destroy(graph);
	nn_device_close(device);
	free(model);
}

static void test_sums(void)
{
	for (uint32_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		check_sums(&sums[i]);
}

/*
 * Products of two inputs; 33,025 times 255 * 255 is 32,767 less than 2^31, and one more is above
 * it.
 */
static const struct {
	uint32_t length;
	bool taken;
} products[] = {
	{ 33025, true },
	{ 33026, false },
};

static char *write_product(uint32_t length, size_t *size)
{
	const uint32_t left[] = { 0, 1, length }, right[] = { 0, length, 1 }, one[] = { 0, 1, 1 };
	struct message graph;

	begin(&graph);
	put_float(&graph, "one", 1);
	put_float(&graph, "scale", 0x1p24f);
	put_constant(&graph, "zero", ELEMENT_UINT8, 0, NULL, "", 1);
	put_info(&graph, GRAPH_INPUT, "left", 3, left);
	put_info(&graph, GRAPH_INPUT, "right", 3, right);
	put_node(&graph, "QLinearMatMul", "result", "left", "one", "zero", "right", "one", "zero",
		 "scale", "zero", NULL);
	put_info(&graph, GRAPH_OUTPUT, "result", 3, one);
	return end_model(&graph, size);
}

static void test_products(void)
{
	for (uint32_t i = 0; i < sizeof(products) / sizeof(*products); i++) {
		struct nn_graph *graph;
		size_t size;
		char *model = write_product(products[i].length, &size);
		int err;

		if (nn_graph_create(&graph))
			exit(1);
		err = nn_graph_import_onnx(graph, model, size);
		if (!CHECK(!err == products[i].taken))
			printf("# %u: %s\n", products[i].length, nn_graph_error(graph)->text);
		else if (err)
			CHECK(err == -EOPNOTSUPP && strstr(nn_graph_error(graph)->text,
							   "it sums 33026 products"));
		nn_graph_destroy(graph);
		free(model);
	}
}

int main(void)
{
	tap_run("sums that 32 bits hold, and others", test_sums);
	tap_run("products that 32 bits hold, and others", test_products);
	for (w = cases; w < cases + sizeof(cases) / sizeof(*cases); w++)
		tap_run(w->name, test_case);
	return tap_end();
}
