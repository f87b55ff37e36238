/* SPDX-License-Identifier: MIT */
/*
 * Each opcode's check(), which portable and vector kernel share, and portable run(); and what the
 * checks are written with.
 */
#ifndef NN_CHECKS_H
#define NN_CHECKS_H

#include "dsp/program/kernels.h"

#define NN_OPCODE(ID, name, number, where) \
	enum nn_program_reason nn_##name##_check(const struct nn_call *call); \
	int nn_##name##_portable(const struct nn_call *call);
#define NN_SOME_VECTORS(ID, name) \
	bool nn_##name##_has_vectors(const struct nn_call *call);
#include "dsp/program/operators.h"

/* Exactly the first `inputs` inputs and `outputs` outputs are there. */
static inline bool operands_are(const struct nn_call *call, uint32_t inputs, uint32_t outputs)
{
	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		if ((i < inputs) != (call->input[i].type != 0))
			return false;
	}
	for (uint32_t i = 0; i < NN_MAX_OP_OUTPUTS; i++) {
		if ((i < outputs) != (call->output[i].type != 0))
			return false;
	}
	return true;
}

static inline bool is_8bit(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT8 || tensor->type == NN_TYPE_UINT8;
}

/* Tensors of 16 bits that TensorFlow Lite's kernels know all have zero point 0. */
static inline bool is_int16(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT16 && !tensor->zero_point;
}

/* 8 bits, or INT16 with any zero point: what is computed in float32 can be either. */
static inline bool is_quantized(const struct nn_tensor *tensor)
{
	return is_8bit(tensor) || tensor->type == NN_TYPE_INT16;
}

/* A packed constant of one dimension. */
static inline bool is_constant(const struct nn_tensor *tensor, enum nn_type type)
{
	return tensor->type == type && tensor->packed && tensor->rank == 1;
}

/* Rows of enum nn_scale_row; how many lanes there are is to be checked. */
static inline bool is_scales(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT32 && tensor->packed && tensor->rank == 2 &&
	       tensor->dims[0] == NN_SCALE_ROWS;
}

/* The same number of rows in every pass. */
static inline bool same_rows(const struct nn_tensor *a, const struct nn_tensor *b)
{
	return a->level == b->level && (a->level || a->dims[0] == b->dims[0]);
}

/* The same, or one row of level 0 for all. */
static inline bool has_rows_for(const struct nn_tensor *input, const struct nn_tensor *output)
{
	return same_rows(input, output) || (!input->level && input->dims[0] == 1);
}

static inline bool same_dims(const struct nn_tensor *a, const struct nn_tensor *b)
{
	if (!same_rows(a, b) || a->rank != b->rank)
		return false;
	for (uint32_t i = 1; i < a->rank; i++) {
		if (a->dims[i] != b->dims[i])
			return false;
	}
	return true;
}

/* Two inputs and an output of 8 bits and the same dimensions. */
static inline enum nn_program_reason check_pairs(const struct nn_call *call)
{
	if (!operands_are(call, 2, 1) || !is_8bit(&call->input[0]) || !is_8bit(&call->input[1]) ||
	    !is_8bit(&call->output[0]))
		return NN_REASON_OPERAND;
	if (!same_dims(&call->input[0], &call->output[0]) ||
	    !same_dims(&call->input[1], &call->output[0]))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* The clamp is a range of the output's type. */
static inline bool clamp_is_valid(const struct nn_call *call)
{
	uint8_t type = call->output[0].type;
	int32_t low = type == NN_TYPE_INT16 ? INT16_MIN : type == NN_TYPE_INT8 ? INT8_MIN : 0;
	int32_t range = type == NN_TYPE_INT16 ? UINT16_MAX : UINT8_MAX;

	return call->op->out_min >= low && call->op->out_max <= low + range &&
	       call->op->out_min <= call->op->out_max;
}

/* Parameters are valid if two multiplied elements and the rest of a sum fit 32 bits. */
static inline bool add_is_valid(const struct nn_add_params *params)
{
	const int32_t limit = 1 << 21;

	return params->multiplier_a >= -limit && params->multiplier_a <= limit &&
	       params->multiplier_b >= -limit && params->multiplier_b <= limit &&
	       params->shift >= 1 && params->shift <= 30;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* The size of equal parts that `all` is divided into, as few as there can be of at most `most`. */
static inline uint32_t even_part(uint32_t all, uint32_t most)
{
	uint32_t parts;

	if (all <= most)
		return all;
	parts = (all - 1) / most + 1;
	return (all - 1) / parts + 1;
}

#endif
