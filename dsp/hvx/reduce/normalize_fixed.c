// SPDX-License-Identifier: MIT
/*
 * NORMALIZE's elements in fixed point (normalize_fixed.h). An element a, less than 2^reach, goes
 * through words of 32 bits:
 *
 *	x = (a * 2^(15 - reach)) * (A / 2) / 2^16 + D	A: digits of n * k / scale_output, or of that
 *							and the scale, if all have the same
 *	y = x * scale / 2^31				scale: 31 bits, over the greatest of all
 *	y / 2^shift + bias + a half + a margin		in 2^-16, zero point included
 *
 * whose upper half is the result, if its lower half is not within twice the margin. Nothing
 * overflows where the greatest |c * k * scale / scale_output| is less than 2^13, and |bias /
 * scale_output| 2^12; other vectors are computed as they are defined.
 *
 * In units of x, A is off by 4 * 2^-30 of 2^29, which are 2, and by 1 / 2, or so, for its last bit;
 * D by 1, and x, which is rounded down, by 1. The scale is off by 1 / 2^31; and of both, and of
 * what is rounded behind them and in the bias, y is off by less than 12 in 2^-16.
 *
 * float32 rounds c, two products, the sum, and the quotient: with P = |c * k * scale /
 * scale_output|, B = |bias / scale_output|, it is off by less than (5 P + 2 B) * 2^-24. Where P + B
 * matters, |y| is less than 258, else both are beyond the clamp; and P is less than |y| + B. So
 * that is less than 5.1 + 7 * B / 256 in 2^-16. The margin is more than both together.
 *
 * A vector of 128 elements has its words in four vectors, in the order 0 4 8 .., 2 6 10 .., 1 5 9
 * .., 3 7 11 .., because that is what instructions make of bytes. Scales and biases are brought to
 * this order first.
 */
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/elementwise/table_vectors.h"
#include "dsp/hvx/reduce/normalize_fixed.h"

#define MARGIN		19u
#define MOST_REACH	13		/* of c * k * scale / scale_output, as power of two, */
#define MOST_BIAS	12		/* and of bias / scale_output */
#define NOTHING		(-(1 << 14))	/* the exponent of 0 */
#define PIECE		2048u		/* elements that are made at once */
#define CHUNK_WORDS	256u		/* four vectors of scales, and as many of biases */
#define CHUNK_WORK	96u
#define MAKE_WORK	128u		/* for scales and biases of a chunk side by side, */
#define GATHER_WORK	2048u		/* or not */
#define TIE_WORK	256u
#define LOOKED_UP	2048u		/* as many elements are looked up */

/* Scratch memory. */
struct places {
	uint16_t fractions[2 * PIECE / 2];
	uint8_t is_tie[VECTOR];
	uint8_t bytes[256], results[256];
	float scale[VECTOR], bias[VECTOR];
	int32_t piece[PIECE / VECTOR * CHUNK_WORDS];	/* of factors that are not kept */
	int32_t kept[];
};

_Static_assert(sizeof(struct places) + CHUNK_WORDS * 4 <= NORMALIZE_SCRATCH,
	       "there must be room for it");

static struct places *places_of(const struct nn_call *call)
{
	return (struct places *)call->scratch;
}

/* ---- Numbers ---- */

static struct number number_of(int64_t value, int32_t exponent)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	int32_t shift;

	if (!value)
		return (struct number){ 0, NOTHING };
	shift = 33 - __builtin_clzll(size);
	size = shift < 0 ? size << -shift : size >> shift;
	return (struct number){ value < 0 ? -(int32_t)size : (int32_t)size, exponent + shift };
}

/* Returns the number that a float is, which is normal, or 0. */
static struct number number_of_float(float value)
{
	union {
		float value;
		uint32_t bits;
	} number = { .value = value };
	int32_t exponent = number.bits >> 23 & 0xff;
	int32_t digits = ((number.bits & 0x7fffff) | 0x800000) << 7;

	if (!exponent)
		return (struct number){ 0, NOTHING };
	return (struct number){ number.bits >> 31 ? -digits : digits, exponent - 157 };
}

static struct number multiply(struct number a, struct number b)
{
	return number_of((int64_t)a.digits * b.digits, a.exponent + b.exponent);
}

/* In units of 2^unit, of which it must have less than 2^31. */
static int32_t to_fixed(struct number number, int32_t unit)
{
	int32_t shift = unit - number.exponent;

	if (shift < 0)
		return 0;
	return number.digits >> (shift < 31 ? shift : 31);
}

static bool is_moderate(float value)
{
	float size = value < 0 ? -value : value;

	return size >= 0x1p-60f && size <= 0x1p60f;
}

/* ---- Scales and biases ---- */

/* The bits of the greatest magnitude. */
static __attribute__((noinline)) int32_t greatest(const uint8_t *floats, uint32_t count)
{
	HVX_Vector most = Q6_V_vzero(), sign = splat_w(0x7fffffff);

	for (; count > 32; count -= 32, floats += VECTOR)
		most = Q6_Vw_vmax_VwVw(most, Q6_V_vand_VV(load(floats), sign));
	most = Q6_Vw_vmax_VwVw(most, Q6_V_vand_QV(first_bytes(count * 4),
						  Q6_V_vand_VV(load_bytes(floats, count * 4),
							       sign)));
	for (uint32_t i = VECTOR / 2; i >= 4; i /= 2)
		most = Q6_Vw_vmax_VwVw(most, Q6_V_vror_VR(most, i));
	return Q6_R_vextract_VR(most, 0);
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Settles which factors are kept in scratch memory. Those of a vector are `lanes`, from one of so
 * many phases of the pattern that scales make; long vectors repeat them.
 */
static void settle_kept(struct normalize_fixed *fixed)
{
	const struct nn_call *call = fixed->call;
	const struct nn_normalize_params *params = &call->op->normalize;
	uint64_t period = (uint64_t)params->run * call->input[1].dims[0];
	uint64_t room = (call->scratch_size - sizeof(struct places)) / (CHUNK_WORDS * 4) * VECTOR;
	uint64_t row = call->input[0].row_bytes, length = params->length, lanes, phases;

	if (params->form == NN_NORMALIZE_SCALE)
		length = row;
	if (!row || period > room * VECTOR)
		return;
	phases = period / greatest_divisor(length % period, period);
	if (phases > row / length)
		phases = row / length;
	lanes = period / greatest_divisor(period, VECTOR) * VECTOR;
	if (lanes > length)
		lanes = round_up(length, VECTOR);
	if (phases * lanes > room)
		return;
	fixed->phases = phases;
	fixed->lanes = lanes;
}

void nn_normalize_settle(struct normalize_fixed *fixed, const struct nn_call *call)
{
	uint32_t count = call->input[1].dims[0];
	int32_t reach;

	*fixed = (struct normalize_fixed){ .call = call };
	fixed->scale_top = greatest(call->input[1].data, count) >> 23;
	fixed->bias_top = greatest(call->input[2].data, count) >> 23;
	if (!is_moderate(call->op->normalize.scale_output))
		return;
	fixed->inverse = number_of_float(call->op->normalize.scale_output);
	fixed->inverse = number_of((int64_t)((1ull << 62) / (uint32_t)fixed->inverse.digits),
				   -62 - fixed->inverse.exponent);
	if (fixed->bias_top < 67)
		fixed->bias_top = 67;
	if (fixed->scale_top < 67 || fixed->scale_top > 187)
		return;
	reach = fixed->bias_top - 126 + fixed->inverse.exponent + 31;
	if (reach > MOST_BIAS)
		return;
	fixed->margin = MARGIN + (reach < 5 ? 1 : 1u << (reach - 5));
	fixed->is_usable = true;
	settle_kept(fixed);
}

/* Floats in fixed point, in units of the last of 31 bits of one with exponent `top`. */
static inline HVX_Vector fixed_of(HVX_Vector bits, HVX_Vector top)
{
	HVX_Vector exponent = Q6_Vuw_vlsr_VuwR(Q6_Vw_vasl_VwR(bits, 1), 24);
	HVX_Vector digits = Q6_V_vor_VV(Q6_V_vand_VV(bits, splat_w(0x7fffff)), splat_w(0x800000));
	HVX_Vector shift = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(top, exponent), splat_w(31));

	digits = Q6_Vw_vasr_VwVw(Q6_Vw_vasl_VwR(digits, 7), shift);
	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), bits),
			     Q6_Vw_vsub_VwVw(Q6_V_vzero(), digits), digits);
}

/* x * y / 2^31, to the nearest. */
static inline HVX_Vector multiply_words(HVX_Vector x, HVX_Vector y)
{
	return Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(Q6_Vw_vmpye_VwVuh(x, y), x, y);
}

/* Four vectors in the order of words, see above. */
static inline void store_words(int32_t *to, HVX_Vector w0, HVX_Vector w1, HVX_Vector w2,
			       HVX_Vector w3)
{
	HVX_VectorPair low = Q6_W_vdeal_VVR(w1, w0, -4), high = Q6_W_vdeal_VVR(w3, w2, -4);
	HVX_VectorPair even = Q6_W_vdeal_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -4);
	HVX_VectorPair odd = Q6_W_vdeal_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -4);

	store(to, Q6_V_lo_W(even));
	store(to + 32, Q6_V_hi_W(even));
	store(to + 64, Q6_V_lo_W(odd));
	store(to + 96, Q6_V_hi_W(odd));
}

/* The zero point, a half and the margin, which biases have in them. */
static int32_t base_of(const struct nn_call *call, uint32_t margin)
{
	const struct nn_tensor *output = &call->output[0];

	return (output->zero_point + flip_of(output)) * 0x10000 + 0x8000 + (int32_t)margin;
}

/* Makes the factors of 128 elements. */
static __attribute__((noinline)) void make_chunk(const struct normalize_fixed *fixed,
						 const float *scale, const float *bias, int32_t *to)
{
	HVX_Vector top = splat_w(fixed->scale_top), bias_top = splat_w(fixed->bias_top);
	HVX_Vector inverse = splat_w(fixed->inverse.digits);
	HVX_Vector base = splat_w(base_of(fixed->call, fixed->margin));
	uint32_t shift = min_u32(110 - fixed->bias_top - fixed->inverse.exponent, 31);

	store_words(to, fixed_of(load(scale), top), fixed_of(load(scale + 32), top),
		    fixed_of(load(scale + 64), top), fixed_of(load(scale + 96), top));
#define BIAS(i)	Q6_Vw_vasracc_VwVwR(base, multiply_words(fixed_of(load(bias + (i)), bias_top), \
							 inverse), shift)
	store_words(to + CHUNK_WORDS / 2, BIAS(0), BIAS(32), BIAS(64), BIAS(96));
#undef BIAS
}

/* Makes the factors of `lanes` elements, a multiple of 128, from element `at` of a row on. */
static int make_factors(struct progress *progress, const struct normalize_fixed *fixed,
			uint32_t at, uint32_t lanes, int32_t *to)
{
	const struct nn_call *call = fixed->call;
	const float *scale = (const float *)call->input[1].data;
	const float *bias = (const float *)call->input[2].data;
	uint32_t count = call->input[1].dims[0], run = call->op->normalize.run;
	struct places *places = places_of(call);
	struct normalize_place place = { .index = at / run % count, .left = run - at % run };

	for (uint32_t i = 0; i < lanes; i += VECTOR, to += CHUNK_WORDS) {
		bool is_row = run == 1 && place.index + VECTOR <= count;
		int ret = progress_add(progress, (is_row ? MAKE_WORK : GATHER_WORK) + NN_PAGE_WORK);

		if (ret)
			return ret;
		if (is_row) {
			make_chunk(fixed, scale + place.index, bias + place.index, to);
			place.index += VECTOR;
			place.index = place.index == count ? 0 : place.index;
			continue;
		}
		for (uint32_t k = 0; k < VECTOR; k++) {
			places->scale[k] = scale[place.index];
			places->bias[k] = bias[place.index];
			normalize_next(call, &place);
		}
		make_chunk(fixed, places->scale, places->bias, to);
	}
	return 0;
}

/* ---- Vectors ---- */

/* Settles near, rest and reach. */
static void settle_reach(const struct nn_call *call, struct normalize_vector *vector,
			 const struct normalize_sums *sums)
{
	const struct nn_tensor *input = &call->input[0];
	int32_t zero = input->zero_point + flip_of(input);
	uint32_t form = call->op->normalize.form, bits;
	float squares = (float)sums->squares;

	vector->near = zero;
	vector->rest = 0;
	vector->reach = 8;
	if (form == NN_NORMALIZE_SCALE)
		return;
	if (form == NN_NORMALIZE_SUM)
		squares = (float)sums->absolute * (float)sums->absolute;
	if (normalize_centers(call)) {
		int64_t sum = sums->sum + (int64_t)vector->length * zero;

		vector->near = (uint32_t)((float)sum * vector->over_length + 0.5f);
		vector->rest = (int32_t)((int64_t)vector->length * vector->near - sum);
		squares = (float)(vector->length * sums->squares - sums->sum * sums->sum);
		squares *= vector->over_length;
	}
	/* A square is no more than all together; 2^reach is more than its root and 1. */
	if (squares > 50000.0f)
		return;
	bits = (uint32_t)squares;
	bits += bits / 8 + 11;
	vector->reach = min_u32((33 - __builtin_clz(bits)) / 2, 8);
}

void nn_normalize_place(const struct normalize_fixed *fixed, struct normalize_vector *vector,
			const struct normalize_sums *sums)
{
	const struct nn_call *call = fixed->call;

	vector->has_factor =
		fixed->is_usable && (vector->factor == 0 || is_moderate(vector->factor));
	if (!vector->has_factor)
		return;
	settle_reach(call, vector, sums);
	vector->once = vector->whole = multiply(number_of_float(vector->factor), fixed->inverse);
	if (normalize_centers(call))
		vector->whole = multiply(vector->once, number_of(vector->length, 0));
}

/* ---- Elements ---- */

/* The elements that a loop is for, and where their results go. */
struct piece {
	const uint8_t *from;
	uint8_t *to;
	const int32_t *factors;
	uint16_t *fractions;	/* lower halves of words; in the order of results, even and odd */
	uint32_t elements;
	int32_t near, up;	/* an element less `near`, times 2^up, is a */
	int32_t high, low;	/* halves of A / 2, each twice */
	int32_t more;		/* D */
	int32_t base;		/* where all elements share it */
	uint32_t shift;
	int32_t flip, flip_output, min, max;
};

/* Words of 64 elements that are halfwords already. */
static inline HVX_VectorPair words_of(HVX_Vector halves, const struct piece *piece,
				      HVX_VectorPair more)
{
	HVX_VectorPair high = Q6_Ww_vmpyacc_WwVhRh_sat(more, halves, piece->high);
	HVX_VectorPair low = Q6_Ww_vmpy_VhRh(halves, piece->low);

	return Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(high), Q6_V_hi_W(low), 16),
				Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(high), Q6_V_lo_W(low), 16));
}

static inline HVX_Vector scale_words(HVX_Vector words, const int32_t *factors, uint32_t shift)
{
	return Q6_Vw_vasracc_VwVwR(load(factors + CHUNK_WORDS / 2),
				   multiply_words(words, load(factors)), shift);
}

static inline __attribute__((always_inline)) HVX_Vector make_128(HVX_Vector v,
								 const struct piece *piece,
								 const int32_t *factors,
								 bool is_shared, HVX_Vector *even,
								 HVX_Vector *odd)
{
	HVX_Vector more = splat_w(piece->more), base = splat_w(piece->base), low, high;
	HVX_VectorPair mores = Q6_W_vcombine_VV(more, more), halves, evens, odds;

	halves = Q6_Wh_vsub_VubVub(Q6_V_vxor_VV(v, splat_b(piece->flip)), splat_b(piece->near));
	evens = words_of(Q6_Vh_vasl_VhR(Q6_V_lo_W(halves), piece->up), piece, mores);
	odds = words_of(Q6_Vh_vasl_VhR(Q6_V_hi_W(halves), piece->up), piece, mores);
	if (is_shared) {
		evens = Q6_W_vcombine_VV(
			Q6_Vw_vasracc_VwVwR(base, Q6_V_hi_W(evens), piece->shift),
			Q6_Vw_vasracc_VwVwR(base, Q6_V_lo_W(evens), piece->shift));
		odds = Q6_W_vcombine_VV(
			Q6_Vw_vasracc_VwVwR(base, Q6_V_hi_W(odds), piece->shift),
			Q6_Vw_vasracc_VwVwR(base, Q6_V_lo_W(odds), piece->shift));
	} else {
		evens = Q6_W_vcombine_VV(
			scale_words(Q6_V_hi_W(evens), factors + 32, piece->shift),
			scale_words(Q6_V_lo_W(evens), factors, piece->shift));
		odds = Q6_W_vcombine_VV(
			scale_words(Q6_V_hi_W(odds), factors + 96, piece->shift),
			scale_words(Q6_V_lo_W(odds), factors + 64, piece->shift));
	}
	*even = Q6_Vh_vshuffe_VhVh(Q6_V_hi_W(evens), Q6_V_lo_W(evens));
	*odd = Q6_Vh_vshuffe_VhVh(Q6_V_hi_W(odds), Q6_V_lo_W(odds));
	low = Q6_Vh_vshuffo_VhVh(Q6_V_hi_W(evens), Q6_V_lo_W(evens));
	high = Q6_Vh_vshuffo_VhVh(Q6_V_hi_W(odds), Q6_V_lo_W(odds));
	v = Q6_Vub_vsat_VhVh(high, low);
	v = Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, splat_b(piece->min)), splat_b(piece->max));
	return Q6_V_vxor_VV(v, splat_b(piece->flip_output));
}

/* Makes a piece. Returns whether any fraction is less than `ties`. */
static inline __attribute__((always_inline)) bool make_piece(const struct piece *piece,
							     bool is_shared, uint32_t ties)
{
	const uint8_t *from = piece->from;
	const int32_t *factors = piece->factors;
	uint16_t *fractions = piece->fractions;
	uint32_t left = piece->elements;
	uint8_t *to = piece->to;
	HVX_Vector least = splat_w(-1), even, odd, v;

	for (; left >= VECTOR; left -= VECTOR) {
		v = make_128(load(from), piece, factors, is_shared, &even, &odd);
		store(to, v);
		store(fractions, even);
		store(fractions + 64, odd);
		least = Q6_Vuh_vmin_VuhVuh(least, Q6_Vuh_vmin_VuhVuh(even, odd));
		from += VECTOR;
		to += VECTOR;
		fractions += VECTOR;
		factors += CHUNK_WORDS;
	}
	if (left) {
		/* Elements behind the last one are no ties. */
		v = make_128(load_bytes(from, left), piece, factors, is_shared, &even, &odd);
		store_bytes(to, v, left);
		store(fractions, even);
		store(fractions + 64, odd);
		even = Q6_V_vmux_QVV(first_bytes((left + 1) / 2 * 2), even, least);
		odd = Q6_V_vmux_QVV(Q6_Q_vsetq_R(left / 2 * 2), odd, least);
		least = Q6_Vuh_vmin_VuhVuh(least, Q6_Vuh_vmin_VuhVuh(even, odd));
	}
	return any_lane(Q6_Q_vcmp_gt_VuhVuh(splat_h(ties), least));
}

static __attribute__((noinline)) bool make_lanes(const struct piece *piece, uint32_t ties)
{
	return make_piece(piece, false, ties);
}

static __attribute__((noinline)) bool make_shared(const struct piece *piece, uint32_t ties)
{
	return make_piece(piece, true, ties);
}

/* Tells which of 128 elements may be ties, in memory. */
static __attribute__((noinline)) void find_ties(uint8_t *is_tie, const uint16_t *fractions,
						uint32_t elements, uint32_t ties)
{
	HVX_Vector least = splat_h(ties);
	HVX_Vector even = Q6_V_vand_QR(Q6_Q_vcmp_gt_VuhVuh(least, load(fractions)), -1);
	HVX_Vector odd = Q6_V_vand_QR(Q6_Q_vcmp_gt_VuhVuh(least, load(fractions + 64)), -1);

	store(is_tie, Q6_V_vand_QV(first_bytes(elements), Q6_Vb_vshuffe_VbVb(odd, even)));
}

uint8_t nn_normalize_one(const struct nn_call *call, const struct normalize_vector *vector,
			 float scale, float bias, uint8_t byte)
{
	int64_t c = load_8bit(&byte, flip_of(&call->input[0])) - call->input[0].zero_point;
	int32_t whole;

	if (normalize_centers(call))
		c = c * vector->length - vector->sum;
	whole = round_float(divide((float)c * vector->factor * scale + bias, vector->inverse));
	return clamp_int(whole + call->output[0].zero_point, call->op->out_min, call->op->out_max);
}

/*
 * Computes as they are defined those elements of a piece that may be ties. It begins with element
 * `at` of the row, or, shared, has scale and bias number `at`.
 */
static int make_ties(struct progress *progress, const struct normalize_vector *vector,
		     const struct piece *piece, uint32_t at, bool is_shared, uint32_t ties)
{
	const struct nn_call *call = progress->call;
	const float *scale = (const float *)call->input[1].data;
	const float *bias = (const float *)call->input[2].data;
	uint32_t count = call->input[1].dims[0], run = call->op->normalize.run;
	uint8_t *is_tie = places_of(call)->is_tie;

	for (uint32_t i = 0; i < piece->elements; i += VECTOR) {
		int ret = progress_add(progress, 32);

		find_ties(is_tie, piece->fractions + i, min_u32(piece->elements - i, VECTOR), ties);
		for (int32_t k = -1; !ret && (k = next_set(is_tie, k)) >= 0;) {
			uint32_t index = is_shared ? at : at + i + k;

			ret = progress_add(progress, TIE_WORK);
			if (!is_shared && run > 1)
				index /= run;
			if (index >= count)
				index %= count;
			piece->to[i + k] = nn_normalize_one(call, vector, scale[index],
							    bias[index], piece->from[i + k]);
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* Settles what all pieces of a vector have in common. Its factors are these. */
static void settle_piece(struct piece *piece, const struct nn_call *call,
			 const struct normalize_vector *vector, struct number whole,
			 struct number once)
{
	const struct nn_tensor *output = &call->output[0];
	int32_t digits = whole.digits / 2, flip = flip_of(output);

	piece->fractions = places_of(call)->fractions;
	piece->near = vector->near;
	piece->up = 15 - vector->reach;
	piece->low = (int16_t)digits;
	piece->high = ((digits - piece->low) >> 16 & 0xffff) * 0x10001;
	piece->low = (piece->low & 0xffff) * 0x10001;
	piece->more = to_fixed(multiply(once, number_of(vector->rest, 0)),
			       whole.exponent + 17 - piece->up);
	piece->flip = flip_of(&call->input[0]);
	piece->flip_output = flip;
	piece->min = call->op->out_min + flip;
	piece->max = call->op->out_max + flip;
}

bool nn_normalize_has_room(const struct normalize_fixed *fixed,
			   const struct normalize_vector *vector)
{
	return vector->has_factor && vector->whole.exponent + 31 + (int32_t)vector->reach +
					     fixed->scale_top - 126 <= MOST_REACH;
}

/* A shift to the right of so many places or all. */
static uint32_t shift_of(int32_t places)
{
	return places < 0 ? 0 : places > 31 ? 31 : places;
}

int nn_normalize_lanes(struct progress *progress, struct normalize_fixed *fixed,
		       const struct normalize_vector *vector, const uint8_t *from, uint8_t *to)
{
	const struct nn_call *call = progress->call;
	uint32_t phase = fixed->phases > 1 ? vector->number % fixed->phases : 0, part;
	uint32_t ties = 2 * fixed->margin, length = vector->length;
	int32_t *factors = places_of(call)->piece;
	struct piece piece;
	int ret = 0;

	settle_piece(&piece, call, vector, vector->whole, vector->once);
	piece.shift = shift_of(-(64 + vector->whole.exponent - piece.up + fixed->scale_top - 157));
	if (fixed->lanes) {
		factors = places_of(call)->kept + phase * (fixed->lanes / VECTOR) * CHUNK_WORDS;
		for (; fixed->made <= phase && !ret; fixed->made++)
			ret = make_factors(progress, fixed, fixed->made * length, fixed->lanes,
					   places_of(call)->kept + fixed->made *
					   (fixed->lanes / VECTOR) * CHUNK_WORDS);
	}
	for (uint32_t i = 0, lane = 0; i < length && !ret; i += part) {
		part = min_u32(length - i, PIECE);
		if (fixed->lanes)
			part = min_u32(part, fixed->lanes - lane);
		else
			ret = make_factors(progress, fixed, vector->at + i, round_up(part, VECTOR),
					   factors);
		if (!ret)
			ret = progress_add(progress, (part / VECTOR + 1) * CHUNK_WORK +
						     memory_work(2 * part) + 2 * NN_PAGE_WORK);
		if (ret)
			return ret;
		piece.from = from + i;
		piece.to = to + i;
		piece.elements = part;
		piece.factors = factors + lane * (CHUNK_WORDS / VECTOR);
		if (make_lanes(&piece, ties))
			ret = make_ties(progress, vector, &piece, vector->at + i, false, ties);
		lane = fixed->lanes && lane + part < fixed->lanes ? lane + part : 0;
	}
	return ret;
}

/* Makes the results of all bytes, and looks up the elements. */
static int look_up(struct progress *progress, const struct normalize_vector *vector,
		   struct piece *piece, uint32_t index, uint32_t ties, const uint8_t *from,
		   uint8_t *to, uint32_t elements)
{
	struct places *places = places_of(progress->call);
	int ret = progress_add(progress, 1024);

	for (uint32_t i = 0; i < 256; i++)
		places->bytes[i] = i;
	piece->from = places->bytes;
	piece->to = places->results;
	piece->elements = 256;
	if (!ret && make_shared(piece, ties))
		ret = make_ties(progress, vector, piece, index, true, ties);
	for (uint32_t i = 0, part; i < elements && !ret; i += part) {
		part = min_u32(elements - i, 8 * PIECE);
		ret = progress_add(progress, part / 8 + memory_work(2 * part) + 64);
		if (!ret)
			nn_table_bytes(to + i, from + i, places->results, part);
	}
	return ret;
}

int nn_normalize_run(struct progress *progress, const struct normalize_fixed *fixed,
		     const struct normalize_vector *vector, uint32_t index, const uint8_t *from,
		     uint8_t *to, uint32_t elements, bool *is_done)
{
	const struct nn_call *call = progress->call;
	uint32_t ties = 2 * fixed->margin, part;
	float scale = ((const float *)call->input[1].data)[index];
	float bias = ((const float *)call->input[2].data)[index];
	struct number whole, once;
	struct piece piece;
	int ret = 0;

	*is_done = vector->has_factor && (is_moderate(scale) || scale == 0);
	if (!*is_done)
		return 0;
	once = multiply(vector->once, number_of_float(scale));
	whole = multiply(vector->whole, number_of_float(scale));
	*is_done = whole.exponent + 31 + (int32_t)vector->reach <= MOST_REACH;
	if (!*is_done)
		return 0;
	settle_piece(&piece, call, vector, whole, once);
	piece.base = to_fixed(multiply(number_of_float(bias), fixed->inverse), -16) +
		     base_of(call, fixed->margin);
	piece.shift = shift_of(-(33 + whole.exponent - piece.up));
	if (elements >= LOOKED_UP)
		return look_up(progress, vector, &piece, index, ties, from, to, elements);
	for (uint32_t i = 0; i < elements && !ret; i += part) {
		part = min_u32(elements - i, PIECE);
		ret = progress_add(progress, (part / VECTOR + 1) * CHUNK_WORK / 2 +
					     memory_work(2 * part) + 2 * NN_PAGE_WORK);
		if (ret)
			return ret;
		piece.from = from + i;
		piece.to = to + i;
		piece.elements = part;
		if (make_shared(&piece, ties))
			ret = make_ties(progress, vector, &piece, index, true, ties);
	}
	return ret;
}
