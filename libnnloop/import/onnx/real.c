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

const struct onnx_value *onnx_results_input(struct onnx_import *import, uint32_t i,
					    const float **reals)
{
	const struct onnx_value *value = onnx_input(import, i);

	*reals = NULL;
	if (value->kind != ONNX_PENDING || !value->pending->results)
		return onnx_real_input(import, i);
	*reals = value->pending->results;
	return value->pending->operands[0];
}

void onnx_set_real(struct onnx_pending *pending, const float *reals, const char *function,
		   uint32_t axes)
{
	if (!has_one_scale(pending->operands[0]))
		return;
	pending->real = function;
	pending->real_axes = axes;
	pending->reals = reals;
	if (reals)
		pending->emit = onnx_emit_real;
}

bool onnx_has_real(const struct onnx_value *value)
{
	const struct onnx_pending *pending = value->pending;

	if (value->kind != ONNX_PENDING)
		return false;
	return pending->results || (pending->real && !nn_range_is_bounded(&pending->range));
}

static int build(struct onnx_import *import, const struct onnx_pending *pending,
		 struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	const float *reals = pending->results ? pending->results : pending->reals;
	uint32_t count = onnx_count_results(&x->quant);
	float *table = onnx_alloc(import, count, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		table[i] = reals ? reals[i] : onnx_read_element(&x->quant, i);
	if (pending->results)
		return nn_build_real(&import->builder, x, table, "each", 0, true, out);
	return nn_build_real(&import->builder, x, table, pending->real, pending->real_axes,
			     pending->keep_dims, out);
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
