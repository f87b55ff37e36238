// SPDX-License-Identifier: MIT
/*
 * SOFTMAX of rows whose powers are usual numbers, 32 results at a time. softmax.c calls it, and does
 * what is left.
 *
 * A result is power / sum / scale, or power * (1 / (sum * scale)): the power times one number, but
 * for a few roundings. A sum is made in its order, one power after the other, which the scalar unit
 * does in two packets each; with it powers are put side by side, and vectors make results of them.
 *
 * Those are integers: the power's 24 bits, shifted to have the table's first one's exponent, times
 * the number's, with 12 bits of fraction. All roundings together, of the definition, too, are less
 * than 2 of these: six of 2^-24 and what is cut off, of results below 2^9; greater ones are past 8
 * bits. So a result is certain unless its fraction is within 2 of a half, and then it is made as it
 * is defined.
 */
#include "dsp/hvx/reduce/softmax_rows.h"

#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/softmax.h"

#define MOST_PART	1024u	/* elements at a time */
#define BITS		12	/* of fraction */
#define HALF		(1 << (BITS - 1))
#define MARGIN		2
#define LARGEST		0x49800000	/* 2^20 as float32 */
#define SMALLEST	0x35800000	/* 2^-20 */
#define ROW_WORK	400u
#define ELEMENT_WORK	6u
#define EXACT_WORK	40u		/* for each in case that one may be a tie */

/* The numbers that all rows have in common, and where a part's elements are in scratch memory. */
struct rows {
	const struct nn_call *call;
	const float *table;
	uint32_t part;		/* elements, a multiple of 128 */
	HVX_Vector *powers;	/* [part / 32], float32 */
	HVX_Vector *past;	/* [part / 32]: how far fractions are past HALF - MARGIN */
	HVX_Vector *index;	/* [part / 128]: bytes, from the largest element down */
	int32_t exponent;	/* of the table's first power, as float32 has it */
	uint32_t flip;
};

/* The numbers of a row. */
struct row {
	uint32_t max;		/* the largest byte, made unsigned */
	float sum;
	HVX_Vector multiplier;	/* 1 / (sum * scale): 2^30 .. 2^31, and a shift */
	uint32_t shift;
};

/* Tells whether all powers are usual: none is below 0, no number, or greater than the first. */
static bool is_usual_table(const uint8_t *table)
{
	uint32_t first = *(const uint32_t *)table;
	HVX_Vector most = splat_w(first), greatest = most;

	for (uint32_t i = 0; i < 1024; i += VECTOR) {
		HVX_Vector v = load(table + i);

		greatest = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuwVuw(v, greatest), v, greatest);
	}
	return first >= SMALLEST && first <= LARGEST &&
	       !any_lane(Q6_Q_vcmp_gt_VuwVuw(greatest, most));
}

/* Loads the bytes of `count` elements, at most rows->part, made unsigned, and 0 behind them. */
static inline HVX_Vector load_elements(const struct rows *rows, const uint8_t *from, uint32_t count)
{
	HVX_Vector v = count < VECTOR ? load_bytes(from, count) : load(from);

	v = Q6_V_vxor_VV(v, splat_b(rows->flip));
	return count < VECTOR ? Q6_V_vmux_QVV(first_bytes(count), v, Q6_V_vzero()) : v;
}

static HVX_Vector largest(const struct rows *rows, const uint8_t *from, uint32_t count,
			  HVX_Vector max)
{
	for (uint32_t i = 0; i < count; i += VECTOR)
		max = Q6_Vub_vmax_VubVub(max, load_elements(rows, from + i, count - i));
	return max;
}

static uint32_t largest_byte(HVX_Vector max)
{
	for (uint32_t i = VECTOR / 2; i; i /= 2)
		max = Q6_Vub_vmax_VubVub(max, Q6_V_vror_VR(max, i));
	return Q6_R_vextract_VR(max, 0) & 255;
}

/*
 * Puts the powers of `count` (1 or more) elements to rows->powers. Returns their sum and `sum`'s,
 * in this order. Elements are looked at once, so that none that a client writes meanwhile is
 * another.
 */
static float add_powers(const struct rows *rows, uint32_t max, const uint8_t *from, uint32_t count,
			float sum)
{
	const uint8_t *index = (const uint8_t *)rows->index;
	float *to = (float *)rows->powers, power;
	uint32_t i;

	for (i = 0; i < count; i += VECTOR)
		rows->index[i / VECTOR] = Q6_Vb_vsub_VbVb(
			splat_b(max), load_elements(rows, from + i, count - i));
	/* Two packets for an element; the last load is of a byte behind them. */
	asm volatile("{ %[i] = memub(%[index]++#1); loop0(1f,%[count]) }\n"
		     ".p2align 4\n"
		     "1:\n"
		     "{ %[power] = memw(%[table]+%[i]<<#2); %[i] = memub(%[index]++#1) }\n"
		     "{ %[sum] = sfadd(%[sum],%[power]); memw(%[to]++#4) = %[power] }:endloop0\n"
		     : [i] "=&r"(i), [power] "=&r"(power), [sum] "+r"(sum), [index] "+r"(index),
		       [to] "+r"(to)
		     : [table] "r"(rows->table), [count] "r"(count)
		     : "lc0", "sa0", "memory");
	return sum;
}

/* Returns nearly 1 / x: to 2^-22 of it. */
static float nearly_inverse(float x)
{
	union {
		float value;
		uint32_t bits;
	} y = { x };

	y.bits = 0x7ef311c7 - y.bits;
	for (uint32_t i = 0; i < 3; i++)
		y.value = __builtin_HEXAGON_F2_sffma(
			y.value, y.value, __builtin_HEXAGON_F2_sffms(1.0f, x, y.value));
	return y.value;
}

static void settle_row(const struct rows *rows, struct row *row)
{
	union {
		float value;
		uint32_t bits;
	} factor = { nearly_inverse(row->sum * rows->call->op->softmax.scale_output) };
	int32_t shift = 270 - (int32_t)(factor.bits >> 23) - rows->exponent;

	row->multiplier = splat_w((factor.bits & 0x7fffff) << 7 | 1 << 30);
	row->shift = shift < 0 ? 0 : shift > 31 ? 31 : shift;
}

/* Computes results of 32 elements, with their fraction. */
static inline HVX_Vector multiply(const struct rows *rows, const struct row *row, HVX_Vector power)
{
	HVX_Vector down = Q6_Vw_vsub_VwVw(splat_w(rows->exponent), Q6_Vuw_vlsr_VuwR(power, 23));
	HVX_Vector product;

	power = Q6_V_vor_VV(Q6_V_vand_VV(power, splat_w(0x7fffff)), splat_w(0x800000));
	power = Q6_Vw_vlsr_VwVw(Q6_Vw_vasl_VwR(power, 6), Q6_Vw_vmin_VwVw(down, splat_w(31)));
	product = Q6_Vw_vmpye_VwVuh(power, row->multiplier);
	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, power, row->multiplier);
	return Q6_Vw_vasr_VwR(product, row->shift);
}

/* Makes the results of rows->powers, and rows->past. Returns whether any may be a tie. */
static bool make_results(const struct rows *rows, const struct row *row, uint8_t *to,
			 uint32_t count)
{
	const struct nn_call *call = rows->call;
	HVX_Vector zero = splat_h(call->output[0].zero_point), least = splat_w(HALF);
	HVX_Vector min = splat_h(call->op->out_min), max = splat_h(call->op->out_max);

	for (uint32_t i = 0; i < count; i += VECTOR) {
		HVX_Vector whole[4], low, high;

#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			HVX_Vector fixed = multiply(rows, row, rows->powers[i / 32 + j]);
			HVX_Vector past = Q6_V_vand_VV(Q6_Vw_vsub_VwVw(fixed, splat_w(HALF - MARGIN)),
						       splat_w(2 * HALF - 1));

			rows->past[i / 32 + j] = past;
			least = Q6_Vw_vmin_VwVw(least, past);
			whole[j] = Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(fixed, splat_w(HALF)), BITS);
		}
		low = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vpack_VwVw_sat(whole[1], whole[0]), zero);
		high = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vpack_VwVw_sat(whole[3], whole[2]), zero);
		low = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(low, min), max);
		high = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(high, min), max);
		low = Q6_Vb_vpacke_VhVh(high, low);
		if (count - i < VECTOR)
			store_bytes(to + i, low, count - i);
		else
			store(to + i, low);
	}
	return any_lane(Q6_Q_vcmp_gt_VwVw(splat_w(2 * MARGIN + 1), least));
}

/* Makes results that may be ties once more, as they are defined. */
static __attribute__((noinline)) void make_again(const struct rows *rows, const struct row *row,
						 uint8_t *to, uint32_t count)
{
	const struct nn_call *call = rows->call;
	struct softmax_vector vector = softmax_vector_of(call, 0, row->sum);
	const float *powers = (const float *)rows->powers;
	const int32_t *past = (const int32_t *)rows->past;

	for (uint32_t i = 0; i < count; i++) {
		if (past[i] <= 2 * MARGIN)
			to[i] = clamp_int(compute_softmax(call, &vector, powers[i], 0) +
						  call->output[0].zero_point,
					  call->op->out_min, call->op->out_max);
	}
}

static int run_row(struct progress *progress, const struct rows *rows, const uint8_t *from,
		   uint8_t *to, uint32_t length)
{
	HVX_Vector max = Q6_V_vzero();
	struct row row = { .sum = 0 };
	uint32_t part;
	int ret = progress_add(progress, ROW_WORK);

	for (uint32_t i = 0; i < length && !ret; i += part) {
		part = min_u32(length - i, rows->part);
		max = largest(rows, from + i, part, max);
		ret = progress_add(progress, part * ELEMENT_WORK);
	}
	row.max = largest_byte(max);
	for (uint32_t i = 0; i < length && !ret; i += part) {
		part = min_u32(length - i, rows->part);
		row.sum = add_powers(rows, row.max, from + i, part, row.sum);
		ret = progress_add(progress, part * ELEMENT_WORK);
	}
	settle_row(rows, &row);
	for (uint32_t i = 0; i < length && !ret; i += part) {
		part = min_u32(length - i, rows->part);
		if (length > rows->part)
			add_powers(rows, row.max, from + i, part, 0);
		if (make_results(rows, &row, to + i, part))
			make_again(rows, &row, to + i, part);
		ret = progress_add(progress, part * (ELEMENT_WORK + EXACT_WORK));
	}
	return ret;
}

static bool settle_rows(struct rows *rows, const struct nn_call *call)
{
	/* A byte behind the last index is loaded, too. */
	uint32_t part = (call->scratch_size - 1) / 9 / VECTOR * VECTOR;

	if (!softmax_is_usual(call) || !part || !is_usual_table(call->input[1].data))
		return false;
	rows->call = call;
	rows->table = (const float *)call->input[1].data;
	rows->part = min_u32(part, MOST_PART);
	rows->powers = (HVX_Vector *)call->scratch;
	rows->past = rows->powers + rows->part / 32;
	rows->index = rows->past + rows->part / 32;
	rows->exponent = *(const uint32_t *)rows->table >> 23;
	rows->flip = call->input[0].type == NN_TYPE_INT8 ? 128 : 0;
	return true;
}

int nn_softmax_run_rows(const struct nn_call *call, bool *done)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct progress progress = { .call = call };
	struct rows rows;

	*done = settle_rows(&rows, call);
	for (uint64_t i = 0; *done && i < output->bytes; i += length) {
		int ret = run_row(&progress, &rows, &call->input[0].data[i], &output->data[i],
				  length);

		if (ret)
			return ret;
	}
	return 0;
}
