/* SPDX-License-Identifier: MIT */
/* Arrays in NumPy's .npy files. */
#ifndef NNLOOP_TOOL_NPY_H
#define NNLOOP_TOOL_NPY_H

#include "nnloop.h"

/* An array of a file, in C order. It refers to the file's data. */
struct npy {
	enum nn_data_type type;	/* 0: int64. float64 becomes float32 */
	const char *name;	/* of the type in the file, for messages */
	uint32_t rank;
	uint64_t dims[NN_MAX_RANK];
	const uint8_t *data;	/* at any address */
	const int64_t *wide;	/* the same if it is int64, else NULL */
	uint64_t count;
	void *own;		/* what had to be converted */
};

bool npy_is(const struct file *file);
/* 0, or the exit status after an error was printed. Free in any case. */
int npy_read(const struct file *file, struct npy *npy);
void npy_free(struct npy *npy);
/* Prints where element i is, for messages: "[3, 0, 17]". */
void npy_print_index(const struct npy *npy, uint64_t i, char *text, size_t size);
/* Errors are left to the stream. */
void npy_write(FILE *stream, enum nn_data_type type, uint32_t rank, const uint32_t *dims,
	       const void *data, size_t size);

#endif
