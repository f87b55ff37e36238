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

/* Whether nothing else is wanted of the outputs than what the model's own labels make of them. */
static bool has_own_labels(const struct run *run)
{
	const struct run_options *options = run->options;

	return run->metadata.labels_name && !options->labels && !options->numbers &&
	       !options->output_count && !options->real && !options->dump;
}

/* Prints the classes by the model's own labels. -1: there is no name for each. */
static int print_own_classes(const struct run *run)
{
	const struct metadata *metadata = &run->metadata;
	int status = -1;

	if (metadata->labels)
		status = classes_print_text(&run->outputs[0], metadata->labels_name, metadata->labels,
					    metadata->labels_size);
	if (run->options->quiet)
		return status;
	if (status >= 0)
		fprintf(stderr, "note: classes are named by %s in the model; --labels FILE takes others, and -o - has the outputs instead\n",
			metadata->labels_name);
	else
		fprintf(stderr, "note: %s in the model, which names classes, is %s and not used\n",
			metadata->labels_name,
			metadata->labels ? "for another number of them" : "compressed");
	return status;
}

int run_write_results(const struct run *run)
{
	int status = has_own_labels(run) ? print_own_classes(run) : -1;

	if (status >= 0)
		return status;
	status = write_outputs(run);

	if (!status && run->options->labels)
		status = classes_print(&run->outputs[0], run->options->labels);
	if (!status && run->options->numbers)
		status = write_numbers(run);
	if (!status && run->options->dump)
		status = dump_write(run);
	return status;
}
