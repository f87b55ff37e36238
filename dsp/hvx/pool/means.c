// SPDX-License-Identifier: MIT
/*
 * Means of windows of a row that are equally large (means.h). average_pool.c and
 * average_pool_float.c call it.
 *
 * With stride 1 all windows of all channels follow each other. With other strides windows of 64
 * channels, or a multiple, are halves of vectors, which are added up on the way; those of others
 * are added up first, so that they follow each other, too.
 */
#include <stddef.h>
#include "dsp/hvx/pool/means.h"

#define HALF	(VECTOR / 2)	/* channels of a vector of halfwords */

bool nn_means_settle(struct means *means, const struct nn_call *call, uint32_t multiplier,
		     uint32_t area, uint64_t more)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	int32_t zero_point = input->zero_point + (input->type == NN_TYPE_INT8 ? 128 : 0);
	int32_t offset = output->type == NN_TYPE_INT8 ? 128 : 0;
	int64_t base = (int64_t)more - (int64_t)multiplier * area * zero_point +
		       ((int64_t)(output->zero_point + offset) << 32);

	/* Products with both halves have 31 bits, that with the upper one 30. */
	if (!multiplier || area > MEANS_MOST || (uint64_t)multiplier * area * 255 >> 46)
		return false;
	*means = (struct means){
		.low = (multiplier & 0xffff) * 0x10001u,
		.high = (multiplier >> 16) * 0x10001u,
		.base_low = base & 0xffff,
		.base_high = (int32_t)(base >> 16),
		.flip = offset * 0x1010101u,
		.min = ((call->op->out_min + offset) & 0xff) * 0x1010101u,
		.max = ((call->op->out_max + offset) & 0xff) * 0x1010101u,
	};
	return true;
}

/* The same as vectors, but for the multiplier. */
struct mean_vectors {
	HVX_Vector base_low, base_high, flip, min, max, ties;
	uint32_t low, high;
};

static inline struct mean_vectors vectors_of(const struct means *means)
{
	return (struct mean_vectors){
		.base_low = splat_w(means->base_low),
		.base_high = splat_w(means->base_high),
		.flip = Q6_V_vsplat_R(means->flip),
		.min = Q6_V_vsplat_R(means->min),
		.max = Q6_V_vsplat_R(means->max),
		.ties = Q6_V_vsplat_R(means->ties),
		.low = means->low,
		.high = means->high,
	};
}

/* Computes the means of 64 sums, as words: even ones in the low vector. */
static inline HVX_VectorPair mean_words(HVX_Vector sums, const struct mean_vectors *means)
{
	HVX_VectorPair low = Q6_W_vcombine_VV(means->base_low, means->base_low);
	HVX_VectorPair high = Q6_W_vcombine_VV(means->base_high, means->base_high);

	low = Q6_Wuw_vmpyacc_WuwVuhRuh(low, sums, means->low);
	high = Q6_Wuw_vmpyacc_WuwVuhRuh(high, sums, means->high);
	return Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(high), Q6_V_hi_W(low), 16),
				Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(high), Q6_V_lo_W(low), 16));
}

/* Adds up 64 halfwords of each column. */
static inline HVX_Vector add_columns_64(const uint16_t *from, uint32_t columns, uint32_t step)
{
	HVX_Vector sum = load(from);

	for (uint32_t k = 1; k < columns; k++)
		sum = Q6_Vh_vadd_VhVh(sum, load(from += step));
	return sum;
}

/*
 * The places of the sums of 64 channels, one after the other: `next` halfwords apart, or, in pixels
 * of more than 64, each behind the one before, but for what is skipped behind a pixel.
 */
struct halves {
	const uint16_t *from;
	uint32_t next;
	uint32_t skip, left, all;	/* of a pixel; the latter 0: there is nothing to skip */
};

static inline const uint16_t *take_half(struct halves *halves, bool skips)
{
	const uint16_t *from = halves->from;

	halves->from += halves->next;
	if (skips && --halves->left == 0) {
		halves->left = halves->all;
		halves->from += halves->skip;
	}
	return from;
}

/* Words of 128 means, and how they become results and marks. */
struct words {
	HVX_VectorPair low, high;
};

static inline __attribute__((always_inline)) struct words
words_of(const struct mean_vectors *means, struct halves *halves, bool skips, uint32_t columns,
	 uint32_t step)
{
	const uint16_t *first = take_half(halves, skips), *second = take_half(halves, skips);

	return (struct words){ mean_words(add_columns_64(first, columns, step), means),
			       mean_words(add_columns_64(second, columns, step), means) };
}

static inline HVX_Vector results_of(const struct words *words, const struct mean_vectors *means)
{
	HVX_Vector v = Q6_Vub_vpack_VhVh_sat(
		Q6_Vh_vshuffo_VhVh(Q6_V_hi_W(words->high), Q6_V_lo_W(words->high)),
		Q6_Vh_vshuffo_VhVh(Q6_V_hi_W(words->low), Q6_V_lo_W(words->low)));

	v = Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, means->min), means->max);
	return Q6_V_vxor_VV(v, means->flip);
}

/* Adds the marks of 128 means to `any`, in these bits. */
static inline HVX_Vector mark(HVX_Vector any, const struct words *words,
			      const struct mean_vectors *means, uint32_t bits)
{
	HVX_Vector even = Q6_Vh_vshuffe_VhVh(Q6_V_hi_W(words->low), Q6_V_lo_W(words->low));
	HVX_Vector odd = Q6_Vh_vshuffe_VhVh(Q6_V_hi_W(words->high), Q6_V_lo_W(words->high));

	any = Q6_V_vandor_VQR(any, Q6_Q_vcmp_gt_VuhVuh(means->ties, even), bits);
	return Q6_V_vandor_VQR(any, Q6_Q_vcmp_gt_VuhVuh(means->ties, odd), bits << 8);
}

/* Two vectors at a time, so that packets of one fill those in which the other waits. */
static inline __attribute__((always_inline)) bool
make_chunks(const struct means *constants, struct halves halves, bool skips, uint32_t columns,
	    uint32_t step, uint8_t *to, uint32_t count, uint8_t (*marks)[VECTOR])
{
	const struct mean_vectors means = vectors_of(constants);
	HVX_Vector any = Q6_V_vzero(), all = any, v;
	struct words words, next;

	while (count) {
		uint32_t chunk = min_u32(count, MEANS_CHUNK), pairs = chunk / (2 * VECTOR);
		uint32_t bits = 0x00010001;

		count -= chunk;
		for (uint32_t i = 0; i < pairs; i++, to += 2 * VECTOR, bits <<= 2) {
			words = words_of(&means, &halves, skips, columns, step);
			next = words_of(&means, &halves, skips, columns, step);
			if (marks)
				any = mark(mark(any, &words, &means, bits), &next, &means,
					   bits << 1);
			v = results_of(&words, &means);
			store(to + VECTOR, results_of(&next, &means));
			store(to, v);
		}
		chunk -= pairs * 2 * VECTOR;
		for (; chunk; chunk -= min_u32(chunk, VECTOR), to += VECTOR, bits <<= 1) {
			words = words_of(&means, &halves, skips, columns, step);
			if (marks)
				any = mark(any, &words, &means, bits);
			store_bytes(to, results_of(&words, &means), min_u32(chunk, VECTOR));
		}
		if (!marks)
			continue;
		store(*marks++, any);
		all = Q6_V_vor_VV(all, any);
		any = Q6_V_vzero();
	}
	return marks && any_lane(Q6_Q_vcmp_gt_VubVub(all, Q6_V_vzero()));
}

/* Functions for a number of columns that is known, which leaves loops out. */
#define CHUNKS(name, columns, skips, has_marks) \
	static __attribute__((noinline)) bool name( \
		const struct means *means, const struct halves *places, uint32_t any, \
		uint32_t step, uint8_t *to, uint32_t count, uint8_t (*marks)[VECTOR]) \
	{ \
		struct halves halves = { places->from, places->next, places->skip, places->left, \
					 places->all }; \
		(void)any; \
		return make_chunks(means, halves, skips, columns, step, to, count, \
				  has_marks ? marks : NULL); \
	}

CHUNKS(one_column, 1, false, false)
CHUNKS(three_columns, 3, false, false)
CHUNKS(five_columns, 5, false, false)
CHUNKS(any_columns, any, false, false)
CHUNKS(three_skipping, 3, true, false)
CHUNKS(any_skipping, any, true, false)
CHUNKS(one_column_marked, 1, false, true)
CHUNKS(three_columns_marked, 3, false, true)
CHUNKS(five_columns_marked, 5, false, true)
CHUNKS(any_columns_marked, any, false, true)
CHUNKS(three_skipping_marked, 3, true, true)
CHUNKS(any_skipping_marked, any, true, true)

typedef bool chunk_function(const struct means *means, const struct halves *places, uint32_t any,
			    uint32_t step, uint8_t *to, uint32_t count, uint8_t (*marks)[VECTOR]);

static chunk_function *chunk_of(uint32_t columns, bool skips, bool has_marks)
{
	if (skips && columns == 3)
		return has_marks ? three_skipping_marked : three_skipping;
	if (skips)
		return has_marks ? any_skipping_marked : any_skipping;
	switch (columns) {
	case 1:
		return has_marks ? one_column_marked : one_column;
	case 3:
		return has_marks ? three_columns_marked : three_columns;
	case 5:
		return has_marks ? five_columns_marked : five_columns;
	}
	return has_marks ? any_columns_marked : any_columns;
}

static inline __attribute__((always_inline)) void
add_windows(const struct mean_windows *windows, uint32_t columns)
{
	uint32_t channels = windows->channels, step = windows->stride * channels;
	const uint16_t *down = windows->down;
	uint16_t *to = windows->sums;

	for (uint32_t x = 0; x < windows->windows; x++, down += step, to += channels) {
		for (uint32_t c = 0; c < channels; c += HALF)
			store(to + c, add_columns_64(down + c, columns, channels));
	}
}

void nn_means_add(const struct mean_windows *windows)
{
	if (windows->columns == 3)
		add_windows(windows, 3);
	else if (windows->columns == 5)
		add_windows(windows, 5);
	else
		add_windows(windows, windows->columns);
}

/* Makes at most a vector, as of windows at edges, in half the packets that chunks take. */
static __attribute__((noinline)) bool make_few(const struct means *constants,
					       const uint16_t *first, const uint16_t *second,
					       uint32_t columns, uint32_t step, uint8_t *to,
					       uint32_t bytes, uint8_t *marks)
{
	const struct mean_vectors means = vectors_of(constants);
	HVX_Vector low = load(first), high = load(second), any;
	struct words words;

#pragma clang loop unroll(disable)
	for (uint32_t k = 1; k < columns; k++) {
		low = Q6_Vh_vadd_VhVh(low, load(first += step));
		high = Q6_Vh_vadd_VhVh(high, load(second += step));
	}
	words = (struct words){ mean_words(low, &means), mean_words(high, &means) };
	store_bytes(to, results_of(&words, &means), bytes);
	if (!constants->ties)
		return false;
	/* What is behind results of one half would have marks, too. */
	if (bytes <= HALF)
		words.high = Q6_W_vcombine_VV(splat_w(-1), splat_w(-1));
	any = mark(Q6_V_vzero(), &words, &means, 0x00010001);
	store(marks, any);
	return any_lane(Q6_Q_vcmp_gt_VubVub(any, Q6_V_vzero()));
}

bool nn_means_make(const struct mean_windows *windows, const struct means *means, uint32_t first,
		   uint32_t count, uint8_t (*marks)[VECTOR])
{
	uint32_t channels = windows->channels, columns = windows->columns, half = first / HALF;
	struct halves places = { .from = windows->down + first, .next = HALF };

	if (means_are_added(windows)) {
		places.from = windows->sums + first;
		columns = 1;
	} else if (windows->stride > 1 && channels == HALF) {
		places.next *= windows->stride;
		places.from = windows->down + half * places.next;
	} else if (windows->stride > 1) {
		places.all = channels / HALF;
		places.skip = (windows->stride - 1) * channels;
		places.left = places.all;
		if (half) {
			places.from += half / places.all * places.skip;
			places.left -= half % places.all;
		}
	}
	if (count <= VECTOR && places.left != 1)
		return make_few(means, places.from, places.from + places.next, columns, channels,
				windows->to + first, count, marks ? marks[0] : NULL);
	return chunk_of(columns, places.all, means->ties)(means, &places, columns, channels,
							  windows->to + first, count, marks);
}
