// SPDX-License-Identifier: MIT
/*
 * Fuzzes the text format and what becomes of the graphs in it.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "libnnloop/nn_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nn_graph *graph;
	int err;

	if (nn_graph_create(&graph))
		abort();
	err = nn_graph_import_text(graph, (const char *)data, size);
	if (!err)
		fuzz_graph(graph);
	else
		fuzz_refused(graph, err);
	nn_graph_destroy(graph);
	return 0;
}
