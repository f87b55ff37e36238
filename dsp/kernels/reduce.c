// SPDX-License-Identifier: MIT
/*
 * REDUCE: input 8 bit or INT16; output 8 bit or INT16 with the same rows, of which an element is
 * made of all elements of the input whose indices in the dimensions that `axes` has no bit of are
 * its own, in their order. axes has at least one bit, and not that of dimension 0. count = the
 * number of elements that one is made of, 1 .. 2^23. Everything clamped.
 *
 *	NN_REDUCE_MAX, _MIN	of the stored integers. Both types are the same
 *	NN_REDUCE_SUM, _PROD	rint(sum or product of q(a) * scale_input / scale_output) + zero
 *				point
 *	NN_REDUCE_MEAN		rint(sum of q(a) * scale_input / count / scale_output) + zero point
 *	NN_REDUCE_MEAN_ONCE	rint(float32(sum of q(a)) * (scale_input / (scale_output * count)))
 *				+ zero point
 *	NN_REDUCE_MEAN_AWAY	with s = scale_input / scale_output, float32(sum of a) / count * s +
 *				-zero point of the input * s to the nearest, ties away from 0, +
 *				zero point
 *	NN_REDUCE_MEAN_WHOLE	sum of a / count without its fraction. Both types are the same
 *	NN_REDUCE_VARIANCE	with s = scale_input / count, float32(count * sum of q(a)^2 - (sum of
 *				q(a))^2) * (s * s) / scale_output to the nearest + zero point
 *	NN_REDUCE_SUM_AWAY	with s as of MEAN_AWAY, float32(sum of a) * s + -zero point of the
 *				input * s * count to the nearest, ties away from 0, 2^17 at
 *				most, + zero point, of which the low 8 bits are kept
 *	NN_REDUCE_MEAN_LINEAR	with s = scale_input / scale_output * (1 / count), rint(float32(sum of a) *
 *				s + (zero point - count * zero point of the input * s))
 *	NN_REDUCE_SUM_LINEAR	the same with s = scale_input / scale_output
 *	NN_REDUCE_SQUARES	rint(s / scale_output) + zero point, with s = float32(sum of q(a)^2) *
 *				(scale_input * scale_input)
 *	NN_REDUCE_LENGTH	the same of the square root of s
 *
 * In float32, each operation rounded to nearest, ties to even, as rint() does. SUM, PROD and MEAN
 * take elements one after the other, as ONNX Runtime's DequantizeLinear, reductions and
 * QuantizeLinear do, but for the order; SQUARES and LENGTH are what such sums come near to; the
 * others are XNNPACK's and TensorFlow Lite's. Where one of the types is INT16, the function is MAX,
 * MIN, SUM, PROD, MEAN, SQUARES or LENGTH.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/reduce.h"

static bool has_16_bits(const struct nn_call *call)
{
	return !is_8bit(&call->input[0]) || !is_8bit(&call->output[0]);
}

/* Functions that take no more than 64 bits, or float32, whatever the elements are. */
static bool is_for_16_bits(uint32_t form)
{
	switch (form) {
	case NN_REDUCE_MAX:
	case NN_REDUCE_MIN:
	case NN_REDUCE_SUM:
	case NN_REDUCE_PROD:
	case NN_REDUCE_MEAN:
	case NN_REDUCE_SQUARES:
	case NN_REDUCE_LENGTH:
		return true;
	}
	return false;
}

enum nn_program_reason nn_reduce_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_reduce_params *params = &call->op->reduce;
	struct walk inner, outer;
	bool needs_scales;

	if (!operands_are(call, 1, 1) || !is_quantized(input) || !is_quantized(output))
		return NN_REASON_OPERAND;
	if (params->form >= NN_REDUCE_FORMS || !params->axes || params->axes & 1 ||
	    params->axes >> input->rank || !clamp_is_valid(call) ||
	    (has_16_bits(call) && !is_for_16_bits(params->form)))
		return NN_REASON_PARAMETER;
	needs_scales = params->form != NN_REDUCE_MAX && params->form != NN_REDUCE_MIN &&
		       params->form != NN_REDUCE_MEAN_WHOLE;
	if (needs_scales ? !is_scale(params->scale_input) || !is_scale(params->scale_output)
			 : input->type != output->type)
		return NN_REASON_PARAMETER;
	inner = walk_over(input, params->axes, true);
	outer = walk_over(input, params->axes, false);
	if (!same_rows(input, output) || walk_length(&inner) > REDUCE_MOST_ELEMENTS ||
	    walk_length(&outer) != output->row_bytes / nn_type_size(output->type))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/*
 * Dimensions that are reduced lie one behind the other, and scales are 2^-30 to 2^30. Squares of
 * more elements than 65,536 do not fit 32 bits. 16 bits have no vectors.
 */
bool nn_reduce_has_vectors(const struct nn_call *call)
{
	const struct nn_reduce_params *params = &call->op->reduce;
	struct reduce_shape shape;

	if (has_16_bits(call) || !reduce_find_shape(call, &shape) ||
	    (shape.count > 1u << 16 &&
	     (params->form == NN_REDUCE_VARIANCE || params->form == NN_REDUCE_SQUARES ||
	      params->form == NN_REDUCE_LENGTH)))
		return false;
	if (params->form == NN_REDUCE_MAX || params->form == NN_REDUCE_MIN ||
	    params->form == NN_REDUCE_MEAN_WHOLE)
		return true;
	return reduce_is_moderate(params->scale_input) && reduce_is_moderate(params->scale_output);
}

/* The elements of one result, in their order, where some have 16 bits. */
static int take_16_bits(struct progress *progress, const uint8_t *from, struct walk *walk,
			struct reduce_taken *taken)
{
	const struct nn_tensor *input = &progress->call->input[0];
	const struct nn_reduce_params *params = &progress->call->op->reduce;
	uint32_t size = nn_type_size(input->type);
	uint32_t work = REDUCE_ELEMENT_WORK + stride_work(size * walk->stride[0]);
	bool is_product = params->form == NN_REDUCE_PROD;

	*taken = (struct reduce_taken){ .most = INT32_MIN, .least = INT32_MAX, .real = is_product };
	do {
		int32_t a = load_quantized(input, from + size * walk->offset);
		int32_t q = a - input->zero_point;
		float real = (float)q * params->scale_input;
		int ret = progress_add(progress,
				       walk->at[0] ? work : REDUCE_ELEMENT_WORK + NN_PAGE_WORK);

		if (ret)
			return ret;
		taken->squares += (int64_t)q * q;
		taken->most = a > taken->most ? a : taken->most;
		taken->least = a < taken->least ? a : taken->least;
		if (is_product)
			taken->real *= real;
		else
			taken->real += real;
	} while (walk_on(walk));
	return 0;
}

int nn_reduce_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct walk inner = walk_over(input, call->op->reduce.axes, true);
	struct walk outer = walk_over(input, call->op->reduce.axes, false);
	struct reduce_constants constants = reduce_constants_of(call, walk_length(&inner));
	uint32_t size = nn_type_size(input->type), out_size = nn_type_size(output->type);
	int (*take)(struct progress *progress, const uint8_t *from, struct walk *walk,
		    struct reduce_taken *taken) = has_16_bits(call) ? take_16_bits : reduce_take;
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *row = input->data + n * input->row_bytes;

		do {
			struct reduce_taken taken;
			int ret = progress_add(&progress, REDUCE_RESULT_WORK);

			if (!ret)
				ret = take(&progress, row + size * outer.offset, &inner, &taken);
			if (ret)
				return ret;
			store_quantized(output, out,
				      clamp_int(reduce_finish(call, &constants, &taken),
						call->op->out_min, call->op->out_max));
			out += out_size;
		} while (walk_on(&outer));
	}
	return 0;
}
