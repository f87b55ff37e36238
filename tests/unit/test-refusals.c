// SPDX-License-Identifier: MIT
/*
 * All reasons why a model cannot run, at once: what nn_graph_get_refusal() says of models that are
 * refused for more than one, of what follows from a refusal, and of models made to cost much.
 */
#include <errno.h>

#include "make-graph.h"
#include "nn_import.h"
#include "tests/unit/onnx-model.h"
#include "tests/unit/tap.h"

/* ---- Models ---- */

static struct nn_graph *graph; /* of the test; with the last import's reasons */
static int code; /* that it returned */
static struct nn_refusals_info info;

static void import_bytes(const void *data, size_t size)
{
	nn_graph_destroy(graph);
	graph = new_graph();
	code = nn_graph_import(graph, data, size, NULL);
	info = (struct nn_refusals_info){ 0 };
	CHECK(nn_graph_get_refusals(graph, &info) == (code == -EOPNOTSUPP ? 0 : -ENOENT));
	CHECK(!code || nn_graph_get_input_count(graph) == 0);
}

static struct nn_pool pool; /* of models */

static Onnx__ModelProto *open_model(const char *name)
{
	ProtobufCAllocator allocator = { pool_alloc, pool_free, &pool };
	Onnx__ModelProto *model;
	struct bytes bytes;
	char path[256];

	snprintf(path, sizeof(path), MODELS_DIR "ops/%s.onnx", name);
	bytes = read_file(path);
	model = onnx__model_proto__unpack(&allocator, bytes.size, bytes.data);
	free(bytes.data);
	if (!model)
		exit(1);
	return model;
}

static void import_model(Onnx__ModelProto *model)
{
	size_t size = onnx__model_proto__get_packed_size(model);
	uint8_t *packed = malloc(size);

	onnx__model_proto__pack(model, packed);
	import_bytes(packed, size);
	free(packed);
	nn_pool_free(&pool);
}

static char *copy_of(const char *text)
{
	return nn_pool_string(&pool, text);
}

/* The node is named as what it makes. */
static Onnx__NodeProto *new_node(const char *op, const char *input, const char *output)
{
	Onnx__NodeProto *node = nn_pool_alloc(&pool, sizeof(*node));

	onnx__node_proto__init(node);
	node->op_type = copy_of(op);
	node->name = copy_of(output);
	node->input = nn_pool_array(&pool, 4, sizeof(*node->input));
	node->input[node->n_input++] = copy_of(input);
	node->output = nn_pool_alloc(&pool, sizeof(*node->output));
	node->output[node->n_output++] = copy_of(output);
	return node;
}

/* Adds a node behind those that the graph has; in front of them with `first`. */
static Onnx__NodeProto *add_node(Onnx__GraphProto *to, const char *op, const char *input,
				 const char *output, bool first)
{
	Onnx__NodeProto **nodes = nn_pool_array(&pool, to->n_node + 1, sizeof(*nodes));
	Onnx__NodeProto *node = new_node(op, input, output);

	memcpy(nodes + first, to->node, to->n_node * sizeof(*nodes));
	nodes[first ? 0 : to->n_node] = node;
	to->node = nodes;
	to->n_node++;
	return node;
}

static void add_attr(Onnx__NodeProto *node, const char *name, int64_t value)
{
	Onnx__AttributeProto **attrs = nn_pool_array(&pool, node->n_attribute + 1, sizeof(*attrs));
	Onnx__AttributeProto *attr = nn_pool_alloc(&pool, sizeof(*attr));

	onnx__attribute_proto__init(attr);
	attr->name = copy_of(name);
	attr->has_type = attr->has_i = true;
	attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	attr->i = value;
	if (node->n_attribute)
		memcpy(attrs, node->attribute, node->n_attribute * sizeof(*attrs));
	attrs[node->n_attribute++] = attr;
	node->attribute = attrs;
}

static Onnx__NodeProto *node_of(Onnx__ModelProto *model, const char *op)
{
	return (Onnx__NodeProto *)(uintptr_t)find(model, op);
}

/* ---- What is expected ---- */

/* Reason `index` is of that operator and often, with that example, and says these. */
static bool is_reason(uint32_t index, const char *op, uint32_t often, const char *name,
		      const char *reason, const char *help)
{
	struct nn_refusal refusal;
	bool good;

	if (nn_graph_get_refusal(graph, index, &refusal)) {
		printf("# there is no reason %u\n", index);
		return false;
	}
	good = !strcmp(refusal.op, op) && refusal.count == often && !strcmp(refusal.name, name) &&
	       strstr(refusal.reason, reason) && strstr(refusal.help, help);
	if (!good)
		printf("# %u %s \"%s\": %s; %s\n", refusal.count, refusal.op, refusal.name,
		       refusal.reason, refusal.help);
	return good;
}

static bool counts(uint32_t nodes, uint32_t refused, uint32_t kinds)
{
	struct nn_refusal refusal;

	if (info.node_count == nodes && info.refused_count == refused && info.kind_count == kinds &&
	    (kinds > NN_MAX_REFUSALS || nn_graph_get_refusal(graph, kinds, &refusal) == -ENOENT))
		return true;
	printf("# %u nodes, %u refused, %u reasons\n", info.node_count, info.refused_count,
	       info.kind_count);
	return false;
}

/* ---- Tests ---- */

/* Two of one kind, one of another behind one of them, and a third that does not depend on these. */
static void test_three_kinds(void)
{
	Onnx__ModelProto *model = open_model("conv");

	add_node(model->graph, "DFT", "y", "s1", false);
	add_node(model->graph, "DFT", "x0_real", "s2", false);
	set(&add_node(model->graph, "QuickGelu", "s1", "g", false)->domain, "com.microsoft");
	add_attr(node_of(model, "Conv"), "made_up", 7);
	import_model(model);
	CHECK(code == -EOPNOTSUPP);
	CHECK(counts(8, 4, 3));
	CHECK(is_reason(0, "Conv", 1, "sum",
			"attribute \"made_up\" 7: nnloop knows no such one in opset 13",
			"docs/onnx.md"));
	CHECK(is_reason(1, "DFT", 2, "s1", "nnloop has no such operator", "write it as products"));
	CHECK(is_reason(2, "com.microsoft.QuickGelu", 1, "g",
			"nnloop has no operator of that name in domain \"com.microsoft\"",
			"docs/onnx.md"));
	/* The sentence is that of the first, with its node. */
	CHECK(nn_graph_error(graph)->code == -EOPNOTSUPP);
	CHECK(strstr(nn_graph_error(graph)->text, "node \"sum\" (Conv): attribute \"made_up\" 7: "));
	CHECK(!strchr(nn_graph_error(graph)->text, '\n'));
}

/* Each attribute of a node for itself; one and the same in two nodes is one reason, whatever the
 * numbers are. */
static void test_attributes(void)
{
	Onnx__ModelProto *model = open_model("conv");
	Onnx__NodeProto *first = node_of(model, "Conv");
	Onnx__NodeProto *second = add_node(model->graph, "Conv", "x0_real", "second", false), *third;

	for (size_t i = 1; i < first->n_input; i++)
		second->input[second->n_input++] = first->input[i];
	add_attr(first, "made_up", 3);
	add_attr(second, "made_up", -4000);
	add_attr(second, "another", 3);
	add_attr(second, "auto_pad", 3);
	second->attribute[2]->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
	second->attribute[2]->has_s = true;
	second->attribute[2]->s = (ProtobufCBinaryData){ 4, (uint8_t *)copy_of("MADE") };
	/* Neither does it matter what is in quotes, to its last letter. */
	third = add_node(model->graph, "Conv", "x0_real", "third", false);
	for (size_t i = 1; i < 3; i++)
		third->input[third->n_input++] = first->input[i];
	add_attr(third, "auto_pad", 3);
	third->attribute[0]->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
	third->attribute[0]->has_s = true;
	third->attribute[0]->s = (ProtobufCBinaryData){ 6, (uint8_t *)copy_of("AS_NOW") };
	import_model(model);
	CHECK(counts(7, 3, 3));
	CHECK(is_reason(0, "Conv", 2, "sum", "attribute \"made_up\" 3: ", ""));
	CHECK(is_reason(1, "Conv", 1, "second", "attribute \"another\" 3: ", ""));
	CHECK(is_reason(2, "Conv", 2, "second", "attribute auto_pad \"MADE\": nnloop can do NOTSET",
			""));
}

/* Found before anything is lowered, while that is done, and at the outputs. */
static void test_all_stages(void)
{
	Onnx__ModelProto *model = open_model("gemm");
	static int64_t dims[] = { 11, 1 };

	find_tensor(model, "bias")->dims = dims;
	find_tensor(model, "bias")->n_dims = 2;
	add_node(model->graph, "Cast", "x0", "flat", false);
	add_attr(model->graph->node[model->graph->n_node - 1], "to", 10);
	add_node(model->graph, "Det", "x0", "erf", false);
	find_tensor(model, "y_scale")->data_location =
		ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	find_tensor(model, "y_scale")->has_data_location = true;
	set(&model->graph->output[0]->name, "x0_scale");
	import_model(model);
	CHECK(code == -EOPNOTSUPP);
	CHECK(counts(7, 3, 5));
	CHECK(is_reason(0, "Cast", 1, "flat", "attribute to 10", ""));
	CHECK(is_reason(1, "Det", 1, "erf", "nnloop has no such operator", "docs/onnx.md"));
	CHECK(is_reason(2, "", 1, "y_scale", "the data of tensor \"y_scale\" is in another file",
			""));
	CHECK(is_reason(3, "Gemm", 1, "sum", "what it adds has several rows", ""));
	CHECK(is_reason(4, "", 1, "x0_scale", "output \"x0_scale\" is a constant", ""));
}

/* What reads a refused value says nothing, known or not; what is beside it does. */
static void test_no_consequences(void)
{
	Onnx__ModelProto *model = open_model("conv");

	set(&node_of(model, "DequantizeLinear")->op_type, "Det");
	import_model(model);
	CHECK(counts(5, 1, 1));
	CHECK(is_reason(0, "Det", 1, "x0_real", "nnloop has no such operator", ""));

	/* Where an input's quantization is looked for behind it, the operator may keep it. */
	model = open_model("float_io");
	set(&node_of(model, "QuantizeLinear")->input[0], "made");
	add_node(model->graph, "DFT", model->graph->input[0]->name, "made",
		 true);
	import_model(model);
	CHECK(counts(8, 1, 1));
	CHECK(is_reason(0, "DFT", 1, "made", "nnloop has no such operator", ""));

	/* But nothing behind it does. */
	model = open_model("float_io");
	set(&node_of(model, "QuantizeLinear")->input[0], "made");
	set(&node_of(model, "QuantizeLinear")->op_type, "Det");
	add_node(model->graph, "DFT", "x", "made", true);
	import_model(model);
	CHECK(info.kind_count == 3);
	CHECK(is_reason(2, "", 1, "x", "\"x\" is computed in float, and no QuantizeLinear follows",
			"quantize the model statically"));
}

/* Quantization that a refused constant would say. */
static void test_refused_scale(void)
{
	Onnx__ModelProto *model = open_model("float_io");
	const char *scale = node_of(model, "QuantizeLinear")->input[1];

	find_tensor(model, scale)->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
	import_model(model);
	CHECK(code == -EOPNOTSUPP && info.kind_count == 1 && info.refused_count == 0);
}

/* One node that is asked for twice is one. */
static void test_asked_twice(void)
{
	Onnx__ModelProto *model = open_model("conv");
	Onnx__NodeProto *again = add_node(model->graph, "QuantizeLinear", "sum", "again", false);

	again->input[again->n_input++] = copy_of("y_scale");
	again->input[again->n_input++] = copy_of("y_zero");
	find_tensor(model, "bias_scale")->raw_data.data[3] ^= 1; /* of its exponent */
	import_model(model);
	CHECK(counts(6, 1, 1));
	CHECK(is_reason(0, "Conv", 1, "sum", "element 0 of its bias has scale", ""));
}

/* An opset is the model's, not an operator's. */
static void test_opset(void)
{
	Onnx__ModelProto *model = open_model("conv");

	model->opset_import[0]->version = 99;
	add_node(model->graph, "Det", "x0", "erf", false);
	import_model(model);
	CHECK(counts(6, 6, 2));
	CHECK(is_reason(0, "", 5, "x0_real", "opset 99: nnloop knows up to 28", "export"));
	CHECK(is_reason(1, "Det", 1, "erf", "nnloop has no such operator", ""));
}

/* A Loop that cannot run takes its body with it, but for what the body's nodes are. */
static void test_loops(void)
{
	Onnx__ModelProto *model = open_model("loop_rows");
	Onnx__NodeProto *loop = node_of(model, "Loop");
	Onnx__GraphProto *body = find_attr(loop, "body")->g;

	add_attr(loop, "made_up", 1);
	add_node(body, "Det", body->output[1]->name, "erf", false);
	import_model(model);
	CHECK(code == -EOPNOTSUPP && info.refused_count == 2 && info.kind_count == 2);
	CHECK(is_reason(0, "Loop", 1, "y", "made_up", ""));
	CHECK(is_reason(1, "Det", 1, "erf", "nnloop has no such operator", ""));

	/* Its body cannot run: nothing is said of the Loop, or of what is behind. */
	model = open_model("loop_rows");
	body = find_attr(node_of(model, "Loop"), "body")->g;
	add_attr(body->node[0], "made_up", 1);
	add_node(model->graph, "Identity", node_of(model, "Loop")->output[0], "behind", false);
	import_model(model);
	CHECK(info.refused_count == 1 && info.kind_count == 1);
}

/* A model that is broken ends the import there; if something was refused before, it says both. */
static void test_broken(void)
{
	Onnx__ModelProto *model = open_model("maxpool");

	model->graph->node[1]->n_attribute = 0; /* and so no kernel_shape */
	add_node(model->graph, "Det", "x0", "before", true);
	add_node(model->graph, "Det", "x0", "behind", false);
	import_model(model);
	CHECK(code == -EOPNOTSUPP);
	CHECK(strstr(nn_graph_error(graph)->text, "node \"before\" (Det): "));
	CHECK(counts(5, 2, 2));
	CHECK(is_reason(0, "Det", 1, "before", "nnloop has no such operator", ""));
	CHECK(is_reason(1, "MaxPool", 1, "pooled", "it has no attribute kernel_shape",
			"the model is broken"));

	model = open_model("maxpool");
	model->graph->node[1]->n_attribute = 0;
	import_model(model);
	CHECK(code == -EINVAL);
}

/* The next call on the graph forgets them. */
static void test_forgotten(void)
{
	static const char text[] = "1 Input shape=0,2\n2 Foo 1:0\n";
	struct nn_refusal refusal;

	import_bytes(text, sizeof(text) - 1);
	CHECK(code == -EOPNOTSUPP && !nn_graph_get_refusal(graph, 0, &refusal));
	CHECK(!nn_graph_import(graph, text, 18, NULL));
	CHECK(nn_graph_get_refusal(graph, 0, &refusal) == -ENOENT);
	CHECK(nn_graph_get_refusals(graph, &info) == -ENOENT);
}

static void test_text(void)
{
	static const char text[] = "1 Input shape=0,2\n2 Foo 1:0 a=1\n3 Nop 2:0\n4 Foo 3:0\n"
				   "5 B\xc3\xa4r 1:0\n6 OUTPUT 3:0 1:0\n";
	static const char broken[] = "1 Foo\n2 Nop 1:0\n3 Nop 9:0\n4 Bar\n";
	static const char unreadable[] = "1 Foo\n2 Nop\0 1:0\n";

	import_bytes(text, sizeof(text) - 1);
	CHECK(code == -EOPNOTSUPP);
	CHECK(nn_graph_error(graph)->node == 2 && !strcmp(nn_graph_error(graph)->op, "Foo"));
	CHECK(counts(6, 3, 2));
	CHECK(is_reason(0, "Foo", 2, "2", "there is no operator \"Foo\"", "docs/operators.md"));
	CHECK(is_reason(1, "B??r", 1, "5", "there is no operator \"B??r\"", ""));

	import_bytes(broken, sizeof(broken) - 1);
	CHECK(code == -EOPNOTSUPP);
	CHECK(counts(3, 2, 2));
	CHECK(is_reason(1, "Nop", 1, "3", "", "the text is wrong there"));

	/* A line without a number has nothing to name. */
	import_bytes(unreadable, sizeof(unreadable) - 1);
	CHECK(code == -EOPNOTSUPP);
	CHECK(counts(2, 2, 2));
	CHECK(is_reason(1, "", 1, "", "line 2: has a byte 0", "the text is wrong there"));
}

/* Many reasons: the first are kept, and all are counted. Long names are cut. */
static void test_many(void)
{
	const uint32_t nodes = 100000;
	Onnx__ModelProto *model = open_model("conv");
	Onnx__NodeProto **list = nn_pool_array(&pool, nodes, sizeof(*list));
	struct nn_refusal refusal;
	char *text = malloc(40 * nodes);
	size_t size = 0;

	for (uint32_t i = 0; i < nodes; i++) {
		char op[300];

		snprintf(op, sizeof(op), "%0*u", i ? 1 : 299, i);
		list[i] = new_node(op, "x0", op);
		size += snprintf(text + size, 40, "%u Foo%u\n", i + 1, i);
	}
	model->graph->node = list;
	model->graph->n_node = nodes;
	model->graph->output[0]->name = list[1]->output[0];
	import_model(model);
	CHECK(counts(nodes, nodes, nodes));
	CHECK(!nn_graph_get_refusal(graph, 0, &refusal) && strlen(refusal.op) < 100 &&
	      strlen(refusal.name) < 100);
	CHECK(is_reason(NN_MAX_REFUSALS - 1, "63", 1, "63", "nnloop has no such operator", ""));
	CHECK(nn_graph_get_refusal(graph, NN_MAX_REFUSALS, &refusal) == -ENOENT);
	import_bytes(text, size);
	CHECK(counts(nodes, nodes, nodes));
	free(text);
}

/* One reason for many nodes. */
static void test_often(void)
{
	const uint32_t nodes = 100000;
	Onnx__ModelProto *model = open_model("conv");
	Onnx__NodeProto **list = nn_pool_array(&pool, nodes, sizeof(*list));

	for (uint32_t i = 0; i < nodes; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%u", i);
		list[i] = new_node("Identity", "x0", name);
		add_attr(list[i], "made_up", i);
	}
	model->graph->node = list;
	model->graph->n_node = nodes;
	model->graph->output[0]->name = list[1]->output[0];
	import_model(model);
	CHECK(counts(nodes, nodes, 1));
	CHECK(is_reason(0, "Identity", nodes, "n0", "attribute \"made_up\" 0: ", ""));
}

int main(void)
{
	tap_run("three kinds, one twice, one behind another", test_three_kinds);
	tap_run("attributes", test_attributes);
	tap_run("all stages of an import", test_all_stages);
	tap_run("what follows from a refusal is none", test_no_consequences);
	tap_run("a scale that is refused", test_refused_scale);
	tap_run("a node that is asked for twice", test_asked_twice);
	tap_run("an opset", test_opset);
	tap_run("Loops", test_loops);
	tap_run("refused and broken", test_broken);
	tap_run("the next call forgets them", test_forgotten);
	tap_run("text", test_text);
	tap_run("100,000 kinds", test_many);
	tap_run("100,000 of one kind", test_often);
	nn_graph_destroy(graph);
	return tap_end();
}
