// SPDX-License-Identifier: MIT
/*
 * nnloop run --state FILE: what the model keeps from one execution to the next is read from a file
 * before, if that is there, and written to it when all results are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static int read_state(const struct run *run, const char *path)
{
	struct nn_graph *graph = run->model.graph;
	struct file file;
	int status = 0;

	if (access(path, F_OK) && errno == ENOENT) {
		if (!run->options->quiet)
			fprintf(stderr,
				"note: there is no %s yet: the model begins in its initial state\n",
				path);
		return 0;
	}
	status = file_read(path, &file);
	if (status)
		return status;
	if (nn_graph_set_state(graph, file.data, file.size))
		status = fail("%s: %s", path, nn_graph_error(graph)->text);
	file_free(&file);
	return status;
}

int run_open_state(struct run *run)
{
	const char *path = run->options->state;
	int status;

	if (!path)
		return 0;
	if (!nn_graph_get_state_size(run->model.graph))
		return fail("%s keeps nothing from one execution to the next: it takes no --state",
			    run->options->model);
	status = out_file_open(path, &run->state_file);
	return status ? status : read_state(run, path);
}

int run_write_state(const struct run *run)
{
	struct nn_graph *graph = run->model.graph;
	size_t size = nn_graph_get_state_size(graph);
	uint8_t *state;
	int status = 0;

	if (!run->state_file)
		return 0;
	state = malloc(size);
	if (!state)
		return fail("out of memory");
	if (nn_graph_get_state(graph, state, size))
		status = fail_graph(graph);
	if (!status) {
		fwrite(state, 1, size, out_file_stream(run->state_file));
		status = out_file_finish(run->state_file);
	}
	free(state);
	return status;
}
