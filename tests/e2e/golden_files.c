// SPDX-License-Identifier: MIT
/* Golden models, read from files of cases and from folders (golden.h). */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"

static const char magic[8] = "NNCASES1";

uint32_t onnx_type(enum nn_data_type type)
{
	static const uint32_t types[] = {
		[NN_INT8] = ONNX_INT8,	   [NN_UINT8] = ONNX_UINT8, [NN_INT16] = ONNX_INT16,
		[NN_UINT16] = ONNX_UINT16, [NN_INT32] = ONNX_INT32, [NN_FLOAT32] = ONNX_FLOAT,
		[NN_INT64] = ONNX_INT64,   [NN_BOOL] = ONNX_BOOL,
		[NN_UINT32] = ONNX_UINT32, [NN_UINT64] = ONNX_UINT64,
	};

	return types[type];
}

/* ---- Files of cases ---- */

static uint32_t read_u32(const uint8_t **at)
{
	uint32_t value = (*at)[0] | (*at)[1] << 8 | (*at)[2] << 16 | (uint32_t)(*at)[3] << 24;

	*at += 4;
	return value;
}

static const uint8_t *read_blob(const uint8_t **at, uint32_t *size)
{
	const uint8_t *data;

	*size = read_u32(at);
	data = *at;
	*at += *size;
	return data;
}

static void read_text(const uint8_t **at, char *text, size_t room)
{
	uint32_t size;
	const uint8_t *data = read_blob(at, &size);

	snprintf(text, room, "%.*s", (int)size, (const char *)data);
}

static uint32_t read_tensors(const uint8_t **at, struct tensor *tensors)
{
	uint32_t count = read_u32(at);

	for (uint32_t i = 0; i < count; i++) {
		struct tensor t = { 0 };
		uint32_t name_size;

		read_blob(at, &name_size);
		t.type = read_u32(at);
		t.rank = read_u32(at);
		for (uint32_t k = 0; k < t.rank; k++) {
			uint32_t dim = read_u32(at);

			if (k < NN_MAX_RANK)
				t.dims[k] = dim;
		}
		t.data = read_blob(at, &t.size);
		if (i < MAX_TENSORS)
			tensors[i] = t;
	}
	return count;
}

static void read_case(const uint8_t *at, struct one_case *c)
{
	read_text(&at, c->name, sizeof(c->name));
	c->flags = read_u32(&at) & ~(OWN_LOOP | MUST_LOOP);
	c->model = read_blob(&at, &c->model_size);
	read_u32(&at); /* no twin: only what came of it */
	c->input_count = read_tensors(&at, c->inputs);
	c->state = read_u32(&at);
	read_text(&at, c->why, sizeof(c->why));
	c->output_count = read_tensors(&at, c->outputs);
	c->twin_count = read_tensors(&at, c->twins);
}

static int next_of_file(struct golden *golden, struct one_case *c)
{
	const uint8_t *at = golden->file.data + golden->at;
	uint32_t size;

	if (golden->at == golden->file.size)
		return 0;
	if (golden->file.size - golden->at < 4 ||
	    golden->file.size - golden->at - 4 < (size = read_u32(&at))) {
		fail("%s is cut off", golden->path);
		return -1;
	}
	golden->at += 4 + (size_t)size;
	read_case(at, c);
	return 1;
}

/* ---- Folders ---- */

/* A folder has a list of its models, by which it is known: a line has a name, words that are not
 * for here, and how many inputs there are. Models' files end with the suffix. */
static const struct golden_folder {
	const char *list, *suffix, *format;
} folders[] = {
	{ "levels.txt", ".onnx", "%63s %*s %" SCNu32 },
	{ "list.txt", ".tflite", "%63s %" SCNu32 },
};

/* These are models whose sums ONNX Runtime computes in float. */
static const char *const float_sums[] = {
	"matmul_add.onnx",
	"loop_rows.onnx",
	"reducemean_1.onnx",
};

static uint32_t flags_of(const char *name, const char *suffix)
{
	char file[128];
	uint32_t flags = MUST_ACCEPT | MUST_LOOP;

	/* Models with a loop of their own cannot get another one, nor those whose rows are fixed, or
	 * move, as for recurrent layers. */
	if (!strncmp(name, "whole_", 6) || !strncmp(name, "apart_", 6) ||
	    !strncmp(name, "control_", 8) || strstr(name, "loop") ||
	    strstr(name, "proposal") || strstr(name, "crop") ||
	    (strstr(suffix, ".onnx") && (strstr(name, "lstm") || strstr(name, "gru") ||
					 strstr(name, "rnn"))))
		flags = MUST_ACCEPT | OWN_LOOP;
	snprintf(file, sizeof(file), "%s%s", name, suffix);
	for (size_t i = 0; i < sizeof(float_sums) / sizeof(*float_sums); i++) {
		if (!strcmp(file, float_sums[i]))
			flags |= FLOAT_SUMS;
	}
	return flags;
}

static void free_files(struct golden *golden)
{
	for (uint32_t i = 0; i < golden->array_count; i++)
		npy_free(&golden->arrays[i]);
	for (uint32_t i = 0; i < golden->file_count; i++)
		file_free(&golden->files[i]);
	golden->array_count = golden->file_count = 0;
}

static const struct file *read_beside(struct golden *golden, const char *name, const char *ending)
{
	char *path = golden->paths[golden->file_count];
	struct file *file = &golden->files[golden->file_count];

	snprintf(path, sizeof(*golden->paths), "%s/%s%s", golden->path, name, ending);
	if (file_read(path, file))
		return NULL;
	golden->file_count++;
	return file;
}

static int read_array(struct golden *golden, const char *name, const char *ending,
		      struct tensor *tensor)
{
	const struct file *file = read_beside(golden, name, ending);
	struct npy *npy = &golden->arrays[golden->array_count];

	if (!file)
		return -1;
	golden->array_count++;
	if (npy_read(file, npy))
		return -1;
	tensor->type = onnx_type(npy->type);
	tensor->rank = npy->rank;
	for (uint32_t i = 0; i < npy->rank; i++)
		tensor->dims[i] = npy->dims[i];
	tensor->data = npy->data;
	tensor->size = npy->count * nn_data_type_size(npy->type);
	return 0;
}

/* One output is NAME.golden.npy, several are NAME.golden.0.npy and so on. */
static int read_outputs(struct golden *golden, struct one_case *c)
{
	char path[256], ending[32] = ".golden.npy";

	snprintf(path, sizeof(path), "%s/%s%s", golden->path, c->name, ending);
	if (!access(path, F_OK)) {
		c->output_count = 1;
		return read_array(golden, c->name, ending, &c->outputs[0]);
	}
	do {
		snprintf(ending, sizeof(ending), ".golden.%u.npy", c->output_count);
		if (read_array(golden, c->name, ending, &c->outputs[c->output_count++]))
			return -1;
		snprintf(path, sizeof(path), "%s/%s.golden.%u.npy", golden->path, c->name,
			 c->output_count);
	} while (c->output_count < MAX_TENSORS && !access(path, F_OK));
	return 0;
}

static int read_model(struct golden *golden, struct one_case *c)
{
	const struct file *model = read_beside(golden, c->name, c->suffix);

	if (!model)
		return -1;
	c->model = model->data;
	c->model_size = model->size;
	c->flags = flags_of(c->name, c->suffix);
	c->state = JUDGED;
	for (uint32_t i = 0; i < c->input_count; i++) {
		char ending[32];

		snprintf(ending, sizeof(ending), ".in%u.npy", i);
		if (read_array(golden, c->name, ending, &c->inputs[i]))
			return -1;
	}
	return read_outputs(golden, c);
}

static int next_of_folder(struct golden *golden, struct one_case *c)
{
	const struct file *list = &golden->file;

	while (golden->at < list->size) {
		const uint8_t *from = list->data + golden->at, *end;
		char line[256];

		end = memchr(from, '\n', list->size - golden->at) ?: list->data + list->size;
		golden->at = end - list->data + 1;
		snprintf(line, sizeof(line), "%.*s", (int)(end - from), (const char *)from);
		if (*line == '#' || !*line)
			continue;
		if (sscanf(line, golden->folder->format, c->name, &c->input_count) != 2 ||
		    c->input_count > MAX_TENSORS) {
			fail("%s: a line of the list is not a model and how many inputs it has: %s",
			     golden->path, line);
			return -1;
		}
		c->suffix = golden->folder->suffix;
		if (read_model(golden, c))
			c->model = NULL;
		return 1;
	}
	return 0;
}

/* ---- Both ---- */

int golden_open(const char *path, struct golden *golden)
{
	*golden = (struct golden){ .path = path };
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char list[256];

		snprintf(list, sizeof(list), "%s/%s", path, folders[i].list);
		if (access(list, F_OK))
			continue;
		golden->folder = &folders[i];
		return file_read(list, &golden->file);
	}
	if (file_read(path, &golden->file))
		return 1;
	if (golden->file.size < sizeof(magic) || memcmp(golden->file.data, magic, sizeof(magic))) {
		file_free(&golden->file);
		return fail("%s is no file of cases, and no folder with a list of models", path);
	}
	golden->at = sizeof(magic);
	return 0;
}

int golden_next(struct golden *golden, struct one_case *c)
{
	free_files(golden);
	*c = (struct one_case){ .suffix = "" };
	return golden->folder ? next_of_folder(golden, c) : next_of_file(golden, c);
}

void golden_close(struct golden *golden)
{
	free_files(golden);
	file_free(&golden->file);
}
