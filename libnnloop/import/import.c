// SPDX-License-Identifier: MIT
/* The public calls that import bytes, and which importer they are for. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/sized.h"
#include "import/import.h"
#include "import/tflite/flatbuffer.h"

#define FIRST_BYTES 512 /* of a file are looked at */

/* A node's line begins with a number and a blank, a comment with #. */
static bool begins_as_line(const uint8_t *data, size_t size)
{
	size_t digits = 0;

	while (size && memchr(" \t\r\n", *data, 4)) {
		data++;
		size--;
	}
	while (digits < size && data[digits] >= '0' && data[digits] <= '9')
		digits++;
	if (digits)
		return digits < size && (data[digits] == ' ' || data[digits] == '\t');
	return size && *data == '#';
}

static bool has_control_characters(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size && i < FIRST_BYTES; i++) {
		if (data[i] == 0x7f || (data[i] < ' ' && !memchr("\n\r\t", data[i], 3)))
			return true;
	}
	return false;
}

/* Damaged text remains text, so that the sentence is about the line. */
static bool is_text(const uint8_t *data, size_t size)
{
	return size && (begins_as_line(data, size) || !has_control_characters(data, size));
}

static bool is_tflite(const uint8_t *data, size_t size)
{
	return flatbuffer_is(data, size, "TFL3");
}

/* A model begins with a field's tag, which no line of text begins with, but nothing in it says that
 * it is ONNX: it is what nothing else is. */
static bool is_anything(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return true;
}

/* The first that takes it. */
static const struct format {
	enum nn_model_format format;
	bool (*takes)(const uint8_t *data, size_t size);
	int (*import)(struct nn_graph *graph, const struct nn_model_source *source);
} formats[] = {
	{ NN_MODEL_TEXT, is_text, nn_import_text },
	{ NN_MODEL_TFLITE, is_tflite, nn_import_tflite },
	{ NN_MODEL_ONNX, is_anything, nn_import_onnx },
};

int nn_import_any(struct nn_graph *graph, const struct nn_model_source *source,
		  enum nn_model_format *format)
{
	const struct format *found = formats;
	struct nn_model_source unpacked = *source;
	int err = nn_import_unpack(graph, &unpacked);

	/* A model of that format is wanted, whatever is wrong with the archive. */
	while (err ? found->format != NN_MODEL_TFLITE :
		     !found->takes(unpacked.data, unpacked.size))
		found++;
	if (format)
		*format = found->format;
	nn_options_forget_open(graph);
	/* Every format would call it its own. */
	if (!err && !unpacked.size)
		err = nn_graph_fail(graph, NULL, -EINVAL, "this is no model: it is empty");
	if (!err && unpacked.options->signature && found->format != NN_MODEL_TFLITE)
		err = nn_graph_fail(graph, NULL, -EINVAL,
				    "a signature is given, and only TensorFlow Lite models have any");
	if (!err && unpacked.options->integers_only > 1)
		err = nn_graph_fail(graph, NULL, -EINVAL, "integers_only is 0 or 1");
	if (!err && unpacked.options->integers_only && found->format == NN_MODEL_TEXT)
		err = nn_graph_fail(graph, NULL, -EINVAL,
				    "integers only are asked for, and a graph in nnloop's own format "
				    "says itself what it computes in");
	return err ? err : found->import(graph, &unpacked);
}

int nn_graph_import_with_sized(struct nn_graph *graph, const void *data, size_t size,
			       const struct nn_import_options *theirs, size_t options_size,
			       enum nn_model_format *format)
{
	struct nn_import_options options = { 0 };
	const struct nn_model_source source = { .data = data, .size = size, .options = &options };
	int err;

	nn_graph_lock(graph);
	if (theirs && !nn_sized_take(&options, sizeof(options), theirs, options_size))
		err = nn_graph_fail_newer(graph, "struct nn_import_options");
	else
		err = nn_import_any(graph, &source, format);
	nn_graph_unlock(graph);
	return err;
}

int nn_graph_import(struct nn_graph *graph, const void *data, size_t size,
		    enum nn_model_format *format)
{
	return nn_graph_import_with(graph, data, size, NULL, format);
}

static int import_as(struct nn_graph *graph, const void *data, size_t size,
		     int (*import)(struct nn_graph *graph, const struct nn_model_source *source))
{
	const struct nn_model_source source = {
		.data = data, .size = size, .options = &nn_options_none
	};
	int err;

	nn_graph_lock(graph);
	nn_options_forget_open(graph);
	err = import(graph, &source);
	nn_graph_unlock(graph);
	return err;
}

int nn_graph_import_onnx(struct nn_graph *graph, const void *data, size_t size)
{
	return import_as(graph, data, size, nn_import_onnx);
}

int nn_graph_import_tflite(struct nn_graph *graph, const void *data, size_t size)
{
	return import_as(graph, data, size, nn_import_tflite);
}

int nn_graph_import_text(struct nn_graph *graph, const char *text, size_t size)
{
	return import_as(graph, text, size, nn_import_text);
}
