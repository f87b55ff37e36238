/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doing harm to the virtual board from inside the VM, as tools/vm/nnloop-vmctl does, or where the
 * board is a process beside the tests (tests/vm-suite --soft), to that; and setting the module's
 * times: after which a worker is taken for hung, and how long jobs run.
 */
#ifndef NNLOOP_TEST_VMCTL_H
#define NNLOOP_TEST_VMCTL_H

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/sysmacros.h>

#include "nnloop_test.h"

#define VMCTL_PORT	"/dev/virtio-ports/nnloop.control"
/* The processes of a board of this machine, as vdsp --pids writes them. */
#define VMCTL_PIDS	"/run/nnloop-board.pids"
/* It takes the place of an open port there. */
#define VMCTL_HERE	INT_MAX
#define HANG_PARAMETER	"/sys/module/nnloop/parameters/hang_timeout_ms"
#define SLICE_PARAMETER	"/sys/module/nnloop/parameters/slice_ms"
#define LIMIT_PARAMETER	"/sys/module/nnloop/parameters/pass_limit_ms"

/* Is there such a thing here at all? */
static inline bool vmctl_works(void)
{
	return !access(VMCTL_PIDS, R_OK) || !access(VMCTL_PORT, R_OK | W_OK);
}

/* Does to a board of this machine what vmctl_ask() would ask of the host. */
static inline int vmctl_ask_here(const char *question)
{
	char what[16] = "", whom[16] = "", line[64], name[16];
	unsigned int worker = 0, number, count = 0;
	int pid, signal, ret = -EAGAIN;
	FILE *pids = fopen(VMCTL_PIDS, "re");

	if (!pids)
		return -EAGAIN;
	if (sscanf(question, "%15s %15s %u", what, whom, &worker) < 2)
		what[0] = 0;
	signal = !strcmp(what, "kill") ? SIGKILL : !strcmp(what, "stop") ? SIGSTOP : SIGCONT;
	while (fgets(line, sizeof(line), pids)) {
		bool is_board = sscanf(line, "board %d", &pid) == 1;

		if (!is_board && sscanf(line, "%15s %u %d", name, &number, &pid) != 3)
			continue;
		count++;
		if (!strcmp(what, "count"))
			ret = count;
		else if (is_board ? !strcmp(whom, "board") :
			 !strcmp(whom, "worker") && number == worker)
			ret = kill(pid, signal) ? -EAGAIN : 0;
	}
	fclose(pids);
	return ret;
}

/* The port, with nobody else in it; *lock is to be closed, too. Or -errno. */
static inline int vmctl_open(int *lock)
{
	int port = -1;

	if (!access(VMCTL_PIDS, R_OK)) {
		*lock = -1;
		return VMCTL_HERE;
	}
	*lock = open("/run/nnloop-vmctl.lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (*lock >= 0 && !flock(*lock, LOCK_EX))
		port = open(VMCTL_PORT, O_RDWR | O_CLOEXEC);
	return port < 0 ? -errno : port;
}

static inline bool vmctl_is_board(const char *slot)
{
	static const char * const file[] = { "vendor", "device" };
	static const unsigned int id[] = { 0x1af4, 0x1110 };
	char path[320];
	unsigned int i, value;
	bool is = true;
	FILE *stream;

	for (i = 0; i < 2 && is; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", slot, file[i]);
		stream = fopen(path, "r");
		is = stream && fscanf(stream, "%x", &value) == 1 && value == id[i];
		if (stream)
			fclose(stream);
	}
	return is;
}

/*
 * The host's number of the board behind a device node: it counts them in the order of their slots.
 * -ENODEV if there is none.
 */
static inline int vmctl_board_of(const char *node)
{
	char link[64], device[PATH_MAX];
	int count, i, before = 0, found = -ENODEV;
	struct dirent **slots;
	struct stat st;

	if (stat(node, &st))
		return -ENODEV;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	if (realpath(link, device) && strstr(device, "/nnloop-soft"))
		return 0;
	count = realpath(link, device) ? scandir("/sys/bus/pci/devices", &slots, NULL, alphasort)
				       : 0;
	for (i = 0; i < count; i++) {
		if (!strcmp(slots[i]->d_name, strrchr(device, '/') + 1))
			found = before;
		before += vmctl_is_board(slots[i]->d_name);
		free(slots[i]);
	}
	if (count > 0)
		free(slots);
	return found;
}

/* One question to the port: the number that the host answers after "ok", or 0; -EAGAIN, -EIO. */
static inline int vmctl_ask(int port, const char *question)
{
	char text[64];
	ssize_t got;

	if (port == VMCTL_HERE)
		return vmctl_ask_here(question);
	if (dprintf(port, "%s\n", question) < 0)
		return -EIO;
	got = read(port, text, sizeof(text) - 1);
	if (got <= 0)
		return -EIO;
	text[got] = 0;
	return !strncmp(text, "ok", 2) ? atoi(text + 2) : -EAGAIN;
}

static inline int vmctl_ask_alone(const char *question)
{
	int lock, port = vmctl_open(&lock);
	int ret = port < 0 ? port : vmctl_ask(port, question);

	close(port);
	close(lock);
	return ret;
}

/* "stop board", say, of the board with the host's number. 0, or -errno. */
static inline int vmctl_at(int board, const char *what)
{
	char question[64];

	if (board < 0)
		return board;
	snprintf(question, sizeof(question), "%s %d", what, board);
	return vmctl_ask_alone(question);
}

/* vmctl("kill worker %u", 0), of the first board. 0, or -errno. */
static inline __printf(1, 2) int vmctl(const char *format, ...)
{
	char what[48];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return vmctl_at(vmctl_board_of(NNLOOP_NODE), what);
}

/* The processes of all boards and their workers, or -errno. */
static inline int vmctl_count_processes(void)
{
	return vmctl_ask_alone("count processes");
}

/*
 * Stop a worker of the first board as soon as it is there, which is while it boots. A byte is
 * written to @ready when it may be born. 0, or -errno: -ETIME if it was not, or lived too short.
 */
static inline int vmctl_stop_at_birth(unsigned int worker, int ready)
{
	__s64 end = deadline_ns(5);
	int lock, port = vmctl_open(&lock), ret = -EAGAIN;
	char question[64];

	snprintf(question, sizeof(question), "stop worker %u %d", worker,
		 vmctl_board_of(NNLOOP_NODE));
	if (port < 0 || write(ready, "", 1) != 1)
		ret = -errno;
	while (ret == -EAGAIN && deadline_ns(0) < end)
		ret = vmctl_ask(port, question);
	close(port);
	close(lock);
	return ret == -EAGAIN ? -ETIME : ret;
}

/* Sets a parameter of the module; the value before, or -errno. */
static inline int set_parameter(const char *path, unsigned int value)
{
	FILE *file = fopen(path, "r+");
	unsigned int old;
	int ret = 0;

	if (!file)
		return -errno;
	if (fscanf(file, "%u", &old) != 1)
		ret = -EIO;
	rewind(file);
	if (!ret && (fprintf(file, "%u\n", value) < 0 || fflush(file)))
		ret = -errno;
	fclose(file);
	return ret ?: (int)old;
}

/* For workers that were stopped, while there is none that may be slow for other reasons. */
#define SHORT_HANG_MS	400

/* Returns the old value, or -errno. */
static inline int set_hang_timeout(unsigned int ms)
{
	return set_parameter(HANG_PARAMETER, ms);
}

#endif
