// SPDX-License-Identifier: MIT
/*
 * BINARY's functions that are neither sums nor products, of inputs that are laid out; binary.c
 * calls nn_binary_functions_prepare().
 *
 * MIN, MAX: rounding never decreases where its argument increases, so the greater of two elements
 * has the greater of both results. Each result is a function of one element, by a table of 256,
 * whose entries are made as products are (products.c).
 *
 * PRELU, PRELU_FIXED: elements that are not below 0 by such a table, the others' products by
 * products.c, or as TensorFlow Lite's arithmetic has them.
 *
 * DIV: K / q(b) by a table of 32 bits, K = scale_a / (scale_b * scale_output), and its product with
 * q(a), which is off by less than 5 / 2^14 where it is in the range of bytes: the definition's four
 * roundings and the table's three move it by less than 257 / 2^24 each, its reciprocals by 257 /
 * 2^22, what the table leaves out by 255 / 2^22, and the product's rounding by 2^-15. Where it is
 * not as near as that to a half, it rounds to the same integer. The others, which may be ties, are
 * computed as they are defined.
 *
 * SQUARED_DIFFERENCE_FIXED: both terms by a table of 16 bits, the rest in integers of 32 bits.
 */
#include "dsp/hvx/elementwise/binary.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/elementwise/tables.h"
#include "dsp/hvx/common/float32.h"

#define MARGIN		8	/* of tables, in 2^-16 */
#define DIV_MARGIN	5	/* in 2^-14 */
#define RECIPROCAL_BITS	22	/* behind the point */
#define MOST_RECIPROCAL	0x1.fffffcp8f
#define VECTOR_WORK	160	/* for 128 elements */
#define RUN_VECTORS	64	/* vectors between two of these additions */
#define TABLE_BYTES	256

static uint8_t *table_of(const struct binary *binary, uint32_t i)
{
	return binary->call->scratch + TABLES + i * TABLE_BYTES;
}

static inline HVX_Vector lesser(HVX_Vector a, HVX_Vector b, bool is_signed)
{
	return is_signed ? Q6_Vb_vmin_VbVb(a, b) : Q6_Vub_vmin_VubVub(a, b);
}

static inline HVX_Vector greater(HVX_Vector a, HVX_Vector b, bool is_signed)
{
	return is_signed ? Q6_Vb_vmax_VbVb(a, b) : Q6_Vub_vmax_VubVub(a, b);
}

/* Returns which elements are greater: as vcmp does. */
static inline HVX_VectorPred are_greater(HVX_Vector a, HVX_Vector b, bool is_signed)
{
	return is_signed ? Q6_Q_vcmp_gt_VbVb(a, b) : Q6_Q_vcmp_gt_VubVub(a, b);
}

/* The number that byte i of an input is, less its zero point. */
static int32_t element_of(const struct nn_tensor *input, uint8_t i)
{
	return load_8bit(&i, flip_of(input)) - input->zero_point;
}

static const int32_t numbers[32] __attribute__((aligned(VECTOR))) = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* 32 words, the first `first`, each one more than the one before. */
static HVX_Vector count_from(int32_t first)
{
	return Q6_Vw_vadd_VwVw(load(numbers), splat_w(first));
}

/*
 * Makes the table of rint(q(a) * scale / scale_output) + zero point, clamped, for one input, in
 * float32 as binary.c of dsp/kernels has it for MIN, MAX and PRELU.
 */
static void make_rescale_table(const struct binary *binary, uint32_t input, float scale)
{
	const struct nn_call *call = binary->call;
	const struct nn_tensor *from = &call->input[input];
	const float scale_output = call->op->binary.scale_output, inverse = binary->inverse;
	const int32_t zero_point = call->output[0].zero_point;
	const bool is_quick = nn_binary_is_moderate(scale) && nn_binary_is_moderate(scale_output);
	const struct requant requant = requant_scale(is_quick ? scale / scale_output : 1);
	const struct finish finish = finish_of(call->output[0].type == NN_TYPE_INT8, zero_point,
					       call->op->out_min, call->op->out_max);
	uint8_t *table = table_of(binary, input), *ties = call->scratch + TIES;

	for (uint32_t half = 0; half < 2; half++, table += VECTOR) {
		int32_t first = element_of(from, half * VECTOR);
		HVX_Vector product[4], low, high;

		for (uint32_t i = 0; i < 4; i++)
			product[i] = requant_product(count_from(first + 32 * i), &requant,
						     splat_w(0x8000 + MARGIN));
		low = Q6_Vh_vpacke_VwVw(product[1], product[0]);
		high = Q6_Vh_vpacke_VwVw(product[3], product[2]);
		low = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * MARGIN), low), splat_w(-1),
				    Q6_V_vzero());
		high = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * MARGIN), high), splat_w(-1),
				     Q6_V_vzero());
		store(ties, is_quick ? Q6_Vb_vpacke_VhVh(high, low) : splat_w(-1));
		store(table, finish_8bit(Q6_Vh_vpacko_VwVw(product[1], product[0]),
					 Q6_Vh_vpacko_VwVw(product[3], product[2]), &finish));
		for (int32_t i = -1; (i = next_set(ties, i)) >= 0;) {
			float x = (float)(first + i) * scale;
			int32_t result = round_float(is_quick ?
						     divide_fused(x, scale_output, inverse) :
						     x / scale_output);

			table[i] = clamp_int(result + zero_point, call->op->out_min,
					     call->op->out_max);
		}
	}
}

/* Tells whether a table has each byte in its own place. */
static bool is_identity(const uint8_t *table)
{
	uint32_t i = 0;

	while (i < TABLE_BYTES && table[i] == i)
		i++;
	return i == TABLE_BYTES;
}

/* How many tables an extreme takes: none if its inputs are as the output. */
struct extreme {
	bool is_greatest, is_signed;	/* of what is compared */
	uint32_t tables;
	struct table table[2];
};

static inline HVX_Vector extreme_of(HVX_Vector a, HVX_Vector b, const struct extreme *extreme)
{
	if (extreme->tables == 2) {
		a = look_up(a, extreme->table[0]);
		b = look_up(b, extreme->table[1]);
	}
	a = extreme->is_greatest ? greater(a, b, extreme->is_signed) :
				   lesser(a, b, extreme->is_signed);
	return extreme->tables == 1 ? look_up(a, extreme->table[0]) : a;
}

static inline __attribute__((always_inline)) int
run_extremes(const struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
	     uint32_t bytes, struct extreme extreme)
{
	while (bytes) {
		uint32_t part = min_u32(bytes, NN_TILE / VECTOR_WORK * VECTOR);
		int ret = progress_add(binary->progress, part / VECTOR * VECTOR_WORK + VECTOR_WORK);

		if (ret)
			return ret;
		bytes -= part;
		for (; part >= VECTOR; part -= VECTOR) {
			store(to, extreme_of(load(a), load(b), &extreme));
			a += VECTOR;
			b += VECTOR;
			to += VECTOR;
		}
		if (part)
			store_bytes(to, extreme_of(load_bytes(a, part), load_bytes(b, part),
						   &extreme), part);
	}
	return 0;
}

/* The loop by what is constant in it. */
static int compute_extremes(struct binary *binary, const uint8_t *a, const uint8_t *b,
			    uint8_t *to, uint32_t bytes)
{
	const struct nn_call *call = binary->call;
	const struct nn_binary_params *params = &call->op->binary;
	const struct nn_tensor *in = call->input;
	struct extreme extreme = { .is_greatest = params->function == NN_BINARY_MAX, .tables = 2 };

	extreme.is_signed = call->output[0].type == NN_TYPE_INT8;
	extreme.table[0] = load_table(table_of(binary, 0));
	extreme.table[1] = load_table(table_of(binary, 1));
	if (in[0].type == in[1].type && in[0].zero_point == in[1].zero_point &&
	    params->scale_a == params->scale_b) {
		extreme.is_signed = in[0].type == NN_TYPE_INT8;
		extreme.tables = !is_identity(table_of(binary, 0));
	}
#define RUN(greatest, signed, count) \
	do { \
		if (extreme.is_greatest == (greatest) && extreme.is_signed == (signed) && \
		    extreme.tables == (count)) { \
			extreme.is_greatest = (greatest); \
			extreme.is_signed = (signed); \
			extreme.tables = (count); \
			return run_extremes(binary, a, b, to, bytes, extreme); \
		} \
	} while (0)
	RUN(false, false, 0);
	RUN(false, true, 0);
	RUN(true, false, 0);
	RUN(true, true, 0);
	RUN(false, false, 1);
	RUN(false, true, 1);
	RUN(true, false, 1);
	RUN(true, true, 1);
	RUN(false, false, 2);
	RUN(false, true, 2);
	RUN(true, false, 2);
	RUN(true, true, 2);
#undef RUN
	return 0;
}

/* Makes elements of `from` at most zero. */
static inline __attribute__((always_inline)) void
cut_positive(uint8_t *to, const uint8_t *from, uint32_t bytes, int32_t zero_point, bool is_signed)
{
	const HVX_Vector zero = splat_b(zero_point);
	uint32_t i = 0;

	for (; i + VECTOR <= bytes; i += VECTOR)
		store(to + i, lesser(load(from + i), zero, is_signed));
	if (i < bytes)
		store(to + i, lesser(load_bytes(from + i, bytes - i), zero, is_signed));
}

static inline __attribute__((always_inline)) void
put_positive(uint8_t *to, const uint8_t *from, const uint8_t *products, uint32_t bytes,
	     const uint8_t *positive, int32_t zero_point, bool is_signed)
{
	const HVX_Vector zero = splat_b(zero_point);
	const struct table table = load_table(positive);
	uint32_t i = 0;

	for (; i + VECTOR <= bytes; i += VECTOR) {
		HVX_Vector a = load(from + i);

		store(to + i, Q6_V_vmux_QVV(are_greater(zero, a, is_signed), load(products + i),
					    look_up(a, table)));
	}
	if (i < bytes) {
		HVX_Vector a = load_bytes(from + i, bytes - i);

		store_bytes(to + i,
			    Q6_V_vmux_QVV(are_greater(zero, a, is_signed), load(products + i),
					  look_up(a, table)), bytes - i);
	}
}

/* PRELU. Products of what is above zero are 0, so that none of them may be a tie. */
static int compute_prelu(struct binary *binary, const uint8_t *a, const uint8_t *b,
			 uint8_t *to, uint32_t bytes)
{
	const struct nn_tensor *input = &binary->call->input[0];
	const bool is_signed = input->type == NN_TYPE_INT8;
	const uint8_t *table = table_of(binary, 0);
	uint8_t *cut = binary->stage[0], *products = binary->stage[1];

	for (uint32_t i = 0; i < bytes; i += binary->most) {
		uint32_t part = min_u32(bytes - i, binary->most);
		int ret = progress_add(binary->progress,
				       VECTOR_WORK + part / VECTOR * VECTOR_WORK);

		if (ret)
			return ret;
		if (is_signed)
			cut_positive(cut, a + i, part, input->zero_point, true);
		else
			cut_positive(cut, a + i, part, input->zero_point, false);
		ret = nn_products_run(binary, cut, b + i, products, part);
		if (ret)
			return ret;
		if (is_signed)
			put_positive(to + i, a + i, products, part, table, input->zero_point, true);
		else
			put_positive(to + i, a + i, products, part, table, input->zero_point,
				     false);
	}
	return 0;
}

/* A factor as multiply_high() takes it, for nn_fixed_multiply() of 32 numbers. */
struct fixed {
	HVX_Vector multiplier;
	HVX_Vector half, half_below;	/* for rounding, and that of numbers below 0 */
	uint32_t left, right;
};

static inline struct fixed fixed_of(struct nn_fixed by)
{
	uint32_t left = by.exponent > 0 ? by.exponent : 0, right = left - by.exponent;
	uint32_t half = right ? 1u << (right - 1) : 0;

	return (struct fixed){
		.multiplier = splat_w(by.multiplier),
		.half = splat_w(half),
		.half_below = splat_w(right ? half - 1 : 0),
		.left = left,
		.right = right,
	};
}

/* How a multiplication shifts, constant in a loop: to the left, or to the right by how much. */
enum shifts { TO_THE_LEFT, BELOW_16, TO_THE_RIGHT };

/* Multiplies 32 numbers, all but the last shift to the right. */
static inline HVX_Vector multiply_high(HVX_Vector value, const struct fixed *fixed,
				       enum shifts shifts)
{
	HVX_Vector high, half;

	if (shifts == TO_THE_LEFT)
		value = Q6_Vw_vasl_VwR(value, fixed->left);
	high = Q6_Vw_vmpye_VwVuh(value, fixed->multiplier);
	high = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(high, value, fixed->multiplier);
	if (shifts == TO_THE_LEFT)
		return high;
	half = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), high), fixed->half_below, fixed->half);
	return Q6_Vw_vadd_VwVw(high, half);
}

static inline HVX_Vector multiply_fixed(HVX_Vector value, const struct fixed *fixed)
{
	value = Q6_Vw_vasl_VwR(value, fixed->left);
	return Q6_Vw_vasr_VwR(multiply_high(value, fixed, TO_THE_RIGHT), fixed->right);
}

/* Makes halfwords of 64 numbers, even and odd ones, which are put in order. */
static inline HVX_Vector multiply_halves(HVX_VectorPair values, const struct fixed *by,
					 enum shifts shifts)
{
	HVX_Vector even = multiply_high(Q6_V_lo_W(values), by, shifts);
	HVX_Vector odd = multiply_high(Q6_V_hi_W(values), by, shifts);

	if (shifts == TO_THE_LEFT)
		return Q6_Vh_vsat_VwVw(odd, even);
	if (shifts == BELOW_16)
		return Q6_Vh_vasr_VwVwR_sat(odd, even, by->right);
	return Q6_Vh_vsat_VwVw(Q6_Vw_vasr_VwR(odd, by->right), Q6_Vw_vasr_VwR(even, by->right));
}

/* Makes bytes halfwords, less a zero point, in their order. */
static inline HVX_VectorPair widen(HVX_Vector bytes, HVX_Vector flip, HVX_Vector zero)
{
	HVX_VectorPair wide = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(bytes, flip));

	return Q6_W_vcombine_VV(Q6_Vh_vsub_VhVh(Q6_V_hi_W(wide), zero),
				Q6_Vh_vsub_VhVh(Q6_V_lo_W(wide), zero));
}

/* The numbers that functions of a vector need, and which of its results may be ties. */
struct function {
	const struct product *product;	/* its flips, zeros and finish */
	struct table table[4];
	struct fixed by;
	HVX_Vector zero_a, zero_b, out_min;
	bool is_signed;			/* input a */
	enum shifts shifts;		/* of `by` */
	HVX_Vector ties;
};

typedef HVX_Vector (*function_of_two)(HVX_Vector a, HVX_Vector b, struct function *f);

/* Computes again those of a vector's results that may be ties. */
static __attribute__((noinline)) int settle_ties(const struct binary *binary, HVX_Vector a,
						 HVX_Vector b, HVX_Vector ties, uint8_t *to,
						 uint32_t bytes)
{
	uint8_t *scratch = binary->call->scratch;
	int ret;

	store(scratch + TIES, ties);
	store(scratch + OPERAND_A, a);
	store(scratch + OPERAND_B, b);
	store(scratch + RESULTS, load_bytes(to, bytes));
	ret = nn_binary_ties(binary, bytes);
	if (!ret)
		store_bytes(to, load(scratch + RESULTS), bytes);
	return ret;
}

/* Runs one of the functions below, which is a constant here. */
static inline __attribute__((always_inline)) int
run_function(const struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
	     uint32_t bytes, struct function *f, function_of_two function, bool has_ties)
{
	while (bytes) {
		uint32_t part = min_u32(bytes, RUN_VECTORS * VECTOR);
		int ret = progress_add(binary->progress, RUN_VECTORS * VECTOR_WORK);

		if (ret)
			return ret;
		bytes -= part;
		for (; part; a += VECTOR, b += VECTOR, to += VECTOR) {
			HVX_Vector x, y;

			if (part < VECTOR) {
				x = load_bytes(a, part);
				y = load_bytes(b, part);
				store_bytes(to, function(x, y, f), part);
			} else {
				x = load(a);
				y = load(b);
				store(to, function(x, y, f));
			}
			if (has_ties && any_lane(Q6_Q_vcmp_gt_VubVub(f->ties, Q6_V_vzero()))) {
				ret = settle_ties(binary, x, y, f->ties, to, min_u32(part, VECTOR));
				if (ret)
					return ret;
			}
			part -= min_u32(part, VECTOR);
		}
	}
	return 0;
}

static inline HVX_Vector prelu_fixed(HVX_Vector a, HVX_Vector b, struct function *f)
{
	const struct product *p = f->product;
	HVX_VectorPair x = widen(a, p->flip_a, p->zero_a), y = widen(b, p->flip_b, p->zero_b);
	HVX_VectorPair low = Q6_Ww_vmpy_VhVh(Q6_V_lo_W(x), Q6_V_lo_W(y));
	HVX_VectorPair high = Q6_Ww_vmpy_VhVh(Q6_V_hi_W(x), Q6_V_hi_W(y));
	HVX_Vector results = finish_8bit(multiply_halves(low, &f->by, f->shifts),
					 multiply_halves(high, &f->by, f->shifts), &p->finish);

	return Q6_V_vmux_QVV(are_greater(f->zero_a, a, f->is_signed), results,
			     look_up(a, f->table[0]));
}

static inline HVX_Vector squared_difference(HVX_Vector a, HVX_Vector b, struct function *f)
{
	HVX_VectorPair x = look_up_halves(a, f->table), y = look_up_halves(b, f->table + 2);
	HVX_Vector low = Q6_Vuh_vabsdiff_VhVh(Q6_V_lo_W(x), Q6_V_lo_W(y));
	HVX_Vector high = Q6_Vuh_vabsdiff_VhVh(Q6_V_hi_W(x), Q6_V_hi_W(y));

	return finish_8bit(multiply_halves(Q6_Wuw_vmpy_VuhVuh(low, low), &f->by, f->shifts),
			   multiply_halves(Q6_Wuw_vmpy_VuhVuh(high, high), &f->by, f->shifts),
			   &f->product->finish);
}

/* Divides 64 elements: results, and in *ties all bits of halfwords that may be some. */
static inline HVX_Vector divide_64(HVX_Vector a, HVX_VectorPair reciprocal, HVX_Vector *ties)
{
	HVX_VectorPair x = Q6_Ww_vunpack_Vh(a);
	HVX_Vector more = splat_w((1 << 13) + DIV_MARGIN);
	HVX_Vector even = Q6_Vw_vmpyo_VwVh_s1_rnd_sat(Q6_V_lo_W(reciprocal),
						      Q6_Vw_vasl_VwR(Q6_V_lo_W(x), 23));
	HVX_Vector odd = Q6_Vw_vmpyo_VwVh_s1_rnd_sat(Q6_V_hi_W(reciprocal),
						     Q6_Vw_vasl_VwR(Q6_V_hi_W(x), 23));
	HVX_Vector fraction;

	even = Q6_Vw_vadd_VwVw_sat(even, more);
	odd = Q6_Vw_vadd_VwVw_sat(odd, more);
	fraction = Q6_V_vand_VV(Q6_Vh_vpacke_VwVw(odd, even), splat_h(0x3fff));
	*ties = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * DIV_MARGIN + 1), fraction),
			      splat_w(-1), Q6_V_vzero());
	return Q6_Vh_vpack_VwVw_sat(Q6_Vw_vasr_VwR(odd, 14), Q6_Vw_vasr_VwR(even, 14));
}

static inline HVX_Vector quotient(HVX_Vector a, HVX_Vector b, struct function *f)
{
	const struct product *p = f->product;
	HVX_VectorPair x = widen(a, p->flip_a, p->zero_a);
	HVX_VectorPair below = look_up_halves(b, f->table), above = look_up_halves(b, f->table + 2);
	HVX_Vector low, high, ties0, ties1, result;
	HVX_VectorPred is_none;

	low = divide_64(Q6_V_lo_W(x), Q6_W_vshuff_VVR(Q6_V_lo_W(above), Q6_V_lo_W(below), -2),
			&ties0);
	high = divide_64(Q6_V_hi_W(x), Q6_W_vshuff_VVR(Q6_V_hi_W(above), Q6_V_hi_W(below), -2),
			 &ties1);
	f->ties = Q6_Vb_vpacke_VhVh(ties1, ties0);
	result = finish_8bit(low, high, &p->finish);
	/* 0 / 0 is no number. */
	is_none = Q6_Q_vcmp_eqand_QVbVb(Q6_Q_vcmp_eq_VbVb(a, f->zero_a), b, f->zero_b);
	return Q6_V_vmux_QVV(is_none, f->out_min, result);
}

static struct function function_of(const struct binary *binary)
{
	const struct nn_call *call = binary->call;
	struct function f = { .product = &binary->product };

	for (uint32_t i = 0; i < 4; i++)
		f.table[i] = load_table(table_of(binary, i));
	f.zero_a = splat_b(call->input[0].zero_point);
	f.zero_b = splat_b(call->input[1].zero_point);
	f.out_min = splat_b(call->op->out_min);
	f.is_signed = call->input[0].type == NN_TYPE_INT8;
	f.ties = Q6_V_vzero();
	return f;
}

/* The loops of functions with `by`, by what is constant in them. */
static inline __attribute__((always_inline)) int
run_fixed(const struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
	  uint32_t bytes, struct nn_fixed by, function_of_two function)
{
	struct function f = function_of(binary);

	f.by = fixed_of(by);
	if (by.exponent >= 0) {
		f.shifts = TO_THE_LEFT;
		return run_function(binary, a, b, to, bytes, &f, function, false);
	}
	if (by.exponent > -16) {
		f.shifts = BELOW_16;
		return run_function(binary, a, b, to, bytes, &f, function, false);
	}
	f.shifts = TO_THE_RIGHT;
	return run_function(binary, a, b, to, bytes, &f, function, false);
}

static int compute_prelu_fixed(struct binary *binary, const uint8_t *a, const uint8_t *b,
			       uint8_t *to, uint32_t bytes)
{
	return run_fixed(binary, a, b, to, bytes, binary->call->op->binary.by[1], prelu_fixed);
}

static int compute_squared_difference(struct binary *binary, const uint8_t *a,
				      const uint8_t *b, uint8_t *to, uint32_t bytes)
{
	return run_fixed(binary, a, b, to, bytes, binary->call->op->binary.by[2],
			 squared_difference);
}

static int compute_quotients(struct binary *binary, const uint8_t *a, const uint8_t *b,
			     uint8_t *to, uint32_t bytes)
{
	struct function f = function_of(binary);

	return run_function(binary, a, b, to, bytes, &f, quotient, true);
}

/* Makes PRELU_FIXED's table of elements that are not below 0. */
static void make_fixed_table(const struct binary *binary)
{
	const struct fixed by = fixed_of(binary->call->op->binary.by[0]);
	uint8_t *table = table_of(binary, 0);

	for (uint32_t half = 0; half < 2; half++, table += VECTOR) {
		int32_t first = element_of(&binary->call->input[0], half * VECTOR);
		HVX_Vector result[4];

		for (uint32_t i = 0; i < 4; i++)
			result[i] = multiply_fixed(count_from(first + 32 * i), &by);
		store(table, finish_8bit(Q6_Vh_vpack_VwVw_sat(result[1], result[0]),
					 Q6_Vh_vpack_VwVw_sat(result[3], result[2]),
					 &binary->product.finish));
	}
}

/* Makes the tables of SQUARED_DIFFERENCE_FIXED's terms. */
static void make_term_tables(const struct binary *binary, uint32_t input)
{
	const struct fixed by = fixed_of(binary->call->op->binary.by[input]);
	uint8_t *low = table_of(binary, 2 * input), *high = table_of(binary, 2 * input + 1);

	for (uint32_t half = 0; half < 2; half++, low += VECTOR, high += VECTOR) {
		int32_t first = element_of(&binary->call->input[input], half * VECTOR);
		HVX_Vector halves[2];

		for (uint32_t i = 0; i < 2; i++) {
			HVX_Vector term[2];

			for (uint32_t k = 0; k < 2; k++) {
				HVX_Vector q = count_from(first + 64 * i + 32 * k);

				term[k] = multiply_fixed(Q6_Vw_vasl_VwR(q, 7), &by);
			}
			halves[i] = Q6_Vh_vpacke_VwVw(term[1], term[0]);
		}
		store(low, Q6_Vb_vpacke_VhVh(halves[1], halves[0]));
		store(high, Q6_Vb_vpacko_VhVh(halves[1], halves[0]));
	}
}

/* Makes DIV's table: of 0 the most that there is. */
static void make_reciprocals(const struct binary *binary)
{
	const struct nn_binary_params *params = &binary->call->op->binary;
	const float one = params->scale_a / params->scale_b / params->scale_output;

	for (uint32_t i = 0; i < TABLE_BYTES; i++) {
		int32_t q = element_of(&binary->call->input[1], i), fixed;
		float size = (float)(q < 0 ? -q : q), reciprocal = MOST_RECIPROCAL;

		if (q && one < MOST_RECIPROCAL * size)
			reciprocal = one * reciprocal_of(size);
		reciprocal = reciprocal < MOST_RECIPROCAL ? reciprocal : MOST_RECIPROCAL;
		fixed = (int32_t)(reciprocal * (float)(1 << RECIPROCAL_BITS));
		fixed = q < 0 ? -fixed : fixed;
		for (uint32_t k = 0; k < 4; k++)
			table_of(binary, k)[i] = fixed >> (8 * k);
	}
}

void nn_binary_functions_prepare(struct binary *binary)
{
	const struct nn_binary_params *params = &binary->call->op->binary;

	if (params->function == NN_BINARY_PRELU)
		nn_products_prepare(binary);
	else
		nn_products_prepare_elements(binary);
	switch (params->function) {
	case NN_BINARY_MIN:
	case NN_BINARY_MAX:
		binary->inverse = 1.0f / params->scale_output;
		make_rescale_table(binary, 0, params->scale_a);
		make_rescale_table(binary, 1, params->scale_b);
		binary->compute = compute_extremes;
		return;
	case NN_BINARY_PRELU:
		make_rescale_table(binary, 0, params->scale_a);
		binary->compute = compute_prelu;
		return;
	case NN_BINARY_PRELU_FIXED:
		make_fixed_table(binary);
		binary->compute = compute_prelu_fixed;
		return;
	case NN_BINARY_SQUARED_DIFFERENCE_FIXED:
		make_term_tables(binary, 0);
		make_term_tables(binary, 1);
		binary->compute = compute_squared_difference;
		return;
	default:
		binary->inverse = 1.0f / params->scale_output;
		make_reciprocals(binary);
		binary->compute = compute_quotients;
	}
}
