// SPDX-License-Identifier: MIT
/*
 * MATMUL_INT16 on HVX: products of 8 bits (dsp/hvx/matmul), whose results are sums. HVX multiplies
 * bytes four times as fast as halfwords, and an element is 256 * its upper byte, which is signed, +
 * its lower one, as is its zero point. What has 8 bits has no upper byte.
 *
 *	rows of the left matrix      -> upper bytes -+-> upper by upper --+
 *	                             -> lower bytes -+-> upper by lower   +-> 64 bits -> results
 *	columns of the right matrix  -> upper bytes -+-> lower by upper   |
 *	                             -> lower bytes -+-> lower by lower --+
 *
 * All that is in scratch memory: so many columns, and rows, as fit.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/matmul.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/inner_call.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/matmul/matmul.h"

#define CALL_WORK	8000u	/* of a product of 8 bits, beside its products */
#define ROW_WORK	64u	/* of a row of a matrix that is divided into bytes, */
#define SPLIT_WORK	4u	/* and of 64 of its elements */
#define RESULT_WORK	160u	/* of 64 results */
#define ROWS_AT_ONCE	32u
#define MOST_COLUMNS	64u
#define MOST_CUT	(1 << 17)

/* A matrix of an input, and the part of it that is divided into bytes. */
struct operand {
	struct matmul_side side;
	bool is_wide;		/* INT16 */
	bool is_turned;		/* its parts have K rows */
	uint8_t *planes[2];	/* lower bytes, upper ones: scratch memory */
};

struct wide {
	const struct nn_call *call;
	struct progress progress;
	struct operand left, right;
	uint32_t inner;		/* K */
	uint32_t columns, rows;	/* at a time */
	int32_t *sums[4];	/* upper by upper, upper by lower, lower by upper, lower by lower */
	struct nn_program_op op;
	struct nn_call product;	/* of 8 bits; its scratch memory is behind all others */
};

/* Scratch memory */

/* Three eighths of all are the products' own. Up to a vector is written behind a plane. */
static bool divide(struct wide *wide)
{
	uint32_t k = wide->inner, size = wide->call->scratch_size;
	uint32_t room = size - size / 8 * 3, of_columns, of_row;
	struct nn_call *product = &wide->product;

	wide->columns = min_u32(wide->right.side.outer, MOST_COLUMNS);
	if (2 * k * wide->columns > room / 2)
		wide->columns = min_u32(wide->columns, 32);
	of_columns = 2 * (k * wide->columns + 2 * VECTOR);
	of_row = 2 * k + 4 * 4 * wide->columns;
	if (of_columns + 20 * VECTOR + of_row > room)
		return false;
	wide->rows = min_u32(wide->left.side.outer, (room - of_columns - 20 * VECTOR) / of_row);
	if (wide->rows < wide->left.side.outer && wide->rows > 4)
		wide->rows = even_part(wide->left.side.outer, wide->rows / 4 * 4);
	product->scratch = wide->call->scratch;
	product->scratch_size = size;
	for (uint32_t i = 0; i < 2; i++) {
		wide->left.planes[i] = inner_take(product, k * wide->rows + VECTOR);
		wide->right.planes[i] = inner_take(product, k * wide->columns + VECTOR);
	}
	/* Two vectors are read of the last row's, too, however few columns it has. */
	for (uint32_t i = 0; i < 4; i++)
		wide->sums[i] = (int32_t *)inner_take(product, 4 * wide->rows * wide->columns +
							 2 * VECTOR);
	return true;
}

/* Bytes of elements */

/*
 * Divides `count` elements into their bytes; up to a vector of others is written behind them, and
 * nothing is read past them.
 */
static void split(const uint8_t *from, uint32_t count, uint8_t *low, uint8_t *high)
{
	uint32_t i = 0;

	for (; i + VECTOR <= count; i += VECTOR, from += 2 * VECTOR) {
		HVX_Vector first = load(from), second = load(from + VECTOR);

		store(low + i, Q6_Vb_vpacke_VhVh(second, first));
		store(high + i, Q6_Vb_vpacko_VhVh(second, first));
	}
	if (i < count) {
		uint32_t bytes = 2 * (count - i);
		HVX_Vector first = load_bytes(from, min_u32(bytes, VECTOR)), second = first;

		if (bytes > VECTOR)
			second = load_bytes(from + VECTOR, bytes - VECTOR);
		store(low + i, Q6_Vb_vpacke_VhVh(second, first));
		store(high + i, Q6_Vb_vpacko_VhVh(second, first));
	}
}

static void copy_some(const uint8_t *from, uint32_t count, uint8_t *to)
{
	uint32_t i = 0;

	for (; i + VECTOR <= count; i += VECTOR)
		store(to + i, load(from + i));
	if (i < count)
		store(to + i, load_bytes(from + i, count - i));
}

/* Divides rows or columns i to i + count - 1 of a matrix. */
static int split_part(struct wide *wide, struct operand *operand, const uint8_t *matrix, uint32_t i,
		      uint32_t count)
{
	const struct matmul_side *side = &operand->side;
	uint32_t size = operand->is_wide ? 2 : 1;
	uint32_t runs = operand->is_turned ? side->inner : count;
	uint32_t run = operand->is_turned ? count : side->inner;
	uint64_t pitch = operand->is_turned ? side->inner_step : side->outer_step;
	uint8_t *low = operand->planes[0], *high = operand->planes[1];

	matrix += i * side->outer_step;
	if (pitch == run * size) {
		run *= runs;
		runs = 1;
	}
	for (; runs; runs--, matrix += pitch, low += run, high += run) {
		int ret = progress_add(&wide->progress,
				       ROW_WORK + run / 64 * SPLIT_WORK + stride_work(pitch) +
					       memory_work(size * run));

		if (ret)
			return ret;
		if (operand->is_wide)
			split(matrix, run, low, high);
		else
			copy_some(matrix, run, low);
	}
	return 0;
}

/* Products of 8 bits */

/* Describes an input's bytes, and returns their zero point. */
static int32_t describe_plane(const struct operand *operand, struct nn_tensor *tensor, bool is_high,
			      uint32_t count)
{
	uint32_t k = operand->side.inner;
	int32_t zero = operand->side.zero;
	uint8_t type = operand->side.tensor->type;

	if (operand->is_wide) {
		type = is_high ? NN_TYPE_INT8 : NN_TYPE_UINT8;
		zero = is_high ? zero >> 8 : zero & 255;
	}
	inner_describe(tensor, type, 3,
		       (const uint32_t[]){ 1, operand->is_turned ? k : count,
					   operand->is_turned ? count : k });
	tensor->data = operand->planes[is_high];
	return zero;
}

/* Multiplies the parts of both matrices, all bytes that they have by all. */
static int multiply_parts(struct wide *wide, uint32_t rows, uint32_t columns)
{
	struct nn_call *product = &wide->product;
	struct nn_matmul_params *params = &wide->op.matmul;

	for (uint32_t i = 0; i < 4; i++) {
		bool left = !(i & 2), right = !(i & 1);	/* the upper bytes */
		int ret;

		if ((left && !wide->left.is_wide) || (right && !wide->right.is_wide))
			continue;
		ret = progress_add(&wide->progress,
				   CALL_WORK + (uint64_t)rows * columns * wide->inner / 64);
		if (ret)
			return ret;
		params->zero_a = describe_plane(&wide->left, &product->input[0], left, rows);
		params->zero_b = describe_plane(&wide->right, &product->input[1], right, columns);
		inner_describe(&product->output[0], NN_TYPE_INT32, 3,
			       (const uint32_t[]){ 1, rows, columns });
		product->output[0].data = (uint8_t *)wide->sums[i];
		ret = nn_matmul_run(product);
		if (ret)
			return ret;
	}
	return 0;
}

/* Results */

/* 64 bits of each of 32 numbers. */
struct long_words {
	HVX_Vector high, low;
};

/* 1 where a sum of `part` and another number, both unsigned, is past 32 bits. */
static inline HVX_Vector carry_of(HVX_Vector sum, HVX_Vector part)
{
	return Q6_V_vand_QR(Q6_Q_vcmp_gt_VuwVuw(part, sum), 1);
}

/*
 * The product of h * 2^16 + l, where l has 16 bits and h 28, signed, and m of 16 bits. Each step
 * leaves 16 bits behind, and no sum is past 32: 65535 * 65535 + 65535 is 65535 * 2^16.
 */
static inline struct long_words multiply_long(HVX_Vector h, HVX_Vector l, HVX_Vector m)
{
	HVX_Vector half = splat_w(0xffff), first, second, third;

	first = Q6_Vw_vmpyie_VwVuh(m, l);
	second = Q6_Vw_vadd_VwVw(Q6_Vw_vmpyie_VwVuh(m, h), Q6_Vuw_vlsr_VuwR(first, 16));
	third = Q6_Vw_vadd_VwVw(Q6_Vw_vmpyie_VwVuh(Q6_Vw_vasr_VwR(h, 16), m),
				Q6_Vuw_vlsr_VuwR(second, 16));
	return (struct long_words){
		.high = third,
		.low = Q6_V_vor_VV(Q6_Vw_vasl_VwR(second, 16), Q6_V_vand_VV(first, half)),
	};
}

static inline struct long_words add_long(struct long_words a, HVX_Vector high, HVX_Vector low)
{
	struct long_words sum = { .low = Q6_Vw_vadd_VwVw(a.low, low) };

	sum.high = Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(a.high, high), carry_of(sum.low, low));
	return sum;
}

/* The scaling of sums, the same for all. */
struct scaling {
	bool is_once, is_far;		/* past the lower 32 bits of 64 */
	uint32_t shift;
	HVX_Vector multiplier, more;	/* 16 bits of it each: of INT16_ONCE the upper and lower */
	HVX_Vector zero, least, most;
};

/* nn_fixed_multiply_sum() */
static inline HVX_Vector scale_fixed(HVX_Vector h, HVX_Vector l, const struct scaling *scaling,
				     bool is_far)
{
	struct long_words v = multiply_long(h, l, scaling->multiplier);
	uint32_t shift = scaling->shift;

	if (is_far)
		return Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(v.high, splat_w(1u << (shift - 33))),
				      shift - 32);
	v = add_long(v, Q6_V_vzero(), splat_w(1u << (shift - 1)));
	if (shift == 32)
		return v.high;
	return Q6_V_vor_VV(Q6_Vw_vasl_VwR(v.high, 32 - shift), Q6_Vuw_vlsr_VuwR(v.low, shift));
}

/*
 * nn_fixed_round_sum(), with a shift of 17 or more: 16 bits of the product are behind `v`, which is
 * shifted by the rest. Of what is shifted out the first 32 bits are `rest`, and of the others
 * counts whether there are any.
 */
static inline HVX_Vector scale_once(HVX_Vector h, HVX_Vector l, const struct scaling *scaling,
				    bool is_far)
{
	struct long_words low = multiply_long(h, l, scaling->more), v;
	HVX_Vector result, rest, others, half = splat_w(1u << 31), up;
	uint32_t shift = scaling->shift - 16;
	HVX_VectorPred is_more;

	others = Q6_V_vand_VV(low.low, splat_w(0xffff));
	v = multiply_long(h, l, scaling->multiplier);
	v = add_long(v, Q6_Vw_vasr_VwR(low.high, 16),
		     Q6_V_vor_VV(Q6_Vw_vasl_VwR(low.high, 16), Q6_Vuw_vlsr_VuwR(low.low, 16)));
	if (is_far) {
		result = Q6_Vw_vasr_VwR(v.high, shift - 32);
		rest = Q6_V_vor_VV(Q6_Vw_vasl_VwR(v.high, 64 - shift),
				   Q6_Vuw_vlsr_VuwR(v.low, shift - 32));
		others = Q6_V_vor_VV(others, Q6_Vw_vasl_VwR(v.low, 64 - shift));
	} else if (shift == 32) {
		result = v.high;
		rest = v.low;
	} else {
		/* What does not fit 32 bits is past all others. */
		HVX_Vector top = Q6_Vw_vasr_VwR(v.high, shift);
		HVX_VectorPred fits;

		result = Q6_V_vor_VV(Q6_Vw_vasl_VwR(v.high, 32 - shift),
				     Q6_Vuw_vlsr_VuwR(v.low, shift));
		fits = Q6_Q_vcmp_eq_VwVw(top, Q6_Vw_vasr_VwR(result, 31));
		result = Q6_V_vmux_QVV(fits, result, Q6_V_vxor_VV(Q6_Vw_vasr_VwR(v.high, 31),
								 splat_w(INT32_MAX)));
		rest = Q6_Vw_vasl_VwR(v.low, 32 - shift);
	}
	result = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(result, splat_w(-MOST_CUT)), splat_w(MOST_CUT));
	/* A tie is one only where nothing else is left and the result is even. */
	others = Q6_V_vor_VV(others, Q6_V_vand_VV(result, splat_w(1)));
	is_more = Q6_Q_and_QQn(Q6_Q_vcmp_eq_VwVw(rest, half),
			       Q6_Q_vcmp_eq_VwVw(others, Q6_V_vzero()));
	up = Q6_V_vand_QR(Q6_Q_or_QQ(is_more, Q6_Q_vcmp_gt_VuwVuw(rest, half)), -1);
	return Q6_Vw_vsub_VwVw(result, up);
}

/* The sums of 32 columns, whose sums of bytes begin at element `at`, as multiply_long() takes them. */
static inline __attribute__((always_inline)) void add_up(const struct wide *wide, uint32_t at,
							  bool both, HVX_Vector *h, HVX_Vector *l)
{
	HVX_Vector low = load(wide->sums[3] + at), middle = Q6_V_vzero(), high = middle;

	if (both || wide->right.is_wide)
		middle = load(wide->sums[2] + at);
	if (both || wide->left.is_wide)
		middle = Q6_Vw_vadd_VwVw(middle, load(wide->sums[1] + at));
	if (both)
		high = load(wide->sums[0] + at);
	middle = Q6_Vw_vadd_VwVw(middle, Q6_Vw_vasr_VwR(low, 8));
	*h = Q6_Vw_vadd_VwVw(high, Q6_Vw_vasr_VwR(middle, 8));
	*l = Q6_V_vor_VV(Q6_Vw_vasl_VwR(Q6_V_vand_VV(middle, splat_w(255)), 8),
			 Q6_V_vand_VV(low, splat_w(255)));
}

static inline __attribute__((always_inline)) HVX_Vector
scale_32(HVX_Vector h, HVX_Vector l, const struct scaling *scaling, bool is_once, bool is_far)
{
	HVX_Vector result = is_once ? scale_once(h, l, scaling, is_far) :
				      scale_fixed(h, l, scaling, is_far);

	result = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(result, splat_w(-MOST_CUT)), splat_w(MOST_CUT));
	result = Q6_Vw_vadd_VwVw(result, scaling->zero);
	return Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(result, scaling->least), scaling->most);
}

static struct scaling describe_scaling(const struct nn_call *call)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	bool is_once = params->form == NN_MATMUL_INT16_ONCE;
	uint32_t multiplier = params->by.multiplier;

	return (struct scaling){
		.is_once = is_once,
		.is_far = (is_once ? 15 - params->by.exponent : -params->by.exponent) > 32,
		.shift = is_once ? 31 - params->by.exponent : -params->by.exponent,
		.multiplier = splat_w(is_once ? multiplier >> 16 : multiplier),
		.more = splat_w(multiplier & 0xffff),
		.zero = splat_w(call->output[0].zero_point),
		.least = splat_w(call->op->out_min),
		.most = splat_w(call->op->out_max),
	};
}

/*
 * Makes `rows` rows of results, whose sums begin at element `at`. Nothing is called between them,
 * after which all vectors would have to be loaded again.
 */
static inline __attribute__((always_inline)) void
make_rows(const struct wide *wide, uint32_t at, uint32_t rows, uint32_t columns, uint8_t *out,
	  uint32_t pitch, bool is_once, bool is_far)
{
	const struct scaling scaling = describe_scaling(wide->call);
	bool is_wide = wide->call->output[0].type == NN_TYPE_INT16;
	bool both = wide->left.is_wide && wide->right.is_wide;

	for (; rows; rows--, at += columns, out += pitch) {
		HVX_Vector h[2], l[2], v;

		/* The second half is anything if there are 32 columns or fewer. */
		if (both) {
			add_up(wide, at, true, &h[0], &l[0]);
			add_up(wide, at + 32, true, &h[1], &l[1]);
		} else {
			add_up(wide, at, false, &h[0], &l[0]);
			add_up(wide, at + 32, false, &h[1], &l[1]);
		}
		v = Q6_Vh_vpack_VwVw_sat(scale_32(h[1], l[1], &scaling, is_once, is_far),
					 scale_32(h[0], l[0], &scaling, is_once, is_far));
		if (!is_wide)
			store_bytes(out, Q6_Vb_vpacke_VhVh(v, v), columns);
		else if (columns == VECTOR / 2)
			store(out, v);
		else
			store_bytes(out, v, 2 * columns);
	}
}

static __attribute__((noinline)) void make_some(const struct wide *wide, uint32_t at, uint32_t rows,
						uint32_t columns, uint8_t *out, uint32_t pitch,
						const struct scaling *scaling)
{
	if (scaling->is_once && scaling->is_far)
		make_rows(wide, at, rows, columns, out, pitch, true, true);
	else if (scaling->is_once)
		make_rows(wide, at, rows, columns, out, pitch, true, false);
	else if (scaling->is_far)
		make_rows(wide, at, rows, columns, out, pitch, false, true);
	else
		make_rows(wide, at, rows, columns, out, pitch, false, false);
}

/* Makes `rows` rows of `columns` results, which are `pitch` bytes from each other. */
static int make_results(struct wide *wide, uint32_t rows, uint32_t columns, uint8_t *out,
			uint32_t pitch)
{
	const struct scaling scaling = describe_scaling(wide->call);
	uint32_t some;

	for (uint32_t row = 0; row < rows; row += some, out += (uint64_t)some * pitch) {
		int ret;

		some = min_u32(rows - row, ROWS_AT_ONCE);
		ret = progress_add(&wide->progress, some * (RESULT_WORK + stride_work(pitch)));
		if (ret)
			return ret;
		make_some(wide, row * columns, some, columns, out, pitch, &scaling);
	}
	return 0;
}

/* The product of one pair of matrices. */
static int multiply(struct wide *wide, const uint8_t *a, const uint8_t *b, uint8_t *out)
{
	uint32_t rows = wide->left.side.outer, columns = wide->right.side.outer;
	uint32_t size = nn_type_size(wide->call->output[0].type);
	int ret = 0;

	for (uint32_t p = 0; p < columns && !ret; p += wide->columns) {
		uint32_t some = min_u32(columns - p, wide->columns);

		ret = split_part(wide, &wide->right, b, p, some);
		for (uint32_t m = 0; m < rows && !ret; m += wide->rows) {
			uint32_t few = min_u32(rows - m, wide->rows);

			ret = split_part(wide, &wide->left, a, m, few);
			if (!ret)
				ret = multiply_parts(wide, few, some);
			if (!ret)
				ret = make_results(wide, few, some,
						   out + ((uint64_t)m * columns + p) * size,
						   columns * size);
		}
	}
	return ret;
}

int nn_matmul_int16_hvx(const struct nn_call *call)
{
	const struct matmul_side left = matmul_left(call), right = matmul_right(call);
	const uint64_t bytes = (uint64_t)left.outer * right.outer *
			       nn_type_size(call->output[0].type);
	const struct nn_matmul_params *params = &call->op->matmul;
	struct wide wide = {
		.call = call,
		.progress.call = call,
		.left = {
			.side = left,
			.is_wide = left.tensor->type == NN_TYPE_INT16,
			.is_turned = params->transpose_a,
		},
		.right = {
			.side = right,
			.is_wide = right.tensor->type == NN_TYPE_INT16,
			.is_turned = !params->transpose_b,
		},
		.inner = left.inner,
		.op = {
			.opcode = NN_OPCODE_MATMUL,
			.matmul = {
				.form = NN_MATMUL_SUM,
				.transpose_a = params->transpose_a,
				.transpose_b = params->transpose_b,
			},
		},
		.product = { .run = call->run, .first = call->first },
	};
	struct matmul_pairs pairs;

	if (!nn_matmul_int16_has_vectors(call) || !divide(&wide))
		return nn_matmul_int16_portable(call);
	wide.product.op = &wide.op;
	for (matmul_begin(&pairs, call, &left, &right); pairs.left; matmul_next(&pairs)) {
		int ret = multiply(&wide, pairs.a, pairs.b,
				   call->output[0].data + pairs.at * bytes);

		if (ret)
			return ret;
	}
	return 0;
}
