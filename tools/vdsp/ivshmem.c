// SPDX-License-Identifier: MIT
/* The server side of ivshmem. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ivshmem.h"

#define PROTOCOL_VERSION	0
#define SHARED_MEMORY		(-1)

int ivshmem_listen(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		fprintf(stderr, "vdsp: the socket's path is longer than %zu bytes: %s\n",
			sizeof(address.sun_path) - 1, path);
		return -1;
	}
	strcpy(address.sun_path, path);

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		fprintf(stderr, "vdsp: cannot make a socket: %s\n", strerror(errno));
		return -1;
	}
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1)) {
		fprintf(stderr, "vdsp: cannot listen on %s: %s\n", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

/* A message is 8 bytes and, with fd >= 0, a descriptor. */
static int send_message(int connection, int64_t value, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	uint64_t wire = htole64(value);
	struct iovec iov = { .iov_base = &wire, .iov_len = sizeof(wire) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.space);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
	}
	return sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof(wire) ? 0 : -1;
}

int ivshmem_introduce(int connection, int memory, const int *dsp_eventfd, const int *vm_eventfd,
		      unsigned int vectors)
{
	unsigned int i;

	if (send_message(connection, PROTOCOL_VERSION, -1) ||
	    send_message(connection, IVSHMEM_PEER_VM, -1) ||
	    send_message(connection, SHARED_MEMORY, memory))
		return -1;
	for (i = 0; i < vectors; i++)
		if (send_message(connection, IVSHMEM_PEER_DSP, dsp_eventfd[i]))
			return -1;
	for (i = 0; i < vectors; i++)
		if (send_message(connection, IVSHMEM_PEER_VM, vm_eventfd[i]))
			return -1;
	return 0;
}
