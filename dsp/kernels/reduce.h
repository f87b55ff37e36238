/* SPDX-License-Identifier: MIT */
/*
 * REDUCE's definition, element by element (reduce.c), for the portable kernel and the vector one.
 */
#ifndef NN_REDUCE_H
#define NN_REDUCE_H

#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/square_root.h"

#define REDUCE_MOST_ELEMENTS	(1u << 23)	/* whose sum fits 32 bits */
#define REDUCE_ELEMENT_WORK	24
#define REDUCE_RESULT_WORK	(512 + 2 * NN_PAGE_WORK)	/* two divisions */

/* Indices of some dimensions, the last one the fastest, and how far they are into a row. */
struct walk {
	uint32_t count, dims[NN_MAX_RANK], at[NN_MAX_RANK];
	uint64_t stride[NN_MAX_RANK], offset;
};

/* A walk over the dimensions that have a bit in `axes`, or over the others but dimension 0. */
static inline struct walk walk_over(const struct nn_tensor *tensor, uint32_t axes, bool in_axes)
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

/* Goes on to the next, or from the last to the first. Returns whether there was a next. */
static inline bool walk_on(struct walk *walk)
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

/* Returns how many there are; one more than can be if they are too many. */
static inline uint32_t walk_length(const struct walk *walk)
{
	uint64_t length = 1;

	for (uint32_t i = 0; i < walk->count && length <= UINT32_MAX; i++)
		length *= walk->dims[i];
	return length < UINT32_MAX ? length : UINT32_MAX;
}

/* The shape of an input of which dimensions one behind the other go: [...][count][inner]. */
struct reduce_shape {
	uint32_t count, inner;
};

/* Tells whether the dimensions that go are one behind the other; those of 1 are anywhere. */
static inline bool reduce_find_shape(const struct nn_call *call, struct reduce_shape *shape)
{
	const struct nn_tensor *input = &call->input[0];

	*shape = (struct reduce_shape){ 1, 1 };
	for (uint32_t i = 1; i < input->rank; i++) {
		uint32_t size = input->dims[i];

		if (size == 1)
			continue;
		if (call->op->reduce.axes >> i & 1) {
			if (shape->inner > 1)
				return false;
			shape->count *= size;
		} else if (shape->count > 1) {
			shape->inner *= size;
		}
	}
	/* Nothing goes: all results are side by side. */
	if (shape->count == 1 && input->row_bytes <= INT32_MAX)
		shape->inner = input->row_bytes;
	return true;
}

static inline bool reduce_is_moderate(float x)
{
	return x >= 0x1p-30f && x <= 0x1p30f;
}

/* The state of a reduction while elements are taken one by one. */
struct reduce_taken {
	int32_t sum, most, least;
	int64_t squares;	/* of q */
	float real;
};

/* The elements of one result, in their order. */
static inline int reduce_take(struct progress *progress, const uint8_t *from, struct walk *walk,
			      struct reduce_taken *taken)
{
	const struct nn_call *call = progress->call;
	const struct nn_reduce_params *params = &call->op->reduce;
	int32_t flip = flip_of(&call->input[0]), zero_point = call->input[0].zero_point;
	uint32_t work = REDUCE_ELEMENT_WORK + stride_work(walk->stride[0]);
	bool is_product = params->form == NN_REDUCE_PROD;

	*taken = (struct reduce_taken){ .most = INT32_MIN, .least = INT32_MAX, .real = is_product };
	do {
		int32_t a = load_8bit(from + walk->offset, flip);
		int32_t q = a - zero_point;
		float real = (float)q * params->scale_input;
		int ret = progress_add(progress,
				       walk->at[0] ? work : REDUCE_ELEMENT_WORK + NN_PAGE_WORK);

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

/* A divisor. A caller that knows 1 / value well enough gives it as `inverse`, else that is 0. */
struct reduce_divisor {
	float value;
	double inverse;
};

static inline float reduce_divide(float a, const struct reduce_divisor *by)
{
	return by->inverse ? (float)(a * by->inverse) : a / by->value;
}

/* The numbers that all results of a call have in common. */
struct reduce_constants {
	uint32_t count;
	float scale;
	struct reduce_divisor length, scale_output;
	float (*root)(float x);		/* square_root(), or what has the same results */
};

/* This is a function of its own, so that what needs no root is not made slower by it. */
static __attribute__((noinline, unused)) float reduce_root(float x)
{
	return square_root(x);
}

static inline struct reduce_constants reduce_constants_of(const struct nn_call *call,
							  uint32_t count)
{
	const struct nn_reduce_params *params = &call->op->reduce;
	struct reduce_constants constants = {
		.count = count,
		.length.value = count,
		.scale_output.value = params->scale_output,
		.root = reduce_root,
	};

	switch (params->form) {
	case NN_REDUCE_MEAN_ONCE:
		constants.scale = params->scale_input / (params->scale_output * (float)count);
		break;
	case NN_REDUCE_MEAN_AWAY:
	case NN_REDUCE_SUM_AWAY:
	case NN_REDUCE_SUM_LINEAR:
		constants.scale = params->scale_input / params->scale_output;
		break;
	case NN_REDUCE_MEAN_LINEAR:
		constants.scale = params->scale_input / params->scale_output;
		constants.scale *= 1.0f / (float)count;
		break;
	case NN_REDUCE_VARIANCE:
		constants.scale = params->scale_input / (float)count;
		break;
	case NN_REDUCE_SQUARES:
	case NN_REDUCE_LENGTH:
		constants.scale = params->scale_input * params->scale_input;
		break;
	}
	return constants;
}

/* The result without the clamp. */
static inline int32_t reduce_finish(const struct nn_call *call,
				    const struct reduce_constants *constants,
				    const struct reduce_taken *taken)
{
	const struct nn_reduce_params *params = &call->op->reduce;
	int32_t zero_input = call->input[0].zero_point, zero_output = call->output[0].zero_point;
	int32_t exact = (int32_t)((uint32_t)taken->sum - constants->count * (uint32_t)zero_input);
	float scale = constants->scale, real = taken->real;
	int64_t squares;

	switch (params->form) {
	case NN_REDUCE_MAX:
		return taken->most;
	case NN_REDUCE_MIN:
		return taken->least;
	case NN_REDUCE_MEAN:
		real = reduce_divide(real, &constants->length);
		break;
	case NN_REDUCE_MEAN_ONCE:
		return round_float((float)exact * scale) + zero_output;
	case NN_REDUCE_MEAN_AWAY:
		real = reduce_divide((float)taken->sum, &constants->length) * scale;
		return round_away(real + (float)-zero_input * scale) + zero_output;
	case NN_REDUCE_MEAN_LINEAR:
	case NN_REDUCE_SUM_LINEAR:
		real = (float)constants->count * (float)zero_input * scale;
		return round_float((float)taken->sum * scale + ((float)zero_output - real));
	case NN_REDUCE_SUM_AWAY:
		exact = round_away((float)taken->sum * scale +
				   (float)-zero_input * scale * (float)constants->count) +
			zero_output;
		return call->output[0].type == NN_TYPE_INT8 ? (int8_t)exact : (uint8_t)exact;
	case NN_REDUCE_MEAN_WHOLE:
		return taken->sum / (int32_t)constants->count;
	case NN_REDUCE_VARIANCE:
		squares = taken->squares * constants->count - (int64_t)exact * exact;
		real = (float)squares * (scale * scale);
		break;
	case NN_REDUCE_SQUARES:
		real = (float)taken->squares * scale;
		break;
	case NN_REDUCE_LENGTH:
		real = constants->root((float)taken->squares * scale);
		break;
	}
	return round_float(reduce_divide(real, &constants->scale_output)) + zero_output;
}

#endif
