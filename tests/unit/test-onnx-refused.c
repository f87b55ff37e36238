// SPDX-License-Identifier: MIT
/*
 * Tests that the ONNX importer refuses, by its name, what its table of operators does not name:
 * opsets, attributes and their values, inputs. And what an operator cannot do with the inputs that
 * it has.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/onnx-model.h"

/* ---- Changes ---- */

static Onnx__NodeProto *node_of(const Onnx__ModelProto *model, const char *op)
{
	return (Onnx__NodeProto *)(uintptr_t)find(model, op);
}

/* One more attribute of a node's; its memory is the caller's. */
static Onnx__AttributeProto *add_attr(Onnx__ModelProto *model, const char *op, const char *name,
				      Onnx__AttributeProto__AttributeType type)
{
	static Onnx__AttributeProto attr, *list[16];
	Onnx__NodeProto *node = node_of(model, op);

	onnx__attribute_proto__init(&attr);
	set(&attr.name, name);
	attr.has_type = 1;
	attr.type = type;
	if (node->n_attribute)
		memcpy(list, node->attribute, node->n_attribute * sizeof(*list));
	list[node->n_attribute++] = &attr;
	node->attribute = list;
	return &attr;
}

static void add_int(Onnx__ModelProto *model, const char *op, const char *name, int64_t value)
{
	Onnx__AttributeProto *attr =
		add_attr(model, op, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	attr->has_i = 1;
	attr->i = value;
}

static void add_ints(Onnx__ModelProto *model, const char *op, const char *name, int64_t *values,
		     size_t length)
{
	Onnx__AttributeProto *attr =
		add_attr(model, op, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

	attr->ints = values;
	attr->n_ints = length;
}

static void add_input(Onnx__ModelProto *model, const char *op, size_t at, const char *name)
{
	static char *list[16];
	Onnx__NodeProto *node = node_of(model, op);

	memcpy(list, node->input, node->n_input * sizeof(*list));
	for (size_t i = node->n_input; i < at; i++)
		set(&list[i], "");
	set(&list[at], name);
	node->input = list;
	node->n_input = at + 1;
}

static void opset_99(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 99;
}

static void opset_29(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 29;
}

static void opset_9(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 9;
}

static void opset_twice(Onnx__ModelProto *model)
{
	static Onnx__OperatorSetIdProto *ids[2];

	ids[0] = ids[1] = model->opset_import[0];
	model->opset_import = ids;
	model->n_opset_import = 2;
}

static void other_opset(Onnx__ModelProto *model)
{
	set(&model->opset_import[0]->domain, "com.example");
}

static void made_up_attribute(Onnx__ModelProto *model)
{
	add_int(model, "Conv", "made_up", 1);
}

static void windows_of_no_dimension(Onnx__ModelProto *model)
{
	add_int(model, "BatchLoop", "axis", 4);
}

static void windows_of_nothing(Onnx__ModelProto *model)
{
	set(&node_of(model, "BatchLoop")->attribute[0]->name, "window");
	node_of(model, "BatchLoop")->attribute[0]->i = 0;
	add_int(model, "BatchLoop", "axis", -1);
}

static void later_attribute(Onnx__ModelProto *model)
{
	add_int(model, "QuantizeLinear", "output_dtype", 3);
}

static void earlier_attribute(Onnx__ModelProto *model)
{
	static int64_t axes[] = { 0 };

	set(&node_of(model, "MaxPool")->op_type, "Squeeze");
	node_of(model, "Squeeze")->n_attribute = 0;
	add_ints(model, "Squeeze", "axes", axes, 1);
}

static void attribute_twice(Onnx__ModelProto *model)
{
	add_int(model, "Conv", "group", 1);
}

static void attribute_of_another_type(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "group")->type =
		ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
}

static void attribute_of_a_function(Onnx__ModelProto *model)
{
	set(&find_attr(find(model, "Conv"), "group")->ref_attr_name, "groups");
}

static void no_kernel(Onnx__ModelProto *model)
{
	Onnx__NodeProto *node = node_of(model, "MaxPool");

	for (size_t i = 0; i < node->n_attribute; i++) {
		if (!strcmp(node->attribute[i]->name, "kernel_shape"))
			node->attribute[i] = node->attribute[--node->n_attribute];
	}
}

static void unknown_padding(Onnx__ModelProto *model)
{
	Onnx__AttributeProto *attr = find_attr(find(model, "Conv"), "auto_pad");

	attr->s.len--;
}

static void dilated_pool(Onnx__ModelProto *model)
{
	static int64_t none[] = { 0, 2 };

	add_ints(model, "MaxPool", "dilations", none, 2);
}

static void scaled_product(Onnx__ModelProto *model)
{
	Onnx__AttributeProto *attr =
		add_attr(model, "Gemm", "alpha", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

	attr->has_f = 1;
	attr->f = 0.5f;
}

static void infinite_factor(Onnx__ModelProto *model)
{
	scaled_product(model);
	((Onnx__AttributeProto *)(uintptr_t)find_attr(find(model, "Gemm"), "alpha"))->f = INFINITY;
}

static void slope_of_no_number(Onnx__ModelProto *model)
{
	Onnx__AttributeProto *attr =
		add_attr(model, "LeakyRelu", "alpha", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

	attr->has_f = 1;
	attr->f = NAN;
}

static void divided_by_nothing(Onnx__ModelProto *model)
{
	slope_of_no_number(model);
	set(&node_of(model, "LeakyRelu")->op_type, "Celu");
	((Onnx__AttributeProto *)(uintptr_t)find_attr(find(model, "Celu"), "alpha"))->f = 0;
}

static void one_output_more(Onnx__ModelProto *model)
{
	static char *outputs[2];

	outputs[0] = node_of(model, "Conv")->output[0];
	set(&outputs[1], "unread");
	node_of(model, "Conv")->output = outputs;
	node_of(model, "Conv")->n_output = 2;
}

/* The tensor that ConstantOfShape repeats. */
static Onnx__TensorProto *repeated(Onnx__ModelProto *model)
{
	return find_attr(find(model, "ConstantOfShape"), "value")->t;
}

static void two_numbers(Onnx__ModelProto *model)
{
	static int64_t numbers[] = { 0, 0 }, two = 2;
	Onnx__TensorProto *value = repeated(model);

	value->n_dims = 1;
	value->dims = &two;
	value->n_int64_data = 2;
	value->int64_data = numbers;
}

static void a_half(Onnx__ModelProto *model)
{
	static uint8_t half[] = { 0, 0x38 };
	Onnx__TensorProto *value = repeated(model);

	value->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
	value->n_int64_data = 0;
	value->has_raw_data = 1;
	value->raw_data = (ProtobufCBinaryData){ sizeof(half), half };
}

/* ---- Scales ---- */

static void set_scale(Onnx__ModelProto *model, const char *name, float scale)
{
	memcpy(find_tensor(model, name)->raw_data.data, &scale, sizeof(scale));
}

static void scale_past_floats(Onnx__ModelProto *model)
{
	set_scale(model, "x0_scale", 1.35e36f);
}

static void scales_far_apart(Onnx__ModelProto *model)
{
	set_scale(model, "w_scale", 1e-30f);
	set_scale(model, "y_scale", 1e30f);
}

/* The last output's alone. */
static void last_scale_far_apart(Onnx__ModelProto *model)
{
	Onnx__TensorProto *scale = find_tensor(model, "w_scale");
	const float small = 1e-30f;

	memcpy(scale->raw_data.data + scale->raw_data.len - sizeof(small), &small, sizeof(small));
	set_scale(model, "y_scale", 1e30f);
}

static void sums_of_nothing(Onnx__ModelProto *model)
{
	set_scale(model, "w_scale", 1e30f);
}

/*
 * Gives a constant that is no matrix of weights a scale for each index; one makes sums of nothing.
 */
static void scales_of_a_factor(Onnx__ModelProto *model, bool is_first_greatest)
{
	static int64_t dims[] = { 20 };
	static float scales[20];
	static uint8_t zeros[20];
	Onnx__TensorProto *scale = find_tensor(model, "k1_scale");
	Onnx__TensorProto *zero = find_tensor(model, "k1_zero");

	for (int i = 0; i < 20; i++)
		scales[i] = i == (is_first_greatest ? 0 : 19) ? 1e30f : 0.03f;
	scale->raw_data.data = (uint8_t *)scales;
	scale->raw_data.len = sizeof(scales);
	zero->raw_data.data = zeros;
	zero->raw_data.len = sizeof(zeros);
	scale->dims = zero->dims = dims;
	scale->n_dims = zero->n_dims = 1;
}

static void first_scale_of_a_factor(Onnx__ModelProto *model)
{
	scales_of_a_factor(model, true);
}

static void last_scale_of_a_factor(Onnx__ModelProto *model)
{
	scales_of_a_factor(model, false);
}

static void means_of_nothing(Onnx__ModelProto *model)
{
	set_scale(model, "x0_scale", 1e30f);
}

/* The logarithm of what is nearly 0, and less or more in other runtimes. */
static void beside_no_number(Onnx__ModelProto *model)
{
	set_scale(model, "x0_scale", 1e-30f);
	set(&node_of(model, "Min")->op_type, "Log");
	node_of(model, "Log")->n_input = 1;
}

static void sparse_constant(Onnx__ModelProto *model)
{
	set(&node_of(model, "LeakyRelu")->op_type, "Constant");
	node_of(model, "Constant")->n_attribute = 0;
	node_of(model, "Constant")->n_input = 0;
	add_attr(model, "Constant", "sparse_value",
		 ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR);
}

static void one_input_more(Onnx__ModelProto *model)
{
	add_input(model, "Conv", 3, "x0_scale");
}

static void redefined(Onnx__ModelProto *model)
{
	static Onnx__FunctionProto function, *functions[] = { &function };

	onnx__function_proto__init(&function);
	set(&function.name, "Conv");
	set(&function.domain, "");
	model->functions = functions;
	model->n_functions = 1;
}

/* ---- What an operator cannot do with the inputs it has ---- */

static void integers_before_12(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 11;
	set(&node_of(model, "MaxPool")->input[0], "x0");
}

/* Eleven rows of one number where the product has eleven columns. */
static void addend_of_rows(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 11, 1 };

	find_tensor(model, "bias")->dims = dims;
	find_tensor(model, "bias")->n_dims = 2;
}

static void rank_grows(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 1, 1, 11 };

	find_tensor(model, "bias")->dims = dims;
	find_tensor(model, "bias")->n_dims = 3;
}

static void in_training(Onnx__ModelProto *model)
{
	find_tensor(model, "training")->raw_data.data[0] = 1;
}

static void in_training_perhaps(Onnx__ModelProto *model)
{
	set(&node_of(model, "Dropout")->input[2], "x0");
}

static void in_training_by_a_number(Onnx__ModelProto *model)
{
	find_tensor(model, "training")->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
}

static void squeezed(Onnx__ModelProto *model)
{
	node_of(model, "Squeeze")->n_input = 1;
}

static void squeezed_out_of_range(Onnx__ModelProto *model)
{
	int64_t axis = 4;

	memcpy(find_tensor(model, "axes")->raw_data.data, &axis, sizeof(axis));
}

static void batch_flattened(Onnx__ModelProto *model)
{
	model->graph->input[0]->type->tensor_type->shape->n_dim = 1;
	find_attr(find(model, "Flatten"), "axis")->i = 0;
}

static void one_dimension_twice(Onnx__ModelProto *model)
{
	Onnx__AttributeProto *perm = find_attr(find(model, "Transpose"), "perm");

	perm->ints[2] = perm->ints[1];
}

static void types_differ(Onnx__ModelProto *model)
{
	find_tensor(model, "y_zero")->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
}

static void bias_of_one(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 1 };

	find_tensor(model, "bias")->dims = dims;
	find_tensor(model, "bias")->raw_data.len = 4;
	set(&((Onnx__NodeProto *)(uintptr_t)find(model, "QLinearConv"))->input[8], "bias");
}

static void no_addend(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 10;
	node_of(model, "Gemm")->n_input = 2;
}

static void empty_addend(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 10;
	set(&node_of(model, "Gemm")->input[2], "");
}

static void axes_before_13(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 12;
}

static void padded_twice(Onnx__ModelProto *model)
{
	static int64_t pads[4] = { 0, 0, 1, 1 };

	add_ints(model, "Conv", "pads", pads, 4);
}

/* The kernel is 3 x 3, the image 10 x 10. */
static void strides_past_the_window(Onnx__ModelProto *model)
{
	static int64_t strides[2] = { 1, 5 };

	find_attr(find(model, "Conv"), "strides")->ints = strides;
}

static void image_strides(Onnx__ModelProto *model)
{
	static int64_t strides[2] = { 1, 2 };

	find_attr(find(model, "Conv"), "strides")->ints = strides;
	find_attr(find(model, "Conv"), "strides")->n_ints = 2;
}

static void line_strides(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "strides")->n_ints = 1;
}

static void image_pads(Onnx__ModelProto *model)
{
	static int64_t pads[4] = { 0, 1, 0, 1 };

	find_attr(find(model, "MaxPool"), "pads")->ints = pads;
	find_attr(find(model, "MaxPool"), "pads")->n_ints = 4;
}

static void one_pad(Onnx__ModelProto *model)
{
	find_attr(find(model, "MaxPool"), "pads")->n_ints = 1;
}

static void image_kernel(Onnx__ModelProto *model)
{
	static int64_t kernel[2] = { 1, 4 };

	find_attr(find(model, "AveragePool"), "kernel_shape")->ints = kernel;
	find_attr(find(model, "AveragePool"), "kernel_shape")->n_ints = 2;
}

static void other_kernel(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "kernel_shape")->ints[0] = 4;
}

static void shape_and_pads(Onnx__ModelProto *model)
{
	static int64_t pads[4] = { 1, 0, 0, 0 };

	add_ints(model, "ConvTranspose", "pads", pads, 4);
}

static void shape_of_all(Onnx__ModelProto *model)
{
	static int64_t shape[4] = { 3, 7, 10, 11 };
	Onnx__AttributeProto *attr = find_attr(find(model, "ConvTranspose"), "output_shape");

	attr->ints = shape;
	attr->n_ints = 4;
}

static void shape_too_large(Onnx__ModelProto *model)
{
	find_attr(find(model, "ConvTranspose"), "output_shape")->ints[0] = 12;
}

static void shape_too_small(Onnx__ModelProto *model)
{
	find_attr(find(model, "ConvTranspose"), "output_shape")->ints[1] = 5;
}

static void padding_of_a_stride(Onnx__ModelProto *model)
{
	find_attr(find(model, "ConvTranspose"), "output_padding")->ints[1] = 2;
}

static void all_cut_off(Onnx__ModelProto *model)
{
	find_attr(find(model, "ConvTranspose"), "pads")->ints[2] = 11;
}

static void groups_of_five(Onnx__ModelProto *model)
{
	find_attr(find(model, "ConvTranspose"), "group")->i = 5;
}

static void scale_of_a_list(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 1 };

	find_tensor(model, "x0_scale")->dims = dims;
	find_tensor(model, "x0_scale")->n_dims = 1;
}

static void no_zero_point(Onnx__ModelProto *model)
{
	set(&node_of(model, "QLinearAdd")->input[2], "");
}

static void other_type(Onnx__ModelProto *model)
{
	find_tensor(model, "x1_zero")->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
	model->graph->input[1]->type->tensor_type->elem_type =
		ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
}

static void wide_input(Onnx__ModelProto *model)
{
	Onnx__TensorProto *zero = find_tensor(model, "x0_zero");
	static uint8_t none[4];

	zero->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
	zero->raw_data = (ProtobufCBinaryData){ sizeof(none), none };
	model->graph->input[0]->type->tensor_type->elem_type =
		ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
}

static void axis_from_the_end(Onnx__ModelProto *model)
{
	find_attr(find(model, "Concat"), "axis")->i = -3;
	model->opset_import[0]->version = 10;
}

static void shape_from_another(Onnx__ModelProto *model)
{
	model->opset_import[0]->version = 15;
	add_int(model, "Shape", "start", 1);
}

static Onnx__NodeProto *loop_of(Onnx__ModelProto *model)
{
	return node_of(model, "Loop");
}

static Onnx__GraphProto *body_of(Onnx__ModelProto *model)
{
	return find_attr(loop_of(model), "body")->g;
}

/* The node of the body that makes something. */
static Onnx__NodeProto *in_body(Onnx__ModelProto *model, const char *name)
{
	for (size_t i = 0; i < body_of(model)->n_node; i++) {
		if (!strcmp(body_of(model)->node[i]->output[0], name))
			return body_of(model)->node[i];
	}
	printf("Bail out! nothing in the body makes %s\n", name);
	exit(1);
}

static void one_carried_more(Onnx__ModelProto *model)
{
	add_input(model, "Loop", loop_of(model)->n_input, "nothing");
}

static void one_result_less(Onnx__ModelProto *model)
{
	body_of(model)->n_output--;
}

static void nothing_collected(Onnx__ModelProto *model)
{
	loop_of(model)->n_output--;
	body_of(model)->n_output--;
	set(&model->graph->output[0]->name, "x0");
}

static void nameless_in_body(Onnx__ModelProto *model)
{
	set(&body_of(model)->input[2]->name, "");
}

static void condition_of_a_number(Onnx__ModelProto *model)
{
	find_tensor(model, "always")->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
}

static void condition_computed(Onnx__ModelProto *model)
{
	set(&loop_of(model)->input[1], "x0");
}

static void too_often(Onnx__ModelProto *model)
{
	static int64_t trips = 2147483648;

	find_tensor(model, "trips")->raw_data.data = (uint8_t *)&trips;
}

static void negative_trips(Onnx__ModelProto *model)
{
	static int64_t trips = -1;

	find_tensor(model, "trips")->raw_data.data = (uint8_t *)&trips;
}

static void rows_of_another(Onnx__ModelProto *model)
{
	set(&node_of(model, "Shape")->input[0], "x1");
}

static void begins_with_rows(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 2, 2, 6, 6 };

	find_tensor(model, "nothing")->dims = dims;
}

static void begins_without_dimensions(Onnx__ModelProto *model)
{
	Onnx__TensorProto *tensor = find_tensor(model, "nothing");

	tensor->n_dims = 0;
	tensor->raw_data.len = 1;
}

static void begins_wide(Onnx__ModelProto *model)
{
	Onnx__TensorProto *tensor = find_tensor(model, "nothing");

	tensor->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
	tensor->n_dims = 4;
	tensor->dims[1] = 1;
}

static void takes_a_constant(Onnx__ModelProto *model)
{
	set(&in_body(model, "item")->input[0], "nothing");
}

static void takes_nothing(Onnx__ModelProto *model)
{
	set(&in_body(model, "row")->op_type, "Identity");
	in_body(model, "row")->n_input = 1;
	in_body(model, "row")->n_attribute = 0;
}

static void index_by(Onnx__ModelProto *model, const char *op)
{
	set(&in_body(model, "index")->op_type, op);
}

static void index_repeated(Onnx__ModelProto *model)
{
	index_by(model, "Tile");
}

static void index_padded(Onnx__ModelProto *model)
{
	index_by(model, "Pad");
}

static void index_of_no_elements(Onnx__ModelProto *model)
{
	index_by(model, "Reshape"); /* as input 1 has it, to [0] */
}

/* Sets input 1 of the body's Unsqueeze. */
static void front_of(Onnx__ModelProto *model, int64_t *axes, size_t length)
{
	Onnx__TensorProto *front = body_of(model)->initializer[0];

	front->dims[0] = length;
	front->raw_data.data = (uint8_t *)axes;
	front->raw_data.len = length * sizeof(*axes);
}

static void index_of_two_dimensions(Onnx__ModelProto *model)
{
	static int64_t axes[] = { 0, 1 };

	front_of(model, axes, 2);
}

static void index_of_a_shape(Onnx__ModelProto *model)
{
	static int64_t shape[] = { 1, 1 };

	index_by(model, "Reshape");
	front_of(model, shape, 2);
}

static void index_of_two(Onnx__ModelProto *model)
{
	static int64_t shape[] = { 2 };

	index_by(model, "Expand");
	front_of(model, shape, 1);
}

/* A node behind the Loop, which reads what is its body's. */
static void read_behind(Onnx__ModelProto *model, const char *name)
{
	static Onnx__NodeProto node, *list[16];
	static char *input, *output;
	Onnx__GraphProto *graph = model->graph;

	onnx__node_proto__init(&node);
	set(&node.op_type, "Identity");
	set(&input, name);
	set(&output, "behind");
	node.input = &input;
	node.output = &output;
	node.n_input = node.n_output = 1;
	memcpy(list, graph->node, graph->n_node * sizeof(*list));
	list[graph->n_node++] = &node;
	graph->node = list;
}

static void number_behind(Onnx__ModelProto *model)
{
	read_behind(model, "number");
}

static void row_behind(Onnx__ModelProto *model)
{
	read_behind(model, "row");
}

static void row_as_output(Onnx__ModelProto *model)
{
	set(&model->graph->output[0]->name, "result");
}

static void input_twice(Onnx__ModelProto *model)
{
	set(&body_of(model)->input[0]->name, "x0");
	set(&in_body(model, "index")->input[0], "x0");
}

/* ONNX allows it: no broken model, and the search for other reasons goes on. */
static void scale_of_an_input(Onnx__ModelProto *model)
{
	set(&node_of(model, "QuantizeLinear")->input[1], "x0");
}

static void zero_point_of_an_input(Onnx__ModelProto *model)
{
	set(&node_of(model, "QuantizeLinear")->input[2], "x0");
}

static void gives_another_scale(Onnx__ModelProto *model)
{
	set(&in_body(model, "after")->input[1], "x0_scale");
}

static void gives_nothing(Onnx__ModelProto *model)
{
	set(&body_of(model)->output[1]->name, "nowhere");
}

/* HardSigmoid of 0 is its beta, to the last bits. */
static void threshold_of_a_result(Onnx__ModelProto *model)
{
	find_attr(find(model, "ThresholdedRelu"), "alpha")->f = 0.4f;
}

/* Softplus of 0, ln 2, over ln 2, rounded up, is 1 or 2. */
static void ends_of_a_product(Onnx__ModelProto *model)
{
	const float factor = 1.442695041f;
	Onnx__NodeProto *node = node_of(model, "Mul");

	set(&node_of(model, "Floor")->op_type, "Softplus");
	memcpy(find_tensor(model, node->input[1])->raw_data.data, &factor, sizeof(factor));
}

static Onnx__TensorProto *constant_of(Onnx__ModelProto *model, const char *name)
{
	for (size_t i = 0; i < model->graph->n_initializer; i++) {
		if (!strcmp(model->graph->initializer[i]->name, name))
			return model->graph->initializer[i];
	}
	return NULL;
}

/* More numbers, and as many channels of the input. */
static void many_slopes(Onnx__ModelProto *model)
{
	static float numbers[4097];
	Onnx__TensorProto *slopes = constant_of(model, "k");

	for (int i = 0; i < 4097; i++)
		numbers[i] = i;
	slopes->has_raw_data = 0;
	slopes->dims[0] = slopes->n_float_data = 4097;
	slopes->float_data = numbers;
	model->graph->input[0]->type->tensor_type->shape->dim[1]->dim_value = 4097;
}

static void set_first_float(Onnx__ModelProto *model, float value)
{
	memcpy(constant_of(model, "k")->raw_data.data, &value, sizeof(value));
}

static void slope_infinite(Onnx__ModelProto *model)
{
	set_first_float(model, INFINITY);
}

static void summand_nan(Onnx__ModelProto *model)
{
	set_first_float(model, NAN);
}

static void slope_without_elements(Onnx__ModelProto *model)
{
	Onnx__TensorProto *slopes = constant_of(model, "k");

	slopes->dims[0] = 0;
	slopes->raw_data.len = 0;
}

/* A slope for each of as many rows as there are, where x has one. */
static void slope_of_more(Onnx__ModelProto *model)
{
	model->graph->input[0]->type->tensor_type->shape->dim[1]->dim_value = 1;
}

/* The constant of a Concat. */
static void part_with_nan(Onnx__ModelProto *model)
{
	const float nan = NAN;

	memcpy(constant_of(model, "k0")->raw_data.data, &nan, sizeof(nan));
}

static void part_of_another_rank(Onnx__ModelProto *model)
{
	constant_of(model, "k0")->n_dims = 2;
	constant_of(model, "k0")->dims[1] = 9;
}

static void part_twice(Onnx__ModelProto *model)
{
	set(&node_of(model, "QLinearConcat")->input[5], "k");
}

static void part_of_another_type(Onnx__ModelProto *model)
{
	constant_of(model, "k0")->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
}

static const struct onnx_change changes[] = {
	{ "4097 slopes that differ", "prelu_float", many_slopes, -EOPNOTSUPP,
	  "(PRelu): its constant \"k\" has 4097 numbers that are not quantized with one scale" },
	{ "an infinite slope", "prelu_float", slope_infinite, -EOPNOTSUPP,
	  "(PRelu): with element 0 of its constant \"k\" its result is not a number (NaN)" },
	{ "no slopes", "prelu_float", slope_without_elements, -EOPNOTSUPP,
	  "(PRelu): its constant \"k\" is empty" },
	{ "more slopes than channels", "prelu_float", slope_of_more, -EINVAL,
	  "(PRelu): its slope has more dimensions, or is longer in one, than its input" },
	{ "a summand that is no number", "add_float", summand_nan, -EOPNOTSUPP,
	  "(Add): with element 0 of its constant \"k\" its result is not a number (NaN)" },
	{ "a part with a NaN", "concat_float", part_with_nan, -EOPNOTSUPP,
	  "(Concat): its constant \"k0\" has a NaN" },
	{ "a part of two dimensions", "concat_float", part_of_another_rank, -EINVAL,
	  "(Concat): its inputs have different ranks or types" },
	{ "nothing but constants", "qlinear_concat_constant", part_twice, -EOPNOTSUPP,
	  "(QLinearConcat): its inputs are constants" },
	{ "integers of another type", "concat_integers_constant", part_of_another_type, -EINVAL,
	  "(Concat): its inputs have different ranks or types" },
	{ "a threshold at a result", "chain_hard_sigmoid", threshold_of_a_result, -EOPNOTSUPP,
	  "its result depends on the last bits of the floats before it: of 0 it is" },
	{ "an end of a product", "chain_round", ends_of_a_product, -EOPNOTSUPP,
	  "its result depends on the last bits of the floats before it: of 0 it is" },
	{ "windows of a dimension that there is none", "batch_loop", windows_of_no_dimension, -EINVAL,
	  "(BatchLoop): its axis is none of 4 dimensions" },
	{ "windows of nothing", "batch_loop", windows_of_nothing, -EINVAL,
	  "(BatchLoop): its step, or window and stride, must be from 1 to 2^31 - 1" },
	{ "a Loop of more values than its body", "loop_carried", one_carried_more, -EINVAL,
	  "it has 4 inputs and 2 outputs, and its body 3 and 3" },
	{ "a Loop of less values than its body", "loop_carried", one_result_less, -EINVAL,
	  "it has 3 inputs and 2 outputs, and its body 3 and 2" },
	{ "a Loop that collects nothing", "loop_carried", nothing_collected, 0, "" },
	{ "a Loop whose body has an input without a name", "loop_carried", nameless_in_body,
	  -EINVAL, "an input of its body has no name" },
	{ "a Loop whose condition is a number", "loop_rows", condition_of_a_number, -EOPNOTSUPP,
	  "its condition is no tensor of one bool" },
	{ "a Loop whose condition is a tensor", "loop_rows", condition_computed, -EINVAL,
	  "its condition is no tensor of one bool" },
	{ "a Loop of 2^31 trips", "loop_trips", too_often, -EOPNOTSUPP,
	  "nothing ever ends it" },
	{ "a Loop of less than no trips", "loop_trips", negative_trips, 0, "" },
	{ "a Loop over the one row that another tensor has", "loop_carried_three", rows_of_another, 0, "" },
	{ "a carried value of two rows", "loop_carried", begins_with_rows, -EINVAL,
	  "its operands are 2 and 4 long in dimension 2" },
	{ "a carried value without dimensions", "loop_carried", begins_without_dimensions, -EOPNOTSUPP,
	  "its input 0 is a tensor without dimensions" },
	{ "a carried value of another type", "loop_carried", begins_wide, -EINVAL,
	  "its zero point has another type than its integers" },
	{ "a Loop over a constant", "loop_carried", takes_a_constant, -EINVAL,
	  "its indices are of more dimensions than there are" },
	{ "a Loop that takes no rows", "loop_rows", takes_nothing, 0, "" },
	{ "an iteration's number repeated", "loop_rows", index_repeated, -EOPNOTSUPP,
	  "(Tile): its input 0 is a tensor without dimensions" },
	{ "an iteration's number padded", "loop_rows", index_padded, -EOPNOTSUPP,
	  "(Pad): its input 0 is a tensor without dimensions" },
	{ "an iteration's number reshaped to no elements", "loop_rows", index_of_no_elements, -EINVAL,
	  "its shape has a dimension of 0" },
	{ "an iteration's number of two dimensions", "loop_rows", index_of_two_dimensions, -EOPNOTSUPP,
	  "its weights have 4 dimensions and its input has 5" },
	{ "an iteration's number reshaped to two dimensions", "loop_rows", index_of_a_shape, -EOPNOTSUPP,
	  "its weights have 4 dimensions and its input has 5" },
	{ "an iteration's number expanded to two", "loop_rows", index_of_two, 0, "" },
	{ "an iteration's number behind its Loop", "loop_rows", number_behind, -EINVAL,
	  "its input \"number\" is made by a node that comes later, inside of a Loop" },
	{ "a row behind its Loop", "loop_rows", row_behind, -EINVAL,
	  "its input \"row\" is made by a node that comes later, inside of a Loop" },
	{ "a row as an output of the model", "loop_rows", row_as_output, -EINVAL,
	  "nothing in the model makes its output \"result\"" },
	{ "an input of the model and of a Loop's body", "loop_rows", input_twice, -EINVAL,
	  "(Gather): its axis 0 is not one of 0 dimensions" },
	{ "a scale that an input brings", "conv", scale_of_an_input, -EOPNOTSUPP,
	  "its scale is no float constant" },
	{ "a zero point that an input brings", "conv", zero_point_of_an_input, -EOPNOTSUPP,
	  "its zero point is no constant" },
	{ "a carried value that gets another scale", "loop_carried", gives_another_scale, -EOPNOTSUPP,
	  "which goes through it, changes its type, its scale or its zero point" },
	{ "a carried value that nothing makes", "loop_carried", gives_nothing, -EINVAL,
	  "nothing in its body makes \"nowhere\"" },
	{ "an opset that nobody knows yet", "conv", opset_99, -EOPNOTSUPP,
	  "(DequantizeLinear): opset 99: nnloop knows up to 28" },
	{ "the opset after the last", "conv", opset_29, -EOPNOTSUPP,
	  "opset 29: nnloop knows up to 28" },
	{ "the opset after the last, of which no node is", "qlinear_add", opset_29, -EOPNOTSUPP,
	  "the model names opset 29 of ONNX: nnloop knows up to 28" },
	{ "an opset of before quantization", "conv", opset_9, -EOPNOTSUPP,
	  "opset 9: nnloop knows 10 to 28" },
	{ "two opsets of one domain", "conv", opset_twice, -EINVAL,
	  "the model names more than one opset of ONNX" },
	{ "no opset of a domain", "conv", other_opset, -EINVAL,
	  "the model names no opset of ONNX" },
	{ "an attribute nobody knows", "conv", made_up_attribute, -EOPNOTSUPP,
	  "(Conv): attribute \"made_up\" 1: nnloop knows no such one in opset 13" },
	{ "an attribute of a later opset", "conv", later_attribute, -EOPNOTSUPP,
	  "attribute \"output_dtype\" 3: nnloop knows no such one in opset 13" },
	{ "an attribute of an earlier opset", "maxpool", earlier_attribute, -EOPNOTSUPP,
	  "attribute \"axes\" [0]: nnloop knows no such one in opset 13" },
	{ "an attribute twice", "conv", attribute_twice, -EINVAL,
	  "attribute group: it has two of them" },
	{ "an attribute of another type", "conv", attribute_of_another_type, -EINVAL,
	  "attribute group: it is of another type" },
	{ "an attribute that stands for another", "conv", attribute_of_a_function, -EINVAL,
	  "attribute group: it stands for one of a function" },
	{ "a pool without a kernel", "maxpool", no_kernel, -EINVAL,
	  "(MaxPool): it has no attribute kernel_shape" },
	{ "a word that nobody knows", "conv_same_upper", unknown_padding, -EOPNOTSUPP,
	  "auto_pad \"SAME_UPPE\": nnloop can do NOTSET|SAME_UPPER|SAME_LOWER|VALID only" },
	{ "a MaxPool dilated by nothing", "maxpool", dilated_pool, -EOPNOTSUPP,
	  "(MaxPool): attribute dilations [0,2]: nnloop can do 1..255 only" },
	{ "an infinite factor", "gemm", infinite_factor, -EOPNOTSUPP,
	  "(Gemm): attribute alpha inf: nnloop can do finite numbers only" },
	{ "a slope that is no number", "leaky_relu", slope_of_no_number, -EOPNOTSUPP,
	  "(LeakyRelu): attribute alpha nan: nnloop can do finite numbers only" },
	{ "Celu's alpha of 0", "leaky_relu", divided_by_nothing, -EOPNOTSUPP,
	  "(Celu): its alpha is 0, by which it divides" },
	{ "an output that the operator does not have", "conv", one_output_more, -EOPNOTSUPP,
	  "(Conv): it has 2 outputs, and nnloop knows 1" },
	{ "a scale of infinite numbers", "requantize_u8_i8", scale_past_floats, -EOPNOTSUPP,
	  "its scale is 1.35e+36, of which 255 steps are more than float32 has" },
	{ "scales of the last output that are far apart", "conv", last_scale_far_apart, -EOPNOTSUPP,
	  "(Conv): of output 6 the scales 0.043 of its input, 1e-30 of its weights" },
	{ "scales that are far apart", "conv", scales_far_apart, -EOPNOTSUPP,
	  "(Conv): of output 0 the scales 0.043 of its input, 1e-30 of its weights and 1e+30 of its "
	  "result make a factor that float32 does not have" },
	{ "steps of sums of products", "conv_transpose", sums_of_nothing, -EOPNOTSUPP,
	  "(ConvTranspose): what it sums is up to" },
	{ "scales of a factor, the first too great", "matmul_batches", first_scale_of_a_factor,
	  -EOPNOTSUPP, "(MatMul): its constant has one scale per index of an axis" },
	{ "scales of a factor, the last too great", "matmul_batches", last_scale_of_a_factor,
	  -EOPNOTSUPP, "(MatMul): its constant has one scale per index of an axis" },
	{ "steps of means", "reducemean_1", means_of_nothing, -EOPNOTSUPP,
	  "(ReduceMean): what it sums is up to" },
	{ "a logarithm beside 0", "chain_elu", beside_no_number, -EOPNOTSUPP,
	  "its result depends on the last bits of the floats before it" },
	{ "a sparse constant", "leaky_relu", sparse_constant, -EOPNOTSUPP,
	  "(Constant): attribute sparse_value: nnloop can do nothing with it" },
	{ "an input that the operator does not have", "conv", one_input_more, -EOPNOTSUPP,
	  "node \"sum\" (Conv): it has 4 inputs, and nnloop knows 3" },
	{ "an input before the opset that added it", "squeeze", axes_before_13, -EOPNOTSUPP,
	  "(Squeeze): it has 2 inputs, and nnloop knows 1 in opset 12" },
	{ "an input that could not be left out yet", "gemm", no_addend, -EINVAL,
	  "(Gemm): it has no input 2, which it must have in opset 10" },
	{ "an input without a name that must have one", "gemm", empty_addend, -EINVAL,
	  "(Gemm): it has no input 2, which it must have in opset 10" },
	{ "padding given and to be found", "conv_same_upper", padded_twice, -EINVAL,
	  "(Conv): it has both auto_pad SAME_UPPER and pads" },
	{ "SAME with strides that leave elements out", "conv_same_upper", strides_past_the_window,
	  -EOPNOTSUPP, "(Conv): its strides leave 2 elements out" },
	{ "strides of images for lines", "conv_line_strides", image_strides, -EOPNOTSUPP,
	  "(Conv): its attribute strides has 2 numbers; its input of 3 dimensions takes 1" },
	{ "a stride of lines for images", "conv_strides_differ", line_strides, -EOPNOTSUPP,
	  "(Conv): its attribute strides has 1 numbers; its input of 4 dimensions takes 2" },
	{ "pads of images for lines", "maxpool_line", image_pads, -EOPNOTSUPP,
	  "(MaxPool): it has 4 pads; its input of 3 dimensions takes 2" },
	{ "one pad for lines", "maxpool_line", one_pad, -EOPNOTSUPP,
	  "(MaxPool): it has 1 pads; its input of 3 dimensions takes 2" },
	{ "a window of images for lines", "averagepool_line", image_kernel, -EOPNOTSUPP,
	  "(AveragePool): its attribute kernel_shape has 2 numbers; its input of 3 dimensions" },
	{ "another window than the weights', of lines", "conv_line_strides", other_kernel, -EINVAL,
	  "(Conv): its kernel_shape is not that of its weights" },
	{ "a transposed convolution's shape and pads", "conv_transpose_output_shape",
	  shape_and_pads, -EOPNOTSUPP, "it has both output_shape and pads" },
	{ "its shape of four dimensions", "conv_transpose_output_shape", shape_of_all, -EOPNOTSUPP,
	  "its attribute output_shape has 4 numbers, and its input takes 2" },
	{ "a shape larger than what there is", "conv_transpose_output_shape", shape_too_large,
	  -EOPNOTSUPP, "its output_shape is 12; nnloop can do 5 to 11" },
	{ "a shape smaller than the input", "conv_transpose_output_shape", shape_too_small,
	  -EOPNOTSUPP, "its output_shape is 5; nnloop can do 6 to 13" },
	{ "output_padding as long as the stride", "conv_transpose_output_padding",
	  padding_of_a_stride, -EOPNOTSUPP, "is 2, which is not below its stride 2" },
	{ "pads that leave nothing", "conv_transpose", all_cut_off, -EOPNOTSUPP,
	  "dimension 2 of its output would be" },
	{ "groups that channels do not fit", "conv_transpose_group", groups_of_five, -EINVAL,
	  "6 channels and weights of 6 x 4 do not fit 5 groups" },
	{ "an operator that is a function of the model", "conv", redefined, -EOPNOTSUPP,
	  "node \"sum\" (Conv): the model has a function of that name" },
	{ "MaxPool of integers before it had them", "maxpool", integers_before_12, -EINVAL,
	  "it takes integers from opset 12 on" },
	{ "Gemm's C with a row for each item", "gemm", addend_of_rows, -EOPNOTSUPP,
	  "node \"sum\" (Gemm): what it adds has 11 rows, not one for all items" },
	{ "a sum of more dimensions", "matmul_add", rank_grows, -EOPNOTSUPP,
	  "(Add): it adds a constant of 3 dimensions to a product of 2" },
	{ "Dropout in training", "dropout", in_training, -EOPNOTSUPP,
	  "(Dropout): its training_mode is not the constant false" },
	{ "Dropout that may be in training", "dropout", in_training_perhaps, -EOPNOTSUPP,
	  "(Dropout): its training_mode is not the constant false" },
	{ "Dropout whose training_mode is a number", "dropout", in_training_by_a_number, -EOPNOTSUPP,
	  "(Dropout): its training_mode is not the constant false" },
	{ "Squeeze without axes", "squeeze", squeezed, -EOPNOTSUPP,
	  "(Squeeze): without axes it drops the batch, too" },
	{ "Squeeze of a dimension that is not there", "squeeze", squeezed_out_of_range, -EINVAL,
	  "(Squeeze): it drops dimension 4 of 4" },
	{ "Flatten of one dimension at axis 0", "flatten", batch_flattened, -EOPNOTSUPP,
	  "(Flatten): it flattens at axis 0" },
	{ "Transpose that has a dimension twice", "transpose", one_dimension_twice, -EINVAL,
	  "(Transpose): its perm is no permutation" },
	{ "output_dtype and a zero point of another type", "quantize_opset_23", types_differ,
	  -EINVAL, "(QuantizeLinear): its zero point has another type than its integers" },
	{ "one bias for several outputs", "qlinear_conv", bias_of_one, -EINVAL,
	  "its bias has 1 elements for 8 outputs" },
	{ "QLinearAdd's scale of a list", "qlinear_add", scale_of_a_list, -EINVAL,
	  "(QLinearAdd): its input 1 has 1 dimensions, not 0" },
	{ "QLinearAdd without a zero point", "qlinear_add", no_zero_point, -EINVAL,
	  "(QLinearAdd)" },
	{ "QLinearAdd of two types", "qlinear_add", other_type, -EINVAL,
	  "(QLinearAdd): its operands are of int8 and uint8" },
	{ "int32 of which 8 bits are made", "requantize_u8_i8", wide_input, -EOPNOTSUPP,
	  "(QuantizeLinear): it quantizes int32 where a scale is no power of two" },
	{ "an axis from the end before that was defined", "concat", axis_from_the_end, -EOPNOTSUPP,
	  "(Concat): attribute axis -3: nnloop can do 0.. only" },
	{ "ConstantOfShape of two numbers", "reshape_size", two_numbers, -EINVAL,
	  "(ConstantOfShape): its shape or its value is none" },
	{ "ConstantOfShape of a half", "reshape_size", a_half, -EOPNOTSUPP,
	  "has element type 10, which nnloop does not know" },
	{ "a Shape that begins elsewhere", "loop_rows", shape_from_another, -EOPNOTSUPP,
	  "it takes what is 1 long by the number of a Loop's iteration, of which there are 4" },
};

/*
 * How many inputs operators have that are not ONNX's own: those of ONNX, its schemas say
 * (onnx-schemas).
 */
static const struct {
	const char *domain, *name;
	unsigned int least, most, opset;
} others[] = {
	{ "com.microsoft", "QLinearAdd", 7, 8, 1 },
	{ "com.microsoft", "QLinearAveragePool", 4, 5, 1 },
	{ "com.microsoft", "QLinearGlobalAveragePool", 5, 5, 1 },
	{ "org.nnloop", "BatchLoop", 1, ONNX_ANY_COUNT, 1 },
	{ "org.nnloop", "Collect", 2, 2, 1 },
	{ "org.nnloop", "CountLoop", 1, ONNX_ANY_COUNT, 1 },
	{ "org.nnloop", "CropResize", 3, 3, 1 },
	{ "org.nnloop", "Proposal", 4, 4, 1 },
};

static void test_others(void)
{
	uint32_t op_count, found = 0;
	const struct onnx_op *ops = onnx_get_ops(&op_count);

	for (uint32_t i = 0; i < op_count; i++) {
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
			if (!ops[i].domain || strcmp(ops[i].domain, others[k].domain) || strcmp(ops[i].name, others[k].name))
				continue;
			found++;
			result(ops[i].inputs[0].least == others[k].least && ops[i].inputs[0].most == others[k].most &&
				       !ops[i].inputs[1].first && ops[i].opsets[0] == others[k].opset &&
				       ops[i].opsets[1] == others[k].opset &&
				       ops[i].is_function == !strcmp(others[k].domain, "org.nnloop"),
			       ops[i].name, "it has another number of inputs, or is of another opset");
		}
	}
	result(found == sizeof(others) / sizeof(*others), "operators of other domains", "not all are there");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		onnx_test_change(&changes[i]);
	test_others();
	printf("1..%u\n", count);
	return failures > 0;
}
