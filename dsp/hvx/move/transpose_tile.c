// SPDX-License-Identifier: MIT
/*
 * Transposes a tile, and groups of eight rows or columns, for transpose.c.
 *
 * An element's address has the bits of row and column, and to transpose is to rotate these bits.
 * One rotation by a bit takes the first half of all vectors and the second, element by element in
 * turn, which is what vshuff does with two of them; as many rotations as a row's number has bits
 * transpose the tile:
 *
 *	a0 a1 a2 a3		a0 c0 a1 c1		a0 b0 c0 d0
 *	b0 b1 b2 b3	->	a2 c2 a3 c3	->	a1 b1 c1 d1
 *	c0 c1 c2 c3		b0 d0 b1 d1		a2 b2 c2 d2
 *	d0 d1 d2 d3		b2 d2 b3 d3		a3 b3 c3 d3
 *
 * Eight vectors at a time have three of those steps in registers.
 *
 * Numbers of rows and columns that are no powers of two are made so: rows with fewer bytes are
 * spread to the next power of two first, several in a vector, by a delta network; the output's rows
 * are gathered at the end.
 *
 * Multiples of eight have a faster way where there are 128 in the other dimension
 * (transpose_8bytes.c), and so have 33 to 63 rows (transpose_under64.c).
 */
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/move/transpose.h"
#include "dsp/hvx/move/transpose_loops.h"

/*
 * One pass over the vectors of a tile: groups of 2, 4 or 8 of them are moved in one step or up to
 * three.
 */
struct pass {
	const uint8_t *from;
	uint8_t *to;
	uint32_t from_pitch, to_pitch;
	uint32_t groups;
	int32_t unit;		/* -1 * the bytes of an element */
};

/* Interleaves the elements of two vectors, or takes them apart again. */
static inline void zip(HVX_Vector *first, HVX_Vector *second, int32_t unit, bool back)
{
	HVX_VectorPair pair = back ? Q6_W_vdeal_VVR(*second, *first, unit) :
				     Q6_W_vshuff_VVR(*second, *first, unit);

	*first = Q6_V_lo_W(pair);
	*second = Q6_V_hi_W(pair);
}

/*
 * Says which vectors of a pass are all aligned, those of the input or of the output: their accesses
 * need no packet of their own.
 */
enum alignment { NONE = 0, INPUT = 1, OUTPUT = 2, BOTH = INPUT | OUTPUT };

/* The builtin keeps clang 14 from merging an aligned load and another of the same address. */
static inline HVX_Vector take(const uint8_t *from, enum alignment aligned)
{
	return load(aligned & INPUT ? __builtin_assume_aligned(from, VECTOR) : from);
}

static inline void put(uint8_t *to, HVX_Vector v, enum alignment aligned)
{
	if (aligned & OUTPUT)
		*(HVX_Vector *)to = v;
	else
		store(to, v);
}

/*
 * Moves all groups of a pass. Forth, a group's vectors are far from each other in the input and
 * side by side in the output; back, the other way around. clang 14 unrolls loops over four vectors,
 * not over eight.
 */
static inline __attribute__((always_inline)) void
zip_groups(const struct pass *pass, uint32_t size, bool back, enum alignment aligned)
{
	const uint32_t far = pass->groups, from_pitch = pass->from_pitch, to_pitch = pass->to_pitch;
	const uint32_t from_next = (back ? 1 : far) * from_pitch,
		       to_next = (back ? far : 1) * to_pitch;
	const int32_t unit = pass->unit;
	const uint8_t *from = pass->from;
	uint8_t *to = pass->to;
	HVX_Vector v[8];

	for (uint32_t i = 0; i < far; i++) {
#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			if (j < size)
				v[j] = take(from + j * from_next, aligned);
			if (j + 4 < size)
				v[j + 4] = take(from + (j + 4) * from_next, aligned);
		}
		for (uint32_t step = 1; step < size; step *= 2) {
			uint32_t distance = back ? step : size / 2 / step;

			for (uint32_t j = 0; j < size; j++) {
				if (!(j & distance))
					zip(&v[j], &v[j + distance], unit, back);
			}
		}
#pragma unroll
		for (uint32_t j = 0; j < 4; j++) {
			if (j < size)
				put(to + j * to_next, v[j], aligned);
		}
#pragma unroll
		for (uint32_t j = 4; j < 8; j++) {
			if (j < size)
				put(to + j * to_next, v[j], aligned);
		}
		from += (back ? size : 1) * from_pitch;
		to += (back ? 1 : size) * to_pitch;
	}
}

/* Moves all groups of eight vectors, by the assembly. */
static void zip_eights(const struct pass *pass, bool back)
{
	uint32_t far = pass->groups;
	struct transpose_groups groups = {
		.from = pass->from,
		.to = pass->to,
		.from_next = (back ? 1 : far) * pass->from_pitch,
		.to_next = (back ? far : 1) * pass->to_pitch,
		.from_adjust = back ? 0 : pass->from_pitch - 8 * far * pass->from_pitch,
		.to_adjust = back ? pass->to_pitch - 8 * far * pass->to_pitch : 0,
		.count = far,
		.unit = pass->unit,
	};

	if (back)
		nn_transpose_groups_back(&groups);
	else
		nn_transpose_groups_forth(&groups);
}

void nn_transpose_eight(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			uint32_t tiles, bool are_rows)
{
	struct transpose_groups groups = {
		.from = from,
		.to = to,
		.from_next = are_rows ? matrix->from_pitch : VECTOR,
		.to_next = are_rows ? VECTOR : matrix->to_pitch,
		.from_adjust = are_rows ? VECTOR - 8 * (uint32_t)matrix->from_pitch : 0,
		.to_adjust = are_rows ? 0 : VECTOR - 8 * (uint32_t)matrix->to_pitch,
		.count = tiles,
		.unit = -(int32_t)matrix->size,
	};

	if (are_rows)
		nn_transpose_groups_forth(&groups);
	else
		nn_transpose_groups_back(&groups);
}

static inline __attribute__((always_inline)) void zip_pass(const struct pass *pass, uint32_t bits,
							   bool back)
{
	bool in = ((uintptr_t)pass->from | pass->from_pitch) % VECTOR == 0;
	bool out = ((uintptr_t)pass->to | pass->to_pitch) % VECTOR == 0;

	if (bits == 3 && in && out)
		zip_eights(pass, back);
	else if (bits == 3 && in)
		zip_groups(pass, 8, back, INPUT);
	else if (bits == 3 && out)
		zip_groups(pass, 8, back, OUTPUT);
	else if (bits == 3)
		zip_groups(pass, 8, back, NONE);
	else if (bits == 2 && in && out)
		zip_groups(pass, 4, back, BOTH);
	else if (bits == 2)
		zip_groups(pass, 4, back, NONE);
	else
		zip_groups(pass, 2, back, NONE);
}

static __attribute__((noinline)) void zip_forth(const struct pass *pass, uint32_t bits)
{
	zip_pass(pass, bits, false);
}

static __attribute__((noinline)) void zip_back(const struct pass *pass, uint32_t bits)
{
	zip_pass(pass, bits, true);
}

/* Vectors in memory, `pitch` bytes from one to the next. */
struct vectors {
	uint8_t *data;
	uint32_t pitch;
};

/*
 * Rotates elements' indices by so many bits, to the left or back, in 2^count_bits vectors, through
 * scratch memory where once is not enough.
 */
static void rotate(const struct matrix *matrix, struct vectors from, struct vectors to,
		   uint32_t count_bits, uint32_t bits, bool back)
{
	struct pass pass = { .unit = -(int32_t)matrix->size };
	uint8_t *side = matrix->scratch, *other = side + (VECTOR << count_bits);

	while (bits) {
		uint32_t step = min_u32(min_u32(bits, count_bits), 3);
		struct vectors between = { side, VECTOR };

		bits -= step;
		if (!bits)
			between = to;
		pass.from = from.data;
		pass.from_pitch = from.pitch;
		pass.to = between.data;
		pass.to_pitch = between.pitch;
		pass.groups = 1u << (count_bits - step);
		if (back)
			zip_back(&pass, step);
		else
			zip_forth(&pass, step);
		from = between;
		side = other;
		other = from.data;
	}
}

/* ---- Parts of vectors ---- */

/*
 * Counts the vectors from `from` on, `step` bytes from one to the next, that are not read past the
 * end, at most `count`.
 */
static uint32_t count_whole(const uint8_t *from, const uint8_t *end, uint32_t step, uint32_t count)
{
	if (from + (uint64_t)(count - 1) * step + VECTOR <= end)
		return count;
	while (count && from + (uint64_t)(count - 1) * step + VECTOR > end)
		count--;
	return count;
}

/*
 * Copies `count` rows of a tile of few columns to scratch memory, where each takes the next power
 * of two bytes. The bytes between them are anything. There is room for a vector more.
 */
static void gather_rows(const struct matrix *matrix, uint8_t *to, const uint8_t *from,
			uint32_t bytes, uint32_t spread, uint32_t count)
{
	bool is_dense = bytes == matrix->from_pitch && spread < VECTOR;
	uint32_t bits = is_dense ? 7 - __builtin_ctz(spread) : 0;	/* of rows together */
	uint32_t step = (uint32_t)matrix->from_pitch << bits, to_step = spread << bits, whole;
	uint32_t loads = ((count - 1) >> bits) + 1;

	whole = count_whole(from, matrix->from_end, step, loads);
	if (whole && is_dense)
		nn_spread_vectors(to, from, matrix->control, step, whole);
	else if (whole)
		nn_copy_steps(to, from, to_step, step, whole);
	for (uint32_t i = whole; i < loads; i++) {
		uint32_t left = matrix->from_end - (from + i * step);
		HVX_Vector v = load_bytes(from + i * step, min_u32(left, VECTOR));

		store(to + i * to_step, is_dense ? Q6_V_vdelta_VV(v, *matrix->control) : v);
	}
}

/*
 * Copies the way back: `count` rows of the output, of `bytes` bytes each, which are `spread` bytes
 * from one to the next, a power of two of at most 128. No byte beside them is changed but those of
 * rows that follow.
 */
static void scatter_rows(const struct matrix *matrix, uint8_t *to, const uint8_t *from,
			 uint32_t bytes, uint32_t spread, uint32_t count)
{
	bool is_dense = bytes == matrix->to_pitch && spread < VECTOR;
	uint32_t bits = is_dense ? 7 - __builtin_ctz(spread) : 0;	/* of rows together */
	uint32_t step = (uint32_t)matrix->to_pitch << bits, from_step = spread << bits, whole;
	uint32_t stores = ((count - 1) >> bits) + 1;
	const uint8_t *end = is_dense ? to + count * bytes : matrix->to_end;

	whole = count_whole(to, end, step, stores);
	if (whole && is_dense)
		nn_gather_vectors(to, from, matrix->control, step, whole);
	else if (whole && bytes == VECTOR)
		nn_copy_steps(to, from, step, VECTOR, whole);
	else if (whole)
		nn_copy_blend(to, from, step, spread, bytes, whole);
	for (uint32_t i = whole; i < stores; i++) {
		HVX_Vector v = load(from + i * from_step);
		uint32_t rows = min_u32(1u << bits, count - (i << bits));

		store_bytes(to + i * step, is_dense ? Q6_V_vrdelta_VV(v, *matrix->control) : v,
			    rows * bytes);
	}
}

/* ---- Tiles ---- */

/*
 * Transposes a tile of fewer columns than a vector has elements, all or the last ones, and at most
 * as many rows.
 */
static void transpose_columns(const struct matrix *matrix, const struct tile *tile)
{
	const uint32_t size = matrix->size, bits = transpose_bits(tile->columns);
	const uint32_t bytes = tile->columns * size, spread = size << bits;
	const bool is_even = bytes == spread, is_whole = tile->rows * size == VECTOR;
	struct vectors from = { (uint8_t *)tile->from, VECTOR };
	struct vectors to = { tile->to, matrix->to_pitch };

	if (!is_even || !is_whole || matrix->from_pitch != bytes) {
		from.data = matrix->scratch + (2 * VECTOR << bits);
		gather_rows(matrix, from.data, tile->from, bytes, spread, tile->rows);
	}
	if (is_even && is_whole) {
		rotate(matrix, from, to, bits, bits, true);
		return;
	}
	to = (struct vectors){ matrix->scratch + (3 * VECTOR << bits) + VECTOR, VECTOR };
	rotate(matrix, from, to, bits, bits, true);
	scatter_rows(matrix, tile->to, to.data, tile->rows * size, VECTOR, tile->columns);
}

/*
 * Transposes a tile of fewer rows than a vector has elements, all or the last ones, and as many
 * columns.
 */
static void transpose_rows(const struct matrix *matrix, const struct tile *tile)
{
	const uint32_t size = matrix->size, bits = transpose_bits(tile->rows);
	const uint32_t bytes = tile->rows * size, spread = size << bits;
	struct vectors from = { (uint8_t *)tile->from, matrix->from_pitch };
	struct vectors to = { tile->to, VECTOR };

	if (bytes != spread) {
		from = (struct vectors){ matrix->scratch + (2 * VECTOR << bits), VECTOR };
		nn_copy_steps(from.data, tile->from, VECTOR, matrix->from_pitch, tile->rows);
	}
	if (bytes == spread && matrix->to_pitch == bytes) {
		rotate(matrix, from, to, bits, bits, false);
		return;
	}
	to.data = matrix->scratch + (3 * VECTOR << bits) + VECTOR;
	rotate(matrix, from, to, bits, bits, false);
	scatter_rows(matrix, tile->to, to.data, bytes, spread, matrix->count);
}

void nn_transpose_tile(const struct matrix *matrix, const struct tile *tile)
{
	const struct vectors from = { (uint8_t *)tile->from, matrix->from_pitch };
	const struct vectors to = { tile->to, matrix->to_pitch };
	const uint32_t bits = transpose_bits(matrix->count);

	if (tile->columns < matrix->count)
		transpose_columns(matrix, tile);
	else if (tile->rows < matrix->count)
		transpose_rows(matrix, tile);
	else
		rotate(matrix, from, to, bits, bits, false);
}
