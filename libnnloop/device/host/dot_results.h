/* SPDX-License-Identifier: MIT */
/* Results of sums in vectors of 16, for kernels with VNNI. */
#ifndef NN_HOST_DOT_RESULTS_H
#define NN_HOST_DOT_RESULTS_H

#include <immintrin.h>

#include "results.h"

_Static_assert(BLOCK == 2 * LANES && LANES == 16, "a block is two vectors");

/* As requant() of dsp/kernels/numbers.h and a clamp, whose ends are integers: it may come first. */
static inline __m512i make_results(const struct results *results, __m512i sum, __m512 scale)
{
	__m512 low = _mm512_set1_ps((float)(results->low - results->zero_point));
	__m512 high = _mm512_set1_ps((float)(results->high - results->zero_point));
	__m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);

	/* The instructions take the second of a NaN and a number. */
	value = _mm512_min_ps(_mm512_max_ps(value, low), high);
	return _mm512_add_epi32(_mm512_cvtps_epi32(value), _mm512_set1_epi32(results->zero_point));
}

/* Stores `vectors` vectors of a pixel's outputs from m on, or up to the last. */
static inline __attribute__((always_inline)) void
store_vectors(const struct results *results, const __m512i *sum, uint64_t pixel, uint32_t m,
	      const uint32_t vectors)
{
	uint32_t rest = results->outputs - m;
	uint32_t most = vectors * LANES, mask = rest < 32 ? (1u << rest) - 1 : ~0u;
	uint64_t index = pixel * results->pitch + m;
	__m128i bytes[2] = { _mm_setzero_si128(), _mm_setzero_si128() };

#pragma GCC unroll 2
	for (uint32_t v = 0; v < vectors; v++) {
		if (!results->scale) {
			_mm512_mask_storeu_epi32(results->data + 4 * (index + v * LANES),
						 (__mmask16)(mask >> v * LANES), sum[v]);
			continue;
		}
		bytes[v] = _mm512_cvtepi32_epi8(
			make_results(results, sum[v],
				     _mm512_loadu_ps(results->scale + m + v * LANES)));
	}
	if (!results->scale)
		return;
	if (vectors == 1 && rest >= most)
		_mm_storeu_si128((__m128i *)(results->data + index), bytes[0]);
	else if (vectors == 1)
		_mm_mask_storeu_epi8(results->data + index, mask, bytes[0]);
	else if (rest >= most)
		_mm256_storeu_si256((__m256i *)(results->data + index),
				    _mm256_set_m128i(bytes[1], bytes[0]));
	else
		_mm256_mask_storeu_epi8(results->data + index, mask,
					_mm256_set_m128i(bytes[1], bytes[0]));
}

#endif
