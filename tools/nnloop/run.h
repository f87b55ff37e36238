/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the parts of nnloop run share: run.c, run_state.c, run_execute.c,
 * run_results.c; and nnloop bench, which runs a model as well.
 */
#ifndef NNLOOP_TOOL_RUN_H
#define NNLOOP_TOOL_RUN_H

#include "metadata.h"
#include "nnloop.h"
#include "out_file.h"
#include "progress.h"

#define MAX_OUTPUTS 64

struct run_options {
	const char *command;	/* for messages: "run" */
	const char *device, *labels, *annotate, *truth, *trace, *dump, *state;
	const char *outputs[MAX_OUTPUTS];
	uint32_t output_count;
	uint32_t step, streams, workers;
	uint64_t pass_limit;	/* 0: the library's */
	bool fit, resize, numbers, real, progress, quiet, verbose;
	struct given given;
	const char *model;
	char **inputs;
	uint32_t input_count;
};

/* Everything that a run holds, freed in one place. */
struct run {
	const struct run_options *options;
	struct model model;
	struct metadata metadata;	/* of a .tflite file; else all zero */
	struct nn_device *device;
	struct items *inputs;
	uint32_t input_count;
	bool keeps_size;	/* the model was made as large as the pages are */
	struct output *outputs;
	uint32_t output_count;
	uint32_t own_count;	/* of these the model's; the rest are all tensors, for --dump */
	struct out_file *files[MAX_OUTPUTS];	/* of the first outputs; NULL: standard output */
	struct out_file *state_file;	/* NULL without --state */
	/* counted by the trace */
	uint64_t passes;
	struct nn_counters counters;
	uint64_t least_packets, most_packets;
	uint64_t longest;	/* packets of all passes, each from its beginning to its end */
	uint32_t workers;	/* the most that ran one */
	uint64_t nanoseconds;	/* of the execution */
	struct trace *trace;	/* NULL without --trace */
	/* Gets each pass, too; NULL: nobody does. */
	nn_trace_fp watch;
	void *watch_opaque;
	struct progress progress;
};

/* All of these: 0, or the exit status after an error was printed. */

/* ---- run.c ---- */

/* An input's items, as one of the model takes them, of which there are none yet. */
int run_init_items(struct run *run, uint32_t input);
/* The inputs, from the files that the options name. */
int run_read_inputs(struct run *run);
int run_open_device(struct run *run);
/* Prepares a run for these inputs on that device. flags: NN_PREPARE_*. */
int run_prepare(struct run *run, uint32_t flags);
/*
 * Allocates outputs with room for as many rows as the shape says; a guess if only the data can
 * tell.
 */
int run_allocate_outputs(struct run *run);
/* Everything but what the caller has put in. */
void run_free(struct run *run);

/* ---- run_state.c ---- */

/* Puts the state of --state in, and finds out whether it can be written there later. */
int run_open_state(struct run *run);
/* Writes what the execution has left, behind its results. */
int run_write_state(const struct run *run);

/* ---- run_execute.c ---- */

/* Items of the batch, which is what an input of variable batch has. */
uint64_t run_count_items(const struct run *run);
/* Fills the outputs of a model that is prepared, with more room for them if need be. */
int run_execute(struct run *run);
/* On standard error, for --verbose. */
void run_print_stats(const struct run *run);

/* ---- run_results.c ---- */

/* Writes the outputs and what --labels and --numbers make of them. */
int run_write_results(const struct run *run);

/* ---- dump.c ---- */

/* Writes all tensors there, each as tensor NAME.npy, and tensors.txt, a list of them in the order
 * of the nodes. */
int dump_write(const struct run *run);

#endif
