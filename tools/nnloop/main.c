// SPDX-License-Identifier: MIT
/* nnloop: run neural-network graphs with loops in them, and look at how they are run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

static const char usage[] =
	"usage: nnloop COMMAND ...\n"
	"\n"
	"  run MODEL INPUT...    run a model on data\n"
	"  plan MODEL            show how a model is split into partitions, and where it runs\n"
	"  doctor                see whether the DSP can be used, and what to do if not\n"
	"\n"
	"nnloop COMMAND --help says more. Exit status: 0, 1 after an error, 2 for a wrong command line.\n";

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "run", run_main },
	{ "plan", plan_main },
	{ "doctor", doctor_main },
};

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
