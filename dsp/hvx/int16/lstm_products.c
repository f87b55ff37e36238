// SPDX-License-Identifier: MIT
/*
 * The products of an LSTM's rows with its weights: the four gates of 32 cells at a time, of two
 * rows or one, in assembly (lstm_multiply.S).
 */
#include "dsp/kernels/lstm.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/int16/lstm_multiply.h"
#include "dsp/hvx/int16/lstm_products.h"

/* The products of a vector of two rows' elements with one byte, four times in `by`. */
static inline HVX_VectorPair add_elements(HVX_VectorPair sums, HVX_Vector a, HVX_Vector b,
					  HVX_Vector by)
{
	return Q6_W_vcombine_VV(Q6_Vw_vrmpyacc_VwVubVb(Q6_V_hi_W(sums), by, b),
				Q6_Vw_vrmpyacc_VwVubVb(Q6_V_lo_W(sums), by, a));
}

/*
 * The sum of a row's elements times the zero of the weights, in each lane, of two rows of `length` bytes:
 * it is taken from the sums of products.
 */
static HVX_VectorPair sum_two(const uint8_t *row, uint32_t length, uint32_t zero)
{
	const HVX_Vector by = splat_w(four_bytes(zero)), none = Q6_V_vzero();
	const uint8_t *second = row + length;
	HVX_VectorPair sums = Q6_W_vcombine_VV(none, none);
	HVX_VectorPred rest;

#pragma clang loop unroll(disable)
	for (; length > VECTOR; length -= VECTOR, row += VECTOR, second += VECTOR)
		sums = add_elements(sums, load(row), load(second), by);
	rest = first_bytes(length);
	sums = add_elements(sums, Q6_V_vmux_QVV(rest, load(row), none),
			    Q6_V_vmux_QVV(rest, load(second), none), by);
#pragma unroll
	for (uint32_t bytes = VECTOR / 2; bytes >= sizeof(int32_t); bytes /= 2) {
		HVX_Vector a = Q6_V_lo_W(sums), b = Q6_V_hi_W(sums);

		sums = Q6_W_vcombine_VV(Q6_Vw_vadd_VwVw(b, Q6_V_vror_VR(b, bytes)),
					Q6_Vw_vadd_VwVw(a, Q6_V_vror_VR(a, bytes)));
	}
	return sums;
}

void lstm_multiply(const struct lstm_products *products, uint32_t first, uint32_t count,
		   const uint8_t *x, uint32_t rows, int32_t *sums)
{
	const uint32_t length = products->length, blocks = products->blocks;
	const uint32_t gate_bytes = 32 * length, block_bytes = LSTM_LANES * length;
	const uint8_t *weights = products->weights + first * block_bytes;
	const int32_t *bias = products->bias + first * LSTM_LANES;
	uint32_t ahead = count - (first + count == blocks);

	sums += first * LSTM_LANES;
	if (ahead)
		fetch_ahead(weights + block_bytes, ahead * block_bytes);
	for (; rows > 1; rows -= 2) {
		HVX_VectorPair offset = sum_two(x, length, products->zero);
		HVX_Vector none = Q6_V_vzero();

		lstm_multiply_two(weights, gate_bytes, x, count | blocks << 16, bias, sums,
				  Q6_Vw_vsub_VwVw(none, Q6_V_lo_W(offset)),
				  Q6_Vw_vsub_VwVw(none, Q6_V_hi_W(offset)));
		x += 2 * length;
		sums += 2 * blocks * LSTM_LANES;
	}
	if (rows)
		lstm_multiply_one(weights, gate_bytes, x, count, bias, sums,
				  splat_w(four_bytes(products->zero)));
}
