/* SPDX-License-Identifier: MIT */
/*
 * The tests of an operator's kernels: tests/dsp/kernels/NAME.c has nn_NAME_test for the opcode NAME
 * of dsp/program/operators.h. test-kernels and test-progress go through all of them.
 */
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include "dsp/firmware/runtime.h"
#include "dsp/program/kernels.h"
#include "harness.h"
#include "tensor.h"

/* A call as large as the operator takes, of a shape that has most of the work in one place. */
struct large_call {
	const char *name;	/* begins with the operator's */
	void (*make)(const uint32_t *parameter);
	uint32_t parameter[6];
};

struct kernel_test {
	void (*make_random)(void);	/* see random-call.h */
	uint32_t random_calls;		/* how many of them make a test, */
	uint32_t pitched_calls;		/* and others that have pitches; 0: a quarter as many */
	bool is_scalar;			/* on the DSP, too, it runs no vector instructions */
	uint32_t in_place;		/* its output may lie where one of so many inputs lies */
	uint32_t scales;		/* the operand that has rows of enum nn_scale_row, or 0 */

	/*
	 * At most so many packets if the kernel's assembly runs the call, 0 if that is not meant
	 * for it. quick_calls of the random ones are to be as quick as that, and quick_strided of
	 * those with pitches.
	 */
	uint32_t (*most_packets)(void);
	uint32_t quick_calls, quick_strided;

	const struct large_call *large;	/* see large-call.h */
	uint32_t large_calls;
};

#define NN_OPCODE(ID, name, number, where) extern const struct kernel_test nn_##name##_test;
#include "dsp/program/operators.h"

/* The tests by opcode, NULL where there is none. */
extern const struct kernel_test *const kernel_tests[NN_OPCODE_END];

/* The call that make_random() and make() fill in. begin_call() clears all three. */
extern struct nn_program_op op;
extern struct nn_call call;
extern struct nn_run run;

void begin_call(enum nn_opcode opcode);

/* Is `name` meant by the test's argument, a name's beginning, or NULL for all? */
bool is_selected(const char *name, const char *wanted);

/*
 * How many times as many random calls as usual: the test's second argument.
 */
uint32_t random_times(int argc, char **argv);

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#endif
