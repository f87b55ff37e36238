// SPDX-License-Identifier: MIT
/*
 * Models that compute in float: a model that is refused as a quantized one is imported again, with
 * onnx_import.floats. Then its float inputs are tensors of float32, and a node computes in float32,
 * on the device, if one of its operands does, or if nothing quantizes what it makes. So parts of a
 * model that are quantized stay integers, with QuantizeLinear and DequantizeLinear as operators of
 * their own where they meet the others.
 *
 * A tensor of float32 is ONNX_REAL, promised, with quant.type NN_FLOAT32; what only moves elements
 * takes it as any other. Here is the table of nodes that compute, and those of them that make an
 * element of each, or of two.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/onnx/onnx.h"

/* ---- Operands ---- */

static bool is_float_tensor(const struct onnx_value *value)
{
	return value->kind == ONNX_REAL && onnx_is_float(value);
}

struct onnx_value onnx_float_value(const struct nn_build_tensor *tensor)
{
	return (struct onnx_value){ .kind = ONNX_REAL, .promised = true, .tensor = *tensor };
}

/* Rounds a pending value as the first QuantizeLinear behind it says. */
static int settle(struct onnx_import *import, const struct onnx_value *value,
		  struct nn_build_tensor *out)
{
	struct nn_quant quant;
	int err = onnx_find_quant(import, value, false, 0, &quant);

	return err ? err : onnx_settle(import, value, &quant, out);
}

int onnx_make_float(struct onnx_import *import, const struct onnx_value *value,
		    struct nn_build_tensor *out)
{
	struct nn_build_tensor stored = value->tensor;
	const char *result = import->builder.result;
	int err = 0;

	if (is_float_tensor(value)) {
		*out = value->tensor;
		return 0;
	}
	if (value->kind == ONNX_PENDING)
		err = settle(import, value, &stored);
	else if (value->tensor.quant.scales)
		err = onnx_fail(import, -EOPNOTSUPP, "%s has several scales",
				onnx_quote(import, value->tensor.name));
	if (err)
		return err;
	import->builder.result = value->tensor.name;
	err = nn_build_float_convert(&import->builder, &stored, &nn_quant_float, out);
	import->builder.result = result;
	return err;
}

int onnx_float_tensor(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (value->kind == ONNX_PENDING || value->kind == ONNX_REAL)
		return onnx_make_float(import, value, out);
	return onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " is %s", i,
			 onnx_is_const(value) ? "a constant" :
			 value->kind == ONNX_STORED ? "a tensor of integers" :
			 value->kind == ONNX_ABSENT ? "absent" : "a number of a loop's");
}

int onnx_float_constant(struct onnx_import *import, uint32_t i, const char *what,
			struct nn_const *out)
{
	return onnx_read_floats(import, onnx_input(import, i), what, out);
}

int onnx_float_operand(struct onnx_import *import, uint32_t i, struct nn_build_tensor *tensor,
		       struct nn_const *constant, struct nn_operand *out)
{
	const struct onnx_value *value = onnx_input(import, i);

	*out = (struct nn_operand){ .tensor = tensor };
	if (!onnx_is_const(value))
		return onnx_float_tensor(import, i, tensor);
	*out = (struct nn_operand){ .constant = { .name = value->tensor.name, .values = constant,
						  .quant = &nn_quant_float } };
	return onnx_float_constant(import, i, "operand", constant);
}

/* ---- Each element ---- */

static int lower_each(struct onnx_import *import)
{
	const struct nn_formula *formula = onnx_find_function(import->node);
	struct nn_formula_parameters parameters;
	const char *name = import->node->op_type;
	struct nn_build_tensor x, made;
	int err = onnx_float_tensor(import, 0, &x);

	if (err)
		return err;
	if (!formula)
		return onnx_fail(import, -EOPNOTSUPP, "nnloop has no such function of float32");
	parameters = onnx_read_parameters(import, formula);
	if (!strcmp(name, "Gelu") && parameters.is_tanh)
		name = "GeluTanh";
	err = nn_build_float_each(&import->builder, name, &parameters.alpha, &parameters.beta, &x,
				  &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

static int lower_clamp(struct onnx_import *import)
{
	float low = 0, high = INFINITY;
	struct nn_build_tensor x, made;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err && !strcmp(import->node->op_type, "Clip"))
		err = onnx_read_bounds(import, &low, &high);
	if (err)
		return err;
	if (low > high)
		return onnx_fail(import, -EOPNOTSUPP, "it clamps to nothing: %g to %g", (double)low,
				 (double)high);
	err = nn_build_float_each(&import->builder, "clamp", &low, &high, &x, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

static bool is_number(const struct onnx_value *value)
{
	return value->kind == ONNX_ABSENT || onnx_is_const(value);
}

/* Clip to bounds that are computed: the greater of x and the first, the less of that and the second. */
static int lower_clip_to(struct onnx_import *import)
{
	struct nn_build_tensor tensors[2], made;
	struct nn_operand operands[2];
	struct nn_const constants[2];
	int err = onnx_float_operand(import, 0, &tensors[0], &constants[0], &operands[0]);

	for (uint32_t i = 1; i < import->node->n_input && !err; i++) {
		if (onnx_input(import, i)->kind == ONNX_ABSENT)
			continue;
		err = onnx_float_operand(import, i, &tensors[1], &constants[1], &operands[1]);
		if (!err)
			err = nn_build_float_binary(&import->builder, i == 1 ? "Max" : "Min",
						    operands, &nn_quant_float, &made);
		tensors[0] = made;
		operands[0] = (struct nn_operand){ .tensor = &tensors[0] };
	}
	return err ? err : onnx_define_float(import, 0, &made);
}

static int lower_clip(struct onnx_import *import)
{
	bool is_known = true;

	for (uint32_t i = 1; i < import->node->n_input; i++)
		is_known &= is_number(onnx_input(import, i));
	return is_known ? lower_clamp(import) : lower_clip_to(import);
}

/* ---- Two of them ---- */

static int lower_two(struct onnx_import *import)
{
	bool compares = !strcmp(import->node->op_type, "Equal") ||
			!strncmp(import->node->op_type, "Less", 4) ||
			!strncmp(import->node->op_type, "Greater", 7);
	struct nn_build_tensor tensors[2], made;
	struct nn_operand operands[2];
	struct nn_const constants[2];
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = onnx_float_operand(import, i, &tensors[i], &constants[i], &operands[i]);
	if (!err && !strcmp(import->node->op_type, "Mod") &&
	    !onnx_attr_int(import->node, "fmod", 0))
		err = onnx_fail(import, -EINVAL, "of floats it needs fmod");
	if (!err)
		err = nn_build_float_binary(&import->builder, import->node->op_type, operands,
					    compares ? &nn_quant_truth : &nn_quant_float, &made);
	if (err)
		return err;
	return compares ? onnx_define_stored(import, &made) : onnx_define_float(import, 0, &made);
}

/* Applies a function of two to all inputs, one after the other. */
static int fold_all(struct onnx_import *import, const char *function, struct nn_build_tensor *out)
{
	struct nn_build_tensor tensors[2];
	struct nn_operand operands[2];
	struct nn_const constants[2];
	int err = import->node->n_input > 1 ?
			  onnx_float_operand(import, 0, &tensors[0], &constants[0], &operands[0]) :
			  onnx_float_tensor(import, 0, out);

	for (uint32_t i = 1; i < import->node->n_input && !err; i++) {
		err = onnx_float_operand(import, i, &tensors[1], &constants[1], &operands[1]);
		if (!err)
			err = nn_build_float_binary(&import->builder, function, operands,
						    &nn_quant_float, out);
		tensors[0] = *out;
		operands[0] = (struct nn_operand){ .tensor = &tensors[0] };
	}
	return err;
}

/* The least, the greatest or the sum of any number. */
static int lower_several(struct onnx_import *import)
{
	const char *function = strcmp(import->node->op_type, "Sum") ? import->node->op_type : "Add";
	struct nn_build_tensor made;
	int err = fold_all(import, function, &made);

	return err ? err : onnx_define_float(import, 0, &made);
}

/* The sum of all, divided by how many there are. */
static int lower_mean(struct onnx_import *import)
{
	struct nn_build_tensor made;
	int err = fold_all(import, "Add", &made);

	if (!err)
		err = nn_build_float_by_number(&import->builder, "Div", &made, import->node->n_input,
					       &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* ---- Choices and conversions ---- */

/* The first operand that is a tensor; there is one. */
static uint32_t find_tensor(struct onnx_import *import)
{
	uint32_t i = 0;

	while (i + 1 < import->node->n_input && onnx_is_const(onnx_input(import, i)))
		i++;
	return i;
}

static int lower_concat(struct onnx_import *import)
{
	uint32_t count = import->node->n_input, like = find_tensor(import), axis;
	struct nn_build_tensor *parts = onnx_alloc(import, count, sizeof(*parts)), made;
	int64_t along = onnx_attr_int(import->node, "axis", 0);
	uint32_t dims[NN_MAX_RANK];
	struct nn_operand operand;
	struct nn_const constant;
	int err = parts ? onnx_float_tensor(import, like, &parts[like]) : -ENOMEM;

	if (!err && (along < -(int64_t)parts[like].rank || along >= parts[like].rank))
		err = onnx_fail(import, -EINVAL, "its axis is %" PRId64, along);
	for (uint32_t i = 0; i < count && !err; i++) {
		if (i != like)
			err = onnx_float_operand(import, i, &parts[i], &constant, &operand);
		if (i == like || err || operand.tensor)
			continue;
		err = onnx_build_part(import, &operand, &parts[like],
				      along + (along < 0 ? parts[like].rank : 0), &parts[i]);
	}
	if (!err)
		err = nn_concat_shape(&import->builder, parts, count, along, &axis, dims);
	if (!err)
		err = nn_build_concat(&import->builder, parts, count, axis, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

static int lower_where(struct onnx_import *import)
{
	const struct onnx_value *condition = onnx_input(import, 0);
	struct nn_build_tensor tensors[3], made;
	struct nn_operand operands[3];
	struct nn_const constants[3];
	int err = 0;

	if (onnx_stored_operand(import, condition, &operands[0]) != NN_BOOL)
		return onnx_fail(import, -EOPNOTSUPP, "its condition is not of bool");
	for (uint32_t i = 1; i < 3 && !err; i++)
		err = onnx_float_operand(import, i, &tensors[i], &constants[i], &operands[i]);
	if (!err)
		err = nn_build_whole_broadcast(&import->builder, "Select", operands, 3, NULL, 0,
					       &nn_quant_float, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

static int lower_cast(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	enum nn_element to = onnx_cast_target(import);
	struct nn_quant quant = { .type = nn_element_to_type(to) };
	struct nn_build_tensor made, from;
	int err;

	if (x->kind == ONNX_STORED) {
		from = x->tensor;
		/* Integers as they are, whatever they stand for elsewhere. */
		from.quant.scale = 0;
		if (x->tensor.quant.scale) {
			quant.type = x->tensor.quant.type;
			err = nn_build_unary(&import->builder, "Cast", &x->tensor, NULL, 0, &quant,
					     &from);
			if (err)
				return err;
		}
		err = nn_build_float_convert(&import->builder, &from, &nn_quant_float, &made);
		return err ? err : onnx_define_float(import, 0, &made);
	}
	err = onnx_float_tensor(import, 0, &from);
	if (err)
		return err;
	if (to == NN_ELEMENT_FLOAT)
		return onnx_define_float(import, 0, &from);
	if (!quant.type || quant.type == NN_UINT16)
		return onnx_fail(import, -EOPNOTSUPP, "it makes %s of float", nn_element_name(to));
	err = nn_build_float_convert(&import->builder, &from, &quant, &made);
	return err ? err : onnx_define_stored(import, &made);
}

/* Bilinear, or as the graph's Resize does not do it; the nearest pixels only move. */
static int lower_resize(struct onnx_import *import)
{
	struct nn_build_tensor x;
	struct nn_resize resize = { .mode = "linear" };
	struct onnx_value value;
	int err = onnx_float_tensor(import, 0, &x);

	if (err)
		return err;
	if (onnx_is_resampled(import))
		return onnx_resample(import, &x);
	value = onnx_float_value(&x);
	err = onnx_read_resize(import, &value, &resize);
	if (!err)
		err = nn_build_resize(&import->builder, &x, &resize, &nn_quant_float, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- The table ---- */

static const struct form {
	const char *name;
	int (*lower)(struct onnx_import *import);
} forms[] = {
	{ "Add", lower_two },
	{ "ArgMax", onnx_lower_float_arg },
	{ "ArgMin", onnx_lower_float_arg },
	{ "AveragePool", onnx_lower_float_pool },
	{ "BatchNormalization", onnx_lower_float_batch_normalization },
	{ "Cast", lower_cast },
	{ "CastLike", lower_cast },
	{ "Clip", lower_clip },
	{ "Concat", lower_concat },
	{ "Conv", onnx_lower_float_conv },
	{ "ConvTranspose", onnx_lower_float_conv_transpose },
	{ "CumSum", onnx_lower_float_cum_sum },
	{ "Div", lower_two },
	{ "Equal", lower_two },
	{ "Gemm", onnx_lower_float_gemm },
	{ "GlobalAveragePool", onnx_lower_float_global_pool },
	{ "GlobalLpPool", onnx_lower_float_global_pool },
	{ "GlobalMaxPool", onnx_lower_float_global_pool },
	{ "Greater", lower_two },
	{ "GreaterOrEqual", lower_two },
	{ "GroupNormalization", onnx_lower_float_instance_normalization },
	{ "Hardmax", onnx_lower_float_softmax },
	{ "InstanceNormalization", onnx_lower_float_instance_normalization },
	{ "LayerNormalization", onnx_lower_float_normalization },
	{ "Less", lower_two },
	{ "LessOrEqual", lower_two },
	{ "LogSoftmax", onnx_lower_float_softmax },
	{ "LpNormalization", onnx_lower_float_lp_normalization },
	{ "LRN", onnx_lower_float_lrn },
	{ "MatMul", onnx_lower_float_matmul },
	{ "Max", lower_several },
	{ "MaxPool", onnx_lower_float_pool },
	{ "Mean", lower_mean },
	{ "MeanVarianceNormalization", onnx_lower_float_mean_variance },
	{ "Min", lower_several },
	{ "Mod", lower_two },
	{ "Mul", lower_two },
	{ "Pow", lower_two },
	{ "PRelu", lower_two },
	{ "ReduceL1", onnx_lower_float_reduce },
	{ "ReduceL2", onnx_lower_float_reduce },
	{ "ReduceLogSum", onnx_lower_float_reduce },
	{ "ReduceLogSumExp", onnx_lower_float_reduce },
	{ "ReduceMax", onnx_lower_float_reduce },
	{ "ReduceMean", onnx_lower_float_reduce },
	{ "ReduceMin", onnx_lower_float_reduce },
	{ "ReduceProd", onnx_lower_float_reduce },
	{ "ReduceSum", onnx_lower_float_reduce },
	{ "ReduceSumSquare", onnx_lower_float_reduce },
	{ "Relu", lower_clamp },
	{ "RMSNormalization", onnx_lower_float_normalization },
	{ "Softmax", onnx_lower_float_softmax },
	{ "Sub", lower_two },
	{ "Sum", lower_several },
	{ "TopK", onnx_lower_float_top_k },
	{ "Where", lower_where },
};

static const struct form *find_form(struct onnx_import *import)
{
	static const struct form of_each = { "", lower_each }, of_resize = { "", lower_resize };
	const char *name = import->node->op_type;
	const struct nn_formula *formula;

	if (import->op->domain)
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	}
	if (!strcmp(name, "Resize") || !strcmp(name, "Upsample"))
		return strcmp(onnx_attr_string(import, "mode", "nearest"), "nearest") ? &of_resize :
											 NULL;
	formula = onnx_find_function(import->node);
	return formula && formula->of_one ? &of_each : NULL;
}

/* Integers that become floats which nothing quantizes. */
static bool makes_float(struct onnx_import *import)
{
	return !strncmp(import->node->op_type, "Cast", 4) &&
	       onnx_input(import, 0)->kind == ONNX_STORED &&
	       onnx_cast_target(import) == NN_ELEMENT_FLOAT;
}

/* A product with weights that are not quantized, whatever is done with what it makes. */
static bool has_float_weights(struct onnx_import *import)
{
	static const char *const products[] = { "Conv", "ConvTranspose", "Gemm", "MatMul" };
	const struct onnx_value *weights = onnx_input(import, 1);

	for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++) {
		if (!strcmp(import->node->op_type, products[i]))
			return weights->kind == ONNX_CONST &&
			       weights->constant.element == NN_ELEMENT_FLOAT;
	}
	return false;
}

/* Whether it is a product with weights of several scales that are not those of outputs. */
static bool has_other_scales(struct onnx_import *import)
{
	const struct onnx_value *w = onnx_input(import, 1);
	const char *name = import->node->op_type;
	const uint32_t axis = w->tensor.quant.axis;

	if (w->kind != ONNX_REAL_CONST || !w->tensor.quant.scales || import->op->domain)
		return false;
	if (!strcmp(name, "Conv"))
		return axis != 0;
	if (!strcmp(name, "ConvTranspose"))
		return axis != 1 || onnx_attr_int(import->node, "group", 1) != 1;
	if (!strcmp(name, "Gemm"))
		return axis != !onnx_attr_int(import->node, "transB", 0);
	return !strcmp(name, "MatMul") && w->tensor.rank == 2 && axis != 1;
}

/* A node that has no form of integers. */
static bool is_known_in_float(struct onnx_import *import)
{
	return import->op->lower == onnx_refuse_integers || onnx_is_other_gemm(import) ||
	       onnx_is_other_average(import) || has_other_scales(import) ||
	       onnx_has_many_reals(import);
}

/* Which of quantized elements are the greatest or least is the same in float. */
static bool picks_of_integers(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);

	return (import->op->lower == onnx_lower_arg || import->op->lower == onnx_lower_top_k) &&
	       x->kind == ONNX_REAL && !x->unrounded && !x->promised && !x->tensor.quant.scales &&
	       onnx_is_computed(x->tensor.quant.type);
}

int onnx_refuse_integers(struct onnx_import *import)
{
	return onnx_fail_form(import, "nnloop knows it in float32 only");
}

bool onnx_is_in_float(struct onnx_import *import)
{
	const struct onnx_value *made = onnx_output(import, 0);
	bool is_real = false;

	if (!import->floats || !find_form(import))
		return false;
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (is_float_tensor(value))
			return true;
		is_real |= value->kind == ONNX_REAL || value->kind == ONNX_PENDING;
	}
	return (is_real || makes_float(import)) && made && !picks_of_integers(import) &&
	       (has_float_weights(import) || is_known_in_float(import) ||
		(!onnx_is_quantized_alike(import, made) && !onnx_becomes_table(import, made)));
}

int onnx_lower_in_float(struct onnx_import *import)
{
	return find_form(import)->lower(import);
}
