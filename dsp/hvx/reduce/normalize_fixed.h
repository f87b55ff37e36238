/* SPDX-License-Identifier: MIT */
/*
 * NORMALIZE's elements in fixed point, 128 at a time: normalize_fixed.c. normalize.c calls it.
 *
 * In steps of the output a result is y = c * k * scale / scale_output + bias / scale_output. With
 * an integer z near the mean, or the zero point, a is an element - z, and c * k is a * n * k + (n *
 * z - S) * k; where nothing is centered n is 1, and nothing is added. All factors are constants of
 * a vector but scale and bias.
 */
#ifndef NN_NORMALIZE_FIXED_H
#define NN_NORMALIZE_FIXED_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/normalize.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

#define NORMALIZE_SCRATCH	(64u << 10)	/* bytes of scratch memory that this takes at least */

/* digits * 2^exponent. The digits are 0, or 2^30 .. 2^31 - 1 in magnitude. */
struct number {
	int32_t digits, exponent;
};

/* The constants of a call. */
struct normalize_fixed {
	const struct nn_call *call;
	bool is_usable;			/* else no scale or bias is in fixed point */
	struct number inverse;		/* of the output's scale */
	int32_t scale_top, bias_top;	/* exponents of the greatest ones, as float32 has them */
	uint32_t margin;		/* in 2^-16: so near to a half a result may be a tie */
	uint32_t lanes, phases;		/* of factors that are kept (settle_kept()), or 0 */
	uint32_t made;			/* phases that have been made so far */
};

/* The constants of a vector, but for those in fixed point. */
struct normalize_vector {
	uint32_t length;
	int64_t sum;		/* of q */
	float factor;		/* k */
	double inverse;		/* of the output's scale */
	float over_length;	/* about 1 / length */
	uint32_t at, number;	/* its first element in the row, and which vector of the row it is */

	/* Elements are unsigned bytes here: z, what n * z is more than their sum, and a bound. */
	uint32_t near;
	int32_t rest;
	uint32_t reach;		/* a is less than 2^reach */
	bool has_factor;	/* these are numbers that fixed point has room for: */
	struct number once, whole;	/* k and n * k, or k twice, over the output's scale */
};

/*
 * Adds a vector's elements to `sum` and their squares, or magnitudes, to `squares` or `absolute`:
 * all less their zero point. Returns what a report of progress did. (In normalize.c.)
 */
int nn_normalize_sum(struct progress *progress, const uint8_t *from, uint32_t length,
		     bool is_absolute, struct normalize_sums *sums);

/* Prepares a call. */
void nn_normalize_settle(struct normalize_fixed *fixed, const struct nn_call *call);

/* Settles what fixed point needs of a vector that has these sums and its factor. */
void nn_normalize_place(const struct normalize_fixed *fixed, struct normalize_vector *vector,
			const struct normalize_sums *sums);

/* Tells whether a vector's elements have room in fixed point, whatever their scales. */
bool nn_normalize_has_room(const struct normalize_fixed *fixed,
			   const struct normalize_vector *vector);

/*
 * Computes all elements of a vector with scales and biases of their own. Returns what a report of
 * progress did.
 */
int nn_normalize_lanes(struct progress *progress, struct normalize_fixed *fixed,
		       const struct normalize_vector *vector, const uint8_t *from, uint8_t *to);

/*
 * Computes elements of one scale and bias, which are number `index`. Returns what a report did;
 * sets *is_done to false if they have no room.
 */
int nn_normalize_run(struct progress *progress, const struct normalize_fixed *fixed,
		     const struct normalize_vector *vector, uint32_t index, const uint8_t *from,
		     uint8_t *to, uint32_t elements, bool *is_done);

/* An element as it is defined. */
uint8_t nn_normalize_one(const struct nn_call *call, const struct normalize_vector *vector,
			 float scale, float bias, uint8_t byte);

#endif
