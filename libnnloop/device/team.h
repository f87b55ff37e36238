/* SPDX-License-Identifier: MIT */
/*
 * Threads of the host device, which do work together with whoever calls: items that are numbered,
 * in any order, each by one of them.
 */
#ifndef NN_TEAM_H
#define NN_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#define NN_MAX_THREADS	64u

/* The number of processors that this process has, at least 1 and at most NN_MAX_THREADS. */
uint32_t nn_team_default_size(void);

/* The caller is one of its `size`. Threads come with the first use. NULL: no memory. */
struct nn_team *nn_team_create(uint32_t size);

/* Ends a team that nobody has taken. `team` may be NULL. */
void nn_team_destroy(struct nn_team *team);

/*
 * Take the team, to use it several times. False: it is taken, or has no threads; the caller then
 * works alone. Threads that could not be made are missing, and so are all of them in the child of a
 * fork().
 */
bool nn_team_take(struct nn_team *team);
void nn_team_release(struct nn_team *team);

/* Returns how many threads a team has that was taken, with the caller; at least 2. */
uint32_t nn_team_size(const struct nn_team *team);

/*
 * Does items begin .. end - 1; `member` is below the team's size, the caller 0, and does nothing
 * else meanwhile.
 */
typedef void nn_team_work(void *opaque, uint32_t member, uint32_t begin, uint32_t end);

/*
 * Have the team, which the caller has taken, do items 0 .. count - 1, so many of them at a time as
 * `chunk` says. Returns when all are done; what was done before can then be read.
 */
void nn_team_run(struct nn_team *team, uint32_t count, uint32_t chunk, nn_team_work *work,
		 void *opaque);

#endif
