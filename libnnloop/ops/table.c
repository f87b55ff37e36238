// SPDX-License-Identifier: MIT
/*
 * Table: a function of one element, as its 256 results, or 65536 for 16 bits.
 *
 * docs/operators.md:
 * | `Table` | x, 8-bit, int16 or uint16, table, a constant: of 8 bits for 8 bits, uint8 `[256]`,
 * the stored bytes of the results, by the stored byte of the element (an int8 as uint8); where x
 * has 16 bits or the output has, int16, `[65536]` by the element (as a uint16), or `[256]`; uint16
 * goes from and to 16 bits | | as x unless given |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

static bool is_wide(const struct nn_node *node)
{
	return nn_data_type_size(node->inputs[0]->info.type) == 2 ||
	       nn_data_type_size(node->outputs[0].info.type) == 2;
}

/* Elements of 8 or 16 bits, with one scale. */
static int need_elements(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	return info->type == NN_UINT16 ? nn_node_need_scale(node, info, what) :
					 nn_node_need_real(node, info, what);
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
	error = need_elements(node, from, "input");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	error = need_elements(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	if (node->outputs[0].info.type == NN_UINT16 && nn_type_is_8bit(from->type))
		return nn_node_fail(node, -EOPNOTSUPP, "makes no uint16 of 8 bits");
	node->may_be_strided = !is_wide(node);
	node->may_overwrite = node->may_read_strided = node->may_be_strided;
	type = is_wide(node) ? NN_INT16 : NN_UINT8;
	size = nn_data_type_size(from->type) == 2 ? 65536 : 256;
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
