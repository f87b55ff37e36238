// SPDX-License-Identifier: MIT
/*
 * UNIDIRECTIONAL_SEQUENCE_LSTM: a recurrent layer over a sequence, whose last output and cell state
 * persist. It is the form that converters make of a quantized one: int8 with a state of int16, an
 * input gate, and neither peepholes nor a projection nor normalization.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "import/tflite/tflite.h"

#define GATES 4

/* Inputs of the operator in the file; those in between are of forms that are refused. */
enum lstm_input {
	X,
	X_WEIGHTS,
	LAST_WEIGHTS = X_WEIGHTS + GATES,
	PEEPHOLES = LAST_WEIGHTS + GATES,
	BIAS = PEEPHOLES + 3,
	PROJECTION = BIAS + GATES,
	PROJECTION_BIAS,
	LAST,
	CELL,
	NORMALIZATION,
};
enum lstm_option { LSTM_ACTIVATION, CELL_CLIP, PROJECTION_CLIP };
/* The tensor that says how the output is quantized in front of a projection. */
#define HIDDEN 4

struct lstm {
	const struct nn_build_tensor *x;
	struct nn_parameter weights[GATES], last_weights[GATES], bias[GATES];
	const struct tflite_tensor *last, *cell;
	struct nn_quant last_quant, cell_quant, quant;
	int64_t cell_clip;
};

static int refuse_forms(struct tflite_import *import)
{
	static const struct {
		uint32_t first, count;
		const char *what;
	} forms[] = {
		{ PEEPHOLES, 3, "peepholes" },
		{ PROJECTION, 2, "a projection" },
		{ NORMALIZATION, GATES, "normalized layers" },
	};

	for (uint32_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		for (uint32_t j = 0; j < forms[i].count; j++) {
			if (tflite_has_input(import, forms[i].first + j))
				return tflite_fail(import, -EOPNOTSUPP,
						   "it has %s, and nnloop knows plain ones only",
						   forms[i].what);
		}
	}
	if (!tflite_has_input(import, X_WEIGHTS) || !tflite_has_input(import, LAST_WEIGHTS))
		return tflite_fail(import, -EOPNOTSUPP,
				   "it has no input gate, and nnloop knows plain ones only");
	return 0;
}

static int read_weights(struct tflite_import *import, uint32_t i, struct nn_parameter *out)
{
	int err = tflite_parameter_input(import, i, out);

	if (!err && (out->quant->type != NN_INT8 || !out->quant->scale || out->quant->zero_point ||
		     out->values->rank != 2))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its weights, input %" PRIu32 ", are no matrix of int8 with one scale "
				   "and zero point 0", i);
	return err;
}

static int read_gates(struct tflite_import *import, struct lstm *lstm)
{
	int err = 0;

	for (uint32_t g = 0; g < GATES && !err; g++) {
		err = read_weights(import, X_WEIGHTS + g, &lstm->weights[g]);
		if (!err)
			err = read_weights(import, LAST_WEIGHTS + g, &lstm->last_weights[g]);
		if (!err)
			err = tflite_parameter_input(import, BIAS + g, &lstm->bias[g]);
		if (!err && (lstm->bias[g].values->element != NN_ELEMENT_INT32 ||
			     lstm->bias[g].values->rank != 1))
			err = tflite_fail(import, -EOPNOTSUPP,
					  "a bias of it is not of int32 with one dimension");
	}
	return err;
}

static int read_states(struct tflite_import *import, struct lstm *lstm)
{
	int exponent, err = tflite_state_input(import, LAST, &lstm->last, &lstm->last_quant);

	if (!err)
		err = tflite_state_input(import, CELL, &lstm->cell, &lstm->cell_quant);
	if (err)
		return err;
	if (lstm->last_quant.type != NN_INT8 || lstm->cell_quant.type != NN_INT16)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its states are of %s and %s; nnloop knows int8 and int16",
				   nn_data_type_name(lstm->last_quant.type),
				   nn_data_type_name(lstm->cell_quant.type));
	if (lstm->last->rank != 2 || lstm->cell->rank != 2)
		return tflite_fail(import, -EINVAL, "its states have not two dimensions");
	if (frexpf(lstm->cell_quant.scale, &exponent) != 0.5f)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its cell state's scale %g is no power of two",
				   lstm->cell_quant.scale);
	return 0;
}

static bool is_like(const struct nn_quant *a, const struct nn_quant *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

/* The output is quantized as its kept copy is, and so is the result in front of a projection. */
static int check_outputs(struct tflite_import *import, struct lstm *lstm)
{
	struct nn_quant hidden;
	int err = tflite_typed_output_quant(import, NN_INT8, &lstm->quant);

	if (!err)
		err = tflite_intermediate_quant(import, HIDDEN, &hidden);
	if (!err && (!is_like(&lstm->quant, &lstm->last_quant) || !is_like(&lstm->quant, &hidden)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its output, what it keeps of that and its hidden state have not one "
				  "scale and zero point");
	return err;
}

static int read_clips(struct tflite_import *import, struct lstm *lstm)
{
	float clip = import->now->float_option[CELL_CLIP];

	if (import->now->float_option[PROJECTION_CLIP] != 0)
		return tflite_fail(import, -EOPNOTSUPP, "its option proj_clip is not 0");
	if (!(clip >= 0) || isinf(clip))
		return tflite_fail(import, -EINVAL, "its option cell_clip is %g", clip);
	if (clip > 0)
		lstm->cell_clip = fminf(clip / lstm->cell_quant.scale, INT16_MAX);
	return 0;
}

static int read_lstm(struct tflite_import *import, struct lstm *lstm)
{
	int err;

	lstm->x = tflite_8bit_input(import, X);
	if (!lstm->x)
		return tflite_failed(import);
	err = tflite_need_int8(import, lstm->x->quant.type);
	if (!err)
		err = refuse_forms(import);
	if (!err)
		err = read_gates(import, lstm);
	if (!err)
		err = read_states(import, lstm);
	if (!err)
		err = check_outputs(import, lstm);
	return err ? err : read_clips(import, lstm);
}

/* A constant of the graph, as the model has it. */
static int build_parameter(struct tflite_import *import, const struct nn_parameter *parameter,
			   struct nn_build_tensor *out)
{
	const struct nn_const *values = parameter->values;
	bool is_bias = values->element == NN_ELEMENT_INT32;
	struct nn_tensor_info info = {
		.type = is_bias ? NN_INT32 : NN_INT8,
		.scale = is_bias ? 0 : parameter->quant->scale,
		.rank = values->rank,
	};

	for (uint32_t i = 0; i < values->rank; i++)
		info.dims[i] = values->dims[i];
	return nn_build_const(&import->builder, &info, values->data, out);
}

enum { INPUTS = 3 + 3 * GATES, OUTPUTS = 3 };

static int build_inputs(struct tflite_import *import, const struct lstm *lstm,
			struct nn_build_tensor inputs[INPUTS])
{
	struct nn_builder *builder = &import->builder;
	int err;

	inputs[0] = *lstm->x;
	err = nn_build_state(builder, 2, lstm->last->dims, &lstm->last_quant, NULL, &inputs[1]);
	if (!err)
		err = nn_build_state(builder, 2, lstm->cell->dims, &lstm->cell_quant, NULL,
				     &inputs[2]);
	for (uint32_t g = 0; g < GATES && !err; g++) {
		err = build_parameter(import, &lstm->weights[g], &inputs[3 + g]);
		if (!err)
			err = build_parameter(import, &lstm->last_weights[g], &inputs[3 + GATES + g]);
		if (!err)
			err = build_parameter(import, &lstm->bias[g], &inputs[3 + 2 * GATES + g]);
	}
	return err;
}

int tflite_lower_lstm(struct tflite_import *import)
{
	struct nn_build_tensor inputs[INPUTS], outputs[OUTPUTS], kept;
	struct nn_builder *builder = &import->builder;
	struct nn_attr clip = { .name = "cell_clip", .type = NN_ATTR_INT };
	struct lstm lstm = { 0 };
	int err = read_lstm(import, &lstm);

	if (!err)
		err = build_inputs(import, &lstm, inputs);
	if (err)
		return err;
	clip.i = lstm.cell_clip;
	outputs[0] = *lstm.x;
	outputs[0].name = builder->result;
	outputs[0].quant = lstm.quant;
	outputs[0].dims[outputs[0].rank - 1] = lstm.last->dims[1];
	outputs[1] = inputs[1];
	outputs[2] = inputs[2];
	err = nn_build_outputs(builder, "LSTM", inputs, INPUTS, &clip, 1, outputs, OUTPUTS);
	if (!err)
		err = nn_build_assign(builder, &inputs[1], &outputs[1], &kept);
	if (!err)
		err = nn_build_assign(builder, &inputs[2], &outputs[2], &kept);
	return err ? err : tflite_define(import, 0, &outputs[0]);
}
