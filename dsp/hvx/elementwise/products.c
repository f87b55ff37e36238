// SPDX-License-Identifier: MIT
/*
 * BINARY's products, of inputs that are laid out: binary.c calls nn_products_run(), and
 * binary_functions.c, which has products in it, too.
 *
 * A product is one of integers, which are exact, by a scale in fixed point. MUL_ONCE is defined so,
 * and requantized as accumulators are. For the others that result is off by less than 8 / 2^16
 * where it is in the range of bytes: float32's roundings move it by less than 6.1 / 2^16, four of
 * the definition and two of the scale each by 257 / 2^24 (MUL, and PRELU's), or by less than 3.1 /
 * 2^16 (MUL_FUSED), and the fixed point by 1.5 / 2^16. Where it is not as near as that to a half,
 * it rounds to the same integer. The others, which may be ties, are computed as they are defined.
 *
 * Where MUL's scales, or PRELU's, are powers of two, float32 rounds nothing before the result,
 * which is that of integers, and many results are ties.
 */
#include "dsp/hvx/elementwise/binary.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/float32.h"

#include <stddef.h>

#define MARGIN		8	/* in 2^-16 */
#define MARGIN_FUSED	5
#define MOST_EXACT_SHIFT 8
#define MARGIN_ONCE	1	/* of struct conv2d_constants, where no bits are lost */
#define VECTOR_WORK	96	/* for 128 elements */
#define TIE_WORK	32	/* for a result that may be a tie */
#define TIES_AT_ONCE	16u	/* vectors of which some may be */
#define QUICK_WORK	40	/* for these in the assembly, with their memory */
#define QUICK_BYTES	(NN_TILE / QUICK_WORK * VECTOR)

static HVX_VectorPair multiply_halves(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair product = Q6_Ww_vmpy_VhVh(a, b);

	return Q6_W_vshuff_VVR(Q6_V_hi_W(product), Q6_V_lo_W(product), -4);
}

/* Tells which of 64 products with fractions may be ties: all bits of their halfwords are set. */
static HVX_Vector are_ties(HVX_Vector product0, HVX_Vector product1)
{
	HVX_Vector fraction = Q6_Vh_vpacke_VwVw(product1, product0);

	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * MARGIN), fraction), splat_w(-1),
			     Q6_V_vzero());
}

/*
 * Computes what MUL, and PRELU below 0, divide by the output's scale, and the quotient as float32
 * has it. Not for scales with which a number on the way may leave float32's range.
 */
static inline int32_t multiply_in_float(const struct nn_binary_params *params, float inverse,
					int32_t a, int32_t b)
{
	return round_float(divide_fused(((float)a * params->scale_a) * ((float)b * params->scale_b),
					params->scale_output, inverse));
}

/* The same of DIV, where b is not 0. */
static inline int32_t divide_in_float(const struct nn_binary_params *params, float inverse,
				      int32_t a, int32_t b)
{
	return round_float(divide_fused(((float)a * params->scale_a) / ((float)b * params->scale_b),
					params->scale_output, inverse));
}

static bool is_near_one(float scale)
{
	return scale >= 0x1p-30f && scale <= 0x1p30f;
}

int nn_binary_ties(const struct binary *binary, uint32_t bytes)
{
	const struct nn_call *call = binary->call;
	const struct nn_binary_params params = call->op->binary;
	const uint8_t *a = call->scratch + OPERAND_A, *b = call->scratch + OPERAND_B;
	const int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]);
	const int32_t zero_a = call->input[0].zero_point, zero_b = call->input[1].zero_point;
	const int32_t zero_output = call->output[0].zero_point;
	const bool is_near = is_near_one(params.scale_a) && is_near_one(params.scale_b) &&
			     is_near_one(params.scale_output);
	const bool is_product = is_near && (params.function == NN_BINARY_MUL ||
					    params.function == NN_BINARY_PRELU);
	const bool is_quotient = is_near && params.function == NN_BINARY_DIV;
	const float inverse = binary->inverse;

	for (int32_t i = -1; (i = next_set(call->scratch + TIES, i)) >= 0 && i < (int32_t)bytes;) {
		int32_t x = load_8bit(&a[i], flip_a) - zero_a, result;
		int32_t y = load_8bit(&b[i], flip_b) - zero_b;
		int ret = progress_add(binary->progress, ELEMENT_WORK);

		if (ret)
			return ret;
		/* PRELU's elements that are not below 0 are cut to 0 before. */
		if (is_product)
			result = multiply_in_float(&params, inverse, x, y);
		else if (is_quotient && y)
			result = divide_in_float(&params, inverse, x, y);
		else
			result = compute_binary(&call->op->binary, &binary->sum, x, y);
		call->scratch[RESULTS + i] = clamp_int(result + zero_output, call->op->out_min,
						       call->op->out_max);
	}
	return 0;
}

/* Divides 32 integers by a power of two, to the nearest, ties to even. */
static inline HVX_Vector divide_exactly(HVX_Vector v, uint32_t shift)
{
	HVX_Vector odd = Q6_V_vand_VV(Q6_Vw_vasr_VwR(v, shift), splat_w(1));

	v = Q6_Vw_vadd_VwVw(v, splat_w((1 << (shift - 1)) - 1));
	return Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(v, odd), shift);
}

/* 128 products, with fractions of 16 bits and a half more, or what is made of them at once. */
struct products {
	HVX_Vector product[4];
};

static inline __attribute__((always_inline)) struct products
multiply_elements(const struct product *p, HVX_Vector stored_a, HVX_Vector stored_b)
{
	HVX_VectorPair a = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_a, p->flip_a));
	HVX_VectorPair b = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_b, p->flip_b));
	HVX_VectorPair low = multiply_halves(Q6_Vh_vsub_VhVh(Q6_V_lo_W(a), p->zero_a),
					     Q6_Vh_vsub_VhVh(Q6_V_lo_W(b), p->zero_b));
	HVX_VectorPair high = multiply_halves(Q6_Vh_vsub_VhVh(Q6_V_hi_W(a), p->zero_a),
					      Q6_Vh_vsub_VhVh(Q6_V_hi_W(b), p->zero_b));

	return (struct products){ { Q6_V_lo_W(low), Q6_V_hi_W(low), Q6_V_lo_W(high),
				    Q6_V_hi_W(high) } };
}

/* Scales 128 products. Sets all bits of the bytes in *ties whose results may be ties. */
static inline __attribute__((always_inline)) HVX_Vector
scale_products(const struct product *p, struct products products, HVX_Vector *ties)
{
	HVX_Vector *product = products.product;

	for (uint32_t i = 0; i < 4; i++)
		product[i] = requant_product(product[i], p->requant, splat_w(0x8000 + MARGIN));
	*ties = Q6_Vb_vpacke_VhVh(are_ties(product[2], product[3]),
				  are_ties(product[0], product[1]));
	return finish_8bit(Q6_Vh_vpacko_VwVw(product[1], product[0]),
			   Q6_Vh_vpacko_VwVw(product[3], product[2]), &p->finish);
}

static inline bool has_any(HVX_Vector bytes)
{
	return any_lane(Q6_Q_vcmp_gt_VubVub(bytes, Q6_V_vzero()));
}

/* Multiplies 128 elements, of which the first `bytes` are wanted. */
static inline HVX_Vector multiply_vector(const struct binary *binary, HVX_Vector stored_a,
					 HVX_Vector stored_b, uint32_t bytes, int *ret)
{
	const struct product *p = &binary->product;
	uint8_t *scratch = binary->call->scratch;
	struct products products = multiply_elements(p, stored_a, stored_b);
	HVX_Vector *product = products.product, ties, result;

	if (p->is_once)
		return requant_128(product, p->requant, &p->finish);
	if (p->exact_shift) {
		for (uint32_t i = 0; i < 4; i++)
			product[i] = divide_exactly(product[i], p->exact_shift);
		return finish_8bit(Q6_Vh_vpack_VwVw_sat(product[1], product[0]),
				   Q6_Vh_vpack_VwVw_sat(product[3], product[2]), &p->finish);
	}
	result = scale_products(p, products, &ties);
	if (!has_any(ties))
		return result;
	store(scratch + TIES, ties);
	store(scratch + OPERAND_A, stored_a);
	store(scratch + OPERAND_B, stored_b);
	store(scratch + RESULTS, result);
	*ret = nn_binary_ties(binary, bytes);
	return load(scratch + RESULTS);
}

/* Lists 128 bytes, whose bits are all set or none, as the bits of the first 16 bytes. */
static inline HVX_Vector list_bits(HVX_Vector bytes, HVX_Vector weights)
{
	HVX_Vector bits = Q6_Vuw_vrmpy_VubRub(Q6_V_vand_VV(bytes, weights), 0x01010101);

	bits = Q6_Vh_vpacke_VwVw(bits, bits);
	bits = Q6_Vh_vdmpy_VubRb(Q6_Vb_vpacke_VhVh(bits, bits), 0x01010101);
	return Q6_Vb_vpacke_VhVh(bits, bits);
}

/* The numbers of a call that settle_products() needs. */
struct settling {
	struct nn_binary_params params;
	float inverse;
	int32_t zero_a, zero_b, zero_output;	/* of inputs that are unsigned */
	int32_t least, most;
};

static inline struct settling settling_of(const struct binary *binary)
{
	const struct nn_call *call = binary->call;

	return (struct settling){
		.params = call->op->binary,
		.inverse = binary->inverse,
		.zero_a = call->input[0].zero_point + flip_of(&call->input[0]),
		.zero_b = call->input[1].zero_point + flip_of(&call->input[1]),
		.zero_output = call->output[0].zero_point,
		.least = call->op->out_min,
		.most = call->op->out_max,
	};
}

/*
 * Computes those of 128 results again that may be ties, which `ties` lists as list_bits() does: of
 * scales that are near one, what multiply_in_float() does. Returns how many.
 */
static inline __attribute__((always_inline)) uint32_t
settle_products(const struct settling *by, uint8_t *scratch, const set_word *ties)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < 2; i++, scratch += 64) {
		for (uint64_t rest = ties[i]; rest; rest &= rest - 1, count++) {
			uint8_t *at = scratch + __builtin_ctzll(rest);
			int32_t result = multiply_in_float(&by->params, by->inverse,
							   at[OPERAND_A] - by->zero_a,
							   at[OPERAND_B] - by->zero_b);

			at[RESULTS] = clamp_int(result + by->zero_output, by->least, by->most);
		}
	}
	return count;
}

/*
 * Multiplies whole vectors until one has no result that may be a tie, at most `count`, which are so
 * few that nobody looks at progress between them. Returns how many. For scales that are near one.
 */
static __attribute__((noinline)) uint32_t multiply_ties(struct binary *binary, const uint8_t *a,
							const uint8_t *b, uint8_t *to,
							uint32_t count)
{
	const struct settling settling = settling_of(binary);
	const struct product p = binary->product;
	const HVX_Vector weights = Q6_V_lo_W(Q6_W_vshuff_VVR(splat_w(0x80402010),
							     splat_w(0x08040201), -4));
	uint8_t *scratch = binary->call->scratch;
	const set_word *bits = (const set_word *)(scratch + TIES);
	uint32_t done = 0, found = 0;
	bool goes_on = true;

	for (; done < count && goes_on; done++) {
		HVX_Vector stored_a = load(a), stored_b = load(b), ties;
		HVX_Vector result = scale_products(&p, multiply_elements(&p, stored_a, stored_b),
						   &ties);

		store(scratch + TIES, list_bits(ties, weights));
		goes_on = bits[0] | bits[1];
		if (goes_on) {
			store(scratch + OPERAND_A, Q6_V_vxor_VV(stored_a, p.flip_a));
			store(scratch + OPERAND_B, Q6_V_vxor_VV(stored_b, p.flip_b));
			store(scratch + RESULTS, result);
			found += settle_products(&settling, scratch, bits);
			result = load(scratch + RESULTS);
		}
		store(to, result);
		a += VECTOR;
		b += VECTOR;
		to += VECTOR;
	}
	binary->progress->work += found * TIE_WORK;
	return done;
}

/*
 * Multiplies `count` whole vectors by the assembly. Returns how many of them are left, the first
 * with a product that may be a tie.
 */
static uint32_t multiply_vectors(struct multiply_vectors *vectors, bool is_signed, const uint8_t *a,
				 const uint8_t *b, uint8_t *to, uint32_t count)
{
	vectors->from[0] = a;
	vectors->from[1] = b;
	vectors->to = to;
	vectors->count = count;
	return is_signed ? nn_multiply_int8(vectors) : nn_multiply_uint8(vectors);
}

int nn_products_run(struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
		    uint32_t bytes)
{
	const struct product *product = &binary->product;

	for (uint32_t i = 0; i < bytes;) {
		uint32_t rest = bytes - i;
		uint32_t count = rest < QUICK_BYTES ? rest / VECTOR : QUICK_BYTES / VECTOR, left;
		uint32_t part = min_u32(rest, VECTOR);
		HVX_Vector result;
		int ret;

		if (product->vectors && count) {
			ret = progress_add(binary->progress, count * QUICK_WORK);
			if (ret)
				return ret;
			left = multiply_vectors(product->vectors, product->finish.is_signed, a + i,
						b + i, to + i, count);
			i += (count - left) * VECTOR;
			if (!left)
				continue;
			if (product->is_quick) {
				count = min_u32(left, TIES_AT_ONCE);
				ret = progress_add(binary->progress, count * VECTOR_WORK);
				if (ret)
					return ret;
				i += multiply_ties(binary, a + i, b + i, to + i, count) * VECTOR;
				continue;
			}
		}
		ret = progress_add(binary->progress, VECTOR_WORK);
		if (ret)
			return ret;
		result = multiply_vector(binary, load_part(a + i, part), load_part(b + i, part),
					 part, &ret);
		if (ret)
			return ret;
		store_part(to + i, result, part);
		i += part;
	}
	return 0;
}

/* Prepares the assembly's arguments, if it can have the scale. */
static void prepare_vectors(struct binary *binary, float scale)
{
	const struct nn_call *call = binary->call;
	struct multiply_vectors *vectors = (struct multiply_vectors *)(call->scratch + VECTORS);
	uint32_t function = call->op->binary.function;
	uint32_t margin = function == NN_BINARY_MUL_ONCE ? MARGIN_ONCE :
			  function == NN_BINARY_MUL_FUSED ? MARGIN_FUSED : MARGIN;
	struct scale_words words = describe_scale(scale);

	if (words.shift < 0 || words.shift > MULTIPLY_MOST_SHIFT)
		return;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t flip = flip_of(&call->input[i]);
		uint32_t factor = 1u << (words.shift + i) / 2;

		vectors->flip[i] = flip * 0x1010101;
		vectors->factor[i] = factor * 0x1010101;
		vectors->zero[i] = (call->input[i].zero_point + flip) * factor * 0x10001;
	}
	vectors->multiplier = words.multiplier;
	vectors->more = call->output[0].zero_point * 0x10000 + 0x8000 + margin;
	vectors->ties = 2 * margin + (function == NN_BINARY_MUL_ONCE);
	vectors->out_min = four_bytes(call->op->out_min);
	vectors->out_max = four_bytes(call->op->out_max);
	binary->product.vectors = vectors;
}

void nn_products_prepare_elements(struct binary *binary)
{
	const struct nn_tensor *a = &binary->call->input[0], *b = &binary->call->input[1];
	const struct nn_tensor *output = &binary->call->output[0];
	struct product *product = &binary->product;

	product->finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				    binary->call->op->out_min, binary->call->op->out_max);
	product->flip_a = splat_b(flip_of(a));
	product->flip_b = splat_b(flip_of(b));
	product->zero_a = splat_h(a->zero_point + flip_of(a));
	product->zero_b = splat_h(b->zero_point + flip_of(b));
	product->vectors = NULL;
}

/* Tells whether a scale is a power of two. */
static bool is_power(float scale)
{
	union {
		float value;
		uint32_t bits;
	} u = { .value = scale };

	return !(u.bits & 0x7fffff);
}

/* Returns by what power of two products are divided if float32 rounds none of them; 0: it does. */
static uint32_t exact_shift_of(const struct nn_binary_params *params, float scale)
{
	if ((params->function != NN_BINARY_MUL && params->function != NN_BINARY_PRELU) ||
	    !is_power(params->scale_a) || !is_power(params->scale_b) ||
	    !is_power(params->scale_output))
		return 0;
	/* With more there are few ties, and with none no fractions. */
	for (uint32_t shift = 1; shift <= MOST_EXACT_SHIFT; shift++) {
		if (scale * (float)(1 << shift) == 1)
			return shift;
	}
	return 0;
}

void nn_products_prepare(struct binary *binary)
{
	const struct nn_binary_params *params = &binary->call->op->binary;
	struct product *product = &binary->product;
	float scale = params->scale_output;

	nn_products_prepare_elements(binary);
	product->is_quick = false;
	if (params->function == NN_BINARY_MUL || params->function == NN_BINARY_PRELU) {
		scale = params->scale_a * params->scale_b / params->scale_output;
		product->is_quick = is_near_one(params->scale_a) && is_near_one(params->scale_b) &&
				    is_near_one(params->scale_output);
	}
	for (uint32_t i = 0; i < 4; i++)
		product->requant[i] = requant_scale(scale);
	product->exact_shift = exact_shift_of(params, scale);
	product->is_once = params->function == NN_BINARY_MUL_ONCE;
	if (!product->exact_shift)
		prepare_vectors(binary, scale);
	binary->inverse = 1.0f / params->scale_output;
	binary->compute = nn_products_run;
}
