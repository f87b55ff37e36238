/* SPDX-License-Identifier: MIT */
/*
 * Variants: what comes of models with one thing changed, counted, and compared with a list.
 *
 * A line of the list says for all models what was changed, what nnloop says to that, and of how
 * many models it says so; numbers and names are left out of the words, but are part of the sum
 * behind them. Where a model is taken, the sum is over its nodes. The list holds what nnloop said
 * when it was written, with --write: that is how a change of it is noticed, and no proof that it is
 * right. Its first lines can be models, so that further ones change nothing until the list is
 * written again.
 */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "nn_device.h"
#include "nn_graph.h"
#include "nn_import.h"

#define MODEL	"model " /* what a line begins with that names one */

/* ---- What is changed */

/* A walk over all that can be changed in a model, to the one that is to be. */
struct walk {
	uint32_t target, at; /* the change that is wanted, and the next one */
	char what[160]; /* was changed; "": there are no more */
};

/* Whether this is it. */
static inline __attribute__((format(printf, 2, 3))) bool turn(struct walk *walk, const char *format, ...)
{
	va_list args;

	if (walk->at++ != walk->target)
		return false;
	va_start(args, format);
	vsnprintf(walk->what, sizeof(walk->what), format, args);
	va_end(args);
	return true;
}

/* ---- Memory */

#define MOST_MEMORY	(1u << 20)

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

/*
 * The linker puts this between the library and the memory of blocks: for a large one there is none,
 * on any machine. The few models that need one would take as long as all others, and what is said
 * of them has the size.
 */
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return size > MOST_MEMORY ? NULL : __real_aligned_alloc(alignment, size);
}

/* ---- What comes of it */

static char **lines;
static size_t line_count, line_room;

static inline void add_line(const char *line)
{
	if (line_count == line_room) {
		line_room = line_room ? 2 * line_room : 1024;
		lines = realloc(lines, line_room * sizeof(*lines));
	}
	lines[line_count++] = strdup(line);
}

static inline void sum_up(uint32_t *sum, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (const char *c = text; *c; c++)
		*sum = (*sum ^ (uint8_t)*c) * 16777619u;
}

static inline void sum_up_info(uint32_t *sum, const struct nn_tensor_info *info)
{
	sum_up(sum, "%d %g %d %u", info->type, info->scale, info->zero_point, info->rank);
	for (uint32_t i = 0; i < info->rank; i++)
		sum_up(sum, " %u", info->dims[i]);
	for (uint32_t i = 0; info->scales && i < info->scale_count; i++)
		sum_up(sum, " %g", info->scales[i]);
}

static inline void sum_up_node(uint32_t *sum, const struct nn_node *node)
{
	sum_up(sum, "%u %s", node->id, node->op_name);
	for (uint32_t i = 0; i < node->input_count; i++) {
		const struct nn_value *input = node->inputs[i];

		sum_up(sum, " %u %u", input ? input->node->id : 0, input ? input->index : 0);
	}
	for (uint32_t i = 0; i < node->attr_count; i++) {
		const struct nn_attr *attr = &node->attrs[i];

		sum_up(sum, " %s", attr->name);
		if (attr->type == NN_ATTR_INT)
			sum_up(sum, " %lld", (long long)attr->i);
		if (attr->type == NN_ATTR_FLOAT)
			sum_up(sum, " %g", attr->f);
		if (attr->type == NN_ATTR_STRING)
			sum_up(sum, " %s", attr->string);
		for (uint32_t k = 0; attr->type == NN_ATTR_INTS && k < attr->count; k++)
			sum_up(sum, " %lld", (long long)attr->ints[k]);
	}
	for (uint32_t i = 0; i < node->output_count; i++)
		sum_up_info(sum, &node->outputs[i].info);
}

/* The words without numbers and names. */
static inline void leave_words(char *to, const char *from, size_t room)
{
	size_t used = 0;

	for (; *from && used + 2 < room; from++) {
		if (*from == '"') {
			const char *end = strchr(from + 1, '"');

			to[used++] = '"';
			from = end ? end : from;
			to[used++] = '"';
		} else if (isdigit((unsigned char)*from) || (*from == '.' && used && to[used - 1] == '#')) {
			if (!used || to[used - 1] != '#')
				to[used++] = '#';
		} else {
			to[used++] = isprint((unsigned char)*from) ? *from : ' ';
		}
	}
	to[used] = '\0';
}

/* All reasons why a model was refused. */
static inline void sum_up_refusals(uint32_t *sum, const struct nn_graph *graph)
{
	struct nn_refusals_info info;
	struct nn_refusal refusal;

	if (nn_graph_get_refusals(graph, &info))
		return;
	sum_up(sum, "%u %u %u", info.node_count, info.refused_count, info.kind_count);
	for (uint32_t i = 0; !nn_graph_get_refusal(graph, i, &refusal); i++)
		sum_up(sum, "%s %s %s %s %u", refusal.op, refusal.reason, refusal.help, refusal.name, refusal.count);
}

/* Notes what became of a graph that a changed model was imported to. */
static inline void note_outcome(struct nn_graph *graph, int err, struct nn_device *host, const char *what)
{
	char words[512] = "taken", changed[160], line[1024];
	uint32_t sum = 2166136261u;

	leave_words(changed, what, sizeof(changed));
	sum_up(&sum, "%s", what);

	sum_up_refusals(&sum, graph);
	if (!err) {
		err = nn_graph_prepare(graph, host, NULL);
		for (uint32_t i = 0; i < graph->node_count; i++)
			sum_up_node(&sum, graph->nodes[i]);
		for (uint32_t i = 0; !err && i < nn_graph_get_output_count(graph); i++) {
			struct nn_tensor_info info;

			nn_graph_get_output_info(graph, i, &info);
			sum_up_info(&sum, &info);
		}
	}
	if (err) {
		leave_words(words, nn_graph_error(graph)->text, sizeof(words));
		sum_up(&sum, "%d %s", err, nn_graph_error(graph)->text);
	}
	snprintf(line, sizeof(line), "%s\t%s\t%08x", changed, words, sum);
	add_line(line);
}

/* ---- The list */

static inline int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines that differ in their sums alone become one. */
static inline void fold_lines(void)
{
	size_t kept = 0, end;

	qsort(lines, line_count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < line_count; i = end) {
		size_t length = strrchr(lines[i], '\t') - lines[i];
		uint32_t sum = 0;
		char *folded;

		for (end = i; end < line_count && !strncmp(lines[i], lines[end], length + 1) &&
			      !strchr(lines[end] + length + 1, '\t'); end++)
			sum += strtoul(lines[end] + length, NULL, 16);
		folded = malloc(length + 32);
		snprintf(folded, length + 32, "%.*s\t%zu %08x", (int)length, lines[i], end - i, sum);
		for (size_t k = i; k < end; k++)
			free(lines[k]);
		lines[kept++] = folded;
	}
	line_count = kept;
}

/* Calls `try` for each model that the list names. */
static inline void try_listed(const char *list, void (*try)(const char *name))
{
	FILE *file = fopen(list, "re");
	char line[1024];

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, MODEL, strlen(MODEL)))
			try(line + strlen(MODEL));
	}
	if (file)
		fclose(file);
}

/* Returns how many lines differ from the list's, which is ordered, too. */
static inline uint32_t compare_list(const char *list)
{
	FILE *file = fopen(list, "re");
	char *line = NULL;
	size_t room = 0, i = 0;
	uint32_t differ = 0;

	if (!file)
		return 1;
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, MODEL, strlen(MODEL)))
			continue;
		for (; i < line_count && strcmp(lines[i], line) < 0; i++, differ++)
			printf("# now: %s\n", lines[i]);
		if (i < line_count && !strcmp(lines[i], line)) {
			i++;
			continue;
		}
		printf("# was: %s\n", line);
		differ++;
	}
	for (; i < line_count; i++, differ++)
		printf("# now: %s\n", lines[i]);
	free(line);
	fclose(file);
	return differ;
}

/* Writes the list anew, with all models of a folder, if there is one. */
static inline int write_list(const char *list, const char *folder, const char *ending, void (*try)(const char *name))
{
	struct dirent **entries = NULL;
	int entry_count = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
	FILE *file = entry_count < 0 ? NULL : fopen(list, "we");

	if (!file)
		return 1;
	for (int i = 0; i < entry_count; i++) {
		char *name = entries[i]->d_name;
		size_t length = strlen(name), cut = strlen(ending);

		if (*name != '.' && length > cut && !strcmp(name + length - cut, ending)) {
			name[length - cut] = '\0';
			fprintf(file, MODEL "%s\n", name);
			try(name);
		}
		free(entries[i]);
	}
	free(entries);
	fold_lines();
	for (size_t i = 0; i < line_count; i++)
		fprintf(file, "%s\n", lines[i]);
	return fclose(file) != 0;
}

static inline int free_lines(int status)
{
	for (size_t i = 0; i < line_count; i++)
		free(lines[i]);
	free(lines);
	return status;
}

#endif
