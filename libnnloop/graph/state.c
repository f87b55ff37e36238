// SPDX-License-Identifier: MIT
/*
 * The state of a graph: what Variables that persist hold between two executions.
 *
 * Each has its elements in the graph, beside the node, so they outlive plans and devices. An
 * execution copies them into its arena, and back when it has succeeded (run/state.c).
 *
 * Outside of the graph a state is a header and, for each such Variable in the order of the nodes, a
 * record and its elements, with zeros up to a multiple of 8. All of it is little-endian.
 *
 *	┌──────────┬─────────┬───────┬┬────────┬──────┬───────┬──────────┬┬─
 *	│ "nnstate"│ version │ count ││ node   │ type │ bytes │ elements ││ ...
 *	└──────────┴─────────┴───────┴┴────────┴──────┴───────┴──────────┴┴─
 *
 * The graph's lock protects the elements; while an execution runs it alone uses them.
 */
#include "graph.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define STATE_MAGIC	"nnstate"
#define STATE_VERSION	1u

struct state_header {
	char magic[8];
	uint32_t version, count;
};

struct state_record {
	uint32_t node, type;
	uint64_t bytes;
};

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~7ull;
}

static const struct nn_value *initial_value(const struct nn_node *variable)
{
	return variable->inputs[0];
}

static uint64_t count_bytes(const struct nn_node *variable)
{
	return nn_info_bytes(&initial_value(variable)->info);
}

bool nn_node_persists(const struct nn_node *node)
{
	return nn_node_has(node, NN_OP_STATE) && nn_node_get_attr_int(node, "persist", 0);
}

void *nn_node_get_kept(struct nn_node *variable)
{
	uint64_t bytes = count_bytes(variable);

	if (!variable->kept) {
		variable->kept = nn_pool_array(&variable->graph->pool, bytes + 1, 1);
		if (variable->kept)
			memcpy(variable->kept, initial_value(variable)->node->data, bytes);
	}
	return variable->kept;
}

/*
 * Returns the next Variable that persists, from *i on, or NULL. One whose initial value is no
 * constant cannot be prepared, so it has no state.
 */
static struct nn_node *next_variable(const struct nn_graph *graph, uint32_t *i)
{
	while (*i < graph->node_count) {
		struct nn_node *node = graph->nodes[(*i)++];

		if (nn_node_persists(node) && nn_value_is_const(initial_value(node)))
			return node;
	}
	return NULL;
}

static uint64_t state_size(const struct nn_graph *graph, uint32_t *count)
{
	uint64_t size = sizeof(struct state_header);
	const struct nn_node *variable;
	uint32_t i = 0;

	*count = 0;
	while ((variable = next_variable(graph, &i))) {
		size += sizeof(struct state_record) + padded(count_bytes(variable));
		++*count;
	}
	return *count ? size : 0;
}

size_t nn_graph_get_state_size(const struct nn_graph *graph)
{
	uint32_t count;

	return state_size(graph, &count);
}

static int get_state(struct nn_graph *graph, uint8_t *to, size_t size)
{
	struct state_header header = { .magic = STATE_MAGIC, .version = STATE_VERSION };
	uint64_t needed = state_size(graph, &header.count);
	struct nn_node *variable;
	uint32_t i = 0;

	if (size != needed)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "the state has %" PRIu64 " bytes, and there is room for %zu",
				     needed, size);
	if (!size)
		return 0;
	memset(to, 0, size);
	memcpy(to, &header, sizeof(header));
	to += sizeof(header);
	while ((variable = next_variable(graph, &i))) {
		const struct state_record record = {
			.node = variable->id,
			.type = initial_value(variable)->info.type,
			.bytes = count_bytes(variable),
		};
		const void *kept = nn_node_get_kept(variable);

		if (!kept)
			return nn_graph_no_memory(graph);
		memcpy(to, &record, sizeof(record));
		memcpy(to + sizeof(record), kept, record.bytes);
		to += sizeof(record) + padded(record.bytes);
	}
	return 0;
}

int nn_graph_get_state(struct nn_graph *graph, void *state, size_t size)
{
	int error = nn_graph_lock_idle(graph);

	if (error)
		return error;
	error = get_state(graph, state, size);
	nn_graph_unlock(graph);
	return error;
}

/* The bytes are a state of this graph, record by record. */
static int check_state(struct nn_graph *graph, const uint8_t *from, size_t size)
{
	struct state_header header = { 0 };
	const struct nn_node *variable;
	uint32_t count, i = 0;
	uint64_t needed = state_size(graph, &count);

	if (!needed)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "the graph keeps no state: no Variable has persist=1");
	if (size >= sizeof(header))
		memcpy(&header, from, sizeof(header));
	if (memcmp(header.magic, STATE_MAGIC, sizeof(header.magic)))
		return nn_graph_fail(graph, NULL, -EINVAL, "these bytes are no state of a graph");
	if (header.version != STATE_VERSION)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "the state is of version %u, and this library knows %u",
				     header.version, STATE_VERSION);
	if (header.count != count)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "the state is of %u Variables, and the graph has %u that persist",
				     header.count, count);
	if (size != needed)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "the state has %zu bytes, and that of the graph has %" PRIu64,
				     size, needed);
	from += sizeof(header);
	while ((variable = next_variable(graph, &i))) {
		const uint64_t bytes = count_bytes(variable);
		struct state_record record;

		memcpy(&record, from, sizeof(record));
		if (record.node != variable->id || record.bytes != bytes ||
		    record.type != (uint32_t)initial_value(variable)->info.type)
			return nn_graph_fail(graph, variable, -EINVAL,
					     "the state is of another graph: it has %" PRIu64
					     " bytes of %s for node %u here, and the Variable has %" PRIu64
					     " of %s",
					     record.bytes, nn_data_type_name(record.type), record.node,
					     bytes,
					     nn_data_type_name(initial_value(variable)->info.type));
		from += sizeof(record) + padded(bytes);
	}
	return 0;
}

static int set_state(struct nn_graph *graph, const uint8_t *from, size_t size)
{
	struct nn_node *variable;
	int error = check_state(graph, from, size);
	uint32_t i = 0;

	if (error)
		return error;
	while ((variable = next_variable(graph, &i)))
		if (!nn_node_get_kept(variable))
			return nn_graph_no_memory(graph);
	from += sizeof(struct state_header);
	for (i = 0; (variable = next_variable(graph, &i));) {
		const uint64_t bytes = count_bytes(variable);

		memcpy(variable->kept, from + sizeof(struct state_record), bytes);
		from += sizeof(struct state_record) + padded(bytes);
	}
	return 0;
}

int nn_graph_set_state(struct nn_graph *graph, const void *state, size_t size)
{
	int error = nn_graph_lock_idle(graph);

	if (error)
		return error;
	error = set_state(graph, state, size);
	nn_graph_unlock(graph);
	return error;
}

int nn_graph_reset_state(struct nn_graph *graph)
{
	struct nn_node *variable;
	int error = nn_graph_lock_idle(graph);
	uint32_t i = 0;

	if (error)
		return error;
	while ((variable = next_variable(graph, &i)))
		if (variable->kept)
			memcpy(variable->kept, initial_value(variable)->node->data,
			       count_bytes(variable));
	nn_graph_unlock(graph);
	return 0;
}
