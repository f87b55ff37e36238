// SPDX-License-Identifier: MIT
/*
 * ADD: weighted sums of two tensors of bytes, in integers. nn_add_hvx() is its vector kernel, in
 * the table of kernels.c; common/fuse.c calls nn_add_settle() and nn_add_run() for an Add that is
 * fused to a convolution, and binary.c for BINARY's sums. Element i of the output is of elements i
 * of the inputs, so data has no layout but that: vectors of 128 bytes one after another, by the
 * loop of add_vectors.S where it can have the scales.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/elementwise/add.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"

#define VECTOR_WORK	64	/* for 128 elements, most of it for memory */

bool nn_add_vectors_settle(struct add_vectors *vectors, const struct nn_call *call,
			   int32_t multiplier_a, int32_t multiplier_b, uint32_t shift,
			   int32_t more)
{
	const int32_t multiplier[2] = { multiplier_a, multiplier_b };
	const int32_t limit = 1 << (15 + ADD_LOW_BITS);
	int64_t base = more + (int64_t)call->output[0].zero_point * (1ll << shift);
	int64_t low = base, high = base;

	if (shift < 16 || shift > 23)
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		const struct nn_tensor *operand = &call->input[i];
		int64_t first = -(int64_t)(operand->zero_point + flip_of(operand)) * multiplier[i];
		int64_t last = first + 255ll * multiplier[i];

		if (multiplier[i] < -limit || multiplier[i] >= limit)
			return false;
		low += first < last ? first : last;
		high += first < last ? last : first;
		base += first;
	}
	if (low < INT32_MIN || high > INT32_MAX)
		return false;
	*vectors = (struct add_vectors){
		.high = (multiplier_a >> ADD_LOW_BITS & 0xffff) |
			(uint32_t)(multiplier_b >> ADD_LOW_BITS) << 16,
		.low = (multiplier_a & ((1 << ADD_LOW_BITS) - 1)) |
		       (multiplier_b & ((1 << ADD_LOW_BITS) - 1)) << 16,
		.shift = shift - 16,
		.base = (int32_t)(uint32_t)base,
		.flip_a = flip_of(&call->input[0]) ? 0x80808080 : 0,
		.flip_b = flip_of(&call->input[1]) ? 0x80808080 : 0,
		.min = four_bytes(call->op->out_min),
		.max = four_bytes(call->op->out_max),
	};
	return true;
}

void nn_add_settle(struct add *add, const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;

	add->has_vectors = nn_add_vectors_settle(&add->vectors, call, params->multiplier_a,
						 params->multiplier_b, params->shift,
						 1 << (params->shift - 1));
}

/* Adds up the first vectors by the assembly, as many as it does. */
static int add_vectors(struct progress *progress, struct add *add, uint64_t *done)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];
	uint32_t count;

	while ((count = next_add_vectors((output->bytes - *done) / VECTOR,
					 ELEMENTWISE_TILE / VECTOR))) {
		int ret = progress_add(progress, count * VECTOR_WORK);

		if (ret)
			return ret;
		add_vectors_at(&add->vectors, call, *done, count);
		if (output->type == NN_TYPE_INT8)
			nn_add_vectors_s8(&add->vectors);
		else
			nn_add_vectors_u8(&add->vectors);
		*done += count * VECTOR;
	}
	return 0;
}

/* Adds up what follows the first `done` bytes. */
static int add_rest(struct progress *progress, uint64_t done)
{
	const struct nn_call *call = progress->call;
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	const struct weighted_sum sum =
		weighted_sum_of(call, params->multiplier_a, params->multiplier_b,
				1 << (params->shift - 1));

	for (uint64_t i = done; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector va = Q6_V_vxor_VV(load_part(a->data + i, bytes), sum.flip_a);
		HVX_Vector vb = Q6_V_vxor_VV(load_part(b->data + i, bytes), sum.flip_b);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(va), pb = Q6_Wuh_vunpack_Vub(vb);
		HVX_VectorPair low = add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &sum);
		HVX_VectorPair high = add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &sum);
		int ret = progress_add(progress, VECTOR_WORK);

		if (ret)
			return ret;
		store_part(output->data + i,
			   finish_8bit(round_halves(low, params->shift),
				       round_halves(high, params->shift), &finish),
			   bytes);
	}
	return 0;
}

int nn_add_run(struct progress *progress, struct add *add)
{
	uint64_t done = 0;
	int ret = add->has_vectors ? add_vectors(progress, add, &done) : 0;

	return ret || done == progress->call->output[0].bytes ? ret : add_rest(progress, done);
}

static int run_add(const struct nn_call *call)
{
	struct progress progress = { .call = call };
	struct add add;

	nn_add_settle(&add, call);
	return nn_add_run(&progress, &add);
}

int nn_add_hvx(const struct nn_call *call)
{
	return nn_elementwise_run(call, run_add);
}
