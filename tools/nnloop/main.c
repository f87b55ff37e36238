// SPDX-License-Identifier: MIT
/* nnloop: run neural-network graphs with loops in them, and look at how they are run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "nnloop.h"
#include "out_file.h"

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *words, *help;
} commands[] = {
	{ "run", run_main, " MODEL INPUT...", "run a model on data" },
	{ "info", info_main, " MODEL", "show what a model takes and gives, and what it is made of" },
	{ "plan", plan_main, " MODEL",
	  "show how a model is split into partitions, and where it runs" },
	{ "bench", bench_main, " MODEL [INPUT...]",
	  "measure how fast a model runs, operator by operator" },
	{ "compare", compare_main, " MODEL INPUT...",
	  "see how a model's tensors differ from another runtime's" },
	{ "quantize", quantize_main, " MODEL",
	  "make of a model in float one of 8 bits, which is many times faster" },
	{ "doctor", doctor_main, "",
	  "see whether the DSP can be used, and what to do if not" },
	{ "top", top_main, "", "see who uses the DSP" },
	{ "cdi", cdi_main, "", "describe the DSP to container engines" },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

static void print_usage(FILE *stream)
{
	fputs("usage: nnloop COMMAND ...\n\n", stream);
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		int length = fprintf(stream, "  %s%s", commands[i].name, commands[i].words);

		fprintf(stream, "%*s%s\n", 28 - length, "", commands[i].help);
	}
	fputs("\nnnloop COMMAND --help says more, nnloop --version which version this is. Exit "
	      "status: 0, 1 after\nan error, 2 for a wrong command line.\n",
	      stream);
}

int main(int argc, char **argv)
{
	int status = EXIT_USAGE;

	interrupt_init();
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		status = EXIT_SUCCESS;
	} else if (!strcmp(argv[1], "--version")) {
		puts("nnloop " NNLOOP_VERSION);
		status = EXIT_SUCCESS;
	} else {
		size_t i = 0;

		while (i < COMMAND_COUNT && strcmp(argv[1], commands[i].name))
			i++;
		if (i == COMMAND_COUNT)
			return usage_error("", "there is no command %s", argv[1]);
		status = commands[i].main(argc - 1, argv + 1);
	}
	/* A full disk or a closed pipe is found out here at the latest. */
	if (fflush(stdout) || ferror(stdout))
		status = fail("cannot write to standard output: %s", strerror(errno));
	out_files_discard();
	interrupt_finish();
	return status;
}
