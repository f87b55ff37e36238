// SPDX-License-Identifier: MIT
/*
 * ONNX operators that give a tensor other dimensions: which, worked out by hand, and that no
 * element moves; at the ends of what their axes and shapes may be, and just beyond, where they are
 * refused with a sentence. Also what a file's constants may hold.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnloop/import/onnx/onnx.h"
#include "nn_device.h"
#include "tests/unit/onnx-model.h"

#define ROWS		3
#define MOST_BYTES	4096

static struct nn_pool pool; /* of the model at hand */
static struct nn_device *device;

static void *make(size_t size)
{
	void *memory = nn_pool_alloc(&pool, size);

	if (!memory)
		exit(1);
	return memory;
}

/* ---- Models */

static Onnx__GraphProto *graph;

static void add_node(const char *op, const char *output, const char *first, const char *second, const char *third)
{
	Onnx__NodeProto *node = make(sizeof(*node));

	onnx__node_proto__init(node);
	set(&node->op_type, op);
	set(&node->name, op);
	node->input = make(3 * sizeof(char *));
	node->output = make(sizeof(char *));
	set(&node->input[0], first);
	set(&node->input[1], second);
	set(&node->input[2], third);
	node->n_input = third ? 3 : second ? 2 : 1;
	set(node->output, output);
	node->n_output = 1;
	graph->node[graph->n_node++] = node;
}

static Onnx__TensorProto *add_tensor(const char *name, int32_t type, const void *data, size_t size)
{
	Onnx__TensorProto *tensor = make(sizeof(*tensor));

	onnx__tensor_proto__init(tensor);
	set(&tensor->name, name);
	tensor->has_data_type = 1;
	tensor->data_type = type;
	tensor->has_raw_data = 1;
	tensor->raw_data.data = make(size ? size : 1);
	if (size)
		memcpy(tensor->raw_data.data, data, size);
	tensor->raw_data.len = size;
	graph->initializer[graph->n_initializer++] = tensor;
	return tensor;
}

static Onnx__ValueInfoProto *make_end(const char *name, const int64_t *dims, size_t rank)
{
	Onnx__ValueInfoProto *info = make(sizeof(*info));
	Onnx__TypeProto *type = info->type = make(sizeof(*type));
	Onnx__TypeProto__Tensor *tensor;
	Onnx__TensorShapeProto *shape;

	onnx__value_info_proto__init(info);
	info->type = type;
	set(&info->name, name);
	onnx__type_proto__init(type);
	type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	tensor = type->tensor_type = make(sizeof(*tensor));
	onnx__type_proto__tensor__init(tensor);
	tensor->has_elem_type = 1;
	tensor->elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
	if (!dims)
		return info;
	shape = tensor->shape = make(sizeof(*shape));
	onnx__tensor_shape_proto__init(shape);
	shape->n_dim = rank;
	shape->dim = make(rank * sizeof(*shape->dim));
	for (size_t i = 0; i < rank; i++) {
		shape->dim[i] = make(sizeof(**shape->dim));
		onnx__tensor_shape_proto__dimension__init(shape->dim[i]);
		if (!dims[i])
			continue;
		shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		shape->dim[i]->dim_value = dims[i];
	}
	return info;
}

/* Begins a model from x, uint8, to y. Dimension 0 of the input: any number. */
static Onnx__ModelProto *begin_model(int64_t opset, const int64_t *dims, size_t rank)
{
	static const float scale = 0.5f;
	Onnx__ModelProto *model = make(sizeof(*model));

	onnx__model_proto__init(model);
	model->has_ir_version = 1;
	model->ir_version = 8;
	model->opset_import = make(sizeof(*model->opset_import));
	*model->opset_import = make(sizeof(**model->opset_import));
	onnx__operator_set_id_proto__init(*model->opset_import);
	model->n_opset_import = 1;
	(*model->opset_import)->has_version = 1;
	(*model->opset_import)->version = opset;
	graph = model->graph = make(sizeof(*graph));
	onnx__graph_proto__init(graph);
	graph->node = make(8 * sizeof(*graph->node));
	graph->initializer = make(8 * sizeof(*graph->initializer));
	graph->input = make(sizeof(*graph->input));
	graph->output = make(sizeof(*graph->output));
	*graph->input = make_end("x", dims, rank);
	*graph->output = make_end("y", NULL, 0);
	graph->n_input = graph->n_output = 1;
	add_tensor("scale", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, &scale, sizeof(scale));
	add_tensor("zero", ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, "\7", 1);
	add_node("DequantizeLinear", "real", "x", "scale", "zero");
	return model;
}

static Onnx__AttributeProto *add_attr(const char *name, Onnx__AttributeProto__AttributeType type)
{
	Onnx__NodeProto *node = graph->node[graph->n_node - 1];
	Onnx__AttributeProto *attr = make(sizeof(*attr));

	onnx__attribute_proto__init(attr);
	set(&attr->name, name);
	attr->has_type = 1;
	attr->type = type;
	node->attribute = node->attribute ? node->attribute : make(4 * sizeof(*node->attribute));
	node->attribute[node->n_attribute++] = attr;
	return attr;
}

/* Runs it; the error, or the rank of the output. */
static int run(const Onnx__ModelProto *model, uint32_t rows, struct nn_tensor_info *info, uint8_t *out, char text[512])
{
	static uint8_t in[MOST_BYTES];
	size_t size = onnx__model_proto__get_packed_size(model);
	uint8_t *packed = malloc(size);
	struct nn_buffer input = { .data = in, .size = MOST_BYTES, .rows = rows }, output = { .data = out, .size = MOST_BYTES };
	struct nn_graph *made;
	int err;

	for (uint32_t i = 0; i < MOST_BYTES; i++)
		in[i] = (uint8_t)(i * 37 + i / 256);
	onnx__model_proto__pack(model, packed);
	if (nn_graph_create(&made))
		exit(1);
	err = nn_graph_import_onnx(made, packed, size);
	if (!err) {
		struct nn_tensor_info x;

		nn_graph_get_input_info(made, 0, &x);
		input.size = rows;
		for (uint32_t i = 1; i < x.rank; i++)
			input.size *= x.dims[i];
		err = nn_graph_prepare(made, device, NULL);
	}
	if (!err)
		err = nn_graph_execute(made, &input, 1, &output, 1);
	if (!err)
		err = nn_graph_get_output_info(made, 0, info);
	if (!err) {
		err = (int)info->rank;
		info->dims[0] = output.rows;
	}
	snprintf(text, 512, "%s", nn_graph_error(made)->text);
	nn_graph_destroy(made);
	free(packed);
	return err;
}

/* ---- Dimensions */

#define X4	{ 0, 2, 3, 4 }, 4
#define ONES	{ 0, 1, 6, 1 }, 4
#define X2	{ 0, 6 }, 2
#define NO_AXES	-1

static const struct {
	const char *op;
	int64_t from[8];
	size_t rank;
	int64_t ints[10];
	int count;		/* NO_AXES: none are given */
	uint32_t to[8];		/* without dimension 0; up to a 0 */
	const char *says;
} shapes[] = {
	{ "Reshape", X4, { 0, 24 }, 2, { 24 }, NULL },
	{ "Reshape", X4, { -1, 24 }, 2, { 24 }, NULL },
	{ "Reshape", X4, { -1, 4, 3, 2 }, 4, { 4, 3, 2 }, NULL },
	{ "Reshape", X4, { 0, 0, 0, 0 }, 4, { 2, 3, 4 }, NULL },
	{ "Reshape", X4, { 0, 0, -1 }, 3, { 2, 12 }, NULL },
	{ "Reshape", X4, { 0, -1, 2 }, 3, { 12, 2 }, NULL },
	{ "Reshape", X4, { -1, 1, 1, 1, 1, 1, 1, 24 }, 8, { 1, 1, 1, 1, 1, 1, 24 }, NULL },
	{ "Reshape", X4, { -1, 1, 1, 1, 1, 1, 1, 1, 24 }, 9, { 0 }, "its input 1 has more than 8 numbers" },
	{ "Reshape", X4, { -1, -1 }, 2, { 0 }, "more than one -1" },
	{ "Reshape", X4, { 0, -2 }, 2, { 0 }, "has a dimension of -2" },
	{ "Reshape", X4, { 0, 2147483648 }, 2, { 0 }, "has a dimension of 2147483648" },
	{ "Reshape", X4, { 0, 2147483647, 2 }, 3, { 0 }, "its shape is too large" },
	{ "Reshape", X2, { 0, 6, 0 }, 3, { 0 }, "has a dimension of 0" },
	{ "Reshape", X4, { 0 }, 0, { 0 }, "it makes a tensor without dimensions" },
	{ "Reshape", X4, { 0, 23 }, 2, { 0 }, "" },
	{ "Reshape", X4, { 0, 25 }, 2, { 0 }, "" },
	{ "Reshape", X4, { 0, 5, -1 }, 3, { 0 }, "" },
	{ "Squeeze", ONES, { 1 }, 1, { 6, 1 }, NULL },
	{ "Squeeze", ONES, { 3 }, 1, { 1, 6 }, NULL },
	{ "Squeeze", ONES, { -1 }, 1, { 1, 6 }, NULL },
	{ "Squeeze", ONES, { -3, 3 }, 2, { 6 }, NULL },
	{ "Squeeze", ONES, { 0 }, 1, { 0 }, "it drops dimension 0, which is the batch" },
	{ "Squeeze", ONES, { -4 }, 1, { 0 }, "it drops dimension 0, which is the batch" },
	{ "Squeeze", ONES, { 2 }, 1, { 0 }, "it drops dimension 2, which is not 1" },
	{ "Squeeze", ONES, { 4 }, 1, { 0 }, "it drops dimension 4 of 4" },
	{ "Squeeze", ONES, { -5 }, 1, { 0 }, "it drops dimension -5 of 4" },
	{ "Squeeze", ONES, { 0 }, NO_AXES, { 0 }, "without axes it drops the batch" },
	{ "Unsqueeze", X2, { 1 }, 1, { 1, 6 }, NULL },
	{ "Unsqueeze", X2, { 2 }, 1, { 6, 1 }, NULL },
	{ "Unsqueeze", X2, { -1 }, 1, { 6, 1 }, NULL },
	{ "Unsqueeze", X2, { -2 }, 1, { 1, 6 }, NULL },
	{ "Unsqueeze", X2, { 3, 1 }, 2, { 1, 6, 1 }, NULL },
	{ "Unsqueeze", X2, { 1, 2, 3, 4, 5, 6 }, 6, { 1, 1, 1, 1, 1, 1, 6 }, NULL },
	{ "Unsqueeze", X2, { 1, 2, 3, 4, 5, 6, 7 }, 7, { 0 }, "it makes a tensor of 9 dimensions" },
	{ "Unsqueeze", X2, { 3 }, 1, { 0 }, "its axes are not different ones of 3" },
	{ "Unsqueeze", X2, { -4 }, 1, { 0 }, "its axes are not different ones of 3" },
	{ "Unsqueeze", X2, { 1, 1 }, 2, { 0 }, "its axes are not different ones of 4" },
	{ "Unsqueeze", X2, { 0 }, 1, { 0 }, "it adds a dimension in front of the batch" },
	{ "Unsqueeze", X2, { -3 }, 1, { 0 }, "it adds a dimension in front of the batch" },
};

static void test_shape(size_t number, int64_t opset)
{
	bool by_attr = opset < 13 && strcmp(shapes[number].op, "Reshape");
	Onnx__ModelProto *model = begin_model(opset, shapes[number].from, shapes[number].rank);
	size_t n = shapes[number].count < 0 ? 0 : (size_t)shapes[number].count, row = 1;
	struct nn_tensor_info info = { 0 };
	uint8_t out[MOST_BYTES] = { 0 };
	char text[512], detail[700];
	uint32_t rank = 1;
	bool good = true;
	int made;

	add_node(shapes[number].op, "moved", "real", by_attr || shapes[number].count < 0 ? NULL : "ints", NULL);
	if (by_attr && n) {
		Onnx__AttributeProto *attr = add_attr("axes", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

		attr->ints = (int64_t *)(uintptr_t)shapes[number].ints;
		attr->n_ints = n;
	} else if (!by_attr) {
		Onnx__TensorProto *ints = add_tensor("ints", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, shapes[number].ints, 8 * n);

		ints->dims = make(sizeof(int64_t));
		ints->dims[0] = (int64_t)n;
		ints->n_dims = 1;
	}
	add_node("QuantizeLinear", "y", "moved", "scale", "zero");
	made = run(model, ROWS, &info, out, text);
	if (shapes[number].says) {
		good = (made == -EINVAL || made == -EOPNOTSUPP) && strstr(text, shapes[number].says);
	} else {
		for (; rank < 8 && shapes[number].to[rank - 1]; rank++) {
			good &= info.dims[rank] == shapes[number].to[rank - 1];
			row *= shapes[number].to[rank - 1];
		}
		good &= made == (int)rank && info.dims[0] == ROWS;
		for (size_t i = 0; i < ROWS * row; i++)
			good &= out[i] == (uint8_t)(i * 37 + i / 256);
	}
	snprintf(detail, sizeof(detail), "case %zu of opset %d: %d %s", number, (int)opset, made, text);
	result(good, shapes[number].op, detail);
	nn_pool_free(&pool);
}

/* ---- Constants */

/*
 * The zero point in a field of its type, as an element of the file's, and how many there are said
 * to be.
 */
static const struct {
	int32_t type, value;
	int64_t dims[2];
	size_t rank, count;
	const char *says;
} constants[] = {
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 0, { 0 }, 0, 1, NULL },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 255, { 0 }, 0, 1, NULL },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 255, { 1 }, 1, 1, NULL },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 256, { 0 }, 0, 1, "is 256, which is no uint8" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, -1, { 0 }, 0, 1, "is -1, which is no uint8" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 127, { 0 }, 0, 1, NULL },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, -128, { 0 }, 0, 1, NULL },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 128, { 0 }, 0, 1, "is 128, which is no int8" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, -129, { 0 }, 0, 1, "is -129, which is no int8" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT16, 32768, { 0 }, 0, 1, "is 32768, which is no int16" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__INT16, -32769, { 0 }, 0, 1, "is -32769, which is no int16" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT16, 65536, { 0 }, 0, 1, "is 65536, which is no uint16" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT16, -1, { 0 }, 0, 1, "is -1, which is no uint16" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 3, { 0 }, 0, 2, "has 2 elements of data, its shape takes 1" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 3, { 2 }, 1, 1, "has 1 elements of data, its shape takes 2" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 3, { -1 }, 1, 1, "has a dimension of -1" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 3, { 2147483648 }, 1, 1, "has a dimension of 2147483648" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 3, { 2147483647 }, 1, 1, "its shape takes 2147483647" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, 3, { 65536, 32768 }, 2, 1, "is too large" },
	{ ONNX__TENSOR_PROTO__DATA_TYPE__STRING, 3, { 0 }, 0, 1, "which nnloop does not know" },
	{ 0, 3, { 0 }, 0, 1, "which nnloop does not know" },
	{ 9999, 3, { 0 }, 0, 1, "which nnloop does not know" },
};

static void test_constant(size_t number)
{
	static const int64_t dims[2] = { 0, 16 };
	Onnx__ModelProto *model = begin_model(19, dims, 2);
	Onnx__TensorProto *zero = graph->initializer[1];
	uint8_t out[MOST_BYTES] = { 0 };
	struct nn_tensor_info info = { 0 };
	char text[512], detail[700];
	bool good;
	int made;

	if (constants[number].type == ONNX__TENSOR_PROTO__DATA_TYPE__INT8)
		(*graph->input)->type->tensor_type->elem_type = constants[number].type;
	zero->has_raw_data = 0;
	zero->data_type = constants[number].type;
	zero->n_int32_data = constants[number].count;
	zero->int32_data = make(2 * sizeof(int32_t));
	zero->int32_data[0] = zero->int32_data[1] = constants[number].value;
	zero->n_dims = constants[number].rank;
	zero->dims = (int64_t *)(uintptr_t)constants[number].dims;
	add_node("QuantizeLinear", "y", "real", "scale", "zero");
	made = run(model, ROWS, &info, out, text);
	if (constants[number].says)
		good = made < 0 && strstr(text, constants[number].says);
	else
		good = made == 2 && info.zero_point == constants[number].value && info.dims[0] == ROWS && out[1] == 37;
	snprintf(detail, sizeof(detail), "case %zu: %d %s", number, made, text);
	result(good, "a constant", detail);
	nn_pool_free(&pool);
}

/* ---- Inputs */

static const struct {
	int64_t dims[9];
	size_t rank;
	const char *says;
} inputs[] = {
	{ { 0 }, 1, NULL },
	{ { 0, 4 }, 2, NULL },
	{ { 1, 4 }, 2, NULL },
	{ { -1, 4 }, 2, NULL },
	{ { 3, 4 }, 2, NULL },
	{ { 1, 1, 1, 1, 1, 1, 1, 4 }, 8, NULL },
	{ { 0, 1, 1, 1, 1, 1, 1, 4 }, 8, NULL },
	{ { 0, 1, 1, 1, 1, 1, 1, 1, 4 }, 9, "not 1 to 8 dimensions" },
	{ { 0 }, 0, "is a single number" },
	{ { 0, 0 }, 2, NULL }, /* what is open is 1 */
	{ { 0, -1 }, 2, NULL },
	{ { 0, 2147483648 }, 2, "dimension 1 of input \"x\" is 2147483648" },
	{ { 0, 65536, 32769 }, 3, "more than 2^31 elements" },
};

static void test_input(size_t number)
{
	Onnx__ModelProto *model = begin_model(13, inputs[number].dims, inputs[number].rank);
	uint8_t out[MOST_BYTES] = { 0 };
	struct nn_tensor_info info = { 0 };
	char text[512], detail[700];
	bool good;
	int made;

	add_node("QuantizeLinear", "y", "real", "scale", "zero");
	made = run(model, ROWS, &info, out, text);
	good = inputs[number].says ? made < 0 && strstr(text, inputs[number].says) :
				     made == (int)inputs[number].rank && info.dims[0] == ROWS && out[2] == 74;
	snprintf(detail, sizeof(detail), "case %zu: %d %s", number, made, text);
	result(good, "an input", detail);
	nn_pool_free(&pool);
}

/*
 * What an operator's result holds is of its first operand: the quantization of a float input is
 * looked for behind these.
 */
static void test_moves(void)
{
	static const char moves[] =
		" CenterCropPad Compress Concat DepthToSpace Dropout Expand Flatten Gather GatherElements GatherND GlobalMaxPool Identity MaxPool Pad ReduceMax ReduceMin Reshape"
		" Resize Slice SpaceToDepth Split Squeeze Tile TopK Transpose Trilu Unsqueeze Upsample BatchLoop Collect CountLoop CropResize ";
	const struct onnx_op *ops;
	char name[80], wrong[80] = "";
	uint32_t ops_count;

	ops = onnx_get_ops(&ops_count);
	for (uint32_t i = 0; i < ops_count; i++) {
		snprintf(name, sizeof(name), " %s ", ops[i].name);
		if (ops[i].only_moves != !!strstr(moves, name))
			memcpy(wrong, name, sizeof(wrong));
	}
	result(!*wrong, "what only moves", wrong);
}

int main(void)
{
	if (nn_device_open("host", &device, NULL))
		return 1;
	test_moves();
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		test_shape(i, 13);
		test_shape(i, 23);
		/* The same numbers as attributes. */
		if (strcmp(shapes[i].op, "Reshape"))
			test_shape(i, 12);
	}
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
		test_constant(i);
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++)
		test_input(i);
	nn_device_close(device);
	printf("1..%u\n", count);
	return failures > 0;
}
