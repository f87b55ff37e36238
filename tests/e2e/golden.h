/* SPDX-License-Identifier: MIT */
/*
 * Golden models: a model, its inputs, and what its own runtime makes of them. They are kept in two
 * forms, which are read into one: files of cases (tools/models/common/cases.py), and folders that
 * tests/models' archives are unpacked in (tools/models/common/archive.py).
 */
#ifndef TESTS_E2E_GOLDEN_H
#define TESTS_E2E_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nn_graph.h"
#include "tools/nnloop/npy.h"

#define MAX_TENSORS 16

/* A case has these flags; files of cases have further ones, for judges alone. */
#define MUST_ACCEPT 1u
#define FLOAT_SUMS 2u	/* the runtime sums in float, in an order that nothing defines */
#define MUST_REFUSE 4u	/* and `why` is in the sentence */
#define COUNT_STEPS 64u /* the twin: a bit for each element, set beside a rounding boundary */
/* Models of folders have these, too. */
#define OWN_LOOP 0x10000000u	/* it cannot get a loop */
#define MUST_LOOP 0x20000000u	/* it can */

/* The types of elements, as ONNX numbers them. */
enum onnx_type {
	ONNX_FLOAT = 1,
	ONNX_UINT8,
	ONNX_INT8,
	ONNX_UINT16,
	ONNX_INT16,
	ONNX_INT32,
	ONNX_INT64,
	ONNX_BOOL = 9,
	ONNX_UINT32 = 12,
	ONNX_UINT64
};
enum state { NOT_JUDGED, JUDGED, REFUSED, CRASHED };

struct tensor {
	uint32_t type, rank, dims[NN_MAX_RANK];
	const uint8_t *data; /* anywhere: not aligned */
	uint32_t size;
};

struct one_case {
	char name[128], why[128];
	const char *suffix; /* of the model's file; "" in a file of cases */
	uint32_t flags, state;
	const uint8_t *model;
	uint32_t model_size;
	uint32_t input_count, output_count, twin_count;
	struct tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS], twins[MAX_TENSORS];
};

/* A file of cases, or a folder of models; and what it holds for the case that it gave last. */
struct golden {
	const char *path;
	const struct golden_folder *folder; /* NULL: a file of cases */
	struct file file; /* the cases, or the folder's list */
	size_t at;
	char paths[1 + 2 * MAX_TENSORS][256]; /* those of the files below */
	struct file files[1 + 2 * MAX_TENSORS];
	struct npy arrays[2 * MAX_TENSORS];
	uint32_t file_count, array_count;
};

/* golden_open() returns 0, or 1 after an error was printed. */
int golden_open(const char *path, struct golden *golden);
/*
 * golden_next() returns 1 with a case, which refers to what `golden` holds until the next call, and
 * has no model where a file of it could not be read, which was printed; 0 where there are no more;
 * -1 after an error was printed.
 */
int golden_next(struct golden *golden, struct one_case *c);
void golden_close(struct golden *golden);

uint32_t onnx_type(enum nn_data_type type);

#endif
