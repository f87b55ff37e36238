// SPDX-License-Identifier: MIT
/*
 * About how many packets a model takes on the DSP, to tell what a layer in another form would cost.
 * Integers by their multiplications and bytes, as large operators with vectors take them
 * (docs/performance.md); floats as the library estimates them everywhere.
 */
#include "dsp/program/interpreter.h"
#include "ops/support/work.h"
#include "plan/plan.h"
#include "quantize/quantizer.h"

/* A packet's: of 8 bits, and where something has 16. */
static const uint64_t macs_per_packet[] = { 128, 32 }, bytes_per_packet[] = { 16, 4 };

#define TABLE_LENGTH 65536u

/* Whether an operand is the table of a function of 16 bits, of which little is read. */
static bool is_table(const struct nn_program_tensor *tensor)
{
	return tensor->rank == 1 && tensor->dims[0] == TABLE_LENGTH;
}

static uint64_t count_integers(const struct nn_program_op *op,
			       const struct nn_program_tensor *tensors, const struct nn_work *work)
{
	uint64_t bytes = work->bytes_read + work->bytes_written;
	bool is_wide = false;

	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS + NN_MAX_OP_OUTPUTS; i++) {
		uint16_t index = i < NN_MAX_OP_INPUTS ? op->input[i] :
							op->output[i - NN_MAX_OP_INPUTS];
		enum nn_data_type type;

		if (index == NN_NO_TENSOR)
			continue;
		type = (enum nn_data_type)tensors[index].type;
		is_wide |= type == NN_INT16 || type == NN_UINT16;
		if (is_table(&tensors[index]))
			bytes -= TABLE_LENGTH * nn_data_type_size(type);
	}
	return work->macs / macs_per_packet[is_wide] + bytes / bytes_per_packet[is_wide];
}

struct quantizer_packets quantizer_count_packets(const struct nn_graph *graph)
{
	const struct nn_plan *plan = graph->plan;
	struct quantizer_packets packets = { 0 };

	for (uint32_t i = 0; i < plan->part_count; i++) {
		struct nn_program *program = plan->parts[i].program;

		for (uint32_t k = 0; program && k < program->op_count; k++) {
			const struct nn_program_op *op = &nn_program_ops(program)[k];
			const struct nn_program_tensor *tensors = nn_program_tensors(program);
			struct nn_work work = nn_op_work(op, tensors, NULL);

			packets.floats += work.float_packets;
			packets.all += work.float_packets ? work.float_packets :
							    count_integers(op, tensors, &work);
			if (op->opcode == NN_OPCODE_FLOAT_CONVERT)
				packets.conversions += work.float_packets;
		}
	}
	return packets;
}
