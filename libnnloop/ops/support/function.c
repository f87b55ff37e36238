// SPDX-License-Identifier: MIT
/*
 * Functions of one 8-bit element (function.h), lowered to a table of 256 results.
 */
#include "function.h"

#include <errno.h>
#include <math.h>

#include "check.h"
#include "emit.h"

int nn_check_function(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_node_need_8bit(node, from, "input");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	error = nn_node_need_8bit(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	node->may_overwrite = node->may_read_strided = 1;
	node->may_be_strided = true;
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

int nn_lower_table(struct nn_lowering *lowering, struct nn_node *node,
		   double (*function)(double x, const void *opaque), const void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	int input, output, table, i;
	int32_t min, max, from_min, from_max;
	struct nn_program_op *op;
	void *data;

	input = nn_lower_value(lowering, node->inputs[0]);
	output = nn_lower_value(lowering, &node->outputs[0]);
	table = nn_lower_constant(lowering, NN_TYPE_UINT8, 256, &data);
	if (input < 0 || output < 0 || table < 0)
		return input < 0 ? input : output < 0 ? output : table;

	nn_type_range(to->type, &min, &max);
	nn_type_range(from->type, &from_min, &from_max);
	for (i = from_min; data && i <= from_max; i++) {
		float x = (float)(i - from->zero_point) * from->scale;
		float y = rintf((float)function(x, opaque) / to->scale) + (float)to->zero_point;

		((uint8_t *)data)[(uint8_t)i] = (uint8_t)(int32_t)fminf(fmaxf(y, min), max);
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_TABLE);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->input[1] = table;
	op->output[0] = output;
	return 0;
}
