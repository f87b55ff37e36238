// SPDX-License-Identifier: MIT
/*
 * ONNX operators that make of each element one: whatever a model computes in float of the elements
 * of one 8-bit tensor, before a QuantizeLinear rounds it, can have 256 results. They are computed
 * here, step by step, each rounded to float32 as the model's runtime would, and become one Table.
 *
 * Operands of a step are the tensor, other results of it, and constants that are one number: so
 * x * Sigmoid(x) is one table, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define RESULTS 256

/* ---- Functions of one number ---- */

/* What attributes of a node say; alpha and beta only mean something to those that have them. */
struct parameters {
	float alpha, beta;
	bool is_tanh; /* Gelu's approximate */
};

/* Functions that float32 has no exact results for go through double, and are rounded once. */

static float sigmoid(float x, const struct parameters *p)
{
	(void)p;
	return 1 / (1 + exp(-(double)x));
}

static float hyperbolic_tangent(float x, const struct parameters *p)
{
	(void)p;
	return tanh(x);
}

/* What is no number stays so. */
static float clamp(float x, float low, float high)
{
	return x < low ? low : x > high ? high : x;
}

static float hard_sigmoid(float x, const struct parameters *p)
{
	return clamp(p->alpha * x + p->beta, 0, 1);
}

static float hard_swish(float x, const struct parameters *p)
{
	(void)p;
	return x * clamp(x * (1.0f / 6) + 0.5f, 0, 1);
}

static float elu(float x, const struct parameters *p)
{
	return x < 0 ? p->alpha * expm1(x) : x;
}

static float selu(float x, const struct parameters *p)
{
	return x > 0 ? p->beta * x : p->beta * (p->alpha * expm1(x));
}

static float celu(float x, const struct parameters *p)
{
	return x > 0 ? x : p->alpha * expm1(x / p->alpha);
}

static float softplus(float x, const struct parameters *p)
{
	(void)p;
	return x > 0 ? x + log1p(exp(-(double)x)) : log1p(exp(x));
}

static float softsign(float x, const struct parameters *p)
{
	(void)p;
	return x / (1 + fabsf(x));
}

static float mish(float x, const struct parameters *p)
{
	return x * hyperbolic_tangent(softplus(x, p), p);
}

static float thresholded_relu(float x, const struct parameters *p)
{
	return x > p->alpha ? x : 0;
}

static float leaky_relu(float x, const struct parameters *p)
{
	return x < 0 ? p->alpha * x : x;
}

static float gelu(float x, const struct parameters *p)
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

static float exponential(float x, const struct parameters *p)
{
	(void)p;
	return exp(x);
}

static float logarithm(float x, const struct parameters *p)
{
	(void)p;
	return log(x);
}

static float square_root(float x, const struct parameters *p)
{
	(void)p;
	return sqrtf(x);
}

static float reciprocal(float x, const struct parameters *p)
{
	(void)p;
	return 1 / x;
}

static float absolute(float x, const struct parameters *p)
{
	(void)p;
	return fabsf(x);
}

static float negative(float x, const struct parameters *p)
{
	(void)p;
	return -x;
}

static float error_function(float x, const struct parameters *p)
{
	(void)p;
	return erf(x);
}

static float round_down(float x, const struct parameters *p)
{
	(void)p;
	return floorf(x);
}

static float round_up(float x, const struct parameters *p)
{
	(void)p;
	return ceilf(x);
}

static float round_to_even(float x, const struct parameters *p)
{
	(void)p;
	return rintf(x);
}

static float sign(float x, const struct parameters *p)
{
	(void)p;
	return x > 0 ? 1 : x < 0 ? -1 : isnan(x) ? x : 0;
}

/* Those that are one of C's, of double. */
#define OF_DOUBLE(name, function)                                  \
	static float name(float x, const struct parameters *p)     \
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
static float shrink(float x, const struct parameters *p)
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

/* ---- The table of them ---- */

static const struct function {
	const char *name;
	float (*of_one)(float x, const struct parameters *parameters);
	float (*of_two)(float a, float b); /* of more: of the result and the next */
	struct parameters otherwise; /* where the model does not say */
	const char *alpha, *beta; /* the attributes; NULL: "alpha", "beta" */
} functions[] = {
	{ "Abs", .of_one = absolute },
	{ "Acos", .of_one = arc_cosine },
	{ "Acosh", .of_one = area_cosine },
	{ "Add", .of_two = sum },
	{ "Asin", .of_one = arc_sine },
	{ "Asinh", .of_one = area_sine },
	{ "Atan", .of_one = arc_tangent },
	{ "Atanh", .of_one = area_tangent },
	{ "Ceil", .of_one = round_up },
	{ "Celu", .of_one = celu, .otherwise = { .alpha = 1 } },
	{ "Cos", .of_one = cosine },
	{ "Cosh", .of_one = hyperbolic_cosine },
	{ "Div", .of_two = quotient },
	{ "Elu", .of_one = elu, .otherwise = { .alpha = 1 } },
	{ "Erf", .of_one = error_function },
	{ "Exp", .of_one = exponential },
	{ "Floor", .of_one = round_down },
	{ "Gelu", .of_one = gelu },
	{ "HardSigmoid", .of_one = hard_sigmoid, .otherwise = { .alpha = 0.2f, .beta = 0.5f } },
	{ "HardSwish", .of_one = hard_swish },
	{ "LeakyRelu", .of_one = leaky_relu, .otherwise = { .alpha = 0.01f } },
	{ "Log", .of_one = logarithm },
	{ "Max", .of_two = greater },
	{ "Min", .of_two = smaller },
	{ "Mish", .of_one = mish },
	{ "Mul", .of_two = product },
	{ "Neg", .of_one = negative },
	{ "Pow", .of_two = power },
	{ "Reciprocal", .of_one = reciprocal },
	{ "Round", .of_one = round_to_even },
	{ "Selu", .of_one = selu, .beta = "gamma",
	  .otherwise = { .alpha = 1.67326319217681884765625f, .beta = 1.05070102214813232421875f } },
	{ "Sigmoid", .of_one = sigmoid },
	{ "Shrink", .of_one = shrink, .alpha = "lambd", .beta = "bias", .otherwise = { .alpha = 0.5f } },
	{ "Sign", .of_one = sign },
	{ "Sin", .of_one = sine },
	{ "Sinh", .of_one = hyperbolic_sine },
	{ "Softplus", .of_one = softplus },
	{ "Softsign", .of_one = softsign },
	{ "Sqrt", .of_one = square_root },
	{ "Sub", .of_two = difference },
	{ "Sum", .of_two = sum },
	{ "Tan", .of_one = tangent },
	{ "Tanh", .of_one = hyperbolic_tangent },
	{ "ThresholdedRelu", .of_one = thresholded_relu, .otherwise = { .alpha = 1 } },
};

/* QLinear in front of a name says how its operands come, nothing else. */
static const struct function *find_function(const Onnx__NodeProto *node)
{
	const char *name = node->op_type;

	if (!strncmp(name, "QLinear", 7))
		name += 7;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	}
	return NULL;
}

/* ---- Operands ---- */

/* An operand: results of a tensor's elements, by their stored bytes, or one number. */
struct curve {
	const struct onnx_value *of; /* NULL: a number */
	float results[RESULTS];
	uint32_t rank; /* of a number's constant */
};

static bool read_number(const struct onnx_value *value, struct curve *out)
{
	const struct nn_quant *quant = &value->tensor.quant;
	float number;

	if (value->constant.count != 1)
		return false;
	if (value->kind == ONNX_REAL_CONST)
		number = (float)(nn_const_int(&value->constant, 0) - nn_quant_zero_point(quant, 0)) *
			 nn_quant_scale(quant, 0);
	else if (value->constant.element == NN_ELEMENT_FLOAT)
		number = nn_const_float(&value->constant, 0);
	else
		return false;
	out->rank = value->tensor.rank;
	for (int i = 0; i < RESULTS; i++)
		out->results[i] = number;
	return true;
}

/* The real values that the bytes of an 8-bit tensor stand for. */
static void dequantize(const struct nn_quant *quant, float results[RESULTS])
{
	for (int i = 0; i < RESULTS; i++) {
		int32_t stored = quant->type == NN_INT8 ? (int8_t)i : i;

		results[i] = (float)(stored - quant->zero_point) * quant->scale;
	}
}

static bool read_curve(const struct onnx_value *value, struct curve *out)
{
	memset(out, 0, sizeof(*out));
	if (onnx_is_const(value))
		return read_number(value, out);
	if (value->kind == ONNX_PENDING && value->pending->results) {
		out->of = value->pending->operands[0];
		memcpy(out->results, value->pending->results, sizeof(out->results));
		return true;
	}
	if (value->kind != ONNX_REAL || value->unrounded || value->promised ||
	    !nn_type_is_8bit(value->tensor.quant.type) || value->tensor.quant.scales)
		return false;
	out->of = value;
	dequantize(&value->tensor.quant, out->results);
	return true;
}

bool onnx_is_same_tensor(const struct nn_build_tensor *a, const struct nn_build_tensor *b)
{
	return a->source.src_id == b->source.src_id &&
	       a->source.output_idx == b->source.output_idx && a->rank == b->rank &&
	       a->layout == b->layout && nn_quant_equal(&a->quant, &b->quant) &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

/* Whether operands fit each other: `of` is the tensor that all of them are of. */
static bool joins(const struct curve *curve, const struct onnx_value **of)
{
	if (!curve->of)
		return true;
	if (*of && !onnx_is_same_tensor(&(*of)->tensor, &curve->of->tensor))
		return false;
	*of = curve->of;
	return true;
}

bool onnx_is_function(struct onnx_import *import)
{
	const struct onnx_value *of = NULL;
	struct curve curve;
	uint32_t rank = 0;

	if (import->op->domain || !find_function(import->node))
		return false;
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		if (!read_curve(onnx_input(import, i), &curve) || !joins(&curve, &of))
			return false;
		rank = curve.rank > rank ? curve.rank : rank;
	}
	/* A number of more dimensions gives them to the result. */
	return of && rank <= of->tensor.rank;
}

/* ---- The operators ---- */

static int emit_table(struct onnx_import *import, const struct onnx_pending *pending,
		      const struct nn_quant *quant, const char *activation,
		      struct nn_build_tensor *out)
{
	int32_t min, max;
	uint8_t table[RESULTS];

	(void)activation;
	nn_type_range(quant->type, &min, &max);
	for (int i = 0; i < RESULTS; i++) {
		float stored = rintf(pending->results[i] / quant->scale) + (float)quant->zero_point;

		/* What is no number becomes the least, as ONNX Runtime has it. */
		table[i] = (int32_t)fminf(fmaxf(stored, min), max);
	}
	return nn_build_table(&import->builder, &pending->operands[0]->tensor, table, quant, out);
}

/* nnloop's operator of the same name. */
static int emit_named(struct onnx_import *import, const struct onnx_pending *pending,
		      const struct nn_quant *quant, const char *activation,
		      struct nn_build_tensor *out)
{
	(void)activation;
	return nn_build_unary(&import->builder, pending->op->becomes, &pending->operands[0]->tensor,
			      &pending->attr, pending->attr.name ? 1 : 0, quant, out);
}

/* Keeps a copy of what the results of a tensor's elements are. */
static int set_results(struct onnx_import *import, struct onnx_pending *pending,
		       const float from[RESULTS])
{
	float *results = onnx_alloc(import, RESULTS, sizeof(*results));

	if (!results)
		return -ENOMEM;
	memcpy(results, from, RESULTS * sizeof(*results));
	pending->results = results;
	return 0;
}

/* A function of the elements of x; NULL: there is no memory. */
static struct onnx_pending *new_table(struct onnx_import *import, const struct onnx_value *x,
				      const float results[RESULTS])
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_table, 1);

	if (!pending || set_results(import, pending, results))
		return NULL;
	pending->operands[0] = x;
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	return pending;
}

int onnx_clamp_results(struct onnx_import *import, struct onnx_pending *pending,
		       const struct onnx_value *x, float low, float high)
{
	struct curve curve;

	if (!read_curve(x, &curve))
		return 0;
	for (int i = 0; i < RESULTS; i++)
		curve.results[i] = clamp(curve.results[i], low, high);
	if (set_results(import, pending, curve.results))
		return -ENOMEM;
	if (pending->emit != emit_table && pending->emit != emit_named)
		return 0;
	pending->emit = emit_table;
	pending->range = nn_range_unbounded;
	return 0;
}

bool onnx_is_number(const struct onnx_pending *pending)
{
	if (pending->may_be_nan)
		return false;
	for (int i = 0; i < RESULTS && pending->results; i++) {
		if (isnan(pending->results[i]))
			return false;
	}
	return true;
}

static struct parameters read_parameters(struct onnx_import *import,
					 const struct function *function)
{
	const char *alpha = function->alpha ? function->alpha : "alpha";
	const char *beta = function->beta ? function->beta : "beta";
	const Onnx__NodeProto *node = import->node;

	return (struct parameters){
		.alpha = onnx_attr_float(node, alpha, function->otherwise.alpha),
		.beta = onnx_attr_float(node, beta, function->otherwise.beta),
		.is_tanh = !strcmp(onnx_attr_string(import, "approximate", "none"), "tanh"),
	};
}

/* The current node's results; *of is the tensor that they are of. */
static void compute(struct onnx_import *import, const struct onnx_value **of,
		    float results[RESULTS])
{
	const struct function *function = find_function(import->node);
	struct parameters parameters = read_parameters(import, function);
	struct curve curve;

	*of = NULL;
	for (uint32_t k = 0; k < import->node->n_input; k++) {
		read_curve(onnx_input(import, k), &curve);
		joins(&curve, of);
		for (int i = 0; i < RESULTS; i++)
			results[i] = k ? function->of_two(results[i], curve.results[i]) :
					 curve.results[i];
	}
	for (int i = 0; i < RESULTS && function->of_one; i++)
		results[i] = function->of_one(results[i], &parameters);
}

int onnx_refuse_function(struct onnx_import *import)
{
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);
		struct curve curve;

		if (read_curve(x, &curve))
			continue;
		if (onnx_is_const(x))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input %" PRIu32 " is a constant of %" PRIu64
					 " %s; nnloop knows it with one real number",
					 i, x->constant.count,
					 nn_element_name(x->constant.element));
		if (!onnx_real_input(import, i))
			return onnx_failed(import);
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is quantized to %s" ONNX_8_BITS, i,
				 nn_data_type_name(x->tensor.quant.type));
	}
	return onnx_fail(
		import, -EOPNOTSUPP,
		"it computes of two tensors, of constants only, or of a number with more dimensions than its tensor");
}

/* A function of a stored tensor that nnloop has an operator for. */
static void name_function(struct onnx_import *import, struct onnx_pending *pending)
{
	const struct onnx_op *op = import->op;

	pending->emit = emit_named;
	pending->op = op;
	if (op->attr)
		pending->attr = (struct nn_attr){
			.name = op->attr,
			.type = NN_ATTR_FLOAT,
			.f = onnx_attr_float(import->node, op->attr, op->otherwise),
		};
}

int onnx_build_function(struct onnx_import *import)
{
	struct onnx_pending *pending;
	const struct onnx_value *of;
	float results[RESULTS];

	compute(import, &of, results);
	pending = new_table(import, of, results);
	if (!pending)
		return -ENOMEM;
	/* Others that come here have an operator of two operands. */
	if (import->op->becomes && import->op->lower == onnx_refuse_function &&
	    onnx_input(import, 0)->kind == ONNX_REAL)
		name_function(import, pending);
	return onnx_define_pending(import, pending);
}

/* A function of a tensor of integers, with scale and zero point of both in its inputs. */
int onnx_lower_qlinear_function(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_linear_input(import, 0, 0);
	const struct function *function = find_function(import->node);
	struct parameters parameters = read_parameters(import, function);
	struct onnx_pending *pending;
	struct curve curve;

	if (!x)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL || !read_curve(x, &curve))
		return onnx_fail(import, -EOPNOTSUPP, "its input is a constant or not of 8 bits");
	for (int i = 0; i < RESULTS; i++)
		curve.results[i] = function->of_one(curve.results[i], &parameters);
	pending = new_table(import, x, curve.results);
	return onnx_define_linear(import, pending, 3, x->tensor.quant.type);
}
