// SPDX-License-Identifier: MIT
/*
 * TOP finds where the greatest or least elements of a row are, in their order. nn_top_hvx() is its
 * vector kernel, in the table of kernels.c, for elements of 8 bits.
 *
 * Few are found value by value, from the greatest down: vectors find where a value is, and which
 * is the next one. Many are sorted by counting: with how many elements come before those of each
 * value, each has its place.
 *
 * Wider elements have no vectors; where many are wanted, their numbers are sorted by merging.
 *
 * Elements are compared as unsigned bytes of which the greatest comes first. A client may write to
 * them meanwhile; then places are anything, and some are not written.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/lanes.h"

#define VALUES		256u
#define FEW		48u	/* results that are found value by value */
#define PART		(16u << 10)	/* elements between two reports */
#define VALUE_WORK	64u
#define VECTOR_WORK	40u
#define RESULT_WORK	12u
#define ELEMENT_WORK	8u
#define MERGE_WORK	128u	/* for an element of a run that is merged */

struct top {
	const struct nn_call *call;
	struct progress progress;
	uint32_t length, count;
	uint32_t flip;		/* makes an element one that is greatest where it comes first */
	uint32_t words;		/* of an index, the higher one 0 */
};

/* A row: its results, and how many there are of them. */
struct row {
	const uint8_t *from;
	uint32_t *to;
	uint32_t done;
};

static inline void store_index(const struct top *top, struct row *row, uint32_t place,
			       uint32_t index)
{
	row->to[place * top->words] = index;
	if (top->words == 2)
		row->to[place * 2 + 1] = 0;
}

/* Stores where a value is, of elements `first` .. `first` + 127. */
static void store_indices(const struct top *top, struct row *row, const uint8_t *lanes,
			  uint32_t first)
{
	for (uint32_t at = 0; at < VECTOR; at += LANES_WORD) {
		uint32_t bits = *(const uint32_t *)(lanes + at);

		for (; bits; bits &= bits - 1) {
			if (row->done == top->count)
				return;
			store_index(top, row, row->done++, first + at + __builtin_ctz(bits));
		}
	}
}

/*
 * Looks at up to a vector of elements: says which have the value, and keeps the greatest of those
 * below it.
 */
static inline HVX_VectorPred take(const uint8_t *from, uint32_t bytes, HVX_Vector flip,
				  HVX_Vector value, HVX_Vector *below)
{
	HVX_Vector v = Q6_V_vxor_VV(bytes < VECTOR ? load_bytes(from, bytes) : load(from), flip);
	HVX_VectorPred is_below = Q6_Q_vcmp_gt_VubVub(value, v);
	HVX_VectorPred is_it = Q6_Q_vcmp_eq_VbVb(v, value);

	if (bytes < VECTOR) {
		is_below = Q6_Q_and_QQ(is_below, first_bytes(bytes));
		is_it = Q6_Q_and_QQ(is_it, first_bytes(bytes));
	}
	*below = Q6_V_vmux_QVV(is_below, Q6_Vub_vmax_VubVub(*below, v), *below);
	return is_it;
}

/*
 * Looks at elements from `*at` to `end` until some have the value, whose lanes are in scratch
 * memory then; `*at` is the first of their vector. Returns false if no more have.
 */
static __attribute__((noinline)) bool find_value(const struct top *top, const uint8_t *from,
						 uint32_t *at, uint32_t end, uint32_t value_byte)
{
	HVX_Vector *below = (HVX_Vector *)top->call->scratch, least = *below;
	HVX_Vector flip = splat_b(top->flip), value = splat_b(value_byte);

	for (uint32_t i = *at; i < end; i += VECTOR) {
		HVX_VectorPred is_it = take(from + i, end - i, flip, value, &least);

		if (any_lane(is_it)) {
			*below = least;
			store_lanes(top->call->scratch + VECTOR, is_it);
			*at = i;
			return true;
		}
	}
	*below = least;
	return false;
}

/* Returns the greatest byte of the vector that find_value() keeps, which then is 0. */
static __attribute__((noinline)) uint32_t take_below(const struct top *top)
{
	HVX_Vector *below = (HVX_Vector *)top->call->scratch, most = *below;

	for (uint32_t i = VECTOR / 2; i; i /= 2)
		most = Q6_Vub_vmax_VubVub(most, Q6_V_vror_VR(most, i));
	*below = Q6_V_vzero();
	return Q6_R_vextract_VR(most, 0) & 255;
}

/* Finds the results that have a value, as far as there is room. */
static int find_all(struct top *top, struct row *row, uint32_t value)
{
	for (uint32_t i = 0, end; i < top->length && row->done < top->count; i = end) {
		uint32_t at = i;
		int ret;

		end = i + min_u32(top->length - i, PART);
		ret = progress_add(&top->progress, VALUE_WORK + memory_work(end - i) +
							   (end - i) / VECTOR * VECTOR_WORK);
		if (ret)
			return ret;
		for (; row->done < top->count && find_value(top, row->from, &at, end, value);
		     at += VECTOR)
			store_indices(top, row, top->call->scratch + VECTOR, at);
	}
	return 0;
}

/*
 * Finds results value by value, from the greatest that there may be: then those that are below it
 * lead to the next.
 */
static int find_few(struct top *top, struct row *row)
{
	uint32_t value = VALUES - 1;
	int ret;

	take_below(top);
	do {
		ret = find_all(top, row, value);
		if (!value)
			break;
		value = take_below(top);
	} while (!ret && row->done < top->count);
	return ret;
}

/* Sorts by counting. */
static int sort(struct top *top, struct row *row)
{
	uint32_t *places = (uint32_t *)top->call->scratch, before = 0;

	__builtin_memset(places, 0, VALUES * sizeof(*places));
	for (uint32_t i = 0, end; i < top->length; i = end) {
		int ret;

		end = i + min_u32(top->length - i, PART);
		ret = progress_add(&top->progress, VALUES + (end - i) * ELEMENT_WORK +
							   memory_work(end - i));
		if (ret)
			return ret;
		for (; i < end; i++)
			places[row->from[i] ^ top->flip]++;
	}
	for (uint32_t value = VALUES; value-- > 0;) {
		uint32_t count = places[value];

		places[value] = before;
		before += count;
	}
	for (uint32_t i = 0, end; i < top->length; i = end) {
		int ret;

		end = i + min_u32(top->length - i, PART);
		ret = progress_add(&top->progress, VALUES + (end - i) * ELEMENT_WORK * 2 +
							   memory_work(8 * (end - i)));
		if (ret)
			return ret;
		for (; i < end; i++) {
			uint32_t place = places[row->from[i] ^ top->flip]++;

			if (place < top->count)
				store_index(top, row, place, i);
		}
	}
	return 0;
}

/* ---- Elements of more than 8 bits */

/* Whether the second of two elements comes before the first, which has the lower index. */
static inline bool is_behind(const struct nn_call *call, const uint8_t *from, uint32_t first,
			     uint32_t second)
{
	uint8_t type = call->input[0].type;
	uint32_t size = nn_type_size(type);
	int64_t a = load_integer(from + (uint64_t)first * size, type);
	int64_t b = load_integer(from + (uint64_t)second * size, type);

	return call->op->top.least ? b < a : b > a;
}

/*
 * Merges runs of `width` numbers each into ones that are twice as long. Which number is taken is up
 * to elements that a client may write to, but each is taken once.
 */
static int merge_runs(struct top *top, const uint8_t *from, const uint32_t *runs, uint32_t *to,
		      uint32_t width)
{
	for (uint32_t begin = 0; begin < top->length; begin += 2 * width) {
		uint32_t middle = begin + min_u32(width, top->length - begin);
		uint32_t end = middle + min_u32(width, top->length - middle);
		uint32_t a = begin, b = middle;

		for (uint32_t i = begin; i < end; i++) {
			int ret = progress_add(&top->progress, MERGE_WORK);

			if (ret)
				return ret;
			if (b == end ||
			    (a < middle && !is_behind(top->call, from, runs[a], runs[b])))
				to[i] = runs[a++];
			else
				to[i] = runs[b++];
		}
	}
	return 0;
}

/* Sorts the numbers of a row's elements, for which scratch memory has room twice. */
static int sort_numbers(struct top *top, struct row *row)
{
	uint32_t *runs = (uint32_t *)top->call->scratch, *other = runs + top->length;

	for (uint32_t i = 0; i < top->length; i++)
		runs[i] = i;
	for (uint32_t width = 1; width < top->length; width *= 2) {
		uint32_t *before = runs;
		int ret = merge_runs(top, row->from, runs, other, width);

		if (ret)
			return ret;
		runs = other;
		other = before;
	}
	for (uint32_t i = 0; i < top->count; i++)
		store_index(top, row, i, runs[i]);
	return 0;
}

static int sort_rows(struct top *top, struct row *row)
{
	const struct nn_tensor *input = &top->call->input[0];
	uint64_t bytes = (uint64_t)top->length * nn_type_size(input->type);

	for (uint64_t at = 0; at < input->bytes; at += bytes) {
		int ret = progress_add(&top->progress, top->length * RESULT_WORK);

		row->from = input->data + at;
		if (!ret)
			ret = sort_numbers(top, row);
		if (ret)
			return ret;
		row->to += (uint64_t)top->count * top->words;
	}
	return 0;
}

int nn_top_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct top top = {
		.call = call,
		.progress.call = call,
		.length = input->dims[input->rank - 1],
		.count = output->dims[output->rank - 1],
		.flip = flip_of(input) ^ (call->op->top.least ? 0xff : 0),
		.words = nn_type_size(output->type) / 4,
	};
	struct row row = { .to = (uint32_t *)output->data };

	if (!nn_top_has_vectors(call))
		return nn_top_portable(call);
	if (!is_8bit(input))
		return call->scratch_size / (2 * sizeof(uint32_t)) < top.length ?
			       nn_top_portable(call) : sort_rows(&top, &row);
	for (uint64_t at = 0; at < input->bytes; at += top.length) {
		int ret = progress_add(&top.progress, VALUE_WORK + min_u32(top.count, FEW) *
								     RESULT_WORK);

		row.from = input->data + at;
		row.done = 0;
		if (!ret)
			ret = top.count > FEW ? sort(&top, &row) : find_few(&top, &row);
		if (ret)
			return ret;
		row.to += (uint64_t)top.count * top.words;
	}
	return 0;
}
