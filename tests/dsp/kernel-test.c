// SPDX-License-Identifier: MIT
/*
 * The call that a kernel's test makes, and its memory (kernel-test.h).
 */
#include "kernel-test.h"

struct nn_program_op op;
struct nn_call call;
struct nn_run run;

const struct kernel_test *const kernel_tests[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) [NN_OPCODE_##ID] = &nn_##name##_test,
#include "dsp/program/operators.h"
};

void begin_call(enum nn_opcode opcode)
{
	static const uint32_t arg[NN_ARG_COUNT];

	memset(&op, 0, sizeof(op));
	memset(&call, 0, sizeof(call));
	memset(&run, 0, sizeof(run));
	op.opcode = opcode;
	call.op = &op;
	call.run = &run;
	run.arg = arg;
}

uint32_t random_times(int argc, char **argv)
{
	uint32_t times = 0;

	for (const char *digit = argc > 2 ? argv[2] : ""; *digit >= '0' && *digit <= '9'; digit++)
		times = times * 10 + (uint32_t)(*digit - '0');
	return times ? times : 1;
}

bool is_selected(const char *name, const char *wanted)
{
	for (; wanted && *wanted; name++, wanted++) {
		if (*name != *wanted)
			return false;
	}
	return true;
}
