// SPDX-License-Identifier: MIT
/*
 * RealScale: reals times one constant plus another, for each index of the last dimension. It runs on
 * the host's processor.
 *
 * docs/operators.md:
 * | `RealScale` | x float32; scale float32 `[last dimension of x]`, bias alike, constants | | float32,
 * as x |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>

enum { X, SCALE, BIAS };

static int check_real_scale(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const uint32_t last = from->dims[from->rank - 1];

	(void)graph;
	(void)opaque;
	if (from->type != NN_FLOAT32 || from->rank < 2)
		return nn_node_fail(node, -EINVAL,
				    "needs an input of float32, of 2 dimensions or more");
	for (uint32_t i = SCALE; i <= BIAS; i++) {
		const struct nn_value *constant = node->inputs[i];

		if (!nn_node_has(constant->node, NN_OP_CONST) ||
		    constant->info.type != NN_FLOAT32 || constant->info.rank != 1 ||
		    constant->info.dims[0] != last)
			return nn_node_fail(node, -EINVAL,
					    "scale and bias must be constants of %" PRIu32
					    " float32, as the last dimension has", last);
	}
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, from->dims);
}

static int execute_real_scale(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const uint32_t last = from->dims[from->rank - 1];
	const float *x = nn_graph_locate(graph, node->inputs[X]);
	const float *scale = nn_graph_locate(graph, node->inputs[SCALE]);
	const float *bias = nn_graph_locate(graph, node->inputs[BIAS]);
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	uint64_t count = nn_graph_rows(graph, node->inputs[X]) * nn_info_row_bytes(from) /
			 sizeof(float);

	(void)opaque;
	if (!count)
		return 0;
	if (!x || !scale || !bias || !out)
		return nn_host_deny(node);
	for (uint64_t i = 0; i < count; i++)
		out[i] = (double)x[i] * scale[i % last] + bias[i % last];
	return 0;
}

const struct nn_op nn_op_real_scale = {
	.name = "RealScale",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.check = check_real_scale,
	.execute = execute_real_scale,
};
