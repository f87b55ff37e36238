// SPDX-License-Identifier: GPL-2.0
/*
 * KCOV traces what a task does in its own system calls, so neither what the scheduler's and the
 * driver's own threads do is seen, nor interrupts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "kcov.h"

#define KCOV_FILE	"/sys/kernel/debug/kcov"
#define KCOV_TEXT	"/sys/module/nnloop/sections/.text"
#define KCOV_ENTRIES	(64 << 10)
#define KCOV_TEXT_SIZE	(4 << 20)	/* more than the module has */

static __u8 *kcov_reached;		/* shared; a byte for each of .text; NULL: not collecting */
static __u64 kcov_text;		/* where .text is */
static __thread __u64 *kcov_trace;	/* of this thread: a count, and that many addresses */

/* Before anything is forked. */
int kcov_init(void)
{
	FILE *file = fopen(KCOV_TEXT, "r");

	if (!file || fscanf(file, "%llx", &kcov_text) != 1)
		return -ENOENT;
	fclose(file);
	if (access(KCOV_FILE, R_OK | W_OK))
		return -errno;
	kcov_reached = mmap(NULL, KCOV_TEXT_SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return kcov_reached == MAP_FAILED ? -errno : 0;
}

/* In each thread that calls. All return 0 or -errno. */
int kcov_start(void)
{
	int fd;

	if (!kcov_reached)
		return 0;
	fd = open(KCOV_FILE, O_RDWR | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, KCOV_ENTRIES))
		return -errno;
	kcov_trace = mmap(NULL, KCOV_ENTRIES * sizeof(*kcov_trace), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	if (kcov_trace == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return -errno;
	return 0;
}

/* In a new process: what is traced stays the parent's. */
void kcov_stop(void)
{
	kcov_trace = NULL;
}

/* After a call. */
void kcov_collect(void)
{
	__u64 count, i;

	if (!kcov_trace)
		return;
	count = __atomic_load_n(kcov_trace, __ATOMIC_RELAXED);
	for (i = 1; i <= count && i < KCOV_ENTRIES; i++) {
		__u64 place = kcov_trace[i] - kcov_text;

		if (place < KCOV_TEXT_SIZE)
			kcov_reached[place] = 1;
	}
	__atomic_store_n(kcov_trace, 0, __ATOMIC_RELAXED);
}

/* A line for each place. */
int kcov_write(const char *path)
{
	FILE *file = fopen(path, "w");
	__u64 i;

	if (!file)
		return -errno;
	for (i = 0; i < KCOV_TEXT_SIZE; i++) {
		if (kcov_reached[i])
			fprintf(file, "%#llx\n", i);
	}
	return fclose(file) ? -errno : 0;
}
