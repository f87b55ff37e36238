// SPDX-License-Identifier: MIT
/*
 * A graph that an importer accepted is planned and run here. Refusals are fine, whatever the
 * reason; a crash, a leak, a sanitizer's report, or an error without a sentence is not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "libnnloop/nn_import.h"

#define MAX_TENSORS	16
#define MAX_ROWS	3
#define MAX_BYTES	(256 << 10)	/* of all tensors of a graph that is executed */
#define MAX_PUSHES	200
#define MAX_PASSES	50

/* Every refusal has words. */
static void check_error(const struct nn_graph *graph, int ret)
{
	const struct nn_error *error = nn_graph_error(graph);

	if (ret == 0)
		return;
	if (error->code != ret || !error->text[0]) {
		fprintf(stderr, "refused with %d, but the error is %d \"%s\"\n", ret, error->code,
			error->text);
		abort();
	}
}

/* Each reason has words and holds for something; what follows from another is none. */
static void fuzz_refused(struct nn_graph *graph, int err)
{
	struct nn_refusals_info info = { 0 };
	struct nn_refusal refusal;
	uint32_t index = 0;

	check_error(graph, err);
	if (nn_graph_get_refusals(graph, &info) != (err == -EOPNOTSUPP ? 0 : -ENOENT))
		abort();
	for (; !nn_graph_get_refusal(graph, index, &refusal); index++) {
		if (!refusal.count || !*refusal.reason || strlen(refusal.help) > 300 ||
		    !strcmp(refusal.reason, "it needs what was refused"))
			abort();
	}
	if ((err == -EOPNOTSUPP) != (index > 0) || info.refused_count > info.node_count ||
	    index != (info.kind_count < NN_MAX_REFUSALS ? info.kind_count : NN_MAX_REFUSALS))
		abort();
}

static uint64_t tensor_bytes(const struct nn_tensor_info *info, uint32_t rows)
{
	uint64_t bytes = nn_data_type_size(info->type);

	for (uint32_t i = 0; i < info->rank; i++) {
		uint64_t dim = i == 0 && info->dims[0] == NN_VARIABLE ? rows : info->dims[i];

		if (dim && bytes > UINT64_MAX / dim)
			return UINT64_MAX;
		bytes *= dim;
	}
	return bytes;
}

static int count_push(const struct nn_push *push, void *opaque)
{
	uint32_t *pushes = opaque;

	(void)push;
	return ++*pushes == MAX_PUSHES;
}

static void look_at_plan(struct nn_graph *graph)
{
	struct nn_plan_info plan;
	uint32_t pushes = 0;

	if (nn_graph_get_plan(graph, &plan))
		abort();
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct nn_tensor_info info;
		struct nn_plan_node node;
		struct nn_input source;

		if (nn_graph_get_plan_node(graph, i, &node))
			abort();
		for (uint32_t j = 0; j < node.input_count; j++) {
			if (nn_graph_get_plan_input(graph, i, j, &source))
				abort();
		}
		for (uint32_t j = 0; j < node.output_count; j++) {
			if (nn_graph_get_plan_output(graph, i, j, &info))
				abort();
		}
	}
	for (uint32_t i = 0; i < plan.sink_count; i++) {
		struct nn_input tensor;

		if (nn_graph_get_plan_sink(graph, i, &tensor))
			abort();
	}
	nn_graph_walk_passes(graph, count_push, &pushes);
}

static int is_small(const struct nn_graph *graph)
{
	uint32_t inputs = nn_graph_get_input_count(graph);
	uint32_t outputs = nn_graph_get_output_count(graph);
	struct nn_plan_info plan;
	uint64_t bytes;

	if (nn_graph_get_plan(graph, &plan) || inputs > MAX_TENSORS || outputs > MAX_TENSORS)
		return 0;
	bytes = plan.arena_bytes;
	if (bytes > MAX_BYTES || plan.constant_bytes > MAX_BYTES || plan.bytes_moved > MAX_BYTES)
		return 0;
	for (uint32_t i = 0; i < inputs; i++) {
		struct nn_tensor_info info;

		if (nn_graph_get_input_info(graph, i, &info) ||
		    tensor_bytes(&info, MAX_ROWS) > MAX_BYTES)
			return 0;
	}
	return 1;
}

static void execute(struct nn_graph *graph)
{
	uint32_t inputs = nn_graph_get_input_count(graph);
	uint32_t outputs = nn_graph_get_output_count(graph);
	struct nn_buffer input[MAX_TENSORS] = { 0 };
	struct nn_buffer output[MAX_TENSORS] = { 0 };

	for (uint32_t i = 0; i < inputs; i++) {
		struct nn_tensor_info info;

		if (nn_graph_get_input_info(graph, i, &info))
			abort();
		input[i].rows = info.dims[0] == NN_VARIABLE ? MAX_ROWS : info.dims[0];
		input[i].size = tensor_bytes(&info, MAX_ROWS);
		input[i].data = calloc(1, input[i].size + 1);
		for (size_t j = 0; j < input[i].size; j++)
			((uint8_t *)input[i].data)[j] = (uint8_t)(j * 37 + i);
	}
	/* Exactly this many bytes: the address sanitizer sees a byte too many. */
	for (uint32_t i = 0; i < outputs; i++) {
		output[i].size = 4096;
		output[i].data = malloc(output[i].size);
	}
	check_error(graph, nn_graph_execute(graph, input, inputs, output, outputs));

	for (uint32_t i = 0; i < inputs; i++)
		free(input[i].data);
	for (uint32_t i = 0; i < outputs; i++)
		free(output[i].data);
}

static void fuzz_graph(struct nn_graph *graph)
{
	struct nn_prepare_options as_written = { .flags = NN_PREPARE_NO_OPTIMIZE };
	struct nn_prepare_options looped = { .step = 2 };
	struct nn_device *host;
	int ret;

	ret = nn_graph_prepare(graph, NULL, &as_written);
	check_error(graph, ret);
	if (ret == 0)
		look_at_plan(graph);
	ret = nn_graph_prepare(graph, NULL, &looped);
	check_error(graph, ret);
	ret = nn_graph_prepare(graph, NULL, NULL);
	check_error(graph, ret);
	if (ret)
		return;
	look_at_plan(graph);
	if (!is_small(graph))
		return;

	if (nn_device_open("host", &host, NULL))
		abort();
	nn_graph_set_pass_limit(graph, MAX_PASSES);
	ret = nn_graph_prepare(graph, host, NULL);
	check_error(graph, ret);
	if (ret == 0) {
		execute(graph);
		execute(graph);
	}
	nn_device_close(host);
}

int fuzz_import(int (*import)(struct nn_graph *graph, const void *data, size_t size),
		const uint8_t *data, size_t size)
{
	struct nn_graph *graph;
	int err;

	if (nn_graph_create(&graph))
		abort();
	err = import(graph, data, size);
	if (!err)
		fuzz_graph(graph);
	else
		fuzz_refused(graph, err);
	nn_graph_destroy(graph);
	return 0;
}
