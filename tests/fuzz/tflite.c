// SPDX-License-Identifier: MIT
/*
 * Fuzzes the TensorFlow Lite importer and what becomes of its graphs.
 */
#include "fuzz.h"
#include "libnnloop/nn_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_import(nn_graph_import_tflite, data, size);
}
