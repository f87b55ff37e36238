// SPDX-License-Identifier: MIT
/*
 * Small ONNX models at ends of what operators can do that no runtime has been asked about; what
 * comes out is worked out by hand.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nn_device.h"
#include "nn_graph.h"
#include "onnx_writer.h"
#include "tap.h"

#define ELEMENTS 4

/* Checks a model that makes as many bytes as its input has, in steps of 1/2 from 10 on. */
static void check_model(char *model, size_t size, const char *name, const uint8_t *want)
{
	static const uint8_t in[ELEMENTS] = { 0, 12, 100, 255 };
	uint8_t out[ELEMENTS];
	struct nn_buffer input = { .data = (void *)(uintptr_t)in, .size = sizeof(in), .rows = 1 };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	struct nn_device *device;
	struct nn_graph *graph;

	if (nn_device_open("host", &device, NULL) || nn_graph_create(&graph))
		exit(1);
	if (!CHECK(!nn_graph_import_onnx(graph, model, size)) ||
	    !CHECK(!nn_graph_prepare(graph, device, NULL)) ||
	    !CHECK(!nn_graph_execute(graph, &input, 1, &output, 1)))
		printf("# %s: %s\n", name, nn_graph_error(graph)->text);
	else if (!CHECK(!memcmp(out, want, sizeof(out))))
		printf("# %s: %u %u %u %u\n", name, out[0], out[1], out[2], out[3]);
	nn_graph_destroy(graph);
	nn_device_close(device);
	free(model);
}

/* ---- Clip: Min(max, Max(x, min)), of -5, 1, 45 and 122.5 */

static const struct clip {
	float min, max;
	uint8_t want[ELEMENTS];
} clips[] = {
	{ -1, 50, { 8, 12, 100, 110 } },
	{ 4, 4, { 18, 18, 18, 18 } },
	/* From opset 13 on all is the greater bound's. */
	{ 5, 3, { 16, 16, 16, 16 } },
	{ 1e30f, -1e30f, { 0, 0, 0, 0 } },
	{ INFINITY, -2, { 6, 6, 6, 6 } },
	{ -INFINITY, 2, { 0, 12, 14, 14 } },
	{ INFINITY, INFINITY, { 255, 255, 255, 255 } },
	{ -INFINITY, -INFINITY, { 0, 0, 0, 0 } },
	{ 1000, 2000, { 255, 255, 255, 255 } },
};

/* Checks a Clip of the input itself or, with `summed`, of its sum with 0. */
static void check_clip(const struct clip *clip, bool summed)
{
	const uint32_t dims[] = { 0, ELEMENTS }, one[] = { 1, 1 };
	struct message graph;
	char *model, name[64];
	size_t size;

	begin(&graph);
	put_float(&graph, "scale", 0.5f);
	put_float(&graph, "min", clip->min);
	put_float(&graph, "max", clip->max);
	put_constant(&graph, "zero", ELEMENT_UINT8, 0, NULL, "\12", 1);
	put_constant(&graph, "nothing", ELEMENT_UINT8, 2, one, "\12", 1);
	put_info(&graph, GRAPH_INPUT, "bytes", 2, dims);
	put_node(&graph, "DequantizeLinear", "x", "bytes", "scale", "zero", NULL);
	put_node(&graph, "DequantizeLinear", "none", "nothing", "scale", "zero", NULL);
	put_node(&graph, "Add", "sum", "x", "none", NULL);
	put_node(&graph, "Clip", "y", summed ? "sum" : "x", "min", "max", NULL);
	put_node(&graph, "QuantizeLinear", "result", "y", "scale", "zero", NULL);
	put_info(&graph, GRAPH_OUTPUT, "result", 2, dims);
	model = end_model(&graph, &size);
	snprintf(name, sizeof(name), "Clip %g to %g", (double)clip->min, (double)clip->max);
	check_model(model, size, name, clip->want);
}

static void test_clip(void)
{
	for (uint32_t i = 0; i < 2 * (sizeof(clips) / sizeof(*clips)); i++)
		check_clip(&clips[i / 2], i % 2);
}

/* ---- Gather from integers whose scale only the DequantizeLinear behind it says */

static void test_embedding(void)
{
	/* Halves of 255 - byte - 10, ties to even, below 0 the least. */
	static const uint8_t want[ELEMENTS] = { 122, 116, 72, 0 };
	const uint32_t dims[] = { 0, ELEMENTS }, rows[] = { 256, 1 }, made[] = { 0, ELEMENTS, 1 };
	const int64_t to_int64 = 7;
	struct message graph;
	uint8_t table[256];
	char *model;
	size_t size;

	for (uint32_t i = 0; i < 256; i++)
		table[i] = 255 - i;
	begin(&graph);
	put_float(&graph, "scale", 0.5f);
	put_float(&graph, "one", 1);
	put_constant(&graph, "zero", ELEMENT_UINT8, 0, NULL, "\12", 1);
	put_constant(&graph, "table", ELEMENT_UINT8, 2, rows, table, sizeof(table));
	put_info(&graph, GRAPH_INPUT, "bytes", 2, dims);
	put_node_with(&graph, "Cast", "to", 0, &to_int64, "indices", "bytes", NULL);
	put_node(&graph, "Gather", "taken", "table", "indices", NULL);
	put_node(&graph, "DequantizeLinear", "real", "taken", "scale", "zero", NULL);
	put_node(&graph, "QuantizeLinear", "result", "real", "one", NULL);
	put_info(&graph, GRAPH_OUTPUT, "result", 3, made);
	model = end_model(&graph, &size);
	check_model(model, size, "Gather", want);
}

int main(void)
{
	tap_run("Gather from integers that are dequantized behind it", test_embedding);
	tap_run("Clip, where it leaves nothing or one number", test_clip);
	return tap_end();
}
