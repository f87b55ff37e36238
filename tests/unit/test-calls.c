// SPDX-License-Identifier: MIT
/*
 * Calls of the API with arguments that are just right, and just wrong: descriptions of nodes, what
 * an operator's check says of its outputs, and questions about a plan.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

/* ---- Descriptions of nodes */

static struct nn_graph *graph;
static uint32_t next_id;

/* NULL: it is taken. */
static void append(const struct nn_node_desc *desc, const char *says)
{
	struct nn_node_desc numbered = *desc;
	int err;

	numbered.id = next_id++;
	err = nn_graph_append(graph, &numbered);
	if (!CHECK(says ? err < 0 && strstr(nn_graph_error(graph)->text, says) : !err))
		printf("# %s: %d %s\n", says ? says : "taken", err, nn_graph_error(graph)->text);
}

static void append_input(struct nn_tensor_info info, const char *says)
{
	append(&(struct nn_node_desc){ .op = "Input", .outputs = &info, .output_count = 1 }, says);
}

static void test_tensors(void)
{
	const struct nn_tensor_info good = { .type = NN_INT8, .rank = 2, .dims = { 0, 3 }, .scale = 1 };
	static const float scales[4] = { 1, 2, 3, 4 }, infinite[3] = { 1, INFINITY, 3 }, zero[3] = { 1, 2, 0 };
	static const struct {
		enum nn_data_type type;
		int32_t min, max;
	} ranges[] = {
		{ NN_INT8, -128, 127 },
		{ NN_UINT8, 0, 255 },
		{ NN_INT16, -32768, 32767 },
		{ NN_UINT16, 0, 65535 },
		{ NN_INT32, INT32_MIN, INT32_MAX },
		{ NN_FLOAT32, 0, 0 },
		{ NN_BOOL, 0, 0 },
		{ NN_INT64, 0, 0 }, { NN_UINT32, 0, 0 }, { NN_UINT64, 0, 0 },
	};
	struct nn_tensor_info info;

	graph = new_graph();
	next_id = 1;
	append_input(good, NULL);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		info = good;
		info.type = ranges[i].type;
		info.zero_point = ranges[i].min;
		append_input(info, NULL);
		info.zero_point = ranges[i].max;
		append_input(info, NULL);
		if (ranges[i].type == NN_INT32)
			continue;
		info.zero_point = ranges[i].min - 1;
		append_input(info, "is outside of");
		info.zero_point = ranges[i].max + 1;
		append_input(info, "is outside of");
	}
	info = good;
	info.type = 100;
	append_input(info, "unknown data type 100");
	info.type = NN_UINT64 + 1;
	append_input(info, "unknown data type");
	info.type = 0;
	append_input(info, "needs a data type and a shape");
	info = good;
	info.rank = 0;
	append_input(info, "needs a data type and a shape");
	info.rank = NN_MAX_RANK;
	for (int i = 0; i < NN_MAX_RANK; i++)
		info.dims[i] = 2;
	append_input(info, NULL);
	info.rank++;
	append_input(info, "at most 8");
	info = good;
	info.dims[1] = 0;
	append_input(info, "dimension 1 of 0x0 is 0");
	info.dims[1] = 0x7fffffff;
	append_input(info, NULL);
	info.dims[1] = 0x80000000;
	append_input(info, NULL);
	info.dims[1] = 0x80000001;
	append_input(info, "larger than 2 GiB");
	info.dims[0] = 2;
	info.dims[1] = 0x40000000;
	append_input(info, NULL);
	info.dims[1]++;
	append_input(info, "larger than 2 GiB");

	info = good;
	info.scale = 0;
	append_input(info, NULL);
	info.scale = -1e-30f;
	append_input(info, "must be a positive number");
	info.scale = INFINITY;
	append_input(info, "must be a positive number");
	info.scale = NAN;
	append_input(info, "must be a positive number");
	info.scale = 0;
	info.scales = scales;
	info.axis = 1;
	info.scale_count = 3;
	append_input(info, NULL);
	info.scale_count = 4;
	append_input(info, "one scale for each index of dimension 1, not 4");
	info.scale_count = 2;
	append_input(info, "one scale for each index of dimension 1, not 2");
	info.scale_count = 3;
	info.axis = 2;
	append_input(info, "of dimension 2");
	info.axis = 1;
	info.scales = infinite;
	append_input(info, "scale 1 must be a positive number");
	info.scales = zero;
	append_input(info, "scale 2 must be a positive number");
	nn_graph_destroy(graph);
}

static void test_tensor_bytes(void)
{
	struct nn_tensor_info info = { .type = NN_INT16, .rank = 3, .dims = { 2, 3, 5 } };

	CHECK(nn_tensor_info_bytes(&info) == 60);
	info.dims[0] = NN_VARIABLE;
	CHECK(nn_tensor_info_bytes(&info) == 30);
	info.type = NN_INT64;
	CHECK(nn_tensor_info_bytes(&info) == 120);
	info.dims[0] = 7;
	info.rank = 1;
	CHECK(nn_tensor_info_bytes(&info) == 56);
	info.rank = 0;
	CHECK(!nn_tensor_info_bytes(&info));
	info.rank = 1;
	info.type = 100;
	CHECK(!nn_tensor_info_bytes(&info));
	info = (struct nn_tensor_info){ .type = NN_INT8, .rank = 3, .dims = { 1u << 31, 1u << 31, 8 } };
	CHECK(nn_tensor_info_bytes(&info) == UINT64_MAX);
	info.dims[2] = 2;
	CHECK(nn_tensor_info_bytes(&info) == 1ull << 63);
}

static void test_descriptions(void)
{
	const struct nn_tensor_info info = { .type = NN_INT8, .rank = 1, .dims = { 4 }, .scale = 1 }, two[2] = { info, info };
	const struct nn_attr attrs[2] = { { .name = "step", .type = NN_ATTR_INT, .i = 1 },
					  { .name = "step", .type = NN_ATTR_INT, .i = 1 } };
	struct nn_attr attr = attrs[0];
	struct nn_input input = { 1, 0 };
	struct nn_node_desc desc = { .op = "BatchLoop", .inputs = &input, .input_count = 1, .attrs = &attr, .attr_count = 1 };

	graph = new_graph();
	next_id = 1;
	append(&(struct nn_node_desc){ .op = "Input", .outputs = two, .output_count = 1 }, NULL);
	append(&(struct nn_node_desc){ .op = "Input", .outputs = two, .output_count = 2 }, NULL);
	append(&(struct nn_node_desc){ .op = "Input" }, "cannot have 0 outputs described");
	append(&(struct nn_node_desc){ .op = "Const", .outputs = two, .output_count = 2, .data = "abcd", .data_size = 4 },
	       "cannot have 2 outputs described");
	append(&(struct nn_node_desc){ .op = "Const", .outputs = two, .output_count = 1, .data = "abcd", .data_size = 4 }, NULL);
	append(&(struct nn_node_desc){ .op = "Const", .outputs = two, .output_count = 1, .data = "abc", .data_size = 3 },
	       "has 3 bytes of data, but its shape and type make 4");
	append(&(struct nn_node_desc){ .op = "Const", .outputs = two, .output_count = 1, .data_size = 4 },
	       "has 0 bytes of data, but its shape and type make 4");

	append(&desc, NULL);
	desc.outputs = two;
	desc.output_count = 1;
	append(&desc, NULL);
	desc.output_count = 2;
	append(&desc, "cannot have 2 outputs described");
	desc.output_count = 0;
	desc.attrs = attrs;
	desc.attr_count = 2;
	append(&desc, "step is given twice");
	desc.attrs = &attr;
	desc.attr_count = 1;
	attr.name = NULL;
	append(&desc, "attribute 0 is incomplete");
	attr.name = "step";
	attr.type = NN_ATTR_INT - 1;
	append(&desc, "attribute 0 is incomplete");
	attr.type = NN_ATTR_STRING + 1;
	append(&desc, "attribute 0 is incomplete");
	attr.type = NN_ATTR_STRING;
	attr.string = NULL;
	append(&desc, "attribute 0 is incomplete");
	attr.string = "x";
	append(&desc, "attribute step must be a whole number");
	attr.type = NN_ATTR_INTS;
	attr.ints = NULL;
	attr.count = 1;
	append(&desc, "attribute 0 is incomplete");
	attr.type = NN_ATTR_FLOATS;
	attr.floats = NULL;
	append(&desc, "attribute 0 is incomplete");
	attr.floats = (float[]){ 1 };
	append(&desc, "attribute step must be a whole number");
	attr.type = NN_ATTR_FLOAT;
	append(&desc, "attribute step must be a whole number");
	attr.type = NN_ATTR_INT;
	attr.i = 1;
	append(&desc, NULL);

	desc.op = "Nop";
	attr.name = "outputs";
	append(&desc, NULL);
	for (attr.i = -1; attr.i <= 0; attr.i++)
		append(&desc, "cannot have 0 outputs described");
	attr.i = 2;
	append(&desc, NULL);
	desc.op = "BatchLoop";
	attr.name = "step";
	attr.i = 1;

	desc.input_count = (1u << 20) + 1;
	append(&desc, "has more than 1048576 inputs, outputs or attributes");
	desc.input_count = 1;
	desc.attr_count = (1u << 20) + 1;
	append(&desc, "has more than 1048576 inputs, outputs or attributes");
	desc.attr_count = 1;
	desc.output_count = (1u << 20) + 1;
	desc.outputs = two;
	append(&desc, "has more than 1048576 inputs, outputs or attributes");
	desc.output_count = 0;
	desc.inputs = NULL;
	append(&desc, "description is incomplete");
	desc.inputs = &input;
	desc.attrs = NULL;
	append(&desc, "description is incomplete");
	desc.attrs = &attr;
	desc.output_count = 1;
	desc.outputs = NULL;
	append(&desc, "description is incomplete");
	desc.op = NULL;
	append(&desc, "description is incomplete");
	nn_graph_destroy(graph);
}

/* Types of attributes, and what is said of wrong ones. */
static void test_attributes(void)
{
	static const struct {
		const char *line, *says;
	} lines[] = {
		{ "Clamp 1:0 min=1 max=2.5", NULL },
		{ "Clamp 1:0 min=x", "attribute min must be a number" },
		{ "Clamp 1:0 min=1,2", "attribute min must be a number" },
		{ "MaxPool 1:0 kernel=2 padding=word", NULL },
		{ "MaxPool 1:0 kernel=2 padding=1,2", "attribute padding has 2 numbers, but takes 4 to 4" },
		{ "MaxPool 1:0 kernel=2 padding=1,2,3,4,5", "attribute padding has 5 numbers, but takes 4 to 4" },
		{ "MaxPool 1:0 kernel=2 padding=1.5", "attribute padding must be whole numbers or a word" },
		{ "MaxPool 1:0 kernel=1.5", "attribute kernel must be whole numbers" },
		{ "MaxPool 1:0 kernel=1,2,3", "attribute kernel has 3 numbers, but takes 1 to 2" },
		{ "Add 1:0 1:0 rounding=2", "attribute rounding must be a word" },
		{ "Relu 1:0 depth=2", "has no attribute depth" },
		{ "Softmax 1:0 depth=2", "has no attribute depth" },
		{ "Sink 1:0", "there is no operator \"Sink\"" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char text[256];
		int err;

		graph = new_graph();
		snprintf(text, sizeof(text), "1 Input shape=1,4,4,1 type=int8 scale=1\n2 %s\n", lines[i].line);
		err = nn_graph_import_text(graph, text, strlen(text));
		if (!CHECK(lines[i].says ? err < 0 && strstr(nn_graph_error(graph)->text, lines[i].says) : !err))
			printf("# %s: %d %s\n", lines[i].line, err, nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

/* An output that is described although its operator knows what it is. */
static void test_described_shapes(void)
{
	static const struct {
		uint32_t rank, dims[4];
		bool taken;
	} cases[] = {
		{ 0, { 0 }, true },
		{ 2, { 4, 3 }, true },
		{ 2, { 5, 3 }, false },
		{ 2, { 4, 2 }, false },
		{ 1, { 4 }, false },
		{ 3, { 4, 3, 1 }, false },
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		struct nn_tensor_info info = { .rank = cases[i / 2].rank };
		struct nn_node_desc desc = { .id = 9, .op = "Copy", .inputs = &(struct nn_input){ i % 2 + 1, 0 },
					     .input_count = 1, .outputs = &info, .output_count = 1 };
		bool taken;

		memcpy(info.dims, cases[i / 2].dims, sizeof(cases[0].dims));
		graph = make_graph("1 Input shape=4,3 type=int8 scale=1\n2 BatchLoop 1:0 step=4\n");
		CHECK(!nn_graph_append(graph, &desc));
		desc = (struct nn_node_desc){ .id = 10, .op = "OUTPUT", .inputs = (struct nn_input[]){ { 9, 0 }, { 2, 0 } },
					      .input_count = 2 };
		CHECK(!nn_graph_append(graph, &desc));
		taken = !nn_graph_prepare(graph, device, NULL);
		/* Rows of a loop are not looked at: they differ from pass to pass. */
		if (!CHECK(taken == (cases[i / 2].taken || (i % 2 && i / 2 == 2))) ||
		    (!taken && !CHECK(strstr(nn_graph_error(graph)->text, "but is 4x3"))))
			printf("# case %zu: %s\n", i, nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

/* ---- What a check says */

static struct {
	uint32_t output, level, input, max_rows;
	struct nn_tensor_info info;
	bool view;
	int result;
} said;

static int own_check(struct nn_graph *nn, struct nn_node *self, void *opaque)
{
	struct nn_tensor tensor;

	(void)nn;
	(void)opaque;
	CHECK(!strcmp(nn_node_get_op(self), "Own") && nn_node_get_id(self) == 3);
	CHECK(nn_node_get_input_count(self) == 1 && nn_node_get_output_count(self) == 1);
	CHECK(!nn_node_get_input(self, 0, &tensor) && tensor.info.dims[0] == 4);
	CHECK(nn_node_get_input(self, 1, &tensor) == -ENOENT);
	CHECK(!nn_node_get_output(self, 0, &tensor));
	CHECK(nn_node_get_output(self, 1, &tensor) == -ENOENT);
	if (said.view)
		said.result = nn_node_set_output_view(self, said.output, said.input);
	else
		said.result = nn_node_set_output(self, said.output, &said.info, said.level);
	return said.result;
}

static int own_execute(struct nn_graph *nn, struct nn_node *self, void *opaque)
{
	(void)nn;
	(void)opaque;
	/* Too late. */
	return nn_node_set_output(self, 0, &said.info, 0);
}

static void check_said(const char *says)
{
	static const struct nn_node_ops ops = { .name = "Own", .check = own_check, .execute = own_execute };
	const char *text = "1 Input shape=4,3 type=int8 scale=1\n2 BatchLoop 1:0 step=4\n3 Own 2:0\n4 OUTPUT 3:0 2:0\n";
	int err;

	graph = new_graph();
	CHECK(!nn_graph_register_op(graph, &ops, NULL));
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	err = nn_graph_prepare(graph, device, NULL);
	if (!CHECK(says ? err == -EINVAL && strstr(nn_graph_error(graph)->text, says) : !err))
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
}

/* Behind the rank dimensions are 0, whatever a check has left there. */
static void check_rank(void)
{
	static const struct nn_node_ops ops = { .name = "Own", .check = own_check, .execute = own_execute };
	const char *text = "1 Input shape=4,3 type=int8 scale=1\n2 BatchLoop 1:0 step=4\n3 Own 2:0\n4 OUTPUT 3:0\n";
	struct nn_tensor_info info;

	for (int i = 2; i < NN_MAX_RANK; i++)
		said.info.dims[i] = 77;
	graph = new_graph();
	CHECK(!nn_graph_register_op(graph, &ops, NULL) && !nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!nn_graph_prepare(graph, device, NULL) && !nn_graph_get_output_info(graph, 0, &info));
	CHECK(info.rank == 2 && info.dims[0] == 4 && info.dims[1] == 3);
	for (int i = 2; i < NN_MAX_RANK; i++)
		CHECK(!info.dims[i]);
	nn_graph_destroy(graph);
}

static void test_set_output(void)
{
	const struct nn_tensor_info good = { .type = NN_INT8, .rank = 2, .dims = { 4, 3 }, .scale = 1 };

	said.view = false;
	said.output = 0;
	said.level = 0;
	said.info = good;
	check_said(NULL);
	check_rank();
	said.info = good;
	said.level = 1;
	check_said(NULL);
	said.level = NN_LEVEL_OWN;
	check_said(NULL);
	said.level = 2;
	check_said("describes output 0 wrongly");
	said.level = 0;
	said.output = 1;
	check_said("describes output 1 wrongly");
	said.output = 0;
	said.info.rank = 0;
	check_said("describes output 0 wrongly");
	said.info.rank = NN_MAX_RANK + 1;
	check_said("describes output 0 wrongly");
	said.info = good;
	said.info.rank = NN_MAX_RANK;
	for (int i = 0; i < NN_MAX_RANK; i++)
		said.info.dims[i] = 1;
	check_said(NULL);
	said.info = good;
	said.info.type = 0;
	check_said("describes output 0 wrongly");
	said.info.type = NN_UINT64 + 1;
	check_said("describes output 0 wrongly");
	said.info = good;
	said.info.zero_point = 127;
	check_said(NULL);
	said.info.zero_point = 128;
	check_said("describes output 0 wrongly");
	said.info.zero_point = -128;
	check_said(NULL);
	said.info.zero_point = -129;
	check_said("describes output 0 wrongly");
	said.info = good;
	said.info.dims[1] = 0;
	check_said("dimension 1 of output 0 is 0");

	/* It is no loop. */
	said.view = true;
	said.input = 0;
	check_said("as a view of what is none of its inputs");
}

static void test_too_late(void)
{
	static const struct nn_node_ops ops = { .name = "Own", .execute = own_execute };
	const char *text = "1 Input shape=4,3 type=uint8 scale=1\n3 Own 1:0\n4 OUTPUT 3:0\n";
	uint8_t data[12] = { 0 };
	struct nn_buffer in = { .data = data, .size = 12, .rows = 4 }, out = { .data = data, .size = 12 };

	graph = new_graph();
	CHECK(!nn_graph_register_op(graph, &ops, NULL));
	CHECK(!nn_graph_import_text(graph, text, strlen(text)) && !nn_graph_prepare(graph, device, NULL));
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL);
	CHECK(strstr(nn_graph_error(graph)->text, "outside of its check"));
	nn_graph_destroy(graph);
}

/* ---- What an LCN pushes */

static enum { RIGHT, AS_MANY_AS_SAID, TOO_MANY, NO_END, NOT_ITS_OWN, NOBODY, IN_CHECK, AT_THE_END } how;
static struct nn_node *reader; /* no LCN */
static int pushed; /* what the push returned that is none */

static int push_end(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts, void *opaque)
{
	(void)opaque;
	if (how == AT_THE_END)
		pushed = nn_loopstack_push(nn, node, 1, 1);
	counts->prev_batches += counts->current_batches;
	return 0;
}

static int push_check(struct nn_graph *nn, struct nn_node *self, void *opaque)
{
	(void)opaque;
	if (how == IN_CHECK)
		pushed = nn_loopstack_push(nn, self, 1, 1);
	return nn_node_set_output_view(self, 0, 0) || nn_node_set_max_rows(self, 2) ? -EINVAL : 0;
}

static int push_execute(struct nn_graph *nn, struct nn_node *self, void *opaque)
{
	(void)opaque;
	if (how == NOT_ITS_OWN)
		pushed = nn_loopstack_push(nn, reader, 1, 1);
	if (how == NOBODY)
		pushed = nn_loopstack_push(nn, NULL, 1, 1);
	if (how == NO_END)
		return pushed = nn_loopstack_push_withfunc(nn, self, 1, 1, NULL, NULL);
	if (how == TOO_MANY)
		return pushed = nn_loopstack_push(nn, self, 3, 3);
	return nn_loopstack_push_withfunc(nn, self, how == AS_MANY_AS_SAID ? 2 : 1, 2, push_end, NULL);
}

static int read_check(struct nn_graph *nn, struct nn_node *self, void *opaque)
{
	struct nn_tensor tensor;

	(void)nn;
	(void)opaque;
	reader = self;
	return nn_node_get_input(self, 0, &tensor) || nn_node_set_output(self, 0, &tensor.info, 1) ? -EINVAL : 0;
}

static int read_execute(struct nn_graph *nn, struct nn_node *self, void *opaque)
{
	struct nn_tensor in, out;

	(void)nn;
	(void)opaque;
	if (nn_node_get_input(self, 0, &in) || nn_node_get_output(self, 0, &out))
		return -EINVAL;
	CHECK(in.info.dims[0] == (how == AS_MANY_AS_SAID ? 2 : 1) && out.info.dims[0] == in.info.dims[0] && in.max_rows == 2);
	memcpy(out.data, in.data, in.info.dims[0]);
	return 0;
}

static const struct nn_node_ops push_ops = {
	.name = "Push", .flags = NN_NODE_FLAG_LCN, .check = push_check, .execute = push_execute
};
static const struct nn_node_ops read_ops = { .name = "Read", .check = read_check, .execute = read_execute };

static void test_pushes(void)
{
	/* The error that is said, and of whom; without one the execution is right for all that. */
	static const struct {
		int err;
		const char *says;
	} wanted[] = {
		[RIGHT] = { 0, NULL },
		[AS_MANY_AS_SAID] = { 0, NULL },
		[TOO_MANY] = { -EINVAL, "pushed 3 rows, but declared at most 2 for a pass" },
		[NO_END] = { -EINVAL, "pushed its loop without a loop-end function" },
		[NOT_ITS_OWN] = { 0, "pushed a loop although its execute was not called" },
		[NOBODY] = { 0, NULL },
		[IN_CHECK] = { 0, "pushed a loop although its execute was not called" },
		[AT_THE_END] = { 0, "pushed a loop although its execute was not called" },
	};
	const char *text = "1 Input shape=4,1 type=uint8 scale=1\n2 Push 1:0\n3 Read 2:0\n4 OUTPUT 3:0\n";

	for (how = RIGHT; how <= AT_THE_END; how++) {
		uint8_t data[4] = { 5, 6, 7, 8 }, made[4] = { 0 };
		struct nn_buffer in = { .data = data, .size = 4, .rows = 4 }, out = { .data = made, .size = 4 };
		int err;

		pushed = 0;
		graph = new_graph();
		CHECK(!nn_graph_register_op(graph, &push_ops, NULL) && !nn_graph_register_op(graph, &read_ops, NULL));
		CHECK(!nn_graph_import_text(graph, text, strlen(text)));
		err = nn_graph_prepare(graph, device, NULL);
		if (!err)
			err = nn_graph_execute(graph, &in, 1, &out, 1);
		if (!CHECK(err == wanted[how].err) || (err && !CHECK(strstr(nn_graph_error(graph)->text, wanted[how].says))))
			printf("# %d: %d %s\n", how, err, nn_graph_error(graph)->text);
		CHECK(pushed == (how <= AS_MANY_AS_SAID ? 0 : -EINVAL));
		if (!err)
			CHECK(out.rows == (how == AS_MANY_AS_SAID ? 2u : 1u) && made[0] == 5 &&
			      made[1] == (how == AS_MANY_AS_SAID ? 6 : 0));
		nn_graph_destroy(graph);
	}
}

/* ---- Questions about a plan */

static void test_questions(void)
{
	struct nn_plan_node node;
	struct nn_plan_info plan;
	struct nn_tensor_info info;
	struct nn_input source;

	graph = make_graph("1 Input shape=0,4 type=int8 scale=1\n2 Const shape=4,4 type=int8 scale=1\n"
			   "3 Copy 1:0 name=first\n4 BatchLoop 3:0 step=2\n"
			   "5 FullyConnected 4:0 2:0 0:0 type=int8 scale=2\n6 OUTPUT 5:0 3:0\n");
	CHECK(nn_graph_get_plan_node(graph, 0, &node) == -EINVAL);
	CHECK(nn_graph_get_plan_input(graph, 0, 0, &source) == -EINVAL);
	CHECK(nn_graph_get_plan_output(graph, 0, 0, &info) == -EINVAL);
	CHECK(nn_graph_get_plan_sink(graph, 0, &source) == -EINVAL);
	CHECK(nn_graph_get_output_count(graph) == 2 && nn_graph_get_input_count(graph) == 1);
	if (!CHECK(!nn_graph_prepare(graph, device, NULL)))
		printf("# %s\n", nn_graph_error(graph)->text);
	CHECK(!nn_graph_get_plan(graph, &plan) && plan.sink_count == 1 && plan.partition_count == 2);
	CHECK(nn_graph_get_output_count(graph) == 2);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		CHECK(!nn_graph_get_plan_node(graph, i, &node));
		if (node.id == 3)
			CHECK(!strcmp(node.op, "Copy") && !strcmp(node.name, "first") && node.partition == 0 &&
			      node.input_count == 1 && node.output_count == 1 && node.flags == NN_NODE_FLAG_VIEW);
		if (node.id == 4)
			CHECK(node.partition == 1 && node.flags == (NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC));
		if (node.id == 5) {
			CHECK(node.partition == 1 && node.input_count == 3);
			CHECK(!nn_graph_get_plan_input(graph, i, 0, &source) && source.src_id == 4 && !source.output_idx);
			CHECK(!nn_graph_get_plan_input(graph, i, 1, &source) && source.src_id == 2);
			CHECK(!nn_graph_get_plan_input(graph, i, 2, &source) && !source.src_id);
			CHECK(nn_graph_get_plan_input(graph, i, 3, &source) == -ENOENT);
			CHECK(!nn_graph_get_plan_output(graph, i, 0, &info) && info.scale == 2 && info.level == 1);
			CHECK(nn_graph_get_plan_output(graph, i, 1, &info) == -ENOENT);
		}
	}
	CHECK(nn_graph_get_plan_node(graph, plan.node_count, &node) == -ENOENT);
	CHECK(nn_graph_get_plan_input(graph, plan.node_count, 0, &source) == -ENOENT);
	CHECK(nn_graph_get_plan_output(graph, plan.node_count, 0, &info) == -ENOENT);
	CHECK(!nn_graph_get_plan_sink(graph, 0, &source) && source.src_id == 3);
	CHECK(nn_graph_get_plan_sink(graph, 1, &source) == -ENOENT);
	nn_graph_destroy(graph);

	/* Without a loop there is no sink. */
	graph = make_graph("1 Input shape=0,4 type=int8 scale=1\n2 Relu 1:0\n3 OUTPUT 2:0\n");
	CHECK(!nn_graph_prepare(graph, device, NULL) && !nn_graph_get_plan(graph, &plan));
	CHECK(plan.node_count == 3 && !plan.sink_count && !plan.sink_id && plan.partition_count == 1);
	CHECK(nn_graph_get_plan_sink(graph, 0, &source) == -ENOENT);
	nn_graph_destroy(graph);
	graph = new_graph();
	CHECK(!nn_graph_get_output_count(graph) && !nn_graph_get_input_count(graph));
	nn_graph_destroy(graph);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("tensors", test_tensors);
	tap_run("bytes of a tensor", test_tensor_bytes);
	tap_run("descriptions", test_descriptions);
	tap_run("types of attributes", test_attributes);
	tap_run("shapes that are described", test_described_shapes);
	tap_run("what a check says", test_set_output);
	tap_run("what is said too late", test_too_late);
	tap_run("what an LCN pushes", test_pushes);
	tap_run("questions about a plan", test_questions);
	nn_device_close(device);
	return tap_end();
}
