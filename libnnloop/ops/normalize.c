// SPDX-License-Identifier: MIT
/*
 * Normalize: vectors of elements less their mean, or over what says how large they are, or both;
 * and then scaled and moved.
 *
 * docs/operators.md:
 * | `Normalize` | x, 8-bit, or int16 but for `given`; scale, bias float32 `[n]`, constants;
 * `given`: divisor 8-bit, table float32 `[256]`, a constant | `function` (required: `scale`,
 * `center`, `deviation`, `rms`, `l1`, `l2`, `given`), `length` (the last dimension): of a vector,
 * `run` (1): elements that share scale and bias, `epsilon` (0) | 8-bit or int16, scale, zero point
 * |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_ELEMENTS (1u << 23)
#define MOST_INT16 (1u << 14)

enum { X, SCALE, BIAS, DIVISOR, TABLE, INPUTS };

static const struct function {
	const char *name;
	enum nn_normalize_form form;
} functions[] = {
	{ "scale", NN_NORMALIZE_SCALE },
	{ "center", NN_NORMALIZE_CENTER },
	{ "deviation", NN_NORMALIZE_DEVIATION },
	{ "rms", NN_NORMALIZE_ROOT },
	{ "l2", NN_NORMALIZE_ROOT },
	{ "l1", NN_NORMALIZE_SUM },
	{ "given", NN_NORMALIZE_GIVEN },
};

/* A constant vector of floats; of any length if it is 0. */
static int need_floats(struct nn_node *node, uint32_t input, const char *what, uint32_t length)
{
	const struct nn_value *value = node->inputs[input];

	if (value && nn_value_is_const(value) && value->info.type == NN_FLOAT32 &&
	    value->info.rank == 1 && (!length || value->info.dims[0] == length))
		return 0;
	return nn_node_fail(node, -EINVAL, "its %s must be a constant of %s float32 in one dimension",
			    what, length == 256 ? "256" : length ? "as many" : "any number of");
}

/* Finds what the kernel multiplies by, from scale, length and function. */
static int find_steps(struct nn_node *node, const char *function,
		      struct nn_normalize_params *params)
{
	double scale = node->inputs[X]->info.scale, length = params->length;

	params->step = scale;
	switch (params->form) {
	case NN_NORMALIZE_CENTER:
	case NN_NORMALIZE_GIVEN:
		params->step = scale / length;
		break;
	case NN_NORMALIZE_DEVIATION:
		params->step = scale / length;
		params->square_step = scale * scale / (length * length);
		break;
	case NN_NORMALIZE_ROOT:
		params->square_step = scale * scale / length;
		break;
	}
	/* Where nothing is added to it, the scale goes out again. */
	if (params->form == NN_NORMALIZE_SUM || !strcmp(function, "l2")) {
		params->step = 1;
		params->square_step = params->form == NN_NORMALIZE_ROOT;
	}
	if (!isfinite(params->square_step) || !isnormal(params->step))
		return nn_node_fail(node, -EOPNOTSUPP, "cannot square its input's scale in float32");
	return 0;
}

static int read_attrs(struct nn_node *node, struct nn_normalize_params *params)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const char *function = nn_node_get_string(node, "function", "");
	uint64_t elements = nn_info_row_elements(from);
	uint32_t last = from->rank > 1 ? from->dims[from->rank - 1] : 1;
	int64_t length = nn_node_get_attr_int(node, "length", last);
	int64_t run = nn_node_get_attr_int(node, "run", 1);
	uint32_t most = from->type == NN_INT16 ? MOST_INT16 : MOST_ELEMENTS, i = 0;

	while (strcmp(function, functions[i].name)) {
		if (++i == sizeof(functions) / sizeof(*functions))
			return nn_node_fail(node, -EINVAL, "has no function \"%s\"", function);
	}
	params->form = functions[i].form;
	params->epsilon = nn_node_get_float(node, "epsilon", 0);
	if (!(params->epsilon >= 0) || !isfinite(params->epsilon))
		return nn_node_fail(node, -EINVAL,
				    "epsilon must be a finite number, not below 0");
	if (params->epsilon > 0 && strcmp(function, "deviation") && strcmp(function, "rms"))
		return nn_node_fail(node, -EINVAL, "has epsilon for deviation and rms only");
	if (length < 1 || length > most || elements % length)
		return nn_node_fail(node, -EINVAL,
				    "the length must be 1 to %u, and vectors a row of %" PRIu64,
				    most, elements);
	params->length = length;
	if (run < 1 || run > (int64_t)elements ||
	    elements % (run * node->inputs[SCALE]->info.dims[0]))
		return nn_node_fail(node, -EINVAL,
				    "%" PRIu32 " scales for %" PRId64
				    " elements each do not go into a row of %" PRIu64,
				    node->inputs[SCALE]->info.dims[0], run, elements);
	params->run = run;
	return find_steps(node, function, params);
}

static int check_divisor(struct nn_node *node, uint32_t length)
{
	const struct nn_value *divisor = node->input_count > DIVISOR ? node->inputs[DIVISOR] : NULL;
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	int error;

	if (!divisor || node->input_count != INPUTS)
		return nn_node_fail(node, -EINVAL, "needs a divisor and a table");
	error = nn_node_need_bytes(node, from, "input, which is divided by a tensor,");
	if (!error)
		error = nn_node_need_bytes(node, &node->outputs[0].info, "output");
	if (!error)
		error = nn_node_need_bytes(node, &divisor->info, "divisor");
	if (error)
		return error;
	if (divisor->info.level != from->level || divisor->info.dims[0] != from->dims[0] ||
	    nn_info_row_elements(&divisor->info) != nn_info_row_elements(from) / length)
		return nn_node_fail(node, -EINVAL, "needs one divisor for each vector of x");
	return need_floats(node, TABLE, "table", 256);
}

static int check_normalize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info, *to = &node->outputs[0].info;
	struct nn_normalize_params *params = nn_node_make_state(node, sizeof(*params));
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = nn_node_need_real(node, from, "input");
	if (!error)
		error = nn_node_need_real(node, to, "output");
	if (!error && (!isnormal(from->scale) || !isnormal(to->scale)))
		error = nn_node_fail(node, -EOPNOTSUPP, "needs scales of at least 2^-126");
	if (!error)
		error = need_floats(node, SCALE, "scale", 0);
	if (!error)
		error = need_floats(node, BIAS, "bias", node->inputs[SCALE]->info.dims[0]);
	if (!error)
		error = read_attrs(node, params);
	if (error)
		return error;
	params->scale_output = to->scale;
	if (params->form == NN_NORMALIZE_GIVEN)
		error = check_divisor(node, params->length);
	else if (node->input_count != DIVISOR)
		error = nn_node_fail(node, -EINVAL, "takes no divisor");
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_normalize(struct nn_lowering *lowering, struct nn_node *node)
{
	int inputs[INPUTS], error;
	struct nn_program_op *op;

	for (uint32_t i = SCALE; i < node->input_count; i++) {
		inputs[i] = nn_lower_value(lowering, node->inputs[i]);
		if (inputs[i] < 0)
			return inputs[i];
	}
	error = nn_lower_unary(lowering, node, NN_OPCODE_NORMALIZE, node->inputs[X],
			       &node->outputs[0], &op);
	if (error)
		return error;
	for (uint32_t i = SCALE; i < node->input_count; i++)
		op->input[i] = inputs[i];
	op->normalize = *(const struct nn_normalize_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "epsilon", .type = NN_ATTR_FLOAT },
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "length", .type = NN_ATTR_INT },
	{ .name = "run", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_normalize = {
	.name = "Normalize",
	.min_inputs = 3,
	.max_inputs = 5,
	.outputs = 1,
	.attrs = attrs,
	.check = check_normalize,
	.lower = lower_normalize,
};
