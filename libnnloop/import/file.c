// SPDX-License-Identifier: MIT
/* nn_graph_import_file(): a model in a file, with the files beside it that it names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "import/folder.h"
#include "import/import.h"

#define PATH_SHOWN	200u		/* characters of a path, those at its end */

/* The file behind the sentence, of which its end goes if there is no room for both. */
static void name_file(struct nn_error *error, const char *path)
{
	const size_t length = strlen(path), shown = length < PATH_SHOWN ? length : PATH_SHOWN;
	char name[PATH_SHOWN + 8];
	size_t end;

	snprintf(name, sizeof(name), " (%s%s)", shown < length ? "..." : "", path + length - shown);
	end = sizeof(error->text) - 1 - strlen(name);
	if (strlen(error->text) < end)
		end = strlen(error->text);
	strcpy(error->text + end, name);
}

/*
 * Opens a file; or, where a part of the path is a file and no folder, that one: the rest is the
 * name of an entry in it. 0 or a negative errno.
 */
static int open_file(const char *path, struct nn_model_source *source, const char **failed)
{
	int err = nn_folder_open(path, &source->folder, &source->data, &source->size, failed);
	char *front = err == -ENOTDIR ? strdup(path) : NULL, *slash;

	while (err == -ENOTDIR && front && (slash = strrchr(front, '/'))) {
		*slash = 0;
		source->entry = path + (slash - front) + 1;
		err = nn_folder_open(front, &source->folder, &source->data, &source->size, failed);
	}
	free(front);
	return err;
}

/* Imports what was opened, and then looks whether it is still the same. */
static int import_open(struct nn_graph *graph, const struct nn_model_source *source,
		       enum nn_model_format *format)
{
	int err = nn_import_any(graph, source, format);

	if (!nn_folder_is_changed(source->folder))
		return err;
	nn_graph_clear(graph);
	nn_graph_clear_errors(graph);
	return nn_graph_fail(graph, NULL, -EBUSY,
			     "the file, or one beside it, was changed while it was read");
}

int nn_graph_import_file_with_sized(struct nn_graph *graph, const char *path,
				    const struct nn_import_options *theirs, size_t size,
				    enum nn_model_format *format)
{
	struct nn_import_options options = { 0 };
	struct nn_model_source source = { .options = &options };
	const char *failed = "open";
	int err = 0;

	if (theirs && !nn_sized_take(&options, sizeof(options), theirs, size)) {
		nn_graph_lock(graph);
		err = nn_graph_fail_newer(graph, "struct nn_import_options");
		nn_graph_unlock(graph);
		return err;
	}
	/* The graph is not kept from others while the file is read, which may take long. */
	if (path)
		err = open_file(path, &source, &failed);
	nn_graph_lock(graph);
	if (!path)
		err = nn_graph_fail(graph, NULL, -EINVAL, "no file of a model is given");
	else if (err == -ENODEV)
		nn_graph_fail(graph, NULL, err, "cannot %s the file: it is a device", failed);
	else if (err)
		nn_graph_fail(graph, NULL, err, "cannot %s the file: %s", failed, strerror(-err));
	else
		err = import_open(graph, &source, format);
	if (err && path)
		name_file(&graph->error, path);
	nn_graph_unlock(graph);
	nn_folder_close(source.folder);
	return err;
}

int nn_graph_import_file(struct nn_graph *graph, const char *path, enum nn_model_format *format)
{
	return nn_graph_import_file_with(graph, path, NULL, format);
}
