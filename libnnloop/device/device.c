// SPDX-License-Identifier: MIT
/*
 * Devices by name, and their lives.
 */
#include "device.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "team.h"

/* "host:N": how many threads, 0 if that is no number of them. */
static uint32_t read_threads(const char *text)
{
	uint32_t threads = 0;

	for (; *text >= '0' && *text <= '9' && threads <= NN_MAX_THREADS; text++)
		threads = threads * 10 + *text - '0';
	return *text || threads > NN_MAX_THREADS ? 0 : threads;
}

static int open_host(const char *threads, struct nn_device **device, struct nn_error *error)
{
	uint32_t count = read_threads(threads);

	if (count)
		return nn_device_open_host(count, device, error);
	nn_error_set(error, -EINVAL,
		     "\"host:%s\" is no device: behind host: goes a number of threads, 1 to %u", threads,
		     NN_MAX_THREADS);
	return -EINVAL;
}

static int open_device(const char *name, struct nn_device **device, struct nn_error *error)
{
	*device = NULL;
	if (!name || !strcmp(name, "hexagon"))
		return nn_device_open_hexagon("/dev/nnloop", device, error);
	if (!strcmp(name, "host"))
		return nn_device_open_host(0, device, error);
	if (!strncmp(name, "host:", 5))
		return open_host(name + 5, device, error);
	if (*name == '/')
		return nn_device_open_hexagon(name, device, error);
	nn_error_set(
		error, -EINVAL,
		"there is no device \"%s\": it must be hexagon, host, host:N with N threads or the path of a node such as /dev/nnloop1",
		name);
	return -EINVAL;
}

int nn_device_open_sized(const char *name, struct nn_device **device, struct nn_error *theirs,
			 size_t size)
{
	struct nn_error error = { 0 };
	int ret = open_device(name, device, &error);

	if (theirs)
		nn_sized_give(theirs, size, &error, sizeof(error));
	return ret;
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

static int create_dmabuf(struct nn_device *device, uint64_t size, int *fd, struct nn_error *error)
{
	*fd = -1;
	if (!size) {
		nn_error_set(error, -EINVAL, "a dma-buf needs at least 1 byte");
		return -EINVAL;
	}
	return device->ops->dmabuf_create(device, size, fd, error);
}

int nn_device_create_dmabuf_sized(struct nn_device *device, uint64_t size, int *fd,
				  struct nn_error *theirs, size_t error_size)
{
	struct nn_error error = { 0 };
	int ret = create_dmabuf(device, size, fd, &error);

	if (theirs)
		nn_sized_give(theirs, error_size, &error, sizeof(error));
	return ret;
}

void nn_device_get_info_sized(const struct nn_device *device, struct nn_device_info *info,
			      size_t size)
{
	nn_sized_give(info, size, &device->info, sizeof(device->info));
}
