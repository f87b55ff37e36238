// SPDX-License-Identifier: MIT
/*
 * Each model of tests/models/ops with one thing changed at a time, one after the other: an input
 * that is absent, another one, one too many or too few; outputs likewise; each attribute left out
 * and with other values; each constant with other dimensions, types and numbers; other shapes of
 * the model's inputs; other opsets. What nnloop says to them is in tests/unit/onnx-variants.txt.
 *
 * `test-onnx-variants --write` writes that again: look at what git says of it.
 */
#include <limits.h>
#include <math.h>

#include "tests/unit/onnx-model.h"
#include "tests/unit/variants.h"

#define MODELS	MODELS_DIR "ops/"
#define LIST	"tests/unit/onnx-variants.txt"
#define QUANTIZERS_OF	2 /* models of an operator: in so many, what quantizes is changed as well */

static struct nn_pool pool; /* of the model at hand */
static struct nn_device *device;

static void *make(size_t size)
{
	void *memory = nn_pool_alloc(&pool, size ? size : 1);

	if (!memory)
		exit(1);
	return memory;
}

/* A copy with one more, which is set behind it. */
static void *grow(const void *from, size_t number, size_t size)
{
	void *to = make((number + 1) * size);

	if (number)
		memcpy(to, from, number * size);
	return to;
}

/* ---- Constants */

static uint32_t element_bytes(const Onnx__TensorProto *tensor)
{
	switch (tensor->data_type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		return 4;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
		return 8;
	default:
		return 1;
	}
}

/* Dimensions changed: as many elements as it has then, of which further ones are 0. */
static void fit_data(Onnx__TensorProto *tensor)
{
	size_t size = element_bytes(tensor), had = tensor->raw_data.len;
	uint8_t *data;

	for (size_t i = 0; i < tensor->n_dims; i++)
		size *= tensor->dims[i];
	data = make(size);
	if (had)
		memcpy(data, tensor->raw_data.data, had < size ? had : size);
	tensor->raw_data.data = data;
	tensor->raw_data.len = size;
}

static void walk_dims(struct walk *walk, Onnx__TensorProto *tensor, const char *of)
{
	for (size_t i = 0; i < tensor->n_dims; i++) {
		for (int more = -1; more <= 1; more += 2) {
			if (tensor->dims[i] + more < 0 || !turn(walk, "%s: dimension %zu %+d", of, i, more))
				continue;
			tensor->dims[i] += more;
			fit_data(tensor);
			return;
		}
	}
	if (turn(walk, "%s: one dimension more", of)) {
		tensor->dims = grow(tensor->dims, tensor->n_dims, sizeof(*tensor->dims));
		memmove(tensor->dims + 1, tensor->dims, tensor->n_dims++ * sizeof(*tensor->dims));
		tensor->dims[0] = 1;
	} else if (tensor->n_dims && turn(walk, "%s: one dimension less", of)) {
		if (--tensor->n_dims)
			tensor->dims[0] *= tensor->dims[tensor->n_dims];
		else
			fit_data(tensor);
	}
}

static void walk_integer(struct walk *walk, Onnx__TensorProto *tensor, size_t at, const char *of)
{
	static const int64_t values[] = { 0, -1, 2, 256, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
	bool wide = element_bytes(tensor) == 8;
	uint8_t *data = tensor->raw_data.data + at * element_bytes(tensor);
	int64_t value = 0;
	int32_t narrow;
	bool now = false;

	memcpy(&narrow, data, 4);
	value = narrow;
	if (wide)
		memcpy(&value, data, 8);
	for (int more = -1; more <= 1 && !now; more += 2) {
		now = turn(walk, "%s: a number %+d", of, more);
		value += now ? more : 0;
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(*values) && !now; i++) {
		now = turn(walk, "%s: a number is %lld", of, (long long)values[i]);
		value = now ? values[i] : value;
	}
	narrow = (int32_t)value;
	memcpy(data, wide ? (void *)&value : (void *)&narrow, wide ? 8 : 4);
}

static void walk_float(struct walk *walk, Onnx__TensorProto *tensor, size_t at, const char *of)
{
	static const float values[] = { 0, -1, 1e30f, 1e-30f, 1e-42f, NAN, INFINITY };
	uint8_t *data = tensor->raw_data.data + 4 * at;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		if (turn(walk, "%s: a number is %g", of, values[i]))
			memcpy(data, &values[i], 4);
	}
	for (int power = -24; power <= 24; power++) {
		float value = ldexpf(1, power);

		if (turn(walk, "%s: a number is 2^%d", of, power))
			memcpy(data, &value, 4);
	}
}

/* The first number, and the last one. */
static void walk_numbers(struct walk *walk, Onnx__TensorProto *tensor, const char *of)
{
	size_t elements = tensor->raw_data.len / element_bytes(tensor);

	for (size_t at = 0; at < elements; at += elements > 1 ? elements - 1 : 1) {
		if (tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT)
			walk_float(walk, tensor, at, of);
		else if (element_bytes(tensor) > 1)
			walk_integer(walk, tensor, at, of);
		else if (turn(walk, "%s: a number is %s", of, tensor->raw_data.data[at] ? "0" : "1"))
			tensor->raw_data.data[at] = !tensor->raw_data.data[at];
	}
}

static void walk_tensor(struct walk *walk, Onnx__TensorProto *tensor, const char *of)
{
	static const int types[][2] = {
		{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, ONNX__TENSOR_PROTO__DATA_TYPE__UINT8 },
		{ ONNX__TENSOR_PROTO__DATA_TYPE__INT8, ONNX__TENSOR_PROTO__DATA_TYPE__BOOL },
		{ ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, ONNX__TENSOR_PROTO__DATA_TYPE__INT8 },
		{ ONNX__TENSOR_PROTO__DATA_TYPE__INT32, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT },
		{ ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, ONNX__TENSOR_PROTO__DATA_TYPE__INT32 },
		{ ONNX__TENSOR_PROTO__DATA_TYPE__INT64, ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE },
		{ ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, ONNX__TENSOR_PROTO__DATA_TYPE__UINT8 },
	};

	if (!tensor->has_raw_data)
		return;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (tensor->data_type == types[i][0] && turn(walk, "%s: type %d", of, types[i][1])) {
			tensor->data_type = types[i][1];
			return;
		}
	}
	walk_dims(walk, tensor, of);
	walk_numbers(walk, tensor, of);
}

/* ---- Nodes */

static void walk_attribute(struct walk *walk, Onnx__NodeProto *node, size_t k)
{
	static const int64_t ints[] = { 0, -1, 2, 3, 256, INT32_MAX, INT64_MAX, INT64_MIN };
	static const float floats[] = { 0, -1, 0.5f, 1e30f, 1e-42f, NAN, INFINITY };
	Onnx__AttributeProto *attr = node->attribute[k];
	const char *name = attr->name;

	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++) {
		if (attr->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT && attr->i != ints[i] &&
		    turn(walk, "%s is %lld", name, (long long)ints[i])) {
			attr->i = ints[i];
			return;
		}
		for (size_t at = 0; at < attr->n_ints; at++) {
			if (turn(walk, "%s[%zu] is %lld", name, at, (long long)ints[i])) {
				attr->ints[at] = ints[i];
				return;
			}
		}
	}
	for (size_t i = 0; i < sizeof(floats) / sizeof(*floats); i++) {
		if (attr->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT &&
		    turn(walk, "%s is %g", name, floats[i])) {
			attr->f = floats[i];
			return;
		}
	}
	if (attr->n_ints && turn(walk, "%s: one less", name))
		attr->n_ints--;
	else if (attr->n_ints && turn(walk, "%s: one more", name)) {
		attr->ints = grow(attr->ints, attr->n_ints, sizeof(*attr->ints));
		attr->ints[attr->n_ints++] = 0;
	} else if (attr->s.len && turn(walk, "%s is \"x\"", name)) {
		attr->s.data = make(1);
		*attr->s.data = 'x';
		attr->s.len = 1;
	} else if (turn(walk, "without %s", name)) {
		node->attribute[k] = node->attribute[--node->n_attribute];
	} else if (turn(walk, "%s is a string", name)) {
		attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
	} else if (turn(walk, "%s is another name", name)) {
		set(&attr->name, "another_name");
	}
}

/* One constant more, of one dimension or none, and its name. */
static char *add_numbers(Onnx__GraphProto *graph, const char *name, int type, uint32_t bytes, int64_t length)
{
	Onnx__TensorProto *tensor = make(sizeof(*tensor));

	onnx__tensor_proto__init(tensor);
	set(&tensor->name, name);
	tensor->has_data_type = tensor->has_raw_data = 1;
	tensor->data_type = type;
	tensor->raw_data.len = bytes * (length ? length : 1);
	tensor->raw_data.data = make(tensor->raw_data.len);
	memset(tensor->raw_data.data, 0, tensor->raw_data.len);
	for (size_t i = 0; i < tensor->raw_data.len; i += bytes)
		tensor->raw_data.data[i + (bytes == 4 ? 3 : 0)] = bytes == 4 ? 0x3f : 1;
	if (length) {
		tensor->dims = grow(NULL, 0, sizeof(*tensor->dims));
		tensor->dims[tensor->n_dims++] = length;
	}
	graph->initializer = grow(graph->initializer, graph->n_initializer, sizeof(tensor));
	graph->initializer[graph->n_initializer++] = tensor;
	return tensor->name;
}

static char *add_constant(Onnx__GraphProto *graph, int type, uint32_t bytes)
{
	return add_numbers(graph, "variant", type, bytes, 0);
}

/* One node more, in front of the others, and its output. */
static char *add_node(Onnx__GraphProto *graph, const char *op, char *first, char *second)
{
	Onnx__NodeProto *node = make(sizeof(*node));

	onnx__node_proto__init(node);
	set(&node->op_type, op);
	node->input = grow(NULL, 0, sizeof(*node->input));
	node->input[node->n_input++] = first;
	if (second) {
		node->input = grow(node->input, node->n_input, sizeof(*node->input));
		node->input[node->n_input++] = second;
	}
	node->output = grow(NULL, 0, sizeof(*node->output));
	set(&node->output[node->n_output++], "made");
	graph->node = grow(graph->node, graph->n_node, sizeof(node));
	memmove(graph->node + 1, graph->node, graph->n_node++ * sizeof(node));
	graph->node[0] = node;
	return node->output[0];
}

/* An input that is a constant or known numbers, where it was none, or that has several scales. */
static bool walk_known_input(struct walk *walk, Onnx__GraphProto *graph, char **input, size_t i)
{
	Onnx__ValueInfoProto *first = graph->input[0];
	Onnx__TensorShapeProto *shape = first->type->tensor_type->shape;

	if (turn(walk, "input %zu is a bool", i))
		*input = add_constant(graph, ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 1);
	else if (turn(walk, "input %zu is an int8 with a scale", i))
		*input = add_node(graph, "DequantizeLinear", add_constant(graph, ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 1),
				  add_numbers(graph, "variant_scale", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, 0));
	else if (turn(walk, "input %zu is numbers", i))
		*input = add_numbers(graph, "variant", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, 2);
	else if (turn(walk, "input %zu is a shape", i))
		*input = add_node(graph, "Shape", first->name, NULL);
	else if (shape->n_dim > 1 && shape->dim[1]->dim_value > 0 && turn(walk, "input %zu has several scales", i))
		*input = add_node(graph, "DequantizeLinear", first->name,
				  add_numbers(graph, "variant", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, shape->dim[1]->dim_value));
	else
		return false;
	return true;
}

static void walk_input(struct walk *walk, Onnx__GraphProto *graph, char **input, size_t i)
{
	char of[64];

	if (turn(walk, "input %zu is absent", i))
		set(input, "");
	else if (turn(walk, "input %zu is the model's", i))
		*input = graph->input[0]->name;
	else if (turn(walk, "input %zu is the model's last", i))
		*input = graph->input[graph->n_input - 1]->name;
	else if (turn(walk, "input %zu is a float", i))
		*input = add_constant(graph, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4);
	else if (turn(walk, "input %zu is an int64", i))
		*input = add_constant(graph, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 8);
	else if (turn(walk, "input %zu is an int8", i))
		*input = add_constant(graph, ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 1);
	else if (turn(walk, "input %zu is nothing that the model has", i))
		set(input, "nothing");
	else if (walk_known_input(walk, graph, input, i))
		return;
	snprintf(of, sizeof(of), "input %zu", i);
	for (size_t k = 0; k < graph->n_initializer && !*walk->what; k++) {
		if (!strcmp(graph->initializer[k]->name, *input))
			walk_tensor(walk, graph->initializer[k], of);
	}
}

static void walk_node(struct walk *walk, Onnx__GraphProto *graph, Onnx__NodeProto *node)
{
	for (size_t i = 0; i < node->n_input && !*walk->what; i++)
		walk_input(walk, graph, &node->input[i], i);
	for (size_t i = 0; i < node->n_attribute && !*walk->what; i++)
		walk_attribute(walk, node, i);
	if (*walk->what)
		return;
	if (node->n_input && turn(walk, "one input less")) {
		node->n_input--;
	} else if (node->n_input && turn(walk, "one input more")) {
		node->input = grow(node->input, node->n_input, sizeof(*node->input));
		node->input[node->n_input++] = node->input[0];
	} else if (node->n_input > 1 && turn(walk, "the first inputs the other way around")) {
		char *first = node->input[0];

		node->input[0] = node->input[1];
		node->input[1] = first;
	} else if (turn(walk, "one output less")) {
		node->n_output--;
	} else if (turn(walk, "one output more")) {
		node->output = grow(node->output, node->n_output, sizeof(*node->output));
		set(&node->output[node->n_output++], "further");
	} else if (turn(walk, "another domain")) {
		set(&node->domain, "com.example");
	}
}

/* ---- Models */

static bool is_quantizer(const Onnx__NodeProto *node)
{
	return !strcmp(node->op_type, "QuantizeLinear") || !strcmp(node->op_type, "DequantizeLinear");
}

static const char *main_op(const Onnx__ModelProto *model)
{
	for (size_t i = 0; i < model->graph->n_node; i++) {
		if (!is_quantizer(model->graph->node[i]))
			return model->graph->node[i]->op_type;
	}
	return "QuantizeLinear";
}

static void walk_shape(struct walk *walk, Onnx__ValueInfoProto *input, size_t number)
{
	static const int types[] = { ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, ONNX__TENSOR_PROTO__DATA_TYPE__INT8,
				     ONNX__TENSOR_PROTO__DATA_TYPE__INT32, ONNX__TENSOR_PROTO__DATA_TYPE__INT64,
				     ONNX__TENSOR_PROTO__DATA_TYPE__BOOL };
	Onnx__TypeProto__Tensor *type = input->type->tensor_type;
	Onnx__TensorShapeProto *shape = type->shape;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (type->elem_type != types[i] && turn(walk, "the model's input %zu: type %d", number, types[i])) {
			type->elem_type = types[i];
			return;
		}
	}
	for (size_t i = 0; i < shape->n_dim; i++) {
		static const int64_t sizes[] = { 0, 1, 2, 3, 9, 257, 65536, INT32_MAX, 1ll << 32 };

		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
			if (!turn(walk, "the model's input %zu: dimension %zu is %lld", number, i, (long long)sizes[k]))
				continue;
			shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
			shape->dim[i]->dim_value = sizes[k];
			return;
		}
		if (i && turn(walk, "the model's input %zu: dimension %zu has a name", number, i)) {
			shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
			set(&shape->dim[i]->dim_param, "N");
			return;
		}
	}
	if (shape->n_dim && turn(walk, "the model's input %zu: one dimension less", number)) {
		shape->n_dim--;
	} else if (shape->n_dim && turn(walk, "the model's input %zu: one dimension more", number)) {
		shape->dim = grow(shape->dim, shape->n_dim, sizeof(*shape->dim));
		shape->dim[shape->n_dim++] = shape->dim[0];
	}
}

static void walk_model(struct walk *walk, Onnx__ModelProto *model, bool with_quantizers)
{
	static const int opsets[] = { 1, 6, 7, 9, 10, 11, 12, 13, 18, 20, 22, 99 };
	Onnx__GraphProto *graph = model->graph;
	unsigned int numbers[2] = { 0 };

	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];
		const char *op = node->op_type;
		bool quantizer = is_quantizer(node);
		char what[sizeof(walk->what)];
		unsigned int number = 0;

		if (quantizer) {
			number = numbers[*op == 'Q']++;
			if (!with_quantizers)
				continue;
		}
		walk_node(walk, graph, node);
		if (!*walk->what)
			continue;
		memcpy(what, walk->what, sizeof(what));
		if (quantizer)
			snprintf(walk->what, sizeof(walk->what), "%s %u: %.100s", op, number, what);
		else
			snprintf(walk->what, sizeof(walk->what), "%s: %.100s", op, what);
		return;
	}
	for (size_t i = 0; i < graph->n_input && !*walk->what; i++)
		walk_shape(walk, graph->input[i], i);
	for (size_t i = 0; i < sizeof(opsets) / sizeof(*opsets) && !*walk->what; i++) {
		if (turn(walk, "opset %d", opsets[i]))
			model->opset_import[0]->version = opsets[i];
	}
}

static Onnx__ModelProto *unpack(const struct bytes *bytes)
{
	ProtobufCAllocator allocator = { pool_alloc, pool_free, &pool };
	Onnx__ModelProto *model;

	nn_pool_free(&pool);
	model = onnx__model_proto__unpack(&allocator, bytes->size, bytes->data);
	if (!model)
		exit(1);
	return model;
}

static void import_variant(const Onnx__ModelProto *model, const struct walk *walk)
{
	size_t size = onnx__model_proto__get_packed_size(model);
	uint8_t *packed = malloc(size);
	struct nn_graph *graph;

	onnx__model_proto__pack(model, packed);
	if (nn_graph_create(&graph))
		exit(1);
	note_outcome(graph, nn_graph_import_onnx(graph, packed, size), device, walk);
	nn_graph_destroy(graph);
	free(packed);
}

/* Operators that there were models of, and of how many. */
static struct {
	char name[64];
	unsigned int models;
} ops[256];

static unsigned int count_model(const char *op)
{
	size_t i = 0;

	while (*ops[i].name && strcmp(ops[i].name, op))
		i++;
	snprintf(ops[i].name, sizeof(ops[i].name), "%s", op);
	return ops[i].models++;
}

static unsigned int model_count, variants;

static void try_model(const char *name)
{
	char path[512];
	struct bytes bytes;
	bool with_quantizers;

	snprintf(path, sizeof(path), MODELS "%s.onnx", name);
	bytes = read_file(path);
	with_quantizers = count_model(main_op(unpack(&bytes))) < QUANTIZERS_OF;
	model_count++;
	for (struct walk walk = walk_first(model_count);; walk = walk_next(&walk, model_count)) {
		Onnx__ModelProto *model = unpack(&bytes);

		walk_model(&walk, model, with_quantizers);
		if (!*walk.what)
			break;
		import_variant(model, &walk);
		variants++;
	}
	free(bytes.data);
}

int main(int argc, char **argv)
{
	uint32_t differ;

	if (nn_device_open("host", &device, NULL))
		return 1;
	if (is_to_write(argc, argv))
		return free_outcomes(write_list(LIST, MODELS, ".onnx", try_model));
	try_listed(LIST, try_model);
	fold_outcomes();
	differ = compare_list(LIST);
	printf("# %u changes of %u models\n", variants, model_count);
	result(!differ, "changed models", "see above");
	nn_pool_free(&pool);
	nn_device_close(device);
	printf("1..%u\n", count);
	return free_outcomes(failures > 0);
}
