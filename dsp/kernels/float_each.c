// SPDX-License-Identifier: MIT
/*
 * FLOAT_EACH: input and output FLOAT32 of the same dimensions, in place. Each element x becomes a
 * function of it (enum nn_float_function), computed in double by dsp/kernels/reals.h and rounded to
 * float32; a, b are the parameters alpha and beta. What is no number makes none, but where the
 * function is of comparisons alone.
 *
 *	ABS NEGATE CEIL FLOOR ROUND (ties to even) SIGN SQUARE_ROOT RECIPROCAL SQUARE
 *	EXPONENTIAL LOGARITHM SIGMOID TANH ERROR SOFTPLUS: as mathematics has them
 *	SINE .. AREA_TANGENT: angles and hyperbolic functions, and their inverses
 *	CLAMP: a where x < a, b where x > b, else x; -0 is below 0
 *	LEAKY: x, or a * x where x < 0		THRESHOLD: x where x > a, else 0
 *	ELU: x, or a * (e^x - 1) where x < 0	CELU: x, or a * (e^(x / a) - 1) where x < 0
 *	SELU: b * x, or b * a * (e^x - 1) where x is not above 0
 *	HARD_SIGMOID: a * x + b from 0 to 1	HARD_SWISH: x times x / 6 + 1/2 from 0 to 1
 *	SWISH: x * sigmoid(a * x)		MISH: x * tanh(softplus(x))
 *	SOFTSIGN: x / (1 + |x|)			RECIPROCAL_ROOT: 1 / the square root
 *	GELU: x / 2 * (1 + erf(x / the root of 2))
 *	GELU_TANH: x / 2 * (1 + tanh(the root of 2 / pi * (x + 0.044715 * x^3)))
 *	SHRINK: x + b where x < -a, x - b where x > a, else 0
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/float_sums.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/reals.h"

#define SIMPLE_WORK	64
#define ROW_WORK	24	/* of an element, of many of a function that takes few packets */
#define PIECE		1024u	/* of these between two looks at the work done */
#define STEP		4u	/* that are made at a time */

enum nn_program_reason nn_float_each_check(const struct nn_call *call)
{
	const struct nn_float_each_params *params = &call->op->float_each;

	if (!operands_are(call, 1, 1) || !is_float(&call->input[0]) || !is_float(&call->output[0]))
		return NN_REASON_OPERAND;
	if (params->function >= NN_FLOAT_FUNCTIONS || !float_is_number(params->alpha) ||
	    !float_is_number(params->beta))
		return NN_REASON_PARAMETER;
	return same_dims(&call->input[0], &call->output[0]) ? NN_REASON_NONE : NN_REASON_SHAPE;
}

/*
 * The nearest whole number, ties to even. With 2^23, whose lowest bit is 1, added, nothing is behind the
 * point; that does not change greater magnitudes, and what is no number.
 */
static inline float round_even(float x)
{
	union float_bits magnitude = { .bits = bits_of_float(x) & 0x7fffffff }, whole;

	whole.value = (magnitude.value + 0x1p23f) - 0x1p23f;
	whole.bits = magnitude.bits < 0x4b000000 ? whole.bits : magnitude.bits;
	whole.bits |= bits_of_float(x) & 1u << 31;
	return whole.value;
}

/* Numbers of 2^24 and more are whole. */
static float round_to(float x, enum nn_float_function function)
{
	bool negative = bits_of_float(x) >> 31;
	float whole;

	if (!(x > -0x1p24f && x < 0x1p24f))
		return x;
	whole = (float)(int32_t)x;
	if (function == NN_FLOAT_FLOOR && whole > x)
		whole -= 1;
	else if (function == NN_FLOAT_CEIL && whole < x)
		whole += 1;
	if (whole == 0 && negative)
		return -0.0f;
	return whole;
}

/* Computes a function that is exact, or of float32's own operations; false: it is none of these. */
static bool compute_simple(enum nn_float_function function, float x, float a, float b, float *out)
{
	switch (function) {
	case NN_FLOAT_ABS:
		*out = (union float_bits){ .bits = bits_of_float(x) & 0x7fffffff }.value;
		return true;
	case NN_FLOAT_NEGATE:
		*out = (union float_bits){ .bits = bits_of_float(x) ^ 1u << 31 }.value;
		return true;
	case NN_FLOAT_CEIL:
	case NN_FLOAT_FLOOR:
		*out = round_to(x, function);
		return true;
	case NN_FLOAT_ROUND:
		*out = round_even(x);
		return true;
	case NN_FLOAT_SIGN:
		*out = x > 0 ? 1 : x < 0 ? -1 : 0;
		return true;
	case NN_FLOAT_SQUARE_ROOT:
		*out = x < 0 ? (union float_bits){ .bits = FLOAT_NOT_A_NUMBER }.value :
			       square_root(x);
		return true;
	case NN_FLOAT_SQUARE:
		*out = x * x;
		return true;
	case NN_FLOAT_RECIPROCAL:
		*out = 1 / x;
		return true;
	case NN_FLOAT_CLAMP:
		*out = float_clamp(x, a, b);
		return true;
	case NN_FLOAT_LEAKY:
		*out = x < 0 ? a * x : x;
		return true;
	case NN_FLOAT_THRESHOLD:
		*out = x > a ? x : 0;
		return true;
	case NN_FLOAT_SHRINK:
		*out = x < -a ? x + b : x > a ? x - b : 0;
		return true;
	default:
		return false;
	}
}

static double compute_angle(enum nn_float_function function, double x)
{
	double sine, cosine;

	switch (function) {
	case NN_FLOAT_ARC_COSINE:
		return real_arc_cosine(x);
	case NN_FLOAT_ARC_SINE:
		return real_arc_sine(x);
	case NN_FLOAT_ARC_TANGENT:
		return real_arc_tangent(x);
	default:
		real_circle(x, &sine, &cosine);
		return function == NN_FLOAT_SINE ? sine :
		       function == NN_FLOAT_COSINE ? cosine : real_divide(sine, cosine);
	}
}

static double area_sine(double size)
{
	double square = size * size;

	if (size > 0x1p28)
		return real_logarithm(size) + 0.69314718055994530942;
	return real_logarithm_of_1_and(
		size + real_quotient(square, 1 + real_square_root(1 + square)));
}

static double area_cosine(double x)
{
	double above = x - 1;

	if (!(x >= 1))
		return real_not_a_number();
	if (x > 0x1p28)
		return real_logarithm(x) + 0.69314718055994530942;
	return real_logarithm_of_1_and(above + real_square_root(above * (x + 1)));
}

static double area_tangent(double x)
{
	if (!(real_magnitude(x) <= 1))
		return real_not_a_number();
	return real_magnitude(x) == 1 ? real_with_sign(REAL_INFINITY, x < 0) :
					0.5 * real_logarithm_of_1_and(real_quotient(2 * x, 1 - x));
}

static double compute_hyperbolic(enum nn_float_function function, double x)
{
	double size = real_magnitude(x), less_1;

	switch (function) {
	case NN_FLOAT_AREA_COSINE:
		return area_cosine(x);
	case NN_FLOAT_AREA_SINE:
		return size < 0x1p-30 ? x : real_with_sign(area_sine(size), x < 0);
	case NN_FLOAT_AREA_TANGENT:
		return area_tangent(x);
	case NN_FLOAT_HYPERBOLIC_COSINE:
		less_1 = real_exponential(size);
		return 0.5 * (less_1 + real_divide(1, less_1));
	default:
		if (size < 0x1p-30 || size > 100)
			return size > 100 ? real_with_sign(REAL_INFINITY, x < 0) : x;
		less_1 = real_exponential_less_1(size);
		return real_with_sign(0.5 * (less_1 + real_quotient(less_1, less_1 + 1)), x < 0);
	}
}

static double softplus(double x)
{
	return x > 0 ? x + real_logarithm_of_1_and(real_exponential(-x)) :
		       real_logarithm_of_1_and(real_exponential(x));
}

/* Returns the bound where x is equal to it, such as -0 to 0. */
static double clamp_real(double x, double low, double high)
{
	if (!(x > low))
		return low;
	return x < high ? x : high;
}

/* x times a factor that goes to 0 as x goes to minus infinity. */
static double gate(double x, double factor)
{
	return factor == 0 ? 0 : x * factor;
}

static double compute_gelu(double x, bool by_tanh)
{
	if (!by_tanh)
		return gate(0.5 * x, real_error_and_1(x * 0.70710678118654752440));
	/* (1 + tanh(y)) / 2 is the sigmoid of 2 y. */
	return gate(x, real_sigmoid(2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static double compute_real(enum nn_float_function function, double x, double a, double b)
{
	switch (function) {
	case NN_FLOAT_EXPONENTIAL:
		return real_exponential(x);
	case NN_FLOAT_LOGARITHM:
		return real_logarithm(x);
	case NN_FLOAT_SIGMOID:
		return real_sigmoid(x);
	case NN_FLOAT_TANH:
		return real_hyperbolic_tangent(x);
	case NN_FLOAT_ERROR:
		return real_error_function(x);
	case NN_FLOAT_SOFTPLUS:
		return softplus(x);
	case NN_FLOAT_SOFTSIGN:
		return real_is_infinite(x) ? real_with_sign(1, x < 0) :
					     real_quotient(x, 1 + real_magnitude(x));
	case NN_FLOAT_RECIPROCAL_ROOT:
		return x < 0 ? real_not_a_number() : real_divide(1, real_square_root(x));
	case NN_FLOAT_ELU:
		return x < 0 ? a * real_exponential_less_1(x) : x;
	case NN_FLOAT_CELU:
		return x < 0 ? a * real_exponential_less_1(real_divide(x, a)) : x;
	case NN_FLOAT_SELU:
		return x > 0 ? b * x : b * (a * real_exponential_less_1(x));
	case NN_FLOAT_HARD_SIGMOID:
		return clamp_real(a * x + b, 0, 1);
	case NN_FLOAT_HARD_SWISH:
		return gate(x, clamp_real(x * (1.0 / 6) + 0.5, 0, 1));
	case NN_FLOAT_SWISH:
		return gate(x, real_sigmoid(a * x));
	case NN_FLOAT_MISH:
		return gate(x, real_hyperbolic_tangent(softplus(x)));
	case NN_FLOAT_GELU:
	case NN_FLOAT_GELU_TANH:
		return compute_gelu(x, function == NN_FLOAT_GELU_TANH);
	case NN_FLOAT_SINE:
	case NN_FLOAT_COSINE:
	case NN_FLOAT_TANGENT:
	case NN_FLOAT_ARC_COSINE:
	case NN_FLOAT_ARC_SINE:
	case NN_FLOAT_ARC_TANGENT:
		return compute_angle(function, x);
	default:
		return compute_hyperbolic(function, x);
	}
}

static bool is_simple(enum nn_float_function function)
{
	float out;

	return compute_simple(function, 1, 0, 0, &out);
}

static uint32_t work_of(enum nn_float_function function)
{
	if (is_simple(function))
		return SIMPLE_WORK;
	return function == NN_FLOAT_ERROR || function == NN_FLOAT_GELU ? 3 * REAL_LONG_WORK :
									 REAL_LONG_WORK;
}

/* Some elements of ROUND or CLAMP; they are loaded before any is stored, as compilers cannot do in place. */
static void make_row(const struct nn_float_each_params *params, const float *x, float *out,
		     uint32_t count)
{
	float a[STEP];

	for (uint32_t some; count; count -= some, x += some, out += some) {
		some = min_u32(count, STEP);
		for (uint32_t i = 0; i < STEP; i++)
			a[i] = i < some ? x[i] : 0;
		if (params->function == NN_FLOAT_ROUND) {
			for (uint32_t i = 0; i < STEP; i++)
				a[i] = float_result(round_even(a[i]));
		} else {
			float_clamp_some(a, a, STEP, params->alpha, params->beta);
		}
		for (uint32_t i = 0; i < some; i++)
			out[i] = a[i];
	}
}

static int run_rows(const struct nn_call *call)
{
	const float *x = (const float *)call->input[0].data;
	float *out = (float *)call->output[0].data;
	struct progress progress = { .call = call };
	uint32_t some;

	for (uint64_t left = call->output[0].bytes / sizeof(*out); left; left -= some) {
		int ret;

		some = left < PIECE ? left : PIECE;
		ret = progress_add(&progress, ROW_WORK * some);
		if (ret)
			return ret;
		make_row(&call->op->float_each, x, out, some);
		x += some;
		out += some;
	}
	return 0;
}

int nn_float_each_portable(const struct nn_call *call)
{
	const struct nn_float_each_params *params = &call->op->float_each;
	const float *x = (const float *)call->input[0].data;
	float *out = (float *)call->output[0].data;
	uint64_t count = call->output[0].bytes / sizeof(*out);
	uint32_t work = work_of(params->function);
	struct progress progress = { .call = call };

	if (params->function == NN_FLOAT_ROUND || params->function == NN_FLOAT_CLAMP)
		return run_rows(call);
	for (uint64_t i = 0; i < count; i++) {
		int ret = progress_add(&progress, work);
		float result;

		if (ret)
			return ret;
		if (!float_is_number(x[i]))
			result = x[i];
		else if (!compute_simple(params->function, x[i], params->alpha, params->beta,
					 &result))
			result = (float)compute_real(params->function, x[i], params->alpha,
						     params->beta);
		out[i] = float_result(result);
	}
	return 0;
}
