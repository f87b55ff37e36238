// SPDX-License-Identifier: MIT
/*
 * Calls that are divided among workers (dsp/program/share.h): the parts of random calls, each run by its
 * kernel as if it were alone, against the whole call, bit for bit. A part is a call that the
 * operator's check lets pass; each byte is written by one part at most, and in whatever order parts
 * run. Runs in qemu-hexagon, and on the host with its kernels, with operands at the ends of mapped
 * memory.
 */
#include "dsp/program/share.h"
#include "kernels/weighted.h"
#include "left-to-portable.h"
#include "random-call.h"

#define MOST_WORKERS	5
#define SMALL_SCRATCH	(16u << 10)
/* One in so many of the calls that make a whole test is made: emulation takes its time. */
#ifdef __hexagon__
#define USUAL_PART	2
#else
#define USUAL_PART	1
#endif

static struct guarded output, edge;
static uint8_t whole[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t before[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t writers[GUARDED_SIZE];
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

static uint32_t times;	/* as many random calls as usual */

/* Counts of an operator's calls. */
static struct {
	uint32_t calls, divided, in_place;
	uint32_t pitched;	/* with pitches */
	uint32_t left;		/* to the portable kernel, which is not divided here */
	uint32_t uneven;	/* with workers that make more parts than others, or none */
} seen;

static int run_one(struct nn_call *part)
{
	int ret;

	part->scratch = scratch;
	if (nn_kernels[op.opcode].check(part)) {
		print("# check() refuses a part: %u\n", nn_kernels[op.opcode].check(part));
		return -1;
	}
	ret = nn_kernels[op.opcode].run(part);
	if (ret && ret != LEFT_TO_PORTABLE)
		print("# it ends with %d\n", ret);
	return ret;
}

/* One worker's share of the call, which writes to `out`. */
static bool run_share(uint8_t *out, uint32_t index, uint32_t count)
{
	uint32_t parts = nn_call_parts(&call);
	uint32_t begin = nn_share_begin(parts, index, count);
	uint32_t end = nn_share_begin(parts, index + 1, count);
	struct nn_program_op own;
	struct nn_call part = call;

	part.output[0].data = out;
	if (begin == end)
		return true;
	if (parts > 1)
		nn_call_take_parts(&part, &own, begin, end);
	return !run_one(&part);
}

/* The first index first, or the last. */
static bool run_shares(uint8_t *out, uint32_t count, bool backwards)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!run_share(out, backwards ? count - 1 - i : i, count))
			return false;
	}
	return guarded_check(&output);
}

/*
 * A share that has no more memory than up to the first byte of the next one touches nothing behind
 * that, not even to leave it as it is: the other worker might be changing it.
 */
static bool stays_within(const uint32_t *first, const uint32_t *end, uint32_t index, uint32_t count)
{
	uint32_t bytes = span_of(&call.output[0]);
	uint8_t *out;

	for (uint32_t i = 0; i < count; i++) {
		if (end[i] && first[i] >= end[index] && first[i] < bytes)
			bytes = first[i];
	}
	out = guarded_place(&edge, bytes, nn_type_size(call.output[0].type));
	return run_share(out, index, count) && guarded_check(&edge);
}

/* Bytes that a share changes, of zeros or of ones, are its own. */
static bool shares_are_disjoint(uint8_t *out, uint32_t count)
{
	uint32_t first[MOST_WORKERS], end[MOST_WORKERS] = { 0 };
	uint32_t bytes = span_of(&call.output[0]);

	memset(writers, 0, bytes);
	for (uint32_t i = 0; i < count; i++) {
		memset(out, 0, bytes);
		if (!run_share(out, i, count))
			return false;
		memcpy(before, out, bytes);
		memset(out, 0xff, bytes);
		if (!run_share(out, i, count))
			return false;
		for (uint32_t k = 0; k < bytes; k++) {
			bool written = before[k] != 0 || out[k] != 0xff;

			writers[k] += written;
			if (written && !end[i])
				first[i] = k;
			if (written)
				end[i] = k + 1;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		if (end[i] && !stays_within(first, end, i, count))
			return false;
	}
	for (uint32_t k = 0; k < bytes; k++) {
		if (writers[k] > 1) {
			print("# byte %u of %u is written by %u workers\n", k, bytes, writers[k]);
			return false;
		}
	}
	return true;
}

static bool agrees_in_place(struct nn_tensor *operand, uint8_t *out, uint32_t count,
			    bool backwards)
{
	uint8_t *input = operand->data;
	bool good;

	if (!can_be_in_place(operand))
		return true;
	seen.in_place++;
	memset(out, 0xa5, span_of(&call.output[0]));
	copy_elements(operand, out, input);
	operand->data = out;
	good = run_shares(out, count, backwards);
	operand->data = input;
	return good && is_output(out, whole, "in place");
}

static bool agrees(const struct kernel_test *test)
{
	uint32_t bytes = span_of(&call.output[0]), parts = nn_call_parts(&call);
	uint32_t count = random_range(2, MOST_WORKERS);
	bool backwards = random_below(2);
	uint8_t *out;
	int ret;

	seen.calls++;
	if (parts < 2)
		return parts == 1;
	seen.divided++;
	seen.uneven += parts % count != 0;
	call.scratch_size = random_below(2) ? NN_SCRATCH_SIZE : SMALL_SCRATCH;

	out = guarded_place(&output, bytes, nn_type_size(call.output[0].type));
	memset(whole, 0xa5, bytes);
	call.output[0].data = whole;
	end_when_left(&nn_kernels[op.opcode]);
	ret = run_one(&call);
	if (ret == LEFT_TO_PORTABLE) {
		call.scratch_size = NN_SCRATCH_SIZE;
		end_when_left(&nn_kernels[op.opcode]);
		ret = run_one(&call);
	}
	run.progress = NULL;
	seen.left += ret == LEFT_TO_PORTABLE;
	if (ret)
		return ret == LEFT_TO_PORTABLE;
	memset(out, 0xa5, bytes);
	if (!run_shares(out, count, backwards) || !is_output(out, whole, "apart"))
		return false;
	if (random_below(3) == 0 && !shares_are_disjoint(out, count))
		return false;
	for (uint32_t i = 0; i < test->in_place; i++) {
		if (!agrees_in_place(&call.input[i], out, count, backwards))
			return false;
	}
	return true;
}

/* Operators that are divided, and of how many of their calls at least one in so many. */
static const struct {
	enum nn_opcode opcode;
	uint32_t one_in;
} divided[] = {
	{ NN_OPCODE_CONV2D, 3 },	/* ties are looked for in a single row */
	{ NN_OPCODE_CONV2D_INT16, 2 },
	{ NN_OPCODE_DEPTHWISE_CONV2D, 2 },
	{ NN_OPCODE_MAX_POOL, 2 },
	{ NN_OPCODE_AVERAGE_POOL, 2 },
	{ NN_OPCODE_AVERAGE_POOL_FLOAT, 2 },
	{ NN_OPCODE_AVERAGE_POOL_AWAY, 2 },
	{ NN_OPCODE_POOL_INT16, 2 },
	{ NN_OPCODE_FULLY_CONNECTED, 2 },
	{ NN_OPCODE_ADD, 2 },
	{ NN_OPCODE_ADD_FLOAT, 2 },
	{ NN_OPCODE_BINARY, 2 },
	{ NN_OPCODE_TABLE, 2 },
	{ NN_OPCODE_COPY, 2 },
	{ NN_OPCODE_FLOAT_CONV2D, 2 },
	{ NN_OPCODE_FLOAT_EACH, 3 },	/* many have no rows, or one element */
	{ NN_OPCODE_FLOAT_BINARY, 3 },
};

static uint32_t least_divided(enum nn_opcode opcode)
{
	for (uint32_t i = 0; i < COUNT(divided); i++) {
		if (divided[i].opcode == opcode)
			return seen.calls / divided[i].one_in;
	}
	return 0;
}

static void test_operator(enum nn_opcode opcode, const struct kernel_test *test)
{
	const char *name = nn_kernels[opcode].name;
	uint32_t least;
	bool ok = true;

	memset(&seen, 0, sizeof(seen));
	for (uint32_t n = 0; n < times * test->random_calls / USUAL_PART && ok; n++) {
		random_call(opcode, n);
		if (n % 3 == 0)
			seen.pitched += random_pitches();
		ok = agrees(test);
	}
	least = least_divided(opcode);
	print("# %s: %u of %u calls divided, %u unevenly, %u in place, %u with pitches, %u left to the portable kernel\n",
	      name, seen.divided, seen.calls, seen.uneven, seen.in_place, seen.pitched, seen.left);
	result(ok && (least ? seen.divided >= least && seen.uneven : !seen.divided), name);
}

/* Convolutions of one pixel, which are divided by outputs. */
static void test_pixels(void)
{
	bool ok = true;

	memset(&seen, 0, sizeof(seen));
	while (seen.calls < times * 40 && ok) {
		uint32_t channels, outputs, size;

		random_begin(NN_OPCODE_END, seen.calls);
		channels = random_range(1, 40);
		outputs = random_range(33, 300);
		size = random_range(1, 3);
		begin_call(NN_OPCODE_CONV2D);
		op.window = window_of(size, size, 1, 1);
		random_input(0, random_8bit(), DIMS(1, size, size, channels));
		random_output(random_below(4) ? random_8bit() : NN_TYPE_INT32, DIMS(1, 1, 1, outputs));
		random_weighted(outputs, size, size, channels);
		ok = agrees(kernel_tests[NN_OPCODE_CONV2D]);
	}
	result(ok && seen.divided == seen.calls && seen.uneven, "conv2d of one pixel");
}

/*
 * `test-share NAME TIMES`: only those whose name begins so, and so many times the usual calls,
 * which are half of what operators say in qemu-hexagon; NNLOOP_TEST_ALL=1 makes all.
 */
int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : NULL;
	uint32_t count = 0;

	times = random_times(argc, argv);
	random_calls_create();
	guarded_create(&output);
	guarded_create(&edge);
	for (uint32_t i = 0; i < NN_OPCODE_END; i++)
		count += kernel_tests[i] && is_selected(nn_kernels[i].name, wanted);
	plan(count + (!wanted || !*wanted));
	if (!wanted || !*wanted)
		test_pixels();
	for (uint32_t i = 0; i < NN_OPCODE_END; i++) {
		if (kernel_tests[i] && is_selected(nn_kernels[i].name, wanted))
			test_operator(i, kernel_tests[i]);
	}
	return finish_tests();
}
