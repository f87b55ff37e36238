// SPDX-License-Identifier: MIT
/*
 * SVDF on HVX, row by row. Features are made of 64 filters at a time, in order. The state is read
 * once, and moved on by a step while it is: each vector is multiplied by its weights and stored a
 * step earlier. That gives a sum for each lane, of which those that are as far apart as there are
 * units belong to one unit.
 *
 *	old state: | step 0 | step 1 | step 2 | ...          features
 *	                   /        /        /                  /
 *	new state: | step 0 | step 1 | ...      | last step | times weights -> lanes -> units
 *
 * Where several steps fit a vector, a lane has the sum of a filter at every so many steps only.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/inner_call.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"

#define LANES	64u	/* elements of the state in a vector */
#define SOME	256u	/* vectors of products between two looks at progress */

/*
 * A layer is small as a rule, and takes less than what the compiler would compute in advance for
 * loops that it unrolls, or for all parts of a row at once.
 */
#define PART	static __attribute__((noinline)) int
#define ROLLED	_Pragma("clang loop unroll(disable)")

struct svdf {
	const struct nn_call *call;
	struct progress progress;
	uint32_t inputs, filters, units, length;	/* length: of a row of the state */
	uint32_t steps;		/* of time that fit a vector, if whole ones do; else 1 */
	uint32_t width;		/* lanes that have a sum */
	uint8_t *x;		/* a row's inputs, where they are not words as they are */
	int16_t *features;
	int32_t *sums;
};

/* nn_fixed_multiply() */
static inline HVX_Vector multiply(HVX_Vector v, struct nn_fixed by)
{
	if (by.exponent > 0)
		v = Q6_Vw_vasl_VwR(v, by.exponent);
	return fixed_round_one(fixed_high(v, splat_w(by.multiplier)), by.exponent, splat_w(-1));
}

/* ---- Features ---- */

/* A row's inputs as whole words, of which the last is filled up with zeros. */
static const uint32_t *words_of(struct svdf *svdf, const uint8_t *x)
{
	const uint32_t inputs = svdf->inputs;

	if (!(inputs % 4) && !((uintptr_t)x % 4))
		return (const uint32_t *)x;
	*(uint32_t *)(svdf->x + inputs / 4 * 4) = 0;
	__builtin_memcpy(svdf->x, x, inputs);
	return (const uint32_t *)svdf->x;
}

/*
 * The sums of 64 filters, of blocks of 32; a third sum is what the zero of the weights makes in all
 * of them.
 */
static inline HVX_VectorPair sum_64(const HVX_Vector *low, const HVX_Vector *high,
				    const uint32_t *x, uint32_t words, HVX_Vector zero)
{
	HVX_Vector a = Q6_V_vzero(), b = a, offset = a;

	ROLLED
	for (uint32_t k = 0; k < words; k++) {
		a = Q6_Vw_vrmpyacc_VwVubRb(a, low[k], x[k]);
		b = Q6_Vw_vrmpyacc_VwVubRb(b, high[k], x[k]);
		offset = Q6_Vw_vrmpyacc_VwVubRb(offset, zero, x[k]);
	}
	return Q6_W_vcombine_VV(Q6_Vw_vsub_VwVw(b, offset), Q6_Vw_vsub_VwVw(a, offset));
}

PART make_features(struct svdf *svdf, const uint8_t *row)
{
	const struct nn_call *call = svdf->call;
	const uint32_t length = conv2d_row_length(1, svdf->inputs), words = (svdf->inputs + 3) / 4;
	const HVX_Vector zero = splat_w(four_bytes(call->input[2].zero_point));
	const uint8_t *weights = call->input[2].data;
	const HVX_Vector *bias = (const HVX_Vector *)call->input[4].data;
	const struct nn_fixed by = call->op->svdf.feature;
	const uint32_t *x = words_of(svdf, row);

	for (uint32_t f = 0; f < svdf->filters; f += LANES) {
		/* The second sum of 32 filters is not used. */
		const bool are_two = svdf->filters - f > 32;
		int ret = progress_add(&svdf->progress, 64 + 2 * words + memory_work(64 * length));
		HVX_VectorPair sums;

		if (ret)
			return ret;
		sums = sum_64((const HVX_Vector *)weights,
			      (const HVX_Vector *)(weights + (are_two ? 32 * length : 0)), x, words,
			      zero);
		*(HVX_Vector *)(svdf->features + f) = Q6_Vh_vpack_VwVw_sat(
			multiply(Q6_Vw_vadd_VwVw(Q6_V_hi_W(sums), bias[are_two]), by),
			multiply(Q6_Vw_vadd_VwVw(Q6_V_lo_W(sums), bias[0]), by));
		weights += 64 * length;
		bias += 2;
	}
	return 0;
}

/* ---- The state ---- */

/* Elements that move: `count` vectors, each so many elements behind the one before. */
static inline HVX_VectorPair move_vectors(HVX_VectorPair sums, const int16_t *from, int16_t *to,
					  const int16_t *weights, uint32_t step, uint32_t count)
{
	ROLLED
	for (; count; count--) {
		HVX_Vector v = load(from);

		sums = Q6_Ww_vmpyacc_WwVhVh(sums, v, load(weights));
		store(to, v);
		from += step;
		to += step;
		weights += step;
	}
	return sums;
}

/*
 * The same in two packets each: a vector is multiplied while the next one is loaded. `to` and
 * `weights` are at multiples of VECTOR, and so is the step in bytes.
 */
static inline HVX_VectorPair move_aligned(HVX_VectorPair sums, const int16_t *from, int16_t *to,
					  const int16_t *weights, uint32_t step, uint32_t count)
{
	HVX_Vector v, w;

	if (!count)
		return sums;
	/* Nothing may be loaded behind the last one, which is therefore made by itself. */
	if (count == 1)
		v = load(from);
	else
		asm volatile("{ m0 = %[step] }\n"
			     "{ %[v] = vmemu(%[from]++m0); loop0(1f,%[count]) }\n"
			     "1:\n"
			     "{ %[w] = vmem(%[weights]++m0); vmem(%[to]++m0) = %[v] }\n"
			     "{ %[sums].w += vmpy(%[v].h,%[w].h); %[v] = vmemu(%[from]++m0) }:endloop0\n"
			     : [sums] "+v"(sums), [v] "=&v"(v), [w] "=&v"(w), [to] "+r"(to),
			       [from] "+r"(from), [weights] "+r"(weights)
			     : [step] "r"(step * sizeof(*from)), [count] "r"(count - 1)
			     : "m0", "lc0", "sa0", "memory");
	*(HVX_Vector *)to = v;
	return Q6_Ww_vmpyacc_WwVhVh(sums, v, *(const HVX_Vector *)weights);
}

/* The same of the first bytes of vectors. */
static inline HVX_VectorPair move_bytes(HVX_VectorPair sums, const int16_t *from, int16_t *to,
					const int16_t *weights, uint32_t step, uint32_t count,
					uint32_t bytes)
{
	ROLLED
	for (; count; count--) {
		HVX_Vector v = load_bytes(from, bytes);

		sums = Q6_Ww_vmpyacc_WwVhVh(sums, v, load_bytes(weights, bytes));
		store_bytes(to, v, bytes);
		from += step;
		to += step;
		weights += step;
	}
	return sums;
}

static inline HVX_VectorPair no_sums(void)
{
	return Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
}

/* Sums of even lanes and of odd ones, in order. */
static inline void store_sums(int32_t *to, HVX_VectorPair sums)
{
	sums = Q6_W_vshuff_VVR(Q6_V_hi_W(sums), Q6_V_lo_W(sums), -4);
	((HVX_Vector *)to)[0] = Q6_V_lo_W(sums);
	((HVX_Vector *)to)[1] = Q6_V_hi_W(sums);
}

/* Several steps in a vector, and whole vectors of them. */
PART move_steps(struct svdf *svdf, const int16_t *old, int16_t *state, bool are_aligned)
{
	const int16_t *weights = (const int16_t *)svdf->call->input[3].data;
	const uint32_t filters = svdf->filters, end = svdf->length - LANES;
	HVX_VectorPair sums = no_sums();
	/* It is stored last, and that is over where it may lie. */
	HVX_Vector last = load(old + end);

	for (uint32_t i = 0; i < end; i += SOME * LANES) {
		uint32_t some = min_u32(end - i, SOME * LANES) / LANES;
		int ret = progress_add(&svdf->progress, 64 + 4 * some + memory_work(6 * LANES * some));

		if (ret)
			return ret;
		if (are_aligned)
			sums = move_aligned(sums, old + filters + i, state + i, weights + i, LANES, some);
		else
			sums = move_vectors(sums, old + filters + i, state + i, weights + i, LANES, some);
	}
	last = Q6_V_valign_VVR(*(const HVX_Vector *)svdf->features, last,
			       filters * sizeof(*old));
	sums = Q6_Ww_vmpyacc_WwVhVh(sums, last, load(weights + end));
	store(state + end, last);
	store_sums(svdf->sums, sums);
	return 0;
}

/* Up to 64 filters, from number f on, step by step. */
PART move_filters(struct svdf *svdf, const int16_t *old, int16_t *state, uint32_t f,
			bool are_aligned)
{
	const int16_t *weights = (const int16_t *)svdf->call->input[3].data + f;
	const uint32_t filters = svdf->filters, bytes = 2 * min_u32(filters - f, LANES);
	const uint32_t work = (bytes < VECTOR ? 40 : 8) + 3 * stride_work(2ull * filters);
	HVX_Vector features = *(const HVX_Vector *)(svdf->features + f);
	HVX_VectorPair sums = no_sums();

	for (uint32_t left = svdf->call->op->svdf.memory - 1, some; left; left -= some) {
		int ret;

		some = min_u32(left, SOME);
		ret = progress_add(&svdf->progress, 64 + work * some);
		if (ret)
			return ret;
		if (are_aligned)
			sums = move_aligned(sums, old + filters + f, state + f, weights, filters, some);
		else if (bytes == VECTOR)
			sums = move_vectors(sums, old + filters + f, state + f, weights, filters, some);
		else
			sums = move_bytes(sums, old + filters + f, state + f, weights, filters, some,
					  bytes);
		old += some * filters;
		state += some * filters;
		weights += some * filters;
	}
	sums = Q6_Ww_vmpyacc_WwVhVh(sums, features, load_bytes(weights, bytes));
	store_bytes(state + f, features, bytes);
	store_sums(svdf->sums + f, sums);
	return 0;
}

static int move_state(struct svdf *svdf, const int16_t *old, int16_t *state)
{
	const uint32_t filters = svdf->filters;
	const bool are_aligned = !((uintptr_t)state % VECTOR);
	int ret = 0;

	if (svdf->steps > 1)
		return move_steps(svdf, old, state, are_aligned);
	for (uint32_t f = 0; f < filters && !ret; f += LANES)
		ret = move_filters(svdf, old, state, f, are_aligned && !(filters % LANES));
	return ret;
}

/* ---- Units ---- */

/* Up to 64 of them; those behind the last are anything. */
PART make_units(struct svdf *svdf, uint8_t *output)
{
	const struct nn_call *call = svdf->call;
	const int32_t *bias = (const int32_t *)call->input[4].data + weight_lanes(svdf->filters);
	const HVX_Vector zero = splat_h((uint32_t)call->output[0].zero_point);
	const struct nn_fixed by = call->op->svdf.output;
	const uint32_t units = svdf->units, parts = call->op->svdf.rank * svdf->steps;

	for (uint32_t u = 0; u < units; u += LANES) {
		const uint32_t count = min_u32(units - u, LANES);
		const HVX_Vector *of_lanes = (const HVX_Vector *)(bias + u);
		HVX_Vector low = of_lanes[0], high = of_lanes[count > 32], made;
		int ret = progress_add(&svdf->progress, 64 + 4 * parts);

		if (ret)
			return ret;
		ROLLED
		for (uint32_t i = 0; i < parts; i++) {
			low = Q6_Vw_vadd_VwVw(low, load(svdf->sums + i * units + u));
			high = Q6_Vw_vadd_VwVw(high, load(svdf->sums + i * units + u + 32));
		}
		made = Q6_Vh_vpack_VwVw_sat(multiply(high, by), multiply(low, by));
		made = Q6_Vh_vadd_VhVh_sat(made, zero);
		store_bytes(output + u, Q6_Vb_vpack_VhVh_sat(made, made), count);
	}
	return 0;
}

/* Divides scratch memory. What is read behind the last sums belongs to it, too. */
static void divide_scratch(struct svdf *svdf)
{
	struct nn_call rest = {
		.scratch = svdf->call->scratch,
		.scratch_size = svdf->call->scratch_size,
	};

	svdf->x = inner_take(&rest, svdf->inputs + sizeof(uint32_t));
	svdf->features = (int16_t *)inner_take(&rest, (svdf->filters + LANES) * sizeof(int16_t));
	svdf->sums = (int32_t *)inner_take(&rest, (svdf->width + 2 * LANES) * sizeof(int32_t));
}

int nn_svdf_hvx(const struct nn_call *call)
{
	struct svdf svdf = {
		.call = call,
		.progress = { .call = call },
		.inputs = call->input[0].dims[1],
		.units = call->output[0].dims[1],
		.filters = call->output[0].dims[1] * call->op->svdf.rank,
		.length = call->input[1].dims[1],
		.steps = 1,
	};
	int ret = 0;

	if (!nn_svdf_has_vectors(call))
		return nn_svdf_portable(call);
	/* A power of two. */
	if (svdf.filters < LANES && !(svdf.filters & (svdf.filters - 1)) && !(svdf.length % LANES))
		svdf.steps = LANES >> __builtin_ctz(svdf.filters);
	svdf.width = svdf.filters * svdf.steps;
	divide_scratch(&svdf);
	for (uint64_t row = 0; row < call->output[0].dims[0] && !ret; row++) {
		ret = make_features(&svdf, call->input[0].data + row * svdf.inputs);
		if (!ret)
			ret = move_state(&svdf, (const int16_t *)call->input[1].data +
					 row * svdf.length,
					 (int16_t *)call->output[1].data + row * svdf.length);
		if (!ret)
			ret = make_units(&svdf, call->output[0].data + row * svdf.units);
	}
	return ret;
}
