// SPDX-License-Identifier: MIT
/*
 * ARG: input 8 bit, INT16 or FLOAT32; output INT32 with the same rows, of which an element is made of
 * all elements of the input whose indices in the other dimensions than `axis` are its own, in their
 * order. axis is not dimension 0.
 *
 *	NN_ARG_MAX, _MIN	the index along the axis of the greatest or least; of several the first,
 *				or with `last` the last. Of floats what is no number is greater or less than
 *				nothing, so that it is that of the first element or none
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define ELEMENT_WORK	24
#define RESULT_WORK	(64 + 2 * NN_PAGE_WORK)

/* Bytes of the input from one index along the axis to the next. */
static uint64_t find_step(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	uint64_t step = nn_type_size(input->type);

	for (uint32_t i = input->rank; i-- > call->op->arg.axis + 1;)
		step *= input->dims[i];
	return step;
}

enum nn_program_reason nn_arg_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_arg_params *params = &call->op->arg;

	if (!operands_are(call, 1, 1) ||
	    (!is_quantized(input) && input->type != NN_TYPE_FLOAT32) || output->type != NN_TYPE_INT32)
		return NN_REASON_OPERAND;
	if (params->form >= NN_ARG_FORMS || params->last > 1 || !params->axis ||
	    params->axis >= input->rank || input->dims[params->axis] > INT32_MAX)
		return NN_REASON_PARAMETER;
	if (!same_rows(input, output) ||
	    output->row_bytes / 4 * input->dims[params->axis] !=
		    input->row_bytes / nn_type_size(input->type))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* Whether a value is to be taken instead of the best one so far, which it is then. */
static inline bool is_better(const struct nn_arg_params *params, int32_t value, int32_t *best)
{
	if (params->form == NN_ARG_MIN)
		value = -value;
	if (value < *best || (value == *best && !params->last))
		return false;
	*best = value;
	return true;
}

static int find_integer(struct progress *progress, const uint8_t *from, uint64_t step,
			uint32_t length, int32_t *index)
{
	const struct nn_call *call = progress->call;
	const struct nn_arg_params *params = &call->op->arg;
	int32_t best = INT32_MIN;
	uint32_t work = ELEMENT_WORK + stride_work(step);

	for (uint32_t i = 0; i < length; i++) {
		int32_t value = load_quantized(&call->input[0], from + i * step);
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		if (is_better(params, value, &best))
			*index = (int32_t)i;
	}
	return 0;
}

static int find_float(struct progress *progress, const uint8_t *from, uint64_t step,
		      uint32_t length, int32_t *index)
{
	const struct nn_arg_params *params = &progress->call->op->arg;
	int32_t best = INT32_MIN;
	uint32_t work = ELEMENT_WORK + stride_work(step);

	for (uint32_t i = 0; i < length; i++) {
		int32_t value = load_ordered(from + i * step);
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		if (value == NN_ORDERED_NONE) {
			if (i)
				continue;
			*index = 0;
			return 0;
		}
		if (is_better(params, value, &best))
			*index = (int32_t)i;
	}
	return 0;
}

static int find_index(struct progress *progress, const uint8_t *from, uint64_t step,
		      uint32_t length, int32_t *index)
{
	if (progress->call->input[0].type == NN_TYPE_FLOAT32)
		return find_float(progress, from, step, length, index);
	return find_integer(progress, from, step, length, index);
}

int nn_arg_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t length = input->dims[call->op->arg.axis];
	uint64_t step = find_step(call), block = step * length;
	struct progress progress = { .call = call };
	int32_t *out = (int32_t *)output->data;

	for (uint64_t at = 0; at < input->bytes; at += block) {
		for (uint64_t i = 0; i < step; i += nn_type_size(input->type)) {
			int ret = progress_add(&progress, RESULT_WORK);

			if (!ret)
				ret = find_index(&progress, input->data + at + i, step, length,
						 out++);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* 16 bits and floats have no vectors. */
bool nn_arg_has_vectors(const struct nn_call *call)
{
	return is_8bit(&call->input[0]);
}
