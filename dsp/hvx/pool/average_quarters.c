// SPDX-License-Identifier: MIT
/*
 * Sums of every fourth element of windows that have whole rows (average_quarters.h), row after row:
 * what they are after each row bounds what float sums can be off by, where a bound for any elements
 * would be too wide.
 */
#include "dsp/kernels/average_float.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/pool/average_quarters.h"

#define ROW_WORK	128u
#define PIXEL_WORK	4u

static __attribute__((noinline)) void clear_sums(struct quarter_sums *sums)
{
	HVX_Vector zero = Q6_V_vzero();

	for (uint32_t i = 0; i < VECTOR; i += 32) {
		for (uint32_t k = 0; k < 4; k++)
			store(&sums->sum[k][i], zero);
		store(&sums->size[i], zero);
	}
}

/* Adds up `count` vectors, the elements of a row that are of one quarter. */
static inline HVX_VectorPair add_row(const uint8_t *from, uint32_t step, uint32_t count,
				     uint32_t bytes, HVX_Vector flip)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero);

	for (; count; count--, from += step) {
		HVX_Vector v = bytes < VECTOR ? load_bytes(from, bytes) : load(from);

		sum = Q6_Wh_vaddacc_WhVubVub(sum, Q6_V_vxor_VV(v, flip), zero);
	}
	return sum;
}

/* Adds a row's words to a sum, and the sum's magnitude. */
static inline void take_words(int32_t *sum, uint32_t *size, HVX_Vector words, HVX_Vector zero)
{
	HVX_Vector all = Q6_Vw_vadd_VwVw(load(sum), Q6_Vw_vsub_VwVw(words, zero));

	store(sum, all);
	store(size, Q6_Vw_vadd_VwVw(load(size), Q6_Vw_vabs_Vw(all)));
}

static __attribute__((noinline)) void take_row(struct quarter_sums *sums, const uint8_t *from,
					       uint32_t channels, uint32_t width, uint32_t bytes,
					       int32_t flip, int32_t zero_point)
{
	HVX_Vector zero = splat_w((int32_t)(width / 4) * (zero_point + flip));

	for (uint32_t k = 0; k < 4; k++, from += channels) {
		HVX_VectorPair sum = add_row(from, 4 * channels, width / 4, bytes, splat_b(flip));
		HVX_VectorPair even = Q6_Wuw_vzxt_Vuh(Q6_V_lo_W(sum));
		HVX_VectorPair odd = Q6_Wuw_vzxt_Vuh(Q6_V_hi_W(sum));

		take_words(&sums->sum[k][0], &sums->size[0], Q6_V_lo_W(even), zero);
		take_words(&sums->sum[k][32], &sums->size[32], Q6_V_hi_W(even), zero);
		take_words(&sums->sum[k][64], &sums->size[64], Q6_V_lo_W(odd), zero);
		take_words(&sums->sum[k][96], &sums->size[96], Q6_V_hi_W(odd), zero);
	}
}

int nn_average_quarters(struct progress *progress, const uint8_t *image,
			const struct pool_window *window, uint32_t c, uint32_t bytes,
			struct quarter_sums *sums)
{
	const struct nn_tensor *input = &progress->call->input[0];
	uint32_t width = input->dims[2], channels = input->dims[3];
	const uint8_t *from = image + (uint64_t)window->top * width * channels + c;

	clear_sums(sums);
	for (uint32_t y = window->top; y < window->bottom; y++, from += width * channels) {
		int ret = progress_add(progress, ROW_WORK + width * (PIXEL_WORK +
								     stride_work(channels)));

		if (ret)
			return ret;
		take_row(sums, from, channels, width, bytes, flip_of(input), input->zero_point);
	}
	return 0;
}
