/* SPDX-License-Identifier: MIT */
/* Labels and normalization that a .tflite file says of itself. */
#ifndef NNLOOP_TOOL_METADATA_H
#define NNLOOP_TOOL_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_CHANNELS	4
#define MAX_NORMALIZED	8	/* inputs */

/* How a pixel becomes what an input of float32 takes: less a mean, over a deviation; of each
 * channel, or of all. */
struct normalization {
	const char *name;	/* of the input */
	uint32_t channels;	/* 1: of all */
	float mean[MAX_CHANNELS], deviation[MAX_CHANNELS];
};

/* Pointers into the file, which is open as long. */
struct metadata {
	struct nn_folder *folder;
	const void *data;
	size_t size;
	struct normalization inputs[MAX_NORMALIZED];
	uint32_t input_count;
	const char *labels_name;	/* of the file with the first output's classes; or NULL */
	const char *labels;		/* its contents; NULL: they are compressed */
	size_t labels_size;
};

/* All that a file says, which may be nothing. */
void metadata_read(const char *path, struct metadata *metadata);
/* NULL: it says nothing of the input, or the input is not of float32. */
const struct normalization *metadata_find(const struct metadata *metadata, const char *input);
/* Whether it is one, for pictures of so many channels. */
static inline bool normalization_fits(const struct normalization *normalization, uint32_t channels)
{
	return normalization &&
	       (normalization->channels == 1 || normalization->channels == channels);
}
/* Prints it for each channel, or for all: " (x - mean) / deviation, ...". */
void normalization_print(FILE *stream, const struct normalization *normalization);
void metadata_free(struct metadata *metadata);

#endif
