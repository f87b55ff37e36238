// SPDX-License-Identifier: MIT
#include "activation.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "function.h"

static const struct {
	const char *name;
	struct nn_limits limits;
} activations[] = {
	{ "none", { -INFINITY, INFINITY } },
	{ "relu", { 0, INFINITY } },
	{ "relu6", { 0, 6 } },
};

void nn_node_limit(struct nn_node *node, struct nn_limits limits)
{
	node->limits.min = fmaxf(node->limits.min, limits.min);
	node->limits.max = fminf(node->limits.max, limits.max);
}

int nn_check_activation(struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "activation", "none");
	uint32_t i;

	for (i = 0; i < sizeof(activations) / sizeof(activations[0]); i++) {
		if (strcmp(name, activations[i].name))
			continue;
		nn_node_limit(node, activations[i].limits);
		return 0;
	}
	return nn_node_fail(node, -EINVAL, "activation is none, relu or relu6, not \"%s\"", name);
}

static double limit(double x, const void *opaque)
{
	const struct nn_limits *limits = opaque;

	return fmin(fmax(x, limits->min), limits->max);
}

int nn_lower_activation(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_limits limits = node->op->get_limits(node);

	if (!(limits.min <= limits.max))
		return nn_node_fail(node, -EINVAL, "min must not exceed max");
	return nn_lower_table(lowering, node, limit, &limits);
}
