// SPDX-License-Identifier: MIT
/* Opens models. */
#include <string.h>

#include "nnloop.h"

/* What the file's name does not tell, its first bytes do: a text graph is text, in UTF-8; an ONNX
 * model begins with a field's tag, which no line of text begins with. */
static bool is_text(const struct file *file)
{
	if (file_has_suffix(file->path, ".onnx") || file_has_suffix(file->path, ".txt"))
		return file_has_suffix(file->path, ".txt");
	for (size_t i = 0; i < file->size && i < 512; i++) {
		uint8_t c = file->data[i];

		if (c == 0x7f || (c < ' ' && c != '\n' && c != '\r' && c != '\t'))
			return false;
	}
	return true;
}

int model_open(const char *path, struct model *model)
{
	struct file file;
	int err, status;

	*model = (struct model) { 0 };
	status = file_read(path, &file);
	if (status)
		return status;
	if (nn_graph_create(&model->graph)) {
		status = fail("out of memory");
		goto free_file;
	}
	model->channels_first = !is_text(&file);
	if (model->channels_first)
		err = nn_graph_import_onnx(model->graph, file.data, file.size);
	else
		err = nn_graph_import_text(model->graph, (const char *)file.data, file.size);
	if (err)
		status = model_fail_import(model->graph, &file);
free_file:
	file_free(&file);
	return status;
}

void model_close(struct model *model)
{
	nn_graph_destroy(model->graph);
}
