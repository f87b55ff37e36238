// SPDX-License-Identifier: MIT
/* The looks of a file, for whoever gave the wrong one: by its first bytes, never by its name. */
#include <string.h>

#include "nnloop.h"

static const struct {
	uint32_t at, size;
	const char *bytes;
	const char *looks;
} heads[] = {
	{ 0, 8, "\x89PNG\r\n\x1a\n", "a PNG picture" },
	{ 0, 3, "\xff\xd8\xff", "a JPEG picture" },
	{ 0, 4, "GIF8", "a GIF picture" },
	{ 8, 4, "WEBP", "a WebP picture" },
	{ 8, 4, "WAVE", "a WAV file" },
	{ 0, 4, "II*\0", "a TIFF picture" },
	{ 0, 4, "MM\0*", "a TIFF picture" },
	{ 0, 6, "\x93NUMPY", "a NumPy array (.npy)" },
	{ 0, 4, "PK\3\4", "a zip archive, such as .npz" },
	{ 0, 3, "\x1f\x8b\x08", "a file compressed with gzip" },
	{ 0, 4, "%PDF", "a PDF document" },
	{ 0, 4, "\x7f" "ELF", "a program" },
	{ 4, 4, "TFL3", "a TensorFlow Lite model" },
	{ 0, 8, "\x89HDF\r\n\x1a\n", "an HDF5 file" },
};

/* An ONNX file begins with the version of its format, a small number, and goes on with its
 * producer, its domain, its graph or its opsets. */
static bool is_onnx(const struct file *file)
{
	return file->size > 2 && file->data[0] == 0x08 && file->data[1] && file->data[1] < 64 &&
	       file->data[2] && strchr("\x12\x1a\x22\x28\x32\x3a\x42", file->data[2]);
}

static bool is_text(const struct file *file)
{
	for (size_t i = 0; i < file->size && i < 512; i++) {
		uint8_t c = file->data[i];

		if (c == 0x7f || (c < ' ' && c != '\n' && c != '\r' && c != '\t'))
			return false;
	}
	return file->size > 0;
}

/* Does the first line that says anything begin with a node's number? */
static bool is_text_graph(const struct file *file)
{
	size_t at = 0;

	while (at < file->size) {
		const uint8_t *end, *line = file->data + at;

		while (at < file->size && (file->data[at] == ' ' || file->data[at] == '\t'))
			at++;
		if (at < file->size && !strchr("#\r\n", file->data[at]))
			return file->data[at] >= '0' && file->data[at] <= '9';
		end = memchr(line, '\n', file->data + file->size - line);
		if (!end)
			break;
		at = end + 1 - file->data;
	}
	return true;
}

const char *file_looks_like(const struct file *file)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		if (file->size >= heads[i].at + heads[i].size &&
		    !memcmp(file->data + heads[i].at, heads[i].bytes, heads[i].size))
			return heads[i].looks;
	}
	if (is_onnx(file))
		return "an ONNX model";
	if (is_text(file))
		return is_text_graph(file) ? "a text graph" : "text";
	return NULL;
}
