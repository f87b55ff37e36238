// SPDX-License-Identifier: MIT
/*
 * MATMUL on HVX: a convolution of one row, whose pixels are the rows of the left matrix and whose
 * weights the right one's columns are, which are packed in scratch memory first (pack.c). Where the
 * left matrix has its elements column by column, it is transposed, there, too.
 *
 *	right matrix -> weights and bias		for each of them, or some of their columns
 *	left matrix -> [rows transposed] -> a convolution (dsp/hvx/conv2d) -> results
 *				or, of NN_MATMUL_FIXED, -> sums -> results
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/matmul.h"
#include "dsp/kernels/scales.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/conv2d/strip.h"
#include "dsp/hvx/matmul/pack.h"
#include "dsp/hvx/move/transpose.h"

#define LAYER_WORK	4000u	/* of a convolution, beside its products */
#define SCALE_WORK	48u	/* of 128 results */
#define CONSTANTS	(4 * (NN_SCALE_ROWS + 1))	/* bytes of a column's, beside weights */

struct product {
	const struct nn_call *call;
	struct matmul_side left, right;
	uint32_t columns;	/* of the right matrix at a time, a multiple of 32 or all */
	uint32_t rows;		/* of the left one */

	/* Scratch memory. */
	uint8_t *weights;	/* of `columns` columns, */
	const uint8_t *packed;	/* which begin here in the right matrix; NULL: of none */
	int32_t *bias, *scales;
	uint8_t *turned;	/* `rows` rows of the left matrix, or NULL */
	int32_t *sums;		/* of `rows` rows and `columns` columns, or NULL */
	uint8_t *transposing;	/* where the convolution has its own later */

	/* The convolution, and what of it is prepared. */
	struct nn_program_op op;
	struct nn_call inner;
	struct layer layer;	/* with the progress of all */
	struct memory memory;
	uint32_t prepared_rows, prepared_columns;	/* 0: nothing is */
	uint32_t prepared_place;
	bool can_run;
};

/* Takes `bytes` bytes from the beginning of what is left of the scratch memory. */
static uint8_t *take(struct nn_call *inner, uint64_t bytes)
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
 * Divides scratch memory: at most half of it is the right matrix, an eighth each the left one's
 * rows and sums, and the rest the convolution's. False: there is too little.
 */
static bool divide(struct product *product)
{
	struct nn_call *inner = &product->inner;
	bool is_fixed = product->call->op->matmul.form == NN_MATMUL_FIXED;
	uint32_t k = product->left.inner;
	uint64_t block = conv2d_weight_bytes(32, 1, 1, k) + 32 * CONSTANTS, columns;

	inner->scratch = product->call->scratch;
	inner->scratch_size = product->call->scratch_size;
	columns = inner->scratch_size / 2 / block * 32;
	if (!columns)
		return false;
	product->columns = columns < product->right.outer ? columns : product->right.outer;
	columns = round_up(product->columns, 32);
	product->weights = take(inner, columns / 32 * conv2d_weight_bytes(32, 1, 1, k));
	product->bias = (int32_t *)take(inner, 4 * columns);
	product->scales = (int32_t *)take(inner, 4 * NN_SCALE_ROWS * columns);
	product->rows = product->left.outer;
	if (product->call->op->matmul.transpose_a) {
		if (inner->scratch_size <
		    TRANSPOSE_SCRATCH + 2 * VECTOR + product->call->scratch_size / 4)
			return false;
		product->rows = rows_that_fit(product, k);
		if (!product->rows)
			return false;
		product->turned = take(inner, (uint64_t)product->rows * k);
		product->transposing = inner->scratch;
	}
	if (is_fixed) {
		product->rows = min_u32(product->rows, rows_that_fit(product, 4 * columns));
		if (!product->rows)
			return false;
		product->sums = (int32_t *)take(inner, 4ull * product->rows * columns);
	}
	return true;
}

/* Makes the scales of all columns, which are one. */
static void make_scales(const struct product *product)
{
	struct scale_words words = describe_scale(product->call->op->matmul.scale);
	uint32_t lanes = round_up(product->columns, 32);
	/* A row has at most 2^16 elements. */
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

	for (uint32_t row = 0; row < NN_SCALE_ROWS; row++) {
		for (uint32_t i = 0; i < lanes; i += 32)
			*to++ = splat_w(rows[row]);
	}
}

static void describe(struct nn_tensor *tensor, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	tensor->type = type;
	tensor->rank = rank;
	tensor->row_bytes = nn_type_size(type);
	for (uint32_t i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = i < rank ? dims[i] : 1;
	for (uint32_t i = 1; i < rank; i++)
		tensor->row_bytes *= dims[i];
	tensor->bytes = dims[0] * tensor->row_bytes;
	tensor->row_pitch = tensor->row_bytes;
	tensor->pitch = nn_pixel_bytes(tensor);
}

/* Fills in members that all convolutions of a call have in common. */
static void begin(struct product *product)
{
	const struct nn_call *call = product->call;
	struct nn_call *inner = &product->inner;

	product->op.opcode = NN_OPCODE_CONV2D;
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
	if (call->op->matmul.form == NN_MATMUL_FLOAT)
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
	bool is_float = product->call->op->matmul.form == NN_MATMUL_FLOAT;
	struct nn_call *inner = &product->inner;
	uint32_t lanes = round_up(columns, 32), k = product->left.inner;
	uint8_t type = is_float ? product->call->output[0].type : NN_TYPE_INT32;
	const uint32_t from[4] = { 1, 1, rows, k }, out[4] = { 1, 1, rows, columns };
	const uint32_t scales[2] = { NN_SCALE_ROWS, lanes };
	const uint32_t weights[1] = { conv2d_weight_bytes(lanes, 1, 1, k) };
	struct layer *layer = &product->layer;

	product->op.window = window;
	describe(&inner->input[0], product->left.tensor->type, 4, from);
	describe(&inner->input[1], NN_TYPE_UINT8, 1, weights);
	describe(&inner->input[2], NN_TYPE_INT32, 1, &lanes);
	describe(&inner->output[0], type, 4, out);
	inner->output[0].pitch = pitch;
	inner->output[0].row_pitch = (uint64_t)rows * pitch;
	if (is_float) {
		describe(&inner->input[3], NN_TYPE_INT32, 2, scales);
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

/* Convolves: `rows` rows at `left`, with the columns that are packed, whose results are at `to`. */
static int convolve(struct product *product, const uint8_t *left, uint32_t rows, uint32_t columns,
		    uint8_t *to, uint32_t pitch)
{
	uint32_t place = (uintptr_t)left % VECTOR | (uintptr_t)to % VECTOR * VECTOR;
	struct nn_call *inner = &product->inner;
	int ret = progress_add(&product->layer.progress, LAYER_WORK);

	if (ret)
		return ret;
	inner->input[0].data = (uint8_t *)left;
	inner->output[0].data = to;
	if (product->prepared_rows != rows || product->prepared_columns != columns ||
	    product->prepared_place != place) {
		prepare(product, rows, columns, pitch);
		product->prepared_place = place;
	}
	return product->can_run ? conv2d_run_prepared(&product->layer, &product->memory) :
				  nn_conv2d_portable(inner);
}

/* Brings `columns` sums, in rows a multiple of 32 apart, to results, one row each `pitch` bytes. */
static int scale_sums(struct product *product, uint32_t rows, uint32_t columns, uint8_t *to,
		      uint32_t pitch)
{
	const struct nn_call *call = product->call;
	const struct nn_tensor *output = &call->output[0];
	struct fixed_lanes by = fixed_splat(call->op->matmul.by);
	bool is_right = call->op->matmul.by.exponent < 0;
	HVX_Vector low = splat_w(call->op->out_min), high = splat_w(call->op->out_max);
	HVX_Vector zero = splat_w(output->zero_point), most = splat_w(1 << 17);
	uint32_t step = round_up(columns, 32);
	const int32_t *from = product->sums;

	for (uint32_t i = 0; i < rows; i++, from += step, to += pitch) {
		int ret = progress_add(&product->layer.progress, (step / 128 + 1) * SCALE_WORK +
							   stride_work(pitch));

		if (ret)
			return ret;
		for (uint32_t p = 0; p < columns; p += VECTOR) {
			HVX_Vector v[4] = { zero, zero, zero, zero }, halves[2];
			uint32_t count = min_u32(columns - p, VECTOR);

#pragma unroll
			for (uint32_t j = 0; j < 4; j++) {
				HVX_Vector sum;

				if (32 * j >= count)
					break;
				sum = *(const HVX_Vector *)(from + p + 32 * j);
				sum = fixed_high(Q6_Vw_vasl_VwVw(sum, by.left), by.multiplier);
				if (is_right)
					sum = Q6_Vw_vavg_VwVw_rnd(Q6_Vw_vasr_VwVw(sum, by.right),
								  Q6_V_vzero());
				sum = Q6_Vw_vmin_VwVw(sum, most);
				sum = Q6_Vw_vmax_VwVw(sum, Q6_Vw_vsub_VwVw(Q6_V_vzero(), most));
				sum = Q6_Vw_vadd_VwVw(sum, zero);
				v[j] = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(sum, low), high);
			}
			halves[0] = Q6_Vh_vpacke_VwVw(v[1], v[0]);
			halves[1] = Q6_Vh_vpacke_VwVw(v[3], v[2]);
			halves[0] = Q6_Vb_vpacke_VhVh(halves[1], halves[0]);
			if (count == VECTOR)
				store(to + p, halves[0]);
			else
				store_bytes(to + p, halves[0], count);
		}
	}
	return 0;
}

/* Multiplies `rows` rows, from row m on, by the columns that are packed. */
static int multiply_rows(struct product *product, const uint8_t *from, uint32_t m, uint32_t rows,
			 uint32_t columns, uint8_t *to, uint32_t pitch)
{
	const struct matmul_side *left = &product->left;
	int ret;

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

		ret = nn_transpose_matrix(&product->layer.progress, &matrix, from, product->turned);
		if (ret)
			return ret;
		from = product->turned;
	}
	if (!product->sums)
		return convolve(product, from, rows, columns, to, pitch);
	ret = convolve(product, from, rows, columns, (uint8_t *)product->sums,
		       4 * round_up(columns, 32));
	return ret ? ret : scale_sums(product, rows, columns, to, pitch);
}

/* Multiplies a pair of matrices. */
static int multiply(struct product *product, const uint8_t *from_left, const uint8_t *from_right,
		    uint8_t *to)
{
	const struct matmul_side *left = &product->left, *right = &product->right;
	bool is_turned = product->call->op->matmul.transpose_b;
	uint32_t size = nn_type_size(product->call->output[0].type);

	for (uint32_t p = 0; p < right->outer; p += product->columns) {
		uint32_t columns = min_u32(right->outer - p, product->columns);
		struct matmul_right some = {
			.from = from_right + p * right->outer_step,
			.end = nn_tensor_end(right->tensor),
			.inputs = right->inner,
			.columns = columns,
			.pitch = is_turned ? right->outer_step : right->inner_step,
			.is_turned = is_turned,
			.flip = right->flip,
			.zero = right->zero + right->flip,
			.zero_left = left->zero,
		};
		int ret = 0;

		if (product->packed != some.from)
			ret = nn_matmul_pack(&product->layer.progress, &some, product->weights,
					     product->bias);
		product->packed = some.from;
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

int nn_matmul_hvx(const struct nn_call *call)
{
	struct product product = {
		.call = call,
		.layer.progress.call = call,
		.left = matmul_left(call),
		.right = matmul_right(call),
	};
	struct matmul_pairs pairs;
	uint64_t bytes;

	if (!nn_matmul_has_vectors(call) || !divide(&product))
		return nn_matmul_portable(call);
	begin(&product);
	bytes = (uint64_t)product.left.outer * product.right.outer *
		nn_type_size(call->output[0].type);
	for (matmul_begin(&pairs, call, &product.left, &product.right); pairs.left;
	     matmul_next(&pairs)) {
		int ret = multiply(&product, pairs.a, pairs.b,
				   call->output[0].data + pairs.at * bytes);

		if (ret)
			return ret;
	}
	return 0;
}
