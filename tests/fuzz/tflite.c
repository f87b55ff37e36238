// SPDX-License-Identifier: MIT
/*
 * Fuzzes the TensorFlow Lite importer and what becomes of its graphs.
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
	err = nn_graph_import_tflite(graph, data, size);
	if (!err)
		fuzz_graph(graph);
	else
		fuzz_refused(graph, err);
	nn_graph_destroy(graph);
	return 0;
}
