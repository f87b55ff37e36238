// SPDX-License-Identifier: MIT
/*
 * Operators of the application's.
 */
#include "check.h"
#include "ops/ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sized.h"

static int check_registered(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_node_ops *user = &node->op->user;
	const struct nn_tensor_info *rows = nn_node_rows(node);
	uint32_t i;

	if (user->check)
		return user->check(graph, node, opaque);

	for (i = 0; i < node->output_count; i++) {
		struct nn_tensor_info *info = &node->outputs[i].info;
		const struct nn_value *like =
			node->input_count ? node->inputs[i % node->input_count] : NULL;

		if (like)
			nn_node_default_quantization(node, i, &like->info);
		if (!info->rank && like) {
			info->rank = like->info.rank;
			memcpy(info->dims, like->info.dims, sizeof(info->dims));
		}
		info->level = rows ? rows->level : 0;
		if (rows && rows->level)
			info->dims[0] = rows->dims[0];
	}
	return 0;
}

/* A name that only the library makes nodes of. */
static bool is_internal(const char *name)
{
	uint32_t i;

	for (i = 0; nn_ops[i]; i++)
		if ((nn_ops[i]->flags & NN_OP_INTERNAL) && !strcasecmp(nn_ops[i]->name, name))
			return true;
	return false;
}

int nn_graph_register_op_sized(struct nn_graph *graph, const struct nn_node_ops *theirs,
			       void *opaque, size_t size)
{
	const uint32_t known = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC;
	struct nn_node_ops user = { 0 };
	struct nn_op *op;
	int error = 0;

	nn_graph_lock(graph);
	if (theirs && !nn_sized_take(&user, sizeof(user), theirs, size)) {
		error = nn_graph_fail_newer(graph, "operator");
		goto unlock;
	}
	if (!user.name || !*user.name || !user.execute || (user.flags & ~known) ||
	    (user.flags & known) == NN_NODE_FLAG_STATIC) {
		error = nn_graph_fail(
			graph, NULL, -EINVAL,
			"an operator needs a name, an execute function and flags that make sense");
		goto unlock;
	}
	if (nn_op_find(graph, user.name) || is_internal(user.name)) {
		error = nn_graph_fail_at(graph, 0, user.name, -EEXIST,
					 "there is an operator \"%s\" already", user.name);
		goto unlock;
	}
	op = calloc(1, sizeof(*op));
	if (!op) {
		error = nn_graph_no_memory(graph);
		goto unlock;
	}
	op->name = user.name;
	op->flags = user.flags | NN_OP_REGISTERED;
	if (user.check)
		op->flags |= NN_OP_MIXED_LEVELS;
	op->max_inputs = NN_ANY_NUMBER;
	op->outputs = NN_ANY_NUMBER;
	op->check = check_registered;
	op->execute = user.execute;
	op->opaque = opaque;
	op->user = user;
	op->next = graph->registered;
	graph->registered = op;
unlock:
	nn_graph_unlock(graph);
	return error;
}
