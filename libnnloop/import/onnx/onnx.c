// SPDX-License-Identifier: MIT
/*
 * nn_graph_import_onnx(): the walk over a model.
 *
 * ONNX lists nodes so that each comes after those it reads. Every name is given a value as the walk
 * meets it; what was never given one when it is read is an error, so a cycle cannot get far.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/import.h"
#include "import/onnx/onnx.h"

#define MAX_IR_VERSION 20 /* later ones may mean things that nobody knows yet */

void onnx_look_at(struct onnx_import *import, const Onnx__NodeProto *node)
{
	import->node = node;
	memset(&import->builder.node, 0, sizeof(import->builder.node));
	if (!node)
		return;
	import->builder.node.op = node->op_type;
	import->builder.node.name = node->name;
	import->builder.node.result = node->n_output ? node->output[0] : NULL;
	if (node->domain && strcmp(node->domain, "ai.onnx"))
		import->builder.node.domain = node->domain;
	import->builder.node.key = node;
}

/* ---- Inputs ---- */

static bool is_initializer(struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	const struct onnx_value *value = onnx_find(import, input->name);

	return value && (value->kind == ONNX_CONST || value->kind == ONNX_REFUSED);
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

/*
 * Whether all inputs have as many items: there is one, or their first dimension has the same name.
 */
static bool one_batch(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	const char *name = NULL;
	uint32_t count = 0;
	bool same = true;

	for (size_t i = 0; i < graph->n_input; i++) {
		const Onnx__TypeProto__Tensor *type = tensor_type(graph->input[i]);
		const Onnx__TensorShapeProto *shape = type ? type->shape : NULL;
		const char *dim;

		if (is_initializer(import, graph->input[i]))
			continue;
		dim = shape && shape->n_dim &&
				      shape->dim[0]->value_case ==
					      ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM ?
			      shape->dim[0]->dim_param :
			      NULL;
		same &= dim && *dim && (!count || (name && !strcmp(name, dim)));
		name = dim;
		count++;
	}
	return count < 2 || same || import->one_is_batch;
}

static int read_shape(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      struct onnx_value *value)
{
	const Onnx__TensorShapeProto *shape = tensor_type(input)->shape;
	const char *name = onnx_quote(import, input->name);
	uint64_t elements;

	if (!shape || !shape->n_dim || shape->n_dim > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP,
				 "input %s has no shape, or not 1 to %d dimensions" ONNX_FIX_SHAPES,
				 name, NN_MAX_RANK);
	value->tensor.rank = shape->n_dim;
	for (size_t i = 0; i < shape->n_dim; i++) {
		bool known = shape->dim[i]->value_case ==
				     ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
			     shape->dim[i]->dim_value > 0;

		if (i == 0 && (!known || import->one_is_batch)) {
			value->tensor.dims[0] = NN_ROWS;
			continue;
		}
		if (!known)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"dimension %zu of input %s is not known; only the first may vary"
				ONNX_FIX_SHAPES,
				i, name);
		if (shape->dim[i]->dim_value > INT32_MAX)
			return onnx_fail(import, -EINVAL, "dimension %zu of input %s is %" PRId64,
					 i, name, shape->dim[i]->dim_value);
		value->tensor.dims[i] = shape->dim[i]->dim_value;
	}
	if (nn_item_elements(&import->builder, value->tensor.rank, value->tensor.dims, &elements))
		return onnx_fail(import, -EOPNOTSUPP,
				 "one item of input %s has more than 2^31 elements", name);
	return 0;
}

static int read_input(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      struct onnx_value *value)
{
	const Onnx__TypeProto__Tensor *type = tensor_type(input);
	enum nn_element element;
	enum nn_data_type integers;
	int err;

	if (!value)
		return onnx_fail(import, -EINVAL, "an input of the model has no name");
	if (!type)
		return onnx_fail(import, -EOPNOTSUPP, "input %s is no tensor",
				 onnx_quote(import, input->name));
	if (value->kind != ONNX_UNDEFINED)
		return onnx_fail(import, -EINVAL, "the model has two inputs named %s",
				 onnx_quote(import, input->name));
	element = onnx_to_element(type->elem_type);
	integers = element == NN_ELEMENT_FLOAT ? 0 : nn_element_to_type(element);
	if (!nn_type_is_8bit(integers) && integers != NN_INT32 && integers != NN_INT64 &&
	    integers != NN_BOOL && element != NN_ELEMENT_FLOAT)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"input %s is of %s; nnloop knows int8, uint8, int32, int64, bool and quantized float"
			ONNX_8_BITS,
			onnx_quote(import, input->name), nn_element_name(element));
	err = read_shape(import, input, value);
	if (!err)
		err = onnx_find_quant(import, value, integers, integers, &value->tensor.quant);
	if (err)
		return err;
	if (!integers && import->in_float)
		value->tensor.quant = (struct nn_quant){ .type = NN_FLOAT32 };
	value->kind = integers ? ONNX_STORED : ONNX_REAL;
	value->unrounded = !integers;
	return nn_build_input(&import->builder, &value->tensor);
}

static int import_input(struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	struct onnx_value *value = onnx_find(import, input->name);
	int err = read_input(import, input, value);

	return value ? onnx_note_value(import, value, err) : err;
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
					 onnx_quote(import, value->tensor.name));
		err = onnx_const_read(import, graph->initializer[i], &value->constant);
		if (!err)
			value->kind = ONNX_CONST;
		err = onnx_note_value(import, value, err);
		if (err)
			return err;
		value->tensor.rank = value->constant.rank;
		memcpy(value->tensor.dims, value->constant.dims, sizeof(value->tensor.dims));
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
		struct onnx_step *step = &import->steps[i];

		onnx_look_at(import, step->node);
		if (is_constant(step->node) && !step->refused)
			err = onnx_note_step(import, step, onnx_lower_node(import));
	}
	if (!err)
		onnx_look_at(import, NULL);
	return err;
}

/* ---- Nodes and outputs ---- */

/* Checks the inputs, also whether any is refused. */
static int check_inputs(struct onnx_import *import, bool *in_loop)
{
	bool refused = false;

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
					 "inside of a Loop, or is an output that nnloop does not make",
					 onnx_quote(import, name));
		*in_loop |= value->in_loop;
		refused |= value->kind == ONNX_REFUSED;
	}
	return refused ? onnx_follow(import) : 0;
}

static int import_step(struct onnx_import *import, struct onnx_step *step)
{
	bool in_loop = false;
	int err;

	onnx_look_at(import, step->node);
	if (is_constant(step->node) || step->refused)
		return 0;
	import->builder.result = step->node->n_output ? step->node->output[0] : NULL;
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
		struct onnx_step *step = &import->steps[i];
		int err = onnx_note_step(import, step, import_step(import, step));

		if (err)
			return err;
	}
	onnx_look_at(import, NULL);
	return 0;
}

static int check_output(struct onnx_import *import, const struct onnx_value *value,
			const char *name)
{
	if (!value || value->kind == ONNX_UNDEFINED)
		return onnx_fail(import, -EINVAL, "nothing in the model makes its output %s", name);
	if (value->kind == ONNX_REFUSED)
		return onnx_follow(import);
	if (value->kind == ONNX_PENDING || value->promised)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"output %s is computed in float; only quantized models can be run"
			ONNX_QUANTIZE,
			name);
	if (!onnx_is_tensor(value) || value->unrounded)
		return onnx_fail(import, -EOPNOTSUPP, "output %s is a constant or a float input",
				 name);
	return 0;
}

static int import_outputs(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	struct nn_build_tensor *outputs = onnx_alloc(import, graph->n_output, sizeof(*outputs));

	if (!outputs)
		return -ENOMEM;
	if (!graph->n_output)
		return onnx_fail(import, -EINVAL, "the model has no outputs");
	for (size_t i = 0; i < graph->n_output; i++) {
		struct onnx_value *value = onnx_find(import, graph->output[i]->name);
		int err = check_output(import, value, onnx_quote(import, graph->output[i]->name));

		if (value)
			err = onnx_note_value(import, value, err);
		if (err)
			return err;
		outputs[i] = value->tensor;
	}
	/* A refused one has no tensor. */
	if (import->builder.refusals.count)
		return 0;
	return nn_build_graph_outputs(&import->builder, outputs, graph->n_output);
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
		err = onnx_index(import);
	if (!err)
		err = onnx_check_nodes(import);
	if (!err)
		err = onnx_for_each_graph(import, import_initializers);
	if (!err)
		err = import_constants(import);
	if (err)
		return err;
	import->had_one = one_is_batch(import, graph);
	import->one_is_batch = import->had_one && !import->whole;
	import->one_batch = one_batch(import, graph);
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

/* A Loop is two steps. */
static uint32_t count_nodes(const struct onnx_import *import)
{
	uint32_t count = 0;

	for (uint32_t i = 0; import->steps && i < import->step_count; i++)
		count += import->steps[i].kind != ONNX_LOOP_END;
	return count;
}

/* How a model is imported, and what that says of other ways. */
struct way {
	bool whole; /* its first dimension is taken as one that is fixed */
	bool in_float; /* the graph's inputs are of float32, to be quantized in several ways */
	bool may_be_whole, may_be_in_float;
};

static int import_as(struct nn_graph *graph, const Onnx__ModelProto *model, const void *data,
		     size_t size, struct way *way)
{
	struct onnx_import import = {
		.builder = { .graph = graph,
			     .next_id = 1,
			     .channels_first = true,
			     .manual = "docs/onnx.md says what each operator can do" },
		.model = model,
		.file = data,
		.file_size = size,
		.whole = way->whole,
		.in_float = way->in_float,
		.absent = { .kind = ONNX_ABSENT },
	};
	int err = import_model(&import);

	way->may_be_whole = import.had_one;
	way->may_be_in_float = import.needs_float;
	return nn_builder_end(&import.builder, err, count_nodes(&import));
}

/* The same where parts of its inputs are quantized each in a way of its own. */
static int import_quantized(struct nn_graph *graph, const Onnx__ModelProto *model,
			    const void *data, size_t size, struct way *way)
{
	int err = import_as(graph, model, data, size, way);
	struct way in_float = { .whole = way->whole, .in_float = true };

	if (err != -EOPNOTSUPP || !way->may_be_in_float)
		return err;
	nn_graph_clear_errors(graph);
	if (!import_as(graph, model, data, size, &in_float))
		return 0;
	nn_graph_clear_errors(graph);
	return import_as(graph, model, data, size, way);
}

/* A model for one item that cannot run for any number of them may run for one. */
static int import_either(struct nn_graph *graph, const Onnx__ModelProto *model, const void *data,
			 size_t size)
{
	struct way way = { 0 }, whole = { .whole = true };
	int err = import_quantized(graph, model, data, size, &way);

	if (err != -EOPNOTSUPP || !way.may_be_whole)
		return err;
	nn_graph_clear_errors(graph);
	if (!import_quantized(graph, model, data, size, &whole))
		return 0;
	nn_graph_clear_errors(graph);
	return import_as(graph, model, data, size, &way);
}

int nn_import_onnx(struct nn_graph *graph, const void *data, size_t size)
{
	struct nn_builder builder = { .graph = graph };
	Onnx__ModelProto *model;
	const char *wrong;
	int err;

	if (graph->node_count)
		return nn_builder_fail(&builder, -EINVAL,
				       "a model can only be imported into an empty graph");
	model = onnx_unpack(data, size, &wrong);
	if (!model)
		return wrong ? nn_builder_fail(&builder, -EINVAL,
					       "this is no readable ONNX model: %s", wrong) :
			       nn_graph_no_memory(graph);
	err = import_either(graph, model, data, size);
	onnx_free(model);
	return err;
}
