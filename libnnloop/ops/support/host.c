// SPDX-License-Identifier: MIT
/* Helpers of operators that run on the host's processor (host.h). */
#include "host.h"

#include <errno.h>
#include <string.h>

int nn_host_deny(struct nn_node *node)
{
	return nn_node_fail(node, -EACCES, "runs on the host, which has no access to a buffer");
}

int nn_host_clear_outputs(struct nn_graph *graph, struct nn_node *node, uint32_t rows, void **out)
{
	for (uint32_t i = 0; i < node->op->outputs; i++) {
		out[i] = nn_graph_locate(graph, &node->outputs[i]);
		if (!out[i])
			return nn_host_deny(node);
		memset(out[i], 0, rows * nn_info_row_bytes(&node->outputs[i].info));
	}
	return 0;
}

void nn_host_fill_reals(float real[256], const struct nn_tensor_info *info)
{
	for (int32_t i = 0; i < 256; i++) {
		int32_t stored = info->type == NN_INT8 ? (int8_t)i : i;

		real[i] = (stored - info->zero_point) * info->scale;
	}
}
