/* SPDX-License-Identifier: MIT */
/*
 * The messages that the VM's host side (host.c) and its guest side (guest.c) send to each other
 * over one virtio-serial port.
 *
 * Each message is a header and `length` bytes. Both sides run on the same machine type, so numbers
 * are in native order.
 */
#ifndef NNLOOP_VM_PROTOCOL_H
#define NNLOOP_VM_PROTOCOL_H

#include <stdint.h>

#define VM_PORT_NAME "nnloop.command"
#define VM_CONTROL_PORT_NAME "nnloop.control"

#define VM_MAX_PAYLOAD 65536

/*
 * The host keeps at most this many bytes of stdin under way, so that a signal never waits behind
 * input nobody reads.
 */
#define VM_STDIN_WINDOW 65536

enum vm_message {
	/* guest to host */
	VM_HELLO = 1,	/* nothing: the guest is up and waits for VM_RUN */
	VM_STDOUT,	/* bytes */
	VM_STDERR,	/* bytes */
	VM_STDIN_TAKEN,	/* uint32_t: so many bytes of stdin were consumed or dropped */
	VM_EXIT,	/* struct vm_exit: the command ended; nothing follows */

	/* host to guest */
	VM_RUN,		/* struct vm_run, then strings with their NUL: directory, arguments,
			 * environment */
	VM_STDIN,	/* bytes; none means end of file */
	VM_SIGNAL,	/* uint32_t: for the command's process group */
};

struct vm_header {
	uint32_t type;	/* enum vm_message */
	uint32_t length;
};

struct vm_run {
	uint32_t args;
	uint32_t env;
	uint16_t stdout_is_tty, stderr_is_tty;
	uint16_t rows, columns;	/* of the terminal, where there is one */
};

struct vm_exit {
	uint32_t status;	/* as a shell reports it: 0-255, 128 + N where signal N ended it */
};

#endif
