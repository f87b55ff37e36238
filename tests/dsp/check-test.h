/* SPDX-License-Identifier: MIT */
/*
 * Tables of what the kernels' checks take and refuse, which test-checks goes through:
 * tests/dsp/checks/.
 *
 * Each call is right; every change of one operand, in its type, rank, level or one of its
 * dimensions, is refused, but for those listed with the call. Parameters, zero points and sizes are
 * at the ends of their ranges, or past them.
 */
#ifndef CHECK_TEST_H
#define CHECK_TEST_H

#include <stddef.h>

#include "dsp/program/kernels.h"

#define MAX_INPUTS	6
#define MAX_OUTPUTS	4
/* Output 0; others are behind it. */
#define OUTPUT		MAX_INPUTS
#define OPERANDS	(MAX_INPUTS + MAX_OUTPUTS)

/* Dimensions end with 0; the first one may be NO_ROWS. */
#define NO_ROWS		UINT32_MAX

struct operand {
	uint8_t type, level;
	bool packed;
	uint32_t dims[NN_MAX_RANK + 1];
};

#define INT8(...)	{ NN_TYPE_INT8, 0, false, { __VA_ARGS__ } }
#define INT32(...)	{ NN_TYPE_INT32, 0, false, { __VA_ARGS__ } }
#define ROWS(level, ...) { NN_TYPE_INT8, level, false, { __VA_ARGS__ } }
#define INT16(...)	{ NN_TYPE_INT16, 0, false, { __VA_ARGS__ } }
#define BOOL(...)	{ NN_TYPE_BOOL, 0, false, { __VA_ARGS__ } }
#define PACKED(type, n)	{ type, 0, true, { n } }
#define BIAS(n)		PACKED(NN_TYPE_INT32, n)
#define SCALE(n)	PACKED(NN_TYPE_FLOAT32, n)
#define SCALES(lanes)	{ NN_TYPE_INT32, 0, true, { NN_SCALE_ROWS, lanes } }

#define WINDOW_OF(size, ...) \
	.window = { .kernel_h = size, .kernel_w = size, .stride_h = 2, .stride_w = 2, .dilation_h = 1, .dilation_w = 1, \
		    .pad_top = 1, .pad_left = 1, __VA_ARGS__ }
#define WINDOW		WINDOW_OF(3, )

/* A right call has a clamp that int8 and uint8 have. */
struct right_call {
	const char *name;
	struct nn_program_op op;
	struct operand operands[OPERANDS];
	/*
	 * Changes that are right as well: OPERAND.type=N, OPERAND.dimN, OPERAND.packed,
	 * OPERAND.rank, OPERAND.level. Operands are in0, in1 ..., out, out1, out2.
	 */
	const char *also;
};

/* A parameter, by its place in the operator, and whether it is right. */
struct parameter {
	size_t place;
	int32_t value;
	bool right;
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define PLACE(field)	offsetof(struct nn_program_op, field)

/* Scales are positive and normal: the least is 2^-126, and below the greatest is no infinity. */
#define SCALE_AT(place) \
	{ place, 0x00800000, true }, { place, 0x007fffff, false }, { place, 0, false }, { place, 0x7f7fffff, true }, \
	{ place, 0x7f800000, false }, { place, 0x7fc00000, false }, { place, (int32_t)0xbf800000, false }

/* The parameters of the call of that name, one at a time. */
struct trial {
	const char *call;
	const struct parameter *parameters;
	size_t count;
	const char *what;
};

#define PARAMETERS(table)	table, COUNT(table), #table

/* The ends of what a byte is clamped to. */
#define BYTE_CLAMPS		PARAMETERS(nn_byte_clamps)
extern const struct parameter nn_byte_clamps[7];

/* One dimension of an operand of the call of that name, or its zero point. */
struct size {
	const char *call;
	unsigned int operand, dimension;
	uint32_t value;
	bool right;
};

#define ZERO_POINT	NN_MAX_RANK

struct check_test {
	const struct right_call *calls;
	size_t call_count;
	const struct trial *trials;
	size_t trial_count;
	const struct size *sizes;
	size_t size_count;
	const struct right_call *refused;
	size_t refused_count;
};

/* The lists that each file has, under these names. */
#define CALLS_TRIALS_SIZES						\
	.calls = calls, .call_count = COUNT(calls),			\
	.trials = trials, .trial_count = COUNT(trials),			\
	.sizes = sizes, .size_count = COUNT(sizes)
/* The list of some. */
#define REFUSED		.refused = refused, .refused_count = COUNT(refused)

extern const struct check_test nn_window_checks, nn_move_checks, nn_arithmetic_checks, nn_vector_checks,
	nn_float_checks;

#endif
