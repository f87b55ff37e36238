/* SPDX-License-Identifier: MIT */
/* A model as the commands use it: opened from a file, and prepared for a number of items. */
#ifndef NNLOOP_TOOL_MODEL_H
#define NNLOOP_TOOL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "nn_import.h"

struct file;

/* The refusal of a file that is a model, but cannot run. */
enum model_refusal {
	MODEL_NOT_REFUSED,
	MODEL_ONE_REASON,	/* of one node, and that was all of the error */
	MODEL_MANY_REASONS,	/* the error has counted them */
};

#define MAX_GIVEN 64	/* shapes, and values, of inputs */

/* A user says --shape and --set of a model's inputs, and --signature and --integers-only. All zero is nothing. Names and values are
 * parts of the command line. */
struct given {
	struct nn_import_shape shapes[MAX_GIVEN];
	struct nn_import_value values[MAX_GIVEN];
	uint32_t shape_count, value_count;
	const char *signature; /* NULL: none is asked for */
	bool integers_only; /* a model that computes in float is refused */
	bool quiet;	/* nothing is said of what is still open */
};

struct model {
	struct nn_graph *graph;
	enum nn_model_format format;
	enum model_refusal refusal;
	bool channels_first; /* images are N, C, H, W: the model is ONNX */
};

/* 0, or the exit status after an error was printed, with all reasons. Close in any case. */
int model_open(const char *path, const struct given *given, struct model *model);
/* The same, but where there is a list of reasons, or of open dimensions, that is left to the
 * caller. */
int model_try(const char *path, const struct given *given, struct model *model);
void model_close(struct model *model);

struct metadata;
/* Reads what the model's file says of itself, which may be nothing. */
void model_read_metadata(const struct model *model, const char *path, struct metadata *metadata);

/* ---- given.c ---- */

/* The value of an option of a command: it is cut at its =. -1: go on; else the exit status after an
 * error was printed. */
int given_add_shape(struct given *given, const char *command, char *value);
int given_add_value(struct given *given, const char *command, char *value);
/* Prints, a line for each input, which dimensions a model leaves open that nobody has said anything
 * of, what they are taken as, and what to write. */
void open_dims_note(const struct nn_graph *graph);
/* The same of all that are open but the batch, under a heading, if there are any. */
void open_dims_print(const struct nn_graph *graph);
/* All of them as a member of an object, and a comma behind it. */
void open_dims_print_json(const struct nn_graph *graph);

/*
 * Prints why a file could not be imported, in a line with its name and, if it is no model at all,
 * what it looks like; if there are several reasons, how many. file: its contents, or NULL: it can
 * be read again. Returns 1, to be returned as the exit
 * status.
 */
int model_fail_import(const struct nn_graph *graph, const char *path, const struct file *file,
		      enum model_refusal *refusal);

/*
 * The items of each input if those of variable batch have this many, for model_prepare(). To be
 * freed; NULL after an error was printed.
 */
uint32_t *model_rows(const struct model *model, uint32_t rows);

/*
 * Plans on a device or, with NULL, on none, for options->input_rows[i] items in input i. 0, or the
 * exit status after an error was printed.
 */
int model_prepare(const struct model *model, struct nn_device *device,
		  const struct nn_prepare_options *options);

#endif
