// SPDX-License-Identifier: MIT
/*
 * The ONNX importer and files that are wrong: cut off, with bits flipped, hostile, or with
 * something in them that nnloop cannot do. Each is refused with a sentence that names the thing,
 * and the graph is empty again. The sanitizers watch.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/onnx-model.h"

/* ---- Damage ---- */

/* `step`: 1: cut everywhere. */
static void test_truncated(const char *name, const char *path, size_t step)
{
	struct bytes bytes = read_file(path);
	char detail[600] = "", text[512];
	bool good = true;

	for (size_t size = 0; size < bytes.size && good; size += step) {
		int err = import(bytes.data, size, text);

		good = err < 0 && is_sentence(text);
		if (!good)
			snprintf(detail, sizeof(detail), "%s cut to %zu bytes: %d %s", path, size,
				 err, text);
	}
	result(good, name, detail);
	free(bytes.data);
}

/* Whatever a flipped bit makes of a small model, it is imported or refused, not more. */
static void test_flipped(const char *name, const char *path)
{
	struct bytes bytes = read_file(path);
	char detail[600] = "", text[512];
	unsigned int accepted = 0;
	bool good = true;

	for (size_t bit = 0; bit < 8 * bytes.size && good; bit++) {
		int err;

		bytes.data[bit / 8] ^= 1u << bit % 8;
		err = import(bytes.data, bytes.size, text);
		bytes.data[bit / 8] ^= 1u << bit % 8;
		good = !err || is_sentence(text);
		accepted += !err;
		if (!good)
			snprintf(detail, sizeof(detail), "%s with bit %zu flipped: %d %s", path,
				 bit, err, text);
	}
	result(good, name, detail);
	printf("# of %zu flips %u make another model\n", 8 * bytes.size, accepted);
	free(bytes.data);
}

/* A model with a checksum: no flip in what it covers goes unnoticed. */
static void test_checksum(const char *path)
{
	struct bytes bytes = read_file(path);
	char detail[600] = "", text[512];
	bool good = true;

	for (size_t bit = 3; bit < 8 * (bytes.size - 30) && good; bit += 8 * 37 + 1) {
		int err;

		bytes.data[bit / 8] ^= 1u << bit % 8;
		err = import(bytes.data, bytes.size, text);
		bytes.data[bit / 8] ^= 1u << bit % 8;
		good = err < 0;
		if (!good)
			snprintf(detail, sizeof(detail), "bit %zu flipped, and nothing said", bit);
	}
	result(good, "flipped bits of a model with a checksum", detail);
	free(bytes.data);
}

/* ---- Hostile files ---- */

/* One field of the wire format in front of `size` bytes that are there already, at the end of a
 * buffer. */
static uint8_t *wrap(uint8_t *at, size_t *size, unsigned int field)
{
	uint8_t head[16];
	size_t length = *size, n = 0;
	unsigned int key = field << 3 | 2;

	while (key >= 0x80) {
		head[n++] = key | 0x80;
		key >>= 7;
	}
	head[n++] = key;
	while (length >= 0x80) {
		head[n++] = length | 0x80;
		length >>= 7;
	}
	head[n++] = length;
	memcpy(at - n, head, n);
	*size += n;
	return at - n;
}

static void expect(const char *name, const uint8_t *data, size_t size, const char *wanted)
{
	char detail[600], text[512];
	int err = import(data, size, text);

	snprintf(detail, sizeof(detail), "%d %s", err, text);
	result(err < 0 && strstr(text, wanted), name, detail);
}

static void test_hostile(void)
{
	const size_t room = 1 << 20;
	uint8_t *buffer = malloc(room), *at = buffer + room;
	size_t size = 0;

	/* graph { node { attribute { g { node ... */
	for (int i = 0; i < 20000; i++) {
		at = wrap(at, &size, 6); /* AttributeProto.g */
		at = wrap(at, &size, 5); /* NodeProto.attribute */
		at = wrap(at, &size, 1); /* GraphProto.node */
	}
	at = wrap(at, &size, 7);
	expect("messages nested 60,000 deep", at, size, "nested too deeply");

	/* Empty attributes: two bytes in the file, two hundred in memory. */
	for (size_t i = 0; i < room / 2; i++) {
		buffer[2 * i] = 5 << 3 | 2;
		buffer[2 * i + 1] = 0;
	}
	at = buffer + 64;
	size = room - 64;
	at = wrap(at, &size, 1);
	at = wrap(at, &size, 7);
	expect("half a million empty attributes", at, size,
	       "more memory than a file of its size can");

	/* graph {} graph {} ...: merging them is quadratic. */
	for (size_t i = 0; i < room / 2; i++) {
		buffer[2 * i] = 7 << 3 | 2;
		buffer[2 * i + 1] = 0;
	}
	expect("half a million graphs", buffer, room, "occurs twice");
	free(buffer);
}

/* ---- Models that nnloop cannot run ---- */

static void unknown_op(Onnx__ModelProto *model)
{
	set(&((Onnx__NodeProto *)(uintptr_t)find(model, "Conv"))->op_type, "Det");
}

static void unknown_domain(Onnx__ModelProto *model)
{
	set(&((Onnx__NodeProto *)(uintptr_t)find(model, "Conv"))->domain, "com.example");
}

static void strange_name(Onnx__ModelProto *model)
{
	unknown_op(model);
	set(&((Onnx__NodeProto *)(uintptr_t)find(model, "Det"))->name, "a\nb\x1b[31m\xc3\xa4");
}

static void no_name(Onnx__ModelProto *model)
{
	unknown_op(model);
	set(&((Onnx__NodeProto *)(uintptr_t)find(model, "Det"))->name, "");
}

static void float_weights(Onnx__ModelProto *model)
{
	set(&find(model, "Conv")->input[1], "x0_scale");
}

static void float_output(Onnx__ModelProto *model)
{
	set(&model->graph->output[0]->name, "sum");
}

static void twice(Onnx__ModelProto *model)
{
	set(&model->graph->initializer[1]->name, model->graph->initializer[0]->name);
}

static void nowhere(Onnx__ModelProto *model)
{
	set(&find(model, "Conv")->input[0], "elsewhere");
}

static void disorder(Onnx__ModelProto *model)
{
	Onnx__GraphProto *graph = model->graph;
	Onnx__NodeProto *last = graph->node[graph->n_node - 1];

	graph->node[graph->n_node - 1] = graph->node[0];
	graph->node[0] = last;
}

static void cycle(Onnx__ModelProto *model)
{
	set(&find(model, "Conv")->input[0], "y");
}

static void bad_scale(Onnx__ModelProto *model)
{
	float scale = -0.5f;

	memcpy(find_tensor(model, "x0_scale")->raw_data.data, &scale, sizeof(scale));
}

static void short_data(Onnx__ModelProto *model)
{
	find_tensor(model, "w")->raw_data.len--;
}

static void external_data(Onnx__ModelProto *model)
{
	Onnx__TensorProto *tensor = find_tensor(model, "w");

	tensor->has_data_location = 1;
	tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

static void huge_tensor(Onnx__ModelProto *model)
{
	for (int i = 0; i < 4; i++)
		find_tensor(model, "w")->dims[i] = INT32_MAX;
}

static Onnx__TensorShapeProto *shape(Onnx__ModelProto *model)
{
	return model->graph->input[0]->type->tensor_type->shape;
}

static void huge_input(Onnx__ModelProto *model)
{
	shape(model)->dim[2]->dim_value = 1 << 20;
	shape(model)->dim[3]->dim_value = 1 << 20;
}

static void string_input(Onnx__ModelProto *model)
{
	model->graph->input[0]->type->tensor_type->elem_type =
		ONNX__TENSOR_PROTO__DATA_TYPE__STRING;
}

static void bad_group(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "group")->i = 4;
}

static void bad_pads(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "pads")->ints[1] = -1;
}

static void three_pads(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "pads")->n_ints = 3;
}

static void no_stride(Onnx__ModelProto *model)
{
	find_attr(find(model, "Conv"), "strides")->ints[0] = 0;
}

static void no_graph(Onnx__ModelProto *model)
{
	model->graph = NULL;
}

static void no_output(Onnx__ModelProto *model)
{
	model->graph->n_output = 0;
}

static void future(Onnx__ModelProto *model)
{
	model->ir_version = 1000;
}

static void no_version(Onnx__ModelProto *model)
{
	model->has_ir_version = 0;
}

static void version_zero(Onnx__ModelProto *model)
{
	model->ir_version = 0;
}

static void batch_reshaped(Onnx__ModelProto *model)
{
	int64_t dims[2] = { -1, 7 };

	memcpy(find_tensor(model, "dims")->raw_data.data, dims, sizeof(dims));
}

static void bias_scale(Onnx__ModelProto *model)
{
	float scale;

	memcpy(&scale, find_tensor(model, "bias_scale")->raw_data.data, sizeof(scale));
	scale *= 1.5f;
	memcpy(find_tensor(model, "bias_scale")->raw_data.data, &scale, sizeof(scale));
}

/* Moves the zero point of one output; where all have the same, it may be anything. */
static void far_weights(Onnx__ModelProto *model)
{
	memset(find_tensor(model, "w_zero")->raw_data.data, -128, 1);
	memset(find_tensor(model, "w")->raw_data.data, 127, 1);
}

static void per_axis_input(Onnx__ModelProto *model)
{
	/* conv's bias_scale has 7 elements, one per output channel; the input has 5 channels. */
	set(&model->graph->node[0]->input[1], "bias_scale");
}

/* ---- Loops that are more than a loop over rows */

static Onnx__GraphProto *body_of(const Onnx__ModelProto *model)
{
	return find_attr(find(model, "Loop"), "body")->g;
}

static void may_stop(Onnx__ModelProto *model)
{
	find_tensor(model, "always")->raw_data.data[0] = 0;
}

/* The condition that an iteration gives is a row. */
static void may_stop_later(Onnx__ModelProto *model)
{
	set(&body_of(model)->output[0]->name, "row");
}

static void no_trip_count(Onnx__ModelProto *model)
{
	set(&find(model, "Loop")->input[0], "");
}

static void too_many_trips(Onnx__ModelProto *model)
{
	find_tensor(model, "trips")->raw_data.data[0] = 6;
}

static void no_trips(Onnx__ModelProto *model)
{
	find_tensor(model, "trips")->raw_data.data[0] = 0;
}

static void final_value(Onnx__ModelProto *model)
{
	set(&model->graph->output[0]->name, "last");
}

static void other_axis(Onnx__ModelProto *model)
{
	const Onnx__NodeProto *node = body_of(model)->node[1];

	set(&((Onnx__NodeProto *)(uintptr_t)node)->op_type, "Squeeze");
}

static void invariant(Onnx__ModelProto *model)
{
	set(&body_of(model)->output[1]->name, "x0");
}

static void body_of_another_shape(Onnx__ModelProto *model)
{
	body_of(model)->n_input = 1;
}

/* It needs what a batch could not do in any case, but that is not why it is refused. */
static const struct onnx_change changes[] = {
	{ "an operator nobody knows", "conv", unknown_op, -EOPNOTSUPP,
	  "node \"sum\" (Det): nnloop has no such operator" },
	{ "a domain nobody knows", "conv", unknown_domain, -EOPNOTSUPP,
	  "node \"sum\" (Conv): nnloop has no operator of that name in domain \"com.example\"" },
	{ "a name that is no text", "conv", strange_name, -EOPNOTSUPP,
	  "node \"a?b?[31m??\" (Det)" },
	{ "a node without a name", "conv", no_name, -EOPNOTSUPP, "node Det that makes \"sum\"" },
	{ "weights of floats", "conv", float_weights, -EOPNOTSUPP,
	  "node \"sum\" (Conv): its weights are not quantized" },
	{ "an output of floats", "conv", float_output, -EOPNOTSUPP,
	  "output \"sum\" is computed in float" },
	{ "a name defined twice", "conv", twice, -EINVAL, "twice" },
	{ "an input that is nowhere", "conv", nowhere, -EINVAL,
	  "node \"sum\" (Conv): its input \"elsewhere\" is nowhere in the model" },
	{ "nodes out of order", "conv", disorder, -EINVAL, "comes later" },
	{ "a cycle", "conv", cycle, -EINVAL,
	  "node \"sum\" (Conv): its input \"y\" is made by a node that comes later" },
	{ "a negative scale", "conv", bad_scale, -EINVAL, "scale is -0.5" },
	{ "a constant with too little data", "conv", short_data, -EINVAL,
	  "tensor \"w\" has 314 bytes of data, its shape takes 315" },
	{ "a constant in another file", "conv", external_data, -EOPNOTSUPP,
	  "tensor \"w\" is in another file" },
	{ "a constant too large to count", "conv", huge_tensor, -EINVAL,
	  "tensor \"w\" is too large" },
	{ "an input too large to count", "conv", huge_input, -EOPNOTSUPP,
	  "input \"x0\" has more than 2^31 elements" },
	{ "an input of strings", "conv", string_input, -EOPNOTSUPP, "input \"x0\" is of" },
	{ "groups that do not fit", "conv", bad_group, -EINVAL, "do not fit 4 groups" },
	{ "negative padding", "conv", bad_pads, -EOPNOTSUPP,
	  "attribute pads [1,-1,1,1]: nnloop can do 0.. only" },
	{ "three paddings", "conv", three_pads, -EOPNOTSUPP, "3 pads" },
	{ "a stride of 0", "conv_strides_differ", no_stride, -EOPNOTSUPP,
	  "attribute strides [0,1]: nnloop can do 1.. only" },
	{ "no graph", "conv", no_graph, -EINVAL, "no graph" },
	{ "no output", "conv", no_output, -EINVAL, "no outputs" },
	{ "no version", "conv", no_version, -EINVAL, "does not say its version" },
	{ "version 0", "conv", version_zero, -EINVAL, "does not say its version" },
	{ "a version of the future", "conv", future, -EOPNOTSUPP, "version 1000" },
	{ "a reshape that changes the batch", "reshape", batch_reshaped, -EOPNOTSUPP,
	  "the first dimension is the batch" },
	{ "a bias with another scale", "conv", bias_scale, -EOPNOTSUPP,
	  "node \"sum\" (Conv): element 0 of its bias has scale" },
	{ "weights far from their zero points", "conv", far_weights, -EOPNOTSUPP,
	  "weight 0 is 255 steps from its zero point" },
	{ "a Loop that does not begin", "loop_rows", may_stop, 0, "" },
	{ "a Loop whose condition is no bool", "loop_rows", may_stop_later, -EINVAL,
	  "node \"y\" (Loop): its condition is no tensor of one bool" },
	{ "a Loop that nothing ends", "loop_rows", no_trip_count, -EOPNOTSUPP,
	  "node \"y\" (Loop): nothing ever ends it" },
	{ "a Loop with more trips than rows", "loop_trips", too_many_trips, -EOPNOTSUPP,
	  "node \"item\" (Gather): it takes what is 5 long by the number of a Loop's iteration" },
	{ "a Loop that never runs", "loop_trips", no_trips, 0, "" },
	{ "a Loop whose last carried value is wanted", "loop_carried", final_value, 0, "" },
	{ "a row without its dimension", "loop_trips", other_axis, -EOPNOTSUPP,
	  "node \"row\" (Squeeze): it drops dimension 0, which is not 1" },
	{ "a Loop that gives what does not change", "loop_rows", invariant, 0, "" },
	{ "a Loop whose body takes too little", "loop_rows", body_of_another_shape, -EINVAL,
	  "node \"y\" (Loop): it has 2 inputs and 1 outputs, and its body 1 and 2" },
	{ "an input with a scale per channel", "conv", per_axis_input, -EOPNOTSUPP, "" },
};

/* A graph that a bad model was tried on takes a good one; one that is not empty takes none. */
static void test_again(void)
{
	struct bytes bytes = read_file(MODELS_DIR "ops/conv.onnx");
	struct nn_graph *graph;
	int first, second, third;

	if (nn_graph_create(&graph))
		exit(1);
	first = nn_graph_import_onnx(graph, bytes.data, bytes.size / 2);
	second = nn_graph_import_onnx(graph, bytes.data, bytes.size);
	third = nn_graph_import_onnx(graph, bytes.data, bytes.size);
	result(first == -EINVAL && second == 0 && third == -EINVAL,
	       "a failed import leaves the graph as it was", nn_graph_error(graph)->text);
	result(nn_graph_get_input_count(graph) == 1, "and a refused second one too", "");
	nn_graph_destroy(graph);
	free(bytes.data);
}

int main(void)
{
	test_truncated("a small model cut anywhere", MODELS_DIR "ops/conv_relu.onnx", 1);
	test_truncated("a model cut here and there", "tests/models/digits.onnx", 331);
	test_flipped("flipped bits of a convolution", MODELS_DIR "ops/conv_depthwise.onnx");
	test_flipped("flipped bits of a QLinear model", MODELS_DIR "ops/qlinear_conv.onnx");
	test_flipped("flipped bits of a concatenation", MODELS_DIR "ops/concat.onnx");
	test_flipped("flipped bits of a loop", MODELS_DIR "ops/batch_loop.onnx");
	test_truncated("a Loop cut anywhere", MODELS_DIR "ops/loop_carried.onnx", 1);
	test_flipped("flipped bits of a Loop over rows", MODELS_DIR "ops/loop_rows.onnx");
	test_flipped("flipped bits of a Loop that carries", MODELS_DIR "ops/loop_carried.onnx");
	test_checksum("tests/models/digits.onnx");
	test_hostile();
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		onnx_test_change(&changes[i]);
	test_again();
	printf("1..%u\n", count);
	return failures > 0;
}
