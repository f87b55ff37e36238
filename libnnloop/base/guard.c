// SPDX-License-Identifier: MIT
/*
 * Guards of mapped files (guard.h).
 *
 * The handler puts a page of zeros where one is missing. It looks only at the table of guards,
 * without a lock: a guard is there as long as anybody can read from its mapping.
 */
#include "base/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static struct guard {
	_Atomic uintptr_t from; /* 0: the slot is free */
	_Atomic uintptr_t to;
	_Atomic bool is_short;
} guards[NN_MAX_GUARDS];

/* Who installs the handler, and takes it away; not the handler itself. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t count;
static struct sigaction before;

/* A page of zeros at an address; false: it is in no guarded mapping. */
static bool fill(uintptr_t address)
{
	const uintptr_t page = sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < NN_MAX_GUARDS; i++) {
		uintptr_t from = atomic_load(&guards[i].from), start = address & ~(page - 1);

		if (!from || address < from || address >= atomic_load(&guards[i].to))
			continue;
		if (mmap((void *)start, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			 -1, 0) == MAP_FAILED)
			return false;
		atomic_store(&guards[i].is_short, true);
		return true;
	}
	return false;
}

/* A signal that somebody sent comes again by itself only where it was a fault. */
static void end_process(const siginfo_t *info)
{
	signal(SIGBUS, SIG_DFL);
	if (info->si_code <= 0)
		raise(SIGBUS);
}

static void handle(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	bool is_filled = info->si_code == BUS_ADRERR && fill((uintptr_t)info->si_addr);

	errno = saved;
	if (is_filled)
		return;
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
		end_process(info);
	else
		before.sa_handler(number);
}

/* The first guard installs the handler; the last takes it away, unless there is another one now. */
static void count_guards(int change)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	count += change;
	if (change > 0 && count == 1) {
		sigemptyset(&action.sa_mask);
		sigaction(SIGBUS, &action, &before);
	} else if (!count) {
		sigaction(SIGBUS, NULL, &action);
		if (action.sa_flags & SA_SIGINFO && action.sa_sigaction == handle)
			sigaction(SIGBUS, &before, NULL);
	}
}

int nn_guard_begin(const void *data, size_t size)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < NN_MAX_GUARDS && found < 0; i++) {
		if (!atomic_load(&guards[i].from))
			found = i;
	}
	if (found >= 0) {
		atomic_store(&guards[found].is_short, false);
		atomic_store(&guards[found].to, (uintptr_t)data + size);
		atomic_store(&guards[found].from, (uintptr_t)data);
		count_guards(1);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

bool nn_guard_end(int guard)
{
	bool is_short;

	pthread_mutex_lock(&lock);
	is_short = atomic_load(&guards[guard].is_short);
	atomic_store(&guards[guard].from, 0);
	count_guards(-1);
	pthread_mutex_unlock(&lock);
	return is_short;
}
