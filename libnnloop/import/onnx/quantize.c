// SPDX-License-Identifier: MIT
/* ONNX operators that make constants, quantize, dequantize or clamp. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Constants ---- */

static struct nn_const list_of(enum nn_element element, uint32_t count, const void *data)
{
	return (struct nn_const){
		.element = element, .rank = 1, .dims = { count }, .count = count, .data = data
	};
}

int onnx_lower_constant(struct onnx_import *import)
{
	const Onnx__NodeProto *node = import->node;
	const Onnx__AttributeProto *attr = node->n_attribute == 1 ? node->attribute[0] : NULL;
	const char *name = attr && attr->name ? attr->name : "";
	struct nn_const constant = { .count = 1 };
	int err;

	if (!strcmp(name, "value") && attr->t) {
		err = onnx_const_read(import, attr->t, &constant);
		return err ? err : onnx_define_const(import, &constant);
	}
	if (!strcmp(name, "value_float")) {
		constant.element = NN_ELEMENT_FLOAT;
		constant.data = &attr->f;
	} else if (!strcmp(name, "value_int")) {
		constant.element = NN_ELEMENT_INT64;
		constant.data = &attr->i;
	} else if (!strcmp(name, "value_floats")) {
		constant = list_of(NN_ELEMENT_FLOAT, attr->n_floats, attr->floats);
	} else if (!strcmp(name, "value_ints")) {
		constant = list_of(NN_ELEMENT_INT64, attr->n_ints, attr->ints);
	} else {
		return onnx_fail(import, -EOPNOTSUPP, "it is no constant that nnloop knows");
	}
	return onnx_define_const(import, &constant);
}

/* ---- Quantize, dequantize ---- */

/* ONNX's own operators have 16 bits since an opset; com.microsoft's always do. */
#define OPSET_OF_16_BITS 21

static int check_width(struct onnx_import *import, const struct nn_quant *quant)
{
	if (quant->type != NN_INT16 || import->op->domain ||
	    onnx_get_opset(import, import->op) >= OPSET_OF_16_BITS)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "it is of 16 bits, which ONNX has since opset %d, and com.microsoft",
			 OPSET_OF_16_BITS);
}

int onnx_lower_quantize(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_value value = { .kind = ONNX_STORED };
	struct nn_const constant;
	struct nn_quant quant;
	int err;

	err = onnx_quant_read(import, onnx_input(import, 1), onnx_input(import, 2),
			      onnx_output_type(import->node),
			      onnx_attr_int(import->node, "axis", 1), x->tensor.rank,
			      x->tensor.dims, &quant);
	if (!err)
		err = check_width(import, &quant);
	if (err)
		return err;
	if (onnx_is_const(x)) { /* weights that the model quantizes itself, perhaps again */
		err = onnx_read_floats(import, x, "input", &constant);
		if (!err)
			err = nn_const_quantize(&import->builder, &constant, &quant, &constant);
		if (!err && quant.is_unsigned)
			err = nn_const_unsign(&import->builder, &constant, &constant);
		if (!err)
			err = onnx_define_const(import, &constant);
		return err ? err : onnx_repeat(import, x->repeated_for);
	}
	if (x->kind != ONNX_PENDING && x->kind != ONNX_REAL)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input is no real tensor; nnloop rounds numbers of float only");
	err = onnx_settle(import, x, &quant, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_lower_dequantize(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	const struct onnx_value *zero = onnx_input(import, 2);
	struct onnx_value value = *x, *wide;
	enum nn_data_type type = x->kind == ONNX_CONST ? nn_element_to_type(x->constant.element) :
							 nn_quant_model_type(&x->tensor.quant);
	struct nn_quant quant;
	int err;

	if (x->kind != ONNX_CONST && x->kind != ONNX_STORED)
		return onnx_fail(import, -EINVAL, "its input is no integer tensor");
	if (!nn_type_has_scale(type))
		return onnx_fail(import, -EOPNOTSUPP, "it dequantizes %s",
				 x->kind == ONNX_CONST ? nn_element_name(x->constant.element) :
							 nn_data_type_name(type));
	/* Weights of 4 bits are as those of 8 from here on. */
	if (zero->kind == ONNX_CONST && zero->constant.is_narrow != x->constant.is_narrow)
		return onnx_fail(import, -EINVAL,
				 "its zero point has another type than its integers");
	if (zero->constant.is_narrow) {
		/* It stays: quant refers to it. */
		wide = onnx_alloc(import, 1, sizeof(*wide));
		if (!wide)
			return -ENOMEM;
		*wide = *zero;
		wide->constant.is_narrow = false;
		zero = wide;
	}
	value.constant.is_narrow = false;
	err = onnx_quant_read(import, onnx_input(import, 1), zero, type,
			      onnx_attr_int(import->node, "axis", 1), x->tensor.rank,
			      x->tensor.dims, &quant);
	if (!err)
		err = check_width(import, &quant);
	if (err)
		return err;
	if (x->kind == ONNX_CONST) {
		value.kind = ONNX_REAL_CONST;
		value.tensor.quant = quant;
		if (quant.is_unsigned)
			err = nn_const_sign(&import->builder, &value.constant, &value.constant);
		if (!err)
			err = onnx_define(import, 0, &value);
		return err ? err : onnx_repeat(import, x->repeated_for);
	}
	if (!nn_quant_equal(&quant, &x->tensor.quant))
		return onnx_fail(
			import, -EOPNOTSUPP,
			"it dequantizes with another scale or zero point than its input was quantized with");
	value.kind = ONNX_REAL;
	return onnx_define(import, 0, &value);
}

/* ---- Clamps ---- */

static int emit_nothing(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	(void)activation;
	return onnx_settle(import, pending->operands[0], quant, out);
}

/* The input, clamped in its real range. */
static int clamp(struct onnx_import *import, float low, float high)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_pending *pending = onnx_new_pending(import, emit_nothing, 1);
	struct onnx_value value = *x;

	if (!pending)
		return -ENOMEM;
	if (!(low <= high))
		return onnx_fail(import, -EOPNOTSUPP, "it clamps to nothing: %g to %g", (double)low,
				 (double)high);
	if (x->kind == ONNX_PENDING && !x->pending->results && !onnx_is_number(x->pending))
		return onnx_fail_float(import, "its input may be no number, and is not rounded");
	if (x->kind == ONNX_PENDING)
		*pending = *x->pending;
	else if (x->kind == ONNX_REAL && !x->unrounded)
		pending->operands[0] = x;
	else
		return onnx_fail(import, -EOPNOTSUPP, "its input is not quantized");
	pending->range.low = fminf(fmaxf(pending->range.low, low), high);
	pending->range.high = fminf(fmaxf(pending->range.high, low), high);
	if (onnx_clamp_results(import, pending, x, low, high))
		return onnx_failed(import);
	value.kind = ONNX_PENDING;
	value.pending = pending;
	return onnx_define(import, 0, &value);
}

int onnx_lower_relu(struct onnx_import *import)
{
	return clamp(import, 0, INFINITY);
}

int onnx_read_bounds(struct onnx_import *import, float *low, float *high)
{
	float bounds[2] = { onnx_attr_float(import->node, "min", -INFINITY),
			    onnx_attr_float(import->node, "max", INFINITY) };

	for (uint32_t i = 0; i < 2; i++) {
		const struct onnx_value *bound = onnx_input(import, i + 1);
		const struct nn_quant *quant = &bound->tensor.quant;

		if (bound->kind == ONNX_ABSENT)
			continue;
		if (bound->kind == ONNX_REAL_CONST && bound->constant.count == 1 && !quant->scales)
			bounds[i] = (nn_const_int(&bound->constant, 0) - quant->zero_point) *
				    quant->scale;
		else if (bound->kind == ONNX_CONST &&
			 nn_const_is_one(&bound->constant, NN_ELEMENT_FLOAT))
			bounds[i] = nn_const_float(&bound->constant, 0);
		else
			return onnx_fail(import, -EOPNOTSUPP, "its bounds are no constants");
	}
	/* All elements are the greatest then; before, ONNX does not say. */
	if (bounds[0] > bounds[1] && onnx_get_opset(import, import->op) >= 13)
		bounds[0] = bounds[1];
	*low = bounds[0];
	*high = bounds[1];
	return 0;
}

int onnx_lower_clip(struct onnx_import *import)
{
	float low, high;
	int err = onnx_read_bounds(import, &low, &high);

	return err ? err : clamp(import, low, high);
}
