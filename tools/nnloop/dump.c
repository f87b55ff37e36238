// SPDX-License-Identifier: MIT
/* nnloop run --dump: every tensor of a model in a file of its own, and a list of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensors.h"

#define LIST "tensors.txt"

static int write_tensor(const struct run *run, const struct tensor *tensor, FILE *list)
{
	const struct output *output = tensor->output;
	size_t size = strlen(run->options->dump) + sizeof(tensor->file) + 8;
	char *path = malloc(size);
	struct out_file *file;
	int status;

	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s/%s.npy", run->options->dump, tensor->file);
	status = out_file_open(path, &file);
	if (!status)
		status = output_write(output, file, run->options->real);
	free(path);
	fprintf(list, "%s.npy\t%s\t%s %" PRIu32, tensor->file, tensor->op,
		nn_data_type_name(output->info.type), output->rows);
	for (uint32_t i = 1; i < output->info.rank; i++)
		fprintf(list, "x%" PRIu32, output->info.dims[i]);
	if (output->info.scale)
		fprintf(list, "\tscale %.9g zero point %" PRId32, (double)output->info.scale,
			output->info.zero_point);
	fputc('\n', list);
	return status;
}

static int write_all(const struct run *run, const struct tensor *tensors, uint32_t count)
{
	size_t size = strlen(run->options->dump) + sizeof("/" LIST);
	char *path = malloc(size);
	struct out_file *list;
	int status;

	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s/%s", run->options->dump, LIST);
	status = out_file_open(path, &list);
	for (uint32_t i = 0; i < count && !status; i++)
		status = write_tensor(run, &tensors[i], out_file_stream(list));
	if (!status)
		status = out_file_finish(list);
	free(path);
	return status;
}

int dump_write(const struct run *run)
{
	struct tensor *tensors;
	uint32_t count;
	int status = tensors_list(run, &tensors, &count);

	if (status)
		return status;
	status = write_all(run, tensors, count);
	free(tensors);
	return status;
}
