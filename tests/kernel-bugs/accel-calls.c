// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a call on an accel node, as user nobody, which the kernel may not survive.
 *
 * usage: cc -I/usr/include/libdrm accel-calls.c -o accel-calls
 *        accel-calls GET_UNIQUE|GET_MAGIC NODE     (as root, so that it can become nobody)
 *
 * Exit status: 0 if the call came back, with the answer that is printed, 2 if it could not be made.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm.h>

#define NOBODY 65534

int main(int argc, char **argv)
{
	struct drm_unique unique = { };
	struct drm_auth auth = { };
	int fd, ret;

	if (argc != 3)
		errx(2, "usage: accel-calls GET_UNIQUE|GET_MAGIC NODE");
	/* Who may open it is the administrator's decision; for the calls no more is needed. */
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(2, "%s", argv[2]);
	if (setgid(NOBODY) || setuid(NOBODY))
		err(2, "cannot become nobody");

	if (!strcmp(argv[1], "GET_UNIQUE"))
		ret = ioctl(fd, DRM_IOCTL_GET_UNIQUE, &unique);
	else if (!strcmp(argv[1], "GET_MAGIC"))
		ret = ioctl(fd, DRM_IOCTL_GET_MAGIC, &auth);
	else
		errx(2, "%s is neither GET_UNIQUE nor GET_MAGIC", argv[1]);
	printf("%s\n", ret ? strerror(errno) : "success");
	return 0;
}
