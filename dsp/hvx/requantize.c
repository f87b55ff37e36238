// SPDX-License-Identifier: MIT
/*
 * REQUANTIZE on HVX: 128 elements at a time. Scales repeat after as many elements as are a multiple of
 * the channels and of 128, so vectors that far apart are done one after another with the same
 * constants.
 */
#include "../kernels/checks.h"
#include "../kernels/progress.h"
#include "../kernels/requantize.h"
#include "kernels.h"
#include "requant.h"
#include "requantize_vectors.h"

#define VECTOR_WORK	300	/* of one that is made exactly */

/* Where four times 32 lanes begin, of which the first is `channel`. */
static void list_lanes(uint32_t *lane, uint32_t channels, uint32_t channel)
{
	for (uint32_t i = 0; i < 4; i++) {
		lane[i] = channel;
		for (channel += 32; channel >= channels;)
			channel -= channels;
	}
}

/* Up to 128 elements. */
static void requantize(const struct nn_call *call, uint64_t at, const uint32_t *lane,
		       uint32_t count, const struct finish *finish)
{
	const uint8_t *from = call->input[0].data + 4 * at;
	HVX_Vector acc[4];
	struct requant requant[4];

#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		acc[i] = Q6_V_vzero();
		if (i * 32 < count)
			acc[i] = load_bytes(from + i * VECTOR, min_u32((count - i * 32) * 4, VECTOR));
		requant[i] = requant_lanes(&call->input[1], lane[i]);
	}
	store_bytes(call->output[0].data + at, requant_128(acc, requant, finish), count);
}

/* `count` vectors, the first of element `at`, `period` elements from each other. */
static int run_vectors(struct progress *progress, struct requantize_vectors *vectors,
		       const uint32_t *lane, const struct finish *finish, uint64_t at,
		       uint64_t period, uint64_t count)
{
	const struct nn_call *call = progress->call;
	uint32_t work = VECTOR_WORK + stride_work(4 * period) + stride_work(period);
	uint64_t done = 0;

	for (uint32_t i = 0; i < 4; i++)
		vectors->lane[i] = scale_row(&call->input[1], NN_SCALE_MULTIPLIER, lane[i]);
	vectors->from_step = 4 * period;
	vectors->to_step = period;
	while (done < count) {
		uint64_t here = at + done * period;
		uint64_t tile = count - done;
		uint32_t left;
		int ret;

		/* A division takes as long as three vectors. */
		if (tile * work > NN_TILE)
			tile = NN_TILE / work;
		ret = progress_add(progress, tile * work);
		if (ret)
			return ret;
		vectors->from = call->input[0].data + 4 * here;
		vectors->to = call->output[0].data + here;
		vectors->count = tile;
		left = finish->is_signed ? nn_requantize_int8(vectors)
					 : nn_requantize_uint8(vectors);
		done += tile - left;
		if (left) {
			requantize(call, at + done * period, lane, VECTOR, finish);
			done++;
		}
	}
	return 0;
}

int nn_requantize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	struct requantize_vectors *vectors = (struct requantize_vectors *)call->scratch;
	/* See struct conv2d_constants: sums that are shifted to the right lose bits. */
	uint32_t rough = scale_flags(&call->input[1]) & NN_SCALES_ROUGH ? 2 : 1;
	struct progress progress = { .call = call };
	uint32_t rest = output->bytes % VECTOR, channel = 0, lane[4];
	uint32_t channels = requantize_period(call);
	uint64_t period = channels, whole, more;

	if (sizeof(*vectors) > call->scratch_size)
		return nn_kernels_portable[NN_OPCODE_REQUANTIZE].run(call);
	vectors->more = splat_w(output->zero_point * 0x10000 + 0x8000 + rough);
	vectors->unsure = splat_w(2 * rough + 1);
	vectors->out_min = finish.min;
	vectors->out_max = finish.max;
	vectors->row_bytes = call->input[1].row_bytes;

	while (period % VECTOR)
		period *= 2;
	whole = output->bytes / period;
	more = output->bytes - whole * period;
	for (uint64_t i = 0; i < period && i + VECTOR <= output->bytes; i += VECTOR) {
		int ret;

		list_lanes(lane, channels, channel);
		for (channel += VECTOR; channel >= channels;)
			channel -= channels;
		ret = run_vectors(&progress, vectors, lane, &finish, i, period,
				  whole + (i + VECTOR <= more));
		if (ret)
			return ret;
	}
	if (rest) {
		uint64_t at = output->bytes - rest;

		list_lanes(lane, channels, at % channels);
		requantize(call, at, lane, rest, &finish);
	}
	return 0;
}
