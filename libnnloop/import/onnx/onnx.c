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

#include "import/import.h"
#include "import/onnx/onnx.h"
#include "plan/plan.h"

#define MAX_ROUNDS 32 /* each decides at least one If */
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

/* ---- Constants ---- */

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
	if (!onnx_is_first(step))
		return onnx_end_control(import, step - import->steps);
	err = check_inputs(import, &in_loop);
	if (err)
		return err;
	if (step->kind == ONNX_LOOP_BEGIN)
		return onnx_begin_scan(import);
	if (step->kind == ONNX_BODY_BEGIN)
		return onnx_begin_control(import, step - import->steps);
	err = onnx_lower_node(import);
	if (err && import->apart)
		onnx_note_mixing(import);
	else if (import->apart)
		err = onnx_place_items(import);
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
	if (onnx_has_real(value) || (value->kind == ONNX_REAL && value->promised &&
				     value->tensor.quant.type == NN_FLOAT32))
		return 0;
	if (value->kind == ONNX_PENDING)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"output %s is computed in float by %s, which nnloop has with a quantized "
			"result only\n"
			"quantize its result: op_types_to_quantize and nodes_to_exclude say what "
			"quantize_static() leaves in float",
			name, value->pending->node->op_type);
	if (value->promised)
		return onnx_fail_float(
			import,
			"output %s is computed in float; only quantized models can be run",
			name);
	if (!onnx_is_tensor(value) || value->unrounded)
		return onnx_fail(import, -EOPNOTSUPP, "output %s is a constant or a float input",
				 name);
	return 0;
}

/* Whether the graph is for one number of items, which the model fixes. */
static bool has_no_rows(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_input; i++) {
		const struct onnx_value *input = onnx_find(import, graph->input[i]->name);

		if (onnx_is_tensor(input) && nn_is_rows(input->tensor.dims[0]))
			return false;
	}
	return !import->builder.each_item;
}

/* An output that is the same whatever the inputs are. */
static int build_constant(struct onnx_import *import, const struct onnx_value *value,
			  struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .dims = { 1 } };
	struct nn_const values = value->constant;
	int err = 0;

	if (value->kind == ONNX_REAL_CONST)
		err = onnx_read_floats(import, value, "output", &values);
	if (err)
		return err;
	info.type = nn_element_to_type(values.element);
	if (!info.type || !values.count)
		return onnx_fail(import, -EOPNOTSUPP, "output %s is %s",
				 onnx_quote(import, value->tensor.name),
				 info.type ? "empty" : "of a type that nnloop does not have");
	info.rank = values.rank ? values.rank : 1;
	memcpy(info.dims, values.dims, values.rank * sizeof(*info.dims));
	*out = (struct nn_build_tensor){ .name = value->tensor.name, .rank = info.rank,
					 .quant = { .type = info.type } };
	memcpy(out->dims, info.dims, sizeof(out->dims));
	return nn_build_const(&import->builder, &info, values.data, out);
}

/* Leaves an output as it is stored, if that is wanted of it, and it is an image. */
static void leave_stored(const struct nn_model_source *source, size_t i, struct nn_build_tensor *output)
{
	if (!source->is_stored || i < source->first_stored)
		return;
	source->is_stored[i - source->first_stored] = output->layout == NN_LAYOUT_NHWC;
	if (output->layout == NN_LAYOUT_NHWC)
		output->layout = NN_LAYOUT_PLAIN;
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
		bool same = value && onnx_is_const(value) && has_no_rows(import, graph);
		int err = same ? build_constant(import, value, &outputs[i]) :
				 check_output(import, value,
					      onnx_quote(import, graph->output[i]->name));

		if (!err && !same)
			err = onnx_check_item_rows(import, value);
		if (!err && !same)
			outputs[i] = value->tensor;
		if (!err && value->kind == ONNX_PENDING)
			err = onnx_make_real(import, value, &outputs[i]);
		if (!err && !same)
			err = onnx_leave_found(import, value, &outputs[i]);
		if (!err && outputs[i].quant.is_unsigned)
			err = nn_build_sign(&import->builder, &outputs[i], true, &outputs[i]);
		if (value)
			err = onnx_note_value(import, value, err);
		if (err)
			return err;
		leave_stored(import->source, i, &outputs[i]);
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
	err = onnx_import_inputs(import, import->source->options);
	if (err)
		return err;
	err = import_nodes(import);
	/* What was decided on the way is another list of nodes. */
	if (!err && import->choices->count > import->choices->sorted)
		return onnx_follow(import);
	return err ? err : import_outputs(import, graph);
}

/* A Loop is two steps. */
static uint32_t count_nodes(const struct onnx_import *import)
{
	uint32_t count = 0;

	for (uint32_t i = 0; import->steps && i < import->step_count; i++)
		count += onnx_is_first(&import->steps[i]);
	return count;
}

/* How a model is imported, and what that says of other ways. */
struct way {
	bool whole; /* its first dimension is taken as one that is fixed */
	bool each_item; /* and what it makes of one item is made of any number of them */
	bool apart; /* which must be what it makes of a batch that is not known */
	bool in_float; /* the graph's inputs are of float32, to be quantized in several ways */
	bool controlled; /* and with whole: its Loops, Scans and Ifs are scopes of the graph */
	bool floats; /* what nothing quantizes is computed in float32 */
	bool may_be_whole, may_be_apart, may_be_in_float, may_be_controlled;
	bool mixes; /* it is not */
};

/* A model that is being imported, in one way or another. */
struct source {
	struct nn_graph *graph;
	const Onnx__ModelProto *model;
	const struct nn_model_source *file;
	struct onnx_choices choices;
};

static int import_once(struct source *source, struct way *way)
{
	struct onnx_import import = {
		.builder = { .graph = source->graph,
			     .next_id = 1,
			     .channels_first = true,
			     .each_item = way->each_item,
			     .manual = "docs/onnx.md says what each operator can do" },
		.model = source->model,
		.source = source->file,
		.choices = &source->choices,
		.whole = way->whole,
		.apart = way->apart,
		.in_float = way->in_float,
		.controlled = way->controlled,
		.floats = way->floats,
		.absent = { .kind = ONNX_ABSENT },
	};
	int err;

	nn_options_forget_open(source->graph);
	err = import_model(&import);
	way->may_be_whole = import.had_one;
	way->may_be_apart = import.had_open;
	way->may_be_controlled = import.has_control && !import.decides_rows;
	way->mixes = import.mixes;
	way->may_be_in_float = import.needs_float;
	return nn_builder_end(&import.builder, err, count_nodes(&import));
}

/* Each way has its own shapes, and so its own decisions. */
static int import_as(struct source *source, struct way *way)
{
	uint32_t rounds = 0;
	int err;

	source->choices.count = source->choices.sorted = 0;
	err = import_once(source, way);
	while (err != -ENOMEM && onnx_sort_choices(&source->choices)) {
		struct nn_builder builder = { .graph = source->graph };

		nn_graph_clear(source->graph);
		nn_graph_clear_errors(source->graph);
		if (++rounds > MAX_ROUNDS)
			return nn_builder_end(
				&builder,
				nn_builder_fail(&builder, -EOPNOTSUPP,
						"more than %d conditions of If depend on each other",
						MAX_ROUNDS),
				0);
		err = import_once(source, way);
	}
	return err;
}

/* The same where parts of its inputs are quantized each in a way of its own. */
static int import_quantized(struct source *source, struct way *way)
{
	int err = import_as(source, way);
	struct way in_float = {
		.whole = way->whole,
		.each_item = way->each_item,
		.apart = way->apart,
		.controlled = way->controlled,
		.floats = way->floats,
		.in_float = true,
	};
	struct nn_verdict verdict;

	if (err != -EOPNOTSUPP || !way->may_be_in_float)
		return err;
	nn_verdict_take(&verdict, source->graph);
	return nn_verdict_end(&verdict, source->graph, import_as(source, &in_float), false);
}

/*
 * Whether the graph is for any number of items: for two and for three of them. What has rows that
 * do not come with the items, such as a constant, is not as many as both.
 */
static int check_items(struct nn_graph *graph)
{
	uint32_t count = nn_graph_get_input_count(graph);
	uint32_t *rows = count ? calloc(count, sizeof(*rows)) : NULL;
	int err = rows ? 0 : -ENOMEM;

	for (uint32_t items = 2; items <= 3 && !err; items++) {
		for (uint32_t i = 0; i < count; i++)
			rows[i] = items;
		err = nn_plan_check(graph, rows);
	}
	free(rows);
	return err;
}

/*
 * A model for one item, in which the first dimension is moved or changed, as any other: on each of
 * any number of items or, if that is not possible, on one. If it cannot run at all, the reason is
 * none that only a batch has.
 */
static int import_whole(struct source *source, bool floats)
{
	struct way each = { .whole = true, .each_item = true, .floats = floats };
	struct way whole = { .whole = true, .floats = floats };

	int err = import_quantized(source, &each);

	if (!err)
		err = check_items(source->graph);
	if (!err)
		return 0;
	nn_graph_clear(source->graph);
	if (err == -ENOMEM)
		return nn_graph_no_memory(source->graph);
	nn_graph_clear_errors(source->graph);
	return import_quantized(source, &whole);
}

/*
 * A model whose batch is not known, and which moves it: on each item, if it keeps these apart. If it
 * does not, the reason is that it moves its batch.
 */
static int import_apart(struct source *source, bool floats)
{
	struct way apart = { .whole = true, .each_item = true, .apart = true, .floats = floats };
	struct way batch = { .floats = floats };
	int err = import_quantized(source, &apart);

	if (!err)
		err = check_items(source->graph);
	if (!err || (err == -EOPNOTSUPP && !source->graph->node_count && !apart.mixes))
		return err;
	nn_graph_clear(source->graph);
	if (err == -ENOMEM)
		return nn_graph_no_memory(source->graph);
	nn_graph_clear_errors(source->graph);
	return import_quantized(source, &batch);
}

/* A model whose data decide what it does: as it is, for one item. */
static int import_controlled(struct source *source, bool floats)
{
	struct way way = { .whole = true, .controlled = true, .floats = floats };

	return import_quantized(source, &way);
}

static int import_either(struct source *source, bool floats)
{
	struct way way = { .floats = floats };
	int err = import_quantized(source, &way);

	if (err == -EOPNOTSUPP && way.may_be_controlled) {
		nn_graph_clear_errors(source->graph);
		return import_controlled(source, floats);
	}
	if (err != -EOPNOTSUPP || (!way.may_be_whole && !way.may_be_apart))
		return err;
	nn_graph_clear_errors(source->graph);
	return way.may_be_whole ? import_whole(source, floats) : import_apart(source, floats);
}

/* Whether a graph, or one in it, quantizes what it computes; constants it may dequantize. */
static bool quantizes(const Onnx__GraphProto *graph, uint32_t depth)
{
	for (size_t i = 0; i < graph->n_node && depth; i++) {
		const Onnx__NodeProto *node = graph->node[i];

		if (!node->op_type)
			continue;
		if (!strcmp(node->op_type, "QuantizeLinear") || !strcmp(node->op_type, "QGemm") ||
		    !strncmp(node->op_type, "QLinear", strlen("QLinear")))
			return true;
		for (size_t k = 0; k < node->n_attribute; k++) {
			if (node->attribute[k]->g && quantizes(node->attribute[k]->g, depth - 1))
				return true;
		}
	}
	return false;
}

#define MOST_DEPTH 8 /* of graphs in graphs, which are looked into */

/*
 * A model that cannot run as a quantized one is imported as one that computes in float. One that
 * quantizes is so only if it has parts in float; what is wrong with its integers stays wrong.
 */
static int import_in_any_type(struct source *source)
{
	bool has_integers = quantizes(source->model->graph, MOST_DEPTH);
	struct nn_verdict verdict;
	int err = import_either(source, false);
	bool forms = nn_refusals_are_forms(source->graph);

	if (err != -EOPNOTSUPP || source->file->options->integers_only ||
	    (has_integers && !nn_refusals_are_float(source->graph)))
		return err;
	nn_verdict_take(&verdict, source->graph);
	/* Nobody wants to know why a model without integers, or what has no form of them, cannot run
	 * as a quantized one. */
	return nn_verdict_end(&verdict, source->graph, import_either(source, true),
			      !has_integers || forms);
}

/* unfolded: what onnx_unfold() makes of a model that was imported, with its size; or NULL. */
static int import_unfolded(struct nn_graph *graph, const struct nn_model_source *file,
			   uint8_t **unfolded, size_t *size)
{
	struct source source = { .graph = graph, .file = file };
	struct nn_builder builder = { .graph = graph };
	Onnx__ModelProto *model;
	const char *wrong;
	int err;

	if (graph->node_count)
		return nn_builder_fail(&builder, -EINVAL,
				       "a model can only be imported into an empty graph");
	model = onnx_unpack(file->data, file->size, &wrong);
	if (!model)
		return wrong ? nn_builder_fail(&builder, -EINVAL,
					       "this is no readable ONNX model: %s", wrong) :
			       nn_graph_no_memory(graph);
	source.model = model;
	if (!onnx_scope_names(model))
		err = nn_graph_no_memory(graph);
	else
		err = model->graph ? import_in_any_type(&source) : import_either(&source, false);
	if (!err && unfolded && onnx_unfold(&source.choices, file, model, unfolded, size))
		err = nn_graph_no_memory(graph);
	free(source.choices.list);
	onnx_free(model);
	return err;
}

int nn_import_onnx(struct nn_graph *graph, const struct nn_model_source *file)
{
	return import_unfolded(graph, file, NULL, NULL);
}

int nn_import_onnx_unfolded(struct nn_graph *graph, const struct nn_model_source *file,
			    uint8_t **bytes, size_t *size)
{
	*bytes = NULL;
	return import_unfolded(graph, file, bytes, size);
}
