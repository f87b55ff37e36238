// SPDX-License-Identifier: MIT
/*
 * Scatter: elements put where indices that are computed say.
 *
 * docs/operators.md:
 * | `Scatter` | x; indices, int32 or int64; updates of the type and quantization of x, with the
 * shape of what `Take` makes of x and the indices | `axis` (1), `depth` (0), `each` (0): as `Take`;
 * `function` (`put`, `add`, `mul`, `min`, `max`; what is put is the update, or that of what is
 * there and the update, as integers are stored) | as x; one place after the other; what is no index
 * is passed over |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/indices.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *const functions[NN_SCATTER_FORMS] = {
	[NN_SCATTER_PUT] = "put", [NN_SCATTER_ADD] = "add", [NN_SCATTER_MUL] = "mul",
	[NN_SCATTER_MIN] = "min", [NN_SCATTER_MAX] = "max",
};

static int read_function(struct nn_node *node, struct nn_scatter_params *scatter)
{
	const struct nn_tensor_info *x = &node->inputs[0]->info;
	const char *word = nn_node_get_string(node, "function", functions[NN_SCATTER_PUT]);

	while (strcmp(word, functions[scatter->form])) {
		if (++scatter->form == NN_SCATTER_FORMS)
			return nn_node_fail(node, -EINVAL, "there is no function \"%s\"", word);
	}
	if (scatter->form != NN_SCATTER_PUT && !nn_type_is_integer(x->type))
		return nn_node_fail(node, -EINVAL, "of %s cannot have function %s",
				    nn_data_type_name(x->type), word);
	return 0;
}

static int check_scatter(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *x = &node->inputs[0]->info;
	const struct nn_tensor_info *updates = &node->inputs[2]->info;
	struct nn_scatter_params *scatter = nn_node_make_state(node, sizeof(*scatter));
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank;
	int error;

	(void)graph;
	(void)opaque;
	if (!scatter)
		return -ENOMEM;
	error = nn_check_indices(node, &scatter->indexing, &rank, dims);
	if (!error)
		error = read_function(node, scatter);
	if (error)
		return error;
	if (!nn_info_same_quantization(x, updates))
		return nn_node_fail(node, -EINVAL,
				    "the updates have another type or quantization");
	if (updates->rank != rank ||
	    memcmp(updates->dims + 1, dims + 1, (rank - 1) * sizeof(*dims)))
		return nn_node_fail(node, -EINVAL,
				    "the updates do not have the shape of what the indices are of");
	error = nn_node_keep_quantization(node, 0, x);
	return error ? error : nn_node_infer_shape(node, 0, nn_node_rows(node), x->rank, x->dims);
}

static int lower_scatter(struct nn_lowering *lowering, struct nn_node *node)
{
	int updates = nn_lower_value(lowering, node->inputs[2]), error;
	struct nn_program_op *op;

	error = updates < 0 ? updates : nn_lower_two(lowering, node, NN_OPCODE_SCATTER, &op);
	if (error)
		return error;
	op->input[2] = updates;
	op->scatter = *(const struct nn_scatter_params *)node->state;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	NN_PLACES_ATTRS,
	{ .name = "function", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_scatter = {
	.name = "Scatter",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = attrs,
	.check = check_scatter,
	.lower = lower_scatter,
};
