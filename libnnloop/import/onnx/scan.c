// SPDX-License-Identifier: MIT
/*
 * ONNX's own Loop, where it is a loop over rows: iteration i reads row i of one or more tensors
 * (Gather with the iteration's number), and what it makes is collected in scan outputs.
 *
 * The rows come from a loop-control node, CountLoop for a trip count that is a constant and
 * BatchLoop for one that is the number of rows; both hand out one row a pass. The body's nodes
 * follow, as if they stood in the model itself. A carried value becomes a Variable, which an Assign
 * at the end of the body changes. Everything else that a Loop can be is refused.
 *
 * A row keeps its dimension in nnloop, so where the body has [C, H, W] of a Gather with a scalar,
 * its next node must be the Unsqueeze that makes it [1, C, H, W].
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* Inputs of a Loop node, and inputs and outputs of its body, before the carried values. */
enum { LOOP_TRIPS, LOOP_CONDITION, LOOP_CARRIED };
enum { BODY_ITERATION, BODY_CONDITION, BODY_CARRIED };
enum { RESULT_CONDITION, RESULT_CARRIED };

/* A tensor whose rows the body reads, and the row of this pass. */
struct slice {
	const struct onnx_value *of;
	struct nn_build_tensor row;
};

struct onnx_scan {
	const Onnx__GraphProto *body;
	uint32_t carried; /* values that go from one iteration to the next */
	struct slice *slices;
	uint32_t slice_count;
	struct nn_build_tensor *variables;
	bool one_was_batch;
};

const Onnx__GraphProto *onnx_loop_body(const Onnx__NodeProto *node)
{
	const Onnx__AttributeProto *attr;

	if (strcmp(node->op_type, "Loop") ||
	    (node->domain && *node->domain && strcmp(node->domain, "ai.onnx")))
		return NULL;
	attr = onnx_attr(node, "body");
	return attr ? attr->g : NULL;
}

/* ---- Numbers that only say which row ---- */

bool onnx_is_index(struct onnx_import *import)
{
	return onnx_input(import, 0)->kind == ONNX_ITERATION &&
	       strcmp(import->node->op_type, "Gather");
}

/* The dimensions, none or one, that the current node gives to the number of an iteration. */
static int find_index_rank(struct onnx_import *import, uint32_t *rank)
{
	const char *op = import->node->op_type;
	int64_t numbers[NN_MAX_RANK]; /* axes, or a shape */
	bool is_reshape = !strcmp(op, "Reshape"), fits = true;
	uint32_t count = 0;
	int err = 0;

	*rank = onnx_input(import, 0)->tensor.rank;
	if (is_reshape || !strcmp(op, "Squeeze") || !strcmp(op, "Unsqueeze"))
		err = onnx_read_ints(import, 1, "axes", numbers, &count);
	else if (strcmp(op, "Identity"))
		fits = false;
	if (err)
		return err;
	for (uint32_t i = 0; i < count; i++)
		fits &= numbers[i] == -1 || numbers[i] == is_reshape;
	if (is_reshape)
		*rank = count;
	else if (!strcmp(op, "Squeeze"))
		*rank = 0;
	else
		*rank += count;
	if (fits && *rank <= 1)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "it makes other than one number, with no dimension or one, of the number of "
			 "a Loop's iteration");
}

int onnx_lower_index(struct onnx_import *import)
{
	struct onnx_value value = *onnx_input(import, 0);
	int err = find_index_rank(import, &value.tensor.rank);

	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Gather ---- */

static int gather_row(struct onnx_import *import, const struct onnx_value *x,
		      const struct onnx_value *index)
{
	const struct onnx_scan *scan = import->scan;
	struct onnx_value *output = onnx_output(import, 0);
	struct onnx_value value = *x;
	int err;

	for (uint32_t i = 0; i < scan->slice_count; i++) {
		if (scan->slices[i].of == x)
			value.tensor = scan->slices[i].row;
	}
	value.tensor.dims[0] = NN_ROWS;
	err = onnx_define(import, 0, &value);
	if (err || !output || index->tensor.rank)
		return err;
	output->rowless = true;
	for (uint32_t i = 0; i < output->user_count; i++) {
		const Onnx__NodeProto *user = import->steps[output->users[i]].node;

		if (strcmp(user->op_type, "Unsqueeze"))
			return onnx_fail(
				import, -EOPNOTSUPP,
				"it takes a row without its dimension; that must be added by an Unsqueeze at once, not be read by %s",
				onnx_quote(import, user->op_type));
	}
	return 0;
}

int onnx_lower_gather(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0), *index = onnx_input(import, 1);
	int64_t axis = onnx_attr_int(import->node, "axis", 0);

	if (index->kind == ONNX_ITERATION && onnx_is_tensor(x) && axis == 0)
		return gather_row(import, x, index);
	if (index->kind == ONNX_CONST)
		return onnx_lower_gather_constant(import);
	if (index->kind == ONNX_STORED)
		return onnx_lower_gather_computed(import);
	return onnx_fail(import, -EOPNOTSUPP,
			 "its indices are neither a constant nor a tensor of integers, and it does "
			 "not take the row of a Loop's iteration (axis 0)");
}

/* ---- The beginning of a Loop ---- */

static int check_shape_of_loop(struct onnx_import *import, const struct onnx_scan *scan)
{
	const Onnx__NodeProto *node = import->node;
	const struct onnx_value *condition = onnx_input(import, LOOP_CONDITION);

	if (node->n_input < LOOP_CARRIED || scan->body->n_input != node->n_input ||
	    scan->body->n_output < RESULT_CARRIED + scan->carried ||
	    node->n_output + RESULT_CARRIED != scan->body->n_output)
		return onnx_fail(import, -EINVAL,
				 "it has %zu inputs and %zu outputs, and its body %zu and %zu",
				 node->n_input, node->n_output, scan->body->n_input,
				 scan->body->n_output);
	for (size_t i = 0; i < scan->body->n_input; i++) {
		const struct onnx_value *value = onnx_find(import, scan->body->input[i]->name);

		if (!value)
			return onnx_fail(import, -EINVAL, "an input of its body has no name");
		if (value->kind != ONNX_UNDEFINED)
			return onnx_fail(import, -EINVAL, "its body has an input %s, which the "
					 "model defines, too",
					 onnx_quote(import, value->tensor.name));
	}
	if (node->n_output == scan->carried)
		return onnx_fail(import, -EOPNOTSUPP, "it has no scan outputs");
	if (import->loop_count)
		return onnx_fail(import, -EOPNOTSUPP, "there is a loop before it");
	if (condition->kind != ONNX_ABSENT &&
	    (condition->kind != ONNX_CONST ||
	     !nn_const_is_one(&condition->constant, NN_ELEMENT_BOOL) ||
	     !*(const uint8_t *)condition->constant.data))
		return onnx_fail(import, -EOPNOTSUPP, "its condition is not always true");
	return 0;
}

static bool is_sliced(const struct onnx_scan *scan, const struct onnx_value *value)
{
	for (uint32_t i = 0; i < scan->slice_count; i++) {
		if (scan->slices[i].of == value)
			return true;
	}
	return false;
}

/*
 * Collects the tensors whose rows the body takes. Numbers have kinds only when their nodes are
 * lowered; here a mark on names that follow from the iteration's will do.
 */
static int find_slices(struct onnx_import *import, struct onnx_scan *scan)
{
	bool *numbers = onnx_alloc(import, import->value_count, sizeof(*numbers));

	scan->slices = onnx_alloc(import, scan->body->n_node, sizeof(*scan->slices));
	if (!numbers || !scan->slices)
		return -ENOMEM;
	numbers[onnx_find(import, scan->body->input[BODY_ITERATION]->name) - import->values] = true;
	for (size_t i = 0; i < scan->body->n_node; i++) {
		const Onnx__NodeProto *node = scan->body->node[i];
		const struct onnx_value *x, *index, *result;

		x = node->n_input ? onnx_find(import, node->input[0]) : NULL;
		if (!x || !node->n_output)
			continue;
		result = onnx_find(import, node->output[0]);
		if (numbers[x - import->values] && onnx_only_moves(node)) {
			if (result)
				numbers[result - import->values] = true;
			continue;
		}
		index = node->n_input > 1 ? onnx_find(import, node->input[1]) : NULL;
		if (strcmp(node->op_type, "Gather") || !index || !numbers[index - import->values] ||
		    is_sliced(scan, x))
			continue;
		if (x->kind == ONNX_REFUSED)
			return onnx_follow(import);
		if (!onnx_is_tensor(x) || x->unrounded)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"its body takes rows of %s, which is not a quantized tensor made before the loop",
				onnx_quote(import, x->tensor.name));
		scan->slices[scan->slice_count++].of = x;
	}
	if (!scan->slice_count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its body takes no rows by the number of the iteration");
	return 0;
}

/* Whether the body takes rows of the tensor that says how often it runs. */
static bool counts_slices(const struct onnx_scan *scan, const struct onnx_value *trips)
{
	for (uint32_t i = 0; i < scan->slice_count; i++) {
		const struct nn_input *a = &scan->slices[i].of->tensor.source,
				      *b = &trips->rows_of->tensor.source;

		if (a->src_id == b->src_id && a->output_idx == b->output_idx)
			return true;
	}
	return false;
}

/* Whether a value is how many rows a tensor has, and nothing else. */
static bool is_row_count(const struct onnx_value *value)
{
	return value->kind == ONNX_ROW_COUNT && value->constant.count == 1 && value->batch[0] &&
	       nn_const_is_one(&value->constant, NN_ELEMENT_INT64) &&
	       nn_const_int(&value->constant, 0) == 1;
}

/* The loop-control node, for as many rows as the trip count says. */
static int append_lcn(struct onnx_import *import, struct onnx_scan *scan)
{
	const struct onnx_value *trips = onnx_input(import, LOOP_TRIPS);
	struct nn_attr batch[] = { { .name = "step", .type = NN_ATTR_INT, .i = 1 } };
	struct nn_attr count[] = { { .name = "current", .type = NN_ATTR_INT, .i = 1 },
				   { .name = "total", .type = NN_ATTR_INT } };
	bool constant = trips->kind == ONNX_CONST &&
			nn_const_is_one(&trips->constant, NN_ELEMENT_INT64);
	struct nn_build_tensor *inputs = onnx_alloc(import, scan->slice_count, sizeof(*inputs));
	struct nn_build_tensor *rows = onnx_alloc(import, scan->slice_count, sizeof(*rows));
	int err;

	if (!inputs || !rows)
		return -ENOMEM;
	if (!constant && !is_row_count(trips))
		return onnx_fail(
			import, -EOPNOTSUPP,
			"its trip count is neither a constant nor the number of a tensor's rows");
	if (!constant && !counts_slices(scan, trips))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it runs as often as %s has rows, of which its body takes none",
				 onnx_quote(import, trips->rows_of->tensor.name));
	if (constant)
		count[1].i = nn_const_int(&trips->constant, 0);
	if (constant && (count[1].i < 1 || count[1].i > INT32_MAX))
		return onnx_fail(import, -EOPNOTSUPP, "it runs %" PRId64 " times", count[1].i);
	for (uint32_t i = 0; i < scan->slice_count; i++) {
		const struct onnx_value *of = scan->slices[i].of;

		inputs[i] = of->tensor;
		if (constant && (nn_is_rows(of->tensor.dims[0]) || of->tensor.dims[0] < count[1].i))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it runs %" PRId64 " times, and %s may have fewer rows",
					 count[1].i, onnx_quote(import, of->tensor.name));
		if (!constant && (of->tensor.dims[0] != trips->rows_of->tensor.dims[0] ||
				  nn_rows_count(of->tensor.dims[0]) != 1))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it runs as often as %s has rows, and takes rows of %s",
					 onnx_quote(import, trips->rows_of->tensor.name),
					 onnx_quote(import, of->tensor.name));
	}
	err = nn_build_loop(&import->builder, constant ? "CountLoop" : "BatchLoop", inputs,
			    scan->slice_count, constant ? count : batch, constant ? 2 : 1, rows);
	import->loop_count++;
	for (uint32_t i = 0; !err && i < scan->slice_count; i++)
		scan->slices[i].row = rows[i];
	return err;
}

/* Makes a node of the graph of what a carried value begins with. */
static int initial_value(struct onnx_import *import, const struct onnx_value *from,
			 const struct onnx_value *in_body, struct nn_build_tensor *initial)
{
	struct nn_tensor_info info = { .name = from->tensor.name, .rank = from->tensor.rank };
	struct nn_quant quant = from->tensor.quant;
	int err;

	if (from->tensor.rank < 1 || from->tensor.dims[0] != 1)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the value %s that it carries must have 1 as its first dimension",
				 onnx_quote(import, in_body->tensor.name));
	if (from->kind == ONNX_STORED || (from->kind == ONNX_REAL && !from->unrounded))
		return nn_build_layout(&import->builder, &from->tensor, NN_LAYOUT_PLAIN, initial);
	if (!onnx_is_const(from) || from->unrounded)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the value %s that it carries is computed in float",
				 onnx_quote(import, in_body->tensor.name));
	info.type = nn_element_to_type(from->constant.element);
	memcpy(info.dims, from->tensor.dims, sizeof(info.dims));
	err = from->kind == ONNX_REAL_CONST ?
		      0 :
		      onnx_find_quant(import, in_body, true, info.type, &quant);
	if (err)
		return err;
	if (!nn_type_is_8bit(info.type) || quant.scales)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"the value %s that it carries is not quantized to 8 bits with one scale",
			onnx_quote(import, in_body->tensor.name));
	info.scale = quant.scale;
	info.zero_point = quant.zero_point;
	err = nn_build_const(&import->builder, &info, from->constant.data, initial);
	initial->quant = quant;
	return err;
}

static int begin_carried(struct onnx_import *import, struct onnx_scan *scan, uint32_t i)
{
	struct onnx_value *value = onnx_find(import, scan->body->input[BODY_CARRIED + i]->name);
	const struct onnx_value *from = onnx_input(import, LOOP_CARRIED + i);
	struct nn_attr level = { .name = "level", .type = NN_ATTR_INT, .i = import->loop_count };
	struct nn_build_tensor initial = { 0 }, *variable = &scan->variables[i];
	int err;

	err = initial_value(import, from, value, &initial);
	if (!err)
		err = nn_build_node(&import->builder, "Variable", &initial, 1, &level, 1,
				    &initial.quant, variable);
	if (err)
		return err;
	variable->name = value->tensor.name;
	variable->rank = from->tensor.rank;
	memcpy(variable->dims, from->tensor.dims, sizeof(variable->dims));
	variable->dims[0] = NN_ROWS;
	value->kind = from->kind == ONNX_STORED || from->kind == ONNX_CONST ? ONNX_STORED :
									      ONNX_REAL;
	value->tensor = *variable;
	value->in_loop = true;
	return 0;
}

int onnx_begin_scan(struct onnx_import *import)
{
	struct onnx_scan *scan = onnx_alloc(import, 1, sizeof(*scan));
	static const uint8_t always = 1;
	struct onnx_value *value;
	int err;

	if (!scan)
		return -ENOMEM;
	scan->body = onnx_loop_body(import->node);
	scan->carried = import->node->n_input < LOOP_CARRIED ? 0 :
							       import->node->n_input - LOOP_CARRIED;
	scan->variables = onnx_alloc(import, scan->carried, sizeof(*scan->variables));
	if (!scan->variables)
		return -ENOMEM;
	err = check_shape_of_loop(import, scan);
	if (!err)
		err = find_slices(import, scan);
	if (!err)
		err = append_lcn(import, scan);
	for (uint32_t i = 0; i < scan->carried && !err; i++)
		err = begin_carried(import, scan, i);
	if (err)
		return err;

	value = onnx_find(import, scan->body->input[BODY_ITERATION]->name);
	value->kind = ONNX_ITERATION;
	value->in_loop = true;
	value = onnx_find(import, scan->body->input[BODY_CONDITION]->name);
	value->kind = ONNX_CONST;
	value->constant =
		(struct nn_const){ .element = NN_ELEMENT_BOOL, .count = 1, .data = &always };
	/* A row a pass: where the body says 1 for the first dimension, it means the row. */
	scan->one_was_batch = import->one_is_batch;
	import->one_is_batch = true;
	import->scan = scan;
	return 0;
}

/* ---- The end of a Loop ---- */

/* An output of the body, stored. */
static int result(struct onnx_import *import, const char *name, struct onnx_value *out)
{
	const struct onnx_value *value = onnx_find(import, name);
	struct nn_quant quant;
	int err;

	if (!value || value->kind == ONNX_UNDEFINED)
		return onnx_fail(import, -EINVAL, "nothing in its body makes %s",
				 onnx_quote(import, name));
	if (value->kind == ONNX_REFUSED)
		return onnx_follow(import);
	*out = *value;
	if (value->kind == ONNX_PENDING) {
		err = onnx_find_quant(import, value, false, 0, &quant);
		if (!err)
			err = onnx_settle(import, value, &quant, &out->tensor);
		out->kind = ONNX_REAL;
		return err;
	}
	if (!value->in_loop || !onnx_is_tensor(value))
		return onnx_fail(import, -EOPNOTSUPP,
				 "%s is the same in each iteration, or a number",
				 onnx_quote(import, name));
	return 0;
}

/*
 * Finds what the variable is in the next iteration. Its last value is none of the rows that a loop
 * gives.
 */
static int find_next(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct onnx_scan *scan = import->scan;
	const Onnx__GraphProto *graph = import->model->graph;
	const char *name = import->node->output[i];
	struct onnx_value *last = onnx_find(import, name), next;
	bool wanted = last && last->user_count;
	int err;

	for (size_t k = 0; last && k < graph->n_output; k++)
		wanted |= graph->output[k]->name && !strcmp(graph->output[k]->name, name);
	if (wanted)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"its output %s is what it carried last; nnloop gives scan outputs only",
			onnx_quote(import, name));
	err = result(import, scan->body->output[RESULT_CARRIED + i]->name, &next);
	if (err)
		return err;
	if (!nn_quant_equal(&next.tensor.quant, &scan->variables[i].quant))
		return onnx_fail(
			import, -EOPNOTSUPP,
			"the value %s that it carries has another scale or zero point than it began with",
			onnx_quote(import, next.tensor.name));
	err = nn_build_layout(&import->builder, &next.tensor, NN_LAYOUT_PLAIN, out);
	/* It can be another variable as it was, which has been assigned when this one is. */
	if (!err && i)
		err = nn_build_node(&import->builder, "Copy", out, 1, NULL, 0, &next.tensor.quant,
				    out);
	return err;
}

/* Changes the variables, all at once. */
static int end_carried(struct onnx_import *import)
{
	const struct onnx_scan *scan = import->scan;
	struct nn_build_tensor *nexts = onnx_alloc(import, scan->carried, sizeof(*nexts)), assigned;
	int err = nexts ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < scan->carried && !err; i++)
		err = find_next(import, i, &nexts[i]);
	for (uint32_t i = 0; i < scan->carried && !err; i++) {
		struct nn_build_tensor inputs[2] = { scan->variables[i], nexts[i] };

		err = nn_build_node(&import->builder, "Assign", inputs, 2, NULL, 0,
				    &scan->variables[i].quant, &assigned);
	}
	return err;
}

/* A scan output has one dimension more than what the body makes: the iterations. */
static int end_scan_output(struct onnx_import *import, uint32_t i)
{
	const struct onnx_scan *scan = import->scan;
	uint32_t dims[NN_MAX_RANK] = { NN_ROWS };
	struct onnx_value value;
	int err;

	err = result(import, scan->body->output[RESULT_CARRIED + i]->name, &value);
	if (err)
		return err;
	/* A row without a dimension for it becomes one of the output's as it is. */
	if (!value.rowless) {
		if (value.tensor.rank == NN_MAX_RANK)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its output %" PRIu32 " has more than %d dimensions", i,
					 NN_MAX_RANK);
		if (!nn_is_rows(value.tensor.dims[0]))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its output %" PRIu32 " does not consist of rows", i);
		dims[1] = 1;
		memcpy(&dims[2], &value.tensor.dims[1], (value.tensor.rank - 1) * sizeof(*dims));
		err = nn_build_reshape(&import->builder, &value.tensor, value.tensor.rank + 1, dims,
				       &value.tensor);
		if (err)
			return err;
	}
	err = onnx_define(import, i, &value);
	if (!err && onnx_output(import, i))
		onnx_output(import, i)->in_loop = true;
	return err;
}

static int end_outputs(struct onnx_import *import, const struct onnx_scan *scan)
{
	const struct onnx_value *condition =
		onnx_find(import, scan->body->output[RESULT_CONDITION]->name);
	int err = 0;

	if (condition && condition->kind == ONNX_REFUSED)
		return onnx_follow(import);
	if (!condition || condition->kind != ONNX_CONST ||
	    !nn_const_is_one(&condition->constant, NN_ELEMENT_BOOL) ||
	    !*(const uint8_t *)condition->constant.data)
		return onnx_fail(import, -EOPNOTSUPP, "its condition is not always true");
	for (uint32_t i = 0; i < import->node->n_output && !err; i++)
		err = i < scan->carried ? 0 : end_scan_output(import, i);
	/* Last: whoever reads a variable above reads what it was. */
	return err ? err : end_carried(import);
}

/* Forgets what a body makes, which is nobody's but its own. */
static void forget_body(struct onnx_import *import, const Onnx__GraphProto *body)
{
	for (size_t i = 0; i < body->n_input; i++)
		onnx_find(import, body->input[i]->name)->kind = ONNX_UNDEFINED;
	for (size_t i = 0; i < body->n_node; i++) {
		for (size_t k = 0; k < body->node[i]->n_output; k++) {
			struct onnx_value *value = onnx_find(import, body->node[i]->output[k]);

			if (value)
				value->kind = ONNX_UNDEFINED;
		}
	}
}

int onnx_end_scan(struct onnx_import *import)
{
	struct onnx_scan *scan = import->scan;
	int err = end_outputs(import, scan);

	forget_body(import, scan->body);
	import->one_is_batch = scan->one_was_batch;
	import->scan = NULL;
	return err;
}
