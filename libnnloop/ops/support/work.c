// SPDX-License-Identifier: MIT
/*
 * The work of an operator of a program in a pass (work.h): multiplications and bytes.
 */
#include "work.h"

#include <stddef.h>

#include "nn_graph.h"

/* Elements of a tensor in the pass, 0 for one that is absent. */
static uint64_t count_elements(const struct nn_program_tensor *tensor, const uint32_t *rows)
{
	uint64_t elements = 1;

	if (!tensor)
		return 0;
	for (uint32_t i = 0; i < tensor->rank; i++)
		elements *= !i && tensor->level && rows ? rows[tensor->level] : tensor->dims[i];
	return elements;
}

static uint64_t count_bytes(const struct nn_program_tensor *tensor, const uint32_t *rows)
{
	if (!tensor)
		return 0;
	return count_elements(tensor, rows) * nn_data_type_size((enum nn_data_type)tensor->type);
}

/* Products that are summed up for one element of the output. */
static uint64_t count_products(const struct nn_program_op *op,
			       const struct nn_program_tensor *input,
			       const struct nn_program_tensor *weights)
{
	const struct nn_window_params *window = &op->window;
	uint64_t products = 1;

	switch (op->opcode) {
	case NN_OPCODE_CONV2D:
		return (uint64_t)window->kernel_h * window->kernel_w * input->dims[3];
	case NN_OPCODE_DEPTHWISE_CONV2D:
		return (uint64_t)window->kernel_h * window->kernel_w;
	case NN_OPCODE_FULLY_CONNECTED:
		for (uint32_t i = 1; i < input->rank; i++)
			products *= input->dims[i];
		return products;
	case NN_OPCODE_LSTM:
		/* Four gates, of an input and of the last output. */
		return 4ull * (input->dims[2] + weights->dims[1]);
	case NN_OPCODE_SVDF:
		return (uint64_t)op->svdf.rank * (input->dims[1] + op->svdf.memory);
	case NN_OPCODE_FLOAT_CONV2D:
		return (uint64_t)window->kernel_h * window->kernel_w *
		       (input->dims[3] / op->float_conv2d.groups);
	case NN_OPCODE_FLOAT_MATMUL:
		return weights->dims[weights->rank - (op->float_matmul.transpose_b ? 1 : 2)];
	case NN_OPCODE_MATMUL:
	case NN_OPCODE_MATMUL_INT16:
		/* The second, because constants, which have no rows, are there as a rule. */
		return weights->dims[weights->rank - (op->matmul.transpose_b ? 1 : 2)];
	}
	return 0;
}

/* Packets for an element of an operator of float32, and for a product, as measured. */
#define FLOAT_PRODUCT_PACKETS 1.3
#define FLOAT_FUNCTION_PACKETS 200u
#define FLOAT_ELEMENT_PACKETS 30u

/* `elements` are those of the output, or of the input where there are more. */
static uint64_t estimate_float_packets(const struct nn_program_op *op, uint64_t elements,
				       uint64_t macs)
{
	switch (op->opcode) {
	case NN_OPCODE_FLOAT_CONV2D:
	case NN_OPCODE_FLOAT_MATMUL:
		return macs * FLOAT_PRODUCT_PACKETS + elements;
	case NN_OPCODE_FLOAT_EACH:
		return elements * (op->float_each.function < NN_FLOAT_EXPONENTIAL ?
					   FLOAT_ELEMENT_PACKETS : FLOAT_FUNCTION_PACKETS);
	case NN_OPCODE_FLOAT_REDUCE:
		return elements * (op->float_reduce.function == NN_FLOAT_SOFTMAX ?
					   2 * FLOAT_FUNCTION_PACKETS : FLOAT_ELEMENT_PACKETS);
	case NN_OPCODE_FLOAT_POOL:
		return elements * op->window.kernel_h * op->window.kernel_w * FLOAT_ELEMENT_PACKETS;
	case NN_OPCODE_FLOAT_BINARY:
	case NN_OPCODE_FLOAT_CONVERT:
	case NN_OPCODE_FLOAT_RESIZE:
		return elements * FLOAT_ELEMENT_PACKETS;
	}
	return 0;
}

struct nn_work nn_op_work(const struct nn_program_op *op, const struct nn_program_tensor *tensors,
			  const uint32_t *rows)
{
	const struct nn_program_tensor *operand[NN_MAX_OP_INPUTS + NN_MAX_OP_OUTPUTS];
	const struct nn_program_tensor **outputs = operand + NN_MAX_OP_INPUTS;
	struct nn_work work = { 0 };
	uint32_t i;

	for (i = 0; i < NN_MAX_OP_INPUTS + NN_MAX_OP_OUTPUTS; i++) {
		uint16_t index = i < NN_MAX_OP_INPUTS ? op->input[i] :
							op->output[i - NN_MAX_OP_INPUTS];

		operand[i] = index != NN_NO_TENSOR ? &tensors[index] : NULL;
		*(i < NN_MAX_OP_INPUTS ? &work.bytes_read : &work.bytes_written) +=
			count_bytes(operand[i], rows);
	}
	/* Parts of rows: what is beside them belongs to other operators. */
	if (op->opcode == NN_OPCODE_COPY) {
		uint64_t row = (uint64_t)op->copy.count * op->copy.block;
		uint32_t level = outputs[0]->level;

		work.bytes_read = row * (level && rows ? rows[level] : outputs[0]->dims[0]);
		work.bytes_written = work.bytes_read;
	}
	/* The rest of a row is for other iterations. */
	if (op->opcode == NN_OPCODE_PIECE && op->piece.into)
		work.bytes_written = work.bytes_read;
	else if (op->opcode == NN_OPCODE_PIECE)
		work.bytes_read = work.bytes_written;
	/* Its weights have no padding, and are one output's after the other. */
	if (op->opcode == NN_OPCODE_CONV2D_INT16)
		work.macs = count_elements(outputs[0], rows) / outputs[0]->dims[3] *
			    count_elements(operand[1], rows);
	else
		work.macs = count_elements(outputs[0], rows) *
			    count_products(op, operand[0], operand[1]);
	work.float_packets = estimate_float_packets(
		op, op->opcode == NN_OPCODE_FLOAT_REDUCE ? count_elements(operand[0], rows) :
							  count_elements(outputs[0], rows), work.macs);
	return work;
}
