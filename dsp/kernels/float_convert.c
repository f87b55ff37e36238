// SPDX-License-Identifier: MIT
/*
 * FLOAT_CONVERT: input and output of the same dimensions, of which one is FLOAT32, and the other
 * 8 bit, INT16, INT32, INT64 or BOOL; both FLOAT32 with FROM, which leaves numbers as they are.
 *
 *	NN_FLOAT_FROM		output FLOAT32: q(x) as a float32, times scale
 *	NN_FLOAT_QUANTIZE	output 8 bit or INT16: rint(x / scale) + the zero point, the nearest that
 *				there is; what is no number becomes the least
 *	NN_FLOAT_CUT		output an integer: x without what is behind the point, or the nearest
 *				that there is; what is no number becomes the greatest. BOOL: whether x is not 0
 *
 * In float32, each operation rounded to nearest, ties to even. scale is 1 with CUT.
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/float_divide.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define ELEMENT_WORK	160
#define BYTE_WORK	32	/* of an element, where the other type is of 8 bits */
#define PIECE		1024u	/* of these between two looks at the work done */

enum nn_program_reason nn_float_convert_check(const struct nn_call *call)
{
	const struct nn_float_convert_params *params = &call->op->float_convert;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	if (!operands_are(call, 1, 1))
		return NN_REASON_OPERAND;
	if (params->form >= NN_FLOAT_CONVERSIONS || !(params->scale > 0) ||
	    params->scale > __FLT_MAX__ || (params->form == NN_FLOAT_CUT && params->scale != 1))
		return NN_REASON_PARAMETER;
	if (params->form == NN_FLOAT_FROM ? !is_float(output) : !is_float(input))
		return NN_REASON_OPERAND;
	if (input->type == NN_TYPE_UINT16 || output->type == NN_TYPE_UINT16 ||
	    nn_type_is_wide_unsigned(input->type) || nn_type_is_wide_unsigned(output->type) ||
	    (params->form == NN_FLOAT_QUANTIZE && !is_quantized(output)) ||
	    (params->form == NN_FLOAT_CUT && (is_float(output) || output->zero_point)))
		return NN_REASON_OPERAND;
	return same_dims(input, output) ? NN_REASON_NONE : NN_REASON_SHAPE;
}

static float convert_from(const struct nn_tensor *input, uint64_t i, float scale)
{
	switch (input->type) {
	case NN_TYPE_FLOAT32:
		return ((const float *)input->data)[i] * scale;
	case NN_TYPE_INT64:
		return (float)(((const int64_t *)input->data)[i] - input->zero_point) * scale;
	case NN_TYPE_INT32:
		return (float)((int64_t)((const int32_t *)input->data)[i] - input->zero_point) *
		       scale;
	case NN_TYPE_BOOL:
		return input->data[i] ? scale : 0;
	}
	return (float)(load_quantized(input, input->data + i * nn_type_size(input->type)) -
		       input->zero_point) * scale;
}

static void quantize(const struct nn_tensor *output, uint64_t i, float x)
{
	int32_t low = output->type == NN_TYPE_INT16 ? INT16_MIN :
		      output->type == NN_TYPE_INT8 ? INT8_MIN : 0;
	int32_t range = output->type == NN_TYPE_INT16 ? UINT16_MAX : UINT8_MAX;
	int32_t whole = float_is_number(x) ? round_float(x) : -(1 << 17);

	store_quantized(output, output->data + i * nn_type_size(output->type),
			clamp_int(whole + output->zero_point, low, low + range));
}

/* The nearest integer of `bits` bits towards 0. */
static int64_t cut_to(float x, uint32_t bits, bool is_signed)
{
	int64_t high = (int64_t)((1ull << (bits - is_signed)) - 1), low = is_signed ? -high - 1 : 0;

	if (!float_is_number(x))
		return high;
	if (x >= 0x1p63f || x <= -0x1p63f)
		return x > 0 ? high : low;
	return (int64_t)x < low ? low : (int64_t)x > high ? high : (int64_t)x;
}

static void cut(const struct nn_tensor *output, uint64_t i, float x)
{
	switch (output->type) {
	case NN_TYPE_INT64:
		((int64_t *)output->data)[i] = cut_to(x, 64, true);
		return;
	case NN_TYPE_INT32:
		((int32_t *)output->data)[i] = (int32_t)cut_to(x, 32, true);
		return;
	case NN_TYPE_INT16:
		((int16_t *)output->data)[i] = (int16_t)cut_to(x, 16, true);
		return;
	case NN_TYPE_BOOL:
		output->data[i] = !float_is_number(x) || x != 0;
		return;
	}
	output->data[i] = (uint8_t)cut_to(x, 8, output->type == NN_TYPE_INT8);
}

/* Elements from `i` on, between float32 and 8 bits, as quantize() and convert_from() have each of them. */
static void quantize_bytes(const struct nn_tensor *output, uint64_t i, const float *x,
			   uint32_t count, float scale)
{
	const struct float_divisor by = float_divisor_of(scale);
	const int32_t low = output->type == NN_TYPE_INT8 ? INT8_MIN : 0, high = low + UINT8_MAX;
	const int32_t zero = output->zero_point;
	uint8_t *to = output->data + i;

	for (uint32_t k = 0; k < count; k++) {
		float quotient = float_divide(x[k], &by);
		int32_t whole = float_is_number(quotient) ? round_float(quotient) : -(1 << 17);

		to[k] = (uint8_t)clamp_int(whole + zero, low, high);
	}
}

static void convert_bytes(float *to, const struct nn_tensor *input, uint64_t i, uint32_t count,
			  float scale)
{
	const int32_t flip = input->type == NN_TYPE_INT8 ? 128 : 0, zero = input->zero_point + flip;
	const uint8_t *from = input->data + i;

	for (uint32_t k = 0; k < count; k++)
		to[k] = float_result((float)((int32_t)(from[k] ^ flip) - zero) * scale);
}

static bool is_byte(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_UINT8 || tensor->type == NN_TYPE_INT8;
}

static int run_bytes(const struct nn_call *call, uint64_t count)
{
	const struct nn_float_convert_params *params = &call->op->float_convert;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };

	for (uint64_t i = 0; i < count; i += PIECE) {
		uint32_t some = count - i < PIECE ? count - i : PIECE;
		int ret = progress_add(&progress, BYTE_WORK * some);

		if (ret)
			return ret;
		if (params->form == NN_FLOAT_QUANTIZE)
			quantize_bytes(output, i, (const float *)input->data + i, some,
				       params->scale);
		else
			convert_bytes((float *)output->data + i, input, i, some, params->scale);
	}
	return 0;
}

int nn_float_convert_portable(const struct nn_call *call)
{
	const struct nn_float_convert_params *params = &call->op->float_convert;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t count = output->bytes / nn_type_size(output->type);
	const float *x = (const float *)input->data;
	struct progress progress = { .call = call };

	if (params->form != NN_FLOAT_CUT && is_byte(params->form == NN_FLOAT_FROM ? input : output))
		return run_bytes(call, count);
	for (uint64_t i = 0; i < count; i++) {
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		if (params->form == NN_FLOAT_FROM)
			((float *)output->data)[i] =
				float_result(convert_from(input, i, params->scale));
		else if (params->form == NN_FLOAT_QUANTIZE)
			quantize(output, i, x[i] / params->scale);
		else
			cut(output, i, x[i]);
	}
	return 0;
}
