/* SPDX-License-Identifier: MIT */
/*
 * The Hexagon device: what working with it (hexagon.c) and opening it (hexagon_open.c) share.
 */
#ifndef NN_HEXAGON_H
#define NN_HEXAGON_H

#include <pthread.h>

#include "device.h"

struct import;

struct hexagon {
	struct nn_device device;
	int fd;
	uint64_t window_size;		/* bytes that all buffers together can have */
	atomic_ullong used;		/* of these, by blocks that are not imported */
	pthread_mutex_t lock;		/* protects imports, and importing against closing */
	struct import *imports;
};

extern const struct nn_device_ops nn_hexagon_ops;

/* An ioctl of the driver's. 0 or a negative errno. */
int nn_hexagon_call(struct hexagon *hexagon, unsigned long request, void *argument);

#endif
