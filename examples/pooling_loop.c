/* SPDX-License-Identifier: MIT */
/*
 * A graph made by hand: a loop hands two pictures at a time to a pooling operator, so that five
 * pictures are two full passes and a ragged one: pooling_loop [DEVICE]
 */
#include <stdint.h>
#include <stdio.h>
#include <nn_graph.h>

#define PICTURES 5

int main(int argc, char **argv)
{
	/* Nodes have ids of your choice and refer to outputs of earlier nodes. */
	struct nn_tensor_info picture = {
		.name = "picture", .type = NN_UINT8, .scale = 1,
		.rank = 4, .dims = { NN_VARIABLE, 4, 4, 1 },
	};
	struct nn_attr step = { .name = "step", .type = NN_ATTR_INT, .i = 2 };
	const int64_t two[] = { 2, 2 };
	struct nn_attr pool[] = {
		{ .name = "kernel", .type = NN_ATTR_INTS, .count = 2, .ints = two },
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = two },
	};
	struct nn_input from[] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
	struct nn_node_desc nodes[] = {
		{ .id = 1, .op = "Input", .outputs = &picture, .output_count = 1 },
		{ .id = 2, .op = "BatchLoop", .inputs = &from[0], .input_count = 1,
		  .attrs = &step, .attr_count = 1 },
		{ .id = 3, .op = "MaxPool", .inputs = &from[1], .input_count = 1,
		  .attrs = pool, .attr_count = 2 },
		{ .id = 4, .op = "OUTPUT", .inputs = &from[2], .input_count = 1 },
	};
	uint8_t pictures[PICTURES][4][4], pooled[PICTURES][2][2];
	struct nn_buffer in = { .data = pictures, .size = sizeof(pictures), .rows = PICTURES };
	struct nn_buffer out = { .data = pooled, .size = sizeof(pooled) };
	struct nn_device *device = NULL;
	struct nn_graph *graph = NULL;
	struct nn_execution_stats stats;
	struct nn_error error;
	int status = 1;

	for (unsigned int i = 0; i < sizeof(pictures); i++)
		((uint8_t *)pictures)[i] = i;

	/* "hexagon" is /dev/nnloop, "host" this processor. Neither ever stands in for the other. */
	if (nn_device_open(argc > 1 ? argv[1] : "hexagon", &device, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (nn_graph_create(&graph))
		goto close_device;
	for (unsigned int i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		if (nn_graph_append(graph, &nodes[i]))
			goto print_error;
	}
	if (nn_graph_prepare(graph, device, NULL))
		goto print_error;
	if (nn_graph_execute(graph, &in, 1, &out, 1))
		goto print_error;

	for (unsigned int i = 0; i < out.rows; i++)
		printf("picture %u: %u %u %u %u\n", i, pooled[i][0][0], pooled[i][0][1],
		       pooled[i][1][0], pooled[i][1][1]);
	nn_graph_get_stats(graph, &stats);
	printf("%u passes\n", (unsigned int)stats.passes);
	status = 0;
	goto destroy_graph;

print_error:
	/* The node that is at fault, and a sentence. */
	fprintf(stderr, "node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
destroy_graph:
	nn_graph_destroy(graph);
close_device:
	nn_device_close(device);
	return status;
}
