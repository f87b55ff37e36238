// SPDX-License-Identifier: MIT
/*
 * Figures of a trace beside the DSP's counters of an operator: MACs, bytes and, on the host, time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/pack.h"
#include "nn_import.h"
#include "tap.h"

#define ROWS		5
#define MAX_RECORDS	16

static struct nn_op_record records[MAX_RECORDS];
static uint32_t record_count;

static void keep_records(const struct nn_pass_record *pass, void *opaque)
{
	(void)opaque;
	for (uint32_t i = 0; i < pass->op_count; i++) {
		if (!CHECK(record_count < MAX_RECORDS))
			return;
		records[record_count++] = pass->ops[i];
	}
}

/* Keeps the records of one execution, with ROWS rows in each input of variable batch. */
static bool execute(const char *text, uint32_t step, uint32_t flags)
{
	struct nn_prepare_options options = { .flags = flags, .step = step };
	struct nn_buffer inputs[3] = { 0 }, output = { .size = 1 << 16 };
	uint32_t rows[3] = { ROWS, ROWS, ROWS };
	struct nn_device *device = NULL;
	struct nn_graph *graph = NULL;
	bool good;

	record_count = 0;
	good = CHECK(!nn_device_open("host", &device, NULL) && !nn_graph_create(&graph)) &&
	       CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	options.input_rows = rows;
	options.input_count = good ? nn_graph_get_input_count(graph) : 0;
	output.data = calloc(1, output.size);
	for (uint32_t i = 0; i < options.input_count; i++)
		inputs[i] = (struct nn_buffer){ .data = calloc(1, 1 << 16), .size = 1 << 16, .rows = ROWS };
	good = good && CHECK(!nn_graph_prepare(graph, device, &options)) &&
	       CHECK(!nn_graph_set_trace(graph, keep_records, NULL)) &&
	       CHECK(!nn_graph_execute(graph, inputs, options.input_count, &output, 1));
	if (!good && graph)
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	nn_device_close(device);
	for (uint32_t i = 0; i < 3; i++)
		free(inputs[i].data);
	free(output.data);
	return good;
}

static bool is_work(uint32_t i, uint64_t macs, uint64_t bytes_read, uint64_t bytes_written)
{
	const struct nn_op_record *record = &records[i];

	if (record->macs == macs && record->bytes_read == bytes_read &&
	    record->bytes_written == bytes_written)
		return true;
	printf("# operator %u: %" PRIu64 " MACs, %" PRIu64 " bytes read, %" PRIu64 " written\n", i,
	       record->macs, record->bytes_read, record->bytes_written);
	return false;
}

/* Weights and what belongs to them, as the kernels have it: 32 outputs at least. */
static void test_layers(void)
{
	/* 4 rows of 3 pixels, 2 channels to 5; a window of 3 by 2, padded. */
	CHECK(execute("1 Input shape=0,4,3,2 type=uint8 scale=1\n2 Const shape=5,3,2,2 type=int8 scale=0.5\n"
		      "3 Conv2d 1:0 2:0 padding=same type=uint8 scale=1\n4 OUTPUT 3:0", 0, 0));
	CHECK(record_count == 1 && is_work(0, ROWS * 12 * 5 * 3 * 2 * 2,
					   ROWS * 24 + nn_pack_conv2d_size(5, 3, 2, 2) + (1 + NN_SCALE_ROWS) * 32 * 4,
					   ROWS * 12 * 5));
	CHECK(execute("1 Input shape=0,4,3,2 type=uint8 scale=1\n2 Const shape=1,3,2,4 type=int8 scale=0.5\n"
		      "3 DepthwiseConv2d 1:0 2:0 padding=valid type=uint8 scale=1\n4 OUTPUT 3:0", 0, 0));
	CHECK(record_count == 1 && records[0].macs == ROWS * 2 * 2 * 4 * 3 * 2 &&
	      records[0].bytes_written == ROWS * 2 * 2 * 4);
	/* Dimensions behind the rows are one. */
	CHECK(execute("1 Input shape=0,4,3,2 type=uint8 scale=1\n2 Const shape=7,24 type=int8 scale=0.5\n"
		      "3 FullyConnected 1:0 2:0 type=uint8 scale=1\n4 OUTPUT 3:0", 0, 0));
	CHECK(record_count == 1 && records[0].macs == ROWS * 24 * 7 &&
	      records[0].bytes_written == ROWS * 7);
}

static void test_int16_layers(void)
{
	CHECK(execute("1 Input shape=0,4,3,2 type=int16 scale=1\n2 Const shape=5,3,2,2 type=int8 scale=0.5\n"
		      "3 Conv2d 1:0 2:0 padding=same type=int16 scale=1\n4 OUTPUT 3:0", 0, 0));
	CHECK(record_count == 1 && is_work(0, ROWS * 12 * 5 * 12, ROWS * 48 + 60 + 2 * 5 * 8, ROWS * 120));
	CHECK(execute("1 Input shape=0,4,3,2 type=int16 scale=1\n2 Const shape=1,3,2,4 type=int8 scale=0.5\n"
		      "3 DepthwiseConv2d 1:0 2:0 padding=same type=int16 scale=1\n4 OUTPUT 3:0", 0, 0));
	CHECK(record_count == 1 && is_work(0, ROWS * 12 * 4 * 6, ROWS * 48 + 24 + 2 * 4 * 8, ROWS * 96));
}

/* All four ways to say 3 x 4 times 4 x 6. */
static void test_products(void)
{
	static const char *const shapes[][3] = {
		{ "3,4", "4,6", "" },
		{ "4,3", "4,6", "transpose_a=1" },
		{ "3,4", "6,4", "transpose_b=1" },
		{ "4,3", "6,4", "transpose_a=1 transpose_b=1" },
	};
	char text[400];

	for (uint32_t i = 0; i < 4; i++) {
		snprintf(text, sizeof(text),
			 "1 Input shape=0,%s type=uint8 scale=1\n2 Input shape=0,%s type=uint8 scale=1\n"
			 "3 MatMul 1:0 2:0 %s type=uint8 scale=1\n4 OUTPUT 3:0",
			 shapes[i][0], shapes[i][1], shapes[i][2]);
		CHECK(execute(text, 0, 0));
		CHECK(record_count == 1 && is_work(0, ROWS * 3 * 6 * 4, ROWS * (12 + 24), ROWS * 18));
	}
}

/* Each copies what is its own of the output. */
static void test_copies(void)
{
	CHECK(execute("1 Input shape=0,8 type=uint8\n2 Input shape=0,4 type=uint8\n"
		      "3 Concat 1:0 2:0 axis=1\n4 OUTPUT 3:0", 0, 0));
	CHECK(record_count == 2 && is_work(0, 0, ROWS * 8, ROWS * 8) && is_work(1, 0, ROWS * 4, ROWS * 4));
	CHECK(execute("1 Input shape=0,8 type=int32\n2 Slice 1:0 axis=1 begin=2 size=3\n3 OUTPUT 2:0", 3, 0));
	CHECK(record_count == 2 && is_work(0, 0, 3 * 12, 3 * 12) && is_work(1, 0, 2 * 12, 2 * 12));
}

/* The rows of a pass; a constant has none, and is read in each. */
static void test_loop(void)
{
	const char *text = "1 Input shape=0,4 type=uint8 scale=1\n2 Const shape=1,4 type=uint8 scale=1 values=3\n"
			   "3 Mul 1:0 2:0 type=uint8 scale=1\n4 OUTPUT 3:0";

	CHECK(execute(text, 2, 0));
	CHECK(record_count == 3 && is_work(0, 0, 2 * 4 + 4, 2 * 4) && is_work(1, 0, 2 * 4 + 4, 2 * 4) &&
	      is_work(2, 0, 1 * 4 + 4, 1 * 4));
}

static void test_times(void)
{
	const char *text = "1 Input shape=0,16,16,8 type=uint8 scale=1\n2 Const shape=8,3,3,8 type=int8 scale=0.5\n"
			   "3 Conv2d 1:0 2:0 padding=same type=uint8 scale=1\n4 MaxPool 3:0 kernel=2,2\n5 OUTPUT 4:0";

	CHECK(execute(text, 0, 0) && record_count == 2);
	CHECK(!records[0].nanoseconds && !records[1].nanoseconds);
	CHECK(execute(text, 2, NN_PREPARE_PROFILE) && record_count == 6);
	for (uint32_t i = 0; i < record_count; i++)
		CHECK(records[i].nanoseconds && !records[i].counters.packets);
}

int main(void)
{
	tap_run("layers", test_layers);
	tap_run("layers of 16 bits", test_int16_layers);
	tap_run("products of matrices", test_products);
	tap_run("copies", test_copies);
	tap_run("rows of a pass", test_loop);
	tap_run("time on the host device", test_times);
	return tap_end();
}
