// SPDX-License-Identifier: MIT
/* The classes of items, by the greatest outputs: --labels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

#define BEST 5

struct lines {
	char **line;
	uint32_t count;
};

/* Ends each line of the text with a 0; empty ones at the end are none. */
static int split(char *text, struct lines *lines)
{
	uint32_t room = 1, used = 0;

	for (const char *at = text; *at; at++)
		room += *at == '\n';
	*lines = (struct lines) { .line = calloc(room, sizeof(*lines->line)) };
	if (!lines->line)
		return fail("out of memory");
	while (text) {
		char *line = strsep(&text, "\n");

		line[strcspn(line, "\r")] = 0;
		lines->line[used++] = line;
		if (*line)
			lines->count = used;
	}
	return 0;
}

/* A number that could be a class: names are words. */
static bool is_number(const char *line)
{
	return *line && line[strspn(line, "0123456789")] == 0;
}

static bool are_numbers(const struct lines *lines)
{
	bool good = true;

	for (uint32_t i = 0; i < lines->count && good; i++)
		good = is_number(lines->line[i]) || !*lines->line[i];
	return good;
}

/* ---- The right classes ---- */

static int compare(const struct output *output, const struct lines *lines, const char *path)
{
	uint32_t right = 0, row = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		uint64_t label;
		uint32_t class;

		if (!*lines->line[i])
			continue;
		if (!parse_number(lines->line[i], 0, UINT32_MAX, &label))
			return fail("line %u of %s is no class number", i + 1, path);
		if (row++ >= output->rows)
			continue;
		class = output_class(output, row - 1);
		right += class == label;
		if (class == label)
			printf("%u\n", class);
		else
			printf("%u wrong, it is %" PRIu64 "\n", class, label);
	}
	if (row != output->rows)
		return fail("%s has %u labels for %u items", path, row, output->rows);
	if (row)
		printf("%u of %u right (%.2f %%)\n", right, row, 100.0 * right / row);
	return 0;
}

/* ---- The best ones ---- */

/* The greatest first; of equals, the first. */
static uint32_t find_best(const struct output *output, uint32_t row, uint32_t best[BEST])
{
	uint64_t first = row * output->row_elements;
	uint32_t count = 0;

	for (uint32_t i = 0; i < output->row_elements; i++) {
		float value = output_real_element(output, first + i);
		uint32_t at = count;

		while (at && value > output_real_element(output, first + best[at - 1]))
			at--;
		if (at == BEST)
			continue;
		count += count < BEST;
		memmove(&best[at + 1], &best[at], (count - at - 1) * sizeof(*best));
		best[at] = i;
	}
	return count;
}

static int print_best(const struct output *output, const struct lines *lines, const char *path)
{
	if (lines->count != output->row_elements)
		return fail("%s has %u names, and the model's first output %" PRIu64
			    " values for each item: it needs a line for each",
			    path, lines->count, output->row_elements);
	for (uint32_t row = 0; row < output->rows; row++) {
		uint32_t best[BEST];
		uint32_t count = find_best(output, row, best);

		if (output->rows > 1)
			printf("# item %u\n", row);
		for (uint32_t i = 0; i < count; i++)
			printf("%-12.6g %s\n",
			       (double)output_real_element(output,
							   row * output->row_elements + best[i]),
			       lines->line[best[i]]);
	}
	return 0;
}

int classes_print_text(const struct output *output, const char *name, const char *labels,
		       size_t size)
{
	struct lines lines = { 0 };
	char *text = malloc(size + 1);
	int status;

	if (!text)
		return fail("out of memory");
	memcpy(text, labels, size);
	text[size] = 0;
	status = split(text, &lines);
	if (!status)
		status = lines.count == output->row_elements ? print_best(output, &lines, name) :
							       -1;
	free(lines.line);
	free(text);
	return status;
}

int classes_print(const struct output *output, const char *path)
{
	struct lines lines = { 0 };
	struct file file;
	char *text;
	int status;

	status = file_read(path, &file);
	if (status)
		return status;
	text = malloc(file.size + 1);
	if (text) {
		memcpy(text, file.data, file.size);
		text[file.size] = 0;
		status = split(text, &lines);
	} else {
		status = fail("out of memory");
	}
	if (!status)
		status = (are_numbers(&lines) ? compare : print_best)(output, &lines, file.path);
	free(lines.line);
	free(text);
	file_free(&file);
	return status;
}
