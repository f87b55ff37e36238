// SPDX-License-Identifier: MIT
/*
 * SOFTMAX: input and output 8 bit or INT16, any types, same dimensions, of which there are two or
 * more; and table FLOAT32 [256], of an INT16 input [65536], packed: table[d] is e to the power of
 * -d steps of the input. For each vector along the last dimension, in float32, where each operation
 * rounds to nearest, ties to even, as rint() does, and sums are made one after the other. In place.
 *
 * NN_SOFTMAX_TENSORFLOW, as TensorFlow Lite's own kernels do it, of 8 bits:
 *
 *	p = table[max - x] * (1 / (sum of table[max - x] * scale_output))
 *
 * and then rounded to the nearest integer, ties up, plus the zero point, clamped. For UINT8 that
 * integer is what p + 0.5 is in float32 without its fraction, which is one more for the largest p
 * below 0.5.
 *
 * NN_SOFTMAX_FLOAT, what is between DequantizeLinear and QuantizeLinear of ONNX:
 *
 *	rint(table[max - x] / (sum of table[max - x]) / scale_output) + zero point, clamped
 *
 * NN_SOFTMAX_LOG_TENSORFLOW and NN_SOFTMAX_LOG_FLOAT, the same of its logarithm, with l =
 * log_of(sum of table[max - x]) of log.h:
 *
 *	rint(scale_input / scale_output * x - (scale_input * max + l) / scale_output) + zero point
 *	rint((q(x) * scale_input - q(max) * scale_input - l) / scale_output) + zero point
 *
 * What has INT16 takes the FLOAT ones; of 8 bits INT16 is made by NN_SOFTMAX_TENSORFLOW, too.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/softmax.h"

static bool has_16_bits(const struct nn_call *call)
{
	return !is_8bit(&call->input[0]) || !is_8bit(&call->output[0]);
}

static bool has_wide_form(const struct nn_call *call)
{
	switch (call->op->softmax.form) {
	case NN_SOFTMAX_FLOAT:
	case NN_SOFTMAX_LOG_FLOAT:
		return true;
	case NN_SOFTMAX_TENSORFLOW:
		return is_8bit(&call->input[0]);
	}
	return false;
}

enum nn_program_reason nn_softmax_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *table = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_quantized(input) || !is_quantized(output) ||
	    !is_constant(table, NN_TYPE_FLOAT32))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output) || output->rank < 2 || 
	    table->dims[0] != (is_8bit(input) ? 256 : 65536))
		return NN_REASON_SHAPE;
	if (!is_scale(call->op->softmax.scale_output) || !clamp_is_valid(call) ||
	    call->op->softmax.form >= NN_SOFTMAX_FORMS ||
	    (has_16_bits(call) && !has_wide_form(call)) ||
	    (softmax_is_log(call) && !is_scale(call->op->softmax.scale_input)))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/*
 * Returns what the table has for an element: also where that is greater than any was when `max` was
 * found, because a client writes there or the output lies over it.
 */
static float power_of(const float *table, int32_t max, int32_t x)
{
	return table[(uint8_t)(max - x)];
}

static int softmax_one(struct progress *progress, const uint8_t *from, uint8_t *to,
		       uint32_t length)
{
	const struct nn_call *call = progress->call;
	const float *table = (const float *)call->input[1].data;
	int32_t flip = flip_of(&call->input[0]), max = -129;
	bool divides = call->op->softmax.form != NN_SOFTMAX_TENSORFLOW;
	struct softmax_vector vector = { 0 };
	float sum = 0;
	int ret = progress_add(progress, SOFTMAX_DIVISIONS_WORK + LOG_WORK);

	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t x = load_8bit(&from[i], flip);

		max = x > max ? x : max;
		ret = progress_add(progress, SOFTMAX_ELEMENT_WORK);
	}
	for (uint32_t i = 0; i < length && !ret; i++) {
		sum += power_of(table, max, load_8bit(&from[i], flip));
		ret = progress_add(progress, SOFTMAX_ELEMENT_WORK);
	}
	vector = softmax_vector_of(call, max, sum);
	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t x = load_8bit(&from[i], flip);
		int32_t whole = compute_softmax(call, &vector, power_of(table, max, x), x);

		to[i] = clamp_int(whole + call->output[0].zero_point, call->op->out_min,
				  call->op->out_max);
		ret = progress_add(progress,
				   divides ? SOFTMAX_DIVISIONS_WORK : SOFTMAX_ELEMENT_WORK);
	}
	return ret;
}

/* The same where some have 16 bits. */
static int softmax_16_bits(struct progress *progress, const uint8_t *from, uint8_t *to,
			   uint32_t length)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = nn_type_size(input->type), out_size = nn_type_size(output->type);
	uint32_t mask = call->input[1].dims[0] - 1;
	const float *table = (const float *)call->input[1].data;
	struct softmax_vector vector = { 0 };
	int32_t max = INT32_MIN;
	float sum = 0;
	int ret = progress_add(progress, SOFTMAX_DIVISIONS_WORK + LOG_WORK);

	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t x = load_quantized(input, from + i * size);

		max = x > max ? x : max;
		ret = progress_add(progress, SOFTMAX_ELEMENT_WORK);
	}
	for (uint32_t i = 0; i < length && !ret; i++) {
		sum += table[(uint32_t)(max - load_quantized(input, from + i * size)) & mask];
		ret = progress_add(progress, SOFTMAX_ELEMENT_WORK + NN_PAGE_WORK);
	}
	vector = softmax_vector_of(call, max, sum);
	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t x = load_quantized(input, from + i * size);
		float power = table[(uint32_t)(max - x) & mask];
		int32_t whole = compute_softmax(call, &vector, power, x);

		store_quantized(output, to + i * out_size,
			      clamp_int(whole + output->zero_point, call->op->out_min,
					call->op->out_max));
		ret = progress_add(progress, SOFTMAX_DIVISIONS_WORK + NN_PAGE_WORK);
	}
	return ret;
}

/*
 * Results by scales below 2^-9 or above 2^40 are looked up by the elements that there are. In rows
 * shorter than LEAST each element takes less by itself. 16 bits have no vectors.
 */
#define LEAST	24

bool nn_softmax_has_vectors(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	return !has_16_bits(call) && (output->dims[output->rank - 1] >= LEAST ||
				      softmax_is_usual(call) || softmax_is_log(call));
}

int nn_softmax_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct progress progress = { .call = call };

	for (uint64_t i = 0; has_16_bits(call) && i < output->bytes / nn_type_size(output->type);
	     i += length) {
		int ret = softmax_16_bits(&progress, input->data + i * nn_type_size(input->type),
					  output->data + i * nn_type_size(output->type), length);

		if (ret)
			return ret;
	}
	for (uint64_t i = 0; !has_16_bits(call) && i < output->bytes; i += length) {
		int ret = softmax_one(&progress, &input->data[i], &output->data[i],
				      length);

		if (ret)
			return ret;
	}
	return 0;
}
