// SPDX-License-Identifier: MIT
/* Dimensions and values that a model leaves open: --shape and --set, and what is still open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

/* ---- --shape, --set ---- */

/* The name in front of the last =, which is cut off; NULL: there is none. */
static const char *take_name(char *value, char **rest)
{
	char *equals = strrchr(value, '=');

	*rest = equals ? equals + 1 : value;
	if (!equals)
		return NULL;
	*equals = 0;
	return value;
}

static int fail_shape(const char *command, const char *text)
{
	return usage_error(command, "--shape %s: not 1 to %d numbers above 0 with commas in between, as 1,3,640,640",
			   text, NN_MAX_RANK);
}

int given_add_shape(struct given *given, const char *command, char *value)
{
	struct nn_import_shape *shape = &given->shapes[given->shape_count];
	char *at, *end;

	if (given->shape_count == MAX_GIVEN)
		return usage_error(command, "--shape is given more than %d times", MAX_GIVEN);
	*shape = (struct nn_import_shape) { .name = take_name(value, &at) };
	for (;;) {
		unsigned long long dim = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;

		if (shape->rank == NN_MAX_RANK || !dim || dim > INT32_MAX ||
		    (*end && *end != ','))
			return fail_shape(command, at);
		shape->dims[shape->rank++] = dim;
		if (!*end)
			break;
		at = end + 1;
	}
	given->shape_count++;
	return -1;
}

int given_add_value(struct given *given, const char *command, char *value)
{
	char *text;

	if (given->value_count == MAX_GIVEN)
		return usage_error(command, "--set is given more than %d times", MAX_GIVEN);
	given->values[given->value_count].name = take_name(value, &text);
	given->values[given->value_count++].text = text;
	if (!*text)
		return usage_error(command, "--set: there is no value, as in x=1");
	return -1;
}

/* ---- What is still open ---- */

/* Whether it is a dimension that a user can say something of that is not known already. */
static bool is_worth_telling(const struct nn_open_dim *open, bool all)
{
	return open->size != NN_VARIABLE && (all || !open->given);
}

/* Prints a line for each input, of the dimensions that are worth it, and what to write. */
static void print_open(FILE *stream, const struct nn_graph *graph, const char *front, bool all)
{
	char input[128] = "", shape[256] = "";
	struct nn_open_dim open;
	bool is_first = true;

	for (uint32_t i = 0; !nn_graph_get_open_dim(graph, i, &open); i++) {
		if (!is_worth_telling(&open, all))
			continue;
		if (is_first || strcmp(input, open.input)) {
			if (!is_first)
				fprintf(stream, "; --shape %s=%s\n", input, shape);
			fputs(front, stream);
			print_json_string(stream, open.input);
			fputs(" leaves dimensions open:", stream);
			snprintf(input, sizeof(input), "%s", open.input);
			snprintf(shape, sizeof(shape), "%s", open.shape);
			is_first = false;
		} else {
			fputs(",", stream);
		}
		fprintf(stream, " %u", open.dim);
		if (*open.symbol)
			fprintf(stream, " (%s)", open.symbol);
		fprintf(stream, " is taken as %u", open.size);
	}
	if (!is_first)
		fprintf(stream, "; --shape %s=%s\n", input, shape);
}

void open_dims_note(const struct nn_graph *graph)
{
	print_open(stderr, graph, "note: input ", false);
}

void open_dims_print(const struct nn_graph *graph)
{
	struct nn_open_dim open;
	uint32_t i = 0;

	while (!nn_graph_get_open_dim(graph, i, &open) && !is_worth_telling(&open, true))
		i++;
	if (nn_graph_get_open_dim(graph, i, &open))
		return;
	puts("open dimensions");
	print_open(stdout, graph, "  ", true);
}

void open_dims_print_json(const struct nn_graph *graph)
{
	struct nn_open_dim open;

	printf("\"open\": [");
	for (uint32_t i = 0; !nn_graph_get_open_dim(graph, i, &open); i++) {
		printf("%s\n  {\"input\": ", i ? "," : "");
		print_json_string(stdout, open.input);
		printf(", \"dim\": %u, \"symbol\": ", open.dim);
		print_json_string(stdout, open.symbol);
		printf(", \"shape\": ");
		print_json_string(stdout, open.shape);
		if (open.size == NN_VARIABLE)
			printf(", \"size\": \"N\"");
		else
			printf(", \"size\": %u", open.size);
		printf(", \"given\": %s}", open.given ? "true" : "false");
	}
	printf("\n],\n");
}
