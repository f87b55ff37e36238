/* SPDX-License-Identifier: MIT */
/*
 * NORMALIZE's definition, vector by vector (normalize.c), which the portable kernel and the vector
 * one share.
 */
#ifndef NN_NORMALIZE_H
#define NN_NORMALIZE_H

#include "dsp/kernels/numbers.h"
#include "dsp/kernels/square_root.h"

#define NORMALIZE_VECTOR_WORK	1024	/* a root and a division */

/* The sums of a vector that its results are made of. */
struct normalize_sums {
	int64_t sum, absolute, squares;
};

/* Whether c is n * q - S. */
static inline bool normalize_centers(const struct nn_call *call)
{
	uint32_t form = call->op->normalize.form;

	return form == NN_NORMALIZE_CENTER || form == NN_NORMALIZE_DEVIATION ||
	       form == NN_NORMALIZE_GIVEN;
}

/* A square root, and a quotient, as float32 has them. */
typedef float normalize_root(float x);
typedef float normalize_quotient(float x, float y);

/* k. divisor: the vector's. Functions are known where this is inlined. */
static inline __attribute__((always_inline)) float
normalize_factor(const struct nn_call *call, const struct normalize_sums *sums,
		 const uint8_t *divisor, normalize_root *root, normalize_quotient *quotient)
{
	const struct nn_normalize_params *params = &call->op->normalize;
	int64_t squares = sums->squares;
	float by;

	switch (params->form) {
	case NN_NORMALIZE_DEVIATION:
		squares = squares * params->length - sums->sum * sums->sum;
		break;
	case NN_NORMALIZE_ROOT:
		break;
	case NN_NORMALIZE_SUM:
		by = (float)sums->absolute;
		return by == 0 ? 0 : quotient(params->step, by);
	case NN_NORMALIZE_GIVEN:
		return quotient(params->step, ((const float *)call->input[4].data)[*divisor]);
	default:
		return params->step;
	}
	by = root((float)squares * params->square_step + params->epsilon);
	return by == 0 ? 0 : quotient(params->step, by);
}

/* The position of an element's scale and bias, which change every `run` elements. */
struct normalize_place {
	uint32_t index, left;
};

static inline void normalize_next(const struct nn_call *call, struct normalize_place *place)
{
	if (--place->left)
		return;
	place->left = call->op->normalize.run;
	if (++place->index == call->input[1].dims[0])
		place->index = 0;
}

#endif
