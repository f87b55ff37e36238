// SPDX-License-Identifier: MIT
/*
 * See conv2d_strip.h: the sums of a convolution's input elements, which are pixels or windows'
 * rows.
 *
 * A vector is multiplied with ones, which makes 32 sums of four bytes, and two vectors of sums are
 * folded into one of sums of two neighbours, until there are 32 sums of elements. As long as sums
 * fit 16 bits that takes a packing and a multiplication with ones, else a permutation that takes
 * twice as much of a packet, and an addition.
 */
#include "../kernels/checks.h"
#include "conv2d_strip.h"
#include "vector.h"

static inline HVX_Vector fold_halfwords(HVX_Vector a, HVX_Vector b)
{
	return Q6_Vw_vdmpy_VhRb(Q6_Vh_vpacke_VwVw(b, a), 0x01010101);
}

static inline HVX_Vector fold_words(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair pair = Q6_W_vdeal_VVR(b, a, -4);

	return Q6_Vw_vadd_VwVw(Q6_V_lo_W(pair), Q6_V_hi_W(pair));
}

static inline HVX_Vector sum_fours(HVX_Vector sum, HVX_Vector v, HVX_Vector ones, bool is_signed)
{
	return is_signed ? Q6_Vw_vrmpyacc_VwVbVb(sum, v, ones)
			 : Q6_Vuw_vrmpyacc_VuwVubVub(sum, v, ones);
}

#define GROUPS	64	/* of 32 elements, between two reports of progress */

/* Elements of a vector or less, of which a vector holds several or one */

/* 2, 4, ... vectors, `step` bytes apart, depth first, so that few are alive at a time. */
#define FOLD_1(at)	sum_fours(Q6_V_vzero(), load(at), ones, is_signed)
#define FOLD_2(at)	fold_halfwords(FOLD_1(at), FOLD_1((at) + step))
#define FOLD_4(at)	fold_halfwords(FOLD_2(at), FOLD_2((at) + 2 * step))
#define FOLD_8(at)	fold_halfwords(FOLD_4(at), FOLD_4((at) + 4 * step))
#define FOLD_16(at)	fold_halfwords(FOLD_8(at), FOLD_8((at) + 8 * step))
#define FOLD_32(at)	fold_halfwords(FOLD_16(at), FOLD_16((at) + 16 * step))

#define ADD_MANY(FOLD) \
	for (uint32_t i = 0; i < groups; i++, row += 32 * pitch) \
		store(&sums[32 * i], Q6_Vw_vmpyi_VwRub(FOLD(row), zeros))

/* `groups` of 32 elements. A loop for each pitch, so that none has to look at it. */
static inline __attribute__((always_inline)) void
add_narrow(int32_t *sums, const uint8_t *row, uint32_t groups, uint32_t pitch, HVX_Vector ones,
	   uint32_t zeros, bool is_signed)
{
	uint32_t step = VECTOR;

	switch (pitch) {
	case 8:
		ADD_MANY(FOLD_2);
		return;
	case 16:
		ADD_MANY(FOLD_4);
		return;
	case 32:
		ADD_MANY(FOLD_8);
		return;
	case 64:
		ADD_MANY(FOLD_16);
		return;
	}
	step = pitch;
	ADD_MANY(FOLD_32);
}

/* Elements of any size */

struct elements {
	const uint8_t *end;	/* behind which nothing may be read */
	uint32_t pitch;
	uint32_t vectors;	/* of an element, beside the last one, */
	uint32_t last;		/* which begins here, so that it ends with the element; */
	HVX_Vector ones;	/* where that one's bytes count, which are not in the others */
	uint32_t bytes;
	uint32_t readable;	/* of an element: bytes, or a vector if that is more */
};

/*
 * Of eight elements, a packet for a vector: each is multiplied while the next is loaded. `at` and
 * `half` are the first's and the fifth's.
 */
/* A vector each, */
#define BEGIN_EIGHT(W, UB) \
	asm volatile("{ m0 = %[pitch] }\n" \
		     "{ v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t0]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t1]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t2]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t3]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t4]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t5]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t6]." W " = vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t7]." W " = vrmpy(v31." UB ",%[ones]." UB ") }\n" \
		     : [t0] "=&v"(t[0]), [t1] "=&v"(t[1]), [t2] "=&v"(t[2]), [t3] "=&v"(t[3]), \
		       [t4] "=&v"(t[4]), [t5] "=&v"(t[5]), [t6] "=&v"(t[6]), [t7] "=v"(t[7]), \
		       [a] "+r"(at), [b] "+r"(half) \
		     : [pitch] "r"(elements->pitch), [ones] "v"(elements->ones) \
		     : "v31", "m0", "memory")

/* and `n` more. Behind them another is read. */
#define GO_ON_EIGHT(W, UB) \
	asm volatile("{ m0 = %[pitch] }\n" \
		     "{ v31 = vmemu(%[a]++m0); loop0(1f,%[n]) }\n" \
		     "1:\n" \
		     "{ %[t0]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t1]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t2]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0) }\n" \
		     "{ %[t3]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0);" \
		     "  %[a] = add(%[a],%[back]) }\n" \
		     "{ %[t4]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t5]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t6]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[b]++m0) }\n" \
		     "{ %[t7]." W " += vrmpy(v31." UB ",%[ones]." UB "); v31 = vmemu(%[a]++m0);" \
		     "  %[b] = add(%[b],%[back]) }:endloop0\n" \
		     : [t0] "+v"(t[0]), [t1] "+v"(t[1]), [t2] "+v"(t[2]), [t3] "+v"(t[3]), \
		       [t4] "+v"(t[4]), [t5] "+v"(t[5]), [t6] "+v"(t[6]), [t7] "+v"(t[7]), \
		       [a] "+r"(at), [b] "+r"(half) \
		     : [n] "r"(elements->vectors), [pitch] "r"(elements->pitch), \
		       [back] "r"(VECTOR - 4 * elements->pitch), [ones] "v"(splat_b(1)) \
		     : "v31", "m0", "lc0", "sa0", "memory")

/* One element, of which no byte past its end is read. */
static HVX_Vector add_bytes(const struct elements *elements, const uint8_t *at, bool is_signed)
{
	HVX_Vector sum = Q6_V_vzero(), last;

	for (uint32_t i = 0; i < elements->vectors; i++)
		sum = sum_fours(sum, load(at + i * VECTOR), splat_b(1), is_signed);
	last = load_bytes(at + elements->last, min_u32(elements->bytes, VECTOR));
	return sum_fours(sum, last, elements->ones, is_signed);
}

/*
 * The sums of eight vectors, each in four lanes of one. Those of 16 bytes of 8 vectors fit 15 bits.
 */
static inline HVX_Vector fold_eight(const HVX_Vector *t, bool is_wide)
{
	if (is_wide)
		return fold_words(fold_words(fold_words(t[0], t[1]), fold_words(t[2], t[3])),
				  fold_words(fold_words(t[4], t[5]), fold_words(t[6], t[7])));
	return fold_halfwords(
		fold_halfwords(fold_halfwords(t[0], t[1]), fold_halfwords(t[2], t[3])),
		fold_halfwords(fold_halfwords(t[4], t[5]), fold_halfwords(t[6], t[7])));
}

/* Of eight elements, of which all vectors may be read. The last of each comes first. */
static inline __attribute__((always_inline)) HVX_Vector
add_eight(const struct elements *elements, const uint8_t *first, bool is_signed)
{
	const uint8_t *at = first + elements->last, *half = at + 4 * elements->pitch;
	HVX_Vector t[8];

	if (is_signed)
		BEGIN_EIGHT("w", "b");
	else
		BEGIN_EIGHT("uw", "ub");
	if (!elements->vectors)
		return fold_eight(t, false);
	at = first;
	half = first + 4 * elements->pitch;
	if (is_signed)
		GO_ON_EIGHT("w", "b");
	else
		GO_ON_EIGHT("uw", "ub");
	return fold_eight(t, elements->vectors > 7);
}

/* Of 32 elements. */
static inline __attribute__((always_inline)) HVX_Vector
add_32(const struct elements *elements, const uint8_t *at, bool is_signed)
{
	uint32_t eight = 8 * elements->pitch;
	HVX_Vector low, high;

	low = fold_words(add_eight(elements, at, is_signed),
			 add_eight(elements, at + eight, is_signed));
	high = fold_words(add_eight(elements, at + 2 * eight, is_signed),
			  add_eight(elements, at + 3 * eight, is_signed));
	return fold_words(low, high);
}

/* Of fewer than eight, or of the last. */
static __attribute__((noinline)) HVX_Vector add_last(const struct elements *elements,
						     const uint8_t *at, uint32_t count,
						     bool is_signed)
{
	HVX_Vector t[8];

	for (uint32_t i = 0; i < 8; i++, at += elements->pitch)
		t[i] = i < count ? add_bytes(elements, at, is_signed) : Q6_V_vzero();
	return fold_eight(t, true);
}

/* `count` elements, up to 32; what is behind them makes sums that nobody reads. */
static HVX_Vector add_last_32(const struct elements *elements, const uint8_t *at, uint32_t count,
			      bool is_signed)
{
	uint32_t pitch = elements->pitch, readable = 7 * pitch + elements->readable;
	HVX_Vector t[4];

	for (uint32_t i = 0; i < 4; i++, at += 8 * pitch)
		t[i] = count <= 8 * i		       ? Q6_V_vzero()
		       : at + readable <= elements->end ? add_eight(elements, at, is_signed)
							: add_last(elements, at, count - 8 * i,
								   is_signed);
	return fold_words(fold_words(t[0], t[1]), fold_words(t[2], t[3]));
}

/* Again in every `pitch` lanes, if that divides a vector. */
static HVX_Vector repeat(HVX_Vector ones, uint32_t pitch)
{
	for (; pitch < VECTOR && (pitch & (pitch - 1)) == 0; pitch *= 2)
		ones = Q6_V_vor_VV(ones, Q6_V_vror_VR(ones, VECTOR - pitch));
	return ones;
}

int conv2d_add_elements(struct progress *progress, int32_t *sums, const uint8_t *row,
			uint32_t elements, uint32_t pitch, uint32_t bytes, uint32_t slack,
			bool is_signed)
{
	uint32_t work = 32 * (16 + bytes / 32 + memory_work(pitch));
	uint32_t zeros = (uint32_t)progress->call->input[1].zero_point * 0x01010101;
	uint32_t last_bytes = (bytes - 1) % VECTOR + 1;
	HVX_Vector last = Q6_V_vand_QR(first_bytes(last_bytes), 0x01010101);
	HVX_Vector ones = repeat(last, pitch);
	uint32_t narrow = pitch <= 64 && (pitch & (pitch - 1)) == 0 ? 32 * pitch
								     : 31 * pitch + VECTOR;
	struct elements all = {
		.end = row + (elements - 1) * pitch + bytes + slack,
		.pitch = pitch,
		.vectors = (bytes - 1) / VECTOR,
		.last = bytes < VECTOR ? 0 : bytes - VECTOR,
		.ones = bytes < VECTOR ? last : Q6_V_vror_VR(last, last_bytes),
		.bytes = bytes,
		.readable = bytes < VECTOR ? VECTOR : bytes,
	};

	for (uint32_t i = 0; i < elements;) {
		uint32_t left = elements - i, groups = 1, readable = all.end - row;
		bool is_narrow = pitch <= VECTOR && narrow <= readable;
		int ret;

		if (is_narrow)
			groups = min_u32(min_u32((left + 31) / 32, GROUPS),
					 (readable - narrow) / (32 * pitch) + 1);
		ret = progress_add(progress, groups * work);
		if (ret)
			return ret;
		if (is_narrow && is_signed) {
			add_narrow(&sums[i], row, groups, pitch, ones, zeros, true);
		} else if (is_narrow) {
			add_narrow(&sums[i], row, groups, pitch, ones, zeros, false);
		} else {
			HVX_Vector sum;

			if (31 * pitch + all.readable > readable)
				sum = add_last_32(&all, row, min_u32(left, 32), is_signed);
			else if (is_signed)
				sum = add_32(&all, row, true);
			else
				sum = add_32(&all, row, false);
			store(&sums[i], Q6_Vw_vmpyi_VwRub(sum, zeros));
		}
		i += 32 * groups;
		row += 32 * groups * pitch;
	}
	return 0;
}
