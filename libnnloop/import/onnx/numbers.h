/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are known while an ONNX model is imported, inside of the files that compute with
 * them: numbers.c, which says what they are, fold.c and fold_moves.c.
 */
#ifndef NN_ONNX_NUMBERS_H
#define NN_ONNX_NUMBERS_H

#include "import/onnx/onnx.h"

#define ONNX_MAX_NUMBERS (1u << 18) /* of one value */

struct onnx_number {
	int64_t i; /* of integers and bools */
	float f; /* of floats */
	bool batch; /* times the rows of a tensor */
};

struct onnx_numbers {
	enum nn_element element;
	uint32_t rank, dims[NN_MAX_RANK]; /* of up to one dimension where there is a batch */
	uint32_t count;
	struct onnx_number *at; /* kept until the node has been folded */
	const struct onnx_value *rows_of;
};

/* ---- numbers.c ---- */

/* Reads input i of the current node, which is of numbers. */
int onnx_read_numbers(struct onnx_import *import, uint32_t i, struct onnx_numbers *out);
/* Makes room for as many numbers as rank and dims say. */
int onnx_make_numbers(struct onnx_import *import, struct onnx_numbers *out);
/* Defines output 0 of the current node. */
int onnx_define_numbers(struct onnx_import *import, const struct onnx_numbers *numbers);
/* Gives the result the rows of an operand. */
int onnx_join_rows(struct onnx_import *import, struct onnx_numbers *out,
		   const struct onnx_numbers *in);
/* Gives the result the shape that it has with an operand, which is broadcast with those before. */
int onnx_join_numbers(struct onnx_import *import, struct onnx_numbers *out, uint32_t rank,
		      const uint32_t *dims);
/* The number of an operand that element k of the result is made of. */
const struct onnx_number *onnx_number_at(const struct onnx_numbers *in,
					 const struct onnx_numbers *out, uint32_t k);
int onnx_fail_batch(struct onnx_import *import);
/* Reads input i, a list of dimensions or repeats, of which one may have the batch where a single item
 * is imported. */
int onnx_read_item_ints(struct onnx_import *import, uint32_t i, int64_t values[NN_MAX_RANK],
			uint32_t *count);

/* ---- fold.c: the current node, whose inputs are numbers ---- */

int onnx_fold_cast(struct onnx_import *import);
/* Floor, Ceil. */
int onnx_fold_round(struct onnx_import *import);
/* Add, Sub, Mul, Div. */
int onnx_fold_arithmetic(struct onnx_import *import);
/* Neg, Abs, Not. */
int onnx_fold_one(struct onnx_import *import);
/* Functions of one real number, and powers. */
int onnx_fold_function(struct onnx_import *import);
/* Comparisons, logic, Mod; Min and Max of any number of inputs. */
int onnx_fold_two(struct onnx_import *import);
int onnx_fold_where(struct onnx_import *import);
/* Reductions of all numbers. */
int onnx_fold_reduce(struct onnx_import *import);
int onnx_fold_cum_sum(struct onnx_import *import);

/* ---- fold_moves.c: the same ---- */

int onnx_fold_gather(struct onnx_import *import);
int onnx_fold_concat(struct onnx_import *import);
/* Identity, Reshape, Squeeze, Unsqueeze. */
int onnx_fold_reshape(struct onnx_import *import);
int onnx_fold_expand(struct onnx_import *import);
int onnx_fold_tile(struct onnx_import *import);
int onnx_fold_slice(struct onnx_import *import);
int onnx_fold_range(struct onnx_import *import);
int onnx_fold_scatter(struct onnx_import *import);
int onnx_fold_trilu(struct onnx_import *import);

#endif
