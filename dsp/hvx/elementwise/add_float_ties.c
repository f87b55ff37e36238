// SPDX-License-Identifier: MIT
/*
 * ADD_FLOAT of scales that are one number s times powers of two (add_float_ties.h). The sum of the
 * real numbers is then one of integers, in steps of s * 2^-shift, and tells what it rounds to
 * unless it is a tie. Many are: half of all sums of two tensors of one scale, if the output's scale
 * is twice that. How float32 rounds a tie depends on the errors of its operations:
 *
 *	float32's sum before it is rounded = real sum + error of a's product + error of b's
 *
 * These errors are integers in units of s's last bit, and so small that a table of 256 bytes has
 * them for each operand. What comes after, the rounding of the sum, the division and rint(), never
 * decreases where the sum increases. So for each result there is a least error with which a tie
 * still rounds up to it, and a table of these decides:
 *
 *	a -> error_a[a], b -> error_b[b], result if it rounds up -> least[result]
 *
 * With s = m * 2^e and m odd, an error is at most 2^7 - 1 units: a product of 9 bits and 24 that
 * loses 8 bits is not half way between two floats, but for 128 * m, which is exact.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/elementwise/add_float_ties.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/elementwise/tables.h"

#define VECTOR_WORK	80
#define RUN_VECTORS	256	/* vectors between two additions of it */
#define MOST_FACTOR	6	/* the exponent of a factor that is a signed byte */
#define NO_ERROR	128	/* what entries for errors have where there is none */

static uint32_t bits_of_float(float x)
{
	union {
		float value;
		uint32_t bits;
	} u = { .value = x };

	return u.bits;
}

/* Returns the bits of a positive number that is not 0, up to its highest one. */
static uint32_t length_of(uint64_t x)
{
	return 64 - (uint32_t)__builtin_clzll(x);
}

/* Returns by how much float32's product of q and m is more than that. */
static int32_t error_of(int32_t q, uint32_t m)
{
	uint32_t product = (q < 0 ? -q : q) * m, length, lost, rounded;
	int32_t error;

	if (product < 1u << 24)
		return 0;
	length = 32 - (uint32_t)__builtin_clz(product);
	lost = length - 24;
	rounded = product + ((1u << (lost - 1)) - 1) + (product >> lost & 1);
	/* Where this is 2^32, the difference is what it should be, too. */
	rounded = rounded >> lost << lost;
	error = (int32_t)(rounded - product);
	return q < 0 ? -error : error;
}

static void make_errors(uint8_t *table, const struct nn_tensor *operand, uint32_t m)
{
	uint32_t flip = flip_of(operand);
	int32_t zero = operand->zero_point + flip;

	for (uint32_t i = 0; i < TIE_TABLE; i++)
		table[i ^ flip] = NO_ERROR + error_of((int32_t)i - zero, m);
}

/*
 * Returns the least error with which a sum whose real value is half a step below n (1 or more)
 * rounds up to n. All numbers are in units of the sum's last bit, of which the output's scale is
 * m * 2^shift.
 */
static int32_t least_error_of(uint32_t n, uint32_t m, uint32_t shift)
{
	const uint32_t odd = 2 * n - 1, length = 32 - (uint32_t)__builtin_clz(odd);
	const uint64_t tie = (uint64_t)odd * m << (shift - 1);
	/*
	 * The quotient rounds to n - 1/2, a number of float32, from half of its last bit below that
	 * up to half of it above. That rounds to n if n is even. Below 1/2 bits would be half as
	 * large, but there n is 1.
	 */
	const uint64_t near = ((uint64_t)m << (length + shift)) >> 26;
	uint64_t least = n % 2 == 0 ? tie - near : tie + near + 1, half;
	uint32_t lost;

	/* The next number of float32, and what rounds to it. */
	if (least < 1u << 24)
		return (int32_t)(least - tie);
	lost = length_of(least) - 24;
	least = ((least + (1ull << lost) - 1) >> lost) << lost;
	lost = length_of(least) - 24;
	if (!(least & (least - 1)))
		half = (1ull << lost) >> 2;
	else
		half = (1ull << lost) >> 1;
	if (half && (least >> lost & 1))
		half--;
	return (int32_t)(least - half - tie);
}

/*
 * Makes the table of least errors, by the results that a tie rounds up to, as unsigned bytes. What
 * rounds down from 0 to -n - 1 is what does not round up from 0 to n + 1.
 */
static void make_least(struct add_float_ties *ties, int32_t zero_point, uint32_t m, int32_t bias)
{
	for (int32_t i = 0; i < TIE_TABLE; i++) {
		int32_t n = i - zero_point, least;

		least = n > 0 ? least_error_of(n, m, ties->shift) :
				1 - least_error_of(1 - n, m, ties->shift);
		least = clamp_int(least + bias, INT16_MIN, INT16_MAX);
		ties->least_low[i] = least;
		ties->least_high[i] = least >> 8;
	}
}

bool nn_add_float_ties_settle(struct add_float_ties *ties, const struct nn_call *call,
			      const struct nn_add_float_params *params)
{
	const uint32_t a = bits_of_float(params->scale_a);
	const uint32_t output = bits_of_float(params->scale_output);
	const uint32_t b = bits_of_float(__builtin_fabsf(params->scale_b));
	const int32_t up_a = (int32_t)(a >> 23) - (int32_t)(output >> 23);
	const int32_t up_b = (int32_t)(b >> 23) - (int32_t)(output >> 23);
	const int32_t shift = up_a < up_b ? -up_a : -up_b;
	uint32_t m = (a & 0x7fffff) | 0x800000;
	int32_t factor_a, factor_b, flip_out = flip_of(&call->output[0]);
	int32_t zero_point = call->output[0].zero_point + flip_out;

	if (params->form != NN_ADD_DEQUANTIZED || ((a ^ b) & 0x7fffff) ||
	    ((a ^ output) & 0x7fffff) || shift < 1 || shift > MOST_FACTOR ||
	    up_a + shift > MOST_FACTOR || up_b + shift > MOST_FACTOR)
		return false;
	m >>= __builtin_ctz(m);
	factor_a = 1 << (up_a + shift);
	factor_b = (params->scale_b < 0 ? -1 : 1) * (1 << (up_b + shift));
	ties->shift = shift;
	ties->factors = ((factor_a & 0xff) | (factor_b & 0xff) << 8) * 0x10001u;
	ties->base = (1 << (shift - 1)) -
		     (call->input[0].zero_point + flip_of(&call->input[0])) * factor_a -
		     (call->input[1].zero_point + flip_of(&call->input[1])) * factor_b;
	ties->out_flip = flip_out;
	make_errors(ties->error_a, &call->input[0], m);
	make_errors(ties->error_b, &call->input[1], m);
	make_least(ties, zero_point, m, NO_ERROR * (factor_a + factor_b));
	return true;
}

/* The same as vectors. */
struct tie_vectors {
	struct table error_a, error_b, least_low, least_high;
	HVX_Vector flip_a, flip_b, flip_out, base, fraction, zero_point, min, max;
	uint32_t factors, shift;
};

/* Takes 1 from those of 64 results that are ties, and do not round up. */
static inline HVX_Vector round_ties(HVX_Vector results, HVX_Vector sums, HVX_Vector errors,
				    HVX_Vector least, const struct tie_vectors *v)
{
	HVX_VectorPred down = Q6_Q_vcmp_eq_VhVh(Q6_V_vand_VV(sums, v->fraction), Q6_V_vzero());

	down = Q6_Q_vcmp_gtand_QVhVh(down, least, errors);
	return Q6_Vh_condnac_QVhVh(down, results, splat_h(1));
}

static inline HVX_Vector add_vector(HVX_Vector a, HVX_Vector b, const struct tie_vectors *v)
{
	/* Even and odd elements. */
	HVX_VectorPair sums = Q6_Wh_vmpa_WubRb(
		Q6_W_vcombine_VV(Q6_V_vxor_VV(b, v->flip_b), Q6_V_vxor_VV(a, v->flip_a)),
		v->factors);
	HVX_VectorPair errors = Q6_Wh_vmpa_WubRb(
		Q6_W_vcombine_VV(look_up(b, v->error_b), look_up(a, v->error_a)), v->factors);
	HVX_Vector even = Q6_Vh_vadd_VhVh(Q6_V_lo_W(sums), v->base);
	HVX_Vector odd = Q6_Vh_vadd_VhVh(Q6_V_hi_W(sums), v->base);
	HVX_Vector even_up = Q6_Vh_vadd_VhVh(Q6_Vh_vasr_VhR(even, v->shift), v->zero_point);
	HVX_Vector odd_up = Q6_Vh_vadd_VhVh(Q6_Vh_vasr_VhR(odd, v->shift), v->zero_point);
	HVX_Vector up = Q6_Vub_vsat_VhVh(odd_up, even_up);
	HVX_Vector low = look_up(up, v->least_low), high = look_up(up, v->least_high);
	HVX_Vector result;

	even = round_ties(even_up, even, Q6_V_lo_W(errors), Q6_Vb_vshuffe_VbVb(high, low), v);
	odd = round_ties(odd_up, odd, Q6_V_hi_W(errors), Q6_Vb_vshuffo_VbVb(high, low), v);
	result = Q6_Vub_vsat_VhVh(odd, even);
	result = Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(result, v->min), v->max);
	return Q6_V_vxor_VV(result, v->flip_out);
}

int nn_add_float_ties_run(struct progress *progress, const struct add_float_ties *ties)
{
	const struct nn_call *call = progress->call;
	const uint8_t *a = call->input[0].data, *b = call->input[1].data;
	uint8_t *to = call->output[0].data;
	uint64_t bytes = call->output[0].bytes;
	const struct tie_vectors v = {
		.error_a = load_table(ties->error_a),
		.error_b = load_table(ties->error_b),
		.least_low = load_table(ties->least_low),
		.least_high = load_table(ties->least_high),
		.flip_a = splat_b(flip_of(&call->input[0])),
		.flip_b = splat_b(flip_of(&call->input[1])),
		.flip_out = splat_b(ties->out_flip),
		.base = splat_h(ties->base),
		.fraction = splat_h((1 << ties->shift) - 1),
		.zero_point = splat_h(call->output[0].zero_point + (int32_t)ties->out_flip),
		.min = splat_b(call->op->out_min + (int32_t)ties->out_flip),
		.max = splat_b(call->op->out_max + (int32_t)ties->out_flip),
		.factors = ties->factors,
		.shift = ties->shift,
	};

	while (bytes) {
		uint32_t part = bytes < RUN_VECTORS * VECTOR ? bytes : RUN_VECTORS * VECTOR;
		int ret = progress_add(progress, VECTOR_WORK + part / VECTOR * VECTOR_WORK);

		if (ret)
			return ret;
		bytes -= part;
		for (; part >= VECTOR; part -= VECTOR) {
			store(to, add_vector(load(a), load(b), &v));
			a += VECTOR;
			b += VECTOR;
			to += VECTOR;
		}
		if (part)
			store_bytes(to, add_vector(load_bytes(a, part), load_bytes(b, part), &v),
				    part);
	}
	return 0;
}
