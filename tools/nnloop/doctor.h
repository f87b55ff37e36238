/* SPDX-License-Identifier: MIT */
/* The two halves of nnloop doctor, its checks and its report for bug reports: what they share. */
#ifndef NNLOOP_TOOL_DOCTOR_H
#define NNLOOP_TOOL_DOCTOR_H

#include <sys/stat.h>
#include <sys/utsname.h>

#include "nnloop.h"

struct doctor {
	const char *node;		/* /dev/nnloop, or what --device says */
	struct utsname kernel;
	struct stat stat;		/* of the node */
	int fd;				/* the node, open; or -1 */
	struct nn_device *device;	/* the same, the library's; or NULL */
	FILE *report;			/* NULL if none is wanted */
	char finding[768];		/* of the latest check */
};

/* ---- doctor_report.c ---- */

void doctor_write_report(const struct doctor *doctor);
/*
 * The newest warning or error of the kernel that names nnloop and this, too. False if there is
 * none, or for whoever may not read the kernel's log.
 */
bool doctor_last_warning(const char *name, char *message, size_t size);

#endif
