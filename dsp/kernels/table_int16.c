// SPDX-License-Identifier: MIT
/*
 * TABLE_INT16: input, output 8 bit, INT16 or UINT16, but not one of 8 bits and a UINT16 output, same
 * dimensions; table INT16 packed, [256] of an
 * 8-bit input, indexed by its byte (an int8 as uint8), or [65536] of 16 bits, indexed by these as an
 * unsigned number. Output = table[input], of which 8 bits have the low byte. Zero points do not count,
 * and nothing is clamped. In place, if the types have one size.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

static bool is_of_16_bits(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT16 || tensor->type == NN_TYPE_UINT16;
}

enum nn_program_reason nn_table_int16_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *table = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	bool is_wide = is_of_16_bits(input);

	if (!operands_are(call, 2, 1) || !is_constant(table, NN_TYPE_INT16) ||
	    (!is_wide && !is_8bit(input)) ||
	    (output->type != NN_TYPE_INT16 && !is_8bit(output) &&
	     !(is_wide && is_of_16_bits(output))))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output) || table->dims[0] != (is_wide ? 65536 : 256))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_table_int16_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const int16_t *table = (const int16_t *)call->input[1].data;
	uint64_t count = output->bytes / nn_type_size(output->type);

	for (uint64_t i = 0; i < count; i++) {
		int ret = progress_element(call, i);
		int16_t value;

		if (ret)
			return ret;
		value = table[is_of_16_bits(input) ? ((const uint16_t *)input->data)[i] :
						     input->data[i]];
		if (is_of_16_bits(output))
			((int16_t *)output->data)[i] = value;
		else
			output->data[i] = (uint8_t)value;
	}
	return 0;
}

/* A vector has too few of 65536 results: the scalar unit looks them up. */
bool nn_table_int16_has_vectors(const struct nn_call *call)
{
	return is_8bit(&call->input[0]);
}
