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
 *
 * Every eighth change is tried, and in one model the first of each eight, in the next one the second;
 * all of them with NNLOOP_TEST_ALL in the environment. A line counts both.
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
#include "tap.h"

#define MODEL	"model " /* what a line begins with that names one */
#define EVERY	8u

/* All changes are counted, and every eighth. */
enum count_of { OF_ALL, OF_EVERY_EIGHTH, COUNTS };

/* ---- What is changed */

/* A walk over all that can be changed in a model, to the one that is to be. */
struct walk {
	uint32_t target, at; /* the change that is wanted, and the next one */
	enum count_of rarest; /* of those that it belongs to */
	char what[160]; /* was changed; "": there are no more */
};

/* Begins the walk to the first change of a model that is tried; models are numbered. */
static inline struct walk walk_first(uint32_t model)
{
	uint32_t first = model % EVERY;

	return (struct walk){ .target = tap_all() ? 0 : first,
			      .rarest = !tap_all() || !first ? OF_EVERY_EIGHTH : OF_ALL };
}

static inline struct walk walk_next(const struct walk *walk, uint32_t model)
{
	uint32_t target = walk->target + (tap_all() ? 1 : EVERY);

	return (struct walk){ .target = target,
			      .rarest = target % EVERY == model % EVERY ? OF_EVERY_EIGHTH : OF_ALL };
}

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

/* A line: what was changed and what was said to it, without numbers and names. */
struct outcome {
	char *words;
	struct {
		uint32_t number, sum;
	} counts[COUNTS];
};

static struct outcome *outcomes;
static size_t outcome_count, outcome_room;

static inline void add_outcome(const struct walk *walk, const char *words, uint32_t sum)
{
	struct outcome outcome = { .words = strdup(words) };

	for (enum count_of of = OF_ALL; of <= walk->rarest; of++) {
		outcome.counts[of].number = 1;
		outcome.counts[of].sum = sum;
	}
	if (outcome_count == outcome_room) {
		outcome_room = outcome_room ? 2 * outcome_room : 1024;
		outcomes = realloc(outcomes, outcome_room * sizeof(*outcomes));
	}
	outcomes[outcome_count++] = outcome;
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
static inline void note_outcome(struct nn_graph *graph, int err, struct nn_device *host, const struct walk *walk)
{
	char words[512] = "taken", changed[160], line[1024];
	uint32_t sum = 2166136261u;

	leave_words(changed, walk->what, sizeof(changed));
	sum_up(&sum, "%s", walk->what);

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
	snprintf(line, sizeof(line), "%s\t%s", changed, words);
	add_outcome(walk, line, sum);
}

/* ---- The list */

static inline int compare_outcomes(const void *a, const void *b)
{
	return strcmp(((const struct outcome *)a)->words, ((const struct outcome *)b)->words);
}

/* Outcomes with the same words become one. */
static inline void fold_outcomes(void)
{
	size_t kept = 0;

	if (outcome_count)
		qsort(outcomes, outcome_count, sizeof(*outcomes), compare_outcomes);
	for (size_t i = 0; i < outcome_count; i++) {
		struct outcome *last = kept ? &outcomes[kept - 1] : NULL;

		if (!last || strcmp(last->words, outcomes[i].words)) {
			outcomes[kept++] = outcomes[i];
			continue;
		}
		for (enum count_of of = OF_ALL; of < COUNTS; of++) {
			last->counts[of].number += outcomes[i].counts[of].number;
			last->counts[of].sum += outcomes[i].counts[of].sum;
		}
		free(outcomes[i].words);
	}
	outcome_count = kept;
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

/* A line of the list: the words, then for each count a tab, the number and the sum. */
static inline void print_outcome(FILE *to, const char *before, const struct outcome *outcome)
{
	fprintf(to, "%s%s", before, outcome->words);
	for (enum count_of of = OF_ALL; of < COUNTS; of++)
		fprintf(to, "\t%u %08x", outcome->counts[of].number, outcome->counts[of].sum);
	fputc('\n', to);
}

/* The words are the line's. */
static inline bool read_outcome(char *line, struct outcome *outcome)
{
	for (int of = COUNTS - 1; of >= 0; of--) {
		char *tab = strrchr(line, '\t');

		if (!tab || sscanf(tab, "%u %x", &outcome->counts[of].number, &outcome->counts[of].sum) != 2)
			return false;
		*tab = '\0';
	}
	outcome->words = line;
	return true;
}

/* Returns how many lines differ from the list's, which is ordered, too, by what was counted here. */
static inline uint32_t compare_list(const char *list)
{
	enum count_of of = tap_all() ? OF_ALL : OF_EVERY_EIGHTH;
	FILE *file = fopen(list, "re");
	char *line = NULL;
	size_t room = 0, i = 0;
	uint32_t differ = 0;

	if (!file)
		return 1;
	while (getline(&line, &room, file) > 0) {
		struct outcome was;

		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, MODEL, strlen(MODEL)))
			continue;
		if (!read_outcome(line, &was)) {
			printf("# no line of a list: %s\n", line);
			differ++;
			continue;
		}
		if (!was.counts[of].number)
			continue;
		for (; i < outcome_count && strcmp(outcomes[i].words, was.words) < 0; i++, differ++)
			print_outcome(stdout, "# now: ", &outcomes[i]);
		if (i < outcome_count && !strcmp(outcomes[i].words, was.words)) {
			const struct outcome *now = &outcomes[i++];

			if (now->counts[of].number == was.counts[of].number && now->counts[of].sum == was.counts[of].sum)
				continue;
			print_outcome(stdout, "# now: ", now);
		}
		print_outcome(stdout, "# was: ", &was);
		differ++;
	}
	for (; i < outcome_count; i++, differ++)
		print_outcome(stdout, "# now: ", &outcomes[i]);
	free(line);
	fclose(file);
	return differ;
}

/* Whether the list is to be written, for which all changes are tried. */
static inline bool is_to_write(int argc, char **argv)
{
	bool write = argc == 2 && !strcmp(argv[1], "--write");

	if (write)
		setenv("NNLOOP_TEST_ALL", "1", 1);
	return write;
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
	fold_outcomes();
	for (size_t i = 0; i < outcome_count; i++)
		print_outcome(file, "", &outcomes[i]);
	return fclose(file) != 0;
}

static inline int free_outcomes(int status)
{
	for (size_t i = 0; i < outcome_count; i++)
		free(outcomes[i].words);
	free(outcomes);
	return status;
}

#endif
