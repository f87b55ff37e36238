/* SPDX-License-Identifier: MIT */
/*
 * The parts of the command nnloop.
 *
 *	main.c		which command
 *	error.c		what it says when something is wrong
 *	run.c		nnloop run: model and data in, data out
 *	plan.c		nnloop plan: how a graph is split and where it runs
 *	plan_format.c	the same for other programs: JSON, dot
 *	graph.c		opens models
 *	input.c		pictures, .npy files and raw tensors to what a graph's input takes
 *	output.c	what a graph's output gives to text, .npy and raw files
 *	file.c		whole files, and .npy's header
 */
#ifndef NNLOOP_TOOL_H
#define NNLOOP_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nn_graph.h"

#define EXIT_USAGE 2 /* the command line is wrong; everything else that fails is 1 */

/* Prints `error: ...` and returns 1, to be returned as the exit status. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what the library said: `error: node ID: ...` or `error: graph: ...`. */
int fail_graph(const struct nn_graph *graph);
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A decimal number from min to max. */
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

int run_main(int argc, char **argv);
int plan_main(int argc, char **argv);

/* ---- plan_format.c ---- */

int plan_print_json(const struct nn_graph *graph, bool verbose);
int plan_print_dot(const struct nn_graph *graph, bool verbose);

/* ---- graph.c ---- */

struct model {
	struct nn_graph *graph;
	bool channels_first; /* images are N, C, H, W: the model is ONNX */
};

/* 0, or the exit status after an error was printed. Close in any case. */
int model_open(const char *path, struct model *model);
void model_close(struct model *model);

/* ---- file.c ---- */

struct file {
	const char *path;
	uint8_t *data;
	size_t size;
};

/* 0, or the exit status after an error was printed. "-" is standard input. */
int file_read(const char *path, struct file *file);
void file_free(struct file *file);
int file_write(const char *path, const void *head, size_t head_size, const void *data, size_t size);
bool file_has_suffix(const char *path, const char *suffix);

/* The array in a .npy file. */
struct npy {
	enum nn_data_type type;
	uint32_t rank;
	uint64_t dims[NN_MAX_RANK];
	const uint8_t *data;
	uint64_t count;
};

bool npy_is(const struct file *file);
int npy_read(const struct file *file, struct npy *npy);
int npy_write(const char *path, enum nn_data_type type, uint32_t rank, const uint32_t *dims,
	      const void *data, size_t size);

/* ---- input.c ---- */

/* The items of one input of a graph, as many as there are. */
struct items {
	struct nn_tensor_info info;
	uint64_t item_bytes;
	uint8_t *data;
	uint64_t count;
};

int items_init(struct items *items, const struct nn_tensor_info *info);
/* Adds what is in a file. */
int items_add(struct items *items, const char *path, bool channels_first);
void items_free(struct items *items);

/* ---- output.c ---- */

struct output {
	struct nn_tensor_info info;
	uint64_t row_elements;
	void *data;
	uint32_t rows;
};

/* path NULL: text to standard output. */
int output_write(const struct output *output, const char *path, bool real);
/* The index of a row's greatest element. */
uint32_t output_class(const struct output *output, uint32_t row);

#endif
