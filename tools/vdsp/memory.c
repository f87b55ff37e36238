// SPDX-License-Identifier: MIT
/*
 * The model of the L2 cache, for which --cache asks: a plugin that each worker's
 * QEMU loads (cache.c). It is beside the board's own program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vdsp.h"

#define MOST_KIB	(64u << 10)

/* A number of KiB, with K or M behind it, in bytes; 0: it is none. */
static uint64_t parse_size(const char *text)
{
	char *end;
	unsigned long kib = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || !kib || kib > MOST_KIB || !strchr("KM", *end) || !*end || end[1])
		return 0;
	if (*end == 'M')
		kib *= 1024;
	return kib <= MOST_KIB ? kib * 1024 : 0;
}

/* Whether this QEMU loads it: it ends QEMU with status 0 when it is told to. */
static bool is_loaded(const char *qemu, const char *plugin)
{
	char *argument;
	pid_t child;
	int status;

	if (asprintf(&argument, "%s,probe=on", plugin) < 0)
		return false;
	child = fork();
	if (!child) {
		int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
		execl(qemu, qemu, "-plugin", argument, "/nowhere", NULL);
		_exit(127);
	}
	free(argument);
	if (child < 0)
		return false;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

const char *memory_model(struct board *board, const char *size)
{
	char plugin[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", plugin, sizeof(plugin) - sizeof("cache.so"));
	uint64_t bytes = parse_size(size);

	if (!bytes)
		return "is not 1K to 64M";
	if (length < 0)
		return "finds no plugin";
	plugin[length] = '\0';
	strcpy(strrchr(plugin, '/') + 1, "cache.so");
	if (access(plugin, R_OK))
		return "needs cache.so beside vdsp: make board";
	if (!is_loaded(board->qemu_path, plugin))
		return "needs a qemu-hexagon that loads plugins, as Debian 12's does; this one loads none";
	if (asprintf(&board->plugin, "QEMU_PLUGIN=%s,size=%llu", plugin, (unsigned long long)bytes) < 0)
		return "is more than there is memory for";
	return NULL;
}
