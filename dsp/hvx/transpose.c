// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE on HVX.
 *
 * Dimensions that stay side by side are one. What is left is a matrix, of elements of 1 to 8 bytes,
 * whose columns become rows, for each index of the other dimensions. Its address has the bits of
 * row and column, and to transpose it is to rotate these: as many times as a row's number has bits,
 * the first half of the matrix and the second are taken element by element in turn, which is what
 * vshuff does with two vectors. Eight vectors at a time have three of those steps in registers.
 *
 * Images of three channels are no power of two. Their rows are spread to every third place, or
 * gathered from there, by a delta network: of a permutation that takes place p from source(p) =
 * factor * (p - first) modulo a power of two, the switches at place p are p ^ source(p), because
 * each bit of the source depends on none of the higher bits of p.
 *
 * A matrix is done in tiles. The last tile in a direction ends where the matrix does, and makes
 * some of what the one before it has made once more. Matrices that are smaller, and in one
 * direction no power of two, are for the portable kernel.
 */
#include "../kernels/checks.h"
#include "../kernels/progress.h"
#include "kernels.h"
#include "vector.h"

#define VECTOR_WORK	24	/* of a vector of the output */
#define THREE_TILES	64u	/* at a time: what is made for the first serves the others */

/* From rows to columns. A pitch is the bytes between two rows. */
struct matrix {
	uint32_t rows, columns;		/* of the input */
	uint64_t from_pitch;		/* of the input's rows, */
	uint64_t to_pitch;		/* and of the output's, which were columns */
	uint32_t size;			/* of an element: 1, 2, 4 or 8 bytes */
	const uint8_t *from_end;	/* nothing may be read from there on */
};

/* Where a dimension of the output is, in both. */
struct dimension {
	uint32_t count;
	uint64_t from_stride, to_stride;
};

/* ---- Powers of two ---- */

/* `count` times so many vectors: `next` bytes apart, each time `step` bytes farther. */
struct pass {
	const uint8_t *from;
	uint8_t *to;
	uint32_t from_next, from_step, to_next, to_step;
	uint32_t count;
	int32_t unit;		/* -1 * the bytes of an element */
};

/* Elements of two vectors in turn, and back. */
static inline void zip(HVX_Vector *first, HVX_Vector *second, int32_t unit, bool back)
{
	HVX_VectorPair pair = back ? Q6_W_vdeal_VVR(*second, *first, unit) :
				     Q6_W_vshuff_VVR(*second, *first, unit);

	*first = Q6_V_lo_W(pair);
	*second = Q6_V_hi_W(pair);
}

static inline void zip_2(const struct pass *pass, bool back)
{
	const uint8_t *from = pass->from;
	uint8_t *to = pass->to;

	for (uint32_t i = 0; i < pass->count; i++, from += pass->from_step, to += pass->to_step) {
		HVX_Vector v0 = load(from), v1 = load(from + pass->from_next);

		zip(&v0, &v1, pass->unit, back);
		store(to, v0);
		store(to + pass->to_next, v1);
	}
}

static inline void zip_4(const struct pass *pass, bool back)
{
	const uint32_t far = pass->from_next, next = pass->to_next;
	const int32_t unit = pass->unit;
	const uint8_t *from = pass->from;
	uint8_t *to = pass->to;

	for (uint32_t i = 0; i < pass->count; i++, from += pass->from_step, to += pass->to_step) {
		HVX_Vector v0 = load(from), v1 = load(from + far), v2 = load(from + 2 * far);
		HVX_Vector v3 = load(from + 3 * far);

		if (back) {
			zip(&v0, &v1, unit, back);
			zip(&v2, &v3, unit, back);
		}
		zip(&v0, &v2, unit, back);
		zip(&v1, &v3, unit, back);
		if (!back) {
			zip(&v0, &v1, unit, back);
			zip(&v2, &v3, unit, back);
		}
		store(to, v0);
		store(to + next, v1);
		store(to + 2 * next, v2);
		store(to + 3 * next, v3);
	}
}

static inline void zip_8(const struct pass *pass, bool back)
{
	const uint32_t far = pass->from_next, next = pass->to_next;
	const int32_t unit = pass->unit;
	const uint8_t *from = pass->from;
	uint8_t *to = pass->to;

	for (uint32_t i = 0; i < pass->count; i++, from += pass->from_step, to += pass->to_step) {
		HVX_Vector v0 = load(from), v1 = load(from + far), v2 = load(from + 2 * far);
		HVX_Vector v3 = load(from + 3 * far), v4 = load(from + 4 * far);
		HVX_Vector v5 = load(from + 5 * far), v6 = load(from + 6 * far);
		HVX_Vector v7 = load(from + 7 * far);

		if (back) {
			zip(&v0, &v1, unit, back);
			zip(&v2, &v3, unit, back);
			zip(&v4, &v5, unit, back);
			zip(&v6, &v7, unit, back);
		} else {
			zip(&v0, &v4, unit, back);
			zip(&v1, &v5, unit, back);
			zip(&v2, &v6, unit, back);
			zip(&v3, &v7, unit, back);
		}
		zip(&v0, &v2, unit, back);
		zip(&v4, &v6, unit, back);
		zip(&v1, &v3, unit, back);
		zip(&v5, &v7, unit, back);
		if (back) {
			zip(&v0, &v4, unit, back);
			zip(&v1, &v5, unit, back);
			zip(&v2, &v6, unit, back);
			zip(&v3, &v7, unit, back);
		} else {
			zip(&v0, &v1, unit, back);
			zip(&v2, &v3, unit, back);
			zip(&v4, &v5, unit, back);
			zip(&v6, &v7, unit, back);
		}
		store(to, v0);
		store(to + next, v1);
		store(to + 2 * next, v2);
		store(to + 3 * next, v3);
		store(to + 4 * next, v4);
		store(to + 5 * next, v5);
		store(to + 6 * next, v6);
		store(to + 7 * next, v7);
	}
}

static __attribute__((noinline)) void zip_forth(const struct pass *pass, uint32_t bits)
{
	if (bits == 3)
		zip_8(pass, false);
	else if (bits == 2)
		zip_4(pass, false);
	else
		zip_2(pass, false);
}

static __attribute__((noinline)) void zip_back(const struct pass *pass, uint32_t bits)
{
	if (bits == 3)
		zip_8(pass, true);
	else if (bits == 2)
		zip_4(pass, true);
	else
		zip_2(pass, true);
}

/* A power of two of vectors, and the bytes from one to the next. */
struct tile {
	const uint8_t *from;
	uint8_t *to;
	uint32_t from_pitch, to_pitch;
	uint32_t vectors, size;		/* and the bytes of an element */
};

/*
 * Rotates elements' numbers by so many bits, to the left or back, through scratch memory where once
 * is not enough.
 */
static void rotate(const struct tile *tile, uint32_t bits, bool back, uint8_t *scratch)
{
	const uint32_t most = __builtin_ctz(tile->vectors);
	struct pass pass = { .from = tile->from, .unit = -(int32_t)tile->size };
	uint32_t from_pitch = tile->from_pitch, side = 0;

	while (bits) {
		uint32_t step = min_u32(min_u32(bits, most), 3), to_pitch = VECTOR;

		bits -= step;
		pass.count = tile->vectors >> step;
		pass.to = scratch + side * tile->vectors * VECTOR;
		if (!bits) {
			pass.to = tile->to;
			to_pitch = tile->to_pitch;
		}
		pass.from_next = back ? from_pitch : from_pitch * pass.count;
		pass.from_step = back ? from_pitch << step : from_pitch;
		pass.to_next = back ? to_pitch * pass.count : to_pitch;
		pass.to_step = back ? to_pitch : to_pitch << step;
		if (back)
			zip_back(&pass, step);
		else
			zip_forth(&pass, step);
		pass.from = pass.to;
		from_pitch = VECTOR;
		side = !side;
	}
}

/* ---- Three ---- */

/* Elements of `unit` bytes: the place of each. */
static inline HVX_Vector places(void)
{
	return Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(Q6_Q_vsetq2_R(VECTOR)), splat_b(1));
}

/* factor * (place - first), in bytes; `first` is in bytes. */
static inline HVX_Vector sources(uint32_t factor, uint32_t first, uint32_t size)
{
	HVX_Vector in_element = Q6_V_vand_VV(places(), splat_b(size - 1));
	HVX_Vector element = Q6_Vb_vsub_VbVb(places(), in_element);
	HVX_Vector from_first = Q6_Vb_vsub_VbVb(element, splat_b(first));
	HVX_VectorPair product = Q6_Wuh_vmpy_VubRub(from_first, factor * 0x1010101);
	HVX_Vector low = Q6_Vb_vshuffe_VbVb(Q6_V_hi_W(product), Q6_V_lo_W(product));

	return Q6_V_vand_VV(Q6_V_vor_VV(low, in_element), splat_b(VECTOR - 1));
}

/* What vrdelta needs to take each place from its source. */
static inline HVX_Vector switches(HVX_Vector sources)
{
	return Q6_V_vxor_VV(sources, places());
}

static inline HVX_Vector load_before(const uint8_t *from, const uint8_t *end)
{
	return end - from >= VECTOR ? load(from) : load_bytes(from, end - from);
}

#define THIRD	43	/* times 3 is 1, modulo 128 */

/* Three rows, in turn: `tiles` times as many elements of each as a vector has. */
static __attribute__((noinline)) void interleave_3(const struct matrix *matrix, const uint8_t *from,
						   uint8_t *to, uint32_t tiles)
{
	const uint32_t size = matrix->size, count = VECTOR / size, thirds = (count + 2) / 3;
	const HVX_Vector source0 = sources(THIRD, 0, size), source1 = sources(THIRD, size, size);
	const HVX_Vector source2 = sources(THIRD, 2 * size, size);
	const HVX_Vector switch0 = switches(source0), switch1 = switches(source1);
	const HVX_Vector switch2 = switches(source2);
	const HVX_VectorPred is0 = Q6_Q_vcmp_gt_VubVub(splat_b(thirds * size), source0);
	const HVX_VectorPred is1 = Q6_Q_vcmp_gt_VubVub(splat_b(thirds * size), source1);
	const uint8_t *end = matrix->from_end;
	const uint8_t *at[3][3];

	/* Of the elements at places 0, 1 and 2 of a vector: where they are. */
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t element = i * count + k;

			at[i][k] = from + element % 3 * (uint32_t)matrix->from_pitch +
				   element / 3 * size;
		}
	}
	/* The last tile's vectors may reach past the end. */
	for (uint32_t i = 0; i < 3; i++) {
		const uint8_t *from0 = at[i][0], *from1 = at[i][1], *from2 = at[i][2];
		uint8_t *next = to + i * VECTOR;
		HVX_Vector v0, v1, v2;

		for (uint32_t tile = 1; tile < tiles; tile++, next += 3 * VECTOR) {
			v0 = Q6_V_vrdelta_VV(load(from0), switch0);
			v1 = Q6_V_vrdelta_VV(load(from1), switch1);
			v2 = Q6_V_vrdelta_VV(load(from2), switch2);
			store(next, Q6_V_vmux_QVV(is0, v0, Q6_V_vmux_QVV(is1, v1, v2)));
			from0 += VECTOR;
			from1 += VECTOR;
			from2 += VECTOR;
		}
		v0 = Q6_V_vrdelta_VV(load_before(from0, end), switch0);
		v1 = Q6_V_vrdelta_VV(load_before(from1, end), switch1);
		v2 = Q6_V_vrdelta_VV(load_before(from2, end), switch2);
		store(next, Q6_V_vmux_QVV(is0, v0, Q6_V_vmux_QVV(is1, v1, v2)));
	}
}

/* `tiles` times as many triples as a vector has elements, into three rows. */
static __attribute__((noinline)) void deinterleave_3(const struct matrix *matrix,
						     const uint8_t *from, uint8_t *to,
						     uint32_t tiles)
{
	const uint32_t size = matrix->size, count = VECTOR / size, thirds = (count + 2) / 3;
	const HVX_Vector switch0 = switches(sources(3, 0, size));
	const HVX_Vector switch1 = switches(sources(3, thirds * size, size));
	const HVX_Vector switch2 = switches(sources(3, 2 * thirds * size, size));
	const HVX_VectorPred is0 = Q6_Q_vsetq_R(thirds * size);
	const HVX_VectorPred is1 = Q6_Q_vsetq_R(2 * thirds * size);
	const uint32_t part = thirds * 3 * size, row = matrix->to_pitch;
	const uint8_t *end = matrix->from_end;

	for (uint32_t i = 0; i < 3; i++, from += size, to += row) {
		const uint8_t *first = from;
		uint8_t *next = to;

		for (uint32_t tile = 0; tile < tiles; tile++, next += VECTOR) {
			HVX_Vector v0 = Q6_V_vrdelta_VV(load(first), switch0);
			HVX_Vector v1 = Q6_V_vrdelta_VV(load(first + part), switch1);
			HVX_Vector v2 = Q6_V_vrdelta_VV(load_before(first + 2 * part, end),
							switch2);

			store(next, Q6_V_vmux_QVV(is0, v0, Q6_V_vmux_QVV(is1, v1, v2)));
			first += 3 * VECTOR;
		}
	}
}

/* ---- A matrix ---- */

enum way {
	WAY_NONE,
	WAY_TILES,		/* as many rows and columns as a vector has elements */
	WAY_FEW_COLUMNS,	/* rows side by side, a power of two of columns */
	WAY_FEW_ROWS,		/* columns side by side in the output, a power of two of rows */
	WAY_THREE_COLUMNS,
	WAY_THREE_ROWS,
};

static bool is_power_of_two(uint32_t x)
{
	return !(x & (x - 1));
}

static enum way way_of(const struct matrix *matrix)
{
	const uint32_t rows = matrix->rows, columns = matrix->columns;
	const uint32_t count = VECTOR / matrix->size;

	if (rows >= count && columns >= count)
		return WAY_TILES;
	if (rows >= count && matrix->from_pitch == columns * matrix->size) {
		if (columns == 3)
			return WAY_THREE_COLUMNS;
		return is_power_of_two(columns) ? WAY_FEW_COLUMNS : WAY_NONE;
	}
	if (columns >= count && matrix->to_pitch == rows * matrix->size) {
		if (rows == 3)
			return WAY_THREE_ROWS;
		return is_power_of_two(rows) ? WAY_FEW_ROWS : WAY_NONE;
	}
	return WAY_NONE;
}

/* Bytes of scratch memory: for two passes and more, two tiles. */
static uint32_t scratch_of(enum way way, const struct matrix *matrix)
{
	const uint32_t count = VECTOR / matrix->size;
	const uint32_t vectors = min_u32(min_u32(matrix->rows, matrix->columns), count);

	return way <= WAY_FEW_ROWS && vectors > 8 ? 2 * vectors * VECTOR : 0;
}

/* The tile that begins at a row and a column, or with three rows or columns `tiles` of them. */
static void transpose_tile(const struct nn_call *call, const struct matrix *matrix, enum way way,
			   const uint8_t *from, uint8_t *to, uint32_t tiles)
{
	const uint32_t count = VECTOR / matrix->size;
	struct tile tile = {
		.from = from,
		.to = to,
		.from_pitch = matrix->from_pitch,
		.to_pitch = matrix->to_pitch,
		.vectors = count,
		.size = matrix->size,
	};

	switch (way) {
	case WAY_TILES:
		rotate(&tile, __builtin_ctz(count), false, call->scratch);
		break;
	case WAY_FEW_COLUMNS:
		tile.from_pitch = VECTOR;
		tile.vectors = matrix->columns;
		rotate(&tile, __builtin_ctz(matrix->columns), true, call->scratch);
		break;
	case WAY_FEW_ROWS:
		tile.to_pitch = VECTOR;
		tile.vectors = matrix->rows;
		rotate(&tile, __builtin_ctz(matrix->rows), false, call->scratch);
		break;
	case WAY_THREE_COLUMNS:
		deinterleave_3(matrix, from, to, tiles);
		break;
	case WAY_THREE_ROWS:
		interleave_3(matrix, from, to, tiles);
		break;
	case WAY_NONE:
		break;
	}
}

/* How many tiles of `step` are done at once where there are `left`, at least `step`. */
static uint32_t tiles_of(bool may_be_many, uint32_t left, uint32_t step)
{
	return may_be_many ? min_u32(left / step, THREE_TILES) : 1;
}

static int transpose_matrix(struct progress *progress, const struct matrix *matrix, enum way way,
			    const uint8_t *from, uint8_t *to)
{
	const uint32_t count = VECTOR / matrix->size;
	const uint32_t columns = min_u32(matrix->columns, count);
	const uint32_t rows = min_u32(matrix->rows, count);
	const uint32_t work = (rows < columns ? columns : rows) * VECTOR_WORK +
			      rows * stride_work(matrix->from_pitch) +
			      columns * stride_work(matrix->to_pitch);
	uint32_t down, right;

	for (uint32_t i = 0; i < matrix->rows; i += down * rows) {
		uint32_t row = min_u32(i, matrix->rows - rows);

		down = tiles_of(way == WAY_THREE_COLUMNS, matrix->rows - row, rows);
		for (uint32_t j = 0; j < matrix->columns; j += right * columns) {
			uint32_t column = min_u32(j, matrix->columns - columns);
			int ret;

			right = tiles_of(way == WAY_THREE_ROWS, matrix->columns - column, columns);
			ret = progress_add(progress, work * down * right);
			if (ret)
				return ret;
			transpose_tile(progress->call, matrix, way,
				       from + row * matrix->from_pitch + column * matrix->size,
				       to + column * matrix->to_pitch + row * matrix->size,
				       down * right);
		}
	}
	return 0;
}

/* ---- All of them ---- */

/* The output's dimensions, those that stay side by side as one and those of 1 left out. */
static uint32_t find_dimensions(const struct nn_call *call, struct dimension *dimensions)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t from_stride[NN_MAX_RANK], bytes = nn_type_size(input->type);
	uint32_t count = 0;

	for (uint32_t i = input->rank; i-- > 0;) {
		from_stride[i] = bytes;
		bytes *= input->dims[i];
	}
	for (uint32_t i = 0; i < output->rank; i++) {
		uint64_t stride = from_stride[call->op->transpose.permutation[i]];
		uint32_t size = output->dims[i];

		if (size == 1)
			continue;
		if (count && dimensions[count - 1].from_stride == stride * size) {
			dimensions[count - 1].count *= size;
			dimensions[count - 1].from_stride = stride;
		} else {
			dimensions[count++] = (struct dimension){ size, stride, 0 };
		}
	}
	bytes = nn_type_size(input->type);
	for (uint32_t i = count; i-- > 0;) {
		dimensions[i].to_stride = bytes;
		bytes *= dimensions[i].count;
	}
	return count;
}

/*
 * Takes the matrix out of the dimensions: the output's last one, and that whose elements are side
 * by side in the input. False: they are the same, or elements are large.
 */
static bool find_matrix(const struct nn_call *call, struct dimension *dimensions, uint32_t *count,
			struct matrix *matrix)
{
	const struct nn_tensor *input = &call->input[0];
	const uint32_t size = nn_type_size(input->type);
	uint32_t last = *count - 1, i = 0;

	if (*count < 2 || dimensions[last].from_stride == size)
		return false;
	while (dimensions[i].from_stride != size)
		i++;
	*matrix = (struct matrix){
		.rows = dimensions[last].count,
		.columns = dimensions[i].count,
		.from_pitch = dimensions[last].from_stride,
		.to_pitch = dimensions[i].to_stride,
		.size = size,
		.from_end = input->data + input->bytes,
	};
	*count = last - 1;
	for (; i < *count; i++)
		dimensions[i] = dimensions[i + 1];
	return true;
}

int nn_transpose_hvx(const struct nn_call *call)
{
	struct dimension dimensions[NN_MAX_RANK];
	uint32_t index[NN_MAX_RANK] = { 0 }, count;
	struct progress progress = { .call = call };
	const uint8_t *from = call->input[0].data;
	uint8_t *to = call->output[0].data;
	struct matrix matrix;
	enum way way;

	if (!call->output[0].bytes)
		return 0;
	count = find_dimensions(call, dimensions);
	if (!find_matrix(call, dimensions, &count, &matrix))
		return nn_transpose_portable(call);
	way = way_of(&matrix);
	if (way == WAY_NONE || call->scratch_size < scratch_of(way, &matrix))
		return nn_transpose_portable(call);

	while (true) {
		int ret = transpose_matrix(&progress, &matrix, way, from, to);
		uint32_t i = count;

		if (ret)
			return ret;
		/* The next index of the others. */
		while (i-- > 0) {
			from += dimensions[i].from_stride;
			to += dimensions[i].to_stride;
			if (++index[i] < dimensions[i].count)
				break;
			from -= index[i] * dimensions[i].from_stride;
			to -= index[i] * dimensions[i].to_stride;
			index[i] = 0;
		}
		if (i == UINT32_MAX)
			return 0;
	}
}
