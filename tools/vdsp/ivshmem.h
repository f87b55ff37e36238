/* SPDX-License-Identifier: MIT */
/*
 * The server side of ivshmem, the protocol by which QEMU plugs in a device whose BAR2 is shared
 * memory and whose doorbells and interrupts are eventfds (QEMU: docs/specs/ivshmem-spec.txt).
 */
#ifndef IVSHMEM_H
#define IVSHMEM_H

/* Peer ids. */
#define IVSHMEM_PEER_DSP	0
#define IVSHMEM_PEER_VM		1

/*
 * Listen on a Unix socket at `path`, replacing a stale one. The descriptor, or -1 after a message
 * on stderr.
 */
int ivshmem_listen(const char *path);

/*
 * Tell a VM that has connected about the device: its shared memory, the DSP's eventfds (doorbells),
 * the VM's own (MSI-X vectors), `vectors` of each. 0, or -1 with errno.
 */
int ivshmem_introduce(int connection, int memory, const int *dsp_eventfd, const int *vm_eventfd,
		      unsigned int vectors);

#endif
