// SPDX-License-Identifier: MIT
/*
 * See rows.h.
 *
 * NN_SOFTMAX_TENSORFLOW's result is a product that is rounded, and is made so. NN_SOFTMAX_FLOAT's
 * is two quotients: power / sum / scale, which is the power times one number but for a few
 * roundings. So is made that product times 2^12, without its fraction. Five roundings, of 2^-24
 * each, are less than 1 where results are below 2^9, and others are past 8 bits; so it tells the
 * result unless its last 12 bits are within 2 of a half, where the quotients are made as they are
 * defined.
 */
#include "dsp/hvx/softmax/rows.h"

#include "dsp/hvx/vector.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/softmax.h"

#define BITS	12		/* of fraction */
#define HALF	(1u << (BITS - 1))
#define NEAR	2u
#define MOST	0x49800000	/* 2^20 as float32: no greater power, and none below 0 */

/* Within this no product leaves float32's normal numbers, or results are 0. */
static bool is_moderate(float x)
{
	return x >= 0x1p-40f && x <= 0x1p40f;
}

bool nn_softmax_settle_rows(struct softmax_rows *rows, const struct nn_call *call, uint8_t *results)
{
	const uint8_t *table = call->input[1].data;
	HVX_Vector greatest = Q6_V_vzero();

	if (softmax_is_log(call) || !is_moderate(call->op->softmax.scale_output))
		return false;
	for (uint32_t i = 0; i < 1024; i += VECTOR)
		greatest = Q6_V_vor_VV(greatest, Q6_V_vand_QR(
			Q6_Q_vcmp_gt_VuwVuw(load(table + i), splat_w(MOST)), 0x01010101));
	if (any_lane(Q6_Q_vcmp_gt_VubVub(greatest, Q6_V_vzero())))
		return false;
	rows->call = call;
	rows->powers = (const float *)table;
	rows->results = results;
	return true;
}

bool nn_softmax_has_sum(const struct softmax_rows *rows, float sum)
{
	(void)rows;
	return is_moderate(sum);
}

/* A row's elements, and what makes results of them. */
struct elements {
	const float *powers;
	uint32_t max, flip;
	float factor;
	int32_t zero, min, max_out;
};

static inline float power_of(const struct elements *elements, uint8_t x)
{
	return elements->powers[(uint8_t)(elements->max - (x ^ elements->flip))];
}

static inline int32_t result_of(const struct elements *elements, int32_t whole)
{
	whole += elements->zero;
	whole = whole < elements->min ? elements->min : whole;
	return whole > elements->max_out ? elements->max_out : whole;
}

static inline int32_t fixed_of(const struct elements *elements, uint8_t x)
{
	return __builtin_HEXAGON_F2_conv_sf2w_chop(power_of(elements, x) * elements->factor);
}

/* How far the fraction is past a half's beginning: at most 2 * NEAR where it is near. */
static inline uint32_t past_half(int32_t fixed)
{
	return ((uint32_t)fixed - (HALF - NEAR)) & (2 * HALF - 1);
}

/* Returns the least past_half() that there is. */
static uint32_t multiply(const struct elements *from, const uint8_t *bytes, uint8_t *to,
			 uint32_t count)
{
	const struct elements elements = *from;
	uint32_t least = 2 * HALF;

	for (uint32_t i = 0; i < count; i++) {
		int32_t fixed = fixed_of(&elements, bytes[i]);
		uint32_t past = past_half(fixed);

		least = past < least ? past : least;
		to[i] = result_of(&elements, ((fixed >> (BITS - 1)) + 1) >> 1);
	}
	return least;
}

/* Those that are near a half, as they are defined. */
static __attribute__((noinline)) void divide(const struct softmax_rows *rows,
					     const struct elements *elements, float sum,
					     const uint8_t *bytes, uint8_t *to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		float power = power_of(elements, bytes[i]);

		if (past_half(fixed_of(elements, bytes[i])) <= 2 * NEAR)
			to[i] = result_of(elements, round_float(power / sum /
								rows->call->op->softmax.scale_output));
	}
}

/* Ties up. */
static void round_ties_up(const struct elements *from, const uint8_t *bytes, uint8_t *to,
		     uint32_t count)
{
	const struct elements elements = *from;

	for (uint32_t i = 0; i < count; i++) {
		float product = power_of(&elements, bytes[i]) * elements.factor;
		int32_t twice = __builtin_HEXAGON_F2_conv_sf2w_chop(product + product);

		to[i] = result_of(&elements, (twice >> 1) + (twice & 1));
	}
}

/* The same as round_up_half() has it for UINT8. */
static void add_half(const struct elements *from, const uint8_t *bytes, uint8_t *to, uint32_t count)
{
	const struct elements elements = *from;

	for (uint32_t i = 0; i < count; i++) {
		float product = power_of(&elements, bytes[i]) * elements.factor;

		to[i] = result_of(&elements,
				  __builtin_HEXAGON_F2_conv_sf2w_chop(product + 0.5f));
	}
}

void nn_softmax_part(const struct softmax_rows *rows, float sum, uint32_t max, const uint8_t *from,
		     uint8_t *to, uint32_t count)
{
	const struct nn_call *call = rows->call;
	struct elements elements = {
		.powers = rows->powers,
		.max = max,
		.flip = call->input[0].type == NN_TYPE_INT8 ? 128 : 0,
		.factor = 1.0f / (sum * call->op->softmax.scale_output),
		.zero = call->output[0].zero_point,
		.min = call->op->out_min,
		.max_out = call->op->out_max,
	};

	if (call->op->softmax.form != NN_SOFTMAX_TENSORFLOW) {
		elements.factor *= 1 << BITS;
		if (multiply(&elements, from, rows->results, count) <= 2 * NEAR)
			divide(rows, &elements, sum, from, rows->results, count);
		__builtin_memcpy(to, rows->results, count);
	} else if (call->output[0].type == NN_TYPE_UINT8) {
		add_half(&elements, from, to, count);
	} else {
		round_ties_up(&elements, from, to, count);
	}
}
