/* SPDX-License-Identifier: MIT */
/*
 * The system as the harness sees it: QEMU's for Hexagon, or the host's.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#ifdef __hexagon__

#include "dsp/firmware/syscall.h"

#define SYS_PREAD64		67
#define SYS_MEMFD_CREATE	279

static inline void system_write(const char *line, uint32_t length)
{
	sys_write(1, line, length);
}

static inline void __attribute__((noreturn)) system_exit(int status)
{
	sys_exit(status);
}

/* Memory of zeros that takes room only where it is written to, or none that can be touched. */
static inline uint8_t *system_reserve(uint32_t bytes, int protection)
{
	uint32_t at = sys_mmap(0, bytes, protection,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	return at > -4096u ? 0 : (uint8_t *)at;
}

/* A part of it that can be touched from now on. */
static inline bool system_open(uint8_t *at, uint32_t bytes)
{
	uint32_t place = (uint32_t)at;

	return sys_mmap(place, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1) == place;
}

/* A file with these bytes, or a negative number. */
static inline int system_keep(const uint8_t *data, uint32_t bytes)
{
	int file = system_call(SYS_MEMFD_CREATE, (uintptr_t)"bytes", 0, 0, 0, 0, 0);

	return file < 0 || sys_write(file, data, bytes) == (int32_t)bytes ? file : -1;
}

/* Bytes of it, which the host copies: far quicker than if that is emulated. */
static inline bool system_fetch(int file, uint8_t *to, uint32_t from, uint32_t bytes)
{
	return system_call(SYS_PREAD64, file, (uintptr_t)to, bytes, 0, from, 0) == (int32_t)bytes;
}

#else

#include <sys/mman.h>
#include <unistd.h>

static inline void system_write(const char *line, uint32_t length)
{
	while (length) {
		ssize_t done = write(1, line, length);

		if (done <= 0)
			_exit(1);
		line += done;
		length -= done;
	}
}

static inline void __attribute__((noreturn)) system_exit(int status)
{
	_exit(status);
}

static inline uint8_t *system_reserve(uint32_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static inline bool system_open(uint8_t *at, uint32_t bytes)
{
	return !mprotect(at, bytes, PROT_READ | PROT_WRITE);
}

static inline int system_keep(const uint8_t *data, uint32_t bytes)
{
	int file = memfd_create("bytes", 0);

	return file < 0 || write(file, data, bytes) == (ssize_t)bytes ? file : -1;
}

static inline bool system_fetch(int file, uint8_t *to, uint32_t from, uint32_t bytes)
{
	return pread(file, to, bytes, from) == (ssize_t)bytes;
}

#endif

#endif
