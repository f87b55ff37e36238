// SPDX-License-Identifier: MIT
/*
 * ONNX operators that make of each element one: whatever a model computes in float of the elements
 * of one tensor, before a QuantizeLinear rounds it, can have 256 results, or of 16 bits 65,536.
 * They are computed here, step by step, each rounded to float32 as the model's runtime would, and
 * become one Table.
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

/* Functions of 16 bits that a model has at most: a small file cannot take much memory. */
#define MOST_WIDE 512

#define MOST_WIDE_DOUBT 64 /* steps of 16 bits, which are much less than one of 8 */

/* ---- Operands ---- */

/* An operand: results of a tensor's elements, by their stored bits, or one number. */
struct curve {
	const struct onnx_value *of; /* NULL: a number */
	uint32_t rank; /* of a number's constant */
	uint32_t count; /* of results */
	/* The least and the greatest results that a runtime may have, beside those here. */
	float *results, *least, *greatest;
};

uint32_t onnx_count_results(const struct nn_quant *quant)
{
	return nn_data_type_size(quant->type) == 2 ? 65536 : 256;
}

/* Room for so many results; false: there is no memory. */
static bool make_curve(struct onnx_import *import, struct curve *curve, uint32_t count)
{
	float *results;

	if (count > 256 && ++import->wide_count > MOST_WIDE) {
		onnx_fail(import, -EOPNOTSUPP, "it is more than the %dth function of 16 bits",
			  MOST_WIDE);
		return false;
	}
	results = onnx_alloc(import, 3 * (size_t)count, sizeof(*results));
	if (!results)
		return false;
	curve->count = count;
	curve->results = results;
	curve->least = results + count;
	curve->greatest = results + 2 * count;
	return true;
}

static bool read_number(const struct onnx_value *value, float *number)
{
	const struct nn_quant *quant = &value->tensor.quant;

	if (value->constant.count != 1)
		return false;
	if (value->kind == ONNX_REAL_CONST)
		*number =
			(float)(nn_const_int(&value->constant, 0) - nn_quant_zero_point(quant, 0)) *
			nn_quant_scale(quant, 0);
	else if (value->constant.element == NN_ELEMENT_FLOAT)
		*number = nn_const_float(&value->constant, 0);
	else
		return false;
	return true;
}

/* Whether it is an operand, and of which tensor, or of how many dimensions; without results. */
static bool find_curve(const struct onnx_value *value, struct curve *out)
{
	float number;

	memset(out, 0, sizeof(*out));
	if (onnx_is_const(value)) {
		out->rank = value->tensor.rank;
		return read_number(value, &number);
	}
	if (value->kind == ONNX_PENDING && value->pending->results) {
		out->of = value->pending->operands[0];
		return true;
	}
	if (value->kind != ONNX_REAL || value->unrounded || value->promised ||
	    !onnx_is_computed(value->tensor.quant.type) || value->tensor.quant.scales)
		return false;
	out->of = value;
	return true;
}

/* Result i of an operand; which: 0, or 1 and 2 for the least and the greatest of it. */
static float read_result(const struct onnx_value *value, uint32_t count, uint32_t i, uint32_t which)
{
	float number = 0;

	if (onnx_is_const(value)) {
		read_number(value, &number);
		return number;
	}
	if (value->kind == ONNX_PENDING)
		return value->pending->results[which * count + i];
	return onnx_read_element(&value->tensor.quant, i);
}

/* The results of an operand, for which there is room. */
static void read_results(const struct onnx_value *value, struct curve *curve)
{
	for (uint32_t i = 0; i < curve->count; i++) {
		curve->results[i] = read_result(value, curve->count, i, 0);
		curve->least[i] = read_result(value, curve->count, i, 1);
		curve->greatest[i] = read_result(value, curve->count, i, 2);
	}
}

float onnx_read_element(const struct nn_quant *quant, int byte)
{
	int32_t stored = quant->type == NN_INT8 ? (int8_t)byte :
			 quant->type == NN_INT16 ? (int16_t)byte : byte;

	return (float)(stored - quant->zero_point) * quant->scale;
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
		if (!find_curve(onnx_input(import, i), &curve) || !joins(&curve, &of))
			return false;
		rank = curve.rank > rank ? curve.rank : rank;
	}
	/* A number of more dimensions gives them to the result. */
	return of && rank <= of->tensor.rank;
}

#define MOST_FUNCTIONS 16 /* behind each other, up to a QuantizeLinear */

/* Whether all that reads a value is such a function of the same tensor, up to a QuantizeLinear. */
static bool ends_rounded(struct onnx_import *import, const struct onnx_value *made,
			 const struct onnx_value *of, uint32_t most)
{
	if (onnx_is_quantized_alike(import, made))
		return true;
	for (uint32_t i = 0; i < made->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[made->users[i]].node;
		const struct onnx_value *next =
			user->n_output ? onnx_find(import, user->output[0]) : NULL;

		if (!next || !most || (!onnx_only_clamps(user) && !onnx_find_function(user)))
			return false;
		for (size_t k = 0; k < user->n_input; k++) {
			const struct onnx_value *value = onnx_find(import, user->input[k]);
			struct curve curve;

			if (!*user->input[k] || !strcmp(user->input[k], made->tensor.name))
				continue;
			if (!value || !find_curve(value, &curve) || !joins(&curve, &of))
				return false;
		}
		if (!ends_rounded(import, next, of, most - 1))
			return false;
	}
	return made->user_count;
}

bool onnx_becomes_table(struct onnx_import *import, const struct onnx_value *made)
{
	const struct onnx_value *x = import->node->n_input ? onnx_input(import, 0) : NULL;
	bool clamps = onnx_only_clamps(import->node);
	const struct onnx_value *of = NULL;
	struct curve curve;

	if (import->op->domain || (!clamps && !onnx_is_function(import)))
		return false;
	for (uint32_t i = 0; i < (clamps ? 1 : import->node->n_input); i++) {
		if (!find_curve(onnx_input(import, i), &curve) || !joins(&curve, &of))
			return false;
	}
	return x && of && ends_rounded(import, made, of, MOST_FUNCTIONS);
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
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	uint32_t count = onnx_count_results(&x->quant);
	int32_t most = quant->type == NN_INT16 ? MOST_WIDE_DOUBT : 1;
	int16_t *wide = onnx_alloc(import, count, sizeof(*wide));
	uint8_t bytes[256];

	(void)activation;
	if (!wide)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		int32_t stored = onnx_quantize_real(pending->results[i], quant);
		int32_t least = onnx_quantize_real(pending->results[i + count], quant);
		int32_t greatest = onnx_quantize_real(pending->results[i + 2 * count], quant);

		wide[i] = stored;
		bytes[i % 256] = stored;
		if (abs(least - stored) <= most && abs(greatest - stored) <= most)
			continue;
		return onnx_fail(
			import, -EOPNOTSUPP,
			"its result depends on the last bits of the floats before it: of %g it is %"
			PRId32 ", %" PRId32 " or %" PRId32
			"\nput a QuantizeLinear and a DequantizeLinear in between",
			(double)onnx_read_element(&x->quant, i), least, stored, greatest);
	}
	if (x->quant.type == NN_INT16 || quant->type == NN_INT16)
		return nn_build_wide_table(&import->builder, x, wide, quant, out);
	return nn_build_table(&import->builder, x, bytes, quant, out);
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

/* NULL: the error is set. */
static struct onnx_pending *new_table(struct onnx_import *import, const struct curve *curve)
{
	const struct onnx_value *x = curve->of;
	struct onnx_pending *pending = onnx_new_pending(import, emit_table, 1);

	if (!pending)
		return NULL;
	pending->results = curve->results;
	pending->operands[0] = x;
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	return pending;
}

int onnx_clamp_results(struct onnx_import *import, struct onnx_pending *pending,
		       const struct onnx_value *x, float low, float high)
{
	struct curve curve;

	if (!find_curve(x, &curve) || !curve.of)
		return 0;
	if (!make_curve(import, &curve, onnx_count_results(&curve.of->tensor.quant)))
		return onnx_failed(import);
	read_results(x, &curve);
	for (uint32_t i = 0; i < 3 * curve.count; i++)
		curve.results[i] = nn_formula_clamp(curve.results[i], low, high);
	pending->results = curve.results;
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
	for (uint32_t i = 0; pending->results &&
			     i < onnx_count_results(&pending->operands[0]->tensor.quant); i++) {
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
static void extend(struct curve *curve, uint32_t i, float result)
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
		  float x, struct curve *curve, uint32_t i)
{
	float by = nn_formula_doubt(function, x, curve->results[i], parameters);

	curve->least[i] -= by;
	curve->greatest[i] += by;
}

static void apply(const struct nn_formula *function, const struct nn_formula_parameters *parameters,
		  struct curve *curve)
{
	for (uint32_t i = 0; i < curve->count; i++) {
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
			 const struct onnx_value *other)
{
	for (uint32_t i = 0; i < curve->count; i++) {
		float x = curve->results[i], ends[] = { curve->least[i], curve->greatest[i] };

		curve->results[i] = function->of_two(x, read_result(other, curve->count, i, 0));
		curve->least[i] = curve->greatest[i] = curve->results[i];
		for (int k = 0; k < 2; k++) {
			for (uint32_t which = 1; which < 3; which++) {
				float end = read_result(other, curve->count, i, which);

				extend(curve, i, function->of_two(ends[k], end));
			}
		}
		doubt(function, parameters, x, curve, i);
	}
}

/* The current node's results. */
static int compute(struct onnx_import *import, struct curve *out)
{
	const struct nn_formula *function = onnx_find_function(import->node);
	struct nn_formula_parameters parameters = onnx_read_parameters(import, function);
	const struct onnx_value *of = NULL;
	struct curve curve;

	for (uint32_t k = 0; k < import->node->n_input; k++) {
		find_curve(onnx_input(import, k), &curve);
		joins(&curve, &of);
	}
	if (!make_curve(import, out, onnx_count_results(&of->tensor.quant)))
		return onnx_failed(import);
	out->of = of;
	read_results(onnx_input(import, 0), out);
	for (uint32_t k = 1; k < import->node->n_input; k++)
		apply_to_two(function, &parameters, out, onnx_input(import, k));
	if (function->of_one)
		apply(function, &parameters, out);
	return 0;
}

int onnx_refuse_function(struct onnx_import *import)
{
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);
		struct curve curve;

		if (find_curve(x, &curve))
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
	int err;

	if (!strcmp(import->node->op_type, "Celu") &&
	    onnx_attr_float(import->node, "alpha", 1) == 0)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its alpha is 0, by which it divides\nuse Relu");
	err = compute(import, &curve);
	if (err)
		return err;
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
	if (x->kind != ONNX_REAL || !find_curve(x, &curve))
		return onnx_fail(import, -EOPNOTSUPP, "its input is a constant or not of 8 bits");
	if (!make_curve(import, &curve, 256))
		return onnx_failed(import);
	read_results(x, &curve);
	apply(function, &parameters, &curve);
	pending = new_table(import, &curve);
	return onnx_define_linear(import, pending, 3, x->tensor.quant.type);
}
