// SPDX-License-Identifier: MIT
/*
 * Makes today's driver look like one of 1.0 to the program that this library is preloaded into:
 * that is the version it reports, and it refuses a flag that 1.0 does not know as 1.0 did.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include <drm/nnloop_accel.h>

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real_ioctl)(int fd, unsigned long request, ...);
	struct drm_nnloop_bo_create *create;
	struct drm_nnloop_bo_info *info;
	struct drm_version *version;
	va_list arguments;
	void *argument;
	int result;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (!real_ioctl)
		*(void **)&real_ioctl = dlsym(RTLD_NEXT, "ioctl");

	create = argument;
	if (request == DRM_IOCTL_NNLOOP_BO_CREATE && create->flags & ~DRM_NNLOOP_BO_WRITE_COMBINE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	result = real_ioctl(fd, request, argument);
	version = argument;
	if (!result && request == DRM_IOCTL_VERSION)
		version->version_minor = 0;
	info = argument;
	if (!result && request == DRM_IOCTL_NNLOOP_BO_INFO)
		info->flags &= DRM_NNLOOP_BO_WRITE_COMBINE | DRM_NNLOOP_BO_SEALED |
			       DRM_NNLOOP_BO_IMPORTED;
	return result;
}
