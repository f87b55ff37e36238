// SPDX-License-Identifier: MIT
/*
 * Programs: what they may just say and what not: each field of it at the end of its range and one
 * past it. And what the interpreter tells those who run it: which operator it is at, and why it has
 * stopped. On the host, with sanitizers.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/interpreter.h"
#include "dsp/program/kernels.h"

#define REGION_SIZE	1024u

/* Two tensors in two regions, and a copy from one to the other, thrice. */
struct parts {
	struct nn_program header;
	struct nn_program_region region[2];
	struct nn_program_tensor tensor[2];
	struct nn_program_op op[3];
};

static struct parts parts;
static unsigned int tests, failed;

static void result(bool good, const char *name)
{
	tests++;
	failed += !good;
	printf("%sok %u %s\n", good ? "" : "not ", tests, name);
}

static void build(void)
{
	memset(&parts, 0, sizeof(parts));
	parts.header = (struct nn_program){ NN_PROGRAM_MAGIC, NN_PROGRAM_VERSION, sizeof(parts), 2, 2, 3, { 0 } };
	for (unsigned int i = 0; i < 2; i++) {
		parts.region[i] = (struct nn_program_region){ 0x1000 * (i + 1), REGION_SIZE, NN_REGION_WRITABLE, 0 };
		parts.tensor[i] = (struct nn_program_tensor){ .type = NN_TYPE_INT8, .rank = 2, .source = i, .dims = { 4, 16 } };
	}
	for (unsigned int i = 0; i < 3; i++) {
		parts.op[i] = (struct nn_program_op){ .opcode = NN_OPCODE_COPY, .copy = { 1, 16, 0, 0, 0, 0 } };
		memset(parts.op[i].input, 0xff, sizeof(parts.op[i].input));
		memset(parts.op[i].output, 0xff, sizeof(parts.op[i].output));
		parts.op[i].input[0] = 0;
		parts.op[i].output[0] = 1;
	}
}

/* Drops the operators: nobody else looks at the tensors of such programs. */
static void drop_operators(void)
{
	parts.header.op_count = 0;
	parts.header.size = offsetof(struct parts, op);
}

static enum nn_program_reason check_size(uint32_t size)
{
	struct nn_failure failure = { NN_REASON_NONE, 0 };
	int ret = nn_program_check(&parts, size, &failure);

	if ((ret != 0) != (failure.reason != NN_REASON_NONE))
		printf("# returns %d with reason %u\n", ret, failure.reason);
	return failure.reason;
}

static enum nn_program_reason check(void)
{
	return check_size(parts.header.size);
}

/* ---- Headers and regions */

static void test_header(void)
{
	static struct {
		struct nn_program header;
		uint8_t rest[NN_PROGRAM_MAX_SIZE];
	} large;
	struct nn_program *header = &large.header;
	struct nn_failure failure;
	uint32_t regions = (NN_PROGRAM_MAX_SIZE - sizeof(*header)) / sizeof(struct nn_program_region);

	build();
	drop_operators();
	result(check() == NN_REASON_NONE, "a program without operators");
	result(check_size(parts.header.size - 1) == NN_REASON_HEADER, "shorter than it says");
	parts.header.reserved[0] = 1;
	result(check() == NN_REASON_HEADER, "the first reserved word");

	memset(&large, 0, sizeof(large));
	*header = (struct nn_program){ NN_PROGRAM_MAGIC, NN_PROGRAM_VERSION, sizeof(*header), 0, 0, 0, { 0 } };
	result(!nn_program_check(header, sizeof(*header), &failure), "a header alone");
	result(nn_program_check(header, sizeof(*header) - 1, &failure) < 0, "less than a header");
	header->region_count = regions;
	header->size = sizeof(*header) + regions * sizeof(struct nn_program_region);
	result(header->size == NN_PROGRAM_MAX_SIZE && !nn_program_check(header, header->size, &failure),
	       "as long as may be");
	header->region_count++;
	header->size += sizeof(struct nn_program_region);
	result(nn_program_check(header, header->size, &failure) < 0, "longer");
}

static void test_regions(void)
{
	build();
	parts.region[1].base = 0u - REGION_SIZE;
	result(check() == NN_REASON_NONE, "a region up to 2^32");
	parts.region[1].size++;
	result(check() == NN_REASON_ADDRESS, "a byte past 2^32");
	build();
	parts.region[1].base = 128;
	result(check() == NN_REASON_NONE, "a region at 128");
	for (uint32_t base = 1; base < 128; base *= 2) {
		parts.region[1].base = 128 + base;
		result(check() == NN_REASON_ADDRESS, "a region that is not aligned");
	}
	build();
	parts.region[1].flags = NN_REGION_WRITABLE | 0x80000000u;
	result(check() == NN_REASON_REGION, "the last flag");
}

/* ---- Tensors */

static void test_zero_points(void)
{
	static const struct {
		uint8_t type;
		int32_t low, high;
	} types[] = {
		{ NN_TYPE_INT8, -128, 127 },	    { NN_TYPE_UINT8, 0, 255 },
		{ NN_TYPE_INT16, -32768, 32767 },   { NN_TYPE_UINT16, 0, 65535 },
		{ NN_TYPE_INT32, INT32_MIN, INT32_MAX }, { NN_TYPE_FLOAT32, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const int64_t points[] = { types[i].low - 1ll, types[i].low, types[i].high, types[i].high + 1ll };
		bool good = true;

		for (unsigned int j = 0; j < 4; j++) {
			bool right = j == 1 || j == 2;

			if (points[j] != (int32_t)points[j])
				continue;
			build();
			drop_operators();
			parts.tensor[1].type = types[i].type;
			parts.tensor[1].zero_point = points[j];
			good &= check() == (right ? NN_REASON_NONE : NN_REASON_TENSOR);
		}
		result(good, "zero points of a type");
	}
}

/*
 * A change of the second tensor, and whether it is right. Dimensions from the second on are of rank
 * 2 unless there are more.
 */
static const struct tensor_case {
	const char *name;
	struct nn_program_tensor tensor;
	bool right;
} tensor_cases[] = {
#define IN_REGION .place = NN_PLACE_REGION, .source = 1
	{ "rank 1", { .type = 1, .rank = 1, IN_REGION, .dims = { 5 } }, true },
	{ "rank 0", { .type = 1, .rank = 0, IN_REGION, .dims = { 5 } }, false },
	{ "rank 8", { .type = 1, .rank = 8, IN_REGION, .dims = { 2, 1, 2, 1, 2, 1, 2, 1 } }, true },
	{ "rank 9", { .type = 1, .rank = 9, IN_REGION, .dims = { 2, 1, 2, 1, 2, 1, 2, 1 } }, false },
	{ "a last dimension of 0", { .type = 1, .rank = 8, IN_REGION, .dims = { 2, 1, 2, 1, 2, 1, 2, 0 } }, false },
	{ "the first one past the rank", { .type = 1, .rank = 2, IN_REGION, .dims = { 2, 2, 1 } }, false },
	{ "the last one past the rank", { .type = 1, .rank = 7, IN_REGION, .dims = { 2, 1, 1, 1, 1, 1, 1, 1 } }, false },
	{ "the last level", { .type = 1, .rank = 1, .level = 4, IN_REGION, .dims = { 5 } }, true },
	{ "past the last level", { .type = 1, .rank = 1, .level = 5, IN_REGION, .dims = { 5 } }, false },
	{ "type 0", { .type = 0, .rank = 1, IN_REGION, .dims = { 5 } }, false },
	{ "all of the region", { .type = 1, .rank = 2, IN_REGION, .dims = { 32, 32 } }, true },
	{ "a row more", { .type = 1, .rank = 2, IN_REGION, .dims = { 33, 32 } }, false },
	{ "all of the region, of 4 bytes", { .type = 5, .rank = 2, IN_REGION, .dims = { 8, 32 } }, true },
	{ "up to the region's end", { .type = 1, .rank = 2, IN_REGION, .offset = 1008, .dims = { 1, 16 } }, true },
	{ "past it by a byte", { .type = 1, .rank = 2, IN_REGION, .offset = 1009, .dims = { 1, 16 } }, false },
	{ "rows of 2^32 - 1 bytes, none", { .type = 1, .rank = 3, IN_REGION, .dims = { 0, 65535, 65537 } }, true },
	{ "rows of 2^32 bytes, none", { .type = 1, .rank = 3, IN_REGION, .dims = { 0, 65536, 65536 } }, false },
	{ "the last region", { .type = 1, .rank = 1, IN_REGION, .dims = { 5 } }, true },
	{ "past the last region", { .type = 1, .rank = 1, .source = 2, .dims = { 0 } }, false },
	{ "two bytes at an odd place", { .type = 3, .rank = 1, IN_REGION, .offset = 1, .dims = { 5 } }, false },
	{ "two bytes at an even place", { .type = 3, .rank = 1, IN_REGION, .offset = 2, .dims = { 5 } }, true },
	{ "four bytes at an even place", { .type = 5, .rank = 1, IN_REGION, .offset = 2, .dims = { 5 } }, false },
	{ "an output in a loop", { .type = 1, .rank = 1, .level = 1, .place = NN_PLACE_OUTPUT, .source = 1, .dims = { 5 } }, true },
	{ "an output past the region", { .type = 1, .rank = 1, .level = 1, .place = NN_PLACE_OUTPUT, .source = 1, .dims = { 1025 } },
	  false },
	{ "pixels apart, up to the region's end", { .type = 1, .rank = 3, IN_REGION, .offset = 16, .dims = { 2, 8, 48 }, .pitch = 64 }, true },
	{ "a byte farther", { .type = 1, .rank = 3, IN_REGION, .offset = 17, .dims = { 2, 8, 48 }, .pitch = 64 }, false },
	{ "a pixel more", { .type = 1, .rank = 3, IN_REGION, .offset = 0, .dims = { 1, 17, 48 }, .pitch = 64 }, false },
	{ "rows of one pixel apart", { .type = 1, .rank = 2, IN_REGION, .offset = 16, .dims = { 16, 48 }, .pitch = 64 }, true },
	{ "a row more", { .type = 1, .rank = 2, IN_REGION, .offset = 0, .dims = { 17, 48 }, .pitch = 64 }, false },
	{ "no rows at the region's end", { .type = 1, .rank = 2, IN_REGION, .offset = 1024, .dims = { 0, 48 }, .pitch = 64 }, true },
	{ "a pitch of the last dimension", { .type = 1, .rank = 2, IN_REGION, .dims = { 16, 64 }, .pitch = 64 }, true },
	{ "of less", { .type = 1, .rank = 2, IN_REGION, .dims = { 16, 64 }, .pitch = 63 }, false },
	{ "of less, no rows", { .type = 1, .rank = 2, IN_REGION, .dims = { 0, 64 }, .pitch = 63 }, false },
	{ "with rank 1", { .type = 1, .rank = 1, IN_REGION, .dims = { 5 }, .pitch = 5 }, false },
	{ "in elements of 4 bytes", { .type = 5, .rank = 2, IN_REGION, .offset = 32, .dims = { 16, 8 }, .pitch = 16 }, true },
	{ "of 4 bytes, past the end", { .type = 5, .rank = 2, IN_REGION, .offset = 36, .dims = { 16, 8 }, .pitch = 16 }, false },
	{ "a pitch of 2^32 - 4 bytes, no rows", { .type = 5, .rank = 2, IN_REGION, .dims = { 0, 1 }, .pitch = 0x3fffffff }, true },
	{ "of 2^32 bytes", { .type = 5, .rank = 2, IN_REGION, .dims = { 0, 1 }, .pitch = 0x40000000 }, false },
	{ "of 2^32 + 8 elements of 8 bytes, at most", { .type = 8, .rank = 2, IN_REGION, .dims = { 0, 1 }, .pitch = 0xffffffff }, false },
	{ "rows of 2^32 - 2 bytes", { .type = 1, .rank = 3, IN_REGION, .dims = { 0, 2, 1 }, .pitch = 0x7fffffff }, true },
	{ "rows of 2^32 bytes, apart", { .type = 1, .rank = 3, IN_REGION, .dims = { 0, 2, 1 }, .pitch = 0x80000000 }, false },
	{ "the most rows of the most bytes", { .type = 1, .rank = 2, IN_REGION, .dims = { 0xffffffff, 1 }, .pitch = 0xffffffff }, false },
	{ "rows of 2^32 - 1 pixels, apart", { .type = 1, .rank = 4, IN_REGION, .dims = { 0, 65535, 65537, 1 }, .pitch = 1 }, true },
	{ "of 2^32 pixels", { .type = 1, .rank = 4, IN_REGION, .dims = { 0, 65536, 65536, 1 }, .pitch = 1 }, false },
	{ "of 2^33 bytes with what is between them", { .type = 1, .rank = 4, IN_REGION, .dims = { 0, 65535, 65537, 1 }, .pitch = 2 }, false },
	{ "of 2^64 pixels", { .type = 1, .rank = 6, IN_REGION, .dims = { 0, 65536, 65536, 65536, 65536, 1 }, .pitch = 1 }, false },
	{ "pixels and a pitch that make 2^64", { .type = 1, .rank = 4, IN_REGION, .dims = { 0, 0x80000000, 0x80000000, 4 }, .pitch = 4 }, false },
	{ "pixels and a pitch past 2^32 that do", { .type = 8, .rank = 3, IN_REGION, .dims = { 0, 0x80000000, 1 }, .pitch = 0x40000000 }, false },
	{ "the most pixels of the most bytes", { .type = 8, .rank = 3, IN_REGION, .dims = { 0, 0xffffffff, 0xffffffff }, .pitch = 0xffffffff }, false },
	{ "2^32 bytes of rows, apart", { .type = 1, .rank = 2, IN_REGION, .dims = { 65536, 1 }, .pitch = 65536 }, false },
	{ "a last pixel that ends at 2^32 + 1", { .type = 1, .rank = 2, IN_REGION, .offset = 16, .dims = { 2, 1 }, .pitch = 0xfffffff0 }, false },
	{ "the most of everything", { .type = 1, .rank = 2, IN_REGION, .offset = 0xffffffff, .dims = { 0xffffffff, 0xffffffff }, .pitch = 0xffffffff },
	  false },
	{ "one pixel of the largest pitch, up to the end", { .type = 1, .rank = 2, IN_REGION, .offset = 976, .dims = { 1, 48 }, .pitch = 0xffffffff }, true },
	{ "a byte farther", { .type = 1, .rank = 2, IN_REGION, .offset = 977, .dims = { 1, 48 }, .pitch = 0xffffffff }, false },
	{ "pixels at both ends of the region", { .type = 1, .rank = 3, IN_REGION, .dims = { 1, 2, 48 }, .pitch = 976 }, true },
	{ "the last one a byte farther", { .type = 1, .rank = 3, IN_REGION, .dims = { 1, 2, 48 }, .pitch = 977 }, false },
	{ "no rows, behind the region's end", { .type = 1, .rank = 2, IN_REGION, .offset = 1025, .dims = { 0, 48 }, .pitch = 64 }, false },
	{ "pixels of rank 8, up to the end", { .type = 3, .rank = 8, IN_REGION, .offset = 4, .dims = { 2, 2, 2, 2, 2, 2, 2, 2 }, .pitch = 4 }, true },
	{ "an element farther", { .type = 3, .rank = 8, IN_REGION, .offset = 6, .dims = { 2, 2, 2, 2, 2, 2, 2, 2 }, .pitch = 4 }, false },
	{ "pixels of nothing", { .type = 1, .rank = 2, IN_REGION, .dims = { 2, 0 }, .pitch = 4 }, false },
	{ "two bytes at an odd place, apart", { .type = 3, .rank = 2, IN_REGION, .offset = 1, .dims = { 2, 2 }, .pitch = 4 }, false },
	{ "an output in a loop, apart", { .type = 1, .rank = 2, .level = 1, .place = NN_PLACE_OUTPUT, .source = 1, .offset = 16,
					  .dims = { 16, 48 }, .pitch = 64 }, true },
	{ "and a row more", { .type = 1, .rank = 2, .level = 1, .place = NN_PLACE_OUTPUT, .source = 1, .offset = 16,
			      .dims = { 17, 48 }, .pitch = 64 }, false },
#define VIEW .place = NN_PLACE_VIEW, .source = 0
	{ "a view", { .type = 1, .rank = 2, .level = 1, VIEW, .dims = { 4, 16 } }, true },
	{ "a view of another shape", { .type = 1, .rank = 3, .level = 1, VIEW, .dims = { 4, 4, 4 } }, true },
	{ "a view of shorter rows", { .type = 1, .rank = 2, .level = 1, VIEW, .dims = { 4, 15 } }, false },
	{ "a view outside of every loop", { .type = 1, .rank = 2, .level = 0, VIEW, .dims = { 4, 16 } }, false },
	{ "a view of itself", { .type = 1, .rank = 2, .level = 1, .place = NN_PLACE_VIEW, .source = 1, .dims = { 4, 16 } }, false },
	{ "a view with an offset", { .type = 1, .rank = 2, .level = 1, VIEW, .offset = 1, .dims = { 4, 16 } }, false },
	{ "a view of some of a row", { .type = 1, .rank = 2, .level = 1, VIEW, .dims = { 4, 12 }, .pitch = 16 }, false },
	{ "a view with the pitch that it has anyway", { .type = 1, .rank = 2, .level = 1, VIEW, .dims = { 4, 16 }, .pitch = 16 }, false },
};

static void test_tensors(void)
{
	for (size_t i = 0; i < sizeof(tensor_cases) / sizeof(*tensor_cases); i++) {
		build();
		drop_operators();
		parts.tensor[1] = tensor_cases[i].tensor;
		result(check() == (tensor_cases[i].right ? NN_REASON_NONE : NN_REASON_TENSOR), tensor_cases[i].name);
	}
	for (uint32_t pitch = 16; pitch < 18; pitch++) {
		build();
		drop_operators();
		parts.tensor[0].pitch = pitch;
		parts.tensor[1] = (struct nn_program_tensor){ .type = 1, .rank = 2, .level = 1, VIEW, .dims = { 4, 16 } };
		result(check() == NN_REASON_TENSOR, "a view of what has a pitch, be it that of the last dimension");
	}
}

/* ---- Operands */

/* A copy becomes another operator, without parameters. */
static void change_opcode(struct nn_program_op *op, uint32_t opcode)
{
	if (op->opcode != opcode)
		memset(op->words, 0, sizeof(op->words));
	op->opcode = opcode;
}

/* A copy's, and a sum's, each of which may be dense alone or not. */
static void test_pitches(void)
{
	static const struct {
		const char *name;
		uint32_t opcode, tensor, in, out;
		enum nn_program_reason reason;
	} pitches[] = {
		{ "a copy of what is dense", NN_OPCODE_COPY, 0, 0, 1, NN_REASON_NONE },
		{ "of pixels apart", NN_OPCODE_COPY, 0, 0, 1, NN_REASON_PITCH },
		{ "to such", NN_OPCODE_COPY, 1, 0, 1, NN_REASON_PITCH },
		{ "a table of pixels apart", NN_OPCODE_TABLE, 0, 0, 1, NN_REASON_OPERAND },
		{ "to such", NN_OPCODE_TABLE, 1, 0, 1, NN_REASON_OPERAND },
		{ "a convolution of pixels apart", NN_OPCODE_CONV2D, 0, 0, 1, NN_REASON_SHAPE },
		{ "a pool of them", NN_OPCODE_MAX_POOL, 0, 0, 1, NN_REASON_SHAPE },
		{ "an average of them", NN_OPCODE_AVERAGE_POOL_AWAY, 0, 0, 1, NN_REASON_SHAPE },
		{ "a pool of 16 bits", NN_OPCODE_POOL_INT16, 0, 0, 1, NN_REASON_PITCH },
		{ "a function of two", NN_OPCODE_BINARY, 0, 0, 1, NN_REASON_PITCH },
	};

	for (size_t i = 0; i < sizeof(pitches) / sizeof(*pitches); i++) {
		build();
		parts.tensor[pitches[i].tensor].pitch = i ? 17 : 16;
		for (unsigned int j = 0; j < 3; j++)
			change_opcode(&parts.op[j], pitches[i].opcode);
		result(check() == pitches[i].reason, pitches[i].name);
	}
	/* Its table is an operand, and not one of those. */
	build();
	parts.tensor[1].pitch = 17;
	change_opcode(&parts.op[0], NN_OPCODE_TABLE);
	parts.op[0].input[1] = 1;
	parts.op[0].output[0] = 0;
	result(check() == NN_REASON_PITCH, "a table whose entries are apart");
	parts.op[0].opcode = NN_OPCODE_CONV2D;
	result(check() == NN_REASON_PITCH, "weights that are apart");
}

/*
 * Which operands of which operators can have one, said here once more: an operator that nobody
 * listed here can have none. With a pitch that is the last dimension an operand is dense.
 */
static void test_pitched_operands(void)
{
	static const struct {
		uint16_t inputs;	/* a bit for each */
		bool output;		/* the first */
	} pitched[NN_OPCODE_END] = {
		[NN_OPCODE_CONV2D] = { 1, true },    [NN_OPCODE_RESIZE] = { 0, true }, [NN_OPCODE_ADD] = { 3, true },
		[NN_OPCODE_ADD_FLOAT] = { 3, true }, [NN_OPCODE_TABLE] = { 1, true },  [NN_OPCODE_DEPTHWISE_CONV2D] = { 1, true },
		[NN_OPCODE_MAX_POOL] = { 1, true },  [NN_OPCODE_AVERAGE_POOL] = { 1, true },
		[NN_OPCODE_AVERAGE_POOL_FLOAT] = { 1, true }, [NN_OPCODE_AVERAGE_POOL_AWAY] = { 1, true },
	};

	for (uint32_t opcode = 1; opcode < NN_OPCODE_END; opcode++) {
		bool good = true;

		if (!nn_kernels[opcode].name)
			continue;
		for (unsigned int i = 0; i < NN_MAX_OP_INPUTS + NN_MAX_OP_OUTPUTS; i++) {
			bool right = i < NN_MAX_OP_INPUTS ? pitched[opcode].inputs >> i & 1 : i == NN_MAX_OP_INPUTS && pitched[opcode].output;

			for (uint32_t pitch = 16; pitch < 18; pitch++) {
				build();
				parts.tensor[1].pitch = pitch;
				parts.header.op_count = 1;
				parts.header.size = offsetof(struct parts, op[1]);
				change_opcode(&parts.op[0], opcode);
				parts.op[0].output[0] = 0;
				if (i < NN_MAX_OP_INPUTS)
					parts.op[0].input[i] = 1;
				else
					parts.op[0].output[i - NN_MAX_OP_INPUTS] = 1;
				good &= (check() == NN_REASON_PITCH) == (pitch == 17 && !right);
			}
		}
		result(good, nn_kernels[opcode].name);
	}
}

static void test_operands(void)
{
	build();
	parts.op[2].input[NN_MAX_OP_INPUTS - 1] = 2;
	result(check() == NN_REASON_OPERAND, "a last input that is no tensor");
	build();
	parts.op[2].output[NN_MAX_OP_OUTPUTS - 1] = 2;
	result(check() == NN_REASON_OPERAND, "a last output that is no tensor");
	build();
	parts.op[2].input[NN_MAX_OP_INPUTS - 1] = 1;
	result(check() == NN_REASON_OPERAND, "a last input too many");
	build();
	parts.op[2].output[NN_MAX_OP_OUTPUTS - 1] = 1;
	result(check() == NN_REASON_OPERAND, "a last output too many");
	build();
	parts.region[1].flags = 0;
	result(check() == NN_REASON_OPERAND, "an output in memory that is read only");
	build();
	parts.region[0].flags = 0;
	result(check() == NN_REASON_NONE, "an input there");
}

/* ---- A run */

static uint8_t memory[2][REGION_SIZE];
static uint32_t at, finished, stop_at;

static int progress(struct nn_run *run, uint32_t op)
{
	(void)run;
	at = op == NN_SAME_OP ? at : op;
	return op == stop_at ? 77 : 0;
}

static void finish(struct nn_run *run, uint32_t op)
{
	(void)run;
	finished = finished * 10 + op + 1;
}

static int run_with(uint32_t size, bool writable, const uint32_t *arg, struct nn_failure *failure)
{
	struct nn_memory regions[2] = { { memory[0], REGION_SIZE, false }, { memory[1], size, writable } };
	struct nn_run run = { .arg = arg, .progress = progress, .finished = finish };
	void *room = malloc(nn_program_prepared_size(&parts.header));
	int ret = -1;

	at = NN_SAME_OP;
	finished = 0;
	for (unsigned int i = 0; i < REGION_SIZE; i++) {
		memory[0][i] = i;
		memory[1][i] = 0xa5;
	}
	run.prepared = nn_program_prepare(&parts.header, regions, room, failure);
	if (run.prepared)
		ret = nn_program_run(&run, failure);
	free(room);
	return ret;
}

static void test_run(void)
{
	static const uint32_t arg[NN_ARG_COUNT];
	struct nn_failure failure;

	build();
	parts.region[0].flags = 0;
	stop_at = NN_SAME_OP - 1;
	result(!run_with(REGION_SIZE, true, arg, &failure) && failure.reason == NN_REASON_NONE && failure.op == NN_SAME_OP,
	       "a run ends without a reason");
	result(finished == 123 && at == 2, "each operator was begun and has finished");
	result(!memcmp(memory[1], memory[0], 64) && memory[1][64] == 0xa5, "and has done its work");
	stop_at = 1;
	result(run_with(REGION_SIZE, true, arg, &failure) == 77 && failure.op == 1 && finished == 1, "it says where it was stopped");
	result(run_with(REGION_SIZE - 1, true, arg, &failure) == -1 && failure.reason == NN_REASON_REGION &&
		       failure.op == NN_SAME_OP,
	       "memory shorter than the region");
	result(run_with(REGION_SIZE, false, arg, &failure) == -1 && failure.reason == NN_REASON_REGION,
	       "memory that is read only");
}

/*
 * First row, rows, row of the output, and whether they fit four rows in either tensor of a level.
 */
static void test_rows(void)
{
	static const struct {
		uint32_t arg[3];
		uint8_t level, place;
		bool right;
	} passes[] = {
		{ { 0, 4, 0 }, 1, NN_PLACE_REGION, true },	{ { 9, 4, 9 }, 1, NN_PLACE_REGION, true },
		{ { 0, 5, 0 }, 1, NN_PLACE_REGION, false },	{ { 0, 0, 4 }, 1, NN_PLACE_OUTPUT, true },
		{ { 9, 2, 2 }, 1, NN_PLACE_OUTPUT, true },	{ { 0, 2, 3 }, 1, NN_PLACE_OUTPUT, false },
		{ { 0, 4, 0 }, 4, NN_PLACE_REGION, true },	{ { 0, 5, 0 }, 4, NN_PLACE_REGION, false },
		{ { 0, 1, 4 }, 4, NN_PLACE_OUTPUT, false },
	};

	stop_at = NN_SAME_OP - 1;
	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++) {
		uint32_t arg[NN_ARG_COUNT] = { 0 }, rows = passes[i].arg[1];
		uint32_t first = passes[i].place == NN_PLACE_OUTPUT ? passes[i].arg[2] : 0;
		struct nn_failure failure;
		bool good;
		int ret;

		build();
		parts.region[0].flags = 0;
		parts.tensor[0].level = parts.tensor[1].level = passes[i].level;
		parts.tensor[1].place = passes[i].place;
		parts.tensor[0].dims[0] = 8;
		parts.tensor[1].dims[0] = 4;
		memcpy(&arg[NN_ARG_FIRST(passes[i].level)], passes[i].arg, sizeof(passes[i].arg));
		good = check() == NN_REASON_NONE;
		ret = run_with(REGION_SIZE, true, arg, &failure);
		good &= ret == (passes[i].right ? 0 : -1) && failure.op == NN_SAME_OP &&
			failure.reason == (passes[i].right ? NN_REASON_NONE : NN_REASON_ROWS);
		for (uint32_t j = 0; j < REGION_SIZE; j++) {
			bool written = !ret && j >= first * 16 && j < (first + rows) * 16;

			good &= memory[1][j] == (written ? memory[0][j - first * 16] : 0xa5);
		}
		result(good, "rows of a pass");
	}
}

/* One that is prepared once, run as often as you like: no pass leaves anything to the next. */
static void test_prepared_once(void)
{
	enum { REGIONS = 2, TENSORS = 3 };
	struct {
		struct nn_program header;
		struct nn_program_region region[REGIONS];
		struct nn_program_tensor tensor[TENSORS + 1];
		struct nn_program_op op;
	} nest;
	/* First row and rows of level 1 and 2, first row of the output, and whether they fit. */
	static const struct {
		uint32_t first, rows, first_2, rows_2, out;
		bool fits;
	} passes[] = {
		{ 1, 5, 2, 3, 0, true },  { 1, 5, 3, 3, 0, false }, { 4, 6, 4, 2, 1, true },
		{ 4, 7, 0, 1, 0, false }, { 0, 4, 0, 4, 0, true },  { 0, 4, 0, 4, 1, false },
		{ 9, 1, 0, 0, 4, true },  { 2, 5, 1, 1, 3, true },
	};
	struct nn_memory regions[REGIONS] = { { memory[0], REGION_SIZE, false }, { memory[1], REGION_SIZE, true } };
	struct nn_failure failure;
	struct nn_run run = { 0 };
	void *room;

	build();
	memset(&nest, 0, sizeof(nest));
	nest.header = (struct nn_program){ NN_PROGRAM_MAGIC, NN_PROGRAM_VERSION, sizeof(nest), REGIONS, TENSORS + 1, 1, { 0 } };
	memcpy(nest.region, parts.region, sizeof(nest.region));
	nest.region[0].flags = 0;
	nest.tensor[0] = (struct nn_program_tensor){ .type = NN_TYPE_INT8, .rank = 2, .dims = { 10, 16 } };
	nest.tensor[1] = nest.tensor[0];
	nest.tensor[1].level = 1;
	nest.tensor[1].place = NN_PLACE_VIEW;
	nest.tensor[2] = nest.tensor[1];
	nest.tensor[2].level = 2;
	nest.tensor[2].source = 1;
	nest.tensor[3] = (struct nn_program_tensor){ .type = NN_TYPE_INT8, .rank = 2, .level = 2, .place = NN_PLACE_OUTPUT,
						     .source = 1, .offset = 32, .dims = { 4, 16 } };
	nest.op = parts.op[0];
	nest.op.input[0] = 2;
	nest.op.output[0] = 3;
	result(!nn_program_check(&nest, sizeof(nest), &failure), "a view of a view");
	room = malloc(nn_program_prepared_size(&nest.header));
	run.prepared = nn_program_prepare(&nest.header, regions, room, &failure);
	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++) {
		uint32_t arg[NN_ARG_COUNT] = { 0 }, to = 32 + passes[i].out * 16;
		uint32_t from = (passes[i].first + passes[i].first_2) * 16, bytes = passes[i].rows_2 * 16;
		bool good;

		for (unsigned int j = 0; j < REGION_SIZE; j++) {
			memory[0][j] = j;
			memory[1][j] = 0xa5;
		}
		arg[NN_ARG_FIRST(1)] = passes[i].first;
		arg[NN_ARG_ROWS(1)] = passes[i].rows;
		arg[NN_ARG_FIRST(2)] = passes[i].first_2;
		arg[NN_ARG_ROWS(2)] = passes[i].rows_2;
		arg[NN_ARG_OUT_FIRST(2)] = passes[i].out;
		run.arg = arg;
		good = nn_program_run(&run, &failure) == (passes[i].fits ? 0 : -1) &&
		       failure.reason == (passes[i].fits ? NN_REASON_NONE : NN_REASON_ROWS);
		for (uint32_t j = 0; j < REGION_SIZE; j++) {
			bool written = passes[i].fits && j >= to && j < to + bytes;

			good &= memory[1][j] == (written ? memory[0][j - to + from] : 0xa5);
		}
		result(good, "a pass of a program that is prepared once");
	}
	free(room);
}

int main(void)
{
	test_header();
	test_regions();
	test_zero_points();
	test_tensors();
	test_pitches();
	test_pitched_operands();
	test_operands();
	test_run();
	test_rows();
	test_prepared_once();
	printf("1..%u\n", tests);
	return failed != 0;
}
