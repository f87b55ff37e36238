// SPDX-License-Identifier: MIT
/*
 * Activations that limit real values (activation.h): their attribute, and Relu, Relu6 and Clamp.
 */
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
	/* The later limits win where the two have nothing in common. */
	node->limits.min = fminf(fmaxf(node->limits.min, limits.min), limits.max);
	node->limits.max = fminf(fmaxf(node->limits.max, limits.min), limits.max);
}

int nn_check_activation(struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "activation", "none");
	struct nn_limits behind;
	uint32_t i;

	for (i = 0; i < sizeof(activations) / sizeof(activations[0]); i++) {
		if (strcmp(name, activations[i].name))
			continue;
		/* An operator behind it that optimizing made part of it comes after its own. */
		behind = node->limits;
		node->limits = activations[i].limits;
		nn_node_limit(node, behind);
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
