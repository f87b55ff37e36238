// SPDX-License-Identifier: MIT
/*
 * ARG finds where the greatest or least elements along a dimension are. nn_arg_hvx() is its vector
 * kernel, in the table of kernels.c.
 *
 * The elements of a result are a column of lines, of which 128 results are found at a time; each
 * line is compared with the best so far. Where they lie side by side, in rows, 128 rows are
 * transposed first, as TRANSPOSE does it; long rows, and a few short ones, are searched one by
 * one.
 *
 *	rows		|a0 a1 .. a20|b0 b1 .. b20|c0 ...|
 *	lines		|a0 b0 c0 ...|			`index`: the first line that has the best,
 *			|a1 b1 c1 ...|			four bytes of it in a vector each
 *
 * Elements are compared as unsigned bytes that are greatest where the result is. To find the last
 * one of several, lines go from the last to the first.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/transpose.h"

#define LEAST_ROWS	7u	/* fewer are searched one by one */
#define MOST_SHORT	512u	/* elements: longer rows are searched one by one */
#define LINES		256u	/* whose numbers fit a byte */
#define LINE_WORK	12u
#define TILE_WORK	4000u	/* 128 short rows, transposed */
#define FINISH_WORK	100u
#define ROW_WORK	200u
#define PART		(64u << 10)	/* bytes of a row between two reports */

struct search {
	const struct nn_call *call;
	struct progress progress;
	uint32_t flip;		/* makes a byte one that is greatest where it is best */
	bool is_last;
};

/* Lines of a column of results. */
struct lines {
	const uint8_t *from;
	uint64_t pitch;
	uint32_t count, bytes;	/* results, at most 128 */
};

/* The best of 128 results, and bytes 0 and 1 .. 3 of where it is. In scratch memory. */
struct best {
	uint8_t value[VECTOR];
	uint8_t index[4][VECTOR];
};

/*
 * Searches `count` lines, at most LINES, of which the first has number `first`: from there down if
 * `step` is -1. Nothing but vectors is here: clang 14 lays locals over spilled ones.
 */
static __attribute__((noinline)) void search_lines(const uint8_t *from, int64_t pitch,
						   uint32_t bytes, uint32_t count, uint32_t first,
						   int32_t step, uint32_t flip, struct best *best,
						   bool is_first)
{
	HVX_Vector flips = splat_b(flip), number = splat_b(first), steps = splat_b(step);
	HVX_Vector value, index = number;
	HVX_VectorPred is_better;
	uint32_t above = first >> 8;

	value = Q6_V_vxor_VV(bytes < VECTOR ? load_bytes(from, bytes) : load(from), flips);
	for (uint32_t i = 1; i < count; i++) {
		HVX_Vector v;

		from += pitch;
		number = Q6_Vb_vadd_VbVb(number, steps);
		v = Q6_V_vxor_VV(bytes < VECTOR ? load_bytes(from, bytes) : load(from), flips);
		is_better = Q6_Q_vcmp_gt_VubVub(v, value);
		value = Q6_Vub_vmax_VubVub(value, v);
		index = Q6_V_vmux_QVV(is_better, number, index);
	}
	is_better = is_first ? Q6_Q_vsetq2_R(VECTOR) :
			       Q6_Q_vcmp_gt_VubVub(value, load(best->value));
	store(best->value, Q6_V_vmux_QVV(is_better, value, load(best->value)));
	store(best->index[0], Q6_V_vmux_QVV(is_better, index, load(best->index[0])));
	for (uint32_t i = 1; i < 4; i++, above >>= 8)
		store(best->index[i],
		      Q6_V_vmux_QVV(is_better, splat_b(above), load(best->index[i])));
}

/* Stores the numbers of `count` results, of which there are four bytes. */
static __attribute__((noinline)) void store_numbers(const struct best *best, int32_t *to,
						    uint32_t count)
{
	HVX_VectorPair low = Q6_W_vshuff_VVR(load(best->index[1]), load(best->index[0]), -1);
	HVX_VectorPair high = Q6_W_vshuff_VVR(load(best->index[3]), load(best->index[2]), -1);
	HVX_VectorPair first = Q6_W_vshuff_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -2);
	HVX_VectorPair second = Q6_W_vshuff_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -2);

	if (count == VECTOR) {
		store(to, Q6_V_lo_W(first));
		store(to + 32, Q6_V_hi_W(first));
		store(to + 64, Q6_V_lo_W(second));
		store(to + 96, Q6_V_hi_W(second));
		return;
	}
	store_bytes(to, Q6_V_lo_W(first), 4 * min_u32(count, 32));
	if (count > 32)
		store_bytes(to + 32, Q6_V_hi_W(first), 4 * min_u32(count - 32, 32));
	if (count > 64)
		store_bytes(to + 64, Q6_V_lo_W(second), 4 * min_u32(count - 64, 32));
	if (count > 96)
		store_bytes(to + 96, Q6_V_hi_W(second), 4 * (count - 96));
}

/* Finds a column of results. */
static int find_column(struct search *search, struct best *best, const struct lines *lines,
		       int32_t *to)
{
	uint32_t work = LINE_WORK + stride_work(lines->pitch);
	int32_t step = search->is_last ? -1 : 1;

	for (uint32_t i = 0, part; i < lines->count; i += part) {
		uint32_t first = search->is_last ? lines->count - 1 - i : i;
		int ret;

		/* Numbers of a part are the same but for their lowest byte. */
		part = search->is_last ? first % LINES + 1 : min_u32(lines->count - i, LINES);
		ret = progress_add(&search->progress, FINISH_WORK + part * work);
		if (ret)
			return ret;
		search_lines(lines->from + first * lines->pitch,
			     search->is_last ? -(int64_t)lines->pitch : (int64_t)lines->pitch,
			     lines->bytes, part, first, step, search->flip, best, !i);
	}
	store_numbers(best, to, lines->bytes);
	return 0;
}

/* Finds results whose elements are `step` bytes from each other. */
static int find_columns(struct search *search, uint32_t length, uint64_t step)
{
	const struct nn_tensor *input = &search->call->input[0];
	struct best *best = (struct best *)search->call->scratch;
	int32_t *to = (int32_t *)search->call->output[0].data;

	for (uint64_t at = 0; at < input->bytes; at += step * length) {
		for (uint64_t i = 0; i < step; i += VECTOR) {
			struct lines lines = {
				.from = input->data + at + i,
				.pitch = step,
				.count = length,
				.bytes = step - i < VECTOR ? step - i : VECTOR,
			};
			int ret = find_column(search, best, &lines, to);

			if (ret)
				return ret;
			to += lines.bytes;
		}
	}
	return 0;
}

/*
 * Transposes `rows` rows, up to 128, to `columns`: whole vectors of a row's elements, and the rest.
 */
static void transpose_rows(const struct matrix *whole, const struct matrix *rest,
			   const uint8_t *from, uint32_t rows, uint8_t *columns)
{
	uint32_t length = whole->from_pitch, i;

	for (i = 0; i + VECTOR <= length; i += VECTOR) {
		const struct tile tile = { from + i, columns + i * VECTOR, rows, VECTOR };

		nn_transpose_tile(whole, &tile);
	}
	if (i < length) {
		const struct tile tile = { from + i, columns + i * VECTOR, rows, length - i };

		nn_transpose_tile(rest, &tile);
	}
}

/*
 * Finds results of rows of few vectors, 128 rows at a time. Where rows have a vector or more, there
 * are 128, and the last 128 are some of those before again.
 */
static int find_short_rows(struct search *search, uint32_t length)
{
	const struct nn_tensor *input = &search->call->input[0];
	struct best *best = (struct best *)search->call->scratch;
	uint8_t *columns = (uint8_t *)(best + 1);
	uint32_t rows = input->bytes / length;
	struct matrix whole = {
		.rows = VECTOR,
		.columns = VECTOR,
		.from_pitch = length,
		.to_pitch = VECTOR,
		.size = 1,
		.count = VECTOR,
		.from_end = input->data + input->bytes,
		.to_end = columns + length * VECTOR,
		.scratch = columns + length * VECTOR,
	};
	struct matrix rest = whole;

	rest.columns = length % VECTOR;
	if (rest.columns)
		nn_transpose_prepare(&rest);
	for (uint32_t i = 0; i < rows; i += VECTOR) {
		struct lines lines = { columns, VECTOR, length, min_u32(rows - i, VECTOR) };
		int ret;

		if (lines.bytes < VECTOR && length >= VECTOR) {
			i = rows - VECTOR;
			lines.bytes = VECTOR;
		}
		ret = progress_add(&search->progress,
				   TILE_WORK * (length / VECTOR + 1) +
					   memory_work(VECTOR * length));
		if (ret)
			return ret;
		transpose_rows(&whole, &rest, input->data + (uint64_t)i * length, lines.bytes,
			       columns);
		ret = find_column(search, best, &lines,
				  (int32_t *)search->call->output[0].data + i);
		if (ret)
			return ret;
	}
	return 0;
}

/* Returns the elements of a part of a row, made comparable, and 0 behind them. */
static inline HVX_Vector load_part(const uint8_t *from, uint32_t bytes, HVX_Vector flips)
{
	if (bytes >= VECTOR)
		return Q6_V_vxor_VV(load(from), flips);
	return Q6_V_vmux_QVV(first_bytes(bytes), Q6_V_vxor_VV(load_bytes(from, bytes), flips),
			     Q6_V_vzero());
}

/* Returns the greatest of `bytes` elements, made comparable, and of `greatest`. */
static __attribute__((noinline)) uint32_t find_greatest(const uint8_t *from, uint32_t bytes,
							uint32_t flip, uint32_t greatest)
{
	HVX_Vector flips = splat_b(flip), most = splat_b(greatest);

	for (uint32_t i = 0; i < bytes; i += VECTOR)
		most = Q6_Vub_vmax_VubVub(most, load_part(from + i, bytes - i, flips));
	for (uint32_t i = VECTOR / 2; i; i /= 2)
		most = Q6_Vub_vmax_VubVub(most, Q6_V_vror_VR(most, i));
	return Q6_R_vextract_VR(most, 0) & 255;
}

/* The number of lanes up to the last one, of a prefix sum. */
static inline uint32_t last_byte(HVX_Vector v)
{
	return (uint32_t)Q6_R_vextract_VR(v, VECTOR - 4) >> 24;
}

/*
 * Returns the place of the first or last element of up to a vector that is `wanted`; VECTOR if
 * there is none.
 */
static inline uint32_t find_place(const uint8_t *from, uint32_t bytes, HVX_Vector flips,
				  HVX_Vector wanted, bool is_last)
{
	HVX_VectorPred is_it = Q6_Q_vcmp_eq_VbVb(load_part(from, bytes, flips), wanted);
	HVX_Vector until, total;
	uint32_t count;

	if (bytes < VECTOR)
		is_it = Q6_Q_and_QQ(is_it, first_bytes(bytes));
	until = Q6_Vb_prefixsum_Q(is_it);
	count = last_byte(until);
	if (!count)
		return VECTOR;
	/* Lanes before it have seen less than all of them, or than one. */
	total = splat_b(is_last ? count : 1);
	return last_byte(Q6_Vb_prefixsum_Q(Q6_Q_vcmp_gt_VubVub(total, until)));
}

/* The same of any number of elements, which are looked at from the first or the last on. */
static __attribute__((noinline)) bool find_in_part(const uint8_t *from, uint32_t bytes,
						   uint32_t flip, uint32_t value, bool is_last,
						   uint32_t *place)
{
	HVX_Vector flips = splat_b(flip), wanted = splat_b(value);
	uint32_t vectors = (bytes + VECTOR - 1) / VECTOR;

	for (uint32_t i = 0; i < vectors; i++) {
		uint32_t at = (is_last ? vectors - 1 - i : i) * VECTOR;
		uint32_t lane = find_place(from + at, bytes - at, flips, wanted, is_last);

		if (lane < VECTOR) {
			*place = at + lane;
			return true;
		}
	}
	return false;
}

/*
 * Finds the result of a row. A client may write to it meanwhile: then where it was is anywhere in
 * the row.
 */
static int find_row(struct search *search, const uint8_t *from, uint32_t length, int32_t *to)
{
	uint32_t greatest = 0, parts = (length - 1) / PART + 1, place;

	for (uint32_t i = 0; i < length; i += PART) {
		uint32_t bytes = min_u32(length - i, PART);
		int ret = progress_add(&search->progress,
				       ROW_WORK + bytes / 32 + memory_work(bytes));

		if (ret)
			return ret;
		greatest = find_greatest(from + i, bytes, search->flip, greatest);
	}
	*to = 0;
	for (uint32_t i = 0; i < parts; i++) {
		uint32_t at = (search->is_last ? parts - 1 - i : i) * PART;
		uint32_t bytes = min_u32(length - at, PART);
		int ret = progress_add(&search->progress, ROW_WORK + bytes / 8);

		if (ret)
			return ret;
		if (find_in_part(from + at, bytes, search->flip, greatest, search->is_last,
				 &place)) {
			*to = at + place;
			break;
		}
	}
	return 0;
}

static int find_rows(struct search *search, uint32_t length)
{
	const struct nn_tensor *input = &search->call->input[0];
	int32_t *to = (int32_t *)search->call->output[0].data;

	for (uint64_t at = 0; at < input->bytes; at += length) {
		int ret = find_row(search, input->data + at, length, to++);

		if (ret)
			return ret;
	}
	return 0;
}

/* Elements of the input from one index along the axis to the next. */
static uint64_t find_step(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	uint64_t step = 1;

	for (uint32_t i = input->rank; i-- > call->op->arg.axis + 1;)
		step *= input->dims[i];
	return step;
}

int nn_arg_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	uint32_t length = input->dims[call->op->arg.axis];
	uint64_t step = find_step(call);
	struct search search = {
		.call = call,
		.progress.call = call,
		.flip = flip_of(input) ^ (call->op->arg.form == NN_ARG_MIN ? 0xff : 0),
		.is_last = call->op->arg.last,
	};

	if (!nn_arg_has_vectors(call))
		return nn_arg_portable(call);
	if (step > 1)
		return find_columns(&search, length, step);
	if (length > 1 && length <= MOST_SHORT &&
	    input->bytes >= (uint64_t)length * (length < VECTOR ? LEAST_ROWS : VECTOR) &&
	    call->scratch_size >=
		    sizeof(struct best) + (length + 1) * VECTOR + TRANSPOSE_SCRATCH)
		return find_short_rows(&search, length);
	return find_rows(&search, length);
}
