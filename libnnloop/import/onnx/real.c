// SPDX-License-Identifier: MIT
/*
 * ONNX operators that no QuantizeLinear comes behind, as quantize_static() leaves those that it has
 * no quantized form for: what they make of one tensor comes out in float, or is quantized
 * behind another such operator. Each is nnloop's operator Real.
 */
#include <errno.h>

#include "import/onnx/onnx.h"

static bool has_one_scale(const struct onnx_value *x)
{
	return onnx_is_computed(x->tensor.quant.type) && !x->tensor.quant.scales;
}

/* A value that is computed in float32, as it is. */
static const struct onnx_value *float_input(struct onnx_import *import,
					    const struct onnx_value *value)
{
	struct onnx_value *made;

	if (value->kind == ONNX_REAL)
		return value;
	made = onnx_alloc(import, 1, sizeof(*made));
	if (!made)
		return NULL;
	*made = *value;
	if (onnx_make_real(import, value, &made->tensor))
		return NULL;
	made->kind = ONNX_REAL;
	made->promised = true;
	return made;
}

const struct onnx_value *onnx_results_input(struct onnx_import *import, uint32_t i,
					    const float **reals)
{
	const struct onnx_value *value = onnx_input(import, i);

	*reals = NULL;
	if ((value->kind == ONNX_PENDING && !value->pending->results && onnx_has_real(value)) ||
	    (value->kind == ONNX_REAL && value->promised && onnx_is_float(value)))
		return float_input(import, value);
	if (value->kind != ONNX_PENDING || !value->pending->results)
		return onnx_real_input(import, i);
	*reals = value->pending->results;
	return value->pending->operands[0];
}

void onnx_set_real(struct onnx_pending *pending, const float *reals, const char *function,
		   uint32_t axes)
{
	if (!has_one_scale(pending->operands[0]) && !onnx_is_float(pending->operands[0]))
		return;
	pending->real = function;
	pending->real_axes = axes;
	pending->reals = reals;
	if (reals || onnx_is_float(pending->operands[0]))
		pending->emit = onnx_emit_real;
}

void onnx_set_float(struct onnx_pending *pending, const float *reals, onnx_emit_real_fp make_real)
{
	pending->make_real = make_real;
	pending->reals = reals;
	if (reals || onnx_is_float(pending->operands[0]))
		pending->emit = onnx_emit_real;
}

bool onnx_has_real(const struct onnx_value *value)
{
	const struct onnx_pending *pending = value->pending;

	if (value->kind != ONNX_PENDING)
		return false;
	return pending->results || pending->real || pending->make_real;
}

/* Makes the table of what operand 0's elements are, by their stored bits; NULL: they are floats. */
static int make_table(struct onnx_import *import, const struct onnx_pending *pending, float **out)
{
	const float *reals = pending->results ? pending->results : pending->reals;
	const struct nn_quant *quant = &pending->operands[0]->tensor.quant;
	uint32_t count = onnx_count_results(quant);
	float *table;

	*out = NULL;
	if (onnx_is_float(pending->operands[0]))
		return 0;
	table = onnx_alloc(import, count, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		table[i] = reals ? reals[i] : onnx_read_element(quant, i);
	*out = table;
	return 0;
}

int onnx_build_float(struct onnx_import *import, const struct onnx_pending *pending,
		     struct nn_build_tensor *out)
{
	float *table;
	int err = make_table(import, pending, &table);

	if (err)
		return err;
	*out = pending->operands[0]->tensor;
	return table ? nn_build_real(&import->builder, out, table, "each", 0, true, out) : 0;
}

static int build(struct onnx_import *import, const struct onnx_pending *pending,
		 struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	float *table;
	int err = make_table(import, pending, &table);

	if (err)
		return err;
	if (pending->results)
		return nn_build_real(&import->builder, x, table, "each", 0, true, out);
	if (pending->make_real)
		return pending->make_real(import, pending, out);
	return nn_build_real(&import->builder, x, table, pending->real, pending->real_axes,
			     pending->keep_dims, out);
}

/* Clamps reals to what Relu and Clip made of the range. */
static int limit(struct onnx_import *import, const struct nn_range *range,
		 struct nn_build_tensor *out)
{
	const struct nn_formula_parameters bounds = { .alpha = range->low, .beta = range->high };
	const struct nn_build_tensor from = *out;
	const struct nn_operand operand = { .tensor = &from };

	if (!nn_range_is_bounded(range))
		return 0;
	return nn_build_real_each(&import->builder, "clamp", &bounds, &operand, 1, out);
}

int onnx_make_real(struct onnx_import *import, const struct onnx_value *value,
		   struct nn_build_tensor *out)
{
	const Onnx__NodeProto *node = import->node;
	const char *result = import->builder.result;
	int err;

	if (*value->pending->failed)
		return onnx_follow(import);
	onnx_look_at(import, value->pending->node);
	import->builder.result = value->tensor.name;
	err = build(import, value->pending, out);
	if (!err && !value->pending->results)
		err = limit(import, &value->pending->range, out);
	*value->pending->failed = err;
	import->builder.result = result;
	if (err)
		return err;
	onnx_look_at(import, node);
	out->name = value->tensor.name;
	return 0;
}

int onnx_emit_real(struct onnx_import *import, const struct onnx_pending *pending,
		   const struct nn_quant *quant, const char *activation,
		   struct nn_build_tensor *out)
{
	struct nn_build_tensor made;
	int err = build(import, pending, &made);

	(void)activation;
	return err ? err : nn_build_unary(&import->builder, "Quantize", &made, NULL, 0, quant, out);
}
