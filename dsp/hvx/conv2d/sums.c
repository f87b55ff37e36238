// SPDX-License-Identifier: MIT
/*
 * The sums of a convolution's input elements (strip.h), which are pixels or windows' rows. strip.c
 * asks for them as it fills in rows.
 *
 * A vector is multiplied with ones, which makes 32 sums of four bytes, and two vectors of sums are
 * folded into one of sums of two neighbours, until there are 32 sums of elements. Of elements of
 * up to a vector sums fit 16 bits, so that this takes a packing and a multiplication with ones;
 * else a permutation and an addition, of which assembly does most (sums_long.S). Where elements do
 * not fill vectors, two of them are halfwords side by side from the beginning: an unaligned load
 * takes what a permutation would, so that there have to be few of both.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/conv2d/strip.h"
#include "dsp/hvx/conv2d/sums_long.h"
#include "dsp/hvx/conv2d/sums_folded.h"
#include "dsp/hvx/common/vector.h"

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

/* The sums of two elements, of which all fit 16 bits, side by side. */
static inline HVX_Vector join(HVX_Vector a, HVX_Vector b)
{
	return Q6_Vh_vshuffe_VhVh(b, a);
}

static inline HVX_Vector fold_joined(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair pair = Q6_W_vdeal_VVR(b, a, -4);

	return Q6_Vh_vadd_VhVh(Q6_V_lo_W(pair), Q6_V_hi_W(pair));
}

#define GROUPS	64	/* of 32 elements, between two reports of progress */

/* Elements of a vector or less: a vector holds several or one */

/*
 * FOLD_n folds the sums of n vectors, one every `step` bytes, depth first, so that few are alive at
 * a time.
 */
#define FOLD_1(at)	(is_signed ? Q6_Vw_vrmpy_VbVb(load(at), ones) \
				   : Q6_Vuw_vrmpy_VubVub(load(at), ones))
#define FOLD_2(at)	fold_halfwords(FOLD_1(at), FOLD_1((at) + step))
#define FOLD_4(at)	fold_halfwords(FOLD_2(at), FOLD_2((at) + 2 * step))
#define FOLD_8(at)	fold_halfwords(FOLD_4(at), FOLD_4((at) + 4 * step))
#define FOLD_16(at)	fold_halfwords(FOLD_8(at), FOLD_8((at) + 8 * step))

/*
 * JOINED_n folds the sums of n elements, two in a word, of which a vector holds `many`: so many are
 * of one load.
 */
#define SUM_OF(v, i)	(is_signed ? Q6_Vw_vrmpy_VbVb(v, nth[i]) : Q6_Vuw_vrmpy_VubVub(v, nth[i]))

static inline __attribute__((always_inline)) HVX_Vector
joined_4(const uint8_t *at, uint32_t pitch, const HVX_Vector *nth, uint32_t many, bool is_signed)
{
	HVX_Vector v0 = load(at), v1 = many > 1 ? v0 : load(at + pitch);
	HVX_Vector v2 = many > 2 ? v0 : load(at + 2 * pitch);
	HVX_Vector v3 = many > 2 ? v0 : many > 1 ? v2 : load(at + 3 * pitch);
	uint32_t odd = many > 1, third = many > 2 ? 2 : 0;

	return fold_joined(join(SUM_OF(v0, 0), SUM_OF(v1, odd)),
			   join(SUM_OF(v2, third), SUM_OF(v3, third + odd)));
}

#define JOINED_4(at)	joined_4(at, pitch, nth, many, is_signed)
#define JOINED_8(at)	fold_joined(JOINED_4(at), JOINED_4((at) + 4 * pitch))
#define JOINED_16(at)	fold_joined(JOINED_8(at), JOINED_8((at) + 8 * pitch))
#define JOINED_32(at)	fold_joined(JOINED_16(at), JOINED_16((at) + 16 * pitch))

/* Adds up `groups` times 32 elements of which no whole number, or one, fills a vector. */
static inline __attribute__((always_inline)) void
add_joined(int32_t *sums, const uint8_t *row, uint32_t groups, uint32_t pitch, HVX_Vector ones,
	   uint32_t zeros, bool is_signed, uint32_t many)
{
	HVX_Vector nth[4] = { ones };

#pragma unroll
	for (uint32_t i = 1; i < many; i++)
		nth[i] = Q6_V_vror_VR(nth[i - 1], VECTOR - pitch);
	for (; groups > 1; groups -= 2, row += 64 * pitch, sums += 64) {
		HVX_Vector first = JOINED_32(row), second = JOINED_32(row + 32 * pitch);
		HVX_VectorPair both = Q6_Ww_vunpack_Vh(fold_joined(first, second));

		store(sums, Q6_Vw_vmpyi_VwRub(Q6_V_lo_W(both), zeros));
		store(sums + 32, Q6_Vw_vmpyi_VwRub(Q6_V_hi_W(both), zeros));
	}
	if (groups) {
		HVX_Vector one = JOINED_32(row);

		one = Q6_V_lo_W(Q6_Ww_vunpack_Vh(fold_joined(one, one)));
		store(sums, Q6_Vw_vmpyi_VwRub(one, zeros));
	}
}

#define ADD_MANY(FOLD) \
	for (uint32_t i = 0; i < groups; i++, row += 32 * pitch) \
		store(&sums[32 * i], Q6_Vw_vmpyi_VwRub(FOLD(row), zeros))

/*
 * Adds up `groups` times 32 elements. There is a loop for each pitch, so that none has to look at
 * it.
 */
static inline __attribute__((always_inline)) void
add_narrow(int32_t *sums, const uint8_t *row, uint32_t groups, uint32_t pitch, HVX_Vector ones,
	   uint32_t zeros, bool is_signed)
{
	const uint32_t step = VECTOR;

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
	if (pitch <= VECTOR / 4)
		add_joined(sums, row, groups, pitch, ones, zeros, is_signed, 4);
	else if (pitch <= VECTOR / 2)
		add_joined(sums, row, groups, pitch, ones, zeros, is_signed, 2);
	else
		add_joined(sums, row, groups, pitch, ones, zeros, is_signed, 1);
}

/*
 * Adds up as many groups as there is assembly for: all of aligned vectors, or of 16 bytes a
 * multiple of two. Returns their number.
 */
static inline __attribute__((always_inline)) uint32_t add_folds(int32_t *sums, const uint8_t *row,
								uint32_t groups, uint32_t pitch,
								HVX_Vector ones, uint32_t zeros,
								bool is_signed)
{
	if ((uintptr_t)row % VECTOR)
		return 0;
	switch (pitch) {
#define FOLDS(PITCH, TOGETHER) \
	case PITCH: \
		if (groups < TOGETHER) \
			return 0; \
		if (is_signed) \
			nn_conv2d_sum_##PITCH##_int8(row, sums, groups / TOGETHER, zeros, ones); \
		else \
			nn_conv2d_sum_##PITCH##_uint8(row, sums, groups / TOGETHER, zeros, ones); \
		return groups / TOGETHER * TOGETHER
	FOLDS(16, 2);
	FOLDS(32, 1);
	FOLDS(64, 1);
	FOLDS(128, 1);
#undef FOLDS
	}
	return 0;
}

static __attribute__((noinline)) void add_groups(int32_t *sums, const uint8_t *row,
						 uint32_t groups, uint32_t pitch,
						 HVX_Vector ones, uint32_t zeros,
						 bool is_signed)
{
	uint32_t done = add_folds(sums, row, groups, pitch, ones, zeros, is_signed);

	if (done == groups)
		return;
	sums += 32 * done;
	row += 32 * done * pitch;
	if (is_signed)
		add_narrow(sums, row, groups - done, pitch, ones, zeros, true);
	else
		add_narrow(sums, row, groups - done, pitch, ones, zeros, false);
}

/* Elements of any size */

#define EIGHTS	16	/* at a time */

struct elements {
	const uint8_t *end;	/* behind which nothing may be read */
	uint32_t pitch;
	uint32_t vectors;	/* of an element, beside the last one, */
	uint32_t last;		/* which begins here, so that it ends with the element; */
	HVX_Vector ones;	/* where that one's bytes count, which are not in the others */
	uint32_t bytes;
	uint32_t readable;	/* of an element: bytes, or a vector if that is more */
};

/* Adds up one element, of which no byte past its end is read. */
static HVX_Vector add_bytes(const struct elements *elements, const uint8_t *at, bool is_signed)
{
	HVX_Vector sum = Q6_V_vzero(), last;

	for (uint32_t i = 0; i < elements->vectors; i++)
		sum = sum_fours(sum, load(at + i * VECTOR), splat_b(1), is_signed);
	last = load_bytes(at + elements->last, min_u32(elements->bytes, VECTOR));
	return sum_fours(sum, last, elements->ones, is_signed);
}

/* Adds up eight elements, of which there are no more than `count`. */
static __attribute__((noinline)) HVX_Vector add_last(const struct elements *elements,
						     const uint8_t *at, uint32_t count,
						     bool is_signed)
{
	HVX_Vector t[8];

	for (uint32_t i = 0; i < 8; i++, at += elements->pitch)
		t[i] = i < count ? add_bytes(elements, at, is_signed) : Q6_V_vzero();
	return fold_words(fold_words(fold_words(t[0], t[1]), fold_words(t[2], t[3])),
			  fold_words(fold_words(t[4], t[5]), fold_words(t[6], t[7])));
}

/*
 * Stores the sums of `count` elements, up to 8 * EIGHTS, times the weights' zero point; elements
 * behind them make sums that nobody reads.
 */
static __attribute__((noinline)) void add_wide(int32_t *sums, const struct elements *elements,
					      const uint8_t *at, uint32_t count, uint32_t zeros,
					      bool is_signed)
{
	uint32_t pitch = elements->pitch, eights = (count + 7) / 8, whole = eights;
	uint32_t left = elements->end - at;
	HVX_Vector ones = splat_b(elements->vectors ? 1 : 0), eight[2 + EIGHTS + 3];

	/* The last eight may be fewer, with nothing behind them that could be read. */
	if (pitch < SUM_EIGHTS_PITCH)
		whole = 0;
	while (whole && (8ull * whole - 1) * pitch + elements->readable > left)
		whole--;
	if (whole && is_signed)
		nn_conv2d_sum_eights_int8(at, elements->last, elements->vectors ?: 1, pitch,
					  &eight[2], whole, elements->ones, ones);
	else if (whole)
		nn_conv2d_sum_eights_uint8(at, elements->last, elements->vectors ?: 1, pitch,
					   &eight[2], whole, elements->ones, ones);
	for (uint32_t i = whole; i < eights; i++)
		eight[2 + i] = add_last(elements, at + 8 * i * pitch, count - 8 * i, is_signed);
	for (uint32_t i = eights; i % 4; i++)
		eight[2 + i] = Q6_V_vzero();
	for (uint32_t i = 2; i < 2 + eights; i += 4, sums += 32) {
		HVX_Vector low = fold_words(eight[i], eight[i + 1]);
		HVX_Vector high = fold_words(eight[i + 2], eight[i + 3]);

		store(sums, Q6_Vw_vmpyi_VwRub(fold_words(low, high), zeros));
	}
}

/* Repeats the ones in every `pitch` lanes, if that divides a vector. */
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

	while (elements) {
		uint32_t readable = all.end - row, count = 32;
		bool is_narrow = pitch <= VECTOR && narrow <= readable;
		int ret;

		if (is_narrow)
			count *= min_u32(min_u32((elements + 31) / 32, GROUPS),
					 (readable - narrow) / (32 * pitch) + 1);
		else if (work <= NN_TILE / EIGHTS)
			count *= EIGHTS / 4;
		count = min_u32(count, round_up(elements, 32));
		ret = progress_add(progress, count / 32 * work);
		if (ret)
			return ret;
		if (!is_narrow)
			add_wide(sums, &all, row, min_u32(elements, count), zeros, is_signed);
		else
			add_groups(sums, row, count / 32, pitch, ones, zeros, is_signed);
		elements -= min_u32(elements, count);
		sums += count;
		row += count * pitch;
	}
	return 0;
}
