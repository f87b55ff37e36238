// SPDX-License-Identifier: MIT
/*
 * Quantize: reals as integers: x divided by the scale, in float32, to the nearest, ties to even,
 * plus the zero point, saturated. What is no number becomes the least. It runs on the host's
 * processor.
 *
 * docs/operators.md:
 * | `Quantize` | x float32 | | 8-bit or int16, scale, zero point |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static int check_quantize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error = nn_node_need_real(node, &node->outputs[0].info, "output");

	(void)graph;
	(void)opaque;
	if (!error)
		error = nn_node_need_float(node);
	if (error)
		return error;
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int execute_quantize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *to = &node->outputs[0].info;
	const float *from = nn_graph_locate(graph, node->inputs[0]);
	uint64_t count = nn_graph_rows(graph, node->inputs[0]) * nn_info_row_elements(to);
	void *out = nn_graph_locate(graph, &node->outputs[0]);
	int32_t min, max;

	(void)opaque;
	if (!count)
		return 0;
	if (!from || !out)
		return nn_host_deny(node);
	nn_type_range(to->type, &min, &max);
	for (uint64_t i = 0; i < count; i++) {
		float stored = fmaxf(from[i] / to->scale, (float)(min - to->zero_point));

		stored = fminf(stored, (float)(max - to->zero_point));
		if (to->type == NN_INT16)
			((int16_t *)out)[i] = (int16_t)((int32_t)rintf(stored) + to->zero_point);
		else
			((uint8_t *)out)[i] = (uint8_t)((int32_t)rintf(stored) + to->zero_point);
	}
	return 0;
}

const struct nn_op nn_op_quantize = {
	.name = "Quantize",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = (const struct nn_attr_spec[]){ { 0 } },
	.check = check_quantize,
	.execute = execute_quantize,
};
