// SPDX-License-Identifier: MIT
/*
 * Each function that INTEGERS and BINARY have, on a few elements, worked out by hand: a model may
 * have no use for some, and what a function makes of equal numbers, 0, signs and overflow is seldom
 * met. And what ROI_ALIGN makes of boxes that are none.
 */
#include <math.h>
#include <string.h>

#include "../unit/tap.h"
#include "tensor.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static struct nn_program_op op;
static struct nn_call call;
static int64_t operands[3];	/* two inputs and the output, one element each */

static void set_operand(struct nn_tensor *tensor, uint32_t i, uint8_t type, int32_t zero_point)
{
	describe_tensor(tensor, type, DIMS(1), &operands[i]);
	tensor->zero_point = zero_point;
}

/* The low bytes are the element, on a processor that has them first. */
static bool run(int64_t a, int64_t b)
{
	operands[0] = a;
	operands[1] = b;
	operands[2] = 0;
	call.op = &op;
	return !nn_kernels_portable[op.opcode].check(&call) && !nn_kernels_portable[op.opcode].run(&call);
}

#define INTEGERS(function)	NN_INTEGERS_##function

static void test_integers(void)
{
	static const struct {
		uint8_t type;
		uint32_t function;
		int64_t a, b, result;
	} cases[] = {
		{ NN_TYPE_INT8, INTEGERS(ADD), 100, 100, -56 },
		{ NN_TYPE_INT8, INTEGERS(SUB), -100, 100, 56 },
		{ NN_TYPE_INT8, INTEGERS(MUL), -3, 5, -15 },
		{ NN_TYPE_INT16, INTEGERS(MUL), 300, 300, 90000 - 65536 },
		{ NN_TYPE_INT8, INTEGERS(DIV), -7, 2, -3 },
		{ NN_TYPE_INT8, INTEGERS(DIV), 7, -2, -3 },
		{ NN_TYPE_INT8, INTEGERS(DIV), 7, 0, 0 },
		{ NN_TYPE_INT8, INTEGERS(DIV), -128, -1, -128 },
		{ NN_TYPE_INT64, INTEGERS(DIV), INT64_MIN, -1, INT64_MIN },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_DIV), -7, 2, -4 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_DIV), 7, -2, -4 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_DIV), -7, -2, 3 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_DIV), -8, 2, -4 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_DIV), 0, -2, 0 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_DIV), -7, 0, 0 },
		{ NN_TYPE_INT8, INTEGERS(MOD), -7, 2, -1 },
		{ NN_TYPE_INT8, INTEGERS(MOD), 7, -2, 1 },
		{ NN_TYPE_INT8, INTEGERS(MOD), 7, 0, 0 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_MOD), -7, 2, 1 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_MOD), 7, -2, -1 },
		{ NN_TYPE_INT8, INTEGERS(FLOOR_MOD), -8, 2, 0 },
		{ NN_TYPE_INT64, INTEGERS(FLOOR_MOD), INT64_MIN, -1, 0 },
		{ NN_TYPE_INT8, INTEGERS(MIN), -3, 2, -3 },
		{ NN_TYPE_INT8, INTEGERS(MIN), 2, -3, -3 },
		{ NN_TYPE_INT8, INTEGERS(MAX), -3, 2, 2 },
		{ NN_TYPE_INT8, INTEGERS(MAX), 2, -3, 2 },
		{ NN_TYPE_UINT8, INTEGERS(MAX), 200, 100, 200 },
		{ NN_TYPE_INT8, INTEGERS(AND), 12, 10, 8 },
		{ NN_TYPE_INT8, INTEGERS(OR), 12, 10, 14 },
		{ NN_TYPE_INT8, INTEGERS(XOR), 12, 10, 6 },
		{ NN_TYPE_UINT8, INTEGERS(SUB), 1, 2, 255 },
		{ NN_TYPE_UINT16, INTEGERS(SUB), 1, 2, 65535 },
		{ NN_TYPE_UINT16, INTEGERS(DIV), 60000, 7, 8571 },
		{ NN_TYPE_INT32, INTEGERS(ADD), INT32_MAX, 1, INT32_MIN },
		{ NN_TYPE_INT64, INTEGERS(ADD), INT64_MAX, 1, INT64_MIN },
		{ NN_TYPE_UINT32, INTEGERS(DIV), 0xfffffffe, 7, 613566756 },
		{ NN_TYPE_UINT32, INTEGERS(FLOOR_MOD), 0xfffffffe, 7, 2 },
		{ NN_TYPE_UINT32, INTEGERS(MAX), 0xfffffffe, 7, 0xfffffffe },
		{ NN_TYPE_UINT32, INTEGERS(SUB), 1, 2, 0xffffffff },
		{ NN_TYPE_UINT64, INTEGERS(DIV), -2, 7, 2635249153387078802 },
		{ NN_TYPE_UINT64, INTEGERS(DIV), -2, -1, 0 },
		{ NN_TYPE_UINT64, INTEGERS(FLOOR_DIV), -2, 0, 0 },
		{ NN_TYPE_UINT64, INTEGERS(MOD), -2, 7, 0 },
		{ NN_TYPE_UINT64, INTEGERS(FLOOR_MOD), -1, 10, 5 },
		{ NN_TYPE_UINT64, INTEGERS(MIN), -2, 7, 7 },
		{ NN_TYPE_UINT64, INTEGERS(MAX), -2, 7, -2 },
		{ NN_TYPE_BOOL, INTEGERS(ADD), 1, 1, 1 },
		{ NN_TYPE_BOOL, INTEGERS(XOR), 1, 1, 0 },
		{ NN_TYPE_BOOL, INTEGERS(OR), 0, 7, 1 },
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t wanted = cases[i].result;

		op = (struct nn_program_op){ .opcode = NN_OPCODE_INTEGERS };
		op.integers.function = cases[i].function;
		memset(&call, 0, sizeof(call));
		set_operand(&call.input[0], 0, cases[i].type, 0);
		set_operand(&call.input[1], 1, cases[i].type, 0);
		set_operand(&call.output[0], 2, cases[i].type, 0);
		if (run(cases[i].a, cases[i].b) &&
		    !memcmp(&operands[2], &wanted, nn_type_size(cases[i].type)))
			continue;
		printf("# function %u of %lld and %lld\n", cases[i].function, (long long)cases[i].a,
		       (long long)cases[i].b);
		good = false;
	}
	CHECK(good);
}

/* Bits of a set of functions, from EQUAL on. */
enum { EQUAL = 1, NOT_EQUAL = 2, LESS = 4, LESS_OR_EQUAL = 8 };

/*
 * Stored numbers; with the types, zero points and scales below the real ones are (a - 3) / 2 and
 * (b + 5) / 4.
 */
static const struct {
	int8_t a, b;
	uint32_t true_stored, true_real;
} comparisons[] = {
	{ 5, 5, EQUAL | LESS_OR_EQUAL, NOT_EQUAL | LESS | LESS_OR_EQUAL },
	{ 5, -1, NOT_EQUAL, EQUAL | LESS_OR_EQUAL },
	{ 5, 0, NOT_EQUAL, NOT_EQUAL | LESS | LESS_OR_EQUAL },
	{ 5, -2, NOT_EQUAL, NOT_EQUAL },
	{ -128, 127, NOT_EQUAL | LESS | LESS_OR_EQUAL, NOT_EQUAL | LESS | LESS_OR_EQUAL },
	{ 3, -5, NOT_EQUAL, EQUAL | LESS_OR_EQUAL },
	{ -7, -25, NOT_EQUAL, EQUAL | LESS_OR_EQUAL },
};

static void test_comparisons(uint32_t first, bool is_real)
{
	bool good = true;

	for (size_t i = 0; i < COUNT(comparisons); i++) {
		uint32_t right = is_real ? comparisons[i].true_real : comparisons[i].true_stored;

		for (uint32_t k = 0; k < 4; k++) {
			op = (struct nn_program_op){ .opcode = NN_OPCODE_INTEGERS };
			op.integers.function = first + k;
			if (first == NN_INTEGERS_EQUAL_FLOAT) {
				op.integers.scale_a = 0.5f;
				op.integers.scale_b = 0.25f;
			} else if (first == NN_INTEGERS_EQUAL_FIXED) {
				op.integers.by[0] = (struct nn_fixed){ 1 << 30, 0 };
				op.integers.by[1] = (struct nn_fixed){ 1 << 30, -1 };
			}
			memset(&call, 0, sizeof(call));
			set_operand(&call.input[0], 0, NN_TYPE_INT8, 3);
			set_operand(&call.input[1], 1, NN_TYPE_INT8, -5);
			set_operand(&call.output[0], 2, NN_TYPE_BOOL, 0);
			if (run(comparisons[i].a, comparisons[i].b) && operands[2] == (right >> k & 1))
				continue;
			printf("# function %u of %d and %d\n", first + k, comparisons[i].a,
			       comparisons[i].b);
			good = false;
		}
	}
	CHECK(good);
}

static void test_stored(void)
{
	test_comparisons(NN_INTEGERS_EQUAL, false);
}

static void test_float(void)
{
	test_comparisons(NN_INTEGERS_EQUAL_FLOAT, true);
}

static void test_fixed(void)
{
	test_comparisons(NN_INTEGERS_EQUAL_FIXED, true);
}

#define BINARY(function)	NN_BINARY_##function

/*
 * With zero points 3, -5 and 7, and the scales 1/2, 1/4 and 1/8; or with multipliers that are as
 * much, if the function has these.
 */
static void test_binary(void)
{
	static const struct {
		uint32_t function;
		int8_t a, b, result;
	} cases[] = {
		/* 1 and 3/4, 1 and -3/4, -1 and 3/4 */
		{ BINARY(ADD), 5, -2, 7 + 14 },	   { BINARY(ADD), 5, -8, 7 + 2 },
		{ BINARY(SUB), 5, -2, 7 + 2 },	   { BINARY(SUB), 1, -2, 7 - 14 },
		{ BINARY(MUL), 5, -2, 7 + 6 },	   { BINARY(MUL), 1, -2, 7 - 6 },
		{ BINARY(DIV), 5, -2, 7 + 11 },	   { BINARY(DIV), 1, -2, 7 - 11 },
		{ BINARY(MIN), 5, -2, 7 + 6 },	   { BINARY(MIN), 1, -2, 7 - 8 },
		{ BINARY(MAX), 5, -2, 7 + 8 },	   { BINARY(MAX), 1, -2, 7 + 6 },
		{ BINARY(PRELU), 5, -2, 7 + 8 },   { BINARY(PRELU), 1, -2, 7 - 6 },
		{ BINARY(PRELU), 3, -2, 7 },
		{ BINARY(ADD_SHIFTED), 5, -2, 7 + 14 }, { BINARY(ADD_SHIFTED), 1, -2, 7 - 2 },
		{ BINARY(ADD_FUSED), 5, -2, 7 + 14 },	{ BINARY(ADD_FUSED), 1, -2, 7 - 2 },
		/* 2 * 3 / 8 and -2 * 3 / 8; 4 * 3 / 8, which is a tie, and 4 * 9 / 8, another. */
		{ BINARY(MUL_ONCE), 5, -2, 7 + 1 },  { BINARY(MUL_ONCE), 1, -2, 7 - 1 },
		{ BINARY(MUL_ONCE), 7, -2, 7 + 2 },  { BINARY(MUL_ONCE), 7, 4, 7 + 4 },
		{ BINARY(MUL_FUSED), 5, -2, 7 + 1 }, { BINARY(MUL_FUSED), 1, -2, 7 - 1 },
		{ BINARY(MUL_FUSED), 7, -2, 8 },     { BINARY(MUL_FUSED), 7, 4, 12 },
		/* 2 / 2, and -2 * 3 / 4, away from 0. */
		{ BINARY(PRELU_FIXED), 5, -2, 7 + 1 }, { BINARY(PRELU_FIXED), 1, -2, 7 - 2 },
		/* (2 * 2^7 / 2 - 3 * 2^7 / 4)^2 / 2^10, and of -2. */
		{ BINARY(SQUARED_DIFFERENCE_FIXED), 5, -2, 7 + 1 },
		{ BINARY(SQUARED_DIFFERENCE_FIXED), 1, -2, 7 + 49 },
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(cases); i++) {
		op = (struct nn_program_op){ .opcode = NN_OPCODE_BINARY, .out_min = -128, .out_max = 127 };
		op.binary.function = cases[i].function;
		op.binary.scale_a = 0.5f;
		op.binary.scale_b = 0.25f;
		op.binary.scale_output = 0.125f;
		if (cases[i].function == NN_BINARY_ADD_SHIFTED)
			op.binary.add = (struct nn_add_params){ 1 << 20, 1 << 19, 18 };
		op.binary.by[0] = (struct nn_fixed){ 1 << 30, 0 };
		op.binary.by[1] = (struct nn_fixed){ 1 << 30, -1 };
		op.binary.by[2] = (struct nn_fixed){ 1 << 30, -9 };
		memset(&call, 0, sizeof(call));
		set_operand(&call.input[0], 0, NN_TYPE_INT8, 3);
		set_operand(&call.input[1], 1, NN_TYPE_INT8, -5);
		set_operand(&call.output[0], 2, NN_TYPE_INT8, 7);
		if (run(cases[i].a, cases[i].b) && (int8_t)operands[2] == cases[i].result)
			continue;
		printf("# function %u of %d and %d is %d, not %d\n", cases[i].function, cases[i].a,
		       cases[i].b, (int8_t)operands[2], cases[i].result);
		good = false;
	}
	CHECK(good);
}

#define BOXES	5
#define NOTHING	7	/* the output's zero point */

/*
 * Two rows of two images of 2 x 2 pixels, which are 10 more in each image, of one channel: what the
 * boxes' indices make of it, each box becoming one element.
 */
static bool align_boxes(const float boxes[BOXES][4], const int64_t indices[2][BOXES], int8_t got[2][BOXES])
{
	static const int8_t images[2][2][4] = { { { 1, 2, 3, 4 }, { 11, 12, 13, 14 } },
						{ { 21, 22, 23, 24 }, { 31, 32, 33, 34 } } };
	static struct nn_run no_progress;

	op.opcode = NN_OPCODE_ROI_ALIGN;
	op.out_min = -128;
	op.out_max = 127;
	op.roi_align.spatial_scale = op.roi_align.scale_input = 1;
	op.roi_align.scale_boxes = op.roi_align.scale_output = 1;
	memset(&call, 0, sizeof(call));
	describe_tensor(&call.input[0], NN_TYPE_INT8, DIMS(2, 2, 2, 2, 1), images);
	describe_tensor(&call.input[1], NN_TYPE_FLOAT32, DIMS(1, BOXES, 4), boxes);
	call.input[1].packed = true;
	describe_tensor(&call.input[2], NN_TYPE_INT64, DIMS(2, BOXES), indices);
	describe_tensor(&call.output[0], NN_TYPE_INT8, DIMS(2, BOXES, 1, 1, 1), got);
	call.output[0].zero_point = NOTHING;
	call.op = &op;
	call.run = &no_progress;
	return !nn_kernels_portable[op.opcode].check(&call) && !nn_kernels_portable[op.opcode].run(&call);
}

/* ONNX Runtime has no golden values of these: no index, and then no box. */
static void test_no_boxes(void)
{
	static const float all[BOXES][4] = { { 0, 0, 2, 2 }, { 0, 0, 2, 2 }, { 0, 0, 2, 2 }, { 0, 0, 2, 2 }, { 0, 0, 2, 2 } };
	static const int64_t indices[2][BOXES] = { { 1, 0, -1, 2, 1ll << 32 }, { INT64_MIN, 1, INT64_MAX, 0, -2 } };
	static const int8_t wanted[2][BOXES] = { { NOTHING + 14, NOTHING + 4, NOTHING, NOTHING, NOTHING },
						 { NOTHING, NOTHING + 34, NOTHING, NOTHING + 24, NOTHING } };
	static const float none[BOXES][4] = { { 2, 0, 0, 2 }, { 0, 2, 2, 0 }, { NAN, 0, 2, 2 }, { 0, 0, 2, NAN }, { 0, 0, 1e30f, 1e30f } };
	static const int64_t first[2][BOXES];
	int8_t got[2][BOXES];

	for (uint32_t form = 0; form < NN_ROI_ALIGN_FORMS; form++) {
		op = (struct nn_program_op){ .roi_align = { .form = form, .samples = 1 } };
		CHECK(align_boxes(all, indices, got) && !memcmp(got, wanted, sizeof(got)));
		op.roi_align = (struct nn_roi_align_params){ .form = form, .half_pixel = 1 };
		CHECK(align_boxes(none, first, got));
		for (uint32_t i = 0; i < BOXES; i++)
			CHECK(got[0][i] == NOTHING && got[1][i] == NOTHING);
	}
}

int main(void)
{
	tap_run("integers", test_integers);
	tap_run("comparisons of what is stored", test_stored);
	tap_run("comparisons in float32", test_float);
	tap_run("comparisons in fixed point", test_fixed);
	tap_run("two elements of 8 bits", test_binary);
	tap_run("boxes that are none", test_no_boxes);
	return tap_end();
}
