// SPDX-License-Identifier: MIT
/* Collecting refusals, and nn_graph_get_refusal(). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "import/refusals.h"

/* The kinds that are kept, in the order they were found. A single block, which the graph frees. */
struct nn_refusal_list {
	struct nn_refusals_info info;
	uint32_t kept;
	bool has_others; /* that are not about float */
	bool has_unquantized; /* that are not about forms of float32 */
	struct kind {
		uint64_t key;
		uint32_t count;
		char op[96], reason[400], help[240], name[80];
	} kinds[NN_MAX_REFUSALS];
};

/* A kind, and the node that it was found for; NULL: for none. */
struct nn_refused {
	uint64_t key;
	uintptr_t node;
};

/* ---- Kinds ---- */

/* FNV-1a. Who makes two kinds that have one key gets one line for both. */
static uint64_t add_to_key(uint64_t key, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		key = (key ^ (uint8_t)text[i]) * 0x100000001b3;
	return (key ^ 0xff) * 0x100000001b3;
}

/* Characters that are another node's in the same sentence: a number or list of them, or a name in
 * quotes. 0: it begins with none. */
static size_t count_varying(const char *text, char before)
{
	size_t length;

	if (*text == '"') {
		length = 1 + strcspn(text + 1, "\"");
		return length + (text[length] == '"');
	}
	if (isalnum((uint8_t)before) || !isdigit((uint8_t)text[*text == '-']))
		return 0;
	return strspn(text, "0123456789.,+-e");
}

static uint64_t get_key(const struct nn_reason *reason)
{
	uint64_t key = add_to_key(0xcbf29ce484222325, reason->op, strlen(reason->op));
	const char *at = reason->text;
	char before = ' ';

	if (reason->part)
		key = add_to_key(key, reason->part, strlen(reason->part));
	while (*at) {
		size_t varying = count_varying(at, before);

		if (!varying)
			key = add_to_key(key, at, 1);
		at += varying ? varying : 1;
		before = at[-1];
	}
	return key;
}

static struct kind *find_kind(struct nn_refusal_list *list, uint64_t key)
{
	for (uint32_t i = 0; i < list->kept; i++) {
		if (list->kinds[i].key == key)
			return &list->kinds[i];
	}
	return NULL;
}

/* ---- Collecting ---- */

static int make_room(struct nn_refusals *refusals)
{
	size_t room = refusals->room ? 2 * refusals->room : 64;
	struct nn_refused *refused;

	if (!refusals->list)
		refusals->list = calloc(1, sizeof(*refusals->list));
	if (!refusals->list)
		return -ENOMEM;
	if (refusals->count < refusals->room)
		return 0;
	refused = reallocarray(refusals->refused, room, sizeof(*refused));
	if (!refused)
		return -ENOMEM;
	refusals->refused = refused;
	refusals->room = room;
	return 0;
}

/* Copies as much as fits; a file may contain anything. */
static void copy_text(char *to, size_t size, const char *text)
{
	for (; text && *text && --size; text++)
		*to++ = *text < ' ' || *text > '~' ? '?' : *text;
	*to = 0;
}

/* Adds a reason, which may be the graph's own error. */
static void add(struct nn_refusals *refusals, const struct nn_reason *reason)
{
	struct nn_refusal_list *list = refusals->list;
	uint64_t key = get_key(reason);
	struct kind *kind;

	refusals->refused[refusals->count++] = (struct nn_refused){ key, (uintptr_t)reason->node };
	list->has_others |= !reason->is_float;
	list->has_unquantized |= !reason->is_form;
	if (list->kept == NN_MAX_REFUSALS || find_kind(list, key))
		return;
	kind = &list->kinds[list->kept++];
	kind->key = key;
	copy_text(kind->op, sizeof(kind->op), reason->op);
	copy_text(kind->reason, sizeof(kind->reason), reason->text);
	copy_text(kind->help, sizeof(kind->help), reason->help);
	copy_text(kind->name, sizeof(kind->name), reason->name);
}

int nn_refusals_add(struct nn_refusals *refusals, struct nn_graph *graph,
		    const struct nn_reason *reason)
{
	if (make_room(refusals))
		return nn_graph_no_memory(graph);
	if (!refusals->count)
		refusals->first = graph->error;
	add(refusals, reason);
	graph->error = (struct nn_error){ 0 };
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_keys(const void *a, const void *b)
{
	const struct nn_refused *x = a, *y = b;
	int keys = compare(x->key, y->key);

	return keys ? keys : compare(x->node, y->node);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct nn_refused *x = a, *y = b;

	return compare(x->node, y->node);
}

/* Each node once, in its kind and in all: what it made may have been asked for more than once. */
static void count_all(struct nn_refusals *refusals)
{
	struct nn_refused *refused = refusals->refused;
	struct nn_refusal_list *list = refusals->list;
	struct kind *kind = NULL;

	qsort(refused, refusals->count, sizeof(*refused), compare_keys);
	for (size_t i = 0; i < refusals->count; i++) {
		bool other_kind = !i || refused[i].key != refused[i - 1].key;

		if (other_kind) {
			list->info.kind_count++;
			kind = find_kind(list, refused[i].key);
		}
		if (kind && (other_kind || !refused[i].node ||
			     refused[i].node != refused[i - 1].node))
			kind->count++;
	}
	qsort(refused, refusals->count, sizeof(*refused), compare_nodes);
	for (size_t i = 0; i < refusals->count; i++)
		list->info.refused_count +=
			refused[i].node && (!i || refused[i].node != refused[i - 1].node);
}

int nn_refusals_end(struct nn_refusals *refusals, struct nn_graph *graph, uint32_t node_count,
		    int err)
{
	if (refusals->count && err != -ENOMEM) {
		count_all(refusals);
		refusals->list->info.node_count = node_count;
		graph->error = refusals->first;
		err = refusals->first.code;
		graph->refusals = refusals->list;
		refusals->list = NULL;
	}
	if (err)
		nn_graph_clear(graph);
	free(refusals->list);
	free(refusals->refused);
	*refusals = (struct nn_refusals){ 0 };
	return err;
}

bool nn_refusals_are_float(const struct nn_graph *graph)
{
	return graph->refusals && !graph->refusals->has_others;
}

bool nn_refusals_are_forms(const struct nn_graph *graph)
{
	return graph->refusals && !graph->refusals->has_unquantized;
}

/* ---- Trying another way ---- */

void nn_verdict_take(struct nn_verdict *verdict, struct nn_graph *graph)
{
	*verdict = (struct nn_verdict){ graph->refusals, graph->open, graph->error };
	graph->refusals = NULL;
	graph->open = NULL;
	nn_graph_clear(graph);
	nn_graph_clear_errors(graph);
}

int nn_verdict_end(struct nn_verdict *verdict, struct nn_graph *graph, int err, bool latest)
{
	if (err && err != -ENOMEM && !latest) {
		struct nn_verdict other;

		nn_verdict_take(&other, graph);
		graph->refusals = verdict->refusals;
		graph->open = verdict->open;
		graph->error = verdict->error;
		*verdict = other;
		err = graph->error.code;
	}
	free(verdict->refusals);
	free(verdict->open);
	*verdict = (struct nn_verdict){ 0 };
	return err;
}

/* ---- Looking at them ---- */

int nn_graph_get_refusals_sized(const struct nn_graph *graph, struct nn_refusals_info *info,
				size_t size)
{
	if (!graph->refusals)
		return -ENOENT;
	nn_sized_give(info, size, &graph->refusals->info, sizeof(graph->refusals->info));
	return 0;
}

int nn_graph_get_refusal_sized(const struct nn_graph *graph, uint32_t index,
			       struct nn_refusal *theirs, size_t size)
{
	const struct nn_refusal_list *list = graph->refusals;
	struct nn_refusal refusal;
	const struct kind *kind;

	if (!list || index >= list->kept)
		return -ENOENT;
	kind = &list->kinds[index];
	refusal = (struct nn_refusal){
		.op = kind->op,
		.reason = kind->reason,
		.help = kind->help,
		.name = kind->name,
		.count = kind->count,
	};
	nn_sized_give(theirs, size, &refusal, sizeof(refusal));
	return 0;
}
