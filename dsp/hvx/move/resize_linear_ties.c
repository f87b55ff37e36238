// SPDX-License-Identifier: MIT
/*
 * Bilinear resizing in float32: elements whose integers are near a half (resize_linear_rows.c) are
 * made again as dsp/kernels/resize_linear.c defines them. resize_linear.c calls this.
 *
 * Where sums have 8 bits of fraction and these are a half, float32's roundings decide, and of
 * random data that is an element of 16 where an image is doubled.
 */
#include "dsp/hvx/move/resize_linear.h"
#include "dsp/hvx/common/float32.h"

/* The numbers of a row, and of a vector in it. */
struct ties {
	const struct resize_job *job;
	const float *columns;	/* weights of the vector's first column */
	const uint8_t *top, *bottom, *piece;	/* of the vector: neighbours, left and right */
	float near, far;	/* weights of the rows */
	float scale_in, scale_out, inverse;
	int32_t zero_in, zero_out, min, max;
	uint32_t flip_out;
	uint8_t *to;
};

static inline float real_of(const struct ties *ties, uint32_t byte)
{
	return (float)((int32_t)byte - ties->zero_in) * ties->scale_in;
}

/* Makes element i of the vector. */
static inline void settle(const struct ties *ties, uint32_t i)
{
	const float *column = ties->columns + 2 * ties->piece[i];
	float sum = column[0] * ties->near * real_of(ties, ties->top[i]) +
		    column[1] * ties->near * real_of(ties, ties->top[VECTOR + i]) +
		    column[0] * ties->far * real_of(ties, ties->bottom[i]) +
		    column[1] * ties->far * real_of(ties, ties->bottom[VECTOR + i]);
	int32_t whole = round_float(divide_fused(sum, ties->scale_out, ties->inverse));

	ties->to[i] = clamp_int(whole + ties->zero_out, ties->min, ties->max) ^ ties->flip_out;
}

/*
 * Stores a bit for each byte of a vector that is 0: in words 0, 8, 16 and 24 those of 32 bytes each.
 */
static inline void find_zeros(uint8_t *bytes)
{
	HVX_VectorPred is_zero = Q6_Q_vcmp_eq_VbVb(*(HVX_Vector *)bytes, Q6_V_vzero());
	HVX_Vector bits = Q6_Vuw_vrmpy_VubRub(Q6_V_vand_QR(is_zero, 0x08040201), 0x01010101);
	/* A word's place in eight, times 4: the bytes of a word begin with its place times 4. */
	HVX_Vector places = Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(Q6_Q_vsetq2_R(VECTOR)), splat_b(1));

	bits = Q6_Vw_vasl_VwVw(bits, Q6_V_vand_VV(places, splat_w(0x1c)));
	bits = Q6_V_vor_VV(bits, Q6_V_vror_VR(bits, 4));
	bits = Q6_V_vor_VV(bits, Q6_V_vror_VR(bits, 8));
	bits = Q6_V_vor_VV(bits, Q6_V_vror_VR(bits, 16));
	*(HVX_Vector *)bytes = bits;
}

static __attribute__((noinline)) void find_all_zeros(uint8_t *near, uint32_t pitch,
						     uint32_t vectors)
{
	for (; vectors; vectors--, near += pitch)
		find_zeros(near);
}

/* Stores bytes that are not 0 for each two elements of which one is within the margin. */
static __attribute__((noinline)) bool find_near(uint8_t *near, uint32_t margin)
{
	HVX_VectorPred is_near = Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * margin + 1), *(HVX_Vector *)near);

	if (!any_lane(is_near))
		return false;
	*(HVX_Vector *)near = Q6_V_vand_QR(is_near, 0x01010101);
	return true;
}

static void settle_words(const struct ties *ties, const uint8_t *near, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += 32) {
		uint32_t bits = *(const uint32_t *)(near + at);

		for (; bits; bits &= bits - 1) {
			uint32_t i = at + __builtin_ctz(bits);

			if (i < bytes)
				settle(ties, i);
		}
	}
}

static void settle_bytes(const struct ties *ties, const uint8_t *near, uint32_t bytes)
{
	for (int32_t i = -1; (i = next_set(near, i)) >= 0 && i < (int32_t)bytes;)
		settle(ties, i);
}

void resize_settle_ties(const struct resize_strip *strip, uint32_t y, const uint32_t slot[2],
			uint8_t *to)
{
	const struct resize_job *job = strip->job;
	const struct resize_layout *layout = &strip->layout;
	const struct nn_call *call = job->call;
	const float *rows = (const float *)call->input[3].data;
	uint32_t channels = job->channels, column = strip->begin / channels;
	uint32_t channel = strip->begin % channels, left = strip->bytes;
	uint32_t columns = VECTOR / channels, rest = VECTOR % channels;
	uint8_t *block = strip->blocks;
	struct ties ties = {
		.job = job,
		.columns = (const float *)call->input[4].data + 2 * column,
		.near = rows[2 * y],
		.far = rows[2 * y + 1],
		.scale_in = call->op->resize_linear.scale_input,
		.scale_out = call->op->resize_linear.scale_output,
		.inverse = job->inverse,
		.zero_in = job->zero_in,
		.zero_out = job->zero_out,
		.min = job->min,
		.max = job->max,
		.flip_out = job->flip_out,
		.to = to,
	};

	if (job->way == RESIZE_COARSE)
		find_all_zeros(block + layout->near, layout->bytes, strip->vectors);
	for (uint32_t i = 0; i < strip->vectors; i++, block += layout->bytes) {
		uint32_t bytes = min_u32(left, VECTOR);

		ties.top = block + layout->slot[slot[0]];
		ties.bottom = block + layout->slot[slot[1]];
		ties.piece = block + layout->piece;
		if (job->way == RESIZE_COARSE)
			settle_words(&ties, block + layout->near, bytes);
		else if (find_near(block + layout->near, job->margin))
			settle_bytes(&ties, block + layout->near, bytes);
		left -= bytes;
		ties.to += VECTOR;
		ties.columns += 2 * columns;
		channel += rest;
		if (channel >= channels) {
			channel -= channels;
			ties.columns += 2;
		}
	}
}
