// SPDX-License-Identifier: MIT
/*
 * The operands that ONNX operators read, each in the way it needs it, and operators that wait:
 * those that compute leave a pending operator, whose emit function appends the nodes when a
 * QuantizeLinear has said what its result is.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define USE_QDQ "\nquantize 16 bits with QuantFormat.QDQ, not QOperator"

/* ---- Inputs ---- */

const struct onnx_value *onnx_real_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);
	const char *wrong = NULL, *in_float = NULL;

	if (value->kind == ONNX_REAL && !value->unrounded && !value->promised)
		return value;
	if (onnx_is_placed(value))
		return onnx_place_constant(import, value);
	if (value->kind == ONNX_REAL && value->unrounded)
		in_float = "is a float input of the model that no QuantizeLinear quantizes";
	else if (value->kind == ONNX_ABSENT)
		wrong = "is absent";
	else if (value->kind == ONNX_PENDING || value->kind == ONNX_REAL)
		in_float = "is computed in float: no QuantizeLinear and DequantizeLinear are in "
			   "between";
	else if (value->kind == ONNX_STORED)
		wrong = "is a tensor of integers";
	else
		wrong = "is a constant";
	if (in_float)
		onnx_fail_float(import, "its input %" PRIu32 " %s", i, in_float);
	else
		onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " %s", i, wrong);
	return NULL;
}

const struct onnx_value *onnx_operand_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (value->kind == ONNX_REAL_CONST)
		return value;
	if (value->kind != ONNX_CONST)
		return onnx_real_input(import, i);
	onnx_fail_float(import, "its input %" PRIu32 " is a constant that is not quantized", i);
	return NULL;
}

const struct onnx_value *onnx_weights_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (value->kind == ONNX_REAL_CONST)
		return value;
	if (value->kind == ONNX_CONST)
		onnx_fail_float(import, "its weights are not quantized");
	else
		onnx_fail(import, -EOPNOTSUPP, "its weights are no constant");
	return NULL;
}

const struct onnx_value *onnx_linear_input(struct onnx_import *import, uint32_t i, int64_t axis)
{
	const struct onnx_value *x = onnx_input(import, i);
	enum nn_data_type type = x->kind == ONNX_CONST ? nn_element_to_type(x->constant.element) :
							 nn_quant_model_type(&x->tensor.quant);
	struct onnx_value *value = onnx_alloc(import, 1, sizeof(*value));

	if (!value)
		return NULL;
	*value = *x;
	if ((x->kind != ONNX_CONST && x->kind != ONNX_STORED) ||
	    !nn_type_has_scale(type)) {
		onnx_fail(import, -EINVAL, "its input %" PRIu32 " is no integer tensor", i);
		return NULL;
	}
	if (nn_data_type_size(type) == 2) {
		onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " is of %s" USE_QDQ, i,
			  nn_data_type_name(type));
		return NULL;
	}
	if (onnx_quant_read(import, onnx_input(import, i + 1), onnx_input(import, i + 2), type,
			    axis, x->tensor.rank, x->tensor.dims, &value->tensor.quant))
		return NULL;
	if (x->kind == ONNX_CONST) {
		value->kind = ONNX_REAL_CONST;
		return value;
	}
	if (!nn_quant_equal(&value->tensor.quant, &x->tensor.quant)) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its input %" PRIu32 " was made with another scale or zero point", i);
		return NULL;
	}
	value->kind = ONNX_REAL;
	return value;
}

int onnx_need_scalars(struct onnx_import *import, uint32_t i)
{
	for (uint32_t k = i; k < i + 2; k++) {
		const struct onnx_value *value = onnx_input(import, k);

		if (value->tensor.rank)
			return onnx_fail(import, -EINVAL,
					 "its input %" PRIu32 " has %" PRIu32 " dimensions, not 0",
					 k, value->tensor.rank);
	}
	return 0;
}

/* A float input of the model that is moved, or what is computed in float: quantized as what comes of
 * it will be. */
static const struct onnx_value *quantize_moved(struct onnx_import *import,
					       const struct onnx_value *value)
{
	struct onnx_value *quantized = onnx_alloc(import, 1, sizeof(*quantized));
	const struct onnx_value *output = onnx_output(import, 0);
	struct nn_quant quant;

	if (!quantized || onnx_find_quant(import, output ? output : value, false, 0, &quant))
		return NULL;
	*quantized = *value;
	if (value->promised)
		return onnx_settle(import, value, &quant, &quantized->tensor) ? NULL : quantized;
	return onnx_quantize_input(import, value, &quant, &quantized->tensor) ? NULL : quantized;
}

const struct onnx_value *onnx_movable_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);
	struct onnx_value *settled;
	struct nn_quant quant;

	if (onnx_is_tensor(value) && value->tensor.quant.type == NN_FLOAT32 && !import->floats &&
	    (!value->promised || onnx_is_quantized(onnx_output(import, 0))))
		return quantize_moved(import, value);
	if (onnx_is_tensor(value))
		return value;
	if (value->kind != ONNX_PENDING) {
		onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " is %s", i,
			  value->kind == ONNX_ABSENT ? "absent" :
			  value->kind == ONNX_ROW_COUNT || value->kind == ONNX_ITERATION ?
						       "a number of a loop's" :
						       "a constant");
		return NULL;
	}
	/* Rounded here it is the least integer, and what clamps or compares behind would make another
	 * of it. */
	if (!onnx_is_number(value->pending) && !onnx_is_copied(import, value)) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its input %" PRIu32
			  " is no number for some elements, such as the root of a negative one",
			  i);
		return NULL;
	}
	settled = onnx_alloc(import, 1, sizeof(*settled));
	if (!settled)
		return NULL;
	*settled = *value;
	if (onnx_has_real(value) && !onnx_is_quantized_alike(import, value)) {
		if (onnx_make_real(import, value, &settled->tensor))
			return NULL;
	} else if (onnx_find_quant(import, value, false, 0, &quant) ||
		   onnx_settle(import, value, &quant, &settled->tensor)) {
		return NULL;
	}
	settled->kind = ONNX_REAL;
	settled->promised = true;
	return settled;
}

const struct onnx_value *onnx_ordered_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_movable_input(import, i);

	if (!value || value->tensor.quant.type != NN_FLOAT32)
		return value;
	onnx_fail_float(import, "its input %" PRIu32
			" is computed in float, and nothing quantizes what it makes", i);
	return NULL;
}

const struct nn_parameter *onnx_parameter(const struct onnx_value *value, struct nn_parameter *out)
{
	if (value->kind == ONNX_ABSENT)
		return NULL;
	*out = (struct nn_parameter){
		.name = value->tensor.name,
		.values = onnx_is_const(value) ? &value->constant : NULL,
		.quant = &value->tensor.quant,
	};
	return out;
}

/* ---- Pending operators ---- */

struct onnx_pending *onnx_new_pending(struct onnx_import *import, onnx_emit_fp emit,
				      uint32_t operand_count)
{
	struct onnx_pending *pending = onnx_alloc(import, 1, sizeof(*pending));

	if (!pending)
		return NULL;
	pending->emit = emit;
	pending->node = import->node;
	pending->operand_count = operand_count;
	pending->operands = onnx_alloc(import, operand_count, sizeof(*pending->operands));
	pending->failed = onnx_alloc(import, 1, sizeof(*pending->failed));
	pending->range = nn_range_unbounded;
	return pending->operands && pending->failed ? pending : NULL;
}

struct onnx_pending *onnx_new_weighted(struct onnx_import *import, onnx_emit_fp emit,
				       const struct onnx_value *x, const struct onnx_value *w,
				       const struct onnx_value *bias)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit, 3);

	if (!pending)
		return NULL;
	pending->takes_activation = true;
	pending->operands[0] = x;
	pending->operands[1] = w;
	pending->operands[2] = bias;
	onnx_parameter(w, &pending->weights.parameter);
	pending->weights.is_real = true;
	return pending;
}

int onnx_define_pending(struct onnx_import *import, struct onnx_pending *pending)
{
	struct onnx_value value = { .kind = ONNX_PENDING, .pending = pending };
	uint64_t elements;
	int err;

	if (!pending)
		return onnx_failed(import);
	value.tensor.rank = pending->rank;
	memcpy(value.tensor.dims, pending->dims, sizeof(value.tensor.dims));
	err = nn_item_elements(&import->builder, pending->rank, pending->dims, &elements);
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_define_linear(struct onnx_import *import, struct onnx_pending *pending, uint32_t scale,
		       enum nn_data_type type)
{
	struct onnx_value value = { .kind = ONNX_PENDING, .pending = pending };
	struct nn_quant quant;
	uint64_t elements;
	int err;

	if (!pending)
		return onnx_failed(import);
	if (!type && onnx_input(import, scale + 1)->kind == ONNX_ABSENT)
		return onnx_fail(import, -EINVAL, "its output has no zero point");
	err = nn_item_elements(&import->builder, pending->rank, pending->dims, &elements);
	if (!err)
		err = onnx_quant_read(import, onnx_input(import, scale),
				      onnx_input(import, scale + 1), type, 0, 0, NULL, &quant);
	if (!err && quant.type == NN_INT16)
		err = onnx_fail(import, -EOPNOTSUPP, "it makes %s" USE_QDQ,
				nn_data_type_name(nn_quant_model_type(&quant)));
	if (!err)
		err = onnx_settle(import, &value, &quant, &value.tensor);
	value.kind = ONNX_STORED;
	return err ? err : onnx_define(import, 0, &value);
}
