// SPDX-License-Identifier: MIT
/*
 * Reductions of elements side by side (rows.h). Each row becomes a vector of 32 words, or of 4
 * times as many bytes; a vector can also have several rows, if their length is a power of two and
 * they fill it. A tree adds neighbours up, of two vectors at a time, which become one:
 *
 *	|a0 a1 a2 a3 ...|b0 b1 b2 b3 ...|  ->  |a0+a1 a2+a3 ...  b0+b1 b2+b3 ...|
 *
 * until one vector has a word of each row, in their order.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/reduce/rows.h"

static inline HVX_Vector combine(HVX_Vector a, HVX_Vector b, enum reduce_kind kind)
{
	if (kind == REDUCE_MOST)
		return Q6_Vub_vmax_VubVub(a, b);
	if (kind == REDUCE_LEAST)
		return Q6_Vub_vmin_VubVub(a, b);
	return Q6_Vw_vadd_VwVw(a, b);
}

/* Takes 128 bytes more. */
static inline HVX_Vector take(HVX_Vector taken, HVX_Vector v, enum reduce_kind kind)
{
	if (kind == REDUCE_SUMS)
		return Q6_Vuw_vrmpyacc_VuwVubRub(taken, v, 0x01010101);
	if (kind == REDUCE_SQUARES)
		return Q6_Vuw_vrmpyacc_VuwVubVub(taken, v, v);
	return combine(taken, v, kind);
}

/* Returns the elements that change no result. */
static inline HVX_Vector neutral_of(enum reduce_kind kind)
{
	return splat_w(kind == REDUCE_LEAST ? -1 : 0);
}

static inline HVX_Vector take_row(const uint8_t *from, uint32_t count, HVX_Vector flips,
				  enum reduce_kind kind)
{
	HVX_Vector none = neutral_of(kind), taken = none;

	for (; count >= VECTOR; count -= VECTOR, from += VECTOR)
		taken = take(taken, Q6_V_vxor_VV(load(from), flips), kind);
	if (count)
		taken = take(taken, Q6_V_vmux_QVV(first_bytes(count),
						  Q6_V_vxor_VV(load_bytes(from, count), flips),
						  none), kind);
	return taken;
}

/* One step of the tree: neighbours of two vectors, of bytes or words. */
static inline HVX_Vector join(HVX_Vector first, HVX_Vector second, enum reduce_kind kind)
{
	int32_t unit = kind == REDUCE_SUMS || kind == REDUCE_SQUARES ? 4 : 1;
	HVX_VectorPair pair = Q6_W_vdeal_VVR(second, first, -unit);

	return combine(Q6_V_lo_W(pair), Q6_V_hi_W(pair), kind);
}

/* 128 bytes of several rows. */
static inline HVX_Vector take_rows(const uint8_t *from, HVX_Vector flips, enum reduce_kind kind)
{
	return take(neutral_of(kind), Q6_V_vxor_VV(load(from), flips), kind);
}

/* Two steps of the tree at once, while there are four vectors or more. */
static inline uint32_t join_fours(uint8_t (*work)[VECTOR], uint32_t vectors, enum reduce_kind kind)
{
	for (; vectors >= 4; vectors /= 4) {
		for (uint32_t i = 0; i < vectors / 4; i++) {
			const uint8_t (*four)[VECTOR] = (const uint8_t (*)[VECTOR])&work[4 * i];
			HVX_Vector first = join(load(four[0]), load(four[1]), kind);

			store(work[i], join(first, join(load(four[2]), load(four[3]), kind), kind));
		}
	}
	return vectors;
}

static inline __attribute__((always_inline)) void
reduce_rows(const uint8_t *from, uint32_t rows, uint32_t count, int32_t flip,
	    enum reduce_kind kind, uint8_t (*work)[VECTOR], uint32_t *words)
{
	HVX_Vector flips = splat_b(flip), none = neutral_of(kind), v;
	uint32_t vectors = REDUCE_ROWS;

	if (rows == REDUCE_ROWS && count >= 16 && count < VECTOR && !(count & (count - 1))) {
		vectors = count / 16;
		for (uint32_t i = 0; i < vectors; i++, from += 4 * VECTOR) {
			v = join(take_rows(from, flips, kind),
				 take_rows(from + VECTOR, flips, kind), kind);
			store(work[i], join(v, join(take_rows(from + 2 * VECTOR, flips, kind),
						    take_rows(from + 3 * VECTOR, flips, kind),
						    kind), kind));
		}
	} else {
		for (uint32_t i = 0; i < rows; i++, from += count)
			store(work[i], take_row(from, count, flips, kind));
		for (uint32_t i = rows; i < REDUCE_ROWS; i++)
			store(work[i], none);
	}
	if (join_fours(work, vectors, kind) == 2)
		v = join(load(work[0]), load(work[1]), kind);
	else
		v = load(work[0]);
	if (kind == REDUCE_MOST || kind == REDUCE_LEAST) {
		/* Four bytes of each row are left. */
		v = combine(v, Q6_V_vror_VR(v, 2), kind);
		v = combine(v, Q6_V_vror_VR(v, 1), kind);
		v = Q6_V_vand_VV(v, splat_w(0xff));
	}
	store(words, v);
}

#define ROWS(name, kind) \
	static __attribute__((noinline)) void name(const uint8_t *from, uint32_t rows, \
						   uint32_t count, int32_t flip, \
						   uint8_t (*work)[VECTOR], uint32_t *words) \
	{ \
		reduce_rows(from, rows, count, flip, kind, work, words); \
	}

ROWS(sum_rows, REDUCE_SUMS)
ROWS(square_rows, REDUCE_SQUARES)
ROWS(most_of_rows, REDUCE_MOST)
ROWS(least_of_rows, REDUCE_LEAST)

void nn_reduce_rows(const uint8_t *from, uint32_t rows, uint32_t count, int32_t flip,
		    enum reduce_kind kind, uint8_t (*work)[VECTOR], uint32_t words[REDUCE_ROWS])
{
	switch (kind) {
	case REDUCE_SUMS:
		sum_rows(from, rows, count, flip, work, words);
		break;
	case REDUCE_SQUARES:
		square_rows(from, rows, count, flip, work, words);
		break;
	case REDUCE_MOST:
		most_of_rows(from, rows, count, flip, work, words);
		break;
	case REDUCE_LEAST:
		least_of_rows(from, rows, count, flip, work, words);
	}
}

void nn_reduce_pack(const uint32_t words[REDUCE_ROWS], uint8_t *bytes)
{
	HVX_Vector v = load(words);

	v = Q6_Vh_vpacke_VwVw(v, v);
	store_bytes(bytes, Q6_Vb_vpacke_VhVh(v, v), REDUCE_ROWS);
}

void nn_reduce_deal(const uint32_t *from, uint32_t *to)
{
	HVX_VectorPair low = Q6_W_vdeal_VVR(load(from + 32), load(from), -4);
	HVX_VectorPair high = Q6_W_vdeal_VVR(load(from + 96), load(from + 64), -4);
	HVX_VectorPair even = Q6_W_vdeal_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -4);
	HVX_VectorPair odd = Q6_W_vdeal_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -4);

	store(to, Q6_V_lo_W(even));
	store(to + 32, Q6_V_hi_W(even));
	store(to + 64, Q6_V_lo_W(odd));
	store(to + 96, Q6_V_hi_W(odd));
}
