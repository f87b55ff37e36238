/* SPDX-License-Identifier: MIT */
/* Tensors beside those of another runtime: what nnloop compare is made of. */
#ifndef NNLOOP_TOOL_COMPARE_H
#define NNLOOP_TOOL_COMPARE_H

#include "npy.h"
#include "run.h"

/* How a tensor differs from the other runtime's. */
struct difference {
	uint64_t count;		/* of elements that differ by more than is allowed */
	double most;		/* steps */
	uint64_t first;		/* the first such element, in the array's order, */
	uint64_t at;		/* which is this one in the tensor's */
	double here, there;	/* what it is */
	/*
	 * How far the other runtime's real numbers of these elements are at most from the middle
	 * between two steps, in steps: near 0 where rounding alone made the difference. 0.5 or more
	 * where they are integers whose real numbers are not known, or steps already.
	 */
	double from_half;
};

/*
 * Compares a tensor with an array of as many elements, whose dimensions may be in another order;
 * false if it has another number of them. real: NULL, or the real numbers in the same order that
 * became the array's integers.
 */
bool compare_arrays(const struct output *output, const struct npy *npy, const struct npy *real,
		    uint32_t within, struct difference *difference);

/* ---- compare_names.c ---- */

/* A file with an array, in the other runtime's folder. */
struct array_file {
	char *name;	/* without .npy */
	char *key;	/* what files and tensors are found by */
	bool is_claimed;	/* a tensor is called as it is */
	bool is_used;
};

struct array_files {
	struct array_file *files;
	size_t count;
};

/* 0, or the exit status after an error was printed. Free in any case. */
int array_files_list(const char *folder, struct array_files *files);
void array_files_free(struct array_files *files);
/* Says that a tensor has this name, so that no file of that name is another one's. */
void array_files_claim(struct array_files *files, const char *tensor);
/*
 * Finds the file of a tensor, which is called as it, but for characters that are neither letters
 * nor digits. If there is none, that of the same tensor in front of its QuantizeLinear or behind
 * its DequantizeLinear, as ONNX Runtime's tools call them. NULL: there is none.
 */
struct array_file *array_files_find(struct array_files *files, const char *tensor);
/* The file of the real numbers that became a tensor, before they were rounded; or NULL. */
struct array_file *array_files_find_real(struct array_files *files, const char *tensor);

#endif
