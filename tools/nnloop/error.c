// SPDX-License-Identifier: MIT
/* Errors: what the command says when something is wrong. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nnloop.h"

static void print_error(const char *format, va_list args)
{
	fflush(stdout);
	fputs("error: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_error(format, args);
	va_end(args);
	return EXIT_FAILURE;
}

int fail_graph(const struct nn_graph *graph)
{
	const struct nn_error *error = nn_graph_error(graph);

	if (error->node)
		return fail("node %u: %s: %s", error->node, error->op, error->text);
	return fail("graph: %s", error->text);
}

int usage_error(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_error(format, args);
	va_end(args);
	fprintf(stderr, "nnloop %s%s--help says what is possible\n", command, *command ? " " : "");
	return EXIT_USAGE;
}

bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value >= min && *value <= max;
}
