/* SPDX-License-Identifier: MIT */
/*
 * Operators that make one element of two, or of more, of tensors that go together as numpy
 * broadcasts: in each dimension all are of one size, or 1 long and used for all of the others.
 * Dimension 0 counts rows: there only a constant is used for all.
 */
#ifndef NN_BINARY_H
#define NN_BINARY_H

#include "dsp/program/nn_program.h"
#include "graph/graph.h"

/* check: the output's shape, of all inputs, which go together so. */
int nn_infer_broadcast(struct nn_node *node);
/*
 * check: two inputs and an output of 8 bits, or with rounding float32 of int16, with a scale, the
 * attribute `activation`, and the output's shape.
 */
int nn_check_binary(struct nn_node *node);
/*
 * Returns which input says rows and level of the output, and in dims what comes of all dimensions
 * but the last `behind` ones; NULL: the inputs do not go together in these.
 */
const struct nn_tensor_info *nn_binary_broadcast(const struct nn_node *node, uint32_t behind,
						 uint32_t *dims);
/*
 * The same where the last two dimensions are matrices, of which the parameters say whether they are
 * transposed: dims has all of the product's. NULL: they do not fit, which is the node's error.
 */
const struct nn_tensor_info *nn_binary_matrices(struct nn_node *node, bool transpose_a,
						bool transpose_b, uint32_t *dims);
/* Whether an input or the output is of int16. */
bool nn_binary_has_16_bits(const struct nn_node *node);
/* Whether the inputs of a node that was checked have the same shape and count the same rows. */
bool nn_binary_is_plain(const struct nn_node *node);

/* The function in float32, between dequantizing and quantizing. An error for scales that are not
 * normal numbers. */
int nn_binary_in_float(struct nn_node *node, enum nn_binary_function function,
		       struct nn_binary_params *params);
/* nn_pack_fixed(), for elements of so many bits; an error where there is no room. */
int nn_binary_fixed(struct nn_node *node, double real, int bits, struct nn_fixed *by);
/*
 * Returns which of `words`, which end with NULL, the attribute `rounding` is, the first without it;
 * or an error.
 */
int nn_binary_rounding(struct nn_node *node, const char *const *words);

/* The beginning of check for an operator whose state is the parameters, which *params is then:
 * nn_check_binary() and nn_binary_rounding(), whose result it returns. */
int nn_binary_begin(struct nn_node *node, const char *const *roundings,
		    struct nn_binary_params **params);
/* All of check for such a one that has no other rounding than float32. */
int nn_check_float_binary(struct nn_node *node, enum nn_binary_function function);

#define NN_BINARY_ATTRS \
	{ .name = "activation", .type = NN_ATTR_STRING }, \
	{ .name = "rounding", .type = NN_ATTR_STRING }

/* lower: an operator with the first two inputs and the output, without limits and parameters. */
int nn_lower_two(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode,
		 struct nn_program_op **op);
/* lower, where the node's state is the parameters. */
int nn_lower_binary(struct nn_lowering *lowering, struct nn_node *node);
/* Operands of int16 (binary_int16.c): whether the first input is one, and the rounding is not
 * float32; check, and lower. */
bool nn_binary_is_int16(const struct nn_node *node);
int nn_check_binary_int16(struct nn_node *node, enum nn_int16_function function);
int nn_lower_binary_int16(struct nn_lowering *lowering, struct nn_node *node);
/* The same of opcode INTEGERS. */
int nn_lower_integers(struct nn_lowering *lowering, struct nn_node *node);

#endif
