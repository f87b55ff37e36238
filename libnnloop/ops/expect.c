// SPDX-License-Identifier: MIT
/*
 * Expect: x, if numbers that only a run brings are those that the graph was made for. A model may
 * take a shape as an input, and have all shapes in its file; then the two must agree.
 *
 * docs/operators.md:
 * | `Expect` | x, numbers int32 `[rows, n]` | `values` (required): what the n numbers of each row
 * must be, or the run fails | as x |
 */
#include "ops/support/alias.h"
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { X, NUMBERS };

static int check_expect(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info,
				    *numbers = &node->inputs[NUMBERS]->info;
	const struct nn_attr *attr = nn_node_get_attr(node, "values");
	uint32_t count = numbers->rank == 2 ? numbers->dims[1] : 0;
	int64_t *values;
	int error;

	(void)graph;
	(void)opaque;
	if (!attr)
		return nn_node_fail(node, -EINVAL, "needs the attribute values");
	if (numbers->type != NN_INT32 || count != (attr->type == NN_ATTR_INTS ? attr->count : 1))
		return nn_node_fail(node, -EINVAL,
				    "the numbers must be int32, as many in each row as values");
	values = nn_node_make_state(node, count * sizeof(*values));
	if (!values)
		return -ENOMEM;
	nn_node_get_ints(node, "values", count, values);
	error = nn_node_keep_quantization(node, 0, from);
	if (!error)
		error = nn_node_infer_shape(node, 0, from, from->rank, from->dims);
	if (!error)
		nn_node_alias(node, 0, X);
	return error;
}

static int execute_expect(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const int32_t *numbers = nn_graph_locate(graph, node->inputs[NUMBERS]);
	uint32_t rows = nn_graph_rows(graph, node->inputs[NUMBERS]);
	uint32_t count = node->inputs[NUMBERS]->info.dims[1];
	const int64_t *values = node->state;
	const void *from = nn_graph_locate(graph, node->inputs[X]);
	void *to = nn_graph_locate(graph, &node->outputs[0]);

	(void)opaque;
	if (rows && (!numbers || !from || !to))
		return nn_host_deny(node);
	for (uint64_t i = 0; i < (uint64_t)rows * count; i++) {
		if (numbers[i] != values[i % count])
			return nn_node_fail(node, -EINVAL,
					    "number %" PRIu64 " of row %" PRIu64 " is %" PRId32
					    ", and the model was made for %" PRId64,
					    i % count, i / count, numbers[i], values[i % count]);
	}
	if (rows && to != from)
		memcpy(to, from, rows * nn_info_row_bytes(&node->inputs[X]->info));
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "values", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ 0 }
};

const struct nn_op nn_op_expect = {
	.name = "Expect",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_expect,
	.execute = execute_expect,
};
