// SPDX-License-Identifier: MIT
/*
 * Table: a function of one element, as its 256 results, or 65536 for 16 bits.
 *
 * docs/operators.md:
 * | `Table` | x, 8-bit or int16, table, a constant: of 8 bits for 8 bits, uint8 `[256]`, the stored
 * bytes of the results, by the stored byte of the element (an int8 as uint8); where x is int16 or
 * the output is, int16, `[65536]` by the element (as a uint16), or `[256]` | | as x unless given |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

static bool is_wide(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 || node->outputs[0].info.type == NN_INT16;
}

static int check_table(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_value *table = node->inputs[1];
	enum nn_data_type type;
	char text[NN_SHAPE_TEXT];
	uint32_t size;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_node_need_quantized(node, from, "input");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	error = nn_node_need_quantized(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	node->may_be_strided = !is_wide(node);
	node->may_overwrite = node->may_read_strided = node->may_be_strided;
	type = is_wide(node) ? NN_INT16 : NN_UINT8;
	size = from->type == NN_INT16 ? 65536 : 256;
	if (!nn_node_has(table->node, NN_OP_CONST) || table->info.type != type ||
	    table->info.rank != 1 || table->info.dims[0] != size)
		return nn_node_fail(node, -EINVAL,
				    "the table must be a constant of %u %s, not %s of %s", size,
				    nn_data_type_name(type),
				    nn_info_format_shape(&table->info, text, sizeof(text)),
				    nn_data_type_name(table->info.type));
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_table(struct nn_lowering *lowering, struct nn_node *node)
{
	enum nn_opcode opcode = is_wide(node) ? NN_OPCODE_TABLE_INT16 : NN_OPCODE_TABLE;
	struct nn_program_op *op;
	int error, table = nn_lower_value(lowering, node->inputs[1]);

	if (table < 0)
		return table;
	error = nn_lower_unary(lowering, node, opcode, node->inputs[0], &node->outputs[0], &op);
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
