// SPDX-License-Identifier: MIT
/*
 * SOFTMAX_INT16 on HVX, 128 elements at a time. A place in the table of powers is one of 512,
 * which are two tables of 256: the sign says which, and vlut16 looks up in 16 entries at a time.
 * Where the place is between two entries, v / 2^7 and the next, their mean is
 *
 *	(entry * (128 - rest) + next * rest + 64) / 2^7
 *
 * without its fraction, which is what the definition says, and fits 32 bits.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/softmax_int16.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/kernels.h"

#define MAX_WORK	12u	/* for 128 elements, */
#define POWER_WORK	192u
#define SCALE_WORK	40u
#define VECTOR_WORK	400u	/* and for all of a vector's */
#define PIECE		8192u	/* elements between two looks at progress */

struct softmax {
	const struct nn_call *call;
	struct progress progress;
	/* The tables: entries 0 to 255 and 256 to 511, and the ones behind them. */
	HVX_Vector entries[2][4], nexts[2][4];
};

static void load_tables(struct softmax *softmax)
{
	const int16_t *table = (const int16_t *)softmax->call->input[1].data;

#pragma unroll
	for (uint32_t i = 0; i < 8; i++) {
		softmax->entries[i / 4][i % 4] = Q6_Vh_vshuff_Vh(load(table + 64 * i));
		softmax->nexts[i / 4][i % 4] = Q6_Vh_vshuff_Vh(load(table + 64 * i + 1));
	}
}

static inline __attribute__((always_inline)) HVX_VectorPair look_up(HVX_Vector bytes,
								     const HVX_Vector *table)
{
	HVX_VectorPair found = Q6_Wh_vlut16_VbVhR(bytes, table[0], 0);

#pragma unroll
	for (uint32_t i = 1; i < 16; i++)
		found = Q6_Wh_vlut16or_WhVbVhR(found, bytes, table[i / 4], i);
	return Q6_W_vshuff_VVR(Q6_V_hi_W(found), Q6_V_lo_W(found), -2);
}

/* 64 elements less the greatest, multiplied, as places: halfwords in their order. */
static inline __attribute__((always_inline)) HVX_Vector places_of(HVX_Vector x, HVX_Vector max,
								  const struct fixed_lanes *by)
{
	HVX_VectorPair wide = Q6_Ww_vsub_VhVh(x, max);
	HVX_Vector most = splat_w(INT16_MAX);

	return Q6_Vh_vsat_VwVw(Q6_Vw_vadd_VwVw(fixed_multiply(Q6_V_hi_W(wide), by), most),
			       Q6_Vw_vadd_VwVw(fixed_multiply(Q6_V_lo_W(wide), by), most));
}

/* The entries' means, of 64 places. */
static inline __attribute__((always_inline)) HVX_Vector mean_of(HVX_Vector place, HVX_Vector entry,
								HVX_Vector next)
{
	HVX_Vector rest = Q6_V_vand_VV(place, splat_h(127)), half = splat_w(64);
	HVX_VectorPair sum = Q6_Ww_vmpy_VhVh(entry, Q6_Vh_vsub_VhVh(splat_h(128), rest));

	sum = Q6_Ww_vmpyacc_WwVhVh(sum, next, rest);
	return Q6_Vh_vshuffe_VhVh(Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(Q6_V_hi_W(sum), half), 7),
				  Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(Q6_V_lo_W(sum), half), 7));
}

static inline HVX_VectorPair load_some(const int16_t *from, uint32_t count)
{
	HVX_Vector first, second;

	if (count == 128)
		return Q6_W_vcombine_VV(load(from + 64), load(from));
	first = load_bytes(from, min_u32(2 * count, VECTOR));
	second = count > 64 ? load_bytes(from + 64, 2 * count - VECTOR) : first;
	return Q6_W_vcombine_VV(second, first);
}

static inline void store_some(int16_t *to, HVX_VectorPair v, uint32_t count)
{
	if (count == 128) {
		store(to, Q6_V_lo_W(v));
		store(to + 64, Q6_V_hi_W(v));
		return;
	}
	store_bytes(to, Q6_V_lo_W(v), min_u32(2 * count, VECTOR));
	if (count > 64)
		store_bytes(to + 64, Q6_V_hi_W(v), 2 * count - VECTOR);
}

/* The first `count` of 128 elements, and others that are all `other`. */
static inline HVX_VectorPair first_of(HVX_VectorPair v, uint32_t count, HVX_Vector other)
{
	HVX_Vector low = Q6_V_lo_W(v), high = other;

	if (count > 64)
		high = Q6_V_vmux_QVV(first_bytes(2 * count - VECTOR), Q6_V_hi_W(v), other);
	if (count < 64)
		low = Q6_V_vmux_QVV(first_bytes(2 * count), low, other);
	return Q6_W_vcombine_VV(high, low);
}

static int find_greatest(struct softmax *softmax, const int16_t *from, uint32_t length,
			 HVX_Vector *max)
{
	HVX_Vector most = splat_w(0x80008000);

	for (uint32_t i = 0; i < length; i += 128) {
		uint32_t count = min_u32(length - i, 128);
		HVX_VectorPair v = load_some(from + i, count);
		int ret = i % PIECE ? 0 : progress_add(&softmax->progress,
						       PIECE / 128 * MAX_WORK +
							       memory_work(2 * PIECE));

		if (ret)
			return ret;
		if (count < 128)
			v = first_of(v, count, splat_w(0x80008000));
		most = Q6_Vh_vmax_VhVh(most, Q6_Vh_vmax_VhVh(Q6_V_lo_W(v), Q6_V_hi_W(v)));
	}
	for (uint32_t i = VECTOR / 2; i >= 2; i /= 2)
		most = Q6_Vh_vmax_VhVh(most, Q6_V_vror_VR(most, i));
	*max = most;
	return 0;
}

/* Stores the powers, and adds them up. */
static int make_powers(struct softmax *softmax, const int16_t *from, int16_t *to, uint32_t length,
		       HVX_Vector max, int32_t *total)
{
	struct fixed_lanes by = fixed_splat(softmax->call->op->softmax_int16.by);
	HVX_VectorPair sums = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
	HVX_Vector sum;

	for (uint32_t i = 0; i < length; i += 128) {
		uint32_t count = min_u32(length - i, 128);
		HVX_VectorPair v = load_some(from + i, count), low, high, low_next, high_next;
		HVX_Vector first = places_of(Q6_V_lo_W(v), max, &by);
		HVX_Vector second = places_of(Q6_V_hi_W(v), max, &by), bytes;
		HVX_VectorPred is_high;
		int ret = i % (PIECE / 8) ? 0 : progress_add(&softmax->progress,
							     PIECE / 1024 * POWER_WORK +
								     memory_work(PIECE / 2));

		if (ret)
			return ret;
		bytes = Q6_Vb_vpacke_VhVh(Q6_Vh_vasr_VhR(second, 7), Q6_Vh_vasr_VhR(first, 7));
		low = look_up(bytes, softmax->entries[0]);
		high = look_up(bytes, softmax->entries[1]);
		low_next = look_up(bytes, softmax->nexts[0]);
		high_next = look_up(bytes, softmax->nexts[1]);
		is_high = Q6_Q_vcmp_gt_VhVh(first, splat_h(-1));
		first = mean_of(first, Q6_V_vmux_QVV(is_high, Q6_V_lo_W(high), Q6_V_lo_W(low)),
				Q6_V_vmux_QVV(is_high, Q6_V_lo_W(high_next), Q6_V_lo_W(low_next)));
		is_high = Q6_Q_vcmp_gt_VhVh(second, splat_h(-1));
		second = mean_of(second, Q6_V_vmux_QVV(is_high, Q6_V_hi_W(high), Q6_V_hi_W(low)),
				 Q6_V_vmux_QVV(is_high, Q6_V_hi_W(high_next),
					       Q6_V_hi_W(low_next)));
		v = Q6_W_vcombine_VV(second, first);
		store_some(to + i, v, count);
		if (count < 128)
			v = first_of(v, count, Q6_V_vzero());
		sums = Q6_Ww_vmpyacc_WwVhRh_sat(sums, Q6_V_lo_W(v), 0x00010001);
		sums = Q6_Ww_vmpyacc_WwVhRh_sat(sums, Q6_V_hi_W(v), 0x00010001);
	}
	sum = Q6_Vw_vadd_VwVw(Q6_V_lo_W(sums), Q6_V_hi_W(sums));
	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2)
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, i));
	*total = Q6_R_vextract_VR(sum, 0);
	return 0;
}

static inline HVX_Vector scale_64(HVX_Vector power, uint32_t inverse, HVX_Vector half,
				  uint32_t shift)
{
	HVX_VectorPair y = Q6_Ww_vmpy_VhRh(power, inverse);

	return Q6_Vh_vsat_VwVw(Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(Q6_V_hi_W(y), half), shift),
			       Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(Q6_V_lo_W(y), half), shift));
}

/* Makes the results of powers, in place. */
static int scale_powers(struct softmax *softmax, int16_t *to, uint32_t length, int32_t inverse,
			uint32_t shift)
{
	const struct nn_program_op *op = softmax->call->op;
	HVX_Vector half = splat_w(shift ? 1 << (shift - 1) : 0);
	HVX_Vector least = splat_h(op->out_min), most = splat_h(op->out_max);
	uint32_t both = (inverse & 0xffff) * 0x10001u;

	for (uint32_t i = 0; i < length; i += 128) {
		uint32_t count = min_u32(length - i, 128);
		HVX_VectorPair v = load_some(to + i, count);
		HVX_Vector low = scale_64(Q6_V_lo_W(v), both, half, shift);
		HVX_Vector high = scale_64(Q6_V_hi_W(v), both, half, shift);
		int ret = i % PIECE ? 0 : progress_add(&softmax->progress,
						       PIECE / 128 * SCALE_WORK +
							       memory_work(2 * PIECE));

		if (ret)
			return ret;
		low = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(low, least), most);
		high = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(high, least), most);
		store_some(to + i, Q6_W_vcombine_VV(high, low), count);
	}
	return 0;
}

static int softmax_vector(struct softmax *softmax, const int16_t *from, int16_t *to,
			  uint32_t length)
{
	const int16_t *tables = (const int16_t *)softmax->call->input[1].data;
	int ret = progress_add(&softmax->progress, VECTOR_WORK);
	struct softmax_int16_sum sum;
	HVX_Vector max;
	int32_t total;

	if (!ret)
		ret = find_greatest(softmax, from, length, &max);
	if (!ret)
		ret = make_powers(softmax, from, to, length, max, &total);
	if (ret)
		return ret;
	sum = softmax_int16_sum_of(tables, total);
	return scale_powers(softmax, to, length, sum.inverse, sum.shift);
}

int nn_softmax_int16_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct softmax softmax = { .call = call, .progress.call = call };

	if (!nn_softmax_int16_has_vectors(call))
		return nn_softmax_int16_portable(call);
	load_tables(&softmax);
	for (uint64_t i = 0; i < output->bytes / 2; i += length) {
		int ret = softmax_vector(&softmax, (const int16_t *)call->input[0].data + i,
					 (int16_t *)output->data + i, length);

		if (ret)
			return ret;
	}
	return 0;
}
