// SPDX-License-Identifier: MIT
/*
 * Table: a function of one 8-bit element, as its 256 results.
 *
 * docs/operators.md:
 * | `Table` | x, 8-bit, table uint8 `[256]`, a constant: the stored bytes of the results, by the
 * stored byte of the element (an int8 as uint8) | | as x unless given |
 */
#include "check.h"
#include "emit.h"
#include "function.h"
#include "ops.h"

#include <errno.h>

static int check_table(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_value *table = node->inputs[1];
	char text[NN_SHAPE_TEXT];

	if (!nn_node_has(table->node, NN_OP_CONST) || table->info.type != NN_UINT8 ||
	    table->info.rank != 1 || table->info.dims[0] != 256)
		return nn_node_fail(node, -EINVAL,
				    "the table must be a constant of 256 uint8, not %s of %s",
				    nn_info_format_shape(&table->info, text, sizeof(text)),
				    nn_data_type_name(table->info.type));
	return nn_check_function(graph, node, opaque);
}

static int lower_table(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error, table = nn_lower_value(lowering, node->inputs[1]);

	if (table < 0)
		return table;
	error = nn_lower_unary(lowering, node, NN_OPCODE_TABLE, node->inputs[0], &node->outputs[0],
			       &op);
	if (!error)
		op->input[1] = table;
	return error;
}

const struct nn_op nn_op_table = {
	.name = "Table",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.check = check_table,
	.lower = lower_table,
};
