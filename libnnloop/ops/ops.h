/* SPDX-License-Identifier: MIT */
/*
 * The built-in operators, made from the list in dsp/program/operators.h. Each is in a file of its own name;
 * what several share is in
 *
 *	check.h		checks: shapes, types, quantization
 *	emit.h		lower functions: adding to the program that is being written
 *	alias.h		outputs that are other names of inputs
 *	activation.h	limits of real values: the attribute `activation`, and operators that are one
 *	function.h	functions of one 8-bit element, by table
 *	binary.h	functions of two elements or more, with broadcasting
 *	sum.h		Add and Sub
 *	window.h	windows over images: stride, dilation, padding
 *	layer.h		convolutions and the fully connected layer: weights, bias, accumulator
 *	moving.h	moving elements by strides
 *	pooling.h	pools
 *	owner.h		the owner output of loops
 */
#ifndef NN_OPS_H
#define NN_OPS_H

#include "graph/graph.h"

#define NN_OPERATOR(ID, name) extern const struct nn_op nn_op_##name;
#include "dsp/program/operators.h"

/* All of them; ends with NULL. */
extern const struct nn_op *const nn_ops[];

#endif
