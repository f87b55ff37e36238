// SPDX-License-Identifier: MIT
/*
 * Devices by name, and their lives.
 */
#include "device.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

int nn_device_open(const char *name, struct nn_device **device, struct nn_error *error)
{
	*device = NULL;
	if (error)
		*error = (struct nn_error){ 0 };
	if (!name || !strcmp(name, "hexagon"))
		return nn_device_open_hexagon("/dev/nnloop", device, error);
	if (!strcmp(name, "host"))
		return nn_device_open_host(device, error);
	if (*name == '/')
		return nn_device_open_hexagon(name, device, error);
	nn_error_set(
		error, -EINVAL,
		"there is no device \"%s\": it must be hexagon, host or the path of a node such as /dev/nnloop1",
		name);
	return -EINVAL;
}

struct nn_device *nn_device_ref(struct nn_device *device)
{
	if (device)
		atomic_fetch_add(&device->references, 1);
	return device;
}

void nn_device_unref(struct nn_device *device)
{
	if (device && atomic_fetch_sub(&device->references, 1) == 1)
		device->ops->close(device);
}

void nn_device_close(struct nn_device *device)
{
	nn_device_unref(device);
}

int nn_device_create_dmabuf(struct nn_device *device, uint64_t size, int *fd,
			    struct nn_error *error)
{
	*fd = -1;
	if (error)
		*error = (struct nn_error){ 0 };
	if (!size) {
		nn_error_set(error, -EINVAL, "a dma-buf needs at least 1 byte");
		return -EINVAL;
	}
	return device->ops->dmabuf_create(device, size, fd, error);
}

void nn_device_get_info(const struct nn_device *device, struct nn_device_info *info)
{
	*info = device->info;
}
