// SPDX-License-Identifier: MIT
/*
 * The cost of weights on their way to a device. Memory: beside what stays there, at most one and a
 * half times the file, which is the caller's. Work: few basic blocks for each weight. Both are
 * counted: the linker puts the functions below between the library and the C library's, and the
 * compiler has the library call one for each basic block.
 *
 * `bench-packing --bench`, with the library as it is, prints how fast they are imported and packed,
 * beside a copy of as many bytes.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nn_device.h"
#include "nn_graph.h"
#include "onnx_writer.h"
#include "tap.h"

#define BENCH_RUNS	7

/* Without vectors: two for the import, a fourth to pack one of four, one to sum them up. Code
 * that looks at each weight by itself takes 12 to 17. */
#define MOST_BLOCKS	6.0

/* ---- Counting */

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* Signed: memory of the C library's own is freed here, too. */
static int64_t in_use, most;

/* The linker's names: what was called malloc comes here, and __real_malloc is what it was. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static void *took(void *memory)
{
	in_use += malloc_usable_size(memory);
	if (in_use > most)
		most = in_use;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return took(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return took(__real_calloc(count, size));
}

/* Both are there while it copies. */
void *__wrap_realloc(void *memory, size_t size)
{
	size_t before = malloc_usable_size(memory);
	void *moved = took(__real_realloc(memory, size));

	in_use -= moved ? before : 0;
	return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return took(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
	in_use -= malloc_usable_size(memory);
	__real_free(memory);
}

/* ---- Models of one operator with large weights */

struct layer {
	const char *name;
	const char *op;
	uint32_t rank, dims[4];		/* of the weights, in ONNX's order */
	bool inputs_first;
	bool is_unsigned;
};

static const struct layer layers[] = {
	{ "Gemm, outputs first", "Gemm", 2, { 4000, 4096 }, false, false },
	{ "Gemm, inputs first", "Gemm", 2, { 4096, 4000 }, true, false },
	{ "MatMul, unsigned", "MatMul", 2, { 4096, 4000 }, true, true },
	{ "Conv", "Conv", 4, { 1024, 1600, 3, 3 }, false, false },
	{ "Conv, unsigned", "Conv", 4, { 1024, 14400, 1, 1 }, false, true },
};

static size_t weight_bytes(const struct layer *layer, uint32_t times)
{
	size_t bytes = times;

	for (uint32_t i = 0; i < layer->rank; i++)
		bytes *= layer->dims[i];
	return bytes;
}

/* Writes a model with `times` as many outputs. */
static char *write_model(const struct layer *layer, uint32_t times, size_t *size)
{
	const uint32_t type = layer->is_unsigned ? ELEMENT_UINT8 : ELEMENT_INT8;
	uint32_t dims[4], input[4] = { 0 };
	const int64_t transposed = !layer->inputs_first;
	size_t bytes = weight_bytes(layer, times);
	uint8_t *data = malloc(bytes);
	struct message graph;

	memcpy(dims, layer->dims, sizeof(dims));
	dims[layer->inputs_first] *= times;
	memcpy(&input[1], &dims[1], sizeof(input) - sizeof(*input));
	if (layer->inputs_first)
		input[1] = dims[0];
	for (size_t i = 0; i < bytes; i++)
		data[i] = i * 40503 >> 8;
	begin(&graph);
	put_info(&graph, GRAPH_INPUT, "x", layer->rank, input);
	put_float(&graph, "one", 1);
	put_constant(&graph, "zero", type, 0, NULL, layer->is_unsigned ? "\x80" : "", 1);
	put_constant(&graph, "stored", type, layer->rank, dims, data, bytes);
	put_constant(&graph, "three", ELEMENT_UINT8, 0, NULL, "\3", 1);
	put_node(&graph, "DequantizeLinear", "w", "stored", "one", "zero", NULL);
	put_node(&graph, "DequantizeLinear", "real", "x", "one", "three", NULL);
	if (!strcmp(layer->op, "Gemm"))
		put_node_with(&graph, "Gemm", "transB", 0, &transposed, "sum", "real", "w", NULL);
	else
		put_node(&graph, layer->op, "sum", "real", "w", NULL);
	put_node(&graph, "QuantizeLinear", "y", "sum", "one", NULL);
	put_info(&graph, GRAPH_OUTPUT, "y", layer->rank, (const uint32_t[4]){ 0 });
	free(data);
	return end_model(&graph, size);
}

static struct nn_graph *import(const char *model, size_t size)
{
	struct nn_graph *graph;

	if (nn_graph_create(&graph))
		exit(1);
	if (!CHECK(!nn_graph_import_onnx(graph, model, size)))
		printf("# %s\n", nn_graph_error(graph)->text);
	return graph;
}

static void prepare(struct nn_graph *graph, struct nn_device *device)
{
	if (!CHECK(!nn_graph_prepare(graph, device, NULL)))
		printf("# %s\n", nn_graph_error(graph)->text);
}

/* ---- Memory and work */

static const struct layer *layer;

static double times_the_file(int64_t bytes, size_t file)
{
	return (double)bytes / (double)file;
}

static void test_layer(void)
{
	int64_t before, importing, preparing, without_device;
	uint64_t import_blocks, prepare_blocks;
	size_t size;
	char *model = write_model(layer, 1, &size);
	struct nn_plan_info plan = { 0 };
	struct nn_device *device;
	struct nn_graph *graph;

	if (nn_device_open("host", &device, NULL))
		exit(1);
	before = in_use;
	most = in_use;
	blocks = 0;
	graph = import(model, size);
	import_blocks = blocks;
	importing = most - before;
	most = in_use;
	prepare(graph, NULL);
	without_device = most - before;
	most = in_use;
	blocks = 0;
	prepare(graph, device);
	prepare_blocks = blocks;
	preparing = most - before;
	CHECK(!nn_graph_get_plan(graph, &plan));
	nn_graph_destroy(graph);
	nn_device_close(device);
	free(model);

	printf("# a file of %zu bytes: importing takes %.2f times as many, planning %.2f, preparing "
	       "%.2f, of which %.2f stay on the device\n",
	       size, times_the_file(importing, size), times_the_file(without_device, size),
	       times_the_file(preparing, size), times_the_file(plan.constant_bytes, size));
	printf("# basic blocks for a byte: %.2f to import, %.2f to prepare\n",
	       times_the_file(import_blocks, size), times_the_file(prepare_blocks, size));
	CHECK(plan.constant_bytes > size / 10 * 9);
	CHECK(times_the_file(importing, size) <= 1.5);
	CHECK(times_the_file(without_device, size) <= 1.5);
	CHECK(times_the_file(preparing - (int64_t)plan.constant_bytes, size) <= 1.5);
	CHECK(times_the_file(import_blocks + prepare_blocks, size) <= MOST_BLOCKS);
}

/* ---- Speed */

/* Seconds of processor time. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static void keep_least(double *least, double start)
{
	double took = now() - start;

	if (!*least || took < *least)
		*least = took;
}

/* The best of some runs, because other work on the machine only ever makes it slower. */
static void bench(uint32_t times)
{
	size_t size, bytes = weight_bytes(layer, times);
	double start, copying = 0, importing = 0, preparing = 0;
	char *model = write_model(layer, times, &size), *copy;
	struct nn_plan_info plan = { 0 };
	struct nn_device *device;
	struct nn_graph *graph;
	int64_t before = 0;

	if (nn_device_open("host", &device, NULL))
		exit(1);
	for (int i = 0; i < BENCH_RUNS; i++) {
		start = now();
		copy = malloc(size);
		memcpy(copy, model, size);
		keep_least(&copying, start);
		/* The copy is one that somebody may read. */
		if (memcmp(copy, model, size))
			exit(1);
		free(copy);
		before = in_use;
		most = in_use;
		start = now();
		graph = import(model, size);
		keep_least(&importing, start);
		start = now();
		prepare(graph, device);
		keep_least(&preparing, start);
		nn_graph_get_plan(graph, &plan);
		nn_graph_destroy(graph);
	}
	printf("%-20s %zu MB: memcpy %.0f MB/s, import %.0f, prepare %.0f, both %.0f; beside file "
	       "and device %.2f times the file in memory\n",
	       layer->name, bytes / 1000000, bytes / copying / 1e6, bytes / importing / 1e6,
	       bytes / preparing / 1e6, bytes / (importing + preparing) / 1e6,
	       times_the_file(most - before - (int64_t)plan.constant_bytes, size));
	fflush(stdout);
	nn_device_close(device);
	free(model);
}

int main(int argc, char **argv)
{
	bool is_bench = argc == 2 && !strcmp(argv[1], "--bench");

	for (layer = layers; layer < layers + sizeof(layers) / sizeof(*layers); layer++) {
		if (is_bench)
			bench(16);
		else
			tap_run(layer->name, test_layer);
	}
	return is_bench ? 0 : tap_end();
}
