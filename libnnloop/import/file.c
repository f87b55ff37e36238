// SPDX-License-Identifier: MIT
/*
 * nn_graph_import_file(): a model in a file.
 *
 * The file is read, not mapped: one that somebody shortens meanwhile would end the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "import/import.h"

#define MOST_BYTES	((size_t)1 << 31)
#define PATH_SHOWN	200u		/* characters of a path, those at its end */

struct contents {
	char *data;
	size_t size, room;
};

/* Room for at least one more byte. */
static int grow(struct contents *contents)
{
	size_t room = contents->room ? 2 * contents->room : 65536;
	char *data;

	if (contents->size < contents->room)
		return 0;
	if (contents->room > MOST_BYTES)
		return -EFBIG;
	data = realloc(contents->data, room);
	if (!data)
		return -ENOMEM;
	contents->data = data;
	contents->room = room;
	return 0;
}

static int read_all(int fd, struct contents *contents)
{
	struct stat stat;

	/* One byte more than a regular file has: its end is found without growing. */
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size > 0) {
		if ((uint64_t)stat.st_size > MOST_BYTES)
			return -EFBIG;
		contents->data = malloc(stat.st_size + 1);
		contents->room = contents->data ? stat.st_size + 1 : 0;
	}
	for (;;) {
		int err = grow(contents);
		ssize_t got;

		if (err)
			return err;
		got = read(fd, contents->data + contents->size, contents->room - contents->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return contents->size > MOST_BYTES ? -EFBIG : 0;
		contents->size += got;
	}
}

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

int nn_graph_import_file_with_sized(struct nn_graph *graph, const char *path,
				    const struct nn_import_options *theirs, size_t size,
				    enum nn_model_format *format)
{
	struct nn_import_options options = { 0 };
	struct nn_model_source source = { .options = &options };
	struct contents contents = { 0 };
	const char *failed = "open";
	int fd, err;

	if (!path) {
		nn_graph_lock(graph);
		err = nn_graph_fail(graph, NULL, -EINVAL, "no file of a model is given");
		goto unlock;
	}
	if (theirs && !nn_sized_take(&options, sizeof(options), theirs, size)) {
		nn_graph_lock(graph);
		err = nn_graph_fail_newer(graph, "struct nn_import_options");
		goto unlock;
	}
	/* The graph is not kept from others while the file is read, which may take long. */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	if (!err) {
		failed = "read";
		err = read_all(fd, &contents);
		close(fd);
	}
	nn_graph_lock(graph);
	if (err)
		nn_graph_fail(graph, NULL, err, "cannot %s the file: %s", failed, strerror(-err));
	source.data = contents.data;
	source.size = contents.size;
	if (!err)
		err = nn_import_any(graph, &source, format);
	if (err)
		name_file(&graph->error, path);
unlock:
	nn_graph_unlock(graph);
	free(contents.data);
	return err;
}

int nn_graph_import_file(struct nn_graph *graph, const char *path, enum nn_model_format *format)
{
	return nn_graph_import_file_with(graph, path, NULL, format);
}
