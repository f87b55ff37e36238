// SPDX-License-Identifier: MIT
/*
 * REDUCE: input 8 bit; output 8 bit with the same rows, of which an element is made of all elements
 * of the input whose indices in the dimensions that `axes` has no bit of are its own, in their
 * order. axes has at least one bit, and not that of dimension 0. count = the number of elements
 * that one is made of, 1 .. 2^23. Everything clamped.
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
 *	NN_REDUCE_SQUARES	rint(s / scale_output) + zero point, with s = float32(sum of q(a)^2) *
 *				(scale_input * scale_input)
 *	NN_REDUCE_LENGTH	the same of the square root of s
 *
 * In float32, each operation rounded to nearest, ties to even, as rint() does. SUM, PROD and MEAN
 * take elements one after the other, as ONNX Runtime's DequantizeLinear, reductions and
 * QuantizeLinear do, but for the order; SQUARES and LENGTH are what such sums come near to; the
 * others are XNNPACK's and TensorFlow Lite's.
 */
#include "checks.h"
#include "numbers.h"
#include "progress.h"
#include "square_root.h"

#define MOST_ELEMENTS	(1u << 23)	/* whose sum fits 32 bits */
#define ELEMENT_WORK	24
#define RESULT_WORK	(512 + 2 * NN_PAGE_WORK)	/* two divisions */

/* Indices of some dimensions, the last one the fastest, and how far they are into a row. */
struct walk {
	uint32_t count, dims[NN_MAX_RANK], at[NN_MAX_RANK];
	uint64_t stride[NN_MAX_RANK], offset;
};

/* Of the dimensions that have a bit, or of the others but dimension 0. */
static struct walk walk_over(const struct nn_tensor *tensor, uint32_t axes, bool in_axes)
{
	struct walk walk = { 0 };
	uint64_t stride = 1;

	for (uint32_t i = tensor->rank; i-- > 1; stride *= tensor->dims[i]) {
		if ((axes >> i & 1) != in_axes)
			continue;
		walk.dims[walk.count] = tensor->dims[i];
		walk.stride[walk.count++] = stride;
	}
	return walk;
}

/* To the next, or from the last to the first. Whether there was a next. */
static bool walk_on(struct walk *walk)
{
	for (uint32_t i = 0; i < walk->count; i++) {
		walk->offset += walk->stride[i];
		if (++walk->at[i] < walk->dims[i])
			return true;
		walk->offset -= walk->stride[i] * walk->at[i];
		walk->at[i] = 0;
	}
	return false;
}

/* How many there are; one more than can be if they are too many. */
static uint32_t walk_length(const struct walk *walk)
{
	uint64_t length = 1;

	for (uint32_t i = 0; i < walk->count && length <= UINT32_MAX; i++)
		length *= walk->dims[i];
	return length < UINT32_MAX ? length : UINT32_MAX;
}

enum nn_program_reason nn_reduce_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_reduce_params *params = &call->op->reduce;
	struct walk inner, outer;
	bool needs_scales;

	if (!operands_are(call, 1, 1) || !is_8bit(input) || !is_8bit(output))
		return NN_REASON_OPERAND;
	if (params->form >= NN_REDUCE_FORMS || !params->axes || params->axes & 1 ||
	    params->axes >> input->rank || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	needs_scales = params->form != NN_REDUCE_MAX && params->form != NN_REDUCE_MIN &&
		       params->form != NN_REDUCE_MEAN_WHOLE;
	if (needs_scales ? !is_scale(params->scale_input) || !is_scale(params->scale_output)
			 : input->type != output->type)
		return NN_REASON_PARAMETER;
	inner = walk_over(input, params->axes, true);
	outer = walk_over(input, params->axes, false);
	if (!same_rows(input, output) || walk_length(&inner) > MOST_ELEMENTS ||
	    walk_length(&outer) != output->row_bytes)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* What is kept while elements are taken. */
struct taken {
	int32_t sum, most, least;
	int64_t squares;	/* of q */
	float real;
};

static int take_all(struct progress *progress, const uint8_t *from, struct walk *walk,
		    struct taken *taken)
{
	const struct nn_call *call = progress->call;
	const struct nn_reduce_params *params = &call->op->reduce;
	int32_t flip = flip_of(&call->input[0]), zero_point = call->input[0].zero_point;
	uint32_t work = ELEMENT_WORK + stride_work(walk->stride[0]);
	bool is_product = params->form == NN_REDUCE_PROD;

	*taken = (struct taken){ .most = INT32_MIN, .least = INT32_MAX, .real = is_product };
	do {
		int32_t a = load_8bit(from + walk->offset, flip);
		int32_t q = a - zero_point;
		float real = (float)q * params->scale_input;
		int ret = progress_add(progress, walk->at[0] ? work : ELEMENT_WORK + NN_PAGE_WORK);

		if (ret)
			return ret;
		taken->sum += a;
		taken->squares += q * q;
		taken->most = a > taken->most ? a : taken->most;
		taken->least = a < taken->least ? a : taken->least;
		if (is_product)
			taken->real *= real;
		else
			taken->real += real;
	} while (walk_on(walk));
	return 0;
}

/* Apart, so that what needs no root is not made slower by it. */
static __attribute__((noinline)) float find_length(float squares)
{
	return square_root(squares);
}

static int32_t finish(const struct nn_call *call, const struct taken *taken, uint32_t count)
{
	const struct nn_reduce_params *params = &call->op->reduce;
	int32_t zero_input = call->input[0].zero_point, zero_output = call->output[0].zero_point;
	int32_t exact = taken->sum - (int32_t)count * zero_input;
	int64_t squares;
	float scale, real;

	switch (params->form) {
	case NN_REDUCE_MAX:
		return taken->most;
	case NN_REDUCE_MIN:
		return taken->least;
	case NN_REDUCE_MEAN:
		return round_float(taken->real / (float)count / params->scale_output) +
		       zero_output;
	case NN_REDUCE_MEAN_ONCE:
		scale = params->scale_input / (params->scale_output * (float)count);
		return round_float((float)exact * scale) + zero_output;
	case NN_REDUCE_MEAN_AWAY:
		scale = params->scale_input / params->scale_output;
		return round_away((float)taken->sum / (float)count * scale +
				  (float)-zero_input * scale) + zero_output;
	case NN_REDUCE_SUM_AWAY:
		scale = params->scale_input / params->scale_output;
		exact = round_away((float)taken->sum * scale +
				   (float)-zero_input * scale * (float)count) + zero_output;
		return call->output[0].type == NN_TYPE_INT8 ? (int8_t)exact : (uint8_t)exact;
	case NN_REDUCE_MEAN_WHOLE:
		return taken->sum / (int32_t)count;
	case NN_REDUCE_VARIANCE:
		squares = taken->squares * count - (int64_t)exact * exact;
		scale = params->scale_input / (float)count;
		return round_float((float)squares * (scale * scale) / params->scale_output) +
		       zero_output;
	case NN_REDUCE_SQUARES:
	case NN_REDUCE_LENGTH:
		real = (float)taken->squares * (params->scale_input * params->scale_input);
		if (params->form == NN_REDUCE_LENGTH)
			real = find_length(real);
		return round_float(real / params->scale_output) + zero_output;
	}
	return round_float(taken->real / params->scale_output) + zero_output;
}

int nn_reduce_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct walk inner = walk_over(input, call->op->reduce.axes, true);
	struct walk outer = walk_over(input, call->op->reduce.axes, false);
	struct progress progress = { .call = call };
	uint32_t count = walk_length(&inner);
	uint8_t *out = output->data;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *row = input->data + n * input->row_bytes;

		do {
			struct taken taken;
			int ret = progress_add(&progress, RESULT_WORK);

			if (!ret)
				ret = take_all(&progress, row + outer.offset, &inner, &taken);
			if (ret)
				return ret;
			*out++ = clamp_int(finish(call, &taken, count), call->op->out_min,
					   call->op->out_max);
		} while (walk_on(&outer));
	}
	return 0;
}
