// SPDX-License-Identifier: MIT
/*
 * See large-call.h.
 */
#include "large-call.h"
#include "system.h"

#define MEMORY		(640u << 20)
#define WRITABLE	(128u << 20)

static uint8_t *memory, *writable;

static uint8_t *reserve(uint32_t bytes)
{
	uint8_t *at = system_reserve(bytes, PROT_READ | PROT_WRITE);

	if (!at) {
		print("Bail out! no memory\n");
		system_exit(1);
	}
	return at;
}

void large_calls_reserve(void)
{
	memory = reserve(MEMORY);
	writable = reserve(WRITABLE);
}

static void describe(struct nn_tensor *tensor, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe_tensor(tensor, type, rank, dims, memory);
	if (tensor->bytes > MEMORY) {
		print("Bail out! %u bytes do not fit\n", (uint32_t)tensor->bytes);
		system_exit(1);
	}
}

void large_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.input[i], type, rank, dims);
}

void large_constant(uint32_t i, uint8_t type, uint32_t elements)
{
	describe(&call.input[i], type, DIMS(elements));
	call.input[i].packed = true;
}

void large_output(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.output[0], type, rank, dims);
	call.output[0].data = writable;
	op.out_max = 255;
	if (call.output[0].bytes > WRITABLE) {
		print("Bail out! an output of %u bytes does not fit\n",
		      (uint32_t)call.output[0].bytes);
		system_exit(1);
	}
}

void large_bias_and_scale(uint32_t outputs)
{
	static uint32_t bias[1 << 20] __attribute__((aligned(128)));
	static uint32_t scale[1 << 20] __attribute__((aligned(128)));

	large_constant(2, NN_TYPE_INT32, (outputs + 31) / 32 * 32);
	large_constant(3, NN_TYPE_FLOAT32, (outputs + 31) / 32 * 32);
	for (uint32_t i = 0; i < outputs; i++) {
		bias[i] = 1;
		scale[i] = 0x3f000000;
	}
	call.input[2].data = (uint8_t *)bias;
	call.input[3].data = (uint8_t *)scale;
}

void large_window(const struct large_window *shape)
{
	uint32_t reach = (shape->kernel - 1) * shape->dilation + 1;
	uint32_t out = (shape->size - reach) / shape->stride + 1;

	op.window = (struct nn_window_params){
		.kernel_h = shape->kernel,
		.kernel_w = shape->kernel,
		.stride_h = shape->stride,
		.stride_w = shape->stride,
		.dilation_h = shape->dilation,
		.dilation_w = shape->dilation,
		.multiplier = 1 << 30,
		.shift = 36,
	};
	large_input(0, NN_TYPE_UINT8, DIMS(shape->rows, shape->size, shape->size, shape->channels));
	large_output(NN_TYPE_UINT8, DIMS(shape->rows, out, out, shape->outputs));
}
