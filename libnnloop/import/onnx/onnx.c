// SPDX-License-Identifier: MIT
/*
 * nn_graph_import_onnx(): the walk over a model.
 *
 * ONNX lists nodes so that each comes after those it reads. Every name is given a value as the walk
 * meets it; what was never given one when it is read is an error, so a cycle cannot get far.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "onnx.h"

#define MAX_IR_VERSION 20 /* later ones may mean things that nobody knows yet */

/* ---- Steps ---- */

static int count_steps(struct onnx_import *import, const Onnx__GraphProto *graph, bool inner)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		const Onnx__NodeProto *node = graph->node[i];
		const Onnx__GraphProto *body;
		int err;

		if (!node->op_type || !*node->op_type)
			return onnx_fail(import, -EINVAL, "node %zu of %s has no operator", i,
					 inner ? "a Loop" : "the model");
		import->step_count++;
		body = onnx_loop_body(node);
		if (!body)
			continue;
		import->node = node;
		if (inner)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it is inside of another Loop; nnloop imports one level of them");
		err = count_steps(import, body, true);
		if (err)
			return err;
		import->node = NULL;
		import->step_count++;
	}
	return 0;
}

static void add_steps(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		const Onnx__NodeProto *node = graph->node[i];
		const Onnx__GraphProto *body = onnx_loop_body(node);
		struct onnx_step *step = &import->steps[import->step_count++];

		*step = (struct onnx_step) { node, body ? ONNX_LOOP_BEGIN : ONNX_NODE };
		if (!body)
			continue;
		add_steps(import, body);
		import->steps[import->step_count++] = (struct onnx_step) { node, ONNX_LOOP_END };
	}
}

/* One list of all nodes: a Loop's body stands where the Loop does. */
static int list_steps(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	int err = count_steps(import, graph, false);

	if (err)
		return err;
	import->steps = onnx_alloc(import, import->step_count, sizeof(*import->steps));
	if (!import->steps)
		return -ENOMEM;
	import->step_count = 0;
	add_steps(import, graph);
	return 0;
}

/* ---- Names ---- */

static int compare_values(const void *a, const void *b)
{
	return strcmp(((const struct onnx_value *)a)->name, ((const struct onnx_value *)b)->name);
}

static void add_name(struct onnx_import *import, const char *name)
{
	if (name && *name)
		import->values[import->value_count++].name = name;
}

/* Called for the model's graph and for that of each Loop. */
typedef int (*graph_fp)(struct onnx_import *import, const Onnx__GraphProto *graph);

static int for_each_graph(struct onnx_import *import, graph_fp function)
{
	int err = function(import, import->model->graph);

	for (uint32_t i = 0; i < import->step_count && !err; i++) {
		if (import->steps[i].kind == ONNX_LOOP_BEGIN)
			err = function(import, onnx_loop_body(import->steps[i].node));
	}
	return err;
}

static int count_names(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	import->value_count += graph->n_initializer + graph->n_input;
	return 0;
}

static int add_graph_names(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_initializer; i++)
		add_name(import, graph->initializer[i]->name);
	/* Before version 4 of the format, initializers are listed among the inputs. */
	for (size_t i = 0; i < graph->n_input; i++)
		add_name(import, graph->input[i]->name);
	return 0;
}

static int index_names(struct onnx_import *import)
{
	uint32_t kept = 0;
	size_t count;

	for_each_graph(import, count_names);
	count = import->value_count;
	for (uint32_t i = 0; i < import->step_count; i++)
		count += import->steps[i].node->n_output;
	import->value_count = 0;
	import->values = onnx_alloc(import, count, sizeof(*import->values));
	if (!import->values)
		return -ENOMEM;
	for_each_graph(import, add_graph_names);
	qsort(import->values, import->value_count, sizeof(*import->values), compare_values);
	for (uint32_t i = 0; i < import->value_count; i++) {
		if (!kept || strcmp(import->values[kept - 1].name, import->values[i].name))
			import->values[kept++].name = import->values[i].name;
	}
	import->value_count = kept;
	for (uint32_t i = 0; i < import->step_count; i++) {
		const struct onnx_step *step = &import->steps[i];

		for (size_t k = 0; step->kind != ONNX_LOOP_BEGIN && k < step->node->n_output; k++)
			add_name(import, step->node->output[k]);
	}
	qsort(import->values, import->value_count, sizeof(*import->values), compare_values);
	for (uint32_t i = 1; i < import->value_count; i++) {
		if (!strcmp(import->values[i - 1].name, import->values[i].name))
			return onnx_fail(import, -EINVAL, "the model defines %s twice",
					 onnx_quote(import, import->values[i].name));
	}
	return 0;
}

/* Which nodes read a name. */
static int index_users(struct onnx_import *import)
{
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; fill && i < import->value_count; i++) {
			struct onnx_value *value = &import->values[i];

			value->users = onnx_alloc(import, value->user_count, sizeof(*value->users));
			if (!value->users)
				return -ENOMEM;
			value->user_count = 0;
		}
		for (uint32_t i = 0; i < import->step_count; i++) {
			const Onnx__NodeProto *node = import->steps[i].node;

			if (import->steps[i].kind == ONNX_LOOP_END)
				continue;
			for (size_t k = 0; k < node->n_input; k++) {
				struct onnx_value *value = onnx_find(import, node->input[k]);

				if (!value)
					continue;
				if (fill)
					value->users[value->user_count] = i;
				value->user_count++;
			}
		}
	}
	return 0;
}

/* ---- Inputs ---- */

static bool is_initializer(struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	const struct onnx_value *value = onnx_find(import, input->name);

	return value && value->kind == ONNX_CONST;
}

static const Onnx__TypeProto__Tensor *tensor_type(const Onnx__ValueInfoProto *info)
{
	return info->type && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ?
		       info->type->tensor_type :
		       NULL;
}

/* A dimension of 1 up front is most exporters' idea of a batch that was not asked for. */
static bool one_is_batch(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	bool any = false;

	for (size_t i = 0; i < graph->n_input; i++) {
		const Onnx__TypeProto__Tensor *type = tensor_type(graph->input[i]);
		const Onnx__TensorShapeProto *shape = type ? type->shape : NULL;

		if (is_initializer(import, graph->input[i]))
			continue;
		if (!shape || shape->n_dim < 2 ||
		    shape->dim[0]->value_case !=
			    ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ||
		    shape->dim[0]->dim_value != 1)
			return false;
		any = true;
	}
	return any;
}

static int read_shape(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      struct onnx_value *value)
{
	const Onnx__TensorShapeProto *shape = tensor_type(input)->shape;
	const char *name = onnx_quote(import, input->name);
	uint64_t elements;

	if (!shape || !shape->n_dim || shape->n_dim > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP,
				 "input %s has no shape, or not 1 to %d dimensions", name,
				 NN_MAX_RANK);
	value->rank = shape->n_dim;
	for (size_t i = 0; i < shape->n_dim; i++) {
		bool known = shape->dim[i]->value_case ==
				     ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
			     shape->dim[i]->dim_value > 0;

		if (i == 0 && (!known || import->one_is_batch)) {
			value->dims[0] = ONNX_ROWS;
			continue;
		}
		if (!known)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"dimension %zu of input %s is not known; only the first may vary",
				i, name);
		if (shape->dim[i]->dim_value > INT32_MAX)
			return onnx_fail(import, -EINVAL, "dimension %zu of input %s is %" PRId64,
					 i, name, shape->dim[i]->dim_value);
		value->dims[i] = shape->dim[i]->dim_value;
	}
	if (onnx_item_elements(import, value->rank, value->dims, &elements))
		return onnx_fail(import, -EOPNOTSUPP,
				 "one item of input %s has more than 2^31 elements", name);
	return 0;
}

static int import_input(struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	struct onnx_value *value = onnx_find(import, input->name);
	const Onnx__TypeProto__Tensor *type = tensor_type(input);
	struct nn_tensor_info info = { .name = input->name };
	struct nn_node_desc node = {
		.id = import->next_id,
		.op = "Input",
		.name = input->name,
		.outputs = &info,
		.output_count = 1,
	};
	enum nn_data_type element;
	int err;

	if (!value)
		return onnx_fail(import, -EINVAL, "an input of the model has no name");
	if (!type)
		return onnx_fail(import, -EOPNOTSUPP, "input %s is no tensor",
				 onnx_quote(import, input->name));
	if (value->kind != ONNX_UNDEFINED)
		return onnx_fail(import, -EINVAL, "the model has two inputs named %s",
				 onnx_quote(import, input->name));
	element = onnx_to_nn_type(type->elem_type);
	if (element != NN_INT8 && element != NN_UINT8 && element != NN_INT32 &&
	    element != NN_FLOAT32)
		return onnx_fail(import, -EOPNOTSUPP,
				 "input %s is of %s; nnloop knows int8, uint8, int32 and quantized float",
				 onnx_quote(import, input->name), onnx_type_name(type->elem_type));
	err = read_shape(import, input, value);
	if (!err)
		err = onnx_find_quant(import, value, element != NN_FLOAT32,
				      element == NN_FLOAT32 ? 0 : element, &value->stored.quant);
	if (err)
		return err;
	if (value->stored.quant.scales)
		return onnx_fail(import, -EOPNOTSUPP, "input %s has one scale per index of an axis",
				 onnx_quote(import, input->name));
	value->kind = element == NN_FLOAT32 ? ONNX_REAL : ONNX_STORED;
	value->unrounded = element == NN_FLOAT32;
	value->stored.source = (struct nn_input) { .src_id = import->next_id };
	info.type = value->stored.quant.type;
	info.scale = value->stored.quant.scale;
	info.zero_point = value->stored.quant.zero_point;
	info.rank = value->rank;
	memcpy(info.dims, value->dims, sizeof(info.dims));
	import->next_id++;
	return nn_graph_append_locked(import->graph, &node);
}

static int import_initializers(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	if (graph->n_sparse_initializer)
		return onnx_fail(import, -EOPNOTSUPP, "the model has sparse constants");
	for (size_t i = 0; i < graph->n_initializer; i++) {
		struct onnx_value *value = onnx_find(import, graph->initializer[i]->name);
		int err;

		if (!value)
			return onnx_fail(import, -EINVAL, "a constant of the model has no name");
		if (value->kind != ONNX_UNDEFINED)
			return onnx_fail(import, -EINVAL, "the model defines %s twice",
					 onnx_quote(import, value->name));
		err = onnx_const_read(import, graph->initializer[i], &value->constant);
		if (err)
			return err;
		value->kind = ONNX_CONST;
		value->rank = value->constant.rank;
		memcpy(value->dims, value->constant.dims, sizeof(value->dims));
	}
	return 0;
}

static bool is_constant(const Onnx__NodeProto *node)
{
	return !strcmp(node->op_type, "Constant");
}

/* Constant nodes read nothing, and the scales that inputs look ahead for may be among them. */
static int import_constants(struct onnx_import *import)
{
	int err = 0;

	for (uint32_t i = 0; i < import->step_count && !err; i++) {
		import->node = import->steps[i].node;
		if (is_constant(import->node))
			err = onnx_lower_node(import);
	}
	if (!err)
		import->node = NULL;
	return err;
}

/* ---- Nodes and outputs ---- */

static int check_inputs(struct onnx_import *import, bool *in_loop)
{
	for (size_t k = 0; k < import->node->n_input; k++) {
		const char *name = import->node->input[k];
		const struct onnx_value *value = onnx_find(import, name);

		if (!*name)
			continue;
		if (!value)
			return onnx_fail(import, -EINVAL, "its input %s is nowhere in the model",
					 onnx_quote(import, name));
		if (value->kind == ONNX_UNDEFINED)
			return onnx_fail(import, -EINVAL,
					 "its input %s is made by a node that comes later, "
					 "or is an output that nnloop does not make",
					 onnx_quote(import, name));
		*in_loop |= value->in_loop;
	}
	return 0;
}

static int import_step(struct onnx_import *import, const struct onnx_step *step)
{
	bool in_loop = false;
	int err;

	import->node = step->node;
	if (is_constant(step->node))
		return 0;
	import->result = step->node->n_output ? step->node->output[0] : NULL;
	if (step->kind == ONNX_LOOP_END)
		return onnx_end_scan(import);
	err = check_inputs(import, &in_loop);
	if (err)
		return err;
	if (step->kind == ONNX_LOOP_BEGIN)
		return onnx_begin_scan(import);
	err = onnx_lower_node(import);
	for (uint32_t i = 0; in_loop && i < step->node->n_output; i++) {
		struct onnx_value *value = onnx_output(import, i);

		if (value)
			value->in_loop = true;
	}
	return err;
}

static int import_nodes(struct onnx_import *import)
{
	for (uint32_t i = 0; i < import->step_count; i++) {
		int err = import_step(import, &import->steps[i]);

		if (err)
			return err;
	}
	import->node = NULL;
	return 0;
}

static int import_outputs(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	struct nn_input *sources = onnx_alloc(import, graph->n_output, sizeof(*sources));
	struct nn_node_desc node = {
		.op = "OUTPUT",
		.inputs = sources,
		.input_count = graph->n_output,
	};

	if (!sources)
		return -ENOMEM;
	if (!graph->n_output)
		return onnx_fail(import, -EINVAL, "the model has no outputs");
	for (size_t i = 0; i < graph->n_output; i++) {
		const struct onnx_value *value = onnx_find(import, graph->output[i]->name);
		const char *name = onnx_quote(import, graph->output[i]->name);
		struct onnx_stored stored;
		int err;

		if (!value || value->kind == ONNX_UNDEFINED)
			return onnx_fail(import, -EINVAL,
					 "nothing in the model makes its output %s", name);
		if (value->kind == ONNX_PENDING)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"output %s is computed in float; only quantized models can be run",
				name);
		if (value->kind != ONNX_STORED && (value->kind != ONNX_REAL || value->unrounded))
			return onnx_fail(import, -EOPNOTSUPP,
					 "output %s is a constant or a float input", name);
		err = onnx_in_layout(import, value, ONNX_PLAIN, &stored);
		if (err)
			return err;
		sources[i] = stored.source;
	}
	node.id = import->next_id++;
	return nn_graph_append_locked(import->graph, &node);
}

static int check_versions(struct onnx_import *import)
{
	const Onnx__ModelProto *model = import->model;

	if (!model->graph)
		return onnx_fail(import, -EINVAL, "this is no ONNX model: there is no graph in it");
	if (!model->has_ir_version || model->ir_version < 1)
		return onnx_fail(
			import, -EINVAL,
			"this is no ONNX model: it does not say its version of the format");
	if (model->ir_version > MAX_IR_VERSION)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the model is of version %" PRId64
				 " of the ONNX format, nnloop knows up to %d",
				 model->ir_version, MAX_IR_VERSION);
	if (!model->n_opset_import)
		return onnx_fail(
			import, -EINVAL,
			"this is no ONNX model, or its end is missing: it names no operator set");
	return 0;
}

static int import_model(struct onnx_import *import)
{
	const Onnx__GraphProto *graph = import->model->graph;
	int err;

	err = check_versions(import);
	if (!err)
		err = list_steps(import, graph);
	if (!err)
		err = index_names(import);
	if (!err)
		err = index_users(import);
	if (!err)
		err = for_each_graph(import, import_initializers);
	if (!err)
		err = import_constants(import);
	if (err)
		return err;
	import->one_is_batch = one_is_batch(import, graph);
	for (size_t i = 0; i < graph->n_input; i++) {
		if (is_initializer(import, graph->input[i]))
			continue;
		err = import_input(import, graph->input[i]);
		if (err)
			return err;
	}
	err = import_nodes(import);
	return err ? err : import_outputs(import, graph);
}

int nn_graph_import_onnx(struct nn_graph *graph, const void *data, size_t size)
{
	struct onnx_import import = { .graph = graph,
				      .next_id = 1,
				      .absent = { .kind = ONNX_ABSENT } };
	Onnx__ModelProto *model;
	const char *wrong;
	int err;

	nn_graph_lock(graph);
	if (graph->node_count) {
		err = onnx_fail(&import, -EINVAL,
				"a model can only be imported into an empty graph");
		goto unlock;
	}
	model = onnx_unpack(data, size, &wrong);
	if (!model) {
		err = onnx_fail(&import, -EINVAL, "this is no readable ONNX model: %s", wrong);
		goto unlock;
	}
	import.model = model;
	err = import_model(&import);
	if (err)
		nn_graph_clear(graph);
	nn_pool_free(&import.pool);
	onnx_free(model);
unlock:
	nn_graph_unlock(graph);
	return err;
}
