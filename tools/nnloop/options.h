/* SPDX-License-Identifier: MIT */
/*
 * The command line of one command of nnloop: a table has all its options, what --help says of each
 * and where its value goes. There is no other list of them.
 */
#ifndef NNLOOP_TOOL_OPTIONS_H
#define NNLOOP_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

struct option_entry {
	char letter;		/* 'o' for -o, or 0 */
	const char *name;	/* "output" for --output */
	const char *argument;	/* what help calls its value; NULL: it takes none */
	const char *help;	/* a line, or several */
	/* The value goes to one of these. */
	bool *flag;
	const char **text;
	uint32_t *items;	/* a number of items, */
	uint32_t least;		/* at least this many, */
	uint32_t most;		/* and at most; 0: as many as there can be */
	uint64_t *passes;	/* a number of passes, at least 1 */
	struct given *shapes;	/* model.h: a shape of an input, */
	struct given *values;	/* and a value of one */
	int (*set)(const char *value, void *options);	/* -1: go on; else the exit status */
};

/* An option of several commands. */
#define OPTION_PASS_LIMIT(limit)                                                   \
	{ 0, "pass-limit", "N", "the most passes that the loops may take, together (1048576)", \
	  .passes = limit }

#define OPTION_STREAMS(number)                                                      \
	{ 0, "streams", "N", "run N iterations of the loop side by side, 1 to 16 (as many as the\n" \
	  "device has workers)", \
	  .items = number, .least = 1, .most = NN_MAX_STREAMS }

#define OPTION_WORKERS(number)                                                      \
	{ 0, "workers", "N", "have up to N workers of the DSP run each pass together, 1 to 16 (as\n" \
	  "many as it has and as are worth it)", \
	  .items = number, .least = 1, .most = NN_MAX_PASS_WORKERS }

#define OPTION_SHAPE(given)                                                        \
	{ 0, "shape", "NAME=N,...", \
	  "\nthe shape of input NAME of an ONNX or TensorFlow Lite model, where that\n" \
	  "leaves dimensions open; NAME= can be left out where it has one input", \
	  .shapes = given }

#define OPTION_SET(given)                                                          \
	{ 0, "set", "NAME=VALUE", \
	  "\ninput NAME is always that number, or that list of them with commas: it\n" \
	  "becomes a constant, and is no input of the model any more", \
	  .values = given }

#define OPTION_SIGNATURE(given)                                                    \
	{ 0, "signature", "NAME", \
	  "\nof a TensorFlow Lite model with several signatures, the one to run", \
	  .text = &(given)->signature }

#define OPTION_INTEGERS_ONLY(given)                                                \
	{ 0, "integers-only", NULL, \
	  "refuse a model that computes in float32, and say why it does", \
	  .flag = &(given)->integers_only }

struct command_line {
	const char *command;	/* "run" */
	const char *words;	/* what it takes, as its usage shows it */
	const char *about;	/* what it does, in lines */
	const struct option_entry *entries; /* the last has no name */
	void *options;		/* for set */
};

/*
 * Takes in the options, with --help and -h, which every command has. -1: go on with the words
 * behind them, from argv[optind]; else the exit status, and what there was to say has been said.
 */
int options_parse(const struct command_line *line, int argc, char **argv);

#endif
