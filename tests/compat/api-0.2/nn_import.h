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
	NN_MODEL_TFLITE = 3,	/* images are N, H, W, C */
};

/**
 * nn_graph_import_file - append the model in a file, in whatever format it is
 * @graph: an empty graph
 * @path: the file, which is read to its end and need not be a regular one. NULL is -EINVAL: a
 *	program that was called without arguments need not look
 * @format: what it was taken for, on failure, too, unless it could not be read; may be NULL
 *
 * Return: what nn_graph_import() returns; a negative errno where the file cannot be opened or read;
 * -EFBIG for one of more than 2 GiB. The sentence of the error ends with the path, in parentheses.
 */
int nn_graph_import_file(struct nn_graph *graph, const char *path, enum nn_model_format *format);

/**
 * nn_graph_import - append a whole model, in whatever format it is
 * @graph: an empty graph
 * @data: the file's bytes, which must not change meanwhile and are not needed afterwards
 * @size: how many
 * @format: what it was taken for, on failure, too; may be NULL
 *
 * What begins as a line of the text format does, or has no control characters in its first 512
 * bytes, is text, in UTF-8. What has TFL3 as its bytes 4 to 7 is a TensorFlow Lite model. Anything
 * else is taken for ONNX.
 *
 * Return: what the format's own call returned. On failure the graph is empty again; after
 * -EOPNOTSUPP nn_graph_get_refusal() has all reasons.
 */
int nn_graph_import(struct nn_graph *graph, const void *data, size_t size,
		    enum nn_model_format *format);

/* ---- Refused models ------------------------------------------------------------------------- */

#define NN_MAX_REFUSALS 64 /* kinds of them that are kept, the first that are found */

/**
 * struct nn_refusals_info - why a model was refused, as a whole
 * @node_count: its nodes; of a text that is broken further on, those up to there
 * @refused_count: how many of them cannot run. Nodes that only read what such a node makes do not
 *	count: of them no more is known than that operator and attributes are known
 * @kind_count: different reasons; nn_graph_get_refusal() has the first NN_MAX_REFUSALS
 */
struct nn_refusals_info {
	uint32_t node_count;
	uint32_t refused_count;
	uint32_t kind_count;
};

/**
 * struct nn_refusal - a reason why a model cannot run, and how many nodes it holds for
 * @op: operator of those nodes as the model has it, with its domain in front if that is not ONNX's
 *	own; "" where the reason does not depend on one: an opset, an input, a constant
 * @reason: what nnloop cannot do, of the node @name; numbers and names in it may be others for
 *	others. Where the model is also broken, the last reason says how
 * @help: what would help, "" if nothing in particular is known to
 * @name: of the first of those nodes, or of what it makes, or of the input or constant; "" if
 *	it has none
 * @count: how many
 *
 * Printable ASCII, and cut where a model has longer names.
 */
struct nn_refusal {
	const char *op;
	const char *reason;
	const char *help;
	const char *name;
	uint32_t count;
};

/**
 * nn_graph_get_refusals - how many reasons there were not to import a model
 * @graph: a graph whose last call was an import that returned -EOPNOTSUPP
 * @info: filled in
 *
 * All nodes are looked at, by themselves; but of one that reads what another makes that cannot run,
 * only operator and attributes. nn_graph_error() has the first reason. A model that is also broken
 * is looked at up to where that shows.
 *
 * Return: 0; -ENOENT after any other call.
 */
static inline int nn_graph_get_refusals(const struct nn_graph *graph, struct nn_refusals_info *info);

/**
 * nn_graph_get_refusal - one of those reasons
 * @graph: as above
 * @index: which, in the order they were found, from 0
 * @refusal: filled in; its strings are valid until the next call on the graph that is not given a
 *	const one
 *
 * Return: 0; -ENOENT if there are not as many.
 */
static inline int nn_graph_get_refusal(const struct nn_graph *graph, uint32_t index,
				       struct nn_refusal *refusal);

/* ---- The sizes of this header's structures, told to the library (see nn_graph.h) ------------ */

int nn_graph_get_refusals_sized(const struct nn_graph *graph, struct nn_refusals_info *info,
				size_t size);
static inline int nn_graph_get_refusals(const struct nn_graph *graph, struct nn_refusals_info *info)
{
	return nn_graph_get_refusals_sized(graph, info, sizeof(*info));
}

int nn_graph_get_refusal_sized(const struct nn_graph *graph, uint32_t index,
			       struct nn_refusal *refusal, size_t size);
static inline int nn_graph_get_refusal(const struct nn_graph *graph, uint32_t index,
				       struct nn_refusal *refusal)
{
	return nn_graph_get_refusal_sized(graph, index, refusal, sizeof(*refusal));
}

#ifdef __cplusplus
}
#endif

#endif
