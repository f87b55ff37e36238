// SPDX-License-Identifier: MIT
/* Models that are open: what every command does with one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "nnloop.h"

static int fail_refused(const char *path, const struct nn_refusals_info *info)
{
	const char *reasons = info->kind_count == 1 ? "" : "s";

	if (!info->refused_count)
		return fail("%s cannot run, for %u reason%s", path, info->kind_count, reasons);
	return fail("%s cannot run, for %u reason%s in %u of its %u nodes", path, info->kind_count,
		    reasons, info->refused_count, info->node_count);
}

/* The beginning of a file, as much as says what it looks like. */
static const char *looks_of(const char *path, const struct file *file)
{
	uint8_t head[512];
	struct file begin = { .path = path, .data = head };
	FILE *stream;

	if (file)
		return file_looks_like(file);
	stream = fopen(path, "rbe");
	if (!stream)
		return NULL;
	begin.size = fread(head, 1, sizeof(head), stream);
	fclose(stream);
	return file_looks_like(&begin);
}

/* The sentence of an error without the path, which the library puts behind it. */
static size_t count_said(const char *text, const char *path)
{
	const size_t length = strlen(text), shown = 200;
	const bool is_long = strlen(path) > shown;
	const char *end = is_long ? path + strlen(path) - shown : path;
	const size_t behind = strlen(end) + (is_long ? 6 : 3);

	if (length > behind && text[length - 1] == ')' &&
	    !strncmp(text + length - behind, is_long ? " (..." : " (", is_long ? 5 : 2) &&
	    !strncmp(text + length - strlen(end) - 1, end, strlen(end)))
		return length - behind;
	return length;
}

int model_fail_import(const struct nn_graph *graph, const char *path, const struct file *file,
		      enum model_refusal *refusal)
{
	const struct nn_error *error = nn_graph_error(graph);
	int said = count_said(error->text, path);
	struct nn_refusal first = { .help = "" };
	struct nn_refusals_info info;
	const char *looks, *more;

	*refusal = MODEL_NOT_REFUSED;
	if (!strncmp(error->text, "cannot open the file: ", 22))
		return fail("cannot open %s: %.*s", path, said - 22, error->text + 22);
	if (!strncmp(error->text, "cannot read the file: ", 22))
		return fail("cannot read %s: %.*s", path, said - 22, error->text + 22);
	looks = looks_of(path, file);
	if (looks && !strcmp(looks, "text"))
		return fail("%s is no model: it looks like text, and as a graph: %.*s", path, said,
			    error->text);
	if (looks && strcmp(looks, "an ONNX model") && strcmp(looks, "a TensorFlow Lite model") &&
	    strcmp(looks, "a text graph") && strncmp(looks, "a zip archive", 13))
		return fail("%s is no model: it looks like %s; the model comes first, then its inputs",
			    path, looks);
	if (!nn_graph_get_refusals(graph, &info) && !nn_graph_get_refusal(graph, 0, &first)) {
		*refusal = info.kind_count == 1 && first.count == 1 ? MODEL_ONE_REASON :
								       MODEL_MANY_REASONS;
		if (*refusal == MODEL_MANY_REASONS)
			return fail_refused(path, &info);
	}
	more = *first.help ? "; " : "";
	if (error->node)
		return fail("node %u: %s: %.*s%s%s (%s)", error->node, error->op, said,
			    error->text, more, first.help, path);
	return fail("graph: %.*s%s%s (%s)", said, error->text, more, first.help, path);
}

uint32_t *model_rows(const struct model *model, uint32_t rows)
{
	uint32_t count = nn_graph_get_input_count(model->graph);
	uint32_t *result = calloc(count + 1, sizeof(*result));

	if (!result) {
		fail("out of memory");
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct nn_tensor_info info;

		nn_graph_get_input_info(model->graph, i, &info);
		result[i] = info.dims[0] != NN_VARIABLE ? info.dims[0] : rows;
	}
	return result;
}

int model_prepare(const struct model *model, struct nn_device *device,
		  const struct nn_prepare_options *options)
{
	struct nn_prepare_options all = *options;

	all.input_count = nn_graph_get_input_count(model->graph);
	return nn_graph_prepare(model->graph, device, &all) ? fail_graph(model->graph) : 0;
}
