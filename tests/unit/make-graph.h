/* SPDX-License-Identifier: MIT */
/*
 * Graphs for tests. Where there is no memory for one, the test program ends.
 */
#ifndef MAKE_GRAPH_H
#define MAKE_GRAPH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"
#include "tap.h"

static inline struct nn_graph *new_graph(void)
{
	struct nn_graph *graph;

	if (nn_graph_create(&graph))
		exit(1);
	return graph;
}

/* The text becomes nodes of the graph. */
static inline void import_text(struct nn_graph *graph, const char *text)
{
	if (!CHECK(!nn_graph_import_text(graph, text, strlen(text))))
		printf("# %s\n", nn_graph_error(graph)->text);
}

static inline struct nn_graph *make_graph(const char *text)
{
	struct nn_graph *graph = new_graph();

	import_text(graph, text);
	return graph;
}

#endif
