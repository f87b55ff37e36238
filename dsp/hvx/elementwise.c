// SPDX-License-Identifier: MIT
/*
 * ADD, REQUANTIZE and TABLE on HVX.
 */
#include "../kernels/checks.h"
#include "kernels.h"
#include "requant.h"

/* Bytes of output between two reports of progress. */
#define TILE	(256u << 10)

/* `bytes` (1 .. 128) bytes at p, whole vectors faster. */
static inline HVX_Vector load_part(const uint8_t *p, uint32_t bytes)
{
	return bytes == VECTOR ? load(p) : load_bytes(p, bytes);
}

static inline void store_part(uint8_t *p, HVX_Vector v, uint32_t bytes)
{
	if (bytes == VECTOR)
		store(p, v);
	else
		store_bytes(p, v, bytes);
}

static inline uint32_t flip(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT8 ? 0x80 : 0;
}

struct add {
	HVX_Vector flip_a, flip_b;		/* makes bytes unsigned */
	HVX_Vector multiplier_a, multiplier_b;
	HVX_Vector base;			/* zero points' products and half of 1 */
	uint32_t shift;
};

/* 64 sums from halfwords: even ones from the low halves of words, odd ones from the high halves. */
static inline HVX_Vector add_halves(HVX_Vector a, HVX_Vector b, const struct add *add)
{
	HVX_Vector even = add->base, odd = add->base;

	even = Q6_Vw_vmpyieacc_VwVwVuh(even, add->multiplier_a, a);
	even = Q6_Vw_vmpyieacc_VwVwVuh(even, add->multiplier_b, b);
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, add->multiplier_a, Q6_Vuw_vlsr_VuwR(a, 16));
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, add->multiplier_b, Q6_Vuw_vlsr_VuwR(b, 16));
	return Q6_Vh_vsat_VwVw(Q6_Vw_vasr_VwR(odd, add->shift), Q6_Vw_vasr_VwR(even, add->shift));
}

int nn_add_hvx(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	int32_t zero_a = a->zero_point + (int32_t)flip(a),
		zero_b = b->zero_point + (int32_t)flip(b);
	struct add add = {
		.flip_a = splat_b(flip(a)),
		.flip_b = splat_b(flip(b)),
		.multiplier_a = splat_w(params->multiplier_a),
		.multiplier_b = splat_w(params->multiplier_b),
		.base = splat_w((1 << (params->shift - 1)) - zero_a * params->multiplier_a -
				zero_b * params->multiplier_b),
		.shift = params->shift,
	};

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector va = Q6_V_vxor_VV(load_part(a->data + i, bytes), add.flip_a);
		HVX_Vector vb = Q6_V_vxor_VV(load_part(b->data + i, bytes), add.flip_b);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(va), pb = Q6_Wuh_vunpack_Vub(vb);

		if (i % TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		store_part(output->data + i,
			   finish_8bit(add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &add),
				       add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &add), &finish),
			   bytes);
	}
	return 0;
}

/* Up to 128 elements; `scale` is for the first of them, or one vector for all. */
static inline void requantize(uint8_t *to, const uint8_t *from, const uint8_t *scale,
			      bool per_element, uint32_t count, const struct finish *finish)
{
	HVX_Vector acc[4], scales[4];
	struct requant requant[4];

#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t bytes = count < i * 32 + 32 ? (count - i * 32) * 4 : VECTOR;

		acc[i] = scales[i] = Q6_V_vzero();
		if (i * 32 < count) {
			acc[i] = load_part(from + i * VECTOR, bytes);
			scales[i] = per_element ? load_part(scale + i * VECTOR, bytes)
						: *(const HVX_Vector *)scale;
		}
		requant[i] = requant_scales(scales[i]);
	}
	store_part(to, requant_128(acc, requant, finish), count);
}

int nn_requantize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *scale = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	bool per_element = scale->dims[0] > 1;
	uint64_t run = per_element ? scale->dims[0] : output->bytes;
	HVX_Vector all = splat_w(*(const uint32_t *)scale->data);
	uint64_t work = 0;

	for (uint64_t at = 0; at < output->bytes; at += run) {
		for (uint64_t i = 0; i < run; i += VECTOR, work += VECTOR) {
			if (work % TILE == 0) {
				int ret = nn_call_progress(call);

				if (ret)
					return ret;
			}
			requantize(output->data + at + i, input->data + 4 * (at + i),
				   per_element ? scale->data + 4 * i : (const uint8_t *)&all,
				   per_element, min_u32(run - i, VECTOR), &finish);
		}
	}
	return 0;
}

int nn_table_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const HVX_Vector *table = (const HVX_Vector *)call->input[1].data;
	/* vlut32 wants entries i and i + 64 side by side. */
	HVX_Vector low = Q6_Vb_vshuff_Vb(table[0]), high = Q6_Vb_vshuff_Vb(table[1]);

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector index = load_part(input->data + i, bytes), result;

		if (i % TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		result = Q6_Vb_vlut32_VbVbI(index, low, 0);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, low, 1);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, low, 2);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, low, 3);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 4);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 5);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 6);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 7);
		store_part(output->data + i, result, bytes);
	}
	return 0;
}
