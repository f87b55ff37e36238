// SPDX-License-Identifier: MIT
/*
 * The portable kernels of ADD_FLOAT and AVERAGE_POOL_FLOAT against golden values that
 * golden_float.py computed from the definitions: every pair of bytes, and as many windows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dsp/program/kernels.h"
#include "tensor.h"

#define BYTES	65536u

struct golden_sum {
	uint32_t form;
	uint8_t types[3];		/* the inputs' and the output's; so below */
	int32_t zero_points[3];
	float scales[3];
	const uint8_t *y;
};

struct golden_average {
	uint32_t order;
	uint8_t types[2];
	int32_t zero_points[2];
	float scales[2];
	uint32_t height, width;
	const uint8_t *y;
};

#include "golden-float.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned int tests, failed;
static uint8_t a[BYTES * 16], b[BYTES], got[BYTES];

static void run(struct nn_call *call, struct nn_program_op *op, const uint8_t *golden,
		const char *name)
{
	static struct nn_run no_progress;
	const struct nn_kernel *kernel = &nn_kernels_portable[op->opcode];
	unsigned int differ = 0;

	op->out_min = call->output[0].type == NN_TYPE_INT8 ? -128 : 0;
	op->out_max = op->out_min + 255;
	call->op = op;
	call->run = &no_progress;
	tests++;
	if (kernel->check(call)) {
		printf("# refused: %d\n", kernel->check(call));
		differ = BYTES;
	} else {
		kernel->run(call);
		for (uint32_t i = 0; i < BYTES; i++)
			differ += got[i] != golden[i];
	}
	if (differ)
		printf("# %u of %u differ\n", differ, BYTES);
	failed += differ != 0;
	printf("%sok %u %s\n", differ ? "not " : "", tests, name);
}

static void test_sum(const struct golden_sum *sum)
{
	struct nn_program_op op = { .opcode = NN_OPCODE_ADD_FLOAT };
	struct nn_call call = { 0 };
	char name[64];

	for (uint32_t i = 0; i < BYTES; i++) {
		a[i] = i >> 8;
		b[i] = i;
	}
	describe_tensor(&call.input[0], sum->types[0], DIMS(1, BYTES), a);
	describe_tensor(&call.input[1], sum->types[1], DIMS(1, BYTES), b);
	describe_tensor(&call.output[0], sum->types[2], DIMS(1, BYTES), got);
	call.input[0].zero_point = sum->zero_points[0];
	call.input[1].zero_point = sum->zero_points[1];
	call.output[0].zero_point = sum->zero_points[2];
	op.add_float = (struct nn_add_float_params){ sum->scales[0], sum->scales[1], sum->scales[2],
						     sum->form };
	snprintf(name, sizeof(name), "add, form %u, scales %g %g %g", sum->form,
		 (double)sum->scales[0], (double)sum->scales[1], (double)sum->scales[2]);
	run(&call, &op, sum->y, name);
}

/* Each channel is one window. */
static void test_average(const struct golden_average *average)
{
	struct nn_program_op op = { .opcode = NN_OPCODE_AVERAGE_POOL_FLOAT };
	uint32_t count = average->height * average->width;
	struct nn_call call = { 0 };
	char name[64];

	for (uint32_t p = 0; p < count; p++) {
		for (uint32_t i = 0; i < BYTES; i++)
			a[p * BYTES + i] = i * (2 * p + 1) + (i >> 8) * (p + 3) + p * 29;
	}
	describe_tensor(&call.input[0], average->types[0],
			DIMS(1, average->height, average->width, BYTES), a);
	describe_tensor(&call.output[0], average->types[1], DIMS(1, 1, 1, BYTES), got);
	call.input[0].zero_point = average->zero_points[0];
	call.output[0].zero_point = average->zero_points[1];
	op.average_float = (struct nn_average_float_params){
		.window = { .kernel_h = average->height,
			    .kernel_w = average->width,
			    .stride_h = 1,
			    .stride_w = 1,
			    .dilation_h = 1,
			    .dilation_w = 1 },
		.scale_input = average->scales[0],
		.scale_output = average->scales[1],
		.order = average->order,
	};
	snprintf(name, sizeof(name), "average %ux%u, order %u, scales %g %g", average->height,
		 average->width, average->order, (double)average->scales[0],
		 (double)average->scales[1]);
	run(&call, &op, average->y, name);
}

int main(void)
{
	printf("TAP version 13\n1..%zu\n", COUNT(sums) + COUNT(averages));
	for (size_t i = 0; i < COUNT(sums); i++)
		test_sum(&sums[i]);
	for (size_t i = 0; i < COUNT(averages); i++)
		test_average(&averages[i]);
	return failed ? 1 : 0;
}
