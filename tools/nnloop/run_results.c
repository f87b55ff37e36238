// SPDX-License-Identifier: MIT
/* Results of nnloop run: files and text, classes, numbers on pages. */
#include <stdio.h>

#include "run.h"

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
		status = classes_print(&run->outputs[0], run->options->labels);
	if (!status && run->options->numbers)
		status = write_numbers(run);
	if (!status && run->options->dump)
		status = dump_write(run);
	return status;
}
