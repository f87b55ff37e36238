// SPDX-License-Identifier: MIT
/*
 * Reading a .tflite file: from its bytes to what the importer works with. The numbers of fields are
 * those of the format's schema, tensorflow/compiler/mlir/lite/schema/schema.fbs, version 3.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define VERSION 3
#define SHORT 4096 /* bytes of constants that are copied where the file may change */
#define MIN_TABLE 16 /* bytes of the file for each tensor and operator: no writer needs less */

enum model_field {
	MODEL_VERSION,
	MODEL_OPERATOR_CODES,
	MODEL_SUBGRAPHS,
	MODEL_BUFFERS = 4,
	MODEL_SIGNATURES = 7,
};
enum signature_field { SIGNATURE_KEY = 2, SIGNATURE_SUBGRAPH = 4 };
enum code_field { CODE_BYTE, CODE_CUSTOM, CODE_VERSION, CODE_NUMBER };
enum graph_field { GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPERATORS };
enum tensor_field {
	TENSOR_SHAPE,
	TENSOR_TYPE,
	TENSOR_BUFFER,
	TENSOR_NAME,
	TENSOR_QUANTIZATION,
	TENSOR_IS_VARIABLE,
	TENSOR_SPARSITY,
	TENSOR_SIGNATURE,
	TENSOR_EXTERNAL_BUFFER = 10,
};
enum quantization_field { QUANT_SCALE = 2, QUANT_ZERO_POINT, QUANT_DETAILS, QUANT_AXIS = 6 };
enum operator_field {
	OPERATOR_CODE,
	OPERATOR_INPUTS,
	OPERATOR_OUTPUTS,
	OPERATOR_OPTIONS_TYPE,
	OPERATOR_OPTIONS,
	OPERATOR_CUSTOM_OPTIONS,
	OPERATOR_CUSTOM_FORMAT,
	OPERATOR_MUTATED_INPUTS,
	OPERATOR_INTERMEDIATES,
	OPERATOR_LARGE_OFFSET,
	OPERATOR_OPTIONS_2 = 12,
};
enum buffer_field { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };

/* Codes from here on are not in the byte that all had once. */
#define CODE_IN_NUMBER 127
#define CODE_CUSTOM_OPERATOR 32

static const struct {
	const char *name;
	enum nn_element element;
} types[] = {
	{ "float32", NN_ELEMENT_FLOAT },
	{ "float16", 0 },
	{ "int32", NN_ELEMENT_INT32 },
	{ "uint8", NN_ELEMENT_UINT8 },
	{ "int64", NN_ELEMENT_INT64 },
	{ "string", 0 },
	{ "bool", NN_ELEMENT_BOOL },
	{ "int16", NN_ELEMENT_INT16 },
	{ "complex64", 0 },
	{ "int8", NN_ELEMENT_INT8 },
	{ "float64", 0 },
	{ "complex128", 0 },
	{ "uint64", 0 },
	{ "resource", 0 },
	{ "variant", 0 },
	{ "uint32", 0 },
	{ "uint16", NN_ELEMENT_UINT16 },
	{ "int4", 0 },
	{ "bfloat16", 0 },
};

#define TYPE_FLOAT16 1
#define TYPES (sizeof(types) / sizeof(*types))

const char *tflite_type_name(uint8_t type)
{
	return type < TYPES ? types[type].name : "a type that nnloop does not know";
}

int tflite_check_encoding(struct tflite_import *import)
{
	if (!import->buffer.wrong)
		return 0;
	return tflite_fail(import, -EINVAL, "this is no readable TensorFlow Lite model: %s",
			   import->buffer.wrong);
}

/* ---- Tensors ---- */

/* A vector of numbers of 4 or 8 bytes, as a constant; none if it is absent. */
static struct nn_const read_numbers(struct tflite_import *import,
				    const struct flatbuffer_table *table, uint32_t field,
				    enum nn_element element)
{
	struct flatbuffer_vector vector = flatbuffer_get_vector(&import->buffer, table, field,
								nn_element_size(element));

	return (struct nn_const){
		.element = element,
		.rank = 1,
		.dims = { vector.count },
		.count = vector.count,
		.data = flatbuffer_elements(&import->buffer, &vector),
	};
}

static int read_shape(struct tflite_import *import, const struct flatbuffer_table *table,
		      struct tflite_tensor *tensor)
{
	struct nn_const shape = read_numbers(import, table, TENSOR_SHAPE, NN_ELEMENT_INT32);
	struct nn_const signature = read_numbers(import, table, TENSOR_SIGNATURE, NN_ELEMENT_INT32);

	if (shape.count > NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP,
				   "tensor %s has %" PRIu64 " dimensions, and nnloop knows up to %d",
				   tflite_quote(import, tensor->name), shape.count, NN_MAX_RANK);
	if (signature.count && signature.count != shape.count)
		return tflite_fail(import, -EINVAL,
				   "tensor %s has %" PRIu64 " dimensions, and %" PRIu64
				   " in its shape_signature",
				   tflite_quote(import, tensor->name), shape.count,
				   signature.count);
	tensor->rank = shape.count;
	tensor->dims[0] = 1; /* a single number is one element */
	tensor->has_signature = signature.count;
	for (uint32_t i = 0; i < tensor->rank; i++) {
		int64_t dim = nn_const_int(&shape, i);
		int64_t said = signature.count ? nn_const_int(&signature, i) : dim;

		if (dim < 0)
			return tflite_fail(import, -EINVAL,
					   "dimension %" PRIu32 " of tensor %s is %" PRId64, i,
					   tflite_quote(import, tensor->name), dim);
		if (said != dim && said != -1)
			return tflite_fail(import, -EINVAL,
					   "dimension %" PRIu32 " of tensor %s is %" PRId64
					   ", and %" PRId64 " in its shape_signature",
					   i, tflite_quote(import, tensor->name), dim, said);
		if (said == -1)
			tensor->open |= 1u << i;
		tensor->dims[i] = dim;
	}
	return 0;
}

/* A number of 16 bits as float32, exactly. */
static float widen_half(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31;
	uint32_t mantissa = half & 0x3ff, bits = sign | (exponent + 112) << 23 | mantissa << 13;
	float value;

	if (exponent == 31)
		bits = sign | 0x7f800000 | mantissa << 13;
	if (!exponent) {
		value = (float)mantissa * 0x1p-24f;
		return sign ? -value : value;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Weights of float16, which are those of float32 from here on. */
static int read_halves(struct tflite_import *import, struct tflite_tensor *tensor,
		       const uint8_t *elements, uint64_t size)
{
	uint64_t count = 1;
	float *floats;

	for (uint32_t i = 0; i < tensor->rank && count <= INT32_MAX; i++)
		count *= tensor->dims[i];
	if (count > INT32_MAX || 2 * count != size)
		return tflite_fail(import, -EINVAL,
				   "tensor %s has %" PRIu64 " bytes, which is not what its shape says",
				   tflite_quote(import, tensor->name), size);
	floats = tflite_alloc(import, count, sizeof(*floats));
	if (!floats)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++)
		floats[i] = widen_half((uint16_t)(elements[2 * i] | elements[2 * i + 1] << 8));
	tensor->element = NN_ELEMENT_FLOAT;
	tensor->constant = (struct nn_const){
		.element = NN_ELEMENT_FLOAT, .rank = tensor->rank, .count = count, .data = floats,
	};
	memcpy(tensor->constant.dims, tensor->dims, sizeof(tensor->dims));
	return 0;
}

static bool is_floating(const struct tflite_tensor *tensor)
{
	return tensor->element == NN_ELEMENT_FLOAT || tensor->type == TYPE_FLOAT16;
}

/* The elements of a sparse tensor of float16 or float32, as those of a dense one. */
static int make_dense(struct tflite_import *import, const struct flatbuffer_table *table,
		      struct tflite_tensor *tensor, const void **elements, uint64_t *size)
{
	struct flatbuffer_table sparsity =
		flatbuffer_get_table(&import->buffer, table, TENSOR_SPARSITY);
	uint32_t width = tensor->type == TYPE_FLOAT16 ? 2 : 4;
	int err = tflite_read_sparse(import, &sparsity, tensor, width, elements, size);

	tensor->flags &= ~TFLITE_SPARSE;
	return err;
}

/* Gives a tensor the elements that its buffer has; buffers without any belong to tensors that are
 * computed. */
static int read_elements(struct tflite_import *import, const struct flatbuffer_table *table,
			 const struct flatbuffer_vector *buffers, struct tflite_tensor *tensor)
{
	struct flatbuffer *file = &import->buffer;
	uint32_t index = flatbuffer_int(file, table, TENSOR_BUFFER, 4, 0);
	uint32_t width = nn_element_size(tensor->element);
	struct flatbuffer_table buffer;
	struct flatbuffer_vector data;
	uint64_t offset, size, count = 1;
	const void *elements;
	void *copied;
	int err;

	if (!index || file->wrong)
		return 0;
	if (index >= buffers->count)
		return tflite_fail(import, -EINVAL, "tensor %s has buffer %" PRIu32 " of %" PRIu32,
				   tflite_quote(import, tensor->name), index, buffers->count);
	buffer = flatbuffer_table_at(file, buffers, index);
	data = flatbuffer_get_vector(file, &buffer, BUFFER_DATA, 1);
	elements = flatbuffer_elements(file, &data);
	size = data.count;
	offset = flatbuffer_int(file, &buffer, BUFFER_OFFSET, 8, 0);
	if (offset > 1) {
		size = flatbuffer_int(file, &buffer, BUFFER_SIZE, 8, 0);
		if (data.count || offset > import->file_size || size > import->file_size - offset)
			return tflite_fail(import, -EINVAL, "the file ends before tensor %s",
					   tflite_quote(import, tensor->name));
		elements = file->data + offset;
	}
	if (!size)
		return 0;
	tensor->is_constant = true;
	if (tensor->flags & TFLITE_SPARSE && import->floats && is_floating(tensor)) {
		err = make_dense(import, table, tensor, &elements, &size);
		if (err)
			return err;
	}
	if (tensor->type == TYPE_FLOAT16 && import->floats)
		return read_halves(import, tensor, elements, size);
	if (!width)
		return 0; /* whoever wants it, says what is wrong */
	for (uint32_t i = 0; i < tensor->rank && count <= INT32_MAX; i++)
		count *= tensor->dims[i];
	if (count > INT32_MAX || count * width != size)
		return tflite_fail(import, -EINVAL,
				   "tensor %s has %" PRIu64 " bytes, which is not what its shape says",
				   tflite_quote(import, tensor->name), size);
	tensor->constant = (struct nn_const){
		.element = tensor->element,
		.rank = tensor->rank,
		.count = count,
		.data = elements,
	};
	memcpy(tensor->constant.dims, tensor->dims, sizeof(tensor->dims));
	if (!import->may_change || size > SHORT)
		return 0;
	/* Shapes and axes are looked at more than once. */
	copied = tflite_alloc(import, size, 1);
	if (!copied)
		return -ENOMEM;
	tensor->constant.data = memcpy(copied, elements, size);
	return 0;
}

static int read_quantization(struct tflite_import *import, const struct flatbuffer_table *table,
			     struct tflite_tensor *tensor)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_table quant = flatbuffer_get_table(file, table, TENSOR_QUANTIZATION);

	tensor->scales = read_numbers(import, &quant, QUANT_SCALE, NN_ELEMENT_FLOAT);
	tensor->zero_points = read_numbers(import, &quant, QUANT_ZERO_POINT, NN_ELEMENT_INT64);
	tensor->axis = flatbuffer_int(file, &quant, QUANT_AXIS, 4, 0);
	if (flatbuffer_int(file, &quant, QUANT_DETAILS, 1, 0))
		tensor->flags |= TFLITE_OTHER_QUANT;
	if (tensor->scales.count &&
	    (tensor->axis < 0 || (tensor->axis && tensor->axis >= (int32_t)tensor->rank)))
		return tflite_fail(import, -EINVAL,
				   "tensor %s has quantized_dimension %" PRId32
				   ", which is not one of its %" PRIu32 " dimensions",
				   tflite_quote(import, tensor->name), tensor->axis, tensor->rank);
	if (tensor->zero_points.count && tensor->zero_points.count != tensor->scales.count &&
	    (tensor->zero_points.count != 1 || tensor->scales.count == 0))
		return tflite_fail(import, -EINVAL,
				   "tensor %s has %" PRIu64 " scales and %" PRIu64 " zero points",
				   tflite_quote(import, tensor->name), tensor->scales.count,
				   tensor->zero_points.count);
	return 0;
}

static int read_tensor(struct tflite_import *import, const struct flatbuffer_table *table,
		       const struct flatbuffer_vector *buffers, struct tflite_tensor *tensor)
{
	struct flatbuffer *file = &import->buffer;
	int err;

	tensor->name = flatbuffer_string(file, table, TENSOR_NAME);
	tensor->type = flatbuffer_int(file, table, TENSOR_TYPE, 1, 0);
	tensor->element = tensor->type < TYPES ? types[tensor->type].element : NN_ELEMENT_NONE;
	if (flatbuffer_int(file, table, TENSOR_IS_VARIABLE, 1, 0))
		tensor->flags |= TFLITE_VARIABLE;
	if (flatbuffer_has(file, table, TENSOR_SPARSITY))
		tensor->flags |= TFLITE_SPARSE;
	if (flatbuffer_int(file, table, TENSOR_EXTERNAL_BUFFER, 4, 0))
		return tflite_fail(import, -EOPNOTSUPP, "tensor %s is in another file",
				   tflite_quote(import, tensor->name));
	err = read_shape(import, table, tensor);
	if (!err)
		err = read_quantization(import, table, tensor);
	return err ? err : read_elements(import, table, buffers, tensor);
}

/* ---- Operators ---- */

/* A vector of indices of tensors; with -1 for one that is left out, if that may be. */
static int read_indices(struct tflite_import *import, const struct flatbuffer_table *table,
			uint32_t field, bool optional, const int32_t **out, uint32_t *count)
{
	struct nn_const numbers = read_numbers(import, table, field, NN_ELEMENT_INT32);
	int32_t *indices = tflite_alloc(import, numbers.count, sizeof(*indices));

	if (!indices)
		return -ENOMEM;
	for (uint64_t i = 0; i < numbers.count; i++) {
		indices[i] = nn_const_int(&numbers, i);
		if (indices[i] < (optional ? -1 : 0) ||
		    indices[i] >= (int64_t)import->tensor_count)
			return tflite_fail(import, -EINVAL,
					   "it refers to tensor %" PRId32 " of %" PRIu32,
					   indices[i], import->tensor_count);
	}
	*out = indices;
	*count = numbers.count;
	return 0;
}

static int read_code(struct tflite_import *import, const struct flatbuffer_vector *codes,
		     uint32_t index, struct tflite_operator *operator)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_table code;
	int32_t byte, number;

	if (file->wrong)
		return 0;
	if (index >= codes->count)
		return tflite_fail(import, -EINVAL,
				   "an operator is of kind %" PRIu32 ", and the model has %" PRIu32,
				   index, codes->count);
	code = flatbuffer_table_at(file, codes, index);
	byte = flatbuffer_int(file, &code, CODE_BYTE, 1, 0);
	number = flatbuffer_int(file, &code, CODE_NUMBER, 4, 0);
	operator->code = byte > number ? byte : number;
	operator->version = flatbuffer_int(file, &code, CODE_VERSION, 4, 1);
	if (byte < 0 || number < 0 || (byte && number && byte != number && byte != CODE_IN_NUMBER))
		return tflite_fail(import, -EINVAL, "an operator is both of kind %" PRId32 " and %" PRId32,
				   byte, number);
	if (operator->code == CODE_CUSTOM_OPERATOR) {
		operator->code = -1;
		operator->custom = flatbuffer_string(file, &code, CODE_CUSTOM);
	}
	return 0;
}

static int read_operator(struct tflite_import *import, const struct flatbuffer_table *table,
			 const struct flatbuffer_vector *codes, struct tflite_operator *operator)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_vector changed, custom;
	const uint8_t *changes;
	int err;

	err = read_code(import, codes, flatbuffer_int(file, table, OPERATOR_CODE, 4, 0), operator);
	if (!err)
		err = read_indices(import, table, OPERATOR_INPUTS, true, &operator->inputs,
				   &operator->input_count);
	if (!err)
		err = read_indices(import, table, OPERATOR_OUTPUTS, false, &operator->outputs,
				   &operator->output_count);
	if (!err)
		err = read_indices(import, table, OPERATOR_INTERMEDIATES, false,
				   &operator->intermediates, &operator->intermediate_count);
	if (err)
		return err;
	changed = flatbuffer_get_vector(file, table, OPERATOR_MUTATED_INPUTS, 1);
	changes = flatbuffer_elements(file, &changed);
	for (uint32_t i = 0; changes && i < changed.count; i++)
		operator->changes_inputs |= changes[i];
	operator->options_type = flatbuffer_int(file, table, OPERATOR_OPTIONS_TYPE, 1, 0);
	operator->options = flatbuffer_get_table(file, table, OPERATOR_OPTIONS);
	custom = flatbuffer_get_vector(file, table, OPERATOR_CUSTOM_OPTIONS, 1);
	operator->custom_options = flatbuffer_elements(file, &custom);
	operator->custom_size = custom.count;
	operator->more_options = flatbuffer_int(file, table, OPERATOR_CUSTOM_FORMAT, 1, 0) ||
				 (operator->code >= 0 && operator->custom_options) ||
				 flatbuffer_has(file, table, OPERATOR_LARGE_OFFSET) ||
				 flatbuffer_has(file, table, OPERATOR_OPTIONS_2);
	return 0;
}

/* ---- The model ---- */

static int read_graph(struct tflite_import *import, const struct flatbuffer_table *graph,
		      const struct flatbuffer_vector *codes,
		      const struct flatbuffer_vector *buffers)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_vector tensors, operators;
	int err = 0;

	tensors = flatbuffer_get_tables(file, graph, GRAPH_TENSORS);
	operators = flatbuffer_get_tables(file, graph, GRAPH_OPERATORS);
	if ((uint64_t)tensors.count + operators.count > file->size / MIN_TABLE)
		return tflite_fail(import, -EINVAL,
				   "the file is too short for %" PRIu32 " tensors and %" PRIu32
				   " operators",
				   tensors.count, operators.count);
	import->tensors = tflite_alloc(import, tensors.count, sizeof(*import->tensors));
	import->operators = tflite_alloc(import, operators.count, sizeof(*import->operators));
	if (!import->tensors || !import->operators)
		return -ENOMEM;
	import->tensor_count = tensors.count;
	import->operator_count = operators.count;
	for (uint32_t i = 0; i < tensors.count && !err && !file->wrong; i++) {
		struct flatbuffer_table table = flatbuffer_table_at(file, &tensors, i);

		err = read_tensor(import, &table, buffers, &import->tensors[i]);
	}
	for (uint32_t i = 0; i < operators.count && !err && !file->wrong; i++) {
		struct flatbuffer_table table = flatbuffer_table_at(file, &operators, i);

		/* Several of them may be one table of the file. */
		import->operators[i].place = file->data + operators.at + 4 * (uint64_t)i;
		err = read_operator(import, &table, codes, &import->operators[i]);
	}
	if (!err)
		err = read_indices(import, graph, GRAPH_INPUTS, false, &import->inputs,
				   &import->input_count);
	if (!err)
		err = read_indices(import, graph, GRAPH_OUTPUTS, false, &import->outputs,
				   &import->output_count);
	return err;
}

/* The subgraph of the signature that somebody asks for; or the first one. */
static int find_subgraph(struct tflite_import *import, const struct flatbuffer_table *model,
			 const char *wanted, uint32_t *index)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_vector signatures = flatbuffer_get_tables(file, model, MODEL_SIGNATURES);
	char names[160] = "";
	size_t length = 0;

	*index = 0;
	for (uint32_t i = 0; i < signatures.count && !file->wrong; i++) {
		struct flatbuffer_table table = flatbuffer_table_at(file, &signatures, i);
		const char *key = flatbuffer_string(file, &table, SIGNATURE_KEY);
		uint32_t graph = flatbuffer_int(file, &table, SIGNATURE_SUBGRAPH, 4, 0);

		if (key && wanted && !strcmp(key, wanted)) {
			*index = graph;
			return 0;
		}
		if (key && length < sizeof(names))
			length += snprintf(names + length, sizeof(names) - length, "%s%s",
					   length ? ", " : "", tflite_quote(import, key));
	}
	if (!wanted)
		return 0;
	return tflite_fail(import, -EINVAL, "the model has no signature %s; it has %s",
			   tflite_quote(import, wanted), *names ? names : "none");
}

/* Reads all graphs but the one that is walked, and keeps those that can be walked: a file that is cut
 * does not have them, whatever is in them. */
static int read_others(struct tflite_import *import, uint32_t walked)
{
	struct flatbuffer *file = &import->buffer;
	uint32_t count = import->graphs.count;

	if (count == 1)
		return 0;
	import->kept = tflite_alloc(import, count, sizeof(*import->kept));
	if (!import->kept)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct flatbuffer_table graph;
		int err;

		if (i == walked)
			continue;
		graph = flatbuffer_table_at(file, &import->graphs, i);
		err = read_graph(import, &graph, &import->codes, &import->buffers);
		if (err == -ENOMEM)
			return err;
		import->kept[i].is = !err;
		import->kept[i].graph = tflite_graph_of(import);
	}
	if (!file->wrong)
		nn_graph_clear_errors(import->builder.graph);
	return tflite_check_encoding(import);
}

int tflite_read_subgraph(struct tflite_import *import, uint32_t index)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_table graph;
	int err;

	if (index >= import->graphs.count)
		return tflite_fail(import, -EINVAL, "it refers to graph %" PRIu32 " of %" PRIu32,
				   index, import->graphs.count);
	/* What walks it fills it in: another walk reads it again. */
	if (import->kept && import->kept[index].is) {
		import->kept[index].is = false;
		tflite_set_graph(import, &import->kept[index].graph);
		return 0;
	}
	graph = flatbuffer_table_at(file, &import->graphs, index);
	err = read_graph(import, &graph, &import->codes, &import->buffers);
	/* Reads after a fault of the encoding give nothing, which is no error by itself. */
	return file->wrong ? tflite_check_encoding(import) : err;
}

struct tflite_graph tflite_graph_of(const struct tflite_import *import)
{
	return (struct tflite_graph){
		.tensor_count = import->tensor_count,
		.operator_count = import->operator_count,
		.tensors = import->tensors,
		.operators = import->operators,
		.input_count = import->input_count,
		.output_count = import->output_count,
		.inputs = import->inputs,
		.outputs = import->outputs,
	};
}

void tflite_set_graph(struct tflite_import *import, const struct tflite_graph *graph)
{
	import->tensor_count = graph->tensor_count;
	import->operator_count = graph->operator_count;
	import->tensors = graph->tensors;
	import->operators = graph->operators;
	import->input_count = graph->input_count;
	import->output_count = graph->output_count;
	import->inputs = graph->inputs;
	import->outputs = graph->outputs;
}

int tflite_read_graph(struct tflite_import *import, int64_t index, struct tflite_graph *out)
{
	const struct tflite_graph walked = tflite_graph_of(import);
	int err;

	*out = (struct tflite_graph){ 0 };
	if (index < 1 || index >= import->graphs.count)
		return tflite_fail(import, -EINVAL,
				   "it calls subgraph %" PRId64 ", and the model has %" PRIu32
				   ", the first of which is the model",
				   index, import->graphs.count);
	tflite_set_graph(import, out);
	err = tflite_read_subgraph(import, index);
	*out = tflite_graph_of(import);
	tflite_set_graph(import, &walked);
	return err;
}

int tflite_read(struct tflite_import *import, const void *data, size_t size, const char *signature)
{
	struct flatbuffer *file = &import->buffer;
	struct flatbuffer_table model;
	uint32_t index;
	int64_t version;
	int err;

	import->file_size = size;
	if (!flatbuffer_open(file, data, size))
		return tflite_check_encoding(import);
	model = flatbuffer_root(file);
	version = flatbuffer_int(file, &model, MODEL_VERSION, 4, 0);
	import->codes = flatbuffer_get_tables(file, &model, MODEL_OPERATOR_CODES);
	import->graphs = flatbuffer_get_tables(file, &model, MODEL_SUBGRAPHS);
	import->buffers = flatbuffer_get_tables(file, &model, MODEL_BUFFERS);
	flatbuffer_table_at(file, &import->graphs, 0);
	err = tflite_check_encoding(import);
	if (err)
		return err;
	if (version != VERSION)
		return tflite_fail(import, -EOPNOTSUPP,
				   "the model is of version %" PRId64
				   " of the format, and nnloop knows %d",
				   version, VERSION);
	if (!import->graphs.count)
		return tflite_fail(import, -EINVAL, "the model has no graph");
	err = find_subgraph(import, &model, signature, &index);
	if (import->buffer.wrong)
		return tflite_check_encoding(import);
	if (!err)
		err = read_others(import, index);
	return err ? err : tflite_read_subgraph(import, index);
}
