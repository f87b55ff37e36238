// SPDX-License-Identifier: MIT
/*
 * Variables that persist, at both ends of an execution: the graph has their elements in between
 * (graph/state.c), and the arena while it runs. One that fails stores nothing, so the next begins
 * as it did.
 */
#include "state.h"

#include <string.h>

/*
 * Returns the next Variable of the plan that persists, from *i on, or NULL; and where its elements
 * are in the arena. With Variables there is one stream. A plan for no rows has no memory for one.
 */
static struct nn_value *next_variable(const struct nn_submission *submission, uint32_t *i,
				      uint8_t **elements)
{
	const struct nn_plan *plan = submission->plan;

	while (*i < plan->node_count) {
		struct nn_node *node = plan->nodes[(*i)++];
		struct nn_value *value;

		if (!nn_node_persists(node))
			continue;
		value = &node->outputs[0];
		if (value->storage != NN_STORAGE_ARENA || !nn_info_bytes(&value->info))
			continue;
		*elements = nn_submission_arena(submission) + value->offset;
		return value;
	}
	return NULL;
}

static void *kept(const struct nn_submission *submission, const struct nn_value *value)
{
	return nn_node_get_kept(nn_graph_find(submission->graph, value->node->id));
}

int nn_state_load(struct nn_submission *submission)
{
	struct nn_value *value;
	uint8_t *elements;
	uint32_t i = 0;

	while ((value = next_variable(submission, &i, &elements))) {
		const void *from = kept(submission, value);

		if (!from)
			return nn_graph_no_memory(submission->graph);
		nn_submission_begin_cpu(submission);
		memcpy(elements, from, nn_info_bytes(&value->info));
	}
	return 0;
}

void nn_state_store(struct nn_submission *submission)
{
	struct nn_value *value;
	uint8_t *elements;
	uint32_t i = 0;

	while ((value = next_variable(submission, &i, &elements))) {
		nn_submission_begin_cpu(submission);
		memcpy(kept(submission, value), elements, nn_info_bytes(&value->info));
	}
}
