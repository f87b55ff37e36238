/* SPDX-License-Identifier: MIT */
/*
 * A model's bytes as importers get them, and struct nn_import_options with it: what a user knows of
 * the model's inputs.
 *
 * An importer holds the options against the names of the inputs once (nn_options_check()), asks for
 * what is given of each input, and takes note of every dimension that the model leaves open
 * (nn_options_note_open()), whoever says what it is: so users get to know of it.
 */
#ifndef NN_IMPORT_OPTIONS_H
#define NN_IMPORT_OPTIONS_H

#include "import/build.h"
#include "import/folder.h"
#include "nn_import.h"

struct nn_model_source {
	const void *data;
	size_t size;
	struct nn_folder *folder; /* where other files of the model are; NULL: it is in memory */
	const char *entry; /* of the archive that it is; NULL: its only model */
	const struct nn_import_options *options; /* never NULL */
	/*
	 * Whether each of the model's outputs from first_stored on is an image that is left as it is
	 * stored, with its channels last: set by the importer of ONNX. NULL: all are in the model's order.
	 */
	bool *is_stored;
	uint32_t first_stored;
};

/* The options that say nothing. */
extern const struct nn_import_options nn_options_none;

/*
 * Whether all that is given is of one of these inputs, and once: 0 or the error. The names live as
 * long as the import.
 */
int nn_options_check(struct nn_builder *builder, const struct nn_import_options *options,
		     const char *const *names, uint32_t count);
/* The shape that is given of an input; NULL: none is. */
const struct nn_import_shape *nn_options_shape(const struct nn_builder *builder, const char *input);
/* The text of the value that is given of an input; NULL: none is. */
const char *nn_options_value(const struct nn_builder *builder, const char *input);
/*
 * Reads such a text as elements of the input's type and shape, of which a dimension of 0 is open.
 * 0 or the error.
 */
int nn_options_read_value(struct nn_builder *builder, const char *input, const char *text,
			  enum nn_element element, uint32_t rank, const uint32_t *dims,
			  struct nn_const *out);

/* Drops what was noted for an import before. */
void nn_options_forget_open(struct nn_graph *graph);
#define NN_SHAPE_ROOM 160
/* Adds dimension i to the text of a shape: its size or, where that is 0, its name. */
void nn_options_format_dim(char shape[NN_SHAPE_ROOM], uint32_t i, int64_t size, const char *symbol);
/* Takes note of a dimension. 0 or -ENOMEM. */
int nn_options_note_open(struct nn_builder *builder, const struct nn_open_dim *open);

#endif
