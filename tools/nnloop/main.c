// SPDX-License-Identifier: MIT
/* nnloop: run neural-network graphs with loops in them, and look at how they are run. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

static const char usage[] =
	"usage: nnloop COMMAND ...\n"
	"\n"
	"  run MODEL INPUT...    run a model on data\n"
	"  plan MODEL            show how a model is split into partitions, and where it runs\n"
	"\n"
	"nnloop COMMAND --help says more. Exit status: 0, 1 after an error, 2 for a wrong command line.\n";

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "run", run_main },
	{ "plan", plan_main },
};

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

int main(int argc, char **argv)
{
	int status = EXIT_USAGE;

	if (argc < 2) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		fputs(usage, stdout);
		status = EXIT_SUCCESS;
	} else if (!strcmp(argv[1], "--version")) {
		puts("nnloop " NNLOOP_VERSION);
		status = EXIT_SUCCESS;
	} else {
		size_t i = 0;

		while (i < sizeof(commands) / sizeof(*commands) &&
		       strcmp(argv[1], commands[i].name))
			i++;
		if (i == sizeof(commands) / sizeof(*commands))
			return usage_error("", "there is no command %s", argv[1]);
		status = commands[i].main(argc - 1, argv + 1);
	}
	/* A full disk or a closed pipe is found out here at the latest. */
	if (fflush(stdout) || ferror(stdout))
		return fail("cannot write to standard output: %s", strerror(errno));
	return status;
}
