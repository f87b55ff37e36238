/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking the board out and putting it in again. For root.
 */
#ifndef NNLOOP_TEST_HOTPLUG_H
#define NNLOOP_TEST_HOTPLUG_H

#include <limits.h>
#include <sys/sysmacros.h>

#include "nnloop_test.h"

static char pci_path[PATH_MAX];		/* /sys/devices/.../0000:00:05.0 */

/* 0 or an error; -ENODEV for a board that is no PCI function. */
static inline int find_pci_device(void)
{
	char node[64], link[64], path[PATH_MAX + 16], bus[PATH_MAX];
	struct stat st;
	int fd = device_open_drm_node(node, sizeof(node));

	if (fd < 0)
		return fd;
	close(fd);
	if (stat(node, &st))
		return -errno;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	if (!realpath(link, pci_path))
		return -errno;
	snprintf(path, sizeof(path), "%s/subsystem", pci_path);
	if (!realpath(path, bus))
		return -errno;
	return strcmp(strrchr(bus, '/'), "/pci") ? -ENODEV : 0;
}

static inline int pci_remove(void)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/remove", pci_path);
	return file_write(path, "1");
}

static inline int pci_rescan(void)
{
	return file_write("/sys/bus/pci/rescan", "1");
}

static inline int driver_unbind(void)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/driver/unbind", pci_path);
	return file_write(path, strrchr(pci_path, '/') + 1);
}

static inline int driver_bind(void)
{
	return file_write("/sys/bus/pci/drivers/nnloop/bind", strrchr(pci_path, '/') + 1);
}

#endif
