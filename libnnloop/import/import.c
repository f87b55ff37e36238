// SPDX-License-Identifier: MIT
/* The public calls that import bytes, and which importer they are for. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
	int (*import)(struct nn_graph *graph, const void *data, size_t size);
} formats[] = {
	{ NN_MODEL_TEXT, is_text, nn_import_text },
	{ NN_MODEL_TFLITE, is_tflite, nn_import_tflite },
	{ NN_MODEL_ONNX, is_anything, nn_import_onnx },
};

int nn_import_any(struct nn_graph *graph, const void *data, size_t size,
		  enum nn_model_format *format)
{
	const struct format *found = formats;

	while (!found->takes(data, size))
		found++;
	if (format)
		*format = found->format;
	return found->import(graph, data, size);
}

int nn_graph_import(struct nn_graph *graph, const void *data, size_t size,
		    enum nn_model_format *format)
{
	int err;

	nn_graph_lock(graph);
	err = nn_import_any(graph, data, size, format);
	nn_graph_unlock(graph);
	return err;
}

int nn_graph_import_onnx(struct nn_graph *graph, const void *data, size_t size)
{
	int err;

	nn_graph_lock(graph);
	err = nn_import_onnx(graph, data, size);
	nn_graph_unlock(graph);
	return err;
}

int nn_graph_import_tflite(struct nn_graph *graph, const void *data, size_t size)
{
	int err;

	nn_graph_lock(graph);
	err = nn_import_tflite(graph, data, size);
	nn_graph_unlock(graph);
	return err;
}

int nn_graph_import_text(struct nn_graph *graph, const char *text, size_t size)
{
	int err;

	nn_graph_lock(graph);
	err = nn_import_text(graph, text, size);
	nn_graph_unlock(graph);
	return err;
}
