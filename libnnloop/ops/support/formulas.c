// SPDX-License-Identifier: MIT
/*
 * Formulas of one number, or of two, in float32, by the names that ONNX has for them, and how near runtimes come.
 */
#include <math.h>
#include <string.h>

#include "ops/support/formulas.h"

/* ---- Functions of one number ---- */

/* Functions that float32 has no exact results for go through double, and are rounded once. */

static float sigmoid(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return 1 / (1 + exp(-(double)x));
}

static float hyperbolic_tangent(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return tanh(x);
}

static float swish(float x, const struct nn_formula_parameters *p)
{
	return x * sigmoid(p->alpha * x, p);
}

static float hard_sigmoid(float x, const struct nn_formula_parameters *p)
{
	return nn_formula_clamp(p->alpha * x + p->beta, 0, 1);
}

static float hard_swish(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return x * nn_formula_clamp(x * (1.0f / 6) + 0.5f, 0, 1);
}

static float elu(float x, const struct nn_formula_parameters *p)
{
	return x < 0 ? p->alpha * expm1(x) : x;
}

static float selu(float x, const struct nn_formula_parameters *p)
{
	return x > 0 ? p->beta * x : p->beta * (p->alpha * expm1(x));
}

static float celu(float x, const struct nn_formula_parameters *p)
{
	return x > 0 ? x : p->alpha * expm1(x / p->alpha);
}

static float softplus(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return x > 0 ? x + log1p(exp(-(double)x)) : log1p(exp(x));
}

static float softsign(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return x / (1 + fabsf(x));
}

static float mish(float x, const struct nn_formula_parameters *p)
{
	return x * hyperbolic_tangent(softplus(x, p), p);
}

static float thresholded_relu(float x, const struct nn_formula_parameters *p)
{
	return x > p->alpha ? x : 0;
}

static float leaky_relu(float x, const struct nn_formula_parameters *p)
{
	return x < 0 ? p->alpha * x : x;
}

static float gelu(float x, const struct nn_formula_parameters *p)
{
	double inner = x;
	float gate; /* rounded, so that it is -1 where ONNX Runtime's is */

	if (!p->is_tanh) {
		gate = erf(inner * M_SQRT1_2);
		return 0.5f * x * (1 + gate);
	}
	inner = M_2_SQRTPI * M_SQRT1_2 * (inner + 0.044715 * inner * inner * inner);
	gate = tanh(inner);
	return 0.5f * x * (1 + gate);
}

static float exponential(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return exp(x);
}

static float logarithm(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return log(x);
}

static float square_root(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return sqrtf(x);
}

static float reciprocal(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return 1 / x;
}

static float absolute(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return fabsf(x);
}

static float negative(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return -x;
}

static float error_function(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return erf(x);
}

static float clamp(float x, const struct nn_formula_parameters *p)
{
	return nn_formula_clamp(x, p->alpha, p->beta);
}

static float round_down(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return floorf(x);
}

static float round_up(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return ceilf(x);
}

static float round_to_even(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return rintf(x);
}

static float sign(float x, const struct nn_formula_parameters *p)
{
	(void)p;
	return x > 0 ? 1 : x < 0 ? -1 : isnan(x) ? x : 0;
}

/* Functions that are one of C's, of double. */
#define OF_DOUBLE(name, function)                                  \
	static float name(float x, const struct nn_formula_parameters *p)     \
	{                                                          \
		(void)p;                                           \
		return function(x);                                \
	}

OF_DOUBLE(cosine, cos)
OF_DOUBLE(sine, sin)
OF_DOUBLE(tangent, tan)
OF_DOUBLE(arc_cosine, acos)
OF_DOUBLE(arc_sine, asin)
OF_DOUBLE(arc_tangent, atan)
OF_DOUBLE(hyperbolic_cosine, cosh)
OF_DOUBLE(hyperbolic_sine, sinh)
OF_DOUBLE(area_cosine, acosh)
OF_DOUBLE(area_sine, asinh)
OF_DOUBLE(area_tangent, atanh)

/* Its beta is the bias, its alpha the bound. */
static float shrink(float x, const struct nn_formula_parameters *p)
{
	return x < -p->alpha ? x + p->beta : x > p->alpha ? x - p->beta : 0;
}

/* ---- Functions of two numbers ---- */

static float sum(float a, float b)
{
	return a + b;
}

static float difference(float a, float b)
{
	return a - b;
}

static float product(float a, float b)
{
	return a * b;
}

static float quotient(float a, float b)
{
	return a / b;
}

static float smaller(float a, float b)
{
	return isnan(a) || a < b ? a : b;
}

static float greater(float a, float b)
{
	return isnan(a) || a > b ? a : b;
}

static float power(float a, float b)
{
	return b == 2 ? a * a : b == 3 ? a * a * a : (float)pow(a, b);
}

static float prelu(float x, float slope)
{
	return x > 0 ? x : slope * x;
}

/* ---- The table of them ---- */

static const struct nn_formula functions[] = {
	{ "Abs", .of_one = absolute, .error = NN_FORMULA_EXACT },
	{ "Acos", .of_one = arc_cosine },
	{ "Acosh", .of_one = area_cosine },
	{ "Add", .of_two = sum, .error = NN_FORMULA_EXACT },
	{ "Asin", .of_one = arc_sine },
	{ "Asinh", .of_one = area_sine },
	{ "Atan", .of_one = arc_tangent },
	{ "Atanh", .of_one = area_tangent },
	{ "Ceil", .of_one = round_up, .error = NN_FORMULA_EXACT },
	{ "Celu", .of_one = celu, .error = NN_FORMULA_CANCELLING, .otherwise = { .alpha = 1 } },
	{ "Cos", .of_one = cosine, .error = NN_FORMULA_CANCELLING },
	{ "Cosh", .of_one = hyperbolic_cosine },
	{ "Div", .of_two = quotient, .error = NN_FORMULA_EXACT },
	{ "Elu", .of_one = elu, .error = NN_FORMULA_CANCELLING, .otherwise = { .alpha = 1 } },
	{ "Erf", .of_one = error_function },
	{ "Exp", .of_one = exponential },
	{ "Floor", .of_one = round_down, .error = NN_FORMULA_EXACT },
	{ "Gelu", .of_one = gelu, .error = NN_FORMULA_CANCELLING },
	{ "HardSigmoid", .of_one = hard_sigmoid, .error = NN_FORMULA_CANCELLING,
	  .otherwise = { .alpha = 0.2f, .beta = 0.5f } },
	{ "HardSwish", .of_one = hard_swish, .error = NN_FORMULA_CANCELLING },
	{ "LeakyRelu", .of_one = leaky_relu, .error = NN_FORMULA_EXACT, .otherwise = { .alpha = 0.01f } },
	{ "Log", .of_one = logarithm },
	{ "Max", .of_two = greater, .error = NN_FORMULA_EXACT },
	{ "Min", .of_two = smaller, .error = NN_FORMULA_EXACT },
	{ "Mish", .of_one = mish, .error = NN_FORMULA_CANCELLING },
	{ "Mul", .of_two = product, .error = NN_FORMULA_EXACT },
	{ "Neg", .of_one = negative, .error = NN_FORMULA_EXACT },
	{ "Pow", .of_two = power },
	{ "Reciprocal", .of_one = reciprocal, .error = NN_FORMULA_EXACT },
	{ "Round", .of_one = round_to_even, .error = NN_FORMULA_EXACT },
	{ "Selu", .of_one = selu, .error = NN_FORMULA_CANCELLING, .beta = "gamma",
	  .otherwise = { .alpha = 1.67326319217681884765625f,
			 .beta = 1.05070102214813232421875f } },
	{ "Sigmoid", .of_one = sigmoid, .error = NN_FORMULA_CANCELLING },
	{ "Shrink", .of_one = shrink, .error = NN_FORMULA_EXACT, .alpha = "lambd", .beta = "bias",
	  .otherwise = { .alpha = 0.5f } },
	{ "Sign", .of_one = sign, .error = NN_FORMULA_EXACT },
	{ "Sin", .of_one = sine, .error = NN_FORMULA_CANCELLING },
	{ "Sinh", .of_one = hyperbolic_sine },
	{ "Softplus", .of_one = softplus, .error = NN_FORMULA_CANCELLING },
	{ "Softsign", .of_one = softsign, .error = NN_FORMULA_EXACT },
	{ "Sqrt", .of_one = square_root, .error = NN_FORMULA_EXACT },
	{ "Sub", .of_two = difference, .error = NN_FORMULA_EXACT },
	{ "Sum", .of_two = sum, .error = NN_FORMULA_EXACT },
	{ "Swish", .of_one = swish, .error = NN_FORMULA_CANCELLING, .otherwise = { .alpha = 1 } },
	{ "Tan", .of_one = tangent },
	{ "Tanh", .of_one = hyperbolic_tangent },
	{ "ThresholdedRelu", .of_one = thresholded_relu, .error = NN_FORMULA_EXACT,
	  .otherwise = { .alpha = 1 } },
	/* These are none of ONNX: importers have them elsewhere. */
	{ "clamp", .of_one = clamp, .error = NN_FORMULA_EXACT }, /* alpha to beta */
	{ "prelu", .of_two = prelu, .error = NN_FORMULA_EXACT },
};

const struct nn_formula *nn_formula_find(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	}
	return NULL;
}

float nn_formula_doubt(const struct nn_formula *function, float x, float result,
		      const struct nn_formula_parameters *p)
{
	float doubt, reach;

	/*
	 * What it leaves as it is, and what it makes of 0, it makes exactly; but exp(x) - 1 of what
	 * is nearly 0, and less, can be 0.
	 */
	if (function->error == NN_FORMULA_EXACT || !isfinite(result) ||
	    (result == x && (x >= 0 || function->error != NN_FORMULA_CANCELLING)) ||
	    (x == 0 && result * 2 == rintf(result * 2)))
		return 0;
	doubt = fabsf(result) * 0x1p-21f;
	if (function->error != NN_FORMULA_CANCELLING)
		return doubt;
	reach = fmaxf(1, fminf(fabsf(x), 16)) *
		fmaxf(1, fmaxf(fabsf(p->alpha), fabsf(p->alpha * p->beta)));
	return doubt + reach * 0x1p-22f;
}
