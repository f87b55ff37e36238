/* SPDX-License-Identifier: MIT */
/*
 * The device that a test program executes graphs on: the host with two threads, or what --device
 * names. The same programs run on the host here and on the DSP in the VM.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"

static struct nn_device *device;
static bool on_host;

static inline void open_device(int argc, char **argv)
{
	const char *name = argc == 3 && !strcmp(argv[1], "--device") ? argv[2] : "host:2";
	struct nn_error error;

	if (argc != 1 && argc != 3) {
		fprintf(stderr, "usage: %s [--device DEVICE]\n", argv[0]);
		exit(2);
	}
	if (nn_device_open(name, &device, &error)) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	on_host = !strncmp(name, "host", 4);
	printf("# on %s\n", name);
}

#endif
