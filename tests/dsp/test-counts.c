// SPDX-License-Identifier: MIT
/*
 * Programs with row counts: which version has which levels, what can be a view of what, whose rows
 * a pass's arguments are, and how far they may go. On the host, with sanitizers.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/interpreter.h"
#include "dsp/program/kernels.h"

#define REGION_SIZE	4096u
#define ROW		16u
#define MOST_TENSORS	600u
#define LOOPS		4u
#define COUNTS		16u
#define LAST		(LOOPS + COUNTS)

static struct {
	struct nn_program header;
	struct nn_program_region region[2];
	struct nn_program_tensor tensor[MOST_TENSORS];
} parts;
static uint8_t program[sizeof(parts) + sizeof(struct nn_program_op)] __attribute__((aligned(8)));
static struct nn_program_op op;
static uint8_t memory[2][REGION_SIZE];
static unsigned int tests, failed;

static void result(bool good, const char *name)
{
	tests++;
	failed += !good;
	printf("%sok %u %s\n", good ? "" : "not ", tests, name);
}

static void begin(uint32_t version)
{
	memset(&parts, 0, sizeof(parts));
	parts.header = (struct nn_program){ .magic = NN_PROGRAM_MAGIC, .version = version, .region_count = 2 };
	for (unsigned int i = 0; i < 2; i++)
		parts.region[i] = (struct nn_program_region){ 0x1000 * (i + 1), REGION_SIZE, i ? NN_REGION_WRITABLE : 0, 0 };
	op.opcode = 0;
}

static uint16_t add(uint8_t level, uint8_t place, uint32_t source, uint32_t rows)
{
	parts.tensor[parts.header.tensor_count] = (struct nn_program_tensor){
		.type = NN_TYPE_INT8, .rank = 2, .level = level, .place = place, .source = source, .dims = { rows, ROW },
	};
	return parts.header.tensor_count++;
}

static void add_op(uint32_t opcode, uint16_t input, uint16_t output)
{
	memset(&op, 0, sizeof(op));
	memset(op.input, 0xff, sizeof(op.input));
	memset(op.output, 0xff, sizeof(op.output));
	op.opcode = opcode;
	op.input[0] = input;
	op.output[0] = output;
	if (opcode == NN_OPCODE_COPY)
		op.copy = (struct nn_copy_params){ 1, ROW, 0, 0, 0, 0 };
}

static enum nn_program_reason check(void)
{
	struct nn_failure failure = { NN_REASON_NONE, 0 };
	uint32_t size = offsetof(__typeof__(parts), tensor) + parts.header.tensor_count * sizeof(*parts.tensor);

	parts.header.op_count = op.opcode != 0;
	parts.header.size = size + parts.header.op_count * sizeof(op);
	memcpy(program, &parts, size);
	memcpy(program + size, &op, sizeof(op));
	nn_program_check(program, parts.header.size, &failure);
	return failure.reason;
}

/* Runs the program once: what nn_program_run() returns, and whether it says why. */
static int run(const uint32_t *arg)
{
	struct nn_memory regions[2] = { { memory[0], REGION_SIZE, false }, { memory[1], REGION_SIZE, true } };
	struct nn_failure failure;
	struct nn_run state = { .arg = arg };
	void *room = malloc(nn_program_prepared_size((const void *)program));
	int ret = -2;

	for (unsigned int i = 0; i < REGION_SIZE; i++) {
		memory[0][i] = i * 7 / 5;
		memory[1][i] = 0xa5;
	}
	state.prepared = nn_program_prepare((const void *)program, regions, room, &failure);
	if (state.prepared)
		ret = nn_program_run(&state, &failure);
	if ((ret != 0) != (failure.reason == NN_REASON_ROWS))
		ret = -3;
	free(room);
	return ret;
}

/* Whether of the second region's bytes those of rows `to` .. are those of rows `from` .. of the first, and no other is written. */
static bool has_copied(uint32_t to, uint32_t from, uint32_t rows)
{
	bool good = true;

	for (uint32_t i = 0; i < REGION_SIZE; i++) {
		bool written = i >= to * ROW && i < (to + rows) * ROW;

		good &= memory[1][i] == (written ? memory[0][i - to * ROW + from * ROW] : 0xa5);
	}
	return good;
}

static void test_versions(void)
{
	bool good = true;

	for (uint32_t version = 0; version < 6; version++) {
		begin(version);
		add(0, NN_PLACE_REGION, 0, 1);
		good &= (check() == NN_REASON_NONE) == (version == 2 || version == 3);
		good &= version == 2 || version == 3 || check() == NN_REASON_VERSION;
	}
	result(good, "programs are of version 2 or 3");
	good = true;
	for (uint32_t level = 0; level < 256; level++) {
		for (uint32_t version = 2; version < 4; version++) {
			for (uint32_t place = NN_PLACE_REGION; place <= NN_PLACE_OUTPUT; place++) {
				bool right = level <= (version == 2 ? LOOPS : LAST) && (level || place == NN_PLACE_REGION);

				begin(version);
				add(level, place, 1, 3);
				good &= check() == (right ? NN_REASON_NONE : NN_REASON_TENSOR);
			}
		}
	}
	result(good, "and version 3 alone has levels of counts");
}

static void test_views(void)
{
	bool good = true;

	for (uint32_t level = 0; level <= LAST; level++) {
		for (uint32_t source = 0; source <= LAST; source++) {
			bool right = level >= 1 && level <= LOOPS && (source < level || source > LOOPS);

			begin(3);
			add(source, NN_PLACE_REGION, 0, 8);
			add(level, NN_PLACE_VIEW, 0, 4);
			good &= check() == (right ? NN_REASON_NONE : NN_REASON_TENSOR);
		}
	}
	result(good, "rows of a loop are views of what is around it, and of counts");
}

/* A count's rows and where they go in an output, for each count by itself. */
static void test_arguments(void)
{
	bool good = true;
	uint16_t input;

	for (uint32_t count = 0; count < COUNTS; count++) {
		static const struct {
			uint32_t rows, out_first;
			bool fits;
		} passes[] = {
			{ 5, 3, true }, { 8, 0, true }, { 9, 0, false }, { 5, 7, true }, { 5, 8, false }, { 0, 12, true }, { 0, 13, false },
			{ 4, ~0u, false },
		};

		begin(3);
		input = add(5 + count, NN_PLACE_REGION, 0, 8);
		add_op(NN_OPCODE_COPY, input, add(5 + count, NN_PLACE_OUTPUT, 1, 12));
		good &= check() == NN_REASON_NONE;
		for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++) {
			uint32_t arg[NN_ARG_COUNT_ALL];

			for (uint32_t j = 0; j < NN_ARG_COUNT_ALL; j++)
				arg[j] = 1;
			arg[14 + 2 * count] = passes[i].rows;
			arg[15 + 2 * count] = passes[i].out_first;
			good &= run(arg) == (passes[i].fits ? 0 : -1);
			good &= has_copied(passes[i].out_first, 0, passes[i].fits ? passes[i].rows : 0);
		}
	}
	result(good, "each count has two arguments behind the others");
	result(NN_ARG_COUNT_ALL == 46, "and they are 32");
}

/* A loop over a count's rows, and one that collects. */
static void test_loops(void)
{
	static const struct {
		uint32_t count_rows, first, rows;
		bool fits;
	} passes[] = { { 8, 0, 3, true }, { 8, 5, 3, true }, { 7, 5, 3, false }, { 0, 0, 0, true }, { 0, 0, 1, false }, { 8, ~0u, 1, false } };
	bool good = true;
	uint16_t input;

	begin(3);
	add(7, NN_PLACE_REGION, 0, 8);
	input = add(1, NN_PLACE_VIEW, 0, 4);
	add_op(NN_OPCODE_COPY, input, add(1, NN_PLACE_REGION, 1, 4));
	good &= check() == NN_REASON_NONE;
	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++) {
		uint32_t arg[NN_ARG_COUNT_ALL] = { 0 };

		arg[NN_ARG_FIRST(1)] = passes[i].first;
		arg[NN_ARG_ROWS(1)] = passes[i].rows;
		arg[NN_ARG_COUNT_ROWS(2)] = passes[i].count_rows;
		good &= run(arg) == (passes[i].fits ? 0 : -1) && has_copied(0, passes[i].first, passes[i].fits ? passes[i].rows : 0);
	}
	result(good, "a loop hands out rows of a count, no further than it has");

	begin(3);
	add(0, NN_PLACE_REGION, 1, 10);
	input = add(1, NN_PLACE_REGION, 0, 4);
	add_op(NN_OPCODE_COPY, input, add(1, NN_PLACE_VIEW, 0, 4));
	good = check() == NN_REASON_NONE;
	for (uint32_t first = 0; first < 12; first++) {
		uint32_t arg[NN_ARG_COUNT_ALL] = { [NN_ARG_FIRST(1)] = first, [NN_ARG_ROWS(1)] = 2 };
		bool fits = first + 2 <= 10;

		good &= run(arg) == (fits ? 0 : -1) && has_copied(first, 0, fits ? 2 : 0);
	}
	result(good, "what a loop collects is written by way of a view");
	parts.region[1].flags = 0;
	result(check() == NN_REASON_OPERAND, "but not where nothing may be written");
}

/* ROTATE_ROWS and ROW_NUMBERS of a count's rows. */
static void test_operators(void)
{
	uint32_t arg[NN_ARG_COUNT_ALL] = { 0 };
	uint16_t input;
	bool good;

	arg[NN_ARG_FIRST(2)] = 7;
	arg[NN_ARG_ROWS(2)] = 4;
	arg[NN_ARG_COUNT_ROWS(15)] = 5;
	arg[NN_ARG_COUNT_OUT_FIRST(15)] = 30;
	begin(3);
	input = add(20, NN_PLACE_REGION, 0, 8);
	add_op(NN_OPCODE_ROTATE_ROWS, input, add(2, NN_PLACE_REGION, 1, 4));
	good = check() == NN_REASON_NONE && !run(arg);
	for (uint32_t row = 0; row < 4; row++)
		good &= !memcmp(memory[1] + row * ROW, memory[0] + (7 + row) % 5 * ROW, ROW);
	result(good, "a count's rows go round");

	begin(3);
	input = add(20, NN_PLACE_REGION, 0, 8);
	add_op(NN_OPCODE_ROW_NUMBERS, input, add(2, NN_PLACE_REGION, 1, 4));
	parts.tensor[1].type = NN_TYPE_INT32;
	parts.tensor[1].rank = 1;
	parts.tensor[1].dims[1] = 0;
	good = check() == NN_REASON_NONE && !run(arg);
	for (uint32_t row = 0; row < 4; row++)
		good &= ((const int32_t *)memory[1])[row] == (int32_t)(30 + (7 + row) % 5);
	result(good, "and have the numbers that they have in the output");
	parts.tensor[0].level = 2;
	parts.tensor[1].level = 2;
	result(check() == NN_REASON_SHAPE, "rows of the same level have none");
}

/* Tensors in all the ways that there are: in a region, an output, a view of each of the other ways. */
static void test_all_ways(void)
{
	uint32_t arg[NN_ARG_COUNT_ALL] = { 0 }, around, ways = 0;
	uint16_t last;

	begin(3);
	add(0, NN_PLACE_REGION, 0, 8);
	for (uint32_t count = 0; count < COUNTS; count++) {
		add(5 + count, NN_PLACE_REGION, 0, 8);
		add(5 + count, NN_PLACE_OUTPUT, 0, 8);
		arg[NN_ARG_COUNT_ROWS(count)] = 8;
	}
	for (uint32_t level = 1; level <= LOOPS; level++) {
		around = parts.header.tensor_count;
		add(level, NN_PLACE_REGION, 0, 8);
		add(level, NN_PLACE_OUTPUT, 0, 8);
		for (uint32_t i = 0; i < around; i++)
			add(level, NN_PLACE_VIEW, i, 8);
		arg[NN_ARG_ROWS(level)] = 2;
	}
	ways = parts.header.tensor_count;
	last = ways - 1;
	arg[NN_ARG_ROWS(2)] = 4;
	arg[NN_ARG_ROWS(1)] = 6;
	arg[NN_ARG_ROWS(3)] = 3;
	arg[NN_ARG_FIRST(1)] = arg[NN_ARG_FIRST(2)] = arg[NN_ARG_FIRST(4)] = 1;
	add_op(NN_OPCODE_COPY, last, add(4, NN_PLACE_REGION, 1, 8));
	result(ways == 1 + 32 + 35 + 70 + 140 + 280 && check() == NN_REASON_NONE && !run(arg), "all ways in one program");
	/* The last is a view of the last of level 3, and so on up to the last count's output. */
	result(has_copied(0, 1 + 1 + 1, 2), "the last of them a view of views");
}

int main(void)
{
	test_versions();
	test_views();
	test_arguments();
	test_loops();
	test_operators();
	test_all_ways();
	printf("1..%u\n", tests);
	return failed != 0;
}
