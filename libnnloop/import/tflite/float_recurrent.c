// SPDX-License-Identifier: MIT
/*
 * Recurrent layers of float32: UNIDIRECTIONAL_SEQUENCE_LSTM, as converters make it of a model
 * that is not quantized, BIDIRECTIONAL_SEQUENCE_LSTM and UNIDIRECTIONAL_SEQUENCE_RNN. Each direction is a
 * node RealRecurrent, whose gates are in the order of ONNX, and what it keeps are variables that
 * persist, as in the format.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/tflite/tflite.h"

#define GATES 4
#define PEEPHOLES 3
#define NORMALIZATION 20 /* of the layer of one direction */

/* Gates in the order of the format. */
enum gate { INPUT_GATE, FORGET_GATE, NEW, OUTPUT_GATE };

/* Options of the operators, by their place in the format's tables. */
enum lstm_option { LSTM_ACTIVATION, CELL_CLIP, PROJECTION_CLIP, BOTH_MERGE };
enum rnn_option { RNN_ACTIVATION = 1 };
enum activation { RELU = 1, TANH = 4 };

/* Inputs and outputs of RealRecurrent. */
enum { NODE_X, NODE_W, NODE_R, NODE_B, NODE_P, NODE_FIRST, NODE_FIRST_CELL, INPUTS };
enum { MADE, LAST, LAST_CELL, OUTPUTS };

/* Where the operator in the file has the parts of a direction. */
struct places {
	uint32_t weights, last_weights, peepholes, bias, projection, last, cell;
};

static const struct places one_direction = { 1, 5, 9, 12, 16, 18, 19 };
static const struct places both_directions[2] = { { 1, 5, 9, 12, 16, 35, 36 },
						  { 18, 22, 26, 29, 33, 37, 38 } };
#define AUXILIARY 39 /* of both directions: a second input and its weights */
#define AUXILIARIES 9

/* One direction of a layer. */
struct direction {
	const struct places *places;
	bool is_lstm, is_reverse, relu;
	bool forgets; /* its input gate is what the forget gate leaves */
	uint32_t hidden, inputs;
	float cell_clip;
};

/* ---- Weights ---- */

/* A constant of float32 of this shape; columns 0: it is a list. */
static int read_constant(struct tflite_import *import, uint32_t i, uint32_t rows, uint32_t columns,
			 struct nn_const *out)
{
	int err = tflite_float_constant(import, i, out);

	if (!err && (out->rank != 1 + !!columns || out->dims[0] != rows ||
		     (columns && out->dims[1] != columns)))
		err = tflite_fail(import, -EINVAL,
				  "its input %" PRIu32 " is not for %" PRIu32 " cells of %" PRIu32
				  " elements", i, rows, columns ? columns : 1);
	return err;
}

/* Puts one at its gate's place among those of the node; times -1 if it is to be `negated`. */
static int place_constant(struct tflite_import *import, uint32_t i, uint32_t rows, uint32_t columns,
			  bool negated, float *out)
{
	uint64_t count = (uint64_t)rows * (columns ? columns : 1);
	struct nn_const values;
	int err = read_constant(import, i, rows, columns, &values);

	for (uint64_t k = 0; k < count && !err; k++) {
		float value = nn_const_float(&values, k);

		out[k] = negated ? -value : value;
	}
	return err;
}

static int build_list(struct tflite_import *import, const float *values, uint32_t rank,
		      const uint32_t *dims, struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = rank };

	memcpy(info.dims, dims, rank * sizeof(*dims));
	return nn_build_const(&import->builder, &info, values, out);
}

/*
 * The weights of a direction's gates. Where one has no input gate, that is 1 less the forget
 * gate; the node knows the opposite. As sigmoid(-x) is 1 - sigmoid(x), the forget gate times -1 is the input
 * gate, and the node makes of it the forget gate.
 */
static int build_weights(struct tflite_import *import, const struct direction *direction,
			 struct nn_build_tensor inputs[INPUTS])
{
	static const enum gate order[GATES] = { INPUT_GATE, OUTPUT_GATE, FORGET_GATE, NEW };
	const uint32_t hidden = direction->hidden, gates = direction->is_lstm ? GATES : 1;
	const struct places *places = direction->places;
	uint32_t dims[3] = { 1, gates * hidden, direction->inputs };
	float *w = tflite_alloc(import, (uint64_t)dims[1] * direction->inputs, sizeof(*w));
	float *r = tflite_alloc(import, (uint64_t)dims[1] * hidden, sizeof(*r));
	float *b = tflite_alloc(import, 2ull * dims[1], sizeof(*b));
	int err = 0;

	if (!w || !r || !b)
		return -ENOMEM;
	for (uint32_t g = 0; g < gates && !err; g++) {
		bool negated = direction->forgets && order[g] == INPUT_GATE;
		uint32_t from = negated ? FORGET_GATE : gates > 1 ? order[g] : 0;

		err = place_constant(import, places->weights + from, hidden, direction->inputs,
				     negated, w + (uint64_t)g * hidden * direction->inputs);
		if (!err)
			err = place_constant(import, places->last_weights + from, hidden, hidden,
					     negated, r + (uint64_t)g * hidden * hidden);
		if (!err)
			err = place_constant(import, places->bias + from, hidden, 0, negated,
					     b + (uint64_t)g * hidden);
	}
	if (!err)
		err = build_list(import, w, 3, dims, &inputs[NODE_W]);
	dims[2] = hidden;
	if (!err)
		err = build_list(import, r, 3, dims, &inputs[NODE_R]);
	dims[1] *= 2;
	return err ? err : build_list(import, b, 2, dims, &inputs[NODE_B]);
}

/* Builds the weights of the peepholes: the file has none, or those of all gates that there are. */
static int build_peepholes(struct tflite_import *import, const struct direction *direction,
			   struct nn_build_tensor *out)
{
	const uint32_t hidden = direction->hidden, dims[2] = { 1, PEEPHOLES * hidden };
	const uint32_t at = direction->places->peepholes;
	/* The node's order is input, output and forget gate, the format's input, forget, output. */
	const uint32_t order[PEEPHOLES] = { direction->forgets, 2, 1 };
	float *p = tflite_alloc(import, dims[1], sizeof(*p));
	int err = 0;

	if (!p)
		return -ENOMEM;
	if (!tflite_has_input(import, at + 1))
		return 0;
	for (uint32_t i = 0; i < PEEPHOLES && !err; i++)
		err = place_constant(import, at + order[i], hidden, 0, direction->forgets && !i,
				     p + i * hidden);
	return err ? err : build_list(import, p, 2, dims, out);
}

/* ---- A direction ---- */

static int refuse_inputs(struct tflite_import *import, uint32_t first, uint32_t count,
			 const char *what)
{
	for (uint32_t i = first; i < first + count; i++) {
		if (tflite_has_input(import, i))
			return tflite_fail(import, -EOPNOTSUPP,
					   "it has %s, and nnloop knows layers of float32 without",
					   what);
	}
	return 0;
}

/* Checks what a direction of an LSTM has, and whether it has an input gate. */
static int read_lstm(struct tflite_import *import, struct direction *direction)
{
	const struct places *places = direction->places;
	int err = refuse_inputs(import, places->projection, 2, "a projection");

	direction->forgets = !tflite_has_input(import, places->weights + INPUT_GATE);
	if (!err && direction->forgets)
		err = refuse_inputs(import, places->last_weights + INPUT_GATE, 1,
				    "recurrence weights of an input gate that it has not");
	if (!err && tflite_has_input(import, places->peepholes + 1) !=
			    tflite_has_input(import, places->peepholes + 2))
		err = tflite_fail(import, -EINVAL, "it has peepholes of some gates only");
	if (err)
		return err;
	direction->cell_clip = import->now->float_option[CELL_CLIP];
	if (import->now->float_option[PROJECTION_CLIP] != 0)
		return tflite_fail(import, -EOPNOTSUPP, "its option proj_clip is not 0");
	if (!(direction->cell_clip >= 0) || isinf(direction->cell_clip))
		return tflite_fail(import, -EINVAL, "its option cell_clip is %g",
				   direction->cell_clip);
	return 0;
}

/* A variable of the file, [rows, hidden], as the node has it: [rows, 1, hidden]. */
static int build_state(struct tflite_import *import, const struct direction *direction, uint32_t i,
		       struct nn_build_tensor *out)
{
	const struct tflite_tensor *state;
	struct nn_quant quant;
	uint32_t dims[3];
	int err = tflite_state_input(import, i, &state, &quant);

	if (err)
		return err;
	if (quant.type != NN_FLOAT32 || state->rank != 2 || state->dims[1] != direction->hidden)
		return tflite_fail(import, -EINVAL,
				   "its state, input %" PRIu32 ", is not of float32, with %" PRIu32
				   " elements in each row", i, direction->hidden);
	dims[0] = state->dims[0];
	dims[1] = 1;
	dims[2] = direction->hidden;
	return nn_build_state(&import->builder, 3, dims, &quant, NULL, out);
}

/* Builds all that the node of a direction takes. */
static int build_inputs(struct tflite_import *import, struct direction *direction,
			struct nn_build_tensor inputs[INPUTS])
{
	const struct places *places = direction->places;
	struct nn_const last_weights;
	int err = direction->is_lstm ? read_lstm(import, direction) : 0;

	if (!err)
		err = tflite_float_tensor(import, 0, &inputs[NODE_X]);
	if (!err && inputs[NODE_X].rank != 3)
		err = tflite_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions, not 3",
				  inputs[NODE_X].rank);
	if (!err)
		err = tflite_float_constant(import, places->last_weights + direction->is_lstm,
					    &last_weights);
	if (!err && (last_weights.rank != 2 || last_weights.dims[0] > 1 << 20))
		err = tflite_fail(import, -EINVAL, "its recurrence weights are no matrix");
	if (err)
		return err;
	direction->inputs = inputs[NODE_X].dims[2];
	direction->hidden = last_weights.dims[0];
	err = build_weights(import, direction, inputs);
	if (!err && direction->is_lstm)
		err = build_peepholes(import, direction, &inputs[NODE_P]);
	if (!err)
		err = build_state(import, direction, places->last, &inputs[NODE_FIRST]);
	if (!err && direction->is_lstm)
		err = build_state(import, direction, places->cell, &inputs[NODE_FIRST_CELL]);
	return err;
}

/* Appends a direction's node, and what it keeps; *made is its output, [rows, steps, hidden]. */
static int build_direction(struct tflite_import *import, struct direction *direction,
			   struct nn_build_tensor *made)
{
	struct nn_build_tensor inputs[INPUTS] = { 0 }, outputs[OUTPUTS], kept;
	struct nn_builder *builder = &import->builder;
	int err = build_inputs(import, direction, inputs);
	const struct nn_attr attrs[] = {
		{ .name = "kind", .type = NN_ATTR_STRING,
		  .string = direction->is_lstm ? "lstm" : "rnn" },
		{ .name = "direction", .type = NN_ATTR_STRING,
		  .string = direction->is_reverse ? "reverse" : "forward" },
		{ .name = "relu", .type = NN_ATTR_INT, .i = direction->relu },
		{ .name = "input_forget", .type = NN_ATTR_INT, .i = direction->forgets },
		{ .name = "cell_clip", .type = NN_ATTR_FLOAT, .f = direction->cell_clip },
	};

	if (err)
		return err;
	for (uint32_t i = 0; i < OUTPUTS; i++) {
		outputs[i] = inputs[NODE_X];
		outputs[i].name = builder->result;
		outputs[i].quant = nn_quant_float;
		outputs[i].dims[2] = direction->hidden;
		if (i != MADE)
			outputs[i].dims[1] = 1;
	}
	err = nn_build_outputs(builder, "RealRecurrent", inputs, INPUTS, attrs,
			       sizeof(attrs) / sizeof(*attrs), outputs, OUTPUTS);
	if (!err)
		err = nn_build_assign(builder, &inputs[NODE_FIRST], &outputs[LAST], &kept);
	if (!err && direction->is_lstm)
		err = nn_build_assign(builder, &inputs[NODE_FIRST_CELL], &outputs[LAST_CELL],
				      &kept);
	*made = outputs[MADE];
	return err;
}

/* ---- The operators ---- */

int tflite_lower_float_lstm(struct tflite_import *import)
{
	struct direction direction = { .places = &one_direction, .is_lstm = true };
	struct nn_build_tensor made;
	int err = refuse_inputs(import, NORMALIZATION, GATES, "normalized layers");

	if (!err)
		err = build_direction(import, &direction, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_float_lstm_both(struct tflite_import *import)
{
	const bool merge = import->now->option[BOTH_MERGE];
	struct nn_build_tensor made[2], both;
	int err = refuse_inputs(import, AUXILIARY, AUXILIARIES, "a second input");

	if (!err && import->now->output_count != (merge ? 1 : 2))
		err = tflite_fail(import, -EINVAL, "it has %" PRIu32
				  " outputs, and its option merge_outputs is %d",
				  import->now->output_count, merge);
	for (int i = 0; i < 2 && !err; i++) {
		struct direction direction = {
			.places = &both_directions[i], .is_lstm = true, .is_reverse = i
		};

		err = build_direction(import, &direction, &made[i]);
		if (!err && !merge)
			err = tflite_define(import, i, &made[i]);
	}
	if (!err && merge)
		err = nn_build_concat(&import->builder, made, 2, 2, &both);
	return err || !merge ? err : tflite_define(import, 0, &both);
}

int tflite_lower_float_rnn(struct tflite_import *import)
{
	/* Input, weights, recurrence weights, bias, state. */
	static const struct places places = {
		.weights = 1, .last_weights = 2, .bias = 3, .last = 4
	};
	const int64_t activation = import->now->option[RNN_ACTIVATION];
	struct direction direction = { .places = &places, .relu = activation == RELU };
	struct nn_build_tensor made;
	int err = 0;

	if (activation != RELU && activation != TANH)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its option fused_activation_function is %" PRId64
				  "; nnloop knows %d, RELU, and %d, TANH", activation, RELU, TANH);
	if (!err)
		err = build_direction(import, &direction, &made);
	return err ? err : tflite_define(import, 0, &made);
}
