// SPDX-License-Identifier: MIT
/* What nnloop run makes of the outputs: files and text, classes, numbers on pages. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Prints the class of each item, and how many are as they should be. */
static int compare_labels(const struct run *run)
{
	const struct output *output = &run->outputs[0];
	uint32_t right = 0, row = 0;
	struct file file;
	char *at;
	int status;

	status = file_read(run->options->labels, &file);
	if (status)
		return status;
	at = realloc(file.data, file.size + 1);
	if (!at) {
		status = fail("out of memory");
		goto free_file;
	}
	file.data = (uint8_t *)at;
	at[file.size] = 0;
	for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n"), row++) {
		uint64_t label;
		uint32_t class;

		line[strcspn(line, "\r")] = 0;
		if (!parse_number(line, 0, UINT32_MAX, &label)) {
			status = fail("line %u of %s is no class number", row + 1, file.path);
			goto free_file;
		}
		if (row >= output->rows)
			continue;
		class = output_class(output, row);
		right += class == label;
		if (class == label)
			printf("%u\n", class);
		else
			printf("%u wrong, it is %" PRIu64 "\n", class, label);
	}
	if (row != output->rows)
		status = fail("%s has %u labels for %u items", file.path, row, output->rows);
	else if (row)
		printf("%u of %u right (%.2f %%)\n", right, row, 100.0 * right / row);
free_file:
	file_free(&file);
	return status;
}

/* Tensors of the text format have no names. */
static void print_output_name(const struct nn_tensor_info *info, uint32_t i)
{
	if (info->name && *info->name)
		printf("# %s\n", info->name);
	else
		printf("# output %u\n", i);
}

static int write_outputs(const struct run *run)
{
	int status = 0;

	for (uint32_t i = 0; i < run->own_count && !status; i++) {
		bool is_named = i < run->options->output_count;

		if (!is_named && (run->options->labels || run->options->numbers))
			continue;
		if (!is_named && run->own_count > 1)
			print_output_name(&run->outputs[i].info, i);
		status = output_write(&run->outputs[i], is_named ? run->files[i] : NULL,
				      run->options->real);
	}
	return status;
}

static int write_numbers(const struct run *run)
{
	const struct run_options *options = run->options;
	struct numbers numbers;
	int status;

	status = numbers_read(&numbers, &run->inputs[0], run->outputs, run->own_count);
	if (!status)
		numbers_print(&numbers);
	if (!status && options->truth)
		status = numbers_compare(&numbers, options->truth);
	if (!status && options->annotate)
		status = numbers_annotate(&numbers, options->annotate);
	numbers_free(&numbers);
	return status;
}

int run_write_results(const struct run *run)
{
	int status = write_outputs(run);

	if (!status && run->options->labels)
		status = compare_labels(run);
	if (!status && run->options->numbers)
		status = write_numbers(run);
	if (!status && run->options->dump)
		status = dump_write(run);
	return status;
}
