/* SPDX-License-Identifier: MIT */
/* All tensors of a run that was prepared with NN_PREPARE_ALL_TENSORS, and files named for them. */
#ifndef NNLOOP_TOOL_TENSORS_H
#define NNLOOP_TOOL_TENSORS_H

#include "run.h"

#define MAX_TENSOR_NAME	200	/* characters of a file's name: less than file systems take */

/* A tensor, and the node that makes it. */
struct tensor {
	const struct output *output;
	struct nn_input source;
	const char *op, *node;	/* the node's operator and name; either may be empty */
	char file[MAX_TENSOR_NAME + 32];	/* without a suffix */
	bool is_named;		/* that is its own name, and no other tensor's */
};

/* Writes a tensor's name as far as files can have it, at most MAX_TENSOR_NAME characters. */
void tensor_name_file(const char *name, char *file);
/*
 * Makes a list of all tensors, in the order in which they are computed, to be freed by the caller;
 * no two have the same file. 0, or the exit status after an error was printed.
 */
int tensors_list(const struct run *run, struct tensor **list, uint32_t *count);

#endif
