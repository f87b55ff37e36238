// SPDX-License-Identifier: MIT
/*
 * SOFTMAX: powers of e, divided by their sum, of the elements of a vector, which are one behind
 * another. nn_softmax_hvx() is its vector kernel, in the table of kernels.c. Rows whose powers are
 * usual numbers are softmax_rows.c's. For the others: a vector's elements have at most 256 values,
 * so a result is computed once for each value that there is, as it is defined, and then looked up;
 * but logarithms of short vectors are computed one by one.
 * HVX finds the greatest element. The sum is made in the order of its definition, one element after
 * the other.
 */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/softmax.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/reduce/softmax_rows.h"

#define PART		1024u	/* elements between two looks at progress */
#define VECTOR_WORK	2048u	/* for what is done once for each of SOFTMAX's vectors */
#define ELEMENT_WORK	12u
#define SHORT		64u	/* elements of a vector whose logarithms are computed one by one */

/* Returns the largest byte, of bytes that `flip` makes unsigned, and of `before`. */
static uint32_t largest(const uint8_t *from, uint32_t bytes, int32_t flip, uint32_t before)
{
	HVX_Vector max = splat_b(before), flips = splat_b(flip);

	for (uint32_t i = 0; i < bytes; i += VECTOR) {
		uint32_t part = min_u32(bytes - i, VECTOR);
		HVX_Vector v = Q6_V_vxor_VV(load_part(from + i, part), flips);

		v = Q6_V_vmux_QVV(first_bytes(part), v, Q6_V_vzero());
		max = Q6_Vub_vmax_VubVub(max, v);
	}
	for (uint32_t i = VECTOR / 2; i; i /= 2)
		max = Q6_Vub_vmax_VubVub(max, Q6_V_vror_VR(max, i));
	return Q6_R_vextract_VR(max, 0) & 255;
}

/*
 * The layout of scratch memory. A client may write to the input at any time, or the output may lie
 * over it: an element can be greater than `max` was when it was found. The index of its power is
 * below 0 then, where `before` is: no power, but this kernel's own memory, and looking costs
 * nothing.
 */
struct softmax_room {
	uint8_t before[512];
	uint16_t known[256];	/* results by byte, above 255 where there is none yet */
	float powers[256];	/* the table */
};

_Static_assert(offsetof(struct softmax_room, powers) >= 255 * sizeof(float),
	       "places of elements that are greater");
_Static_assert(sizeof(struct softmax_room) <= 2048, "All scratch memory that there may be");

/* Adds up powers. `max` is the greatest byte, as `flip` has made it unsigned. */
static float add_powers(float sum, const float *powers, const uint8_t *from, uint32_t bytes,
			int32_t flip, uint32_t max)
{
	for (uint32_t i = 0; i < bytes; i++)
		sum += powers[(int32_t)(max - (from[i] ^ (uint32_t)flip))];
	return sum;
}

/* The inverses of divisors, and what logarithms of a vector have in common. */
struct inverses {
	double sum, scale_output;	/* of NN_SOFTMAX_FLOAT */
	bool are_usable;
	float scale_inverse, ratio;	/* of logarithms, the same for all vectors; */
	float offset, greatest;		/* of NN_SOFTMAX_LOG_TENSORFLOW and _FLOAT */
};

/*
 * Tells whether neither a quotient of two such numbers nor one by a third leaves float32's normal
 * numbers.
 */
static bool is_moderate(float x)
{
	return x >= 0x1p-40f && x <= 0x1p40f;
}

/* Divides a sum of numbers by the output's scale, as float32 does. */
static inline float divide_sum(const struct nn_call *call, const struct inverses *inverses,
			       float sum)
{
	float size = __builtin_fabsf(sum), scale = call->op->softmax.scale_output;

	if (!inverses->are_usable || !(size >= 0x1p-60f && size <= 0x1p60f))
		return sum / scale;
	return divide_fused(sum, scale, inverses->scale_inverse);
}

/* Begins the numbers that all vectors have in common. */
static void begin_inverses(struct inverses *inverses, const struct nn_call *call)
{
	const struct nn_softmax_params *params = &call->op->softmax;

	*inverses = (struct inverses){ 0 };
	if (!softmax_is_log(call))
		return;
	inverses->are_usable = is_moderate(params->scale_output);
	inverses->scale_inverse = 1 / params->scale_output;
	inverses->ratio = params->scale_input / params->scale_output;
}

/* Sets those of a vector. */
static void set_inverses(struct inverses *inverses, const struct nn_call *call,
			 const struct softmax_vector *vector)
{
	const struct nn_softmax_params *params = &call->op->softmax;
	float scaled;

	switch (params->form) {
	case NN_SOFTMAX_FLOAT:
		inverses->are_usable = is_moderate(vector->sum) &&
				       is_moderate(params->scale_output);
		if (!inverses->are_usable)
			break;
		inverses->sum = inverse_of(vector->sum);
		inverses->scale_output = inverse_of(params->scale_output);
		break;
	case NN_SOFTMAX_LOG_TENSORFLOW:
		scaled = params->scale_input * (float)vector->max;
		inverses->offset = divide_sum(call, inverses, scaled + vector->log);
		break;
	case NN_SOFTMAX_LOG_FLOAT:
		inverses->greatest = (float)(vector->max - call->input[0].zero_point) *
				     params->scale_input;
		break;
	}
}

/* Computes a logarithm as compute_softmax() does, without what all of a vector have in common. */
static int32_t compute_log(const struct nn_call *call, const struct softmax_vector *vector,
			   const struct inverses *inverses, int32_t x)
{
	const struct nn_softmax_params *params = &call->op->softmax;
	float real;

	if (params->form == NN_SOFTMAX_LOG_TENSORFLOW)
		return round_float(inverses->ratio * (float)x - inverses->offset);
	real = (float)(x - call->input[0].zero_point) * params->scale_input - inverses->greatest -
	       vector->log;
	return round_float(divide_sum(call, inverses, real));
}

/* Computes a result as compute_softmax() does, for some without its divisions. */
static int32_t compute(const struct nn_call *call, const struct softmax_vector *vector,
		       const struct inverses *inverses, const float *powers, int32_t x)
{
	float power;

	if (softmax_is_log(call))
		return compute_log(call, vector, inverses, x);
	power = powers[vector->max - x];
	if (!inverses->are_usable || !is_moderate(power))
		return compute_softmax(call, vector, power, x);
	return round_float(divide(divide(power, inverses->sum), inverses->scale_output));
}

/* Computes the logarithms of a short vector. */
static void compute_logs(const struct nn_call *call, const struct softmax_vector *vector,
			 const struct inverses *inverses, const uint8_t *from, uint8_t *to,
			 uint32_t length)
{
	int32_t flip = flip_of(&call->input[0]), zero = call->output[0].zero_point;

	for (uint32_t i = 0; i < length; i++) {
		int32_t whole = compute_log(call, vector, inverses, load_8bit(&from[i], flip));

		to[i] = clamp_int(whole + zero, call->op->out_min, call->op->out_max);
	}
}

static int look_up(struct progress *progress, const struct softmax_vector *vector,
		   const struct inverses *inverses, struct softmax_room *room,
		   const uint8_t *from, uint8_t *to, uint32_t bytes)
{
	const struct nn_call *call = progress->call;
	int32_t flip = flip_of(&call->input[0]);

	for (uint32_t i = 0; i < bytes; i++) {
		uint16_t *result = &room->known[from[i]];

		if (*result > 255) {
			int32_t whole = compute(call, vector, inverses, room->powers,
						load_8bit(&from[i], flip));
			int ret = progress_add(progress, SOFTMAX_DIVISIONS_WORK);

			if (ret)
				return ret;
			*result = (uint8_t)clamp_int(whole + call->output[0].zero_point,
						     call->op->out_min, call->op->out_max);
		}
		to[i] = *result;
	}
	return 0;
}

static int softmax_one(struct progress *progress, struct inverses *inverses, const uint8_t *from,
		       uint8_t *to, uint32_t length)
{
	const struct nn_call *call = progress->call;
	struct softmax_room *room = (struct softmax_room *)call->scratch;
	int32_t flip = flip_of(&call->input[0]);
	struct softmax_vector vector;
	uint32_t max = 0;
	float sum = 0;
	int ret = progress_add(progress, VECTOR_WORK);

	for (uint32_t i = 0; i < length && !ret; i += PART) {
		max = largest(from + i, min_u32(length - i, PART), flip, max);
		ret = progress_add(progress, PART);
	}
	for (uint32_t i = 0; i < length && !ret; i += PART) {
		uint32_t part = min_u32(length - i, PART);

		sum = add_powers(sum, room->powers, from + i, part, flip, max);
		ret = progress_add(progress, part * ELEMENT_WORK);
	}
	vector = softmax_vector_of(call, (int32_t)max - flip, sum);
	set_inverses(inverses, call, &vector);
	if (softmax_is_log(call) && length <= SHORT) {
		if (!ret)
			compute_logs(call, &vector, inverses, from, to, length);
		return ret;
	}
	__builtin_memset(room->known, 0xff, sizeof(room->known));
	for (uint32_t i = 0; i < length && !ret; i += PART) {
		uint32_t part = min_u32(length - i, PART);

		ret = progress_add(progress, part * ELEMENT_WORK);
		if (!ret)
			ret = look_up(progress, &vector, inverses, room, from + i, to + i,
				      part);
	}
	return ret;
}

int nn_softmax_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct softmax_room *room = (struct softmax_room *)call->scratch;
	struct progress progress = { .call = call };
	struct inverses inverses;
	bool is_done;
	int ret = nn_softmax_run_rows(call, &is_done);

	if (ret || is_done)
		return ret;
	if (!nn_softmax_has_vectors(call))
		return nn_softmax_portable(call);
	__builtin_memcpy(room->powers, call->input[1].data, sizeof(room->powers));
	begin_inverses(&inverses, call);
	for (uint64_t i = 0; i < output->bytes; i += length) {
		ret = softmax_one(&progress, &inverses, &call->input[0].data[i], &output->data[i],
				  length);
		if (ret)
			return ret;
	}
	return 0;
}
