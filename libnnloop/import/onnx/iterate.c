// SPDX-License-Identifier: MIT
/*
 * ONNX's Loop and Scan as loops of the graph. A trip count that is known makes a CountLoop of as
 * many; one that is computed, one that is counted; a condition that the body computes, a WhileLoop.
 * What the body carries are variables, and what it scans is taken by the number of the iteration,
 * which is one, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/control.h"

/* Inputs of a Loop node, and inputs and outputs of its body, before the carried values. */
enum { LOOP_TRIPS, LOOP_CONDITION, LOOP_CARRIED };
enum { BODY_ITERATION, BODY_CONDITION, BODY_CARRIED };
enum { RESULT_CONDITION, RESULT_CARRIED };

/* The most iterations where only the run knows them and each leaves a row, if the model's outputs do
 * not say. */
#define MOST_ROWS 1024
#define MAX_HOPS 64 /* from a condition to the constant that it is */

struct onnx_carried {
	struct nn_build_tensor variable;
	bool is_real, promised;
};

/* ---- What a Loop is asked for ---- */

/* Whether a condition of the body's is always true: inside of the body, the one that it is given is. */
static bool is_always_true(struct onnx_import *import, const Onnx__GraphProto *body)
{
	const char *name = body->output[RESULT_CONDITION]->name;

	for (int hops = 0; hops < MAX_HOPS; hops++) {
		const struct onnx_value *value = onnx_find(import, name);
		const Onnx__NodeProto *maker = value ? value->maker : NULL;

		if (!value)
			return false;
		if (!strcmp(name, body->input[BODY_CONDITION]->name))
			return true;
		if (value->kind == ONNX_CONST)
			return nn_const_is_one(&value->constant, NN_ELEMENT_BOOL) &&
			       nn_const_int(&value->constant, 0);
		if (!maker || !maker->n_input ||
		    (strcmp(maker->op_type, "Identity") && strcmp(maker->op_type, "Reshape") &&
		     strcmp(maker->op_type, "Squeeze") && strcmp(maker->op_type, "Unsqueeze")))
			return false;
		name = maker->input[0];
	}
	return false;
}

static bool is_wanted(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *output = onnx_output(import, i);

	return output && (output->user_count || output->is_output);
}

/* The rows that the model gives one of its outputs; 0: it does not say. */
static int64_t find_given_rows(const struct onnx_import *import, const char *name)
{
	const Onnx__GraphProto *graph = import->model->graph;

	for (size_t i = 0; i < graph->n_output; i++) {
		const Onnx__ValueInfoProto *info = graph->output[i];
		const Onnx__TensorShapeProto *shape =
			info->type &&
					info->type->value_case ==
						ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ?
				info->type->tensor_type->shape : NULL;

		if (info->name && !strcmp(info->name, name) && shape && shape->n_dim &&
		    shape->dim[0]->value_case ==
			    ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			return shape->dim[0]->dim_value;
	}
	return 0;
}

/* The most iterations that there is room for: any number, if none leaves a row. */
static int64_t find_room(struct onnx_import *import, const struct onnx_control *control)
{
	int64_t room = INT32_MAX;

	for (uint32_t i = control->carried_count; i < control->node->n_output; i++) {
		int64_t given;

		if (!is_wanted(import, i))
			continue;
		given = find_given_rows(import, control->node->output[i]);
		given = given > 0 ? given : MOST_ROWS;
		room = given < room ? given : room;
	}
	return room;
}

static int check_loop(struct onnx_import *import, struct onnx_control *control)
{
	const Onnx__NodeProto *node = control->node;
	const Onnx__GraphProto *body = control->body;

	if (node->n_input < LOOP_CARRIED || body->n_input != node->n_input ||
	    body->n_output != node->n_output + RESULT_CARRIED ||
	    node->n_output < node->n_input - LOOP_CARRIED)
		return onnx_fail(import, -EINVAL,
				 "it has %zu inputs and %zu outputs, and its body %zu and %zu",
				 node->n_input, node->n_output, body->n_input, body->n_output);
	return 0;
}

/* ---- The beginning ---- */

static struct onnx_value *define_inside(struct onnx_import *import,
					const struct onnx_control *control, uint32_t i,
					const struct onnx_value *like)
{
	struct onnx_value *value = onnx_find(import, control->body->input[i]->name);
	const char *name;

	if (!value)
		return NULL;
	name = value->tensor.name;
	value->kind = like->kind;
	value->tensor = like->tensor;
	value->tensor.name = name;
	value->constant = like->constant;
	value->promised = like->promised;
	value->unrounded = false;
	return value;
}

/* The quantization of a carried value, from input `from` on through result `to` of the body. */
static int find_quant(struct onnx_import *import, const struct onnx_control *control,
		      const struct onnx_value *from, uint32_t to, bool *exact,
		      struct nn_quant *quant)
{
	const struct onnx_value *next = onnx_find(import, control->body->output[to]->name);
	uint32_t at = to - control->first_result;
	const struct onnx_value *inside =
		onnx_find(import, control->body->input[at + BODY_CARRIED *
						      (control->first_result != 0)]->name);
	enum nn_data_type type;

	*exact = false;
	if (!next || !inside)
		return onnx_fail(import, -EINVAL, "an input or output of its body has no name");
	if (!onnx_is_real(from)) {
		*exact = true;
		*quant = from->tensor.quant;
		if (from->kind == ONNX_STORED)
			return 0;
		type = from->kind == ONNX_CONST ? nn_element_to_type(from->constant.element) : 0;
		*quant = (struct nn_quant){ .type = type };
		return nn_type_has_scale(type) ?
			       onnx_find_quant(import, inside, true, type, quant) : 0;
	}
	*exact = onnx_find_exact(import, control->body->output[to]->name, quant);
	/* It is carried as it is. */
	if (!*exact && next == inside && from->kind == ONNX_REAL && !from->unrounded) {
		*quant = from->tensor.quant;
		*exact = !from->promised;
		return 0;
	}
	return *exact ? 0 : onnx_find_carried_quant(import, next, from, quant);
}

/* Makes input `outer` of the node, which input `inner` of its body is at first, a variable. */
static int begin_carried(struct onnx_import *import, struct onnx_control *control, uint32_t i,
			 uint32_t outer, uint32_t inner)
{
	struct onnx_carried *carried = &control->carried[i];
	const struct onnx_value *from = onnx_input(import, outer);
	struct onnx_value stored;
	struct nn_quant quant;
	bool exact;
	int err;

	if (from->kind == ONNX_ABSENT)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " is absent", outer);
	err = find_quant(import, control, from, control->first_result + i, &exact, &quant);
	if (!err)
		err = onnx_store(import, from, &quant, &stored);
	if (!err && nn_is_rows(stored.tensor.dims[0]))
		err = onnx_fail(import, -EOPNOTSUPP,
				"the value %s that it carries has as many rows as a loop finds",
				onnx_quote(import, control->body->input[inner]->name));
	if (!err)
		err = nn_build_variable(&import->builder, &control->scope, &stored.tensor,
					&carried->variable);
	if (err)
		return err;
	carried->is_real = stored.kind == ONNX_REAL;
	carried->promised = stored.promised || !exact;
	stored.promised = carried->promised;
	stored.tensor = carried->variable;
	define_inside(import, control, inner, &stored);
	return 0;
}

static int begin_counting(struct onnx_import *import, struct onnx_control *control)
{
	struct nn_build_tensor zero;
	int err = nn_build_number(&import->builder, NN_INT64, 0, &zero);

	control->counts = true;
	return err ? err : nn_build_variable(&import->builder, &control->scope, &zero,
					     &control->iteration);
}

/* Whether a Loop begins: its condition and, where the run counts, that there are iterations. */
static int build_begins(struct onnx_import *import, const struct onnx_control *control,
			const struct onnx_value *condition, struct nn_build_tensor *out)
{
	const struct nn_build_tensor *trips = control->trips ? &control->trips->tensor : NULL;
	struct nn_build_tensor some;
	int err = 0;

	if (trips)
		err = onnx_combine_number(import, "less", trips, 0, true, &some);
	if (err)
		return err;
	if (trips && condition->kind == ONNX_STORED) {
		const struct nn_operand a = { .tensor = &condition->tensor };
		const struct nn_operand b = { .tensor = &some };

		return onnx_combine(import, "and", &a, &b, out);
	}
	if (trips || condition->kind == ONNX_STORED) {
		*out = trips ? some : condition->tensor;
		return 0;
	}
	return nn_build_number(&import->builder, NN_BOOL, 1, out);
}

/* Opens the scope of a Loop, for each kind of trip count and condition. */
static int open_loop(struct onnx_import *import, struct onnx_control *control)
{
	const struct onnx_value *trips = onnx_input(import, LOOP_TRIPS);
	const struct onnx_value *condition = onnx_input(import, LOOP_CONDITION);
	struct nn_body_desc desc = { 0 };
	struct nn_build_tensor number;
	int64_t room = find_room(import, control), count = INT64_MAX;
	bool never = false;
	int err = 0;

	if (trips->kind != ONNX_ABSENT)
		err = onnx_need_one(import, &trips, NN_INT64, "trip count");
	if (!err && condition->kind != ONNX_ABSENT)
		err = onnx_need_one(import, &condition, NN_BOOL, "condition");
	if (err)
		return err;
	if (trips->kind == ONNX_CONST)
		count = nn_const_int(&trips->constant, 0);
	control->trips = trips->kind == ONNX_STORED ? trips : NULL;
	control->asks = !is_always_true(import, control->body) || condition->kind == ONNX_STORED;
	if (condition->kind == ONNX_CONST)
		never = !nn_const_int(&condition->constant, 0);
	never |= count < 1;
	control->rows = NN_ROWS;
	desc.trips = count < room ? count : room;
	desc.strict = count > room;
	if (never) {
		control->asks = false;
		control->trips = NULL;
		desc.trips = 1;
		desc.counted = &number;
		err = nn_build_number(&import->builder, NN_INT64, 0, &number);
	} else if (control->asks) {
		desc.goes_on = &number;
		err = build_begins(import, control, condition, &number);
	} else if (control->trips) {
		/* A count below 0 is none. */
		desc.counted = &number;
		desc.trips = room;
		err = onnx_combine_number(import, "max", &control->trips->tensor, 0, false, &number);
	} else if (count > INT32_MAX) {
		return onnx_fail(import, -EOPNOTSUPP, "nothing ever ends it");
	} else {
		desc.trips = control->rows = count;
	}
	return err ? err : nn_build_scope(&import->builder, &desc, NULL, &control->scope);
}

static int begin_loop(struct onnx_import *import, struct onnx_control *control)
{
	static const uint8_t always = 1;
	const struct onnx_value true_inside = {
		.kind = ONNX_CONST,
		.tensor.dims = { 1 },
		.constant = { .element = NN_ELEMENT_BOOL, .count = 1, .data = &always },
	};
	struct onnx_value iteration = { .kind = ONNX_STORED }, *number;
	int err = check_loop(import, control);

	if (err)
		return err;
	control->first_result = RESULT_CARRIED;
	control->carried_count = control->node->n_input - LOOP_CARRIED;
	err = open_loop(import, control);
	if (err)
		return err;
	number = onnx_find(import, control->body->input[BODY_ITERATION]->name);
	if ((number && (number->user_count || number->is_output)) ||
	    (control->asks && control->trips))
		err = begin_counting(import, control);
	iteration.tensor = control->iteration;
	if (!err && control->counts)
		define_inside(import, control, BODY_ITERATION, &iteration);
	define_inside(import, control, BODY_CONDITION, &true_inside);
	return err;
}

int onnx_check_iteration(struct onnx_import *import, const struct nn_build_tensor *index,
			 const struct nn_build_tensor *x, uint32_t axis)
{
	for (const struct onnx_control *control = import->control; control;
	     control = control->around) {
		if (!control->counts ||
		    control->iteration.source.src_id != index->source.src_id ||
		    control->rows <= x->dims[axis])
			continue;
		return onnx_fail(import, -EOPNOTSUPP,
				 "it takes what is %" PRIu32 " long by the number of a Loop's "
				 "iteration, of which there are %" PRIu32, x->dims[axis],
				 control->rows);
	}
	return 0;
}

/* ---- Scan ---- */

/* Number i of an attribute that has one for each of `count`, or is absent: 0. */
static int read_each(struct onnx_import *import, const char *name, uint32_t count, uint32_t i,
		     int64_t *out)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	*out = 0;
	if (!attr)
		return 0;
	if (attr->n_ints != count)
		return onnx_fail(import, -EINVAL, "its attribute %s has %zu numbers, not %" PRIu32,
				 name, attr->n_ints, count);
	*out = attr->ints[i];
	return 0;
}

static int find_axis(struct onnx_import *import, const char *name, uint32_t count, uint32_t i,
		     uint32_t rank, uint32_t *out)
{
	int64_t axis;
	int err = read_each(import, name, count, i, &axis);

	if (!err && (axis < -(int64_t)rank || axis >= rank))
		err = onnx_fail(import, -EINVAL, "its axis %" PRId64 " is not one of %" PRIu32
				" dimensions", axis, rank);
	*out = axis < 0 ? axis + rank : axis;
	return err;
}

/* Input `i` of those that are scanned: as a tensor, with the dimension that is. */
static int read_scanned(struct onnx_import *import, const struct onnx_control *control, uint32_t i,
			struct onnx_value *out, uint32_t *axis)
{
	const uint32_t at = control->carried_count + i;
	const struct onnx_value *x = onnx_input(import, at);
	const uint32_t count = import->node->n_input - control->carried_count;
	struct nn_quant quant, *wanted = NULL;
	int err = 0;

	if (x->kind == ONNX_ABSENT)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " is absent", at);
	if (onnx_is_real(x) && x->kind != ONNX_REAL && x->kind != ONNX_REAL_CONST) {
		err = onnx_find_stored_quant(
			import, onnx_find(import, control->body->input[at]->name), &quant);
		wanted = &quant;
	}
	if (!err)
		err = onnx_store(import, x, wanted, out);
	if (!err)
		err = find_axis(import, "scan_input_axes", count, i, out->tensor.rank, axis);
	if (!err && nn_is_rows(out->tensor.dims[0]))
		err = onnx_fail(import, -EOPNOTSUPP,
				"its input %" PRIu32 " has as many rows as a loop finds", at);
	return err;
}

/* Takes the part of such an input that is for an iteration. */
static int take_scanned(struct onnx_import *import, const struct onnx_control *control, uint32_t i,
			const struct onnx_value *from, uint32_t axis)
{
	const uint32_t count = import->node->n_input - control->carried_count;
	const struct nn_take take = { .axis = axis + 1 };
	struct onnx_value taken = *from;
	struct nn_build_tensor index = control->iteration, data;
	int64_t backwards;
	int err = read_each(import, "scan_input_directions", count, i, &backwards);

	if (!err && backwards)
		err = onnx_combine_number(import, "sub", &control->iteration,
					  from->tensor.dims[axis] - 1, true, &index);
	if (!err)
		err = nn_build_lift(&import->builder, &from->tensor, &data);
	if (!err)
		err = nn_build_lift(&import->builder, &index, &index);
	if (!err)
		err = nn_build_take(&import->builder, &data, &index, &take, &taken.tensor);
	if (!err)
		err = nn_build_lower(&import->builder, &taken.tensor, &taken.tensor);
	if (err)
		return err;
	define_inside(import, control, control->carried_count + i, &taken);
	return 0;
}

static int begin_scan(struct onnx_import *import, struct onnx_control *control)
{
	const Onnx__NodeProto *node = control->node;
	int64_t scanned = onnx_attr_int(node, "num_scan_inputs", 0);
	struct nn_body_desc desc = { 0 };
	struct onnx_value *from;
	uint32_t *axes;
	int err = 0;

	if (scanned < 1 || scanned > (int64_t)node->n_input ||
	    control->body->n_input != node->n_input || control->body->n_output != node->n_output ||
	    node->n_output < node->n_input - scanned)
		return onnx_fail(import, -EINVAL,
				 "it has %zu inputs and %zu outputs, and its body %zu and %zu",
				 node->n_input, node->n_output, control->body->n_input,
				 control->body->n_output);
	control->carried_count = node->n_input - scanned;
	from = onnx_alloc(import, scanned, sizeof(*from));
	axes = onnx_alloc(import, scanned, sizeof(*axes));
	if (!from || !axes)
		return -ENOMEM;
	for (uint32_t i = 0; i < scanned && !err; i++) {
		uint32_t length;

		err = read_scanned(import, control, i, &from[i], &axes[i]);
		length = err ? 0 : from[i].tensor.dims[axes[i]];
		if (!err && i && length != control->rows)
			err = onnx_fail(import, -EINVAL,
					"its inputs are %" PRIu32 " and %" PRIu32
					" long where it scans them", control->rows, length);
		control->rows = length;
	}
	desc.trips = control->rows;
	if (!err)
		err = nn_build_scope(&import->builder, &desc, NULL, &control->scope);
	if (!err)
		err = begin_counting(import, control);
	for (uint32_t i = 0; i < scanned && !err; i++)
		err = take_scanned(import, control, i, &from[i], axes[i]);
	return err;
}

int onnx_begin_iterations(struct onnx_import *import, struct onnx_control *control)
{
	const Onnx__GraphProto *bodies[2];
	bool is_loop = !strcmp(import->node->op_type, "Loop");
	int err;

	if (!onnx_find_bodies(control->node, bodies))
		return onnx_fail(import, -EINVAL, "it has no body");
	control->body = bodies[0];
	err = is_loop ? begin_loop(import, control) : begin_scan(import, control);
	control->carried = onnx_alloc(import, control->carried_count, sizeof(*control->carried));
	if (!control->carried)
		return -ENOMEM;
	for (uint32_t i = 0; i < control->carried_count && !err; i++)
		err = begin_carried(import, control, i, i + LOOP_CARRIED * is_loop,
				    i + BODY_CARRIED * is_loop);
	return err;
}

/* ---- The end ---- */

/* Result i of the body. NULL: the error is set. */
static const struct onnx_value *find_result(struct onnx_import *import,
					    const struct onnx_control *control, uint32_t i)
{
	const struct onnx_value *value = onnx_find(import, control->body->output[i]->name);

	if (value && value->kind == ONNX_REFUSED) {
		onnx_follow(import);
		return NULL;
	}
	if (value && value->kind != ONNX_UNDEFINED)
		return value;
	onnx_fail(import, -EINVAL, "nothing in its body makes %s",
		  onnx_quote(import, control->body->output[i]->name));
	return NULL;
}

/* Finds the carried value that the next iteration begins with. */
static int find_next(struct onnx_import *import, const struct onnx_control *control, uint32_t i,
		     struct nn_build_tensor *out)
{
	const struct onnx_carried *carried = &control->carried[i];
	const struct onnx_value *value = find_result(import, control, control->first_result + i);
	struct onnx_value stored;
	const char *name;
	int err;

	if (!value)
		return onnx_failed(import);
	name = onnx_quote(import, value->tensor.name);
	if (onnx_is_real(value) != carried->is_real)
		return onnx_fail(import, -EINVAL, "the value %s that it carries changes its type", name);
	err = onnx_store(import, value, &carried->variable.quant, &stored);
	if (err)
		return err;
	if (stored.promised && !carried->promised)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the value %s that it carries has another scale or zero point than "
				 "it began with", name);
	if (!onnx_has_shape_of(&stored.tensor, &carried->variable))
		return onnx_fail(import, -EOPNOTSUPP,
				 "the value %s that it carries changes its shape", name);
	*out = stored.tensor;
	return 0;
}

/* Says whether there is another iteration. */
static int end_condition(struct onnx_import *import, const struct onnx_control *control,
			 const struct nn_build_tensor *next_iteration)
{
	const struct onnx_value *value = find_result(import, control, RESULT_CONDITION);
	struct nn_build_tensor condition, more;
	struct nn_operand a = { .tensor = &condition }, b = { .tensor = &more };
	const struct nn_operand number = { .tensor = next_iteration };
	int err = value ? onnx_need_one(import, &value, NN_BOOL, "condition") : onnx_failed(import);

	if (err)
		return err;
	condition = value->tensor;
	if (value->kind == ONNX_CONST)
		err = nn_build_number(&import->builder, NN_BOOL,
				      nn_const_int(&value->constant, 0), &condition);
	if (!err && control->trips) {
		const struct nn_operand trips = { .tensor = &control->trips->tensor };

		err = onnx_combine(import, "less", &number, &trips, &more);
		if (!err)
			err = onnx_combine(import, "and", &a, &b, &condition);
	}
	return err ? err : nn_build_continue(&import->builder, &control->scope, &condition);
}

/* A Scan's rows in the order and along the axis that it asks for. */
static int turn_rows(struct onnx_import *import, const struct onnx_control *control, uint32_t i,
		     struct nn_build_tensor *rows)
{
	const uint32_t count = control->node->n_output - control->carried_count;
	uint32_t axis, perm[NN_MAX_RANK];
	struct nn_steps steps[NN_MAX_RANK];
	int64_t backwards;
	int err = read_each(import, "scan_output_directions", count, i, &backwards);

	if (!err)
		err = find_axis(import, "scan_output_axes", count, i, rows->rank, &axis);
	for (uint32_t k = 0; k < rows->rank && !err; k++) {
		steps[k] = (struct nn_steps){ 0, 1, rows->dims[k] };
		perm[k] = k < axis ? k + 1 : k == axis ? 0 : k;
	}
	steps[0] = (struct nn_steps){ (int64_t)rows->dims[0] - 1, -1, rows->dims[0] };
	if (!err && backwards)
		err = nn_build_steps(&import->builder, rows, steps, rows);
	if (!err && axis)
		err = nn_build_transpose(&import->builder, rows, perm, rows);
	return err;
}

/* Makes the value that an iteration leaves a row of output i. */
static int collect(struct onnx_import *import, const struct onnx_control *control, uint32_t i,
		   struct onnx_value *out)
{
	const struct onnx_value *value = find_result(import, control, control->first_result + i);
	struct nn_quant quant, *wanted = NULL;
	int err = value ? 0 : onnx_failed(import);

	import->builder.result = control->node->output[i];
	if (!err && value->kind == ONNX_CONST && onnx_is_real(value)) {
		err = onnx_find_stored_quant(import, value, &quant);
		wanted = &quant;
	}
	if (!err)
		err = onnx_store(import, value, wanted, out);
	if (!err && out->tensor.rank && nn_is_rows(out->tensor.dims[0]))
		err = onnx_fail(import, -EOPNOTSUPP,
				"its output %" PRIu32 " has as many rows of each iteration as a loop "
				"in it finds", i);
	return err ? err : nn_build_collect(&import->builder, &control->scope, control->rows,
					    &out->tensor, &out->tensor);
}

static int end_counting(struct onnx_import *import, const struct onnx_control *control,
			struct nn_build_tensor *next)
{
	return control->counts ? onnx_combine_number(import, "add", &control->iteration, 1, false,
						     next) :
				 0;
}

int onnx_end_iterations(struct onnx_import *import, struct onnx_control *control)
{
	const uint32_t carried = control->carried_count, count = control->node->n_output;
	struct nn_build_tensor *variables = onnx_alloc(import, carried + 1, sizeof(*variables));
	struct nn_build_tensor *nexts = onnx_alloc(import, carried + 1, sizeof(*nexts));
	struct onnx_value *results = onnx_alloc(import, count, sizeof(*results));
	bool is_scan = !control->first_result;
	int err;

	if (!variables || !nexts || !results)
		return -ENOMEM;
	err = end_counting(import, control, &nexts[carried]);
	for (uint32_t i = 0; i < carried && !err; i++) {
		variables[i] = control->carried[i].variable;
		err = find_next(import, control, i, &nexts[i]);
	}
	variables[carried] = control->iteration;
	if (!err && control->asks)
		err = end_condition(import, control, &nexts[carried]);
	for (uint32_t i = carried; i < count && !err; i++) {
		if (is_wanted(import, i))
			err = collect(import, control, i, &results[i]);
	}
	/* Last: whoever reads a variable above reads what it was. */
	if (!err)
		err = nn_build_assign_all(&import->builder, variables, nexts,
					  carried + control->counts);
	nn_build_close(&import->builder, &control->scope);
	import->control = control->around;
	for (uint32_t i = 0; i < count && !err; i++) {
		struct nn_build_tensor made;

		if (!is_wanted(import, i))
			continue;
		import->builder.result = control->node->output[i];
		if (i < carried) {
			results[i].kind = control->carried[i].is_real ? ONNX_REAL : ONNX_STORED;
			results[i].promised = control->carried[i].promised;
			err = nn_build_last(&import->builder, &variables[i], &made);
		} else {
			made = results[i].tensor;
			err = is_scan ? turn_rows(import, control, i - carried, &made) : 0;
		}
		if (!err)
			err = onnx_give(import, i, &results[i], &made);
	}
	return err;
}
