// SPDX-License-Identifier: MIT
/*
 * REQUANTIZE on HVX: 128 elements at a time. Scales repeat after as many elements as are a multiple of
 * the channels and of 128, so vectors that far apart are done one after another with the same
 * constants.
 */
#include "../kernels/checks.h"
#include "../kernels/progress.h"
#include "kernels.h"
#include "requant.h"
#include "requantize_vectors.h"

#define VECTOR_WORK	300	/* of one that is made exactly */

/* Those of all channels, and around their end, or the same again and again if they are few. */
struct scales {
	const uint32_t *all;
	uint32_t channels;
	uint32_t seam[64] __attribute__((aligned(VECTOR)));	/* from channel seam_first on */
	uint32_t seam_first;
};

static void settle_scales(struct scales *scales, const struct nn_tensor *scale)
{
	uint32_t channel;

	scales->all = (const uint32_t *)scale->data;
	scales->channels = scale->dims[0];
	channel = scales->seam_first = scales->channels < 32 ? 0 : scales->channels - 32;
	for (uint32_t i = 0; i < 64; i++) {
		scales->seam[i] = scales->all[channel];
		if (++channel == scales->channels)
			channel = 0;
	}
}

/* Of 128 elements, the first of which is of this channel. */
static void scales_at(HVX_Vector *scale, const struct scales *scales, uint32_t channel)
{
	for (uint32_t i = 0; i < 4; i++) {
		scale[i] = channel < scales->seam_first
				   ? load(&scales->all[channel])
				   : load(&scales->seam[channel - scales->seam_first]);
		for (channel += 32; channel >= scales->channels;)
			channel -= scales->channels;
	}
}

/* Up to 128 elements. */
static void requantize(uint8_t *to, const uint8_t *from, const HVX_Vector *scale, uint32_t count,
		       const struct finish *finish)
{
	HVX_Vector acc[4];
	struct requant requant[4];

#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		acc[i] = Q6_V_vzero();
		if (i * 32 < count)
			acc[i] = load_bytes(from + i * VECTOR, min_u32((count - i * 32) * 4, VECTOR));
		requant[i] = requant_scales(scale[i]);
	}
	store_bytes(to, requant_128(acc, requant, finish), count);
}

static void settle_vectors(struct requantize_vectors *vectors, const HVX_Vector *scale,
			   int32_t zero_point)
{
	HVX_VectorPred is_rough = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_V_vzero());
	uint32_t rough;

	for (uint32_t i = 0; i < 4; i++) {
		struct requant requant = requant_scales(scale[i]);

		vectors->multiplier[i] = requant.multiplier;
		vectors->shift[i] = requant.shift;
		vectors->max[i] = requant.max;
		vectors->min[i] = requant.min;
		is_rough = Q6_Q_or_QQ(is_rough, Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), requant.shift));
	}
	/* See struct conv2d_constants: sums that are shifted to the right lose bits. */
	rough = any_lane(is_rough) ? 2 : 1;
	vectors->more = splat_w(zero_point * 0x10000 + 0x8000 + rough);
	vectors->unsure = splat_w(2 * rough + 1);
}

/* `count` vectors, the first of element `at`, `period` elements from each other. */
static int run_vectors(struct progress *progress, struct requantize_vectors *vectors,
		       const HVX_Vector *scale, const struct finish *finish, uint64_t at,
		       uint64_t period, uint64_t count)
{
	const struct nn_call *call = progress->call;
	uint32_t work = VECTOR_WORK + stride_work(4 * period) + stride_work(period);
	uint64_t done = 0;

	/* One alone is not worth the preparation. */
	if (count == 1) {
		int ret = progress_add(progress, work);

		if (!ret)
			requantize(call->output[0].data + at, call->input[0].data + 4 * at, scale,
				   VECTOR, finish);
		return ret;
	}
	settle_vectors(vectors, scale, call->output[0].zero_point);
	vectors->from_step = 4 * period;
	vectors->to_step = period;
	while (done < count) {
		uint64_t here = at + done * period;
		uint32_t tile = min_u32(count - done, NN_TILE / work), left;
		int ret = progress_add(progress, tile * work);

		if (ret)
			return ret;
		vectors->from = call->input[0].data + 4 * here;
		vectors->to = call->output[0].data + here;
		vectors->count = tile;
		left = finish->is_signed ? nn_requantize_int8(vectors)
					 : nn_requantize_uint8(vectors);
		done += tile - left;
		if (left) {
			here = at + done * period;
			requantize(call->output[0].data + here, call->input[0].data + 4 * here,
				   scale, VECTOR, finish);
			done++;
		}
	}
	return 0;
}

int nn_requantize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *scale = &call->input[1], *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	struct requantize_vectors *vectors = (struct requantize_vectors *)call->scratch;
	struct progress progress = { .call = call };
	uint32_t rest = output->bytes % VECTOR, channel = 0;
	uint64_t period = scale->dims[0], whole, more;
	struct scales scales;
	HVX_Vector here[4];

	if (sizeof(*vectors) > call->scratch_size)
		return nn_kernels_portable[NN_OPCODE_REQUANTIZE].run(call);
	settle_scales(&scales, scale);
	vectors->out_min = finish.min;
	vectors->out_max = finish.max;

	while (period % VECTOR)
		period *= 2;
	whole = output->bytes / period;
	more = output->bytes - whole * period;
	for (uint64_t i = 0; i < period && i + VECTOR <= output->bytes; i += VECTOR) {
		int ret;

		scales_at(here, &scales, channel);
		for (channel += VECTOR; channel >= scales.channels;)
			channel -= scales.channels;
		ret = run_vectors(&progress, vectors, here, &finish, i, period,
				  whole + (i + VECTOR <= more));
		if (ret)
			return ret;
	}
	if (rest) {
		uint64_t at = output->bytes - rest;

		scales_at(here, &scales, at % scales.channels);
		requantize(output->data + at, call->input[0].data + 4 * at, here, rest, &finish);
	}
	return 0;
}
