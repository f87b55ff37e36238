// SPDX-License-Identifier: MIT
/* Nodes of a model that cannot run, and what follows from that. */
#include "import/onnx/onnx.h"

/* A node's body goes with it. */
static void refuse(struct onnx_import *import, struct onnx_step *step)
{
	bool is_loop = step->kind == ONNX_LOOP_BEGIN;
	uint32_t depth = 0;

	for (;; step++) {
		depth += step->kind == ONNX_BODY_BEGIN;
		depth -= depth && step->kind == ONNX_BODY_END;
		step->refused = true;
		for (size_t i = 0; i < step->node->n_output; i++) {
			struct onnx_value *value = onnx_find(import, step->node->output[i]);

			if (value)
				value->kind = ONNX_REFUSED;
		}
		if (!depth && (!is_loop || step->kind == ONNX_LOOP_END))
			return;
	}
}

int onnx_note_step(struct onnx_import *import, struct onnx_step *step, int err)
{
	if (!err)
		return 0;
	err = nn_builder_note(&import->builder, err, NULL);
	if (!err)
		refuse(import, step);
	return err;
}

int onnx_note_value(struct onnx_import *import, struct onnx_value *value, int err)
{
	if (!err)
		return 0;
	err = nn_builder_note(&import->builder, err, value->tensor.name);
	if (!err)
		value->kind = ONNX_REFUSED;
	return err;
}
