// SPDX-License-Identifier: MIT
/*
 * Values of an ONNX model that go into a body or come out of it, as tensors of the graph.
 *
 * What the model carries in float is quantized in nnloop. Where a body ends with a
 * DequantizeLinear, that says how, and the value is what the model has. Else it is rounded as the
 * first QuantizeLinear that it reaches would round it: on the way through the body again, or behind
 * the loop. Then nothing but that may read it (onnx_value.promised).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/onnx/control.h"

#define MAX_HOPS 64 /* from where a value leaves a body to where it is dequantized */

bool onnx_is_real(const struct onnx_value *value)
{
	return value->kind == ONNX_REAL || value->kind == ONNX_REAL_CONST ||
	       value->kind == ONNX_PENDING ||
	       (value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT);
}

/* ---- How it is quantized ---- */

/* The quantization that a DequantizeLinear gives, if that is known. */
static bool read_dequantizer(struct onnx_import *import, const Onnx__NodeProto *node,
			     struct nn_quant *quant)
{
	const struct onnx_value *scale, *zero;

	scale = node->n_input > 1 ? onnx_find(import, node->input[1]) : NULL;
	zero = node->n_input > 2 ? onnx_find(import, node->input[2]) : NULL;
	if (!scale || scale->kind != ONNX_CONST || scale->constant.count != 1 ||
	    (zero && (zero->kind != ONNX_CONST || zero->constant.count != 1)))
		return false;
	return !onnx_quant_read(import, scale, zero ? zero : &import->absent, 0, 0, 0, NULL, quant);
}

/* The value that a node with a body makes its output i of; NULL: none. */
static const char *find_inside(const Onnx__NodeProto *node, const char *output)
{
	const Onnx__GraphProto *bodies[2];
	bool is_loop = !strcmp(node->op_type, "Loop");

	if (!onnx_find_bodies(node, bodies))
		return NULL;
	for (size_t i = 0; i < node->n_output; i++) {
		if (!strcmp(node->output[i], output))
			return i + is_loop < bodies[0]->n_output ?
				       bodies[0]->output[i + is_loop]->name : NULL;
	}
	return NULL;
}

bool onnx_find_exact(struct onnx_import *import, const char *name, struct nn_quant *quant)
{
	for (int hops = 0; name && hops < MAX_HOPS; hops++) {
		const struct onnx_value *value = onnx_find(import, name);
		const Onnx__NodeProto *maker = value ? value->maker : NULL;

		if (value && value->kind == ONNX_REAL && !value->unrounded && !value->promised) {
			*quant = value->tensor.quant;
			return true;
		}
		if (!maker) {
			name = value ? value->begins_as : NULL;
			continue;
		}
		if (!maker->n_input)
			return false;
		if (!strcmp(maker->op_type, "DequantizeLinear"))
			return read_dequantizer(import, maker, quant);
		if (onnx_is_control(maker))
			name = find_inside(maker, name);
		else
			name = onnx_only_moves(maker) ? maker->input[0] : NULL;
	}
	return false;
}

int onnx_find_stored_quant(struct onnx_import *import, const struct onnx_value *value,
			   struct nn_quant *quant)
{
	if (!import->floats || onnx_is_quantized_alike(import, value))
		return onnx_find_quant(import, value, false, 0, quant);
	*quant = nn_quant_float;
	return 0;
}

int onnx_find_carried_quant(struct onnx_import *import, const struct onnx_value *next,
			    const struct onnx_value *initial, struct nn_quant *quant)
{
	if (!import->floats && !onnx_is_quantized(next) && initial->kind == ONNX_REAL &&
	    !initial->unrounded && !initial->promised) {
		*quant = initial->tensor.quant;
		return 0;
	}
	return onnx_find_stored_quant(import, next, quant);
}

/* ---- As a tensor ---- */

static bool is_same(const struct nn_const *a, const struct nn_const *b)
{
	for (uint64_t i = 0; i < a->count; i++) {
		if (nn_const_float(a, i) != nn_const_float(b, i))
			return false;
	}
	return true;
}

/* Likewise as floats. */
static int store_float_const(struct onnx_import *import, const struct onnx_value *value,
			     struct onnx_value *out)
{
	struct nn_const floats;
	int err = onnx_read_floats(import, value, "constant", &floats);

	if (err)
		return err;
	out->promised = true;
	out->tensor.quant = nn_quant_float;
	return nn_build_fixed_const(&import->builder, &out->tensor, floats.data);
}

/* A constant of floats, or what stands for them, as `quant` says. */
static int store_real_const(struct onnx_import *import, const struct onnx_value *value,
			    const struct nn_quant *quant, struct onnx_value *out)
{
	struct nn_const floats = value->constant, stored, back;
	int err = 0;

	if (value->kind == ONNX_REAL_CONST)
		err = nn_const_dequantize(&import->builder, &value->constant, &value->tensor.quant,
					  &floats);
	if (!err)
		err = nn_const_quantize(&import->builder, &floats, quant, &stored);
	if (!err)
		err = nn_const_dequantize(&import->builder, &stored, quant, &back);
	if (err)
		return err;
	out->promised = !is_same(&floats, &back);
	out->tensor.quant = *quant;
	return nn_build_fixed_const(&import->builder, &out->tensor, stored.data);
}

static int store_const(struct onnx_import *import, const struct onnx_value *value,
		       const struct nn_quant *wanted, struct onnx_value *out)
{
	const struct nn_quant plain = { .type = nn_element_to_type(value->constant.element) };
	const struct nn_quant *quant = wanted ? wanted : &value->tensor.quant;

	out->tensor.dims[0] = out->tensor.rank ? out->tensor.dims[0] : 1;
	if (onnx_is_real(value) && quant->type == NN_FLOAT32)
		return store_float_const(import, value, out);
	if (onnx_is_real(value)) {
		if (quant->scales || !onnx_is_computed(quant->type))
			return onnx_fail_float(import,
					       "the constant %s that goes through it is not "
					       "quantized with one scale",
					       onnx_quote(import, value->tensor.name));
		return store_real_const(import, value, quant, out);
	}
	out->tensor.quant = wanted ? *wanted : plain;
	if (!plain.type || out->tensor.quant.type != plain.type || out->tensor.quant.is_unsigned)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the constant %s that goes through it is of %s",
				 onnx_quote(import, value->tensor.name),
				 nn_element_name(value->constant.element));
	return nn_build_fixed_const(&import->builder, &out->tensor, value->constant.data);
}

int onnx_store(struct onnx_import *import, const struct onnx_value *value,
	       const struct nn_quant *wanted, struct onnx_value *out)
{
	const char *name = onnx_quote(import, value->tensor.name);
	struct nn_quant quant;
	int err;

	*out = *value;
	out->kind = onnx_is_real(value) ? ONNX_REAL : ONNX_STORED;
	out->unrounded = false;
	if (value->kind == ONNX_REFUSED)
		return onnx_follow(import);
	if (onnx_is_const(value))
		return store_const(import, value, wanted, out);
	if (!onnx_is_tensor(value) && value->kind != ONNX_PENDING)
		return onnx_fail(import, -EOPNOTSUPP, "%s, which goes through it, is no tensor",
				 name);
	if (onnx_is_tensor(value) && value->tensor.layout == NN_LAYOUT_FLAT_NHWC)
		err = nn_build_layout(&import->builder, &value->tensor, NN_LAYOUT_PLAIN,
				      &out->tensor);
	else
		err = 0;
	if (err || value->kind == ONNX_STORED) {
		if (!err && wanted && !nn_quant_equal(&value->tensor.quant, wanted))
			err = onnx_fail(import, -EOPNOTSUPP,
					"%s, which goes through it, changes its type, its scale or "
					"its zero point", name);
		return err;
	}
	/* What is a float for others stays so; its rounding is left to who quantizes it. */
	if (value->kind == ONNX_REAL && !value->unrounded && onnx_is_computed(value->tensor.quant.type) &&
	    (!wanted || nn_quant_equal(&value->tensor.quant, wanted)))
		return 0;
	quant = value->tensor.quant;
	if (wanted)
		quant = *wanted;
	else if (value->kind == ONNX_PENDING || quant.type == NN_FLOAT32)
		err = onnx_find_stored_quant(import, value, &quant);
	if (!err && value->kind == ONNX_REAL && nn_quant_equal(&value->tensor.quant, &quant))
		*out = *value;
	else if (!err)
		err = onnx_settle(import, value, &quant, &out->tensor);
	if (err)
		return err;
	out->kind = ONNX_REAL;
	out->promised = true;
	out->unrounded = false;
	out->pending = NULL;
	return out->tensor.layout == NN_LAYOUT_FLAT_NHWC ?
		       nn_build_layout(&import->builder, &out->tensor, NN_LAYOUT_PLAIN,
				       &out->tensor) :
		       0;
}

bool onnx_has_shape_of(const struct nn_build_tensor *a, const struct nn_build_tensor *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

int onnx_give(struct onnx_import *import, uint32_t i, const struct onnx_value *value,
	      const struct nn_build_tensor *tensor)
{
	struct onnx_value made = {
		.kind = value->kind, .tensor = *tensor, .promised = value->promised
	};

	return onnx_define(import, i, &made);
}

/* ---- Numbers that decide ---- */

int onnx_need_one(struct onnx_import *import, const struct onnx_value **value,
		  enum nn_data_type type, const char *what)
{
	const uint32_t one = 1;
	const struct onnx_value *from = *value;
	struct onnx_value *flat;
	bool is_one = from->kind == ONNX_CONST ?
			      nn_const_is_one(&from->constant, (enum nn_element)type) :
			      from->kind == ONNX_STORED && from->tensor.quant.type == type &&
				      nn_is_single(&from->tensor);

	if (from->kind == ONNX_REFUSED)
		return onnx_follow(import);
	if (!is_one)
		return onnx_fail(import, from->kind == ONNX_STORED ? -EINVAL : -EOPNOTSUPP,
				 "its %s is no tensor of one %s", what, nn_data_type_name(type));
	if (from->kind == ONNX_CONST || from->tensor.rank < 2)
		return 0;
	flat = onnx_alloc(import, 1, sizeof(*flat));
	if (!flat)
		return -ENOMEM;
	*flat = *from;
	*value = flat;
	return nn_build_whole_reshape(&import->builder, &from->tensor, 1, &one, &flat->tensor);
}

int onnx_combine(struct onnx_import *import, const char *function, const struct nn_operand *a,
		 const struct nn_operand *b, struct nn_build_tensor *out)
{
	const struct nn_operand operands[2] = { *a, *b };
	bool compares = !strcmp(function, "less");
	const struct nn_attr attrs[2] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
		{ .name = "rounding", .type = NN_ATTR_STRING, .string = "stored" },
	};
	const struct nn_quant quant = { .type = a->tensor ? a->tensor->quant.type :
							    b->tensor->quant.type };

	return nn_build_whole_broadcast(&import->builder, compares ? "Compare" : "Integers",
					operands, 2, attrs, compares ? 2 : 1,
					compares ? &nn_quant_truth : &quant, out);
}

int onnx_combine_number(struct onnx_import *import, const char *function,
			const struct nn_build_tensor *x, int32_t number, bool number_first,
			struct nn_build_tensor *out)
{
	struct nn_quant *plain = onnx_alloc(import, 1, sizeof(*plain));
	const struct nn_operand tensor = { .tensor = x };
	struct nn_operand constant;
	int err;

	if (!plain)
		return -ENOMEM;
	plain->type = x->quant.type;
	err = nn_number_operand(&import->builder, number, plain, &constant);
	if (err)
		return err;
	return number_first ? onnx_combine(import, function, &constant, &tensor, out) :
			      onnx_combine(import, function, &tensor, &constant, out);
}
