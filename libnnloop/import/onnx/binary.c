// SPDX-License-Identifier: MIT
/* ONNX operators of two operands, element by element, which are broadcast as numpy does. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

struct nn_operand onnx_operand_of(const struct onnx_value *value)
{
	struct nn_operand operand = { 0 };

	if (onnx_is_const(value)) {
		onnx_parameter(value, &operand.constant);
		operand.constant.is_real = value->kind == ONNX_REAL_CONST &&
					   value->tensor.quant.type == NN_FLOAT32;
	} else {
		operand.tensor = &value->tensor;
	}
	return operand;
}

#define COARSE 0x1p16f /* steps of a result, from which on a scale may be too large */

/*
 * A constant of zeros has no scale of its own: the quantizer gives it 1, which can be millions of
 * steps of the result. It gets that of the result, with which it adds nothing all the same.
 */
static void refine_zeros(struct nn_operand *operand, const struct nn_quant *to,
			 struct nn_quant *refined)
{
	const struct nn_quant *quant = operand->constant.quant;

	if (operand->tensor || operand->constant.is_real || !quant || quant->scales ||
	    quant->zero_point || !(quant->scale > COARSE * to->scale))
		return;
	for (uint64_t i = 0; i < operand->constant.values->count; i++) {
		if (nn_const_int(operand->constant.values, i))
			return;
	}
	*refined = *quant;
	refined->scale = to->scale;
	operand->constant.quant = refined;
}

/*
 * Operands beyond two, as Min and Max can have them, are taken one by one with what came of those
 * before. Results can be rounded in between: rounding keeps the order of numbers, and changes none
 * that has been rounded before.
 */
static int emit_binary(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	struct nn_operand operands[2] = { onnx_operand_of(pending->operands[0]) };
	uint32_t last = pending->operand_count - 1;
	struct nn_quant refined[2];
	int err = 0;

	refine_zeros(&operands[0], quant, &refined[0]);
	for (uint32_t i = 1; i <= last && !err; i++) {
		operands[1] = onnx_operand_of(pending->operands[i]);
		refine_zeros(&operands[1], quant, &refined[1]);
		err = nn_build_whole_binary(&import->builder, pending->op->becomes, operands,
					    i == last ? activation : NULL, pending->rounding,
					    quant, out);
		operands[0].tensor = out;
	}
	return err;
}

static int find_shape(struct onnx_import *import, const struct onnx_value *const *values,
		      uint32_t count, uint32_t *rank, uint32_t *dims)
{
	struct nn_operand operands[2] = { onnx_operand_of(values[0]) };
	struct nn_build_tensor made = { 0 };
	int err = 0;

	for (uint32_t i = 1; i < count && !err; i++) {
		operands[1] = onnx_operand_of(values[i]);
		err = nn_broadcast_whole_shape(&import->builder, operands, rank, dims);
		made.rank = *rank;
		memcpy(made.dims, dims, sizeof(made.dims));
		operands[0].tensor = &made;
	}
	return err;
}

static int make_real(struct onnx_import *import, const struct onnx_pending *pending,
		     struct nn_build_tensor *out)
{
	return onnx_build_floats(import, pending->node, pending->operands, 2, out);
}

/* Whether an operand is quantized to 8 bits with one scale, so that it can be had in float32. */
static bool is_simple(const struct onnx_value *value)
{
	return nn_type_is_8bit(value->tensor.quant.type) && !value->tensor.quant.scales;
}

static struct onnx_pending *new_binary(struct onnx_import *import,
				       const struct onnx_value *const *values, uint32_t count,
				       const char *rounding)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_binary, count);

	if (!pending || find_shape(import, values, count, &pending->rank, pending->dims))
		return NULL;
	memcpy(pending->operands, values, count * sizeof(*values));
	pending->op = import->op;
	pending->takes_activation = true;
	pending->may_be_nan = !strcmp(import->op->becomes, "Div"); /* 0 / 0 */
	pending->rounding = rounding;
	if (count == 2 && is_simple(values[0]) && is_simple(values[1]) && !import->op->domain &&
	    (onnx_find_function(import->node) || !strcmp(import->op->name, "PRelu")))
		onnx_set_float(pending, NULL, make_real);
	return pending;
}

/* All inputs of the current node, of which there are two or more. */
static struct onnx_pending *new_of_inputs(struct onnx_import *import)
{
	uint32_t count = import->node->n_input, constants = 0;
	const struct onnx_value **values = onnx_alloc(import, count, sizeof(*values));

	for (uint32_t i = 0; i < count; i++)
		constants += onnx_is_const(onnx_input(import, i));
	for (uint32_t i = 0; values && i < count; i++) {
		bool first = constants == count && onnx_is_placed(onnx_input(import, i));

		values[i] = first ? onnx_real_input(import, i) : onnx_operand_input(import, i);
		if (!values[i])
			return NULL;
		constants -= first;
	}
	return values ? new_binary(import, values, count, "float32") : NULL;
}

/*
 * Infinity becomes the greatest number where the result is the same when it is quantized: that of sums
 * and extremes, as the masks of attentions are added.
 */
static int make_finite(struct onnx_import *import, const struct onnx_value *value,
		       struct nn_const *c)
{
	static const char *const same[] = { "Add", "Sub", "Max", "Min" };
	float *made = onnx_alloc(import, c->count + 1, sizeof(*made));
	bool can = false;

	if (!made)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		can |= !strcmp(import->node->op_type, same[i]);
	for (uint64_t k = 0; k < c->count; k++) {
		made[k] = nn_const_float(c, k);
		if (isnan(made[k]) || (isinf(made[k]) && !can))
			return onnx_fail(import, -EOPNOTSUPP, "element %" PRIu64
					 " of its constant %s is no finite number", k,
					 onnx_quote(import, value->tensor.name));
		made[k] = fmaxf(-FLT_MAX, fminf(FLT_MAX, made[k]));
	}
	c->data = made;
	return 0;
}

/*
 * The same of a tensor of 16 bits and a constant of reals: of so many elements there are no tables,
 * and operators take the floats as they are.
 */
static struct onnx_pending *new_of_wide(struct onnx_import *import)
{
	const struct onnx_value *values[2];

	for (uint32_t i = 0; i < 2; i++) {
		struct onnx_value *made = onnx_alloc(import, 1, sizeof(*made));

		values[i] = onnx_input(import, i);
		if (!made)
			return NULL;
		if (!onnx_is_const(values[i]))
			continue;
		*made = *values[i];
		if (onnx_read_floats(import, made, "constant", &made->constant) ||
		    make_finite(import, made, &made->constant))
			return NULL;
		made->kind = ONNX_REAL_CONST;
		made->tensor.quant = (struct nn_quant){ .type = NN_FLOAT32 };
		values[i] = made;
	}
	return new_binary(import, values, 2, "float32");
}

/* Whether the tensor of a node that has reals as well is of 16 bits. */
static bool is_wide(struct onnx_import *import)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct onnx_value *x = onnx_input(import, i);

		if (x->kind == ONNX_REAL && !x->unrounded && !x->promised &&
		    x->tensor.quant.type == NN_INT16)
			return true;
	}
	return false;
}

/* The same, also where one of two is a constant that is not quantized. */
static struct onnx_pending *new_pending(struct onnx_import *import)
{
	if (onnx_has_reals(import) && is_wide(import))
		return new_of_wide(import);
	return onnx_has_reals(import) ? onnx_new_of_reals(import) : new_of_inputs(import);
}

int onnx_lower_binary(struct onnx_import *import)
{
	return onnx_define_pending(import, new_pending(import));
}

/* A single operand is the result: there is nothing to compare it with. */
int onnx_lower_extreme(struct onnx_import *import)
{
	return import->node->n_input > 1 ? onnx_lower_binary(import) :
					   onnx_lower_identity(import);
}

/* The sum of two would be rounded before a third is added, so those of more are of float32. */
int onnx_lower_sum(struct onnx_import *import)
{
	return import->node->n_input > 2 ? onnx_lower_float_sum(import) :
					   onnx_lower_extreme(import);
}

/* Its slope is broadcast to x, never x to the slope. */
int onnx_lower_prelu(struct onnx_import *import)
{
	struct onnx_pending *pending = new_pending(import);
	const struct nn_build_tensor *x = &onnx_input(import, 0)->tensor;

	if (pending && (pending->rank != x->rank ||
			memcmp(pending->dims, x->dims, x->rank * sizeof(*x->dims))))
		return onnx_fail(import, -EINVAL,
				 "its slope has more dimensions, or is longer in one, than its input");
	return onnx_define_pending(import, pending);
}

int onnx_lower_qlinear_binary(struct onnx_import *import)
{
	const struct onnx_value *values[2] = { onnx_linear_input(import, 0, 0) };
	enum nn_data_type types[2];

	if (values[0])
		values[1] = onnx_linear_input(import, 3, 0);
	if (!values[1] || onnx_need_scalars(import, 1) || onnx_need_scalars(import, 4) ||
	    onnx_need_scalars(import, 6))
		return onnx_failed(import);
	if (onnx_input(import, 2)->kind == ONNX_ABSENT ||
	    onnx_input(import, 5)->kind == ONNX_ABSENT)
		return onnx_fail(import, -EINVAL, "an operand of it has no zero point");
	types[0] = values[0]->tensor.quant.type;
	types[1] = values[1]->tensor.quant.type;
	if (types[0] != types[1])
		return onnx_fail(import, -EINVAL, "its operands are of %s and %s",
				 nn_data_type_name(types[0]), nn_data_type_name(types[1]));
	return onnx_define_linear(import, new_binary(import, values, 2, "float32_fused"), 6,
				  types[0]);
}
