/* SPDX-License-Identifier: MIT */
/*
 * SOFTMAX's definition, element by element, for the portable kernel and the vector one.
 */
#ifndef NN_SOFTMAX_H
#define NN_SOFTMAX_H

#include "dsp/kernels/log.h"
#include "dsp/kernels/numbers.h"

#define SOFTMAX_ELEMENT_WORK	32
#define SOFTMAX_DIVISIONS_WORK	512	/* two, which the DSP has no instruction for */

static inline bool softmax_is_log(const struct nn_call *call)
{
	return call->op->softmax.form == NN_SOFTMAX_LOG_TENSORFLOW ||
	       call->op->softmax.form == NN_SOFTMAX_LOG_FLOAT;
}

/* No logarithms, and results below 2^9, or past 8 bits. */
static inline bool softmax_is_usual(const struct nn_call *call)
{
	float scale = call->op->softmax.scale_output;

	return !softmax_is_log(call) && scale >= 0x1p-9f && scale <= 0x1p40f;
}

/* Rounds p up from a half; a p that is no number, which a table can make, becomes 0. */
static inline int32_t round_up_half(float p, bool in_float)
{
	const float limit = 65536.0f;
	int32_t whole;

	if (!(p > 0))
		return 0;
	if (p > limit)
		p = limit;
	if (in_float)
		return (int32_t)(p + 0.5f);
	whole = (int32_t)p;
	return whole + (p - (float)whole >= 0.5f);
}

/* The numbers that all elements of a vector have in common. */
struct softmax_vector {
	int32_t max;
	float sum, inverse, log;
};

static inline struct softmax_vector softmax_vector_of(const struct nn_call *call, int32_t max,
						      float sum)
{
	struct softmax_vector vector = { .max = max, .sum = sum };

	if (softmax_is_log(call))
		vector.log = log_of(sum);
	else
		vector.inverse = 1.0f / (sum * call->op->softmax.scale_output);
	return vector;
}

/* The result of an element without the zero point; `power`: what the table has for it. */
static inline int32_t compute_softmax(const struct nn_call *call,
				      const struct softmax_vector *vector, float power, int32_t x)
{
	const struct nn_softmax_params *params = &call->op->softmax;
	int32_t zero = call->input[0].zero_point;

	switch (params->form) {
	case NN_SOFTMAX_TENSORFLOW:
		return round_up_half(power * vector->inverse,
				     call->output[0].type == NN_TYPE_UINT8);
	case NN_SOFTMAX_LOG_TENSORFLOW:
		return round_float(params->scale_input / params->scale_output * (float)x -
				   (params->scale_input * (float)vector->max + vector->log) /
					   params->scale_output);
	case NN_SOFTMAX_LOG_FLOAT:
		return round_float(((float)(x - zero) * params->scale_input -
				    (float)(vector->max - zero) * params->scale_input -
				    vector->log) / params->scale_output);
	}
	return round_float(power / vector->sum / params->scale_output);
}

#endif
