// SPDX-License-Identifier: MIT
/*
 * NORMALIZE: multiplies a vector's elements, in some forms less their mean, by a factor that is
 * made of their sums (of the deviation, the root of squares, or the sum), with scales and biases.
 * nn_normalize_hvx() is its vector kernel, in the table of kernels.c. A vector here is `length`
 * elements one behind another in memory.
 *
 * HVX takes the sums, which are integers. Elements are computed as they are defined, on the scalar
 * unit, but for the division by the output's scale, which is a multiplication by its inverse to
 * 2^-51 (float32.h); and where many share scale and bias, once for each value that there is.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/normalize.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"

#define PART		16384u		/* elements whose squares fit 32 bits */
#define SUM_WORK	12u		/* for 128 elements */
#define ELEMENT_WORK	64u
#define LOOK_UP_WORK	8u
#define SHARED		512u		/* elements of one scale and bias that are looked up */
#define RUN		1024u		/* elements between two looks at progress */
#define UNKNOWN		0xffffu

/* The numbers that the elements of a vector have in common. */
struct vector {
	int32_t length, sum;
	float factor;
	double inverse;		/* of the output's scale */
};

/* Adds at most PART elements. Nothing else is on the stack where vectors may be: clang 14. */
static __attribute__((noinline)) void add_part(const struct nn_call *call, const uint8_t *from,
					       uint32_t elements, struct normalize_sums *sums)
{
	int32_t flip = flip_of(&call->input[0]), zero_point = call->input[0].zero_point + flip;
	HVX_Vector none = Q6_V_vzero(), flips = splat_b(flip), zero = splat_b(zero_point);
	HVX_Vector sum = none, absolute = none, squares = none;
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
	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2) {
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, i));
		absolute = Q6_Vw_vadd_VwVw(absolute, Q6_V_vror_VR(absolute, i));
		squares = Q6_Vw_vadd_VwVw(squares, Q6_V_vror_VR(squares, i));
	}
	sums->sum += Q6_R_vextract_VR(sum, 0) - padded * zero_point;
	sums->absolute += Q6_R_vextract_VR(absolute, 0);
	sums->squares += (uint32_t)Q6_R_vextract_VR(squares, 0);
}

static int sum_vector(struct progress *progress, const uint8_t *from, struct normalize_sums *sums)
{
	uint32_t length = progress->call->op->normalize.length;

	for (uint32_t i = 0; i < length; i += PART) {
		uint32_t part = min_u32(length - i, PART);
		int ret =
			progress_add(progress, (part / VECTOR + 8) * SUM_WORK + memory_work(part));

		if (ret)
			return ret;
		add_part(progress->call, from + i, part, sums);
	}
	return 0;
}

static inline uint8_t compute(const struct nn_call *call, const struct vector *vector,
			      bool is_centered, float scale, float bias, const uint8_t *from)
{
	int32_t c = load_8bit(from, flip_of(&call->input[0])) - call->input[0].zero_point;
	int32_t whole;

	if (is_centered)
		c = c * vector->length - vector->sum;
	whole = round_float(divide((float)c * vector->factor * scale + bias, vector->inverse));
	return clamp_int(whole + call->output[0].zero_point, call->op->out_min, call->op->out_max);
}

/* Computes elements of one scale and bias; `known` has results by byte, or UNKNOWN. */
static void look_up(const struct nn_call *call, const struct vector *vector, float scale,
		    float bias, uint16_t *known, const uint8_t *from, uint8_t *to,
		    uint32_t elements)
{
	bool is_centered = normalize_centers(call);

	for (uint32_t i = 0; i < elements; i++) {
		uint16_t *result = &known[from[i]];

		if (*result == UNKNOWN)
			*result = compute(call, vector, is_centered, scale, bias, &from[i]);
		to[i] = *result;
	}
}

static int normalize_shared(struct progress *progress, const struct vector *vector, float scale,
			    float bias, const uint8_t *from, uint8_t *to, uint32_t elements)
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

/* Computes at most RUN elements, each with a scale and a bias. */
static void normalize_each(const struct nn_call *call, const struct vector *vector,
			   const uint8_t *from, uint8_t *to, uint32_t elements,
			   struct normalize_place *place)
{
	const float *scale = (const float *)call->input[1].data;
	const float *bias = (const float *)call->input[2].data;
	bool is_centered = normalize_centers(call);

	for (uint32_t i = 0; i < elements; i++) {
		to[i] = compute(call, vector, is_centered, scale[place->index],
				bias[place->index], from + i);
		normalize_next(call, place);
	}
}

static int normalize_vector(struct progress *progress, const struct vector *vector,
			    const uint8_t *from, uint8_t *to, struct normalize_place *place)
{
	const struct nn_call *call = progress->call;
	const float *scale = (const float *)call->input[1].data;
	const float *bias = (const float *)call->input[2].data;
	uint32_t length = vector->length, part;
	int ret = 0;

	for (uint32_t i = 0; i < length && !ret; i += part) {
		part = min_u32(place->left, length - i);
		if (part >= SHARED) {
			ret = normalize_shared(progress, vector, scale[place->index],
					       bias[place->index], from + i, to + i, part);
			place->left -= part - 1;
			normalize_next(call, place);
			continue;
		}
		part = min_u32(length - i, RUN);
		ret = progress_add(progress, part * ELEMENT_WORK);
		if (!ret)
			normalize_each(call, vector, from + i, to + i, part, place);
	}
	return ret;
}

int nn_normalize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	const struct nn_normalize_params *params = &call->op->normalize;
	const uint8_t *divisor = call->input[3].data;
	struct vector vector = { .length = params->length };
	struct progress progress = { .call = call };
	struct normalize_place place = { 0 };

	if (!nn_normalize_has_vectors(call))
		return nn_normalize_portable(call);
	vector.inverse = inverse_of(params->scale_output);
	for (uint64_t at = 0; at < input->bytes; at += params->length) {
		struct normalize_sums sums = { 0 };
		int ret = progress_add(&progress, NORMALIZE_VECTOR_WORK);

		/* One scale for all makes one run. */
		if (at % input->row_bytes == 0)
			place = (struct normalize_place){ .left = params->run };
		if (call->input[1].dims[0] == 1)
			place.left = UINT32_MAX;
		if (!ret && params->form != NN_NORMALIZE_SCALE)
			ret = sum_vector(&progress, input->data + at, &sums);
		if (ret)
			return ret;
		vector.factor = normalize_factor(call, &sums, divisor);
		vector.sum = sums.sum;
		ret = normalize_vector(&progress, &vector, input->data + at,
				       call->output[0].data + at, &place);
		if (ret)
			return ret;
		if (params->form == NN_NORMALIZE_GIVEN)
			divisor++;
	}
	return 0;
}
