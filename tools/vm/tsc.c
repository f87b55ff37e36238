// SPDX-License-Identifier: MIT
/*
 * Prints how many thousand times a second this processor's time stamp counter counts, which is also
 * what an emulated processor has. A kernel that boots on a busy host may measure a fraction of that,
 * because it is kept waiting meanwhile; its clock then goes too fast, and all that waits for a time
 * waits too short. So it is told (tsc_early_khz).
 *
 * usage: tsc      (exit status 1: there is no such counter)
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)

#include <x86intrin.h>

#define TRIES 64
#define WAIT_NS 100000000

struct moment {
	int64_t ns;
	uint64_t counter;
};

static int64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Both clocks at once: of several tries the one that took least, in which nobody came between. */
static struct moment look(void)
{
	struct moment best = { 0, 0 };
	int64_t least = INT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		int64_t before = nanoseconds();
		uint64_t counter = __rdtsc();
		int64_t took = nanoseconds() - before;

		if (took < least) {
			least = took;
			best = (struct moment){ before + took / 2, counter };
		}
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	struct moment first = look(), last;

	nanosleep(&pause, NULL);
	last = look();
	if (last.counter <= first.counter || last.ns <= first.ns)
		return 1;
	printf("%.0f\n", (last.counter - first.counter) * 1e6 / (last.ns - first.ns));
	return 0;
}

#else

int main(void)
{
	return 1;
}

#endif
