// SPDX-License-Identifier: MIT
/*
 * REDUCE_INT16 on HVX: 64 results at a time, of elements that lie side by side, or where a result's
 * own do, 64 of them. Sums are words, of even and odd elements.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/int16/divide.h"

#define RESULT_WORK	(256u + NN_PAGE_WORK)	/* of 64 results, or of one by itself, */
#define FLOAT_WORK	(64 * 128u)	/* and more of those that are rounded as float32 is */
#define TAP_WORK	8u
#define PIECE		1024u	/* vectors between two looks at progress */

struct reduction {
	const struct nn_call *call;
	struct progress progress;
	const uint8_t *end;	/* of the input */
	struct int16_divisor divisor;
	struct fixed_lanes by;
	float inverse;		/* of the count */
};

/* The greatest or least, or sums, of even and odd elements. */
struct state {
	HVX_Vector extreme;
	HVX_VectorPair sum;
};

static struct state begin(uint32_t form)
{
	return (struct state){
		.extreme = splat_h(form == NN_REDUCE_INT16_MAX ? INT16_MIN : INT16_MAX),
		.sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero()),
	};
}

static inline __attribute__((always_inline)) void add(struct state *state, HVX_Vector v,
						      uint32_t form)
{
	if (form == NN_REDUCE_INT16_MAX)
		state->extreme = Q6_Vh_vmax_VhVh(state->extreme, v);
	else if (form == NN_REDUCE_INT16_MIN)
		state->extreme = Q6_Vh_vmin_VhVh(state->extreme, v);
	else
		state->sum = Q6_Ww_vmpyacc_WwVhRh_sat(state->sum, v, 0x00010001);
}

/* Adds `count` vectors, one every `step` bytes, of which `bytes` bytes may be read. */
static inline __attribute__((always_inline)) int
add_vectors(struct reduction *reduction, struct state *state, const uint8_t *from, uint64_t step,
	    uint32_t count, uint32_t bytes, uint32_t form)
{
	uint32_t work = TAP_WORK + stride_work(step);

	while (count) {
		uint32_t now = min_u32(count, PIECE);
		int ret = progress_add(&reduction->progress, now * work);

		if (ret)
			return ret;
		for (uint32_t i = 0; i < now; i++, from += step)
			add(state, bytes == VECTOR || reduction->end - from >= VECTOR ?
					   load(from) : load_bytes(from, bytes), form);
		count -= now;
	}
	return 0;
}

static int add_form(struct reduction *reduction, struct state *state, const uint8_t *from,
		    uint64_t step, uint32_t count, uint32_t bytes)
{
	uint32_t form = reduction->call->op->reduce_int16.form;

	if (form == NN_REDUCE_INT16_MAX)
		return add_vectors(reduction, state, from, step, count, bytes,
				   NN_REDUCE_INT16_MAX);
	if (form == NN_REDUCE_INT16_MIN)
		return add_vectors(reduction, state, from, step, count, bytes,
				   NN_REDUCE_INT16_MIN);
	return add_vectors(reduction, state, from, step, count, bytes,
			   NN_REDUCE_INT16_MEAN_WHOLE);
}

static HVX_Vector finish_words(const struct reduction *reduction, HVX_Vector sum, uint32_t form)
{
	if (form == NN_REDUCE_INT16_MEAN_WHOLE)
		return int16_divide(sum, 0, &reduction->divisor);
	if (form == NN_REDUCE_INT16_MEAN_SCALED)
		return fixed_multiply(sum, &reduction->by);
	return int16_mean(fixed_multiply(sum, &reduction->by), &reduction->divisor);
}

#define TOGETHER	4u	/* results that are made step by step, so that none waits for its own */

/*
 * Makes results as they are defined, on the scalar unit, which has no division: float32.h says how
 * there is a quotient. What is clamped before it is rounded, to integers, is so after that. There
 * is room for TOGETHER - 1 results more.
 */
static __attribute__((noinline)) void make_floats(const struct reduction *reduction,
						  const int32_t *sums, int16_t *out, uint32_t count)
{
	const struct nn_reduce_int16_params *params = &reduction->call->op->reduce_int16;
	const float divisor = (float)params->count, inverse = reduction->inverse;
	const float scale = params->scale;
	const float least = (float)reduction->call->op->out_min;
	const float most = (float)reduction->call->op->out_max;

	for (uint32_t i = 0; i < count; i += TOGETHER) {
		float value[TOGETHER], rest[TOGETHER];
		int32_t whole[TOGETHER];

#pragma unroll
		for (uint32_t k = 0; k < TOGETHER; k++)
			value[k] = divide_fused((float)sums[i + k], divisor, inverse) * scale;
#pragma unroll
		for (uint32_t k = 0; k < TOGETHER; k++) {
			value[k] = __builtin_HEXAGON_F2_sfmin(value[k], most);
			value[k] = __builtin_HEXAGON_F2_sfmax(value[k], least);
			whole[k] = (int32_t)value[k];
			rest[k] = value[k] - (float)whole[k];
		}
#pragma unroll
		for (uint32_t k = 0; k < TOGETHER; k++)
			out[i + k] = whole[k] + (rest[k] >= 0.5f) - (rest[k] <= -0.5f);
	}
}

/* Stores results of sums as floats, by way of scratch memory. */
static void store_floats(const struct reduction *reduction, HVX_VectorPair sum, uint8_t *out,
			 uint32_t count)
{
	uint8_t *scratch = reduction->call->scratch;

	sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -4);
	store(scratch, Q6_V_lo_W(sum));
	store(scratch + VECTOR, Q6_V_hi_W(sum));
	make_floats(reduction, (const int32_t *)scratch, (int16_t *)(scratch + 2 * VECTOR), count);
	if (count == 1)
		*(int16_t *)out = *(const int16_t *)(scratch + 2 * VECTOR);
	else
		store_bytes(out, load(scratch + 2 * VECTOR), 2 * count);
}

static int store_results(struct reduction *reduction, const struct state *state, uint8_t *out,
			 uint32_t count)
{
	const struct nn_program_op *op = reduction->call->op;
	uint32_t form = op->reduce_int16.form;
	HVX_Vector v = state->extreme;

	if (form == NN_REDUCE_INT16_MEAN_AWAY) {
		int ret = progress_add(&reduction->progress, FLOAT_WORK);

		if (!ret)
			store_floats(reduction, state->sum, out, count);
		return ret;
	}
	if (form != NN_REDUCE_INT16_MAX && form != NN_REDUCE_INT16_MIN)
		v = Q6_Vh_vsat_VwVw(finish_words(reduction, Q6_V_hi_W(state->sum), form),
				    finish_words(reduction, Q6_V_lo_W(state->sum), form));
	v = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(v, splat_h(op->out_min)), splat_h(op->out_max));
	store_bytes(out, v, 2 * count);
	return 0;
}

/* Makes `inner` results of elements side by side. */
static int reduce_columns(struct reduction *reduction, const uint8_t *from, uint8_t *out)
{
	const struct nn_reduce_int16_params *params = &reduction->call->op->reduce_int16;
	uint64_t row = 2ull * params->inner;

	for (uint64_t i = 0; i < row; i += VECTOR) {
		uint32_t bytes = row - i < VECTOR ? row - i : VECTOR;
		struct state state = begin(params->form);
		int ret = progress_add(&reduction->progress, RESULT_WORK);

		if (!ret)
			ret = add_form(reduction, &state, from + i, row, params->count, bytes);
		if (!ret)
			ret = store_results(reduction, &state, out + i, bytes / 2);
		if (ret)
			return ret;
	}
	return 0;
}

/* Folds 64 elements, or sums, into the first. */
static void fold(struct state *state, uint32_t form)
{
	HVX_Vector sum = Q6_Vw_vadd_VwVw(Q6_V_lo_W(state->sum), Q6_V_hi_W(state->sum));

	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2)
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, i));
	state->sum = Q6_W_vcombine_VV(sum, sum);
	for (uint32_t i = VECTOR / 2; i >= 2; i /= 2) {
		HVX_Vector other = Q6_V_vror_VR(state->extreme, i);

		if (form == NN_REDUCE_INT16_MAX)
			state->extreme = Q6_Vh_vmax_VhVh(state->extreme, other);
		else
			state->extreme = Q6_Vh_vmin_VhVh(state->extreme, other);
	}
}

/* Makes a result of elements side by side. */
static int reduce_row(struct reduction *reduction, const uint8_t *from, uint8_t *out)
{
	const struct nn_reduce_int16_params *params = &reduction->call->op->reduce_int16;
	uint32_t bytes = 2 * params->count, rest = bytes % VECTOR;
	struct state state = begin(params->form), last = state;
	int ret = progress_add(&reduction->progress, RESULT_WORK);

	if (!ret)
		ret = add_form(reduction, &state, from, VECTOR, bytes / VECTOR, VECTOR);
	if (ret)
		return ret;
	if (rest) {
		HVX_Vector v = load_bytes(from + bytes - rest, rest);
		HVX_Vector none = params->form == NN_REDUCE_INT16_MAX ||
						  params->form == NN_REDUCE_INT16_MIN ?
					  last.extreme : Q6_V_vzero();

		v = Q6_V_vmux_QVV(first_bytes(rest), v, none);
		add(&state, v, params->form);
	}
	fold(&state, params->form);
	return store_results(reduction, &state, out, 1);
}

int nn_reduce_int16_hvx(const struct nn_call *call)
{
	const struct nn_reduce_int16_params *params = &call->op->reduce_int16;
	const uint8_t *from = call->input[0].data;
	uint64_t results = call->output[0].bytes / 2;
	uint8_t *out = call->output[0].data;
	struct reduction reduction = {
		.call = call,
		.progress.call = call,
		.end = nn_tensor_end(&call->input[0]),
		.divisor = int16_divisor_of(params->count),
		.by = fixed_splat(params->by),
		.inverse = 1.0f / (float)params->count,
	};

	if (!nn_reduce_int16_has_vectors(call) || call->scratch_size < 3 * VECTOR)
		return nn_reduce_int16_portable(call);
	for (uint64_t i = 0; i < results; i += params->inner) {
		int ret = params->inner == 1 ? reduce_row(&reduction, from, out) :
					       reduce_columns(&reduction, from, out);

		if (ret)
			return ret;
		from += 2ull * params->inner * params->count;
		out += 2ull * params->inner;
	}
	return 0;
}
