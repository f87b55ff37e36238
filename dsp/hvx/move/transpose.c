// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE permutes dimensions. nn_transpose_hvx() is its vector kernel, in the table of
 * kernels.c.
 *
 * Dimensions that stay side by side become one. What is left is a matrix, of elements of 1 to 8
 * bytes, whose columns become rows, for each index of the other dimensions:
 *
 *	input, from_pitch a row     |a0 a1 a2 ...|	output, to_pitch a row   |a0 b0 c0 ...|
 *	                            |b0 b1 b2 ...|	                         |a1 b1 c1 ...|
 *
 * It is done in tiles (transpose_tile.c) of as many rows and columns as a vector has elements, or
 * as there are. What is left over is a narrow tile, or one that ends where the matrix does and
 * computes some results of the one before it again. Matrices of three or eight rows or columns
 * (transpose_rgb.c, nn_transpose_eight()), of multiples of eight (transpose_8bytes.c) and of 33 to
 * 63 rows (transpose_under64.c) have faster ways.
 *
 * Where the last dimension stays the last one there is no matrix, but blocks that have steps
 * (loops.h); so are small matrices, as those of a shuffle of channels, and ones of few rows or
 * columns where that takes fewer packets.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/loops.h"
#include "dsp/hvx/move/transpose.h"
#include "dsp/hvx/move/transpose_8bytes.h"
#include "dsp/hvx/move/transpose_under64.h"
#include "dsp/hvx/move/units.h"

#define VECTOR_WORK	32	/* for a vector of the output */
#define TILE_WORK	400
#define NARROW_TILES	64u	/* at a time: controls of the first serve the others */
#define ELEMENT_WORK	13u	/* for an element alone */
#define LEAST		64u	/* bytes of a matrix: of less, elements are moved one by one */

/*
 * A dimension of the output, and its strides in bytes in the input and the output, which are below
 * 2^32 as the DSP's addresses are.
 */
struct dimension {
	uint32_t count;
	uint32_t from_stride, to_stride;
};

/* ---- A matrix ---- */

/* Rows or columns that are done together. */
struct span {
	uint32_t first, count;
};

/*
 * Returns those of `total` that follow the first `done`: `most` or what is left, or the last `most`
 * of all if more than `narrow` are left. If all are less than `most`, and more than half but at
 * most three quarters of it are left, half of `most` comes first: two smaller tiles have fewer
 * vectors than a whole one.
 */
static struct span next_span(uint32_t total, uint32_t done, uint32_t most, uint32_t narrow)
{
	uint32_t left = total - done;

	if (left >= most)
		return (struct span){ done, most };
	if (total < most && left > most / 2 && left <= most / 4 * 3)
		return (struct span){ done, most / 2 };
	if (left > narrow && total >= most)
		return (struct span){ total - most, most };
	return (struct span){ done, left };
}

static uint32_t work_of(const struct matrix *matrix, const struct tile *tile)
{
	return TILE_WORK + (tile->rows < tile->columns ? tile->columns : tile->rows) * VECTOR_WORK +
	       tile->rows * stride_work(matrix->from_pitch) +
	       tile->columns * stride_work(matrix->to_pitch);
}

/*
 * Transposes a matrix tile by tile. Narrow tiles take longer than their share: few columns twice as
 * long, few rows four times.
 */
static __attribute__((noinline)) int transpose_tiles(struct progress *progress,
						     const struct matrix *matrix,
						     const uint8_t *from, uint8_t *to)
{
	const uint32_t most = matrix->count;
	struct span rows, columns;

	for (uint32_t row = 0; row < matrix->rows; row = rows.first + rows.count) {
		rows = next_span(matrix->rows, row, most, most / 4);
		for (uint32_t i = 0; i < matrix->columns; i = columns.first + columns.count) {
			struct tile tile;
			int ret;

			columns = next_span(matrix->columns, i, most, most / 2);
			tile = (struct tile){
				.from = from + rows.first * matrix->from_pitch +
					columns.first * matrix->size,
				.to = to + columns.first * matrix->to_pitch +
				      rows.first * matrix->size,
				.rows = rows.count,
				.columns = columns.count,
			};
			ret = progress_add(progress, work_of(matrix, &tile));
			if (ret)
				return ret;
			nn_transpose_tile(matrix, &tile);
		}
	}
	return 0;
}

/* Transposes a matrix of three rows or columns, whose other dimension is `length`. */
static int transpose_three(struct progress *progress, const struct matrix *matrix, uint32_t length,
			   const uint8_t *from, uint8_t *to)
{
	const uint32_t most = matrix->count, size = matrix->size;
	const bool are_rows = matrix->rows == 3;

	for (uint32_t i = 0, done; i < length; i += done) {
		struct span span = next_span(length, i, most, 0);
		uint32_t tiles = min_u32((length - span.first) / most, NARROW_TILES);
		int ret = progress_add(progress, tiles * (most * VECTOR_WORK + TILE_WORK));

		if (ret)
			return ret;
		done = tiles * most;
		if (are_rows)
			nn_transpose_three_rows(matrix, from + span.first * size,
						to + span.first * 3 * size, tiles);
		else
			nn_transpose_three_columns(matrix, from + span.first * 3 * size,
						   to + span.first * size, tiles);
	}
	return 0;
}

/*
 * Tells whether there are eight rows or columns that lie side by side, and whole aligned vectors of
 * the other dimension.
 */
static bool are_eight(const struct matrix *matrix, const uint8_t *from, const uint8_t *to)
{
	const uint32_t bytes = 8 * matrix->size;
	const bool are_rows = matrix->rows == 8 && matrix->to_pitch == bytes;
	uint64_t pitch = are_rows ? matrix->from_pitch : matrix->to_pitch;
	uint32_t length = are_rows ? matrix->columns : matrix->rows;

	if (!are_rows && (matrix->columns != 8 || matrix->from_pitch != bytes))
		return false;
	return length % matrix->count == 0 &&
	       ((uintptr_t)from | (uintptr_t)to | pitch) % VECTOR == 0 && pitch < 1u << 28;
}

static int transpose_eight(struct progress *progress, const struct matrix *matrix,
			   const uint8_t *from, uint8_t *to)
{
	const bool are_rows = matrix->rows == 8 && matrix->to_pitch == 8 * matrix->size;
	const uint32_t length = are_rows ? matrix->columns : matrix->rows;
	const uint32_t pitch = are_rows ? matrix->from_pitch : matrix->to_pitch;
	const uint32_t work = 8 * (VECTOR_WORK + stride_work(pitch));

	for (uint32_t left = length / matrix->count, tiles; left; left -= tiles) {
		int ret;

		tiles = min_u32(left, NARROW_TILES);
		ret = progress_add(progress, TILE_WORK + tiles * work);
		if (ret)
			return ret;
		nn_transpose_eight(matrix, from, to, tiles, are_rows);
		from += tiles * VECTOR * (are_rows ? 1 : 8);
		to += tiles * VECTOR * (are_rows ? 8 : 1);
	}
	return 0;
}

/*
 * Transposes a matrix whose columns are a multiple of eight: 128 rows at a time, of which the last
 * end where the matrix does.
 */
static int transpose_8bytes_columns(struct progress *progress, const struct matrix *matrix,
				    const uint8_t *from, uint8_t *to)
{
	struct span rows;

	for (uint32_t row = 0; row < matrix->rows; row = rows.first + rows.count) {
		rows = next_span(matrix->rows, row, TRANSPOSE_PIXELS, 0);
		for (uint32_t i = 0, end; i < matrix->columns; i = end) {
			struct tile tile = { .rows = rows.count };
			int ret;

			end = min_u32(matrix->columns, i + TRANSPOSE_COLUMNS);
			tile.columns = end - i;
			ret = progress_add(progress, work_of(matrix, &tile));
			if (ret)
				return ret;
			nn_transpose_from_8bytes(matrix, from + rows.first * matrix->from_pitch,
						 to + rows.first, i, end);
		}
	}
	return 0;
}

/*
 * Transposes a matrix whose rows are a multiple of eight: 128 columns at a time, of which the last
 * end where the matrix does.
 */
static int transpose_8bytes_rows(struct progress *progress, const struct matrix *matrix,
				 const uint8_t *from, uint8_t *to)
{
	const struct tile tile = { .rows = matrix->rows, .columns = TRANSPOSE_PIXELS };
	/*
	 * Six rows of the output, of 24 bytes or more each, have room for a vector that is stored
	 * too much.
	 */
	const uint32_t near_end = matrix->columns - 5;
	struct span columns;

	for (uint32_t i = 0; i < matrix->columns; i = columns.first + columns.count) {
		int ret = progress_add(progress, work_of(matrix, &tile));

		if (ret)
			return ret;
		columns = next_span(matrix->columns, i, TRANSPOSE_PIXELS, 0);
		nn_transpose_to_8bytes(matrix, from + columns.first,
				       to + columns.first * matrix->to_pitch,
				       columns.first + TRANSPOSE_PIXELS >= near_end);
	}
	return 0;
}

/*
 * Transposes a matrix of less than 64 rows: 128 columns at a time, of which the last end where the
 * matrix does.
 */
static __attribute__((noinline)) int transpose_under64_rows(struct progress *progress,
							    const struct matrix *matrix,
							    const uint8_t *from, uint8_t *to)
{
	const struct tile tile = { .rows = matrix->rows, .columns = VECTOR };
	const uint32_t work = work_of(matrix, &tile);
	struct transpose_under64 few;
	struct span columns;

	nn_transpose_under64_settle(&few, matrix);
	for (uint32_t i = 0; i < matrix->columns; i = columns.first + columns.count) {
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		columns = next_span(matrix->columns, i, VECTOR, 0);
		/* Rows have more than 32 bytes: two more have room for what is stored too much. */
		nn_transpose_under64(&few, matrix, from + columns.first,
				     to + columns.first * matrix->to_pitch,
				     columns.first + columns.count + 1 >= matrix->columns);
	}
	return 0;
}

/*
 * A control for vdelta that moves parts of `part` bytes, which lie side by side, to every `spread`
 * bytes, the next power of two:
 *
 *	vector  |aaabbbcccddd....|   becomes  |aaa.bbb.ccc.ddd.|
 */
static HVX_Vector spread_control(uint32_t part, uint32_t spread)
{
	HVX_Vector in_part = Q6_V_vand_VV(delta_indices(), splat_b(spread - 1));
	HVX_Vector number = Q6_Vuh_vlsr_VuhR(Q6_V_vand_VV(delta_indices(), splat_b(-spread)),
					     __builtin_ctz(spread));
	HVX_VectorPair first = Q6_Wuh_vmpy_VubRub(number, part * 0x1010101);
	HVX_Vector source = Q6_Vb_vadd_VbVb(Q6_Vb_vshuffe_VbVb(Q6_V_hi_W(first),
							       Q6_V_lo_W(first)), in_part);

	return delta_spread(source, Q6_Q_vcmp_gt_VubVub(splat_b(part), in_part));
}

void nn_transpose_prepare(struct matrix *matrix)
{
	uint32_t parts = matrix->columns < matrix->count ? matrix->columns : matrix->rows;
	uint32_t bytes = parts * matrix->size, spread = matrix->size << transpose_bits(parts);
	HVX_Vector *control = (HVX_Vector *)matrix->scratch;

	if (parts >= matrix->count)
		return;
	*control = bytes == spread ? Q6_V_vzero() : spread_control(bytes, spread);
	matrix->control = control;
	matrix->scratch += VECTOR;
}

static int transpose_matrix(struct progress *progress, const struct matrix *matrix,
			    const uint8_t *from, uint8_t *to)
{
	const uint32_t most = matrix->count;

	if (are_eight(matrix, from, to))
		return transpose_eight(progress, matrix, from, to);
	if (matrix->columns == 3 && matrix->rows >= most && matrix->from_pitch == 3 * matrix->size)
		return transpose_three(progress, matrix, matrix->rows, from, to);
	if (matrix->rows == 3 && matrix->columns >= most && matrix->to_pitch == 3 * matrix->size)
		return transpose_three(progress, matrix, matrix->columns, from, to);
	if (transpose_has_8bytes_columns(matrix))
		return transpose_8bytes_columns(progress, matrix, from, to);
	if (transpose_has_8bytes_rows(matrix))
		return transpose_8bytes_rows(progress, matrix, from, to);
	if (transpose_has_under64_rows(matrix))
		return transpose_under64_rows(progress, matrix, from, to);
	return transpose_tiles(progress, matrix, from, to);
}

int nn_transpose_matrix(struct progress *progress, struct matrix *matrix, const uint8_t *from,
			uint8_t *to)
{
	if ((uint64_t)matrix->rows * matrix->columns * matrix->size >= LEAST) {
		nn_transpose_prepare(matrix);
		return transpose_matrix(progress, matrix, from, to);
	}
	for (uint32_t column = 0; column < matrix->columns; column++) {
		for (uint32_t row = 0; row < matrix->rows; row++)
			__builtin_memcpy(to + column * matrix->to_pitch + row * matrix->size,
					 from + row * matrix->from_pitch + column * matrix->size,
					 matrix->size);
	}
	return 0;
}

/* ---- All matrices of a call ---- */

/* Finds the output's dimensions: those that stay side by side are one, those of 1 are left out. */
static uint32_t find_dimensions(const struct nn_call *call, struct dimension *dimensions)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const uint32_t element = nn_type_size(input->type);
	uint32_t from_stride[NN_MAX_RANK], bytes = element, count = 0;

	for (uint32_t i = input->rank; i-- > 0;) {
		from_stride[i] = bytes;
		bytes *= input->dims[i];
	}
	for (uint32_t i = 0; i < output->rank; i++) {
		uint32_t stride = from_stride[call->op->transpose.permutation[i]];
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
	bytes = element;
	for (uint32_t i = count; i-- > 0;) {
		dimensions[i].to_stride = bytes;
		bytes *= dimensions[i].count;
	}
	return count;
}

/*
 * Takes the matrix out of the dimensions: the output's last one, and that whose elements are side
 * by side in the input. Elements are of `size` bytes. Returns false if the two are the same.
 */
static bool find_matrix(const struct nn_call *call, struct dimension *dimensions, uint32_t *count,
			uint32_t size, struct matrix *matrix)
{
	const struct nn_tensor *input = &call->input[0];
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
		.count = VECTOR >> __builtin_ctz(size),
		.from_end = input->data + input->bytes,
		.to_end = call->output[0].data + call->output[0].bytes,
		.scratch = call->scratch,
	};
	*count = last - 1;
	for (; i < *count; i++)
		dimensions[i] = dimensions[i + 1];
	return true;
}

/*
 * Where the last dimension stays the last one, and is small, all of it is an element. Returns false
 * if there is no matrix of such.
 */
static bool find_matrix_of_pixels(const struct nn_call *call, struct dimension *dimensions,
				  uint32_t *count, struct matrix *matrix)
{
	uint32_t size = nn_type_size(call->input[0].type), last;

	if (*count < 3)
		return false;
	last = dimensions[*count - 1].count;
	if (last > 8 / size || last & (last - 1))
		return false;
	(*count)--;
	return find_matrix(call, dimensions, count, size * last, matrix);
}

static bool is_power(uint32_t number)
{
	return !(number & (number - 1));
}

/*
 * Tells whether matrices, of which there are more if `are_many`, are such that units may be faster:
 * small ones, and those of few rows or columns, which is not three or eight.
 */
static __attribute__((noinline)) bool is_slow(const struct matrix *matrix, bool are_many)
{
	uint32_t rows = matrix->rows, columns = matrix->columns, least = min_u32(rows, columns);

	if (least == 3 &&
	    (rows == 3 ? matrix->to_pitch : matrix->from_pitch) != 3 * matrix->size)
		return true;
	if (least < 8 && least != 3)
		return are_many || rows + columns > VECTOR / 2;
	return are_many && rows < 512 && columns < 512 &&
	       rows * columns * matrix->size < (least == 8 ? 512 : 1024);
}

/*
 * About how many packets it takes by matrices, by what was counted: few rows or columns take
 * longer, and so do those that are no power of two.
 */
static uint64_t count_for_matrices(const struct matrix *matrix, uint64_t bytes,
				   const struct dimension *others, uint32_t count)
{
	static const uint8_t few[17] = {
		0, 0, 50, 36, 25, 22, 18, 16, 13, 12, 10, 10, 9, 8, 8, 7, 7
	};
	uint32_t least = min_u32(matrix->rows, matrix->columns);
	uint64_t matrices = 1;

	for (uint32_t i = 0; i < count; i++)
		matrices *= others[i].count;
	return matrices * 250 + (bytes >> 7) * (8 + few[min_u32(least, 16)] +
						(is_power(least) ? 0 : 10));
}

/* Runs a call by loops, or by units alone if they are faster than `matrices`. */
static __attribute__((noinline)) int run_loops(const struct nn_call *call, uint64_t matrices,
					       bool *is_done)
{
	struct dimension dimensions[NN_MAX_RANK];
	uint32_t count = find_dimensions(call, dimensions);
	struct progress progress = { .call = call };
	const uint8_t *from = call->input[0].data;
	uint8_t *to = call->output[0].data;
	struct loops loops = { 0 };
	struct units units;

	for (uint32_t i = 0; i < count; i++)
		nn_loops_add(&loops, dimensions[i].count, dimensions[i].from_stride,
			     dimensions[i].to_stride);
	nn_loops_end(&loops, nn_type_size(call->input[0].type));
	*is_done = true;
	if (!matrices)
		return nn_loops_run(&progress, &loops, to, from);
	if (nn_units_count(&loops, &units) < matrices && nn_units_settle(call, &loops, &units))
		return nn_units_run(&progress, &loops, &units, to, from);
	*is_done = false;
	return 0;
}

/* Runs matrices that are slow, or tiny, otherwise if that is faster. */
static __attribute__((noinline)) int run_slow(const struct nn_call *call,
					      const struct matrix *matrix,
					      const struct dimension *others, uint32_t count,
					      bool *is_done)
{
	bool is_tiny = matrix->rows < LEAST && matrix->columns < LEAST &&
		       matrix->rows * matrix->columns * matrix->size < LEAST;
	uint64_t bytes = call->output[0].bytes;
	int ret;

	*is_done = false;
	if (!is_tiny && !is_slow(matrix, count))
		return 0;
	/* One that is tiny is done before anything else is known. */
	if (is_tiny && !count) {
		*is_done = true;
		return nn_transpose_elements(call);
	}
	ret = run_loops(call, is_tiny ? (bytes >> __builtin_ctz(matrix->size)) * ELEMENT_WORK :
					count_for_matrices(matrix, bytes, others, count), is_done);
	if (*is_done || !is_tiny)
		return ret;
	*is_done = true;
	return nn_transpose_elements(call);
}

int nn_transpose_hvx(const struct nn_call *call)
{
	struct dimension dimensions[NN_MAX_RANK];
	uint32_t index[NN_MAX_RANK] = { 0 }, count, least;
	struct progress progress = { .call = call };
	const uint8_t *from = call->input[0].data;
	uint8_t *to = call->output[0].data;
	struct matrix matrix;

	if (!call->output[0].bytes)
		return 0;
	count = find_dimensions(call, dimensions);
	if ((!find_matrix(call, dimensions, &count, nn_type_size(call->input[0].type), &matrix) &&
	     !find_matrix_of_pixels(call, dimensions, &count, &matrix)) ||
	    call->scratch_size < TRANSPOSE_SCRATCH + VECTOR) {
		bool is_done;

		return run_loops(call, 0, &is_done);
	}
	/* A single matrix has whole rows; only one of less than eight can be slow, or tiny. */
	least = min_u32(matrix.rows, matrix.columns);
	if (least < 32 &&
	    (count || (least < 8 && (least != 3 || matrix.rows + matrix.columns < 32)))) {
		bool is_done;
		int ret = run_slow(call, &matrix, dimensions, count, &is_done);

		if (is_done)
			return ret;
	}
	nn_transpose_prepare(&matrix);

	while (true) {
		int ret = transpose_matrix(&progress, &matrix, from, to);
		uint32_t i = count;

		if (ret)
			return ret;
		/* The other dimensions' next index. */
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
