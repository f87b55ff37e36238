// SPDX-License-Identifier: MIT
/*
 * Brings a model of opset 7 to 12 to opset 13, the first in which weights have a scale for each
 * channel: what was an attribute and is an input now, and what was renamed.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "quantize/quantizer.h"

#define FIRST_OPSET 7
#define SHOWN 60 /* characters of names in messages */

struct raising {
	struct nn_quantizer *quantizer;
	struct nn_pool *pool;
	Onnx__GraphProto *graph;
	struct quantizer_list constants;
	int64_t opset;
	size_t *ranks;	/* of what each softmax makes; 0: nobody knows */
};

static int fail_node(struct raising *raising, const Onnx__NodeProto *node, const char *what)
{
	char op[SHOWN + 8], name[SHOWN + 8];

	nn_error_quote(op, SHOWN, node->op_type);
	nn_error_quote(name, SHOWN, node->n_output ? node->output[0] : "");
	return quantizer_fail(raising->quantizer, -EOPNOTSUPP,
			      "%s, which makes %s: %s; export the model with opset %d or later", op,
			      name, what, QUANTIZER_OPSET);
}

/* A new name for a node's input that was an attribute. */
static char *name_input(struct raising *raising, const Onnx__NodeProto *node, const char *attribute)
{
	char *behind = nn_pool_alloc(raising->pool, strlen(attribute) + 2);

	if (!behind)
		return NULL;
	*behind = '_';
	strcpy(behind + 1, attribute);
	return quantizer_new_name(raising->quantizer, raising->pool, node->output[0], behind);
}

/* Sets input `at` of a node, with none in between. */
static int set_input(struct raising *raising, Onnx__NodeProto *node, size_t at, char *name)
{
	static char none[1] = "";
	char **inputs = nn_pool_array(raising->pool, at + 1 > node->n_input ? at + 1 : node->n_input,
				      sizeof(*inputs));

	if (!inputs || !name)
		return quantizer_no_memory(raising->quantizer);
	for (size_t i = 0; i < node->n_input; i++)
		inputs[i] = node->input[i];
	for (size_t i = node->n_input; i < at; i++)
		inputs[i] = none;
	inputs[at] = name;
	if (node->n_input < at + 1)
		node->n_input = at + 1;
	node->input = inputs;
	return 0;
}

static void drop_attribute(Onnx__NodeProto *node, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < node->n_attribute; i++) {
		if (strcmp(node->attribute[i]->name, name))
			node->attribute[kept++] = node->attribute[i];
	}
	node->n_attribute = kept;
}

/* A list of integers, or one float, becomes an input; one that is absent does not. */
static int move(struct raising *raising, Onnx__NodeProto *node, const char *attribute, size_t at)
{
	const Onnx__AttributeProto *from = quantizer_attribute(node, attribute);
	Onnx__TensorProto *constant;
	int64_t count;
	char *name;
	bool is_list;

	if (!from)
		return 0;
	name = name_input(raising, node, attribute);
	if (!name)
		return quantizer_no_memory(raising->quantizer);
	is_list = from->n_ints;
	count = from->n_ints;
	constant = quantizer_constant_new(raising->pool, name,
					  is_list ? ONNX__TENSOR_PROTO__DATA_TYPE__INT64 :
						    ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT,
					  is_list, &count, is_list ? (const void *)from->ints : &from->f);
	if (!constant || !quantizer_push(raising->pool, &raising->constants, constant))
		return quantizer_no_memory(raising->quantizer);
	drop_attribute(node, attribute);
	return set_input(raising, node, at, name);
}

static int add_attribute(struct raising *raising, Onnx__NodeProto *node, const char *name,
			 const char *string, int64_t number)
{
	struct quantizer_list list = { (void **)node->attribute, node->n_attribute, node->n_attribute };
	Onnx__AttributeProto *attribute = nn_pool_alloc(raising->pool, sizeof(*attribute));

	if (!attribute)
		return quantizer_no_memory(raising->quantizer);
	onnx__attribute_proto__init(attribute);
	attribute->name = nn_pool_string(raising->pool, name);
	attribute->has_type = true;
	attribute->type = string ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING :
				   ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	attribute->has_i = !string;
	attribute->i = number;
	attribute->has_s = !!string;
	if (string) {
		attribute->s.data = (uint8_t *)nn_pool_string(raising->pool, string);
		attribute->s.len = strlen(string);
	}
	if (!attribute->name || (string && !attribute->s.data) ||
	    !quantizer_push(raising->pool, &list, attribute))
		return quantizer_no_memory(raising->quantizer);
	node->attribute = (Onnx__AttributeProto **)list.items;
	node->n_attribute = list.count;
	return 0;
}

/* Dimensions of a tensor that the float model makes; 0: nobody knows. */
static size_t measure_rank(struct nn_quantizer *quantizer, char *name)
{
	Onnx__ValueInfoProto info, *output = &info;
	Onnx__ModelProto model = *quantizer->model;
	Onnx__GraphProto graph = *model.graph;
	struct quantizer_run run;
	size_t rank = 0;

	onnx__value_info_proto__init(&info);
	info.name = name;
	graph.output = &output;
	graph.n_output = 1;
	model.graph = &graph;
	if (!quantizer_run_model(quantizer, &model, NULL, 1, &run))
		rank = run.infos[0].rank;
	quantizer_run_close(&run);
	return rank;
}

/* Dimensions of a tensor as the model says; 0: it does not. */
static size_t rank_of(const Onnx__GraphProto *graph, const char *name)
{
	Onnx__ValueInfoProto *const *lists[] = { graph->output, graph->value_info, graph->input };
	const size_t counts[] = { graph->n_output, graph->n_value_info, graph->n_input };

	for (size_t list = 0; list < 3; list++) {
		for (size_t i = 0; i < counts[list]; i++) {
			const Onnx__ValueInfoProto *info = lists[list][i];

			if (!info->name || strcmp(info->name, name) || !info->type ||
			    info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ||
			    !info->type->tensor_type->shape)
				continue;
			return info->type->tensor_type->shape->n_dim;
		}
	}
	return 0;
}

/* Until opset 13 a softmax went over all dimensions from its axis on. */
static int raise_softmax(struct raising *raising, Onnx__NodeProto *node, size_t index)
{
	const Onnx__AttributeProto *axis = quantizer_attribute(node, "axis");
	size_t rank = raising->ranks[index];

	if (axis && axis->i == -1)
		return 0;
	if (!rank || (size_t)(axis ? axis->i : 1) + 1 != rank)
		return fail_node(raising, node, "its axis is not the last dimension");
	return axis ? 0 : add_attribute(raising, node, "axis", NULL, 1);
}

static int raise_resize(struct raising *raising, Onnx__NodeProto *node, char *resize)
{
	int err;

	if (node->n_input != 2)
		return fail_node(raising, node, "its scales are no input");
	node->op_type = resize;
	err = set_input(raising, node, 2, node->input[1]);
	if (!err) {
		static char none[1] = "";

		node->input[1] = none;
		err = add_attribute(raising, node, "coordinate_transformation_mode", "asymmetric", 0);
	}
	return err ? err : add_attribute(raising, node, "nearest_mode", "floor", 0);
}

static bool is_softmax(const Onnx__NodeProto *node)
{
	return quantizer_is_ours(node) && node->n_output &&
	       (!strcmp(node->op_type, "Softmax") || !strcmp(node->op_type, "LogSoftmax") ||
		!strcmp(node->op_type, "Hardmax"));
}

/* Finds the dimensions of each softmax while the model is still what it was. */
static int find_ranks(struct raising *raising)
{
	const Onnx__GraphProto *graph = raising->graph;

	raising->ranks = nn_pool_array(raising->pool, graph->n_node + 1, sizeof(*raising->ranks));
	if (!raising->ranks)
		return quantizer_no_memory(raising->quantizer);
	for (size_t i = 0; i < graph->n_node; i++) {
		if (!is_softmax(graph->node[i]))
			continue;
		raising->ranks[i] = rank_of(graph, graph->node[i]->output[0]);
		if (!raising->ranks[i])
			raising->ranks[i] = measure_rank(raising->quantizer, graph->node[i]->output[0]);
	}
	return 0;
}

static int raise_node(struct raising *raising, Onnx__NodeProto *node, size_t index)
{
	static char identity[] = "Identity", resize[] = "Resize", scatter[] = "ScatterElements";
	const char *op = node->op_type;
	int err = 0;

	if (!quantizer_is_ours(node) || !node->n_output)
		return 0;
	for (size_t i = 0; i < node->n_attribute; i++) {
		if (node->attribute[i]->g)
			return fail_node(raising, node, "it has graphs in it");
	}
	if (is_softmax(node))
		return raise_softmax(raising, node, index);
	if (!strcmp(op, "Squeeze") || !strcmp(op, "Unsqueeze") || !strcmp(op, "ReduceSum"))
		return move(raising, node, "axes", 1);
	if (!strcmp(op, "Split"))
		return move(raising, node, "split", 1);
	if (!strcmp(op, "Dropout")) {
		if (node->n_output > 1 && *node->output[1])
			return fail_node(raising, node, "its mask is an output");
		node->op_type = identity;
		node->n_input = node->n_output = 1;
		node->n_attribute = 0;
		return 0;
	}
	if (!strcmp(op, "BatchNormalization") && raising->opset < 9) {
		if (!quantizer_attribute_int(node, "spatial", 1))
			return fail_node(raising, node, "it is not spatial");
		drop_attribute(node, "spatial");
	}
	if (raising->opset < 11) {
		if (!strcmp(op, "Clip"))
			err = move(raising, node, "min", 1);
		if (!strcmp(op, "Clip"))
			return err ? err : move(raising, node, "max", 2);
		if (!strcmp(op, "Pad")) {
			err = move(raising, node, "pads", 1);
			return err ? err : move(raising, node, "value", 2);
		}
		if (!strcmp(op, "Upsample") || !strcmp(op, "Resize"))
			return raise_resize(raising, node, resize);
		if (!strcmp(op, "Scatter"))
			node->op_type = scatter;
	}
	if (raising->opset < 10 && !strcmp(op, "Slice")) {
		err = move(raising, node, "starts", 1);
		if (!err)
			err = move(raising, node, "ends", 2);
		return err ? err : move(raising, node, "axes", 3);
	}
	if (raising->opset < 10 && !strcmp(op, "TopK"))
		return fail_node(raising, node, "its K is an attribute");
	return 0;
}

Onnx__OperatorSetIdProto *quantizer_opset(const struct nn_quantizer *quantizer)
{
	const Onnx__ModelProto *model = quantizer->model;
	Onnx__OperatorSetIdProto *own = NULL;

	for (size_t i = 0; i < model->n_opset_import; i++) {
		Onnx__OperatorSetIdProto *opset = model->opset_import[i];

		if (!opset->domain || !*opset->domain || !strcmp(opset->domain, "ai.onnx"))
			own = opset;
	}
	return own;
}

int quantizer_raise_opset(struct nn_quantizer *quantizer)
{
	Onnx__ModelProto *model = quantizer->model;
	struct raising raising = { .quantizer = quantizer, .pool = &quantizer->pool,
				   .graph = model->graph };
	Onnx__OperatorSetIdProto *own = quantizer_opset(quantizer);
	int err = 0;

	if (!own)
		return quantizer_fail(quantizer, -EOPNOTSUPP, "the model has no operators of ONNX's own");
	if (own->version >= QUANTIZER_OPSET)
		return 0;
	if (own->version < FIRST_OPSET)
		return quantizer_fail(quantizer, -EOPNOTSUPP,
				      "the model is of opset %d; export it with opset %d or later",
				      (int)own->version, QUANTIZER_OPSET);
	raising.opset = own->version;
	raising.constants = (struct quantizer_list){ (void **)model->graph->initializer,
						     model->graph->n_initializer,
						     model->graph->n_initializer };
	err = find_ranks(&raising);
	for (size_t i = 0; i < model->graph->n_node && !err; i++)
		err = raise_node(&raising, model->graph->node[i], i);
	model->graph->initializer = (Onnx__TensorProto **)raising.constants.items;
	model->graph->n_initializer = raising.constants.count;
	own->version = QUANTIZER_OPSET;
	return err;
}
