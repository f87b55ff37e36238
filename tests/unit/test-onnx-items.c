// SPDX-License-Identifier: MIT
/*
 * Models for one item whose first dimension does not stay what it is, and models of a batch into
 * which they take other dimensions: of any number of items they make what they make of one after
 * the other, of which golden outputs are known. Where the graph cannot be for more than one, its
 * input says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_device.h"
#include "tests/unit/onnx-model.h"

#define ITEMS		5
#define MOST_ENDS	2
#define MOST_BYTES	(1u << 16)

static struct nn_device *device;

static struct nn_graph *make(const char *name)
{
	char path[256];
	struct bytes bytes;
	struct nn_graph *graph;

	snprintf(path, sizeof(path), MODELS_DIR "ops/%s.onnx", name);
	bytes = read_file(path);
	if (nn_graph_create(&graph) || nn_graph_import_onnx(graph, bytes.data, bytes.size) ||
	    nn_graph_prepare(graph, device, NULL)) {
		printf("Bail out! %s: %s\n", path, nn_graph_error(graph)->text);
		exit(1);
	}
	free(bytes.data);
	return graph;
}

/* Runs items `first` on, whose bytes are all different; returns the bytes that come out, 0: none. */
static size_t run(struct nn_graph *graph, uint32_t first, uint32_t items, uint8_t *out)
{
	static uint8_t in[MOST_ENDS][MOST_BYTES];
	struct nn_buffer inputs[MOST_ENDS] = { 0 }, output = { .data = out, .size = MOST_BYTES };
	uint32_t input_count = nn_graph_get_input_count(graph);
	struct nn_tensor_info info;
	size_t row;

	for (uint32_t i = 0; i < input_count; i++) {
		nn_graph_get_input_info(graph, i, &info);
		row = nn_data_type_size(info.type);
		for (uint32_t k = 1; k < info.rank; k++)
			row *= info.dims[k];
		for (size_t k = 0; k < items * row; k++)
			in[i][k] = (uint8_t)((first * row + k + 1) * 2654435761u >> (20 + i));
		inputs[i] = (struct nn_buffer){ .data = in[i], .size = items * row, .rows = items };
	}
	if (nn_graph_execute(graph, inputs, input_count, &output, 1)) {
		printf("# %s\n", nn_graph_error(graph)->text);
		return 0;
	}
	nn_graph_get_output_info(graph, 0, &info);
	row = output.rows * nn_data_type_size(info.type);
	for (uint32_t k = 1; k < info.rank; k++)
		row *= info.dims[k];
	return row;
}

static bool takes_any_number(const struct nn_graph *graph)
{
	struct nn_tensor_info info;

	nn_graph_get_input_info(graph, 0, &info);
	return info.dims[0] == NN_VARIABLE;
}

/* `bytes` come of each item. */
static void test_items(const char *name, size_t bytes)
{
	static uint8_t all[MOST_BYTES], one[MOST_BYTES];
	struct nn_graph *graph = make(name);
	bool good = takes_any_number(graph) && run(graph, 0, ITEMS, all) == ITEMS * bytes;

	for (uint32_t i = 0; i < ITEMS && good; i++)
		good = run(graph, i, 1, one) == bytes && !memcmp(one, all + i * bytes, bytes);
	for (uint32_t i = 1; i < ITEMS && good; i++)
		good = memcmp(all, all + i * bytes, bytes) != 0;
	result(good, name, "several items are not what each of them is");
	nn_graph_destroy(graph);
}

/* Constants that are as many as the boxes of one item. */
static void test_one(const char *name)
{
	struct nn_graph *graph = make(name);

	result(!takes_any_number(graph), name, "its input is for any number of items");
	nn_graph_destroy(graph);
}

int main(void)
{
	if (nn_device_open("host", &device, NULL))
		return 1;
	test_items("whole_one_dense", 24);
	test_items("whole_one_token", 42);
	test_items("whole_one_parts", 35);
	test_items("whole_rows_flat", 24);
	test_items("whole_rows_windows", 72);
	test_one("whole_roi_align_one");
	nn_device_close(device);
	printf("1..%u\n", count);
	return failures > 0;
}
