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

static int index_names(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	size_t count = graph->n_initializer + graph->n_input;
	uint32_t kept = 0;

	for (size_t i = 0; i < graph->n_node; i++)
		count += graph->node[i]->n_output;
	import->values = onnx_alloc(import, count, sizeof(*import->values));
	if (!import->values)
		return -ENOMEM;
	for (size_t i = 0; i < graph->n_initializer; i++)
		add_name(import, graph->initializer[i]->name);
	/* Before version 4 of the format, initializers are listed among the inputs. */
	for (size_t i = 0; i < graph->n_input; i++)
		add_name(import, graph->input[i]->name);
	count = import->value_count;
	qsort(import->values, import->value_count, sizeof(*import->values), compare_values);
	for (uint32_t i = 0; i < import->value_count; i++) {
		if (!kept || strcmp(import->values[kept - 1].name, import->values[i].name))
			import->values[kept++].name = import->values[i].name;
	}
	import->value_count = kept;
	for (size_t i = 0; i < graph->n_node; i++) {
		for (size_t k = 0; k < graph->node[i]->n_output; k++)
			add_name(import, graph->node[i]->output[k]);
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
static int index_users(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; fill && i < import->value_count; i++) {
			struct onnx_value *value = &import->values[i];

			value->users = onnx_alloc(import, value->user_count, sizeof(*value->users));
			if (!value->users)
				return -ENOMEM;
			value->user_count = 0;
		}
		for (size_t i = 0; i < graph->n_node; i++) {
			for (size_t k = 0; k < graph->node[i]->n_input; k++) {
				struct onnx_value *value = onnx_find(import,
								     graph->node[i]->input[k]);

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
static int import_constants(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	int err = 0;

	for (size_t i = 0; i < graph->n_node && !err; i++) {
		import->node = graph->node[i];
		if (is_constant(import->node))
			err = onnx_lower_node(import);
	}
	if (!err)
		import->node = NULL;
	return err;
}

/* ---- Nodes and outputs ---- */

static int import_nodes(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		int err;

		import->node = graph->node[i];
		if (is_constant(import->node))
			continue;
		import->result = import->node->n_output ? import->node->output[0] : NULL;
		for (size_t k = 0; k < import->node->n_input; k++) {
			const char *name = import->node->input[k];
			const struct onnx_value *value = onnx_find(import, name);

			if (!*name)
				continue;
			if (!value)
				return onnx_fail(import, -EINVAL,
						 "its input %s is nowhere in the model",
						 onnx_quote(import, name));
			if (value->kind == ONNX_UNDEFINED)
				return onnx_fail(import, -EINVAL,
						 "its input %s is made by a node that comes later, "
						 "or is an output that nnloop does not make",
						 onnx_quote(import, name));
		}
		err = onnx_lower_node(import);
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
	for (size_t i = 0; i < model->graph->n_node; i++) {
		if (!model->graph->node[i]->op_type || !*model->graph->node[i]->op_type)
			return onnx_fail(import, -EINVAL, "node %zu of the model has no operator",
					 i);
	}
	return 0;
}

static int import_model(struct onnx_import *import)
{
	const Onnx__GraphProto *graph = import->model->graph;
	int err;

	err = check_versions(import);
	if (!err)
		err = index_names(import, graph);
	if (!err)
		err = index_users(import, graph);
	if (!err)
		err = import_initializers(import, graph);
	if (!err)
		err = import_constants(import, graph);
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
	err = import_nodes(import, graph);
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
