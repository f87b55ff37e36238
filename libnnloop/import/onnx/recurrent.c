// SPDX-License-Identifier: MIT
/*
 * ONNX's recurrent layers, LSTM, GRU and RNN, which quantizers leave in float: nnloop's operator
 * RealRecurrent of a sequence in float32.
 *
 * In the order of layout 0 the steps come first, then the rows: [steps, rows, inputs], and with a
 * direction [steps, directions, rows, hidden]. RealRecurrent has the steps of a row side by side.
 * Where dimension 0 is no batch, one is put in front.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "import/onnx/onnx.h"

enum { X, W, R, B, LENGTHS, FIRST, FIRST_CELL, PEEPHOLES };
enum { NODE_X, NODE_W, NODE_R, NODE_B, NODE_P, NODE_FIRST, NODE_FIRST_CELL, INPUTS };

#define OUTPUTS 3
#define MOST_ACTIVATIONS 3

static const struct nn_quant real = { .type = NN_FLOAT32 };

/* A kind of layer, and the functions that it has unless it says so. */
struct kind {
	const char *op, *name;
	uint32_t gates, functions;
	const char *activations[MOST_ACTIVATIONS];
};

static const struct kind kinds[] = {
	{ "LSTM", "lstm", 4, 3, { "Sigmoid", "Tanh", "Tanh" } },
	{ "GRU", "gru", 3, 2, { "Sigmoid", "Tanh" } },
	{ "RNN", "rnn", 1, 1, { "Tanh" } },
};

/* A layer of the model. */
struct layer {
	const struct kind *kind;
	const char *direction;
	bool rows_first; /* layout 1 */
	bool relu, lifted;
	uint32_t directions, hidden, steps, rows, length;
	struct nn_build_tensor inputs[INPUTS];
};

/* ---- Attributes ---- */

/* Whether the list of functions is the one name that is given for each of the directions. */
static bool is_function(const Onnx__AttributeProto *attr, uint32_t place, const char *name)
{
	const ProtobufCBinaryData *given = &attr->strings[place];

	return given->len == strlen(name) && !strncasecmp((const char *)given->data, name, given->len);
}

static int read_activations(struct onnx_import *import, struct layer *layer)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "activations");
	const struct kind *kind = layer->kind;
	uint32_t relus = 0;

	if (!attr || !attr->n_strings)
		return 0;
	if (attr->n_strings != (size_t)kind->functions * layer->directions)
		return onnx_fail(import, -EINVAL,
				 "its attribute activations has %zu functions for %" PRIu32
				 " directions of %" PRIu32,
				 attr->n_strings, layer->directions, kind->functions);
	for (size_t i = 0; i < attr->n_strings; i++) {
		const ProtobufCBinaryData *given = &attr->strings[i];

		if (is_function(attr, i, kind->activations[i % kind->functions]))
			continue;
		if (kind->gates > 1 || !is_function(attr, i, "Relu"))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its attribute activations has \"%.*s\" as function %zu; nnloop "
					 "knows %s there",
					 (int)(given->len < 32 ? given->len : 32), given->data, i,
					 kind->gates > 1 ? kind->activations[i % kind->functions] :
							   "Tanh and Relu");
		relus++;
	}
	if (relus && relus != attr->n_strings)
		return onnx_fail(import, -EOPNOTSUPP, "its directions have different activations");
	layer->relu = relus;
	return 0;
}

static int read_attributes(struct onnx_import *import, struct layer *layer)
{
	const char *op = import->node->op_type;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i].op, op))
			layer->kind = &kinds[i];
	}
	layer->direction = onnx_attr_string(import, "direction", "forward");
	layer->directions = strcmp(layer->direction, "bidirectional") ? 1 : 2;
	layer->rows_first = onnx_attr_int(import->node, "layout", 0);
	return read_activations(import, layer);
}

/* ---- Inputs ---- */

/* A value of the model in float32, as its dimensions are. */
static int build_float(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	const char *result = import->builder.result;
	const struct nn_quant *quant;
	uint32_t count;
	float *table;
	int err;

	if (value->kind == ONNX_PENDING && onnx_has_real(value))
		return onnx_make_real(import, value, out);
	if (value->kind == ONNX_REAL && onnx_is_float(value)) {
		*out = value->tensor;
		return 0;
	}
	value = onnx_real_input(import, i);
	if (!value)
		return onnx_failed(import);
	quant = &value->tensor.quant;
	if (!onnx_is_computed(quant->type) || quant->scales)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is of %s, or has several scales", i,
				 nn_data_type_name(quant->type));
	count = onnx_count_results(quant);
	table = onnx_alloc(import, count, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (uint32_t k = 0; k < count; k++)
		table[k] = onnx_read_element(quant, k);
	import->builder.result = value->tensor.name;
	err = nn_build_real(&import->builder, &value->tensor, table, "each", 0, true, out);
	import->builder.result = result;
	return err;
}

static int build_list(struct onnx_import *import, const struct nn_const *values, uint32_t rank,
		      const uint32_t *dims, struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = rank };

	memcpy(info.dims, dims, rank * sizeof(*dims));
	return nn_build_const(&import->builder, &info, values->data, out);
}

/* A constant of the model, in float32, of these dimensions. */
static int build_weights(struct onnx_import *import, uint32_t i, const char *what, uint32_t rank,
			 const uint32_t *dims, struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	struct nn_const values;
	int err = onnx_read_floats(import, value, what, &values);

	if (err)
		return err;
	if (values.rank != rank || memcmp(values.dims, dims, rank * sizeof(*dims)))
		return onnx_fail(import, -EINVAL,
				 "its %s has %" PRIu64 " elements, or other dimensions than [%" PRIu32
				 ", %" PRIu32 "%s", what, values.count, dims[0], dims[1],
				 rank == 3 ? ", ...]" : "]");
	return build_list(import, &values, rank, dims, out);
}

static int build_all_weights(struct onnx_import *import, struct layer *layer, uint32_t inputs)
{
	const struct onnx_value *r = onnx_input(import, R);
	const uint32_t directions = layer->directions;
	uint32_t gates, dims[3] = { directions };
	struct nn_const zeros = { 0 };
	int64_t hidden;
	int err;

	if (!onnx_is_const(r) || r->constant.rank != 3 || !r->constant.dims[2] ||
	    r->constant.dims[2] > 1 << 20)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its recurrence weights are no constant of three dimensions");
	layer->hidden = r->constant.dims[2];
	hidden = onnx_attr_int(import->node, "hidden_size", layer->hidden);
	if (hidden != layer->hidden)
		return onnx_fail(import, -EINVAL,
				 "its attribute hidden_size is %" PRId64
				 ", and its recurrence weights are for %" PRIu32, hidden, layer->hidden);
	gates = layer->kind->gates * layer->hidden;
	dims[1] = gates;
	dims[2] = inputs;
	err = build_weights(import, W, "weights", 3, dims, &layer->inputs[NODE_W]);
	dims[2] = layer->hidden;
	if (!err)
		err = build_weights(import, R, "recurrence weights", 3, dims, &layer->inputs[NODE_R]);
	dims[1] = 2 * gates;
	if (!err && onnx_input(import, B)->kind != ONNX_ABSENT)
		return build_weights(import, B, "bias", 2, dims, &layer->inputs[NODE_B]);
	if (err)
		return err;
	zeros.data = onnx_alloc(import, 2ull * directions * gates, sizeof(float));
	return zeros.data ? build_list(import, &zeros, 2, dims, &layer->inputs[NODE_B]) : -ENOMEM;
}

/* The steps that count, which are as many in all rows. */
static int read_length(struct onnx_import *import, struct layer *layer)
{
	const struct onnx_value *lengths = onnx_input(import, LENGTHS);
	int64_t first;

	layer->length = layer->steps;
	if (lengths->kind == ONNX_ABSENT)
		return 0;
	if (lengths->kind != ONNX_CONST || lengths->constant.element != NN_ELEMENT_INT32 ||
	    !lengths->constant.count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its sequence_lens are no constant of int32; nnloop knows them where "
				 "all rows have one length\nif that is always the same: --set NAME=NUMBER");
	first = nn_const_int(&lengths->constant, 0);
	for (uint64_t i = 1; i < lengths->constant.count; i++) {
		if (nn_const_int(&lengths->constant, i) != first)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its rows have sequences of different lengths, %" PRId64
					 " and %" PRId64, first, nn_const_int(&lengths->constant, i));
	}
	if (first < 1 || first > layer->steps)
		return onnx_fail(import, first ? -EINVAL : -EOPNOTSUPP,
				 "its sequences have %" PRId64 " of %" PRIu32 " steps", first,
				 layer->steps);
	layer->length = first;
	return 0;
}

/* Rows in front of steps, or of directions, as RealRecurrent has them; and back. */
static const uint32_t turned[4] = { 0, 2, 1, 3 };

static int turn(struct onnx_import *import, const struct layer *layer, struct nn_build_tensor *x)
{
	int err = nn_build_layout(&import->builder, x, NN_LAYOUT_PLAIN, x);

	if (!err && layer->lifted)
		err = nn_build_lift(&import->builder, x, x);
	if (!err && !layer->rows_first)
		err = nn_build_transpose(&import->builder, x, turned, x);
	return err ? err : nn_build_layout(&import->builder, x, NN_LAYOUT_PLAIN, x);
}

/* Builds what the layer begins with of a constant: [rows, directions, hidden] of an item. */
static int build_first_const(struct onnx_import *import, const struct layer *layer, uint32_t i,
			     struct nn_build_tensor *out)
{
	static const uint32_t perm[3] = { 1, 0, 2 };
	const uint32_t rows = layer->lifted ? layer->rows : 1;
	const uint32_t dims[4] = { 1, rows, layer->directions, layer->hidden };
	struct nn_const values;
	int err = onnx_read_floats(import, onnx_input(import, i), "first output", &values);

	if (!err && !layer->rows_first)
		err = nn_const_transpose(&import->builder, &values, perm, &values);
	if (err)
		return err;
	if (memcmp(values.dims, dims + 1, 3 * sizeof(*dims)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is a constant of %" PRIu32 " rows, %" PRIu32
				 " directions and %" PRIu32 " elements; it needs %" PRIu32 ", %" PRIu32
				 " and %" PRIu32, i, values.dims[0], values.dims[1], values.dims[2],
				 dims[1], dims[2], dims[3]);
	return layer->lifted ? build_list(import, &values, 4, dims, out) :
			       build_list(import, &values, 3, dims + 1, out);
}

static int build_first(struct onnx_import *import, const struct layer *layer, uint32_t i,
		       struct nn_build_tensor *out)
{
	const struct onnx_value *first = onnx_input(import, i);
	const uint32_t rows_at = layer->rows_first ? 0 : 1;
	int err;

	if (first->kind == ONNX_ABSENT)
		return 0;
	if (first->tensor.rank != 3)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " has not three dimensions", i);
	if (onnx_is_const(first))
		return build_first_const(import, layer, i, out);
	err = build_float(import, i, out);
	if (err)
		return err;
	if (out->dims[rows_at] != layer->rows || out->dims[1 - rows_at] != layer->directions ||
	    out->dims[2] != layer->hidden)
		return onnx_fail(import, -EINVAL,
				 "its input %" PRIu32 " has other dimensions than its rows, %" PRIu32
				 " directions and %" PRIu32 " elements", i, layer->directions,
				 layer->hidden);
	return turn(import, layer, out);
}

static int read_inputs(struct onnx_import *import, struct layer *layer)
{
	struct nn_build_tensor *x = &layer->inputs[NODE_X];
	int err = build_float(import, X, x);
	uint32_t dims[2];

	if (err)
		return err;
	if (x->rank != 3)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions, not 3",
				 x->rank);
	layer->steps = x->dims[layer->rows_first];
	layer->rows = x->dims[!layer->rows_first];
	layer->lifted = !layer->rows_first || !nn_is_rows(x->dims[0]);
	err = build_all_weights(import, layer, x->dims[2]);
	if (!err)
		err = turn(import, layer, x);
	if (!err)
		err = read_length(import, layer);
	if (!err)
		err = build_first(import, layer, FIRST, &layer->inputs[NODE_FIRST]);
	if (err || layer->kind->gates != 4)
		return err;
	dims[0] = layer->directions;
	dims[1] = 3 * layer->hidden;
	if (onnx_input(import, PEEPHOLES)->kind != ONNX_ABSENT)
		err = build_weights(import, PEEPHOLES, "peephole weights", 2, dims,
				    &layer->inputs[NODE_P]);
	return err ? err : build_first(import, layer, FIRST_CELL, &layer->inputs[NODE_FIRST_CELL]);
}

/* ---- Outputs ---- */

/* All outputs get a dimension for the directions, in front of which rows are in layout 1. */
static int define_output(struct onnx_import *import, const struct layer *layer,
			 const struct nn_build_tensor *made)
{
	static const uint32_t steps_first[5] = { 0, 2, 3, 1, 4 };
	struct onnx_value value = { .kind = ONNX_REAL, .promised = true, .tensor = *made };
	struct nn_build_tensor *y = &value.tensor;
	uint32_t dims[5] = { y->dims[0], layer->rows };
	const uint32_t at = layer->lifted ? 2 : 1;
	int err;

	dims[at] = layer->steps;
	dims[at + 1] = layer->directions;
	dims[at + 2] = layer->hidden;
	err = nn_build_reshape(&import->builder, y, at + 3, dims, y);
	if (!err && !layer->rows_first)
		err = nn_build_transpose(&import->builder, y, steps_first, y);
	if (!err)
		err = nn_build_layout(&import->builder, y, NN_LAYOUT_PLAIN, y);
	if (!err && layer->lifted)
		err = nn_build_lower(&import->builder, y, y);
	return err ? err : onnx_define(import, 0, &value);
}

static int define_last(struct onnx_import *import, const struct layer *layer, uint32_t i,
		       const struct nn_build_tensor *made)
{
	struct onnx_value value = { .kind = ONNX_REAL, .promised = true, .tensor = *made };
	struct nn_build_tensor *y = &value.tensor;
	int err = 0;

	if (!layer->rows_first)
		err = nn_build_transpose(&import->builder, y, turned, y);
	if (!err)
		err = nn_build_layout(&import->builder, y, NN_LAYOUT_PLAIN, y);
	if (!err && layer->lifted)
		err = nn_build_lower(&import->builder, y, y);
	return err ? err : onnx_define(import, i, &value);
}

static uint32_t fill_attrs(struct onnx_import *import, const struct layer *layer,
			   struct nn_attr *attrs)
{
	static const char *const flags[] = { "linear_before_reset", "input_forget" };
	uint32_t count = 0;

	nn_add_string(attrs, &count, "kind", layer->kind->name);
	nn_add_string(attrs, &count, "direction", layer->direction);
	attrs[count++] = (struct nn_attr){ .name = "length", .type = NN_ATTR_INT, .i = layer->length };
	if (layer->relu)
		attrs[count++] = (struct nn_attr){ .name = "relu", .type = NN_ATTR_INT, .i = 1 };
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (onnx_attr_int(import->node, flags[i], 0))
			attrs[count++] =
				(struct nn_attr){ .name = flags[i], .type = NN_ATTR_INT, .i = 1 };
	}
	return count;
}

int onnx_lower_recurrent(struct onnx_import *import)
{
	struct nn_build_tensor outputs[OUTPUTS];
	struct layer layer = { 0 };
	struct nn_attr attrs[8];
	uint32_t count, rank;
	int err = read_attributes(import, &layer);

	if (!err)
		err = read_inputs(import, &layer);
	if (err)
		return err;
	rank = layer.inputs[NODE_X].rank;
	for (uint32_t i = 0; i < OUTPUTS; i++) {
		outputs[i] = layer.inputs[NODE_X];
		outputs[i].name = import->builder.result;
		outputs[i].quant = real;
		outputs[i].dims[rank - 1] = layer.hidden;
		outputs[i].dims[rank - 2] = layer.directions;
	}
	outputs[0].dims[rank - 2] = layer.steps;
	outputs[0].dims[rank - 1] = layer.directions * layer.hidden;
	count = fill_attrs(import, &layer, attrs);
	err = nn_build_outputs(&import->builder, "RealRecurrent", layer.inputs, INPUTS, attrs, count,
			       outputs, OUTPUTS);
	if (!err)
		err = define_output(import, &layer, &outputs[0]);
	for (uint32_t i = 1; i < import->node->n_output && i < OUTPUTS && !err; i++)
		err = define_last(import, &layer, i, &outputs[i]);
	return err;
}
