// SPDX-License-Identifier: MIT
/*
 * The values that the names of an ONNX model stand for while it is imported: how integers are
 * quantized, which the model says somewhere before or behind them, and real operators that wait for
 * it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* Steps of a result that an element of its sum may be; a few of 16 bits are less than one of 8. */
#define MOST_STEPS 0x1p19
#define MOST_WIDE_STEPS 0x1p23
#define MAX_HOPS 64 /* from a value to where it is quantized */

/* ---- Definitions ---- */

int onnx_define(struct onnx_import *import, uint32_t i, const struct onnx_value *like)
{
	struct onnx_value *value = onnx_output(import, i);
	const char *name;

	if (!value)
		return 0;
	name = value->tensor.name;
	value->kind = like->kind;
	value->tensor = like->tensor;
	value->tensor.name = name;
	value->constant = like->constant;
	value->pending = like->pending;
	value->unrounded = like->unrounded;
	value->promised = like->promised;
	value->rows_of = like->rows_of;
	value->batch = like->batch;
	value->cut = onnx_find_cut(import);
	return 0;
}

int onnx_define_const(struct onnx_import *import, const struct nn_const *constant)
{
	struct onnx_value value = { .kind = ONNX_CONST,
				    .tensor.rank = constant->rank,
				    .constant = *constant };

	memcpy(value.tensor.dims, constant->dims, sizeof(value.tensor.dims));
	return onnx_define(import, 0, &value);
}

int onnx_repeat(struct onnx_import *import, const struct onnx_value *rows_of)
{
	struct onnx_value *value = onnx_output(import, 0);

	if (value)
		value->repeated_for = rows_of;
	return 0;
}

/* ---- Quantization ---- */

enum nn_data_type onnx_output_type(const Onnx__NodeProto *node)
{
	return nn_element_to_type(onnx_to_element(onnx_attr_int(node, "output_dtype", 0)));
}

int onnx_quant_read(struct onnx_import *import, const struct onnx_value *scale,
		    const struct onnx_value *zero_point, enum nn_data_type type, int64_t axis,
		    uint32_t rank, const uint32_t *dims, struct nn_quant *out)
{
	const struct nn_const *zero = zero_point->kind == ONNX_CONST ? &zero_point->constant : NULL;
	enum nn_data_type zero_type = zero ? nn_element_to_type(zero->element) : NN_UINT8;
	const char *wrong = NULL, *unknown = NULL;
	int err;

	if (scale->kind != ONNX_CONST || scale->constant.element != NN_ELEMENT_FLOAT)
		unknown = "its scale is no float constant";
	else if (scale->constant.rank > 1)
		unknown = "its scale has more than one dimension";
	else if (!zero && zero_point->kind != ONNX_ABSENT)
		unknown = "its zero point is no constant";
	else if (scale->constant.count == 0 ||
		 (zero && zero->count != scale->constant.count && zero->count != 1))
		wrong = "scale and zero point have different shapes";
	else if (!nn_type_has_scale(zero_type) || (zero && zero->is_narrow))
		unknown = "its zero point has a type that nnloop does not know";
	else if (type && zero && zero_type != type)
		wrong = "its zero point has another type than its integers";
	if (wrong || unknown)
		return onnx_fail(import, wrong ? -EINVAL : -EOPNOTSUPP, "%s",
				 wrong ? wrong : unknown);
	err = nn_quant_fill(&import->builder, type ? type : zero_type, &scale->constant, zero, axis,
			    rank, dims, out);
	if (!err && out->type == NN_UINT16) {
		out->type = NN_INT16;
		out->zero_point -= NN_UNSIGNED;
		out->is_unsigned = true;
	}
	return err;
}

/* Whether a node says what the integers that it reads mean, or how it rounds the reals. */
static bool says_quant(const Onnx__NodeProto *node, bool stored)
{
	const char *op = node->op_type;

	if (node->n_input < 2)
		return false;
	if (stored && (!strncmp(op, "QLinear", 7) || !strcmp(op, "QGemm")))
		return true;
	return !strcmp(op, stored ? "DequantizeLinear" : "QuantizeLinear");
}

/* They become a part of what waits (quantize.c). */
bool onnx_only_clamps(const Onnx__NodeProto *node)
{
	return !strcmp(node->op_type, "Relu") || !strcmp(node->op_type, "Clip");
}

static bool keeps_quant(const Onnx__NodeProto *node)
{
	return onnx_only_moves(node) || onnx_only_clamps(node);
}

/* The input that the value is of a node which says how its operands are quantized. */
static uint32_t find_operand(const Onnx__NodeProto *user, const struct onnx_value *value)
{
	if (strncmp(user->op_type, "QLinear", 7))
		return 0;
	if (strcmp(user->op_type, "QLinearConcat"))
		return user->n_input > 4 && strcmp(user->input[0], value->tensor.name) &&
				       !strcmp(user->input[3], value->tensor.name) ?
			       3 :
			       0;
	for (uint32_t i = 2; i + 1 < user->n_input; i += 3) {
		if (!strcmp(user->input[i], value->tensor.name))
			return i;
	}
	return 0;
}

/* Whether the node says how the value is quantized, or keeps that, if it does so of any. */
static bool is_operand(const Onnx__NodeProto *user, const struct onnx_value *value)
{
	return !strcmp(user->op_type, "Concat") ||
	       !strcmp(user->input[find_operand(user, value)], value->tensor.name);
}

#define MOST_MOVES 8 /* one behind the other, that are looked through */
/* Readers behind moves that are looked at for one value: each move can have many, so that of a small
 * file there would be no end otherwise. */
#define MOST_READERS 16384

/* A value is looked at next: its own readers are as many as the file says, and have no limit. */
static void begin_to_look(struct onnx_import *import, const struct onnx_value *value)
{
	import->readers_left = MOST_READERS + value->user_count;
}

/* Whether one more may be looked at. */
static bool may_look(struct onnx_import *import)
{
	return import->readers_left && import->readers_left--;
}

/* Whether anything reads more of what the node makes than its shape, maybe behind so many moves. */
static bool leads_on(struct onnx_import *import, const Onnx__NodeProto *node, uint32_t moves)
{
	const struct onnx_value *made = onnx_find(import, node->output[0]);

	if (!made || !made->user_count || !moves)
		return true;
	for (uint32_t i = 0; i < made->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[made->users[i]].node;
		bool is_shape = !strcmp(user->op_type, "Shape") || !strcmp(user->op_type, "Size");

		if (!may_look(import))
			return true;
		if (onnx_only_moves(user) && user->n_output ? leads_on(import, user, moves - 1) :
							      !is_shape)
			return true;
	}
	return false;
}

/* Once for each value: it may have many users, of whom many ask. What an operator does that nnloop
 * does not have, nobody knows: where there is nothing better, it keeps how a value is quantized. */
void onnx_index_quantizers(struct onnx_import *import, struct onnx_value *value)
{
	const struct onnx_value *guess = NULL;

	begin_to_look(import, value);
	for (uint32_t i = 0; i < value->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[value->users[i]].node;

		if (!user->n_input || !is_operand(user, value))
			continue;
		for (int stored = 0; stored < 2; stored++) {
			struct onnx_quantizer *quantizer = &value->quantizers[stored];

			if (!quantizer->node && says_quant(user, stored))
				quantizer->node = user;
			else if (!quantizer->next && user->n_output && keeps_quant(user) &&
				 leads_on(import, user, MOST_MOVES))
				quantizer->next = onnx_find(import, user->output[0]);
		}
		if (!guess && user->n_output && !onnx_find_op(user))
			guess = onnx_find(import, user->output[0]);
	}
	for (int stored = 0; stored < 2; stored++) {
		if (!value->quantizers[stored].next)
			value->quantizers[stored].next = guess;
	}
}

bool onnx_is_quantized(const struct onnx_value *value)
{
	for (int hops = 0; value && hops < MAX_HOPS; hops++, value = value->quantizers[0].next) {
		if (value->quantizers[0].node)
			return true;
	}
	return false;
}

static bool ends_alike(struct onnx_import *import, const struct onnx_value *value,
		       const Onnx__NodeProto **first, uint32_t moves);

/* The same of what comes out of a body, or goes around in it. */
static bool goes_on_alike(struct onnx_import *import, const struct onnx_value *value,
			  const Onnx__NodeProto **first, uint32_t moves)
{
	for (int i = 0; i < 2; i++) {
		const struct onnx_value *next = value->goes_on_as[i];

		if (!next || (!next->user_count && !next->is_output))
			continue;
		/* The model gives it in float. */
		if (!moves || (next->is_output && !next->goes_on_as[0] && !next->goes_on_as[1]))
			return false;
		if (!ends_alike(import, next, first, moves - 1))
			return false;
	}
	return true;
}

/*
 * Whether all that comes of a value behind operators that only move elements is quantized as
 * `first` says, which is the first that is found; what reads it otherwise needs it in float.
 */
static bool ends_alike(struct onnx_import *import, const struct onnx_value *value,
		       const Onnx__NodeProto **first, uint32_t moves)
{
	for (uint32_t i = 0; i < value->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[value->users[i]].node;
		bool is_first = user->n_input && !strcmp(user->input[0], value->tensor.name);

		if (!may_look(import))
			return false;
		if (!strcmp(user->op_type, "Shape") || !strcmp(user->op_type, "Size"))
			continue;
		if (is_first && says_quant(user, false)) {
			if (*first && (strcmp((*first)->input[1], user->input[1]) ||
				       (*first)->n_input != user->n_input ||
				       (user->n_input > 2 &&
					strcmp((*first)->input[2], user->input[2]))))
				return false;
			*first = user;
			continue;
		}
		if (!keeps_quant(user) || !moves)
			return false;
		for (size_t k = 0; k < user->n_output; k++) {
			const struct onnx_value *made = onnx_find(import, user->output[k]);

			if (made && *user->output[k] && !ends_alike(import, made, first, moves - 1))
				return false;
		}
	}
	return goes_on_alike(import, value, first, moves);
}

/* Whether an operator copies elements as they are, and neither compares nor clamps them. */
static bool only_copies(const Onnx__NodeProto *node)
{
	static const char *const names[] = {
		"Concat", "DepthToSpace", "Dropout", "Expand", "Flatten", "Gather", "Identity",
		"Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose",
		"Unsqueeze",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(node->op_type, names[i]))
			return onnx_only_moves(node);
	}
	return false;
}

static bool is_copied(struct onnx_import *import, const struct onnx_value *value, uint32_t moves)
{
	if (value->is_output || value->goes_on_as[0] || value->goes_on_as[1])
		return false;
	for (uint32_t i = 0; i < value->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[value->users[i]].node;

		if (!may_look(import))
			return false;
		if (says_quant(user, false) && !strcmp(user->input[0], value->tensor.name))
			continue;
		if (!only_copies(user) || !moves)
			return false;
		for (size_t k = 0; k < user->n_output; k++) {
			const struct onnx_value *made = onnx_find(import, user->output[k]);

			if (made && *user->output[k] && !is_copied(import, made, moves - 1))
				return false;
		}
	}
	return true;
}

bool onnx_is_copied(struct onnx_import *import, const struct onnx_value *value)
{
	const struct onnx_value *own = onnx_find(import, value->tensor.name);

	if (!own)
		return false;
	begin_to_look(import, own);
	return is_copied(import, own, MOST_MOVES);
}

bool onnx_is_quantized_alike(struct onnx_import *import, const struct onnx_value *value)
{
	struct onnx_value *own = onnx_find(import, value->tensor.name);
	const Onnx__NodeProto *first = NULL;

	if (!own)
		return false;
	begin_to_look(import, own);
	/* Found once, since each of its users may ask. */
	if (own->ends == ONNX_ENDS_UNKNOWN)
		own->ends = onnx_is_quantized(own) && ends_alike(import, own, &first, MOST_MOVES) ?
				    ONNX_ENDS_ALIKE : ONNX_ENDS_OTHERWISE;
	return own->ends == ONNX_ENDS_ALIKE;
}

int onnx_find_quant(struct onnx_import *import, const struct onnx_value *value, bool stored,
		    enum nn_data_type type, struct nn_quant *quant)
{
	const struct onnx_value *start = value;

	for (int hops = 0; value && hops < MAX_HOPS;
	     hops++, value = value->quantizers[stored].next) {
		const Onnx__NodeProto *node = value->quantizers[stored].node;
		const struct onnx_value *scale, *zero;
		uint32_t at;

		if (!node)
			continue;
		at = find_operand(node, value);
		scale = onnx_find(import, node->input[at + 1]);
		zero = at + 2 < node->n_input ? onnx_find(import, node->input[at + 2]) : NULL;
		if ((scale && scale->kind == ONNX_REFUSED) || (zero && zero->kind == ONNX_REFUSED))
			return onnx_follow(import);
		if (scale && scale->kind == ONNX_CONST && scale->constant.count > 1)
			return onnx_fail(import, -EOPNOTSUPP,
					 "%s has a scale for each index of an axis; nnloop knows that "
					 "of constants",
					 onnx_quote(import, start->tensor.name));
		return onnx_quant_read(import, scale ? scale : &import->absent,
				       zero ? zero : &import->absent,
				       stored ? type : onnx_output_type(node), 0, 0, NULL, quant);
	}
	*quant = (struct nn_quant){ .type = type };
	if (stored)
		return 0;
	return onnx_fail_float(
		import,
		"%s is computed in float, and no QuantizeLinear follows; only quantized models can be run",
		onnx_quote(import, start->tensor.name));
}

/* ---- Rounding ---- */

static int emit_pending(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	const Onnx__NodeProto *node = import->node;
	const char *activation = pending->takes_activation ? nn_range_activation(&pending->range) :
							     NULL;
	int err;

	if (*pending->failed)
		return onnx_follow(import);
	onnx_look_at(import, pending->node);
	err = pending->emit(import, pending, quant, activation, out);
	if (!err && !activation && nn_range_is_bounded(&pending->range))
		err = nn_build_clamp(&import->builder, out, &pending->range, quant, out);
	*pending->failed = err;
	if (!err)
		onnx_look_at(import, node);
	return err;
}

static bool is_power_of_two(float scale)
{
	int exponent;

	return frexpf(scale, &exponent) == 0.5f;
}

bool onnx_is_computed(enum nn_data_type type)
{
	return nn_type_is_8bit(type) || type == NN_INT16;
}

double onnx_find_span(const struct nn_quant *quant)
{
	return (quant->type == NN_INT16 ? 65535 : 255) * (double)quant->scale;
}

int onnx_check_sums(struct onnx_import *import, double greatest, const struct nn_quant *quant)
{
	double steps = greatest / (double)quant->scale;

	if (steps <= (quant->type == NN_INT16 ? MOST_WIDE_STEPS : MOST_STEPS))
		return 0;
	return onnx_fail(
		import, -EOPNOTSUPP,
		"what it sums is up to %g steps of its result, of which what float32 leaves of a sum "
		"that is nearly 0 is more than one\n"
		"quantize its result with the range that its numbers have",
		steps);
}

int onnx_check_products(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant)
{
	double input = onnx_find_span(&pending->operands[0]->tensor.quant);

	/* Without a scale it is an integer, and so is each of its sums. */
	for (uint32_t o = 0; quant->scale && o < pending->weights.outputs; o++) {
		double weights = 255 * nn_quant_scale(pending->weights.parameter.quant, o);
		int err = onnx_check_sums(import, input * weights, quant);

		if (err)
			return err;
	}
	return 0;
}

int onnx_quantize_input(struct onnx_import *import, const struct onnx_value *value,
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	return nn_build_unary(&import->builder, import->floats ? "FloatConvert" : "Quantize",
			      &value->tensor, NULL, 0, quant, out);
}

int onnx_settle(struct onnx_import *import, const struct onnx_value *value,
		const struct nn_quant *quant, struct nn_build_tensor *out)
{
	int err;

	if (import->floats && quant->type == NN_FLOAT32)
		return onnx_make_float(import, value, out);
	if (!onnx_is_computed(quant->type))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %s, and nnloop has operators for 8 and 16 bits only"
				 ONNX_8_BITS,
				 nn_data_type_name(quant->type));
	if (quant->scales)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it quantizes a result with one scale per index of an axis");
	if (value->kind == ONNX_REAL && nn_quant_equal(&value->tensor.quant, quant)) {
		*out = value->tensor;
		return 0;
	}
	if (value->kind == ONNX_REAL && value->tensor.quant.type == NN_FLOAT32)
		return onnx_quantize_input(import, value, quant, out);
	import->needs_float |= value->kind == ONNX_REAL && value->unrounded;
	if (value->kind == ONNX_REAL && value->unrounded)
		return nn_builder_fail_float(
			&import->builder,
			onnx_fail(
				import, -EOPNOTSUPP,
				"it quantizes a float input of the model that is also quantized with another scale or zero point"
				ONNX_QUANTIZE_INPUT));
	if (value->kind == ONNX_REAL && value->promised)
		return nn_builder_fail_float(
			&import->builder,
			onnx_fail(
				import, -EOPNOTSUPP,
				"it quantizes what is also quantized with another scale, both of which read it in float"));
	if (value->kind == ONNX_REAL && value->tensor.quant.type == NN_INT32 &&
	    quant->type == NN_INT16)
		return onnx_fail(import, -EOPNOTSUPP, "it quantizes int32 to 16 bits" ONNX_8_BITS);
	/* ONNX multiplies and divides, each rounded; nnloop multiplies once. */
	if (value->kind == ONNX_REAL && value->tensor.quant.type == NN_INT32 &&
	    (!is_power_of_two(value->tensor.quant.scale) || !is_power_of_two(quant->scale)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it quantizes int32 where a scale is no power of two");
	if (value->kind == ONNX_REAL && value->tensor.quant.type == NN_INT32 &&
	    !isnormal(value->tensor.quant.scale / quant->scale))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it quantizes int32 of scale %g with scale %g, and float32 does not "
				 "have what is between them",
				 (double)value->tensor.quant.scale, (double)quant->scale);
	if (value->kind == ONNX_REAL)
		err = nn_build_unary(&import->builder, "Requantize", &value->tensor, NULL, 0, quant,
				     out);
	else
		err = emit_pending(import, value->pending, quant, out);
	/* It is that value, but for one that has other integers already, under that name. */
	if (value->kind != ONNX_REAL)
		out->name = value->tensor.name;
	return err;
}
