// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the driver's KUnit suites in user space, each case in a rig of its own.
 */
#include <setjmp.h>

#include "kernel.h"

static struct kunit_suite *suites[8];
static unsigned int suite_count;
static jmp_buf abandoned;

void kunit_add_suite(struct kunit_suite *suite)
{
	suites[suite_count++] = suite;
}

void kunit_fail(struct kunit *kunit, const char *file, int line, const char *what)
{
	printf("# %s:%d: not so: %s\n", file, line, what);
	kunit->failed = true;
}

void kunit_abort(struct kunit *kunit)
{
	(void)kunit;
	longjmp(abandoned, 1);
}

void *kunit_kcalloc(struct kunit *kunit, size_t count, size_t size, gfp_t flags)
{
	void *memory = NULL;

	(void)flags;
	if (kunit->memory_count < ARRAY_SIZE(kunit->memory))
		memory = kunit->memory[kunit->memory_count++] = calloc(count, size);
	return memory;
}

static bool run_case(const struct kunit_suite *suite, const struct kunit_case *test)
{
	static struct kunit kunit;

	memset(&kunit, 0, sizeof(kunit));
	if (!setjmp(abandoned) && !suite->init(&kunit))
		test->run(&kunit);
	if (suite->exit)
		suite->exit(&kunit);
	while (kunit.memory_count)
		free(kunit.memory[--kunit.memory_count]);
	return !kunit.failed;
}

int main(void)
{
	unsigned int count = 0, number = 0, failed = 0;
	unsigned int i;

	for (i = 0; i < suite_count; i++) {
		for (struct kunit_case *test = suites[i]->test_cases; test->run; test++)
			count++;
	}
	printf("TAP version 13\n1..%u\n", count);
	for (i = 0; i < suite_count; i++) {
		for (struct kunit_case *test = suites[i]->test_cases; test->run; test++) {
			bool passed = run_case(suites[i], test);

			printf("%sok %u %s %s\n", passed ? "" : "not ", ++number, suites[i]->name,
			       test->name);
			failed += !passed;
		}
	}
	return failed || !count;
}
