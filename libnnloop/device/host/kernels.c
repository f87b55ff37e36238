// SPDX-License-Identifier: MIT
/*
 * The table of kernels that the interpreter runs on the host: the host's own where there are some,
 * else the portable ones. It is not part of the firmware, whose table is in
 * dsp/hvx/common/kernels.c and fuse.c.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/matmul.h"
#include "kernels.h"

static const struct nn_host_set *find_set(void)
{
#ifdef __x86_64__
	if (nn_host_has_vnni())
		return &nn_host_vnni;
	if (nn_host_has_avx2())
		return &nn_host_avx2;
#endif
	return &nn_host_baseline;
}

int nn_host_run_parts(const struct nn_call *call, uint32_t begin, uint32_t end,
		      int (*run)(const struct nn_call *call))
{
	struct nn_call part;
	struct nn_program_op op;

	if (begin == 0 && end == nn_call_parts(call))
		return run(call);
	part = *call;
	nn_call_take_parts(&part, &op, begin, end);
	return run(&part);
}

static int run_portable(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	return nn_host_run_parts(call, begin, end, nn_kernels_portable[call->op->opcode].run);
}

static const struct nn_host_kernel *find_kernel(uint32_t opcode)
{
	static const struct nn_host_kernel portable = { nn_call_parts, run_portable };
	const struct nn_host_set *set = find_set();

	switch (opcode) {
#define NN_HOST_KERNEL(ID, name) \
	case NN_OPCODE_##ID: \
		return &set->name;
	NN_HOST_KERNELS
#undef NN_HOST_KERNEL
	}
	return &portable;
}

/* Roughly, on a processor of today. */
static uint64_t estimate_nanoseconds(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *output = &call->output[0], *weights = &call->input[1];

	switch (call->op->opcode) {
	case NN_OPCODE_CONV2D:
		return output->dims[0] * weights->bytes * output->dims[1] * output->dims[2] / 32;
	case NN_OPCODE_FULLY_CONNECTED:
		return output->dims[0] * weights->bytes / 8;
	case NN_OPCODE_MATMUL:
		return output->bytes / nn_type_size(output->type) *
		       (uint64_t)matmul_left(call).inner / 16;
	case NN_OPCODE_FLOAT_CONV2D:
		return output->bytes / nn_type_size(output->type) / output->dims[3] *
		       (weights->bytes / nn_type_size(weights->type)) / 16;
	case NN_OPCODE_FLOAT_EACH:
		return output->bytes * 8;
	case NN_OPCODE_FLOAT_BINARY:
		return output->bytes;
	case NN_OPCODE_DEPTHWISE_CONV2D:
		return output->bytes * window->kernel_h * window->kernel_w / 8;
	}
	return output->bytes;
}

static int run(const struct nn_call *call)
{
	const struct nn_host_kernel *kernel = find_kernel(call->op->opcode);
	uint32_t units = kernel->count_units(call);

	if (call->run->divide && units > 1)
		return call->run->divide(call, units, estimate_nanoseconds(call),
					 kernel->run_units);
	return kernel->run_units(call, 0, units);
}

static const struct nn_kernel kernels[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) \
	[NN_OPCODE_##ID] = { #name, nn_##name##_check, run },
#include "dsp/program/operators.h"
};

const struct nn_kernel *const nn_kernels = kernels;

bool nn_call_fuses(const struct nn_call *call, const struct nn_call *next)
{
	(void)call;
	(void)next;
	return false;
}
