/* SPDX-License-Identifier: MIT */
/*
 * The check() functions, one for each opcode, and what they are written with. Portable and vector
 * kernels share them.
 */
#ifndef NN_CHECKS_H
#define NN_CHECKS_H

#include "../kernels.h"

enum nn_program_reason nn_conv2d_check(const struct nn_call *call);
enum nn_program_reason nn_depthwise_conv2d_check(const struct nn_call *call);
enum nn_program_reason nn_fully_connected_check(const struct nn_call *call);
enum nn_program_reason nn_max_pool_check(const struct nn_call *call);
enum nn_program_reason nn_average_pool_check(const struct nn_call *call);
enum nn_program_reason nn_add_check(const struct nn_call *call);
enum nn_program_reason nn_requantize_check(const struct nn_call *call);
enum nn_program_reason nn_table_check(const struct nn_call *call);
enum nn_program_reason nn_copy_check(const struct nn_call *call);
enum nn_program_reason nn_rotate_rows_check(const struct nn_call *call);
enum nn_program_reason nn_row_numbers_check(const struct nn_call *call);
enum nn_program_reason nn_transpose_check(const struct nn_call *call);
enum nn_program_reason nn_crop_resize_check(const struct nn_call *call);

int nn_conv2d_portable(const struct nn_call *call);
int nn_depthwise_conv2d_portable(const struct nn_call *call);
int nn_fully_connected_portable(const struct nn_call *call);
int nn_max_pool_portable(const struct nn_call *call);
int nn_average_pool_portable(const struct nn_call *call);
int nn_add_portable(const struct nn_call *call);
int nn_requantize_portable(const struct nn_call *call);
int nn_table_portable(const struct nn_call *call);
int nn_copy_portable(const struct nn_call *call);
int nn_rotate_rows_portable(const struct nn_call *call);
int nn_row_numbers_portable(const struct nn_call *call);
int nn_transpose_portable(const struct nn_call *call);
int nn_crop_resize_portable(const struct nn_call *call);

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

/* A packed constant of one dimension. */
static inline bool is_constant(const struct nn_tensor *tensor, enum nn_type type)
{
	return tensor->type == type && tensor->packed && tensor->rank == 1;
}

/* The same number of rows in every pass. */
static inline bool same_rows(const struct nn_tensor *a, const struct nn_tensor *b)
{
	return a->level == b->level && (a->level || a->dims[0] == b->dims[0]);
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

/* The clamp is a range of the output's type. */
static inline bool clamp_is_valid(const struct nn_call *call)
{
	int32_t low = call->output[0].type == NN_TYPE_INT8 ? INT8_MIN : 0;

	return call->op->out_min >= low && call->op->out_max <= low + 255 &&
	       call->op->out_min <= call->op->out_max;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint64_t round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

#endif
