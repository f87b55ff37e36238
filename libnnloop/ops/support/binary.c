// SPDX-License-Identifier: MIT
/*
 * Operators of two or more tensors with broadcasting (binary.h): what they check and infer.
 */
#include "binary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "activation.h"
#include "check.h"
#include "emit.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

/* The operand, of two, whose rows and level the output has. */
static const struct nn_value *rows_of(const struct nn_value *a, const struct nn_value *b)
{
	if (nn_value_is_const(a) == nn_value_is_const(b))
		return b->info.dims[0] > a->info.dims[0] && nn_value_is_const(a) ? b : a;
	return nn_value_is_const(a) ? b : a;
}

/* Whether dimension 0 of a value, which is not that of `rows`, is one row for all of them. */
static bool fits_rows(const struct nn_value *value, const struct nn_tensor_info *rows)
{
	if (value->info.level == rows->level && value->info.dims[0] == rows->dims[0])
		return true;
	return nn_value_is_const(value) && value->info.dims[0] == 1;
}

/* Makes `dims`, but the last `behind`, what a value makes of them that meets them. */
static bool meet(const struct nn_value *value, uint32_t rank, uint32_t behind, uint32_t *dims)
{
	if (value->info.rank != rank)
		return false;
	for (uint32_t i = 1; i + behind < rank; i++) {
		uint32_t size = value->info.dims[i];

		if (size != dims[i] && size != 1 && dims[i] != 1)
			return false;
		dims[i] = dims[i] == 1 ? size : dims[i];
	}
	return true;
}

const struct nn_tensor_info *nn_binary_broadcast(const struct nn_node *node, uint32_t behind,
						 uint32_t *dims)
{
	const struct nn_value *a = node->inputs[0], *b = node->inputs[1];
	const struct nn_tensor_info *rows = &rows_of(a, b)->info;

	memcpy(dims, a->info.dims, sizeof(a->info.dims));
	dims[0] = rows->dims[0];
	return meet(b, a->info.rank, behind, dims) && fits_rows(a, rows) && fits_rows(b, rows) ?
		       rows :
		       NULL;
}

const struct nn_tensor_info *nn_binary_matrices(struct nn_node *node, bool transpose_a,
						bool transpose_b, uint32_t *dims)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	const struct nn_tensor_info *rows = nn_binary_broadcast(node, 2, dims);
	char text[2][NN_SHAPE_TEXT];
	uint32_t rank = a->rank;

	if (!rows || rank < 3 ||
	    a->dims[rank - (transpose_a ? 2 : 1)] != b->dims[rank - (transpose_b ? 1 : 2)]) {
		nn_node_fail(node, -EINVAL,
			     "the inputs must have matrices behind the dimensions that are "
			     "broadcast, of which the second's are as high as the first's are "
			     "wide, and as many rows unless one is a constant of one row; not "
			     "%s and %s",
			     nn_info_format_shape(a, text[0], sizeof(text[0])),
			     nn_info_format_shape(b, text[1], sizeof(text[1])));
		return NULL;
	}
	dims[rank - 2] = a->dims[rank - (transpose_a ? 1 : 2)];
	dims[rank - 1] = b->dims[rank - (transpose_b ? 2 : 1)];
	return rows;
}

int nn_infer_broadcast(struct nn_node *node)
{
	const struct nn_value *first = node->inputs[0], *rows = first;
	uint32_t dims[NN_MAX_RANK], i;
	char text[2][NN_SHAPE_TEXT];

	memcpy(dims, first->info.dims, sizeof(dims));
	for (i = 1; i < node->input_count; i++)
		rows = rows_of(rows, node->inputs[i]);
	for (i = 0; i < node->input_count; i++) {
		const struct nn_value *value = node->inputs[i];

		if (meet(value, first->info.rank, 0, dims) && fits_rows(value, &rows->info))
			continue;
		return nn_node_fail(node, -EINVAL,
				    "the inputs must have the same dimensions, or 1 in one of "
				    "them, and as many rows unless one is a constant of one row; "
				    "not %s and %s",
				    nn_info_format_shape(&node->inputs[0]->info, text[0],
							 sizeof(text[0])),
				    nn_info_format_shape(&node->inputs[i ? i : 1]->info, text[1],
							 sizeof(text[1])));
	}
	dims[0] = rows->info.dims[0];
	return nn_node_infer_shape(node, 0, &rows->info, first->info.rank, dims);
}

/* Either a quantized tensor, or beside one of int16 a constant of floats. */
static int need_operand(struct nn_node *node, uint32_t input, const char *what)
{
	const struct nn_value *value = node->inputs[input];

	if (value->info.type == NN_FLOAT32 && nn_value_is_const(value) &&
	    node->inputs[!input]->info.type == NN_INT16)
		return 0;
	return nn_node_need_real(node, &value->info, what);
}

/* A constant of floats is multiplied by 1. */
static float scale_of(const struct nn_value *value)
{
	return value->info.type == NN_FLOAT32 ? 1 : value->info.scale;
}

int nn_check_binary(struct nn_node *node)
{
	int error;

	error = need_operand(node, 0, "first input");
	if (!error)
		error = need_operand(node, 1, "second input");
	if (!error)
		error = nn_node_need_real(node, &node->outputs[0].info, "output");
	if (!error && nn_binary_has_16_bits(node) &&
	    strcmp(nn_node_get_string(node, "rounding", ""), "float32"))
		error = nn_node_fail(node, -EINVAL, "of int16 has no other rounding than float32");
	if (error)
		return error;
	error = nn_check_activation(node);
	return error ? error : nn_infer_broadcast(node);
}

bool nn_binary_has_16_bits(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 || node->inputs[1]->info.type == NN_INT16 ||
	       node->outputs[0].info.type == NN_INT16;
}

bool nn_binary_is_plain(const struct nn_node *node)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;

	return a->rank == b->rank && a->level == b->level &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

int nn_binary_in_float(struct nn_node *node, enum nn_binary_function function,
		       struct nn_binary_params *params)
{
	*params = (struct nn_binary_params){
		.function = function,
		.scale_a = scale_of(node->inputs[0]),
		.scale_b = scale_of(node->inputs[1]),
		.scale_output = node->outputs[0].info.scale,
	};
	if (!isnormal(params->scale_a) || !isnormal(params->scale_b) ||
	    !isnormal(params->scale_output))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "rounding in float32 needs scales of at least 2^-126");
	return 0;
}

int nn_binary_fixed(struct nn_node *node, double real, int bits, struct nn_fixed *by)
{
	if (isfinite(real)) {
		*by = nn_pack_fixed(real);
		if (nn_fixed_fits(*by, bits))
			return 0;
	}
	return nn_node_fail(node, -EOPNOTSUPP,
			    "the scales of inputs and output differ too much");
}

int nn_binary_rounding(struct nn_node *node, const char *const *words)
{
	const char *rounding = nn_node_get_string(node, "rounding", words[0]);
	char list[64] = "";
	size_t length = 0;
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(rounding, words[i]))
			return i;
		length += snprintf(list + length, sizeof(list) - length, "%s%s", i ? ", " : "",
				   words[i]);
	}
	return nn_node_fail(node, -EINVAL, "rounding is one of %s, not \"%s\"", list, rounding);
}

int nn_binary_begin(struct nn_node *node, const char *const *roundings,
		    struct nn_binary_params **params)
{
	int error;

	*params = nn_node_make_state(node, sizeof(**params));
	if (!*params)
		return -ENOMEM;
	error = nn_check_binary(node);
	return error ? error : nn_binary_rounding(node, roundings);
}

int nn_check_float_binary(struct nn_node *node, enum nn_binary_function function)
{
	static const char *const roundings[] = { "float32", NULL };
	struct nn_binary_params *params;
	int error = nn_binary_begin(node, roundings, &params);

	return error ? error : nn_binary_in_float(node, function, params);
}

int nn_lower_two(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode,
		 struct nn_program_op **op)
{
	int a = nn_lower_value(lowering, node->inputs[0]);
	int b = nn_lower_value(lowering, node->inputs[1]);
	int output = nn_lower_value(lowering, &node->outputs[0]);

	if (a < 0 || b < 0 || output < 0)
		return a < 0 ? a : b < 0 ? b : output;
	*op = nn_lower_op(lowering, node, opcode);
	if (!*op)
		return -ENOMEM;
	(*op)->input[0] = a;
	(*op)->input[1] = b;
	(*op)->output[0] = output;
	return 0;
}

int nn_lower_binary(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_binary_params *params = node->state;
	struct nn_program_op *op;
	int error;

	if (nn_binary_is_int16(node))
		return nn_lower_binary_int16(lowering, node);
	error = nn_lower_two(lowering, node, NN_OPCODE_BINARY, &op);
	if (error)
		return error;
	op->binary = *params;
	nn_lower_limits(op, node);
	return 0;
}
