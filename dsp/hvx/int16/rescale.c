// SPDX-License-Identifier: MIT
/*
 * RESCALE on HVX, 128 elements at a time. They are widened to words, even and odd ones apart, and
 * multiplied as dsp/hvx/common/fixed.h does it. Sums lie in words already, and have multipliers of
 * their channels, which are laid out in scratch memory so that a vector of them can begin at any.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/kernels.h"

#define WORK		96u	/* for 128 elements */
#define PART		16384u	/* elements between two looks at progress */
#define SUMS		2048u	/* likewise */

struct rescale {
	HVX_Vector zero_in, zero_out;	/* halfwords */
	HVX_Vector least, most;
	struct nn_fixed by, by_below;
	bool is_one;		/* both are the same */
	bool is_signed_in;	/* of 8 bits */
};

/* Elements of an operand. */
enum kind { BYTES, HALFWORDS };

static inline __attribute__((always_inline)) HVX_Vector multiply_one(HVX_Vector q,
								     struct nn_fixed by)
{
	uint32_t left = by.exponent > 0 ? by.exponent : 0;

	return fixed_round_one(fixed_high(Q6_Vw_vasl_VwR(q, left), splat_w(by.multiplier)),
			       by.exponent, splat_w(-1));
}

static inline __attribute__((always_inline)) HVX_Vector multiply(HVX_Vector q,
								 const struct rescale *rescale,
								 bool is_one)
{
	HVX_Vector v = multiply_one(q, rescale->by);

	if (is_one)
		return v;
	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), q),
			     multiply_one(q, rescale->by_below), v);
}

/* Rescales 64 halfwords, less their zero point. */
static inline __attribute__((always_inline)) HVX_Vector
rescale_64(HVX_Vector q, const struct rescale *rescale, bool is_one)
{
	HVX_VectorPair wide = Q6_Ww_vsxt_Vh(q);

	return Q6_Vh_vsat_VwVw(multiply(Q6_V_hi_W(wide), rescale, is_one),
			       multiply(Q6_V_lo_W(wide), rescale, is_one));
}

static inline __attribute__((always_inline)) HVX_VectorPair
load_128(const uint8_t *from, uint32_t count, const struct rescale *rescale, enum kind kind)
{
	HVX_VectorPair wide;
	HVX_Vector first, second;

	if (kind == HALFWORDS) {
		first = count < 64 ? load_bytes(from, 2 * count) : load(from);
		second = first;
		if (count > 64)
			second = count < 128 ? load_bytes(from + VECTOR, 2 * (count - 64)) :
					       load(from + VECTOR);
		return Q6_W_vcombine_VV(second, first);
	}
	first = count < 128 ? load_bytes(from, count) : load(from);
	wide = rescale->is_signed_in ? Q6_Wh_vunpack_Vb(first) : Q6_Wuh_vunpack_Vub(first);
	return Q6_W_vcombine_VV(Q6_Vh_vsub_VhVh(Q6_V_hi_W(wide), rescale->zero_in),
				Q6_Vh_vsub_VhVh(Q6_V_lo_W(wide), rescale->zero_in));
}

static inline __attribute__((always_inline)) void
store_128(uint8_t *to, HVX_VectorPair v, uint32_t count, const struct rescale *rescale,
	  enum kind kind)
{
	HVX_Vector first = Q6_V_lo_W(v), second = Q6_V_hi_W(v);

	if (kind == HALFWORDS) {
		first = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(first, rescale->least), rescale->most);
		second = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(second, rescale->least), rescale->most);
		if (count == 128) {
			store(to, first);
			store(to + VECTOR, second);
			return;
		}
		store_bytes(to, first, min_u32(2 * count, VECTOR));
		if (count > 64)
			store_bytes(to + VECTOR, second, 2 * (count - 64));
		return;
	}
	first = Q6_Vh_vadd_VhVh_sat(first, rescale->zero_out);
	second = Q6_Vh_vadd_VhVh_sat(second, rescale->zero_out);
	first = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(first, rescale->least), rescale->most);
	second = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(second, rescale->least), rescale->most);
	first = Q6_Vb_vpacke_VhVh(second, first);
	if (count == 128)
		store(to, first);
	else
		store_bytes(to, first, count);
}

static inline __attribute__((always_inline)) void
rescale_some(const uint8_t *from, uint8_t *to, uint32_t count, const struct rescale *rescale,
	     bool is_one, enum kind in, enum kind out)
{
	HVX_VectorPair v = load_128(from, count, rescale, in);

	store_128(to, Q6_W_vcombine_VV(rescale_64(Q6_V_hi_W(v), rescale, is_one),
				       rescale_64(Q6_V_lo_W(v), rescale, is_one)),
		  count, rescale, out);
}

static inline __attribute__((always_inline)) void
rescale_part(const uint8_t *from, uint8_t *to, uint32_t count, const struct rescale *of,
	     bool is_one, enum kind in, enum kind out)
{
	const struct rescale rescale = *of;
	uint32_t step_in = in == BYTES ? 128 : 256, step_out = out == BYTES ? 128 : 256;

	for (; count >= 128; count -= 128, from += step_in, to += step_out)
		rescale_some(from, to, 128, &rescale, is_one, in, out);
	if (count)
		rescale_some(from, to, count, &rescale, is_one, in, out);
}

/* There is a loop for each kind of elements, and for one number. */
static void rescale_elements(const uint8_t *from, uint8_t *to, uint32_t count,
			     const struct rescale *rescale, enum kind in, enum kind out)
{
#define LOOPS(IN, OUT) \
	do { \
		if (rescale->is_one) \
			rescale_part(from, to, count, rescale, true, IN, OUT); \
		else \
			rescale_part(from, to, count, rescale, false, IN, OUT); \
	} while (0)
	if (in == HALFWORDS && out == HALFWORDS)
		LOOPS(HALFWORDS, HALFWORDS);
	else if (in == HALFWORDS)
		LOOPS(HALFWORDS, BYTES);
	else if (out == HALFWORDS)
		LOOPS(BYTES, HALFWORDS);
	else
		LOOPS(BYTES, BYTES);
#undef LOOPS
}

/* Sums */

/* Scales of channels, and of the first ones again. */
struct lanes {
	int32_t *multiplier, *exponent, *away;
	uint32_t channels;
};

static bool lay_out_lanes(const struct nn_call *call, struct lanes *lanes)
{
	const int32_t *scale = (const int32_t *)call->input[1].data;
	uint32_t channels = lanes->channels = call->input[1].dims[0] / 2, c = 0;
	uint64_t bytes = round_up(4 * (channels + 128ull), VECTOR);

	if (3 * bytes > call->scratch_size)
		return false;
	lanes->multiplier = (int32_t *)call->scratch;
	lanes->exponent = (int32_t *)(call->scratch + bytes);
	lanes->away = (int32_t *)(call->scratch + 2 * bytes);
	for (uint32_t i = 0; i < channels + 128; i++) {
		int32_t exponent = scale[2 * c + 1];
		bool is_up = exponent >= NN_TIES_UP - 31;

		lanes->multiplier[i] = scale[2 * c];
		lanes->exponent[i] = clamp_int(exponent - (is_up ? NN_TIES_UP : 0), -31, 30);
		lanes->away[i] = is_up - 1;
		c = c + 1 < channels ? c + 1 : 0;
	}
	return true;
}

/* 32 sums from channel c on; `bytes` of them may be read. */
static inline HVX_Vector rescale_32(const int32_t *from, uint32_t bytes, const struct lanes *lanes,
				    uint32_t c)
{
	struct fixed_lanes by = fixed_lanes_of(load(lanes->multiplier + c),
					       load(lanes->exponent + c));

	return fixed_multiply_ties(bytes < VECTOR ? load_bytes(from, bytes) : load(from), &by,
				   load(lanes->away + c));
}

static int rescale_sums(struct progress *progress, const struct rescale *rescale, uint64_t count)
{
	const struct nn_call *call = progress->call;
	const int32_t *from = (const int32_t *)call->input[0].data;
	enum kind out = is_8bit(&call->output[0]) ? BYTES : HALFWORDS;
	uint8_t *to = call->output[0].data;
	struct lanes lanes;
	uint32_t c = 0, step;

	if (!lay_out_lanes(call, &lanes))
		return nn_rescale_portable(call);
	step = 32 % lanes.channels;
	for (uint64_t i = 0; i < count; i += 128) {
		uint32_t now = count - i < 128 ? count - i : 128;
		int ret = i % SUMS ? 0 : progress_add(progress, 2 * SUMS / 128 * WORK +
								memory_work(6 * SUMS));
		HVX_Vector v[4];

		if (ret)
			return ret;
#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			v[j] = Q6_V_vzero();
			if (32 * j < now)
				v[j] = rescale_32(from + 32 * j,
						  min_u32(4 * (now - 32 * j), VECTOR), &lanes, c);
			/* What is left behind the last ones is not used. */
			c += step;
			if (c >= lanes.channels)
				c -= lanes.channels;
		}
		store_128(to, Q6_W_vcombine_VV(Q6_Vh_vpack_VwVw_sat(v[3], v[2]),
					       Q6_Vh_vpack_VwVw_sat(v[1], v[0])),
			  now, rescale, out);
		from += now;
		to += out == BYTES ? now : 2 * now;
	}
	return 0;
}

int nn_rescale_hvx(const struct nn_call *call)
{
	const struct nn_rescale_params *params = &call->op->rescale;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size_in = nn_type_size(input->type), size_out = nn_type_size(output->type);
	enum kind in = size_in == 1 ? BYTES : HALFWORDS, out = size_out == 1 ? BYTES : HALFWORDS;
	uint64_t count = output->bytes / size_out;
	const uint8_t *from = input->data;
	struct progress progress = { .call = call };
	struct rescale rescale = {
		.zero_in = splat_h(input->zero_point),
		.zero_out = splat_h(output->zero_point),
		.least = splat_h(call->op->out_min),
		.most = splat_h(call->op->out_max),
		.by = params->by,
		.by_below = params->by_below,
		.is_one = params->by.multiplier == params->by_below.multiplier &&
			  params->by.exponent == params->by_below.exponent,
		.is_signed_in = input->type == NN_TYPE_INT8,
	};
	uint8_t *to = output->data;

	if (input->type == NN_TYPE_INT32)
		return rescale_sums(&progress, &rescale, count);
	while (count) {
		uint32_t now = count < PART ? count : PART;
		int ret = progress_add(&progress, (now / 128 + 1) * WORK +
						  memory_work(now * (size_in + size_out)));

		if (ret)
			return ret;
		rescale_elements(from, to, now, &rescale, in, out);
		from += now * size_in;
		to += now * size_out;
		count -= now;
	}
	return 0;
}
