// SPDX-License-Identifier: MIT
/*
 * ONNX operators of one element, or of two, of which an operand is computed in float32: between
 * operators that quantize_static() has no quantized form for, it quantizes nothing. What they make is
 * of float32 as well; each is nnloop's operator RealEach.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

static bool is_float_tensor(const struct onnx_value *value)
{
	return value->kind == ONNX_REAL && value->promised && onnx_is_float(value);
}

/* Whether a value is computed in float32, and nothing has quantized it. */
static bool is_in_float(const struct onnx_value *value)
{
	return is_float_tensor(value) || onnx_has_real(value);
}

/* Whether a value can be had in float32. */
static bool can_be_float(const struct onnx_value *value)
{
	if (value->kind == ONNX_REAL)
		return is_float_tensor(value) ||
		       (!value->unrounded && !value->promised && !value->tensor.quant.scales &&
			nn_type_is_8bit(value->tensor.quant.type));
	return value->kind == ONNX_REAL_CONST || onnx_has_real(value) ||
	       (value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT);
}

/* How many operands a node's function has; 0: it is none. */
static uint32_t count_operands(struct onnx_import *import)
{
	const struct nn_formula *formula = onnx_find_function(import->node);

	if (import->op->domain)
		return 0;
	if (!strcmp(import->node->op_type, "PRelu"))
		return 2;
	return onnx_only_clamps(import->node) || (formula && formula->of_one) ? 1 : formula ? 2 : 0;
}

bool onnx_has_floats(struct onnx_import *import)
{
	uint32_t count = count_operands(import);
	/* Nothing computes a power of two tensors but this. */
	bool any = !strcmp(import->node->op_type, "Pow");

	if (!count || (import->node->n_input != count && !onnx_only_clamps(import->node)))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (!can_be_float(value))
			return false;
		any |= onnx_only_clamps(import->node) ? is_float_tensor(value) : is_in_float(value);
	}
	return any;
}

/* A value as an operand of float32. */
static int build_operand(struct onnx_import *import, const struct onnx_value *value,
			 struct nn_build_tensor *tensor, struct nn_const *constant,
			 struct nn_operand *out)
{
	static const struct nn_quant real = { .type = NN_FLOAT32 };
	const char *result = import->builder.result;
	float table[256];
	int err;

	*out = (struct nn_operand){ .tensor = tensor };
	if (onnx_is_const(value)) {
		*out = (struct nn_operand){ .constant = { .name = value->tensor.name,
							  .values = constant, .quant = &real } };
		return onnx_read_floats(import, value, "constant", constant);
	}
	*tensor = value->tensor;
	if (value->kind == ONNX_PENDING)
		return onnx_make_real(import, value, tensor);
	if (onnx_is_float(value))
		return 0;
	for (int i = 0; i < 256; i++)
		table[i] = onnx_read_element(&value->tensor.quant, i);
	import->builder.result = value->tensor.name;
	err = nn_build_real(&import->builder, &value->tensor, table, "each", 0, true, tensor);
	import->builder.result = result;
	return err;
}

int onnx_build_floats(struct onnx_import *import, const Onnx__NodeProto *node,
		      const struct onnx_value *const *values, uint32_t count,
		      struct nn_build_tensor *out)
{
	const char *name = strcmp(node->op_type, "PRelu") ? node->op_type : "prelu";
	const struct nn_formula *formula = nn_formula_find(name);
	struct nn_formula_parameters parameters = onnx_read_parameters(import, formula);
	struct nn_operand operands[2];
	struct nn_build_tensor tensors[2];
	struct nn_const constants[2];
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = build_operand(import, values[i], &tensors[i], &constants[i], &operands[i]);
	return err ? err : nn_build_real_each(&import->builder, name, &parameters, operands, count,
					      out);
}

static int clamp(struct onnx_import *import, struct nn_build_tensor *out)
{
	struct nn_formula_parameters bounds = { .beta = INFINITY };
	const struct nn_operand operand = { .tensor = &onnx_input(import, 0)->tensor };
	int err = 0;

	if (!strcmp(import->node->op_type, "Clip"))
		err = onnx_read_bounds(import, &bounds.alpha, &bounds.beta);
	return err ? err : nn_build_real_each(&import->builder, "clamp", &bounds, &operand, 1, out);
}

int onnx_lower_floats(struct onnx_import *import)
{
	struct onnx_value value = { .kind = ONNX_REAL, .promised = true };
	const struct onnx_value *values[2];
	uint32_t count = count_operands(import);
	int err;

	for (uint32_t i = 0; i < count; i++)
		values[i] = onnx_input(import, i);
	err = onnx_only_clamps(import->node) ? clamp(import, &value.tensor) :
					  onnx_build_floats(import, import->node, values, count,
							    &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* Puts a tensor in front, of which what is added first makes the same in either order. */
static void put_tensor_first(const struct onnx_value **values)
{
	const struct onnx_value *first = values[0];

	if (!onnx_is_const(first))
		return;
	values[0] = values[1];
	values[1] = first;
}

int onnx_lower_float_sum(struct onnx_import *import)
{
	static const struct nn_formula_parameters none;
	const size_t count = import->node->n_input;
	const struct onnx_value **values = onnx_alloc(import, count, sizeof(*values));
	struct nn_build_tensor sum, tensor;
	struct nn_operand operands[2];
	struct nn_const constant;
	int err = values ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && !err; i++) {
		values[i] = onnx_input(import, i);
		if (!can_be_float(values[i]))
			err = onnx_fail_float(import,
					      "it adds %zu tensors, and input %" PRIu32
					      " is not quantized to 8 bits with one scale",
					      count, i);
	}
	if (err)
		return err;
	put_tensor_first(values);
	if (onnx_is_const(values[0]))
		return onnx_fail(import, -EOPNOTSUPP, "its first two inputs are constants");
	err = build_operand(import, values[0], &sum, &constant, &operands[0]);
	for (uint32_t i = 1; i < count && !err; i++) {
		operands[0] = (struct nn_operand){ .tensor = &sum };
		err = build_operand(import, values[i], &tensor, &constant, &operands[1]);
		if (!err)
			err = nn_build_real_each(&import->builder, "Add", &none, operands, 2, &sum);
	}
	return err ? err : onnx_define_float(import, 0, &sum);
}
