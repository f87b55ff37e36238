/* SPDX-License-Identifier: MIT */
/* A model as the commands use it: opened from a file, and prepared for a number of items. */
#ifndef NNLOOP_TOOL_MODEL_H
#define NNLOOP_TOOL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "nn_graph.h"

struct file;

struct model {
	struct nn_graph *graph;
	bool channels_first; /* images are N, C, H, W: the model is ONNX */
};

/* 0, or the exit status after an error was printed. Close in any case. */
int model_open(const char *path, struct model *model);
void model_close(struct model *model);

/*
 * Prints why a file could not be imported, with its name and, if it is no model at all, what it
 * looks like. Returns 1, to be returned as the exit status.
 */
int model_fail_import(const struct nn_graph *graph, const struct file *file);

/*
 * The items of each input if those of variable batch have this many, for model_prepare(). To be
 * freed; NULL after an error was printed.
 */
uint32_t *model_rows(const struct model *model, uint32_t rows);

/*
 * Plans for rows[i] items in input i, on a device or, with NULL, on none. step: of the loop that a
 * model without one is given, 0 for none; flags: NN_PREPARE_*. 0, or the exit status after an error
 * was printed.
 */
int model_prepare(const struct model *model, struct nn_device *device, const uint32_t *rows,
		  uint32_t step, uint32_t flags);

#endif
