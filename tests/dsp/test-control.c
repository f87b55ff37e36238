// SPDX-License-Identifier: MIT
/*
 * Control programs on the host, with sanitizers: each kind of step, each reason to refuse one, being
 * left off or cancelled before each step, and random ones, with counts and states that change while
 * they run.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/control.h"

#define STEPS		40u
#define RANDOM		200000u
#define ANYWHERE	0x80001000u
#define LEAVE		33
#define CANCEL		44

static struct {
	struct nn_control header;
	struct nn_control_program program[2];
	struct nn_control_step step[STEPS];
} parts;
static uint8_t program[sizeof(parts)] __attribute__((aligned(8)));
static int64_t values[STEPS];
static const volatile void *memory[STEPS];
static struct nn_control_run run;
static struct nn_control_state state;
static uint32_t arg[NN_ARG_COUNT_ALL];
static unsigned int tests, failed;

/* The programs that were run: a character for each, and its rows. */
static char trace[4096];
static uint32_t between_calls, leave_at, most_calls, short_by;
static int (*on_pass)(const struct nn_control_step *step);

static void result(bool good, const char *name)
{
	tests++;
	failed += !good;
	printf("%sok %u %s\n", good ? "" : "not ", tests, name);
}

/* ---- Writing one */

static void begin(void)
{
	memset(&parts, 0, sizeof(parts));
	memset(values, 0, sizeof(values));
	parts.header = (struct nn_control){ .magic = NN_CONTROL_MAGIC, .version = NN_CONTROL_VERSION, .program_count = 2,
					    .state = ANYWHERE, .limit = 1000000 };
	on_pass = NULL;
}

static uint32_t add(struct nn_control_step step)
{
	parts.step[parts.header.step_count] = step;
	return parts.header.step_count++;
}

static uint32_t run_step(uint32_t number)
{
	return add((struct nn_control_step){ .kind = NN_CONTROL_RUN, .number = number });
}

static uint32_t enter(uint8_t level, uint32_t rows, uint32_t total, uint8_t flags)
{
	return add((struct nn_control_step){ .kind = NN_CONTROL_ENTER, .level = level, .loop = parts.header.loop_count++, .flags = flags,
					     .number = total, .rows = rows, .most = 1000 });
}

static uint32_t end(uint32_t enters)
{
	parts.step[enters].target = parts.header.step_count;
	return add((struct nn_control_step){ .kind = NN_CONTROL_END, .level = parts.step[enters].level, .loop = parts.step[enters].loop,
					     .target = enters });
}

/* The total of an ENTER comes from the memory of its step. */
static void count_from_memory(uint32_t enters, uint8_t type, int64_t value)
{
	struct nn_control_step *step = &parts.step[enters];

	step->source = NN_CONTROL_MEMORY;
	step->type = type;
	step->address = ANYWHERE;
	step->number = 0;
	values[enters] = value;
}

static uint32_t count(uint32_t number, uint32_t enters, uint32_t times)
{
	return add((struct nn_control_step){ .kind = NN_CONTROL_COUNT, .loop = parts.step[enters].loop, .number = number, .rows = times });
}

static enum nn_program_reason check(uint32_t *at)
{
	struct nn_failure failure = { NN_REASON_NONE, 0 };
	uint32_t size = offsetof(__typeof__(parts), step) + parts.header.step_count * sizeof(*parts.step);

	parts.header.size = size - short_by;
	memcpy(program, &parts, size);
	nn_control_check(program, size, &failure);
	if (at)
		*at = failure.op;
	return failure.reason;
}

/* ---- Running it */

static int between(struct nn_control_run *unused)
{
	(void)unused;
	if (++between_calls == leave_at)
		return LEAVE;
	return most_calls && between_calls > most_calls ? CANCEL : 0;
}

static int cancel_at_once(struct nn_control_run *unused)
{
	(void)unused;
	return CANCEL;
}

static int pass(struct nn_control_run *unused, const struct nn_control_step *step)
{
	uint32_t length = strlen(trace);

	(void)unused;
	if (length < sizeof(trace) - 200) {
		length += sprintf(trace + length, "%c", 'a' + step->number);
		for (uint32_t level = 1; level <= NN_MAX_LEVELS; level++) {
			const uint32_t *a = &arg[NN_ARG_FIRST(level)];

			if (a[0] || a[1] || a[2])
				length += sprintf(trace + length, "%u:%u+%u@%u", level, a[0], a[1], a[2]);
		}
		for (uint32_t i = 0; i < NN_MAX_COUNTS; i++) {
			if (arg[NN_ARG_COUNT_ROWS(i)] || arg[NN_ARG_COUNT_OUT_FIRST(i)])
				length += sprintf(trace + length, "#%u:%u@%u", i, arg[NN_ARG_COUNT_ROWS(i)],
						  arg[NN_ARG_COUNT_OUT_FIRST(i)]);
		}
		sprintf(trace + length, " ");
	}
	return on_pass ? on_pass(step) : 0;
}

static void start(void)
{
	memset(&state, 0, sizeof(state));
	memset(arg, 0, sizeof(arg));
	trace[0] = 0;
	for (uint32_t i = 0; i < STEPS; i++)
		memory[i] = &values[i];
	run = (struct nn_control_run){ .control = (const void *)program, .memory = memory, .arg = arg, .between = between, .pass = pass };
}

static int go_on(struct nn_failure *failure)
{
	int ret = nn_control_begin(&run, &state, failure);

	between_calls = 0;
	if (!ret)
		ret = nn_control_run(&run, failure);
	if (!ret || ret == LEAVE)
		nn_control_save(&run, &state);
	return ret;
}

/* Whether it is accepted and runs these programs. */
static bool runs(const char *expected)
{
	struct nn_failure failure;
	bool good = check(NULL) == NN_REASON_NONE;
	int ret;

	leave_at = most_calls = 0;
	start();
	ret = good ? go_on(&failure) : -1;
	if (ret || strcmp(trace, expected) || state.progress != NN_CONTROL_DONE)
		printf("# returned %d, ran \"%s\", not \"%s\"\n", ret, trace, expected);
	return good && !ret && !strcmp(trace, expected) && state.progress == NN_CONTROL_DONE;
}

/* Whether it fails for that reason at this step. */
static bool fails(enum nn_program_reason reason, uint32_t step)
{
	struct nn_failure failure = { NN_REASON_NONE, 0 };
	int ret = -2;

	if (check(NULL) == NN_REASON_NONE) {
		start();
		leave_at = 0;
		ret = go_on(&failure);
	}
	if (ret != -1 || failure.reason != reason || failure.op != step)
		printf("# returned %d, reason %u at %u\n", ret, failure.reason, failure.op);
	return ret == -1 && failure.reason == reason && failure.op == step;
}

/* ---- Each kind of step */

static void test_loops(void)
{
	uint32_t outer, inner;

	begin();
	result(runs(""), "no steps");
	run_step(1);
	run_step(0);
	result(runs("b a "), "programs one after the other");

	begin();
	outer = enter(1, 3, 7, NN_CONTROL_CLIPPED);
	run_step(0);
	end(outer);
	run_step(1);
	result(runs("a1:0+3@0 a1:3+3@3 a1:6+1@6 b "), "a loop over rows, of which the last iteration has the rest");
	parts.step[outer].flags = 0;
	result(runs("a1:0+3@0 a1:3+3@3 a1:6+3@6 b "), "or as many as the others");

	begin();
	outer = enter(1, 2, 4, 0);
	inner = enter(2, 1, 2, 0);
	run_step(0);
	end(inner);
	run_step(1);
	end(outer);
	result(runs("a1:0+2@02:0+1@0 a1:0+2@02:1+1@1 b1:0+2@0 a1:2+2@22:0+1@2 a1:2+2@22:1+1@3 b1:2+2@2 "),
	       "a loop in a loop, whose rows go on behind those of before");

	begin();
	outer = enter(1, 1, 2, 0);
	end(outer);
	inner = enter(1, 1, 1, 0);
	run_step(0);
	end(inner);
	result(runs("a1:0+1@0 "), "two loops side by side");

	begin();
	outer = enter(1, 0, 0, 0);
	run_step(0);
	end(outer);
	result(runs("a "), "a total of 0 is an iteration of no rows");
	parts.step[outer].flags = NN_CONTROL_SKIPS;
	result(runs(""), "or none");

	begin();
	outer = enter(1, 1, 3, 0);
	run_step(0);
	add((struct nn_control_step){ .kind = NN_CONTROL_RUN, .flags = NN_CONTROL_FIRST, .level = 1, .number = 1 });
	end(outer);
	result(runs("a1:0+1@0 b1:0+1@0 a1:1+1@1 a1:2+1@2 "), "a program of the first iteration alone");
}

static void test_totals(void)
{
	static const struct {
		uint8_t type;
		int64_t value;
		int times;		/* -1: an error */
	} totals[] = {
		{ NN_TYPE_BOOL, 0, 0 }, { NN_TYPE_BOOL, 1, 1 }, { NN_TYPE_BOOL, 0x80, 1 }, { NN_TYPE_BOOL, 0x100, 0 },
		{ NN_TYPE_INT32, 3, 3 }, { NN_TYPE_INT32, -1, -1 }, { NN_TYPE_INT32, 5, 5 }, { NN_TYPE_INT32, 6, -1 },
		{ NN_TYPE_INT32, INT32_MIN, -1 }, { NN_TYPE_INT32, 0x100000002, 2 },
		{ NN_TYPE_INT64, 4, 4 }, { NN_TYPE_INT64, -4, -1 }, { NN_TYPE_INT64, 0x100000002, -1 }, { NN_TYPE_INT64, INT64_MIN, -1 },
		{ NN_TYPE_INT64, INT64_MAX, -1 },
	};
	uint32_t outer, inner;
	bool good = true;

	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		char expected[100] = "";

		begin();
		outer = enter(1, 1, 0, NN_CONTROL_SKIPS);
		parts.step[outer].most = 5;
		count_from_memory(outer, totals[i].type, totals[i].value);
		run_step(0);
		end(outer);
		for (int j = 0; j < totals[i].times; j++)
			sprintf(expected + strlen(expected), "a1:%d+1@%d ", j, j);
		good &= totals[i].times < 0 ? fails(NN_REASON_TRIPS, outer) : runs(expected);
	}
	result(good, "totals in memory, of each type");

	begin();
	outer = enter(1, 3, 6, 0);
	inner = enter(2, 2, 1, NN_CONTROL_CLIPPED);
	parts.step[inner].source = NN_CONTROL_ROWS;
	run_step(0);
	end(inner);
	end(outer);
	result(runs("a1:0+3@02:0+2@0 a1:0+3@02:2+1@2 a1:3+3@32:0+2@3 a1:3+3@32:2+1@5 "), "a total that is another loop's rows");

	begin();
	outer = enter(1, 1, 3, 0);
	end(outer);
	count(15, outer, 2);
	inner = enter(1, 4, NN_LEVEL_OF_COUNT(15), NN_CONTROL_CLIPPED);
	parts.step[inner].source = NN_CONTROL_ROWS;
	run_step(0);
	end(inner);
	result(runs("a1:0+4@0#15:6@0 a1:4+2@4#15:6@0 "), "a total that is a count");
}

static void test_counts(void)
{
	uint32_t outer, inner;

	begin();
	outer = enter(1, 1, 3, 0);
	inner = enter(2, 1, 0, NN_CONTROL_SKIPS);
	count_from_memory(inner, NN_TYPE_INT32, 2);
	end(inner);
	count(0, inner, 1);
	count(3, inner, 5);
	run_step(0);
	end(outer);
	result(runs("a1:0+1@0#0:2@0#3:10@0 a1:1+1@1#0:2@2#3:10@10 a1:2+1@2#0:2@4#3:10@20 "), "counts of a loop in a loop");
	values[inner] = 0;
	result(runs("a1:0+1@0 a1:1+1@1 a1:2+1@2 "), "and none");
	values[inner] = 2;
	add((struct nn_control_step){ .kind = NN_CONTROL_COUNT, .number = 7, .source = NN_CONTROL_ROWS, .target = 3 });
	run_step(1);
	result(runs("a1:0+1@0#0:2@0#3:10@0 a1:1+1@1#0:2@2#3:10@10 a1:2+1@2#0:2@4#3:10@20 b#0:2@4#3:10@20#7:30@0 "),
	       "all rows that a count has had");
	parts.step[parts.header.step_count - 2] =
		(struct nn_control_step){ .kind = NN_CONTROL_COUNT, .number = 3, .flags = NN_CONTROL_FIRST };
	result(runs("a1:0+1@0#0:2@0#3:10@0 a1:1+1@1#0:2@2#3:10@10 a1:2+1@2#0:2@4#3:10@20 b#0:2@4 "), "a count that begins anew");
	parts.header.step_count -= 2;
	values[inner] = 1000;
	parts.step[4].rows = 0xffffffff;
	result(fails(NN_REASON_TOO_MANY, 4), "a count past 2^32");
	parts.step[4].rows = 4000000;
	result(fails(NN_REASON_TOO_MANY, 4), "a sum of them past 2^32");
}

/* The condition of the loop becomes false behind its third iteration. */
static int third(const struct nn_control_step *step)
{
	(void)step;
	values[2] = arg[NN_ARG_FIRST(1)] < 2;
	return 0;
}

static void test_conditions(void)
{
	uint32_t outer, at;

	begin();
	outer = enter(1, 1, 0, NN_CONTROL_SKIPS);
	count_from_memory(outer, NN_TYPE_BOOL, 1);
	run_step(0);
	at = end(outer);
	parts.step[at].address = ANYWHERE;
	parts.step[at].most = 10;
	on_pass = third;
	result(runs("a1:0+1@0 a1:1+1@1 a1:2+1@2 "), "a condition that is tested behind each iteration");
	values[outer] = 0;
	result(runs(""), "and before the first");
	values[outer] = 1;
	parts.step[at].most = 2;
	result(runs("a1:0+1@0 a1:1+1@1 "), "no more than its most");
	parts.step[at].flags = NN_CONTROL_STRICT;
	result(fails(NN_REASON_TRIPS, at), "which can be an error");
	parts.step[at].most = 3;
	result(runs("a1:0+1@0 a1:1+1@1 a1:2+1@2 "), "but not where the condition is false then");

	begin();
	add((struct nn_control_step){ .kind = NN_CONTROL_SKIP, .address = ANYWHERE, .target = 2 });
	run_step(0);
	run_step(1);
	result(runs("b "), "a step that is skipped");
	values[0] = 2;
	result(runs("a b "), "or not");

	begin();
	outer = enter(1, 1, 3, 0);
	add((struct nn_control_step){ .kind = NN_CONTROL_SKIP, .address = ANYWHERE, .target = 3 });
	run_step(0);
	end(outer);
	values[1] = 0;
	result(runs(""), "all of a body");
}

static void test_failures(void)
{
	uint32_t outer;

	begin();
	outer = enter(1, 0, 3, 0);
	end(outer);
	result(fails(NN_REASON_PROGRESS, outer), "a loop that makes no progress");

	begin();
	outer = enter(1, 0x60000000, 0xc0000001, 0);
	parts.step[outer].most = 0xffffffff;
	end(outer);
	result(fails(NN_REASON_TOO_MANY, outer + 1), "rows past 2^32");

	begin();
	outer = enter(1, 1, 4, 0);
	end(outer);
	parts.header.limit = 4;
	result(runs(""), "as many iterations as the limit");
	parts.header.limit = 3;
	result(fails(NN_REASON_LIMIT, outer + 1), "one more than that");
	parts.header.limit = 0;
	result(fails(NN_REASON_LIMIT, outer), "none at all");

	begin();
	outer = enter(1, 1, 1001, 0);
	end(outer);
	result(fails(NN_REASON_TRIPS, outer), "a total above the most");
}

/* ---- What is refused */

static void test_refused(void)
{
	static const struct {
		const char *name;
		uint32_t at;
		struct nn_control_step step;
		uint32_t fails_at;
	} cases[] = {
#define RUN	.kind = NN_CONTROL_RUN
#define ENTER(l, n, to)	.kind = NN_CONTROL_ENTER, .level = l, .loop = n, .rows = 1, .most = 3, .target = to
#define END(l, n, to)	.kind = NN_CONTROL_END, .level = l, .loop = n, .target = to
#define COUNT(n)	.kind = NN_CONTROL_COUNT, .loop = n, .rows = 1
#define SKIP	.kind = NN_CONTROL_SKIP, .address = ANYWHERE
		{ "kind 0", 3, { .kind = 0 }, 3 },
		{ "kind 6", 3, { .kind = NN_CONTROL_KINDS }, 3 },
		{ "a program that is not there", 3, { RUN, .number = 2 }, 3 },
		{ "a flag of other kinds", 3, { RUN, .flags = NN_CONTROL_CLIPPED }, 3 },
		{ "first of no loop", 3, { RUN, .flags = NN_CONTROL_FIRST }, 3 },
		{ "first of a loop that does not run", 3, { RUN, .flags = NN_CONTROL_FIRST, .level = 3 }, 3 },
		{ "a level without that", 3, { RUN, .level = 1 }, 3 },
		{ "a reserved byte", 3, { RUN, .reserved = { 0, 1 } }, 3 },
		{ "rows of a program", 3, { RUN, .rows = 1 }, 3 },
		{ "a loop of another level", 2, { ENTER(1, 1, 4) }, 2 },
		{ "a loop with another's number", 2, { ENTER(2, 0, 4) }, 2 },
		{ "a loop too many", 2, { ENTER(2, 3, 4) }, 2 },
		{ "a flag that is none", 2, { ENTER(2, 1, 4), .flags = 16 }, 2 },
		{ "an unknown source", 2, { ENTER(2, 1, 4), .source = NN_CONTROL_SOURCES }, 2 },
		{ "rows of level 0", 2, { ENTER(2, 1, 4), .source = NN_CONTROL_ROWS }, 2 },
		{ "rows of level 21", 2, { ENTER(2, 1, 4), .source = NN_CONTROL_ROWS, .number = NN_LEVELS }, 2 },
		{ "a total of float32", 2, { ENTER(2, 1, 4), .source = NN_CONTROL_MEMORY, .type = NN_TYPE_FLOAT32, .address = ANYWHERE }, 2 },
		{ "a total that is not aligned", 2, { ENTER(2, 1, 4), .source = NN_CONTROL_MEMORY, .type = NN_TYPE_INT64, .address = ANYWHERE + 4 }, 2 },
		{ "a type of a constant", 2, { ENTER(2, 1, 4), .type = NN_TYPE_INT32 }, 2 },
		{ "an end before it", 2, { ENTER(2, 1, 1) }, 2 },
		{ "an end past the last step", 2, { ENTER(2, 1, 8) }, 2 },
		{ "an end that is none", 2, { ENTER(2, 1, 3) }, 4 },
		{ "the end of another loop", 4, { END(2, 1, 0) }, 4 },
		{ "of another level", 4, { END(1, 1, 2) }, 4 },
		{ "of another number", 4, { END(2, 0, 2) }, 4 },
		{ "a most without a condition", 4, { END(2, 1, 2), .most = 1 }, 4 },
		{ "strict without a condition", 4, { END(2, 1, 2), .flags = NN_CONTROL_STRICT }, 4 },
		{ "no end", 4, { RUN }, 5 },
		{ "an end too many", 3, { END(2, 1, 2) }, 3 },
		{ "a count of a loop that has not ended", 3, { COUNT(1) }, 3 },
		{ "a count of no loop", 5, { COUNT(2) }, 5 },
		{ "rows of count 16", 5, { .kind = NN_CONTROL_COUNT, .source = NN_CONTROL_ROWS, .target = 16 }, 5 },
		{ "such rows of a loop", 5, { .kind = NN_CONTROL_COUNT, .source = NN_CONTROL_ROWS, .loop = 1 }, 5 },
		{ "a count that begins anew with rows", 5, { COUNT(1), .flags = NN_CONTROL_FIRST }, 5 },
		{ "a count with another flag", 5, { .kind = NN_CONTROL_COUNT, .flags = NN_CONTROL_SKIPS }, 5 },
		{ "count 16 that begins anew", 5, { .kind = NN_CONTROL_COUNT, .number = 16, .flags = NN_CONTROL_FIRST }, 5 },
		{ "count 16", 5, { COUNT(1), .number = 16 }, 5 },
		{ "a skip to itself", 3, { SKIP, .target = 3 }, 3 },
		{ "a skip back", 3, { SKIP, .target = 2 }, 3 },
		{ "a skip past the last step", 7, { SKIP, .target = 9 }, 7 },
		{ "a skip out of a loop", 3, { SKIP, .target = 5 }, 3 },
		{ "a skip into a loop", 1, { SKIP, .target = 3 }, 1 },
		{ "a skip with a most", 7, { SKIP, .target = 8, .most = 1 }, 7 },
	};
	uint32_t outer, inner, at;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool good;

		begin();
		outer = enter(1, 1, 3, 0);		/* 0 */
		run_step(0);
		inner = enter(2, 1, 3, 0);		/* 2 */
		run_step(1);
		end(inner);				/* 4 */
		count(0, inner, 1);
		end(outer);				/* 6 */
		run_step(0);
		good = check(NULL) == NN_REASON_NONE;
		parts.step[cases[i].at] = cases[i].step;
		good &= check(&at) == NN_REASON_STEP && at == cases[i].fails_at;
		result(good, cases[i].name);
	}

	for (uint32_t level = 0; level < 6; level++) {
		begin();
		for (uint32_t i = 0; i < level; i++)
			enter(i + 1, 1, 1, 0);
		for (uint32_t i = level; i > 0; i--)
			end(i - 1);
		result((check(NULL) == NN_REASON_NONE) == (level <= NN_MAX_LEVELS), "so many loops in each other");
	}
}

static void test_headers(void)
{
	begin();
	run_step(0);
	parts.header.magic++;
	result(check(NULL) == NN_REASON_HEADER, "magic");
	begin();
	parts.header.version = 2;
	result(check(NULL) == NN_REASON_VERSION, "version");
	begin();
	parts.header.loop_count = 1;
	result(check(NULL) == NN_REASON_STEP, "a loop that is not there");
	begin();
	parts.header.loop_count = NN_CONTROL_MAX_LOOPS + 1;
	result(check(NULL) == NN_REASON_HEADER, "too many loops");
	begin();
	short_by = 8;
	result(check(NULL) == NN_REASON_HEADER, "size");
	short_by = 0;
	begin();
	parts.header.program_count = 0x20000001;
	result(check(NULL) == NN_REASON_HEADER, "programs past 2^32");
}

/* ---- Left off */

/* A program of every kind of step, with 3 x (2 + condition) iterations. */
static void build_all(void)
{
	uint32_t outer, inner, last, at;

	begin();
	run_step(1);
	outer = enter(1, 2, 5, NN_CONTROL_CLIPPED);
	add((struct nn_control_step){ .kind = NN_CONTROL_RUN, .flags = NN_CONTROL_FIRST, .level = 1, .number = 1 });
	inner = enter(2, 1, 0, NN_CONTROL_SKIPS);
	count_from_memory(inner, NN_TYPE_INT64, 3);
	run_step(0);
	end(inner);
	count(2, inner, 1);
	at = add((struct nn_control_step){ .kind = NN_CONTROL_SKIP, .address = ANYWHERE });
	run_step(1);
	parts.step[at].target = parts.header.step_count;
	last = enter(2, 1, 1, 0);
	run_step(0);
	at = end(last);
	parts.step[at].address = ANYWHERE;
	parts.step[at].most = 2;
	values[at] = 1;
	end(outer);
	run_step(0);
}

static void test_left_off(void)
{
	struct nn_control_state done;
	char whole[sizeof(trace)];
	struct nn_failure failure;
	uint32_t calls, every;
	bool good = true;

	build_all();
	good &= check(NULL) == NN_REASON_NONE;
	leave_at = 0;
	start();
	good &= !go_on(&failure);
	strcpy(whole, trace);
	calls = between_calls;
	done = state;
	result(good && calls > 40 && done.loop[1].prev_outer == 9 && done.count[2].rows == 3 && done.count[2].out_first == 6,
	       "all kinds of steps");

	for (leave_at = 1; leave_at <= calls; leave_at++) {
		struct nn_control_state kept;

		start();
		good &= go_on(&failure) == LEAVE && state.progress == NN_CONTROL_GOES_ON;
		/* On another worker, which knows nothing. */
		kept = state;
		every = leave_at;
		leave_at = 0;
		memset(&run, 0xa5, sizeof(run));
		memset(arg, 0, sizeof(arg));
		run.control = (const void *)program;
		run.memory = memory;
		run.arg = arg;
		run.between = between;
		run.pass = pass;
		run.barrier = NULL;
		good &= !go_on(&failure) && !strcmp(trace, whole) && !memcmp(&state, &done, sizeof(state));
		good &= kept.running.passes <= state.running.passes;
		leave_at = every;
	}
	result(good, "left off before each step");
	start();
	for (leave_at = 2, every = 0; every < 1000 && go_on(&failure) == LEAVE; every++)
		memset(arg, 0, sizeof(arg));
	result(state.progress == NN_CONTROL_DONE && !strcmp(trace, whole) && !memcmp(&state, &done, sizeof(state)),
	       "left off behind each step");
	leave_at = 0;
	result(go_on(&failure) == -1 && failure.reason == NN_REASON_STATE, "what is done is not run again");
	state.progress = NN_CONTROL_GOES_ON;
	state.step = parts.header.step_count;
	result(go_on(&failure) == -1 && failure.reason == NN_REASON_STATE, "a step that is not there");
	state.step = 4;
	state.loop[0].prev = state.loop[0].current = 0x80000000;
	result(go_on(&failure) == -1 && failure.reason == NN_REASON_STATE, "rows past 2^32 in a state");
}

/* ---- Ended */

#define FAULT	55

static uint32_t fault_at, passes_run;

static int fault(const struct nn_control_step *step)
{
	(void)step;
	return ++passes_run == fault_at ? FAULT : 0;
}

/*
 * A cancel before each step, and a fault in each program that runs, end it there: no step comes behind
 * it, and the state does not go on.
 */
static void test_ended(void)
{
	char whole[sizeof(trace)];
	struct nn_failure failure;
	uint32_t calls, cancelled = 0, faults = 0;
	bool good;

	build_all();
	good = check(NULL) == NN_REASON_NONE;
	leave_at = most_calls = 0;
	start();
	good &= !go_on(&failure);
	strcpy(whole, trace);
	calls = between_calls;
	for (uint32_t at = 0; at < calls; at++) {
		start();
		/* 0 is no number of calls. */
		most_calls = at;
		leave_at = 0;
		if (!at)
			run.between = cancel_at_once;
		good &= go_on(&failure) == CANCEL && !strncmp(trace, whole, strlen(trace)) &&
			state.progress == NN_CONTROL_BEGINS && strcmp(trace, whole);
		cancelled++;
	}
	most_calls = 0;
	result(good && cancelled > 40, "cancelled before each step");

	on_pass = fault;
	do {
		start();
		fault_at = faults + 1;
		passes_run = 0;
		if (!go_on(&failure))
			break;
		good &= passes_run == fault_at && !strncmp(trace, whole, strlen(trace)) &&
			state.progress == NN_CONTROL_BEGINS;
		faults++;
	} while (faults < 1000);
	on_pass = NULL;
	printf("# %u programs ran\n", passes_run);
	result(good && faults == passes_run && faults > 15 && !strcmp(trace, whole), "a fault in each program that runs");
}

/* ---- Random ones */

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(((seed >> 16 & 0xffffffffu) * n) >> 32);
}

/* Steps up to `most` of them, in a body at this depth. */
static void add_random(uint32_t depth, uint32_t most)
{
	while (parts.header.step_count < most && below(8)) {
		uint32_t at;

		switch (below(6)) {
		case 0:
		case 1:
			if (depth < NN_MAX_LEVELS && parts.header.step_count + 3 < most) {
				at = enter(depth + 1, below(3), below(4), below(8) & 6);
				if (below(2))
					count_from_memory(at, (uint8_t[]){ NN_TYPE_BOOL, NN_TYPE_INT32, NN_TYPE_INT64 }[below(3)], below(4));
				add_random(depth + 1, most - 2);
				at = end(at);
				if (!below(3)) {
					parts.step[at].address = ANYWHERE;
					parts.step[at].most = below(4);
					values[at] = below(2);
				}
				if (below(2))
					count(below(16), parts.step[at].target, 1 + below(2));
			}
			break;
		case 2:
			add((struct nn_control_step){ .kind = NN_CONTROL_SKIP, .address = ANYWHERE, .target = parts.header.step_count + 1 });
			break;
		default:
			at = run_step(below(2));
			if (depth && !below(3)) {
				parts.step[at].flags = NN_CONTROL_FIRST;
				parts.step[at].level = 1 + below(depth);
			}
		}
	}
}

/* A client that writes to what steps look at. */
static int interfere(const struct nn_control_step *step)
{
	(void)step;
	values[below(STEPS)] = below(2) ? below(5) : (uint64_t)below(0xffffffff) << 32 | below(0xffffffff);
	return 0;
}

static void damage(void *data, uint32_t bytes)
{
	uint8_t *at = (uint8_t *)data + below(bytes);

	*at = below(2) ? *at ^ 1u << below(8) : below(256);
}

/* Right ones are left off and go on as if they had not been; damaged ones end, whatever is in them. */
static void test_random(void)
{
	uint32_t accepted = 0, ran = 0, left = 0, states = 0;
	bool good = true;

	for (uint32_t i = 0; i < RANDOM; i++) {
		bool damaged = i % 2;
		struct nn_failure failure;
		char whole[sizeof(trace)];
		uint32_t rounds = 0;
		int ret, first;

		begin();
		add_random(0, 4 + below(STEPS - 6));
		for (uint32_t n = damaged ? 1 + below(3) : 0; n && parts.header.step_count; n--)
			damage(parts.step, parts.header.step_count * sizeof(*parts.step));
		if (check(NULL) != NN_REASON_NONE) {
			good &= damaged;
			continue;
		}
		accepted++;
		most_calls = 3000;
		leave_at = 0;
		on_pass = damaged ? interfere : NULL;
		start();
		first = go_on(&failure);
		ran += !first;
		good &= first == 0 || first == CANCEL || (first == -1 && failure.reason >= NN_REASON_PROGRESS &&
							  failure.op < parts.header.step_count);
		if (first == CANCEL)
			continue;
		strcpy(whole, trace);
		start();
		do {
			memset(arg, 0, sizeof(arg));
			leave_at = 2 + below(6);
			if (damaged && rounds && !below(4))
				damage(&state, sizeof(state)), states++;
			ret = go_on(&failure);
			left += ret == LEAVE;
		} while (ret == LEAVE && ++rounds < 1000);
		if (!damaged)
			good &= ret == first && !strcmp(trace, whole);
	}
	most_calls = 0;
	printf("# %u accepted, %u ran to their end, left off %u times, %u states damaged\n", accepted, ran, left, states);
	result(good && accepted > RANDOM / 2 && ran > RANDOM / 10 && left > RANDOM / 2 && states > RANDOM / 100, "random control programs");
}

int main(void)
{
	test_loops();
	test_totals();
	test_counts();
	test_conditions();
	test_failures();
	test_refused();
	test_headers();
	test_left_off();
	test_ended();
	test_random();
	printf("1..%u\n", tests);
	return failed != 0;
}
