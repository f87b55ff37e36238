// SPDX-License-Identifier: MIT
/*
 * NORMALIZE: input and output 8 bit or INT16, any types, same dimensions; scale and bias FLOAT32
 * [count], packed. A row is vectors of `length` elements, 1 .. 2^23, one behind the other. With
 *
 *	q = an element - zero point, n = length, and of a vector the integers, which are exact,
 *	S = the sum of q, A = the sum of |q|, Q = the sum of q^2, V = n * Q - S^2
 *
 * element i of a row becomes rint(y / scale_output) + zero point, clamped, where
 *
 *	y = float32(c) * k * scale[i / run modulo count] + bias[the same]
 *
 *	NN_NORMALIZE_SCALE	c = q, k = step
 *	NN_NORMALIZE_CENTER	c = n * q - S, k = step
 *	NN_NORMALIZE_DEVIATION	c = n * q - S, k = step / sqrt(float32(V) * square_step + epsilon)
 *	NN_NORMALIZE_ROOT	c = q, k = step / sqrt(float32(Q) * square_step + epsilon)
 *	NN_NORMALIZE_SUM	c = q, k = step / float32(A)
 *	NN_NORMALIZE_GIVEN	c = n * q - S, k = step / table[the vector's element of divisor]
 *
 * in float32, each operation rounded to nearest, ties to even, as rint() and sqrt() do. A root or
 * sum of 0 makes k 0. What is no number becomes the least one. Of an INT16 input, length is 2^14 at
 * most. GIVEN, of 8 bits, has two more inputs: divisor, 8 bit, as many elements in a row as there
 * are vectors; and table FLOAT32 [256], packed, by its stored bytes.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/normalize.h"
#include "dsp/kernels/progress.h"

#define MOST_ELEMENTS	(1u << 23)	/* for which n * Q fits 64 bits */
#define MOST_OF_16_BITS	(1u << 14)
#define SUM_WORK	32
#define ELEMENT_WORK	320		/* a division, and an index */

/* Whether there is a byte for each vector, and what each stands for. */
static bool has_divisors(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *divisor = &call->input[3];

	return same_rows(divisor, input) &&
	       divisor->row_bytes == input->row_bytes / call->op->normalize.length &&
	       call->input[4].dims[0] == 256;
}

enum nn_program_reason nn_normalize_check(const struct nn_call *call)
{
	const struct nn_normalize_params *params = &call->op->normalize;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_tensor *scale = &call->input[1], *bias = &call->input[2];
	bool is_given = params->form == NN_NORMALIZE_GIVEN;

	if (!operands_are(call, is_given ? 5 : 3, 1) || !is_quantized(input) ||
	    !is_quantized(output) ||
	    !is_constant(scale, NN_TYPE_FLOAT32) || !is_constant(bias, NN_TYPE_FLOAT32))
		return NN_REASON_OPERAND;
	if (is_given &&
	    (!is_8bit(input) || !is_8bit(output) || !is_8bit(&call->input[3]) ||
	     !is_constant(&call->input[4], NN_TYPE_FLOAT32)))
		return NN_REASON_OPERAND;
	if (params->form >= NN_NORMALIZE_FORMS || !params->run || !params->length ||
	    params->length > (is_8bit(input) ? MOST_ELEMENTS : MOST_OF_16_BITS) ||
	    !is_scale(params->scale_output) || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	if (!same_dims(input, output) ||
	    input->row_bytes / nn_type_size(input->type) % params->length ||
	    !scale->dims[0] || scale->dims[0] != bias->dims[0] ||
	    (is_given && !has_divisors(call)))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

static int sum_vector(struct progress *progress, const uint8_t *from, struct normalize_sums *sums)
{
	const struct nn_tensor *input = &progress->call->input[0];
	uint32_t size = nn_type_size(input->type);
	uint32_t length = progress->call->op->normalize.length;

	*sums = (struct normalize_sums){ 0 };
	for (uint32_t i = 0; i < length; i++) {
		int32_t q = load_quantized(input, from + i * size) - input->zero_point;
		int ret = progress_add(progress, SUM_WORK);

		if (ret)
			return ret;
		sums->sum += q;
		sums->absolute += q < 0 ? -q : q;
		sums->squares += (int64_t)q * q;
	}
	return 0;
}

static float quotient(float x, float y)
{
	return x / y;
}

static int normalize_vector(struct progress *progress, const uint8_t *from, uint8_t *to,
			    const uint8_t *divisor, struct normalize_place *place)
{
	const struct nn_call *call = progress->call;
	const struct nn_normalize_params *params = &call->op->normalize;
	const float *scale = (const float *)call->input[1].data;
	const float *bias = (const float *)call->input[2].data;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = nn_type_size(input->type), out_size = nn_type_size(output->type);
	bool is_centered = normalize_centers(call);
	struct normalize_sums sums = { 0 };
	float k;
	int ret = progress_add(progress, NORMALIZE_VECTOR_WORK);

	if (!ret && params->form != NN_NORMALIZE_SCALE)
		ret = sum_vector(progress, from, &sums);
	if (ret)
		return ret;
	k = normalize_factor(call, &sums, divisor, square_root, quotient);
	for (uint32_t i = 0; i < params->length; i++) {
		int64_t c = load_quantized(input, from + i * size) - input->zero_point;
		int32_t whole;

		ret = progress_add(progress, ELEMENT_WORK);
		if (ret)
			return ret;
		if (is_centered)
			c = c * params->length - sums.sum;
		whole = round_float(((float)c * k * scale[place->index] + bias[place->index]) /
				    params->scale_output);
		store_quantized(output, to + i * out_size,
			      clamp_int(whole + output->zero_point, call->op->out_min,
					call->op->out_max));
		normalize_next(call, place);
	}
	return 0;
}

/* The scale of the output is 2^-64 to 2^64, and all have 8 bits. */
bool nn_normalize_has_vectors(const struct nn_call *call)
{
	return is_8bit(&call->input[0]) && is_8bit(&call->output[0]) &&
	       is_usual_scale(call->op->normalize.scale_output);
}

int nn_normalize_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_normalize_params *params = &call->op->normalize;
	struct progress progress = { .call = call };
	const uint8_t *divisor = call->input[3].data, *from = input->data;
	uint64_t length = params->length * nn_type_size(input->type);
	uint8_t *to = output->data;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		struct normalize_place place = { .left = params->run };

		for (uint64_t i = 0; i < input->row_bytes; i += length) {
			int ret = normalize_vector(&progress, from, to, divisor, &place);

			from += length;
			to += params->length * nn_type_size(output->type);

			if (ret)
				return ret;
			if (params->form == NN_NORMALIZE_GIVEN)
				divisor++;
		}
	}
	return 0;
}
