// SPDX-License-Identifier: MIT
/*
 * The products of an LSTM's rows with its weights: the four gates of 32 cells at a time, of two
 * rows or one. A vector of weights, of four inputs, is loaded in a packet and multiplied there with
 * both rows: with one row there is but one product in a packet, because no more is loaded.
 */
#include "dsp/kernels/lstm.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/int16/lstm_products.h"

#define INLINE		static inline __attribute__((always_inline))

/* The sum of the products of a row's elements with one byte, four times in `by`, in each lane. */
static inline HVX_Vector sum_row(const uint8_t *row, uint32_t length, HVX_Vector by)
{
	HVX_Vector sum = Q6_V_vzero();

	for (; length > VECTOR; length -= VECTOR, row += VECTOR)
		sum = Q6_Vw_vrmpyacc_VwVubVb(sum, by, load(row));
	sum = Q6_Vw_vrmpyacc_VwVubVb(
		sum, by, Q6_V_vmux_QVV(first_bytes(length), load(row), Q6_V_vzero()));
#pragma unroll
	for (uint32_t bytes = VECTOR / 2; bytes >= sizeof(int32_t); bytes /= 2)
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, bytes));
	return sum;
}

/* The sums of the gates of 32 cells, of one row or of two, and where their weights are. */
struct gates {
	HVX_Vector a[LSTM_GATES], b[LSTM_GATES];
	const uint8_t *weights[LSTM_GATES];
};

/*
 * Adds the products of two rows: a packet for each vector of weights, in which it is loaded. Words of
 * a row are loaded where there is room, behind or just before their use: one is past the row.
 */
static inline void add_two(struct gates *gates, const uint8_t *a, const uint8_t *b, uint32_t steps)
{
	const uint8_t *w0 = gates->weights[0], *w1 = gates->weights[1];
	const uint8_t *w2 = gates->weights[2], *w3 = gates->weights[3];

	asm volatile("{ r12 = memw(%[a]++#4); r14 = memw(%[b]++#4); loop0(1f,%[steps]) }\n"
		     "1:\n"
		     "{ v31.cur = vmem(%[w0]++#1); %[a0].w += vrmpy(v31.ub,r12.b)\n"
		     "  %[b0].w += vrmpy(v31.ub,r14.b); r13 = memw(%[a]++#4) }\n"
		     "{ v31.cur = vmem(%[w1]++#1); %[a1].w += vrmpy(v31.ub,r12.b)\n"
		     "  %[b1].w += vrmpy(v31.ub,r14.b); r15 = memw(%[b]++#4) }\n"
		     "{ v31.cur = vmem(%[w2]++#1); %[a2].w += vrmpy(v31.ub,r12.b)\n"
		     "  %[b2].w += vrmpy(v31.ub,r14.b) }\n"
		     "{ v31.cur = vmem(%[w3]++#1); %[a3].w += vrmpy(v31.ub,r12.b)\n"
		     "  %[b3].w += vrmpy(v31.ub,r14.b); r12 = memw(%[a]++#4) }\n"
		     "{ v31.cur = vmem(%[w0]++#1); %[a0].w += vrmpy(v31.ub,r13.b)\n"
		     "  %[b0].w += vrmpy(v31.ub,r15.b); r14 = memw(%[b]++#4) }\n"
		     "{ v31.cur = vmem(%[w1]++#1); %[a1].w += vrmpy(v31.ub,r13.b)\n"
		     "  %[b1].w += vrmpy(v31.ub,r15.b) }\n"
		     "{ v31.cur = vmem(%[w2]++#1); %[a2].w += vrmpy(v31.ub,r13.b)\n"
		     "  %[b2].w += vrmpy(v31.ub,r15.b) }\n"
		     "{ v31.cur = vmem(%[w3]++#1); %[a3].w += vrmpy(v31.ub,r13.b)\n"
		     "  %[b3].w += vrmpy(v31.ub,r15.b) }:endloop0\n"
		     : [a0] "+v"(gates->a[0]), [a1] "+v"(gates->a[1]), [a2] "+v"(gates->a[2]),
		       [a3] "+v"(gates->a[3]), [b0] "+v"(gates->b[0]), [b1] "+v"(gates->b[1]),
		       [b2] "+v"(gates->b[2]), [b3] "+v"(gates->b[3]), [w0] "+r"(w0), [w1] "+r"(w1),
		       [w2] "+r"(w2), [w3] "+r"(w3), [a] "+r"(a), [b] "+r"(b)
		     : [steps] "r"(steps)
		     : "r12", "r13", "r14", "r15", "v31", "lc0", "sa0", "usr", "memory");
}

/* The same of one row. */
static inline void add_one(struct gates *gates, const uint8_t *a, uint32_t steps)
{
	const uint8_t *w0 = gates->weights[0], *w1 = gates->weights[1];
	const uint8_t *w2 = gates->weights[2], *w3 = gates->weights[3];

	asm volatile("{ r12 = memw(%[a]++#4); loop0(1f,%[steps]) }\n"
		     "1:\n"
		     "{ v31.cur = vmem(%[w0]++#1); %[a0].w += vrmpy(v31.ub,r12.b)\n"
		     "  r13 = memw(%[a]++#4) }\n"
		     "{ v31.cur = vmem(%[w1]++#1); %[a1].w += vrmpy(v31.ub,r12.b) }\n"
		     "{ v31.cur = vmem(%[w2]++#1); %[a2].w += vrmpy(v31.ub,r12.b) }\n"
		     "{ v31.cur = vmem(%[w3]++#1); %[a3].w += vrmpy(v31.ub,r12.b)\n"
		     "  r12 = memw(%[a]++#4) }\n"
		     "{ v31.cur = vmem(%[w0]++#1); %[a0].w += vrmpy(v31.ub,r13.b) }\n"
		     "{ v31.cur = vmem(%[w1]++#1); %[a1].w += vrmpy(v31.ub,r13.b) }\n"
		     "{ v31.cur = vmem(%[w2]++#1); %[a2].w += vrmpy(v31.ub,r13.b) }\n"
		     "{ v31.cur = vmem(%[w3]++#1); %[a3].w += vrmpy(v31.ub,r13.b) }:endloop0\n"
		     : [a0] "+v"(gates->a[0]), [a1] "+v"(gates->a[1]), [a2] "+v"(gates->a[2]),
		       [a3] "+v"(gates->a[3]), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2),
		       [w3] "+r"(w3), [a] "+r"(a)
		     : [steps] "r"(steps)
		     : "r12", "r13", "v31", "lc0", "sa0", "usr", "memory");
}

/* Some blocks of one row, or of two; `offset`: what is taken from the sums of each. */
INLINE void multiply_some(const struct lstm_products *products, uint32_t first, uint32_t count,
			  const uint8_t *x, bool are_two, int32_t *sums)
{
	const uint32_t length = products->length, steps = length / LSTM_STEP;
	const uint32_t gate_bytes = 32 * length, block_bytes = LSTM_LANES * length;
	const HVX_Vector zero = splat_w(four_bytes(products->zero));
	const HVX_Vector *bias = (const HVX_Vector *)products->bias + first * LSTM_GATES;
	const uint8_t *weights = products->weights + first * block_bytes, *second = x + length;
	HVX_Vector *to = (HVX_Vector *)sums + first * LSTM_GATES;
	HVX_Vector *to_second = to + products->blocks * LSTM_GATES;
	HVX_Vector offset = sum_row(x, length, zero);
	HVX_Vector offset_second = are_two ? sum_row(second, length, zero) : offset;

	for (uint32_t i = first; i < first + count; i++) {
		struct gates gates;

		if (i + 1 < products->blocks)
			fetch_ahead(weights + block_bytes, block_bytes);
#pragma unroll
		for (uint32_t g = 0; g < LSTM_GATES; g++, weights += gate_bytes) {
			gates.weights[g] = weights;
			gates.a[g] = Q6_Vw_vsub_VwVw(bias[g], offset);
			gates.b[g] = Q6_Vw_vsub_VwVw(bias[g], offset_second);
		}
		if (are_two)
			add_two(&gates, x, second, steps);
		else
			add_one(&gates, x, steps);
#pragma unroll
		for (uint32_t g = 0; g < LSTM_GATES; g++) {
			to[g] = gates.a[g];
			if (are_two)
				to_second[g] = gates.b[g];
		}
		bias += LSTM_GATES;
		to += LSTM_GATES;
		to_second += LSTM_GATES;
	}
}

void lstm_multiply(const struct lstm_products *products, uint32_t first, uint32_t count,
		   const uint8_t *x, uint32_t rows, int32_t *sums)
{
	for (; rows > 1; rows -= 2) {
		multiply_some(products, first, count, x, true, sums);
		x += 2 * products->length;
		sums += 2 * products->blocks * LSTM_LANES;
	}
	if (rows)
		multiply_some(products, first, count, x, false, sums);
}
