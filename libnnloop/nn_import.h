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
 * @path: the file, which need not be a regular one; of one in an archive, the archive's path, a /
 *	and its name in that. NULL is -EINVAL: a program that was called without arguments need not
 *	look
 * @format: what it was taken for, on failure, too, unless it could not be read; may be NULL
 *
 * Data that an ONNX model has in other files is read from those in the folder of @path, or in
 * folders in it; by no name and no link from anywhere else.
 *
 * A file of less than 16 MiB is copied. A larger one is mapped, so that weights need no memory of
 * their own; it should not be written to meanwhile, and if it is, the import fails. To read behind
 * the end of a mapped file that somebody has made shorter would end the process. So this call has
 * SIGBUS unblocked in its thread, and, as long as any thread of the process is in it with a mapped
 * file, handled: faults in these files are its own, and all others go to the handler that was there
 * before.
 *
 * Return: what nn_graph_import() returns; a negative errno where a file cannot be opened or read;
 * -EBUSY for one that was changed meanwhile. The sentence of the error ends with the path, in
 * parentheses.
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
 * bytes, is text, in UTF-8. What has TFL3 as its bytes 4 to 7 is a TensorFlow Lite model. A zip
 * archive is the one .tflite file that it has, which must not be compressed in it. Anything else is
 * taken for ONNX.
 *
 * Return: what the format's own call returned. On failure the graph is empty again; after
 * -EOPNOTSUPP nn_graph_get_refusal() has all reasons.
 */
int nn_graph_import(struct nn_graph *graph, const void *data, size_t size,
		    enum nn_model_format *format);

/* ---- What a model leaves open --------------------------------------------------------------- */

/**
 * struct nn_import_shape - the dimensions of an input
 * @name: of the input, as the model has it; NULL: of the only one that it has
 * @rank: how many there are, as many as the model says
 * @dims: each of them, at least 1; where the model says a number, the same. Dimensions to which the
 *	model gives one name are one: what is said of one input holds for all
 *
 * A first dimension that the model leaves open is the batch, and 1 is as good as nothing: it remains
 * any number of rows, where the model can run so. Another number fixes it.
 */
struct nn_import_shape {
	const char *name;
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK];
};

/**
 * struct nn_import_value - an input that is the same in every run
 * @name: of the input, as the model has it; NULL: of the only one that it has
 * @text: its elements as decimal numbers, with a comma between two: "16000", "0.5,1"; of bool also
 *	"true" and "false". One number fits any input that may have one element, more of them one
 *	that has one dimension
 *
 * It becomes a constant, and is no input of the graph. What is computed of it is known when the
 * model is imported, such as the condition of an If, of which only the branch that is taken is left.
 */
struct nn_import_value {
	const char *name;
	const char *text;
};

/**
 * struct nn_import_options - what a user knows of a model, and the model does not say
 * @shapes: of inputs with dimensions that are open; of others no more than the same again
 * @shape_count: how many
 * @values: inputs that are constants
 * @value_count: how many
 * @signature: of a TensorFlow Lite model with several, the name of the one that is the model; NULL:
 *	its first graph
 * @integers_only: 1: a model that computes in float32 is refused, with what it takes to make integers
 *	of that; 0: it is imported, if it cannot run in integers
 *
 * Models in nnloop's own format say all of this themselves, and take none of it.
 */
struct nn_import_options {
	const struct nn_import_shape *shapes;
	uint32_t shape_count;
	const struct nn_import_value *values;
	uint32_t value_count;
	const char *signature;
	uint32_t integers_only;
};

/**
 * nn_graph_import_with - as nn_graph_import(), with what the model does not say
 * @graph: an empty graph
 * @data: the file's bytes
 * @size: how many
 * @options: NULL: nothing
 * @format: what it was taken for, on failure, too; may be NULL
 *
 * Dimensions that are still open then, other than the first, are taken as 1, or as what the file has
 * for them; nn_graph_get_open_dim() tells which.
 *
 * Return: what nn_graph_import() returns; -EINVAL for options that contradict the model, with a
 * sentence that names the input.
 */
static inline int nn_graph_import_with(struct nn_graph *graph, const void *data, size_t size,
				       const struct nn_import_options *options,
				       enum nn_model_format *format);

/**
 * nn_graph_import_file_with - as nn_graph_import_file(), with what the model does not say
 * @graph: an empty graph
 * @path: the file
 * @options: NULL: nothing
 * @format: what it was taken for, on failure, too; may be NULL
 *
 * Return: what nn_graph_import_file() and nn_graph_import_with() return.
 */
static inline int nn_graph_import_file_with(struct nn_graph *graph, const char *path,
					    const struct nn_import_options *options,
					    enum nn_model_format *format);

#define NN_MAX_OPEN_DIMS 64 /* that are told of a model */

/**
 * struct nn_open_dim - a dimension of an input that the model leaves open
 * @input: the input's name
 * @symbol: the model's name for the dimension, "" if it has none
 * @shape: all dimensions of the input, as a user can write them: "1,3,height,width". What is open has
 *	the model's name for it, or else "dim" and which it is; but the batch is 1
 * @dim: which of the input's it is, from 0
 * @size: what it was taken as; NN_VARIABLE: it is the batch, any number of rows
 * @given: 1 if the options said so, 0 if nobody did
 *
 * Strings are printable ASCII, and cut where a model has longer ones.
 */
struct nn_open_dim {
	const char *input;
	const char *symbol;
	const char *shape;
	uint32_t dim;
	uint32_t size;
	uint32_t given;
};

/**
 * nn_graph_get_open_dim - a dimension that the imported model leaves open
 * @graph: a graph into which a model was imported, or whose last import was refused
 * @index: which, in the order of the inputs and of their dimensions, from 0
 * @open: filled in; its strings are valid until the next import
 *
 * Return: 0; -ENOENT if there are not as many, or NN_MAX_OPEN_DIMS are told.
 */
static inline int nn_graph_get_open_dim(const struct nn_graph *graph, uint32_t index,
					struct nn_open_dim *open);

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

int nn_graph_import_with_sized(struct nn_graph *graph, const void *data, size_t size,
			       const struct nn_import_options *options, size_t options_size,
			       enum nn_model_format *format);
static inline int nn_graph_import_with(struct nn_graph *graph, const void *data, size_t size,
				       const struct nn_import_options *options,
				       enum nn_model_format *format)
{
	return nn_graph_import_with_sized(graph, data, size, options, sizeof(*options), format);
}

int nn_graph_import_file_with_sized(struct nn_graph *graph, const char *path,
				    const struct nn_import_options *options, size_t size,
				    enum nn_model_format *format);
static inline int nn_graph_import_file_with(struct nn_graph *graph, const char *path,
					    const struct nn_import_options *options,
					    enum nn_model_format *format)
{
	return nn_graph_import_file_with_sized(graph, path, options, sizeof(*options), format);
}

int nn_graph_get_open_dim_sized(const struct nn_graph *graph, uint32_t index,
				struct nn_open_dim *open, size_t size);
static inline int nn_graph_get_open_dim(const struct nn_graph *graph, uint32_t index,
					struct nn_open_dim *open)
{
	return nn_graph_get_open_dim_sized(graph, index, open, sizeof(*open));
}

#ifdef __cplusplus
}
#endif

#endif
