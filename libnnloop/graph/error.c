// SPDX-License-Identifier: MIT
/*
 * The error of the last call on a graph.
 */
#include "graph.h"

#include <errno.h>
#include <string.h>

#define NAME_SHOWN 64u	/* characters of a name that are worth showing */

/*
 * The name that the model has for a node: its own or, where it has none, that of its first output.
 */
static const char *name_of(const struct nn_node *node)
{
	const char *made = node->output_count ? node->outputs[0].info.name : NULL;

	if (nn_node_has(node, NN_OP_INPUT | NN_OP_CONST))
		return "";
	return *node->name || !made ? node->name : made;
}

/* Puts the node's name in front of the sentence: ids of nodes that an importer made are in no
 * model. */
static void put_name(const struct nn_node *node, struct nn_error *error)
{
	const size_t last = sizeof(error->text) - 1;
	const char *name = name_of(node);
	char front[NAME_SHOWN + 8];
	size_t length;

	if (!*name)
		return;
	nn_error_quote(front, NAME_SHOWN, name);
	strcat(front, ": ");
	length = strlen(front);
	memmove(error->text + length, error->text, last - length);
	memcpy(error->text, front, length);
	error->text[last] = 0;
}

static void format_error(struct nn_graph *graph, const struct nn_node *node, int code,
			 const char *format, va_list arguments)
{
	nn_error_format(&graph->error, code, node ? node->id : 0, node ? node->op_name : "",
			format, arguments);
	if (node)
		put_name(node, &graph->error);
}

int nn_graph_fail(struct nn_graph *graph, const struct nn_node *node, int code, const char *format,
		  ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_error(graph, node, code, format, arguments);
	va_end(arguments);
	return code;
}

int nn_graph_fail_at(struct nn_graph *graph, uint32_t id, const char *op, int code,
		     const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	nn_error_format(&graph->error, code, id, op ? op : "", format, arguments);
	va_end(arguments);
	return code;
}

int nn_graph_no_memory(struct nn_graph *graph)
{
	return nn_graph_fail(graph, NULL, -ENOMEM, "out of memory");
}

int nn_graph_fail_newer(struct nn_graph *graph, const char *what)
{
	return nn_graph_fail(
		graph, NULL, -E2BIG,
		"the %s has something set that libnnloop %u.%u.%u does not know: the program is made for a later one",
		what, NN_VERSION_MAJOR, NN_VERSION_MINOR, NN_VERSION_PATCH);
}

int nn_graph_end_callback(struct nn_graph *graph, const struct nn_node *node, int error,
			  const char *what)
{
	if (!error) {
		graph->error = (struct nn_error){ 0 };
		return 0;
	}
	if (error > 0)
		return nn_graph_fail(graph, node, -EINVAL,
				     "its %s returned %d, which is neither 0 nor a negative errno",
				     what, error);
	if (graph->error.code == error)
		return error;
	return nn_graph_fail(graph, node, error, "its %s failed: %s", what, strerror(-error));
}

int nn_node_fail(struct nn_node *node, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_error(node->graph, node, code, format, arguments);
	va_end(arguments);
	return code;
}

_Static_assert(sizeof(struct nn_error) <= NN_ERROR_MAX_SIZE, "programs rely on that");

const struct nn_error *nn_graph_error(const struct nn_graph *graph)
{
	static const union {
		struct nn_error error;
		char room[NN_ERROR_MAX_SIZE];
	} no_graph = { .error = { .code = -ENOMEM, .text = "out of memory" } };

	return graph ? &graph->told : &no_graph.error;
}
