// SPDX-License-Identifier: MIT
/*
 * The cost of appending and preparing grows linearly with the nodes. Cost is not time, which other
 * work on the machine changes: this program's library is compiled so that it calls a function for
 * each basic block it enters, and those are counted.
 */
#include <stdint.h>
#include <stdlib.h>

#include "nn_graph.h"
#include "tap.h"

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

static int append(struct nn_graph *graph, uint32_t id, const char *op,
		  const struct nn_input *inputs, uint32_t count)
{
	struct nn_tensor_info info = { .type = NN_INT8, .rank = 2, .dims = { 1, 8 }, .scale = 1 };
	struct nn_attr attrs[2] = {
		{ .name = "current", .type = NN_ATTR_INT, .i = 1 },
		{ .name = "total", .type = NN_ATTR_INT, .i = 1 },
	};
	struct nn_node_desc desc = { .id = id, .op = op, .inputs = inputs, .input_count = count };

	if (!count) {
		desc.outputs = &info;
		desc.output_count = 1;
	}
	if (op[0] == 'C') {
		desc.attrs = attrs;
		desc.attr_count = 2;
	}
	if (nn_graph_append(graph, &desc)) {
		printf("# node %u: %s\n", id, nn_graph_error(graph)->text);
		return -1;
	}
	return 0;
}

/*
 * Two loops; in each partition nodes with inputs from near and far, so that half of all tensors
 * cross a boundary, and listed so that they must be sorted. Basic blocks for all of it.
 */
static uint64_t cost(uint32_t nodes)
{
	struct nn_graph *graph;
	struct nn_input inputs[3];
	uint32_t i, lcn = 0;
	bool good = true;

	blocks = 0;
	if (nn_graph_create(&graph))
		exit(1);
	good &= !append(graph, 1, "Input", NULL, 0);
	for (i = 2; i <= nodes; i++) {
		inputs[0] = (struct nn_input){ i - 1 - (i > 2 && i % 3 == 0), 0 };
		inputs[1] = (struct nn_input){ 1 + (i - 1) / 2, 0 };
		inputs[2] = (struct nn_input){ i % 7 ? 1 : i / 3 + 1, 0 };
		if (i == nodes / 3 || i == 2 * (nodes / 3)) {
			inputs[0].src_id = lcn ? lcn : 1;
			good &= !append(graph, i, "CountLoop", inputs, 1);
			lcn = i;
		} else {
			if (i % 5 == 0)
				inputs[0].src_id = inputs[1].src_id = inputs[2].src_id = 1 + i / 4;
			good &= !append(graph, i, "Nop", inputs, 3);
		}
	}
	inputs[0].src_id = nodes;
	inputs[1].src_id = lcn;
	inputs[2].src_id = nodes / 2;
	good &= !append(graph, nodes + 1, "OUTPUT", inputs, 3);
	CHECK(good);
	if (!CHECK(!nn_graph_prepare(
		    graph, NULL, &(struct nn_prepare_options){ .flags = NN_PREPARE_NO_OPTIMIZE })))
		printf("# %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	return blocks;
}

static void test_linear(void)
{
	uint64_t small = cost(10000), large = cost(100000);

	printf("# 10,000 nodes: %llu basic blocks; 100,000: %llu, %.2f times as many\n",
	       (unsigned long long)small, (unsigned long long)large, (double)large / (double)small);
	CHECK(small > 10000 * 20);
	CHECK(large <= 12 * small);
}

int main(void)
{
	tap_run("100,000 nodes cost at most 12 times what 10,000 cost", test_linear);
	return tap_end();
}
