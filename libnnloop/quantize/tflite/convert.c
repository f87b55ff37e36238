// SPDX-License-Identifier: MIT
/* The walk over a TensorFlow Lite model that becomes an ONNX model, operator by operator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/folder.h"
#include "import/import.h"
#include "quantize/tflite/convert.h"

#define SHOWN 100	/* characters of names in messages */
#define IR_VERSION 7	/* of the format that has QUANTIZER_OPSET */

/* ---- Errors ---- */

void convert_refuse(struct conversion *c, const char *why)
{
	const struct tflite_tensor *made = c->now->output_count ? convert_output(c, 0) : NULL;
	char name[SHOWN + 8];

	if (c->err)
		return;
	nn_error_quote(name, SHOWN, made && made->name ? made->name : "");
	c->err = quantizer_fail(c->quantizer, -EOPNOTSUPP,
				"%s, which makes %s, cannot be written as ONNX: %s; quantize it with "
				"TensorFlow Lite's converter", c->now->op->name, name, why);
}

void convert_no_memory(struct conversion *c)
{
	if (!c->err)
		c->err = quantizer_no_memory(c->quantizer);
}

/* ---- Tensors ---- */

const struct tflite_tensor *convert_input(const struct conversion *c, uint32_t i)
{
	return &c->import->tensors[c->now->inputs[i]];
}

const struct tflite_tensor *convert_output(const struct conversion *c, uint32_t i)
{
	return &c->import->tensors[c->now->outputs[i]];
}

uint32_t convert_place(uint32_t dim, enum convert_layout layout)
{
	static const uint32_t places[4] = { 0, 2, 3, 1 };

	return layout == CONVERT_TURNED ? places[dim] : dim;
}

void convert_shape(const struct tflite_tensor *tensor, enum convert_layout layout, int64_t *dims)
{
	for (uint32_t i = 0; i < tensor->rank; i++)
		dims[convert_place(i, layout)] = tensor->dims[i];
}

/* A constant in a layout, in which one of fewer dimensions than four has ones in front. */
static const char *write_constant(struct conversion *c, const struct tflite_tensor *tensor,
				  enum convert_layout layout)
{
	static const uint32_t perm[4] = { 0, 3, 1, 2 };
	struct nn_const values = tensor->constant;
	uint32_t dims[4] = { 1, 1, 1, 1 };

	if (layout == CONVERT_TURNED && values.count > 1) {
		memcpy(dims + 4 - values.rank, values.dims, values.rank * sizeof(*dims));
		nn_const_reshape(&values, 4, dims);
		values = convert_permute(c, &values, perm);
	} else if (layout == CONVERT_TURNED) {
		nn_const_reshape(&values, 0, dims);
	}
	return convert_constant(c, tensor->name, &values);
}

static void turn(struct conversion *c, uint32_t tensor, enum convert_layout layout)
{
	static const int64_t perms[CONVERT_LAYOUTS][4] = {
		[CONVERT_PLAIN] = { 0, 2, 3, 1 }, [CONVERT_TURNED] = { 0, 3, 1, 2 },
	};
	struct convert_tensor *names = &c->tensors[tensor];
	const char *made = c->import->tensors[tensor].name;
	Onnx__NodeProto *node;

	if (layout == CONVERT_TURNED)
		made = convert_new_name(c, made);
	node = convert_add(c, "Transpose", &names->names[!layout], 1, made);
	convert_set_ints(c, node, "perm", perms[layout], 4);
	names->names[layout] = made;
}

/* The name of a tensor in a layout, in which it is from here on. */
static const char *read_tensor(struct conversion *c, uint32_t index, enum convert_layout layout)
{
	const struct tflite_tensor *tensor = &c->import->tensors[index];
	struct convert_tensor *names = &c->tensors[index];

	if (!names->names[layout] && tensor->is_constant)
		names->names[layout] = write_constant(c, tensor, layout);
	else if (!names->names[layout] && names->names[!layout] && tensor->rank == 4)
		turn(c, index, layout);
	if (!names->names[layout])
		convert_refuse(c, "it reads what is kept from one run to the next, or of another graph");
	return names->names[layout] ? names->names[layout] : "";
}

const char *convert_read(struct conversion *c, uint32_t i, enum convert_layout layout)
{
	if (i < c->now->input_count && c->now->inputs[i] >= 0)
		return read_tensor(c, c->now->inputs[i], layout);
	convert_refuse(c, "an input is left out");
	return "";
}

const char *convert_define(struct conversion *c, uint32_t i, enum convert_layout layout)
{
	const uint32_t index = c->now->outputs[i];
	const char *name = c->import->tensors[index].name;

	if (layout == CONVERT_TURNED)
		name = convert_new_name(c, name);
	c->tensors[index].names[layout] = name;
	return name;
}

enum convert_layout convert_find_layout(const struct conversion *c)
{
	bool is_turned = false;

	if (convert_output(c, 0)->rank != 4 || c->tensors[c->now->outputs[0]].is_output)
		return CONVERT_PLAIN;
	for (uint32_t i = 0; i < c->now->input_count; i++) {
		const struct convert_tensor *names;

		if (c->now->inputs[i] < 0 || convert_input(c, i)->is_constant)
			continue;
		if (convert_input(c, i)->rank != 4)
			return CONVERT_PLAIN;
		names = &c->tensors[c->now->inputs[i]];
		is_turned |= names->names[CONVERT_TURNED] && !names->names[CONVERT_PLAIN];
	}
	return is_turned ? CONVERT_TURNED : CONVERT_PLAIN;
}

/* ---- Constants ---- */

const struct nn_const *convert_ints(struct conversion *c, uint32_t i)
{
	static const struct nn_const none = { .element = NN_ELEMENT_INT32, .rank = 1 };
	const struct tflite_tensor *tensor = i < c->now->input_count && c->now->inputs[i] >= 0 ?
						     convert_input(c, i) : NULL;

	if (tensor && tensor->is_constant && (tensor->constant.element == NN_ELEMENT_INT32 ||
					      tensor->constant.element == NN_ELEMENT_INT64))
		return &tensor->constant;
	if (!tensor || tensor->rank != 1 || tensor->dims[0])
		convert_refuse(c, "an axis or a size of it is no constant");
	return &none;
}

struct nn_const convert_floats(struct conversion *c, uint32_t i)
{
	struct nn_const out = { .element = NN_ELEMENT_NONE };
	struct nn_parameter integers;

	if (c->now->inputs[i] < 0 || !convert_input(c, i)->is_constant) {
		convert_refuse(c, "its weights are no constant");
		return out;
	}
	out = convert_input(c, i)->constant;
	if (out.element == NN_ELEMENT_FLOAT)
		return out;
	/* Weights of integers beside an input of float32. */
	tflite_look_at(c->import, c->now);
	if (tflite_parameter_input(c->import, i, &integers) ||
	    nn_const_dequantize(&c->import->builder, integers.values, integers.quant, &out))
		convert_refuse(c, "its weights are not of float32");
	return out;
}

/* ---- Operators ---- */

static const struct {
	const char *name;
	void (*write)(struct conversion *c);
	const char *becomes;	/* the one operator of ONNX that it is, or the first of them; or NULL */
} forms[] = {
	{ "ABS", convert_each, "Abs" },
	{ "ADD", convert_two, "Add" },
	{ "ARG_MAX", convert_arg, "ArgMax" },
	{ "ARG_MIN", convert_arg, "ArgMin" },
	{ "AVERAGE_POOL_2D", convert_pool, "AveragePool" },
	{ "BATCH_MATMUL", convert_batch_matmul, NULL },
	{ "BROADCAST_TO", convert_broadcast_to, NULL },
	{ "CAST", convert_cast, NULL },
	{ "CEIL", convert_each, "Ceil" },
	{ "CONCATENATION", convert_concatenation, NULL },
	{ "CONV_2D", convert_conv, NULL },
	{ "COS", convert_each, "Cos" },
	{ "Convolution2DTransposeBias", convert_transpose_bias, NULL },
	{ "DEPTHWISE_CONV_2D", convert_depthwise_conv, NULL },
	{ "DEPTH_TO_SPACE", convert_blocks, "DepthToSpace" },
	{ "DIV", convert_two, "Div" },
	{ "ELU", convert_each, "Elu" },
	{ "EQUAL", convert_two, "Equal" },
	{ "EXP", convert_each, "Exp" },
	{ "EXPAND_DIMS", convert_same_elements, NULL },
	{ "FLOOR", convert_each, "Floor" },
	{ "FULLY_CONNECTED", convert_fully_connected, NULL },
	{ "GATHER", convert_gather, NULL },
	{ "GELU", convert_each, NULL },
	{ "GREATER", convert_two, "Greater" },
	{ "GREATER_EQUAL", convert_two, "GreaterOrEqual" },
	{ "HARD_SWISH", convert_each, NULL },
	{ "L2_NORMALIZATION", convert_softmax, "LpNormalization" },
	{ "LEAKY_RELU", convert_each, "LeakyRelu" },
	{ "LESS", convert_two, "Less" },
	{ "LESS_EQUAL", convert_two, "LessOrEqual" },
	{ "LOG", convert_each, "Log" },
	{ "LOGICAL_AND", convert_two, "And" },
	{ "LOGICAL_NOT", convert_each, "Not" },
	{ "LOGICAL_OR", convert_two, "Or" },
	{ "LOGISTIC", convert_each, "Sigmoid" },
	{ "LOG_SOFTMAX", convert_softmax, "LogSoftmax" },
	{ "MAXIMUM", convert_two, "Max" },
	{ "MAX_POOL_2D", convert_pool, "MaxPool" },
	{ "MEAN", convert_reduce, "ReduceMean" },
	{ "MINIMUM", convert_two, "Min" },
	{ "MIRROR_PAD", convert_pad, NULL },
	{ "MUL", convert_two, "Mul" },
	{ "NEG", convert_each, "Neg" },
	{ "PACK", convert_pack, NULL },
	{ "PAD", convert_pad, NULL },
	{ "PADV2", convert_pad, NULL },
	{ "PRELU", convert_two, "PRelu" },
	{ "REDUCE_MAX", convert_reduce, "ReduceMax" },
	{ "REDUCE_MIN", convert_reduce, "ReduceMin" },
	{ "REDUCE_PROD", convert_reduce, "ReduceProd" },
	{ "RELU", convert_each, NULL },
	{ "RELU6", convert_each, NULL },
	{ "RELU_N1_TO_1", convert_each, NULL },
	{ "RESHAPE", convert_same_elements, NULL },
	{ "RESIZE_BILINEAR", convert_resize_bilinear, NULL },
	{ "RESIZE_NEAREST_NEIGHBOR", convert_resize_nearest, NULL },
	{ "ROUND", convert_each, "Round" },
	{ "RSQRT", convert_each, NULL },
	{ "SELECT", convert_select, NULL },
	{ "SELECT_V2", convert_select, NULL },
	{ "SIN", convert_each, "Sin" },
	{ "SLICE", convert_slice, NULL },
	{ "SOFTMAX", convert_softmax, "Softmax" },
	{ "SPACE_TO_DEPTH", convert_blocks, "SpaceToDepth" },
	{ "SPLIT", convert_split, NULL },
	{ "SPLIT_V", convert_split_v, NULL },
	{ "SQRT", convert_each, "Sqrt" },
	{ "SQUARE", convert_each, NULL },
	{ "SQUARED_DIFFERENCE", convert_two, "Sub" },
	{ "SQUEEZE", convert_same_elements, NULL },
	{ "STRIDED_SLICE", convert_strided_slice, NULL },
	{ "SUB", convert_two, "Sub" },
	{ "SUM", convert_reduce, "ReduceSum" },
	{ "TANH", convert_each, "Tanh" },
	{ "TILE", convert_tile, NULL },
	{ "TRANSPOSE", convert_transpose, NULL },
	{ "TRANSPOSE_CONV", convert_transpose_conv, NULL },
	{ "UNPACK", convert_unpack, NULL },
};

/* Whether the importer has made constants of all that the current operator makes. */
static bool is_known(const struct conversion *c)
{
	for (uint32_t i = 0; i < c->now->output_count; i++) {
		if (!convert_output(c, i)->is_constant)
			return false;
	}
	return true;
}

static void write_operator(struct conversion *c)
{
	if (is_known(c))
		return;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!strcmp(forms[i].name, c->now->op->name)) {
			c->becomes = forms[i].becomes;
			forms[i].write(c);
			return;
		}
	}
	convert_refuse(c, "nnloop knows no operators of ONNX for it");
}

/* ---- The model ---- */

/* Every tensor has a name in an ONNX model, and one of its own. */
static void name_tensors(struct conversion *c)
{
	struct tflite_tensor *tensors = c->import->tensors;

	convert_list_names(c);
	for (uint32_t i = 0; i < c->import->tensor_count; i++) {
		bool is_own = tensors[i].name && *tensors[i].name &&
			      convert_find_name(c, tensors[i].name) == i;

		if (!is_own)
			tensors[i].name = convert_new_name(c, tensors[i].name);
		else
			tensors[i].name = nn_pool_string(c->pool, tensors[i].name);
		if (!tensors[i].name) {
			convert_no_memory(c);
			tensors[i].name = "";
		}
	}
}

/* Makes what a model says of an input or an output. */
static Onnx__ValueInfoProto *make_info(struct conversion *c, uint32_t index)
{
	const struct tflite_tensor *tensor = &c->import->tensors[index];
	Onnx__ValueInfoProto *info = nn_pool_alloc(c->pool, sizeof(*info));
	Onnx__TypeProto *type = nn_pool_alloc(c->pool, sizeof(*type));
	Onnx__TypeProto__Tensor *of = nn_pool_alloc(c->pool, sizeof(*of));
	Onnx__TensorShapeProto *shape = nn_pool_alloc(c->pool, sizeof(*shape));
	Onnx__TensorShapeProto__Dimension *dims =
		nn_pool_array(c->pool, tensor->rank + 1, sizeof(*dims));
	Onnx__TensorShapeProto__Dimension **list =
		nn_pool_array(c->pool, tensor->rank + 1, sizeof(*list));

	if (!info || !type || !of || !shape || !dims || !list) {
		convert_no_memory(c);
		return NULL;
	}
	onnx__value_info_proto__init(info);
	onnx__type_proto__init(type);
	onnx__type_proto__tensor__init(of);
	onnx__tensor_shape_proto__init(shape);
	for (uint32_t i = 0; i < tensor->rank; i++) {
		onnx__tensor_shape_proto__dimension__init(&dims[i]);
		dims[i].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		dims[i].dim_value = tensor->dims[i];
		list[i] = &dims[i];
	}
	shape->dim = list;
	shape->n_dim = tensor->rank;
	of->has_elem_type = true;
	of->elem_type = convert_type(tensor->element);
	of->shape = shape;
	type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	type->tensor_type = of;
	info->name = (char *)tensor->name;
	info->type = type;
	if (!of->elem_type && !c->err) {
		char name[SHOWN + 8];

		nn_error_quote(name, SHOWN, tensor->name);
		c->err = quantizer_fail(c->quantizer, -EOPNOTSUPP,
					"tensor %s is of %s, which no float model takes or gives", name,
					tflite_type_name(tensor->type));
	}
	return info;
}

static Onnx__ValueInfoProto **write_inputs(struct conversion *c, size_t *count)
{
	const struct tflite_import *import = c->import;
	Onnx__ValueInfoProto **infos = nn_pool_array(c->pool, import->input_count + 1, sizeof(*infos));

	*count = 0;
	for (uint32_t i = 0; i < import->input_count && infos; i++) {
		uint32_t tensor = import->inputs[i];

		/* Somebody has said what it is. */
		if (import->tensors[tensor].is_constant)
			continue;
		c->tensors[tensor].names[CONVERT_PLAIN] = import->tensors[tensor].name;
		infos[(*count)++] = make_info(c, tensor);
	}
	if (!infos)
		convert_no_memory(c);
	return infos;
}

static Onnx__ValueInfoProto **write_outputs(struct conversion *c)
{
	const struct tflite_import *import = c->import;
	Onnx__ValueInfoProto **infos = nn_pool_array(c->pool, import->output_count + 1, sizeof(*infos));

	for (uint32_t i = 0; i < import->output_count && infos; i++) {
		read_tensor(c, import->outputs[i], CONVERT_PLAIN);
		infos[i] = make_info(c, import->outputs[i]);
	}
	if (!infos)
		convert_no_memory(c);
	return infos;
}

static void write_model(struct conversion *c)
{
	Onnx__ModelProto *model = nn_pool_alloc(c->pool, sizeof(*model));
	Onnx__GraphProto *graph = nn_pool_alloc(c->pool, sizeof(*graph));
	Onnx__OperatorSetIdProto *opset = nn_pool_alloc(c->pool, sizeof(*opset));
	Onnx__OperatorSetIdProto **opsets = nn_pool_copy(c->pool, &opset, sizeof(opset));

	if (!model || !graph || !opset || !opsets) {
		convert_no_memory(c);
		return;
	}
	onnx__model_proto__init(model);
	onnx__graph_proto__init(graph);
	onnx__operator_set_id_proto__init(opset);
	opset->domain = (char *)nn_pool_string(c->pool, "");
	opset->has_version = true;
	opset->version = QUANTIZER_OPSET;
	model->has_ir_version = true;
	model->ir_version = IR_VERSION;
	model->opset_import = opsets;
	model->n_opset_import = 1;
	model->graph = graph;
	graph->name = (char *)nn_pool_string(c->pool, "model");
	graph->input = write_inputs(c, &graph->n_input);
	for (uint32_t i = 0; i < c->import->output_count; i++)
		c->tensors[c->import->outputs[i]].is_output = true;
	for (uint32_t i = 0; i < c->import->operator_count && !c->err; i++) {
		c->now = &c->import->operators[i];
		c->is_named = false;
		write_operator(c);
	}
	if (!c->err)
		graph->output = write_outputs(c);
	graph->n_output = c->import->output_count;
	graph->node = (Onnx__NodeProto **)c->nodes.items;
	graph->n_node = c->nodes.count;
	graph->initializer = (Onnx__TensorProto **)c->constants.items;
	graph->n_initializer = c->constants.count;
	if (!c->err)
		c->quantizer->model = model;
}

/* Called with a model that has been imported as one in float, while the importer has it. */
static void convert(struct tflite_import *import, void *opaque)
{
	struct conversion *c = opaque;

	c->import = import;
	c->tensors = nn_pool_array(c->pool, import->tensor_count + 1, sizeof(*c->tensors));
	if (!tflite_is_of_floats(import))
		c->err = quantizer_fail(c->quantizer, -EEXIST,
					"the model is quantized already; take the float model that it was made from");
	else if (!c->tensors)
		convert_no_memory(c);
	if (!c->err)
		name_tensors(c);
	if (!c->err)
		write_model(c);
}

int quantizer_read_tflite(struct nn_quantizer *quantizer, const char *path)
{
	struct conversion c = { .quantizer = quantizer, .pool = &quantizer->pool };
	struct nn_model_source source = { .options = &quantizer->options };
	struct nn_graph *graph = NULL;
	const char *failed;
	int err = nn_folder_open(path, &source.folder, &source.data, &source.size, &failed);

	if (err)
		return quantizer_fail(quantizer, err, "cannot %s the file: %s", failed, strerror(-err));
	if (nn_graph_create(&graph)) {
		err = quantizer_no_memory(quantizer);
	} else {
		nn_graph_lock(graph);
		err = nn_import_unpack(graph, &source);
		if (!err)
			err = tflite_import_for(graph, &source, convert, &c);
		nn_graph_unlock(graph);
		err = c.err ? c.err : err ? quantizer_fail_graph(quantizer, graph, err) : 0;
	}
	if (!err && nn_folder_is_changed(source.folder))
		err = quantizer_fail(quantizer, -EBUSY, "the file was changed while it was read");
	nn_folder_close(source.folder);
	nn_graph_destroy(graph);
	/* They are in the model. */
	quantizer->options.value_count = 0;
	quantizer->options.signature = NULL;
	return err;
}
