// SPDX-License-Identifier: MIT
/*
 * Compare: two tensors, element by element.
 *
 * docs/operators.md:
 * | `Compare` | a, b of one type of integers or bool; with a `rounding` 8-bit; broadcast
 * | `function` (required: `equal`, `not_equal`, `less`, `less_or_equal`), `rounding` (`stored`,
 * `float32`, `fixed_point`) | bool |
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

#define FIXED_BITS 16 /* that are compared, of an element and its sign, and eight more */

enum rounding { STORED, FLOAT32, FIXED_POINT };

static int check_stored(struct nn_node *node)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;

	if (nn_type_is_integer(a->type) && a->type == b->type)
		return 0;
	return nn_node_fail(node, -EINVAL,
			    "the inputs must be of one type of integers, not %s and %s",
			    nn_data_type_name(a->type), nn_data_type_name(b->type));
}

/* Elements are compared as what they stand for. */
static int check_scales(struct nn_node *node, bool fixed, struct nn_integers_params *params)
{
	float scales[2];
	int error = 0;

	for (uint32_t i = 0; i < 2 && !error; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		scales[i] = info->scale;
		error = nn_node_need_8bit(node, info, i ? "second input" : "first input");
		if (!error && !isnormal(info->scale))
			error = nn_node_fail(node, -EOPNOTSUPP,
					     "an input has a scale below 2^-126");
		if (!error && fixed)
			error = nn_binary_fixed(node, info->scale, FIXED_BITS, &params->by[i]);
	}
	if (!fixed) {
		params->scale_a = scales[0];
		params->scale_b = error ? 0 : scales[1];
	}
	return error;
}

static int check_compare(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	static const char *const functions[] = { "equal", "not_equal", "less", "less_or_equal" };
	static const char *const roundings[] = { "stored", "float32", "fixed_point", NULL };
	struct nn_integers_params *params = nn_node_make_state(node, sizeof(*params));
	const char *word = nn_node_get_string(node, "function", "");
	struct nn_tensor_info *info = &node->outputs[0].info;
	int rounding, error;
	uint32_t i = 0;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	while (i < 4 && strcmp(word, functions[i]))
		i++;
	if (i == 4)
		return nn_node_fail(node, -EINVAL, "there is no function \"%s\"", word);
	rounding = nn_binary_rounding(node, roundings);
	if (rounding < 0)
		return rounding;
	params->function = NN_INTEGERS_EQUAL + i +
			   rounding * (NN_INTEGERS_EQUAL_FLOAT - NN_INTEGERS_EQUAL);
	error = rounding == STORED ? check_stored(node) :
				     check_scales(node, rounding == FIXED_POINT, params);
	if (error)
		return error;
	if ((info->type && info->type != NN_BOOL) || info->scale || info->scales)
		return nn_node_fail(node, -EINVAL, "the output is of bool, without a scale");
	info->type = NN_BOOL;
	return nn_infer_broadcast(node);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "rounding", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_compare = {
	.name = "Compare",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_compare,
	.lower = nn_lower_integers,
};
