/* SPDX-License-Identifier: MIT */
/*
 * Common to the fuzzers of all formats. tests/fuzz/FORMAT.c defines LLVMFuzzerTestOneInput() for
 * one format; linked with libFuzzer it makes inputs up, linked with replay.c it runs the corpus.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct nn_graph;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Imports a file, and does with the graph what the tool would: plans it, looks at the plan, runs it
 * if small; or looks at what the importer says of a file that it did not accept. Returns 0. */
int fuzz_import(int (*import)(struct nn_graph *graph, const void *data, size_t size),
		const uint8_t *data, size_t size);

#endif
