// SPDX-License-Identifier: MIT
/*
 * The packing of a right matrix (pack.h). A vector of weights is four rows' elements of each of 32
 * columns:
 *
 *	[K, P]	rows k to k + 3 are shuffled, byte by byte, and then by two: four vectors at a time
 *	[P, K]	words of four elements are transposed, 32 rows and 16 words at a time
 *
 * Behind the last row weights are 0, whatever the inputs are there. The sums of columns, which
 * the bias is made of, are added up on the way.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/matmul/pack.h"

#define ONES		0x01010101
#define FOUR_WORK	32u	/* of four rows' 128 columns */
#define CHUNK_WORK	192u	/* of 32 columns' CHUNK elements */
#define PIECE		16u	/* fours between two looks at progress */
#define CHUNK		64u	/* elements of a column */
#define CHUNK_VECTORS	(CHUNK / 4)

static HVX_Vector load_some(const uint8_t *at, uint32_t bytes, const uint8_t *end)
{
	return end - at >= VECTOR ? load(at) : load_bytes(at, bytes);
}

static void store_bias(const struct matmul_right *right, HVX_Vector sum, int32_t *bias)
{
	HVX_Vector zeros = splat_w(right->inputs * right->zero);
	HVX_Vector centered = Q6_Vw_vsub_VwVw(sum, zeros);

	/* |zero_left| is at most 255, so that its product with a sum is one of halves. */
	*(HVX_Vector *)bias = Q6_Vw_vmpyi_VwRh(centered, -right->zero_left * 0x10000 |
							 (-right->zero_left & 0xffff));
}

/* Rows side by side */

struct four_rows {
	HVX_Vector row[4];
};

/* Stores four rows' elements of up to four times 32 columns, and adds them to the sums. */
static inline __attribute__((always_inline)) void
store_four(const struct four_rows *rows, uint8_t *to, uint32_t block_bytes, uint32_t blocks,
	   HVX_Vector *sum)
{
	HVX_VectorPair low = Q6_W_vshuff_VVR(rows->row[1], rows->row[0], -1);
	HVX_VectorPair high = Q6_W_vshuff_VVR(rows->row[3], rows->row[2], -1);
	HVX_VectorPair first = Q6_W_vshuff_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -2);
	HVX_VectorPair second;

	*(HVX_Vector *)to = Q6_V_lo_W(first);
	sum[0] = Q6_Vuw_vrmpyacc_VuwVubRub(sum[0], Q6_V_lo_W(first), ONES);
	if (blocks == 1)
		return;
	*(HVX_Vector *)(to + block_bytes) = Q6_V_hi_W(first);
	sum[1] = Q6_Vuw_vrmpyacc_VuwVubRub(sum[1], Q6_V_hi_W(first), ONES);
	if (blocks == 2)
		return;
	second = Q6_W_vshuff_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -2);
	*(HVX_Vector *)(to + 2 * block_bytes) = Q6_V_lo_W(second);
	sum[2] = Q6_Vuw_vrmpyacc_VuwVubRub(sum[2], Q6_V_lo_W(second), ONES);
	if (blocks == 3)
		return;
	*(HVX_Vector *)(to + 3 * block_bytes) = Q6_V_hi_W(second);
	sum[3] = Q6_Vuw_vrmpyacc_VuwVubRub(sum[3], Q6_V_hi_W(second), ONES);
}

/* Packs `fours` times four rows, behind all of whose columns a vector can be read. */
static inline __attribute__((always_inline)) void
pack_fours(const struct matmul_right *right, const uint8_t *from, uint8_t *to,
	   uint32_t block_bytes, uint32_t blocks, uint32_t fours, HVX_Vector *sum)
{
	HVX_Vector flips = splat_b(right->flip);
	uint32_t pitch = right->pitch;

	for (; fours; fours--, from += 4 * pitch, to += VECTOR) {
		struct four_rows rows = { {
			Q6_V_vxor_VV(load(from), flips),
			Q6_V_vxor_VV(load(from + pitch), flips),
			Q6_V_vxor_VV(load(from + 2 * pitch), flips),
			Q6_V_vxor_VV(load(from + 3 * pitch), flips),
		} };

		store_four(&rows, to, block_bytes, blocks, sum);
	}
}

/* Packs the last rows, one to four, or others near the operand's end. */
static void pack_few(const struct matmul_right *right, const uint8_t *from, uint8_t *to,
		     uint32_t block_bytes, uint32_t blocks, uint32_t columns, uint32_t count,
		     HVX_Vector *sum)
{
	HVX_Vector flips = splat_b(right->flip);
	struct four_rows rows;

	for (uint32_t i = 0; i < 4; i++) {
		rows.row[i] = Q6_V_vzero();
		if (i < count)
			rows.row[i] = Q6_V_vxor_VV(load_some(from + i * right->pitch, columns,
							     right->end), flips);
	}
	store_four(&rows, to, block_bytes, blocks, sum);
}

/* Packs up to 128 columns. */
static int pack_columns(struct progress *progress, const struct matmul_right *right,
			const uint8_t *from, uint32_t columns, uint8_t *weights, int32_t *bias)
{
	uint32_t block_bytes = 32 * round_up(right->inputs, 8);
	uint32_t blocks = (columns + 31) / 32, pitch = right->pitch, left = right->inputs;
	uint32_t work = FOUR_WORK + 4 * stride_work(pitch);
	HVX_Vector sum[4] = { Q6_V_vzero(), Q6_V_vzero(), Q6_V_vzero(), Q6_V_vzero() };
	uint8_t *to = weights;

	while (left) {
		uint32_t fours = min_u32(left / 4, PIECE);
		int ret = progress_add(progress, (fours + 1) * work);

		if (ret)
			return ret;
		while (fours && (4ull * fours - 1) * pitch + VECTOR >
				(uint32_t)(right->end - from))
			fours--;
		if (!fours) {
			uint32_t count = min_u32(left, 4);

			pack_few(right, from, to, block_bytes, blocks, columns, count, sum);
			from += count * pitch;
			to += VECTOR;
			left -= count;
			continue;
		}
		if (blocks == 4)
			pack_fours(right, from, to, block_bytes, 4, fours, sum);
		else if (blocks == 2)
			pack_fours(right, from, to, block_bytes, 2, fours, sum);
		else
			pack_fours(right, from, to, block_bytes, blocks, fours, sum);
		from += 4 * fours * pitch;
		to += fours * VECTOR;
		left -= 4 * fours;
	}
	for (uint32_t i = 0; i < blocks; i++) {
		if ((to - weights) % (2 * VECTOR))
			*(HVX_Vector *)(to + i * block_bytes) = Q6_V_vzero();
		store_bias(right, sum[i], bias + 32 * i);
	}
	return 0;
}

/* Columns side by side */

/* A stage of the transposition: words of vectors i and i + 8 take turns in two of them. */
#define STAGE(to, from) do { \
	_Pragma("unroll") \
	for (uint32_t i = 0; i < 8; i++) { \
		HVX_VectorPair pair = Q6_W_vshuff_VVR(from[i + 8], from[i], -4); \
		\
		to[2 * i] = Q6_V_lo_W(pair); \
		to[2 * i + 1] = Q6_V_hi_W(pair); \
	} \
} while (0)

/*
 * Packs the first `vectors` vectors, of which `mask` is what the last one keeps. Of `v`, vector r
 * has words 0 to 15 of columns r and r + 16 in turns.
 */
static inline __attribute__((always_inline)) HVX_Vector
store_chunk(HVX_Vector *v, uint8_t flip, uint8_t *to, uint32_t vectors, uint32_t mask,
	    HVX_Vector sum)
{
	HVX_Vector flips = splat_b(flip), t[CHUNK_VECTORS];

	STAGE(t, v);
	STAGE(v, t);
	STAGE(t, v);
	STAGE(v, t);
	if (vectors == CHUNK_VECTORS && mask == ~0u) {
#pragma unroll
		for (uint32_t i = 0; i < CHUNK_VECTORS; i++) {
			HVX_Vector w = Q6_V_vxor_VV(v[i], flips);

			((HVX_Vector *)to)[i] = w;
			sum = Q6_Vuw_vrmpyacc_VuwVubRub(sum, w, ONES);
		}
		return sum;
	}
#pragma unroll
	for (uint32_t i = 0; i < CHUNK_VECTORS; i++) {
		if (i < vectors) {
			HVX_Vector w = Q6_V_vxor_VV(v[i], flips);

			if (i + 1 == vectors)
				w = Q6_V_vand_VV(w, splat_w(mask));
			((HVX_Vector *)to)[i] = w;
			sum = Q6_Vuw_vrmpyacc_VuwVubRub(sum, w, ONES);
		}
	}
	return sum;
}

/* Columns of 64 elements, in aligned vectors of two. */
static __attribute__((noinline)) HVX_Vector pack_aligned(const struct matmul_right *right,
							 const uint8_t *from, uint8_t *to,
							 HVX_Vector sum)
{
	const HVX_Vector *at = (const HVX_Vector *)from;
	HVX_Vector v[CHUNK_VECTORS];

#pragma unroll
	for (uint32_t i = 0; i < 8; i++) {
		HVX_VectorPair pair = Q6_W_vshuff_VVR(at[i + 8], at[i], -4);

		v[2 * i] = Q6_V_lo_W(pair);
		v[2 * i + 1] = Q6_V_hi_W(pair);
	}
	return store_chunk(v, right->flip, to, CHUNK_VECTORS, ~0u, sum);
}

/* Columns behind all of which a vector can be read. */
static __attribute__((noinline)) HVX_Vector pack_chunk(const struct matmul_right *right,
						       const uint8_t *from, uint8_t *to,
						       uint32_t vectors, uint32_t mask,
						       HVX_Vector sum)
{
	uint32_t pitch = right->pitch;
	HVX_Vector v[CHUNK_VECTORS];

#pragma unroll
	for (uint32_t i = 0; i < 16; i++, from += pitch)
		v[i] = Q6_V_lo_W(Q6_W_vshuff_VVR(load(from + 16 * pitch), load(from), -4));
	return store_chunk(v, right->flip, to, vectors, mask, sum);
}

/* Any columns; behind the last, that one again. */
static __attribute__((noinline)) HVX_Vector pack_last(const struct matmul_right *right,
						      const uint8_t *from, uint8_t *to,
						      uint32_t columns, uint32_t elements,
						      uint32_t mask, HVX_Vector sum)
{
	HVX_Vector v[CHUNK_VECTORS];

	for (uint32_t i = 0; i < 16; i++) {
		const uint8_t *low = from + min_u32(i, columns - 1) * right->pitch;
		const uint8_t *high = from + min_u32(i + 16, columns - 1) * right->pitch;

		v[i] = Q6_V_lo_W(Q6_W_vshuff_VVR(load_some(high, elements, right->end),
						 load_some(low, elements, right->end), -4));
	}
	return store_chunk(v, right->flip, to, (elements + 3) / 4, mask, sum);
}

/* Packs up to 32 columns. */
static int pack_turned(struct progress *progress, const struct matmul_right *right,
		       const uint8_t *from, uint32_t columns, uint8_t *weights, int32_t *bias)
{
	uint32_t pitch = right->pitch, span = (columns - 1) * pitch + VECTOR;
	uint32_t work = CHUNK_WORK + 32 * stride_work(pitch);
	bool is_aligned = pitch == CHUNK && (uintptr_t)from % VECTOR == 0;
	HVX_Vector sum = Q6_V_vzero();
	uint8_t *to = weights;

	for (uint32_t k = 0; k < right->inputs; k += CHUNK, from += CHUNK) {
		uint32_t elements = min_u32(right->inputs - k, CHUNK), vectors = (elements + 3) / 4;
		uint32_t mask = ~0u >> (-elements % 4 * 8);
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		if (columns == 32 && is_aligned)
			sum = pack_aligned(right, from, to, sum);
		else if (columns == 32 && span <= (uint32_t)(right->end - from))
			sum = pack_chunk(right, from, to, vectors, mask, sum);
		else
			sum = pack_last(right, from, to, columns, elements, mask, sum);
		to += vectors * VECTOR;
	}
	if ((to - weights) % (2 * VECTOR))
		*(HVX_Vector *)to = Q6_V_vzero();
	store_bias(right, sum, bias);
	return 0;
}

int nn_matmul_pack(struct progress *progress, const struct matmul_right *right, uint8_t *weights,
		   int32_t *bias)
{
	uint32_t block_bytes = 32 * round_up(right->inputs, 8);
	uint32_t step = right->is_turned ? 32 : VECTOR;
	const uint8_t *from = right->from;
	int ret = 0;

	for (uint32_t p = 0; p < right->columns && !ret; p += step) {
		uint32_t columns = min_u32(right->columns - p, step);

		if (right->is_turned)
			ret = pack_turned(progress, right, from, columns, weights, bias);
		else
			ret = pack_columns(progress, right, from, columns, weights, bias);
		from += right->is_turned ? (uint64_t)step * right->pitch : step;
		weights += step / 32 * block_bytes;
		bias += step;
	}
	return ret;
}
