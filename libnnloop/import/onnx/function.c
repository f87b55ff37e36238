// SPDX-License-Identifier: MIT
/*
 * ONNX operators that make of each element one: whatever a model computes in float of the elements
 * of one 8-bit tensor, before a QuantizeLinear rounds it, can have 256 results. They are computed
 * here, step by step, each rounded to float32 as the model's runtime would, and become one Table.
 *
 * Operands of a step are the tensor, other results of it, and constants that are one number: so
 * x * Sigmoid(x) is one table, too.
 *
 * Runtimes compute functions such as Exp in ways of their own, which differ in the last bits. Where
 * what follows makes more than one step of the result of that, it is refused.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define RESULTS 256

/* ---- Operands ---- */

/* An operand: results of a tensor's elements, by their stored bytes, or one number. */
struct curve {
	const struct onnx_value *of; /* NULL: a number */
	/* The least and the greatest results that a runtime may have, beside those here. */
	float results[RESULTS], least[RESULTS], greatest[RESULTS];
	uint32_t rank; /* of a number's constant */
};

static void set_exact(struct curve *curve)
{
	memcpy(curve->least, curve->results, sizeof(curve->least));
	memcpy(curve->greatest, curve->results, sizeof(curve->greatest));
}

static bool read_number(const struct onnx_value *value, struct curve *out)
{
	const struct nn_quant *quant = &value->tensor.quant;
	float number;

	if (value->constant.count != 1)
		return false;
	if (value->kind == ONNX_REAL_CONST)
		number =
			(float)(nn_const_int(&value->constant, 0) - nn_quant_zero_point(quant, 0)) *
			nn_quant_scale(quant, 0);
	else if (value->constant.element == NN_ELEMENT_FLOAT)
		number = nn_const_float(&value->constant, 0);
	else
		return false;
	out->rank = value->tensor.rank;
	for (int i = 0; i < RESULTS; i++)
		out->results[i] = number;
	set_exact(out);
	return true;
}

float onnx_read_element(const struct nn_quant *quant, int byte)
{
	int32_t stored = quant->type == NN_INT8 ? (int8_t)byte : byte;

	return (float)(stored - quant->zero_point) * quant->scale;
}

/* The real values that the bytes of an 8-bit tensor stand for. */
static void dequantize(const struct nn_quant *quant, float results[RESULTS])
{
	for (int i = 0; i < RESULTS; i++)
		results[i] = onnx_read_element(quant, i);
}

static bool read_curve(const struct onnx_value *value, struct curve *out)
{
	memset(out, 0, sizeof(*out));
	if (onnx_is_const(value))
		return read_number(value, out);
	if (value->kind == ONNX_PENDING && value->pending->results) {
		out->of = value->pending->operands[0];
		memcpy(out->results, value->pending->results, sizeof(out->results));
		memcpy(out->least, value->pending->results + RESULTS, sizeof(out->least));
		memcpy(out->greatest, value->pending->results + 2 * RESULTS, sizeof(out->greatest));
		return true;
	}
	if (value->kind != ONNX_REAL || value->unrounded || value->promised ||
	    !nn_type_is_8bit(value->tensor.quant.type) || value->tensor.quant.scales)
		return false;
	out->of = value;
	dequantize(&value->tensor.quant, out->results);
	set_exact(out);
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

	if (import->op->domain || !onnx_find_function(import->node))
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

int32_t onnx_quantize_real(float result, const struct nn_quant *quant)
{
	float stored = rintf(result / quant->scale) + (float)quant->zero_point;
	int32_t min, max;

	nn_type_range(quant->type, &min, &max);
	return (int32_t)fminf(fmaxf(stored, min), max);
}

static int emit_table(struct onnx_import *import, const struct onnx_pending *pending,
		      const struct nn_quant *quant, const char *activation,
		      struct nn_build_tensor *out)
{
	uint8_t table[RESULTS];

	(void)activation;
	for (int i = 0; i < RESULTS; i++) {
		int32_t stored = onnx_quantize_real(pending->results[i], quant);
		int32_t least = onnx_quantize_real(pending->results[i + RESULTS], quant);
		int32_t greatest = onnx_quantize_real(pending->results[i + 2 * RESULTS], quant);

		table[i] = stored;
		if (abs(least - stored) <= 1 && abs(greatest - stored) <= 1)
			continue;
		return onnx_fail(
			import, -EOPNOTSUPP,
			"its result depends on the last bits of the floats before it: of %g it is %"
			PRId32 ", %" PRId32 " or %" PRId32
			"\nput a QuantizeLinear and a DequantizeLinear in between",
			(double)onnx_read_element(&pending->operands[0]->tensor.quant, i), least, stored,
			greatest);
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
		       const struct curve *from)
{
	float *results = onnx_alloc(import, 3 * RESULTS, sizeof(*results));

	if (!results)
		return -ENOMEM;
	memcpy(results, from->results, sizeof(from->results));
	memcpy(results + RESULTS, from->least, sizeof(from->least));
	memcpy(results + 2 * RESULTS, from->greatest, sizeof(from->greatest));
	pending->results = results;
	return 0;
}

/* NULL: there is no memory. */
static struct onnx_pending *new_table(struct onnx_import *import, const struct curve *curve)
{
	const struct onnx_value *x = curve->of;
	struct onnx_pending *pending = onnx_new_pending(import, emit_table, 1);

	if (!pending || set_results(import, pending, curve))
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
	for (int i = 0; i < RESULTS; i++) {
		curve.results[i] = nn_formula_clamp(curve.results[i], low, high);
		curve.least[i] = nn_formula_clamp(curve.least[i], low, high);
		curve.greatest[i] = nn_formula_clamp(curve.greatest[i], low, high);
	}
	if (set_results(import, pending, &curve))
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

/* QLinear in front of a name says how its operands come, nothing else. */
const struct nn_formula *onnx_find_function(const Onnx__NodeProto *node)
{
	const char *name = node->op_type;

	return nn_formula_find(strncmp(name, "QLinear", 7) ? name : name + 7);
}

struct nn_formula_parameters onnx_read_parameters(struct onnx_import *import,
					    const struct nn_formula *function)
{
	const char *alpha = function->alpha ? function->alpha : "alpha";
	const char *beta = function->beta ? function->beta : "beta";
	const Onnx__NodeProto *node = import->node;

	return (struct nn_formula_parameters){
		.alpha = onnx_attr_float(node, alpha, function->otherwise.alpha),
		.beta = onnx_attr_float(node, beta, function->otherwise.beta),
		.is_tanh = !strcmp(onnx_attr_string(import, "approximate", "none"), "tanh"),
	};
}

/*
 * Where an end is a number and another result is none, as log(x) is beside 0, any result can be:
 * between them is where the function has none.
 */
static void extend(struct curve *curve, int i, float result)
{
	bool is_number = !isnan(result);

	if (is_number != !isnan(curve->results[i])) {
		curve->least[i] = -INFINITY;
		curve->greatest[i] = INFINITY;
	}
	if (is_number && result < curve->least[i])
		curve->least[i] = result;
	if (is_number && result > curve->greatest[i])
		curve->greatest[i] = result;
}

static void doubt(const struct nn_formula *function, const struct nn_formula_parameters *parameters,
		  float x, struct curve *curve, int i)
{
	float by = nn_formula_doubt(function, x, curve->results[i], parameters);

	curve->least[i] -= by;
	curve->greatest[i] += by;
}

static void apply(const struct nn_formula *function, const struct nn_formula_parameters *parameters,
		  struct curve *curve)
{
	for (int i = 0; i < RESULTS; i++) {
		float x = curve->results[i], ends[] = { curve->least[i], curve->greatest[i] };

		curve->results[i] = function->of_one(x, parameters);
		curve->least[i] = curve->greatest[i] = curve->results[i];
		for (int k = 0; k < 2; k++)
			extend(curve, i, function->of_one(ends[k], parameters));
		doubt(function, parameters, x, curve, i);
	}
}

static void apply_to_two(const struct nn_formula *function,
			 const struct nn_formula_parameters *parameters, struct curve *curve,
			 const struct curve *other)
{
	for (int i = 0; i < RESULTS; i++) {
		float x = curve->results[i], ends[] = { curve->least[i], curve->greatest[i] };

		curve->results[i] = function->of_two(x, other->results[i]);
		curve->least[i] = curve->greatest[i] = curve->results[i];
		for (int k = 0; k < 2; k++) {
			extend(curve, i, function->of_two(ends[k], other->least[i]));
			extend(curve, i, function->of_two(ends[k], other->greatest[i]));
		}
		doubt(function, parameters, x, curve, i);
	}
}

/* The current node's results. */
static void compute(struct onnx_import *import, struct curve *out)
{
	const struct nn_formula *function = onnx_find_function(import->node);
	struct nn_formula_parameters parameters = onnx_read_parameters(import, function);
	const struct onnx_value *of = NULL;
	struct curve curve;

	for (uint32_t k = 0; k < import->node->n_input; k++) {
		read_curve(onnx_input(import, k), &curve);
		joins(&curve, &of);
		if (k)
			apply_to_two(function, &parameters, out, &curve);
		else
			*out = curve;
	}
	out->of = of;
	if (function->of_one)
		apply(function, &parameters, out);
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
	struct curve curve;

	if (!strcmp(import->node->op_type, "Celu") &&
	    onnx_attr_float(import->node, "alpha", 1) == 0)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its alpha is 0, by which it divides\nuse Relu");
	compute(import, &curve);
	pending = new_table(import, &curve);
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
	const struct nn_formula *function = onnx_find_function(import->node);
	struct nn_formula_parameters parameters = onnx_read_parameters(import, function);
	struct onnx_pending *pending;
	struct curve curve;

	if (!x)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL || !read_curve(x, &curve))
		return onnx_fail(import, -EOPNOTSUPP, "its input is a constant or not of 8 bits");
	apply(function, &parameters, &curve);
	pending = new_table(import, &curve);
	return onnx_define_linear(import, pending, 3, x->tensor.quant.type);
}
