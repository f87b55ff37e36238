// SPDX-License-Identifier: GPL-2.0
/*
 * Does an untouched page of a cut mapping show another page of the buffer? Asked of vgem, whose
 * buffers are the DRM GEM shmem helper's. Each page of a buffer is given its number through one
 * mapping; others are cut, each in a way of its own, before anything of them is touched, and then
 * read.
 *
 * usage: modprobe vgem; cc -I/usr/include/libdrm vgem-pages.c -o vgem-pages; ./vgem-pages
 *
 * As root. Prints a line for each way. Exit status: 0 if all pages are right, 1 if some are not,
 * 2 if that could not be found out.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>

#define PAGES 8
/* Where a mapping is cut, and how many pages of it are looked at from there on. */
#define FIRST 3
#define LOOKED_AT 2

static size_t page;

/* A node of vgem on which buffers can be made. */
static int open_vgem(void)
{
	char path[32], name[16];

	for (int minor = 0; minor < 64; minor++) {
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(name, 0, sizeof(name));
		if (!ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "vgem"))
			return fd;
		close(fd);
	}
	errx(2, "there is no vgem");
}

/* Is one of the pages another than it should be? The first of them is at FROM_FIRST. */
static bool wrong(const char *how, const char *from_first)
{
	bool found = false;

	printf("%s:", how);
	for (unsigned int i = 0; i < LOOKED_AT; i++) {
		__u32 number;

		memcpy(&number, from_first + i * page, sizeof(number));
		printf("%s page %u reads %u", i ? "," : "", FIRST + i, number);
		found |= number != FIRST + i;
	}
	printf("%s\n", found ? ": wrong" : "");
	return found;
}

static char *map(int fd, size_t pages, off_t offset)
{
	char *mem = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (mem == MAP_FAILED)
		err(2, "mmap");
	return mem;
}

int main(void)
{
	struct drm_prime_handle export = { .flags = DRM_RDWR | DRM_CLOEXEC };
	struct drm_mode_create_dumb create = { .height = 1, .bpp = 32 };
	struct drm_mode_map_dumb node = { };
	bool found = false;
	char *mem;
	int fd;

	page = sysconf(_SC_PAGESIZE);
	create.width = PAGES * page / 4;
	fd = open_vgem();
	if (ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &create))
		err(2, "DRM_IOCTL_MODE_CREATE_DUMB");
	node.handle = create.handle;
	if (ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &node))
		err(2, "DRM_IOCTL_MODE_MAP_DUMB");
	export.handle = create.handle;
	if (ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export))
		err(2, "DRM_IOCTL_PRIME_HANDLE_TO_FD");

	mem = map(fd, PAGES, node.offset);
	for (__u32 i = 0; i < PAGES; i++)
		memcpy(mem + i * page, &i, sizeof(i));
	if (wrong("a mapping as it was made", mem + FIRST * page))
		errx(2, "that should be right on any kernel");

	mem = map(fd, PAGES, node.offset);
	if (munmap(mem, FIRST * page))
		err(2, "munmap");
	found |= wrong("after munmap() of the pages before", mem + FIRST * page);

	mem = map(fd, PAGES, node.offset);
	if (mprotect(mem + FIRST * page, LOOKED_AT * page, PROT_READ))
		err(2, "mprotect");
	found |= wrong("after mprotect() of these pages alone", mem + FIRST * page);

	mem = map(fd, PAGES, node.offset);
	if (madvise(mem + FIRST * page, LOOKED_AT * page, MADV_DONTFORK))
		err(2, "madvise");
	found |= wrong("after MADV_DONTFORK for these pages alone", mem + FIRST * page);

	mem = map(export.fd, LOOKED_AT, FIRST * page);
	found |= wrong("a mapping of the dma-buf from the first of them on", mem);
	return found;
}
