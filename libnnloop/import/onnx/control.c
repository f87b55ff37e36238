// SPDX-License-Identifier: MIT
/*
 * ONNX's nodes with bodies as scopes of the graph, which import/scope.c builds; and If.
 *
 * An If is two scopes of at most one iteration. The first leaves the result of its branch in a
 * variable, with which that of the second begins; so what comes out of the second is the result of
 * the branch that ran. What a branch reads of outer values is handed out by its loop-control node:
 * else what it makes of these would not be inside, and be computed whichever branch is taken.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/control.h"

/* ---- The model's nodes ---- */

bool onnx_is_control(const Onnx__NodeProto *node)
{
	if (node->domain && *node->domain && strcmp(node->domain, "ai.onnx"))
		return false;
	return !strcmp(node->op_type, "Loop") || !strcmp(node->op_type, "Scan") ||
	       !strcmp(node->op_type, "If");
}

uint32_t onnx_find_bodies(const Onnx__NodeProto *node, const Onnx__GraphProto *bodies[2])
{
	static const char *const names[2] = { "then_branch", "else_branch" };
	bool is_if = !strcmp(node->op_type, "If");
	uint32_t count = 0;

	for (int i = 0; i < 1 + is_if; i++) {
		const Onnx__AttributeProto *attr = onnx_attr(node, is_if ? names[i] : "body");

		if (attr && attr->g)
			bodies[count++] = attr->g;
	}
	return count;
}

/* Where a value without users of its own goes on. */
static void lead_on(struct onnx_import *import, const char *from, const char *to)
{
	struct onnx_value *value = onnx_find(import, from), *next = onnx_find(import, to);

	for (int stored = 0; stored < 2 && value && next; stored++) {
		struct onnx_quantizer *quantizer = &value->quantizers[stored];

		if (!quantizer->node && !quantizer->next && value != next)
			quantizer->next = next;
	}
}

void onnx_index_bodies(struct onnx_import *import, const Onnx__NodeProto *node)
{
	const Onnx__GraphProto *bodies[2];
	uint32_t count = onnx_find_bodies(node, bodies);
	bool is_loop = !strcmp(node->op_type, "Loop"), is_if = !strcmp(node->op_type, "If");
	/* What does not go around in the body: a Loop's trip count and condition, what a Scan scans. */
	int64_t others = is_loop ? 2 : onnx_attr_int(node, "num_scan_inputs", 0);
	size_t carried = is_if || others < 0 || (size_t)others > node->n_input ?
				 0 : node->n_input - others;

	for (uint32_t b = 0; b < count; b++) {
		const Onnx__GraphProto *body = bodies[b];

		for (size_t i = 0; i < body->n_output; i++) {
			const char *name = body->output[i]->name;
			struct onnx_value *value = onnx_find(import, name);
			const char *behind = NULL, *around = NULL;

			if (i >= is_loop && i - is_loop < node->n_output)
				behind = node->output[i - is_loop];
			if (i >= is_loop && i - is_loop < carried && i + is_loop < body->n_input)
				around = body->input[i + is_loop]->name;
			if (value) {
				value->is_output = true;
				value->goes_on_as[0] = behind ? onnx_find(import, behind) : NULL;
				value->goes_on_as[1] = around ? onnx_find(import, around) : NULL;
			}
			/* Into the next iteration, and behind the node. */
			if (around && onnx_find(import, around))
				lead_on(import, name, around);
			else if (behind)
				lead_on(import, name, behind);
		}
		for (size_t i = 0; !is_if && i < node->n_input && i < body->n_input; i++) {
			struct onnx_value *inside = onnx_find(import, body->input[i]->name);

			if (inside && i >= 2 * is_loop)
				inside->begins_as = node->input[i];
			lead_on(import, node->input[i], body->input[i]->name);
			if (i >= 2 * is_loop && i - 2 * is_loop < carried &&
			    i - 2 * is_loop < node->n_output)
				lead_on(import, body->input[i]->name,
					node->output[i - 2 * is_loop]);
		}
	}
}

void onnx_forget_body(struct onnx_import *import, const Onnx__GraphProto *body)
{
	for (size_t i = 0; i < body->n_input; i++) {
		struct onnx_value *value = onnx_find(import, body->input[i]->name);

		if (value)
			value->kind = ONNX_UNDEFINED;
	}
	for (size_t i = 0; i < body->n_node; i++) {
		for (size_t k = 0; k < body->node[i]->n_output; k++) {
			struct onnx_value *value = onnx_find(import, body->node[i]->output[k]);

			if (value)
				value->kind = ONNX_UNDEFINED;
		}
	}
}

/* ---- If ---- */

/* The step that ends the body which the step begins. */
static uint32_t find_end(const struct onnx_import *import, uint32_t step)
{
	uint32_t depth = 0;

	for (step++;; step++) {
		enum onnx_step_kind kind = import->steps[step].kind;

		if (!depth && (kind == ONNX_BODY_NEXT || kind == ONNX_BODY_END))
			return step;
		depth += kind == ONNX_BODY_BEGIN;
		depth -= kind == ONNX_BODY_END;
	}
}

static bool is_handed(const struct onnx_control *control, const struct onnx_value *value)
{
	for (uint32_t i = 0; i < control->handed_count; i++) {
		if (control->handed[i].value == value)
			return true;
	}
	return false;
}

/* Finds what the branch behind a step reads that is made outside; its own values are not yet. */
static int find_handed(struct onnx_import *import, struct onnx_control *control, uint32_t step)
{
	uint32_t end = find_end(import, step);
	size_t most = 0;

	for (uint32_t i = step + 1; i < end; i++)
		most += import->steps[i].node->n_input;
	control->handed = onnx_alloc(import, most, sizeof(*control->handed));
	control->handed_count = 0;
	if (!control->handed)
		return -ENOMEM;
	for (uint32_t i = step + 1; i < end; i++) {
		const Onnx__NodeProto *node = import->steps[i].node;

		for (size_t k = 0; k < node->n_input; k++) {
			struct onnx_value *value = onnx_find(import, node->input[k]);

			if (value && onnx_is_tensor(value) && !nn_is_rows(value->tensor.dims[0]) &&
			    !is_handed(control, value))
				control->handed[control->handed_count++].value = value;
		}
	}
	return 0;
}

/* Opens the scope of the branch behind a step, which runs if the condition is true. */
static int open_branch(struct onnx_import *import, struct onnx_control *control, uint32_t step,
		       const struct nn_build_tensor *condition)
{
	struct nn_body_desc desc = { .counted = condition, .trips = 1 };
	struct nn_build_tensor *outputs;
	int err = find_handed(import, control, step);

	if (err)
		return err;
	desc.count = control->handed_count;
	desc.inputs = onnx_alloc(import, desc.count, sizeof(*desc.inputs));
	outputs = onnx_alloc(import, desc.count, sizeof(*outputs));
	if (!desc.inputs || !outputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < desc.count; i++)
		desc.inputs[i] = &control->handed[i].value->tensor;
	err = nn_build_scope(&import->builder, &desc, outputs, &control->scope);
	if (err) {
		control->handed_count = 0;
		return err;
	}
	for (uint32_t i = 0; i < desc.count; i++) {
		struct onnx_handed *handed = &control->handed[i];

		handed->source = handed->value->tensor.source;
		handed->value->tensor.source = outputs[i].source;
	}
	return 0;
}

/* The outer values are what they were again. */
static void take_back(struct onnx_control *control)
{
	for (uint32_t i = 0; i < control->handed_count; i++)
		control->handed[i].value->tensor.source = control->handed[i].source;
	control->handed_count = 0;
}

/* Stores the values that a branch makes. */
static int store_results(struct onnx_import *import, struct onnx_control *control, int branch)
{
	const Onnx__GraphProto *body = control->body;
	struct onnx_value *results;
	int err = 0;

	if (body->n_output != control->node->n_output)
		return onnx_fail(import, -EINVAL, "it has other outputs than its branch");
	results = onnx_alloc(import, body->n_output, sizeof(*results));
	if (!results)
		return -ENOMEM;
	control->results[branch] = results;
	control->scopes[branch] = control->scope;
	for (size_t i = 0; i < body->n_output && !err; i++) {
		const struct onnx_value *value = onnx_find(import, body->output[i]->name);
		struct nn_quant quant, *wanted = NULL;

		if (!value || value->kind == ONNX_UNDEFINED)
			return onnx_fail(import, -EINVAL, "nothing in its branch makes %s",
					 onnx_quote(import, body->output[i]->name));
		if (value->kind == ONNX_CONST && onnx_is_real(value)) {
			err = onnx_find_stored_quant(import, value, &quant);
			wanted = &quant;
		}
		if (!err)
			err = onnx_store(import, value, wanted, &results[i]);
	}
	return err;
}

static int begin_if(struct onnx_import *import, struct onnx_control *control, uint32_t step)
{
	const struct onnx_value *condition = onnx_input(import, 0);
	const Onnx__GraphProto *bodies[2];
	int err = onnx_need_one(import, &condition, NN_BOOL, "condition");

	if (err)
		return err;
	if (onnx_find_bodies(control->node, bodies) != 2)
		return onnx_fail(import, -EINVAL, "it has no two branches");
	control->body = bodies[0];
	control->condition = condition->tensor;
	return open_branch(import, control, step, &control->condition);
}

static int begin_else(struct onnx_import *import, struct onnx_control *control, uint32_t step)
{
	const Onnx__GraphProto *bodies[2];
	struct nn_build_tensor otherwise;
	int err = store_results(import, control, 0);

	take_back(control);
	nn_build_close(&import->builder, &control->scope);
	onnx_forget_body(import, control->body);
	onnx_find_bodies(control->node, bodies);
	control->body = bodies[1];
	if (!err)
		err = onnx_combine_number(import, "xor", &control->condition, 1, true, &otherwise);
	if (!err)
		err = open_branch(import, control, step, &otherwise);
	control->failed = err;
	return err;
}

/* Where the condition is known, its branch alone is the model's. */
static int fail_branches(struct onnx_import *import, const struct onnx_control *control,
			 const char *output)
{
	const char *source = onnx_find_source(import, control->node->input[0]);

	if (!source)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its branches make %s of different types or shapes", output);
	return onnx_fail(import, -EOPNOTSUPP,
			 "its branches make %s of different types or shapes, and its condition "
			 "depends on input %s\nsay what the input is, if that is always the same: "
			 "--set NAME=VALUE, or which shape it has: --shape NAME=NUMBER,..., "
			 "nn_import_options",
			 output, onnx_quote(import, source));
}

/* Both results of output i as one of them is, or as who reads it quantizes them. */
static int unite(struct onnx_import *import, const struct onnx_control *control, size_t i)
{
	struct onnx_value *a = &control->results[0][i], *b = &control->results[1][i];
	const struct onnx_value *output = onnx_find(import, control->node->output[i]);
	const char *name = onnx_quote(import, control->node->output[i]);
	struct nn_quant quant;
	int err;

	if (a->kind != b->kind || !onnx_has_shape_of(&a->tensor, &b->tensor))
		return fail_branches(import, control, name);
	if (nn_is_rows(a->tensor.dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its branches make %s of as many rows as a loop finds", name);
	if (nn_quant_equal(&a->tensor.quant, &b->tensor.quant)) {
		a->promised |= b->promised;
		return 0;
	}
	if (a->kind == ONNX_STORED || !output || (!import->floats && !onnx_is_quantized(output)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its branches quantize %s in different ways", name);
	err = onnx_find_stored_quant(import, output, &quant);
	for (int k = 0; k < 2 && !err; k++) {
		struct onnx_value *value = &control->results[k][i];

		if (!nn_quant_equal(&value->tensor.quant, &quant))
			err = onnx_settle(import, value, &quant, &value->tensor);
	}
	a->promised = true;
	return err;
}

static int end_output(struct onnx_import *import, const struct onnx_control *control, size_t i)
{
	struct nn_build_tensor before, variable, made;
	int err = unite(import, control, i);

	import->builder.result = control->node->output[i];
	if (err)
		return err;
	err = nn_build_zeros(&import->builder, &control->results[0][i].tensor, &before);
	for (int k = 0; k < 2 && !err; k++) {
		struct nn_build_tensor value = control->results[k][i].tensor;

		err = nn_build_variable(&import->builder, &control->scopes[k], &before, &variable);
		if (!err)
			err = nn_build_assign_all(&import->builder, &variable, &value, 1);
		if (!err)
			err = nn_build_last(&import->builder, &variable, &made);
		before = made;
	}
	return err ? err : onnx_give(import, i, &control->results[0][i], &made);
}

static int end_if(struct onnx_import *import, struct onnx_control *control)
{
	int err = control->failed ? onnx_follow(import) : store_results(import, control, 1);

	take_back(control);
	import->builder.body = control->around ? &control->around->scope : NULL;
	onnx_forget_body(import, control->body);
	import->control = control->around;
	for (size_t i = 0; i < control->node->n_output && !err; i++) {
		if (onnx_output(import, i))
			err = end_output(import, control, i);
	}
	return err;
}

/* ---- All of them ---- */

int onnx_lower_scan(struct onnx_import *import)
{
	return onnx_fail(import, -EOPNOTSUPP,
			 "nnloop has it in a model of fixed shapes, and an If of this one depends "
			 "on the number of rows" ONNX_FIX_SHAPES);
}

int onnx_begin_control(struct onnx_import *import, uint32_t step)
{
	bool is_if = !strcmp(import->node->op_type, "If");
	struct onnx_control *control;
	int err;

	if (is_if && onnx_input(import, 0)->kind == ONNX_CONST)
		return onnx_lower_if(import);
	control = onnx_alloc(import, 1, sizeof(*control));
	if (!control)
		return -ENOMEM;
	control->around = import->control;
	control->node = import->node;
	control->depth = control->around ? control->around->depth + 1 : 1;
	if (control->depth > NN_MAX_LOOPSTACK)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it is inside of %d others; nnloop has as many loops, one inside "
				 "the other", NN_MAX_LOOPSTACK);
	err = is_if ? begin_if(import, control, step) : onnx_begin_iterations(import, control);
	if (!err)
		import->control = control;
	else
		import->builder.body = control->around ? &control->around->scope : NULL;
	return err;
}

int onnx_end_control(struct onnx_import *import, uint32_t step)
{
	struct onnx_control *control = import->control;
	int err;

	if (import->steps[step].kind == ONNX_BODY_NEXT)
		return begin_else(import, control, step);
	if (!strcmp(control->node->op_type, "If"))
		return end_if(import, control);
	err = onnx_end_iterations(import, control);
	onnx_forget_body(import, control->body);
	import->control = control->around;
	return err;
}
