// SPDX-License-Identifier: MIT
/*
 * ONNX can say the same in several ways. Each model of tests/models/ops, of which other tests know
 * that it is right, is said in each of them: what comes out of the graph is the same, byte for
 * byte.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_device.h"
#include "tests/unit/onnx-model.h"

#define MODELS		MODELS_DIR "ops/"
#define MOST_ENDS	4
#define MOST_BYTES	(1u << 18)
#define MOST		64	/* nodes or constants of a model */
#define ROWS		3

static struct nn_pool pool; /* of the model at hand */

static void *make(size_t size)
{
	void *memory = nn_pool_alloc(&pool, size ? size : 1);

	if (!memory)
		exit(1);
	return memory;
}

/* ---- What a model computes */

struct results {
	uint32_t count;
	size_t sizes[MOST_ENDS];
	uint8_t *data[MOST_ENDS];
};

static struct nn_device *device;

static struct nn_buffer make_input(const struct nn_tensor_info *info, uint32_t number)
{
	struct nn_buffer buffer = { .rows = info->dims[0] ? info->dims[0] : ROWS };
	uint32_t bytes = nn_data_type_size(info->type);
	size_t elements = buffer.rows;

	for (uint32_t i = 1; i < info->rank; i++)
		elements *= info->dims[i];
	buffer.size = elements * bytes;
	buffer.data = calloc(elements, bytes);
	for (size_t i = 0; i < elements; i++) {
		if (bytes == 1)
			((uint8_t *)buffer.data)[i] = (uint8_t)((i + 1) * 2654435761u >> (23 + number));
		else if (bytes == 2)
			((uint16_t *)buffer.data)[i] = (uint16_t)((i + 1) * 2654435761u >> (15 + number));
		else if (bytes == 8)
			((int64_t *)buffer.data)[i] = (int64_t)(i * 7 % 5) - 2;
		else if (info->type == NN_FLOAT32)
			((float *)buffer.data)[i] = (float)(i * 37 % 101) / 16 - 3;
		else /* owners, and corners of boxes */
			((int32_t *)buffer.data)[i] = (int32_t)(info->rank > 1 ? i % 4 * 20 : 0);
	}
	return buffer;
}

static void free_results(struct results *results)
{
	for (uint32_t i = 0; i < results->count; i++)
		free(results->data[i]);
	results->count = 0;
}

static int run(const Onnx__ModelProto *model, struct results *results, char text[512])
{
	struct nn_buffer inputs[MOST_ENDS] = { 0 }, outputs[MOST_ENDS] = { 0 };
	size_t size = onnx__model_proto__get_packed_size(model);
	uint8_t *packed = malloc(size);
	uint32_t in_count, i;
	struct nn_graph *graph;
	int err;

	onnx__model_proto__pack(model, packed);
	if (nn_graph_create(&graph))
		exit(1);
	err = nn_graph_import_onnx(graph, packed, size);
	if (!err)
		err = nn_graph_prepare(graph, device, NULL);
	in_count = nn_graph_get_input_count(graph);
	results->count = err ? 0 : nn_graph_get_output_count(graph);
	for (i = 0; !err && i < in_count; i++) {
		struct nn_tensor_info info;

		nn_graph_get_input_info(graph, i, &info);
		inputs[i] = make_input(&info, i);
	}
	for (i = 0; i < results->count; i++) {
		results->data[i] = calloc(1, MOST_BYTES);
		outputs[i] = (struct nn_buffer){ .data = results->data[i], .size = MOST_BYTES };
	}
	if (!err)
		err = nn_graph_execute(graph, inputs, in_count, outputs, results->count);
	for (i = 0; i < results->count; i++) {
		struct nn_tensor_info info;

		nn_graph_get_output_info(graph, i, &info);
		results->sizes[i] = outputs[i].rows;
		for (uint32_t k = 1; k < info.rank; k++)
			results->sizes[i] *= info.dims[k];
	}
	snprintf(text, 512, "%s", nn_graph_error(graph)->text);
	for (i = 0; i < in_count && i < MOST_ENDS; i++)
		free(inputs[i].data);
	nn_graph_destroy(graph);
	free(packed);
	return err;
}

static bool same(const struct results *a, const struct results *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->count != b->count || a->sizes[i] != b->sizes[i] || memcmp(a->data[i], b->data[i], MOST_BYTES) != 0)
			return false;
	}
	return a->count == b->count;
}

/* ---- Other ways to say it. They return whether there was anything to say */

static bool is_loop(const Onnx__ModelProto *model)
{
	for (size_t i = 0; i < model->graph->n_node; i++) {
		if (!strcmp(model->graph->node[i]->op_type, "Loop"))
			return true;
	}
	return false;
}

/* Numbers in fields of their type, instead of the file's bytes. */
static bool typed(Onnx__ModelProto *model)
{
	for (size_t i = 0; i < model->graph->n_initializer; i++) {
		Onnx__TensorProto *t = model->graph->initializer[i];
		const uint8_t *raw = t->raw_data.data;
		size_t size = t->raw_data.len, k;

		if (!t->has_raw_data || !size)
			continue;
		switch (t->data_type) {
		case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
			t->float_data = make(size);
			memcpy(t->float_data, raw, size);
			t->n_float_data = size / 4;
			break;
		case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
			t->int64_data = make(size);
			memcpy(t->int64_data, raw, size);
			t->n_int64_data = size / 8;
			break;
		case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
			t->int32_data = make(size);
			memcpy(t->int32_data, raw, size);
			t->n_int32_data = size / 4;
			break;
		case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
		case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
		case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
			t->int32_data = make(4 * size);
			for (k = 0; k < size; k++)
				t->int32_data[k] = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT8 ? (int8_t)raw[k] :
													  raw[k];
			t->n_int32_data = size;
			break;
		default:
			continue;
		}
		t->has_raw_data = 0;
	}
	return model->graph->n_initializer;
}

/* Constants made by nodes. */
static bool made_by_nodes(Onnx__ModelProto *model)
{
	Onnx__GraphProto *graph = model->graph;
	size_t constants = graph->n_initializer;
	Onnx__NodeProto **nodes = make((constants + graph->n_node) * sizeof(*nodes));

	for (size_t i = 0; i < constants; i++) {
		Onnx__AttributeProto *attr = make(sizeof(*attr)), **attrs = make(sizeof(*attrs));
		char **output = make(sizeof(*output));

		onnx__attribute_proto__init(attr);
		set(&attr->name, "value");
		attr->has_type = 1;
		attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
		attr->t = graph->initializer[i];
		*attrs = attr;
		*output = graph->initializer[i]->name;
		nodes[i] = make(sizeof(**nodes));
		onnx__node_proto__init(nodes[i]);
		set(&nodes[i]->op_type, "Constant");
		nodes[i]->attribute = attrs;
		nodes[i]->n_attribute = 1;
		nodes[i]->output = output;
		nodes[i]->n_output = 1;
	}
	memcpy(nodes + constants, graph->node, graph->n_node * sizeof(*nodes));
	graph->node = nodes;
	graph->n_node += constants;
	graph->n_initializer = 0;
	return constants;
}

/* Constants that are inputs, too, as the format's first versions had them. */
static bool also_inputs(Onnx__ModelProto *model)
{
	Onnx__GraphProto *graph = model->graph;
	Onnx__ValueInfoProto **inputs = make((graph->n_input + graph->n_initializer) * sizeof(*inputs));

	for (size_t i = 0; i < graph->n_initializer; i++) {
		inputs[i] = make(sizeof(**inputs));
		onnx__value_info_proto__init(inputs[i]);
		inputs[i]->name = graph->initializer[i]->name;
	}
	memcpy(inputs + graph->n_initializer, graph->input, graph->n_input * sizeof(*inputs));
	graph->input = inputs;
	graph->n_input += graph->n_initializer;
	return graph->n_initializer;
}

/* ONNX's own domain by its name. */
static bool domain_by_name(Onnx__ModelProto *model)
{
	for (size_t i = 0; i < model->graph->n_node; i++) {
		Onnx__NodeProto *node = model->graph->node[i];

		if (!node->domain || !*node->domain)
			set(&node->domain, "ai.onnx");
	}
	for (size_t i = 0; i < model->n_opset_import; i++) {
		if (!model->opset_import[i]->domain || !*model->opset_import[i]->domain)
			set(&model->opset_import[i]->domain, "ai.onnx");
	}
	return true;
}

/* For a batch of one, which stands for any, where nothing in the model has another idea of it. */
static bool batch_of_one(Onnx__ModelProto *model)
{
	for (size_t i = 0; i < model->graph->n_input; i++) {
		const Onnx__TensorShapeProto *shape = model->graph->input[i]->type->tensor_type->shape;

		if (shape->n_dim < 2 || shape->dim[0]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			return false;
		shape->dim[0]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		shape->dim[0]->dim_value = 1;
	}
	return true;
}

/* A batch that is not named, or said to be -1. */
static bool batch_of_none(Onnx__ModelProto *model)
{
	for (size_t i = 0; i < model->graph->n_input; i++) {
		const Onnx__TensorShapeProto *shape = model->graph->input[i]->type->tensor_type->shape;

		if (shape->dim[0]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			return false;
		shape->dim[0]->value_case = i ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE__NOT_SET :
						ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		shape->dim[0]->dim_value = -1;
	}
	return true;
}

static void add_transpose(Onnx__NodeProto **node, const char *from, const char *to, bool turns)
{
	Onnx__AttributeProto *attr = make(sizeof(*attr)), **attrs = make(sizeof(*attrs));
	char **input = make(sizeof(*input)), **output = make(sizeof(*output));

	onnx__attribute_proto__init(attr);
	set(&attr->name, "perm");
	attr->has_type = 1;
	attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
	attr->ints = make(2 * sizeof(*attr->ints));
	attr->ints[!turns] = 1;
	attr->n_ints = 2;
	*attrs = attr;
	set(input, from);
	set(output, to);
	*node = make(sizeof(**node));
	onnx__node_proto__init(*node);
	set(&(*node)->op_type, "Transpose");
	(*node)->input = input;
	(*node)->n_input = 1;
	(*node)->output = output;
	(*node)->n_output = 1;
	/* Without an attribute it turns, too. */
	(*node)->attribute = attrs;
	(*node)->n_attribute = 1;
}

/* Matrices of 8 bits are turned, left as they are, and turned back. */
static bool turned_twice(Onnx__ModelProto *model)
{
	Onnx__GraphProto *graph = model->graph;
	Onnx__NodeProto **nodes = make((3 * graph->n_initializer + graph->n_node) * sizeof(*nodes));
	size_t added = 0;

	for (size_t i = 0; i < graph->n_initializer && !is_loop(model); i++) {
		Onnx__TensorProto *t = graph->initializer[i];
		char *names[3];

		if (t->n_dims != 2 || (t->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__INT8 &&
				       t->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__UINT8))
			continue;
		for (int k = 0; k < 3; k++) {
			names[k] = make(64);
			snprintf(names[k], 64, "matrix %zu %d", i, k);
		}
		add_transpose(&nodes[added], names[0], names[1], true);
		add_transpose(&nodes[added + 1], names[1], names[2], false);
		add_transpose(&nodes[added + 2], names[2], t->name, true);
		nodes[added]->n_attribute = 0;
		added += 3;
		t->name = names[0];
	}
	memcpy(nodes + added, graph->node, graph->n_node * sizeof(*nodes));
	graph->node = nodes;
	graph->n_node += added;
	return added;
}

/* Puts an Identity, or two, in front of what each node reads first. */
static bool through_identities(Onnx__ModelProto *model, unsigned int times)
{
	Onnx__GraphProto *graph = model->graph;
	Onnx__NodeProto **nodes = make((times + 1) * graph->n_node * sizeof(*nodes));
	size_t made = 0;

	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];

		for (unsigned int k = 0; k < times && node->n_input && *node->input[0]; k++) {
			char *name = make(64), **input = make(sizeof(*input)), **output = make(sizeof(*output));

			snprintf(name, 64, "identity %zu %u", i, k);
			*input = node->input[0];
			*output = node->input[0] = name;
			nodes[made] = make(sizeof(**nodes));
			onnx__node_proto__init(nodes[made]);
			set(&nodes[made]->op_type, "Identity");
			nodes[made]->input = input;
			nodes[made]->n_input = 1;
			nodes[made]->output = output;
			nodes[made++]->n_output = 1;
		}
		nodes[made++] = node;
	}
	graph->node = nodes;
	graph->n_node = made;
	return true;
}

static bool through_one(Onnx__ModelProto *model)
{
	return !is_loop(model) && through_identities(model, 1);
}

static bool through_two(Onnx__ModelProto *model)
{
	return !is_loop(model) && through_identities(model, 2);
}

/* The dimension of Concat's `axis`, counted from the end; all that it puts together are images, but
 * for numbers, whose axis is 0. */
static bool axis_from_the_end(Onnx__ModelProto *model)
{
	bool any = false;

	for (size_t i = 0; i < model->graph->n_node; i++) {
		const Onnx__NodeProto *node = model->graph->node[i];

		for (size_t k = 0; k < node->n_attribute; k++) {
			if (strcmp(node->op_type, "Concat") || strcmp(node->attribute[k]->name, "axis") ||
			    !node->attribute[k]->i)
				continue;
			node->attribute[k]->i -= model->graph->input[0]->type->tensor_type->shape->n_dim;
			any = true;
		}
	}
	return any;
}

/* Without attributes that say what holds without them. */
static bool without_defaults(Onnx__ModelProto *model)
{
	static const struct {
		const char *name;
		int64_t value;
	} defaults[] = { { "strides", 1 }, { "dilations", 1 }, { "pads", 0 }, { "group", 1 },
			 { "ceil_mode", 0 }, { "count_include_pad", 0 }, { "storage_order", 0 },
			 { "transB", 0 }, { "transA", 0 }, { "allowzero", 0 } };
	bool any = false;

	for (size_t i = 0; i < model->graph->n_node; i++) {
		Onnx__NodeProto *node = model->graph->node[i];

		for (size_t k = 0; k < node->n_attribute; k++) {
			const Onnx__AttributeProto *attr = node->attribute[k];
			bool is_default = false;

			for (size_t n = 0; n < sizeof(defaults) / sizeof(*defaults); n++) {
				if (strcmp(attr->name, defaults[n].name))
					continue;
				is_default = attr->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS ||
					     attr->i == defaults[n].value;
				for (size_t d = 0; d < attr->n_ints; d++)
					is_default &= attr->ints[d] == defaults[n].value;
			}
			if (!is_default)
				continue;
			node->attribute[k--] = node->attribute[--node->n_attribute];
			any = true;
		}
	}
	return any;
}

/* A name of the value that a recurrent layer has in another order, which a Transpose makes; or back. */
static char *reorder(Onnx__NodeProto **node, char *name, bool back, const int64_t *perm, size_t rank)
{
	Onnx__AttributeProto *attr;
	char *other = make(strlen(name) + 16);

	sprintf(other, "%s rows first", name);
	add_transpose(node, back ? other : name, back ? name : other, true);
	attr = (*node)->attribute[0];
	attr->ints = make(rank * sizeof(*perm));
	memcpy(attr->ints, perm, rank * sizeof(*perm));
	attr->n_ints = rank;
	return other;
}

/* Recurrent layers with their rows first, and not behind the steps: layout 1. */
static bool rows_first(Onnx__ModelProto *model)
{
	static const int64_t two[] = { 1, 0, 2 }, back[] = { 1, 2, 0, 3 };
	Onnx__GraphProto *graph = model->graph;
	Onnx__NodeProto **nodes = make(7 * graph->n_node * sizeof(*nodes));
	size_t made = 0;
	bool any = false;

	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];
		Onnx__AttributeProto *layout = make(sizeof(*layout)), **attrs;
		size_t last = made;

		if (strcmp(node->op_type, "LSTM") && strcmp(node->op_type, "GRU") &&
		    strcmp(node->op_type, "RNN")) {
			nodes[made++] = node;
			continue;
		}
		any = true;
		for (size_t k = 0; k < node->n_input && k < 7; k++) {
			if ((!k || k == 5 || k == 6) && *node->input[k])
				node->input[k] = reorder(&nodes[made++], node->input[k], false, two, 3);
		}
		last = made++;
		for (size_t k = 0; k < node->n_output; k++) {
			if (*node->output[k])
				node->output[k] = reorder(&nodes[made++], node->output[k], true,
							  k ? two : back, k ? 3 : 4);
		}
		nodes[last] = node;
		onnx__attribute_proto__init(layout);
		set(&layout->name, "layout");
		layout->has_type = layout->has_i = 1;
		layout->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
		layout->i = 1;
		attrs = make((node->n_attribute + 1) * sizeof(*attrs));
		memcpy(attrs, node->attribute, node->n_attribute * sizeof(*attrs));
		attrs[node->n_attribute++] = layout;
		node->attribute = attrs;
	}
	graph->node = nodes;
	graph->n_node = made;
	/* There is no layout before. */
	for (size_t i = 0; i < model->n_opset_import && any; i++)
		model->opset_import[i]->version = 14;
	return any;
}

static const struct {
	const char *name;
	bool (*say)(Onnx__ModelProto *model);
	unsigned int least; /* models that it must have been tried with */
} ways[] = {
	{ "numbers in fields of their type", typed, 60 },
	{ "constants made by nodes", made_by_nodes, 60 },
	{ "constants that are inputs", also_inputs, 60 },
	{ "the domain by its name", domain_by_name, 60 },
	{ "a batch of one", batch_of_one, 30 },
	{ "a batch that has no name", batch_of_none, 60 },
	{ "through Identity", through_one, 50 },
	{ "through two of them", through_two, 50 },
	{ "matrices turned twice", turned_twice, 3 },
	{ "axes from the end", axis_from_the_end, 1 },
	{ "attributes left out", without_defaults, 10 },
	{ "recurrent layers with rows first", rows_first, 20 },
};
#define WAYS (sizeof(ways) / sizeof(*ways))
static unsigned int tried[WAYS], refused;

static Onnx__ModelProto *unpack(const struct bytes *bytes)
{
	ProtobufCAllocator allocator = { pool_alloc, pool_free, &pool };

	nn_pool_free(&pool);
	return onnx__model_proto__unpack(&allocator, bytes->size, bytes->data);
}

static void test_model(const char *name)
{
	struct results wanted = { 0 }, got = { 0 };
	char path[512], text[512], detail[1200] = "";
	struct bytes bytes;
	bool good = true;

	snprintf(path, sizeof(path), MODELS "%s", name);
	bytes = read_file(path);
	/* Some are refused; others know that, too. */
	if (run(unpack(&bytes), &wanted, text)) {
		refused++;
		free_results(&wanted);
		free(bytes.data);
		return;
	}
	for (size_t i = 0; i < WAYS && good; i++) {
		Onnx__ModelProto *model = unpack(&bytes);

		if (!ways[i].say(model))
			continue;
		tried[i]++;
		good = !run(model, &got, text) && same(&wanted, &got);
		snprintf(detail, sizeof(detail), "%s: %s", ways[i].name, *text ? text : "another result");
		free_results(&got);
	}
	result(good, name, detail);
	free_results(&wanted);
	free(bytes.data);
}

int main(void)
{
	DIR *dir = opendir(MODELS);
	struct dirent *entry;

	if (!dir || nn_device_open("host", &device, NULL))
		return 1;
	while ((entry = readdir(dir))) {
		if (strstr(entry->d_name, ".onnx"))
			test_model(entry->d_name);
	}
	closedir(dir);
	for (size_t i = 0; i < WAYS; i++) {
		char detail[32];

		snprintf(detail, sizeof(detail), "only %u models", tried[i]);
		result(tried[i] >= ways[i].least, ways[i].name, detail);
	}
	result(refused < 8, "models that are refused, however they are said", "too many");
	nn_pool_free(&pool);
	nn_device_close(device);
	printf("1..%u\n", count);
	return failures > 0;
}
