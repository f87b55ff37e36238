// SPDX-License-Identifier: MIT
/*
 * Fuzzes the text format and what becomes of the graphs in it.
 */
#include "fuzz.h"
#include "libnnloop/nn_graph.h"

static int import(struct nn_graph *graph, const void *data, size_t size)
{
	return nn_graph_import_text(graph, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_import(import, data, size);
}
