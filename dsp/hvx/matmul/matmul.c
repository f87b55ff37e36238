// SPDX-License-Identifier: MIT
/*
 * MATMUL on HVX: a convolution of one row, whose pixels are the rows of the left matrix and whose
 * weights the right one's columns are, which are packed in scratch memory first (pack.c). Where the
 * left matrix has its elements column by column, it is transposed, there, too.
 *
 *	right matrix -> weights and bias		for each of them, or some of their columns
 *	left matrix -> [rows transposed] -> a convolution (dsp/hvx/conv2d) -> results
 *
 * NN_MATMUL_FIXED rounds twice, the second time with ties away from 0. That is another result than
 * of one rounding only within half of the first rounding's last place of a tie, where results are
 * made one by one.
 */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/matmul.h"
#include "dsp/kernels/scales.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/inner_call.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/conv2d/strip.h"
#include "dsp/hvx/matmul/few.h"
#include "dsp/hvx/matmul/matmul.h"
#include "dsp/hvx/matmul/pack.h"
#include "dsp/hvx/move/transpose.h"

#define LAYER_WORK	4000u	/* of a convolution, beside its products, */
#define GROUP_WORK	1000u	/* and of a group of its rows */
#define CONSTANTS	(4 * (NN_SCALE_ROWS + 1))	/* bytes of a column's, beside weights */

#define NO_WAY		(-1)	/* convolve()'s, where can_run says so */
#define MOST_ROWS	1024u	/* of several left matrices together */

struct product {
	const struct nn_call *call;
	struct matmul_side left, right;
	uint32_t columns;	/* of the right matrix at a time, a multiple of 32 or all */
	uint32_t rows;		/* of the left one */

	/* Scratch memory. */
	uint8_t *weights;	/* of `columns` columns, */
	uint32_t block_bytes;	/* of 32 columns */
	const uint8_t *packed;	/* which begin here in the right matrix; NULL: of none */
	int32_t *bias, *scales;
	uint8_t *turned;	/* `rows` rows of the left matrix, or NULL */
	uint8_t *transposing;	/* where the convolution has its own later */

	/* The convolution, and what of it is prepared. */
	struct nn_program_op op;
	struct nn_call inner;
	struct layer layer;	/* with the progress of all */
	struct memory memory;
	uint32_t prepared_rows, prepared_columns;	/* 0: nothing is */
	uint32_t prepared_place;
	bool can_run;

	struct matmul_pairs next;	/* of several left matrices that are convolved together */
};

/* Takes `bytes` bytes from the beginning of what is left of the scratch memory. */
static uint8_t *take(struct nn_call *inner, uint32_t bytes)
{
	uint8_t *from = inner->scratch;

	bytes = round_up(bytes, VECTOR);
	inner->scratch += bytes;
	inner->scratch_size -= bytes;
	return from;
}

/* The rows that an eighth of all scratch memory has room for; 0: none. */
static uint32_t rows_that_fit(const struct product *product, uint32_t row_bytes)
{
	uint32_t room = product->call->scratch_size / 8, rows = product->left.outer;

	if ((uint64_t)rows * row_bytes > room)
		rows = room / row_bytes / 4 * 4;
	return rows;
}

/*
 * Divides scratch memory: at most half of it is the right matrix, an eighth the left one's rows if
 * they are transposed, and the rest the convolution's. False: there is too little.
 */
static bool divide(struct product *product)
{
	struct nn_call *inner = &product->inner;
	/* An element of a column is a byte, and few enough follow each other. */
	uint32_t k = product->left.inner, weights = 32 * ((k + 7) / 8 * 8);
	uint32_t blocks = (product->right.outer - 1) / 32 + 1;
	uint32_t room = product->call->scratch_size / 2, block = weights + 32 * CONSTANTS;

	inner->scratch = product->call->scratch;
	inner->scratch_size = product->call->scratch_size;
	product->columns = product->right.outer;
	if ((uint64_t)blocks * block > room) {
		blocks = room / block;
		product->columns = 32 * blocks;
		if (!blocks)
			return false;
	}
	product->block_bytes = weights;
	product->weights = take(inner, blocks * weights);
	product->bias = (int32_t *)take(inner, blocks * 4 * 32);
	product->scales = (int32_t *)take(inner, blocks * 4 * 32 * NN_SCALE_ROWS);
	product->rows = product->left.outer;
	product->turned = NULL;
	if (product->call->op->matmul.transpose_a) {
		if (inner->scratch_size <
		    TRANSPOSE_SCRATCH + 2 * VECTOR + product->call->scratch_size / 4)
			return false;
		product->rows = rows_that_fit(product, k);
		if (!product->rows)
			return false;
		product->turned = take(inner, product->rows * k);
		product->transposing = inner->scratch;
	}
	return true;
}

/* Describes the number of NN_MATMUL_FIXED as dsp/kernels/scales.h does a float32. */
static struct scale_words fixed_words(struct nn_fixed by)
{
	const int32_t shift = by.exponent + 16;

	return (struct scale_words){
		/* Only whether it is below 2^-16 counts, where rounding adds a fraction. */
		.bits = (uint32_t)(126 + by.exponent) << 23,
		.multiplier = by.multiplier,
		.shift = shift,
		.greatest = INT32_MAX >> (shift < 0 ? 0 : shift),
	};
}

/* Makes the scales of all columns, which are one. */
static void make_scales(struct product *product)
{
	const struct nn_matmul_params *params = &product->call->op->matmul;
	bool is_fixed = params->form == NN_MATMUL_FIXED;
	struct scale_words words = is_fixed ? fixed_words(params->by) :
					      describe_scale(params->scale);
	uint32_t lanes = round_up(product->columns, 32);
	uint32_t reach = 255 * 255 * product->left.inner;
	const int32_t rows[NN_SCALE_ROWS] = {
		[NN_SCALE_FLOAT] = words.bits,
		[NN_SCALE_MULTIPLIER] = words.multiplier,
		[NN_SCALE_SHIFT] = words.shift,
		[NN_SCALE_GREATEST] = words.greatest,
		[NN_SCALE_EXACT] = words.exact,
		[NN_SCALE_FLAGS] = describe_flags(&words, reach),
	};
	HVX_Vector *to = (HVX_Vector *)product->scales;

	if (is_fixed) {
		product->layer.fixed = &params->by;
		if (params->by.exponent < 0)
			product->layer.rounding =
				params->by.exponent < -15 ? 1 : 1u << (15 + params->by.exponent);
	}
	for (uint32_t row = 0; row < NN_SCALE_ROWS; row++) {
		for (uint32_t i = 0; i < lanes; i += 32)
			*to++ = splat_w(rows[row]);
	}
}

/* Fills in members that all convolutions of a call have in common. */
static void begin(struct product *product)
{
	const struct nn_call *call = product->call;
	struct nn_call *inner = &product->inner;

	product->packed = NULL;
	product->prepared_rows = 0;
	product->can_run = false;
	product->op.opcode = NN_OPCODE_CONV2D;
	inner->next = NULL;
	product->op.out_min = call->op->out_min;
	product->op.out_max = call->op->out_max;
	inner->op = &product->op;
	inner->run = call->run;
	inner->first = call->first;
	inner->input[0].zero_point = call->op->matmul.zero_a;
	inner->input[1].zero_point = product->right.zero + product->right.flip;
	inner->input[1].packed = inner->input[2].packed = inner->input[3].packed = true;
	inner->output[0].zero_point = call->output[0].zero_point;
	inner->input[1].data = product->weights;
	inner->input[2].data = (uint8_t *)product->bias;
	inner->input[3].data = (uint8_t *)product->scales;
	product->layer.call = inner;
	product->layer.progress = (struct progress){ .call = call };
	product->layer.fixed = NULL;
	product->layer.rounding = 0;
	if (call->op->matmul.form != NN_MATMUL_SUM)
		make_scales(product);
}

/* Describes `rows` rows times `columns` columns to the convolution. */
static void prepare(struct product *product, uint32_t rows, uint32_t columns, uint32_t pitch)
{
	static const struct nn_window_params window = {
		.kernel_h = 1,
		.kernel_w = 1,
		.stride_h = 1,
		.stride_w = 1,
		.dilation_h = 1,
		.dilation_w = 1,
	};
	uint8_t type = product->call->output[0].type;
	struct nn_call *inner = &product->inner;
	uint32_t lanes = round_up(columns, 32), k = product->left.inner;
	const uint32_t from[4] = { 1, 1, rows, k }, out[4] = { 1, 1, rows, columns };
	const uint32_t scales[2] = { NN_SCALE_ROWS, lanes };
	const uint32_t weights[1] = { lanes / 32 * product->block_bytes };
	struct layer *layer = &product->layer;

	product->op.window = window;
	inner_describe(&inner->input[0], product->left.tensor->type, 4, from);
	inner_describe(&inner->input[1], NN_TYPE_UINT8, 1, weights);
	inner_describe(&inner->input[2], NN_TYPE_INT32, 1, &lanes);
	inner_describe(&inner->output[0], type, 4, out);
	inner->output[0].pitch = pitch;
	inner->output[0].row_pitch = (uint64_t)rows * pitch;
	if (type != NN_TYPE_INT32) {
		inner_describe(&inner->input[3], NN_TYPE_INT32, 2, scales);
		/* Rows are as far apart as they were made. */
		inner->input[3].row_bytes = 4 * round_up(product->columns, 32);
	}
	layer->window = &product->op.window;
	layer->images = layer->height = layer->out_height = 1;
	layer->width = layer->out_width = rows;
	layer->channels = layer->input_pitch = k;
	layer->outputs = columns;
	layer->pitch = pitch;
	conv2d_settle_layer(layer);
	product->can_run = conv2d_prepare_layer(layer, &product->memory);
	product->prepared_rows = rows;
	product->prepared_columns = columns;
}

/*
 * Prepares to convolve: `rows` rows at `left`, with the columns that are packed, whose results are
 * at `to`.
 */
static void prepare_for(struct product *product, const uint8_t *left, uint32_t rows,
			uint32_t columns, uint8_t *to, uint32_t pitch)
{
	uint32_t place = (uintptr_t)left % VECTOR | (uintptr_t)to % VECTOR * VECTOR;

	product->inner.input[0].data = (uint8_t *)left;
	product->inner.output[0].data = to;
	if (product->prepared_rows == rows && product->prepared_columns == columns &&
	    product->prepared_place == place)
		return;
	prepare(product, rows, columns, pitch);
	product->prepared_place = place;
}

static int convolve(struct product *product, const uint8_t *left, uint32_t rows, uint32_t columns,
		    uint8_t *to, uint32_t pitch)
{
	int ret = progress_add(&product->layer.progress, LAYER_WORK);

	if (ret)
		return ret;
	prepare_for(product, left, rows, columns, to, pitch);
	product->layer.begin_group = NULL;
	return product->can_run ? conv2d_run_prepared(&product->layer, &product->memory) : NO_WAY;
}

/* Multiplies `rows` rows, from row m on, by the columns that are packed. */
static int multiply_rows(struct product *product, const uint8_t *from, uint32_t m, uint32_t rows,
			 uint32_t columns, uint8_t *to, uint32_t pitch)
{
	const struct matmul_side *left = &product->left;

	from += m * left->outer_step;
	if (product->turned) {
		struct matrix matrix = {
			.rows = left->inner,
			.columns = rows,
			.from_pitch = left->inner_step,
			.to_pitch = left->inner,
			.size = 1,
			.count = VECTOR,
			.from_end = nn_tensor_end(left->tensor),
			.to_end = product->turned + (uint64_t)rows * left->inner,
			.scratch = product->transposing,
		};
		int ret = nn_transpose_matrix(&product->layer.progress, &matrix, from,
					      product->turned);
		if (ret)
			return ret;
		from = product->turned;
		/* The convolution had its own there. */
		product->prepared_rows = 0;
	}
	return convolve(product, from, rows, columns, to, pitch);
}

/* Packs columns p to p + columns - 1 of a right matrix, unless they are. */
static int pack(struct product *product, const uint8_t *matrix, uint32_t p, uint32_t columns)
{
	const struct matmul_side *right = &product->right;
	bool is_turned = product->call->op->matmul.transpose_b;
	struct matmul_right some = {
		.from = matrix + p * right->outer_step,
		.end = nn_tensor_end(right->tensor),
		.inputs = right->inner,
		.columns = columns,
		.pitch = is_turned ? right->outer_step : right->inner_step,
		.block_bytes = product->block_bytes,
		.is_turned = is_turned,
		.flip = right->flip,
		.zero = right->zero + right->flip,
		.zero_left = product->left.zero,
	};

	if (product->packed == some.from)
		return 0;
	product->packed = some.from;
	return nn_matmul_pack(&product->layer.progress, &some, product->weights, product->bias);
}

/* Multiplies a pair of matrices. */
static int multiply(struct product *product, const uint8_t *from_left, const uint8_t *from_right,
		    uint8_t *to)
{
	const struct matmul_side *left = &product->left, *right = &product->right;
	uint32_t size = nn_type_size(product->call->output[0].type);

	for (uint32_t p = 0; p < right->outer; p += product->columns) {
		uint32_t columns = min_u32(right->outer - p, product->columns);
		int ret = pack(product, from_right, p, columns);

		for (uint32_t m = 0; m < left->outer && !ret; m += product->rows)
			ret = multiply_rows(product, from_left, m,
					    min_u32(left->outer - m, product->rows), columns,
					    to + ((uint64_t)m * right->outer + p) * size,
					    right->outer * size);
		if (ret)
			return ret;
	}
	return 0;
}

/* Packs the columns that the next group of rows, a left matrix, is multiplied by. */
static int begin_group(struct layer *layer)
{
	struct product *product =
		(struct product *)((uint8_t *)layer - offsetof(struct product, layer));
	int ret = progress_add(&layer->progress, GROUP_WORK);

	if (!ret)
		ret = pack(product, product->next.b, 0, product->right.outer);
	matmul_next(&product->next);
	product->memory.constants_made = 0;
	return ret;
}

/*
 * How many of the next left matrices, at most, are convolved together: those that lie end to end,
 * as their results do, if all columns fit scratch memory.
 */
static uint32_t matrices_together(const struct product *product, const struct matmul_pairs *pairs)
{
	uint32_t rows = product->left.outer, count = 1;
	uint64_t bytes = (uint64_t)rows * product->left.inner;
	struct matmul_pairs ahead;
	const uint8_t *a = pairs->a;

	if (pairs->left == 1 || rows > MOST_ROWS || product->turned ||
	    product->columns < product->right.outer)
		return 1;
	/* Results of 32 columns are stored by four rows. */
	if (product->right.outer == 32 && rows % 4)
		return 1;
	ahead = *pairs;
	while ((count + 1) * rows <= MOST_ROWS && ahead.left > 1) {
		matmul_next(&ahead);
		a += bytes;
		if (ahead.a != a)
			break;
		count++;
	}
	return count;
}

/* Tells whether the convolution, as it is prepared, goes through left matrices one by one. */
static bool has_groups(struct product *product)
{
	uint32_t rows = product->left.outer;

	if (!product->can_run || product->memory.group < rows ||
	    product->memory.out_columns < product->prepared_rows ||
	    product->memory.block < product->right.outer || product->memory.part_count > 1)
		return false;
	product->memory.group = rows;
	return true;
}

/* Multiplies pairs of matrices: the next one, or several. */
static int multiply_next(struct product *product, struct matmul_pairs *pairs, uint32_t *count)
{
	uint32_t rows = product->left.outer, columns = product->right.outer;
	uint32_t pitch = columns * nn_type_size(product->call->output[0].type);
	uint8_t *to = product->call->output[0].data + pairs->at * rows * pitch;

	*count = matrices_together(product, pairs);
	if (*count > 1) {
		prepare_for(product, pairs->a, *count * rows, columns, to, pitch);
		if (has_groups(product)) {
			product->layer.begin_group = begin_group;
			product->next = *pairs;
			return conv2d_run_prepared(&product->layer, &product->memory);
		}
		product->prepared_rows = 0;
		*count = 1;
	}
	return multiply(product, pairs->a, pairs->b, to);
}

int nn_matmul_run(const struct nn_call *call)
{
	/* It is not cleared, which would take half as long as a small head does. */
	struct product product;
	struct matmul_pairs pairs;

	product.call = call;
	product.left = matmul_left(call);
	product.right = matmul_right(call);
	if (nn_matmul_are_few(call, &product.left))
		return nn_matmul_few(call, &product.left, &product.right);
	if (!divide(&product))
		return nn_matmul_portable(call);
	begin(&product);
	matmul_begin(&pairs, call, &product.left, &product.right);
	while (pairs.left) {
		uint32_t count;
		int ret = multiply_next(&product, &pairs, &count);

		/* There is too little scratch memory for the convolution. */
		if (ret == NO_WAY && product.prepared_rows && !product.can_run)
			return nn_matmul_portable(call);
		if (ret)
			return ret;
		while (count--)
			matmul_next(&pairs);
	}
	return 0;
}

int nn_matmul_hvx(const struct nn_call *call)
{
	return nn_matmul_has_vectors(call) ? nn_matmul_run(call) : nn_matmul_portable(call);
}
