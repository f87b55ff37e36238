// SPDX-License-Identifier: MIT
/*
 * BINARY_INT16 on HVX: products of 64 elements are two vectors of words, of even and odd ones,
 * which are multiplied as dsp/hvx/common/fixed.h does it.
 */
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/int16/pairs.h"

#define WORK	32u

struct binary {
	HVX_Vector multiplier, least, most;
	int32_t exponent;
};

static inline __attribute__((always_inline)) HVX_Vector
compute_64(HVX_Vector a, HVX_Vector b, const struct binary *binary, uint32_t function)
{
	HVX_VectorPair product;
	HVX_Vector v;

	if (function == NN_INT16_MIN) {
		v = Q6_Vh_vmin_VhVh(a, b);
	} else if (function == NN_INT16_MAX) {
		v = Q6_Vh_vmax_VhVh(a, b);
	} else {
		product = Q6_Ww_vmpy_VhVh(a, b);
		v = Q6_Vh_vsat_VwVw(
			fixed_round_one(fixed_high(Q6_V_hi_W(product), binary->multiplier),
					binary->exponent, splat_w(-1)),
			fixed_round_one(fixed_high(Q6_V_lo_W(product), binary->multiplier),
					binary->exponent, splat_w(-1)));
	}
	return Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(v, binary->least), binary->most);
}

static inline __attribute__((always_inline)) void
compute(const struct int16_pairs *pairs, const int16_t *a, const int16_t *b, int16_t *out,
	uint32_t count, uint32_t function)
{
	const struct binary binary = *(const struct binary *)pairs->context;

	for (; count >= 64; count -= 64, a += 64, b += 64, out += 64)
		store(out, compute_64(load(a), load(b), &binary, function));
	if (count)
		store_bytes(out, compute_64(load_bytes(a, 2 * count), load_bytes(b, 2 * count),
					    &binary, function), 2 * count);
}

static void multiply(const struct int16_pairs *pairs, const int16_t *a, const int16_t *b,
		     int16_t *out, uint32_t count)
{
	compute(pairs, a, b, out, count, NN_INT16_MUL);
}

static void take_lesser(const struct int16_pairs *pairs, const int16_t *a, const int16_t *b,
			int16_t *out, uint32_t count)
{
	compute(pairs, a, b, out, count, NN_INT16_MIN);
}

static void take_greater(const struct int16_pairs *pairs, const int16_t *a, const int16_t *b,
			 int16_t *out, uint32_t count)
{
	compute(pairs, a, b, out, count, NN_INT16_MAX);
}

int nn_binary_int16_hvx(const struct nn_call *call)
{
	const struct nn_binary_int16_params *params = &call->op->binary_int16;
	struct binary binary = {
		.multiplier = splat_w(params->by.multiplier),
		.least = splat_h(call->op->out_min),
		.most = splat_h(call->op->out_max),
		.exponent = params->by.exponent,
	};
	struct int16_pairs pairs = {
		.call = call,
		.work = WORK,
		.compute = params->function == NN_INT16_MUL ? multiply :
			   params->function == NN_INT16_MIN ? take_lesser : take_greater,
		.context = &binary,
	};
	bool has_room = false;
	int ret = 0;

	if (int16_pattern_of(call, 0, &pairs.pattern[0]) &&
	    int16_pattern_of(call, 1, &pairs.pattern[1]))
		ret = nn_int16_run_pairs(&pairs, &has_room);
	return has_room ? ret : nn_binary_int16_portable(call);
}
