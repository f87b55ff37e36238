// SPDX-License-Identifier: MIT
/*
 * A board of this machine, without a VM (--local): its driver is this machine's nnloop.ko, which it
 * is attached to by /dev/nnloop-board (uapi/misc/nnloop_attach.h). Workers map the memory of the
 * driver's clients from that device as they would map a VM's from its file. It shows only what is
 * the DSP's at the moment.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/misc/nnloop_attach.h"
#include "vdsp.h"

int local_open(const char *device, const char **why)
{
	int fd = open(device, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
		*why = "nnloop.ko is not loaded, or older than this board: modprobe nnloop";
		break;
	case EACCES:
	case EPERM:
		*why = "only root and the device's group may be a board";
		break;
	default:
		*why = strerror(errno);
	}
	return -1;
}

const char *local_attach(struct board *board)
{
	struct nnloop_board_attach attach = {
		.version = NNLOOP_BOARD_VERSION,
		.workers = board->worker_count,
		.registers = (uintptr_t)board->registers,
	};

	for (unsigned int i = 0; i <= NNLOOP_BOARD_MAX_WORKERS; i++) {
		bool used = i <= board->worker_count;

		attach.doorbell[i] = used ? board->doorbell[i] : -1;
		attach.interrupt[i] = used ? board->interrupt[i] : -1;
	}
	if (!ioctl(board->ram_fd, NNLOOP_BOARD_ATTACH, &attach))
		return NULL;
	switch (errno) {
	case EPROTO:
		return "nnloop.ko knows another version of boards: use a matching pair";
	case ENOSPC:
		return "nnloop.ko has as many boards as it takes";
	case EOPNOTSUPP:
		return "this machine cannot have a board: the kernel's log says why";
	default:
		return strerror(errno);
	}
}
