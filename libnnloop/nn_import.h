/* SPDX-License-Identifier: MIT */
/*
 * Models of any format that nnloop knows.
 *
 * What a file is, its first bytes say; its name is of no interest. nn_graph.h has a call for each
 * format, for bytes that must be of that one.
 */
#ifndef NN_IMPORT_H
#define NN_IMPORT_H

#include <stddef.h>

#include "nn_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** enum nn_model_format - formats of models. Numbers are only ever added */
enum nn_model_format {
	NN_MODEL_TEXT = 1,	/* nnloop's own, docs/text-format.md */
	NN_MODEL_ONNX = 2,	/* images are N, C, H, W in it, and in the graph's inputs and outputs,
				 * unless the model turns them itself */
};

/**
 * nn_graph_import - append a whole model, in whatever format it is
 * @graph: an empty graph
 * @data: the file's bytes
 * @size: how many
 * @format: what it was taken for, on failure, too; may be NULL
 *
 * What begins as a line of the text format does, or has no control characters in its first 512
 * bytes, is text, in UTF-8. Anything else is taken for ONNX.
 *
 * Return: what nn_graph_import_text() or nn_graph_import_onnx() returned. On failure the graph is
 * empty again.
 */
int nn_graph_import(struct nn_graph *graph, const void *data, size_t size,
		    enum nn_model_format *format);

#ifdef __cplusplus
}
#endif

#endif
