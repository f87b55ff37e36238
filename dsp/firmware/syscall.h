/* SPDX-License-Identifier: MIT */
/*
 * Linux system calls as qemu-hexagon takes them: trap0(#1), number in r6, arguments in r0 .. r5,
 * result or -errno in r0. QEMU reads and writes the buffers by itself, past the SMMU: they must
 * never lie in a window.
 */
#ifndef SYSCALL_H
#define SYSCALL_H

#include <stdint.h>

#define SYS_READ	63
#define SYS_WRITE	64
#define SYS_PPOLL	73
#define SYS_EXIT_GROUP	94
#define SYS_TGKILL	131
#define SYS_GETPID	172
#define SYS_MMAP2	222

#define PROT_NONE	0x0
#define PROT_READ	0x1
#define PROT_WRITE	0x2
#define MAP_SHARED	0x01
#define MAP_PRIVATE	0x02
#define MAP_FIXED	0x10
#define MAP_ANONYMOUS	0x20
#define MAP_NORESERVE	0x4000

#define POLLIN		0x1

struct pollfd {
	int32_t fd;
	int16_t events;
	int16_t revents;
};

static inline int32_t system_call(uint32_t number, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
				  uint32_t e, uint32_t f)
{
	register uint32_t r0 asm("r0") = a;
	register uint32_t r1 asm("r1") = b;
	register uint32_t r2 asm("r2") = c;
	register uint32_t r3 asm("r3") = d;
	register uint32_t r4 asm("r4") = e;
	register uint32_t r5 asm("r5") = f;
	register uint32_t r6 asm("r6") = number;

	asm volatile("trap0(#1)"
		     : "+r"(r0)
		     : "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5), "r"(r6)
		     : "memory");
	return (int32_t)r0;
}

static inline int32_t sys_read(int fd, void *buffer, uint32_t size)
{
	return system_call(SYS_READ, fd, (uintptr_t)buffer, size, 0, 0, 0);
}

static inline int32_t sys_write(int fd, const void *buffer, uint32_t size)
{
	return system_call(SYS_WRITE, fd, (uintptr_t)buffer, size, 0, 0, 0);
}

/* Waits for ever. */
static inline int32_t sys_poll(struct pollfd *fds, uint32_t count)
{
	return system_call(SYS_PPOLL, (uintptr_t)fds, count, 0, 0, 0, 0);
}

/* The address, or -errno: from -4095 to -1. */
static inline uint32_t sys_mmap(uint32_t address, uint32_t size, int prot, int flags, int fd)
{
	return system_call(SYS_MMAP2, address, size, prot, flags, fd, 0);
}

/* Send this process, which has one thread, a signal: it has been handled on return. */
static inline void sys_signal_self(int number)
{
	int32_t pid = system_call(SYS_GETPID, 0, 0, 0, 0, 0, 0);

	system_call(SYS_TGKILL, pid, pid, number, 0, 0, 0);
}

static inline void __attribute__((noreturn)) sys_exit(int status)
{
	for (;;)
		system_call(SYS_EXIT_GROUP, status, 0, 0, 0, 0, 0);
}

#endif
