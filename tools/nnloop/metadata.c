// SPDX-License-Identifier: MIT
/*
 * TensorFlow Lite Metadata: what a .tflite file says of itself to those who run it, in a buffer of
 * its own (TensorFlow's metadata_schema.fbs) and in files that are in a zip archive behind the
 * model. Of that nnloop run uses the names of classes and how pixels become the numbers that the
 * model was trained with. Damage is no error: the metadata is passed over then.
 */
#include <stdlib.h>
#include <string.h>

#include "import/folder.h"
#include "import/tflite/flatbuffer.h"
#include "import/zip.h"
#include "metadata.h"
#include "nnloop.h"

enum { MODEL_GRAPHS = 2, MODEL_BUFFERS = 4, MODEL_METADATA = 6 };
enum { GRAPH_TENSORS, GRAPH_INPUTS };
enum { TENSOR_TYPE = 1, TENSOR_NAME = 3 };
enum { BUFFER_DATA };
enum { NAMED_NAME, NAMED_BUFFER };

enum { ABOUT_GRAPHS = 3 };
enum { ABOUT_INPUTS = 2, ABOUT_OUTPUTS };
enum { ABOUT_UNITS = 4, ABOUT_FILES = 6 };
enum { UNIT_TYPE, UNIT_OPTIONS };
enum { NORMALIZATION_MEAN, NORMALIZATION_STD };
enum { FILE_NAME, FILE_DESCRIPTION, FILE_TYPE };

#define IS_NORMALIZATION	1 /* of UNIT_TYPE */
#define IS_AXIS_LABELS		2 /* of FILE_TYPE: a line for each index of a dimension */
#define TYPE_FLOAT32		0

/* ---- The buffer ---- */

/* Opens the buffer. False: there is none. */
static bool open_buffer(struct flatbuffer *file, struct flatbuffer *buffer)
{
	struct flatbuffer_table model = flatbuffer_root(file);
	struct flatbuffer_vector named = flatbuffer_get_tables(file, &model, MODEL_METADATA);
	struct flatbuffer_vector buffers = flatbuffer_get_tables(file, &model, MODEL_BUFFERS);

	for (uint32_t i = 0; i < named.count && !file->wrong; i++) {
		struct flatbuffer_table entry = flatbuffer_table_at(file, &named, i), found;
		const char *name = flatbuffer_string(file, &entry, NAMED_NAME);
		uint32_t index = flatbuffer_int(file, &entry, NAMED_BUFFER, 4, 0);
		struct flatbuffer_vector data;

		if (!name || strcmp(name, "TFLITE_METADATA") || index >= buffers.count)
			continue;
		found = flatbuffer_table_at(file, &buffers, index);
		data = flatbuffer_get_vector(file, &found, BUFFER_DATA, 1);
		return data.count && !file->wrong &&
		       flatbuffer_is(flatbuffer_elements(file, &data), data.count, "M001") &&
		       flatbuffer_open(buffer, flatbuffer_elements(file, &data), data.count);
	}
	return false;
}

/* Reads up to MAX_CHANNELS numbers; 0: none, or more. */
static uint32_t read_floats(struct flatbuffer *buffer, const struct flatbuffer_table *table,
			    uint32_t field, float *to)
{
	struct flatbuffer_vector numbers = flatbuffer_get_vector(buffer, table, field, 4);

	if (!numbers.count || numbers.count > MAX_CHANNELS || buffer->wrong)
		return 0;
	memcpy(to, flatbuffer_elements(buffer, &numbers), numbers.count * sizeof(*to));
	return numbers.count;
}

static void read_normalization(struct flatbuffer *buffer, const struct flatbuffer_table *tensor,
			       struct normalization *normalization)
{
	struct flatbuffer_vector units = flatbuffer_get_tables(buffer, tensor, ABOUT_UNITS);

	for (uint32_t i = 0; i < units.count && !normalization->channels; i++) {
		struct flatbuffer_table unit = flatbuffer_table_at(buffer, &units, i), options;
		uint32_t means, deviations;

		if (flatbuffer_int(buffer, &unit, UNIT_TYPE, 1, 0) != IS_NORMALIZATION)
			continue;
		options = flatbuffer_get_table(buffer, &unit, UNIT_OPTIONS);
		means = read_floats(buffer, &options, NORMALIZATION_MEAN, normalization->mean);
		deviations = read_floats(buffer, &options, NORMALIZATION_STD,
					 normalization->deviation);
		normalization->channels = means == deviations ? means : 0;
		for (uint32_t c = 0; c < normalization->channels; c++) {
			if (!(normalization->deviation[c] > 0))
				normalization->channels = 0;
		}
	}
}

/* The inputs of the model that are of float32: others take pixels as they are. */
static void read_inputs(struct metadata *metadata, struct flatbuffer *file,
			struct flatbuffer *buffer, const struct flatbuffer_table *about)
{
	struct flatbuffer_table model = flatbuffer_root(file), graph;
	struct flatbuffer_vector graphs = flatbuffer_get_tables(file, &model, MODEL_GRAPHS);
	struct flatbuffer_vector tensors, inputs, described;
	const uint8_t *indices;

	graph = flatbuffer_table_at(file, &graphs, 0);
	tensors = flatbuffer_get_tables(file, &graph, GRAPH_TENSORS);
	inputs = flatbuffer_get_vector(file, &graph, GRAPH_INPUTS, 4);
	indices = flatbuffer_elements(file, &inputs);
	described = flatbuffer_get_tables(buffer, about, ABOUT_INPUTS);
	for (uint32_t i = 0; i < inputs.count && i < described.count && !file->wrong &&
			     metadata->input_count < MAX_NORMALIZED; i++) {
		struct normalization *input = &metadata->inputs[metadata->input_count];
		struct flatbuffer_table tensor = { 0 }, description;
		uint32_t index;

		memcpy(&index, indices + 4 * i, 4);
		if (index < tensors.count)
			tensor = flatbuffer_table_at(file, &tensors, index);
		input->name = flatbuffer_string(file, &tensor, TENSOR_NAME);
		description = flatbuffer_table_at(buffer, &described, i);
		if (input->name && flatbuffer_int(file, &tensor, TENSOR_TYPE, 1, 0) == TYPE_FLOAT32)
			read_normalization(buffer, &description, input);
		metadata->input_count += input->channels > 0;
	}
}

/* ---- The files behind the model ---- */

static void find_file(struct metadata *metadata, const char *name)
{
	struct zip_entry entry;
	struct zip zip;

	if (!zip_open(&zip, metadata->data, metadata->size))
		return;
	while (zip_next(&zip, &entry)) {
		if (entry.name_size != strlen(name) || memcmp(entry.name, name, entry.name_size))
			continue;
		metadata->labels_name = name;
		metadata->labels = (const char *)entry.data;
		metadata->labels_size = entry.size;
		return;
	}
}

/* Names of the first output's classes. */
static void read_labels(struct metadata *metadata, struct flatbuffer *buffer,
			const struct flatbuffer_table *about)
{
	struct flatbuffer_vector outputs = flatbuffer_get_tables(buffer, about, ABOUT_OUTPUTS);
	struct flatbuffer_table output = flatbuffer_table_at(buffer, &outputs, 0);
	struct flatbuffer_vector files = flatbuffer_get_tables(buffer, &output, ABOUT_FILES);

	for (uint32_t i = 0; outputs.count && i < files.count && !metadata->labels_name; i++) {
		struct flatbuffer_table file = flatbuffer_table_at(buffer, &files, i);
		const char *name = flatbuffer_string(buffer, &file, FILE_NAME);

		if (name && flatbuffer_int(buffer, &file, FILE_TYPE, 1, 0) == IS_AXIS_LABELS)
			find_file(metadata, name);
	}
}

void metadata_read(const char *path, struct metadata *metadata)
{
	struct flatbuffer file, buffer;
	struct flatbuffer_table root, about;
	struct flatbuffer_vector graphs;
	const char *failed;

	*metadata = (struct metadata) { 0 };
	if (nn_folder_open(path, &metadata->folder, &metadata->data, &metadata->size, &failed)) {
		metadata->folder = NULL;
		return;
	}
	if (!flatbuffer_is(metadata->data, metadata->size, "TFL3") ||
	    !flatbuffer_open(&file, metadata->data, metadata->size) || !open_buffer(&file, &buffer))
		return;
	root = flatbuffer_root(&buffer);
	graphs = flatbuffer_get_tables(&buffer, &root, ABOUT_GRAPHS);
	about = flatbuffer_table_at(&buffer, &graphs, 0);
	if (!graphs.count)
		return;
	read_inputs(metadata, &file, &buffer, &about);
	read_labels(metadata, &buffer, &about);
	if (file.wrong || buffer.wrong) {
		metadata->input_count = 0;
		metadata->labels_name = NULL;
	}
}

const struct normalization *metadata_find(const struct metadata *metadata, const char *input)
{
	for (uint32_t i = 0; input && i < metadata->input_count; i++) {
		if (!strcmp(metadata->inputs[i].name, input))
			return &metadata->inputs[i];
	}
	return NULL;
}

void normalization_print(FILE *stream, const struct normalization *normalization)
{
	for (uint32_t c = 0; c < normalization->channels; c++)
		fprintf(stream, "%s (x - %g) / %g", c ? "," : "", (double)normalization->mean[c],
			(double)normalization->deviation[c]);
}

void metadata_free(struct metadata *metadata)
{
	nn_folder_close(metadata->folder);
	metadata->folder = NULL;
}
