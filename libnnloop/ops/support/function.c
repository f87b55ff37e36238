// SPDX-License-Identifier: MIT
/*
 * Functions of one element (function.h), lowered to a table of 256 results, or of 65536 for 16
 * bits.
 */
#include "function.h"

#include <errno.h>
#include <math.h>

#include "check.h"
#include "emit.h"

static bool is_wide(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 || node->outputs[0].info.type == NN_INT16;
}

int nn_check_function(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_node_need_real(node, from, "input");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	error = nn_node_need_real(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	node->may_be_strided = !is_wide(node);
	node->may_overwrite = node->may_read_strided = node->may_be_strided;
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

int nn_lower_table(struct nn_lowering *lowering, struct nn_node *node,
		   double (*function)(double x, const void *opaque), const void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	bool wide = is_wide(node);
	int input, output, table, i;
	int32_t min, max, from_min, from_max;
	struct nn_program_op *op;
	void *data;

	input = nn_lower_value(lowering, node->inputs[0]);
	output = nn_lower_value(lowering, &node->outputs[0]);
	table = nn_lower_constant(lowering, wide ? NN_TYPE_INT16 : NN_TYPE_UINT8,
				  from->type == NN_INT16 ? 65536 : 256, &data);
	if (input < 0 || output < 0 || table < 0)
		return input < 0 ? input : output < 0 ? output : table;

	nn_type_range(to->type, &min, &max);
	nn_type_range(from->type, &from_min, &from_max);
	for (i = from_min; data && i <= from_max; i++) {
		float x = (float)(i - from->zero_point) * from->scale;
		float y = rintf((float)function(x, opaque) / to->scale) + (float)to->zero_point;

		y = fminf(fmaxf(y, min), max);
		if (wide)
			((int16_t *)data)[from->type == NN_INT16 ? (uint16_t)i : (uint8_t)i] =
				(int16_t)(int32_t)y;
		else
			((uint8_t *)data)[(uint8_t)i] = (uint8_t)(int32_t)y;
	}
	op = nn_lower_op(lowering, node, wide ? NN_OPCODE_TABLE_INT16 : NN_OPCODE_TABLE);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->input[1] = table;
	op->output[0] = output;
	return 0;
}
