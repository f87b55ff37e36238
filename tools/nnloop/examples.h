/* SPDX-License-Identifier: MIT */
/* Example inputs of a model in float: files, or folders of them. */
#ifndef NNLOOP_TOOL_EXAMPLES_H
#define NNLOOP_TOOL_EXAMPLES_H

#include "nnloop.h"

/* How pixels of a picture become real numbers: (pixel * scale - mean) / deviation. */
struct pixels {
	double scale, mean[3], deviation[3];
	bool blue_first;	/* channels in the order blue, green, red */
	const char *layout;	/* "nchw", "nhwc", or NULL: as the shape says */
};

struct examples {
	char **files;
	uint32_t count, room;
	struct nn_tensor_info infos[NN_MAX_RANK * 8];	/* of the model's inputs */
	uint32_t input_count;
	const struct pixels *pixels;
};

/* Takes the inputs of a graph. All of these: 0, or the exit status after an error was printed. */
int examples_init(struct examples *examples, const struct nn_graph *graph,
		  const struct pixels *pixels);
/* Adds a file, or all files of a folder, in the order of their names. */
int examples_add(struct examples *examples, const char *path);
/*
 * Reads a file. items: as many as the model has inputs, each with as many examples in it; to be
 * freed one by one in any case. *count: of examples.
 */
int examples_read(const struct examples *examples, const char *path, struct items *items,
		  uint64_t *count);
/* Finds what becomes of a picture's bytes: byte * factor + term, of each channel; *axis: their dimension. */
int examples_find_pixels(const struct examples *examples, float factors[3], float terms[3],
			 uint32_t *channels, uint32_t *axis);
/* Rows of an input in one example. */
uint32_t examples_rows(const struct examples *examples, uint32_t input);
void examples_free(struct examples *examples);

#endif
