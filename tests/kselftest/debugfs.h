/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the device's folder in debugfs.
 */
#ifndef NNLOOP_TEST_DEBUGFS_H
#define NNLOOP_TEST_DEBUGFS_H

#include <sys/mount.h>
#include <sys/sysmacros.h>

#include "nnloop_test.h"

#define DEBUGFS	"/sys/kernel/debug"

/* Does nothing where it is mounted, and nobody but root can. */
static inline void debugfs_mount(void)
{
	mount("none", DEBUGFS, "debugfs", 0, NULL);
}

/* A whole file, at most size - 1 bytes of it. */
static inline int file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while (have < size - 1 && (got = read(fd, text + have, size - 1 - have)) > 0)
		have += got;
	text[have] = 0;
	close(fd);
	return 0;
}

/* A file of the device's folder in debugfs: accel devices have one by their address. */
static inline int debugfs_read(int fd, const char *name, char *text, size_t size)
{
	char address[64], path[192];
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	snprintf(path, sizeof(path), DEBUGFS "/dri/%u/%s", minor(st.st_rdev), name);
	ret = file_read(path, text, size);
	if (ret != -ENOENT)
		return ret;
	ret = device_address(fd, address, sizeof(address));
	if (ret)
		return ret;
	snprintf(path, sizeof(path), DEBUGFS "/accel/%s/%s", address, name);
	return file_read(path, text, size);
}

/* The number after "@what " in the file of workers, all workers together; or an error. */
static inline int debugfs_sum(int fd, const char *what)
{
	char text[4096], key[32], *at = text;
	int ret, sum = 0;

	snprintf(key, sizeof(key), " %s ", what);
	ret = debugfs_read(fd, "workers", text, sizeof(text));
	if (ret)
		return ret;
	while ((at = strstr(at, key))) {
		at += strlen(key);
		sum += atoi(at);
	}
	return sum;
}

/* Returns how often workers were started again. */
static inline int debugfs_restarts(int fd)
{
	return debugfs_sum(fd, "restarts");
}

/* Waits until their jobs have been looked at so often more, to find hangs, all workers together. */
static inline int workers_wait_looks(int fd, int count)
{
	int begin = debugfs_sum(fd, "looks"), now = begin;
	__s64 end = deadline_ns(WAIT_SECONDS);

	while (now >= 0 && now < begin + count) {
		if (deadline_ns(0) > end)
			return -ETIME;
		sleep_ms(20);
		now = debugfs_sum(fd, "looks");
	}
	return now < 0 ? now : 0;
}

/*
 * Waits until each worker is up and has no job, whatever the test before left to them: jobs of
 * clients that are gone may still be ending, and a worker may be on its way up again, with no
 * process that could be harmed.
 */
static inline int workers_wait_idle(int fd)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	char text[4096];
	int ret;

	do {
		ret = debugfs_read(fd, "workers", text, sizeof(text));
		if (ret || (!strstr(text, " job ") && !strstr(text, ": down")))
			return ret;
		sleep_ms(2);
	} while (deadline_ns(0) < end);
	return -ETIME;
}

#endif
