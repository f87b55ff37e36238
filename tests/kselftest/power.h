/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runtime power management, as an administrator sees and sets it: the files in the folder power/ in
 * sysfs of the PCI function, or of what stands for it.
 */
#ifndef NNLOOP_TEST_POWER_H
#define NNLOOP_TEST_POWER_H

#include <limits.h>

#include "nnloop_test.h"

static inline int power_open(int fd, const char *name, int flags)
{
	struct stat st;
	char path[128];
	int file;

	if (fstat(fd, &st))
		return -errno;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/power/%s", major(st.st_rdev),
		 minor(st.st_rdev), name);
	file = open(path, flags | O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/* The file's one word. */
static inline int power_read(int fd, const char *name, char *text, size_t size)
{
	int file = power_open(fd, name, O_RDONLY);
	ssize_t got;

	if (file < 0)
		return file;
	got = read(file, text, size - 1);
	close(file);
	if (got < 0)
		return -errno;
	text[got] = 0;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

static inline int power_write(int fd, const char *name, const char *text)
{
	int file = power_open(fd, name, O_WRONLY), ret = 0;

	if (file < 0)
		return file;
	if (write(file, text, strlen(text)) < 0)
		ret = -errno;
	close(file);
	return ret;
}

/* Are the workers awake ("active") or parked ("suspended")? */
static inline bool power_is(int fd, const char *status)
{
	char now[32];

	return !power_read(fd, "runtime_status", now, sizeof(now)) && !strcmp(now, status);
}

/* The same, as soon as it is. */
static inline bool power_becomes(int fd, const char *status)
{
	__s64 end = deadline_ns(WAIT_SECONDS);

	while (!power_is(fd, status)) {
		if (deadline_ns(0) >= end)
			return false;
		sleep_ms(2);
	}
	return true;
}

/* Workers that are parked are woken, and none is parked until @control is written back. */
static inline int power_stay_awake(int fd, char *control, size_t size)
{
	int ret = power_read(fd, "control", control, size);

	ret = ret ?: power_write(fd, "control", "on");
	return ret ?: power_becomes(fd, "active") ? 0 : -ETIME;
}

#endif
