/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are known while an ONNX model is imported, inside of the files that compute with
 * them: numbers.c, which says what they are, and fold.c.
 */
#ifndef NN_ONNX_NUMBERS_H
#define NN_ONNX_NUMBERS_H

#include "import/onnx/onnx.h"

#define ONNX_MAX_NUMBERS 256

struct onnx_number {
	int64_t i; /* of integers and bools */
	float f; /* of floats */
	bool batch; /* times the rows of a tensor */
};

struct onnx_numbers {
	enum nn_element element;
	uint32_t rank, dims[NN_MAX_RANK]; /* of up to one dimension where there is a batch */
	uint32_t count;
	struct onnx_number at[ONNX_MAX_NUMBERS];
	const struct onnx_value *rows_of;
};

/* ---- numbers.c ---- */

/* Reads input i of the current node, which is of numbers. */
void onnx_read_numbers(struct onnx_import *import, uint32_t i, struct onnx_numbers *out);
/* Defines output 0 of the current node. */
int onnx_define_numbers(struct onnx_import *import, const struct onnx_numbers *numbers);
/* Gives the result the rows of an operand. */
int onnx_join_rows(struct onnx_import *import, struct onnx_numbers *out,
		   const struct onnx_numbers *in);
int onnx_fail_batch(struct onnx_import *import);

/* ---- fold.c ---- */

/* Makes room for elements of an operand's shape, which is broadcast with those before. */
int onnx_join_shape(struct onnx_import *import, struct onnx_numbers *out, uint32_t rank,
		    const uint32_t *dims);
/* The number of an operand that element k of the result is made of. */
const struct onnx_number *onnx_number_at(const struct onnx_numbers *in,
					 const struct onnx_numbers *out, uint32_t k);

/* The rest is for the current node, whose inputs are numbers. */


/* Neg, Abs, Not. */
int onnx_fold_one(struct onnx_import *import);
/* Comparisons, logic, Mod; Min and Max of any number of inputs. */
int onnx_fold_two(struct onnx_import *import);
int onnx_fold_where(struct onnx_import *import);
int onnx_fold_expand(struct onnx_import *import);
int onnx_fold_slice(struct onnx_import *import);
int onnx_fold_range(struct onnx_import *import);
/* Reductions. */
int onnx_fold_reduce(struct onnx_import *import);

#endif
