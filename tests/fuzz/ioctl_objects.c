// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers, which a thread decides by, and the objects that live, which its calls are about.
 */
#include "ioctl.h"

static _Atomic int fds[FD_TYPES][OBJECTS];	/* other files of this process, 0: none */
static __thread __u64 random_state;

void random_seed(__u64 seed)
{
	random_state = seed;
}

__u64 random_next(void)		/* splitmix64 */
{
	__u64 x;

	random_state += 0x9e3779b97f4a7c15;
	x = random_state;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

__u64 below(__u64 n)
{
	return random_next() % n;
}

bool one_in(unsigned int n)
{
	return !below(n);
}

/* One that lives, if there is one. */
struct object *pick(struct object *objects)
{
	unsigned int first = below(OBJECTS), i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *object = &objects[(first + i) % OBJECTS];

		if (object->handle)
			return object;
	}
	return &objects[first];
}

void keep_fd(enum fd_type type, int fd)
{
	int old = atomic_exchange(&fds[type][below(OBJECTS)], fd);

	if (old)
		close(old);
}

int pick_fd(enum fd_type type)
{
	unsigned int first = below(OBJECTS), i;

	if (one_in(16))
		type = below(FD_TYPES);
	for (i = 0; i < OBJECTS; i++) {
		int fd = fds[type][(first + i) % OBJECTS];

		if (fd)
			return fd;
	}
	return -1;
}

/* Keeps an object; what was in its place is destroyed by `request`, whose first field names it. */
struct object *keep(struct client *client, struct object *objects, __u32 handle,
		    unsigned int request)
{
	struct object *object = &objects[below(OBJECTS)];
	__u32 old[2] = { atomic_exchange(&object->handle, handle) };

	if (old[0])
		ioctl(client->fd, request, old);
	object->program_size = 0;
	object->is_control = false;
	object->point = 0;
	return object;
}

void keep_bo(struct client *client, __u32 handle)
{
	struct drm_nnloop_bo_info info = { .handle = handle };
	struct object *bo;

	if (ioctl(client->fd, DRM_IOCTL_NNLOOP_BO_INFO, &info))
		return;
	bo = keep(client, client->bos, handle, DRM_IOCTL_GEM_CLOSE);
	bo->iova = info.iova;
	bo->offset = info.mmap_offset;
	bo->size = info.size;
}

void forget(struct object *objects, __u32 handle)
{
	unsigned int i;

	/* An object that is gone is worth a call, too. */
	if (one_in(8))
		return;
	for (i = 0; i < OBJECTS; i++) {
		if (objects[i].handle == handle)
			objects[i].handle = 0;
	}
}

/* Numbers at which something may end, begin or overflow. */
static __u64 interesting(void)
{
	static const __u64 numbers[] = {
		0, 1, 2, 7, 8, 63, 64, 65, 111, 112, 255, 1023, 1024, 4095, 4096, 4097, 0xffff,
		0x7fffffff, 0x80000000, 0xdfffffff, 0xe0000000, 0xfffff000, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000, -4096ull, -1ull,
	};

	if (one_in(4))
		return random_next() >> below(64);
	return numbers[below(ARRAY_SIZE(numbers))];
}

__u64 mutated(__u64 value)
{
	switch (below(4)) {
	case 0:
		return value ^ 1ull << below(64);
	case 1:
		return value + 1;
	case 2:
		return value - 1;
	default:
		return interesting();
	}
}

/* Some file that was kept is closed. */
int forget_fd(void)
{
	int fd = atomic_exchange(&fds[below(FD_TYPES)][below(OBJECTS)], 0);

	return fd && close(fd) ? -errno : 0;
}
