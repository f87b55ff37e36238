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
	memset(&import->builder.node, 0, sizeof(import->builder.node));
	import->builder.result = NULL;
	if (!operator)
		return;
	import->builder.node.op = operator->custom ? operator->custom :
						     tflite_code_name(operator->code);
	import->builder.node.key = operator;
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

static int check_tensor(struct tflite_import *import, const struct tflite_tensor *tensor)
{
	const char *name = tflite_quote(import, tensor->name);

	if (tensor->flags & TFLITE_VARIABLE)
		return tflite_fail(import, -EOPNOTSUPP,
				   "tensor %s keeps its elements from one run to the next", name);
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

/* Finds how a tensor is quantized, whose elements are taken for the type. */
static int find_quant_as(struct tflite_import *import, const struct tflite_tensor *tensor,
			 enum nn_data_type type, struct nn_quant *out)
{
	int err = check_tensor(import, tensor);

	if (err)
		return err;
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
	int err = find_quant(import, tensor, out);

	if (!err && out->scales)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "tensor %s is computed, and has one scale for each index of "
				  "dimension %" PRIu32,
				  tflite_quote(import, tensor->name), out->axis);
	return err;
}

/* A tensor's dimensions, with NN_ROWS where the batch is meant. */
static void find_shape(const struct tflite_import *import, const struct tflite_tensor *tensor,
		       uint32_t *dims)
{
	memcpy(dims, tensor->dims, sizeof(tensor->dims));
	if (tensor->rank && (tensor->varies || (import->one_is_batch && dims[0] == 1)))
		dims[0] = NN_ROWS;
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

const struct nn_build_tensor *tflite_item_input(struct tflite_import *import, uint32_t i,
						bool may_be_real)
{
	struct tflite_tensor *tensor = get_input(import, i);

	if (!tensor)
		return NULL;
	if (tensor->made && (may_be_real || !tensor->is_real))
		return tensor->made;
	if (tensor->made)
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

	if (!made || !import->tensors[import->now->inputs[i]].is_item)
		return made;
	tflite_fail(import, -EOPNOTSUPP,
		    "its input %s has no dimension for the batch, which nnloop knows for DEQUANTIZE, "
		    "RESHAPE and NON_MAX_SUPPRESSION only", tflite_quote(import, made->name));
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

const struct nn_const *tflite_ints_input(struct tflite_import *import, uint32_t i)
{
	const struct tflite_tensor *tensor = get_constant(import, i);

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

/* ---- Results ---- */

int tflite_output_quant(struct tflite_import *import, uint32_t i, struct nn_quant *out)
{
	const struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];
	int err = find_tensor_quant(import, tensor, out);

	if (!err && (nn_type_is_8bit(out->type) || out->type == NN_INT16) && !out->scale)
		err = tflite_fail(import, -EOPNOTSUPP, "its output has no scale");
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

int tflite_same_quant(struct tflite_import *import, uint32_t i, const struct nn_quant *input)
{
	struct nn_quant quant;
	int err;

	err = find_tensor_quant(import, &import->tensors[import->now->outputs[i]], &quant);
	if (!err && !nn_quant_equal(&quant, input))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its output is quantized in another way than its input");
	return err;
}

void tflite_output_shape(const struct tflite_import *import, uint32_t i, uint32_t *rank,
			 uint32_t dims[NN_MAX_RANK])
{
	const struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];

	*rank = tensor->rank;
	find_shape(import, tensor, dims);
}

int tflite_define(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *made)
{
	return tflite_define_tensor(import, import->now->outputs[i], made);
}

/* The file's dimensions are those of `made` but for the first `skip`. */
static int define_behind(struct tflite_import *import, int32_t index, uint32_t skip,
			 const struct nn_build_tensor *made)
{
	struct tflite_tensor *tensor = &import->tensors[index];
	uint32_t dims[NN_MAX_RANK];

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

int tflite_need_range(struct tflite_import *import, const struct nn_range *range,
		      const struct nn_quant *quant)
{
	const float ends[2] = { range->low, range->high };
	int32_t min, max;

	nn_type_range(quant->type, &min, &max);
	for (int i = 0; i < 2 && nn_type_is_8bit(quant->type); i++) {
		float at = ends[i] / quant->scale, down = floorf(at) + (float)quant->zero_point;

		if (!(down >= min && down < max) || fabsf(at - floorf(at) - 0.5f) > 0x1p-12f)
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

		if (!tensor->rank || (tensor->rank > 1 && tensor->dims[0] != 1))
			return false;
		batches += tensor->dims[0] == 1;
	}
	return batches;
}

static int import_input(struct tflite_import *import, struct tflite_tensor *tensor)
{
	struct nn_build_tensor made = { .name = tensor->name, .rank = tensor->rank };
	uint64_t elements;
	int err;

	if (tensor->made || tensor->is_constant)
		return tflite_fail(import, -EINVAL, "input %s is a constant, or there twice",
				   tflite_quote(import, tensor->name));
	if (!tensor->rank)
		return tflite_fail(import, -EOPNOTSUPP, "input %s is a single number",
				   tflite_quote(import, tensor->name));
	find_shape(import, tensor, made.dims);
	tensor->adds_batch = import->one_is_batch && tensor->rank == 1 && tensor->dims[0] != 1;
	if (tensor->adds_batch) {
		made.rank = 2;
		made.dims[1] = made.dims[0];
		made.dims[0] = NN_ROWS;
	}
	tensor->is_real = tensor->element == NN_ELEMENT_FLOAT;
	tensor->is_unrounded = tensor->is_real;
	err = check_tensor(import, tensor);
	if (!err && tensor->is_real)
		err = tflite_find_input_quant(import, tensor, &made.quant);
	if (!tensor->is_real || err == -ENOENT)
		err = find_tensor_quant(import, tensor, &made.quant);
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

/* Makes the current operator's nodes. */
static int import_operator(struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->now->input_count; i++) {
		if (tflite_has_input(import, i) &&
		    import->tensors[import->now->inputs[i]].is_refused)
			return nn_builder_follow(&import->builder);
	}
	return tflite_is_known(import) ? tflite_compute(import) : import->now->op->lower(import);
}

static int import_operators(struct tflite_import *import)
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
		const struct tflite_tensor *tensor = &import->tensors[import->outputs[i]];

		if (tensor->is_refused)
			continue;
		if (tensor->is_unrounded)
			return tflite_fail(import, -EOPNOTSUPP,
					   "output %s is a float32 input of the model",
					   tflite_quote(import, tensor->name));
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

static int import_model(struct tflite_import *import, const void *data, size_t size)
{
	int err;

	err = tflite_read(import, data, size);
	if (!err)
		err = tflite_check(import);
	if (err)
		return err;
	import->one_is_batch = one_is_batch(import);
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
		err = import_operators(import);
	if (err)
		return err;
	tflite_look_at(import, NULL);
	return import_outputs(import);
}

int nn_import_tflite(struct nn_graph *graph, const struct nn_model_source *source)
{
	struct tflite_import import = {
		.builder = { .graph = graph,
			     .next_id = 1,
			     .manual = "docs/tflite.md says what each operator can do" },
	};
	int err;

	if (graph->node_count)
		return tflite_fail(&import, -EINVAL,
				   "a model can only be imported into an empty graph");
	err = import_model(&import, source->data, source->size);
	return nn_builder_end(&import.builder, err, import.operator_count);
}
