// SPDX-License-Identifier: MIT
/*
 * Fuzzes the ONNX importer and what becomes of its graphs.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "libnnloop/nn_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nn_graph *graph;

	if (nn_graph_create(&graph))
		abort();
	if (nn_graph_import_onnx(graph, data, size) == 0)
		fuzz_graph(graph);
	else if (!nn_graph_error(graph)->text[0])
		abort();
	nn_graph_destroy(graph);
	return 0;
}
