// SPDX-License-Identifier: MIT
/*
 * Tests of what operators make of the rows of a pass, which depend on where in its loops the pass
 * is: the portable kernels, with results written out by hand.
 */
#include <string.h>

#include "../unit/tap.h"
#include "tensor.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define MOST		8

/*
 * An input of `rows` rows of `level`, whose first one is `base` of all; rows of the pass from
 * `first` on.
 */
static const struct {
	uint8_t level;
	uint32_t rows, base, first, out_rows;
	int32_t numbers[MOST];
} cases[] = {
	{ 0, 4, 0, 0, 3, { 0, 1, 2 } },
	{ 0, 4, 0, 1, 7, { 1, 2, 3, 0, 1, 2, 3 } },
	{ 0, 4, 0, 7, 2, { 3, 0 } },
	{ 0, 1, 0, 5, 3, { 0, 0, 0 } },
	{ 0, 0, 0, 5, 3, { 0, 0, 0 } },
	/* A level's first row counts for numbers, not for what is copied. */
	{ 1, 3, 10, 4, 5, { 11, 12, 10, 11, 12 } },
	{ 1, 3, 10, 0, 0, { 0 } },
	{ 1, 0, 10, 4, 2, { 0, 0 } },
	{ 1, 2, -1u, 1, 3, { 0, -1, 0 } },
};

static struct nn_call call;
static struct nn_program_op op;

static bool run(enum nn_opcode opcode, size_t i, const void *input, void *output, uint8_t type, uint32_t row)
{
	uint32_t arg[NN_ARG_COUNT] = { [NN_ARG_OUT_FIRST(1)] = cases[i].base };
	struct nn_run run = { .arg = arg };

	op = (struct nn_program_op){ .opcode = opcode };
	call = (struct nn_call){ .op = &op, .run = &run, .first = cases[i].first };
	describe_tensor(&call.input[0], NN_TYPE_INT16, DIMS(cases[i].rows, 3), input);
	call.input[0].level = cases[i].level;
	describe_tensor(&call.output[0], type, row > 1 ? 2 : 1, (const uint32_t[]){ cases[i].out_rows, row }, output);
	call.output[0].level = cases[i].level + 1;
	return !nn_kernels_portable[opcode].check(&call) && !nn_kernels_portable[opcode].run(&call);
}

static void test_row_numbers(void)
{
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int32_t numbers[MOST] = { 0 };

		if (run(NN_OPCODE_ROW_NUMBERS, i, NULL, numbers, NN_TYPE_INT32, 1) &&
		    !memcmp(numbers, cases[i].numbers, sizeof(numbers)))
			continue;
		printf("# case %zu\n", i);
		good = false;
	}
	CHECK(good);
}

static void test_rotate_rows(void)
{
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int16_t input[MOST][3], rows[MOST][3] = { 0 };

		for (int16_t n = 0; n < MOST; n++)
			memcpy(input[n], (int16_t[]){ (int16_t)(300 + n), (int16_t)-n, n }, sizeof(input[n]));
		memset(rows, 0xa5, cases[i].out_rows * sizeof(rows[0]));
		good &= run(NN_OPCODE_ROTATE_ROWS, i, input, rows, NN_TYPE_INT16, 3);
		for (uint32_t n = 0; n < MOST; n++) {
			static const int16_t zeros[3];
			const int16_t *wanted = zeros;

			if (n < cases[i].out_rows && cases[i].rows)
				wanted = input[(uint32_t)cases[i].numbers[n] - cases[i].base];
			good &= !memcmp(rows[n], wanted, sizeof(rows[n]));
		}
	}
	CHECK(good);
}

int main(void)
{
	tap_run("row_numbers", test_row_numbers);
	tap_run("rotate_rows", test_rotate_rows);
	return tap_end();
}
