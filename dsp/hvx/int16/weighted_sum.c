// SPDX-License-Identifier: MIT
/*
 * WEIGHTED_SUM on HVX, 64 channels at a time: sums of even and odd ones in a vector of words each.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"

#define CHANNELS	64	/* in a vector */
#define SOME		1024u	/* products of such vectors between two looks at progress */

/* Loads 64 elements, or the last ones that there are. */
static inline HVX_Vector load_elements(const int16_t *from, const int16_t *end)
{
	uint64_t bytes = (uint64_t)(end - from) * sizeof(*from);

	return bytes < VECTOR ? load_bytes(from, bytes) : load(from);
}

/* Adds `count` products of vectors, each `channels` elements behind the last. */
static HVX_VectorPair add_products(HVX_VectorPair sum, const int16_t *x, const int16_t *x_end,
				   const int16_t *w, const int16_t *w_end, uint32_t channels,
				   uint32_t count)
{
	/* All but the last rows have whole vectors behind them. */
	for (; count && x_end - x >= CHANNELS && w_end - w >= CHANNELS; count--) {
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, load(x), load(w));
		x += channels;
		w += channels;
	}
	for (; count; count--) {
		sum = Q6_Ww_vmpyacc_WwVhVh(sum, load_elements(x, x_end), load_elements(w, w_end));
		x += channels;
		w += channels;
	}
	return sum;
}

/* The sums of up to 64 channels of a row, from channel c on. */
static int sum_channels(struct progress *progress, uint32_t row, uint32_t c, uint32_t count)
{
	const struct nn_call *call = progress->call;
	uint32_t length = call->input[0].dims[1], channels = call->input[0].dims[2];
	const int16_t *x_end = (const int16_t *)(call->input[0].data + call->input[0].bytes);
	const int16_t *w = (const int16_t *)call->input[1].data + c;
	const int16_t *w_end = (const int16_t *)(call->input[1].data + call->input[1].bytes);
	const int16_t *x = (const int16_t *)call->input[0].data + (uint64_t)row * length * channels + c;
	const int32_t *bias = (const int32_t *)call->input[2].data + c;
	int32_t *output = (int32_t *)call->output[0].data + (uint64_t)row * channels + c;
	HVX_VectorPair sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
	uint32_t step = 4 + 2 * stride_work(2ull * channels);

	for (uint32_t j = 0; j < length; j += SOME) {
		uint32_t some = min_u32(length - j, SOME);
		int ret = progress_add(progress, 64 + step * some);

		if (ret)
			return ret;
		sum = add_products(sum, x, x_end, w, w_end, channels, some);
		x += (uint64_t)some * channels;
		w += (uint64_t)some * channels;
	}
	sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -4);
	for (uint32_t i = 0; i < count; i += 32) {
		uint32_t bytes = 4 * min_u32(count - i, 32);
		HVX_Vector v = i ? Q6_V_hi_W(sum) : Q6_V_lo_W(sum);

		v = Q6_Vw_vadd_VwVw(v, load_bytes(bias + i, bytes));
		store_bytes(output + i, v, bytes);
	}
	return 0;
}

int nn_weighted_sum_hvx(const struct nn_call *call)
{
	uint32_t channels = call->output[0].dims[1];
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < call->output[0].dims[0]; row++) {
		for (uint32_t c = 0; c < channels; c += CHANNELS) {
			int ret = sum_channels(&progress, row, c, min_u32(channels - c, CHANNELS));

			if (ret)
				return ret;
		}
	}
	return 0;
}
