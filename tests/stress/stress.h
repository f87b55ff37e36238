/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stress run: what its clients and their parent share.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>

#include <linux/types.h>

/* A fence that has not signalled after this long never will. */
#define FENCE_SECONDS	100

/* In memory that all processes share: what a killed client has counted stays. */
struct tally {
	long passes;		/* of jobs that ended well and whose result is right */
	long lost;		/* queues: a worker was killed while it ran a job of theirs */
	long faulted;		/* queues that ended with the fault that their client asked for */
	long cancelled;		/* jobs */
	long wrong;		/* results */
	long stuck;		/* fences that did not signal */
	long failed;		/* calls that failed, jobs that ended as they must not */
	long longest_wait_ms;
	int stop;		/* the parent's: end after this round */
};

/* A small generator, so that a run can be had again. */
struct random {
	__u64 state;		/* not 0 */
};

static inline __u32 random_next(struct random *random)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return random->state >> 32;
}

/* From least to most. */
static inline __u32 random_range(struct random *random, __u32 least, __u32 most)
{
	return least + random_next(random) % (most - least + 1);
}

/* True once in so many times. */
static inline bool random_once_in(struct random *random, __u32 times)
{
	return !random_range(random, 0, times - 1);
}

/* Submits and checks until it is told to stop, or killed. Returns the exit status. */
int client_run(struct tally *tally, unsigned int number, __u64 seed);

#endif
