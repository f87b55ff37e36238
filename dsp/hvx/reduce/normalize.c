// SPDX-License-Identifier: MIT
/*
 * NORMALIZE: multiplies a vector's elements, in some forms less their mean, by a factor that is
 * made of their sums (of the deviation, the root of squares, or the sum), with scales and biases.
 * nn_normalize_hvx() is its vector kernel, in the table of kernels.c. A vector here is `length`
 * elements one behind another in memory.
 *
 * HVX takes the sums, which are integers; the factor is float32's, on the scalar unit. Elements are
 * made in fixed point, and those that may be rounding ties as they are defined (normalize_fixed.h).
 * Where fixed point has no room, because scales are none that a model has, all are made as they are
 * defined; but for the division by the output's scale, which is a multiplication by its inverse to
 * 2^-51 (float32.h); and where many share scale and bias, once for each value that there is.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/normalize.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/reduce/normalize_fixed.h"

#define PART		16384u		/* elements whose squares fit 32 bits */
#define SUM_WORK	12u		/* for 128 elements */
#define ELEMENT_WORK	64u
#define VECTOR_WORK	512u
#define LOOK_UP_WORK	8u
#define SHARED		512u		/* elements of one scale and bias that are looked up */
#define LEAST_RUN	32u		/* from which on those of one scale go by themselves */
#define RUN		1024u		/* elements between two looks at progress */
#define UNKNOWN		0xffffu

/* Adds at most PART elements. Nothing else is on the stack where vectors may be: clang 14. */
static __attribute__((noinline)) void add_part(const struct nn_call *call, const uint8_t *from,
					       uint32_t elements, bool is_absolute,
					       struct normalize_sums *sums)
{
	int32_t flip = flip_of(&call->input[0]), zero_point = call->input[0].zero_point + flip;
	HVX_Vector none = Q6_V_vzero(), flips = splat_b(flip), zero = splat_b(zero_point);
	HVX_Vector sum = none, absolute = none, squares = none;
	HVX_VectorPair pair;
	int32_t padded = 0;

	for (uint32_t i = 0; i < elements; i += VECTOR, padded += VECTOR) {
		uint32_t bytes = min_u32(elements - i, VECTOR);
		HVX_Vector v = bytes < VECTOR ? load_bytes(from + i, bytes) : load(from + i);
		HVX_Vector distance;

		v = Q6_V_vmux_QVV(first_bytes(bytes), Q6_V_vxor_VV(v, flips), zero);
		distance = Q6_Vub_vabsdiff_VubVub(v, zero);
		sum = Q6_Vuw_vrmpyacc_VuwVubRub(sum, v, 0x01010101);
		absolute = Q6_Vuw_vrmpyacc_VuwVubRub(absolute, distance, 0x01010101);
		squares = Q6_Vuw_vrmpyacc_VuwVubVub(squares, distance, distance);
	}
	/* Both kinds of sums in one vector, by turns. */
	pair = Q6_W_vshuff_VVR(is_absolute ? absolute : squares, sum, -4);
	sum = Q6_Vw_vadd_VwVw(Q6_V_lo_W(pair), Q6_V_hi_W(pair));
	for (uint32_t i = VECTOR / 2; i >= 8; i /= 2)
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, i));
	sums->sum += Q6_R_vextract_VR(sum, 0) - padded * zero_point;
	*(is_absolute ? &sums->absolute : &sums->squares) +=
		(uint32_t)Q6_R_vextract_VR(sum, 4);
}

int nn_normalize_sum(struct progress *progress, const uint8_t *from, uint32_t length,
		     bool is_absolute, struct normalize_sums *sums)
{
	for (uint32_t i = 0; i < length; i += PART) {
		uint32_t part = min_u32(length - i, PART);
		int ret =
			progress_add(progress, (part / VECTOR + 8) * SUM_WORK + memory_work(part));

		if (ret)
			return ret;
		add_part(progress->call, from + i, part, is_absolute, sums);
	}
	return 0;
}

/* Computes elements of one scale and bias; `known` has results by byte, or UNKNOWN. */
static void look_up(const struct nn_call *call, const struct normalize_vector *vector, float scale,
		    float bias, uint16_t *known, const uint8_t *from, uint8_t *to,
		    uint32_t elements)
{
	for (uint32_t i = 0; i < elements; i++) {
		uint8_t byte = from[i];
		uint16_t *result = &known[byte];

		if (*result == UNKNOWN)
			*result = nn_normalize_one(call, vector, scale, bias, byte);
		to[i] = *result;
	}
}

static int define_shared(struct progress *progress, const struct normalize_vector *vector,
			 float scale, float bias, const uint8_t *from, uint8_t *to,
			 uint32_t elements)
{
	uint16_t *known = (uint16_t *)progress->call->scratch;
	int ret = progress_add(progress, 256 * ELEMENT_WORK);

	__builtin_memset(known, UNKNOWN & 0xff, 256 * sizeof(*known));
	for (uint32_t i = 0; i < elements && !ret; i += RUN) {
		uint32_t part = min_u32(elements - i, RUN);

		ret = progress_add(progress, part * LOOK_UP_WORK);
		if (!ret)
			look_up(progress->call, vector, scale, bias, known, from + i, to + i, part);
	}
	return ret;
}

/* Computes elements from element `at` of the row on as they are defined. */
static int define_each(struct progress *progress, const struct normalize_vector *vector,
		       uint32_t at, const uint8_t *from, uint8_t *to, uint32_t elements)
{
	const struct nn_call *call = progress->call;
	const float *scale = (const float *)call->input[1].data;
	const float *bias = (const float *)call->input[2].data;
	uint32_t run = call->op->normalize.run;
	struct normalize_place place = { .index = at / run % call->input[1].dims[0],
					 .left = run - at % run };

	for (uint32_t i = 0; i < elements; i++) {
		int ret = progress_add(progress, ELEMENT_WORK);

		if (ret)
			return ret;
		to[i] = nn_normalize_one(call, vector, scale[place.index], bias[place.index],
					 from[i]);
		normalize_next(call, &place);
	}
	return 0;
}

/* Computes a vector run by run. */
static int normalize_runs(struct progress *progress, const struct normalize_fixed *fixed,
			  const struct normalize_vector *vector, struct normalize_place *place,
			  const uint8_t *from, uint8_t *to)
{
	const struct nn_call *call = progress->call;
	uint32_t part;

	for (uint32_t i = 0; i < vector->length; i += part) {
		uint32_t index = place->index;
		bool is_done;
		int ret;

		part = vector->length - i;
		if (call->input[1].dims[0] > 1) {
			part = min_u32(part, place->left);
			place->left -= part - 1;
			normalize_next(call, place);
		}
		ret = nn_normalize_run(progress, fixed, vector, index, from + i, to + i, part,
				       &is_done);
		if (!ret && !is_done && part >= SHARED)
			ret = define_shared(progress, vector,
					    ((const float *)call->input[1].data)[index],
					    ((const float *)call->input[2].data)[index], from + i,
					    to + i, part);
		else if (!ret && !is_done)
			ret = define_each(progress, vector, vector->at + i, from + i, to + i, part);
		if (ret)
			return ret;
	}
	return 0;
}

static int normalize_vector(struct progress *progress, struct normalize_fixed *fixed,
			    struct normalize_vector *vector, struct normalize_place *place,
			    const uint8_t *from, uint8_t *to, const uint8_t *divisor)
{
	const struct nn_call *call = progress->call;
	const struct nn_normalize_params *params = &call->op->normalize;
	struct normalize_sums sums = { 0 };
	int ret = progress_add(progress, VECTOR_WORK);

	if (!ret && params->form != NN_NORMALIZE_SCALE)
		ret = nn_normalize_sum(progress, from, params->length,
				       params->form == NN_NORMALIZE_SUM, &sums);
	if (ret)
		return ret;
	vector->factor = normalize_factor(call, &sums, divisor, root_quickly, divide_quickly);
	vector->sum = sums.sum;
	nn_normalize_place(fixed, vector, &sums);
	if (call->input[1].dims[0] == 1 || params->run >= LEAST_RUN ||
	    params->run >= vector->length)
		return normalize_runs(progress, fixed, vector, place, from, to);
	if (nn_normalize_has_room(fixed, vector))
		return nn_normalize_lanes(progress, fixed, vector, from, to);
	return define_each(progress, vector, vector->at, from, to, vector->length);
}

int nn_normalize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	const struct nn_normalize_params *params = &call->op->normalize;
	const uint8_t *divisor = call->input[3].data;
	struct progress progress = { .call = call };
	struct normalize_fixed fixed;
	struct normalize_vector vector = { .length = params->length };
	struct normalize_place place = { .left = params->run };

	if (!nn_normalize_has_vectors(call) || call->scratch_size < NORMALIZE_SCRATCH)
		return nn_normalize_portable(call);
	nn_normalize_settle(&fixed, call);
	vector.inverse = inverse_of(params->scale_output);
	/* Scaled elements need not know which vector they are of. */
	if (params->form == NN_NORMALIZE_SCALE)
		vector.length = input->row_bytes;
	vector.over_length = 1.0f / (float)vector.length;
	for (uint64_t i = 0; i < input->bytes; i += vector.length) {
		int ret;

		if (vector.at == input->row_bytes) {
			vector.at = vector.number = 0;
			place = (struct normalize_place){ .left = params->run };
		}
		ret = normalize_vector(&progress, &fixed, &vector, &place, input->data + i,
				       call->output[0].data + i, divisor);
		if (ret)
			return ret;
		if (params->form == NN_NORMALIZE_GIVEN)
			divisor++;
		vector.at += vector.length;
		vector.number++;
	}
	return 0;
}
