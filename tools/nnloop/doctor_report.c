// SPDX-License-Identifier: MIT
/*
 * The report has what a bug report needs and its writer would have to look for. No names of people
 * or machines are in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "doctor.h"
#include "drm/nnloop_accel.h"

#define KEPT_MESSAGES 200
#define LEVEL_WARNING 4

/* ---- The kernel's log ---- */

typedef void message_fp(const char *message, unsigned int level, void *opaque);

/* Calls what for each message about nnloop, the oldest first. 0 or a negative errno. */
static int each_message(message_fp *what, void *opaque)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192], *text;
	ssize_t got;

	if (fd < 0)
		return -errno;
	/*
	 * A record a read: facility * 8 + level,...;text. EPIPE: some were overwritten before they
	 * were read.
	 */
	while ((got = read(fd, record, sizeof(record) - 1)) > 0 || (got < 0 && errno == EPIPE)) {
		if (got < 0)
			continue;
		record[got] = '\0';
		text = strchr(record, ';');
		if (!text)
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (strstr(text, "nnloop"))
			what(text + 1, strtoul(record, NULL, 10) & 7, opaque);
	}
	close(fd);
	return 0;
}

struct search {
	const char *name;
	char *message;
	size_t size;
	bool found;
};

static void match(const char *message, unsigned int level, void *opaque)
{
	struct search *search = opaque;

	/* After the driver's sentence comes one of the kernel's that has a number only. */
	if (level > LEVEL_WARNING || !strstr(message, search->name) ||
	    strstr(message, "failed with error"))
		return;
	snprintf(search->message, search->size, "%s", message);
	search->found = true;
}

bool doctor_last_warning(const char *name, char *message, size_t size)
{
	struct search search = { .name = name, .message = message, .size = size };

	each_message(match, &search);
	return search.found;
}

struct log {
	char *messages[KEPT_MESSAGES];
	unsigned int count;
};

static void keep(const char *message, unsigned int level, void *opaque)
{
	struct log *log = opaque;
	char **place = &log->messages[log->count++ % KEPT_MESSAGES];

	(void)level;
	free(*place);
	*place = strdup(message);
}

static void write_log(FILE *stream)
{
	struct log log = { .count = 0 };
	int err = each_message(keep, &log);
	unsigned int first = log.count > KEPT_MESSAGES ? log.count - KEPT_MESSAGES : 0;

	if (err)
		fprintf(stream, "not readable (%s): run as root for it\n", strerror(-err));
	for (unsigned int i = first; i < log.count; i++) {
		const char *message = log.messages[i % KEPT_MESSAGES];

		fprintf(stream, "%s\n", message ? message : "(out of memory)");
	}
	for (unsigned int i = 0; i < KEPT_MESSAGES; i++)
		free(log.messages[i]);
}

/* ---- Files of the system ---- */

static void copy(FILE *stream, FILE *from)
{
	char line[1024];

	while (fgets(line, sizeof(line), from))
		fputs(line, stream);
}

/* All files of a pattern, each under its name. */
static void write_files(FILE *stream, const char *pattern)
{
	glob_t found = { 0 };

	if (glob(pattern, GLOB_BRACE, NULL, &found))
		fprintf(stream, "%s: there is none%s\n", pattern,
			geteuid() ? ", or only for root" : "");
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *from = fopen(found.gl_pathv[i], "re");

		if (!from) {
			fprintf(stream, "%s: %s\n", found.gl_pathv[i], strerror(errno));
			continue;
		}
		fprintf(stream, "%s:\n", found.gl_pathv[i]);
		copy(stream, from);
		fclose(from);
	}
	globfree(&found);
}

/* Constant commands only. */
static void write_command(FILE *stream, const char *command)
{
	FILE *from = popen(command, "re");

	if (!from) {
		fprintf(stream, "%s: %s\n", command, strerror(errno));
		return;
	}
	copy(stream, from);
	pclose(from);
}

/* ---- The device ---- */

static void write_query(FILE *stream, int fd)
{
	struct drm_nnloop_device_info info = { 0 };
	struct drm_nnloop_query query = {
		.type = DRM_NNLOOP_QUERY_DEVICE,
		.size = sizeof(info),
		.pointer = (uintptr_t)&info,
	};

	if (ioctl(fd, DRM_IOCTL_NNLOOP_QUERY, &query)) {
		fprintf(stream, "the query fails: %s\n", strerror(errno));
		return;
	}
	fprintf(stream, "hardware_version %u.%u\n", info.hardware_version >> 16,
		info.hardware_version & 0xffff);
	fprintf(stream, "firmware_version %u.%u\n", info.firmware_version >> 16,
		info.firmware_version & 0xffff);
	fprintf(stream, "worker_count %u\nmax_passes %u\nmax_args %u\npage_size %u\n",
		info.worker_count, info.max_passes, info.max_args, info.page_size);
	fprintf(stream, "window_base %#llx\nwindow_size %#llx\n",
		(unsigned long long)info.window_base, (unsigned long long)info.window_size);
	fprintf(stream, "hang_timeout_ms %u\nmax_queues %u\n", info.hang_timeout_ms,
		info.max_queues);
	fprintf(stream, "bytes known to the driver %u, to nnloop %zu\n", query.size, sizeof(info));
}

static void write_device(const struct doctor *doctor)
{
	char path[64];

	if (doctor->fd < 0) {
		fprintf(doctor->report, "%s could not be opened\n", doctor->node);
		return;
	}
	write_query(doctor->report, doctor->fd);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", doctor->fd);
	write_files(doctor->report, path);
}

static void __attribute__((format(printf, 2, 3)))
heading(FILE *stream, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("\n== ", stream);
	vfprintf(stream, format, args);
	fputs(" ==\n", stream);
	va_end(args);
}

void doctor_write_report(const struct doctor *doctor)
{
	FILE *stream = doctor->report;
	time_t now = time(NULL);
	char date[64];

	strftime(date, sizeof(date), "%F %T", gmtime(&now));
	heading(stream, "nnloop " NNLOOP_VERSION ", %s UTC", date);
	fprintf(stream, "%s %s %s %s\n", doctor->kernel.sysname, doctor->kernel.release,
		doctor->kernel.version, doctor->kernel.machine);
	write_files(stream, "/etc/os-release");
	heading(stream, "module");
	write_command(stream, "PATH=$PATH:/usr/sbin:/sbin modinfo nnloop 2>&1");
	write_files(stream, "/sys/module/nnloop/{initstate,refcnt,taint,srcversion}");
	write_files(stream, "/sys/module/nnloop/parameters/*");
	heading(stream, "device");
	fprintf(stream, "user %u, group %u\n", geteuid(), getegid());
	write_command(stream, "ls -l /dev/nnloop* /dev/accel /dev/dri /sys/class/nnloop 2>&1");
	write_files(stream, "/sys/bus/pci/drivers/nnloop/*:*/{resource,power/control,power/runtime_status}");
	write_command(stream, "ls -l /sys/class/nnloop/*/device 2>&1");
	write_command(stream, "systemctl status --no-pager --full nnloop-board 2>&1");
	write_device(doctor);
	heading(stream, "debugfs");
	write_files(stream, "/sys/kernel/debug/{dri,accel}/*/{workers,nnloop_clients,buffers,faults}");
	heading(stream, "devcoredump: the last job that failed");
	write_files(stream, "/sys/bus/pci/drivers/nnloop/*:*/devcoredump/data");
	heading(stream, "the kernel's log about nnloop");
	write_log(stream);
}
