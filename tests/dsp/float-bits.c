// SPDX-License-Identifier: MIT
/*
 * Prints a line for each opcode of float32, and for each of its functions: how many random calls
 * there were, and a hash of all that they have made. Built for the host and for the DSP,
 * tests/dsp/same-floats compares the two.
 */
#include "random-call.h"

static uint8_t out[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

static uint32_t hash_of(uint32_t hash, const uint8_t *bytes, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

/* The function, of opcodes that have several. */
static uint32_t function_of_call(void)
{
	switch (op.opcode) {
	case NN_OPCODE_FLOAT_EACH:
		return op.float_each.function;
	case NN_OPCODE_FLOAT_BINARY:
		return op.float_binary.function;
	case NN_OPCODE_FLOAT_REDUCE:
		return op.float_reduce.function;
	case NN_OPCODE_FLOAT_CONVERT:
		return op.float_convert.form;
	case NN_OPCODE_FLOAT_POOL:
		return op.float_pool.form;
	}
	return 0;
}

#define FUNCTIONS 64

static void run_opcode(enum nn_opcode opcode)
{
	uint32_t hashes[FUNCTIONS], calls[FUNCTIONS] = { 0 };

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		hashes[i] = 2166136261u;
	for (uint32_t n = 0; n < kernel_tests[opcode]->random_calls; n++) {
		uint32_t function;

		random_call(opcode, n);
		function = function_of_call();
		memset(out, 0, call.output[0].bytes);
		call.output[0].data = out;
		call.scratch = scratch;
		call.scratch_size = sizeof(scratch);
		if (nn_kernels[opcode].check(&call) || nn_kernels[opcode].run(&call))
			print("call %u failed\n", n);
		hashes[function] = hash_of(hashes[function], out, call.output[0].bytes);
		calls[function]++;
	}
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		if (calls[i])
			print("%s %u: %u calls, %x\n", nn_kernels[opcode].name, i, calls[i], hashes[i]);
	}
}

int main(void)
{
	random_calls_create();
	for (uint32_t i = 0; i < NN_OPCODE_END; i++) {
		if (kernel_tests[i] && is_selected(nn_kernels[i].name, "float_"))
			run_opcode(i);
	}
	return 0;
}
