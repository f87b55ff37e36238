// SPDX-License-Identifier: MIT
/*
 * CUMULATE: input and output of the same dimensions. An element of the output is made of those
 * elements of the input whose indices in the other dimensions than `axis` are its own, and along
 * the axis up to its own, or with `exclusive` those before; with `backwards` from its own one on,
 * or those behind. axis is not dimension 0.
 *
 *	NN_CUMULATE_FLOAT	both 8 bit, or both INT16: rint(sum of q(a) * scale_input /
 *				scale_output) + zero point, clamped; in float32, each operation rounded to nearest, ties
 *				to even, elements taken one after the other, away from where the
 *				sums begin, as ONNX Runtime's DequantizeLinear, CumSum and
 *				QuantizeLinear do
 *	NN_CUMULATE_INTEGERS	both of one type of integers: the low bits of the sum of the stored
 *				integers
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/cumulate.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define ELEMENT_WORK	400	/* with a division */
#define VECTOR_WORK	(64 + 2 * NN_PAGE_WORK)

enum nn_program_reason nn_cumulate_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_cumulate_params *params = &call->op->cumulate;

	if (!operands_are(call, 1, 1))
		return NN_REASON_OPERAND;
	if (params->form >= NN_CUMULATE_FORMS || params->exclusive > 1 || params->backwards > 1 ||
	    !params->axis || params->axis >= input->rank)
		return NN_REASON_PARAMETER;
	if (params->form == NN_CUMULATE_FLOAT ?
		    !is_quantized(input) || !is_quantized(output) ||
			    nn_type_size(input->type) != nn_type_size(output->type) :
		    !is_integer(input) || input->type != output->type)
		return NN_REASON_OPERAND;
	if (params->form == NN_CUMULATE_FLOAT &&
	    (!is_scale(params->scale_input) || !is_scale(params->scale_output) ||
	     !clamp_is_valid(call)))
		return NN_REASON_PARAMETER;
	return same_dims(input, output) ? NN_REASON_NONE : NN_REASON_SHAPE;
}

/*
 * Sums of float32 that are so long, or so large, that each could be a tie have none, nor have 16
 * bits.
 */
bool nn_cumulate_has_vectors(const struct nn_call *call)
{
	const struct nn_cumulate_params *params = &call->op->cumulate;

	return params->form == NN_CUMULATE_INTEGERS ||
	       (is_8bit(&call->input[0]) && is_usual_scale(params->scale_input) &&
		is_usual_scale(params->scale_output) &&
		cumulate_margin(call) < CUMULATE_MOST_MARGIN);
}

/* The sum of what was taken. */
struct sum {
	float real;
	uint64_t integer;
};

static void add_element(const struct nn_call *call, const uint8_t *from, struct sum *sum)
{
	const struct nn_tensor *input = &call->input[0];
	int64_t a = load_integer(from, input->type);

	if (call->op->cumulate.form == NN_CUMULATE_INTEGERS)
		sum->integer += (uint64_t)a;
	else
		sum->real += (float)((int32_t)a - input->zero_point) *
			     call->op->cumulate.scale_input;
}

static void store_sum(const struct nn_call *call, uint8_t *to, const struct sum *sum)
{
	const struct nn_tensor *output = &call->output[0];
	int32_t stored;

	if (call->op->cumulate.form == NN_CUMULATE_INTEGERS) {
		store_integer(to, output->type, (int64_t)sum->integer);
		return;
	}
	stored = round_float(sum->real / call->op->cumulate.scale_output) + output->zero_point;
	store_quantized(output, to, clamp_int(stored, call->op->out_min, call->op->out_max));
}

/* Along the axis: `length` elements from an offset on, `step` bytes from one to the next. */
static int cumulate(struct progress *progress, uint64_t at, uint64_t step, uint32_t length)
{
	const struct nn_call *call = progress->call;
	const struct nn_cumulate_params *params = &call->op->cumulate;
	uint32_t work = ELEMENT_WORK + 2 * stride_work(step);
	struct sum sum = { 0 };

	for (uint32_t i = 0; i < length; i++) {
		uint64_t place = at + step * (params->backwards ? length - 1 - i : i);
		const uint8_t *from = call->input[0].data + place;
		uint8_t *to = call->output[0].data + place;
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		if (params->exclusive)
			store_sum(call, to, &sum);
		add_element(call, from, &sum);
		if (!params->exclusive)
			store_sum(call, to, &sum);
	}
	return 0;
}

int nn_cumulate_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	uint32_t axis = call->op->cumulate.axis, length = input->dims[axis];
	uint64_t size = nn_type_size(input->type), step = size, block;
	struct progress progress = { .call = call };

	for (uint32_t i = input->rank; i-- > axis + 1;)
		step *= input->dims[i];
	block = step * length;
	for (uint64_t at = 0; at < input->bytes; at += block) {
		for (uint64_t i = 0; i < step; i += size) {
			int ret = progress_add(&progress, VECTOR_WORK);

			if (!ret)
				ret = cumulate(&progress, at + i, step, length);
			if (ret)
				return ret;
		}
	}
	return 0;
}
