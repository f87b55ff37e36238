// SPDX-License-Identifier: MIT
/*
 * The error of the last call on a graph.
 */
#include "graph.h"

#include <errno.h>
#include <string.h>

int nn_graph_fail(struct nn_graph *graph, const struct nn_node *node, int code, const char *format,
		  ...)
{
	va_list arguments;

	va_start(arguments, format);
	nn_error_format(&graph->error, code, node ? node->id : 0, node ? node->op_name : "",
			format, arguments);
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
	nn_error_format(&node->graph->error, code, node->id, node->op_name, format, arguments);
	va_end(arguments);
	return code;
}

const struct nn_error *nn_graph_error(const struct nn_graph *graph)
{
	return &graph->told;
}
