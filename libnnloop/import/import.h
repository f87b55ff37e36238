/* SPDX-License-Identifier: MIT */
/*
 * The importers, one for each format, as nn_graph_import_onnx() and the like call them: with the
 * graph's lock held. The error of the graph tells what went wrong; the graph is empty again then.
 */
#ifndef NN_IMPORT_IMPORT_H
#define NN_IMPORT_IMPORT_H

#include "graph/graph.h"
#include "import/options.h"
#include "nn_import.h"

int nn_import_onnx(struct nn_graph *graph, const struct nn_model_source *source);
/* The same; *bytes: the model with each If's branch in its place that is known to be taken, which the
 * caller frees; NULL: there is none. */
int nn_import_onnx_unfolded(struct nn_graph *graph, const struct nn_model_source *source,
			    uint8_t **bytes, size_t *size);
int nn_import_tflite(struct nn_graph *graph, const struct nn_model_source *source);
int nn_import_text(struct nn_graph *graph, const struct nn_model_source *source);
/* Makes the source, if it is an archive, the model in it. 0 or the error. */
int nn_import_unpack(struct nn_graph *graph, struct nn_model_source *source);
/* Imports a model of the format that the bytes look like, which is told unless `format` is NULL. */
int nn_import_any(struct nn_graph *graph, const struct nn_model_source *source,
		  enum nn_model_format *format);

#endif
