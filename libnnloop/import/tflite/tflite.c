// SPDX-License-Identifier: MIT
/*
 * nn_graph_import_tflite(): the walk over a model. Operators are listed so that each comes after
 * those that it reads.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "import/tflite/tflite.h"

void tflite_look_at(struct tflite_import *import, const struct tflite_operator *operator)
{
	import->now = operator;
	import->is_lifted = false;
	memset(&import->builder.node, 0, sizeof(import->builder.node));
	import->builder.result = NULL;
	if (!operator)
		return;
	import->builder.node.op = operator->custom ? operator->custom :
						     tflite_code_name(operator->code);
	import->builder.node.key = operator->place;
	if (operator->output_count)
		import->builder.result = import->tensors[operator->outputs[0]].name;
	import->builder.node.result = import->builder.result;
}

int tflite_note(struct tflite_import *import, struct tflite_operator *operator, int err)
{
	if (!err)
		return 0;
	err = nn_builder_note(&import->builder, err, NULL);
	if (err)
		return err;
	operator->is_refused = true;
	for (uint32_t i = 0; i < operator->output_count; i++)
		import->tensors[operator->outputs[i]].is_refused = true;
	return 0;
}

/* ---- Tensors ---- */

/* Checks what a tensor must be, whether it is a variable or not. */
static int check_any_tensor(struct tflite_import *import, const struct tflite_tensor *tensor)
{
	const char *name = tflite_quote(import, tensor->name);

	if (tensor->flags & TFLITE_SPARSE)
		return tflite_fail(import, -EOPNOTSUPP, "tensor %s is stored as a sparse one",
				   name);
	if (tensor->flags & TFLITE_OTHER_QUANT)
		return tflite_fail(import, -EOPNOTSUPP,
				   "tensor %s is quantized in a way that nnloop does not know",
				   name);
	for (uint64_t i = 0; i < tensor->zero_points.count; i++) {
		int64_t zero = nn_const_int(&tensor->zero_points, i);

		if (zero < INT16_MIN || zero > UINT16_MAX)
			return tflite_fail(import, -EINVAL,
					   "tensor %s has zero point %" PRId64, name, zero);
	}
	return 0;
}

/* The same of one that is no variable. */
static int check_tensor(struct tflite_import *import, const struct tflite_tensor *tensor)
{
	if (tensor->flags & TFLITE_VARIABLE)
		return tflite_fail(import, -EOPNOTSUPP,
				   "tensor %s keeps its elements from one run to the next",
				   tflite_quote(import, tensor->name));
	return check_any_tensor(import, tensor);
}

/* Finds how the elements of a tensor, which are taken for the type, are quantized. */
static int find_elements_quant(struct tflite_import *import, const struct tflite_tensor *tensor,
			       enum nn_data_type type, struct nn_quant *out)
{
	if (type == NN_FLOAT32 && import->floats) {
		*out = (struct nn_quant){ .type = type };
		return 0;
	}
	if (!type || type == NN_FLOAT32)
		return tflite_fail(
			import, -EOPNOTSUPP, "tensor %s is of %s; nnloop computes with %s",
			tflite_quote(import, tensor->name), tflite_type_name(tensor->type),
			type ? "integers" QUANTIZE_ALL : "int8, uint8, int32, int64 and bool");
	*out = (struct nn_quant){ .type = type };
	if (!tensor->scales.count)
		return 0;
	if (!nn_type_has_scale(type))
		return tflite_fail(import, -EOPNOTSUPP, "tensor %s is of %s, and has a scale",
				   tflite_quote(import, tensor->name),
				   tflite_type_name(tensor->type));
	return nn_quant_fill(&import->builder, type, &tensor->scales,
			     tensor->zero_points.count ? &tensor->zero_points : NULL, tensor->axis,
			     tensor->rank, tensor->dims, out);
}

/* Finds how a tensor is quantized, whose elements are taken for the type. */
static int find_quant_as(struct tflite_import *import, const struct tflite_tensor *tensor,
			 enum nn_data_type type, struct nn_quant *out)
{
	int err = check_tensor(import, tensor);

	return err ? err : find_elements_quant(import, tensor, type, out);
}

/* Finds how a tensor is quantized. */
static int find_quant(struct tflite_import *import, const struct tflite_tensor *tensor,
		      struct nn_quant *out)
{
	return find_quant_as(import, tensor, nn_element_to_type(tensor->element), out);
}

/* The same, of what is computed: with one scale, or none. */
static int find_tensor_quant(struct tflite_import *import, const struct tflite_tensor *tensor,
			     struct nn_quant *out)
{
	int err;

	if (import->real_quant && tensor->element == NN_ELEMENT_FLOAT) {
		*out = *import->real_quant;
		return 0;
	}
	err = find_quant(import, tensor, out);
	if (!err && out->scales)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "tensor %s is computed, and has one scale for each index of "
				  "dimension %" PRIu32,
				  tflite_quote(import, tensor->name), out->axis);
	return err;
}

int tflite_tensor_quant(struct tflite_import *import, const struct tflite_tensor *tensor,
			struct nn_quant *out)
{
	return find_tensor_quant(import, tensor, out);
}

int64_t tflite_first_zero_point(const struct tflite_tensor *tensor)
{
	return tensor->zero_points.count ? nn_const_int(&tensor->zero_points, 0) : 0;
}

/* A tensor's dimensions, with NN_ROWS where the batch is meant. */
static void find_shape(const struct tflite_import *import, const struct tflite_tensor *tensor,
		       uint32_t *dims)
{
	memcpy(dims, tensor->dims, sizeof(tensor->dims));
	if (tensor->rank && import->has_rows &&
	    (import->one_is_batch ? dims[0] == 1 : tensor->open & 1))
		dims[0] = NN_ROWS;
}

void tflite_fill_open(struct tflite_import *import, uint32_t i, uint32_t rank,
		      const uint32_t *dims)
{
	struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];

	for (uint32_t k = 0; rank == tensor->rank && k < rank; k++) {
		if (tensor->open & 1u << k && dims[k] != NN_ROWS)
			tensor->dims[k] = dims[k];
		else if (tensor->open & 1u << k && import->one_is_batch)
			tensor->dims[k] = 1;
	}
}

int tflite_need_shape(struct tflite_import *import, uint32_t rank, const uint32_t *dims,
		      const char *than)
{
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];

	tflite_fill_open(import, 0, rank, dims);
	if (output->rank == rank && !memcmp(output->dims, dims, rank * sizeof(*dims)))
		return 0;
	return tflite_fail(import, -EINVAL, "its output has another shape than %s", than);
}

static const char *format_dims(struct tflite_import *import, uint32_t rank, const uint32_t *dims)
{
	char *text = tflite_alloc(import, NN_MAX_RANK, 12);
	size_t length = 0;

	if (!text || !rank)
		return "a single number";
	for (uint32_t i = 0; i < rank; i++)
		length += sprintf(text + length, i || dims[i] != NN_ROWS ? "%s%" PRIu32 : "%sN",
				  i ? "x" : "", dims[i]);
	return text;
}

/* ---- Operands ---- */

bool tflite_has_input(const struct tflite_import *import, uint32_t i)
{
	return i < import->now->input_count && import->now->inputs[i] >= 0;
}

static struct tflite_tensor *get_input(struct tflite_import *import, uint32_t i)
{
	if (tflite_has_input(import, i))
		return &import->tensors[import->now->inputs[i]];
	tflite_fail(import, -EINVAL, "its input %" PRIu32 " is left out", i);
	return NULL;
}

const struct tflite_tensor *tflite_filled_input(const struct tflite_import *import, uint32_t i)
{
	const struct tflite_tensor *tensor = NULL;

	if (tflite_has_input(import, i))
		tensor = &import->tensors[import->now->inputs[i]];
	return tensor && tensor->is_filled && !tensor->made ? tensor : NULL;
}

bool tflite_lift(struct tflite_import *import)
{
	import->is_lifted = import->one_is_batch && import->now->op->takes_items;
	return import->is_lifted;
}

/* The most dimensions that the file gives a tensor that the current operator reads. */
static uint32_t most_dims(const struct tflite_import *import)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < import->now->input_count; i++) {
		const struct tflite_tensor *tensor = &import->tensors[import->now->inputs[i]];

		if (tflite_has_input(import, i) && !tensor->is_constant && tensor->rank > most)
			most = tensor->rank;
	}
	return most;
}

/*
 * A tensor in front of whose dimensions, as the file has them, the batch is; with as many of them
 * as the operator's other one has. NULL: the error is set.
 */
static const struct nn_build_tensor *lift(struct tflite_import *import,
					  const struct tflite_tensor *tensor,
					  const struct nn_build_tensor *made)
{
	const uint32_t most = most_dims(import), ones = most - tensor->rank;
	struct nn_build_tensor *lifted = tflite_alloc(import, 1, sizeof(*lifted));
	uint32_t dims[NN_MAX_RANK] = { NN_ROWS };

	if (!lifted || (made->rank == most + 1 && (tensor->is_item || tensor->adds_batch)))
		return lifted ? made : NULL;
	if (most == NN_MAX_RANK || made->dims[0] != NN_ROWS) {
		tflite_fail(import, -EOPNOTSUPP,
			    "its input %s has %d dimensions, or none for the batch",
			    tflite_quote(import, tensor->name), NN_MAX_RANK);
		return NULL;
	}
	for (uint32_t i = 0; i < most; i++)
		dims[1 + i] = i < ones ? 1 : tensor->dims[i - ones];
	if (nn_build_reshape(&import->builder, made, most + 1, dims, lifted))
		return NULL;
	return lifted;
}

const struct nn_build_tensor *tflite_item_input(struct tflite_import *import, uint32_t i,
						bool may_be_real)
{
	struct tflite_tensor *tensor = get_input(import, i);
	const struct nn_build_tensor *made;

	if (!tensor)
		return NULL;
	if (tensor->is_filled && !tensor->is_real && !tensor->made &&
	    tflite_make_filled(import, tensor))
		return NULL;
	made = tensor->made;
	if (made && tensor->is_real && !tensor->is_unrounded && !may_be_real &&
	    !import->real_quant && import->floats) {
		made = tflite_as_floats(import, tensor);
		may_be_real = true;
		if (!made)
			return NULL;
	}
	if (made && (may_be_real || !tensor->is_real || import->real_quant))
		return import->is_lifted ? lift(import, tensor, made) : made;
	if (made)
		tflite_fail(import, -EOPNOTSUPP,
			    "its input %s is of float32; nnloop computes with integers" QUANTIZE_ALL,
			    tflite_quote(import, tensor->name));
	else if (tensor->is_constant)
		tflite_fail(import, -EOPNOTSUPP, "its input %s is a constant",
			    tflite_quote(import, tensor->name));
	else
		tflite_fail(import, -EINVAL,
			    "its input %s is made by an operator that comes later, or by none",
			    tflite_quote(import, tensor->name));
	return NULL;
}

const struct nn_build_tensor *tflite_tensor_input(struct tflite_import *import, uint32_t i)
{
	const struct nn_build_tensor *made = tflite_item_input(import, i, false);

	if (!made || import->is_lifted || !import->tensors[import->now->inputs[i]].is_item)
		return made;
	tflite_fail(import, -EOPNOTSUPP,
		    "its input %s has no dimension for the batch, which nnloop does not know for "
		    "it",
		    tflite_quote(import, made->name));
	return NULL;
}

const struct nn_build_tensor *tflite_8bit_input(struct tflite_import *import, uint32_t i)
{
	const struct nn_build_tensor *tensor = tflite_tensor_input(import, i);

	if (!tensor || (nn_type_is_8bit(tensor->quant.type) && tensor->quant.scale))
		return tensor;
	tflite_fail(import, -EOPNOTSUPP, "its input %s is of %s%s; nnloop knows it for int8 and uint8",
		    tflite_quote(import, tensor->name), nn_data_type_name(tensor->quant.type),
		    tensor->quant.scale ? "" : " without a scale");
	return NULL;
}

const struct nn_build_tensor *tflite_quantized_input(struct tflite_import *import, uint32_t i)
{
	const struct nn_build_tensor *tensor = tflite_tensor_input(import, i);

	if (!tensor || tensor->quant.type != NN_INT16)
		return tensor ? tflite_8bit_input(import, i) : NULL;
	if (tensor->quant.scale && !tensor->quant.zero_point)
		return tensor;
	tflite_fail(import, -EOPNOTSUPP,
		    "its input %s is of int16, which needs a scale, and zero point 0",
		    tflite_quote(import, tensor->name));
	return NULL;
}

static const struct tflite_tensor *get_constant(struct tflite_import *import, uint32_t i)
{
	const struct tflite_tensor *tensor = get_input(import, i);

	if (!tensor)
		return NULL;
	if (tensor->is_constant && tensor->constant.element && !check_tensor(import, tensor))
		return tensor;
	if (!tensor->is_constant)
		tflite_fail(import, -EOPNOTSUPP, "its input %s is no constant",
			    tflite_quote(import, tensor->name));
	else if (!tensor->constant.element)
		tflite_fail(import, -EOPNOTSUPP, "its input %s is of %s",
			    tflite_quote(import, tensor->name), tflite_type_name(tensor->type));
	return NULL;
}

/* Whether a tensor is a list without elements: nothing has made it, and its buffer is empty. */
static bool is_empty_list(const struct tflite_tensor *tensor)
{
	return tensor->rank == 1 && !tensor->dims[0] && !tensor->made && !tensor->is_refused &&
	       !tensor->is_constant;
}

const struct nn_const *tflite_ints_input(struct tflite_import *import, uint32_t i)
{
	static const struct nn_const empty = { .element = NN_ELEMENT_INT32, .rank = 1 };
	const struct tflite_tensor *tensor;

	if (tflite_has_input(import, i) && is_empty_list(&import->tensors[import->now->inputs[i]]))
		return &empty;
	tensor = get_constant(import, i);
	if (!tensor)
		return NULL;
	if (tensor->element == NN_ELEMENT_INT32 || tensor->element == NN_ELEMENT_INT64)
		return &tensor->constant;
	tflite_fail(import, -EINVAL, "its input %s is of %s",
		    tflite_quote(import, tensor->name), tflite_type_name(tensor->type));
	return NULL;
}

/* A constant whose elements, where they are of int64, are taken for `wide`. */
static int parameter_input(struct tflite_import *import, uint32_t i, enum nn_data_type wide,
			   struct nn_parameter *out)
{
	const struct tflite_tensor *tensor = get_constant(import, i);
	struct nn_quant *quant = tflite_alloc(import, 1, sizeof(*quant));
	enum nn_data_type type;
	int err;

	if (!tensor || !quant)
		return tflite_failed(import);
	type = tensor->element == NN_ELEMENT_INT64 ? wide : nn_element_to_type(tensor->element);
	err = find_quant_as(import, tensor, type, quant);
	*out = (struct nn_parameter){
		.name = tensor->name,
		.values = &tensor->constant,
		.quant = quant,
	};
	return err;
}

int tflite_parameter_input(struct tflite_import *import, uint32_t i, struct nn_parameter *out)
{
	return parameter_input(import, i, 0, out);
}

int tflite_bias_input(struct tflite_import *import, uint32_t i, struct nn_parameter *out)
{
	return parameter_input(import, i, NN_INT32, out);
}

int tflite_operand_input(struct tflite_import *import, uint32_t i, struct nn_operand *out)
{
	const struct tflite_tensor *tensor = get_input(import, i);
	int err;

	*out = (struct nn_operand){ 0 };
	if (!tensor)
		return tflite_failed(import);
	if (!tensor->is_constant) {
		out->tensor = tflite_8bit_input(import, i);
		return out->tensor ? 0 : tflite_failed(import);
	}
	err = tflite_parameter_input(import, i, &out->constant);
	if (!err && (!nn_type_is_8bit(out->constant.quant->type) || !out->constant.quant->scale))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its constant %s is of %s; nnloop knows int8 and uint8 with one "
				  "scale there",
				  tflite_quote(import, tensor->name),
				  tflite_type_name(tensor->type));
	return err;
}

int tflite_stored_operand_input(struct tflite_import *import, uint32_t i, struct nn_operand *out)
{
	const struct tflite_tensor *tensor = get_input(import, i);

	*out = (struct nn_operand){ 0 };
	if (!tensor)
		return tflite_failed(import);
	if (tensor->is_constant)
		return parameter_input(import, i, NN_INT64, &out->constant);
	out->tensor = tflite_tensor_input(import, i);
	return out->tensor ? 0 : tflite_failed(import);
}

int tflite_real_parameter_input(struct tflite_import *import, uint32_t i, struct nn_parameter *out)
{
	const struct tflite_tensor *tensor = get_constant(import, i);
	static const struct nn_quant real = { .type = NN_FLOAT32 };

	if (!tensor)
		return tflite_failed(import);
	if (tensor->element != NN_ELEMENT_FLOAT)
		return tflite_parameter_input(import, i, out);
	*out = (struct nn_parameter){
		.name = tensor->name,
		.values = &tensor->constant,
		.quant = &real,
	};
	return 0;
}

int tflite_state_input(struct tflite_import *import, uint32_t i, const struct tflite_tensor **state,
		       struct nn_quant *quant)
{
	struct tflite_tensor *tensor = get_input(import, i);
	const char *name;
	int err;

	if (!tensor)
		return tflite_failed(import);
	name = tflite_quote(import, tensor->name);
	if (!(tensor->flags & TFLITE_VARIABLE) || tensor->is_constant || tensor->made)
		return tflite_fail(import, -EINVAL,
				   "its state %s is no variable, which keeps its elements from one "
				   "run to the next", name);
	if (tensor->readers > 1)
		return tflite_fail(import, -EOPNOTSUPP, "its state %s is that of others, too", name);
	*state = tensor;
	err = check_any_tensor(import, tensor);
	if (!err)
		err = find_elements_quant(import, tensor, nn_element_to_type(tensor->element), quant);
	if (!err && quant->scales)
		err = tflite_fail(import, -EOPNOTSUPP, "its state %s has several scales", name);
	return err;
}

/* ---- Results ---- */

int tflite_output_quant(struct tflite_import *import, uint32_t i, struct nn_quant *out)
{
	const struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];
	int err = find_tensor_quant(import, tensor, out);

	if (!err && (nn_type_is_8bit(out->type) || out->type == NN_INT16) && !out->scale)
		err = tflite_fail(import, -EOPNOTSUPP, "its output has no scale");
	return err;
}

int tflite_intermediate_quant(struct tflite_import *import, uint32_t i, struct nn_quant *out)
{
	const struct tflite_operator *now = import->now;
	int err;

	if (i >= now->intermediate_count)
		return tflite_fail(import, -EINVAL,
				   "it does not say how what it makes in between is quantized");
	err = find_quant(import, &import->tensors[now->intermediates[i]], out);
	if (!err && (!nn_type_is_8bit(out->type) || !out->scale || out->scales))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "what it makes in between is not of 8 bits with one scale");
	return err;
}

int tflite_typed_output_quant(struct tflite_import *import, enum nn_data_type type,
			      struct nn_quant *out)
{
	int err = tflite_output_quant(import, 0, out);

	if (!err && out->type != type)
		err = tflite_fail(import, -EINVAL, "it makes %s of %s",
				  nn_data_type_name(out->type), nn_data_type_name(type));
	return err;
}

/* Whether the current operator hands on such integers as they are stored, to others of that type. */
static bool hands_on(const struct tflite_import *import, const struct nn_quant *from,
		     const struct nn_quant *to)
{
	uint8_t bit = nn_type_is_8bit(from->type) ? TFLITE_STORED_8 :
		      from->type == NN_INT16	  ? TFLITE_STORED_16 :
						    0;

	return import->now->op->stored & bit && from->type == to->type &&
	       from->scale && to->scale && !from->scales && !to->scales;
}

int tflite_same_quant(struct tflite_import *import, uint32_t i, const struct nn_quant *input)
{
	struct nn_quant quant;
	int err;

	err = find_tensor_quant(import, &import->tensors[import->now->outputs[i]], &quant);
	if (!err && !nn_quant_equal(&quant, input) && !hands_on(import, input, &quant))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its output is quantized in another way than its input");
	return err;
}

int tflite_build_stored(struct tflite_import *import, const struct nn_build_tensor *x,
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	const struct nn_build_tensor from = *x;
	uint8_t table[256];

	*out = from;
	if (nn_quant_equal(quant, &from.quant))
		return 0;
	if (!nn_type_is_8bit(quant->type))
		return nn_build_unary(&import->builder, "Cast", &from, NULL, 0, quant, out);
	for (uint32_t i = 0; i < 256; i++)
		table[i] = (uint8_t)i;
	return nn_build_table(&import->builder, &from, table, quant, out);
}

/* The same of a tensor of the file, in place, if the current operator hands on what is stored. */
static int keep_stored(struct tflite_import *import, const struct tflite_tensor *tensor,
		       struct nn_build_tensor *made)
{
	struct nn_quant quant;
	int err;

	if (!import->now || !import->now->op || !import->now->op->stored)
		return 0;
	err = find_tensor_quant(import, tensor, &quant);
	return err || !hands_on(import, &made->quant, &quant) ?
		       err : tflite_build_stored(import, made, &quant, made);
}

int tflite_keep_stored(struct tflite_import *import, uint32_t i, struct nn_build_tensor *made)
{
	return keep_stored(import, &import->tensors[import->now->outputs[i]], made);
}

void tflite_output_shape(const struct tflite_import *import, uint32_t i, uint32_t *rank,
			 uint32_t dims[NN_MAX_RANK])
{
	const struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];

	*rank = tensor->rank;
	find_shape(import, tensor, dims);
}

/* The first of its own dimensions is the batch again where it is 1. */
static int define_lifted(struct tflite_import *import, uint32_t i,
			 const struct nn_build_tensor *made)
{
	uint32_t dims[NN_MAX_RANK] = { NN_ROWS };
	struct nn_build_tensor lowered;
	int err;

	if (made->rank < 2 || made->dims[1] != 1)
		return tflite_define_item(import, i, made);
	memcpy(dims + 1, made->dims + 2, (made->rank - 2) * sizeof(*dims));
	err = nn_build_reshape(&import->builder, made, made->rank - 1, dims, &lowered);
	return err ? err : tflite_define_tensor(import, import->now->outputs[i], &lowered);
}

int tflite_define(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *made)
{
	if (import->is_lifted)
		return define_lifted(import, i, made);
	return tflite_define_tensor(import, import->now->outputs[i], made);
}

/* The file's dimensions are those of `made` but for the first `skip`. */
static int define_behind(struct tflite_import *import, int32_t index, uint32_t skip,
			 const struct nn_build_tensor *made)
{
	struct tflite_tensor *tensor = &import->tensors[index];
	struct nn_build_tensor kept = *made, single;
	uint32_t dims[NN_MAX_RANK];
	int err = keep_stored(import, tensor, &kept);

	if (err)
		return err;
	made = &kept;
	/* What is made without dimensions has one element, and may have a dimension of it. */
	if (!skip && !tensor->rank && made->rank == 1 && made->dims[0] == 1) {
		single = *made;
		single.rank = 0;
		made = &single;
	}
	for (uint32_t i = 0; tensor->rank + skip == made->rank && i < tensor->rank; i++) {
		uint32_t dim = made->dims[i + skip];

		if (tensor->open & 1u << i && (dim != NN_ROWS || import->one_is_batch))
			tensor->dims[i] = dim == NN_ROWS ? 1 : dim;
	}
	if (skip)
		memcpy(dims, tensor->dims, sizeof(dims));
	else
		find_shape(import, tensor, dims);
	if (tensor->rank + skip != made->rank ||
	    memcmp(dims, made->dims + skip, tensor->rank * sizeof(*dims)))
		return tflite_fail(import, -EINVAL,
				   "its output is %s, and the file says %s",
				   format_dims(import, made->rank - skip, made->dims + skip),
				   format_dims(import, tensor->rank, dims));
	if (tensor->made || tensor->is_constant)
		return tflite_fail(import, -EINVAL, "tensor %s is made twice",
				   tflite_quote(import, tensor->name));
	if (made->quant.type == NN_FLOAT32 && tensor->element != NN_ELEMENT_FLOAT)
		return tflite_fail(import, -EINVAL, "it makes %s of float32",
				   tflite_type_name(tensor->type));
	tensor->made = tflite_alloc(import, 1, sizeof(*tensor->made));
	if (!tensor->made)
		return -ENOMEM;
	*tensor->made = *made;
	tensor->made->name = tensor->name;
	tensor->is_item = skip;
	return 0;
}

int tflite_define_tensor(struct tflite_import *import, int32_t index,
			 const struct nn_build_tensor *made)
{
	return define_behind(import, index, 0, made);
}

int tflite_define_item(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *made)
{
	return define_behind(import, import->now->outputs[i], 1, made);
}

struct nn_range tflite_activation_range(int64_t activation)
{
	switch (activation) {
	case TFLITE_ACTIVATION_RELU:
		return (struct nn_range){ 0, INFINITY };
	case TFLITE_ACTIVATION_RELU_N1_TO_1:
		return (struct nn_range){ -1, 1 };
	case TFLITE_ACTIVATION_RELU6:
		return (struct nn_range){ 0, 6 };
	default:
		return nn_range_unbounded;
	}
}

int tflite_need_int8(struct tflite_import *import, enum nn_data_type type)
{
	if (type == NN_INT8)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP, "its input is of %s; TensorFlow Lite knows int8",
			   nn_data_type_name(type));
}

/* Whether it is in the middle between two steps that there are. */
static bool is_between(float end, const struct nn_quant *quant)
{
	float at = end / quant->scale, down = floorf(at) + (float)quant->zero_point;
	int32_t min, max;

	nn_type_range(quant->type, &min, &max);
	return nn_type_is_8bit(quant->type) && down >= min && down < max &&
	       fabsf(at - floorf(at) - 0.5f) <= 0x1p-12f;
}

static void settle_end(float *end, const struct nn_quant *quant)
{
	float zero_point = (float)quant->zero_point;

	if (is_between(*end, quant))
		*end = (rintf(*end / quant->scale + zero_point) - zero_point) * quant->scale;
}

void tflite_settle_range(struct nn_range *range, const struct nn_quant *quant)
{
	settle_end(&range->low, quant);
	settle_end(&range->high, quant);
}

int tflite_need_range(struct tflite_import *import, const struct nn_range *range,
		      const struct nn_quant *quant)
{
	const float ends[2] = { range->low, range->high };

	for (int i = 0; i < 2; i++) {
		if (!is_between(ends[i], quant))
			continue;
		return tflite_fail(import, -EOPNOTSUPP,
				   "its activation ends at %g, in the middle between two steps of its "
				   "output", (double)ends[i]);
	}
	return 0;
}

/* ---- The model ---- */

/*
 * A dimension of 1 up front is most converters' idea of a batch that was not asked for. An input of
 * one dimension beside others has none: each item brings its own.
 */
static bool one_is_batch(const struct tflite_import *import)
{
	uint32_t batches = 0;

	for (uint32_t i = 0; i < import->input_count; i++) {
		const struct tflite_tensor *tensor = &import->tensors[import->inputs[i]];

		/* A single number is a constant, or refused. */
		if (tensor->is_constant || !tensor->rank)
			continue;
		if (tensor->rank > 1 && tensor->dims[0] != 1)
			return false;
		batches += tensor->dims[0] == 1;
	}
	return batches;
}

/* Takes in the shape that is given of an input, if it is what the file says but for what that
 * leaves open, and takes note of the latter. */
static int take_shape(struct tflite_import *import, struct tflite_tensor *tensor)
{
	const char *input = tflite_input_name(tensor), *name = tflite_quote(import, input);
	const struct nn_import_shape *given = nn_options_shape(&import->builder, input);
	struct nn_open_dim open = { .input = input, .given = given != NULL };
	char text[NN_SHAPE_ROOM] = "";
	int err = 0;

	if (given && given->rank != tensor->rank)
		return tflite_fail(import, -EINVAL,
				   "input %s has %" PRIu32 " dimensions, and the shape that is given "
				   "for it %" PRIu32, name, tensor->rank, given->rank);
	for (uint32_t i = 0; i < tensor->rank; i++) {
		bool is_open = tensor->open & 1u << i;

		if (given && !is_open && given->dims[i] != tensor->dims[i])
			return tflite_fail(import, -EINVAL,
					   "dimension %" PRIu32 " of input %s is %" PRIu32
					   " in the model, and %" PRIu32 " is given for it",
					   i, name, tensor->dims[i], given->dims[i]);
		nn_options_format_dim(text, i, is_open && i ? 0 : tensor->dims[i], NULL);
		if (given)
			tensor->dims[i] = given->dims[i];
		else if (is_open && !tensor->dims[i])
			tensor->dims[i] = 1;
	}
	/* Another number of items than 1 is that number. */
	if (given && given->dims[0] != 1)
		tensor->open &= ~1u;
	open.shape = text;
	for (uint32_t i = 0; i < tensor->rank && !err; i++) {
		if (!(tensor->open & 1u << i))
			continue;
		open.dim = i;
		open.size = i ? tensor->dims[i] : NN_VARIABLE;
		err = nn_options_note_open(&import->builder, &open);
	}
	return err;
}

/* Makes an input the constant that somebody says it is. */
static int set_input(struct tflite_import *import, struct tflite_tensor *tensor, const char *text)
{
	uint32_t dims[NN_MAX_RANK];
	int err;

	for (uint32_t i = 0; i < tensor->rank; i++)
		dims[i] = tensor->open & 1u << i ? 0 : tensor->dims[i];
	if (tensor->is_constant)
		return tflite_fail(import, -EINVAL, "input %s is a constant, or there twice",
				   tflite_quote(import, tensor->name));
	err = nn_options_read_value(&import->builder, tflite_input_name(tensor), text,
				    tensor->element, tensor->rank, dims, &tensor->constant);
	if (err)
		return err;
	tensor->is_constant = true;
	memcpy(tensor->dims, tensor->constant.dims, sizeof(tensor->dims));
	return 0;
}

/* Holds the options against the inputs, which have their shapes then, or are constants. */
static int take_options(struct tflite_import *import, const struct nn_import_options *options)
{
	const char **names = tflite_alloc(import, import->input_count, sizeof(*names));
	int err;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < import->input_count; i++)
		names[i] = tflite_input_name(&import->tensors[import->inputs[i]]);
	err = nn_options_check(&import->builder, options, names, import->input_count);
	for (uint32_t i = 0; i < import->input_count && !err; i++) {
		struct tflite_tensor *tensor = &import->tensors[import->inputs[i]];
		const char *text = nn_options_value(&import->builder, names[i]);

		err = text ? set_input(import, tensor, text) : take_shape(import, tensor);
	}
	return err;
}

static int import_input(struct tflite_import *import, struct tflite_tensor *tensor)
{
	struct nn_build_tensor made = { .name = tensor->name, .rank = tensor->rank };
	uint64_t elements;
	int err;

	if (tensor->is_constant && nn_options_value(&import->builder, tflite_input_name(tensor)))
		return 0;
	if (tensor->made || tensor->is_constant)
		return tflite_fail(import, -EINVAL, "input %s is a constant, or there twice",
				   tflite_quote(import, tensor->name));
	if (!tensor->rank && !import->controlled)
		return tflite_fail(import, -EOPNOTSUPP,
				   "input %s is a single number\nsay what it is, if that is always "
				   "the same: --set NAME=NUMBER, nn_import_options",
				   tflite_quote(import, tensor->name));
	find_shape(import, tensor, made.dims);
	tensor->adds_batch = import->one_is_batch && tensor->rank == 1 && tensor->dims[0] != 1;
	if (tensor->adds_batch) {
		made.rank = 2;
		made.dims[1] = made.dims[0];
		made.dims[0] = NN_ROWS;
	}
	tensor->is_real = tflite_stands_for(import, tensor);
	tensor->is_unrounded = tensor->is_real;
	err = check_tensor(import, tensor);
	if (!err && tensor->is_real)
		err = tflite_find_input_quant(import, tensor, &made.quant);
	if (!tensor->is_real || err == -ENOENT)
		err = find_tensor_quant(import, tensor, &made.quant);
	if (!err && made.quant.type == NN_FLOAT32)
		tensor->is_real = tensor->is_unrounded = false;
	if (!err)
		err = nn_item_elements(&import->builder, made.rank, made.dims, &elements);
	if (err)
		return err;
	tensor->made = tflite_alloc(import, 1, sizeof(made));
	if (!tensor->made)
		return -ENOMEM;
	*tensor->made = made;
	return nn_build_input(&import->builder, tensor->made);
}

/* Whether an operator runs another graph: what data decide is for one item. */
static bool is_controlled(const struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_op *op = import->operators[i].op;

		if (op && (op->lower == tflite_lower_while || op->lower == tflite_lower_if))
			return true;
	}
	return false;
}

static bool keeps_state(const struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		if (operator->op && operator->op->has_state)
			return true;
	}
	return false;
}

/* In front of a model that keeps a state, for any number of items: one after the other. */
static int import_stream(struct tflite_import *import)
{
	struct nn_build_tensor *inputs = tflite_alloc(import, import->input_count, sizeof(*inputs));
	struct nn_build_tensor *items = tflite_alloc(import, import->input_count, sizeof(*items));
	struct tflite_tensor **tensors = tflite_alloc(import, import->input_count, sizeof(*tensors));
	uint32_t count = 0;
	int err;

	if (!inputs || !items || !tensors)
		return -ENOMEM;
	for (uint32_t i = 0; i < import->input_count; i++) {
		struct tflite_tensor *tensor = &import->tensors[import->inputs[i]];

		if (!tensor->made)
			continue;
		tensors[count] = tensor;
		inputs[count++] = *tensor->made;
	}
	err = count ? nn_build_stream(&import->builder, inputs, count, items) : 0;
	for (uint32_t i = 0; i < count && !err; i++)
		*tensors[i]->made = items[i];
	return err;
}

/* Makes the current operator's nodes. */
static int import_operator(struct tflite_import *import)
{
	const struct tflite_tensor *filled;
	bool lifts = false;

	for (uint32_t i = 0; i < import->now->input_count; i++) {
		if (!tflite_has_input(import, i))
			continue;
		if (import->tensors[import->now->inputs[i]].is_refused)
			return nn_builder_follow(&import->builder);
		lifts |= import->tensors[import->now->inputs[i]].is_item;
	}
	if (lifts)
		tflite_lift(import);
	if (tflite_is_known(import))
		return tflite_compute(import);
	if (tflite_moves_filled(import, &filled))
		return tflite_move_filled(import, filled);
	if (tflite_has_blocks(import))
		return tflite_lower_blocks(import);
	if (tflite_has_reals(import))
		return tflite_lower_reals(import);
	return tflite_has_floats(import) ? tflite_lower_floats(import) :
					   import->now->op->lower(import);
}

int tflite_walk(struct tflite_import *import)
{
	int err = 0;

	for (uint32_t i = 0; i < import->operator_count && !err; i++) {
		struct tflite_operator *operator = &import->operators[i];

		tflite_look_at(import, operator);
		if (!operator->is_refused)
			err = tflite_note(import, operator, import_operator(import));
	}
	return err;
}

static int import_outputs(struct tflite_import *import)
{
	struct nn_build_tensor *outputs =
		tflite_alloc(import, import->output_count, sizeof(*outputs));

	if (!outputs)
		return -ENOMEM;
	if (!import->output_count)
		return tflite_fail(import, -EINVAL, "the model has no outputs");
	for (uint32_t i = 0; i < import->output_count; i++) {
		struct tflite_tensor *tensor = &import->tensors[import->outputs[i]];

		if (tensor->is_refused)
			continue;
		if (tensor->is_unrounded)
			return tflite_fail(import, -EOPNOTSUPP,
					   "output %s is a float32 input of the model",
					   tflite_quote(import, tensor->name));
		if (tensor->reals && import->floats) {
			const struct nn_build_tensor *floats = tflite_as_floats(import, tensor);

			if (!floats)
				return tflite_failed(import);
			outputs[i] = *floats;
			continue;
		}
		if (tensor->reals)
			return tflite_fail(import, -EOPNOTSUPP,
					   "output %s is computed in float32; nnloop computes with "
					   "integers" QUANTIZE_ALL, tflite_quote(import, tensor->name));
		if (tensor->blocks)
			return tflite_fail(import, -EOPNOTSUPP,
					   "output %s has pixels in the batch; nnloop knows "
					   "SPACE_TO_BATCH_ND around a convolution that it dilates, with "
					   "BATCH_TO_SPACE_ND behind it", tflite_quote(import, tensor->name));
		if (tensor->is_filled && !tensor->is_real && !tensor->made &&
		    tflite_make_filled(import, tensor))
			return tflite_failed(import);
		if (!tensor->made)
			return tflite_fail(import, -EINVAL,
					   "output %s is a constant, or nothing makes it",
					   tflite_quote(import, tensor->name));
		outputs[i] = *tensor->made;
	}
	/* A refused one has no tensor. */
	if (import->builder.refusals.count)
		return 0;
	return nn_build_graph_outputs(&import->builder, outputs, import->output_count);
}

static int import_model(struct tflite_import *import, const struct nn_model_source *source)
{
	int err;

	err = tflite_read(import, source->data, source->size, source->options->signature);
	if (!err)
		err = tflite_check(import);
	if (!err)
		err = take_options(import, source->options);
	if (err)
		return err;
	import->controlled = is_controlled(import);
	import->one_is_batch = !import->controlled && one_is_batch(import);
	import->has_rows = import->one_is_batch;
	for (uint32_t i = 0; i < import->input_count && !import->controlled; i++)
		import->has_rows |= !import->tensors[import->inputs[i]].is_constant &&
				    import->tensors[import->inputs[i]].open & 1;
	tflite_count_readers(import);
	for (uint32_t i = 0; i < import->input_count && !err; i++) {
		struct tflite_tensor *tensor = &import->tensors[import->inputs[i]];

		err = import_input(import, tensor);
		if (!err)
			continue;
		err = nn_builder_note(&import->builder, err, tensor->name);
		tensor->is_refused = true;
	}
	if (!err)
		err = tflite_find_variables(import);
	if (!err && import->has_rows && keeps_state(import))
		err = import_stream(import);
	if (!err)
		err = tflite_walk(import);
	if (err)
		return err;
	tflite_look_at(import, NULL);
	return import_outputs(import);
}

/* How the tensors of float32 of a model are imported. */
enum way {
	INTEGERS,	/* as integers that stand for them */
	PARTS,		/* likewise, and parts in between that can not be so as what they are */
	FLOATS,		/* as what they are */
};

/* A function is called with a model that was walked over. */
struct tflite_looking {
	tflite_look_fp look; /* NULL: nothing */
	void *opaque;
};

/* *other: how it may be imported if it cannot be so, INTEGERS if there is none. */
static int import_as(struct nn_graph *graph, const struct nn_model_source *source, enum way way,
		     const struct tflite_looking *looking, enum way *other)
{
	struct tflite_import import = {
		.builder = { .graph = graph,
			     .next_id = 1,
			     .manual = "docs/tflite.md says what each operator can do" },
		.may_change = source->folder,
		.floats = way != INTEGERS,
		.stands = way != FLOATS,
	};
	int err;

	if (graph->node_count)
		return tflite_fail(&import, -EINVAL,
				   "a model can only be imported into an empty graph");
	nn_options_forget_open(graph);
	err = import_model(&import, source);
	*other = tflite_is_of_floats(&import) ? FLOATS :
		 tflite_has_float_parts(&import) ? PARTS : INTEGERS;
	if (!err && !import.builder.refusals.count && looking->look)
		looking->look(&import, looking->opaque);
	return nn_builder_end(&import.builder, err, import.operator_count + import.inner_operators);
}

/*
 * A model that is refused as one of integers is imported again: if it quantizes nothing that it
 * computes, as one that computes in float32, else with what it has in float32 between integers.
 */
int nn_import_tflite(struct nn_graph *graph, const struct nn_model_source *source)
{
	const struct tflite_looking nobody = { 0 };
	enum way other = INTEGERS;
	int err = import_as(graph, source, INTEGERS, &nobody, &other);

	if (err != -EOPNOTSUPP || other == INTEGERS || source->options->integers_only)
		return err;
	nn_graph_clear(graph);
	nn_graph_clear_errors(graph);
	return import_as(graph, source, other, &nobody, &other);
}

int tflite_import_for(struct nn_graph *graph, const struct nn_model_source *source,
		      tflite_look_fp look, void *opaque)
{
	const struct tflite_looking looking = { look, opaque };
	enum way other;

	return import_as(graph, source, FLOATS, &looking, &other);
}
