/* SPDX-License-Identifier: MIT */
/* The clock that executions and their operators are timed by. */
#ifndef NN_CLOCK_H
#define NN_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t nn_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

#endif
