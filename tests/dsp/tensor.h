/* SPDX-License-Identifier: MIT */
/*
 * Operands of calls that tests make, as the interpreter would describe them to a kernel.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include "dsp/program/kernels.h"

/* Two arguments: rank, dimensions. */
#define DIMS(...) \
	sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, (const uint32_t[]){ __VA_ARGS__ }

/* Level, zero point and `packed` are left as they are. */
static inline void describe_tensor(struct nn_tensor *tensor, uint8_t type, uint32_t rank,
				   const uint32_t *dims, const void *data)
{
	tensor->type = type;
	tensor->rank = rank;
	tensor->row_bytes = nn_type_size(type);
	for (uint32_t i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = i < rank ? dims[i] : 1;
	for (uint32_t i = 1; i < rank; i++)
		tensor->row_bytes *= dims[i];
	tensor->bytes = tensor->row_bytes * dims[0];
	tensor->row_pitch = tensor->row_bytes;
	tensor->pitch = nn_type_size(type) * (rank > 1 ? dims[rank - 1] : 1);
	tensor->data = (uint8_t *)data;
}

/* A packed one. */
static inline void describe_constant(struct nn_tensor *tensor, uint8_t type, uint32_t elements,
				     const void *data)
{
	describe_tensor(tensor, type, DIMS(elements), data);
	tensor->packed = true;
}

/* A window without dilation or padding. */
static inline struct nn_window_params window_of(uint32_t kernel_h, uint32_t kernel_w,
						uint32_t stride_h, uint32_t stride_w)
{
	return (struct nn_window_params){
		.kernel_h = kernel_h,
		.kernel_w = kernel_w,
		.stride_h = stride_h,
		.stride_w = stride_w,
		.dilation_h = 1,
		.dilation_w = 1,
	};
}

/* The same down and across. */
static inline struct nn_window_params square_window(uint32_t kernel, uint32_t stride,
						    uint32_t dilation, uint32_t pad)
{
	struct nn_window_params window = window_of(kernel, kernel, stride, stride);

	window.dilation_h = window.dilation_w = dilation;
	window.pad_top = window.pad_left = pad;
	return window;
}

#endif
