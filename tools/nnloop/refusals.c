// SPDX-License-Identifier: MIT
/* Why a model cannot run: all reasons, for people and for other programs. */
#include <stdio.h>

#include "nn_import.h"
#include "nnloop.h"

/* Kinds that nobody has kept. */
static uint32_t count_more(const struct nn_graph *graph)
{
	struct nn_refusals_info info;

	if (nn_graph_get_refusals(graph, &info) || info.kind_count <= NN_MAX_REFUSALS)
		return 0;
	return info.kind_count - NN_MAX_REFUSALS;
}

/* Reason i of an import, or the error of a graph that could be imported, as the only one. */
static bool get_reason(const struct nn_graph *graph, uint32_t i, struct nn_refusal *reason,
		       char id[16])
{
	const struct nn_error *error = nn_graph_error(graph);
	struct nn_refusals_info info;

	if (!nn_graph_get_refusals(graph, &info))
		return !nn_graph_get_refusal(graph, i, reason);
	if (i || !error->code)
		return false;
	snprintf(id, 16, error->node ? "%u" : "", error->node);
	*reason = (struct nn_refusal) {
		.op = error->op, .reason = error->text, .help = "", .name = id, .count = 1,
	};
	return true;
}

/* "2 Softmax, such as "s1"", or "3 times" what depends on no operator. */
static void print_subject(FILE *stream, const struct nn_refusal *refusal)
{
	bool one = refusal->count == 1;

	fprintf(stream, "  %u ", refusal->count);
	if (*refusal->op)
		fputs(refusal->op, stream);
	else
		fputs(one ? "time" : "times", stream);
	if (*refusal->name)
		fputs(one ? ", " : ", such as ", stream);
	if (*refusal->name)
		print_json_string(stream, refusal->name);
}

void print_refusals(FILE *stream, const struct nn_graph *graph)
{
	struct nn_refusal refusal;
	char id[16];

	for (uint32_t i = 0; get_reason(graph, i, &refusal, id); i++) {
		print_subject(stream, &refusal);
		fprintf(stream, ": %s%s%s\n", refusal.reason, *refusal.help ? "; " : "",
			refusal.help);
	}
	if (count_more(graph))
		fprintf(stream, "  and %u more kinds\n", count_more(graph));
}

static void print_json_reason(const struct nn_refusal *refusal, bool first)
{
	printf("%s\n  {\"op\": ", first ? "" : ",");
	print_json_string(stdout, refusal->op);
	printf(", \"count\": %u, \"name\": ", refusal->count);
	print_json_string(stdout, refusal->name);
	printf(", \"reason\": ");
	print_json_string(stdout, refusal->reason);
	printf(", \"help\": ");
	print_json_string(stdout, refusal->help);
	putchar('}');
}

void print_json_refusals(const struct nn_graph *graph)
{
	struct nn_refusal refusal;
	char id[16];

	printf("\"reasons\": [");
	for (uint32_t i = 0; get_reason(graph, i, &refusal, id); i++)
		print_json_reason(&refusal, !i);
	printf("\n],\n\"more_reasons\": %u", count_more(graph));
}
