/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzers have in common. tests/fuzz/FORMAT.c defines LLVMFuzzerTestOneInput() for one
 * format; linked with libFuzzer it makes inputs up, linked with replay.c it runs the corpus.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct nn_graph;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Does with an imported graph what the tool would: plans it, looks at the plan, runs it if small. */
void fuzz_graph(struct nn_graph *graph);
/* Looks at what an importer says of a file that it did not accept. */
void fuzz_refused(struct nn_graph *graph, int err);

#endif
