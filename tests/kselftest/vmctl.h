/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doing harm to the virtual board from inside the VM, through tools/vm/nnloop-vmctl, and setting
 * the time after which the driver takes a worker for hung.
 */
#ifndef NNLOOP_TEST_VMCTL_H
#define NNLOOP_TEST_VMCTL_H

#include <stdarg.h>
#include <sys/file.h>

#include "nnloop_test.h"

#define VMCTL_PORT	"/dev/virtio-ports/nnloop.control"
#define HANG_PARAMETER	"/sys/module/nnloop/parameters/hang_timeout_ms"

/* Is there such a thing here at all? */
static inline bool vmctl_works(void)
{
	return !access(VMCTL_PORT, R_OK | W_OK) && !system("command -v nnloop-vmctl >/dev/null");
}

/* vmctl("kill worker %u", 0): 0, or what the tool's exit status was. */
static inline __printf(1, 2) int vmctl(const char *format, ...)
{
	char what[64], command[96];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(command, sizeof(command), "nnloop-vmctl %s", what);
	return system(command);
}

/*
 * Stop a worker of the first board as soon as it is there, which is while it boots: the tool itself
 * would take too long for that. A byte is written to @ready when it may be born. 0, or -errno:
 * -ETIME if it was not, or lived too short.
 */
static inline int vmctl_stop_at_birth(unsigned int worker, int ready)
{
	__s64 end = deadline_ns(5);
	int lock = open("/run/nnloop-vmctl.lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int port = -1, ret = -ETIME;
	char text[64];
	ssize_t got;

	if (lock >= 0 && !flock(lock, LOCK_EX))
		port = open(VMCTL_PORT, O_RDWR | O_CLOEXEC);
	if (port < 0 || write(ready, "", 1) != 1)
		ret = -errno;
	while (ret == -ETIME && deadline_ns(0) < end) {
		if (dprintf(port, "stop worker %u 0\n", worker) < 0)
			break;
		got = read(port, text, sizeof(text));
		if (got > 0 && !strncmp(text, "ok", 2))
			ret = 0;
	}
	close(port);
	close(lock);
	return ret;
}

/* Returns the old value, or -errno. */
static inline int set_hang_timeout(unsigned int ms)
{
	FILE *file = fopen(HANG_PARAMETER, "r+");
	unsigned int old;
	int ret = 0;

	if (!file)
		return -errno;
	if (fscanf(file, "%u", &old) != 1)
		ret = -EIO;
	rewind(file);
	if (!ret && (fprintf(file, "%u\n", ms) < 0 || fflush(file)))
		ret = -errno;
	fclose(file);
	return ret ?: (int)old;
}

#endif
