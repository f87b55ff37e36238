/* SPDX-License-Identifier: MIT */
/*
 * Weighted sums of bytes in integers, for ADD and ADD_FLOAT (add.c, add_float.c), and the two as
 * common/fuse.c and binary.c call them.
 */
#ifndef NN_HVX_ADD_H
#define NN_HVX_ADD_H

#include "dsp/kernels/add_float.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/elementwise/add_float_ties.h"
#include "dsp/hvx/elementwise/add_vectors.h"
#include "dsp/hvx/common/vector.h"

/* The bytes of scratch memory that ADD_FLOAT uses, from its beginning on. */
#define ADD_FLOAT_SCRATCH	((4 + 98 * 3) * VECTOR)

struct weighted_sum {
	HVX_Vector flip_a, flip_b;		/* makes bytes unsigned */
	HVX_Vector multiplier_a, multiplier_b;
	HVX_Vector base;			/* zero points' products, and the caller's */
};

/* Returns what sums of a call need; `more` is added to each sum. */
static inline struct weighted_sum weighted_sum_of(const struct nn_call *call, int32_t multiplier_a,
						  int32_t multiplier_b, int32_t more)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	int32_t flip_a = flip_of(a), flip_b = flip_of(b);

	return (struct weighted_sum){
		.flip_a = splat_b((uint32_t)flip_a),
		.flip_b = splat_b((uint32_t)flip_b),
		.multiplier_a = splat_w(multiplier_a),
		.multiplier_b = splat_w(multiplier_b),
		.base = splat_w(more - (a->zero_point + flip_a) * multiplier_a -
				(b->zero_point + flip_b) * multiplier_b),
	};
}

/*
 * Fills in all of *vectors but count and addresses, for sums in steps of 2^-shift to which `more`
 * is added. Returns false if the assembly cannot have them, because multipliers have more than 22
 * bits or sums with the output's zero point leave 32.
 */
bool nn_add_vectors_settle(struct add_vectors *vectors, const struct nn_call *call,
			   int32_t multiplier_a, int32_t multiplier_b, uint32_t shift,
			   int32_t more);

/*
 * Returns how many of `left` vectors the assembly adds up next, at most `most` + 2: 0, or 3 at
 * least.
 */
static inline uint32_t next_add_vectors(uint64_t left, uint32_t most)
{
	if (left < 3)
		return 0;
	return left < most + 3 ? left : most;
}

/* Sets the addresses and the count of the vectors behind the first `done` bytes. */
static inline void add_vectors_at(struct add_vectors *vectors, const struct nn_call *call,
				  uint64_t done, uint32_t count)
{
	vectors->count = count;
	vectors->a = call->input[0].data + done;
	vectors->b = call->input[1].data + done;
	vectors->to = call->output[0].data + done;
}

/*
 * Computes 64 sums from halfwords: even ones from the low halves of words, odd ones from the high
 * halves.
 */
static inline HVX_VectorPair add_halves(HVX_Vector a, HVX_Vector b, const struct weighted_sum *sum)
{
	HVX_Vector even = sum->base, odd = sum->base;

	even = Q6_Vw_vmpyieacc_VwVwVuh(even, sum->multiplier_a, a);
	even = Q6_Vw_vmpyieacc_VwVwVuh(even, sum->multiplier_b, b);
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, sum->multiplier_a, Q6_Vuw_vlsr_VuwR(a, 16));
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, sum->multiplier_b, Q6_Vuw_vlsr_VuwR(b, 16));
	return Q6_W_vcombine_VV(odd, even);
}

/* Makes sums halfwords, rounded down. */
static inline HVX_Vector round_halves(HVX_VectorPair sum, uint32_t shift)
{
	return Q6_Vh_vsat_VwVw(Q6_Vw_vasr_VwR(Q6_V_hi_W(sum), shift),
			       Q6_Vw_vasr_VwR(Q6_V_lo_W(sum), shift));
}

/*
 * ADD and ADD_FLOAT take two steps: settling what all elements have in common, and calls of as many
 * elements as one likes, each with the operands of the first call but for data and bytes. Both
 * return what a report of progress did.
 */
struct add {
	bool has_vectors;		/* the assembly can */
	struct add_vectors vectors;
};

void nn_add_settle(struct add *add, const struct nn_call *call);
int nn_add_run(struct progress *progress, struct add *add);

struct add_float {
	struct float_sum sum;
	double inverse;			/* of the output's scale */
	int32_t multiplier_a, multiplier_b, margin;
	uint32_t shift;
	bool is_portable;		/* the scales are too far apart for integers */
	bool is_exact;			/* float32 rounds nothing, and integers have no margin */
	bool has_ties;			/* many, of scales that are alike: `ties` is settled */
	bool has_vectors;		/* the assembly can */
	bool is_swapped;		/* operands, for the assembly: results go in place of b */
	union {
		struct add_vectors vectors;
		struct add_float_ties ties;
	};
};

void nn_add_float_settle(struct add_float *add, const struct nn_call *call);
int nn_add_float_run(struct progress *progress, struct add_float *add);

#endif
