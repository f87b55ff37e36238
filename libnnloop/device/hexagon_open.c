// SPDX-License-Identifier: MIT
/*
 * Opening the Hexagon device: is it there, is it ours, do the versions fit; and if not, why.
 */
#include "hexagon.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#include "base/error.h"
#include "drm/nnloop_accel.h"

#define UAPI_MAJOR		1
/* The first with which a job can make room in the middle of a pass. */
#define UAPI_MINOR_CONTROL	3
/* The first that has all operators that the library gives it, in all forms. */
#define FIRMWARE_MAJOR		1u
#define FIRMWARE_MINOR		9u

/* Why the node could not be opened, and what to do. */
static int open_error(const char *path, int code, struct nn_error *error)
{
	struct group group, *found = NULL;
	struct stat status;
	char names[1024];

	switch (code) {
	case -ENOENT:
		if (access("/sys/module/nnloop", F_OK))
			nn_error_set(
				error, code,
				"there is no %s: the kernel module nnloop is not loaded (try: modprobe nnloop)",
				path);
		else
			nn_error_set(
				error, code,
				"there is no %s: the module nnloop is loaded but has found no such DSP",
				path);
		break;
	case -EACCES:
	case -EPERM:
		code = -EACCES;
		if (!stat(path, &status))
			getgrgid_r(status.st_gid, &group, names, sizeof(names), &found);
		if (found && !status.st_gid)
			nn_error_set(
				error, code,
				"no permission on %s: it is for root alone, because nnloop's udev rule is not installed (nnloop doctor says more)",
				path);
		else
			nn_error_set(
				error, code,
				"no permission on %s: it is open to the group %s, which your user must be a member of",
				path, found ? found->gr_name : "render");
		break;
	case -ENODEV:
	case -ENXIO:
		code = -ENODEV;
		nn_error_set(error, code, "the device behind %s is gone", path);
		break;
	default:
		nn_error_set(error, code, "cannot open %s: %s", path, strerror(-code));
	}
	return code;
}

static int check_driver(struct hexagon *hexagon, const char *path, struct nn_error *error)
{
	drmVersionPtr version = drmGetVersion(hexagon->fd);
	struct nn_device_info *info = &hexagon->device.info;
	bool ours;

	ours = version && version->name && !strcmp(version->name, "nnloop");
	if (ours) {
		info->uapi_major = version->version_major;
		info->uapi_minor = version->version_minor;
	}
	if (version)
		drmFreeVersion(version);
	if (!ours) {
		nn_error_set(error, -ENODEV, "%s is not an nnloop device", path);
		return -ENODEV;
	}
	if (info->uapi_major != UAPI_MAJOR) {
		nn_error_set(
			error, -EPROTO,
			"the driver behind %s has interface version %u.%u, but this library needs %u.x: install matching versions",
			path, info->uapi_major, info->uapi_minor, UAPI_MAJOR);
		return -EPROTO;
	}
	return 0;
}

static int check_hardware(struct hexagon *hexagon, const char *path, struct nn_error *error)
{
	struct drm_nnloop_device_info facts = { 0 };
	struct drm_nnloop_query query = {
		.type = DRM_NNLOOP_QUERY_DEVICE,
		.size = sizeof(facts),
		.pointer = (uintptr_t)&facts,
	};
	struct nn_device_info *info = &hexagon->device.info;
	int code;

	code = nn_hexagon_call(hexagon, DRM_IOCTL_NNLOOP_QUERY, &query);
	if (code) {
		nn_error_set(error, code, "cannot ask %s what it is: %s", path, strerror(-code));
		return code;
	}
	if (facts.firmware_version >> 16 != FIRMWARE_MAJOR ||
	    (facts.firmware_version & 0xffff) < FIRMWARE_MINOR || facts.max_args < NN_ARG_COUNT) {
		nn_error_set(
			error, -EPROTO,
			"the DSP behind %s runs firmware %u.%u, which this library (for %u.%u and later %u.x) cannot use: install matching versions",
			path, facts.firmware_version >> 16, facts.firmware_version & 0xffff,
			FIRMWARE_MAJOR, FIRMWARE_MINOR, FIRMWARE_MAJOR);
		return -EPROTO;
	}
	info->kind = NN_DEVICE_HEXAGON;
	hexagon->device.controls = info->uapi_minor >= UAPI_MINOR_CONTROL;
	hexagon->device.pass_counts = (DRM_NNLOOP_MAX_ARGS - NN_ARG_COUNT) / 2;
	info->workers = facts.worker_count;
	info->firmware_version = facts.firmware_version;
	info->max_passes = facts.max_passes;
	hexagon->window_size = facts.window_size;
	hexagon->device.memory = facts.window_size;
	snprintf(info->node, sizeof(info->node), "%s", path);
	snprintf(info->name, sizeof(info->name), "Hexagon DSP, %u worker%s, firmware %u.%u",
		 info->workers, info->workers == 1 ? "" : "s", facts.firmware_version >> 16,
		 facts.firmware_version & 0xffff);
	return 0;
}

int nn_device_open_hexagon(const char *path, struct nn_device **result, struct nn_error *error)
{
	struct hexagon *hexagon = calloc(1, sizeof(*hexagon));
	int code;

	if (!hexagon) {
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	hexagon->device.ops = &nn_hexagon_ops;
	hexagon->device.references = 1;
	hexagon->fd = open(path, O_RDWR | O_CLOEXEC);
	if (hexagon->fd < 0) {
		code = open_error(path, -errno, error);
		goto free_hexagon;
	}
	code = check_driver(hexagon, path, error);
	if (code)
		goto close_fd;
	code = check_hardware(hexagon, path, error);
	if (code)
		goto close_fd;
	code = -pthread_mutex_init(&hexagon->lock, NULL);
	if (code)
		goto close_fd;
	*result = &hexagon->device;
	return 0;

close_fd:
	close(hexagon->fd);
free_hexagon:
	free(hexagon);
	return code;
}
