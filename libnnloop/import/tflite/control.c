// SPDX-License-Identifier: MIT
/*
 * WHILE and IF, which run other graphs of the file. Each is walked where it runs, as often as it does:
 * its inputs are what the operator hands it, its outputs what the operator makes of it.
 *
 * A WHILE whose condition only counts up to a number makes a loop of that many iterations. Else its
 * condition's graph is walked twice: in front of the loop, and behind the body, in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* Operators of all graphs that others run: a small file cannot make many. */
#define MOST_RUN 65536

enum { CODE_LESS = 58, CODE_ADD = 0, CODE_LOGICAL_AND = 86 };

/* A graph that is walked, while another one is. */
struct frame {
	struct tflite_graph graph;
	const struct tflite_operator *now;
};

/* A tensor that goes into a graph or comes out of it. */
struct passed {
	/* What a graph is handed that stays one there, such as weights, and is not made; else NULL. */
	const struct tflite_tensor *constant;
	struct nn_build_tensor tensor;
	bool is_real; /* integers stand for what the file has as float32 */
};

/* ---- Graphs ---- */

static void leave(struct tflite_import *import, const struct frame *frame)
{
	import->depth--;
	tflite_set_graph(import, &frame->graph);
	tflite_look_at(import, frame->now);
}

/* Makes sentences be about the operator that runs the graph again. */
static void look_back(struct tflite_import *import, const struct frame *frame)
{
	struct tflite_tensor *tensors = import->tensors;

	import->tensors = frame->graph.tensors;
	tflite_look_at(import, frame->now);
	import->tensors = tensors;
}

/* Reads a graph, to be walked now; it must be left in any case. */
static int enter(struct tflite_import *import, int64_t index, struct frame *frame)
{
	int err;

	*frame = (struct frame){ tflite_graph_of(import), import->now };
	if (++import->depth > NN_MAX_LOOPSTACK)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it is inside of %d others; nnloop has as many loops, one inside "
				   "the other", NN_MAX_LOOPSTACK);
	if (index < 0)
		return tflite_fail(import, -EINVAL, "it refers to graph %" PRId64, index);
	err = tflite_read_subgraph(import, index);
	if (!err && !import->run_graphs)
		import->run_graphs = tflite_alloc(import, import->graphs.count,
						  sizeof(*import->run_graphs));
	if (!err && !import->run_graphs)
		err = -ENOMEM;
	if (!err) {
		import->inner_operators += import->run_graphs[index] ? 0 : import->operator_count;
		import->run_graphs[index] = true;
		import->run_operators += import->operator_count;
		if (import->run_operators > MOST_RUN)
			err = tflite_fail(import, -EOPNOTSUPP,
					  "the graphs that it and others run have more than %d "
					  "operators", MOST_RUN);
	}
	if (!err)
		err = tflite_check(import);
	if (!err)
		tflite_count_readers(import);
	look_back(import, frame);
	return err;
}

static bool has_shape(const struct nn_build_tensor *made, const struct tflite_tensor *tensor)
{
	return made->rank == tensor->rank &&
	       !memcmp(made->dims, tensor->dims, tensor->rank * sizeof(*made->dims));
}

/* How a tensor of a graph is quantized: as the file says or, of float32, as its first QUANTIZE. */
static int find_passed_quant(struct tflite_import *import, const struct tflite_tensor *tensor,
			     const struct passed *given, struct nn_quant *quant)
{
	int err;

	if (!tflite_stands_for(import, tensor))
		return tflite_tensor_quant(import, tensor, quant);
	err = tflite_find_input_quant(import, tensor, quant);
	if (err != -ENOENT)
		return err;
	*quant = given->tensor.quant;
	return 0;
}

static int fail_other(struct tflite_import *import, const struct tflite_tensor *tensor,
		      const char *what)
{
	return tflite_fail(import, -EOPNOTSUPP,
			   "%s of its graph has another %s than what is handed to it",
			   tflite_quote(import, tensor->name), what);
}

/* Makes an input of the graph a constant that is handed to it. */
static int bind_constant(struct tflite_import *import, struct tflite_tensor *tensor,
			 const struct tflite_tensor *constant)
{
	struct nn_quant quant, theirs;
	int err;

	if (constant->rank != tensor->rank ||
	    memcmp(constant->dims, tensor->dims, tensor->rank * sizeof(*tensor->dims)))
		return fail_other(import, tensor, "shape");
	if (constant->type != tensor->type)
		return fail_other(import, tensor, "type");
	if (constant->scales.count || tensor->scales.count) {
		err = tflite_tensor_quant(import, constant, &theirs);
		if (!err)
			err = tflite_tensor_quant(import, tensor, &quant);
		if (err)
			return err;
		if (!nn_quant_equal(&quant, &theirs))
			return fail_other(import, tensor, "scale or zero point");
	}
	tensor->constant = constant->constant;
	tensor->is_constant = true;
	return 0;
}

/* Makes input i of the graph that was entered what is handed to it. */
static int bind(struct tflite_import *import, uint32_t i, const struct passed *given)
{
	struct tflite_tensor *tensor = &import->tensors[import->inputs[i]];
	struct nn_quant quant;
	int err;

	if (tensor->is_constant || tensor->made)
		return tflite_fail(import, -EINVAL, "input %s of its graph is a constant, or there "
				   "twice", tflite_quote(import, tensor->name));
	if (given->constant)
		return bind_constant(import, tensor, given->constant);
	for (uint32_t k = 0; k < tensor->rank && tensor->rank == given->tensor.rank; k++) {
		if (tensor->open & 1u << k)
			tensor->dims[k] = given->tensor.dims[k];
	}
	if (!has_shape(&given->tensor, tensor))
		return fail_other(import, tensor, "shape");
	err = find_passed_quant(import, tensor, given, &quant);
	if (err)
		return err;
	if (given->is_real != tflite_stands_for(import, tensor) ||
	    !nn_quant_equal(&quant, &given->tensor.quant))
		return fail_other(import, tensor, "type, scale or zero point");
	tensor->made = tflite_alloc(import, 1, sizeof(*tensor->made));
	if (!tensor->made)
		return -ENOMEM;
	*tensor->made = given->tensor;
	tensor->made->name = tensor->name;
	tensor->is_real = given->is_real;
	return 0;
}

static int bind_all(struct tflite_import *import, const struct passed *given, uint32_t count)
{
	int err = 0;

	if (import->input_count != count)
		return tflite_fail(import, -EINVAL,
				   "it hands %" PRIu32 " tensors to a graph that has %" PRIu32
				   " inputs", count, import->input_count);
	for (uint32_t i = 0; i < count && !err; i++)
		err = bind(import, i, &given[i]);
	return err;
}

/* ---- Tensors ---- */

/* A constant of floats, of which each is what some integer stands for. */
static int pass_floats(struct tflite_import *import, const struct tflite_tensor *tensor,
		       const struct nn_quant *quant, struct passed *out)
{
	struct nn_const stored, back;
	int err = nn_const_quantize(&import->builder, &tensor->constant, quant, &stored);

	if (!err)
		err = nn_const_dequantize(&import->builder, &stored, quant, &back);
	for (uint64_t i = 0; i < stored.count && !err; i++) {
		if (nn_const_float(&back, i) != nn_const_float(&tensor->constant, i))
			err = tflite_fail(import, -EOPNOTSUPP,
					  "its constant %s of float32 has numbers between those that "
					  "it is quantized to", tflite_quote(import, tensor->name));
	}
	return err ? err : nn_build_fixed_const(&import->builder, &out->tensor, stored.data);
}

/* A constant as a tensor of the graph; `wanted`: how one of floats is quantized, or NULL. */
static int pass_constant(struct tflite_import *import, const struct tflite_tensor *tensor,
			 const struct nn_quant *wanted, struct passed *out)
{
	int err;

	out->constant = NULL;
	out->tensor = (struct nn_build_tensor){ .name = tensor->name, .rank = tensor->rank };
	memcpy(out->tensor.dims, tensor->dims, sizeof(out->tensor.dims));
	out->is_real = tflite_stands_for(import, tensor);
	if (!tensor->rank)
		out->tensor.dims[0] = 1;
	if (out->is_real && wanted) {
		out->tensor.quant = *wanted;
		return pass_floats(import, tensor, wanted, out);
	}
	err = tflite_tensor_quant(import, tensor, &out->tensor.quant);
	return err ? err : nn_build_fixed_const(&import->builder, &out->tensor,
						tensor->constant.data);
}

/* A tensor of the graph that is walked, for another one. */
static int pass(struct tflite_import *import, int32_t index, const struct nn_quant *wanted,
		struct passed *out)
{
	struct tflite_tensor *tensor = index < 0 ? NULL : &import->tensors[index];
	int err;

	if (!tensor)
		return tflite_fail(import, -EINVAL, "one of its inputs is left out");
	if (tensor->is_refused)
		return nn_builder_follow(&import->builder);
	if (tensor->is_constant && !tensor->made)
		return pass_constant(import, tensor, wanted, out);
	if (tensor->is_filled && !tensor->is_real && !tensor->made) {
		err = tflite_make_filled(import, tensor);
		if (err)
			return err;
	}
	if (!tensor->made || tensor->reals || tensor->blocks || tensor->is_item)
		return tflite_fail(import, -EOPNOTSUPP,
				   "%s, which goes through it, is computed in float32, or not made",
				   tflite_quote(import, tensor->name));
	*out = (struct passed){ .tensor = *tensor->made, .is_real = tensor->is_real };
	return 0;
}

/* How the input of a graph is quantized that is handed an input of the current operator; NULL:
 * nothing in it says so. The graph is entered. */
static const struct nn_quant *find_wanted(struct tflite_import *import, uint32_t i,
					  struct nn_quant *quant)
{
	const struct tflite_tensor *tensor;

	if (i >= import->input_count)
		return NULL;
	tensor = &import->tensors[import->inputs[i]];
	if (!tflite_stands_for(import, tensor))
		return NULL;
	return tflite_find_input_quant(import, tensor, quant) ? NULL : quant;
}

/* Whether an input is a constant, and can be one in a graph that is handed it. */
static bool stays_constant(const struct tflite_import *import, int32_t index)
{
	return index >= 0 && import->tensors[index].is_constant && !import->tensors[index].made;
}

/*
 * The current operator's inputs from `first` on, for graph `index`. What is `carried` changes from
 * one time to the next, so that constants are only what it is at first.
 */
static int pass_inputs(struct tflite_import *import, uint32_t first, int64_t index, bool carried,
		       struct passed **out)
{
	const struct tflite_operator *now = import->now;
	uint32_t count = now->input_count - first;
	struct nn_quant *quants = tflite_alloc(import, count, sizeof(*quants));
	const struct nn_quant **wanted = tflite_alloc(import, count, sizeof(*wanted));
	struct frame frame;
	int err;

	*out = tflite_alloc(import, count, sizeof(**out));
	if (!*out || !quants || !wanted)
		return -ENOMEM;
	err = enter(import, index, &frame);
	for (uint32_t i = 0; i < count && !err; i++)
		wanted[i] = find_wanted(import, i, &quants[i]);
	leave(import, &frame);
	for (uint32_t i = 0; i < count && !err; i++) {
		const int32_t input = now->inputs[first + i];

		if (!carried && stays_constant(import, input))
			(*out)[i].constant = &import->tensors[input];
		else
			err = pass(import, input, wanted[i], &(*out)[i]);
	}
	return err;
}

/* Runs a graph: *outputs is what comes out of it. */
static int run(struct tflite_import *import, int64_t index, const struct passed *inputs,
	       uint32_t count, const struct passed *like, struct passed **outputs,
	       uint32_t *output_count)
{
	struct frame frame;
	int err = enter(import, index, &frame);

	if (!err)
		err = bind_all(import, inputs, count);
	if (!err)
		err = tflite_walk(import);
	look_back(import, &frame);
	if (!err) {
		*output_count = import->output_count;
		*outputs = tflite_alloc(import, import->output_count, sizeof(**outputs));
		if (!*outputs)
			err = -ENOMEM;
	}
	for (uint32_t i = 0; !err && i < import->output_count; i++)
		err = pass(import, import->outputs[i], like ? &like[i].tensor.quant : NULL,
			   &(*outputs)[i]);
	leave(import, &frame);
	return err;
}

/* Output i of the current operator is what a graph made. */
static int give(struct tflite_import *import, uint32_t i, const struct passed *made)
{
	struct tflite_tensor *tensor = &import->tensors[import->now->outputs[i]];
	struct nn_quant quant;
	int err;

	if (made->is_real != tflite_stands_for(import, tensor))
		return tflite_fail(import, -EINVAL, "its output %" PRIu32 " is of another type", i);
	if (!made->is_real) {
		err = tflite_tensor_quant(import, tensor, &quant);
		if (err)
			return err;
		if (!nn_quant_equal(&quant, &made->tensor.quant))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its output %" PRIu32 " has another type, scale or zero "
					   "point than what its graph makes", i);
	}
	err = tflite_define(import, i, &made->tensor);
	tensor->is_real = made->is_real;
	return err;
}

static int need_same(struct tflite_import *import, uint32_t i, const struct passed *a,
		     const struct passed *b)
{
	if (a->is_real == b->is_real && nn_quant_equal(&a->tensor.quant, &b->tensor.quant) &&
	    a->tensor.rank == b->tensor.rank &&
	    !memcmp(a->tensor.dims, b->tensor.dims, a->tensor.rank * sizeof(*a->tensor.dims)))
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "output %" PRIu32 " of its graph has another shape, type, scale or zero "
			   "point than it must have", i);
}

static int need_condition(struct tflite_import *import, const struct passed *condition)
{
	if (condition->tensor.quant.type == NN_BOOL && condition->tensor.rank <= 1 &&
	    condition->tensor.dims[0] == 1)
		return 0;
	return tflite_fail(import, -EINVAL, "its condition is no tensor of one bool");
}

/* ---- WHILE that counts ---- */

/* The constant that a tensor of the graph is, of one int32. */
static bool read_number(const struct tflite_import *import, int32_t index, int64_t *number)
{
	const struct tflite_tensor *tensor = index < 0 ? NULL : &import->tensors[index];

	if (!tensor || !tensor->is_constant ||
	    !nn_const_is_one(&tensor->constant, NN_ELEMENT_INT32))
		return false;
	*number = nn_const_int(&tensor->constant, 0);
	return true;
}

/* The input of the graph that a tensor is; -1: none. */
static int32_t find_input(const struct tflite_import *import, int32_t index)
{
	for (uint32_t i = 0; i < import->input_count; i++) {
		if (import->inputs[i] == index)
			return i;
	}
	return -1;
}

static const struct tflite_operator *find_maker(const struct tflite_import *import, int32_t index)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		for (uint32_t k = 0; k < operator->output_count; k++) {
			if (operator->outputs[k] == index)
				return operator;
		}
	}
	return NULL;
}

/* A number that counts up to an end, where that is known. */
struct counter {
	int32_t input; /* of the loop's */
	int64_t end;
};

/* Reads the numbers, one or two, that the condition holds against an end; 0: it is another condition.
 * The graph is entered. */
static uint32_t read_counters(const struct tflite_import *import, struct counter counters[2])
{
	const struct tflite_operator *operator;
	const struct tflite_operator *parts[2] = { NULL, NULL };
	uint32_t count = 1;

	if (import->output_count != 1)
		return 0;
	operator = find_maker(import, import->outputs[0]);
	parts[0] = operator;
	if (operator && operator->code == CODE_LOGICAL_AND && operator->input_count == 2) {
		count = 2;
		for (int i = 0; i < 2; i++)
			parts[i] = find_maker(import, operator->inputs[i]);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!parts[i] || parts[i]->code != CODE_LESS || parts[i]->input_count != 2)
			return 0;
		counters[i].input = find_input(import, parts[i]->inputs[0]);
		if (counters[i].input < 0 ||
		    !read_number(import, parts[i]->inputs[1], &counters[i].end))
			return 0;
	}
	return count;
}

/* Reads the step that the body adds to a number in each iteration; 0: it does something else. It is
 * entered. */
static int64_t read_step(const struct tflite_import *import, int32_t input)
{
	const struct tflite_operator *operator;
	int64_t step;

	if ((uint32_t)input >= import->output_count)
		return 0;
	operator = find_maker(import, import->outputs[input]);
	if (!operator || operator->code != CODE_ADD || operator->input_count != 2 ||
	    operator->option[0])
		return 0;
	for (int i = 0; i < 2; i++) {
		if (find_input(import, operator->inputs[i]) == input &&
		    read_number(import, operator->inputs[!i], &step) && step > 0)
			return step;
	}
	return 0;
}

/* How often a WHILE runs, where its condition only counts; 0: that is not known, or it does not. */
static int find_trips(struct tflite_import *import, int64_t condition, int64_t body,
		      int64_t *trips)
{
	const struct tflite_operator *now = import->now;
	struct counter counters[2];
	int64_t steps[2] = { 0 }, least = 0;
	struct frame frame;
	uint32_t count;
	int err;

	*trips = 0;
	err = enter(import, condition, &frame);
	count = err ? 0 : read_counters(import, counters);
	leave(import, &frame);
	if (err || !count)
		return err;
	err = enter(import, body, &frame);
	for (uint32_t i = 0; i < count && !err; i++)
		steps[i] = read_step(import, counters[i].input);
	leave(import, &frame);
	for (uint32_t i = 0; i < count && !err; i++) {
		int64_t from, needed;

		if (!steps[i] || (uint32_t)counters[i].input >= now->input_count ||
		    !read_number(import, now->inputs[counters[i].input], &from))
			return 0;
		needed = (counters[i].end - from + steps[i] - 1) / steps[i];
		if (counters[i].end <= from || needed > INT32_MAX)
			return 0;
		least = !i || needed < least ? needed : least;
	}
	*trips = least;
	return err;
}

/* ---- WHILE ---- */

/* Runs the condition's graph. */
static int run_condition(struct tflite_import *import, int64_t index, const struct passed *values,
			 uint32_t count, struct passed *out)
{
	struct passed *outputs;
	uint32_t output_count;
	int err = run(import, index, values, count, NULL, &outputs, &output_count);

	if (!err && output_count != 1)
		err = tflite_fail(import, -EINVAL, "its condition's graph has %" PRIu32 " outputs",
				  output_count);
	if (err)
		return err;
	*out = outputs[0];
	return need_condition(import, out);
}

int tflite_lower_while(struct tflite_import *import)
{
	const struct tflite_operator *now = import->now;
	const int64_t condition = now->option[0], body = now->option[1];
	uint32_t count = now->input_count, made_count;
	struct nn_build_tensor *variables = tflite_alloc(import, count, sizeof(*variables));
	struct nn_build_tensor *nexts = tflite_alloc(import, count, sizeof(*nexts));
	struct nn_body_desc desc = { .trips = INT32_MAX };
	struct passed *values, *made, begins, goes_on;
	struct nn_body *around = import->builder.body;
	struct nn_body scope;
	int64_t trips = 0;
	int err;

	if (!variables || !nexts)
		return -ENOMEM;
	if (now->output_count != count)
		return tflite_fail(import, -EINVAL,
				   "it has %" PRIu32 " inputs and %" PRIu32 " outputs", count,
				   now->output_count);
	err = pass_inputs(import, 0, body, true, &values);
	if (!err)
		err = find_trips(import, condition, body, &trips);
	if (!err && trips)
		desc.trips = trips;
	else if (!err)
		err = run_condition(import, condition, values, count, &begins);
	if (!err && !trips)
		desc.goes_on = &begins.tensor;
	if (!err)
		err = nn_build_scope(&import->builder, &desc, NULL, &scope);
	for (uint32_t i = 0; i < count && !err; i++) {
		err = nn_build_variable(&import->builder, &scope, &values[i].tensor, &variables[i]);
		values[i].tensor = variables[i];
	}
	if (!err)
		err = run(import, body, values, count, values, &made, &made_count);
	if (!err && made_count != count)
		err = tflite_fail(import, -EINVAL, "its body has %" PRIu32 " outputs, and it %" PRIu32,
				  made_count, count);
	for (uint32_t i = 0; i < count && !err; i++) {
		err = need_same(import, i, &made[i], &values[i]);
		if (!err)
			nexts[i] = made[i].tensor;
	}
	if (!err && !trips)
		err = run_condition(import, condition, made, count, &goes_on);
	if (!err && !trips)
		err = nn_build_continue(&import->builder, &scope, &goes_on.tensor);
	if (!err)
		err = nn_build_assign_all(&import->builder, variables, nexts, count);
	import->builder.body = around;
	for (uint32_t i = 0; i < count && !err; i++) {
		const struct tflite_tensor *output = &import->tensors[now->outputs[i]];
		struct passed last = { .is_real = values[i].is_real };

		if (!output->readers)
			continue;
		import->builder.result = output->name;
		err = nn_build_last(&import->builder, &variables[i], &last.tensor);
		if (!err)
			err = give(import, i, &last);
	}
	return err;
}

/* ---- IF ---- */

/* Runs one of the two graphs in a scope of its own. */
static int run_branch(struct tflite_import *import, int64_t index,
		      const struct nn_build_tensor *condition, struct nn_body *scope,
		      struct passed **made)
{
	struct nn_body_desc desc = { .counted = condition, .trips = 1 };
	struct nn_build_tensor *handed;
	struct passed *inputs;
	struct nn_body *around = import->builder.body;
	const uint32_t input_count = import->now->input_count - 1;
	uint32_t count, next = 0;
	int err = pass_inputs(import, 1, index, false, &inputs);

	if (err)
		return err;
	desc.inputs = tflite_alloc(import, input_count, sizeof(*desc.inputs));
	handed = tflite_alloc(import, input_count, sizeof(*handed));
	if (!desc.inputs || !handed)
		return -ENOMEM;
	for (uint32_t i = 0; i < input_count; i++) {
		if (!inputs[i].constant)
			desc.inputs[desc.count++] = &inputs[i].tensor;
	}
	err = nn_build_scope(&import->builder, &desc, handed, scope);
	for (uint32_t i = 0; i < input_count && !err; i++) {
		if (!inputs[i].constant)
			inputs[i].tensor = handed[next++];
	}
	if (!err)
		err = run(import, index, inputs, input_count, NULL, made, &count);
	import->builder.body = around;
	if (!err && count != import->now->output_count)
		err = tflite_fail(import, -EINVAL, "it has other outputs than its graph");
	return err;
}

/* The graph that is taken, where that is known: in the operator's place. */
static int lower_known_if(struct tflite_import *import, bool is_true)
{
	const int64_t index = import->now->option[!is_true];
	struct passed *inputs, *made;
	uint32_t count;
	int err = pass_inputs(import, 1, index, false, &inputs);

	if (!err)
		err = run(import, index, inputs, import->now->input_count - 1, NULL, &made, &count);
	if (!err && count != import->now->output_count)
		err = tflite_fail(import, -EINVAL, "it has other outputs than its graph");
	for (uint32_t i = 0; !err && i < count; i++)
		err = give(import, i, &made[i]);
	return err;
}

int tflite_lower_if(struct tflite_import *import)
{
	const struct tflite_operator *now = import->now;
	const struct tflite_tensor *input = &import->tensors[now->inputs[0] < 0 ? 0 : now->inputs[0]];
	const struct nn_attr function = {
		.name = "function", .type = NN_ATTR_STRING, .string = "xor"
	};
	struct passed condition, *made[2];
	struct nn_build_tensor otherwise;
	struct nn_operand operands[2];
	struct nn_body scopes[2];
	int err = pass(import, now->inputs[0], NULL, &condition);

	if (!err)
		err = need_condition(import, &condition);
	if (err)
		return err;
	if (input->is_constant)
		return lower_known_if(import, nn_const_int(&input->constant, 0));
	err = nn_number_operand(&import->builder, 1, &nn_quant_truth, &operands[0]);
	operands[1] = (struct nn_operand){ .tensor = &condition.tensor };
	if (!err)
		err = nn_build_whole_broadcast(&import->builder, "Integers", operands, 2, &function, 1,
					       &nn_quant_truth, &otherwise);
	for (int k = 0; k < 2 && !err; k++)
		err = run_branch(import, now->option[k], k ? &otherwise : &condition.tensor,
				 &scopes[k], &made[k]);
	for (uint32_t i = 0; i < now->output_count && !err; i++) {
		struct passed result = made[0][i];
		struct nn_build_tensor before, variable;

		err = need_same(import, i, &made[0][i], &made[1][i]);
		import->builder.result = import->tensors[now->outputs[i]].name;
		if (!err)
			err = nn_build_zeros(&import->builder, &result.tensor, &before);
		for (int k = 0; k < 2 && !err; k++) {
			err = nn_build_variable(&import->builder, &scopes[k], &before, &variable);
			if (!err)
				err = nn_build_assign_all(&import->builder, &variable,
							  &made[k][i].tensor, 1);
			if (!err)
				err = nn_build_last(&import->builder, &variable, &before);
		}
		result.tensor = before;
		if (!err)
			err = give(import, i, &result);
	}
	return err;
}
