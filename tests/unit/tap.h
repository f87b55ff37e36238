/* SPDX-License-Identifier: MIT */
/*
 * Reports of the unit tests: TAP on standard output.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned int tap_count, tap_failures;
static bool tap_good;

/* Within a test: note what is not as it should be, and go on. */
#define CHECK(condition) \
	tap_check(condition, #condition, __FILE__, __LINE__)

static inline bool tap_check(bool good, const char *condition, const char *file, int line)
{
	if (!good) {
		printf("# %s:%d: not true: %s\n", file, line, condition);
		tap_good = false;
	}
	return good;
}

static inline void tap_run(const char *name, void (*test)(void))
{
	tap_good = true;
	test();
	tap_count++;
	tap_failures += !tap_good;
	printf("%sok %u %s\n", tap_good ? "" : "not ", tap_count, name);
	fflush(stdout);
}

/* Is all wanted that there is, also what seldom finds more than a part of it (make test-all)? */
static inline bool tap_all(void)
{
	const char *all = getenv("NNLOOP_TEST_ALL");

	return all && *all;
}

static inline int tap_end(void)
{
	printf("1..%u\n", tap_count);
	return tap_failures != 0;
}

#endif
