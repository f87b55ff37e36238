// SPDX-License-Identifier: MIT
/*
 * Variables that a model reads and assigns by handles: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE.
 * Those with one name are one. What they are at first is what the subgraph of CALL_ONCE assigns, all
 * of which are constants, or zero. A variable that the model itself never assigns is a constant.
 *
 * Converters leave variables in float32, with a QUANTIZE behind what reads one and a DEQUANTIZE in
 * front of what is assigned. Such a variable keeps the integers that were dequantized. What it is at
 * first is quantized likewise, and must be what these integers stand for where anything but that
 * QUANTIZE reads it.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define MOST_VARIABLES 1024
#define MOST_ASSIGNED 4096 /* times, in all */

enum code { CODE_CALL_ONCE = 129, CODE_HANDLE = 142, CODE_READ, CODE_ASSIGN };
enum handle_option { CONTAINER, SHARED_NAME };
enum assign_input { HANDLE, VALUE };

struct tflite_variable {
	const char *container, *name; /* which it is; NULL is as "" */
	const struct tflite_tensor *initial; /* NULL: zero */
	/* Tensors of the model that are read of it or assigned to it, any of them and any of the
	 * latter; NULL: there are none. */
	const struct tflite_tensor *any, *assigned;
	bool is_made; /* `state` is there */
	bool is_read; /* by its name, since it was assigned */
	struct nn_build_tensor state;
};

static bool is_same_name(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* The variable of a handle, which is added if it is new. NULL: the error is set. */
static struct tflite_variable *find_variable(struct tflite_import *import,
					     const struct tflite_operator *operator)
{
	struct flatbuffer *file = &import->buffer;
	const char *container = flatbuffer_string(file, &operator->options, CONTAINER);
	const char *name = flatbuffer_string(file, &operator->options, SHARED_NAME);
	struct tflite_variable *variable;

	if (file->wrong) {
		tflite_check_encoding(import);
		return NULL;
	}
	for (uint32_t i = 0; i < import->variable_count; i++) {
		variable = &import->variables[i];
		if (is_same_name(variable->container, container) &&
		    is_same_name(variable->name, name))
			return variable;
	}
	if (import->variable_count == MOST_VARIABLES) {
		tflite_fail(import, -EOPNOTSUPP, "the model has more than %d variables",
			    MOST_VARIABLES);
		return NULL;
	}
	if (!import->variables)
		import->variables = tflite_alloc(import, MOST_VARIABLES, sizeof(*variable));
	if (!import->variables)
		return NULL;
	variable = &import->variables[import->variable_count++];
	variable->container = container;
	variable->name = name;
	return variable;
}

/* ---- What variables are at first ---- */

/* Takes in an operator of the subgraph that is called once. */
static int initialize(struct tflite_import *import, const struct tflite_graph *graph,
		      const struct tflite_operator *operator)
{
	const struct tflite_tensor *value;
	struct tflite_variable *variable;

	if (operator->code == CODE_HANDLE && operator->output_count == 1) {
		variable = find_variable(import, operator);
		graph->tensors[operator->outputs[0]].variable = variable;
		return variable ? 0 : tflite_failed(import);
	}
	if (operator->code != CODE_ASSIGN || operator->input_count != 2 ||
	    operator->inputs[HANDLE] < 0 || operator->inputs[VALUE] < 0)
		return tflite_fail(import, -EOPNOTSUPP,
				   "the subgraph that it calls has a node %s; nnloop knows VAR_HANDLE "
				   "and ASSIGN_VARIABLE there",
				   operator->code < 0 ? tflite_quote(import, operator->custom) :
							tflite_code_name(operator->code));
	variable = graph->tensors[operator->inputs[HANDLE]].variable;
	value = &graph->tensors[operator->inputs[VALUE]];
	if (!variable)
		return tflite_fail(import, -EINVAL,
				   "the subgraph that it calls assigns %s to what is no variable",
				   tflite_quote(import, value->name));
	if (!value->is_constant || !value->constant.element)
		return tflite_fail(import, -EOPNOTSUPP,
				   "the subgraph that it calls assigns %s, which is no constant",
				   tflite_quote(import, value->name));
	variable->initial = value;
	return 0;
}

/* Reads the subgraph that is called once. */
static int call_once(struct tflite_import *import, const struct tflite_operator *operator,
		     int64_t *called)
{
	const int64_t index = operator->option[0];
	struct tflite_graph graph;
	int err;

	/* Another call of it does nothing. */
	if (*called == index)
		return 0;
	if (*called >= 0)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it calls another subgraph than the one before; nnloop knows one");
	*called = index;
	err = tflite_read_graph(import, index, &graph);
	for (uint32_t i = 0; i < graph.operator_count && !err; i++)
		err = initialize(import, &graph, &graph.operators[i]);
	return err;
}

/* ---- Which there are ---- */

/* The variable that the handle of an operator is of. NULL: the error is set. */
static struct tflite_variable *handle_input(struct tflite_import *import)
{
	struct tflite_variable *variable = NULL;

	if (tflite_has_input(import, HANDLE))
		variable = import->tensors[import->now->inputs[HANDLE]].variable;
	if (!variable)
		tflite_fail(import, -EINVAL, "its input 0 is no handle that a VAR_HANDLE makes");
	return variable;
}

/* All tensors of a variable have one type and shape. */
static int check_like(struct tflite_import *import, const struct tflite_tensor *tensor,
		      const struct tflite_tensor *like)
{
	if (tensor->element == like->element && tensor->rank == like->rank &&
	    !memcmp(tensor->dims, like->dims, tensor->rank * sizeof(*tensor->dims)))
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "tensors %s and %s of one variable have different types or shapes",
			   tflite_quote(import, tensor->name), tflite_quote(import, like->name));
}

/* Takes in what an operator of the model says of a variable. */
static int look_at_use(struct tflite_import *import, uint32_t *assigned)
{
	const bool assigns = import->now->code == CODE_ASSIGN;
	struct tflite_variable *variable = handle_input(import);
	const struct tflite_tensor *tensor;

	if (!variable)
		return tflite_failed(import);
	if (assigns && !tflite_has_input(import, VALUE))
		return tflite_fail(import, -EINVAL, "its input 1 is left out");
	tensor = &import->tensors[assigns ? import->now->inputs[VALUE] : import->now->outputs[0]];
	if (assigns && ++*assigned > MOST_ASSIGNED)
		return tflite_fail(import, -EOPNOTSUPP,
				   "the model assigns variables in more than %d places", MOST_ASSIGNED);
	if (assigns)
		variable->assigned = tensor;
	if (!variable->any)
		variable->any = tensor;
	return check_like(import, tensor, variable->any);
}

/* Makes what an operator reads of a variable that is never assigned a constant. */
static int make_constant(struct tflite_import *import)
{
	struct tflite_tensor *tensor = &import->tensors[import->now->outputs[0]];
	const struct tflite_variable *variable = handle_input(import);

	if (!variable || variable->assigned)
		return variable ? 0 : tflite_failed(import);
	if (!variable->initial)
		return tflite_fail(import, -EINVAL, "it reads variable %s, which nothing assigns",
				   tflite_quote(import, variable->name));
	if (tensor->is_constant)
		return tflite_fail(import, -EINVAL, "tensor %s is made twice",
				   tflite_quote(import, tensor->name));
	tensor->is_constant = true;
	tensor->constant = variable->initial->constant;
	return check_like(import, tensor, variable->initial);
}

static int look_at(struct tflite_import *import, int64_t *called, uint32_t *assigned)
{
	struct tflite_variable *variable;

	switch (import->now->code) {
	case CODE_CALL_ONCE:
		return call_once(import, import->now, called);
	case CODE_HANDLE:
		variable = find_variable(import, import->now);
		import->tensors[import->now->outputs[0]].variable = variable;
		return variable ? 0 : tflite_failed(import);
	case CODE_READ:
	case CODE_ASSIGN:
		return look_at_use(import, assigned);
	}
	return 0;
}

int tflite_find_variables(struct tflite_import *import)
{
	uint32_t assigned = 0;
	int64_t called = -1; /* the subgraph; -1: none so far */
	int err = 0;

	for (uint32_t i = 0; i < 2 * import->operator_count && !err; i++) {
		struct tflite_operator *operator = &import->operators[i % import->operator_count];

		if (operator->is_refused)
			continue;
		tflite_look_at(import, operator);
		if (i < import->operator_count)
			err = look_at(import, &called, &assigned);
		else if (operator->code == CODE_READ)
			err = make_constant(import);
		err = tflite_note(import, operator, err);
	}
	tflite_look_at(import, NULL);
	return err;
}

/* ---- Their integers ---- */

/* Finds how the integers of a variable of float32 are quantized: as what is dequantized for it. */
static int find_real_quant(struct tflite_import *import, const struct tflite_variable *variable,
			   struct nn_quant *out)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		if (operator->op && !strcmp(operator->op->name, "DEQUANTIZE") &&
		    &import->tensors[operator->outputs[0]] == variable->assigned &&
		    operator->inputs[0] >= 0)
			return tflite_tensor_quant(import, &import->tensors[operator->inputs[0]], out);
	}
	return tflite_fail(import, -EOPNOTSUPP,
			   "its variable is of float32, and %s, which is assigned to it, is not what a "
			   "DEQUANTIZE makes" QUANTIZE_ALL, tflite_quote(import, variable->assigned->name));
}

/* Whether all that is made of a real tensor is quantized in that way before it is anything else. */
static bool is_only_quantized(const struct tflite_import *import, int32_t index,
			      const struct nn_quant *quant, uint32_t depth)
{
	static const char *const moves[] = {
		"EXPAND_DIMS", "RESHAPE", "SLICE", "SQUEEZE", "STRIDED_SLICE", "TRANSPOSE",
	};
	const struct tflite_tensor *tensor = &import->tensors[index];
	uint32_t readers = 0;

	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];
		bool is_fine = false;

		if (!operator->op || !operator->input_count || operator->inputs[0] != index)
			continue;
		readers++;
		if (operator->code == TFLITE_CODE_QUANTIZE) {
			const struct tflite_tensor *made = &import->tensors[operator->outputs[0]];

			is_fine = nn_element_to_type(made->element) == quant->type &&
				  made->scales.count == 1 &&
				  nn_const_float(&made->scales, 0) == quant->scale &&
				  tflite_first_zero_point(made) == quant->zero_point;
		}
		for (size_t k = 0; k < sizeof(moves) / sizeof(*moves) && depth; k++)
			is_fine |= !strcmp(moves[k], operator->op->name) &&
				   is_only_quantized(import, operator->outputs[0], quant, depth - 1);
		if (!is_fine)
			return false;
	}
	return readers == tensor->readers;
}

/* Whether nothing but its quantized elements is read of a variable. */
static bool is_read_quantized(const struct tflite_import *import,
			      const struct tflite_variable *variable, const struct nn_quant *quant)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		if (operator->code == CODE_READ && operator->op && operator->inputs[0] >= 0 &&
		    import->tensors[operator->inputs[0]].variable == variable &&
		    !is_only_quantized(import, operator->outputs[0], quant, 3))
			return false;
	}
	return true;
}

/* Quantizes what a variable of float32 is at first. NULL: the error is set. */
static const void *quantize_initial(struct tflite_import *import,
				    const struct tflite_variable *variable,
				    const struct nn_quant *quant)
{
	const struct nn_const *from = &variable->initial->constant;
	uint32_t width = nn_data_type_size(quant->type);
	void *integers = tflite_alloc(import, from->count, width);
	bool is_exact = true;

	if (!integers)
		return NULL;
	for (uint64_t i = 0; i < from->count; i++) {
		float real = nn_const_float(from, i);
		int32_t q = tflite_quantize_real(real, quant);

		is_exact &= (float)(q - quant->zero_point) * quant->scale == real;
		if (width == 2)
			((int16_t *)integers)[i] = (int16_t)q;
		else
			((uint8_t *)integers)[i] = (uint8_t)q;
	}
	if (is_exact || is_read_quantized(import, variable, quant))
		return integers;
	tflite_fail(import, -EOPNOTSUPP,
		    "variable %s begins with numbers of float32 that its integers cannot be, and more "
		    "than a QUANTIZE reads it", tflite_quote(import, variable->name));
	return NULL;
}

/* Finds how a variable is quantized, and its elements at first; NULL: zero. */
static int find_initial(struct tflite_import *import, const struct tflite_variable *variable,
			struct nn_quant *quant, const void **elements)
{
	const bool is_real = tflite_stands_for(import, variable->any);
	int err = is_real ? find_real_quant(import, variable, quant) :
			    tflite_tensor_quant(import, variable->any, quant);

	*elements = NULL;
	if (err)
		return err;
	if (is_real && !(quant->scale > 0 && (nn_type_is_8bit(quant->type) || quant->type == NN_INT16)))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its variable keeps what a DEQUANTIZE makes of %s",
				   nn_data_type_name(quant->type));
	if (!variable->initial)
		return 0;
	err = check_like(import, variable->initial, variable->any);
	if (err)
		return err;
	*elements = is_real ? quantize_initial(import, variable, quant) :
			      variable->initial->constant.data;
	return *elements ? 0 : tflite_failed(import);
}

static int make_state(struct tflite_import *import, struct tflite_variable *variable)
{
	struct nn_quant *quant = tflite_alloc(import, 1, sizeof(*quant));
	const struct tflite_tensor *any = variable->any;
	const void *initial;
	int err;

	if (!quant)
		return -ENOMEM;
	if (variable->is_made)
		return 0;
	if (!any->rank)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its variable is a single number without dimensions");
	err = find_initial(import, variable, quant, &initial);
	if (!err)
		err = nn_build_state(&import->builder, any->rank, any->dims, quant, initial,
				     &variable->state);
	variable->is_made = !err;
	return err;
}

/* ---- Operators ---- */

/* CALL_ONCE and VAR_HANDLE, of which all has been read. */
int tflite_lower_var_handle(struct tflite_import *import)
{
	(void)import;
	return 0;
}

int tflite_lower_read_variable(struct tflite_import *import)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	struct tflite_variable *variable = handle_input(import);
	struct nn_quant quant;
	int err;

	if (!variable)
		return tflite_failed(import);
	if (!variable->assigned)
		return 0;
	err = make_state(import, variable);
	if (!err && !tflite_stands_for(import, output)) {
		err = tflite_output_quant(import, 0, &quant);
		if (!err && !nn_quant_equal(&quant, &variable->state.quant))
			err = tflite_fail(import, -EOPNOTSUPP,
					  "its output is quantized in another way than its variable");
	}
	if (!err)
		err = tflite_define(import, 0, &variable->state);
	output->is_real = !err && tflite_stands_for(import, output);
	variable->is_read |= !err;
	return err;
}

static bool is_output(const struct tflite_import *import, int32_t index)
{
	for (uint32_t i = 0; i < import->output_count; i++) {
		if (import->outputs[i] == index)
			return true;
	}
	return false;
}

/* Copies all that was read of a variable and is needed when it has changed. */
static int keep_read(struct tflite_import *import, const struct tflite_variable *variable)
{
	const struct nn_input source = variable->state.source;
	const uint32_t now = import->now - import->operators;
	int err = 0;

	for (uint32_t i = 0; i < import->tensor_count && !err; i++) {
		struct tflite_tensor *tensor = &import->tensors[i];
		struct nn_build_tensor copy;

		if (!tensor->made || tensor->made->source.src_id != source.src_id ||
		    tensor->made->source.output_idx != source.output_idx)
			continue;
		if ((!tensor->readers || tensor->reader <= now) && !is_output(import, i))
			continue;
		import->builder.result = tensor->name;
		err = nn_build_node(&import->builder, "Copy", tensor->made, 1, NULL, 0,
				    &tensor->made->quant, &copy);
		tensor->made->source = copy.source;
	}
	return err;
}

/* The value that is assigned: its integers, where it is of float32. NULL: the error is set. */
static const struct nn_build_tensor *find_value(struct tflite_import *import,
						const struct tflite_variable *variable)
{
	const struct tflite_tensor *value = &import->tensors[import->now->inputs[VALUE]];
	const struct nn_build_tensor *made;

	if (!tflite_stands_for(import, value))
		made = tflite_tensor_input(import, VALUE);
	else
		made = tflite_item_input(import, VALUE, true);
	if (!made)
		return NULL;
	if (value->is_unrounded || value->reals || value->is_item || value->blocks ||
	    !nn_quant_equal(&made->quant, &variable->state.quant)) {
		tflite_fail(import, -EOPNOTSUPP,
			    "its input %s is quantized in another way than its variable",
			    tflite_quote(import, value->name));
		return NULL;
	}
	return made;
}

int tflite_lower_assign_variable(struct tflite_import *import)
{
	struct tflite_variable *variable = handle_input(import);
	const struct nn_build_tensor *value;
	struct nn_build_tensor kept;
	int err;

	if (!variable)
		return tflite_failed(import);
	err = make_state(import, variable);
	if (err)
		return err;
	value = find_value(import, variable);
	if (!value)
		return tflite_failed(import);
	if (variable->is_read)
		err = keep_read(import, variable);
	variable->is_read = false;
	return err ? err : nn_build_assign(&import->builder, &variable->state, value, &kept);
}
