// SPDX-License-Identifier: MIT
/*
 * Products of left matrices of one or two rows (few.h): each element of the right one is loaded for
 * these alone. An element of the left one, less its zero point, has nine bits, and is the sum of
 * two signed bytes, its halves: -256 to 254, so where it can be 255, the zero point less the
 * element is. Elements of the right one are unsigned, with a zero point.
 *
 *	[K, P]	four rows of 128 columns are shuffled, so that words are four elements of a column,
 *		and multiplied by four elements of the left row
 *	[P, K]	128 elements of a column are multiplied by as many of the left row, and the sums of
 *		32 columns are folded into one vector; columns of 64 go two by two
 */
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/matmul/few.h"

#define HALVES_WORK	32u	/* of 128 elements of the left row, */
#define FOUR_WORK	24u	/* of four rows of 128 columns, */
#define DOT_WORK	8u	/* of 128 elements of a column, */
#define FINISH_WORK	96u	/* and of 128 results */
#define PIECE		64u	/* times four rows between two looks at progress */

struct few {
	const struct nn_call *call;
	struct progress progress;
	const struct matmul_side *left, *right;
	const uint8_t *end;	/* of the right matrices */
	HVX_Vector flips;
	struct requant requant[4];	/* the same */
	struct finish finish;
	struct fixed_lanes by;

	/* Scratch memory: the halves of a row, with zeros behind them, and 32 columns' sums. */
	uint8_t *halves[2];
	HVX_Vector *dots;
	uint32_t padded;	/* K, rounded up to a multiple of a vector */
	int32_t sum;		/* of a row's halves */
	bool is_negative;	/* they are the zero point less an element */
};

bool nn_matmul_are_few(const struct nn_call *call, const struct matmul_side *left)
{
	uint64_t padded = round_up(left->inner, VECTOR);

	return left->outer <= MATMUL_FEW_ROWS && left->inner_step == 1 &&
	       2 * padded + 32 * VECTOR <= call->scratch_size;
}

/* Divides a row of the left matrix into halves. */
static int make_halves(struct few *few, const uint8_t *from)
{
	uint32_t k = few->left->inner;
	HVX_Vector zero = splat_h(few->left->zero), ones = splat_b(1), sum = Q6_V_vzero();
	bool is_signed = few->left->flip;
	int ret = progress_add(&few->progress, few->padded / VECTOR * HALVES_WORK);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < k; i += VECTOR) {
		uint32_t bytes = min_u32(k - i, VECTOR);
		HVX_Vector v = load_bytes(from + i, bytes), low, high, first, second;
		HVX_VectorPair wide = is_signed ? Q6_Wh_vunpack_Vb(v) : Q6_Wuh_vunpack_Vub(v);

		low = few->is_negative ? Q6_Vh_vsub_VhVh(zero, Q6_V_lo_W(wide)) :
					 Q6_Vh_vsub_VhVh(Q6_V_lo_W(wide), zero);
		high = few->is_negative ? Q6_Vh_vsub_VhVh(zero, Q6_V_hi_W(wide)) :
					  Q6_Vh_vsub_VhVh(Q6_V_hi_W(wide), zero);
		v = Q6_Vb_vpacke_VhVh(high, low);
		first = Q6_Vb_vpacke_VhVh(Q6_Vh_vasr_VhR(high, 1), Q6_Vh_vasr_VhR(low, 1));
		second = Q6_Vb_vsub_VbVb(v, first);
		first = Q6_V_vmux_QVV(first_bytes(bytes), first, Q6_V_vzero());
		second = Q6_V_vmux_QVV(first_bytes(bytes), second, Q6_V_vzero());
		sum = Q6_Vw_vrmpyacc_VwVubVb(sum, ones, first);
		sum = Q6_Vw_vrmpyacc_VwVubVb(sum, ones, second);
		*(HVX_Vector *)(few->halves[0] + i) = first;
		*(HVX_Vector *)(few->halves[1] + i) = second;
	}
	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2)
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, i));
	few->sum = Q6_R_vextract_VR(sum, 0);
	return 0;
}

/* Stores `columns` results of sums of 128. */
static int store_results(struct few *few, const HVX_Vector *sums, uint8_t *to, uint32_t columns)
{
	const struct nn_matmul_params *params = &few->call->op->matmul;
	HVX_Vector zeros = splat_w(few->sum * (few->right->zero + few->right->flip)), v[4], result;
	int ret = progress_add(&few->progress, FINISH_WORK);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < 4; i++)
		v[i] = few->is_negative ? Q6_Vw_vsub_VwVw(zeros, sums[i]) :
					  Q6_Vw_vsub_VwVw(sums[i], zeros);
	if (params->form == NN_MATMUL_SUM) {
		for (uint32_t i = 0; 32 * i < columns; i++)
			store_bytes(to + i * VECTOR, v[i], min_u32(4 * (columns - 32 * i), VECTOR));
		return 0;
	}
	if (params->form == NN_MATMUL_FIXED) {
		for (uint32_t i = 0; i < 4; i++)
			v[i] = fixed_multiply(v[i], &few->by);
		result = finish_8bit(Q6_Vh_vpack_VwVw_sat(v[1], v[0]),
				     Q6_Vh_vpack_VwVw_sat(v[3], v[2]), &few->finish);
	} else {
		result = requant_128(v, few->requant, &few->finish);
	}
	store_bytes(to, result, columns);
	return 0;
}

/* Rows side by side */

static HVX_Vector load_row(const struct few *few, const uint8_t *at, uint32_t columns)
{
	HVX_Vector v = few->end - at >= VECTOR ? load(at) : load_bytes(at, columns);

	return Q6_V_vxor_VV(v, few->flips);
}

static inline __attribute__((always_inline)) void
multiply_four(HVX_Vector *sum, const HVX_Vector *row, int32_t first, int32_t second)
{
	HVX_VectorPair low = Q6_W_vshuff_VVR(row[1], row[0], -1);
	HVX_VectorPair high = Q6_W_vshuff_VVR(row[3], row[2], -1);
	HVX_VectorPair a = Q6_W_vshuff_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -2);
	HVX_VectorPair b = Q6_W_vshuff_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -2);

	sum[0] = Q6_Vw_vrmpyacc_VwVubRb(sum[0], Q6_V_lo_W(a), first);
	sum[1] = Q6_Vw_vrmpyacc_VwVubRb(sum[1], Q6_V_hi_W(a), first);
	sum[2] = Q6_Vw_vrmpyacc_VwVubRb(sum[2], Q6_V_lo_W(b), first);
	sum[3] = Q6_Vw_vrmpyacc_VwVubRb(sum[3], Q6_V_hi_W(b), first);
	sum[0] = Q6_Vw_vrmpyacc_VwVubRb(sum[0], Q6_V_lo_W(a), second);
	sum[1] = Q6_Vw_vrmpyacc_VwVubRb(sum[1], Q6_V_hi_W(a), second);
	sum[2] = Q6_Vw_vrmpyacc_VwVubRb(sum[2], Q6_V_lo_W(b), second);
	sum[3] = Q6_Vw_vrmpyacc_VwVubRb(sum[3], Q6_V_hi_W(b), second);
}

/* Multiplies a row by up to 128 columns at `from`. */
static int multiply_rows(struct few *few, const uint8_t *from, uint8_t *to, uint32_t columns)
{
	uint32_t k = few->left->inner, pitch = few->right->inner_step;
	const int32_t *first = (const int32_t *)few->halves[0];
	const int32_t *second = (const int32_t *)few->halves[1];
	uint32_t work = FOUR_WORK + 4 * stride_work(pitch);
	HVX_Vector sum[4] = { Q6_V_vzero(), Q6_V_vzero(), Q6_V_vzero(), Q6_V_vzero() };
	HVX_Vector flips = few->flips;

	for (uint32_t i = 0; i < k;) {
		uint32_t fours = min_u32((k - i) / 4, PIECE);
		int ret = progress_add(&few->progress, (fours + 1) * work);

		if (ret)
			return ret;
		while (fours && (4ull * fours - 1) * pitch + VECTOR > (uint32_t)(few->end - from))
			fours--;
		i += fours ? 4 * fours : 4;
#pragma unroll 2
		for (uint32_t j = 0; j < fours; j++, from += 4 * pitch) {
			HVX_Vector row[4] = {
				Q6_V_vxor_VV(load(from), flips),
				Q6_V_vxor_VV(load(from + pitch), flips),
				Q6_V_vxor_VV(load(from + 2 * pitch), flips),
				Q6_V_vxor_VV(load(from + 3 * pitch), flips),
			};

			multiply_four(sum, row, *first++, *second++);
		}
		/* The last rows, one to four, or others near the operand's end. */
		if (!fours) {
			HVX_Vector row[4];

			for (uint32_t j = 0; j < 4; j++, from += pitch)
				row[j] = i - 4 + j < k ? load_row(few, from, columns) :
							 Q6_V_vzero();
			multiply_four(sum, row, *first++, *second++);
		}
	}
	/* A copy, because those whose address is taken are stored whenever they change. */
	{
		const HVX_Vector sums[4] = { sum[0], sum[1], sum[2], sum[3] };

		return store_results(few, sums, to, columns);
	}
}

/* Columns side by side */

static inline HVX_Vector fold_words(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair pair = Q6_W_vdeal_VVR(b, a, -4);

	return Q6_Vw_vadd_VwVw(Q6_V_lo_W(pair), Q6_V_hi_W(pair));
}

static inline __attribute__((always_inline)) HVX_Vector dot_of(HVX_Vector v, HVX_Vector first,
								HVX_Vector second)
{
	return Q6_Vw_vrmpyacc_VwVubVb(Q6_Vw_vrmpy_VubVb(v, first), v, second);
}

/* The sums of 128 elements at a time of a column, of which none past `end` is read. */
static HVX_Vector dot_column(const struct few *few, const uint8_t *from)
{
	uint32_t k = few->left->inner;
	HVX_Vector sum = Q6_V_vzero();

	for (uint32_t i = 0; i < k; i += VECTOR) {
		const uint8_t *at = from + i;
		HVX_Vector v = few->end - at >= VECTOR ? load(at) :
							 load_bytes(at, min_u32(k - i, VECTOR));

		v = Q6_V_vxor_VV(v, few->flips);
		sum = Q6_Vw_vadd_VwVw(sum,
				      dot_of(v, *(const HVX_Vector *)(few->halves[0] + i),
					     *(const HVX_Vector *)(few->halves[1] + i)));
	}
	return sum;
}

/* The sums of 32 columns; behind the last, that one again. */
static __attribute__((noinline)) HVX_Vector dot_32(const struct few *few, const uint8_t *from,
						   uint32_t columns)
{
	uint64_t pitch = few->right->outer_step;
	HVX_Vector *dots = few->dots;

	for (uint32_t i = 0; i < 32; i++)
		dots[i] = dot_column(few, from + min_u32(i, columns - 1) * pitch);
	for (uint32_t count = 16; count; count /= 2) {
		for (uint32_t i = 0; i < count; i++)
			dots[i] = fold_words(dots[2 * i], dots[2 * i + 1]);
	}
	return dots[0];
}

#define ONE(i)		dot_of(Q6_V_vxor_VV(load(from + (i) * step), flips), first, second)
#define TWO(i)		fold_words(ONE(i), ONE((i) + 1))
#define FOUR(i)		fold_words(TWO(i), TWO((i) + 2))
#define EIGHT(i)	fold_words(FOUR(i), FOUR((i) + 4))
#define SIXTEEN(i)	fold_words(EIGHT(i), EIGHT((i) + 8))

/* The same of whole columns of up to 128 elements, behind which a vector can be read. */
static __attribute__((noinline)) HVX_Vector dot_short(const struct few *few, const uint8_t *from)
{
	HVX_Vector first = *(const HVX_Vector *)few->halves[0], flips = few->flips;
	HVX_Vector second = *(const HVX_Vector *)few->halves[1];
	uint32_t step = few->right->outer_step;

	return fold_words(SIXTEEN(0), SIXTEEN(16));
}

/* The same of columns of 64 elements, two in a vector. */
static __attribute__((noinline)) HVX_Vector dot_pairs(const struct few *few, const uint8_t *from)
{
	HVX_Vector first = *(const HVX_Vector *)few->halves[0], flips = few->flips;
	HVX_Vector second = *(const HVX_Vector *)few->halves[1];
	uint32_t step = VECTOR;

	first = Q6_V_vor_VV(first, Q6_V_vror_VR(first, 64));
	second = Q6_V_vor_VV(second, Q6_V_vror_VR(second, 64));
	return SIXTEEN(0);
}

/* Multiplies a row by up to 128 columns at `from`. */
static int multiply_columns(struct few *few, const uint8_t *from, uint8_t *to, uint32_t columns)
{
	uint32_t k = few->left->inner, pitch = few->right->outer_step;
	uint32_t work = 32 * (few->padded / VECTOR * DOT_WORK + stride_work(pitch));
	HVX_Vector sum[4] = { Q6_V_vzero(), Q6_V_vzero(), Q6_V_vzero(), Q6_V_vzero() };

	for (uint32_t i = 0; 32 * i < columns; i++, from += 32 * pitch) {
		uint32_t count = min_u32(columns - 32 * i, 32);
		int ret = progress_add(&few->progress, work);

		if (ret)
			return ret;
		if (count == 32 && k == 64 && pitch == 64)
			sum[i] = dot_pairs(few, from);
		else if (count == 32 && k <= VECTOR &&
			 31 * pitch + VECTOR <= (uint32_t)(few->end - from))
			sum[i] = dot_short(few, from);
		else
			sum[i] = dot_32(few, from, count);
	}
	return store_results(few, sum, to, columns);
}

static int multiply(struct few *few, const uint8_t *left, const uint8_t *right, uint8_t *to)
{
	uint32_t outputs = few->right->outer, size = nn_type_size(few->call->output[0].type);
	bool is_turned = few->call->op->matmul.transpose_b;

	for (uint32_t m = 0; m < few->left->outer; m++, to += outputs * size) {
		int ret = make_halves(few, left + m * few->left->outer_step);

		for (uint32_t p = 0; p < outputs && !ret; p += 128) {
			const uint8_t *from = right + p * few->right->outer_step;
			uint32_t columns = min_u32(outputs - p, 128);

			if (is_turned)
				ret = multiply_columns(few, from, to + p * size, columns);
			else
				ret = multiply_rows(few, from, to + p * size, columns);
		}
		if (ret)
			return ret;
	}
	return 0;
}

int nn_matmul_few(const struct nn_call *call, const struct matmul_side *left,
		  const struct matmul_side *right)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	uint64_t bytes =
		(uint64_t)left->outer * right->outer * nn_type_size(call->output[0].type);
	struct few few = {
		.call = call,
		.progress.call = call,
		.left = left,
		.right = right,
		.end = nn_tensor_end(right->tensor),
		.flips = splat_b(right->flip),
		.finish = finish_of(call->output[0].type == NN_TYPE_INT8,
				    call->output[0].zero_point, call->op->out_min,
				    call->op->out_max),
		.padded = round_up(left->inner, VECTOR),
		.is_negative = left->zero == -left->flip,
	};
	struct matmul_pairs pairs;

	few.halves[0] = call->scratch;
	few.halves[1] = call->scratch + few.padded;
	few.dots = (HVX_Vector *)(few.halves[1] + few.padded);
	if (params->form == NN_MATMUL_FLOAT) {
		few.requant[0] = requant_scale(params->scale);
		few.requant[1] = few.requant[2] = few.requant[3] = few.requant[0];
	} else {
		few.by = fixed_splat(params->by);
	}
	for (matmul_begin(&pairs, call, left, right); pairs.left; matmul_next(&pairs)) {
		int ret = multiply(&few, pairs.a, pairs.b,
				   call->output[0].data + pairs.at * bytes);

		if (ret)
			return ret;
	}
	return 0;
}
