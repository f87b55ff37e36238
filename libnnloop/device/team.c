// SPDX-License-Identifier: MIT
/*
 * A team's threads wait for work, take what is left of it, and wait for the next. There is much
 * work that takes only some ten microseconds, so who waits looks again and again for a while before
 * it sleeps; and nobody waits for a thread that has not come, because others have done what it
 * would have.
 *
 * `state` says which work there is or was last (a multiple of NEXT), whether it can be taken
 * (OPEN), and how many threads are inside. Work is published by OPEN and withdrawn by taking OPEN
 * away; once nobody is inside after that, nobody reads it any more, and what they did can be seen.
 */
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define NEXT		(1ull << 32)
#define OPEN		(1ull << 31)
#define PATIENCE	200u	/* looks, and other threads let go first, before it sleeps */

struct member {
	struct nn_team *team;
	uint32_t number;
	uint32_t seen;			/* the last work that it knows to be taken or withdrawn */
	pthread_t thread;
};

struct nn_team {
	uint32_t wanted;
	uint32_t size;			/* of the threads that there are, with the caller */
	pid_t process;			/* where they are; 0: not made yet */
	pthread_mutex_t taken;		/* by who uses it; protects these three */

	/* Work. Written while it is not OPEN and nobody is inside. */
	nn_team_work *work;
	void *opaque;
	uint32_t count, chunk;
	atomic_uint next;		/* the first item that nobody has taken */
	atomic_ullong state;

	pthread_mutex_t lock;		/* for those who sleep */
	pthread_cond_t opened, left;
	atomic_uint sleepers;		/* wait for `opened`; written under `lock` */
	atomic_bool waits;		/* the caller waits for `left`; likewise */
	bool ends;			/* under `lock` */

	struct member members[];
};

uint32_t nn_team_default_size(void)
{
	cpu_set_t set;
	long count;

	if (!sched_getaffinity(0, sizeof(set), &set))
		count = CPU_COUNT(&set);
	else
		count = sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : count < (long)NN_MAX_THREADS ? count : NN_MAX_THREADS;
}

struct nn_team *nn_team_create(uint32_t size)
{
	struct nn_team *team = calloc(1, sizeof(*team) + size * sizeof(*team->members));

	if (!team)
		return NULL;
	team->wanted = size;
	pthread_mutex_init(&team->taken, NULL);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->opened, NULL);
	pthread_cond_init(&team->left, NULL);
	return team;
}

/* ---- Work ---- */

static uint32_t number_of(uint64_t state)
{
	return state / NEXT;
}

/* Open, or with threads inside. */
static bool is_in_use(uint64_t state)
{
	return state % NEXT;
}

static void do_chunks(struct nn_team *team, uint32_t member)
{
	uint32_t begin = atomic_load(&team->next);

	while (begin < team->count) {
		uint32_t rest = team->count - begin;
		uint32_t end = begin + (rest < team->chunk ? rest : team->chunk);

		if (!atomic_compare_exchange_weak(&team->next, &begin, end))
			continue;
		team->work(team->opaque, member, begin, end);
		begin = atomic_load(&team->next);
	}
}

static bool is_there_work(const struct member *member)
{
	uint64_t state = atomic_load(&member->team->state);

	return state & OPEN && number_of(state) != member->seen;
}

static void enter(struct member *member)
{
	struct nn_team *team = member->team;
	uint64_t state = atomic_fetch_add(&team->state, 1);

	if (state & OPEN)
		do_chunks(team, member->number);
	/* It was withdrawn, or nothing is left. */
	member->seen = number_of(state);
	if (!is_in_use(atomic_fetch_sub(&team->state, 1) - 1) && atomic_load(&team->waits)) {
		pthread_mutex_lock(&team->lock);
		pthread_cond_signal(&team->left);
		pthread_mutex_unlock(&team->lock);
	}
}

/* False: the team ends. */
static bool sleep_until_work(struct member *member)
{
	struct nn_team *team = member->team;
	bool ends;

	pthread_mutex_lock(&team->lock);
	atomic_fetch_add(&team->sleepers, 1);
	while (!team->ends && !is_there_work(member))
		pthread_cond_wait(&team->opened, &team->lock);
	atomic_fetch_sub(&team->sleepers, 1);
	ends = team->ends;
	pthread_mutex_unlock(&team->lock);
	return !ends;
}

static void *run_member(void *opaque)
{
	struct member *member = opaque;
	uint32_t looks = 0;

	for (;;) {
		if (is_there_work(member)) {
			enter(member);
			looks = 0;
		} else if (looks++ < PATIENCE) {
			sched_yield();
		} else if (sleep_until_work(member)) {
			looks = 0;
		} else {
			return NULL;
		}
	}
}

static void wait_until_left(struct nn_team *team)
{
	for (uint32_t looks = 0; looks < PATIENCE; looks++) {
		if (!is_in_use(atomic_load(&team->state)))
			return;
		sched_yield();
	}
	pthread_mutex_lock(&team->lock);
	atomic_store(&team->waits, true);
	while (is_in_use(atomic_load(&team->state)))
		pthread_cond_wait(&team->left, &team->lock);
	atomic_store(&team->waits, false);
	pthread_mutex_unlock(&team->lock);
}

void nn_team_run(struct nn_team *team, uint32_t count, uint32_t chunk, nn_team_work *work,
		 void *opaque)
{
	team->work = work;
	team->opaque = opaque;
	team->count = count;
	team->chunk = chunk;
	atomic_store(&team->next, 0);
	atomic_fetch_add(&team->state, NEXT + OPEN);
	if (atomic_load(&team->sleepers)) {
		pthread_mutex_lock(&team->lock);
		pthread_cond_broadcast(&team->opened);
		pthread_mutex_unlock(&team->lock);
	}
	do_chunks(team, 0);
	atomic_fetch_sub(&team->state, OPEN);
	wait_until_left(team);
}

/* ---- Threads ---- */

/* Signals are for the application's own threads. */
static void make_threads(struct nn_team *team)
{
	sigset_t all, before;

	team->process = getpid();
	team->size = 1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (team->size < team->wanted) {
		struct member *member = &team->members[team->size];

		member->team = team;
		member->number = team->size;
		if (pthread_create(&member->thread, NULL, run_member, member))
			break;
		team->size++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool nn_team_take(struct nn_team *team)
{
	if (team->wanted < 2 || pthread_mutex_trylock(&team->taken))
		return false;
	if (!team->process)
		make_threads(team);
	if (team->size > 1 && team->process == getpid())
		return true;
	pthread_mutex_unlock(&team->taken);
	return false;
}

void nn_team_release(struct nn_team *team)
{
	pthread_mutex_unlock(&team->taken);
}

uint32_t nn_team_size(const struct nn_team *team)
{
	return team->size;
}

static void end_threads(struct nn_team *team)
{
	pthread_mutex_lock(&team->lock);
	team->ends = true;
	pthread_cond_broadcast(&team->opened);
	pthread_mutex_unlock(&team->lock);
	for (uint32_t i = 1; i < team->size; i++)
		pthread_join(team->members[i].thread, NULL);
}

void nn_team_destroy(struct nn_team *team)
{
	if (!team)
		return;
	/* The child of a fork() has no threads, and the locks may be held by them. */
	if (!team->process || team->process == getpid()) {
		if (team->process)
			end_threads(team);
		pthread_cond_destroy(&team->left);
		pthread_cond_destroy(&team->opened);
		pthread_mutex_destroy(&team->lock);
		pthread_mutex_destroy(&team->taken);
	}
	free(team);
}
